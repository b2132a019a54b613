//! The kernels of pyGPGO by their names in `tests/oracle`.

use infill::kernel::{Dims, Kernel, Prior, Role};
use infill_tests::oracle::Case;

use crate::kernels::set;

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
