//! Maximising the acquisition function: finding the point where it is largest.
//!
//! A closed set of ways, one file each: [`Method`].

mod ascent;
mod evolution;
mod goal;
mod local;
mod method;
mod polish;
mod random;
mod smac;
#[cfg(test)]
mod tests;
mod typed;
mod whole;

use rand_core::Rng;

use crate::block::{Arena, scalar_words};
use crate::error::Error;
use crate::lbfgs::{self, Budget};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::space::Domain;
pub(crate) use goal::{Goal, Spaced};
pub use method::Method;

/// Whether this build has other ways than those that [`Method::Auto`] takes.
const CHOICES: bool = cfg!(feature = "models");

/// How one search goes, and its budget in counts.
///
/// What the counts are of depends on the method. [`Search::of`] has what is usual for each.
///
/// | method | `global` | `local` | `starts` | `rounds` | `polish` |
/// | --- | --- | --- | --- | --- | --- |
/// | `Ascent` | candidates spread over the space | candidates around the best points | polished ones | rounds of exchanges | budget of a polish |
/// | `Smac` | random points | | trials that searches start from | steps of each | |
/// | `Typed` | random points | | the best of them that searches start from | steps of each | least gain of a step |
/// | `Evolution`, `Covariance` | evaluations per parameter | | starts without gain in a row that end it | starts per parameter | |
/// | `Random` | random points | | | | |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// The way.
    pub method: Method,
    /// Candidates spread over the space.
    pub global: u32,
    /// Candidates around the best points.
    pub local: u32,
    /// Candidates that are polished, at most [`Limits::starts`](crate::Limits::starts).
    pub starts: u32,
    /// Evaluations of each polish.
    pub polish: Budget,
    /// Rounds of exchanges over the parameters without gradient, each followed by a polish of the others.
    pub rounds: u32,
}

impl Search {
    /// The search that a method usually makes.
    ///
    /// ```
    /// use infill::{Config, Search, search::Method};
    /// let smac = Config { search: Search::of(Method::Smac), ..Config::default() };
    /// assert_eq!((smac.search.global, smac.search.starts), (10_000, 10));
    /// assert_eq!(Search::of(Method::Auto), Config::default().search);
    /// ```
    #[must_use]
    pub const fn of(method: Method) -> Self {
        let (global, local, starts, rounds) = match method {
            Method::Auto | Method::Ascent => (1024, 512, 4, 4),
            Method::Smac => (10_000, 0, 10, 1000),
            Method::Typed => (1000, 0, 10, 200),
            Method::Evolution | Method::Covariance => (500, 0, 3, 5),
            Method::Random => (1000, 0, 1, 0),
        };
        let polish = Budget { evaluations: 40, tolerance: 1e-9, reach: 0.01 };
        Self { method, global, local, starts, polish, rounds }
    }
}

/// How many of the best observed points have candidates around them.
pub(crate) const ANCHORS: usize = 4;
/// The longest step from such a point, as a part of the cube.
const WIDEST: f64 = 0.3;
/// Natural logarithm of the longest step over the shortest: down to 4·10⁻⁵, where a run ends rather than begins.
const SPAN: f64 = 9.0;
/// Coordinates that such a step moves on average, so that most stay as they are in many dimensions.
const MOVED: f64 = 12.0;

/// Lent memory of a search.
#[derive(Debug)]
pub(crate) struct Memory<'a, R> {
    batch: Batch<'a, R>,
    starts: Starts<'a, R>,
}

/// Memory in which candidates are scored and polished.
#[derive(Debug)]
struct Batch<'a, R> {
    points: &'a mut [R],
    scores: &'a mut [R],
    /// Bounds, gradients and steps of a polish.
    polish: &'a mut [R],
}

/// The best candidates.
#[derive(Debug)]
struct Starts<'a, R> {
    points: &'a mut [R],
    /// Their scores, NaN where there is none.
    values: &'a mut [R],
}

/// Words of memory for batches of `candidates` and `starts` polished points.
pub(crate) const fn words<R: Real>(dims: usize, candidates: usize, starts: usize) -> usize {
    scalar_words::<R>(candidates * dims)
        + scalar_words::<R>(candidates)
        + scalar_words::<R>(starts * dims)
        + scalar_words::<R>(starts)
        + scalar_words::<R>(polish_scalars(dims))
}

const fn polish_scalars(dims: usize) -> usize {
    5 * dims + lbfgs::scratch(dims)
}

impl<'a, R: Real> Memory<'a, R> {
    /// Room for a batch of candidates.
    pub(crate) fn points(&mut self) -> &mut [R] {
        self.batch.points
    }

    pub(crate) fn carve(
        arena: &mut Arena<'a>,
        dims: usize,
        candidates: usize,
        starts: usize,
    ) -> Result<Self, Error> {
        let (points, scores) = (arena.scalars(candidates * dims)?, arena.scalars(candidates)?);
        let starts = Starts { points: arena.scalars(starts * dims)?, values: arena.scalars(starts)? };
        Ok(Self { batch: Batch { points, scores, polish: arena.scalars(polish_scalars(dims))? }, starts })
    }
}

/// Where is searched.
#[derive(Clone, Copy)]
pub(crate) struct Task<'t, R> {
    pub(crate) domain: Domain<'t>,
    /// Points that were observed, row after row.
    pub(crate) inputs: &'t [R],
    /// The rows that have candidates around them, the lowest first.
    pub(crate) anchors: &'t [usize],
    /// Which rows are of trials.
    pub(crate) known: &'t dyn Fn(usize) -> bool,
    /// Whether a point may not be proposed.
    pub(crate) taken: &'t dyn Fn(&[R]) -> bool,
}

impl<R: Real> Task<'_, R> {
    /// Whether a point may not be proposed.
    fn bars(&self, unit: &[R]) -> bool {
        (self.taken)(unit)
    }

    /// Writes a random point beside one of the anchors, counted round and round.
    pub(crate) fn beside(&self, which: usize, generator: &mut Generator, unit: &mut [R]) {
        let dims = unit.len();
        let anchor = self.anchors[which % self.anchors.len()];
        unit.copy_from_slice(&self.inputs[anchor * dims..(anchor + 1) * dims]);
        let exponent: R = rng::uniform(generator);
        let step = R::of(WIDEST) * (-exponent * R::of(SPAN)).exp();
        let share = (R::of(MOVED) / R::of_usize(dims)).min(R::ONE);
        self.domain.perturb(generator, step, share, unit);
    }
}

/// Writes the point of largest score that was found to `out` and returns its score; `None` if every candidate was taken.
///
/// # Errors
/// What scoring reports.
pub(crate) fn propose<R: Real>(
    task: &Task<'_, R>,
    goal: Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    out: &mut [R],
) -> Result<Option<R>, Error> {
    let suited = &settings.suited(task, &goal);
    let Memory { batch, starts } = memory;
    // Borrowed for as long as the run alone.
    let goal = Goal { model: goal.model, function: goal.function };
    let mut run = Run { task, goal, settings: suited, generator, batch };
    let own = matches!(suited.method, Method::Smac | Method::Typed);
    if suited.method == Method::Ascent || !CHOICES && !own {
        return run.ascent(starts, out);
    }
    let mut dice = Generator::new(run.generator.next_u64());
    let mut best = Best::new(&mut dice, out);
    match suited.method {
        Method::Smac => run.smac(starts, &mut best)?,
        Method::Typed => run.typed(starts, &mut best)?,
        Method::Evolution | Method::Covariance if CHOICES => run.evolution(&mut best)?,
        Method::Auto | Method::Ascent | Method::Evolution | Method::Covariance | Method::Random => {
            run.random(&mut best)?;
        }
    }
    let Some(score) = best.score else { return Ok(None) };
    let mut score = run.goal.decide(out, score)?;
    if settings.method == Method::Auto {
        run.settings = settings;
        score = run.polish(out, score)?;
    }
    Ok(Some(score))
}

/// As [`propose`], but where the space has few points all of them are scored.
///
/// # Errors
/// What scoring reports.
pub(crate) fn propose_from<R: Real>(
    task: &Task<'_, R>,
    goal: Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    out: &mut [R],
) -> Result<Option<R>, Error> {
    if !whole::is_small(task, generator, out) {
        return propose(task, goal, settings, generator, memory, out);
    }
    let goal = Goal { model: goal.model, function: goal.function };
    let mut run = Run { task, goal, settings, generator, batch: &mut memory.batch };
    let mut dice = Generator::new(run.generator.next_u64());
    let mut best = Best::new(&mut dice, out);
    run.whole(&mut best)?;
    let Some(score) = best.score else { return Ok(None) };
    run.goal.decide(out, score).map(Some)
}

/// A search under way; its methods are those of [`Method`], one file each.
struct Run<'r, 'm, R> {
    task: &'r Task<'r, R>,
    goal: Goal<'r, R>,
    settings: &'r Search,
    generator: &'r mut Generator,
    batch: &'r mut Batch<'m, R>,
}

/// The best of the points that come one after the other; of equal ones each with the same probability.
struct Best<'b, R> {
    score: Option<R>,
    /// Points with that score.
    ties: u64,
    /// A generator of its own, so that what is drawn elsewhere does not depend on the size of a batch.
    dice: &'b mut Generator,
    point: &'b mut [R],
}

impl<'b, R: Real> Best<'b, R> {
    fn new(dice: &'b mut Generator, point: &'b mut [R]) -> Self {
        Self { score: None, ties: 0, dice, point }
    }

    /// Takes a point in.
    fn offer(&mut self, point: &[R], score: R) {
        if !score.is_nan() && self.score.is_none_or(|best| score > best) {
            (self.score, self.ties) = (Some(score), 0);
        }
        if self.score == Some(score) {
            self.ties = self.ties.saturating_add(1);
            if rng::below(self.dice, self.ties) == 0 {
                self.point.copy_from_slice(point);
            }
        }
    }
}

/// Rows of the lowest targets, the lowest first.
pub(crate) fn lowest<R: Real>(targets: &[R]) -> heapless::Vec<usize, ANCHORS> {
    lowest_of(targets.len(), |row| targets[row])
}

/// Those of `count` whose values are lowest, the lowest first; NaN does not count.
pub(crate) fn lowest_of<R: Real>(count: usize, value: impl Fn(usize) -> R) -> heapless::Vec<usize, ANCHORS> {
    let mut chosen = heapless::Vec::new();
    while !chosen.is_full() {
        let mut lowest: Option<usize> = None;
        for i in (0..count).filter(|i| !value(*i).is_nan() && !chosen.contains(i)) {
            if lowest.is_none_or(|l| value(i) < value(l)) {
                lowest = Some(i);
            }
        }
        let Some(row) = lowest else { break };
        if chosen.push(row).is_err() {
            break;
        }
    }
    chosen
}

impl<R: Real> Starts<'_, R> {
    /// Puts a candidate in the place of the worst of `keep` if it is better, new, and may be proposed.
    fn keep_best(
        &mut self,
        keep: core::ops::Range<usize>,
        point: &[R],
        score: R,
        barred: impl FnOnce(&[R]) -> bool,
    ) {
        if score.is_nan() {
            return;
        }
        let Self { points, values } = self;
        let dims = point.len();
        let mut worst = keep.start;
        for k in keep.clone() {
            if values[k].is_nan() {
                worst = k;
                break;
            }
            if values[k] < values[worst] {
                worst = k;
            }
        }
        if values[worst] >= score || barred(point) {
            return;
        }
        if keep.clone().any(|k| !values[k].is_nan() && points[k * dims..(k + 1) * dims] == *point) {
            return;
        }
        values[worst] = score;
        points[worst * dims..(worst + 1) * dims].copy_from_slice(point);
    }

    /// The first `count` that there are, with their scores.
    fn kept(&mut self, count: usize, dims: usize) -> impl Iterator<Item = (&mut [R], R)> {
        let kept = self.points.chunks_exact_mut(dims).zip(self.values.iter().copied()).take(count);
        kept.filter(|(_, value)| !value.is_nan())
    }
}
