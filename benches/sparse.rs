//! Sparse processes of up to 10,000 observations: time per step, memory, and how both grow with n.
//!
//! The table of memory and the slopes of a single run are printed first; criterion then measures each step.

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::Trend;
use infill::kernel::{Dims, Kernel, Tape};
use infill::rng::{self, Generator};
use infill::sparse::{Kind, Size, Sparse};
use infill::surrogate::Surrogate;

const DIMS: usize = 6;
const ROWS: [usize; 3] = [1_000, 3_000, 10_000];
const FEATURES: [usize; 2] = [64, 256];
const KINDS: [Kind; 3] = [Kind::Fitc, Kind::Variational, Kind::Spectrum];

/// The words of a Matérn-5/2 kernel with a length scale per dimension.
fn kernel() -> (Kernel, [u64; 64], [u64; 64]) {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let (mut nodes, mut lists) = ([0; 64], [0; 64]);
    kernel.write(DIMS, &mut nodes, &mut lists).unwrap();
    (kernel, nodes, lists)
}

fn size(rows: usize, features: usize) -> Size {
    Size { rows, dims: DIMS, thetas: DIMS + 1, columns: 1, features }
}

/// A process of so many observations with its features.
fn process<'a>(
    kind: Kind,
    kernel: &Kernel,
    tape: &Tape<'_>,
    size: Size,
    block: &'a mut Vec<u64>,
) -> Sparse<'a, f64> {
    block.clear();
    block.resize(size.words::<f64>(), 0);
    let mut sparse = Sparse::new(kind, kernel, Trend::Constant, size, block).unwrap();
    let mut generator = Generator::new(1);
    for _ in 0..size.rows {
        let x: [f64; DIMS] = core::array::from_fn(|_| rng::uniform(&mut generator));
        sparse.push(&x, x.iter().map(|v| (5.0 * v).sin()).sum(), 0.0).unwrap();
    }
    sparse.choose(tape, &mut generator).unwrap();
    sparse
}

/// Prints what each size takes and the exponents of n between the smallest and the largest.
fn slopes() {
    let (kernel, nodes, lists) = kernel();
    let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
    let mut block = Vec::new();
    for kind in KINDS {
        for features in FEATURES {
            let mut points = Vec::new();
            for rows in ROWS {
                let size = size(rows, features);
                let bytes = size.words::<f64>() as f64 * 8.0;
                let mut sparse = process(kind, &kernel, &tape, size, &mut block);
                let start = Instant::now();
                sparse.fit(&tape).unwrap();
                let seconds = start.elapsed().as_secs_f64();
                println!("{kind:?} m{features} n{rows}: {:.2} MB, fit {:.1} ms", bytes / 1e6, seconds * 1e3);
                points.push((rows as f64, seconds, bytes));
            }
            let (a, b) = (points[0], points[points.len() - 1]);
            let decades = (b.0 / a.0).ln();
            println!(
                "  slope of time {:.2}, of memory {:.2}",
                (b.1 / a.1).ln() / decades,
                (b.2 / a.2).ln() / decades
            );
        }
    }
}

fn steps(c: &mut Criterion) {
    slopes();
    let (kernel, nodes, lists) = kernel();
    let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
    let mut block = Vec::new();
    let mut generator = Generator::new(2);
    for kind in KINDS {
        for features in FEATURES {
            for rows in ROWS {
                let mut sparse = process(kind, &kernel, &tape, size(rows, features), &mut block);
                let name = format!("m{features}-n{rows}");
                let id = |step: &str| BenchmarkId::new(format!("{kind:?}-{step}"), &name);
                let mut group = c.benchmark_group("sparse");
                group.bench_function(id("choose"), |b| {
                    b.iter(|| sparse.choose(&tape, &mut generator).unwrap());
                });
                group.bench_function(id("fit"), |b| b.iter(|| sparse.fit(&tape).unwrap()));
                group.bench_function(id("refresh"), |b| b.iter(|| sparse.refresh(&tape).unwrap()));
                let points: Vec<f64> = (0..512 * DIMS).map(|_| rng::uniform(&mut generator)).collect();
                let (mut means, mut variances) = ([0.0; 512], [0.0; 512]);
                let mut view = sparse.view(&tape, &mut []).unwrap();
                group.bench_function(id("predict-512"), |b| {
                    b.iter(|| view.predict_many(&points, &mut means, &mut variances).unwrap());
                });
                let mut gradient = [0.0; DIMS + 2];
                group.bench_function(id("evidence"), |b| {
                    b.iter(|| sparse.evidence(&tape, &mut gradient).unwrap());
                });
            }
        }
    }
}

/// Few samples: one of the largest takes seconds.
fn quick() -> Criterion {
    let (warm, measure) = (Duration::from_millis(200), Duration::from_secs(1));
    Criterion::default().sample_size(10).warm_up_time(warm).measurement_time(measure)
}

criterion_group! { name = benches; config = quick(); targets = steps }
criterion_main!(benches);
