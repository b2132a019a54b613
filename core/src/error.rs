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
    Limits(Need),
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
    /// The space has no parameter (the number is 0), or more of something than the limits allow: the number that it has.
    Dimensions(Need),
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
    Space(Difference),
    /// A parameter has the name of an earlier one, a label twice, or a zero byte in one of them.
    Name {
        /// The parameter.
        parameter: u32,
    },
}

// With two fields an error would be an aggregate, no longer a pair of registers: on a small machine every `?` of the library
// would take bytes of flash, five thousand in all. Hence one word where there are two things to tell.

/// A limit, and the number that it needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Need(u32);

impl Need {
    /// Bits of the number; the limit lies above them.
    const BITS: u32 = 26;
    /// The largest number; no limit may be larger, and a larger need is told as this one.
    pub(crate) const MOST: u32 = (1 << Self::BITS) - 1;

    /// Both in one word.
    #[must_use]
    pub const fn new(limit: Limit, number: usize) -> Self {
        let number = if number < Self::MOST as usize { number as u32 } else { Self::MOST };
        Self((limit as u32) << Self::BITS | number)
    }

    /// Which one.
    #[must_use]
    pub const fn limit(self) -> Limit {
        Limit::EVERY[(self.0 >> Self::BITS) as usize]
    }

    /// Of a limit the nearest value that it may have; of a space what it has.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 & Self::MOST
    }
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.limit(), self.number())
    }
}

/// What differs first between the space of a block and the one that is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Difference(u32);

impl Difference {
    const BITS: u32 = 28;
    const PARTS: [Part; 8] = [
        Part::Parameter,
        Part::Condition,
        Part::Conditions,
        Part::Clause,
        Part::Impute,
        Part::Name,
        Part::Labels,
        Part::Names,
    ];

    /// Both in one word.
    pub(crate) const fn new(part: Part, index: usize) -> Self {
        let most = (1 << Self::BITS) - 1;
        Self((part as u32) << Self::BITS | if index < most { index as u32 } else { most as u32 })
    }

    /// What it is.
    #[must_use]
    pub const fn part(self) -> Part {
        Self::PARTS[(self.0 >> Self::BITS) as usize]
    }

    /// Its index in the space that was given.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0 & ((1 << Self::BITS) - 1)
    }
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.part(), self.index())
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
    /// This error where `refused` holds, a precondition in one statement: `Error::NoData.when(rows == 0)?`.
    #[inline(always)]
    pub(crate) const fn when(self, refused: bool) -> Result<(), Self> {
        if refused { Err(self) } else { Ok(()) }
    }

    /// The number of this error, negative and fixed for ever.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Memory { .. } => -1,
            Self::Limits(_) => -2,
            Self::Foreign => -3,
            Self::Corrupt => -4,
            Self::Full => -5,
            Self::TooManyOpen => -6,
            Self::StaleTrial => -7,
            Self::NotFinite => -8,
            Self::Exhausted => -9,
            Self::Shape { .. } => -10,
            Self::Dimensions(_) => -11,
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
            Self::Space(_) => -27,
            Self::Name { .. } => -28,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Memory { needed } => write!(f, "the block is too small: {needed} words are needed"),
            Self::Limits(need) => {
                let (name, number) = (need.limit().name(), need.number());
                write!(
                    f,
                    "the limit {name} is out of its range: the nearest value that it may have is {number}"
                )
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
            Self::Dimensions(need) if need.number() == 0 => f.write_str("the space has no parameter"),
            Self::Dimensions(need) => {
                let (name, number) = (need.limit().name(), need.number());
                write!(f, "the limit {name} is too small: the space needs {number}")
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
            Self::Space(difference) => {
                let index = difference.index();
                f.write_str("the block is over another space: ")?;
                match difference.part() {
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
    use super::{Difference, Error, Need, Part};
    use crate::limits::Limit;

    /// Every code, once. A removed error keeps its number here as reserved.
    #[test]
    fn codes_are_pinned() {
        let all = [
            Error::Memory { needed: 1 },
            Limit::Trials.refuse(1),
            Error::Foreign,
            Error::Corrupt,
            Error::Full,
            Error::TooManyOpen,
            Error::StaleTrial,
            Error::NotFinite,
            Error::Exhausted,
            Error::Shape { needed: 1 },
            Error::Dimensions(Need::new(Limit::Dims, 0)),
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
            Error::Space(Difference::new(Part::Parameter, 0)),
            Error::Name { parameter: 0 },
        ];
        for (i, error) in all.iter().enumerate() {
            assert_eq!(error.code(), -(i as i32) - 1);
        }
    }

    /// An error is one word and its kind, so that it is returned in registers.
    #[test]
    fn two_things_in_one_word() {
        for limit in Limit::EVERY {
            for number in [0, 1, 7, Need::MOST as usize] {
                let need = Need::new(limit, number);
                assert_eq!((need.limit(), need.number() as usize), (limit, number));
            }
        }
        assert_eq!(Need::new(Limit::Dims, usize::MAX).number(), Need::MOST);
        for part in Difference::PARTS {
            for index in [0, 1, (1 << 28) - 1] {
                let difference = Difference::new(part, index);
                assert_eq!((difference.part(), difference.index() as usize), (part, index));
            }
        }
        assert_eq!(size_of::<Error>(), 2 * size_of::<usize>());
    }
}
