//! What branches offer is compared on one scale.

extern crate std;
use std::vec::Vec;

use super::{SINGLE, lean, parts, quick};
use crate::Transform;
use crate::acquisition::{Acquisition, Prediction};
use crate::config::{Branching, Config, Strategy};
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::real::Real;
use crate::space::{Condition, Param, Space, When};

/// Expected improvement by Simpson's rule.
fn improvement(best: f64, mean: f64, variance: f64) -> f64 {
    let (s, n) = (variance.sqrt(), 20_000);
    let (lo, hi) = (mean - 12.0 * s, best.min(mean + 12.0 * s));
    let h = (hi - lo) / f64::from(n);
    let f = |y: f64| {
        let z = (y - mean) / s;
        (best - y) * (-0.5 * z * z).exp() / (s * core::f64::consts::TAU.sqrt())
    };
    let inner = |k: i32| f(lo + h * f64::from(k)) * if k % 2 == 1 { 4.0 } else { 2.0 };
    if hi <= lo { 0.0 } else { h / 3.0 * (f(lo) + f(hi) + (1..n).map(inner).sum::<f64>()) }
}

/// Two branches that see the same function, the second of them higher by `shift`; what each offers.
fn offers(shift: f64, own_minimum: bool, transform: Transform) -> [(f64, f64, Prediction<f64>); 2] {
    let params = [Param::categorical(2), Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let limits = Limits::new(3, 20).conditions(2, 0).branching(2, 0);
    let noise = crate::Noise::fixed(1e-6);
    let config = quick().with(|c| {
        c.targets = transform;
        c.surrogate.noise = noise;
        c.proposal.acquisition = Acquisition::Improvement { margin: 0.0 };
    });
    let strategy = Strategy::Single(Branching { parameter: 0, start: 3, own_minimum });
    let config = Config { strategy, ..config };
    let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    for x in [0.05, 0.3, 0.55, 0.95] {
        let y: f64 = (6.0 * x).sin() + x;
        optimizer.observe(&[0.0, x, 0.0], y).unwrap();
        optimizer.observe(&[1.0, 0.0, x], y + shift).unwrap();
    }
    let mut front = parts(&mut optimizer);
    front.settle_scale().unwrap();
    front.pick_per_branch(&mut crate::Plain).unwrap();
    [0, 1].map(|branch| {
        let worth = front.record(branch).worth();
        let (mut optimizer, proposal, inner) = front.optimizer_and_proposal(branch).unwrap();
        let at = proposal[0];
        inner[0] = at;
        (worth, at, optimizer.predict(inner).unwrap())
    })
}

#[test]
fn branches_are_compared_on_one_scale() {
    // As the values are: what a branch offers is the improvement on the best value of both.
    let low = (6.0f64 * 0.05).sin() + 0.05;
    for shift in [0.0, 0.2, 0.5] {
        let [first, second] = offers(shift, false, Transform::None);
        for (worth, _, prediction) in [first, second] {
            let expected = improvement(low, prediction.mean, prediction.variance);
            assert!((worth - expected).abs() < 1e-6 * (1.0 + expected), "{shift}: {worth} {expected}");
        }
        if shift > 0.0 {
            assert!(second.0 < first.0, "{first:?} {second:?}");
        }
    }
    // Lifting a branch lifts its mean and leaves its deviation, so that its improvement falls just so far.
    let (still, lifted) = (offers(0.0, false, Transform::None)[1], offers(0.5, false, Transform::None)[1]);
    let moved = improvement(low, still.2.mean + 0.5, still.2.variance);
    assert!(lifted.0 >= 0.99 * moved && lifted.0 < still.0, "{lifted:?} {moved}");
    // Measured against their own minima, it does not matter how high a branch lies.
    let [first, second] = offers(0.5, true, Transform::None);
    assert!((first.0 - second.0).abs() < 0.02 * first.0, "{first:?} {second:?}");
    // Standardised, improvements are those of the values over one deviation, the same for both.
    let values: Vec<f64> = [0.05f64, 0.3, 0.55, 0.95]
        .into_iter()
        .flat_map(|x| [(6.0 * x).sin() + x, (6.0 * x).sin() + x + 0.5])
        .collect();
    let mean = values.iter().sum::<f64>() / 8.0;
    let deviation = (values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 8.0).sqrt();
    for (worth, _, prediction) in offers(0.5, false, Transform::Standard) {
        let expected = improvement(low, prediction.mean, prediction.variance) / deviation;
        assert!((worth - expected).abs() < 1e-6 * (1.0 + expected), "{worth} {expected}");
    }
}

/// Values that are further apart than the range goes have a variance at its end, not beyond.
#[test]
fn a_branch_of_one_configuration_has_a_variance_in_range() {
    let params = [Param::categorical(2)];
    let space = Space::new(&params, &[]).unwrap();
    let (config, limits) = (lean(2, SINGLE, &quick()), Limits::new(1, 4).branching(2, 0));
    let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    for value in [f64::MAX, -f64::MAX] {
        optimizer.observe(&[0.0], value).unwrap();
    }
    let Prediction { mean, variance } = optimizer.predict(&[0.0]).unwrap();
    assert!(mean == 0.0 && variance == f64::MAX, "{mean} {variance}");
    assert_eq!(optimizer.recommend().unwrap().1.variance, f64::MAX);
}
