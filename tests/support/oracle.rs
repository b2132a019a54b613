//! Reads `tests/oracle/*.txt`, numbers that other software computed.
//!
//! ```text
//! # comment
//! case NAME
//! key value value …        a repeated key continues: one line per row of a matrix
//! ```
//!
//! Every reader panics on a missing case or key, with the file, the case and the key in the message: a test
//! that cannot find its numbers must not pass.

use std::fmt::Display;
use std::path::Path;

/// One file of reference numbers.
#[derive(Clone, Debug)]
pub struct Oracle {
    file: String,
    cases: Vec<Case>,
}

/// One named block of a file.
#[derive(Clone, Debug)]
pub struct Case {
    file: String,
    name: String,
    lines: Vec<(String, String)>,
}

/// Reads `tests/oracle/NAME.txt`.
pub fn load(name: &str) -> Oracle {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle").join(format!("{name}.txt"));
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(name, &text),
        Err(error) => panic!("oracle {name}: {}: {error}", path.display()),
    }
}

/// Parses a file that has been read already; `file` is its name in messages.
pub fn parse(file: &str, text: &str) -> Oracle {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((key, rest)) = line.split_once(' ') else {
            panic!("oracle {file}, line {}: key without value: {line}", number + 1)
        };
        if key == "case" {
            assert!(cases.iter().all(|case| case.name != rest), "oracle {file}: case {rest} is there twice");
            cases.push(Case { file: file.into(), name: rest.into(), lines: Vec::new() });
        } else {
            match cases.last_mut() {
                Some(case) => case.lines.push((key.into(), rest.into())),
                None => panic!("oracle {file}, line {}: {key} before the first case", number + 1),
            }
        }
    }
    Oracle { file: file.into(), cases }
}

impl Oracle {
    /// The case of this name.
    pub fn case(&self, name: &str) -> &Case {
        match self.cases.iter().find(|case| case.name == name) {
            Some(case) => case,
            None => panic!("oracle {}: no case {name}", self.file),
        }
    }

    /// All cases that have this key, in the order of the file; never none.
    pub fn with(&self, key: &str) -> Vec<&Case> {
        let found: Vec<_> = self.cases.iter().filter(|case| case.has(key)).collect();
        assert!(!found.is_empty(), "oracle {}: no case has {key}", self.file);
        found
    }

    /// All cases, in the order of the file.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }
}

impl Case {
    /// The name after `case`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.lines.iter().any(|(k, _)| k == key)
    }

    /// The rest of the line, as it stands.
    pub fn text(&self, key: &str) -> &str {
        let mut lines = self.lines(key);
        let Some(first) = lines.next() else { self.fail(key, "missing") };
        if lines.next().is_some() {
            self.fail(key, "has several lines");
        }
        first
    }

    /// The words of the line.
    pub fn words(&self, key: &str) -> Vec<&str> {
        self.text(key).split_whitespace().collect()
    }

    /// The only number.
    pub fn number(&self, key: &str) -> f64 {
        match self.numbers(key).as_slice() {
            [one] => *one,
            more => self.fail(key, format_args!("has {} numbers where one is due", more.len())),
        }
    }

    /// All numbers, row after row.
    pub fn numbers(&self, key: &str) -> Vec<f64> {
        self.rows(key).concat()
    }

    /// One vector of numbers per line.
    pub fn rows(&self, key: &str) -> Vec<Vec<f64>> {
        let read = |word: &str| match word.parse::<f64>() {
            Ok(value) => value,
            Err(error) => self.fail(key, format_args!("{word}: {error}")),
        };
        let rows: Vec<Vec<f64>> =
            self.lines(key).map(|line| line.split_whitespace().map(read).collect()).collect();
        if rows.is_empty() {
            self.fail(key, "missing");
        }
        rows
    }

    /// Each line of the key, as it stands.
    pub fn lines<'a, 'k>(&'a self, key: &'k str) -> impl Iterator<Item = &'a str> + use<'a, 'k> {
        self.lines.iter().filter(move |(k, _)| k == key).map(|(_, rest)| rest.as_str())
    }

    fn fail(&self, key: &str, what: impl Display) -> ! {
        panic!("oracle {}, case {}, key {key}: {what}", self.file, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_format_says() {
        let oracle = parse("t", "# c\n\ncase a/b\nkernel se\nx 1 -2e-3\nx 3 4\nn 7\n\ncase z\nn 8\n");
        let case = oracle.case("a/b");
        assert_eq!(case.text("kernel"), "se");
        assert_eq!(case.rows("x"), [[1.0, -2e-3], [3.0, 4.0]]);
        assert_eq!(case.numbers("x"), [1.0, -2e-3, 3.0, 4.0]);
        assert_eq!(oracle.case("z").number("n"), 8.0);
        assert_eq!(oracle.with("n").len(), 2);
        assert_eq!(oracle.with("kernel")[0].name(), "a/b");
    }

    #[test]
    #[should_panic(expected = "oracle t, case a, key y: missing")]
    fn a_missing_key_is_loud() {
        parse("t", "case a\nx 1\n").case("a").numbers("y");
    }

    #[test]
    #[should_panic(expected = "no case b")]
    fn a_missing_case_is_loud() {
        parse("t", "case a\nx 1\n").case("b");
    }

    #[test]
    fn every_file_is_whole() {
        for (name, kernels, variance) in
            [("pygpgo_covfunc", 7, ""), ("pygpgo_gp", 7, "noisy_variance"), ("gpy_gp", 7, "latent_variance")]
        {
            let oracle = load(name);
            let cases = oracle.with("kernel");
            let mut names: Vec<_> = cases.iter().map(|case| case.text("kernel")).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), kernels, "{name}: {names:?}");
            for case in cases {
                let data = oracle.case(&format!("data/{}", case.text("data")));
                let (n, stars) = (data.rows("x").len(), data.rows("xstar").len());
                if case.has("gram") {
                    assert_eq!(case.numbers("gram").len(), n * n, "{name} {}", case.name());
                    assert_eq!(case.numbers("cross").len(), n * stars, "{name} {}", case.name());
                } else {
                    assert_eq!(data.numbers("y").len(), n);
                    assert_eq!(case.numbers("mean").len(), stars, "{name} {}", case.name());
                    assert_eq!(case.numbers(variance).len(), stars, "{name} {}", case.name());
                    assert!(case.number("logp").is_finite());
                    if case.has("slopes") {
                        assert_eq!(case.words("slopes").len(), case.numbers("slope_logp").len());
                    }
                }
            }
        }
        assert_eq!(load("pygpgo_acquisition").cases().len(), 61);
        assert!(load("golden").case("data/sine").has("x"));
    }
}
