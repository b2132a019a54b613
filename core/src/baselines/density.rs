//! The Parzen density of TPE: one kernel for each trial, and a broad one that is always there.

use super::index;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::space::{Domain, Kind};
use crate::stats::normal;

/// The width of a kernel before there are others, as a part of the range.
const WIDTH: f64 = 0.2;

/// The density of some parameters over some trials.
///
/// ```text
/// p(x) = (Σₖ wₖ Πᵢ κ(xᵢ | mₖᵢ) + w₀ Πᵢ κ₀(xᵢ)) / (Σₖ wₖ + w₀)
/// real       κ a normal density around m with deviation σ, cut to [0, 1];   κ₀ the same around ½ with deviation 1
/// discrete   the probability that it gives to the bin of a value
/// category   κ = ([x = m] + w₀/K) / (1 + w₀ C/K), K kernels, C categories;  κ₀ = 1/C
/// σ = 0.2 n^(−1/(d + 4)), at least 1/min(100, n + 2)
/// ```
///
/// # References
/// Bergstra, Bardenet, Bengio and Kégl, *Algorithms for Hyper-Parameter Optimization*, NIPS 2011, section 4; Falkner, Klein and
/// Hutter, *BOHB*, ICML 2018; Watanabe, *Tree-Structured Parzen Estimator: Understanding Its Algorithm Components and Their
/// Roles*, 2023, sections 3 and 4.
pub(super) struct Density<'a, R> {
    domain: Domain<'a>,
    /// Points with NaN where a parameter does not matter.
    rows: &'a [R],
    /// The logarithm of what each kernel is divided by.
    norms: &'a mut [R],
    weights: &'a [R],
    /// The parameters, by their numbers.
    members: &'a [R],
    dims: usize,
    sigma: R,
    /// Trials in which the parameters matter.
    kernels: usize,
    /// Their weights together.
    total: R,
    prior: R,
}

impl<'a, R: Real> Density<'a, R> {
    /// The density of `members`, of which there is at least one, over the rows in which the first of them matters.
    pub(super) fn new(
        domain: Domain<'a>,
        rows: &'a [R],
        norms: &'a mut [R],
        weights: &'a [R],
        members: &'a [R],
        prior: R,
    ) -> Self {
        let dims = domain.dims();
        let mut density = Self {
            domain,
            rows,
            norms,
            weights,
            members,
            dims,
            sigma: R::ONE,
            kernels: 0,
            total: R::ZERO,
            prior,
        };
        for row in 0..density.weights.len() {
            if density.counts(row) {
                density.kernels += 1;
                density.total += density.weights[row];
            }
        }
        let count = R::of_usize(density.kernels.max(1));
        let shrink = count.pow(-R::ONE / R::of_usize(members.len() + 4));
        let least = R::ONE / R::of_usize((density.kernels + 2).min(100));
        density.sigma = (R::of(WIDTH) * shrink).clamp(least, R::ONE);
        for row in 0..density.weights.len() {
            if density.counts(row) {
                density.normalise(row);
            }
        }
        density
    }

    /// Draws the members of a point.
    pub(super) fn sample(&self, generator: &mut Generator, point: &mut [R]) {
        let mut left = rng::uniform::<R, _>(generator) * (self.total + self.prior);
        let mut chosen = None;
        for row in (0..self.weights.len()).filter(|&row| self.counts(row)) {
            left -= self.weights[row];
            if left < R::ZERO {
                chosen = Some(row);
                break;
            }
        }
        for &member in self.members {
            let i = index(member);
            let centre = chosen.map_or(R::NAN, |row| self.rows[row * self.dims + i]);
            point[i] = match (self.domain.kind(i), self.domain.count(i)) {
                (Kind::Categorical, Some(count)) => {
                    let own = !centre.is_nan() && rng::uniform::<R, _>(generator) < self.own(count);
                    if own { centre } else { self.domain.at_rank(i, rng::below(generator, count)) }
                }
                (_, count) => {
                    let (mean, sd) = if centre.is_nan() { (R::HALF, R::ONE) } else { (centre, self.sigma) };
                    let u = cut_normal(generator, mean, sd);
                    if count.is_some() { self.domain.at_rank(i, self.domain.rank(i, u)) } else { u }
                }
            };
        }
    }

    /// The logarithm of the density at a point whose bins begin and end at the edges, two numbers for each parameter.
    pub(super) fn log(&self, point: &[R], edges: &[R]) -> R {
        let mut sum = Sum { top: -R::INFINITY, rest: R::ZERO };
        let broad: R = self.members.iter().fold(R::ZERO, |sum, &m| sum + self.broad(index(m), point, edges));
        sum.add(self.prior.ln() + broad);
        for row in (0..self.weights.len()).filter(|&row| self.counts(row)) {
            let start = self.weights[row].ln();
            sum.add(
                self.members.iter().fold(start, |sum, &m| sum + self.kernel(row, index(m), point, edges)),
            );
        }
        sum.log() - (self.total + self.prior).ln()
    }

    fn counts(&self, row: usize) -> bool {
        !self.rows[row * self.dims + index(self.members[0])].is_nan()
    }

    /// The probability that a kernel over categories keeps its own.
    fn own(&self, count: u64) -> R {
        R::ONE / (R::ONE + self.smoothing() * R::of(count as f64))
    }

    fn smoothing(&self) -> R {
        self.prior / R::of_usize(self.kernels + 1)
    }

    fn normalise(&mut self, row: usize) {
        for &member in self.members {
            let i = index(member);
            let centre = self.rows[row * self.dims + i];
            self.norms[row * self.dims + i] = match (self.domain.kind(i), self.domain.count(i)) {
                _ if centre.is_nan() => R::ZERO,
                (Kind::Categorical, Some(count)) => -self.own(count).ln(),
                (kind, _) => norm(centre, self.sigma, kind == Kind::Real),
            };
        }
    }

    fn kernel(&self, row: usize, i: usize, point: &[R], edges: &[R]) -> R {
        let (centre, norm) = (self.rows[row * self.dims + i], self.norms[row * self.dims + i]);
        if centre.is_nan() {
            return R::ZERO;
        }
        match self.domain.kind(i) {
            Kind::Categorical if point[i] == centre => self.smoothing().ln_1p() - norm,
            Kind::Categorical => self.smoothing().ln() - norm,
            Kind::Real => {
                let z = (point[i] - centre) / self.sigma;
                -R::HALF * z * z - norm
            }
            Kind::Integer | Kind::Ordinal => {
                log_between(edges[2 * i], edges[2 * i + 1], centre, self.sigma) - norm
            }
        }
    }

    fn broad(&self, i: usize, point: &[R], edges: &[R]) -> R {
        match self.domain.kind(i) {
            Kind::Categorical => -R::of(self.domain.count(i).unwrap_or(1) as f64).ln(),
            Kind::Real => {
                let z = point[i] - R::HALF;
                -R::HALF * z * z - norm(R::HALF, R::ONE, true)
            }
            Kind::Integer | Kind::Ordinal => {
                log_between(edges[2 * i], edges[2 * i + 1], R::HALF, R::ONE) - norm(R::HALF, R::ONE, false)
            }
        }
    }
}

/// The logarithm of a sum, term by term.
struct Sum<R> {
    top: R,
    rest: R,
}

impl<R: Real> Sum<R> {
    fn add(&mut self, term: R) {
        if term > self.top {
            self.rest = self.rest * (self.top - term).exp() + R::ONE;
            self.top = term;
        } else {
            self.rest += (term - self.top).exp();
        }
    }

    fn log(&self) -> R {
        self.top + self.rest.ln()
    }
}

/// The logarithm of what a normal density without its constants, or one with them, has on [0, 1].
fn norm<R: Real>(mean: R, sd: R, density: bool) -> R {
    let mass = log_between(R::ZERO, R::ONE, mean, sd);
    if density { mass + (sd * (R::TWO * R::PI).sqrt()).ln() } else { mass }
}

/// The logarithm of the probability between two numbers, finite also where it is none.
fn log_between<R: Real>(lo: R, hi: R, mean: R, sd: R) -> R {
    let (a, b) = ((lo - mean) / sd, (hi - mean) / sd);
    // In the lower tail, where differences keep their digits.
    let (a, b) = if a > R::ZERO { (-b, -a) } else { (a, b) };
    (normal::cdf(b) - normal::cdf(a)).max(R::MIN_POSITIVE).ln()
}

/// A normal draw, cut to [0, 1].
fn cut_normal<R: Real>(generator: &mut Generator, mean: R, sd: R) -> R {
    let (a, b) = (normal::cdf(-mean / sd), normal::cdf((R::ONE - mean) / sd));
    let p = a + rng::uniform_open::<R, _>(generator) * (b - a);
    (mean + sd * normal::quantile(p)).clamp(R::ZERO, R::ONE)
}

#[cfg(test)]
mod tests {
    use super::Density;
    use crate::rng::Generator;
    use crate::space::{Domain, Param, Space};
    use std::vec;
    use std::vec::Vec;

    fn edges(domain: &Domain<'_>, x: &[f64]) -> Vec<f64> {
        (0..x.len()).flat_map(|i| <[f64; 2]>::from(domain.bin(i, x[i]))).collect()
    }

    /// Over all values of the discrete parameters and a fine mesh of the real, the density is one; draws follow it.
    #[test]
    fn densities_are_one_in_all_and_draws_follow_them() {
        let params = [Param::real(0.0, 1.0), Param::integer(1, 5).log(), Param::categorical(3)];
        let space = Space::new(&params, &[]).unwrap();
        let mut words = vec![0; space.words()];
        space.write(&mut words).unwrap();
        let domain = Domain::attach::<f64>(&words).unwrap();
        let rank = |i, k| domain.at_rank::<f64>(i, k);
        let rows = [0.1, rank(1, 0), rank(2, 2), 0.95, rank(1, 3), rank(2, 0), 0.2, rank(1, 1), rank(2, 2)];
        let (mut norms, weights, members) = ([0.0; 9], [1.0, 0.5, 0.25], [0.0, 1.0, 2.0]);
        let density = Density::new(domain, &rows, &mut norms, &weights, &members, 1.0);
        let mesh = 400;
        let (mut sum, mut low) = (0.0, 0.0);
        let mut labels = [0.0; 3];
        for m in 0..mesh {
            for k in 0..5 {
                for c in 0..3 {
                    let x = [(f64::from(m) + 0.5) / f64::from(mesh), rank(1, k), rank(2, c)];
                    let p = density.log(&x, &edges(&domain, &x)).exp() / f64::from(mesh);
                    sum += p;
                    low += if x[0] < 0.3 && k < 2 { p } else { 0.0 };
                    labels[c as usize] += p;
                }
            }
        }
        // The midpoint rule is off by h²/24 of the second derivative.
        assert!((sum - 1.0f64).abs() < 1e-5, "{sum}");
        let mut generator = Generator::new(3);
        let (draws, mut x) = (40_000, [0.0; 3]);
        let (mut hits, mut counts) = (0.0, [0.0; 3]);
        for _ in 0..draws {
            density.sample(&mut generator, &mut x);
            hits += f64::from(u8::from(x[0] < 0.3 && domain.rank(1, x[1]) < 2));
            counts[domain.rank(2, x[2]) as usize] += 1.0;
        }
        // Five standard errors of a share.
        let near = |share: f64, p: f64| (share - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(draws)).sqrt();
        assert!(near(hits / f64::from(draws), low), "{hits} {low}");
        for (count, p) in counts.into_iter().zip(labels) {
            assert!(near(count / f64::from(draws), p), "{count} {p}");
        }
    }

    /// The numbers of the formulas, by hand: one trial at ½ of one real parameter.
    #[test]
    fn one_kernel_by_hand() {
        let params = [Param::real(0.0, 1.0)];
        let space = Space::new(&params, &[]).unwrap();
        let mut words = vec![0; space.words()];
        space.write(&mut words).unwrap();
        let domain = Domain::attach::<f64>(&words).unwrap();
        let (rows, mut norms, weights, members) = ([0.5], [0.0], [1.0], [0.0]);
        let density = Density::new(domain, &rows, &mut norms, &weights, &members, 1.0);
        // σ = max(0.2, 1/3); erf(1.5/√2) = 0.8663855974622838, erf(0.5/√2) = 0.3829249225480262 (tables).
        let phi = |z: f64| (-0.5 * z * z).exp() / (2.0 * core::f64::consts::PI).sqrt();
        let narrow = phi((0.7 - 0.5) * 3.0) * 3.0 / 0.8663855974622838;
        let broad = phi(0.7 - 0.5) / 0.3829249225480262;
        let expected = (0.5 * (narrow + broad)).ln();
        assert!((density.log(&[0.7], &[0.7, 0.7]) - expected).abs() < 1e-12);
    }
}
