//! Exact processes as the model of an optimizer: one, or an ensemble of them at several hyperparameters.

use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::config::{CHOICES, Config, Hyper};
use crate::error::Error;
use crate::gp::student::{Student, Tail};
use crate::gp::warp::{Maps, Warp, Warped, Warping};
use crate::gp::{self, Ensemble, Gp, Split, Training, quadrature};
use crate::kernel::{Covariance, Tape};
use crate::limits::{Limit, Limits};
use crate::optimizer::block::{Block, Shape};
use crate::optimizer::memory::{ModelScratch, Persistent};
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;
use crate::surrogate::Surrogate;

/// What models are made of.
pub(crate) struct Models<'m, 'a, R> {
    pub(crate) config: Config<'static>,
    pub(crate) limits: Limits,
    pub(crate) shape: Shape,
    pub(crate) tape: Tape<'a>,
    pub(crate) domain: Domain<'a>,
    pub(crate) gp: &'m mut Gp<'a, R>,
    pub(crate) posteriors: &'m mut Ensemble<'a, R>,
    pub(crate) bench: &'m mut ModelScratch<'a, R>,
}

impl<R: Real> Models<'_, '_, R> {
    /// Asks the process, or the mixture of processes.
    pub(super) fn with_process<B: Backend<R> + ?Sized, T>(
        self,
        tail: Tail<R>,
        backend: &mut B,
        ask: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { config, tape, gp, posteriors, bench, .. } = self;
        let warp = config.surrogate.warp;
        let ModelScratch { mask, warp: memory, rows, points, anchors, .. } = bench;
        let mut room = Room { mask, warp: memory, rows, points, anchors };
        if posteriors.used().next().is_some() {
            return ask(&mut Mixture { backend, tape, warp, gp, posteriors, room, anchored: 0 });
        }
        room.with_process(gp, backend, tape, warp, 0, |model| {
            if tail.freedom.is_finite() { ask(&mut Student { model, tail }) } else { ask(model) }
        })
        .map(|(answer, _)| answer)
    }
}

impl<R: Real> Block<'_, R> {
    /// Runs something with the covariance of the process: its kernel, or that over warped coordinates.
    pub(super) fn with_covariance<T>(
        &mut self,
        run: impl FnOnce(&mut Self, &dyn Covariance<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tape = self.tape;
        if !CHOICES || self.config.surrogate.warp == Warp::None {
            return run(self, &tape);
        }
        // Lent to the covariance, and given back.
        let (memory, mask) = (core::mem::take(&mut self.bench.warp), core::mem::take(&mut self.bench.mask));
        let answer =
            Warped::new(tape, self.config.surrogate.warp, mask, memory).and_then(|warped| run(self, &warped));
        (self.bench.warp, self.bench.mask) = (memory, mask);
        answer
    }

    pub(super) fn train_process<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        training: &Training,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        self.with_covariance(|block, covariance| {
            block.gp.train(covariance, backend, training, generator)?;
            if CHOICES { block.treat(covariance, backend) } else { Ok(()) }
        })
    }

    /// Draws or places the hyperparameters over which acquisitions are averaged, and fits them.
    #[inline(never)]
    fn treat<B: Backend<R> + ?Sized>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
    ) -> Result<(), Error> {
        let Persistent { chain, posteriors, .. } = &mut self.kept;
        match (self.config.surrogate.hyper, chain) {
            (Hyper::Map, _) => return Ok(()),
            (Hyper::Mcmc { sampling, .. }, Some(chain)) => {
                chain.fill(&mut self.gp, posteriors, covariance, backend, &sampling)?;
            }
            (Hyper::Quadrature { .. }, _) => {
                quadrature::fill(&mut self.gp, posteriors, covariance, backend)?;
            }
            (Hyper::Mcmc { .. }, None) => return Err(Limit::Posteriors.refuse(1)),
        }
        posteriors.fit(&mut self.gp, covariance, backend)
    }

    pub(super) fn refit_process<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        self.with_covariance(|block, covariance| {
            if block.gp.is_fitted() {
                block.gp.refresh()?;
            } else {
                block.gp.fit(covariance, backend)?;
                block.note_factor();
            }
            if CHOICES { block.kept.posteriors.fit(&mut block.gp, covariance, backend) } else { Ok(()) }
        })
    }

    pub(super) fn append_to_process(&mut self, slot: usize, known: R) -> Result<(), Error> {
        // Targets are set before they are used, so any finite number does here.
        self.with_covariance(|block, covariance| {
            block.gp.extend(covariance, block.trials.read().unit(slot), R::ZERO, known)?;
            if CHOICES { block.kept.posteriors.extend(&mut block.gp, covariance) } else { Ok(()) }
        })
    }

    pub(super) fn believe_in_process(
        &mut self,
        rows: usize,
        slot: usize,
        value: Option<R>,
    ) -> Result<(), Error> {
        self.with_covariance(|block, covariance| {
            let Block { gp, kept: Persistent { posteriors, .. }, trials, .. } = block;
            let unit = trials.read().unit(slot);
            let value = match value {
                Some(value) => value,
                None => gp.mean_of_first(covariance, rows, unit)?,
            };
            match gp.extend(covariance, unit, value, R::ZERO) {
                Ok(()) if CHOICES => posteriors.extend(gp, covariance),
                Ok(()) | Err(Error::NotPositiveDefinite { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        })
    }

    pub(super) fn process_mean_at_row(&mut self, row: usize) -> Result<R, Error> {
        if !CHOICES {
            return Ok(self.gp.mean_at_row(row));
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

    pub(super) fn predict_by_process(&mut self, tail: Tail<R>) -> Result<Prediction<R>, Error> {
        self.with_covariance(|block, covariance| {
            let prediction = block.gp.predict(covariance, block.unit)?;
            Ok(Prediction { variance: prediction.variance * tail.covariance, ..prediction })
        })
    }
}

/// The memory that views of a process work in.
struct Room<'m, R> {
    mask: &'m [u64],
    warp: &'m mut [R],
    rows: &'m mut [R],
    points: &'m mut [R],
    anchors: &'m mut [R],
}

impl<R: Real> Room<'_, R> {
    /// Asks a fitted process that may be warped, with so many points anchored; with the answer, how many are afterwards.
    fn with_process<B: Backend<R> + ?Sized, T>(
        &mut self,
        gp: &mut Gp<'_, R>,
        backend: &mut B,
        tape: Tape<'_>,
        warp: Warp,
        anchored: usize,
        ask: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<(T, usize), Error> {
        let Split { posterior, work, .. } = gp.split()?;
        let anchors = &mut *self.anchors;
        if warp == Warp::None {
            let mut view = gp::View { backend, tape, posterior, work, anchors, anchored };
            let answer = ask(&mut view)?;
            return Ok((answer, view.anchored));
        }
        let shapes = &posterior.inputs.theta[tape.thetas()..];
        let count = posterior.inputs.x.len();
        let rows = self.rows.get_mut(..count).ok_or(Error::Shape { needed: count })?;
        let posterior = Warped::new(tape, warp, self.mask, self.warp)?.posterior(posterior, rows)?;
        let mut view = gp::View { backend, tape, posterior, work, anchors, anchored };
        let maps = Maps { kind: warp, shapes, numeric: self.mask };
        let answer = ask(&mut Warping { model: &mut view, maps, memory: self.points })?;
        Ok((answer, view.anchored))
    }
}

/// A process at several hyperparameters, each with its share of the anchors.
struct Mixture<'m, 'a, R, B: ?Sized> {
    backend: &'m mut B,
    tape: Tape<'a>,
    warp: Warp,
    gp: &'m mut Gp<'a, R>,
    posteriors: &'m mut Ensemble<'a, R>,
    room: Room<'m, R>,
    /// Points that are anchored in each.
    anchored: usize,
}

impl<R: Real, B: Backend<R> + ?Sized> Surrogate<R> for Mixture<'_, '_, R, B> {
    fn dims(&self) -> usize {
        self.tape.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let both = means.iter_mut().zip(variances);
        for (point, (mean, variance)) in points.chunks_exact(self.dims().max(1)).zip(both) {
            let prediction = self.predict(point)?;
            (*mean, *variance) = (prediction.mean, prediction.variance);
        }
        Ok(())
    }

    /// That of the mixture:
    ///
    /// ```text
    /// m = Σ wₛmₛ,   v = Σ wₛ(vₛ + (mₛ − m)²)
    /// ```
    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        let (mut mean, mut square, mut variance, mut weights) = (R::ZERO, R::ZERO, R::ZERO, R::ZERO);
        for member in 0..self.members() {
            let weight = self.weight(member);
            if weight > R::ZERO {
                self.with_member(member, &mut |model| {
                    let part = model.predict(point)?;
                    mean += weight * part.mean;
                    square += weight * part.mean * part.mean;
                    variance += weight * part.variance;
                    weights += weight;
                    Ok(())
                })?;
            }
        }
        let mean = mean / weights;
        let between = (square / weights - mean * mean).max(R::ZERO);
        Ok(Prediction { mean, variance: variance / weights + between })
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    fn members(&self) -> usize {
        self.posteriors.count()
    }

    fn weight(&self, member: usize) -> R {
        self.posteriors.weight(member)
    }

    fn with_member(
        &mut self,
        member: usize,
        ask: &mut dyn FnMut(&mut dyn Surrogate<R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let share = self.room.anchors.len() / self.posteriors.count().max(1);
        let mut room = Room {
            mask: self.room.mask,
            warp: &mut *self.room.warp,
            rows: &mut *self.room.rows,
            points: &mut *self.room.points,
            anchors: &mut self.room.anchors[member * share..(member + 1) * share],
        };
        let mut gp = self.posteriors.view(self.gp, member)?;
        let ((), anchored) =
            room.with_process(&mut gp, self.backend, self.tape, self.warp, self.anchored, ask)?;
        self.anchored = anchored;
        Ok(())
    }
}
