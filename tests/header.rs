//! The committed header is the one that the sources give, and says the version of the manifest.
//!
//! The numbers of kernels and acquisitions are those of the rows of the library; the tables of Python are those of the header.
//! `INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header` writes both anew.

use std::fs;
use std::path::{Path, PathBuf};

use infill::acquisition::Rule;
use infill::config::Flat;
use infill::kernel::Op;
use infill_tests::declarations::Declarations;
use infill_tests::interface::{PARTS, exported};
use infill_tests::native::scratch;

fn ffi() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi")
}

fn read(path: &str) -> String {
    fs::read_to_string(ffi().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn generate() -> String {
    let mut config = cbindgen::Config::from_file(ffi().join("header/cbindgen.toml")).expect("cbindgen.toml");
    config.header = Some(read("header/top.h").trim_end().to_string());
    let mut macros = read("header/macros.h");
    let version = env!("CARGO_PKG_VERSION").split('.').collect::<Vec<_>>();
    for (name, number) in ["@MAJOR@", "@MINOR@", "@PATCH@"].into_iter().zip(version) {
        macros = macros.replace(name, number);
    }
    // Those of infill_config have a place in each block.
    macros = macros.replace("@SETTINGS@", &(size_of::<Flat>() / 8).to_string());
    config.after_includes = Some(format!("\n{}", macros.trim_end()));
    let sources = PARTS.iter().map(|part| {
        let path = ffi().join(format!("src/{}.rs", part.source));
        let text = fs::read_to_string(&path).expect("a source");
        let whole =
            CLOSED.iter().fold(text.clone(), |text, set| text.replace(&set.marker(), &set.declared()));
        if whole == text {
            return path;
        }
        let path = scratch("header").join(format!("{}.rs", part.source));
        fs::write(&path, whole).expect("the target folder can be written");
        path
    });
    let builder = sources.fold(cbindgen::Builder::new().with_config(config), |b, path| b.with_src(path));
    let mut text = Vec::new();
    builder.generate().expect("the sources are read").write(&mut text);
    with_headings(&compact(&String::from_utf8(text).expect("it is text")))
}

/// A closed set of the library whose members have numbers in C.
struct Closed {
    /// As in `infill_op`.
    name: &'static str,
    /// Name, number and documentation of each member.
    rows: fn() -> Vec<(&'static str, u64, &'static str)>,
}

const CLOSED: [Closed; 2] = [
    Closed { name: "op", rows: || Op::ALL.iter().map(|op| (op.name(), *op as u64, op.doc())).collect() },
    Closed {
        name: "acquisition",
        rows: || Rule::ALL.iter().map(|rule| (rule.name(), rule.code(), rule.doc())).collect(),
    },
];

impl Closed {
    /// What stands for the members in the sources of the interface.
    fn marker(&self) -> String {
        format!("pub enum infill_{} {{}}", self.name)
    }

    /// The enumeration as those sources would declare it.
    fn declared(&self) -> String {
        let mut text = format!("#[repr(u32)]\npub enum infill_{} {{\n", self.name);
        for (member, code, doc) in (self.rows)() {
            for line in doc.replace('\\', "").lines() {
                text += &format!("    ///{line}\n");
            }
            text += &format!("    {} = {code},\n", format!("infill_{}_{member}", self.name).to_uppercase());
        }
        text + "}"
    }
}

/// Comments of one line on one line.
fn compact(header: &str) -> String {
    let mut out = String::new();
    let mut rest = header.lines().peekable();
    while let Some(line) = rest.next() {
        if line.trim() != "/**" {
            out += line;
            out += "\n";
            continue;
        }
        let text = rest.next().expect("a comment goes on");
        if rest.peek().is_some_and(|end| end.trim() == "*/") {
            rest.next();
            let (indent, text) = (line.trim_end_matches("/**"), text.trim().trim_start_matches("* "));
            out += &format!("{indent}/** {text} */\n");
        } else {
            out += &format!("{line}\n{text}\n");
        }
    }
    out
}

/// A heading before the comment of the first function of each part.
fn with_headings(header: &str) -> String {
    let mut header = header.to_string();
    for part in PARTS.iter().filter(|part| !part.heading.is_empty()) {
        let heading = part.heading;
        let call = declared(&header, part.functions().first().expect("below a heading is a function"));
        let comment = header[..call].rfind("/**").expect("each function has a comment");
        let line = format!("/* ---- {heading} {} */\n\n", "-".repeat(100 - heading.chars().count()));
        header.insert_str(comment, &line);
    }
    header
}

/// Where a function is declared: the comments above may speak of it, too.
fn declared(header: &str, name: &str) -> usize {
    header.rfind(&format!("{name}(")).unwrap_or_else(|| panic!("{name} is not declared"))
}

#[test]
fn the_committed_header_is_that_of_the_sources_and_python_has_its_tables() {
    let header = generate();
    let tables = Declarations::of(&header).to_python();
    for (path, fresh) in [("include/infill.h", header), ("python/infill/_header.py", tables)] {
        if std::env::var_os("INFILL_WRITE_HEADER").is_some() {
            fs::write(ffi().join(path), &fresh).expect("it is written");
        }
        let renew = "INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header";
        assert!(read(path) == fresh, "ffi/{path} is stale: {renew}");
    }
}

#[test]
fn the_header_says_the_version_of_the_manifest() {
    let header = read("include/infill.h");
    let version = env!("CARGO_PKG_VERSION").split('.').map(|n| n.parse::<u32>().expect("a number"));
    for (name, expected) in ["MAJOR", "MINOR", "PATCH"].into_iter().zip(version) {
        let line = format!("#define INFILL_VERSION_{name} ");
        let rest = header.split(&line).nth(1).expect("each part of the version is defined");
        let number: u32 = rest.lines().next().and_then(|n| n.parse().ok()).expect("a number");
        assert_eq!(number, expected, "{name}");
    }
}

/// Every exported function is in the header, with a comment; every type says its threads and lifetime.
#[test]
fn everything_is_declared_and_explained() {
    let header = read("include/infill.h");
    for part in PARTS {
        for name in part.functions() {
            let before = &header[..declared(&header, &name)];
            let before = before.trim_end_matches(|c: char| c != '/');
            assert!(before.ends_with("*/"), "{name} has no comment");
        }
        // Data has a body in the header, a handle has none.
        for rest in part.text().split("pub struct infill_").skip(1) {
            let name = rest.split(' ').next().expect("a name");
            let at = header
                .find(&format!("typedef struct infill_{name} {{"))
                .or_else(|| header.find(&format!("typedef struct infill_{name} infill_{name};")))
                .unwrap_or_else(|| panic!("infill_{name} is not declared"));
            let comment = &header[header[..at].rfind("/**").expect("a comment")..at];
            assert!(comment.contains("Threads: ") && comment.contains("Lifetime: "), "{name}: {comment}");
        }
    }
}

/// No source that exports something is left out of the table, which would leave it out of the header and of the tests.
#[test]
fn every_source_that_exports_is_a_part() {
    let mut folders = vec![ffi().join("src")];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let name = path.strip_prefix(ffi().join("src")).expect("below").with_extension("");
            let name = name.to_str().expect("a name");
            if text.contains("#[unsafe(no_mangle)]") {
                assert!(PARTS.iter().any(|part| part.source == name), "{name} is no part");
                assert_eq!(exported(&text).len(), text.matches("#[unsafe(no_mangle)]").count(), "{name}");
                found += 1;
            }
        }
    }
    assert!(found >= 20, "{found} sources");
}
