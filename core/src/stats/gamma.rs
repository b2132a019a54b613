//! Slopes of the logarithm of the gamma function.

use crate::real::Real;

/// ψ(x) = d ln Γ(x)/dx for x > 0; NaN for anything else.
///
/// ```text
/// ln x − 1/(2x) − 1/(12x²) + 1/(120x⁴) − 1/(252x⁶) + 1/(240x⁸) − 1/(132x¹⁰) + 691/(32760x¹²)
/// ```
///
/// for x ≥ 12, where the next term is below 10⁻¹⁶; smaller x are raised by ψ(x) = ψ(x + 1) − 1/x. The error is below
/// 8 ε of the larger of 1 and |ψ|.
///
/// # References
/// Abramowitz and Stegun, *Handbook of Mathematical Functions*, 6.3.5 and 6.3.18.
#[must_use]
pub(crate) fn digamma<R: Real>(x: R) -> R {
    if x.is_nan() || x <= R::ZERO {
        return R::NAN;
    }
    let mut x = x;
    let mut below = R::ZERO;
    while x < R::of(12.0) {
        below += R::ONE / x;
        x += R::ONE;
    }
    let square = R::ONE / (x * x);
    let terms = [-1.0 / 12.0, 1.0 / 120.0, -1.0 / 252.0, 1.0 / 240.0, -1.0 / 132.0, 691.0 / 32_760.0];
    let sum = terms.iter().rev().fold(R::ZERO, |sum, &term| sum * square + R::of(term));
    x.ln() - R::HALF / x + square * sum - below
}

/// ψ(x + ½) − ψ(x) without the cancellation of the two, x > 0; NaN for anything else.
///
/// ```text
/// 1/(2x) + 1/(8x²) − 1/(64x⁴) + 1/(128x⁶) − 17/(2048x⁸) + 31/(2048x¹⁰) − 691/(16384x¹²)
/// ```
///
/// for x ≥ 12, where the next term is below 10⁻¹⁵ of the first; smaller x are raised. The relative error is below 16 ε.
#[must_use]
pub(crate) fn digamma_step<R: Real>(x: R) -> R {
    if x.is_nan() || x <= R::ZERO {
        return R::NAN;
    }
    let mut x = x;
    let mut below = R::ZERO;
    while x < R::of(12.0) {
        below += R::HALF / (x * (x + R::HALF));
        x += R::ONE;
    }
    let inverse = R::ONE / x;
    let square = inverse * inverse;
    let terms = [1.0 / 8.0, -1.0 / 64.0, 1.0 / 128.0, -17.0 / 2048.0, 31.0 / 2048.0, -691.0 / 16_384.0];
    let sum = terms.iter().rev().fold(R::ZERO, |sum, &term| sum * square + R::of(term));
    R::HALF * inverse + square * sum + below
}

#[cfg(test)]
mod tests {
    use super::{digamma, digamma_step};

    /// x, ψ(x), ψ(x + ½) − ψ(x) by mpmath 1.3 with 40 digits.
    #[rustfmt::skip]
    const TABLE: [[f64; 3]; 7] = [
        [0.007_812_5, -128.564_437_472_976_72, 126.638_974_638_497_86],
        [0.25, -4.227_453_533_376_265_5, core::f64::consts::PI],
        [1.0, -0.577_215_664_901_532_9, 0.613_705_638_880_109_4],
        [2.5, 0.703_156_640_645_243_2, 0.219_627_694_453_223_94],
        [11.5, 2.398_239_129_535_781_4, 0.044_422_550_440_030_406],
        [40.0, 3.676_327_374_034_843, 0.012_578_118_898_390_458],
        [100_000_000.0, 18.420_680_738_952_367, 5.000_000_012_5e-9],
    ];

    #[test]
    fn agrees_with_many_digits() {
        for [x, psi, step] in TABLE {
            assert!((digamma(x) - psi).abs() <= 8.0 * f64::EPSILON * psi.abs().max(1.0), "{x}");
            assert!((digamma_step(x) / step - 1.0).abs() <= 16.0 * f64::EPSILON, "{x}");
            let single = x as f32;
            if f64::from(single) == x {
                let close = 8.0 * f32::EPSILON * psi.abs().max(1.0) as f32;
                assert!((digamma(single) - psi as f32).abs() <= close, "{x}");
                assert!((digamma_step(single) / step as f32 - 1.0).abs() <= 16.0 * f32::EPSILON, "{x}");
            }
        }
        for x in [0.0, -0.5, -1e300, f64::NAN] {
            assert!(digamma(x).is_nan() && digamma_step(x).is_nan());
        }
    }
}
