//! The calls that a GPU takes over, by `Plain`, `Faer` and a GPU. Software adapters are allowed: `./ci.sh measure
//! compare` says what their times are worth.

use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use infill::backend::{Backend, EvidenceMany, Gram, Inputs};
use infill::linalg::packed;
use infill::{Config, Limits, Plain};
use infill_benches::{Case, backends, optimizer};
use infill_gpu::{Gpu, Hybrid, Options};

const DIMS: usize = 6;
/// On the diagonal, enough for single precision at every size here.
const NOISE: f64 = 1e-2;
/// Sets of hyperparameters whose evidence is asked for together.
const SETS: usize = 8;

fn calls(c: &mut Criterion) {
    let trial = std::env::args().any(|argument| argument == "--test");
    let sizes: &[usize] = if trial { &[64, 128] } else { &[128, 512, 1024] };
    // All is done by the device, however small.
    let options = Options { software: true, worth: 0, ..Options::default() };
    for &rows in sizes {
        let limits = Limits::new(DIMS as u32, rows as u32 + 2);
        let case = Case::new(rows, DIMS, 1000);
        let gpu: Option<(String, Box<dyn Backend<f64>>)> = match Gpu::new(&limits, &options) {
            Ok(gpu) => Some((name(&gpu), Box::new(Hybrid { gpu, cpu: Plain }))),
            Err(fault) => {
                println!("   skipped: GPU at n = {rows}: {fault}");
                None
            }
        };
        let cpus = backends().map(|(name, backend)| (name.to_string(), backend));
        for (name, mut backend) in cpus.into_iter().chain(gpu) {
            matrices(c, &name, &mut *backend, &case);
            candidates(c, &name, &mut *backend, &case);
            ask(c, &name, &mut *backend, rows);
        }
    }
}

/// A name that no reader takes for a GPU if it is none.
fn name(gpu: &Gpu) -> String {
    String::from(if gpu.adapter().software { "gpu-in-software" } else { "gpu" })
}

fn matrices(c: &mut Criterion, name: &str, backend: &mut dyn Backend<f64>, case: &Case) {
    let (tape, n) = (case.tape(), case.rows);
    let (mut matrix, mut work) = (case.triangle(), case.work());
    let request = Gram { tape, inputs: &Inputs { nugget: NOISE, ..case.inputs() } };
    c.benchmark_group("gpu-gram").bench_function(BenchmarkId::new(name, n), |b| {
        b.iter(|| backend.gram(&request, &mut matrix, &mut work).unwrap());
    });
    // Together: a device factors only what it has built.
    c.benchmark_group("gpu-gram-factor").bench_function(BenchmarkId::new(name, n), |b| {
        b.iter(|| {
            backend.gram(&request, &mut matrix, &mut work).unwrap();
            (0..n).for_each(|i| matrix[packed(i) + i] += NOISE);
            backend.factor(&mut matrix, n).unwrap();
        });
    });
    let mut sets = case.theta.repeat(SETS);
    let thetas = case.theta.len();
    sets.chunks_exact_mut(thetas).for_each(|set| set[thetas - 1] = f64::ln(NOISE));
    let mut values = [0.0; SETS];
    c.benchmark_group("gpu-evidence-8").bench_function(BenchmarkId::new(name, n), |b| {
        let request = EvidenceMany { tape, regression: &case.regression(), sets: &sets };
        b.iter(|| backend.evidence_many(&request, &mut values, &mut matrix, &mut work).unwrap());
    });
}

fn candidates(c: &mut Criterion, name: &str, backend: &mut dyn Backend<f64>, case: &Case) {
    let mut work = case.work();
    let mut scores = vec![0.0; case.points.len() / case.dims];
    c.benchmark_group("gpu-score-1000").bench_function(BenchmarkId::new(name, case.rows), |b| {
        let posterior = case.posterior();
        let request = case.score(&posterior, &case.points);
        b.iter(|| backend.score(&request, &mut scores, &mut work).unwrap());
    });
}

/// A question with hyperparameters that were trained just before.
fn ask(c: &mut Criterion, name: &str, backend: &mut dyn Backend<f64>, rows: usize) {
    let mut config = Config::default();
    // Setting up must not take longer than what is measured.
    (config.surrogate.training.restarts, config.surrogate.training.budget.evaluations) = (0, 2);
    let (mut trained, problem) = optimizer(rows, DIMS, 2, &config);
    let mut x = [0.0; DIMS];
    let first = trained.ask_with(backend, &mut x).unwrap();
    trained.tell(first.id, problem.value(&x)).unwrap();
    c.benchmark_group("gpu-ask").bench_function(BenchmarkId::new(name, rows), |b| {
        let copy = || trained.clone();
        b.iter_batched(copy, |mut o| o.ask_with(backend, &mut x).unwrap(), BatchSize::LargeInput);
    });
}

/// Few samples: one of the largest takes seconds.
fn quick() -> Criterion {
    let (warm, measure) = (Duration::from_millis(200), Duration::from_secs(1));
    Criterion::default().sample_size(10).warm_up_time(warm).measurement_time(measure)
}

criterion_group! { name = benches; config = quick(); targets = calls }
criterion_main!(benches);
