//! Schedules: how the parameter of an acquisition moves with the trials.

use super::cooling::Cooling;
use super::{Acquisition, bound};
use crate::error::Error;

/// How the parameter of an acquisition moves with the trials.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Schedule {
    /// It stays as it is.
    #[default]
    Constant,
    /// The temperature of [`Acquisition::LogMgf`] falls.
    Cooling(Cooling),
    /// The β of [`Acquisition::Bound`] grows as [`bound::schedule`] says; another acquisition stays as it is.
    Confidence {
        /// All bounds hold together with probability 1 − δ; between 0 and 1.
        delta: f64,
    },
}

impl Schedule {
    /// # Errors
    /// [`Error::Config`] for what does not cool, or is no probability.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Constant => Ok(()),
            Self::Cooling(cooling) => cooling.check(),
            Self::Confidence { delta } if delta > 0.0 && delta < 1.0 => Ok(()),
            Self::Confidence { .. } => Err(Error::Config),
        }
    }

    /// The rule after so many trials, the first `started` of which were the design's.
    pub(crate) fn at(
        &self,
        rule: Acquisition<f64>,
        trials: u64,
        started: u64,
        dims: usize,
    ) -> Acquisition<f64> {
        match (rule, *self) {
            (Acquisition::Bound { .. }, Self::Confidence { delta }) => {
                Acquisition::Bound { beta: bound::schedule(trials, dims, delta) }
            }
            (Acquisition::LogMgf { .. }, Self::Cooling(cooling)) => {
                Acquisition::LogMgf { temperature: cooling.temperature(trials.saturating_sub(started)) }
            }
            (rule, Self::Constant | Self::Cooling(_) | Self::Confidence { .. }) => rule,
        }
    }
}
