//! What a document forbids, and the same as clauses of a space.

use alloc::vec;
use alloc::vec::Vec;

use super::formula::{Part, Set, place};
use super::parameter::{Parameter, Sort};
use crate::error::Error;
use serde_json::{Value, json};

/// A combination of values that a document forbids.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Forbidden {
    /// A parameter's value.
    Equals {
        /// The parameter's place in the document.
        parameter: usize,
        /// The value.
        value: Value,
    },
    /// Some of a parameter's values.
    In {
        /// The parameter's place in the document.
        parameter: usize,
        /// The values.
        values: Vec<Value>,
    },
    /// All of these together.
    And(Vec<Forbidden>),
    /// Two parameters' values stand in this order.
    Relation {
        /// The first parameter's place in the document.
        left: usize,
        /// The second parameter's place.
        right: usize,
        /// The order of the values.
        order: core::cmp::Ordering,
    },
}

/// Values of the first parameter of a relation, each of which becomes a clause.
const VALUES: u64 = 1024;

impl Forbidden {
    /// The combination of an object; `None` if it is none.
    pub(super) fn read(object: &Value, parameters: &[Parameter]) -> Option<Self> {
        use core::cmp::Ordering::{Equal, Greater, Less};
        let find = |key: &str| place(parameters, object.get(key)?.as_str()?);
        let known = |parameter: usize, value: &Value| parameters[parameter].code(value).is_some();
        Some(match object.get("type")?.as_str()? {
            "EQUALS" => {
                let (parameter, value) = (find("name")?, object.get("value")?.clone());
                known(parameter, &value).then_some(Self::Equals { parameter, value })?
            }
            "IN" => {
                let (parameter, values) = (find("name")?, object.get("values")?.as_array()?);
                let sound = !values.is_empty() && values.iter().all(|value| known(parameter, value));
                sound.then(|| Self::In { parameter, values: values.clone() })?
            }
            "AND" => {
                let parts = object.get("clauses")?.as_array()?;
                let parts =
                    parts.iter().map(|part| Self::read(part, parameters)).collect::<Option<Vec<_>>>()?;
                (!parts.is_empty()).then_some(Self::And(parts))?
            }
            sort if sort.starts_with("RELATION") => {
                // Older documents name the order in a field of its own.
                let order = match sort {
                    "RELATION" => object.get("lambda")?.as_str()?,
                    other => other.strip_prefix("RELATION_")?,
                };
                let order = match order {
                    "LT" | "LESS" => Less,
                    "EQ" | "EQUALS" => Equal,
                    "GT" | "GREATER" => Greater,
                    _ => return None,
                };
                Self::Relation { left: find("left")?, right: find("right")?, order }
            }
            _ => return None,
        })
    }

    /// The object of the combination.
    pub(super) fn write(&self, parameters: &[Parameter]) -> Value {
        let name = |place: usize| parameters.get(place).map_or("", |parameter| &parameter.name);
        match self {
            Self::Equals { parameter, value } => {
                json!({"type": "EQUALS", "name": name(*parameter), "value": value})
            }
            Self::In { parameter, values } => {
                json!({"type": "IN", "name": name(*parameter), "values": values})
            }
            Self::And(parts) => {
                let parts: Vec<Value> = parts.iter().map(|part| part.write(parameters)).collect();
                json!({"type": "AND", "clauses": parts})
            }
            Self::Relation { left, right, order } => {
                let order = match order {
                    core::cmp::Ordering::Less => "RELATION_LT",
                    core::cmp::Ordering::Equal => "RELATION_EQ",
                    core::cmp::Ordering::Greater => "RELATION_GT",
                };
                json!({"type": order, "left": name(*left), "right": name(*right)})
            }
        }
    }

    /// Appends the clauses that forbid the same.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for relations that are no finite number of clauses, or stand beside other terms;
    /// [`Error::Infeasible`] for what constants alone fulfil.
    pub(super) fn clauses(&self, parameters: &[Parameter], out: &mut Vec<Vec<Part>>) -> Result<(), Error> {
        if let Self::Relation { left, right, order } = *self {
            return relation(&parameters[left], &parameters[right], (left, right, order), out);
        }
        let mut terms = Vec::new();
        if !self.terms(parameters, &mut terms)? {
            return Ok(());
        }
        Error::Infeasible.when(terms.is_empty())?;
        out.push(terms);
        Ok(())
    }

    /// Appends the terms; false if a constant never fulfils one of them.
    fn terms(&self, parameters: &[Parameter], out: &mut Vec<Part>) -> Result<bool, Error> {
        let (parameter, codes) = match self {
            Self::And(parts) => {
                for part in parts {
                    if !part.terms(parameters, out)? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            Self::Relation { .. } => return Err(Error::Unsupported),
            Self::Equals { parameter, value } => {
                (*parameter, parameters[*parameter].code(value).into_iter().collect())
            }
            Self::In { parameter, values } => {
                let known = &parameters[*parameter];
                (*parameter, values.iter().filter_map(|value| known.code(value)).collect::<Vec<_>>())
            }
        };
        if parameters[parameter].only().is_some() {
            return Ok(codes.contains(&parameters[parameter].ends().0));
        }
        let set = if let [code] = codes[..] { Set::Between(code, code) } else { Set::In(codes) };
        out.push(Part { parameter, set });
        Ok(true)
    }
}

/// A clause for each value of the first parameter, with the values of the second that stand in that order to it.
fn relation(
    left: &Parameter,
    right: &Parameter,
    (first, second, order): (usize, usize, core::cmp::Ordering),
    out: &mut Vec<Vec<Part>>,
) -> Result<(), Error> {
    // Values of lists are compared by their place only if the lists are the same.
    let comparable = match &left.sort {
        Sort::Integer { .. } => matches!(right.sort, Sort::Integer { .. } | Sort::Float { .. }),
        Sort::Ordinal(values) => matches!(&right.sort, Sort::Ordinal(others) if values == others),
        Sort::Categorical(values) => {
            order.is_eq() && matches!(&right.sort, Sort::Categorical(others) if values == others)
        }
        Sort::Constant(_) | Sort::Float { .. } => false,
    };
    let ((lo, hi), (least, most)) = (left.ends(), right.ends());
    if !comparable || left.only().is_some() || right.only().is_some() || hi - lo >= VALUES as f64 {
        return Err(Error::Unsupported);
    }
    let whole = !matches!(right.sort, Sort::Float { .. });
    for step in 0..=(hi - lo) as u64 {
        let value = lo + step as f64;
        let (above, below) =
            if whole { (value + 1.0, value - 1.0) } else { (value.next_up(), value.next_down()) };
        // Forbidden: left < right, so that right is above the value of left; and so on.
        let (from, to) = match order {
            core::cmp::Ordering::Less => (above.max(least), most),
            core::cmp::Ordering::Equal => (value.max(least), value.min(most)),
            core::cmp::Ordering::Greater => (least, below.min(most)),
        };
        if from <= to {
            out.push(vec![
                Part { parameter: first, set: Set::Between(value, value) },
                Part { parameter: second, set: Set::Between(from, to) },
            ]);
        }
    }
    Ok(())
}
