//! Fitting, growing and training a sparse process.

use core::ops::ControlFlow;

use super::evidence::{Sums, Task, evaluate, gather, settle};
use super::map::Map;
use super::normal::add_to_factor;
use super::size::Kind;
use super::{FACTORED, FEATURES, JITTER, LIFT, Sparse};
use crate::backend::Objective;
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::train::{Trained, Training, maximise};
use crate::kernel::{Covariance, Theta};
use crate::lbfgs;
use crate::linalg::{self, Jitter, packed};
use crate::math::axpy;
use crate::real::Real;

/// See [`Sparse::parts`].
type Parts<'s, 'a, R, C> = (Task<'s, R, C>, Sums<'s, R>, &'s mut [R], &'s Theta<'a, R>);

impl<'a, R: Real> Sparse<'a, R> {
    /// Builds the factor at the present hyperparameters and features, with the least jitter that works.
    ///
    /// Cost: 2n·m² flops.
    ///
    /// # Errors
    /// [`Error::NoData`] without features or observations, or if a trend takes up the only one;
    /// [`Error::NotPositiveDefinite`] if even the largest jitter does not help; [`Error::Kernel`],
    /// [`Error::Unsupported`].
    pub fn fit<C: Covariance<R> + ?Sized>(&mut self, covariance: &C) -> Result<(), Error> {
        self.check_data(covariance)?;
        self.counts[FACTORED] = 0;
        let (task, mut sums, work, _) = self.parts(covariance);
        let mut scale = R::ZERO;
        for point in task.x.chunks_exact(task.dims) {
            scale = scale.max(covariance.eval(&task.theta[..task.theta.len() - 1], point, point));
        }
        let (total, jitter) =
            Jitter::of(scale).climb(|jitter| match gather(&task, &mut sums, jitter, work) {
                Err(error @ Error::NotPositiveDefinite { .. }) => ControlFlow::Continue(error),
                answer => ControlFlow::Break(answer.map(|total| (total, jitter))),
            })?;
        self.counts[LIFT] = total.lift.to_f64().to_bits();
        self.counts[JITTER] = jitter.to_f64().to_bits();
        self.counts[FACTORED] = self.rows() as u64;
        self.finish()
    }

    /// Adds an observation to data and factor. Cost: 6m² + O(m·d) flops, however many observations there are.
    ///
    /// The features stay as they are: choose them again when the data have grown by a fraction. A basis function that was
    /// left out stays so until the next fit.
    ///
    /// # Errors
    /// As [`Sparse::push`], and [`Error::NoData`] before a fit; the observation is then not added.
    pub fn extend<C: Covariance<R> + ?Sized>(
        &mut self,
        covariance: &C,
        x: &[R],
        y: R,
        known_variance: R,
    ) -> Result<(), Error> {
        self.check(covariance)?;
        if !self.is_fitted() {
            return Err(Error::NoData);
        }
        self.push(x, y, known_variance)?;
        let n = self.rows();
        if let Err(error) = self.add_last(covariance) {
            // Until the row is whole it does not count.
            self.data.truncate(n - 1);
            return Err(error);
        }
        self.counts[FACTORED] = n as u64;
        self.finish()
    }

    fn add_last<C: Covariance<R> + ?Sized>(&mut self, covariance: &C) -> Result<(), Error> {
        let jitter = self.jitter();
        let (task, sums, work, _) = self.parts(covariance);
        let n = task.y.len();
        let m = task.features;
        let all = m + task.trend.columns(task.dims);
        let mut scratch = Scratch::new(work);
        let row = scratch.take(all)?;
        let turns = scratch.take(2 * all)?;
        let (noise, theta) = task.theta.split_last().ok_or(Error::NoData)?;
        let point = &task.x[(n - 1) * task.dims..];
        let mut map = Map::new(task.kind, covariance, theta, task.spots, m, &*sums.root, scratch.rest())?;
        map.rows(task.trend, point, task.dims, m, all, row)?;
        let own = noise.exp() + jitter + task.known[n - 1];
        let lambda = task.kind.share(own, map.gap(point, &row[..m])).noise;
        if row.iter().any(|v| !v.is_finite()) || lambda <= R::ZERO || lambda.is_nan() {
            return Err(Error::NotFinite);
        }
        sums.noise[n - 1] = lambda;
        axpy(task.y[n - 1] / lambda, row, sums.moment);
        let rate = R::ONE / lambda.sqrt();
        row.iter_mut().for_each(|v| *v *= rate);
        add_to_factor(sums.normal, all, row, turns);
        Ok(())
    }

    /// Recomputes the weights for the present targets, with the factor as it is. Cost: O(n·m·d + m²) flops.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit, [`Error::Kernel`].
    pub fn refresh<C: Covariance<R> + ?Sized>(&mut self, covariance: &C) -> Result<(), Error> {
        self.check(covariance)?;
        if !self.is_fitted() {
            return Err(Error::NoData);
        }
        let (task, sums, work, _) = self.parts(covariance);
        let m = task.features;
        let all = m + task.trend.columns(task.dims);
        let mut scratch = Scratch::new(work);
        let phi = scratch.take(m)?;
        let theta = &task.theta[..task.theta.len() - 1];
        let mut map = Map::new(task.kind, covariance, theta, task.spots, m, &*sums.root, scratch.rest())?;
        let (first, basis) = sums.moment[..all].split_at_mut(m);
        first.fill(R::ZERO);
        basis.fill(R::ZERO);
        for (i, point) in task.x.chunks_exact(task.dims).enumerate() {
            let weight = task.y[i] / sums.noise[i];
            map.raw(point, phi)?;
            axpy(weight, phi, first);
            task.trend.basis(point, |column, value| basis[column] += weight * value);
        }
        // The sum is whitened once instead of each of its terms.
        map.whiten(first)?;
        self.finish()
    }

    /// The training objective at the present hyperparameters and, unless `gradient` is empty, its derivatives.
    ///
    /// Without the log prior. The factor is spoilt: fit again before predicting. Cost: 7n·m² flops.
    ///
    /// # Errors
    /// As [`Sparse::fit`]; [`Error::Shape`].
    pub fn evidence<C: Covariance<R> + ?Sized>(
        &mut self,
        covariance: &C,
        gradient: &mut [R],
    ) -> Result<R, Error> {
        self.check_data(covariance)?;
        self.counts[FACTORED] = 0;
        let (task, mut sums, work, _) = self.parts(covariance);
        evaluate(&task, &mut sums, gradient, work)
    }

    /// Maximises the objective plus log prior over the hyperparameters that are not frozen, then fits.
    ///
    /// Chooses features first if there are none; otherwise they stay, and [`Sparse::choose`] with another training
    /// refines both. Starts: the present hyperparameters, then `restarts` times the best of `draws` draws from the
    /// prior. If no start has a finite objective, the hyperparameters stay as they were.
    ///
    /// # Errors
    /// As [`Sparse::choose`] and [`Sparse::fit`]; [`Error::Unsupported`] for [`Objective::LeaveOneOut`].
    pub fn train<C, G>(
        &mut self,
        covariance: &C,
        training: &Training,
        generator: &mut G,
    ) -> Result<Trained<R>, Error>
    where
        C: Covariance<R> + ?Sized,
        G: rand_core::Rng + ?Sized,
    {
        if training.objective != Objective::Evidence {
            return Err(Error::Unsupported);
        }
        self.check(covariance)?;
        if !self.trend.allows(self.rows()) {
            return Err(Error::NoData);
        }
        if self.counts[FEATURES] == 0 {
            self.choose(covariance, generator)?;
        }
        self.counts[FACTORED] = 0;
        let thetas = self.size.thetas + 1;
        let (task, mut sums, work, table) = self.parts(covariance);
        let mut scratch = Scratch::new(work);
        let best = scratch.take(thetas)?;
        let memory = scratch.take(lbfgs::multi_start_scratch(thetas))?;
        let work = scratch.rest();
        let trained = maximise(table, best, training, generator, memory, &mut |set, value, gradient| {
            value[0] = evaluate(&Task { theta: set, ..task }, &mut sums, gradient, work)?;
            Ok(())
        })?;
        // `best`, at the front of the work memory.
        self.theta.value.copy_from_slice(&self.work[..thetas]);
        self.fit(covariance)?;
        Ok(trained)
    }

    /// Weights from the moments, and what they make of the covariances with the inducing inputs.
    fn finish(&mut self) -> Result<(), Error> {
        let m = self.features();
        let all = m + self.trend.columns(self.size.dims);
        settle(&self.normal[..packed(all)], self.moment, self.weights, all)?;
        let alpha = &mut self.alpha[..m];
        alpha.copy_from_slice(&self.weights[..m]);
        match self.kind {
            Kind::Spectrum | Kind::Mondrian => Ok(()),
            Kind::Fitc | Kind::Variational => linalg::solve_upper(&self.root[..packed(m)], m, alpha),
        }
    }

    /// Data and features, what they add up to, the work memory, and the hyperparameters.
    fn parts<'s, C: ?Sized>(&'s mut self, covariance: &'s C) -> Parts<'s, 'a, R, C> {
        let (m, dims) = (self.features(), self.size.dims);
        let task = Task {
            kind: self.kind,
            trend: self.trend,
            covariance,
            theta: &self.theta.value[..self.size.thetas + 1],
            x: self.data.inputs(),
            y: self.data.targets(),
            known: self.data.known_variances(),
            dims,
            spots: &self.spots[..self.kind.spots(m) * dims],
            features: m,
        };
        let sums = Sums {
            root: &mut *self.root,
            normal: &mut *self.normal,
            moment: &mut *self.moment,
            weights: &mut *self.weights,
            noise: &mut *self.noise,
        };
        (task, sums, &mut *self.work, &self.theta)
    }

    /// Refuses a covariance of another shape, and too little data.
    fn check_data<C: Covariance<R> + ?Sized>(&self, covariance: &C) -> Result<(), Error> {
        self.check(covariance)?;
        let enough = self.trend.allows(self.rows()) && self.features() > 0;
        if enough { Ok(()) } else { Err(Error::NoData) }
    }
}
