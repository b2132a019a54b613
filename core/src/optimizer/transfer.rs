//! Transfer: what sources a call can work with, what they take, and how they start a run.

mod help;
mod look;
mod propose;

use core::cell::RefCell;

use super::Optimizer;
use super::block::{Block, TrialsRead, place};
use super::model::Models;
use crate::acquisition::Prediction;
use crate::backend::{Backend, Shared};
use crate::config::TRANSFER;
use crate::error::Error;
use crate::limits::{Limit, Limits};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::search::{self, Goal, Task};
use crate::space::Kind;
use crate::surrogate::{AcquisitionFunction, Surrogate};
use crate::transfer::{
    Count, Form, Held, How, Knowledge, Mixture, Past, Pooled, Room, Seen, Size, Source, Sources, Start,
    Transfer, Weights, learn, learnt_scalars, prior_scalars, sampled_scalars,
};
use crate::trial::State;
pub(super) use look::Spot;
use propose::SAMPLE;

/// Draws of a source whose best point is new, before another way is taken.
const DRAWS: usize = 64;

impl<R: Real, M: AsRef<[u64]>> Optimizer<R, M> {
    /// The fingerprint of the sources that the last ask was given; 0 for none. A look takes no note of those that it is given.
    #[must_use]
    pub fn sources(&self) -> u64 {
        self.mem.as_ref()[place::SOURCES]
    }

    /// Refuses sources that a call cannot work with, before anything is changed.
    pub(super) fn check_sources(&self, sources: &Sources<'_, R>) -> Result<(), Error> {
        if sources.is_empty() {
            return Ok(());
        }
        Error::Unsupported.when(!TRANSFER || self.shape.is_branched())?;
        let [own, _] = super::save::fingerprints(self.mem.as_ref());
        // A block that was made by hand may have the fingerprint of the space and another number of parameters.
        Error::Foreign.when(sources.space() != (own, self.shape.dims))?;
        Limit::Sources.at_least(self.limits.sources as usize, sources.len())?;
        let most = |of: fn(Size) -> usize| sources.iter().map(|source| of(source.size())).max().unwrap_or(0);
        Limit::Thetas.at_least(self.limits.thetas as usize, most(|size| size.thetas))?;
        let transfer = self.config()?.transfer();
        if transfer.needs_rows() {
            Limit::SourceRows.at_least(self.limits.source_rows as usize, most(|size| size.rows))?;
        }
        let means = sources.iter().any(|source| source.size().form == Form::Means);
        Error::Unsupported.when(transfer.needs_variances() && means)?;
        if transfer.needs_features() {
            sources.check_features()?;
        }
        Ok(())
    }
}

impl Transfer {
    /// Scalars that the use of sources takes within some limits.
    pub(crate) const fn scalars(&self, limits: &Limits) -> usize {
        if !TRANSFER || limits.sources == 0 {
            return 0;
        }
        let (share, dims, trials) = (share(limits), limits.dims as usize, self.trials as usize);
        let learnt = match self.start {
            Start::Design | Start::Random | Start::Nearest | Start::Cover => 0,
            Start::Learnt | Start::Adaptive => trials * dims + learnt_scalars(trials, dims),
        };
        let pruned = if self.keep < 1.0 { share + SAMPLE } else { 0 };
        let extra = if learnt > pruned { learnt } else { pruned };
        share.saturating_add(extra).saturating_add(own(self.how, limits))
    }
}

/// Points at a time: candidates, or all trials.
const fn points(limits: &Limits) -> usize {
    if limits.candidates > limits.trials { limits.candidates as usize } else { limits.trials as usize }
}

/// Scalars of what is known from sources.
const fn share(limits: &Limits) -> usize {
    let (dims, thetas) = (limits.dims as usize, limits.thetas as usize);
    Knowledge::<f64>::scalars(
        limits.sources as usize,
        points(limits),
        dims,
        thetas,
        limits.source_rows as usize,
    )
}

/// Scalars of a prior, of draws, or of what takes the place of the model.
const fn own(how: How, limits: &Limits) -> usize {
    let Room { sources, rows, trials, dims, thetas } = room(limits);
    match how {
        How::Prior => prior_scalars(sources, trials, limits.candidates as usize, dims, thetas),
        How::Neighbours { .. } | How::Ranker | How::Perceptron => Pooled::<f64>::scalars(how, &room(limits)),
        How::Stage(Weights::Sampled { draws }) | How::Value(Weights::Sampled { draws }) => {
            let weigh = sampled_scalars(sources, rows, trials, draws as usize, dims, thetas);
            weigh.saturating_add(held_scalars(limits))
        }
        How::Alone | How::Stage(_) | How::Value(_) | How::Function { .. } => 0,
    }
}

/// Scalars of what was told and what the model says of it unseen, with one for each row to work in.
const fn held_scalars(limits: &Limits) -> usize {
    Held::<f64>::scalars(limits.trials as usize, limits.dims as usize).saturating_add(limits.trials as usize)
}

/// How much there is at the most.
const fn room(limits: &Limits) -> Room {
    Room {
        sources: limits.sources as usize,
        rows: limits.source_rows as usize,
        trials: limits.trials as usize,
        dims: limits.dims as usize,
        thetas: limits.thetas as usize,
    }
}

/// What has become of the trial in a slot.
fn seen<R: Real>(trials: &TrialsRead<'_, R>, slot: usize) -> Seen<R> {
    match trials.state(slot) {
        None | Some(State::Queued) => Seen::Nothing,
        Some(State::Open | State::Failed) => Seen::Asked,
        Some(State::Done) => Seen::Told(trials.value(slot)),
    }
}

/// The points of all slots up to the last that is used.
fn used<'t, R: Real>(trials: &TrialsRead<'t, R>, dims: usize) -> &'t [R] {
    let last = (0..trials.slots.len()).rev().find(|&slot| trials.state(slot).is_some());
    &trials.units()[..last.map_or(0, |slot| slot + 1) * dims]
}

impl<R: Real> Block<'_, R> {
    /// Writes the next point of the start to `self.unit`.
    ///
    /// # Errors
    /// As [`Block::unused_point`], and what reading the sources reports.
    pub(super) fn start_point<B: Backend<R> + ?Sized>(
        &mut self,
        sources: Sources<'_, R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let found = match self.config.transfer().start {
            Start::Design | Start::Cover => false,
            Start::Random => self.random_best(sources, generator),
            Start::Nearest => self.nearest_best(sources)?,
            Start::Learnt => self.learnt_point(sources, Count::All, generator)?,
            Start::Adaptive => self.learnt_point(sources, Count::Alike, generator)?,
        };
        if found { Ok(()) } else { self.cover_point(sources, backend, generator) }
    }

    /// The best point of a source that is drawn at random; whether a new one was found.
    fn random_best(&mut self, sources: Sources<'_, R>, generator: &mut Generator) -> bool {
        let count = sources.iter().filter(Source::is_informative).count() as u64;
        (0..DRAWS).any(|_| {
            let drawn = rng::below(generator, count) as usize;
            sources
                .iter()
                .filter(Source::is_informative)
                .nth(drawn)
                .is_some_and(|source| self.takes_best(&source))
        })
    }

    /// Writes the best point of a source to `self.unit`; whether it may be proposed.
    fn takes_best(&mut self, source: &Source<'_, R>) -> bool {
        self.unit.copy_from_slice(source.point(source.best()));
        // A source that was made by hand may hold any point of the cube.
        self.domain.snap(self.unit);
        !self.trials.read().takes(self.domain, self.config.run.repeats, self.unit)
    }

    /// The best point of the source of nearest meta-features whose best point is new; whether there is one.
    fn nearest_best(&mut self, sources: Sources<'_, R>) -> Result<bool, Error> {
        let (limits, domain, repeats) = (self.limits, self.domain, self.config.run.repeats);
        let (_, trials, _, unit, desk, ..) = self.split();
        let mut known = Knowledge::new(sources, points(&limits), limits.thetas as usize, desk.plans)?;
        known.read_distances()?;
        while let Some(source) = known.take_nearest() {
            unit.copy_from_slice(source.point(source.best()));
            domain.snap(unit);
            if !trials.takes(domain, repeats, unit) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The point that adds most to the cover of all sources.
    pub(super) fn cover_point<B: Backend<R> + ?Sized>(
        &mut self,
        sources: Sources<'_, R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let (limits, dims) = (self.limits, self.shape.dims);
        let (models, trials, search, unit, desk, ..) = self.split();
        let memory = &mut *desk.plans;
        let backend = RefCell::new(backend);
        let mut lent = Shared(&backend);
        let mut known = Knowledge::new(sources, points(&limits), limits.thetas as usize, memory)?;
        let past = Past { points: used(&trials, dims), seen: &|slot| seen(&trials, slot) };
        known.read(Count::Agreeing { rho: 0.5 }, &past)?;
        known.lend(&mut lent);
        if cover(&mut known, &models, &trials, search, generator, unit)? {
            return Ok(());
        }
        self.unused_point(generator)
    }

    /// The next of the points that are learnt together with those that are left of the start; whether it is new.
    ///
    /// What was asked for is fixed, the others begin at the cover.
    fn learnt_point(
        &mut self,
        sources: Sources<'_, R>,
        count: Count,
        generator: &mut Generator,
    ) -> Result<bool, Error> {
        let (limits, config, domain, dims) = (self.limits, self.config, self.domain, self.shape.dims);
        let trials = self.trials.read();
        let asked = (0..trials.slots.len()).filter(|&slot| seen(&trials, slot) != Seen::Nothing).count();
        let left = (config.transfer().trials as usize).saturating_sub(asked).max(1);
        let (models, trials, search, unit, desk, ..) = self.split();
        let share = share(&limits);
        let needed = share + left * dims + learnt_scalars(left, dims);
        Error::Shape { needed }.when(desk.plans.len() < needed)?;
        let (own, rest) = desk.plans.split_at_mut(share);
        let (learnt, memory) = rest.split_at_mut(left * dims);
        let mut known = Knowledge::new(sources, points(&limits), limits.thetas as usize, own)?;
        let past = Past { points: used(&trials, dims), seen: &|slot| seen(&trials, slot) };
        known.read(count, &past)?;
        for point in learnt.chunks_exact_mut(dims) {
            if !cover(&mut known, &models, &trials, search, generator, point)? {
                return Ok(false);
            }
            known.admit(point)?;
        }
        // The minima are those of the trials again.
        known.read(count, &past)?;
        let marked = &mut memory[..left * dims];
        marked.copy_from_slice(learnt);
        let mut moves = [0u64; MOST_MOVES / 64];
        for (p, point) in marked.chunks_exact_mut(dims).enumerate() {
            domain.mark(point);
            for (k, u) in point.iter().enumerate() {
                let place = p * dims + k;
                let free = !u.is_nan() && domain.kind(k) != Kind::Categorical && known.smooth(k);
                if let Some(word) = moves.get_mut(place / 64) {
                    *word |= u64::from(free) << (place % 64);
                }
            }
        }
        let free = |p: usize, k: usize| {
            let place = p * dims + k;
            moves.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
        };
        learn(&mut known, learnt, dims, &free, memory)?;
        unit.copy_from_slice(&learnt[..dims]);
        domain.snap(unit);
        Ok(!trials.takes(domain, config.run.repeats, unit))
    }
}

/// Coordinates of a learnt start that may move; others stay where the cover has them.
const MOST_MOVES: usize = 4096;

/// Writes the point that adds most to the cover of the sources that count; whether there is one.
fn cover<R: Real>(
    known: &mut Knowledge<'_, R>,
    models: &Models<'_, '_, R>,
    trials: &TrialsRead<'_, R>,
    search: &mut search::Memory<'_, R>,
    generator: &mut Generator,
    unit: &mut [R],
) -> Result<bool, Error> {
    let (config, domain) = (&models.config, models.domain);
    let first = known.first().ok_or(Error::NoData)?;
    let task = Task {
        domain,
        // Where a source is best, others may be good nearby.
        inputs: first.points(),
        anchors: &[first.best()],
        known: &|_| true,
        taken: &|unit: &[R]| trials.takes(domain, config.run.repeats, unit),
    };
    let mut function = Mixture { function: &mut Nothing, log: false, known, width: R::ONE, alpha: R::ZERO };
    let goal = Goal { model: &mut Unfitted { dims: domain.dims() }, function: &mut function };
    let found = search::propose_from(&task, goal, &config.search, generator, search, unit)?.is_some();
    // Beside a point of a source that was made by hand nothing need be one of the space.
    domain.snap(unit);
    Ok(found && !trials.takes(domain, config.run.repeats, unit))
}

/// No model: what is said of sources alone.
struct Unfitted {
    dims: usize,
}

impl<R: Real> Surrogate<R> for Unfitted {
    fn dims(&self) -> usize {
        self.dims
    }

    fn predict_many(&mut self, _: &[R], _: &mut [R], _: &mut [R]) -> Result<(), Error> {
        Err(Error::Unsupported)
    }

    fn predict(&mut self, _: &[R]) -> Result<Prediction<R>, Error> {
        Err(Error::Unsupported)
    }
}

/// No acquisition function of a model.
struct Nothing;

impl<R: Real> AcquisitionFunction<R> for Nothing {
    fn scores(&mut self, _: &mut dyn Surrogate<R>, _: &[R], _: &mut [R]) -> Result<(), Error> {
        Err(Error::Unsupported)
    }
}
