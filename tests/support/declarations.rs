//! What the C header declares.

use std::fmt::Write;

use crate::native::root;
use crate::texts::Texts;

/// The longest line of a generated table.
const WIDTH: usize = 118;

/// A type and the name it is given.
pub type Named = (String, String);

/// A function or a pointer to one: its result and name, then its parameters.
pub type Function = (Named, Vec<Named>);

/// The declarations of a header in their order; types without `const`, `struct` and the prefix, `double*` in one word.
#[derive(Debug, Default)]
pub struct Declarations {
    /// Enumerations and their members, by their names in C.
    pub numbers: Vec<(String, Vec<(String, i64)>)>,
    /// Structures that have a body, and their fields.
    pub structures: Vec<(String, Vec<Named>)>,
    /// The functions that the library calls back.
    pub calls: Vec<Function>,
    /// The functions of the library.
    pub functions: Vec<Function>,
}

impl Declarations {
    /// Those of the committed header.
    ///
    /// # Panics
    ///
    /// If there is no header, or one that declares what is unknown here.
    pub fn read() -> Self {
        Self::of(&std::fs::read_to_string(root().join("ffi/include/infill.h")).expect("the header"))
    }

    /// Those of a text.
    ///
    /// # Panics
    ///
    /// If it declares what is unknown here.
    pub fn of(header: &str) -> Self {
        let mut all = Self::default();
        let plain = plain(header);
        // The name of an enumeration is that of the type before it.
        let mut name = "";
        for one in declarations(&plain) {
            let one = one.trim_start_matches("typedef ");
            match one.split_once('{') {
                Some((head, body)) if head.starts_with("enum") => {
                    all.numbers.push((name.to_string(), members(body)))
                }
                Some((head, body)) => {
                    let body = body.split('}').next().expect("a body ends");
                    let fields = body.split(';').map(str::trim).filter(|field| !field.is_empty());
                    let fields = fields.map(|field| all.field(field)).collect();
                    all.structures.push((word(head), fields));
                }
                None if one.contains("(*") => {
                    let call = function(one);
                    all.calls.push(call);
                }
                None if one.contains('(') => all.functions.push(function(one)),
                // A handle, or another name of a number.
                None => name = one.rsplit(' ').next().expect("a name"),
            }
        }
        all.widen();
        all
    }

    /// Choices are numbers, which may be any: `uint32` instead of the names of unsigned enumerations.
    fn widen(&mut self) {
        let unsigned =
            self.numbers.iter().filter(|(_, members)| members.iter().all(|(_, number)| *number >= 0));
        let names: Vec<&str> = unsigned.map(|(name, _)| short(name)).collect();
        let calls = self.calls.iter_mut().chain(&mut self.functions);
        let named = calls.flat_map(|(result, parameters)| std::iter::once(result).chain(parameters));
        for (kind, _) in named.chain(self.structures.iter_mut().flat_map(|(_, fields)| fields)) {
            let (name, stars) = kind.split_at(kind.find('*').unwrap_or(kind.len()));
            if names.contains(&name) {
                *kind = format!("uint32{stars}");
            }
        }
    }

    /// A field; what is called back has its own name as its type.
    fn field(&mut self, field: &str) -> Named {
        if !field.contains("(*") {
            return named(field);
        }
        let call = function(field);
        let name = call.0.1.clone();
        self.calls.push(call);
        (name.clone(), name)
    }

    /// The tables of `ffi/src/names.rs`: the names of each enumeration and of its members, and their numbers; presets; and what
    /// statuses say, the first sentence of each.
    pub fn to_names(&self, header: &str, presets: &[&str]) -> String {
        let (mut names, mut members, mut length) = (Vec::new(), Vec::new(), 0);
        let mut place = |name: &str| {
            let start = length;
            names.push(format!("{name}\\0"));
            length += name.len() + 1;
            start
        };
        for (name, own) in &self.numbers {
            let (kind, prefix) = (place(name), prefix(own));
            for (member, number) in own {
                let at = place(&member[prefix.len()..].to_lowercase());
                members.push(format!("({kind}, {at}, {number}),"));
            }
        }
        let count = members.len();
        let texts = Texts::of(header);
        let statuses =
            self.numbers.iter().filter(|(name, _)| name == "infill_status").flat_map(|(_, own)| own);
        let sentences = statuses.map(|(name, _)| {
            let said = texts.get(name).split(". ").next().unwrap_or_default().trim_end_matches('.');
            format!("    ({name}, c\"{}{}\"),\n", said[..1].to_lowercase(), &said[1..])
        });
        let sentences: Vec<_> = sentences.collect();
        let room = presets.iter().map(|name| name.len() + 1).max().unwrap_or_default();
        let padded = presets.iter().map(|name| format!("*b\"{name}{}\",", "\\0".repeat(room - name.len())));
        let padded: Vec<_> = padded.collect();
        format!(
            "//! The names of all choices. Written by tests/header.rs.\n//!\n\
             //! Arrays, not texts: a linker keeps all texts of a library for one that a program uses.\n\n\
             use core::ffi::CStr;\n\nuse crate::infill_status::{{self, *}};\n\n\
             /// Names, each with a zero behind it.\n#[rustfmt::skip]\n\
             pub(crate) static NAMES: [u8; {length}] = *b\"\\\n{}\";\n\n\
             /// Where the name of a type begins, where that of a member, and its number.\n#[rustfmt::skip]\n\
             pub(crate) static MEMBERS: [(u16, u16, i32); {count}] = [\n{}];\n\n\
             /// The names of the presets, each with zeros behind it.\n#[rustfmt::skip]\n\
             pub(crate) static PRESET_NAMES: [[u8; {room}]; {}] = [\n{}];\n\n\
             /// Every status, and a sentence for it.\n#[rustfmt::skip]\n\
             pub(crate) const SENTENCES: [(infill_status, &CStr); {}] = [\n{}];\n",
            filled(&names, "", "\\"),
            filled(&members, " ", ""),
            presets.len(),
            filled(&padded, " ", ""),
            sentences.len(),
            sentences.concat()
        )
    }
}

/// Words in indented lines, with this between two and that at the end of each line.
fn filled(words: &[String], gap: &str, end: &str) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for word in words {
        if line.len() + word.len() + 6 > WIDTH {
            writeln!(text, "    {line}{end}").expect("a string grows");
            line.clear();
        }
        line += if line.is_empty() { "" } else { gap };
        line += word;
    }
    text + &format!("    {line}{end}\n")
}

/// What the names of all members begin with, up to an underscore.
fn prefix(members: &[(String, i64)]) -> &str {
    let first = members[0].0.as_str();
    let ends = first.match_indices('_').map(|(at, _)| &first[..=at]).rev();
    let mut shared = ends.filter(|start| members.iter().all(|(name, _)| name.starts_with(start)));
    shared.next().expect("all names begin with that of the library")
}

/// The header without comments and without what is for the preprocessor.
fn plain(header: &str) -> String {
    let mut parts = header.split("/*");
    let mut out = parts.next().expect("a first part").to_string();
    parts.for_each(|part| out += part.split_once("*/").expect("a comment ends").1);
    let out = out.replace("\\\n", " ");
    let lines =
        out.lines().filter(|line| !line.starts_with('#') && !line.contains("extern \"C\"") && line != &"}");
    lines.flat_map(|line| [line.trim(), " "]).collect()
}

/// What stands before each semicolon that is in no braces.
fn declarations(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                all.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all
}

/// The name in `struct infill_run`.
fn word(head: &str) -> String {
    head.split_whitespace().nth(1).expect("a name").to_string()
}

fn members(body: &str) -> Vec<(String, i64)> {
    let body = body.split('}').next().expect("a body ends");
    let members = body.split(',').filter_map(|member| member.split_once('='));
    members.map(|(name, number)| (name.trim().into(), number.trim().parse().expect("a number"))).collect()
}

/// What `const double *x` and `uint32_t reserved[5]` declare.
fn named(declaration: &str) -> Named {
    let at = declaration.rfind([' ', '*']).expect("a type and a name") + 1;
    let (kind, name) = declaration.split_at(at);
    (spelt(kind), name.to_string())
}

/// A type in one word.
fn spelt(kind: &str) -> String {
    let kind = kind.replace("const", " ");
    let words = kind.split_whitespace().filter(|word| *word != "struct");
    words.map(|word| short(word).trim_end_matches("_t").replace("size", "size_t")).collect()
}

/// `void (*call)(int x)` and `void call(int x)`.
fn function(declaration: &str) -> Function {
    let declaration = match declaration.strip_prefix("INFILL_DEPRECATED(") {
        Some(rest) => rest.split_once("\")").expect("a text in quotes").1.trim_start(),
        None => declaration,
    };
    let flat = declaration.replacen("(*", " ", 1).replacen(")(", "(", 1);
    let (head, parameters) = flat.split_once('(').expect("parameters");
    let parameters = parameters.trim_end_matches(')').split(',').map(str::trim);
    (named(head.trim()), parameters.filter(|one| !matches!(*one, "void" | "")).map(named).collect())
}

/// A name without the prefix of the library.
fn short(name: &str) -> &str {
    name.strip_prefix("infill_").unwrap_or(name)
}
