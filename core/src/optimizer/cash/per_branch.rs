//! EGO-ss, a search for each branch: the branch that offers most is asked.

use super::ask::Pick;
use super::block::{Branched, Offer};
use crate::backend::Backend;
use crate::error::Error;
use crate::real::Real;
use crate::rng;

impl<R: Real> Branched<'_, R> {
    /// The branch whose best point is worth most; equals are drawn among.
    ///
    /// ```text
    /// v* = argmax_v max_θ U_v(θ),   from −∞, so that a worth of 0 in all branches does not mean the first
    /// ```
    ///
    /// A branch keeps its point until it is asked or told something, the scale or the value to improve on changes, so that
    /// one search is done where a value was told that is no better than the best. A branch with too little data for a model
    /// is worth infinitely much, one whose model could not be fitted nothing. Where a confidence bound has its turn
    /// ([`Interleave`](crate::Interleave)) the branch is chosen as ever, and the bound chooses the point in it.
    pub(super) fn pick_per_branch<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
    ) -> Result<Option<Pick>, Error> {
        let criterion = self.criterion(backend)?;
        let mut generator = self.generator()?;
        let mut chosen: Option<(usize, f64)> = None;
        let mut equals = 0;
        for branch in 0..self.branches {
            if !self.searches(branch) {
                continue;
            }
            if self.record(branch).offer() != Some(Offer::Point) {
                let (mut optimizer, proposal, _) = self.optimizer_and_proposal(branch)?;
                let modelled = optimizer.has_model()?;
                let found = if modelled {
                    optimizer.propose(backend, criterion, proposal)
                } else {
                    Err(Error::NoData)
                };
                let (offer, worth) = match found {
                    Ok(Some(worth)) if !worth.is_nan() => (Offer::Point, worth.to_f64()),
                    Ok(_) => (Offer::Nothing, f64::NEG_INFINITY),
                    Err(Error::NotPositiveDefinite { .. } | Error::NoData | Error::NotFinite) => {
                        (Offer::Nothing, if modelled { f64::NEG_INFINITY } else { f64::INFINITY })
                    }
                    Err(Error::Exhausted) => {
                        self.record(branch).set_spent(true);
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                self.record(branch).set_offer(offer, worth);
            }
            let worth = self.record(branch).worth();
            match chosen {
                Some((_, most)) if worth < most => {}
                Some((_, most)) if worth == most => {
                    equals += 1;
                    if rng::below(&mut generator, equals) == 0 {
                        chosen = Some((branch, worth));
                    }
                }
                _ => {
                    equals = 1;
                    chosen = Some((branch, worth));
                }
            }
        }
        self.set_generator(&generator);
        let Some((branch, _)) = chosen else { return Ok(None) };
        let offered = self.record(branch).offer() == Some(Offer::Point);
        if offered { self.take_or_ask(branch).map(Some) } else { Ok(Some(Pick::Ask(branch))) }
    }
}
