//! What `ffi/install.sh` puts in place serves C and C++ projects outside of the tree.
//!
//! Each test has a prefix of its own; they share one build.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use infill_tests::declarations::Declarations;
use infill_tests::native::{has, root, run, scratch, text};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const MAJOR: &str = env!("CARGO_PKG_VERSION_MAJOR");

/// A folder outside of the tree that is removed with its value.
struct Outside(PathBuf);

impl Outside {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("infill-packaging-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("there is a temporary folder");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The installer, in an environment that says nothing but which build is meant.
fn installer() -> Command {
    let mut command = Command::new(root().join("ffi/install.sh"));
    let flags = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"];
    for name in flags.into_iter().chain(["DESTDIR", "INFILL_LIBDIR", "INFILL_FEATURES"]) {
        command.env_remove(name);
    }
    command.env("CARGO_TARGET_DIR", scratch("install"));
    command
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|e| panic!("{}: {e}", next.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).expect("below").display().to_string());
            }
        }
    }
    found
}

/// What belongs below a prefix.
fn expected(libdir: &str) -> BTreeSet<String> {
    let libraries = ["a".to_string(), "so".into(), format!("so.{MAJOR}"), format!("so.{VERSION}")];
    let mut all: BTreeSet<_> = libraries.iter().map(|end| format!("{libdir}/libinfill.{end}")).collect();
    for name in
        ["pkgconfig/infill.pc", "cmake/infill/infillConfig.cmake", "cmake/infill/infillConfigVersion.cmake"]
    {
        all.insert(format!("{libdir}/{name}"));
    }
    for name in ["infill.h", "infill.hpp"] {
        if root().join("ffi/include").join(name).exists() {
            all.insert(format!("include/{name}"));
        }
    }
    all.extend(
        ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY"].map(|name| format!("share/doc/infill/{name}")),
    );
    all
}

fn assert_works(program: &Path, path: Option<&Path>) {
    let mut command = Command::new(program);
    command.env_remove("LD_LIBRARY_PATH");
    if let Some(path) = path {
        command.env("LD_LIBRARY_PATH", path);
    }
    assert_eq!(text(&mut command), format!("{VERSION} 2.00\n"), "{}", program.display());
}

/// The libraries that a program, or a library, asks for.
fn needed(file: &Path) -> String {
    let all = text(Command::new("readelf").arg("-d").arg(file));
    all.lines().filter(|line| line.contains("(NEEDED)")).collect()
}

/// What pkg-config says of a prefix, as arguments.
fn flags(lib: &Path, asked: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", lib.join("pkgconfig")).args(asked).arg("infill");
    text(&mut command).split_whitespace().map(str::to_string).collect()
}

/// Builds the C and the C++ program by what pkg-config says, shared and static, and runs them.
fn by_pkg_config(outside: &Outside, lib: &Path) {
    assert_eq!(flags(lib, &["--modversion"]), [VERSION]);
    let sources = root().join("tests/packaging");
    for (compiler, source, standard) in
        [("gcc", "parabola.c", "-std=c99"), ("g++", "parabola.cpp", "-std=c++17")]
    {
        if !has(compiler) {
            continue;
        }
        for linked in ["shared", "static"] {
            let program = outside.path(&format!("{source}-{linked}"));
            let mut command = Command::new(compiler);
            command.current_dir(&outside.0).args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
            command.arg("-o").arg(&program).arg(sources.join(source));
            match linked {
                "shared" => command.args(flags(lib, &["--cflags", "--libs"])),
                _ => command.args(flags(lib, &["--static", "--cflags", "--libs"])).arg("-static"),
            };
            run(&mut command);
            let by_name = needed(&program).contains(&format!("[libinfill.so.{MAJOR}]"));
            assert_eq!(by_name, linked == "shared", "{}", needed(&program));
            assert_works(&program, (linked == "shared").then_some(lib));
        }
    }
}

/// Configures and builds the CMake project with a prefix, and runs its programs.
fn by_cmake(outside: &Outside, prefix: &Path, lib: &Path) {
    let build = cmake_project(outside, &[format!("-DCMAKE_PREFIX_PATH={}", prefix.display())]);
    assert_cmake_programs(&build, lib);
}

/// A copy of the CMake project outside of the tree, configured and built. Returns where it was built.
fn cmake_project(outside: &Outside, settings: &[String]) -> PathBuf {
    let (project, build) = (outside.path("project"), outside.path("build"));
    for folder in [&project, &build] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("a folder");
    }
    for name in ["CMakeLists.txt", "parabola.c", "parabola.cpp"] {
        fs::copy(root().join("tests/packaging").join(name), project.join(name)).expect("a copy");
    }
    run(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(&build).args(settings));
    cmake_build(&build);
    build
}

/// Builds what has changed, and returns what is said meanwhile. Which library is meant is said by the settings alone.
fn cmake_build(build: &Path) -> String {
    let mut command = Command::new("cmake");
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "INFILL_FEATURES"] {
        command.env_remove(name);
    }
    text(command.arg("--build").arg(build))
}

fn assert_cmake_programs(build: &Path, lib: &Path) {
    for language in ["c", "cpp"] {
        for target in ["infill", "shared"] {
            let shared = build.join(format!("{language}_{target}"));
            assert!(needed(&shared).contains(&format!("[libinfill.so.{MAJOR}]")), "{}", needed(&shared));
            // CMake writes where the library is into what it builds; a program that is moved is told.
            assert_works(&shared, None);
            assert_works(&shared, Some(lib));
        }
        let alone = build.join(format!("{language}_static"));
        assert!(!needed(&alone).contains("infill"), "{}", needed(&alone));
        assert_works(&alone, None);
    }
}

/// The sources as a part of a project: nothing is installed, and a second build has nothing to do.
#[test]
fn a_cmake_project_builds_the_library_itself() {
    if !has("cmake") {
        return;
    }
    for (by, place) in [("subdirectory", "infill"), ("fetch", "_deps/infill-build")] {
        let outside = Outside::new(by);
        let settings = [
            format!("-DINFILL_BY={by}"),
            format!("-DINFILL_SOURCE={}", root().display()),
            // Of what other tests have built.
            format!("-DINFILL_TARGET_DIR={}", scratch("install").display()),
        ];
        let build = cmake_project(&outside, &settings);
        let prefix = build.join(place).join("prefix");
        assert_eq!(files(&prefix), expected("lib"), "{by}");
        assert_cmake_programs(&build, &prefix.join("lib"));
        let again = cmake_build(&build);
        assert!(!again.contains("Building") && !again.contains("Linking"), "{by}: {again}");
    }
}

#[test]
fn projects_outside_of_the_tree_are_built_also_after_the_prefix_was_moved() {
    let outside = Outside::new("projects");
    let prefix = outside.path("prefix");
    run(installer().arg(&prefix));
    assert_eq!(files(&prefix), expected("lib"));
    let (pkg_config, cmake) = (has("pkg-config"), has("cmake"));
    let moved = outside.path("moved");
    for place in [prefix.clone(), moved.clone()] {
        if place == moved {
            fs::rename(&prefix, &moved).expect("the prefix is moved");
        }
        if pkg_config {
            by_pkg_config(&outside, &place.join("lib"));
        }
        if cmake {
            by_cmake(&outside, &place, &place.join("lib"));
        }
    }
    // Nothing in the texts names the place that it was installed to.
    for name in ["pkgconfig/infill.pc", "cmake/infill/infillConfig.cmake"] {
        let written = fs::read_to_string(moved.join("lib").join(name)).expect("a file");
        assert!(
            !written.contains(outside.0.to_str().expect("a name")) && !written.contains('@'),
            "{written}"
        );
    }
}

/// The version file tells CMake which requests this version serves.
#[test]
fn cmake_is_told_which_versions_are_served() {
    if !has("cmake") {
        return;
    }
    let outside = Outside::new("versions");
    let prefix = outside.path("prefix");
    run(installer().arg(&prefix));
    let serves = |request: &str| {
        let project = outside.path("project");
        fs::create_dir_all(&project).expect("a folder");
        let list = format!(
            "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nfind_package(infill {request} REQUIRED)\n"
        );
        fs::write(project.join("CMakeLists.txt"), list).expect("a file");
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(&project).arg("-B").arg(outside.path("build"));
        cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
        cmake.output().expect("cmake runs").status.success()
    };
    let older = format!("{MAJOR}.0.0.1");
    assert!(serves("") && serves(&older) && serves(VERSION) && serves(&format!("{VERSION} EXACT")));
    assert!(!serves(&format!("{older} EXACT")) && !serves("99.0") && !serves(&format!("{MAJOR}.999")));
    fs::remove_file(prefix.join("lib/libinfill.a")).expect("it was there");
    assert!(!serves(""), "a prefix without its static library");
}

/// Its soname, its links, and that it exports what the header declares and nothing else.
fn assert_shared_library(prefix: &Path) {
    let lib = prefix.join("lib");
    let link = |name: &str| fs::read_link(lib.join(name)).expect("a link").display().to_string();
    assert_eq!(link("libinfill.so"), format!("libinfill.so.{MAJOR}"));
    assert_eq!(link(&format!("libinfill.so.{MAJOR}")), format!("libinfill.so.{VERSION}"));
    let real = lib.join(format!("libinfill.so.{VERSION}"));
    let dynamic = text(Command::new("readelf").arg("-d").arg(&real));
    assert!(dynamic.contains(&format!("Library soname: [libinfill.so.{MAJOR}]")), "{dynamic}");

    let exported = text(Command::new("nm").args(["-D", "--defined-only"]).arg(&real));
    let exported: BTreeSet<_> = exported.lines().filter_map(|line| line.split_whitespace().last()).collect();
    let header = fs::read_to_string(prefix.join("include/infill.h")).expect("the header");
    for name in &exported {
        assert!(name.starts_with("infill_"), "{name} is exported");
        assert!(header.contains(&format!("{name}(")), "{name} is exported, but not in the header");
    }
    // The header declares as many functions as are exported.
    assert_eq!(exported.len(), Declarations::of(&header).functions.len());
}

#[test]
fn the_shared_library_has_its_soname_and_exports_nothing_else() {
    let outside = Outside::new("exports");
    let prefix = outside.path("prefix");
    run(installer().arg(&prefix));
    assert_shared_library(&prefix);
}

/// No file says where it was built, and who wrote what is linked is named with its terms.
#[test]
fn what_is_installed_knows_no_path_of_this_machine() {
    let outside = Outside::new("paths");
    let prefix = outside.path("prefix");
    run(installer().arg(&prefix));
    let home = std::env::var("CARGO_HOME").or(std::env::var("HOME")).unwrap_or_default();
    for name in files(&prefix) {
        let bytes = fs::read(prefix.join(&name)).expect("it is there");
        for place in [root().display().to_string(), home.clone()].iter().filter(|place| place.len() > 1) {
            let found = bytes.windows(place.len()).any(|window| window == place.as_bytes());
            assert!(!found, "{name} says {place}");
        }
    }
    let third = fs::read_to_string(prefix.join("share/doc/infill/THIRD-PARTY")).expect("it is there");
    for name in ["libm", "rand_core", "heapless", "bytemuck", "serde_json"] {
        let terms = third.lines().find(|line| line.starts_with(&format!("{name} ")));
        assert!(terms.is_some_and(|line| line.contains("MIT")), "{name}: {terms:?}");
    }
    assert!(!third.contains(&root().display().to_string()));
}

/// The same bytes from a copy of the sources in another folder.
#[test]
#[ignore = "builds the library twice: ./ci.sh long"]
fn two_folders_give_the_same_library() {
    let outside = Outside::new("folders");
    let copy = outside.path("another/place");
    fs::create_dir_all(&copy).expect("a folder");
    let tracked = text(Command::new("git").args(["ls-files"]).current_dir(root()));
    for name in tracked.lines().filter(|name| root().join(name).is_file()) {
        let to = copy.join(name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(root().join(name), to).expect("it is there");
    }
    let made = ["here", "there"].map(|name| {
        let prefix = outside.path(name);
        let mut command = installer();
        if name == "there" {
            command = Command::new(copy.join("ffi/install.sh"));
        }
        run(command.env("CARGO_TARGET_DIR", outside.path(&format!("target-{name}"))).arg(&prefix));
        ["a", "so"].map(|end| fs::read(prefix.join(format!("lib/libinfill.{end}"))).expect("it is there"))
    });
    assert!(made[0][1] == made[1][1], "the shared libraries differ");
    assert!(made[0][0] == made[1][0], "the static libraries differ");
}

/// With the feature that takes minutes to build.
#[test]
#[ignore = "builds faer, which takes minutes: ./ci.sh long"]
fn an_installation_with_faer_serves_projects() {
    let outside = Outside::new("faer");
    let prefix = outside.path("prefix");
    // Elsewhere: other tests install what is built there meanwhile.
    let mut installer = installer();
    installer.env("INFILL_FEATURES", "faer,f32,f64").env("CARGO_TARGET_DIR", scratch("install-faer"));
    run(installer.arg(&prefix));
    assert_eq!(files(&prefix), expected("lib"));
    assert_shared_library(&prefix);
    if has("pkg-config") {
        by_pkg_config(&outside, &prefix.join("lib"));
    }
    if has("cmake") {
        by_cmake(&outside, &prefix, &prefix.join("lib"));
    }
}

#[test]
fn an_installation_replaces_an_earlier_one_and_can_be_removed() {
    let outside = Outside::new("again");
    let prefix = outside.path("prefix");
    let lib = prefix.join("lib");
    fs::create_dir_all(&lib).expect("a folder");
    fs::create_dir_all(prefix.join("include")).expect("a folder");
    // Leftovers: an older file of the same soname, a link to nowhere, a file where a link belongs, a header.
    let old = format!("libinfill.so.{MAJOR}.0.0");
    fs::write(lib.join(&old), "old").expect("a file");
    std::os::unix::fs::symlink("nowhere", lib.join("libinfill.so")).expect("a link");
    fs::write(lib.join(format!("libinfill.so.{MAJOR}")), "old").expect("a file");
    fs::write(prefix.join("include/infill.h"), "#error old\n").expect("a file");
    // What belongs to others.
    let others = ["lib/libinfill.so.99", "lib/libother.a", "include/other.h"];
    others.iter().for_each(|name| fs::write(prefix.join(name), "theirs").expect("a file"));

    let mut all = expected("lib");
    all.extend(others.map(str::to_string));
    // The second time by a relative name.
    for name in [prefix.as_path(), Path::new("prefix")] {
        run(installer().current_dir(&outside.0).arg(name));
        assert_eq!(files(&prefix), all);
        if has("pkg-config") {
            by_pkg_config(&outside, &lib);
        }
    }
    run(installer().arg("--uninstall").arg(&prefix));
    assert_eq!(files(&prefix), others.map(str::to_string).into());
    others.iter().for_each(|name| fs::remove_file(prefix.join(name)).expect("it is there"));
    run(installer().arg(&prefix));
    run(installer().arg("--uninstall").arg(&prefix));
    assert_eq!(files(&prefix), BTreeSet::new());
    assert!(!lib.join("cmake/infill").exists() && !prefix.join("share/doc/infill").exists());
    // A second removal finds nothing to do.
    run(installer().arg("--uninstall").arg(&prefix));
}

/// Packagers: a staging folder, libraries in a folder of the architecture, a name with a blank.
#[test]
fn a_package_is_staged_below_destdir() {
    let outside = Outside::new("staged");
    let stage = outside.path("a stage");
    let libdir = "lib/x86_64-linux-gnu";
    let mut installer = installer();
    run(installer
        .current_dir(&outside.0)
        .env("DESTDIR", "a stage")
        .env("INFILL_LIBDIR", libdir)
        .arg("/opt/infill"));
    assert_eq!(files(&stage.join("opt/infill")), expected(libdir));
    let prefix = outside.path("prefix");
    fs::rename(stage.join("opt/infill"), &prefix).expect("it is unpacked elsewhere");
    if has("pkg-config") {
        by_pkg_config(&outside, &prefix.join(libdir));
    }
    if has("cmake") {
        by_cmake(&outside, &prefix, &prefix.join(libdir));
    }
}

#[test]
fn the_installer_refuses_what_it_does_not_understand() {
    let outside = Outside::new("refused");
    let refused = |command: &mut Command| {
        let output = command.current_dir(&outside.0).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("install.sh: "), "{command:?}");
        assert_eq!(fs::read_dir(&outside.0).expect("a folder").count(), 0, "{command:?}");
    };
    refused(&mut installer());
    refused(installer().arg(""));
    refused(installer().args(["one", "two"]));
    refused(installer().args(["--frobnicate", "one"]));
    refused(installer().arg("one").env("INFILL_FEATURES", "f32,gpu"));
    refused(installer().arg("one").env("INFILL_FEATURES", ""));
    refused(installer().arg("one").env("INFILL_LIBDIR", "/usr/lib"));
    refused(installer().arg("one").env("INFILL_LIBDIR", "../lib"));
    let help = text(installer().arg("--help"));
    for word in ["PREFIX", "INFILL_FEATURES", "INFILL_LIBDIR", "DESTDIR", "--uninstall"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
