//! The memory of an optimizer: where everything lies.
//!
//! ```text
//! header · config · space · kernel · trials · rows · scale · kept · process (data, θ, trend) │ factor │ work
//!        └──────────────────── first checksum ────────────────────────────────────────────┘ └ second ┘
//! ```

use core::ops::Range;

use super::room::{Bench, Desk, Kept};
use crate::arena::{Arena, Reader, scalar_range, scalar_words};
use crate::config::{self, Config};
use crate::error::Error;
use crate::gp::{Gp, Size, transform::Scale};
use crate::kernel::{self, Tape};
use crate::limits::Limits;
use crate::real::Real;
use crate::rng::Generator;
use crate::search;
use crate::space::{self, Domain, Impute, Kind, is_active};
use crate::trend::Trend;
use crate::trial::{State, Trial, TrialId, slot};

/// Words of a mask over the most parameters that limits allow.
const MASK: usize = (1 << 12) / 64;
/// Marks a block of this library: "infill" and two bytes that change with the layout.
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"infill\x00\x04");

/// Places in the header.
pub(super) mod place {
    pub(in super::super) const MAGIC: usize = 0;
    pub(in super::super) const SCALAR: usize = 1;
    pub(in super::super) const WORDS: usize = 2;
    pub(in super::super) const STATE_SUM: usize = 3;
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
    pub(super) kept: Kept<'a, R>,
    /// Gains and nominees of a portfolio.
    pub(super) portfolio: &'a mut [R],
    pub(super) gp: Gp<'a, R>,
    pub(super) search: search::Memory<'a, R>,
    pub(super) bench: Bench<'a, R>,
    pub(super) desk: Desk<'a, R>,
}

/// The words that are written once, when an optimizer is made.
#[derive(Debug)]
pub(super) struct Front<'a> {
    pub(super) config: &'a mut [u64],
    pub(super) domain: &'a mut [u64],
    pub(super) nodes: &'a mut [u64],
    pub(super) lists: &'a mut [u64],
}

impl<'a> Front<'a> {
    /// The front of a block, behind its header.
    pub(super) fn of(words: &'a mut [u64], limits: &Limits) -> Result<Self, Error> {
        let mut arena = Arena::new(words);
        arena.words(HEADER)?;
        Self::carve(&mut arena, limits)
    }

    fn carve(arena: &mut Arena<'a>, limits: &Limits) -> Result<Self, Error> {
        Ok(Self {
            config: arena.words(config::WORDS)?,
            domain: arena.words(limits.space_words())?,
            nodes: arena.words(kernel::words(limits.nodes as usize, 0))?,
            lists: arena.words(kernel::words(0, limits.lists as usize))?,
        })
    }
}

/// What is remembered of each trial, one array per property.
#[derive(Debug)]
pub(super) struct Trials<'a, R> {
    pub(super) slots: &'a mut [u64],
    pub(super) sequence: &'a mut [u64],
    pub(super) value: &'a mut [R],
    pub(super) variance: &'a mut [R],
    pub(super) unit: &'a mut [R],
    pub(super) point: &'a mut [R],
    dims: usize,
}

impl<R: Real> Trials<'_, R> {
    /// The same, for reading.
    pub(super) fn read(&self) -> TrialsRead<'_, R> {
        TrialsRead {
            slots: self.slots,
            sequence: self.sequence,
            value: self.value,
            variance: self.variance,
            unit: self.unit,
            point: self.point,
            dims: self.dims,
        }
    }

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
        self.value[slot] = R::ZERO;
        self.variance[slot] = R::ZERO;
        self.unit[slot * self.dims..(slot + 1) * self.dims].copy_from_slice(unit);
        self.point[slot * self.dims..(slot + 1) * self.dims].copy_from_slice(point);
        TrialId::new(slot, generation)
    }

    /// Changes what has become of a trial.
    pub(super) fn set_state(&mut self, slot: usize, state: Option<State>) {
        self.slots[slot] = slot::word(slot::generation(self.slots[slot]), state);
    }
}

/// The trials of a block, for reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialsRead<'a, R> {
    pub(super) slots: &'a [u64],
    pub(super) sequence: &'a [u64],
    pub(super) value: &'a [R],
    pub(super) variance: &'a [R],
    unit: &'a [R],
    point: &'a [R],
    dims: usize,
}

impl<'a, R: Real> TrialsRead<'a, R> {
    /// The trials of a block that was attached.
    pub(super) fn of(words: &'a [u64], limits: &Limits, dims: usize) -> Self {
        let trials = limits.trials as usize;
        let all = limits.dims as usize * trials;
        let mut reader = Reader::new(words);
        reader.words(limits.before_trials());
        let slots = reader.words(trials);
        let sequence = reader.words(trials);
        let (value, variance) = (reader.scalars(trials), reader.scalars(trials));
        let (unit, point) = (reader.scalars(all), reader.scalars(all));
        Self { slots, sequence, value, variance, unit, point, dims }
    }

    pub(super) fn state(&self, slot: usize) -> Option<State> {
        slot::state(self.slots[slot])
    }

    pub(super) fn id(&self, slot: usize) -> TrialId {
        TrialId::new(slot, slot::generation(self.slots[slot]))
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
        search::lowest_of(self.slots.len(), |slot| match self.state(slot) {
            Some(State::Done) => self.value[slot],
            _ => R::NAN,
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
        let value = if state == State::Done { self.value[slot] } else { R::NAN };
        let (point, variance, sequence) = (self.point(slot), self.variance[slot], self.sequence[slot]);
        Some(Trial { id: self.id(slot), state, point, value, variance, sequence })
    }

    /// The told trial of lowest value, the earliest of equals.
    pub(super) fn best(&self) -> Option<usize> {
        let earlier = |a: usize, b: usize| {
            self.value[a] < self.value[b]
                || self.value[a] == self.value[b] && self.sequence[a] < self.sequence[b]
        };
        self.in_state(Some(State::Done)).reduce(|a, b| if earlier(b, a) { b } else { a })
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
        self.before_process::<R>()
            + self.size().words::<R>()
            + self.search_words::<R>()
            + self.bench_words::<R>()
    }

    pub(super) const fn before_process<R: Real>(&self) -> usize {
        self.before_unit::<R>() + scalar_words::<R>(self.dims as usize) + self.kept_words::<R>()
    }

    /// Words before the point in the making.
    pub(super) const fn before_unit<R: Real>(&self) -> usize {
        let (dims, trials) = (self.dims as usize, self.trials as usize);
        self.before_trials()
            + 2 * trials
            + 2 * scalar_words::<R>(trials)
            + 2 * scalar_words::<R>(trials * dims)
            + trials
            + scalar_words::<R>(6)
    }

    /// Words in use and words of room of each part that lasts, in the order in which they lie behind the header.
    pub(super) fn parts<R: Real>(&self, shape: Shape) -> impl Iterator<Item = (usize, usize)> + use<R> {
        let (dims, trials) = (self.dims as usize, self.trials as usize);
        let (each, all) = (scalar_words::<R>(trials), scalar_words::<R>(trials * dims));
        let front = [
            config::WORDS,
            self.space_words(),
            kernel::words(self.nodes as usize, 0),
            kernel::words(0, self.lists as usize),
        ];
        let trials =
            [trials, trials, each, each, all, all, trials, scalar_words::<R>(6), scalar_words::<R>(dims)];
        let both = |part: usize| (part, part);
        let process = self.size_in_use(shape).parts::<R>().map(both);
        front.into_iter().chain(trials).map(both).chain(self.kept_parts::<R>(shape)).chain(process)
    }

    /// The words that a change reaches before the factor, in the order in which they lie; the point in the making and what
    /// is kept beside the process are not among them.
    pub(super) fn changed<R: Real>(
        &self,
        shape: Shape,
        change: Change,
    ) -> impl Iterator<Item = Range<usize>> + use<R> {
        let (dims, trials) = (self.dims as usize, self.trials as usize);
        let (Change::Opened { slot } | Change::Closed { slot, .. }) = change;
        let each = scalar_words::<R>(trials);
        let slots = self.before_trials();
        let value = slots + 2 * trials;
        let unit = value + 2 * each;
        let point = unit + scalar_words::<R>(trials * dims);
        let one = |first: usize, i: usize| first + i..first + i + 1;
        let scalars = |first: usize, count: usize| scalar_range::<R>(first, slot * count..(slot + 1) * count);
        let trial = [0..HEADER, one(slots, slot), one(slots + trials, slot)];
        let told = [scalars(value, 1), scalars(value + each, 1)];
        let (points, row) = match change {
            Change::Opened { .. } => ([scalars(unit, shape.dims), scalars(point, shape.dims)], None),
            Change::Closed { row, .. } => ([0..0, 0..0], Some(row)),
        };
        let rows = point + scalar_words::<R>(trials * dims);
        let (process, size) = (self.before_process::<R>(), self.size_in_use(shape));
        let row = row.into_iter().flat_map(move |row| {
            let process = size.told::<R>(row).map(|r| process + r.start..process + r.end);
            [one(rows, row)].into_iter().chain(process)
        });
        trial.into_iter().chain(told).chain(points).chain(row)
    }

    /// The row that the next closed trial gets.
    pub(super) fn next_row<R: Real>(&self, words: &[u64]) -> usize {
        (words[self.before_process::<R>()] as usize).min(self.trials as usize)
    }

    pub(super) const fn space_words(&self) -> usize {
        let (conditions, levels) = (self.conditions as usize, self.levels as usize);
        space::words(self.dims as usize, conditions, levels, self.terms as usize)
    }

    const fn before_trials(&self) -> usize {
        HEADER + config::WORDS + self.space_words() + kernel::words(self.nodes as usize, self.lists as usize)
    }

    const fn search_words<R: Real>(&self) -> usize {
        search::words::<R>(self.dims as usize, self.candidates as usize, self.starts as usize)
    }

    /// The process in use; it takes no more than that of the limits.
    pub(super) const fn size_in_use(&self, shape: Shape) -> Size {
        let columns = shape.trend.columns(shape.dims);
        Size { dims: shape.dims, thetas: shape.thetas, columns, ..self.size() }
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
        let trials = limits.trials as usize;
        let mut arena = Arena::new(words);
        let header = arena.words(HEADER)?;
        let Front { config, domain, nodes, lists } = Front::carve(&mut arena, limits)?;
        let config = Config::read(config)?;
        let domain = Domain::attach::<R>(domain)?;
        let tape = Tape::attach(nodes, lists, dims)?;
        let thetas = tape.thetas() + config.warp.thetas(dims);
        let posteriors = config.treatment.posteriors() as usize;
        if domain.dims() != dims
            || (thetas, posteriors) != (shape.thetas, shape.posteriors)
            || config.trend != shape.trend
        {
            return Err(Error::Corrupt);
        }
        let all = limits.dims as usize * trials;
        let trials = Trials {
            slots: arena.words(trials)?,
            sequence: arena.words(trials)?,
            value: arena.scalars(trials)?,
            variance: arena.scalars(trials)?,
            unit: &mut arena.scalars(all)?[..dims * trials],
            point: &mut arena.scalars(all)?[..dims * trials],
            dims,
        };
        let rows = arena.words(limits.trials as usize)?;
        let scale = arena.scalars(6)?;
        let unit = &mut arena.scalars(limits.dims as usize)?[..dims];
        let (kept, portfolio) = Kept::carve(&mut arena, limits, shape)?;
        let mut process = Arena::new(arena.words(limits.size().words::<R>())?);
        let gp = Gp::carve(&mut process, shape.trend, limits.size_in_use(shape))?;
        let search =
            search::Memory::carve(&mut arena, dims, limits.candidates as usize, limits.starts as usize)?;
        let (bench, desk) = Bench::carve(&mut arena, limits)?;
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
}
