//! What sources change in what an optimizer says of its model.

use std::vec;
use std::vec::Vec;

use super::helped::{params, source, source_in, transfers, valley, valleys};
use crate::error::Error;
use crate::limits::Limit;
use crate::space::Domain;
use crate::transfer::{Form, How, Sources, Start, Transfer, Weights, distance, epanechnikov, ktrc};
use crate::{Condition, Config, Optimizer, Param, Plain, Prediction, Space, State, Transform, Trial, When};

type Run = Optimizer<f64, Vec<u64>>;

/// Told points all over the space.
const TOLD: [[f64; 2]; 7] =
    [[0.1, 0.0], [0.3, 1.0], [0.45, 2.0], [0.5, 1.0], [0.65, 0.0], [0.9, 1.0], [0.95, 2.0]];

fn with_config(config: &Config<'_>, trials: u32) -> Run {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let limits = space.limits(trials).sources(4).source_rows(21).suit(config);
    Optimizer::with_limits(&space, config, limits).unwrap()
}

fn run(transfer: Transfer) -> Run {
    with_config(&Config { seed: 5, transfer, ..Config::default() }, 12)
}

fn tell(run: &mut Run, points: &[[f64; 2]], of: impl Fn(&[f64]) -> f64) {
    for point in points {
        run.observe(point, of(point)).unwrap();
    }
}

fn of(how: How) -> Transfer {
    Transfer { how, ..Transfer::default() }
}

fn bits(Prediction { mean, variance }: Prediction<f64>) -> [u64; 2] {
    [mean.to_bits(), variance.to_bits()]
}

fn answer((trial, prediction): (Trial<'_, f64>, Prediction<f64>)) -> (Vec<f64>, [u64; 2]) {
    (trial.point.to_vec(), bits(prediction))
}

/// A mesh over the space.
fn mesh() -> impl Iterator<Item = [f64; 2]> {
    (0..33).map(|i| [f64::from(i / 3) / 10.0, f64::from(i % 3)])
}

/// A point of the unit cube.
fn unit(point: &[f64]) -> [f64; 2] {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    let mut unit = [0.0; 2];
    Domain::attach::<f64>(&words).unwrap().check_point(point, &mut unit).unwrap();
    unit
}

/// Without sources, with those that say nothing, and where they leave the model as it is: the same words afterwards, too.
#[test]
fn the_plain_verbs_are_those_without_sources() {
    let (words, flat) = (valleys(), source(|_| 0.5, &[1.0, 2.0]));
    for transfer in transfers() {
        let mut told = run(transfer);
        for count in 0..5 {
            let mut lists = vec![&[][..], &flat];
            lists.extend((!transfer.how.moves_model() || count < 2).then_some(&words[..]));
            for words in lists {
                let sources = Sources::attach(words).unwrap().with_features(&[0.75, 1.0]).unwrap();
                let (mut plain, mut other) = (told.clone(), told.clone());
                let one = plain.recommend().map(answer);
                assert_eq!(one, other.recommend_from(&sources, &mut Plain).map(answer), "{transfer:?}");
                let one = plain.predict(&[0.4, 1.0]).map(bits);
                assert_eq!(one.is_err(), count < 2);
                let theirs = other.predict_from(&sources, &mut Plain, &[0.4, 1.0]).map(bits);
                // What has no unit has none before there is a model, either.
                let ranks = transfer.how == How::Ranker && words.len() > flat.len();
                assert_eq!(theirs, if ranks { Err(Error::Unsupported) } else { one }, "{transfer:?}");
                assert!(plain.words() == other.words(), "{transfer:?}");
            }
            let point = TOLD[count];
            told.observe(&point, valley(&point, 0.3)).unwrap();
        }
    }
}

/// What is told, its range, and what sources say of a point: their means at the told points are ranked, and weighed by hand.
struct Hand {
    lo: f64,
    hi: f64,
    means: Vec<f64>,
    variances: Vec<f64>,
    weights: Vec<f64>,
}

impl Hand {
    fn new(words: &[u64], values: &[f64], at: &[f64], rho: f64) -> Self {
        let (lo, hi) = values.iter().fold((f64::MAX, f64::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        let mut own = Self { lo, hi, means: vec![], variances: vec![], weights: vec![] };
        let units: Vec<f64> = TOLD.iter().flat_map(|point| unit(point)).collect();
        let mut work = vec![0.0; 4096];
        for source in Sources::<f64>::attach(words).unwrap().iter() {
            let mut means = vec![0.0; TOLD.len()];
            source.means(&units, &mut means, &mut work).unwrap();
            own.weights.push(epanechnikov(ktrc(values, &means).unwrap() / rho));
            let prediction = source.predict(&unit(at), &mut work).unwrap();
            own.means.push(lo + (hi - lo) * prediction.mean);
            own.variances.push((hi - lo).powi(2) * prediction.variance);
        }
        own
    }
}

/// By the formulas, from what the plain model and each source say: (w₀m₀ + Σ wᵢmᵢ)/(w₀ + Σ wᵢ), the variance that of the model; and
/// the product of densities. Also after an affine scaling of the targets, which changes the model and not the formula.
#[test]
fn mixtures_are_those_of_their_parts() {
    let words = [valleys(), source(|x| -valley(x, 0.7), &[0.0, 1.0])].concat();
    let sources = Sources::attach(&words).unwrap();
    let values: Vec<f64> = TOLD.iter().map(|point| 3.0 + 5.0 * valley(point, 0.55)).collect();
    for targets in [Transform::None, Transform::Standard] {
        let (rho, own) = (0.6, 0.75);
        for weights in [Weights::Ranks { rho }, Weights::Experts] {
            let transfer = of(How::Stage(weights));
            let mut told = with_config(&Config { seed: 5, transfer, targets, ..Config::default() }, 12);
            tell(&mut told, &TOLD, |point| 3.0 + 5.0 * valley(point, 0.55));
            for at in mesh() {
                let plain = told.predict(&at).unwrap();
                let ours = told.predict_from(&sources, &mut Plain, &at).unwrap();
                let hand = Hand::new(&words, &values, &at, rho);
                assert!(hand.weights.iter().any(|&w| w > 0.0) && hand.weights.contains(&0.0));
                let expected = if weights == Weights::Experts {
                    let least = 1e-12 * (hand.hi - hand.lo).powi(2);
                    let precision = |variance: f64| 1.0 / variance.max(least);
                    let total =
                        precision(plain.variance) + hand.variances.iter().map(|&v| precision(v)).sum::<f64>();
                    let sum = plain.mean * precision(plain.variance)
                        + hand.means.iter().zip(&hand.variances).map(|(m, &v)| m * precision(v)).sum::<f64>();
                    Prediction { mean: sum / total, variance: (sources.len() + 1) as f64 / total }
                } else {
                    let total = own + hand.weights.iter().sum::<f64>();
                    let sum = own * plain.mean
                        + hand.means.iter().zip(&hand.weights).map(|(m, w)| m * w).sum::<f64>();
                    Prediction { mean: sum / total, variance: plain.variance }
                };
                assert!((ours.mean - expected.mean).abs() < 1e-9, "{weights:?} {ours:?} {expected:?}");
                // A difference of nearly equal numbers, on another scale.
                let close = 1e-9 + 1e-6 * expected.variance;
                assert!(
                    (ours.variance - expected.variance).abs() < close,
                    "{weights:?} {ours:?} {expected:?}"
                );
            }
        }
    }
}

/// Weights that add up to 1: between the least and the most that the model and a source say.
#[test]
fn an_ensemble_lies_between_its_members() {
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    let values: Vec<f64> = TOLD.iter().map(|point| valley(point, 0.62)).collect();
    let (transfer, targets) = (of(How::Stage(Weights::Sampled { draws: 64 })), Transform::Standard);
    let mut told = with_config(&Config { seed: 5, transfer, targets, ..Config::default() }, 12);
    tell(&mut told, &TOLD, |point| valley(point, 0.62));
    let mut moved = 0;
    for at in mesh() {
        let plain = told.predict(&at).unwrap();
        let ours = told.predict_from(&sources, &mut Plain, &at).unwrap();
        let hand = Hand::new(&words, &values, &at, 1.0);
        let all = hand.means.iter().chain([&plain.mean]);
        let (lo, hi) = all.fold((f64::MAX, f64::MIN), |(lo, hi), &m| (lo.min(m), hi.max(m)));
        assert!(
            lo - 1e-9 <= ours.mean && ours.mean <= hi + 1e-9,
            "{at:?} {ours:?} {plain:?} {:?}",
            hand.means
        );
        moved += u32::from((ours.mean - plain.mean).abs() > 1e-6);
    }
    assert!(moved > 20, "{moved}");
}

/// Three values of the function of a source, moved and stretched: what is not told is much nearer than without it.
#[test]
fn a_twin_as_the_prior_knows_the_rest() {
    let words = source(|x| valley(x, 0.6), &[0.5, 1.0]);
    let sources = Sources::attach(&words).unwrap();
    let of_run = |point: &[f64]| 7.0 + 1.5 * valley(point, 0.6);
    let mut told = run(of(How::Prior));
    tell(&mut told, &[[0.2, 0.0], [0.8, 1.0], [0.5, 2.0]], of_run);
    let (mut with, mut without) = (0.0, 0.0);
    for at in mesh() {
        let truth = of_run(&at);
        with += (told.predict_from(&sources, &mut Plain, &at).unwrap().mean - truth).powi(2);
        without += (told.predict(&at).unwrap().mean - truth).powi(2);
    }
    assert!(with < 0.05 * without, "{with} {without}");
    // At a told point it is what was told.
    let there = told.predict_from(&sources, &mut Plain, &[0.8, 1.0]).unwrap();
    assert!((there.mean - of_run(&[0.8, 1.0])).abs() < 0.02, "{there:?}");
}

/// A prior speaks in values: all of them moved, it moves along; all of them and the sources stretched, it stretches; the transform of
/// the plain model does not matter.
#[test]
fn a_prior_has_the_units_of_the_values() {
    let stretched = |by: f64| source(move |x| by * valley(x, 0.6), &[0.5, 1.0]);
    let at = [0.7, 1.0];
    let ask = |targets, words: &[u64], of_run: &dyn Fn(&[f64]) -> f64| {
        let transfer = of(How::Prior);
        let mut told = with_config(&Config { seed: 5, transfer, targets, ..Config::default() }, 12);
        tell(&mut told, &TOLD[..5], of_run);
        told.predict_from(&Sources::attach(words).unwrap(), &mut Plain, &at).unwrap()
    };
    let base = ask(Transform::Standard, &stretched(1.0), &|x| valley(x, 0.7));
    let moved = ask(Transform::Standard, &stretched(1.0), &|x| valley(x, 0.7) - 32.0);
    assert!((moved.mean - (base.mean - 32.0)).abs() < 1e-6, "{moved:?} {base:?}");
    assert!((moved.variance / base.variance - 1.0).abs() < 1e-6, "{moved:?} {base:?}");
    // By a power of 2, so that the source is the same but for its range.
    let wide = ask(Transform::Standard, &stretched(8.0), &|x| 8.0 * valley(x, 0.7));
    assert!((wide.mean - 8.0 * base.mean).abs() < 1e-6, "{wide:?} {base:?}");
    assert!((wide.variance / (64.0 * base.variance) - 1.0).abs() < 1e-6, "{wide:?} {base:?}");
    let ranked = ask(Transform::Rank, &stretched(1.0), &|x| valley(x, 0.7));
    assert_eq!(bits(ranked), bits(base));
}

/// Hows that have a model with a unit.
fn moving() -> [How; 4] {
    let stages = [Weights::Ranks { rho: 0.6 }, Weights::Experts, Weights::Sampled { draws: 16 }];
    let [ranks, experts, sampled] = stages.map(How::Stage);
    [ranks, experts, sampled, How::Prior]
}

#[test]
fn the_recommended_trial_is_that_of_the_lowest_mean() {
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    for how in moving() {
        for targets in [Transform::Standard, Transform::Power] {
            let transfer = of(how);
            let mut told = with_config(&Config { seed: 5, transfer, targets, ..Config::default() }, 12);
            // Noise, so that the lowest value is not the lowest mean.
            tell(&mut told, &TOLD, |x| valley(x, 0.7) + 0.3 * (40.0 * x[0]).sin());
            let failed = told.ask_from(&sources, &mut Plain, &mut [0.0; 2]).unwrap();
            told.fail(failed.id).unwrap();
            let open = told.ask_from(&sources, &mut Plain, &mut [0.0; 2]).unwrap();
            let mut each: Vec<(Vec<f64>, Prediction<f64>)> = Vec::new();
            for point in TOLD {
                let prediction = told.predict_from(&sources, &mut Plain, &point).unwrap();
                each.push((point.to_vec(), prediction));
            }
            let lowest = each.iter().min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).unwrap();
            let recommended = told.recommend_from(&sources, &mut Plain).map(answer).unwrap();
            assert_eq!(recommended, (lowest.0.clone(), bits(lowest.1)), "{how:?} {targets:?}");
            assert!(told.trials().any(|trial| trial.id == open.id && trial.state == State::Open));
        }
    }
}

/// Open trials are believed by asks, not by looks; the list is noted by asks, not by looks; and what follows a look is what would have
/// followed without.
#[test]
fn a_look_is_only_a_look() {
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    for how in moving() {
        let mut told = run(of(how));
        tell(&mut told, &TOLD, |x| valley(x, 0.7));
        let mut looked = told.clone();
        looked.predict_from(&sources, &mut Plain, &[0.5, 1.0]).unwrap();
        looked.recommend_from(&sources, &mut Plain).unwrap();
        assert_eq!(looked.sources(), 0);
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        let one = told.ask_from(&sources, &mut Plain, &mut a).unwrap();
        let two = looked.ask_from(&sources, &mut Plain, &mut b).unwrap();
        assert_eq!((a, one.acquisition.to_bits()), (b, two.acquisition.to_bits()), "{how:?}");
        assert_eq!(looked.sources(), sources.fingerprint());
        looked.predict(&[0.5, 1.0]).unwrap();
        looked.predict_from(&Sources::default(), &mut Plain, &[0.5, 1.0]).unwrap();
        assert_eq!(looked.sources(), sources.fingerprint());
        let with = looked.predict_from(&sources, &mut Plain, &[0.5, 1.0]).unwrap();
        looked.forget(two.id).unwrap();
        let without = looked.predict_from(&sources, &mut Plain, &[0.5, 1.0]).unwrap();
        assert_eq!(bits(with), bits(without), "{how:?}");
    }
}

#[test]
fn looks_with_what_does_not_fit_are_refused_and_change_nothing() {
    let words = valleys();
    let sources = Sources::<f64>::attach(&words).unwrap();
    let [params, others] = [params(), [Param::real(0.0, 2.0), Param::categorical(3)]];
    let [space, other] = [&params, &others].map(|params| Space::new(params, &[]).unwrap());
    let refused = |space: &Space<'_>, transfer: Transfer, most: u32, sources: &Sources<'_, f64>| {
        let config = Config { transfer, ..Config::default() };
        let limits = space.limits(9).sources(most).suit(&config);
        let mut told = Run::with_limits(space, &config, limits).unwrap();
        tell(&mut told, &TOLD, |x| valley(x, 0.7));
        let before = told.words().to_vec();
        let error = told.predict_from(sources, &mut Plain, &[0.5, 1.0]).unwrap_err();
        assert!(told.words() == before);
        if error != Error::Unsupported {
            assert_eq!(told.recommend_from(sources, &mut Plain).unwrap_err(), error);
            assert!(told.words() == before);
        }
        error
    };
    let needed = refused(&space, Transfer::default(), 2, &sources);
    assert!(matches!(needed, Error::Limits(need) if need.limit() == Limit::Sources));
    assert_eq!(refused(&other, Transfer::default(), 3, &sources), Error::Foreign);
    let by_features = Transfer { start: Start::Nearest, ..Transfer::default() };
    assert_eq!(refused(&space, by_features, 3, &sources), Error::Shape { needed: 2 });
    // Predictions of a ranker have no unit, sources of means no variance.
    assert_eq!(refused(&space, of(How::Ranker), 3, &sources), Limit::SourceRows.refuse(21));
    let means = source_in(Form::Means, |x| valley(x, 0.6), &[]);
    let means = Sources::attach(&means).unwrap();
    let experts = of(How::Stage(Weights::Experts));
    let mut told = run(experts);
    tell(&mut told, &TOLD, |x| valley(x, 0.7));
    assert_eq!(told.predict_from(&means, &mut Plain, &[0.5, 1.0]).unwrap_err(), Error::Unsupported);
    assert_eq!(told.recommend_from(&means, &mut Plain).unwrap_err(), Error::Unsupported);
    let mut ranker = run(of(How::Ranker));
    tell(&mut ranker, &TOLD, |x| valley(x, 0.7));
    let before = ranker.words().to_vec();
    assert_eq!(ranker.predict_from(&sources, &mut Plain, &[0.5, 1.0]).unwrap_err(), Error::Unsupported);
    assert!(ranker.words() == before);
    assert_eq!(ranker.predict_from(&sources, &mut Plain, &[0.5]).unwrap_err(), Error::Shape { needed: 2 });
}

/// All told values the same: they have no scale of their own, and every answer is finite.
#[test]
fn looks_at_equal_values_are_finite() {
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    for how in moving() {
        let mut told = run(of(how));
        tell(&mut told, &TOLD, |_| 4.0);
        for at in mesh() {
            let Prediction { mean, variance } = told.predict_from(&sources, &mut Plain, &at).unwrap();
            assert!(mean.is_finite() && variance.is_finite() && variance >= 0.0, "{how:?} {mean} {variance}");
        }
        assert!(told.recommend_from(&sources, &mut Plain).unwrap().1.mean.is_finite());
    }
}

/// Infinite across categories and branches; over what does not matter to either it is nothing.
#[test]
fn distances_are_infinite_across_branches() {
    let params = [Param::categorical(2), Param::real(0.0, 10.0), Param::real(0.0, 1.0), Param::integer(1, 5)];
    let conditions =
        [Condition::new(1, 0, When::Equals(0.0)), Condition::new(3, 2, When::Between(0.55, 1.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    let domain = Domain::attach::<f64>(&words).unwrap();
    let between = |one: [f64; 4], other: [f64; 4]| {
        let [mut a, mut b] = [[0.0; 4]; 2];
        domain.check_point(&one, &mut a).unwrap();
        domain.check_point(&other, &mut b).unwrap();
        let own = distance(domain, &a, &b).unwrap();
        assert_eq!(own, distance(domain, &b, &a).unwrap());
        own
    };
    let none = f64::NAN;
    assert_eq!(between([1.0, none, 0.2, none], [1.0, none, 0.2, none]), 0.0);
    // 3 of 10, 0.4 of 1.
    assert!((between([0.0, 2.0, 0.1, none], [0.0, 5.0, 0.5, none]) - 0.5).abs() < 1e-12);
    assert_eq!(between([0.0, 2.0, 0.1, none], [1.0, none, 0.1, none]), f64::INFINITY);
    // Of the same category, but a number matters to one of them alone.
    assert_eq!(between([1.0, none, 0.4, none], [1.0, none, 0.6, 3.0]), f64::INFINITY);
    assert!((between([1.0, none, 0.6, 1.0], [1.0, none, 0.6, 5.0]) - 0.8).abs() < 1e-12);
    assert_eq!(distance(domain, &[0.0; 3], &[0.0; 4]).unwrap_err(), Error::Shape { needed: 4 });
    assert_eq!(distance(domain, &[0.0; 4], &[f64::NAN; 4]).unwrap_err(), Error::NotFinite);
}
