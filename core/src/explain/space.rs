//! Sentences about parameters, conditions and clauses.

use core::fmt::{self, Display, Formatter};

use super::Given;
use super::range::Number;
use crate::space::{Values, When};

impl Given<'_> {
    fn name_of(&self, parameter: usize) -> Option<&str> {
        let own = self.names.and_then(|names| names.name(parameter));
        own.or_else(|| self.block.and_then(|block| block.name(parameter))).filter(|name| !name.is_empty())
    }

    fn label_of(&self, parameter: usize, value: f64) -> Option<&str> {
        let whole = value >= 0.0 && value == libm::trunc(value);
        if !whole {
            return None;
        }
        let own = self.names.and_then(|names| names.label(parameter, value as usize));
        let own = own.filter(|label| !label.is_empty());
        // Without names of its own a space is that of the block.
        match self.names {
            Some(_) => own,
            None => self.block.and_then(|block| block.label(parameter, value as usize)),
        }
    }

    /// "parameter 2 (rate)".
    pub(super) fn parameter(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        write!(f, "parameter {parameter}")?;
        self.name_of(parameter).map_or(Ok(()), |name| write!(f, " ({name})"))
    }

    /// "rate", or "parameter 2" without a name.
    fn short(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        match self.name_of(parameter) {
            Some(name) => f.write_str(name),
            None => write!(f, "parameter {parameter}"),
        }
    }

    /// A value of a parameter: a category by its label.
    fn shown(&self, f: &mut Formatter<'_>, parameter: usize, value: f64) -> fmt::Result {
        match self.label_of(parameter, value) {
            Some(label) => f.write_str(label),
            None => Number(value).fmt(f),
        }
    }

    /// "a real from 0 to 1 on a log scale".
    pub(super) fn kind(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        let Some((values, log, default)) = self.params.get(parameter).map(|param| param.parts()) else {
            return f.write_str("not there");
        };
        write_values(f, values, log)?;
        default.map_or(Ok(()), |value| write!(f, " with default {}", Number(value)))
    }

    /// The same of the block.
    pub(super) fn block_kind(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        match self.block.and_then(|block| Some((block, block.values_of(parameter)?))) {
            Some((block, (values, log))) => {
                write_values(f, values, log)?;
                block
                    .default_value(parameter)
                    .map_or(Ok(()), |value| write!(f, " with default {}", Number(value)))
            }
            None => f.write_str("it is not there"),
        }
    }

    /// Why the values of a parameter make no sense.
    pub(super) fn values(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        self.parameter(f, parameter)?;
        f.write_str(" is ")?;
        self.kind(f, parameter)?;
        f.write_str(match self.params.get(parameter).map(|param| param.parts()) {
            Some((Values::Categorical(_), true, _)) => ": names have no log scale",
            Some((Values::Real(..), ..)) => ": bounds are finite and in order, on a log scale positive",
            Some((Values::Integer(..), ..)) => {
                ": bounds are whole, in order, within 2⁵³ (f32: 2²⁴), on a log scale positive"
            }
            Some((Values::Ordinal(_), ..)) => {
                ": there are two levels or more, finite and increasing in the scalar, on a log scale positive"
            }
            Some((Values::Categorical(_), ..)) => {
                ": there are two categories or more, a quarter of 2⁵³ (f32: 2²⁴) at most"
            }
            None => "",
        })
    }

    /// What a parameter takes, for a value that it does not.
    fn takes(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        let given = self.params.get(parameter).map(|param| param.parts());
        let block = || Some((self.block?.values_of(parameter)?, None));
        match given.map(|(values, log, default)| ((values, log), default)).or_else(block) {
            Some(((Values::Real(lo, hi), _), _)) => {
                write!(f, "numbers from {} to {}", Number(lo), Number(hi))
            }
            Some(((Values::Integer(lo, hi), _), _)) => write!(f, "whole numbers from {lo} to {hi}"),
            Some(((Values::Ordinal(levels), _), _)) => write_list(f, levels),
            Some(((Values::Categorical(count), _), _)) => {
                write!(f, "0 to {}", count.saturating_sub(1))?;
                let labels = (0..count.min(8)).map_while(|k| self.label_of(parameter, k.into()));
                for (k, label) in labels.enumerate() {
                    write!(f, "{}{label}", if k == 0 { " (" } else { ", " })?;
                }
                f.write_str(if self.label_of(parameter, 0.0).is_some() { ")" } else { "" })
            }
            None => f.write_str("nothing"),
        }
    }

    /// A coordinate or a default out of range.
    pub(super) fn value(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        let dims = self.block.map_or(self.params.len(), |block| block.dims());
        if parameter >= dims {
            return write!(
                f,
                "there is no parameter {parameter}: the last one is {}",
                dims.saturating_sub(1)
            );
        }
        self.parameter(f, parameter)?;
        let default = self.params.get(parameter).and_then(|param| param.parts().2);
        match (self.point.get(parameter), default) {
            (Some(value), _) => write!(f, " is {}: it takes ", Number(*value))?,
            (None, Some(default)) => write!(f, " has the default {}: it takes ", Number(default))?,
            (None, None) => f.write_str(" is out of range: it takes ")?,
        }
        self.takes(f, parameter)
    }

    fn when(&self, f: &mut Formatter<'_>, parameter: usize, when: When<'_>) -> fmt::Result {
        self.short(f, parameter)?;
        match when {
            When::Equals(value) => {
                f.write_str(" = ")?;
                self.shown(f, parameter, value)
            }
            When::Between(lo, hi) => write!(f, " from {} to {}", Number(lo), Number(hi)),
            When::In(values) => {
                f.write_str(" in {")?;
                for (k, &value) in values.iter().take(8).enumerate() {
                    f.write_str(if k == 0 { "" } else { ", " })?;
                    self.shown(f, parameter, value)?;
                }
                f.write_str(if values.len() > 8 { ", …}" } else { "}" })
            }
        }
    }

    /// "condition 1 (momentum if optimizer = sgd)".
    pub(super) fn states(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        write!(f, "condition {index}")?;
        let Some(c) = self.conditions.get(index) else { return Ok(()) };
        f.write_str(" (")?;
        self.short(f, c.child as usize)?;
        f.write_str(if c.or { " or if " } else { " if " })?;
        self.when(f, c.parent as usize, c.when)?;
        f.write_str(")")
    }

    pub(super) fn condition(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        self.states(f, index)?;
        let Some(c) = self.conditions.get(index) else { return f.write_str(" is invalid") };
        let (parent, child, dims) = (c.parent as usize, c.child as usize, self.params.len());
        if child >= dims || parent >= dims {
            return write!(
                f,
                ": there is no parameter {}, the last one is {}",
                child.max(parent),
                dims.saturating_sub(1)
            );
        }
        if parent >= child {
            return f.write_str(": the parent has to stand before the child");
        }
        if self.params[parent].suits(parent as u32, c.when) {
            let first = self.conditions.iter().position(|other| other.child == c.child) == Some(index);
            return f.write_str(match c.or && first {
                true => ": there is no condition that it is an alternative to",
                false => ": with the other conditions it never holds",
            });
        }
        f.write_str(": the parent takes ")?;
        self.takes(f, parent)
    }

    /// "clause 1 (optimizer = sgd and rate from 0.1 to 1)".
    pub(super) fn forbids(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        write!(f, "forbidden clause {index}")?;
        let Some(clause) = self.clauses.get(index) else { return Ok(()) };
        for (k, term) in clause.terms.iter().enumerate() {
            f.write_str(if k == 0 { " (" } else { " and " })?;
            self.when(f, term.parameter as usize, term.when)?;
        }
        f.write_str(if clause.terms.is_empty() { "" } else { ")" })
    }

    pub(super) fn clause(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        self.forbids(f, index)?;
        let Some(clause) = self.clauses.get(index) else { return f.write_str(" is invalid") };
        if clause.terms.is_empty() {
            return f.write_str(" has no terms");
        }
        let dims = self.params.len();
        for (k, term) in clause.terms.iter().enumerate() {
            let parameter = term.parameter as usize;
            if parameter >= dims {
                return write!(
                    f,
                    ": there is no parameter {parameter}, the last one is {}",
                    dims.saturating_sub(1)
                );
            }
            if clause.terms[..k].iter().any(|other| other.parameter == term.parameter) {
                f.write_str(": ")?;
                self.parameter(f, parameter)?;
                return f.write_str(" is named twice");
            }
            if !self.params[parameter].suits(term.parameter, term.when) {
                f.write_str(": ")?;
                self.parameter(f, parameter)?;
                f.write_str(" takes ")?;
                return self.takes(f, parameter);
            }
        }
        f.write_str(" is invalid")
    }

    pub(super) fn forbidden(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        f.write_str("the point is forbidden by ")?;
        self.forbids(f, index)
    }

    pub(super) fn name(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        self.parameter(f, parameter)?;
        let name = self.name_of(parameter);
        match (0..parameter).find(|&i| name.is_some() && self.name_of(i) == name) {
            Some(other) => write!(f, " has the name of parameter {other}"),
            None => f.write_str(" has a label twice, or a zero byte in its name or a label"),
        }
    }

    /// The first label that is another one in the block.
    pub(super) fn labels(&self, f: &mut Formatter<'_>, parameter: usize) -> fmt::Result {
        self.parameter(f, parameter)?;
        let in_block = |k: usize| self.block.and_then(|block| block.label(parameter, k));
        let own = |k: usize| self.label_of(parameter, k as f64);
        let count = match self.params.get(parameter).map(|param| param.parts().0) {
            Some(Values::Categorical(count)) => count as usize,
            Some(Values::Real(..) | Values::Integer(..) | Values::Ordinal(_)) | None => 0,
        };
        match (0..count).find(|&k| own(k) != in_block(k)) {
            Some(k) => {
                let (own, other) = (own(k).unwrap_or("nothing"), in_block(k).unwrap_or("nothing"));
                write!(f, ": category {k} is called {own}, in the block {other}")
            }
            None => f.write_str(" has other labels"),
        }
    }
}

fn write_values(f: &mut Formatter<'_>, values: Values<'_>, log: bool) -> fmt::Result {
    match values {
        Values::Real(lo, hi) => write!(f, "a real from {} to {}", Number(lo), Number(hi))?,
        Values::Integer(lo, hi) => write!(f, "an integer from {lo} to {hi}")?,
        Values::Ordinal(levels) => {
            f.write_str("an ordinal of ")?;
            write_list(f, levels)?;
        }
        Values::Categorical(count) => write!(f, "a category of {count} values")?,
    }
    f.write_str(if log { " on a log scale" } else { "" })
}

/// Some of the levels.
fn write_list(f: &mut Formatter<'_>, levels: &[f64]) -> fmt::Result {
    write!(f, "{} levels", levels.len())?;
    for (k, level) in levels.iter().take(8).enumerate() {
        write!(f, "{}{}", if k == 0 { " " } else { ", " }, Number(*level))?;
    }
    f.write_str(if levels.len() > 8 { ", …" } else { "" })
}
