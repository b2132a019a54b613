//! infill.hpp: every function in both modes, under two compilers and the sanitizers; the same bits as in Rust.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use infill::{Condition, Config, Limits, Optimizer, Param, Real, Space, When};
use infill_tests::cpp::Cpp;
use infill_tests::declarations::Declarations;
use infill_tests::native::{Build, Library, has, root, run, scratch, text};

const STRICT: [&str; 3] = ["-std=c++17", "-Wconversion", "-Wshadow"];

/// The program that calls every function in the mode that throws.
const WRAPPER: [&str; 4] =
    ["wrapper/main.cpp", "wrapper/optimizers.cpp", "wrapper/processes.cpp", "wrapper/beyond.cpp"];

fn sources(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| root().join("tests/ffi").join(name)).collect()
}

fn with<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&STRICT[..], flags].concat()
}

/// Each compiler that is installed.
fn compilers() -> impl Iterator<Item = &'static str> {
    ["g++", "clang++"].into_iter().filter(|compiler| has(compiler))
}

/// Runs the wrapper by a compiler, if it is installed, and a standard.
fn wrapper(compiler: &str, standard: &str) {
    if has(compiler) {
        let (library, name) = (Library::build(Build::Plain), format!("wrapper-{compiler}{standard}"));
        // The last standard on the line counts.
        run(&mut Command::new(library.program(compiler, &with(&[standard]), &sources(&WRAPPER), &name)));
    }
}

#[test]
fn every_function_does_what_it_says() {
    wrapper("g++", "-std=c++17");
    wrapper("clang++", "-std=c++20");
}

#[test]
fn errors_are_returned_where_there_are_no_exceptions() {
    let library = Library::build(Build::Plain);
    for compiler in compilers() {
        let flags = with(&["-fno-exceptions", "-fno-rtti"]);
        let files = sources(&["returning.cpp", "returning_main.cpp"]);
        run(&mut Command::new(library.program(compiler, &flags, &files, &format!("returning-{compiler}"))));
        let files = sources(&["returning.cpp", "both_modes.cpp"]);
        run(&mut Command::new(library.program(
            compiler,
            &with(&[]),
            &files,
            &format!("both-modes-{compiler}"),
        )));
    }
}

/// Nothing throws or catches in the mode that says so.
#[test]
fn the_word_throw_is_left_out() {
    if !has("g++") {
        return;
    }
    let mut preprocess = Command::new("g++");
    preprocess.args(["-std=c++17", "-fdirectives-only", "-E", "-DINFILL_NO_EXCEPTIONS"]);
    let all = text(preprocess.arg(root().join("ffi/include/infill.hpp")));
    // What comes after the last included header is the header itself.
    let own = all.rsplit("namespace infill {").next().expect("the namespace is there");
    let code = own.lines().map(|line| line.split("//").next().unwrap_or_default());
    for line in code {
        for word in ["throw ", "try {", "catch (", "exception_ptr"] {
            assert!(!line.contains(word), "{line}");
        }
    }
    assert!(own.contains("class optimizer"));
}

#[test]
fn the_examples_find_what_they_look_for() {
    let library = Library::build(Build::Plain);
    for compiler in compilers() {
        for (name, says) in [("minimize", "40 evaluations"), ("transfer", "3 sources in ")] {
            let source = root().join(format!("ffi/examples/{name}.cpp"));
            let program =
                library.program(compiler, &with(&["-O2"]), &[source], &format!("example-{name}-{compiler}"));
            let said = text(&mut Command::new(program));
            assert!(said.contains(says), "{said}");
        }
    }
}

/// Every function of infill.h is called by infill.hpp, or does the same as one that takes a backend, too.
#[test]
fn all_of_c_is_reachable() {
    let cpp = std::fs::read_to_string(root().join("ffi/include/infill.hpp")).expect("a header");
    let cpp: String = cpp.lines().filter(|line| !line.trim_start().starts_with(['/', '*'])).collect();
    // It is called, or handed to what calls it.
    let called = |name: &str| ["(", ",", ")"].iter().any(|end| cpp.contains(&format!("{name}{end}")));
    let functions = Declarations::read().functions;
    for ((_, name), _) in &functions {
        assert!(called(name) || called(&format!("{name}_with")), "{name}");
    }
    assert!(functions.len() > 100, "{} functions", functions.len());
}

const LEVELS: [f64; 4] = [0.1, 0.2, 0.7, 3.0];

/// The cost of proposals.cpp.
fn cost(x: &[f64]) -> f64 {
    let bowl = (x[1] - 2.0) * (x[1] - 2.0) + 0.125 * x[0] + 0.03125 * x[2] + x[3] * x[3];
    if x[0] == 1.0 { bowl + x[4] } else { bowl + 0.5 }
}

/// What proposals.cpp prints.
fn proposals<R: Real>(preset: &str) -> String {
    let params = [
        Param::categorical(3),
        Param::real(-5.0, 10.0),
        Param::integer(1, 64).log(),
        Param::ordinal(&LEVELS),
        Param::real(1e-3, 1.0).log(),
        Param::real(0.0, 1.0),
    ];
    let conditions = [
        Condition::new(4, 0, When::Equals(1.0)),
        Condition::new(5, 2, When::Between(4.0, 32.0)),
        Condition::new(5, 3, When::In(&[0.1, 0.7])),
    ];
    let space = Space::new(&params, &conditions).expect("a space");
    let config = Config { seed: 20, ..Config::preset(preset).expect("a preset") };
    let limits = Limits::new(6, 30).conditions(3, space.levels() as u32).suit(&config);
    let mut optimizer =
        Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).expect("an optimizer");
    let mut said = String::new();
    for _ in 0..30 {
        let mut x = [R::ZERO; 6];
        let ask = optimizer.ask(&mut x).expect("a proposal");
        let x = x.map(R::to_f64);
        for value in x {
            write!(said, "{:016x} ", value.to_bits()).expect("text grows");
        }
        said += "\n";
        optimizer.tell(ask.id, R::of(cost(&x))).expect("it is open");
    }
    said
}

#[test]
fn proposals_are_those_of_rust_to_the_last_bit() {
    let library = Library::build(Build::Plain);
    for compiler in compilers() {
        // Elsewhere than here compilers may join a product and a sum.
        let flags = with(&["-O2", "-ffp-contract=off"]);
        let program =
            library.program(compiler, &flags, &sources(&["proposals.cpp"]), &format!("proposals-{compiler}"));
        assert_eq!(text(Command::new(&program).arg("4")), proposals::<f32>("default"), "f32, {compiler}");
        assert_eq!(text(Command::new(&program).arg("8")), proposals::<f64>("default"), "f64, {compiler}");
        let named = text(Command::new(&program).args(["8", "mip-ego"]));
        assert_eq!(named, proposals::<f64>("mip-ego"), "mip-ego, {compiler}");
    }
}

/// By other standards, under checkers and counted, which is slow: `./ci.sh sweep`.
mod sweep {
    use super::*;

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn every_function_does_what_it_says_by_the_other_standards() {
        wrapper("g++", "-std=c++20");
        wrapper("clang++", "-std=c++17");
    }

    /// Every function of infill.hpp that is written by hand is called by the wrapper: gcov counts the calls, also of those that are never used.
    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn every_function_is_called() {
        if !has("g++") || !has("gcov") {
            return;
        }
        let library = Library::build(Build::Plain);
        let folder = scratch("coverage");
        for old in std::fs::read_dir(&folder).expect("the folder is there").flatten() {
            std::fs::remove_file(old.path()).expect("counts of an earlier run are removed");
        }
        let (mut objects, mut notes) = (Vec::new(), Vec::new());
        for source in sources(&WRAPPER) {
            let object = folder.join(source.file_stem().expect("a name")).with_extension("o");
            let mut compile = Command::new("g++");
            compile.args(["-std=c++17", "--coverage", "-fkeep-inline-functions", "-c", "-I"]);
            run(compile.arg(root().join("ffi/include")).arg(source).arg("-o").arg(&object));
            notes.push(object.with_extension("gcno"));
            objects.push(object);
        }
        let program = folder.join("wrapper");
        let mut link = Command::new("g++");
        link.arg("--coverage").args(&objects).arg(library.archive()).args(["-lm", "-lpthread", "-ldl", "-o"]);
        run(link.arg(&program));
        run(&mut Command::new(&program));
        // Each file has the functions that it does not call, too, and the linker keeps one copy of each: one call counts.
        let (mut seen, mut called) = (BTreeSet::new(), BTreeSet::new());
        let read =
            |name: &str| std::fs::read_to_string(root().join("ffi/include").join(name)).expect("a header");
        let (header, hpp) = (read("infill.h"), read("infill.hpp"));
        let all = Declarations::of(&header);
        let generated = Cpp::new(&header, &all, &hpp).names();
        for notes in notes {
            let report = text(Command::new("gcov").args(["-m", "-f", "-n"]).arg(&notes).current_dir(&folder));
            let mut lines = report.lines();
            while let Some(line) = lines.next() {
                let Some(name) = line.strip_prefix("Function 'infill::throwing::") else { continue };
                let executed = lines.next().expect("how much of it was executed");
                // Only a library with faer or a GPU has a backend to give.
                let excused = ["backend::handle", "backend::deleter", "backend::reason"]
                    .iter()
                    .any(|part| name.starts_with(part));
                let generated = generated.iter().any(|start| name.starts_with(start));
                if name.contains("std::__") || name.contains(" std::") || excused || generated {
                    continue;
                }
                seen.insert(name.to_string());
                if !executed.contains("executed:0.00%") {
                    called.insert(name.to_string());
                }
            }
        }
        let never: Vec<_> = seen.difference(&called).collect();
        assert!(never.is_empty(), "the wrapper never calls {never:#?}");
        assert!(seen.len() > 100, "{} functions", seen.len());
    }

    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn memory_is_clean() {
        let programs: [(&str, &[&str]); 2] =
            [("wrapper", &WRAPPER), ("returning", &["returning.cpp", "returning_main.cpp"])];
        if !has("g++") {
            return;
        }
        for (name, files) in programs {
            let library = Library::build(Build::Plain);
            let undefined = with(&["-fsanitize=undefined", "-fno-sanitize-recover=all"]);
            let program = library.program("g++", &undefined, &sources(files), &format!("{name}-undefined"));
            run(&mut Command::new(program));
            if has("valgrind") {
                let program = library.program("g++", &STRICT, &sources(files), &format!("{name}-valgrind"));
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all"]);
                run(valgrind.arg("--errors-for-leak-kinds=all").arg(program));
            }
            let library = Library::build(Build::Address);
            let address = with(&["-fsanitize=address"]);
            run(&mut Command::new(library.program(
                "g++",
                &address,
                &sources(files),
                &format!("{name}-address"),
            )));
        }
    }
}
