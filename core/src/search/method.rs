//! The ways to find the point of largest acquisition.

use super::{Task, Worth};
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
    /// With [`Interleave`](crate::Interleave) `{ every: 2, beta: f64::INFINITY }` every second proposal is a random one, as
    /// there.
    Smac,
    /// Steps of one active parameter: a fixed step for a real, which is halved, one value for a whole number, any category.
    Typed,
    /// A mixed-integer evolution strategy, [`Mies`](crate::evolve::Mies), begun again where it stalls.
    Evolution,
    /// Covariance matrix adaptation, [`Cma`](crate::evolve::Cma), begun again where it stalls.
    Covariance,
    /// The best of random points.
    Random,
}

impl Method {
    /// All of them, by number.
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Ascent, Self::Smac, Self::Typed, Self::Evolution, Self::Covariance, Self::Random];

    /// What `Auto` stands for.
    pub(super) fn of<R: Real>(self, task: &Task<'_, R>, worth: &dyn Worth<R>) -> Self {
        let _ = (task, worth);
        if self == Self::Auto { Self::Ascent } else { self }
    }
}
