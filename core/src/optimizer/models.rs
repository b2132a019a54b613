//! The fitted model of an optimizer as a surrogate: one model, or an ensemble of processes at several hyperparameters.

use super::block::Shape;
use super::memory::ModelScratch;
use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::config::Config;
use crate::error::Error;
use crate::gp::student::{Student, Tail};
use crate::gp::warp::{Warp, Warped, Warping};
use crate::gp::{self, Ensemble, Gp, Split};
use crate::kernel::Tape;
use crate::limits::Limits;
use crate::real::Real;
use crate::space::Domain;
use crate::surrogate::Surrogate;

/// What models are made of.
pub(super) struct Models<'m, 'a, R> {
    pub(super) config: Config<'static>,
    pub(super) limits: Limits,
    pub(super) shape: Shape,
    pub(super) tape: Tape<'a>,
    pub(super) domain: Domain<'a>,
    pub(super) gp: &'m mut Gp<'a, R>,
    pub(super) posteriors: &'m mut Ensemble<'a, R>,
    pub(super) bench: &'m mut ModelScratch<'a, R>,
}

impl<'a, R: Real> Models<'_, 'a, R> {
    /// Asks the model that was fitted last.
    pub(super) fn with<B: Backend<R> + ?Sized, T>(
        self,
        tail: Tail<R>,
        backend: &mut B,
        ask: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.config.model.is_exact() {
            return self.with_approximate(ask);
        }
        let Self { config: Config { warp, .. }, tape, gp, posteriors, bench, .. } = self;
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

/// The memory that views of a process work in.
pub(super) struct Room<'m, R> {
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
        let numeric = self.mask;
        let answer =
            ask(&mut Warping { model: &mut view, kind: warp, shapes, numeric, memory: self.points })?;
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
