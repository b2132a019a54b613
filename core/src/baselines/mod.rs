//! Baselines without a surrogate (random search, grid, Sobol, annealing, TPE, CMA-ES, MI-ES) behind the same ask and tell.
//!
//! ```text
//! random   x ~ U                                   grid    the cells of a mesh, spread first
//! Sobol    the next point of a scrambled sequence  anneal  a neighbour of a chain that cools
//! Parzen   argmax l(x)/g(x), densities of the good and of the bad trials (TPE)
//! CMA-ES   x ~ N(m, σ²C)                           MI-ES   mutated children of the best parents
//! ```
//!
//! All but the last two are functions of the trials alone: what was forgotten or dropped leaves no trace.

mod anneal;
mod density;
mod evolution;
mod grid;
mod parzen;
mod sobol;

pub use anneal::Anneal;
pub use parzen::Parzen;

use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;

/// A method that proposes points without a model of the function.
///
/// ```
/// use infill::{Baseline, Config, Limits, Optimizer, Param, Space};
/// let params = [Param::real(-5.0, 10.0), Param::categorical(3)];
/// let space = Space::new(&params, &[])?;
/// let config = Config::default().with(|c| c.proposal.baseline = Some(Baseline::TPE));
/// let limits = Limits::new(2, 40).suit(&config);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
/// let mut x = [0.0; 2];
/// for _ in 0..40 {
///     let ask = optimizer.ask(&mut x)?;
///     optimizer.tell(ask.id, (x[0] - 1.0).powi(2) + x[1])?;
/// }
/// assert!(optimizer.best().unwrap().value < 1.0);
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Baseline {
    /// Each parameter that matters uniform on its scale.
    Random,
    /// Every point of a mesh once, then [`Error::Exhausted`].
    ///
    /// A category or ordinal has all its values, a real or an integer of more values than that `levels` of them, evenly
    /// spaced on its scale from end to end (fewer where two are the same integer). The order is that of a scrambled Sobol sequence, so that any number of first
    /// points is spread over the whole mesh, until a hit is rare; then what is left, in order.
    Grid {
        /// Values of a real, or of an integer that has more.
        levels: u32,
    },
    /// A scrambled Sobol sequence; points that discrete parameters or conditions make equal come once.
    Sobol,
    /// Simulated annealing.
    Anneal(Anneal),
    /// Parzen estimators: TPE.
    Parzen(Parzen),
    /// CMA-ES on the unit cube, from its centre; discrete parameters are rounded.
    Covariance {
        /// Values λ of a generation; 0 for 4 + ⌊3 ln d⌋.
        offspring: u32,
    },
    /// MI-ES, the evolution strategy for mixed and conditional spaces.
    Evolution {
        /// Parents μ, at most `offspring`.
        parents: u32,
        /// Values λ of a generation.
        offspring: u32,
    },
}

/// What has become of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome<R> {
    /// Nothing there, or nothing that was asked for.
    Absent,
    /// No answer yet.
    Open,
    /// A value.
    Told(R),
    /// No value.
    Failed,
}

/// What is known when a point is asked for.
#[derive(Clone, Copy)]
pub(crate) struct History<'h, R> {
    pub(crate) domain: Domain<'h>,
    /// The points of all trials, snapped, one after the other.
    pub(crate) points: &'h [R],
    /// The order in which they were asked for.
    pub(crate) sequence: &'h [u64],
    /// What has become of each.
    pub(crate) outcome: &'h dyn Fn(usize) -> Outcome<R>,
    /// Whether a point is that of a trial.
    pub(crate) known: &'h dyn Fn(&[R]) -> bool,
    /// Whether a point may be proposed twice.
    pub(crate) repeats: bool,
}

impl<'h, R: Real> History<'h, R> {
    /// The point of a trial.
    pub(crate) fn point(&self, trial: usize) -> &'h [R] {
        let dims = self.domain.dims();
        &self.points[trial * dims..(trial + 1) * dims]
    }

    /// Whether a snapped point may not be proposed.
    pub(crate) fn taken(&self, unit: &[R]) -> bool {
        !self.domain.allows(unit) || !self.repeats && (self.known)(unit)
    }

    /// Writes the trials that pass to the front of `out` in the order in which they were asked for; how many.
    fn in_order(&self, out: &mut [R], pass: impl Fn(Outcome<R>) -> bool) -> usize {
        let mut count = 0;
        for trial in (0..self.sequence.len()).filter(|&trial| pass((self.outcome)(trial))) {
            let Some(place) = out.get_mut(count) else { break };
            *place = R::of_usize(trial);
            count += 1;
        }
        out[..count].sort_unstable_by_key(|&trial| self.sequence[index(trial)]);
        count
    }
}

/// What a method works with.
pub(crate) struct Workspace<'d, R> {
    pub(crate) generator: &'d mut Generator,
    /// The seed of the run.
    pub(crate) seed: u64,
    /// How far a sequence has come.
    pub(crate) position: &'d mut u64,
    /// The number of the trial that is to come.
    pub(crate) key: u64,
    /// Trials that may be open together.
    pub(crate) open: usize,
    /// What lasts: [`Baseline::state`] scalars.
    pub(crate) state: &'d mut [R],
    /// What does not: [`Baseline::work`] scalars.
    pub(crate) work: &'d mut [R],
}

impl Baseline {
    /// Simulated annealing as usual.
    pub const ANNEAL: Self = Self::Anneal(Anneal::USUAL);
    /// Multivariate, conditional TPE as usual.
    pub const TPE: Self = Self::Parzen(Parzen::USUAL);
    /// CMA-ES with the common population.
    pub const CMA_ES: Self = Self::Covariance { offspring: 0 };
    /// MI-ES with four parents and 28 offspring.
    pub const MI_ES: Self = Self::Evolution { parents: 4, offspring: 28 };

    /// Whether every point is that of a design, whatever was told.
    pub(crate) const fn is_design(&self) -> bool {
        matches!(self, Self::Random | Self::Grid { .. } | Self::Sobol)
    }

    /// Trials of the starting design unless the configuration says how many.
    pub(crate) const fn starting_trials(&self) -> u32 {
        match self {
            Self::Parzen(_) => 10,
            Self::Random
            | Self::Grid { .. }
            | Self::Sobol
            | Self::Anneal(_)
            | Self::Covariance { .. }
            | Self::Evolution { .. } => 0,
        }
    }

    /// Scalars that it works in while it answers a question about so many trials of so many parameters.
    pub(crate) const fn work(&self, trials: usize, dims: usize) -> usize {
        match self {
            Self::Random | Self::Sobol | Self::Covariance { .. } | Self::Evolution { .. } => 0,
            Self::Grid { .. } => dims,
            Self::Anneal(_) => trials,
            Self::Parzen(_) => parzen::work(trials, dims),
        }
    }

    /// Refuses settings that cannot be worked with.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let sound = match *self {
            Self::Random | Self::Sobol => true,
            Self::Grid { levels } => (1..=1 << 16).contains(&levels),
            Self::Anneal(anneal) => anneal.is_sound(),
            Self::Parzen(parzen) => parzen.is_sound(),
            Self::Covariance { offspring } => offspring == 0 || (2..=1 << 12).contains(&offspring),
            Self::Evolution { parents, offspring } => {
                parents > 0 && parents <= offspring && offspring <= 1 << 12
            }
        };
        if sound { Ok(()) } else { Err(Error::Config) }
    }

    /// Writes the next point to `unit`: what it is worth if the method says, NaN otherwise; `None` if it has nothing new.
    ///
    /// # Errors
    /// [`Error::Exhausted`] for a grid that is used up, [`Error::Infeasible`] for a space of which nothing is left.
    pub(crate) fn propose<R: Real>(
        &self,
        history: &History<'_, R>,
        desk: Workspace<'_, R>,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        match self {
            // The caller has random points for everyone who has none.
            Self::Random => Ok(None),
            Self::Grid { levels } => grid::propose(*levels, history, desk, unit),
            Self::Sobol => Ok(sobol::propose(history, desk, unit)),
            Self::Anneal(anneal) => Ok(anneal.propose(history, desk, unit)),
            Self::Parzen(parzen) => parzen.propose(history, desk, unit),
            Self::Covariance { .. } | Self::Evolution { .. } => evolution::propose(self, history, desk, unit),
        }
    }
}

/// The trial whose number is kept in a scalar; exact, for there are less than 2²⁴.
fn index<R: Real>(trial: R) -> usize {
    trial.to_f64() as usize
}

#[cfg(test)]
mod tests;
