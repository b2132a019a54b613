//! The trials of an optimizer: what is remembered of each question and its answer.

use crate::block::layout::sections;
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::search;
use crate::space::{Domain, Impute, is_active};
use crate::trial::{State, Trial, TrialId, slot};

/// Words of a mask over the most parameters that limits allow.
const MASK: usize = (1 << 12) / 64;

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

    /// Gives parameters of a trial that do not matter their canonical values, whatever the user wrote there.
    pub(super) fn settle(&mut self, slot: usize, domain: Domain<'_>, work: &mut [R]) {
        let place = slot * self.dims..(slot + 1) * self.dims;
        let (unit, point) = (&self.unit[place.clone()], &mut self.point[place]);
        work.copy_from_slice(unit);
        domain.mark(work);
        for (value, mark) in point.iter_mut().zip(work.iter()) {
            *value = if mark.is_nan() { R::NAN } else { *value };
        }
        domain.decode(unit, work);
        for (value, &canonical) in point.iter_mut().zip(work.iter()) {
            *value = if value.is_nan() { canonical } else { *value };
        }
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

    /// The slot of an open trial.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] if it is not open.
    pub(super) fn open_slot(&self, id: TrialId) -> Result<usize, Error> {
        let slot = self.slot_of(id)?;
        if self.state(slot) == Some(State::Open) { Ok(slot) } else { Err(Error::StaleTrial) }
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
        self.best_where(|_| true)
    }

    /// The same among the slots that count.
    pub(super) fn best_where(&self, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let earlier = |a: usize, b: usize| {
            self.value(a) < self.value(b)
                || self.value(a) == self.value(b) && self.sequence[a] < self.sequence[b]
        };
        self.in_state(Some(State::Done))
            .filter(|&s| counts(s))
            .reduce(|a, b| if earlier(b, a) { b } else { a })
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

    /// Whether every trial is one of a space.
    pub(super) fn are_valid(&self, domain: Domain<'_>) -> bool {
        (0..self.slots.len()).all(|s| {
            let word = self.slots[s];
            slot::is_valid(word)
                && (slot::state(word).is_none()
                    || self.outcomes(s).iter().all(|v| v.is_finite())
                        && self.variances(s).iter().all(|v| v.is_finite() && *v >= R::ZERO)
                        && domain.is_snapped(self.unit(s))
                        && domain.contains(self.point(s)))
        })
    }
}
