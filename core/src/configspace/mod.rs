//! Spaces as JSON documents in the form of Python's ConfigSpace, the convention of SMAC and auto-sklearn.
//!
//! ```text
//! text ── read ──▶ Document (names, formulas) ── with_space ──▶ Space (numbers, conditions, clauses)
//! text ◀── write ──                            ◀── of ──
//! ```
//!
//! The present keys are read and the older ones (`default`, `probabilities`, `unparametrized`, `RELATION` with a
//! `lambda`); the present ones are written. A quantum `q` is passed over, as the present reader of the format does.

mod configuration;
mod explain;
mod forbidden;
mod formula;
mod json;
mod of;
mod parameter;

pub use parameter::{Parameter, Sort};
pub use serde_json::Value;

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::json;

use crate::error::Error;
use crate::space::{Clause, Condition, Param, Space, Term};
use forbidden::Forbidden;
use formula::{Formula, Part};

/// The version of the format that is written.
const VERSION: f64 = 0.4;

/// A space with names, as a document describes it.
///
/// Parameters with but one value are constants: they are part of configurations, but not of the space. Categories and
/// the values of ordinals are numbered from 0 in the space, in the order of the document.
///
/// ```
/// use infill::configspace::Document;
/// let text = r#"{"name": "tree", "hyperparameters": [
///     {"name": "kind", "type": "categorical", "choices": ["forest", "boosted"], "default_value": "forest"},
///     {"name": "rate", "type": "uniform_float", "lower": 0.001, "upper": 1.0, "log": true, "default_value": 0.1}],
///     "conditions": [{"child": "rate", "parent": "kind", "type": "EQ", "value": "boosted"}],
///     "forbiddens": []}"#;
/// let document = Document::read(text)?;
/// assert_eq!(document.names(), ["kind", "rate"]);
/// assert_eq!(document.with_space(|space| Ok((space.dims(), space.conditions())))?, (2, 1));
/// assert_eq!(Document::read(&document.write())?, document);
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    name: Value,
    parameters: Vec<Parameter>,
    /// Children and what switches them on, in the order of the document.
    conditions: Vec<(usize, Formula)>,
    forbidden: Vec<Forbidden>,
    /// For each parameter of the space its place in the document: parents before children.
    order: Vec<usize>,
    /// For each condition of the space its child and part, and whether it is an alternative to the one before.
    rules: Vec<(usize, Part, bool)>,
    /// For each clause of the space its terms.
    clauses: Vec<Vec<Part>>,
}

impl Document {
    /// The document of a text.
    ///
    /// # Errors
    /// [`Error::Format`] for what is no JSON, or no such document (at byte 0); [`Error::Bounds`] for a parameter that
    /// makes no sense or has the name of another; [`Error::Condition`] for a condition that names unknown parameters or
    /// values, closes a circle, or never holds; [`Error::Clause`] for such a clause; [`Error::Infeasible`] if nothing is
    /// left; [`Error::Unsupported`] for distributions without bounds and relations between reals; [`Error::Limits`] for
    /// formulas of thousands of alternatives.
    pub fn read(text: &str) -> Result<Self, Error> {
        let root = json::read(text)?;
        let list = |key: &str| match root.get(key) {
            // Older documents leave empty lists out.
            None | Some(Value::Null) if key != "hyperparameters" => Ok(&[][..]),
            found => found.and_then(Value::as_array).map(Vec::as_slice).ok_or(Error::Format { at: 0 }),
        };
        let mut parameters: Vec<Parameter> = Vec::new();
        for (i, object) in list("hyperparameters")?.iter().enumerate() {
            let wrong = Error::Bounds { parameter: i as u32 };
            let parameter = Parameter::read(object)?.ok_or(wrong)?;
            if formula::place(&parameters, &parameter.name).is_some() {
                return Err(wrong);
            }
            parameters.push(parameter);
        }
        let mut conditions = Vec::new();
        for (index, object) in list("conditions")?.iter().enumerate() {
            let wrong = Error::Condition { index: index as u32 };
            conditions.push(Formula::read(object, &parameters).ok_or(wrong)?);
        }
        let mut forbidden = Vec::new();
        for (index, object) in list("forbiddens")?.iter().enumerate() {
            let wrong = Error::Clause { index: index as u32 };
            forbidden.push(Forbidden::read(object, &parameters).ok_or(wrong)?);
        }
        let name = root.get("name").cloned().unwrap_or(Value::Null);
        Self::new(name, parameters, conditions, forbidden)
    }

    fn new(
        name: Value,
        parameters: Vec<Parameter>,
        conditions: Vec<(usize, Formula)>,
        forbidden: Vec<Forbidden>,
    ) -> Result<Self, Error> {
        let (order, rules, clauses) = (Vec::new(), Vec::new(), Vec::new());
        let mut document = Self { name, parameters, conditions, forbidden, order, rules, clauses };
        document.order = document.sorted()?;
        for (index, (child, formula)) in document.conditions.iter().enumerate() {
            for either in formula.alternatives(&document)? {
                Error::Condition { index: index as u32 }.when(either.is_empty())?;
                if document.parameters[*child].only().is_none() {
                    let parts = either.into_iter().enumerate();
                    document.rules.extend(parts.map(|(i, part)| (*child, part, i > 0)));
                }
            }
        }
        let mut clauses = Vec::new();
        for forbidden in &document.forbidden {
            forbidden.clauses(&document.parameters, &mut clauses)?;
        }
        document.clauses = clauses;
        document.with_space(|_| Ok(()))?;
        Ok(document)
    }

    /// The text of the document, on one line.
    #[must_use]
    pub fn write(&self) -> String {
        let conditions = self.conditions.iter();
        let conditions = conditions.map(|(child, formula)| formula.write(*child, &self.parameters));
        let forbidden = self.forbidden.iter().map(|forbidden| forbidden.write(&self.parameters));
        json!({
            "name": self.name,
            "hyperparameters": self.parameters.iter().map(Parameter::write).collect::<Vec<_>>(),
            "conditions": conditions.collect::<Vec<_>>(),
            "forbiddens": forbidden.collect::<Vec<_>>(),
            "format_version": VERSION,
        })
        .to_string()
    }

    /// The parameters of the document in its order, constants among them.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// For each parameter of the space its place in [`Document::parameters`]; a parent stands before its children.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The names of the parameters of the space.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.order.iter().map(|&place| self.parameters[place].name.as_str()).collect()
    }

    /// Runs something with the space of the document.
    ///
    /// # Errors
    /// What `run` reports; [`Error::Dimensions`] for a document of constants only, and as [`Document::read`].
    pub fn with_space<T>(&self, run: impl FnOnce(&Space<'_>) -> Result<T, Error>) -> Result<T, Error> {
        self.with_parts(|params, conditions, clauses| run(&Space::new(params, conditions)?.forbid(clauses)?))
    }

    /// Runs something with what the space of the document is made of.
    pub fn with_parts<T>(&self, run: impl FnOnce(&[Param<'_>], &[Condition<'_>], &[Clause<'_>]) -> T) -> T {
        let params: Vec<_> = self.order.iter().map(|&place| self.parameters[place].param()).collect();
        let mut numbers = vec![u32::MAX; self.parameters.len()];
        for (number, &place) in self.order.iter().enumerate() {
            numbers[place] = number as u32;
        }
        let conditions: Vec<_> = self
            .rules
            .iter()
            .map(|(child, part, or)| {
                let condition = Condition::new(numbers[*child], numbers[part.parameter], part.set.when());
                if *or { condition.or() } else { condition }
            })
            .collect();
        let terms: Vec<Vec<_>> = self
            .clauses
            .iter()
            .map(|parts| {
                let numbered = parts.iter().map(|part| (numbers[part.parameter], part.set.when()));
                numbered.map(|(parameter, when)| Term { parameter, when }).collect()
            })
            .collect();
        let clauses: Vec<_> = terms.iter().map(|terms| Clause { terms }).collect();
        run(&params, &conditions, &clauses)
    }

    /// The parameters of the space, each behind its parents, otherwise in the order of the document.
    fn sorted(&self) -> Result<Vec<usize>, Error> {
        let count = self.parameters.len();
        let mut parents = vec![Vec::new(); count];
        for (child, formula) in &self.conditions {
            formula.parents(&mut |parent| parents[*child].push(parent));
        }
        let mut placed = vec![false; count];
        let mut order = Vec::new();
        for _ in 0..count {
            let ready = |place: usize| parents[place].iter().all(|&parent: &usize| placed[parent]);
            let Some(next) = (0..count).find(|&place| !placed[place] && ready(place)) else {
                let stuck = self.conditions.iter().position(|(child, _)| !placed[*child]).unwrap_or(0);
                return Err(Error::Condition { index: stuck as u32 });
            };
            placed[next] = true;
            order.push(next);
        }
        order.retain(|&place| self.parameters[place].only().is_none());
        Ok(order)
    }
}

#[cfg(test)]
mod tests;
