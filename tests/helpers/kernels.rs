//! A kernel with its hyperparameters where a test wants them.

use infill::kernel::{Kernel, Prior, Role};

/// The kernel with another value of a hyperparameter, and bounds around it.
pub fn set(kernel: Kernel, role: Role, value: f64) -> Kernel {
    kernel.with(role, value, value / 1.5..value * 1.5, Prior::Flat)
}
