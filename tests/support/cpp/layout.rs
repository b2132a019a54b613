//! Lines of C++ that are not too long.

use std::fmt::Write;

/// The most letters of a line.
pub(super) const WIDTH: usize = 120;

/// A call that may take several lines.
pub(super) struct Statement {
    pub(super) head: String,
    pub(super) items: Vec<String>,
    pub(super) tail: String,
}

impl From<String> for Statement {
    fn from(head: String) -> Self {
        Self { head, items: Vec::new(), tail: String::new() }
    }
}

/// Parameters with their defaults, as far as all behind them have one.
pub(super) fn in_order(inputs: Vec<(String, Option<String>)>) -> Vec<String> {
    let defaults = inputs.iter().rev().take_while(|(_, default)| default.is_some()).count();
    let first = inputs.len() - defaults;
    let whole = inputs.into_iter().enumerate();
    whole
        .map(|(place, (text, default))| text + &default.filter(|_| place >= first).unwrap_or_default())
        .collect()
}

/// A function, in one line if it fits.
pub(super) fn definition(
    indent: &str,
    head: &str,
    inputs: &[String],
    tail: &str,
    body: &[Statement],
) -> String {
    if let [only] = body {
        let call = format!("{}{}{}", only.head, only.items.join(", "), only.tail);
        let line = format!("{indent}{head}{}{tail} {{ {call} }}\n", inputs.join(", "));
        if line.chars().count() <= WIDTH + 1 {
            return line;
        }
    }
    let mut text = wrapped(indent, head, inputs, &format!("{tail} {{"));
    for line in body {
        text += &wrapped(&format!("{indent}    "), &line.head, &line.items, &line.tail);
    }
    text + indent + "}\n"
}

/// Items between a head and a tail; further lines begin below the first item.
fn wrapped(indent: &str, head: &str, items: &[String], tail: &str) -> String {
    let start = indent.chars().count() + head.chars().count();
    let mut text = format!("{indent}{head}");
    let mut length = start;
    for (place, item) in items.iter().enumerate() {
        let end = if place + 1 == items.len() { tail.chars().count() } else { 1 };
        if place > 0 && length + 1 + item.chars().count() + end > WIDTH {
            write!(text, "\n{}", " ".repeat(start)).expect("a string grows");
            length = start;
        } else if place > 0 {
            text += " ";
            length += 1;
        }
        text += item;
        length += item.chars().count();
        if place + 1 < items.len() {
            text += ",";
            length += 1;
        }
    }
    text + tail + "\n"
}

/// A comment in lines that are not too long; an empty line stays one.
pub fn comment(indent: &str, text: &str) -> String {
    let mut out = String::new();
    for paragraph in text.split('\n') {
        let mut line = format!("{indent}///");
        for word in paragraph.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                out += &line;
                out += "\n";
                line = format!("{indent}///");
            }
            if !word.is_empty() {
                line = line + " " + word;
            }
        }
        out += &line;
        out += "\n";
    }
    out
}
