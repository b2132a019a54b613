//! Ways to choose a branch and its parameters together, ranked on a synthetic function of several branches.
//!
//! ```text
//! cargo run --release -p infill-tests --example branches -- [seeds] [evaluations] [branches] [folder] [name …]
//! ```
//!
//! Given a folder (`-` for none), writes the median curves there as `branches.png`. Fails unless no imputation is the worst of
//! the Gaussian processes, the conditional kernel with local search ranks at most 0.3 behind imputation, and every strategy
//! that selects beats random search.

use infill::compare::{Table, critical_difference, diagram, wilcoxon};
use infill_tests::contest::conditional;
use infill_tests::mixed::cash;
use infill_tests::plot::Plot;
use infill_tests::regret::each_seed;
use infill_tests::summary::{median, quantile};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |usual: usize| args.next().map_or(usual, |a| a.parse().expect("a number"));
    let (seeds, evaluations, branches) = (number(20) as u64, number(200), number(7));
    let folder = args.next().filter(|folder| folder != "-");
    let asked: Vec<String> = args.collect();
    let ways: Vec<_> = conditional(evaluations as u32)
        .into_iter()
        .filter(|way| asked.is_empty() || asked.iter().any(|a| a == way.name))
        .collect();
    let problem = cash(branches);
    let mut plot = Plot::new("median regret", "evaluations", "regret").log_y();
    let mut ends = Vec::new();
    let mut seconds = Vec::new();
    for way in &ways {
        let start = std::time::Instant::now();
        let curves = each_seed(seeds, |seed| way.curve(&problem, seed, evaluations));
        seconds.push(start.elapsed().as_secs_f64() / seeds as f64);
        let at = |i: usize| median(&curves.iter().map(|c| c[i]).collect::<Vec<_>>()).clamp(1e-12, 1.0);
        plot = plot.curve(way.name, &(0..evaluations).map(at).collect::<Vec<_>>());
        ends.push(curves.iter().map(|curve| curve[evaluations - 1]).collect::<Vec<f64>>());
    }
    let rows: Vec<Vec<f64>> =
        (0..seeds as usize).map(|seed| ends.iter().map(|values| values[seed]).collect()).collect();
    let table = Table::from_rows(&rows).expect("a table");
    let ranks = table.ranks();
    let random = ways.iter().position(|way| way.name == "random");
    println!("{branches} branches, {evaluations} evaluations, {seeds} seeds\n");
    println!("| way | rank | median | quartiles | p against random | s a run |\n|---|---|---|---|---|---|");
    let mut order: Vec<usize> = (0..ways.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    for i in order {
        let q = |level| quantile(&ends[i], level);
        let p = random.filter(|&r| r != i).map_or(String::new(), |r| {
            format!("{:.1e}", wilcoxon(&ends[i], &ends[r]).map_or(f64::NAN, |test| test.p))
        });
        println!(
            "| {} | {:.2} | {:.1e} | {:.1e} … {:.1e} | {p} | {:.2} |",
            ways[i].name,
            ranks[i],
            q(0.5),
            q(0.25),
            q(0.75),
            seconds[i]
        );
    }
    let names: Vec<&str> = ways.iter().map(|way| way.name).collect();
    if let (Ok(friedman), Ok(difference)) =
        (table.friedman(), critical_difference(ways.len(), seeds as usize, 0.05))
    {
        println!(
            "\nFriedman, Iman–Davenport: p = {:.1e}; critical difference {difference:.2}\n",
            friedman.corrected_p
        );
        println!("```text\n{}\n```", diagram(&names, &ranks, difference, 72).expect("ranks"));
    }
    if let Some(folder) = folder {
        plot.save(format!("{folder}/branches.png")).expect("the folder can be written");
    }
    let rank = |name: &str| ways.iter().position(|way| way.name == name).map(|i| ranks[i]);
    let mut missed = Vec::new();
    let mut demand = |holds: Option<bool>, what: &'static str| {
        if holds == Some(false) {
            missed.push(what);
        }
    };
    for name in ["gp-impute", "gp-impute-ls", "gp-cond", "gp-cond-ls"] {
        let holds = rank("gp-noimpute").zip(rank(name)).map(|(none, other)| none > other);
        demand(holds, "no imputation is the worst of the processes");
    }
    let holds = rank("gp-cond-ls").zip(rank("gp-impute-ls")).map(|(cond, imputed)| cond <= imputed + 0.3);
    demand(holds, "the conditional kernel is at most 0.3 behind imputation");
    for name in ["ego-impute", "ego-ss", "ego-ws", "ego-baseline"] {
        let holds = rank(name).zip(rank("random")).map(|(ours, random)| ours < random);
        demand(holds, "every strategy that selects beats random search");
    }
    assert!(missed.is_empty(), "missed: {missed:?}");
}
