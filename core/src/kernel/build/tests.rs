//! What the builder accepts, refuses and writes.

use super::super::op::MAX_DEGREE;
use super::super::{Tape, words};
use super::*;

fn fault(kernel: &Kernel) -> Option<Error> {
    kernel.check().err()
}

#[test]
fn mistakes_are_remembered() {
    let d = Dims::All;
    assert_eq!(fault(&Kernel::hamming(Dims::list(&[1, 1]))), Some(Error::Kernel));
    assert_eq!(fault(&Kernel::hamming(Dims::list(&[2, 1]))), Some(Error::Kernel));
    assert_eq!(fault(&Kernel::polynomial(d, 0)), Some(Error::Kernel));
    assert_eq!(fault(&Kernel::polynomial(d, MAX_DEGREE + 1)), Some(Error::Kernel));
    assert_eq!(fault(&Kernel::matern(d, 65.0)), Some(Error::Theta { index: 1 }));
    assert_eq!(fault(&Kernel::matern(d, f64::NAN)), Some(Error::Theta { index: 1 }));
    assert_eq!(fault(&Kernel::linear(d).frozen(Role::Length)), Some(Error::Kernel));
    let with = |kernel: Kernel, role, value, lo: f64, hi: f64| kernel.with(role, value, lo..hi, Prior::Flat);
    let se = Kernel::squared_exponential(d);
    assert_eq!(fault(&with(se.clone(), Role::Length, 1.0, 0.5, 2.0)), None);
    assert_eq!(fault(&with(se.clone(), Role::Period, 1.0, 0.5, 2.0)), Some(Error::Kernel));
    for (value, lo, hi) in [(3.0, 0.5, 2.0), (1.0, 0.0, 2.0), (1.0, -1.0, 2.0), (1.0, 0.5, f64::INFINITY)] {
        let bad = with(se.clone(), Role::Length, value, lo, hi);
        assert_eq!(fault(&bad), Some(Error::Theta { index: 0 }));
        assert!(bad.clone().plus(se.clone()).is_err() && se.clone().times(bad.clone()).is_err());
        assert!(bad.thetas(1).is_err() && bad.write(1, &mut [0; 9], &mut []).is_err());
    }
    let gamma = Kernel::gamma_exponential(d);
    assert_eq!(fault(&with(gamma.clone(), Role::Shape, 2.0, 1.0, 2.0)), None);
    assert!(fault(&with(gamma, Role::Shape, 1.0, 1.0, 2.1)).is_some());
    assert!(fault(&with(Kernel::exchangeable(d), Role::Correlation, 0.5, 0.1, 1.1)).is_some());
    let narrow = Prior::LogNormal { mean: 0.0, sd: 0.0 };
    assert!(fault(&se.with(Role::Length, 1.0, 0.1..9.0, narrow)).is_some());
}

#[test]
fn too_large_is_an_error() {
    let mut sum = Kernel::constant();
    let mut nodes = 1;
    while let Ok(next) = sum.clone().plus(Kernel::constant()) {
        sum = next;
        nodes += 2;
        assert_eq!(sum.nodes(), nodes);
    }
    assert_eq!(nodes, MAX_NODES - 1);
    assert_eq!(fault(&sum.clone().scaled()), None);
    assert_eq!(fault(&sum.scaled().scaled()), Some(Error::Kernel));
    let long: std::vec::Vec<u16> = (0..=MAX_LISTS as u16).collect();
    assert_eq!(fault(&Kernel::linear(Dims::list(&long))), Some(Error::Kernel));
    let full = Kernel::linear(Dims::list(&long[1..]));
    assert!(full.plus(Kernel::linear(Dims::list(&[3]))).is_err());
    let wide = Kernel::periodic(Dims::All).ard();
    assert_eq!(wide.thetas(32_767), Ok(65_534));
    assert_eq!(wide.thetas(32_768), Err(Error::Kernel));
    assert_eq!(Kernel::linear(Dims::All).thetas(usize::MAX), Err(Error::Kernel));
    assert_eq!(Kernel::linear(Dims::All).thetas(0), Err(Error::Kernel));
    assert_eq!(Kernel::linear(Dims::range(1, 2)).thetas(2), Err(Error::Kernel));
    assert_eq!(Kernel::linear(Dims::range(1, 0)).thetas(2), Err(Error::Kernel));
    assert_eq!(Kernel::linear(Dims::list(&[])).thetas(2), Err(Error::Kernel));
    assert_eq!(Kernel::linear(Dims::list(&[0, 2])).thetas(2), Err(Error::Kernel));
}

#[test]
fn words_and_tables_are_what_was_built() {
    let prior = Prior::LogNormal { mean: 0.25, sd: 0.5 };
    let kernel = Kernel::matern(Dims::list(&[0, 2]), 1.5)
        .ard()
        .with(Role::Length, 0.5, 0.1..2.0, prior)
        .plus(Kernel::hamming(Dims::list(&[1])).frozen(Role::Weight))
        .unwrap()
        .scaled();
    assert_eq!(words(kernel.nodes(), kernel.list_entries()), 2 * 4 + 1);
    let (mut nodes, mut lists) = ([7; 8], [7; 1]);
    assert_eq!(kernel.write(3, &mut nodes[..7], &mut lists), Err(Error::Kernel));
    assert_eq!((nodes, lists), ([7; 8], [7; 1]));
    kernel.write(3, &mut nodes, &mut lists).unwrap();
    #[rustfmt::skip]
    assert_eq!(nodes, [
        0x0003_0000_0000_0314, 0x0002_0000, // Matérn, ARD and list, three θ, two dimensions
        0x0001_0003_0000_0230, 0x0001_0002, // Hamming, list, θ 3, one dimension at entry 2
        0x0000_0004_0000_0001, 0,           // sum
        0x0001_0004_0000_0003, 0,           // scale, θ 4
    ]);
    assert_eq!(lists, [0x0001_0002_0000]);
    let tape = Tape::attach(&nodes, &lists, 3).unwrap();
    let roles = [Role::Length, Role::Length, Role::Shape, Role::Weight, Role::Variance];
    assert_eq!(tape.thetas(), 5);
    assert!((0..5).all(|t| tape.role(t) == Some(roles[t])) && tape.role(5).is_none());
    let mut table = [[9.0f32; 5]; 5];
    let [value, lo, hi, prior_first, prior_second] = &mut table;
    let mut kinds = [9; 5];
    let mut theta = Theta { value, lo, hi, prior_first, prior_second, prior_kind: &mut kinds };
    kernel.write_theta(3, &mut theta).unwrap();
    let ln = |x: f64| x.ln() as f32;
    assert_eq!(table[0], [ln(0.5), ln(0.5), ln(1.5), 0.0, 0.0]);
    assert_eq!(table[1], [ln(0.1), ln(0.1), ln(1.5), 0.0, ln(1e-4)]);
    assert_eq!(table[2], [ln(2.0), ln(2.0), ln(1.5), 0.0, ln(1e4)]);
    assert_eq!(table[3], [0.25, 0.25, 0.0, 0.0, 0.0]);
    assert_eq!(table[4], [4.0, 4.0, 0.0, 0.0, 0.0]);
    assert_eq!(kinds, [0; 5]);
}
