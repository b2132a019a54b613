//! Mondrian features: random signs of the cells of Mondrian trees.
//!
//! ```text
//! φ(x) = √(σ²/m) (s₁, …, s_m),   s_t = ±1 by a hash of the cell of x in tree t
//! ```
//!
//! φ(x)ᵀφ(x′) is σ² at x = x′; elsewhere a tree gives 1 if the points share its cell and else either sign, so that the
//! mean is the kernel: one number for each tree, however many cells it has. The variance of an entry is σ⁴(1 − ρ²)/m, ρ
//! the correlation; with the m features spent on the cells of fewer trees instead, B to a tree, it would be
//! σ⁴(ρ(1 − ρ)B + 1 − ρ)/m, which is more for B > 1.
//!
//! Besides cuts, a weight w of a category (Hamming; −ln c of an exchangeable one) separates all its values in a tree
//! with probability 1 − e⁻ʷ; a branch does so always. The features do not move smoothly with lengths and weights: their
//! slopes are 0 and training finds them by its draws alone.
//!
//! # References
//! As [`super::mondrian`]; Rahimi and Recht, "Random features for large-scale kernel machines", 2007, for hashed cells.

use super::mondrian::{descend, mix, unit};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Discrete, Form, Formula, Gate, Node, Op, Tape};
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};

/// Features without which there is no room to work in.
pub(super) const LEAST: usize = 4;

/// The signs at one θ.
#[derive(Debug)]
pub(super) struct Cells<'s, R> {
    tape: Tape<'s>,
    /// The roots of the trees, in the first coordinate of each spot.
    spots: &'s [R],
    /// Cuts per unit of length.
    rates: &'s mut [R],
    /// What separates the values of a coordinate.
    weights: &'s mut [R],
    sides: &'s mut [R],
    /// √(σ²/m)
    amplitude: R,
}

impl<'s, R: Real> Cells<'s, R> {
    /// The trees of the roots in `spots` at θ; `scratch` takes four scalars for each coordinate.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other kernels, [`Error::Shape`].
    pub(super) fn new(
        tape: Tape<'s>,
        theta: &[R],
        spots: &'s [R],
        scratch: &'s mut [R],
    ) -> Result<Self, Error> {
        Error::Unsupported.when(!knows(tape.nodes().map(Node::op)))?;
        let dims = tape.dims();
        let mut scratch = Scratch::new(scratch);
        let rates = scratch.take(dims)?;
        let weights = scratch.take(dims)?;
        let sides = scratch.take(2 * dims)?;
        rates.fill(R::ZERO);
        weights.fill(R::ZERO);
        let mut log_variance = R::ZERO;
        for node in tape.nodes() {
            let natural = |m: usize| theta[node.theta() + if node.is_ard() { m } else { 0 }].exp();
            for m in 0..node.len() {
                let k = tape.coordinate(node, m);
                match node.op().form() {
                    Form::Leaf(Formula::Laplace) => rates[k] += R::ONE / natural(m),
                    Form::Leaf(Formula::Discrete(Discrete::Hamming)) => weights[k] += natural(m),
                    Form::Leaf(Formula::Discrete(Discrete::Exchangeable)) => weights[k] -= natural(m).ln(),
                    Form::Leaf(Formula::Gate(Gate::Branch)) => weights[k] = R::INFINITY,
                    // Others are refused before they come here, and what has no leaf has no coordinate.
                    Form::Sum | Form::Product | Form::Scale | Form::Leaf(_) => {}
                }
            }
            if node.op() == Op::Scale {
                log_variance += theta[node.theta()];
            }
        }
        let count = R::of_usize((spots.len() / dims).max(1));
        Ok(Self { tape, spots, rates, weights, sides, amplitude: (log_variance.exp() / count).sqrt() })
    }

    /// φ(point), a feature for each tree.
    pub(super) fn features(&mut self, point: &[R], out: &mut [R]) {
        let dims = self.tape.dims();
        for (t, (out, spot)) in out.iter_mut().zip(self.spots.chunks_exact(dims)).enumerate() {
            let root = mix(spot[0].to_f64().to_bits(), t as u64);
            let mut cell = descend(root, self.rates, point, self.sides);
            for (k, (&weight, &x)) in self.weights.iter().zip(point).enumerate() {
                // An exponential time below the weight: the values go apart.
                if weight > R::ZERO && -unit::<R>(mix(root, 4 + k as u64)).ln() < weight {
                    cell = mix(cell, x.to_f64().to_bits());
                }
            }
            for node in self.tape.nodes().filter(|node| node.op() == Op::Active) {
                for m in 0..node.len() {
                    cell = mix(cell, u64::from(point[self.tape.coordinate(node, m)] < R::ZERO));
                }
            }
            // One bit of a word that nothing else was made of.
            *out = if mix(cell, 2) >> 63 == 0 { self.amplitude } else { -self.amplitude };
        }
    }

    /// Adds Σⱼ wⱼ ∂φⱼ/∂θ to `out`, where `phi` is φ(point): ∂φ/∂ln σ² = φ/2, else nothing.
    pub(super) fn add_gradient(&self, phi: &[R], weights: &[R], out: &mut [R]) {
        let scale = R::HALF * dot(phi, weights);
        for node in self.tape.nodes().filter(|node| node.op() == Op::Scale) {
            out[node.theta()] += scale;
        }
    }
}

/// Whether trees give the kernel of these nodes: products of what separates points independently.
pub(super) fn knows(mut ops: impl Iterator<Item = Op>) -> bool {
    use Op::{Active, Branch, Exchangeable, Hamming, Laplace, Product, Scale};
    ops.all(|op| matches!(op, Laplace | Hamming | Exchangeable | Branch | Active | Product | Scale))
}

/// Draws the roots of trees, which are exact in every scalar.
pub(super) fn draw<R: Real>(dims: usize, generator: &mut Generator, spots: &mut [R]) {
    for row in spots.chunks_exact_mut(dims) {
        row.fill(R::ZERO);
        row[0] = R::of(rng::below(generator, 1 << 24) as f64);
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::super::tests::empty;
    use super::super::{Kind, Size, Sparse};
    use super::*;
    use crate::gp::{self, Gp};
    use crate::kernel::{Dims, Kernel};
    use crate::surrogate::Surrogate;
    use crate::{Plain, Trend};

    /// Two numbers, a category and a branch: exp(−Σ|Δ|/ℓ − w [≠]) within a branch.
    fn kernel() -> Kernel {
        let labels = Kernel::hamming(Dims::list(&[2]));
        let numbers = Kernel::laplace(Dims::list(&[0, 1])).ard();
        numbers.times(labels).unwrap().scaled().times(Kernel::branch(Dims::list(&[3]))).unwrap()
    }

    fn words(kernel: &Kernel) -> ([u64; 16], [u64; 4]) {
        let (mut nodes, mut lists) = ([0; 16], [0; 4]);
        kernel.write(4, &mut nodes, &mut lists).unwrap();
        (nodes, lists)
    }

    fn points(count: usize) -> Vec<f64> {
        let mut generator = Generator::new(3);
        let mut unit = || rng::uniform::<f64, _>(&mut generator);
        let level = |u: f64| ((2.0 * u).floor() + 0.5) / 2.0;
        (0..count).flat_map(|_| [unit(), unit(), level(unit()), level(unit())]).collect()
    }

    #[test]
    fn signs_average_to_the_kernel() {
        let (nodes, lists) = words(&kernel());
        let tape = Tape::attach(&nodes, &lists, 4).unwrap();
        let theta = [-0.7, 0.2, -0.4, 0.3];
        let (x, m) = (points(20), 4000);
        let mut spots = vec![0.0; 4 * m];
        draw(4, &mut Generator::new(9), &mut spots);
        let mut scratch = [0.0; 16];
        let mut cells = Cells::new(tape, &theta, &spots, &mut scratch).unwrap();
        let rows: Vec<Vec<f64>> = x
            .chunks_exact(4)
            .map(|point| {
                let mut phi = vec![0.0; m];
                cells.features(point, &mut phi);
                phi
            })
            .collect();
        let (variance, mut worst, mut squares, mut apart) = (0.3f64.exp(), 0.0f64, 0.0, 0);
        for (i, a) in x.chunks_exact(4).enumerate() {
            for (j, b) in x.chunks_exact(4).enumerate() {
                let exact = tape.eval(&theta, a, b);
                let error = dot(&rows[i], &rows[j]) - exact;
                if i == j {
                    assert!(error.abs() < 1e-12);
                    continue;
                }
                let rho = exact / variance;
                let deviation = variance * ((1.0 - rho * rho) / m as f64).sqrt();
                worst = worst.max((error / deviation).abs());
                squares += (error / deviation).powi(2) / 380.0;
                apart += usize::from(exact == 0.0);
            }
        }
        // 190 pairs of nearly independent errors in their own deviations.
        assert!(worst < 4.5 && (0.7..1.4).contains(&squares), "{worst} {squares}");
        assert!(apart > 20);
    }

    #[test]
    fn many_trees_predict_as_the_exact_process() {
        let kernel = kernel();
        let (nodes, lists) = words(&kernel);
        let tape = Tape::attach(&nodes, &lists, 4).unwrap();
        let x = points(60);
        let y: Vec<f64> = x.chunks_exact(4).map(|p| (4.0 * p[0]).sin() + p[1] * p[3] + p[2]).collect();
        let exact = gp::Size { rows: 60, exact: 60, dims: 4, thetas: 4, columns: 1, batch: 1 };
        let size = Size { rows: 60, dims: 4, thetas: 4, columns: 1, features: 800 };
        let (mut one, mut two) = (vec![0; exact.words::<f64>()], vec![0; size.words::<f64>()]);
        let mut gp = Gp::<f64>::new(&kernel, Trend::Constant, exact, &mut one).unwrap();
        let mut sparse: Sparse<'_, f64> = empty(Kind::Mondrian, &kernel, Trend::Constant, size, &mut two);
        gp.set_noise(0.05, 1e-8, 1.0).unwrap();
        sparse.theta.set_range(size.thetas, 0.05, 1e-8, 1.0).unwrap();
        for (point, &y) in x.chunks_exact(4).zip(&y) {
            gp.push(point, y, 0.0).unwrap();
            sparse.data.push(point, y, 0.0).unwrap();
        }
        gp.fit(&tape, &mut Plain).unwrap();
        sparse.choose(tape, &mut Generator::new(4)).unwrap();
        sparse.fit(tape).unwrap();
        let mut view = sparse.view(tape, &mut []).unwrap();
        assert!((0..4).all(|k| !view.smooth(k)));
        for point in [[0.2, 0.3, 0.25, 0.25], [0.5, 0.5, 0.75, 0.25], [0.9, 0.6, 0.25, 0.75]] {
            let (a, b) = (view.predict(&point).unwrap(), gp.predict(&tape, &point).unwrap());
            assert!((a.mean - b.mean).abs() < 0.12, "{a:?} {b:?}");
            assert!((a.variance.sqrt() - b.variance.sqrt()).abs() < 0.08, "{a:?} {b:?}");
        }
    }
}
