//! Races of noisy configurations.

use core::ffi::c_void;

use library::Real;
use library::block::{Header, Kind};
use library::race::{Outcome as Told, Race, Rules, Run, Size, Statistic};

use crate::choices::SCALAR;
use crate::export::{changing, checked, counted, put, resumed, scalar};
use crate::infill_status::{self, *};
use crate::pointer::{Handle, Outcome, block, given, header, open, view, write_default};

/// What is compared: infill_race_rules.statistic.
#[derive(Clone, Copy, Debug)]
pub enum infill_statistic {}

/// A race: which of several noisy configurations is best. The handle is the first byte of its block.
///
/// Threads: one race is used by one thread at a time; functions that take it as `const` may run together.
/// Lifetime: as long as its block is neither freed, moved nor written by others.
#[derive(Debug)]
pub struct infill_race {
    _words: [u64; 0],
}

impl Handle for infill_race {
    const KIND: Kind = Kind::Race;
}

/// How a race is run, and how much it holds. Let infill_race_default fill it.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_race_rules {
    /// sizeof(infill_race_rules), set by infill_race_default.
    pub size: usize,
    /// The seed of the race.
    pub seed: u64,
    /// How many times its cap a stopped run costs: 10 is PAR10.
    pub penalty: f64,
    /// The cap of every run, infinite for none; with a cap, costs are not negative.
    pub cap: f64,
    /// A challenger is stopped once its costs sum to so many times the incumbent's; infinite for never.
    pub slack: f64,
    /// The probability of INFILL_STATISTIC_QUANTILE.
    pub quantile: f64,
    /// An infill_statistic.
    pub statistic: u32,
    /// An infill_scalar.
    pub scalar: u32,
    /// The most configurations.
    pub configs: u32,
    /// The most runs in all.
    pub runs: u32,
    /// The most runs of one configuration.
    pub most: u32,
    /// The fewest challengers of a round.
    pub challengers: u32,
    /// How many instances there are.
    pub instances: u32,
    /// 1 if runs depend on their seed; 0 if a configuration is to run once per instance.
    pub seeds: u32,
    /// 1 if configurations that lost are challengers again when no others are left; 0 otherwise.
    pub again: u32,
    /// Zero.
    pub reserved: u32,
}

impl Default for infill_race_rules {
    fn default() -> Self {
        let rules = Rules::default();
        Self {
            size: size_of::<Self>(),
            seed: rules.seed,
            penalty: rules.penalty,
            cap: rules.cap,
            slack: rules.slack,
            quantile: 0.5,
            statistic: 0,
            scalar: SCALAR,
            configs: 100,
            runs: 1000,
            most: rules.most,
            challengers: rules.challengers,
            instances: rules.instances,
            seeds: u32::from(rules.seeds),
            again: u32::from(rules.again),
            reserved: 0,
        }
    }
}

impl infill_race_rules {
    fn read(&self) -> Outcome<(Size, Rules)> {
        if self.seeds > 1 || self.again > 1 || self.reserved != 0 {
            return Err(INFILL_ERROR_CONFIG);
        }
        let rules = Rules {
            statistic: match self.statistic {
                0 => Statistic::Mean,
                1 => Statistic::Median,
                2 => Statistic::Quantile(self.quantile),
                _ => return Err(INFILL_ERROR_CONFIG),
            },
            penalty: self.penalty,
            cap: self.cap,
            slack: self.slack,
            most: self.most,
            challengers: self.challengers,
            instances: self.instances,
            seeds: self.seeds == 1,
            again: self.again == 1,
            seed: self.seed,
        };
        Ok((Size { configs: self.configs, runs: self.runs }, rules))
    }

    /// Makes a race, in no memory if that is asked for: the error then says what is missing.
    fn start(&self, words: &mut [u64]) -> Outcome<Result<(), library::Error>> {
        let (size, rules) = self.read()?;
        Ok(scalar!(self.scalar, R => Race::<R, _>::new(size, &rules, words).map(|_| ())))
    }
}

/// A run to be made.
///
/// Threads: plain data. Lifetime: its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_run {
    /// The name to tell its cost under.
    pub id: u64,
    /// The seed for whatever is random in it.
    pub seed: u64,
    /// The cost at which it may be stopped; infinite if there is none.
    pub cap: f64,
    /// The configuration, by the number that the caller gave it.
    pub config: u32,
    /// The instance, counted from zero.
    pub instance: u32,
}

impl<R: Real> From<Run<R>> for infill_run {
    fn from(run: Run<R>) -> Self {
        let Run { id, seed, cap, config, instance } = run;
        Self { id, seed, cap: cap.to_f64(), config, instance }
    }
}

/// A run that was made.
///
/// Threads: plain data. Lifetime: its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_run_record {
    /// The seed.
    pub seed: u64,
    /// The cap it ran under; infinite if there was none.
    pub cap: f64,
    /// What it cost, with the penalty if it was stopped; infinite if it crashed without a cap.
    pub cost: f64,
    /// The configuration.
    pub config: u32,
    /// The instance.
    pub instance: u32,
    /// 1 if it was stopped at its cap.
    pub capped: u32,
    /// Zero.
    pub reserved: u32,
}

/// Fills the rules of a race with defaults: means of at most 1000 runs of 100 configurations, without caps.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_default(rules: *mut infill_race_rules, size: usize) -> infill_status {
    checked!(write_default(rules, size)?)
}

/// Bytes of the block that a race takes, a multiple of 8; 0 if the rules are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_size(rules: *const infill_race_rules) -> usize {
    counted!(match given(rules)?.start(&mut [])? {
        Err(library::Error::Memory { needed }) => needed.checked_mul(8).ok_or(INFILL_ERROR_LIMITS)?,
        refused => refused.map(|()| 0)?,
    })
}

/// Makes a race without configurations in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
///
/// The handle is mem; to save the race, copy infill_race_bytes of it.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY; INFILL_ERROR_LIMITS for no
/// configurations or runs or too many; INFILL_ERROR_CONFIG for another setting; INFILL_ERROR_UNSUPPORTED for the scalar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_init(
    mem: *mut c_void,
    size: usize,
    rules: *const infill_race_rules,
    out: *mut *mut infill_race,
) -> infill_status {
    checked!(put!(out, {
        given(rules)?.start(block(mem, size)?)??;
        mem.cast()
    }))
}

/// The race in a block that was saved, copied or moved, after all that it remembers has been checked.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY, INFILL_ERROR_FOREIGN, INFILL_ERROR_CORRUPT,
/// INFILL_ERROR_UNSUPPORTED for a scalar that was left out of this build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_attach(
    mem: *mut c_void,
    size: usize,
    out: *mut *mut infill_race,
) -> infill_status {
    checked!(put!(out, {
        let words = block(mem, size)?;
        scalar!(Header::read(words, Kind::Race)?.scalar, R => Race::<R, _>::attach(words).map(|_| ())?);
        mem.cast()
    }))
}

/// Queues a configuration, by a number of the caller's; the first one becomes the incumbent after one run.
///
/// Nothing happens if it is the incumbent, is being tried or waits already.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_FULL if it is new and there is no room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_challenge(race: *mut infill_race, config: u32) -> infill_status {
    changing!(race, resumed!(open(race)?, Race, race => race.challenge(config)?))
}

/// The next run to make. Runs of one batch may be open together.
///
/// Nothing to give: INFILL_ERROR_EXHAUSTED if nobody is left to challenge, INFILL_ERROR_FULL if all runs were made. Errors:
/// INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_TOO_MANY_OPEN if what comes next depends on runs that are open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_ask(race: *mut infill_race, out: *mut infill_run) -> infill_status {
    changing!(race, out, resumed!(open(race)?, Race, race => race.ask()?.into()))
}

/// What a run cost; a cost above its cap counts as capped.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_STALE_TRIAL for a run that is not open;
/// INFILL_ERROR_NOT_FINITE for NaN, an infinity, or a negative cost where runs have a cap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_tell(race: *mut infill_race, run: u64, cost: f64) -> infill_status {
    changing!(race, resumed!(open(race)?, Race, race => race.tell(run, Told::Cost(R::of(cost)))?))
}

/// A run was stopped at its cap: it costs penalty times that.
///
/// Errors: as infill_race_tell; INFILL_ERROR_NOT_FINITE if runs have no cap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_capped(race: *mut infill_race, run: u64) -> infill_status {
    changing!(race, resumed!(open(race)?, Race, race => race.tell(run, Told::Capped)?))
}

/// A run broke down: it costs more than anything, or as much as a capped one where runs have a cap.
///
/// Errors: as infill_race_tell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_crashed(race: *mut infill_race, run: u64) -> infill_status {
    changing!(race, resumed!(open(race)?, Race, race => race.tell(run, Told::Crashed)?))
}

/// Gives an open run back, for whoever made it is gone; it is asked for again.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN, INFILL_ERROR_STALE_TRIAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_forget(race: *mut infill_race, run: u64) -> infill_status {
    changing!(race, resumed!(open(race)?, Race, race => race.forget(run)?))
}

/// Begins a round of at most so many runs: infill_race_over tells its end.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_begin(race: *mut infill_race, runs: u32) -> infill_status {
    changing!(race, resumed!(open(race)?, Race, race => race.begin(runs)))
}

/// 1 if the round has taken its runs and tried its challengers, so that it is time to think of others; 0 otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_over(race: *const infill_race) -> u32 {
    counted!(resumed!(view(race)?, Race, race => u32::from(race.over())))
}

/// The best configuration so far.
///
/// Nothing to give: INFILL_ERROR_NO_DATA before the first run. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_incumbent(race: *const infill_race, config: *mut u32) -> infill_status {
    checked!(put!(config, resumed!(view(race)?, Race, race => race.incumbent().ok_or(INFILL_ERROR_NO_DATA)?)))
}

/// The mean, median or quantile of the costs of a configuration; infinite if runs of it crashed without a cap. Uses the room
/// for work of the block.
///
/// Nothing to give: INFILL_ERROR_NO_DATA if it has no run. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_cost(
    race: *mut infill_race,
    config: u32,
    cost: *mut f64,
) -> infill_status {
    changing!(race, cost, {
        resumed!(open(race)?, Race, race => race.cost(config).ok_or(INFILL_ERROR_NO_DATA)?.to_f64())
    })
}

/// How many runs of a configuration were told; 0 if it is unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_runs(race: *const infill_race, config: u32) -> u32 {
    counted!(resumed!(view(race)?, Race, race => race.runs_of(config)))
}

/// How many runs were told in all: the records of infill_race_record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_count(race: *const infill_race) -> usize {
    counted!(resumed!(view(race)?, Race, race => race.runs() as usize))
}

/// A run that was told, by its place before infill_race_count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_SHAPE if there is no such place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_record(
    race: *const infill_race,
    index: usize,
    out: *mut infill_run_record,
) -> infill_status {
    checked!(put!(
        out,
        resumed!(view(race)?, Race, race => {
            let record = race.records().nth(index).ok_or(INFILL_ERROR_SHAPE)?;
            infill_run_record {
                seed: record.seed,
                cap: record.cap.to_f64(),
                cost: record.cost.to_f64(),
                config: record.config,
                instance: record.instance,
                capped: u32::from(record.capped),
                reserved: 0,
            }
        })
    ))
}

/// Bytes of the block of a race; 0 if it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_race_bytes(race: *const infill_race) -> usize {
    counted!(8 * header(race)?.words)
}
