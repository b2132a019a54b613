//! The suite of the backends for the nodes of conditional spaces, over points of which some coordinates are inactive.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use infill::backend::{Backend, Cross, Gram, Inputs};
use infill::linalg::{Blocks, packed};
use infill::{Limits, Plain, Real};
use infill_tests::random::SplitMix64;
use support::bounds::Errors;
use support::{Program, conditional, device, options, points, wide};

const ROWS: usize = 160;
const POINTS: usize = 24;

/// Points whose last coordinate is a category and of whose others every third is −1, inactive.
fn partly<R: Real>(count: usize, dims: usize, seed: u64) -> Vec<R> {
    let mut random = SplitMix64::new(seed);
    let mut all: Vec<R> = points(count, dims, dims - 1, seed);
    for (i, value) in all.iter_mut().enumerate() {
        if i % dims < dims - 1 && random.bits().is_multiple_of(3) {
            *value = -R::ONE;
        }
    }
    all
}

fn suite<R: Real>(backend: &mut dyn Backend<R>) {
    let mut across = 0;
    for dims in [3, 9] {
        for (name, kernel) in conditional(dims) {
            let program = Program::new(&kernel, dims);
            let tape = program.tape();
            let (x, candidates) = (partly::<R>(ROWS, dims, 1), partly::<R>(POINTS, dims, 2));
            let mut theta = vec![R::ZERO; tape.thetas()];
            kernel.write_start(dims, &mut theta).expect("a start");
            let inputs =
                Inputs { theta: &theta, x: &x, rows: ROWS, nugget: R::ONE, blocks: Blocks::default() };
            let mut work = vec![R::ZERO; infill::kernel::Tape::scratch(ROWS, dims, theta.len())];
            let mut gram = vec![R::NAN; packed(ROWS)];
            backend.gram(&Gram { tape, inputs: &inputs }, &mut gram, &mut work).expect("gram");
            let mut cross = vec![R::NAN; ROWS * POINTS];
            let request = Cross { tape, inputs: &inputs, points: &candidates };
            backend.cross(&request, &mut cross, &mut work).expect("cross");

            let (x, theta, candidates) = (wide(&x), wide(&theta), wide(&candidates));
            let row = |i: usize| &x[i * dims..(i + 1) * dims];
            let (mut closed, mut worst) = (0, 0.0f64);
            let mut check = |got: R, a: &[f64], b: &[f64]| {
                let expected = tape.eval(&theta, a, b);
                let error = (got.to_f64() - expected).abs();
                let bound = Errors::of_covariance(tape, &theta, a, b).max(expected / 16_777_216.0);
                assert!(error <= bound, "{name} d = {dims}: k({a:?}, {b:?}) is {got} for {expected}");
                if expected == 0.0 {
                    assert_eq!(got, R::ZERO, "{name}");
                    closed += 1;
                }
                worst = worst.max(error);
            };
            for i in 0..ROWS {
                for j in 0..=i {
                    check(gram[packed(i) + j], row(i), row(j));
                }
                for (c, point) in candidates.chunks_exact(dims).enumerate() {
                    check(cross[c * ROWS + i], row(i), point);
                }
            }
            across += closed;
            println!("{name} d = {dims}: {worst:.1e}, {closed} across branches");
        }
    }
    assert!(across > 0, "no pair of points in different branches");
}

#[test]
fn plain() {
    suite::<f32>(&mut Plain);
    suite::<f64>(&mut Plain);
}

#[test]
fn gpu() {
    let limits = Limits::new(16, ROWS as u32).kernel(24, 64, 80);
    let Some(mut gpu) = device(&limits, &options(None)) else { return };
    suite::<f32>(&mut gpu);
    suite::<f64>(&mut gpu);
    assert!(gpu.gpu.counters().answered > 50, "{:?}", gpu.gpu.counters());
}
