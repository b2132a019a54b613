//! The F distribution: the ratio of two mean squares.

use super::beta;
use crate::real::Real;

/// The probability of a value above `x`; NaN unless x ≥ 0 and both degrees of freedom are between 2⁻⁶ and 2¹⁷.
///
/// ```text
/// P(F(m, n) > x) = I(n/(n + m·x); n/2, m/2)
/// ```
///
/// Accurate in the upper tail, where tests of significance look; errors as [`beta::below`].
pub(crate) fn survival<R: Real>(x: R, above: R, below: R) -> R {
    let product = above * x;
    let whole = below + product;
    let (first, second) =
        if product == R::INFINITY { (R::ONE, R::ZERO) } else { (product / whole, below / whole) };
    beta::below(second, first, R::HALF * below, R::HALF * above)
}

#[cfg(test)]
mod tests {
    use super::survival;
    use crate::real::Real;
    use crate::stats::student;

    /// One degree above is the square of Student's t, two have a closed form.
    fn closed_forms<R: Real>() {
        let e = R::EPSILON.to_f64();
        for x in [0.01, 0.7, 1.0, 3.0, 12.0] {
            for below in [1.0, 5.0, 30.0, 195.0, 3000.0] {
                let bound = (64.0 + 8.0 * below * (1.0 + f64::ln(below))) * e;
                let close = |ours: R, theirs: f64| {
                    assert!((ours.to_f64() - theirs).abs() <= bound * theirs, "{x} {below} {ours} {theirs}");
                };
                let seen = R::of(x).to_f64();
                let n = R::of(below);
                close(survival(R::of(x), R::ONE, n), 2.0 * student::cdf(-seen.sqrt(), below));
                close(survival(R::of(x), R::TWO, n), (1.0 + 2.0 * seen / below).powf(-0.5 * below));
                let both = survival(R::of(x), R::of(7.0), n) + survival(R::ONE / R::of(x), n, R::of(7.0));
                assert!((both.to_f64() - 1.0).abs() <= bound);
            }
        }
    }

    #[test]
    fn agrees_with_closed_forms() {
        closed_forms::<f64>();
        closed_forms::<f32>();
    }

    #[test]
    fn nonsense_gives_nan() {
        for (x, m, n) in [(-1.0, 2.0, 2.0), (f64::NAN, 2.0, 2.0), (1.0, 0.0, 2.0), (1.0, 2.0, f64::NAN)] {
            assert!(survival(x, m, n).is_nan());
        }
        assert_eq!((survival(f64::INFINITY, 3.0, 4.0), survival(0.0, 3.0, 4.0)), (0.0, 1.0));
    }
}
