//! The choices of a configuration, each a number that never changes, and the names of all choices.
//!
//! An enumeration without members, here and elsewhere, has those of the library: the table of tests/header.rs says which.

use core::ffi::{CStr, c_char};

use crate::export::{checked, guard_or, put};
use crate::infill_status::{self, INFILL_ERROR_CONFIG};
use crate::names::{MEMBERS, NAMES};
use crate::pointer::{Outcome, text};

/// The scalar inside a block: infill_config.scalar. The number is its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_scalar {
    /// Half the memory; for machines without double precision. Bounds and points are rounded to it.
    INFILL_F32 = 4,
    /// The default.
    INFILL_F64 = 8,
}

/// The scalar that a structure is filled with: single precision where the build has no other.
pub(crate) const SCALAR: u32 =
    if cfg!(feature = "f64") { infill_scalar::INFILL_F64 as u32 } else { infill_scalar::INFILL_F32 as u32 };

/// The starting design: infill_config.design.
#[derive(Clone, Copy, Debug)]
pub enum infill_design_kind {}

/// The mean of the process, by its terms h: infill_config.trend.
///
/// A term that the data cannot tell from those before has coefficient 0.
#[derive(Clone, Copy, Debug)]
pub enum infill_trend {}

/// How values become targets: infill_config.targets.
#[derive(Clone, Copy, Debug)]
pub enum infill_transform {}

/// What a proposal maximises: infill_config.acquisition.
#[derive(Clone, Copy, Debug)]
pub enum infill_acquisition {}

/// What improvement is measured against: infill_config.incumbent. Where values are noisy, noise_hi = 1, INFILL_INCUMBENT_MEAN and
/// repeats lost 7 : 23 against the defaults at 50 evaluations (six problems, 5 seeds).
#[derive(Clone, Copy, Debug)]
pub enum infill_incumbent {}

/// What training maximises, with the log prior: infill_config.training_objective.
#[derive(Clone, Copy, Debug)]
pub enum infill_objective_kind {}

/// What happens when every trial is used: infill_config.when_full.
#[derive(Clone, Copy, Debug)]
pub enum infill_when_full {}

/// The model of the function: infill_config.model.
///
/// A Student-t process has model_freedom, a sparse one limits.features, an ensemble limits.trees and forest_*. From
/// INFILL_MODEL_RANDOM on they are methods without a model: infill_predict is INFILL_ERROR_UNSUPPORTED, infill_recommend the best.
#[derive(Clone, Copy, Debug)]
pub enum infill_model {}

/// What the variance that averaged trees predict is made of: infill_config.forest_spread.
#[derive(Clone, Copy, Debug)]
pub enum infill_spread {}

/// What becomes of the hyperparameters of an exact Gaussian process: infill_config.hyper.
#[derive(Clone, Copy, Debug)]
pub enum infill_hyper_kind {}

/// How hyperparameters are drawn: infill_config.sampler.
#[derive(Clone, Copy, Debug)]
pub enum infill_sampler {}

/// How coordinates are bent before the kernel of an exact process sees them: infill_config.warp.
///
/// The two shapes of each are learnt with the other hyperparameters. The trend has to be zero or constant.
#[derive(Clone, Copy, Debug)]
pub enum infill_warp {}

/// How a proposal is chosen: infill_config.policy.
#[derive(Clone, Copy, Debug)]
pub enum infill_policy {}

/// How lowest values are drawn: infill_config.policy_minima.
#[derive(Clone, Copy, Debug)]
pub enum infill_minima {}

/// How open trials are reckoned with: infill_config.pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_pending {
    /// They are believed to give what the model predicts. The default.
    INFILL_PENDING_BELIEVER = 0,
    /// They are said to have given the lowest value told: proposals stay near what looks good.
    INFILL_PENDING_LIAR_MIN = 1,
    /// They are said to have given the mean value told.
    INFILL_PENDING_LIAR_MEAN = 2,
    /// They are said to have given the largest value told: proposals go elsewhere.
    INFILL_PENDING_LIAR_MAX = 3,
    /// The acquisition is averaged over pending_draws draws of what they may give.
    INFILL_PENDING_FANTASIES = 4,
    /// The acquisition is less where they will have looked.
    INFILL_PENDING_PENALTY = 5,
    /// They are left alone; each proposal is made at another temperature of INFILL_ACQUISITION_LOG_MGF.
    INFILL_PENDING_TEMPERATURES = 6,
    /// What a trial improves beyond them, by pending_draws draws: for expected improvement and its logarithm.
    INFILL_PENDING_JOINT_EI = 7,
}

/// How the temperature of INFILL_ACQUISITION_LOG_MGF falls with the trials: infill_config.cooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_cooling {
    /// It does not: it is acquisition_parameter. The default.
    INFILL_COOLING_NONE = 0,
    /// From cooling_from to cooling_to by the same factor at each of cooling_steps trials.
    INFILL_COOLING_EXPONENTIAL = 1,
    /// By the same amount at each of them.
    INFILL_COOLING_LINEAR = 2,
}

/// How the best candidate is searched for: infill_config.search_method.
#[derive(Clone, Copy, Debug)]
pub enum infill_search_method {}

/// How the default kernel compares two values without order: infill_config.categories.
#[derive(Clone, Copy, Debug)]
pub enum infill_categories {}

/// How the default kernel brings numbers and categories together: infill_config.structure.
#[derive(Clone, Copy, Debug)]
pub enum infill_structure {}

/// Whether the default kernel finds configurations similar whose conditions turn out differently: infill_config.branches.
#[derive(Clone, Copy, Debug)]
pub enum infill_branches {}

/// How a category whose values have parameters of their own is optimized: infill_config.strategy.
#[derive(Clone, Copy, Debug)]
pub enum infill_strategy {}

/// What is asked for first where sources are passed: infill_config.transfer_start.
#[derive(Clone, Copy, Debug)]
pub enum infill_start {}

/// How sources help to choose, where there is a model: infill_config.transfer_how.
#[derive(Clone, Copy, Debug)]
pub enum infill_how {}

/// How much each source counts: infill_config.transfer_weights.
#[derive(Clone, Copy, Debug)]
pub enum infill_weights {}

/// Which sources share a process with the run: infill_config.transfer_near.
#[derive(Clone, Copy, Debug)]
pub enum infill_near {}

/// The text that begins at a place of the names.
fn name_at(place: u16) -> &'static CStr {
    let rest = NAMES.get(place as usize..).unwrap_or_default();
    CStr::from_bytes_until_nul(rest).unwrap_or_default()
}

/// The member of an enumeration that is looked for: its number and its name.
///
/// # Safety
/// As [`text`].
unsafe fn member(
    type_name: *const c_char,
    wanted: impl Fn(u32, &CStr) -> bool,
) -> Outcome<(u32, &'static CStr)> {
    // SAFETY: as here.
    let type_name = unsafe { text(type_name) }?;
    let mut own = MEMBERS.iter().filter(|(kind, ..)| name_at(*kind).to_bytes() == type_name);
    let found = own.find(|(_, name, number)| wanted(*number as u32, name_at(*name)));
    found.map(|(_, name, number)| (*number as u32, name_at(*name))).ok_or(INFILL_ERROR_CONFIG)
}

/// The name of a choice: "log_improvement" is number INFILL_ACQUISITION_LOG_IMPROVEMENT of the type "infill_acquisition".
///
/// Lives as long as the library; NULL for a type or a number that is none. Of "infill_status", the number is (uint32_t)status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_choice_name(type_name: *const c_char, number: u32) -> *const c_char {
    guard_or(core::ptr::null(), || {
        // SAFETY: by the contract of the header.
        Ok(unsafe { member(type_name, |code, _| code == number) }?.1.as_ptr())
    })
}

/// The number of a choice by the name that infill_choice_name gives it.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_CONFIG for a type or a name that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_choice_number(
    type_name: *const c_char,
    name: *const c_char,
    number: *mut u32,
) -> infill_status {
    checked!(put!(number, {
        let name = text(name)?;
        member(type_name, |_, other| other.to_bytes() == name)?.0
    }))
}
