//! A process with its tape and its block, for tests that look at one model.

use infill::gp::Size;
use infill::kernel::{Kernel, Tape};
use infill::{Gp, Real, Trend};

/// Makes a process that holds the data, not fitted yet, and passes it on with the tape of its kernel.
///
/// `noise` is frozen; `known` holds the known variance of each observation or is empty.
pub fn with_gp<R: Real, T>(
    kernel: &Kernel,
    trend: Trend,
    noise: f64,
    x: &[Vec<R>],
    y: &[R],
    known: &[R],
    run: impl FnOnce(&mut Gp<'_, R>, Tape<'_>) -> T,
) -> T {
    let dims = x[0].len();
    let mut nodes = vec![0; 2 * kernel.nodes()];
    let mut lists = vec![0; kernel.list_entries().div_ceil(4)];
    kernel.write(dims, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, dims).unwrap();
    let size = Size {
        rows: x.len() + 4,
        exact: x.len() + 4,
        dims,
        thetas: tape.thetas(),
        columns: trend.columns(dims),
        batch: 16,
    };
    let mut block = vec![0; size.words::<R>()];
    let mut gp = Gp::new(kernel, trend, size, &mut block).unwrap();
    gp.set_noise(noise, noise, noise).unwrap();
    for (i, (x, &y)) in x.iter().zip(y).enumerate() {
        gp.push(x, y, known.get(i).copied().unwrap_or(R::ZERO)).unwrap();
    }
    run(&mut gp, tape)
}

/// Whether two numbers agree to a part of the larger of `scale` and the second.
pub fn close(a: f64, b: f64, tolerance: f64, scale: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(scale)
}
