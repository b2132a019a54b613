//! Simple regret of every preset beside random search, fifty evaluations each.
//!
//! ```text
//! cargo run --release -p infill-tests --example presets -- [seeds] [name …]
//! ```
//!
//! Fails if the median of a preset is above that of random search.

use infill::{Config, PRESETS};
use infill_tests::problems::{self, Problem};
use infill_tests::regret::{curve, each_seed, random_curve};
use infill_tests::summary::{median, quantile};

const EVALUATIONS: usize = 50;

/// A function of a seed, and what it is called.
type Named = (&'static str, fn(u64) -> Problem);

fn main() {
    let mut args = std::env::args().skip(1);
    let seeds: u64 = args.next().map_or(20, |a| a.parse().expect("a number of seeds"));
    let asked: Vec<String> = args.collect();
    let names = PRESETS.iter().filter(|name| asked.is_empty() || asked.iter().any(|a| a == *name));
    let problems: [Named; 4] = [
        ("branin", |_| problems::branin()),
        ("hartmann-6", |_| problems::hartmann6()),
        ("ackley-5, moved", |seed| problems::ackley_shifted(5, seed)),
        ("rosenbrock-4", |_| problems::rosenbrock(4)),
    ];
    print!("| preset |");
    problems.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n|---|{}", "---|".repeat(problems.len()));
    let last = |curves: Vec<Vec<f64>>| -> Vec<f64> { curves.iter().map(|c| c[EVALUATIONS - 1]).collect() };
    let show = |values: &[f64]| format!(" {:.1e} [{:.1e}] |", median(values), quantile(values, 0.9));
    let random: Vec<Vec<f64>> = problems
        .iter()
        .map(|(_, problem)| last(each_seed(seeds, |seed| random_curve(&problem(seed), seed, EVALUATIONS))))
        .collect();
    print!("| random search |");
    random.iter().for_each(|values| print!("{}", show(values)));
    println!();
    let mut missed = false;
    for name in names {
        print!("| {name} |");
        for ((_, problem), random) in problems.iter().zip(&random) {
            let run = |seed| {
                let config = Config { seed, ..Config::preset(name).expect("its name") };
                curve(&problem(seed), &config, EVALUATIONS)
            };
            let values = last(each_seed(seeds, run));
            let worse = median(&values) > median(random);
            print!("{}{}", if worse { " WORSE" } else { "" }, show(&values));
            missed |= worse;
        }
        println!();
    }
    assert!(!missed, "a preset is worse than random search");
}
