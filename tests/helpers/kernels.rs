//! Kernels as the files of reference numbers name them, for the tests that read those.

use infill::gp::Size;
use infill::kernel::{Dims, Kernel, Prior, Role};
use infill::{Gp, Trend};
use infill_tests::oracle::Case;

/// A kernel with another value of a hyperparameter.
pub fn set(kernel: Kernel, role: Role, value: f64) -> Kernel {
    kernel.with(role, value, value / 1.5..value * 1.5, Prior::Flat)
}

/// The kernel of a case of pyGPGO, and for each of our hyperparameters the name of theirs, if there is one.
pub fn pygpgo(case: &Case) -> (Kernel, Vec<Option<&'static str>>) {
    let all = Dims::All;
    let (leaf, mut names) = match case.text("kernel") {
        "squaredExponential" => (Kernel::squared_exponential(all), vec![Some("l")]),
        "matern32" => (Kernel::matern32(all), vec![Some("l")]),
        "matern52" => (Kernel::matern52(all), vec![Some("l")]),
        // ν is frozen here and has no slope.
        "matern" => (Kernel::matern(all, case.number("v")), vec![Some("l"), None]),
        "gammaExponential" => {
            let gamma = case.number("gamma");
            let leaf = Kernel::gamma_exponential(all).with(Role::Shape, gamma, 0.5..2.0, Prior::Flat);
            (leaf, vec![Some("l"), Some("gamma")])
        }
        "rationalQuadratic" => (
            set(Kernel::rational_quadratic(all), Role::Shape, case.number("alpha")),
            vec![Some("l"), Some("alpha")],
        ),
        "dotProd" => (Kernel::linear(all).with(Role::Weight, 1.0, 1.0..1.0, Prior::Flat), vec![None]),
        other => panic!("{other}"),
    };
    let leaf = if case.has("l") { set(leaf, Role::Length, case.number("l")) } else { leaf };
    names.push(Some("sigmaf"));
    (set(leaf.scaled(), Role::Variance, case.number("sigmaf")), names)
}

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
