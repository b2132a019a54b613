//! Learned initialization (LI): points that together are good on all sources, moved along the gradient of what they lose.

use super::knowledge::Knowledge;
use crate::error::Error;
use crate::lbfgs::{self, Budget};
use crate::math::axpy;
use crate::real::Real;

/// How sharply the least of several means counts.
const BETA: f64 = -100.0;
/// Evaluations of the loss: a quasi-Newton step goes as far as many of a fixed rate.
const BUDGET: Budget = Budget { evaluations: 60, tolerance: 1e-6, reach: 0.02 };

/// Scalars of [`learn`] for so many points.
pub(crate) const fn scalars(points: usize, dims: usize) -> usize {
    3 * points * dims + 2 * points + dims + lbfgs::scratch(points * dims)
}

/// The differentiable meta-loss of some points and its derivatives, beside points that are fixed.
///
/// ```text
/// L = 1/M Σ_D w_D S_D,   S_D = Σᵢ σ_{D,i} m_D(xᵢ),   σ_{D,i} = exp(β m_D(xᵢ))/Σⱼ exp(β m_D(xⱼ)),   β = −100
/// ∂L/∂xₗ = 1/M Σ_D w_D σ_{D,l} (1 + β(m_D(xₗ) − S_D)) ∂m_D(xₗ)
/// ```
///
/// The lowest mean at the fixed points is one more member of the sums. The gradient is exact: what is printed leaves out how each
/// point moves the weights of the others. `means` holds two scalars for each point. Cost: O(points × rows of all sources).
///
/// # Errors
/// [`Error::Shape`].
///
/// # References
/// Wistuba 2017, (6.1)–(6.7) and algorithm 7.
pub(crate) fn loss<R: Real>(
    known: &mut Knowledge<'_, R>,
    points: &[R],
    dims: usize,
    gradient: &mut [R],
    memory: &mut [R],
) -> Result<R, Error> {
    let count = points.len() / dims;
    let needed = 2 * count + dims;
    let memory = memory.get_mut(..needed).ok_or(Error::Shape { needed })?;
    let (means, rest) = memory.split_at_mut(count);
    let (shares, slope) = rest.split_at_mut(count);
    let mut total = R::ZERO;
    gradient.fill(R::ZERO);
    known.each_source(&mut |source, weight, low, work| {
        source.means(points, means, work)?;
        total += weight * soft_least(low, means, shares);
        let rows = points.chunks_exact(dims).zip(gradient.chunks_exact_mut(dims));
        for ((point, gradient), &share) in rows.zip(&*shares) {
            if share != R::ZERO {
                source.slope(point, slope, work)?;
                axpy(weight * share, slope, gradient);
            }
        }
        Ok(())
    })?;
    let sources = known.total();
    gradient.iter_mut().for_each(|g| *g /= sources);
    Ok(total / sources)
}

/// The soft minimum S of a fixed value, infinite for none, and of others; its derivative by each of those.
pub(super) fn soft_least<R: Real>(fixed: R, values: &[R], slopes: &mut [R]) -> R {
    let beta = R::of(BETA);
    let least = values.iter().fold(fixed, |least, &value| least.min(value));
    let softly = |value: R| (beta * (value - least)).exp();
    let mut sum = if fixed < R::INFINITY { softly(fixed) } else { R::ZERO };
    let mut product = if sum > R::ZERO { sum * fixed } else { R::ZERO };
    for (slope, &value) in slopes.iter_mut().zip(values) {
        *slope = softly(value);
        sum += *slope;
        product += *slope * value;
    }
    let soft = product / sum;
    for (slope, &value) in slopes.iter_mut().zip(values) {
        *slope *= (R::ONE + beta * (value - soft)) / sum;
    }
    soft
}

/// Moves points to where they lose least together; `moves` says which coordinate of which point may.
///
/// # Errors
/// [`Error::Shape`].
pub(crate) fn learn<R: Real>(
    known: &mut Knowledge<'_, R>,
    points: &mut [R],
    dims: usize,
    moves: &dyn Fn(usize, usize) -> bool,
    memory: &mut [R],
) -> Result<(), Error> {
    let (size, count) = (points.len(), points.len() / dims);
    let needed = scalars(count, dims);
    let memory = memory.get_mut(..needed).ok_or(Error::Shape { needed })?;
    let (lo, rest) = memory.split_at_mut(size);
    let (hi, rest) = rest.split_at_mut(size);
    let (before, rest) = rest.split_at_mut(size);
    let (means, scratch) = rest.split_at_mut(2 * count + dims);
    before.copy_from_slice(points);
    for i in 0..size {
        let free = moves(i / dims, i % dims);
        (lo[i], hi[i]) = if free { (R::ZERO, R::ONE) } else { (points[i], points[i]) };
    }
    let mut failure = None;
    lbfgs::minimize(points, lo, hi, BUDGET, scratch, &mut |x, gradient| {
        loss(known, x, dims, gradient, means).unwrap_or_else(|error| {
            failure = Some(error);
            R::INFINITY
        })
    });
    if failure.is_some() || points.iter().any(|u| !u.is_finite()) {
        points.copy_from_slice(before);
    }
    failure.map_or(Ok(()), Err)
}
