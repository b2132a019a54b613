//! The Student-t process: a Gaussian process whose overall variance is unknown.
//!
//! It has the mean of the Gaussian process with the same kernel. How far its predictions spread depends on what was
//! observed: wider if the data vary more than the kernel believes, narrower if they vary less.
//!
//! ```text
//! f | y ~ T(ν + m,  mean of the GP,  (ν + β₁ − 2)/(ν + m − 2) · covariance of the GP),   β₁ = eᵀe, m = n − p
//! ```
//!
//! The third argument is the covariance; a textbook's scale matrix is (ν + m − 2)/(ν + m) of it. m counts the
//! observations beyond those that the p basis functions of the trend take up, without those left out. For ν → ∞ all is the Gaussian process.
//!
//! # References
//! Shah, Wilson and Ghahramani, *Student-t Processes as Alternatives to Gaussian Processes*, 2014, lemma 3 and section 3.

mod train;
mod view;

pub use view::Student;

use super::evidence;
use crate::backend::{Backend, Posterior, Regression};
use crate::error::Error;
use crate::kernel::{Covariance, MAX_LOG, MIN_SD, Prior};
use crate::linalg;
use crate::math::golden_section;
use crate::real::Real;
use crate::stats::student::log_gamma_ratio;

/// The degrees of freedom ν > 2 of a process as a hyperparameter: ln(ν − 2), with bounds and a prior.
///
/// Equal bounds fix it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Freedom<R> {
    /// ln(ν − 2); infinite for a Gaussian process.
    pub value: R,
    /// Lower bound.
    pub lo: R,
    /// Upper bound.
    pub hi: R,
    /// Mean of the prior.
    pub prior_mean: R,
    /// Precision (1/sd²) of the prior; 0 for a flat one.
    pub prior_precision: R,
}

impl<R: Real> Freedom<R> {
    /// That many degrees of freedom; infinitely many are a Gaussian process.
    ///
    /// # Errors
    /// [`Error::Config`] unless there are more than 2.
    pub(crate) fn fixed(degrees: f64) -> Result<Self, Error> {
        if degrees == f64::INFINITY {
            let value = R::INFINITY;
            return Ok(Self { value, lo: value, hi: value, prior_mean: R::ZERO, prior_precision: R::ZERO });
        }
        Self::fitted(degrees, degrees, degrees, Prior::Flat)
    }

    /// Degrees of freedom that training may move from `lo` to `hi`; the prior is one of ν − 2.
    ///
    /// # Errors
    /// [`Error::Config`] unless 2 < `lo` ≤ `degrees` ≤ `hi` < ∞ and the prior is one.
    pub(crate) fn fitted(degrees: f64, lo: f64, hi: f64, prior: Prior) -> Result<Self, Error> {
        let (prior_mean, prior_precision) = match prior {
            Prior::Flat => (0.0, 0.0),
            Prior::LogNormal { mean, sd } if mean.is_finite() && sd >= MIN_SD && sd.is_finite() => {
                (mean, 1.0 / (sd * sd))
            }
            Prior::LogNormal { .. } | Prior::Uniform | Prior::Gamma { .. } | Prior::Horseshoe { .. } => {
                return Err(Error::Config);
            }
        };
        let [value, lo, hi] = [degrees, lo, hi].map(|v| libm::log(v - 2.0));
        Error::Config.when(!(-MAX_LOG <= lo && lo <= value && value <= hi && hi <= MAX_LOG))?;
        let [value, lo, hi, prior_mean, prior_precision] =
            [value, lo, hi, prior_mean, prior_precision].map(R::of);
        Ok(Self { value, lo, hi, prior_mean, prior_precision })
    }

    /// ν
    pub(crate) fn degrees(&self) -> R {
        R::TWO + self.value.exp()
    }

    /// Moves ν to where the density of the data and its prior have their highest product, within the bounds.
    ///
    /// The kernel counts only through β₁ = `square` and m = `count`, so that no factor is needed. A grid of 16 points,
    /// then golden section. Cost: 20·m logarithms.
    pub(crate) fn fit(&mut self, square: R, count: usize) {
        if self.lo >= self.hi {
            return;
        }
        let at = |value: R| {
            let (log, _) = law(value.exp(), square, count);
            let posterior = log + self.log_prior(value).0;
            if posterior.is_nan() { -R::INFINITY } else { posterior }
        };
        let step = (self.hi - self.lo) / R::of_usize(GRID);
        let place = |i: usize| (self.lo + step * R::of_usize(i)).min(self.hi);
        let (mut best, mut highest) = (0, -R::INFINITY);
        for i in 0..=GRID {
            let value = at(place(i));
            if value > highest {
                (best, highest) = (i, value);
            }
        }
        let (lo, hi) = (place(best.saturating_sub(1)), place((best + 1).min(GRID)));
        let (_, (inside, value)) = golden_section(lo, hi, 24, at);
        self.value = if value > highest { inside } else { place(best) };
    }

    /// The log prior up to a constant, and its slope.
    pub(crate) fn log_prior(&self, value: R) -> (R, R) {
        if self.prior_precision <= R::ZERO {
            return (R::ZERO, R::ZERO);
        }
        let away = value - self.prior_mean;
        let pull = self.prior_precision * away;
        (-R::HALF * pull * away, -pull)
    }
}

/// Points of the first search for ν.
const GRID: usize = 16;

/// How the predictions of a Student-t process differ from those of the Gaussian process with the same factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail<R> {
    /// Degrees of freedom of a prediction: ν + m.
    pub freedom: R,
    /// What the Gaussian process calls variance, times this, is the variance: (ν + β₁ − 2)/(ν + m − 2).
    pub covariance: R,
    /// What the Gaussian process calls variance, times this, is the square of the scale: (ν + β₁ − 2)/(ν + m).
    pub scale: R,
}

impl<R: Real> Tail<R> {
    /// That of the Gaussian process itself.
    pub(crate) const NORMAL: Self = Self { freedom: R::INFINITY, covariance: R::ONE, scale: R::ONE };

    /// From ν, β₁ and m.
    ///
    /// # Errors
    /// [`Error::Config`] unless ν > 2 and β₁ is a number.
    pub(crate) fn new(freedom: R, square: R, count: usize) -> Result<Self, Error> {
        if freedom == R::INFINITY {
            return Ok(Self::NORMAL);
        }
        Error::Config.when(!(freedom > R::TWO && square.is_finite()))?;
        let whole = freedom - R::TWO + square.max(R::ZERO);
        let after = freedom + R::of_usize(count);
        Ok(Self { freedom: after, covariance: whole / (after - R::TWO), scale: whole / after })
    }

    /// From ν and a fitted Gaussian process with the targets of its rows. Cost: O(n·p).
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::Shape`] if there are not as many targets as rows, [`Error::Config`] unless ν > 2.
    pub fn of(posterior: &Posterior<'_, R>, targets: &[R], freedom: R) -> Result<Self, Error> {
        Self::new(freedom, square(posterior, targets)?, count(posterior)?)
    }
}

/// β₁ = (y − Hβ)ᵀK⁻¹(y − Hβ) of a fitted process. Cost: O(n·p).
///
/// # Errors
/// [`Error::NoData`], [`Error::Shape`] if there are not as many targets as rows.
pub fn square<R: Real>(posterior: &Posterior<'_, R>, targets: &[R]) -> Result<R, Error> {
    let n = posterior.inputs.rows;
    count(posterior)?;
    Error::Shape { needed: n }.when(targets.len() != n || posterior.alpha.len() != n)?;
    let dims = posterior.inputs.x.len() / n;
    let mut sum = R::ZERO;
    for (i, (&alpha, &target)) in posterior.alpha.iter().zip(targets).enumerate() {
        let mut residual = target;
        let point = &posterior.inputs.x[i * dims..(i + 1) * dims];
        posterior.trend.basis(point, |column, value| residual -= posterior.beta[column] * value);
        sum += alpha * residual;
    }
    Ok(sum.max(R::ZERO))
}

/// m = n − p of a fitted process.
fn count<R: Real>(posterior: &Posterior<'_, R>) -> Result<usize, Error> {
    let n = posterior.inputs.rows;
    let columns = posterior.trend.columns(posterior.inputs.x.len() / n.max(1));
    let rank = linalg::rank(posterior.normal, columns);
    if n <= rank { Err(Error::NoData) } else { Ok(n - rank) }
}

/// The log evidence of a Student-t process and, unless `gradient` is empty, its derivatives in θ.
///
/// ```text
/// ln Γ((ν+m)/2) − ln Γ(ν/2) − (m/2) ln((ν−2)π) − ½ ln|K| − ½ ln|A| − ((ν+m)/2) ln(1 + β₁/(ν−2))
/// ∂/∂θ = ½ Σᵢⱼ (c αᵢαⱼ − Pᵢⱼ) ∂Kᵢⱼ/∂θ,   c = (ν + m)/(ν − 2 + β₁)
/// ```
///
/// Infinitely many degrees of freedom give the Gaussian process, to the bit. Memory and cost: as `evidence::evaluate`,
/// and m/2 logarithms.
///
/// # Errors
/// As `evidence::evaluate`; [`Error::Config`] unless ν > 2; [`Error::Unsupported`] for another objective than evidence.
pub fn evaluate<R: Real, B: Backend<R> + ?Sized>(
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    request: &Regression<'_, R>,
    freedom: R,
    gradient: &mut [R],
    factor: &mut [R],
    work: &mut [R],
) -> Result<R, Error> {
    Error::Config.when(freedom.is_nan() || freedom <= R::TWO)?;
    if freedom == R::INFINITY {
        return evidence::evaluate(covariance, backend, request, None, gradient, factor, work);
    }
    let by = |square: R, count: usize| law(freedom - R::TWO, square, count);
    let value = evidence::evaluate(covariance, backend, request, Some(&by), gradient, factor, work)?;
    if value.is_nan() { Err(Error::NotPositiveDefinite { row: 0 }) } else { Ok(value) }
}

/// The law of m values with sum of squares β₁, whose variances are 1: the logarithm of its density, and −2 ∂/∂β₁ of that.
///
/// ν − 2 is `excess`, β₁ `square` and m `count`.
///
/// The gamma functions are half an integer apart: with e = (ν − 2)/2
///
/// ```text
/// ln Γ((ν+m)/2) − ln Γ(ν/2) − (m/2) ln e = Σᵢ ln(1 + (i + 1)/e) + [m odd: ln Γ(x + ½) − ln Γ(x) − ½ ln e]
/// ```
///
/// over i < ⌊m/2⌋, x = e + 1 + ⌊m/2⌋: nothing cancels for any ν.
fn law<R: Real>(excess: R, square: R, count: usize) -> (R, R) {
    if excess == R::INFINITY {
        let log = -R::HALF * (square + R::of_usize(count) * R::of(LN_TWO_PI));
        return (log, R::ONE);
    }
    let half = R::HALF * excess;
    let mut log = R::ZERO;
    for i in 0..count / 2 {
        let rise = R::of_usize(i + 1);
        log += (rise / half).ln_1p();
    }
    if count % 2 == 1 {
        let x = half + R::of_usize(1 + count / 2);
        log += log_gamma_ratio(x) - R::HALF * half.ln();
    }
    let all = R::HALF * (excess + R::TWO + R::of_usize(count));
    let bent = (square / excess).ln_1p();
    (log - R::HALF * R::of_usize(count) * R::of(LN_TWO_PI) - all * bent, R::TWO * all / (excess + square))
}

const LN_TWO_PI: f64 = 1.837_877_066_409_345_3;

#[cfg(test)]
mod tests;
