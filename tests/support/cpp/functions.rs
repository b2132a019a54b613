//! A C function as one of C++, and what makes an object.

use super::layout::{Statement, WIDTH, comment, definition, in_order};
use super::{Cpp, base, cpp, cpp_output, spaced};
use crate::declarations::Function;
use crate::shape::{Part, Shape};

impl Cpp<'_> {
    /// What an object of the class of a function, or a parameter, says of a size.
    fn size(&self, shape: &Shape, size: &str) -> Option<String> {
        for part in &shape.parts {
            match part {
                Part::Numbers { names, size: own } if own == size => {
                    return Some(format!("{}.size()", names[0]));
                }
                Part::Rows { rows, .. } if rows == size => return Some(size.to_string()),
                _ => {}
            }
        }
        let object = shape.parts.contains(&Part::Itself) && self.class_has(shape, size);
        object.then(|| format!("{size}()"))
    }

    /// Whether the class of a function has another of this name, by hand or not.
    fn class_has(&self, shape: &Shape, name: &str) -> bool {
        let class = self.short(&shape.name);
        let class = class.rsplit_once("::").map_or("", |(class, _)| class);
        let of_c = self.all.functions.iter().map(|((_, name), _)| name);
        let generated = of_c
            .filter(|other| !self.by_hand(other))
            .any(|other| self.short(other) == format!("{class}::{name}"));
        let body = self.hand.split(&format!("\nclass {class} ")).nth(1);
        let body = body.and_then(|rest| rest.split("\n};").next()).unwrap_or_default();
        generated || body.contains(&format!(" {name}() "))
    }

    /// A C++ expression for a size such as `count·(count + 1)/2`.
    fn sized(&self, shape: &Shape, size: &str) -> String {
        let mut out = String::new();
        let size = size.replace('·', " * ").replace('/', " / ");
        let mut rest = size.as_str();
        while let Some(start) = rest.find(|letter: char| letter.is_ascii_lowercase()) {
            let end = rest[start..].find(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
            let end = end.map_or(rest.len(), |end| start + end);
            let name = &rest[start..end];
            out += &rest[..start];
            out += &self.size(shape, name).unwrap_or_else(|| name.to_string());
            rest = &rest[end..];
        }
        out + rest
    }

    /// The C++ type of a structure that is read, and what is passed on of it.
    fn data(&self, structure: &str, name: &str) -> (String, String) {
        let c = format!("infill_{structure}");
        if self.hand.contains(&format!("struct data {{\n        explicit data(const {structure} &from)")) {
            return (structure.to_string(), format!("{structure}::data({name}).get()"));
        }
        let derived = self.hand.contains(&format!("struct {structure} : {c} "));
        let default = |one: &Function| self.is_default(one) && one.1[0].0.trim_end_matches('*') == structure;
        let derived = derived || self.all.functions.iter().any(default);
        if derived && self.has_kernel(&c) {
            return (structure.to_string(), format!("detail::config_data<{c}>({name}).get()"));
        }
        (if derived { structure.to_string() } else { c }, format!("&{name}"))
    }

    /// What a call takes and passes on; `refused` is returned where sizes do not fit each other.
    fn passing(&self, shape: &Shape, refused: &str) -> Passing {
        let is_data = self.all.structures.iter().any(|(name, _)| name == self.owner_of(shape));
        let (mut inputs, mut last, mut call) = (vec![], vec![], vec![]);
        let mut before: Vec<Statement> = vec![];
        let several = shape.outputs().len() > 1;
        let base = base(shape);
        for part in &shape.parts {
            match part {
                Part::Itself => call.push(if is_data { "data(*this).get()" } else { "handle()" }.to_string()),
                Part::Backend => {
                    last.push("backend *by = nullptr".to_string());
                    call.push("by ? by->handle() : nullptr".to_string());
                }
                Part::Given { name, kind, choice, default } => {
                    let kind = choice.clone().unwrap_or_else(|| cpp(kind));
                    let default = default.as_ref().map(|value| format!(" = {value}"));
                    inputs.push((format!("{}{name}", spaced(&kind)), default));
                    call.push(name.clone());
                }
                Part::Data { name, structure, default } => {
                    let name = if name == structure { format!("the_{name}") } else { name.clone() };
                    let (kind, passed) = self.data(structure, &name);
                    let default = *default || kind == *structure && !passed.contains("::data(");
                    inputs.push((format!("const {kind} &{name}"), default.then(|| " = {}".to_string())));
                    call.push(passed);
                }
                Part::Numbers { names, .. } => {
                    inputs.extend(names.iter().map(|name| (format!("view {name}"), None)));
                    call.extend(names.iter().map(|name| format!("{name}.data()")));
                    call.push(format!("{}.size()", names[0]));
                    for other in &names[1..] {
                        before.push(
                            format!("if ({other}.size() != {}.size()) return {refused};", names[0]).into(),
                        );
                    }
                }
                Part::Rows { name, rows, dims } => {
                    inputs.push((format!("view {name}"), None));
                    let dims = self.size(shape, dims).unwrap_or_else(|| {
                        inputs.push((format!("std::size_t {dims}"), None));
                        dims.clone()
                    });
                    before.push(format!("std::size_t {rows} = 0;").into());
                    before.push(
                        format!("if (!detail::whole_rows({name}, {dims}, {rows})) return {refused};").into(),
                    );
                    call.extend([format!("{name}.data()"), rows.clone(), dims]);
                }
                Part::Text { name, length: true } => {
                    inputs.push((format!("std::string_view {name}"), None));
                    call.extend([format!("{name}.data()"), format!("{name}.size()")]);
                }
                Part::Text { name, length: false } => {
                    inputs.push((format!("const char *{name}"), None));
                    call.push(name.clone());
                }
                Part::Value { name, .. } => {
                    let whole = !several || base.is_some_and(|(base, _)| base == name);
                    call.push(if whole { "&out".into() } else { format!("&out.{name}") });
                }
                Part::Array { name, size, follows, .. } => {
                    if *follows && self.size(shape, size).is_none() {
                        inputs.push((format!("std::size_t {size}"), None));
                    }
                    let out = if several { format!("out.{name}") } else { "out".into() };
                    call.push(format!("{out}.data()"));
                    call.extend(follows.then(|| format!("{out}.size()")));
                }
                Part::Scratch { name, size } => {
                    before.push(format!("std::vector<double> {name}({});", self.sized(shape, size)).into());
                    call.push(format!("{name}.data()"));
                }
                Part::Written | Part::Memory | Part::Made => {}
            }
        }
        let mut inputs = in_order(inputs);
        inputs.extend(last);
        Passing { inputs, call, before }
    }

    pub(super) fn function(&self, shape: &Shape, indent: &str) -> String {
        let given = if shape.outputs().is_empty() { String::new() } else { self.given(shape) };
        let value = if shape.nothing.is_empty() { given.clone() } else { format!("std::optional<{given}>") };
        let refused = format!("detail::refused<{}>()", if value.is_empty() { "void" } else { &value });
        let Passing { inputs, call, before, .. } = self.passing(shape, &refused);
        let allocates = shape.parts.iter().any(|part| matches!(part, Part::Data { .. }));
        let body: Vec<_> = before.into_iter().chain(self.body(shape, call, &given)).collect();
        let returned = if shape.is_truth() {
            "bool".to_string()
        } else if shape.fails() {
            format!("result<{}>", if value.is_empty() { "void" } else { &value })
        } else {
            cpp(&shape.result)
        };
        // One of a class belongs to its objects, or to itself.
        let itself = shape.parts.first() == Some(&Part::Itself);
        let inside = !matches!(self.owner_of(shape), "nobody") && !self.owner_of(shape).ends_with('_');
        let storage = if itself {
            ""
        } else if inside {
            "static "
        } else {
            "inline "
        };
        let constant = if itself && shape.looks { " const" } else { "" };
        let tail = format!("){constant}{}", if shape.fails() || allocates { "" } else { " noexcept" });
        let head = format!("{storage}{}{}(", spaced(&returned), self.bare(&shape.name));
        comment(indent, &self.doc(shape)) + &definition(indent, &head, &inputs, &tail, &body)
    }

    /// The functions that make an object: on the heap, in memory that is lent, in a vector.
    pub(super) fn makers(&self, shape: &Shape, indent: &str) -> String {
        let class = self.short(&shape.name);
        let (class, bare) = class.rsplit_once("::").expect("what is made has a class");
        let prefix = shape.name.strip_suffix(bare).expect("the name of C ends with it");
        let create = if matches!(bare, "new" | "init") { "create" } else { bare };
        let Passing { inputs, call, .. } = self.passing(shape, "");
        let itself = shape.parts.first() == Some(&Part::Itself);
        let (storage, tail) = if itself { ("", ") const") } else { ("static ", ")") };
        let head = format!("{storage}result<{class}> {create}(");
        let doc = comment(indent, &self.doc(shape));
        let made = |helper: &str, by: &str, memory: &[&str]| {
            let mut items = call.clone();
            // Memory stands behind what is copied, and before what is to be made from scratch.
            let place = if itself { call.len() } else { 0 };
            items.splice(place..place, memory.iter().map(|one| one.to_string()));
            items.splice(0..0, [by.to_string(), shape.name.clone()]);
            Statement { head: format!("return {helper}("), items, tail: ");".into() }
        };
        if !shape.parts.contains(&Part::Memory) {
            let doc = if bare == "new" { comment(indent, HEAP) } else { doc };
            let body = [made("made", &format!("{prefix}free"), &[])];
            return doc + &definition(indent, &head, &inputs, tail, &body);
        }
        let placed = |by: &str| made("placed", by, &["memory.data()", "memory.bytes()"]);
        // All that is given comes before the memory, without defaults where that is needed.
        let with = |last: &str| {
            let plain = inputs.iter().map(|one| one.split(" = ").next().expect("a name").to_string());
            plain.chain([last.to_string()]).collect::<Vec<_>>()
        };
        let measure = [format!("{}_size", shape.name), format!("{prefix}size")];
        let measure = measure.iter().find(|name| bare != "attach" && self.named(name).is_some());
        let Some(measure) = measure else {
            return doc
                + &definition(indent, &head, &["block memory".to_string()], tail, &[placed("nullptr")]);
        };
        let owned = |taken: &str| {
            let (head, tail) =
                (format!("const auto words = detail::words({measure}("), format!("){taken});"));
            let words = Statement { head, items: call.clone(), tail };
            [words, "const block memory(*words);".to_string().into(), placed("words")]
        };
        let mut text = String::new();
        if itself || self.named(&format!("{prefix}new")).is_none() {
            let body = owned("");
            text += &if itself { doc } else { comment(indent, "In a vector of its own.") };
            text += &definition(indent, &head, &inputs, tail, &body);
            text += "\n";
        }
        let size = self.short(measure).replace(&format!("{class}::"), "");
        text += &comment(indent, &format!("In a block that the caller lends, of {size}() bytes or more."));
        let with_block = if itself {
            [vec!["block memory".to_string()], inputs.clone()].concat()
        } else {
            with("block memory")
        };
        text += &definition(indent, &head, &with_block, tail, &[placed("nullptr")]);
        if itself {
            return text;
        }
        text += "\n";
        text += &comment(indent, "In a vector that it takes over, and enlarges as needed.");
        let body = owned(", std::move(vector)");
        text += &definition(indent, &head, &with("std::vector<std::uint64_t> &&vector"), tail, &body);
        text + &constructors(indent, class, &inputs, &with)
    }

    /// The type of what is written.
    fn given(&self, shape: &Shape) -> String {
        match shape.outputs()[..] {
            [(_, part)] => cpp_output(part),
            _ => self.structure(shape).unwrap_or_else(|| self.result(shape).0),
        }
    }

    /// The statements that call the function and give what it wrote.
    fn body(&self, shape: &Shape, call: Vec<String>, given: &str) -> Vec<Statement> {
        let name = &shape.name;
        let none = format!("{{{}}}", shape.nothing.join(", "));
        let unless = if shape.nothing.is_empty() { "" } else { "_unless" };
        let mut first: Vec<String> = (!shape.nothing.is_empty()).then_some(none).into_iter().collect();
        let helper = |helper: &str, leading: Vec<String>, call: &[String]| {
            let items = [leading, vec![name.clone()], call.to_vec()].concat();
            vec![Statement { head: format!("return detail::{helper}("), items, tail: ");".into() }]
        };
        match shape.outputs()[..] {
            [] if !shape.fails() => {
                let tail = if shape.is_truth() { ") != 0;" } else { ");" };
                vec![Statement { head: format!("return {name}("), items: call, tail: tail.into() }]
            }
            [] => helper("call", vec![], &call),
            [(_, Part::Written)] => helper("told", vec![], &call),
            [(_, Part::Value { .. })] if call.last().is_some_and(|last| last == "&out") => {
                helper(&format!("last{unless}<{given}>"), first, &call[..call.len() - 1])
            }
            ref outputs => {
                let mut lines = vec![];
                match outputs {
                    [(_, Part::Array { size, .. })] => {
                        lines.push(format!("{given} out({});", self.sized(shape, size)).into())
                    }
                    _ => {
                        lines.push(format!("{given} out{{}};").into());
                        for (name, part) in outputs {
                            if let Part::Array { size, .. } = part {
                                lines.push(format!("out.{name}.resize({});", self.sized(shape, size)).into());
                            }
                        }
                    }
                }
                first.push("out".to_string());
                lines.extend(helper(&format!("filled{unless}"), first, &call));
                lines
            }
        }
    }
}

const HEAP: &str = "In a block from the library's heap. Hosted builds only.";

/// What a call takes, what it passes on, and what comes before it.
struct Passing {
    inputs: Vec<String>,
    call: Vec<String>,
    before: Vec<Statement>,
}

/// Constructors that throw what create would return.
fn constructors(indent: &str, class: &str, inputs: &[String], with: &dyn Fn(&str) -> Vec<String>) -> String {
    let name = |input: &String| {
        let word =
            input.split(" = ").next().expect("a name").rsplit([' ', '&']).next().expect("a name").to_string();
        if word == "vector" { "std::move(vector)".to_string() } else { word }
    };
    let mut text = String::from("\n#ifndef INFILL_NO_EXCEPTIONS\n");
    for (explicit, inputs) in [
        ("explicit ", inputs.to_vec()),
        ("", with("block memory")),
        ("", with("std::vector<std::uint64_t> &&vector")),
    ] {
        let passed: Vec<_> = inputs.iter().map(name).collect();
        let made = format!("{class}(create({})) {{}}", passed.join(", "));
        let head = format!("{indent}{explicit}{class}({})", inputs.join(", "));
        let gap =
            if head.len() + made.len() + 3 > WIDTH { format!("\n{indent}    ") } else { " ".to_string() };
        text += &format!("{head}{gap}: {made}\n");
    }
    text + "#endif\n"
}
