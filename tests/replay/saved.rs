//! Same seed, same bits; and a run that was saved and loaded at every step is the run that was not.

use infill::config::{Branches, Similarity};
use infill::{
    Acquisition, Condition, Config, Incumbent, Limits, Optimizer, Param, Real, Refit, Search, Space,
    Transform, Trend, TrialId, When, WhenFull,
};
use infill_tests::random::SplitMix64;

/// What happens to the optimizer between two actions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Between {
    Nothing,
    /// Its words are copied and attached.
    Save,
    /// It is copied into a block of the same limits, where the scratch holds zeros.
    Copy,
    /// Once, in the middle: it moves into larger limits.
    Grow,
}

const LEVELS: [f64; 4] = [0.1, 0.2, 0.7, 3.0];

fn mixed() -> (Vec<Param<'static>>, Vec<Condition<'static>>) {
    let params = vec![
        Param::categorical(3),
        Param::real(-5.0, 10.0),
        Param::integer(1, 64).log(),
        Param::ordinal(&LEVELS),
        Param::real(1e-3, 1.0).log(),
    ];
    (params, vec![Condition::new(4, 0, When::Equals(1.0))])
}

fn reals() -> (Vec<Param<'static>>, Vec<Condition<'static>>) {
    (vec![Param::real(-5.0, 10.0), Param::real(0.0, 15.0)], Vec::new())
}

fn bits<R: Real>(value: R) -> u64 {
    value.to_f64().to_bits()
}

/// A run with open trials told in random order, failures, lost workers and a queue; every number that comes out.
fn run<R: Real>(
    (params, conditions): &(Vec<Param<'static>>, Vec<Condition<'static>>),
    config: &Config<'_>,
    between: Between,
    steps: usize,
) -> Vec<u64> {
    let space = Space::new(params, conditions).unwrap();
    let dims = params.len();
    let limits = Limits::new(dims as u32, 40).conditions(2, 8).trend(10).suit(config);
    let mut optimizer = Optimizer::<R, _>::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut script = SplitMix64::new(99);
    let mut open: Vec<(TrialId, Vec<R>)> = Vec::new();
    let mut seen = Vec::new();
    for step in 0..steps {
        let mut x = vec![R::ZERO; dims];
        match script.bits() % 12 {
            0..6 if open.len() < 4 => {
                let ask = optimizer.ask(&mut x).unwrap();
                seen.extend([ask.id.to_bits(), bits(ask.acquisition), ask.origin as u64]);
                seen.extend(x.iter().map(|&v| bits(v)));
                open.push((ask.id, x));
            }
            6 if !open.is_empty() => {
                let (id, _) = open.remove(script.bits() as usize % open.len());
                optimizer.fail(id).unwrap();
            }
            7 if !open.is_empty() => {
                let (id, _) = open.remove(script.bits() as usize % open.len());
                optimizer.forget(id).unwrap();
            }
            8 => {
                let mut x: Vec<R> = params.iter().map(|_| R::ONE).collect();
                x[1] = R::of(script.uniform() * 10.0);
                if dims == 5 {
                    x[3] = R::of(0.7);
                }
                seen.push(optimizer.enqueue(&x).unwrap().to_bits());
            }
            9 if step > 20 => {
                let (trial, prediction) = optimizer.recommend().unwrap();
                seen.extend([trial.id.to_bits(), bits(prediction.mean), bits(prediction.variance)]);
            }
            _ if !open.is_empty() => {
                let (id, x) = open.remove(script.bits() as usize % open.len());
                let y = x.iter().fold(R::ZERO, |sum, &v| sum + (v - R::ONE) * (v - R::ONE));
                if step % 3 == 0 {
                    optimizer.tell_noisy(id, y, R::of(0.01)).unwrap();
                } else {
                    optimizer.tell(id, y).unwrap();
                }
            }
            _ => {}
        }
        optimizer = match between {
            Between::Nothing => optimizer,
            Between::Save => Optimizer::attach(optimizer.words().to_vec())
                .unwrap_or_else(|error| panic!("step {step}: {error}")),
            Between::Copy => optimizer.copy_into(limits, vec![0; limits.words::<R>()]).unwrap(),
            Between::Grow if step == steps / 2 => {
                let larger = Limits::new(dims as u32 + 1, 200)
                    .conditions(4, 9)
                    .trend(20)
                    .kernel(12, 9, 9)
                    .suit(config);
                optimizer.copy_into(larger, vec![0; larger.words::<R>()]).unwrap()
            }
            Between::Grow => optimizer,
        };
    }
    assert!(seen.len() > steps);
    seen
}

fn configs() -> Vec<Config<'static>> {
    let whole = Config::default();
    // A smaller search: what matters here is that every part of it takes its turn.
    let search = Search { global: 128, local: 64, ..whole.search };
    let base = whole.with(|c| {
        c.seed = 5;
        c.run.when_full = WhenFull::DropWorst;
        c.search = search;
    });
    let apart = Similarity { branches: Branches::Apart, ..Similarity::default() };
    vec![
        base,
        base.with(|c| {
            c.targets = Transform::Power;
            c.surrogate.refit = Refit { growth: 0.2, ..base.surrogate.refit };
        }),
        base.with(|c| {
            c.targets = Transform::Rank;
            c.surrogate.trend = Trend::Zero;
            c.proposal.incumbent = Incumbent::Mean;
        }),
        base.with(|c| c.surrogate.similarity = apart),
        base.with(|c| {
            c.surrogate.trend = Trend::Linear;
            c.proposal.acquisition = Acquisition::Bound { beta: 2.0 };
        }),
    ]
}

#[test]
fn saving_and_loading_change_no_bit() {
    for config in configs() {
        for space in [mixed(), reals()] {
            for (narrow, wide) in [
                (
                    run::<f32>(&space, &config, Between::Nothing, 70),
                    run::<f32>(&space, &config, Between::Save, 70),
                ),
                (
                    run::<f64>(&space, &config, Between::Nothing, 70),
                    run::<f64>(&space, &config, Between::Save, 70),
                ),
            ] {
                assert_eq!(narrow, wide, "{config:?}");
            }
        }
    }
}

fn changes_no_bit(between: Between) {
    for config in configs() {
        for space in [mixed(), reals()] {
            let plain = run::<f64>(&space, &config, Between::Nothing, 70);
            assert_eq!(plain, run::<f64>(&space, &config, between, 70), "{config:?}");
            let plain = run::<f32>(&space, &config, Between::Nothing, 70);
            assert_eq!(plain, run::<f32>(&space, &config, between, 70), "{config:?}");
        }
    }
}

/// Also: what is left in the scratch does not matter.
#[test]
fn copying_changes_no_bit() {
    changes_no_bit(Between::Copy);
}

/// As long as no limit is reached.
#[test]
fn larger_limits_change_no_bit() {
    changes_no_bit(Between::Grow);
}

#[test]
fn seeds_decide() {
    let space = reals();
    for config in configs() {
        let one = run::<f64>(&space, &config, Between::Nothing, 40);
        assert_eq!(one, run::<f64>(&space, &config, Between::Nothing, 40));
        let other = Config { seed: config.seed + 1, ..config };
        assert_ne!(one, run::<f64>(&space, &other, Between::Nothing, 40));
    }
}

/// A block in single precision is not one in double precision, and a block of another version is neither.
#[test]
fn foreign_blocks_are_refused() {
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(1, 4);
    let mut words = vec![0; limits.words::<f64>()];
    Optimizer::<f64, _>::new(&space, &Config::default(), limits, &mut words[..]).unwrap();
    assert_eq!(Optimizer::<f32, _>::attach(words.clone()).unwrap_err(), infill::Error::Foreign);
    let mut swapped: Vec<u64> = words.iter().map(|w| w.swap_bytes()).collect();
    assert_eq!(Optimizer::<f64, _>::attach(&mut swapped[..]).unwrap_err(), infill::Error::Foreign);
    words[0] ^= 1 << 56;
    assert_eq!(Optimizer::<f64, _>::attach(words).unwrap_err(), infill::Error::Foreign);
    assert!(matches!(Optimizer::<f64, _>::attach(vec![]).unwrap_err(), infill::Error::Memory { .. }));
}
