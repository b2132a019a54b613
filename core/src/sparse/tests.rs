//! The sparse processes against the exact one, dense formulas, differences and their own other halves.

mod whole;

use std::vec;
use std::vec::Vec;

use super::evidence::evaluate;
use super::{FEATURES, Kind, Size, Sparse, View};
use crate::backend::Objective;
use crate::block::Arena;
use crate::error::Error;
use crate::gp::{self, Gp};
use crate::kernel::{Dims, Kernel, Tape};
use crate::linalg::packed;
use crate::plain::Plain;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate::{Observations, Surrogate};
use crate::trend::Trend;

/// The words of a kernel.
pub(super) struct Words {
    nodes: [u64; 64],
    lists: [u64; 64],
    dims: usize,
}

impl Words {
    pub(super) fn new(kernel: &Kernel, dims: usize) -> Self {
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        Self { nodes, lists, dims }
    }

    pub(super) fn tape(&self) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, self.dims).unwrap()
    }
}

/// A smooth function with a little noise on random points of the cube.
pub(super) fn data(rows: usize, dims: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(seed);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let point: Vec<f64> = (0..dims).map(|_| rng::uniform(&mut generator)).collect();
        let noise: f64 = rng::normal(&mut generator);
        let sum: f64 = point.iter().enumerate().map(|(k, v)| ((3.0 + k as f64) * v).sin()).sum();
        y.push(2.0 + sum + 0.05 * noise);
        x.extend(point);
    }
    (x, y)
}

pub(super) fn size(rows: usize, dims: usize, features: usize, kernel: &Kernel, trend: Trend) -> Size {
    Size { rows, dims, thetas: kernel.thetas(dims).unwrap(), columns: trend.columns(dims), features }
}

impl Size {
    /// Words of the observations and the process.
    pub(super) const fn words<R: Real>(&self) -> usize {
        Observations::<R>::section_words([self.rows, self.dims]) + self.words_over::<R>()
    }
}

/// A process without observations, in a block of [`Size::words`].
pub(super) fn empty<'a, R: Real>(
    kind: Kind,
    kernel: &Kernel,
    trend: Trend,
    size: Size,
    block: &'a mut [u64],
) -> Sparse<'a, R> {
    let mut arena = Arena::new(block);
    let data = Observations::cut(&mut arena, [size.rows, size.dims]).unwrap();
    let mut sparse = Sparse::over(data, &mut arena, kind, trend, size).unwrap();
    kernel.write_theta(size.dims, &mut sparse.theta).unwrap();
    sparse.theta.set_range(size.thetas, 1e-4, 1e-8, 1.0).unwrap();
    sparse
}

/// The training objective at the present hyperparameters; the factor is spoilt.
fn evidence<R: Real>(sparse: &mut Sparse<'_, R>, tape: Tape<'_>, gradient: &mut [R]) -> Result<R, Error> {
    let (task, mut sums, work, _) = sparse.parts(tape);
    evaluate(&task, &mut sums, gradient, work)
}

/// The inducing inputs or frequencies.
fn spots<'s, R: Real>(sparse: &'s Sparse<'_, R>) -> &'s [R] {
    &sparse.spots[..sparse.kind.spots(sparse.features()) * sparse.size.dims]
}

/// Takes these inducing inputs or frequencies.
fn set_spots<R: Real>(sparse: &mut Sparse<'_, R>, spots: &[R]) {
    sparse.spots[..spots.len()].copy_from_slice(spots);
    sparse.counts[FEATURES] = sparse.kind.features(spots.len() / sparse.size.dims) as u64;
}

pub(super) fn filled<'a, R: Real>(
    kind: Kind,
    kernel: &Kernel,
    trend: Trend,
    size: Size,
    x: &[f64],
    y: &[f64],
    block: &'a mut [u64],
) -> Sparse<'a, R> {
    let mut sparse = empty(kind, kernel, trend, size, block);
    for (i, point) in x.chunks_exact(size.dims).enumerate() {
        let point: Vec<R> = point.iter().map(|&v| R::of(v)).collect();
        // Every third observation comes with a variance of its own.
        let known = if i % 3 == 0 { 0.01 } else { 0.0 };
        sparse.data.push(&point, R::of(y[i]), R::of(known)).unwrap();
    }
    sparse
}

pub(super) fn exact<'a>(
    kernel: &Kernel,
    trend: Trend,
    x: &[f64],
    y: &[f64],
    dims: usize,
    block: &'a mut Vec<u64>,
) -> Gp<'a, f64> {
    let size = gp::Size {
        rows: y.len(),
        exact: y.len(),
        dims,
        thetas: kernel.thetas(dims).unwrap(),
        columns: trend.columns(dims),
        batch: 4,
    };
    block.resize(size.words::<f64>(), 0);
    let mut gp = Gp::new(kernel, trend, size, block).unwrap();
    for (i, point) in x.chunks_exact(dims).enumerate() {
        gp.push(point, y[i], if i % 3 == 0 { 0.01 } else { 0.0 }).unwrap();
    }
    gp
}

#[test]
fn words_are_what_carving_takes() {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    for (rows, features) in [(40, 7), (3, 9)] {
        let size = size(rows, 3, features, &kernel, Trend::Linear);
        let words = size.words::<f32>();
        let mut block = vec![0; words];
        let mut arena = Arena::new(&mut block);
        let data = Observations::<f32>::cut(&mut arena, [rows, 3]).unwrap();
        Sparse::over(data, &mut arena, Kind::Fitc, Trend::Linear, size).unwrap();
        assert_eq!(arena.used, words);
    }
    let large = size(10_000, 6, 256, &kernel, Trend::Constant);
    let megabytes = large.words::<f64>() as f64 * 8.0 / 1e6;
    std::println!("n = 10,000, m = 256, d = 6: {megabytes:.2} MB");
    assert!(megabytes <= 64.0);
    // No triangle over the observations, not even a matrix of observations and features.
    assert!(large.words::<f64>() < 10_000 * 256);
}

#[test]
fn inducing_inputs_at_the_data_are_the_exact_process() {
    let kernels = [
        Kernel::matern52(Dims::All).ard().scaled(),
        Kernel::squared_exponential(Dims::All).ard(),
        Kernel::matern32(Dims::range(0, 1)).times(Kernel::matern12(Dims::range(1, 1))).unwrap(),
    ];
    let (mut x, mut y) = data(40, 2, 1);
    // Repeated inputs, which leave fewer distinct ones.
    x.extend_from_within(..6);
    y.extend_from_within(..3);
    y[41] += 0.02;
    let rows = y.len();
    let mut generator = Generator::new(9);
    for kernel in &kernels {
        let words = Words::new(kernel, 2);
        for trend in [Trend::Zero, Trend::Constant, Trend::Linear] {
            let mut exact_block = Vec::new();
            let mut gp = exact(kernel, trend, &x, &y, 2, &mut exact_block);
            let truth = gp.evidence(&words.tape(), &mut Plain, Objective::Evidence, &mut []).unwrap();
            gp.fit(&words.tape(), &mut Plain).unwrap();
            for kind in [Kind::Fitc, Kind::Variational] {
                let size = size(rows, 2, rows, kernel, trend);
                let mut block = vec![0; size.words::<f64>()];
                let mut sparse: Sparse<'_, f64> = filled(kind, kernel, trend, size, &x, &y, &mut block);
                sparse.choose(words.tape(), &mut generator).unwrap();
                assert_eq!(sparse.features(), 40);
                let bound = evidence(&mut sparse, words.tape(), &mut []).unwrap();
                assert!((bound - truth).abs() < 1e-7 * truth.abs(), "{kind:?} {trend:?} {bound} {truth}");
                sparse.fit(words.tape()).unwrap();
                let tape = words.tape();
                let mut view = sparse.view(tape, &mut []).unwrap();
                let probe: Vec<f64> = (0..60).map(|_| rng::uniform(&mut generator)).collect();
                let (mut mean, mut variance) = ([0.0; 30], [0.0; 30]);
                view.predict_many(&probe, &mut mean, &mut variance).unwrap();
                for (i, point) in probe.chunks_exact(2).enumerate() {
                    let truth = gp.predict(&tape, point).unwrap();
                    assert!((mean[i] - truth.mean).abs() < 1e-6, "{kind:?} {} {}", mean[i], truth.mean);
                    assert!((variance[i] - truth.variance).abs() < 1e-6);
                    let one = view.predict(point).unwrap();
                    assert!((one.mean - mean[i]).abs() < 1e-10 && (one.variance - variance[i]).abs() < 1e-10);
                }
            }
        }
    }
}

#[test]
fn fewer_inducing_inputs_agree_with_the_dense_formulas() {
    let (x, y) = data(25, 2, 3);
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 2);
    let tape = words.tape();
    let (n, m) = (25, 6);
    for kind in [Kind::Fitc, Kind::Variational] {
        let size = size(n, 2, m, &kernel, Trend::Zero);
        let mut block = vec![0; size.words::<f64>()];
        let mut sparse: Sparse<'_, f64> = filled(kind, &kernel, Trend::Zero, size, &x, &y, &mut block);
        set_spots(&mut sparse, &x[..m * 2]);
        sparse.fit(tape).unwrap();
        let theta = sparse.theta().to_vec();
        let k = |a: &[f64], b: &[f64]| tape.eval(&theta, a, b);
        let row = |i: usize| &x[i * 2..i * 2 + 2];
        // Spec 9.1: A = K_uu + K_uf Λ⁻¹ K_fu, mean k_*u A⁻¹ K_uf Λ⁻¹ y, var k_** − k_*u (K_uu⁻¹ − A⁻¹) k_u*.
        let uu: Vec<Vec<f64>> = (0..m).map(|i| (0..m).map(|j| k(row(i), row(j))).collect()).collect();
        let mut a = uu.clone();
        let mut b = vec![0.0; m];
        for i in 0..n {
            let ku: Vec<f64> = (0..m).map(|j| k(row(j), row(i))).collect();
            let q: f64 = solve(&uu, &ku).iter().zip(&ku).map(|(a, b)| a * b).sum();
            let own = theta[3].exp() + if i % 3 == 0 { 0.01 } else { 0.0 };
            let lambda = if kind == Kind::Fitc { own + k(row(i), row(i)) - q } else { own };
            for r in 0..m {
                for c in 0..m {
                    a[r][c] += ku[r] * ku[c] / lambda;
                }
                b[r] += ku[r] * y[i] / lambda;
            }
        }
        let mean_weights = solve(&a, &b);
        let points = [0.2, 0.9, 0.55, 0.4, 0.35, 0.1];
        let mut anchors = vec![0.0; 3 * View::<f64>::anchor_scalars(2, m, 0)];
        let mut view = sparse.view(tape, &mut anchors).unwrap();
        let (mut means, mut matrix) = ([0.0; 3], [0.0; 6]);
        view.anchor(&points, &mut means, &mut matrix).unwrap();
        let cross = |p: &[f64]| -> Vec<f64> { (0..m).map(|j| k(row(j), p)).collect() };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for i in 0..3 {
            let p = &points[i * 2..i * 2 + 2];
            let kp = cross(p);
            assert!((means[i] - dot(&kp, &mean_weights)).abs() < 1e-7);
            for j in 0..=i {
                let o = &points[j * 2..j * 2 + 2];
                let ko = cross(o);
                let dense = k(p, o) - dot(&kp, &solve(&uu, &ko)) + dot(&kp, &solve(&a, &ko));
                assert!((matrix[packed(i) + j] - dense).abs() < 1e-8, "{kind:?}");
            }
        }
        let mut against = [0.0; 3];
        let one = view.against(&points[2..4], &mut against).unwrap();
        assert!((one.variance - matrix[2]).abs() < 1e-12);
        assert!((against[0] - matrix[1]).abs() < 1e-12 && (against[2] - matrix[4]).abs() < 1e-12);
        assert_eq!(view.against(&points[2..4], &mut against[..2]), Err(Error::Shape { needed: 3 }));
    }
}

/// Gaussian elimination with partial pivoting.
fn solve(matrix: &[Vec<f64>], side: &[f64]) -> Vec<f64> {
    let n = side.len();
    let mut a: Vec<Vec<f64>> = matrix.to_vec();
    let mut b = side.to_vec();
    for i in 0..n {
        let p = (i..n).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
        a.swap(i, p);
        b.swap(i, p);
        for r in i + 1..n {
            let f = a[r][i] / a[i][i];
            for c in i..n {
                a[r][c] -= f * a[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|c| a[i][c] * b[c]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    b
}

#[test]
fn the_bound_is_below_the_evidence_and_rises_with_the_features() {
    let (x, y) = data(120, 3, 4);
    let kernel = Kernel::squared_exponential(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 3);
    let tape = words.tape();
    let trend = Trend::Constant;
    let mut exact_block = Vec::new();
    let mut gp = exact(&kernel, trend, &x, &y, 3, &mut exact_block);
    let truth = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
    let size = size(120, 3, 120, &kernel, trend);
    let mut block = vec![0; size.words::<f64>()];
    let mut sparse: Sparse<'_, f64> = filled(Kind::Variational, &kernel, trend, size, &x, &y, &mut block);
    sparse.choose(tape, &mut Generator::new(1)).unwrap();
    let spots = spots(&sparse).to_vec();
    let mut last = f64::NEG_INFINITY;
    for m in [1, 2, 4, 8, 16, 32, 64, 120] {
        set_spots(&mut sparse, &spots[..m * 3]);
        let bound = evidence(&mut sparse, tape, &mut []).unwrap();
        assert!(bound <= truth + 1e-5 && bound >= last - 1e-5, "{m}: {last} {bound} {truth}");
        last = bound;
    }
    assert!(truth - last < 1e-3, "{last} {truth}");
}

#[test]
fn gradients_match_differences() {
    let (mut x, y) = data(70, 3, 5);
    for (i, row) in x.chunks_exact_mut(3).enumerate() {
        row[2] = (i % 3) as f64 / 2.0;
    }
    let numbers = || Kernel::matern52(Dims::range(0, 2)).ard();
    let kernels = [
        Kernel::squared_exponential(Dims::All).ard().scaled(),
        Kernel::matern32(Dims::list(&[0, 2])),
        numbers().times(Kernel::hamming(Dims::list(&[2]))).unwrap().scaled(),
        numbers().plus(Kernel::linear(Dims::All)).unwrap(),
    ];
    for (which, kernel) in kernels.iter().enumerate() {
        let words = Words::new(kernel, 3);
        let tape = words.tape();
        for kind in [Kind::Fitc, Kind::Variational, Kind::Spectrum] {
            for trend in [Trend::Zero, Trend::Constant, Trend::Linear] {
                let size = size(70, 3, 12, kernel, trend);
                let mut block = vec![0; size.words::<f64>()];
                let mut sparse: Sparse<'_, f64> = filled(kind, kernel, trend, size, &x, &y, &mut block);
                sparse.theta.set_range(size.thetas, 0.02, 1e-8, 1.0).unwrap();
                let chosen = sparse.choose(tape, &mut Generator::new(2));
                if kind == Kind::Spectrum && which >= 2 {
                    assert_eq!(chosen, Err(Error::Unsupported));
                    continue;
                }
                chosen.unwrap();
                check_gradient(&mut sparse, tape);
            }
        }
    }
}

#[test]
fn gradients_hold_where_inducing_inputs_are_nearly_dependent() {
    let (x, y) = data(120, 2, 15);
    let kernel = Kernel::squared_exponential(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 2);
    for kind in [Kind::Fitc, Kind::Variational] {
        let size = size(120, 2, 60, &kernel, Trend::Constant);
        let mut block = vec![0; size.words::<f64>()];
        let mut sparse: Sparse<'_, f64> = filled(kind, &kernel, Trend::Constant, size, &x, &y, &mut block);
        sparse.choose(words.tape(), &mut Generator::new(2)).unwrap();
        assert_eq!(sparse.features(), 60);
        sparse.theta_table().value[..2].fill(0.7);
        check_gradient(&mut sparse, words.tape());
    }
}

fn check_gradient(sparse: &mut Sparse<'_, f64>, tape: Tape<'_>) {
    let thetas = sparse.theta().len();
    let mut gradient = vec![0.0; thetas];
    let value = evidence(sparse, tape, &mut gradient).unwrap();
    assert_eq!(value, evidence(sparse, tape, &mut []).unwrap());
    for t in 0..thetas {
        let h = 1e-4;
        let mut at = |shift: f64| {
            sparse.theta_table().value[t] += shift;
            let value = evidence(sparse, tape, &mut []).unwrap();
            sparse.theta_table().value[t] -= shift;
            value
        };
        // Fourth order, so that the step does not show.
        let difference = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let scale = 1.0 + difference.abs();
        assert!((gradient[t] - difference).abs() < 2e-6 * scale, "{t}: {} {difference}", gradient[t]);
    }
}

#[test]
fn slopes_of_predictions_match_differences() {
    let (x, y) = data(60, 3, 6);
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 3);
    let tape = words.tape();
    for kind in [Kind::Fitc, Kind::Variational, Kind::Spectrum] {
        for trend in [Trend::Constant, Trend::Quadratic] {
            let size = size(60, 3, 20, &kernel, trend);
            let mut block = vec![0; size.words::<f64>()];
            let mut sparse: Sparse<'_, f64> = filled(kind, &kernel, trend, size, &x, &y, &mut block);
            sparse.choose(tape, &mut Generator::new(2)).unwrap();
            sparse.fit(tape).unwrap();
            let columns = trend.columns(3);
            let mut anchors = vec![0.0; 2 * View::<f64>::anchor_scalars(3, 20, columns)];
            let mut view = sparse.view(tape, &mut anchors).unwrap();
            assert!(view.smooth(2) && !view.smooth(3) && view.dims() == 3);
            let point = [0.31, 0.62, 0.47];
            let (mut mean, mut variance) = ([0.0; 3], [0.0; 3]);
            let here = view.gradient(&point, [&mut mean, &mut variance]).unwrap();
            assert_eq!(here, view.predict(&point).unwrap());
            for k in 0..3 {
                let h = 1e-5;
                let (mut up, mut down) = (point, point);
                up[k] += h;
                down[k] -= h;
                let (up, down) = (view.predict(&up).unwrap(), view.predict(&down).unwrap());
                let (dm, dv) = ((up.mean - down.mean) / (2.0 * h), (up.variance - down.variance) / (2.0 * h));
                assert!((mean[k] - dm).abs() < 1e-6 * (1.0 + dm.abs()), "{kind:?} {} {dm}", mean[k]);
                assert!((variance[k] - dv).abs() < 1e-6 * (1.0 + dv.abs()), "{kind:?} {} {dv}", variance[k]);
            }
            // The slope of a weighted sum of covariances with two anchored points.
            view.anchor(&[0.2, 0.9, 0.55, 0.4, 0.35, 0.1], &mut [0.0; 2], &mut [0.0; 3]).unwrap();
            let (weights, mut slope) = ([0.7, -1.3], [0.0; 3]);
            view.against_gradient(&point, &weights, &mut slope).unwrap();
            assert!(view.against_gradient(&point, &weights[1..], &mut slope).is_err());
            for k in 0..3 {
                let mut at = |h: f64| {
                    let (mut moved, mut covariances) = (point, [0.0; 2]);
                    moved[k] += h;
                    view.against(&moved, &mut covariances).unwrap();
                    weights[0] * covariances[0] + weights[1] * covariances[1]
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                let close = (slope[k] - difference).abs() < 1e-6 * (1.0 + difference.abs());
                assert!(close, "{kind:?} {trend:?} {} {difference}", slope[k]);
            }
        }
    }
}
