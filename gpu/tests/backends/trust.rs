//! What the device is trusted with, what the CPU keeps for itself, and the work and the bytes that it takes.

use crate::support::{Model, Program, device, options, points, rules};
use crate::{NOISE, POINTS, ard, limits};
use infill::acquisition::Acquisition;
use infill::backend::{Backend, Gram, Score};
use infill::kernel::{Dims, Kernel};
use infill::linalg::packed;
use infill::{Plain, Trend};
use infill_gpu::{Api, Candidates, Screen};

/// The work is that of the algorithm, and nothing crosses the bus twice.
#[test]
fn flops_and_bytes_of_scores() {
    let Some(mut gpu) = device(&limits(1024), &options(None)) else { return };
    // With fewer than twenty rows the prior variance of a candidate and the sums weigh more than a quarter.
    for (n, dims) in [(20, 1), (33, 2), (50, 6), (64, 1), (128, 1), (200, 2), (400, 4), (1024, 32)] {
        let kernel = ard(dims);
        let program = Program::new(&kernel, dims);
        let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Constant, NOISE);
        let m = 512;
        let candidates: Vec<f64> = points(m, dims, dims, 6);
        let (mut out, mut work) = (vec![0.0; m], model.work(1));
        let acquisition = Acquisition::Improvement { margin: 0.0 };
        for again in [false, true] {
            let before = gpu.gpu.counters();
            let (tape, posterior) = (program.tape(), &model.posterior());
            let request = Score { tape, posterior, acquisition, best: 0.0, points: &candidates };
            gpu.score(&request, &mut out, &mut work).expect("scores");
            let after = gpu.gpu.counters();
            let flops = (after.flops - before.flops) as f64;
            let needed = (m * (n * n + n * (3 * dims + 20))) as f64;
            println!("n = {n} d = {dims}: {:.3} of the flops needed, {after:?}", flops / needed);
            assert!(flops <= 1.25 * needed, "n = {n}: {}", flops / needed);
            // Inputs, factor, weights with the trend, kernel.
            let data = if again { 0 } else { packed(n) + n * dims + 2 * n + 2 + 4 * 2 + dims + 1 };
            let (up, down) = (after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
            assert_eq!(down, 4 * m as u64);
            assert!(up <= 4 * (data + m * dims) as u64, "{up} for {}", 4 * (data + m * dims));
        }
    }
}

/// The matrix of a model in double precision is the device's only where the noise outweighs its rounding.
#[test]
fn the_noise_decides_who_builds_the_matrix() {
    let Some(mut gpu) = device(&limits(200), &options(None)) else { return };
    let (dims, n) = (3, 200);
    let kernel = ard(dims);
    let program = Program::new(&kernel, dims);
    let tape = program.tape();
    let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Zero, NOISE);
    let variance = tape.diagonal(&model.theta[..tape.thetas()], &model.x[..dims]);
    let least = n as f64 * f64::from(f32::EPSILON) * variance;
    let mut work = model.work(1);
    let mut expected = vec![0.0; packed(n)];
    Plain.gram(&Gram { tape, inputs: &model.inputs(0.0) }, &mut expected, &mut work).expect("gram");
    for (nugget, trusted) in [(0.0, false), (0.999 * least, false), (least, true), (1.0, true)] {
        let before = gpu.gpu.counters();
        let mut got = vec![f64::NAN; packed(n)];
        gpu.gram(&Gram { tape, inputs: &model.inputs(nugget) }, &mut got, &mut work).expect("gram");
        assert_eq!(gpu.gpu.counters().answered - before.answered, u64::from(trusted), "{nugget:e}");
        assert_eq!(got == expected, !trusted, "{nugget:e}");
        for i in 0..n {
            got[packed(i) + i] += 10.0 * least;
        }
        let mut matrix = got.clone();
        let by = gpu.gpu.counters().answered;
        gpu.factor(&mut matrix, n).expect("positive definite");
        assert_eq!(gpu.gpu.counters().answered - by, u64::from(trusted), "{nugget:e}");
        // Once: the next matrix may come from anywhere.
        let by = gpu.gpu.counters().answered;
        gpu.factor(&mut got, n).expect("positive definite");
        assert_eq!(gpu.gpu.counters().answered, by);
    }
}

/// Beside an observed point the variance has no digits left in single precision: the CPU's score is the answer.
#[test]
fn beside_observed_points_the_cpu_scores() {
    for api in [None, Some(Api::Gl)] {
        let Some(mut gpu) = device(&limits(64), &options(api)) else { continue };
        let (dims, n) = (3, 64);
        let kernel = ard(dims);
        let program = Program::new(&kernel, dims);
        let tape = program.tape();
        let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Zero, 1e-9);
        let mut candidates = model.x.clone();
        candidates.iter_mut().step_by(3).for_each(|x| *x = (*x + 1e-5).min(1.0));
        let far: Vec<f64> = points(n, dims, dims, 8);
        candidates.extend(&far);
        let best = model.y.iter().copied().fold(f64::INFINITY, f64::min);
        for rule in rules::<f64>() {
            let (mut got, mut expected) = (vec![f64::NAN; 2 * n], vec![0.0; 2 * n]);
            let mut work = model.work(256);
            let posterior = &model.posterior();
            let request = Score { tape, posterior, acquisition: rule, best, points: &candidates };
            gpu.score(&request, &mut got, &mut work).expect("scores");
            Plain.score(&request, &mut expected, &mut work).expect("scores");
            for (got, expected) in got[..n].iter().zip(&expected[..n]) {
                let error = (got - expected).abs();
                assert!(error <= 1e-9 * expected.abs().max(1.0), "{rule:?}: {got} for {expected}");
            }
            // Those that are far are the device's, which shows.
            assert!(got[n..] != expected[n..], "{rule:?}");
        }
    }
}

/// The one node that no shader knows: the Bessel function of a Matérn kernel of general order.
#[test]
fn matern_of_general_order_is_the_cpus() {
    let Some(mut gpu) = device(&limits(64), &options(None)) else { return };
    let (dims, n) = (3, 64);
    for kernel in
        [Kernel::matern(Dims::range(0, 3), 1.7), Kernel::matern(Dims::range(0, 3), 1.7).ard().scaled()]
    {
        let program = Program::new(&kernel, dims);
        let tape = program.tape();
        let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Zero, NOISE);
        let candidates: Vec<f64> = points(POINTS, dims, dims, 8);
        let acquisition = Acquisition::LogImprovement { margin: 0.0 };
        let (mut got, mut expected) = (vec![f64::NAN; POINTS], vec![0.0; POINTS]);
        let mut work = model.work(POINTS);
        let (posterior, best) = (&model.posterior(), 0.0);
        let request = Score { tape, posterior, acquisition, best, points: &candidates };
        gpu.score(&request, &mut got, &mut work).expect("scores");
        Plain.score(&request, &mut expected, &mut work).expect("scores");
        assert_eq!(got, expected);
        let mut matrix = vec![f64::NAN; packed(n)];
        gpu.gram(&Gram { tape, inputs: &model.inputs(1.0) }, &mut matrix, &mut work).expect("gram");
        let candidates = Candidates::Given(&candidates);
        let screen = Screen { tape, posterior, acquisition, best, candidates, keep: 4 };
        let refused = gpu.screen(&screen, &mut work);
        assert_eq!(refused, Err(infill::Error::Unsupported));
    }
    assert_eq!((gpu.gpu.counters().answered, gpu.gpu.counters().dispatches), (0, 0));
    assert!(gpu.gpu.counters().declined >= 4);
}
