//! What each verb costs in units of C, one in-place Cholesky factorisation of 1000 × 1000 doubles by faer on one
//! thread of the same machine in the same run. Prints the tables of `README.md` and says which bounds hold.
//!
//! ```text
//! cargo run --release -p infill-benches --example ratios
//! ```

use std::time::{Duration, Instant};

use infill::backend::{Backend, Evidence, Inputs, Posterior};
use infill::kernel::Tape;
use infill::{Acquisition, Config, Error};
use infill_benches::{ACQUISITION, Case, backends, optimizer, shortest, unit};

/// Asks that are averaged: at 1,000 observations one of them trains again.
const ASKS: usize = 30;

fn main() {
    let unit = unit();
    println!("C = {:.2} ms\n", unit * 1e3);
    verbs(unit);
    asks(unit);
    tells(unit);
}

/// Seconds of gram, factor, invert, solve of 1,000 sides, evidence with gradient, score of 1,000 points.
fn measure(backend: &mut dyn Backend<f64>, case: &Case, repeats: usize) -> [f64; 6] {
    let (mut a, mut other, mut work) = (case.triangle(), case.triangle(), case.work());
    let mut gradient = vec![0.0; case.theta.len()];
    let mut scores = vec![0.0; case.points.len() / case.dims];
    let (tape, n) = (case.tape(), case.rows);
    let gram = shortest(repeats, || backend.gram(tape, &case.inputs(), &mut a, &mut work).unwrap());
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
    let evidence = shortest(repeats, || {
        backend.evidence(tape, &case.evidence(), &mut gradient, &mut a, &mut work).unwrap();
    });
    let score = shortest(repeats, || {
        let posterior = case.posterior();
        backend.score(tape, &posterior, ACQUISITION, -1.0, &case.points, &mut scores, &mut work).unwrap();
    });
    [gram, factor, invert, solve, evidence, score]
}

fn verbs(unit: f64) {
    println!("| n | d | backend | gram | factor | invert | solve 1000 | evidence | score 1000 |");
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|");
    let mut results = Vec::new();
    for (n, dims) in [(30, 6), (100, 6), (300, 6), (1000, 2), (1000, 6), (1000, 20)] {
        let case = Case::new(n, dims, 1000);
        let repeats = if n < 1000 { 40 } else { 7 };
        let [plain, faer] = backends().map(|(_, mut backend)| measure(&mut *backend, &case, repeats));
        for (name, times) in [("plain", plain), ("faer", faer)] {
            let cells: Vec<String> = times.iter().map(|t| format!("{:.4}", t / unit)).collect();
            println!("| {n} | {dims} | {name} | {} |", cells.join(" | "));
        }
        results.push((n, dims, plain, faer));
    }
    println!("\n| bound | measured | |\n|---|--:|---|");
    for &(n, dims, plain, faer) in &results {
        if (n, dims) == (1000, 6) {
            verdict("n = 1000: gram + factor ≤ 1.6 C", (faer[0] + faer[1]) / unit, 1.6);
            verdict("n = 1000: evidence with gradient ≤ 9 C", faer[4] / unit, 9.0);
            verdict("n = 1000: 1,000 predictions ≤ 4 C", faer[5] / unit, 4.0);
        }
        let names = ["gram", "factor", "invert", "solve", "evidence", "score"];
        let limit = if n <= 100 { 2.5 } else { 8.0 };
        if n <= 100 || n == 1000 {
            for ((name, p), f) in names.iter().zip(plain).zip(faer) {
                verdict(&format!("n = {n}, d = {dims}: Plain ≤ {limit} Faer, {name}"), p / f, limit);
            }
        }
    }
    println!();
}

fn verdict(what: &str, measured: f64, limit: f64) {
    println!("| {what} | {measured:.2} | {} |", if measured <= limit { "met" } else { "MISSED" });
}

/// A backend that notes how long training and scoring take.
struct Timed {
    inner: Box<dyn Backend<f64>>,
    training: Duration,
    evaluations: u32,
    scoring: Duration,
}

impl Timed {
    fn train<T>(&mut self, run: impl FnOnce(&mut dyn Backend<f64>) -> T) -> T {
        let start = Instant::now();
        let out = run(&mut *self.inner);
        self.training += start.elapsed();
        out
    }
}

impl Backend<f64> for Timed {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, f64>,
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.train(|inner| inner.gram(tape, inputs, out, work))
    }
    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, f64>,
        points: &[f64],
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.inner.cross(tape, inputs, points, out, work)
    }
    fn factor(&mut self, matrix: &mut [f64], rows: usize) -> Result<(), Error> {
        self.train(|inner| inner.factor(matrix, rows))
    }
    fn solve(&mut self, factor: &[f64], rows: usize, sides: &mut [f64]) -> Result<(), Error> {
        self.inner.solve(factor, rows, sides)
    }
    fn invert(&mut self, factor: &[f64], rows: usize, out: &mut [f64]) -> Result<(), Error> {
        self.inner.invert(factor, rows, out)
    }
    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, f64>,
        gradient: &mut [f64],
        factor: &mut [f64],
        work: &mut [f64],
    ) -> Result<f64, Error> {
        self.evaluations += 1;
        self.train(|inner| inner.evidence(tape, request, gradient, factor, work))
    }
    fn score(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, f64>,
        acquisition: Acquisition<f64>,
        best: f64,
        points: &[f64],
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        let start = Instant::now();
        let done = self.inner.score(tape, posterior, acquisition, best, points, out, work);
        self.scoring += start.elapsed();
        done
    }
}

/// Means over [`ASKS`] asks and tells: whole, training, scoring, the rest; evaluations of the evidence; the first ask.
fn ask(inner: Box<dyn Backend<f64>>, rows: usize) -> [f64; 6] {
    let (mut optimizer, problem) = optimizer(rows, 6, ASKS + 1, &Config::default());
    let mut timed = Timed { inner, training: Duration::ZERO, evaluations: 0, scoring: Duration::ZERO };
    let mut x = [0.0; 6];
    let start = Instant::now();
    // The first ask trains afresh, as happens again when the observations have grown by half.
    let first = optimizer.ask_with(&mut timed, &mut x).unwrap();
    optimizer.tell(first.id, problem.value(&x)).unwrap();
    let first = start.elapsed().as_secs_f64();
    (timed.training, timed.evaluations, timed.scoring) = (Duration::ZERO, 0, Duration::ZERO);
    let start = Instant::now();
    for _ in 0..ASKS {
        let ask = optimizer.ask_with(&mut timed, &mut x).unwrap();
        optimizer.tell(ask.id, problem.value(&x)).unwrap();
    }
    let whole = start.elapsed().as_secs_f64() / ASKS as f64;
    let training = timed.training.as_secs_f64() / ASKS as f64;
    let scoring = timed.scoring.as_secs_f64() / ASKS as f64;
    [whole, training, scoring, whole - training - scoring, f64::from(timed.evaluations) / ASKS as f64, first]
}

fn asks(unit: f64) {
    println!(
        "| n | backend | ask + tell | training | scoring | polish and rest | evidences an ask | first ask |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|--:|");
    let mut results = Vec::new();
    for (n, limit) in [(100, 1.3), (200, 5.0), (500, 8.0), (1000, 29.0)] {
        let repeats = if n < 500 { 3 } else { 1 };
        let runs = (0..repeats).map(|_| backends().map(|(_, backend)| ask(backend, n)));
        let shorter = |a: [f64; 6], b: [f64; 6]| if b[0] < a[0] { b } else { a };
        let [plain, faer] =
            runs.reduce(|a, b| [shorter(a[0], b[0]), shorter(a[1], b[1])]).unwrap_or_default();
        for (name, t) in [("plain", plain), ("faer", faer)] {
            let c = |i: usize| t[i] / unit;
            println!(
                "| {n} | {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} |",
                c(0),
                c(1),
                c(2),
                c(3),
                t[4],
                c(5)
            );
        }
        results.push((n, limit, plain, faer));
    }
    println!("\n| bound | measured | |\n|---|--:|---|");
    for (n, limit, plain, faer) in results {
        verdict(&format!("n = {n}: whole ask ≤ {limit} C"), faer[0] / unit, limit);
        if n == 100 || n == 1000 {
            let limit = if n == 100 { 2.5 } else { 8.0 };
            verdict(&format!("n = {n}: Plain ≤ {limit} Faer, whole ask"), plain[0] / faer[0], limit);
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
