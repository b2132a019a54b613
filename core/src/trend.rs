//! The trend (mean function) of a process: nothing, or a polynomial whose coefficients are estimated with it.

use crate::codes::codes;
use crate::error::Error;
use crate::linalg::{self, packed};
use crate::real::Real;

/// The basis functions h(x) of the mean h(x)ᵀβ.
///
/// With a flat prior on β these are simple, ordinary and universal kriging. A function that those before it explain on
/// the data, as x² does not differ from x where x is 0 or 1, has no coefficient that the data could tell: it is left out,
/// β = 0, as are all that would leave no observation for the process ([`Trend::matrix`]).
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

    /// Whether there are more observations than the first basis function takes up.
    pub(crate) const fn allows(self, rows: usize) -> bool {
        match self {
            Self::Zero => rows > 0,
            Self::Constant | Self::Linear | Self::Quadratic => rows > 1,
        }
    }

    /// Fills `out` with H, a contiguous column for each basis function; a column is zero if it depends on those before it,
    /// or if as many of them as there are rows but one are independent.
    ///
    /// The hyperparameters have no say in it, so that which columns stay is the same throughout a training. Depends is:
    /// what it has to itself is no more of its square than [`linalg::rounding`]. `scratch` takes a packed triangle of the
    /// columns. Cost: n·p² flops.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short, [`Error::NotPositiveDefinite`] if a coordinate is beyond all bounds.
    pub fn matrix<R: Real>(
        self,
        x: &[R],
        rows: usize,
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        let dims = x.len() / rows.max(1);
        let p = self.columns(dims);
        let (Some(out), true) = (out.get_mut(..p * rows), scratch.len() >= packed(p)) else {
            return Err(Error::Shape { needed: (p * rows).max(packed(p)) });
        };
        if p == 0 || rows == 0 {
            return Ok(());
        }
        for (i, point) in x.chunks_exact(dims).take(rows).enumerate() {
            self.basis(point, |column, value| out[column * rows + i] = value);
        }
        leave_out(out, rows, p, scratch)
    }

    /// Adds Σ_c weights\[c\] ∂h_c/∂x to `out`.
    pub(crate) fn gradient<R: Real>(self, x: &[R], weights: &[R], out: &mut [R]) {
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
}

codes!(Trend { Zero = 0, Constant = 1, Linear = 2, Quadratic = 3 });

/// Makes columns zero that depend on those before them, or if as many as there are rows but one are independent.
///
/// `scratch` takes a packed triangle of the columns.
pub(crate) fn leave_out<R: Real>(
    basis: &mut [R],
    rows: usize,
    columns: usize,
    scratch: &mut [R],
) -> Result<(), Error> {
    // A single column is that of ones.
    if columns == 0 || rows == 0 || columns == 1 && rows > 1 {
        return Ok(());
    }
    let basis = &mut basis[..columns * rows];
    for (c, column) in basis.chunks_exact(rows).enumerate() {
        for (d, other) in basis.chunks_exact(rows).take(c + 1).enumerate() {
            scratch[packed(c) + d] = R::of(product(column, other));
        }
    }
    let tolerance = linalg::rounding(rows, columns);
    linalg::factor_semidefinite(scratch, 0, columns, tolerance, rows - 1)?;
    for (c, column) in basis.chunks_exact_mut(rows).enumerate() {
        if scratch[packed(c) + c] == R::INFINITY {
            column.fill(R::ZERO);
        }
    }
    Ok(())
}

/// The product of two columns, summed in double precision.
fn product<R: Real>(a: &[R], b: &[R]) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a.to_f64() * b.to_f64();
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::Trend;
    use crate::linalg::packed;
    use crate::real::Real;
    use crate::rng::{self, Generator};
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn gradient_matches_differences() {
        let x = [0.3, -0.7, 1.1];
        for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
            let columns = trend.columns(3);
            let weights: Vec<f64> = (0..columns).map(|c| 0.5 + c as f64).collect();
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

    /// Which columns stay, by their places, in a design of coordinates that `draw` makes of uniform numbers.
    fn staying<R: Real>(
        trend: Trend,
        rows: usize,
        seed: u64,
        draw: impl Fn(f64, f64) -> [f64; 2],
    ) -> Vec<usize> {
        let mut generator = Generator::new(seed);
        let mut x = Vec::new();
        for _ in 0..rows {
            let [a, b] = draw(rng::uniform(&mut generator), rng::uniform(&mut generator));
            x.extend([R::of(a), R::of(b)]);
        }
        let p = trend.columns(2);
        let (mut basis, mut scratch) = (vec![R::ZERO; p * rows], vec![R::ZERO; packed(p)]);
        trend.matrix(&x, rows, &mut basis, &mut scratch).unwrap();
        (0..p).filter(|&c| basis[c * rows..(c + 1) * rows].iter().any(|&h| h != R::ZERO)).collect()
    }

    fn check_staying<R: Real>() {
        let two = |u: f64, a: f64, b: f64| if u < 0.3 { a } else { b };
        for rows in [60, 300, 3000] {
            for seed in 0..8 {
                let all = [0, 1, 2, 3, 4, 5];
                let quadratic =
                    |draw: &dyn Fn(f64, f64) -> [f64; 2]| staying::<R>(Trend::Quadratic, rows, seed, draw);
                assert_eq!(quadratic(&|u, v| [u, v]), all);
                // A narrow range is not a single value.
                assert_eq!(quadratic(&|u, v| [u, 0.4 + 0.2 * v]), all);
                assert_eq!(quadratic(&|u, v| [u, (v * 3.0).floor() / 2.0]), all);
                for (a, b) in
                    [(0.0, 1.0), (0.25, 0.75), (0.1, 1.0), (0.8, 1.0), (-1.0, 0.3), (1.0 / 3.0, 0.6)]
                {
                    assert_eq!(quadratic(&|u, v| [u, two(v, a, b)]), [0, 1, 2, 3, 4], "{a} {b}");
                    assert_eq!(quadratic(&|u, v| [two(u, a, b), v]), [0, 1, 2, 4, 5], "{a} {b}");
                    assert_eq!(quadratic(&|u, v| [two(u, a, b), two(v, b, a)]), [0, 1, 2, 4]);
                    assert_eq!(quadratic(&|u, _| [two(u, a, b), two(u, b, a)]), [0, 1]);
                    assert_eq!(quadratic(&|u, _| [u, b]), [0, 1, 3]);
                    assert_eq!(quadratic(&|_, _| [a, b]), [0]);
                    assert_eq!(staying::<R>(Trend::Linear, rows, seed, |_, v| [b, v]), [0, 2]);
                }
                // What is inactive stands at −1.
                assert_eq!(
                    quadratic(&|u, v| [two(u, 0.0, 1.0), if u < 0.3 { -1.0 } else { v }]),
                    [0, 1, 2, 5]
                );
            }
        }
        // No more than one column fewer than rows, repeated rows counting once.
        for rows in 1..=8 {
            let most = (rows - 1).min(6);
            assert_eq!(staying::<R>(Trend::Quadratic, rows, 1, |u, v| [u, v]), Vec::from_iter(0..most));
        }
    }

    #[test]
    fn columns_stay_that_the_data_can_tell() {
        check_staying::<f64>();
        check_staying::<f32>();
    }
}
