//! The memory of a selection: where everything lies.
//!
//! ```text
//! header · config · space · branches · proposals · ledger · scale · work │ optimizer of a branch │ of the next │ …
//! └──────────────────── checksum ──────────────────────────────┘        └─ each with checksums of its own
//! ```

use super::ledger::{self, Ledger};
use super::{Selector, Strategy, whole};
use crate::block::{Arena, scalar_words};
use crate::config::{self, Config};
use crate::error::Error;
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::{self, Domain};
use crate::targets::Scale;

/// Places in the header, behind those of every block.
pub(super) mod place {
    pub(in super::super) const LIMITS: usize = 4;
    pub(in super::super) const GENERATOR: usize = 36;
    pub(in super::super) const SEQUENCE: usize = 40;
    /// Objective calls that were told, failed ones included.
    pub(in super::super) const TOLD: usize = 41;
    pub(in super::super) const DIMS: usize = 42;
    pub(in super::super) const BRANCHES: usize = 43;
    pub(in super::super) const SELECTOR: usize = 44;
    /// Told values when the common scale was fitted, 0 before; the lowest of them; the worst of all.
    pub(in super::super) const SCALED: usize = 49;
    pub(in super::super) const LOW: usize = 50;
    pub(in super::super) const WORST: usize = 51;
    /// What improvement was measured against last.
    pub(in super::super) const BEST: usize = 52;
}
/// Words at the front of a block by which it is recognised.
pub(super) const HEADER: usize = 54;

/// Words of a branch before the places of its parameters.
const RECORD: usize = 6;

/// What a branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: every configuration of it is forbidden.
    Forbidden = 0,
    /// One configuration.
    Single = 1,
    /// A space with an optimizer of its own.
    Space = 2,
}

impl Kind {
    const fn of(word: u64) -> Option<Self> {
        match word {
            0 => Some(Self::Forbidden),
            1 => Some(Self::Single),
            2 => Some(Self::Space),
            _ => None,
        }
    }
}

/// What is known of a proposal of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// It has to be looked for.
    Stale = 0,
    /// A point, and what it is worth.
    Point = 1,
    /// The model has none, or there is none.
    Nothing = 2,
}

/// A branch, as words.
#[derive(Debug)]
pub(super) struct Record<'f> {
    pub(super) words: &'f mut [u64],
}

impl Record<'_> {
    pub(super) fn kind(&self) -> Option<Kind> {
        Kind::of(self.words[0])
    }

    pub(super) fn set(&mut self, kind: Kind, places: impl Iterator<Item = u32>) {
        self.words.fill(0);
        self.words[0] = kind as u64;
        let mut count = 0;
        for (word, place) in self.words[RECORD..].iter_mut().zip(places) {
            *word = u64::from(place);
            count += 1;
        }
        self.words[1] = count;
    }

    /// Where its parameters stand in the whole space.
    pub(super) fn places(&self) -> &[u64] {
        places(self.words)
    }

    /// Whether it was found to have nothing to ask during this question.
    pub(super) fn spent(&self) -> bool {
        self.words[2] != 0
    }

    pub(super) fn set_spent(&mut self, spent: bool) {
        self.words[2] = u64::from(spent);
    }

    pub(super) fn offer(&self) -> Option<Offer> {
        match self.words[3] {
            0 => Some(Offer::Stale),
            1 => Some(Offer::Point),
            2 => Some(Offer::Nothing),
            _ => None,
        }
    }

    pub(super) fn worth(&self) -> f64 {
        f64::from_bits(self.words[4])
    }

    pub(super) fn set_offer(&mut self, offer: Offer, worth: f64) {
        self.words[3] = offer as u64;
        self.words[4] = worth.to_bits();
    }

    /// Its own value to improve on, on the common scale.
    pub(super) fn lowest(&self) -> f64 {
        f64::from_bits(self.words[5])
    }

    pub(super) fn set_lowest(&mut self, lowest: f64) {
        self.words[5] = lowest.to_bits();
    }
}

impl Selector {
    /// The limits of the optimizer of a branch.
    pub(super) const fn each(&self, limits: &Limits) -> Limits {
        let limits = *limits;
        let fewer = self.most > 0 && self.most < limits.trials;
        if matches!(self.strategy, Strategy::Impute) || !fewer {
            return limits;
        }
        let exact = if limits.exact < self.most { limits.exact } else { self.most };
        Limits { trials: self.most, exact, ..limits }
    }

    /// The most trials that are asked of each branch, in words that were attached.
    pub(super) fn places<'w>(
        &self,
        words: &'w [u64],
        limits: &Limits,
        branches: usize,
        repeats: bool,
    ) -> impl Iterator<Item = usize> + use<'w> {
        let size = RECORD + limits.dims as usize;
        let (one, each) = (self.trials_of_one(repeats), self.each(limits).trials as usize);
        let records = &words[HEADER + config::WORDS + domain_words(limits)..][..branches * size];
        records.chunks_exact(size).map(move |record| match Kind::of(record[0]) {
            Some(Kind::Forbidden) | None => 0,
            Some(Kind::Single) => one,
            Some(Kind::Space) => each,
        })
    }

    /// Words before the ledger, which reading goes to straight away.
    pub(super) const fn before_ledger<R: Real>(&self, limits: &Limits, branches: usize) -> usize {
        let dims = limits.dims as usize;
        HEADER
            + config::WORDS
            + domain_words(limits)
            + branches * (RECORD + dims)
            + scalar_words::<R>(branches * dims)
    }

    /// Words under the checksum.
    pub(super) const fn state_words<R: Real>(&self, limits: &Limits, branches: usize) -> usize {
        self.before_ledger::<R>(limits, branches)
            + ledger::words::<R>(limits.dims as usize, limits.trials as usize)
            + scalar_words::<R>(6)
    }

    /// Words before the optimizers.
    pub(super) const fn front_words<R: Real>(&self, limits: &Limits, branches: usize) -> usize {
        self.state_words::<R>(limits, branches)
            + 2 * scalar_words::<R>(limits.trials as usize)
            + 3 * scalar_words::<R>(limits.dims as usize)
            + if matches!(self.strategy, Strategy::Whole) { whole::words::<R>(limits) } else { 0 }
    }
}

/// Words of the whole space.
pub(super) const fn domain_words(limits: &Limits) -> usize {
    let (conditions, levels) = (limits.conditions as usize, limits.levels as usize);
    space::words(limits.dims as usize, conditions, levels, limits.terms as usize)
}

/// The parts of a block, as slices that do not overlap.
#[derive(Debug)]
pub(super) struct Front<'a, R> {
    pub(super) limits: Limits,
    pub(super) selector: Selector,
    pub(super) header: &'a mut [u64],
    pub(super) config: Config<'static>,
    pub(super) domain: Domain<'a>,
    pub(super) records: &'a mut [u64],
    /// A proposal of each branch, on the unit cube of its space.
    pub(super) proposals: &'a mut [R],
    pub(super) ledger: Ledger<'a, R>,
    scale: &'a mut [R],
    pub(super) values: &'a mut [R],
    pub(super) targets: &'a mut [R],
    /// Points on their way between a branch and the whole space.
    pub(super) inner: &'a mut [R],
    pub(super) unit: &'a mut [R],
    pub(super) canonical: &'a mut [R],
    /// What one search over all branches works in.
    pub(super) hunt: Option<whole::Memory<'a, R>>,
    pub(super) optimizers: &'a mut [u64],
    pub(super) stride: usize,
    pub(super) dims: usize,
    pub(super) branches: usize,
}

/// The optimizer of a branch, in its part of the block.
pub(super) type Lent<'f, R> = Optimizer<R, &'f mut [u64]>;
/// The same with the places of its proposal and of its point.
type Proposing<'f, R> = (Lent<'f, R>, &'f mut [R], &'f mut [R]);

/// The words that are written once, when a selection is made.
pub(super) struct Start<'a> {
    pub(super) config: &'a mut [u64],
    pub(super) domain: &'a mut [u64],
}

impl<'a> Start<'a> {
    pub(super) fn of(words: &'a mut [u64], limits: &Limits) -> Result<Self, Error> {
        let mut arena = Arena::new(words);
        arena.words(HEADER)?;
        Ok(Self { config: arena.words(config::WORDS)?, domain: arena.words(domain_words(limits))? })
    }
}

impl<'a, R: Real> Front<'a, R> {
    /// Cuts a block into its parts; the counts are within the limits.
    pub(super) fn carve(
        words: &'a mut [u64],
        limits: &Limits,
        selector: Selector,
        dims: usize,
        branches: usize,
    ) -> Result<Self, Error> {
        let needed = selector.words::<R>(limits, branches as u32);
        if words.len() < needed {
            return Err(Error::Memory { needed });
        }
        let (most, trials) = (limits.dims as usize, limits.trials as usize);
        let mut arena = Arena::new(words);
        let header = arena.words(HEADER)?;
        let config = Config::read(arena.words(config::WORDS)?)?;
        let domain = Domain::attach::<R>(arena.words(domain_words(limits))?)?;
        if domain.dims() != dims {
            return Err(Error::Corrupt);
        }
        let records = arena.words(branches * (RECORD + most))?;
        let proposals = arena.scalars(branches * most)?;
        let ledger = Ledger::carve(&mut arena, most, trials, dims)?;
        let scale = arena.scalars(6)?;
        let (values, targets) = (arena.scalars(trials)?, arena.scalars(trials)?);
        let [inner, unit, canonical] = [arena.scalars(most)?, arena.scalars(most)?, arena.scalars(most)?];
        let hunt = if selector.strategy == Strategy::Whole {
            Some(whole::Memory::carve(&mut arena, limits, dims)?)
        } else {
            None
        };
        let stride = selector.each(limits).words::<R>();
        let optimizers = arena.words(branches * stride)?;
        Ok(Self {
            limits: *limits,
            selector,
            header,
            config,
            domain,
            records,
            proposals,
            ledger,
            scale,
            values,
            targets,
            inner,
            unit: &mut unit[..dims],
            canonical: &mut canonical[..dims],
            hunt,
            optimizers,
            stride,
            dims,
            branches,
        })
    }

    /// A branch; `branch` < branches.
    pub(super) fn record(&mut self, branch: usize) -> Record<'_> {
        let range = self.place_of(branch);
        Record { words: &mut self.records[range] }
    }

    /// Where the record of a branch lies among all.
    pub(super) const fn place_of(&self, branch: usize) -> core::ops::Range<usize> {
        let size = RECORD + self.limits.dims as usize;
        branch * size..(branch + 1) * size
    }

    /// The words of the optimizer of a branch.
    pub(super) fn words_of(&mut self, branch: usize) -> &mut [u64] {
        &mut self.optimizers[branch * self.stride..(branch + 1) * self.stride]
    }

    /// The optimizer of a branch that has one.
    pub(super) fn optimizer(&mut self, branch: usize) -> Result<Lent<'_, R>, Error> {
        Optimizer::resume(self.words_of(branch))
    }

    /// The optimizer of a branch together with the places of its proposal and of its point.
    pub(super) fn optimizer_and_proposal(&mut self, branch: usize) -> Result<Proposing<'_, R>, Error> {
        let most = self.limits.dims as usize;
        let words = &mut self.optimizers[branch * self.stride..(branch + 1) * self.stride];
        let optimizer = Optimizer::resume(words)?;
        let dims = optimizer.dims().min(most);
        let proposal = &mut self.proposals[branch * most..branch * most + dims];
        Ok((optimizer, proposal, &mut self.inner[..dims]))
    }

    pub(super) fn kind(&self, branch: usize) -> Option<Kind> {
        Kind::of(self.records[self.place_of(branch).start])
    }

    pub(super) fn is_space(&self, branch: usize) -> bool {
        self.kind(branch) == Some(Kind::Space)
    }

    pub(super) fn generator(&self) -> Result<Generator, Error> {
        let mut words = [0; 4];
        words.copy_from_slice(&self.header[place::GENERATOR..place::GENERATOR + 4]);
        Generator::from_words(words).map_err(|_| Error::Corrupt)
    }

    pub(super) fn set_generator(&mut self, generator: &Generator) {
        self.header[place::GENERATOR..place::GENERATOR + 4].copy_from_slice(&generator.words());
    }

    pub(super) fn scale(&self) -> Result<Scale<R>, Error> {
        let mut scalars = [R::ZERO; 6];
        scalars.copy_from_slice(self.scale);
        Scale::from_scalars(scalars).ok_or(Error::Corrupt)
    }

    pub(super) fn set_scale(&mut self, scale: &Scale<R>) {
        self.scale.copy_from_slice(&scale.to_scalars());
    }

    pub(super) fn next_sequence(&mut self) -> u64 {
        self.header[place::SEQUENCE] += 1;
        self.header[place::SEQUENCE]
    }
}

/// Where the parameters of a branch stand in the whole space, by its record.
pub(super) fn places(record: &[u64]) -> &[u64] {
    let count = (record[1] as usize).min(record.len() - RECORD);
    &record[RECORD..RECORD + count]
}
