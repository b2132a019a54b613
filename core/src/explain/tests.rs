use std::string::{String, ToString};
use std::vec;

use super::{Given, Range, culprit};
use crate::config::{Config, Flat};
use crate::error::Error;
use crate::space::{Clause, Condition, Param, Space, Term, When};

type List<'a> = &'a [(&'a str, &'a [&'a str])];

const NAMES: List<'static> =
    &[("optimizer", &["adam", "sgd"]), ("rate", &[]), ("momentum", &[]), ("depth", &[])];

fn sentence(params: &[Param<'_>], conditions: &[Condition<'_>], clauses: &[Clause<'_>]) -> String {
    let given = Given { params, conditions, clauses, names: Some(&NAMES), ..Given::default() };
    let error = Space::new(params, conditions).and_then(|space| space.forbid(clauses)).unwrap_err();
    given.explain(error).to_string()
}

#[test]
fn spaces_are_refused_by_name() {
    let good = [
        Param::categorical(2),
        Param::real(1e-5, 0.1).log(),
        Param::real(0.0, 1.0),
        Param::ordinal(&[1.0, 2.0, 4.0]),
    ];
    let with = |i: usize, param: Param<'static>| {
        let mut params = good;
        params[i] = param;
        params
    };
    for (i, param, expected) in [
        (
            1,
            Param::real(2.0, 1.0),
            "parameter 1 (rate) is a real from 2 to 1: bounds are finite and in order, on a log scale positive",
        ),
        (
            2,
            Param::real(0.0, f64::NAN),
            "parameter 2 (momentum) is a real from 0 to NaN: bounds are finite and in order, on a log scale positive",
        ),
        (
            0,
            Param::categorical(1),
            "parameter 0 (optimizer) is a category of 1 values: there are two categories or more, a quarter of 2⁵³ (f32: 2²⁴) at most",
        ),
        (
            0,
            Param::categorical(2).log(),
            "parameter 0 (optimizer) is a category of 2 values on a log scale: names have no log scale",
        ),
        (
            3,
            Param::ordinal(&[2.0, 1.0]),
            "parameter 3 (depth) is an ordinal of 2 levels 2, 1: there are two levels or more, finite and increasing in the scalar, on a log scale positive",
        ),
        (
            3,
            Param::ordinal(&[1.0, 2.0]).default_value(3.0),
            "parameter 3 (depth) has the default 3: it takes 2 levels 1, 2",
        ),
    ] {
        assert_eq!(sentence(&with(i, param), &[], &[]), expected);
    }
    for (conditions, expected) in [
        (
            vec![Condition::new(0, 1, When::Equals(0.1))],
            "condition 0 (optimizer if rate = 0.1): the parent has to stand before the child",
        ),
        (
            vec![Condition::new(7, 1, When::Equals(0.1))],
            "condition 0 (parameter 7 if rate = 0.1): there is no parameter 7, the last one is 3",
        ),
        (
            vec![Condition::new(2, 0, When::Equals(2.0))],
            "condition 0 (momentum if optimizer = 2): the parent takes 0 to 1 (adam, sgd)",
        ),
        (
            vec![Condition::new(2, 0, When::Equals(1.0)), Condition::new(2, 0, When::Equals(0.0))],
            "condition 0 (momentum if optimizer = sgd): with the other conditions it never holds",
        ),
        (
            vec![Condition::new(2, 0, When::Equals(1.0)).or()],
            "condition 0 (momentum or if optimizer = sgd): there is no condition that it is an alternative to",
        ),
    ] {
        assert_eq!(sentence(&good, &conditions, &[]), expected);
    }
    let beyond = [Term { parameter: 3, when: When::Equals(3.0) }];
    let twice =
        [Term { parameter: 3, when: When::Equals(2.0) }, Term { parameter: 3, when: When::Equals(2.0) }];
    for (terms, expected) in [
        (&beyond[..], "forbidden clause 0 (depth = 3): parameter 3 (depth) takes 3 levels 1, 2, 4"),
        (&twice[..], "forbidden clause 0 (depth = 2 and depth = 2): parameter 3 (depth) is named twice"),
        (&[], "forbidden clause 0 has no terms"),
    ] {
        assert_eq!(sentence(&good, &[], &[Clause { terms }]), expected);
    }
}

#[test]
fn texts_and_values_are_refused_where_they_are() {
    let given = Given { text: b"{\n  \"a\": }", ..Given::default() };
    let expected = "the text cannot be read at byte 9, line 2 column 8";
    assert_eq!(given.explain(Error::Format { at: 9 }).to_string(), expected);
    let given = Given { value: Some((f64::NAN, 0.0)), ..Given::default() };
    assert_eq!(given.explain(Error::NotFinite).to_string(), "the value is NaN: it has to be finite");
}

/// The range is what the check accepts, and what it accepts alone.
#[test]
fn settings_are_found_with_their_ranges() {
    let usual = Flat::of(&Config::default());
    let accepts = |flat: &Flat| flat.config(None).and_then(|config| config.combines()).is_ok();
    assert_eq!(culprit(&usual, &usual, accepts), None);
    let mut count = 0;
    for (i, &name) in Flat::NAMES.iter().enumerate() {
        for value in [-1.0, 2.5, 1e9, f64::NAN] {
            let given = usual.with(i, value);
            let Some(found) = culprit(&given, &usual, accepts) else { continue };
            count += 1;
            assert_eq!(found.name, name);
            let Range { least, most, whole } = found.range;
            for (value, step) in [(least, -1.0), (most, 1.0)] {
                assert!(accepts(&given.with(i, value)), "{found}");
                let beyond = if whole {
                    value + step
                } else if step < 0.0 {
                    value.next_down()
                } else {
                    value.next_up()
                };
                let edge =
                    if whole { beyond < 0.0 || beyond > f64::from(u32::MAX) } else { beyond.is_infinite() };
                assert!(edge || !accepts(&given.with(i, beyond)), "{found}");
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn settings_that_do_not_go_together_are_both_named() {
    let usual = Flat::of(&Config::default());
    let accepts = |flat: &Flat| flat.config(None).and_then(|config| config.combines()).is_ok();
    let given = Flat { noise_variance: 0.05, noise_hi: 0.01, ..usual };
    let found = culprit(&given, &usual, accepts).unwrap();
    let Range { least, most, whole } = found.range;
    assert_eq!((found.name, found.against), ("noise_variance", Some("noise_hi")));
    assert_eq!((least, most, whole), (usual.noise_lo, 0.01, false));
    let given = Flat { noise_lo: 0.5, ..usual };
    let found = culprit(&given, &usual, accepts).unwrap();
    assert_eq!(found.to_string(), "the setting noise_lo is 0.5: it may be above 0 to 1e-5");
}
