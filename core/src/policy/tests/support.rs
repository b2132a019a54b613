//! Models for the tests of the policies: a table of numbers, and a curve through values.

use std::vec;
use std::vec::Vec;

use crate::acquisition::Prediction;
use crate::error::Error;
use crate::gp::{Gp, Size, Split, View};
use crate::kernel::{Dims, Kernel, Prior, Role, Tape};
use crate::linalg::packed;
use crate::plain::Plain;
use crate::real::Real;
use crate::surrogate::Surrogate;
use crate::trend::Trend;

/// A normal vector whose places are the points 0, 1, 2, …
pub(in crate::policy) struct Table {
    pub(in crate::policy) means: Vec<f64>,
    /// The whole covariance, row after row.
    pub(in crate::policy) matrix: Vec<f64>,
    pub(in crate::policy) freedom: f64,
    anchored: Vec<usize>,
}

impl Table {
    pub(in crate::policy) fn new(means: &[f64], matrix: &[f64]) -> Self {
        Self { means: means.to_vec(), matrix: matrix.to_vec(), freedom: f64::INFINITY, anchored: vec![] }
    }

    /// A table with the covariance exp(−(i − j)²/(2·width²)) of `count` points.
    pub(in crate::policy) fn smooth(means: &[f64], width: f64) -> Self {
        let n = means.len();
        let value = |k: usize| (-0.5 * ((k / n) as f64 - (k % n) as f64).powi(2) / width.powi(2)).exp();
        Self::new(means, &(0..n * n).map(value).collect::<Vec<f64>>())
    }
}

impl Surrogate<f64> for Table {
    fn dims(&self) -> usize {
        1
    }

    fn predict_many(
        &mut self,
        points: &[f64],
        means: &mut [f64],
        variances: &mut [f64],
    ) -> Result<(), Error> {
        let n = self.means.len();
        for (i, &point) in points.iter().enumerate() {
            let at = point as usize;
            (means[i], variances[i]) = (self.means[at], self.matrix[at * n + at]);
        }
        Ok(())
    }

    fn anchor(&mut self, points: &[f64], means: &mut [f64], matrix: &mut [f64]) -> Result<(), Error> {
        let n = self.means.len();
        self.anchored = points.iter().map(|&p| p as usize).collect();
        for (i, &a) in self.anchored.iter().enumerate() {
            means[i] = self.means[a];
            for (j, &b) in self.anchored[..=i].iter().enumerate() {
                matrix[packed(i) + j] = self.matrix[a * n + b];
            }
        }
        Ok(())
    }

    fn against(&mut self, point: &[f64], covariances: &mut [f64]) -> Result<Prediction<f64>, Error> {
        let (n, at) = (self.means.len(), point[0] as usize);
        for (covariance, &b) in covariances.iter_mut().zip(&self.anchored) {
            *covariance = self.matrix[at * n + b];
        }
        Ok(Prediction { mean: self.means[at], variance: self.matrix[at * n + at] })
    }

    fn freedom(&self) -> f64 {
        self.freedom
    }
}

/// Length scale of [`curve`].
pub(in crate::policy) const LENGTH: f64 = 0.2;
/// Noise variance of [`curve`].
pub(in crate::policy) const NOISE: f64 = 1e-6;

/// Asks an exact process with a squared exponential kernel of variance 1 through the values at `x`.
pub(in crate::policy) fn curve<R: Real, T>(
    x: &[R],
    y: &[R],
    ask: impl FnOnce(&mut dyn Surrogate<R>, Tape<'_>, &[R]) -> T,
) -> T {
    let kernel = Kernel::squared_exponential(Dims::All)
        .with(Role::Length, LENGTH, 1e-3..10.0, Prior::Flat)
        .scaled()
        .with(Role::Variance, 1.0, 1e-3..10.0, Prior::Flat);
    let size = Size { rows: x.len(), exact: x.len(), dims: 1, thetas: 2, columns: 0, batch: 8 };
    let mut block = vec![0; size.words::<R>()];
    let mut gp = Gp::<R>::new(&kernel, Trend::Zero, size, &mut block).unwrap();
    gp.set_noise(NOISE, NOISE, NOISE).unwrap();
    let (mut nodes, mut lists) = ([0; 64], [0; 64]);
    kernel.write(1, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, 1).unwrap();
    for (&x, &y) in x.iter().zip(y) {
        gp.push(&[x], y, R::ZERO).unwrap();
    }
    gp.fit(&tape, &mut Plain).unwrap();
    let theta = gp.theta().to_vec();
    let Split { posterior, work, .. } = gp.split().unwrap();
    let mut anchors = vec![R::ZERO; 256 * (x.len() + 1)];
    let mut view = View { backend: &mut Plain, tape, posterior, work, anchors: &mut anchors, anchored: 0 };
    ask(&mut view, tape, &theta)
}

/// `count` points spread evenly over [0, 1], ends included.
pub(in crate::policy) fn grid(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / (count - 1) as f64).collect()
}
