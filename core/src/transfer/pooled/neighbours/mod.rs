//! One process over the run and its nearest sources, by meta-features (MKL-GP) or by ranks (RC-GP).
//!
//! ```text
//! k((x, D), (x′, D′)) = α I(D = D′) k(x, x′)/s² + (1 − α)(1 − |x − x′|/P),   y/s_D ~ GP(0, k + σ²/s² I)
//! ```
//!
//! The values of each data set have mean 0 and variance 1. k is the kernel of the nearest source, whose values lay between 0 and
//! 1; s is the geometric mean of the deviations that the neighbours had there. Hyperparameters start at the averages of theirs and
//! are trained on all rows together.
//!
//! The run and its neighbours are one clique: each data set shares the second kernel with each other. Over a graph of neighbours
//! that are not all neighbours of each other the matrix is far from positive definite.

mod kernel;
mod rows;
mod train;

use super::Room;
use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg;
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::surrogate::Surrogate;
use crate::transfer::Near;
use crate::transfer::knowledge::{Knowledge, Told};
pub(in crate::transfer) use kernel::Kernel;
pub(in crate::transfer) use rows::Rows;
pub(in crate::transfer) use train::Fit;

/// Points whose covariances are solved for together.
const TOGETHER: usize = 16;

/// The process, conditioned on all values.
///
/// Trials that wait for their value are believed at the mean.
///
/// # References
/// Yogatama and Mann, *Efficient Transfer Learning Method for Automatic Hyperparameter Tuning*, AISTATS 2014; Wistuba 2017, (2.70)
/// and 4.4.1, with one clique.
#[derive(Debug)]
pub(crate) struct Neighbours<'p, R> {
    pub(in crate::transfer) rows: Rows<'p, R>,
    pub(in crate::transfer) kernel: Kernel<'p, R>,
    pub(in crate::transfer) fit: Fit<'p, R>,
    /// Covariances with the rows, point after point, and what becomes of them.
    sides: &'p mut [R],
    slope: &'p mut [R],
}

impl<'p, R: Real> Neighbours<'p, R> {
    /// Scalars for so many neighbours.
    pub(in crate::transfer) const fn scalars(count: usize, room: &Room) -> usize {
        let rows = Rows::<R>::most(count, room);
        Rows::<R>::scalars(count, room)
            .saturating_add(Kernel::<R>::scalars(room.dims, room.thetas))
            .saturating_add(Fit::<R>::scalars(count, room))
            .saturating_add(rows.saturating_mul(TOGETHER))
            .saturating_add(room.dims)
    }

    /// Finds the neighbours and fits the process; by ranks, the knowledge was read by shares of agreement.
    ///
    /// Cost: O(evaluations · rows³), over the rows of all neighbours and the run.
    ///
    /// # Errors
    /// [`Error::NoData`] without an informative source or a told value, [`Error::Shape`] for too little memory,
    /// [`Error::NotPositiveDefinite`].
    pub(in crate::transfer) fn new<'k: 'p>(
        alpha: f64,
        count: usize,
        by: Near,
        known: &mut Knowledge<'k, R>,
        run: &Told<'_, R>,
        room: &Room,
        memory: &'p mut [R],
    ) -> Result<Self, Error> {
        match by {
            Near::Features => known.read_distances()?,
            Near::Ranks => known.turn(),
        }
        let nearest = known.take_nearest().ok_or(Error::NoData)?;
        let (dims, thetas) = (nearest.size().dims, nearest.size().thetas);
        let mut memory = Scratch::new(memory);
        let mut rows = Rows::carve(&mut memory, count, room, dims)?;
        let mut kernel = Kernel::carve(&mut memory, nearest.tape(), R::of(alpha))?;
        let sides = memory.take(Rows::<R>::most(count, room).saturating_mul(TOGETHER))?;
        let slope = memory.take(dims)?;
        let mut fit = Fit::carve(memory, count, room, thetas)?;
        let (mut spread, mut alike, mut next) = (R::ZERO, 0, Some(nearest));
        while let Some(source) = next {
            spread += rows.add(source.points(), source.values())?.ln();
            alike += usize::from(kernel.add(source.theta()));
            next = if rows.sets() < count { known.take_nearest() } else { None };
        }
        kernel.average(alike, spread / R::of_usize(rows.sets()));
        rows.finish(run)?;
        fit.maximise(&mut kernel, &rows)?;
        Ok(Self { rows, kernel, fit, sides, slope })
    }

    /// The lowest told value, in its units.
    pub(super) fn best(&self) -> R {
        self.rows.best()
    }

    /// Where its values lie among those of the run: offset and width.
    pub(in crate::transfer) fn units(&self) -> [R; 2] {
        self.rows.units()
    }

    /// Writes the covariances of some points with the rows to `sides`.
    fn cross(&mut self, points: &[R]) -> Result<(), Error> {
        let Self { rows, kernel, fit, sides, .. } = self;
        let (n, run, dims) = (rows.count(), rows.run(), rows.dims());
        let (side, scratch) = fit.work(n - run.start);
        let mut own = kernel.prepare(rows.points(&run), scratch)?;
        for (point, out) in points.chunks_exact(dims).zip(sides.chunks_exact_mut(n)) {
            own.cross(point, side)?;
            for (out, other) in out.iter_mut().zip(rows.points(&(0..n)).chunks_exact(dims)) {
                *out = kernel.shared(point, other);
            }
            axpy(kernel.own(), side, &mut out[run.start..]);
        }
        Ok(())
    }
}

impl<R: Real> Surrogate<R> for Neighbours<'_, R> {
    fn dims(&self) -> usize {
        self.rows.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let (n, dims) = (self.rows.count(), self.rows.dims());
        let needed = means.len().saturating_mul(dims);
        Error::Shape { needed }.when(points.len() != needed || variances.len() != means.len())?;
        let out = means.chunks_mut(TOGETHER).zip(variances.chunks_mut(TOGETHER));
        for (points, (means, variances)) in points.chunks(TOGETHER * dims).zip(out) {
            self.cross(points)?;
            let sides = &mut self.sides[..means.len() * n];
            for (mean, side) in means.iter_mut().zip(sides.chunks_exact(n)) {
                *mean = dot(side, self.fit.weights(n));
            }
            linalg::solve_lower_many(self.fit.factor(), n, sides, means.len(), n)?;
            let sides = points.chunks_exact(dims).zip(sides.chunks_exact(n));
            for (variance, (point, side)) in variances.iter_mut().zip(sides) {
                *variance = (self.kernel.diagonal(point) - dot(side, side)).max(R::ZERO);
            }
        }
        Ok(())
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.kernel.smooth(parameter)
    }

    /// ```text
    /// ∂m = Σⱼ wⱼ ∂kⱼ,   ∂s² = ∂k(x, x) − 2 Σⱼ uⱼ ∂kⱼ,   w = K⁻¹y, u = K⁻¹k
    /// ```
    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        let prediction = self.predict(point)?;
        let Self { rows, kernel, fit, sides, slope } = self;
        let (n, run) = (rows.count(), rows.run());
        let [by_mean, by_variance] = slopes;
        let u = &mut sides[..n];
        linalg::solve_upper(fit.factor(), n, u)?;
        let weights = fit.split_weights(n);
        let own = [&weights.0[run.clone()], &u[run.clone()]];
        kernel.prepare(rows.points(&run), weights.1)?.cross_gradient_x(
            point,
            own,
            [&mut *by_mean, &mut *by_variance],
        )?;
        // k(x, x) moves with both of its arguments.
        kernel.slope_at(point, slope);
        let scale = kernel.own();
        for ((mean, variance), &at) in by_mean.iter_mut().zip(by_variance.iter_mut()).zip(slope.iter()) {
            *mean *= scale;
            *variance = R::TWO * scale * (at - *variance);
        }
        let others = rows.points(&(0..n)).chunks_exact(point.len());
        for (other, (&w, &u)) in others.zip(weights.0.iter().zip(&*u)) {
            kernel.shared_slope(point, other, slope);
            axpy(w, slope, by_mean);
            axpy(-R::TWO * u, slope, by_variance);
        }
        Ok(prediction)
    }
}
