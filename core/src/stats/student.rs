//! Student's t distribution with any positive number of degrees of freedom.
//!
//! ```text
//! P(T > t) = ½·I(x; ν/2, ½),  x = ν/(ν + t²),  for t ≥ 0
//! ```
//!
//! I is the regularised incomplete beta function, from a continued fraction that is written in 1 − x so that nothing
//! cancels for many degrees of freedom. For infinitely many it is the normal distribution. Every function returns NaN
//! unless the degrees of freedom are at least 2⁻⁷, which no model has fewer than.

mod gain;

pub(crate) use gain::h;
pub(crate) use gain::{log_h, log_h_slope};

use super::normal;
use crate::real::Real;

/// The density.
///
/// ```text
/// t(t; ν) = Γ((ν + 1)/2)/(Γ(ν/2)·√(πν))·(1 + t²/ν)^(−(ν + 1)/2)
/// ```
pub(crate) fn density<R: Real>(t: R, freedom: R) -> R {
    if freedom == R::INFINITY { normal::density(t) } else { log_density(t, freedom).exp() }
}

/// The logarithm of the density, finite wherever t/√ν is.
pub(crate) fn log_density<R: Real>(t: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::log_density(t);
    }
    let Some(point) = Point::new(t.abs(), freedom) else { return R::NAN };
    let shape = R::HALF * freedom;
    point.log_ratio - (shape + R::HALF) * point.log_square - R::HALF * (freedom.ln() + R::of(LN_PI))
}

/// The probability of a value below `t`.
///
/// The relative error is below (100 + 4·|ln P|)·ε, also in the lower tail. Cost: at most 300 steps of a continued
/// fraction, mostly below 30.
///
/// # References
/// DiDonato and Morris, *Algorithm 708: Significant Digit Computation of the Incomplete Beta Function Ratios*, ACM TOMS
/// 18(3), 1992, routine BFRAC.
pub(crate) fn cdf<R: Real>(t: R, freedom: R) -> R {
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

/// The logarithm of [`cdf`], finite wherever t/√ν is.
pub(crate) fn log_cdf<R: Real>(t: R, freedom: R) -> R {
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

/// The value with probability `p` below it; infinite at 0 and 1, NaN outside; beyond the range, a large number.
///
/// Newton's method on the probability in the centre, on its logarithm against ln t in the tails: both functions are
/// concave there, so that it converges from one side. Cost: mostly below 8 evaluations of [`cdf`], never more than 60.
pub(crate) fn quantile<R: Real>(p: R, freedom: R) -> R {
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
    } else if tail >= cdf(-R::ONE, freedom) {
        central_quantile(from_centre.abs(), freedom)
    } else {
        tail_quantile(tail, freedom)
    };
    if from_centre < R::ZERO { -t } else { t }
}

/// The `t` in [0, 1] with this probability between 0 and it.
fn central_quantile<R: Real>(part: R, freedom: R) -> R {
    // The density falls from the centre, so that the tangent there gives a point too near.
    let mut t = part / density(R::ZERO, freedom);
    for _ in 0..STEPS {
        let Some(point) = Point::new(t, freedom) else { break };
        let step = (part - point.log_part().exp()) / density(t, freedom);
        t += step;
        if step.abs() <= R::TWO * R::EPSILON * t {
            break;
        }
    }
    t
}

/// The `t > 1` with this probability above it.
fn tail_quantile<R: Real>(tail: R, freedom: R) -> R {
    let target = tail.ln();
    // So that t/√ν stays finite for the fewest degrees of freedom.
    let limit = R::MAX * R::of(1.0 / 16.0);
    // The tails are heavier than those of the normal distribution.
    let mut t = R::ONE.max(-normal::quantile(tail));
    for _ in 0..STEPS {
        let log_tail = log_cdf(-t, freedom);
        // −d ln P/d ln t
        let slope = t * (log_density(t, freedom) - log_tail).exp();
        let step = (log_tail - target) / slope;
        t = (t * step.exp()).min(limit);
        if step.abs() <= R::TWO * R::EPSILON {
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
    /// Whether to go by the tail. The fractions for tail and centre converge where t > 1 and t < 1; a little beyond,
    /// that for the centre still loses less.
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
        Some(Self {
            shape,
            scaled,
            log_square,
            x,
            y,
            log_ratio: log_gamma_ratio(shape),
            outer: t > R::of(1.25),
        })
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

/// The continued fraction F(x; a, b) with I(x; a, b) = xᵃ·yᵇ/B(a, b)·F, y = 1 − x and `balance` = a·y − b·x.
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
pub(crate) fn log_gamma_ratio<R: Real>(x: R) -> R {
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

#[cfg(test)]
mod tests {
    use super::{cdf, density, log_cdf, log_density, quantile};
    use crate::real::Real;
    use crate::stats::normal;

    /// t, ν, density, P and ln P by mpmath 1.3 with 40 digits (`betainc`; for a million degrees of freedom `quad`).
    const TABLE: [[f64; 5]; 19] = [
        [
            -10_000_000_000.0,
            2.5,
            1.798_349_297_707_930_6e-35,
            7.193_397_190_831_722e-26,
            -57.894_048_869_405_98,
        ],
        [
            -1_000_000.0,
            0.5,
            1.603_504_877_070_513_2e-10,
            0.000_320_700_975_414_198_84,
            -8.045_001_409_753_736,
        ],
        [-200.0, 3.0, 2.067_173_270_213_338_5e-9, 1.378_198_199_520_458_2e-7, -15.797_318_657_417_522],
        [-30.0, 7.0, 1.365_884_879_719_618e-9, 5.894_234_440_366_57e-9, -18.949_291_177_316_33],
        [-30.0, 100.0, 1.258_416_336_896_566_8e-51, 4.190_166_279_344_146e-52, -118.301_684_417_736_08],
        [-8.0, 1_000.0, 1.307_725_820_317_059_5e-14, 1.713_330_741_195_737_3e-15, -34.000_337_117_033_645],
        [-5.0, 1.0, 0.012_242_687_930_145_796, 0.062_832_958_189_001_18, -2.767_275_531_246_829_3],
        [-1.01, 4.0, 0.212_520_253_457_348_46, 0.184_814_576_557_783_52, -1.688_402_245_408_034_3],
        [-1.0, 4.0, 0.214_662_525_839_979_8, 0.186_950_483_150_029_43, -1.676_911_493_181_345_8],
        [-0.99, 4.0, 0.216_813_383_761_979_73, 0.189_107_855_694_329_9, -1.665_437_761_640_508_5],
        [-0.3, 0.1, 0.104_044_105_461_798_08, 0.460_882_204_680_220_8, -0.774_612_789_937_657_8],
        [-1.0e-5, 3.0, 0.367_552_596_923_357_84, 0.499_996_324_474_030_6, -0.693_154_531_638_903_2],
        [0.5, 0.062_5, 0.050_984_139_657_330_875, 0.542_483_327_425_708_4, -0.611_597_926_895_623_5],
        [0.7, 5.0, 0.286_765_457_576_697_9, 0.742_425_525_842_591_8, -0.297_832_715_231_353_2],
        [1.5, 30.0, 0.128_961_601_739_671_75, 0.927_967_035_435_677, -0.074_759_068_986_694_15],
        [3.0, 2.0, 0.027_410_122_234_342_15, 0.952_267_016_866_645_4, -0.048_909_803_615_967_48],
        [40.0, 1.5, 5.583_057_715_307_845e-5, 0.998_510_187_804_534_4, -0.001_490_923_069_120_335_7],
        [-3.0, 1_000_000.0, 0.004_431_917_105_672_042, 0.001_349_931_270_710_898_5, -6.607_701_598_412_306],
        [-0.5, 1_000_000.0, 0.352_065_200_240_85, 0.308_537_593_736_185_67, -1.175_911_583_300_260_5],
    ];

    fn table<R: Real>() {
        for [t, freedom, dense, below, log_below] in TABLE {
            if R::of(t).to_f64() != t
                || R::of(freedom).to_f64() != freedom
                || below < R::MIN_POSITIVE.to_f64()
            {
                continue;
            }
            let epsilon = R::EPSILON.to_f64();
            let (x, f) = (R::of(t), R::of(freedom));
            let bound = (100.0 + 4.0 * log_below.abs()) * epsilon;
            assert!((cdf(x, f).to_f64() / below - 1.0).abs() < bound, "{t} {freedom}");
            assert!((log_cdf(x, f).to_f64() - log_below).abs() < bound, "{t} {freedom}");
            let bound = 8.0 * (1.0 + dense.ln().abs()) * epsilon;
            assert!((density(x, f).to_f64() / dense - 1.0).abs() < bound, "{t} {freedom}");
            assert!((log_density(x, f).to_f64() - dense.ln()).abs() < bound, "{t} {freedom}");
        }
    }

    #[test]
    fn agrees_with_many_digits() {
        table::<f64>();
        table::<f32>();
    }

    /// One and two degrees of freedom have closed forms.
    #[test]
    fn agrees_with_closed_forms() {
        for i in -400..400 {
            let t = f64::from(i) / 40.0;
            let cauchy = 0.5 + t.atan() / core::f64::consts::PI;
            assert!((cdf(t, 1.0) - cauchy).abs() < 1e-14, "{t}");
            let two = 0.5 + t / (2.0 * (2.0 + t * t).sqrt());
            assert!((cdf(t, 2.0) - two).abs() < 1e-14, "{t}");
            // The next order of 1/ν is 10⁻¹⁰ of it.
            assert!((cdf(t, 1e10) - normal::cdf(t)).abs() < 1e-10, "{t}");
            assert_eq!(cdf(t, f64::INFINITY), normal::cdf(t));
        }
    }

    fn back<R: Real>(tolerance: f64) {
        for freedom in [0.3, 1.0, 2.0, 4.5, 30.0, 1000.0, 1e6] {
            for p in [1e-30, 1e-9, 1e-4, 0.01, 0.1, 0.2, 0.24, 0.26, 0.3, 0.45, 0.4999, 0.5, 0.6, 0.9, 0.999]
            {
                let f = R::of(freedom);
                let t = quantile(R::of(p), f);
                if t == -R::MAX * R::of(1.0 / 16.0) {
                    assert!(log_cdf(t, f) > R::of(p).ln());
                    continue;
                }
                // The error of P is that of t times the condition number |t|·density/P.
                let condition = t.abs() * (log_density(t, f) - log_cdf(t, f)).exp();
                let wrong = (log_cdf(t, f).to_f64() - R::of(p).to_f64().ln()).abs();
                assert!(wrong < tolerance * (1.0 + condition.to_f64()), "{p} {freedom} {t}");
                let mirrored = quantile(R::ONE - R::of(p), f);
                assert!(
                    p < 0.2 || (mirrored + t).abs() <= R::of(tolerance) * (R::ONE + t.abs()),
                    "{p} {freedom}"
                );
            }
        }
    }

    #[test]
    fn quantiles_invert() {
        back::<f64>(4e-14);
        back::<f32>(2e-5);
        assert_eq!((quantile(0.0, 3.0), quantile(1.0, 3.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(quantile(0.3, f64::INFINITY), normal::quantile(0.3));
        // A quarter of Cauchy's distribution lies above 1.
        assert!((quantile(0.75, 1.0) - 1.0f64).abs() < 1e-14);
    }

    #[test]
    fn nonsense_gives_nan_and_the_far_tail_is_finite() {
        for freedom in [0.0, -1.0, f64::NAN, 1e-9] {
            assert!(cdf(0.3, freedom).is_nan() && log_cdf(0.3, freedom).is_nan());
            assert!(density(0.3, freedom).is_nan() && quantile(0.3, freedom).is_nan());
        }
        assert!(
            cdf(f64::NAN, 3.0).is_nan() && quantile(f64::NAN, 3.0).is_nan() && quantile(1.5, 3.0).is_nan()
        );
        for t in [1e20, 1e160, 1e300] {
            // P(T > t) → c·t^−ν: a power law in the logarithm.
            let far = log_cdf(-t, 3.0) + 3.0 * t.ln();
            assert!((far - (log_cdf(-1e6, 3.0) + 3.0 * 1e6f64.ln())).abs() < 1e-11);
            assert!(log_density(t, 3.0).is_finite() && cdf(t, 3.0) == 1.0);
        }
        assert_eq!((cdf(f64::NEG_INFINITY, 2.0), cdf(f64::INFINITY, 2.0)), (0.0, 1.0));
        assert!(log_cdf(-1e30f32, 2.0).is_finite() && quantile(1e-30, 1.0 / 128.0).is_finite());
        let mut before = 0.0;
        for i in 1..2000 {
            let now = cdf(f64::from(i) / 100.0 - 10.0, 5.0);
            assert!(now > before);
            before = now;
        }
    }
}
