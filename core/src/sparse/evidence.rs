//! The marginal likelihood of sparse processes (FITC, variational bound, features), with derivatives.
//!
//! ```text
//! F  = −½ (rᵀΛ⁻¹r + wᵀw + ln|C| + Σ ln λᵢ + (n−p) ln 2π) − penalty,   r = y − Ψ(w, β), C(w, β) = ΨᵀΛ⁻¹y
//! ∂F = ½ tr((ααᵀ − P) ∂(ΦΦᵀ + Λ)) − ∂penalty,   P = Λ⁻¹ − Λ⁻¹ΨC⁻¹ΨᵀΛ⁻¹, α = Λ⁻¹r
//! ```
//!
//! The derivative goes back through the features: each row of Φ has its gradient gᵢ = αᵢw − (C⁻¹ψᵢ)/λᵢ − 2sᵢφᵢ, with
//! sᵢ the derivative by the variance that the features leave unexplained. For inducing inputs L⁻ᵀgᵢ then weighs the
//! derivatives of k_u(xᵢ), and −½L⁻ᵀ(Σ gᵢφᵢᵀ)L⁻¹ those of K_uu; Σ gᵢφᵢᵀ is symmetric because F does not see a rotation
//! of the features.

use super::inducing::factor_root;
use super::map::{Map, Source};
use super::normal::add_outer;
use super::size::{Kind, Size};
use super::{fitc, spectrum, variational};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Tape};
use crate::linalg::{self, packed};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::trend::Trend;

/// Rows whose features are computed at a time.
pub(super) const BLOCK: usize = 32;

/// ln 2π
const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;

/// Scalars of work for [`evaluate`].
pub(super) const fn work(size: &Size) -> usize {
    let (m, all) = (size.features, size.features + size.columns);
    2 * BLOCK * all
        + 4 * BLOCK
        + size.thetas
        + 2 * packed(all)
        + m * m
        + Tape::scratch(m, size.dims, size.thetas)
}

/// What is explained, and by what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'s, R> {
    pub(super) source: Source<'s, R>,
    /// ln σₙ²
    pub(super) noise: R,
    pub(super) x: &'s [R],
    pub(super) y: &'s [R],
    pub(super) known: &'s [R],
}

/// What the data add up to.
#[derive(Debug)]
pub(super) struct Sums<'s, R> {
    pub(super) root: &'s mut [R],
    pub(super) normal: &'s mut [R],
    pub(super) moment: &'s mut [R],
    pub(super) weights: &'s mut [R],
    pub(super) noise: &'s mut [R],
}

/// What is left beside the sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathered<R> {
    /// What the diagonal of K_uu was multiplied by, less 1.
    pub(super) lift: R,
    /// Σ ln λᵢ
    pub(super) log_noise: R,
    /// What a bound takes off.
    pub(super) penalty: R,
}

/// An observation's part of the noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share<R> {
    /// λ
    pub(super) noise: R,
    /// What the bound takes off for it.
    pub(super) penalty: R,
}

impl Kind {
    pub(super) fn share<R: Real>(self, own: R, gap: R) -> Share<R> {
        match self {
            Self::Fitc => fitc::share(own, gap),
            Self::Variational => variational::share(own, gap),
            Self::Spectrum | Self::Mondrian => spectrum::share(own),
        }
    }

    fn slopes<R: Real>(self, weight: R, noise: R, gap: R) -> (R, R) {
        match self {
            Self::Fitc => fitc::slopes(weight),
            Self::Variational => variational::slopes(weight, noise, gap),
            Self::Spectrum | Self::Mondrian => spectrum::slopes(weight),
        }
    }
}

/// Factors of K_uu and C, and (w, β), with `jitter` added to the noise. Cost: 2n·m² + m³ flops.
///
/// # Errors
/// [`Error::NotPositiveDefinite`], [`Error::Unsupported`], [`Error::Shape`].
pub(super) fn gather<R: Real>(
    task: &Task<'_, R>,
    sums: &mut Sums<'_, R>,
    jitter: R,
    work: &mut [R],
) -> Result<Gathered<R>, Error> {
    let Source { kind, trend, tape, theta, spots, features: m, dims } = task.source;
    let (common, all) = (task.noise.exp(), task.source.all());
    let rank = stays(trend, task.x, dims, work, &mut sums.weights[m..all])?;
    let stays = &sums.weights[m..all];
    let mut scratch = Scratch::new(work);
    let block = scratch.take(BLOCK * all)?;
    let rates = scratch.take(BLOCK)?;
    let scratch = scratch.rest();
    let mut total = Gathered { lift: R::ZERO, log_noise: R::ZERO, penalty: R::ZERO };
    if kind.is_inducing() {
        total.lift = factor_root(tape, theta, spots, m, sums.root, scratch)?;
    }
    let mut map = task.source.map(&*sums.root, scratch)?;
    let normal = Scratch::new(&mut *sums.normal).take(packed(all))?;
    let moment = Scratch::new(&mut *sums.moment).take(all)?;
    normal.fill(R::ZERO);
    moment.fill(R::ZERO);
    for i in 0..m {
        normal[packed(i) + i] = R::ONE;
    }
    for (b, points) in task.x.chunks(BLOCK * dims).enumerate() {
        let (first, count) = (b * BLOCK, points.len() / dims);
        map.rows(&task.source, points, block)?;
        for s in 0..count {
            if m + rank < all {
                let basis = &mut block[s * all + m..(s + 1) * all];
                basis.iter_mut().zip(stays).for_each(|(h, &stays)| *h *= stays);
            }
            let (row, point) = (&block[s * all..(s + 1) * all], &points[s * dims..(s + 1) * dims]);
            let own = common + jitter + task.known[first + s];
            let share = kind.share(own, map.gap(point, &row[..m]));
            sums.noise[first + s] = share.noise;
            total.log_noise += share.noise.ln();
            total.penalty += share.penalty;
            rates[s] = R::ONE / share.noise;
            axpy(task.y[first + s] * rates[s], row, moment);
        }
        add_outer(block, all, all, &rates[..count], normal);
    }
    if m + rank < all {
        linalg::factor(normal, m)?;
        linalg::factor_semidefinite(normal, m, all, R::ZERO, all)?;
    } else {
        linalg::factor(normal, all)?;
    }
    settle(normal, moment, sums.weights, all)?;
    Ok(total)
}

/// Writes 1 for each basis function that [`Trend::matrix`] lets stay and 0 for the others; returns how many do.
///
/// `scratch` takes two packed triangles of them: the sums and what rounding took from them. Cost: 4n·p² flops.
fn stays<R: Real>(
    trend: Trend,
    x: &[R],
    dims: usize,
    scratch: &mut [R],
    out: &mut [R],
) -> Result<usize, Error> {
    let (p, rows) = (out.len(), x.len() / dims);
    if p < 2 {
        out.fill(R::ONE);
        return Ok(p);
    }
    let mut scratch = Scratch::new(scratch);
    let (gram, lost) = (scratch.take(packed(p))?, scratch.take(packed(p))?);
    gram.fill(R::ZERO);
    lost.fill(R::ZERO);
    for point in x.chunks_exact(dims) {
        trend.basis(point, |column, value| out[column] = value);
        let mut sums = gram.iter_mut().zip(&mut *lost);
        for c in 0..p {
            for (&value, (sum, lost)) in out[..=c].iter().zip(sums.by_ref()) {
                let (old, more) = (*sum, out[c] * value);
                *sum = old + more;
                let added = *sum - old;
                *lost += (old - (*sum - added)) + (more - added);
            }
        }
    }
    for (sum, &lost) in gram.iter_mut().zip(&*lost) {
        *sum += lost;
    }
    let rank = linalg::factor_semidefinite(gram, 0, p, linalg::rounding(rows, p), rows.saturating_sub(1))?;
    for (c, stays) in out.iter_mut().enumerate() {
        *stays = if gram[packed(c) + c] == R::INFINITY { R::ZERO } else { R::ONE };
    }
    Ok(rank)
}

/// (w, β) from the factor of C and the moments.
pub(super) fn settle<R: Real>(
    normal: &[R],
    moment: &[R],
    weights: &mut [R],
    all: usize,
) -> Result<(), Error> {
    weights[..all].copy_from_slice(&moment[..all]);
    linalg::solve_lower(normal, all, weights)?;
    linalg::solve_upper(normal, all, weights)
}

/// The objective at `task.theta` and, unless `gradient` is empty, its derivatives. Cost: 7n·m² flops with them, else 3.
///
/// # Errors
/// As [`gather`]; [`Error::NoData`] without rows or features, or if a trend takes up the only row.
pub(super) fn evaluate<R: Real>(
    task: &Task<'_, R>,
    sums: &mut Sums<'_, R>,
    gradient: &mut [R],
    work: &mut [R],
) -> Result<R, Error> {
    let Source { kind, trend, tape, theta, spots, features: m, dims } = task.source;
    let (n, common, all) = (task.y.len(), task.noise.exp(), task.source.all());
    Error::NoData.when(!trend.allows(n) || m == 0)?;
    Error::Shape { needed: theta.len() + 1 }
        .when(!gradient.is_empty() && gradient.len() != theta.len() + 1)?;
    let total = gather(task, sums, R::ZERO, work)?;
    let with_gradient = !gradient.is_empty();
    let mut scratch = Scratch::new(work);
    let block = scratch.take(BLOCK * all)?;
    let other = scratch.take(BLOCK * all)?;
    let pulls = scratch.take(BLOCK)?;
    let spare = scratch.take(theta.len())?;
    let square = scratch.take(if with_gradient { packed(m) } else { 0 })?;
    let inverse = scratch.take(if with_gradient { packed(all) } else { 0 })?;
    let full = scratch.take(if with_gradient { m * m } else { 0 })?;
    let scratch = scratch.rest();

    let Sums { root, normal, weights, noise, .. } = sums;
    let (root, normal, weights) = (&**root, &**normal, &weights[..all]);
    let w = &weights[..m];
    let mut map = task.source.map(root, &mut *scratch)?;
    square.fill(R::ZERO);
    gradient.fill(R::ZERO);
    let (kernel_part, noise_part) = gradient.split_at_mut(if with_gradient { theta.len() } else { 0 });
    let (mut quadratic, mut by_noise, mut by_diagonal) = (dot(w, w), R::ZERO, R::ZERO);
    for (b, points) in task.x.chunks(BLOCK * dims).enumerate() {
        let (first, count) = (b * BLOCK, points.len() / dims);
        map.rows(&task.source, points, block)?;
        if with_gradient {
            other[..count * all].copy_from_slice(&block[..count * all]);
            linalg::solve_lower_many(normal, all, other, count, all)?;
        }
        for s in 0..count {
            let (row, point) = (&block[s * all..(s + 1) * all], &points[s * dims..(s + 1) * dims]);
            let lambda = noise[first + s];
            let residual = task.y[first + s] - dot(row, weights);
            let alpha = residual / lambda;
            quadratic += residual * alpha;
            if !with_gradient {
                continue;
            }
            let solved = &other[s * all..(s + 1) * all];
            let diagonal = (R::ONE - dot(solved, solved) / lambda) / lambda;
            let weight = R::HALF * (alpha * alpha - diagonal);
            let (by_gap, by_lambda) = kind.slopes(weight, lambda, map.gap(point, &row[..m]));
            by_noise += by_lambda;
            by_diagonal += by_gap;
            pulls[s] = by_gap;
            if let Map::Inducing(map) = &map
                && !map.is_level()
            {
                map.add_diagonal_gradient(point, by_gap, kernel_part, spare);
            }
        }
        if !with_gradient {
            continue;
        }
        linalg::solve_upper_many(normal, all, other, count, all)?;
        for s in 0..count {
            let row = &block[s * all..s * all + m];
            let lambda = noise[first + s];
            let alpha = (task.y[first + s] - dot(&block[s * all..(s + 1) * all], weights)) / lambda;
            let pull = pulls[s] + pulls[s];
            for ((g, &w), &phi) in other[s * all..s * all + m].iter_mut().zip(w).zip(row) {
                *g = alpha * w - *g / lambda - pull * phi;
            }
        }
        match &mut map {
            Map::Waves(map) => {
                for (s, point) in points.chunks_exact(dims).enumerate() {
                    let phi = &block[s * all..s * all + m];
                    map.add_gradient(point, phi, &mut other[s * all..s * all + m], kernel_part);
                }
            }
            Map::Cells(map) => {
                for s in 0..count {
                    let at = s * all..s * all + m;
                    map.add_gradient(&block[at.clone()], &other[at], kernel_part);
                }
            }
            Map::Inducing(map) => {
                add_outer(block, all, m, &pulls[..count], square);
                linalg::solve_upper_many(root, m, other, count, all)?;
                for (s, point) in points.chunks_exact(dims).enumerate() {
                    map.add_gradient(point, &other[s * all..s * all + m], kernel_part)?;
                }
            }
        }
    }
    let rank = linalg::rank(normal, all) - m;
    let value = -R::HALF
        * (quadratic
            + linalg::log_determinant(normal, all)
            + total.log_noise
            + R::of_usize(n - rank) * R::of(LOG_TWO_PI))
        - total.penalty;
    Error::NotPositiveDefinite { row: 0 }.when(value.is_nan())?;
    if !with_gradient {
        return Ok(value);
    }
    noise_part[0] = common * by_noise;
    let Map::Inducing(map) = &map else { return Ok(value) };
    if map.is_level() {
        map.add_diagonal_gradient(&task.x[..dims], by_diagonal, kernel_part, spare);
    }
    // Σ gᵢφᵢᵀ = wwᵀ − I + (C⁻¹)_ww − 2 Σ sᵢφᵢφᵢᵀ
    linalg::invert(normal, all, inverse)?;
    for i in 0..m {
        for j in 0..=i {
            let at = packed(i) + j;
            let own = if i == j { R::ONE } else { R::ZERO };
            let sum = w[i] * w[j] - own + inverse[at] - R::TWO * square[at];
            (full[i * m + j], full[j * m + i]) = (sum, sum);
        }
    }
    let root_weights = root_weights(full, m, root, total.lift)?;
    tape.weighted_gradient(theta, spots, m, root_weights, spare, scratch)?;
    for (g, &s) in kernel_part.iter_mut().zip(&*spare) {
        *g += s;
    }
    Ok(value)
}

/// Turns a full symmetric M into the packed −½L⁻ᵀML⁻¹, its diagonal times 1 + lift. Cost: 2m³ flops.
fn root_weights<'s, R: Real>(full: &'s mut [R], m: usize, root: &[R], lift: R) -> Result<&'s [R], Error> {
    // Rows of a symmetric matrix are its columns: L⁻ᵀM comes out transposed, and once more gives the other side.
    linalg::solve_upper_many(root, m, full, m, m)?;
    for i in 0..m {
        for j in 0..i {
            full.swap(i * m + j, j * m + i);
        }
    }
    linalg::solve_upper_many(root, m, full, m, m)?;
    for i in 0..m {
        full[i * m + i] *= R::ONE + lift;
        full.copy_within(i * m..i * m + i + 1, packed(i));
    }
    let weights = &mut full[..packed(m)];
    weights.iter_mut().for_each(|v| *v *= -R::HALF);
    Ok(weights)
}
