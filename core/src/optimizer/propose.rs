//! How the model's next point is found: which worth is searched, over which models.

use super::appraise::{Appraisal, MOST, Models, Path, Room, Scorer, Several, is_log, with_view};
use super::block::{Block, Shape, TrialsRead, place};
use super::lent::Measure;
use super::room::{Bench, Desk, Kept};
use super::spots::{fill_representers, fill_state, slopes};
use crate::acquisition::{Acquisition, cooling, student};
use crate::backend::Backend;
use crate::batch::{Batch, Kind, Noisy, Plan, Setting};
use crate::config::{CHOICES, Config, Interleave, MEMBERS, Model};
use crate::error::Error;
use crate::gp::student::{Student, Tail};
use crate::gp::warp::Warp;
use crate::gp::{Gp, Split};
use crate::kernel::Tape;
use crate::limits::Limits;
use crate::policy::{
    EntropySearch, Hedge, Knowledge, MaxValue, Policy, PredictiveEntropy, Spectral, Thompson, hedge,
    portfolio, spectral,
};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::search::worth::{Closed, Spaced};
use crate::search::{self, Search, Task};
use crate::space::Domain;
use crate::surrogate::Surrogate;
use crate::trial::State;

/// Candidates for a policy that costs a hundred times what a closed form costs, as a part of those of the search.
const DEARER: u32 = 8;

/// What models are made of, apart from what they are asked.
pub(super) struct Parts<'m, 'a, R> {
    pub(super) config: Config<'static>,
    pub(super) limits: Limits,
    pub(super) shape: Shape,
    pub(super) tape: Tape<'a>,
    pub(super) domain: Domain<'a>,
    pub(super) gp: &'m mut Gp<'a, R>,
    pub(super) kept: &'m mut Kept<'a, R>,
    pub(super) bench: &'m mut Bench<'a, R>,
}

/// What a question is asked with.
pub(super) struct Asking<'m, 'a, R> {
    pub(super) trials: TrialsRead<'m, R>,
    pub(super) search: &'m mut search::Memory<'a, R>,
    pub(super) unit: &'m mut [R],
    pub(super) desk: &'m mut Desk<'a, R>,
    portfolio: &'m mut [R],
}

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) struct Quest<R> {
    policy: Policy,
    batch: Batch,
    pub(super) rule: Acquisition<R>,
    /// The value to improve on.
    best: R,
    /// Variance of the noise of a trial.
    noise: R,
    seed: u64,
    /// Whether points of a leaf have to be told apart.
    pub(super) spaced: bool,
}

impl<'a, R: Real> Block<'a, R> {
    /// Models and questions, apart.
    pub(super) fn parts(&mut self) -> (Parts<'_, 'a, R>, Asking<'_, 'a, R>) {
        let parts = Parts {
            config: self.config,
            limits: self.limits,
            shape: self.shape,
            tape: self.tape,
            domain: self.domain,
            gp: &mut self.gp,
            kept: &mut self.kept,
            bench: &mut self.bench,
        };
        let asking = Asking {
            trials: self.trials.read(),
            search: &mut self.search,
            unit: &mut *self.unit,
            desk: &mut self.desk,
            portfolio: &mut *self.portfolio,
        };
        (parts, asking)
    }

    /// Writes the point of largest acquisition to `self.unit`; `None` if every candidate was taken.
    pub(super) fn model_point<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        self.point_by(None, backend, generator)
    }

    /// As [`Block::model_point`], by a rule and against a value from elsewhere if there are any.
    pub(super) fn point_by<B: Backend<R> + ?Sized>(
        &mut self,
        measure: Option<Measure<R>>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        if let Err(error) = self.update(backend, generator) {
            // The factor is gone.
            self.note_factor();
            return Err(error);
        }
        let rows = self.gp.rows();
        let best = match measure.and_then(|measure| measure.best) {
            Some(best) => best,
            None => self.lowest_row(self.config.incumbent)?.1,
        };
        let rule = measure.map(|measure| measure.rule);
        if rule.is_none() && self.interleaves() && self.interleave().beta == f64::INFINITY {
            // Infinitely many deviations below any mean, every point is as good as another.
            return Ok(None);
        }
        // What is believed says nothing of how far values spread.
        let tail = self.tail()?;
        let found = self.believe(backend).and_then(|()| self.search(best, rule, tail, backend, generator));
        self.disbelieve(rows);
        found
    }

    fn search<B: Backend<R> + ?Sized>(
        &mut self,
        best: R,
        given: Option<Acquisition<R>>,
        tail: Tail<R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        let (batch, beta) = (self.config.batch, self.interleave().beta);
        let bound = given.is_none() && self.interleaves();
        let open = self.trials.read().in_state(Some(State::Open)).count();
        let rule = given.unwrap_or_else(|| self.rule(open, generator));
        let asked = if bound { Acquisition::Bound { beta: R::of(beta) } } else { rule };
        let batch = if batch.is_modelled() && open > 0 { batch } else { Batch::Temperatures };
        let found = if self.is_simple(batch) {
            self.search_closed(asked, best, backend, generator)?
        } else {
            let batch = if bound && matches!(batch, Batch::Expected { .. }) { Batch::Penalty } else { batch };
            let quest = self.quest(asked, batch, best);
            let (parts, asking) = self.parts();
            search_modelled(parts, asking, quest, tail, backend, generator)?
        };
        if !bound || found.is_none() {
            return Ok(found);
        }
        // What is reported is always the rule of the configuration, so that a caller can stop by it.
        let freedom = tail.freedom;
        let mut prediction = self.predict_with(tail)?;
        if freedom.is_finite() {
            // As the rule takes it: the square of the scale.
            prediction.variance *= (freedom - R::TWO) / freedom;
        }
        student::score(rule, prediction, best, freedom).map(Some)
    }

    /// Whether a closed form of one exact process is searched, beside no open trials but believed ones.
    pub(super) fn is_simple(&self, batch: Batch) -> bool {
        !CHOICES
            || self.config.model == Model::Process
                && self.shape.posteriors == 0
                && self.config.warp == Warp::None
                && self.config.policy == Policy::Closed
                && batch == Batch::Temperatures
    }

    /// What is looked for by a rule.
    pub(super) fn quest(&self, rule: Acquisition<R>, batch: Batch, best: R) -> Quest<R> {
        Quest {
            policy: self.config.policy,
            batch,
            rule,
            best,
            noise: self.noise(),
            seed: self.header[place::SEQUENCE] ^ self.config.seed,
            spaced: matches!(self.config.model, Model::Trees(_)),
        }
    }

    fn interleave(&self) -> Interleave {
        self.config.interleave.of(self.domain)
    }

    /// Whether a confidence bound decides this proposal instead of the acquisition.
    pub(super) fn interleaves(&self) -> bool {
        let every = u64::from(self.interleave().every);
        self.config.policy == Policy::Closed
            && every > 0
            && self.header[place::SEQUENCE].is_multiple_of(every)
    }

    /// The rule of the configuration for this proposal.
    fn rule(&self, open: usize, generator: &mut Generator) -> Acquisition<R> {
        let rule: Acquisition<R> = self.config.acquisition_at(self.gp.rows(), self.shape.dims).cast();
        match rule {
            Acquisition::LogMgf { temperature } if self.config.batch == Batch::Temperatures && open > 0 => {
                let mut drawn = [temperature];
                if temperature > R::ZERO {
                    cooling::draw(generator, temperature.ln(), R::ONE, &mut drawn);
                }
                Acquisition::LogMgf { temperature: drawn[0] }
            }
            rule => rule,
        }
    }

    /// The variance of the noise of a trial, on the scale of the targets.
    fn noise(&self) -> R {
        let table = self.gp.theta();
        if self.model().has_kernel() { table[table.len() - 1].exp() } else { R::ZERO }
    }

    /// The default: a closed form of one exact process, scored by the backend.
    fn search_closed<B: Backend<R> + ?Sized>(
        &mut self,
        rule: Acquisition<R>,
        best: R,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        let trials = self.trials.read();
        let (repeats, settings, domain) = (self.config.repeats, self.config.search, self.domain);
        let Split { posterior, targets, work } = self.gp.split()?;
        let task = Task {
            domain,
            inputs: posterior.inputs.x,
            anchors: &search::lowest(targets),
            known: &|_| true,
            taken: &|unit: &[R]| !domain.allows(unit) || (!repeats && trials.contains(domain, unit)),
        };
        let mut worth = Closed { backend, tape: self.tape, posterior, rule, best, work };
        search::propose(&task, &mut worth, &settings, generator, &mut self.search, self.unit)
    }
}

/// Everything that is no closed form of one exact process; not inlined, so that those do without its stack.
#[inline(never)]
fn search_modelled<R: Real, B: Backend<R> + ?Sized>(
    parts: Parts<'_, '_, R>,
    asking: Asking<'_, '_, R>,
    quest: Quest<R>,
    tail: Tail<R>,
    backend: &mut B,
    generator: &mut Generator,
) -> Result<Option<R>, Error> {
    let (repeats, mut settings) = (parts.config.repeats, parts.config.search);
    let (trials, domain) = (asking.trials, parts.domain);
    let dims = parts.shape.dims;
    let task = Task {
        domain,
        inputs: trials.units(),
        anchors: &trials.lowest(),
        known: &|slot| trials.state(slot).is_some_and(|state| state != State::Queued),
        taken: &|unit: &[R]| !domain.allows(unit) || (!repeats && trials.contains(domain, unit)),
    };
    if task.anchors.is_empty() {
        return Err(Error::NoData);
    }
    if let Policy::Spectral { features } = quest.policy {
        return search_path(parts, asking, &task, &settings, features, generator);
    }
    if !matches!(
        quest.policy,
        Policy::Closed | Policy::Hedge | Policy::Portfolio { .. } | Policy::MaxValue { .. }
    ) {
        settings.global = settings.global.div_ceil(DEARER);
        settings.local = settings.local.div_ceil(DEARER);
    }
    let spots = match quest.policy {
        Policy::Closed => fill_state(&trials, &[State::Open], asking.desk.spots, dims),
        Policy::Noisy { .. } => fill_state(&trials, &[State::Done, State::Open], asking.desk.spots, dims),
        // Believed values are rows by now, and the spots are for nominees.
        Policy::Hedge => 0,
        policy => fill_representers(&task, policy, generator, asking.desk.spots, dims),
    };
    with_models(parts, tail, backend, |models| {
        appraise(models, asking, &task, &settings, quest, spots, generator)
    })
}

/// Makes the fitted models and asks them.
pub(super) fn with_models<'a, R: Real, B: Backend<R> + ?Sized, T>(
    parts: Parts<'_, 'a, R>,
    tail: Tail<R>,
    backend: &mut B,
    run: impl FnOnce(Models<'_, 'a, R, B>) -> Result<T, Error>,
) -> Result<T, Error> {
    if !parts.config.model.is_exact() {
        return parts.with_approximate(|model| run(Models::One(model)));
    }
    let Parts { config: Config { warp, .. }, tape, gp, kept: Kept { posteriors, .. }, bench, .. } = parts;
    let room = Room::of(bench);
    if posteriors.used().next().is_some() {
        return run(Models::Several(Several { backend, tape, warp, gp, posteriors, room, anchored: 0 }));
    }
    with_view(gp, backend, tape, warp, room, &mut 0, |model| {
        if tail.freedom.is_finite() {
            run(Models::One(&mut Student { model, tail }))
        } else {
            run(Models::One(model))
        }
    })
}

/// Prepares what the models are asked for, and searches.
fn appraise<R: Real, B: Backend<R> + ?Sized>(
    mut models: Models<'_, '_, R, B>,
    asking: Asking<'_, '_, R>,
    task: &Task<'_, R>,
    settings: &Search,
    quest: Quest<R>,
    spots: usize,
    generator: &mut Generator,
) -> Result<Option<R>, Error> {
    let Asking { trials, search, unit, desk, portfolio: memory } = asking;
    let Desk { spots: all, plans, slope } = desk;
    let dims = unit.len();
    let (spots, nominees) = all.split_at_mut(spots * dims);
    let count = models.count();
    let portfolio = matches!(quest.policy, Policy::Hedge | Policy::Portfolio { .. });
    if portfolio {
        let nominees = nominees.get_mut(..MEMBERS as usize * dims).ok_or(Error::Limits)?;
        if quest.policy == Policy::Hedge {
            let mut hedge = Hedge::attach(memory, MEMBERS as usize, dims, R::of(hedge::RATE))?;
            let first = (0..count).find(|&member| models.used(member).is_some()).ok_or(Error::NoData)?;
            models.with(first, |model| hedge.book(model))?;
        }
        let mut scores = [R::NAN; MEMBERS as usize];
        let members = portfolio::members().into_iter().zip(&mut scores);
        for ((rule, score), nominee) in members.zip(nominees.chunks_exact_mut(dims)) {
            let quest = Quest { policy: Policy::Closed, batch: Batch::Temperatures, rule, ..quest };
            let memory = Hunt { search: &mut *search, spots: &[], plans: &mut [], slope };
            let found = hunt(&mut models, quest, &trials, task, settings, memory, generator, unit)?;
            let Some(worth) = found else { return Ok(None) };
            *score = worth;
            nominee.copy_from_slice(unit);
        }
        let (chosen, score) = choose(&mut models, quest, memory, spots, nominees, &scores, plans, generator)?;
        unit.copy_from_slice(&nominees[chosen * dims..(chosen + 1) * dims]);
        return Ok(Some(score));
    }
    let memory = Hunt { search, spots, plans, slope };
    hunt(&mut models, quest, &trials, task, settings, memory, generator, unit)
}

/// What a search among models works in.
struct Hunt<'h, 'a, R> {
    search: &'h mut search::Memory<'a, R>,
    spots: &'h [R],
    plans: &'h mut [R],
    slope: &'h mut [R],
}

/// Writes the point that is worth most to `unit`; the scorers live on the stack of this alone.
#[inline(never)]
fn hunt<R: Real, B: Backend<R> + ?Sized>(
    models: &mut Models<'_, '_, R, B>,
    quest: Quest<R>,
    trials: &TrialsRead<'_, R>,
    task: &Task<'_, R>,
    settings: &Search,
    memory: Hunt<'_, '_, R>,
    generator: &mut Generator,
    unit: &mut [R],
) -> Result<Option<R>, Error> {
    let Hunt { search, spots, plans, slope } = memory;
    let mut scorers = heapless::Vec::<_, MOST>::new();
    prepare(models, quest, trials, search, spots, plans, generator, &mut scorers)?;
    let ruled = matches!(quest.policy, Policy::Closed | Policy::Noisy { .. });
    let log = ruled && is_log(&quest.rule);
    let mut worth = Appraisal { models, scorers: &mut scorers, log, slope };
    if !quest.spaced {
        return search::propose(task, &mut worth, settings, generator, search, unit);
    }
    let mut spaced = Spaced {
        worth: &mut worth,
        points: trials.units(),
        counts: &|slot: usize| trials.state(slot).is_some(),
        best: trials.unit(task.anchors[0]),
        positive: ruled && Kind::of(&quest.rule) == Kind::Positive,
    };
    search::propose(task, &mut spaced, settings, generator, search, unit)
}

/// The nominee that is taken, and what is reported as its score: the entropy, or what its own rule says.
fn choose<R: Real, B: Backend<R> + ?Sized>(
    models: &mut Models<'_, '_, R, B>,
    quest: Quest<R>,
    memory: &mut [R],
    spots: &[R],
    nominees: &[R],
    scores: &[R],
    plans: &mut [R],
    generator: &mut Generator,
) -> Result<(usize, R), Error> {
    let dims = nominees.len() / MEMBERS as usize;
    let Policy::Portfolio { representers, draws, fantasies } = quest.policy else {
        let mut hedge = Hedge::attach(memory, MEMBERS as usize, dims, R::of(hedge::RATE))?;
        let chosen = hedge.choose(nominees, generator)?;
        return Ok((chosen, scores[chosen]));
    };
    let mut sums = [R::ZERO; MEMBERS as usize];
    for member in 0..models.count() {
        let Some(weight) = models.used(member) else { continue };
        models.with(member, |model| {
            let mut search =
                EntropySearch::new(plans, representers as usize, draws as usize, fantasies as usize)?;
            search.prepare(model, spots, quest.noise, generator)?;
            for (sum, nominee) in sums.iter_mut().zip(nominees.chunks_exact(dims)) {
                *sum += weight * search.score(model, nominee)?;
            }
            Ok(())
        })?;
    }
    let better = |a: usize, b: usize| if sums[b] > sums[a] { b } else { a };
    let chosen = (0..sums.len()).reduce(better).ok_or(Error::NoData)?;
    Ok((chosen, sums[chosen]))
}

/// Writes what each model is asked for.
pub(super) fn prepare<'m, R: Real, B: Backend<R> + ?Sized>(
    models: &mut Models<'_, '_, R, B>,
    quest: Quest<R>,
    trials: &TrialsRead<'_, R>,
    search: &mut search::Memory<'_, R>,
    spots: &[R],
    plans: &'m mut [R],
    generator: &mut Generator,
    scorers: &mut heapless::Vec<Option<Scorer<'m, R>>, MOST>,
) -> Result<(), Error> {
    let share = plans.len() / models.count().max(1);
    let mut rest = plans;
    // Hyperparameters are drawn with the function.
    let drawn = matches!(quest.policy, Policy::Thompson { .. }).then(|| draw_member(models, generator));
    for member in 0..models.count() {
        let (memory, left) = core::mem::take(&mut rest).split_at_mut(share);
        rest = left;
        let asked = models.used(member).is_some() && drawn.is_none_or(|drawn| drawn == member);
        let scorer =
            if asked {
                let (search, generator) = (&mut *search, &mut *generator);
                Some(models.with(member, move |model| {
                    scorer(model, quest, trials, search, spots, memory, generator)
                })?)
            } else {
                None
            };
        scorers.push(scorer).map_err(|_| Error::Limits)?;
    }
    Ok(())
}

/// A member by its weight.
fn draw_member<R: Real, B: Backend<R> + ?Sized>(
    models: &Models<'_, '_, R, B>,
    generator: &mut Generator,
) -> usize {
    let total = (0..models.count()).filter_map(|member| models.used(member)).fold(R::ZERO, |a, b| a + b);
    let mut left = total * rng::uniform::<R, _>(generator);
    let mut drawn = 0;
    for member in 0..models.count() {
        let Some(weight) = models.used(member) else { continue };
        drawn = member;
        if left < weight {
            break;
        }
        left -= weight;
    }
    drawn
}

/// What one model is asked for.
fn scorer<'m, R: Real>(
    model: &mut dyn Surrogate<R>,
    quest: Quest<R>,
    trials: &TrialsRead<'_, R>,
    search: &mut search::Memory<'_, R>,
    spots: &[R],
    memory: &'m mut [R],
    generator: &mut Generator,
) -> Result<Scorer<'m, R>, Error> {
    let Quest { noise, best, .. } = quest;
    let size = |count: u32| count as usize;
    Ok(match quest.policy {
        Policy::EntropySearch { representers, draws, fantasies } => {
            let mut policy = EntropySearch::new(memory, size(representers), size(draws), size(fantasies))?;
            policy.prepare(model, spots, noise, generator)?;
            Scorer::Entropy(policy)
        }
        Policy::PredictiveEntropy { representers, draws } => {
            let mut policy = PredictiveEntropy::new(memory, size(representers), size(draws))?;
            policy.prepare(model, spots, noise, best, generator)?;
            Scorer::Predictive(policy)
        }
        Policy::MaxValue { representers, draws, minima } => {
            let mut policy = MaxValue::new(memory, size(representers), size(draws))?;
            policy.prepare(model, spots, minima, best, generator)?;
            Scorer::MaxValue(policy)
        }
        Policy::Knowledge { representers } => {
            let mut policy = Knowledge::new(memory, size(representers))?;
            policy.prepare(model, spots, noise)?;
            Scorer::Knowledge(policy)
        }
        Policy::Noisy { draws } => {
            let Quest { rule, seed, .. } = quest;
            Scorer::Noisy(Noisy::prepare(model, spots, &[], size(draws), rule, seed, memory)?)
        }
        Policy::Thompson { candidates } => {
            let mut policy = Thompson::new(memory, size(candidates))?;
            policy.prepare(model, spots, generator)?;
            Scorer::Thompson(policy)
        }
        _ => {
            let candidates = slopes(quest.batch, quest.seed, search, model.dims());
            let Quest { rule, batch, seed, .. } = quest;
            // Believed values are rows by now.
            let setting = Setting { rule, best, noise, targets: trials.value, candidates, seed };
            Scorer::Plan(Plan::prepare(batch, model, spots, &setting, memory)?)
        }
    })
}

/// A function drawn as a sum of waves, and its lowest point.
fn search_path<R: Real>(
    parts: Parts<'_, '_, R>,
    asking: Asking<'_, '_, R>,
    task: &Task<'_, R>,
    settings: &Search,
    features: u32,
    generator: &mut Generator,
) -> Result<Option<R>, Error> {
    let Parts { shape, limits, tape, gp, kept: Kept { posteriors, .. }, .. } = parts;
    let Asking { search, unit, desk, .. } = asking;
    let columns = limits.columns as usize;
    let mut path = Spectral::new(desk.plans, limits.trials as usize, shape.dims, columns, features as usize)?;
    let total = posteriors.used().fold(R::ZERO, |sum, member| sum + posteriors.weight(member));
    let mut left = total * rng::uniform::<R, _>(generator);
    let drawn = posteriors.used().find(|&member| {
        left -= posteriors.weight(member);
        left < R::ZERO
    });
    let mut draw = |gp: &mut Gp<'_, R>| {
        let (x, y, known) = (gp.inputs(), gp.targets(), gp.known_variances());
        let (theta, beta) = (gp.theta(), gp.trend_coefficients());
        let (noise, theta) = theta.split_last().ok_or(Error::NoData)?;
        let data = spectral::Data { x, y, known, noise: noise.exp(), trend: shape.trend, beta };
        path.prepare(tape, theta, &data, generator)
    };
    match drawn {
        Some(member) => draw(&mut posteriors.view(gp, member)?)?,
        None => draw(gp)?,
    }
    let mut worth = Path { path, tape };
    search::propose(task, &mut worth, settings, generator, search, unit)
}
