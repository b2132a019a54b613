//! The choice of inducing inputs by greedy conditional variance: which inputs stand for all.

use super::evidence::BLOCK;
use super::inducing::first_lift;
use super::size::{Kind, Size};
use super::{FACTORED, FEATURES, Sparse, mondrian_features, spectrum};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::limits::Limit;
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};

/// Candidates for each inducing input.
const CANDIDATES: usize = 8;

/// Scalars of work for [`Sparse::choose`].
pub(super) const fn work(size: &Size) -> usize {
    let all = size.features * CANDIDATES;
    let count = if all < size.rows { all } else { size.rows };
    count * (size.dims + 2 + size.features)
        + size.features
        + size.dims
        + Tape::scratch(count, size.dims, size.thetas)
        + BLOCK
}

impl<R: Real> Sparse<'_, R> {
    /// Chooses inducing inputs among the data, at the present hyperparameters; or draws frequencies or trees.
    ///
    /// ```text
    /// zⱼ = argmax over x of k(x, x) − k_u(x)ᵀK_uu⁻¹k_u(x),   u = z₁ … zⱼ₋₁
    /// ```
    ///
    /// The pivots of a Cholesky factor. Candidates are all inputs, or a random eight for each feature if there are
    /// more. When nothing is left to explain, the inputs farthest from all chosen ones fill the places, so that
    /// training may still shorten the length scales; no input is taken twice. The same generator gives the same choice.
    /// A fit has to follow. Cost: 8m³ flops.
    ///
    /// # Errors
    /// [`Error::NoData`] without data (frequencies and trees need none), [`Error::Unsupported`] if the kernel's spectral
    /// density is not known, [`Error::Limits`] for fewer than the two features of a frequency or than four trees,
    /// [`Error::Kernel`].
    pub(crate) fn choose(&mut self, tape: Tape<'_>, generator: &mut Generator) -> Result<(), Error> {
        self.check(tape)?;
        Limit::Features.at_least(self.size.features, self.kind.least())?;
        let spots = match self.kind {
            Kind::Spectrum => {
                let count = self.kind.spots(self.size.features);
                spectrum::draw(tape, generator, &mut self.spots[..count * self.size.dims])?;
                count
            }
            Kind::Mondrian => {
                let (count, dims) = (self.size.features, self.size.dims);
                mondrian_features::draw(dims, generator, &mut self.spots[..count * dims]);
                count
            }
            Kind::Fitc | Kind::Variational => self.pivots(tape, generator)?,
        };
        self.counts[FEATURES] = self.kind.features(spots) as u64;
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Writes the pivots into `spots`; how many there are.
    fn pivots(&mut self, tape: Tape<'_>, generator: &mut Generator) -> Result<usize, Error> {
        let (n, dims, most) = (self.data.rows(), self.size.dims, self.size.features);
        Error::NoData.when(n == 0)?;
        let count = n.min(most * CANDIDATES);
        let mut scratch = Scratch::new(&mut *self.work);
        let candidates = scratch.take(count * dims)?;
        let left = scratch.take(count)?;
        let column = scratch.take(count)?;
        let rows = scratch.take(count * most)?;
        let pivot = scratch.take(most)?;
        let scratch = scratch.rest();
        sample(self.data.inputs(), dims, count, generator, candidates);

        let theta = &self.theta.value[..self.size.thetas];
        let mut scale = R::ZERO;
        for (l, point) in left.iter_mut().zip(candidates.chunks_exact(dims)) {
            *l = tape.eval(theta, point, point);
            scale = scale.max(*l);
        }
        let least = scale * first_lift::<R>();
        let mut prepared = tape.rows(theta, candidates, count, scratch)?;
        let mut chosen = 0;
        while chosen < most.min(count) {
            let Some(best) = largest(left, least) else { break };
            let point = &candidates[best * dims..(best + 1) * dims];
            self.spots[chosen * dims..(chosen + 1) * dims].copy_from_slice(point);
            prepared.cross(point, column)?;
            let rate = R::ONE / left[best].sqrt();
            pivot[..chosen].copy_from_slice(&rows[best * most..best * most + chosen]);
            for (i, row) in rows.chunks_exact_mut(most).enumerate() {
                let value = (column[i] - dot(&row[..chosen], &pivot[..chosen])) * rate;
                row[chosen] = value;
                left[i] -= value * value;
            }
            left[best] = -R::ONE;
            chosen += 1;
        }
        if chosen == most.min(count) {
            return Ok(chosen);
        }
        // The rest by distance; `left` is now that to the nearest chosen one.
        left.fill(R::INFINITY);
        for spot in self.spots[..chosen * dims].chunks_exact(dims) {
            shrink(left, candidates, spot);
        }
        while chosen < most.min(count) {
            let Some(best) = largest(left, R::ZERO) else { break };
            let point = &candidates[best * dims..(best + 1) * dims];
            self.spots[chosen * dims..(chosen + 1) * dims].copy_from_slice(point);
            shrink(left, candidates, point);
            chosen += 1;
        }
        Ok(chosen)
    }
}

/// Copies `count` of the rows in their order, every subset with the same probability.
///
/// # References
/// Knuth, *The Art of Computer Programming*, vol. 2, algorithm 3.4.2 S.
fn sample<R: Real>(x: &[R], dims: usize, count: usize, generator: &mut Generator, out: &mut [R]) {
    let n = x.len() / dims;
    let mut taken = 0;
    for (i, row) in x.chunks_exact(dims).enumerate() {
        let (needed, remaining) = (count - taken, n - i);
        if needed == remaining || rng::below(generator, remaining as u64) < needed as u64 {
            out[taken * dims..(taken + 1) * dims].copy_from_slice(row);
            taken += 1;
        }
        if taken == count {
            break;
        }
    }
}

/// The place of the first largest value above `least`, if there is one.
fn largest<R: Real>(values: &[R], least: R) -> Option<usize> {
    let (mut best, mut most) = (None, least);
    for (i, &value) in values.iter().enumerate() {
        if value > most {
            (best, most) = (Some(i), value);
        }
    }
    best
}

/// Lowers each squared distance to that from `point`.
fn shrink<R: Real>(left: &mut [R], candidates: &[R], point: &[R]) {
    for (l, other) in left.iter_mut().zip(candidates.chunks_exact(point.len())) {
        let mut sum = R::ZERO;
        for (&a, &b) in point.iter().zip(other) {
            sum += (a - b) * (a - b);
        }
        *l = l.min(sum);
    }
}
