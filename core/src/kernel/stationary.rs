//! Stationary kernels, functions of a − b: the radial profiles, Laplace, periodic and cosine.
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
use super::leaf::Pair;
use super::one_hot;
use super::op::{Half, Profile};
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

/// A profile at the squared distance `q`.
pub(super) fn radial<R: Real>(profile: Profile, q: R, shape: R) -> Radial<R> {
    let q = capped(q);
    let plain = |value, slope| Radial { value, slope, shape: R::ZERO };
    match profile {
        Profile::SquaredExponential => {
            let value = (-R::HALF * q).exp();
            plain(value, value)
        }
        Profile::HalfInteger(order) => {
            let s = q.sqrt() * rate(order);
            let e = (-s).exp();
            plain(half_integer_value(order, s, e), half_integer_slope(order, s, e))
        }
        Profile::Matern if bessel::ANY_ORDER => {
            let (value, slope) = bessel::matern(shape.to_f64(), libm::sqrt(q.to_f64()));
            // A slope above the range of the scalar belongs to a distance that is as good as 0.
            plain(R::of(value), at_most(R::of(slope), R::MAX))
        }
        // No tape of this build has such a node.
        Profile::Matern => plain(R::NAN, R::NAN),
        Profile::RationalQuadratic => {
            let part = q / (R::TWO * shape);
            let (u, log) = (R::ONE + part, part.ln_1p());
            let value = (-shape * log).exp();
            Radial { value, slope: value / u, shape: shape * value * (part / u - log) }
        }
        Profile::GammaExponential => {
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
    }
}

/// √(2ν): what multiplies ρ in a half-integer Matérn.
#[inline(always)]
fn rate<R: Real>(order: Half) -> R {
    match order {
        Half::One => R::ONE,
        Half::Three => R::of(1.732_050_807_568_877_2),
        Half::Five => R::of(2.236_067_977_499_79),
    }
}

#[inline(always)]
fn half_integer_value<R: Real>(order: Half, s: R, e: R) -> R {
    match order {
        Half::One => e,
        Half::Three => (R::ONE + s) * e,
        Half::Five => (R::ONE + s + s * s * R::of(1.0 / 3.0)) * e,
    }
}

#[inline(always)]
fn half_integer_slope<R: Real>(order: Half, s: R, e: R) -> R {
    match order {
        Half::One if s > R::ZERO => e / s,
        Half::One => R::ZERO,
        Half::Three => R::of(3.0) * e,
        Half::Five => R::of(5.0 / 3.0) * ((R::ONE + s) * e),
    }
}

/// Turns squared distances into kernel values, slice-wise; `spare` has the same length.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(super) fn profile<R: Real>(profile: Profile, shape: R, q: &mut [R], spare: &mut [R]) {
    match profile {
        Profile::SquaredExponential => {
            for v in &mut *q {
                *v = -R::HALF * *v;
            }
            exp_here(q);
        }
        Profile::HalfInteger(order) => {
            let c = rate(order);
            for (v, s) in q.iter_mut().zip(&mut *spare) {
                *s = root(capped(*v)) * c;
                *v = -*s;
            }
            exp_here(q);
            // One loop for each order: the test of the order must not sit inside.
            match order {
                Half::One => {}
                Half::Three => {
                    q.iter_mut().zip(spare).for_each(|(v, s)| *v = half_integer_value(Half::Three, *s, *v));
                }
                Half::Five => {
                    q.iter_mut().zip(spare).for_each(|(v, s)| *v = half_integer_value(Half::Five, *s, *v));
                }
            }
        }
        Profile::Matern | Profile::RationalQuadratic | Profile::GammaExponential => {
            for v in q {
                *v = radial(profile, *v, shape).value;
            }
        }
    }
}

/// As [`profile`], with the slopes (times the squared distance if `times_q`) and the derivatives by the shape.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(super) fn profile_slopes<R: Real>(
    profile: Profile,
    shape: R,
    times_q: bool,
    q: &mut [R],
    slope: &mut [R],
    by_shape: &mut [R],
    spare: &mut [R],
) {
    for (v, s) in q.iter().zip(&mut *spare) {
        *s = capped(*v);
    }
    match profile {
        Profile::SquaredExponential => exponential_slopes(q, slope, spare),
        Profile::HalfInteger(order) => half_integer_slopes(order, q, slope, spare),
        Profile::Matern | Profile::RationalQuadratic | Profile::GammaExponential => {
            for j in 0..q.len() {
                let r = radial(profile, spare[j], shape);
                (q[j], slope[j], by_shape[j]) = (r.value, r.slope, r.shape);
            }
        }
    }
    if times_q {
        for (s, v) in slope.iter_mut().zip(&*spare) {
            *s *= *v;
        }
    }
}

/// The squared exponential without a call per element; the capped squared distances are in `capped`.
#[inline(always)]
fn exponential_slopes<R: Real>(value: &mut [R], slope: &mut [R], capped: &[R]) {
    for (v, q) in value.iter_mut().zip(capped) {
        *v = -R::HALF * *q;
    }
    exp_here(value);
    slope.copy_from_slice(value);
}

/// The half-integer Matérns without a call per element; the capped squared distances are in `capped`.
#[inline(always)]
fn half_integer_slopes<R: Real>(order: Half, value: &mut [R], slope: &mut [R], capped: &[R]) {
    let c = rate(order);
    for ((v, s), q) in value.iter_mut().zip(&mut *slope).zip(capped) {
        *s = root(*q) * c;
        *v = -*s;
    }
    exp_here(value);
    let pairs = value.iter_mut().zip(slope);
    match order {
        Half::One => pairs.for_each(|(v, s)| both(Half::One, v, s)),
        Half::Three => pairs.for_each(|(v, s)| both(Half::Three, v, s)),
        Half::Five => pairs.for_each(|(v, s)| both(Half::Five, v, s)),
    }
}

/// e and √(2ν)ρ become value and slope.
#[inline(always)]
fn both<R: Real>(order: Half, v: &mut R, s: &mut R) {
    let (e, z) = (*v, *s);
    *v = half_integer_value(order, z, e);
    *s = half_integer_slope(order, z, e);
}

/// ρ²
pub(super) fn squared<R: Real>(pair: &Pair<'_, R>) -> R {
    let numbers = pair.leaf.numbers();
    pair.sum(|i, k| squared_part(pair, numbers, i, k))
}

/// Δₖ²/ℓₖ², or 2 [a ≠ b]/ℓ² of a category.
#[inline]
fn squared_part<R: Real>(pair: &Pair<'_, R>, numbers: usize, i: usize, k: usize) -> R {
    let length = pair.first(i);
    if i < numbers {
        let d = pair.difference(k) / length;
        d * d
    } else if pair.a[k] == pair.b[k] {
        R::ZERO
    } else {
        one_hot::apart(length)
    }
}

/// Adds `slope` · Δₖ²/ℓₖ².
pub(super) fn radial_gradient<R: Real>(pair: &Pair<'_, R>, slope: R, out: &mut [R]) {
    let numbers = pair.leaf.numbers();
    for (i, k) in pair.dims() {
        out[pair.leaf.slot(i)] += slope * squared_part(pair, numbers, i, k);
    }
}

/// Adds −`slope` · Δₖ/ℓₖ²; nothing for categories.
pub(super) fn radial_gradient_x<R: Real>(pair: &Pair<'_, R>, slope: R, out: &mut [R]) {
    for (i, k) in pair.dims().take(pair.leaf.numbers()) {
        let length = pair.first(i);
        out[k] -= slope * (pair.difference(k) / length) / length;
    }
}

/// exp(−Σ|Δₖ|/ℓₖ)
pub(super) fn laplace<R: Real>(pair: &Pair<'_, R>) -> R {
    (-pair.sum(|i, k| magnitude(pair.difference(k)) / pair.first(i))).exp()
}

/// ∂k/∂ln ℓₖ = k |Δₖ|/ℓₖ
pub(super) fn laplace_gradient<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * laplace(pair);
    for (i, k) in pair.dims() {
        out[pair.leaf.slot(i)] += seed * (magnitude(pair.difference(k)) / pair.first(i));
    }
}

/// ∂k/∂aₖ = −k sign(Δₖ)/ℓₖ, 0 at Δₖ = 0
pub(super) fn laplace_gradient_x<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * laplace(pair);
    for (i, k) in pair.dims() {
        let step = seed / pair.first(i);
        if pair.a[k] > pair.b[k] {
            out[k] -= step;
        } else if pair.a[k] < pair.b[k] {
            out[k] += step;
        }
    }
}

/// exp(−2 Σ sin²(πΔₖ/pₖ)/ℓₖ²): a product over the dimensions, hence positive definite.
pub(super) fn periodic<R: Real>(pair: &Pair<'_, R>) -> R {
    let sum = pair.sum(|i, k| {
        let s = (R::PI * pair.difference(k) / pair.second(i)).sin() / pair.first(i);
        s * s
    });
    (-R::TWO * sum).exp()
}

/// ∂k/∂ln ℓₖ = 4k sin²(φ)/ℓₖ², ∂k/∂ln pₖ = 2k φ sin(2φ)/ℓₖ², with φ = πΔₖ/pₖ
pub(super) fn periodic_gradient<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = R::TWO * seed * periodic(pair);
    for (i, k) in pair.dims() {
        let length = pair.first(i);
        let phase = R::PI * pair.difference(k) / pair.second(i);
        let s = phase.sin() / length;
        out[pair.leaf.slot(i)] += seed * R::TWO * (s * s);
        out[pair.leaf.second(i)] += seed * phase * (R::TWO * phase).sin() / (length * length);
    }
}

/// ∂k/∂aₖ = −2πk sin(2φ)/(pₖ ℓₖ²)
pub(super) fn periodic_gradient_x<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = R::TWO * seed * periodic(pair);
    for (i, k) in pair.dims() {
        let (length, period) = (pair.first(i), pair.second(i));
        let double = R::TWO * R::PI * pair.difference(k) / period;
        out[k] -= seed * double.sin() * R::PI / (period * length * length);
    }
}

/// 2π Σ Δₖ/pₖ: the phase of a plane wave, whose cosine is a kernel of rank two.
pub(super) fn phase<R: Real>(pair: &Pair<'_, R>) -> R {
    R::TWO * R::PI * pair.sum(|i, k| pair.difference(k) / pair.first(i))
}

/// ∂k/∂ln pₖ = sin(phase) 2πΔₖ/pₖ
pub(super) fn cosine_gradient<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * phase(pair).sin() * R::TWO * R::PI;
    for (i, k) in pair.dims() {
        out[pair.leaf.slot(i)] += seed * pair.difference(k) / pair.first(i);
    }
}

/// ∂k/∂aₖ = −sin(phase) 2π/pₖ
pub(super) fn cosine_gradient_x<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * phase(pair).sin() * R::TWO * R::PI;
    for (i, k) in pair.dims() {
        out[k] -= seed / pair.first(i);
    }
}
