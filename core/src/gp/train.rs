//! Training by maximum marginal likelihood or MAP with restarts: the hyperparameters that explain the data best.

use super::{Gp, evidence};
use crate::backend::{Backend, Evidence, EvidenceMany, Inputs, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Theta};
use crate::lbfgs::{self, Budget};
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

/// Scalars of work for training `thetas` hyperparameters, beside what an evaluation needs.
pub(super) const fn work(thetas: usize) -> usize {
    3 * thetas + lbfgs::scratch(thetas)
}

/// The objective by the backend if the covariance is a tape, by the common code otherwise.
pub(super) fn objective<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized>(
    covariance: &C,
    backend: &mut B,
    request: &Regression<'_, R>,
    gradient: &mut [R],
    factor: &mut [R],
    work: &mut [R],
) -> Result<R, Error> {
    match covariance.tape() {
        Some(tape) => backend.evidence(&Evidence { tape, regression: request }, gradient, factor, work),
        None => evidence::evaluate(covariance, backend, request, gradient, factor, work),
    }
}

impl<R: Real> Gp<'_, R> {
    /// Maximises evidence (or leave-one-out score) plus log prior over the hyperparameters that are not frozen,
    /// then fits.
    ///
    /// Starts: the present hyperparameters, then `restarts` times the best of `draws` draws from the prior. If no
    /// start has a finite objective, the hyperparameters stay as they were. Cost: n³ flops an evaluation.
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::NotPositiveDefinite`] if the final fit fails, or what the backend reports.
    pub fn train<C, B, G>(
        &mut self,
        covariance: &C,
        backend: &mut B,
        training: &Training,
        generator: &mut G,
    ) -> Result<Trained<R>, Error>
    where
        C: Covariance<R> + ?Sized,
        B: Backend<R> + ?Sized,
        G: rand_core::Rng + ?Sized,
    {
        self.check(covariance)?;
        let n = self.rows();
        self.unfit();
        self.group(covariance);
        let thetas = self.size.thetas + 1;
        let mut scratch = Scratch::new(&mut *self.work);
        let trial = scratch.take(thetas)?;
        let best = scratch.take(thetas)?;
        let draw = scratch.take(thetas)?;
        let descent_scratch = scratch.take(lbfgs::scratch(thetas))?;
        // Draws are evaluated together, as many as the memory holds that one evaluation leaves free.
        let p = self.trend.columns(self.size.dims);
        let needed = evidence::work(n, self.size.dims, p, self.size.thetas);
        let rest = scratch.rest();
        let room = (rest.len().saturating_sub(needed) / (thetas + 1)).min(training.draws as usize);
        let (together, work) = rest.split_at_mut(room * (thetas + 1));
        let mut single = [R::ZERO];
        let (sets, values) = match room {
            0 => (draw, &mut single[..]),
            _ => together.split_at_mut(room * thetas),
        };
        let theta = &self.theta;
        let mut loss = Loss {
            covariance,
            backend,
            request: Regression {
                inputs: Inputs {
                    theta: theta.value,
                    x: &self.x[..n * self.size.dims],
                    rows: n,
                    nugget: R::ZERO,
                    blocks: Blocks::of(self.fit.index, n),
                },
                targets: &self.y[..n],
                noise: &self.known[..n],
                trend: self.trend,
                objective: training.objective,
            },
            theta,
            factor: &mut *self.fit.factor,
            work,
            failure: None,
        };
        let mut evaluations = 0;
        let mut lowest = R::INFINITY;
        best.copy_from_slice(theta.value);
        for start in 0..=training.restarts {
            if start == 0 {
                trial.copy_from_slice(theta.value);
            } else {
                let mut low = R::INFINITY;
                let mut left = training.draws.max(1) as usize;
                while left > 0 {
                    let count = left.min(values.len());
                    let (sets, values) = (&mut sets[..count * thetas], &mut values[..count]);
                    for draw in sets.chunks_exact_mut(thetas) {
                        theta.draw(generator, draw);
                    }
                    loss.at_each(sets, values);
                    for (draw, &value) in sets.chunks_exact(thetas).zip(values.iter()) {
                        if value < low {
                            low = value;
                            trial.copy_from_slice(draw);
                        }
                    }
                    evaluations += count as u32;
                    left -= count;
                }
                if !low.is_finite() {
                    continue;
                }
            }
            let lost = |at: &[R], gradient: &mut [R]| loss.at(at, gradient);
            let outcome = lbfgs::minimize(trial, theta.lo, theta.hi, training.budget, descent_scratch, lost);
            evaluations += outcome.evaluations;
            if outcome.value < lowest {
                lowest = outcome.value;
                best.copy_from_slice(trial);
            }
        }
        let failure = loss.failure;
        if let Some(error) = failure {
            return Err(error);
        }
        self.theta.value.copy_from_slice(best);
        self.fit(covariance, backend)?;
        Ok(Trained { value: -lowest, evaluations })
    }
}

/// The negative log posterior of hyperparameters; infinite where the matrix is not positive definite.
pub(super) struct Loss<'t, R, C: ?Sized, B: ?Sized> {
    pub(super) covariance: &'t C,
    pub(super) backend: &'t mut B,
    pub(super) request: Regression<'t, R>,
    pub(super) theta: &'t Theta<'t, R>,
    pub(super) factor: &'t mut [R],
    pub(super) work: &'t mut [R],
    /// What the backend reported last, other than such a matrix.
    pub(super) failure: Option<Error>,
}

impl<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized> Loss<'_, R, C, B> {
    /// At one place, with its gradient unless that is empty.
    pub(super) fn at(&mut self, at: &[R], gradient: &mut [R]) -> R {
        let request = Regression { inputs: Inputs { theta: at, ..self.request.inputs }, ..self.request };
        match objective(self.covariance, self.backend, &request, gradient, self.factor, self.work) {
            Ok(value) => {
                let prior = self.log_prior(at, gradient);
                for g in gradient.iter_mut() {
                    *g = -*g;
                }
                -(value + prior)
            }
            Err(Error::NotPositiveDefinite { .. }) => R::INFINITY,
            Err(other) => {
                self.failure = Some(other);
                R::INFINITY
            }
        }
    }

    /// At several places, which lie one after the other.
    fn at_each(&mut self, sets: &[R], out: &mut [R]) {
        let thetas = self.covariance.thetas() + 1;
        let Some(tape) = self.covariance.tape() else {
            for (at, out) in sets.chunks_exact(thetas).zip(out) {
                *out = self.at(at, &mut []);
            }
            return;
        };
        let request = EvidenceMany { tape, regression: &self.request, sets };
        if let Err(error) = self.backend.evidence_many(&request, out, self.factor, self.work) {
            self.failure = Some(error);
            out.fill(-R::INFINITY);
        }
        for (at, out) in sets.chunks_exact(thetas).zip(out) {
            *out = -(*out + self.log_prior(at, &mut []));
        }
    }

    fn log_prior(&self, at: &[R], gradient: &mut [R]) -> R {
        self.theta.log_prior(at, gradient)
    }
}
