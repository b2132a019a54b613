//! The Matérn function of any order, from the modified Bessel function of the second kind.

/// Largest order that is computed; above it the function is the squared exponential for every practical use.
pub(crate) const MAX_ORDER: f64 = 64.0;

/// Whether kernels of any order are in this build: they are 15 KB of a firmware, most of it double precision in software.
pub(super) const ANY_ORDER: bool = cfg!(feature = "models");

/// The Matérn function of order ν at distance ρ (length scale 1), and its slope −2 dk/d(ρ²).
///
/// ```text
/// k(ρ) = 2¹⁻ᵛ/Γ(ν) zᵛ Kᵥ(z),   z = √(2ν) ρ,   k(0) = 1
/// slope = 2ν · 2¹⁻ᵛ/Γ(ν) zᵛ⁻¹ Kᵥ₋₁(z)         (from d/dz[zᵛ Kᵥ] = −zᵛ Kᵥ₋₁)
/// ```
/// The order is moved into (0, 64]. The slope is infinite at ρ = 0 for ν ≤ 1 and is returned as 0 there, where
/// every derivative that uses it multiplies it by a difference that is 0. At most some hundred terms.
///
/// # References
/// Temme, *On the numerical evaluation of the modified Bessel function of the third kind*, J. Comput. Phys. 19
/// (1975); Thompson and Barnett, J. Comput. Phys. 64 (1986), continued fraction CF2.
pub(crate) fn matern(order: f64, distance: f64) -> (f64, f64) {
    if order.is_nan() || distance.is_nan() {
        return (f64::NAN, f64::NAN);
    }
    let nu = order.clamp(1e-6, MAX_ORDER);
    let z = libm::sqrt(2.0 * nu) * libm::fabs(distance);
    if z < 1e-150 {
        return (1.0, if nu > 1.0 { nu / (nu - 1.0) } else { 0.0 });
    }
    // e⁻ᶻ is below the smallest normal number long before the power of z can lift it again.
    if z > 700.0 {
        return (0.0, 0.0);
    }
    let normal = libm::exp((1.0 - nu) * core::f64::consts::LN_2 - libm::lgamma(nu));
    let (power, lower) = scaled_pair(nu, z);
    // Rounding may carry the value past 1 by an ulp; a correlation never is.
    ((normal * power).min(1.0), normal * 2.0 * nu * lower)
}

/// zᵛ Kᵥ(z) and zᵛ⁻¹ Kᵥ₋₁(z): these stay finite where Kᵥ itself overflows.
fn scaled_pair(nu: f64, z: f64) -> (f64, f64) {
    if nu <= 0.5 {
        // K is even in its order: −ν gives Kᵥ and K₁₋ᵥ without a difference of near-equal numbers.
        let (k, next) = bessel_pair(-nu, z);
        let power = libm::pow(z, nu);
        return (power * k, power / z * next);
    }
    let steps = libm::floor(nu + 0.5);
    let mu = nu - steps;
    let (k, next) = bessel_pair(mu, z);
    let power = libm::pow(z, mu);
    let mut below = power * k;
    let mut here = power * z * next;
    let mut i = 1.0;
    while i < steps {
        // zᵛ⁺¹Kᵥ₊₁ = z² zᵛ⁻¹Kᵥ₋₁ + 2ν zᵛKᵥ, forward, where K grows: stable.
        let above = z * z * below + 2.0 * (mu + i) * here;
        below = here;
        here = above;
        i += 1.0;
    }
    (here, below)
}

/// K at the orders μ and μ + 1 for |μ| ≤ ½.
fn bessel_pair(mu: f64, x: f64) -> (f64, f64) {
    if x < 2.0 { temme(mu, x) } else { steed(mu, x) }
}

/// Temme's series, for small x.
fn temme(mu: f64, x: f64) -> (f64, f64) {
    let half = 0.5 * x;
    let pimu = core::f64::consts::PI * mu;
    let reflect = if libm::fabs(pimu) < 1e-15 { 1.0 } else { pimu / libm::sin(pimu) };
    let log = -libm::log(half);
    let e = mu * log;
    let shc = if libm::fabs(e) < 1e-8 { 1.0 } else { libm::sinh(e) / e };
    // 1/Γ(1+μ) split in its odd and even parts, so that Temme's Γ₁ has no cancellation at μ = 0.
    let square = mu * mu;
    let odd = horner(&RECIPROCAL_GAMMA_ODD, square);
    let even = horner(&RECIPROCAL_GAMMA_EVEN, square);
    let mut f = reflect * (-odd * libm::cosh(e) + even * shc * log);
    let scale = libm::exp(e);
    let mut p = 0.5 * scale / (even + mu * odd);
    let mut q = 0.5 / (scale * (even - mu * odd));
    let mut c = 1.0;
    let mut sum = f;
    let mut sum1 = p;
    for i in 1..200 {
        let i = f64::from(i);
        f = (i * f + p + q) / (i * i - square);
        c *= half * half / i;
        p /= i - mu;
        q /= i + mu;
        let term = c * f;
        sum += term;
        sum1 += c * (p - i * f);
        if libm::fabs(term) < libm::fabs(sum) * 1e-17 {
            break;
        }
    }
    (sum, sum1 / half)
}

/// Steed's evaluation of the continued fraction CF2 with Temme's sum, for x ≥ 2.
fn steed(mu: f64, x: f64) -> (f64, f64) {
    let first = 0.25 - mu * mu;
    let mut b = 2.0 * (1.0 + x);
    let mut d = 1.0 / b;
    let mut step = d;
    let mut h = d;
    let (mut q1, mut q2) = (0.0, 1.0);
    let mut q = first;
    let mut c = first;
    let mut a = -first;
    let mut sum = 1.0 + q * step;
    for i in 2..500 {
        let i = f64::from(i);
        a -= 2.0 * (i - 1.0);
        c = -a * c / i;
        let next = (q1 - b * q2) / a;
        q1 = q2;
        q2 = next;
        q += c * next;
        b += 2.0;
        d = 1.0 / (b + a * d);
        step *= b * d - 1.0;
        h += step;
        let term = q * step;
        sum += term;
        if libm::fabs(term) < sum * 1e-17 {
            break;
        }
    }
    let k = libm::sqrt(core::f64::consts::PI / (2.0 * x)) * libm::exp(-x) / sum;
    (k, k * (mu + x + 0.5 - first * h) / x)
}

fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Coefficients of the odd part of 1/Γ(1+μ), divided by μ, in powers of μ².
const RECIPROCAL_GAMMA_ODD: [f64; 11] = [
    0.5772156649015329,
    -0.04200263503409524,
    -0.04219773455554433,
    0.0072189432466631,
    -0.00021524167411495098,
    -2.013485478078824e-05,
    1.133027231981696e-06,
    6.116095104481416e-09,
    -1.18127457048702e-09,
    7.782263439905071e-12,
    5.100370287454476e-13,
];

/// Coefficients of the even part of 1/Γ(1+μ) in powers of μ².
const RECIPROCAL_GAMMA_EVEN: [f64; 11] = [
    1.0,
    -0.6558780715202539,
    0.16653861138229148,
    -0.009621971527876973,
    -0.0011651675918590652,
    0.0001280502823881162,
    -1.2504934821426706e-06,
    -2.056338416977607e-07,
    5.002007644469223e-09,
    1.0434267116911005e-10,
    -3.696805618642206e-12,
];

#[cfg(test)]
mod tests {
    use super::matern;

    fn near(got: f64, want: f64, tolerance: f64) {
        assert!((got - want).abs() <= tolerance * want.abs(), "{got} {want}");
    }

    /// Values and slopes from 60-digit arithmetic.
    #[test]
    fn agrees_with_high_precision() {
        for line in include_str!("bessel.txt").lines().skip(1) {
            let numbers: std::vec::Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            let [nu, r, value, slope] = numbers[..] else { panic!("{line}") };
            let (k, s) = matern(nu, r);
            near(k, value, 1e-13);
            near(s, slope, 1e-12);
        }
    }

    /// The closed forms of the half-integer orders.
    #[test]
    fn half_integers_are_closed_forms() {
        for i in 1..400 {
            let r = f64::from(i) * 0.02;
            let (s3, s5) = (3f64.sqrt() * r, 5f64.sqrt() * r);
            near(matern(0.5, r).0, (-r).exp(), 1e-12);
            near(matern(1.5, r).0, (1.0 + s3) * (-s3).exp(), 1e-12);
            near(matern(2.5, r).0, (1.0 + s5 + s5 * s5 / 3.0) * (-s5).exp(), 1e-12);
            near(matern(2.5, r).1, 5.0 / 3.0 * (1.0 + s5) * (-s5).exp(), 1e-12);
        }
    }

    #[test]
    fn extremes_are_finite() {
        for nu in [0.0, 1e-6, 0.01, 0.5, 1.0, 1.5, 20.0, 64.0, 1e9, f64::INFINITY] {
            let mut previous = 1.0;
            for power in -320..310 {
                let (k, s) = matern(nu, 10f64.powi(power));
                assert!((0.0..=1.0).contains(&k) && k <= previous * (1.0 + 1e-13), "{nu} 1e{power} {k}");
                assert!(s.is_finite() && s >= 0.0, "{nu} 1e{power} {s}");
                previous = k;
            }
            assert_eq!(matern(nu, 0.0).0, 1.0);
            assert_eq!(matern(nu, f64::INFINITY).0, 0.0);
        }
        assert!(matern(f64::NAN, 1.0).0.is_nan());
        assert!(matern(1.0, f64::NAN).0.is_nan());
    }
}
