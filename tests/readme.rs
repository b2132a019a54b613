//! What the front page says is so: its files exist, its commands run something, its tables are complete.
//!
//! Its Rust is compiled and run as a documentation test of `support/lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The text outside of code blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// The names below a folder, without their endings.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let stem = |path: PathBuf| path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.filter_map(|entry| stem(entry.ok()?.path())).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn links_lead_to_files() {
    for page in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = prose(&read(page));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let heading = target.strip_prefix('#').map(|anchor| anchor.replace('-', " "));
            let found = match heading {
                Some(heading) => {
                    text.lines().any(|line| line.trim_start_matches(['#', ' ']).to_lowercase() == heading)
                }
                None => target.starts_with("https://") || root().join(target).exists(),
            };
            assert!(found, "{page} links to {target}");
        }
    }
}

#[test]
fn commands_run_something() {
    let script = read("ci.sh");
    let examples = names("core/examples");
    let mut commands = 0;
    for page in ["README.md", "CONTRIBUTING.md", "benches/README.md", "gpu/README.md"] {
        let text = read(page);
        for rest in text.split("./ci.sh ").skip(1) {
            let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
            let (verb, names) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
            assert!(script.contains(&format!("\n#: {verb} ")), "{page}: ci.sh has no verb {verb}");
            // A measurement has a name, and may have more up to the end of the command.
            let names = names.split("  ").next().unwrap_or_default().split(|c: char| !is_word(c) && c != ' ');
            let names = names.take(usize::from(verb == "measure")).flat_map(str::split_whitespace);
            for name in names {
                assert!(script.contains(&format!("\n#= {name} ")), "{page}: {name} is not measured");
            }
            commands += 1;
        }
        for rest in text.split("-p infill --example ").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            assert!(examples.contains(&name), "{page}: no example {name}");
            commands += 1;
        }
    }
    assert!(commands >= 4, "only {commands} commands found");
    for name in examples {
        assert!(
            read("README.md").contains(&format!("`{name}`")),
            "README.md does not name the example {name}"
        );
    }
}

#[test]
fn every_block_of_rust_is_compiled() {
    let text = read("README.md");
    let fences: Vec<&str> = text.lines().filter(|line| line.starts_with("```")).step_by(2).collect();
    assert!(fences.iter().filter(|fence| **fence == "```rust").count() >= 4, "{fences:?}");
    // A block without a name is Rust to the documentation tests, and `rust,ignore` is to none.
    assert!(
        fences.iter().all(|fence| matches!(*fence, "```rust" | "```sh" | "```text" | "```c")),
        "{fences:?}"
    );
}

#[test]
fn the_layers_name_every_module() {
    let text = read("README.md");
    let page = read("core/src/lib.rs");
    let front: String = page.lines().filter(|line| line.starts_with("//!")).collect();
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("| layer |"))
        .skip(2)
        .take_while(|l| l.starts_with('|'))
        .collect();
    assert_eq!(rows.len(), 7);
    for module in names("core/src").iter().filter(|name| *name != "lib") {
        let name = format!("`{module}`");
        assert_eq!(rows.iter().filter(|row| row.contains(&name)).count(), 1, "README.md: layer of {name}");
        assert!(front.contains(&name), "the front page of the documentation does not name {name}");
    }
    for (row, line) in rows.iter().zip(layers()) {
        let modules = row.split('|').nth(2).unwrap_or_default();
        for name in modules.split('`').skip(1).step_by(2) {
            assert!(
                line.contains(&format!("\"{name}\"")),
                "README.md puts {name} into another layer: {line}"
            );
        }
    }
}

/// The lines of the list that counts.
fn layers() -> Vec<String> {
    let text = read("tests/layers.rs");
    let list = text.split("const LAYERS").nth(1).unwrap_or_default();
    list.lines().skip(1).take_while(|line| *line != "];").map(str::to_owned).collect()
}
