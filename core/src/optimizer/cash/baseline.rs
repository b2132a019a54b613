//! EGO-baseline: the same number of trials for each branch.

use super::ask::Pick;
use super::block::{Branched, Kind};
use crate::error::Error;
use crate::real::Real;

impl<R: Real> Branched<'_, R> {
    /// The branch with the fewest trials below its share; then the branch of the best value.
    ///
    /// ```text
    /// share = ⌊budget / branches⌋,   28 for 200 trials in 7 branches
    /// ```
    ///
    /// Branches take turns, so that a run that is stopped early has looked at all of them; each is an optimizer that knows
    /// nothing of the others, so that the order changes none of its trials.
    pub(super) fn pick_baseline(&mut self, budget: u32) -> Result<Option<Pick>, Error> {
        let mut count = 0;
        for branch in 0..self.branches {
            count += usize::from(self.record(branch).kind() != Some(Kind::Forbidden));
        }
        let share = budget as usize / count.max(1);
        if let Some(branch) = self.fewest(|_, _, trials| Ok(trials < share))? {
            return Ok(Some(Pick::Ask(branch)));
        }
        // Branch by branch, since what is spent stands in their records.
        let mut best: Option<(usize, Option<R>)> = None;
        for branch in 0..self.branches {
            if self.record(branch).spent() {
                continue;
            }
            let value = self.listed().best_of(branch);
            let better = match (best, value) {
                (None, _) | (Some((_, None)), Some(_)) => true,
                (Some((_, Some(old))), Some(new)) => new < old,
                _ => false,
            };
            if better {
                best = Some((branch, value));
            }
        }
        Ok(best.map(|(branch, _)| Pick::Ask(branch)))
    }
}
