//! Methods without a model, and the default, on the problem that has every kind of parameter.
//!
//! `cargo run --release -p infill-tests --example free [-- SEEDS [NAME…]]` prints for each the median of the lowest value after
//! 50 and after 100 evaluations; `benches/optuna/mixed.py` reads it.

use std::env;

use infill::{Baseline, Config, Limits, Optimizer};
use infill_tests::mixed::kinds;

const METHODS: [(&str, Option<Baseline>); 8] = [
    ("random", Some(Baseline::Random)),
    ("grid", Some(Baseline::Grid { levels: 5 })),
    ("sobol", Some(Baseline::Sobol)),
    ("annealing", Some(Baseline::ANNEAL)),
    ("tpe", Some(Baseline::TPE)),
    ("cma-es", Some(Baseline::CMA_ES)),
    ("mi-es", Some(Baseline::MI_ES)),
    ("default", None),
];

fn main() {
    let mut arguments = env::args().skip(1);
    let seeds = arguments.next().map_or(20, |seeds| seeds.parse().expect("a number of seeds"));
    let names: Vec<String> = arguments.collect();
    println!("{:10} {:>8} {:>8}", "method", "50", "100");
    for (name, baseline) in METHODS {
        if names.is_empty() || names.iter().any(|chosen| chosen == name) {
            let runs: Vec<[f64; 2]> = (0..seeds).map(|seed| run(baseline, seed)).collect();
            let [half, whole] = [0, 1].map(|at| median(runs.iter().map(|run| run[at]).collect()));
            println!("{name:10} {half:8.4} {whole:8.4}");
        }
    }
}

/// The lowest value after 50 evaluations and after 100.
fn run(baseline: Option<Baseline>, seed: u64) -> [f64; 2] {
    let problem = kinds();
    let config = Config::default().with(|c| {
        c.seed = seed;
        c.proposal.baseline = baseline;
    });
    let limits = Limits::new(problem.dims() as u32, 100).suit(&config);
    let space = problem.space();
    let words = vec![0; limits.words::<f64>()];
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, words).expect("an optimizer");
    let mut x = vec![0.0; problem.dims()];
    [50, 50].map(|count| {
        for _ in 0..count {
            let ask = optimizer.ask(&mut x).expect("a point");
            optimizer.tell(ask.id, problem.value(&x)).expect("an open trial");
        }
        optimizer.best().expect("a value").value
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) }
}
