//! What a process is and what a training may spend, as C data.

use core::ffi::c_void;

use library::lbfgs::Budget;
use library::{Training, Trend};

use crate::choices::SCALAR;
use crate::config::objective;
use crate::export::checked;
use crate::infill_status::{self, *};
use crate::kernel::infill_kernel;
use crate::pointer::{Outcome, write_default};

/// A Gaussian process over points as they are given: no space, no units.
///
/// Threads: one process is used by one thread at a time, also for looking.
/// Lifetime: as long as its block is neither freed nor written by others; from infill_gp_new, until infill_gp_free.
/// It may be moved, but belongs to the program that made it: it is not for files. Every call checks sizes, kernel and addresses
/// by a checksum (INFILL_ERROR_CORRUPT); data, hyperparameters and fit have none.
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
            scalar: SCALAR,
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
    pub(super) fn settings(&self) -> Outcome<Training> {
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

/// Fills the configuration of a process with defaults; rows, dims and a kernel have to be set.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_config_default(
    config: *mut infill_gp_config,
    size: usize,
) -> infill_status {
    checked!(write_default(config, size)?)
}

/// Fills what a training may spend with defaults.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_training_default(
    training: *mut infill_training,
    size: usize,
) -> infill_status {
    checked!(write_default(training, size)?)
}
