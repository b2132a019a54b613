//! Making a process in a block.

use core::ffi::c_void;

use library::Gp;
use library::block::{Header, Kind};
use library::kernel::MIN_SD;

use super::data::{infill_covariance, infill_gp, infill_gp_config};
use super::process::{FRONT, HEAD, NODES, Plan, Process, place};
use crate::config::trend;
use crate::export::{checked, counted, put, scalar};
use crate::infill_status::{self, *};
use crate::kernel::build;
use crate::pointer::{MOST, Outcome, Scalar, block, given, slice};

unsafe fn plan(config: &infill_gp_config) -> Outcome<Plan> {
    // A kernel over no coordinates would be blamed for their number.
    if !(1..=MOST).contains(&config.dims) {
        return Err(INFILL_ERROR_LIMITS);
    }
    let thetas = if config.covariance.is_null() {
        // SAFETY: the caller's pointer is what it says.
        unsafe { build(config.kernel) }?.thetas(config.dims)?
    } else {
        // SAFETY: as above.
        unsafe { given(config.covariance) }?.thetas
    };
    Plan::new(config.rows, config.dims, thetas, config.batch, trend(config.trend)?)
}

fn plan_words(plan: &Plan, scalar: u32) -> Outcome<usize> {
    Ok(scalar!(scalar, R => plan.words::<R>()))
}

/// Writes a process without data; what is refused is refused before the first word.
unsafe fn start(config: &infill_gp_config, words: &mut [u64]) -> Outcome<()> {
    // SAFETY: the caller's pointers are what they say.
    let plan = unsafe { plan(config) }?;
    let needed = plan_words(&plan, config.scalar)?;
    let (lo, value, hi, sd) = (config.noise_lo, config.noise_variance, config.noise_hi, config.noise_sd);
    let narrow = |v: f64| if config.scalar == 4 { f64::from(v as f32) } else { v };
    let noise = narrow(lo) > 0.0
        && lo <= value
        && value <= hi
        && narrow(hi).is_finite()
        && sd.is_finite()
        // As for other hyperparameters: the precision of a narrower prior is no number.
        && (sd == 0.0 || sd >= MIN_SD);
    if !noise {
        return Err(INFILL_ERROR_THETA);
    }
    let own = if config.covariance.is_null() {
        None
    } else {
        // SAFETY: as above.
        let own = unsafe { given(config.covariance) }?;
        own.eval.ok_or(INFILL_ERROR_NULL)?;
        // SAFETY: as above.
        let (start, lo, hi) = unsafe {
            (slice(own.start, own.thetas)?, slice(own.lo, own.thetas)?, slice(own.hi, own.thetas)?)
        };
        let fine = |((&start, &lo), &hi): ((&f64, &f64), &f64)| {
            lo <= start && start <= hi && narrow(lo).is_finite() && narrow(hi).is_finite()
        };
        if !start.iter().zip(lo).zip(hi).all(fine) {
            return Err(INFILL_ERROR_THETA);
        }
        Some((own, [start, lo, hi]))
    };
    let words = words.get_mut(..needed).ok_or(INFILL_ERROR_MEMORY)?;
    words.fill(0);
    words[place::ROWS] = plan.size.rows as u64;
    words[place::DIMS] = plan.size.dims as u64;
    words[place::THETAS] = plan.size.thetas as u64;
    words[place::TREND] = plan.trend.code();
    words[place::BATCH] = plan.size.batch as u64;
    // SAFETY: as above.
    scalar!(config.scalar, R => unsafe { fill::<R>(config, &plan, own, words) }?);
    // Last, so that a block that something went wrong with is none.
    let scalar = config.scalar as usize;
    Header { kind: Kind::Process, scalar, words: needed, fingerprint: 0 }.write(words)?;
    Header::write_checksum(words, FRONT);
    Ok(())
}

/// A covariance of the program's own with start and bounds of its hyperparameters.
type Own<'a> = (&'a infill_covariance, [&'a [f64]; 3]);

/// Writes kernel, hyperparameters and noise behind the head.
unsafe fn fill<R: Scalar>(
    config: &infill_gp_config,
    plan: &Plan,
    own: Option<Own<'_>>,
    words: &mut [u64],
) -> Outcome<()> {
    match own {
        None => {
            // SAFETY: the caller's pointers are what they say.
            let kernel = unsafe { build(config.kernel) }?;
            let (front, process) = words.split_at_mut(FRONT);
            let (nodes, lists) = front[HEAD..].split_at_mut(NODES);
            kernel.write(plan.size.dims, nodes, lists)?;
            Gp::<R>::new(&kernel, plan.trend, plan.size, process)?;
        }
        Some((own, _)) => {
            let functions = [own.gradient, own.gradient_x].map(|f| f.map_or(0, |f| f as usize as u64));
            words[place::CUSTOM] = own.eval.map_or(0, |f| f as usize as u64);
            words[place::CUSTOM + 1..place::CUSTOM + 3].copy_from_slice(&functions);
            words[place::CUSTOM + 3] = own.user as usize as u64;
        }
    }
    let mut process = Process::<R>::carve(words)?;
    if let Some((_, [start, lo, hi])) = own {
        let table = process.gp.theta_table();
        for i in 0..start.len() {
            (table.value[i], table.lo[i], table.hi[i]) = (R::of(start[i]), R::of(lo[i]), R::of(hi[i]));
        }
    }
    process.gp.set_noise(config.noise_variance, config.noise_lo, config.noise_hi)?;
    Ok(process.gp.set_noise_prior(config.noise_sd)?)
}

/// Bytes of the block that a process takes; 0 if the configuration is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_size(config: *const infill_gp_config) -> usize {
    counted!({
        let config = given(config)?;
        match start(config, &mut []) {
            Err(INFILL_ERROR_MEMORY) => 8 * plan_words(&plan(config)?, config.scalar)?,
            refused => refused.map(|()| 0)?,
        }
    })
}

/// Makes a process without data in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY, INFILL_ERROR_LIMITS
/// for sizes that are zero or too large, INFILL_ERROR_KERNEL, INFILL_ERROR_THETA for hyperparameters or noise,
/// INFILL_ERROR_CONFIG, INFILL_ERROR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_init(
    mem: *mut c_void,
    size: usize,
    config: *const infill_gp_config,
    out: *mut *mut infill_gp,
) -> infill_status {
    checked!(put!(out, {
        let words = block(mem, size)?;
        start(given(config)?, words)?;
        mem.cast()
    }))
}

/// As infill_gp_init, in a block of its own from the heap. Hosted builds only; infill_gp_free gives it back.
///
/// Errors: as infill_gp_init, and INFILL_ERROR_ALLOCATION.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_new(
    config: *const infill_gp_config,
    out: *mut *mut infill_gp,
) -> infill_status {
    checked!(put!(out, {
        let config = given(config)?;
        let words = plan_words(&plan(config)?, config.scalar)?;
        crate::heap::boxed(words, |words| start(config, words))?.cast()
    }))
}

/// Gives back a process from infill_gp_new; NULL is allowed. Hosted builds only.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_free(gp: *mut infill_gp) {
    // SAFETY: the caller has it from infill_gp_new.
    unsafe { crate::heap::unbox(gp.cast()) }
}
