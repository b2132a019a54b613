//! Laws of the unit cube, over many random spaces.

mod damage;
mod rules;

use std::vec;
use std::vec::Vec;

use rand_core::{Infallible, TryRng};

use super::{Clause, Condition, Domain, Impute, Kind, Param, Space, Term, When, is_active};
use crate::error::Error;
use crate::real::Real;
use crate::rng::{below, uniform};

/// SplitMix64: enough for tests.
pub(super) struct Dice(pub(crate) u64);

impl TryRng for Dice {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|x| (x >> 32) as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Ok(z ^ (z >> 31))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        out.fill_with(|| self.try_next_u64().unwrap() as u8);
        Ok(())
    }
}

impl Dice {
    pub(super) fn below(&mut self, n: usize) -> usize {
        below(self, n as u64) as usize
    }
}

pub(super) fn parsed(space: &Space) -> Vec<u64> {
    let mut out = vec![0; space.words()];
    space.write(&mut out).unwrap();
    out
}

const LEVELS: [f64; 6] = [-2.5, 0.1, 0.3, 4.0, 1e6, 1e7];
const LISTS: [&[f64]; 3] = [&[0.0], &[0.0, 1.0], &[1.0, 3.0, 2.0]];

/// Values that a rule of a random space names.
pub(super) fn random_when(dice: &mut Dice) -> When<'static> {
    match dice.below(5) {
        0 => When::Equals(dice.below(4) as f64),
        1 => When::In(LISTS[dice.below(3)]),
        2 => When::Between(0.15, 1.0),
        3 => When::Between(f64::NEG_INFINITY, 0.2),
        _ => When::Between(0.5, 1e20),
    }
}

pub(super) const IMPUTES: [Impute; 4] = [Impute::Centre, Impute::Usual, Impute::Outside, Impute::Scatter];

/// A random valid space, with conditions, clauses and defaults that are tried until they are accepted.
pub(super) fn random_space(dice: &mut Dice) -> Vec<u64> {
    let dims = 1 + dice.below(9);
    let mut params: Vec<Param> = (0..dims)
        .map(|_| match dice.below(9) {
            0 => Param::real(-1.0, 3.0),
            1 => Param::real(1e-30, 1e30).log(),
            2 => Param::integer(-3, 3 + dice.below(9) as i64),
            3 => Param::integer(1, 2 + dice.below(5000) as i64).log(),
            4 => Param::ordinal(&LEVELS[..2 + dice.below(5)]),
            5 => Param::categorical(2 + dice.below(4) as u32),
            6 => Param::real(0.1, 0.3),
            7 => Param::ordinal(&LEVELS[1..3 + dice.below(4)]).log(),
            _ => Param::integer(0, 1),
        })
        .collect();
    for param in &mut params {
        let default_value = param.default_value([0.0, 1.0, 0.25, 2.0][dice.below(4)]);
        if dice.below(3) == 0 && Space::new(&[default_value], &[]).is_ok() {
            *param = default_value;
        }
    }
    let mut conditions = Vec::new();
    for _ in 0..dice.below(12) {
        let condition = Condition::new(dice.below(dims) as u32, dice.below(dims) as u32, random_when(dice));
        conditions.push(if dice.below(4) == 0 { condition.or() } else { condition });
        if Space::new(&params, &conditions).is_err() {
            conditions.pop();
        }
    }
    let space = Space::new(&params, &conditions).unwrap().impute(IMPUTES[dice.below(4)]);
    let terms: Vec<Vec<Term>> = (0..dice.below(5)).map(|_| random_terms(dice, dims)).collect();
    let mut clauses: Vec<Clause> = Vec::new();
    for terms in &terms {
        clauses.push(Clause { terms });
        if space.forbid(&clauses).is_err() {
            clauses.pop();
        }
    }
    parsed(&space.forbid(&clauses).unwrap())
}

fn random_terms(dice: &mut Dice, dims: usize) -> Vec<Term<'static>> {
    (0..1 + dice.below(3))
        .map(|_| Term { parameter: dice.below(dims) as u32, when: random_when(dice) })
        .collect()
}

fn bits<R: Real>(x: &[R]) -> Vec<u64> {
    x.iter().map(|v| v.to_f64().to_bits()).collect()
}

/// Whether a value is among those of a rule.
pub(super) fn among(when: When, v: f64) -> bool {
    match when {
        When::Equals(w) => v == w,
        When::In(list) => list.contains(&v),
        When::Between(lo, hi) => lo <= v && v <= hi,
    }
}

/// The rules of a space by definition: recursive, in user units.
pub(super) fn reference_active(conditions: &[Condition], point: &[f64], i: usize) -> bool {
    let mut runs: Vec<Vec<&Condition>> = Vec::new();
    for condition in conditions.iter().filter(|c| c.child as usize == i) {
        match runs.last_mut() {
            Some(run) if condition.or => run.push(condition),
            _ => runs.push(vec![condition]),
        }
    }
    let holds = |c: &&Condition| {
        among(c.when, point[c.parent as usize]) && reference_active(conditions, point, c.parent as usize)
    };
    runs.iter().all(|run| run.iter().any(holds))
}

fn laws<R: Real>(domain: Domain, dice: &mut Dice) {
    let d = domain.dims();
    let mut unit = vec![R::ZERO; d];
    let mut point = vec![R::ZERO; d];
    let mut mask = vec![0u64; domain.mask_words()];
    for round in 0..20 {
        if round % 2 == 0 {
            domain.sample(dice, &mut unit).unwrap();
        } else {
            // Anything at all may be snapped.
            for u in &mut unit {
                *u = match dice.below(12) {
                    0 => R::NAN,
                    1 => R::INFINITY,
                    2 => -R::INFINITY,
                    3 => -R::ZERO,
                    4 => R::ONE,
                    _ => R::of(uniform::<f64, _>(dice) * 1.2 - 0.1),
                };
            }
        }
        let mut snapped = unit.clone();
        domain.snap(&mut snapped);
        if round % 2 == 0 {
            assert_eq!(bits(&snapped), bits(&unit), "a sample is admissible");
            assert!(domain.allows(&unit), "a sample is allowed");
        }
        let mut again = snapped.clone();
        domain.snap(&mut again);
        assert_eq!(bits(&again), bits(&snapped), "snap is idempotent");
        assert!(domain.is_snapped(&snapped));
        domain.decode(&unit, &mut point);
        domain.active(&unit, &mut mask);
        for (i, &u) in snapped.iter().enumerate() {
            let outside = u == -R::ONE && domain.impute() == Impute::Outside && !is_active(&mask, i);
            assert!(outside || R::ZERO <= u && u <= R::ONE && !u.to_f64().is_sign_negative());
        }
        let mut mask_again = mask.clone();
        domain.active(&snapped, &mut mask_again);
        assert_eq!(mask, mask_again);
        let mut back = vec![R::NAN; d];
        domain.encode(&point, &mut back).unwrap();
        for i in 0..d {
            let axis = domain.axis(i);
            let default_value =
                domain.default_value(i).map_or(axis.snap(R::HALF), |v| axis.coordinate(R::of(v)).unwrap());
            let scattered = domain.impute() == Impute::Scatter;
            if !is_active(&mask, i) {
                let (stands, shown) = match domain.impute() {
                    Impute::Centre => (axis.snap(R::HALF), axis.snap(R::HALF)),
                    Impute::Usual => (default_value, default_value),
                    Impute::Outside => (-R::ONE, default_value),
                    Impute::Scatter => (axis.snap(snapped[i]), axis.snap(snapped[i])),
                };
                assert_eq!(snapped[i], stands, "inactive is canonical");
                assert_eq!(point[i], axis.value(shown), "and has a value");
            }
            if !domain.continuous(i) && (is_active(&mask, i) || !scattered) {
                assert_eq!(back[i], snapped[i], "discrete coordinates come back");
            }
        }
        // Inactive values are free.
        for i in 0..d {
            if !is_active(&mask, i) {
                point[i] = R::NAN;
            }
        }
        let mut free = vec![R::ZERO; d];
        domain.encode(&point, &mut free).unwrap();
        assert_eq!(bits(&free), bits(&back));
        for i in 0..d {
            if is_active(&mask, i) {
                point[i] = R::NAN;
                assert_eq!(domain.encode(&point, &mut free), Err(Error::OutOfRange { parameter: i as u32 }));
                break;
            }
        }
    }
}

#[test]
fn laws_hold_in_random_spaces() {
    let mut dice = Dice(1);
    for _ in 0..400 {
        let words = random_space(&mut dice);
        laws::<f64>(Domain::attach::<f64>(&words).unwrap(), &mut dice);
        laws::<f32>(Domain::attach::<f32>(&words).unwrap(), &mut dice);
    }
}

#[test]
fn activity_agrees_with_its_definition() {
    let mut dice = Dice(9);
    for _ in 0..300 {
        let dims = 2 + dice.below(7);
        let params: Vec<Param> = (0..dims).map(|_| Param::categorical(2 + dice.below(2) as u32)).collect();
        let mut conditions = Vec::new();
        for _ in 0..dice.below(14) {
            let child = 1 + dice.below(dims - 1);
            let when = match dice.below(3) {
                0 => When::Equals(dice.below(2) as f64),
                1 => When::In(LISTS[dice.below(2)]),
                _ => When::Between(0.5, 2.5),
            };
            let condition = Condition::new(child as u32, dice.below(child) as u32, when);
            conditions.push(if dice.below(3) == 0 { condition.or() } else { condition });
            if Space::new(&params, &conditions).is_err() {
                conditions.pop();
            }
        }
        let words = parsed(&Space::new(&params, &conditions).unwrap());
        let domain = Domain::attach::<f64>(&words).unwrap();
        for _ in 0..20 {
            let mut unit = vec![0.0; dims];
            let mut point = vec![0.0; dims];
            let mut mask = [0u64];
            unit.fill_with(|| uniform(&mut dice));
            domain.active(&unit, &mut mask);
            domain.decode(&unit, &mut point);
            for i in 0..dims {
                assert_eq!(is_active(&mask, i), reference_active(&conditions, &point, i));
            }
        }
    }
}

/// Every value of the largest admitted axes comes back: the derivation in `axis.rs` holds.
#[test]
fn ranks_survive_at_the_limits() {
    fn check<R: Real>(param: Param) {
        let params = [param];
        let words = parsed(&Space::new(&params, &[]).unwrap());
        let domain = Domain::attach::<R>(&words).unwrap();
        let axis = domain.axis(0);
        let count = axis.count();
        let mut dice = Dice(3);
        let tries = (0..3000)
            .chain(count.saturating_sub(3000)..count)
            .chain((0..3000).map(|_| below(&mut dice, count)));
        for rank in tries.filter(|&r| r < count) {
            let u: R = axis.centre(rank);
            assert_eq!(axis.rank(u.to_f64()), rank, "{param:?}");
            assert!(R::ZERO < u && u < R::ONE);
            assert_eq!(axis.coordinate(axis.value(u)), Some(u));
        }
    }
    check::<f64>(Param::integer(-(1 << 50), (1 << 50) - 1));
    check::<f64>(Param::integer((1 << 53) - 10, 1 << 53));
    check::<f64>(Param::integer(1, (1u64 << 47) as i64 / 34).log());
    check::<f64>(Param::integer((1 << 47) - 5000, 1 << 47).log());
    check::<f32>(Param::integer(-(1 << 21), (1 << 21) - 1));
    check::<f32>(Param::integer(1, 313_000).log());
    check::<f32>(Param::integer((1 << 22) - 5000, 1 << 22).log());
    check::<f32>(Param::categorical(1 << 22));
    let close: Vec<f64> = (0..3000).map(|i| 1.0 + f64::from(i) * 1e-4).chain([1e30]).collect();
    check::<f64>(Param::ordinal(&close).log());
    check::<f32>(Param::ordinal(&close).log());
    check::<f64>(Param::ordinal(&[f64::MIN_POSITIVE, 1.0, 1.0 + 1e-12, f64::MAX]).log());
}

#[test]
fn reals_reach_their_bounds_and_wide_ranges_work() {
    fn check<R: Real>(lo: f64, hi: f64, log: bool, tolerance: f64) {
        let param = Param::real(lo, hi);
        let params = [if log { param.log() } else { param }];
        let words = parsed(&Space::new(&params, &[]).unwrap());
        let domain = Domain::attach::<R>(&words).unwrap();
        let decode = |u: f64| {
            let mut x = [R::NAN];
            domain.decode(&[R::of(u)], &mut x);
            x[0]
        };
        let encode = |x: R| {
            let mut u = [R::NAN];
            domain.encode(&[x], &mut u).map(|()| u[0].to_f64())
        };
        assert_eq!(decode(0.0), R::of(lo));
        assert_eq!(decode(1.0), R::of(hi));
        assert_eq!(encode(R::of(lo)), Ok(0.0));
        assert_eq!(encode(R::of(hi)), Ok(1.0));
        assert!(encode(R::INFINITY).is_err() && encode(R::NAN).is_err());
        let mut before = R::of(lo);
        for k in 0..=256 {
            let x = decode(f64::from(k) / 256.0);
            assert!(before <= x && x <= R::of(hi), "monotone and in range");
            before = x;
            let u = encode(x).unwrap();
            assert!((u - f64::from(k) / 256.0).abs() <= tolerance, "{lo} {hi} {k} {u}");
        }
    }
    // The value is rounded to ε·max(|lo|, |hi|), the coordinate to ε: a few roundings each way.
    let eps = f64::EPSILON;
    check::<f64>(-1.0, 3.0, false, 4.0 * eps);
    check::<f64>(-1e308, 1.7e308, false, 8.0 * eps);
    check::<f64>(f64::MIN, f64::MAX, false, 8.0 * eps);
    check::<f64>(0.0, 1e-310, false, 1e-12);
    // On a log scale a relative rounding ε of x moves u by ε/span; the exponent itself is rounded to ε·u.
    check::<f64>(1e-300, 1e300, true, 8.0 * eps);
    check::<f64>(f64::MIN_POSITIVE, f64::MAX, true, 8.0 * eps);
    check::<f64>(1.0, 1.0 + 1e-6, true, 8.0 * eps / 1e-6);
    check::<f32>(0.1, 0.3, false, 8.0 * f64::from(f32::EPSILON));
    check::<f32>(1e-5, 1e-1, true, 8.0 * f64::from(f32::EPSILON));
    check::<f32>(-3e38, 3e38, false, 8.0 * f64::from(f32::EPSILON));
}

#[test]
fn coordinates_follow_the_stated_equations() {
    let params = [
        Param::real(10.0, 20.0),
        Param::real(1e-4, 1e4).log(),
        Param::integer(-2, 7),
        Param::integer(1, 8).log(),
        Param::ordinal(&[1.0, 10.0, 100.0]),
        Param::categorical(4),
        Param::ordinal(&[1.0, 10.0, 10_000.0]).log(),
    ];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let mut unit = [0.0; 7];
    domain.encode(&[12.5, 1.0, 0.0, 4.0, 10.0, 3.0, 10.0], &mut unit).unwrap();
    // ln(4/0.5)/ln(8.5/0.5) = ln 8 / ln 17; of six decades from 10^-½ to 10^5½ one and a half are below the second level.
    let expected = [0.25, 0.5, 0.25, 0.733_951_626_354_678, 0.5, 0.875, 0.25];
    for i in 0..7 {
        assert!((unit[i] - expected[i]).abs() < 4.0 * f64::EPSILON, "{i}: {} {}", unit[i], expected[i]);
    }
    assert_eq!(
        (0..6).map(|i| domain.kind(i)).collect::<Vec<_>>(),
        [Kind::Real, Kind::Real, Kind::Integer, Kind::Integer, Kind::Ordinal, Kind::Categorical]
    );
    assert_eq!(
        (0..6).map(|i| domain.count(i)).collect::<Vec<_>>(),
        [None, None, Some(10), Some(8), Some(3), Some(4)]
    );
    assert_eq!(domain.cardinality::<f64>(), None);
    let words = parsed(&Space::new(&params[2..6], &[]).unwrap());
    assert_eq!(Domain::attach::<f64>(&words).unwrap().cardinality::<f64>(), Some(960));
    assert_eq!(domain.kind(77), Kind::Real);
}

#[test]
fn samples_are_uniform_on_their_scale() {
    let params = [
        Param::integer(-1, 3),
        Param::categorical(3),
        Param::real(1e-4, 1e4).log(),
        Param::integer(1, 2).log(),
    ];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f32>(&words).unwrap();
    let mut dice = Dice(5);
    let (mut ints, mut cats, mut decades, mut ones) = ([0u32; 5], [0u32; 3], [0u32; 8], 0u32);
    let n = 60_000;
    for _ in 0..n {
        let (mut unit, mut x) = ([0f32; 4], [0f32; 4]);
        domain.sample(&mut dice, &mut unit).unwrap();
        domain.decode(&unit, &mut x);
        ints[(x[0] + 1.0) as usize] += 1;
        cats[x[1] as usize] += 1;
        decades[((f64::from(x[2]).log10() + 4.0) as usize).min(7)] += 1;
        ones += u32::from(x[3] == 1.0);
    }
    // Five standard deviations of a binomial count.
    let close = |count: u32, p: f64| {
        let mean = f64::from(n) * p;
        assert!((f64::from(count) - mean).abs() < 5.0 * (mean * (1.0 - p)).sqrt(), "{count} {mean}");
    };
    ints.iter().for_each(|&c| close(c, 0.2));
    cats.iter().for_each(|&c| close(c, 1.0 / 3.0));
    decades.iter().for_each(|&c| close(c, 0.125));
    // The bin of 1 is [½, 1½], of 2 [1½, 2½]: ln 3 / ln 5.
    close(ones, 3f64.ln() / 5f64.ln());
}

/// Edges of real conditions belong to the range, also where the scalar rounds them.
#[test]
fn edges_of_a_condition_are_inside() {
    fn check<R: Real>(log: bool) {
        let real = Param::real(0.1, 0.9);
        let params = [if log { real.log() } else { real }, Param::real(0.0, 1.0)];
        for (when, inside, outside) in [
            (When::Between(0.3, 0.7), &[0.3, 0.5, 0.7][..], &[0.2999, 0.7001, 0.1, 0.9][..]),
            (When::Equals(0.3), &[0.3], &[0.30001, 0.1]),
            (When::In(&[0.1, 0.3, 0.9]), &[0.1, 0.3, 0.9], &[0.2, 0.5]),
        ] {
            let conditions = [Condition::new(1, 0, when)];
            let words = parsed(&Space::new(&params, &conditions).unwrap());
            let domain = Domain::attach::<R>(&words).unwrap();
            let active = |x: f64| {
                let (mut unit, mut mask) = ([R::ZERO; 2], [0]);
                domain.encode(&[R::of(x), R::of(0.25)], &mut unit).unwrap();
                domain.active(&unit, &mut mask);
                assert_eq!(unit[1].to_f64(), if is_active(&mask, 1) { 0.25 } else { 0.5 });
                is_active(&mask, 1)
            };
            assert!(inside.iter().all(|&x| active(x)), "{when:?}");
            assert!(outside.iter().all(|&x| !active(x)), "{when:?}");
        }
    }
    check::<f32>(false);
    check::<f64>(false);
    check::<f32>(true);
    check::<f64>(true);
}

#[test]
fn deep_chains_and_wide_masks() {
    let params = [Param::categorical(2); 200];
    // Two conditions per link: a naive recursion would take 2²⁰⁰ steps.
    let conditions: Vec<Condition> = (1..200)
        .flat_map(|c| {
            let when = When::Equals(1.0);
            [c - 1, c.max(2) - 2].map(|parent| Condition::new(c, parent, when))
        })
        .collect();
    let words = parsed(&Space::new(&params, &conditions).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let mut unit = [0.75; 200];
    unit[150] = 0.25;
    let mut mask = [0u64; 4];
    domain.active(&unit, &mut mask);
    assert_eq!(mask.map(u64::count_ones).iter().sum::<u32>(), 151);
    assert!(is_active(&mask, 150) && !is_active(&mask, 151));
    domain.snap(&mut unit);
    // Of two categories the canonical one is the second: floor(½·2) = 1.
    assert_eq!((unit[150], unit[151]), (0.25, 0.75));
    assert_eq!(domain.cardinality::<f64>(), None);
}
