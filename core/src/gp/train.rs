//! Training by maximum marginal likelihood or MAP with restarts: the hyperparameters that explain the data best.

use super::{Gp, evidence};
use crate::backend::{Backend, Evidence, EvidenceMany, Inputs, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Theta};
use crate::lbfgs::{self, Budget, Starts};
use crate::linalg::Blocks;
use crate::real::Real;

/// How much a training may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// What is maximised, together with the log prior.
    pub objective: Objective,
    /// Starts beside the present hyperparameters.
    pub restarts: u32,
    /// Draws from the prior of which each restart takes the best.
    pub draws: u32,
    /// The budget of each descent.
    pub budget: Budget,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            objective: Objective::Evidence,
            restarts: 2,
            draws: 8,
            budget: Budget { evaluations: 60, tolerance: 1e-7, reach: 0.1 },
        }
    }
}

/// What a training found and spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trained<R> {
    /// Objective plus log prior at the chosen hyperparameters.
    pub value: R,
    /// Evaluations of the objective.
    pub evaluations: u32,
}

/// Scalars of work for [`maximise`] over `thetas` hyperparameters, beside what an evaluation needs: those of `best` and of
/// `memory`.
pub(crate) const fn work(thetas: usize) -> usize {
    thetas + lbfgs::multi_start_scratch(thetas)
}

/// As [`lbfgs::Losses`], of what is maximised.
type LogLikelihoods<'a, R> = dyn FnMut(&[R], &mut [R], &mut [R]) -> Result<(), Error> + 'a;

/// Maximises an objective plus log prior over the hyperparameters of a table that are not frozen; `best` is then the best
/// found, the present ones if no start has a finite value.
///
/// A matrix that is not positive definite is a value of −∞.
///
/// # Errors
/// What else the objective reports.
pub(crate) fn maximise<R: Real, G: rand_core::Rng + ?Sized>(
    table: &Theta<'_, R>,
    best: &mut [R],
    training: &Training,
    generator: &mut G,
    memory: &mut [R],
    objective: &mut LogLikelihoods<'_, R>,
) -> Result<Trained<R>, Error> {
    let thetas = best.len();
    let Training { restarts, draws, budget, .. } = *training;
    let (lo, hi) = (&table.lo[..thetas], &table.hi[..thetas]);
    best.copy_from_slice(&table.value[..thetas]);
    let mut failure = None;
    let mut draw = |out: &mut [R]| table.draw(generator, out);
    let mut loss = |sets: &[R], values: &mut [R], gradient: &mut [R]| {
        if let Err(error) = objective(sets, values, gradient) {
            if !matches!(error, Error::NotPositiveDefinite { .. }) {
                failure = Some(error);
            }
            values.fill(-R::INFINITY);
        }
        for (at, value) in sets.chunks_exact(thetas).zip(values) {
            *value = -(*value + table.log_prior(at, gradient));
        }
        gradient.iter_mut().for_each(|g| *g = -*g);
    };
    let starts = Starts { restarts, draws, budget };
    let found = lbfgs::multi_start(best, lo, hi, &starts, memory, &mut draw, &mut loss);
    failure.map_or(Ok(Trained { value: -found.value, evaluations: found.evaluations }), Err)
}

/// The objective by the backend if the covariance is a tape, by the common code otherwise.
pub(super) fn objective<R: Real, B: Backend<R> + ?Sized>(
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    request: &Regression<'_, R>,
    gradient: &mut [R],
    factor: &mut [R],
    work: &mut [R],
) -> Result<R, Error> {
    match covariance.tape() {
        Some(tape) => backend.evidence(&Evidence { tape, regression: request }, gradient, factor, work),
        None => evidence::evaluate(covariance, backend, request, None, gradient, factor, work),
    }
}

impl<'a, R: Real> Gp<'a, R> {
    /// Maximises evidence (or leave-one-out score) plus log prior over the hyperparameters that are not frozen,
    /// then fits.
    ///
    /// Starts: the present hyperparameters, then `restarts` times the best of `draws` draws from the prior. If no
    /// start has a finite objective, the hyperparameters stay as they were. Cost: n³ flops an evaluation.
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::NotPositiveDefinite`] if the final fit fails, or what the backend reports.
    pub fn train<B, G>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        training: &Training,
        generator: &mut G,
    ) -> Result<Trained<R>, Error>
    where
        B: Backend<R> + ?Sized,
        G: rand_core::Rng + ?Sized,
    {
        let Task { request, theta, factor, work } = self.task(covariance, training.objective)?;
        let (thetas, dims) = (covariance.thetas() + 1, request.inputs.x.len() / request.inputs.rows);
        // Draws are evaluated together, as many as the memory holds that one evaluation leaves free.
        let columns = request.trend.columns(dims);
        let needed = self::work(thetas) + evidence::work(request.inputs.rows, dims, columns, thetas - 1);
        let room = work.len().saturating_sub(needed) / (thetas + 1);
        let together = room.min(training.draws as usize) * (thetas + 1);
        let mut scratch = Scratch::new(work);
        let best = scratch.take(thetas)?;
        let memory = scratch.take(lbfgs::multi_start_scratch(thetas) + together)?;
        let work = scratch.rest();
        let trained = maximise(theta, best, training, generator, memory, &mut |sets, values, gradient| {
            if let Some(tape) = covariance.tape()
                && gradient.is_empty()
            {
                let request = EvidenceMany { tape, regression: &request, sets };
                return backend.evidence_many(&request, values, factor, work);
            }
            for (at, value) in sets.chunks_exact(thetas).zip(values) {
                *value = match objective(covariance, backend, &request.at(at), gradient, factor, work) {
                    Err(Error::NotPositiveDefinite { .. }) => -R::INFINITY,
                    answer => answer?,
                };
            }
            Ok(())
        })?;
        theta.value.copy_from_slice(best);
        self.fit(covariance, backend)?;
        Ok(trained)
    }

    /// What hyperparameters are judged by, in the memory of the process: its fit is lost.
    pub(super) fn task(
        &mut self,
        covariance: &dyn Covariance<R>,
        objective: Objective,
    ) -> Result<Task<'_, 'a, R>, Error> {
        self.check(covariance)?;
        self.unfit();
        self.group(covariance);
        let n = self.rows();
        let request = Regression {
            inputs: Inputs {
                theta: &[],
                x: self.data.inputs(),
                rows: n,
                nugget: R::ZERO,
                blocks: Blocks::of(self.fit.index, n),
            },
            targets: self.data.targets(),
            noise: self.data.known_variances(),
            trend: self.trend,
            objective,
        };
        Ok(Task { request, theta: &mut self.theta, factor: self.fit.factor, work: self.work })
    }
}

/// The data of a process as a request without hyperparameters, the table of these, and memory to answer in.
pub(super) struct Task<'t, 'a, R> {
    pub(super) request: Regression<'t, R>,
    pub(super) theta: &'t mut Theta<'a, R>,
    pub(super) factor: &'t mut [R],
    pub(super) work: &'t mut [R],
}
