//! Chooses among seven learners and tunes the chosen one, on data that ship with the learners: every strategy side by side.
//!
//! ```text
//! cargo run --release -p infill-benches --features learners --example cash -- [evaluations] [repetitions] [data set …]
//! ```
//!
//! The learners are those of smartcore, the objective the error of stratified 5-fold cross validation, the folds the same
//! for all. The space is that of the literature as far as there are such learners: logistic regression stands for boosting and
//! Bernoulli's naive Bayes for discriminants. A learner that panics or gives no number has failed.
//!
//! # References
//! Guo, "A new approach towards the combined algorithm selection and hyper-parameter optimization problem", 2019, §6.2.

use infill::Space;
use infill::compare::{Table, critical_difference, diagram};
use infill_benches::learners::data::{Data, shipped};
use infill_benches::learners::{LEARNERS, cross_validated, first_of, quieten, space};
use infill_tests::contest::{Way, conditional};
use std::time::Instant;

/// Those that are compared.
const WAYS: [&str; 8] =
    ["random", "tpe", "smac", "gp-cond-ls", "ego-impute", "ego-ss", "ego-ws", "ego-baseline"];

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |usual: usize| args.next().map_or(usual, |a| a.parse().expect("a number"));
    let (evaluations, repetitions) = (number(40), number(2));
    let asked: Vec<String> = args.collect();
    let is_asked = |data: &Data| asked.is_empty() || asked.iter().any(|a| a == data.name);
    let sets: Vec<Data> = shipped().into_iter().filter(is_asked).collect();
    assert!(!sets.is_empty(), "no data set of this name");
    let (params, conditions) = space();
    let space = Space::new(&params, &conditions).expect("a space");
    let mut ways: Vec<Way> = conditional(evaluations as u32);
    ways.retain(|way| WAYS.contains(&way.name));
    quieten();

    let mut rows = Vec::new();
    let mut means = vec![Vec::new(); ways.len()];
    let mut seconds = vec![0.0; ways.len()];
    let (mut failures, mut chosen) = (0, vec![0; LEARNERS.len()]);
    for data in &sets {
        let first = rows.len();
        for seed in 0..repetitions as u64 {
            let mut row = Vec::new();
            for (way, time) in ways.iter().zip(&mut seconds) {
                let start = Instant::now();
                let mut best = (f64::INFINITY, 0);
                let mut objective = |x: &[f64]| {
                    let learner = x[0] as usize;
                    let error = cross_validated(data, learner, &x[first_of(learner)..]);
                    failures += usize::from(error.is_none());
                    if error.is_some_and(|error| error < best.0) {
                        best = (error?, learner);
                    }
                    error
                };
                way.run(&space, LEARNERS.len() as u32, seed, evaluations, &mut objective);
                *time += start.elapsed().as_secs_f64();
                chosen[best.1] += 1;
                row.push(best.0);
            }
            rows.push(row);
        }
        for (i, mean) in means.iter_mut().enumerate() {
            let sum: f64 = rows[first..].iter().map(|row: &Vec<f64>| row[i]).sum();
            mean.push(sum / repetitions as f64);
        }
    }

    println!("{evaluations} evaluations, {repetitions} repetitions; mean error in percent\n");
    print!("| strategy |");
    sets.iter().for_each(|data| print!(" {} |", data.name));
    println!(" mean | rank | s a run |\n|---|{}", "---|".repeat(sets.len() + 3));
    let table = Table::from_rows(&rows).expect("a table");
    let ranks = table.ranks();
    let runs = rows.len() as f64;
    for (i, way) in ways.iter().enumerate() {
        print!("| {} |", way.name);
        means[i].iter().for_each(|error| print!(" {:.2} |", 100.0 * error));
        let mean = means[i].iter().sum::<f64>() / means[i].len() as f64;
        println!(" {:.2} | {:.2} | {:.1} |", 100.0 * mean, ranks[i], seconds[i] / runs);
    }
    let names: Vec<&str> = ways.iter().map(|way| way.name).collect();
    if let Ok(difference) = critical_difference(ways.len(), rows.len(), 0.05) {
        println!("\n```text\n{}\n```", diagram(&names, &ranks, difference, 72).expect("ranks"));
    }
    println!("\nlearners that failed: {failures} of {} evaluations", rows.len() * ways.len() * evaluations);
    print!("chosen in the end:");
    LEARNERS.iter().zip(chosen).for_each(|((name, _), count)| print!(" {name} {count};"));
    println!();
}
