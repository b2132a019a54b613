//! The policies as a user meets them: as data, and in a loop.

pub(super) mod support;

use std::vec;
use std::vec::Vec;

use super::{
    EntropySearch, Hedge, Knowledge, MaxValue, Minima, Policy, PredictiveEntropy, RffThompson, Thompson,
    portfolio, rff_thompson,
};
use crate::error::Error;
use crate::kernel::Tape;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate::{AcquisitionFunction, Surrogate};
use crate::trend::Trend;
use support::{NOISE, curve, grid};

/// Every number, once. A removed policy keeps its number here as reserved.
#[test]
fn codes_are_pinned() {
    for (i, policy) in Policy::ALL.iter().enumerate() {
        assert_eq!(policy.code(), i as u32);
        assert_eq!(policy.check(), Ok(()));
    }
    let gumbel = Policy::MaxValue { representers: 8, draws: 4, minima: Minima::Gumbel };
    assert_eq!((gumbel.code(), gumbel.check()), (3, Ok(())));
    assert_eq!((gumbel.anchors(9), Policy::MAX_VALUE.anchors(9), Policy::NOISY.anchors(9)), (0, 64, 9));
    for policy in [
        Policy::EntropySearch { representers: 0, draws: 8, fantasies: 5 },
        Policy::EntropySearch { representers: 8, draws: 0, fantasies: 5 },
        Policy::EntropySearch { representers: 8, draws: 8, fantasies: 0 },
        Policy::EntropySearch { representers: 8, draws: 8, fantasies: 33 },
        Policy::EntropySearch { representers: 1025, draws: 8, fantasies: 5 },
        Policy::PredictiveEntropy { representers: 8, draws: 0 },
        Policy::PredictiveEntropy { representers: 8, draws: 1 << 15 },
        Policy::Thompson { candidates: 0 },
        Policy::Spectral { features: 4096 },
        Policy::Knowledge { representers: u32::MAX },
        Policy::Portfolio { representers: 8, draws: 8, fantasies: 0 },
    ] {
        assert_eq!(policy.check(), Err(Error::Config), "{policy:?}");
    }
}

#[test]
fn memory_is_what_is_taken() {
    const SCALARS: usize = Policy::ENTROPY_SEARCH.scalars::<f32>(10, 2, 1);
    let mut memory = [0.0f32; SCALARS];
    assert!(EntropySearch::new(&mut memory, 48, 128, 5).is_ok());
    assert!(EntropySearch::new(&mut memory[1..], 48, 128, 5).is_err());
    let scalars = |policy: Policy| vec![0.0f64; policy.scalars::<f64>(10, 2, 1)];
    assert!(PredictiveEntropy::new(&mut scalars(Policy::PREDICTIVE_ENTROPY), 64, 128).is_ok());
    assert!(MaxValue::new(&mut scalars(Policy::MAX_VALUE), 64, 16).is_ok());
    assert!(Thompson::new(&mut scalars(Policy::THOMPSON), 128).is_ok());
    assert!(RffThompson::new(&mut scalars(Policy::SPECTRAL), 10, 2, 1, 128).is_ok());
    assert!(Knowledge::new(&mut scalars(Policy::KNOWLEDGE), 64).is_ok());
    assert_eq!(Policy::Hedge.scalars::<f64>(10, 2, 1), 0);
}

/// In single precision, with more representers than the process can tell apart, every score is near that in double.
#[test]
fn single_precision_is_sensible() {
    fn scores<R: Real>() -> [Vec<f64>; 5] {
        let cast = |v: &[f64]| v.iter().map(|&v| R::of(v)).collect::<Vec<R>>();
        let (x, y) = (cast(&[0.05, 0.4, 0.95]), cast(&[0.3, -0.4, 0.5]));
        let (points, tried) = (cast(&grid(33)), cast(&grid(12)));
        curve(&x, &y, |model, tape, theta| {
            let mut memory = vec![R::ZERO; 20_000];
            let noise = R::of(NOISE);
            let mut all: [Vec<f64>; 5] = Default::default();
            let mut search = EntropySearch::new(&mut memory, 33, 400, 8).unwrap();
            search.prepare(model, &points, noise, &mut Generator::new(1)).unwrap();
            all[0] = tried.iter().map(|&x| search.score(model, &[x]).unwrap().to_f64()).collect();
            let mut search = PredictiveEntropy::new(&mut memory, 33, 400).unwrap();
            search.prepare(model, &points, noise, R::of(-0.4), &mut Generator::new(1)).unwrap();
            all[1] = tried.iter().map(|&x| search.score(model, &[x]).unwrap().to_f64()).collect();
            let mut search = MaxValue::new(&mut memory, 33, 400).unwrap();
            search.prepare(model, &points, Minima::Joint, R::of(-0.4), &mut Generator::new(1)).unwrap();
            all[2] = tried.iter().map(|&x| search.score(model, &[x]).unwrap().to_f64()).collect();
            let mut search = Knowledge::new(&mut memory, 33).unwrap();
            search.prepare(model, &points, noise).unwrap();
            all[3] = tried.iter().map(|&x| search.score(model, &[x]).unwrap().to_f64()).collect();
            let mut search = MaxValue::new(&mut memory, 33, 400).unwrap();
            search.prepare(model, &points, Minima::Gumbel, R::of(-0.4), &mut Generator::new(1)).unwrap();
            all[4] = tried.iter().map(|&x| search.score(model, &[x]).unwrap().to_f64()).collect();
            // Draws of their own: numbers are all that can be asked for.
            let mut draw = Thompson::new(&mut memory, 33).unwrap();
            draw.prepare(model, &points, &mut Generator::new(1)).unwrap();
            assert!(tried.iter().all(|&x| draw.score(model, &[x]).unwrap() > -R::MAX));
            let data = rff_thompson::Data { x: &x, y: &y, known: &[], noise, trend: Trend::Zero, beta: &[] };
            let mut path = RffThompson::new(&mut memory, 3, 1, 0, 64).unwrap();
            path.prepare(tape, theta, &data, &mut Generator::new(1)).unwrap();
            assert!((path.value(&x[1..2]).to_f64() + 0.4).abs() < 0.01);
            all
        })
    }
    let (double, single) = (scores::<f64>(), scores::<f32>());
    // The draws differ (another uniform number, another jitter): four standard errors of 400 draws of spread below 1; the
    // knowledge gradient and Gumbel's quartiles have no such excuse, but Gumbel's draws do.
    for (i, bound) in [0.2, 0.2, 0.2, 1e-3, 0.2].into_iter().enumerate() {
        for (a, b) in double[i].iter().zip(&single[i]) {
            assert!((a - b).abs() < bound, "{i} {:?} {:?}", double[i], single[i]);
        }
    }
}

/// Two valleys of different depth; the lowest value on the grid is near x = 0.74.
fn function(x: f64) -> f64 {
    (9.0 * x - 0.5).sin() * (0.6 + 0.5 * x) + 0.3 * (x - 0.5).powi(2)
}

/// The place of the highest score on the grid.
fn highest(grid: &[f64], mut score: impl FnMut(&[f64]) -> f64) -> usize {
    let scores: Vec<f64> = grid.iter().map(|&x| score(&[x])).collect();
    (0..grid.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
}

/// What each rule of the portfolio would try.
fn nominees(model: &mut dyn Surrogate<f64>, points: &[f64], best: f64) -> [f64; 3] {
    portfolio::members::<f64>()
        .map(|rule| points[highest(points, |x| rule.score(model.predict(x).unwrap(), best))])
}

/// One proposal of a policy.
fn propose(
    policy: Policy,
    model: &mut dyn Surrogate<f64>,
    (tape, theta): (Tape<'_>, &[f64]),
    (x, y): (&[f64], &[f64]),
    points: &[f64],
    kept: &mut [f64],
    generator: &mut Generator,
) -> f64 {
    let coarse = grid(41);
    let best = y.iter().copied().fold(f64::INFINITY, f64::min);
    let mut memory = vec![0.0; policy.scalars::<f64>(x.len(), 1, 0)];
    let chosen = match policy {
        Policy::EntropySearch { draws, fantasies, .. } => {
            let mut search = EntropySearch::new(&mut memory, 41, draws as usize, fantasies as usize).unwrap();
            search.prepare(model, &coarse, NOISE, generator).unwrap();
            highest(points, |x| search.score(model, x).unwrap())
        }
        Policy::PredictiveEntropy { draws, .. } => {
            let mut search = PredictiveEntropy::new(&mut memory, 41, draws as usize).unwrap();
            search.prepare(model, &coarse, NOISE, best, generator).unwrap();
            highest(points, |x| search.score(model, x).unwrap())
        }
        Policy::MaxValue { draws, minima, .. } => {
            let mut search = MaxValue::new(&mut memory, 41, draws as usize).unwrap();
            search.prepare(model, &coarse, minima, best, generator).unwrap();
            highest(points, |x| search.score(model, x).unwrap())
        }
        Policy::Thompson { .. } => {
            let mut search = Thompson::new(&mut memory, points.len()).unwrap();
            search.prepare(model, points, generator).unwrap();
            highest(points, |x| search.score(model, x).unwrap())
        }
        Policy::Spectral { features } => {
            let mut path = RffThompson::new(&mut memory, x.len(), 1, 0, features as usize).unwrap();
            let data = rff_thompson::Data { x, y, known: &[], noise: NOISE, trend: Trend::Zero, beta: &[] };
            path.prepare(tape, theta, &data, generator).unwrap();
            highest(points, |x| path.score(model, x).unwrap())
        }
        Policy::Knowledge { .. } => {
            let mut search = Knowledge::new(&mut memory, 41).unwrap();
            search.prepare(model, &coarse, NOISE).unwrap();
            highest(points, |x| search.score(model, x).unwrap())
        }
        Policy::Hedge => {
            let mut hedge = Hedge::attach(kept, 3, 1, 1.0).unwrap();
            hedge.book(model).unwrap();
            let nominees = nominees(model, points, best);
            return nominees[hedge.choose(&nominees, generator).unwrap()];
        }
        Policy::Portfolio { draws, fantasies, .. } => {
            let nominees = nominees(model, points, best);
            let mut search = EntropySearch::new(&mut memory, 41, draws as usize, fantasies as usize).unwrap();
            search.prepare(model, &coarse, NOISE, generator).unwrap();
            let mut sums = [0.0; 3];
            portfolio::add_scores(&mut search, model, &nominees, 1.0, &mut sums).unwrap();
            return nominees[portfolio::best(&sums).unwrap()];
        }
        _ => highest(points, |x| portfolio::members::<f64>()[1].score(model.predict(x).unwrap(), best)),
    };
    points[chosen]
}

/// The value where the mean is lowest after 20 evaluations, and what was tried: policies that look for information need
/// not try the minimum itself.
fn run(policy: Policy, seed: u64) -> (f64, Vec<f64>) {
    let points = grid(101);
    let mut generator = Generator::new(seed);
    let mut kept = vec![0.0; Hedge::<f64>::scalars(3, 1)];
    let mut x: Vec<f64> = (0..3).map(|_| points[rng::below(&mut generator, 101) as usize]).collect();
    let values = |x: &[f64]| x.iter().map(|&x| function(x)).collect::<Vec<f64>>();
    while x.len() < 20 {
        let y = values(&x);
        let next = curve(&x, &y, |model, tape, theta| {
            propose(policy, model, (tape, theta), (&x, &y), &points, &mut kept, &mut generator)
        });
        x.push(next);
    }
    let chosen = curve(&x, &values(&x), |model, _, _| highest(&points, |x| -model.predict(x).unwrap().mean));
    (function(points[chosen]), x)
}

#[test]
fn every_policy_finds_the_minimum() {
    let lowest = grid(101).into_iter().map(function).fold(f64::INFINITY, f64::min);
    for policy in Policy::ALL {
        let runs = [1, 2, 3, 3].map(|seed| run(policy, seed));
        for (found, tried) in &runs {
            assert!(found - lowest < 0.01, "{policy:?} {found} {lowest} {tried:?}");
        }
        assert_eq!(runs[2], runs[3]);
    }
}
