//! Transfer: how sources start a run, and how they help to choose the next point.

use super::Optimizer;
use super::block::{Block, TrialsRead, place};
use super::functions::prepare;
use super::memory::ScoreScratch;
use super::model::Models;
use crate::acquisition::{Acquisition, Prediction};
use crate::backend::Backend;
use crate::config::TRANSFER;
use crate::error::Error;
use crate::gp::Split;
use crate::gp::student::Tail;
use crate::limits::{Limit, Limits};
use crate::pending::{Pending, ScoreKind};
use crate::policy::Question;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::search::{self, Goal, Spaced, Task};
use crate::space::{Domain, Kind, sobol};
use crate::surrogate::{AcquisitionFunction, Average, Surrogate};
use crate::transfer::{
    Count, Form, Gain, Held, How, Informed, Knowledge, Mixture, Near, Past, Pooled, Prior, Prune, REACH,
    Room, Seen, Size, Source, Sources, Span, Stage, Start, Told, Transfer, Weights, learn, learnt_scalars,
    prior_scalars, sampled_scalars, utilities, weigh,
};
use crate::trial::State;

/// Draws of a source whose best point is new, before another way is taken.
const DRAWS: usize = 64;

impl<R: Real, M: AsRef<[u64]>> Optimizer<R, M> {
    /// The fingerprint of the sources that the last ask was given; 0 for none.
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
        let transfer = self.config()?.transfer;
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

/// By which sources count.
fn count_of(how: How) -> Count {
    match how {
        How::Stage(weights) | How::Value(weights) => match weights {
            Weights::Features { rho } => Count::Features { rho },
            Weights::Ranks { rho } => Count::Ranks { rho },
            Weights::Experts | Weights::Sampled { .. } => Count::All,
        },
        How::Neighbours { by: Near::Ranks, .. } => Count::Alike,
        // Meta-features are looked at where they are needed.
        How::Alone
        | How::Function { .. }
        | How::Neighbours { by: Near::Features, .. }
        | How::Ranker
        | How::Perceptron => Count::All,
        How::Prior => Count::Agreeing { rho: 0.4 },
    }
}

/// Whether a trial is told or waits for its value.
fn is_row<R: Real>(trials: &TrialsRead<'_, R>, slot: usize) -> bool {
    matches!(trials.state(slot), Some(State::Done | State::Open))
}

/// The slot of a row: those that are told come first.
fn order<R: Real>(trials: &TrialsRead<'_, R>, row: usize) -> usize {
    let told = trials.in_state(Some(State::Done));
    told.chain(trials.in_state(Some(State::Open))).nth(row).unwrap_or(0)
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
    pub(super) fn start_point(
        &mut self,
        sources: Sources<'_, R>,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let found = match self.config.transfer.start {
            Start::Design | Start::Cover => false,
            Start::Random => self.random_best(sources, generator),
            Start::Nearest => self.nearest_best(sources)?,
            Start::Learnt => self.learnt_point(sources, Count::All, generator)?,
            Start::Adaptive => self.learnt_point(sources, Count::Alike, generator)?,
        };
        if found { Ok(()) } else { self.cover_point(sources, generator) }
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
        let (_, trials, _, unit, desk, _) = self.split();
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
    pub(super) fn cover_point(
        &mut self,
        sources: Sources<'_, R>,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        let (limits, dims) = (self.limits, self.shape.dims);
        let (models, trials, search, unit, desk, _) = self.split();
        let memory = &mut *desk.plans;
        let mut known = Knowledge::new(sources, points(&limits), limits.thetas as usize, memory)?;
        let past = Past { points: used(&trials, dims), seen: &|slot| seen(&trials, slot) };
        known.read(Count::Agreeing { rho: 0.5 }, &past)?;
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
        let left = (config.transfer.trials as usize).saturating_sub(asked).max(1);
        let (models, trials, search, unit, desk, _) = self.split();
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

    /// Where the values of sources lie among the targets: between the lowest and the highest told one. Of no width if all are
    /// the same.
    fn span(&self, rows: usize) -> Span<R> {
        let trials = self.trials.read();
        let told = |row: &usize| trials.state(self.rows[*row] as usize) == Some(State::Done);
        let targets = (0..rows).filter(told).map(|row| self.gp.targets()[row]);
        let ends = targets.fold((R::INFINITY, -R::INFINITY), |(lo, hi), y| (lo.min(y), hi.max(y)));
        Span { low: ends.0, width: ends.1 - ends.0 }
    }

    /// Writes what was told and what the process says of each without it behind the shared memory; returns how many there are.
    ///
    /// ```text
    /// μⱼ = yⱼ − αⱼ/Pⱼⱼ,   σⱼ² = 1/Pⱼⱼ,   P = K⁻¹
    /// ```
    ///
    /// Cost: O(rows³).
    fn hold_out(&mut self, rows: usize) -> Result<usize, Error> {
        let (limits, dims) = (self.limits, self.shape.dims);
        let (from, needed) = (share(&limits), held_scalars(&limits));
        let memory = self.desk.plans.get_mut(from..from + needed).ok_or(Error::Shape { needed })?;
        let (own, side) = memory.split_at_mut(needed - limits.trials as usize);
        let trials = self.trials.read();
        let Split { posterior, targets, work } = self.gp.split()?;
        let all = posterior.inputs.rows;
        let is_told = |row: &usize| trials.state(self.rows[*row] as usize) == Some(State::Done);
        let count = (0..rows).filter(is_told).count();
        let held = Held::of(own, count, dims)?;
        for (i, row) in (0..rows).filter(is_told).enumerate() {
            let side = side.get_mut(..all).ok_or(Error::Shape { needed: all })?;
            side.fill(R::ZERO);
            side[row] = R::ONE;
            for upper in [false, true] {
                posterior.inputs.blocks.solve(posterior.factor, all, side, upper, work)?;
            }
            let precision = side[row].max(R::MIN_POSITIVE);
            let point = &posterior.inputs.x[row * dims..(row + 1) * dims];
            held.points[i * dims..(i + 1) * dims].copy_from_slice(point);
            held.values[i] = targets[row];
            held.means[i] = targets[row] - posterior.alpha[row] / precision;
            held.deviations[i] = (R::ONE / precision).sqrt();
        }
        Ok(count)
    }

    /// Writes the point that is best by the model and the sources to `self.unit`.
    ///
    /// # Errors
    /// What reading the sources and searching report.
    ///
    /// Rows of the model from `rows` on are believed.
    #[inline(never)]
    pub(super) fn search_from<B: Backend<R> + ?Sized>(
        &mut self,
        sources: Sources<'_, R>,
        rows: usize,
        rule: Acquisition<R>,
        best: R,
        tail: Tail<R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        let Transfer { how, keep, .. } = self.config.transfer;
        let (limits, config, domain, dims) = (self.limits, self.config, self.domain, self.shape.dims);
        let (span, question) = (self.span(rows), self.question(rule, Pending::Temperatures, best));
        let kind = ScoreKind::of(&rule);
        // Near the lowest value, what a unit of the targets is in values.
        let lowest = self.trials.read().best().map_or(R::ZERO, |slot| self.trials.read().value(slot));
        let worth = R::ONE / self.scale()?.slope(lowest);
        let spaced = !config.surrogate.model.is_smooth();
        let sampled = how.weights().is_some_and(Weights::is_sampled);
        let held = if sampled { self.hold_out(rows)? } else { 0 };
        let (models, trials, search, unit, desk, _) = self.split();
        let task = Task {
            domain,
            inputs: trials.units(),
            anchors: &trials.lowest(),
            known: &|slot| trials.state(slot).is_some_and(|state| state != State::Queued),
            taken: &|unit: &[R]| trials.takes(domain, config.run.repeats, unit),
        };
        Error::NoData.when(task.anchors.is_empty())?;
        let past = Past { points: used(&trials, dims), seen: &|slot| seen(&trials, slot) };
        let (thetas, points, share) = (limits.thetas as usize, points(&limits), share(&limits));
        let ScoreScratch { plans, slope, .. } = desk;
        let (first, rest) = plans.split_at_mut_checked(share).ok_or(Error::Shape { needed: share })?;
        let needed = own(how, &limits);
        let (memory, rest) = rest.split_at_mut_checked(needed).ok_or(Error::Shape { needed })?;
        let mut known = Knowledge::new(sources, points, thetas, first)?;
        if how != How::Alone {
            known.read(count_of(how), &past)?;
        }
        let log = kind == ScoreKind::Log;
        let first = known.first().ok_or(Error::NoData)?;
        let mut finish = |goal: Goal<'_, R>, generator: &mut Generator| {
            if keep == 1.0 {
                return search::propose_from(&task, goal, &config.search, generator, search, unit);
            }
            let (memory, utility) = rest.split_at_mut_checked(share).ok_or(Error::Shape { needed: share })?;
            let utility = utility.get_mut(..SAMPLE).ok_or(Error::Shape { needed: SAMPLE })?;
            let mut nearest = Knowledge::new(sources, points, thetas, memory)?;
            nearest.read(Count::Nearest, &past)?;
            let seed = question.seed;
            let least = quantile(&mut nearest, domain, seed, keep, search.points(), utility)?;
            let beside = |unit: &[R]| is_beside(&trials, domain, unit);
            let mut function =
                Prune { function: goal.function, known: &mut nearest, least, beside: &beside, utility };
            let goal = Goal { model: goal.model, function: &mut function };
            search::propose_from(&task, goal, &config.search, generator, search, unit)
        };
        if let How::Stage(Weights::Sampled { draws }) | How::Value(Weights::Sampled { draws }) = how {
            let (own, rest) = memory.split_at_mut(held_scalars(&limits));
            let held = Held::of(own, held, dims)?;
            weigh(&mut known, &held, draws as usize, rest, question.seed)?;
        }
        let told = |row: usize| {
            let slot = order(&trials, row);
            let value = matches!(trials.state(slot), Some(State::Done)).then(|| trials.value(slot));
            (trials.unit(slot), value)
        };
        let count = (0..trials.slots.len()).filter(|&slot| is_row(&trials, slot)).count();
        let run = Told { row: &told, count };
        let (mut memory, mut pooled) = (memory, None);
        if how.replaces() {
            let own = core::mem::take(&mut memory);
            pooled = Pooled::new(how, &mut known, &run, &room(&limits), own, question.seed)?;
        }
        let question = Question { best: pooled.as_ref().map_or(best, Pooled::best), ..question };
        // The sources move the model, or what is maximised over it.
        let (of_model, of_function) = match how {
            How::Stage(weights) => (Some((&mut known, weights)), None),
            How::Value(_) | How::Function { .. } | How::Prior => (None, Some(&mut known)),
            How::Alone | How::Neighbours { .. } | How::Ranker | How::Perceptron => (None, None),
        };
        models.with(tail, backend, |model| {
            let model: &mut dyn Surrogate<R> = match pooled.as_mut() {
                Some(pooled) => pooled.surrogate(),
                None => model,
            };
            let flat = span.width <= R::ZERO;
            let width = if flat { deviation(model, first.points())? } else { span.width };
            let span = Span { width, ..span };
            let mut stage;
            let model: &mut dyn Surrogate<R> = match of_model {
                Some((known, weights)) => {
                    stage = Stage { model, known, span, weights };
                    &mut stage
                }
                None => model,
            };
            let mut functions = prepare(question, model, &[], &mut [], generator)?;
            let mut average = Average { functions: &mut functions, log, slope };
            let counts = |slot: usize| trials.state(slot).is_some();
            let mut apart;
            let function: &mut dyn AcquisitionFunction<R> = if spaced {
                apart = Spaced {
                    function: &mut average,
                    points: trials.units(),
                    counts: &counts,
                    best: trials.unit(task.anchors[0]),
                    positive: kind == ScoreKind::Positive,
                };
                &mut apart
            } else {
                &mut average
            };
            let (mut gain, mut mixture, mut informed);
            let function: &mut dyn AcquisitionFunction<R> = match (how, of_function) {
                (How::Value(weights), Some(known)) => {
                    gain = Gain { function, log, known, width: span.width, weights };
                    &mut gain
                }
                (How::Function { alpha, growth }, Some(known)) => {
                    let alpha = R::of(grown(alpha, growth, count));
                    mixture = Mixture { function, log, known, width: span.width, alpha };
                    &mut mixture
                }
                (How::Prior, Some(known)) => {
                    let sizes = [limits.trials as usize, limits.candidates as usize];
                    let prior = Prior::new(known, &run, sizes, memory)?;
                    let value = if flat { prior.scale() / width } else { worth };
                    informed = Informed { function, log, value, prior };
                    &mut informed
                }
                (_, None) | (How::Alone | How::Stage(_), _) => function,
                (How::Neighbours { .. } | How::Ranker | How::Perceptron, _) => function,
            };
            finish(Goal { model, function }, generator)
        })
    }
}

/// The share of the improvement after some trials: it grows evenly from `alpha` to 1.
fn grown(alpha: f64, growth: u32, trials: usize) -> f64 {
    if growth == 0 { alpha } else { alpha + (1.0 - alpha) * (trials as f64 / f64::from(growth)).min(1.0) }
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
    Ok(search::propose_from(&task, goal, &config.search, generator, search, unit)?.is_some())
}

/// The largest deviation of a model at some points: where all told values are the same, they have no scale of their own, and
/// that of the model is as small as its training makes it.
fn deviation<R: Real>(model: &mut dyn Surrogate<R>, points: &[R]) -> Result<R, Error> {
    let mut largest = R::ZERO;
    for point in points.chunks_exact(model.dims()).take(FEW) {
        largest = largest.max(model.predict(point)?.deviation());
    }
    Ok(if largest > R::ZERO { largest } else { R::ONE })
}

/// Points of a source that are looked at.
const FEW: usize = 16;

/// Points by which the share of the space that is kept is found.
const SAMPLE: usize = 256;

/// The utility above which a share of the space lies, by points spread over it.
fn quantile<R: Real>(
    known: &mut Knowledge<'_, R>,
    domain: Domain<'_>,
    seed: u64,
    share: f64,
    points: &mut [R],
    utility: &mut [R],
) -> Result<R, Error> {
    let (sequence, dims) = (sobol::Sequence { seed }, domain.dims());
    let batch = points.len() / dims;
    for (b, out) in utility.chunks_mut(batch).enumerate() {
        let points = &mut points[..out.len() * dims];
        for (i, point) in points.chunks_exact_mut(dims).enumerate() {
            for (k, u) in point.iter_mut().enumerate() {
                *u = sequence.coordinate((b * batch + i) as u32, k);
            }
            domain.snap(point);
        }
        utilities(known, points, out)?;
    }
    utility.sort_unstable_by(|a, b| b.to_f64().total_cmp(&a.to_f64()));
    let kept = (share * utility.len() as f64) as usize;
    Ok(utility[kept.min(utility.len() - 1)])
}

/// Whether a point lies beside one that was asked for.
fn is_beside<R: Real>(trials: &TrialsRead<'_, R>, domain: Domain<'_>, unit: &[R]) -> bool {
    let near = |(i, (&a, &b)): (usize, (&R, &R))| {
        if domain.kind(i) == Kind::Categorical { a == b } else { (a - b).abs() <= R::of(REACH) }
    };
    (0..trials.slots.len())
        .filter(|&slot| seen(trials, slot) != Seen::Nothing)
        .any(|slot| trials.unit(slot).iter().zip(unit).enumerate().all(near))
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
