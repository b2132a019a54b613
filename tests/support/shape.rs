//! What the parameters of a C function are for, by which it becomes one of C++ and one of Python.
//!
//! The rules are the conventions of the header: a handle first; `const double *x, size_t dims` are numbers, two sizes behind
//! them rows; what is not `const` is written, `name[size]` in the comment says how much where no size follows;
//! `char *, size_t, size_t *` is a text that is written; a comment with "name = 0" has a default, one with
//! "name is an infill_kind" a choice, and "Nothing to give:" the statuses that are no errors.

use crate::declarations::{Declarations, Function};
use crate::texts::Texts;

/// One or more parameters in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The object whose function it is.
    Itself,
    /// Who does the arithmetic, or nobody.
    Backend,
    /// A number, or a choice if there is an enumeration, and what may be left out.
    Given { name: String, kind: String, choice: Option<String>, default: Option<String> },
    /// A structure that is read.
    Data { name: String, structure: String, default: bool },
    /// Arrays of doubles of one size.
    Numbers { names: Vec<String>, size: String },
    /// An array of doubles in rows of `dims`.
    Rows { name: String, rows: String, dims: String },
    /// A text with its length, or one that ends with a zero.
    Text { name: String, length: bool },
    /// A number or structure that is written.
    Value { name: String, kind: String },
    /// An array that is written; its size is a parameter too where it `follows`.
    Array { name: String, kind: String, size: String, follows: bool },
    /// An array that is written and of no use afterwards.
    Scratch { name: String, size: String },
    /// A text that is written: its place, the room there and its length.
    Written,
    /// Memory that the caller lends.
    Memory,
    /// The handle of an object that is made.
    Made,
}

/// A function by the rules.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name in C.
    pub name: String,
    /// The kind of what it returns, as [`Declarations`] spells it.
    pub result: String,
    pub parts: Vec<Part>,
    /// Whether the object is only read.
    pub looks: bool,
    /// What it does, without its errors.
    pub text: String,
    /// The statuses that say that there is nothing to give.
    pub nothing: Vec<String>,
}

impl Shape {
    /// The shape of a function of an owner, or of nobody if that is empty; none if the rules do not cover it.
    pub fn of(all: &Declarations, texts: &Texts, function: &Function, owner: &str) -> Option<Self> {
        let ((result, name), parameters) = function;
        let doc = texts.get(name);
        let mut parts = Vec::new();
        let mut place = 0;
        let at = |place: usize| parameters.get(place).map(|(kind, name)| (kind.as_str(), name.as_str()));
        let sized = |place| at(place).is_some_and(|(kind, _)| kind == "size_t");
        while let Some((kind, parameter)) = at(place) {
            let read = texts.is_read(name, place);
            let default = default(doc, parameter);
            let inner = kind.trim_end_matches('*');
            let structure = all.structures.iter().any(|(name, _)| name == &format!("infill_{inner}"));
            let own = parameter.to_string();
            let (part, taken) = match (kind, read) {
                _ if place == 0 && !owner.is_empty() && inner == owner => (Part::Itself, 1),
                ("backend*", false) => (Part::Backend, 1),
                ("double*", true) => {
                    let more = (place..).take_while(|next| {
                        at(*next).is_some_and(|(kind, _)| kind == "double*") && texts.is_read(name, *next)
                    });
                    let names: Vec<_> = more.filter_map(at).map(|(_, name)| name.to_string()).collect();
                    let size = place + names.len();
                    if !sized(size) {
                        return None;
                    }
                    let (count, size) = (at(size)?.1.to_string(), size + 1);
                    match at(size).filter(|_| names.len() == 1 && sized(size)) {
                        Some((_, dims)) => (Part::Rows { name: own, rows: count, dims: dims.into() }, 3),
                        None => (Part::Numbers { size: count, names }, size - place),
                    }
                }
                ("char*", true) => {
                    let length = sized(place + 1);
                    (Part::Text { name: own, length }, 1 + usize::from(length))
                }
                ("char*", false) if sized(place + 1) && at(place + 2)?.0 == "size_t*" => (Part::Written, 3),
                ("void*", false) if sized(place + 1) => (Part::Memory, 2),
                (_, false) if made(all, kind).is_some() => (Part::Made, 1),
                (_, true) if made(all, &format!("{kind}*")).is_some() => {
                    let kind = format!("const infill_{inner} *");
                    (Part::Given { name: own, kind, choice: None, default: None }, 1)
                }
                (_, true) if structure => {
                    (Part::Data { name: own, structure: inner.to_string(), default: default.is_some() }, 1)
                }
                (_, false) if kind.len() == inner.len() && NUMBERS.contains(&kind) => {
                    let default = default.or_else(|| (parameter == "seed").then(|| "0".to_string()));
                    let declared = texts.kind(&format!("{name}.{parameter}"));
                    let typed =
                        all.numbers.iter().find(|(name, _)| name == declared).map(|(name, _)| name.clone());
                    let choice = typed.or_else(|| choice(doc, &format!("{parameter} is an infill_")));
                    (Part::Given { name: own, kind: kind.to_string(), choice, default }, 1)
                }
                (_, false) if kind.len() == inner.len() + 1 && (structure || NUMBERS.contains(&inner)) => {
                    let kind = inner.to_string();
                    let spoken = format!(" {doc}");
                    let size = spoken.split(&format!(" {parameter}[")).nth(1);
                    let size = size.and_then(|rest| rest.split_once(']'));
                    match size {
                        _ if sized(place + 1) => {
                            let size = at(place + 1)?.1.to_string();
                            (Part::Array { name: own, kind, size, follows: true }, 2)
                        }
                        Some((size, rest)) if rest.starts_with(" is scratch") => {
                            (Part::Scratch { name: own, size: size.to_string() }, 1)
                        }
                        Some((size, _)) => {
                            (Part::Array { name: own, kind, size: size.to_string(), follows: false }, 1)
                        }
                        None => (Part::Value { name: own, kind }, 1),
                    }
                }
                _ => return None,
            };
            parts.push(part);
            place += taken;
        }
        let (text, nothing) = said(doc);
        Some(Self {
            looks: texts.is_read(name, 0),
            name: name.clone(),
            result: result.clone(),
            parts,
            text,
            nothing,
        })
    }

    /// What is written: names and parts.
    pub fn outputs(&self) -> Vec<(&str, &Part)> {
        let outputs = self.parts.iter().filter_map(|part| match part {
            Part::Value { name, .. } | Part::Array { name, .. } => Some((name.as_str(), part)),
            Part::Written => Some(("text", part)),
            _ => None,
        });
        outputs.collect()
    }

    /// Whether it makes an object.
    pub fn makes(&self) -> bool {
        self.parts.contains(&Part::Made)
    }

    /// Whether it can fail.
    pub fn fails(&self) -> bool {
        self.result == "status"
    }

    /// Whether it returns 1 or 0 for yes or no.
    pub fn is_truth(&self) -> bool {
        self.result == "uint32" && self.text.starts_with("1 if ")
    }
}

/// The handle that a parameter of this kind gives.
pub fn made<'a>(all: &Declarations, kind: &'a str) -> Option<&'a str> {
    let handle = kind.strip_suffix("**").filter(|inner| !NUMBERS.contains(inner) && *inner != "char")?;
    (!all.structures.iter().any(|(name, _)| name == &format!("infill_{handle}"))).then_some(handle)
}

/// What is passed by value.
pub const NUMBERS: [&str; 8] = ["double", "int32", "int64", "uint16", "uint32", "uint64", "trial", "size_t"];

/// What a comment says to be the usual value of a parameter.
fn default(doc: &str, parameter: &str) -> Option<String> {
    let value = doc.split(&format!("{parameter} = ")).nth(1)?.split([' ', ',', ';', ')']).next()?;
    let value = value.trim_end_matches('.');
    let known = value == "NULL" || value.starts_with("INFILL_") || value.parse::<f64>().is_ok();
    known.then(|| value.to_string())
}

/// The enumeration whose name goes on after these words.
pub fn choice(doc: &str, words: &str) -> Option<String> {
    let rest = doc.split(words).nth(1)?;
    let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
    Some(format!("infill_{}", &rest[..end.unwrap_or(rest.len())]))
}

/// What a comment says before its errors, "Nothing" when there is none to give, and the statuses for that.
fn said(doc: &str) -> (String, Vec<String>) {
    let text = doc.split("Errors:").next().unwrap_or_default().trim();
    let (text, when) = text.split_once("Nothing to give:").unwrap_or((text, ""));
    let is_status = |word: &&str| word.starts_with("INFILL_");
    let nothing = when.split([' ', ',']).filter(is_status).map(str::to_string).collect();
    let when: Vec<_> = when.split(' ').filter(|word| !is_status(word) && *word != "or").collect();
    let when = if when.len() > 1 { format!("Nothing{}", when.join(" ")) } else { String::new() };
    // What is only of use to those who call C.
    let idle = |sentence: &&str| !sentence.contains("0 for NULL") && !sentence.contains("bytes and a zero");
    let text = text.trim().trim_end_matches('.').split(". ").filter(idle).collect::<Vec<_>>().join(". ");
    let text = format!("{text}{} {when}", if text.ends_with(')') || text.is_empty() { "" } else { "." });
    (text.trim().to_string(), nothing)
}
