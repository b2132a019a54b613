//! A process over the run with the average hyperparameters of the sources, and a linear layer of units beside it.

use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::{self, packed};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::transfer::Source;
use crate::transfer::knowledge::Knowledge;

/// How large one may be.
#[derive(Clone, Copy, Debug)]
pub(in crate::transfer) struct Extent {
    pub(in crate::transfer) rows: usize,
    pub(in crate::transfer) dims: usize,
    pub(in crate::transfer) thetas: usize,
    /// Units of the layer; 0 without one.
    pub(in crate::transfer) units: usize,
}

/// What the parts of the covariance are multiplied by.
#[derive(Clone, Copy, Debug)]
pub(in crate::transfer) struct Shares<R> {
    /// ρ².
    pub(in crate::transfer) kernel: R,
    /// τ².
    pub(in crate::transfer) units: R,
}

/// A Gaussian process, given what remains of some values when a known mean is taken from them.
///
/// ```text
/// cov(x, x′) = ρ² k(x, x′) + τ² φ(x)ᵀφ(x′),   k with the averages of the sources' hyperparameters
/// ```
#[derive(Debug)]
pub(in crate::transfer) struct Process<'p, R> {
    tape: Tape<'p>,
    extent: Extent,
    shares: Shares<R>,
    rows: usize,
    /// Means of the logarithms, the noise last.
    theta: &'p mut [R],
    x: &'p mut [R],
    /// φ of each row.
    units: &'p mut [R],
    noise: &'p mut [R],
    factor: &'p mut [R],
    /// What remains of the values, then K⁻¹ times that; 0 for rows without a value.
    alpha: &'p mut [R],
    side: &'p mut [R],
    slope: &'p mut [R],
    scratch: &'p mut [R],
}

impl<'p, R: Real> Process<'p, R> {
    pub(in crate::transfer) const fn scalars(extent: &Extent) -> usize {
        let Extent { rows, dims, thetas, units } = *extent;
        let each = dims.saturating_add(units).saturating_add(3);
        rows.saturating_mul(each)
            .saturating_add(packed(rows))
            .saturating_add(thetas + 1 + dims)
            .saturating_add(Tape::scratch(rows, dims, thetas))
    }

    /// One without rows, with the kernel of a source.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve<'k: 'p>(
        memory: &mut Scratch<'p, R>,
        known: &Knowledge<'k, R>,
        source: &Source<'k, R>,
        extent: &Extent,
        shares: Shares<R>,
    ) -> Result<Self, Error> {
        let thetas = source.size().thetas;
        let Extent { rows, dims, units, .. } = *extent;
        let own = Self {
            tape: source.tape(),
            extent: Extent { thetas, ..*extent },
            shares,
            rows: 0,
            theta: memory.take(thetas + 1)?,
            x: memory.take(rows * dims)?,
            units: memory.take(rows * units)?,
            noise: memory.take(rows)?,
            factor: memory.take(packed(rows))?,
            alpha: memory.take(rows)?,
            side: memory.take(rows)?,
            slope: memory.take(dims)?,
            scratch: memory.take(Tape::scratch(rows, dims, thetas))?,
        };
        known.average_theta(own.theta);
        Ok(own)
    }

    /// Adds a row: its units, what remains of its value, and the variance of that; without a value it only narrows the doubt.
    ///
    /// # Errors
    /// [`Error::Shape`] beyond the room there is.
    pub(in crate::transfer) fn push(
        &mut self,
        point: &[R],
        units: &[R],
        left: Option<R>,
        noise: R,
    ) -> Result<(), Error> {
        let (i, Extent { rows, dims, units: count, .. }) = (self.rows, self.extent);
        Error::Shape { needed: i + 1 }.when(i >= rows || point.len() != dims || units.len() != count)?;
        self.x[i * dims..(i + 1) * dims].copy_from_slice(point);
        self.units[i * count..(i + 1) * count].copy_from_slice(units);
        self.alpha[i] = left.unwrap_or(R::ZERO);
        self.noise[i] = noise;
        self.rows += 1;
        Ok(())
    }

    /// Conditions it on its rows, of which the first `told` have a value. Cost: O(rows² · (dims + units + rows)).
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotPositiveDefinite`].
    pub(in crate::transfer) fn fit(&mut self, told: usize) -> Result<(), Error> {
        let (n, tape, Shares { kernel, units: spread }) = (self.rows, self.tape, self.shares);
        let Extent { dims, thetas, units: count, .. } = self.extent;
        let (theta, x) = (&self.theta[..thetas], &self.x[..n * dims]);
        let (units, noise, scratch) = (&*self.units, &*self.noise, &mut *self.scratch);
        let of = |i: usize| &units[i * count..(i + 1) * count];
        let fill = |gram: &mut [R]| {
            // The slices are of the right length.
            let _ = tape.rows(theta, x, n, scratch).and_then(|mut rows| rows.gram(&mut gram[..packed(n)]));
            for i in 0..n {
                for j in 0..=i {
                    let at = packed(i) + j;
                    gram[at] = kernel * gram[at] + spread * dot(of(i), of(j));
                }
                gram[packed(i) + i] += noise[i];
            }
        };
        let most = (0..n).fold(R::ZERO, |most, i| {
            let row = &x[i * dims..(i + 1) * dims];
            most.max(kernel * tape.diagonal(theta, row) + spread * dot(of(i), of(i)) + noise[i])
        });
        linalg::factor_with_jitter(fill, self.factor, n, most)?;
        let alpha = &mut self.alpha[..told];
        linalg::solve_lower(self.factor, told, alpha)?;
        linalg::solve_upper(self.factor, told, alpha)?;
        self.alpha[told..].fill(R::ZERO);
        Ok(())
    }

    /// Mean and variance at some points; `of` writes φ and returns the known mean. Cost: O(rows · (rows + dims + units)) for each.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn predict_many(
        &mut self,
        points: &[R],
        out: [&mut [R]; 2],
        own: &mut [R],
        of: &mut dyn FnMut(&[R], &mut [R]) -> R,
    ) -> Result<(), Error> {
        let (n, [means, variances], Shares { kernel, units: spread }) = (self.rows, out, self.shares);
        let Extent { dims, thetas, units: count, .. } = self.extent;
        let needed = means.len() * dims;
        Error::Shape { needed }.when(points.len() != needed || variances.len() != means.len())?;
        let (theta, x, side) = (&self.theta[..thetas], &self.x[..n * dims], &mut self.side[..n]);
        let mut rows = self.tape.rows(theta, x, n, self.scratch)?;
        for ((point, mean), variance) in points.chunks_exact(dims).zip(means).zip(variances) {
            rows.cross(point, side)?;
            *mean = of(point, own);
            for (i, side) in side.iter_mut().enumerate() {
                *side = kernel * *side + spread * dot(&self.units[i * count..(i + 1) * count], own);
            }
            *mean += dot(side, self.alpha);
            linalg::solve_lower(self.factor, n, side)?;
            let prior = kernel * self.tape.diagonal(theta, point) + spread * dot(own, own);
            *variance = (prior - dot(side, side)).max(R::ZERO);
        }
        Ok(())
    }

    /// Mean and variance at a point of units `own` and known mean `known`, and the slopes of what the kernel has of both;
    /// `by_units` are then the derivatives of mean and variance in φ.
    ///
    /// ```text
    /// ∂mean = Σⱼ αⱼ ∂cov(x, xⱼ),   ∂variance = ∂cov(x, x) − 2 Σⱼ uⱼ ∂cov(x, xⱼ),   u = K⁻¹cov(X, x)
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn gradient(
        &mut self,
        point: &[R],
        own: &[R],
        known: R,
        slopes: [&mut [R]; 2],
        by_units: [&mut [R]; 2],
    ) -> Result<Prediction<R>, Error> {
        let (n, Shares { kernel, units: spread }) = (self.rows, self.shares);
        let Extent { dims, thetas, units: count, .. } = self.extent;
        let [by_mean, by_variance] = slopes;
        let needed = dims;
        let fits = [point.len(), by_mean.len(), by_variance.len()].iter().all(|&len| len == dims);
        Error::Shape { needed }.when(!fits || own.len() != count)?;
        let (theta, x, side) = (&self.theta[..thetas], &self.x[..n * dims], &mut self.side[..n]);
        self.tape.rows(theta, x, n, self.scratch)?.cross(point, side)?;
        let of = |i: usize| &self.units[i * count..(i + 1) * count];
        for (i, side) in side.iter_mut().enumerate() {
            *side = kernel * *side + spread * dot(of(i), own);
        }
        let mean = known + dot(side, self.alpha);
        linalg::solve_lower(self.factor, n, side)?;
        let prior = kernel * self.tape.diagonal(theta, point) + spread * dot(own, own);
        let variance = (prior - dot(side, side)).max(R::ZERO);
        linalg::solve_upper(self.factor, n, side)?;
        let [mean_units, variance_units] = by_units;
        mean_units.fill(R::ZERO);
        // cov(x, x) moves with both of its arguments.
        self.tape.gradient_x(theta, point, point, self.slope);
        for ((by_mean, by_variance), &slope) in by_mean.iter_mut().zip(&mut *by_variance).zip(&*self.slope) {
            *by_mean = R::ZERO;
            *by_variance = R::TWO * kernel * slope;
        }
        for (out, &own) in variance_units.iter_mut().zip(own) {
            *out = R::TWO * spread * own;
        }
        for (i, (&u, &alpha)) in side.iter().zip(&*self.alpha).enumerate() {
            self.tape.gradient_x(theta, point, &x[i * dims..(i + 1) * dims], self.slope);
            axpy(kernel * alpha, self.slope, by_mean);
            axpy(-R::TWO * kernel * u, self.slope, by_variance);
            axpy(spread * alpha, of(i), mean_units);
            axpy(-R::TWO * spread * u, of(i), variance_units);
        }
        Ok(Prediction { mean, variance })
    }

    /// Whether its kernel has a derivative in a coordinate.
    pub(in crate::transfer) fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }
}
