//! Hyperparameters drawn from their posterior by Markov chains.
//!
//! ```text
//! θ ~ p(θ | y) ∝ p(y | X, θ) p(θ)          f integrated out: slice, Metropolis
//! f, θ ~ p(f, θ | y) ∝ L(f) p(f | θ) p(θ)   latent values kept: fixed, whitened, surrogate data
//! ```
//!
//! A chain is plain slices: it survives between calls, is saved with them bit for bit, and can be reset. All
//! work is bounded by counts, whatever the likelihood says: a value that is not a number is never accepted.

mod chain;
mod fixed;
pub(super) mod integrated;
mod latent;
mod metropolis;
mod slice;
mod surrogate;
mod sweep;
#[cfg(test)]
mod tests;
mod whitened;

pub(crate) use chain::Chain;

use crate::error::Error;
use crate::rng::Generator;

/// How the hyperparameters are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sampler {
    /// Slice sampling with f integrated out: a random direction in the parameters that are no lengths, then each
    /// length by itself, in random order.
    #[default]
    Slice,
    /// Metropolis–Hastings with f integrated out: a normal step in each parameter, in random order.
    Metropolis,
    /// Metropolis–Hastings for fixed f; good where the data are strong.
    Fixed,
    /// Metropolis–Hastings for fixed whitened ν = L⁻¹f; good where the data are weak.
    Whitened,
    /// Metropolis–Hastings with surrogate data.
    SurrogateMetropolis,
    /// Slice sampling with surrogate data: no step to be tuned.
    SurrogateSlice,
}

impl Sampler {
    /// All of them, each at the place of its number in a block.
    pub const ALL: [Self; 6] = [
        Self::Slice,
        Self::Metropolis,
        Self::Fixed,
        Self::Whitened,
        Self::SurrogateMetropolis,
        Self::SurrogateSlice,
    ];

    /// Whether the chain keeps values of the latent function.
    pub(crate) const fn is_latent(self) -> bool {
        !matches!(self, Self::Slice | Self::Metropolis)
    }
}

/// How much a chain may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// How the hyperparameters are drawn.
    pub sampler: Sampler,
    /// Sweeps before the first draw of a chain that starts afresh.
    pub burn_in: u32,
    /// Sweeps from one draw to the next, at least one.
    pub thin: u32,
    /// Width of the first interval of a slice, and first step of Metropolis–Hastings, on the log scale.
    pub width: f64,
    /// Steps outwards at each end of an interval, at most.
    pub out: u32,
    /// Points tried in an interval or on an ellipse, at most; then the chain stays where it is.
    pub shrink: u32,
    /// Updates of the latent values alone in each sweep.
    pub latent: u32,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            sampler: Sampler::Slice,
            burn_in: 100,
            thin: 1,
            width: 1.0,
            out: 1000,
            shrink: 100,
            latent: 10,
        }
    }
}

impl Sampling {
    /// Whether all numbers are in range.
    ///
    /// # Errors
    /// [`Error::Config`] if the width is not positive and finite, or `thin` or `shrink` is 0.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let width = self.width > 0.0 && self.width.is_finite();
        if width && self.thin > 0 && self.shrink > 0 { Ok(()) } else { Err(Error::Config) }
    }
}

/// What one move of a chain needs to know of the density that it follows.
pub(super) trait Target<R> {
    /// How far a coordinate may move; 0 if it is frozen.
    fn span(&self, coordinate: usize) -> R;

    /// Fixes what stays as it is during a move from `theta`; the log density there, up to a constant of the move.
    fn begin(&mut self, theta: &[R], generator: &mut Generator) -> R;

    /// The log density at another place; −∞ or NaN where there is none.
    fn at(&mut self, theta: &[R]) -> R;

    /// The last place that was asked for is where the chain is now.
    fn accept(&mut self) {}
}

/// What moves have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moves {
    /// Evaluations of a density, those of a likelihood for fixed hyperparameters included.
    evaluations: u64,
    /// Moves that led to another place.
    moved: u64,
}
