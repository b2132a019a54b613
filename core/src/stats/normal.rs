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
//! from the centre to the far tail, without a seam.

use crate::real::Real;

/// The density.
///
/// ```text
/// φ(z) = exp(−z²/2)/√(2π)
/// ```
///
/// The relative error is below 3 ulp, also in the tail.
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
#[must_use]
pub fn log_density<R: Real>(z: R) -> R {
    -R::HALF * z * z - R::of(LN_ROOT_TWO_PI)
}

/// The probability of a value below `z`.
///
/// ```text
/// Φ(z) = φ(z)·M(−z)  for z ≤ 0,   1 − φ(z)·M(z)  for z > 0
/// ```
///
/// The relative error is below 6 ulp, also in the lower tail.
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
/// The relative error is below 6 ulp.
#[must_use]
pub fn log_cdf<R: Real>(z: R) -> R {
    if z < -R::ONE {
        log_density(z) + mills(-z).ln()
    } else if z > R::ZERO {
        (-density(z) * mills(z)).ln_1p()
    } else {
        cdf(z).ln()
    }
}

/// ln(1 − Φ(z)) = ln Φ(−z).
#[must_use]
pub fn log_survival<R: Real>(z: R) -> R {
    log_cdf(-z)
}

/// The slope of ln Φ.
///
/// ```text
/// φ(z)/Φ(z) = 1/M(−z)  for z ≤ 0
/// ```
///
/// It tends to −z below and to 0 above, with a relative error below 8 ulp.
#[must_use]
pub fn log_cdf_slope<R: Real>(z: R) -> R {
    if z > R::ZERO { density(z) / cdf(z) } else { R::ONE / mills(-z) }
}

/// The value with probability `p` below it; infinite at 0 and 1, NaN outside.
///
/// The relative error is below 8 ulp.
///
/// # References
/// Wichura, *Algorithm AS 241: The Percentage Points of the Normal Distribution*, Applied Statistics 37(3), 1988,
/// routine PPND16.
#[must_use]
pub fn quantile<R: Real>(p: R) -> R {
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
/// The relative error is below 8 ulp, also where h is tiny.
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
/// The error is below 8 ulp of the larger of 1 and the result.
///
/// # References
/// Ament, Daulton, Eriksson, Balandat and Bakshy, *Unexpected Improvements to Expected Improvement for Bayesian
/// Optimization*, 2023, equation 9; here G replaces their three branches.
#[must_use]
pub fn log_h<R: Real>(z: R) -> R {
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
/// It tends to −z below and to 1/z above, with a relative error below 12 ulp.
#[must_use]
pub fn log_h_slope<R: Real>(z: R) -> R {
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

/// (1 + a)·M(a): its Chebyshev coefficients to 10⁻¹⁷, computed with 40 digits.
const MILLS: [f64; 26] = [
    1.157_997_622_130_518_8,
    -0.163_344_938_845_139_8,
    -0.013_683_136_055_781_576,
    0.030_822_000_198_100_04,
    -0.016_220_073_012_046_806,
    0.005_616_691_016_460_094,
    -0.001_413_393_378_354_921_6,
    0.000_250_262_546_072_566_1,
    -2.468_907_239_728_387e-5,
    -1.010_796_406_183_759_2e-6,
    7.495_419_179_740_573e-7,
    -7.600_274_268_728_337e-8,
    -1.157_477_144_132_864_4e-8,
    3.333_386_472_599_843e-9,
    7.538_039_628_171_347e-11,
    -1.110_424_726_372_749_4e-10,
    3.509_243_776_551_059e-12,
    3.689_495_386_175_095_5e-12,
    -2.337_669_777_638_309_5e-13,
    -1.327_179_752_354_140_5e-13,
    9.921_706_995_888_276e-15,
    5.276_004_995_455_379e-15,
    -3.373_097_694_187_922e-16,
    -2.280_433_877_637_994_6e-16,
    7.496_330_565_808_626e-18,
    1.032_804_187_729_066_8e-17,
];

/// (1 + a)²·G(a), likewise.
const GAIN: [f64; 27] = [
    1.178_693_901_386_643_8,
    -0.101_257_279_627_993_18,
    -0.148_655_462_085_218_88,
    0.098_168_487_785_801_52,
    -0.031_717_988_981_526_07,
    0.004_118_380_306_630_206,
    0.001_384_017_498_307_926_4,
    -0.000_983_834_035_349_531_3,
    0.000_294_895_049_204_531_6,
    -4.709_260_195_140_171e-5,
    8.590_029_272_920_808e-7,
    1.355_461_908_043_391_2e-6,
    -2.314_755_559_583_176_7e-7,
    -1.707_544_060_792_001_3e-8,
    9.949_362_873_866_235e-9,
    -2.410_646_465_459_227_6e-10,
    -3.566_617_530_325_751_6e-10,
    2.894_522_694_736_240_2e-11,
    1.301_610_071_779_705_3e-11,
    -1.552_453_813_894_963_5e-12,
    -5.220_930_630_315_194e-13,
    6.950_184_611_901_334e-14,
    2.345_944_460_700_038e-14,
    -2.771_885_973_444_679e-15,
    -1.154_428_219_441_168_2e-15,
    9.116_045_274_446_133e-17,
    5.955_159_763_084_838e-17,
];

/// AS 241, |p − ½| ≤ 0.425.
const CENTRE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
];

/// AS 241, √(−ln p) ≤ 5.
const SHOULDER: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        0.000_774_545_014_278_341_4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        0.000_547_593_808_499_534_5,
        1.050_750_071_644_416_9e-9,
    ],
];

/// AS 241, the rest.
const TAIL: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        0.000_786_869_131_145_613_3,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_7e-15,
    ],
];
