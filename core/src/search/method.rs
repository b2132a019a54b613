//! Methods of maximising the acquisition function.

use super::{Goal, Search, Task};
use crate::real::Real;

/// A way to find the point of largest acquisition.
///
/// ```
/// use infill::{Config, Search, search::Method};
/// let config = Config { search: Search::of(Method::Evolution), ..Config::default() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// What suits the space and the model.
    #[default]
    Auto,
    /// Candidates spread over the space and around the best points, the best of them polished: quasi-Newton steps where
    /// there is a gradient, exchanges of single values elsewhere.
    Ascent,
    /// The search of SMAC: from the trials of largest acquisition to better ones that differ in one parameter, four random
    /// ones per number, and random points.
    ///
    /// With [interleaving](crate::Interleave) of every second proposal at infinitely many deviations, that one is random, as
    /// there.
    Smac,
    /// Steps of one active parameter: a fixed step for a real, which is halved, one value for a whole number, any category.
    Typed,
    /// A mixed-integer evolution strategy, `Mies`, begun again where it stalls.
    Evolution,
    /// Covariance matrix adaptation, `Cma`, begun again where it stalls.
    Covariance,
    /// The best of random points.
    Random,
}

impl Method {
    /// All of them, by number.
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Ascent, Self::Smac, Self::Typed, Self::Evolution, Self::Covariance, Self::Random];
}

impl Search {
    /// What [`Method::Auto`] stands for; a search that is no ascent is followed by one polish.
    ///
    /// ```text
    /// some reals, others not, and nothing has a slope   Smac
    /// conditions                                        Typed
    /// otherwise                                         Ascent
    /// ```
    ///
    /// Without slopes an ascent has no way to move the reals: a random forest on six mixed parameters, 100 trials, twelve seeds,
    /// has a median best value of 0.0095 instead of 0.12 at the same cost; on reals alone neither is better. Under conditions
    /// the few starts of an ascent tend to lie in one branch: of 48 runs of 60 trials on seven branches 5 ended in a wrong one,
    /// none with typed steps.
    pub(super) fn suited<R: Real>(&self, task: &Task<'_, R>, goal: &Goal<'_, R>) -> Self {
        if self.method != Method::Auto {
            return *self;
        }
        let (domain, dims) = (&task.domain, task.domain.dims());
        let reals = (0..dims).filter(|&i| domain.continuous(i)).count();
        let sloped = (0..dims).any(|i| goal.smooth(i));
        let method = if !sloped && reals > 0 && (reals < dims || domain.conditional()) {
            Method::Smac
        } else if domain.conditional() {
            Method::Typed
        } else {
            Method::Ascent
        };
        if method == Method::Ascent {
            return Self { method: Method::Ascent, ..*self };
        }
        // Their steps are short and cheap.
        let (starts, rounds) = (self.starts.saturating_mul(2), self.rounds.saturating_mul(25));
        Self { method, starts, rounds, ..*self }
    }
}
