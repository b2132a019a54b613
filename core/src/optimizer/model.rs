//! The surrogate of an optimizer: keeps the process in step with the trials.

use super::block::{Block, place};
use crate::backend::Backend;
use crate::config::Incumbent;
use crate::descent::Budget;
use crate::error::Error;
use crate::gp::transform::Scale;
use crate::gp::{Training, Transform};
use crate::real::Real;
use crate::rng::Generator;
use crate::trial::State;

impl<R: Real> Block<'_, R> {
    /// Gives a closed trial its row; the factor grows with it if there is one.
    pub(super) fn add_row(&mut self, slot: usize) -> Result<(), Error> {
        let row = self.gp.rows();
        let trials = self.trials.read();
        let known = self.known_variance(slot);
        // Targets are set before they are used, so any finite number does here.
        match self.gp.extend(&self.tape, trials.unit(slot), R::ZERO, known) {
            Ok(()) => {
                self.rows[row] = slot as u64;
                self.note_row();
            }
            // Without a factor, or with a point that spoils it: the next ask builds it anew.
            Err(Error::NoData | Error::NotPositiveDefinite { .. }) => {
                self.gp.unfit();
                self.gp.push(self.trials.read().unit(slot), R::ZERO, known)?;
                self.rows[row] = slot as u64;
                self.note_factor();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes the row of a trial away again.
    pub(super) fn remove_row(&mut self, slot: usize) -> Result<(), Error> {
        let rows = self.gp.rows();
        let Some(row) = self.rows[..rows].iter().position(|&s| s == slot as u64) else {
            return Ok(());
        };
        self.gp.remove(row)?;
        self.rows.copy_within(row + 1..rows, row);
        for mark in [place::TRAINED, place::AFRESH] {
            self.header[mark] = self.header[mark].min(rows as u64 - 1);
        }
        self.note_factor();
        Ok(())
    }

    /// The variance that was told with a value, on the scale of the targets.
    ///
    /// Rooted before it is scaled, and bounded, so that it is finite whatever the spread of the values.
    fn known_variance(&self, slot: usize) -> R {
        let (value, variance) = (self.trials.value[slot], self.trials.variance[slot]);
        let Ok(scale) = self.scale() else { return variance };
        if variance > R::ZERO {
            let deviation = variance.sqrt() * scale.slope(value);
            (deviation * deviation).min(R::MAX.sqrt())
        } else {
            R::ZERO
        }
    }

    /// Whether there is enough data for a model, and how many rows there are.
    pub(super) fn has_model(&self) -> bool {
        let rows = self.gp.rows();
        rows >= 2 && rows > self.gp.columns() && self.trials.read().best().is_some()
    }

    /// Brings the process up to date: targets, and hyperparameters if they are stale.
    ///
    /// # Errors
    /// What training and fitting report; the data are unchanged then.
    pub(super) fn update<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let (config, tape) = (self.config, self.tape);
        let rows = self.gp.rows() as u64;
        let grown = |since: u64, fraction: f64| {
            since == 0 || rows as f64 >= since as f64 * (1.0 + fraction) && rows > since
        };
        let afresh = grown(self.header[place::AFRESH], config.refit.afresh);
        let train = afresh || grown(self.header[place::TRAINED], config.refit.growth);
        if train {
            self.fit_scale(config.transform)?;
            let budget = Budget { evaluations: config.refit.evaluations, ..config.training.budget };
            let again = Training { restarts: 0, budget, ..config.training };
            let restarts = if rows > u64::from(config.refit.plenty) { 0 } else { config.training.restarts };
            let training = if afresh { Training { restarts, ..config.training } } else { again };
            self.gp.train(&tape, backend, &training, generator)?;
            self.header[place::TRAINED] = rows;
            if afresh {
                self.header[place::AFRESH] = rows;
            }
            self.note_factor();
        } else {
            self.set_targets(config.transform)?;
            if self.gp.is_fitted() {
                self.gp.refresh()?;
            } else {
                self.gp.fit(&tape, backend)?;
                self.note_factor();
            }
        }
        Ok(())
    }

    /// As [`Block::update`] without training: for questions that must not move the hyperparameters.
    pub(super) fn refresh<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let (config, tape) = (self.config, self.tape);
        if !self.gp.is_fitted() {
            if self.header[place::TRAINED] == 0 {
                self.fit_scale(config.transform)?;
            }
            self.set_targets(config.transform)?;
            self.gp.fit(&tape, backend)?;
            self.note_factor();
            return Ok(());
        }
        self.set_targets(config.transform)?;
        self.gp.refresh()
    }

    /// Fits the scale of the targets to all values, and rescales known variances to it.
    fn fit_scale(&mut self, transform: Transform) -> Result<(), Error> {
        let rows = self.gp.rows();
        let (values, targets) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], values)?;
        let mut scale = transform.fit(values, targets);
        if Scale::from_scalars(scale.to_scalars()).is_none() {
            // Ratios of the values leave the range.
            scale = Transform::Standard.fit(values, targets);
        }
        bound(targets);
        self.set_scale(&scale);
        if self.trials.variance.iter().any(|&v| v > R::ZERO) {
            for row in 0..rows {
                let slot = self.rows[row] as usize;
                self.gp.known_variances_mut()[row] = self.known_variance(slot);
            }
        }
        Ok(())
    }

    /// Writes the targets of all rows on the scale that was fitted last.
    fn set_targets(&mut self, transform: Transform) -> Result<(), Error> {
        let rows = self.gp.rows();
        let scale = self.scale()?;
        let (values, targets) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], values)?;
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
        let rows = self.gp.rows();
        let (values, _) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], values)?;
        Ok(values)
    }

    /// The target that improvement is measured against.
    pub(super) fn incumbent(&mut self) -> Result<R, Error> {
        let incumbent = self.config.incumbent;
        let rows = self.gp.rows();
        let mut best = R::INFINITY;
        for row in 0..rows {
            let slot = self.rows[row] as usize;
            if self.trials.read().state(slot) != Some(State::Done) {
                continue;
            }
            let value = match incumbent {
                Incumbent::Observed => self.gp.targets()[row],
                Incumbent::Mean => self.gp.mean_at_row(row),
            };
            best = best.min(value);
        }
        if best.is_finite() { Ok(best) } else { Err(Error::NoData) }
    }

    /// Adds the open trials as rows that are believed to give what the model predicts.
    ///
    /// A point that adds nothing but rounding is left out.
    pub(super) fn believe(&mut self) -> Result<(), Error> {
        let tape = self.tape;
        let rows = self.gp.rows();
        let trials = self.trials.read();
        for slot in trials.in_state(Some(State::Open)) {
            let mean = self.gp.mean_of_first(&tape, rows, trials.unit(slot))?;
            match self.gp.extend(&tape, trials.unit(slot), mean, R::ZERO) {
                Ok(()) | Err(Error::NotPositiveDefinite { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if self.gp.rows() > rows { self.gp.refresh() } else { Ok(()) }
    }
}

/// The values of the rows; a failed trial counts as the worst value seen.
///
/// Values at the very ends of the range are moved inwards, so that differences stay finite.
fn raw_values<R: Real>(
    trials: &super::block::TrialsRead<'_, R>,
    rows: &[u64],
    values: &mut [R],
) -> Result<(), Error> {
    let mut worst = -R::INFINITY;
    for slot in trials.in_state(Some(State::Done)) {
        worst = worst.max(trials.value[slot]);
    }
    if !worst.is_finite() {
        return Err(Error::NoData);
    }
    let most = R::MAX / R::of(8.0);
    for (value, &slot) in values.iter_mut().zip(rows) {
        let slot = slot as usize;
        let told = if trials.state(slot) == Some(State::Done) { trials.value[slot] } else { worst };
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
