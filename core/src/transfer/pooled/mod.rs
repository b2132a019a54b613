//! Surrogates of a run together with its sources, which take the place of the model.

pub(super) mod inputs;
pub(super) mod neighbours;
pub(super) mod perceptron;
pub(super) mod process;
pub(super) mod ranker;

use super::How;
use super::knowledge::{Knowledge, Told};
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;
pub(crate) use neighbours::Neighbours;
pub(crate) use perceptron::Perceptron;
pub(crate) use ranker::Ranker;

/// How much there is at the most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Sources, and rows of each.
    pub(crate) sources: usize,
    pub(crate) rows: usize,
    /// Trials of the run.
    pub(crate) trials: usize,
    pub(crate) dims: usize,
    /// Hyperparameters of a kernel.
    pub(crate) thetas: usize,
}

/// One of them, fitted.
#[derive(Debug)]
pub(crate) enum Pooled<'p, R> {
    Neighbours(Neighbours<'p, R>),
    Ranker(Ranker<'p, R>),
    Perceptron(Perceptron<'p, R>),
}

impl<'p, R: Real> Pooled<'p, R> {
    /// Scalars that it takes; 0 for what takes the place of no model.
    pub(crate) const fn scalars(how: How, room: &Room) -> usize {
        match how {
            How::Neighbours { count, .. } => Neighbours::<R>::scalars(count as usize, room),
            How::Ranker => Ranker::<R>::scalars(room),
            How::Perceptron => Perceptron::<R>::scalars(room),
            How::Alone | How::Stage(_) | How::Value(_) | How::Function { .. } | How::Prior => 0,
        }
    }

    /// Fits it to the sources and what was told; nothing for what takes the place of no model.
    ///
    /// # Errors
    /// [`Error::NoData`] without a told value, [`Error::Shape`] for too little memory, and what fitting reports.
    pub(crate) fn new<'k: 'p>(
        how: How,
        known: &mut Knowledge<'k, R>,
        run: &Told<'_, R>,
        room: &Room,
        memory: &'p mut [R],
        seed: u64,
    ) -> Result<Option<Self>, Error> {
        Ok(Some(match how {
            How::Neighbours { alpha, count, by } => {
                Self::Neighbours(Neighbours::new(alpha, count as usize, by, known, run, room, memory)?)
            }
            How::Ranker => Self::Ranker(Ranker::new(known, run, room, memory, seed)?),
            How::Perceptron => Self::Perceptron(Perceptron::new(known, run, room, memory, seed)?),
            How::Alone | How::Stage(_) | How::Value(_) | How::Function { .. } | How::Prior => {
                return Ok(None);
            }
        }))
    }

    /// The value to improve on, in its units.
    pub(crate) fn best(&self) -> R {
        match self {
            Self::Neighbours(own) => own.best(),
            Self::Ranker(own) => own.best(),
            Self::Perceptron(own) => own.best(),
        }
    }

    /// Where its values lie among those of the run: at `offset + width · value`; nothing for what only ranks.
    pub(crate) fn units(&self) -> Option<[R; 2]> {
        match self {
            Self::Neighbours(own) => Some(own.units()),
            Self::Ranker(_) => None,
            Self::Perceptron(own) => Some(own.units()),
        }
    }

    /// The model that it is.
    pub(crate) fn surrogate(&mut self) -> &mut dyn Surrogate<R> {
        match self {
            Self::Neighbours(own) => own,
            Self::Ranker(own) => own,
            Self::Perceptron(own) => own,
        }
    }
}
