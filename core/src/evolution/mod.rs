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
mod state;

pub(crate) use cma::Cma;
pub(crate) use mies::Mies;
pub(crate) use state::State;

use crate::error::Error;
use crate::limits::Limit;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;

/// How many individuals there are of each sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Population {
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
    pub(crate) const fn mies(dims: usize, open: usize) -> Self {
        Self { dims, parents: 4, offspring: 28, open }
    }

    /// The common size for CMA-ES.
    ///
    /// ```text
    /// λ = 4 + ⌊3 ln d⌋,   μ = ⌊λ/2⌋
    /// ```
    pub(crate) const fn cma(dims: usize, open: usize) -> Self {
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
        let counts = [
            (Limit::Dims, dims),
            (Limit::Parents, parents),
            (Limit::Offspring, offspring),
            (Limit::Open, open),
        ];
        for (limit, count) in counts {
            limit.within(count, 1, MOST)?;
        }
        Limit::Parents.at_most(parents, offspring)?;
        Ok(self)
    }
}

/// What is asked of both.
pub(crate) trait Strategy<'a, R: Real> {
    /// Divides the scalars, whatever they are.
    ///
    /// # Errors
    /// As [`Self::new`].
    fn cut(state: &'a mut [R], group: Population) -> Result<Self, Error>
    where
        Self: Sized;

    /// Whether the numbers may be a state.
    fn is_sound(&self) -> bool;

    /// The first state: whoever comes first is drawn from the whole space.
    ///
    /// # Errors
    /// [`Error::Limits`] for a count of zero or beyond 2²⁰, or more parents than offspring; [`Error::Shape`] if `state` has
    /// too few scalars.
    fn new(state: &'a mut [R], group: Population) -> Result<Self, Error>
    where
        Self: Sized,
    {
        let mut strategy = Self::cut(state, group)?;
        strategy.state().clear();
        strategy.restart();
        Ok(strategy)
    }

    /// The state that an earlier call left; any numbers may be given.
    ///
    /// # Errors
    /// As [`Self::new`], and [`Error::Corrupt`] for numbers that are no state.
    fn attach(state: &'a mut [R], group: Population) -> Result<Self, Error>
    where
        Self: Sized,
    {
        let strategy = Self::cut(state, group)?;
        if strategy.is_sound() { Ok(strategy) } else { Err(Error::Corrupt) }
    }

    /// What both keep.
    fn state(&mut self) -> &mut State<'a, R>;

    /// Writes the next individual to `unit`, open under `key` from now on; begins again if it [stalled](Self::stalled).
    ///
    /// Cost: O(d² + open), and that of [`Domain::sample`] where children are forbidden.
    ///
    /// # Errors
    /// [`Error::TooManyOpen`] if no place is left; [`Error::StaleTrial`] if the key is in use; [`Error::Dimensions`] and
    /// [`Error::Shape`] for another space or point; [`Error::Infeasible`] as [`Domain::sample`].
    fn ask(
        &mut self,
        domain: &Domain<'_>,
        generator: &mut Generator,
        key: u64,
        unit: &mut [R],
    ) -> Result<(), Error> {
        let place = self.state().place(domain, key, unit)?;
        if self.stalled() {
            self.restart();
        }
        self.make(domain, generator, unit)?;
        self.state().open(place, key);
        Ok(())
    }

    /// Makes an individual in the first free place, and writes its point to `unit`.
    fn make(&mut self, domain: &Domain<'_>, dice: &mut Generator, unit: &mut [R]) -> Result<(), Error>;

    /// The value of the individual that is open under `key`; whether a generation closed.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for NaN and −∞; [`Error::StaleTrial`] if the key is not open.
    fn tell(&mut self, key: u64, value: R) -> Result<bool, Error>;

    /// Takes a point that came from elsewhere into this generation; whether a generation closed.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::Dimensions`] and [`Error::Shape`] as [`Self::ask`] and [`Self::tell`].
    fn adopt(&mut self, domain: &Domain<'_>, unit: &[R], value: R) -> Result<bool, Error>;

    /// Begins again at random; open individuals stay open and will count.
    fn restart(&mut self);

    /// Whether nothing more will come of it.
    fn stalled(&self) -> bool;

    /// Gives up the individual that is open under `key`; whether it was.
    fn forget(&mut self, key: u64) -> bool {
        self.state().take(key).is_ok()
    }

    /// The same with another change of the best value that counts as none, as a part of all its changes; to be said again
    /// after each attaching.
    #[must_use]
    fn tolerance(mut self, tolerance: R) -> Self
    where
        Self: Sized,
    {
        self.state().tolerance = tolerance;
        self
    }
}

/// Moves a number into [0, 1] by folding it at both ends.
///
/// ```text
/// T(y) = frac y  where ⌊y⌋ is even,  1 − frac y  where it is odd
/// ```
///
/// ½ for what is not finite.
pub(crate) fn reflect<R: Real>(y: R) -> R {
    if !y.is_finite() {
        return R::HALF;
    }
    let period = y - R::TWO * (y * R::HALF).floor();
    (if period > R::ONE { R::TWO - period } else { period }).clamp(R::ZERO, R::ONE)
}

#[cfg(test)]
mod tests {
    mod runs;

    use super::state::{KEY, read_key, write_key};
    use super::{Population, reflect};

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
