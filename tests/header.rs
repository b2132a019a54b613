//! The committed header is the one that the sources give, and says the version of the manifest.
//!
//! The members of most enumerations are those of the library; the names of choices and what `infill.hpp` and
//! Python repeat of the header follow from it. `INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header` writes all of
//! it anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use infill::acquisition::Rule;
use infill::acquisition::cooling::Decay;
use infill::config::Flat;
use infill::kernel::Op;
use infill::pending::Lie;
use infill::transfer::features::COUNT;
use infill::{Config, PRESETS, Pending};
use infill_tests::cpp::{Cpp, comment};
use infill_tests::declarations::Declarations;
use infill_tests::interface::{PARTS, exported};
use infill_tests::manual::Manual;
use infill_tests::members::{Member, Set};
use infill_tests::native::{Build, Library, has, run, scratch, text};
use infill_tests::stubs::Python;

fn ffi() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi")
}

fn read(path: &str) -> String {
    fs::read_to_string(ffi().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// What cbindgen makes of the sources, without an order.
fn bindings() -> String {
    let config = cbindgen::Config::from_file(ffi().join("header/cbindgen.toml")).expect("cbindgen.toml");
    let sources = PARTS.iter().map(|part| {
        let path = ffi().join(format!("src/{}.rs", part.source));
        let text = fs::read_to_string(&path).expect("a source");
        let whole = with_members(&text);
        if whole == text {
            return path;
        }
        let path = scratch("header").join(format!("{}.rs", part.source));
        fs::write(&path, whole).expect("the target folder can be written");
        path
    });
    let builder = sources.fold(cbindgen::Builder::new().with_config(config), |b, path| b.with_src(path));
    let mut text = Vec::new();
    builder.generate().expect("the sources are read").write(&mut text);
    String::from_utf8(text).expect("it is text")
}

/// `header/frame.h` with the declarations at their places.
fn generate() -> String {
    let version = env!("CARGO_PKG_VERSION").split('.').map(str::to_string);
    // The settings of infill_config have a place in each block.
    let numbers = version.chain([size_of::<Flat>() / 8, COUNT].map(|number| number.to_string()));
    let fill = |text: String| {
        let names = ["@MAJOR@", "@MINOR@", "@PATCH@", "@SETTINGS@", "@FEATURES@"].into_iter();
        names.zip(numbers.clone()).fold(text, |text, (name, number)| text.replace(name, &number))
    };
    let macros = fill(read("header/macros.h"));
    let sections = macros.split("/* behind ").skip(1).map(|section| {
        let (name, text) = section.split_once(" */\n").expect("a section");
        (name.to_string(), text.to_string())
    });
    let mut manual = Manual::new(&bindings(), sections.collect());
    let stable = manual.declare(false);
    let frame = fill(read("header/top.h") + "\n" + &read("header/frame.h"));
    frame.replace("@STABLE@", stable.trim_end()).replace("@EXPERIMENTAL@", manual.declare(true).trim_end())
}

/// The members of `infill_op` and `infill_acquisition`, from the rows of the library.
fn rows(name: &str) -> Vec<Member> {
    let rows: Vec<(&str, u64, &str)> = match name {
        "op" => Op::ALL.iter().map(|op| (op.name(), *op as u64, op.doc())).collect(),
        _ => Rule::ALL.iter().map(|rule| (rule.name(), rule.code(), rule.doc())).collect(),
    };
    let member = |(member, number, doc): (&str, u64, &str)| Member {
        name: format!("infill_{name}_{member}").to_uppercase(),
        number,
        doc: doc.replace('\\', "").trim().to_string(),
    };
    rows.into_iter().map(member).collect()
}

/// An enumeration of the library, its name in C, what its members begin with there, and its setting.
const fn set(
    name: &'static str,
    prefix: &'static str,
    source: (&'static str, &'static str),
    setting: &'static str,
) -> Set {
    Set { name, prefix, source, setting }
}

const SETS: [Set; 28] = [
    set("incumbent", "INCUMBENT", ("config/mod.rs", "Incumbent"), "incumbent"),
    set("model", "MODEL", ("config/model.rs", "numbered"), "model"),
    set("policy", "POLICY", ("policy/mod.rs", "policies"), "policy"),
    set("hyper_kind", "HYPER", ("config/model.rs", "Hyper"), "hyper"),
    set("strategy", "STRATEGY", ("config/strategy.rs", "Strategy"), "strategy"),
    set("start", "START", ("transfer/settings.rs", "Start"), "transfer_start"),
    set("how", "HOW", ("transfer/settings.rs", "How"), "transfer_how"),
    set("weights", "WEIGHTS", ("transfer/settings.rs", "Weights"), "transfer_weights"),
    set("near", "NEAR", ("transfer/settings.rs", "Near"), "transfer_near"),
    set("design_kind", "DESIGN", ("space/design.rs", "Design"), "design"),
    set("trend", "TREND", ("trend.rs", "Trend"), "trend"),
    set("transform", "TRANSFORM", ("targets/mod.rs", "Transform"), "targets"),
    set("objective_kind", "OBJECTIVE", ("backend.rs", "Objective"), "training_objective"),
    set("when_full", "FULL", ("config/mod.rs", "WhenFull"), "when_full"),
    set("spread", "SPREAD", ("forest/settings.rs", "Spread"), "forest_spread"),
    set("sampler", "SAMPLER", ("gp/sampler/mod.rs", "Sampler"), "sampler"),
    set("warp", "WARP", ("gp/warp.rs", "Warp"), "warp"),
    set("minima", "MINIMA", ("policy/max_value.rs", "Minima"), "policy_minima"),
    set("search_method", "SEARCH", ("search/method.rs", "Method"), "search_method"),
    set("categories", "CATEGORIES", ("kernel/similarity.rs", "Categories"), "categories"),
    set("structure", "STRUCTURE", ("kernel/similarity.rs", "Structure"), "structure"),
    set("branches", "BRANCHES", ("kernel/similarity.rs", "Branches"), "branches"),
    set("role", "ROLE", ("kernel/op.rs", "Role"), ""),
    set("impute", "IMPUTE", ("space/impute.rs", "Impute"), ""),
    set("form", "FORM", ("transfer/source.rs", "Form"), ""),
    set("origin", "ORIGIN", ("trial.rs", "Origin"), ""),
    set("state", "STATE", ("trial.rs", "State"), ""),
    set("statistic", "STATISTIC", ("race/statistic.rs", "Statistic"), ""),
];

/// The number that a setting has by default.
fn usual(setting: &str) -> Option<u64> {
    let flat = Flat::of(&Config::default());
    macro_rules! counts {
        (reals $reals:tt counts { $($count:ident)* } absent $absent:tt) => {
            [$((stringify!($count), flat.$count)),*]
        };
    }
    let all = infill::settings!(counts);
    all.iter().find(|(name, _)| *name == setting).map(|(_, number)| u64::from(*number))
}

/// A source of the interface in which enumerations without members have those of the library.
fn with_members(text: &str) -> String {
    let sets = SETS.iter().map(|set| (set.name, set.members(usual(set.setting))));
    let rows = ["op", "acquisition"].map(|name| (name, rows(name)));
    sets.chain(rows).fold(text.to_string(), |text, (name, members)| {
        let mut whole = format!("#[repr(u32)]\npub enum infill_{name} {{\n");
        for Member { name, number, doc } in members {
            whole += &format!("{}    {name} = {number},\n", comment("    ", &doc));
        }
        text.replace(&format!("pub enum infill_{name} {{}}"), &(whole + "}"))
    })
}

/// The modules of Python that are not generated.
fn hand_written() -> Vec<String> {
    let folder = fs::read_dir(ffi().join("python/infill")).expect("the package");
    let texts = folder.map(|entry| fs::read_to_string(entry.expect("an entry").path()).unwrap_or_default());
    texts.filter(|text| !text.contains("Written by tests/header.rs")).collect()
}

#[test]
fn the_committed_header_is_that_of_the_sources_and_the_rest_follows() {
    let header = generate();
    let all = Declarations::of(&header);
    let python = Python::new(&header, &all, hand_written()).modules();
    let hpp = Cpp::new(&header, &all, &read("include/infill.hpp")).renewed();
    let python = python.map(|(name, text)| (format!("python/infill/{name}"), text));
    let names = all.to_names(&header, &PRESETS);
    let whole = [("include/infill.hpp", hpp), ("src/names.rs", names), ("include/infill.h", header)];
    let whole = whole.map(|(path, text)| (path.to_string(), text));
    for (path, fresh) in whole.into_iter().chain(python) {
        let path = path.as_str();
        if std::env::var_os("INFILL_WRITE_HEADER").is_some() {
            fs::write(ffi().join(path), &fresh).expect("it is written");
        }
        let renew = "INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header";
        assert!(read(path) == fresh, "ffi/{path} is stale: {renew}");
    }
}

/// What the sources of the interface number themselves has the numbers of the library, and nothing is left out.
#[test]
fn numbers_are_those_of_the_library() {
    let all = Declarations::of(&read("include/infill.h"));
    let same = |name: &str, expected: &[(&str, u64)]| {
        let (_, own) =
            all.numbers.iter().find(|(own, _)| own == &format!("infill_{name}")).expect("it is declared");
        let prefix = format!("INFILL_{}_", name.to_uppercase());
        let own: Vec<_> =
            own.iter().map(|(name, number)| (name.trim_start_matches(&prefix), *number as u64)).collect();
        assert_eq!(own, expected, "{name}");
    };
    let pending = |pending: Pending| u64::from(pending.code());
    same(
        "pending",
        &[
            ("BELIEVER", pending(Pending::Believer)),
            ("LIAR_MIN", pending(Pending::Liar(Lie::Min))),
            ("LIAR_MEAN", pending(Pending::Liar(Lie::Mean))),
            ("LIAR_MAX", pending(Pending::Liar(Lie::Max))),
            ("FANTASIES", pending(Pending::Fantasies { count: 1 })),
            ("PENALTY", pending(Pending::Penalty)),
            ("TEMPERATURES", pending(Pending::Temperatures)),
            ("JOINT_EI", pending(Pending::JointEi { draws: 1 })),
        ],
    );
    let decay = |decay: Decay| 1 + decay.code();
    same(
        "cooling",
        &[("NONE", 0), ("EXPONENTIAL", decay(Decay::Exponential)), ("LINEAR", decay(Decay::Linear))],
    );
}

/// A function that nobody wrote by hand is one of C++ and one of Python, with a structure as its argument.
#[test]
fn a_new_function_follows() {
    let header = read("include/infill.h");
    let place = header.find("infill_status infill_tell(").expect("it is declared");
    let line = header[..place].rfind("/**").expect("each function has a comment");
    let new = "/** Looks for room. Nothing to give: INFILL_ERROR_FULL if there is none. Errors: INFILL_ERROR_NULL. */\n\
               infill_status infill_probe(const struct infill_opt *opt, const struct infill_limits *limits, double *room);\n\n";
    let header = format!("{}{new}{}", &header[..line], &header[line..]);
    let all = Declarations::of(&header);
    let hpp = Cpp::new(&header, &all, &read("include/infill.hpp")).renewed();
    let method = "result<std::optional<double>> probe(const infill_limits &the_limits) const {";
    assert!(hpp.contains(method), "no {method}");
    let modules = Python::new(&header, &all, hand_written()).modules();
    let calls = &modules.iter().find(|(name, _)| *name == "calls.py").expect("it is there").1;
    let method = "def probe(self, limits: Any) -> Optional[float]:";
    assert!(calls.contains(method), "no {method}");
    if has("g++") {
        let folder = scratch("follows");
        fs::write(folder.join("infill.h"), header).expect("a file");
        fs::write(folder.join("infill.hpp"), hpp).expect("a file");
        run(Command::new("g++")
            .args(["-std=c++17", "-fsyntax-only", "-x", "c++"])
            .arg(folder.join("infill.hpp")));
    }
}

#[test]
fn the_header_says_the_version_of_the_manifest() {
    let header = read("include/infill.h");
    let version = env!("CARGO_PKG_VERSION").split('.').map(|n| n.parse::<u32>().expect("a number"));
    for (name, expected) in ["MAJOR", "MINOR", "PATCH"].into_iter().zip(version) {
        let line = format!("#define INFILL_VERSION_{name} ");
        let rest = header.split(&line).nth(1).expect("each part of the version is defined");
        let number: u32 = rest.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
        assert_eq!(number, expected, "{name}");
    }
}

/// Where the line begins that declares a function: comments and macros speak of it, too.
fn declared(header: &str, name: &str) -> usize {
    let call = format!("{name}(");
    let places = header.match_indices(&call).map(|(at, _)| header[..at].rfind('\n').map_or(0, |at| at + 1));
    let code = |at: &usize| header[*at..].starts_with(|letter: char| letter.is_ascii_alphabetic());
    places.into_iter().find(code).unwrap_or_else(|| panic!("{name} is not declared"))
}

/// Every exported function is in the header, with a comment; every type says its threads and lifetime.
#[test]
fn everything_is_declared_and_explained() {
    let header = read("include/infill.h");
    for part in PARTS {
        for name in part.functions() {
            let before = &header[..declared(&header, &name)];
            assert!(before.trim_end().ends_with("*/"), "{name} has no comment");
        }
        // Data has a body in the header, a handle has none.
        for rest in part.text().split("pub struct infill_").skip(1) {
            let name = rest.split(' ').next().expect("a name");
            let at = header
                .find(&format!("typedef struct infill_{name} {{"))
                .or_else(|| header.find(&format!("\nstruct infill_{name} {{")))
                .or_else(|| header.find(&format!("typedef struct infill_{name} infill_{name};")))
                .unwrap_or_else(|| panic!("infill_{name} is not declared"));
            let comment = &header[header[..at].rfind("/**").expect("a comment")..at];
            assert!(comment.contains("Threads: ") && comment.contains("Lifetime: "), "{name}: {comment}");
        }
    }
}

/// No source that exports something is left out of the table, which would leave it out of the header and of the tests.
#[test]
fn every_source_that_exports_is_a_part() {
    let mut folders = vec![ffi().join("src")];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let name = path.strip_prefix(ffi().join("src")).expect("below").with_extension("");
            let name = name.to_str().expect("a name");
            if text.contains("#[unsafe(no_mangle)]") {
                assert!(PARTS.iter().any(|part| part.source == name), "{name} is no part");
                assert_eq!(exported(&text).len(), text.matches("#[unsafe(no_mangle)]").count(), "{name}");
                found += 1;
            }
        }
    }
    assert!(found >= 20, "{found} sources");
}

/// The complete program of the first page, as it stands there.
fn first_program(header: &str) -> String {
    let lines = header.lines().take(120).skip_while(|line| !line.starts_with(" *     #include"));
    let lines = lines.take_while(|line| *line == " *" || line.starts_with(" *     "));
    lines.map(|line| line.strip_prefix(" *     ").unwrap_or_default().to_string() + "\n").collect()
}

/// Compilers of a language that are installed, each with the standards that the header is written for.
fn compilers(cpp: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    const C: (&[&str], &[&str]) = (&["gcc", "clang"], &["c89", "c99", "c11", "c2x"]);
    const CPP: (&[&str], &[&str]) = (&["g++", "clang++"], &["c++11", "c++14", "c++17", "c++20"]);
    let (names, standards) = if cpp { CPP } else { C };
    let names = names.iter().filter(|name| has(name));
    names.flat_map(move |name| standards.iter().map(move |standard| (*name, *standard)))
}

/// A compiler that makes an error of every warning, at a source of its own.
fn strict(name: &str, standard: &str, source: &str, flags: &[&str]) -> Command {
    let ending = if standard.starts_with("c++") { "cpp" } else { "c" };
    let path = scratch("header").join(format!("{name}-{standard}-{}.{ending}", flags.concat()));
    fs::write(&path, source).expect("the target folder can be written");
    let mut command = Command::new(name);
    command.args([&format!("-std={standard}"), "-pedantic", "-Wall", "-Wextra", "-Wno-long-long", "-Werror"]);
    command.args(["-Wundef", "-fsyntax-only", "-I"]).arg(ffi().join("include")).args(flags).arg(path);
    command
}

/// A reader meets a complete program within 120 lines, and the whole within 2,700.
#[test]
fn the_first_program_comes_early_and_runs() {
    let header = read("include/infill.h");
    let lines = header.lines().count();
    assert!(lines <= 2700, "{lines} lines");
    let program = first_program(&header);
    assert!(program.contains("int main(void)") && program.ends_with("}\n\n"), "{program}");
    for (name, standard) in compilers(false) {
        run(&mut strict(name, standard, &program, &[]));
    }
    let path = scratch("header").join("first.c");
    fs::write(&path, program).expect("the target folder can be written");
    let built = Library::build(Build::Plain).program("cc", &["-std=c99"], &[path], "first");
    let said = text(&mut Command::new(built));
    let value: f64 = said.split(' ').next().and_then(|word| word.parse().ok()).expect("a value");
    assert!(value < 0.1, "{said}");
}

/// No compiler of the languages that the header is for has anything to say, with what may change and without.
#[test]
fn the_header_compiles_by_every_standard_without_a_warning() {
    let twice =
        "#include <infill.h>\n#define INFILL_EXPERIMENTAL\n#include <infill.h>\n#include <infill.h>\n";
    let body = "int main(void) { return infill_gpu_count() != 0; }\n";
    for (name, standard) in compilers(false).chain(compilers(true)) {
        run(&mut strict(name, standard, &format!("{twice}{body}"), &["-Wno-unused-macros"]));
        let alone = strict(name, standard, &format!("#include <infill.h>\n{body}"), &["-DNOTHING"]).output();
        let said = String::from_utf8_lossy(&alone.expect("it runs").stderr).into_owned();
        assert!(said.contains("infill_gpu_count"), "experimental without being asked for: {said}");
    }
}

/// What is marked in the sources as about to go is marked in the header, and a compiler says so.
#[test]
fn what_is_deprecated_warns() {
    let source = scratch("header").join("deprecated.rs");
    let old = "/// Old.\n#[deprecated(note = \"use infill_new\")]\n#[unsafe(no_mangle)]\npub extern \"C\" fn infill_old() {}\n";
    fs::write(&source, old).expect("the target folder can be written");
    let config = cbindgen::Config::from_file(ffi().join("header/cbindgen.toml")).expect("cbindgen.toml");
    let mut text = Vec::new();
    let builder = cbindgen::Builder::new().with_config(config).with_src(source);
    builder.generate().expect("the source is read").write(&mut text);
    let text = String::from_utf8(text).expect("it is text");
    assert!(text.contains("INFILL_DEPRECATED(\"use infill_new\")"), "{text}");
    let function = &Declarations::of(&text).functions[0];
    assert_eq!(function.0, ("void".to_string(), "infill_old".to_string()));
    for (name, standard) in compilers(false).chain(compilers(true)) {
        let main = format!("#include <infill.h>\n{text}int main(void) {{ infill_old(); return 0; }}\n");
        let told = strict(name, standard, &main, &["-DOLD"]).output().expect("it runs");
        let said = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(!told.status.success() && said.contains("use infill_new"), "{name} {standard}: {said}");
    }
}

/// The contract, a program, then part by part: no type stands before the part whose functions use it, and settings behind what
/// most programs call.
#[test]
fn the_header_goes_from_simple_to_special() {
    let header = read("include/infill.h");
    let at = |text: &str| header.find(text).unwrap_or_else(|| panic!("{text}"));
    let order = [
        " * Conventions",
        " * Stability",
        " * The simplest complete program",
        "#include <stddef.h>",
        "\nuint32_t infill_version(",
        "\ntypedef struct infill_param {",
        "\ninfill_status infill_new(",
        "\ninfill_status infill_minimize(",
        "\ninfill_status infill_ask(",
        "\nstruct infill_config {",
        "\ninfill_status infill_kernel_eval(",
        "\ninfill_status infill_gp_fit(",
        "\n#if defined(INFILL_EXPERIMENTAL)",
        "\ninfill_status infill_compare_ranks(",
    ];
    assert!(order.map(at).is_sorted(), "{order:?} at {:?}", order.map(at));
    for part in header.split("/* ---- ").filter(|part| part.contains(" ----- ")) {
        let last =
            ["\ntypedef struct ", "\nstruct ", "\nenum {"].iter().filter_map(|word| part.rfind(word)).max();
        let call =
            |line: &str| line.starts_with(|letter: char| letter.is_ascii_lowercase()) && line.ends_with(");");
        let behind =
            last.map_or(part, |last| &part[last + 1..]).lines().filter(|line| !line.starts_with("typedef"));
        assert!(
            behind.into_iter().any(call),
            "types without a function: {}",
            part.lines().next().unwrap_or_default()
        );
    }
}

/// The fields of infill_config are in the groups of Config, in their order.
#[test]
fn settings_are_in_groups() {
    let header = read("include/infill.h");
    let body = header.split_once("\nstruct infill_config {").and_then(|(_, rest)| rest.split_once("\n};"));
    let groups = body.expect("the structure").0.lines().filter_map(|line| line.strip_prefix("    /* ---- "));
    let mut groups: Vec<&str> =
        groups.map(|group| group.split([':', '-']).next().expect("a name").trim()).collect();
    groups.dedup();
    let expected = ["The block", "The starting design", "The surrogate", "Targets", "Proposals"];
    assert_eq!(
        groups,
        [&expected[..], &["The search for a proposal", "The strategy", "Sources", "The run"]].concat()
    );
}

/// Doxygen finds a comment at everything, and nothing in a comment to warn of.
#[test]
fn doxygen_has_nothing_to_say() {
    if !has("doxygen") {
        return;
    }
    let folder = scratch("doxygen");
    let settings = [
        ("INPUT", ffi().join("include/infill.h").display().to_string()),
        ("OUTPUT_DIRECTORY", folder.display().to_string()),
        ("PREDEFINED", "INFILL_EXPERIMENTAL".to_string()),
    ];
    let plain = "GENERATE_LATEX = NO\nHAVE_DOT = NO\nQUIET = YES\nOPTIMIZE_OUTPUT_FOR_C = YES\nJAVADOC_AUTOBRIEF = YES\n\
                 WARN_AS_ERROR = FAIL_ON_WARNINGS\n";
    let lines = settings.map(|(name, value)| format!("{name} = \"{value}\"\n"));
    let file = folder.join("Doxyfile");
    fs::write(&file, lines.concat() + plain).expect("the target folder can be written");
    let output = run(Command::new("doxygen").arg(file));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.is_empty(), "{said}");
    let page = fs::read_to_string(folder.join("html/infill_8h.html")).expect("the page of the header");
    assert!(page.contains("infill_document_read") && page.contains("INFILL_MODEL_CMA_ES"));
}
