//! Derivatives and integrals by brute force, to check closed forms against.

use std::f64::consts::PI;

/// The derivative of `f` at `x` by five points.
///
/// ```text
/// f′(x) ≈ [8(f(x+h) − f(x−h)) − (f(x+2h) − f(x−2h))] / 12h
/// ```
///
/// Truncation is h⁴f⁗′/30 and rounding about 1.5·ε|f|/h, so h = ε^⅕·max(|x|, 1) leaves an error near
/// ε^⅘ ≈ 3e-13 when f and its derivatives are of size one on that scale.
pub fn derivative(f: impl FnMut(f64) -> f64, x: f64) -> f64 {
    derivative_scaled(f, x, x.abs().max(1.0))
}

/// The same, where `scale` is the length on which `f` changes by its own size.
pub fn derivative_scaled(mut f: impl FnMut(f64) -> f64, x: f64, scale: f64) -> f64 {
    // Adding and subtracting x makes h the difference of two representable numbers, so that the quotient
    // divides by the step that was really taken.
    let h = (x + f64::EPSILON.powf(0.2) * scale) - x;
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

/// The gradient of `f` at `x`, coordinate by coordinate, each on its own scale max(|xᵢ|, 1).
pub fn gradient(mut f: impl FnMut(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let mut at = x.to_vec();
    (0..x.len())
        .map(|i| {
            let slope = derivative(
                |value| {
                    at[i] = value;
                    f(&at)
                },
                x[i],
            );
            at[i] = x[i];
            slope
        })
        .collect()
}

/// Nodes and weights of the Gauss–Legendre rule with `points` points on [−1, 1], exact for polynomials of
/// degree 2·points − 1.
pub fn gauss_legendre(points: usize) -> Vec<(f64, f64)> {
    (0..points)
        .map(|i| {
            // Newton's method on P_n from Tricomi's estimate converges in a few steps for every root.
            let mut x = (PI * (i as f64 + 0.75) / (points as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut previous, mut value) = (1.0, x);
                for k in 2..=points {
                    let k = k as f64;
                    (previous, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * previous) / k);
                }
                slope = points as f64 * (x * value - previous) / (x * x - 1.0);
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// ∫ f over [a, b] in equal panels of 20 Gauss–Legendre points.
///
/// Put a kink of `f` at the end of an interval; cut an infinite tail where it no longer counts.
pub fn integrate(mut f: impl FnMut(f64) -> f64, a: f64, b: f64, panels: usize) -> f64 {
    let rule = gauss_legendre(20);
    let half = (b - a) / panels as f64 / 2.0;
    (0..panels)
        .map(|panel| {
            let middle = a + half * (2 * panel + 1) as f64;
            half * rule.iter().map(|&(x, w)| w * f(middle + half * x)).sum::<f64>()
        })
        .sum()
}

/// ∫ f over [a, b] by Simpson's rule with `intervals` intervals (rounded up to even): a second opinion that
/// shares nothing with [`integrate`].
pub fn simpson(mut f: impl FnMut(f64) -> f64, a: f64, b: f64, intervals: usize) -> f64 {
    let n = intervals.max(2).next_multiple_of(2);
    let h = (b - a) / n as f64;
    let inner: f64 = (1..n).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * f(a + h * i as f64)).sum();
    h / 3.0 * (f(a) + inner + f(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivative_keeps_its_stated_error() {
        for x in [-3.0, -0.1, 0.0, 0.7, 2.0] {
            assert!((derivative(f64::sin, x) - x.cos()).abs() < 3e-12, "sin at {x}");
            assert!((derivative(f64::exp, x) / x.exp() - 1.0).abs() < 1e-11, "exp at {x}");
        }
        let far = derivative_scaled(|x| (x / 1e6).sin(), 1e6, 1e6);
        assert!((far * 1e6 - 1.0_f64.cos()).abs() < 3e-12);
    }

    #[test]
    fn gradient_takes_each_coordinate() {
        let slopes = gradient(|x| x[0] * x[0] * x[1] + 3.0 * x[1], &[2.0, -1.0]);
        assert!((slopes[0] + 4.0).abs() < 1e-11 && (slopes[1] - 7.0).abs() < 1e-11);
    }

    #[test]
    fn gauss_legendre_is_exact_to_its_degree() {
        for points in [1, 2, 5, 20, 31] {
            let rule = gauss_legendre(points);
            for power in 0..2 * points as i32 {
                let exact = if power % 2 == 0 { 2.0 / f64::from(power + 1) } else { 0.0 };
                let sum: f64 = rule.iter().map(|&(x, w)| w * x.powi(power)).sum();
                assert!((sum - exact).abs() < 1e-14, "{points} points, power {power}: {sum}");
            }
        }
    }

    #[test]
    fn two_rules_agree_with_the_integral() {
        let root_pi = PI.sqrt();
        assert!((integrate(|x| (-x * x).exp(), -9.0, 9.0, 8) - root_pi).abs() < 1e-14);
        assert!((simpson(|x| (-x * x).exp(), -9.0, 9.0, 999) - root_pi).abs() < 1e-13);
        assert!((simpson(|x| x * x * x, 0.0, 2.0, 2) - 4.0).abs() < 1e-15);
    }
}
