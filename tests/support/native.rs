//! Building libinfill and the C programs that use it.
//!
//! Each build of the library has a target folder of its own, so that one cannot replace the files of another.

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
    /// Hosted, both scalars, without faer: builds in seconds.
    Plain,
    /// As users get it: release, all default features. faer takes minutes.
    Full,
    /// As `Plain`, instrumented by AddressSanitizer.
    Address,
    /// No operating system, both scalars.
    Freestanding,
    /// As `Plain`, with the backend on a GPU. It shares what the tests of that backend have compiled: minutes otherwise.
    Gpu,
}

impl Library {
    /// Builds it, which takes no time if nothing has changed.
    pub fn build(build: Build) -> Self {
        const PLAIN: [&str; 3] = ["--no-default-features", "--features", "std,f32,f64"];
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "-q", "-p", "infill-ffi"]);
        // What the tests themselves were built with does not concern the library.
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"] {
            cargo.env_remove(name);
        }
        let (name, below) = match build {
            Build::Gpu => return Self::build_gpu(cargo),
            Build::Plain => {
                cargo.args(PLAIN);
                ("plain", "debug")
            }
            Build::Full => {
                cargo.arg("--release");
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
        run(cargo.arg("--target-dir").arg(&target));
        Self { folder: target.join(below) }
    }

    /// Builds it where the tests were built, and takes a copy: what is built there next replaces it.
    fn build_gpu(mut cargo: Command) -> Self {
        let target = target();
        cargo.args(["--no-default-features", "--features", "std,f32,f64,gpu", "--target-dir"]).arg(&target);
        run(&mut cargo);
        let made = Self { folder: scratch("gpu") };
        for file in [made.archive(), made.shared()] {
            let name = file.file_name().expect("a name");
            std::fs::copy(target.join("debug").join(name), &file).expect("the library was built");
        }
        made
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
