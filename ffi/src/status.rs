//! What a call came to, as numbers that never change.

use core::ffi::{CStr, c_char};

use library::Error;

use crate::names::SENTENCES;

/// What a call came to: 0, or a negative number that never changes its meaning.
///
/// A call that returns an error has written no output and changed nothing.
// The first sentence of a member is what infill_status_str says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum infill_status {
    /// All is well.
    INFILL_OK = 0,
    /// The block is too small. infill_size says how many bytes it takes.
    INFILL_ERROR_MEMORY = -1,
    /// A limit is zero, too large, or smaller than what it has to hold.
    INFILL_ERROR_LIMITS = -2,
    /// The block was not written by this version of the library. Nor was such a handle; or the byte order is another one.
    INFILL_ERROR_FOREIGN = -3,
    /// The block is damaged.
    INFILL_ERROR_CORRUPT = -4,
    /// Every trial has been used. Of a process, every row.
    INFILL_ERROR_FULL = -5,
    /// Too many trials are open. The limits allow no more.
    INFILL_ERROR_TOO_MANY_OPEN = -6,
    /// The trial is unknown or already closed. It may be from an earlier use of its place.
    INFILL_ERROR_STALE_TRIAL = -7,
    /// The value or its variance is not a finite number. It is NaN or infinite, or the variance is negative.
    INFILL_ERROR_NOT_FINITE = -8,
    /// Every point of the space has been proposed. It is finite.
    INFILL_ERROR_EXHAUSTED = -9,
    /// A count or an index does not fit the object.
    INFILL_ERROR_SHAPE = -10,
    /// The space has no parameter or too many. The limits also count its conditions and values.
    INFILL_ERROR_DIMENSIONS = -11,
    /// A parameter has invalid bounds. They are not finite, not in order, or not positive on a log scale.
    INFILL_ERROR_BOUNDS = -12,
    /// A parameter has too few or too many values. It needs two, and no more than the scalar counts exactly.
    INFILL_ERROR_LEVELS = -13,
    /// A condition is invalid. It names no earlier parent, or values that the parent cannot take.
    INFILL_ERROR_CONDITION = -14,
    /// The point is outside of the space.
    INFILL_ERROR_OUT_OF_RANGE = -15,
    /// The kernel is malformed or too large. The limits allow no more nodes, lists or hyperparameters.
    INFILL_ERROR_KERNEL = -16,
    /// A hyperparameter, bound or prior is invalid. It is not finite or out of order.
    INFILL_ERROR_THETA = -17,
    /// The matrix is not positive definite. The largest jitter did not help.
    INFILL_ERROR_NOT_POSITIVE_DEFINITE = -18,
    /// The model has too little data. There is none, or fewer than its trend needs.
    INFILL_ERROR_NO_DATA = -19,
    /// A setting is out of its range. A number that names no choice is, too.
    INFILL_ERROR_CONFIG = -20,
    /// The backend failed. It could not do its work.
    INFILL_ERROR_BACKEND = -21,
    /// Not defined for this model, or not in this build. infill_capabilities tells what was left out.
    INFILL_ERROR_UNSUPPORTED = -22,
    /// The point is forbidden. A clause of the space says so.
    INFILL_ERROR_FORBIDDEN = -23,
    /// A forbidden clause is invalid. It names no parameter, or values that a parameter cannot take.
    INFILL_ERROR_CLAUSE = -24,
    /// Every configuration is forbidden. Or none was found that is not.
    INFILL_ERROR_INFEASIBLE = -25,
    /// The text cannot be read. It is not what it should be.
    INFILL_ERROR_FORMAT = -26,
    /// The block is over another space. infill_explain says what differs.
    INFILL_ERROR_SPACE = -27,
    /// A name or a label is taken or has a zero byte. A name is that of an earlier parameter, or a label is there twice.
    INFILL_ERROR_NAME = -28,
    /// A pointer is NULL. It must not be.
    INFILL_ERROR_NULL = -64,
    /// A pointer is not aligned. A block wants INFILL_ALIGN bytes, other data what their type wants.
    INFILL_ERROR_ALIGNMENT = -65,
    /// A structure has a size that this version does not know. The size stands at its front.
    INFILL_ERROR_VERSION = -66,
    /// There is no memory left. Only hosted builds say so.
    INFILL_ERROR_ALLOCATION = -67,
    /// A callback stopped the run.
    INFILL_ABORTED = -68,
    /// A defect of the library; the handle is spoilt. Nothing but infill_free takes it (hosted builds).
    INFILL_PANIC = -69,
    /// The run is over: every trial or every point has been used. infill_next says so.
    INFILL_DONE = -70,
}

use infill_status::*;

/// The row of a number.
fn row(number: i32) -> Option<(infill_status, &'static CStr)> {
    SENTENCES.into_iter().find(|row| row.0 as i32 == number)
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
        let numbers: std::vec::Vec<i32> = SENTENCES.into_iter().map(|row| row.0 as i32).collect();
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
