//! What each verb costs in units of C, one in-place Cholesky factorisation of 1000 × 1000 doubles by faer on one
//! thread of the same machine in the same run. Prints the tables of `README.md` and says which bounds hold.
//!
//! ```text
//! cargo run --release -p infill-benches --example ratios
//! ```
//!
//! Other work on the machine only ever makes a run longer. So everything is repeated in rounds, each of which measures
//! C as well, and the shortest time of each counts. An ask does the same in every round: the shortest of each is taken
//! before the mean.

use std::time::{Duration, Instant};

use infill::Config;
use infill::backend::{Backend, Evidence, Gram};
use infill_benches::{Case, Timed, backends, optimizer, shortest, unit};

/// Asks that are averaged: at 1,000 observations one of them trains again.
const ASKS: usize = 30;

fn main() {
    let mut least = f64::INFINITY;
    let verbs = verbs(&mut least);
    let asks = asks(&mut least);
    println!("C = {:.2} ms\n", least * 1e3);
    print_verbs(&verbs, least);
    print_asks(&asks, least);
    tells(least);
}

/// Rows, dimensions, and the seconds of each verb by the two backends.
type Verbs = (usize, usize, [[f64; 6]; 2]);

/// Rows, and what [`ask`] found for the two backends.
type Asks = (usize, [[f64; 6]; 2]);

/// Seconds of gram, factor, invert, solve of 1,000 sides, evidence with gradient, score of 1,000 points.
fn measure(backend: &mut dyn Backend<f64>, case: &Case, repeats: usize) -> [f64; 6] {
    let (mut a, mut other, mut work) = (case.triangle(), case.triangle(), case.work());
    let mut gradient = vec![0.0; case.theta.len()];
    let mut scores = vec![0.0; case.points.len() / case.dims];
    let (tape, n) = (case.tape(), case.rows);
    let inputs = &case.inputs();
    let gram = shortest(repeats, || backend.gram(&Gram { tape, inputs }, &mut a, &mut work).unwrap());
    for i in 0..n {
        a[i * (i + 1) / 2 + i] += 1e-4;
    }
    let filled = a.clone();
    let mut factor = f64::INFINITY;
    for _ in 0..repeats {
        a.copy_from_slice(&filled);
        let start = Instant::now();
        backend.factor(&mut a, n).unwrap();
        factor = factor.min(start.elapsed().as_secs_f64());
    }
    let invert = shortest(repeats, || backend.invert(&a, n, &mut other).unwrap());
    let mut sides = vec![1.0; n * scores.len()];
    let mut solve = f64::INFINITY;
    for _ in 0..repeats {
        sides.fill(1.0);
        let start = Instant::now();
        backend.solve(&a, n, &mut sides).unwrap();
        solve = solve.min(start.elapsed().as_secs_f64());
    }
    let request = Evidence { tape, regression: &case.regression() };
    let evidence = shortest(repeats, || {
        backend.evidence(&request, &mut gradient, &mut a, &mut work).unwrap();
    });
    let posterior = case.posterior();
    let request = case.score(&posterior, &case.points);
    let score = shortest(repeats, || backend.score(&request, &mut scores, &mut work).unwrap());
    [gram, factor, invert, solve, evidence, score]
}

fn verbs(least: &mut f64) -> Vec<Verbs> {
    let mut results = Vec::new();
    for (n, dims) in [(30, 6), (100, 6), (300, 6), (1000, 2), (1000, 6), (1000, 20)] {
        let case = Case::new(n, dims, 1000);
        let mut times = [[f64::INFINITY; 6]; 2];
        let mut both = backends();
        for _ in 0..12 {
            *least = least.min(unit());
            for ((_, backend), times) in both.iter_mut().zip(&mut times) {
                let measured = measure(&mut **backend, &case, if n < 1000 { 4 } else { 2 });
                times.iter_mut().zip(measured).for_each(|(t, m)| *t = t.min(m));
            }
        }
        results.push((n, dims, times));
    }
    results
}

fn print_verbs(results: &[Verbs], unit: f64) {
    println!("| n | d | backend | gram | factor | invert | solve 1000 | evidence | score 1000 |");
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|");
    for (n, dims, times) in results {
        for (name, times) in ["plain", "faer"].iter().zip(times) {
            let cells: Vec<String> = times.iter().map(|t| format!("{:.4}", t / unit)).collect();
            println!("| {n} | {dims} | {name} | {} |", cells.join(" | "));
        }
    }
    println!("\n| bound | measured | |\n|---|--:|---|");
    for &(n, dims, [plain, faer]) in results {
        if (n, dims) == (1000, 6) {
            verdict("n = 1000, d = 6: gram + factor ≤ 1.6 C", (faer[0] + faer[1]) / unit, 1.6);
            verdict("n = 1000, d = 6: evidence with gradient ≤ 9 C", faer[4] / unit, 9.0);
            verdict("n = 1000, d = 6: 1,000 predictions ≤ 4 C", faer[5] / unit, 4.0);
        }
        let limit = if n <= 100 { 2.5 } else { 8.0 };
        if n <= 100 || n == 1000 {
            let names = ["gram", "factor", "invert", "solve", "evidence", "score"];
            for ((name, p), f) in names.iter().zip(plain).zip(faer) {
                verdict(&format!("n = {n}, d = {dims}: plain ≤ {limit} faer, {name}"), p / f, limit);
            }
        }
    }
    println!();
}

fn verdict(what: &str, measured: f64, limit: f64) {
    println!("| {what} | {measured:.2} | {} |", if measured <= limit { "met" } else { "MISSED" });
}

/// What one ask and tell took: whole, training, scoring.
type Parts = [f64; 3];

/// Means over [`ASKS`] asks and tells: whole, training, scoring, the rest; evaluations of the evidence; the first ask.
fn ask(name: usize, rows: usize, rounds: usize, least: &mut f64) -> [f64; 6] {
    let mut shortest = [[f64::INFINITY; 3]; ASKS + 1];
    let mut evaluations = 0;
    for _ in 0..rounds {
        *least = least.min(unit());
        let (mut optimizer, problem) = optimizer(rows, 6, ASKS + 1, &Config::default());
        let [plain, faer] = backends().map(|(_, backend)| backend);
        let inner = if name == 0 { plain } else { faer };
        let mut timed = Timed::new(inner);
        let mut x = [0.0; 6];
        for (k, shortest) in shortest.iter_mut().enumerate() {
            (timed.training, timed.scoring) = (Duration::ZERO, Duration::ZERO);
            let start = Instant::now();
            let ask = optimizer.ask_with(&mut timed, &mut x).unwrap();
            optimizer.tell(ask.id, problem.value(&x)).unwrap();
            let parts: Parts = [start.elapsed(), timed.training, timed.scoring].map(|t| t.as_secs_f64());
            if parts[0] < shortest[0] {
                *shortest = parts;
            }
            if k == 0 {
                timed.evaluations = 0;
            }
        }
        evaluations = timed.evaluations;
    }
    // The first ask trains afresh, which happens again when the observations have grown by half: it stands apart.
    let mean = |part: usize| shortest[1..].iter().map(|t| t[part]).sum::<f64>() / ASKS as f64;
    let (whole, training, scoring) = (mean(0), mean(1), mean(2));
    let rest = whole - training - scoring;
    [whole, training, scoring, rest, f64::from(evaluations) / ASKS as f64, shortest[0][0]]
}

fn asks(least: &mut f64) -> Vec<Asks> {
    let mut results = Vec::new();
    for n in [100, 200, 500, 1000] {
        let rounds = if n < 1000 { 4 } else { 2 };
        results.push((n, [ask(0, n, rounds, least), ask(1, n, 2 * rounds, least)]));
    }
    results
}

fn print_asks(results: &[Asks], unit: f64) {
    println!(
        "| n | backend | ask + tell | training | scoring | polish and rest | evidences an ask | first ask |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|--:|");
    for (n, times) in results {
        for (name, t) in ["plain", "faer"].iter().zip(times) {
            let cells: Vec<String> = t[..4].iter().map(|t| format!("{:.2}", t / unit)).collect();
            println!("| {n} | {name} | {} | {:.1} | {:.0} |", cells.join(" | "), t[4], t[5] / unit);
        }
    }
    println!("\n| bound | measured | |\n|---|--:|---|");
    for (&(n, [plain, faer]), limit) in results.iter().zip([1.3, 5.0, 8.0, 29.0]) {
        verdict(&format!("n = {n}: whole ask ≤ {limit} C"), faer[0] / unit, limit);
        if n == 100 || n == 1000 {
            let limit = if n == 100 { 2.5 } else { 8.0 };
            verdict(&format!("n = {n}: plain ≤ {limit} faer, whole ask"), plain[0] / faer[0], limit);
        }
    }
    println!();
}

/// The slope of the cost of a tell between n and 2n on logarithmic axes.
fn tells(unit: f64) {
    println!("| n | tell | slope |\n|--:|--:|--:|");
    let mut before: Option<f64> = None;
    for n in [250, 500, 1000, 2000] {
        let (mut optimizer, problem) = optimizer(n, 6, 24, &Config::default());
        let mut best = f64::INFINITY;
        let mut x = [0.0; 6];
        // The factor exists after the first prediction; each tell then appends a row.
        optimizer.predict(&x).unwrap();
        for k in 0..20 {
            x.iter_mut().enumerate().for_each(|(i, v)| *v = -9.0 + ((k * 7 + i * 5) % 18) as f64);
            let value = problem.value(&x);
            let start = Instant::now();
            optimizer.observe(&x, value).unwrap();
            best = best.min(start.elapsed().as_secs_f64());
        }
        let slope = before.map_or(String::new(), |b| format!("{:.2}", (best / b).log2()));
        println!("| {n} | {:.4} | {slope} |", best / unit);
        before = Some(best);
    }
}
