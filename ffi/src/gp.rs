//! Gaussian-process regression alone, in a lent block.
//!
//! ```text
//! block = head │ nodes, lists of the kernel │ process │ room for points that are converted
//! ```

use core::ffi::c_void;

use library::arena::{Arena, scalar_words};
use library::descent::Budget;
use library::gp::Size;
use library::kernel::{Covariance, MAX_LISTS, MAX_NODES, Tape};
use library::rng::Generator;
use library::{Backend, Gp, Objective, Plain, Prediction, Real, Training, Trend};

use crate::backend::{Chosen, infill_backend};
use crate::border::{
    MOST, Out, Outcome, Scalar, block, guard, guard_block, guard_or, missing, sized, slice, slice_mut,
    write_sized,
};
use crate::config::{infill_scalar, objective, trend};
use crate::infill_status::{self, *};
use crate::kernel::{build, infill_kernel};

/// A Gaussian process over points as they are given: no space, no units.
///
/// Threads: one process is used by one thread at a time, also for looking.
/// Lifetime: as long as its block is neither freed nor written by others; from infill_gp_new, until infill_gp_free.
/// It may be moved, but belongs to the program that made it: it is not for files.
#[derive(Debug)]
pub struct infill_gp {
    _words: [u64; 0],
}

/// A covariance function of the program's own, symmetric and positive definite, with hyperparameters on the log scale.
///
/// Threads: it is called by the thread that uses the process. Lifetime: its functions and user as long as the process;
/// the rest is read by infill_gp_init only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_covariance {
    /// sizeof(infill_covariance)
    pub size: usize,
    /// k(a, b).
    pub eval: Option<
        unsafe extern "C" fn(user: *mut c_void, theta: *const f64, a: *const f64, b: *const f64) -> f64,
    >,
    /// Writes ∂k(a, b)/∂θ; NULL if the process is not trained.
    pub gradient: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            theta: *const f64,
            a: *const f64,
            b: *const f64,
            out: *mut f64,
        ),
    >,
    /// Writes ∂k(a, b)/∂a; NULL if no gradient of a prediction is asked for.
    pub gradient_x: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            theta: *const f64,
            a: *const f64,
            b: *const f64,
            out: *mut f64,
        ),
    >,
    /// Passed to the functions.
    pub user: *mut c_void,
    /// How many hyperparameters, which may be 0.
    pub thetas: usize,
    /// Where training starts, thetas of them.
    pub start: *const f64,
    /// Least values.
    pub lo: *const f64,
    /// Largest values.
    pub hi: *const f64,
}

/// What a process is. Let infill_gp_config_default fill it, then set rows, dims and a kernel.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_gp_config {
    /// sizeof(infill_gp_config), set by infill_gp_config_default.
    pub size: usize,
    /// The most observations.
    pub rows: usize,
    /// Coordinates of a point.
    pub dims: usize,
    /// The most points of a joint prediction.
    pub batch: usize,
    /// The kernel.
    pub kernel: *const infill_kernel,
    /// A covariance of one's own instead of the kernel; NULL otherwise.
    pub covariance: *const infill_covariance,
    /// First guess of the noise variance.
    pub noise_variance: f64,
    /// Least noise variance.
    pub noise_lo: f64,
    /// Largest noise variance; equal ends freeze it.
    pub noise_hi: f64,
    /// Spread of a log-normal prior around the first guess; 0 is a flat one.
    pub noise_sd: f64,
    /// An infill_scalar.
    pub scalar: u32,
    /// An infill_trend; the default is zero.
    pub trend: u32,
}

impl Default for infill_gp_config {
    fn default() -> Self {
        let scalar =
            if cfg!(feature = "f64") { infill_scalar::INFILL_F64 } else { infill_scalar::INFILL_F32 };
        Self {
            size: size_of::<Self>(),
            rows: 0,
            dims: 0,
            batch: 1,
            kernel: core::ptr::null(),
            covariance: core::ptr::null(),
            noise_variance: 1e-4,
            noise_lo: 1e-8,
            noise_hi: 1.0,
            noise_sd: 0.0,
            scalar: scalar as u32,
            trend: Trend::Zero.code() as u32,
        }
    }
}

/// How much a training may spend. Let infill_training_default fill it.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_training {
    /// sizeof(infill_training), set by infill_training_default.
    pub size: usize,
    /// An infill_objective_kind.
    pub objective: u32,
    /// Starts beside the present hyperparameters.
    pub restarts: u32,
    /// Draws from the prior of which each restart takes the best.
    pub draws: u32,
    /// Evaluations of each descent.
    pub evaluations: u32,
    /// Relative change at which a descent ends.
    pub tolerance: f64,
    /// Its first step, as a part of the range.
    pub reach: f64,
}

impl Default for infill_training {
    fn default() -> Self {
        let training = Training::default();
        Self {
            size: size_of::<Self>(),
            objective: training.objective as u32,
            restarts: training.restarts,
            draws: training.draws,
            evaluations: training.budget.evaluations,
            tolerance: training.budget.tolerance,
            reach: training.budget.reach,
        }
    }
}

impl infill_training {
    fn settings(&self) -> Outcome<Training> {
        let fine = (0.0..f64::INFINITY).contains(&self.tolerance)
            && self.reach > 0.0
            && self.reach <= 1.0
            && self.evaluations <= 1 << 12
            && self.restarts <= 1 << 8
            && self.draws <= 1 << 8;
        if !fine {
            return Err(INFILL_ERROR_CONFIG);
        }
        Ok(Training {
            objective: objective(self.objective)?,
            restarts: self.restarts,
            draws: self.draws,
            budget: Budget { evaluations: self.evaluations, tolerance: self.tolerance, reach: self.reach },
        })
    }
}

/// Marks the block of a process.
const MAGIC: u64 = u64::from_le_bytes(*b"infillgp");
/// Places in its head.
mod place {
    pub(super) const MAGIC: usize = 0;
    pub(super) const SCALAR: usize = 1;
    pub(super) const WORDS: usize = 2;
    pub(super) const ROWS: usize = 3;
    pub(super) const DIMS: usize = 4;
    pub(super) const THETAS: usize = 5;
    pub(super) const TREND: usize = 6;
    pub(super) const BATCH: usize = 7;
    /// Addresses of a covariance of the program's own: four words, zero without one.
    pub(super) const CUSTOM: usize = 8;
}
const HEAD: usize = 12;
const NODES: usize = 2 * MAX_NODES;
const LISTS: usize = MAX_LISTS.div_ceil(4);

/// Sizes of a process, and what it needs of memory.
#[derive(Clone, Copy)]
struct Plan {
    size: Size,
    trend: Trend,
}

impl Plan {
    fn new(rows: usize, dims: usize, thetas: usize, batch: usize, trend: Trend) -> Outcome<Self> {
        // No product of two of them, in bytes, may leave the range of an address.
        let most = if usize::BITS >= 64 { 1 << 16 } else { 1 << 12 };
        let fine = (1..=most).contains(&rows) && (1..=MOST).contains(&dims) && (1..=most).contains(&batch);
        let columns = trend.columns(dims);
        if !fine || thetas > MOST || columns > MOST {
            return Err(INFILL_ERROR_LIMITS);
        }
        Ok(Self { size: Size { rows, dims, thetas, columns, batch }, trend })
    }

    /// The scratch of a joint draw lies in the work memory, beside that of a prediction.
    fn process_words<R: Scalar>(&self) -> usize {
        self.size.words::<R>()
    }

    fn words<R: Scalar>(&self) -> usize {
        HEAD + NODES + LISTS + self.process_words::<R>() + scalar_words::<R>(self.size.batch * self.size.dims)
    }
}

/// A covariance of the program's own, as the block remembers it.
#[derive(Clone, Copy)]
struct Custom {
    thetas: usize,
    eval: unsafe extern "C" fn(*mut c_void, *const f64, *const f64, *const f64) -> f64,
    gradient: Option<Slope>,
    gradient_x: Option<Slope>,
    user: *mut c_void,
}

type Slope = unsafe extern "C" fn(*mut c_void, *const f64, *const f64, *const f64, *mut f64);

impl<R: Scalar> Covariance<R> for Custom {
    fn thetas(&self) -> usize {
        self.thetas
    }

    fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R {
        let value = R::widen(theta, |theta| {
            R::widen(a, |a| {
                // SAFETY: the program promised that its function takes these.
                R::widen(b, |b| unsafe { (self.eval)(self.user, theta.as_ptr(), a.as_ptr(), b.as_ptr()) })
            })
        });
        R::of(value)
    }

    fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
        slope(self.gradient, self.user, theta, a, b, out);
    }

    fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
        slope(self.gradient_x, self.user, theta, a, b, out);
        self.gradient_x.is_some()
    }
}

fn slope<R: Scalar>(f: Option<Slope>, user: *mut c_void, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
    let Some(f) = f else {
        out.fill(R::ZERO);
        return;
    };
    R::widen(theta, |theta| {
        R::widen(a, |a| {
            R::widen(b, |b| {
                // SAFETY: the program promised that its function takes these.
                R::narrow(out, |out| unsafe {
                    f(user, theta.as_ptr(), a.as_ptr(), b.as_ptr(), out.as_mut_ptr())
                });
            });
        });
    });
}

/// A process behind a handle, with its covariance and room for points.
struct Process<'a, R> {
    gp: Gp<'a, R>,
    tape: Option<Tape<'a>>,
    custom: Option<Custom>,
    points: &'a mut [R],
}

/// The process, its covariance, and points in its scalar.
type Parts<'b, 'a, R> = (&'b mut Gp<'a, R>, &'b dyn Covariance<R>, &'b [R]);

impl<'a, R: Scalar> Process<'a, R> {
    fn carve(words: &'a mut [u64]) -> Outcome<Self> {
        let at = |i: usize| usize::try_from(words[i]).map_err(|_| INFILL_ERROR_CORRUPT);
        let trend = Trend::from_code(words[place::TREND]).ok_or(INFILL_ERROR_CORRUPT)?;
        let plan =
            Plan::new(at(place::ROWS)?, at(place::DIMS)?, at(place::THETAS)?, at(place::BATCH)?, trend)
                .map_err(|_| INFILL_ERROR_CORRUPT)?;
        let custom = words[place::CUSTOM..place::CUSTOM + 4].iter().map(|&word| word as usize);
        let custom = custom_of(plan.size.thetas, custom);
        let mut arena = Arena::new(words);
        arena.words(HEAD)?;
        let (nodes, lists) = (arena.words(NODES)?, arena.words(LISTS)?);
        let tape = if custom.is_some() { None } else { Some(Tape::attach(nodes, lists, plan.size.dims)?) };
        let gp = Gp::resume(plan.trend, plan.size, arena.words(plan.process_words::<R>())?)?;
        let points = arena.scalars(plan.size.batch * plan.size.dims)?;
        Ok(Self { gp, tape, custom, points })
    }

    /// The process, its covariance, and the points in its scalar.
    fn parts(&mut self, values: &[f64]) -> Outcome<Parts<'_, 'a, R>> {
        let covariance: &dyn Covariance<R> = match (&self.tape, &self.custom) {
            (Some(tape), _) => tape,
            (None, Some(custom)) => custom,
            (None, None) => return Err(INFILL_ERROR_CORRUPT),
        };
        let points = self.points.get_mut(..values.len()).ok_or(INFILL_ERROR_SHAPE)?;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(INFILL_ERROR_NOT_FINITE);
        }
        for (narrow, &wide) in points.iter_mut().zip(values) {
            *narrow = R::of(wide);
        }
        Ok((&mut self.gp, covariance, points))
    }
}

/// Addresses become functions again.
fn custom_of(thetas: usize, mut words: impl Iterator<Item = usize>) -> Option<Custom> {
    let mut next = || words.next().unwrap_or(0);
    let (eval, gradient, gradient_x, user) = (next(), next(), next(), next());
    if eval == 0 {
        return None;
    }
    // SAFETY: the addresses are those of functions of these types, from infill_gp_init; 0 is the missing one.
    unsafe {
        Some(Custom {
            thetas,
            eval: core::mem::transmute::<
                usize,
                unsafe extern "C" fn(*mut c_void, *const f64, *const f64, *const f64) -> f64,
            >(eval),
            gradient: core::mem::transmute::<usize, Option<Slope>>(gradient),
            gradient_x: core::mem::transmute::<usize, Option<Slope>>(gradient_x),
            user: user as *mut c_void,
        })
    }
}

/// A process behind a handle, in its scalar.
enum Opened<'a> {
    #[cfg(feature = "f32")]
    F32(Process<'a, f32>),
    #[cfg(feature = "f64")]
    F64(Process<'a, f64>),
}

/// The words behind a handle.
///
/// # Safety
/// If the handle is neither NULL nor misaligned, it came from this library and belongs to the caller alone.
unsafe fn words_of<'a>(gp: *mut infill_gp) -> Outcome<&'a mut [u64]> {
    // SAFETY: a handle points to a block, which has a head.
    let head = unsafe { slice(gp.cast::<u64>().cast_const(), HEAD) }?;
    if head[place::MAGIC] != MAGIC {
        return Err(INFILL_ERROR_FOREIGN);
    }
    let words = usize::try_from(head[place::WORDS]).map_err(|_| INFILL_ERROR_CORRUPT)?;
    // SAFETY: the block has as many words as its head says.
    unsafe { slice_mut(gp.cast::<u64>(), words) }
}

unsafe fn open<'a>(gp: *mut infill_gp) -> Outcome<Opened<'a>> {
    // SAFETY: as here.
    let words = unsafe { words_of(gp) }?;
    match words[place::SCALAR] {
        #[cfg(feature = "f32")]
        4 => Ok(Opened::F32(Process::carve(words)?)),
        #[cfg(feature = "f64")]
        8 => Ok(Opened::F64(Process::carve(words)?)),
        _ => Err(INFILL_ERROR_UNSUPPORTED),
    }
}

/// The same for either scalar.
macro_rules! each {
    ($opened:expr, $process:ident => $body:expr) => {
        match $opened {
            #[cfg(feature = "f32")]
            #[allow(unused_mut, reason = "some bodies only look")]
            Opened::F32(mut $process) => $body,
            #[cfg(feature = "f64")]
            #[allow(unused_mut, reason = "some bodies only look")]
            Opened::F64(mut $process) => $body,
        }
    };
}

/// A backend for one of the scalars.
trait Pick: Scalar {
    fn pick<'a>(chosen: &'a mut Chosen<'_>, plain: &'a mut Plain) -> &'a mut dyn Backend<Self>;
}

#[cfg(feature = "f32")]
impl Pick for f32 {
    fn pick<'a>(chosen: &'a mut Chosen<'_>, plain: &'a mut Plain) -> &'a mut dyn Backend<Self> {
        chosen.f32().unwrap_or(plain)
    }
}

#[cfg(feature = "f64")]
impl Pick for f64 {
    fn pick<'a>(chosen: &'a mut Chosen<'_>, plain: &'a mut Plain) -> &'a mut dyn Backend<Self> {
        chosen.f64().unwrap_or(plain)
    }
}

unsafe fn custom(covariance: *const infill_covariance) -> Outcome<infill_covariance> {
    let none = infill_covariance {
        size: 0,
        eval: None,
        gradient: None,
        gradient_x: None,
        user: core::ptr::null_mut(),
        thetas: 0,
        start: core::ptr::null(),
        lo: core::ptr::null(),
        hi: core::ptr::null(),
    };
    // SAFETY: the caller's pointer is what it says.
    unsafe { sized(covariance, size_of::<infill_covariance>(), none) }
}

unsafe fn read_config(config: *const infill_gp_config) -> Outcome<infill_gp_config> {
    // SAFETY: the caller's pointer is what it says.
    unsafe { sized(config, size_of::<infill_gp_config>(), infill_gp_config::default()) }
}

unsafe fn plan(config: &infill_gp_config) -> Outcome<Plan> {
    let thetas = if config.covariance.is_null() {
        // SAFETY: the caller's pointer is what it says.
        unsafe { build(config.kernel) }?.thetas(config.dims)?
    } else {
        // SAFETY: as above.
        unsafe { custom(config.covariance) }?.thetas
    };
    Plan::new(config.rows, config.dims, thetas, config.batch, trend(config.trend)?)
}

fn plan_words(plan: &Plan, scalar: u32) -> Outcome<usize> {
    match scalar {
        #[cfg(feature = "f32")]
        4 => Ok(plan.words::<f32>()),
        #[cfg(feature = "f64")]
        8 => Ok(plan.words::<f64>()),
        other => Err(missing(other)),
    }
}

/// Writes a process without data; what is refused is refused before the first word.
unsafe fn start(config: &infill_gp_config, words: &mut [u64]) -> Outcome<()> {
    // SAFETY: the caller's pointers are what they say.
    let plan = unsafe { plan(config) }?;
    let needed = plan_words(&plan, config.scalar)?;
    let words = words.get_mut(..needed).ok_or(INFILL_ERROR_MEMORY)?;
    let (lo, value, hi, sd) = (config.noise_lo, config.noise_variance, config.noise_hi, config.noise_sd);
    let narrow = |v: f64| if config.scalar == 4 { f64::from(v as f32) } else { v };
    let noise = narrow(lo) > 0.0
        && lo <= value
        && value <= hi
        && narrow(hi).is_finite()
        && sd >= 0.0
        && sd.is_finite();
    if !noise {
        return Err(INFILL_ERROR_THETA);
    }
    let own = if config.covariance.is_null() {
        None
    } else {
        // SAFETY: as above.
        let own = unsafe { custom(config.covariance) }?;
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
    words.fill(0);
    words[place::SCALAR] = u64::from(config.scalar);
    words[place::WORDS] = needed as u64;
    words[place::ROWS] = plan.size.rows as u64;
    words[place::DIMS] = plan.size.dims as u64;
    words[place::THETAS] = plan.size.thetas as u64;
    words[place::TREND] = plan.trend.code();
    words[place::BATCH] = plan.size.batch as u64;
    match config.scalar {
        #[cfg(feature = "f32")]
        // SAFETY: as above.
        4 => unsafe { fill::<f32>(config, &plan, own, words) }?,
        #[cfg(feature = "f64")]
        // SAFETY: as above.
        8 => unsafe { fill::<f64>(config, &plan, own, words) }?,
        other => return Err(missing(other)),
    }
    // Last, so that a block that something went wrong with is none.
    words[place::MAGIC] = MAGIC;
    Ok(())
}

/// A covariance of the program's own with start and bounds of its hyperparameters.
type Own<'a> = (infill_covariance, [&'a [f64]; 3]);

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
            let (front, process) = words.split_at_mut(HEAD + NODES + LISTS);
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

/// Fills the configuration of a process with defaults; rows, dims and a kernel have to be set.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_config_default(
    config: *mut infill_gp_config,
    size: usize,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    guard(|| unsafe {
        write_sized(config, size, size_of::<infill_gp_config>(), &infill_gp_config::default())
    })
}

/// Fills what a training may spend with defaults.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_training_default(
    training: *mut infill_training,
    size: usize,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    guard(|| unsafe {
        write_sized(training, size, size_of::<infill_training>(), &infill_training::default())
    })
}

/// Bytes of the block that a process takes; 0 if the configuration is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_size(config: *const infill_gp_config) -> usize {
    guard_or(0, || {
        // SAFETY: the caller's pointers are what they say.
        let config = unsafe { read_config(config) }?;
        // SAFETY: as above.
        let plan = unsafe { plan(&config) }?;
        Ok(8 * plan_words(&plan, config.scalar)?)
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
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        unsafe {
            let (out, words) = (Out::new(out)?, block(mem, size)?);
            start(&read_config(config)?, words)?;
            out.write(mem.cast());
        }
        Ok(())
    })
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
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        unsafe {
            let (out, config) = (Out::new(out)?, read_config(config)?);
            let words = plan_words(&plan(&config)?, config.scalar)?;
            out.write(crate::border::boxed(words, |words| start(&config, words))?.cast());
        }
        Ok(())
    })
}

/// Gives back a process from infill_gp_new; NULL is allowed. Hosted builds only.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_free(gp: *mut infill_gp) {
    // SAFETY: the caller has it from infill_gp_new.
    unsafe { crate::border::unbox(gp.cast()) }
}

/// Adds an observation with a known variance (0 for none); infill_gp_fit or infill_gp_train makes it count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NOT_FINITE, INFILL_ERROR_FULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_push(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    y: f64,
    variance: f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let x = slice(x, dims)?;
            each!(open(gp)?, process => push(&mut process, x, y, variance))
        })
    }
}

fn push<R: Scalar>(process: &mut Process<'_, R>, x: &[f64], y: f64, variance: f64) -> Outcome<()> {
    let (gp, _, point) = process.parts(x)?;
    Ok(gp.push(point, R::of(y), R::of(variance))?)
}

/// Adds an observation to a process that is fitted, which it stays. Cost: n² instead of the n³ of a fit.
///
/// Errors: as infill_gp_push; INFILL_ERROR_NO_DATA if it is not fitted; INFILL_ERROR_NOT_POSITIVE_DEFINITE if the
/// point adds nothing but rounding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_extend(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    y: f64,
    variance: f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let x = slice(x, dims)?;
            each!(open(gp)?, process => extend(&mut process, x, y, variance))
        })
    }
}

fn extend<R: Scalar>(process: &mut Process<'_, R>, x: &[f64], y: f64, variance: f64) -> Outcome<()> {
    let (gp, covariance, point) = process.parts(x)?;
    if gp.rows() == 0 {
        return Err(INFILL_ERROR_NO_DATA);
    }
    gp.extend(covariance, point, R::of(y), R::of(variance))?;
    Ok(gp.refresh()?)
}

/// Removes observation number row; those behind it move up. A fitted process stays fitted.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_remove(gp: *mut infill_gp, row: usize) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe { guard_block(gp.cast(), || each!(open(gp)?, process => remove(&mut process.gp, row))) }
}

fn remove<R: Scalar>(gp: &mut Gp<'_, R>, row: usize) -> Outcome<()> {
    let fitted = gp.is_fitted();
    gp.remove(row)?;
    // With no more rows than the trend has functions there is nothing to predict from.
    match gp.refresh() {
        Err(library::Error::NoData) => Ok(()),
        other if fitted => Ok(other?),
        _ => Ok(()),
    }
}

/// Removes all observations.
///
/// Errors: INFILL_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_clear(gp: *mut infill_gp) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(gp.cast(), || {
            each!(open(gp)?, process => process.gp.clear());
            Ok(())
        })
    }
}

/// Fits the process to its data at the present hyperparameters; backend = NULL works in the block. Cost: n³/3 flops.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_NO_DATA, INFILL_ERROR_NOT_POSITIVE_DEFINITE, INFILL_ERROR_BACKEND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_fit(gp: *mut infill_gp, backend: *mut infill_backend) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let mut chosen = Chosen::new(backend)?;
            each!(open(gp)?, process => fit(&mut process, &mut chosen))
        })
    }
}

fn fit<R: Pick>(process: &mut Process<'_, R>, chosen: &mut Chosen<'_>) -> Outcome<()> {
    let (gp, covariance, _) = process.parts(&[])?;
    Ok(gp.fit(covariance, R::pick(chosen, &mut Plain))?)
}

/// Finds the hyperparameters that explain the data best, then fits; training = NULL takes the defaults.
///
/// Writes objective plus log prior at the chosen hyperparameters. The seed decides where restarts begin.
///
/// Errors: as infill_gp_fit; INFILL_ERROR_CONFIG, INFILL_ERROR_VERSION for training; INFILL_ERROR_UNSUPPORTED for a
/// covariance without gradient.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_train(
    gp: *mut infill_gp,
    backend: *mut infill_backend,
    training: *const infill_training,
    seed: u64,
    value: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let (out, mut chosen) = (Out::new(value)?, Chosen::new(backend)?);
            let training = if training.is_null() {
                Training::default()
            } else {
                sized(training, size_of::<infill_training>(), infill_training::default())?.settings()?
            };
            out.write(each!(open(gp)?, process => train(&mut process, &mut chosen, &training, seed)?));
            Ok(())
        })
    }
}

fn train<R: Pick>(
    process: &mut Process<'_, R>,
    chosen: &mut Chosen<'_>,
    training: &Training,
    seed: u64,
) -> Outcome<f64> {
    if process.custom.is_some_and(|custom| custom.gradient.is_none()) {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    let (gp, covariance, _) = process.parts(&[])?;
    let trained = gp.train(covariance, R::pick(chosen, &mut Plain), training, &mut Generator::new(seed))?;
    Ok(trained.value.to_f64())
}

/// The training objective at the present hyperparameters, without the log prior. A fitted process stays fitted.
///
/// With gradient = NULL and thetas = 0 the value alone; otherwise the derivatives by all hyperparameters, the noise
/// last, infill_gp_thetas of them.
///
/// Errors: as infill_gp_fit; INFILL_ERROR_SHAPE, INFILL_ERROR_CONFIG for objective, INFILL_ERROR_UNSUPPORTED for the
/// gradient of a covariance without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_evidence(
    gp: *mut infill_gp,
    backend: *mut infill_backend,
    objective: u32,
    value: *mut f64,
    gradient: *mut f64,
    thetas: usize,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let (out, mut chosen) = (Out::new(value)?, Chosen::new(backend)?);
            let (gradient, objective) = (slice_mut(gradient, thetas)?, crate::config::objective(objective)?);
            out.write(each!(open(gp)?, process => evidence(&mut process, &mut chosen, objective, gradient)?));
            Ok(())
        })
    }
}

fn evidence<R: Pick>(
    process: &mut Process<'_, R>,
    chosen: &mut Chosen<'_>,
    objective: Objective,
    gradient: &mut [f64],
) -> Outcome<f64> {
    let differentiable = process.custom.is_none_or(|custom| custom.gradient.is_some());
    let (gp, covariance, _) = process.parts(&[])?;
    if !gradient.is_empty() && gradient.len() != gp.theta().len() {
        return Err(INFILL_ERROR_SHAPE);
    }
    if !gradient.is_empty() && !differentiable {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    let fitted = gp.is_fitted() && gp.rows() > 0;
    let mut plain = Plain;
    let backend = R::pick(chosen, &mut plain);
    let value = R::write(gradient, |out| Ok(gp.evidence(covariance, &mut *backend, objective, out)?));
    // The factor was spoilt, whatever came of it.
    if fitted {
        gp.fit(covariance, backend)?;
    }
    Ok(value?.to_f64())
}

/// Mean and variance of the function at a point, without the noise. Cost: n² flops.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NOT_FINITE, INFILL_ERROR_NO_DATA before a fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_predict(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let (x, out, spread) = (slice(x, dims)?, Out::new(mean)?, Out::new(variance)?);
            let (mean, variance) = each!(open(gp)?, process => predict(&mut process, x)?);
            out.write(mean);
            spread.write(variance);
            Ok(())
        })
    }
}

fn predict<R: Scalar>(process: &mut Process<'_, R>, x: &[f64]) -> Outcome<(f64, f64)> {
    let (gp, covariance, point) = process.parts(x)?;
    let Prediction { mean, variance } = gp.predict(covariance, point)?;
    Ok((mean.to_f64(), variance.to_f64()))
}

/// As infill_gp_predict, with the derivatives of both by the point, dims of each. Cost: 2n² flops.
///
/// Errors: as infill_gp_predict; INFILL_ERROR_UNSUPPORTED for a covariance without gradient_x.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_predict_gradient(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
    mean_gradient: *mut f64,
    variance_gradient: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let (x, out, spread) = (slice(x, dims)?, Out::new(mean)?, Out::new(variance)?);
            let slopes = (slice_mut(mean_gradient, dims)?, slice_mut(variance_gradient, dims)?);
            let (mean, variance) =
                each!(open(gp)?, process => gradient(&mut process, x, slopes.0, slopes.1)?);
            out.write(mean);
            spread.write(variance);
            Ok(())
        })
    }
}

fn gradient<R: Scalar>(
    process: &mut Process<'_, R>,
    x: &[f64],
    mean: &mut [f64],
    variance: &mut [f64],
) -> Outcome<(f64, f64)> {
    if process.custom.is_some_and(|custom| custom.gradient_x.is_none()) {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    let (gp, covariance, point) = process.parts(x)?;
    // What may be refused is asked before the outputs are used.
    gp.predict(covariance, point)?;
    let answer = R::write(mean, |mean| {
        R::write(variance, |variance| Ok(gp.predict_gradient(covariance, point, mean, variance)?))
    })?;
    Ok((answer.mean.to_f64(), answer.variance.to_f64()))
}

/// Means and covariance of the function at count points, at most infill_gp_config.batch: the lower triangle, count·(count + 1)/2
/// numbers, row i from i·(i + 1)/2 on.
///
/// Errors: as infill_gp_predict; INFILL_ERROR_SHAPE for more points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_predict_joint(
    gp: *mut infill_gp,
    points: *const f64,
    count: usize,
    dims: usize,
    means: *mut f64,
    matrix: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let (all, triangle) = extents(count, dims)?;
            let (points, means, matrix) =
                (slice(points, all)?, slice_mut(means, count)?, slice_mut(matrix, triangle)?);
            each!(open(gp)?, process => joint(&mut process, points, means, matrix))
        })
    }
}

fn extents(count: usize, dims: usize) -> Outcome<(usize, usize)> {
    if !(1..=1 << 16).contains(&count) || dims > MOST {
        return Err(INFILL_ERROR_SHAPE);
    }
    Ok((count * dims, count * (count + 1) / 2))
}

fn joint<R: Scalar>(
    process: &mut Process<'_, R>,
    points: &[f64],
    means: &mut [f64],
    matrix: &mut [f64],
) -> Outcome<()> {
    let (gp, covariance, points) = process.parts(points)?;
    if points.len() != means.len() * gp.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    gp.predict(covariance, &points[..gp.dims()])?;
    R::write(means, |means| {
        R::write(matrix, |matrix| Ok(gp.predict_joint(covariance, points, means, matrix)?))
    })
}

/// A joint draw of the function at count points; matrix is scratch of count·(count + 1)/2 numbers.
///
/// Errors: as infill_gp_predict_joint; INFILL_ERROR_NOT_POSITIVE_DEFINITE, when values is scratch, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_sample(
    gp: *mut infill_gp,
    points: *const f64,
    count: usize,
    dims: usize,
    seed: u64,
    values: *mut f64,
    matrix: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let (all, triangle) = extents(count, dims)?;
            let (points, values, matrix) =
                (slice(points, all)?, slice_mut(values, count)?, slice_mut(matrix, triangle)?);
            each!(open(gp)?, process => sample(&mut process, points, seed, values, matrix))
        })
    }
}

fn sample<R: Scalar>(
    process: &mut Process<'_, R>,
    points: &[f64],
    seed: u64,
    values: &mut [f64],
    matrix: &mut [f64],
) -> Outcome<()> {
    let (gp, covariance, points) = process.parts(points)?;
    if points.len() != values.len() * gp.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    gp.predict(covariance, &points[..gp.dims()])?;
    let mut generator = Generator::new(seed);
    R::write(values, |values| {
        R::write(matrix, |matrix| Ok(gp.sample(covariance, points, &mut generator, values, matrix)?))
    })
}

/// How many observations there are. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_rows(gp: *mut infill_gp) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(each!(unsafe { open(gp) }?, process => process.gp.rows())))
}

/// How many hyperparameters there are, with the noise. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_thetas(gp: *mut infill_gp) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(each!(unsafe { open(gp) }?, process => process.gp.theta().len())))
}

/// The hyperparameters as logarithms, the noise variance last, infill_gp_thetas of them.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_theta(
    gp: *mut infill_gp,
    theta: *mut f64,
    thetas: usize,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let out = slice_mut(theta, thetas)?;
            each!(open(gp)?, process => spread(process.gp.theta(), out))
        })
    }
}

fn spread<R: Scalar>(scalars: &[R], out: &mut [f64]) -> Outcome<()> {
    if scalars.len() != out.len() {
        return Err(INFILL_ERROR_SHAPE);
    }
    for (wide, narrow) in out.iter_mut().zip(scalars) {
        *wide = narrow.to_f64();
    }
    Ok(())
}

/// Sets all hyperparameters, as logarithms, the noise variance last; infill_gp_fit makes them count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_THETA for one outside of its bounds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_set_theta(
    gp: *mut infill_gp,
    theta: *const f64,
    thetas: usize,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let theta = slice(theta, thetas)?;
            each!(open(gp)?, process => set_theta(&mut process.gp, theta))
        })
    }
}

fn set_theta<R: Scalar>(gp: &mut Gp<'_, R>, theta: &[f64]) -> Outcome<()> {
    if theta.len() != gp.theta().len() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let table = gp.theta_table();
    let inside = |(i, &value): (usize, &f64)| table.lo[i] <= R::of(value) && R::of(value) <= table.hi[i];
    if !theta.iter().enumerate().all(inside) {
        return Err(INFILL_ERROR_THETA);
    }
    for (place, &value) in table.value.iter_mut().zip(theta) {
        *place = R::of(value);
    }
    // The factor belongs to the hyperparameters that were.
    gp.known_variances_mut();
    Ok(())
}

/// Sets the noise variance and the range in which training may move it; infill_gp_fit makes it count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_THETA unless 0 < lo ≤ variance ≤ hi.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_set_noise(
    gp: *mut infill_gp,
    variance: f64,
    lo: f64,
    hi: f64,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(gp.cast(), || {
            each!(open(gp)?, process => process.gp.set_noise(variance, lo, hi)?);
            Ok(())
        })
    }
}

/// What was added to the diagonal beyond the noise to keep the matrix positive definite.
///
/// Errors: INFILL_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_jitter(gp: *mut infill_gp, jitter: *mut f64) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let out = Out::new(jitter)?;
            out.write(each!(open(gp)?, process => process.gp.jitter().to_f64()));
            Ok(())
        })
    }
}

/// The coefficients of the trend, one per basis function: 1, x…, x x… as infill_trend says.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NO_DATA before a fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_trend(gp: *mut infill_gp, beta: *mut f64, count: usize) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let out = slice_mut(beta, count)?;
            each!(open(gp)?, process => {
                if process.gp.rows() == 0 || !process.gp.is_fitted() {
                    return Err(INFILL_ERROR_NO_DATA);
                }
                spread(process.gp.trend_coefficients(), out)
            })
        })
    }
}

/// The log likelihood with the trend and the process variance at their best values, for a kernel of unit variance.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_NO_DATA before a fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_likelihood(gp: *mut infill_gp, value: *mut f64) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(gp.cast(), || {
            let out = Out::new(value)?;
            out.write(each!(open(gp)?, process => process.gp.concentrated_likelihood()?.to_f64()));
            Ok(())
        })
    }
}
