//! The objective of training in square storage: the matrix is filled, factored and inverted where it stands.

use super::square::stride;
use super::{Faer, wide};
use crate::backend::{Objective, Regression};
use crate::error::Error;
use crate::gp::evidence::{generalised_least_squares, orthonormalise};
use crate::kernel::{Rows, Tape};
use crate::linalg::packed;
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::trend::leave_out;

const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;

impl<R: Real> Faer<R> {
    /// As [`crate::gp::evidence::evaluate`], without a packed matrix.
    ///
    /// The shape of the request has been checked.
    pub(super) fn evidence_in_square(
        &mut self,
        tape: Tape<'_>,
        request: &Regression<'_, R>,
        gradient: &mut [R],
    ) -> Result<R, Error> {
        let Self { workspace, kernel, sides, small } = self;
        let (x, n) = (request.inputs.x, request.inputs.rows);
        let (theta, noise) = request.inputs.theta.split_at(tape.thetas());
        let noise = noise[0].exp();
        let p = request.trend.columns(tape.dims());
        let stride = stride(n);
        kernel.reserve(Tape::scratch(n, tape.dims(), theta.len()))?;
        // Two columns of length n behind the whitened ones, for leave-one-out.
        sides.reserve((p + 3).checked_mul(n).ok_or(Error::Backend)?)?;
        small.reserve(packed(p).saturating_add(p))?;
        workspace.reserve(n)?;
        let mut rows = tape.rows(theta, x, n, kernel)?;
        fill(&mut rows, x, tape.dims(), n, &mut workspace.square);
        for i in 0..n {
            workspace.square[i * stride + i] += noise + request.noise[i];
        }
        workspace.factor_square(n)?;

        let (white, spare) = sides.split_at_mut((p + 1) * n);
        let (residual, basis) = white.split_at_mut(n);
        residual.copy_from_slice(&request.targets[..n]);
        for i in 0..n {
            let point = &x[i * tape.dims()..][..tape.dims()];
            request.trend.basis(point, |column, value| basis[column * n + i] = value);
        }
        let (normal, beta) = small.split_at_mut(packed(p));
        leave_out(basis, n, p, normal)?;
        workspace.solve_square(n, white, p + 1, n, false)?;
        let (residual, basis) = white.split_at_mut(n);
        let (log_normal, rank) = generalised_least_squares(residual, basis, n, p, normal, beta)?;
        let mut log_pivots = R::ZERO;
        for i in 0..n {
            log_pivots += workspace.square[i * stride + i].ln();
        }
        let evidence = -R::HALF
            * (dot(residual, residual)
                + R::TWO * log_pivots
                + log_normal
                + R::of_usize(n - rank) * R::of(LOG_TWO_PI));
        let finished =
            |value: R| if value.is_nan() { Err(Error::NotPositiveDefinite { row: 0 }) } else { Ok(value) };
        if gradient.is_empty() && request.objective == Objective::Evidence {
            return finished(evidence);
        }

        // α = L⁻ᵀe and Q = L⁻ᵀG·A^(−T/2) together, then P = K⁻¹ − QQᵀ.
        orthonormalise(basis, n, p, normal);
        workspace.solve_square(n, white, p + 1, n, true)?;
        workspace.invert_square(n)?;
        let (alpha, basis) = white.split_at(n);
        let (scale, slope) = spare.split_at_mut(n);
        let mut value = evidence;
        if request.objective == Objective::LeaveOneOut {
            subtract_squares(&mut workspace.square, n, basis);
            value = R::ZERO;
            for i in 0..n {
                let precision = workspace.square[i * stride + i];
                let error = alpha[i] / precision;
                value += R::HALF * (precision.ln() - alpha[i] * error - R::of(LOG_TWO_PI));
                scale[i] = (R::HALF * (R::ONE / precision + error * error)).sqrt();
            }
        }
        if !gradient.is_empty() {
            let (by_theta, by_noise) = gradient.split_at_mut(theta.len());
            let trace = match request.objective {
                // W = ½(ααᵀ + QQᵀ − K⁻¹)
                Objective::Evidence => {
                    let term = |t: usize| (&white[t * n..][..n], &white[t * n..][..n]);
                    sum_gradient(&mut rows, n, &mut workspace.square, R::HALF, p + 1, term, by_theta)
                }
                // W = ½(gαᵀ + αgᵀ) − P diag(c) P,   g = P diag(P)⁻¹ α,   cᵢ = ½(1/Pᵢᵢ + αᵢ²/Pᵢᵢ²)
                Objective::LeaveOneOut => {
                    multiply(&workspace.square, n, alpha, slope);
                    workspace.sandwich(n, scale)?;
                    let term = |t: usize| if t == 0 { (alpha, &slope[..n]) } else { (&slope[..n], alpha) };
                    sum_gradient(&mut rows, n, &mut workspace.square, R::ONE, 2, term, by_theta)
                }
            };
            by_noise[0] = noise * trace;
        }
        finished(value)
    }
}

/// Fills the lower triangle of a square with k(xᵢ, xⱼ).
fn fill<R: Real>(rows: &mut Rows<'_, R>, x: &[R], dims: usize, n: usize, square: &mut [R]) {
    let stride = stride(n);
    wide(
        #[inline(always)]
        || {
            for (j, center) in x.chunks_exact(dims).enumerate() {
                rows.values_here(center, j, &mut square[j * stride + j..j * stride + n]);
            }
        },
    );
}

/// Takes Σ_c q_c q_cᵀ out of a lower triangle.
fn subtract_squares<R: Real>(square: &mut [R], n: usize, columns: &[R]) {
    let stride = stride(n);
    for q in columns.chunks_exact(n) {
        for j in 0..n {
            axpy(-q[j], &q[j..], &mut square[j * stride + j..j * stride + n]);
        }
    }
}

/// out = P diag(P)⁻¹ a
fn multiply<R: Real>(square: &[R], n: usize, a: &[R], out: &mut [R]) {
    let stride = stride(n);
    out.fill(R::ZERO);
    for j in 0..n {
        let column = &square[j * stride + j..j * stride + n];
        let weight = a[j] / column[0];
        axpy(weight, column, &mut out[j..n]);
        let mut sum = R::ZERO;
        for i in j + 1..n {
            sum += column[i - j] * a[i] / square[i * stride + i];
        }
        out[j] += sum;
    }
}

/// Fills `out` with Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θ and returns the trace of W, with W = ½ Σₜ aₜbₜᵀ − `share` · the square.
///
/// Each column becomes weights just before it is used, while it is in the nearest cache.
fn sum_gradient<'t, R: Real>(
    rows: &mut Rows<'_, R>,
    n: usize,
    square: &mut [R],
    share: R,
    terms: usize,
    term: impl Fn(usize) -> (&'t [R], &'t [R]),
    out: &mut [R],
) -> R {
    let stride = stride(n);
    let plan = rows.plan();
    out.fill(R::ZERO);
    wide(
        #[inline(always)]
        || {
            let mut trace = R::ZERO;
            for j in 0..n {
                let weights = &mut square[j * stride + j..j * stride + n];
                weights.iter_mut().for_each(|w| *w = -share * *w);
                for t in 0..terms {
                    let (a, b) = term(t);
                    let half = R::HALF * a[j];
                    weights.iter_mut().zip(&b[j..]).for_each(|(w, &b)| *w += half * b);
                }
                trace += weights[0];
                rows.add_gradient_here(&plan, j, j, weights, out);
            }
            trace
        },
    )
}
