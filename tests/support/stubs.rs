//! The modules of `ffi/python/infill` that follow from `infill.h`: `_header.py`, `_keywords.py`, `_statuses.py`, `calls.py`.
//!
//! A C function that nothing by hand calls becomes one of Python by the rules of [`crate::shape`].

mod calls;

use std::fmt::Write;

use crate::declarations::{Declarations, Function, Named};
use crate::shape::choice;
use crate::texts::Texts;

/// The most letters of a line.
const WIDTH: usize = 118;

/// Fields that have a parameter of their own beside the keywords.
const APART: [(&str, &[&str]); 2] = [("race_rules", &["configs", "runs"]), ("frace_plan", &["budget"])];

/// The package and what it follows from.
#[derive(Debug)]
pub struct Python<'a> {
    all: &'a Declarations,
    texts: Texts,
    /// The modules written by hand.
    hand: Vec<String>,
}

impl<'a> Python<'a> {
    /// The modules written by hand, beside `infill.h`.
    pub fn new(header: &str, all: &'a Declarations, hand: Vec<String>) -> Self {
        Self { all, texts: Texts::of(header), hand }
    }

    /// The generated modules by their names.
    pub fn modules(&self) -> [(&'static str, String); 4] {
        [
            ("_header.py", self.header()),
            ("_keywords.py", self.keywords()),
            ("_statuses.py", self.statuses()),
            ("calls.py", self.calls()),
        ]
    }

    /// Numbers, structures and functions for ctypes.
    fn header(&self) -> String {
        let mut text = String::from(
            "\"\"\"infill.h for ctypes, by its names without the prefix. Written by tests/header.rs.\"\"\"\n\n\
             import ctypes\n\
             from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint16, c_uint32\n\
             from ctypes import c_uint64, c_void_p\nfrom typing import Any, Dict\n\n\
             doubles = POINTER(c_double)\n\n",
        );
        let mut prefixes = Vec::new();
        for (name, members) in &self.all.numbers {
            let (prefix, own) = spelling(name, members);
            text += &remark(self.texts.get(name));
            let item = |(name, number): &(String, i64)| format!("\"{}\": {number}", &name[prefix.len()..]);
            text += &list(
                &format!("{own}: Dict[str, int] = {{"),
                &members.iter().map(item).collect::<Vec<_>>(),
                "}",
            );
            text += "\n";
            prefixes.push((bare(prefix), own));
        }
        text += "#: Every number, by the prefix of its name.\n";
        let mut whole: Vec<(String, Vec<String>)> = Vec::new();
        for (prefix, own) in prefixes {
            match whole.iter_mut().find(|(known, _)| *known == prefix) {
                Some((_, names)) => names.push(own),
                None => whole.push((prefix, vec![own])),
            }
        }
        let joined = |names: &[String]| match names {
            [one] => one.clone(),
            all => {
                format!("{{{}}}", all.iter().map(|name| format!("**{name}")).collect::<Vec<_>>().join(", "))
            }
        };
        let items: Vec<_> =
            whole.iter().map(|(prefix, names)| format!("\"{prefix}\": {}", joined(names))).collect();
        text += &list("NUMBERS: Dict[str, Dict[str, int]] = {", &items, "}");
        let mut calls = self.all.calls.iter().collect::<Vec<_>>();
        for (name, fields) in self.nested() {
            // What it calls back, and what takes only what was declared before.
            calls.retain(|call| {
                let own = fields.iter().any(|(kind, _)| *kind == call.0.1);
                if own {
                    text += &self.call(call);
                }
                !own
            });
            text += &self.ctypes_structure(name, fields);
        }
        calls.into_iter().for_each(|call| text += &self.call(call));
        text += "\n\n#: Every structure by its name in C.\n";
        let pair = |(name, _): &(String, _)| format!("\"{name}\": {}", title(name));
        let items: Vec<_> = self.all.structures.iter().map(pair).collect();
        text += &list("STRUCTURES: Dict[str, Any] = {", &items, "}");
        text += "\n#: The fields of structures that are choices, which go by words.\n";
        text += "WORDS: Dict[Any, Dict[str, Dict[str, int]]] = {\n";
        for (name, fields) in &self.all.structures {
            let word = |(_, field): &(String, String)| {
                Some(format!("\"{field}\": {}", self.choices(&format!("{name}.{field}"))?))
            };
            let words: Vec<_> = fields.iter().filter_map(word).collect();
            if !words.is_empty() {
                text += &list(&format!("    {}: {{", title(name)), &words, "},");
            }
        }
        text += "}\n";
        let (checked, plain): (Vec<_>, Vec<_>) =
            self.all.functions.iter().partition(|one| one.0.0 == "status");
        text += "\n#: The functions that return a status, and their parameters.\n";
        let item = |((_, name), parameters): &&Function| {
            format!("\"{}\": [{}]", short(name), self.kinds(parameters))
        };
        text += &list("CHECKED: Dict[str, Any] = {", &checked.iter().map(item).collect::<Vec<_>>(), "}");
        text += "\n#: Those that return something else, and their parameters.\n";
        let item = |((result, name), parameters): &&Function| {
            format!("\"{}\": ({}, [{}])", short(name), self.ctype(result), self.kinds(parameters))
        };
        text += &list("PLAIN: Dict[str, Any] = {", &plain.iter().map(item).collect::<Vec<_>>(), "}");
        text
    }

    /// The structures, each behind those that its fields hold or point to.
    fn nested(&self) -> Vec<&(String, Vec<Named>)> {
        let mut waiting: Vec<_> = self.all.structures.iter().collect();
        let mut sorted = Vec::new();
        while !waiting.is_empty() {
            let known =
                |kind: &str| waiting.iter().all(|(name, _)| short(name) != kind.trim_end_matches('*'));
            let next = waiting.iter().position(|(_, fields)| fields.iter().all(|(kind, _)| known(kind)));
            sorted.push(waiting.remove(next.expect("no structure holds itself")));
        }
        sorted
    }

    fn call(&self, ((result, name), parameters): &Function) -> String {
        let mut text = format!("\n\n{}", remark(self.texts.get(&format!("infill_{name}"))));
        let kinds = [self.ctype(result), self.kinds(parameters)].join(", ");
        writeln!(text, "{} = ctypes.CFUNCTYPE({kinds})", title(name)).expect("a string grows");
        text
    }

    fn ctypes_structure(&self, name: &str, fields: &[(String, String)]) -> String {
        let mut text = format!("\n\nclass {}(Structure):\n", title(name));
        let doc = self.texts.get(name).split(" Threads:").next().unwrap_or_default();
        text += &docstring("    ", doc);
        let item = |(kind, field): &(String, String)| match field.trim_end_matches(']').split_once('[') {
            Some((field, count)) => format!("(\"{field}\", {} * {count})", self.ctype(kind)),
            None => format!("(\"{field}\", {})", self.ctype(kind)),
        };
        text += "\n";
        text += &list("    _fields_ = [", &fields.iter().map(item).collect::<Vec<_>>(), "]");
        for (kind, field) in fields {
            let field = field.split('[').next().expect("a name");
            text += &format!("    {field}: {}\n", python_kind(kind));
        }
        text
    }

    /// The statuses by their names, which `infill` has as its own.
    fn statuses(&self) -> String {
        let mut text = String::from("\"\"\"The numbers of Error.code. Written by tests/header.rs.\"\"\"\n\n");
        let (_, members) =
            self.all.numbers.iter().find(|(name, _)| name == "infill_status").expect("the statuses");
        for (name, number) in members.iter().filter(|(name, _)| name != "INFILL_OK") {
            text += &remark(self.texts.get(name));
            text += &format!("{} = {number}\n", bare(name));
        }
        text
    }

    /// What the settings of structures are called, of which types, and what they mean.
    fn keywords(&self) -> String {
        let mut text = String::from(
            "\"\"\"The keywords of settings, for those who check types. Written by tests/header.rs.\"\"\"\n\n\
             from typing import TYPE_CHECKING, Any, Literal, TypedDict\n\nif TYPE_CHECKING:\n    from .kernels import Kernel\n",
        );
        let filled = |name: &str| {
            let fills = |((_, function), parameters): &Function| {
                function.ends_with("_default") && parameters[0].0 == format!("{}*", short(name))
            };
            name == "infill_limits" || self.all.functions.iter().any(fills)
        };
        for (name, fields) in self.nested().into_iter().filter(|(name, _)| filled(name)) {
            write!(text, "\n\nclass {}Keywords(TypedDict, total=False):\n", title(name))
                .expect("a string grows");
            text += &docstring("    ", &format!("The settings of {name}."));
            text += "\n";
            let apart =
                APART.iter().find(|(own, _)| *own == short(name)).map_or(&[][..], |(_, fields)| fields);
            for (kind, field) in fields.iter().filter(|(_, field)| !apart.contains(&field.as_str())) {
                let words = self.choice_of(&format!("{name}.{field}"));
                let kind = match (kind.as_str(), words) {
                    _ if field == "size" || field.ends_with("reserved") => continue,
                    // Python takes the name of a parameter, too.
                    _ if field == "strategy_parameter" => "Any".to_string(),
                    (_, Some(choices)) => {
                        let (_, members) =
                            self.all.numbers.iter().find(|(own, _)| *own == choices).expect("it is there");
                        let (prefix, _) = spelling(&choices, members);
                        let word = |(name, _): &(String, i64)| {
                            format!("\"{}\"", name[prefix.len()..].to_lowercase())
                        };
                        format!("Literal[{}]", members.iter().map(word).collect::<Vec<_>>().join(", "))
                    }
                    ("kernel*", _) => "\"Kernel\"".to_string(),
                    ("limits", _) => "LimitsKeywords".to_string(),
                    ("char*", _) => "str".to_string(),
                    ("double", _) => "float".to_string(),
                    (kind, _) if kind.ends_with('*') => continue,
                    _ => "int".to_string(),
                };
                let doc = self.texts.get(&format!("{name}.{field}"));
                text += &indented(&remark(doc));
                text += &match kind.strip_prefix("Literal[") {
                    Some(words) => {
                        let words: Vec<_> =
                            words.trim_end_matches(']').split(", ").map(str::to_string).collect();
                        list(&format!("    {field}: Literal["), &words, "]")
                    }
                    None => format!("    {field}: {kind}\n"),
                };
            }
            if name == "infill_config" {
                text += "    #: One of infill.presets(), of which the other settings are changes.\n    preset: str\n";
            }
        }
        text
    }

    /// The enumeration of which a field is a choice.
    fn choice_of(&self, field: &str) -> Option<String> {
        let own = self.texts.kind(field);
        if let Some((name, _)) = self.all.numbers.iter().find(|(name, _)| name == own) {
            return Some(name.clone());
        }
        let doc = self.texts.get(field);
        ["An infill_", ", an infill_"].iter().find_map(|words| choice(doc, words))
    }

    fn choices(&self, field: &str) -> Option<String> {
        let name = self.choice_of(field)?;
        let (_, members) = self.all.numbers.iter().find(|(own, _)| *own == name)?;
        Some(spelling(&name, members).1)
    }

    fn kinds(&self, parameters: &[(String, String)]) -> String {
        parameters.iter().map(|(kind, _)| self.ctype(kind)).collect::<Vec<_>>().join(", ")
    }

    /// A type of the header for ctypes; what is only declared is a handle.
    fn ctype(&self, kind: &str) -> String {
        match kind {
            "void" => "None".to_string(),
            "char*" => "c_char_p".to_string(),
            "void*" => "c_void_p".to_string(),
            "double*" => "doubles".to_string(),
            "trial" => "c_uint64".to_string(),
            "status" => "c_int32".to_string(),
            "double" | "int32" | "int64" | "uint16" | "uint32" | "uint64" | "size_t" => format!("c_{kind}"),
            _ => {
                let structure = self.all.structures.iter().any(|(name, _)| short(name) == kind);
                if structure || self.all.calls.iter().any(|((_, name), _)| short(name) == kind) {
                    return title(kind);
                }
                let inner =
                    kind.strip_suffix('*').unwrap_or_else(|| panic!("a type that is new here: {kind}"));
                let known = inner.ends_with('*')
                    || crate::shape::NUMBERS.contains(&inner)
                    || self.all.structures.iter().any(|(name, _)| short(name) == inner);
                if known { format!("POINTER({})", self.ctype(inner)) } else { "c_void_p".to_string() }
            }
        }
    }
}

/// A name without the prefix of the library.
fn short(name: &str) -> &str {
    name.strip_prefix("infill_").unwrap_or(name)
}

/// `infill_race_rules` as `RaceRules`.
fn title(name: &str) -> String {
    let words = short(name)
        .split('_')
        .filter(|word| !word.is_empty())
        .map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect()
}

/// What the names of all members begin with, and the name of the table: that, or of the enumeration if it is nothing.
fn spelling<'a>(name: &str, members: &'a [(String, i64)]) -> (&'a str, String) {
    let first = members[0].0.as_str();
    let ends = first.match_indices('_').map(|(at, _)| &first[..=at]).rev();
    let mut shared = ends.filter(|start| members.iter().all(|(name, _)| name.starts_with(start)));
    let prefix = shared.next().expect("all names begin with that of the library");
    let own = if prefix == "INFILL_" {
        short(name).to_uppercase()
    } else {
        bare(prefix).trim_end_matches('_').to_string()
    };
    (prefix, own)
}

fn bare(prefix: &str) -> String {
    prefix["INFILL_".len()..].to_string()
}

/// The Python type of a field.
fn python_kind(kind: &str) -> &'static str {
    match kind {
        "double" => "float",
        "int32" | "int64" | "uint16" | "uint32" | "uint64" | "size_t" | "trial" => "int",
        _ => "Any",
    }
}

/// A comment for what comes next.
fn remark(text: &str) -> String {
    filled("#:", "#:", text, WIDTH - 4)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// The text of a function or class.
fn docstring(indent: &str, text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    if indent.len() + text.chars().count() + 6 <= WIDTH {
        return format!("{indent}\"\"\"{text}\"\"\"\n");
    }
    let (first, rest) = text.split_once(". ").unwrap_or((&text, ""));
    let first = format!("{}.", first.trim_end_matches('.'));
    if rest.is_empty() || indent.len() + first.chars().count() + 6 > WIDTH {
        let lines = filled(indent, indent, &text, WIDTH);
        return lines
            .replacen(&format!("{indent} "), &format!("{indent}\"\"\""), 1)
            .replace(&format!("\n{indent} "), &format!("\n{indent}"))
            + indent
            + "\"\"\"\n";
    }
    let rest = filled(indent, indent, rest, WIDTH).replace(&format!("{indent} "), indent);
    format!("{indent}\"\"\"{first}\n\n{rest}{indent}\"\"\"\n")
}

/// Words in lines that begin with a mark and are not too long.
fn filled(first: &str, mark: &str, text: &str, width: usize) -> String {
    let (mut out, mut line) = (String::new(), first.to_string());
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if line.chars().count() + 1 + word.chars().count() > width {
            out += &line;
            out += "\n";
            line = mark.to_string();
        }
        line = line + " " + word;
    }
    out + &line + "\n"
}

/// Items in one line, or in lines of their own.
fn list(head: &str, items: &[String], tail: &str) -> String {
    let line = format!("{head}{}{tail}\n", items.join(", "));
    if line.chars().count() <= WIDTH + 1 {
        return line;
    }
    let indent = " ".repeat(head.len() - head.trim_start().len());
    let mut text = format!("{head}\n");
    let mut line = format!("{indent}   ");
    for item in items {
        if line.chars().count() + 2 + item.chars().count() > WIDTH && line.trim() != "" {
            text += &line;
            text += "\n";
            line = format!("{indent}   ");
        }
        line += &format!(" {item},");
    }
    text + &line + "\n" + &indent + tail + "\n"
}
