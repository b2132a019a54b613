//! Selections that outlive a program: how they are checked.

use super::block::{Front, HEADER, Kind, Offer, place};
use super::{Selector, Strategy};
use crate::block::{self, Header};
use crate::config::{self, Config};
use crate::error::Error;
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::real::Real;
use crate::space;
use crate::trial::{State, slot};

/// Writes the words by which a block is recognised.
pub(super) fn write_header<R: Real>(front: &mut Front<'_, R>, values: u32) -> Result<(), Error> {
    let (limits, selector) = (front.limits, front.selector);
    let header = &mut *front.header;
    header.fill(0);
    let (words, fingerprint) = (selector.words::<R>(&limits, values), front.domain.fingerprint());
    Header { kind: block::Kind::Selection, scalar: R::BYTES, words, fingerprint }.write(header)?;
    let limits = limits.to_words();
    header[place::LIMITS..place::LIMITS + limits.len()].copy_from_slice(&limits);
    header[place::DIMS] = front.dims as u64;
    header[place::BRANCHES] = u64::from(values);
    header[place::SELECTOR..place::SELECTOR + 5].copy_from_slice(&selector.to_words());
    Ok(())
}

impl Selector {
    fn to_words(self) -> [u64; 5] {
        let (code, budget) = match self.strategy {
            Strategy::Impute => (0, 0),
            Strategy::Single => (1, 0),
            Strategy::Whole => (2, 0),
            Strategy::Baseline { budget } => (3, budget),
        };
        [
            u64::from(self.parameter),
            code | u64::from(budget) << 32,
            u64::from(self.start),
            u64::from(self.most),
            u64::from(self.own_minimum),
        ]
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let small = |i: usize| words.get(i).and_then(|&w| u32::try_from(w).ok());
        let budget = (words.get(1)? >> 32) as u32;
        let strategy = match (*words.get(1)? as u32, budget) {
            (0, 0) => Strategy::Impute,
            (1, 0) => Strategy::Single,
            (2, 0) => Strategy::Whole,
            (3, budget) => Strategy::Baseline { budget },
            _ => return None,
        };
        let own_minimum = match words.get(4)? {
            0 => false,
            1 => true,
            _ => return None,
        };
        Some(Self { parameter: small(0)?, strategy, start: small(2)?, most: small(3)?, own_minimum })
    }
}

/// The configuration in words that were attached.
pub(super) fn config(words: &[u64]) -> Result<Config<'static>, Error> {
    Config::read(words.get(HEADER..HEADER + config::WORDS).ok_or(Error::Corrupt)?)
}

/// Limits, selector, parameters and optimizers, as the header says, within their ranges.
///
/// # Errors
/// As [`validate`].
pub(super) fn front<R: Real>(words: &[u64]) -> Result<(Limits, Selector, usize, usize), Error> {
    let header = Header::read(words, block::Kind::Selection)?;
    if header.scalar != R::BYTES {
        return Err(Error::Foreign);
    }
    if words.len() < HEADER {
        return Err(Error::Memory { needed: HEADER });
    }
    let limits = Limits::from_words(&words[place::LIMITS..]).ok_or(Error::Corrupt)?;
    let selector = Selector::from_words(&words[place::SELECTOR..]).ok_or(Error::Corrupt)?;
    let values = u32::try_from(words[place::BRANCHES]).map_err(|_| Error::Corrupt)?;
    let needed = selector.words::<R>(&limits, values);
    let dims = usize::try_from(words[place::DIMS]).map_err(|_| Error::Corrupt)?;
    if limits.words::<R>() == usize::MAX
        || needed == usize::MAX
        || header.words != needed
        || dims == 0
        || dims > limits.dims as usize
        || selector.parameter as usize >= dims
    {
        return Err(Error::Corrupt);
    }
    if words.len() < needed {
        return Err(Error::Memory { needed });
    }
    Ok((limits, selector, dims, selector.blocks(values)))
}

/// As [`front`], after every check that later code relies on.
///
/// # Errors
/// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version, byte order or scalar,
/// [`Error::Corrupt`] for anything else that no selection leaves.
pub(super) fn validate<R: Real>(words: &mut [u64]) -> Result<(Limits, Selector, usize, usize), Error> {
    let (limits, selector, dims, branches) = front::<R>(words)?;
    if !Header::is_whole(words, selector.state_words::<R>(&limits, branches)) {
        return Err(Error::Corrupt);
    }
    let values = words[place::BRANCHES];
    let mut front =
        Front::<R>::carve(words, &limits, selector, dims, branches).map_err(|_| Error::Corrupt)?;
    let parameter = selector.parameter as usize;
    let valid = front.header[Header::FINGERPRINT] == front.domain.fingerprint()
        && front.domain.kind(parameter) == space::Kind::Categorical
        && front.domain.count(parameter) == Some(values)
        && selector.check(&front.config, values as u32).is_ok()
        && front.generator().is_ok()
        && front.header[place::SEQUENCE] < u64::MAX / 2
        && front.header[place::TOLD] < u64::MAX / 2
        && front.header[place::SCALED] <= u64::from(limits.trials)
        && front.scale().is_ok()
        && (0..branches).all(|branch| front.branch_is_valid(branch))
        && front.ledger_is_valid();
    if valid { Ok((limits, selector, dims, branches)) } else { Err(Error::Corrupt) }
}

impl<R: Real> Front<'_, R> {
    fn branch_is_valid(&mut self, branch: usize) -> bool {
        let (each, dims, domain) = (self.selector.each(&self.limits), self.dims, self.domain);
        let whole = self.selector.strategy == Strategy::Impute;
        let own = if whole { None } else { Some(u64::from(self.selector.parameter)) };
        let record = self.record(branch);
        let (kind, offer) = (record.kind(), record.offer());
        let places = record.places();
        let count = places.len();
        let ordered = record.words[1] == count as u64
            && places.iter().all(|&p| p < dims as u64 && Some(p) != own)
            && places.windows(2).all(|pair| pair[0] < pair[1])
            && (!whole || count == dims);
        if !ordered || kind.is_none() || offer.is_none() || record.words[2] > 1 {
            return false;
        }
        if kind != Some(Kind::Space) {
            return count == 0 && offer != Some(Offer::Point);
        }
        let attached = Optimizer::<R, _>::attach(self.words_of(branch));
        if !attached.is_ok_and(|optimizer| optimizer.dims() == count && *optimizer.limits() == each) {
            return false;
        }
        let places = super::block::places(&self.records[self.place_of(branch)]);
        let most = self.limits.dims as usize;
        let proposal = &self.proposals[branch * most..branch * most + count];
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
    fn ledger_is_valid(&mut self) -> bool {
        let whole = self.selector.strategy == Strategy::Impute;
        let parameter = self.selector.parameter as usize;
        let mut counts = 0;
        for s in 0..self.ledger.read().len() {
            let ledger = self.ledger.read();
            if !slot::is_valid(ledger.word(s)) {
                return false;
            }
            let Some(state) = ledger.state(s) else { continue };
            let (branch, inner) = (ledger.branch(s), ledger.inner(s));
            let (value, variance, point) = (ledger.value(s), ledger.variance(s), ledger.point(s));
            let sound = branch < self.branches
                && value.is_finite()
                && variance.is_finite()
                && variance >= R::ZERO
                && self.domain.contains(point)
                && (whole || point[parameter] == R::of_usize(branch));
            if !sound {
                return false;
            }
            counts += usize::from(matches!(state, State::Done | State::Failed));
            match self.record(branch).kind() {
                Some(Kind::Single) => continue,
                Some(Kind::Space) => {}
                Some(Kind::Forbidden) | None => return false,
            }
            if state == State::Queued {
                continue;
            }
            let Ok(optimizer) = self.optimizer(branch) else { return false };
            let there = optimizer.trials().any(|trial| {
                trial.id == inner
                    && trial.state == state
                    && (state != State::Done || trial.value == value && trial.variance == variance)
            });
            if !there {
                return false;
            }
        }
        let paired = (0..self.branches).all(|branch| {
            let listed = self.ledger.read().of_branch(branch);
            !self.is_space(branch)
                || self.optimizer(branch).is_ok_and(|optimizer| optimizer.trials().count() == listed)
        });
        paired && counts as u64 <= self.header[place::TOLD]
    }
}
