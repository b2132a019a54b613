//! The proposal of the model: the point of largest acquisition, searched by the configuration's rule or policy.

use super::block::{Block, TrialsRead, place};
use super::functions::{prepare, with_member};
use super::memory::{Persistent, ScoreScratch};
use super::model::Models;
use super::representers::{fill_representers, fill_state, slopes};
use super::shared::Criterion;
use crate::acquisition::{Acquisition, cooling, student};
use crate::backend::Backend;
use crate::config::{CHOICES, Interleave, MEMBERS, Model, TRANSFER};
use crate::error::Error;
use crate::gp::student::Tail;
use crate::gp::warp::Warp;
use crate::gp::{Gp, Pointwise, Split};
use crate::limits::Limit;
use crate::pending::{Pending, ScoreKind};
use crate::policy::{
    EntropySearch, Hedge, Policy, Question, RffThompson, Sites, hedge, portfolio, rff_thompson,
};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::search::{self, Goal, Search, Spaced, Task};
use crate::surrogate::{Average, ClosedForm, Surrogate};
use crate::transfer::Sources;
use crate::trial::State;

/// Candidates for a policy that costs a hundred times what a closed form costs, as a part of those of the search.
const DEARER: u32 = 8;

impl<'a, R: Real> Block<'a, R> {
    /// Writes the point of largest acquisition to `self.unit`; `None` if every candidate was taken. By a rule and against a
    /// value from elsewhere if there are any.
    pub(super) fn model_point<B: Backend<R> + ?Sized>(
        &mut self,
        criterion: Option<Criterion<R>>,
        sources: Sources<'_, R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        if let Err(error) = self.update(backend, generator) {
            // The factor is gone.
            self.note_factor();
            return Err(error);
        }
        let (rows, beta) = (self.gp.rows(), self.interleave().beta);
        let best = match criterion.and_then(|criterion| criterion.best) {
            Some(best) => best,
            None => self.lowest_row(self.config.proposal.incumbent)?.1,
        };
        let helped = TRANSFER && !sources.is_empty() && self.config.transfer().helps();
        let bound = criterion.is_none() && !helped && self.interleaves();
        if bound && beta == f64::INFINITY {
            // Infinitely many deviations below any mean, every point is as good as another.
            return Ok(None);
        }
        // What is believed says nothing of how far values spread.
        let tail = self.tail()?;
        let found = self.believe(backend).and_then(|()| {
            let rule = criterion.map_or_else(|| self.rule(generator), |criterion| criterion.rule);
            let asked = if bound { Acquisition::Bound { beta: R::of(beta) } } else { rule };
            let found = if helped {
                self.search_from(sources, rows, rule, best, tail, backend, generator)?
            } else if self.is_simple() {
                // The default: a closed form of one exact process, scored by the backend.
                let (trials, domain) = (self.trials.read(), self.domain);
                let Split { posterior, targets, work } = self.gp.split()?;
                let task = Task {
                    domain,
                    inputs: posterior.inputs.x,
                    anchors: &search::lowest(targets),
                    known: &|_| true,
                    taken: &|unit: &[R]| trials.takes(domain, self.config.run.repeats, unit),
                };
                let mut model = Pointwise { backend: &mut *backend, tape: self.tape, posterior, work };
                let mut function = ClosedForm { rule: asked, best };
                let goal = Goal { model: &mut model, function: &mut function };
                let settings = &self.config.search;
                search::propose(&task, goal, settings, generator, &mut self.search, self.unit)?
            } else {
                self.search_modelled(asked, bound, best, tail, backend, generator)?
            };
            match found {
                // What is reported is always the rule of the configuration, so that a caller can stop by it.
                Some(_) if bound => self.score_by(rule, best, tail).map(Some),
                found => Ok(found),
            }
        });
        self.disbelieve(rows);
        found
    }

    /// What a rule says of `self.unit`.
    fn score_by(&mut self, rule: Acquisition<R>, best: R, tail: Tail<R>) -> Result<R, Error> {
        let freedom = tail.freedom;
        let mut prediction = self.predict_with(tail)?;
        if freedom.is_finite() {
            // As the rule takes it: the square of the scale.
            prediction.variance *= (freedom - R::TWO) / freedom;
        }
        student::score(rule, prediction, best, freedom)
    }

    /// How open trials are reckoned with, unless they are rows by now: as there were none.
    pub(super) fn pending(&self) -> Pending {
        let (batch, open) = (self.config.proposal.pending, self.open_trials());
        if batch.is_modelled() && open > 0 { batch } else { Pending::Temperatures }
    }

    fn open_trials(&self) -> usize {
        self.trials.read().in_state(Some(State::Open)).count()
    }

    /// Whether a closed form of one exact process is searched, beside no open trials but believed ones.
    pub(super) fn is_simple(&self) -> bool {
        !CHOICES
            || self.config.surrogate.model == Model::Process
                && self.shape.posteriors == 0
                && self.config.surrogate.warp == Warp::None
                && self.config.proposal.policy == Policy::Closed
                && self.pending() == Pending::Temperatures
    }

    /// What draws of this proposal begin with.
    pub(super) fn seed(&self) -> u64 {
        self.header[place::SEQUENCE] ^ self.config.seed
    }

    /// What is looked for by a rule.
    pub(super) fn question(&self, rule: Acquisition<R>, batch: Pending, best: R) -> Question<'static, R> {
        let (policy, seed, noise) = (self.config.proposal.policy, self.seed(), self.noise());
        Question { policy, batch, rule, best, noise, seed, candidates: &[] }
    }

    fn interleave(&self) -> Interleave {
        self.config.proposal.interleave.of(self.domain)
    }

    /// Whether a confidence bound decides this proposal instead of the acquisition.
    pub(super) fn interleaves(&self) -> bool {
        let every = u64::from(self.interleave().every);
        self.config.proposal.policy == Policy::Closed
            && every > 0
            && self.header[place::SEQUENCE].is_multiple_of(every)
    }

    /// The rule of the configuration for this proposal.
    fn rule(&self, generator: &mut Generator) -> Acquisition<R> {
        let rule: Acquisition<R> = self.config.acquisition_at(self.gp.rows(), self.shape.dims).cast();
        match rule {
            Acquisition::LogMgf { temperature }
                if self.config.proposal.pending == Pending::Temperatures && self.open_trials() > 0 =>
            {
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

    /// What models are made of, what they are searched with, and the slots of the rows.
    #[allow(clippy::type_complexity, reason = "the fields of a block, side by side")]
    pub(super) fn split(
        &mut self,
    ) -> (
        Models<'_, 'a, R>,
        TrialsRead<'_, R>,
        &mut search::Memory<'a, R>,
        &mut [R],
        &mut ScoreScratch<'a, R>,
        &mut [R],
        &[u64],
    ) {
        let Self { config, limits, shape, tape, domain, gp, bench, .. } = self;
        let (config, limits, shape, tape, domain) = (*config, *limits, *shape, *tape, *domain);
        let Persistent { posteriors, .. } = &mut self.kept;
        let models = Models { config, limits, shape, tape, domain, gp, posteriors, bench };
        let (trials, search, desk) = (self.trials.read(), &mut self.search, &mut self.desk);
        (models, trials, search, self.unit, desk, self.portfolio, self.rows)
    }

    /// Everything that is no closed form of one exact process; not inlined, so that those do without its stack.
    #[inline(never)]
    fn search_modelled<B: Backend<R> + ?Sized>(
        &mut self,
        rule: Acquisition<R>,
        bound: bool,
        best: R,
        tail: Tail<R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        let batch = match self.pending() {
            Pending::JointEi { .. } if bound => Pending::Penalty,
            batch => batch,
        };
        let question = self.question(rule, batch, best);
        let (repeats, mut settings) = (self.config.run.repeats, self.config.search);
        let (dims, domain) = (self.shape.dims, self.domain);
        let spaced = !self.config.surrogate.model.is_smooth();
        let (models, trials, search, unit, desk, portfolio, _) = self.split();
        let task = Task {
            domain,
            inputs: trials.units(),
            anchors: &trials.lowest(),
            known: &|slot| trials.state(slot).is_some_and(|state| state != State::Queued),
            taken: &|unit: &[R]| trials.takes(domain, repeats, unit),
        };
        Error::NoData.when(task.anchors.is_empty())?;
        let ScoreScratch { spots, plans, slope } = desk;
        let mut maximiser = Maximiser { trials, task, spaced, search, slope };
        if let Policy::Spectral { features } = question.policy {
            return maximiser.path(models, &settings, features, plans, backend, generator, unit);
        }
        let count = match question.policy.sites() {
            Sites::Open => fill_state(&trials, &[State::Open], spots, dims),
            Sites::Trials => fill_state(&trials, &[State::Done, State::Open], spots, dims),
            // Believed values are rows by now, and the spots are for nominees.
            Sites::Nowhere => 0,
            Sites::Representers => {
                fill_representers(&maximiser.task, question.policy, generator, spots, dims)
            }
        };
        if !question.policy.is_cheap() {
            settings.global = settings.global.div_ceil(DEARER);
            settings.local = settings.local.div_ceil(DEARER);
        }
        let (spots, nominees) = spots.split_at_mut(count * dims);
        models.with(tail, backend, |model| {
            if matches!(question.policy, Policy::Hedge | Policy::Portfolio { .. }) {
                let nominees = nominees
                    .get_mut(..MEMBERS as usize * dims)
                    .ok_or(Limit::Members.refuse(MEMBERS as usize))?;
                maximiser
                    .nominate(model, question, &settings, portfolio, spots, nominees, plans, generator, unit)
            } else {
                maximiser.maximise(model, question, &settings, spots, plans, generator, unit)
            }
        })
    }
}

/// Where a fitted model is searched, and the memory for that.
struct Maximiser<'m, 'a, R> {
    trials: TrialsRead<'m, R>,
    task: Task<'m, R>,
    /// Whether points of a leaf have to be told apart.
    spaced: bool,
    search: &'m mut search::Memory<'a, R>,
    slope: &'m mut [R],
}

impl<R: Real> Maximiser<'_, '_, R> {
    /// Writes the point of largest acquisition to `unit`; the functions live on the stack of this alone.
    #[inline(never)]
    fn maximise(
        &mut self,
        model: &mut dyn Surrogate<R>,
        question: Question<'_, R>,
        settings: &Search,
        spots: &[R],
        memory: &mut [R],
        generator: &mut Generator,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let Self { trials, task, spaced, search, slope } = self;
        let candidates = slopes(question.batch, question.seed, search, unit.len());
        let question = Question { candidates, ..question };
        let mut functions = prepare(question, model, spots, memory, generator)?;
        let kind = question.is_ruled().then(|| ScoreKind::of(&question.rule));
        let mut average = Average { functions: &mut functions, log: kind == Some(ScoreKind::Log), slope };
        if !*spaced {
            let goal = Goal { model, function: &mut average };
            return search::propose(task, goal, settings, generator, search, unit);
        }
        let mut function = Spaced {
            function: &mut average,
            points: trials.units(),
            counts: &|slot: usize| trials.state(slot).is_some(),
            best: trials.unit(task.anchors[0]),
            positive: kind == Some(ScoreKind::Positive),
        };
        let goal = Goal { model, function: &mut function };
        search::propose(task, goal, settings, generator, search, unit)
    }

    /// Writes one of the points that the members of a portfolio nominate to `unit`; its score is the entropy that it takes
    /// away, or what its own rule says.
    fn nominate(
        &mut self,
        model: &mut dyn Surrogate<R>,
        question: Question<'_, R>,
        settings: &Search,
        portfolio: &mut [R],
        spots: &[R],
        nominees: &mut [R],
        memory: &mut [R],
        generator: &mut Generator,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let dims = unit.len();
        if question.policy == Policy::Hedge {
            let mut hedge = Hedge::attach(portfolio, MEMBERS as usize, dims, R::of(hedge::RATE))?;
            let first = (0..model.members()).find(|&member| model.weight(member) > R::ZERO);
            with_member(model, first.ok_or(Error::NoData)?, &mut |model| hedge.book(model))?;
        }
        let mut scores = [R::NAN; MEMBERS as usize];
        let members = portfolio::members().into_iter().zip(&mut scores);
        for ((rule, score), nominee) in members.zip(nominees.chunks_exact_mut(dims)) {
            let question =
                Question { policy: Policy::Closed, batch: Pending::Temperatures, rule, ..question };
            let found = self.maximise(model, question, settings, &[], &mut [], generator, unit)?;
            let Some(found) = found else { return Ok(None) };
            *score = found;
            nominee.copy_from_slice(unit);
        }
        let Policy::Portfolio { representers, draws, fantasies } = question.policy else {
            let mut hedge = Hedge::attach(portfolio, MEMBERS as usize, dims, R::of(hedge::RATE))?;
            let chosen = hedge.choose(nominees, generator)?;
            unit.copy_from_slice(&nominees[chosen * dims..(chosen + 1) * dims]);
            return Ok(Some(scores[chosen]));
        };
        scores.fill(R::ZERO);
        for member in 0..model.members() {
            let weight = model.weight(member);
            if weight > R::ZERO {
                with_member(model, member, &mut |model| {
                    let (draws, fantasies) = (draws as usize, fantasies as usize);
                    let mut search = EntropySearch::new(memory, representers as usize, draws, fantasies)?;
                    search.prepare(model, spots, question.noise, generator)?;
                    portfolio::add_scores(&mut search, model, nominees, weight, &mut scores)
                })?;
            }
        }
        let chosen = portfolio::best(&scores).ok_or(Error::NoData)?;
        unit.copy_from_slice(&nominees[chosen * dims..(chosen + 1) * dims]);
        Ok(Some(scores[chosen]))
    }

    /// Writes the lowest point of a function that is drawn by random Fourier features to `unit`.
    fn path<B: Backend<R> + ?Sized>(
        &mut self,
        models: Models<'_, '_, R>,
        settings: &Search,
        features: u32,
        memory: &mut [R],
        backend: &mut B,
        generator: &mut Generator,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let Models { shape, limits, tape, gp, posteriors, .. } = models;
        let (rows, columns) = (limits.trials as usize, limits.columns as usize);
        let mut path = RffThompson::new(memory, rows, shape.dims, columns, features as usize)?;
        let total = posteriors.used().fold(R::ZERO, |sum, member| sum + posteriors.weight(member));
        let mut left = total * rng::uniform::<R, _>(generator);
        let drawn = posteriors.used().find(|&member| {
            left -= posteriors.weight(member);
            left < R::ZERO
        });
        let mut along = |gp: &mut Gp<'_, R>| {
            let (x, y, known) = (gp.inputs(), gp.targets(), gp.known_variances());
            let (theta, beta) = (gp.theta(), gp.trend_coefficients());
            let (noise, theta) = theta.split_last().ok_or(Error::NoData)?;
            let data = rff_thompson::Data { x, y, known, noise: noise.exp(), trend: shape.trend, beta };
            path.prepare(tape, theta, &data, generator)?;
            let Split { posterior, work, .. } = gp.split()?;
            let mut model = Pointwise { backend: &mut *backend, tape, posterior, work };
            let goal = Goal { model: &mut model, function: &mut path };
            search::propose(&self.task, goal, settings, generator, self.search, unit)
        };
        match drawn {
            Some(member) => along(&mut posteriors.view(gp, member)?),
            None => along(gp),
        }
    }
}
