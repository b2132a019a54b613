//! The memory of an optimizer: where everything lies.
//!
//! ```text
//! header · config · space · kernel · trials · rows · scale · kept · process (data, θ, fit) │ factor │ work
//!        └──────────────────── first checksum ──────────────────────────────────────────┘ └ second ┘
//! ```

use core::ops::Range;

use super::cash;
use super::memory::{ModelScratch, Persistent, ScoreScratch};
pub(super) use super::trials::TrialsRead;
use super::trials::{Trials, TrialsPlaces};
use crate::block::Arena;
use crate::block::layout::{scalar_range, sections};
use crate::config::{self, CHOICES, Config};
use crate::error::{Error, Need};
use crate::gp::{FitPlaces, Gp, GpPlaces, Size};
use crate::kernel::{self, Tape};
use crate::limits::{Limit, Limits};
use crate::real::Real;
use crate::rng::Generator;
use crate::search;
use crate::space::{self, Domain, Kind, Space};
use crate::surrogate::ObservationsPlaces;
use crate::targets::Scale;
use crate::trend::Trend;

/// Places in the header, behind those of every block.
pub(super) mod place {
    pub(crate) const FACTOR_SUM: usize = 4;
    pub(crate) const LIMITS: usize = 5;
    /// Branches, each with an optimizer of its own; 0 for one model.
    pub(crate) const VALUES: usize = 19;
    /// Open trials of a lower number are to be handed out again; 0 if there are none.
    pub(crate) const RESUMED: usize = 20;
    pub(crate) const GENERATOR: usize = 21;
    pub(crate) const SEQUENCE: usize = 25;
    pub(crate) const DESIGNED: usize = 26;
    /// Observations when the hyperparameters were last trained, and last trained afresh.
    pub(crate) const TRAINED: usize = 27;
    pub(crate) const AFRESH: usize = 28;
    /// Degrees of freedom of a Student-t process, as ln(ν − 2).
    pub(crate) const FREEDOM: usize = 29;
    /// Who trained last: 0 nobody, or a block of before this was noted; 1 a look, 2 an ask.
    pub(crate) const TRAINER: usize = 30;
    /// If not 0, the scale of the targets is given, and this is the value of a failed trial; −0 stands for 0.
    pub(crate) const WORST: usize = 31;
    pub(crate) const POSTERIORS: usize = 32;
    pub(crate) const DIMS: usize = 33;
    pub(crate) const THETAS: usize = 34;
    pub(crate) const TREND: usize = 35;
    /// 1 if the covariance is that of the kernel alone, so that a told trial needs no configuration for its row.
    pub(crate) const DIRECT: usize = 36;
    /// A hash of the names and labels of the space; 0 if there are none.
    pub(crate) const NAMES: usize = 37;
    /// The fingerprint of the sources that were passed last; 0 for none.
    pub(crate) const SOURCES: usize = 38;
}
/// Words of the header.
pub(super) const HEADER: usize = 39;

/// The parts of a block, as slices that do not overlap.
#[derive(Debug)]
pub(super) struct Block<'a, R> {
    pub(super) limits: Limits,
    pub(super) shape: Shape,
    pub(super) header: &'a mut [u64],
    pub(super) config: Config<'static>,
    pub(super) domain: Domain<'a>,
    pub(super) tape: Tape<'a>,
    pub(super) trials: Trials<'a, R>,
    /// The slot of each row of the process.
    pub(super) rows: &'a mut [u64],
    pub(super) scale: &'a mut [R],
    /// A point in the unit cube while a question is being answered.
    pub(super) unit: &'a mut [R],
    pub(super) kept: Persistent<'a, R>,
    /// Gains and nominees of a portfolio.
    pub(super) portfolio: &'a mut [R],
    pub(super) gp: Gp<'a, R>,
    pub(super) search: search::Memory<'a, R>,
    pub(super) bench: ModelScratch<'a, R>,
    pub(super) desk: ScoreScratch<'a, R>,
}

sections! {
    (used: &Limits) {
        pub(super) header: words[HEADER],
        pub(super) config: words[config::WORDS],
        pub(super) space: words[used.space_words()],
        pub(super) nodes: words[kernel::words(used.nodes as usize, 0)],
        pub(super) lists: words[kernel::words(0, used.lists as usize)],
        pub(super) trials: Trials[used],
        pub(super) rows: words[used.trials as usize],
        pub(super) scale: scalars[6],
        pub(super) unit: scalars[used.dims as usize],
        kept: Persistent[used],
        portfolio: scalars[used.portfolio_scalars()],
        pub(super) gp: Gp[used.size()],
        search: words[search::words::<R>(used.dims as usize, used.candidates as usize, used.starts as usize)],
    }
    => object {
        /// All sections of a block but the work memory of models, as they lie there.
        pub(super) struct Sections {}
    }
    => places {
        /// Where they lie.
        pub(super) struct Places
    }
}

impl Limits {
    /// Words of `u64` that an optimizer within these limits needs.
    ///
    /// The sum of the size functions that stand beside each part. `usize::MAX` for limits that are refused.
    #[must_use]
    pub const fn words<R: Real>(&self) -> usize {
        if !self.is_valid() {
            return usize::MAX;
        }
        let one = Sections::<R>::section_words(self) + self.bench_words::<R>();
        if !CHOICES || self.values == 0 {
            return one;
        }
        let branched = cash::words::<R>(self);
        if one > branched { one } else { branched }
    }

    /// The words of an optimizer within these limits.
    ///
    /// # Errors
    /// [`Error::Limits`].
    pub(super) fn check_countable<R: Real>(&self) -> Result<usize, Error> {
        self.check()?;
        match self.words::<R>() {
            // Which would do is not known: fewer than these.
            usize::MAX => Err(Limit::Trials.refuse(self.trials.saturating_sub(1) as usize)),
            words => Ok(words),
        }
    }

    /// Whether a space is within the limits.
    ///
    /// # Errors
    /// [`Error::Dimensions`].
    pub(super) fn check_holds(&self, space: &Space<'_>) -> Result<(), Error> {
        let names = if self.names == 0 { 0 } else { space.names_bytes() };
        let needs = [
            (Limit::Dims, self.dims, space.dims()),
            (Limit::Conditions, self.conditions, space.conditions()),
            (Limit::Levels, self.levels, space.levels()),
            (Limit::Terms, self.terms, space.terms()),
            (Limit::Names, self.names, names),
        ];
        match needs.into_iter().find(|&(_, given, needed)| needed > given as usize) {
            Some((limit, _, needed)) => Err(Error::Dimensions(Need::new(limit, needed))),
            None => Ok(()),
        }
    }

    /// The limits by which the sections are laid out: what is in use of these.
    pub(super) const fn used(&self, shape: Shape) -> Self {
        let branched = shape.is_branched();
        Self {
            dims: shape.dims as u32,
            thetas: shape.thetas as u32,
            columns: shape.trend.columns(shape.dims) as u32,
            posteriors: shape.posteriors as u32,
            values: shape.values as u32,
            // Each branch has a kernel of its own.
            nodes: if branched { 0 } else { self.nodes },
            lists: if branched { 0 } else { self.lists },
            ..*self
        }
    }

    /// Where the sections of a block lie, those of its process and those of its fit; these are the limits in use.
    pub(super) const fn places<R: Real>(&self) -> (Places, GpPlaces, FitPlaces) {
        let places = Places::of::<R>(0, self);
        let process = GpPlaces::of::<R>(places.gp.start, self.size());
        let fit = FitPlaces::of::<R>(process.fit.start, self.size());
        (places, process, fit)
    }

    /// The words that a change reaches before the factor; what is kept beside the process is not among them.
    pub(super) fn changed<R: Real>(&self, places: &Places, change: Change) -> [Range<usize>; 11] {
        let process = GpPlaces::of::<R>(places.gp.start, self.size());
        let fit = FitPlaces::of::<R>(process.fit.start, self.size());
        let size = [self.trials as usize, self.dims as usize];
        let data = ObservationsPlaces::of::<R>(process.data.start, size);
        let trials = TrialsPlaces::of::<R>(places.trials.start, self);
        let dims = self.dims as usize;
        let word = |section: &Range<usize>, i: usize| section.start + i..section.start + i + 1;
        let (Change::Opened { slot } | Change::Closed { slot, .. }) = change;
        let slots = word(&trials.slots, slot);
        let each = self.outcomes as usize;
        let told = [&trials.outcomes, &trials.variances]
            .map(|section| scalar_range::<R>(section, slot * each, each));
        let [value, variance] = told;
        match change {
            Change::Opened { slot } => {
                let [unit, point] = [&trials.unit, &trials.point]
                    .map(|section| scalar_range::<R>(section, slot * dims, dims));
                let (header, sequence) = (place::FACTOR_SUM..HEADER, word(&trials.sequence, slot));
                [header, slots, sequence, value, variance, unit, point, 0..0, 0..0, 0..0, 0..0]
            }
            Change::Closed { row, .. } => [
                place::FACTOR_SUM..place::FACTOR_SUM + 1,
                slots,
                value,
                variance,
                word(&places.rows, row),
                data.count,
                scalar_range::<R>(&data.x, row * dims, dims),
                scalar_range::<R>(&data.y, row, 1),
                scalar_range::<R>(&data.known, row, 1),
                fit.state,
                // Rows of other blocks move in the index.
                fit.index,
            ],
        }
    }

    pub(super) const fn space_words(&self) -> usize {
        let (conditions, levels) = (self.conditions as usize, self.levels as usize);
        space::words(self.dims as usize, conditions, levels, self.terms as usize, self.names as usize)
    }

    pub(super) const fn size(&self) -> Size {
        Size {
            rows: self.trials as usize,
            exact: self.exact as usize,
            dims: self.dims as usize,
            thetas: self.thetas as usize,
            columns: self.columns as usize,
            batch: self.candidates as usize,
        }
    }
}

impl<'a, R: Real> Block<'a, R> {
    /// Cuts a block into its parts; the shape is within the limits.
    pub(super) fn carve(words: &'a mut [u64], limits: &Limits, shape: Shape) -> Result<Self, Error> {
        let dims = shape.dims;
        let needed = limits.words::<R>();
        Error::Memory { needed }.when(words.len() < needed)?;
        let mut arena = Arena::new(words);
        let sections = Sections::cut(&mut arena, &limits.used(shape))?;
        let Sections { header, config, space, nodes, lists, trials, rows, .. } = sections;
        let Sections { scale, unit, kept, portfolio, mut gp, search, .. } = sections;
        gp.set_trend(shape.trend);
        let config = Config::read(config)?;
        let domain = Domain::attach::<R>(space)?;
        let tape = Tape::attach(nodes, lists, dims)?;
        let thetas = tape.thetas() + config.surrogate.warp.thetas(dims);
        let posteriors = config.surrogate.hyper.posteriors() as usize;
        if domain.dims() != dims
            || (thetas, posteriors) != (shape.thetas, shape.posteriors)
            || config.surrogate.trend != shape.trend
        {
            return Err(Error::Corrupt);
        }
        let (candidates, starts) = (limits.candidates as usize, limits.starts as usize);
        let search = search::Memory::carve(&mut Arena::new(search), dims, candidates, starts)?;
        let (bench, desk) = ModelScratch::carve(&mut arena, limits)?;
        for (word, first) in bench.mask.iter_mut().zip((0..dims).step_by(64)) {
            let number = |k: &usize| domain.kind(*k) != Kind::Categorical;
            *word = (first..dims.min(first + 64)).filter(number).fold(0, |mask, k| mask | 1 << (k - first));
        }
        Ok(Self {
            limits: *limits,
            shape,
            header,
            config,
            domain,
            tape,
            trials,
            rows,
            scale,
            unit,
            kept,
            portfolio,
            gp,
            search,
            bench,
            desk,
        })
    }

    pub(super) fn generator(&self) -> Result<Generator, Error> {
        generator(self.header)
    }

    pub(super) fn set_generator(&mut self, generator: &Generator) {
        set_generator(self.header, generator);
    }

    pub(super) fn set_scale(&mut self, scale: &Scale<R>) {
        self.scale.copy_from_slice(&scale.to_scalars());
    }

    pub(super) fn scale(&self) -> Result<Scale<R>, Error> {
        scale(self.scale)
    }
}

/// The generator in a header.
pub(super) fn generator(header: &[u64]) -> Result<Generator, Error> {
    let mut words = [0; 4];
    words.copy_from_slice(&header[place::GENERATOR..place::GENERATOR + 4]);
    Generator::from_words(words).map_err(|_| Error::Corrupt)
}

pub(super) fn set_generator(header: &mut [u64], generator: &Generator) {
    header[place::GENERATOR..place::GENERATOR + 4].copy_from_slice(&generator.words());
}

/// The number of the next trial.
pub(super) fn next_sequence(header: &mut [u64]) -> u64 {
    header[place::SEQUENCE] += 1;
    header[place::SEQUENCE]
}

/// The scale of the targets in its section.
pub(super) fn scale<R: Real>(section: &[R]) -> Result<Scale<R>, Error> {
    let mut scalars = [R::ZERO; 6];
    scalars.copy_from_slice(section);
    Scale::from_scalars(scalars).ok_or(Error::Corrupt)
}

/// What becomes of one trial.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// A free slot gets one.
    Opened { slot: usize },
    /// The one in a slot gets its value and this row of the process.
    Closed { slot: usize, row: usize },
}

/// The sizes that are in use within the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Shape {
    pub(super) dims: usize,
    /// Hyperparameters of the kernel and of the warp.
    pub(super) thetas: usize,
    pub(super) trend: Trend,
    /// Fits at several hyperparameters.
    pub(super) posteriors: usize,
    /// Whether the covariance is that of the kernel alone, and nothing but the process keeps what is told.
    pub(super) direct: bool,
    /// Branches, each with an optimizer of its own; 0 for one model.
    pub(super) values: usize,
}

impl Shape {
    /// A model for each of so many branches.
    pub(super) const fn branched(dims: usize, values: usize) -> Self {
        Self { dims, thetas: 0, trend: Trend::Zero, posteriors: 0, direct: false, values }
    }

    /// Whether there is a model for each branch; never in a build without models.
    pub(super) const fn is_branched(self) -> bool {
        CHOICES && self.values > 0
    }
}
