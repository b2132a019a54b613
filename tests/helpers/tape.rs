//! A kernel as its tape sees it.

use infill::gp::Size;
use infill::kernel::Kernel;
use infill::{Gp, Trend};

/// The words of a kernel and its hyperparameters on their log scale, without the noise.
pub fn written(kernel: &Kernel, dims: usize) -> (Vec<u64>, Vec<f64>) {
    let mut nodes = vec![0; 2 * kernel.nodes()];
    kernel.write(dims, &mut nodes, &mut []).unwrap();
    let size = Size { rows: 1, exact: 1, dims, thetas: kernel.thetas(dims).unwrap(), columns: 0, batch: 1 };
    let mut block = vec![0; size.words::<f64>()];
    let gp = Gp::<f64>::new(kernel, Trend::Zero, size, &mut block).unwrap();
    let theta = gp.theta()[..size.thetas].to_vec();
    (nodes, theta)
}
