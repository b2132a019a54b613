//! The distribution function of Kumaraswamy.
//!
//! ```text
//! w = 1 − qᵇ,   q = 1 − uᵃ
//! ```
//!
//! # References
//! Kumaraswamy, *A Generalized Probability Density Function for Double-Bounded Random Processes*, Journal of Hydrology
//! 46, 1980.

use super::Slopes;
use crate::real::Real;

/// w for 0 < u < 1.
pub(super) fn forward<R: Real>(u: R, a: R, b: R) -> R {
    -(b * log_complement(a * u.ln())).exp_m1()
}

/// w with its derivatives, by the logarithms of the shapes; 0 < u < 1.
///
/// ```text
/// ∂w/∂u = a·b·uᵃ⁻¹·qᵇ⁻¹,   ∂w/∂ln a = a·b·uᵃ·qᵇ⁻¹·ln u,   ∂w/∂ln b = −b·qᵇ·ln q
/// ```
pub(super) fn slopes<R: Real>(u: R, a: R, b: R) -> Slopes<R> {
    let log_u = u.ln();
    let log_q = log_complement(a * log_u);
    let power = b * log_q;
    let log_ab = (a * b).ln();
    Slopes {
        value: -power.exp_m1(),
        by_u: (log_ab + (a - R::ONE) * log_u + power - log_q).exp(),
        by_first: (log_ab + a * log_u + power - log_q).exp() * log_u,
        by_second: -power * power.exp(),
    }
}

/// ln(1 − eˣ) for x < 0 without cancellation at either end.
///
/// # References
/// Mächler, *Accurately Computing log(1 − exp(−|a|))*, 2012.
fn log_complement<R: Real>(x: R) -> R {
    // An x that vanished stands for the smallest one.
    let x = x.min(-R::MIN_POSITIVE);
    if x > R::of(-core::f64::consts::LN_2) { (-x.exp_m1()).ln() } else { (-x.exp()).ln_1p() }
}
