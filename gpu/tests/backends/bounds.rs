//! The bounds themselves, by single precision on this machine.

use crate::support::{Program, bounds};
use infill::kernel::{Dims, Kernel, Op};

/// The values are those of the library, and single precision on this machine stays within the bounds.
#[test]
fn values_are_covariances() {
    let (all, two) = (Dims::range(0, 3), Dims::range(1, 2));
    let leaves = [
        Kernel::squared_exponential(all).ard(),
        Kernel::matern12(two),
        Kernel::matern32(all),
        Kernel::matern52(all).ard(),
        Kernel::rational_quadratic(all),
        Kernel::gamma_exponential(all),
        Kernel::laplace(all),
        Kernel::periodic(two).ard(),
        Kernel::cosine(all),
        Kernel::linear(all),
        Kernel::polynomial(all, 3),
        Kernel::arc_sine(all),
        Kernel::hamming(two),
        Kernel::exchangeable(all),
        Kernel::constant(),
        Kernel::branch(two),
        Kernel::active(all),
        Kernel::arc(all, Op::SquaredExponential).ard(),
        Kernel::arc(two, Op::Matern12),
        Kernel::arc(all, Op::Matern32),
        Kernel::arc(all, Op::Matern52).ard(),
        Kernel::one_hot(Dims::list(&[2, 0, 1]), 2, Op::Matern52).ard(),
        Kernel::one_hot(all, 1, Op::SquaredExponential),
    ];
    let both = leaves[3]
        .clone()
        .times(leaves[0].clone())
        .expect("small")
        .scaled()
        .plus(leaves[9].clone())
        .expect("small");
    for kernel in leaves.into_iter().chain([both]) {
        let program = Program::new(&kernel, 3);
        let tape = program.tape();
        let mut theta = vec![0.0; tape.thetas()];
        kernel.write_start(3, &mut theta).expect("a start");
        let narrow: Vec<f32> = theta.iter().map(|&value| value as f32).collect();
        let points: [[f64; 3]; 5] = [
            [0.1, 0.25, 0.75],
            [0.6, 0.25, 0.5],
            [0.1, 0.250_000_1, 0.75],
            [1.0, 0.0, 0.3],
            [0.3, -1.0, 0.5],
        ];
        for a in points {
            for b in points {
                let got = bounds::covariance(tape, &theta, &a, &b);
                let expected = tape.eval(&theta, &a, &b);
                assert!(
                    (got.value - expected).abs() <= 1e-13 * expected.abs().max(1.0),
                    "{kernel:?} {a:?} {b:?}"
                );
                assert!(got.most >= got.square.sqrt() * (1.0 - 1e-9));
                assert!(got.most <= 1e-3, "{kernel:?}: {got:?}");
                // The hyperparameters are rounded on their log scale here, which costs as much again.
                let single = tape.eval(&narrow, &a.map(|x| x as f32), &b.map(|x| x as f32));
                let error = (f64::from(single) - expected).abs();
                assert!(error <= 2.0 * got.most, "{kernel:?}: {error:.1e} {got:?}");
            }
        }
    }
}
