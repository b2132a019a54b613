//! CMA-ES and MI-ES as baselines: what lasts of them lies in the block.

use super::{Baseline, History, Workspace};
use crate::error::Error;
use crate::evolution::{Cma, Mies, Population, Strategy};
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;

/// Individuals that are given up because their point is taken, before a random point has to do.
const TRIES: u32 = 16;

impl Baseline {
    /// The numbers of an evolution strategy; nothing for what is none.
    const fn population(&self, dims: usize, open: usize) -> Option<Population> {
        // One place more, for points that came from elsewhere.
        let open = open.saturating_add(1);
        match *self {
            Self::Covariance { offspring: 0 } => Some(Population::cma(dims, open)),
            Self::Covariance { offspring } => {
                let offspring = offspring as usize;
                Some(Population { dims, parents: offspring / 2, offspring, open })
            }
            Self::Evolution { parents, offspring } => {
                Some(Population { dims, parents: parents as usize, offspring: offspring as usize, open })
            }
            Self::Random | Self::Grid { .. } | Self::Sobol | Self::Anneal(_) | Self::Parzen(_) => None,
        }
    }

    /// Scalars that it keeps from question to question, with so many trials open.
    #[must_use]
    pub(crate) const fn state(&self, dims: usize, open: usize) -> usize {
        match (self, self.population(dims, open)) {
            (_, None) => 0,
            (Self::Covariance { .. }, Some(group)) => Cma::<f64>::scalars(group),
            (_, Some(group)) => Mies::<f64>::scalars(group),
        }
    }

    /// Writes the first state.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is too little memory.
    pub(crate) fn start<R: Real>(&self, dims: usize, open: usize, state: &mut [R]) -> Result<(), Error> {
        match (self, self.population(dims, open)) {
            (_, None) => Ok(()),
            (Self::Covariance { .. }, Some(group)) => Cma::new(state, group).map(|_| ()),
            (_, Some(group)) => Mies::new(state, group).map(|_| ()),
        }
    }

    /// Whether the numbers are a state.
    pub(crate) fn is_state<R: Real>(&self, dims: usize, open: usize, state: &mut [R]) -> bool {
        match (self, self.population(dims, open)) {
            (_, None) => true,
            (Self::Covariance { .. }, Some(group)) => Cma::attach(state, group).is_ok(),
            (_, Some(group)) => Mies::attach(state, group).is_ok(),
        }
    }

    /// Takes in the value of the trial with this number, asked for or not; +∞ if it failed.
    pub(crate) fn tell<R: Real>(
        &self,
        domain: &Domain<'_>,
        open: usize,
        key: u64,
        (unit, value): (&[R], R),
        state: &mut [R],
    ) {
        let Some(group) = self.population(domain.dims(), open) else { return };
        // A state that was damaged since it was attached learns nothing more; the trials are safe.
        let _ = if let Self::Covariance { .. } = self {
            Cma::attach(state, group).and_then(|strategy| told(strategy, domain, key, unit, value))
        } else {
            Mies::attach(state, group).and_then(|strategy| told(strategy, domain, key, unit, value))
        };
    }

    /// Gives up the trial with this number.
    pub(crate) fn forget<R: Real>(&self, dims: usize, open: usize, key: u64, state: &mut [R]) {
        match (self, self.population(dims, open)) {
            (_, None) => {}
            (Self::Covariance { .. }, Some(group)) => {
                let _ = Cma::attach(state, group).map(|mut cma| cma.forget(key));
            }
            (_, Some(group)) => {
                let _ = Mies::attach(state, group).map(|mut mies| mies.forget(key));
            }
        }
    }

    /// Makes the state of fewer open trials, at the front of `state`, one of more.
    pub(crate) fn grow<R: Real>(&self, dims: usize, (old, new): (usize, usize), state: &mut [R]) {
        // Places for open individuals stand last but for what CMA-ES works in, and a free one begins with −1.
        let work = if matches!(self, Self::Covariance { .. }) { 2 * dims } else { 0 };
        let end = |open| self.state(dims, open).saturating_sub(work);
        if let Some(rest) = state.get_mut(end(old)..end(new) + work) {
            let (places, work) = rest.split_at_mut(rest.len() - work);
            places.fill(-R::ONE);
            work.fill(R::ZERO);
        }
    }
}

/// Writes the next individual whose point is not taken.
///
/// # Errors
/// [`Error::Infeasible`] for a space of which nothing is left, [`Error::Corrupt`] for a damaged state.
pub(super) fn propose<R: Real>(
    free: &Baseline,
    history: &History<'_, R>,
    desk: Workspace<'_, R>,
    unit: &mut [R],
) -> Result<Option<R>, Error> {
    let Workspace { generator, key, state, open, .. } = desk;
    let Some(group) = free.population(unit.len(), open) else { return Ok(None) };
    let made = if let Baseline::Covariance { .. } = free {
        asked(Cma::attach(state, group)?, history, generator, key, unit)?
    } else {
        asked(Mies::attach(state, group)?, history, generator, key, unit)?
    };
    Ok(made.then_some(R::NAN))
}

/// Tells a value, asked for or not.
fn told<'a, R: Real>(
    mut strategy: impl Strategy<'a, R>,
    domain: &Domain<'_>,
    key: u64,
    unit: &[R],
    value: R,
) -> Result<bool, Error> {
    match strategy.tell(key, value) {
        Err(Error::StaleTrial) => strategy.adopt(domain, unit, value),
        answer => answer,
    }
}

/// Asks until a point is not taken; whether one was found.
fn asked<'a, R: Real>(
    mut strategy: impl Strategy<'a, R>,
    history: &History<'_, R>,
    generator: &mut Generator,
    key: u64,
    unit: &mut [R],
) -> Result<bool, Error> {
    for _ in 0..TRIES {
        strategy.ask(&history.domain, generator, key, unit)?;
        if !history.taken(unit) {
            return Ok(true);
        }
        strategy.forget(key);
    }
    Ok(false)
}
