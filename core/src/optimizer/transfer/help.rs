//! What sources are to the model of a run, and to what is maximised over it.

use super::{held_scalars, own, room, seen, share, used};
use crate::error::Error;
use crate::gp::Split;
use crate::limits::Limits;
use crate::optimizer::block::{Block, TrialsRead};
use crate::real::Real;
use crate::surrogate::Surrogate;
use crate::transfer::{Count, Held, How, Knowledge, Near, Past, Pooled, Prior, Span, Told, Weights, weigh};
use crate::trial::State;

/// A run, and how sources are to help it.
pub(super) struct Helped<'t, R> {
    pub(super) how: How,
    pub(super) limits: Limits,
    pub(super) dims: usize,
    pub(super) trials: TrialsRead<'t, R>,
    /// Whether trials that wait for their value are rows, of which only the point is known.
    pub(super) waiting: bool,
    /// How many values [`Block::hold_out`] wrote.
    pub(super) held: usize,
    pub(super) seed: u64,
}

/// What sources do, once they are read.
#[allow(clippy::large_enum_variant, reason = "one of them lives on the stack of a question")]
pub(super) enum Help<'p, 'k, R> {
    /// They start a run, and may rule points out.
    Nothing,
    /// Their predictions are mixed with those of the model.
    Stage(&'p mut Knowledge<'k, R>, Weights),
    /// Their improvements are added to that of the model.
    Value(&'p mut Knowledge<'k, R>, Weights),
    /// Their cover is mixed with the improvement, which has this share.
    Function(&'p mut Knowledge<'k, R>, R),
    /// They are the prior of the run.
    Prior(Prior<'p, 'k, R>),
    /// They have a model together with the run.
    Pooled(Pooled<'p, R>),
}

impl<R: Real> Helped<'_, R> {
    /// Reads the sources, weighs them, and fits what has a model of its own; `memory` is as large as [`own`] says.
    ///
    /// # Errors
    /// What reading and fitting report.
    pub(super) fn help<'p, 'k>(
        &self,
        known: &'p mut Knowledge<'k, R>,
        memory: &'p mut [R],
    ) -> Result<Help<'p, 'k, R>, Error> {
        let Self { how, limits, dims, trials, held, seed, .. } = self;
        if *how != How::Alone {
            let past = Past { points: used(trials, *dims), seen: &|slot| seen(trials, slot) };
            known.read(count_of(*how), &past)?;
        }
        if let How::Stage(Weights::Sampled { draws }) | How::Value(Weights::Sampled { draws }) = *how {
            let (own, rest) = memory.split_at_mut(held_scalars(limits));
            let held = Held::of(own, *held, *dims)?;
            weigh(known, &held, draws as usize, rest, *seed)?;
        }
        let row = |row: usize| {
            let slot = self.order(row);
            let value = matches!(trials.state(slot), Some(State::Done)).then(|| trials.value(slot));
            (trials.unit(slot), value)
        };
        let count = (0..trials.slots.len()).filter(|&slot| self.is_row(slot)).count();
        let run = Told { row: &row, count };
        Ok(match *how {
            How::Alone => Help::Nothing,
            How::Stage(weights) => Help::Stage(known, weights),
            How::Value(weights) => Help::Value(known, weights),
            How::Function { alpha, growth } => Help::Function(known, R::of(grown(alpha, growth, count))),
            How::Prior => {
                let sizes = [limits.trials as usize, limits.candidates as usize];
                Help::Prior(Prior::new(known, &run, sizes, memory)?)
            }
            How::Neighbours { .. } | How::Ranker | How::Perceptron => {
                match Pooled::new(*how, known, &run, &room(limits), memory, *seed)? {
                    Some(pooled) => Help::Pooled(pooled),
                    None => Help::Nothing,
                }
            }
        })
    }

    /// Whether a trial is told or waits for its value.
    fn is_row(&self, slot: usize) -> bool {
        match self.trials.state(slot) {
            Some(State::Done) => true,
            Some(State::Open) => self.waiting,
            Some(State::Queued | State::Failed) | None => false,
        }
    }

    /// The slot of a row: those that are told come first.
    fn order(&self, row: usize) -> usize {
        let told = self.trials.in_state(Some(State::Done));
        told.chain(self.trials.in_state(Some(State::Open))).nth(row).unwrap_or(0)
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

/// The share of the improvement after some trials: it grows evenly from `alpha` to 1.
fn grown(alpha: f64, growth: u32, trials: usize) -> f64 {
    if growth == 0 { alpha } else { alpha + (1.0 - alpha) * (trials as f64 / f64::from(growth)).min(1.0) }
}

/// Memory divided into what is known from sources, what [`own`] says, and the rest.
///
/// # Errors
/// [`Error::Shape`] for too little.
pub(super) fn divide<'d, R>(
    plans: &'d mut [R],
    how: How,
    limits: &Limits,
) -> Result<[&'d mut [R]; 3], Error> {
    let needed = share(limits);
    let (first, rest) = plans.split_at_mut_checked(needed).ok_or(Error::Shape { needed })?;
    let needed = own(how, limits);
    let (memory, rest) = rest.split_at_mut_checked(needed).ok_or(Error::Shape { needed })?;
    Ok([first, memory, rest])
}

/// A span that is as wide as the model deviates at some points, if it has no width.
///
/// # Errors
/// What the model reports.
pub(super) fn widened<R: Real>(
    span: Span<R>,
    model: &mut dyn Surrogate<R>,
    points: &[R],
) -> Result<Span<R>, Error> {
    let width = if span.width <= R::ZERO { deviation(model, points)? } else { span.width };
    Ok(Span { width, ..span })
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

impl<R: Real> Block<'_, R> {
    /// Where the values of sources lie among the targets: between the lowest and the highest told one. Of no width if all are
    /// the same.
    pub(super) fn span(&self, rows: usize) -> Span<R> {
        let trials = self.trials.read();
        let told = |row: &usize| trials.state(self.rows[*row] as usize) == Some(State::Done);
        let targets = (0..rows).filter(told).map(|row| self.gp.targets()[row]);
        let ends = targets.fold((R::INFINITY, -R::INFINITY), |(lo, hi), y| (lo.min(y), hi.max(y)));
        Span { low: ends.0, width: ends.1 - ends.0 }
    }

    /// Writes what was told and what the process says of each without it behind the shared memory, where draws of them decide;
    /// returns how many there are, or 0.
    ///
    /// ```text
    /// μⱼ = yⱼ − αⱼ/Pⱼⱼ,   σⱼ² = 1/Pⱼⱼ,   P = K⁻¹
    /// ```
    ///
    /// Cost: O(rows³).
    pub(super) fn hold_out(&mut self, rows: usize) -> Result<usize, Error> {
        if !self.config.transfer().how.weights().is_some_and(Weights::is_sampled) {
            return Ok(0);
        }
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
}
