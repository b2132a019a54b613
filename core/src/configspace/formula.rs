//! When a parameter matters, as a document says it, and the same as conditions of a space.

use alloc::vec;
use alloc::vec::Vec;

use super::Document;
use super::parameter::{Parameter, Sort};
use crate::error::Error;
use crate::limits::Limit;
use crate::space::When;
use serde_json::{Value, json};

/// A formula of tests on parents.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    /// All hold.
    And(Vec<Formula>),
    /// One holds.
    Or(Vec<Formula>),
    /// The parent matters and its value passes.
    Test {
        /// The parent's place in the document.
        parent: usize,
        /// What its value has to pass.
        test: Test,
    },
}

/// What a value has to pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// `EQ`
    Equals(Value),
    /// `NEQ`
    Differs(Value),
    /// `LT`
    Less(Value),
    /// `GT`
    Greater(Value),
    /// `IN`
    In(Vec<Value>),
}

/// A part of the numbers of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    /// The parameter's place in the document.
    pub(super) parameter: usize,
    pub(super) set: Set,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Set {
    Between(f64, f64),
    In(Vec<f64>),
}

impl Set {
    pub(super) fn when(&self) -> When<'_> {
        match self {
            Self::Between(lo, hi) if lo == hi => When::Equals(*lo),
            Self::Between(lo, hi) => When::Between(*lo, *hi),
            Self::In(values) => When::In(values),
        }
    }

    pub(super) fn holds(&self, code: f64) -> bool {
        match self {
            Self::Between(lo, hi) => (*lo..=*hi).contains(&code),
            Self::In(values) => values.contains(&code),
        }
    }
}

/// Alternatives, all of which have to be met: an empty list of alternatives never is.
pub(super) type Alternatives = Vec<Vec<Part>>;

/// Parts in the alternatives of one formula: distributing *or* over *and* may double them at each step.
const PARTS: usize = 4096;
/// How deep constants may stand behind constants.
const DEPTH: usize = 16;

impl Formula {
    /// The formula of an object, with its child; `None` if it is none.
    pub(super) fn read(object: &Value, parameters: &[Parameter]) -> Option<(usize, Self)> {
        let find = |key: &str| place(parameters, object.get(key)?.as_str()?);
        let child = find("child")?;
        let sort = object.get("type")?.as_str()?;
        if matches!(sort, "AND" | "OR") {
            let mut parts = Vec::new();
            for part in object.get("conditions")?.as_array()? {
                let (same, part) = Self::read(part, parameters)?;
                if same != child {
                    return None;
                }
                parts.push(part);
            }
            let formula = if sort == "AND" { Self::And(parts) } else { Self::Or(parts) };
            return Some((child, formula));
        }
        let value = || object.get("value").cloned();
        let test = match sort {
            "EQ" => Test::Equals(value()?),
            "NEQ" => Test::Differs(value()?),
            "LT" => Test::Less(value()?),
            "GT" => Test::Greater(value()?),
            "IN" => Test::In(object.get("values")?.as_array()?.clone()),
            _ => return None,
        };
        let parent = find("parent")?;
        test.parts(&parameters[parent])?;
        Some((child, Self::Test { parent, test }))
    }

    /// The object of the formula.
    pub(super) fn write(&self, child: usize, parameters: &[Parameter]) -> Value {
        let name = |place: usize| parameters.get(place).map_or("", |parameter| &parameter.name);
        let all = |key: &str, parts: &[Self]| {
            let parts: Vec<Value> = parts.iter().map(|part| part.write(child, parameters)).collect();
            json!({"type": key, "child": name(child), "conditions": parts})
        };
        match self {
            Self::And(parts) => all("AND", parts),
            Self::Or(parts) => all("OR", parts),
            Self::Test { parent, test } => {
                let one = |key: &str, values: &str, value: Value| json!({"type": key, "child": name(child), "parent": name(*parent), values: value});
                match test {
                    Test::Equals(value) => one("EQ", "value", value.clone()),
                    Test::Differs(value) => one("NEQ", "value", value.clone()),
                    Test::Less(value) => one("LT", "value", value.clone()),
                    Test::Greater(value) => one("GT", "value", value.clone()),
                    Test::In(values) => one("IN", "values", values.clone().into()),
                }
            }
        }
    }

    /// Calls with every parent.
    pub(super) fn parents(&self, see: &mut dyn FnMut(usize)) {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.parents(see)),
            Self::Test { parent, .. } => see(*parent),
        }
    }

    /// The formula as alternatives that all have to be met.
    ///
    /// ```text
    /// ⋀ᵢ ⋁ⱼ tᵢⱼ:   (A ∧ B) ∨ C = (A ∨ C) ∧ (B ∨ C)
    /// ```
    ///
    /// A test on a constant becomes what switches the constant on, or nothing.
    pub(super) fn alternatives(&self, document: &Document) -> Result<Alternatives, Error> {
        self.expand(document, DEPTH)
    }

    fn expand(&self, document: &Document, depth: usize) -> Result<Alternatives, Error> {
        let never = || vec![Vec::new()];
        let mut met = match self {
            Self::And(parts) => {
                let mut met = Vec::new();
                for part in parts {
                    met.extend(part.expand(document, depth)?);
                }
                met
            }
            Self::Or(parts) => {
                let mut met = never();
                for part in parts {
                    let right = part.expand(document, depth)?;
                    let mut both = Vec::new();
                    for left in &met {
                        for right in &right {
                            both.push(left.iter().chain(right).cloned().collect());
                        }
                    }
                    met = both;
                    bounded(&met)?;
                }
                met
            }
            Self::Test { parent, test } => {
                let parameter = document.parameters.get(*parent).ok_or(Error::Unsupported)?;
                // Every test was tried when it was read.
                let sets = test.parts(parameter).ok_or(Error::Unsupported)?;
                if parameter.only().is_none() {
                    vec![sets.into_iter().map(|set| Part { parameter: *parent, set }).collect()]
                } else if sets.iter().any(|set| set.holds(parameter.ends().0)) {
                    let depth = depth.checked_sub(1).ok_or(Error::Unsupported)?;
                    let own = document.conditions.iter().filter(|(child, _)| child == parent);
                    Self::And(own.map(|(_, formula)| formula.clone()).collect()).expand(document, depth)?
                } else {
                    never()
                }
            }
        };
        if met.iter().any(Vec::is_empty) {
            met = never();
        }
        bounded(&met)?;
        Ok(met)
    }
}

impl Test {
    /// The numbers that pass, as alternatives; `None` if the test makes no sense for the parameter.
    fn parts(&self, parameter: &Parameter) -> Option<Vec<Set>> {
        let (lo, hi) = parameter.ends();
        let between = |lo: f64, hi: f64| if lo <= hi { Some(Set::Between(lo, hi)) } else { None };
        let whole = !matches!(parameter.sort, Sort::Float { .. });
        let above = |x: f64| if whole { libm::floor(x) + 1.0 } else { x.next_up() };
        let below = |x: f64| if whole { libm::ceil(x) - 1.0 } else { x.next_down() };
        // A bound may lie between the values, or beyond them.
        let bound = |value: &Value| match parameter.sort {
            Sort::Float { .. } | Sort::Integer { .. } => value.as_f64(),
            Sort::Ordinal(_) | Sort::Constant(_) => parameter.code(value),
            Sort::Categorical(_) => None,
        };
        Some(match self {
            Self::Equals(value) => {
                let code = parameter.code(value)?;
                vec![Set::Between(code, code)]
            }
            Self::In(values) => {
                let codes: Vec<f64> = values.iter().map(|v| parameter.code(v)).collect::<Option<_>>()?;
                if codes.is_empty() {
                    return None;
                }
                vec![Set::In(codes)]
            }
            Self::Differs(value) => {
                let code = parameter.code(value)?;
                if matches!(parameter.sort, Sort::Categorical(_)) {
                    let others: Vec<f64> =
                        (0..=hi as u32).map(f64::from).filter(|&other| other != code).collect();
                    if others.is_empty() { Vec::new() } else { vec![Set::In(others)] }
                } else {
                    between(lo, below(code)).into_iter().chain(between(above(code), hi)).collect()
                }
            }
            Self::Less(value) => between(lo, below(bound(value)?).min(hi)).into_iter().collect(),
            Self::Greater(value) => between(above(bound(value)?).max(lo), hi).into_iter().collect(),
        })
    }
}

/// The place of a name.
pub(super) fn place(parameters: &[Parameter], name: &str) -> Option<usize> {
    parameters.iter().position(|parameter| parameter.name == name)
}

fn bounded(met: &Alternatives) -> Result<(), Error> {
    let parts = met.iter().map(|either| either.len().max(1)).sum::<usize>();
    Limit::Conditions.at_most(parts, PARTS)
}
