//! What a call came to, as numbers that never change.

use core::ffi::{CStr, c_char};

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
    /// The block is over another space: infill_explain says what differs.
    INFILL_ERROR_SPACE = -27,
    /// A parameter has the name of an earlier one, a label twice, or one of them holds a zero byte.
    INFILL_ERROR_NAME = -28,
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
    /// The run is over: every trial, or every point of a finite space, has been used (infill_next).
    INFILL_DONE = -70,
}

use infill_status::*;

/// Every status, and a sentence for it.
const ALL: [(infill_status, &CStr); 36] = [
    (INFILL_OK, c"all is well"),
    (INFILL_ERROR_MEMORY, c"the block is too small"),
    (INFILL_ERROR_LIMITS, c"a limit is zero, too large, or smaller than what it has to hold"),
    (INFILL_ERROR_FOREIGN, c"the block was not written by this version of the library"),
    (INFILL_ERROR_CORRUPT, c"the block is damaged"),
    (INFILL_ERROR_FULL, c"every trial has been used"),
    (INFILL_ERROR_TOO_MANY_OPEN, c"too many trials are open"),
    (INFILL_ERROR_STALE_TRIAL, c"the trial is unknown or already closed"),
    (INFILL_ERROR_NOT_FINITE, c"the value or its variance is not a finite number"),
    (INFILL_ERROR_EXHAUSTED, c"every point of the space has been proposed"),
    (INFILL_ERROR_SHAPE, c"a count or an index does not fit the object"),
    (INFILL_ERROR_DIMENSIONS, c"the space has no parameter or too many"),
    (INFILL_ERROR_BOUNDS, c"a parameter has invalid bounds"),
    (INFILL_ERROR_LEVELS, c"a parameter has too few or too many values"),
    (INFILL_ERROR_CONDITION, c"a condition is invalid"),
    (INFILL_ERROR_OUT_OF_RANGE, c"the point is outside of the space"),
    (INFILL_ERROR_KERNEL, c"the kernel is malformed or too large"),
    (INFILL_ERROR_THETA, c"a hyperparameter, bound or prior is invalid"),
    (INFILL_ERROR_NOT_POSITIVE_DEFINITE, c"the matrix is not positive definite"),
    (INFILL_ERROR_NO_DATA, c"the model has too little data"),
    (INFILL_ERROR_CONFIG, c"a setting is out of its range"),
    (INFILL_ERROR_BACKEND, c"the backend failed"),
    (INFILL_ERROR_UNSUPPORTED, c"not defined for this model, or not in this build"),
    (INFILL_ERROR_FORBIDDEN, c"the point is forbidden"),
    (INFILL_ERROR_CLAUSE, c"a forbidden clause is invalid"),
    (INFILL_ERROR_INFEASIBLE, c"every configuration is forbidden"),
    (INFILL_ERROR_FORMAT, c"the text cannot be read"),
    (INFILL_ERROR_SPACE, c"the block is over another space"),
    (INFILL_ERROR_NAME, c"a name or a label is taken or has a zero byte"),
    (INFILL_ERROR_NULL, c"a pointer is NULL"),
    (INFILL_ERROR_ALIGNMENT, c"a pointer is not aligned"),
    (INFILL_ERROR_VERSION, c"a structure has a size that this version does not know"),
    (INFILL_ERROR_ALLOCATION, c"there is no memory left"),
    (INFILL_ABORTED, c"a callback stopped the run"),
    (INFILL_PANIC, c"a defect of the library; the handle is spoilt"),
    (INFILL_DONE, c"the run is over: every trial or every point has been used"),
];

/// The row of a number.
fn row(number: i32) -> Option<(infill_status, &'static CStr)> {
    ALL.into_iter().find(|row| row.0 as i32 == number)
}

impl From<Error> for infill_status {
    fn from(error: Error) -> Self {
        // An error that is younger than this list has no name here.
        row(error.code()).map_or(INFILL_ERROR_UNSUPPORTED, |row| row.0)
    }
}

/// A sentence in English for a status; one for numbers that are none.
pub(crate) fn sentence(status: i32) -> &'static CStr {
    row(status).map_or(c"unknown status", |row| row.1)
}

/// A sentence in English for a status; one for numbers that are none. Lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn infill_status_str(status: i32) -> *const c_char {
    sentence(status).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number, once. A removed status keeps its number here as reserved.
    #[test]
    fn numbers_are_pinned() {
        let numbers: std::vec::Vec<i32> = ALL.into_iter().map(|row| row.0 as i32).collect();
        let expected: std::vec::Vec<i32> = (0..=28).chain(64..=70).map(|n: i32| -n).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn every_error_of_the_library_has_its_number_here() {
        for code in 1..=26 {
            assert!(row(-code).is_some());
        }
        assert_eq!(infill_status::from(Error::Memory { needed: 3 }), INFILL_ERROR_MEMORY);
        assert_eq!(infill_status::from(Error::Unsupported), INFILL_ERROR_UNSUPPORTED);
    }
}
