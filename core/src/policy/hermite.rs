//! Gauss–Hermite quadrature: nodes at which a normal variable is tried.

use crate::real::Real;

/// Most nodes of a rule.
pub(crate) const MAX_NODES: usize = 32;

/// The nodes t and weights w of Gauss and Hermite for a standard normal variable; exact for polynomials of degree
/// 2n − 1.
///
/// ```text
/// E g(z) ≈ Σ wᵢ g(tᵢ),   Hₙ(tᵢ) = 0,   wᵢ = 1/Σₖ₌₀ⁿ⁻¹ Hₖ(tᵢ)²,   Hₖ orthonormal
/// ```
///
/// The roots of each order lie between those of the order before, where they are bisected: O(n³) with a fixed count of
/// steps. At most [`MAX_NODES`] are written, in increasing order.
///
/// # References
/// Golub and Welsch, *Calculation of Gauss Quadrature Rules*, Mathematics of Computation 23, 1969.
pub(crate) fn rule<R: Real>(nodes: &mut [R], weights: &mut [R]) {
    let order = nodes.len().min(weights.len()).min(MAX_NODES);
    let (mut roots, mut before) = ([0.0f64; MAX_NODES], [0.0f64; MAX_NODES]);
    for n in 1..=order {
        before[..n - 1].copy_from_slice(&roots[..n - 1]);
        // All roots of order n lie within 2√n of 0.
        let edge = 2.0 * root(n as f64) + 1.0;
        for i in 0..n {
            let mut lo = if i == 0 { -edge } else { before[i - 1] };
            let mut hi = if i == n - 1 { edge } else { before[i] };
            // The sign left of root i is that of (−1)^(n − i).
            let negative_left = (n - i) % 2 == 1;
            for _ in 0..STEPS {
                let middle = 0.5 * (lo + hi);
                let left = (polynomial(n, middle).0 < 0.0) == negative_left;
                if left {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            roots[i] = 0.5 * (lo + hi);
        }
    }
    for i in 0..order {
        // Symmetric to the last bit: the odd moments are 0.
        let node = 0.5 * (roots[i] - roots[order - 1 - i]);
        nodes[i] = R::of(node);
        weights[i] = R::of(1.0 / polynomial(order, node).1);
    }
}

/// Bisections of a root: more than a double has bits.
const STEPS: u32 = 64;

/// Hₙ(x), and the sum of the squares of the polynomials before it.
fn polynomial(n: usize, x: f64) -> (f64, f64) {
    let (mut last, mut value, mut squares) = (0.0, 1.0, 0.0);
    for k in 0..n {
        squares += value * value;
        let next = (x * value - root(k as f64) * last) / root(k as f64 + 1.0);
        (last, value) = (value, next);
    }
    (value, squares)
}

/// √x by the trait, which a method of `std` would hide.
fn root(x: f64) -> f64 {
    Real::sqrt(x)
}

#[cfg(test)]
mod tests {
    use super::{MAX_NODES, rule};

    /// E z^k is (k − 1)!! for even k.
    #[test]
    fn moments_are_exact() {
        for n in [1, 2, 3, 5, 8, 16, MAX_NODES] {
            let (mut nodes, mut weights) = ([0.0f64; MAX_NODES], [0.0; MAX_NODES]);
            rule(&mut nodes[..n], &mut weights[..n]);
            assert!(nodes[..n].windows(2).all(|pair| pair[0] < pair[1]));
            let mut moment = 1.0;
            for k in (0..2 * n).step_by(2) {
                let sum: f64 = (0..n).map(|i| weights[i] * nodes[i].powi(k as i32)).sum();
                assert!((sum / moment - 1.0).abs() < 1e-12, "{n} {k} {sum} {moment}");
                moment *= k as f64 + 1.0;
            }
        }
    }

    /// Abramowitz and Stegun, table 25.10, for five nodes: x·√2, w/√π.
    #[test]
    fn five_nodes_are_those_of_the_table() {
        let (mut nodes, mut weights) = ([0.0f64; 5], [0.0f64; 5]);
        rule(&mut nodes, &mut weights);
        let root = core::f64::consts::PI.sqrt();
        for (i, x, w) in [
            (2, 0.0, 0.945_308_720_482_9),
            (3, 0.958_572_464_613_819, 0.393_619_323_152_2),
            (4, 2.020_182_870_456_086, 0.019_953_242_059_05),
        ] {
            assert!((nodes[i] - x * core::f64::consts::SQRT_2).abs() < 1e-14);
            assert!((weights[i] - w / root).abs() < 1e-13);
        }
        let (mut single, mut light) = ([0.0f32; 40], [0.0f32; 40]);
        rule(&mut single, &mut light);
        assert!(single[MAX_NODES..].iter().all(|&x| x == 0.0));
        rule::<f64>(&mut [], &mut []);
    }
}
