//! What a call came to, as numbers that never change.

use core::ffi::c_char;

use library::Error;

/// What a call came to: 0, or a negative number that never changes its meaning.
///
/// A call that returns an error has written no output and changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum infill_status {
    /// All is well.
    INFILL_OK = 0,
    /// The block is too small: infill_size says how many bytes it takes.
    INFILL_ERROR_MEMORY = -1,
    /// A limit is zero where it must not be, too large, or smaller than what it has to hold.
    INFILL_ERROR_LIMITS = -2,
    /// The block or handle was not written by this version of the library, or is of another byte order.
    INFILL_ERROR_FOREIGN = -3,
    /// The block is damaged.
    INFILL_ERROR_CORRUPT = -4,
    /// Every trial, or every row of a process, has been used.
    INFILL_ERROR_FULL = -5,
    /// More trials would be open than the limits allow.
    INFILL_ERROR_TOO_MANY_OPEN = -6,
    /// The trial is unknown, already closed, or from an earlier use of its place.
    INFILL_ERROR_STALE_TRIAL = -7,
    /// A value is NaN or infinite, or a variance is negative.
    INFILL_ERROR_NOT_FINITE = -8,
    /// Every point of a finite space has been proposed.
    INFILL_ERROR_EXHAUSTED = -9,
    /// A count or an index does not fit the object.
    INFILL_ERROR_SHAPE = -10,
    /// The space has no parameter, or more parameters, conditions or values than the limits allow.
    INFILL_ERROR_DIMENSIONS = -11,
    /// The bounds of a parameter are not finite, not in order, or not positive on a log scale.
    INFILL_ERROR_BOUNDS = -12,
    /// A parameter has fewer than two values, or more than the scalar counts exactly.
    INFILL_ERROR_LEVELS = -13,
    /// A condition names no earlier parent, or values that the parent cannot take.
    INFILL_ERROR_CONDITION = -14,
    /// The point is outside of the space.
    INFILL_ERROR_OUT_OF_RANGE = -15,
    /// The kernel is malformed, or larger than the limits allow.
    INFILL_ERROR_KERNEL = -16,
    /// A hyperparameter, bound or prior is not finite or out of order.
    INFILL_ERROR_THETA = -17,
    /// The matrix is not positive definite, even with the largest jitter.
    INFILL_ERROR_NOT_POSITIVE_DEFINITE = -18,
    /// The model has no data, or fewer than its trend needs.
    INFILL_ERROR_NO_DATA = -19,
    /// A setting is out of its range, or a number names no choice.
    INFILL_ERROR_CONFIG = -20,
    /// The backend could not do its work.
    INFILL_ERROR_BACKEND = -21,
    /// Not defined for this model, or left out when the library was built (infill_capabilities tells).
    INFILL_ERROR_UNSUPPORTED = -22,
    /// The point is one of those that a clause of the space forbids.
    INFILL_ERROR_FORBIDDEN = -23,
    /// A forbidden clause names no parameter, or values that a parameter cannot take.
    INFILL_ERROR_CLAUSE = -24,
    /// The space has no configuration that is not forbidden, or none that was found.
    INFILL_ERROR_INFEASIBLE = -25,
    /// The text is not what it should be.
    INFILL_ERROR_FORMAT = -26,
    /// A pointer is NULL that must not be.
    INFILL_ERROR_NULL = -64,
    /// A pointer is not aligned for what it points to; a block wants INFILL_ALIGN bytes.
    INFILL_ERROR_ALIGNMENT = -65,
    /// The size at the front of a structure is none that this version of the library knows.
    INFILL_ERROR_VERSION = -66,
    /// There is no memory left (hosted builds).
    INFILL_ERROR_ALLOCATION = -67,
    /// A callback stopped the run.
    INFILL_ABORTED = -68,
    /// A defect of this library; the handle is spoilt, nothing but infill_free takes it (hosted builds).
    INFILL_PANIC = -69,
}

use infill_status::*;

impl infill_status {
    const ALL: [Self; 33] = [
        INFILL_OK,
        INFILL_ERROR_MEMORY,
        INFILL_ERROR_LIMITS,
        INFILL_ERROR_FOREIGN,
        INFILL_ERROR_CORRUPT,
        INFILL_ERROR_FULL,
        INFILL_ERROR_TOO_MANY_OPEN,
        INFILL_ERROR_STALE_TRIAL,
        INFILL_ERROR_NOT_FINITE,
        INFILL_ERROR_EXHAUSTED,
        INFILL_ERROR_SHAPE,
        INFILL_ERROR_DIMENSIONS,
        INFILL_ERROR_BOUNDS,
        INFILL_ERROR_LEVELS,
        INFILL_ERROR_CONDITION,
        INFILL_ERROR_OUT_OF_RANGE,
        INFILL_ERROR_KERNEL,
        INFILL_ERROR_THETA,
        INFILL_ERROR_NOT_POSITIVE_DEFINITE,
        INFILL_ERROR_NO_DATA,
        INFILL_ERROR_CONFIG,
        INFILL_ERROR_BACKEND,
        INFILL_ERROR_UNSUPPORTED,
        INFILL_ERROR_FORBIDDEN,
        INFILL_ERROR_CLAUSE,
        INFILL_ERROR_INFEASIBLE,
        INFILL_ERROR_FORMAT,
        INFILL_ERROR_NULL,
        INFILL_ERROR_ALIGNMENT,
        INFILL_ERROR_VERSION,
        INFILL_ERROR_ALLOCATION,
        INFILL_ABORTED,
        INFILL_PANIC,
    ];
}

impl From<Error> for infill_status {
    fn from(error: Error) -> Self {
        let code = error.code();
        // An error that is younger than this list has no name here.
        Self::ALL.into_iter().find(|&status| status as i32 == code).unwrap_or(INFILL_ERROR_UNSUPPORTED)
    }
}

/// A sentence in English for a status; one for numbers that are none. Lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn infill_status_str(status: i32) -> *const c_char {
    let text = match infill_status::ALL.into_iter().find(|&known| known as i32 == status) {
        None => c"unknown status",
        Some(INFILL_OK) => c"all is well",
        Some(INFILL_ERROR_MEMORY) => c"the block is too small",
        Some(INFILL_ERROR_LIMITS) => c"a limit is zero, too large, or smaller than what it has to hold",
        Some(INFILL_ERROR_FOREIGN) => c"the block was not written by this version of the library",
        Some(INFILL_ERROR_CORRUPT) => c"the block is damaged",
        Some(INFILL_ERROR_FULL) => c"every trial has been used",
        Some(INFILL_ERROR_TOO_MANY_OPEN) => c"too many trials are open",
        Some(INFILL_ERROR_STALE_TRIAL) => c"the trial is unknown or already closed",
        Some(INFILL_ERROR_NOT_FINITE) => c"the value or its variance is not a finite number",
        Some(INFILL_ERROR_EXHAUSTED) => c"every point of the space has been proposed",
        Some(INFILL_ERROR_SHAPE) => c"a count or an index does not fit the object",
        Some(INFILL_ERROR_DIMENSIONS) => c"the space has no parameter or too many",
        Some(INFILL_ERROR_BOUNDS) => c"a parameter has invalid bounds",
        Some(INFILL_ERROR_LEVELS) => c"a parameter has too few or too many values",
        Some(INFILL_ERROR_CONDITION) => c"a condition is invalid",
        Some(INFILL_ERROR_OUT_OF_RANGE) => c"the point is outside of the space",
        Some(INFILL_ERROR_KERNEL) => c"the kernel is malformed or too large",
        Some(INFILL_ERROR_THETA) => c"a hyperparameter, bound or prior is invalid",
        Some(INFILL_ERROR_NOT_POSITIVE_DEFINITE) => c"the matrix is not positive definite",
        Some(INFILL_ERROR_NO_DATA) => c"the model has too little data",
        Some(INFILL_ERROR_CONFIG) => c"a setting is out of its range",
        Some(INFILL_ERROR_BACKEND) => c"the backend failed",
        Some(INFILL_ERROR_UNSUPPORTED) => c"not defined for this model, or not in this build",
        Some(INFILL_ERROR_FORBIDDEN) => c"the point is forbidden",
        Some(INFILL_ERROR_CLAUSE) => c"a forbidden clause is invalid",
        Some(INFILL_ERROR_INFEASIBLE) => c"every configuration is forbidden",
        Some(INFILL_ERROR_FORMAT) => c"the text cannot be read",
        Some(INFILL_ERROR_NULL) => c"a pointer is NULL",
        Some(INFILL_ERROR_ALIGNMENT) => c"a pointer is not aligned",
        Some(INFILL_ERROR_VERSION) => c"a structure has a size that this version does not know",
        Some(INFILL_ERROR_ALLOCATION) => c"there is no memory left",
        Some(INFILL_ABORTED) => c"a callback stopped the run",
        Some(INFILL_PANIC) => c"a defect of the library; the handle is spoilt",
    };
    text.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number, once. A removed status keeps its number here as reserved.
    #[test]
    fn numbers_are_pinned() {
        let numbers: std::vec::Vec<i32> =
            infill_status::ALL.into_iter().map(|status| status as i32).collect();
        let expected: std::vec::Vec<i32> = (0..=26).chain(64..=69).map(|n: i32| -n).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn every_error_of_the_library_has_its_number_here() {
        for code in 1..=26 {
            assert!(infill_status::ALL.iter().any(|&status| status as i32 == -code));
        }
        assert_eq!(infill_status::from(Error::Memory { needed: 3 }), INFILL_ERROR_MEMORY);
        assert_eq!(infill_status::from(Error::Unsupported), INFILL_ERROR_UNSUPPORTED);
    }
}
