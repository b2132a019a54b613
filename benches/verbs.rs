//! The verbs of a backend at several sizes: `Plain` and `Faer` side by side.

use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::backend::{Backend, Evidence, Gram};
use infill::linalg;
use infill_benches::{Case, each_case};

fn verbs(c: &mut Criterion) {
    each_case(1000, |name, each, case| backend(c, name, each, case));
}

fn backend(c: &mut Criterion, name: &str, backend: &mut dyn Backend<f64>, case: &Case) {
    let (tape, n) = (case.tape(), case.rows);
    let id = || BenchmarkId::new(name, format!("n{n}-d{}", case.dims));
    let (mut matrix, mut work) = (case.triangle(), case.work());
    c.benchmark_group("gram").bench_function(id(), |b| {
        let inputs = &case.inputs();
        b.iter(|| backend.gram(&Gram { tape, inputs }, &mut matrix, &mut work).unwrap());
    });
    for i in 0..n {
        matrix[linalg::packed(i) + i] += 1e-4;
    }
    c.benchmark_group("factor").bench_function(id(), |b| {
        let copy = || matrix.clone();
        b.iter_batched(copy, |mut a| backend.factor(&mut a, n).unwrap(), BatchSize::LargeInput);
    });
    let mut scores = vec![0.0; case.points.len() / case.dims];
    c.benchmark_group("predict-1000").bench_function(id(), |b| {
        let posterior = case.posterior();
        let request = case.score(&posterior, &case.points);
        b.iter(|| backend.score(&request, &mut scores, &mut work).unwrap());
    });
    let mut gradient = vec![0.0; case.theta.len()];
    c.benchmark_group("evidence-gradient").bench_function(id(), |b| {
        let regression = &case.regression();
        let request = Evidence { tape, regression };
        b.iter(|| backend.evidence(&request, &mut gradient, &mut matrix, &mut work).unwrap());
    });
}

/// Few samples: one of the largest takes seconds.
fn quick() -> Criterion {
    let (warm, measure) = (Duration::from_millis(200), Duration::from_secs(1));
    Criterion::default().sample_size(10).warm_up_time(warm).measurement_time(measure)
}

criterion_group! { name = benches; config = quick(); targets = verbs }
criterion_main!(benches);
