//! Which statuses each function of the C header may return, as its comment says.
//!
//! What stands behind `Nothing to give:` and `Errors:` in the comment of a function counts: names of statuses, in short
//! `_BOUNDS` for `INFILL_ERROR_BOUNDS`, and those of other functions and structures that it names. The errors that convention 4 of the first
//! page names hold for every function.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::declarations::Declarations;
use crate::native::root;

/// A part of the header with a comment.
#[derive(Debug)]
struct Item {
    /// Whether it is a function that returns a status.
    status: bool,
    /// What stands behind `Nothing to give:` and `Errors:`.
    errors: Option<String>,
}

/// The statuses of the header and what its functions may return.
#[derive(Debug)]
pub struct Statuses {
    /// Every status by its name, success among them.
    pub numbers: BTreeMap<String, i32>,
    /// The errors of each function that returns a status.
    pub documented: BTreeMap<String, BTreeSet<String>>,
}

impl Statuses {
    /// Reads them from the header.
    ///
    /// # Panics
    ///
    /// If a function does not list its errors, or names a status or function that does not exist.
    pub fn read() -> Self {
        let header =
            std::fs::read_to_string(root().join("ffi/include/infill.h")).expect("the header is there");
        Self::of(&header)
    }

    fn of(header: &str) -> Self {
        let numbers = numbers(header);
        let pages = header.split_once(" * 4. ").and_then(|(_, rest)| rest.split_once(" * 5. "));
        let (every, _) = pages.expect("a first page with conventions");
        let every: BTreeSet<String> =
            words(every).filter(|w| numbers.contains_key(*w)).map(str::to_owned).collect();
        let items = items(header);
        let documented = items.iter().filter(|(_, item)| item.status).map(|(name, item)| {
            assert!(item.errors.is_some(), "{name} does not list its errors");
            let mut errors = every.clone();
            collect(name, &items, &numbers, &mut BTreeSet::new(), &mut errors);
            (name.clone(), errors)
        });
        Self { documented: documented.collect(), numbers }
    }

    /// The same as tables of a C program.
    pub fn to_c(&self) -> String {
        let mut text = String::from("/* Generated from the comments of infill.h. */\n");
        text += "static const struct { const char *name; int32_t status; } status_names[] = {\n";
        for (name, number) in &self.numbers {
            writeln!(text, "    {{\"{name}\", {number}}},").expect("a string grows");
        }
        text += "};\nstatic const struct { const char *name; int32_t statuses[32]; } documented[] = {\n";
        for (name, errors) in &self.documented {
            assert!(errors.len() < 32, "{name}");
            let errors: Vec<&str> = errors.iter().map(String::as_str).chain(["0"]).collect();
            writeln!(text, "    {{\"{name}\", {{{}}}}},", errors.join(", ")).expect("a string grows");
        }
        text + "};\n"
    }
}

/// Adds the errors of an item and of what it refers to.
fn collect(
    name: &str,
    items: &BTreeMap<String, Item>,
    numbers: &BTreeMap<String, i32>,
    seen: &mut BTreeSet<String>,
    errors: &mut BTreeSet<String>,
) {
    if !seen.insert(name.to_owned()) {
        return;
    }
    let Some(text) = items.get(name).and_then(|item| item.errors.as_deref()) else { return };
    for word in words(text) {
        let whole = if word.starts_with('_') { format!("INFILL_ERROR{word}") } else { word.to_owned() };
        if whole.starts_with("infill_") && !whole.contains('.') {
            assert!(items.contains_key(&whole), "{name} refers to {whole}");
            collect(&whole, items, numbers, seen, errors);
        } else if whole.starts_with("INFILL_ERROR")
            || ["INFILL_ABORTED", "INFILL_DONE"].contains(&whole.as_str())
        {
            assert!(numbers.contains_key(&whole), "{name} names {whole}");
            errors.insert(whole);
        }
    }
}

/// Words of letters, digits, underscores and dots inside of them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.');
    text.split(apart).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty())
}

/// The members of `infill_status`.
fn numbers(header: &str) -> BTreeMap<String, i32> {
    let numbers = Declarations::of(header).numbers;
    let status = numbers.into_iter().find(|(name, _)| name == "infill_status").expect("an enumeration");
    let members = status.1.into_iter();
    members.map(|(name, number)| (name, i32::try_from(number).expect("a small number"))).collect()
}

/// Functions and structures with their comments, by name.
fn items(header: &str) -> BTreeMap<String, Item> {
    let mut items = BTreeMap::new();
    for comment in header.split("/**").skip(1) {
        let (comment, code) = comment.split_once("*/").expect("a comment ends");
        let code = code.trim_start();
        let line = code.lines().next().unwrap_or_default();
        let name = match line.trim_start_matches("typedef ").strip_prefix("struct ") {
            Some(rest) => rest.split([' ', ';']).next(),
            None => {
                line.split_once('(').map(|(before, _)| before.rsplit([' ', '*']).next().unwrap_or_default())
            }
        };
        let Some(name) = name.filter(|name| name.starts_with("infill_")) else { continue };
        let text = comment.replace("\n *", "\n");
        let starts = ["Nothing to give:", "Errors:"].iter().filter_map(|word| text.find(word));
        let errors = starts.min().map(|start| text[start..].to_owned());
        items.insert(name.to_owned(), Item { status: line.starts_with("infill_status "), errors });
    }
    items
}
