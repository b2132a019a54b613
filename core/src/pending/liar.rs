//! The constant liar and the kriging believer: open trials believed to have one value, or the model's own mean.

use super::Pending;
use crate::error::Error;
use crate::real::Real;

/// The value that every open trial is said to have, among the targets told so far.
///
/// # References
/// Ginsbourger, Le Riche and Carraro, *Kriging is well-suited to parallelize optimization*, 2010, section 4.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// The best: proposals stay near what looks good.
    Min,
    /// The mean.
    Mean,
    /// The worst: proposals go elsewhere.
    Max,
}

impl Lie {
    /// The value for these targets.
    ///
    /// # Errors
    /// [`Error::NoData`] without targets, [`Error::NotFinite`] if one is not finite.
    pub(crate) fn value<R: Real>(self, targets: &[R]) -> Result<R, Error> {
        Error::NoData.when(targets.is_empty())?;
        Error::NotFinite.when(targets.iter().any(|t| !t.is_finite()))?;
        Ok(match self {
            Self::Min => targets.iter().copied().fold(R::INFINITY, R::min),
            Self::Max => targets.iter().copied().fold(-R::INFINITY, R::max),
            Self::Mean => {
                // Divided before it is summed, so that the sum stays in range.
                let share = R::ONE / R::of_usize(targets.len());
                targets.iter().fold(R::ZERO, |sum, &t| sum + t * share)
            }
        })
    }
}

/// What open trials are believed to give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Belief<R> {
    /// What the model predicts: the kriging believer.
    Mean,
    /// One value: the constant liar.
    Value(R),
}

impl Pending {
    /// What open trials are believed to give, with these targets told; `None` if they are reckoned with in another way.
    pub(crate) fn belief<R: Real>(self, targets: &[R]) -> Result<Option<Belief<R>>, Error> {
        Ok(match self {
            Self::Believer => Some(Belief::Mean),
            Self::Liar(lie) => Some(Belief::Value(lie.value(targets)?)),
            Self::Fantasies { .. } | Self::Penalty | Self::Temperatures | Self::JointEi { .. } => None,
        })
    }
}
