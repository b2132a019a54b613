//! A document of a space that was written in Rust or C.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::forbidden::Forbidden;
use super::formula::{Formula, Test};
use super::parameter::{Law, Parameter, Sort};
use super::{Document, Value};
use crate::error::Error;
use crate::space::{Space, Values, When};

impl Document {
    /// The document of a space; parameters without a name are called `x0`, `x1`, … by their number.
    ///
    /// Categories are the whole numbers from 0. A parameter without default gets one: the middle of a range, the first of
    /// a list. Imputation is no part of a document.
    ///
    /// # Errors
    /// [`Error::Bounds`] for a name that is there twice; [`Error::Unsupported`] for a forbidden range of a real or of
    /// more than 4,096 values, which the format has no word for.
    ///
    /// ```
    /// use infill::configspace::Document;
    /// use infill::{Condition, Param, Space, When};
    /// let params = [Param::categorical(3), Param::real(0.0, 1.0)];
    /// let conditions = [Condition::new(1, 0, When::In(&[0.0, 2.0]))];
    /// let document = Document::of(&Space::new(&params, &conditions)?, &["kind"])?;
    /// assert_eq!(document.names(), ["kind", "x1"]);
    /// assert_eq!(Document::read(&document.write())?, document);
    /// # Ok::<(), infill::Error>(())
    /// ```
    pub fn of(space: &Space<'_>, names: &[&str]) -> Result<Self, Error> {
        let (params, rules, clauses, _) = space.parts();
        let mut parameters: Vec<Parameter> = Vec::new();
        for (i, param) in params.iter().enumerate() {
            let name = names.get(i).map_or_else(|| unnamed(i), |name| String::from(*name));
            Error::Bounds { parameter: i as u32 }
                .when(super::formula::place(&parameters, &name).is_some())?;
            let (values, log, default_value) = param.parts();
            let sort = match values {
                Values::Real(lo, hi) => Sort::Float { lo, hi, log },
                Values::Integer(lo, hi) => Sort::Integer { lo, hi, log },
                Values::Ordinal(levels) => Sort::Ordinal(levels.iter().map(|&v| Value::from(v)).collect()),
                Values::Categorical(count) => {
                    Sort::Categorical((0..i64::from(count)).map(Value::from).collect())
                }
            };
            let mut parameter =
                Parameter { name, sort, default_value: None, law: Law::Uniform, meta: Value::Null };
            // The readers of the format want a default.
            let default_value = default_value.map(|value| spelt(&parameter, value));
            parameter.default_value =
                Some(default_value.unwrap_or_else(|| parameter.value(parameter.middle())));
            parameters.push(parameter);
        }
        let mut conditions: Vec<(usize, Formula)> = Vec::new();
        for child in 0..parameters.len() {
            let mut all: Vec<Vec<Formula>> = Vec::new();
            for condition in rules.iter().filter(|condition| condition.child as usize == child) {
                let parent = condition.parent as usize;
                let formula = tests(&parameters[parent], parent, condition.when);
                match all.last_mut() {
                    Some(either) if condition.or => either.push(formula),
                    _ => all.push(vec![formula]),
                }
            }
            if !all.is_empty() {
                let all = all.into_iter().map(|either| joined(either, Formula::Or)).collect();
                conditions.push((child, joined(all, Formula::And)));
            }
        }
        let mut forbidden = Vec::new();
        for clause in clauses {
            let mut parts = Vec::new();
            for term in clause.terms {
                let parameter = term.parameter as usize;
                parts.push(forbids(&parameters[parameter], parameter, term.when)?);
            }
            forbidden.push(joined(parts, Forbidden::And));
        }
        Self::new(Value::Null, parameters, conditions, forbidden)
    }
}

fn unnamed(number: usize) -> String {
    let mut name = String::from("x");
    name.push_str(&number.to_string());
    name
}

/// One of several as itself.
fn joined<T>(mut parts: Vec<T>, all: fn(Vec<T>) -> T) -> T {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            all(parts)
        }
        None => all(parts),
    }
}

/// A value in user units of a space, as the document spells it.
fn spelt(parameter: &Parameter, value: f64) -> Value {
    match &parameter.sort {
        Sort::Integer { .. } | Sort::Categorical(_) => Value::from(value as i64),
        Sort::Constant(_) | Sort::Float { .. } | Sort::Ordinal(_) => Value::from(value),
    }
}

/// The test that a parent's values are among these.
fn tests(parameter: &Parameter, parent: usize, when: When<'_>) -> Formula {
    let test = |test: Test| Formula::Test { parent, test };
    match when {
        When::Equals(value) => test(Test::Equals(spelt(parameter, value))),
        When::In(values) => test(Test::In(values.iter().map(|&value| spelt(parameter, value)).collect())),
        When::Between(lo, hi) => match &parameter.sort {
            Sort::Ordinal(values) | Sort::Categorical(values) => {
                let inside = |value: &&Value| value.as_f64().is_some_and(|v| (lo..=hi).contains(&v));
                test(Test::In(values.iter().filter(inside).cloned().collect()))
            }
            Sort::Integer { .. } => {
                let (below, above) = (libm::ceil(lo) - 1.0, libm::floor(hi) + 1.0);
                let bounds =
                    [Test::Greater(Value::from(below as i64)), Test::Less(Value::from(above as i64))];
                Formula::And(bounds.into_iter().map(test).collect())
            }
            Sort::Constant(_) | Sort::Float { .. } => {
                let bounds =
                    [Test::Greater(Value::from(lo.next_down())), Test::Less(Value::from(hi.next_up()))];
                Formula::And(bounds.into_iter().map(test).collect())
            }
        },
    }
}

/// Values of a range that are written out at most.
const LISTED: usize = 4096;

fn forbids(sort: &Parameter, parameter: usize, when: When<'_>) -> Result<Forbidden, Error> {
    let listed = |values: Vec<Value>| Ok(Forbidden::In { parameter, values });
    match when {
        When::Equals(value) => Ok(Forbidden::Equals { parameter, value: spelt(sort, value) }),
        When::In(values) => listed(values.iter().map(|&value| spelt(sort, value)).collect()),
        When::Between(lo, hi) => match &sort.sort {
            Sort::Ordinal(values) | Sort::Categorical(values) => {
                let inside = |value: &&Value| value.as_f64().is_some_and(|v| (lo..=hi).contains(&v));
                listed(values.iter().filter(inside).cloned().collect())
            }
            Sort::Integer { lo: least, hi: most, .. } => {
                let (first, last) =
                    ((libm::ceil(lo) as i64).max(*least), (libm::floor(hi) as i64).min(*most));
                let count = last.saturating_sub(first);
                Error::Unsupported.when(count >= LISTED as i64)?;
                listed((first..=last).map(Value::from).collect())
            }
            Sort::Constant(_) | Sort::Float { .. } => Err(Error::Unsupported),
        },
    }
}
