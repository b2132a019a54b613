//! What the comments of the C header say, by what they are about; and which parameters are only read.

use std::collections::{BTreeMap, BTreeSet};

/// The comments of a header.
#[derive(Debug, Default)]
pub struct Texts {
    docs: BTreeMap<String, String>,
    constant: BTreeSet<(String, usize)>,
    /// The names of types, by `infill_param.kind` and `infill_words.scalar`.
    kinds: BTreeMap<String, String>,
}

impl Texts {
    /// Those of a header.
    ///
    /// # Panics
    ///
    /// If a comment does not end.
    pub fn of(header: &str) -> Self {
        let (mut all, mut rest, mut inside) = (Self::default(), header, String::new());
        while let Some(start) = rest.find("/*") {
            let length = rest[start..].find("*/").expect("a comment ends") + 2;
            let (before, comment) = (&rest[..start], &rest[start..start + length]);
            rest = &rest[start + length..];
            let code = &rest[..rest.find("/*").unwrap_or(rest.len())];
            if comment.starts_with("/**<") {
                // It is about what stands before it, up to the item before that.
                let item =
                    before.trim().trim_end_matches([',', ';']).rsplit([';', '{']).next().unwrap_or_default();
                let item =
                    if item.contains('(') { item } else { item.rsplit(',').next().unwrap_or_default() };
                all.add(&plain(comment), &format!("{item};"), &mut inside);
            } else if comment.starts_with("/**") {
                all.add(&plain(comment), code, &mut inside);
            }
            if code.contains('}') {
                inside.clear();
            }
        }
        all
    }

    /// What is said of `infill_tell`, `infill_config.seed` or `INFILL_F32`, in one line; empty if nothing.
    pub fn get(&self, name: &str) -> &str {
        self.docs.get(name).map_or("", String::as_str)
    }

    /// The name of the type of `infill_param.kind` or `infill_words.scalar`; empty for one that is not of the library.
    pub fn kind(&self, name: &str) -> &str {
        self.kinds.get(name).map_or("", String::as_str)
    }

    /// Whether a function only reads what a parameter of this place points to.
    pub fn is_read(&self, function: &str, place: usize) -> bool {
        self.constant.contains(&(function.to_string(), place))
    }

    /// A comment and what it stands before, in the structure `inside`.
    fn add(&mut self, comment: &str, code: &str, inside: &mut String) {
        let code: Vec<_> = code.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
        let code = code.join(" ");
        let end = code.find([';', '{', '=']).unwrap_or(code.len());
        let head = code[..end].trim();
        let name = if code[end..].starts_with('{') {
            let name = head.split_whitespace().find(|word| word.starts_with("infill_"));
            *inside = name.unwrap_or_default().to_string();
            inside.clone()
        } else if head.starts_with("typedef") || !head.contains("infill_") && head.starts_with("INFILL_") {
            last(head.split(")(").next().unwrap_or_default())
        } else if let Some((before, parameters)) = head.split_once('(').filter(|_| inside.is_empty()) {
            let name = last(before);
            for (place, parameter) in parameters.trim_end_matches(')').split(',').enumerate() {
                self.kinds.insert(format!("{name}.{}", last(parameter)), own_type(parameter));
                if parameter.trim_start().starts_with("const ") {
                    self.constant.insert((name.clone(), place));
                }
            }
            name
        } else {
            let name = format!("{inside}.{}", last(head.split([')', '[']).next().unwrap_or_default()));
            self.kinds.insert(name.clone(), own_type(head));
            name
        };
        self.docs.insert(name, comment.to_string());
    }
}

/// The text of a comment in one line.
fn plain(comment: &str) -> String {
    let lines = comment.trim_start_matches("/**").trim_start_matches('<').trim_end_matches("*/").lines();
    let lines = lines.map(|line| line.trim().trim_start_matches('*').trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The type of the library that a declaration begins with.
fn own_type(declaration: &str) -> String {
    let words = declaration.split_whitespace();
    words
        .map(|word| word.trim_end_matches('*'))
        .find(|word| word.starts_with("infill_"))
        .unwrap_or_default()
        .to_string()
}

/// The name at the end of a declaration.
fn last(declaration: &str) -> String {
    declaration.rsplit([' ', '*', '(']).next().unwrap_or_default().to_string()
}
