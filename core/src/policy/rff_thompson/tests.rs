//! Paths against the posterior they are drawn from.

use std::vec;
use std::vec::Vec;

use super::super::tests::support::Table;
use super::{AcquisitionFunction, Data, RffThompson};
use crate::error::Error;
use crate::kernel::{Dims, Kernel, Tape};
use crate::rng::Generator;
use crate::trend::Trend;

fn with_tape<T>(ask: impl FnOnce(Tape<'_>) -> T) -> T {
    let kernel = Kernel::squared_exponential(Dims::All).scaled();
    let (mut nodes, mut lists) = ([0; 16], [0; 4]);
    kernel.write(1, &mut nodes, &mut lists).unwrap();
    ask(Tape::attach(&nodes, &lists, 1).unwrap())
}

/// ln ℓ, ln σ²
const THETA: [f64; 2] = [-1.0, 0.4];

/// Posterior mean and variance at `at` for any kernel, by Gaussian elimination.
fn exact(k: impl Fn(f64, f64) -> f64, data: &Data<'_, f64>, at: f64) -> (f64, f64) {
    let n = data.y.len();
    let h = |x: f64| {
        let mut sum = 0.0;
        data.trend.basis(&[x], |c, v| sum += data.beta[c] * v);
        sum
    };
    // Two right-hand sides: the residuals and k(X, at).
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = (0..n).map(|j| k(data.x[i], data.x[j])).collect();
            row[i] += data.noise + data.known.get(i).unwrap_or(&0.0);
            row.extend([data.y[i] - h(data.x[i]), k(data.x[i], at)]);
            row
        })
        .collect();
    for i in 0..n {
        let pivot = rows[i].clone();
        for row in rows.iter_mut().skip(i + 1) {
            let factor = row[i] / pivot[i];
            row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
        }
    }
    let mut solution = vec![[0.0; 2]; n];
    for i in (0..n).rev() {
        for s in 0..2 {
            let sum: f64 = (i + 1..n).map(|j| rows[i][j] * solution[j][s]).sum();
            solution[i][s] = (rows[i][n + s] - sum) / rows[i][i];
        }
    }
    let cross = |s: usize| (0..n).map(|i| k(data.x[i], at) * solution[i][s]).sum::<f64>();
    (h(at) + cross(0), k(at, at) - cross(1))
}

/// Mean and variance of draws against the exact ones, within four standard errors.
fn compare(draws: &[f64], mean: f64, variance: f64) {
    let n = draws.len() as f64;
    let average = draws.iter().sum::<f64>() / n;
    let spread = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n;
    assert!((average - mean).abs() < 4.0 * (variance / n).sqrt(), "{average} {mean}");
    assert!((spread - variance).abs() < 4.0 * variance * (2.0 / n).sqrt(), "{spread} {variance}");
}

const X: [f64; 9] = [0.0, 0.15, 0.2, 0.4, 0.55, 0.6, 0.8, 0.9, 1.0];
const Y: [f64; 9] = [0.3, 0.1, 0.2, -0.4, -0.2, 0.3, 0.9, 1.3, 0.8];
const KNOWN: [f64; 9] = [0.0, 0.1, 0.0, 0.2, 0.0, 0.0, 0.05, 0.0, 0.0];

/// With fixed frequencies the waves are a process of their own, whose posterior is exact: by either system.
#[test]
fn weights_have_the_posterior_of_their_waves() {
    for (rows, features) in [(4, 6), (9, 3), (0, 4)] {
        with_tape(|tape| {
            let data = Data {
                x: &X[..rows],
                y: &Y[..rows],
                known: &KNOWN[..rows],
                noise: 0.02,
                trend: Trend::Linear,
                beta: &[0.3, -0.2],
            };
            let mut memory = vec![0.0; RffThompson::<f64>::scalars(rows, 1, 2, features)];
            let mut path = RffThompson::new(&mut memory, rows, 1, 2, features).unwrap();
            let generator = &mut Generator::new(3);
            path.frequencies(tape, &THETA, generator).unwrap();
            let waves = path.frequencies.to_vec();
            let k = |a: f64, b: f64| {
                let sum: f64 = waves.iter().map(|w| (w * (a - b)).cos()).sum();
                THETA[1].exp() * sum / features as f64
            };
            let (mut near, mut far) = (vec![], vec![]);
            for _ in 0..100_000 {
                path.condition(&data, generator).unwrap();
                near.push(path.value(&[0.3]));
                far.push(path.value(&[1.4]));
            }
            for (at, draws) in [(0.3, near), (1.4, far)] {
                let (mean, variance) = exact(k, &data, at);
                compare(&draws, mean, variance);
            }
        });
    }
}

/// With many waves, drawn anew each time, the draws are those of the process itself.
#[test]
fn paths_have_the_posterior_of_the_process() {
    with_tape(|tape| {
        let data = Data { x: &X[..3], y: &Y[..3], known: &[], noise: 0.1, trend: Trend::Zero, beta: &[] };
        let mut memory = vec![0.0; RffThompson::<f64>::scalars(3, 1, 0, 300)];
        let mut path = RffThompson::new(&mut memory, 3, 1, 0, 300).unwrap();
        let generator = &mut Generator::new(5);
        let (mut near, mut far) = (vec![], vec![]);
        for _ in 0..5000 {
            path.prepare(tape, &THETA, &data, generator).unwrap();
            near.push(path.value(&[0.3]));
            far.push(path.value(&[0.9]));
        }
        for (at, draws) in [(0.3, near), (0.9, far)] {
            let (mean, variance) = exact(|a, b| tape.eval(&THETA, &[a], &[b]), &data, at);
            compare(&draws, mean, variance);
        }
    });
}

#[test]
fn the_gradient_is_that_of_the_score() {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let (mut nodes, mut lists) = ([0; 16], [0; 4]);
    kernel.write(2, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, 2).unwrap();
    let beta = [0.1, 0.2, -0.3, 0.5, -0.1, 0.4];
    let data = Data { x: &X[..8], y: &Y[..4], known: &[], noise: 1e-4, trend: Trend::Quadratic, beta: &beta };
    let mut memory = vec![0.0; RffThompson::<f64>::scalars(4, 2, 6, 30)];
    let mut path = RffThompson::new(&mut memory, 4, 2, 6, 30).unwrap();
    path.prepare(tape, &[-0.5, -1.0, 0.0], &data, &mut Generator::new(2)).unwrap();
    // A drawn function asks no model.
    let model = &mut Table::new(&[], &[]);
    for point in [[0.2, 0.7], [0.5, 0.1]] {
        let mut gradient = [0.0; 2];
        let value = path.gradient(model, &point, [&mut gradient, &mut []]).unwrap();
        assert_eq!(value, path.score(model, &point).unwrap());
        for k in 0..2 {
            let (mut a, mut b) = (point, point);
            a[k] -= 1e-5;
            b[k] += 1e-5;
            let difference = (path.score(model, &b).unwrap() - path.score(model, &a).unwrap()) / 2e-5;
            assert!((gradient[k] - difference).abs() < 1e-6 * (1.0 + difference.abs()));
        }
    }
    // It passes near the data.
    assert!((path.value(&[X[2], X[3]]) - Y[1]).abs() < 0.06);
}

#[test]
fn edges() {
    with_tape(|tape| {
        let good = Data { x: &X, y: &Y, known: &[], noise: 0.0, trend: Trend::Zero, beta: &[] };
        let mut memory = vec![0.0; RffThompson::<f64>::scalars(9, 1, 0, 5)];
        assert_eq!(RffThompson::new(&mut memory, 9, 1, 0, 0).unwrap_err(), Error::Config);
        assert_eq!(RffThompson::new(&mut memory, 9, 0, 0, 5).unwrap_err(), Error::Config);
        assert!(RffThompson::new(&mut memory[1..], 9, 1, 0, 5).is_err());
        assert_eq!(RffThompson::new(&mut memory, 9, 1, 0, usize::MAX).unwrap_err(), Error::Config);
        assert!(RffThompson::new(&mut memory, usize::MAX, usize::MAX, usize::MAX, 5).is_err());
        let mut path = RffThompson::new(&mut memory, 9, 1, 0, 5).unwrap();
        let generator = &mut Generator::new(1);
        assert_eq!(path.condition(&good, generator), Err(Error::NoData));
        assert!(path.value(&[0.1]).is_nan());
        let model = &mut Table::new(&[], &[]);
        assert_eq!(path.score(model, &[0.1]), Ok(-f64::MAX));
        assert_eq!(path.gradient(model, &[0.1], [&mut [0.0], &mut []]), Err(Error::NoData));
        // No noise and more data than waves: what is left is rounding.
        path.prepare(tape, &THETA, &good, generator).unwrap();
        assert!(path.value(&[0.5]).is_finite());
        assert!(path.value(&[0.5, 0.1]).is_nan());
        assert!(path.gradient(model, &[0.1, 0.1], [&mut [0.0], &mut []]).is_err());
        for bad in [
            Data { x: &X[..8], ..good },
            Data { known: &KNOWN[..3], ..good },
            Data { trend: Trend::Constant, ..good },
            Data { trend: Trend::Constant, beta: &[1.0], ..good },
        ] {
            assert!(matches!(path.condition(&bad, generator), Err(Error::Shape { .. })));
        }
        for bad in [
            Data { noise: f64::NAN, ..good },
            Data { noise: -1.0, ..good },
            Data { y: &[f64::INFINITY; 9], ..good },
            Data { known: &[-1.0; 9], ..good },
        ] {
            assert_eq!(path.condition(&bad, generator), Err(Error::NotFinite));
        }
        let mut memory = vec![0.0f32; RffThompson::<f32>::scalars(40, 1, 0, 5)];
        let mut single = RffThompson::new(&mut memory, 40, 1, 0, 5).unwrap();
        let x = [0.25f32; 40];
        let data = Data { x: &x, y: &x, known: &[], noise: 1e-6, trend: Trend::Zero, beta: &[] };
        single.prepare(tape, &[-1.0, 0.0], &data, generator).unwrap();
        assert!((single.value(&[0.25]) - 0.25).abs() < 0.01);
    });
}
