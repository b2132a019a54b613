//! Hyperparameters and degrees of freedom that explain the data best.

use super::{Freedom, Tail, law};
use crate::backend::{Backend, Inputs, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::train::{Trained, Training};
use crate::gp::{Gp, Split, evidence};
use crate::kernel::{Covariance, Theta};
use crate::lbfgs;
use crate::linalg::Blocks;
use crate::real::Real;

/// Maximises the evidence of a Student-t process plus log priors over θ and, unless it is fixed, ν.
///
/// ν needs no factor ([`Freedom::fit`]): at each θ the best one is taken, and the derivative in θ is then that at fixed
/// ν. `request.inputs.theta` is not looked at; the table has the noise last. Starts and cost as [`Gp::train`]. If no start
/// has a finite objective, nothing changes. `work` has as many scalars as [`Size::work`](crate::gp::Size::work), `factor`
/// is scratch of `packed(rows)`.
///
/// # Errors
/// [`Error::NoData`], [`Error::Shape`], [`Error::Unsupported`] for another objective than evidence, or what the backend
/// reports.
pub fn train<R, C, B, G>(
    covariance: &C,
    backend: &mut B,
    request: &Regression<'_, R>,
    theta: &mut Theta<'_, R>,
    freedom: &mut Freedom<R>,
    training: &Training,
    generator: &mut G,
    factor: &mut [R],
    work: &mut [R],
) -> Result<Trained<R>, Error>
where
    R: Real,
    C: Covariance<R> + ?Sized,
    B: Backend<R> + ?Sized,
    G: rand_core::Rng + ?Sized,
{
    if training.objective != Objective::Evidence {
        return Err(Error::Unsupported);
    }
    let thetas = covariance.thetas() + 1;
    if theta.capacity() < thetas {
        return Err(Error::Shape { needed: thetas });
    }
    let (lo, hi) = (&theta.lo[..thetas], &theta.hi[..thetas]);
    let mut scratch = Scratch::new(work);
    let trial = scratch.take(thetas)?;
    let best = scratch.take(thetas)?;
    let draw = scratch.take(thetas)?;
    let descent_scratch = scratch.take(lbfgs::scratch(thetas))?;
    let mut loss = Loss {
        covariance,
        backend,
        request: Regression { objective: Objective::Evidence, ..*request },
        theta,
        freedom: *freedom,
        factor,
        work: scratch.rest(),
        failure: None,
    };
    let mut evaluations = 0;
    let mut lowest = R::INFINITY;
    best.copy_from_slice(&theta.value[..thetas]);
    for start in 0..=training.restarts {
        if start == 0 {
            trial.copy_from_slice(&theta.value[..thetas]);
        } else {
            let mut low = R::INFINITY;
            for _ in 0..training.draws.max(1) {
                loss.theta.draw(generator, draw);
                let value = loss.at(draw, &mut []);
                evaluations += 1;
                if value < low {
                    low = value;
                    trial.copy_from_slice(draw);
                }
            }
            if !low.is_finite() {
                continue;
            }
        }
        let lost = |at: &[R], gradient: &mut [R]| loss.at(at, gradient);
        let outcome = lbfgs::minimize(trial, lo, hi, training.budget, descent_scratch, lost);
        evaluations += outcome.evaluations;
        if outcome.value < lowest {
            lowest = outcome.value;
            best.copy_from_slice(trial);
        }
    }
    if let Some(error) = loss.failure {
        return Err(error);
    }
    if lowest.is_finite() {
        // The degrees of freedom that belong to the chosen hyperparameters.
        loss.at(best, &mut []);
        *freedom = loss.freedom;
        theta.value[..thetas].copy_from_slice(best);
    }
    Ok(Trained { value: -lowest, evaluations })
}

impl<R: Real> Gp<'_, R> {
    /// Trains hyperparameters and degrees of freedom as a Student-t process, then fits.
    ///
    /// # Errors
    /// As [`train`] and [`Gp::fit`].
    pub fn train_student<C, B, G>(
        &mut self,
        covariance: &C,
        backend: &mut B,
        training: &Training,
        freedom: &mut Freedom<R>,
        generator: &mut G,
    ) -> Result<Trained<R>, Error>
    where
        C: Covariance<R> + ?Sized,
        B: Backend<R> + ?Sized,
        G: rand_core::Rng + ?Sized,
    {
        self.check(covariance)?;
        self.unfit();
        self.group(covariance);
        let n = self.rows();
        let request = Regression {
            inputs: Inputs {
                theta: &[],
                x: &self.x[..n * self.size.dims],
                rows: n,
                nugget: R::ZERO,
                blocks: Blocks::of(self.fit.index, n),
            },
            targets: &self.y[..n],
            noise: &self.known[..n],
            trend: self.trend,
            objective: training.objective,
        };
        let trained = train(
            covariance,
            backend,
            &request,
            &mut self.theta,
            freedom,
            training,
            generator,
            self.fit.factor,
            self.work,
        )?;
        self.fit(covariance, backend)?;
        Ok(trained)
    }

    /// How the predictions of this process are read as those of a Student-t process with ν degrees of freedom.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit, [`Error::Config`] unless ν > 2.
    pub fn tail(&mut self, freedom: R) -> Result<Tail<R>, Error> {
        let Split { posterior, targets, .. } = self.split()?;
        Tail::of(&posterior, targets, freedom)
    }
}

/// The negative log posterior of hyperparameters, at the best degrees of freedom for them.
struct Loss<'t, R, C: ?Sized, B: ?Sized> {
    covariance: &'t C,
    backend: &'t mut B,
    request: Regression<'t, R>,
    theta: &'t Theta<'t, R>,
    /// Those of the last evaluation.
    freedom: Freedom<R>,
    factor: &'t mut [R],
    work: &'t mut [R],
    /// What the backend reported last, other than a matrix that is not positive definite.
    failure: Option<Error>,
}

impl<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized> Loss<'_, R, C, B> {
    fn at(&mut self, at: &[R], gradient: &mut [R]) -> R {
        let request = Regression { inputs: Inputs { theta: at, ..self.request.inputs }, ..self.request };
        let freedom = core::cell::Cell::new(self.freedom);
        let by = |square: R, count: usize| {
            let mut fitted = freedom.get();
            fitted.fit(square, count);
            freedom.set(fitted);
            let law = law(fitted.value.exp(), square, count);
            (law.log + fitted.log_prior(fitted.value).0, law.weight)
        };
        let (covariance, backend) = (self.covariance, &mut *self.backend);
        let found = evidence::evaluate_under(
            covariance,
            backend,
            &request,
            Some(&by),
            gradient,
            self.factor,
            self.work,
        );
        match found {
            Ok(value) if !value.is_nan() => {
                self.freedom = freedom.get();
                let prior = self.theta.log_prior(at, gradient);
                for g in gradient.iter_mut() {
                    *g = -*g;
                }
                -(value + prior)
            }
            Ok(_) | Err(Error::NotPositiveDefinite { .. }) => R::INFINITY,
            Err(other) => {
                self.failure = Some(other);
                R::INFINITY
            }
        }
    }
}
