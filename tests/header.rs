//! The committed header is the one that the sources give, and says the version of the manifest.
//!
//! `INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header` writes it anew.

use std::fs;
use std::path::{Path, PathBuf};

fn ffi() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi")
}

fn read(path: &str) -> String {
    fs::read_to_string(ffi().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The sources in the order in which the header shows their functions, and the heading before each tier.
const SOURCES: &[(&str, &str)] = &[
    ("version", "Which library this is"),
    ("status", ""),
    ("space", ""),
    ("choices", ""),
    ("config", "Settings"),
    ("block", "Blocks: how large, made, taken up again, copied"),
    ("minimize", "Tier 1: the whole loop"),
    ("ask", "Tier 2: ask and tell"),
    ("look", ""),
    ("selection", "The same among algorithms that each have parameters of their own"),
    ("backend", "Backends"),
    ("gpu", ""),
    ("kernel", "Tier 3: the parts. Kernels"),
    ("gp/data", "Gaussian-process regression"),
    ("gp/make", ""),
    ("gp/learn", ""),
    ("gp/predict", ""),
    ("parts", "Acquisitions and designs"),
    ("race", "Races of noisy configurations"),
    ("frace", "Iterated F-races"),
    ("compare", "Comparisons of methods"),
    ("document", "Spaces with names, as JSON"),
];

fn generate() -> String {
    let mut config = cbindgen::Config::from_file(ffi().join("header/cbindgen.toml")).expect("cbindgen.toml");
    config.header = Some(read("header/top.h").trim_end().to_string());
    let mut macros = read("header/macros.h");
    let version = env!("CARGO_PKG_VERSION").split('.').collect::<Vec<_>>();
    for (name, number) in ["@MAJOR@", "@MINOR@", "@PATCH@"].into_iter().zip(version) {
        macros = macros.replace(name, number);
    }
    config.after_includes = Some(format!("\n{}", macros.trim_end()));
    let sources = SOURCES.iter().map(|(name, _)| ffi().join(format!("src/{name}.rs")));
    let builder = sources.fold(cbindgen::Builder::new().with_config(config), |b, path| b.with_src(path));
    let mut text = Vec::new();
    builder.generate().expect("the sources are read").write(&mut text);
    with_headings(&compact(&String::from_utf8(text).expect("it is text")))
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
    for (source, heading) in SOURCES.iter().filter(|(_, heading)| !heading.is_empty()) {
        let name = read(&format!("src/{source}.rs"))
            .split("extern \"C\" fn ")
            .nth(1)
            .and_then(|rest| rest.split('(').next())
            .expect("each source exports a function")
            .to_string();
        let call = declared(&header, &name);
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
fn the_committed_header_is_that_of_the_sources() {
    let fresh = generate();
    if std::env::var_os("INFILL_WRITE_HEADER").is_some() {
        fs::write(ffi().join("include/infill.h"), &fresh).expect("the header is written");
    }
    if read("include/infill.h") != fresh {
        panic!("include/infill.h is stale: INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header");
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
    for (source, _) in SOURCES {
        let text = read(&format!("src/{source}.rs"));
        for rest in text.split("extern \"C\" fn infill_").skip(1) {
            let name = format!("infill_{}", rest.split('(').next().expect("a name"));
            let before = &header[..declared(&header, &name)];
            let before = before.trim_end_matches(|c: char| c != '/');
            assert!(before.ends_with("*/"), "{name} has no comment");
        }
        for rest in text.split("#[repr(C)]\npub struct infill_").skip(1) {
            let name = rest.split(' ').next().expect("a name");
            let at =
                header.find(&format!("typedef struct infill_{name} {{")).unwrap_or_else(|| panic!("{name}"));
            let comment = &header[header[..at].rfind("/**").expect("a comment")..at];
            assert!(comment.contains("Threads: ") && comment.contains("Lifetime: "), "{name}: {comment}");
        }
    }
    for name in [
        "infill_opt",
        "infill_gp",
        "infill_backend",
        "infill_race",
        "infill_frace",
        "infill_selection",
        "infill_document",
    ] {
        let at = header.find(&format!("typedef struct {name} {name};")).unwrap_or_else(|| panic!("{name}"));
        let comment = &header[header[..at].rfind("/**").expect("a comment")..at];
        assert!(comment.contains("Threads: ") && comment.contains("Lifetime: "), "{name}: {comment}");
    }
}
