//! Every verb against the plain backend.

use std::vec;
use std::vec::Vec;

use super::Faer;
use crate::acquisition::Acquisition;
use crate::backend::{
    Backend, Cross, Evidence, Gram, Inputs, Means, Member, Objective, Pooling, Regression, Score, Visit,
};
use crate::config::Config;
use crate::error::Error;
use crate::gp::{Gp, Size};
use crate::kernel::{Dims, Kernel, Tape};
use crate::limits::Limits;
use crate::linalg::{Blocks, packed};
use crate::optimizer::Optimizer;
use crate::plain::Plain;
use crate::real::Real;
use crate::space::{Param, Space};
use crate::trend::Trend;

const DIMS: usize = 3;

/// On both sides of every change from plain code to faer, with and without a whole number of vectors.
const SIZES: [usize; 10] = [1, 5, 15, 16, 31, 33, 57, 96, 150, 300];

fn uniform<R: Real>(count: usize, seed: u64) -> Vec<R> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            R::of((state >> 11) as f64 / (1u64 << 53) as f64)
        })
        .collect()
}

fn kernels() -> Vec<Kernel> {
    let all = Dims::range(0, DIMS as u16);
    vec![
        Kernel::matern52(all).ard().scaled(),
        Kernel::squared_exponential(Dims::range(0, 2))
            .plus(Kernel::rational_quadratic(Dims::range(2, 1)))
            .unwrap(),
        Kernel::linear(all).plus(Kernel::laplace(all).ard()).unwrap(),
    ]
}

/// Largest difference relative to the largest magnitude.
fn distance<R: Real>(a: &[R], b: &[R]) -> f64 {
    assert_eq!(a.len(), b.len());
    let (mut worst, mut norm) = (0.0f64, 1e-300f64);
    for (a, b) in a.iter().zip(b) {
        let d = (a.to_f64() - b.to_f64()).abs();
        worst = if d <= worst { worst } else { d };
        norm = norm.max(b.to_f64().abs());
    }
    worst / norm
}

/// One kernel and trend at one size; `noise` bounds the condition number by about n/`noise`.
fn check_verbs<R: Real>(kernel: &Kernel, trend: Trend, n: usize, noise: f64, tolerance: f64, threads: usize) {
    let (mut nodes, mut lists) = (vec![0; 2 * kernel.nodes()], vec![0; kernel.list_entries().div_ceil(4)]);
    kernel.write(DIMS, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, DIMS).unwrap();
    let thetas = tape.thetas();
    let p = trend.columns(DIMS);
    let x: Vec<R> = uniform(n * DIMS, 1);
    let y: Vec<R> = x.chunks_exact(DIMS).map(|x| (R::of(5.0) * x[0]).sin() + x[1] * x[2]).collect();
    let known: Vec<R> = uniform::<R>(n, 2).iter().map(|&v| v * R::of(noise)).collect();
    let size = Size { rows: n, exact: n, dims: DIMS, thetas, columns: p, batch: 7 };
    let mut block = vec![0; size.words::<R>()];
    let mut gp = Gp::<R>::new(kernel, trend, size, &mut block).unwrap();
    gp.set_noise(noise, noise, noise).unwrap();
    let theta = gp.theta().to_vec();
    let inputs =
        Inputs { theta: &theta[..thetas], x: &x, rows: n, nugget: R::ZERO, blocks: Blocks::default() };
    let mut work = vec![R::ZERO; size.work()];
    let (mut plain, mut faer) = (Plain, Faer::<R>::with_threads(threads));
    let close = |what: &str, a: &[R], b: &[R]| {
        assert!(distance(a, b) < tolerance, "{what} {n} {trend:?}: {}", distance(a, b));
    };

    let mut expected = vec![R::ZERO; packed(n)];
    let mut got = vec![R::NAN; packed(n)];
    let request = Gram { tape, inputs: &inputs };
    Backend::gram(&mut plain, &request, &mut expected, &mut work).unwrap();
    faer.gram(&request, &mut got, &mut []).unwrap();
    // The loops are the same and nothing is fused.
    assert_eq!(got, expected, "gram {n}");
    let points: Vec<R> = uniform(40 * DIMS, 3);
    let (mut a, mut b) = (vec![R::ZERO; 40 * n], vec![R::NAN; 40 * n]);
    let request = Cross { tape, inputs: &inputs, points: &points };
    Backend::cross(&mut plain, &request, &mut a, &mut work).unwrap();
    faer.cross(&request, &mut b, &mut []).unwrap();
    assert_eq!(a, b, "cross {n}");
    // Any weights do: sums are taken in the same order.
    let (alpha, low) = (&known[..], R::of(0.1));
    let member = Member { tape, inputs, alpha, offset: R::HALF, weight: R::of(0.3), low };
    let members = |each: &mut Visit<'_, R>| (0..3).try_for_each(|i| each(i, &member));
    let request = Means { fingerprint: 1, count: 3, members: &members, points: &points, dims: DIMS };
    let (mut sums, mut others, mut room) = ([R::ONE; 40], [R::ONE; 40], [R::ZERO; 7]);
    Backend::pool(&mut plain, &request, Pooling::Gain, &mut sums, &mut room, &mut work).unwrap();
    faer.pool(&request, Pooling::Gain, &mut others, &mut room, &mut []).unwrap();
    assert_eq!(sums, others, "pool {n}");
    assert_eq!(
        faer.pool(&request, Pooling::Gain, &mut [], &mut room, &mut []),
        Err(Error::Shape { needed: 0 })
    );

    for i in 0..n {
        expected[packed(i) + i] += R::of(noise);
    }
    got.copy_from_slice(&expected);
    Backend::factor(&mut plain, &mut expected, n).unwrap();
    faer.factor(&mut got, n).unwrap();
    close("factor", &got, &expected);
    Backend::solve(&mut plain, &expected, n, &mut a).unwrap();
    faer.solve(&expected, n, &mut b).unwrap();
    close("solve", &b, &a);
    let mut inverse = vec![R::ZERO; packed(n)];
    Backend::invert(&mut plain, &expected, n, &mut inverse).unwrap();
    faer.invert(&expected, n, &mut got).unwrap();
    close("invert", &got, &inverse);

    for objective in [Objective::Evidence, Objective::LeaveOneOut] {
        let inputs = Inputs { theta: &theta, x: &x, rows: n, nugget: R::ZERO, blocks: Blocks::default() };
        let regression = &Regression { inputs, targets: &y, noise: &known, trend, objective };
        let request = Evidence { tape, regression };
        let (mut a, mut b) = (vec![R::ZERO; thetas + 1], vec![R::NAN; thetas + 1]);
        let value = Backend::evidence(&mut plain, &request, &mut a, &mut expected, &mut work);
        let other = faer.evidence(&request, &mut b, &mut got, &mut work);
        if !trend.allows(n) {
            assert_eq!((value, other), (Err(Error::NoData), Err(Error::NoData)));
            continue;
        }
        close("value", &[other.unwrap()], &[value.unwrap()]);
        close("gradient", &b, &a);
        let other = faer.evidence(&request, &mut [], &mut got, &mut work);
        close("value alone", &[other.unwrap()], &[value.unwrap()]);
    }

    if n > p {
        for ((x, &y), &known) in x.chunks_exact(DIMS).zip(&y).zip(&known) {
            gp.push(x, y, known).unwrap();
        }
        gp.fit(&tape, &mut plain).unwrap();
        let crate::gp::Split { posterior, work, .. } = gp.split().unwrap();
        let (mut a, mut b) = (vec![R::ZERO; 40], vec![R::NAN; 40]);
        for acquisition in
            [Acquisition::Bound { beta: R::of(4.0) }, Acquisition::Improvement { margin: R::ZERO }]
        {
            let best = R::of(0.4);
            let request = Score { tape, posterior: &posterior, acquisition, best, points: &points };
            Backend::score(&mut plain, &request, &mut a, work).unwrap();
            faer.score(&request, &mut b, work).unwrap();
            close("score", &b, &a);
        }
        let acquisition = Acquisition::Bound { beta: R::ONE };
        let request = Score { tape, posterior: &posterior, acquisition, best: R::ZERO, points: &points };
        assert!(faer.score(&request, &mut b[..39], work).is_err());
    }
}

#[test]
fn agrees_with_plain_in_double_precision() {
    for kernel in &kernels() {
        for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
            for n in SIZES {
                // n·ε times a condition number of n/noise is below 1e-10 for n = 300.
                check_verbs::<f64>(kernel, trend, n, 1e-2, 1e-10, 1);
            }
        }
    }
    check_verbs::<f64>(&kernels()[0], Trend::Constant, 300, 1e-2, 1e-10, 0);
}

#[test]
fn agrees_with_plain_in_single_precision() {
    for kernel in &kernels() {
        for n in SIZES {
            // A condition number of about n/noise = 3000 times some ε of 1.2e-7.
            check_verbs::<f32>(kernel, Trend::Constant, n, 1e-1, 2e-3, 1);
        }
    }
}

#[test]
fn an_indefinite_matrix_is_refused_with_its_row() {
    let kernel = &kernels()[0];
    let mut nodes = vec![0; 2 * kernel.nodes()];
    kernel.write(DIMS, &mut nodes, &mut []).unwrap();
    let tape = Tape::attach(&nodes, &[], DIMS).unwrap();
    let mut faer = Faer::<f64>::new();
    for n in [20, 100] {
        let mut x: Vec<f64> = uniform(n * DIMS, 5);
        // A negative known variance makes one pivot negative.
        let mut known = vec![0.0; n];
        known[n - 2] = -3.0;
        let theta = vec![0.0; tape.thetas() + 1];
        let y: Vec<f64> = uniform(n, 6);
        let ask = |faer: &mut Faer<f64>, x: &[f64], known: &[f64]| {
            let inputs = Inputs { theta: &theta, x, rows: n, nugget: 0.0, blocks: Blocks::default() };
            let (targets, trend, objective) = (&y[..], Trend::Constant, Objective::Evidence);
            let regression = &Regression { inputs, targets, noise: known, trend, objective };
            let request = Evidence { tape, regression };
            let mut gradient = vec![0.0; theta.len()];
            faer.evidence(&request, &mut gradient, &mut vec![0.0; packed(n)], &mut vec![0.0; 40_000])
        };
        let row = n as u32 - 2;
        assert_eq!(ask(&mut faer, &x, &known), Err(Error::NotPositiveDefinite { row }));
        known[n - 2] = 0.0;
        assert!(ask(&mut faer, &x, &known).is_ok());
        x[(n - 2) * DIMS] = f64::NAN;
        assert_eq!(ask(&mut faer, &x, &known), Err(Error::NotPositiveDefinite { row }));
        assert_eq!(ask(&mut faer, &x[1..], &known), Err(Error::Shape { needed: n * DIMS }));
    }
}

#[test]
fn a_whole_run_finds_the_minimum() {
    let params = [Param::real(-5.0, 10.0), Param::real(0.0, 15.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(2, 70);
    let branin = |x: &[f64; 2]| {
        let pi = core::f64::consts::PI;
        let a = x[1] - 5.1 / (4.0 * pi * pi) * x[0] * x[0] + 5.0 / pi * x[0] - 6.0;
        a * a + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * x[0].cos() + 10.0
    };
    let run = |backend: &mut dyn Backend<f64>| {
        let memory = vec![0; limits.words::<f64>()];
        let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, memory).unwrap();
        let mut x = [0.0; 2];
        for _ in 0..70 {
            let ask = optimizer.ask_with(backend, &mut x).unwrap();
            optimizer.tell(ask.id, branin(&x)).unwrap();
        }
        optimizer.best().unwrap().value
    };
    let (fast, plain) = (run(&mut Faer::new()), run(&mut Plain));
    let minimum = 0.397_887_357_729_738;
    assert!(fast - minimum < 1e-4 && plain - minimum < 1e-4, "{fast} {plain}");
}
