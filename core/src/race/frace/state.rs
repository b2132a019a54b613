//! The state of an iterated F-race in words.
//!
//! ```text
//! header │ names, states, survivors of the race │ elites: names │ points │ points of elites │ costs │ costs of elites │ work
//! ```

use super::Plan;
use super::plan::HEADER;
use crate::block::{Header, Kind, Reader};
use crate::error::Error;
use crate::race::saved::{self, GENERATOR, SETTINGS};
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;
use crate::space::hash::permute;

/// Where the deviation of new configurations stands.
const SPREAD: usize = GENERATOR.end;

/// Numbers in the header, one word each.
#[derive(Clone, Copy)]
pub(super) enum Field {
    /// The race that is on or was last, from 1.
    Race = 18,
    /// Whether one is on.
    Racing,
    /// Configurations of the race.
    Configs,
    /// Survivors.
    Alive,
    /// Instances that all survivors have run on in this race.
    Rows,
    /// Instances in all.
    Step,
    /// Runs told in all.
    Used,
    /// The number of runs at which the race ends.
    Until,
    Elites,
    Sequence,
    /// Names given so far.
    Names,
    /// Instances in all when the race began.
    Seen,
    /// Elites among the configurations of the race: they are the first.
    Old,
}

/// What a configuration is doing on the present instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Due,
    Open,
    Told,
}

/// The words and how they are divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<M> {
    pub(super) words: M,
    pub(super) plan: Plan,
}

impl<M: AsRef<[u64]>> State<M> {
    pub(super) fn number(&self, place: Field) -> u32 {
        self.words.as_ref()[place as usize] as u32
    }

    pub(super) fn count(&self, place: Field) -> usize {
        self.number(place) as usize
    }

    /// The deviation of new numbers, and the share of categories that are drawn anew.
    pub(super) fn spread(&self) -> (f64, f64) {
        let words = self.words.as_ref();
        (f64::from_bits(words[SPREAD]), f64::from_bits(words[SPREAD + 1]))
    }

    pub(super) fn name(&self, slot: usize) -> u32 {
        self.words.as_ref()[self.plan.places::<f64>().names.start + slot] as u32
    }

    pub(super) fn kept_name(&self, place: usize) -> u32 {
        self.words.as_ref()[self.plan.places::<f64>().elites.start + place] as u32
    }

    /// The progress of a configuration and the sequence number of its open run.
    pub(super) fn progress(&self, slot: usize) -> (Progress, u32) {
        let word = self.words.as_ref()[self.plan.places::<f64>().states.start + slot];
        let progress = match word as u32 {
            0 => Progress::Due,
            1 => Progress::Open,
            _ => Progress::Told,
        };
        (progress, (word >> 32) as u32)
    }

    /// The place of the survivor in that column.
    pub(super) fn alive(&self, column: usize) -> usize {
        self.words.as_ref()[self.plan.places::<f64>().alive.start + column] as usize
    }

    pub(super) fn point<R: Real>(&self, slot: usize) -> &[R] {
        self.row(self.plan.places::<f64>().points.start, slot)
    }

    pub(super) fn kept<R: Real>(&self, place: usize) -> &[R] {
        self.row(self.plan.places::<R>().kept.start, place)
    }

    fn row<R: Real>(&self, at: usize, row: usize) -> &[R] {
        let dims = self.plan.dims as usize;
        &Reader::new(&self.words.as_ref()[at..]).scalars::<R>((row + 1) * dims)[row * dims..]
    }

    /// Which of all instances the race runs as its given one.
    ///
    /// An elitist race begins with a new one, goes on with those of earlier races in random order, and then with new ones.
    pub(super) fn step(&self, row: u32) -> u32 {
        let seen = self.number(Field::Seen);
        if !self.plan.elitist {
            return seen.saturating_add(row);
        }
        match row {
            0 => seen,
            row if row <= seen => permute(row - 1, seen, self.plan.seed as u32 ^ self.number(Field::Race)),
            row => row,
        }
    }

    /// The instance and the seed of the present step.
    pub(super) fn pair(&self) -> (u32, u64) {
        let step = self.step(self.number(Field::Rows));
        saved::pair(u64::from(step), self.plan.instances, self.plan.seed)
    }

    /// The costs that an elite has kept, by instance; NaN where there is none.
    pub(super) fn history<R: Real>(&self, place: usize) -> &[R] {
        let (at, steps) = (self.plan.places::<R>().history.start, self.plan.steps());
        let all = Reader::new(&self.words.as_ref()[at..]).scalars::<R>((place + 1) * steps);
        &all[place * steps..]
    }

    /// How many costs there are of a configuration of the race.
    pub(super) fn held<R: Real>(&self, slot: usize) -> usize {
        if self.plan.elitist && slot < self.count(Field::Old) {
            self.history::<R>(slot).iter().filter(|cost| !cost.is_nan()).count()
        } else {
            self.count(Field::Rows)
        }
    }

    /// What an elite of the race has kept for the present instance.
    pub(super) fn remembered<R: Real>(&self, slot: usize) -> Option<R> {
        let old = self.plan.elitist && slot < self.count(Field::Old);
        let step = self.step(self.number(Field::Rows)) as usize;
        (if old { self.history::<R>(slot).get(step).copied() } else { None }).filter(|cost| !cost.is_nan())
    }

    /// # Errors
    /// [`Error::Shape`] if the space or a point has other parameters, [`Error::Foreign`] if it is another space.
    pub(super) fn check_space(&self, domain: Domain<'_>, dims: usize) -> Result<(), Error> {
        let needed = self.plan.dims as usize;
        Error::Shape { needed }.when(domain.dims() != needed || dims != needed)?;
        let own = self.words.as_ref()[Header::FINGERPRINT];
        if own == domain.fingerprint() { Ok(()) } else { Err(Error::Foreign) }
    }

    /// Whether every number that is later trusted is in its range.
    fn is_valid<R: Real>(&self) -> bool {
        let words = self.words.as_ref();
        let (plan, most) = (self.plan, self.plan.configs() as usize);
        let (configs, alive) = (self.count(Field::Configs), self.count(Field::Alive));
        let (rows, racing) = (self.count(Field::Rows), self.number(Field::Racing) == 1);
        let (sd, loose) = self.spread();
        let counts = words[Field::Race as usize..HEADER].iter().all(|&word| u32::try_from(word).is_ok())
            && configs <= most
            && alive <= configs
            && self.number(Field::Racing) <= 1
            && self.number(Field::Used) <= plan.budget
            && self.number(Field::Until) <= plan.budget
            && self.number(Field::Elites) <= plan.races()
            && (0.0..=1.0).contains(&sd)
            && (0.0..=1.0).contains(&loose)
            && self.count(Field::Old) <= configs.min(plan.races() as usize)
            && self.number(Field::Seen) <= self.number(Field::Step)
            && (!plan.elitist || (self.count(Field::Step) <= plan.steps() && rows <= plan.steps()))
            // The row in the making must have room as well.
            && (!plan.elitist || !racing || (self.count(Field::Seen).max(rows) < plan.steps()))
            && (!racing || (alive > 0 && (rows + 1) * alive <= plan.budget as usize));
        if !counts || saved::generator(words).is_err() {
            return false;
        }
        let places = (0..alive).all(|column| {
            let slot = words[plan.places::<f64>().alive.start + column];
            slot < configs as u64 && (0..column).all(|other| self.alive(other) as u64 != slot)
        });
        let states = (0..configs).all(|slot| words[plan.places::<f64>().states.start + slot] as u32 <= 2);
        // What does not matter may stand at −1.
        let unit = |row: &[R]| row.iter().all(|&u| u >= -R::ONE && u <= R::ONE);
        let points = (0..configs).all(|slot| unit(self.point(slot)))
            && (0..self.count(Field::Elites)).all(|place| unit(self.kept(place)));
        let costs: &[R] = Reader::new(&words[plan.places::<R>().costs.start..]).scalars(plan.budget as usize);
        places && states && points && costs.iter().all(|cost| !cost.is_nan())
    }

    /// The words that have been looked through.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`] or [`Error::Corrupt`].
    pub(super) fn attach<R: Real>(words: M) -> Result<Self, Error> {
        let state = Self::resume::<R>(words)?;
        let whole = Header::is_whole(state.words.as_ref(), state.plan.places::<R>().sums.start);
        if whole && state.is_valid::<R>() { Ok(state) } else { Err(Error::Corrupt) }
    }

    /// The words, which are trusted.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`] or [`Error::Corrupt`].
    pub(super) fn resume<R: Real>(words: M) -> Result<Self, Error> {
        let plan = saved::resume::<R, _>(words.as_ref(), Kind::FRace, HEADER, |words| {
            Plan::from_words(&words[SETTINGS]).map(|plan| (plan, plan.words::<R>()))
        })?;
        Ok(Self { words, plan })
    }
}

impl<M: AsRef<[u64]> + AsMut<[u64]>> State<M> {
    /// # Errors
    /// As [`FRace::new`](super::FRace::new).
    pub(super) fn new<R: Real>(plan: &Plan, domain: Domain<'_>, mut words: M) -> Result<Self, Error> {
        plan.check()?;
        Error::Shape { needed: plan.dims as usize }.when(domain.dims() != plan.dims as usize)?;
        let (given, header) = (words.as_mut(), (Kind::FRace, domain.fingerprint()));
        saved::begin::<R>(given, header, plan.words::<R>(), plan.to_words(), plan.seed)?;
        bytemuck::cast_slice_mut::<_, R>(&mut given[plan.places::<R>().history]).fill(R::NAN);
        let mut state = Self { words, plan: *plan };
        state.set_spread(0.5, 1.0);
        state.write_checksum::<R>();
        Ok(state)
    }

    pub(super) fn set(&mut self, place: Field, number: u32) {
        self.words.as_mut()[place as usize] = u64::from(number);
    }

    pub(super) fn set_spread(&mut self, sd: f64, loose: f64) {
        self.words.as_mut()[SPREAD..SPREAD + 2].copy_from_slice(&[sd.to_bits(), loose.to_bits()]);
    }

    pub(super) fn set_name(&mut self, slot: usize, name: u32) {
        let at = self.plan.places::<f64>().names.start + slot;
        self.words.as_mut()[at] = u64::from(name);
    }

    pub(super) fn set_progress(&mut self, slot: usize, progress: Progress, sequence: u32) {
        let at = self.plan.places::<f64>().states.start + slot;
        self.words.as_mut()[at] = progress as u64 | u64::from(sequence) << 32;
    }

    pub(super) fn set_alive(&mut self, column: usize, slot: usize) {
        let at = self.plan.places::<f64>().alive.start + column;
        self.words.as_mut()[at] = slot as u64;
    }

    /// The generator, to be put back by [`State::set_generator`].
    pub(super) fn dice(&self) -> Generator {
        // Words that are all zero are refused by `attach`.
        saved::generator(self.words.as_ref()).unwrap_or_else(|_| Generator::new(0))
    }

    pub(super) fn set_generator(&mut self, generator: &Generator) {
        self.words.as_mut()[GENERATOR].copy_from_slice(&generator.words());
    }

    pub(super) fn costs<R: Real>(&mut self) -> &mut [R] {
        bytemuck::cast_slice_mut(&mut self.words.as_mut()[self.plan.places::<R>().costs])
    }

    /// The costs of all elites.
    pub(super) fn histories<R: Real>(&mut self) -> &mut [R] {
        bytemuck::cast_slice_mut(&mut self.words.as_mut()[self.plan.places::<R>().history])
    }

    /// The costs, and room for a sum for each configuration.
    pub(super) fn ranking<R: Real>(&mut self) -> (&mut [R], &mut [f64]) {
        let places = self.plan.places::<R>();
        let (before, after) = self.words.as_mut().split_at_mut(places.sums.start);
        let sums = &mut after[..places.sums.len()];
        (bytemuck::cast_slice_mut(&mut before[places.costs]), bytemuck::cast_slice_mut(sums))
    }

    /// All points of the race, those of the elites, and a mask of parameters.
    pub(super) fn points<R: Real>(&mut self) -> (&mut [R], &[R], &mut [u64]) {
        let places = self.plan.places::<R>();
        let (before, mask) = self.words.as_mut()[..places.mask.end].split_at_mut(places.mask.start);
        let (points, rest) = before[places.points.start..].split_at_mut(places.points.len());
        (bytemuck::cast_slice_mut(points), bytemuck::cast_slice(&rest[..places.kept.len()]), mask)
    }

    /// Copies a configuration to the elites.
    pub(super) fn keep<R: Real>(&mut self, slot: usize, place: usize) {
        let name = u64::from(self.name(slot));
        let (places, dims) = (self.plan.places::<R>(), self.plan.dims as usize);
        let words = self.words.as_mut();
        words[places.elites.start + place] = name;
        let (before, after) = words.split_at_mut(places.kept.start);
        let from: &[R] = bytemuck::cast_slice(&before[places.points]);
        let to: &mut [R] = bytemuck::cast_slice_mut(&mut after[..places.kept.len()]);
        to[place * dims..][..dims].copy_from_slice(&from[slot * dims..][..dims]);
    }

    /// Writes the checksum of the state.
    pub(super) fn write_checksum<R: Real>(&mut self) {
        let end = self.plan.places::<R>().sums.start;
        Header::write_checksum(self.words.as_mut(), end);
    }
}
