//! The state of a race in words: what stands where, and that it may be trusted.
//!
//! ```text
//! header │ configurations: number │ queue: a ring of places │ pairs: the incumbent's record + 1 │ records │ work
//! record   configuration | pair << 32,  sequence | status << 32,  cap,  cost
//! ```

use super::record::Status;
use super::rules::{HEADER, RECORD};
use super::saved::{self, GENERATOR, SETTINGS};
use super::{Rules, Size};
use crate::block::checksum::term;
use crate::block::{Header, Kind};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

/// Where the size stands.
const SIZE: usize = 25;

/// Places in the header; a number has half a word where two share one.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Configs = 32,
    Runs,
    Pairs,
    Open,
    /// Place of the incumbent + 1.
    Incumbent,
    /// Place of the challenger + 1.
    Challenger,
    Stage,
    /// How many pairs the challenger is given at once.
    Pending,
    /// Runs of the batch that were not handed out yet.
    Left,
    Sequence,
    Head,
    Waiting,
    /// Challengers that were decided in this round.
    Decided,
    /// Runs told in this round.
    Spent,
    /// Runs that this round may take.
    Budget,
    /// Whether the incumbent is still to run on the newest pair.
    Grow,
    /// Whether the challenger can no longer win.
    Lost,
    /// How often the incumbent changed.
    Changes,
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// No challenger.
    Idle,
    /// The first configuration makes its first run.
    First,
    /// A challenger against the incumbent.
    Duel,
}

/// The words of a race and how they are divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<M> {
    pub(super) words: M,
    pub(super) size: Size,
}

/// A record as it stands in the words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) config: usize,
    pub(super) pair: usize,
    pub(super) sequence: u32,
    pub(super) status: Status,
    pub(super) cap: f64,
    pub(super) cost: f64,
}

impl<M: AsRef<[u64]>> State<M> {
    pub(super) fn number(&self, place: Field) -> u32 {
        let at = place as usize;
        (self.words.as_ref()[at / 2] >> (32 * (at % 2))) as u32
    }

    pub(super) fn count(&self, place: Field) -> usize {
        self.number(place) as usize
    }

    pub(super) fn stage(&self) -> Stage {
        match self.number(Field::Stage) {
            0 => Stage::Idle,
            1 => Stage::First,
            _ => Stage::Duel,
        }
    }

    /// The place of the incumbent.
    pub(super) fn incumbent(&self) -> Option<usize> {
        self.count(Field::Incumbent).checked_sub(1)
    }

    /// The place of the challenger.
    pub(super) fn challenger(&self) -> Option<usize> {
        self.count(Field::Challenger).checked_sub(1)
    }

    pub(super) fn rules(&self) -> Rules {
        // `attach` has read them, so the other case is never met.
        Rules::from_words(&self.words.as_ref()[SETTINGS]).unwrap_or_default()
    }

    /// The number that the caller gave the configuration at that place.
    pub(super) fn id(&self, config: usize) -> u32 {
        self.words.as_ref()[self.size.places().configs.start + config] as u32
    }

    /// The place of a configuration.
    pub(super) fn find(&self, id: u32) -> Option<usize> {
        (0..self.count(Field::Configs)).find(|&config| self.id(config) == id)
    }

    /// The place waiting at that position of the queue.
    pub(super) fn waiting(&self, position: usize) -> usize {
        let at = (self.count(Field::Head) + position) % self.size.configs as usize;
        self.words.as_ref()[self.size.places().queue.start + at] as usize
    }

    /// The incumbent's record on a pair.
    pub(super) fn held(&self, pair: usize) -> Option<usize> {
        (self.words.as_ref()[self.size.places().pairs.start + pair] as usize).checked_sub(1)
    }

    pub(super) fn entry(&self, run: usize) -> Entry {
        let at = self.size.places().records.start + run * RECORD;
        let w = &self.words.as_ref()[at..at + RECORD];
        Entry {
            config: w[0] as u32 as usize,
            pair: (w[0] >> 32) as usize,
            sequence: w[1] as u32,
            status: Status::from_code(w[1] >> 32).unwrap_or(Status::Void),
            cap: f64::from_bits(w[2]),
            cost: f64::from_bits(w[3]),
        }
    }

    /// All records in use.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.count(Field::Runs)).map(|run| self.entry(run)).filter(|entry| entry.status != Status::Void)
    }

    /// The instance and the seed of a pair.
    pub(super) fn pair(&self, pair: usize) -> (u32, u64) {
        let rules = self.rules();
        let (instance, seed) = saved::pair(pair as u64, rules.instances, rules.seed);
        (instance, if rules.seeds { seed } else { 0 })
    }

    /// The configuration of a record, whatever its status.
    pub(super) fn owner(&self, run: usize) -> usize {
        self.words.as_ref()[self.size.places().records.start + run * RECORD] as u32 as usize
    }

    /// Whether every number that is later trusted is in its range.
    fn is_valid(&self) -> bool {
        let words = self.words.as_ref();
        let (configs, runs, pairs) =
            (self.count(Field::Configs), self.count(Field::Runs), self.count(Field::Pairs));
        let Some(rules) = Rules::from_words(&words[SETTINGS]) else { return false };
        let counts = configs <= self.size.configs as usize
            && runs <= self.size.runs as usize
            && pairs <= rules.pairs(self.size) as usize
            && self.count(Field::Incumbent) <= configs
            && self.count(Field::Challenger) <= configs
            && self.count(Field::Head) < self.size.configs as usize
            && self.count(Field::Waiting) <= self.size.configs as usize
            && self.number(Field::Stage) <= 2
            && self.count(Field::Left) <= pairs
            && self.number(Field::Grow) <= 1
            && self.number(Field::Lost) <= 1;
        let stage = match self.stage() {
            Stage::Idle => self.challenger().is_none(),
            Stage::First => self.challenger().is_some() && self.incumbent().is_none() && pairs == 1,
            Stage::Duel => self.challenger().is_some() && self.incumbent().is_some() && pairs > 0,
        };
        if !(counts && stage) || saved::generator(words).is_err() {
            return false;
        }
        let queue = (0..self.count(Field::Waiting)).all(|i| self.waiting(i) < configs);
        let fates = (0..runs).all(|run| {
            let at = self.size.places().records.start + run * RECORD;
            let entry = self.entry(run);
            let known = Status::from_code(words[at + 1] >> 32).is_some();
            let number = !entry.cap.is_nan() && !entry.cost.is_nan();
            known
                && (entry.status == Status::Void || (entry.config < configs && entry.pair < pairs && number))
        });
        let open = self.entries().filter(|entry| entry.status == Status::Open).count();
        let holder = if self.stage() == Stage::First { self.challenger() } else { self.incumbent() };
        let held = (0..pairs).all(|pair| {
            let word = words[self.size.places().pairs.start + pair];
            word == 0
                || (word <= runs as u64
                    && self.held(pair).is_some_and(|run| {
                        let entry = self.entry(run);
                        entry.pair == pair && entry.status != Status::Void && Some(entry.config) == holder
                    }))
        });
        queue && fates && held && open == self.count(Field::Open)
    }

    /// The words that have been looked through.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`] or [`Error::Corrupt`].
    pub(super) fn attach<R: Real>(words: M) -> Result<Self, Error> {
        let state = Self::resume::<R>(words)?;
        let whole = Header::is_whole(state.words.as_ref(), state.size.places().mask.start);
        if whole && state.is_valid() { Ok(state) } else { Err(Error::Corrupt) }
    }

    /// The words, which are trusted.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`] or [`Error::Corrupt`].
    pub(super) fn resume<R: Real>(words: M) -> Result<Self, Error> {
        let size = saved::resume::<R, _>(words.as_ref(), Kind::Race, HEADER, |words| {
            let size = Size { configs: words[SIZE] as u32, runs: (words[SIZE] >> 32) as u32 };
            size.check().ok().map(|()| (size, size.words::<R>()))
        })?;
        Ok(Self { words, size })
    }
}

impl<M: AsRef<[u64]> + AsMut<[u64]>> State<M> {
    /// Writes an empty race.
    ///
    /// # Errors
    /// [`Error::Limits`], [`Error::Config`] or [`Error::Memory`].
    pub(super) fn new<R: Real>(size: Size, rules: &Rules, mut words: M) -> Result<Self, Error> {
        size.check()?;
        rules.check()?;
        let needed = size.words::<R>();
        Error::Memory { needed }.when(words.as_ref().len() < needed)?;
        saved::begin::<R>(words.as_mut(), (Kind::Race, 0), needed, rules.to_words(), rules.seed)?;
        words.as_mut()[SIZE] = u64::from(size.configs) | u64::from(size.runs) << 32;
        let mut state = Self { words, size };
        Header::write_checksum(state.words.as_mut(), size.places().mask.start);
        state.set(Field::Budget, u32::MAX);
        Ok(state)
    }

    pub(super) fn set(&mut self, place: Field, number: u32) {
        let (at, shift) = (place as usize / 2, 32 * (place as usize % 2));
        let word = self.words.as_ref()[at];
        self.put(at, word & !(0xffff_ffff << shift) | u64::from(number) << shift);
    }

    /// Writes a word of the state and keeps the sum.
    fn put(&mut self, at: usize, word: u64) {
        let words = self.words.as_mut();
        let (old, new) = (term(at, words[at]), term(at, word));
        words[at] = word;
        words[Header::SUM] = words[Header::SUM].wrapping_sub(old).wrapping_add(new);
    }

    /// Adds to a number; it stays where it is rather than overflow.
    pub(super) fn add(&mut self, place: Field, step: u32) {
        self.set(place, self.number(place).saturating_add(step));
    }

    pub(super) fn set_stage(&mut self, stage: Stage) {
        self.set(Field::Stage, stage as u32);
    }

    pub(super) fn set_held(&mut self, pair: usize, run: Option<usize>) {
        let at = self.size.places().pairs.start + pair;
        self.put(at, run.map_or(0, |run| run as u64 + 1));
    }

    pub(super) fn set_entry(&mut self, run: usize, entry: Entry) {
        let at = self.size.places().records.start + run * RECORD;
        let words = [
            entry.config as u64 | (entry.pair as u64) << 32,
            u64::from(entry.sequence) | (entry.status as u64) << 32,
            entry.cap.to_bits(),
            entry.cost.to_bits(),
        ];
        for (i, word) in words.into_iter().enumerate() {
            self.put(at + i, word);
        }
    }

    /// Enters a configuration; there is room.
    pub(super) fn enter(&mut self, id: u32) -> usize {
        let config = self.count(Field::Configs);
        let at = self.size.places().configs.start + config;
        self.put(at, u64::from(id));
        self.add(Field::Configs, 1);
        config
    }

    /// Puts a place at the end of the queue; each waits at most once, so there is room.
    pub(super) fn push(&mut self, config: usize) {
        self.set_waiting(self.count(Field::Waiting), config);
        self.add(Field::Waiting, 1);
    }

    pub(super) fn set_waiting(&mut self, position: usize, config: usize) {
        let at = (self.count(Field::Head) + position) % self.size.configs as usize;
        self.put(self.size.places().queue.start + at, config as u64);
    }

    /// Takes the first of the queue.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let waiting = self.number(Field::Waiting).checked_sub(1)?;
        let first = self.waiting(0);
        self.set(Field::Waiting, waiting);
        self.set(Field::Head, (self.number(Field::Head) + 1) % self.size.configs);
        Some(first)
    }

    /// Lets the generator of the race do something.
    pub(super) fn draw<T>(&mut self, with: impl FnOnce(&mut Generator) -> T) -> T {
        // Words that are all zero are refused by `attach`.
        let mut generator = saved::generator(self.words.as_ref()).unwrap_or_else(|_| Generator::new(0));
        let drawn = with(&mut generator);
        for (i, word) in generator.words().into_iter().enumerate() {
            self.put(GENERATOR.start + i, word);
        }
        drawn
    }

    /// The mask over the pairs, and the scratch for costs.
    pub(super) fn work<R: Real>(&mut self) -> (&mut [u64], &mut [R]) {
        let (mask, end) = (self.size.places().mask, self.size.words::<R>());
        let (before, after) = self.words.as_mut()[..end].split_at_mut(mask.end);
        (&mut before[mask.start..], &mut bytemuck::cast_slice_mut(after)[..self.size.runs as usize])
    }
}
