//! Training and whole questions at several sizes: `Plain` and `Faer` side by side.

use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::backend::Backend;
use infill::rng::Generator;
use infill::{Config, Training};
use infill_benches::{Case, DIMS, backends, each_case, optimizer, sizes};

fn training(c: &mut Criterion) {
    each_case(1, |name, backend, case| train(c, name, backend, case));
}

/// One descent of at most ten evaluations from the first hyperparameters.
fn train(c: &mut Criterion, name: &str, backend: &mut dyn Backend<f64>, case: &Case) {
    let mut budget = Training::default();
    (budget.restarts, budget.budget.evaluations) = (0, 10);
    let mut block = Vec::new();
    let id = BenchmarkId::new(name, format!("n{}-d{}", case.rows, case.dims));
    c.benchmark_group("train-10").bench_function(id, |b| {
        b.iter(|| {
            let mut gp = case.gp(&mut block);
            gp.train(&case.tape(), backend, &budget, &mut Generator::new(1)).unwrap()
        });
    });
}

fn asks(c: &mut Criterion) {
    for &rows in sizes() {
        for dims in DIMS {
            for (name, mut backend) in backends() {
                ask(c, name, &mut *backend, rows, dims);
            }
        }
    }
}

/// A question with hyperparameters that were trained just before.
fn ask(c: &mut Criterion, name: &str, backend: &mut dyn Backend<f64>, rows: usize, dims: usize) {
    let mut config = Config::default();
    // Setting up must not take longer than what is measured.
    (config.surrogate.training.restarts, config.surrogate.training.budget.evaluations) = (0, 10);
    let (mut trained, problem) = optimizer(rows, dims, 2, &config);
    let mut x = vec![0.0; dims];
    let first = trained.ask_with(backend, &mut x).unwrap();
    trained.tell(first.id, problem.value(&x)).unwrap();
    let id = BenchmarkId::new(name, format!("n{rows}-d{dims}"));
    c.benchmark_group("ask").bench_function(id, |b| {
        let copy = || trained.clone();
        b.iter_batched(copy, |mut o| o.ask_with(backend, &mut x).unwrap(), BatchSize::LargeInput);
    });
}

/// Few samples: one of the largest takes seconds.
fn quick() -> Criterion {
    let (warm, measure) = (Duration::from_millis(200), Duration::from_secs(1));
    Criterion::default().sample_size(10).warm_up_time(warm).measurement_time(measure)
}

criterion_group! { name = benches; config = quick(); targets = training, asks }
criterion_main!(benches);
