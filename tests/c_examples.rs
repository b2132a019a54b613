//! The C examples, and the C of the front page, compile without a warning and do what they say.
//!
//! Each checks its own result, so that its exit status counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use infill::{Config, Limits, Optimizer, Param, Space};
use infill_tests::native::{Build, Library, has, root, run, scratch, text};

/// C99, and what POSIX adds to it.
const FLAGS: [&str; 2] = ["-std=c99", "-D_POSIX_C_SOURCE=200809L"];
/// Any error, and any byte that is not given back, is a failure.
const MEMCHECK: [&str; 4] =
    ["--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=all", "--errors-for-leak-kinds=all"];

/// Those compilers that are installed.
fn compilers() -> impl Iterator<Item = &'static str> {
    ["gcc", "clang"].into_iter().filter(|compiler| has(compiler))
}

fn example(compiler: &str, name: &str) -> PathBuf {
    let source = root().join("ffi/examples").join(format!("{name}.c"));
    // These need no operating system of any kind.
    let flags = if matches!(name, "minimize" | "conditional" | "static" | "transfer") {
        &FLAGS[..1]
    } else {
        &FLAGS[..]
    };
    Library::build(Build::Plain).program(compiler, flags, &[source], &format!("example-{name}-{compiler}"))
}

/// An empty folder to run in.
fn folder(name: &str) -> PathBuf {
    let folder = scratch("examples").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Runs an example that takes no arguments with each compiler, and gives what it printed.
fn outputs(name: &str) -> Vec<String> {
    compilers().map(|compiler| text(&mut Command::new(example(compiler, name)))).collect()
}

/// Runs a program by valgrind in a folder; gives what valgrind said.
fn valgrind(tool: &[&str], program: &Path, arguments: &[&str], at: &Path) -> String {
    let mut command = Command::new("valgrind");
    let output = run(command.args(tool).arg(program).args(arguments).current_dir(at));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The last number of the first line that starts so.
fn number(text: &str, start: &str) -> f64 {
    let line =
        text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}:\n{text}"));
    line.split_whitespace().filter_map(|word| word.parse().ok()).next_back().expect("a number")
}

#[test]
fn minimize_stops_when_it_is_good_enough() {
    for text in outputs("minimize") {
        assert!(number(&text, "best") < number(&text, "minimum") + 1e-3, "{text}");
        let after = text.lines().find_map(|line| line.strip_prefix("good enough after "));
        let evaluations = after.and_then(|rest| rest.split(' ').next()?.parse().ok());
        assert!(evaluations.is_some_and(|count: u32| count < 60), "{text}");
    }
}

#[test]
fn conditional_keeps_to_what_is_allowed() {
    for text in outputs("conditional") {
        assert!(text.starts_with("method 2, preconditioner 2, fill 2, "), "{text}");
    }
}

#[test]
fn static_finds_gains() {
    for text in outputs("static") {
        assert!(number(&text, "best") < 0.5 * number(&text, "guess"), "{text}");
    }
}

#[test]
fn transfer_starts_near_the_answer() {
    for text in outputs("transfer") {
        assert!(text.starts_with("3 sources in "), "{text}");
        assert!(number(&text, "with them") <= 3.0 && number(&text, "without them") > 5.0, "{text}");
    }
}

#[test]
fn parallel_has_several_trials_open() {
    for text in outputs("parallel") {
        assert!(text.contains("evaluations  48, up to 4 at a time by 4 workers"), "{text}");
    }
}

#[test]
fn asktell_goes_on_where_it_was() {
    for compiler in compilers() {
        let (program, at) = (example(compiler, "asktell"), folder(compiler));
        let go = |file: &str, count: &str| text(Command::new(&program).args([file, count]).current_dir(&at));
        let whole = go("whole", "40");
        let first = go("parts", "13");
        // The room of a file is that of its first run.
        assert_eq!(go("parts", "14").lines().count(), 1);
        assert!(whole.lines().zip(first.lines()).take(2 * 13).all(|(a, b)| a == b), "{whole}\n{first}");

        // What is done is not done again.
        let again = go("whole", "40");
        assert_eq!(again.lines().count(), 1);
        assert_eq!(again.lines().last(), whole.lines().last());
    }
}

#[test]
fn asktell_refuses_files_that_are_not_its_own() {
    if !has("gcc") {
        return;
    }
    let (program, at) = (example("gcc", "asktell"), folder("refused"));
    let printed = text(Command::new(&program).args(["whole", "9"]).current_dir(&at));
    let whole = fs::read(at.join("whole")).expect("it was saved");
    // One bit of a value that was told.
    let told = number(&printed, "saved").to_le_bytes();
    let place = whole.windows(8).position(|bytes| bytes == told).expect("the value is in the file");
    let mut damaged = whole.clone();
    damaged[place] ^= 1;
    // As many parameters, but not the same.
    let params = [Param::real(-2.0, 2.0), Param::real(-1.0, 4.0)];
    let space = Space::new(&params, &[]).expect("a space");
    let limits = Limits::new(2, 9);
    let other = Optimizer::<f64, _>::with_limits(&space, &Config::default(), limits).expect("an optimizer");
    let other: Vec<u8> = other.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let prose = b"this is no optimizer, but it is long enough to look like the front of one".to_vec();
    for (name, bytes) in [
        ("empty", vec![]),
        ("short", whole[..whole.len() - 8].to_vec()),
        ("prose", prose),
        ("damaged", damaged),
        ("other", other),
    ] {
        fs::write(at.join(name), &bytes).expect("the folder can be written");
        let output = Command::new(&program).args([name, "9"]).current_dir(&at).output().expect("runs");
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with(&format!("{name}: ")), "{output:?}");
        assert_eq!(fs::read(at.join(name)).expect("it is still there"), bytes, "{name} was written to");
    }
    for arguments in [&["whole"][..], &["whole", "0"], &["whole", "x"], &["whole", "9", "-1"]] {
        let output = Command::new(&program).args(arguments).current_dir(&at).output().expect("runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    }
}

#[test]
fn tune_gcc_finds_flags_that_are_right() {
    if !has("cc") {
        return;
    }
    for compiler in compilers() {
        let at = folder(&format!("tune-{compiler}"));
        let text = text(Command::new(example(compiler, "tune_gcc")).arg("8").current_dir(&at));
        assert!(text.contains(" times as fast\n"), "{text}");
        let trials: Vec<&str> = text.lines().take(8).collect();
        // What it would have used anyway comes first.
        assert!(trials[0].starts_with("   1  ") && trials[0].ends_with(" ms  -O2"), "{text}");
        // Gaps are NaN, of which -ffast-math denies the existence: fast and wrong.
        let wrong = trials.iter().filter(|line| line.contains("-ffast-math"));
        assert!(wrong.clone().count() > 0 && wrong.clone().all(|line| line.contains(" failed ")), "{text}");
        assert!(
            text.lines().any(|line| line.starts_with("best ") && !line.contains("-ffast-math")),
            "{text}"
        );
        assert_eq!(fs::read_dir(&at).expect("it is there").count(), 0, "files are left behind");
    }
}

#[test]
fn make_builds_all_of_them() {
    if !has("make") || !has("cc") {
        return;
    }
    let at = folder("make");
    let mut make = Command::new("make");
    make.arg("-C").arg(root().join("ffi/examples"));
    make.arg(format!("LIBRARY={}", Library::build(Build::Plain).archive().display()));
    run(make.arg(format!("OUT={}", at.display())).arg("CFLAGS=-O2 -Wall -Wextra -Wpedantic -Werror"));
    for entry in fs::read_dir(root().join("ffi/examples")).expect("the examples are there") {
        let path = entry.expect("the examples can be listed").path();
        if path.extension().is_some_and(|ending| ending == "c") {
            let name = path.file_stem().expect("a name");
            assert!(at.join(name).is_file(), "the Makefile does not build {name:?}");
        }
    }
}

/// The programs among the C blocks of a page.
fn programs(page: &str) -> Vec<&str> {
    let blocks = page.split("\n```c\n").skip(1);
    blocks.filter_map(|rest| rest.split_once("\n```")).map(|(block, _)| block).filter(is_program).collect()
}

fn is_program(block: &&str) -> bool {
    block.contains("int main")
}

#[test]
fn programs_are_found_in_a_page() {
    let page =
        "a\n```c\nint main(void);\n```\n```cpp\nint main();\n```\n```c\nint x;\n```\n```c\nint main(\n```\n";
    assert_eq!(programs(page), ["int main(void);", "int main("]);
}

#[test]
fn the_c_of_the_front_page_runs() {
    let library = Library::build(Build::Plain);
    let mut found = 0;
    for page in ["README.md", "ffi/README.md"] {
        // The second page need not exist.
        let Ok(content) = fs::read_to_string(root().join(page)) else { continue };
        for block in programs(&content) {
            found += 1;
            let source = scratch("programs").join(format!("readme-{found}.c"));
            fs::write(&source, format!("{block}\n")).expect("the target folder can be written");
            for compiler in compilers() {
                let name = format!("readme-{found}-{compiler}");
                let program =
                    library.program(compiler, &["-std=c99", "-O2"], std::slice::from_ref(&source), &name);
                let printed = text(&mut Command::new(program));
                assert!(!printed.is_empty(), "{page}: a program prints nothing");
            }
        }
    }
    assert!(found > 0, "README.md has no program in C");
}

/// Under checkers, which are slow: `./ci.sh sweep`.
mod sweep {
    use super::*;

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn static_takes_no_heap() {
        if has("gcc") && has("valgrind") {
            let said = valgrind(&MEMCHECK, &example("gcc", "static"), &[], &folder("static"));
            assert!(said.contains("total heap usage: 0 allocs, 0 frees, 0 bytes"), "{said}");
        }
    }

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn valgrind_finds_no_error_and_no_leak() {
        if !has("gcc") || !has("valgrind") {
            return;
        }
        let at = folder("memcheck");
        let cases: [(&str, &[&str]); 5] = [
            ("minimize", &[]),
            ("asktell", &["run", "12"]),
            ("parallel", &[]),
            ("transfer", &[]),
            ("tune_gcc", &["3"]),
        ];
        for (name, arguments) in cases {
            let said = valgrind(&MEMCHECK, &example("gcc", name), arguments, &at);
            assert!(said.contains("ERROR SUMMARY: 0 errors"), "{name}: {said}");
        }
        // Once more from its file.
        valgrind(&MEMCHECK, &example("gcc", "asktell"), &["run", "12"], &at);
    }

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn helgrind_finds_no_race() {
        if has("gcc") && has("valgrind") {
            let helgrind = ["--tool=helgrind", "--error-exitcode=99"];
            let said = valgrind(&helgrind, &example("gcc", "parallel"), &[], &folder("helgrind"));
            assert!(said.contains("ERROR SUMMARY: 0 errors"), "{said}");
        }
    }
}
