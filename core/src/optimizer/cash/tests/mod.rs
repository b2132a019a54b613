extern crate std;

mod full;
mod looks;
mod refused;
mod scale;

use std::vec;
use std::vec::Vec;

use crate::acquisition::Acquisition;
use crate::config::{Branching, Config, Hyper, Incumbent, Interleave, Model, Strategy};
use crate::error::Error;
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::optimizer::cash::Branched;
use crate::pending::Pending;
use crate::real::Real;
use crate::space::{Clause, Condition, Domain, Param, Space, Term, When};
use crate::trial::Origin;
use crate::{Transform, forest, sparse};

/// Parameters of each of seven algorithms.
const DIMS: [usize; 7] = [1, 2, 1, 3, 4, 1, 1];
const OFFSETS: [f64; 7] = [0.14, 0.00, 0.05, 0.12, 0.08, 0.10, 0.15];

/// The space of seven algorithms with 13 parameters between them.
fn with_space<T>(run: impl FnOnce(&Space<'_>) -> T) -> T {
    let mut params = vec![Param::categorical(7)];
    let mut conditions = Vec::new();
    for (j, &dims) in DIMS.iter().enumerate() {
        for _ in 0..dims {
            conditions.push(Condition::new(params.len() as u32, 0, When::Equals(j as f64)));
            params.push(Param::real(0.0, 1.0));
        }
    }
    run(&Space::new(&params, &conditions).unwrap())
}

/// fⱼ(u) = cⱼ + Σ (uᵢ − frac(0.37 j + 0.21 i))², j and i from 1: its minimum is 0, in the second branch.
fn cash(x: &[f64]) -> f64 {
    let j = x[0] as usize;
    let first = 1 + DIMS[..j].iter().sum::<usize>();
    let part = |i: usize| {
        let at = 0.37 * (j + 1) as f64 + 0.21 * (i + 1) as f64;
        (x[first + i] - (at - at.floor())).powi(2)
    };
    OFFSETS[j] + (0..DIMS[j]).map(part).sum::<f64>()
}

fn limits(trials: u32) -> Limits {
    Limits::new(14, trials).conditions(13, 0).branching(7, 0)
}

type Owned = Optimizer<f64, Vec<u64>>;

fn make(space: &Space<'_>, config: &Config<'_>, trials: u32) -> Result<Owned, Error> {
    Optimizer::with_limits(space, config, limits(trials).suit(config))
}

/// The parts of the block of an optimizer with branches.
fn parts<R: Real>(optimizer: &mut Optimizer<R, Vec<u64>>) -> Branched<'_, R> {
    Branched::carve(&mut optimizer.mem, &optimizer.limits, optimizer.shape).unwrap()
}

/// The words under the checksum: all but what is worked in.
fn state_words<R: Real>(optimizer: &Optimizer<R, Vec<u64>>) -> usize {
    crate::optimizer::save::state_end::<R>(&optimizer.used())
}

/// Runs so many evaluations; how many objective calls there were in each branch.
fn run(optimizer: &mut Owned, count: usize, mut f: impl FnMut(&[f64]) -> f64) -> [usize; 7] {
    let mut calls = [0; 7];
    let mut x = [0.0; 14];
    for _ in 0..count {
        let ask = optimizer.ask(&mut x).unwrap();
        calls[x[0] as usize] += 1;
        optimizer.tell(ask.id, f(&x)).unwrap();
    }
    calls
}

const SINGLE: Strategy = Strategy::Single(Branching::of(0));
const WHOLE: Strategy = Strategy::Whole(Branching::of(0));
const ALL: [Strategy; 4] = [Strategy::Impute, SINGLE, WHOLE, baseline(200)];

const fn baseline(budget: u32) -> Strategy {
    Strategy::Baseline { branching: Branching::of(0), budget }
}

/// A configuration with a strategy whose branches start with so many trials.
fn lean<'c>(start: u32, strategy: Strategy, config: &Config<'c>) -> Config<'c> {
    let strategy = match strategy {
        Strategy::Auto | Strategy::Impute => strategy,
        Strategy::Single(branching) => Strategy::Single(Branching { start, ..branching }),
        Strategy::Whole(branching) => Strategy::Whole(Branching { start, ..branching }),
        Strategy::Baseline { branching, budget } => {
            Strategy::Baseline { branching: Branching { start, ..branching }, budget }
        }
    };
    config.with(|c| {
        c.design.trials = start;
        c.strategy = strategy;
    })
}

fn quick() -> Config<'static> {
    let default = Config::default();
    let search = crate::Search { global: 64, local: 32, starts: 1, rounds: 1, ..default.search };
    let refit = crate::Refit { growth: 0.2, ..default.surrogate.refit };
    default.with(|c| {
        c.search = search;
        c.surrogate.refit = refit;
        c.targets = Transform::Standard;
        c.proposal.interleave = Interleave::NEVER;
    })
}

#[test]
fn evaluations_are_counted_honestly() {
    with_space(|space| {
        for strategy in ALL {
            let mut optimizer = make(
                space,
                &quick().with(|c| {
                    c.design.trials = 5;
                    c.strategy = strategy;
                }),
                200,
            )
            .unwrap();
            let mut started = [0; 7];
            let mut calls = 0;
            let mut x = [0.0; 14];
            loop {
                let ask = match optimizer.ask(&mut x) {
                    Ok(ask) => ask,
                    Err(error) => {
                        assert_eq!(error, Error::Full);
                        break;
                    }
                };
                started[x[0] as usize] += usize::from(ask.origin == Origin::Design);
                calls += 1;
                optimizer.tell(ask.id, cash(&x)).unwrap();
                assert_eq!(optimizer.len(), calls);
            }
            // Not 260: the starting design is among them.
            assert_eq!((calls, optimizer.len(), optimizer.trials().count()), (200, 200, 200), "{strategy:?}");
            match strategy {
                Strategy::Auto | Strategy::Impute => assert_eq!(started.iter().sum::<usize>(), 5),
                Strategy::Single(_) | Strategy::Whole(_) => assert_eq!(started, [10; 7]),
                Strategy::Baseline { .. } => assert_eq!(started, [3; 7]),
            }
            assert!(
                optimizer.best().unwrap().value < 0.06,
                "{strategy:?}: {}",
                optimizer.best().unwrap().value
            );
        }
    });
}

#[test]
fn shares_of_the_baseline_are_equal() {
    with_space(|space| {
        let mut optimizer = make(space, &Config { strategy: baseline(200), ..quick() }, 200).unwrap();
        assert_eq!(run(&mut optimizer, 196, cash), [28; 7]);
        // What is left over goes to the branch of the best value.
        assert_eq!(run(&mut optimizer, 4, cash), [0, 4, 0, 0, 0, 0, 0]);
    });
}

/// A category of four: two reals with one below the other, three whole numbers, two labels, nothing at all.
fn with_small<T>(run: impl FnOnce(&Space<'_>) -> T) -> T {
    let params = [
        Param::categorical(4),
        Param::real(-1.0, 3.0),
        Param::real(1e-3, 10.0).log(),
        Param::integer(1, 3),
        Param::categorical(2),
    ];
    let conditions = [
        Condition::new(1, 0, When::Equals(0.0)),
        Condition::new(2, 1, When::Between(0.0, 3.0)),
        Condition::new(3, 0, When::Equals(1.0)),
        Condition::new(4, 0, When::Equals(2.0)),
    ];
    let terms = [Term { parameter: 1, when: When::Between(1.0, 1.5) }];
    let clauses = [Clause { terms: &terms }];
    run(&Space::new(&params, &conditions).unwrap().forbid(&clauses).unwrap())
}

const SMALL: Limits = Limits::new(5, 48).conditions(4, 0).terms(1).branching(4, 0);

/// The words without the mark of what was open when they were attached.
fn unmarked<R: Real>(optimizer: &Optimizer<R, Vec<u64>>) -> Vec<u64> {
    let mut words = optimizer.words().to_vec();
    super::super::save::set_header_word(&mut words, super::super::block::place::RESUMED, 0);
    words
}

/// What a program does with a strategy, and what must hold at every step.
fn exercise<R: Real>(config: &Config<'_>, count: usize) {
    with_small(|space| {
        let limits = SMALL.suit(config);
        let mut words_of_space = vec![0; space.words()];
        space.write(&mut words_of_space).unwrap();
        let domain = Domain::attach::<R>(&words_of_space).unwrap();
        let mut optimizer = Optimizer::<R, _>::with_limits(space, config, limits).unwrap();
        let mut twin = optimizer.clone();
        let (mut x, mut y, mut unit, mut back) =
            (vec![R::ZERO; 5], vec![R::ZERO; 5], vec![R::ZERO; 5], vec![R::ZERO; 5]);
        let mut open = Vec::new();
        for step in 0..count {
            let ask = optimizer.ask(&mut x).unwrap_or_else(|e| panic!("{config:?} at {step}: {e}"));
            // Saved and taken up again, it does the same to the last bit.
            twin = Optimizer::attach(twin.into_inner()).unwrap();
            let again = twin.ask(&mut y).unwrap();
            assert_eq!((ask.id, ask.origin, &x), (again.id, again.origin, &y));
            assert_eq!(unmarked(&optimizer), unmarked(&twin));
            // Valid, allowed, and canonical where it does not matter.
            domain.encode(&x, &mut unit).unwrap();
            assert!(domain.allows(&unit));
            domain.decode(&unit, &mut back);
            domain.mark(&mut unit);
            assert!((0..5).all(|i| !unit[i].is_nan() || x[i] == back[i]), "{x:?}");
            open.push((ask.id, x.clone()));
            // Two are open at a time, and one in seven fails.
            if step % 3 != 0 {
                let (id, x) = open.remove(0);
                for s in [&mut optimizer, &mut twin] {
                    if step % 7 == 3 {
                        s.fail(id).unwrap();
                    } else {
                        let value = x[1] * x[1] + x[3] * R::of(0.1) + x[0];
                        s.tell_noisy(id, value, if step % 5 == 0 { R::of(0.01) } else { R::ZERO }).unwrap();
                    }
                }
            }
        }
        assert_eq!(optimizer.len() + open.len(), count);
        let distinct = |trials: Vec<Vec<R>>| (1..trials.len()).all(|i| !trials[..i].contains(&trials[i]));
        assert!(distinct(optimizer.trials().map(|t| t.point.to_vec()).collect()));
        let (mean, low) = (optimizer.recommend().unwrap().1.mean, optimizer.best().unwrap().value);
        assert!(mean.is_finite() && low.is_finite());
    });
}

#[test]
fn every_strategy_goes_with_every_model() {
    let quick = quick();
    let sampled = Hyper::Mcmc { count: 2, sampling: Default::default() };
    let models = [
        quick,
        quick.with(|c| {
            c.targets = Transform::Power;
            c.proposal.interleave = Interleave { every: 2, beta: 2.0 };
        }),
        quick.with(|c| c.surrogate.model = Model::Student { freedom: 5.0, learnt: true }),
        quick.with(|c| c.surrogate.model = Model::Trees(forest::Settings::RANDOM)),
        quick.with(|c| c.surrogate.model = Model::Sparse(sparse::Kind::Fitc)),
        quick.with(|c| c.surrogate.hyper = sampled),
        quick.with(|c| {
            c.proposal.incumbent = Incumbent::Mean;
            c.proposal.pending = Pending::Penalty;
        }),
        quick.with(|c| {
            c.proposal.acquisition = Acquisition::Bound { beta: 2.0 };
            c.targets = Transform::YeoJohnson;
        }),
    ];
    for config in &models {
        for strategy in [Strategy::Impute, SINGLE, WHOLE, baseline(24)] {
            exercise::<f64>(&lean(2, strategy, config), 22);
        }
    }
    exercise::<f32>(&lean(3, SINGLE, &quick), 24);
    exercise::<f32>(&lean(3, WHOLE, &models[3]), 20);
}

#[test]
fn a_finite_space_is_asked_through_once() {
    let params = [Param::categorical(3), Param::integer(1, 3), Param::categorical(2)];
    let conditions = [Condition::new(1, 0, When::Equals(1.0)), Condition::new(2, 0, When::Equals(2.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let limits = Limits::new(3, 20).conditions(2, 0).branching(3, 0);
    for strategy in [Strategy::Impute, SINGLE, WHOLE, baseline(9)] {
        let config = lean(2, strategy, &quick());
        let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        let mut seen = Vec::new();
        let mut x = [0.0; 3];
        // One configuration without parameters, three numbers, two labels.
        for _ in 0..6 {
            let ask = optimizer.ask(&mut x).unwrap();
            assert!(!seen.contains(&x), "{strategy:?}: {x:?}");
            seen.push(x);
            optimizer.tell(ask.id, x[0] + x[1]).unwrap();
        }
        assert_eq!(optimizer.ask(&mut x).unwrap_err(), Error::Exhausted);
        assert_eq!((optimizer.len(), optimizer.remaining()), (6, 14));
        let (trial, prediction) = optimizer.recommend().unwrap();
        assert!(trial.value <= 2.5 && prediction.mean.is_finite());
    }
    // With repeats the branch without parameters has its starting trials, and no more.
    let config = lean(4, SINGLE, &quick().with(|c| c.run.repeats = true));
    let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    let mut x = [0.0; 3];
    for _ in 0..20 {
        let ask = optimizer.ask(&mut x).unwrap();
        optimizer.tell(ask.id, x[0]).unwrap();
    }
    assert_eq!(optimizer.trials().filter(|t| t.point[0] == 0.0).count(), 4);
}

#[test]
fn only_the_branch_that_was_told_looks_again() {
    with_space(|space| {
        let refit = crate::Refit { afresh: 1e9, growth: 0.0, ..Config::default().surrogate.refit };
        let config = quick().with(|c| c.surrogate.refit = refit);
        let mut optimizer = make(space, &lean(3, SINGLE, &config), 40).unwrap();
        run(&mut optimizer, 24, cash);
        let mut x = [0.0; 14];
        let mut kept = 0;
        for _ in 0..6 {
            let ask = optimizer.ask(&mut x).unwrap();
            let before: Vec<Vec<u64>> = words_of(&mut optimizer);
            // No better than the best, and no worse than the worst.
            let value = cash(&x).max(optimizer.best().unwrap().value);
            optimizer.tell(ask.id, value).unwrap();
            let told = x[0] as usize;
            let next = optimizer.ask(&mut x).unwrap();
            let after = words_of(&mut optimizer);
            for branch in (0..7).filter(|&b| b != told && b != x[0] as usize) {
                assert!(before[branch] == after[branch], "branch {branch}");
                kept += 1;
            }
            optimizer.tell(next.id, cash(&x)).unwrap();
        }
        assert!(kept >= 30);
    });
}

fn words_of(optimizer: &mut Owned) -> Vec<Vec<u64>> {
    let mut front = parts(optimizer);
    (0..7).map(|branch| front.words_of(branch).to_vec()).collect()
}

#[test]
fn a_branch_that_always_fails_is_left_alone() {
    with_space(|space| {
        for strategy in [SINGLE, WHOLE] {
            let mut optimizer = make(space, &lean(3, strategy, &quick()), 60).unwrap();
            let mut x = [0.0; 14];
            let mut failed = 0;
            for _ in 0..60 {
                let ask = optimizer.ask(&mut x).unwrap();
                if x[0] == 1.0 {
                    failed += 1;
                    optimizer.fail(ask.id).unwrap();
                } else {
                    optimizer.tell(ask.id, cash(&x)).unwrap();
                }
            }
            assert!((3..=8).contains(&failed), "{strategy:?}: {failed}");
            assert_eq!(optimizer.len(), 60);
        }
    });
}

/// The table of `cargo test -p infill --lib cash -- --ignored --nocapture`.
#[test]
#[ignore = "long: 20 seeds of 200 evaluations for each strategy"]
fn every_strategy_beats_random_search() {
    let median = |mut v: Vec<f64>| {
        v.sort_by(f64::total_cmp);
        f64::midpoint(v[9], v[10])
    };
    with_space(|space| {
        let mut words = vec![0; space.words()];
        space.write(&mut words).unwrap();
        let domain = Domain::attach::<f64>(&words).unwrap();
        let random = median(
            (0..20)
                .map(|seed| {
                    let (mut g, mut unit, mut x) = (crate::rng::Generator::new(seed), [0.0; 14], [0.0; 14]);
                    let draw = |_| {
                        domain.sample(&mut g, &mut unit).unwrap();
                        domain.decode(&unit, &mut x);
                        cash(&x)
                    };
                    (0..200).map(draw).fold(f64::INFINITY, f64::min)
                })
                .collect(),
        );
        std::println!("random {random:.2e}");
        for strategy in ALL {
            let found = median(
                (0..20)
                    .map(|seed| {
                        let config = Config::default().with(|c| {
                            c.seed = seed;
                            c.strategy = strategy;
                            c.design.trials = 5;
                        });
                        let mut optimizer = make(space, &config, 200).unwrap();
                        run(&mut optimizer, 200, cash);
                        optimizer.best().unwrap().value
                    })
                    .collect(),
            );
            std::println!("{strategy:?} {found:.2e}");
            assert!(found < 0.1 * random);
        }
    });
}
