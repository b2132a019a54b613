//! Thompson sampling: the minimum of one function drawn from the model.

use super::joint::{Joint, one_by_one, worst};
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::{solve_lower, solve_upper};
use crate::math::dot;
use crate::real::Real;
use crate::rng::Generator;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// A joint draw over a finite set of candidates.
///
/// ```text
/// f = m + L z at the candidates,   x = argmin f
/// score(x) = −(m(x) + cov(x, candidates) K⁻¹ (f − m))
/// ```
///
/// Between the candidates the score is the mean of all draws that agree with this one there, so that a search can polish
/// what it found. Cost: `prepare` G³/3 + G², `score` O(G) beyond [`Surrogate::against`].
///
/// Used by one thread at a time; it lives as long as the memory lent to it, and a preparation holds until the model is
/// anchored elsewhere.
///
/// # References
/// Thompson, *On the Likelihood that One Unknown Probability Exceeds Another in View of the Evidence of Two Samples*,
/// Biometrika 25, 1933.
#[derive(Debug)]
pub(crate) struct Thompson<'a, R> {
    joint: Joint<'a, R>,
    values: &'a mut [R],
    weights: &'a mut [R],
    covariances: &'a mut [R],
}

impl<'a, R: Real> Thompson<'a, R> {
    /// Scalars of memory for as many candidates.
    pub(crate) const fn scalars(candidates: usize) -> usize {
        Joint::<R>::scalars(candidates) + 3 * candidates
    }

    /// In memory of [`Thompson::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] without candidates, [`Error::Shape`] if the memory is too small.
    pub(crate) fn new(memory: &'a mut [R], candidates: usize) -> Result<Self, Error> {
        Error::Config.when(candidates == 0)?;
        let mut scratch = Scratch::new(memory);
        Ok(Self {
            joint: Joint::carve(&mut scratch, candidates)?,
            values: scratch.take(candidates)?,
            weights: scratch.take(candidates)?,
            covariances: scratch.take(candidates)?,
        })
    }

    /// Draws at the candidates.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are between one and the agreed number of candidates, [`Error::NotFinite`] if a
    /// prediction is not a number, [`Error::NotPositiveDefinite`], and what the model reports.
    pub(crate) fn prepare(
        &mut self,
        model: &mut dyn Surrogate<R>,
        candidates: &[R],
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let count = self.joint.anchor(model, candidates)?;
        self.joint.draw(generator, self.values)?;
        self.weights.copy_from_slice(self.values);
        if !self.joint.flat() {
            solve_lower(self.joint.factor(), count, self.weights)?;
            solve_upper(self.joint.factor(), count, self.weights)?;
        }
        for (value, &mean) in self.values.iter_mut().zip(self.joint.means()) {
            *value += mean;
        }
        Ok(())
    }
}

impl<R: Real> AcquisitionFunction<R> for Thompson<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        one_by_one(self, model, points, out)
    }

    /// Minus the draw at a point, as far as the candidates tell; the lowest number if the prediction is not one.
    ///
    /// # Errors
    /// [`Error::NoData`] before a preparation, and what the model reports.
    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let (prediction, covariances) = self.joint.against(model, point, self.covariances)?;
        let rest = if self.joint.flat() { R::ZERO } else { dot(covariances, self.weights) };
        let value = prediction.mean + rest;
        if value.is_finite() { Ok(-value) } else { Ok(worst()) }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::tests::support::{Table, curve, grid};
    use super::{AcquisitionFunction, Thompson};
    use crate::error::Error;
    use crate::rng::Generator;
    use crate::stats::normal;

    /// Of two candidates the first is chosen with probability Φ((m₂ − m₁)/√(v₁ + v₂ − 2c)).
    #[test]
    fn chooses_with_the_probability_of_the_minimiser() {
        let mut table = Table::new(&[0.0, 0.4], &[0.7, 0.4, 0.4, 1.1]);
        let mut memory = [0.0; Thompson::<f64>::scalars(2)];
        let mut thompson = Thompson::new(&mut memory, 2).unwrap();
        let (generator, mut first, n) = (&mut Generator::new(4), 0.0, 100_000);
        for _ in 0..n {
            thompson.prepare(&mut table, &[0.0, 1.0], generator).unwrap();
            first += f64::from(thompson.values[0] < thompson.values[1]);
        }
        let p: f64 = normal::cdf(0.4);
        let share = first / f64::from(n);
        assert!((share - p).abs() < 4.0 * (p * (1.0 - p) / f64::from(n)).sqrt());
    }

    #[test]
    fn the_score_passes_through_the_draw() {
        curve(&[0.1, 0.9], &[0.2, -0.1], |model, _, _| {
            let mut memory = vec![0.0; Thompson::<f64>::scalars(8)];
            let mut thompson = Thompson::new(&mut memory, 8).unwrap();
            let points = grid(8);
            thompson.prepare(model, &points, &mut Generator::new(4)).unwrap();
            for (i, point) in points.iter().enumerate() {
                let score = thompson.score(model, &[*point]).unwrap();
                assert!((score + thompson.values[i]).abs() < 1e-6, "{i}");
            }
            let values = thompson.values.to_vec();
            thompson.prepare(model, &points, &mut Generator::new(4)).unwrap();
            assert_eq!(values, thompson.values);
        });
    }

    #[test]
    fn edges() {
        let mut table = Table::new(&[0.5, f64::NAN], &[0.0, 0.0, 0.0, 1.0]);
        let mut memory = [0.0; Thompson::<f64>::scalars(3)];
        assert_eq!(Thompson::new(&mut memory, 0).unwrap_err(), Error::Config);
        assert!(Thompson::new(&mut memory[1..], 3).is_err());
        let mut thompson = Thompson::new(&mut memory, 3).unwrap();
        let generator = &mut Generator::new(1);
        assert_eq!(thompson.score(&mut table, &[0.0]), Err(Error::NoData));
        assert_eq!(thompson.prepare(&mut table, &[1.0], generator), Err(Error::NotFinite));
        assert!(thompson.prepare(&mut table, &[], generator).is_err());
        thompson.prepare(&mut table, &[0.0, 0.0, 0.0], generator).unwrap();
        assert_eq!(thompson.values, [0.5; 3]);
        assert_eq!(thompson.score(&mut table, &[0.0]), Ok(-0.5));
        assert_eq!(thompson.score(&mut table, &[1.0]), Ok(-f64::MAX));
    }
}
