//! C functions as methods and functions of Python.

use super::{Python, WIDTH, docstring, list, short, spelling, title};
use crate::declarations::Function;
use crate::shape::{Part, Shape};

impl Python<'_> {
    /// What `calls.py` holds: a class for each handle that a class by hand is based on, and functions of no object.
    pub(super) fn calls(&self) -> String {
        let mut text = String::new();
        for class in self.classes() {
            let functions = self
                .all
                .functions
                .iter()
                .filter(|one| self.class_of(one) == Some(&class) && self.follows(one));
            let methods: Vec<_> = functions.map(|one| self.function(one, &class)).collect();
            text += &format!("\n\nclass {}(Held):\n", title(&class));
            text += &docstring("    ", &format!("Functions of infill_{class}."));
            text += &methods.iter().map(|method| format!("\n{method}")).collect::<String>();
        }
        let free = self.all.functions.iter().filter(|one| self.class_of(one).is_none() && self.follows(one));
        text += &free.map(|one| format!("\n\n{}", self.function(one, ""))).collect::<String>();
        IMPORTS.replace('@', &imports(&text)) + &text
    }

    /// The handles that classes by hand are based on.
    fn classes(&self) -> Vec<String> {
        let handles = ["opt", "gp", "race", "frace", "document", "backend"].map(str::to_string);
        let based = |name: &String| {
            self.hand.iter().any(|module| module.contains(&format!("calls.{})", title(name))))
        };
        handles.into_iter().filter(based).collect()
    }

    fn class_of(&self, (_, parameters): &Function) -> Option<&'static str> {
        let first = parameters.first().map_or("", |(kind, _)| kind.as_str());
        ["opt", "gp", "race", "frace", "document", "backend"]
            .into_iter()
            .find(|handle| first == format!("{handle}*"))
    }

    /// The name of a function behind what the class begins its names with.
    fn bare<'b>(&self, name: &'b str, class: &str) -> &'b str {
        let name = short(name);
        name.strip_prefix(&format!("{class}_")).filter(|_| !class.is_empty()).unwrap_or(name)
    }

    /// Whether nothing by hand calls a function, nor defines one of its name.
    ///
    /// # Panics
    ///
    /// If the rules do not cover it.
    fn follows(&self, function: &Function) -> bool {
        let name = &function.0.1;
        let class = self.class_of(function).unwrap_or_default();
        let bare = self.bare(name, class);
        // With a backend, or from sources, it is the same in Python.
        let alone = bare.strip_suffix("_with").or(bare.strip_suffix("_from")).unwrap_or(bare);
        let prefix = if class == "opt" || class.is_empty() { String::new() } else { format!("{class}_") };
        let by_hand = self.hand.iter().any(|module| {
            let calls = ["(", ",", ")"].map(|end| format!("lib.{prefix}{bare}{end}"));
            let names = [format!("\"{bare}\""), format!("\"{alone}_with\""), format!("    def {alone}(")];
            let has = |words: &[String]| words.iter().any(|word| module.contains(word.as_str()));
            let of_class =
                module.contains(&format!("calls.{})", title(class))) || module.contains("class Held");
            has(&calls) || has(&[format!("\ndef {alone}(")]) || (of_class || class.is_empty()) && has(&names)
        });
        if by_hand || name.ends_with("_free") || name.ends_with("_default") {
            return false;
        }
        match Shape::of(self.all, &self.texts, function, class) {
            // Objects are made by their classes.
            Some(shape) if shape.makes() => false,
            Some(_) if class.is_empty() || self.classes().iter().any(|own| own == class) => true,
            None if function.1.iter().any(|(kind, _)| kind.ends_with("**")) => false,
            _ => panic!("no rule makes {name} one of Python: write it by hand in ffi/python"),
        }
    }

    fn function(&self, function: &Function, class: &str) -> String {
        let shape = Shape::of(self.all, &self.texts, function, class).expect("a shape");
        let bare = self.bare(&shape.name, class);
        let inside = shape.parts.first() == Some(&Part::Itself);
        let (mut inputs, mut last, mut call, mut before) = (vec![], vec![], vec![], vec![]);
        let mut backend = false;
        for part in &shape.parts {
            match part {
                Part::Itself | Part::Memory | Part::Made | Part::Written => {}
                Part::Backend => {
                    backend = true;
                    last.push("backend: Optional[Backend] = None".to_string());
                    call.push("work".to_string());
                }
                Part::Given { name, kind, choice, default } => {
                    let table = choice.as_ref().and_then(|own| {
                        let (_, members) = self.all.numbers.iter().find(|(name, _)| name == own)?;
                        Some((spelling(own, members).1, spelling(own, members).0.to_string()))
                    });
                    let (kind, passed) = match (kind.as_str(), &table) {
                        (_, Some((table, _))) => {
                            ("str", format!("word(\"{name}\", {name}, _header.{table})"))
                        }
                        ("double", _) => ("float", format!("real(\"{name}\", {name})")),
                        ("trial", _) => ("Any", format!("identity(\"{name}\", {name})")),
                        ("uint64", _) if name == "run" => ("Any", format!("identity(\"{name}\", {name})")),
                        ("uint64", _) => ("int", format!("whole(\"{name}\", {name}, 64)")),
                        ("size_t", _) => ("int", format!("whole(\"{name}\", {name}, SIZE)")),
                        _ => ("int", format!("whole(\"{name}\", {name})")),
                    };
                    let default = default.as_ref().map(|value| match &table {
                        Some((_, prefix)) => {
                            format!("\"{}\"", value.trim_start_matches(prefix.as_str()).to_lowercase())
                        }
                        None if kind == "float" && !value.contains('.') => format!("{value}.0"),
                        None => value.clone(),
                    });
                    inputs.push((format!("{name}: {kind}"), default));
                    call.push(passed);
                }
                Part::Data { name, structure, default } => {
                    let passed = match structure.as_str() {
                        "space" => format!("space({name}).data"),
                        "kernel" => format!("{name}.data"),
                        _ => format!("made(_header.{}, {name})", title(structure)),
                    };
                    let name = if structure == "space" { format!("{name}_given") } else { name.clone() };
                    let passed = passed.replace("space(space)", &format!("space({name})"));
                    inputs.push((format!("{name}: Any"), default.then(|| "()".to_string())));
                    call.push(passed);
                }
                Part::Numbers { names, .. } => {
                    for (place, name) in names.iter().enumerate() {
                        inputs.push((format!("{name}: Any"), None));
                        before.push(match (inside, place) {
                            (true, 0) => format!("{name}_array = self._encoded(\"{name}\", {name})"),
                            (false, 0) => format!("{name}_array = array(\"{name}\", {name})"),
                            _ => format!("{name}_array = array(\"{name}\", {name}, len({}_array))", names[0]),
                        });
                        call.push(format!("{name}_array"));
                    }
                    call.push(format!("len({}_array)", names[0]));
                }
                Part::Rows { name, rows, dims } => {
                    inputs.push((format!("{name}: Sequence[Sequence[float]]"), None));
                    let size = self.size(&shape, dims, class).unwrap_or_else(|| {
                        inputs.push((format!("{dims}: int"), None));
                        dims.clone()
                    });
                    before.push(format!("{name}_array, {rows} = rows(\"{name}\", {name}, {size})"));
                    call.extend([format!("{name}_array"), rows.clone(), size]);
                }
                Part::Text { name, length } => {
                    inputs.push((format!("{name}: str"), None));
                    before.push(format!("{name}_bytes = {name}.encode()"));
                    call.push(format!("{name}_bytes"));
                    call.extend(length.then(|| format!("len({name}_bytes)")));
                }
                Part::Value { name, kind } => {
                    before.push(format!("{name}_out = {}()", ctypes(self, kind)));
                    call.push(format!("{name}_out"));
                }
                Part::Array { name, size, follows, kind } => {
                    let size = self.sized(&shape, size, class, &mut inputs);
                    before.push(
                        format!("{name}_out = ({} * ({size}))()", ctypes(self, kind))
                            .replace("((", "(")
                            .replace("))()", ")()"),
                    );
                    call.push(format!("{name}_out"));
                    call.extend(follows.then(|| format!("len({name}_out)")));
                }
                Part::Scratch { name, size } => {
                    let size = self.sized(&shape, size, class, &mut inputs);
                    before.push(format!("{name}_out = (ctypes.c_double * ({size}))()"));
                    call.push(format!("{name}_out"));
                }
            }
        }
        let mut inputs = in_order(inputs);
        inputs.extend(last);
        let (kind, value) = self.given(&shape);
        let is_property = inside && inputs.is_empty() && kind != "None";
        let kind = if shape.nothing.is_empty() { kind } else { format!("Optional[{kind}]") };
        let mut lines = before;
        let mut indent = String::new();
        if !shape.nothing.is_empty() {
            let names: Vec<_> =
                shape.nothing.iter().map(|name| format!("\"{}\"", &name["INFILL_".len()..])).collect();
            lines.push(format!("with none_for({}):", names.join(", ")));
            indent += "    ";
        }
        if backend {
            lines.push(format!("{indent}with lent(backend) as work:"));
            indent += "    ";
        }
        let written = shape.parts.contains(&Part::Written);
        let head = match (inside, written) {
            (true, false) => format!("self._call(\"{bare}\""),
            (true, true) => format!("told(self._function(\"{bare}\"), self._handle"),
            (false, false) => format!("lib.{}(", short(&shape.name)),
            (false, true) => format!("told(lib.{}", short(&shape.name)),
        };
        let gap = if call.is_empty() || head.ends_with('(') { "" } else { ", " };
        let whole = format!("{head}{gap}{})", call.join(", "));
        match value {
            None if kind == "None" => lines.push(indent.clone() + &whole),
            None if shape.is_truth() => lines.push(format!("{indent}return bool({whole})")),
            None => lines.push(format!("{indent}return {whole}")),
            Some(value) => {
                lines.push(indent.clone() + &whole);
                lines.push(format!("{indent}return {value}"));
            }
        }
        if !shape.nothing.is_empty() {
            lines.push("return None".to_string());
        }
        let margin = if inside { "    " } else { "" };
        let mut text = if is_property { format!("{margin}@property\n") } else { String::new() };
        if inside {
            inputs.insert(0, "self".to_string());
        }
        let name = bare.strip_suffix("_with").unwrap_or(bare);
        text += &list(&format!("{margin}def {name}("), &inputs, &format!(") -> {kind}:"));
        text += &docstring(&format!("{margin}    "), &self.doc(&shape, class));
        for line in lines {
            let pad = format!("{margin}    {}", " ".repeat(line.len() - line.trim_start().len()));
            let long = margin.len() + 4 + line.chars().count() > WIDTH;
            text += &match line.trim_start().split_once('(').filter(|_| long && line.ends_with(')')) {
                Some((head, rest)) => {
                    format!("{pad}{head}(\n{pad}    {}\n{pad})\n", &rest[..rest.len() - 1])
                }
                None => format!("{margin}    {line}\n"),
            };
        }
        text
    }

    /// The type of what is given, and the expression for it if it is not what the call returns.
    fn given(&self, shape: &Shape) -> (String, Option<String>) {
        let outputs = shape.outputs();
        let one = |name: &str, part: &Part| match part {
            Part::Array { .. } if name == "x" => ("Any".to_string(), "self._decoded(x_out)".to_string()),
            Part::Array { kind, .. } => {
                let item = if kind == "double" { "float" } else { "int" };
                (format!("List[{item}]"), format!("list({name}_out)"))
            }
            Part::Value { kind, .. } if self.all.structures.iter().any(|(own, _)| short(own) == kind) => {
                (format!("_header.{}", title(kind)), format!("{name}_out"))
            }
            Part::Value { kind, .. } => {
                ((if kind == "double" { "float" } else { "int" }).to_string(), format!("{name}_out.value"))
            }
            _ => ("str".to_string(), String::new()),
        };
        match outputs[..] {
            [] if shape.fails() || shape.result == "void" => ("None".to_string(), None),
            [] if shape.is_truth() => ("bool".to_string(), None),
            [] if shape.result == "char*" => ("Optional[bytes]".to_string(), None),
            [] => ("int".to_string(), None),
            [(_, Part::Written)] => ("str".to_string(), None),
            [(name, part)] => {
                let (kind, value) = one(name, part);
                (kind, Some(value))
            }
            _ => {
                let names: Vec<_> = outputs.iter().map(|(name, _)| *name).collect();
                let values: Vec<_> = outputs.iter().map(|(name, part)| one(name, part).1).collect();
                match self.tuple(&names) {
                    Some(tuple) => (tuple.clone(), Some(format!("{tuple}({})", values.join(", ")))),
                    None => ("Any".to_string(), Some(format!("({})", values.join(", ")))),
                }
            }
        }
    }

    /// The named tuple by hand that has these fields.
    fn tuple(&self, names: &[&str]) -> Option<String> {
        let tuples = self.hand.iter().flat_map(|module| module.split("\nclass ").skip(1));
        let mut tuples = tuples.filter_map(|rest| rest.split_once("(NamedTuple):\n"));
        let fields = |body: &str| -> Vec<String> {
            let body =
                body.split("\n\n    @").next().unwrap_or_default().split("\n\n\n").next().unwrap_or_default();
            let lines = body.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
            let names = lines.map(|(name, _)| name.to_string());
            names
                .filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'))
                .collect()
        };
        tuples.find(|(_, body)| fields(body) == names).map(|(name, _)| name.to_string())
    }

    /// An expression for the size of an array that a parameter, the object or the caller says.
    fn size(&self, shape: &Shape, size: &str, class: &str) -> Option<String> {
        for part in &shape.parts {
            match part {
                Part::Numbers { names, size: own } if own == size => {
                    return Some(format!("len({}_array)", names[0]));
                }
                Part::Rows { rows, .. } if rows == size => return Some(size.to_string()),
                _ => {}
            }
        }
        let inside = shape.parts.first() == Some(&Part::Itself);
        let prefix = if class == "opt" { String::new() } else { format!("{class}_") };
        let known = self.all.functions.iter().any(|((_, name), _)| short(name) == format!("{prefix}{size}"));
        (inside && known).then(|| format!("self._call(\"{size}\")"))
    }

    fn sized(
        &self,
        shape: &Shape,
        size: &str,
        class: &str,
        inputs: &mut Vec<(String, Option<String>)>,
    ) -> String {
        let plain = size.replace('·', " * ").replace('/', " // ");
        let names: std::collections::BTreeSet<_> = size
            .split(|letter: char| !letter.is_ascii_lowercase() && letter != '_')
            .filter(|name| !name.is_empty())
            .collect();
        names.into_iter().fold(plain, |text, name| match self.size(shape, name, class) {
            Some(found) => text.replace(name, &found),
            None => {
                let dims =
                    shape.parts.iter().any(|part| matches!(part, Part::Rows { dims, .. } if dims == name));
                if !dims {
                    inputs.push((format!("{name}: int"), None));
                }
                text
            }
        })
    }

    /// The text of a function, in which others go by their names in Python.
    fn doc(&self, shape: &Shape, class: &str) -> String {
        let mut names: Vec<_> = self.all.functions.iter().map(|((_, name), _)| name.as_str()).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let text = if shape.nothing.is_empty() {
            shape.text.clone()
        } else {
            shape.text.replace("Nothing ", "None ")
        };
        let text = text.replace("NULL", "None").replacen("1 if ", "True if ", 1).replace("; 0 otherwise", "");
        names.into_iter().fold(text, |text, name| text.replace(name, self.bare(name, class)))
    }
}

/// What `calls.py` begins with.
const IMPORTS: &str =
    "\"\"\"Functions of infill.h that need no words of their own. Written by tests/header.rs.\"\"\"\n\n@";

/// Where the names come from that a text uses.
fn imports(text: &str) -> String {
    // A function is called, a module has members; a type stands anywhere but in a text, which has no such words.
    let uses = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            let after = text[at + name.len()..].chars().next().unwrap_or(' ');
            let whole = !before.is_ascii_alphanumeric() && before != '_' && before != '.';
            let ends = match name.chars().next() {
                Some('_' | 'l') if matches!(name, "_header" | "lib") => ".",
                Some('a'..='z') => "(",
                _ => "[]),.=:( \n",
            };
            whole && ends.contains(after)
        })
    };
    let mut out = String::from("import ctypes\n");
    for (module, names) in [
        ("typing", &["Any", "List", "Optional", "Sequence"][..]),
        (".", &["_header"]),
        ("._abi", &["lib", "none_for", "told"]),
        ("._held", &["Held"]),
        ("._numbers", &["SIZE", "array", "identity", "real", "rows", "whole", "word"]),
        (".backend", &["Backend", "lent"]),
        (".results", &["Best", "Prediction", "Recommendation", "Record", "Trial"]),
        (".settings", &["made"]),
        (".space", &["space"]),
    ] {
        let used: Vec<_> = names.iter().copied().filter(|name| uses(name)).collect();
        if !used.is_empty() {
            out += &format!("from {module} import {}\n", used.join(", "));
        }
        if module == "typing" {
            out += "\n";
        }
    }
    out
}

/// Parameters with their defaults, as far as all behind them have one.
fn in_order(inputs: Vec<(String, Option<String>)>) -> Vec<String> {
    let defaults = inputs.iter().rev().take_while(|(_, default)| default.is_some()).count();
    let first = inputs.len() - defaults;
    let whole = inputs.into_iter().enumerate();
    let whole = whole.map(|(place, (text, default))| match default.filter(|_| place >= first) {
        Some(default) => format!("{text} = {default}"),
        None => text,
    });
    whole.collect()
}

/// The constructor of an output.
fn ctypes(python: &Python<'_>, kind: &str) -> String {
    let name = python.ctype(kind);
    if name.starts_with("c_") { format!("ctypes.{name}") } else { format!("_header.{name}") }
}
