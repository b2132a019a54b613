//! What sources do for an optimizer.

use std::vec;
use std::vec::Vec;

use crate::block::Header;
use crate::error::Error;
use crate::limits::Limit;
use crate::surrogate::{AcquisitionFunction, Surrogate};
use crate::transfer::knowledge::{Count, Knowledge, OWN, Past, Seen, Told};
use crate::transfer::learnt::loss;
use crate::transfer::prior::{Informed, Prior, scalars as prior_scalars};
use crate::transfer::{Form, How, Near, Sources, Start, Transfer, Weights};
use crate::{Config, Limits, Optimizer, Origin, Param, Plain, Space, Trial};

const STARTS: [Start; 6] = Start::ALL;

pub(super) fn params() -> [Param<'static>; 2] {
    [Param::real(0.0, 1.0), Param::categorical(3)]
}

/// A valley at `valley`, which lies lower in the second category.
pub(super) fn valley(point: &[f64], valley: f64) -> f64 {
    (point[0] - valley).powi(2) + if point[1] == 1.0 { 0.0 } else { 0.2 }
}

/// A source of a function, on a mesh, with its variances.
pub(super) fn source(of: impl Fn(&[f64]) -> f64, features: &[f64]) -> Vec<u64> {
    source_in(Form::Full, of, features)
}

pub(super) fn source_in(form: Form, of: impl Fn(&[f64]) -> f64, features: &[f64]) -> Vec<u64> {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let mut run = Optimizer::<f64, _>::with_limits(&space, &Config::default(), space.limits(21)).unwrap();
    for i in 0..21 {
        let point = [f64::from(i / 3) / 6.0, f64::from(i % 3)];
        run.observe(&point, of(&point)).unwrap();
    }
    let size = run.source_size(form, features.len()).unwrap();
    let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    run.export(form, features, &mut work, &mut words).unwrap();
    words
}

/// Three valleys in a row.
pub(super) fn valleys() -> Vec<u64> {
    [0.6, 0.7, 0.8].into_iter().flat_map(|at| source(|x| valley(x, at), &[at, 1.0])).collect()
}

pub(super) fn transfers() -> impl Iterator<Item = Transfer> {
    let rules = [Weights::Features { rho: 0.8 }, Weights::Ranks { rho: 0.3 }];
    let stages = rules
        .into_iter()
        .chain([Weights::Experts, Weights::Sampled { draws: 16 }])
        .flat_map(|rule| [How::Stage(rule), How::Value(rule)]);
    let hows: Vec<How> = How::ALL.into_iter().chain(stages).collect();
    hows.into_iter().flat_map(|how| {
        STARTS
            .into_iter()
            .flat_map(move |start| [1.0, 0.2].map(|keep| Transfer { start, trials: 3, how, keep }))
    })
}

/// What a run asks for, and where each comes from.
fn run(transfer: Transfer, words: &[u64], trials: usize, target: f64) -> Vec<(Vec<f64>, Origin)> {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let config = Config { seed: 5, transfer, ..Config::default() };
    let limits = space.limits(trials as u32).sources(8).source_rows(21).suit(&config);
    let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    let sources = Sources::attach(words).unwrap().with_features(&[0.75, 1.0]).unwrap();
    let mut asked = Vec::new();
    for _ in 0..trials {
        let mut point = vec![0.0; 2];
        let ask = optimizer.ask_from(&sources, &mut Plain, &mut point).unwrap();
        optimizer.tell(ask.id, valley(&point, target)).unwrap();
        asked.push((point, ask.origin));
    }
    assert_eq!(optimizer.sources(), sources.fingerprint());
    asked
}

#[test]
fn without_sources_it_is_plain_search() {
    let flat = [source(|_| 0.5, &[1.0, 2.0]), source(|_| 0.0, &[0.5, 2.0])].concat();
    let plain = run(Transfer::default(), &[], 10, 0.3);
    for transfer in transfers() {
        assert_eq!(run(transfer, &[], 10, 0.3), plain, "{transfer:?}");
        // Those that say nothing are none.
        assert_eq!(run(transfer, &flat, 10, 0.3), plain, "{transfer:?}");
    }
}

/// Beside others, sources that say nothing change no proposal: values that are all the same, and a single one.
#[test]
fn sources_that_say_nothing_change_no_proposal() {
    let words = valleys();
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let mut one = Optimizer::<f64, _>::with_limits(&space, &Config::default(), space.limits(1)).unwrap();
    one.observe(&[0.1, 0.0], 3.0).unwrap();
    let size = one.source_size(Form::Full, 2).unwrap();
    let (mut work, mut single) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    one.export(Form::Full, &[9.0, 3.0], &mut work, &mut single).unwrap();
    let flat = source(|_| 0.5, &[-4.0, 2.0]);
    let with = [&flat[..], &words, &single].concat();
    for transfer in transfers() {
        assert_eq!(run(transfer, &with, 9, 0.3), run(transfer, &words, 9, 0.3), "{transfer:?}");
    }
}

#[test]
fn sources_start_near_the_answer() {
    let words = valleys();
    for transfer in transfers().filter(|transfer| transfer.start != Start::Design) {
        let asked = run(transfer, &words, 8, 0.72);
        assert!(asked[..3].iter().all(|(_, origin)| *origin == Origin::Source), "{transfer:?}");
        assert!(asked[3..].iter().all(|(_, origin)| *origin == Origin::Model), "{transfer:?}");
        let best = asked.iter().map(|(point, _)| valley(point, 0.72)).fold(1.0, f64::min);
        let first = valley(&asked[0].0, 0.72);
        assert!(first < 0.05 && best < 4e-3, "{transfer:?} {first} {best}");
    }
}

/// α = 1 is the improvement alone, α = 0 the cover alone.
#[test]
fn the_two_ends_of_a_mixture() {
    let words = valleys();
    let of = |how, start| run(Transfer { start, trials: 3, how, keep: 1.0 }, &words, 9, 0.3);
    let one = of(How::Function { alpha: 1.0, growth: 0 }, Start::Design);
    // Without interleaved bounds, which are no improvements.
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let config =
        Config { seed: 5, ..Config::default() }.with(|c| c.proposal.interleave = crate::Interleave::NEVER);
    let mut plain = Optimizer::<f64, _>::with_limits(&space, &config, space.limits(9)).unwrap();
    for (point, _) in one {
        let mut own = [0.0; 2];
        let ask = plain.ask(&mut own).unwrap();
        assert_eq!(own[..], point);
        plain.tell(ask.id, valley(&own, 0.3)).unwrap();
    }
    // One after the other what the sources have their valleys at, whatever is told.
    let zero = of(How::Function { alpha: 0.0, growth: 0 }, Start::Design);
    assert!(
        zero[4..7].iter().all(|(point, _)| point[1] == 1.0 && (0.5..0.9).contains(&point[0])),
        "{zero:?}"
    );
}

/// Points on a mesh with the values that a function has there.
pub(super) fn with_past<T>(values: &[f64], then: impl FnOnce(&Past<'_, f64>) -> T) -> T {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let mut run = Optimizer::<f64, _>::with_limits(&space, &Config::default(), space.limits(1)).unwrap();
    run.observe(&[0.0, 1.0], 0.0).unwrap();
    let size = run.source_size(Form::Means, 0).unwrap();
    let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    run.export(Form::Means, &[], &mut work, &mut words).unwrap();
    let second = Sources::<f64>::attach(&words).unwrap().iter().next().unwrap().points()[1];
    let points: Vec<f64> = (0..values.len()).flat_map(|i| [i as f64 / 6.0, second]).collect();
    then(&Past { points: &points, seen: &|i| Seen::Told(values[i]) })
}

pub(super) fn knowledge<'k>(
    words: &'k [u64],
    features: &'k [f64],
    memory: &'k mut Vec<f64>,
) -> Knowledge<'k, f64> {
    memory.resize(Knowledge::<f64>::scalars(8, 32, 2, 8, 21), 0.0);
    let sources = Sources::attach(words).unwrap().with_features(features).unwrap();
    Knowledge::new(sources, 32, 8, memory).unwrap()
}

/// Before two values are told all sources count; a reversed one has no weight from the fifth on, a twin all of it.
#[test]
fn ranks_tell_twins_from_reversed_sources() {
    let words = [source(|x| valley(x, 0.7), &[]), source(|x| -valley(x, 0.7), &[])].concat();
    let told: Vec<f64> = (0..7).map(|i| valley(&[f64::from(i) / 6.0, 1.0], 0.7)).collect();
    for count in 0..=7 {
        let mut memory = Vec::new();
        let mut known = knowledge(&words, &[], &mut memory);
        let rule = Count::Ranks { rho: 0.9 };
        with_past(&told[..count], |past| known.read(rule, past)).unwrap();
        let expected = if count < 2 { [OWN, OWN] } else { [OWN, 0.0] };
        assert_eq!(*known.weights, expected, "{count}");
    }
}

/// The distance of meta-features that are scaled over all data sets: gaps 0.75, 0.25 and 0.25 of the range in the first, none in
/// the second.
#[test]
fn features_weigh_by_their_distance() {
    let words = valleys();
    let mut memory = Vec::new();
    let mut known = knowledge(&words, &[0.75, 1.0], &mut memory);
    with_past(&[], |past| known.read(Count::Features { rho: 1.0 }, past)).unwrap();
    for (weight, gap) in known.weights.iter().zip([0.75, 0.25, 0.25]) {
        assert!((weight - OWN * (1.0 - gap * gap)).abs() < 1e-9, "{weight}");
    }
}

#[test]
fn the_gradient_of_the_meta_loss_is_its_slope() {
    let words = valleys();
    let mut memory = Vec::new();
    let mut known = knowledge(&words, &[], &mut memory);
    for told in [&[][..], &[0.3, 0.2]] {
        with_past(told, |past| known.read(Count::All, past)).unwrap();
        let second = with_past(&[0.0], |past| past.points[1]);
        let points = [0.55, second, 0.74, second, 0.9, second];
        let (mut gradient, mut memory) = ([0.0; 6], [0.0; 8]);
        let value = loss(&mut known, &points, 2, &mut gradient, &mut memory).unwrap();
        assert!(value.is_finite());
        for i in [0, 2, 4] {
            let h = 1e-6;
            let mut at = |shift: f64| {
                let mut moved = points;
                moved[i] += shift;
                loss(&mut known, &moved, 2, &mut [0.0; 6], &mut [0.0; 8]).unwrap()
            };
            let slope = (at(h) - at(-h)) / (2.0 * h);
            assert!((gradient[i] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{i}: {} {slope}", gradient[i]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let words = valleys();
    let sources = Sources::<f64>::attach(&words).unwrap();
    let refused = |transfer: Transfer, limits: Limits, sources: &Sources<'_, f64>| {
        let config = Config { transfer, ..Config::default() };
        let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits.suit(&config))?;
        let before = optimizer.words().to_vec();
        let error = optimizer.ask_from(sources, &mut Plain, &mut [0.0; 2]).unwrap_err();
        assert_eq!(optimizer.words(), before);
        Err::<Trial<'_, f64>, Error>(error)
    };
    let few = space.limits(9).sources(2);
    let needed = |error: Error| matches!(error, Error::Limits(need) if need.limit() == Limit::Sources);
    assert!(needed(refused(Transfer::default(), few, &sources).unwrap_err()));
    assert!(needed(refused(Transfer::default(), space.limits(9), &sources).unwrap_err()));
    let enough = space.limits(9).sources(3);
    let other = Space::new(&params[..1], &[]).unwrap();
    let mut strange =
        Optimizer::<f64, _>::with_limits(&other, &Config::default(), enough.suit(&Config::default()))
            .unwrap();
    assert_eq!(strange.ask_from(&sources, &mut Plain, &mut [0.0]).unwrap_err(), Error::Foreign);
    // The fingerprint of this space on a source over another: no length of it may be believed.
    let three = [Param::real(0.0, 1.0); 3];
    let wider = Space::new(&three, &[]).unwrap();
    let mut run = Optimizer::<f64, _>::with_limits(&wider, &Config::default(), wider.limits(3)).unwrap();
    run.observe(&[0.5; 3], 0.0).unwrap();
    run.observe(&[0.2; 3], 1.0).unwrap();
    let size = run.source_size(Form::Means, 0).unwrap();
    let (mut work, mut forged) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    run.export(Form::Means, &[], &mut work, &mut forged).unwrap();
    forged[Header::FINGERPRINT] = words[Header::FINGERPRINT];
    let end = forged.len();
    Header::write_checksum(&mut forged, end);
    let forged = Sources::attach(&forged).unwrap();
    assert_eq!(refused(Transfer::default(), enough, &forged).unwrap_err(), Error::Foreign);
    // Meta-features that are missing, and those that are none.
    let by_features = Transfer { start: Start::Nearest, ..Transfer::default() };
    assert_eq!(refused(by_features, enough, &sources).unwrap_err(), Error::Shape { needed: 2 });
    assert_eq!(sources.with_features(&[f64::NAN, 0.0]).unwrap_err(), Error::NotFinite);
    let base = Transfer::default();
    for rho in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for weights in [Weights::Ranks { rho }, Weights::Features { rho }] {
            let transfer = Transfer { how: How::Stage(weights), ..base };
            assert_eq!(refused(transfer, enough, &sources).unwrap_err(), Error::Config);
        }
    }
    for odd in [-0.1, 1.1, f64::NAN] {
        let transfer = Transfer { how: How::Function { alpha: odd, growth: 0 }, ..base };
        assert_eq!(refused(transfer, enough, &sources).unwrap_err(), Error::Config);
        assert_eq!(refused(Transfer { keep: odd, ..base }, enough, &sources).unwrap_err(), Error::Config);
    }
    // Improvements on sources have no common scale with a bound.
    let config =
        Config { transfer: Transfer { how: How::Value(Weights::ALL[1]), ..base }, ..Config::default() }
            .with(|c| c.proposal.acquisition = crate::Acquisition::Bound { beta: 2.0 });
    let limits = enough.suit(&config);
    assert_eq!(Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap_err(), Error::Unsupported);
}

/// The list may change between asks; open trials count in minima, so that asks in a row differ.
#[test]
fn lists_may_change_and_trials_may_be_open() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let words = valleys();
    let one = source(|x| valley(x, 0.1), &[0.1, 1.0]);
    for transfer in transfers() {
        let config = Config { transfer, ..Config::default() };
        let limits = space.limits(12).sources(3).source_rows(21).suit(&config);
        let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        let mut asked: Vec<[f64; 2]> = Vec::new();
        for i in 0..12 {
            let words = [&words[..], &one, &[]][i % 3];
            let sources = Sources::attach(words).unwrap().with_features(&[0.75, 1.0]).unwrap();
            let mut point = [0.0; 2];
            let ask = optimizer.ask_from(&sources, &mut Plain, &mut point).unwrap();
            assert!(!asked.contains(&point), "{transfer:?} {i}");
            asked.push(point);
            if i % 4 != 3 {
                optimizer.tell(ask.id, valley(&point, 0.2)).unwrap();
            }
        }
    }
}

/// Saved between any two calls it goes on to the same bits.
#[test]
fn a_run_goes_on_where_it_was() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    let config = Config::default();
    let limits = space.limits(9).sources(3).suit(&config);
    let mut one = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    let mut other = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    for _ in 0..9 {
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        let ask = one.ask_from(&sources, &mut Plain, &mut a).unwrap();
        let again = other.ask_from(&sources, &mut Plain, &mut b).unwrap();
        assert_eq!((a, ask.id), (b, again.id));
        one.tell(ask.id, valley(&a, 0.65)).unwrap();
        other.tell(again.id, valley(&b, 0.65)).unwrap();
        other = Optimizer::attach(other.into_inner()).unwrap();
        assert_eq!(other.sources(), sources.fingerprint());
    }
}

/// What is noted is the list of the last ask, whichever verb it was.
#[test]
fn an_ask_without_sources_notes_none() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    let config = Config::default();
    let mut run =
        Optimizer::<f64, _>::with_limits(&space, &config, space.limits(9).sources(3).suit(&config)).unwrap();
    for with in [false, true] {
        run.ask_from(&sources, &mut Plain, &mut [0.0; 2]).unwrap();
        assert_eq!(run.sources(), sources.fingerprint());
        if with { run.ask_with(&mut Plain, &mut [0.0; 2]) } else { run.ask(&mut [0.0; 2]) }.unwrap();
        assert_eq!(run.sources(), 0);
    }
}

/// No model, or an acquisition function that is nought.
struct Nought;

impl Surrogate<f64> for Nought {
    fn dims(&self) -> usize {
        2
    }

    fn predict_many(&mut self, _: &[f64], _: &mut [f64], _: &mut [f64]) -> Result<(), Error> {
        Err(Error::Unsupported)
    }
}

impl AcquisitionFunction<f64> for Nought {
    fn scores(&mut self, _: &mut dyn Surrogate<f64>, _: &[f64], out: &mut [f64]) -> Result<(), Error> {
        out.fill(0.0);
        Ok(())
    }

    fn gradient(
        &mut self,
        _: &mut dyn Surrogate<f64>,
        _: &[f64],
        out: [&mut [f64]; 2],
    ) -> Result<f64, Error> {
        out[0].fill(0.0);
        Ok(0.0)
    }
}

/// By differences, with points that wait for their values and without.
#[test]
fn the_slope_of_a_prior_is_that_of_its_scores() {
    let words = valleys();
    let told = [0.3, 0.17, 0.1, 0.02];
    for open in [0, 2] {
        let mut memory = Vec::new();
        let mut known = knowledge(&words, &[], &mut memory);
        let mut work = vec![0.0; prior_scalars(3, 8, 4, 2, 8)];
        with_past(&told, |past| {
            known.read(Count::Agreeing { rho: 0.4 }, past).unwrap();
            let row = |j: usize| {
                let value = told.get(j).copied().filter(|_| j < told.len() - open);
                (&past.points[2 * j..2 * j + 2], value)
            };
            let run = Told { row: &row, count: told.len() };
            let prior = Prior::new(&mut known, &run, [8, 4], &mut work).unwrap();
            let mut informed = Informed { function: &mut Nought, log: false, value: 1.0, prior };
            for x in [0.61, 0.77, 0.95] {
                let second = past.points[1];
                let mut gradient = [0.0; 2];
                let score =
                    informed.gradient(&mut Nought, &[x, second], [&mut gradient, &mut [0.0; 4]]).unwrap();
                let mut at = |x: f64| informed.score(&mut Nought, &[x, second]).unwrap();
                assert!((at(x) - score).abs() < 1e-12 * (1.0 + score));
                let slope = (at(x + 1e-6) - at(x - 1e-6)) / 2e-6;
                assert!(
                    (gradient[0] - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                    "{x}: {} {slope}",
                    gradient[0]
                );
            }
        });
    }
}

/// Each bit of a source turned with its checksum repaired, in a list with a whole one: refused, or every proposal is one of the
/// space.
#[test]
fn damaged_sources_propose_points_of_the_space() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let of = |at: f64, feature| source_in(Form::Means, |x| valley(x, at), &[feature]);
    let (whole, other) = (of(0.6, 0.5), of(0.8, 0.7));
    let hows = [
        How::Stage(Weights::ALL[1]),
        How::Value(Weights::ALL[0]),
        How::Function { alpha: 0.5, growth: 0 },
        How::Prior,
        How::Neighbours { alpha: 0.3, count: 2, by: Near::Ranks },
    ];
    let mut asked = 0;
    for bit in 0..64 * whole.len() {
        let mut words = whole.clone();
        words[bit / 64] ^= 1 << (bit % 64);
        let end = words.len();
        Header::write_checksum(&mut words, end);
        words.extend(&other);
        let Ok(sources) = Sources::<f64>::attach(&words).and_then(|list| list.with_features(&[0.6])) else {
            continue;
        };
        let transfer = Transfer {
            start: STARTS[bit % STARTS.len()],
            trials: 2,
            how: hows[bit % hows.len()],
            keep: [1.0, 0.5][bit % 2],
        };
        let mut config = Config { transfer, ..Config::default() };
        (config.search.global, config.search.local) = (8, 4);
        let limits = space.limits(4).sources(2).source_rows(21).suit(&config);
        let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        for _ in 0..4 {
            let mut point = [0.0; 2];
            let Ok(ask) = optimizer.ask_from(&sources, &mut Plain, &mut point) else { break };
            assert!(
                (0.0..=1.0).contains(&point[0]) && [0.0, 1.0, 2.0].contains(&point[1]),
                "{bit}: {point:?}"
            );
            optimizer.tell(ask.id, valley(&point, 0.7)).unwrap();
            asked += 1;
        }
    }
    assert!(asked > 1000, "{asked}");
}

/// What 200 sources of 100 values of five parameters add to a block of 100 trials in single precision.
#[test]
fn blocks_grow_by_little() {
    let plain = Limits::new(5, 100);
    let grown = |how: How| {
        let config = Config { transfer: Transfer { how, ..Transfer::default() }, ..Config::default() };
        8 * (plain.sources(200).suit(&config).words::<f32>() - plain.words::<f32>())
    };
    for how in [
        How::Alone,
        How::Stage(Weights::ALL[1]),
        How::Value(Weights::ALL[1]),
        How::Function { alpha: 0.5, growth: 0 },
    ] {
        assert!(grown(how) <= 8 << 10, "{how:?}: {}", grown(how));
    }
    // Sources × (trials + candidates), four triangles of the trials, and covariances of candidates.
    assert!(grown(How::Prior) <= 4 * (200 * (100 + 50) + 4 * 5050 + 50 * 100), "{}", grown(How::Prior));
}
