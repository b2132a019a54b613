//! Numerical precision: the nugget from which single precision will do.

use infill::Real;

/// Whether a matrix of `rows` rows with the largest prior variance `variance` may be built and factored in single
/// precision, for it has at least `nugget` on its diagonal.
///
/// ```text
/// nugget ≥ n ε σ²,   ε = 2⁻²³
/// ```
///
/// Rounding perturbs each entry by a few ε σ², which moves the eigenvalues by at most n of that: below the nugget the
/// matrix stays positive definite, and the perturbation is one that the noise explains.
#[must_use]
pub fn trusted<R: Real>(rows: usize, variance: R, nugget: R) -> bool {
    nugget.to_f64() >= rows as f64 * f64::from(f32::EPSILON) * variance.to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_has_to_outweigh_the_rounding() {
        let (n, variance) = (1000, 4.0);
        let least = n as f64 * f64::from(f32::EPSILON) * variance;
        assert!(trusted(n, variance, least) && trusted(0, variance, 0.0));
        assert!(!trusted(n, variance, 0.999 * least) && !trusted(n, variance, f64::NAN));
        assert!(!trusted(n + 1, variance, least));
    }
}
