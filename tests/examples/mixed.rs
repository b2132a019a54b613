//! One preset against random search and an evolution strategy on barriers and mixed-integer landscapes, and beside
//! Parzen estimators where categories move the optimum.
//!
//! ```text
//! cargo run --release -p infill-tests --example mixed -- [instances] [runs] [folder]
//! ```
//!
//! Ten instances (0 for the last table alone), five runs of 200 evaluations each, paired by instance and seed. Given a folder, writes the median curves
//! there as `mixed.png`. Fails unless the preset beats both with p < 0.01 by Wilcoxon's test (at K = 14: is not beaten),
//! and its median is at most half of that of Parzen estimators.

use infill::Baseline;
use infill::compare::wilcoxon;
use infill_tests::contest::Way;
use infill_tests::mixed::{Mixed, barrier, kinds, landscape};
use infill_tests::plot::Plot;
use infill_tests::regret::each_seed;
use infill_tests::summary::{median, quantile};

/// Named before the runs were made.
const PRESET: &str = "default";
const EVALUATIONS: usize = 200;
/// Below, a difference counts.
const LEVEL: f64 = 0.01;

/// A problem of an instance, what it is called, and whether the preset has to win.
type Named = (&'static str, fn(u64) -> Mixed, bool);

const PROBLEMS: [Named; 10] = [
    ("barrier, C = 20", |instance| barrier(20, instance), true),
    ("barrier, C = 100", |instance| barrier(100, instance), true),
    ("barrier, C = 300", |instance| barrier(300, instance), true),
    ("barrier, C = 500", |instance| barrier(500, instance), true),
    ("barrier, C = 1000", |instance| barrier(1000, instance), true),
    ("landscape, K = 1", |instance| landscape(1, instance), true),
    ("landscape, K = 3", |instance| landscape(3, instance), true),
    ("landscape, K = 5", |instance| landscape(5, instance), true),
    ("landscape, K = 10", |instance| landscape(10, instance), true),
    ("landscape, K = 14", |instance| landscape(14, instance), false),
];

fn main() {
    let mut args = std::env::args().skip(1);
    let instances: u64 = args.next().map_or(10, |a| a.parse().expect("a number of instances"));
    let runs: u64 = args.next().map_or(5, |a| a.parse().expect("a number of runs"));
    let folder = args.next();
    let ways =
        [Way::free("random", Baseline::Random), Way::free("mi-es", Baseline::MI_ES), Way::preset(PRESET)];
    let mut plot = Plot::new("median regret over the first value", "evaluations", "regret").log_y();
    let mut missed = Vec::new();
    println!(
        "| | random | MI-ES | {PRESET} | p, random | p, MI-ES | s a run |\n|---|---|---|---|---|---|---|"
    );
    for (name, problem, win) in PROBLEMS.into_iter().filter(|_| instances * runs > 0) {
        let mut ends = Vec::new();
        let mut seconds = 0.0;
        for way in &ways {
            let start = std::time::Instant::now();
            let curves = each_seed(instances * runs, |k| way.curve(&problem(1 + k / runs), k, EVALUATIONS));
            seconds = start.elapsed().as_secs_f64() / (instances * runs) as f64;
            ends.push(curves.iter().map(|curve| curve[EVALUATIONS - 1]).collect::<Vec<f64>>());
            if name.ends_with("C = 1000") || name.ends_with("K = 5") {
                let share =
                    |i: usize| median(&curves.iter().map(|c| c[i] / c[0]).collect::<Vec<_>>()).max(1e-3);
                let label = format!("{name}: {}", way.name);
                plot = plot.curve(&label, &(0..EVALUATIONS).map(share).collect::<Vec<_>>());
            }
        }
        let odds: Vec<f64> =
            ends[..2].iter().map(|other| wilcoxon(&ends[2], other).expect("pairs").p).collect();
        let cell = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let digits = if mean > 10.0 { 0 } else { 4 };
            format!("{mean:.digits$} (median {:.digits$})", median(values))
        };
        let [random, strategy, preset] = [0, 1, 2].map(|i| cell(&ends[i]));
        println!(
            "| {name} | {random} | {strategy} | {preset} | {:.1e} | {:.1e} | {seconds:.2} |",
            odds[0], odds[1]
        );
        for (other, p) in ends[..2].iter().zip(odds) {
            // Which way the difference goes: more runs that are better than worse.
            let net: i64 = ends[2].iter().zip(other).map(|(a, b)| i64::from(a < b) - i64::from(a > b)).sum();
            if if win { net <= 0 || p >= LEVEL } else { net < 0 && p < LEVEL } {
                missed.push(name);
            }
        }
    }
    if let Some(folder) = folder {
        plot.save(format!("{folder}/mixed.png")).expect("the folder can be written");
    }
    println!("\n| every kind, evaluations | {PRESET} | tpe | ratio |\n|---|---|---|---|");
    let [ours, theirs] = [Way::preset(PRESET), Way::free("tpe", Baseline::TPE)]
        .map(|way| each_seed(20, |seed| way.curve(&kinds(), seed, 100)));
    for evaluations in [50, 100] {
        let at =
            |curves: &[Vec<f64>]| -> Vec<f64> { curves.iter().map(|curve| curve[evaluations - 1]).collect() };
        let [ours, theirs] = [at(&ours), at(&theirs)];
        let show =
            |v: &[f64]| format!("{:.2e} [{:.1e} … {:.1e}]", median(v), quantile(v, 0.25), quantile(v, 0.75));
        let ratio = median(&ours) / median(&theirs);
        println!("| {evaluations} | {} | {} | {ratio:.2} |", show(&ours), show(&theirs));
        if ratio > 0.5 || ratio.is_nan() {
            missed.push("every kind");
        }
    }
    assert!(missed.is_empty(), "missed: {missed:?}");
}
