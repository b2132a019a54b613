//! The χ² distribution, and the incomplete gamma function that it is made of.

use crate::real::Real;

/// The probability of a value above `x`; NaN unless 0 < `freedom` ≤ 2¹⁷ and x ≥ 0.
///
/// ```text
/// P(χ²(ν) > x) = Q(ν/2, x/2)
/// ```
///
/// Accurate in the upper tail, where tests of significance look; errors as `upper`.
pub(crate) fn survival<R: Real>(x: R, freedom: R) -> R {
    upper(R::HALF * freedom, R::HALF * x)
}

/// The regularised upper incomplete gamma function Q(a, x) for 0 < a ≤ 2¹⁶ and x ≥ 0; NaN for anything else.
///
/// ```text
/// Q(a, x) = 1 − xᵃe⁻ˣ/Γ(a + 1)·(1 + x/(a + 1) + x²/((a + 1)(a + 2)) + …)                    for x < a + 1
/// Q(a, x) = xᵃe⁻ˣ/Γ(a)·1/(x + 1 − a − 1·(1 − a)/(x + 3 − a − 2·(2 − a)/(x + 5 − a − …)))   for x ≥ a + 1
/// ```
///
/// The relative error of the smaller of Q and 1 − Q is below (64 + 8·a·|ln a|)·ε. Cost: O(√a) steps, at most 4096.
///
/// # References
/// DLMF 8.11.4 and 8.9.2.
fn upper<R: Real>(a: R, x: R) -> R {
    if !(a > R::ZERO && a <= R::of(65_536.0) && x >= R::ZERO) {
        return R::NAN;
    }
    if x == R::ZERO || x == R::INFINITY {
        return if x == R::ZERO { R::ONE } else { R::ZERO };
    }
    let front = (a * x.ln() - x - a.ln_gamma()).exp();
    if x < a + R::ONE {
        let (mut term, mut sum, mut under) = (R::ONE, R::ONE, a);
        for _ in 0..STEPS {
            under += R::ONE;
            term *= x / under;
            sum += term;
            if term <= R::HALF * R::EPSILON * sum {
                break;
            }
        }
        return R::ONE - (front * sum / a).min(R::ONE);
    }
    // The convergents by their ratios, from the front (Lentz); nothing vanishes for x ≥ a + 1.
    let mut below = x + R::ONE - a;
    let mut ratio = R::ONE / R::MIN_POSITIVE;
    let mut inverse = R::ONE / below;
    let mut value = inverse;
    for step in 1..=STEPS {
        let k = R::of_usize(step);
        let over = -k * (k - a);
        below += R::TWO;
        inverse = R::ONE / away(over * inverse + below);
        ratio = away(below + over / ratio);
        let factor = inverse * ratio;
        value *= factor;
        if (factor - R::ONE).abs() <= R::EPSILON {
            break;
        }
    }
    (front * value).clamp(R::ZERO, R::ONE)
}

/// The number, moved away from zero so that it can divide.
fn away<R: Real>(value: R) -> R {
    if value.abs() < R::MIN_POSITIVE { R::MIN_POSITIVE } else { value }
}

/// Bound of the steps of series and fraction.
const STEPS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::survival;
    use crate::real::Real;
    use crate::stats::normal;

    /// 1 degree of freedom is the square of a normal, even ones are sums of exponentials.
    fn closed_forms<R: Real>() {
        let e = R::EPSILON.to_f64();
        for x in [1e-3, 0.5, 1.0, 2.5, 7.0, 20.0, 60.0] {
            let close = |ours: R, theirs: f64, freedom: f64| {
                let bound = (64.0 + 8.0 * freedom * (1.0 + freedom.ln()) + x) * e;
                assert!((ours.to_f64() - theirs).abs() <= bound * theirs, "{x} {freedom} {ours} {theirs}");
            };
            let x_of = R::of(x).to_f64();
            close(survival(R::of(x), R::ONE), 2.0 * normal::cdf(-x_of.sqrt()), 1.0);
            let (mut term, mut sum) = ((-0.5 * x_of).exp(), 0.0);
            for pairs in 1..60u32 {
                sum += term;
                term *= 0.5 * x_of / f64::from(pairs);
                close(survival(R::of(x), R::of(f64::from(2 * pairs))), sum, f64::from(2 * pairs));
            }
        }
    }

    #[test]
    fn agrees_with_closed_forms() {
        closed_forms::<f64>();
        closed_forms::<f32>();
    }

    /// It falls, and many degrees of freedom are nearly normal (Wilson and Hilferty, 1931).
    #[test]
    fn falling_and_many_degrees() {
        for freedom in [0.02, 1.0, 6.0, 80.0, 2e3, 1.2e5] {
            let tails = [0.0, 0.2, 0.9, 1.0, 1.1, 2.0].map(|part| survival(freedom * part, freedom));
            assert!(tails[0] == 1.0 && tails.windows(2).all(|pair| pair[1] <= pair[0]));
        }
        for z in [-2.0f64, 0.0, 1.0, 3.0] {
            let freedom = 1e5;
            let spread = 2.0 / (9.0 * freedom);
            let x = freedom * (1.0 - spread + z * spread.sqrt()).powi(3);
            assert!((survival(x, freedom) - normal::cdf(-z)).abs() < 1e-6);
        }
    }

    #[test]
    fn nonsense_gives_nan() {
        for (x, freedom) in [(-1.0, 2.0), (f64::NAN, 2.0), (1.0, 0.0), (1.0, f64::NAN), (1.0, 1e9)] {
            assert!(survival(x, freedom).is_nan());
        }
        assert_eq!((survival(f64::INFINITY, 3.0), survival(0.0, 3.0)), (0.0, 1.0));
    }
}
