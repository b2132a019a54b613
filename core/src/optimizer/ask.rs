//! Ask: the queue, the starting design, the model's proposal, or a random point.

use super::block::{Block, next_sequence, place};
use super::transfer::Spot;
use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::baselines::Baseline;
use crate::config::{Incumbent, TRANSFER, WhenFull};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::transfer::{Sources, Start};
use crate::trial::{Ask, Origin, State};

/// Random points that are tried before a finite space is gone through one by one.
const DRAWS: u32 = 256;
/// Steps of going through the configurations of a space.
const ENUMERATED: u32 = 1 << 20;

impl<R: Real> Block<'_, R> {
    /// See [`Optimizer::ask_with`](super::Optimizer::ask_with).
    pub(super) fn ask<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        open_limit: usize,
        sources: Sources<'_, R>,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        let trials = self.trials.read();
        Error::TooManyOpen.when(trials.in_state(Some(State::Open)).count() >= open_limit)?;
        if let Some(slot) = trials.in_state(Some(State::Queued)).min_by_key(|&s| trials.sequence[s]) {
            point.copy_from_slice(trials.point(slot));
            let id = trials.id(slot);
            self.trials.set_state(slot, Some(State::Open));
            self.note_sources(sources);
            return Ok(Ask { id, acquisition: R::NAN, origin: Origin::Queue });
        }
        self.room()?;
        let mut generator = self.generator()?;
        let (origin, acquisition) = self.choose(backend, sources, &mut generator)?;
        let slot = self.free_slot()?;
        let sequence = next_sequence(self.header);
        self.domain.decode(self.unit, point);
        if matches!(origin, Origin::Design | Origin::Source) {
            self.header[place::DESIGNED] += 1;
        }
        self.set_generator(&generator);
        let id = self.trials.write(slot, State::Open, sequence, self.unit, point);
        self.note_sources(sources);
        Ok(Ask { id, acquisition, origin }.in_range())
    }

    /// Takes note of the sources that an ask was given.
    fn note_sources(&mut self, sources: Sources<'_, R>) {
        if TRANSFER {
            self.header[place::SOURCES] = sources.fingerprint();
        }
    }

    /// See [`Optimizer::recommend_from`](super::Optimizer::recommend_from).
    pub(super) fn recommend<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        train: bool,
        sources: Sources<'_, R>,
    ) -> Result<(usize, Prediction<R>), Error> {
        let trials = self.trials.read();
        let best = trials.best().ok_or(Error::NoData)?;
        let fallback = Prediction { mean: trials.value(best), variance: trials.variance(best) };
        if !self.has_model() {
            return Ok((best, fallback));
        }
        if self.is_moved_by(&sources) {
            return match self.look_from(Spot::Told, train, sources, backend) {
                // A model whose numbers left the range is none.
                Err(Error::NotPositiveDefinite { .. } | Error::NoData | Error::NotFinite) => {
                    Ok((best, fallback))
                }
                answer => answer,
            };
        }
        match self.look(backend, train) {
            Ok(()) => {}
            Err(Error::Backend) => return Err(Error::Backend),
            Err(_) => return Ok((best, fallback)),
        }
        let (row, _) = self.lowest_row(Incumbent::Mean)?;
        let slot = self.rows[row] as usize;
        self.unit.copy_from_slice(self.trials.read().unit(slot));
        let prediction = self.predict_unit()?;
        Ok((slot, self.in_user_units(prediction)?))
    }

    /// See [`Optimizer::predict_from`](super::Optimizer::predict_from).
    pub(super) fn predict<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        train: bool,
        sources: Sources<'_, R>,
        point: &[R],
    ) -> Result<Prediction<R>, Error> {
        self.domain.encode(point, self.unit)?;
        Error::Unsupported.when(self.baseline().is_some())?;
        Error::NoData.when(!self.has_model())?;
        if self.is_moved_by(&sources) {
            return self.look_from(Spot::Unit, train, sources, backend).map(|(_, prediction)| prediction);
        }
        self.look(backend, train)?;
        let prediction = self.predict_unit()?;
        self.in_user_units(prediction)
    }

    /// A prediction on the scale of the targets, turned back into values.
    pub(super) fn in_user_units(&mut self, prediction: Prediction<R>) -> Result<Prediction<R>, Error> {
        let scale = self.scale()?;
        // Beside values at the ends of the range a prediction may lie beyond them.
        let mean = scale.inverse(prediction.mean, self.values()?).clamp(-R::MAX, R::MAX);
        let slope = scale.slope(mean);
        // One division after the other: the square of the slope may leave the range.
        let variance = prediction.variance / slope / slope;
        Ok(Prediction { mean, variance: if variance > R::MAX { R::MAX } else { variance } })
    }

    /// Writes the next point to `self.unit`.
    fn choose<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        sources: Sources<'_, R>,
        generator: &mut Generator,
    ) -> Result<(Origin, R), Error> {
        let designed = self.header[place::DESIGNED];
        let told = self.trials.read().in_state(Some(State::Done)).count() as u64;
        // Sources that say nothing are none.
        let helped = TRANSFER && sources.iter().any(|source| source.is_informative());
        let sourced = helped && self.config.transfer().start != Start::Design;
        if sourced && designed.max(told) < u64::from(self.config.transfer().trials) {
            self.start_point(sources, backend, generator)?;
            return Ok((Origin::Source, R::NAN));
        }
        let starting = if sourced { 0 } else { u64::from(self.config.starting_trials(self.domain.dims())) };
        if designed < starting && told < starting {
            self.config.design.kind.point(
                self.config.seed,
                designed as u32,
                starting as u32,
                self.domain,
                self.unit,
            );
            if self.is_taken() {
                self.unused_point(generator)?;
            }
            return Ok((Origin::Design, R::NAN));
        }
        // A space that is used up is reported before any work is done on it. Under conditions the number of its
        // points is not known, so that looking for one is the only way; where there are many, the first will do.
        let mesh = matches!(self.baseline(), Some(Baseline::Grid { .. }));
        if !mesh && !self.config.run.repeats && self.domain.cardinality::<R>().is_some() {
            self.unused_point(&mut generator.clone())?;
        }
        if let Some(free) = self.baseline() {
            return self.free_point(free, generator);
        }
        if self.has_model() {
            let sources = if helped { sources } else { Sources::default() };
            match self.model_point(None, sources, backend, generator) {
                Ok(Some(acquisition)) => return Ok((Origin::Model, acquisition)),
                // A model whose numbers left the range is none.
                Ok(None) | Err(Error::NotPositiveDefinite { .. } | Error::NoData | Error::NotFinite) => {}
                Err(error) => return Err(error),
            }
        } else if helped {
            self.cover_point(sources, backend, generator)?;
            return Ok((Origin::Source, R::NAN));
        }
        self.unused_point(generator)?;
        Ok((Origin::Fallback, R::NAN))
    }

    /// Whether `self.unit` may not be proposed.
    fn is_taken(&self) -> bool {
        self.trials.read().takes(self.domain, self.config.run.repeats, self.unit)
    }

    /// Writes a random point that is not forbidden and was not proposed before to `self.unit`.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if the space has none, or none was found within [`ENUMERATED`] steps; [`Error::Infeasible`] if
    /// not even one that was proposed.
    pub(super) fn unused_point(&mut self, generator: &mut Generator) -> Result<(), Error> {
        for _ in 0..DRAWS {
            self.domain.scatter(generator, self.unit);
            if !self.is_taken() {
                return Ok(());
            }
        }
        let sampled = self.domain.sample(generator, self.unit).is_ok();
        if sampled && !self.is_taken() {
            return Ok(());
        }
        // From there to the last configuration, then all from the first on.
        let (mut steps, mut met) = (ENUMERATED, sampled);
        for whole in [false, true].into_iter().skip(usize::from(!sampled)) {
            let mut first = whole;
            while self.domain.successor(generator, first, &mut steps, self.unit) {
                (first, met) = (false, true);
                if !self.is_taken() {
                    return Ok(());
                }
            }
        }
        Err(if met { Error::Exhausted } else { Error::Infeasible })
    }

    /// Whether there is a free slot, or may be one.
    fn room(&self) -> Result<(), Error> {
        let trials = self.trials.read();
        let free = trials.in_state(None).next().is_some();
        let droppable = self.config.run.when_full == WhenFull::DropWorst && self.worst().is_some();
        if free || droppable { Ok(()) } else { Err(Error::Full) }
    }

    /// A slot for a new trial; the worst closed one makes room if the configuration says so.
    pub(super) fn free_slot(&mut self) -> Result<usize, Error> {
        if let Some(slot) = self.trials.read().in_state(None).next() {
            return Ok(slot);
        }
        self.room()?;
        let slot = self.worst().ok_or(Error::Full)?;
        self.remove_row(slot)?;
        self.trials.set_state(slot, None);
        Ok(slot)
    }

    /// The closed trial that is missed least: a failed one, then the one of highest value; never the best.
    fn worst(&self) -> Option<usize> {
        let trials = self.trials.read();
        if let Some(slot) = trials.in_state(Some(State::Failed)).next() {
            return Some(slot);
        }
        let best = trials.best()?;
        let worse = |a: usize, b: usize| if trials.value(b) > trials.value(a) { b } else { a };
        trials.in_state(Some(State::Done)).filter(|&s| s != best).reduce(worse)
    }
}
