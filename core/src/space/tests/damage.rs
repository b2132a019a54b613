//! What is refused: spaces that make no sense, and bytes that nobody wrote.

use std::vec;
use std::vec::Vec;

use super::super::{Clause, Condition, Design, Domain, Impute, Param, Space, Term, When, words};
use super::{Dice, parsed, random_space};
use crate::error::Error;
use crate::real::Real;

#[test]
fn refusals() {
    let real = Param::real(0.0, 1.0);
    let refuse = |param: Param, error: Error| assert_eq!(Space::new(&[real, param], &[]), Err(error));
    let (bounds, levels) = (Error::Bounds { parameter: 1 }, Error::Levels { parameter: 1 });
    assert!(matches!(Space::new(&[], &[]), Err(Error::Dimensions(need)) if need.number() == 0));
    for (lo, hi) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
        refuse(Param::real(lo, hi), bounds);
    }
    refuse(Param::real(0.0, 1.0).log(), bounds);
    refuse(Param::integer(0, 5).log(), bounds);
    refuse(Param::integer(5, 0), bounds);
    refuse(Param::integer(5, 5), levels);
    refuse(Param::categorical(1), levels);
    refuse(Param::categorical(0), levels);
    refuse(Param::categorical(3).log(), bounds);
    for list in [&[][..], &[1.0], &[1.0, 1.0], &[2.0, 1.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY]] {
        refuse(Param::ordinal(list), levels);
        refuse(Param::ordinal(list).log(), levels);
    }
    refuse(Param::ordinal(&[0.0, 1.0]).log(), levels);
    refuse(Param::ordinal(&[-1.0, 1.0]).log(), levels);

    let params = [
        Param::categorical(3),
        Param::integer(2, 9),
        Param::ordinal(&[0.5, 2.0]),
        Param::real(-1.0, 1.0),
        real,
    ];
    let mut bad = Vec::new();
    for (parent, when) in [
        (0, When::Equals(3.0)),
        (0, When::Equals(-1.0)),
        (0, When::Equals(0.5)),
        (0, When::Equals(f64::NAN)),
        (0, When::In(&[])),
        (0, When::In(&[0.0, 5.0])),
        (0, When::Between(0.2, 0.8)),
        (0, When::Between(-5.0, -0.5)),
        (0, When::Between(2.5, f64::INFINITY)),
        (0, When::Between(2.0, 1.0)),
        (0, When::Between(f64::NAN, 1.0)),
        (1, When::Equals(1.0)),
        (1, When::Equals(2.5)),
        (1, When::Between(9.5, 20.0)),
        (1, When::Equals(1e300)),
        (2, When::Equals(1.0)),
        (2, When::Between(0.6, 1.9)),
        (3, When::Equals(1.5)),
        (3, When::Between(1.5, 2.0)),
        (4, When::Equals(0.5)),
        (9, When::Equals(0.5)),
    ] {
        bad.push(Condition::new(4, parent, when));
    }
    bad.push(Condition::new(5, 0, When::Equals(0.0)));
    bad.push(Condition::new(1, 2, When::Equals(0.5)));
    let good = Condition::new(4, 0, When::Equals(2.0));
    for condition in bad {
        assert_eq!(
            Space::new(&params, &[good, condition]),
            Err(Error::Condition { index: 1 }),
            "{condition:?}"
        );
    }
    let conditions = [good];
    let space = Space::new(&params, &conditions).unwrap();
    assert_eq!(space.words(), words(5, 1, 2, 0, 0));
    assert_eq!(space.write(&mut vec![0; space.words() - 1]), Err(Error::Memory { needed: space.words() }));
    let words = parsed(&space);
    assert_eq!(Domain::attach::<f64>(&words[..words.len() - 1]).unwrap_err(), Error::Corrupt);
    let domain = Domain::attach::<f64>(&words).unwrap();
    assert_eq!(domain.encode(&[0.0; 4], &mut [0.0; 5]), Err(Error::Shape { needed: 5 }));
}

#[test]
fn values_that_the_scalar_cannot_tell_apart_are_refused() {
    let attach = |param: Param| {
        let params = [param];
        let words = parsed(&Space::new(&params, &[]).unwrap());
        (Domain::attach::<f32>(&words).err(), Domain::attach::<f64>(&words).err())
    };
    let (bounds, levels) = (Some(Error::Bounds { parameter: 0 }), Some(Error::Levels { parameter: 0 }));
    assert_eq!(attach(Param::integer(1 << 24, (1 << 24) + 1)), (levels, None));
    assert_eq!(attach(Param::integer(1, 1 << 23)), (levels, None));
    assert_eq!(attach(Param::integer(i64::MIN, i64::MAX)), (levels, levels));
    assert_eq!(attach(Param::integer(1, i64::MAX).log()), (levels, levels));
    assert_eq!(attach(Param::integer(1, 200_000).log()), (None, None));
    assert_eq!(attach(Param::integer(1, 2_000_000).log()), (levels, None));
    assert_eq!(attach(Param::categorical(u32::MAX)), (levels, None));
    assert_eq!(attach(Param::ordinal(&[1.0, 1.0 + 1e-9])), (levels, None));
    assert_eq!(attach(Param::ordinal(&[1.0, 1e300])), (levels, None));
    assert_eq!(attach(Param::ordinal(&[1e-30, 1.0, 1.000_001, 1e30])), (None, None));
    assert_eq!(attach(Param::ordinal(&[1e-30, 1.0, 1.000_001, 1e30]).log()), (levels, None));
    assert_eq!(attach(Param::real(1e-300, 1e300).log()), (bounds, None));
    assert_eq!(attach(Param::real(1.0, 1.0 + 1e-9)), (bounds, None));
}

/// The parsed form is pinned: a block written today is read for ever.
#[test]
fn layout_is_pinned() {
    let params =
        [Param::categorical(3), Param::ordinal(&[1.0, 2.0]), Param::real(0.0, 2.0), Param::integer(-1, 4)];
    let conditions =
        [Condition::new(3, 1, When::Between(1.5, 9.0)), Condition::new(2, 0, When::In(&[2.0, 0.0]))];
    let one = 1f64.to_bits();
    let two = 2f64.to_bits();
    let expected = [
        4 | 2 << 32,
        4,
        0,
        3,
        0,
        3,
        0,
        2,
        0,
        2,
        0,
        1 << 32,
        0,
        two,
        two,
        1 | 2 << 32,
        u64::MAX,
        4,
        0,
        1 << 32,
        2,
        2,
        1,
        1,
        1,
        one,
        two,
        2,
        0,
    ];
    let words = parsed(&Space::new(&params, &conditions).unwrap());
    assert_eq!(words, expected);
    assert!(Domain::attach::<f32>(&words).is_ok());
}

/// Each field that is later trusted, damaged by hand.
#[test]
fn attach_checks_every_field() {
    let params = [
        Param::integer(0, 4),
        Param::real(1.0, 2.0).log(),
        Param::ordinal(&[1.0, 2.0]),
        Param::categorical(2),
    ];
    let conditions = [
        Condition::new(2, 1, When::Between(1.2, 1.5)),
        Condition::new(3, 0, When::Between(1.0, 2.0)),
        Condition::new(3, 0, When::In(&[3.0, 1.0])),
    ];
    let words = parsed(&Space::new(&params, &conditions).unwrap());
    assert!(Domain::attach::<f64>(&words).is_ok());
    let nan = f64::NAN.to_bits();
    let real = |x: f64| x.to_bits();
    let (param, rule, pool) = (|i: usize| 3 + 4 * i, |i: usize| 19 + 3 * i, 28);
    for (word, value) in [
        (0, 3 << 32),            // no parameter
        (0, 4 | 4 << 32),        // more conditions than words
        (0, 4 | 2 << 32),        // fewer than the parameters name
        (1, 5),                  // more pool than words
        (1, 3),                  // less than is named
        (2, 1),                  // more names than words
        (param(0), 4),           // no such kind
        (param(0), 1 | 2 << 8),  // unknown flag
        (param(0), 1 | 1 << 8),  // log from zero
        (param(0) + 2, 0),       // one value
        (param(0) + 3, 1),       // a span where none is
        (param(0), 1 | 1 << 32), // a condition on the first parameter
        (param(1) + 1, nan),     // bounds
        (param(1) + 1, real(0.0)),
        (param(1) + 1, real(2.0)),
        (param(1) + 3, real(0.5)), // another span
        (param(1) + 3, nan),
        (param(2), 2 | 1 << 8 | 1 << 32), // log of ranks
        (param(2) + 1, 4),                // offset beyond the pool
        (param(2) + 1, u64::MAX),
        (param(2) + 2, 5),       // length beyond the pool
        (param(2) + 2, 1),       // one level
        (param(3) + 1, 1),       // an offset where none is
        (param(3) + 2, 1),       // one category
        (param(3), 3),           // conditions end before they start
        (param(3), 3 | 2 << 32), // a condition without child
        (param(3), 3 | 9 << 32), // conditions beyond the last
        (rule(0), 2),            // its own parent
        (rule(0), 3),            // a later parent
        (rule(0), 99),           // no such parent
        (rule(0), 1 | 2 << 32),  // no such form
        (rule(0) + 1, nan),
        (rule(0) + 1, real(1.6)), // out of order
        (rule(0) + 1, real(0.9)), // out of the parent's bounds
        (rule(0) + 2, real(2.1)),
        (rule(1) + 1, 3), // out of order
        (rule(1) + 2, 5), // beyond the last rank
        (rule(2) + 1, 3), // list beyond the pool
        (rule(2) + 2, 0), // empty list
        (rule(2) + 2, u64::MAX),
        (pool, real(2.0)), // levels not in order
        (pool, nan),
        (pool + 2, 5), // a rank beyond the last
    ] {
        let mut bad = words.clone();
        assert_ne!(bad[word], value);
        bad[word] = value;
        assert_eq!(Domain::attach::<f64>(&bad).err(), Some(Error::Corrupt), "word {word} = {value:#x}");
    }
}

/// The same of what clauses, alternatives and defaults add.
#[test]
fn attach_checks_clauses_and_defaults() {
    let params = [
        Param::integer(0, 4).default_value(3.0),
        Param::real(1.0, 2.0).default_value(1.5),
        Param::categorical(2),
    ];
    let conditions =
        [Condition::new(2, 1, When::Between(1.2, 1.5)), Condition::new(2, 0, When::Equals(1.0)).or()];
    let two = [
        Term { parameter: 0, when: When::In(&[1.0, 2.0]) },
        Term { parameter: 1, when: When::Between(1.0, 1.1) },
    ];
    let one = [Term { parameter: 2, when: When::Equals(0.0) }];
    let clauses = [Clause { terms: &two }, Clause { terms: &one }];
    let space = Space::new(&params, &conditions).unwrap().impute(Impute::Outside).forbid(&clauses).unwrap();
    assert_eq!((space.terms(), space.levels()), (3, 4));
    assert_eq!(space.words(), words(3, 2, 4, 3, 0));
    let words = parsed(&space);
    let real = |x: f64| x.to_bits();
    let expected = [
        3 | 2 << 32,
        4 | 3 << 32 | 2 << 62,
        0,
        1 | 1 << 9,
        0,
        4,
        0,
        2 << 9,
        real(1.0),
        real(2.0),
        real(1.0),
        3 | 2 << 32,
        0,
        2,
        0,
        1,
        real(1.2),
        real(1.5),
        2 << 32,
        1,
        1,
        1 << 32,
        0,
        2,
        1 | 2 << 32,
        real(1.0),
        real(1.1),
        2,
        0,
        0,
        1,
        2,
        real(1.5),
        real(3.0),
    ];
    assert_eq!(words, expected);
    let domain = Domain::attach::<f64>(&words).unwrap();
    assert_eq!(
        (domain.default_value(0), domain.default_value(1), domain.default_value(2)),
        (Some(3.0), Some(1.5), None)
    );
    assert_eq!(domain.impute(), Impute::Outside);
    let asked = |f: &dyn Fn(usize) -> bool| [0, 1, 2, 3].map(f);
    assert_eq!(asked(&|i| domain.is_child(i)), [false, false, true, false]);
    assert_eq!(asked(&|i| space.is_child(i)), asked(&|i| domain.is_child(i)));
    let (param, rule, term, pool) = (|i: usize| 3 + 4 * i, |i: usize| 15 + 3 * i, |i: usize| 21 + 3 * i, 30);
    for (word, value) in [
        (1, 4 | 4 << 32 | 2 << 62),   // more terms than words
        (1, 4 | 2 << 32 | 2 << 62),   // fewer, so that a term is in the pool
        (param(0), 1 | 2 << 9),       // the number of another default
        (param(0), 1 | 5 << 9),       // a default before the pool
        (param(1), 1 << 9),           // the default of another one
        (rule(0), 1 | 2 << 32),       // an alternative to nothing
        (rule(1), 4 << 32),           // no such form
        (term(0), 1 << 32 | 1 << 33), // a clause that nothing begins
        (term(0), 3 | 1 << 32),       // no such parameter
        (term(1), 2 << 32),           // a parameter twice in a clause
        (term(1) + 1, real(0.5)),     // out of the bounds
        (term(2) + 2, 2),             // beyond the last rank
        (term(0) + 2, 0),             // an empty list
        (pool, 9),                    // no such rank
        (pool + 2, real(2.5)),        // a default that is not a value
        (pool + 3, real(2.5)),
        (pool + 3, f64::NAN.to_bits()),
    ] {
        let mut bad = words.clone();
        assert_ne!(bad[word], value);
        bad[word] = value;
        assert_eq!(Domain::attach::<f64>(&bad).err(), Some(Error::Corrupt), "word {word} = {value:#x}");
    }
}

/// Everything that can be done with a view, whatever its words say.
fn exercise<R: Real>(words: &[u64], dice: &mut Dice) -> bool {
    let Ok(domain) = Domain::attach::<R>(words) else { return false };
    let d = domain.dims();
    let mut unit = vec![R::ZERO; d];
    let mut point = vec![R::ZERO; d];
    let mut back = vec![R::ZERO; d];
    let mut mask = vec![0; domain.mask_words()];
    let _ = domain.cardinality::<f64>();
    for _ in 0..3 {
        match domain.sample(dice, &mut unit) {
            Ok(()) => assert!(domain.allows(&unit)),
            // Damage may forbid everything.
            Err(error) => assert_eq!(error, Error::Infeasible),
        }
        domain.snap(&mut unit);
        assert!(domain.is_snapped(&unit));
        assert!(unit.iter().all(|&u| (R::ZERO <= u || u == -R::ONE) && u <= R::ONE));
        domain.decode(&unit, &mut point);
        assert!(point.iter().all(|x| x.is_finite()));
        assert_eq!(domain.encode(&point, &mut back), Ok(()));
        domain.active(&unit, &mut mask);
        domain.snap(&mut back);
        let i = dice.below(d);
        domain.neighbour_of(dice, i, R::of(0.1), &mut unit);
        domain.perturb(dice, R::of(0.1), R::HALF, &mut unit);
        domain.exchange(&unit, i, dice.below(3), &mut back);
        Design::Grid.point(7, 3, 50, domain, &mut unit);
        Design::LatinHypercube.point(7, 3, 50, domain, &mut back);
        assert!(unit.iter().chain(&back).all(|&u| (R::ZERO <= u || u == -R::ONE) && u <= R::ONE));
        domain.successor(dice, false, &mut 100, &mut unit);
        domain.successor(dice, true, &mut 100, &mut unit[..d / 2]);
        let _ = domain.sample(dice, &mut back[..d / 2]);
        let _ = domain.forbids(&unit[..d / 2]);
        // Short and empty slices leave the rest out.
        domain.snap(&mut back[..d / 2]);
        domain.decode(&unit[..d / 2], &mut point);
        domain.active::<R>(&unit, &mut []);
    }
    true
}

#[test]
fn damaged_words_never_panic() {
    let mut dice = Dice(11);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..60 {
        let words = random_space(&mut dice);
        for byte in 0..words.len() * 8 {
            for _ in 0..6 {
                let mut bad = words.clone();
                let value = match dice.below(4) {
                    0 => 0,
                    1 => 0xff,
                    _ => dice.below(256) as u8,
                };
                bytemuck::cast_slice_mut::<u64, u8>(&mut bad)[byte] = value;
                if dice.below(3) == 0 {
                    let other = dice.below(words.len() * 8);
                    bytemuck::cast_slice_mut::<u64, u8>(&mut bad)[other] ^= 1 << dice.below(8);
                }
                let ok = if dice.below(2) == 0 {
                    exercise::<f64>(&bad, &mut dice)
                } else {
                    exercise::<f32>(&bad, &mut dice)
                };
                accepted += u32::from(ok);
                refused += u32::from(!ok);
            }
        }
        for end in 0..words.len() {
            assert!(Domain::attach::<f64>(&words[..end]).is_err());
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
    // Counts that would overflow a size.
    for header in
        [[u64::MAX, u64::MAX], [u64::from(u32::MAX), 0], [1 | u64::from(u32::MAX) << 32, 0], [1, u64::MAX]]
    {
        assert!(Domain::attach::<f64>(&[header[0], header[1], 3, 0, 3, 0]).is_err());
    }
}
