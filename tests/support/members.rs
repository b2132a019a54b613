//! The members of the enumerations of the library, as its sources have them: names, numbers and what is said of them.

use std::fs;

use crate::native::root;

/// A member of an enumeration.
#[derive(Clone, Debug)]
pub struct Member {
    /// In the letters of C.
    pub name: String,
    /// Its number, which never changes.
    pub number: u64,
    /// In one line.
    pub doc: String,
}

/// An enumeration of the library whose members have their numbers in C, too.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Its name in C without `infill_`.
    pub name: &'static str,
    /// What its members begin with in C, without `INFILL_`.
    pub prefix: &'static str,
    /// The file of the library, and its name there.
    pub source: (&'static str, &'static str),
    /// The setting whose default it has; empty for its own.
    pub setting: &'static str,
}

impl Set {
    /// What stands before the name of a member.
    fn path(&self) -> String {
        format!("{}::", self.source.1)
    }

    /// The members, in the order of the library; the usual one is said to be the default.
    ///
    /// # Panics
    ///
    /// If the library has no such enumeration.
    pub fn members(&self, usual: Option<u64>) -> Vec<Member> {
        let (file, set) = self.source;
        let text = fs::read_to_string(root().join("core/src").join(file)).expect("a source of the library");
        let inside = |start: &str, end: &str| {
            text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map(|(inside, _)| inside)
        };
        // Those with settings of their own are rows of a macro.
        let starts = [format!("pub enum {set} {{\n"), format!("{set}! {{\n")];
        let body = starts.iter().find_map(|start| inside(start, "\n}"));
        let codes = inside(&format!("codes!({set} {{"), "}").unwrap_or_default();
        let coded = |name: &str| {
            let mut pairs = codes.split(',').filter_map(|pair| pair.split_once(" = "));
            pairs.find(|(own, _)| own.trim() == name).map(|(_, number)| number.trim())
        };
        let (mut members, mut doc, mut own) = (Vec::<Member>::new(), String::new(), false);
        for line in body.unwrap_or_else(|| panic!("no {set} in {file}")).lines() {
            let setting = line.strip_prefix("        ").and_then(|line| line.split_once(" => "));
            if let (Some((_, count)), Some(last)) = (setting, members.last_mut()) {
                let more = last.doc.contains("Settings:");
                last.doc = last.doc.trim_end_matches(if more { '.' } else { '\0' }).to_string();
                last.doc += if more { "," } else { " Settings:" };
                last.doc += &format!(" {}_{}.", self.setting, count.trim_end_matches(','));
            }
            // What stands further in belongs to a member.
            let Some(line) = line.strip_prefix("    ").filter(|line| !line.starts_with(' ')) else {
                continue;
            };
            own |= line == "#[default]";
            let row = line.split_once(": ").filter(|(number, _)| number.parse::<u64>().is_ok());
            let name = row.map_or(line, |(_, rest)| rest);
            if let Some(more) = line.strip_prefix("///") {
                doc = doc + "\n" + more.trim();
            } else if name.starts_with(|letter: char| letter.is_ascii_uppercase()) {
                let end = name.find(|letter: char| !letter.is_ascii_alphanumeric()).expect("a comma");
                let said = line.split_once(" = ").map(|(_, number)| number.trim_end_matches(','));
                let said = said.or_else(|| coded(&name[..end])).or(row.map(|(number, _)| number));
                let number = said.map_or(members.len() as u64, |number| number.parse().expect("a number"));
                members.push(Member {
                    name: format!("INFILL_{}_{}", self.prefix, snake(&name[..end])),
                    number,
                    doc: self.plain(&std::mem::take(&mut doc), usual.map_or(own, |usual| usual == number)),
                });
                own = false;
            }
        }
        members
    }

    /// A comment of the library without formulas on lines of their own, links and marks, in the names of C.
    fn plain(&self, doc: &str, usual: bool) -> String {
        let prose = doc.split("```").step_by(2).collect::<Vec<_>>().join(" ").replace('\\', "");
        let mut words: Vec<String> = Vec::new();
        for word in prose.replace("](", "] (").split_whitespace() {
            // The address of a link.
            if word.starts_with("(crate::") || word.starts_with("(super::") {
                let rest = word.split_once(')').map_or("", |(_, rest)| rest);
                let link = words.pop().expect("a link has a text");
                words.push(link.replace(['[', ']'], "") + rest);
                continue;
            }
            let bare = word.replace("[`", "").replace("`]", "").replace('`', "");
            let member = |path: &str, prefix: &str| {
                let (before, rest) = bare.split_once(path)?;
                let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
                Some(format!("{before}INFILL_{prefix}_{}{}", snake(&rest[..end]), &rest[end..]))
            };
            let known = member(&self.path(), self.prefix).or_else(|| member("Error::", "ERROR"));
            words.push(known.or_else(|| member("Impute::", "IMPUTE")).unwrap_or(bare));
        }
        words.join(" ") + if usual { " The default." } else { "" }
    }
}

/// A name of Rust in the letters of C.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}
