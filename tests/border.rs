//! The C interface as C and C++ programs see it, compiled by two compilers and watched by four checkers.
//!
//! The programs are in `ffi`: those of each part, which `infill_tests::interface` lists, and [`MORE`] that look at several
//! parts together. Each checks its own results; here they are built, run and watched.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use infill_tests::declarations::Declarations;
use infill_tests::interface::{PARTS, programs, source};
use infill_tests::native::{Build, Library, has, root, run, scratch, text};

/// Programs besides those of the parts: every choice, spaces that have everything, sizes, kernels of mixed and conditional
/// spaces, every strategy of algorithm selection, smashed blocks, threads, every way to search, methods without a model, damaged blocks, a process after calls that
/// failed, the golden tables, numbers from all over the range.
const MORE: [&str; 13] = [
    "choices",
    "conditional",
    "words",
    "similarity",
    "strategy",
    "panic",
    "threads",
    "search",
    "free",
    "damage",
    "failing",
    "golden",
    EXTREME,
];

/// The program that gives every function numbers from all over the range.
const EXTREME: &str = "extreme";

/// The program that reads too much when it is told to.
const OVERREADS: &str = "good/kernel";

/// Every program with the stride of its sweeps on the bare machine and under a checker, which is slow.
fn all() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    programs().into_iter().chain(MORE.map(str::to_string)).map(|program| {
        let (bare, watched) = match program.as_str() {
            "bad/block" => ("5", "101"),
            "panic" => ("7", "97"),
            "damage" => ("1", "211"),
            EXTREME => ("1", "100"),
            _ => ("", ""),
        };
        (program, bare, watched)
    })
}

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
    let name = format!("{}-{}-{kind}", program.replace('/', "-"), compiler.0);
    library.program(compiler.0, &flags, &[source(program)], &name)
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
fn declared() -> BTreeSet<String> {
    Declarations::read().functions.into_iter().map(|((_, name), _)| name).collect()
}

#[test]
fn every_function_is_called_with_good_and_with_bad_input() {
    let (mut names, mut missing) = (BTreeSet::new(), Vec::new());
    for part in PARTS {
        for program in part.programs.names() {
            let text = std::fs::read_to_string(source(&program)).expect("the program is there");
            for name in part.functions() {
                if text.matches(&format!("{name}(")).count() < part.programs.calls() {
                    missing.push(format!("{program}.c: {name}"));
                }
                names.insert(name);
            }
        }
    }
    assert!(missing.is_empty(), "not called, or not twice where one program has both inputs: {missing:#?}");
    // What the sources export is what the header declares.
    assert_eq!(names, declared());
    assert!(names.len() > 70, "{} functions found", names.len());
}

/// The declaration of a function, from its name to its end.
fn declaration<'a>(header: &'a str, name: &str) -> &'a str {
    let start = header.rfind(&format!("{name}(")).unwrap_or_else(|| panic!("{name} is not declared"));
    &header[start..start + header[start..].find(");").expect("a declaration ends")]
}

/// Whether a structure of the header has a number that is not whole.
fn has_numbers(header: &str, structure: &str) -> bool {
    let start = header.find(&format!("struct {structure} {{"));
    start
        .is_some_and(|at| header[at..at + header[at..].find("\n}").expect("it ends")].contains("    double "))
}

/// What takes or gives such a number, itself or in a structure that it writes, is called by the program of extremes.
#[test]
fn every_function_of_numbers_meets_extreme_ones() {
    let path = root().join("ffi/include/infill.h");
    let header = std::fs::read_to_string(&path).expect("the header is there");
    let program = std::fs::read_to_string(source(EXTREME)).expect("the program is there");
    let (mut found, mut missing) = (0, Vec::new());
    for name in declared() {
        let declaration = declaration(&header, &name);
        let parameters = declaration.split([',', '(']).map(str::trim).skip(1);
        let numbers = parameters.into_iter().any(|parameter| {
            let structure = parameter.split(" *").next().expect("a type");
            parameter.contains("double") || has_numbers(&header, structure)
        });
        found += usize::from(numbers);
        if numbers && !program.contains(&format!("{name}(")) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "not called by {EXTREME}.c: {missing:#?}");
    assert!(found > 50, "{found} functions of numbers");
}

#[test]
fn every_program_is_run() {
    let run: BTreeSet<String> = all().map(|(program, ..)| program).collect();
    // Run by tests/bits.rs, by that of the GPU, and by tests/kill.rs.
    let elsewhere = ["asks", "gpu", "kill_at"];
    for folder in ["", "good/", "bad/"] {
        for entry in std::fs::read_dir(root().join("tests/ffi").join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            let Some(name) = name.strip_suffix(".c") else { continue };
            assert!(
                run.contains(&format!("{folder}{name}")) || elsewhere.contains(&name),
                "{folder}{name}.c"
            );
        }
    }
}

/// Compiles and runs every program.
fn each_program(compilers: [(&str, &[&str]); 2]) {
    let library = Library::build(Build::Plain);
    for compiler in compilers.into_iter().filter(|compiler| has(compiler.0)) {
        for (program, mut stride, slow) in all() {
            // The whole sweep once is enough: the library is the same.
            if compiler.0 != "gcc" {
                stride = slow;
            }
            let built = build(&library, compiler, &[], &program, "plain");
            println!("{}: {}", compiler.0, text(&mut command(&[], &built, stride)).trim_end());
        }
    }
}

#[test]
fn c_and_cpp_by_a_compiler_each() {
    each_program([COMPILERS[0], COMPILERS[3]]);
}

/// By other compilers, and under checkers, which are slow: `./ci.sh sweep`.
mod sweep {
    use super::*;

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn c_and_cpp_by_the_other_compilers() {
        each_program([COMPILERS[1], COMPILERS[2]]);
    }

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn memcheck_finds_no_error_and_no_leak() {
        if !has("valgrind") {
            return;
        }
        let library = Library::build(Build::Plain);
        let tool =
            ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=all"];
        for (program, _, stride) in all() {
            let built = build(&library, COMPILERS[0], &[], &program, "memcheck");
            print!("{}", text(&mut command(&tool, &built, stride)));
            if program == OVERREADS {
                caught(&mut command(&tool, &built, "overread"), "Invalid read");
            }
        }
    }

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn undefined_behaviour_is_not_found() {
        let library = Library::build(Build::Plain);
        let flags = ["-fsanitize=undefined", "-fno-sanitize-recover=all"];
        for compiler in sanitized(flags[0]) {
            for (program, _, stride) in all() {
                let built = build(&library, compiler, &flags, &program, "undefined");
                run(&mut command(&[], &built, stride));
            }
        }
    }

    /// The library is instrumented, too: what it reads too much is caught inside.
    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn address_sanitizer_finds_nothing() {
        let library = Library::build(Build::Address);
        let flags = ["-fsanitize=address"];
        for compiler in sanitized(flags[0]) {
            for (program, _, stride) in all() {
                let built = build(&library, compiler, &flags, &program, "address");
                run(&mut command(&[], &built, stride));
                if program == OVERREADS {
                    caught(&mut command(&[], &built, "overread"), "heap-buffer-overflow");
                }
            }
        }
    }

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
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
}
