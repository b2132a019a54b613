//! The memory of an optimizer: where everything lies.
//!
//! ```text
//! header · config · space · kernel · trials · rows · scale · kept · process (data, θ, fit) │ factor │ work
//!        └──────────────────── first checksum ──────────────────────────────────────────┘ └ second ┘
//! ```

use core::ops::Range;

use super::memory::{ModelScratch, Persistent, ScoreScratch};
use crate::block::Arena;
use crate::block::layout::{scalar_range, sections};
use crate::config::{self, Config};
use crate::error::Error;
use crate::gp::{FitPlaces, Gp, GpPlaces, Size};
use crate::kernel::{self, Tape};
use crate::limits::Limits;
use crate::real::Real;
use crate::rng::Generator;
use crate::search;
use crate::space::{self, Domain, Impute, Kind, is_active};
use crate::surrogate::ObservationsPlaces;
use crate::targets::Scale;
use crate::trend::Trend;
use crate::trial::{State, Trial, TrialId, slot};

/// Words of a mask over the most parameters that limits allow.
const MASK: usize = (1 << 12) / 64;

/// Places in the header, behind those of every block.
pub(super) mod place {
    pub(in super::super) const FACTOR_SUM: usize = 4;
    pub(in super::super) const LIMITS: usize = 5;
    pub(in super::super) const GENERATOR: usize = 32;
    pub(in super::super) const SEQUENCE: usize = 36;
    pub(in super::super) const DESIGNED: usize = 37;
    /// Observations when the hyperparameters were last trained, and last trained afresh.
    pub(in super::super) const TRAINED: usize = 38;
    pub(in super::super) const AFRESH: usize = 39;
    /// Degrees of freedom of a Student-t process, as ln(ν − 2).
    pub(in super::super) const FREEDOM: usize = 40;
    /// Who trained last: 0 nobody, or a block of before this was noted; 1 a look, 2 an ask.
    pub(in super::super) const TRAINER: usize = 41;
    /// If not 0, the scale of the targets is given, and this is the value of a failed trial; −0 stands for 0.
    pub(in super::super) const WORST: usize = 42;
    pub(in super::super) const POSTERIORS: usize = 43;
    pub(in super::super) const DIMS: usize = 44;
    pub(in super::super) const THETAS: usize = 45;
    pub(in super::super) const TREND: usize = 46;
    /// 1 if the covariance is that of the kernel alone, so that a told trial needs no configuration for its row.
    pub(in super::super) const DIRECT: usize = 47;
}
/// Words of the header.
pub(super) const HEADER: usize = 48;

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

sections! {
    (used: &Limits) {
        pub(super) slots: words[used.trials as usize],
        pub(super) sequence: words[used.trials as usize],
        // The outcomes of a trial one after the other, the objective first.
        outcomes: scalars[used.trials as usize * used.outcomes as usize],
        variances: scalars[used.trials as usize * used.outcomes as usize],
        pub(super) unit: scalars[used.trials as usize * used.dims as usize],
        pub(super) point: scalars[used.trials as usize * used.dims as usize],
    }
    => object {
        /// What is remembered of each trial, one array per property.
        pub(super) struct Trials {
            dims: usize = used.dims as usize,
            each: usize = used.outcomes as usize,
        }
    }
    => view {
        /// The trials of a block, for reading.
        pub(super) struct TrialsRead of Trials {
            dims: usize = used.dims as usize,
            each: usize = used.outcomes as usize,
        }
    }
    => places {
        /// Where the properties of the trials lie.
        pub(super) struct TrialsPlaces
    }
}

impl<R: Real> Trials<'_, R> {
    /// Fills a slot with a trial at the point whose coordinates are given in both units.
    pub(super) fn write(
        &mut self,
        slot: usize,
        state: State,
        sequence: u64,
        unit: &[R],
        point: &[R],
    ) -> TrialId {
        let generation = slot::generation(self.slots[slot]).wrapping_add(1);
        self.slots[slot] = slot::word(generation, Some(state));
        self.sequence[slot] = sequence;
        let outcomes = slot * self.each..(slot + 1) * self.each;
        self.outcomes[outcomes.clone()].fill(R::ZERO);
        self.variances[outcomes].fill(R::ZERO);
        self.unit[slot * self.dims..(slot + 1) * self.dims].copy_from_slice(unit);
        self.point[slot * self.dims..(slot + 1) * self.dims].copy_from_slice(point);
        TrialId::new(slot, generation)
    }

    /// Gives a trial its value.
    pub(super) fn close(&mut self, slot: usize, state: State, value: R, variance: R) {
        self.outcomes[slot * self.each] = value;
        self.variances[slot * self.each] = variance;
        self.set_state(slot, Some(state));
    }

    /// Changes what has become of a trial.
    pub(super) fn set_state(&mut self, slot: usize, state: Option<State>) {
        self.slots[slot] = slot::word(slot::generation(self.slots[slot]), state);
    }
}

impl<'a, R: Real> TrialsRead<'a, R> {
    pub(super) fn state(&self, slot: usize) -> Option<State> {
        slot::state(self.slots[slot])
    }

    pub(super) fn id(&self, slot: usize) -> TrialId {
        TrialId::new(slot, slot::generation(self.slots[slot]))
    }

    /// The outcomes of a trial, the objective first.
    pub(super) fn outcomes(&self, slot: usize) -> &'a [R] {
        &self.outcomes[slot * self.each..(slot + 1) * self.each]
    }

    /// The variances that were told with them.
    pub(super) fn variances(&self, slot: usize) -> &'a [R] {
        &self.variances[slot * self.each..(slot + 1) * self.each]
    }

    /// The objective.
    pub(super) fn value(&self, slot: usize) -> R {
        self.outcomes[slot * self.each]
    }

    /// The variance of the objective.
    pub(super) fn variance(&self, slot: usize) -> R {
        self.variances[slot * self.each]
    }

    /// The objectives of all slots, which are all outcomes while there is one of each trial.
    pub(super) fn values(&self) -> &'a [R] {
        self.outcomes
    }

    pub(super) fn unit(&self, slot: usize) -> &'a [R] {
        &self.unit[slot * self.dims..(slot + 1) * self.dims]
    }

    pub(super) fn point(&self, slot: usize) -> &'a [R] {
        &self.point[slot * self.dims..(slot + 1) * self.dims]
    }

    /// The points of all slots in the unit cube, slot after slot.
    pub(super) fn units(&self) -> &'a [R] {
        self.unit
    }

    /// Slots of the lowest told values, the lowest first.
    pub(super) fn lowest(&self) -> heapless::Vec<usize, { search::ANCHORS }> {
        search::lowest_of(self.slots.len(), |slot| {
            if self.state(slot) == Some(State::Done) { self.value(slot) } else { R::NAN }
        })
    }

    /// Slots in a given state, or free ones.
    pub(super) fn in_state(&self, state: Option<State>) -> impl Iterator<Item = usize> + use<'a, R> {
        let slots = self.slots;
        (0..slots.len()).filter(move |&s| slot::state(slots[s]) == state)
    }

    /// The slot that an id names.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] if it names none any more.
    pub(super) fn slot_of(&self, id: TrialId) -> Result<usize, Error> {
        match self.slots.get(id.slot()) {
            Some(&word) if slot::state(word).is_some() && slot::generation(word) == id.generation() => {
                Ok(id.slot())
            }
            _ => Err(Error::StaleTrial),
        }
    }

    /// The trial in a slot.
    pub(super) fn trial(&self, slot: usize) -> Option<Trial<'a, R>> {
        let state = self.state(slot)?;
        let value = if state == State::Done { self.value(slot) } else { R::NAN };
        let (point, variance, sequence) = (self.point(slot), self.variance(slot), self.sequence[slot]);
        Some(Trial { id: self.id(slot), state, point, value, variance, sequence })
    }

    /// The told trial of lowest value, the earliest of equals.
    pub(super) fn best(&self) -> Option<usize> {
        let earlier = |a: usize, b: usize| {
            self.value(a) < self.value(b)
                || self.value(a) == self.value(b) && self.sequence[a] < self.sequence[b]
        };
        self.in_state(Some(State::Done)).reduce(|a, b| if earlier(b, a) { b } else { a })
    }

    /// Whether a point of the unit cube may not be proposed: it is forbidden or, unless it may be repeated, remembered.
    pub(super) fn takes(&self, domain: Domain<'_>, repeats: bool, unit: &[R]) -> bool {
        !domain.allows(unit) || (!repeats && self.contains(domain, unit))
    }

    /// Whether a point of the unit cube belongs to a remembered trial; reals count as equal within rounding, unless each of
    /// their values has one coordinate.
    pub(super) fn contains(&self, domain: Domain<'_>, unit: &[R]) -> bool {
        let close = R::EPSILON * R::of(64.0);
        // What does not matter is equal where the rest is, unless it is scattered by the last bit of the rest.
        let mut active = [u64::MAX; MASK];
        if domain.impute() == Impute::Scatter {
            domain.active(unit, &mut active);
        }
        (0..self.slots.len()).any(|s| {
            let mut pairs = self.unit(s).iter().zip(unit).enumerate();
            let same =
                |i: usize, a: R, b: R| a == b || (a - b).abs() <= close && domain.values::<R>(i).is_none();
            self.state(s).is_some() && pairs.all(|(i, (&a, &b))| same(i, a, b) || !is_active(&active, i))
        })
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
        Sections::<R>::section_words(self) + self.bench_words::<R>()
    }

    /// The limits by which the sections are laid out: what is in use of these.
    pub(super) const fn used(&self, shape: Shape) -> Self {
        Self {
            dims: shape.dims as u32,
            thetas: shape.thetas as u32,
            columns: shape.trend.columns(shape.dims) as u32,
            posteriors: shape.posteriors as u32,
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
        space::words(self.dims as usize, conditions, levels, self.terms as usize)
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
        if words.len() < needed {
            return Err(Error::Memory { needed });
        }
        let mut arena = Arena::new(words);
        let sections = Sections::cut(&mut arena, &limits.used(shape))?;
        let Sections { header, config, space, nodes, lists, trials, rows, .. } = sections;
        let Sections { scale, unit, kept, portfolio, mut gp, search, .. } = sections;
        gp.set_trend(shape.trend);
        let config = Config::read(config)?;
        let domain = Domain::attach::<R>(space)?;
        let tape = Tape::attach(nodes, lists, dims)?;
        let thetas = tape.thetas() + config.warp.thetas(dims);
        let posteriors = config.treatment.posteriors() as usize;
        if domain.dims() != dims
            || (thetas, posteriors) != (shape.thetas, shape.posteriors)
            || config.trend != shape.trend
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

    pub(super) fn generator_words(&self) -> [u64; 4] {
        let mut words = [0; 4];
        words.copy_from_slice(&self.header[place::GENERATOR..place::GENERATOR + 4]);
        words
    }

    pub(super) fn generator(&self) -> Result<Generator, Error> {
        Generator::from_words(self.generator_words()).map_err(|_| Error::Corrupt)
    }

    pub(super) fn set_generator(&mut self, generator: &Generator) {
        self.header[place::GENERATOR..place::GENERATOR + 4].copy_from_slice(&generator.words());
    }

    pub(super) fn set_scale(&mut self, scale: &Scale<R>) {
        self.scale.copy_from_slice(&scale.to_scalars());
    }

    pub(super) fn scale(&self) -> Result<Scale<R>, Error> {
        let mut scalars = [R::ZERO; 6];
        scalars.copy_from_slice(self.scale);
        Scale::from_scalars(scalars).ok_or(Error::Corrupt)
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) dims: usize,
    /// Hyperparameters of the kernel and of the warp.
    pub(super) thetas: usize,
    pub(super) trend: Trend,
    /// Fits at several hyperparameters.
    pub(super) posteriors: usize,
    /// Whether the covariance is that of the kernel alone, and nothing but the process keeps what is told.
    pub(super) direct: bool,
}
