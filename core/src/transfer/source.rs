//! A source: what a run on another data set taught, as a small block that is only read.
//!
//! ```text
//! header │ sizes · range │ kernel │ θ · offset │ points · values · α │ factor, in the full form │ meta-features
//! ```

use core::fmt;

use crate::acquisition::Prediction;
use crate::backend::{Backend, Inputs, Member, Posterior, TOGETHER};
use crate::block::layout::sections;
use crate::block::{Arena, Header, Kind};
use crate::codes::codes;
use crate::error::Error;
use crate::gp::{self, Gp, Training, predict};
use crate::kernel::{MAX_LOG, Tape};
use crate::linalg::{Blocks, packed};
use crate::real::Real;
use crate::rng::Generator;
use crate::trend::Trend;

/// What a source can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Its means, in O(rows × dims) words.
    Means,
    /// Its variances too, in O(rows²) words.
    Full,
}

codes!(Form { Means = 0, Full = 1 });

/// How large a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// What it can be asked.
    pub form: Form,
    /// Values that were observed.
    pub rows: usize,
    /// Parameters of the space.
    pub dims: usize,
    /// Words of the nodes and of the lists of its kernel.
    pub kernel: [usize; 2],
    /// Hyperparameters of the kernel.
    pub thetas: usize,
    /// Meta-features of the data set.
    pub features: usize,
}

impl Size {
    /// Words of a source of this size in the scalar `R`; `usize::MAX` for one that is larger than any.
    #[must_use]
    pub const fn words<R: Real>(&self) -> usize {
        if self.is_countable() { Sections::<R>::section_words(self) } else { usize::MAX }
    }

    /// Words that writing one works in; `usize::MAX` for one that is larger than any.
    #[must_use]
    pub const fn work<R: Real>(&self) -> usize {
        if self.is_countable() { self.process().words::<R>() } else { usize::MAX }
    }

    const fn is_countable(&self) -> bool {
        let [nodes, lists] = self.kernel;
        self.rows <= MOST_ROWS
            && self.dims <= MOST
            && nodes <= MOST
            && lists <= MOST
            && self.thetas <= MOST
            && self.features <= MOST
    }

    const fn factor(&self) -> usize {
        match self.form {
            Form::Means => 0,
            Form::Full => packed(self.rows),
        }
    }

    const fn process(&self) -> gp::Size {
        let Self { rows, dims, thetas, .. } = *self;
        gp::Size { rows, exact: rows, dims, thetas, columns: 0, batch: 1 }
    }
}

/// Rows, so that no count leaves the range of a machine of 32 bits.
const MOST_ROWS: usize = (1 << 12) - 1;
/// Of everything else: what a field of the header holds.
const MOST: usize = (1 << 12) - 1;
/// Words of the sizes and of the range, behind those of every block.
const FIELDS: usize = 4;

sections! {
    (size: &Size) {
        header: words[Header::WORDS + FIELDS],
        nodes: words[size.kernel[0]],
        lists: words[size.kernel[1]],
        theta: scalars[size.thetas + 1],
        offset: scalars[1],
        x: scalars[size.rows * size.dims],
        y: scalars[size.rows],
        alpha: scalars[size.rows],
        factor: scalars[size.factor()],
        features: scalars[size.features],
    }
    => object {
        /// The sections of a source while it is written.
        struct Sections {}
    }
    => view {
        /// The sections of a source.
        struct SectionsRead of Sections {}
    }
}

/// What another data set taught: a Gaussian process with its hyperparameters, fitted to values between 0 and 1.
///
/// ```text
/// ỹᵢ = (yᵢ − min y)/(max y − min y),   mean(x) = o + k(x, X)ᵀα,   α = (K + σ²I)⁻¹(ỹ − o),   o the average of ỹ
/// ```
///
/// Values that are all the same say nothing: their ỹ, o and α are 0. Unless it is frozen, ln σ² has the prior N(ln 0.01, 1).
///
/// It is only read, by any number of threads, and may lie in flash. It lives as long as its words.
#[derive(Clone, Copy)]
pub struct Source<'a, R> {
    words: &'a [u64],
    size: Size,
    tape: Tape<'a>,
    sections: SectionsRead<'a, R>,
}

impl<R> fmt::Debug for Source<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("size", &self.size).finish_non_exhaustive()
    }
}

/// What a source is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed<'a, R> {
    /// Fingerprint of the space.
    pub(crate) fingerprint: u64,
    /// Nodes and lists of the kernel.
    pub(crate) kernel: [&'a [u64]; 2],
    /// Meta-features of the data set.
    pub(crate) features: &'a [R],
    /// How long it is trained, and from which seed.
    pub(crate) training: &'a Training,
    pub(crate) seed: u64,
}

impl<'a, R: Real> Source<'a, R> {
    /// The source at the front of some words.
    ///
    /// Checks every count, index and number that is later trusted. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another kind, version, byte order or scalar,
    /// [`Error::Corrupt`] for damaged words.
    pub fn attach(words: &'a [u64]) -> Result<Self, Error> {
        let header = Header::read(words, Kind::Source)?;
        Error::Foreign.when(header.scalar != R::BYTES)?;
        let needed = header.words;
        let words = words.get(..needed).ok_or(Error::Memory { needed })?;
        Error::Corrupt.when(!Header::is_whole(words, needed))?;
        let source = Self::of(words)?;
        if source.is_sound() { Ok(source) } else { Err(Error::Corrupt) }
    }

    /// The source in words that were attached.
    pub(super) fn of(words: &'a [u64]) -> Result<Self, Error> {
        let &[first, second, ..] = words.get(Header::WORDS..Header::WORDS + FIELDS).ok_or(Error::Corrupt)?
        else {
            return Err(Error::Corrupt);
        };
        let field = |word: u64, at: u32| (word >> at) as usize & MOST;
        let form = Form::from_code(first >> 60).ok_or(Error::Corrupt)?;
        let size = Size {
            form,
            rows: field(first, 0),
            dims: field(first, 12),
            kernel: [field(first, 24), field(first, 36)],
            thetas: field(first, 48),
            features: field(second, 0),
        };
        Error::Corrupt.when(second >> 12 != 0 || size.words::<R>() != words.len())?;
        let sections = SectionsRead::of(words, &size);
        let tape = Tape::attach(sections.nodes, sections.lists, size.dims)?;
        Error::Corrupt.when(tape.thetas() != size.thetas || size.rows == 0)?;
        Ok(Self { words, size, tape, sections })
    }

    /// Whether its numbers are such as a writer leaves them.
    fn is_sound(&self) -> bool {
        let SectionsRead { theta, offset, x, y, alpha, factor, features, .. } = self.sections;
        let inside = |v: &R| *v >= R::ZERO && *v <= R::ONE;
        let (lo, hi) = self.range();
        let finite = |slice: &[R]| slice.iter().all(|v| v.is_finite());
        let pivot = |i: usize| factor[packed(i) + i] > R::ZERO;
        lo.is_finite()
            && hi.is_finite()
            && lo <= hi
            && theta.iter().all(|v| v.abs() <= R::of(MAX_LOG))
            && offset.iter().chain(y).all(inside)
            && x.iter().all(|v| inside(v) || *v == -R::ONE)
            && [alpha, factor, features].into_iter().all(finite)
            && (factor.is_empty() || (0..self.rows()).all(pivot))
    }

    /// How large it is.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Its words, to be copied.
    #[must_use]
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    /// The fingerprint of its space.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.sections.header[Header::FINGERPRINT]
    }

    /// How many values it was made from.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.size.rows
    }

    /// The lowest and the highest of them, in user units.
    #[must_use]
    pub fn range(&self) -> (f64, f64) {
        let at = |place: usize| f64::from_bits(self.sections.header[Header::WORDS + place]);
        (at(2), at(3))
    }

    /// Whether its values differ: those of one that says nothing are all the same.
    #[must_use]
    pub fn is_informative(&self) -> bool {
        let (lo, hi) = self.range();
        lo < hi
    }

    /// Its points in the unit cube, row after row.
    #[must_use]
    pub fn points(&self) -> &'a [R] {
        self.sections.x
    }

    /// Its values, from 0 to 1.
    #[must_use]
    pub fn values(&self) -> &'a [R] {
        self.sections.y
    }

    /// The meta-features of its data set.
    #[must_use]
    pub fn features(&self) -> &'a [R] {
        self.sections.features
    }

    /// The hyperparameters of its kernel on the log scale, and that of its noise behind them.
    #[must_use]
    pub fn theta(&self) -> &'a [R] {
        self.sections.theta
    }

    /// Scalars of work for `batch` means at a time; `usize::MAX` rows are any number of them.
    #[must_use]
    pub const fn mean_work(rows: usize, dims: usize, thetas: usize, batch: usize) -> usize {
        let rows = if rows < TOGETHER { rows } else { TOGETHER };
        Tape::scratch(rows, dims, thetas).saturating_add(rows.saturating_mul(batch))
    }

    /// Fills `out` with the means at `out.len()` points of the unit cube.
    ///
    /// Cost: O(rows × dims) for each.
    ///
    /// # Errors
    /// [`Error::Shape`] if the slices do not fit together or there is no room for one mean.
    pub fn means(&self, points: &[R], out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        self.member(R::ONE, R::ZERO).means(points, out, work)
    }

    /// As a backend knows it, with a weight and with what its means are compared with.
    pub(crate) fn member(&self, weight: R, low: R) -> Member<'a, R> {
        let (inputs, SectionsRead { alpha, .. }) = (self.inputs(), self.sections);
        Member { tape: self.tape, inputs, alpha, offset: self.average(), weight, low }
    }

    /// The mean at a point, with the derivatives in `slope`; zero in coordinates where it is not [`Source::smooth`].
    ///
    /// Cost: O(rows × dims).
    ///
    /// # Errors
    /// As [`Source::means`].
    pub(crate) fn slope(&self, point: &[R], slope: &mut [R], work: &mut [R]) -> Result<R, Error> {
        self.member(R::ONE, R::ZERO).slope(point, slope, work)
    }

    /// Whether the mean has a derivative in a coordinate.
    pub(crate) fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    /// The row of lowest value, the first of equals.
    #[must_use]
    pub fn best(&self) -> usize {
        let y = self.values();
        (1..y.len()).fold(0, |best, row| if y[row] < y[best] { row } else { best })
    }

    /// The average of its values.
    pub(crate) fn average(&self) -> R {
        self.sections.offset[0]
    }

    /// Its kernel.
    pub(crate) fn tape(&self) -> Tape<'a> {
        self.tape
    }

    /// One of its points, by the row.
    pub(crate) fn point(&self, row: usize) -> &'a [R] {
        &self.sections.x[row * self.size.dims..(row + 1) * self.size.dims]
    }

    /// Mean and variance at a point of the unit cube. Cost: O(rows²).
    ///
    /// # Errors
    /// [`Error::Unsupported`] for [`Form::Means`], [`Error::Shape`] for a point of another space or too little work: as
    /// [`Size::work`], in scalars.
    pub fn predict(&self, point: &[R], work: &mut [R]) -> Result<Prediction<R>, Error> {
        let (posterior, needed) = (self.posterior()?, self.size.dims);
        Error::Shape { needed }.when(point.len() != needed)?;
        let prediction = predict::at(&self.tape, &posterior, point, work)?;
        Ok(Prediction { mean: prediction.mean + self.average(), ..prediction })
    }

    /// Scalars of work for a variance, and for its slopes.
    pub(crate) const fn variance_work(rows: usize, dims: usize, thetas: usize) -> usize {
        predict::work(rows, dims, 0, thetas)
    }

    /// Scalars of work for `count` points jointly.
    pub(crate) const fn joint_work(rows: usize, dims: usize, thetas: usize, count: usize) -> usize {
        rows.saturating_mul(count).saturating_add(predict::work(rows, dims, 0, thetas))
    }

    /// As [`Source::predict`], with the slopes of mean and variance.
    pub(crate) fn slopes(
        &self,
        point: &[R],
        slopes: [&mut [R]; 2],
        work: &mut [R],
    ) -> Result<Prediction<R>, Error> {
        let posterior = self.posterior()?;
        let prediction = predict::gradient(&self.tape, &posterior, point, slopes, work)?;
        Ok(Prediction { mean: prediction.mean + self.average(), ..prediction })
    }

    /// Joint mean, and packed covariance, at several points. Cost: O(rows²) for each.
    pub(crate) fn joint(
        &self,
        points: &[R],
        mean: &mut [R],
        matrix: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        predict::joint(&self.tape, &self.posterior()?, points, mean, matrix, work)?;
        mean.iter_mut().for_each(|mean| *mean += self.average());
        Ok(())
    }

    /// The fitted process, but for its offset.
    fn posterior(&self) -> Result<Posterior<'a, R>, Error> {
        Error::Unsupported.when(self.size.form == Form::Means)?;
        let SectionsRead { factor, alpha, .. } = self.sections;
        let (trend, none) = (Trend::Zero, &[][..]);
        Ok(Posterior { inputs: self.inputs(), factor, alpha, trend, beta: none, basis: none, normal: none })
    }

    fn inputs(&self) -> Inputs<'a, R> {
        let Size { rows, thetas, .. } = self.size;
        let theta = &self.sections.theta[..thetas];
        Inputs { theta, x: self.sections.x, rows, nugget: R::ZERO, blocks: Blocks::default() }
    }

    /// Writes the source of a data set to `out`, in as many words as [`Size::words`] says: `fill` gives the process its
    /// hyperparameters, and its points with the values as they were told.
    ///
    /// Cost: that of training.
    ///
    /// # Errors
    /// [`Error::NoData`] without values, [`Error::Unsupported`] for more than a source holds, or the full form of a kernel that
    /// keeps branches apart; [`Error::Memory`] with the words needed of either, [`Error::NotFinite`] for a meta-feature, and what
    /// training reports. `out` is unchanged then.
    pub(crate) fn write<B: Backend<R> + ?Sized>(
        size: &Size,
        observed: &Observed<'_, R>,
        backend: &mut B,
        fill: &mut dyn FnMut(&mut Gp<'_, R>) -> Result<(), Error>,
        work: &mut [u64],
        out: &mut [u64],
    ) -> Result<(), Error> {
        Error::NoData.when(size.rows == 0)?;
        Error::Unsupported.when(!size.is_countable())?;
        let (needed, needed_work) = (size.words::<R>(), size.work::<R>());
        Error::Memory { needed }.when(out.len() < needed)?;
        Error::Memory { needed: needed_work }.when(work.len() < needed_work)?;
        let Observed { fingerprint, kernel: [nodes, lists], features, training, seed } = *observed;
        Error::NotFinite.when(features.iter().any(|v| !v.is_finite()))?;
        let work = &mut work[..needed_work];
        work.fill(0);
        let mut gp = Gp::resume(Trend::Zero, size.process(), work)?;
        fill(&mut gp)?;
        let tape = Tape::attach(nodes, lists, size.dims)?;
        let ends = (R::INFINITY, -R::INFINITY);
        let (lo, hi) = gp.targets().iter().fold(ends, |(lo, hi), &y| (lo.min(y), hi.max(y)));
        let offset = standardise(&mut gp, lo, hi);
        expect_noise(&mut gp, size.thetas)?;
        if lo < hi {
            gp.train(&tape, backend, training, &mut Generator::new(seed))?;
        } else {
            gp.fit(&tape, backend)?;
        }
        let noise = gp.theta()[size.thetas];
        let split = gp.split()?;
        let Posterior { inputs, factor, alpha, .. } = split.posterior;
        Error::Unsupported.when(size.form == Form::Full && !inputs.blocks.is_whole())?;
        // Nothing fails from here on.
        let sections = Sections::<R>::cut(&mut Arena::new(&mut out[..needed]), size)?;
        let (theta, last) = sections.theta.split_at_mut(size.thetas);
        theta.copy_from_slice(inputs.theta);
        last.fill(noise);
        sections.nodes.copy_from_slice(nodes);
        sections.lists.copy_from_slice(lists);
        sections.offset.fill(offset);
        sections.x.copy_from_slice(inputs.x);
        for (out, &y) in sections.y.iter_mut().zip(split.targets) {
            *out = (y + offset).clamp(R::ZERO, R::ONE);
        }
        sections.alpha.copy_from_slice(alpha);
        sections.factor.copy_from_slice(&factor[..size.factor()]);
        sections.features.copy_from_slice(features);
        let place = |value: usize, at: u32| (value as u64) << at;
        let [nodes, lists] = size.kernel;
        sections.header[Header::WORDS..].copy_from_slice(&[
            place(size.rows, 0)
                | place(size.dims, 12)
                | place(nodes, 24)
                | place(lists, 36)
                | place(size.thetas, 48)
                | size.form.code() << 60,
            place(size.features, 0),
            lo.to_f64().to_bits(),
            hi.to_f64().to_bits(),
        ]);
        let header = Header { kind: Kind::Source, scalar: R::BYTES, words: needed, fingerprint };
        header.write(out)?;
        Header::write_checksum(out, needed);
        Ok(())
    }
}

/// What noise of a source is expected: a tenth of the range of its values. What another data set has in common with the next one is
/// its large shape; means that follow every value of a few rows are further from the values between them.
const NOISE: f64 = 1e-2;

/// Gives noise that is not frozen a log-normal prior of spread 1 around [`NOISE`].
fn expect_noise<R: Real>(gp: &mut Gp<'_, R>, place: usize) -> Result<(), Error> {
    let table = gp.theta_table();
    let (lo, hi) = (table.lo[place], table.hi[place]);
    if lo < hi {
        table.value[place] = R::of(NOISE).ln().clamp(lo, hi);
        table.set_spread(place, 1.0)?;
    }
    Ok(())
}

/// Puts the targets of a process between 0 and 1, less their average, which is returned.
fn standardise<R: Real>(gp: &mut Gp<'_, R>, lo: R, hi: R) -> R {
    // Half of each, so that no difference leaves the range.
    let half = R::HALF * hi - R::HALF * lo;
    let informative = half > R::ZERO;
    for known in gp.known_variances_mut() {
        *known = if informative { *known / half / half * R::of(0.25) } else { R::ZERO };
    }
    let (mut sum, targets) = (R::ZERO, gp.targets_mut());
    for y in targets.iter_mut() {
        *y = if informative { (R::HALF * *y - R::HALF * lo) / half } else { R::ZERO };
        sum += *y;
    }
    let average = sum / R::of_usize(targets.len());
    targets.iter_mut().for_each(|y| *y -= average);
    average
}
