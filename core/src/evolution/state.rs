//! The population of an evolution strategy in lent scalars: the best of a generation, and the individuals that are open.

use super::Population;
use crate::error::Error;
use crate::limits::Limit;
use crate::real::Real;
use crate::space::Domain;

/// What the strategies keep alike; the head begins with whether there are parents and the number of values told.
#[derive(Debug)]
pub(crate) struct State<'a, R> {
    pub(super) group: Population,
    /// A change of the best value that is none, as a part of all its changes.
    pub(super) tolerance: R,
    /// Whether there are parents, values told in this generation, what a strategy adds, how the best value changes.
    pub(super) head: &'a mut [R],
    /// The best that were told in this generation, best first: value, genes; NaN where nobody is.
    pub(super) rows: &'a mut [R],
    /// Open individuals: key, genes.
    pub(super) slots: &'a mut [R],
}

pub(super) const BORN: usize = 0;
pub(super) const TOLD: usize = 1;

impl<'a, R: Real> State<'a, R> {
    /// Scalars of a place for an open individual.
    fn width(&self) -> usize {
        self.slots.len() / self.group.open
    }

    /// Scalars of a row.
    pub(super) fn row(&self) -> usize {
        self.width() - KEY + 1
    }

    /// Whether there are parents.
    pub(super) fn is_born(&self) -> bool {
        self.head[BORN] != R::ZERO
    }

    /// Nobody there, nobody open.
    pub(super) fn clear(&mut self) {
        let width = self.width();
        self.slots.fill(R::ZERO);
        self.slots.chunks_exact_mut(width).for_each(|slot| slot[0] = -R::ONE);
    }

    /// Begins again; open individuals stay open.
    pub(super) fn restart(&mut self) {
        self.head.fill(R::ZERO);
        self.rows.fill(R::NAN);
    }

    /// Whether the numbers may be such a state, of genes that are `sound`.
    pub(super) fn is_sound(&self, sound: impl Fn(&[R]) -> bool, open: impl Fn(&[R]) -> bool) -> bool {
        let told = self.head[TOLD];
        let counts = is_count(self.head[BORN], 1) && is_count(told, self.group.offspring);
        // A value of NaN says that the place is empty; as many are taken as values were told.
        let rows = self.rows.chunks_exact(self.row()).enumerate().all(|(i, row)| {
            let there = !row[0].is_nan();
            there == (R::of_usize(i) < told) && (!there || sound(&row[1..]))
        });
        let mut slots = self.slots.chunks_exact(self.width());
        let slots = slots.all(|slot| is_key(slot) && (slot[0] < R::ZERO || open(&slot[KEY..])));
        counts && is_pulse(&self.head[self.head.len() - PULSE..]) && rows && slots
    }

    /// A free place for an individual under a new key; it stays free until [`State::open`].
    pub(super) fn place(&self, domain: &Domain<'_>, key: u64, unit: &[R]) -> Result<usize, Error> {
        self.check_point(domain, unit)?;
        Error::StaleTrial.when(self.find(Some(key)).is_some())?;
        self.find(None).ok_or(Error::TooManyOpen)
    }

    /// The genes of a place.
    pub(super) fn genes(&mut self, place: usize) -> &mut [R] {
        let width = self.width();
        &mut self.slots[place * width + KEY..(place + 1) * width]
    }

    /// The genes of the first free place.
    pub(super) fn free(&mut self) -> Result<&mut [R], Error> {
        let place = self.find(None).ok_or(Error::TooManyOpen)?;
        Ok(self.genes(place))
    }

    /// The individual in this place is whole.
    pub(super) fn open(&mut self, place: usize, key: u64) {
        let width = self.width();
        write_key(key, &mut self.slots[place * width..]);
    }

    /// Frees the place of an individual, and says where it was.
    pub(super) fn take(&mut self, key: u64) -> Result<usize, Error> {
        let place = self.find(Some(key)).ok_or(Error::StaleTrial)?;
        let width = self.width();
        self.slots[place * width] = -R::ONE;
        Ok(place)
    }

    /// The row to which the genes of the individual under `key`, open no more, were copied if it is among the best.
    pub(super) fn tell(&mut self, key: u64, value: R) -> Result<Option<&mut [R]>, Error> {
        check_value(value)?;
        let (place, width, row) = (self.take(key)?, self.width(), self.row());
        let genes = &self.slots[place * width + KEY..(place + 1) * width];
        let Some(row) = room(self.rows, row, value) else { return Ok(None) };
        row.copy_from_slice(genes);
        Ok(Some(row))
    }

    /// A row for a point that came from elsewhere, if it is among the best.
    pub(super) fn adopt(
        &mut self,
        domain: &Domain<'_>,
        unit: &[R],
        value: R,
    ) -> Result<Option<&mut [R]>, Error> {
        self.check_point(domain, unit)?;
        check_value(value)?;
        let row = self.row();
        Ok(room(self.rows, row, value))
    }

    /// Counts a value; whether it is the last of `enough`.
    pub(super) fn count(&mut self, enough: usize) -> bool {
        self.head[TOLD] += R::ONE;
        self.head[TOLD] >= R::of_usize(enough)
    }

    /// Closes the generation.
    pub(super) fn close(&mut self) {
        let notes = self.head.len() - PULSE;
        beat(&mut self.head[notes..], self.rows[0], self.tolerance);
        (self.head[BORN], self.head[TOLD]) = (R::ONE, R::ZERO);
    }

    /// Whether the best value stayed the same for `few` + ⌈30d/λ⌉ generations.
    pub(super) fn is_still(&self, few: usize) -> bool {
        let still = few + (30 * self.group.dims).div_ceil(self.group.offspring);
        self.head[self.head.len() - PULSE] >= R::of_usize(still)
    }

    /// The number of the place with this key.
    fn find(&self, key: Option<u64>) -> Option<usize> {
        self.slots.chunks_exact(self.width()).position(|slot| read_key(&slot[..KEY]) == key)
    }

    /// Whether a point has the length of its space, and its space that of the population.
    fn check_point(&self, domain: &Domain<'_>, unit: &[R]) -> Result<(), Error> {
        let needed = self.group.dims;
        Limit::Dims.exactly(domain.dims(), needed)?;
        if unit.len() == needed { Ok(()) } else { Err(Error::Shape { needed }) }
    }
}

fn check_value<R: Real>(value: R) -> Result<(), Error> {
    if value.is_nan() || value == -R::INFINITY { Err(Error::NotFinite) } else { Ok(()) }
}

/// Makes room for an individual among the best, which stand in order of their values; nothing if all are better.
fn room<R: Real>(rows: &mut [R], row: usize, value: R) -> Option<&mut [R]> {
    let place = rows.chunks_exact(row).position(|other| other[0].is_nan() || other[0] > value)?;
    let last = rows.len() / row - 1;
    rows.copy_within(place * row..last * row, (place + 1) * row);
    let (first, rest) = rows[place * row..(place + 1) * row].split_first_mut()?;
    *first = value;
    Some(rest)
}

/// Scalars of a key: 22 bits each, exact also in `f32`.
pub(super) const KEY: usize = 3;
const BITS: u32 = 22;

/// Writes a key.
pub(super) fn write_key<R: Real>(key: u64, out: &mut [R]) {
    for (k, part) in out.iter_mut().take(KEY).enumerate() {
        *part = R::of(((key >> (BITS * k as u32)) & ((1 << BITS) - 1)) as f64);
    }
}

/// Reads a key; nothing if the place is free.
pub(super) fn read_key<R: Real>(parts: &[R]) -> Option<u64> {
    let (&first, rest) = parts.split_first()?;
    if first < R::ZERO {
        return None;
    }
    // `as` turns what is not a number into 0.
    let whole = rest.iter().take(KEY - 1).enumerate();
    Some(whole.fold(first.to_f64() as u64, |key, (k, part)| {
        key | (part.to_f64() as u64) << (BITS * (k as u32 + 1))
    }))
}

/// Whether a scalar is a count that does not exceed `most`.
pub(super) fn is_count<R: Real>(value: R, most: usize) -> bool {
    value >= R::ZERO && value <= R::of_usize(most) && value.floor() == value
}

/// Whether a place holds a key or none.
fn is_key<R: Real>(parts: &[R]) -> bool {
    parts[0] == -R::ONE || parts.iter().take(KEY).all(|&part| is_count(part, (1 << BITS) - 1))
}

/// Scalars that say how the best value changes: generations without a change, the lowest and highest value since then, and
/// since the beginning.
pub(super) const PULSE: usize = 5;
/// The most generations that are counted.
const LONGEST: usize = 1 << 22;

/// Takes note of the best value of a generation.
fn beat<R: Real>(pulse: &mut [R], best: R, tolerance: R) {
    let first = pulse[0] == R::ZERO;
    if first {
        pulse[1..PULSE].fill(best);
    }
    if best.is_finite() {
        let widen = |bound: R, new: R| if bound.is_finite() { new } else { best };
        pulse[3] = widen(pulse[3], pulse[3].min(best));
        pulse[4] = widen(pulse[4], pulse[4].max(best));
    }
    let (low, high) = (pulse[1].min(best), pulse[2].max(best));
    // Infinite values are equal or infinitely far apart.
    if low == high || high - low <= tolerance * (pulse[4] - pulse[3]) {
        (pulse[1], pulse[2]) = (low, high);
        pulse[0] = (pulse[0] + R::ONE).min(R::of_usize(LONGEST));
    } else {
        (pulse[0], pulse[1], pulse[2]) = (R::ONE, best, best);
    }
}

/// Whether these scalars may be such notes.
fn is_pulse<R: Real>(pulse: &[R]) -> bool {
    is_count(pulse[0], LONGEST) && pulse[1..PULSE].iter().all(|value| !value.is_nan())
}
