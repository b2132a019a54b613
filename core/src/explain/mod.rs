//! Explanations: a refusal as a sentence that names the culprit, what was given, and what may be.
//!
//! An [`Error`] carries an index and a kind; who made the call still has what it was given. Together they are a sentence, written
//! without memory of its own:
//!
//! ```
//! use infill::explain::Given;
//! use infill::{Param, Space};
//! let params = [Param::real(0.0, 1.0), Param::real(0.0, 0.1).log()];
//! let names: &[&str] = &["momentum", "rate"];
//! let given = Given { params: &params, names: Some(&names), ..Given::default() };
//! let error = Space::new(&params, &[]).unwrap_err();
//! let sentence = given.explain(error).to_string();
//! assert_eq!(sentence, "parameter 1 (rate) is a real from 0 to 0.1 on a log scale: bounds are finite and in order, on a log \
//!     scale positive");
//! ```

mod range;
mod setting;
mod space;

use core::fmt;

pub use range::Range;
pub use setting::{Setting, culprit};

use crate::block::Header;
use crate::error::{Error, Part};
use crate::limits::{Limit, Limits};
use crate::space::{Clause, Condition, Domain, Names, Param};
use crate::trial::{State, TrialId};

/// What a refused call was given, as far as its caller has it.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    /// The parameters of the space.
    pub params: &'a [Param<'a>],
    /// Its conditions.
    pub conditions: &'a [Condition<'a>],
    /// Its forbidden clauses.
    pub clauses: &'a [Clause<'a>],
    /// Its names.
    pub names: Option<&'a dyn Names>,
    /// The space of the block that was attached.
    pub block: Option<Domain<'a>>,
    /// The point, in user units.
    pub point: &'a [f64],
    /// The value that was told, and its variance.
    pub value: Option<(f64, f64)>,
    /// The trial, and what has become of it; nothing if it is unknown.
    pub trial: Option<(TrialId, Option<State>)>,
    /// The limits of the optimizer.
    pub limits: Option<Limits>,
    /// The words that were to hold a block.
    pub words: Option<&'a [u64]>,
    /// The text that was read.
    pub text: &'a [u8],
}

impl fmt::Debug for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given")
            .field("params", &self.params)
            .field("point", &self.point)
            .finish_non_exhaustive()
    }
}

impl<'a> Given<'a> {
    /// The sentence for an error.
    #[must_use]
    pub fn explain(self, error: Error) -> impl fmt::Display + fmt::Debug + 'a {
        Explained { error, given: self }
    }
}

/// An error with what was given: `Display` writes the sentence.
#[derive(Clone, Copy, Debug)]
struct Explained<'a> {
    error: Error,
    given: Given<'a>,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, given } = self;
        match *error {
            Error::Bounds { parameter } | Error::Levels { parameter } => given.values(f, parameter as usize),
            Error::OutOfRange { parameter } => given.value(f, parameter as usize),
            Error::Condition { index } => given.condition(f, index as usize),
            Error::Clause { index } => given.clause(f, index as usize),
            Error::Forbidden { clause } => given.forbidden(f, clause as usize),
            Error::Name { parameter } => given.name(f, parameter as usize),
            Error::Space(what) => given.difference(f, what.part(), what.index() as usize),
            Error::NotFinite => match given.value {
                Some((value, variance)) if value.is_finite() => {
                    write!(f, "the variance is {variance}: it has to be finite and not negative")
                }
                Some((value, _)) => write!(f, "the value is {value}: it has to be finite"),
                None => error.fmt(f),
            },
            Error::Format { at } => {
                let read = &given.text[..at.min(given.text.len())];
                let line = 1 + read.iter().filter(|&&byte| byte == b'\n').count();
                let column = 1 + read.iter().rev().take_while(|&&byte| byte != b'\n').count();
                error.fmt(f)?;
                if given.text.is_empty() { Ok(()) } else { write!(f, ", line {line} column {column}") }
            }
            Error::Memory { .. } => {
                error.fmt(f)?;
                given.words.map_or(Ok(()), |words| write!(f, ", there are {}", words.len()))
            }
            Error::Shape { needed } if !given.point.is_empty() => {
                write!(f, "the point has {} values, the space has {needed} parameters", given.point.len())
            }
            Error::Foreign => match given.words {
                Some(words) => Header::describe(words).fmt(f),
                None => error.fmt(f),
            },
            Error::Full => match given.limits {
                Some(limits) => {
                    write!(f, "all {} trials that limits.trials allows have been used", limits.trials)
                }
                None => error.fmt(f),
            },
            Error::TooManyOpen => match given.limits {
                Some(limits) => write!(f, "{} trials are open, as many as limits.open allows", limits.open),
                None => error.fmt(f),
            },
            Error::StaleTrial => match given.trial {
                Some((id, Some(State::Queued))) => {
                    write!(f, "trial {} is queued: it was not asked for", id.to_bits())
                }
                Some((id, Some(State::Open))) => write!(f, "trial {} is open", id.to_bits()),
                Some((id, Some(State::Done))) => write!(f, "trial {} is told already", id.to_bits()),
                Some((id, Some(State::Failed))) => write!(f, "trial {} has failed already", id.to_bits()),
                Some((id, None)) => write!(f, "trial {} is unknown here, or was forgotten", id.to_bits()),
                None => error.fmt(f),
            },
            Error::Infeasible => match given.clauses.len() {
                0 => error.fmt(f),
                1 => f.write_str("every configuration is forbidden by the one clause"),
                count => write!(f, "every configuration is forbidden by one of the {count} clauses"),
            },
            Error::Limits(need) => match given.limit(need.limit()) {
                Some(given) => {
                    let (name, number) = (need.limit().name(), need.number());
                    let bound = if given < number { "least" } else { "most" };
                    write!(f, "the limit {name} is {given}, it has to be at {bound} {number}")
                }
                None => error.fmt(f),
            },
            Error::Dimensions(need) => match given.limit(need.limit()) {
                Some(given) if need.number() > 0 => {
                    write!(
                        f,
                        "the limit {} is {given}, the space needs {}",
                        need.limit().name(),
                        need.number()
                    )
                }
                Some(_) | None => error.fmt(f),
            },
            Error::Shape { .. }
            | Error::Corrupt
            | Error::Exhausted
            | Error::Kernel
            | Error::Theta { .. }
            | Error::NotPositiveDefinite { .. }
            | Error::NoData
            | Error::Config
            | Error::Backend
            | Error::Unsupported => error.fmt(f),
        }
    }
}

impl Given<'_> {
    fn limit(&self, limit: Limit) -> Option<u32> {
        self.limits.and_then(|limits| limits.get(limit))
    }

    fn difference(&self, f: &mut fmt::Formatter<'_>, part: Part, index: usize) -> fmt::Result {
        f.write_str("the block is over another space: ")?;
        match part {
            Part::Parameter => {
                self.parameter(f, index)?;
                f.write_str(" is ")?;
                self.kind(f, index)?;
                f.write_str(", in the block ")?;
                self.block_kind(f, index)
            }
            Part::Condition => {
                self.states(f, index)?;
                f.write_str(" is not the one of the block")
            }
            Part::Conditions => {
                self.parameter(f, index)?;
                f.write_str(" has more conditions in the block")
            }
            Part::Clause if index < self.clauses.len() => {
                self.forbids(f, index)?;
                f.write_str(" is not the one of the block")
            }
            Part::Clause => write!(f, "the block has a forbidden clause {index}"),
            Part::Impute => f.write_str("parameters that do not matter are imputed in another way"),
            Part::Name => {
                let name = self.block.and_then(|block| block.name(index));
                self.parameter(f, index)?;
                write!(f, " is called {} in the block", name.unwrap_or("nothing"))
            }
            Part::Labels => self.labels(f, index),
            Part::Names => f.write_str("a name or a label differs"),
        }
    }
}

#[cfg(test)]
mod tests;
