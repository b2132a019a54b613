//! One suite, three backends: gram, scores, predictions, evidence against `core` in double precision.
//!
//! The bounds are those of [`Errors`], which are derived there, and looked at in `bounds`. A backend in double precision is held to them too. `screen`
//! is about candidates of which only the best come back, `trust` about who does what, and for how much.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod bounds;
mod screen;
#[path = "../support/mod.rs"]
mod support;
mod trust;

use infill::acquisition::Acquisition;
use infill::backend::{Backend, Cross, EvidenceMany, Gram, Inputs, Objective, Regression, Score};
use infill::kernel::{Dims, Kernel};
use infill::linalg::{Blocks, packed};
use infill::{Limits, Plain, Real, Trend};
use infill_gpu::Api;
use support::bounds::Errors;
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
    let inputs = Inputs { theta: &theta, x: &x, rows: n, nugget: R::ONE, blocks: Blocks::default() };
    let mut work = vec![R::ZERO; infill::kernel::Tape::scratch(n, dims, theta.len())];
    let mut got = vec![R::NAN; packed(n)];
    backend.gram(&Gram { tape, inputs: &inputs }, &mut got, &mut work).expect("gram");
    let candidates: Vec<R> = points(POINTS, dims, dims - 1, 2);
    let mut cross = vec![R::NAN; n * POINTS];
    let request = Cross { tape, inputs: &inputs, points: &candidates };
    backend.cross(&request, &mut cross, &mut work).expect("cross");

    let (x, theta, candidates) = (wide(&x), wide(&theta), wide(&candidates));
    let row = |i: usize| &x[i * dims..(i + 1) * dims];
    let mut worst = (0.0f64, 0.0f64);
    let mut check = |got: R, a: &[f64], b: &[f64]| {
        let expected = tape.eval(&theta, a, b);
        let error = (got.to_f64() - expected).abs();
        // No bound is less than one rounding: what is off by less need not be looked at more closely.
        if error > expected.abs() / 16_777_216.0 {
            let bound = Errors::of_covariance(tape, &theta, a, b);
            assert!(
                error <= bound,
                "{} d = {dims}: k({a:?}, {b:?}) is off by {error:.1e}, bound {bound:.1e}",
                named.name
            );
            worst = (worst.0.max(error), worst.1.max(bound));
        }
    };
    for i in 0..n {
        for j in 0..=i {
            check(got[packed(i) + j], row(i), row(j));
        }
        for (c, point) in candidates.chunks_exact(dims).enumerate() {
            check(cross[c * n + i], row(i), point);
        }
    }
    println!("gram {} d = {dims} n = {n}: {:.1e}, bound {:.1e}", named.name, worst.0, worst.1);
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
    let known: Vec<_> = candidates
        .chunks_exact(dims)
        .map(|point| {
            let point = wide(point);
            let errors = Errors::at(tape, &reference.posterior(), &point).expect("bounds");
            (reference.predict(tape, &point), errors)
        })
        .collect();
    for &rule in rules {
        let mut got = vec![R::NAN; POINTS];
        let (posterior, best) = (&model.posterior(), R::of(best));
        let request = Score { tape, posterior, acquisition: rule, best, points: &candidates };
        backend.score(&request, &mut got, &mut work).expect("scores");
        let mut worst = (0.0f64, 0.0f64);
        for (&(prediction, errors), got) in known.iter().zip(&got) {
            let best = best.to_f64();
            let expected = rule.cast::<f64>().score(prediction, best);
            let bound = errors.score(rule.cast::<f64>(), prediction, best);
            let error = (got.to_f64() - expected).abs();
            assert!(
                error <= bound && bound.is_finite(),
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
        let due: Vec<_> = rules::<R>().into_iter().filter(|_| due()).collect();
        if !due.is_empty() {
            check_scores(backend, &ard(4), trend, [4, 4, SCORE], &due);
            check_scores(backend, &mixed(5), trend, [5, 4, SCORE], &due);
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
    println!("{:?}", gpu.gpu.adapter());
    suite::<f64>(&mut gpu, 1);
    assert!(gpu.gpu.counters().answered > 50, "{:?}", gpu.gpu.counters());
}

#[test]
fn gpu_in_single_precision() {
    let Some(mut gpu) = device(&limits(LARGE[1]), &options(None)) else { return };
    suite::<f32>(&mut gpu, 1);
    assert!(gpu.gpu.counters().answered > 50, "{:?}", gpu.gpu.counters());
}

#[test]
fn gpu_by_gl_a_tenth() {
    let Some(mut gpu) = device(&limits(LARGE[0]), &options(Some(Api::Gl))) else { return };
    println!("{:?}", gpu.gpu.adapter());
    suite::<f64>(&mut gpu, 10);
    suite::<f32>(&mut gpu, 10);
    assert!(gpu.gpu.counters().answered > 5, "{:?}", gpu.gpu.counters());
}

/// The full product: every kernel with every rule, size, trend and scalar; `INFILL_MOST` leaves out the larger sizes.
#[test]
#[ignore = "long: ./ci.sh gpu-long"]
fn gpu_with_everything() {
    let most = std::env::var("INFILL_MOST").ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    for api in [None, Some(Api::Gl)] {
        let Some(mut gpu) = device(&limits(LARGE[1]), &options(api)) else { continue };
        for dims in [3, 32] {
            for named in &kernels(dims) {
                println!("{} d = {dims}", named.name);
                for n in [GRAM, LARGE[0], LARGE[1]].into_iter().filter(|n| *n <= most) {
                    check_gram::<f64>(&mut gpu, named, dims, n);
                    check_gram::<f32>(&mut gpu, named, dims, n);
                }
                for trend in [Trend::Zero, Trend::Constant, Trend::Linear] {
                    for n in [SCORE, LARGE[0], LARGE[1]].into_iter().filter(|n| *n <= most) {
                        check_scores::<f64>(&mut gpu, &named.kernel, trend, [dims, dims - 1, n], &rules());
                        check_scores::<f32>(&mut gpu, &named.kernel, trend, [dims, dims - 1, n], &rules());
                    }
                }
            }
        }
    }
}

/// Mean and variance themselves, above the 351 rows at which software adapters cut loops that are not tiled.
#[test]
fn mean_and_variance() {
    let Some(mut gpu) = device(&limits(1024), &options(None)) else { return };
    for n in [1, 2, 31, 32, 33, 351, 352, 400, 1024] {
        let (dims, trend) = (4, if n > 8 { Trend::Linear } else { Trend::Zero });
        let kernel = ard(dims);
        let program = Program::new(&kernel, dims);
        let model = Model::<f64>::new(&kernel, &program, n, dims, trend, NOISE);
        let candidates: Vec<f64> = points(POINTS, dims, dims, 4);
        let got = gpu.gpu.predict(program.tape(), &model.posterior(), &candidates).expect("predictions");
        let (mut worst, mut most) = ([0.0f64; 2], [0.0f64; 2]);
        for (point, got) in candidates.chunks_exact(dims).zip(got) {
            let expected = model.predict(program.tape(), point);
            let errors = Errors::at(program.tape(), &model.posterior(), point).expect("bounds");
            let off =
                [f64::from(got[0]) - expected.mean, f64::from(got[1]) - expected.variance].map(f64::abs);
            assert!(
                off[0] <= errors.mean && off[1] <= errors.variance,
                "n = {n}: {off:?}, bounds {errors:?}"
            );
            worst = [worst[0].max(off[0]), worst[1].max(off[1])];
            most = [most[0].max(errors.mean), most[1].max(errors.variance)];
        }
        println!(
            "n = {n}: mean {:.1e} of {:.1e}, variance {:.1e} of {:.1e}",
            worst[0], most[0], worst[1], most[1]
        );
    }
}

/// EI and its kin at z = −8, logarithms at z = −30, relative to what the errors of mean and deviation make of z.
#[test]
fn tails() {
    for api in [None, Some(Api::Gl)] {
        let Some(mut gpu) = device(&limits(100), &options(api)) else { continue };
        let (dims, n) = (3, 100);
        let kernel = ard(dims);
        let program = Program::new(&kernel, dims);
        let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Zero, NOISE);
        let mut work = model.work(1);
        for (z, rule) in [
            (-8.0, Acquisition::Improvement { margin: 0.0 }),
            (-8.0, Acquisition::Probability { margin: 0.0 }),
            (-30.0, Acquisition::LogImprovement { margin: 0.0 }),
            (3.0, Acquisition::LogImprovement { margin: 0.0 }),
            (-8.0, Acquisition::Generalised { order: 0 }),
            (-8.0, Acquisition::Generalised { order: 1 }),
            (-8.0, Acquisition::Generalised { order: 2 }),
            (-8.0, Acquisition::Generalised { order: 20 }),
            (-0.2, Acquisition::Generalised { order: 20 }),
            (3.0, Acquisition::Generalised { order: 20 }),
            (-8.0, Acquisition::Noisy { noise: 0.0 }),
            (-8.0, Acquisition::Noisy { noise: 1.0 }),
            (3.0, Acquisition::Noisy { noise: 1e5 }),
            (-8.0, Acquisition::Deviation),
            (-30.0, Acquisition::LogMgf { temperature: 0.0 }),
            (-30.0, Acquisition::LogMgf { temperature: 2.0 }),
            (-30.0, Acquisition::LogMgf { temperature: 40.0 }),
            (3.0, Acquisition::LogMgf { temperature: 2.0 }),
        ] {
            let mut worst = (0.0f64, 0.0f64);
            for point in points::<f64>(16, dims, dims, 5).chunks_exact(dims) {
                let prediction = model.predict(program.tape(), point);
                let best = prediction.mean + z * prediction.deviation();
                let expected = rule.score(prediction, best);
                let mut got = [f64::NAN];
                let (tape, posterior) = (program.tape(), &model.posterior());
                let request = Score { tape, posterior, acquisition: rule, best, points: point };
                gpu.score(&request, &mut got, &mut work).expect("a score");
                let errors = Errors::at(program.tape(), &model.posterior(), point).expect("bounds");
                let bound = errors.score(rule, prediction, best);
                let error = (got[0] - expected).abs();
                assert!(
                    error <= bound,
                    "{rule:?}: {} for {expected}, off by {error:.1e}, bound {bound:.1e}",
                    got[0]
                );
                // A tail that is lost has no digits at all; the bound alone would let it pass where z is unsure.
                assert!(error <= 0.02 * expected.abs(), "{rule:?} z = {z}: {} for {expected}", got[0]);
                worst = (worst.0.max(error / expected.abs()), worst.1.max(bound / expected.abs()));
            }
            println!("{rule:?} z = {z}: off by {:.1e} of the value, bound {:.1e}", worst.0, worst.1);
        }
    }
}

/// The objective of training of many sets at once, within the derived bound.
#[test]
fn evidence_of_many_sets() {
    let mut bounds = std::collections::HashMap::new();
    for api in [None, Some(Api::Gl)] {
        let Some(mut gpu) = device(&limits(400), &options(api)) else { continue };
        let dims = 3;
        let kernel = ard(dims);
        let program = Program::new(&kernel, dims);
        let tape = program.tape();
        for (n, trend) in [(400, Trend::Constant), (33, Trend::Quadratic), (100, Trend::Zero)] {
            let model = Model::<f64>::new(&kernel, &program, n, dims, trend, NOISE);
            let thetas = model.theta.len();
            let mut sets = Vec::new();
            for i in 0..9 {
                sets.extend(model.theta.iter().map(|theta| theta + 0.2 * (f64::from(i) - 4.0)));
            }
            // A set that single precision cannot be trusted with, and one that is not positive definite anywhere.
            sets[2 * thetas - 1] = 1e-9f64.ln();
            sets[2 * thetas] = f64::NAN;
            let known = vec![1e-6; n];
            let regression = &Regression {
                inputs: model.inputs(0.0),
                targets: &model.y,
                noise: &known,
                trend,
                objective: Objective::Evidence,
            };
            let (mut got, mut expected) = (vec![0.0; 9], vec![0.0; 9]);
            let (mut factor, mut work) = (vec![0.0; packed(n)], model.work(1));
            let request = EvidenceMany { tape, regression, sets: &sets };
            gpu.evidence_many(&request, &mut got, &mut factor, &mut work).expect("evidence");
            Plain.evidence_many(&request, &mut expected, &mut factor, &mut work).expect("evidence");
            for (i, set) in sets.chunks_exact(thetas).enumerate() {
                if i == 2 {
                    assert_eq!((got[i], expected[i]), (f64::NEG_INFINITY, f64::NEG_INFINITY));
                    continue;
                }
                let error = (got[i] - expected[i]).abs();
                if i == 1 {
                    assert_eq!(error, 0.0, "single precision is not trusted with this set");
                    continue;
                }
                let bound = *bounds.entry((n, i)).or_insert_with(|| {
                    Errors::of_evidence(tape, regression, set).expect("positive definite")
                });
                println!("n = {n} set {i}: {} off by {error:.1e}, bound {bound:.1e}", expected[i]);
                assert!(error <= bound, "set {i}: {} for {}, bound {bound:.1e}", got[i], expected[i]);
            }
        }
        assert!(gpu.gpu.counters().answered >= 3);
    }
}
