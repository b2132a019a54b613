//! The parts of the C interface: one table that says where each is written, how the header shows it and what calls it.
//!
//! A new part is a source below `ffi/src`, a program below `tests/ffi` and a line here. `tests/header.rs` makes the header
//! of the table, `tests/border.rs` runs the programs and looks for a call of each function.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::native::root;

/// A source of the C interface.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The file below `ffi/src`, without its ending.
    pub source: &'static str,
    /// The heading in the header before its first function; empty where it goes on under the one before.
    pub heading: &'static str,
    /// What calls its functions.
    pub programs: Programs,
    /// Whether it may still change: it is only declared where `INFILL_EXPERIMENTAL` is defined.
    pub experimental: bool,
}

/// The programs below `tests/ffi` that call each function of a part with good and with bad input.
#[derive(Clone, Copy, Debug)]
pub enum Programs {
    /// Two of this name, below `good` and `bad`.
    Apart(&'static str),
    /// One of this name, which calls each function at least twice.
    Together(&'static str),
}
use Programs::{Apart, Together};

/// Every source that exports functions or data, in the order in which the header shows them.
pub const PARTS: &[Part] = &[
    part("version", "Which library this is, and what went wrong", Apart("library")),
    part("status", "", Apart("library")),
    part("space", "Spaces", Apart("space")),
    part("block", "Blocks: how large, made, taken up again, copied", Apart("block")),
    part("minimize", "Tier 1: the whole loop", Apart("ask")),
    part("ask", "Tier 2: ask and tell", Apart("ask")),
    part("query", "", Apart("ask")),
    part("explain", "Why a call was refused", Apart("ask")),
    part("source", "Sources: what runs on other data sets taught", Apart("source")),
    part("config", "Settings", Apart("config")),
    part("choices", "", Apart("config")),
    part("backend", "Backends", Apart("backend")),
    part("kernel", "Tier 3: the parts. Kernels", Apart("kernel")),
    part("gp/data", "Gaussian-process regression", Apart("process")),
    part("gp/make", "", Apart("process")),
    part("gp/learn", "", Apart("process")),
    part("gp/predict", "", Apart("process")),
    part("primitives", "Acquisitions and designs", Apart("parts")),
    part("race", "Races of noisy configurations", Together("race")),
    experimental("gpu", "Backends on a GPU", Apart("backend")),
    experimental("frace", "Iterated F-races", Together("race")),
    experimental("compare", "Comparisons of methods", Together("race")),
    experimental("document", "Spaces with names, as JSON", Together("document")),
];

const fn part(source: &'static str, heading: &'static str, programs: Programs) -> Part {
    Part { source, heading, programs, experimental: false }
}

const fn experimental(source: &'static str, heading: &'static str, programs: Programs) -> Part {
    Part { source, heading, programs, experimental: true }
}

impl Part {
    /// The text of the source.
    pub fn text(&self) -> String {
        let path = root().join(format!("ffi/src/{}.rs", self.source));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The names of the functions that it exports.
    pub fn functions(&self) -> Vec<String> {
        exported(&self.text())
    }
}

impl Programs {
    /// Their names, paths below `tests/ffi` without the ending.
    pub fn names(self) -> Vec<String> {
        match self {
            Apart(name) => vec![format!("good/{name}"), format!("bad/{name}")],
            Together(name) => vec![name.to_string()],
        }
    }

    /// How often each of them has to call a function.
    pub fn calls(self) -> usize {
        match self {
            Apart(_) => 1,
            Together(_) => 2,
        }
    }
}

/// The names of the functions that the text of a source exports, in its order.
pub fn exported(text: &str) -> Vec<String> {
    let names = text.split("extern \"C\" fn infill_").skip(1);
    names.map(|rest| format!("infill_{}", rest.split('(').next().expect("a name"))).collect()
}

/// The programs of all parts, each once.
pub fn programs() -> BTreeSet<String> {
    PARTS.iter().flat_map(|part| part.programs.names()).collect()
}

/// The source of a program.
pub fn source(program: &str) -> PathBuf {
    root().join(format!("tests/ffi/{program}.c"))
}
