//! The standard normal distribution, its tails, and the gain of a normal guess.
//!
//! Everything rests on two smooth functions of a ≥ 0 that need no exponential and do not cancel:
//!
//! ```text
//! M(a) = (1 − Φ(a))/φ(a) = √(π/2)·erfcx(a/√2)  ~ 1/a       (the ratio of Mills)
//! G(a) = 1 − a·M(a)                            ~ 1/a²
//! ```
//!
//! (1 + a)·M and (1 + a)²·G are Chebyshev series in y = (a − 5)/(a + 5), which carries [0, ∞] to [−1, 1]: one formula
//! from the centre to the far tail, without a seam. Errors are in units of ε, the distance from 1 to the next number.

use crate::real::Real;

/// The density.
///
/// ```text
/// φ(z) = exp(−z²/2)/√(2π)
/// ```
///
/// The relative error is below 3 ε, also in the tail.
#[must_use]
pub fn density<R: Real>(z: R) -> R {
    if z.abs() > R::of(39.0) {
        return R::ZERO;
    }
    // z² would be rounded and its error multiplied by z²/2; the square of the near multiple of 1/16 is exact.
    let near = (z * R::of(16.0)).round() * R::of(1.0 / 16.0);
    let rest = (z - near) * (z + near);
    (-R::HALF * near * near).exp() * (-R::HALF * rest).exp() * R::of(0.398_942_280_401_432_7)
}

/// The logarithm of the density: −z²/2 − ln √(2π).
pub(crate) fn log_density<R: Real>(z: R) -> R {
    -R::HALF * z * z - R::of(LN_ROOT_TWO_PI)
}

/// The probability of a value below `z`.
///
/// ```text
/// Φ(z) = φ(z)·M(−z)  for z ≤ 0,   1 − φ(z)·M(z)  for z > 0
/// ```
///
/// The relative error is below 6 ε, also in the lower tail.
#[must_use]
pub fn cdf<R: Real>(z: R) -> R {
    let tail = density(z) * mills(z.abs());
    if z > R::ZERO { R::ONE - tail } else { tail }
}

/// ln Φ(z), for every z whose square is finite.
///
/// ```text
/// −z²/2 − ln √(2π) + ln M(−z)  for z < −1,   ln Φ(z)  up to 0,   ln(1 − φ(z)·M(z))  above
/// ```
///
/// The relative error is below 6 ε.
pub(crate) fn log_cdf<R: Real>(z: R) -> R {
    if z < -R::ONE {
        log_density(z) + mills(-z).ln()
    } else if z > R::ZERO {
        (-density(z) * mills(z)).ln_1p()
    } else {
        cdf(z).ln()
    }
}

/// The slope of ln Φ.
///
/// ```text
/// φ(z)/Φ(z) = 1/M(−z)  for z ≤ 0
/// ```
///
/// It tends to −z below and to 0 above, with a relative error below 8 ε.
#[must_use]
pub fn log_cdf_slope<R: Real>(z: R) -> R {
    if z > R::ZERO { density(z) / cdf(z) } else { R::ONE / mills(-z) }
}

/// The value with probability `p` below it; infinite at 0 and 1, NaN outside.
///
/// The relative error is below 8 ε.
///
/// # References
/// Wichura, *Algorithm AS 241: The Percentage Points of the Normal Distribution*, Applied Statistics 37(3), 1988,
/// routine PPND16.
pub(crate) fn quantile<R: Real>(p: R) -> R {
    if !(p >= R::ZERO && p <= R::ONE) {
        return R::NAN;
    }
    let from_centre = p - R::HALF;
    if from_centre.abs() <= R::of(0.425) {
        let r = R::of(0.180_625) - from_centre * from_centre;
        return from_centre * quotient(&CENTRE, r);
    }
    let tail = p.min(R::ONE - p);
    if tail == R::ZERO {
        return if from_centre < R::ZERO { -R::INFINITY } else { R::INFINITY };
    }
    let r = (-tail.ln()).sqrt();
    let z =
        if r <= R::of(5.0) { quotient(&SHOULDER, r - R::of(1.6)) } else { quotient(&TAIL, r - R::of(5.0)) };
    if from_centre < R::ZERO { -z } else { z }
}

/// The mean gain of a standard normal guess over the mark −z: expected improvement for mean 0 and deviation 1.
///
/// ```text
/// h(z) = φ(z) + z·Φ(z) = φ(z)·G(−z)  for z ≤ 0,   z + φ(z)·G(z)  for z > 0
/// ```
///
/// The relative error is below 8 ε, also where h is tiny.
///
/// # References
/// Jones, Schonlau and Welch, *Efficient Global Optimization of Expensive Black-Box Functions*, 1998, equation 15.
#[must_use]
pub fn h<R: Real>(z: R) -> R {
    let part = density(z) * gain(z.abs());
    if z > R::ZERO { z + part } else { part }
}

/// ln h(z), finite for every z whose square is.
///
/// ```text
/// −z²/2 − ln √(2π) + ln G(−z)  for z ≤ 0,   ln h(z)  above
/// ```
///
/// The error is below 8 ε of the larger of 1 and the result.
///
/// # References
/// Ament, Daulton, Eriksson, Balandat and Bakshy, *Unexpected Improvements to Expected Improvement for Bayesian
/// Optimization*, 2023, equation 9; here G replaces their three branches.
pub(crate) fn log_h<R: Real>(z: R) -> R {
    if z > R::ZERO {
        return h(z).ln();
    }
    // Not ln G: the square in its denominator would be lost to overflow before z² is.
    log_density(z) + series(&GAIN, -z).ln() - R::TWO * (-z).ln_1p()
}

/// The slope of ln h.
///
/// ```text
/// Φ(z)/h(z) = M(−z)/G(−z)  for z ≤ 0
/// ```
///
/// It tends to −z below and to 1/z above, with a relative error below 12 ε.
pub(crate) fn log_h_slope<R: Real>(z: R) -> R {
    if z > R::ZERO { cdf(z) / h(z) } else { (R::ONE - z) * series(&MILLS, -z) / series(&GAIN, -z) }
}

/// M(a) for a ≥ 0.
fn mills<R: Real>(a: R) -> R {
    series(&MILLS, a) / (R::ONE + a)
}

/// G(a) for a ≥ 0.
fn gain<R: Real>(a: R) -> R {
    let scale = R::ONE + a;
    series(&GAIN, a) / scale / scale
}

/// A Chebyshev series in (a − 5)/(a + 5), by Clenshaw's recurrence. In `f32` the terms beyond the fifteenth are below
/// the rounding.
fn series<R: Real>(coefficients: &[f64], a: R) -> R {
    let y = R::ONE - R::of(10.0) / (a + R::of(5.0));
    let terms = if R::BYTES == 8 { coefficients.len() } else { coefficients.len().min(15) };
    let (mut near, mut far) = (R::ZERO, R::ZERO);
    for &coefficient in coefficients[1..terms].iter().rev() {
        (near, far) = (R::of(coefficient) + R::TWO * y * near - far, near);
    }
    R::of(coefficients[0]) + y * near - far
}

/// A ratio of two polynomials, numerator first, lowest power first.
fn quotient<R: Real>(coefficients: &[[f64; 8]; 2], x: R) -> R {
    let [above, below] = coefficients.map(|row| row.iter().rev().fold(R::ZERO, |sum, &c| sum * x + R::of(c)));
    above / below
}

const LN_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// (1 + a)·M(a): its Chebyshev coefficients to 10⁻¹⁷, computed with 40 digits; the first is one place lower, so that
/// Φ(0) is ½ exactly.
#[rustfmt::skip]
const MILLS: [f64; 26] = [
    1.157_997_622_130_518_6, -0.163_344_938_845_139_8, -0.013_683_136_055_781_576, 0.030_822_000_198_100_04,
    -0.016_220_073_012_046_806, 0.005_616_691_016_460_094, -0.001_413_393_378_354_921_6,
    0.000_250_262_546_072_566_1, -2.468_907_239_728_387e-5, -1.010_796_406_183_759_2e-6,
    7.495_419_179_740_573e-7, -7.600_274_268_728_337e-8, -1.157_477_144_132_864_4e-8,
    3.333_386_472_599_843e-9, 7.538_039_628_171_347e-11, -1.110_424_726_372_749_4e-10,
    3.509_243_776_551_059e-12, 3.689_495_386_175_095_5e-12, -2.337_669_777_638_309_5e-13,
    -1.327_179_752_354_140_5e-13, 9.921_706_995_888_276e-15, 5.276_004_995_455_379e-15,
    -3.373_097_694_187_922e-16, -2.280_433_877_637_994_6e-16, 7.496_330_565_808_626e-18,
    1.032_804_187_729_066_8e-17,
];

/// (1 + a)²·G(a), likewise.
#[rustfmt::skip]
const GAIN: [f64; 27] = [
    1.178_693_901_386_643_8, -0.101_257_279_627_993_18, -0.148_655_462_085_218_88, 0.098_168_487_785_801_52,
    -0.031_717_988_981_526_07, 0.004_118_380_306_630_206, 0.001_384_017_498_307_926_4,
    -0.000_983_834_035_349_531_3, 0.000_294_895_049_204_531_6, -4.709_260_195_140_171e-5,
    8.590_029_272_920_808e-7, 1.355_461_908_043_391_2e-6, -2.314_755_559_583_176_7e-7,
    -1.707_544_060_792_001_3e-8, 9.949_362_873_866_235e-9, -2.410_646_465_459_227_6e-10,
    -3.566_617_530_325_751_6e-10, 2.894_522_694_736_240_2e-11, 1.301_610_071_779_705_3e-11,
    -1.552_453_813_894_963_5e-12, -5.220_930_630_315_194e-13, 6.950_184_611_901_334e-14,
    2.345_944_460_700_038e-14, -2.771_885_973_444_679e-15, -1.154_428_219_441_168_2e-15,
    9.116_045_274_446_133e-17, 5.955_159_763_084_838e-17,
];

/// AS 241, |p − ½| ≤ 0.425.
#[rustfmt::skip]
const CENTRE: [[f64; 8]; 2] = [
    [3.387_132_872_796_366_5, 133.141_667_891_784_38, 1_971.590_950_306_551_3, 13_731.693_765_509_46,
     45_921.953_931_549_87, 67_265.770_927_008_7, 33_430.575_583_588_13, 2_509.080_928_730_122_7],
    [1.0, 42.313_330_701_600_91, 687.187_007_492_057_9, 5_394.196_021_424_751,
     21_213.794_301_586_597, 39_307.895_800_092_71, 28_729.085_735_721_943, 5_226.495_278_852_854],
];

/// AS 241, √(−ln p) ≤ 5.
#[rustfmt::skip]
const SHOULDER: [[f64; 8]; 2] = [
    [1.423_437_110_749_683_5, 4.630_337_846_156_546, 5.769_497_221_460_691, 3.647_848_324_763_204_5,
     1.270_458_252_452_368_4, 0.241_780_725_177_450_6, 0.022_723_844_989_269_184, 0.000_774_545_014_278_341_4],
    [1.0, 2.053_191_626_637_759, 1.676_384_830_183_803_8, 0.689_767_334_985_1,
     0.148_103_976_427_480_08, 0.015_198_666_563_616_457, 0.000_547_593_808_499_534_5, 1.050_750_071_644_416_9e-9],
];

/// AS 241, the rest.
#[rustfmt::skip]
const TAIL: [[f64; 8]; 2] = [
    [6.657_904_643_501_103, 5.463_784_911_164_114, 1.784_826_539_917_291_3, 0.296_560_571_828_504_87,
     0.026_532_189_526_576_124, 0.001_242_660_947_388_078_4, 2.711_555_568_743_487_6e-5, 2.010_334_399_292_288_1e-7],
    [1.0, 0.599_832_206_555_888, 0.136_929_880_922_735_8, 0.014_875_361_290_850_615,
     0.000_786_869_131_145_613_3, 1.846_318_317_510_054_8e-5, 1.421_511_758_316_446e-7, 2.044_263_103_389_939_7e-15],
];
#[cfg(test)]
mod tests {
    use super::{cdf, density, h, log_cdf, log_cdf_slope, log_density, log_h, log_h_slope, quantile};
    use crate::real::Real;

    /// z, φ, Φ, ln Φ, φ/Φ, h, ln h, Φ/h, with mpmath 1.3 and up to 700 digits from `erfc`; below −100 from the
    /// asymptotic series. 0 stands for what is below the range of a double.
    #[rustfmt::skip]
    const TABLE: [[f64; 8]; 23] = [
        [-30_000.0, 0.0, 0.0, -450_000_011.227_891_2, 30_000.000_033_333_334, 0.0, -450_000_021.536_843_84,
         30_000.000_066_666_667],
        [-1_000.0, 0.0, 0.0, -500_007.826_694_812_16, 1_000.000_999_998, 0.0, -500_014.734_452_091_16,
         1_000.001_999_994],
        [-50.0, 0.0, 0.0, -1_254.831_361_139_419_9, 50.019_984_031_905_636, 0.0, -1_258.744_182_868_461,
         50.039_952_133_872_65],
        [-37.1, 5.215_262_198_831_984e-300, 1.404_711_966_310_622_1e-301, -692.738_280_715_623_3,
         37.126_915_153_499_446, 3.780_803_819_575_930_6e-303, -696.353_346_539_489_8, 37.153_791_451_368_67],
        [-20.3, 1.308_288_554_681_529e-90, 6.429_244_467_698_346e-92, -209.976_971_525_242_02,
         20.349_024_854_391_53, 3.151_927_738_764_675_5e-93, -212.992_399_402_232_22, 20.397_816_830_084_242],
        [-10.0, 7.694_598_626_706_42e-23, 7.619_853_024_160_525e-24, -53.231_285_150_512_47,
         10.098_093_233_962_512, 7.474_560_254_589_328e-25, -55.553_122_036_122_35, 10.194_383_033_412_553],
        [-5.7, 3.513_955_094_820_433_4e-8, 5.990_371_401_063_528e-9, -18.933_112_423_224_742,
         5.866_005_393_583_054_5, 9.944_339_621_422_242e-10, -20.728_847_422_913_99, 6.023_900_660_189_624],
        [-3.1, 0.003_266_819_056_199_919_5, 0.000_967_603_213_218_356_6, -6.940_688_458_421_228,
         3.376_196_990_225_067_5, 0.000_267_249_095_223_014_05, -8.227_329_393_572_749,
         3.620_604_262_143_193],
        [-2.0, 0.053_990_966_513_188_05, 0.022_750_131_948_179_21, -3.783_184_333_682_032,
         2.373_215_532_822_841, 0.008_490_702_616_829_637, -4.768_783_523_917_114, 2.679_416_883_955_586],
        [-1.03, 0.234_713_763_897_011_8, 0.151_505_002_788_343_7, -1.887_136_632_872_678_9,
         1.549_214_610_588_884_9, 0.078_663_611_025_017_77, -2.542_574_606_281_358, 1.925_985_863_274_949_4],
        [-1.0, 0.241_970_724_519_143_34, 0.158_655_253_931_457_05, -1.841_021_645_009_263_6,
         1.525_135_276_160_981, 0.083_315_470_587_686_3, -2.485_121_025_712_641_3, 1.904_271_233_329_691_8],
        [-0.5, 0.352_065_326_764_299_47, 0.308_537_538_725_986_9, -1.175_911_761_593_618_5,
         1.141_077_770_368_064_6, 0.197_796_557_401_306_03, -1.620_516_264_387_319_9,
         1.559_873_148_348_079_7],
        [-0.01, 0.398_922_333_786_082_16, 0.496_010_643_685_368_4, -0.701_157_893_444_370_1,
         0.804_261_640_077_079_2, 0.393_962_227_349_228_5, -0.931_500_243_952_002_9, 1.259_030_966_046_597_5],
        [0.0, 0.398_942_280_401_432_7, 0.5, -core::f64::consts::LN_2, 0.797_884_560_802_865_4,
         0.398_942_280_401_432_7, -0.918_938_533_204_672_8, 1.253_314_137_315_500_3],
        [0.01, 0.398_922_333_786_082_16, 0.503_989_356_314_631_6, -0.685_200_129_557_115_5,
         0.791_529_282_886_367_1, 0.403_962_227_349_228_5, -0.906_433_902_052_397_8, 1.247_615_054_560_358_4],
        [0.5, 0.352_065_326_764_299_47, 0.691_462_461_274_013_1, -0.368_946_415_288_656_4,
         0.509_160_433_837_033_5, 0.697_796_557_401_306_1, -0.359_827_683_745_063_8, 0.990_922_718_004_109_9],
        [0.9, 0.266_085_249_898_754_8, 0.815_939_874_653_240_5, -0.203_414_609_755_746_9,
         0.326_108_893_761_119_57, 1.000_431_137_086_671_2, 0.000_431_044_173_782_050_87,
         0.815_588_244_313_663_7],
        [1.0, 0.241_970_724_519_143_34, 0.841_344_746_068_542_9, -0.172_753_779_023_449_88,
         0.287_599_970_939_178_4, 1.083_315_470_587_686_4, 0.080_026_218_849_306_94, 0.776_638_725_201_739_3],
        [2.5, 0.017_528_300_493_568_537, 0.993_790_334_674_223_8, -0.006_229_025_485_860_002,
         0.017_637_825_486_916_735, 2.502_004_137_179_128_4, 0.917_092_065_592_164_5,
         0.397_197_718_383_738_46],
        [4.0, 0.000_133_830_225_764_885_34, 0.999_968_328_758_166_9, -3.167_174_337_748_927e-5,
         0.000_133_834_464_468_575_14, 4.000_007_145_258_432, 1.386_296_147_432_903_2,
         0.249_991_635_625_831_1],
        [8.1, 2.258_809_403_154_308_7e-15, 0.999_999_999_999_999_8, -2.747_959_392_398_229e-16,
         2.258_809_403_154_309_5e-15, 8.1, 2.091_864_061_678_393_2, 0.123_456_790_123_456_76],
        [20.0, 5.520_948_362_159_764e-88, 1.0, -2.753_624_118_606_233_7e-89, 5.520_948_362_159_764e-88,
         20.0, 2.995_732_273_553_991, 0.05],
        [300.0, 0.0, 1.0, 0.0, 0.0, 300.0, 5.703_782_474_656_201, 0.003_333_333_333_333_333],
    ];

    /// Errors in units of ε, those of the doc comments. A value below the smallest normal number is not compared.
    fn close<R: Real>(value: R, reference: f64, units: f64, at: f64) {
        let scale = reference.abs() * R::EPSILON.to_f64();
        assert!(
            (value.to_f64() - reference).abs() <= units * scale.max(R::MIN_POSITIVE.to_f64()),
            "at {at}: {value:e} is not {reference:e}",
            value = value.to_f64()
        );
    }

    fn table<R: Real>() {
        for [z, phi, cumulative, log_cumulative, slope, gain, log_gain, gain_slope] in TABLE {
            // Only a z that is the same number in both scalars can be compared.
            if R::of(z).to_f64() != z {
                continue;
            }
            let x = R::of(z);
            close(density(x), phi, 3.0, z);
            close(log_density(x), -0.5 * z * z - 0.918_938_533_204_672_8, 3.0, z);
            close(cdf(x), cumulative, 6.0, z);
            close(log_cdf(x), log_cumulative, 6.0, z);
            close(log_cdf_slope(x), slope, 8.0, z);
            close(h(x), gain, 8.0, z);
            let scale = log_gain.abs().max(1.0) * R::EPSILON.to_f64();
            assert!((log_h(x).to_f64() - log_gain).abs() <= 8.0 * scale);
            close(log_h_slope(x), gain_slope, 12.0, z);
        }
    }

    #[test]
    fn agrees_with_many_digits() {
        table::<f64>();
        table::<f32>();
    }

    /// p and the root of Φ(z) = p by mpmath 1.3 with 60 digits.
    #[test]
    fn quantiles_agree_with_many_digits() {
        let table = [
            (1.0e-300, -37.047_096_299_361_2),
            (1.0e-100, -21.273_453_560_965_326),
            (1.0e-20, -9.262_340_089_798_407),
            (1.0e-10, -6.361_340_902_404_057),
            (1.0e-5, -4.264_890_793_922_825),
            (0.01, -2.326_347_874_040_841),
            (0.07, -1.475_791_028_179_170_6),
            (0.075_000_000_1, -1.439_531_470_232_018_8),
            (0.1, -1.281_551_565_544_600_4),
            (0.3, -0.524_400_512_708_040_8),
            (0.5, 0.0),
            (0.500_01, 2.506_628_274_882_086e-5),
            (0.75, 0.674_489_750_196_081_7),
            (0.925, 1.439_531_470_938_456_1),
            (0.93, 1.475_791_028_179_171),
            (0.999, 3.090_232_306_167_813),
            (0.999_999_999_9, 6.361_340_889_697_422),
        ];
        for (p, z) in table {
            close(quantile(p), z, 8.0, p);
        }
        for i in 1..2000 {
            let p = i as f32 / 2000.0;
            close(quantile(p), quantile(f64::from(p)), 8.0, f64::from(p));
            // Back again: the condition number of Φ at z is |z|·φ/Φ.
            let z: f64 = quantile(f64::from(p));
            close(cdf(z), f64::from(p), 6.0 + 8.0 * z.abs() * log_cdf_slope(z), z);
        }
        assert_eq!((quantile(0.0), quantile(1.0f32)), (f64::NEG_INFINITY, f32::INFINITY));
        for p in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(quantile(p).is_nan());
        }
    }

    #[test]
    fn limits() {
        let low = f64::NEG_INFINITY;
        assert_eq!((cdf(0.0), cdf(0.0f32)), (0.5, 0.5));
        assert_eq!((density(low), cdf(low), log_cdf(low), h(low), log_h(low)), (0.0, 0.0, low, 0.0, low));
        let high = f64::INFINITY;
        assert_eq!(
            (density(high), cdf(high), log_cdf(high), h(high), log_h(high)),
            (0.0, 1.0, 0.0, high, high)
        );
        assert_eq!((log_cdf_slope(low), log_cdf_slope(high), log_h_slope(high)), (high, 0.0, 0.0));
        let f: [fn(f64) -> f64; 7] = [density, cdf, log_cdf, log_cdf_slope, h, log_h, log_h_slope];
        assert!(f.iter().all(|f| f(f64::NAN).is_nan()));
        assert!(log_h(-1e150).is_finite() && log_cdf(-1e150).is_finite() && log_h(-1e18f32).is_finite());
    }

    /// ln h and ln Φ rise, their slopes fall, over the seams at −1 and 0; and each slope is the derivative.
    #[test]
    fn monotone_with_the_right_slopes() {
        let mut before = (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY);
        for i in -4000..800 {
            let z = f64::from(i) / 100.0;
            let now = (log_cdf(z), log_h(z), log_cdf_slope(z), log_h_slope(z));
            assert!(now.0 > before.0 && now.1 > before.1 && now.2 < before.2 && now.3 < before.3, "{z}");
            before = now;
            // Truncation s²/6·f‴ with |f‴| < 2, cancellation ε·|f|/s.
            let s = 1e-5;
            let bound = 1e-10 + 1e-16 * (now.0.abs() + now.1.abs()) / s * 4.0;
            assert!(((log_cdf(z + s) - log_cdf(z - s)) / (2.0 * s) - now.2).abs() < bound, "{z}");
            assert!(((log_h(z + s) - log_h(z - s)) / (2.0 * s) - now.3).abs() < bound, "{z}");
        }
    }
}
