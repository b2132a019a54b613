//! The Matérn function of any order, from the modified Bessel function of the second kind.

/// Largest order that is computed; above it the function is the squared exponential for every practical use.
pub const MAX_ORDER: f64 = 64.0;

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
#[must_use]
pub fn matern(order: f64, distance: f64) -> (f64, f64) {
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
        #[rustfmt::skip]
        let cases = [
            (0.05, 1e-09, 0.8890802917664178, 1.1091970823358226e+16),
            (0.05, 0.01, 0.4440858907283582, 555.8905814008614),
            (0.05, 0.5, 0.1796246260323965, 0.3172508825190082),
            (0.05, 1.0, 0.12431235880126147, 0.07937735671046003),
            (0.05, 2.0, 0.0715378294840236, 0.017731214713424134),
            (0.05, 6.0, 0.013250791607915863, 0.0008473788546149487),
            (0.3, 1e-09, 0.9999967408803386, 1955471796790.6006),
            (0.3, 0.01, 0.9483672670149458, 309.5083148273803),
            (0.3, 0.5, 0.49834732636424695, 1.0225559729928955),
            (0.3, 1.0, 0.30767514823308956, 0.2838177331046247),
            (0.3, 2.0, 0.1271393260283407, 0.05452848845708039),
            (0.3, 6.0, 0.004722923197855899, 0.0006340788126790543),
            (0.5, 1e-09, 0.999999999, 999999998.9999999),
            (0.5, 0.01, 0.9900498337491681, 99.0049833749168),
            (0.5, 0.5, 0.6065306597126334, 1.2130613194252668),
            (0.5, 1.0, 0.36787944117144233, 0.36787944117144233),
            (0.5, 2.0, 0.1353352832366127, 0.06766764161830635),
            (0.5, 6.0, 0.0024787521766663585, 0.0004131253627777264),
            (0.7, 1e-09, 0.9999999999996034, 555241.1159260285),
            (0.7, 0.01, 0.9976142243435483, 32.70184876684024),
            (0.7, 0.5, 0.6720179816547904, 1.2867381309100168),
            (0.7, 1.0, 0.40618184037575694, 0.4234426667728618),
            (0.7, 2.0, 0.13828069713920702, 0.07616711661099575),
            (0.7, 6.0, 0.0014757621989393642, 0.00028343662181803264),
            (1.0, 1e-09, 1.0, 40.9852475246497),
            (1.0, 0.01, 0.9995125331274172, 8.749593682887403),
            (1.0, 0.5, 0.7319144764614628, 1.3062198437308379),
            (1.0, 1.0, 0.44434252363223603, 0.4782844214521623),
            (1.0, 2.0, 0.13966747401529314, 0.08478354799680299),
            (1.0, 6.0, 0.0007860431103404216, 0.00017522085084853366),
            (1.2, 1e-09, 1.0, 5.998274568684706),
            (1.2, 0.01, 0.9997453513853816, 4.911722012297862),
            (1.2, 0.5, 0.7578263937056792, 1.2936862103581164),
            (1.2, 1.0, 0.46254021134213835, 0.5034542816743705),
            (1.2, 2.0, 0.13985082074203936, 0.08898178668467681),
            (1.2, 6.0, 0.0005524520315411744, 0.0001327888418904991),
            (1.5, 1e-09, 1.0, 2.9999999948038476),
            (1.5, 0.01, 0.9998517208525821, 2.9484858889078636),
            (1.5, 0.5, 0.7848876539574506, 1.2618600781623444),
            (1.5, 1.0, 0.48335772459650767, 0.5307636189532926),
            (1.5, 2.0, 0.13973135019231467, 0.09390333973479867),
            (1.5, 6.0, 0.0003493742951567828, 9.200270706347369e-05),
            (2.5, 1e-09, 1.0, 1.6666666666666667),
            (2.5, 0.01, 0.999916676959971, 1.666256159525728),
            (2.5, 0.5, 0.8286491424181253, 1.1540528100359326),
            (2.5, 1.0, 0.5239941088318203, 0.5764403878852956),
            (2.5, 2.0, 0.13866021913850426, 0.10417935419231887),
            (2.5, 6.0, 0.00011091666419354636, 3.5812439664742136e-05),
            (3.3, 1e-09, 1.0, 1.434782608695652),
            (3.3, 0.01, 0.99992826542146, 1.4346005482029114),
            (3.3, 0.5, 0.843719274068299, 1.0952233491259575),
            (3.3, 1.0, 0.5416150825506012, 0.5915005984594627),
            (3.3, 2.0, 0.1379311545110473, 0.10913302112362622),
            (3.3, 6.0, 5.6715560083483296e-05, 2.0379736215615868e-05),
            (7.0, 1e-09, 1.0, 1.1666666666666667),
            (7.0, 0.01, 0.9999416687082738, 1.1665850035727778),
            (7.0, 0.5, 0.8660592066668716, 0.9828663350362151),
            (7.0, 1.0, 0.574438992192775, 0.6081553142327967),
            (7.0, 2.0, 0.13636363347190905, 0.12004958747451179),
            (7.0, 6.0, 8.428757833245113e-06, 3.972980750766467e-06),
            (20.0, 1e-09, 1.0, 1.0526315789473684),
            (20.0, 0.01, 0.9999473698830122, 1.0525731011351551),
            (20.0, 0.5, 0.8771274967264541, 0.9166452927506841),
            (20.0, 1.0, 0.5951625405175198, 0.609218532030236),
            (20.0, 2.0, 0.13551903561655443, 0.12911768647584335),
            (20.0, 6.0, 6.600521592086881e-07, 4.269561719875362e-07),
            (45.25, 1e-09, 1.0, 1.0225988700564972),
            (45.25, 0.01, 0.9999488713938317, 1.0225453771548358),
            (45.25, 0.5, 0.880173066881151, 0.8974198283671988),
            (45.25, 1.0, 0.6015023567774999, 0.6079947534542244),
            (45.25, 2.0, 0.13537556835625575, 0.13245374279025066),
            (45.25, 6.0, 1.3894991442365297e-07, 1.0767571669069657e-07),
        ];
        for (nu, r, value, slope) in cases {
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
