//! Wrong inputs and what is said of them: `cases.txt` has an input a line, `messages.txt` the sentence of each, in four languages.
//!
//! Rust, C and C++ say the same; Python, which refuses some of it before the library sees it, has a table of its own.
//! `INFILL_WRITE_MESSAGES=Rust cargo test -p infill-tests --test refusals`, or `=Python`, writes a table anew: read it.

mod case;
mod edits;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use infill_tests::native::{Build, Library, has, root, run, scratch};

fn folder() -> PathBuf {
    root().join("tests/refusals")
}

fn cases() -> Vec<String> {
    let text = fs::read_to_string(folder().join("cases.txt")).expect("the cases");
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_string).collect()
}

/// Writes the sentences of a language into its table if that is asked for, and compares them with it.
fn compare(language: &str, file: &str, said: &[String]) {
    let (path, cases) = (folder().join(file), cases());
    assert_eq!(said.len(), cases.len(), "{language}");
    if std::env::var_os("INFILL_WRITE_MESSAGES").is_some_and(|which| which == language) {
        let mut text = format!("# What {language} says of each line of cases.txt; see main.rs.\n");
        for (case, sentence) in cases.iter().zip(said) {
            text += &format!("{case}\n  {sentence}\n");
        }
        fs::write(&path, text).expect("the table is written");
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    let table: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let other = |i: &usize| table.get(*i) != Some(&said[*i].as_str());
    let wrong: Vec<_> = (0..cases.len())
        .filter(other)
        .map(|i| format!("{}\n  {language}: {}\n  table: {}", cases[i], said[i], table.get(i).unwrap_or(&"")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn rust_names_the_culprit() {
    let cases = cases();
    assert!(cases.len() >= 120, "{} cases", cases.len());
    let said: Vec<_> = cases.iter().map(|case| case::explain(case)).collect();
    compare("Rust", "messages.txt", &said);
}

/// A program reads cases and writes a sentence for each.
fn of(command: &mut Command) -> Vec<String> {
    let file = fs::File::open(folder().join("cases.txt")).expect("the cases");
    let output = run(command.stdin(file));
    String::from_utf8(output.stdout).expect("it is text").lines().map(str::to_string).collect()
}

#[test]
fn c_names_the_culprit() {
    let library = Library::build(Build::Plain);
    let program = library.program(
        "cc",
        &["-std=c99", "-Wall", "-Wextra", "-Werror"],
        &[folder().join("refusals.c")],
        "refusals-c",
    );
    compare("C", "messages.txt", &of(&mut Command::new(program)));
}

#[test]
fn cpp_names_the_culprit() {
    let library = Library::build(Build::Plain);
    let flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror"];
    let program = library.program("c++", &flags, &[folder().join("refusals.cpp")], "refusals-cpp");
    compare("C++", "messages.txt", &of(&mut Command::new(program)));
}

#[test]
fn python_names_the_culprit() {
    if !has("python3") {
        println!("skipped: no python3");
        return;
    }
    let library = Library::build(Build::Plain);
    let mut command = Command::new("python3");
    command.env("INFILL_LIBRARY", library.shared()).env("PYTHONPATH", root().join("ffi/python"));
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(scratch("refusals"))
        .arg(folder().join("refusals.py"));
    compare("Python", "python.txt", &of(&mut command));
}
