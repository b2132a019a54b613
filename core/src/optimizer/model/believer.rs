//! The believer: open trials as rows of the model, with what they are believed to give.

use crate::backend::Backend;
use crate::error::Error;
use crate::optimizer::block::Block;
use crate::pending::Belief;
use crate::policy::Policy;
use crate::real::Real;
use crate::trial::State;

impl<R: Real> Block<'_, R> {
    /// Adds the open trials as rows that are believed to give what [`Pending::belief`](crate::pending::Pending) says.
    pub(crate) fn believe<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<(), Error> {
        let rows = self.gp.rows();
        if matches!(self.config.proposal.policy, Policy::Noisy { .. }) {
            // It draws what they may give.
            return Ok(());
        }
        let Some(belief) = self.config.proposal.pending.belief(self.gp.targets())? else { return Ok(()) };
        let value = match belief {
            Belief::Mean => None,
            Belief::Value(value) => Some(value),
        };
        for slot in 0..self.trials.slots.len() {
            if self.trials.read().state(slot) == Some(State::Open) {
                self.believe_row(rows, slot, value)?;
            }
        }
        // A fit that a believed row spoils is built anew, with jitter.
        if self.gp.rows() == rows { Ok(()) } else { self.refit(backend) }
    }

    /// Takes back what was believed.
    pub(crate) fn disbelieve(&mut self, rows: usize) {
        self.gp.truncate(rows);
        self.kept.posteriors.truncate(rows);
    }
}
