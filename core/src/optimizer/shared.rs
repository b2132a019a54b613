//! What the branches of a CASH strategy share: proposals without a trial, and targets on a common scale.

use super::Optimizer;
use super::block::{Block, next_sequence, place};
use super::functions::prepare;
use super::memory::ScoreScratch;
use super::representers::{fill_state, slopes};
use crate::acquisition::Acquisition;
use crate::backend::Backend;
use crate::config::Incumbent;
use crate::error::Error;
use crate::gp::{Pointwise, Split};
use crate::pending::ScoreKind;
use crate::policy::Question;
use crate::real::Real;
use crate::search::Spaced;
use crate::space::Domain;
use crate::surrogate::{AcquisitionFunction, Average, ClosedForm};
use crate::targets::Scale;
use crate::transfer::Sources;
use crate::trial::{State, TrialId};

/// What a proposal is measured by where several optimizers are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Criterion<R> {
    pub(super) rule: Acquisition<R>,
    /// The value to improve on, on the scale of the targets; its own if there is none.
    pub(super) best: Option<R>,
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// Puts the targets on a scale that was fitted to the values of several optimizers, with the worst of those values
    /// for trials that failed.
    ///
    /// A scale that differs from the last makes the hyperparameters stale: the next proposal trains them from where
    /// they are.
    pub(super) fn share(&mut self, scale: &Scale<R>, worst: R) -> Result<(), Error> {
        let mut block = self.block()?;
        if block.scale()? != *scale || block.given_worst().is_none() {
            block.set_scale(scale);
            block.header[place::TRAINED] = 0;
            if block.header[place::TRAINER] == 1 {
                // A look trained on another scale: the first ask trains as if it had not.
                block.header[place::AFRESH] = 0;
            }
            if block.rescale_variances() {
                block.gp.unfit();
                block.kept.posteriors.unfit();
                block.note_factor();
            }
        }
        let worst = worst.to_f64();
        block.header[place::WORST] = if worst == 0.0 { -0.0f64 } else { worst }.to_bits();
        self.write_checksum();
        Ok(())
    }

    /// Whether the next ask proposes a point of the starting design.
    pub(super) fn is_starting(&mut self) -> Result<bool, Error> {
        let block = self.block()?;
        let starting = u64::from(block.config.starting_trials(block.domain.dims()));
        let told = block.trials.read().in_state(Some(State::Done)).count() as u64;
        Ok(block.header[place::DESIGNED] < starting && told < starting)
    }

    /// Whether asks have proposed points of the starting design.
    pub(super) fn spreads(&mut self) -> Result<bool, Error> {
        Ok(self.block()?.header[place::DESIGNED] > 0)
    }

    /// Whether there is enough data for a model.
    pub(super) fn has_model(&mut self) -> Result<bool, Error> {
        Ok(self.block()?.has_model())
    }

    /// Whether a confidence bound decides the next ask instead of the acquisition.
    pub(super) fn interleaves(&mut self) -> Result<bool, Error> {
        Ok(self.block()?.interleaves())
    }

    /// Writes the point of the unit cube that is worth most, and returns what it is worth, without opening a trial;
    /// `None` if every candidate was taken.
    ///
    /// # Errors
    /// [`Error::Exhausted`] for a finite space that is used up, and what training, fitting and scoring report.
    pub(super) fn propose<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let found = self.block().and_then(|mut block| block.propose(backend, criterion, unit));
        self.write_checksum();
        found
    }

    /// Brings the model up to date, with open trials as its configuration says, for [`Optimizer::appraise`].
    ///
    /// # Errors
    /// What training and fitting report; [`Optimizer::release`] is due in any case.
    pub(super) fn prepare<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let mut block = self.block()?;
        block.update_by_itself(backend)?;
        block.believe(backend)
    }

    /// What points of the unit cube are worth, snapped, NaN for those that may not be proposed; between [`Optimizer::prepare`] and
    /// [`Optimizer::release`].
    ///
    /// # Errors
    /// What scoring reports.
    pub(super) fn appraise<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        units: &mut [R],
        out: &mut [R],
    ) -> Result<(), Error> {
        let (dims, together) = (self.shape.dims, self.limits.candidates as usize);
        let mut block = self.block()?;
        for unit in units.chunks_exact_mut(dims) {
            block.domain.snap(unit);
        }
        for (units, out) in units.chunks(together * dims).zip(out.chunks_mut(together)) {
            block.appraise(backend, criterion, units, out)?;
        }
        for (unit, out) in units.chunks_exact(dims).zip(out) {
            let taken = block.trials.read().takes(block.domain, block.config.run.repeats, unit);
            *out = if taken { R::NAN } else { *out };
        }
        Ok(())
    }

    /// Whether a finite space has a point that was not proposed.
    ///
    /// # Errors
    /// [`Error::Exhausted`].
    pub(super) fn vacant(&mut self) -> Result<(), Error> {
        let answer = self.block().and_then(|mut block| block.vacant());
        self.write_checksum();
        answer
    }

    /// Takes back what [`Optimizer::prepare`] believed.
    pub(super) fn release(&mut self) -> Result<(), Error> {
        let rows = self.len();
        self.block()?.disbelieve(rows);
        self.write_checksum();
        Ok(())
    }

    /// The value that improvement is measured against, on the scale of the targets, by a model that is up to date.
    ///
    /// # Errors
    /// As [`Optimizer::propose`].
    pub(super) fn lowest<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<R, Error> {
        let lowest = self.block().and_then(|mut block| {
            block.update_by_itself(backend)?;
            let incumbent = block.config.proposal.incumbent;
            Ok(block.lowest_row(incumbent)?.1)
        });
        self.write_checksum();
        lowest
    }

    /// Opens a trial at a point of the unit cube, and writes the point in user units.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`].
    pub(super) fn open(&mut self, unit: &[R], point: &mut [R]) -> Result<TrialId, Error> {
        self.check_point(unit)?;
        self.check_point(point)?;
        let opened = self.block().and_then(|mut block| {
            let slot = block.free_slot()?;
            let sequence = next_sequence(block.header);
            block.unit.copy_from_slice(unit);
            block.domain.snap(block.unit);
            block.domain.decode(block.unit, point);
            Ok(block.trials.write(slot, State::Open, sequence, block.unit, point))
        });
        self.write_checksum();
        opened
    }

    /// Opens a trial at a point in user units.
    ///
    /// # Errors
    /// As [`Optimizer::enqueue`].
    pub(super) fn open_at(&mut self, point: &[R]) -> Result<TrialId, Error> {
        self.add(point, State::Open)
    }

    /// Runs something with its space.
    pub(super) fn with_domain<T>(&mut self, run: impl FnOnce(Domain<'_>) -> T) -> Result<T, Error> {
        Ok(run(self.block()?.domain))
    }
}

impl<R: Real> Block<'_, R> {
    /// The value of a failed trial, if the scale of the targets is one that several optimizers share.
    pub(super) fn given_worst(&self) -> Option<R> {
        let word = self.header[place::WORST];
        (word != 0).then(|| R::of(f64::from_bits(word)))
    }

    /// Brings the model up to date with the generator of the block, and takes note of both.
    fn update_by_itself<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let mut generator = self.generator()?;
        let updated = self.update(backend, &mut generator);
        self.set_generator(&generator);
        self.note_factor();
        updated
    }

    /// As an ask finds out before any work is done.
    fn vacant(&mut self) -> Result<(), Error> {
        if !self.config.run.repeats && self.domain.cardinality::<R>().is_some() {
            let mut generator = self.generator()?;
            self.unused_point(&mut generator)?;
        }
        Ok(())
    }

    fn propose<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        self.vacant()?;
        let mut generator = self.generator()?;
        let found = self.model_point(Some(criterion), Sources::default(), backend, &mut generator);
        self.set_generator(&generator);
        if let Ok(Some(_)) = found {
            unit.copy_from_slice(self.unit);
        }
        found
    }

    fn appraise<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        units: &[R],
        out: &mut [R],
    ) -> Result<(), Error> {
        let best = match criterion.best {
            Some(best) => best,
            // Believed rows are no values; told ones have a target in any case.
            None => self.lowest_row(Incumbent::Observed)?.1,
        };
        if self.is_simple() {
            let Split { posterior, work, .. } = self.gp.split()?;
            let mut model = Pointwise { backend, tape: self.tape, posterior, work };
            return ClosedForm { rule: criterion.rule, best }.scores(&mut model, units, out);
        }
        let question = self.question(criterion.rule, self.pending(), best);
        self.score_modelled(question, backend, units, out)
    }

    /// Scores of points by models that are no closed form of one exact process.
    #[inline(never)]
    fn score_modelled<B: Backend<R> + ?Sized>(
        &mut self,
        question: Question<'_, R>,
        backend: &mut B,
        units: &[R],
        out: &mut [R],
    ) -> Result<(), Error> {
        let (tail, generator) = (self.tail()?, &mut self.generator()?);
        let spaced = !self.config.surrogate.model.is_smooth();
        let dims = self.shape.dims;
        let (models, trials, search, _, desk, ..) = self.split();
        let ScoreScratch { spots, plans, slope } = desk;
        let open = fill_state(&trials, &[State::Open], spots, dims);
        let spots = &spots[..open * dims];
        models.with(tail, backend, |model| {
            let candidates = slopes(question.batch, question.seed, search, dims);
            let question = Question { candidates, ..question };
            let mut functions = prepare(question, model, spots, plans, generator)?;
            let kind = ScoreKind::of(&question.rule);
            let mut average = Average { functions: &mut functions, log: kind == ScoreKind::Log, slope };
            let Some(&best) = trials.lowest().first().filter(|_| spaced) else {
                return average.scores(model, units, out);
            };
            let mut spaced = Spaced {
                function: &mut average,
                points: trials.units(),
                counts: &|slot: usize| trials.state(slot).is_some(),
                best: trials.unit(best),
                positive: kind == ScoreKind::Positive,
            };
            spaced.scores(model, units, out)
        })
    }
}
