//! Optimizers over sparse processes of up to 10,000 observations: time per step, memory, and how both grow with n.
//!
//! The table of memory and the slopes of a single run are printed first; criterion then measures each step.

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::rng::{self, Generator};
use infill::sparse::Kind;
use infill::{Config, Limits, Model, Optimizer, Param, Space};

const DIMS: usize = 6;
const ROWS: [usize; 3] = [1_000, 3_000, 10_000];
const FEATURES: [usize; 2] = [64, 256];
const KINDS: [Kind; 3] = [Kind::Fitc, Kind::Variational, Kind::Spectrum];

/// An optimizer with so many observations, and the bytes of its block.
fn optimizer(kind: Kind, rows: usize, features: usize) -> (Optimizer<f64, Vec<u64>>, f64) {
    let params = [const { Param::real(0.0, 1.0) }; DIMS];
    let space = Space::new(&params, &[]).unwrap();
    let config = Config::default().with(|c| c.surrogate.model = Model::Sparse(kind));
    let limits = Limits::new(DIMS as u32, rows as u32 + 1).features(features as u32).suit(&config);
    let words = limits.words::<f64>();
    let mut optimizer = Optimizer::new(&space, &config, limits, vec![0; words]).unwrap();
    let mut generator = Generator::new(1);
    for _ in 0..rows {
        let x: [f64; DIMS] = core::array::from_fn(|_| rng::uniform(&mut generator));
        optimizer.observe(&x, x.iter().map(|v| (5.0 * v).sin()).sum()).unwrap();
    }
    (optimizer, 8.0 * words as f64)
}

/// Prints what each size takes and the exponents of n between the smallest and the largest.
fn slopes() {
    for kind in KINDS {
        for features in FEATURES {
            let mut points = Vec::new();
            for rows in ROWS {
                let (mut optimizer, bytes) = optimizer(kind, rows, features);
                let mut x = [0.5; DIMS];
                let start = Instant::now();
                optimizer.ask(&mut x).unwrap();
                let trained = start.elapsed().as_secs_f64();
                let start = Instant::now();
                optimizer.predict(&x).unwrap();
                let fitted = start.elapsed().as_secs_f64();
                let memory = bytes / 1e6;
                println!(
                    "{kind:?} m{features} n{rows}: {memory:.2} MB, first ask {trained:.2} s, fit {fitted:.3} s"
                );
                points.push((rows as f64, fitted, bytes));
            }
            let (a, b) = (points[0], points[points.len() - 1]);
            let decades = (b.0 / a.0).ln();
            let slope = |a: f64, b: f64| (b / a).ln() / decades;
            println!("  slope of the fit {:.2}, of memory {:.2}", slope(a.1, b.1), slope(a.2, b.2));
        }
    }
}

fn steps(c: &mut Criterion) {
    slopes();
    for kind in KINDS {
        for features in FEATURES {
            for rows in ROWS {
                let (mut optimizer, _) = optimizer(kind, rows, features);
                let mut x = [0.5; DIMS];
                // The first question trains.
                optimizer.predict(&x).unwrap();
                let name = format!("m{features}-n{rows}");
                let id = |step: &str| BenchmarkId::new(format!("{kind:?}-{step}"), &name);
                let mut group = c.benchmark_group("sparse");
                group.bench_function(id("fit"), |b| b.iter(|| optimizer.predict(&x).unwrap()));
                group.bench_function(id("ask"), |b| {
                    b.iter(|| {
                        let ask = optimizer.ask(&mut x).unwrap();
                        optimizer.forget(ask.id).unwrap();
                    });
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
