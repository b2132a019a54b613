//! Random sequences of calls over the C header; `./ci.sh sweep` watches more of them by AddressSanitizer on both sides of
//! the border.
//!
//! The program is in `ffi/fuzz`; which statuses each function may return is read from the comments of the header.
//! `INFILL_FUZZ_CALLS` says how many calls, `INFILL_FUZZ_FIRST` which case is the first. A failure prints the seed of its
//! case; `INFILL_FUZZ_SEED` runs that case alone and prints its calls.

use std::path::{Path, PathBuf};
use std::process::Command;

use infill_tests::native::{Build, Library, root, scratch};
use infill_tests::statuses::Statuses;

/// The program over a build of the library, and the flags by which it is watched.
fn program(library: &Library, watch: &str, name: &str) -> PathBuf {
    let tables = scratch("fuzz").join(name);
    std::fs::create_dir_all(&tables).expect("the target folder can be written");
    std::fs::write(tables.join("documented.h"), Statuses::read().to_c()).expect("a file is written");
    let folder = root().join("tests/ffi/fuzz");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of the program")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        .collect();
    sources.sort();
    let include = format!("-I{}", tables.display());
    let flags = ["-std=c99", "-O1", watch, "-fno-sanitize-recover=all", &include];
    library.program("gcc", &flags, &sources, name)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs two halves of the cases at once.
fn run(program: &Path, calls: u64) {
    let run = |arguments: &[u64]| {
        let mut command = Command::new(program);
        command.args(arguments.iter().map(u64::to_string)).env("RUST_BACKTRACE", "0");
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
    };
    let first = number("INFILL_FUZZ_FIRST").unwrap_or(1);
    let outputs = match number("INFILL_FUZZ_SEED") {
        Some(seed) => vec![run(&[seed])],
        None => std::thread::scope(|scope| {
            let halves =
                [first, first + (1 << 40)].map(|first| scope.spawn(move || run(&[first, calls / 2])));
            halves.into_iter().map(|half| half.join().expect("a thread ends")).collect()
        }),
    };
    let mut good = true;
    for output in outputs {
        let (said, wrong) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        println!("{said}{wrong}");
        good &= output.status.success();
    }
    assert!(good, "the lines above name seeds: INFILL_FUZZ_SEED=… runs one case alone");
}

#[test]
fn every_function_lists_its_errors() {
    let statuses = Statuses::read();
    assert!(statuses.documented.len() > 80, "{} functions found", statuses.documented.len());
    assert!(statuses.numbers.len() > 30 && statuses.numbers["INFILL_OK"] == 0);
    let ask = &statuses.documented["infill_ask_with"];
    // One of its own, one of those it refers to, one of the first page.
    for name in ["INFILL_ERROR_BACKEND", "INFILL_ERROR_EXHAUSTED", "INFILL_ERROR_NULL"] {
        assert!(ask.contains(name), "{name}: {ask:?}");
    }
    assert!(!ask.contains("INFILL_ERROR_KERNEL"));
}

#[test]
fn calls_do_what_the_header_says() {
    let program = program(&Library::build(Build::Plain), "-fsanitize=undefined", "fuzz-plain");
    run(&program, number("INFILL_FUZZ_CALLS").unwrap_or(10_000));
}

/// Also of what is read and written.
mod sweep {
    use super::*;

    #[test]
    #[ignore = "builds the library again: ./ci.sh sweep"]
    fn calls_touch_what_they_may() {
        let program = program(&Library::build(Build::Address), "-fsanitize=address,undefined", "fuzz");
        run(&program, number("INFILL_FUZZ_CALLS").unwrap_or(10_000));
    }
}
