//! Ensembles of trees: fit and predict at several sizes, ten coordinates, a hundred trees.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::forest::{Data, Forest, Settings, Size};
use infill::rng::{self, Generator};

const DIMS: usize = 10;
const TREES: usize = 100;
const ROWS: [usize; 3] = [100, 1_000, 10_000];
const KINDS: [(&str, Settings); 3] =
    [("random", Settings::RANDOM), ("extra", Settings::EXTRA), ("boosted", Settings::BOOSTED)];

/// Points of the unit cube, and Friedman's first function of them with noise 1.
fn data(rows: usize) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(1);
    let x: Vec<f64> = (0..rows * DIMS).map(|_| rng::uniform(&mut generator)).collect();
    let mut value = |p: &[f64]| {
        let wave = 10.0 * (std::f64::consts::PI * p[0] * p[1]).sin();
        let noise: f64 = rng::normal(&mut generator);
        wave + 20.0 * (p[2] - 0.5).powi(2) + 10.0 * p[3] + 5.0 * p[4] + noise
    };
    let y = x.chunks_exact(DIMS).map(&mut value).collect();
    (x, y)
}

/// Criterion's smoke test runs the two smaller sizes.
fn sizes() -> &'static [usize] {
    if std::env::args().any(|arg| arg == "--test") { &ROWS[..2] } else { &ROWS }
}

fn forest(c: &mut Criterion) {
    for &rows in sizes() {
        let (x, y) = data(rows);
        let size = Size::full(rows, DIMS, TREES);
        let mut work = vec![0; size.work::<f64>()];
        let mut block = vec![0; size.words::<f64>()];
        let mut forest = Forest::new(size, &mut block).unwrap();
        let data = Data { x: &x, y: &y, levels: &[0; DIMS] };
        let (mut means, mut variances) = (vec![0.0; rows], vec![0.0; rows]);
        for (name, settings) in KINDS {
            let id = BenchmarkId::new(name, format!("n{rows}"));
            c.benchmark_group("forest-fit").bench_function(id.clone(), |b| {
                b.iter(|| forest.fit(&data, &settings, &mut work, &mut Generator::new(1)).unwrap());
            });
            c.benchmark_group("forest-predict").bench_function(id, |b| {
                b.iter(|| forest.trees().predict_many(&x, &mut means, &mut variances).unwrap());
            });
        }
    }
}

/// Few samples: a fit of the largest takes a second.
fn quick() -> Criterion {
    let (warm, measure) = (Duration::from_millis(200), Duration::from_secs(1));
    Criterion::default().sample_size(10).warm_up_time(warm).measurement_time(measure)
}

criterion_group! { name = benches; config = quick(); targets = forest }
criterion_main!(benches);
