//! Finding the point of largest acquisition.
//!
//! Many candidates are scored in batches; the best few are polished: by quasi-Newton steps in the coordinates
//! that have a gradient, by exchanging single values in the others.

mod polish;
pub(crate) mod worth;

use crate::arena::{Arena, scalar_words};
use crate::backend::Spread;
use crate::descent::{self, Budget};
use crate::error::Error;
use crate::real::Real;
use crate::rng;
use crate::space::{Domain, sobol};
pub(crate) use worth::Worth;

/// The budget of one search, in counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
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
    /// A batch of candidates.
    points: &'a mut [R],
    /// Their scores.
    scores: &'a mut [R],
    /// The best candidates.
    starts: &'a mut [R],
    /// Their scores, NaN where there is none.
    values: &'a mut [R],
    /// Bounds, gradients and steps of a polish.
    polish: &'a mut [R],
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
    5 * dims + descent::scratch(dims)
}

impl<'a, R: Real> Memory<'a, R> {
    /// Room for a batch of candidates.
    pub(crate) fn points(&mut self) -> &mut [R] {
        self.points
    }

    pub(crate) fn carve(
        arena: &mut Arena<'a>,
        dims: usize,
        candidates: usize,
        starts: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            points: arena.scalars(candidates * dims)?,
            scores: arena.scalars(candidates)?,
            starts: arena.scalars(starts * dims)?,
            values: arena.scalars(starts)?,
            polish: arena.scalars(polish_scalars(dims))?,
        })
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
    /// Whether a point may not be proposed.
    pub(crate) taken: &'t dyn Fn(&[R]) -> bool,
}

impl<R: Real> Task<'_, R> {
    /// Writes a random point beside one of the anchors, counted round and round.
    pub(crate) fn beside<G: rand_core::Rng + ?Sized>(&self, which: usize, generator: &mut G, unit: &mut [R]) {
        let dims = unit.len();
        let anchor = self.anchors[which % self.anchors.len()];
        unit.copy_from_slice(&self.inputs[anchor * dims..(anchor + 1) * dims]);
        let exponent: R = rng::uniform(generator);
        let step = R::of(WIDEST) * (-exponent * R::of(SPAN)).exp();
        let share = (R::of(MOVED) / R::of_usize(dims)).min(R::ONE);
        self.domain.perturb(generator, step, share, unit);
    }
}

/// Writes the point of most worth that was found to `out` and returns its score; `None` if every candidate was taken.
///
/// # Errors
/// What scoring reports.
pub(crate) fn propose<R: Real, G: rand_core::Rng + ?Sized>(
    task: &Task<'_, R>,
    worth: &mut dyn Worth<R>,
    settings: &Search,
    generator: &mut G,
    memory: &mut Memory<'_, R>,
    out: &mut [R],
) -> Result<Option<R>, Error> {
    let dims = task.domain.dims();
    let starts = (settings.starts.max(1) as usize).min(memory.values.len());
    memory.values.fill(R::NAN);
    screen(task, worth, settings, generator, memory, starts)?;

    let mut best: Option<R> = None;
    for k in 0..starts {
        let Memory { points, scores, starts, values, polish } = memory;
        let start = &mut starts[k * dims..(k + 1) * dims];
        if values[k].is_nan() {
            continue;
        }
        if worth.screens() {
            values[k] = worth.exact(start)?;
        }
        let value = polish::polish(task, worth, settings, points, scores, polish, start, values[k])?;
        if best.is_none_or(|b| value > b) {
            best = Some(value);
            out.copy_from_slice(start);
        }
    }
    Ok(best)
}

/// Scores all candidates; keeps the best spread ones in the first half of the starts, the best local ones in the rest.
fn screen<R: Real, G: rand_core::Rng + ?Sized>(
    task: &Task<'_, R>,
    worth: &mut dyn Worth<R>,
    settings: &Search,
    generator: &mut G,
    memory: &mut Memory<'_, R>,
    starts: usize,
) -> Result<(), Error> {
    let dims = task.domain.dims();
    let sequence = sobol::Sequence { seed: generator.next_u64() };
    let batch = memory.scores.len();
    // A single start is the best of all; of several, each kind of candidate gets its share.
    let shared = starts == 1 || settings.local == 0;
    let spread = if shared { 0..starts } else { 0..starts.div_ceil(2) };
    let around = if shared { 0..starts } else { spread.end..starts };
    let passes = [(settings.global as usize, spread), (settings.local as usize, around)];
    for (pass, (total, keep)) in passes.into_iter().enumerate() {
        if pass == 0 && spread_by_backend(task, worth, sequence, total, keep.clone(), memory)? {
            continue;
        }
        let mut made = 0;
        while made < total {
            let size = batch.min(total - made);
            for (i, unit) in memory.points[..size * dims].chunks_exact_mut(dims).enumerate() {
                if pass == 0 {
                    for (k, u) in unit.iter_mut().enumerate() {
                        *u = sequence.coordinate((made + i) as u32, k);
                    }
                    task.domain.snap(unit);
                } else {
                    // Half of the candidates around the best point, the rest around the next ones.
                    let pick = made + i;
                    let which = if pick % 2 == 0 { 0 } else { pick / 2 };
                    task.beside(which, generator, unit);
                }
            }
            let points = &memory.points[..size * dims];
            let scores = &mut memory.scores[..size];
            worth.scores(points, scores)?;
            for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
                keep_best(memory.starts, memory.values, keep.clone(), point, score, task.taken);
            }
            made += size;
        }
    }
    Ok(())
}

/// Leaves the spread candidates to the backend, if it makes them itself; whether it did.
///
/// Only where every point of the sequence is a candidate as it is: all parameters real, without conditions and clauses.
fn spread_by_backend<R: Real>(
    task: &Task<'_, R>,
    worth: &mut dyn Worth<R>,
    sequence: sobol::Sequence,
    total: usize,
    keep: core::ops::Range<usize>,
    memory: &mut Memory<'_, R>,
) -> Result<bool, Error> {
    let (dims, domain) = (task.domain.dims(), &task.domain);
    if total == 0 || domain.conditional() || domain.forbidding() || !(0..dims).all(|i| domain.continuous(i)) {
        return Ok(false);
    }
    let spread = Spread { sequence, count: total as u32 };
    let Some(found) = worth.spread(spread, memory.points, memory.scores)? else {
        return Ok(false);
    };
    for (point, &score) in memory.points.chunks_exact(dims).zip(memory.scores.iter()).take(found) {
        keep_best(memory.starts, memory.values, keep.clone(), point, score, task.taken);
    }
    Ok(true)
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

/// Puts a candidate in the place of the worst of `keep` if it is better, new, and may be proposed.
fn keep_best<R: Real>(
    starts: &mut [R],
    values: &mut [R],
    keep: core::ops::Range<usize>,
    point: &[R],
    score: R,
    taken: &dyn Fn(&[R]) -> bool,
) {
    if score.is_nan() {
        return;
    }
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
    if values[worst] >= score || taken(point) {
        return;
    }
    if keep.clone().any(|k| !values[k].is_nan() && starts[k * dims..(k + 1) * dims] == *point) {
        return;
    }
    values[worst] = score;
    starts[worst * dims..(worst + 1) * dims].copy_from_slice(point);
}
