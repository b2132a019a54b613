//! Every operation of a kernel and every acquisition on the device, against its row of the golden tables.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use infill::backend::{Backend, Cross, Inputs, Posterior, Score};
use infill::kernel::{Dims, Kernel, Op};
use infill::linalg::Blocks;
use infill::{Acquisition, Limits, Trend};
use infill_tests::golden::{acquisitions, kernels};
use support::{Program, device, options};

/// Single precision of a few operations on numbers of order 1 with slopes of order 10; the exact bounds are those of the
/// suite of the backends.
const TOLERANCE: f64 = 2e-5;

fn near(got: f32, want: f64, what: &str) {
    assert!(
        (f64::from(got) - want).abs() <= TOLERANCE * want.abs().max(1.0),
        "{what}: {got:e}, not {want:e}"
    );
}

#[test]
fn kernels_have_their_golden_values() {
    let limits = Limits::new(3, 64);
    let Some(mut gpu) = device(&limits, &options(None)) else { return };
    for case in kernels() {
        let on_gpu = case.nodes.iter().all(|node| node.op.on_gpu());
        let (kernel, theta) = (case.kernel(), case.written().2);
        let program = Program::new(&kernel, case.dims);
        let theta: Vec<f32> = theta.iter().map(|t| *t as f32).collect();
        for pair in &case.pairs {
            let narrow = |x: &[f64]| x.iter().map(|v| *v as f32).collect::<Vec<f32>>();
            let (x, point) = (narrow(&pair.a), narrow(&pair.b));
            let inputs = Inputs { theta: &theta, x: &x, rows: 1, nugget: 1.0, blocks: Blocks::default() };
            let mut work = vec![0.0; infill::kernel::Tape::scratch(1, case.dims, theta.len())];
            let (mut out, before) = ([f32::NAN], gpu.gpu.counters().answered);
            let request = Cross { tape: program.tape(), inputs: &inputs, points: &point };
            gpu.cross(&request, &mut out, &mut work).expect("cross");
            near(out[0], pair.value, &case.name);
            let answered = gpu.gpu.counters().answered > before;
            assert_eq!(answered, on_gpu, "{}: the device, or the CPU", case.name);
        }
    }
}

/// A posterior that has this mean and this deviation everywhere: the constant σ² = s², one row that takes nothing away.
#[test]
fn acquisitions_have_their_golden_values() {
    let limits = Limits::new(1, 64);
    let Some(mut gpu) = device(&limits, &options(None)) else { return };
    let mut kernel = Kernel::postfix();
    kernel.node(Op::Constant, Dims::All);
    let program = Program::new(&kernel, 1);
    for case in acquisitions() {
        for row in &case.rows {
            let variance = row.deviation * row.deviation;
            let (theta, alpha) = ([variance.ln() as f32], [(row.mean / variance) as f32]);
            let inputs = Inputs { theta: &theta, x: &[0.5], rows: 1, nugget: 0.0, blocks: Blocks::default() };
            let posterior = Posterior {
                inputs,
                factor: &[1e10],
                alpha: &alpha,
                trend: Trend::Zero,
                beta: &[],
                basis: &[],
                normal: &[],
            };
            let rule = Acquisition::from_code(case.code, row.parameter as f32).expect("a rule");
            let (mut out, mut work) = ([f32::NAN], vec![0.0; infill::gp::predict::score_work(1, 1, 0, 1, 1)]);
            let request = Score {
                tape: program.tape(),
                posterior: &posterior,
                acquisition: rule,
                best: row.best as f32,
                points: &[0.25],
            };
            gpu.score(&request, &mut out, &mut work).expect("scores");
            near(out[0], row.score, &format!("{} {row:?}", case.name));
        }
    }
}
