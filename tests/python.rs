//! Python over libinfill: its own tests, its idea of the header, and the bits of its proposals.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use infill::{Condition, Config, Hyper, Limits, Optimizer, Param, Real, Space, When};
use infill_tests::declarations::{Declarations, Function};
use infill_tests::native::{Build, Library, has, root, run, scratch, text};

/// Python with the package and the library, in the folder of the package.
fn python(library: &Library) -> Command {
    let mut command = Command::new("python3");
    let package = root().join("ffi/python");
    command.env("INFILL_LIBRARY", library.shared()).env("PYTHONPATH", &package).current_dir(package);
    // Nothing is left in the tree.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

#[test]
fn the_tests_of_the_package_pass() {
    if !has("python3") {
        return;
    }
    let output = run(python(&Library::build(Build::Plain)).args(["-m", "unittest", "discover", "-v"]));
    let told = String::from_utf8_lossy(&output.stderr);
    // What is skipped is said aloud.
    told.lines().filter(|line| line.contains("skipped")).for_each(|line| println!("skipped: {line}"));
    let count = told.split("\nRan ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a summary");
    println!("{count} tests of the package");
    assert!(count.parse::<u32>().expect("a number") > 0, "{told}");
}

/// A function with the kinds of its parameters and of its result.
fn signature(((result, name), parameters): &Function) -> String {
    let kinds: Vec<_> = parameters.iter().map(|(parameter, _)| kind(parameter)).collect();
    format!("{name}({}) {}", kinds.join(","), kind(result))
}

/// A letter and a size: what counts when a value of this type is passed on a machine of 64 bits.
fn kind(declared: &str) -> &'static str {
    match declared {
        "void" => "void",
        "double" => "f8",
        "int32" | "status" => "i4",
        "int64" => "i8",
        "uint32" => "u4",
        "uint64" | "size_t" | "trial" => "u8",
        "objective" | "progress" => "pointer",
        other if other.ends_with('*') => "pointer",
        other => panic!("a type that is new here: {other}"),
    }
}

/// A C program that prints what the compiler makes of the header.
fn layout(header: &Declarations) -> PathBuf {
    let mut source = String::from(
        "#define INFILL_EXPERIMENTAL\n#include <infill.h>\n#include <stdio.h>\nint main(void)\n{\n",
    );
    for (name, fields) in &header.structures {
        writeln!(source, "printf(\"{name} %zu\\n\", sizeof({name}));").expect("a string grows");
        for (_, field) in fields {
            let field = field.split('[').next().expect("a name");
            let place = format!("offsetof({name}, {field}), sizeof((({name} *)0)->{field})");
            writeln!(source, "printf(\"{name}.{field} %zu %zu\\n\", {place});").expect("a string grows");
        }
    }
    for (name, _) in header.numbers.iter().flat_map(|(_, members)| members) {
        writeln!(source, "printf(\"{name} %ld\\n\", (long){name});").expect("a string grows");
    }
    source += "return 0;\n}\n";
    let path = scratch("python").join("layout.c");
    fs::write(&path, source).expect("the scratch folder can be written");
    path
}

/// Every structure, field, number and function of the header is in Python, where and as the C compiler has it.
#[test]
fn python_has_the_header_as_the_compiler_has_it() {
    if !has("python3") || cfg!(not(target_pointer_width = "64")) {
        return;
    }
    let library = Library::build(Build::Plain);
    let header = Declarations::read();
    let program = library.program("cc", &["-std=c99"], &[layout(&header)], "layout");
    let mut expected: BTreeSet<String> =
        text(&mut Command::new(program)).lines().map(str::to_string).collect();
    expected.extend(header.functions.iter().map(signature));
    let found = text(python(&library).arg("tests/abi.py"));
    let found: BTreeSet<String> = found.lines().map(str::to_string).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && wrong.is_empty(), "in C only: {missing:#?}\nin Python only: {wrong:#?}");
    // The header was read, not skipped.
    let starts = |start: &str| found.iter().filter(|line| line.starts_with(start)).count();
    assert!(
        starts("infill_config.") > 70 && starts("INFILL_ERROR_") > 20 && found.len() > 250,
        "{}",
        found.len()
    );
}

/// The function of `ffi/python/tests/asks.py`, in the same order of operations.
fn objective(x: &[f64; 6]) -> f64 {
    let (a, b, c) = (x[0] - 0.3, x[1] / 64.0 - 0.5, x[2] - 2.0);
    let rest = match x[3] as u32 {
        0 => 1.0,
        1 => 0.5 + (x[4] - 0.1) * (x[4] - 0.1),
        _ => 0.75 + x[5],
    };
    a * a + b * b + c * c + rest
}

/// The run of `ffi/python/tests/asks.py`: what it prints.
fn asks<R: Real>(preset: &str, seed: u64, asks: u32) -> String {
    let params = [
        Param::real(-1.0, 2.0),
        Param::integer(1, 64).log(),
        Param::ordinal(&[1.0, 2.0, 4.0, 8.0]),
        Param::categorical(3),
        Param::real(1e-3, 10.0).log(),
        Param::real(0.0, 1.0),
    ];
    let conditions = [
        Condition::new(4, 3, When::Equals(1.0)),
        Condition::new(5, 1, When::Between(3.0, 20.0)),
        Condition::new(5, 3, When::In(&[0.0, 2.0])),
    ];
    let space = Space::new(&params, &conditions).expect("a space");
    let mut config = Config { seed, ..Config::preset(preset).expect("a preset") };
    if let Hyper::Mcmc { sampling, .. } = &mut config.surrogate.hyper {
        sampling.burn_in = 10;
    }
    let limits = Limits::new(6, 60).conditions(3, space.levels() as u32).suit(&config);
    let block = vec![0; limits.words::<R>()];
    let mut optimizer = Optimizer::<R, _>::new(&space, &config, limits, block).expect("an optimizer");
    let (mut out, mut open) = (String::new(), Vec::new());
    for number in 0..asks {
        let mut point = [R::ZERO; 6];
        let ask = optimizer.ask(&mut point).expect("room for a question");
        let x = point.map(Real::to_f64);
        write!(out, "{}", ask.id.to_bits()).expect("a string grows");
        x.iter().for_each(|value| write!(out, " {:016x}", value.to_bits()).expect("a string grows"));
        out.push('\n');
        open.push((ask.id, x));
        if open.len() == 3 {
            let (id, x) = open.remove(0);
            if number % 7 == 6 {
                optimizer.fail(id).expect("an open trial");
            } else {
                optimizer.tell(id, R::of(objective(&x))).expect("an open trial");
            }
        }
    }
    out
}

#[test]
fn python_proposes_what_rust_proposes_to_the_last_bit() {
    if !has("python3") {
        return;
    }
    let library = Library::build(Build::Plain);
    let default = ("default", 30);
    for (seed, (preset, count)) in [(1, default), (u64::MAX, default), (2, ("spearmint", 12))] {
        let asked = |scalar: &str| {
            let arguments = [scalar, &seed.to_string(), &count.to_string(), preset];
            text(python(&library).arg("tests/asks.py").args(arguments))
        };
        assert_eq!(asked("f64"), asks::<f64>(preset, seed, count), "f64, {preset}, seed {seed}");
        assert_eq!(asked("f32"), asks::<f32>(preset, seed, count), "f32, {preset}, seed {seed}");
    }
    assert_eq!(asks::<f64>("default", 1, 30).lines().count(), 30);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// What packages and fetches: `./ci.sh sweep`.
mod sweep {
    use super::*;

    /// `pip install ffi/python` gives a package that finds the library beside it.
    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn pip_installs_the_package() {
        if !has("python3") {
            return;
        }
        let folder = scratch("pip");
        let _ = fs::remove_dir_all(&folder);
        let works = |arguments: &[&str]| {
            let output = Command::new("python3").args(arguments).output().expect("python3 runs");
            output.status.success()
        };
        // With what is installed, or else with what pip fetches, if it can.
        let fetched = folder.join("fetched");
        let fetched = fetched.to_str().expect("a name");
        let alone: &[&str] = if works(&["-c", "import setuptools, wheel, pip"]) {
            &["--no-index", "--no-build-isolation"]
        } else if works(&["-m", "pip", "download", "-q", "--no-deps", "-d", fetched, "setuptools"]) {
            &[]
        } else {
            println!(
                "skipped: pip install ffi/python, for want of setuptools and wheel, or of an index that has them"
            );
            return;
        };
        // pip builds where the sources are: a copy.
        let source = folder.join("source");
        copy(&root().join("ffi/python"), &source);
        let target = folder.join("target");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "-q", "--no-deps"]).args(alone).arg("--target");
        run(pip.arg(&target).arg(&source));
        let library = Library::build(Build::Plain);
        fs::copy(library.shared(), target.join("infill/libinfill.so")).expect("a copy");
        let code = "import infill, importlib.metadata as m; print(m.version('infill'), infill.__version__)";
        let mut command = Command::new("python3");
        command
            .args(["-c", code])
            .env("PYTHONPATH", &target)
            .env_remove("INFILL_LIBRARY")
            .current_dir(&folder);
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(text(&mut command), format!("{version} {version}\n"));
    }
}
