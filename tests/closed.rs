//! Closed sets are closed: no `_ =>` over an enum of ours in the code of the products.
//!
//! A member that is added must not fall into an arm that was written before it. Types are not visible in the text, so every
//! wildcard arm stands in `closed.txt` with its reason; what is new is refused, what has gone is taken off the list. An arm
//! with a guard (`_ if …`) makes no match whole and is free.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_wildcard_arm_has_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    for folder in ["core/src", "gpu/src", "ffi/src"] {
        for path in sources(&root.join(folder)) {
            let text = fs::read_to_string(&path).expect("a source");
            let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
            for arm in wildcards(&text) {
                *found.entry(format!("{name} | {arm}")).or_insert(0) += 1;
            }
        }
    }
    assert!(found.len() > 40, "{} arms found: the scan is broken", found.len());
    let list = fs::read_to_string(root.join("tests/closed.txt")).expect("the list");
    let mut listed = BTreeMap::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        *listed.entry(line.to_string()).or_insert(0) += 1;
    }
    let differs = |a: &BTreeMap<String, i32>, b: &BTreeMap<String, i32>| -> Vec<String> {
        a.iter()
            .filter(|(arm, count)| b.get(*arm).unwrap_or(&0) < count)
            .map(|(arm, _)| arm.clone())
            .collect()
    };
    let (fresh, gone) = (differs(&found, &listed), differs(&listed, &found));
    assert!(
        fresh.is_empty(),
        "name the members instead of `_`, or, if this matches no enum of ours, enter it in tests/closed.txt:\n{}\n",
        fresh.join("\n")
    );
    assert!(gone.is_empty(), "no longer there, take it off tests/closed.txt:\n{}\n", gone.join("\n"));
}

/// All Rust files below a folder but those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found
}

/// Head of the match and wildcard arm, of every one outside of test modules.
fn wildcards(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        let tests = line == "#[cfg(test)]" && rest.peek().is_some_and(|next| next.ends_with(" {"));
        if tests {
            rest.by_ref().find(|line| *line == "}");
        } else {
            lines.push(line);
        }
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with("_ =>") {
            // The last line above that is further left, or begins what ends there.
            let open = |depth: usize| {
                let above = |other: &&&str| !other.trim().is_empty() && indent(other) < depth;
                lines[..at].iter().rev().find(|other| above(other) && other.contains("match "))
            };
            let head = open(indent(line)).expect("an arm is in a match");
            found.push(format!("{} | {}", head.trim(), line.trim()));
        }
    }
    found
}

#[test]
fn arms_are_found_with_their_heads() {
    let text = "fn f() {\n    let x = match a {\n        A::B => 1,\n        _ if c => 2,\n        _ => 3,\n    };\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn g() {\n        match a {\n            _ => 4,\n        }\n    }\n}\n";
    assert_eq!(wildcards(text), ["let x = match a { | _ => 3,"]);
}
