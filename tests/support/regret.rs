//! Whole runs of the optimizer on known functions: how far from the minimum after how many evaluations.

use crate::problems::{self, Problem};
use crate::random::SplitMix64;
use infill::{Config, Limits, Optimizer, Param, Space};
use std::sync::Mutex;

/// A function, a budget, and the regret that the median run may not exceed.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called.
    pub name: &'static str,
    /// The function of a seed: some are moved by it.
    pub problem: fn(u64) -> Problem,
    /// Evaluations in all, the starting design included.
    pub evaluations: usize,
    /// After how many evaluations the median regret is to be how low.
    pub bars: &'static [(usize, f64)],
}

/// The functions that the defaults answer for.
pub const CASES: [Case; 5] = [
    Case { name: "branin", problem: |_| problems::branin(), evaluations: 50, bars: &[(50, 1e-5)] },
    Case {
        name: "hartmann-6",
        problem: |_| problems::hartmann6(),
        evaluations: 100,
        bars: &[(50, 0.02), (100, 3e-5)],
    },
    Case {
        name: "rosenbrock-4",
        problem: |_| problems::rosenbrock(4),
        evaluations: 100,
        bars: &[(100, 2.0)],
    },
    Case {
        name: "levy-8, moved",
        problem: |s| problems::levy_shifted(8, s),
        evaluations: 100,
        bars: &[(100, 2.0)],
    },
    Case {
        name: "ackley-5, moved",
        problem: |s| problems::ackley_shifted(5, s),
        evaluations: 100,
        bars: &[(100, 5.6)],
    },
];

/// The lowest regret after each evaluation of one run.
pub fn curve(problem: &Problem, config: &Config<'_>, evaluations: usize) -> Vec<f64> {
    let sides = problem.lower.iter().zip(&problem.upper);
    let params: Vec<Param> = sides.map(|(&lo, &hi)| Param::real(lo, hi)).collect();
    let space = Space::new(&params, &[]).expect("a box");
    let limits = Limits::new(params.len() as u32, evaluations as u32).suit(config);
    let words = vec![0; limits.words::<f64>()];
    let mut optimizer = Optimizer::<f64, _>::new(&space, config, limits, words).expect("within its limits");
    let mut x = vec![0.0; params.len()];
    let mut best = f64::INFINITY;
    let mut curve = Vec::new();
    for _ in 0..evaluations {
        let ask = optimizer.ask(&mut x).expect("a proposal");
        let value = problem.value(&x);
        optimizer.tell(ask.id, value).expect("an open trial");
        best = best.min(value - problem.minimum);
        curve.push(best);
    }
    curve
}

/// The lowest value after each evaluation of random search, less the minimum.
pub fn random_curve(problem: &Problem, seed: u64, evaluations: usize) -> Vec<f64> {
    let mut random = SplitMix64::new(seed);
    let mut best = f64::INFINITY;
    let point = |random: &mut SplitMix64| {
        problem.lower.iter().zip(&problem.upper).map(|(lo, hi)| lo + (hi - lo) * random.uniform()).collect()
    };
    (0..evaluations)
        .map(|_| {
            let x: Vec<f64> = point(&mut random);
            best = best.min(problem.value(&x) - problem.minimum);
            best
        })
        .collect()
}

/// One run of the defaults for each seed, on all cores.
pub fn curves(case: &Case, seeds: u64) -> Vec<Vec<f64>> {
    each_seed(seeds, |seed| {
        let config = Config { seed, ..Config::default() };
        curve(&(case.problem)(seed), &config, case.evaluations)
    })
}

/// Runs something for each seed, on all cores.
pub fn each_seed<T: Send + Default + Clone>(seeds: u64, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = Mutex::new(0..seeds);
    let answers = Mutex::new(vec![T::default(); seeds as usize]);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(seed) = { next.lock().expect("no worker panics").next() } {
                    let answer = run(seed);
                    answers.lock().expect("no worker panics")[seed as usize] = answer;
                }
            });
        }
    });
    answers.into_inner().expect("no worker panics")
}
