//! Priors of hyperparameters: densities, slopes and draws.
//!
//! Training and sampling move θ = ln q, so a density p(q) of the natural parameter q > 0 counts there as
//!
//! ```text
//! p(θ) = p(q) |dq/dθ| = p(q)·q
//! ```

use crate::real::Real;
use crate::rng;

/// What is believed about a hyperparameter before any data, within its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// Nothing about its logarithm: p(θ) is constant, p(q) ∝ 1/q.
    Flat,
    /// ln of the parameter is normal: the parameter is log-normal.
    LogNormal {
        /// Mean of the logarithm.
        mean: f64,
        /// Standard deviation of the logarithm, positive.
        sd: f64,
    },
    /// Nothing about the parameter itself: p(q) is constant, p(θ) ∝ q.
    Uniform,
    /// The parameter has a gamma distribution: p(q) ∝ qᵃ⁻¹ exp(−b q).
    Gamma {
        /// The shape a, positive.
        shape: f64,
        /// The rate b, positive.
        rate: f64,
    },
    /// A power of the parameter has a spike at 0 and a heavy tail, close to a horseshoe.
    ///
    /// ```text
    /// p(r) = ln(1 + (s/r)²)/(πs),   r = qᵏ
    /// ```
    /// k = 1 speaks of a variance, k = ½ of its standard deviation.
    Horseshoe {
        /// The scale s, positive.
        scale: f64,
        /// The power k, positive.
        power: f64,
    },
}

impl Prior {
    /// Whether its parameters are numbers in range, in `f32` too.
    pub(super) fn is_valid(&self) -> bool {
        let positive = |v: f64| (1e-30..=1e30).contains(&v);
        match *self {
            Self::Flat | Self::Uniform => true,
            Self::LogNormal { mean, sd } => mean.is_finite() && sd >= MIN_SD && sd.is_finite(),
            Self::Gamma { shape, rate } => positive(shape) && positive(rate),
            Self::Horseshoe { scale, power } => positive(scale) && (0.01..=100.0).contains(&power),
        }
    }

    /// The kind and the two parameters as they are kept in a table.
    pub(super) fn entry(&self) -> (u8, f64, f64) {
        match *self {
            Self::Flat => (PriorKind::LogNormal as u8, 0.0, 0.0),
            Self::LogNormal { mean, sd } => (PriorKind::LogNormal as u8, mean, 1.0 / (sd * sd)),
            Self::Uniform => (PriorKind::Uniform as u8, 0.0, 0.0),
            Self::Gamma { shape, rate } => (PriorKind::Gamma as u8, shape, rate),
            Self::Horseshoe { scale, power } => (PriorKind::Horseshoe as u8, scale, power),
        }
    }
}

/// The least spread of a prior: the square of its inverse has to be a number in `f32`.
pub const MIN_SD: f64 = 1e-6;

/// The kinds of prior as numbers in a block, fixed for ever; a log-normal one of precision 0 is flat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum PriorKind {
    LogNormal = 0,
    Uniform = 1,
    Gamma = 2,
    Horseshoe = 3,
}

impl PriorKind {
    pub(super) fn of(number: u8) -> Option<Self> {
        [Self::LogNormal, Self::Uniform, Self::Gamma, Self::Horseshoe]
            .into_iter()
            .find(|&kind| kind as u8 == number)
    }
}

/// One prior of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<R> {
    pub(super) kind: PriorKind,
    pub(super) first: R,
    pub(super) second: R,
}

impl<R: Real> Entry<R> {
    /// Whether the parameters are such as [`Prior::entry`] gives.
    pub(super) fn is_sound(&self) -> bool {
        let (first, second) = (self.first, self.second);
        let finite = first.is_finite() && second.is_finite();
        finite
            && match self.kind {
                PriorKind::LogNormal => second >= R::ZERO,
                PriorKind::Uniform => true,
                PriorKind::Gamma | PriorKind::Horseshoe => first > R::ZERO && second > R::ZERO,
            }
    }

    /// ln p(θ) up to a constant, and its slope.
    ///
    /// ```text
    /// log-normal  −½ precision (θ − mean)²         uniform    θ
    /// gamma       aθ − b eᶿ                        horseshoe  kθ + ln ln(1 + (s e⁻ᵏᶿ)²)
    /// ```
    pub(super) fn log_density(&self, theta: R) -> (R, R) {
        let (first, second) = (self.first, self.second);
        match self.kind {
            PriorKind::LogNormal => {
                let pull = second * (theta - first);
                (-(R::HALF * pull * (theta - first)), -pull)
            }
            PriorKind::Uniform => (theta, R::ONE),
            PriorKind::Gamma => {
                let tail = second * theta.exp();
                (first * theta - tail, first - tail)
            }
            PriorKind::Horseshoe => {
                let t = first.ln() - second * theta;
                let far = R::of(20.0);
                // Far out the square leaves the range of f32, and ln(1 + r²) is 2 ln r or r².
                let (value, fall) = if t > far {
                    ((R::TWO * t).ln(), R::ONE / t)
                } else if t < -far {
                    (R::TWO * t, R::TWO)
                } else {
                    let square = (R::TWO * t).exp();
                    let log = square.ln_1p();
                    (log.ln(), R::TWO * square / ((R::ONE + square) * log))
                };
                (second * theta + value, second * (R::ONE - fall))
            }
        }
    }

    /// A draw inside the bounds.
    ///
    /// Log-normal draws are moved to the bounds; the others follow their density between them, a gamma one after
    /// at most [`TRIES`] rejections.
    pub(super) fn draw<G: rand_core::Rng + ?Sized>(&self, lo: R, hi: R, generator: &mut G) -> R {
        let value = match self.kind {
            PriorKind::LogNormal if self.second > R::ZERO => {
                let z: R = rng::normal(generator);
                self.first + z / self.second.sqrt()
            }
            PriorKind::LogNormal => {
                let u: R = rng::uniform(generator);
                lo + u * (hi - lo)
            }
            PriorKind::Uniform => {
                let u: R = rng::uniform_open(generator);
                // ln(eˡᵒ + u(eʰⁱ − eˡᵒ)) without leaving the range.
                hi + (u + (R::ONE - u) * (lo - hi).exp()).ln()
            }
            PriorKind::Gamma => {
                let mut value = lo;
                for _ in 0..TRIES {
                    value = (rng::gamma(generator, self.first) / self.second).ln();
                    if value >= lo && value <= hi {
                        break;
                    }
                }
                value
            }
            PriorKind::Horseshoe => {
                let u: R = rng::uniform_open(generator);
                R::of(self.horseshoe_between(lo.to_f64(), hi.to_f64(), u.to_f64()))
            }
        };
        value.clamp(lo, hi)
    }

    /// Where the horseshoe between two bounds has the fraction `u` of its mass below: a bisection of 60 steps.
    fn horseshoe_between(&self, lo: f64, hi: f64, u: f64) -> f64 {
        let (scale, power) = (self.first.to_f64(), self.second.to_f64());
        // The mass below r = s·x is [x ln(1 + x⁻²) + 2 arctan x]/π.
        let mass = |theta: f64| {
            let x = libm::exp(power * theta - libm::log(scale));
            let spike = if x > 1e-150 { x * libm::log1p(1.0 / (x * x)) } else { 0.0 };
            spike + 2.0 * libm::atan(x)
        };
        let (mut low, mut high) = (lo, hi);
        let target = mass(lo) + u * (mass(hi) - mass(lo));
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if mass(middle) < target {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// Draws of a gamma prior before one outside the bounds is moved to them.
const TRIES: u32 = 64;

#[cfg(test)]
mod tests {
    use super::{Entry, Prior, PriorKind};
    use crate::real::Real;
    use crate::rng::Generator;

    fn entry<R: Real>(prior: Prior) -> Entry<R> {
        assert!(prior.is_valid());
        let (kind, first, second) = prior.entry();
        Entry { kind: PriorKind::of(kind).unwrap(), first: R::of(first), second: R::of(second) }
    }

    const ALL: [Prior; 7] = [
        Prior::Flat,
        Prior::LogNormal { mean: 0.3, sd: 0.8 },
        Prior::Uniform,
        Prior::Gamma { shape: 2.5, rate: 3.0 },
        Prior::Gamma { shape: 0.7, rate: 0.5 },
        Prior::Horseshoe { scale: 0.1, power: 1.0 },
        Prior::Horseshoe { scale: 1.0, power: 0.5 },
    ];

    /// Simpson over [lo, hi].
    fn integral(lo: f64, hi: f64, f: impl Fn(f64) -> f64) -> f64 {
        let steps = 200_000;
        let h = (hi - lo) / f64::from(steps);
        let weight = |i: i32| if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        (0..=steps).map(|i| weight(i) * f(lo + h * f64::from(i))).sum::<f64>() * h / 3.0
    }

    #[test]
    fn densities_have_their_mass_and_moments() {
        let pi = core::f64::consts::PI;
        let mass = |prior| integral(-150.0, 150.0, |t| entry::<f64>(prior).log_density(t).0.exp());
        let mean = |prior, power: f64| {
            integral(-150.0, 150.0, |t| (power * t + entry::<f64>(prior).log_density(t).0).exp())
                / mass(prior)
        };
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
        close(mass(ALL[1]), (2.0 * pi).sqrt() * 0.8);
        close(mean(ALL[1], 1.0), (0.3f64 + 0.32).exp());
        for (prior, shape, rate) in [(ALL[3], 2.5, 3.0f64), (ALL[4], 0.7, 0.5)] {
            close(mass(prior), libm::tgamma(shape) / rate.powf(shape));
            close(mean(prior, 1.0), shape / rate);
            close(mean(prior, 2.0), shape * (shape + 1.0) / (rate * rate));
        }
        // ∫ ln(1 + (s/r)²) dr = πs, dr = k r dθ; its tail falls as 1/r, so that only roots of r have a mean:
        // E r^½ = ∫ r^½ ln(1 + r⁻²) dr/π = (4/3) π/(2 sin(3π/4))/π at s = 1, by parts.
        close(mass(ALL[5]), pi * 0.1);
        close(mass(ALL[6]), pi / 0.5);
        let root = 4.0 / 3.0 * 0.5 / (0.75 * pi).sin();
        close(mean(ALL[5], 0.5), root * 0.1f64.sqrt());
        close(mean(ALL[6], 0.25), root);
        let uniform = integral(-3.0, 2.0, |t| entry::<f64>(Prior::Uniform).log_density(t).0.exp());
        close(uniform, 2f64.exp() - (-3f64).exp());
    }

    #[test]
    fn the_horseshoe_has_its_golden_values() {
        // Values of ln ln(1 + (s/ν)²), computed apart in double precision.
        for (scale, q, expected) in [
            (1.0, 1e-3, 2.625_791_986_86),
            (1.0, 1e-2, 2.220_337_663_13),
            (1.0, 0.1, 1.529_337_981_77),
            (1.0, 1.0, -0.366_512_920_582),
            (0.1, 1e-3, 2.220_337_663_13),
            (0.1, 0.1, -0.366_512_920_582),
        ] {
            let theta = f64::ln(q);
            let found = entry::<f64>(Prior::Horseshoe { scale, power: 1.0 }).log_density(theta).0 - theta;
            assert!((found - expected).abs() < 1e-10, "{found} {expected}");
        }
    }

    #[test]
    fn slopes_are_differences() {
        for prior in ALL {
            for i in -40..=40 {
                let theta = f64::from(i) * 1.7;
                let entry = entry::<f64>(prior);
                let h = 1e-5;
                let difference =
                    (entry.log_density(theta + h).0 - entry.log_density(theta - h).0) / (2.0 * h);
                let slope = entry.log_density(theta).1;
                let near = (slope - difference).abs() < 1e-6 * (1.0 + slope.abs());
                assert!(near, "{prior:?} {theta}: {slope} {difference}");
            }
        }
    }

    #[test]
    fn single_precision_stays_finite() {
        for prior in ALL {
            for theta in [-80.0f32, -20.0, 0.0, 20.0] {
                let (value, slope) = entry::<f32>(prior).log_density(theta);
                let (exact, exact_slope) = entry::<f64>(prior).log_density(f64::from(theta));
                assert!((f64::from(value) - exact).abs() <= 1e-5 * (1.0 + exact.abs()), "{prior:?} {theta}");
                assert!((f64::from(slope) - exact_slope).abs() <= 1e-5 * (1.0 + exact_slope.abs()));
            }
        }
    }

    #[test]
    fn draws_follow_the_density_between_the_bounds() {
        let (lo, hi) = (-9.0, 4.0);
        for (seed, prior) in ALL.into_iter().enumerate() {
            let entry = entry::<f64>(prior);
            let mut generator = Generator::new(seed as u64);
            let mut draws: std::vec::Vec<f64> =
                (0..4000).map(|_| entry.draw(lo, hi, &mut generator)).collect();
            assert!(draws.iter().all(|v| (lo..=hi).contains(v)));
            draws.sort_by(f64::total_cmp);
            let steps = 2000;
            let density =
                |i: usize| entry.log_density(lo + (hi - lo) * (i as f64 + 0.5) / steps as f64).0.exp();
            let total: f64 = (0..steps).map(density).sum();
            let (mut below, mut worst) = (0.0, 0.0f64);
            for i in 0..steps {
                below += density(i) / total;
                let edge = lo + (hi - lo) * (i as f64 + 1.0) / steps as f64;
                let share = draws.partition_point(|&v| v <= edge) as f64 / draws.len() as f64;
                worst = worst.max((share - below).abs());
            }
            // The Kolmogorov–Smirnov distance that a true sample exceeds once in a thousand.
            assert!(worst < 1.95 / (draws.len() as f64).sqrt(), "{prior:?}: {worst}");
            let mut generator = Generator::new(3);
            let single = Entry { kind: entry.kind, first: entry.first as f32, second: entry.second as f32 };
            for _ in 0..100 {
                assert!((-1.0..=1.0).contains(&single.draw(-1.0f32, 1.0, &mut generator)));
            }
        }
    }
}
