//! The mean gain of a Student guess.

use super::{Point, cdf, density, fraction, log_cdf};
use crate::real::Real;
use crate::stats::normal;

/// The mean gain of a standard Student guess over the mark −z: expected improvement for location 0 and scale 1.
///
/// ```text
/// h(z; ν) = E max(z + T, 0) = z·P(T < z) + (ν + z²)/(ν − 1)·t(z; ν),   h(z) = z + h(−z)
/// ```
///
/// NaN unless ν > 1: the tails of fewer have no mean. The relative error is below (10³ + 4·|ln h|)·ε, also where h is
/// tiny. Cost: that of [`cdf`] and of at most 48 steps more.
pub(crate) fn h<R: Real>(z: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::h(z);
    }
    let Some(tail) = Tail::new(z.abs(), freedom) else { return R::NAN };
    let part = tail.part;
    if z > R::ZERO { z + part } else { part }
}

/// ln h(z; ν), finite wherever z/√ν is: a power of −z far below, where h itself is 0 in the machine's numbers.
pub(crate) fn log_h<R: Real>(z: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::log_h(z);
    }
    let Some(tail) = Tail::new(z.abs(), freedom) else { return R::NAN };
    if z > R::ZERO { (z + tail.part).ln() } else { log_cdf(z, freedom) + tail.ratio.ln() }
}

/// The slope of ln h: P(T < z)/h(z; ν), which tends to (ν − 1)/(−z) far below and to 1/z far above.
pub(crate) fn log_h_slope<R: Real>(z: R, freedom: R) -> R {
    if freedom == R::INFINITY {
        return normal::log_h_slope(z);
    }
    let Some(tail) = Tail::new(z.abs(), freedom) else { return R::NAN };
    if z > R::ZERO { cdf(z, freedom) / (z + tail.part) } else { R::ONE / tail.ratio }
}

/// What lies beyond a mark a ≥ 0.
struct Tail<R> {
    /// h(−a)
    part: R,
    /// h(−a)/P(T > a): how far beyond the mark, on average, a guess lies that is beyond it.
    ratio: R,
}

impl<R: Real> Tail<R> {
    fn new(a: R, freedom: R) -> Option<Self> {
        if freedom.is_nan() || freedom <= R::ONE {
            return None;
        }
        let point = Point::new(a, freedom)?;
        let beyond = cdf(-a, freedom);
        if !point.outer {
            let part = (freedom + a * a) / (freedom - R::ONE) * density(a, freedom) - a * beyond;
            return Some(Self { part, ratio: part / beyond });
        }
        let relative = if freedom >= R::of(MANY) && a >= R::of(4.0) {
            by_moments(a, freedom)
        } else {
            // P = a/2·F·t. The difference costs at most the smaller of ν and a² in accuracy, hence not for many.
            let inverse = R::ONE / a;
            let even = (R::ONE + freedom * inverse * inverse) / (freedom - R::ONE);
            let balance = point.shape * point.y - R::HALF * point.x;
            even * R::TWO / fraction(point.shape, R::HALF, point.x, point.y, balance) - R::ONE
        };
        let ratio = a * relative;
        Some(Self { part: beyond * ratio, ratio })
    }
}

/// h(−a)/(a·P(T > a)) by the moments Jₖ = ∫ₐ (s − a)ᵏ t(s) ds beyond the mark, for which nothing cancels.
///
/// ```text
/// (ν − 1 − k)·Jₖ₊₁ + a·(ν − 1 − 2k)·Jₖ = k·(ν + a²)·Jₖ₋₁,   ρₖ = Jₖ₊₁/(a·Jₖ)
/// ρₖ₋₁ = k·(1/a² + 1/ν)/(1 − (1 + 2k)/ν + (1 − (1 + k)/ν)·ρₖ)
/// ```
fn by_moments<R: Real>(a: R, freedom: R) -> R {
    let per = R::ONE / freedom;
    let inverse = R::ONE / a;
    let both = inverse * inverse + per;
    // That of the normal distribution; its error shrinks at every step.
    let mut ratio = R::HALF * ((R::ONE + R::of(4.0 * 49.0) * inverse * inverse).sqrt() - R::ONE);
    for step in (1..=48usize).rev() {
        let k = R::of_usize(step);
        let under = R::ONE - (R::ONE + k + k) * per + (R::ONE - (R::ONE + k) * per) * ratio;
        ratio = k * both / under;
    }
    ratio
}

/// From here on all coefficients of [`by_moments`] are well above 0, so that 48 steps are enough.
const MANY: f64 = 400.0;

#[cfg(test)]
mod tests {
    use super::{h, log_h, log_h_slope};
    use crate::real::Real;
    use crate::stats::normal;

    /// z, ν, h, ln h and its slope by mpmath 1.3 with 40 digits (`quad` of both tails, which agree with each other).
    #[rustfmt::skip]
    const TABLE: [[f64; 5]; 21] = [
        [-20_000_000_000.0, 2.5, 1.695_499_977_801_790_8e-16, -36.313_383_818_413_6, 7.5e-11],
        [-1_000_000.0, 1.75, 1.809_487_624_046_322e-5, -10.919_881_740_404_772, 7.499_999_999_993_875e-7],
        [-200.0, 3.0, 1.378_260_217_376_292_5e-5, -11.192_103_473_213_267, 0.009_999_550_027_962_41],
        [-30.0, 7.0, 2.964_923_110_661_851_6e-8, -17.333_829_644_162_08, 0.198_798_896_982_216_06],
        [-30.0, 100.0, 1.407_772_922_359_127_8e-52, -119.392_415_867_694_6, 2.976_450_401_050_703],
        [-30.0, 1000.0, 4.862_775_411_235_992e-143, -327.688_058_950_965_06, 15.808_551_849_339_505],
        [-8.0, 1000.0, 2.214_849_294_666_481_9e-16, -36.046_177_125_247_645, 7.735_653_822_233_242_5],
        [-5.0, 99.0, 2.930_850_559_549_285_3e-7, -15.042_802_976_694_778, 4.233_235_305_969_582],
        [-4.0, 100.0, 1.608_330_290_062_786e-5, -11.037_728_911_038_121, 3.777_944_277_105_470_8],
        [-4.5, 300.0, 1.065_252_446_483_791_4e-6, -13.752_298_747_940_262, 4.567_767_196_563_54],
        [-1.25, 4.0, 0.130_248_489_504_531_5, -2.038_311_195_310_097, 1.072_717_405_128_683_4],
        [-1.3, 4.0, 0.123_464_236_037_337_72, -2.091_803_751_594_647, 1.066_914_618_058_106_4],
        [-0.5, 12.0, 0.224_018_747_568_216_13, -1.496_025_536_128_321_7, 1.397_466_692_011_266_8],
        [0.0, 5.0, 0.474_508_362_278_118_05, -0.745_476_037_740_514_4, 1.053_722_209_656_109],
        [0.7, 5.0, 0.913_283_458_613_832_1, -0.090_708_977_116_284_99, 0.812_919_054_692_432_6],
        [3.0, 2.5, 3.083_117_369_817_132_6, 1.125_941_218_181_682_8, 0.312_577_121_344_765_5],
        [40.0, 3.5, 40.000_070_229_108_6, 3.688_881_209_840_11, 0.024_999_846_526_562_713],
        [-100.0, 1_000_000.0, 0.0, -4_985.280_079_137_412, 99.029_597_964_603_88],
        [-3.0, 100_000.0, 0.000_382_287_288_677_044_76, -7.869_338_167_416_977, 3.531_978_389_093_210_6],
        [-1000.0, 10_000.0, 0.0, -23_083.414_280_516_594, 9.900_019_795_981_44],
        [-3.9, 5000.0, 1.126_174_854_118_329_4e-5, -11.394_098_659_459_324, 4.326_783_512_038_016],
    ];

    fn table<R: Real>() {
        for [z, freedom, gain, log, slope] in TABLE {
            let same = |v: f64| R::of(v).to_f64() == v;
            if !(same(z) && same(freedom)) {
                continue;
            }
            let bound = (1000.0 + 4.0 * log.abs()) * R::EPSILON.to_f64();
            let (x, f) = (R::of(z), R::of(freedom));
            if gain > R::MIN_POSITIVE.to_f64() {
                assert!((h(x, f).to_f64() / gain - 1.0).abs() < bound, "{z} {freedom}");
            }
            assert!((log_h(x, f).to_f64() - log).abs() < bound, "{z} {freedom}");
            assert!((log_h_slope(x, f).to_f64() / slope - 1.0).abs() < bound, "{z} {freedom}");
        }
    }

    #[test]
    fn agrees_with_many_digits() {
        table::<f64>();
        table::<f32>();
    }

    /// Both sides of every seam say the same, up to how much h changes over the step.
    #[test]
    fn the_branches_meet() {
        for freedom in [1.5, 4.0, 60.0, 399.999_999, 400.0, 1e4, 1e8] {
            for seam in [-1.25, -4.0, 0.0] {
                let (low, high) = (seam - 1e-9, seam + 1e-9);
                let change = 2e-9 * log_h_slope(seam, freedom);
                assert!(
                    (log_h(high, freedom) - log_h(low, freedom) - change).abs() < 1e-12,
                    "{freedom} {seam}"
                );
            }
        }
        let below: f64 = log_h(-7.0, 400.0 - 1e-10);
        assert!((below - log_h(-7.0, 400.0)).abs() < 1e-10);
    }

    #[test]
    fn many_degrees_of_freedom_are_the_normal_distribution() {
        for i in -80..80 {
            let z = f64::from(i) / 10.0;
            assert_eq!(h(z, f64::INFINITY), normal::h(z));
            assert!((log_h(z, 1e12) - normal::log_h(z)).abs() < 1e-8, "{z}");
            assert!((log_h_slope(z, 1e12) / normal::log_h_slope(z) - 1.0).abs() < 1e-8, "{z}");
        }
    }

    #[test]
    fn without_a_mean_there_is_no_gain_and_the_far_tail_is_finite() {
        for freedom in [1.0, 0.5, 0.0, -3.0, f64::NAN] {
            assert!(
                h(0.3, freedom).is_nan()
                    && log_h(0.3, freedom).is_nan()
                    && log_h_slope(0.3, freedom).is_nan()
            );
        }
        assert!(h(f64::NAN, 3.0).is_nan());
        for freedom in [1.01, 3.0, 200.0, 1e9] {
            for z in [-1e20, -1e160, -1e300] {
                assert!(log_h(z, freedom).is_finite(), "{z} {freedom}");
                // A power law: d ln h/d ln(−z) = 1 − ν.
                let power = -z * log_h_slope(z, freedom);
                assert!((power / (freedom - 1.0) - 1.0).abs() < 1e-10, "{z} {freedom} {power}");
            }
        }
        assert!(log_h(-1e30f32, 5.0).is_finite());
    }
}
