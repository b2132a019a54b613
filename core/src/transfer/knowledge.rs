//! What sources say of a run: a weight and a lowest mean for each, read from the trials whenever a point is asked for.

use core::fmt;

use super::Sources;
use super::distance::{discordance, epanechnikov};
use super::source::Source;
use crate::acquisition::Prediction;
use crate::backend::{Backend, Means, Pooling, Said, Visit};
use crate::block::Scratch;
use crate::error::Error;
use crate::limits::Limit;
use crate::math::axpy;
use crate::real::Real;

/// What has become of a point that a run has asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seen<R> {
    /// Nothing is there.
    Nothing,
    /// It waits for its value, or failed: it counts in minima, not in rankings.
    Asked,
    /// Its value.
    Told(R),
}

/// The points of a run, and what is known of each.
#[derive(Clone, Copy)]
pub(crate) struct Past<'t, R> {
    /// Row after row.
    pub(crate) points: &'t [R],
    pub(crate) seen: &'t dyn Fn(usize) -> Seen<R>,
}

/// Points of a run with their values: told ones first.
#[derive(Clone, Copy)]
pub(crate) struct Told<'t, R> {
    /// The point of a row, and its value if it was told.
    pub(crate) row: &'t dyn Fn(usize) -> (&'t [R], Option<R>),
    pub(crate) count: usize,
}

/// Which sources count, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Count {
    /// All that say something, the same.
    All,
    /// By the share of told pairs that they put in the same order.
    Alike,
    /// By that share with a bandwidth; what disagrees counts a little, so that where nothing agrees all count the same.
    Agreeing { rho: f64 },
    /// By the distance of meta-features, with a bandwidth.
    Features { rho: f64 },
    /// By the Kendall tau distance, with a bandwidth.
    Ranks { rho: f64 },
    /// The nearest two by the Kendall tau distance, alike; all while it is the same for all.
    Nearest,
}

/// What the weight of a source does not fall below.
const LEAST: f64 = 0.02;

/// How many are nearest.
const NEAREST: usize = 2;

/// The weight of the new data set itself: that of distance 0.
pub(crate) const OWN: f64 = 0.75;

/// What a source says of one point with its doubt.
#[derive(Debug)]
pub(crate) struct Sure<'m, R> {
    /// Which of the points it is.
    pub(crate) point: usize,
    pub(crate) weight: R,
    /// Its lowest mean at the points of the run.
    pub(crate) low: R,
    pub(crate) prediction: Prediction<R>,
    /// The slopes of mean and variance; empty unless they were asked for.
    pub(crate) slopes: [&'m [R]; 2],
}

/// What is asked of a source that counts: its place in the list, and the source.
pub(super) type Visited<'e, 'k, R> = dyn FnMut(usize, &Source<'k, R>) -> Result<(), Error> + 'e;

/// What is asked of a source that counts: the source, its weight, its lowest mean, and memory for its means.
pub(super) type Asked<'e, 'k, R> = dyn FnMut(&Source<'k, R>, R, R, &mut [R]) -> Result<(), Error> + 'e;

/// Who computes means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The backend that was lent, if there is one: good for choosing among candidates.
    Backend,
    /// The plain code.
    Plain,
}

/// A backend that is lent for the means of many points.
struct Lent<'k, R>(Option<&'k mut (dyn Backend<R> + 'k)>);

impl<R> fmt::Debug for Lent<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lent").field(&self.0.is_some()).finish()
    }
}

/// The sources that say something, with what they say of a run.
#[derive(Debug)]
pub(crate) struct Knowledge<'k, R> {
    sources: Sources<'k, R>,
    backend: Lent<'k, R>,
    /// How much the new data set itself counts.
    pub(super) own: R,
    /// How much each counts; 0 for those that are not asked.
    pub(super) weights: &'k mut [R],
    /// The lowest mean of each at the points of the run; infinite without any.
    lowest: &'k mut [R],
    /// Means of one source at several points.
    means: &'k mut [R],
    work: &'k mut [R],
}

impl<'k, R: Real> Knowledge<'k, R> {
    /// Scalars for so many sources and so many points at a time; `rows` of a source whose variances are asked for, or 0.
    pub(crate) const fn scalars(
        sources: usize,
        points: usize,
        dims: usize,
        thetas: usize,
        rows: usize,
    ) -> usize {
        let means = Source::<R>::mean_work(usize::MAX, dims, thetas, 1);
        let variances = Source::<R>::variance_work(rows, dims, thetas).saturating_add(2 * dims);
        let work = if rows > 0 && variances > means { variances } else { means };
        let points = if points > dims { points } else { dims };
        sources.saturating_mul(2).saturating_add(points).saturating_add(work)
    }

    /// Without a run.
    ///
    /// # Errors
    /// [`Error::Limits`] for sources whose kernel has more hyperparameters than `thetas`, [`Error::Shape`] for too little memory.
    pub(crate) fn new(
        sources: Sources<'k, R>,
        points: usize,
        thetas: usize,
        memory: &'k mut [R],
    ) -> Result<Self, Error> {
        let most = sources.iter().map(|source| source.size().thetas).max().unwrap_or(0);
        Limit::Thetas.at_least(thetas, most)?;
        let mut memory = Scratch::new(memory);
        let (weights, lowest) = (memory.take(sources.len())?, memory.take(sources.len())?);
        // A slope takes their place.
        let dims = sources.iter().next().map_or(0, |source| source.size().dims);
        let means = memory.take(points.max(dims))?;
        weights.fill(R::ZERO);
        lowest.fill(R::INFINITY);
        let (backend, own, work) = (Lent(None), R::of(OWN), memory.rest());
        Ok(Self { sources, backend, own, weights, lowest, means, work })
    }

    /// Leaves the means at many points to a backend.
    pub(crate) fn lend(&mut self, backend: &'k mut (dyn Backend<R> + 'k)) {
        self.backend = Lent(Some(backend));
    }

    /// Whether what is chosen by means at many points is to be looked at once more, [`By::Plain`].
    pub(crate) fn screens(&self) -> bool {
        self.backend.0.as_ref().is_some_and(|backend| backend.screens())
    }

    /// Reads the lowest means and the weights from a run.
    ///
    /// Cost: O(points × rows of all sources).
    ///
    /// # Errors
    /// [`Error::Shape`] for meta-features of another number than those of the new data set, or too little memory.
    pub(crate) fn read(&mut self, count: Count, past: &Past<'_, R>) -> Result<(), Error> {
        match count {
            Count::Features { .. } => self.read_distances()?,
            Count::Ranks { .. } | Count::All | Count::Alike | Count::Agreeing { .. } | Count::Nearest => {}
        }
        let sources = self.sources;
        for (i, source) in sources.iter().enumerate() {
            let rank = self.read_source(i, &source, past)?;
            let weight = match count {
                Count::All => R::ONE,
                Count::Alike => R::ONE - rank,
                Count::Agreeing { rho } => {
                    let share = rank / R::of(rho);
                    (R::ONE - share * share).max(R::ZERO) + R::of(LEAST)
                }
                Count::Features { rho } => epanechnikov(self.weights[i] / R::of(rho)),
                Count::Ranks { rho } => epanechnikov(rank / R::of(rho)),
                // As long as they are distances, less is more.
                Count::Nearest => R::ONE + rank,
            };
            self.weights[i] = if source.is_informative() { weight } else { R::ZERO };
        }
        if count == Count::Nearest {
            self.keep_nearest();
        }
        Ok(())
    }

    /// Turns distances from 1 on into weights: 1 for the nearest, and for all while nothing tells them apart.
    fn keep_nearest(&mut self) {
        let far = self.weights.iter().any(|&distance| distance > R::ONE);
        for _ in 0..if far { NEAREST } else { self.weights.len() } {
            let mut nearest: Option<usize> = None;
            for (i, &distance) in self.weights.iter().enumerate() {
                if distance >= R::ONE && nearest.is_none_or(|n| distance < self.weights[n]) {
                    nearest = Some(i);
                }
            }
            if let Some(nearest) = nearest {
                self.weights[nearest] = -R::ONE;
            }
        }
        for weight in self.weights.iter_mut() {
            *weight = if *weight < R::ZERO { R::ONE } else { R::ZERO };
        }
    }

    /// Reads the lowest mean of a source, and the share of told pairs that it puts the other way round.
    fn read_source(&mut self, i: usize, source: &Source<'_, R>, past: &Past<'_, R>) -> Result<R, Error> {
        let dims = source.size().dims;
        let count = past.points.len() / dims;
        let means = self.means.get_mut(..count).ok_or(Error::Shape { needed: count })?;
        source.means(past.points, means, self.work)?;
        let (mut told, mut discordant) = (0u64, 0u64);
        self.lowest[i] = R::INFINITY;
        for a in 0..count {
            let seen = (past.seen)(a);
            if seen != Seen::Nothing {
                self.lowest[i] = self.lowest[i].min(means[a]);
            }
            let Seen::Told(value) = seen else { continue };
            for b in 0..a {
                if let Seen::Told(other) = (past.seen)(b) {
                    discordant += u64::from(discordance([value, other], [means[a], means[b]]));
                }
            }
            told += 1;
        }
        let pairs = (told * told.saturating_sub(1)).max(1);
        Ok(R::of(discordant as f64 / pairs as f64))
    }

    /// Writes the distance of each source in meta-features, scaled over all data sets, to its weight.
    ///
    /// Cost: O(sources × features).
    ///
    /// # Errors
    /// [`Error::Shape`] unless every data set has as many as the new one.
    pub(crate) fn read_distances(&mut self) -> Result<(), Error> {
        let (sources, own) = (self.sources, self.sources.own_features());
        sources.check_features()?;
        self.weights.fill(R::ZERO);
        for (f, &here) in own.iter().enumerate() {
            let of_all = || sources.iter().map(|source| source.features()[f]);
            // What says nothing does not tell the others apart either.
            let informative =
                sources.iter().filter(Source::is_informative).map(|source| source.features()[f]);
            let (lo, hi) = informative.fold((here, here), |(lo, hi), v| (lo.min(v), hi.max(v)));
            // Half of each, so that no difference leaves the range.
            let width = R::HALF * hi - R::HALF * lo;
            if width <= R::ZERO {
                continue;
            }
            for (square, there) in self.weights.iter_mut().zip(of_all()) {
                let gap = (R::HALF * there - R::HALF * here) / width;
                *square += gap * gap;
            }
        }
        for square in self.weights.iter_mut() {
            *square = square.sqrt();
        }
        Ok(())
    }

    /// Turns shares of told pairs that are in the same order into distances: after [`Count::Alike`].
    pub(super) fn turn(&mut self) {
        self.weights.iter_mut().for_each(|weight| *weight = R::ONE - *weight);
    }

    /// The source at the least distance that says something, which is then taken out; after [`Knowledge::read_distances`] or
    /// [`Knowledge::turn`].
    pub(crate) fn take_nearest(&mut self) -> Option<Source<'k, R>> {
        let mut nearest: Option<(usize, Source<'k, R>)> = None;
        for (i, source) in self.sources.iter().enumerate().filter(|(_, source)| source.is_informative()) {
            let distance = self.weights[i];
            if distance < R::INFINITY && nearest.is_none_or(|(n, _)| distance < self.weights[n]) {
                nearest = Some((i, source));
            }
        }
        let (i, source) = nearest?;
        self.weights[i] = R::INFINITY;
        Some(source)
    }

    /// The sum of the weights, that of the new data set among them.
    pub(crate) fn total_with_own(&self) -> R {
        self.own + self.total()
    }

    /// Calls with what each source that counts says of some points, its doubt with it. Cost: O(rows²) for each.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a source of means, [`Error::Shape`].
    pub(crate) fn each_sure(
        &mut self,
        points: &[R],
        count: usize,
        each: &mut dyn FnMut(Sure<'_, R>),
    ) -> Result<(), Error> {
        let dims = points.len() / count.max(1);
        for (i, source) in self.sources.iter().enumerate().filter(|(i, _)| self.weights[*i] > R::ZERO) {
            let (weight, low) = (self.weights[i], self.lowest[i]);
            for (p, point) in points.chunks_exact(dims).enumerate() {
                let prediction = source.predict(point, self.work)?;
                each(Sure { point: p, weight, low, prediction, slopes: [&[], &[]] });
            }
        }
        Ok(())
    }

    /// As [`Knowledge::each_sure`] at one point, with the slopes.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn each_slope(&mut self, point: &[R], each: &mut dyn FnMut(Sure<'_, R>)) -> Result<(), Error> {
        let dims = point.len();
        for (i, source) in self.sources.iter().enumerate().filter(|(i, _)| self.weights[*i] > R::ZERO) {
            let (slopes, work) =
                self.work.split_at_mut_checked(2 * dims).ok_or(Error::Shape { needed: 2 * dims })?;
            let (by_mean, by_variance) = slopes.split_at_mut(dims);
            let prediction = source.slopes(point, [&mut *by_mean, &mut *by_variance], work)?;
            let (weight, low) = (self.weights[i], self.lowest[i]);
            each(Sure { point: 0, weight, low, prediction, slopes: [by_mean, by_variance] });
        }
        Ok(())
    }

    /// The sum of the weights of the sources.
    pub(crate) fn total(&self) -> R {
        self.weights.iter().fold(R::ZERO, |sum, &weight| sum + weight)
    }

    /// Calls with what each source that counts says of some points, in batches.
    ///
    /// # Errors
    /// [`Error::Shape`], or what the backend reports.
    pub(crate) fn each(
        &mut self,
        by: By,
        points: &[R],
        count: usize,
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        let same = |weight: R, low: R| (weight, low);
        self.ask(by, points, count, &same, |request, backend, room, work| match backend {
            Some(backend) => backend.means(request, room, work, each),
            None => request.each_plain(room, work, each),
        })
    }

    /// Adds what becomes of the means of all sources that count to `out`, point by point; `of` says from weight and lowest mean
    /// with which ones.
    ///
    /// # Errors
    /// As [`Knowledge::each`].
    pub(crate) fn pool(
        &mut self,
        by: By,
        points: &[R],
        pooling: Pooling<R>,
        of: &dyn Fn(R, R) -> (R, R),
        out: &mut [R],
    ) -> Result<(), Error> {
        self.ask(by, points, out.len(), of, |request, backend, room, work| match backend {
            Some(backend) => backend.pool(request, pooling, out, room, work),
            None => request.pool_plain(pooling, out, room, work),
        })
    }

    /// Asks for the means at some points.
    fn ask(
        &mut self,
        by: By,
        points: &[R],
        count: usize,
        of: &dyn Fn(R, R) -> (R, R),
        run: impl FnOnce(&Means<'_, R>, Option<&mut dyn Backend<R>>, &mut [R], &mut [R]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        let Self { sources, backend, weights, lowest, means, work, .. } = self;
        let members = |visit: &mut Visit<'_, R>| {
            for (i, source) in sources.iter().enumerate() {
                let counts = weights[i] > R::ZERO;
                let (weight, low) = if counts { of(weights[i], lowest[i]) } else { (R::ZERO, R::ZERO) };
                visit(i, &source.member(weight, low))?;
            }
            Ok(())
        };
        let (fingerprint, dims) = (sources.fingerprint(), points.len() / count);
        let request = Means { fingerprint, count: sources.len(), members: &members, points, dims };
        let backend = match (by, &mut backend.0) {
            (By::Backend, Some(backend)) => Some(&mut **backend as &mut dyn Backend<R>),
            (By::Backend, None) | (By::Plain, _) => None,
        };
        run(&request, backend, means, work)
    }

    /// Calls with each source that counts, its weight, its lowest mean, and memory for its means.
    ///
    /// # Errors
    /// What is reported.
    pub(super) fn each_source(&mut self, each: &mut Asked<'_, 'k, R>) -> Result<(), Error> {
        for (i, source) in self.sources.iter().enumerate().filter(|(i, _)| self.weights[*i] > R::ZERO) {
            each(&source, self.weights[i], self.lowest[i], self.work)?;
        }
        Ok(())
    }

    /// How many sources count.
    pub(super) fn counted(&self) -> usize {
        self.weights.iter().filter(|&&weight| weight > R::ZERO).count()
    }

    /// Calls with the place of each source that counts, and the source.
    ///
    /// # Errors
    /// What is reported.
    pub(super) fn each_counted(&self, each: &mut Visited<'_, 'k, R>) -> Result<(), Error> {
        let all = self.sources.iter().zip(&*self.weights).enumerate();
        let mut counted = all.filter(|&(_, (_, &weight))| weight > R::ZERO);
        counted.try_for_each(|(place, (source, _))| each(place, &source))
    }

    /// Adds a function of the means at a point to a gradient: `of` gives its derivative from weight, lowest mean and mean.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(crate) fn add_gradient(
        &mut self,
        point: &[R],
        gradient: &mut [R],
        of: &mut dyn FnMut(&Said<'_, R>) -> R,
    ) -> Result<(), Error> {
        let slope = self.means.get_mut(..point.len()).ok_or(Error::Shape { needed: point.len() })?;
        for (i, source) in self.sources.iter().enumerate().filter(|(i, _)| self.weights[*i] > R::ZERO) {
            let mean = [source.slope(point, slope, self.work)?];
            let (weight, low, offset) = (self.weights[i], self.lowest[i], source.average());
            let share = of(&Said { index: i, first: 0, weight, low, offset, means: &mean });
            axpy(share, slope, gradient);
        }
        Ok(())
    }

    /// The first source that says something.
    pub(crate) fn first(&self) -> Option<Source<'k, R>> {
        self.sources.iter().find(Source::is_informative)
    }

    /// The source of most rows that says something, the first of equals.
    pub(super) fn largest(&self) -> Option<Source<'k, R>> {
        let informative = self.sources.iter().filter(Source::is_informative);
        informative.reduce(|best, source| if source.rows() > best.rows() { source } else { best })
    }

    /// Lets the weights add up to 1.
    pub(super) fn normalise(&mut self) {
        let total = self.total();
        self.weights.iter_mut().for_each(|weight| *weight /= total);
    }

    /// The geometric mean of the ranges of the sources that say something.
    pub(super) fn unit(&self) -> R {
        let (mut sum, mut count) = (0.0, 0.0);
        for source in self.sources.iter().filter(Source::is_informative) {
            let (lo, hi) = source.range();
            // Half of each, so that no difference leaves the range.
            sum += Real::ln(0.5 * hi - 0.5 * lo) + core::f64::consts::LN_2;
            count += 1.0;
        }
        R::of(Real::exp(sum / count)).clamp(R::MIN_POSITIVE, R::MAX)
    }

    /// The means of the hyperparameters of the sources whose kernel has as many; the noise last.
    pub(super) fn average_theta(&self, out: &mut [R]) {
        out.fill(R::ZERO);
        let mut count = 0;
        for source in self.sources.iter().filter(Source::is_informative) {
            if source.theta().len() != out.len() {
                continue;
            }
            for (out, &theta) in out.iter_mut().zip(source.theta()) {
                *out += theta;
            }
            count += 1;
        }
        out.iter_mut().for_each(|theta| *theta /= R::of_usize(count.max(1)));
    }

    /// The lowest and the highest of the first meta-features over all data sets that say something; how many were read, none unless
    /// every data set has as many as the new one.
    pub(super) fn read_ranges(&self, lowest: &mut [R], highest: &mut [R]) -> usize {
        let own = self.sources.own_features();
        if self.sources.check_features().is_err() {
            return 0;
        }
        let ends = lowest.iter_mut().zip(highest);
        for ((lo, hi), (f, &here)) in ends.zip(own.iter().enumerate()) {
            let informative =
                self.sources.iter().filter(Source::is_informative).map(|source| source.features()[f]);
            (*lo, *hi) = informative.fold((here, here), |(lo, hi), there| (lo.min(there), hi.max(there)));
        }
        own.len().min(lowest.len())
    }

    /// The meta-features of the new data set.
    pub(super) fn own_features(&self) -> &'k [R] {
        self.sources.own_features()
    }

    /// How many sources there are.
    pub(super) fn len(&self) -> usize {
        self.sources.len()
    }

    /// Takes a point into the minima as if it had been asked for.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(crate) fn admit(&mut self, point: &[R]) -> Result<(), Error> {
        for (i, source) in self.sources.iter().enumerate() {
            let mut mean = [R::ZERO];
            source.means(point, &mut mean, self.work)?;
            self.lowest[i] = self.lowest[i].min(mean[0]);
        }
        Ok(())
    }

    /// Whether the means of all sources have a derivative in a coordinate.
    pub(crate) fn smooth(&self, parameter: usize) -> bool {
        self.sources.iter().all(|source| source.smooth(parameter))
    }
}
