//! Helpers of the benchmarks: one regression problem with everything the verbs of a backend ask for.

#[cfg(feature = "learners")]
pub mod learners;
pub mod model;

use std::time::{Duration, Instant};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{Mat, Par};
use infill::backend::{Backend, Cross, Evidence, Gram, Inputs, Objective, Posterior, Regression, Score};
use infill::faer::Faer;
use infill::gp::{Gp, Size};
use infill::kernel::{Dims, Kernel, Tape, words};
use infill::linalg::{Blocks, packed};
use infill::{Acquisition, Config, Error, Limits, Optimizer, Param, Plain, Space, Trend};
use infill_tests::problems::{Problem, levy};

/// `rows` values of a smooth function, a Matérn-5/2 kernel with a length scale per dimension, a constant trend.
#[derive(Debug)]
pub struct Case {
    /// Rows.
    pub rows: usize,
    /// Coordinates.
    pub dims: usize,
    /// Inputs in the unit cube.
    pub x: Vec<f64>,
    /// Standardised values.
    pub y: Vec<f64>,
    /// Known variances: none.
    pub noise: Vec<f64>,
    /// Log hyperparameters, the noise last.
    pub theta: Vec<f64>,
    /// Candidates in the unit cube.
    pub points: Vec<f64>,
    /// Packed factor of the covariance.
    pub factor: Vec<f64>,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    basis: Vec<f64>,
    normal: Vec<f64>,
    nodes: Vec<u64>,
    lists: Vec<u64>,
}

impl Case {
    /// The problem with `rows` rows and `count` candidates in `dims` dimensions, and its fit.
    #[must_use]
    pub fn new(rows: usize, dims: usize, count: usize) -> Self {
        let kernel = kernel(dims);
        let mut nodes = vec![0; 2 * kernel.nodes()];
        let mut lists = vec![0; words(0, kernel.list_entries())];
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        let x = spread(rows, dims, 0);
        let y = standardised(&x, dims);
        let thetas = kernel.thetas(dims).unwrap();
        let size = Size { rows, exact: rows, dims, thetas, columns: 1, batch: 1 };
        let mut block = vec![0; size.words::<f64>()];
        let mut gp = Gp::new(&kernel, Trend::Constant, size, &mut block).unwrap();
        for (x, &y) in x.chunks_exact(dims).zip(&y) {
            gp.push(x, y, 0.0).unwrap();
        }
        let tape = Tape::attach(&nodes, &lists, dims).unwrap();
        gp.fit(&tape, &mut Plain).unwrap();
        let theta = gp.theta().to_vec();
        let fit = gp.split().unwrap().posterior;
        Self {
            rows,
            dims,
            noise: vec![0.0; rows],
            theta,
            points: spread(count, dims, rows),
            factor: fit.factor.to_vec(),
            alpha: fit.alpha.to_vec(),
            beta: fit.beta.to_vec(),
            basis: fit.basis.to_vec(),
            normal: fit.normal.to_vec(),
            x,
            y,
            nodes,
            lists,
        }
    }

    /// The kernel.
    #[must_use]
    pub fn tape(&self) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, self.dims).unwrap()
    }

    /// The data with the hyperparameters of the kernel.
    #[must_use]
    pub fn inputs(&self) -> Inputs<'_, f64> {
        Inputs {
            theta: &self.theta[..self.theta.len() - 1],
            x: &self.x,
            rows: self.rows,
            nugget: 0.0,
            blocks: Blocks::default(),
        }
    }

    /// What training is about.
    #[must_use]
    pub fn regression(&self) -> Regression<'_, f64> {
        Regression {
            inputs: Inputs {
                theta: &self.theta,
                x: &self.x,
                rows: self.rows,
                nugget: 0.0,
                blocks: Blocks::default(),
            },
            targets: &self.y,
            noise: &self.noise,
            trend: Trend::Constant,
            objective: Objective::Evidence,
        }
    }

    /// The fitted process.
    #[must_use]
    pub fn posterior(&self) -> Posterior<'_, f64> {
        Posterior {
            inputs: self.inputs(),
            factor: &self.factor,
            alpha: &self.alpha,
            trend: Trend::Constant,
            beta: &self.beta,
            basis: &self.basis,
            normal: &self.normal,
        }
    }

    /// The request for the scores of points.
    #[must_use]
    pub fn score<'a>(&'a self, posterior: &'a Posterior<'a, f64>, points: &'a [f64]) -> Score<'a, f64> {
        Score { tape: self.tape(), posterior, acquisition: ACQUISITION, best: -1.0, points }
    }

    /// The process without a fit, in a block of its own.
    pub fn gp<'b>(&self, block: &'b mut Vec<u64>) -> Gp<'b, f64> {
        let rows = self.rows;
        let size =
            Size { rows, exact: rows, dims: self.dims, thetas: self.theta.len() - 1, columns: 1, batch: 128 };
        *block = vec![0; size.words::<f64>()];
        let mut gp = Gp::new(&kernel(self.dims), Trend::Constant, size, block).unwrap();
        for (x, &y) in self.x.chunks_exact(self.dims).zip(&self.y) {
            gp.push(x, y, 0.0).unwrap();
        }
        gp
    }

    /// Scalars of work that suit every verb, with candidates in batches of 128.
    #[must_use]
    pub fn work(&self) -> Vec<f64> {
        let rest = Tape::scratch(self.rows, self.dims, self.theta.len()) + 8 * self.rows;
        vec![0.0; packed(self.rows) + 129 * (self.rows + 1) + rest]
    }

    /// A packed triangle of zeros.
    #[must_use]
    pub fn triangle(&self) -> Vec<f64> {
        vec![0.0; packed(self.rows)]
    }
}

/// The two backends by name. Behind a pointer: faer is then compiled once, here, and not into every benchmark.
#[must_use]
pub fn backends() -> [(&'static str, Box<dyn Backend<f64>>); 2] {
    [("plain", Box::new(Plain)), ("faer", Box::new(Faer::new()))]
}

/// Gives `work` every backend with a problem of every size and dimension, and so many candidates.
pub fn each_case(candidates: usize, mut work: impl FnMut(&str, &mut dyn Backend<f64>, &Case)) {
    for &rows in sizes() {
        for dims in DIMS {
            let case = Case::new(rows, dims, candidates);
            for (name, mut backend) in backends() {
                work(name, &mut *backend, &case);
            }
        }
    }
}

/// Seconds of the unit C: faer's in-place Cholesky factorisation of 1000 × 1000 doubles on one thread.
#[must_use]
pub fn unit() -> f64 {
    let n = 1000;
    let source =
        Mat::from_fn(n, n, |i, j| if i == j { n as f64 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) });
    let mut target = source.clone();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        target.copy_from(&source);
        let start = Instant::now();
        let stack = MemStack::new(&mut memory);
        cholesky_in_place(target.as_mut(), Default::default(), Par::Seq, stack, Default::default()).unwrap();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// Numbers of observations; the small ones alone if the benchmarks are only to be tried once.
#[must_use]
pub fn sizes() -> &'static [usize] {
    if std::env::args().any(|argument| argument == "--test") { &[30, 100] } else { &[30, 100, 300, 1000] }
}

/// Numbers of dimensions.
pub const DIMS: [usize; 3] = [2, 6, 20];

/// What the benchmarks rank candidates by.
pub const ACQUISITION: Acquisition<f64> = Acquisition::LogImprovement { margin: 0.0 };

/// An optimizer with `rows` observations of Levy's function and room for `more`, candidates in batches of 512.
#[must_use]
pub fn optimizer(
    rows: usize,
    dims: usize,
    more: usize,
    config: &Config<'_>,
) -> (Optimizer<f64, Vec<u64>>, Problem) {
    let problem = levy(dims);
    let params: Vec<Param> =
        problem.lower.iter().zip(&problem.upper).map(|(&lo, &hi)| Param::real(lo, hi)).collect();
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(dims as u32, (rows + more) as u32).candidates(512).suit(config);
    let mut optimizer = Optimizer::new(&space, config, limits, vec![0; limits.words::<f64>()]).unwrap();
    for u in spread(rows, dims, 0).chunks_exact(dims) {
        let x = problem.from_unit(u);
        let y = problem.value(&x);
        optimizer.observe(&x, y).unwrap();
    }
    (optimizer, problem)
}

/// The shortest of `repeats` runs, in seconds.
pub fn shortest(repeats: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn kernel(dims: usize) -> Kernel {
    Kernel::matern52(Dims::range(0, dims as u16)).ard().scaled()
}

/// Points of an additive recurrence with irrational steps, from number `first` on.
fn spread(count: usize, dims: usize, first: usize) -> Vec<f64> {
    // The positive root of g^(d+1) = g + 1 generalises the golden ratio.
    let mut g = 2.0f64;
    for _ in 0..60 {
        g = (1.0 + g).powf(1.0 / (dims as f64 + 1.0));
    }
    (first..first + count)
        .flat_map(|i| (1..=dims).map(move |k| (0.5 + (i as f64 + 1.0) * g.powi(-(k as i32))).fract()))
        .collect()
}

fn standardised(x: &[f64], dims: usize) -> Vec<f64> {
    let problem = levy(dims);
    let y: Vec<f64> = x.chunks_exact(dims).map(|u| problem.unit_value(u)).collect();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let deviation = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / y.len() as f64).sqrt();
    y.iter().map(|y| (y - mean) / deviation).collect()
}

/// A backend that notes how long training and scoring take.
pub struct Timed {
    inner: Box<dyn Backend<f64>>,
    /// Time for matrices, factors and evidence.
    pub training: Duration,
    /// Evaluations of the evidence.
    pub evaluations: u32,
    /// Time for scores.
    pub scoring: Duration,
}

impl Timed {
    /// Around the backend that does the work.
    #[must_use]
    pub fn new(inner: Box<dyn Backend<f64>>) -> Self {
        Self { inner, training: Duration::ZERO, evaluations: 0, scoring: Duration::ZERO }
    }

    fn train<T>(&mut self, run: impl FnOnce(&mut dyn Backend<f64>) -> T) -> T {
        let start = Instant::now();
        let out = run(&mut *self.inner);
        self.training += start.elapsed();
        out
    }
}

impl std::fmt::Debug for Timed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "training {:?}, scoring {:?}", self.training, self.scoring)
    }
}

impl Backend<f64> for Timed {
    fn gram(&mut self, request: &Gram<'_, f64>, out: &mut [f64], work: &mut [f64]) -> Result<(), Error> {
        self.train(|inner| inner.gram(request, out, work))
    }
    fn cross(&mut self, request: &Cross<'_, f64>, out: &mut [f64], work: &mut [f64]) -> Result<(), Error> {
        self.inner.cross(request, out, work)
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
        request: &Evidence<'_, f64>,
        gradient: &mut [f64],
        factor: &mut [f64],
        work: &mut [f64],
    ) -> Result<f64, Error> {
        self.evaluations += 1;
        self.train(|inner| inner.evidence(request, gradient, factor, work))
    }
    fn score(&mut self, request: &Score<'_, f64>, out: &mut [f64], work: &mut [f64]) -> Result<(), Error> {
        let start = Instant::now();
        let done = self.inner.score(request, out, work);
        self.scoring += start.elapsed();
        done
    }
}
