//! Iterated F-races over a space.
//!
//! ```text
//! block   header, words of the race │ race │ space
//! ```
//!
//! The checksum is over the header and the words of the race; the race has one of its own, the space its fingerprint.

use core::ffi::c_void;

use library::block::{Header, Kind};
use library::race::{FRace, Outcome as Told, Plan};
use library::space::Domain;
use library::{Real, Space};

use crate::choices::SCALAR;
use crate::export::{changing, checked, counted, put, resumed, scalar};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, Scalar, block, given, reference, slice, slice_mut, write_default};
use crate::race::infill_run;
use crate::space::{infill_space, with_space};

/// Words before the race.
const PREFIX: usize = Header::WORDS + 1;

/// An iterated F-race: configurations that a rank test finds worse are dropped, new ones sampled around the best.
///
/// Threads: one race is used by one thread at a time; functions that take it as `const` may run together.
/// Lifetime: as long as its block is neither freed, moved nor written by others.
#[derive(Debug)]
pub struct infill_frace {
    _words: [u64; 0],
}

/// What an iterated F-race does. Let infill_frace_default fill it.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_frace_plan {
    /// sizeof(infill_frace_plan), set by infill_frace_default.
    pub size: usize,
    /// The seed.
    pub seed: u64,
    /// The level of the tests.
    pub level: f64,
    /// Runs in all.
    pub budget: u32,
    /// Instances before the first test of a race, at least two.
    pub first: u32,
    /// Instances between tests.
    pub each: u32,
    /// How many instances there are.
    pub instances: u32,
    /// An infill_scalar.
    pub scalar: u32,
    /// 1 if the best of a race keep their costs for the next one, where only others that have run as often may drop them; else 0.
    pub elitist: u32,
    /// The cap of every run, infinite for none. With a cap, costs are times or the like: not negative.
    pub cap: f64,
    /// How many times its cap a stopped run costs.
    pub penalty: f64,
    /// A configuration is stopped once its costs sum to this many times those of the best; infinite for never. Only with a cap.
    pub slack: f64,
}

impl Default for infill_frace_plan {
    fn default() -> Self {
        let plan = Plan::new(1, 1000);
        Self {
            size: size_of::<Self>(),
            seed: plan.seed,
            level: plan.level,
            budget: plan.budget,
            first: plan.first,
            each: plan.each,
            instances: plan.instances,
            scalar: SCALAR,
            elitist: plan.elitist.into(),
            cap: plan.cap,
            penalty: plan.penalty,
            slack: plan.slack,
        }
    }
}

impl infill_frace_plan {
    fn plan(&self, space: &Space<'_>) -> Outcome<Plan> {
        if self.elitist > 1 {
            return Err(INFILL_ERROR_CONFIG);
        }
        let dims = u32::try_from(space.dims()).map_err(|_| INFILL_ERROR_DIMENSIONS)?;
        let plan = Plan {
            dims,
            budget: self.budget,
            first: self.first,
            each: self.each,
            level: self.level,
            instances: self.instances,
            seed: self.seed,
            elitist: self.elitist == 1,
            cap: self.cap,
            penalty: self.penalty,
            slack: self.slack,
        };
        plan.check()?;
        Ok(plan)
    }

    /// Words of the race and of the space.
    fn words(&self, space: &Space<'_>) -> Outcome<[usize; 2]> {
        let plan = self.plan(space)?;
        let race = scalar!(self.scalar, R => {
            space.check_exact::<R>()?;
            plan.words::<R>()
        });
        Ok([race, space.words()])
    }
}

/// Words of the race and of the space, and the scalar, as the front of a block says.
fn front(words: &[u64; PREFIX]) -> Outcome<(usize, usize, usize)> {
    let header = Header::read(words, Kind::FRaceOverSpace)?;
    let race = usize::try_from(words[Header::WORDS]).map_err(|_| INFILL_ERROR_CORRUPT)?;
    let space = header.words.checked_sub(PREFIX).and_then(|rest| rest.checked_sub(race));
    match space {
        Some(space) if header.words < isize::MAX as usize / 32 => Ok((header.scalar, race, space)),
        _ => Err(INFILL_ERROR_CORRUPT),
    }
}

/// The scalar and the words of the race, and those of the space.
type Parts<M> = ((usize, M), M);

unsafe fn open<'a>(frace: *mut infill_frace) -> Outcome<Parts<&'a mut [u64]>> {
    // SAFETY: the handle is the caller's, who promises that it is one.
    let (scalar, race, space) = front(unsafe { reference(frace.cast::<[u64; PREFIX]>()) }?)?;
    // SAFETY: the block has as many words as its front says.
    let words = unsafe { slice_mut(frace.cast::<u64>(), PREFIX + race + space) }?;
    let (race, space) = words[PREFIX..].split_at_mut(race);
    Ok(((scalar, race), space))
}

unsafe fn view<'a>(frace: *const infill_frace) -> Outcome<Parts<&'a [u64]>> {
    // SAFETY: as in `open`.
    let (scalar, race, space) = front(unsafe { reference(frace.cast::<[u64; PREFIX]>()) }?)?;
    // SAFETY: as in `open`.
    let words = unsafe { slice(frace.cast::<u64>(), PREFIX + race + space) }?;
    let (race, space) = words[PREFIX..].split_at(race);
    Ok(((scalar, race), space))
}

/// The space of a race, if it has so many parameters.
fn over<R: Real>(space: &[u64], dims: usize) -> Outcome<Domain<'_>> {
    let domain = Domain::attach::<R>(space)?;
    if domain.dims() == dims { Ok(domain) } else { Err(INFILL_ERROR_SHAPE) }
}

unsafe fn with_plan<T>(
    space: *const infill_space,
    plan: *const infill_frace_plan,
    work: impl FnOnce(&Space<'_>, &infill_frace_plan, [usize; 2]) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        let plan = given(plan)?;
        with_space(space, |space| work(space, plan, plan.words(space)?))
    }
}

/// Fills the plan of an iterated F-race with defaults: elitist, 1000 runs, a test after five instances and after each further
/// one, no caps.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_default(plan: *mut infill_frace_plan, size: usize) -> infill_status {
    checked!(write_default(plan, size)?)
}

/// Bytes of the block that an iterated F-race takes, a multiple of 8; 0 if the space or the plan is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_size(
    space: *const infill_space,
    plan: *const infill_frace_plan,
) -> usize {
    counted!({
        let [race, space] = with_plan(space, plan, |_, _, words| Ok(words))?;
        race.checked_add(space + PREFIX).and_then(|words| words.checked_mul(8)).ok_or(INFILL_ERROR_LIMITS)?
    })
}

/// Makes an iterated F-race in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
///
/// The handle is mem; to save the race, copy infill_frace_bytes of it.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY; those of infill_space;
/// INFILL_ERROR_LIMITS for too few or too many runs; INFILL_ERROR_CONFIG for another setting; INFILL_ERROR_UNSUPPORTED for
/// the scalar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_init(
    mem: *mut c_void,
    size: usize,
    space: *const infill_space,
    plan: *const infill_frace_plan,
    out: *mut *mut infill_frace,
) -> infill_status {
    checked!(put!(out, {
        let words = block(mem, size)?;
        with_plan(space, plan, |space, plan, [race, rest]| {
            let (prefix, behind) = words.split_at_mut_checked(PREFIX).ok_or(INFILL_ERROR_MEMORY)?;
            let (first, second) = behind.split_at_mut_checked(race).ok_or(INFILL_ERROR_MEMORY)?;
            let second = second.get_mut(..rest).ok_or(INFILL_ERROR_MEMORY)?;
            space.write(second)?;
            let what = plan.plan(space)?;
            scalar!(plan.scalar, R => {
                FRace::<R, _>::new(&what, Domain::attach::<R>(second)?, first).map(|_| ())?;
            });
            let (scalar, words) = (plan.scalar as usize, PREFIX + race + rest);
            let fingerprint = space.fingerprint();
            Header { kind: Kind::FRaceOverSpace, scalar, words, fingerprint }.write(prefix)?;
            prefix[Header::WORDS] = race as u64;
            Header::write_checksum(prefix, PREFIX);
            Ok(())
        })?;
        mem.cast()
    }))
}

/// The race in a block that was saved, copied or moved, after checksums over all that it remembers and over its space.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY, INFILL_ERROR_FOREIGN; INFILL_ERROR_CORRUPT for any
/// damage; INFILL_ERROR_UNSUPPORTED for a scalar that was left out of this build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_attach(
    mem: *mut c_void,
    size: usize,
    out: *mut *mut infill_frace,
) -> infill_status {
    checked!(put!(out, {
        let words = block(mem, size)?;
        let (prefix, behind) = words.split_first_chunk_mut::<PREFIX>().ok_or(INFILL_ERROR_MEMORY)?;
        let (bytes, race, space) = front(prefix)?;
        let (race, rest) = behind.split_at_mut_checked(race).ok_or(INFILL_ERROR_MEMORY)?;
        let space = rest.get(..space).ok_or(INFILL_ERROR_MEMORY)?;
        if !Header::is_whole(prefix, PREFIX) {
            return Err(INFILL_ERROR_CORRUPT);
        }
        scalar!(bytes, R => whole::<R>(race, space)?);
        mem.cast()
    }))
}

/// Whether race and space are whole and fit each other.
fn whole<R: Real>(race: &mut [u64], space: &[u64]) -> Outcome<()> {
    let words = race.len();
    // Their words are counted, and the space was taken when it was written: what is amiss is damage.
    let race = FRace::<R, _>::attach(race).map_err(|_| INFILL_ERROR_CORRUPT)?;
    let domain = Domain::attach::<R>(space).map_err(|_| INFILL_ERROR_CORRUPT)?;
    let fits = race.plan().words::<R>() == words && race.is_over(domain);
    if fits { Ok(()) } else { Err(INFILL_ERROR_CORRUPT) }
}

/// The next run to make, and its configuration in user units. All survivors of a race may be open together, but for caps that
/// adapt.
///
/// Nothing to give: INFILL_ERROR_EXHAUSTED if the runs are used up. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN;
/// INFILL_ERROR_SHAPE if dims is not the number of parameters; INFILL_ERROR_TOO_MANY_OPEN if all survivors are running;
/// INFILL_ERROR_INFEASIBLE if every configuration is forbidden.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_ask(
    frace: *mut infill_frace,
    x: *mut f64,
    dims: usize,
    out: *mut infill_run,
) -> infill_status {
    changing!(frace, out, {
        let (point, (race, space)) = (slice_mut(x, dims)?, open(frace)?);
        resumed!(race, FRace, race => {
            let domain = over::<R>(space, dims)?;
            <R as Scalar>::write(point, |point| Ok(race.ask(domain, point)?))?.into()
        })
    })
}

/// What a run cost.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_STALE_TRIAL for a run that is not open;
/// INFILL_ERROR_NOT_FINITE for NaN or an infinity, or a negative cost where runs have a cap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_tell(frace: *mut infill_frace, run: u64, cost: f64) -> infill_status {
    changing!(frace, resumed!(open(frace)?.0, FRace, race => race.tell(run, Told::Cost(R::of(cost)))?))
}

/// A run was stopped at its cap.
///
/// Errors: as infill_frace_tell; INFILL_ERROR_NOT_FINITE if runs have no cap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_capped(frace: *mut infill_frace, run: u64) -> infill_status {
    changing!(frace, resumed!(open(frace)?.0, FRace, race => race.tell(run, Told::<R>::Capped)?))
}

/// A run broke down: it ranks last, or costs as much as a capped one where runs have a cap.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN, INFILL_ERROR_STALE_TRIAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_crashed(frace: *mut infill_frace, run: u64) -> infill_status {
    changing!(frace, resumed!(open(frace)?.0, FRace, race => race.tell(run, Told::<R>::Crashed)?))
}

/// Gives an open run back; it is asked for again.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN, INFILL_ERROR_STALE_TRIAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_forget(frace: *mut infill_frace, run: u64) -> infill_status {
    changing!(frace, resumed!(open(frace)?.0, FRace, race => race.forget(run)?))
}

/// The best configuration of the last race that ended, in user units, and its number.
///
/// Nothing to give: INFILL_ERROR_NO_DATA before the first race ended. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN,
/// INFILL_ERROR_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_best(
    frace: *const infill_frace,
    x: *mut f64,
    dims: usize,
    config: *mut u32,
) -> infill_status {
    checked!(put!(config, {
        let (point, (race, space)) = (slice_mut(x, dims)?, view(frace)?);
        resumed!(race, FRace, race => {
            let domain = over::<R>(space, dims)?;
            <R as Scalar>::write(point, |point| race.best(domain, point)?.ok_or(INFILL_ERROR_NO_DATA))?
        })
    }))
}

/// Number of parameters of the space of an iterated F-race; 0 if it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_dims(frace: *const infill_frace) -> usize {
    counted!({
        let ((scalar, _), space) = view(frace)?;
        scalar!(scalar, R => Domain::attach::<R>(space)?.dims())
    })
}

/// Bytes of the block of an iterated F-race; 0 if it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_frace_bytes(frace: *const infill_frace) -> usize {
    counted!({
        let (_, race, space) = front(reference(frace.cast::<[u64; PREFIX]>())?)?;
        8 * (PREFIX + race + space)
    })
}
