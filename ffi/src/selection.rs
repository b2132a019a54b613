//! Selection among algorithms that each have parameters of their own.

use core::ffi::c_void;

use library::selection::{self, Saved};
use library::{Backend, Config, Limits, Plain, Prediction, Selection, Selector, Space, Strategy, TrialId};

use crate::ask::{infill_proposal, infill_trial, origin};
use crate::backend::{Chosen, infill_backend};
use crate::border::{
    Out, Outcome, Scalar, block, check, guard, guard_block, guard_or, missing, sized, slice, slice_mut,
    write_sized,
};
use crate::config::{infill_config, with_config};
use crate::infill_status::{self, *};
use crate::look::{infill_record, record};
use crate::space::{infill_space, with_space};

/// How a value of the category is chosen: infill_selector.strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_strategy {
    /// One model over the whole space, where parameters that do not matter are imputed.
    INFILL_STRATEGY_IMPUTE = 0,
    /// A model for each value; the one whose best point is worth most is asked.
    INFILL_STRATEGY_SINGLE = 1,
    /// A model for each value; one search over all of them together.
    INFILL_STRATEGY_WHOLE = 2,
    /// The same number of trials for each value, each with a model and an incumbent of its own.
    INFILL_STRATEGY_BASELINE = 3,
}
use infill_strategy::*;

/// What is selected, and how: fill it with infill_selector_default.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct infill_selector {
    /// sizeof(infill_selector).
    pub size: usize,
    /// The category whose values are the branches; it has no condition.
    pub parameter: u32,
    /// An infill_strategy.
    pub strategy: u32,
    /// Evaluations in all, of INFILL_STRATEGY_BASELINE: budget / branches for each, the rest for the best of them.
    pub budget: u32,
    /// Trials of the starting design of each branch; 0 is 10, 3 of a baseline, 5 in all where one model serves all.
    pub start: u32,
    /// The most trials of one branch: what memory is for. 0 is as many as there are in all.
    pub most: u32,
    /// 1 if improvement is measured against the best value of the branch instead of the best of all, else 0.
    pub own_minimum: u32,
    /// Zero.
    pub reserved: [u32; 4],
}

impl infill_selector {
    fn selector(&self) -> Outcome<Selector> {
        let strategy = match self.strategy {
            s if s == INFILL_STRATEGY_IMPUTE as u32 => Strategy::Impute,
            s if s == INFILL_STRATEGY_SINGLE as u32 => Strategy::Single,
            s if s == INFILL_STRATEGY_WHOLE as u32 => Strategy::Whole,
            s if s == INFILL_STRATEGY_BASELINE as u32 => Strategy::Baseline { budget: self.budget },
            _ => return Err(INFILL_ERROR_CONFIG),
        };
        if self.own_minimum > 1 || self.reserved != [0; 4] {
            return Err(INFILL_ERROR_CONFIG);
        }
        let own_minimum = self.own_minimum == 1;
        let (start, most) = (self.start, self.most);
        Ok(Selector { start, most, own_minimum, ..Selector::new(self.parameter, strategy) })
    }
}

/// A selection. The handle is the first byte of its block: to save it, copy infill_selection_bytes of them.
///
/// Threads: one selection is used by one thread at a time; functions that take it as `const` may run together.
/// Lifetime: as long as its block is neither freed, moved nor written by others; from infill_selection_new, until
/// infill_selection_free.
#[derive(Debug)]
pub struct infill_selection {
    _words: [u64; 0],
}

/// A selection behind a handle.
enum Handle<M> {
    #[cfg(feature = "f32")]
    F32(Selection<f32, M>),
    #[cfg(feature = "f64")]
    F64(Selection<f64, M>),
}

impl<M: AsRef<[u64]>> Handle<M> {
    fn of(scalar: usize, words: M) -> Outcome<Self> {
        match scalar {
            #[cfg(feature = "f32")]
            4 => Ok(Self::F32(Selection::resume(words)?)),
            #[cfg(feature = "f64")]
            8 => Ok(Self::F64(Selection::resume(words)?)),
            _ => Err(INFILL_ERROR_UNSUPPORTED),
        }
    }
}

/// The same for either scalar.
macro_rules! either {
    ($handle:expr, $selection:ident => $body:expr) => {
        match $handle {
            #[cfg(feature = "f32")]
            #[allow(unused_mut, reason = "some bodies only look")]
            Handle::F32(mut $selection) => $body,
            #[cfg(feature = "f64")]
            #[allow(unused_mut, reason = "some bodies only look")]
            Handle::F64(mut $selection) => $body,
        }
    };
}

unsafe fn saved(handle: *const infill_selection) -> Outcome<Saved> {
    check(handle.cast::<u64>())?;
    // SAFETY: a handle points to a block, which has at least a header.
    let header = unsafe { core::slice::from_raw_parts(handle.cast::<u64>(), selection::HEADER) };
    Ok(selection::saved(header)?)
}

/// # Safety
/// If the handle is neither NULL nor misaligned, it came from this library and belongs to the caller alone.
unsafe fn open<'a>(handle: *mut infill_selection) -> Outcome<Handle<&'a mut [u64]>> {
    // SAFETY: as here.
    let saved = unsafe { saved(handle) }?;
    // SAFETY: the block has as many words as its header says.
    Handle::of(saved.scalar, unsafe { slice_mut(handle.cast::<u64>(), saved.words) }?)
}

/// # Safety
/// As [`open`], but others may look too.
unsafe fn view<'a>(handle: *const infill_selection) -> Outcome<Handle<&'a [u64]>> {
    // SAFETY: as here.
    let saved = unsafe { saved(handle) }?;
    // SAFETY: the block has as many words as its header says.
    Handle::of(saved.scalar, unsafe { slice(handle.cast::<u64>(), saved.words) }?)
}

/// Gives `work` a scalar, a space, a selector, a configuration and limits.
///
/// # Safety
/// As for all of them.
unsafe fn with_all<T>(
    space: *const infill_space,
    selector: *const infill_selector,
    config: *const infill_config,
    work: impl FnOnce(u32, &Space<'_>, Selector, &Config<'_>, Limits) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    let selector = unsafe { sized(selector, size_of::<infill_selector>(), blank()) }?.selector()?;
    // SAFETY: as here.
    unsafe {
        with_space(space, |space| {
            with_config(config, space, |scalar, config, limits| work(scalar, space, selector, config, limits))
        })
    }
}

const fn blank() -> infill_selector {
    infill_selector {
        size: size_of::<infill_selector>(),
        parameter: 0,
        strategy: INFILL_STRATEGY_SINGLE as u32,
        budget: 0,
        start: 0,
        most: 0,
        own_minimum: 0,
        reserved: [0; 4],
    }
}

fn start(
    scalar: u32,
    space: &Space<'_>,
    selector: Selector,
    config: &Config<'_>,
    limits: Limits,
    mem: &mut [u64],
) -> Result<(), library::Error> {
    match scalar {
        #[cfg(feature = "f32")]
        4 => Selection::<f32, _>::new(space, selector, config, limits, mem).map(|_| ()),
        #[cfg(feature = "f64")]
        8 => Selection::<f64, _>::new(space, selector, config, limits, mem).map(|_| ()),
        _ => Err(library::Error::Config),
    }
}

/// Words of the block, found by asking for it in none: what is refused for another reason would be refused in any.
fn words(
    scalar: u32,
    space: &Space<'_>,
    selector: Selector,
    config: &Config<'_>,
    limits: Limits,
) -> Outcome<usize> {
    if !matches!(scalar, 4 if cfg!(feature = "f32")) && !matches!(scalar, 8 if cfg!(feature = "f64")) {
        return Err(missing(scalar));
    }
    match start(scalar, space, selector, config, limits, &mut []) {
        Err(library::Error::Memory { needed }) => Ok(needed),
        refused => refused.map(|()| 0).map_err(infill_status::from),
    }
}

/// Fills a selector with the starting design of its source and the best value of all as what is to be improved on.
///
/// size is sizeof(infill_selector), by which the library knows the header that the program was built with; strategy is an
/// infill_strategy. A baseline wants its budget besides.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selector_default(
    selector: *mut infill_selector,
    size: usize,
    parameter: u32,
    strategy: u32,
) -> infill_status {
    guard(|| {
        let value = infill_selector { parameter, strategy, ..blank() };
        // SAFETY: the caller's pointer is what it says.
        unsafe { write_sized(selector, size, size_of::<infill_selector>(), &value) }
    })
}

/// Bytes of the block that a selection takes, a multiple of 8; 0 if something is refused.
///
/// The limits of the configuration are those of the whole space and of all trials together. Never allocates. Why something
/// is refused, infill_selection_init says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_size(
    space: *const infill_space,
    selector: *const infill_selector,
    config: *const infill_config,
) -> usize {
    guard_or(0, || {
        // SAFETY: the caller's pointers are what they say.
        let words = unsafe { with_all(space, selector, config, words) }?;
        words.checked_mul(8).ok_or(INFILL_ERROR_LIMITS)
    })
}

/// Makes a selection without trials in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
///
/// The handle is mem. Each value of the category is a branch with a model of its own over the parameters that can matter
/// then; config is that of every branch, each with a seed of its own.
///
/// Errors: as infill_init; INFILL_ERROR_OUT_OF_RANGE if there is no such parameter; INFILL_ERROR_UNSUPPORTED if it is no
/// category or has a condition, for INFILL_TRANSFORM_RANK and policies whose values cannot be compared, and without models in
/// this build; INFILL_ERROR_CONFIG for an unknown strategy, a start of one trial with a process or a budget of less than one
/// trial for each branch; INFILL_ERROR_INFEASIBLE if every branch is forbidden.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_init(
    mem: *mut c_void,
    size: usize,
    space: *const infill_space,
    selector: *const infill_selector,
    config: *const infill_config,
    out: *mut *mut infill_selection,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        unsafe {
            let out = Out::new(out)?;
            let memory = block(mem, size)?;
            with_all(space, selector, config, |scalar, space, selector, config, limits| {
                words(scalar, space, selector, config, limits)?;
                Ok(start(scalar, space, selector, config, limits, memory)?)
            })?;
            out.write(mem.cast());
        }
        Ok(())
    })
}

/// As infill_selection_init, in a block of its own from the heap. Hosted builds only; infill_selection_free gives it back.
///
/// Errors: as infill_selection_init, and INFILL_ERROR_ALLOCATION.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_new(
    space: *const infill_space,
    selector: *const infill_selector,
    config: *const infill_config,
    out: *mut *mut infill_selection,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        unsafe {
            let out = Out::new(out)?;
            let made = with_all(space, selector, config, |scalar, space, selector, config, limits| {
                let words = words(scalar, space, selector, config, limits)?;
                crate::border::boxed(words, |memory| {
                    Ok(start(scalar, space, selector, config, limits, memory)?)
                })
            })?;
            out.write(made.cast());
        }
        Ok(())
    })
}

/// Gives back a selection from infill_selection_new; NULL is allowed. Hosted builds only.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_free(selection: *mut infill_selection) {
    // SAFETY: the caller has it from infill_selection_new.
    unsafe { crate::border::unbox(selection.cast()) }
}

/// The selection in a block that was saved, copied or moved, after all that it remembers has been checked.
///
/// Errors: as infill_attach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_attach(
    mem: *mut c_void,
    size: usize,
    out: *mut *mut infill_selection,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        let (out, words) = unsafe { (Out::new(out)?, block(mem, size)?) };
        match selection::saved(words)?.scalar {
            #[cfg(feature = "f32")]
            4 => Selection::<f32, _>::attach(words).map(|_| ())?,
            #[cfg(feature = "f64")]
            8 => Selection::<f64, _>::attach(words).map(|_| ())?,
            _ => return Err(INFILL_ERROR_UNSUPPORTED),
        }
        out.write(mem.cast());
        Ok(())
    })
}

fn ask<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>,
    chosen: Option<&mut dyn Backend<R>>,
    x: &mut [f64],
) -> Outcome<infill_proposal> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let ask = R::write(x, |point| {
        Ok(match chosen {
            None => selection.ask_with(&mut Plain, point)?,
            Some(backend) => selection.ask_with(backend, point)?,
        })
    })?;
    let (trial, acquisition) = (ask.id.to_bits(), ask.acquisition.to_f64());
    Ok(infill_proposal { trial, acquisition, origin: origin(ask.origin) as u32, reserved: 0 })
}

/// Proposes a point of the whole space, in user units, and opens a trial for it. Many trials may be open.
///
/// Queued points come first, then the starting designs of all branches in turn, then what the strategy says. Parameters that do
/// not matter are canonical.
///
/// Errors: as infill_ask; INFILL_ERROR_EXHAUSTED and INFILL_ERROR_FULL only where every branch is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_ask(
    selection: *mut infill_selection,
    x: *mut f64,
    dims: usize,
    trial: *mut infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let out = Out::new(trial)?;
            let x = slice_mut(x, dims)?;
            out.write(either!(open(selection)?, selection => ask(&mut selection, None, x)?).trial);
            Ok(())
        })
    }
}

/// As infill_selection_ask, with the arithmetic done by a backend and the origin of the point; backend = NULL is
/// infill_selection_ask's.
///
/// Errors: as infill_selection_ask, and INFILL_ERROR_BACKEND; the trials are unchanged then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_ask_with(
    selection: *mut infill_selection,
    backend: *mut infill_backend,
    x: *mut f64,
    dims: usize,
    out: *mut infill_proposal,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (out, x) = (Out::new(out)?, slice_mut(x, dims)?);
            let (handle, mut chosen) = (open(selection)?, Chosen::new(backend)?);
            out.write(match handle {
                #[cfg(feature = "f32")]
                Handle::F32(mut selection) => ask(&mut selection, chosen.f32(), x)?,
                #[cfg(feature = "f64")]
                Handle::F64(mut selection) => ask(&mut selection, chosen.f64(), x)?,
            });
            Ok(())
        })
    }
}

/// Tells the value of an open trial.
///
/// Errors: as infill_tell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_tell(
    selection: *mut infill_selection,
    trial: infill_trial,
    value: f64,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe { infill_selection_tell_noisy(selection, trial, value, 0.0) }
}

fn tell<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>,
    trial: infill_trial,
    value: f64,
    variance: f64,
) -> Outcome<()> {
    Ok(selection.tell_noisy(TrialId::from_bits(trial), R::of(value), R::of(variance))?)
}

/// Tells the value of an open trial and the known variance of that value.
///
/// Errors: as infill_tell_noisy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_tell_noisy(
    selection: *mut infill_selection,
    trial: infill_trial,
    value: f64,
    variance: f64,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(
            selection.cast(),
            || either!(open(selection)?, selection => tell(&mut selection, trial, value, variance)),
        )
    }
}

/// Tells that an open trial failed: its point counts as bad as the worst value told in any branch.
///
/// Errors: as infill_fail.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_fail(
    selection: *mut infill_selection,
    trial: infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(selection.cast(), || {
            either!(open(selection)?, selection => selection.fail(TrialId::from_bits(trial))?);
            Ok(())
        })
    }
}

/// Forgets an open or queued trial.
///
/// Errors: as infill_forget.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_forget(
    selection: *mut infill_selection,
    trial: infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(selection.cast(), || {
            either!(open(selection)?, selection => selection.forget(TrialId::from_bits(trial))?);
            Ok(())
        })
    }
}

/// A point of the caller's, in the scalar inside, given to `work`.
fn told<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>,
    x: &[f64],
    work: impl FnOnce(&mut Selection<R, &mut [u64]>, &[R]) -> Result<TrialId, library::Error>,
) -> Outcome<infill_trial> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    Ok(R::read(x, |point| work(selection, point))?.to_bits())
}

fn observe<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>,
    x: &[f64],
    value: f64,
) -> Outcome<infill_trial> {
    told(selection, x, |selection, point| selection.observe(point, R::of(value)))
}

/// Puts a point of the whole space in the queue: a later ask proposes it before any other.
///
/// Errors: as infill_enqueue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_enqueue(
    selection: *mut infill_selection,
    x: *const f64,
    dims: usize,
    trial: *mut infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (out, x) = (Out::new(trial)?, slice(x, dims)?);
            out.write(either!(open(selection)?, selection => {
                told(&mut selection, x, |selection, point| selection.enqueue(point))?
            }));
            Ok(())
        })
    }
}

/// Adds a value that was observed without an ask; it counts as an evaluation.
///
/// Errors: as infill_observe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_observe(
    selection: *mut infill_selection,
    x: *const f64,
    dims: usize,
    value: f64,
    trial: *mut infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (out, x) = (Out::new(trial)?, slice(x, dims)?);
            out.write(either!(open(selection)?, selection => observe(&mut selection, x, value)?));
            Ok(())
        })
    }
}

/// The trial of lowest value told in any branch, with that value.
///
/// Errors: as infill_best.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_best(
    selection: *const infill_selection,
    x: *mut f64,
    dims: usize,
    value: *mut f64,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        let (handle, x, out) = unsafe { (view(selection)?, slice_mut(x, dims)?, Out::new(value)?) };
        let value = either!(handle, selection => {
            record(&selection.best().ok_or(INFILL_ERROR_NO_DATA)?, x)?.value
        });
        out.write(value);
        Ok(())
    })
}

fn recommend<R: Scalar>(selection: &mut Selection<R, &mut [u64]>, x: &mut [f64]) -> Outcome<(f64, f64)> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let (trial, Prediction { mean, variance }) = selection.recommend()?;
    record(&trial, x)?;
    Ok((mean.to_f64(), variance.to_f64()))
}

/// The told trial of lowest posterior mean by the model of its branch, with that mean and its variance.
///
/// Errors: as infill_recommend.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_recommend(
    selection: *mut infill_selection,
    x: *mut f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (handle, x) = (open(selection)?, slice_mut(x, dims)?);
            let (out, spread) = (Out::new(mean)?, Out::new(variance)?);
            let answer = either!(handle, selection => recommend(&mut selection, x)?);
            out.write(answer.0);
            spread.write(answer.1);
            Ok(())
        })
    }
}

fn predict<R: Scalar>(selection: &mut Selection<R, &mut [u64]>, x: &[f64]) -> Outcome<(f64, f64)> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let Prediction { mean, variance } = R::read(x, |point| selection.predict(point))?;
    Ok((mean.to_f64(), variance.to_f64()))
}

/// Mean and variance of the model of its branch at a point of the whole space, in user units.
///
/// Errors: as infill_predict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_predict(
    selection: *mut infill_selection,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (handle, x) = (open(selection)?, slice(x, dims)?);
            let (out, spread) = (Out::new(mean)?, Out::new(variance)?);
            let answer = either!(handle, selection => predict(&mut selection, x)?);
            out.write(answer.0);
            spread.write(answer.1);
            Ok(())
        })
    }
}

/// How many trials there are in all branches: told, failed, open and queued ones. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_count(selection: *const infill_selection) -> usize {
    guard_or(0, || {
        // SAFETY: the caller's pointer is what it says.
        Ok(either!(unsafe { view(selection) }?, selection => selection.trials().count()))
    })
}

/// Trial number index of infill_selection_count, in no particular order but with its sequence, and its point.
///
/// Errors: as infill_record_at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_record_at(
    selection: *const infill_selection,
    index: usize,
    x: *mut f64,
    dims: usize,
    out: *mut infill_record,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        let (handle, x, out) = unsafe { (view(selection)?, slice_mut(x, dims)?, Out::new(out)?) };
        out.write(either!(handle, selection => {
            record(&selection.trials().nth(index).ok_or(INFILL_ERROR_SHAPE)?, x)?
        }));
        Ok(())
    })
}

/// Evaluations that were told in all branches, starting designs and failures included. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_closed(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.len())))
}

/// How many trials may still be asked for or observed. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_remaining(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.remaining())))
}

/// Number of parameters of the whole space. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_dims(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.dims())))
}

/// Values of the category. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_branches(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.branches())))
}

/// Bytes of the block from the handle on: copy them to save the selection. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_bytes(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => size_of_val(selection.words()))))
}
