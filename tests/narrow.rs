//! Reals of which the scalar has few values between the bounds: what counts is the value that a user gets.

use infill::lbfgs::Budget;
use infill::policy::Minima;
use infill::{
    Branching, Clause, Condition, Config, Error, Limits, Optimizer, Param, Pending, Policy, Real, Search,
    Space, Strategy, Term, Training, When,
};

/// Asks 60 times for values of one real between `lo` and `hi`, of which a range is forbidden, with the defaults; so many
/// there are.
fn sixty_asks<R: Real>(lo: f64, hi: f64, forbidden: (f64, f64), proposals: usize) {
    let (from, to) = forbidden;
    let params = [Param::real(lo, hi)];
    let terms = [Term { parameter: 0, when: When::Between(from, to) }];
    let clauses = [Clause { terms: &terms }];
    let space = Space::new(&params, &[]).unwrap().forbid(&clauses).unwrap();
    let config = Config { seed: 1, ..Config::default() };
    let limits = space.limits(60).suit(&config);
    let mut optimizer =
        Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut judge = Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut seen: Vec<R> = Vec::new();
    let mut x = [R::ZERO];
    for _ in 0..60 {
        match optimizer.ask(&mut x) {
            Ok(ask) => {
                let value = x[0].to_f64();
                assert!(value < from || value > to, "{value} is forbidden");
                assert!(!seen.contains(&x[0]), "{value} comes twice");
                judge.observe(&x, R::ZERO).unwrap();
                optimizer.tell(ask.id, R::of((value - from).abs())).unwrap();
                seen.push(x[0]);
            }
            Err(error) => {
                assert_eq!(error, Error::Exhausted);
                break;
            }
        }
    }
    assert_eq!(seen.len(), proposals);
}

#[test]
fn no_value_is_forbidden_or_comes_twice() {
    sixty_asks::<f32>(1000.0, 1001.0, (1000.25, 1000.5), 60);
    sixty_asks::<f32>(1e6, 1e6 + 8.0, (1e6 + 2.0, 1e6 + 4.0), 60);
    sixty_asks::<f32>(1.7e9, 1.7e9 + 1e5, (1.7e9 + 1024.0, 1.7e9 + 4096.0), 60);
    sixty_asks::<f64>(1e15, 1e15 + 4.0, (1e15 + 1.0, 1e15 + 2.0), 33 - 9);
}

/// Two values that a label tells apart, and a real of 17 values, under a condition on it and with a forbidden corner.
struct Scene {
    params: [Param<'static>; 3],
    conditions: [Condition<'static>; 1],
    terms: [Term<'static>; 2],
}

/// The bounds of the real.
const LO: f64 = 1e6;
const HI: f64 = 1e6 + 1.0;

impl Scene {
    fn new() -> Self {
        Self {
            params: [Param::categorical(2), Param::real(LO, HI), Param::integer(0, 1)],
            conditions: [Condition::new(2, 1, When::Between(LO + 0.5, HI))],
            terms: [
                Term { parameter: 0, when: When::Equals(1.0) },
                Term { parameter: 1, when: When::Between(LO, LO + 0.25) },
            ],
        }
    }

    fn with<T>(&self, run: impl FnOnce(&Space<'_>) -> T) -> T {
        let clauses = [Clause { terms: &self.terms }];
        run(&Space::new(&self.params, &self.conditions).unwrap().forbid(&clauses).unwrap())
    }

    /// 17 values, the upper 9 of them with two of the integer; five of the second label are forbidden.
    const ALL: usize = 2 * (8 + 2 * 9) - 5;

    /// What a user reads of a point: nothing of a parameter that does not matter.
    fn reading(x: &[f32]) -> (u32, f32, Option<u32>) {
        let real = x[1];
        assert!((LO..=HI).contains(&f64::from(real)));
        assert!(x[0] == 0.0 || f64::from(real) > LO + 0.25, "{x:?} is forbidden");
        (x[0] as u32, real, (f64::from(real) >= LO + 0.5).then_some(x[2] as u32))
    }
}

fn small() -> Config<'static> {
    let whole = Config::default();
    let budget = Budget { evaluations: 5, ..whole.surrogate.training.budget };
    whole.with(|c| {
        c.seed = 3;
        c.surrogate.training = Training { restarts: 0, draws: 1, budget, ..whole.surrogate.training };
        c.search = Search { global: 24, local: 12, starts: 2, polish: budget, rounds: 1, ..whole.search };
    })
}

/// Four trials at a time until nothing is left: every configuration comes once.
fn use_up<T: Copy>(
    what: &str,
    mut ask: impl FnMut(&mut [f32]) -> Result<T, Error>,
    mut tell: impl FnMut(T, f32),
) {
    let (mut seen, mut open) = (Vec::new(), Vec::new());
    let mut x = [0f32; 3];
    let end = loop {
        match ask(&mut x) {
            Ok(id) => {
                let reading = Scene::reading(&x);
                assert!(!seen.contains(&reading), "{what}: {reading:?} comes twice");
                seen.push(reading);
                open.push((id, x[0] + (x[1] - LO as f32) * (x[1] - LO as f32) + x[2]));
            }
            Err(error) => break error,
        }
        if open.len() == 4 {
            open.drain(..).for_each(|(id, value)| tell(id, value));
        }
    };
    assert_eq!((end, seen.len()), (Error::Exhausted, Scene::ALL), "{what}");
}

#[test]
fn every_policy_and_batch_uses_up_what_there_is() {
    let policies = [
        Policy::Closed,
        Policy::EntropySearch { representers: 6, draws: 8, fantasies: 3 },
        Policy::PredictiveEntropy { representers: 6, draws: 8 },
        Policy::MaxValue { representers: 8, draws: 4, minima: Minima::Gumbel },
        Policy::Thompson { candidates: 8 },
        Policy::Knowledge { representers: 6 },
        Policy::Hedge,
        Policy::Portfolio { representers: 6, draws: 8, fantasies: 3 },
        Policy::Noisy { draws: 8 },
    ];
    let batches =
        [Pending::Believer, Pending::Fantasies { count: 4 }, Pending::Penalty, Pending::JointEi { draws: 8 }];
    let ways = policies.map(|policy| small().with(|c| c.proposal.policy = policy));
    let ways = ways.into_iter().chain(batches.map(|batch| small().with(|c| c.proposal.pending = batch)));
    for config in ways {
        Scene::new().with(|space| {
            let limits = space.limits(Scene::ALL as u32 + 1).suit(&config);
            let block = vec![0; limits.words::<f32>()];
            let optimizer = Optimizer::<f32, _>::new(space, &config, limits, block).unwrap();
            let optimizer = core::cell::RefCell::new(optimizer);
            use_up(
                &format!("{:?} {:?}", config.proposal.policy, config.proposal.pending),
                |x| optimizer.borrow_mut().ask(x).map(|ask| ask.id),
                |id, value| optimizer.borrow_mut().tell(id, value).unwrap(),
            );
        });
    }
}

#[test]
fn every_strategy_uses_up_what_there_is() {
    let branching = Branching::of(0);
    for strategy in [
        Strategy::Impute,
        Strategy::Single(branching),
        Strategy::Whole(branching),
        Strategy::Baseline { branching, budget: 40 },
    ] {
        Scene::new().with(|space| {
            let config = Config { strategy, ..small() };
            let limits: Limits = space.limits(Scene::ALL as u32 + 1).suit(&config).branching(2, 0);
            let block = vec![0; limits.words::<f32>()];
            let optimizer = Optimizer::<f32, _>::new(space, &config, limits, block).unwrap();
            let optimizer = core::cell::RefCell::new(optimizer);
            use_up(
                &format!("{strategy:?}"),
                |x| optimizer.borrow_mut().ask(x).map(|ask| ask.id),
                |id, value| optimizer.borrow_mut().tell(id, value).unwrap(),
            );
        });
    }
}
