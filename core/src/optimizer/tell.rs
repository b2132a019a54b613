//! Tell: how trials are added and closed, and the checksum kept up to date with what that changes.

use super::Optimizer;
use super::block::{Change, Places, Sections, next_sequence};
use super::save::{self, Changed};
use super::trials::TrialsRead;
use crate::block::Arena;
use crate::error::Error;
use crate::real::Real;
use crate::trial::{State, TrialId};

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// Adds a trial at a point in user units.
    pub(super) fn add(&mut self, point: &[R], state: State) -> Result<TrialId, Error> {
        self.check_point(point)?;
        if self.shape.is_branched() {
            return self.branched(|block| block.add(point, state));
        }
        // Without a free slot another trial makes room, and its row with it.
        let slot = self.read().in_state(None).next();
        let used = self.used();
        let places = Places::of::<R>(0, &used);
        let changed =
            slot.map(|slot| Changed::new::<R>(self.mem.as_ref(), &used, &places, Change::Opened { slot }));
        let added = self.block().and_then(|mut block| {
            block.domain.encode(point, block.unit)?;
            if let Some(clause) = block.domain.forbids(block.unit) {
                return Err(Error::Forbidden { clause });
            }
            let slot = block.free_slot()?;
            let sequence = next_sequence(block.header);
            let id = block.trials.write(slot, state, sequence, block.unit, point);
            block.trials.settle(slot, block.domain, block.unit);
            Ok(id)
        });
        save::clear::<R>(self.mem.as_mut(), &used);
        self.update_checksum(changed);
        added
    }

    /// Closes an open trial.
    pub(super) fn close(&mut self, id: TrialId, state: State, value: R, variance: R) -> Result<(), Error> {
        if self.shape.is_branched() {
            return self.branched(|block| block.close(id, state, value, variance));
        }
        let (words, used) = (self.mem.as_ref(), self.used());
        let places = Places::of::<R>(0, &used);
        let slot = TrialsRead::<R>::of(&words[places.trials.clone()], &used).open_slot(id)?;
        // The first word of the process is how many rows it has.
        let row = (words[places.gp.start] as usize).min(used.trials as usize - 1);
        // Ensembles and baselines keep more than a row.
        let alone = self.shape.posteriors == 0 && self.limits.state == 0;
        let change = Change::Closed { slot, row };
        let changed = alone.then(|| Changed::new::<R>(words, &used, &places, change));
        if self.shape.direct {
            let mut sections = Sections::<R>::cut(&mut Arena::new(self.mem.as_mut()), &used)?;
            sections.trials.close(slot, state, value, variance);
            sections.add_row(self.shape, slot)?;
        } else {
            let mut block = self.block()?;
            block.trials.close(slot, state, value, variance);
            block.add_row(slot)?;
            block.tell_method(slot);
            save::clear::<R>(self.mem.as_mut(), &used);
        }
        self.update_checksum(changed);
        Ok(())
    }

    /// Brings the checksum up to date with what changed, or with everything if that is not known.
    fn update_checksum(&mut self, changed: Option<Changed>) {
        match changed {
            Some(changed) => changed.update_checksum(self.mem.as_mut()),
            None => self.write_checksum(),
        }
    }
}
