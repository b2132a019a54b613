//! Generalised expected improvement (GEI): a power of the gain, expected.
//!
//! Here u = b − m is the gain if the mean comes true, s the deviation, and z = u/s. Higher orders weigh a large gain that
//! is unlikely more than a small one that is likely, and so explore more.

use super::improvement::{self, finite, standard};
use crate::real::Real;
use crate::stats::normal;

/// The highest order.
pub const MAX_ORDER: u32 = 20;

/// The expected power of the gain; an order above [`MAX_ORDER`] is taken as that.
///
/// ```text
/// E[max(b − f, 0)^g] = sᵍ·H_g(z);   for s = 0:  max(u, 0)^g
/// H_0 = Φ,  H_1 = h,  H_{k+1} = z·H_k + k·H_{k−1}
/// ```
///
/// It is the probability of a gain for g = 0 and the expected gain for g = 1. The recursion is run on the ratios
/// r_k = H_k/H_{k−1}, upwards for z > −½ and, since it would cancel, downwards below: the relative error is below 50 ε,
/// also in the tail. Cost: g divisions above −½, 64 below (24 in `f32`).
///
/// # References
/// Schonlau, Welch and Jones, *Global versus Local Search in Constrained Optimization of Computer Models*, 1998.
/// Gautschi, *Computational Aspects of Three-Term Recurrence Relations*, 1967, for the direction.
#[must_use]
pub fn expected<R: Real>(gain: R, deviation: R, order: u32) -> R {
    match order {
        0 => improvement::probability(gain, deviation),
        1 => improvement::expected(gain, deviation),
        _ => match standard(gain, deviation) {
            Some(z) => Moments::new(z, order).scaled(deviation, order),
            None => power(gain, order),
        },
    }
}

/// The expected power with its derivatives by u and by s.
///
/// ```text
/// g·E_{g−1},   g·(g − 1)·s·E_{g−2},   E_k = sᵏ·H_k(z)
/// ```
pub(super) fn expected_gradient<R: Real>(gain: R, deviation: R, order: u32) -> (R, R, R) {
    match order {
        0 => return improvement::probability_gradient(gain, deviation),
        1 => return improvement::expected_gradient(gain, deviation),
        _ => {}
    }
    let order = order.min(MAX_ORDER);
    let g = R::of(f64::from(order));
    match standard(gain, deviation) {
        Some(z) => {
            let moments = Moments::new(z, order);
            let by_gain = g * moments.scaled(deviation, order - 1);
            let by_deviation = g * (g - R::ONE) * deviation * moments.scaled(deviation, order - 2);
            (moments.scaled(deviation, order), finite(by_gain), finite(by_deviation))
        }
        None => (power(gain, order), finite(g * power(gain, order - 1)), R::ZERO),
    }
}

/// The order that a number stands for, if it is one.
pub(super) fn order<R: Real>(value: R) -> Option<u32> {
    let fits = value >= R::ZERO && value <= R::of(f64::from(MAX_ORDER)) && value.floor() == value;
    fits.then(|| value.to_f64() as u32)
}

/// Φ(z) and the ratios r_1 … r_g.
struct Moments<R> {
    z: R,
    probability: R,
    ratios: [R; MAX_ORDER as usize],
}

impl<R: Real> Moments<R> {
    fn new(z: R, order: u32) -> Self {
        let mut ratios = [R::ONE; MAX_ORDER as usize];
        let wanted = (order.min(MAX_ORDER)) as usize;
        if z > -R::HALF {
            let mut ratio = R::ONE / normal::log_h_slope(z);
            for (k, place) in ratios[..wanted].iter_mut().enumerate() {
                *place = ratio;
                ratio = z + R::of_usize(k + 1) / ratio;
            }
        } else {
            let from = if R::BYTES == 8 { 64 } else { 24 };
            let mut ratio = far(-z, from);
            for k in (1..from).rev() {
                ratio = R::of_usize(k) / (ratio - z);
                if k <= wanted {
                    ratios[k - 1] = ratio;
                }
            }
        }
        Self { z, probability: normal::cdf(z), ratios }
    }

    /// sᵏ·H_k(z)
    fn scaled(&self, deviation: R, order: u32) -> R {
        // Φ may be lost where the power of a large deviation still makes something of it.
        if self.probability < R::MIN_POSITIVE {
            return finite(self.log(deviation, order).exp());
        }
        let factors = self.ratios.iter().take(order as usize);
        finite(factors.fold(self.probability, |product, &ratio| product * (deviation * ratio)))
    }

    /// k·ln s + ln H_k(z)
    fn log(&self, deviation: R, order: u32) -> R {
        let factors = self.ratios.iter().take(order as usize);
        let start = normal::log_cdf(self.z) + R::of(f64::from(order)) * deviation.ln();
        factors.fold(start, |sum, &ratio| sum + ratio.ln())
    }
}

/// r_n for a large n, at z = −a.
///
/// ```text
/// r_n = q − a/2 + a/(8q²) + 1/(16q³) − 5a²/(128q⁵) − 9a/(128q⁶) − 19/(512q⁷) + …,   q² = a²/4 + n − ½
/// ```
///
/// The series that r_n·(a + r_{n+1}) = n demands, to 1/q¹¹. From n = 64 each step down shrinks what is left of its error,
/// for a ≥ ½ to 2·10⁻¹⁵ at the highest order and to less below.
fn far<R: Real>(a: R, n: usize) -> R {
    let n = R::of_usize(n) - R::HALF;
    // As a multiple of q, the largest number here; b = a/q is at most 2 and e = 1/q² at most 1/n.
    let q = (R::of(0.25) * a * a + n).sqrt().min(R::MAX);
    let (b, e) = (a / q, R::ONE / q / q);
    let second = R::of(0.125) * b + R::of(0.0625) * e;
    let third = R::of(5.0 / 128.0) * b * b + R::of(9.0 / 128.0) * b * e + R::of(19.0 / 512.0) * e * e;
    let fourth = R::of(15.0 / 512.0) * b * b * b
        + R::of(221.0 / 2048.0) * b * b * e
        + R::of(153.0 / 1024.0) * b * e * e
        + R::of(631.0 / 8192.0) * e * e * e
        - R::of(1105.0 / 32768.0) * b * b * b * b * e;
    // q − a/2, which would cancel for a large a.
    let first = n / (q + R::HALF * a);
    first + (second - third * e + fourth * e * e) / q
}

/// max(u, 0)^g, finite.
fn power<R: Real>(gain: R, order: u32) -> R {
    let base = gain.max(R::ZERO);
    finite((0..order.min(MAX_ORDER)).fold(R::ONE, |product, _| product * base))
}

#[cfg(test)]
mod tests {
    use super::super::improvement::tests::simpson;
    use super::super::{Acquisition, Prediction};
    use super::{MAX_ORDER, Moments, expected, expected_gradient};
    use crate::real::Real;

    /// z, g, H_g(z) and its logarithm, with mpmath 1.3 from ∫ tᵍ exp(z·t − t²/2) dt at 60 digits.
    #[rustfmt::skip]
    const TABLE: [[f64; 4]; 45] = [
        [-30.0, 2.0, 1.084_372_487_398_349e-200, -460.436_017_131_755_36],
        [-30.0, 3.0, 1.079_600_598_775_493_4e-201, -462.743_012_535_014_43],
        [-30.0, 5.0, 2.370_263_453_180_004e-203, -466.561_772_767_142_9],
        [-30.0, 12.0, 4.008_025_440_410_152_6e-207, -475.246_815_538_597_33],
        [-30.0, 20.0, 2.667_946_459_697_017e-209, -480.258_975_375_483_4],
        [-8.0, 2.0, 1.807_506_447_145_849_8e-17, -38.551_998_338_968_69],
        [-8.0, 3.0, 6.404_732_467_261_984e-18, -39.589_494_508_774_49],
        [-8.0, 5.0, 1.720_260_458_810_947_3e-18, -40.904_055_964_990_505],
        [-8.0, 12.0, 1.346_385_522_947_332_6e-18, -41.149_108_062_471_996],
        [-8.0, 20.0, 8.241_208_562_761_536e-17, -37.034_799_577_494_375],
        [-3.0, 2.0, 0.000_203_435_080_486_923_73, -8.500_163_618_783_944],
        [-3.0, 3.0, 0.000_154_003_392_634_675_96, -8.778_535_925_698_005],
        [-3.0, 5.0, 0.000_171_128_379_868_474, -8.673_096_523_675_769],
        [-3.0, 12.0, 0.009_509_589_782_390_346, -4.655_454_538_750_533],
        [-3.0, 20.0, 33.155_562_777_803_74, 3.501_210_508_822_564],
        [-0.75, 2.0, 0.128_252_163_972_753_27, -2.053_756_921_991_71],
        [-0.75, 3.0, 0.166_144_712_764_741_58, -1.794_896_106_747_802_6],
        [-0.75, 5.0, 0.469_467_883_050_438_6, -0.756_155_389_381_996_1],
        [-0.75, 12.0, 315.723_187_356_905_9, 5.754_865_840_307_125],
        [-0.75, 20.0, 9_474_414.476_846_542, 16.064_105_510_384_387],
        [-0.5, 2.0, 0.209_639_260_025_333_87, -1.562_367_034_794_27],
        [-0.5, 3.0, 0.290_773_484_789_945_14, -1.235_210_717_707_091_2],
        [-0.5, 5.0, 0.921_328_420_319_266, -0.081_938_715_281_318_77],
        [-0.5, 12.0, 830.685_863_456_627_1, 6.722_251_701_072_473],
        [-0.5, 20.0, 31_896_088.245_010_532, 17.277_993_934_687_686],
        [-0.25, 2.0, 0.329_707_499_761_181_24, -1.109_549_381_934_833_4],
        [-0.25, 3.0, 0.490_262_521_506_864_95, -0.712_814_273_167_361_3],
        [-0.25, 5.0, 1.744_410_868_800_753, 0.556_416_887_648_531_8],
        [-0.25, 12.0, 2_112.394_865_830_674, 7.655_577_590_338_759],
        [-0.25, 20.0, 103_857_967.618_094_9, 18.458_534_827_713_1],
        [0.0, 2.0, 0.5, -core::f64::consts::LN_2],
        [0.0, 3.0, 0.797_884_560_802_865_4, -0.225_791_352_644_727_44],
        [0.0, 5.0, 3.191_538_243_211_461, 1.160_503_008_475_163_3],
        [0.0, 12.0, 5_197.5, 8.555_933_019_732_167],
        [0.0, 20.0, 327_364_537.5, 19.606_584_901_518_57],
        [2.0, 2.0, 4.994_231_273_285_48, 1.608_283_501_014_667_2],
        [2.0, 3.0, 14.005_443_951_804_619, 2.639_446_107_731_582],
        [2.0, 5.0, 142.008_939_254_149_85, 4.955_890_008_113_848],
        [2.0, 12.0, 2_430_353.552_326_913, 14.703_547_299_518_13],
        [2.0, 20.0, 1_097_912_372_951.378_7, 27.724_431_649_776_005],
        [9.0, 2.0, 82.0, 4.406_719_247_264_253],
        [9.0, 3.0, 756.0, 6.628_041_376_179_533],
        [9.0, 5.0, 66474.0, 11.104_566_172_748_727],
        [9.0, 12.0, 584_193_530_232.0, 27.093_498_152_261_528],
        [9.0, 20.0, 8.531_350_440_331_015e+19, 45.892_864_432_428_41],
    ];

    fn table<R: Real>() {
        let units = |value: R, reference: f64| (value.to_f64() - reference).abs() / R::EPSILON.to_f64();
        for [z, order, value, log] in TABLE {
            let (x, g) = (R::of(z), order as u32);
            let ours = expected(x, R::ONE, g);
            if value > R::MIN_POSITIVE.to_f64() {
                assert!(units(ours, value) <= 50.0 * value, "{z} {g}: {ours} {value:e}");
            } else {
                assert!(ours.to_f64() <= R::MIN_POSITIVE.to_f64());
            }
            // Thrice the deviation at the same z is 3ᵍ times it.
            let scaled = Moments::new(x, g).log(R::of(3.0), g);
            let moved = log + order * 3.0f64.ln();
            assert!(units(scaled, moved) <= 50.0 + 4.0 * log.abs(), "{z} {g}: {scaled} {moved}");
        }
    }

    #[test]
    fn agrees_with_high_precision() {
        table::<f64>();
        table::<f32>();
    }

    #[test]
    fn agrees_with_quadrature() {
        for gain in [-3.0, -1.0, -0.2, 0.0, 0.1, 1.5, 4.0] {
            for deviation in [0.5, 1.0, 2.0] {
                for order in 0..=12 {
                    let from = f64::max(-gain / deviation, -14.0);
                    let moment = simpson(from, 14.0, |x| (gain + deviation * x).powi(order as i32));
                    let ours = expected(gain, deviation, order);
                    assert!((ours / moment - 1.0).abs() < 1e-8, "{gain} {deviation} {order}");
                }
            }
        }
    }

    /// y_min, μ, s and E[I²], of a published comparison, ten digits.
    #[test]
    fn agrees_with_golden_values() {
        for [best, mean, sd, value] in [
            [0.0, 0.0, 1.0, 0.5],
            [0.0, 1.0, 1.0, 0.075_339_783_3],
            [0.0, 0.5, 0.25, 0.000_360_545_4],
            [1.0, 0.2, 0.7, 1.103_272_234_0],
            [0.0, -0.3, 0.4, 0.229_479_653_8],
            [0.0, 2.0, 0.5, 7.726e-7],
        ] {
            let rule = Acquisition::Generalised { order: 2 };
            let ours = rule.score(Prediction { mean, variance: sd * sd }, best);
            assert!((ours - value).abs() < 6e-11, "{ours} {value}");
        }
    }

    /// The moments satisfy their recursion on both sides of the seam and meet there.
    #[test]
    fn up_and_down_meet() {
        for z in [-0.5f64, -0.499_999_999_999_999_9, -0.7, -2.0, -6.0] {
            let moments = Moments::new(z, MAX_ORDER);
            let mut up = moments.ratios[0];
            for k in 1..MAX_ORDER as usize {
                up = z + k as f64 / moments.ratios[k - 1];
                // z and k/r cancel to r.
                let lost = (z.abs() + moments.ratios[k]) / moments.ratios[k];
                assert!((up / moments.ratios[k] - 1.0).abs() < 1e-14 * lost, "{z} {k}");
            }
            assert!(up > 0.0);
        }
        for order in 2..=MAX_ORDER {
            let (above, below) = (expected(-0.499_999_999_999_999_9, 1.0, order), expected(-0.5, 1.0, order));
            assert!((above / below - 1.0f64).abs() < 2e-14, "{order}");
        }
    }

    #[test]
    fn the_ends_are_the_limits() {
        for (gain, chance) in [(2.0, 1.0), (0.0, 0.5), (-2.0, 0.0)] {
            for deviation in [0.0, 5e-324] {
                assert_eq!(expected(gain, deviation, 0), chance);
                for order in 2..=MAX_ORDER {
                    let certain = f64::max(gain, 0.0).powi(order as i32);
                    assert!((expected(gain, deviation, order) - certain).abs() <= 1e-15 * certain);
                }
            }
        }
        assert_eq!(expected_gradient(2.0, 0.0, 3), (8.0, 12.0, 0.0));
        assert_eq!(expected_gradient(-2.0, 0.0, 3), (0.0, 0.0, 0.0));
        assert_eq!(expected(1e200, 1.0, 2), f64::MAX);
        assert_eq!(expected(f64::NAN, 1.0, 2), 0.0);
        // Φ(−40) is lost in f64, yet not times 10¹⁰⁰.
        let large = expected(-40e5, 1e5, 20);
        assert!((large.ln() - Moments::new(-40.0, 20).log(1e5, 20)).abs() < 1e-9 && large > 0.0);
    }
}
