//! The proposal of the model where sources help it, and what they rule out.

use core::cell::RefCell;

use super::help::{Help, Helped, divide, widened};
use super::{points, seen, share, used};
use crate::acquisition::Acquisition;
use crate::backend::{Backend, Shared};
use crate::error::Error;
use crate::gp::student::Tail;
use crate::optimizer::block::{Block, TrialsRead};
use crate::optimizer::functions::prepare;
use crate::optimizer::memory::ScoreScratch;
use crate::pending::{Pending, ScoreKind};
use crate::policy::Question;
use crate::real::Real;
use crate::rng::Generator;
use crate::search::{self, Goal, Spaced, Task};
use crate::space::{Domain, sobol};
use crate::surrogate::{AcquisitionFunction, Average, Surrogate};
use crate::transfer::{
    Count, Gain, Informed, Knowledge, Mixture, Past, Prune, REACH, Seen, Sources, Span, Stage, Transfer, gap,
    utilities,
};
use crate::trial::State;

impl<R: Real> Block<'_, R> {
    /// Writes the point that is best by the model and the sources to `self.unit`.
    ///
    /// # Errors
    /// What reading the sources and searching report.
    ///
    /// Rows of the model from `rows` on are believed.
    #[inline(never)]
    pub(crate) fn search_from<B: Backend<R> + ?Sized>(
        &mut self,
        sources: Sources<'_, R>,
        rows: usize,
        rule: Acquisition<R>,
        best: R,
        tail: Tail<R>,
        backend: &mut B,
        generator: &mut Generator,
    ) -> Result<Option<R>, Error> {
        let Transfer { how, keep, .. } = self.config.transfer();
        let (limits, config, domain, dims) = (self.limits, self.config, self.domain, self.shape.dims);
        let (span, question) = (self.span(rows), self.question(rule, Pending::Temperatures, best));
        let kind = ScoreKind::of(&rule);
        // Near the lowest value, what a unit of the targets is in values.
        let lowest = self.trials.read().best().map_or(R::ZERO, |slot| self.trials.read().value(slot));
        let worth = R::ONE / self.scale()?.slope(lowest);
        let spaced = !config.surrogate.model.is_smooth();
        let held = self.hold_out(rows)?;
        let (models, trials, search, unit, desk, ..) = self.split();
        let task = Task {
            domain,
            inputs: trials.units(),
            anchors: &trials.lowest(),
            known: &|slot| trials.state(slot).is_some_and(|state| state != State::Queued),
            taken: &|unit: &[R]| trials.takes(domain, config.run.repeats, unit),
        };
        Error::NoData.when(task.anchors.is_empty())?;
        let (thetas, points) = (limits.thetas as usize, points(&limits));
        let ScoreScratch { plans, slope, .. } = desk;
        let [first, memory, rest] = divide(plans, how, &limits)?;
        // The model and the sources compute by turns.
        let backend = RefCell::new(backend);
        let mut lent = Shared(&backend);
        let mut known = Knowledge::new(sources, points, thetas, first)?;
        known.lend(&mut lent);
        let first = known.first().ok_or(Error::NoData)?;
        let helped = Helped { how, limits, dims, trials, waiting: true, held, seed: question.seed };
        let help = helped.help(&mut known, memory)?;
        let log = kind == ScoreKind::Log;
        let mut finish = |goal: Goal<'_, R>, generator: &mut Generator| {
            if keep == 1.0 {
                return search::propose_from(&task, goal, &config.search, generator, search, unit);
            }
            let share = share(&limits);
            let (memory, utility) = rest.split_at_mut_checked(share).ok_or(Error::Shape { needed: share })?;
            let utility = utility.get_mut(..SAMPLE).ok_or(Error::Shape { needed: SAMPLE })?;
            let mut nearest = Knowledge::new(sources, points, thetas, memory)?;
            let past = Past { points: used(&trials, dims), seen: &|slot| seen(&trials, slot) };
            nearest.read(Count::Nearest, &past)?;
            let seed = question.seed;
            let least = quantile(&mut nearest, domain, seed, keep, search.points(), utility)?;
            let beside = |unit: &[R]| is_beside(&trials, domain, unit);
            let mut function =
                Prune { function: goal.function, known: &mut nearest, least, beside: &beside, utility };
            let goal = Goal { model: goal.model, function: &mut function };
            search::propose_from(&task, goal, &config.search, generator, search, unit)
        };
        let question = match &help {
            Help::Pooled(pooled) => Question { best: pooled.best(), ..question },
            Help::Nothing | Help::Stage(..) | Help::Value(..) | Help::Function(..) | Help::Prior(_) => {
                question
            }
        };
        models.with(tail, &mut Shared(&backend), |model| {
            let flat = span.width <= R::ZERO;
            let span = widened(span, model, first.points())?;
            // The sources move the model, or what is maximised over it.
            let (mut stage, mut pooled);
            let (model, help): (&mut dyn Surrogate<R>, Help<'_, '_, R>) = match help {
                Help::Stage(known, weights) => {
                    stage = Stage { model, known, span, weights };
                    (&mut stage, Help::Nothing)
                }
                Help::Pooled(own) => {
                    pooled = own;
                    (pooled.surrogate(), Help::Nothing)
                }
                help @ (Help::Nothing | Help::Value(..) | Help::Function(..) | Help::Prior(_)) => {
                    (model, help)
                }
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
            let Span { width, .. } = span;
            let (mut gain, mut mixture, mut informed);
            let function: &mut dyn AcquisitionFunction<R> = match help {
                Help::Value(known, weights) => {
                    gain = Gain { function, log, known, width, weights };
                    &mut gain
                }
                Help::Function(known, alpha) => {
                    mixture = Mixture { function, log, known, width, alpha };
                    &mut mixture
                }
                Help::Prior(prior) => {
                    let value = if flat { prior.scale() / width } else { worth };
                    informed = Informed { function, log, value, prior };
                    &mut informed
                }
                Help::Nothing | Help::Stage(..) | Help::Pooled(_) => function,
            };
            finish(Goal { model, function }, generator)
        })
    }
}

/// Points by which the share of the space that is kept is found.
pub(super) const SAMPLE: usize = 256;

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
    let near = |(i, (&a, &b)): (usize, (&R, &R))| gap(domain, i, a, b) <= R::of(REACH);
    (0..trials.slots.len())
        .filter(|&slot| seen(trials, slot) != Seen::Nothing)
        .any(|slot| trials.unit(slot).iter().zip(unit).enumerate().all(near))
}
