//! Simple regret of the default optimizer on known functions, twenty seeds each.
//!
//! ```text
//! cargo run --release -p infill-tests --example regret -- [seeds] [folder]
//! ```
//!
//! Prints a table and, given a folder, writes it there as `regret.md` with the curves as `regret.png`. Fails if a
//! median is above its bar.

use infill_tests::plot::Plot;
use infill_tests::regret::{CASES, curves};
use infill_tests::summary::{median, quantile};
use std::fmt::Write;

fn main() {
    let mut args = std::env::args().skip(1);
    let seeds = args.next().map_or(20, |a| a.parse().expect("a number of seeds"));
    let folder = args.next();
    let mut table = String::from(
        "| function | evaluations | bar | median | quartiles | 90 % | worst |\n|---|---|---|---|---|---|---|\n",
    );
    let mut plot = Plot::new("median simple regret", "evaluations", "regret").log_y();
    let mut missed = false;
    for case in &CASES {
        let runs = curves(case, seeds);
        let at = |i: usize| -> Vec<f64> { runs.iter().map(|run| run[i].max(1e-12)).collect() };
        for &(evaluations, bar) in case.bars {
            let values = at(evaluations - 1);
            let q = |p| quantile(&values, p);
            let row = format!(
                "| {} | {evaluations} | {bar:.0e} | {:.1e} | {:.1e} … {:.1e} | {:.1e} | {:.1e} |",
                case.name,
                q(0.5),
                q(0.25),
                q(0.75),
                q(0.9),
                q(1.0)
            );
            println!("{row}{}", if q(0.5) <= bar { "" } else { "  MISSED" });
            missed |= q(0.5) > bar;
            writeln!(table, "{row}").expect("a string");
        }
        let medians: Vec<f64> = (0..case.evaluations).map(|i| median(&at(i))).collect();
        plot = plot.curve(case.name, &medians);
    }
    if let Some(folder) = folder {
        std::fs::write(format!("{folder}/regret.md"), table).expect("the folder can be written");
        plot.save(format!("{folder}/regret.png")).expect("the folder can be written");
    }
    assert!(!missed, "a median is above its bar");
}
