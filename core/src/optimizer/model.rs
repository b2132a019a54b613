//! The surrogate of an optimizer: keeps the model in step with the trials.

use super::block::{Block, place};
use super::memory::Persistent;
use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::config::{CHOICES, Config, Hyper, Incumbent, Model};
use crate::error::Error;
use crate::gp::student::{Freedom, Tail};
use crate::gp::warp::{self, Warp, Warped};
use crate::gp::{Training, quadrature};
use crate::kernel::{Covariance, Prior};
use crate::lbfgs::Budget;
use crate::pending::Pending;
use crate::plain::Plain;
use crate::policy::Policy;
use crate::real::Real;
use crate::rng::Generator;
use crate::targets::Scale;
use crate::targets::Transform;
use crate::trial::State;

impl<R: Real> Block<'_, R> {
    /// Whether there is enough data for a model, and how many rows there are.
    pub(super) fn has_model(&self) -> bool {
        let rows = self.gp.rows();
        let free = matches!(self.model(), Model::Baseline(_));
        let told = self.trials.read().best().is_some() || self.given_worst().is_some();
        !free && rows >= 2 && told
    }

    /// The model; a constant where there are no others, so that their code is not linked.
    #[inline(always)]
    pub(super) fn model(&self) -> Model {
        if CHOICES { self.config.model } else { Model::Process }
    }

    /// Sets what a new block has beyond its process.
    pub(super) fn start_extras(&mut self) -> Result<(), Error> {
        if !CHOICES {
            return Ok(());
        }
        let config = self.config;
        if let Model::Student { freedom, .. } = config.model {
            let start = Freedom::<f64>::fixed(freedom)?;
            self.header[place::FREEDOM] = start.value.to_bits();
        }
        if let Some(chain) = &mut self.kept.chain {
            chain.reset(config.seed);
        }
        self.start_method();
        let (dims, first) = (self.shape.dims, self.tape.thetas());
        let table = self.gp.theta_table();
        config.warp.write_theta(dims, self.bench.mask, warp::USUAL_SD, warp::USUAL_REACH, table, first)
    }

    /// Forgets what was learnt about hyperparameters: for when the objective has changed.
    pub(super) fn relearn(&mut self) {
        self.header[place::TRAINED] = 0;
        self.header[place::AFRESH] = 0;
        self.kept.posteriors.reset();
        if let Some(chain) = &mut self.kept.chain {
            chain.reset(self.config.seed ^ self.header[place::SEQUENCE]);
        }
        if let Model::Student { freedom, .. } = self.model()
            && let Ok(start) = Freedom::<f64>::fixed(freedom)
        {
            self.header[place::FREEDOM] = start.value.to_bits();
        }
        self.portfolio.fill(R::ZERO);
        self.start_method();
        self.gp.unfit();
        self.note_factor();
    }

    /// Runs something with the covariance of the process: its kernel, or that over warped coordinates.
    pub(super) fn with_covariance<T>(
        &mut self,
        run: impl FnOnce(&mut Self, &dyn Covariance<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tape = self.tape;
        if !CHOICES || self.config.warp == Warp::None {
            return run(self, &tape);
        }
        // Lent to the covariance, and given back.
        let (memory, mask) = (core::mem::take(&mut self.bench.warp), core::mem::take(&mut self.bench.mask));
        let answer = Warped::new(tape, self.config.warp, mask, memory).and_then(|warped| run(self, &warped));
        (self.bench.warp, self.bench.mask) = (memory, mask);
        answer
    }

    /// Brings the model up to date for an ask: targets, and hyperparameters if they are stale.
    ///
    /// # Errors
    /// What training and fitting report; the data are unchanged then.
    pub(super) fn update<B: Backend<R> + ?Sized>(
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
    pub(super) fn look(&mut self, train: bool) -> Result<(), Error> {
        let told = self.trials.read().in_state(Some(State::Done)).count() as u64;
        let starting = u64::from(self.config.starting_trials(self.domain.dims()));
        let spreads = self.header[place::DESIGNED] > 0 && told < starting;
        let asked = match self.header[place::TRAINER] {
            0 => self.header[place::TRAINED] > 0,
            trainer => trainer == 2,
        };
        if train && !asked && !spreads {
            let mut generator = self.generator()?;
            if self.learn(&mut Plain, &mut generator).is_ok() {
                self.header[place::TRAINER] = 1;
                self.set_generator(&generator);
                return Ok(());
            }
            self.note_factor();
        }
        let refreshed = self.refresh(&mut Plain);
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
        let Config { refit, transform, training: whole, .. } = self.config;
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
        match self.model() {
            Model::Process => {
                self.with_covariance(|block, covariance| {
                    block.gp.train(covariance, backend, &training, generator)?;
                    if CHOICES { block.treat(covariance, backend) } else { Ok(()) }
                })?;
            }
            Model::Student { learnt, .. } => {
                let mut freedom = self.freedom(learnt)?;
                self.with_covariance(|block, covariance| {
                    block.gp.train_student(covariance, backend, &training, &mut freedom, generator)
                })?;
                self.header[place::FREEDOM] = freedom.value.to_f64().to_bits();
            }
            Model::Sparse(kind) => self.fit_sparse(kind, Some((&training, generator)))?,
            Model::Trees(settings) => self.fit_trees(&settings)?,
            Model::Baseline(_) => return Err(Error::Unsupported),
        }
        self.header[place::TRAINED] = rows;
        if afresh {
            self.header[place::AFRESH] = rows;
        }
        self.note_factor();
        Ok(())
    }

    /// Draws or places the hyperparameters over which acquisitions are averaged, and fits them.
    #[inline(never)]
    fn treat<B: Backend<R> + ?Sized>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
    ) -> Result<(), Error> {
        let Persistent { chain, posteriors, .. } = &mut self.kept;
        match (self.config.treatment, chain) {
            (Hyper::Map, _) => return Ok(()),
            (Hyper::Mcmc { sampling, .. }, Some(chain)) => {
                chain.fill(&mut self.gp, posteriors, covariance, backend, &sampling)?;
            }
            (Hyper::Quadrature { .. }, _) => {
                quadrature::fill(&mut self.gp, posteriors, covariance, backend)?;
            }
            (Hyper::Mcmc { .. }, None) => return Err(Error::Limits),
        }
        posteriors.fit(&mut self.gp, covariance, backend)
    }

    /// The degrees of freedom of a Student-t process, as they were learnt last.
    fn freedom<S: Real>(&self, learnt: bool) -> Result<Freedom<S>, Error> {
        let value = f64::from_bits(self.header[place::FREEDOM]);
        let degrees = 2.0 + Real::exp(value);
        if !learnt {
            return Freedom::fixed(degrees);
        }
        // Beyond a hundred it is a Gaussian process; below 2.1 a single value decides everything.
        let (lo, hi) = (2.1_f64.min(degrees), 200.0_f64.max(degrees));
        Freedom::fitted(degrees, lo, hi, Prior::LogNormal { mean: Real::ln(8.0), sd: 1.0 })
    }

    /// How the predictions of the exact process are to be read.
    pub(super) fn tail(&mut self) -> Result<Tail<R>, Error> {
        let Model::Student { .. } = self.model() else { return Ok(Tail::NORMAL) };
        let degrees = self.freedom::<R>(false)?.degrees();
        self.gp.tail(degrees)
    }

    /// As [`Block::update`] without training: the hyperparameters stay.
    pub(super) fn refresh<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let (model, transform) = (self.model(), self.config.transform);
        let fitted = self.gp.is_fitted() && model.is_exact();
        if !fitted && self.header[place::TRAINED] == 0 {
            self.fit_scale(transform)?;
        }
        self.set_targets(transform)?;
        match model {
            Model::Process | Model::Student { .. } => self.with_covariance(|block, covariance| {
                if fitted {
                    block.gp.refresh()?;
                } else {
                    block.gp.fit(covariance, backend)?;
                    block.note_factor();
                }
                block.kept.posteriors.fit(&mut block.gp, covariance, backend)
            }),
            Model::Sparse(kind) => self.fit_sparse(kind, None),
            Model::Trees(settings) => self.fit_trees(&settings),
            Model::Baseline(_) => Err(Error::Unsupported),
        }
    }

    /// Fits the scale of the targets to all values, and rescales known variances to it.
    fn fit_scale(&mut self, transform: Transform) -> Result<(), Error> {
        let (rows, worst) = (self.gp.rows(), self.given_worst());
        if worst.is_some() {
            // The scale is that of all who share it.
            return self.set_targets(transform);
        }
        let (values, targets) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], worst, values)?;
        let mut scale = transform.fit(values, targets);
        if Scale::from_scalars(scale.to_scalars()).is_none() {
            // Ratios of the values leave the range.
            scale = Transform::Standard.fit(values, targets);
        }
        bound(targets);
        self.set_scale(&scale);
        self.rescale_variances();
        Ok(())
    }

    /// Puts known variances on the scale of the targets; whether there are any.
    pub(super) fn rescale_variances(&mut self) -> bool {
        let trials = self.trials.read();
        let any = (0..trials.slots.len()).any(|slot| trials.variance(slot) > R::ZERO);
        if any {
            for row in 0..self.gp.rows() {
                let slot = self.rows[row] as usize;
                self.gp.known_variances_mut()[row] = self.known_variance(slot);
            }
        }
        any
    }

    /// Writes the targets of all rows on the scale that was fitted last.
    fn set_targets(&mut self, transform: Transform) -> Result<(), Error> {
        let (rows, worst) = (self.gp.rows(), self.given_worst());
        let scale = self.scale()?;
        let (values, targets) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], worst, values)?;
        if transform == Transform::Rank {
            transform.fit(values, targets);
        } else {
            for (target, &value) in targets.iter_mut().zip(values.iter()) {
                *target = scale.forward(value);
            }
        }
        bound(targets);
        Ok(())
    }

    /// The values of all rows, in memory that lasts until the next refresh.
    pub(super) fn values(&mut self) -> Result<&[R], Error> {
        let (rows, worst) = (self.gp.rows(), self.given_worst());
        let (values, _) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], worst, values)?;
        Ok(values)
    }

    /// The row of lowest target, or of lowest mean, among the told trials, and that value.
    pub(super) fn lowest_row(&mut self, incumbent: Incumbent) -> Result<(usize, R), Error> {
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

    /// The mean of the model at a row.
    fn mean_at_row(&mut self, row: usize) -> Result<R, Error> {
        if !self.model().is_exact() {
            let slot = self.rows[row] as usize;
            self.unit.copy_from_slice(self.trials.read().unit(slot));
            return Ok(self.predict_unit()?.mean);
        }
        let Persistent { posteriors, .. } = &mut self.kept;
        let (mut sum, mut weights) = (R::ZERO, R::ZERO);
        for member in 0..posteriors.count() {
            let weight = posteriors.weight(member);
            if weight > R::ZERO {
                sum += weight * posteriors.view(&mut self.gp, member)?.mean_at_row(row);
                weights += weight;
            }
        }
        Ok(if weights > R::ZERO { sum / weights } else { self.gp.mean_at_row(row) })
    }

    /// The prediction at `self.unit` on the scale of the targets, by the model as it was fitted last.
    ///
    /// Over several hyperparameters it is that of the mixture:
    ///
    /// ```text
    /// m = Σ wₛmₛ,   v = Σ wₛ(vₛ + (mₛ − m)²)
    /// ```
    pub(super) fn predict_unit(&mut self) -> Result<Prediction<R>, Error> {
        let tail = self.tail()?;
        self.predict_with(tail)
    }

    /// As [`Block::predict_unit`], with a tail that is known: that of the told values where others are believed.
    pub(super) fn predict_with(&mut self, tail: Tail<R>) -> Result<Prediction<R>, Error> {
        if !self.model().is_exact() {
            return self.predict_approximate();
        }
        if CHOICES && self.kept.posteriors.used().next().is_some() {
            return self.predict_mixture(tail);
        }
        self.with_covariance(|block, covariance| {
            let prediction = block.gp.predict(covariance, block.unit)?;
            Ok(Prediction { variance: prediction.variance * tail.covariance, ..prediction })
        })
    }

    #[inline(never)]
    fn predict_approximate(&mut self) -> Result<Prediction<R>, Error> {
        let (models, _, _, unit, ..) = self.split();
        models.with_approximate(|model| model.predict(unit))
    }

    #[inline(never)]
    fn predict_mixture(&mut self, tail: Tail<R>) -> Result<Prediction<R>, Error> {
        let (models, _, _, unit, ..) = self.split();
        models.with(tail, &mut Plain, |model| model.predict(unit))
    }

    /// Adds the open trials as rows that are believed to give what the model predicts, or what the configuration lies.
    ///
    /// A point that adds nothing but rounding is left out.
    pub(super) fn believe<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let rows = self.gp.rows();
        if matches!(self.config.policy, Policy::Noisy { .. }) {
            // It draws what they may give.
            return Ok(());
        }
        let lie = match self.config.batch {
            Pending::Believer => None,
            Pending::Liar(lie) => Some(lie.value(self.gp.targets())?),
            Pending::Fantasies { .. }
            | Pending::Penalty
            | Pending::Temperatures
            | Pending::JointEi { .. } => {
                return Ok(());
            }
        };
        for slot in 0..self.trials.slots.len() {
            if self.trials.read().state(slot) == Some(State::Open) {
                self.believe_slot(rows, slot, lie)?;
            }
        }
        if self.gp.rows() == rows {
            return Ok(());
        }
        match self.model() {
            Model::Process | Model::Student { .. } => {
                self.gp.refresh()?;
                // A fit that a believed row spoils is built anew, with jitter.
                self.with_covariance(|block, covariance| {
                    block.kept.posteriors.fit(&mut block.gp, covariance, backend)
                })
            }
            Model::Sparse(kind) => self.fit_sparse(kind, None),
            Model::Trees(settings) => self.fit_trees(&settings),
            Model::Baseline(_) => Err(Error::Unsupported),
        }
    }

    fn believe_slot(&mut self, rows: usize, slot: usize, lie: Option<R>) -> Result<(), Error> {
        let trials = self.trials.read();
        let place = slot * self.shape.dims..(slot + 1) * self.shape.dims;
        if !self.model().is_exact() {
            let value = match lie {
                Some(value) => value,
                None => {
                    self.unit.copy_from_slice(trials.unit(slot));
                    self.predict_unit()?.mean
                }
            };
            return self.gp.push(&self.trials.unit[place], value, R::ZERO);
        }
        self.with_covariance(|block, covariance| {
            let Block { gp, kept: Persistent { posteriors, .. }, trials, .. } = block;
            let unit = &trials.unit[place];
            let value = match lie {
                Some(value) => value,
                None => gp.mean_of_first(covariance, rows, unit)?,
            };
            match gp.extend(covariance, unit, value, R::ZERO) {
                Ok(()) => posteriors.extend(gp, covariance),
                Err(Error::NotPositiveDefinite { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        })
    }

    /// Takes back what was believed.
    pub(super) fn disbelieve(&mut self, rows: usize) {
        self.gp.truncate(rows);
        self.kept.posteriors.truncate(rows);
    }
}

/// The values of the rows; a failed trial counts as the worst value seen, here or elsewhere.
///
/// Values at the very ends of the range are moved inwards, so that differences stay finite.
fn raw_values<R: Real>(
    trials: &super::block::TrialsRead<'_, R>,
    rows: &[u64],
    elsewhere: Option<R>,
    values: &mut [R],
) -> Result<(), Error> {
    let mut worst = elsewhere.unwrap_or(-R::INFINITY);
    for slot in trials.in_state(Some(State::Done)) {
        worst = worst.max(trials.value(slot));
    }
    if !worst.is_finite() {
        return Err(Error::NoData);
    }
    let most = R::MAX / R::of(8.0);
    for (value, &slot) in values.iter_mut().zip(rows) {
        let slot = slot as usize;
        let told = if trials.state(slot) == Some(State::Done) { trials.value(slot) } else { worst };
        *value = told.clamp(-most, most);
    }
    Ok(())
}

/// Keeps targets so far from the ends of the range that their squares and products stay in it.
///
/// A value that comes later may be far outside the scale that was fitted to the earlier ones.
fn bound<R: Real>(targets: &mut [R]) {
    let most = R::MAX.sqrt() * R::EPSILON;
    for target in targets {
        *target = if target.is_nan() { R::ZERO } else { target.clamp(-most, most) };
    }
}
