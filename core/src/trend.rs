//! The mean of a process: nothing, or a polynomial whose coefficients are estimated with it.

use crate::real::Real;

/// The basis functions h(x) of the mean h(x)ᵀβ.
///
/// With a flat prior on β these are simple, ordinary and universal kriging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Trend {
    /// No basis: the mean is zero (simple kriging).
    #[default]
    Zero,
    /// h = (1): one unknown constant (ordinary kriging).
    Constant,
    /// h = (1, x₁, …, x_d)
    Linear,
    /// h = (1, x₁, …, x_d, x₁², x₁x₂, …, x_d²)
    Quadratic,
}

impl Trend {
    /// How many basis functions there are in `dims` dimensions.
    #[must_use]
    pub const fn columns(self, dims: usize) -> usize {
        match self {
            Self::Zero => 0,
            Self::Constant => 1,
            Self::Linear => 1 + dims,
            Self::Quadratic => 1 + dims + dims * (dims + 1) / 2,
        }
    }

    /// Calls `each(column, value)` for every basis function at `x`.
    pub fn basis<R: Real>(self, x: &[R], mut each: impl FnMut(usize, R)) {
        if self == Self::Zero {
            return;
        }
        each(0, R::ONE);
        if self == Self::Constant {
            return;
        }
        for (k, &a) in x.iter().enumerate() {
            each(1 + k, a);
        }
        if self == Self::Linear {
            return;
        }
        let mut column = 1 + x.len();
        for (k, &a) in x.iter().enumerate() {
            for &b in &x[k..] {
                each(column, a * b);
                column += 1;
            }
        }
    }

    /// Adds Σ_c weights\[c\] ∂h_c/∂x to `out`.
    pub fn gradient<R: Real>(self, x: &[R], weights: &[R], out: &mut [R]) {
        if matches!(self, Self::Zero | Self::Constant) {
            return;
        }
        let dims = x.len();
        for k in 0..dims {
            out[k] += weights[1 + k];
        }
        if self == Self::Linear {
            return;
        }
        let mut column = 1 + dims;
        for k in 0..dims {
            for j in k..dims {
                out[k] += weights[column] * x[j];
                out[j] += weights[column] * x[k];
                column += 1;
            }
        }
    }

    /// The number of this trend in a saved block.
    #[must_use]
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The trend with that number.
    #[must_use]
    pub const fn from_code(code: u64) -> Option<Self> {
        match code {
            0 => Some(Self::Zero),
            1 => Some(Self::Constant),
            2 => Some(Self::Linear),
            3 => Some(Self::Quadratic),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Trend;
    use std::vec;

    #[test]
    fn gradient_matches_differences() {
        let x = [0.3, -0.7, 1.1];
        for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
            let columns = trend.columns(3);
            let weights: vec::Vec<f64> = (0..columns).map(|c| 0.5 + c as f64).collect();
            let value = |x: &[f64]| {
                let mut sum = 0.0;
                let mut seen = 0;
                trend.basis(x, |c, h| {
                    sum += weights[c] * h;
                    seen += 1;
                });
                assert_eq!(seen, columns);
                sum
            };
            let mut gradient = [0.0; 3];
            trend.gradient(&x, &weights, &mut gradient);
            for k in 0..3 {
                let (mut a, mut b) = (x, x);
                a[k] -= 1e-5;
                b[k] += 1e-5;
                assert!((gradient[k] - (value(&b) - value(&a)) / 2e-5).abs() < 1e-8);
            }
            assert_eq!(Trend::from_code(trend.code()), Some(trend));
        }
        assert_eq!(Trend::from_code(4), None);
    }
}
