//! A parameter as a document describes it, and the numbers that stand for its values in a space.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::json::{integer, same};
use crate::error::Error;
use crate::space::Param;

/// A named parameter of a [`Document`](super::Document).
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The values it takes.
    pub sort: Sort,
    /// Its default value.
    pub default_value: Option<Value>,
    /// How the document would have it drawn; kept, but a space draws evenly.
    pub(super) law: Law,
    /// What else the document says of it.
    pub(super) meta: Value,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Sort {
    /// One value.
    Constant(Value),
    /// Every number from `lo` to `hi`.
    Float {
        /// The least.
        lo: f64,
        /// The largest.
        hi: f64,
        /// Whether it is even in its exponent.
        log: bool,
    },
    /// Every whole number from `lo` to `hi`.
    Integer {
        /// The least.
        lo: i64,
        /// The largest.
        hi: i64,
        /// Whether it is even in its exponent.
        log: bool,
    },
    /// Values in their order.
    Ordinal(Vec<Value>),
    /// Values without order.
    Categorical(Vec<Value>),
}

/// How a document would have a parameter drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Law {
    /// Evenly on its scale.
    Uniform,
    /// A normal distribution, cut at the bounds.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        sd: f64,
    },
    /// A beta distribution between the bounds.
    Beta {
        /// Its first shape.
        alpha: f64,
        /// Its second shape.
        beta: f64,
    },
    /// A weight for each category.
    Weights(Vec<f64>),
}

impl Parameter {
    /// The parameter that an object describes; `None` if it describes none.
    pub(super) fn read(object: &Value) -> Result<Option<Self>, Error> {
        Ok(match Self::parse(object) {
            // Without bounds nothing says how far it may go.
            None if is_unbounded(object) => return Err(Error::Unsupported),
            found => found,
        })
    }

    fn parse(object: &Value) -> Option<Self> {
        let name = String::from(object.get("name")?.as_str()?);
        let sort = object.get("type")?.as_str()?;
        let log = matches!(object.get("log"), Some(Value::Bool(true)));
        let (mut law, family) = (Law::Uniform, sort.split('_').next()?);
        let number = |key: &str| object.get(key)?.as_f64();
        if family == "normal" {
            law = Law::Normal { mean: number("mu")?, sd: number("sigma")? };
        } else if family == "beta" {
            law = Law::Beta { alpha: number("alpha")?, beta: number("beta")? };
        }
        let sort = match sort {
            "constant" | "unparametrized" => Sort::Constant(object.get("value")?.clone()),
            "uniform_float" | "normal_float" | "beta_float" => {
                Sort::Float { lo: number("lower")?, hi: number("upper")?, log }
            }
            "uniform_int" | "normal_int" | "beta_int" => {
                let whole = |key: &str| integer(object.get(key)?);
                Sort::Integer { lo: whole("lower")?, hi: whole("upper")?, log }
            }
            "ordinal" => Sort::Ordinal(distinct(object.get("sequence")?)?),
            "categorical" => {
                // Older documents call the weights probabilities.
                let weights = object.get("weights").or(object.get("probabilities"));
                if let Some(weights) = weights.and_then(Value::as_array) {
                    law = Law::Weights(weights.iter().map(Value::as_f64).collect::<Option<_>>()?);
                }
                Sort::Categorical(distinct(object.get("choices")?)?)
            }
            _ => return None,
        };
        // Older documents say `default`.
        let default_value = object.get("default_value").or(object.get("default"));
        let default_value = default_value.filter(|value| **value != Value::Null).cloned();
        let meta = object.get("meta").cloned().unwrap_or(Value::Null);
        let parameter = Self { name, sort, default_value, law, meta };
        parameter.is_sound().then_some(parameter)
    }

    fn is_sound(&self) -> bool {
        let default_value = self.default_value.as_ref().is_none_or(|value| self.code(value).is_some());
        let weights = match &self.law {
            Law::Weights(weights) => {
                !matches!(&self.sort, Sort::Categorical(choices) if choices.len() != weights.len())
            }
            Law::Uniform | Law::Normal { .. } | Law::Beta { .. } => true,
        };
        let values = match &self.sort {
            Sort::Constant(_) => true,
            Sort::Float { lo, hi, .. } => lo <= hi,
            Sort::Integer { lo, hi, .. } => lo <= hi,
            Sort::Ordinal(values) | Sort::Categorical(values) => {
                !values.is_empty() && u32::try_from(values.len()).is_ok()
            }
        };
        default_value && weights && values
    }

    /// The object that describes it, in the words of the present format.
    pub(super) fn write(&self) -> Value {
        let mut object = json!({"type": null, "name": self.name});
        let mut add = |key: &str, value: Value| object[key] = value;
        let family = match self.law {
            Law::Normal { mean, sd } => {
                add("mu", mean.into());
                add("sigma", sd.into());
                "normal"
            }
            Law::Beta { alpha, beta } => {
                add("alpha", alpha.into());
                add("beta", beta.into());
                "beta"
            }
            Law::Uniform | Law::Weights(_) => "uniform",
        };
        let mut bounds = |lo: Value, hi: Value, log: bool| {
            add("lower", lo);
            add("upper", hi);
            add("log", log.into());
        };
        let sort = match &self.sort {
            Sort::Constant(value) => {
                add("value", value.clone());
                "constant".into()
            }
            Sort::Float { lo, hi, log } => {
                bounds((*lo).into(), (*hi).into(), *log);
                [family, "_float"].concat()
            }
            Sort::Integer { lo, hi, log } => {
                bounds((*lo).into(), (*hi).into(), *log);
                [family, "_int"].concat()
            }
            Sort::Ordinal(values) => {
                add("sequence", values.clone().into());
                "ordinal".into()
            }
            Sort::Categorical(values) => {
                add("choices", values.clone().into());
                add(
                    "weights",
                    if let Law::Weights(weights) = &self.law { json!(weights) } else { Value::Null },
                );
                "categorical".into()
            }
        };
        if !matches!(self.sort, Sort::Constant(_)) {
            // The readers of the format want one.
            let default_value = self.default_value.clone().unwrap_or_else(|| self.value(self.middle()));
            add("default_value", default_value);
        }
        add("meta", self.meta.clone());
        add("type", Value::String(sort));
        object
    }

    /// Its only value, if it has but one: no parameter of a space then.
    pub(crate) fn only(&self) -> Option<Value> {
        match &self.sort {
            Sort::Constant(value) => Some(value.clone()),
            Sort::Float { lo, hi, .. } => (lo == hi).then_some(Value::from(*lo)),
            Sort::Integer { lo, hi, .. } => (lo == hi).then_some(Value::from(*lo)),
            Sort::Ordinal(values) | Sort::Categorical(values) => {
                if let [value] = values.as_slice() {
                    Some(value.clone())
                } else {
                    None
                }
            }
        }
    }

    /// The number that stands for a value in a space: itself, or its place in the list.
    #[must_use]
    pub fn code(&self, value: &Value) -> Option<f64> {
        match &self.sort {
            Sort::Constant(only) => same(value, only).then_some(0.0),
            Sort::Float { lo, hi, .. } => value.as_f64().filter(|x| (*lo..=*hi).contains(x)),
            Sort::Integer { lo, hi, .. } => {
                integer(value).filter(|v| (*lo..=*hi).contains(v)).map(|v| v as f64)
            }
            Sort::Ordinal(values) | Sort::Categorical(values) => {
                values.iter().position(|known| same(known, value)).map(|place| place as f64)
            }
        }
    }

    /// The value that a number of a space stands for; the nearest one for a number that stands for none.
    pub(crate) fn value(&self, code: f64) -> Value {
        match &self.sort {
            Sort::Constant(only) => only.clone(),
            Sort::Float { lo, hi, .. } => Value::from(code.max(*lo).min(*hi)),
            Sort::Integer { lo, hi, .. } => Value::from((libm::round(code) as i64).max(*lo).min(*hi)),
            Sort::Ordinal(values) | Sort::Categorical(values) => {
                let place = (libm::round(code).max(0.0) as usize).min(values.len().saturating_sub(1));
                values.get(place).cloned().unwrap_or(Value::Null)
            }
        }
    }

    /// The coordinate of a number in the vectors of Python's ConfigSpace.
    ///
    /// ```text
    /// number   (x − lo)/(hi − lo), or that of the logarithms     list   its place     constant   1
    /// ```
    pub(crate) fn coordinate(&self, code: f64) -> f64 {
        // Neither ratios nor differences of bounds at both ends of the range are in it.
        let part = |lo: f64, hi: f64, log: bool| {
            if log {
                let far = !(hi / lo).is_finite();
                let above = |v: f64| if far { libm::log(v) - libm::log(lo) } else { libm::log(v / lo) };
                above(code) / above(hi)
            } else {
                let scale = if (hi - lo).is_finite() { 1.0 } else { 0.5 };
                (code * scale - lo * scale) / (hi * scale - lo * scale)
            }
        };
        match self.sort {
            Sort::Constant(_) => 1.0,
            Sort::Float { lo, hi, log } => part(lo, hi, log),
            Sort::Integer { lo, hi, log } => part(lo as f64, hi as f64, log),
            Sort::Ordinal(_) | Sort::Categorical(_) => code,
        }
    }

    /// The parameter of a space that stands for it.
    pub(super) fn param(&self) -> Param<'static> {
        let param = match &self.sort {
            Sort::Float { lo, hi, log } => scaled(Param::real(*lo, *hi), *log),
            Sort::Integer { lo, hi, log } => scaled(Param::integer(*lo, *hi), *log),
            Sort::Ordinal(values) => Param::integer(0, values.len() as i64 - 1),
            Sort::Categorical(values) => Param::categorical(values.len() as u32),
            Sort::Constant(_) => Param::categorical(1),
        };
        match self.default_value.as_ref().and_then(|value| self.code(value)) {
            Some(code) => param.default_value(code),
            None => param,
        }
    }

    /// The least and largest number that stands for a value.
    pub(super) fn ends(&self) -> (f64, f64) {
        match &self.sort {
            Sort::Constant(_) => (0.0, 0.0),
            Sort::Float { lo, hi, .. } => (*lo, *hi),
            Sort::Integer { lo, hi, .. } => (*lo as f64, *hi as f64),
            Sort::Ordinal(values) | Sort::Categorical(values) => (0.0, values.len() as f64 - 1.0),
        }
    }

    /// The number that stands for the default of a parameter that was given none.
    pub(super) fn middle(&self) -> f64 {
        let (lo, hi) = self.ends();
        match self.sort {
            Sort::Float { log: true, .. } => libm::sqrt(lo) * libm::sqrt(hi),
            Sort::Integer { log: true, .. } => libm::round(libm::sqrt(lo) * libm::sqrt(hi)),
            Sort::Float { .. } => 0.5 * lo + 0.5 * hi,
            Sort::Integer { .. } => libm::floor(0.5 * lo + 0.5 * hi),
            // The first of a list, as the format has it.
            Sort::Constant(_) | Sort::Ordinal(_) | Sort::Categorical(_) => 0.0,
        }
    }
}

fn scaled(param: Param<'static>, log: bool) -> Param<'static> {
    if log { param.log() } else { param }
}

/// The elements of a list, if no two are the same.
fn distinct(list: &Value) -> Option<Vec<Value>> {
    let values = list.as_array()?;
    let repeats = |(i, value): (usize, &Value)| values[..i].iter().any(|earlier| same(earlier, value));
    (!values.iter().enumerate().any(repeats)).then(|| values.clone())
}

/// Whether an object describes a normal or beta distribution that goes on for ever.
fn is_unbounded(object: &Value) -> bool {
    let sort = object.get("type").and_then(Value::as_str).unwrap_or("");
    let open = |key: &str| matches!(object.get(key), None | Some(Value::Null));
    (sort.starts_with("normal_") || sort.starts_with("beta_")) && (open("lower") || open("upper"))
}
