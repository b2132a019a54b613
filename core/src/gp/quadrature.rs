//! Quadrature over the posterior of few hyperparameters (central composite design): nodes and weights.
//!
//! ```text
//! ∫ a(θ) p(θ | y) dθ ≈ Σₛ wₛ a(θₛ),   wₛ ∝ p(θₛ | y)
//! ```
//!
//! θₛ are the middles of the cells of a regular grid: for smooth densities that fall off at both ends as good as Gauss and
//! Hermite's rule, and better for those that are no normal ones or end at a bound. The first grid fills the bounds, each
//! further one what lies around the moments that the rule before gave. Nothing is drawn: same data, same rule.

use super::Gp;
use super::ensemble::Ensemble;
use super::sampler::integrated::Integrated;
use crate::backend::Backend;
use crate::error::Error;
use crate::kernel::Covariance;
use crate::real::Real;

/// Hyperparameters that may be free, at most.
pub(crate) const MAX_FREE: usize = 3;

/// Nodes along each of them, at most.
pub(crate) const MAX_NODES: usize = 9;

/// Times that the rule is centred and scaled anew by its own moments.
const ROUNDS: u32 = 5;

/// A point of the free hyperparameters.
type Point = [f64; MAX_FREE];

/// Fills `posteriors` with the nodes and weights of a rule; gives the number of nodes that count. They wait to be
/// fitted; the rest of the members are unused.
///
/// As many nodes in each direction as members allow: ⌊S^(1/d)⌋, at most [`MAX_NODES`]. The process stays as it is,
/// but for its work memory. If no node has a density, the present hyperparameters alone count. Cost: n³/3 flops for
/// each node in each of six rounds.
///
/// # Errors
/// [`Error::Unsupported`] for more than [`MAX_FREE`] hyperparameters that are not frozen, [`Error::Shape`] without
/// members, [`Error::NoData`], or what the backend reports.
///
/// # References
/// Naylor & Smith, *Applications of a method for the efficient computation of posterior distributions*, Applied
/// Statistics 31(3), 1982, for the rounds.
pub(crate) fn fill<R: Real, B: Backend<R> + ?Sized>(
    gp: &mut Gp<'_, R>,
    posteriors: &mut Ensemble<'_, R>,
    covariance: &dyn Covariance<R>,
    backend: &mut B,
) -> Result<usize, Error> {
    let members = posteriors.count();
    gp.check(covariance)?;
    Error::Shape { needed: 1 }.when(members == 0)?;
    Error::NoData.when(!gp.trend.allows(gp.rows()))?;
    let mut free = [0; MAX_FREE];
    let mut dims = 0;
    for i in 0..gp.theta.value.len() {
        if gp.theta.lo[i] < gp.theta.hi[i] {
            *free.get_mut(dims).ok_or(Error::Unsupported)? = i;
            dims += 1;
        }
    }
    let free = &free[..dims];
    posteriors.reset();
    let each = (1..=MAX_NODES).rev().find(|k| k.pow(dims as u32) <= members).unwrap_or(1);
    let mut rule = Rule::over_bounds(gp, free, each);
    let mut top = f64::NEG_INFINITY;
    for round in 0..=ROUNDS {
        let mut moments = Moments::at(top);
        for node in 0..rule.count() {
            let point = rule.node(node);
            // The memory of the first member serves as scratch, so that the fit of the process survives.
            let mut view = posteriors.view(gp, 0)?;
            let value = density(&mut view, covariance, backend, free, point)?;
            if round == ROUNDS {
                // Beyond e⁵⁰ a node outweighs all others anyway.
                let weight = if value.is_finite() { libm::exp((value - top).min(50.0)) } else { 0.0 };
                keep(posteriors, gp, node, free, point, R::of(weight))?;
            }
            moments.add(point, value, dims);
        }
        top = top.max(moments.top);
        if !top.is_finite() {
            break;
        }
        if round < ROUNDS {
            rule = rule.moved_to(&moments, gp, free);
        }
    }
    finish(posteriors, gp, rule.count())
}

/// The log posterior at a point.
fn density<R: Real, B: Backend<R> + ?Sized>(
    gp: &mut Gp<'_, R>,
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    free: &[usize],
    point: Point,
) -> Result<f64, Error> {
    use super::sampler::Target;
    let (mut target, [theta, ..]) = Integrated::of(gp, covariance, backend)?;
    theta.copy_from_slice(target.theta.lo);
    for (&i, &value) in free.iter().zip(&point) {
        theta[i] = R::of(value);
    }
    let value = target.at(theta);
    target.failure.map_or(Ok(value.to_f64()), Err)
}

/// Writes a node into its member.
fn keep<R: Real>(
    posteriors: &mut Ensemble<'_, R>,
    gp: &mut Gp<'_, R>,
    member: usize,
    free: &[usize],
    point: Point,
    weight: R,
) -> Result<(), Error> {
    let mut view = posteriors.view(gp, member)?;
    view.unfit();
    let Gp { theta, .. } = &mut view;
    theta.value.copy_from_slice(theta.lo);
    for (&i, &value) in free.iter().zip(&point) {
        theta.value[i] = R::of(value).clamp(theta.lo[i], theta.hi[i]);
    }
    posteriors.set_weight(member, weight)
}

/// Makes the weights add up to one; the present hyperparameters alone count if there are none.
fn finish<R: Real>(posteriors: &mut Ensemble<'_, R>, gp: &Gp<'_, R>, nodes: usize) -> Result<usize, Error> {
    let total: f64 = (0..nodes).map(|node| posteriors.weight(node).to_f64()).sum();
    let mut used = 0;
    for node in 0..nodes {
        let share = posteriors.weight(node).to_f64() / total;
        // What is too small to be seen in a sum only costs a factor.
        let weight = if total > 0.0 && share > 1e-8 { share } else { 0.0 };
        posteriors.set_weight(node, R::of(weight))?;
        used += usize::from(weight > 0.0);
    }
    if used == 0 {
        posteriors.set(0, gp.theta.value, R::ONE)?;
        used = 1;
    }
    Ok(used)
}

/// A box cut into equal cells, the same number along each side.
#[derive(Clone, Copy)]
struct Rule {
    each: usize,
    dims: usize,
    lo: Point,
    cell: Point,
}

impl Rule {
    /// The grid whose cells fill the bounds.
    fn over_bounds<R: Real>(gp: &Gp<'_, R>, free: &[usize], each: usize) -> Self {
        let mut rule = Self { each, dims: free.len(), lo: [0.0; MAX_FREE], cell: [0.0; MAX_FREE] };
        for (a, &i) in free.iter().enumerate() {
            rule.set(a, gp.theta.lo[i].to_f64(), gp.theta.hi[i].to_f64());
        }
        rule
    }

    fn set(&mut self, side: usize, lo: f64, hi: f64) {
        (self.lo[side], self.cell[side]) = (lo, (hi - lo) / self.each as f64);
    }

    fn count(&self) -> usize {
        self.each.pow(self.dims as u32)
    }

    /// The middle of a cell.
    fn node(&self, index: usize) -> Point {
        let mut left = index;
        let mut point = [0.0; MAX_FREE];
        for a in 0..self.dims {
            point[a] = self.lo[a] + self.cell[a] * ((left % self.each) as f64 + 0.5);
            left /= self.each;
        }
        point
    }

    /// The grid around the moments that this one gave, each node seen as spread over its cell.
    ///
    /// With a cell of √(4π/k) deviations what a normal density loses between the nodes, exp(−2π²/h²), and beyond them,
    /// exp(−(hk/2)²/2), is the same; a little less suits other densities.
    fn moved_to<R: Real>(self, moments: &Moments, gp: &Gp<'_, R>, free: &[usize]) -> Self {
        let mut next = self;
        let reach = 0.5 * 0.85 * libm::sqrt(4.0 * core::f64::consts::PI * self.each as f64);
        for (a, &i) in free.iter().enumerate() {
            let mean = moments.first[a] / moments.total;
            let variance = (moments.second[a] / moments.total - mean * mean).max(0.0);
            let sd = libm::sqrt(variance + self.cell[a] * self.cell[a] / 12.0);
            let (lo, hi) = (gp.theta.lo[i].to_f64(), gp.theta.hi[i].to_f64());
            next.set(a, (mean - reach * sd).max(lo), (mean + reach * sd).min(hi));
        }
        next
    }
}

/// Weighted sums over the nodes of a rule, relative to the largest density so far.
struct Moments {
    top: f64,
    total: f64,
    first: Point,
    second: Point,
}

impl Moments {
    fn at(top: f64) -> Self {
        Self { top, total: 0.0, first: [0.0; MAX_FREE], second: [0.0; MAX_FREE] }
    }

    fn add(&mut self, point: Point, value: f64, dims: usize) {
        if !value.is_finite() {
            return;
        }
        if value > self.top {
            let scale = libm::exp(self.top - value);
            self.top = value;
            self.total *= scale;
            self.first.iter_mut().chain(&mut self.second).for_each(|sum| *sum *= scale);
        }
        let weight = libm::exp(value - self.top);
        self.total += weight;
        for a in 0..dims {
            self.first[a] += weight * point[a];
            self.second[a] += weight * point[a] * point[a];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::{MAX_NODES, fill};
    use crate::block::Arena;
    use crate::error::Error;
    use crate::gp::{Ensemble, Gp, Size};
    use crate::kernel::{Dims, Kernel, Prior, Role, Tape};
    use crate::plain::Plain;
    use crate::real::Real;
    use crate::stats::normal;
    use crate::trend::Trend;

    fn with<R: Real, T>(
        kernel: &Kernel,
        members: usize,
        run: impl FnOnce(&mut Gp<'_, R>, &mut Ensemble<'_, R>, Tape<'_>) -> T,
    ) -> T {
        let size =
            Size { rows: 7, exact: 7, dims: 1, thetas: kernel.thetas(1).unwrap(), columns: 0, batch: 4 };
        let mut block = vec![0; size.words::<R>()];
        let mut gp = Gp::<R>::new(kernel, Trend::Zero, size, &mut block).unwrap();
        let (mut nodes, mut lists) = ([0; 8], [0; 8]);
        kernel.write(1, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, 1).unwrap();
        for i in 0..7 {
            gp.push(&[R::of(f64::from(i))], R::of(f64::from(i).sin()), R::ZERO).unwrap();
        }
        let mut words = vec![0; Ensemble::<R>::words(&size, members)];
        let mut posteriors = Ensemble::carve(&mut Arena::new(&mut words), size, members).unwrap();
        run(&mut gp, &mut posteriors, tape)
    }

    fn length(prior: Prior) -> Kernel {
        Kernel::squared_exponential(Dims::All).with(Role::Length, 1.0, 0.05..20.0, prior)
    }

    #[test]
    fn one_hyperparameter_has_its_moments() {
        let kernel = length(Prior::LogNormal { mean: 0.0, sd: 0.7 });
        with::<f64, _>(&kernel, 12, |gp, posteriors, tape| {
            gp.set_noise(0.05, 0.05, 0.05).unwrap();
            gp.fit(&tape, &mut Plain).unwrap();
            let before = gp.predict(&tape, &[0.5]).unwrap();
            let used = fill(gp, posteriors, &tape, &mut Plain).unwrap();
            assert!(used > 4 && used <= MAX_NODES && posteriors.used().count() == used);
            posteriors.fit(gp, &tape, &mut Plain).unwrap();
            let mut found = [0.0; 3];
            let mut total = 0.0;
            for member in 0..posteriors.count() {
                let weight = posteriors.weight(member);
                if weight > 0.0 {
                    let mut view = posteriors.view(gp, member).unwrap();
                    let (theta, mean) = (view.theta()[0], view.predict(&tape, &[2.5]).unwrap().mean);
                    for (sum, value) in found.iter_mut().zip([theta, theta * theta, mean]) {
                        *sum += weight * value;
                    }
                    total += weight;
                }
            }
            assert!((total - 1.0).abs() < 1e-12);
            assert_eq!(gp.predict(&tape, &[0.5]).unwrap(), before);
            // The same by a fine grid.
            let (mut sums, mut total) = ([0.0; 3], 0.0);
            let steps = 1500;
            for i in 0..steps {
                let theta = 0.05f64.ln() + (400f64).ln() * (f64::from(i) + 0.5) / f64::from(steps);
                gp.theta_table().value[0] = theta;
                let evidence =
                    gp.evidence(&tape, &mut Plain, crate::backend::Objective::Evidence, &mut []).unwrap();
                let weight = (evidence - 0.5 * theta * theta / 0.49).exp();
                gp.fit(&tape, &mut Plain).unwrap();
                let mean = gp.predict(&tape, &[2.5]).unwrap().mean;
                for (sum, value) in sums.iter_mut().zip([theta, theta * theta, mean]) {
                    *sum += weight * value;
                }
                total += weight;
            }
            for (found, sum) in found.into_iter().zip(sums) {
                let expected = sum / total;
                assert!((found - expected).abs() < 0.02, "{found} {expected}");
            }
        });
    }

    #[test]
    fn three_hyperparameters_come_near_the_golden_values() {
        let kernel = Kernel::squared_exponential(Dims::All)
            .with(Role::Length, 1.0, 1e-3..10.0, Prior::Uniform)
            .scaled()
            .with(Role::Variance, 1.0, (-7f64).exp()..5f64.exp(), Prior::Flat);
        with::<f64, _>(&kernel, 729, |gp, posteriors, tape| {
            gp.set_noise((-4f64).exp(), (-7f64).exp(), 5f64.exp()).unwrap();
            let used = fill(gp, posteriors, &tape, &mut Plain).unwrap();
            posteriors.fit(gp, &tape, &mut Plain).unwrap();
            let mut means = [0.0; 4];
            let mut gains = [0.0; 4];
            let mut theta = [0.0; 3];
            for member in 0..posteriors.count() {
                let weight = posteriors.weight(member);
                if weight > 0.0 {
                    let mut view = posteriors.view(gp, member).unwrap();
                    for (sum, value) in theta.iter_mut().zip(view.theta()) {
                        *sum += weight * value;
                    }
                    for (i, point) in [0.5, 1.5, 2.5, 4.5].into_iter().enumerate() {
                        let prediction = view.predict(&tape, &[point]).unwrap();
                        let sd = prediction.variance.sqrt();
                        means[i] += weight * prediction.mean;
                        gains[i] += weight * sd * normal::h((prediction.mean - 2f64.sin()) / sd);
                    }
                }
            }
            assert!(used > 100);
            // By a finer grid, 400 × 120 × 120, by other software.
            for (found, expected) in means.into_iter().zip([0.398_81, 0.816_94, 0.487_76, -0.800_43]) {
                assert!((found - expected).abs() < 0.006, "{found} {expected}");
            }
            assert!((gains[1] / 0.069_840_8 - 1.0).abs() < 0.005, "{}", gains[1]);
            assert!((theta[1] + 0.2801).abs() < 0.05 * 2.0125, "{}", theta[1]);
            assert!((theta[2] + 4.602).abs() < 0.05 * 2.155, "{}", theta[2]);
        });
    }

    #[test]
    fn any_input_gets_an_answer() {
        // Nothing free, few members, single precision, a bound that binds, and too much that is free.
        let frozen = length(Prior::Flat).frozen(Role::Length);
        with::<f32, _>(&frozen, 3, |gp, posteriors, tape| {
            gp.set_noise(0.1, 0.1, 0.1).unwrap();
            assert_eq!(fill(gp, posteriors, &tape, &mut Plain), Ok(1));
            assert_eq!((posteriors.weight(0), posteriors.weight(1)), (1.0, 0.0));
        });
        for members in [1, 2, 5, 9] {
            let short =
                Kernel::squared_exponential(Dims::All).with(Role::Length, 0.3, 0.05..0.4, Prior::Flat);
            with::<f32, _>(&short, members, |gp, posteriors, tape| {
                gp.set_noise(0.1, 1e-4, 1.0).unwrap();
                let used = fill(gp, posteriors, &tape, &mut Plain).unwrap();
                assert!(used >= 1 && used <= members);
                let total: f32 = (0..members).map(|m| posteriors.weight(m)).sum();
                assert!((total - 1.0).abs() < 1e-5);
                assert!(posteriors.is_sound(gp));
                posteriors.fit(gp, &tape, &mut Plain).unwrap();
            });
        }
        let wide = length(Prior::Flat).scaled().plus(length(Prior::Flat)).unwrap();
        with::<f64, _>(&wide, 3, |gp, posteriors, tape| {
            assert_eq!(fill(gp, posteriors, &tape, &mut Plain), Err(Error::Unsupported));
            gp.clear();
            assert_eq!(fill(gp, posteriors, &tape, &mut Plain), Err(Error::NoData));
        });
        with::<f64, _>(&length(Prior::Flat), 0, |gp, posteriors, tape| {
            assert_eq!(fill(gp, posteriors, &tape, &mut Plain), Err(Error::Shape { needed: 1 }));
        });
    }
}
