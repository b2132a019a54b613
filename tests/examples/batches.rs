//! Simple regret on Hartmann-6 with four trials open at a time, 25 rounds, for each way to reckon with open trials.
//!
//! ```text
//! cargo run --release -p infill-tests --example batches -- [seeds] [name …]
//! ```
//!
//! Each round asks four times, then tells four values, the last asked first. Fails if the median of the default is above
//! its bar.

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::pending::Lie;
use infill::{Acquisition, Config, Limits, Optimizer, Param, Pending, Space};
use infill_tests::problems::{self, Problem};
use infill_tests::regret::each_seed;
use infill_tests::summary::quantile;
use std::time::Instant;

const OPEN: usize = 4;
const ROUNDS: usize = 25;
/// What the median of the default may not exceed.
const BAR: f64 = 1e-3;

const BATCHES: [(&str, Pending); 8] = [
    ("believer", Pending::Believer),
    ("liar-min", Pending::Liar(Lie::Min)),
    ("liar-mean", Pending::Liar(Lie::Mean)),
    ("liar-max", Pending::Liar(Lie::Max)),
    ("fantasies", Pending::Fantasies { count: 64 }),
    ("penalty", Pending::Penalty),
    ("temperatures", Pending::Temperatures),
    ("expected", Pending::JointEi { draws: 64 }),
];

fn main() {
    let mut args = std::env::args().skip(1);
    let seeds: u64 = args.next().map_or(20, |a| a.parse().expect("a number of seeds"));
    let asked: Vec<String> = args.collect();
    let problem = problems::hartmann6();
    let mut missed = false;
    println!("| open trials | seeds | median | quartiles | 90 % | worst |\n|---|--:|--:|--:|--:|--:|");
    for (name, batch) in BATCHES {
        if !asked.is_empty() && !asked.iter().any(|a| a == name) {
            continue;
        }
        let start = Instant::now();
        let values = each_seed(seeds, |seed| regret(&problem, &config(batch, seed)));
        let q = |level| quantile(&values, level).max(1e-12);
        let missing = batch == Pending::default() && q(0.5) > BAR;
        println!(
            "| {name} | {seeds} | {:.1e}{} | {:.1e} … {:.1e} | {:.1e} | {:.1e} |",
            q(0.5),
            if missing { " MISSED" } else { "" },
            q(0.25),
            q(0.75),
            q(0.9),
            q(1.0)
        );
        eprintln!("{name}: {:.0} s", start.elapsed().as_secs_f64());
        missed |= missing;
    }
    assert!(!missed, "the median of the default is above {BAR:.0e}");
}

/// The default with another way to reckon with open trials, and the rule that it is for.
fn config(batch: Pending, seed: u64) -> Config<'static> {
    let config = Config::default().with(|c| {
        c.seed = seed;
        c.proposal.pending = batch;
    });
    match batch {
        Pending::Temperatures => config.with(|c| {
            c.proposal.acquisition = Acquisition::LogMgf { temperature: 2.0 };
            c.proposal.schedule = Schedule::Cooling(Cooling::exponential((OPEN * ROUNDS) as u32));
        }),
        _ => config,
    }
}

/// The lowest value of one run, less the minimum.
fn regret(problem: &Problem, config: &Config<'_>) -> f64 {
    let sides = problem.lower.iter().zip(&problem.upper);
    let params: Vec<Param> = sides.map(|(&lo, &hi)| Param::real(lo, hi)).collect();
    let space = Space::new(&params, &[]).expect("a box");
    let limits = Limits::new(params.len() as u32, (OPEN * ROUNDS) as u32).open(OPEN as u32).suit(config);
    let words = vec![0; limits.words::<f64>()];
    let mut optimizer = Optimizer::<f64, _>::new(&space, config, limits, words).expect("within its limits");
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let round: Vec<_> = (0..OPEN)
            .map(|_| {
                let mut x = vec![0.0; params.len()];
                (optimizer.ask(&mut x).expect("a proposal").id, x)
            })
            .collect();
        for (id, x) in round.iter().rev() {
            let value = problem.value(x);
            optimizer.tell(*id, value).expect("an open trial");
            best = best.min(value - problem.minimum);
        }
    }
    best
}
