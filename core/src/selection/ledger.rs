//! The trials of all branches in one list, in the units of the whole space.

use crate::block::{Arena, Reader, scalar_words};
use crate::error::Error;
use crate::real::Real;
use crate::trial::{State, Trial, TrialId, slot};

/// Words of a ledger of so many trials.
pub(super) const fn words<R: Real>(dims: usize, trials: usize) -> usize {
    4 * trials + 2 * scalar_words::<R>(trials) + scalar_words::<R>(trials * dims)
}

/// What is remembered of each trial, one array per property.
#[derive(Debug)]
pub(super) struct Ledger<'a, R> {
    slots: &'a mut [u64],
    sequence: &'a mut [u64],
    branch: &'a mut [u64],
    /// Its name in the optimizer of its branch.
    inner: &'a mut [u64],
    value: &'a mut [R],
    variance: &'a mut [R],
    point: &'a mut [R],
    dims: usize,
}

impl<'a, R: Real> Ledger<'a, R> {
    pub(super) fn carve(
        arena: &mut Arena<'a>,
        most: usize,
        trials: usize,
        dims: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            slots: arena.words(trials)?,
            sequence: arena.words(trials)?,
            branch: arena.words(trials)?,
            inner: arena.words(trials)?,
            value: arena.scalars(trials)?,
            variance: arena.scalars(trials)?,
            point: &mut arena.scalars(trials * most)?[..trials * dims],
            dims,
        })
    }

    /// The same, for reading.
    pub(super) fn read(&self) -> LedgerRead<'_, R> {
        LedgerRead {
            slots: self.slots,
            sequence: self.sequence,
            branch: self.branch,
            inner: self.inner,
            value: self.value,
            variance: self.variance,
            point: self.point,
            dims: self.dims,
        }
    }

    /// Writes a trial to a slot.
    pub(super) fn write(&mut self, slot: usize, entry: Entry, point: &[R]) -> TrialId {
        let generation = slot::generation(self.slots[slot]).wrapping_add(1);
        self.slots[slot] = slot::word(generation, Some(entry.state));
        self.sequence[slot] = entry.sequence;
        self.branch[slot] = entry.branch as u64;
        self.inner[slot] = entry.inner;
        self.value[slot] = R::ZERO;
        self.variance[slot] = R::ZERO;
        self.point[slot * self.dims..(slot + 1) * self.dims].copy_from_slice(point);
        TrialId::new(slot, generation)
    }

    /// Changes what has become of a trial.
    pub(super) fn set(&mut self, slot: usize, state: Option<State>, value: R, variance: R) {
        self.slots[slot] = slot::word(slot::generation(self.slots[slot]), state);
        self.value[slot] = value;
        self.variance[slot] = variance;
    }

    /// Opens a queued trial.
    pub(super) fn open(&mut self, slot: usize, inner: u64) {
        self.inner[slot] = inner;
        self.set(slot, Some(State::Open), R::ZERO, R::ZERO);
    }
}

/// A new trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) state: State,
    pub(super) sequence: u64,
    pub(super) branch: usize,
    pub(super) inner: u64,
}

/// A ledger, for reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct LedgerRead<'a, R> {
    slots: &'a [u64],
    sequence: &'a [u64],
    branch: &'a [u64],
    inner: &'a [u64],
    value: &'a [R],
    variance: &'a [R],
    point: &'a [R],
    dims: usize,
}

impl<'a, R: Real> LedgerRead<'a, R> {
    /// The ledger in words that were attached, behind those before it.
    pub(super) fn of(words: &'a [u64], before: usize, trials: usize, dims: usize) -> Self {
        let mut reader = Reader::new(words);
        reader.words(before);
        let [slots, sequence, branch, inner] = core::array::from_fn(|_| reader.words(trials));
        let (value, variance) = (reader.scalars(trials), reader.scalars(trials));
        Self { slots, sequence, branch, inner, value, variance, point: reader.scalars(trials * dims), dims }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn word(&self, slot: usize) -> u64 {
        self.slots[slot]
    }

    pub(super) fn state(&self, slot: usize) -> Option<State> {
        slot::state(self.slots[slot])
    }

    pub(super) fn id(&self, slot: usize) -> TrialId {
        TrialId::new(slot, slot::generation(self.slots[slot]))
    }

    pub(super) fn branch(&self, slot: usize) -> usize {
        self.branch[slot] as usize
    }

    pub(super) fn inner(&self, slot: usize) -> TrialId {
        TrialId::from_bits(self.inner[slot])
    }

    pub(super) fn value(&self, slot: usize) -> R {
        self.value[slot]
    }

    pub(super) fn variance(&self, slot: usize) -> R {
        self.variance[slot]
    }

    pub(super) fn point(&self, slot: usize) -> &'a [R] {
        &self.point[slot * self.dims..(slot + 1) * self.dims]
    }

    pub(super) fn sequence(&self, slot: usize) -> u64 {
        self.sequence[slot]
    }

    /// Slots in a given state, or free ones.
    pub(super) fn in_state(&self, state: Option<State>) -> impl Iterator<Item = usize> + Clone + use<'a, R> {
        let slots = self.slots;
        (0..slots.len()).filter(move |&s| slot::state(slots[s]) == state)
    }

    /// Trials of a branch that were asked for or told.
    pub(super) fn of_branch(&self, branch: usize) -> usize {
        (0..self.len())
            .filter(|&s| self.branch(s) == branch && !matches!(self.state(s), None | Some(State::Queued)))
            .count()
    }

    /// Trials of a branch, queued ones included.
    pub(super) fn kept_of(&self, branch: usize) -> usize {
        (0..self.len()).filter(|&s| self.branch(s) == branch && self.state(s).is_some()).count()
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

    /// The slot of a trial of a branch by its name there.
    pub(super) fn find(&self, branch: usize, inner: TrialId) -> Option<usize> {
        (0..self.len())
            .find(|&s| self.state(s).is_some() && self.branch(s) == branch && self.inner(s) == inner)
    }

    /// The trial in a slot.
    pub(super) fn trial(&self, slot: usize) -> Option<Trial<'a, R>> {
        let state = self.state(slot)?;
        let value = if state == State::Done { self.value[slot] } else { R::NAN };
        let (point, variance, sequence) = (self.point(slot), self.variance[slot], self.sequence[slot]);
        Some(Trial { id: self.id(slot), state, point, value, variance, sequence })
    }

    /// The told trial of lowest value, the earliest of equals, among those of some branches.
    pub(super) fn best(&self, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let earlier = |a: usize, b: usize| {
            self.value[a] < self.value[b]
                || self.value[a] == self.value[b] && self.sequence[a] < self.sequence[b]
        };
        self.in_state(Some(State::Done))
            .filter(|&s| counts(self.branch(s)))
            .reduce(|a, b| if earlier(b, a) { b } else { a })
    }

    /// Values of the told trials.
    pub(super) fn values(&self) -> impl Iterator<Item = R> + use<'_, 'a, R> {
        self.in_state(Some(State::Done)).map(|s| self.value[s])
    }
}
