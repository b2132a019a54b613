//! What single precision may decide.

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
