//! What a trial is worth by one or several fitted models, for a search.

use super::room::Bench;
use crate::acquisition::Acquisition;
use crate::backend::Backend;
use crate::batch::{self, Noisy, Plan};
use crate::error::Error;
use crate::gp::warp::{Warp, Warped, Warping};
use crate::gp::{self, Gp, Posteriors, Split};
use crate::kernel::Tape;
use crate::policy::{EntropySearch, Knowledge, MaxValue, PredictiveEntropy, Spectral, Thompson};
use crate::real::Real;
use crate::search::Worth;
use crate::surrogate::Surrogate;

/// The most fits that are asked together.
pub(super) const MOST: usize = crate::config::Treatment::MOST as usize;
/// Scores that are averaged at a time.
const AT_A_TIME: usize = 64;

/// One fitted model, or a process at several hyperparameters.
pub(super) enum Models<'m, 'a, R, B: ?Sized> {
    One(&'m mut dyn Surrogate<R>),
    Several(Several<'m, 'a, R, B>),
}

/// A process at several hyperparameters, each with its share of the anchors.
pub(super) struct Several<'m, 'a, R, B: ?Sized> {
    pub(super) backend: &'m mut B,
    pub(super) tape: Tape<'a>,
    pub(super) warp: Warp,
    pub(super) gp: &'m mut Gp<'a, R>,
    pub(super) posteriors: &'m mut Posteriors<'a, R>,
    pub(super) room: Room<'m, R>,
    /// Points that are anchored in each.
    pub(super) anchored: usize,
}

/// The memory that views of a process work in.
pub(super) struct Room<'m, R> {
    pub(super) mask: &'m [u64],
    pub(super) warp: &'m mut [R],
    pub(super) rows: &'m mut [R],
    pub(super) points: &'m mut [R],
    pub(super) anchors: &'m mut [R],
}

impl<'m, R> Room<'m, R> {
    /// That of the bench.
    pub(super) fn of(bench: &'m mut Bench<'_, R>) -> Self {
        let Bench { mask, warp, rows, points, anchors, .. } = bench;
        Self { mask, warp, rows, points, anchors }
    }
}

/// Asks a fitted process that may be warped.
pub(super) fn with_view<R: Real, B: Backend<R> + ?Sized, T>(
    gp: &mut Gp<'_, R>,
    backend: &mut B,
    tape: Tape<'_>,
    warp: Warp,
    room: Room<'_, R>,
    anchored: &mut usize,
    run: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
) -> Result<T, Error> {
    let Split { posterior, work, .. } = gp.split()?;
    let Room { mask, warp: memory, rows, points, anchors } = room;
    if warp == Warp::None {
        let mut view = gp::View { backend, tape, posterior, work, anchors, anchored: *anchored };
        let answer = run(&mut view);
        *anchored = view.anchored;
        return answer;
    }
    let shapes = &posterior.inputs.theta[tape.thetas()..];
    let count = posterior.inputs.x.len();
    let rows = rows.get_mut(..count).ok_or(Error::Shape { needed: count })?;
    let posterior = Warped::new(tape, warp, mask, memory)?.posterior(posterior, rows)?;
    let mut view = gp::View { backend, tape, posterior, work, anchors, anchored: *anchored };
    let answer = run(&mut Warping { model: &mut view, kind: warp, shapes, numeric: mask, memory: points });
    *anchored = view.anchored;
    answer
}

impl<R: Real, B: Backend<R> + ?Sized> Models<'_, '_, R, B> {
    /// Asks one of them.
    pub(super) fn with<T>(
        &mut self,
        member: usize,
        run: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::One(model) => run(*model),
            Self::Several(all) => {
                let share = all.room.anchors.len() / all.posteriors.count().max(1);
                let room = Room {
                    mask: all.room.mask,
                    warp: &mut *all.room.warp,
                    rows: &mut *all.room.rows,
                    points: &mut *all.room.points,
                    anchors: &mut all.room.anchors[member * share..(member + 1) * share],
                };
                let mut gp = all.posteriors.view(all.gp, member)?;
                with_view(&mut gp, all.backend, all.tape, all.warp, room, &mut all.anchored, run)
            }
        }
    }

    /// The members that have a weight, by their number.
    pub(super) fn used(&self, member: usize) -> Option<R> {
        match self {
            Self::One(_) => (member == 0).then_some(R::ONE),
            Self::Several(all) => {
                let weight = all.posteriors.weight(member);
                (weight > R::ZERO).then_some(weight)
            }
        }
    }

    /// How many there may be.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Several(all) => all.posteriors.count(),
        }
    }
}

/// What one model is asked for, prepared for it.
#[derive(Debug)]
pub(super) enum Scorer<'m, R> {
    /// A closed form, also beside open trials.
    Plan(Plan<'m, R>),
    Entropy(EntropySearch<'m, R>),
    Predictive(PredictiveEntropy<'m, R>),
    MaxValue(MaxValue<'m, R>),
    Knowledge(Knowledge<'m, R>),
    Thompson(Thompson<'m, R>),
    Noisy(Noisy<'m, R>),
}

impl<R: Real> Scorer<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let dims = model.dims();
        if self.smooth() {
            let mut scratch = [R::ZERO; AT_A_TIME];
            for (points, out) in points.chunks(AT_A_TIME * dims).zip(out.chunks_mut(AT_A_TIME)) {
                match self {
                    Self::Plan(plan) => plan.scores(model, points, out, &mut scratch)?,
                    Self::MaxValue(policy) => policy.scores(model, points, out, &mut scratch)?,
                    Self::Noisy(policy) => policy.scores(model, points, out, &mut scratch)?,
                    _ => return Err(Error::Unsupported),
                }
            }
            return Ok(());
        }
        for (point, out) in points.chunks_exact(dims).zip(out) {
            *out = match self {
                Self::Entropy(policy) => policy.score(model, point)?,
                Self::Predictive(policy) => policy.score(model, point)?,
                Self::Knowledge(policy) => policy.score(model, point)?,
                Self::Thompson(policy) => policy.score(model, point)?,
                Self::Plan(_) | Self::MaxValue(_) | Self::Noisy(_) => return Err(Error::Unsupported),
            };
        }
        Ok(())
    }

    /// Whether it predicts many points together, and has derivatives where the model has.
    fn smooth(&self) -> bool {
        matches!(self, Self::Plan(_) | Self::MaxValue(_) | Self::Noisy(_))
    }

    fn gradient(
        &mut self,
        model: &mut dyn Surrogate<R>,
        point: &[R],
        gradient: &mut [R],
        scratch: &mut [R],
    ) -> Result<R, Error> {
        match self {
            Self::Plan(plan) => plan.gradient(model, point, gradient, scratch),
            Self::MaxValue(policy) => policy.gradient(model, point, gradient, scratch),
            Self::Noisy(policy) => policy.gradient(model, point, gradient, scratch),
            _ => Err(Error::Unsupported),
        }
    }
}

/// The mean over models of what each is asked for.
///
/// ```text
/// a(x) = Σₛ wₛ aₛ(x),   for logarithms  a(x) = ln Σₛ wₛ exp aₛ(x)
/// ```
///
/// The mean of acquisitions, never the acquisition of a mean.
pub(super) struct Appraisal<'w, 's, 'm, 'a, R, B: ?Sized> {
    pub(super) models: &'w mut Models<'m, 'a, R, B>,
    /// One for each member, used or not; `None` where it is not.
    pub(super) scorers: &'w mut [Option<Scorer<'s, R>>],
    /// Whether scores are logarithms.
    pub(super) log: bool,
    /// A gradient, for several models.
    pub(super) slope: &'w mut [R],
}

impl<R, B: ?Sized> Appraisal<'_, '_, '_, '_, R, B> {
    /// Whether one of several is asked, with a function drawn from it: then its weight has done its work.
    fn alone(&self) -> bool {
        self.scorers.iter().flatten().count() == 1
    }
}

impl<R: Real, B: Backend<R> + ?Sized> Worth<R> for Appraisal<'_, '_, '_, '_, R, B> {
    fn scores(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        let alone = self.alone();
        let (models, log) = (&mut *self.models, self.log);
        let dims = points.len() / out.len();
        if let Models::One(model) = models {
            let scorer = self.scorers.first_mut().and_then(Option::as_mut).ok_or(Error::NoData)?;
            return scorer.scores(*model, points, out);
        }
        for (points, out) in points.chunks(AT_A_TIME * dims).zip(out.chunks_mut(AT_A_TIME)) {
            let mut each = [R::ZERO; AT_A_TIME];
            out.fill(if log { -R::INFINITY } else { R::ZERO });
            for (member, scorer) in self.scorers.iter_mut().enumerate() {
                let (Some(scorer), Some(weight)) = (scorer, models.used(member)) else { continue };
                let weight = if alone { R::ONE } else { weight };
                let each = &mut each[..out.len()];
                models.with(member, |model| scorer.scores(model, points, each))?;
                for (out, &score) in out.iter_mut().zip(&*each) {
                    *out = if log { add_logs(*out, score + weight.ln()) } else { *out + weight * score };
                }
            }
        }
        Ok(())
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.scorers.iter().flatten().all(Scorer::smooth)
            && match &*self.models {
                Models::One(model) => model.smooth(parameter),
                Models::Several(all) => all.tape.differentiable(parameter),
            }
    }

    fn gradient(&mut self, point: &[R], gradient: &mut [R], scratch: &mut [R]) -> Result<R, Error> {
        let alone = self.alone();
        let (models, log) = (&mut *self.models, self.log);
        if let Models::One(model) = models {
            let scorer = self.scorers.first_mut().and_then(Option::as_mut).ok_or(Error::NoData)?;
            return scorer.gradient(*model, point, gradient, scratch);
        }
        let mut sum = if log { -R::INFINITY } else { R::ZERO };
        gradient.fill(R::ZERO);
        let slope = &mut self.slope[..point.len()];
        for (member, scorer) in self.scorers.iter_mut().enumerate() {
            let (Some(scorer), Some(weight)) = (scorer, models.used(member)) else { continue };
            let weight = if alone { R::ONE } else { weight };
            let score = models.with(member, |model| scorer.gradient(model, point, slope, scratch))?;
            let (before, now) = if log {
                let (old, score) = (sum, score + weight.ln());
                sum = add_logs(old, score);
                // Their shares of the sum; both 0 where nothing is worth anything.
                let share = |part: R| if sum > -R::MAX { (part - sum).exp() } else { R::ZERO };
                (share(old), share(score))
            } else {
                sum += weight * score;
                (R::ONE, weight)
            };
            for (g, &s) in gradient.iter_mut().zip(&*slope) {
                *g = before * *g + now * s;
            }
        }
        Ok(sum)
    }
}

/// ln(eᵃ + eᵇ)
fn add_logs<R: Real>(a: R, b: R) -> R {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // Infinities, and what is so far below that it adds nothing.
    if low == -R::INFINITY || high == R::INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// A drawn function, whose lowest value is looked for.
pub(super) struct Path<'m, R> {
    pub(super) path: Spectral<'m, R>,
    pub(super) tape: Tape<'m>,
}

impl<R: Real> Worth<R> for Path<'_, R> {
    fn scores(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let dims = points.len() / out.len().max(1);
        for (point, out) in points.chunks_exact(dims.max(1)).zip(out) {
            *out = self.path.score(point);
        }
        Ok(())
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    fn gradient(&mut self, point: &[R], gradient: &mut [R], _scratch: &mut [R]) -> Result<R, Error> {
        self.path.gradient(point, gradient)
    }
}

/// Whether the scores of a rule are logarithms.
pub(super) fn is_log<R>(rule: &Acquisition<R>) -> bool {
    batch::Kind::of(rule) == batch::Kind::Log
}
