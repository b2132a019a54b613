//! Random Fourier features (sparse spectrum): waves from the spectral density of a stationary kernel.
//!
//! ```text
//! φ(x) = √(2σ²/m) (cos ω₁ᵀx, …, cos ω_{m/2}ᵀx, sin ω₁ᵀx, …, sin ω_{m/2}ᵀx)
//! squared exponential   ω = g/ℓ,            g ~ N(0, I)
//! Matérn-ν              ω = g/ℓ·√(ν/c),     c ~ Gamma(ν): Student's t with 2ν degrees of freedom
//! ```
//!
//! φ(x)ᵀφ(x′) = (2σ²/m) Σ cos ωᵀ(x − x′) depends on the difference alone and is σ² at x = x′, which one cosine with a
//! random phase for each frequency is not; its error is never larger. The unit draws g·√(ν/c) stay while θ moves, so
//! that the evidence is a smooth function of θ.
//!
//! # References
//! Lázaro-Gredilla et al., "Sparse spectrum Gaussian process regression", JMLR 11, 2010; Rahimi & Recht, "Random
//! features for large-scale kernel machines", 2007; Sutherland & Schneider, "On the error of random Fourier features",
//! 2015, for the choice of form.

use super::evidence::Share;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Form, Node, Op, Spectrum, Tape};
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};

/// The waves at one θ.
#[derive(Debug)]
pub(super) struct Waves<'s, R> {
    leaf: Spectral<'s>,
    dims: usize,
    /// Frequencies: the unit draws over the length scales, 0 in coordinates that the kernel does not see.
    omega: &'s mut [R],
    /// √(2σ²/m)
    amplitude: R,
}

impl<'s, R: Real> Waves<'s, R> {
    /// Scales the unit draws `spots` for θ; `scratch` takes as many scalars.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other kernels, [`Error::Shape`].
    pub(super) fn new(tape: Tape<'s>, theta: &[R], spots: &[R], scratch: &'s mut [R]) -> Result<Self, Error> {
        let leaf = Spectral::of(tape)?;
        let dims = leaf.tape.dims();
        let omega = Scratch::new(scratch).take(spots.len())?;
        omega.fill(R::ZERO);
        for m in 0..leaf.node.len() {
            let (k, rate) = (leaf.dim(m), R::ONE / theta[leaf.slot(m)].exp());
            for (o, &s) in omega.iter_mut().skip(k).step_by(dims).zip(spots.iter().skip(k).step_by(dims)) {
                *o = s * rate;
            }
        }
        let mut log_variance = R::ZERO;
        for scale in leaf.scales() {
            log_variance += theta[scale];
        }
        let count = R::of_usize((spots.len() / dims).max(1));
        Ok(Self { leaf, dims, omega, amplitude: (log_variance.exp() / count).sqrt() })
    }

    /// φ(point), two features a frequency.
    pub(super) fn features(&self, point: &[R], out: &mut [R]) {
        let (cosines, sines) = out.split_at_mut(out.len() / 2);
        for ((omega, c), s) in self.omega.chunks_exact(self.dims).zip(cosines).zip(sines) {
            let phase = dot(omega, point);
            (*c, *s) = (self.amplitude * phase.cos(), self.amplitude * phase.sin());
        }
    }

    /// Adds Σⱼ wⱼ ∂φⱼ/∂θ at `point` to `out`, where `phi` is φ(point); `weights` is spoilt.
    ///
    /// ```text
    /// ∂φ/∂ln σ² = φ/2,   ∂cos ωᵀx/∂ln ℓₖ = ωₖxₖ sin ωᵀx,   ∂sin ωᵀx/∂ln ℓₖ = −ωₖxₖ cos ωᵀx
    /// ```
    pub(super) fn add_gradient(&self, point: &[R], phi: &[R], weights: &mut [R], out: &mut [R]) {
        let scale = R::HALF * dot(phi, weights);
        for place in self.leaf.scales() {
            out[place] += scale;
        }
        turn(phi, weights);
        for m in 0..self.leaf.node.len() {
            let k = self.leaf.dim(m);
            let mut sum = R::ZERO;
            for (&w, &omega) in weights.iter().zip(self.omega.iter().skip(k).step_by(self.dims)) {
                sum += w * omega;
            }
            out[self.leaf.slot(m)] -= sum * point[k];
        }
    }

    /// Σⱼ wⱼ ∂φⱼ/∂x into `out`, where `phi` is φ(x); `weights` is spoilt.
    pub(super) fn slope(&self, phi: &[R], weights: &mut [R], out: &mut [R]) {
        turn(phi, weights);
        out.fill(R::ZERO);
        for (&w, omega) in weights.iter().zip(self.omega.chunks_exact(self.dims)) {
            for (o, &v) in out.iter_mut().zip(omega) {
                *o += w * v;
            }
        }
    }
}

/// Replaces the first half of `weights` by Σ wⱼ ∂φⱼ by the phase: w_sin·cos − w_cos·sin.
fn turn<R: Real>(phi: &[R], weights: &mut [R]) {
    let half = phi.len() / 2;
    let (first, second) = weights.split_at_mut(half);
    for (j, (c, s)) in first.iter_mut().zip(second).enumerate() {
        *c = *s * phi[j] - *c * phi[half + j];
    }
}

/// Whether the spectral density of a kernel of these nodes is known here.
pub(super) fn knows(mut ops: impl Iterator<Item = Op>) -> bool {
    ops.next().is_some_and(|op| order(op).is_some()) && ops.all(|op| op == Op::Scale)
}

/// The order ν of a leaf, infinite for the squared exponential, if its spectral density is known here.
fn order(op: Op) -> Option<f64> {
    let Form::Leaf(formula) = op.form() else { return None };
    match formula.spectrum() {
        Spectrum::Normal => Some(f64::INFINITY),
        Spectrum::Student(order) => Some(order),
        Spectrum::StudentOfShape | Spectrum::GammaOfShape | Spectrum::Unknown => None,
        Spectrum::Cauchy | Spectrum::Line | Spectrum::Zero => None,
    }
}

/// A kernel whose spectral density can be drawn from: one leaf, scaled any number of times.
#[derive(Clone, Copy, Debug)]
struct Spectral<'s> {
    tape: Tape<'s>,
    node: Node,
    /// ν; infinite for the squared exponential.
    order: f64,
}

impl<'s> Spectral<'s> {
    fn of(tape: Tape<'s>) -> Result<Self, Error> {
        let mut nodes = tape.nodes();
        let node = nodes.next().ok_or(Error::Unsupported)?;
        let order = order(node.op()).ok_or(Error::Unsupported)?;
        let scaled = nodes.all(|node| node.op() == Op::Scale);
        if scaled { Ok(Self { tape, node, order }) } else { Err(Error::Unsupported) }
    }

    /// The coordinate that the leaf sees as its number `m`.
    fn dim(self, m: usize) -> usize {
        self.tape.coordinate(self.node, m)
    }

    /// The place in θ of the length scale of coordinate number `m`.
    fn slot(self, m: usize) -> usize {
        self.node.theta() + if self.node.is_ard() { m } else { 0 }
    }

    /// The places in θ of the variances.
    fn scales(self) -> impl Iterator<Item = usize> + 's {
        self.tape.nodes().filter(|node| node.op() == Op::Scale).map(Node::theta)
    }
}

/// Draws unit frequencies, row after row.
///
/// # Errors
/// [`Error::Unsupported`] if the kernel's spectral density is not known here.
pub(super) fn draw<R: Real>(tape: Tape<'_>, generator: &mut Generator, spots: &mut [R]) -> Result<(), Error> {
    let leaf = Spectral::of(tape)?;
    for row in spots.chunks_exact_mut(leaf.tape.dims()) {
        let mut stretch = R::ONE;
        if leaf.order.is_finite() {
            let order = R::of(leaf.order);
            stretch = (order / rng::gamma(generator, order)).sqrt();
        }
        for value in row {
            *value = stretch * rng::normal::<R, _>(generator);
        }
    }
    Ok(())
}

/// λ of an observation: its own noise.
pub(super) fn share<R: Real>(own: R) -> Share<R> {
    Share { noise: own, penalty: R::ZERO }
}

/// Derivatives of the objective by gap (there is none) and by noise, from `weight` = Wᵢᵢ, W = ½(ααᵀ − P).
pub(super) fn slopes<R: Real>(weight: R) -> (R, R) {
    (R::ZERO, weight)
}
