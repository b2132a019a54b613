//! Student's t distribution with any positive number of degrees of freedom.
//!
//! ```text
//! P(T > t) = ½·I(x; ν/2, ½),  x = ν/(ν + t²),  for t ≥ 0
//! ```
//!
//! I is the regularised incomplete beta function, from a continued fraction that is written in 1 − x so that nothing
//! cancels for many degrees of freedom. For infinitely many it is the normal distribution. Every function returns NaN
//! unless the degrees of freedom are at least 2⁻⁷, which no model has fewer than.

use super::normal;
use crate::real::Real;

/// The density.
///
/// ```text
/// t(t; ν) = Γ((ν + 1)/2)/(Γ(ν/2)·√(πν))·(1 + t²/ν)^(−(ν + 1)/2)
/// ```
#[must_use]
pub fn density<R: Real>(t: R, freedom: R) -> R {
    if freedom == R::INFINITY { normal::density(t) } else { log_density(t, freedom).exp() }
}

/// The logarithm of the density, finite wherever t is.
#[must_use]
pub fn log_density<R: Real>(t: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::log_density(t);
    }
    let Some(point) = Point::new(t.abs(), freedom) else { return R::NAN };
    let shape = R::HALF * freedom;
    point.log_ratio - (shape + R::HALF) * point.log_square - R::HALF * (freedom.ln() + R::of(LN_PI))
}

/// The probability of a value below `t`.
///
/// The relative error grows with |ln P|, on which it is below 4 ulp plus 16 ulp on P. Cost: at most 300 steps of a
/// continued fraction, mostly below 30.
///
/// # References
/// DiDonato and Morris, *Algorithm 708: Significant Digit Computation of the Incomplete Beta Function Ratios*, ACM TOMS
/// 18(3), 1992, equation 9 (the continued fraction).
#[must_use]
pub fn cdf<R: Real>(t: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::cdf(t);
    }
    let Some(point) = Point::new(t.abs(), freedom) else { return R::NAN };
    let part = point.log_part().exp();
    match (point.outer, t > R::ZERO) {
        (true, false) => part,
        (true, true) => R::ONE - part,
        (false, false) => R::HALF - part,
        (false, true) => R::HALF + part,
    }
}

/// The logarithm of [`cdf`], finite wherever t is.
#[must_use]
pub fn log_cdf<R: Real>(t: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::log_cdf(t);
    }
    let Some(point) = Point::new(t.abs(), freedom) else { return R::NAN };
    let log_part = point.log_part();
    match (point.outer, t > R::ZERO) {
        (true, false) => log_part,
        (true, true) => (-log_part.exp()).ln_1p(),
        (false, false) => (R::HALF - log_part.exp()).ln(),
        (false, true) => (R::HALF + log_part.exp()).ln(),
    }
}

/// The value with probability `p` below it; infinite at 0 and 1, NaN outside.
///
/// Newton's method on the probability in the centre, on its logarithm against ln t in the tails: both functions are
/// concave there, so that it converges from one side. Cost: mostly below 8 evaluations of [`cdf`], never more than 60.
#[must_use]
pub fn quantile<R: Real>(p: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::quantile(p);
    }
    if !(p >= R::ZERO && p <= R::ONE) || Point::new(R::ZERO, freedom).is_none() {
        return R::NAN;
    }
    let from_centre = p - R::HALF;
    let tail = p.min(R::ONE - p);
    let t = if tail == R::ZERO {
        R::INFINITY
    } else if tail > R::of(0.25) {
        central_quantile(from_centre.abs(), freedom)
    } else {
        tail_quantile(tail, freedom)
    };
    if from_centre < R::ZERO { -t } else { t }
}

/// The `t ≥ 0` with this probability between 0 and it, at most ¼.
fn central_quantile<R: Real>(part: R, freedom: R) -> R {
    // The density falls from the centre, so that the tangent there gives a point too near.
    let mut t = part / density(R::ZERO, freedom);
    for _ in 0..STEPS {
        let Some(point) = Point::new(t, freedom) else { break };
        let inner = point.log_part().exp();
        let reached = if point.outer { R::HALF - inner } else { inner };
        let step = (part - reached) / density(t, freedom);
        t += step;
        if step.abs() <= R::TWO * R::EPSILON * t {
            break;
        }
    }
    t
}

/// The `t > 0` with this probability above it, at most ¼.
fn tail_quantile<R: Real>(tail: R, freedom: R) -> R {
    let target = tail.ln();
    // The tails are heavier than those of the normal distribution.
    let mut t = -normal::quantile(tail);
    for _ in 0..STEPS {
        let log_tail = log_cdf(-t, freedom);
        // −d ln P/d ln t
        let slope = t * (log_density(t, freedom) - log_tail).exp();
        let step = (log_tail - target) / slope;
        t *= step.exp();
        if step.abs() <= R::TWO * R::EPSILON || !t.is_finite() {
            break;
        }
    }
    t
}

const STEPS: usize = 60;

/// What the density and the probability at one `t ≥ 0` share.
struct Point<R> {
    shape: R,
    /// t/√ν
    scaled: R,
    /// ln(1 + t²/ν)
    log_square: R,
    /// ν/(ν + t²)
    x: R,
    /// t²/(ν + t²)
    y: R,
    /// ln Γ(ν/2 + ½) − ln Γ(ν/2)
    log_ratio: R,
    /// Whether t > 1, where the fraction for the tail converges; within, that for the centre does.
    outer: bool,
}

impl<R: Real> Point<R> {
    /// `None` if t is NaN or there are too few degrees of freedom.
    fn new(t: R, freedom: R) -> Option<Self> {
        if t.is_nan() || !(freedom >= R::of(1.0 / 128.0) && freedom.is_finite()) {
            return None;
        }
        let shape = R::HALF * freedom;
        let scaled = t / freedom.sqrt();
        // Far out, 1 + s² is s² and may overflow.
        let (log_square, x, y) = if scaled * R::EPSILON > R::ONE {
            let inverse = R::ONE / scaled;
            (R::TWO * scaled.ln(), inverse * inverse, R::ONE)
        } else {
            let square = scaled * scaled;
            let whole = R::ONE + square;
            (square.ln_1p(), R::ONE / whole, square / whole)
        };
        Some(Self { shape, scaled, log_square, x, y, log_ratio: log_gamma_ratio(shape), outer: t > R::ONE })
    }

    /// The logarithm of P(T > t) if `outer`, of P(0 < T < t) if not.
    ///
    /// ```text
    /// ½·xᵃ·√y/B(a, ½)·F,  1/B(a, ½) = Γ(a + ½)/(Γ(a)·√π),  a = ν/2
    /// ```
    fn log_part(&self) -> R {
        let (a, x, y) = (self.shape, self.x, self.y);
        let balance = a * y - R::HALF * x;
        let fraction = if self.outer {
            fraction(a, R::HALF, x, y, balance)
        } else {
            fraction(R::HALF, a, y, x, -balance)
        };
        // √y = s·√x. The square root of a y that underflowed would be lost.
        let root = if self.y == R::ONE { R::ONE } else { self.scaled * x.sqrt() };
        self.log_ratio - a * self.log_square - R::of(LN_TWO_ROOT_PI) + (root * fraction).ln()
    }
}

/// The continued fraction F(x; a, b) with I(x; a, b) = xᵃ·yᵇ/B(a, b)·F, y = 1 − x and `balance` = a·y − b·x ≥ 0.
fn fraction<R: Real>(a: R, b: R, x: R, y: R, balance: R) -> R {
    let start = R::ONE + balance;
    let first = R::ONE + R::ONE / a;
    let (mut previous, mut current) = ([R::ZERO, R::ONE], [R::ONE, start / first]);
    let mut value = first / start;
    let mut p = R::ONE;
    let mut s = a + R::ONE;
    for step in 1..=300usize {
        let n = R::of_usize(step);
        let t = n / a;
        let w = n * (b - n) * x;
        let e = a / s;
        let alpha = p * (p + b / a) * e * e * (w * x);
        let beta = n + w / s + (R::ONE + t) / (first + t + t) * (start + n * (R::ONE + y));
        p = R::ONE + t;
        s += R::TWO;
        let next = [alpha * previous[0] + beta * current[0], alpha * previous[1] + beta * current[1]];
        let before = value;
        value = next[0] / next[1];
        if (value - before).abs() <= R::EPSILON * value {
            break;
        }
        // Only ratios matter; dividing keeps them in range.
        previous = [current[0] / next[1], current[1] / next[1]];
        current = [value, R::ONE];
    }
    value
}

/// ln Γ(x + ½) − ln Γ(x) without the cancellation of the two, x > 0.
///
/// ```text
/// ½ ln x − 1/(8x) + 1/(192x³) − 1/(640x⁵) + 17/(14336x⁷) − 31/(18432x⁹) + 691/(180224x¹¹)
/// ```
///
/// for x ≥ 12, where the next term is below 10⁻¹⁵; smaller x are raised by Γ(x + 1) = x·Γ(x).
fn log_gamma_ratio<R: Real>(x: R) -> R {
    let mut x = x;
    let mut product = R::ONE;
    while x < R::of(12.0) {
        product *= (x + R::HALF) / x;
        x += R::ONE;
    }
    let inverse = R::ONE / x;
    let square = inverse * inverse;
    let terms = [-1.0 / 8.0, 1.0 / 192.0, -1.0 / 640.0, 17.0 / 14336.0, -31.0 / 18432.0, 691.0 / 180_224.0];
    let sum = terms.iter().rev().fold(R::ZERO, |sum, &term| sum * square + R::of(term));
    R::HALF * x.ln() + inverse * sum - product.ln()
}

const LN_PI: f64 = 1.144_729_885_849_400_2;
const LN_TWO_ROOT_PI: f64 = 1.265_512_123_484_645_4;
