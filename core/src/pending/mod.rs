//! Pending trials: proposals while other trials are open (batch and asynchronous parallel optimization).
//!
//! A trial that is open has no value yet, and a rule that knows nothing of it would propose it again. Each member of
//! [`Pending`] is a way to let the rule know; with no trial open each is the rule itself, to the bit.
//!
//! ```text
//! Believer      open trials have given what the model predicts
//! Liar          open trials have given one value
//! Fantasies     (1/F) Σᶠ a(x | yᶠ),              yᶠ drawn jointly at the open trials
//! Penalty       a(x) Πⱼ φⱼ(x)
//! Temperatures  each proposal by another rule of one family
//! JointEi       E[max(min(b, f₁ … f_q) − f(x), 0)]
//! ```
//!
//! What is believed, and lied, are rows of the model. The other members work on any model with joint predictions, through
//! [`Surrogate`] alone: each is an acquisition function that is prepared once for a question and then scores as many
//! candidates as a search likes.

mod fantasies;
mod joint;
mod joint_ei;
mod liar;
mod noisy;
mod penalty;
#[cfg(test)]
mod tests;

pub(crate) use joint::Joint;
pub(crate) use liar::Belief;
pub use liar::Lie;
pub(crate) use penalty::Penalty;

pub(crate) use crate::acquisition::ScoreKind;

use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// How open trials are reckoned with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pending {
    /// They are believed to give what the model predicts: only its uncertainty shrinks.
    #[default]
    Believer,
    /// They are believed to give one of the values told so far.
    Liar(Lie),
    /// The rule is averaged over draws of what they may give.
    Fantasies {
        /// Draws, from 1 to `Pending::MOST`; powers of two use their sequence best.
        count: u32,
    },
    /// The rule is less where they will have looked.
    Penalty,
    /// They are left alone; proposals differ because each is made at another temperature.
    Temperatures,
    /// What a trial improves beyond them; for expected improvement and its logarithm.
    JointEi {
        /// Draws, from 1 to `Pending::MOST`; powers of two use their sequence best.
        draws: u32,
    },
}

impl Pending {
    /// The most draws.
    pub(crate) const MOST: u32 = 1 << 20;

    /// Whether its numbers are in range.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) const fn check(&self) -> Result<(), Error> {
        match self.draws() {
            Some(draws) if draws == 0 || draws > Self::MOST => Err(Error::Config),
            Some(_) | None => Ok(()),
        }
    }

    /// Scalars of memory of the prepared member with this many open trials; fewer need no more.
    pub(crate) const fn scalars(&self, open: usize, dims: usize) -> usize {
        match *self {
            Self::Fantasies { count: draws } | Self::JointEi { draws } => {
                Joint::<f64>::scalars(open, dims, draws as usize)
            }
            Self::Penalty => Penalty::<f64>::scalars(open, dims),
            // Those that are believed are rows of the model.
            Self::Believer | Self::Liar(_) | Self::Temperatures => 0,
        }
    }

    /// All of them, each at the place of its number, which is fixed for ever.
    pub(crate) const ALL: [Self; 8] = [
        Self::Believer,
        Self::Liar(Lie::Min),
        Self::Liar(Lie::Mean),
        Self::Liar(Lie::Max),
        Self::Fantasies { count: 64 },
        Self::Penalty,
        Self::Temperatures,
        Self::JointEi { draws: 64 },
    ];

    /// The number of the member in `Pending::ALL`.
    #[must_use]
    pub const fn code(&self) -> u32 {
        match *self {
            Self::Believer => 0,
            Self::Liar(Lie::Min) => 1,
            Self::Liar(Lie::Mean) => 2,
            Self::Liar(Lie::Max) => 3,
            Self::Fantasies { .. } => 4,
            Self::Penalty => 5,
            Self::Temperatures => 6,
            Self::JointEi { .. } => 7,
        }
    }

    /// Its draws, if it draws.
    const fn draws(&self) -> Option<u32> {
        match *self {
            Self::Fantasies { count: draws } | Self::JointEi { draws } => Some(draws),
            Self::Believer | Self::Liar(_) | Self::Penalty | Self::Temperatures => None,
        }
    }
}

/// The dimensions of a model, if there are `count` points of it.
fn check_points<R: Real>(model: &dyn Surrogate<R>, points: &[R], count: usize) -> Result<usize, Error> {
    let dims = model.dims();
    match count.checked_mul(dims) {
        Some(needed) if dims > 0 && points.len() == needed => Ok(dims),
        needed => Err(Error::Shape { needed: needed.unwrap_or(usize::MAX) }),
    }
}
