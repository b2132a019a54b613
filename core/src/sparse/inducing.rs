//! Features of inducing inputs: covariances with them, whitened.
//!
//! ```text
//! φ(x) = L⁻¹k_u(x),   K_uu = L Lᵀ,   φ(x)ᵀφ(x′) = k_u(x)ᵀ K_uu⁻¹ k_u(x′)
//! ```

use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Rows, Tape};
use crate::linalg::{self, packed};
use crate::real::Real;

/// How far the diagonal of K_uu is lifted at first, as a fraction: 1000ε, but no more than √ε/100.
///
/// Without noise on its diagonal K_uu is singular to rounding whenever inputs are close for the length scales; the lift
/// keeps its factor from being made of rounding alone, and is far below any noise that can be learnt.
pub(super) fn first_lift<R: Real>() -> R {
    (R::EPSILON * R::of(1000.0)).min(R::EPSILON.sqrt() * R::of(0.01))
}

/// Covariances with the inducing inputs at one θ.
#[derive(Debug)]
pub(super) struct Inducing<'s, R> {
    tape: Tape<'s>,
    theta: &'s [R],
    pub(super) root: &'s [R],
    /// The inputs prepared for this θ.
    rows: Rows<'s, R>,
    /// k(x, x) if it is the same everywhere.
    diagonal: Option<R>,
}

impl<'s, R: Real> Inducing<'s, R> {
    /// Prepares `count` inducing inputs; `scratch` is that of a kernel over them.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn new(
        tape: Tape<'s>,
        theta: &'s [R],
        spots: &'s [R],
        count: usize,
        root: &'s [R],
        scratch: &'s mut [R],
    ) -> Result<Self, Error> {
        let point = &spots[..spots.len() / count.max(1)];
        Ok(Self {
            tape,
            theta,
            root,
            diagonal: tape.is_stationary().then(|| tape.diagonal(theta, point)),
            rows: tape.rows(theta, spots, count, scratch)?,
        })
    }

    /// k(z, point) of every inducing input z.
    pub(super) fn cross(&mut self, point: &[R], out: &mut [R]) -> Result<(), Error> {
        self.rows.cross(point, out)
    }

    /// k(point, point)
    pub(super) fn diagonal(&self, point: &[R]) -> R {
        self.diagonal.unwrap_or_else(|| self.tape.eval(self.theta, point, point))
    }

    /// Whether k(x, x) is the same everywhere.
    pub(super) fn is_level(&self) -> bool {
        self.diagonal.is_some()
    }

    /// Adds Σⱼ wⱼ ∂k(point, zⱼ)/∂θ to `out`.
    pub(super) fn add_gradient(&mut self, point: &[R], weights: &[R], out: &mut [R]) -> Result<(), Error> {
        self.rows.add_cross_gradient(point, weights, out)
    }

    /// Adds w ∂k(point, point)/∂θ to `out`; `spare` holds one gradient.
    pub(super) fn add_diagonal_gradient(&self, point: &[R], weight: R, out: &mut [R], spare: &mut [R]) {
        self.tape.gradient(self.theta, point, point, spare);
        for (o, &g) in out.iter_mut().zip(&*spare) {
            *o += weight * g;
        }
    }

    /// Σⱼ wⱼ ∂k(point, zⱼ)/∂point for two sets of weights.
    pub(super) fn slopes(
        &mut self,
        point: &[R],
        weights: [&[R]; 2],
        out: [&mut [R]; 2],
    ) -> Result<(), Error> {
        self.rows.cross_gradient_x(point, weights, out)?;
        Ok(())
    }
}

/// Factors K_uu with its diagonal multiplied by 1 + lift; returns the least lift that works.
///
/// A multiple, not a sum: its derivative is that of the diagonal. Cost: m³/3 flops.
///
/// # Errors
/// [`Error::NotPositiveDefinite`], [`Error::Shape`].
pub(super) fn factor_root<R: Real>(
    tape: Tape<'_>,
    theta: &[R],
    spots: &[R],
    count: usize,
    root: &mut [R],
    scratch: &mut [R],
) -> Result<R, Error> {
    let root = Scratch::new(root).take(packed(count))?;
    let mut lift = first_lift::<R>();
    loop {
        tape.gram(theta, spots, count, root, scratch)?;
        for i in 0..count {
            root[packed(i) + i] *= R::ONE + lift;
        }
        let result = linalg::factor(root, count);
        let next = lift * R::of(10.0);
        match result {
            Err(Error::NotPositiveDefinite { .. }) if next <= R::of(linalg::JITTER_LIMIT) => lift = next,
            Err(error) => return Err(error),
            Ok(()) => return Ok(lift),
        }
    }
}
