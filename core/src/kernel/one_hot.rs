//! The one-hot kernel: a radial kernel of numbers and categories together, each category a unit vector of its own.
//!
//! ```text
//! ρ² = Σ over numbers (Δₖ/ℓₖ)² + Σ over categories 2 [aₖ ≠ bₖ]/ℓₖ²
//! ```
//! Two different categories are unit vectors at a right angle, |e − e′|² = 2, whatever their number: the columns of a
//! one-hot encoding need not exist. With the profile exp(−ρ²/2) it is the product of a squared exponential and a Hamming
//! kernel of weights 1/ℓ²; with the Matérn profiles it is no product. Numbers have the derivatives of radial kernels,
//! with Δ² read as 2 [a ≠ b] for categories.

use super::build::{Dims, Kernel};
use super::op::Op;
use crate::real::Real;

impl Kernel {
    /// A radial kernel of coordinates of which the last `categories` are categories, each a unit vector of its own; a
    /// list rises up to the first category, and again from there.
    ///
    /// ```text
    /// k = profile(Σ (Δₖ/ℓₖ)² + Σ 2 [aₖ ≠ bₖ]/ℓₖ²)
    /// ```
    /// The profile is one of [`Op::SquaredExponential`], [`Op::Matern12`], [`Op::Matern32`] and [`Op::Matern52`]; another,
    /// or more than 255 categories, is remembered as [`crate::Error::Kernel`].
    ///
    /// ```
    /// use infill::kernel::{Dims, Kernel, Op};
    /// let kernel = Kernel::one_hot(Dims::list(&[0, 2, 1, 3]), 2, Op::Matern52).ard().scaled();
    /// assert_eq!(kernel.thetas(4)?, 4 + 1);
    /// # Ok::<(), infill::Error>(())
    /// ```
    #[must_use]
    pub fn one_hot(dims: Dims<'_>, categories: u16, profile: Op) -> Self {
        let mut kernel = Self::leaf(Op::OneHot, dims);
        kernel.node_degree(categories.saturating_mul(256).saturating_add(profile as u16));
        kernel
    }
}

/// 2/ℓ²
#[inline(always)]
pub(super) fn apart<R: Real>(length: R) -> R {
    let rate = R::ONE / length;
    R::TWO * (rate * rate)
}

#[cfg(test)]
mod tests {
    use super::super::{Dims, Kernel, MAX_NODES, Op, Role, Tape};
    use crate::error::Error;

    fn eval(kernel: &Kernel, dims: usize, a: &[f64], b: &[f64]) -> f64 {
        let (mut nodes, mut lists) = ([0; 2 * MAX_NODES], [0; 8]);
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        let mut theta = std::vec![0.0; kernel.thetas(dims).unwrap()];
        kernel.write_start(dims, &mut theta).unwrap();
        Tape::attach(&nodes, &lists, dims).unwrap().eval(&theta, a, b)
    }

    /// The same kernel over the columns of an encoding that is written out.
    #[test]
    fn it_is_the_encoding_written_out() {
        let dims = Dims::list(&[1, 3, 0, 2]);
        let flat = super::super::Prior::Flat;
        for op in [Op::SquaredExponential, Op::Matern12, Op::Matern32, Op::Matern52] {
            let short = Kernel::one_hot(dims, 2, op).with(Role::Length, 0.7, 0.1..2.0, flat);
            let mut long = Kernel::postfix();
            long.node(op, Dims::All);
            let long = long.with(Role::Length, 0.7, 0.1..2.0, flat);
            // Three values of the first category, two of the third coordinate.
            let written = |x: [f64; 4]| {
                let hot = |k: f64, value: f64| f64::from(u8::from(k == value));
                let first = [hot(0.0, x[0]), hot(1.0, x[0]), hot(2.0, x[0])];
                [x[1], x[3], first[0], first[1], first[2], hot(0.0, x[2]), hot(1.0, x[2])]
            };
            let points =
                [[0.0, 0.1, 1.0, 0.9], [2.0, 0.5, 1.0, 0.3], [2.0, 0.1, 0.0, 0.4], [1.0, 0.6, 0.0, 0.2]];
            for a in points {
                for b in points {
                    let (ours, want) = (eval(&short, 4, &a, &b), eval(&long, 7, &written(a), &written(b)));
                    assert!((ours - want).abs() < 1e-15, "{op:?} {ours} {want}");
                }
            }
        }
    }

    #[test]
    fn coordinates_are_checked() {
        let of =
            |list: &[u16], categories| Kernel::one_hot(Dims::list(list), categories, Op::Matern52).thetas(4);
        assert_eq!(of(&[1, 3, 0, 2], 2), Ok(1));
        assert_eq!(of(&[0, 2], 2), Ok(1));
        assert_eq!(of(&[0, 2], 0), Ok(1));
        for (list, categories) in
            [(&[3u16, 1, 0, 2][..], 2), (&[1, 3, 2, 0], 2), (&[1, 3, 1], 1), (&[1, 4, 2], 1), (&[0, 1], 3)]
        {
            assert_eq!(of(list, categories), Err(Error::Kernel), "{list:?}");
        }
        let other = Kernel::one_hot(Dims::All, 1, Op::Laplace);
        assert_eq!(other.thetas(2), Err(Error::Kernel));
        assert_eq!(Kernel::one_hot(Dims::All, 999, Op::Matern52).thetas(2), Err(Error::Kernel));
    }
}
