//! What an optimizer lends to a selection among several: proposals without a trial, and targets on a common scale.

use super::Optimizer;
use super::block::{Block, place};
use super::propose::Measure;
use crate::backend::Backend;
use crate::error::Error;
use crate::gp::transform::Scale;
use crate::real::Real;
use crate::space::Domain;
use crate::trial::{State, TrialId};

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// Puts the targets on a scale that was fitted to the values of several optimizers, with the worst of those values
    /// for trials that failed.
    ///
    /// A scale that differs from the last makes the hyperparameters stale: the next proposal trains them from where
    /// they are.
    pub(crate) fn share(&mut self, scale: &Scale<R>, worst: R) -> Result<(), Error> {
        let mut block = self.block()?;
        if block.scale()? != *scale || block.given_worst().is_none() {
            block.set_scale(scale);
            block.header[place::TRAINED] = 0;
            if block.rescale_variances() {
                block.gp.unfit();
                block.kept.posteriors.unfit();
                block.note_factor();
            }
        }
        let worst = worst.to_f64();
        block.header[place::WORST] = if worst == 0.0 { -0.0f64 } else { worst }.to_bits();
        self.seal();
        Ok(())
    }

    /// Whether the next ask proposes a point of the starting design.
    pub(crate) fn is_starting(&mut self) -> Result<bool, Error> {
        let block = self.block()?;
        let starting = u64::from(block.config.starting_trials(block.domain.dims()));
        let told = block.trials.read().in_state(Some(State::Done)).count() as u64;
        Ok(block.header[place::DESIGNED] < starting && told < starting)
    }

    /// Whether there is enough data for a model.
    pub(crate) fn has_model(&mut self) -> Result<bool, Error> {
        Ok(self.block()?.has_model())
    }

    /// Whether a confidence bound decides the next ask instead of the acquisition.
    pub(crate) fn interleaves(&mut self) -> Result<bool, Error> {
        Ok(self.block()?.interleaves())
    }

    /// Writes the point of the unit cube that is worth most, and returns what it is worth, without opening a trial;
    /// `None` if every candidate was taken.
    ///
    /// # Errors
    /// [`Error::Exhausted`] for a finite space that is used up, and what training, fitting and scoring report.
    pub(crate) fn propose<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        measure: Measure<R>,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let found = self.block().and_then(|mut block| block.propose(backend, measure, unit));
        self.seal();
        found
    }

    /// The value that improvement is measured against, on the scale of the targets, by a model that is up to date.
    ///
    /// # Errors
    /// As [`Optimizer::propose`].
    pub(crate) fn lowest<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<R, Error> {
        let lowest = self.block().and_then(|mut block| {
            let mut generator = block.generator()?;
            let updated = block.update(backend, &mut generator);
            block.note_factor();
            block.set_generator(&generator);
            updated?;
            let incumbent = block.config.incumbent;
            Ok(block.lowest_row(incumbent)?.1)
        });
        self.seal();
        lowest
    }

    /// Opens a trial at a point of the unit cube, and writes the point in user units.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`].
    pub(crate) fn open(&mut self, unit: &[R], point: &mut [R]) -> Result<TrialId, Error> {
        self.check_point(unit)?;
        self.check_point(point)?;
        let opened = self.block().and_then(|mut block| {
            let slot = block.free_slot()?;
            let sequence = block.next_sequence();
            block.unit.copy_from_slice(unit);
            block.domain.snap(block.unit);
            block.domain.decode(block.unit, point);
            Ok(block.trials.write(slot, State::Open, sequence, block.unit, point))
        });
        self.seal();
        opened
    }

    /// Opens a trial at a point in user units.
    ///
    /// # Errors
    /// As [`Optimizer::enqueue`].
    pub(crate) fn open_at(&mut self, point: &[R]) -> Result<TrialId, Error> {
        self.add(point, State::Open)
    }

    /// Runs something with its space.
    pub(crate) fn with_domain<T>(&mut self, run: impl FnOnce(Domain<'_>) -> T) -> Result<T, Error> {
        Ok(run(self.block()?.domain))
    }
}

impl<R: Real> Block<'_, R> {
    /// The value of a failed trial, if the scale of the targets is one that several optimizers share.
    pub(super) fn given_worst(&self) -> Option<R> {
        let word = self.header[place::WORST];
        (word != 0).then(|| R::of(f64::from_bits(word)))
    }

    fn propose<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        measure: Measure<R>,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let mut generator = self.generator()?;
        if !self.config.repeats && self.domain.cardinality().is_some() {
            self.unused_point(&mut generator.clone())?;
        }
        let found = self.point_by(Some(measure), backend, &mut generator);
        self.set_generator(&generator);
        if let Ok(Some(_)) = found {
            unit.copy_from_slice(self.unit);
        }
        found
    }
}
