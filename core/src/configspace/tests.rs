use super::formula::{Formula, Test};
use super::{Document, Sort, Value};
use crate::error::Error;
use crate::limits::Limit;
use crate::space::{Clause, Condition, Domain, Param, Space, Term, When, is_active};
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

/// Everything the format has, as ConfigSpace 1.2.2 writes it.
const PRESENT: &str = r#"{"name": "x", "hyperparameters": [
{"type": "categorical", "name": "a", "choices": ["p", "q", "r"], "weights": [0.2, 0.3, 0.5], "default_value": "r", "meta": null},
{"type": "uniform_int", "name": "b", "lower": 1, "upper": 100, "default_value": 10, "log": true, "meta": null},
{"type": "beta_int", "name": "bi", "alpha": 2.0, "beta": 3.0, "lower": 1, "upper": 10, "default_value": 4, "log": false, "meta": null},
{"type": "categorical", "name": "bo", "choices": [true, false], "weights": null, "default_value": true, "meta": null},
{"type": "ordinal", "name": "d", "sequence": ["low", "mid", "high"], "default_value": "low", "meta": {"unit": "m"}},
{"type": "normal_float", "name": "e", "mu": 0.0, "sigma": 1.0, "lower": -3.0, "upper": 3.0, "default_value": 0.0, "log": false, "meta": null},
{"type": "constant", "name": "h", "value": "k", "meta": null},
{"type": "uniform_float", "name": "c", "lower": 0.0, "upper": 1.0, "default_value": 0.5, "log": false, "meta": null},
{"type": "uniform_float", "name": "g", "lower": 0.0, "upper": 1.0, "default_value": 0.5, "log": false, "meta": null},
{"type": "uniform_float", "name": "x", "lower": 0.0, "upper": 1.0, "default_value": 0.5, "log": false, "meta": null}],
"conditions": [
{"type": "AND", "child": "c", "conditions": [
  {"type": "LT", "child": "c", "parent": "b", "value": 50}, {"type": "EQ", "child": "c", "parent": "bo", "value": true}]},
{"type": "OR", "child": "g", "conditions": [
  {"type": "AND", "child": "g", "conditions": [
    {"type": "EQ", "child": "g", "parent": "a", "value": "p"}, {"type": "GT", "child": "g", "parent": "b", "value": 10}]},
  {"type": "IN", "child": "g", "parent": "d", "values": ["low", "mid"]}]},
{"type": "NEQ", "child": "x", "parent": "a", "value": "q"}],
"forbiddens": [
{"type": "AND", "clauses": [{"type": "EQUALS", "name": "a", "value": "q"}, {"type": "IN", "name": "b", "values": [1, 2, 3]}]},
{"type": "EQUALS", "name": "b", "value": 7},
{"type": "RELATION_GT", "left": "bi", "right": "b"}], "python_module_version": "1.2.0", "format_version": 0.4}"#;

fn text(text: &str) -> Value {
    Value::String(text.into())
}

#[test]
fn what_is_read_is_written_again() {
    let document = Document::read(PRESENT).unwrap();
    let again = document.write();
    assert_eq!(Document::read(&again).unwrap(), document);
    // The keys come in another order, but say the same.
    for (key, count) in
        [("\"default_value\"", 9), ("\"weights\":[0.2,0.3,0.5]", 1), ("\"meta\":{\"unit\":\"m\"}", 1)]
    {
        assert_eq!(again.matches(key).count(), count, "{key} in {again}");
    }
    assert_eq!(document.names(), ["a", "b", "bi", "bo", "d", "e", "c", "g", "x"]);
    assert!(matches!(document.parameters()[6].sort, Sort::Constant(_)));
}

/// Activity by the formulas themselves, against that of the space.
#[test]
fn the_space_has_the_activity_of_the_formulas() {
    let document = Document::read(PRESENT).unwrap();
    document
        .with_space(|space| {
            let mut words = vec![0; space.words()];
            space.write(&mut words)?;
            let domain = Domain::attach::<f64>(&words)?;
            let (mut unit, mut mask) = ([0.0; 9], [0]);
            let mut seen = [0; 8];
            for (a, b, on, d) in (0..3).flat_map(|a| {
                [1.0, 7.0, 10.0, 11.0, 49.0, 50.0, 100.0]
                    .into_iter()
                    .flat_map(move |b| (0..2).flat_map(move |bo| (0..3).map(move |d| (a, b, bo == 0, d))))
            }) {
                let point =
                    [f64::from(a), b, 1.0, if on { 0.0 } else { 1.0 }, f64::from(d), 0.0, 0.5, 0.5, 0.5];
                domain.encode(&point, &mut unit)?;
                domain.active(&unit, &mut mask);
                let expected = [b < 50.0 && on, (a == 0 && b > 10.0) || d < 2, a != 1];
                let found = [6, 7, 8].map(|i| is_active(&mask, i));
                assert_eq!(found, expected, "{point:?}");
                seen[usize::from(found[0]) + 2 * usize::from(found[1]) + 4 * usize::from(found[2])] += 1;
                assert_eq!(document.configuration(&point)?[7].is_some(), expected[0]);
            }
            assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
            Ok(())
        })
        .unwrap();
}

#[test]
fn names_and_numbers_are_exchanged() {
    let document = Document::read(PRESENT).unwrap();
    let point =
        document.point(&[("d", text("high")), ("b", Value::from(80)), ("bo", Value::Bool(false))]).unwrap();
    assert_eq!(point, [2.0, 80.0, 4.0, 1.0, 2.0, 0.0, 0.5, 0.5, 0.5]);
    let values = document.configuration(&point).unwrap();
    assert_eq!(values[0], Some(text("r")));
    assert_eq!(values[3], Some(Value::Bool(false)));
    assert_eq!(values[6], Some(text("k")));
    assert_eq!((&values[7], &values[8], &values[9]), (&None, &None, &Some(Value::from(0.5))));
    // As ConfigSpace has it for such values: the place in the list, the part of the range, 1 for a constant.
    let vector = document.vector(&point).unwrap();
    let expected = [2.0, 80f64.ln() / 100f64.ln(), 1.0 / 3.0, 1.0, 2.0, 0.5, 1.0];
    for (found, expected) in vector.iter().zip(expected) {
        assert!((found.unwrap() - expected).abs() < 1e-15);
    }
    assert_eq!(document.point(&[("zz", Value::Null)]), Err(Error::Format { at: 0 }));
    assert_eq!(document.point(&[("a", text("z"))]), Err(Error::OutOfRange { parameter: 0 }));
}

/// The words that documents had before version 1 of the Python package.
#[test]
fn older_keys_are_read() {
    let document = Document::read(
        r#"{"hyperparameters": [
        {"name": "k", "type": "unparametrized", "value": 3},
        {"name": "late", "type": "uniform_float", "log": false, "lower": 0, "upper": 2, "q": 0.5, "default": 1},
        {"name": "kind", "type": "categorical", "choices": ["u", "v"], "default": "v", "probabilities": [0.4, 0.6]},
        {"name": "n", "type": "uniform_int", "log": false, "lower": 1, "upper": 4, "q": null, "default": 2},
        {"name": "m", "type": "uniform_int", "log": false, "lower": 1, "upper": 4, "q": null, "default": 2}],
        "conditions": [{"child": "late", "parent": "kind", "type": "EQ", "value": "u"}],
        "forbiddens": [{"left": "n", "right": "m", "type": "RELATION", "lambda": "LESS"}],
        "python_module_version": "0.6.0", "json_format_version": 0.4}"#,
    )
    .unwrap();
    // A parent stands before its child.
    assert_eq!(document.names(), ["kind", "late", "n", "m"]);
    assert_eq!(document.parameters()[1].default_value, Some(Value::from(1)));
    assert!(document.write().contains("\"weights\":[0.4,0.6]"));
    assert!(document.write().contains("RELATION_LT"));
    assert_eq!(document.configuration(&[1.0, 0.0, 2.0, 2.0]).unwrap()[..2], [Some(Value::from(3)), None]);
    // n < m is forbidden: one clause for each n that has a larger m.
    assert_eq!(document.clauses.len(), 3);
}

#[test]
fn constants_decide_at_once() {
    let make = |conditions: &str, forbidden: &str| {
        Document::read(&format!(
            r#"{{"hyperparameters": [
            {{"name": "one", "type": "categorical", "choices": ["u"]}},
            {{"name": "a", "type": "categorical", "choices": ["p", "q"]}},
            {{"name": "c", "type": "constant", "value": 7}},
            {{"name": "x", "type": "uniform_float", "lower": 0.0, "upper": 1.0}}],
            "conditions": [{conditions}], "forbiddens": [{forbidden}]}}"#
        ))
    };
    let always = make(r#"{"type": "EQ", "child": "x", "parent": "one", "value": "u"}"#, "").unwrap();
    assert_eq!(always.with_space(|space| Ok(space.conditions())), Ok(0));
    let never = make(r#"{"type": "NEQ", "child": "x", "parent": "one", "value": "u"}"#, "");
    assert_eq!(never, Err(Error::Condition { index: 0 }));
    // A constant that is itself switched hands its condition on.
    let both = r#"{"type": "EQ", "child": "c", "parent": "a", "value": "q"}, {"type": "EQ", "child": "x", "parent": "c", "value": 7}"#;
    let document = make(both, "").unwrap();
    let on = |point: &[f64]| -> Vec<bool> {
        document.configuration(point).unwrap().iter().map(Option::is_some).collect()
    };
    assert_eq!(on(&[0.0, 0.5]), [true, true, false, false]);
    assert_eq!(on(&[1.0, 0.5]), [true, true, true, true]);
    // What a constant never has forbids nothing; what it always has is no term.
    let terms = r#"{"type": "AND", "clauses": [{"type": "EQUALS", "name": "c", "value": 7}, {"type": "EQUALS", "name": "a", "value": "p"}]}"#;
    assert_eq!(make("", terms).unwrap().clauses[0].len(), 1);
    assert_eq!(make("", r#"{"type": "EQUALS", "name": "c", "value": 7}"#), Err(Error::Infeasible));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let make = |parameters: &str, conditions: &str, forbidden: &str| {
        Document::read(&format!(
            r#"{{"hyperparameters": [{{"name": "a", "type": "categorical", "choices": ["p", "q"]}},
            {{"name": "x", "type": "uniform_float", "lower": 0.0, "upper": 1.0}},
            {{"name": "y", "type": "uniform_float", "lower": 0.0, "upper": 1.0}}{parameters}],
            "conditions": [{conditions}], "forbiddens": [{forbidden}]}}"#
        ))
    };
    assert!(make("", "", "").is_ok());
    for bad in [
        r#", {"name": "x", "type": "uniform_float", "lower": 0.0, "upper": 1.0}"#,
        r#", {"name": "z", "type": "uniform_float", "lower": 2.0, "upper": 1.0}"#,
        r#", {"name": "z", "type": "uniform_float", "lower": 0.0, "upper": 1.0, "default_value": 2.0}"#,
        r#", {"name": "z", "type": "uniform_int", "lower": 0.5, "upper": 3}"#,
        r#", {"name": "z", "type": "categorical", "choices": []}"#,
        r#", {"name": "z", "type": "categorical", "choices": [1, 1.0]}"#,
        r#", {"name": "z", "type": "categorical", "choices": [1, 2], "weights": [1.0]}"#,
        r#", {"name": "z", "type": "nothing"}"#,
        r#", {"type": "constant", "value": 1}"#,
        ", 3",
    ] {
        assert_eq!(make(bad, "", ""), Err(Error::Bounds { parameter: 3 }), "{bad}");
    }
    let open = r#", {"name": "z", "type": "normal_float", "mu": 0.0, "sigma": 1.0, "default": 0.0}"#;
    assert_eq!(make(open, "", ""), Err(Error::Unsupported));
    for bad in [
        r#"{"type": "EQ", "child": "x", "parent": "nobody", "value": "p"}"#,
        r#"{"type": "EQ", "child": "nobody", "parent": "a", "value": "p"}"#,
        r#"{"type": "EQ", "child": "x", "parent": "a", "value": "z"}"#,
        r#"{"type": "IN", "child": "x", "parent": "a", "values": []}"#,
        r#"{"type": "GT", "child": "x", "parent": "a", "value": "p"}"#,
        r#"{"type": "LT", "child": "x", "parent": "y", "value": 0.0}"#,
        r#"{"type": "EQ", "child": "x", "parent": "x", "value": 0.5}"#,
        r#"{"type": "XOR", "child": "x", "conditions": []}"#,
        r#"{"type": "OR", "child": "x", "conditions": []}"#,
        r#"{"type": "OR", "child": "x", "conditions": [{"type": "EQ", "child": "y", "parent": "a", "value": "p"}]}"#,
    ] {
        assert_eq!(make("", bad, ""), Err(Error::Condition { index: 0 }), "{bad}");
    }
    let circle = r#"{"type": "LT", "child": "x", "parent": "y", "value": 0.5}, {"type": "LT", "child": "y", "parent": "x", "value": 0.5}"#;
    assert!(matches!(make("", circle, ""), Err(Error::Condition { .. })));
    for bad in [
        r#"{"type": "EQUALS", "name": "nobody", "value": 1}"#,
        r#"{"type": "EQUALS", "name": "a", "value": "z"}"#,
        r#"{"type": "AND", "clauses": []}"#,
        r#"{"type": "RELATION", "left": "x", "right": "y", "lambda": "CALLABLE"}"#,
    ] {
        assert_eq!(make("", "", bad), Err(Error::Clause { index: 0 }), "{bad}");
    }
    let reals = r#"{"type": "RELATION_LT", "left": "x", "right": "y"}"#;
    assert_eq!(make("", "", reals), Err(Error::Unsupported));
    assert_eq!(Document::read("{}"), Err(Error::Format { at: 0 }));
    assert!(
        matches!(Document::read(r#"{"hyperparameters": []}"#), Err(Error::Dimensions(need)) if need.number() == 0)
    );
    assert_eq!(Document::read("[1, 2"), Err(Error::Format { at: 5 }));
}

/// Formulas that would fill the memory are refused, and quickly.
#[test]
fn formulas_are_bounded() {
    let pair = r#"{"type": "AND", "child": "x", "conditions": [
        {"type": "EQ", "child": "x", "parent": "a", "value": "p"}, {"type": "EQ", "child": "x", "parent": "b", "value": "q"}]}"#;
    let many: Vec<&str> = (0..40).map(|_| pair).collect();
    let document = format!(
        r#"{{"hyperparameters": [{{"name": "a", "type": "categorical", "choices": ["p", "q"]}},
        {{"name": "b", "type": "categorical", "choices": ["p", "q"]}},
        {{"name": "x", "type": "uniform_float", "lower": 0.0, "upper": 1.0}}],
        "conditions": [{{"type": "OR", "child": "x", "conditions": [{}]}}], "forbiddens": []}}"#,
        many.join(", ")
    );
    assert!(
        matches!(Document::read(&document), Err(Error::Limits(need)) if need.limit() == Limit::Conditions)
    );
}

#[test]
fn a_space_becomes_a_document() {
    let params = [
        Param::categorical(3).default_value(1.0),
        Param::integer(-5, 20),
        Param::ordinal(&[0.5, 1.0, 4.0]),
        Param::real(1e-3, 10.0).log().default_value(0.1),
        Param::real(0.0, 1.0),
    ];
    let conditions = [
        Condition::new(3, 0, When::In(&[0.0, 2.0])),
        Condition::new(4, 1, When::Between(-2.5, 7.0)),
        Condition::new(4, 2, When::Between(0.7, 9.0)).or(),
        Condition::new(4, 3, When::Between(0.01, 1.0)),
    ];
    let terms = [
        Term { parameter: 0, when: When::Equals(1.0) },
        Term { parameter: 1, when: When::Between(3.0, 5.0) },
    ];
    let clauses = [Clause { terms: &terms }];
    let space = Space::new(&params, &conditions).unwrap().forbid(&clauses).unwrap();
    let document = Document::of(&space, &["kind", "n"]).unwrap();
    assert_eq!(document.names(), ["kind", "n", "x2", "x3", "x4"]);
    let again = Document::read(&document.write()).unwrap();
    assert_eq!(again, document);
    let mask = |space: &Space<'_>, unit: &[f64]| {
        let mut words = vec![0; space.words()];
        space.write(&mut words).unwrap();
        let domain = Domain::attach::<f64>(&words).unwrap();
        let (mut unit, mut mask) = (unit.to_vec(), [0]);
        domain.snap(&mut unit);
        domain.active(&unit, &mut mask);
        mask[0]
    };
    let mut seen = Vec::new();
    for i in 0..2000u32 {
        let unit: Vec<f64> =
            (0..5).map(|k| f64::from((i * 37 + k * 101 + i * i % 11 * k) % 97) / 97.0).collect();
        let expected = mask(&space, &unit);
        assert_eq!(again.with_space(|space| Ok(mask(space, &unit))), Ok(expected), "{unit:?}");
        if !seen.contains(&expected) {
            seen.push(expected);
        }
    }
    assert!(seen.len() >= 3, "{seen:?}");
    let formula = &again.conditions[0].1;
    assert!(matches!(formula, Formula::Test { test: Test::In(values), .. } if values.len() == 2));
    let twice = Document::of(&space, &["a", "a"]);
    assert_eq!(twice, Err(Error::Bounds { parameter: 1 }));
    let terms = [Term { parameter: 4, when: When::Between(0.0, 0.5) }];
    let clauses = [Clause { terms: &terms }];
    let space = Space::new(&params, &[]).unwrap().forbid(&clauses).unwrap();
    assert_eq!(Document::of(&space, &[]), Err(Error::Unsupported));
}

/// No text makes the reader panic: each byte of a sound document spoilt in several ways.
#[test]
fn damaged_texts_are_read_or_refused() {
    let bytes = PRESENT.as_bytes();
    for at in 0..bytes.len() {
        for byte in [b'"', b'{', b']', b'0', b'-', b'e'] {
            let mut damaged = bytes.to_vec();
            damaged[at] = byte;
            let _ = Document::read(&String::from_utf8_lossy(&damaged));
        }
        let _ = Document::read(&String::from_utf8_lossy(&bytes[..at]));
    }
}
