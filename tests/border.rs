//! The C interface as C and C++ programs see it, compiled by two compilers and watched by four checkers.
//!
//! The programs are in `ffi`: `every.c` good input, `choices.c` every choice, `conditional.c` spaces that have everything,
//! `search.c` every way to search, `similarity.c` kernels of mixed and conditional
//! spaces, `bad.c` bad input, `words.c` sizes, `panic.c` smashed blocks, `threads.c` threads, and one
//! for each of [`PARTS`]. Each checks its own results; here they are built, run and watched.

use std::path::PathBuf;
use std::process::{Command, Output};

use infill_tests::native::{Build, Library, has, root, run, scratch, text};

fn source(program: &str) -> PathBuf {
    root().join(format!("tests/ffi/{program}.c"))
}

/// Each program with the stride of its sweeps on the bare machine and under a checker, which is slow.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("every", "", ""),
    ("choices", "", ""),
    ("conditional", "", ""),
    ("bad", "5", "101"),
    ("words", "", ""),
    ("similarity", "", ""),
    ("panic", "7", "97"),
    ("threads", "", ""),
    ("search", "", ""),
    ("free", "", ""),
    ("document", "", ""),
    ("selection", "", ""),
    ("race", "", ""),
];

/// Programs that give the functions of one part both good and bad input.
const PARTS: &[&str] = &["document", "selection", "race"];

/// The compilers with the flags that make each take the programs.
const COMPILERS: [(&str, &[&str]); 4] = [
    ("gcc", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]),
    ("clang", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]),
    ("g++", &["-std=c++17"]),
    // It takes a name that ends in .c for a mistake.
    ("clang++", &["-std=c++17", "-Wno-deprecated"]),
];

/// One compiler of each language that has the sanitizer, whose runtime may be a package of its own.
fn sanitized(sanitizer: &str) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let probe = scratch(&format!("probe{sanitizer}"));
    std::fs::write(probe.join("probe.c"), "int main(void) { return 0; }\n").expect("a file is written");
    [COMPILERS[0], COMPILERS[3]].into_iter().filter(move |(compiler, flags)| {
        let mut command = Command::new(compiler);
        command.current_dir(&probe).args(*flags).args([sanitizer, "probe.c", "-o", "probe"]);
        let found = has(compiler) && command.output().is_ok_and(|output| output.status.success());
        if !found {
            println!("skipped: {compiler} {sanitizer} does not link (libclang-rt-dev, libasan, libubsan)");
        }
        found
    })
}

fn build(library: &Library, compiler: (&str, &[&str]), more: &[&str], program: &str, kind: &str) -> PathBuf {
    let flags = [compiler.1, more].concat();
    library.program(compiler.0, &flags, &[source(program)], &format!("{program}-{}-{kind}", compiler.0))
}

/// The program with its stride; panics are expected and short.
fn command(tool: &[&str], program: &PathBuf, stride: &str) -> Command {
    let mut command = match tool {
        [] => Command::new(program),
        [tool, rest @ ..] => {
            let mut command = Command::new(tool);
            command.args(rest).arg(program);
            command
        }
    };
    command.env("RUST_BACKTRACE", "0").args((!stride.is_empty()).then_some(stride));
    command
}

/// Runs what has to be caught: it ends badly and its checker says why.
fn caught(command: &mut Command, by: &str) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&stderr).into_owned() + &String::from_utf8_lossy(&stdout);
    assert!(!status.success() && said.contains(by), "{command:?} was not caught:\n{said}");
}

/// The names of the functions that the header declares, of which comments and macros only speak.
fn declared() -> Vec<String> {
    let header = root().join("ffi/include/infill.h");
    let header = std::fs::read_to_string(&header).expect("the header is there");
    let mut names = Vec::new();
    for line in header.lines().filter(|line| !line.starts_with([' ', '/', '*', '#'])) {
        let Some((before, _)) = line.split_once('(') else { continue };
        let name = before.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("infill_") && !line.starts_with("typedef") {
            names.push(name.to_string());
        }
    }
    names
}

#[test]
fn every_function_is_called_with_good_and_with_bad_input() {
    let names = declared();
    // What the sources export is what the header declares: tests/header.rs.
    assert!(names.len() > 70, "{} functions found", names.len());
    let read = |program| std::fs::read_to_string(source(program)).expect("the program is there");
    let (good, bad, parts) =
        (read("every"), read("bad"), PARTS.iter().map(|part| read(part)).collect::<Vec<_>>());
    for name in &names {
        let call = format!("{name}(");
        let calls = |text: &String| text.matches(&call).count();
        let apart = parts.iter().any(|part| calls(part) > 1);
        assert!(apart || calls(&good) > 0, "neither every.c nor twice in a part: {name}");
        assert!(apart || calls(&bad) > 0, "neither bad.c nor twice in a part: {name}");
    }
}

#[test]
fn c_and_cpp_by_both_compilers() {
    let library = Library::build(Build::Plain);
    for compiler in COMPILERS.into_iter().filter(|compiler| has(compiler.0)) {
        for (program, mut stride, slow) in PROGRAMS.iter().copied() {
            // The whole sweep once is enough: the library is the same.
            if compiler.0 != "gcc" {
                stride = slow;
            }
            let built = build(&library, compiler, &[], program, "plain");
            println!("{}: {}", compiler.0, text(&mut command(&[], &built, stride)).trim_end());
        }
    }
}

#[test]
fn memcheck_finds_no_error_and_no_leak() {
    if !has("valgrind") {
        return;
    }
    let library = Library::build(Build::Plain);
    let tool = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=all"];
    for (program, _, stride) in PROGRAMS.iter().copied() {
        let built = build(&library, COMPILERS[0], &[], program, "memcheck");
        print!("{}", text(&mut command(&tool, &built, stride)));
        if program == "every" {
            caught(&mut command(&tool, &built, "overread"), "Invalid read");
        }
    }
}

#[test]
fn undefined_behaviour_is_not_found() {
    let library = Library::build(Build::Plain);
    let flags = ["-fsanitize=undefined", "-fno-sanitize-recover=all"];
    for compiler in sanitized(flags[0]) {
        for (program, _, stride) in PROGRAMS.iter().copied() {
            let built = build(&library, compiler, &flags, program, "undefined");
            run(&mut command(&[], &built, stride));
        }
    }
}

/// The library is instrumented, too: what it reads too much is caught inside.
#[test]
fn address_sanitizer_finds_nothing() {
    let library = Library::build(Build::Address);
    let flags = ["-fsanitize=address"];
    for compiler in sanitized(flags[0]) {
        for (program, _, stride) in PROGRAMS.iter().copied() {
            let built = build(&library, compiler, &flags, program, "address");
            run(&mut command(&[], &built, stride));
            if program == "every" {
                caught(&mut command(&[], &built, "overread"), "heap-buffer-overflow");
            }
        }
    }
}

#[test]
fn helgrind_finds_no_race() {
    if !has("valgrind") {
        return;
    }
    let library = Library::build(Build::Plain);
    let tool = ["valgrind", "-q", "--tool=helgrind", "--error-exitcode=9"];
    let built = build(&library, COMPILERS[0], &[], "threads", "helgrind");
    run(&mut command(&tool, &built, ""));
    caught(&mut command(&tool, &built, "careless"), "Possible data race");
}
