//! Evolution strategies that are asked and told: MI-ES for mixed and conditional spaces, CMA-ES on the unit cube.
//!
//! Each is a state machine on lent scalars: nothing but numbers, so that the state lies in a block, is saved with it and
//! attached again. [`Mies`] and [`Cma`] are used alike:
//!
//! ```text
//! let group = Population::mies(dims, open)                    or Population::cma(dims, open)
//! scalars to lend: Mies::scalars(group), words of a block: Mies::words::<R>(group)
//! Mies::new(state, group)?              once: writes the first state
//! Mies::attach(state, group)?           in each later call: checks every number, O(scalars)
//! ask(domain, generator, key, unit)?    an individual under a key of the caller's choice (a trial's number)
//! tell(key, value)?                     its value, in any order; smaller is better, +∞ for a failure
//! forget(key)                           its value never comes
//! adopt(domain, unit, value)?           a value that came from elsewhere
//! ```
//!
//! Up to [`Population::open`] individuals are open together. A generation closes when [`Population::offspring`] values have
//! come, whichever individuals they are of: one that was asked for under earlier parents counts as soon as it is told.
//!
//! An individual may be proposed twice where the space is discrete: a caller that wants no repeats forgets it and asks again,
//! with a bound on how often.

mod cma;
mod mies;
mod rates;

pub use cma::Cma;
pub use mies::Mies;

use rand_core::Rng;

use crate::error::Error;
use crate::real::Real;
use crate::space::Domain;

/// How many individuals there are of each sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Population {
    /// Parameters of the space.
    pub dims: usize,
    /// Parents μ: the best of a generation, from which the next comes.
    pub parents: usize,
    /// Values λ that close a generation.
    pub offspring: usize,
    /// Individuals that may be open together.
    pub open: usize,
}

impl Population {
    /// Four parents and 28 offspring.
    #[must_use]
    pub const fn mies(dims: usize, open: usize) -> Self {
        Self { dims, parents: 4, offspring: 28, open }
    }

    /// The common size for CMA-ES.
    ///
    /// ```text
    /// λ = 4 + ⌊3 ln d⌋,   μ = ⌊λ/2⌋
    /// ```
    #[must_use]
    pub const fn cma(dims: usize, open: usize) -> Self {
        let (size, mut power, mut extra) = (dims as f64, core::f64::consts::E, 0);
        // ⌊ln d³⌋ without a logarithm, which no constant may call; d³ ≤ 2¹⁹² < e¹³⁴.
        while extra < 134 && power <= size * size * size {
            power *= core::f64::consts::E;
            extra += 1;
        }
        let offspring = 4 + extra;
        Self { dims, parents: offspring / 2, offspring, open }
    }

    /// Whether the counts make sense and can be counted.
    fn check(self) -> Result<Self, Error> {
        const MOST: usize = 1 << 20;
        let Self { dims, parents, offspring, open } = self;
        let counts = [dims, parents, offspring, open];
        let sound = counts.iter().all(|&count| (1..=MOST).contains(&count)) && parents <= offspring;
        if sound { Ok(self) } else { Err(Error::Limits) }
    }
}

/// What is asked of both.
pub(crate) trait Strategy<R: Real> {
    /// As [`Mies::ask`].
    fn ask<G: Rng + ?Sized>(
        &mut self,
        domain: &Domain<'_>,
        generator: &mut G,
        key: u64,
        unit: &mut [R],
    ) -> Result<(), Error>;
    /// As [`Mies::tell`].
    fn tell(&mut self, key: u64, value: R) -> Result<bool, Error>;
    /// As [`Mies::forget`].
    #[cfg(test)]
    fn forget(&mut self, key: u64) -> bool;
    /// As [`Mies::stalled`].
    fn stalled(&self) -> bool;
}

macro_rules! strategy {
    ($name:ident) => {
        impl<R: Real> Strategy<R> for $name<'_, R> {
            fn ask<G: Rng + ?Sized>(
                &mut self,
                domain: &Domain<'_>,
                generator: &mut G,
                key: u64,
                unit: &mut [R],
            ) -> Result<(), Error> {
                $name::ask(self, domain, generator, key, unit)
            }
            fn tell(&mut self, key: u64, value: R) -> Result<bool, Error> {
                $name::tell(self, key, value)
            }
            #[cfg(test)]
            fn forget(&mut self, key: u64) -> bool {
                $name::forget(self, key)
            }
            fn stalled(&self) -> bool {
                $name::stalled(self)
            }
        }
    };
}

strategy!(Mies);
strategy!(Cma);

/// Scalars of a key: 22 bits each, exact also in `f32`.
const KEY: usize = 3;
const BITS: u32 = 22;

/// Writes a key.
fn write_key<R: Real>(key: u64, out: &mut [R]) {
    for (k, part) in out.iter_mut().take(KEY).enumerate() {
        *part = R::of(((key >> (BITS * k as u32)) & ((1 << BITS) - 1)) as f64);
    }
}

/// Reads a key; nothing if the place is free.
fn read_key<R: Real>(parts: &[R]) -> Option<u64> {
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
fn is_count<R: Real>(value: R, most: usize) -> bool {
    value >= R::ZERO && value <= R::of_usize(most) && value.floor() == value
}

/// Whether a place holds a key or none.
fn is_key<R: Real>(parts: &[R]) -> bool {
    parts[0] == -R::ONE || parts.iter().take(KEY).all(|&part| is_count(part, (1 << BITS) - 1))
}

/// The number of the place with this key among rows of `width` scalars.
fn find<R: Real>(rows: &[R], width: usize, key: Option<u64>) -> Option<usize> {
    rows.chunks_exact(width).position(|row| read_key(&row[..KEY]) == key)
}

/// Makes room for an individual among the best of a generation, which stand in order of their values; nothing if all are
/// better. A row is a value, NaN where nobody is, and what the returned place is for.
fn room<R: Real>(rows: &mut [R], row: usize, value: R) -> Option<&mut [R]> {
    let place = rows.chunks_exact(row).position(|other| other[0].is_nan() || other[0] > value)?;
    let last = rows.len() / row - 1;
    rows.copy_within(place * row..last * row, (place + 1) * row);
    let (first, rest) = rows[place * row..(place + 1) * row].split_first_mut()?;
    *first = value;
    Some(rest)
}

/// Scalars that say how the best value changes: generations without a change, the lowest and highest value since then, and
/// since the beginning.
const PULSE: usize = 5;
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

/// Moves a number into [0, 1] by folding it at both ends.
///
/// ```text
/// T(y) = frac y  where ⌊y⌋ is even,  1 − frac y  where it is odd
/// ```
///
/// ½ for what is not finite.
pub fn reflect<R: Real>(y: R) -> R {
    if !y.is_finite() {
        return R::HALF;
    }
    let period = y - R::TWO * (y * R::HALF).floor();
    (if period > R::ONE { R::TWO - period } else { period }).clamp(R::ZERO, R::ONE)
}

/// Whether a point has the length of its space, and its space that of the population.
fn check_point<R: Real>(group: Population, domain: &Domain<'_>, unit: &[R]) -> Result<(), Error> {
    if domain.dims() != group.dims {
        return Err(Error::Dimensions);
    }
    if unit.len() != group.dims {
        return Err(Error::Shape { needed: group.dims });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    mod runs;

    use super::{KEY, Population, read_key, reflect, write_key};

    #[test]
    fn sizes_are_those_of_the_tutorial() {
        // 4 + ⌊3 ln d⌋ by hand.
        for (dims, offspring) in
            [(1, 4), (2, 6), (3, 7), (5, 8), (10, 10), (14, 11), (20, 12), (40, 15), (1000, 24)]
        {
            let group = Population::cma(dims, 1);
            assert_eq!((group.offspring, group.parents), (offspring, offspring / 2));
            assert_eq!(offspring, 4 + (3.0 * (dims as f64).ln()) as usize);
        }
    }

    #[test]
    fn numbers_are_folded_at_both_ends() {
        for (x, y) in
            [(1.3f64, 0.7), (-0.3, 0.3), (2.3, 0.3), (-1.2, 0.8), (0.4, 0.4), (1.0, 1.0), (0.0, 0.0)]
        {
            assert!((reflect(x) - y).abs() < 1e-12, "{x}");
            assert!((reflect(x as f32) - y as f32).abs() < 1e-6, "{x}");
        }
        for wild in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
            assert!((0.0..=1.0).contains(&reflect(wild)));
        }
    }

    #[test]
    fn keys_survive_both_scalars() {
        for key in [0, 1, (1 << 22) - 1, 1 << 22, 0x0123_4567_89AB_CDEF, u64::MAX] {
            let (mut single, mut double) = ([0f32; KEY], [0f64; KEY]);
            write_key(key, &mut single);
            write_key(key, &mut double);
            assert_eq!((read_key(&single), read_key(&double)), (Some(key), Some(key)));
        }
        assert_eq!(read_key(&[-1.0, 0.0, 0.0]), None);
    }
}
