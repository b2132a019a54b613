//! Why a document is refused: the line, the hyperparameter, and the reason.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::Document;
use super::parameter::Parameter;
use crate::error::Error;

/// An entry of a list of a document, and the line where it begins.
struct Entry {
    line: usize,
    value: Value,
}

/// The entries of a list; nothing where the document has none.
fn entries(text: &str, list: &str) -> Vec<Entry> {
    let root: BTreeMap<&str, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    let raw: Vec<&RawValue> =
        root.get(list).and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default();
    let entry = |raw: &RawValue| {
        let before = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        let line = 1 + text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count();
        Entry { line, value: raw.get().parse().unwrap_or(Value::Null) }
    };
    raw.into_iter().map(entry).collect()
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("without a name")
}

impl Document {
    /// The error for which a document is refused, and a sentence with the line, the hyperparameter and the reason; nothing for a
    /// document that is accepted.
    ///
    /// ```
    /// use infill::configspace::Document;
    /// let text = r#"{"hyperparameters": [
    ///     {"name": "rate", "type": "uniform_float", "lower": 0.1, "upper": 0.01}
    /// ]}"#;
    /// let (_, sentence) = Document::explain(text).unwrap();
    /// assert_eq!(sentence, "line 2, hyperparameter rate: lower is 0.1 and upper 0.01: a uniform_float has lower < upper, above \
    ///     0 with log, a default_value between them, and a name of its own");
    /// ```
    #[must_use]
    pub fn explain(text: &str) -> Option<(Error, String)> {
        let error = Self::read(text).err()?;
        let parameters = entries(text, "hyperparameters");
        let at_fault = || {
            let twice = |i: usize| {
                let name = |i: usize| parameters[i].value.get("name");
                name(i).is_some() && (0..i).any(|k| name(k) == name(i))
            };
            let refused =
                |i: &usize| !matches!(Parameter::read(&parameters[*i].value), Ok(Some(_))) || twice(*i);
            (0..parameters.len()).find(refused).map(|i| &parameters[i])
        };
        let numbered = |list: &str, kind: &str, index: u32| {
            let place = index as usize;
            let entry = entries(text, list).into_iter().nth(place)?;
            let child = entry.value.get("child").or(entry.value.get("name")).and_then(Value::as_str);
            let on = child.map_or(String::new(), |child| format!(" on {child}"));
            Some(format!("line {}, {kind} {index}{on}", entry.line))
        };
        let sentence = match error {
            Error::Bounds { .. } | Error::Levels { .. } | Error::OutOfRange { .. } | Error::Unsupported => {
                at_fault().map(|entry| {
                    let name = text_of(&entry.value, "name");
                    format!("line {}, hyperparameter {name}: {}", entry.line, reason(&entry.value))
                })
            }
            Error::Condition { index } => numbered("conditions", "condition", index).map(|place| {
                format!(
                    "{place}: it names unknown hyperparameters or values, closes a circle, or never holds"
                )
            }),
            Error::Clause { index } => numbered("forbiddens", "forbidden clause", index)
                .map(|place| format!("{place}: it names unknown hyperparameters or values, or one twice")),
            Error::Format { at: 0 } if text.parse::<Value>().is_ok() => {
                Some("line 1: a document is an object with a list of hyperparameters".to_string())
            }
            Error::Format { at } => {
                let read = text.get(..at).unwrap_or(text);
                let column = 1 + read.rfind('\n').map_or(at, |end| at - end - 1);
                Some(format!("line {}, column {column}: this is no JSON", 1 + read.matches('\n').count()))
            }
            Error::Memory { .. }
            | Error::Limits(_)
            | Error::Foreign
            | Error::Corrupt
            | Error::Full
            | Error::TooManyOpen
            | Error::StaleTrial
            | Error::NotFinite
            | Error::Exhausted
            | Error::Shape { .. }
            | Error::Dimensions(_)
            | Error::Kernel
            | Error::Theta { .. }
            | Error::NotPositiveDefinite { .. }
            | Error::NoData
            | Error::Config
            | Error::Backend
            | Error::Forbidden { .. }
            | Error::Infeasible
            | Error::Space(_)
            | Error::Name { .. } => None,
        };
        Some((error, sentence.unwrap_or_else(|| error.to_string())))
    }
}

/// What is given and what may be, by the type of a hyperparameter.
fn reason(entry: &Value) -> String {
    let shown = |key: &str| entry.get(key).map_or("missing".to_string(), Value::to_string);
    let kind = text_of(entry, "type");
    match kind {
        "uniform_float" | "uniform_int" | "normal_float" | "normal_int" | "beta_float" | "beta_int" => {
            format!(
                "lower is {} and upper {}: a {kind} has lower < upper, above 0 with log, a default_value between them, and a name \
             of its own",
                shown("lower"),
                shown("upper")
            )
        }
        "categorical" => format!(
            "choices are {}: they are two or more and all different, with the default_value among them, and the name is its own",
            shown("choices")
        ),
        "ordinal" => format!(
            "sequence is {}: its values are two or more and all different, with the default_value among them, and the name is \
             its own",
            shown("sequence")
        ),
        "constant" | "unparametrized" => {
            format!("value is {}: a constant has one, and a name of its own", shown("value"))
        }
        _ => format!(
            "type is {}: it is one of uniform, normal and beta with _float or _int, categorical, ordinal and constant",
            shown("type")
        ),
    }
}
