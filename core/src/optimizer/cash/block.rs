//! The memory of an optimizer with a model for each branch: where everything lies.
//!
//! ```text
//! header · config · space · trials · names · branches · proposals · figures · scale │ work │ optimizer of a branch │ …
//! └──────────────────────────── checksum ───────────────────────────────────────┘        └─ each with checksums of its own
//! ```

use core::ops::Range;

use super::super::Optimizer;
use super::super::block::{self, HEADER, Shape};
use super::super::trials::{Trials, TrialsRead};
use super::joint_search::Memory;
use crate::block::Arena;
use crate::block::layout::sections;
use crate::config::{self, Branching, Config};
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;
use crate::targets::Scale;
use crate::trial::{State, TrialId};

/// Places among the figures.
pub(super) mod figure {
    /// Told values when the common scale was fitted, 0 before; the lowest of them; the worst of all.
    pub(crate) const SCALED: usize = 0;
    pub(crate) const LOW: usize = 1;
    pub(crate) const WORST: usize = 2;
    /// What improvement was measured against last.
    pub(crate) const BEST: usize = 3;
    pub(crate) const COUNT: usize = 4;
}

/// Words of a branch before the places of its parameters.
const RECORD: usize = 6;

sections! {
    (used: &Limits) {
        pub(super) header: words[HEADER],
        pub(super) config: words[config::WORDS],
        pub(super) space: words[used.space_words()],
        // Where those of one model lie, so that both are read alike.
        trials: Trials[used],
        names: words[used.trials as usize],
        records: words[used.values as usize * (RECORD + used.dims as usize)],
        proposals: scalars[used.values as usize * used.dims as usize],
        figures: words[figure::COUNT],
        scale: scalars[6],
        values: scalars[used.trials as usize],
        targets: scalars[used.trials as usize],
        inner: scalars[used.dims as usize],
        unit: scalars[used.dims as usize],
        canonical: scalars[used.dims as usize],
        search: Memory[used.dims as usize],
    }
    => object {
        /// All sections of a block but the optimizers of the branches, as they lie there.
        pub(super) struct Sections {}
    }
    => places {
        /// Where they lie.
        struct Places
    }
}

/// Words of a block within limits that have room for branches.
pub(crate) const fn words<R: Real>(limits: &Limits) -> usize {
    let each = limits.branch().words::<R>();
    Sections::<R>::section_words(limits).saturating_add(each.saturating_mul(limits.values as usize))
}

/// Where the checksum ends; these are the limits in use.
pub(crate) const fn state_end<R: Real>(used: &Limits) -> usize {
    Places::of::<R>(0, used).values.start
}

/// Where the optimizers begin.
pub(super) const fn front_words<R: Real>(used: &Limits) -> usize {
    Sections::<R>::section_words(used)
}

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

/// What each branch is, in words that were attached.
pub(super) fn kinds<'w, R: Real>(
    words: &'w [u64],
    used: &Limits,
) -> impl Iterator<Item = Option<Kind>> + use<'w, R> {
    let records = &words[Places::of::<R>(0, used).records];
    records.chunks_exact(RECORD + used.dims as usize).map(|record| Kind::of(record[0]))
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

    pub(super) fn set(&mut self, kind: Kind, places: &[u32]) {
        self.words.fill(0);
        self.words[0] = kind as u64;
        self.words[1] = places.len() as u64;
        for (word, &place) in self.words[RECORD..].iter_mut().zip(places) {
            *word = u64::from(place);
        }
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

/// The parts of a block, as slices that do not overlap.
#[derive(Debug)]
pub(crate) struct Branched<'a, R> {
    pub(super) limits: Limits,
    pub(super) branching: Branching,
    pub(super) header: &'a mut [u64],
    pub(super) config: Config<'static>,
    pub(super) domain: Domain<'a>,
    /// The trials of all branches in one list, in the units of the whole space.
    pub(super) trials: Trials<'a, R>,
    /// The name of each in the optimizer of its branch.
    pub(super) names: &'a mut [u64],
    pub(super) records: &'a mut [u64],
    /// A proposal of each branch, on the unit cube of its space.
    pub(super) proposals: &'a mut [R],
    pub(super) figures: &'a mut [u64],
    scale: &'a mut [R],
    pub(super) values: &'a mut [R],
    pub(super) targets: &'a mut [R],
    /// Points on their way between a branch and the whole space.
    pub(super) inner: &'a mut [R],
    pub(super) unit: &'a mut [R],
    pub(super) canonical: &'a mut [R],
    /// What one search over all branches works in.
    pub(super) search: Option<Memory<'a, R>>,
    pub(super) optimizers: &'a mut [u64],
    pub(super) stride: usize,
    pub(super) dims: usize,
    pub(super) branches: usize,
}

/// The optimizer of a branch, in its part of the block.
pub(super) type Lent<'f, R> = Optimizer<R, &'f mut [u64]>;
/// The same with the places of its proposal and of its point.
type Proposing<'f, R> = (Lent<'f, R>, &'f mut [R], &'f mut [R]);

impl<'a, R: Real> Branched<'a, R> {
    /// Cuts a block into its parts; the shape is within the limits.
    pub(crate) fn carve(words: &'a mut [u64], limits: &Limits, shape: Shape) -> Result<Self, Error> {
        let needed = limits.words::<R>();
        Error::Memory { needed }.when(words.len() < needed)?;
        let mut arena = Arena::new(words);
        let sections = Sections::cut(&mut arena, &limits.used(shape))?;
        let Sections { header, config, space, trials, names, records, proposals, figures, scale, .. } =
            sections;
        let Sections { values, targets, inner, unit, canonical, search, .. } = sections;
        let config = Config::read(config)?;
        let domain = Domain::attach::<R>(space)?;
        let branching = config.strategy.branching().ok_or(Error::Corrupt)?;
        Error::Corrupt.when(domain.dims() != shape.dims || branching.parameter as usize >= shape.dims)?;
        let stride = limits.branch().words::<R>();
        let optimizers = arena.words(shape.values * stride)?;
        Ok(Self {
            limits: *limits,
            branching,
            header,
            config,
            domain,
            trials,
            names,
            records,
            proposals,
            figures,
            scale,
            values,
            targets,
            inner,
            unit,
            canonical,
            search: Some(search),
            optimizers,
            stride,
            dims: shape.dims,
            branches: shape.values,
        })
    }

    /// The trials, told apart by their branches.
    pub(super) fn listed(&self) -> Listed<'_, R> {
        Listed { trials: self.trials.read(), parameter: self.branching.parameter as usize }
    }

    /// The name of a trial in the optimizer of its branch.
    pub(super) fn name(&self, slot: usize) -> TrialId {
        TrialId::from_bits(self.names[slot])
    }

    /// A branch; `branch` < branches.
    pub(super) fn record(&mut self, branch: usize) -> Record<'_> {
        let range = self.place_of(branch);
        Record { words: &mut self.records[range] }
    }

    /// Where the record of a branch lies among all.
    pub(super) const fn place_of(&self, branch: usize) -> Range<usize> {
        let size = RECORD + self.dims;
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
        let words = &mut self.optimizers[branch * self.stride..(branch + 1) * self.stride];
        let optimizer = Optimizer::resume(words)?;
        let dims = optimizer.dims().min(self.dims);
        let proposal = &mut self.proposals[branch * self.dims..branch * self.dims + dims];
        Ok((optimizer, proposal, &mut self.inner[..dims]))
    }

    pub(super) fn kind(&self, branch: usize) -> Option<Kind> {
        Kind::of(self.records[self.place_of(branch).start])
    }

    pub(super) fn is_space(&self, branch: usize) -> bool {
        self.kind(branch) == Some(Kind::Space)
    }

    pub(super) fn generator(&self) -> Result<Generator, Error> {
        block::generator(self.header)
    }

    pub(super) fn set_generator(&mut self, generator: &Generator) {
        block::set_generator(self.header, generator);
    }

    pub(super) fn scale(&self) -> Result<Scale<R>, Error> {
        block::scale(self.scale)
    }

    pub(super) fn set_scale(&mut self, scale: &Scale<R>) {
        self.scale.copy_from_slice(&scale.to_scalars());
    }
}

/// Where the parameters of a branch stand in the whole space, by its record.
pub(super) fn places(record: &[u64]) -> &[u64] {
    let count = (record[1] as usize).min(record.len() - RECORD);
    &record[RECORD..RECORD + count]
}

/// Trials of several branches: that of each is the value of the category.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a, R> {
    pub(super) trials: TrialsRead<'a, R>,
    pub(super) parameter: usize,
}

impl<R: Real> Listed<'_, R> {
    pub(super) fn branch(&self, slot: usize) -> usize {
        // `as` turns negative numbers and NaN into 0.
        self.trials.point(slot)[self.parameter].to_f64() as usize
    }

    fn count(&self, branch: usize, counts: impl Fn(State) -> bool) -> usize {
        let here = |&s: &usize| self.trials.state(s).is_some_and(&counts) && self.branch(s) == branch;
        (0..self.trials.slots.len()).filter(here).count()
    }

    /// Trials of a branch that were asked for or told.
    pub(super) fn asked_of(&self, branch: usize) -> usize {
        self.count(branch, |state| state != State::Queued)
    }

    /// Trials of a branch, queued ones included.
    pub(super) fn kept_of(&self, branch: usize) -> usize {
        self.count(branch, |_| true)
    }

    /// Closed trials of a branch.
    pub(super) fn closed_of(&self, branch: usize) -> usize {
        self.count(branch, |state| matches!(state, State::Done | State::Failed))
    }

    /// The lowest value that was told of a branch.
    pub(super) fn best_of(&self, branch: usize) -> Option<R> {
        let best = self.trials.best_where(|slot| self.branch(slot) == branch)?;
        Some(self.trials.value(best))
    }
}
