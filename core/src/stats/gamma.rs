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

#[cfg(test)]
mod tests {
    use super::digamma;

    /// x and ψ(x) by mpmath 1.3 with 40 digits.
    #[rustfmt::skip]
    const TABLE: [[f64; 2]; 7] = [
        [0.007_812_5, -128.564_437_472_976_72],
        [0.25, -4.227_453_533_376_265_5],
        [1.0, -0.577_215_664_901_532_9],
        [2.5, 0.703_156_640_645_243_2],
        [11.5, 2.398_239_129_535_781_4],
        [40.0, 3.676_327_374_034_843],
        [100_000_000.0, 18.420_680_738_952_367],
    ];

    #[test]
    fn agrees_with_many_digits() {
        for [x, psi] in TABLE {
            assert!((digamma(x) - psi).abs() <= 8.0 * f64::EPSILON * psi.abs().max(1.0), "{x}");
            let single = x as f32;
            if f64::from(single) == x {
                let close = 8.0 * f32::EPSILON * psi.abs().max(1.0) as f32;
                assert!((digamma(single) - psi as f32).abs() <= close, "{x}");
            }
        }
        for x in [0.0, -0.5, -1e300, f64::NAN] {
            assert!(digamma(x).is_nan());
        }
    }
}
