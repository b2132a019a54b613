//! The backend as a C program meets it: `tests/ffi/gpu.c`, against a libinfill with the feature `gpu` and one without.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use std::path::PathBuf;
use std::process::Command;

use infill_tests::native::{Build, Library, has, root, text};

/// The first C compiler there is.
fn compiler() -> Option<&'static str> {
    ["cc", "gcc", "clang"].into_iter().find(|name| has(name))
}

fn program(library: &Library, name: &str) -> PathBuf {
    let flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L"];
    let source = root().join("tests/ffi/gpu.c");
    library.program(compiler().expect("a C compiler"), &flags, &[source], name)
}

/// The functions that a shared library exports.
fn exported(library: &Library) -> Option<Vec<String>> {
    if !has("nm") {
        return None;
    }
    let listed = text(Command::new("nm").args(["-D", "--defined-only"]).arg(library.shared()));
    let mut names: Vec<String> =
        listed.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_string).collect();
    names.retain(|name| name.starts_with("infill_"));
    names.sort();
    Some(names)
}

/// With the feature and without it the functions are the same; without it they say that they can do nothing.
#[test]
fn c_programs() {
    let (with, without) = (Library::build(Build::Gpu), Library::build(Build::Plain));
    if let (Some(with), Some(without)) = (exported(&with), exported(&without)) {
        assert_eq!(with, without);
        assert!(with.iter().any(|name| name == "infill_backend_gpu"));
    }
    let said = text(Command::new(program(&without, "gpu-without")).arg("none"));
    assert!(said.contains("all is well"), "{said}");

    let said = text(&mut Command::new(program(&with, "gpu-with")));
    print!("{said}");
    if said.contains("no adapter\n") {
        assert_ne!(std::env::var("INFILL_REQUIRE_GPU").as_deref(), Ok("1"), "no adapter is there");
        println!("skipped: no adapter for a C program");
        return;
    }
    assert!(said.contains("fallen back: the device is lost: no answer for 0 s"), "{said}");
}
