//! The memory of an optimizer: where everything lies, how it is sealed, how it is checked.
//!
//! ```text
//! header · config · space · kernel · trials · rows · scale · process (data, θ, trend) │ factor │ work
//!        └──────────────────── first checksum ─────────────────────────────────────┘ └ second ┘
//! ```
//!
//! The second checksum is a sum over rows, so that telling a value adds one row to it and reads no other.

use crate::arena::{Arena, Reader, scalar_words};
use crate::config::{self, Config};
use crate::error::Error;
use crate::gp::{Gp, Size, transform::Scale};
use crate::kernel::{self, Tape};
use crate::limits::Limits;
use crate::linalg::packed;
use crate::real::Real;
use crate::rng::Generator;
use crate::search;
use crate::space::{self, Domain};
use crate::trend::Trend;
use crate::trial::{State, Trial, TrialId, slot};

/// Marks a block of this library: "infill" and two bytes that change with the layout.
const MAGIC: u64 = u64::from_le_bytes(*b"infill\x00\x01");

/// Places in the header.
pub(super) mod place {
    pub(in super::super) const MAGIC: usize = 0;
    pub(in super::super) const SCALAR: usize = 1;
    pub(in super::super) const WORDS: usize = 2;
    pub(in super::super) const STATE_SUM: usize = 3;
    pub(in super::super) const FACTOR_SUM: usize = 4;
    pub(in super::super) const LIMITS: usize = 5;
    pub(in super::super) const GENERATOR: usize = 16;
    pub(in super::super) const SEQUENCE: usize = 20;
    pub(in super::super) const DESIGNED: usize = 21;
    /// Observations when the hyperparameters were last trained, and last trained afresh.
    pub(in super::super) const TRAINED: usize = 22;
    pub(in super::super) const AFRESH: usize = 23;
    pub(in super::super) const DIMS: usize = 24;
    pub(in super::super) const THETAS: usize = 25;
    pub(in super::super) const TREND: usize = 26;
}
/// Words of the header.
const HEADER: usize = 32;

/// The parts of a block, as slices that do not overlap.
#[derive(Debug)]
pub(super) struct Block<'a, R> {
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
    pub(super) gp: Gp<'a, R>,
    pub(super) search: search::Memory<'a, R>,
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
        let domain = space::words(limits.dims as usize, limits.conditions as usize, limits.levels as usize);
        Ok(Self {
            config: arena.words(config::WORDS)?,
            domain: arena.words(domain)?,
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

    /// Whether a point of the unit cube belongs to a remembered trial; reals count as equal within rounding.
    pub(super) fn contains(&self, unit: &[R]) -> bool {
        let close = R::EPSILON * R::of(64.0);
        (0..self.slots.len()).any(|s| {
            self.state(s).is_some() && self.unit(s).iter().zip(unit).all(|(&a, &b)| (a - b).abs() <= close)
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
        self.before_process::<R>() + self.size().words::<R>() + self.search_words::<R>()
    }

    const fn before_process<R: Real>(&self) -> usize {
        let (dims, trials) = (self.dims as usize, self.trials as usize);
        self.before_trials()
            + 2 * trials
            + 2 * scalar_words::<R>(trials)
            + 2 * scalar_words::<R>(trials * dims)
            + trials
            + scalar_words::<R>(6)
            + scalar_words::<R>(dims)
    }

    const fn before_trials(&self) -> usize {
        HEADER
            + config::WORDS
            + space::words(self.dims as usize, self.conditions as usize, self.levels as usize)
            + kernel::words(self.nodes as usize, self.lists as usize)
    }

    const fn search_words<R: Real>(&self) -> usize {
        search::words::<R>(self.dims as usize, self.candidates as usize, self.starts as usize)
    }

    /// The process in use; it takes no more than that of the limits.
    const fn size_in_use(&self, shape: Shape) -> Size {
        let columns = shape.trend.columns(shape.dims);
        Size { dims: shape.dims, thetas: shape.thetas, columns, ..self.size() }
    }

    const fn size(&self) -> Size {
        Size {
            rows: self.trials as usize,
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
        if domain.dims() != dims || tape.thetas() != shape.thetas || config.trend != shape.trend {
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
        let mut process = Arena::new(arena.words(limits.size().words::<R>())?);
        let gp = Gp::carve(&mut process, shape.trend, limits.size_in_use(shape))?;
        let search =
            search::Memory::carve(&mut arena, dims, limits.candidates as usize, limits.starts as usize)?;
        Ok(Self { header, config, domain, tape, trials, rows, scale, unit, gp, search })
    }

    fn generator_words(&self) -> [u64; 4] {
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

/// A word mixed into a sum; the order of the words counts.
const fn mix(sum: u64, word: u64) -> u64 {
    let x = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

impl<R: Real> Block<'_, R> {
    /// The sum of a row of the factor.
    fn row_sum(&self, row: usize) -> u64 {
        let entries = &self.gp.factor()[packed(row)..packed(row) + row + 1];
        entries.iter().fold(row as u64 + 1, |sum, &v| mix(sum, v.to_f64().to_bits()))
    }

    /// The sum over all rows of the factor.
    pub(super) fn factor_sum(&self) -> u64 {
        (0..self.gp.factored()).fold(0, |sum: u64, row| sum.wrapping_add(self.row_sum(row)))
    }

    /// Takes note that the factor was built anew or lost a row.
    pub(super) fn note_factor(&mut self) {
        self.header[place::FACTOR_SUM] = self.factor_sum();
    }

    /// Takes note of one more row of the factor.
    pub(super) fn note_row(&mut self) {
        let row = self.gp.factored().saturating_sub(1);
        self.header[place::FACTOR_SUM] = self.header[place::FACTOR_SUM].wrapping_add(self.row_sum(row));
    }
}

/// Where the first checksum ends: at the factor of the process in use.
fn state_end<R: Real>(limits: &Limits, shape: Shape) -> usize {
    limits.before_process::<R>() + limits.size_in_use(shape).data_words::<R>()
}

/// Clears the point in the making, so that a refused call leaves no trace, and writes the checksum of the state.
pub(super) fn seal<R: Real>(words: &mut [u64], limits: &Limits, shape: Shape) {
    let process = limits.before_process::<R>();
    words[process - scalar_words::<R>(limits.dims as usize)..process].fill(0);
    words[place::STATE_SUM] = state_sum(&words[..state_end::<R>(limits, shape)]);
}

fn state_sum(words: &[u64]) -> u64 {
    words[place::FACTOR_SUM..].iter().fold(MAGIC, |sum, &w| mix(sum, w))
}

/// Writes the words by which a block is recognised.
pub(super) fn sign<R: Real>(header: &mut [u64], limits: &Limits, shape: Shape) {
    header.fill(0);
    header[place::MAGIC] = MAGIC;
    header[place::SCALAR] = R::BYTES as u64;
    header[place::WORDS] = limits.words::<R>() as u64;
    let limits = limits.to_words();
    header[place::LIMITS..place::LIMITS + limits.len()].copy_from_slice(&limits);
    header[place::DIMS] = shape.dims as u64;
    header[place::THETAS] = shape.thetas as u64;
    header[place::TREND] = shape.trend.code();
}

/// Limits and shape of a block that another optimizer left, after every check that later code relies on.
///
/// # Errors
/// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version, byte order or scalar,
/// [`Error::Corrupt`] for anything else that no optimizer leaves.
pub(super) fn inspect<R: Real>(words: &mut [u64]) -> Result<(Limits, Shape), Error> {
    if words.len() < HEADER {
        return Err(Error::Memory { needed: HEADER });
    }
    if words[place::MAGIC] != MAGIC || words[place::SCALAR] != R::BYTES as u64 {
        return Err(Error::Foreign);
    }
    let limits = Limits::from_words(&words[place::LIMITS..]).ok_or(Error::Corrupt)?;
    if !limits.is_valid() {
        return Err(Error::Corrupt);
    }
    let needed = limits.words::<R>();
    if words[place::WORDS] != needed as u64 {
        return Err(Error::Corrupt);
    }
    if words.len() < needed {
        return Err(Error::Memory { needed });
    }
    let small = |i: usize, most: u32| {
        if words[i] <= u64::from(most) { Ok(words[i] as usize) } else { Err(Error::Corrupt) }
    };
    let shape = Shape {
        dims: small(place::DIMS, limits.dims)?,
        thetas: small(place::THETAS, limits.thetas)?,
        trend: Trend::from_code(words[place::TREND]).ok_or(Error::Corrupt)?,
    };
    if shape.dims == 0 || shape.trend.columns(shape.dims) > limits.columns as usize {
        return Err(Error::Corrupt);
    }
    if state_sum(&words[..state_end::<R>(&limits, shape)]) != words[place::STATE_SUM] {
        return Err(Error::Corrupt);
    }
    let block = Block::<R>::carve(words, &limits, shape).map_err(|_| Error::Corrupt)?;
    if block.is_sound(&limits) { Ok((limits, shape)) } else { Err(Error::Corrupt) }
}

impl<R: Real> Block<'_, R> {
    /// Whether everything that later code trusts is in range.
    fn is_sound(&self, limits: &Limits) -> bool {
        Generator::from_words(self.generator_words()).is_ok()
            && self.header[place::SEQUENCE] < u64::MAX / 2
            && self.header[place::DESIGNED] <= u64::from(u32::MAX / 2)
            && self.header[place::TRAINED] <= u64::from(limits.trials)
            && self.header[place::AFRESH] <= u64::from(limits.trials)
            && self.scale().is_ok()
            && self.gp.is_sound()
            && self.factor_sum() == self.header[place::FACTOR_SUM]
            && self.trials_are_sound()
            && self.rows_are_sound(self.gp.rows())
    }

    fn trials_are_sound(&self) -> bool {
        let domain = self.domain;
        let trials = self.trials.read();
        (0..trials.slots.len()).all(|s| {
            let word = trials.slots[s];
            slot::is_valid(word)
                && (slot::state(word).is_none()
                    || trials.value[s].is_finite()
                        && trials.variance[s].is_finite()
                        && trials.variance[s] >= R::ZERO
                        && domain.is_snapped(trials.unit(s))
                        && domain.contains(trials.point(s)))
        })
    }

    /// Every row belongs to a closed trial, every closed trial to one row.
    fn rows_are_sound(&self, rows: usize) -> bool {
        let trials = self.trials.read();
        let closed = |s: usize| matches!(trials.state(s), Some(State::Done | State::Failed));
        let named = self.rows[..rows]
            .iter()
            .all(|&s| usize::try_from(s).is_ok_and(|s| s < trials.slots.len() && closed(s)));
        let distinct = (1..rows).all(|i| !self.rows[..i].contains(&self.rows[i]));
        named && distinct && (0..trials.slots.len()).filter(|&s| closed(s)).count() == rows
    }
}

/// The sizes that are in use within the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) dims: usize,
    pub(super) thetas: usize,
    pub(super) trend: Trend,
}

/// Copies the state of a block into one with larger limits; the target holds zeros.
///
/// # Errors
/// [`Error::Memory`] if a block is smaller than its limits say.
pub(super) fn copy<R: Real>(
    from: &mut [u64],
    limits: &Limits,
    to: &mut [u64],
    larger: &Limits,
    shape: Shape,
) -> Result<(), Error> {
    let (old, new) = (Front::of(from, limits)?, Front::of(to, larger)?);
    for (old, new) in
        [(old.config, new.config), (old.domain, new.domain), (old.nodes, new.nodes), (old.lists, new.lists)]
    {
        new[..old.len()].copy_from_slice(old);
    }
    sign::<R>(&mut to[..HEADER], larger, shape);
    let old = Block::<R>::carve(from, limits, shape)?;
    let mut new = Block::<R>::carve(to, larger, shape)?;
    let counters = place::GENERATOR..place::DIMS;
    new.header[counters.clone()].copy_from_slice(&old.header[counters]);
    new.header[place::FACTOR_SUM] = old.header[place::FACTOR_SUM];
    let (a, b) = (old.trials, new.trials);
    prefix(a.slots, b.slots);
    prefix(a.sequence, b.sequence);
    prefix(a.value, b.value);
    prefix(a.variance, b.variance);
    prefix(a.unit, b.unit);
    prefix(a.point, b.point);
    prefix(old.rows, new.rows);
    prefix(old.scale, new.scale);
    prefix(old.unit, new.unit);
    new.gp.copy_from(&old.gp);
    Ok(())
}

fn prefix<T: Copy>(from: &[T], to: &mut [T]) {
    to[..from.len()].copy_from_slice(from);
}
