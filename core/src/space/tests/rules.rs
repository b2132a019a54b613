//! Conditions and clauses against going through all configurations.

use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

use super::super::{Clause, Condition, Domain, Impute, Param, Space, Term, When};
use super::{Dice, among, parsed, random_when, reference_active};
use crate::error::Error;

/// Every configuration of parameters with these values; NaN where a parameter does not matter.
fn configurations(values: &[Vec<f64>], conditions: &[Condition]) -> Vec<Vec<f64>> {
    let mut all = vec![Vec::new()];
    for (i, own) in values.iter().enumerate() {
        all = all
            .iter()
            .flat_map(|point: &Vec<f64>| {
                let on = reference_active(conditions, point, i);
                let own = if on { own.clone() } else { vec![f64::NAN] };
                own.into_iter().map(|v| point.iter().copied().chain([v]).collect()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

fn allowed(clauses: &[Clause], point: &[f64]) -> bool {
    !clauses.iter().any(|c| c.terms.iter().all(|t| among(t.when, point[t.parameter as usize])))
}

/// A random discrete space as the test sees it.
fn random_discrete(dice: &mut Dice) -> (Vec<Param<'static>>, Vec<Vec<f64>>) {
    const LEVELS: [f64; 4] = [0.0, 0.18, 1.0, 2.0];
    let range = |count: usize| (0..count).map(|v| v as f64).collect::<Vec<f64>>();
    (0..1 + dice.below(5))
        .map(|_| {
            let count = 2 + dice.below(3);
            match dice.below(4) {
                0 => (Param::categorical(count as u32), range(count)),
                1 => (Param::integer(0, count as i64 - 1), range(count)),
                2 => (Param::integer(1, count as i64).log(), range(count + 1)[1..].to_vec()),
                _ => (Param::ordinal(&LEVELS[..count]), LEVELS[..count].to_vec()),
            }
        })
        .unzip()
}

fn random_conditions(dice: &mut Dice, params: &[Param], most: usize) -> Vec<Condition<'static>> {
    let mut conditions = Vec::new();
    for _ in 0..dice.below(most) {
        let child = dice.below(params.len());
        if child == 0 {
            continue;
        }
        let (parent, when) = (dice.below(child), random_when(dice));
        let condition = Condition::new(child as u32, parent as u32, when);
        let first = conditions.iter().all(|c: &Condition| c.child != condition.child);
        let axis = params[parent].parse(0).unwrap();
        if when.suits(axis) {
            conditions.push(if !first && dice.below(2) == 0 { condition.or() } else { condition });
        }
    }
    conditions
}

#[test]
fn a_child_that_never_matters_is_found() {
    let mut dice = Dice(31);
    let (mut found, mut fine) = (0, 0);
    for _ in 0..6000 {
        let (params, values) = random_discrete(&mut dice);
        let conditions = random_conditions(&mut dice, &params, 10);
        let all = configurations(&values, &conditions);
        let never = |i: usize| all.iter().all(|point| point[i].is_nan());
        match Space::new(&params, &conditions) {
            Ok(_) => {
                assert!(!(0..params.len()).any(never), "{params:?} {conditions:?}");
                fine += 1;
            }
            Err(Error::Condition { index }) => {
                assert!(never(conditions[index as usize].child as usize), "{params:?} {conditions:?}");
                found += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(found > 300 && fine > 3000, "{found} {fine}");
}

#[test]
fn what_clauses_leave_is_gone_through() {
    let mut dice = Dice(32);
    let (mut empty, mut some) = (0, 0);
    for round in 0..4000 {
        let (params, values) = random_discrete(&mut dice);
        let conditions = random_conditions(&mut dice, &params, 8);
        let Ok(space) = Space::new(&params, &conditions) else { continue };
        let count = dice.below(9);
        let terms: Vec<Vec<Term>> = (0..count)
            .map(|_| {
                let mut terms: Vec<Term> = Vec::new();
                for parameter in 0..params.len() {
                    let when = random_when(&mut dice);
                    if dice.below(2) == 0 && when.suits(params[parameter].parse(0).unwrap()) {
                        terms.push(Term { parameter: parameter as u32, when });
                    }
                }
                terms
            })
            .filter(|terms| !terms.is_empty())
            .collect();
        let clauses: Vec<Clause> = terms.iter().map(|terms| Clause { terms }).collect();
        let left: BTreeSet<Vec<u64>> = configurations(&values, &conditions)
            .iter()
            .filter(|point| allowed(&clauses, point))
            .map(|point| point.iter().map(|v| v.to_bits()).collect())
            .collect();
        let space = match space.forbid(&clauses) {
            Err(error) => {
                assert_eq!(
                    (error, left.len()),
                    (Error::Infeasible, 0),
                    "{params:?} {conditions:?} {clauses:?}"
                );
                empty += 1;
                continue;
            }
            Ok(space) => space.impute(super::IMPUTES[round % 4]),
        };
        assert!(!left.is_empty(), "{params:?} {conditions:?} {clauses:?}");
        some += 1;
        let words = parsed(&space);
        let domain = Domain::attach::<f64>(&words).unwrap();
        let (mut unit, mut point) = (vec![0f64; params.len()], vec![0f64; params.len()]);
        let mut met = BTreeSet::new();
        let (mut first, mut steps) = (true, 1 << 20);
        while domain.successor(&mut dice, first, &mut steps, &mut unit) {
            first = false;
            assert!(domain.is_snapped(&unit) && domain.allows(&unit));
            domain.decode(&unit, &mut point);
            let mut mask = [0];
            domain.active(&unit, &mut mask);
            let named = (0..params.len()).map(|i| {
                if super::super::is_active(&mask, i) { point[i].to_bits() } else { f64::NAN.to_bits() }
            });
            assert!(met.insert(named.collect::<Vec<u64>>()), "each once");
        }
        assert_eq!(met, left);
        // Every configuration is forbidden or not, as the test says.
        for point in configurations(&values, &conditions) {
            domain.encode(&point, &mut unit).unwrap();
            assert_eq!(domain.allows(&unit), allowed(&clauses, &point));
            let first = clauses.iter().position(|c| !allowed(core::slice::from_ref(c), &point));
            assert_eq!(domain.forbids(&unit), first.map(|c| c as u32));
        }
    }
    assert!(empty > 100 && some > 1000, "{empty} {some}");
}

#[test]
fn bad_clauses_are_refused() {
    let params = [Param::categorical(3), Param::real(0.0, 1.0), Param::integer(1, 4)];
    let conditions = [Condition::new(1, 0, When::Equals(1.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let good = [Term { parameter: 0, when: When::Equals(2.0) }];
    let term = |parameter: u32, when: When<'static>| Term { parameter, when };
    let bad: [&[Term]; 8] = [
        &[],
        &[term(3, When::Equals(0.0))],
        &[term(0, When::Equals(3.0))],
        &[term(0, When::In(&[]))],
        &[term(0, When::Equals(0.0)), term(0, When::Equals(1.0))],
        &[term(1, When::Between(2.0, 3.0))],
        &[term(1, When::Between(f64::NAN, 1.0))],
        &[term(2, When::Equals(1.5))],
    ];
    for terms in bad {
        let clauses = [Clause { terms: &good }, Clause { terms }];
        assert_eq!(space.forbid(&clauses), Err(Error::Clause { index: 1 }), "{terms:?}");
    }
    let none = |terms: &[&[Term]]| {
        let clauses: Vec<Clause> = terms.iter().map(|terms| Clause { terms }).collect();
        space.forbid(&clauses).map(|_| ()).unwrap_err()
    };
    assert_eq!(none(&[&[term(0, When::Between(0.0, 2.0))]]), Error::Infeasible);
    assert_eq!(
        none(&[&[term(2, When::Between(1.0, 2.0))], &[term(2, When::In(&[4.0, 3.0]))]]),
        Error::Infeasible
    );
    // The real matters only for one category; the other two are forbidden.
    let two: &[Term] = &[term(0, When::In(&[0.0, 2.0]))];
    assert_eq!(none(&[two, &[term(1, When::Between(0.0, 1.0))]]), Error::Infeasible);
    assert_eq!(
        none(&[two, &[term(1, When::Between(0.0, 0.5))], &[term(1, When::Between(0.5, 1.0))]]),
        Error::Infeasible
    );
    let clauses = [Clause { terms: two }, Clause { terms: &[term(1, When::Between(0.0, 0.5))] }];
    assert!(space.forbid(&clauses).is_ok());
    let odd = Param::integer(0, 5).default_value(2.5);
    assert_eq!(Space::new(&[params[0], odd], &[]), Err(Error::OutOfRange { parameter: 1 }));
    for value in [f64::NAN, -0.1, 1.1] {
        let real = Param::real(0.0, 1.0).default_value(value);
        assert_eq!(Space::new(&[real], &[]), Err(Error::OutOfRange { parameter: 0 }));
    }
    let lonely = [Condition::new(1, 0, When::Equals(1.0)).or()];
    assert_eq!(Space::new(&params, &lonely), Err(Error::Condition { index: 0 }));
}

/// Contradictions of reals, and through ancestors.
#[test]
fn contradictions_are_found() {
    let params = [Param::real(0.0, 1.0), Param::categorical(3), Param::integer(0, 9), Param::real(0.0, 1.0)];
    let refused = |conditions: &[Condition]| Space::new(&params, conditions).err();
    let c = Condition::new;
    let low = When::Between(0.0, 0.5);
    assert_eq!(refused(&[c(3, 0, low), c(3, 0, When::Between(0.5, 1.0))]), None, "they meet in one number");
    let above = When::Between(0.5 + f64::EPSILON, 1.0);
    assert_eq!(refused(&[c(3, 0, low), c(3, 0, above)]), Some(Error::Condition { index: 0 }));
    // A grandchild that needs what its parent excludes.
    let parent = [c(2, 1, When::Equals(0.0)), c(3, 2, When::Equals(4.0)), c(3, 1, When::In(&[1.0, 2.0]))];
    assert_eq!(refused(&parent), Some(Error::Condition { index: 1 }));
    let mended = [parent[0], parent[1], c(3, 0, low).or(), parent[2]];
    assert_eq!(refused(&mended), None);
    let still = [parent[0], parent[1], c(3, 2, When::Equals(5.0)).or(), parent[2]];
    assert_eq!(refused(&still), Some(Error::Condition { index: 1 }));
}

/// Two samples of counts come from one distribution: χ² below its mean by five standard deviations.
fn same_law(first: &[f64], second: &[f64]) {
    let (n, m) = (first.iter().sum::<f64>(), second.iter().sum::<f64>());
    let (mut chi, mut bins) = (0.0, -1.0);
    for (&a, &b) in first.iter().zip(second) {
        if a + b > 0.0 {
            let (p, q) = ((m / n).sqrt(), (n / m).sqrt());
            chi += (p * a - q * b).powi(2) / (a + b);
            bins += 1.0;
        }
    }
    assert!(chi < bins + 5.0 * (2.0f64 * bins).sqrt(), "{chi} with {bins} degrees of freedom");
}

#[test]
fn going_through_cells_has_the_law_of_rejection() {
    let params = [
        Param::categorical(3),
        Param::integer(1, 30).log(),
        Param::real(1e-3, 1e3).log(),
        Param::integer(-2, 7),
        Param::ordinal(&[0.5, 1.0, 4.0]),
    ];
    let conditions = [
        Condition::new(2, 0, When::In(&[0.0, 2.0])),
        Condition::new(3, 2, When::Between(0.1, 10.0)),
        Condition::new(3, 1, When::Equals(3.0)).or(),
    ];
    let one = [
        Term { parameter: 1, when: When::Between(5.0, 12.0) },
        Term { parameter: 2, when: When::Between(0.5, 50.0) },
    ];
    let two = [Term { parameter: 3, when: When::In(&[-2.0, 0.0, 3.0]) }];
    let three =
        [Term { parameter: 4, when: When::Equals(4.0) }, Term { parameter: 0, when: When::Equals(1.0) }];
    let clauses = [Clause { terms: &one }, Clause { terms: &two }, Clause { terms: &three }];
    let space = Space::new(&params, &conditions).unwrap().forbid(&clauses).unwrap().impute(Impute::Outside);
    let words = parsed(&space);
    let domain = Domain::attach::<f64>(&words).unwrap();
    let mut dice = Dice(77);
    // Margins of each parameter, and the pairs that the clauses tie.
    let bins = |unit: &[f64]| {
        let bin = |i: usize, count: usize| ((unit[i] * count as f64) as usize).min(count - 1);
        let here = |i: usize, count: usize| if unit[i] < 0.0 { count } else { bin(i, count) };
        [
            here(0, 3) * 12 + here(2, 11),
            36 + here(1, 30),
            67 + here(2, 40),
            108 + here(3, 10),
            119 + here(4, 3) * 3 + here(0, 3),
            128 + here(1, 12) * 12 + here(2, 11),
        ]
    };
    let (mut drawn, mut gone) = (vec![0.0; 300], vec![0.0; 300]);
    let mut unit = [0.0; 5];
    for round in 0..30_000 {
        domain.sample(&mut dice, &mut unit).unwrap();
        bins(&unit).iter().for_each(|&b| drawn[b] += 1.0);
        if round % 10 > 0 {
            continue;
        }
        domain.sample_cells(&mut dice, &mut unit).unwrap();
        assert!(domain.allows(&unit) && domain.is_snapped(&unit));
        bins(&unit).iter().for_each(|&b| gone[b] += 1.0);
    }
    for range in [0..36, 36..67, 67..108, 108..119, 119..128, 128..300] {
        same_law(&drawn[range.clone()], &gone[range]);
    }
}

/// What is left is too small for draws.
#[test]
fn rare_points_are_found() {
    let params = [Param::categorical(1000), Param::integer(1, 1000), Param::real(0.0, 1.0)];
    let a = [Term { parameter: 0, when: When::Between(0.0, 998.0) }];
    let b = [Term { parameter: 1, when: When::Between(1.0, 997.0) }];
    let c = [
        Term { parameter: 1, when: When::Equals(999.0) },
        Term { parameter: 2, when: When::Between(0.25, 1.0) },
    ];
    let clauses = [Clause { terms: &a }, Clause { terms: &b }, Clause { terms: &c }];
    let space = Space::new(&params, &[]).unwrap().forbid(&clauses).unwrap();
    let words = parsed(&space);
    let domain = Domain::attach::<f32>(&words).unwrap();
    let mut dice = Dice(3);
    let mut counts = [0.0; 3];
    for _ in 0..9000 {
        let (mut unit, mut x) = ([0f32; 3], [0f32; 3]);
        domain.sample(&mut dice, &mut unit).unwrap();
        domain.decode(&unit, &mut x);
        assert!(x[0] == 999.0 && (x[1] != 999.0 || x[2] < 0.25));
        counts[x[1] as usize - 998] += 1.0;
    }
    // 998 and 1000 with the whole of the real, 999 with a quarter: 4 : 1 : 4; five standard deviations.
    for (count, part) in counts.iter().zip([4.0, 1.0, 4.0]) {
        let p: f64 = part / 9.0;
        assert!((count - 9000.0 * p).abs() < 5.0 * (9000.0 * p * (1.0 - p)).sqrt(), "{counts:?}");
    }
    // Without a clause that says so, a real still has no value that all clauses leave.
    let halves = [
        Clause { terms: &[Term { parameter: 2, when: When::Between(0.0, 0.5) }] },
        Clause { terms: &[Term { parameter: 2, when: When::Between(0.5000000000000001, 1.0) }] },
    ];
    assert_eq!(Space::new(&params, &[]).unwrap().forbid(&halves), Err(Error::Infeasible));
}

/// Both ends of an integer range are as likely as what is between them.
#[test]
fn integers_are_equally_likely() {
    let params = [Param::integer(-3, 9), Param::categorical(4)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f32>(&words).unwrap();
    let mut dice = Dice(12);
    let mut counts = [0f64; 13];
    for _ in 0..130_000 {
        let (mut unit, mut x) = ([0f32; 2], [0f32; 2]);
        domain.sample(&mut dice, &mut unit).unwrap();
        domain.decode(&unit, &mut x);
        counts[(x[0] + 3.0) as usize] += 1.0;
    }
    let chi: f64 = counts.iter().map(|c| (c - 10_000.0).powi(2) / 10_000.0).sum();
    // The upper 0.1 % point of χ² with 12 degrees of freedom.
    assert!(chi < 32.91, "{chi} {counts:?}");
    assert!((counts[0] - counts[12]).abs() < 5.0 * 20_000f64.sqrt());
}
