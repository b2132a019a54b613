//! Predictive entropy search: how much knowing the minimiser would tell about a trial.

use super::joint::{Joint, one_by_one, truncation, worst};
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::row;
use crate::math::dot;
use crate::real::Real;
use crate::rng::Generator;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// The expected fall of the entropy of a trial if the minimiser were known, over a finite set of representers.
///
/// ```text
/// α(x) = ½ ln(s²(x) + σ²) − Σⱼ pⱼ ½ ln(s²(x | x* = xⱼ) + σ²),   pⱼ = share of S draws that are lowest at j
/// ```
///
/// "xⱼ is the minimiser" is made of two conditions, each by one exact matching of two moments (one step of expectation
/// propagation), in this order:
///
/// ```text
/// f(xⱼ) below the best value b:  factor Φ((b − f(xⱼ))/σ), or a step if σ = 0     → mean, variance of f(xⱼ)
///   a = (b − m)/√(v + σ²),   m′ = m − v/√(v + σ²) λ(a),   v′ = v − v²/(v + σ²) κ(a)
/// f(x) ≥ f(xⱼ):                  a step in d = f(x) − f(xⱼ) of mean μ, variance w
///   s²(x | xⱼ) = s² − (s² − c)²/w κ(μ/√w),   λ = φ/Φ,   κ(a) = λ(a)(a + λ(a))
/// ```
///
/// The first moves f(x) along by their covariance c. That the gradient vanishes at xⱼ and that the other representers are
/// higher is not used. Never below 0.
///
/// Cost: `prepare` G³/3 + S·G², `score` O(G) beyond [`Surrogate::against`]. If the model has finite degrees of freedom the
/// draws have them, while the moments are those of normal predictions.
///
/// Used by one thread at a time; it lives as long as the memory lent to it, and a preparation holds until the model is
/// anchored elsewhere.
///
/// # References
/// Hernández-Lobato, Hoffman and Ghahramani, *Predictive Entropy Search for Efficient Global Optimization of Black-box
/// Functions*, 2014, equations 2, 10 and 11.
#[derive(Debug)]
pub(crate) struct PredictiveEntropy<'a, R> {
    joint: Joint<'a, R>,
    draw: &'a mut [R],
    covariances: &'a mut [R],
    /// pⱼ
    shares: &'a mut [R],
    /// v, m′ and v′ of each representer.
    moments: &'a mut [R],
    draws: usize,
    noise: R,
}

impl<'a, R: Real> PredictiveEntropy<'a, R> {
    /// Scalars of memory for as many representers; the draws are not kept.
    pub(crate) const fn scalars(representers: usize) -> usize {
        Joint::<R>::scalars(representers) + 6 * representers
    }

    /// In memory of [`PredictiveEntropy::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] if a count is 0, [`Error::Shape`] if the memory is too small.
    pub(crate) fn new(memory: &'a mut [R], representers: usize, draws: usize) -> Result<Self, Error> {
        Error::Config.when(representers == 0 || draws == 0)?;
        let mut scratch = Scratch::new(memory);
        Ok(Self {
            joint: Joint::carve(&mut scratch, representers)?,
            draw: scratch.take(representers)?,
            covariances: scratch.take(representers)?,
            shares: scratch.take(representers)?,
            moments: scratch.take(representers.saturating_mul(3))?,
            draws,
            noise: R::ZERO,
        })
    }

    /// Anchors the representers and draws minimisers; `noise` is the variance σ² of a trial, `best` the best value, or ∞
    /// for no such condition.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are between one and the agreed number of representers, [`Error::NotFinite`] if the
    /// noise, the best value or a prediction is not a number, [`Error::NotPositiveDefinite`], and what the model reports.
    pub(crate) fn prepare(
        &mut self,
        model: &mut dyn Surrogate<R>,
        representers: &[R],
        noise: R,
        best: R,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        Error::NotFinite.when(!(noise >= R::ZERO && noise.is_finite()) || best.is_nan())?;
        let count = self.joint.anchor(model, representers)?;
        self.noise = noise;
        self.shares.fill(R::ZERO);
        let share = R::ONE / R::of_usize(self.draws);
        for _ in 0..self.draws {
            self.joint.draw(generator, self.draw)?;
            self.shares[self.joint.lowest(&self.draw[..count]).0] += share;
        }
        for (j, moments) in self.moments.chunks_exact_mut(3).take(count).enumerate() {
            let (mean, side) = (self.joint.means()[j], row(self.joint.factor(), j));
            let variance = dot(side, side);
            let total = (variance + noise).sqrt();
            moments.copy_from_slice(&[variance, mean, variance]);
            let a = (best - mean) / total;
            if variance > R::ZERO && a.is_finite() {
                let (rise, loss) = truncation(a);
                let slope = variance / total;
                moments[1] = mean - slope * rise;
                moments[2] = (variance - slope * slope * loss).max(R::ZERO);
            }
        }
        Ok(())
    }

    /// s²(x | xⱼ).
    fn known(&self, j: usize, mean: R, variance: R) -> R {
        let [before, lower, after] = [0, 1, 2].map(|k| self.moments[3 * j + k]);
        if before <= R::ZERO {
            // The value at xⱼ is certain and the step is against a constant.
            let (_, loss) = truncation((mean - self.joint.means()[j]) / variance.sqrt());
            return variance * (R::ONE - loss);
        }
        let slope = self.covariances[j] / before;
        let mean = mean + slope * (lower - self.joint.means()[j]);
        let variance = (variance + slope * slope * (after - before)).max(R::ZERO);
        let covariance = slope * after;
        let spread = variance + after - R::TWO * covariance;
        // The same point, or one that moves with it: the difference is certain.
        if spread <= R::of(16.0) * R::EPSILON * (variance + after) {
            return variance;
        }
        let (_, loss) = truncation((mean - lower) / spread.sqrt());
        let along = variance - covariance;
        (variance - along * along / spread * loss).max(R::ZERO)
    }
}

impl<R: Real> AcquisitionFunction<R> for PredictiveEntropy<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        one_by_one(self, model, points, out)
    }

    /// α at a point; the lowest number if its prediction is not one.
    ///
    /// # Errors
    /// [`Error::NoData`] before a preparation, and what the model reports.
    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let (prediction, covariances) = self.joint.against(model, point, self.covariances)?;
        let (mean, variance) = (prediction.mean, prediction.variance.max(R::ZERO));
        let finite = covariances.iter().all(|c| c.is_finite());
        if !(finite && mean.is_finite() && variance.is_finite()) {
            return Ok(worst());
        }
        // Relative to itself, so that a trial without noise is no quotient of two zeros.
        let total = variance + self.noise;
        if variance == R::ZERO {
            return Ok(R::ZERO);
        }
        let mut gain = R::ZERO;
        for j in (0..self.joint.count()).filter(|&j| self.shares[j] > R::ZERO) {
            let left = (self.known(j, mean, variance) + self.noise) / total;
            gain -= self.shares[j] * R::HALF * left.clamp(R::EPSILON * R::EPSILON, R::ONE).ln();
        }
        Ok(gain)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::tests::support::Table;
    use super::{AcquisitionFunction, PredictiveEntropy};
    use crate::error::Error;
    use crate::rng::{self, Generator};

    const MATRIX: [f64; 4] = [0.7, 0.4, 0.4, 1.1];

    fn gain(table: &mut Table, points: &[f64], noise: f64, best: f64, at: f64) -> f64 {
        let mut memory = vec![0.0; PredictiveEntropy::<f64>::scalars(points.len())];
        let mut search = PredictiveEntropy::new(&mut memory, points.len(), 100_000).unwrap();
        search.prepare(table, points, noise, best, &mut Generator::new(2)).unwrap();
        search.score(table, &[at]).unwrap()
    }

    /// Variance of f(x) among 10⁵ or more joint draws that are kept with the given probability, and its standard error.
    fn kept(means: [f64; 2], keep: impl Fn(f64, f64) -> f64) -> (f64, f64) {
        let generator = &mut Generator::new(8);
        let l = [MATRIX[0].sqrt(), MATRIX[1] / MATRIX[0].sqrt()];
        let rest = (MATRIX[3] - l[1] * l[1]).sqrt();
        let (mut n, mut sums) = (0.0, [0.0; 4]);
        for _ in 0..400_000 {
            let (a, b): (f64, f64) = (rng::normal(generator), rng::normal(generator));
            let star = means[0] + l[0] * a;
            let x = means[1] + l[1] * a + rest * b;
            if rng::uniform::<f64, _>(generator) < keep(star, x) {
                n += 1.0;
                let d = x - means[1];
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum += d.powi(k as i32 + 1);
                }
            }
        }
        let m = sums.map(|s| s / n);
        let variance = m[1] - m[0] * m[0];
        let fourth = m[3] - 4.0 * m[0] * m[2] + 6.0 * m[0] * m[0] * m[1] - 3.0 * m[0].powi(4);
        assert!(n >= 1e5);
        (variance, ((fourth - variance * variance) / n).sqrt())
    }

    /// One representer is the minimiser for certain; without a best value the variance given f(x) ≥ f(x*) is exact.
    #[test]
    fn the_step_has_the_variance_of_the_kept_draws() {
        for means in [[0.0, 0.3], [0.2, -0.1], [-0.5, 0.5]] {
            for noise in [0.0, 0.3] {
                let mut table = Table::new(&means, &MATRIX);
                let (variance, error) = kept(means, |star, x| f64::from(x >= star));
                let expected = 0.5 * ((MATRIX[3] + noise) / (variance + noise)).ln();
                let bound = 4.0 * 0.5 * error / (variance + noise);
                let value = gain(&mut table, &[0.0], noise, f64::INFINITY, 1.0);
                assert!((value - expected).abs() < bound, "{means:?} {noise} {value} {expected}");
            }
        }
    }

    /// With the candidate far above, the step says nothing and the best value everything, again exactly.
    #[test]
    fn the_best_value_has_the_variance_of_the_kept_draws() {
        let means = [0.0, 50.0];
        for (noise, best) in [(0.0f64, 0.1), (0.25, -0.2)] {
            let mut table = Table::new(&means, &MATRIX);
            let (variance, error) = kept(means, |star, _| {
                if noise == 0.0 {
                    f64::from(star <= best)
                } else {
                    crate::stats::normal::cdf((best - star) / noise.sqrt())
                }
            });
            let expected = 0.5 * ((MATRIX[3] + noise) / (variance + noise)).ln();
            let value = gain(&mut table, &[0.0], noise, best, 1.0);
            let bound = 4.0 * 0.5 * error / (variance + noise);
            assert!((value - expected).abs() < bound, "{noise} {best} {value} {expected}");
        }
    }

    /// Shares are the probabilities of being lowest: Φ of the difference for two.
    #[test]
    fn shares_are_probabilities() {
        let mut table = Table::new(&[0.0, 0.4], &MATRIX);
        let mut memory = [0.0; PredictiveEntropy::<f64>::scalars(2)];
        let mut search = PredictiveEntropy::new(&mut memory, 2, 100_000).unwrap();
        search.prepare(&mut table, &[0.0, 1.0], 0.0, 1.0, &mut Generator::new(3)).unwrap();
        let p: f64 = crate::stats::normal::cdf(0.4 / (0.7 + 1.1 - 0.8f64).sqrt());
        assert!((search.shares[0] - p).abs() < 4.0 * (p * (1.0 - p) / 1e5).sqrt());
        assert!((search.shares[0] + search.shares[1] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn edges() {
        let mut table = Table::new(&[0.0, 0.4, f64::NAN], &[0.7, 0.4, 0.0, 0.4, 1.1, 0.0, 0.0, 0.0, 1.0]);
        // At the minimiser itself only the best value counts.
        assert!(gain(&mut table, &[0.0], 0.1, f64::INFINITY, 0.0).abs() < 1e-12);
        assert!(gain(&mut table, &[0.0], 0.1, -0.5, 0.0) > 0.05);
        assert!(gain(&mut table, &[0.0, 0.0, 0.0], 0.0, 0.0, 1.0).is_finite());
        assert_eq!(gain(&mut table, &[0.0], 0.1, 0.0, 2.0), -f64::MAX);
        // Certain representers: a step against a constant; certain candidates teach nothing.
        let mut certain = Table::new(&[0.0, 0.4], &[0.0, 0.0, 0.0, 1.0]);
        let (_, loss) = super::truncation(0.4);
        assert!((gain(&mut certain, &[0.0], 0.0, 0.0, 1.0) + 0.5 * f64::ln(1.0 - loss)).abs() < 1e-12);
        assert_eq!(gain(&mut certain, &[1.0], 0.0, 0.0, 0.0), 0.0);
        let mut memory = [0.0; PredictiveEntropy::<f64>::scalars(2)];
        assert_eq!(PredictiveEntropy::new(&mut memory, 2, 0).unwrap_err(), Error::Config);
        assert_eq!(PredictiveEntropy::new(&mut memory, 0, 2).unwrap_err(), Error::Config);
        assert!(PredictiveEntropy::new(&mut memory[1..], 2, 2).is_err());
        let mut search = PredictiveEntropy::new(&mut memory, 2, 10).unwrap();
        let generator = &mut Generator::new(1);
        assert_eq!(search.score(&mut table, &[0.0]), Err(Error::NoData));
        assert_eq!(search.prepare(&mut table, &[0.0], -1.0, 0.0, generator), Err(Error::NotFinite));
        assert_eq!(search.prepare(&mut table, &[0.0], 0.0, f64::NAN, generator), Err(Error::NotFinite));
        assert_eq!(search.prepare(&mut table, &[2.0], 0.0, 0.0, generator), Err(Error::NotFinite));
    }
}
