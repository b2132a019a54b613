//! Fitting and training a sparse process.

use core::ops::ControlFlow;

use super::evidence::{Sums, Task, evaluate, gather, settle};
use super::map::Source;
use super::size::Kind;
use super::{FACTORED, FEATURES, Sparse};
use crate::backend::Objective;
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::train::{Trained, Training, maximise};
use crate::kernel::{Tape, Theta};
use crate::lbfgs;
use crate::linalg::{self, Jitter, packed};
use crate::real::Real;
use crate::rng::Generator;

/// See [`Sparse::parts`].
type Parts<'s, 'a, R> = (Task<'s, R>, Sums<'s, R>, &'s mut [R], &'s Theta<'a, R>);

impl<'a, R: Real> Sparse<'a, R> {
    /// Builds the factor at the present hyperparameters and features, with the least jitter that works.
    ///
    /// Cost: 2n·m² flops.
    ///
    /// # Errors
    /// [`Error::NoData`] without features or observations, or if a trend takes up the only one;
    /// [`Error::NotPositiveDefinite`] if even the largest jitter does not help; [`Error::Kernel`],
    /// [`Error::Unsupported`].
    pub(crate) fn fit(&mut self, tape: Tape<'_>) -> Result<(), Error> {
        self.check_data(tape)?;
        self.counts[FACTORED] = 0;
        let (task, mut sums, work, _) = self.parts(tape);
        let mut scale = R::ZERO;
        for point in task.x.chunks_exact(task.source.dims) {
            scale = scale.max(tape.eval(task.source.theta, point, point));
        }
        Jitter::of(scale).climb(|jitter| match gather(&task, &mut sums, jitter, work) {
            Err(error @ Error::NotPositiveDefinite { .. }) => ControlFlow::Continue(error),
            answer => ControlFlow::Break(answer),
        })?;
        self.counts[FACTORED] = self.data.rows() as u64;
        self.finish()
    }

    /// Maximises the objective plus log prior over the hyperparameters that are not frozen, then fits.
    ///
    /// Chooses features first if there are none; otherwise they stay, and [`Sparse::choose`] with another training
    /// refines both. Starts: the present hyperparameters, then `restarts` times the best of `draws` draws from the
    /// prior. If no start has a finite objective, the hyperparameters stay as they were.
    ///
    /// # Errors
    /// As [`Sparse::choose`] and [`Sparse::fit`]; [`Error::Unsupported`] for [`Objective::LeaveOneOut`].
    pub(crate) fn train(
        &mut self,
        tape: Tape<'_>,
        training: &Training,
        generator: &mut Generator,
    ) -> Result<Trained<R>, Error> {
        Error::Unsupported.when(training.objective != Objective::Evidence)?;
        self.check(tape)?;
        Error::NoData.when(!self.trend.allows(self.data.rows()))?;
        if self.counts[FEATURES] == 0 {
            self.choose(tape, generator)?;
        }
        self.counts[FACTORED] = 0;
        let thetas = self.size.thetas + 1;
        let (task, mut sums, work, table) = self.parts(tape);
        let mut scratch = Scratch::new(work);
        let best = scratch.take(thetas)?;
        let memory = scratch.take(lbfgs::multi_start_scratch(thetas))?;
        let work = scratch.rest();
        let trained = maximise(table, best, training, generator, memory, &mut |set, value, gradient| {
            let (theta, noise) = set.split_at(thetas - 1);
            let source = Source { theta, ..task.source };
            value[0] = evaluate(&Task { source, noise: noise[0], ..task }, &mut sums, gradient, work)?;
            Ok(())
        })?;
        // `best`, at the front of the work memory.
        self.theta.value.copy_from_slice(&self.work[..thetas]);
        self.fit(tape)?;
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
    pub(super) fn parts<'s>(&'s mut self, tape: Tape<'s>) -> Parts<'s, 'a, R> {
        let (kind, trend, dims, features) = (self.kind, self.trend, self.size.dims, self.features());
        let theta = &self.theta.value[..self.size.thetas];
        let spots = &self.spots[..kind.spots(features) * dims];
        let source = Source { kind, trend, tape, theta, spots, features, dims };
        let task = Task {
            source,
            noise: self.theta.value[self.size.thetas],
            x: self.data.inputs(),
            y: self.data.targets(),
            known: self.data.known_variances(),
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

    /// Refuses a kernel of another shape, and too little data.
    fn check_data(&self, tape: Tape<'_>) -> Result<(), Error> {
        self.check(tape)?;
        let enough = self.trend.allows(self.data.rows()) && self.features() > 0;
        if enough { Ok(()) } else { Err(Error::NoData) }
    }
}
