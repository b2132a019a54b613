//! A covariance function as code, and the plain loops that serve any of them.

use super::tape::Tape;
use crate::error::Error;
use crate::math::axpy;
use crate::real::Real;

/// A covariance function k(a, b; θ): a user's own, or a [`Tape`].
///
/// It must be symmetric and positive definite, and must not panic for points of the dimension it was made for.
pub trait Covariance<R: Real> {
    /// Number of hyperparameters.
    fn thetas(&self) -> usize;

    /// k(a, b).
    fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R;

    /// ∂k(a, b)/∂θ into `out`, one for each hyperparameter as it is stored (log scale by convention).
    fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]);

    /// ∂k(a, b)/∂a into `out`, 0 in coordinates without one; false if there is such a coordinate.
    fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool;

    /// The tape, if it is one: backends have their own ways with tapes.
    fn tape(&self) -> Option<Tape<'_>> {
        None
    }

    /// The packed lower triangle of k(xᵢ, xⱼ) over `n` rows; `scratch` has [`Tape::scratch`] places.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    fn gram(&self, theta: &[R], x: &[R], n: usize, out: &mut [R], scratch: &mut [R]) -> Result<(), Error> {
        let _ = scratch;
        gram(self, theta, x, n, x.len() / n.max(1), out)
    }

    /// k(xⱼ, point) for `out.len()` rows. Cost: as many evaluations.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    fn cross(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        let _ = scratch;
        check_rows(x, out.len(), point.len())?;
        for (row, o) in x.chunks_exact(point.len()).zip(out) {
            *o = self.eval(theta, row, point);
        }
        Ok(())
    }

    /// Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θₜ over the full symmetric matrix, from the packed lower triangle of W. Cost: n²/2 gradients.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    fn weighted_gradient(
        &self,
        theta: &[R],
        x: &[R],
        n: usize,
        weights: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        let (thetas, dims) = (self.thetas(), x.len() / n.max(1));
        check_rows(x, n, dims)?;
        check_triangle(weights.len(), n)?;
        Error::Shape { needed: thetas }.when(out.len() != thetas || scratch.len() < thetas)?;
        let gradient = &mut scratch[..thetas];
        out.fill(R::ZERO);
        let mut entries = weights.iter();
        for i in 0..n {
            let a = &x[i * dims..][..dims];
            for (j, &w) in (0..=i).zip(&mut entries) {
                self.gradient(theta, a, &x[j * dims..][..dims], gradient);
                axpy(if i == j { w } else { w + w }, gradient, out);
            }
        }
        Ok(())
    }

    /// Σⱼ wⱼ ∂k(point, xⱼ)/∂point for two sets of weights at once; false if a coordinate has no derivative.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    fn slopes(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        weights: [&[R]; 2],
        out: [&mut [R]; 2],
        scratch: &mut [R],
    ) -> Result<bool, Error> {
        let dims = point.len();
        Error::Shape { needed: dims }.when(scratch.len() < dims)?;
        // Both before either is written.
        for (weights, out) in weights.iter().zip(&out) {
            check_rows(x, weights.len(), dims)?;
            Error::Shape { needed: dims }.when(out.len() != dims)?;
        }
        let gradient = &mut scratch[..dims];
        let mut whole = true;
        for (weights, out) in weights.into_iter().zip(out) {
            out.fill(R::ZERO);
            for (row, &w) in x.chunks_exact(dims).zip(weights) {
                whole &= self.gradient_x(theta, point, row, gradient);
                axpy(w, gradient, out);
            }
        }
        Ok(whole)
    }
}

impl<R: Real> Covariance<R> for Tape<'_> {
    fn thetas(&self) -> usize {
        Tape::thetas(*self)
    }

    fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R {
        Tape::eval(*self, theta, a, b)
    }

    fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
        Tape::gradient(*self, theta, a, b, out);
    }

    fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
        Tape::gradient_x(*self, theta, a, b, out)
    }

    fn tape(&self) -> Option<Tape<'_>> {
        Some(*self)
    }

    fn gram(&self, theta: &[R], x: &[R], n: usize, out: &mut [R], scratch: &mut [R]) -> Result<(), Error> {
        self.rows(theta, x, n, scratch)?.gram(out)
    }

    fn cross(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        self.rows(theta, x, out.len(), scratch)?.cross(point, out)
    }

    fn weighted_gradient(
        &self,
        theta: &[R],
        x: &[R],
        n: usize,
        weights: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        self.rows(theta, x, n, scratch)?.weighted_gradient(weights, out)
    }

    fn slopes(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        weights: [&[R]; 2],
        out: [&mut [R]; 2],
        scratch: &mut [R],
    ) -> Result<bool, Error> {
        self.rows(theta, x, weights[0].len(), scratch)?.cross_gradient_x(point, weights, out)
    }
}

/// The lower triangle of the matrix k(xᵢ, xⱼ), rows packed one after the other. O(n²/2) evaluations.
///
/// # Errors
/// [`Error::Shape`] if `x` has not `n` rows of `dims` values or `out` is not a packed triangle.
pub fn gram<R: Real, C: Covariance<R> + ?Sized>(
    covariance: &C,
    theta: &[R],
    x: &[R],
    n: usize,
    dims: usize,
    out: &mut [R],
) -> Result<(), Error> {
    check_rows(x, n, dims)?;
    check_triangle(out.len(), n)?;
    let mut entries = out.iter_mut();
    for i in 0..n {
        let a = &x[i * dims..][..dims];
        for (j, o) in (0..=i).zip(&mut entries) {
            *o = covariance.eval(theta, a, &x[j * dims..][..dims]);
        }
    }
    Ok(())
}

/// Whether `x` is `n` rows of `dims` values.
pub(super) fn check_rows<R>(x: &[R], n: usize, dims: usize) -> Result<(), Error> {
    let needed = n.saturating_mul(dims);
    if dims == 0 || x.len() != needed { Err(Error::Shape { needed }) } else { Ok(()) }
}

/// Whether `len` is a packed lower triangle of `n` rows.
pub(super) fn check_triangle(len: usize, n: usize) -> Result<(), Error> {
    let needed = n.checked_add(1).and_then(|m| m.checked_mul(n)).map_or(usize::MAX, |m| m / 2);
    if len != needed { Err(Error::Shape { needed }) } else { Ok(()) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Covariance;
    use crate::real::Real;

    /// A covariance of which only values and gradients are known: the loops over pairs of points serve it.
    pub(crate) struct Pairs<'c, C>(pub(crate) &'c C);

    impl<R: Real, C: Covariance<R>> Covariance<R> for Pairs<'_, C> {
        fn thetas(&self) -> usize {
            self.0.thetas()
        }

        fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R {
            self.0.eval(theta, a, b)
        }

        fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
            self.0.gradient(theta, a, b, out);
        }

        fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
            self.0.gradient_x(theta, a, b, out)
        }
    }

    /// k = e^θ min(a, b): the Wiener process.
    struct Wiener;

    impl Covariance<f64> for Wiener {
        fn thetas(&self) -> usize {
            1
        }

        fn eval(&self, theta: &[f64], a: &[f64], b: &[f64]) -> f64 {
            theta[0].exp() * a[0].min(b[0])
        }

        fn gradient(&self, theta: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) {
            out[0] = self.eval(theta, a, b);
        }

        fn gradient_x(&self, theta: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) -> bool {
            out[0] = if a[0] < b[0] { theta[0].exp() } else { 0.0 };
            true
        }
    }

    #[test]
    fn a_users_kernel_is_served() {
        let own: &dyn Covariance<f64> = &Wiener;
        let (theta, x) = ([2f64.ln()], [1.0, 2.0, 4.0]);
        let mut triangle = [0.0; 6];
        own.gram(&theta, &x, 3, &mut triangle, &mut []).unwrap();
        assert!(
            triangle
                .iter()
                .zip([2.0, 2.0, 4.0, 2.0, 4.0, 8.0])
                .all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-14)
        );
        let mut row = [0.0; 3];
        own.cross(&theta, &x, &[3.0], &mut row, &mut []).unwrap();
        assert!(row.iter().zip([2.0, 4.0, 6.0]).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-14));
        let mut out = [9.0];
        own.weighted_gradient(&theta, &x, 3, &[1.0, 0.5, 0.0, 0.0, 0.0, 3.0], &mut out, &mut [0.0]).unwrap();
        assert!((out[0] - (2.0 + 2.0 * 0.5 * 2.0 + 3.0 * 8.0)).abs() < 1e-13);
        let (weights, mut other) = ([[5.0, 6.0, 7.0], [0.0, 0.0, 0.5]], [9.0]);
        let both = [&weights[0][..], &weights[1][..]];
        assert!(own.slopes(&theta, &x, &[3.0], both, [&mut out, &mut other], &mut [0.0]).unwrap());
        assert!((out[0] - 14.0).abs() < 1e-13 && (other[0] - 1.0).abs() < 1e-13);
    }
}
