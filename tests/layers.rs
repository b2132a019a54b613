//! A layer of `core` uses lower layers only; no source is too long for one sitting.
//!
//! Reads the source, not the compiled crate: every path that starts at the crate's root (`crate::gp`,
//! `use crate::{gp, kernel}`, or enough `super::` to get there) must name a module of the same layer or a
//! lower one. Comments, strings and `#[cfg(test)]` items are free.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the lowest; a new module of `core/src` is entered here.
const LAYERS: [&[&str]; 7] = [
    &["real", "error", "codes", "block", "math", "rng", "stats", "limits"],
    &["linalg", "lbfgs", "trend", "targets", "space", "compare"],
    &["kernel", "acquisition", "surrogate", "backend", "evolution", "race", "configspace"],
    &["gp", "sparse", "forest", "transfer"],
    &["plain", "faer", "policy", "pending"],
    &["search", "baselines"],
    &["optimizer", "trial", "config", "explain", "lib"],
];

#[test]
fn core_uses_lower_layers_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src");
    let mut files = Vec::new();
    collect(&root, &["rs"], &mut files);
    assert!(files.len() > 5, "no sources below {}", root.display());

    let sources: Vec<Source> = files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let relative = path.strip_prefix(&root).expect("below the root");
            Source::new(relative.to_string_lossy().replace('\\', "/"), &text)
        })
        .collect();
    let complaints = complaints(&sources);
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A file has one idea. The headers that are installed are one file each for those who use them; what is generated is
/// not read for its ideas.
#[test]
fn no_source_is_too_long_for_one_sitting() {
    const MOST: usize = 600;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["core", "ffi", "gpu", "tests", "benches"] {
        collect(&root.join(folder), &["rs", "c", "h", "hpp", "cpp", "py", "wgsl"], &mut files);
    }
    files.retain(|path| !path.starts_with(root.join("ffi/include")));
    assert!(files.len() > 400, "{} sources", files.len());
    for path in files {
        let text = fs::read_to_string(&path).expect("a source");
        let generated = text.lines().next().is_some_and(|first| first.contains("Written by tests/header.rs"));
        let lines = text.lines().count();
        assert!(generated || lines <= MOST, "{}: {lines} lines, {MOST} are the most", path.display());
    }
}

/// One file, without what the rule does not look at.
struct Source {
    /// Below `core/src`, with `/`.
    path: String,
    /// Same lines as the file; comments, literals and test items blanked.
    code: String,
    /// Files and folders that hold test modules declared here.
    tests: Vec<String>,
}

impl Source {
    fn new(path: String, text: &str) -> Self {
        let (code, modules) = without_tests(&blank(text));
        let folder = match path.rsplit_once('/') {
            Some((folder, "mod.rs")) => format!("{folder}/"),
            None if path == "lib.rs" => String::new(),
            _ => format!("{}/", path.trim_end_matches(".rs")),
        };
        let tests = modules.iter().flat_map(|m| [format!("{folder}{m}.rs"), format!("{folder}{m}/")]);
        Self { tests: tests.collect(), path, code }
    }

    /// The module of the crate's root that the file belongs to.
    fn module(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// How many `super::` lead from the file's own module to the crate's root.
    fn depth(&self) -> usize {
        let parts = self.path.trim_end_matches("/mod.rs").split('/').count();
        if self.path == "lib.rs" { 0 } else { parts }
    }

    /// Line number and first name of every path from the crate's root.
    fn uses(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (position, _) in self.code.match_indices("crate::") {
            if !self.code[..position].ends_with(is_name) {
                self.names_at(position + "crate::".len(), &mut found);
            }
        }
        let climb = "super::".repeat(self.depth());
        for (position, _) in self.code.match_indices(&climb) {
            let before = &self.code[..position];
            if self.depth() > 0 && !before.ends_with(is_name) && !before.ends_with("super::") {
                self.names_at(position + climb.len(), &mut found);
            }
        }
        found
    }

    /// The name at a position, or the first names of the group there.
    fn names_at(&self, position: usize, found: &mut Vec<(usize, String)>) {
        let rest = &self.code[position..];
        let line_of = |offset: usize| self.code[..position + offset].matches('\n').count() + 1;
        let name_of = |text: &str| text.chars().take_while(|&c| is_name(c)).collect::<String>();
        if !rest.starts_with('{') {
            found.push((line_of(0), name_of(rest)));
            return;
        }
        let (mut depth, mut fresh) = (0, false);
        for (offset, letter) in rest.char_indices() {
            match letter {
                '{' => {
                    depth += 1;
                    fresh = depth == 1;
                }
                '}' => depth -= 1,
                ',' => fresh = depth == 1,
                _ if fresh && is_name(letter) => {
                    found.push((line_of(offset), name_of(&rest[offset..])));
                    fresh = false;
                }
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }
}

fn complaints(sources: &[Source]) -> Vec<String> {
    let tests: Vec<&String> = sources.iter().flat_map(|source| &source.tests).collect();
    let mut exports =
        sources.iter().find(|s| s.path == "lib.rs").map(|s| exports(&s.code)).unwrap_or_default();
    // An exported macro stands at the root, whichever module has it.
    for source in sources {
        let names = source.code.split("macro_rules! ").skip(1);
        let names = names.map(|rest| rest.chars().take_while(|&c| is_name(c)).collect());
        exports.extend(names.map(|name: String| (name, source.module().to_owned())));
    }
    let mut complaints = Vec::new();
    let is_test =
        |path: &str| tests.iter().any(|test| path == *test || test.ends_with('/') && path.starts_with(*test));
    for source in sources.iter().filter(|source| !is_test(&source.path)) {
        let Some(own) = layer(source.module()) else {
            complaints.push(format!(
                "core/src/{}: module `{}` is in no layer; enter it in LAYERS of tests/layers.rs",
                source.path,
                source.module()
            ));
            continue;
        };
        for (line, name) in source.uses() {
            let module = exports.get(&name).unwrap_or(&name);
            match layer(module) {
                Some(other) if other <= own => {}
                Some(other) => complaints.push(format!(
                    "core/src/{}:{line}: `{}` (layer {own}) uses `{module}` (layer {other}); move what is shared down",
                    source.path,
                    source.module()
                )),
                None => complaints.push(format!(
                    "core/src/{}:{line}: `crate::{name}` is neither a module in LAYERS of tests/layers.rs \
                     nor exported by lib.rs; name its module",
                    source.path
                )),
            }
        }
    }
    complaints
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

/// What `pub use module::Name` in lib.rs makes of `crate::Name`: the name and its module.
fn exports(code: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (start, intro) in code.match_indices("pub use ") {
        let statement = code[start + intro.len()..].split(';').next().unwrap_or_default();
        let statement = statement.trim_start_matches("crate::").trim_start_matches("self::");
        if let Some((module, names)) = statement.split_once("::") {
            for name in names.split(['{', '}', ',']) {
                let last = name.rsplit([' ', ':']).find(|word| !word.is_empty()).unwrap_or_default().trim();
                if !last.is_empty() {
                    found.insert(last.to_owned(), module.trim().to_owned());
                }
            }
        }
    }
    found
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The text with comments and literals turned into blanks, line for line.
fn blank(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = |i: usize| letters.get(i).copied().unwrap_or('\0');
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < letters.len() {
        let end = match letters[i] {
            '/' if at(i + 1) == '/' => (i..letters.len()).find(|&j| at(j) == '\n').unwrap_or(letters.len()),
            '/' if at(i + 1) == '*' => {
                let (mut depth, mut j) = (1, i + 2);
                while j < letters.len() && depth > 0 {
                    match (at(j), at(j + 1)) {
                        ('/', '*') => (depth, j) = (depth + 1, j + 2),
                        ('*', '/') => (depth, j) = (depth - 1, j + 2),
                        _ => j += 1,
                    }
                }
                j
            }
            'r' if !out.ends_with(is_name) && matches!(at(i + 1), '"' | '#') => {
                let hashes = (i + 1..).take_while(|&j| at(j) == '#').count();
                let mut j = i + 1 + hashes;
                if at(j) == '"' {
                    j += 1;
                    while j < letters.len() && !(at(j) == '"' && (1..=hashes).all(|k| at(j + k) == '#')) {
                        j += 1;
                    }
                    j + 1 + hashes
                } else {
                    i
                }
            }
            '"' => quoted(&letters, i),
            // A quote is a character only if it closes after one (perhaps escaped) letter; else a lifetime.
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => quoted(&letters, i),
            _ => i,
        };
        let end = end.min(letters.len());
        if end == i {
            out.push(letters[i]);
            i += 1;
        } else {
            out.extend(letters[i..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            i = end;
        }
    }
    out
}

/// Where a literal that opens at `i` ends.
fn quoted(letters: &[char], i: usize) -> usize {
    let mut j = i + 1;
    while j < letters.len() && letters[j] != letters[i] {
        j += if letters[j] == '\\' { 2 } else { 1 };
    }
    j + 1
}

/// Blanks every item under `#[cfg(test)]` or `#[cfg(all(test, …))]`; also the names of such modules that
/// stand in files of their own.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut out, mut modules) = (code.to_owned(), Vec::new());
    for (start, _) in code.match_indices("#[cfg(") {
        let condition: String = code[start..].chars().filter(|c| !c.is_whitespace()).take(20).collect();
        if !condition.starts_with("#[cfg(test)]") && !condition.starts_with("#[cfg(all(test,") {
            continue;
        }
        let (mut depth, mut end) = (0, code.len());
        let mut braces = false;
        for (offset, letter) in code[start..].char_indices() {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            braces |= letter == '{';
            // The item ends with its block, or with a semicolon outside all brackets.
            if depth == 0 && ((letter == '}' && braces) || letter == ';') {
                end = start + offset + 1;
                break;
            }
        }
        let item = &code[start..end];
        if let Some(name) = item.strip_suffix(';').and_then(|item| item.rsplit_once("mod ")) {
            modules.push(name.1.trim().to_owned());
        }
        let blanks: String = item.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        // Blanks are one byte each; pad where the item was not ASCII, so that positions stay.
        let padding = " ".repeat(item.len() - blanks.len());
        out.replace_range(start..end, &(padding + &blanks));
    }
    (out, modules)
}

/// The files below a folder whose names end so.
fn collect(folder: &Path, ends: &[&str], files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, ends, files);
        } else if path.extension().is_some_and(|end| ends.iter().any(|e| end == *e)) {
            files.push(path);
        }
    }
}

mod the_rule {
    use super::*;

    fn judge(path: &str, text: &str) -> Vec<String> {
        let root = Source::new(
            "lib.rs".into(),
            "pub mod gp;\npub use error::Error;\npub use gp::{Gp, trend::Trend as T};\n",
        );
        complaints(&[root, Source::new(path.into(), text)])
    }

    #[test]
    fn a_macro_is_of_its_module() {
        let text = "macro_rules! of_processes { () => {} }\nmacro_rules! asked { () => { $crate::of_processes! {} } }";
        assert!(judge("gp/train.rs", text).is_empty());
        assert_eq!(judge("kernel/mod.rs", "fn f() { crate::of_nothing!() }").len(), 1);
    }

    #[test]
    fn lower_and_equal_layers_pass() {
        assert!(
            judge("gp/train.rs", "use crate::kernel::Tape;\nuse crate::{real, gp::{Gp, forest}, Error};")
                .is_empty()
        );
        assert!(judge("kernel/mod.rs", "use super::linalg::dot;\nuse self::dot::Dot;").is_empty());
    }

    #[test]
    fn higher_layers_are_found_wherever_they_are_named() {
        for text in [
            "use crate::gp::Gp;",
            "use crate::{\n    error::Error,\n    gp,\n};",
            "fn f() -> crate::gp::Gp { todo!() }",
            "use crate::Gp;",
            "use crate::T;",
            "use super::super::gp::Gp;",
            "macro_rules! m { () => { $crate::gp::x() } }",
            "const C: char = '\"'; use crate::gp::Gp; const D: &str = \"\";",
            "#[cfg(any(test, feature = \"std\"))]\nuse crate::gp::Gp;",
        ] {
            let found = judge("kernel/dot.rs", text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].contains("`kernel` (layer 2) uses `gp` (layer 3)"), "{found:?}");
        }
        let found = judge("kernel/dot.rs", "use crate::{\n    error::Error,\n    gp,\n};");
        assert!(found[0].starts_with("core/src/kernel/dot.rs:3:"), "{found:?}");
    }

    #[test]
    fn comments_strings_and_tests_are_free() {
        for text in [
            "//! See [`crate::gp`].\n/* crate::gp /* nested */ crate::gp */",
            "const A: &str = \"crate::gp\"; const B: &str = r#\"\"crate::gp\"#;",
            "#[cfg(test)]\nmod tests { use crate::gp::Gp; fn f() { if true { \"}\"; } } use crate::gp; }",
            "#[cfg(test)]\nuse crate::gp::{Gp, Ä};\nuse crate::real;",
            "#[cfg(all(test, feature = \"std\"))]\n#[allow(x)]\nfn f<'a>(x: &'a [u8; 3]) { crate::gp::f() }",
            "fn f() { mycrate::gp::f() }",
        ] {
            assert_eq!(judge("kernel/dot.rs", text), Vec::<String>::new(), "{text}");
        }
        let parent = Source::new("kernel/dot.rs".into(), "#[cfg(test)]\nmod proofs;");
        let child = Source::new("kernel/dot/proofs.rs".into(), "use crate::gp;");
        let grandchild = Source::new("kernel/dot/proofs/long.rs".into(), "use crate::gp;");
        assert!(complaints(&[parent, child, grandchild]).is_empty());
    }

    #[test]
    fn the_unknown_is_reported() {
        assert!(judge("wizard.rs", "")[0].contains("module `wizard` is in no layer"));
        assert!(judge("kernel/dot.rs", "use crate::wizard::Hat;")[0].contains("`crate::wizard` is neither"));
    }
}
