//! Branches that outlive a program: how they are checked and copied.

use super::super::block::{HEADER, Shape};
use super::super::save::write_header;
use super::super::{Optimizer, save};
use super::block::{Branched, Kind, Offer, Sections, figure, front_words, kinds, places, state_end};
use crate::block::Header;
use crate::config::{Config, Strategy};
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::space;
use crate::trial::State;

/// Whether a block with a checksum that fits is one that an optimizer left, by every check that later code relies on.
pub(crate) fn is_valid<R: Real>(words: &mut [u64], limits: &Limits, shape: Shape) -> bool {
    let Ok(mut block) = Branched::<R>::carve(words, limits, shape) else { return false };
    let (parameter, values) = (block.branching.parameter as usize, shape.values as u64);
    let shared = match block.config.strategy {
        Strategy::Baseline { budget, .. } => u64::from(budget) >= values,
        Strategy::Auto | Strategy::Impute | Strategy::Single(_) | Strategy::Whole(_) => true,
    };
    shared
        && block.header[Header::FINGERPRINT] == block.domain.fingerprint()
        && block.domain.kind(parameter) == space::Kind::Categorical
        && block.domain.count(parameter) == Some(values)
        && !block.domain.is_child(parameter)
        && save::header_is_valid(block.header)
        && block.figures[figure::SCALED] <= u64::from(limits.trials)
        && block.scale().is_ok()
        && (0..block.branches).all(|branch| block.branch_is_valid(branch))
        && block.trials.read().are_valid(block.domain)
        && block.trials_agree()
}

impl<R: Real> Branched<'_, R> {
    fn branch_is_valid(&mut self, branch: usize) -> bool {
        let (each, dims, domain) = (self.limits.branch(), self.dims, self.domain);
        let own = u64::from(self.branching.parameter);
        let record = self.record(branch);
        let (kind, offer) = (record.kind(), record.offer());
        let own_places = record.places();
        let count = own_places.len();
        let ordered = record.words[1] == count as u64
            && own_places.iter().all(|&p| p < dims as u64 && p != own)
            && own_places.windows(2).all(|pair| pair[0] < pair[1]);
        if !ordered || kind.is_none() || offer.is_none() || record.words[2] > 1 {
            return false;
        }
        if kind != Some(Kind::Space) {
            return count == 0 && offer != Some(Offer::Point);
        }
        // With other limits it may have branches of its own.
        let fits = self.optimizer(branch).is_ok_and(|found| found.dims() == count && *found.limits() == each);
        if !fits || save::validate::<R>(self.words_of(branch)).is_err() {
            return false;
        }
        let places = places(&self.records[self.place_of(branch)]);
        let proposal = &self.proposals[branch * dims..branch * dims + count];
        let words = &mut self.optimizers[branch * self.stride..(branch + 1) * self.stride];
        let Ok(mut optimizer) = Optimizer::<R, _>::resume(words) else { return false };
        optimizer
            .with_domain(|inside| {
                (0..count).all(|i| inside.agrees(i, &domain, places[i] as usize))
                    && (offer != Some(Offer::Point) || inside.is_snapped(proposal))
            })
            .unwrap_or(false)
    }

    /// Every trial is one of its branch, in the same state, and every trial of a branch is there.
    fn trials_agree(&mut self) -> bool {
        for s in 0..self.trials.slots.len() {
            let (trials, listed) = (self.trials.read(), self.listed());
            let Some(state) = trials.state(s) else { continue };
            let (branch, name) = (listed.branch(s), self.name(s));
            let (value, variance) = (trials.value(s), trials.variance(s));
            match self.kind(branch) {
                Some(Kind::Single) => continue,
                Some(Kind::Space) => {}
                Some(Kind::Forbidden) | None => return false,
            }
            if state == State::Queued {
                continue;
            }
            let Ok(optimizer) = self.optimizer(branch) else { return false };
            let there = optimizer.trials().any(|trial| {
                trial.id == name
                    && trial.state == state
                    && (state != State::Done || trial.value == value && trial.variance == variance)
            });
            if !there {
                return false;
            }
        }
        (0..self.branches).all(|branch| {
            let listed = self.listed().asked_of(branch);
            !self.is_space(branch)
                || self.optimizer(branch).is_ok_and(|optimizer| optimizer.trials().count() == listed)
        })
    }
}

/// Copies the state of a block into one with larger limits; the target holds what was there.
///
/// # Errors
/// [`Error::Limits`] if a limit is too small for the configuration, before anything is written.
pub(crate) fn copy<R: Real>(
    from: &[u64],
    limits: &Limits,
    to: &mut [u64],
    larger: &Limits,
    shape: Shape,
    config: &Config<'_>,
) -> Result<(), Error> {
    let (used, wider) = (limits.used(shape), larger.used(shape));
    let [(old, stride), (new, step)] = [(limits, &used), (larger, &wider)]
        .map(|(limits, used)| (front_words::<R>(used), limits.branch().words::<R>()));
    let branches = || (0..).zip(kinds::<R>(from, &used)).filter(|&(_, kind)| kind == Some(Kind::Space));
    let optimizer =
        |branch: usize| Optimizer::<R, _>::resume(&from[old + branch * stride..old + (branch + 1) * stride]);
    for (branch, _) in branches() {
        config.needs(&larger.branch(), optimizer(branch)?.dims())?;
    }
    to[..larger.words::<R>()].fill(0);
    write_header::<R>(&mut to[..HEADER], larger, shape, save::fingerprints(from))?;
    save::copy_counters(from, to);
    let end = state_end::<R>(&used);
    let (mut read, mut written) = (0, 0);
    Sections::<R>::pair_sections([&used, &wider], &mut |here, there| {
        if (HEADER..end).contains(&read) {
            to[written..written + here].copy_from_slice(&from[read..read + here]);
        }
        read += here;
        written += there;
    });
    for (branch, _) in branches() {
        let target = &mut to[new + branch * step..new + (branch + 1) * step];
        optimizer(branch)?.copy_into(larger.branch(), target)?;
    }
    Ok(())
}
