//! The joint posterior at representers, factored: what the policies draw from.

use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::{multiply_lower, packed};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::stats::normal;
use crate::surrogate::{self, AcquisitionFunction, Surrogate};

/// The joint prediction at the representers, factored.
///
/// ```text
/// f = m + L z,   L Lᵀ = joint covariance + jitter,   z ~ N(0, I)
/// ```
#[derive(Debug)]
pub(super) struct Joint<'a, R> {
    means: &'a mut [R],
    factor: &'a mut [R],
    spare: &'a mut [R],
    z: &'a mut [R],
    count: usize,
    /// Whether nothing is uncertain at any representer: the factor is then 0 and must not be divided by.
    flat: bool,
    freedom: R,
}

impl<'a, R: Real> Joint<'a, R> {
    /// Scalars of memory for as many representers.
    pub(super) const fn scalars(representers: usize) -> usize {
        2 * packed(representers) + 2 * representers
    }

    pub(super) fn carve(scratch: &mut Scratch<'a, R>, representers: usize) -> Result<Self, Error> {
        Ok(Self {
            means: scratch.take(representers)?,
            factor: scratch.take(packed(representers))?,
            spare: scratch.take(packed(representers))?,
            z: scratch.take(representers)?,
            count: 0,
            flat: true,
            freedom: R::INFINITY,
        })
    }

    /// Anchors the representers and factors their covariance; how many they are, and none after an error.
    pub(super) fn anchor(&mut self, model: &mut dyn Surrogate<R>, points: &[R]) -> Result<usize, Error> {
        self.count = 0;
        let count = count(points, model.dims(), self.means.len())?;
        let (means, matrix) = (&mut self.means[..count], &mut self.factor[..packed(count)]);
        model.anchor(points, means, matrix)?;
        Error::NotFinite.when(!means.iter().chain(matrix.iter()).all(|value| value.is_finite()))?;
        self.flat = (0..count).all(|i| matrix[packed(i) + i] <= R::ZERO);
        if self.flat {
            matrix.fill(R::ZERO);
        } else {
            surrogate::factor(matrix, count, self.spare)?;
        }
        self.freedom = model.freedom();
        self.count = count;
        Ok(count)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The prediction at a point, with its covariances with the representers at the front of `out`.
    ///
    /// # Errors
    /// [`Error::NoData`] before a preparation, and what the model reports.
    pub(super) fn against<'c>(
        &self,
        model: &mut dyn Surrogate<R>,
        point: &[R],
        out: &'c mut [R],
    ) -> Result<(Prediction<R>, &'c mut [R]), Error> {
        Error::NoData.when(self.count == 0)?;
        let covariances = &mut out[..self.count];
        Ok((model.against(point, covariances)?, covariances))
    }

    pub(super) fn flat(&self) -> bool {
        self.flat
    }

    pub(super) fn means(&self) -> &[R] {
        &self.means[..self.count]
    }

    pub(super) fn factor(&self) -> &[R] {
        &self.factor[..packed(self.count)]
    }

    /// A draw less the means: normal, or of Student's distribution if the model says so.
    pub(super) fn draw(&mut self, generator: &mut Generator, out: &mut [R]) -> Result<(), Error> {
        for z in &mut self.z[..self.count] {
            *z = rng::normal(generator);
        }
        multiply_lower(self.factor, self.count, self.z, out)?;
        if self.freedom.is_finite() {
            let half = R::HALF * self.freedom;
            let stretch = (half / rng::gamma(generator, half)).sqrt();
            for value in &mut out[..self.count] {
                *value *= stretch;
            }
        }
        Ok(())
    }

    /// The place of the lowest value of a draw, and that value.
    pub(super) fn lowest(&self, draw: &[R]) -> (usize, R) {
        lowest(self.means().iter().zip(draw).map(|(&mean, &rest)| mean + rest))
    }
}

/// The scores of many points by a function that knows one at a time.
pub(super) fn one_by_one<R: Real>(
    function: &mut dyn AcquisitionFunction<R>,
    model: &mut dyn Surrogate<R>,
    points: &[R],
    out: &mut [R],
) -> Result<(), Error> {
    let dims = model.dims();
    if dims == 0 || points.len() != dims.saturating_mul(out.len()) {
        return Err(Error::Shape { needed: dims.saturating_mul(out.len()) });
    }
    for (point, out) in points.chunks_exact(dims).zip(out) {
        *out = function.score(model, point)?;
    }
    Ok(())
}

/// How many rows `points` are, if there is at least one and at most `most`.
pub(super) fn count<R>(points: &[R], dims: usize, most: usize) -> Result<usize, Error> {
    let count = points.len() / dims.max(1);
    if count == 0 || count > most || points.len() != count * dims {
        return Err(Error::Shape { needed: dims.max(1).saturating_mul(most.max(1)) });
    }
    Ok(count)
}

/// The place of the first lowest value, and that value; 0 and ∞ if there is none.
pub(super) fn lowest<R: Real>(values: impl Iterator<Item = R>) -> (usize, R) {
    let mut best = (0, R::INFINITY);
    for (i, value) in values.enumerate() {
        if value < best.1 {
            best = (i, value);
        }
    }
    best
}

/// The share of its variance that a standard normal loses by staying above −a, and its rise.
///
/// ```text
/// λ(a) = φ(a)/Φ(a),   κ(a) = λ(a)(a + λ(a)) ∈ [0, 1)
/// ```
pub(super) fn truncation<R: Real>(a: R) -> (R, R) {
    let rise = normal::log_cdf_slope(a);
    // Below 0 the sum a + λ would cancel: it is h/Φ.
    let loss = if a > R::ZERO { rise * (a + rise) } else { rise / normal::log_h_slope(a) };
    (rise, loss.clamp(R::ZERO, R::ONE))
}

/// What a candidate scores whose prediction is not a number: less than all others.
pub(super) fn worst<R: Real>() -> R {
    -R::MAX
}

#[cfg(test)]
mod tests {
    use super::super::tests::support::Table;
    use super::{Joint, Scratch, count, lowest, truncation};
    use crate::error::Error;
    use crate::rng::Generator;

    #[test]
    fn truncated_moments_agree_with_quadrature() {
        for a in [-8.0, -2.0, -0.3, 0.0, 0.4, 1.5, 6.0] {
            let n = 200_000;
            let (lo, hi) = (f64::max(-a, -12.0), f64::max(-a, -12.0) + 14.0);
            let step = (hi - lo) / f64::from(n);
            let mut sums = [0.0; 3];
            for i in 0..=n {
                let x = lo + step * f64::from(i);
                let weight = if i == 0 || i == n { 0.5 } else { 1.0 } * (-0.5 * (x * x - lo * lo)).exp();
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum += weight * x.powi(k as i32);
                }
            }
            let (mean, square) = (sums[1] / sums[0], sums[2] / sums[0]);
            let (rise, loss) = truncation(a);
            assert!((rise - mean).abs() < 1e-7 * (1.0 + mean), "{a}");
            assert!((1.0 - loss - (square - mean * mean)).abs() < 1e-7 * (1.0 + square), "{a}");
        }
        let (rise, loss) = truncation(-1e4f32);
        assert!((rise - 1e4).abs() < 1.0 && loss <= 1.0 && loss > 0.999);
        assert_eq!(truncation(50.0f64), (0.0, 0.0));
    }

    #[test]
    fn counts_and_lowest() {
        assert_eq!(count(&[0.0; 6], 2, 3), Ok(3));
        for (points, dims, most) in [(&[0.0; 6][..], 2, 2), (&[0.0; 5], 2, 9), (&[], 2, 9), (&[0.0; 2], 0, 9)]
        {
            assert!(matches!(count(points, dims, most), Err(Error::Shape { .. })));
        }
        assert_eq!(lowest([3.0, 1.0, 1.0, f64::NAN].into_iter()), (1, 1.0));
        assert_eq!(lowest([f64::NAN].into_iter()), (0, f64::INFINITY));
    }

    /// Draws have the covariance of the table; with ν degrees of freedom it is ν/(ν − 2) times that.
    #[test]
    fn draws_have_the_joint_covariance() {
        for (freedom, factor) in [(f64::INFINITY, 1.0), (8.0, 8.0 / 6.0)] {
            let mut table = Table::new(&[0.5, -0.5], &[1.0, 0.6, 0.6, 2.0]);
            table.freedom = freedom;
            let mut memory = [0.0; Joint::<f64>::scalars(2)];
            let mut joint = Joint::carve(&mut Scratch::new(&mut memory), 2).unwrap();
            joint.anchor(&mut table, &[0.0, 1.0]).unwrap();
            let (mut out, mut generator) = ([0.0; 2], Generator::new(1));
            let (n, mut sums, mut squares) = (100_000, [0.0; 3], [0.0; 3]);
            for _ in 0..n {
                joint.draw(&mut generator, &mut out).unwrap();
                for (k, p) in [out[0] * out[0], out[0] * out[1], out[1] * out[1]].into_iter().enumerate() {
                    sums[k] += p;
                    squares[k] += p * p;
                }
            }
            for (k, expected) in [1.0, 0.6, 2.0].into_iter().enumerate() {
                let mean = sums[k] / f64::from(n);
                let error = ((squares[k] / f64::from(n) - mean * mean) / f64::from(n)).sqrt();
                assert!((mean - expected * factor).abs() < 4.0 * error, "{freedom} {k}");
            }
        }
    }

    #[test]
    fn nothing_uncertain_is_flat_and_nonsense_is_refused() {
        let mut memory = [0.0; Joint::<f64>::scalars(2)];
        let mut joint = Joint::carve(&mut Scratch::new(&mut memory), 2).unwrap();
        joint.anchor(&mut Table::new(&[1.0, 2.0], &[0.0; 4]), &[0.0, 1.0]).unwrap();
        assert!(joint.flat() && joint.count() == 2);
        let bad = Table::new(&[1.0, f64::NAN], &[1.0, 0.0, 0.0, 1.0]);
        let infinite = Table::new(&[1.0, 0.0], &[1.0, 0.0, 0.0, f64::INFINITY]);
        for mut table in [bad, infinite] {
            assert_eq!(joint.anchor(&mut table, &[0.0, 1.0]), Err(Error::NotFinite));
            assert_eq!(joint.count(), 0);
        }
        // Twice the same point: singular, and still a joint.
        joint.anchor(&mut Table::new(&[1.0, 1.0], &[1.0; 4]), &[0.0, 1.0]).unwrap();
        assert!(Joint::carve(&mut Scratch::new(&mut [0.0; 3]), 2).is_err());
    }
}
