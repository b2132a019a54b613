//! A kernel that is zero between branches: one factor for each of them against one for all.
//!
//! A table of single runs is printed first, each step with and without knowledge of the branches in turn; criterion then
//! measures a tell.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::backend::{Backend, Objective, Score};
use infill::config::{Branches, Similarity};
use infill::gp::{Gp, Size, Split};
use infill::kernel::{Covariance, Dims, Kernel, Tape};
use infill::lbfgs::Budget;
use infill::rng::{self, Generator};
use infill::search::Method;
use infill::{
    Acquisition, Condition, Config, Error, Optimizer, Param, Plain, Search, Space, Training, Trend, When,
};

const DIMS: usize = 6;
const BRANCHES: usize = 9;
const ROWS: [usize; 2] = [300, 2_000];
const CANDIDATES: usize = 900;

/// A tape that does not say that it has branches, with the same loops otherwise.
struct Hidden<'a>(Tape<'a>);

impl Covariance<f64> for Hidden<'_> {
    fn thetas(&self) -> usize {
        self.0.thetas()
    }

    fn eval(&self, theta: &[f64], a: &[f64], b: &[f64]) -> f64 {
        self.0.eval(theta, a, b)
    }

    fn gradient(&self, theta: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) {
        self.0.gradient(theta, a, b, out);
    }

    fn gradient_x(&self, theta: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) -> bool {
        self.0.gradient_x(theta, a, b, out)
    }

    fn gram(
        &self,
        theta: &[f64],
        x: &[f64],
        n: usize,
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.0.gram(theta, x, n, out, work)
    }

    fn cross(
        &self,
        theta: &[f64],
        x: &[f64],
        point: &[f64],
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.0.cross(theta, x, point, out, work)
    }

    fn weighted_gradient(
        &self,
        theta: &[f64],
        x: &[f64],
        n: usize,
        weights: &[f64],
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.0.weighted_gradient(theta, x, n, weights, out, work)
    }
}

/// The small size alone where each bench is only tried.
fn sizes() -> &'static [usize] {
    if std::env::args().any(|argument| argument == "--test") { &ROWS[..1] } else { &ROWS }
}

/// Coordinate 0 names the branch.
fn kernel() -> (Kernel, [u64; 64], [u64; 64]) {
    let branch = Kernel::branch(Dims::list(&[0]));
    let kernel = Kernel::matern52(Dims::range(1, 5)).ard().times(branch).unwrap().scaled();
    let (mut nodes, mut lists) = ([0; 64], [0; 64]);
    kernel.write(DIMS, &mut nodes, &mut lists).unwrap();
    (kernel, nodes, lists)
}

/// A point of branch `i` modulo their number.
fn point(i: usize, generator: &mut Generator) -> [f64; DIMS] {
    let branch = (i % BRANCHES) as f64 / BRANCHES as f64;
    core::array::from_fn(|k| if k == 0 { branch } else { rng::uniform(generator) })
}

/// A process of so many observations and room for one more.
fn process<'a, C: Covariance<f64>>(
    kernel: &Kernel,
    covariance: &C,
    rows: usize,
    block: &'a mut Vec<u64>,
) -> Gp<'a, f64> {
    let size =
        Size { rows: rows + 1, exact: rows + 1, dims: DIMS, thetas: DIMS, columns: 1, batch: CANDIDATES };
    *block = vec![0; size.words::<f64>()];
    let mut gp = Gp::new(kernel, Trend::Constant, size, block).unwrap();
    let mut generator = Generator::new(1);
    for i in 0..rows {
        let x = point(i, &mut generator);
        gp.push(&x, x.iter().map(|v| (5.0 * v).sin()).sum(), 0.0).unwrap();
    }
    gp.fit(covariance, &mut Plain).unwrap();
    gp
}

/// The least time of a step in so many runs, which other work on the machine disturbs least.
fn least(times: usize, mut step: impl FnMut()) -> Duration {
    step();
    let run = |_| {
        let start = Instant::now();
        step();
        start.elapsed()
    };
    (0..times).map(run).min().unwrap_or_default()
}

/// Times of: a row more, α of all rows, scores, evidence with its gradient, a fit.
fn steps<C: Covariance<f64>>(kernel: &Kernel, covariance: &C, tape: Tape<'_>, rows: usize) -> [Duration; 5] {
    let mut block = Vec::new();
    let mut gp = process(kernel, covariance, rows, &mut block);
    let mut generator = Generator::new(2);
    let mut turn = 0;
    let tell = least(200, || {
        turn += 1;
        gp.extend(covariance, &point(turn, &mut generator), 0.5, 0.0).unwrap();
        gp.truncate(rows);
    });
    let refresh = least(50, || gp.refresh().unwrap());
    let points: Vec<f64> = (0..CANDIDATES).flat_map(|i| point(i, &mut generator)).collect();
    let mut scores = vec![0.0; CANDIDATES];
    let score = least(5, || {
        let Split { posterior, work, .. } = gp.split().unwrap();
        let acquisition = Acquisition::Improvement { margin: 0.0 };
        let request = Score { tape, posterior: &posterior, acquisition, best: 0.0, points: &points };
        Plain.score(&request, &mut scores, work).unwrap();
        black_box(&scores);
    });
    let mut gradient = [0.0; DIMS + 1];
    let evidence = least(3, || {
        gp.evidence(covariance, &mut Plain, Objective::Evidence, &mut gradient).unwrap();
    });
    let fit = least(3, || gp.fit(covariance, &mut Plain).unwrap());
    [tell, refresh, score, evidence, fit]
}

/// The least time in which an optimizer of so many observations takes one more value.
///
/// A category decides which two of eighteen reals matter; points come from the queue, so that no ask is searched for.
fn whole(branches: Branches, rows: usize) -> Duration {
    let mut params = vec![Param::categorical(BRANCHES as u32)];
    let mut conditions = Vec::new();
    for i in 0..2 * BRANCHES {
        params.push(Param::real(0.0, 1.0));
        conditions.push(Condition::new(i as u32 + 1, 0, When::Equals((i / 2) as f64)));
    }
    let space = Space::new(&params, &conditions).unwrap();
    let base = Config::default();
    let budget = Budget { evaluations: 1, ..base.surrogate.training.budget };
    let config = base.with(|c| {
        c.surrogate.similarity = Similarity { branches, ..base.surrogate.similarity };
        c.surrogate.training = Training { restarts: 0, draws: 0, budget, ..base.surrogate.training };
        c.search = Search { method: Method::Random, global: 1, ..base.search };
    });
    let tells = 60;
    let limits = space.limits((rows + tells + 1) as u32).suit(&config);
    let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
    let mut generator = Generator::new(1);
    let mut some = |i: usize| -> Vec<f64> {
        let mut x = vec![(i % BRANCHES) as f64];
        x.extend((0..2 * BRANCHES).map(|_| rng::uniform::<f64, _>(&mut generator)));
        x
    };
    for i in 0..rows {
        let x = some(i);
        optimizer.observe(&x, x[1 + 2 * (i % BRANCHES)]).unwrap();
    }
    let mut x = vec![0.0; params.len()];
    // The model learns and has its factor from here on.
    let ask = optimizer.ask(&mut x).unwrap();
    optimizer.tell(ask.id, 0.5).unwrap();
    (0..tells)
        .map(|i| {
            optimizer.enqueue(&some(i)).unwrap();
            let ask = optimizer.ask(&mut x).unwrap();
            let start = Instant::now();
            optimizer.tell(ask.id, 0.5).unwrap();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Prints what each step takes, in microseconds, and how many times more without the branches.
fn table() {
    let (kernel, nodes, lists) = kernel();
    let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
    println!("| n | step | one factor, µs | by branch, µs | ratio |\n|--:|---|--:|--:|--:|");
    for &rows in sizes() {
        let dense = steps(&kernel, &Hidden(tape), tape, rows);
        let blocks = steps(&kernel, &tape, tape, rows);
        let names = [
            "a row of the factor",
            "α and trend",
            "900 scores",
            "evidence with gradient",
            "fit",
            "`Optimizer::tell`",
        ];
        let tells = [Branches::Shared, Branches::Apart].map(|branches| whole(branches, rows));
        let (dense, blocks) = (dense.into_iter().chain([tells[0]]), blocks.into_iter().chain([tells[1]]));
        for ((name, dense), blocks) in names.iter().zip(dense).zip(blocks) {
            let (dense, blocks) = (dense.as_secs_f64() * 1e6, blocks.as_secs_f64() * 1e6);
            println!("| {rows} | {name} | {dense:.1} | {blocks:.1} | {:.1} |", dense / blocks);
        }
    }
}

fn tells(criterion: &mut Criterion) {
    table();
    let (kernel, nodes, lists) = kernel();
    let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
    let mut group = criterion.benchmark_group("tell in 9 branches");
    for &rows in sizes() {
        let mut one = |name: &str, covariance: &dyn Fn(&mut Gp<'_, f64>, &[f64]), gp: &mut Gp<'_, f64>| {
            let mut generator = Generator::new(3);
            let mut turn = 0;
            group.bench_function(BenchmarkId::new(name, rows), |bencher| {
                bencher.iter(|| {
                    turn += 1;
                    covariance(gp, &point(turn, &mut generator));
                    gp.truncate(rows);
                });
            });
        };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let extend = |gp: &mut Gp<'_, f64>, x: &[f64]| gp.extend(&Hidden(tape), x, 0.5, 0.0).unwrap();
        one("one factor", &extend, &mut process(&kernel, &Hidden(tape), rows, &mut first));
        let extend = |gp: &mut Gp<'_, f64>, x: &[f64]| gp.extend(&tape, x, 0.5, 0.0).unwrap();
        one("by branch", &extend, &mut process(&kernel, &tape, rows, &mut second));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2));
    targets = tells
}
criterion_main!(benches);
