//! The hyperparameters of a prior by their posterior density (MAP), and the factor at those.

use crate::block::Scratch;
use crate::error::Error;
use crate::lbfgs::{self, Budget};
use crate::linalg::{self, packed};
use crate::real::Real;

/// Of s, τ, κ, σ and ν: medians, and deviations of the logarithms.
const MEDIANS: [f64; COUNT] = [1.0, 1.0, 0.3, 1.0, 0.03];
const DEVIATIONS: [f64; COUNT] = [0.7, 0.5, 0.5, 0.7, 1.0];
const COUNT: usize = 5;
/// How far a logarithm may be from its median, in deviations.
const REACH: f64 = 4.0;
/// Added to ν² for the sake of the factor.
const FLOOR: f64 = 1e-8;
/// No value is farther from the average than that, in units of s₀.
const FAR: f64 = 1e6;

/// A fit, in units of s₀.
#[derive(Debug)]
pub(super) struct Fit<'p, R> {
    /// Told values.
    pub(super) values: &'p mut [R],
    /// K⁻¹(y − mean).
    pub(super) alpha: &'p mut [R],
    /// Σ φᵢφᵢ′ between the rows.
    pub(super) differ: &'p mut [R],
    /// R between them.
    pub(super) residual: &'p mut [R],
    pub(super) factor: &'p mut [R],
    inverse: &'p mut [R],
    scratch: &'p mut [R],
    theta: [R; COUNT],
    /// c₀.
    centre: R,
    /// The lowest value.
    pub(super) best: R,
    /// What was taken off the values.
    pub(super) average: R,
}

impl<'p, R: Real> Fit<'p, R> {
    pub(super) const fn scalars(trials: usize) -> usize {
        packed(trials).saturating_mul(4).saturating_add(2 * trials + lbfgs::scratch(COUNT))
    }

    pub(super) fn carve(memory: &mut Scratch<'p, R>, trials: usize) -> Result<Self, Error> {
        Ok(Self {
            values: memory.take(trials)?,
            alpha: memory.take(trials)?,
            differ: memory.take(packed(trials))?,
            residual: memory.take(packed(trials))?,
            factor: memory.take(packed(trials))?,
            inverse: memory.take(packed(trials))?,
            scratch: memory.take(lbfgs::scratch(COUNT))?,
            theta: MEDIANS.map(|median| R::of(median).ln()),
            centre: R::ZERO,
            best: R::ZERO,
            average: R::ZERO,
        })
    }

    /// s.
    pub(super) fn scale(&self) -> R {
        self.theta[0].exp()
    }

    /// The mean of the process where the sources have theirs.
    pub(super) fn mean(&self, common: R) -> R {
        self.centre + self.scale() * common
    }

    /// The covariance of two points, from Σ φᵢφᵢ′, μμ′ and R.
    pub(super) fn covariance(&self, differ: R, common: R, residual: R) -> R {
        let [s, tau, kappa, sigma, _] = self.theta.map(|log| (log + log).exp());
        s * (tau * differ + kappa * common + sigma * residual) + R::ONE
    }

    /// s, and what multiplies Σ φᵢφᵢ′, μμ′ and R in the covariance.
    pub(super) fn shares(&self) -> [R; 4] {
        let [s, tau, kappa, sigma, _] = self.theta.map(|log| (log + log).exp());
        [self.scale(), s * tau, s * kappa, s * sigma]
    }

    /// Puts the first `told` values in units, finds the hyperparameters, and factors the covariance of all rows.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`], [`Error::Shape`].
    pub(super) fn maximise(&mut self, told: usize, count: usize, common: &[R], unit: R) -> Result<(), Error> {
        let average = self.values[..told].iter().fold(R::ZERO, |sum, &y| sum + y / R::of_usize(told));
        self.average = average;
        let far = R::of(FAR);
        for y in &mut self.values[..told] {
            *y = ((*y - average) / unit).clamp(-far, far);
        }
        self.best = self.values[..told].iter().fold(far, |best, &y| best.min(y));
        // By the prior, s is 1.
        self.centre = -common[..told].iter().fold(R::ZERO, |sum, &mu| sum + mu / R::of_usize(told));
        let [lo, hi] = [-1.0, 1.0].map(|side| {
            core::array::from_fn::<R, COUNT, _>(|i| {
                R::of(MEDIANS[i]).ln() + R::of(side * REACH * DEVIATIONS[i])
            })
        });
        // Where there is much to learn from, few steps suffice.
        let evaluations = (2500 / told.max(1)).clamp(6, 30) as u32;
        let budget = Budget { evaluations, tolerance: 1e-5, reach: 0.05 };
        let mut theta = self.theta;
        let scratch = core::mem::take(&mut self.scratch);
        lbfgs::minimize(&mut theta, &lo, &hi, budget, scratch, &mut |theta, gradient| {
            self.theta.copy_from_slice(theta);
            self.loss(told, common, gradient).unwrap_or(R::INFINITY)
        });
        self.scratch = scratch;
        self.theta = theta;
        self.refactor(count, common)?;
        self.solve(told, common)
    }

    /// Factors the covariance of the first rows.
    fn refactor(&mut self, count: usize, common: &[R]) -> Result<(), Error> {
        let [s, tau, kappa, sigma, nu] = self.theta.map(|log| (log + log).exp());
        let (differ, residual) = (&*self.differ, &*self.residual);
        let mut most = R::ONE;
        for i in 0..count {
            let at = packed(i) + i;
            most = most.max(s * (tau * differ[at] + kappa * common[i] * common[i] + sigma * residual[at]));
        }
        let fill = |matrix: &mut [R]| {
            for a in 0..count {
                for b in 0..=a {
                    let at = packed(a) + b;
                    let sum = tau * differ[at] + kappa * common[a] * common[b] + sigma * residual[at];
                    matrix[at] = s * sum + R::ONE;
                }
                matrix[packed(a) + a] += s * (nu + R::of(FLOOR));
            }
        };
        linalg::factor_with_jitter(fill, self.factor, count, most).map(|_| ())
    }

    /// K⁻¹(y − mean) of the told rows.
    fn solve(&mut self, told: usize, common: &[R]) -> Result<(), Error> {
        let (scale, centre) = (self.scale(), self.centre);
        for ((alpha, &y), &mu) in self.alpha.iter_mut().zip(&*self.values).zip(common).take(told) {
            *alpha = y - centre - scale * mu;
        }
        linalg::solve_lower(self.factor, told, &mut self.alpha[..told])?;
        linalg::solve_upper(self.factor, told, &mut self.alpha[..told])
    }

    /// Minus the log posterior density at the present hyperparameters, and its derivatives in their logarithms.
    ///
    /// ```text
    /// ½ aᵀKa + ½ ln|K| + Σ ½((θ − m)/d)²,   ∂ = ½ tr(K⁻¹∂K) − ½ aᵀ∂K a − aᵀ∂mean + (θ − m)/d²
    /// ```
    fn loss(&mut self, told: usize, common: &[R], gradient: &mut [R]) -> Result<R, Error> {
        self.refactor(told, common)?;
        self.solve(told, common)?;
        linalg::invert(self.factor, told, self.inverse)?;
        let [s, tau, kappa, sigma, nu] = self.theta.map(|log| (log + log).exp());
        // tr(K⁻¹B) − aᵀBa of each part.
        let mut parts = [R::ZERO; 4];
        let (mut fitted, mut shift) = (R::ZERO, R::ZERO);
        for a in 0..told {
            let alpha = self.alpha[a];
            fitted += alpha * (self.values[a] - self.centre - self.scale() * common[a]);
            shift += alpha * self.scale() * common[a];
            for b in 0..=a {
                let at = packed(a) + b;
                let twice = if a == b { R::ONE } else { R::TWO };
                let weight = twice * (self.inverse[at] - alpha * self.alpha[b]);
                parts[0] += weight * self.differ[at];
                parts[1] += weight * common[a] * common[b];
                parts[2] += weight * self.residual[at];
                if a == b {
                    parts[3] += weight;
                }
            }
        }
        let shares =
            [tau * parts[0], kappa * parts[1], sigma * parts[2], nu * parts[3]].map(|share| s * share);
        let floor = s * R::of(FLOOR) * parts[3];
        gradient[0] = shares.iter().fold(floor, |sum, &share| sum + share) - shift;
        gradient[1..COUNT].copy_from_slice(&shares);
        let mut loss = R::HALF * (fitted + linalg::log_determinant(self.factor, told));
        for i in 0..COUNT {
            let z = (self.theta[i] - R::of(MEDIANS[i]).ln()) / R::of(DEVIATIONS[i]);
            loss += R::HALF * z * z;
            gradient[i] += z / R::of(DEVIATIONS[i]);
        }
        Ok(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn the_gradient_of_the_loss_is_its_slope() {
        let mut words = vec![0.0; Fit::<f64>::scalars(4)];
        let mut fit = Fit::carve(&mut Scratch::new(&mut words), 4).unwrap();
        fit.values.copy_from_slice(&[0.3, -0.4, 0.2, -0.1]);
        fit.differ.copy_from_slice(&[0.2, 0.1, 0.3, -0.05, 0.02, 0.25, 0.0, 0.1, 0.05, 0.2]);
        fit.residual.copy_from_slice(&[0.1, 0.02, 0.12, 0.01, 0.03, 0.1, 0.0, 0.01, 0.02, 0.11]);
        fit.centre = 0.05;
        let common = [0.2, -0.3, 0.1, 0.0];
        let theta = fit.theta.map(|log: f64| log + 0.2);
        fit.theta = theta;
        let mut gradient = [0.0; COUNT];
        fit.loss(4, &common, &mut gradient).unwrap();
        for i in 0..COUNT {
            let mut at = |shift: f64| {
                fit.theta = theta;
                fit.theta[i] += shift;
                fit.loss(4, &common, &mut [0.0; COUNT]).unwrap()
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((gradient[i] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{i}: {} {slope}", gradient[i]);
        }
    }
}
