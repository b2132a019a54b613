//! CMA-ES and MI-ES as baselines: what lasts of them lies in the block.

use super::{Baseline, History, Workspace};
use crate::error::Error;
use crate::evolution::{Cma, Mies, Population, Strategy};
use crate::real::Real;
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

    /// The strategy in the state that an earlier call left; nothing for what is none.
    fn attach<'a, R: Real>(
        &self,
        dims: usize,
        open: usize,
        state: &'a mut [R],
    ) -> Result<Option<Attached<'a, R>>, Error> {
        Ok(match (self, self.population(dims, open)) {
            (_, None) => None,
            (Self::Covariance { .. }, Some(group)) => Some(Attached::Covariance(Cma::attach(state, group)?)),
            (_, Some(group)) => Some(Attached::Evolution(Mies::attach(state, group)?)),
        })
    }

    /// Whether the numbers are a state.
    pub(crate) fn is_state<R: Real>(&self, dims: usize, open: usize, state: &mut [R]) -> bool {
        self.attach(dims, open, state).is_ok()
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
        // A state that was damaged since it was attached learns nothing more; the trials are safe.
        let Ok(Some(mut attached)) = self.attach(domain.dims(), open, state) else { return };
        let strategy = attached.strategy();
        if strategy.tell(key, value) == Err(Error::StaleTrial) {
            let _ = strategy.adopt(domain, unit, value);
        }
    }

    /// Gives up the trial with this number.
    pub(crate) fn forget<R: Real>(&self, dims: usize, open: usize, key: u64, state: &mut [R]) {
        if let Ok(Some(mut attached)) = self.attach(dims, open, state) {
            attached.strategy().forget(key);
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
    let Some(mut attached) = free.attach(unit.len(), open, state)? else { return Ok(None) };
    let strategy = attached.strategy();
    for _ in 0..TRIES {
        strategy.ask(&history.domain, generator, key, unit)?;
        if !history.taken(unit) {
            return Ok(Some(R::NAN));
        }
        strategy.forget(key);
    }
    Ok(None)
}

/// An evolution strategy in the state of the block.
enum Attached<'a, R> {
    Covariance(Cma<'a, R>),
    Evolution(Mies<'a, R>),
}

impl<'a, R: Real> Attached<'a, R> {
    fn strategy(&mut self) -> &mut dyn Strategy<'a, R> {
        match self {
            Self::Covariance(cma) => cma,
            Self::Evolution(mies) => mies,
        }
    }
}
