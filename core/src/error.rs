//! One flat error for the whole library, each with a number that never changes.

use core::fmt;

use crate::limits::Limit;

/// What went wrong. A call that returns an error has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The block is too small for the limits.
    Memory {
        /// Words that are needed.
        needed: usize,
    },
    /// A limit is smaller than what it has to hold, or larger than what can be counted.
    Limits {
        /// Which one.
        limit: Limit,
        /// Whether it is too small or too large.
        bound: Bound,
        /// The least value that it may have, or the largest.
        needed: u32,
    },
    /// The block was not written by this version of the library, is of another kind, or for another scalar.
    Foreign,
    /// The block fails its checksum or one of its counts is out of range.
    Corrupt,
    /// Every trial of the limits has been used.
    Full,
    /// More trials are open than the limits allow.
    TooManyOpen,
    /// The trial is unknown, already told, or from an earlier use of its slot.
    StaleTrial,
    /// The value told is NaN or infinite, or its variance is negative or not finite.
    NotFinite,
    /// Every point of a finite space has been proposed.
    Exhausted,
    /// A slice has another length than the call needs.
    Shape {
        /// Elements that are needed.
        needed: usize,
    },
    /// The space has no parameter, or more of something than the limits allow.
    Dimensions {
        /// Of what: parameters, conditions, listed values, terms, bytes of names.
        limit: Limit,
        /// What the space has; 0 for a space without parameters.
        needed: u32,
    },
    /// A parameter's bounds are not finite, not in order, or not positive on a log scale.
    Bounds {
        /// The parameter.
        parameter: u32,
    },
    /// A parameter has fewer than two values, or more than can be counted exactly in the scalar.
    Levels {
        /// The parameter.
        parameter: u32,
    },
    /// A condition names no earlier parent, or values that the parent cannot take.
    Condition {
        /// The condition.
        index: u32,
    },
    /// The point is outside the space.
    OutOfRange {
        /// The parameter.
        parameter: u32,
    },
    /// The kernel is malformed, or larger than the limits allow.
    Kernel,
    /// A hyperparameter, bound or prior is not finite or out of order.
    Theta {
        /// The hyperparameter.
        index: u32,
    },
    /// The matrix is not positive definite, even with the largest jitter.
    NotPositiveDefinite {
        /// The row where the factor broke down.
        row: u32,
    },
    /// The model has no data, or fewer than its trend needs.
    NoData,
    /// A setting of the configuration is out of its range.
    Config,
    /// The backend could not do its work.
    Backend,
    /// The operation is not defined for this kernel, surrogate or acquisition.
    Unsupported,
    /// The point is one of those that a clause forbids.
    Forbidden {
        /// The clause.
        clause: u32,
    },
    /// A clause names no parameter, or values that a parameter cannot take.
    Clause {
        /// The clause.
        index: u32,
    },
    /// The space has no configuration that is not forbidden, or none that was found.
    Infeasible,
    /// The text is not what it should be.
    Format {
        /// The byte where reading stopped.
        at: usize,
    },
    /// The block is over another space.
    Space {
        /// What differs first.
        part: Part,
        /// Its index in the space that was given.
        index: u32,
    },
    /// A parameter has the name of an earlier one, a label twice, or a zero byte in one of them.
    Name {
        /// The parameter.
        parameter: u32,
    },
}

/// On which side a limit is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is too small.
    Least,
    /// It is too large.
    Most,
}

impl Bound {
    /// As in "at least".
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Most => "most",
        }
    }
}

/// What differs between the space of a block and the one that is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A parameter: its kind, bounds, scale, values or default, or that it is there.
    Parameter,
    /// A condition.
    Condition,
    /// The index is that of a parameter: the block has conditions on it that the space has not.
    Conditions,
    /// A forbidden clause.
    Clause,
    /// What a model sees of parameters that do not matter.
    Impute,
    /// The name of a parameter.
    Name,
    /// The labels of a category.
    Labels,
    /// Some name or label: the block has a hash of them alone.
    Names,
}

impl Error {
    /// The number of this error, negative and fixed for ever.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Memory { .. } => -1,
            Self::Limits { .. } => -2,
            Self::Foreign => -3,
            Self::Corrupt => -4,
            Self::Full => -5,
            Self::TooManyOpen => -6,
            Self::StaleTrial => -7,
            Self::NotFinite => -8,
            Self::Exhausted => -9,
            Self::Shape { .. } => -10,
            Self::Dimensions { .. } => -11,
            Self::Bounds { .. } => -12,
            Self::Levels { .. } => -13,
            Self::Condition { .. } => -14,
            Self::OutOfRange { .. } => -15,
            Self::Kernel => -16,
            Self::Theta { .. } => -17,
            Self::NotPositiveDefinite { .. } => -18,
            Self::NoData => -19,
            Self::Config => -20,
            Self::Backend => -21,
            Self::Unsupported => -22,
            Self::Forbidden { .. } => -23,
            Self::Clause { .. } => -24,
            Self::Infeasible => -25,
            Self::Format { .. } => -26,
            Self::Space { .. } => -27,
            Self::Name { .. } => -28,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Memory { needed } => write!(f, "the block is too small: {needed} words are needed"),
            Self::Limits { limit, bound, needed } => {
                write!(f, "the limit {} has to be at {} {needed}", limit.name(), bound.name())
            }
            Self::Foreign => {
                f.write_str("the block is of another kind, version, byte order or scalar, or none")
            }
            Self::Corrupt => f.write_str("the block is damaged"),
            Self::Full => f.write_str("every trial has been used"),
            Self::TooManyOpen => f.write_str("too many trials are open"),
            Self::StaleTrial => f.write_str("the trial is unknown or already closed"),
            Self::NotFinite => f.write_str("the value or its variance is not a finite number"),
            Self::Exhausted => f.write_str("every point of the space has been proposed"),
            Self::Shape { needed } => write!(f, "a slice of {needed} elements is needed"),
            Self::Dimensions { needed: 0, .. } => f.write_str("the space has no parameter"),
            Self::Dimensions { limit, needed } => {
                write!(f, "the limit {} is too small, the space needs {needed}", limit.name())
            }
            Self::Bounds { parameter } => write!(f, "parameter {parameter} has invalid bounds"),
            Self::Levels { parameter } => write!(f, "parameter {parameter} has too few or too many values"),
            Self::Condition { index } => write!(f, "condition {index} is invalid"),
            Self::OutOfRange { parameter } => write!(f, "parameter {parameter} is out of range"),
            Self::Kernel => f.write_str("the kernel is malformed or too large"),
            Self::Theta { index } => write!(f, "hyperparameter {index} is invalid"),
            Self::NotPositiveDefinite { row } => write!(f, "not positive definite at row {row}"),
            Self::NoData => f.write_str("the model has too little data"),
            Self::Config => f.write_str("a setting is out of its range"),
            Self::Backend => f.write_str("the backend failed"),
            Self::Unsupported => f.write_str("not defined for this model"),
            Self::Forbidden { clause } => write!(f, "the point is forbidden by clause {clause}"),
            Self::Clause { index } => write!(f, "forbidden clause {index} is invalid"),
            Self::Infeasible => f.write_str("every configuration is forbidden"),
            Self::Format { at } => write!(f, "the text cannot be read at byte {at}"),
            Self::Space { part, index } => {
                f.write_str("the block is over another space: ")?;
                match part {
                    Part::Parameter => write!(f, "parameter {index} differs"),
                    Part::Condition => write!(f, "condition {index} differs"),
                    Part::Conditions => write!(f, "parameter {index} has other conditions"),
                    Part::Clause => write!(f, "forbidden clause {index} differs"),
                    Part::Impute => f.write_str("parameters that do not matter are imputed in another way"),
                    Part::Name => write!(f, "parameter {index} has another name"),
                    Part::Labels => write!(f, "parameter {index} has other labels"),
                    Part::Names => f.write_str("a name or a label differs"),
                }
            }
            Self::Name { parameter } => {
                write!(
                    f,
                    "parameter {parameter} has a name that is taken, a label twice, or a zero byte in one"
                )
            }
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::{Error, Part};
    use crate::limits::Limit;

    /// Every code, once. A removed error keeps its number here as reserved.
    #[test]
    fn codes_are_pinned() {
        let all = [
            Error::Memory { needed: 1 },
            Limit::Trials.refuse(0, 1),
            Error::Foreign,
            Error::Corrupt,
            Error::Full,
            Error::TooManyOpen,
            Error::StaleTrial,
            Error::NotFinite,
            Error::Exhausted,
            Error::Shape { needed: 1 },
            Error::Dimensions { limit: Limit::Dims, needed: 0 },
            Error::Bounds { parameter: 0 },
            Error::Levels { parameter: 0 },
            Error::Condition { index: 0 },
            Error::OutOfRange { parameter: 0 },
            Error::Kernel,
            Error::Theta { index: 0 },
            Error::NotPositiveDefinite { row: 0 },
            Error::NoData,
            Error::Config,
            Error::Backend,
            Error::Unsupported,
            Error::Forbidden { clause: 0 },
            Error::Clause { index: 0 },
            Error::Infeasible,
            Error::Format { at: 0 },
            Error::Space { part: Part::Parameter, index: 0 },
            Error::Name { parameter: 0 },
        ];
        for (i, error) in all.iter().enumerate() {
            assert_eq!(error.code(), -(i as i32) - 1);
        }
    }
}
