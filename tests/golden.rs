//! Every operation of a kernel and every closed form of an acquisition against its row of the golden tables.
//!
//! `oracle/kernels.txt` and `oracle/acquisitions.txt` are read by C (`ffi/golden.c`), Python (`ffi/python/tests`) and the
//! GPU suite (`gpu/tests/golden.rs`), too.

use infill::acquisition::Rule;
use infill::kernel::{Op, Tape};
use infill::{Acquisition, Prediction};
use infill_tests::golden::{acquisitions, kernels};

/// A few operations on numbers of order 1, or the Bessel function, which is good to 1e-13; slopes are of order 10.
fn near(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 2e-12 * want.abs().max(1.0), "{what}: {got:e}, not {want:e}");
}

#[test]
fn every_operation_has_a_row() {
    let table = kernels();
    for &op in Op::ALL {
        let row = table.iter().find(|case| case.name == op.name());
        let row = row.unwrap_or_else(|| panic!("{op:?}: no case {} in tests/oracle/kernels.txt", op.name()));
        assert_eq!(row.code, Some(u64::from(op as u8)), "{op:?}: its code in tests/oracle/kernels.txt");
        let roles: Vec<_> =
            op.parameters(true).iter().map(|p| format!("{:?}", p.role).to_lowercase()).collect();
        assert_eq!(row.roles, roles, "{op:?}: its roles in tests/oracle/kernels.txt");
        assert!(row.nodes.iter().any(|node| node.op == op), "{op:?}: no node of its case is one");
    }
}

#[test]
fn kernels_have_their_golden_values() {
    for case in kernels() {
        let (nodes, lists, theta) = case.written();
        let tape = Tape::attach(&nodes, &lists, case.dims).unwrap();
        assert_eq!(tape.thetas(), theta.len(), "{}", case.name);
        for pair in &case.pairs {
            let (mut by_theta, mut by_a) = (vec![9.0; theta.len()], vec![9.0; case.dims]);
            near(tape.eval(&theta, &pair.a, &pair.b), pair.value, &case.name);
            near(tape.eval(&theta, &pair.b, &pair.a), pair.value, &case.name);
            near(tape.gradient(&theta, &pair.a, &pair.b, &mut by_theta), pair.value, &case.name);
            tape.gradient_x(&theta, &pair.a, &pair.b, &mut by_a);
            for (got, want) in by_theta.iter().zip(&pair.by_theta).chain(by_a.iter().zip(&pair.by_a)) {
                near(*got, *want, &format!("{}: a slope", case.name));
            }
            // The blocks of rows have formulas of their own.
            let x = [&pair.a[..], &pair.b].concat();
            let mut scratch = vec![0.0; Tape::scratch(2, case.dims, theta.len())];
            let mut rows = tape.rows(&theta, &x, 2, &mut scratch).unwrap();
            let mut gram = [0.0; 3];
            rows.gram(&mut gram).unwrap();
            near(gram[1], pair.value, &format!("{}: a row", case.name));
            rows.weighted_gradient(&[0.0, 0.5, 0.0], &mut by_theta).unwrap();
            rows.cross_gradient_x(&pair.a, [&[0.0, 1.0]], [&mut by_a]).unwrap();
            for (got, want) in by_theta.iter().zip(&pair.by_theta).chain(by_a.iter().zip(&pair.by_a)) {
                near(*got, *want, &format!("{}: a slope of rows", case.name));
            }
        }
    }
}

#[test]
fn every_acquisition_has_a_row() {
    let table = acquisitions();
    for &rule in Rule::ALL {
        let row = table.iter().find(|case| case.name == rule.name());
        let row = row
            .unwrap_or_else(|| panic!("{rule:?}: no case {} in tests/oracle/acquisitions.txt", rule.name()));
        assert_eq!(row.code, rule.code(), "{rule:?}: its code in tests/oracle/acquisitions.txt");
    }
}

#[test]
fn acquisitions_have_their_golden_values() {
    for case in acquisitions() {
        for row in &case.rows {
            let rule = Acquisition::from_code(case.code, row.parameter).unwrap();
            let at = Prediction { mean: row.mean, variance: row.deviation * row.deviation };
            let (score, by_mean, by_deviation) = rule.score_gradient(at, row.best);
            near(rule.score(at, row.best), row.score, &case.name);
            near(score, row.score, &case.name);
            near(by_mean, row.by_mean, &format!("{}: by the mean", case.name));
            near(by_deviation, row.by_deviation, &format!("{}: by the deviation", case.name));
        }
    }
}
