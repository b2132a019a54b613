//! One suite, three backends: gram, scores, predictions, evidence against `core` in double precision.
//!
//! The bounds are those of [`Errors`], which are derived there. A backend in double precision is held to them too.

mod support;

use infill::acquisition::Acquisition;
use infill::backend::{Backend, Evidence, Inputs, Objective};
use infill::kernel::{Dims, Kernel, Tape};
use infill::linalg::packed;
use infill::{Limits, Plain, Real, Trend};
use infill_gpu::{Api, Errors, Gpu};
use support::{Model, Named, Program, device, kernels, options, points, rules, wide};

/// Rows for all kernels, for all rules, for two kernels.
const GRAM: usize = 512;
const SCORE: usize = 400;
const LARGE: [usize; 2] = [1024, 2048];
const POINTS: usize = 64;
const NOISE: f64 = 1e-2;

/// The covariances of one kernel, and their product with points, against double precision.
fn check_gram<R: Real>(backend: &mut dyn Backend<R>, named: &Named, dims: usize, n: usize) {
    let program = Program::new(&named.kernel, dims);
    let tape = program.tape();
    let x: Vec<R> = points(n, dims, dims - 1, 1);
    let mut theta = vec![R::ZERO; tape.thetas()];
    named.kernel.write_start(dims, &mut theta).expect("a start");
    let inputs = Inputs { theta: &theta, x: &x, rows: n, nugget: R::ONE };
    let mut work = vec![R::ZERO; infill::kernel::scratch(n, dims, theta.len())];
    let mut got = vec![R::NAN; packed(n)];
    backend.gram(tape, &inputs, &mut got, &mut work).expect("gram");
    let candidates: Vec<R> = points(POINTS, dims, dims - 1, 2);
    let mut cross = vec![R::NAN; n * POINTS];
    backend.cross(tape, &inputs, &candidates, &mut cross, &mut work).expect("cross");

    let (x, theta, candidates) = (wide(&x), wide(&theta), wide(&candidates));
    let bound = Errors::of_covariance(tape, &theta);
    let row = |i: usize| &x[i * dims..(i + 1) * dims];
    let mut worst: f64 = 0.0;
    for i in 0..n {
        for j in 0..=i {
            let error = (got[packed(i) + j].to_f64() - tape.eval(&theta, row(i), row(j))).abs();
            assert!(
                error <= bound,
                "{} d = {dims}: k({i}, {j}) is off by {error:.1e}, bound {bound:.1e}",
                named.name
            );
            worst = worst.max(error);
        }
        for (c, point) in candidates.chunks_exact(dims).enumerate() {
            let error = (cross[c * n + i].to_f64() - tape.eval(&theta, row(i), point)).abs();
            assert!(error <= bound, "{}: cross({i}, {c}) is off by {error:.1e}", named.name);
        }
    }
    println!("gram {} d = {dims} n = {n}: {worst:.1e}, bound {bound:.1e}", named.name);
}

/// The scores of one model against double precision, by each rule.
fn check_scores<R: Real>(
    backend: &mut dyn Backend<R>,
    kernel: &Kernel,
    trend: Trend,
    [dims, categories, n]: [usize; 3],
    rules: &[Acquisition<R>],
) {
    let program = Program::new(kernel, dims);
    let tape = program.tape();
    let model = Model::<R>::new(kernel, &program, n, categories, trend, NOISE);
    let candidates: Vec<R> = points(POINTS, dims, categories, 3);
    let reference = model.wide();
    let best = reference.y.iter().copied().fold(f64::INFINITY, f64::min);
    let mut work = model.work(POINTS);
    for &rule in rules {
        let mut got = vec![R::NAN; POINTS];
        backend
            .score(tape, &model.posterior(), rule, R::of(best), &candidates, &mut got, &mut work)
            .expect("scores");
        let mut worst = (0.0f64, 0.0f64);
        for (point, got) in candidates.chunks_exact(dims).zip(&got) {
            let point = wide(point);
            let prediction = reference.predict(tape, &point);
            let best = R::of(best).to_f64();
            let expected = rule.cast::<f64>().score(prediction, best);
            let errors = Errors::at(tape, &reference.posterior(), &point).expect("bounds");
            let bound = errors.score(rule.cast::<f64>(), prediction, best);
            let error = (got.to_f64() - expected).abs();
            assert!(
                error <= bound,
                "{rule:?} n = {n}: {got} for {expected}, off by {error:.1e}, bound {bound:.1e}"
            );
            worst = (worst.0.max(error), worst.1.max(bound));
        }
        println!("score {rule:?} {trend:?} d = {dims} n = {n}: {:.1e}, bound {:.1e}", worst.0, worst.1);
    }
}

fn mixed(dims: usize) -> Kernel {
    let (real, category) = (Dims::range(0, dims as u16 - 1), Dims::range(dims as u16 - 1, 1));
    Kernel::matern52(real).ard().times(Kernel::hamming(category)).expect("small").scaled()
}

fn ard(dims: usize) -> Kernel {
    Kernel::matern52(Dims::range(0, dims as u16)).ard().scaled()
}

/// The suite in one scalar; `share` is the part of it that is run.
fn suite<R: Real>(backend: &mut dyn Backend<R>, share: usize) {
    let mut number = 0;
    let mut due = || {
        number += 1;
        number % share == 0
    };
    for dims in [3, 32] {
        for named in kernels(dims).iter().filter(|_| due()) {
            check_gram(backend, named, dims, GRAM);
        }
    }
    for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
        for rule in rules::<R>().iter().filter(|_| due()) {
            check_scores(backend, &ard(4), trend, [4, 4, SCORE], &[*rule]);
            check_scores(backend, &mixed(5), trend, [5, 4, SCORE], &[*rule]);
        }
    }
    for n in LARGE {
        for (kernel, categories) in [(ard(6), 6), (mixed(6), 5)] {
            if due() || (share > 1 && n == LARGE[0] && categories == 5) {
                check_scores(backend, &kernel, Trend::Constant, [6, categories, n], &rules());
            }
        }
    }
}

#[test]
fn plain() {
    suite::<f32>(&mut Plain, 4);
    suite::<f64>(&mut Plain, 4);
}

#[cfg(feature = "faer")]
#[test]
fn faer() {
    suite::<f32>(&mut infill::Faer::new(), 1);
    suite::<f64>(&mut infill::Faer::new(), 1);
}

fn limits(rows: usize) -> Limits {
    Limits::new(32, rows as u32).kernel(24, 64, 80).trend(32)
}

#[test]
fn gpu_in_double_precision() {
    let Some(mut gpu) = device(&limits(LARGE[1]), &options(None)) else { return };
    println!("{:?}", gpu.adapter());
    suite::<f64>(&mut gpu, 1);
    assert!(gpu.counters().answered > 50, "{:?}", gpu.counters());
}

#[test]
fn gpu_in_single_precision() {
    let Some(mut gpu) = device(&limits(LARGE[1]), &options(None)) else { return };
    suite::<f32>(&mut gpu, 1);
    assert!(gpu.counters().answered > 50, "{:?}", gpu.counters());
}

#[test]
fn gpu_by_gl_a_tenth() {
    let Some(mut gpu) = device(&limits(LARGE[0]), &options(Some(Api::Gl))) else { return };
    println!("{:?}", gpu.adapter());
    suite::<f64>(&mut gpu, 10);
    suite::<f32>(&mut gpu, 10);
    assert!(gpu.counters().answered > 5, "{:?}", gpu.counters());
}
