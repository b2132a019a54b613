//! The parts of `infill.hpp` that follow from `infill.h`, between lines that begin with [`BEGIN`] and [`END`].
//!
//! A C function that the rest of `infill.hpp` does not call becomes one of C++ by the rules of [`crate::shape`].

mod functions;
mod layout;

use std::fmt::Write;

pub use self::layout::comment;
use self::layout::{Statement, definition};
use crate::declarations::{Declarations, Function};
use crate::shape::{Part, Shape, made};
use crate::texts::Texts;

/// Before a generated part, with what it holds.
pub const BEGIN: &str = "// generated from infill.h: ";
/// After it.
pub const END: &str = "// end of what is generated";

/// A part with the functions of somebody, in a class or namespace that is written by hand.
const FUNCTIONS: &str = "functions of ";
/// A part that is all of a class.
const CLASS: &str = "class of ";

/// `infill.hpp` and what it follows from.
#[derive(Debug)]
pub struct Cpp<'a> {
    all: &'a Declarations,
    texts: Texts,
    hpp: &'a str,
    /// What is written by hand, without comments.
    hand: String,
}

impl<'a> Cpp<'a> {
    /// `infill.hpp` as it is, beside `infill.h`.
    pub fn new(header: &str, all: &'a Declarations, hpp: &'a str) -> Self {
        let mut generated = false;
        let mut hand = String::new();
        for line in hpp.lines() {
            let text = line.trim_start();
            generated = !text.starts_with(END) && (generated || text.starts_with(BEGIN));
            if !generated && !text.starts_with(['/', '*']) {
                hand += line;
                hand += "\n";
            }
        }
        Self { all, texts: Texts::of(header), hpp, hand }
    }

    /// Whether what is written by hand calls a function, or hands it to what calls it.
    pub fn by_hand(&self, name: &str) -> bool {
        let calls =
            |name: &str| ["(", ",", ")", "}"].iter().any(|end| self.hand.contains(&format!("{name}{end}")));
        calls(name)
    }

    /// Whether a function is neither written by hand nor the same as one that takes a backend, too.
    fn follows(&self, function: &Function) -> bool {
        // What gives an object back is for what holds it.
        let frees = function.0.1.ends_with("_free");
        !frees && !self.by_hand(&function.0.1) && self.named(&format!("{}_with", function.0.1)).is_none()
    }

    fn named(&self, name: &str) -> Option<&Function> {
        self.all.functions.iter().find(|((_, own), _)| own == name)
    }

    /// The functions that are generated, as `optimizer::tell(`, `tell(` for those of no class.
    pub fn names(&self) -> Vec<String> {
        let functions = self.all.functions.iter().filter(|function| self.follows(function));
        functions.map(|function| format!("{}(", self.short(&function.0.1))).collect()
    }

    /// `infill.hpp` with its generated parts as the header has them now.
    ///
    /// # Panics
    ///
    /// If a part has no end, or a function is not covered by the rules and not written by hand.
    pub fn renewed(&self) -> String {
        let mut out = String::new();
        let mut lines = self.hpp.lines();
        while let Some(line) = lines.next() {
            out += line;
            out += "\n";
            let Some((indent, what)) = line.split_once(BEGIN) else { continue };
            out += &self.part(what.split(" (").next().expect("a part"), indent);
            let end = lines.find(|line| line.trim_start().starts_with(END));
            out += end.unwrap_or_else(|| panic!("{line} has no end"));
            out += "\n";
        }
        out
    }

    fn part(&self, what: &str, indent: &str) -> String {
        let blocks: Vec<String> = match what {
            "defaults" => self.defaults(),
            "kernels" => self.kernels(indent),
            "results" => self.results(),
            _ => {
                let whole = what.starts_with(CLASS);
                let owner = what.trim_start_matches(FUNCTIONS).trim_start_matches(CLASS);
                let indent = if whole { "    " } else { indent };
                let functions = self.all.functions.iter().filter(|function| self.owner(function) == owner);
                let functions = functions.filter(|function| self.follows(function) && !self.fills(function));
                let written = functions.map(|function| {
                    let shape = self.shape(function);
                    if shape.makes() { self.makers(&shape, indent) } else { self.function(&shape, indent) }
                });
                let written: Vec<_> = written.collect();
                if whole { vec![self.class(owner, &written.join("\n"))] } else { written }
            }
        };
        blocks.join("\n")
    }

    /// A class of which nothing is written by hand.
    fn class(&self, owner: &str, functions: &str) -> String {
        let name = owner.trim_start_matches("infill_");
        let doc = comment("", &self.texts.get(owner).replace(" Threads: ", "\n\nThreads: "));
        let head = format!("class {name} : public detail::object<{name}, {owner}> {{\npublic:\n");
        format!("{doc}{head}{functions}\nprivate:\n    friend object;\n    using object::object;\n}};\n")
    }

    /// Who has a part of functions to which this one belongs: the type of what it makes, of its first parameter, what its
    /// name begins with, or nobody.
    fn owner(&self, function: &Function) -> &str {
        let ((_, name), parameters) = function;
        let first = parameters.first().map_or("", |(kind, _)| kind.trim_end_matches('*'));
        let last = parameters.last().and_then(|(kind, _)| made(self.all, kind)).unwrap_or_default();
        let owners = self.hpp.lines().filter_map(|line| line.split_once(BEGIN)).map(|(_, what)| what);
        let owner = |what: &'a str| what.strip_prefix(FUNCTIONS).or_else(|| what.strip_prefix(CLASS));
        let owners: Vec<_> = owners.filter_map(owner).collect();
        let is_type = |kind: &str| owners.iter().find(|owner| **owner == format!("infill_{kind}"));
        let begins = |owner: &&&str| name.starts_with(&format!("{}_", owner.trim_end_matches('_')));
        let found = is_type(last).or_else(|| is_type(first)).or_else(|| owners.iter().find(begins));
        found.copied().unwrap_or("nobody")
    }

    fn shape(&self, function: &Function) -> Shape {
        let owner = self.owner(function).trim_start_matches("infill_");
        let mut shape = Shape::of(self.all, &self.texts, function, owner);
        // What takes a backend does the same as what does not.
        let alone = function.0.1.strip_suffix("_with").and_then(|name| self.named(name));
        if let (Some(shape), Some(alone)) =
            (&mut shape, alone.and_then(|one| Shape::of(self.all, &self.texts, one, owner)))
        {
            (shape.text, shape.nothing) = (alone.text, alone.nothing);
        }
        shape.unwrap_or_else(|| {
            panic!("no rule makes {} one of C++: write it in infill.hpp by hand", function.0.1)
        })
    }

    /// The name of a function in C++, with its class.
    fn short(&self, name: &str) -> String {
        let function = self.named(name).expect("a function");
        let owner = self.owner(function);
        let class = owner.trim_start_matches("infill_").trim_end_matches('_').replace("nobody", "");
        let bare = name.trim_start_matches("infill_");
        let alone = bare.strip_suffix("_with").filter(|bare| self.named(&format!("infill_{bare}")).is_some());
        let bare = alone.unwrap_or(bare);
        let bare = bare.strip_prefix(&format!("{class}_")).filter(|_| !class.is_empty()).unwrap_or(bare);
        if class.is_empty() {
            return bare.to_string();
        }
        format!("{}::{bare}", if class == "opt" { "optimizer" } else { &class })
    }

    fn bare(&self, name: &str) -> String {
        self.short(name).rsplit(':').next().expect("a name").to_string()
    }

    /// `infill_training_default(training *, size)`: a structure that knows its defaults.
    fn is_default(&self, function: &Function) -> bool {
        function.0.1.ends_with("_default") && self.fills(function)
    }

    /// Whether a function fills a structure whose size comes next.
    fn fills(&self, (_, parameters): &Function) -> bool {
        let structure = parameters.first().map_or("", |(kind, _)| kind.trim_end_matches('*'));
        let known = self.all.structures.iter().any(|(name, _)| name == &format!("infill_{structure}"));
        known && parameters.get(1).is_some_and(|(kind, name)| kind == "size_t" && name == "size")
    }

    fn defaults(&self) -> Vec<String> {
        let functions = self.all.functions.iter().filter(|one| self.is_default(one) && self.follows(one));
        let blocks = functions.map(|((_, function), parameters)| {
            let name = parameters[0].0.trim_end_matches('*');
            let base = format!("infill_{name}");
            let owns = self.has_kernel(&base);
            let doc = sentence(self.texts.get(&base)).trim_end_matches('.').to_string();
            let with = if owns { ", and a kernel that it owns" } else { "" };
            let doc = format!("{doc}: {base} with the defaults{with}.\n\nThreads: plain data. Lifetime: its own.");
            let mut text = comment("", &doc);
            text += &format!("struct {name} : {base} {{\n    // A library that is older than this header leaves the size at 0, ");
            text += "for which every call is refused.\n";
            text += &format!("    {name}() noexcept : {base}() {{ {function}(this, sizeof({base})); }}\n");
            text += &self.setter(name, &base);
            let others = self.all.functions.iter().filter(|one| self.fills(one) && !self.is_default(one));
            for other in others.filter(|(_, others)| others[0].0 == parameters[0].0) {
                text += &self.filler(other, name, &base);
            }
            if owns {
                let doc = format!("The kernel; if there is none, that of {base}::kernel.");
                text += &format!("\n{}    std::optional<infill::kernel> kernel;\n", comment("    ", &doc));
            }
            text + "};\n"
        });
        blocks.collect()
    }

    /// A constructor for the fields that have no defaults: those behind "then set" in the comment of the structure.
    fn setter(&self, name: &str, base: &str) -> String {
        let Some(rest) = self.texts.get(base).split("then set ").nth(1) else { return String::new() };
        let names =
            rest.split('.').next().unwrap_or_default().replace(" and a ", ", ").replace(" and ", ", ");
        let (_, fields) = self.all.structures.iter().find(|(own, _)| own == base).expect("a structure");
        let names = names.split(", ").filter_map(|name| fields.iter().find(|(_, field)| field == name));
        let (mut inputs, mut body) = (vec![], vec![]);
        for (kind, field) in names {
            inputs.push(match kind.as_str() {
                "kernel*" => format!("std::optional<infill::kernel> the_{field} = {{}}"),
                _ => format!("{}the_{field}", spaced(&cpp(kind))),
            });
            let value =
                if kind == "kernel*" { format!("std::move(the_{field})") } else { format!("the_{field}") };
            body.push(format!("{field} = {value};").into());
        }
        let doc = comment("    ", "With the fields that have no defaults.");
        format!(
            "\n{doc}{}",
            definition("    ", &format!("{name}("), &inputs, &format!(") : {name}()"), &body)
        )
    }

    /// Another way to fill a structure.
    fn filler(&self, function: &Function, name: &str, base: &str) -> String {
        let texts = self.texts.get(&function.0.1).split("Errors:").next().unwrap_or_default();
        let rest = (function.0.clone(), function.1[2..].to_vec());
        let inputs = rest.1.iter().map(|(kind, name)| format!("{}{name}", spaced(&cpp(kind))));
        let bare = function.0.1.trim_start_matches(base).trim_start_matches('_');
        let items: Vec<_> = rest.1.iter().map(|(_, name)| name.clone()).collect();
        let items =
            [vec!["out".into(), function.0.1.clone(), "&out".into(), format!("sizeof({base})")], items];
        let call =
            Statement { head: "return detail::filled(".into(), items: items.concat(), tail: ");".into() };
        let body: Vec<Statement> = vec![format!("{name} out;").into(), call];
        let doc = comment("    ", texts.trim());
        let inputs: Vec<_> = inputs.collect();
        format!(
            "\n{doc}{}",
            definition("    ", &format!("static result<{name}> {bare}("), &inputs, ")", &body)
        )
    }

    /// Whether a structure points to a kernel.
    fn has_kernel(&self, structure: &str) -> bool {
        let found = self.all.structures.iter().find(|(name, _)| name == structure);
        found.is_some_and(|(_, fields)| fields.iter().any(|(kind, _)| kind == "kernel*"))
    }

    /// The kernels whose numbers nothing by hand names.
    fn kernels(&self, indent: &str) -> Vec<String> {
        let (_, members) =
            self.all.numbers.iter().find(|(name, _)| name == "infill_op").expect("the kernels");
        let members = members.iter().map(|(name, _)| name);
        let members = members.filter(|name| !self.hand.contains(&format!("kernel({name}")));
        let members = members.filter(|name| !matches!(&name[10..], "SUM" | "PRODUCT" | "SCALE"));
        let one = |name: &String| {
            let function = name["INFILL_OP_".len()..].to_lowercase();
            let doc = comment(indent, self.texts.get(name));
            format!("{doc}{indent}static kernel {function}() {{ return kernel({name}); }}\n")
        };
        // They need no empty lines between them.
        vec![members.map(one).collect()]
    }

    /// What several outputs of a generated function go into, where nothing by hand has these members.
    fn results(&self) -> Vec<String> {
        let functions = self.all.functions.iter().filter(|one| self.follows(one) && !self.fills(one));
        let shapes = functions.map(|function| self.shape(function));
        let shapes = shapes.filter(|shape| shape.outputs().len() > 1 && self.structure(shape).is_none());
        let mut blocks: Vec<String> = Vec::new();
        for shape in shapes {
            let (name, below, own) = self.result(&shape);
            let doc =
                base(&shape).map(|(_, kind)| sentence(self.texts.get(&format!("infill_{kind}"))).to_string());
            let doc = doc.unwrap_or_else(|| format!("What {} gives", self.short(&shape.name)));
            let mut text = comment("", &format!("{}.", doc.trim_end_matches('.')));
            let below = below.map_or(String::new(), |below| format!(" : {below}"));
            text += &format!("struct {name}{below} {{\n");
            for (name, part) in
                shape.outputs().into_iter().filter(|(name, _)| own.iter().any(|own| own == name))
            {
                let value = if matches!(part, Part::Array { .. }) { "" } else { " = {}" };
                writeln!(text, "    {}{name}{value};", spaced(&cpp_output(part))).expect("a string grows");
            }
            text += "};\n";
            // Several functions may give the same.
            if !blocks.contains(&text) {
                blocks.push(text);
            }
        }
        blocks
    }

    /// The name of a generated structure, what it is based on, and the names of its own members.
    fn result(&self, shape: &Shape) -> (String, Option<String>, Vec<String>) {
        let names: Vec<_> = shape.outputs().into_iter().map(|(name, _)| name.to_string()).collect();
        if let Some((out, kind)) = base(shape) {
            let own = names.into_iter().filter(|name| name != out).collect();
            // Of a class, where the name is taken.
            let taken = self.hand.contains(&format!("\nstruct {kind} "));
            let class = self.owner_of(shape).trim_start_matches("infill_");
            let name = if taken { format!("{class}_{kind}") } else { kind.to_string() };
            return (name, Some(format!("infill_{kind}")), own);
        }
        let name = shape.name.trim_start_matches("infill_").to_string();
        let free = matches!(self.owner_of(shape), "nobody");
        let name = if free { name + "_result" } else { name };
        let structures = self.structures();
        // To be based on something is worth it where that can do something.
        let can = |head: &str| {
            let body = self.hand.split(&format!("\nstruct {head} {{\n")).nth(1);
            body.and_then(|rest| rest.split("\n};").next()).is_some_and(|body| body.contains("() const"))
        };
        let mut parts = structures.iter().filter(|(head, own)| {
            !head.contains(" : ") && can(head) && own.iter().all(|name| names.contains(name))
        });
        match parts.next() {
            Some((below, inherited)) => {
                let own = names.into_iter().filter(|name| !inherited.contains(name)).collect();
                (name, Some(below.to_string()), own)
            }
            None => (name, None, names),
        }
    }

    /// The structures written by hand: what stands behind struct, and the names of their members.
    fn structures(&self) -> Vec<(&str, Vec<String>)> {
        let all = self.hand.split("\nstruct ").skip(1).filter_map(|rest| rest.split_once(" {\n"));
        all.map(|(head, body)| (head, members(body.split("\n};").next().unwrap_or_default()))).collect()
    }

    /// The structure written by hand whose members are the outputs, or that has those of one output as its base.
    fn structure(&self, shape: &Shape) -> Option<String> {
        let structures = self.structures();
        let base = base(shape).map(|(_, kind)| format!("infill_{kind}"));
        let outputs = shape.outputs();
        let names = outputs.iter().map(|(name, _)| *name).filter(|name| base.is_none() || *name != "out");
        let names: Vec<_> = names.collect();
        let same = |(head, own): &&(&str, Vec<String>)| {
            let below = head.split_once(" : ").map_or("", |(_, below)| below);
            let inherited = structures.iter().find(|(name, _)| *name == below).map(|(_, own)| own.clone());
            let whole: Vec<_> =
                inherited.unwrap_or_default().into_iter().chain(own.iter().cloned()).collect();
            base.as_ref().is_none_or(|base| base == below)
                && whole.len() == names.len()
                && names.iter().all(|name| whole.iter().any(|own| own == name))
        };
        structures.iter().find(same).map(|(head, _)| head.split(' ').next().expect("a name").to_string())
    }

    /// The comment of a function, in which others go by their names in C++.
    fn doc(&self, shape: &Shape) -> String {
        let mut names: Vec<_> = self.all.functions.iter().map(|((_, name), _)| name.as_str()).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let mut text = shape.text.clone();
        for name in names {
            text = text.replace(name, &self.short(name));
        }
        let class = self.short(&shape.name);
        let class = class.rsplit_once("::").map_or(String::new(), |(class, _)| format!("{class}::"));
        let text = if class.is_empty() { text } else { text.replace(&class, "") };
        if shape.is_truth() { truth(&text) } else { text }
    }

    fn owner_of(&self, shape: &Shape) -> &str {
        self.owner(self.named(&shape.name).expect("it is there"))
    }
}

/// The output that is a structure besides an array, of which the result is made: its name and kind.
fn base(shape: &Shape) -> Option<(&str, &str)> {
    let values = shape.parts.iter().filter_map(|part| match part {
        Part::Value { name, kind } => Some((name.as_str(), kind.as_str())),
        _ => None,
    });
    let values: Vec<_> = values.collect();
    let arrays = shape.parts.iter().filter(|part| matches!(part, Part::Array { .. })).count();
    (arrays > 0 && values.len() == 1 && values[0].0 == "out").then(|| values[0])
}

/// What is true of something that C says by 1 and 0.
fn truth(text: &str) -> String {
    text.replacen("1 if ", "True if ", 1)
        .replace("; 0 otherwise", "")
        .replace(" 0 if not, for NULL, and", " False if not, and")
}

/// A type before a name.
fn spaced(kind: &str) -> String {
    if kind.ends_with(['*', '&']) { kind.to_string() } else { format!("{kind} ") }
}

/// The first sentence.
fn sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first)
}

/// The names of the members of a structure.
fn members(body: &str) -> Vec<String> {
    let lines = body.lines().filter(|line| !line.contains('(') && line.trim_end().ends_with(';'));
    let name = |line: &str| {
        let declaration = line.split([';', '=', '{']).next().unwrap_or_default().trim();
        declaration.rsplit(' ').next().unwrap_or_default().to_string()
    };
    lines.map(name).collect()
}

/// The C++ type of an output.
fn cpp_output(part: &Part) -> String {
    match part {
        Part::Array { kind, .. } => format!("std::vector<{}>", cpp(kind)),
        Part::Value { kind, .. } => cpp(kind),
        _ => "std::string".to_string(),
    }
}

/// A type of the header in C++.
fn cpp(kind: &str) -> String {
    match kind {
        "double" | "void" => kind.to_string(),
        "int32" | "int64" | "uint16" | "uint32" | "uint64" => format!("std::{kind}_t"),
        "size_t" => "std::size_t".to_string(),
        "char*" => "const char *".to_string(),
        _ if kind.starts_with("const ") => kind.to_string(),
        _ => format!("infill_{kind}"),
    }
}
