//! The network of a factorised perceptron: its units, what they are linear in, and what is passed back.

use crate::math::axpy;
use crate::real::Real;

/// Units of the hidden layer.
pub(in crate::transfer) const UNITS: usize = 16;
/// The length K of the vectors by which inputs meet.
pub(in crate::transfer) const RANK: usize = 3;
/// Numbers of an input: its weight in each unit, and its vectors, coordinate after coordinate.
pub(in crate::transfer) const LINKS: usize = UNITS * (1 + RANK);

/// One number for each unit.
pub(in crate::transfer) type Layer<R> = [R; UNITS];

/// Sums over the inputs that were added, from which pair terms come in O(inputs · K).
///
/// ```text
/// z = Σᵢ wᵢxᵢ + Σᵢ﹤ⱼ ⟨vᵢ, vⱼ⟩ xᵢxⱼ = Σᵢ wᵢxᵢ + ½ Σₖ ((Σᵢ vᵢₖxᵢ)² − Σᵢ vᵢₖ²xᵢ²)
/// ```
///
/// # References
/// Rendle, *Factorization Machines*, ICDM 2010, lemma 3.1; Schilling, Wistuba, Drumond and Schmidt-Thieme, *Hyperparameter
/// Optimization with Factorized Multilayer Perceptrons*, ECML PKDD 2015; Wistuba 2017, (2.73).
#[derive(Clone, Copy, Debug)]
pub(in crate::transfer) struct Sums<R> {
    /// Σ wx.
    linear: Layer<R>,
    /// Σ vₖx.
    latent: [Layer<R>; RANK],
    /// Σ v²x², over k too.
    squares: Layer<R>,
}

impl<R: Real> Sums<R> {
    /// Of no input, with w₀.
    pub(in crate::transfer) fn new(bias: &[R]) -> Self {
        let mut linear = [R::ZERO; UNITS];
        linear.copy_from_slice(&bias[..UNITS]);
        Self { linear, latent: [[R::ZERO; UNITS]; RANK], squares: [R::ZERO; UNITS] }
    }

    /// Adds an input of some links.
    #[inline(always)]
    pub(in crate::transfer) fn add(&mut self, links: &[R], x: R) {
        let (weights, vectors) = links[..LINKS].split_at(UNITS);
        for (sum, &w) in self.linear.iter_mut().zip(weights) {
            *sum += w * x;
        }
        for (latent, vector) in self.latent.iter_mut().zip(vectors.chunks_exact(UNITS)) {
            for h in 0..UNITS {
                let part = vector[h] * x;
                latent[h] += part;
                self.squares[h] += part * part;
            }
        }
    }

    /// z of each unit.
    #[inline(always)]
    pub(in crate::transfer) fn totals(&self) -> Layer<R> {
        let mut out = self.linear;
        for h in 0..UNITS {
            let square = self.latent.iter().fold(R::ZERO, |sum, latent| sum + latent[h] * latent[h]);
            out[h] += R::HALF * (square - self.squares[h]);
        }
        out
    }

    /// 1/(1 + e⁻ᶻ) of each unit.
    #[inline(always)]
    pub(in crate::transfer) fn values(&self) -> Layer<R> {
        let mut out = self.totals().map(|z| -z);
        crate::math::exp_here(&mut out);
        out.map(|e| R::ONE / (R::ONE + e))
    }

    /// ∂z/∂x of an input of some links that was added, in each unit.
    pub(in crate::transfer) fn slope(&self, links: &[R], x: R) -> Layer<R> {
        let (weights, vectors) = links[..LINKS].split_at(UNITS);
        let mut out = [R::ZERO; UNITS];
        out.copy_from_slice(weights);
        for (latent, vector) in self.latent.iter().zip(vectors.chunks_exact(UNITS)) {
            for h in 0..UNITS {
                out[h] += vector[h] * (latent[h] - vector[h] * x);
            }
        }
        out
    }
}

/// Derivatives of a loss in z, and these times the sums that a vector meets.
///
/// ```text
/// ∂/∂wᵢ = Σ xᵢδ,   ∂/∂vᵢₖ = Σ xᵢ(δSₖ) − xᵢ²vᵢₖδ,   Sₖ = Σⱼ vⱼₖxⱼ
/// ```
#[derive(Clone, Copy, Debug)]
pub(in crate::transfer) struct Pull<R> {
    delta: Layer<R>,
    latent: [Layer<R>; RANK],
}

impl<R: Real> Default for Pull<R> {
    fn default() -> Self {
        Self { delta: [R::ZERO; UNITS], latent: [[R::ZERO; UNITS]; RANK] }
    }
}

impl<R: Real> Pull<R> {
    /// Of a row.
    #[inline(always)]
    pub(in crate::transfer) fn new(delta: Layer<R>, sums: &Sums<R>) -> Self {
        let mut latent = sums.latent;
        for latent in &mut latent {
            for h in 0..UNITS {
                latent[h] *= delta[h];
            }
        }
        Self { delta, latent }
    }

    /// Adds that of another row.
    #[inline(always)]
    pub(in crate::transfer) fn add(&mut self, other: &Self) {
        axpy(R::ONE, &other.delta, &mut self.delta);
        for (latent, other) in self.latent.iter_mut().zip(&other.latent) {
            axpy(R::ONE, other, latent);
        }
    }

    /// δ.
    pub(in crate::transfer) fn delta(&self) -> &Layer<R> {
        &self.delta
    }

    /// Adds the derivatives in the links of an input that has the same value in all of the rows.
    #[inline(always)]
    pub(in crate::transfer) fn push(&self, links: &[R], x: R, gradient: &mut [R]) {
        let (by_weight, by_vector) = gradient[..LINKS].split_at_mut(UNITS);
        axpy(x, &self.delta, by_weight);
        let vectors = links[UNITS..LINKS].chunks_exact(UNITS);
        for ((latent, vector), out) in self.latent.iter().zip(vectors).zip(by_vector.chunks_exact_mut(UNITS))
        {
            for h in 0..UNITS {
                out[h] += x * (latent[h] - x * vector[h] * self.delta[h]);
            }
        }
    }
}
