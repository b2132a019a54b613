//! What sources cost: building them, and asking with them, in units of the covariances that their means are made of.
//!
//! ```text
//! cargo run --release -p infill-tests --example sources -- [rounds]
//! ```
//!
//! Sources have 100 points in five dimensions. An ask with them is compared with a plain ask of the same run, and what it takes longer
//! with `Backend::cross` between all their rows and as many candidates as an ask looks at. Everything is repeated in rounds, of each the
//! shortest time counts: other work on the machine only ever makes a run longer. Says which bounds hold.

use std::time::Instant;

use infill::backend::{Backend, Cross, Inputs};
use infill::kernel::{Dims, Kernel, Tape};
use infill::linalg::Blocks;
use infill::transfer::{Form, How, Sources, Start, Transfer, Weights};
use infill::{Config, Optimizer, Param, Plain, Space};
use infill_tests::random::SplitMix64;

const DIMS: usize = 5;
const ROWS: usize = 100;
const COUNTS: [usize; 5] = [10, 25, 50, 100, 200];
/// Told trials of the run that asks.
const TRIALS: usize = 20;

fn main() {
    let rounds = std::env::args().nth(1).map_or(5, |text| text.parse().expect("a number of rounds"));
    let words = build(rounds);
    ask(&words, rounds);
}

fn params() -> [Param<'static>; DIMS] {
    core::array::from_fn(|_| Param::real(0.0, 1.0))
}

/// A valley somewhere in the middle, with a ripple.
fn value(center: &[f64], point: &[f64]) -> f64 {
    let gaps = center.iter().zip(point).map(|(c, x)| (x - c).powi(2));
    gaps.sum::<f64>() + 0.1 * (9.0 * point[0] + 5.0 * center[0]).sin()
}

fn center(seed: u64) -> [f64; DIMS] {
    let mut random = SplitMix64::new(seed);
    core::array::from_fn(|_| random.between(0.2, 0.8))
}

/// Seconds and words of one source.
fn source(seed: u64, rounds: usize) -> (f64, Vec<u64>) {
    let params = params();
    let space = Space::new(&params, &[]).expect("a space");
    let config = Config { seed, ..Config::default() };
    let mut run =
        Optimizer::<f64, _>::with_limits(&space, &config, space.limits(ROWS as u32)).expect("a run");
    let mut random = SplitMix64::new(1000 + seed);
    for _ in 0..ROWS {
        let point: [f64; DIMS] = core::array::from_fn(|_| random.uniform());
        run.observe(&point, value(&center(seed), &point)).expect("a trial");
    }
    let size = run.source_size(Form::Means, 0).expect("a size");
    let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    let seconds = shortest(rounds, || {
        run.export(Form::Means, &[], &mut work, &mut words).expect("a source");
    });
    (seconds, words)
}

/// Builds the sources, and says what that takes as their number grows.
fn build(rounds: usize) -> Vec<Vec<u64>> {
    let most = COUNTS[COUNTS.len() - 1];
    let (seconds, words): (Vec<f64>, Vec<_>) = (0..most).map(|i| source(i as u64, rounds.min(2))).unzip();
    println!("| sources | ms | a source |\n|--:|--:|--:|");
    let sums = COUNTS.map(|count| seconds[..count].iter().sum::<f64>());
    for (count, sum) in COUNTS.iter().zip(sums) {
        println!("| {count} | {:.1} | {:.2} |", 1e3 * sum, 1e3 * sum / *count as f64);
    }
    println!("\n| bound | measured | |\n|---|--:|---|");
    let slope = slope(&COUNTS.map(|count| count as f64), &sums);
    verdict("building d sources: |slope in d − 1| ≤ 0.05", (slope - 1.0).abs(), 0.05);
    println!();
    words
}

/// Seconds of the covariances between all rows of the sources and so many points.
fn cross(sources: &Sources<'_, f64>, candidates: usize, rounds: usize) -> f64 {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let (mut nodes, mut lists) = ([0; 4], [0; 4]);
    kernel.write(DIMS, &mut nodes, &mut lists).expect("a kernel");
    let tape = Tape::attach(&nodes, &lists, DIMS).expect("a kernel");
    let mut random = SplitMix64::new(5);
    let points: Vec<f64> = (0..candidates * DIMS).map(|_| random.uniform()).collect();
    let mut work = vec![0.0; Tape::scratch(ROWS, DIMS, tape.thetas())];
    let mut out = vec![0.0; candidates * ROWS];
    shortest(rounds, || {
        for source in sources.iter() {
            let (theta, x, rows) = (&source.theta()[..tape.thetas()], source.points(), source.rows());
            let inputs = Inputs { theta, x, rows, nugget: 0.0, blocks: Blocks::default() };
            Plain
                .cross(&Cross { tape, inputs: &inputs, points: &points }, &mut out, &mut work)
                .expect("covariances");
        }
    })
}

/// Seconds of an ask after some trials, with and without sources.
fn asks(how: How, sources: &Sources<'_, f64>, rounds: usize) -> [f64; 2] {
    let params = params();
    let space = Space::new(&params, &[]).expect("a space");
    let transfer = Transfer { start: Start::Cover, trials: 3, how, keep: 1.0 };
    let config = Config { seed: 3, transfer, ..Config::default() };
    let limits = space.limits(TRIALS as u32 + 5).sources(COUNTS[COUNTS.len() - 1] as u32).suit(&config);
    let mut run = Optimizer::<f64, _>::with_limits(&space, &config, limits).expect("a run");
    let mut random = SplitMix64::new(77);
    for _ in 0..TRIALS {
        let point: [f64; DIMS] = core::array::from_fn(|_| random.uniform());
        run.observe(&point, value(&center(1 << 20), &point)).expect("a trial");
    }
    [&Sources::default(), sources].map(|sources| {
        let mut point = [0.0; DIMS];
        // Trained before, so that both only search.
        let mut first = run.clone();
        let ask = first.ask_from(sources, &mut Plain, &mut point).expect("a point");
        first.forget(ask.id).expect("a trial");
        let mut seconds = f64::INFINITY;
        for _ in 0..rounds {
            let mut run = first.clone();
            let begun = Instant::now();
            run.ask_from(sources, &mut Plain, &mut point).expect("a point");
            seconds = seconds.min(begun.elapsed().as_secs_f64());
        }
        seconds
    })
}

/// Asks with sources of every number, by the methods that ask all of them for means.
fn ask(words: &[Vec<u64>], rounds: usize) {
    let search = Config::default().search;
    let candidates = (search.global + search.local) as usize;
    // So wide that every source counts.
    let all = Weights::Ranks { rho: 10.0 };
    let hows = [
        ("TST", How::Stage(all)),
        ("TAF", How::Value(all)),
        ("AHT", How::Function { alpha: 0.5, growth: 0 }),
        ("prior", How::Prior),
    ];
    println!("| method | sources | plain ask ms | ask ms | cross ms | (ask − plain)/cross |");
    println!("|---|--:|--:|--:|--:|--:|");
    let mut found = Vec::new();
    for (name, how) in hows {
        let mut more = Vec::new();
        let mut ratio = 0.0;
        for count in COUNTS {
            let list = words[..count].concat();
            let sources = Sources::attach(&list).expect("sources");
            let [plain, ask] = asks(how, &sources, rounds);
            let cross = cross(&sources, candidates, rounds);
            ratio = (ask - plain) / cross;
            more.push(ask);
            let [plain_ms, ask_ms, cross_ms] = [plain, ask, cross].map(|seconds| 1e3 * seconds);
            println!("| {name} | {count} | {plain_ms:.1} | {ask_ms:.1} | {cross_ms:.1} | {ratio:.2} |");
        }
        found.push((name, ratio, slope(&COUNTS.map(|count| (count * ROWS) as f64), &more)));
    }
    println!("\n| bound | measured | |\n|---|--:|---|");
    for (name, ratio, slope) in found {
        verdict(&format!("{name}, 200 sources: (ask − plain ask)/cross ≤ 1.3"), ratio, 1.3);
        verdict(&format!("{name}: slope of an ask in rows ≤ 1.05"), slope, 1.05);
    }
}

fn shortest(rounds: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64()
    };
    (0..rounds.max(1)).map(time).fold(f64::INFINITY, f64::min)
}

/// The slope of a line through the logarithms.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<_>>();
    let (x, y) = (logs(x), logs(y));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let (up, below) = x
        .iter()
        .zip(&y)
        .fold((0.0, 0.0), |(up, below), (x, y)| (up + (x - mx) * (y - my), below + (x - mx).powi(2)));
    up / below
}

fn verdict(what: &str, measured: f64, limit: f64) {
    println!("| {what} | {measured:.2} | {} |", if measured <= limit { "met" } else { "MISSED" });
}
