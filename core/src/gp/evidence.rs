//! The log marginal likelihood (evidence) and leave-one-out density: how well hyperparameters explain the data.
//!
//! ```text
//! evidence        −½ eᵀe − Σ ln Lᵢᵢ − ½ ln|A| − ½(n−p) ln 2π,   e = L⁻¹(y − Hβ), A = HᵀK⁻¹H
//! leave-one-out   Σᵢ ½ ln Pᵢᵢ − αᵢ²/(2Pᵢᵢ) − ½ ln 2π,            P = K⁻¹ − K⁻¹HA⁻¹HᵀK⁻¹, α = Py
//! gradients       Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θ with one weight matrix W each
//! ```
//!
//! H has the p basis functions that the data can tell apart ([`Trend::matrix`]).
//! Both come from the same two matrices, so one weighted sum over the kernel's derivatives serves both.

use super::block_diagonal;
use crate::backend::{Backend, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Tape};
use crate::linalg::{self, packed};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::trend::Trend;

/// Scalars of work for `evaluate`.
pub const fn work(rows: usize, dims: usize, columns: usize, thetas: usize) -> usize {
    packed(rows) + 3 * rows + columns * rows + packed(columns) + columns + Tape::scratch(rows, dims, thetas)
}

/// The law of the whitened residual e: from eᵀe and n − p the logarithm of its density and the factor c = −2 ∂/∂(eᵀe) of
/// that, W = ½(c ααᵀ − P).
pub(super) type Law<'l, R> = dyn Fn(R, usize) -> (R, R) + 'l;

/// The objective at `request.inputs.theta` and, unless `gradient` is empty, its derivatives.
///
/// Any covariance will do, so that a user's own kernel trains like the built-in ones; without a law the whitened residual
/// is normal. Cost: n³/3 flops for
/// the value, n³ with the gradient (4n³/3 for leave-one-out), plus O(n²·dims).
///
/// # Errors
/// [`Error::NotPositiveDefinite`], [`Error::NoData`] without rows or if a trend takes up the only one,
/// [`Error::Shape`] if a slice is too short.
///
/// # References
/// Rasmussen & Williams, *Gaussian Processes for Machine Learning*, eqs. 2.30, 2.45, 5.9, 5.10–5.13.
pub(crate) fn evaluate<R: Real, B: Backend<R> + ?Sized>(
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    request: &Regression<'_, R>,
    law: Option<&Law<'_, R>>,
    gradient: &mut [R],
    factor: &mut [R],
    work: &mut [R],
) -> Result<R, Error> {
    Error::Unsupported.when(law.is_some() && request.objective != Objective::Evidence)?;
    let (n, thetas, theta) = (request.inputs.rows, covariance.thetas(), request.inputs.theta);
    check(request, thetas, gradient)?;
    Error::Shape { needed: packed(n) }.when(factor.len() < packed(n))?;
    if let Some(tape) = covariance.tape()
        && !request.inputs.blocks.is_whole()
        && request.objective == Objective::Evidence
    {
        return block_diagonal::evidence(tape, backend, request, law, gradient, factor, work);
    }
    let dims = request.inputs.x.len() / n;
    let p = request.trend.columns(dims);
    let mut scratch = Scratch::new(work);
    let residual = scratch.take(n)?;
    let alpha = scratch.take(n)?;
    let basis = scratch.take(n * p)?;
    let normal = scratch.take(packed(p))?;
    let beta = scratch.take(p)?;
    let inverse = scratch.take(packed(n))?;
    let spare = scratch.take(n)?;
    let kernel_scratch = scratch.rest();

    let factor = &mut factor[..packed(n)];
    let noise = theta[thetas].exp();
    covariance.gram(&theta[..thetas], request.inputs.x, n, factor, kernel_scratch)?;
    add_noise(factor, n, noise, request.noise);
    backend.factor(factor, n)?;

    residual.copy_from_slice(&request.targets[..n]);
    linalg::solve_lower(factor, n, residual)?;
    whiten_basis(request.trend, request.inputs.x, factor, n, basis, normal)?;
    let (log_normal, rank) = generalised_least_squares(residual, basis, n, p, normal, beta)?;
    let log_two_pi = R::of(1.837_877_066_409_345_3);
    let (evidence, weight) = match law {
        None => {
            let evidence = -R::HALF
                * (dot(residual, residual)
                    + linalg::log_determinant(factor, n)
                    + log_normal
                    + R::of_usize(n - rank) * log_two_pi);
            (evidence, R::ONE)
        }
        Some(law) => {
            let (log, weight) = law(dot(residual, residual), n - rank);
            (log - R::HALF * (linalg::log_determinant(factor, n) + log_normal), weight)
        }
    };
    if gradient.is_empty() && request.objective == Objective::Evidence {
        return Ok(evidence);
    }

    alpha.copy_from_slice(residual);
    linalg::solve_upper(factor, n, alpha)?;
    backend.invert(factor, n, inverse)?;
    project_out(factor, basis, n, p, normal, inverse)?;
    let value = match request.objective {
        Objective::Evidence => {
            // W = ½(c ααᵀ − P)
            for i in 0..n {
                let row = &mut inverse[packed(i)..packed(i) + i + 1];
                let half = R::HALF * alpha[i] * weight;
                for (w, &a) in row.iter_mut().zip(alpha.iter()) {
                    *w = half * a - R::HALF * *w;
                }
            }
            evidence
        }
        Objective::LeaveOneOut => {
            let mut sum = R::ZERO;
            for i in 0..n {
                let pii = inverse[packed(i) + i];
                sum += R::HALF * (pii.ln() - alpha[i] * alpha[i] / pii - log_two_pi);
            }
            if !gradient.is_empty() {
                leave_one_out_weights(inverse, alpha, n, factor, residual, spare);
            }
            sum
        }
    };
    if !gradient.is_empty() {
        let weights: &[R] = match request.objective {
            Objective::Evidence => inverse,
            Objective::LeaveOneOut => factor,
        };
        let (kernel_part, noise_part) = gradient.split_at_mut(thetas);
        covariance.weighted_gradient(
            &theta[..thetas],
            request.inputs.x,
            n,
            weights,
            kernel_part,
            kernel_scratch,
        )?;
        let mut trace = R::ZERO;
        for i in 0..n {
            trace += weights[packed(i) + i];
        }
        noise_part[0] = noise * trace;
    }
    if value.is_nan() { Err(Error::NotPositiveDefinite { row: 0 }) } else { Ok(value) }
}

/// Refuses a request whose slices do not belong together or whose rows are too few.
pub(crate) fn check<R: Real>(
    request: &Regression<'_, R>,
    thetas: usize,
    gradient: &[R],
) -> Result<(), Error> {
    let n = request.inputs.rows;
    let theta = request.inputs.theta;
    if theta.len() != thetas + 1 || !(gradient.is_empty() || gradient.len() == theta.len()) {
        return Err(Error::Shape { needed: thetas + 1 });
    }
    let told = request.targets.len() >= n && request.noise.len() >= n;
    if n > 0 && told && request.trend.allows(n) { Ok(()) } else { Err(Error::NoData) }
}

/// Adds the common and the known noise to the diagonal of a packed matrix.
pub(crate) fn add_noise<R: Real>(matrix: &mut [R], rows: usize, common: R, known: &[R]) {
    for i in 0..rows {
        matrix[packed(i) + i] += common + known[i];
    }
}

/// Fills `basis` with L⁻¹H, one contiguous column per basis function; `scratch` takes a packed triangle of them.
pub(crate) fn whiten_basis<R: Real>(
    trend: Trend,
    x: &[R],
    factor: &[R],
    rows: usize,
    basis: &mut [R],
    scratch: &mut [R],
) -> Result<(), Error> {
    if trend == Trend::Zero {
        return Ok(());
    }
    trend.matrix(x, rows, basis, scratch)?;
    for column in basis.chunks_exact_mut(rows) {
        linalg::solve_lower(factor, rows, column)?;
    }
    Ok(())
}

/// Estimates β from whitened targets and removes the trend from them; returns ln|HᵀK⁻¹H| and its rank.
///
/// ```text
/// β = (GᵀG)⁻¹Gᵀv,   v ← v − Gβ,   G = L⁻¹H, v = L⁻¹y
/// ```
///
/// A column that is zero, or whose pivot is not more than its rounding, is left out: its coefficient is 0.
pub(crate) fn generalised_least_squares<R: Real>(
    whitened: &mut [R],
    basis: &[R],
    rows: usize,
    columns: usize,
    normal: &mut [R],
    beta: &mut [R],
) -> Result<(R, usize), Error> {
    if columns == 0 {
        return Ok((R::ZERO, 0));
    }
    let column = |c: usize| &basis[c * rows..(c + 1) * rows];
    let products = |normal: &mut [R]| {
        for c in 0..columns {
            for d in 0..=c {
                normal[packed(c) + d] = dot(column(c), column(d));
            }
        }
    };
    let rank = linalg::factor_products(products, normal, columns, linalg::rounding(rows, columns))?;
    for c in 0..columns {
        beta[c] = dot(column(c), whitened);
    }
    linalg::solve_lower(normal, columns, beta)?;
    linalg::solve_upper(normal, columns, beta)?;
    for c in 0..columns {
        axpy(-beta[c], column(c), whitened);
    }
    Ok((linalg::log_determinant(normal, columns), rank))
}

/// Turns K⁻¹ into P = K⁻¹ − QQᵀ with Q = L⁻ᵀG·A^(−T/2); overwrites `basis` by Q.
fn project_out<R: Real>(
    factor: &[R],
    basis: &mut [R],
    rows: usize,
    columns: usize,
    normal: &[R],
    inverse: &mut [R],
) -> Result<(), Error> {
    orthonormalise(basis, rows, columns, normal);
    for current in basis.chunks_exact_mut(rows.max(1)) {
        linalg::solve_upper(factor, rows, current)?;
        for i in 0..rows {
            axpy(-current[i], &current[..=i], &mut inverse[packed(i)..packed(i) + i + 1]);
        }
    }
    Ok(())
}

/// Replaces G by G·A^(−T/2), whose columns are orthonormal, or zero if left out: Q_c = (G_c − Σ_{d<c} A_cd Q_d) / A_cc.
pub(crate) fn orthonormalise<R: Real>(basis: &mut [R], rows: usize, columns: usize, normal: &[R]) {
    for c in 0..columns {
        let (before, rest) = basis.split_at_mut(c * rows);
        let current = &mut rest[..rows];
        for d in 0..c {
            axpy(-normal[packed(c) + d], &before[d * rows..(d + 1) * rows], current);
        }
        let pivot = R::ONE / normal[packed(c) + c];
        for q in current.iter_mut() {
            *q *= pivot;
        }
    }
}

/// Fills `out` with W = −P diag(c) P + sym(P g αᵀ), cᵢ = ½(1/Pᵢᵢ + αᵢ²/Pᵢᵢ²), gᵢ = αᵢ/Pᵢᵢ.
fn leave_one_out_weights<R: Real>(
    inverse: &[R],
    alpha: &[R],
    n: usize,
    out: &mut [R],
    product: &mut [R],
    row: &mut [R],
) {
    let at = |i: usize, j: usize| if i >= j { inverse[packed(i) + j] } else { inverse[packed(j) + i] };
    for i in 0..n {
        let mut sum = R::ZERO;
        for k in 0..n {
            sum += at(i, k) * alpha[k] / inverse[packed(k) + k];
        }
        product[i] = sum;
    }
    for i in 0..n {
        for k in 0..n {
            let pkk = inverse[packed(k) + k];
            let ratio = alpha[k] / pkk;
            row[k] = at(i, k) * R::HALF * (R::ONE / pkk + ratio * ratio);
        }
        for j in 0..=i {
            // Σ_k row_k P_kj: the contiguous half first, then the column below it.
            let mut sum = dot(&row[..=j], &inverse[packed(j)..packed(j) + j + 1]);
            for k in j + 1..n {
                sum += row[k] * inverse[packed(k) + j];
            }
            out[packed(i) + j] = R::HALF * (product[i] * alpha[j] + alpha[i] * product[j]) - sum;
        }
    }
}
