//! Kernels of a − b: the radial profiles, Laplace, periodic and cosine.
//!
//! With ρ² = Σ (Δₖ/ℓₖ)², Δ = a − b, every radial profile is given by its value k(ρ²) and its slope
//! s = −2 dk/d(ρ²), and then
//! ```text
//! ∂k/∂ln ℓₖ = s Δₖ²/ℓₖ²        ∂k/∂aₖ = −s Δₖ/ℓₖ²
//! ```
//! so that a new profile needs two formulas and no loop. Where the slope is infinite at ρ = 0 (Matérn of order
//! ≤ 1, γ-exponential with γ < 2) it is returned as 0: the θ-derivative is exactly 0 there, and the x-derivative,
//! which does not exist at the kink, is defined as 0, the mean of its two sides.
//!
//! # References
//! Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), (4.9), (4.14), (4.17)–(4.19), (4.31).

use super::bessel;
use super::leaf::Parameters;
use super::node::{Leaf, Op};
use super::vector::{at_most, magnitude};
use crate::math::{exp_here, root};
use crate::real::Real;

/// A radial profile at one distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Radial<R> {
    /// k
    pub(super) value: R,
    /// −2 dk/d(ρ²)
    pub(super) slope: R,
    /// ∂k/∂ln of α or γ; 0 for ν, which is never fitted.
    pub(super) shape: R,
}

/// Squared distances beyond this are this: every profile has vanished, and no product with infinity arises.
#[inline(always)]
pub(super) fn capped<R: Real>(q: R) -> R {
    at_most(q, R::of(1e30))
}

/// The profile `op` at the squared distance `q`.
pub(super) fn radial<R: Real>(op: Op, q: R, shape: R) -> Radial<R> {
    let q = capped(q);
    let plain = |value, slope| Radial { value, slope, shape: R::ZERO };
    match op {
        Op::Matern12 | Op::Matern32 | Op::Matern52 => {
            let s = q.sqrt() * rate(op);
            let e = (-s).exp();
            plain(half_integer_value(op, s, e), half_integer_slope(op, s, e))
        }
        Op::Matern if bessel::ANY_ORDER => {
            let (value, slope) = bessel::matern(shape.to_f64(), libm::sqrt(q.to_f64()));
            // A slope above the range of the scalar belongs to a distance that is as good as 0.
            plain(R::of(value), at_most(R::of(slope), R::MAX))
        }
        Op::RationalQuadratic => {
            let part = q / (R::TWO * shape);
            let (u, log) = (R::ONE + part, part.ln_1p());
            let value = (-shape * log).exp();
            Radial { value, slope: value / u, shape: shape * value * (part / u - log) }
        }
        Op::GammaExponential => {
            // ln 0 times the vanishing power would be NaN.
            if q == R::ZERO {
                return plain(R::ONE, R::ZERO);
            }
            let gamma = at_most(shape, R::TWO);
            let log = R::HALF * q.ln();
            let power = (gamma * log).exp();
            let value = (-power).exp();
            let fall = gamma * power * value;
            Radial { value, slope: at_most(fall / q, R::MAX), shape: -fall * log }
        }
        _ => {
            let value = (-R::HALF * q).exp();
            plain(value, value)
        }
    }
}

/// √(2ν): what multiplies ρ in a half-integer Matérn.
#[inline(always)]
fn rate<R: Real>(op: Op) -> R {
    match op {
        Op::Matern32 => R::of(1.732_050_807_568_877_2),
        Op::Matern52 => R::of(2.236_067_977_499_79),
        _ => R::ONE,
    }
}

#[inline(always)]
fn half_integer_value<R: Real>(op: Op, s: R, e: R) -> R {
    match op {
        Op::Matern32 => (R::ONE + s) * e,
        Op::Matern52 => (R::ONE + s + s * s * R::of(1.0 / 3.0)) * e,
        _ => e,
    }
}

#[inline(always)]
fn half_integer_slope<R: Real>(op: Op, s: R, e: R) -> R {
    match op {
        Op::Matern32 => R::of(3.0) * e,
        Op::Matern52 => R::of(5.0 / 3.0) * ((R::ONE + s) * e),
        _ if s > R::ZERO => e / s,
        _ => R::ZERO,
    }
}

/// Turns squared distances into kernel values, slice-wise; `spare` has the same length.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(super) fn profile<R: Real>(op: Op, shape: R, q: &mut [R], spare: &mut [R]) {
    match op {
        Op::SquaredExponential => {
            for v in &mut *q {
                *v = -R::HALF * *v;
            }
            exp_here(q);
        }
        Op::Matern12 | Op::Matern32 | Op::Matern52 => {
            let c = rate(op);
            for (v, s) in q.iter_mut().zip(&mut *spare) {
                *s = root(capped(*v)) * c;
                *v = -*s;
            }
            exp_here(q);
            // One loop for each order: the test of the order must not sit inside.
            match op {
                Op::Matern32 => {
                    q.iter_mut().zip(spare).for_each(|(v, s)| *v = half_integer_value(Op::Matern32, *s, *v));
                }
                Op::Matern52 => {
                    q.iter_mut().zip(spare).for_each(|(v, s)| *v = half_integer_value(Op::Matern52, *s, *v));
                }
                _ => {}
            }
        }
        _ => {
            for v in q {
                *v = radial(op, *v, shape).value;
            }
        }
    }
}

/// As [`profile`], with the slopes (times the squared distance if `times_q`) and the derivatives by the shape.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(super) fn profile_slopes<R: Real>(
    op: Op,
    shape: R,
    times_q: bool,
    q: &mut [R],
    slope: &mut [R],
    by_shape: &mut [R],
    spare: &mut [R],
) {
    match op {
        Op::SquaredExponential | Op::Matern12 | Op::Matern32 | Op::Matern52 => {
            for (v, s) in q.iter().zip(&mut *spare) {
                *s = capped(*v);
            }
            profile_slopes_known(op, q, slope, spare);
            if times_q {
                for (s, v) in slope.iter_mut().zip(&*spare) {
                    *s *= *v;
                }
            }
        }
        _ => {
            for j in 0..q.len() {
                let squared = capped(q[j]);
                let r = radial(op, squared, shape);
                q[j] = r.value;
                slope[j] = if times_q { r.slope * squared } else { r.slope };
                by_shape[j] = r.shape;
            }
        }
    }
}

/// The profiles without a call per element; the capped squared distances are in `capped`.
#[inline(always)]
fn profile_slopes_known<R: Real>(op: Op, value: &mut [R], slope: &mut [R], capped: &[R]) {
    if op == Op::SquaredExponential {
        for (v, q) in value.iter_mut().zip(capped) {
            *v = -R::HALF * *q;
        }
        exp_here(value);
        slope.copy_from_slice(value);
        return;
    }
    let c = rate(op);
    for ((v, s), q) in value.iter_mut().zip(&mut *slope).zip(capped) {
        *s = root(*q) * c;
        *v = -*s;
    }
    exp_here(value);
    let pairs = value.iter_mut().zip(slope);
    match op {
        Op::Matern32 => pairs.for_each(|(v, s)| both(Op::Matern32, v, s)),
        Op::Matern52 => pairs.for_each(|(v, s)| both(Op::Matern52, v, s)),
        _ => pairs.for_each(|(v, s)| both(Op::Matern12, v, s)),
    }
}

/// e and √(2ν)ρ become value and slope.
#[inline(always)]
fn both<R: Real>(op: Op, v: &mut R, s: &mut R) {
    let (e, z) = (*v, *s);
    *v = half_integer_value(op, z, e);
    *s = half_integer_slope(op, z, e);
}

/// ρ²
pub(super) fn squared<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let d = (a[k] - b[k]) / p.at(leaf.slot(i));
        sum += d * d;
    }
    sum
}

/// Adds `slope` · Δₖ²/ℓₖ².
pub(super) fn radial_gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    slope: R,
    out: &mut [R],
) {
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let d = (a[k] - b[k]) / p.at(leaf.slot(i));
        out[leaf.slot(i)] += slope * (d * d);
    }
}

/// Adds −`slope` · Δₖ/ℓₖ².
pub(super) fn radial_gradient_x<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    slope: R,
    out: &mut [R],
) {
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let length = p.at(leaf.slot(i));
        out[k] -= slope * ((a[k] - b[k]) / length) / length;
    }
}

/// exp(−Σ|Δₖ|/ℓₖ)
pub(super) fn laplace<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        sum += magnitude(a[k] - b[k]) / p.at(leaf.slot(i));
    }
    (-sum).exp()
}

/// ∂k/∂ln ℓₖ = k |Δₖ|/ℓₖ
pub(super) fn laplace_gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = seed * laplace(leaf, p, a, b);
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        out[leaf.slot(i)] += seed * (magnitude(a[k] - b[k]) / p.at(leaf.slot(i)));
    }
}

/// ∂k/∂aₖ = −k sign(Δₖ)/ℓₖ, 0 at Δₖ = 0
pub(super) fn laplace_gradient_x<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = seed * laplace(leaf, p, a, b);
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let step = seed / p.at(leaf.slot(i));
        if a[k] > b[k] {
            out[k] -= step;
        } else if a[k] < b[k] {
            out[k] += step;
        }
    }
}

/// exp(−2 Σ sin²(πΔₖ/pₖ)/ℓₖ²): a product over the dimensions, hence positive definite.
pub(super) fn periodic<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let s = (R::PI * (a[k] - b[k]) / p.at(leaf.second(i))).sin() / p.at(leaf.slot(i));
        sum += s * s;
    }
    (-R::TWO * sum).exp()
}

/// ∂k/∂ln ℓₖ = 4k sin²(φ)/ℓₖ², ∂k/∂ln pₖ = 2k φ sin(2φ)/ℓₖ², with φ = πΔₖ/pₖ
pub(super) fn periodic_gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = R::TWO * seed * periodic(leaf, p, a, b);
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let length = p.at(leaf.slot(i));
        let phase = R::PI * (a[k] - b[k]) / p.at(leaf.second(i));
        let s = phase.sin() / length;
        out[leaf.slot(i)] += seed * R::TWO * (s * s);
        out[leaf.second(i)] += seed * phase * (R::TWO * phase).sin() / (length * length);
    }
}

/// ∂k/∂aₖ = −2πk sin(2φ)/(pₖ ℓₖ²)
pub(super) fn periodic_gradient_x<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = R::TWO * seed * periodic(leaf, p, a, b);
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let (length, period) = (p.at(leaf.slot(i)), p.at(leaf.second(i)));
        let double = R::TWO * R::PI * (a[k] - b[k]) / period;
        out[k] -= seed * double.sin() * R::PI / (period * length * length);
    }
}

/// 2π Σ Δₖ/pₖ: the phase of a plane wave, whose cosine is a kernel of rank two.
pub(super) fn phase<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        sum += (a[k] - b[k]) / p.at(leaf.slot(i));
    }
    R::TWO * R::PI * sum
}

/// ∂k/∂ln pₖ = sin(phase) 2πΔₖ/pₖ
pub(super) fn cosine_gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = seed * phase(leaf, p, a, b).sin() * R::TWO * R::PI;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        out[leaf.slot(i)] += seed * (a[k] - b[k]) / p.at(leaf.slot(i));
    }
}

/// ∂k/∂aₖ = −sin(phase) 2π/pₖ
pub(super) fn cosine_gradient_x<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = seed * phase(leaf, p, a, b).sin() * R::TWO * R::PI;
    for i in 0..leaf.len() {
        out[leaf.dim(i)] -= seed / p.at(leaf.slot(i));
    }
}
