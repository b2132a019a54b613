//! The surrogate of an optimizer: one enum of models with the same verbs, kept in step with the trials.
//!
//! Each member has a file of its own, which says how it is trained, fitted and asked; what differs is decided here, once for
//! each verb. All of them read the observations of one process.

mod believer;
mod forest;
mod process;
mod rows;
mod sparse;
mod student;
mod targets;

pub(super) use process::Models;

use super::block::{Block, place};
use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::baselines::Baseline;
use crate::config::{CHOICES, Config, Incumbent, Model, SurrogateConfig};
use crate::error::Error;
use crate::forest::Settings;
use crate::gp::student::{Freedom, Tail};
use crate::gp::{Training, warp};
use crate::lbfgs::Budget;
use crate::plain::Plain;
use crate::real::Real;
use crate::rng::Generator;
use crate::sparse::Kind;
use crate::surrogate::Surrogate;
use crate::trial::State;

/// The models of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member {
    /// An exact Gaussian process, at one or several hyperparameters.
    Process,
    /// An exact Student-t process.
    Student {
        /// Whether its degrees of freedom are learnt.
        learnt: bool,
    },
    /// A sparse Gaussian process.
    Sparse(Kind),
    /// An ensemble of trees.
    Trees(Settings),
}

impl Member {
    /// # Errors
    /// [`Error::Unsupported`] for a method without a model.
    #[inline(always)]
    fn of(config: &Config<'_>) -> Result<Self, Error> {
        // A constant where there are no others, so that their code is not linked.
        if !CHOICES {
            return Ok(Self::Process);
        }
        Error::Unsupported.when(config.proposal.baseline.is_some())?;
        Ok(match config.surrogate.model {
            Model::Process => Self::Process,
            Model::Student { learnt, .. } => Self::Student { learnt },
            Model::Sparse(kind) => Self::Sparse(kind),
            Model::Trees(settings) => Self::Trees(settings),
        })
    }
}

/// The verbs of all models.
impl<R: Real> Block<'_, R> {
    /// The model.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a method without one.
    #[inline(always)]
    fn member(&self) -> Result<Member, Error> {
        Member::of(&self.config)
    }

    /// Whether the model has a fit of all rows that [`Block::refit`] only brings up to date.
    fn is_fitted(&self) -> bool {
        match self.member() {
            Ok(Member::Process | Member::Student { .. }) => self.gp.is_fitted(),
            Ok(Member::Sparse(_) | Member::Trees(_)) | Err(_) => false,
        }
    }

    /// Learns hyperparameters, if there are any, and fits.
    fn train<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        training: &Training,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        match self.member()? {
            Member::Process => self.train_process(backend, training, generator),
            Member::Student { learnt } => self.train_student(learnt, backend, training, generator),
            Member::Sparse(kind) => self.fit_sparse(kind, Some((training, generator))),
            Member::Trees(settings) => self.fit_trees(&settings),
        }
    }

    /// Fits to the present rows and targets; the hyperparameters stay.
    fn refit<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        match self.member()? {
            Member::Process | Member::Student { .. } => self.refit_process(backend),
            Member::Sparse(kind) => self.fit_sparse(kind, None),
            Member::Trees(settings) => self.fit_trees(&settings),
        }
    }

    /// Adds the point of a trial as a row with any target; what is fitted anew for each question waits for that.
    ///
    /// # Errors
    /// [`Error::NoData`] without a factor, and as [`Gp::extend`](crate::gp::Gp::extend); there is no such row then.
    fn append(&mut self, slot: usize, known: R) -> Result<(), Error> {
        match self.member() {
            Ok(Member::Process | Member::Student { .. }) => self.append_to_process(slot, known),
            Ok(Member::Sparse(_) | Member::Trees(_)) | Err(_) => Err(Error::NoData),
        }
    }

    /// Adds the point of a trial as a row that is believed to have given a value, or the mean of the first `rows`.
    ///
    /// A point that adds nothing but rounding is left out.
    fn believe_row(&mut self, rows: usize, slot: usize, value: Option<R>) -> Result<(), Error> {
        match self.member()? {
            Member::Process | Member::Student { .. } => self.believe_in_process(rows, slot, value),
            Member::Sparse(_) | Member::Trees(_) => {
                let value = match value {
                    Some(value) => value,
                    None => self.predict_slot(slot)?.mean,
                };
                self.gp.push(self.trials.read().unit(slot), value, R::ZERO)
            }
        }
    }

    /// The mean of the model at a row.
    fn mean_at_row(&mut self, row: usize) -> Result<R, Error> {
        match self.member()? {
            Member::Process | Member::Student { .. } => self.process_mean_at_row(row),
            Member::Sparse(_) | Member::Trees(_) => Ok(self.predict_slot(self.rows[row] as usize)?.mean),
        }
    }

    fn predict_slot(&mut self, slot: usize) -> Result<Prediction<R>, Error> {
        self.unit.copy_from_slice(self.trials.read().unit(slot));
        self.predict_unit()
    }

    /// The prediction at `self.unit` on the scale of the targets, by the model as it was fitted last.
    ///
    /// Over several hyperparameters it is that of the mixture:
    ///
    /// ```text
    /// m = Σ wₛmₛ,   v = Σ wₛ(vₛ + (mₛ − m)²)
    /// ```
    pub(crate) fn predict_unit(&mut self) -> Result<Prediction<R>, Error> {
        let tail = self.tail()?;
        self.predict_with(tail)
    }

    /// As [`Block::predict_unit`], with a tail that is known: that of the told values where others are believed.
    pub(crate) fn predict_with(&mut self, tail: Tail<R>) -> Result<Prediction<R>, Error> {
        let exact = match self.member()? {
            Member::Process | Member::Student { .. } => true,
            Member::Sparse(_) | Member::Trees(_) => false,
        };
        if CHOICES && (!exact || self.kept.posteriors.used().next().is_some()) {
            return self.predict_by_view(tail);
        }
        self.predict_by_process(tail)
    }

    #[inline(never)]
    fn predict_by_view(&mut self, tail: Tail<R>) -> Result<Prediction<R>, Error> {
        let (models, _, _, unit, ..) = self.split();
        models.with(tail, &mut Plain, |model| model.predict(unit))
    }
}

impl<R: Real> Models<'_, '_, R> {
    /// Asks the model that was fitted last.
    pub(super) fn with<B: Backend<R> + ?Sized, T>(
        self,
        tail: Tail<R>,
        backend: &mut B,
        ask: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match Member::of(&self.config)? {
            Member::Process | Member::Student { .. } => self.with_process(tail, backend, ask),
            Member::Sparse(kind) => self.with_sparse(kind, ask),
            Member::Trees(_) => self.with_trees(ask),
        }
    }
}

/// Keeping the model in step with the trials.
impl<R: Real> Block<'_, R> {
    /// Whether there is enough data for a model, and how many rows there are.
    pub(crate) fn has_model(&self) -> bool {
        let rows = self.gp.rows();
        let told = self.trials.read().best().is_some() || self.given_worst().is_some();
        self.member().is_ok() && rows >= 2 && told
    }

    /// The method that works without a model; none where there are no others, so that their code is not linked.
    #[inline(always)]
    pub(crate) fn baseline(&self) -> Option<Baseline> {
        if CHOICES { self.config.proposal.baseline } else { None }
    }

    /// The model; a constant where there are no others, so that their code is not linked.
    #[inline(always)]
    pub(crate) fn model(&self) -> Model {
        if CHOICES { self.config.surrogate.model } else { Model::Process }
    }

    /// Sets what a new block has beyond its process.
    pub(crate) fn start_extras(&mut self) -> Result<(), Error> {
        if !CHOICES {
            return Ok(());
        }
        let config = self.config;
        self.start_freedom()?;
        if let Some(chain) = &mut self.kept.chain {
            chain.reset(config.seed);
        }
        self.start_method();
        let (dims, first) = (self.shape.dims, self.tape.thetas());
        let table = self.gp.theta_table();
        config.surrogate.warp.write_theta(
            dims,
            self.bench.mask,
            warp::USUAL_SD,
            warp::USUAL_REACH,
            table,
            first,
        )
    }

    /// Sets the first degrees of freedom of a Student-t process.
    fn start_freedom(&mut self) -> Result<(), Error> {
        if let Model::Student { freedom, .. } = self.model() {
            self.header[place::FREEDOM] = Freedom::<f64>::fixed(freedom)?.value.to_bits();
        }
        Ok(())
    }

    /// Forgets what was learnt about hyperparameters: for when the objective has changed.
    pub(crate) fn relearn(&mut self) {
        self.header[place::TRAINED] = 0;
        self.header[place::AFRESH] = 0;
        self.kept.posteriors.reset();
        if let Some(chain) = &mut self.kept.chain {
            chain.reset(self.config.seed ^ self.header[place::SEQUENCE]);
        }
        // It was checked when the block was made.
        let _ = self.start_freedom();
        self.portfolio.fill(R::ZERO);
        self.start_method();
        self.gp.unfit();
        self.note_factor();
    }

    /// Brings the model up to date for an ask: targets, and hyperparameters if they are stale.
    ///
    /// # Errors
    /// What training and fitting report; the data are unchanged then.
    pub(crate) fn update<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        self.learn(backend, generator)?;
        self.header[place::TRAINER] = 2;
        Ok(())
    }

    /// Brings the model up to date for a look, which trains, if it may, only what no ask has trained.
    ///
    /// It does then what an ask would do now, with the same generator: the ask that follows finds it done. Where asks
    /// spread the starting design it trains nothing, so that the first training is that of all its values.
    ///
    /// # Errors
    /// As [`Block::refresh`].
    pub(crate) fn look<B: Backend<R> + ?Sized>(&mut self, backend: &mut B, train: bool) -> Result<(), Error> {
        let told = self.trials.read().in_state(Some(State::Done)).count() as u64;
        let starting = u64::from(self.config.starting_trials(self.domain.dims()));
        let spreads = self.header[place::DESIGNED] > 0 && told < starting;
        let asked = match self.header[place::TRAINER] {
            0 => self.header[place::TRAINED] > 0,
            trainer => trainer == 2,
        };
        if train && !asked && !spreads {
            let mut generator = self.generator()?;
            if self.learn(backend, &mut generator).is_ok() {
                self.header[place::TRAINER] = 1;
                self.set_generator(&generator);
                return Ok(());
            }
            self.note_factor();
        }
        let refreshed = self.refresh(backend);
        if refreshed.is_err() {
            self.note_factor();
        }
        refreshed
    }

    fn learn<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let SurrogateConfig { refit, training: whole, .. } = self.config.surrogate;
        let transform = self.config.targets;
        let rows = self.gp.rows() as u64;
        let grown = |since: u64, fraction: f64| {
            since == 0 || rows as f64 >= since as f64 * (1.0 + fraction) && rows > since
        };
        let afresh = grown(self.header[place::AFRESH], refit.afresh);
        let train = afresh || grown(self.header[place::TRAINED], refit.growth);
        if !train {
            return self.refresh(backend);
        }
        self.fit_scale(transform)?;
        let budget = Budget { evaluations: refit.evaluations, ..whole.budget };
        let again = Training { restarts: 0, budget, ..whole };
        let restarts = if rows > u64::from(refit.plenty) { 0 } else { whole.restarts };
        let training = if afresh { Training { restarts, ..whole } } else { again };
        self.train(backend, &training, generator)?;
        self.header[place::TRAINED] = rows;
        if afresh {
            self.header[place::AFRESH] = rows;
        }
        self.note_factor();
        Ok(())
    }

    /// As [`Block::update`] without training: the hyperparameters stay.
    pub(crate) fn refresh<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let (fitted, transform) = (self.is_fitted(), self.config.targets);
        if !fitted && self.header[place::TRAINED] == 0 {
            self.fit_scale(transform)?;
        }
        self.set_targets(transform)?;
        self.refit(backend)
    }

    /// The row of lowest target, or of lowest mean, among the told trials, and that value.
    pub(crate) fn lowest_row(&mut self, incumbent: Incumbent) -> Result<(usize, R), Error> {
        let mut lowest: Option<(usize, R)> = None;
        for row in 0..self.gp.rows() {
            let slot = self.rows[row] as usize;
            if self.trials.read().state(slot) != Some(State::Done) {
                continue;
            }
            let value = match incumbent {
                Incumbent::Observed => self.gp.targets()[row],
                Incumbent::Mean => self.mean_at_row(row)?,
            };
            if lowest.is_none_or(|(_, low)| value < low) {
                lowest = Some((row, value));
            }
        }
        lowest.filter(|(_, value)| value.is_finite()).ok_or(Error::NoData)
    }
}
