//! The header as a manual: what cbindgen declares, in the order in which it is read.
//!
//! Part by part; a type stands before the first declaration that needs it, and one that is needed by pointer before its part
//! comes is only named there. Enumerations are plain, with a name of fixed width for what holds their numbers.

use std::collections::{BTreeMap, BTreeSet};

use crate::interface::{PARTS, Part};

/// The most characters of a line that is put together here.
const WIDTH: usize = 120;

/// The lines of a comment, and a line of code.
type Member = (Vec<String>, String);

/// A declaration and its comment.
#[derive(Debug)]
struct Item {
    name: String,
    comment: Vec<String>,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// The type of its numbers, and its members.
    Numbers(String, Vec<Member>),
    /// A structure with these fields.
    Fields(Vec<Member>),
    /// A handle, a name of another type or a function.
    Line(String),
}

/// The declarations of a part of the header, in their order: `stable`, or those that may still change.
///
/// `declared` is what cbindgen wrote, `beside` what stands behind the items of these names: macros.
#[derive(Debug)]
pub struct Manual {
    items: BTreeMap<String, Item>,
    /// The names of all items, in the order of their sources.
    order: Vec<String>,
    /// The place of the part of each.
    parts: BTreeMap<String, usize>,
    beside: BTreeMap<String, String>,
    written: BTreeSet<String>,
    /// Structures of which the name is known and the body is to come.
    named: BTreeSet<String>,
    out: String,
}

impl Manual {
    /// That of what cbindgen wrote, and of macros by the items that they stand behind.
    ///
    /// # Panics
    ///
    /// If something is declared that is in no part.
    pub fn new(declared: &str, beside: BTreeMap<String, String>) -> Self {
        let items = typed(items(declared));
        let order: Vec<String> = items.iter().map(|item| item.name.clone()).collect();
        let texts: Vec<String> = PARTS.iter().map(Part::text).collect();
        let exports = |text: &String, name: &str| {
            let follows = |start: &str, ends: &[char]| {
                let words = format!("{start} {name}");
                text.split(&words).skip(1).any(|rest| rest.starts_with(ends))
            };
            follows("fn", &['(']) || ["struct", "enum", "type"].iter().any(|kind| follows(kind, &[' ', ';']))
        };
        let part = |name: &String| {
            let place = texts.iter().position(|text| exports(text, name));
            (name.clone(), place.unwrap_or_else(|| panic!("{name} is in no part")))
        };
        let parts = order.iter().map(part).collect();
        let items = items.into_iter().map(|item| (item.name.clone(), item)).collect();
        let (written, named, out) = Default::default();
        Self { items, order, parts, beside, written, named, out }
    }

    /// The parts that never change their meaning, or those that may: what follows another call knows what it wrote.
    pub fn declare(&mut self, experimental: bool) -> String {
        for (place, part) in PARTS.iter().enumerate().filter(|(_, part)| part.experimental == experimental) {
            if !part.heading.is_empty() {
                let dashes = "-".repeat(WIDTH - 15 - part.heading.chars().count());
                self.out += &format!("/* ---- {} {dashes} */\n\n", part.heading);
            }
            let own = |name: &&String| self.parts[*name] == place;
            let (calls, types): (Vec<_>, Vec<_>) =
                self.order.iter().filter(own).cloned().partition(|name| self.is_function(name));
            let mut reached = BTreeSet::new();
            calls.iter().for_each(|call| self.reach(call, &mut reached));
            let first = types.into_iter().filter(|name| !reached.contains(name)).collect::<Vec<_>>();
            first.into_iter().chain(calls).for_each(|name| self.write(&name, place));
        }
        std::mem::take(&mut self.out)
    }

    fn is_function(&self, name: &str) -> bool {
        matches!(&self.items[name].shape, Shape::Line(code) if !code.starts_with("typedef"))
    }

    fn is_numbers(&self, name: &str) -> bool {
        matches!(self.items[name].shape, Shape::Numbers(..))
    }

    /// The types that the code of an item names, and whether all it needs are their names; in their order.
    fn needed(&self, name: &str) -> Vec<(String, bool)> {
        let code = self.items[name].code();
        let mut all = Vec::new();
        for word in words(&code).filter(|word| *word != name) {
            if self.items.contains_key(word) && !self.is_function(word) && all.iter().all(|(w, _)| w != word)
            {
                let behind = code.split(word).skip(1);
                let pointer = |rest: &str| rest.starts_with(" *") || rest.starts_with(is_letter);
                all.push((word.to_string(), behind.into_iter().all(pointer)));
            }
        }
        all
    }

    /// The types of its own part that the comments of an item name: any for a function, numbers for a structure.
    fn mentioned(&self, name: &str) -> Vec<String> {
        let item = &self.items[name];
        let own = |word: &&str| {
            self.parts.get(*word) == self.parts.get(name)
                && (self.is_numbers(word) || self.is_function(name) && !self.is_function(word))
        };
        let text = match &item.shape {
            Shape::Numbers(..) => String::new(),
            Shape::Line(_) => item.comment.join(" "),
            Shape::Fields(fields) => fields.iter().map(|(comment, _)| comment.join(" ") + " ").collect(),
        };
        words(&text).filter(own).map(str::to_string).collect()
    }

    /// Adds an item and all that stands before it.
    fn reach(&self, name: &str, all: &mut BTreeSet<String>) {
        if all.insert(name.to_string()) {
            self.needed(name).iter().for_each(|(other, _)| self.reach(other, all));
            self.mentioned(name).iter().for_each(|other| self.reach(other, all));
        }
    }

    /// Writes an item once, after what it needs.
    fn write(&mut self, name: &str, place: usize) {
        if !self.written.insert(name.to_string()) {
            return;
        }
        let mut ahead = Vec::new();
        for (other, by_name) in self.needed(name) {
            let later = self.parts[&other] > place && matches!(self.items[&other].shape, Shape::Fields(_));
            if !(later && by_name) {
                self.write(&other, place);
            } else if !self.written.contains(&other) && self.named.insert(other.clone()) {
                ahead.push(other);
            }
        }
        for other in self.mentioned(name) {
            self.write(&other, place);
        }
        for other in ahead {
            let parts = PARTS[..=self.parts[&other]].iter().rev();
            let heading = parts.map(|part| part.heading).find(|heading| !heading.is_empty());
            let heading = heading.expect("the first part has a heading");
            self.out +=
                &format!("typedef struct {other} {other}; /**< Its fields: see {heading}, below. */\n\n");
        }
        let text = self.items[name].to_c(self.named.contains(name));
        self.out += &format!("{text}\n");
        if let Some(macros) = self.beside.get(name) {
            self.out += &format!("{}\n\n", macros.trim());
        }
    }
}

impl Item {
    /// All its code, without comments.
    fn code(&self) -> String {
        match &self.shape {
            Shape::Numbers(..) => String::new(),
            Shape::Fields(fields) => fields.iter().map(|(_, code)| format!("{code} ")).collect(),
            Shape::Line(code) => code.clone(),
        }
    }

    /// As in the header; a structure whose name is known needs no other.
    fn to_c(&self, named: bool) -> String {
        let name = &self.name;
        let mut text = commented("", &self.comment);
        match &self.shape {
            Shape::Line(code) => text += &wrapped(code),
            Shape::Numbers(width, members) => {
                text += &format!("typedef {width} {name};\nenum {{\n");
                for (i, (comment, code)) in members.iter().enumerate() {
                    let comma = if i + 1 == members.len() { "" } else { "," };
                    text += &member(comment, &format!("{code}{comma}"));
                }
                text += "};\n";
            }
            Shape::Fields(fields) => {
                text += &if named {
                    format!("struct {name} {{\n")
                } else {
                    format!("typedef struct {name} {{\n")
                };
                fields.iter().for_each(|(comment, code)| text += &member(comment, code));
                text += &if named { "};\n".to_string() } else { format!("}} {name};\n") };
            }
        }
        text
    }
}

/// What cbindgen wrote, item by item.
fn items(declared: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let (mut comment, mut inside, mut code) = (Vec::new(), false, String::new());
    // The head and the comment of what has a body, and that body.
    let mut open: Option<(Member, Vec<Member>)> = None;
    for line in declared.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (inside, line) {
            (false, "/**") => inside = true,
            (true, "*/") => inside = false,
            (true, text) => comment.push(text.trim_start_matches('*').trim().to_string()),
            (false, text) => {
                code += &format!(" {text}");
                let level = code.matches('(').count() - code.matches(')').count();
                if level > 0 || !code.ends_with([';', ',', '{']) {
                    continue;
                }
                let whole = std::mem::take(&mut code).trim().to_string();
                let said = std::mem::take(&mut comment);
                match &mut open {
                    None if whole.ends_with('{') => open = Some(((said, whole), Vec::new())),
                    None => items.extend(line_item(said, &whole)),
                    Some(_) if whole.starts_with('}') => {
                        let ((said, head), body) = open.take().expect("a body");
                        items.push(with_body(said, &head, body));
                    }
                    Some((_, body)) => body.push((said, bare(whole.trim_end_matches(',')))),
                }
            }
        }
    }
    items
}

/// Types that are declared go without `struct`.
fn bare(code: &str) -> String {
    code.replace("struct infill_", "infill_")
}

fn with_body(comment: Vec<String>, head: &str, body: Vec<Member>) -> Item {
    let mut words = head.split_whitespace().skip_while(|word| *word == "typedef");
    let numbers = words.next() == Some("enum");
    let name = words.next().expect("a name").to_string();
    let width = words.nth(1).unwrap_or_default().to_string();
    Item { name, comment, shape: if numbers { Shape::Numbers(width, body) } else { Shape::Fields(body) } }
}

/// A handle, another name or a function; nothing for the name of an enumeration, which it has already.
fn line_item(comment: Vec<String>, code: &str) -> Option<Item> {
    if comment.is_empty() {
        return None;
    }
    let handle = code.starts_with("typedef struct") && !code.contains('(');
    let code = if handle { code.to_string() } else { bare(code) };
    let flat = code.replace("(*", " ").replace(')', "(");
    let head = flat.split(['(', ';']).next().expect("a name");
    let name = head.rsplit([' ', '*']).find(|word| !word.is_empty()).expect("a name").to_string();
    Some(Item { name, comment, shape: Shape::Line(code) })
}

/// A number that is one of an enumeration, as its comment says, has the type of that name.
fn typed(mut items: Vec<Item>) -> Vec<Item> {
    let about = |item: &Item| {
        item.comment.first().and_then(|line| line.split_once(": infill_")).map(|(text, _)| format!("{text}."))
    };
    let numbers = items.iter().filter(|item| matches!(item.shape, Shape::Numbers(..)));
    let choices: BTreeMap<String, Option<String>> =
        numbers.map(|item| (item.name.clone(), about(item))).collect();
    let choice = |text: &str, before: &str| {
        let named = text.split_once(before)?.1;
        let name = words(named).next()?;
        choices.get_key_value(name)
    };
    for item in &mut items {
        match &mut item.shape {
            Shape::Fields(fields) => {
                for (comment, code) in fields {
                    let Some(field) = code.strip_prefix("uint32_t ") else { continue };
                    let text = comment.join(" ");
                    let found = choice(&text, "An ").or_else(|| choice(&text, ", an "));
                    let Some((name, about)) = found else { continue };
                    *code = format!("{name} {field}");
                    // The type says it already: rather what is chosen.
                    let bare = format!("An {name}.");
                    for line in comment.iter_mut().filter(|line| **line == bare) {
                        *line = about.clone().unwrap_or(bare.clone());
                    }
                }
            }
            Shape::Line(code) if !code.starts_with("typedef") => {
                let text = item.comment.join(" ");
                if let Some((name, _)) = choice(&text, ": an ").filter(|_| code.starts_with("uint32_t")) {
                    *code = code.replacen("uint32_t", name, 1);
                }
                let parameters: Vec<String> = code
                    .split("uint32_t ")
                    .skip(1)
                    .map(|rest| words(rest).next().expect("a name").to_string())
                    .collect();
                for parameter in parameters {
                    if let Some((name, _)) = choice(&text, &format!("{parameter} is an ")) {
                        *code =
                            code.replace(&format!("uint32_t {parameter}"), &format!("{name} {parameter}"));
                    }
                }
            }
            Shape::Line(_) | Shape::Numbers(..) => {}
        }
    }
    items
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_letter(letter)).filter(|word| !word.is_empty())
}

fn width(line: &str) -> usize {
    line.chars().count()
}

/// A comment of its own lines.
fn commented(indent: &str, lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        [one] => format!("{indent}/** {one} */\n"),
        more => {
            let line = |line: &String| format!("{indent} * {line}").trim_end().to_string() + "\n";
            format!("{indent}/**\n{}{indent} */\n", more.iter().map(line).collect::<String>())
        }
    }
}

/// A field or a number, its comment behind it where both have room; `# ` begins a group of fields.
fn member(comment: &[String], code: &str) -> String {
    let (group, comment) = match comment.split_first() {
        Some((first, rest)) if first.starts_with("# ") => {
            let rest = if rest.first().is_some_and(String::is_empty) { &rest[1..] } else { rest };
            (format!("\n    /* ---- {} ---- */\n", &first[2..]), rest)
        }
        _ => (String::new(), comment),
    };
    let line = format!("    {code} /**< {} */", comment.first().map_or("", String::as_str));
    if comment.len() == 1 && width(&line) <= WIDTH {
        return format!("{group}{line}\n");
    }
    format!("{group}{}    {code}\n", commented("    ", comment))
}

/// A declaration whose parameters go on in the next line where they have no room.
fn wrapped(code: &str) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for parameter in code.split_inclusive(", ") {
        if width(&line) + width(parameter.trim_end()) > WIDTH {
            text += &format!("{}\n", line.trim_end());
            line = "    ".to_string();
        }
        line += parameter;
    }
    text + &line + "\n"
}
