//! Error bounds of the means of sources, and of what becomes of them together.

use super::covariance::{UNIT, covariance};
use super::{RARE, wide};
use infill::backend::{Backend, Cross, Inputs, Member, Pooling};
use infill::kernel::Tape;
use infill::linalg::Blocks;
use infill::{Plain, Real};

/// A sum of terms, in parts that the device chooses: what its additions may be off by, as squares.
///
/// Within a part a partial sum is the difference of two sums from the beginning, which is at most twice the largest of them so far;
/// each part is then added to a running sum.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    value: f64,
    largest: f64,
    square: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        self.value += term;
        self.largest = self.largest.max(self.value.abs());
        self.square += 5.0 * (UNIT * self.largest).powi(2);
    }
}

/// A number, and the sum of the squares of all roundings in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    square: f64,
}

impl Estimate {
    /// What the device may be off by.
    pub(crate) fn error(self) -> f64 {
        RARE * self.square.sqrt()
    }

    /// The mean of a source.
    ///
    /// ```text
    /// 6 (Σ αᵢ²(eᵢ² + 2u²kᵢ²) + u²o² + 5u² Σ (largest partial sum so far)²)^½
    /// ```
    ///
    /// with eᵢ² the squares of all roundings in k(xᵢ, x); the weight and the product are rounded as well, and so is the offset.
    pub(crate) fn mean<R: Real>(member: &Member<'_, R>, point: &[R]) -> Self {
        let rows = member.inputs.x.chunks_exact(point.len());
        let own = |row| covariance(member.tape, member.inputs.theta, row, point);
        Self::sum(member, rows.map(own).map(|k| (k.value, k.square)))
    }

    /// The means at several points without the roundings in covariances: errors that are no more than the whole, for little work.
    pub(crate) fn means<R: Real>(member: &Member<'_, R>, points: &[R]) -> Vec<Self> {
        let (tape, inputs) = (member.tape, member.inputs);
        let (theta, x, points) = (wide(inputs.theta), wide(inputs.x), wide(points));
        let (rows, blocks) = (inputs.rows, Blocks::default());
        let inputs = Inputs { theta: &theta, x: &x, rows, nugget: 0.0, blocks };
        let mut work = vec![0.0; Tape::scratch(rows, tape.dims(), theta.len())];
        let mut cross = vec![0.0; rows * (points.len() / tape.dims())];
        let request = Cross { tape, inputs: &inputs, points: &points };
        Plain.cross(&request, &mut cross, &mut work).expect("covariances");
        cross.chunks_exact(rows).map(|row| Self::sum(member, row.iter().map(|&k| (k, 0.0)))).collect()
    }

    fn sum<R: Real>(member: &Member<'_, R>, covariances: impl Iterator<Item = (f64, f64)>) -> Self {
        let offset = member.offset.to_f64();
        let (mut sum, mut square) = (Sum::default(), (UNIT * offset).powi(2));
        for ((k, own), alpha) in covariances.zip(member.alpha) {
            let alpha = alpha.to_f64();
            sum.add(alpha * k);
            square += alpha * alpha * (own + 2.0 * (UNIT * k).powi(2));
        }
        sum.add(offset);
        Self { value: sum.value, square: square + sum.square }
    }
}

/// What becomes of several means at a point, one after the other.
///
/// ```text
/// 6 (Σ w²(f′²Δm² + u²(l² + 2(s m)² + 3f²)) + 5u² Σ (largest partial sum so far)² + u²(sum)²)^½
/// ```
///
/// with f′ = s for sums and 1 else: a maximum and a minimum pass on no more than they are given. Rounded are l, s and its product,
/// the sum or difference, w and its product, and the whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pool {
    sum: Sum,
    square: f64,
}

impl Pool {
    pub(crate) fn add<R: Real>(&mut self, pooling: Pooling<R>, member: &Member<'_, R>, mean: Estimate) {
        let (weight, low) = (member.weight.to_f64(), member.low.to_f64());
        let (slope, product) = match pooling {
            Pooling::Mean { scale } => (scale.to_f64(), scale.to_f64() * mean.value),
            Pooling::Gain | Pooling::Least => (1.0, 0.0),
        };
        let value = match pooling {
            Pooling::Mean { .. } => low + product,
            Pooling::Gain => (low - mean.value).max(0.0),
            Pooling::Least => low.min(mean.value),
        };
        let own = low.powi(2) + 2.0 * product.powi(2) + 3.0 * value.powi(2);
        self.square += weight.powi(2) * (slope.powi(2) * mean.square + UNIT * UNIT * own);
        self.sum.add(weight * value);
    }

    pub(crate) fn estimate(self) -> Estimate {
        let Sum { value, square, .. } = self.sum;
        Estimate { value, square: square + self.square + (UNIT * value).powi(2) }
    }
}
