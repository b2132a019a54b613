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
#[must_use]
pub fn survival<R: Real>(x: R, above: R, below: R) -> R {
    let (first, second) = parts(x, above, below);
    beta::below(second, first, R::HALF * below, R::HALF * above)
}

/// The probability of a value below `x`, as `survival`.
#[must_use]
pub fn cdf<R: Real>(x: R, above: R, below: R) -> R {
    let (first, second) = parts(x, above, below);
    beta::below(first, second, R::HALF * above, R::HALF * below)
}

/// m·x/(n + m·x) and n/(n + m·x).
fn parts<R: Real>(x: R, above: R, below: R) -> (R, R) {
    let product = above * x;
    if product == R::INFINITY {
        return (R::ONE, R::ZERO);
    }
    let whole = below + product;
    (product / whole, below / whole)
}

#[cfg(test)]
mod tests {
    use super::{cdf, survival};
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
                let both = survival(R::of(x), R::of(7.0), n) + cdf(R::of(x), R::of(7.0), n);
                assert!((both.to_f64() - 1.0).abs() <= 4.0 * e);
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
            assert!(survival(x, m, n).is_nan() && cdf(x, m, n).is_nan());
        }
        assert_eq!((survival(f64::INFINITY, 3.0, 4.0), survival(0.0, 3.0, 4.0)), (0.0, 1.0));
    }
}
