//! GP-Hedge: rules are trusted by what became of their proposals.

use crate::block::Scratch;
use crate::error::Error;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate::Surrogate;

use super::joint::lowest;

/// The gains of the members of a portfolio and what each nominated last, in lent memory that may be part of the block.
///
/// ```text
/// pᵢ = exp(η gᵢ)/Σⱼ exp(η gⱼ),   at the next ask  gᵢ ← gᵢ − m(xᵢ),   m the mean of the model that has seen the trial
/// ```
///
/// The gains are in units of the targets that the model is fitted to; scaled to unit deviation they make η = 1 a sensible
/// rate. Only differences matter: the largest gain is kept at 0 and none falls below −64/η, so that nothing overflows and
/// no member is out for ever.
///
/// ```text
/// memory = gains (members) │ means (members, scratch) │ nominees (members × dims) │ whether nominees wait: 0 or 1
/// ```
///
/// Zeros are a portfolio before its first ask. Used by one thread at a time; it lives as long as the memory lent to it.
///
/// # References
/// Hoffman, Brochu and de Freitas, *Portfolio Allocation for Bayesian Optimization*, 2011, algorithm 2. Auer,
/// Cesa-Bianchi, Freund and Schapire, *The Nonstochastic Multiarmed Bandit Problem*, 2002.
#[derive(Debug)]
pub(crate) struct Hedge<'a, R> {
    gains: &'a mut [R],
    means: &'a mut [R],
    nominees: &'a mut [R],
    waits: &'a mut [R],
    rate: R,
}

/// The rate η that is used unless another is wanted.
pub(crate) const RATE: f64 = 1.0;

/// How far below the largest gain a gain may fall, times η: a probability below 10⁻²⁷.
const FLOOR: f64 = -64.0;

impl<'a, R: Real> Hedge<'a, R> {
    /// Scalars of memory for as many members.
    pub(crate) const fn scalars(members: usize, dims: usize) -> usize {
        members * (dims + 2) + 1
    }

    /// The portfolio in memory of [`Hedge::scalars`], as it was left; `rate` is η.
    ///
    /// # Errors
    /// [`Error::Config`] if a count is 0 or the rate is not positive and finite, [`Error::Shape`] if the memory is too
    /// small, [`Error::Corrupt`] if it does not hold what a portfolio leaves.
    pub(crate) fn attach(memory: &'a mut [R], members: usize, dims: usize, rate: R) -> Result<Self, Error> {
        Error::Config.when(members == 0 || dims == 0 || !(rate > R::ZERO && rate.is_finite()))?;
        let mut scratch = Scratch::new(memory);
        let hedge = Self {
            gains: scratch.take(members)?,
            means: scratch.take(members)?,
            nominees: scratch.take(members.saturating_mul(dims))?,
            waits: scratch.take(1)?,
            rate,
        };
        let waits = hedge.waits[0];
        let sound = hedge.gains.iter().chain(&*hedge.nominees).all(|value| value.is_finite())
            && (waits == R::ZERO || waits == R::ONE);
        if sound { Ok(hedge) } else { Err(Error::Corrupt) }
    }

    /// Books the gains of the last nominees, if any wait; nothing changes after an error.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if a mean is not a number, and what the model reports.
    pub(crate) fn book(&mut self, model: &mut dyn Surrogate<R>) -> Result<(), Error> {
        if self.waits[0] == R::ZERO {
            return Ok(());
        }
        let dims = self.nominees.len() / self.gains.len();
        for (mean, nominee) in self.means.iter_mut().zip(self.nominees.chunks_exact(dims)) {
            *mean = model.predict(nominee)?.mean;
        }
        Error::NotFinite.when(!self.means.iter().all(|mean| mean.is_finite()))?;
        // Relative to the lowest mean: even the widest gap of two finite means is then at most an infinity below 0.
        let (_, low) = lowest(self.means.iter().copied());
        for (gain, &mean) in self.gains.iter_mut().zip(&*self.means) {
            *gain -= mean - low;
        }
        let high = self.gains.iter().copied().fold(-R::INFINITY, R::max);
        let floor = (R::of(FLOOR) / self.rate).max(-R::MAX);
        for gain in &mut *self.gains {
            *gain = if high.is_finite() { (*gain - high).clamp(floor, R::ZERO) } else { R::ZERO };
        }
        self.waits[0] = R::ZERO;
        Ok(())
    }

    /// Keeps what each member nominates and chooses one of them by chance.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one point per member, [`Error::NotFinite`] if a coordinate is not a number;
    /// nothing has changed then.
    pub(crate) fn choose(&mut self, nominees: &[R], generator: &mut Generator) -> Result<usize, Error> {
        Error::Shape { needed: self.nominees.len() }.when(nominees.len() != self.nominees.len())?;
        Error::NotFinite.when(!nominees.iter().all(|value| value.is_finite()))?;
        self.nominees.copy_from_slice(nominees);
        self.waits[0] = R::ONE;
        let mut left: R = rng::uniform(generator);
        let high = self.gains.iter().copied().fold(-R::INFINITY, R::max);
        let weight = |gain: R| (self.rate * (gain - high)).exp();
        left *= self.gains.iter().fold(R::ZERO, |sum, &gain| sum + weight(gain));
        let mut chosen = 0;
        for (i, &gain) in self.gains.iter().enumerate() {
            let weight = weight(gain);
            // The last that can be chosen takes what rounding leaves over.
            if weight > R::ZERO {
                chosen = i;
                if left < weight {
                    break;
                }
            }
            left -= weight;
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::support::Table;
    use super::Hedge;
    use crate::error::Error;
    use crate::rng::Generator;

    const SIZE: usize = Hedge::<f64>::scalars(3, 1);

    fn probabilities(hedge: &Hedge<'_, f64>) -> [f64; 3] {
        let high = hedge.gains.iter().copied().fold(f64::MIN, f64::max);
        let weights = [0, 1, 2].map(|i| (hedge.rate * (hedge.gains[i] - high)).exp());
        weights.map(|weight| weight / weights.iter().sum::<f64>())
    }

    #[test]
    fn probabilities_by_hand() {
        let mut memory = [0.0; SIZE];
        let generator = &mut Generator::new(1);
        let mut table = Table::new(&[0.5, -0.2, 1.0], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let mut hedge = Hedge::attach(&mut memory, 3, 1, 2.0).unwrap();
        assert_eq!(probabilities(&hedge), [1.0 / 3.0; 3]);
        // Nothing waits: nothing is booked.
        hedge.book(&mut table).unwrap();
        assert_eq!(hedge.gains, [0.0; 3]);
        hedge.choose(&[0.0, 1.0, 2.0], generator).unwrap();
        hedge.book(&mut table).unwrap();
        hedge.book(&mut table).unwrap();
        let p = probabilities(&hedge);
        let e: [f64; 3] = [(-2.0 * 0.5f64).exp(), (2.0 * 0.2f64).exp(), (-2.0f64).exp()];
        for i in 0..3 {
            assert!((p[i] - e[i] / e.iter().sum::<f64>()).abs() < 1e-15, "{i}");
        }
        // Chosen as often as that.
        let (mut counts, n) = ([0.0; 3], 100_000);
        for _ in 0..n {
            counts[hedge.choose(&[0.0, 1.0, 2.0], generator).unwrap()] += 1.0;
        }
        for i in 0..3 {
            let error = (p[i] * (1.0 - p[i]) / f64::from(n)).sqrt();
            assert!((counts[i] / f64::from(n) - p[i]).abs() < 4.0 * error, "{i}");
        }
        // Kept in the memory.
        let gains = [hedge.gains[0], hedge.gains[1], hedge.gains[2]];
        let again = Hedge::attach(&mut memory, 3, 1, 2.0).unwrap();
        assert_eq!(again.gains, gains);
    }

    #[test]
    fn nothing_overflows() {
        let generator = &mut Generator::new(2);
        for means in [[1e300, -1e300, 0.0], [f64::MAX, f64::MIN, 0.0], [1e-320, 0.0, 5.0]] {
            let mut memory = [0.0; SIZE];
            let mut table = Table::new(&means, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
            let mut hedge = Hedge::attach(&mut memory, 3, 1, 1.0).unwrap();
            for _ in 0..1000 {
                hedge.choose(&[0.0, 1.0, 2.0], generator).unwrap();
                hedge.book(&mut table).unwrap();
                assert!(hedge.gains.iter().all(|&g| (-64.0..=0.0).contains(&g)));
                assert_eq!(hedge.gains.iter().copied().fold(f64::MIN, f64::max), 0.0);
            }
            let p = probabilities(&hedge);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(hedge.choose(&[0.0, 1.0, 2.0], generator), Ok(1));
            // A member that failed recovers within a bounded number of asks.
            table.means = [10.0, 0.0, 0.0].to_vec();
            for _ in 0..15 {
                hedge.choose(&[2.0, 0.0, 1.0], generator).unwrap();
                hedge.book(&mut table).unwrap();
            }
            assert_eq!(hedge.gains[1], -64.0);
        }
    }

    #[test]
    fn bad_input_changes_nothing() {
        let mut memory = [0.0; SIZE];
        for (members, dims, rate) in [(0, 1, 1.0), (3, 0, 1.0), (3, 1, 0.0), (3, 1, f64::NAN)] {
            assert_eq!(Hedge::attach(&mut memory, members, dims, rate).unwrap_err(), Error::Config);
        }
        assert!(Hedge::attach(&mut memory[1..], 3, 1, 1.0).is_err());
        let generator = &mut Generator::new(1);
        let mut table = Table::new(&[0.5, f64::NAN], &[1.0, 0.0, 0.0, 1.0]);
        let mut hedge = Hedge::attach(&mut memory, 3, 1, 1.0).unwrap();
        assert!(hedge.choose(&[0.0; 2], generator).is_err());
        assert_eq!(hedge.choose(&[0.0, f64::NAN, 0.0], generator), Err(Error::NotFinite));
        hedge.choose(&[0.0, 1.0, 0.0], generator).unwrap();
        assert_eq!(hedge.book(&mut table), Err(Error::NotFinite));
        assert_eq!(hedge.gains, [0.0; 3]);
        memory[0] = f64::NAN;
        assert_eq!(Hedge::attach(&mut memory, 3, 1, 1.0).unwrap_err(), Error::Corrupt);
        memory[0] = 0.0;
        memory[SIZE - 1] = 0.5;
        assert_eq!(Hedge::attach(&mut memory, 3, 1, 1.0).unwrap_err(), Error::Corrupt);
    }
}
