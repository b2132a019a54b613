//! Blocks: how large, made, taken up again, copied.

use core::ffi::c_void;

use library::block::{Header, Kind};
use library::forest::Size;
use library::{Config, Limits, Optimizer, Space};

use crate::config::{infill_config, infill_limits, or, with_config};
use crate::export::{checked, counted, either, put, scalar};
#[cfg(feature = "std")]
use crate::heap::boxed;
use crate::infill_status::{self, *};
use crate::pointer::{Handle, Outcome, Scalar, block, reference, view};
use crate::space::{infill_space, with_space};

/// An optimizer. The handle is the first byte of its block: to save it, copy infill_bytes of them.
///
/// Threads: one optimizer is used by one thread at a time; functions that take it as `const` may run together.
/// Lifetime: as long as its block is neither freed, moved nor written by others; from infill_new, until infill_free.
#[derive(Debug)]
pub struct infill_opt {
    _words: [u64; 0],
}

impl Handle for infill_opt {
    const KIND: Kind = Kind::Optimizer;
}

fn words(scalar: u32, limits: &Limits) -> Outcome<usize> {
    let words = scalar!(scalar, R => limits.words::<R>());
    if words == usize::MAX { Err(INFILL_ERROR_LIMITS) } else { Ok(words) }
}

/// Gives `work` the space, the scalar, the configuration and the limits of C data.
unsafe fn with_settings<T>(
    space: *const infill_space,
    config: *const infill_config,
    work: impl FnOnce(&Space<'_>, u32, &Config<'_>, Limits) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        with_space(space, |space| {
            with_config(config, space, |scalar, config, limits| work(space, scalar, config, limits))
        })
    }
}

fn start(
    scalar: u32,
    space: &Space<'_>,
    config: &Config<'_>,
    limits: Limits,
    mem: &mut [u64],
) -> Outcome<()> {
    scalar!(scalar, R => Optimizer::<R, _>::new(space, config, limits, mem).map(|_| ())?);
    Ok(())
}

/// Bytes of the block that an optimizer takes, a multiple of 8; 0 if the space or the configuration is refused.
///
/// Never allocates. Why something is refused, infill_init says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_size(space: *const infill_space, config: *const infill_config) -> usize {
    counted!(
        with_settings(space, config, |space, scalar, config, limits| {
            // What is refused in no memory for another reason than that would be refused in any.
            match start(scalar, space, config, limits, &mut []) {
                Err(INFILL_ERROR_MEMORY) => words(scalar, &limits),
                refused => refused.map(|()| 0),
            }
        })
        .and_then(bytes)?
    )
}

/// Bytes to which a block is aligned: INFILL_ALIGN.
#[unsafe(no_mangle)]
pub extern "C" fn infill_align() -> usize {
    align_of::<u64>()
}

/// Words of 8 bytes that the default limits take: what INFILL_WORDS is at least; 0 for a scalar that is none.
///
/// scalar is an infill_scalar, scalar = INFILL_F64 as a rule.
#[unsafe(no_mangle)]
pub extern "C" fn infill_words(dims: u32, trials: u32, scalar: u32) -> usize {
    words(scalar, &Limits::new(dims, trials)).unwrap_or(0)
}

/// Makes an optimizer without trials in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
///
/// The handle is mem. Size is at least infill_size; a static array has INFILL_WORDS words.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY for a block that
/// is too small; those of infill_space; INFILL_ERROR_LIMITS, _KERNEL, _THETA, _CONFIG, _UNSUPPORTED for the
/// configuration; INFILL_ERROR_OUT_OF_RANGE if there is no strategy_parameter, INFILL_ERROR_INFEASIBLE if all its values are
/// forbidden. The block is then as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_init(
    mem: *mut c_void,
    size: usize,
    space: *const infill_space,
    config: *const infill_config,
    out: *mut *mut infill_opt,
) -> infill_status {
    checked!(put!(out, {
        let words = block(mem, size)?;
        with_settings(space, config, |space, scalar, config, limits| {
            start(scalar, space, config, limits, words)
        })?;
        mem.cast()
    }))
}

/// As infill_init, in a block of its own from the heap. Hosted builds only; infill_free gives it back.
///
/// Errors: as infill_init, and INFILL_ERROR_ALLOCATION.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_new(
    space: *const infill_space,
    config: *const infill_config,
    out: *mut *mut infill_opt,
) -> infill_status {
    checked!(put!(out, {
        let made = with_settings(space, config, |space, scalar, config, limits| {
            boxed(words(scalar, &limits)?, |words| start(scalar, space, config, limits, words))
        })?;
        made.cast()
    }))
}

/// Gives back an optimizer from infill_new; NULL is allowed. Hosted builds only.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_free(opt: *mut infill_opt) {
    // SAFETY: the caller has it from infill_new.
    unsafe { crate::heap::unbox(opt.cast()) }
}

/// The optimizer in a block that was saved, copied or moved, after all that it remembers has been checked.
///
/// Its room for work is not: nothing there is read before it is written.
///
/// size is what is there, at least what infill_bytes said. space is the one that its points are to be read by: a block over
/// another one is refused, and infill_explain says what differs; with NULL nothing is compared. Never allocates. Cost: reads the
/// block once.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_MEMORY if bytes are missing;
/// INFILL_ERROR_FOREIGN for a block of another version or byte order, or of none; INFILL_ERROR_CORRUPT for a
/// damaged one; INFILL_ERROR_UNSUPPORTED for a scalar that was left out of this build; INFILL_ERROR_SPACE if the block is over
/// another space, also one with other names or labels where both have them; those of infill_space. The block is then as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_attach(
    mem: *mut c_void,
    size: usize,
    space: *const infill_space,
    out: *mut *mut infill_opt,
) -> infill_status {
    checked!(put!(out, {
        let words = block(mem, size)?;
        let saved = Header::read(words, Kind::Optimizer)?;
        if space.is_null() {
            scalar!(saved.scalar, R => Optimizer::<R, _>::attach(words).map(|_| ())?);
        } else {
            with_space(space, |space| {
                scalar!(saved.scalar, R => Optimizer::<R, _>::attach_to(space, words).map(|_| ())?);
                Ok(())
            })?;
        }
        mem.cast()
    }))
}

/// The bytes of so many words, if an address of this machine counts them.
fn bytes(words: usize) -> Outcome<usize> {
    words.checked_mul(8).ok_or(INFILL_ERROR_LIMITS)
}

/// The limits of a copy: zeros are those of the original, or what its choices need within the others.
fn grown<R: Scalar>(optimizer: &Optimizer<R, &[u64]>, limits: infill_limits) -> Outcome<Limits> {
    let (from, config) = (optimizer.limits(), optimizer.config()?);
    let (dims, trials) = (or(limits.dims, from.dims), or(limits.trials, from.trials));
    let trees = or(limits.trees, from.trees);
    // An exact process grows with its trials, and so do trees that are never cut short.
    let exact = if from.exact == from.trials { trials } else { from.exact };
    let full = |limits: &Limits| {
        Size::full(limits.trials as usize, limits.dims as usize, limits.trees as usize).nodes
            == limits.tree_nodes as usize
    };
    let nodes = if full(from) { 0 } else { from.tree_nodes };
    let mut plain = Limits::new(dims, trials)
        .open(or(limits.open, from.open))
        .conditions(or(limits.conditions, from.conditions), or(limits.levels, from.levels))
        .terms(or(limits.terms, from.terms))
        .names(or(limits.names, from.names))
        .sources(or(limits.sources, from.sources))
        .source_rows(or(limits.source_rows, from.source_rows))
        .kernel(or(limits.nodes, from.nodes), or(limits.lists, from.lists), or(limits.thetas, from.thetas))
        .trend(or(limits.columns, from.columns))
        .candidates(or(limits.candidates, from.candidates))
        .starts(or(limits.starts, from.starts))
        .features(or(limits.features, from.features))
        .forest(trees, or(limits.tree_nodes, nodes))
        .branching(or(limits.values, from.values), or(limits.branch_trials, from.branch_trials));
    (plain.posteriors, plain.members) = (from.posteriors, from.members);
    (plain.anchors, plain.work) = (from.anchors, from.work);
    // What is refused must not be multiplied.
    plain.check()?;
    let mut suited = plain.suit(&config);
    let warped = if from.warped > 0 { dims } else { suited.warped };
    suited.exact = or(limits.exact, exact);
    suited.posteriors = or(limits.posteriors, suited.posteriors);
    suited.anchors = or(limits.anchors, suited.anchors);
    suited.work = or(limits.work, suited.work);
    suited.members = or(limits.members, suited.members);
    suited.warped = or(limits.warped, warped);
    suited.thetas = plain.thetas;
    Ok(suited)
}

unsafe fn limits_or_none(limits: *const infill_limits) -> Outcome<infill_limits> {
    if limits.is_null() {
        return Ok(infill_limits::default());
    }
    // SAFETY: the caller's pointer is what it says.
    Ok(*unsafe { reference(limits) }?)
}

/// Bytes of the block that a copy with these limits takes; 0 if they are refused. Zeros, and limits = NULL, are as infill_clone
/// says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_clone_size(opt: *const infill_opt, limits: *const infill_limits) -> usize {
    counted!({
        let limits = limits_or_none(limits)?;
        either!(view(opt)?, optimizer => clone_words(&optimizer, limits)).and_then(bytes)?
    })
}

fn clone_words<R: Scalar>(optimizer: &Optimizer<R, &[u64]>, limits: infill_limits) -> Outcome<usize> {
    // Into no memory, so that the answer is what is missing, or why no memory would do.
    match optimizer.copy_into(grown(optimizer, limits)?, &mut [][..]) {
        Err(library::Error::Memory { needed }) => Ok(needed),
        refused => refused.map(|_| 0).map_err(infill_status::from),
    }
}

/// Copies an optimizer into another block, also with larger limits: it goes on to the same bits. Never allocates.
///
/// Zeros in limits, and limits = NULL, are as they were, or what the choices of its configuration need within the
/// others. The blocks must not overlap.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_LIMITS if a limit is smaller than it was,
/// INFILL_ERROR_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_clone(
    opt: *const infill_opt,
    limits: *const infill_limits,
    mem: *mut c_void,
    size: usize,
    out: *mut *mut infill_opt,
) -> infill_status {
    checked!(put!(out, {
        let (limits, words) = (limits_or_none(limits)?, block(mem, size)?);
        either!(view(opt)?, optimizer => optimizer.copy_into(grown(&optimizer, limits)?, words).map(|_| ())?);
        mem.cast()
    }))
}
