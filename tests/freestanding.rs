//! The C library without an operating system: what it contains, what it asks for, and that it runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use infill_tests::native::{Build, Library, text};

/// All that a program has to bring.
const FROM_OUTSIDE: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];

/// Parts of names of allocators and unwinders.
const HOSTED: [&str; 8] = [
    "rust_alloc",
    "rust_realloc",
    "rust_dealloc",
    "malloc",
    "calloc",
    "_Unwind_",
    "eh_personality",
    "rust_panic",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where this test was built: `target`, or what stands for it.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("this program has a path");
    test.ancestors().nth(3).expect("target/profile/deps/test").to_path_buf()
}

fn run(command: &mut Command) -> String {
    let out = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(out.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The library, built once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let build = ["build", "--quiet", "--profile", "freestanding", "--package", "infill-ffi"];
        let features = ["--no-default-features", "--features", "f32,f64"];
        let mut cargo = Command::new(env!("CARGO"));
        run(cargo.args(build).args(features).arg("--target-dir").arg(target()).current_dir(root()));
        target().join("freestanding/libinfill.a")
    })
}

/// A symbol that other objects see.
struct Symbol {
    /// The object in an archive it stands in.
    member: String,
    name: String,
    defined: bool,
}

/// The global symbols of a file. Not by `nm`, which asks a plugin about objects that carry LLVM's own code
/// and then sees nothing.
fn symbols(file: &Path) -> Vec<Symbol> {
    let text = run(Command::new("readelf").args(["--syms", "--wide"]).arg(file));
    let mut member = String::new();
    let mut symbols = Vec::new();
    for line in text.lines() {
        if let Some((_, name)) = line.strip_prefix("File: ").and_then(|path| path.rsplit_once('(')) {
            member = name.trim_end_matches(')').to_owned();
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, _, _, "GLOBAL" | "WEAK", _, section, name, ..] = fields[..] {
            symbols.push(Symbol { member: member.clone(), name: name.to_owned(), defined: section != "UND" });
        }
    }
    assert!(symbols.iter().any(|symbol| symbol.name == "infill_ask"), "{} has no infill_ask", file.display());
    symbols
}

/// Everything a program would pull from the library that calls all of it, in one object.
fn everything() -> PathBuf {
    let mut cc = Command::new("cc");
    cc.args(["-nostdlib", "-r"]);
    for symbol in symbols(library()).iter().filter(|s| s.defined && s.name.starts_with("infill_")) {
        cc.arg(format!("-Wl,--undefined={}", symbol.name));
    }
    let object = target().join("freestanding/everything.o");
    run(cc.arg(library()).arg("-o").arg(&object));
    object
}

#[test]
fn a_program_brings_memory_functions_and_nothing_else() {
    let symbols = symbols(&everything());
    let wanted: BTreeSet<&str> = symbols.iter().filter(|s| !s.defined).map(|s| &*s.name).collect();
    let other: Vec<_> = wanted.iter().filter(|name| !FROM_OUTSIDE.contains(name)).collect();
    assert!(other.is_empty(), "undefined: {other:?}");
    for Symbol { name, .. } in &symbols {
        assert!(!HOSTED.iter().any(|part| name.contains(part)), "{name}");
    }
}

#[test]
fn the_library_defines_its_own_names_and_those_of_compiler_rt() {
    let mut own = 0;
    for Symbol { member, name, .. } in symbols(library()).iter().filter(|s| s.defined) {
        // What C code of compiler-rt defines starts with two underscores; its Rust code is in objects of its name.
        let runtime = member.starts_with("compiler_builtins-") || name.starts_with("__");
        assert!(name.starts_with("infill_") || runtime, "{name} in {member}");
        assert!(
            !["rust_alloc", "malloc", "_Unwind_"].iter().any(|part| name.contains(part)),
            "{name} in {member}"
        );
        own += usize::from(name.starts_with("infill_"));
    }
    assert!(own > 20, "only {own} functions");
}

#[test]
fn it_runs_from_the_first_instruction_of_a_process() {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: the first instruction is written for Linux on x86-64");
        return;
    }
    let program = target().join("freestanding/start");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .args(["-nostdlib", "-static", "-ffreestanding", "-Iffi/include"])
        .args(["tests/freestanding/start.c", "ffi/examples/firmware/memory.c"]);
    run(cc.arg(library()).arg("-o").arg(&program).current_dir(root()));
    let status = Command::new(&program).status().expect("the program starts");
    assert_eq!(
        status.code(),
        Some(0),
        "tens: single precision, ones: double; see tests/freestanding/start.c"
    );
}

/// A small build sums the same numbers in the same order as one with every model.
#[test]
fn proposals_are_those_of_a_build_with_every_model() {
    let proposals = |archive: &Path, name: &str| {
        let program = target().join("freestanding").join(name);
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off"])
            .args(["-Iffi/include", "tests/freestanding/twin.c"])
            .arg(archive);
        run(cc.args(["-lm", "-lpthread", "-ldl", "-o"]).arg(&program).current_dir(root()));
        text(&mut Command::new(&program))
    };
    let small = proposals(library(), "twin-small");
    assert_eq!(small.lines().count(), 4 * 40);
    assert_eq!(small, proposals(&Library::build(Build::Plain).archive(), "twin-plain"));
}
