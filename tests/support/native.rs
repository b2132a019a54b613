//! Building libinfill and the C programs that use it.
//!
//! What hosted programs use is built where the tests were built, of what was compiled for them, and copied: what is built
//! there next replaces it. Other builds have a target folder each.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

/// The target folder.
fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from))
}

/// A folder for what tests build, below the target folder.
pub fn scratch(name: &str) -> PathBuf {
    let folder = target().join("native").join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// A build of libinfill.
#[derive(Clone, Debug)]
pub struct Library {
    /// The folder with libinfill.a and libinfill.so.
    pub folder: PathBuf,
}

/// How libinfill is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Hosted, both scalars, without faer: shares what the tests have compiled.
    Plain,
    /// Release, with faer, which takes minutes.
    Full,
    /// As `Plain`, instrumented by AddressSanitizer.
    Address,
    /// No operating system, both scalars.
    Freestanding,
    /// As `Plain`, with the backend on a GPU: shares what the tests of that backend have compiled.
    Gpu,
}

impl Library {
    /// Builds it, which takes no time if nothing has changed.
    pub fn build(build: Build) -> Self {
        const PLAIN: [&str; 3] = ["--no-default-features", "--features", "std,f32,f64"];
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "-q", "-p", "infill-ffi"]);
        let (name, below) = match build {
            Build::Plain => return Self::beside_the_tests(cargo.args(PLAIN), "plain"),
            Build::Gpu => {
                return Self::beside_the_tests(cargo.args(PLAIN).args(["--features", "gpu"]), "gpu");
            }
            Build::Full => {
                cargo.args(["--release", "--features", "faer"]);
                ("full", "release")
            }
            Build::Address => {
                let target = "x86_64-unknown-linux-gnu";
                cargo.args(PLAIN).args(["--target", target]);
                cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
                ("address", "x86_64-unknown-linux-gnu/debug")
            }
            Build::Freestanding => {
                cargo.args(["--no-default-features", "--features", "f32,f64", "--profile", "freestanding"]);
                ("freestanding", "freestanding")
            }
        };
        let target = scratch(name);
        run(clean(cargo.arg("--target-dir").arg(&target)));
        Self { folder: target.join(below) }
    }

    /// Builds it where the tests were built, and takes a copy that no other build replaces.
    ///
    /// One process at a time: another feature of the library has the same files.
    fn beside_the_tests(cargo: &mut Command, name: &str) -> Self {
        const SCRIPT: &str = r#"
            made=$1 copies=$2; shift 2
            "$@"
            for file in libinfill.a libinfill.so; do
                cmp -s "$made/$file" "$copies/$file" && continue
                cp "$made/$file" "$copies/$file.new"
                mv "$copies/$file.new" "$copies/$file"
            done"#;
        let (target, copies) = (target(), scratch(name));
        let mut shell = Command::new("flock");
        shell.arg(target.join("native/lock")).args(["sh", "-ec", SCRIPT, "sh"]);
        shell.arg(target.join("debug")).arg(&copies).arg(cargo.get_program()).args(cargo.get_args());
        run(clean(shell.arg("--target-dir").arg(&target)));
        Self { folder: copies }
    }

    /// The static library.
    pub fn archive(&self) -> PathBuf {
        self.folder.join("libinfill.a")
    }

    /// The shared library.
    pub fn shared(&self) -> PathBuf {
        self.folder.join("libinfill.so")
    }

    /// Compiles a C (or, with g++ and clang++, C++) program and links it with the static library.
    ///
    /// Warnings are errors. Returns the program.
    pub fn program(&self, compiler: &str, flags: &[&str], sources: &[PathBuf], name: &str) -> PathBuf {
        let out = scratch("programs").join(name);
        let mut command = Command::new(compiler);
        command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"]).args(flags);
        command.arg("-I").arg(root().join("ffi/include"));
        // Tests run together: one may run what another compiles.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let fresh = scratch("programs").join(format!("{name}.{}.{count}", std::process::id()));
        command.args(sources).arg(self.archive()).args(["-lm", "-lpthread", "-ldl", "-o"]).arg(&fresh);
        run(&mut command);
        std::fs::rename(&fresh, &out).expect("a program can be renamed");
        out
    }
}

/// A build at the root: what the tests themselves were built with does not concern the library.
fn clean(build: &mut Command) -> &mut Command {
    for name in ["CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"] {
        build.env_remove(name);
    }
    if !build.get_envs().any(|(name, _)| name == "RUSTFLAGS") {
        build.env_remove("RUSTFLAGS");
    }
    build.current_dir(root())
}

/// Runs a command that has to succeed, and gives what it printed.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        panic!("{command:?}: {}\n{out}\n{err}", output.status);
    }
    output
}

/// What a command that has to succeed printed, as text.
pub fn text(command: &mut Command) -> String {
    String::from_utf8_lossy(&run(command).stdout).into_owned()
}

/// Whether a tool is installed; says aloud that something is skipped without it.
pub fn has(tool: impl AsRef<OsStr>) -> bool {
    let tool = tool.as_ref();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).any(|folder| folder.join(tool).is_file());
    if !found {
        println!("skipped: {} is not installed (./ci.sh setup)", tool.to_string_lossy());
    }
    found
}
