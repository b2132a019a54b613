//! Hyperparameters and weights that stand for their posterior, for few hyperparameters.
//!
//! ```text
//! ∫ a(θ) p(θ | y) dθ ≈ Σₛ wₛ a(θₛ),   θₛ = m + L zₛ,   wₛ ∝ hₛ p(θₛ | y)/N(θₛ; m, LLᵀ)
//! ```
//!
//! zₛ, hₛ are the product rule of Gauss and Hermite. m and LLᵀ are first the mode and the inverse curvature there,
//! then twice the moments that the rule itself gives. Nothing is drawn: same data, same rule.

use super::posteriors::Posteriors;
use super::sampler::integrated::Integrated;
use super::{Gp, Training};
use crate::backend::Backend;
use crate::descent::Budget;
use crate::error::Error;
use crate::kernel::Covariance;
use crate::linalg;
use crate::real::Real;
use crate::rng::Generator;

/// Hyperparameters that may be free, at most.
pub const MAX_FREE: usize = 3;

/// Nodes along each of them, at most.
pub const MAX_NODES: usize = 9;

/// Times that the rule is centred and scaled anew by its own moments.
const ROUNDS: u32 = 2;

/// A point of the free hyperparameters.
type Point = [f64; MAX_FREE];

/// Fills `posteriors` with the nodes and weights of a rule around the mode nearest to the present hyperparameters;
/// gives the number of nodes that count. They wait to be fitted; the rest of the members are unused.
///
/// As many nodes in each direction as members allow: ⌊S^(1/d)⌋, at most [`MAX_NODES`]. The process stays as it is,
/// but for its work memory. Cost: n³ flops for each of the budget's evaluations, and n³/3 for three times the nodes.
///
/// # Errors
/// [`Error::Unsupported`] for more than [`MAX_FREE`] hyperparameters that are not frozen, [`Error::Shape`] without
/// members, [`Error::NoData`], or what the backend reports.
///
/// # References
/// Naylor & Smith, *Applications of a method for the efficient computation of posterior distributions*, Applied
/// Statistics 31(3), 1982.
pub fn fill<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized>(
    gp: &mut Gp<'_, R>,
    posteriors: &mut Posteriors<'_, R>,
    covariance: &C,
    backend: &mut B,
    budget: Budget,
) -> Result<usize, Error> {
    let members = posteriors.count();
    gp.check(covariance)?;
    if members == 0 {
        return Err(Error::Shape { needed: 1 });
    }
    if gp.rows() <= gp.columns() {
        return Err(Error::NoData);
    }
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
    posteriors.set(0, gp.theta.value, R::ONE)?;
    // The memory of the first member serves as scratch, so that the fit of the process survives.
    let mut view = posteriors.view(gp, 0)?;
    let training = Training { restarts: 0, draws: 1, budget, ..Training::default() };
    view.train(covariance, backend, &training, &mut Generator::new(0))?;
    if dims == 0 {
        return Ok(1);
    }
    let mut center = [0.0; MAX_FREE];
    for (place, &i) in center.iter_mut().zip(free) {
        *place = view.theta.value[i].to_f64();
    }
    let mut root = Laplace::root(&mut view, covariance, backend, free, center)?;
    let (top, _) = density(&mut view, covariance, backend, free, center)?;
    let each = (1..=MAX_NODES).rev().find(|k| k.pow(dims as u32) <= members).unwrap_or(1);
    let hermite = Hermite::new(each);
    let mode = center;
    for round in 0..=ROUNDS {
        let rule = Rule { hermite: &hermite, dims, center, root };
        let mut moments = Moments::default();
        for node in 0..rule.count() {
            let (point, log_ratio) = rule.node(node);
            let mut view = posteriors.view(gp, 0)?;
            let (value, at) = density(&mut view, covariance, backend, free, point)?;
            let log_weight = value - top + log_ratio;
            // Beyond e⁵⁰ a node outweighs all others anyway.
            let weight = if log_weight.is_nan() { 0.0 } else { libm::exp(log_weight.min(50.0)) };
            if round == ROUNDS {
                keep(posteriors, gp, node, free, at, R::of(weight))?;
            }
            moments.add(point, weight, dims);
        }
        if round == ROUNDS {
            return finish(posteriors, gp, free, mode, rule.count(), moments.total);
        }
        if let Some(better) = moments.root(gp, free) {
            (center, root) = (moments.mean(), better);
        }
    }
    Err(Error::Backend)
}

/// The log posterior at a point, and the point as it is rounded.
fn density<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized>(
    gp: &mut Gp<'_, R>,
    covariance: &C,
    backend: &mut B,
    free: &[usize],
    point: Point,
) -> Result<(f64, Point), Error> {
    use super::sampler::Target;
    let (mut target, [theta, ..]) = Integrated::of(gp, covariance, backend)?;
    theta.copy_from_slice(target.loss.theta.lo);
    let mut rounded = point;
    for (&i, (value, rounded)) in free.iter().zip(point.iter().zip(&mut rounded)) {
        theta[i] = R::of(*value);
        *rounded = theta[i].to_f64();
    }
    let value = target.at(theta);
    target.loss.failure.map_or(Ok((value.to_f64(), rounded)), Err)
}

/// Writes a node into its member.
fn keep<R: Real>(
    posteriors: &mut Posteriors<'_, R>,
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

/// Makes the weights add up to one; the mode alone counts if none does.
fn finish<R: Real>(
    posteriors: &mut Posteriors<'_, R>,
    gp: &mut Gp<'_, R>,
    free: &[usize],
    mode: Point,
    nodes: usize,
    total: f64,
) -> Result<usize, Error> {
    let mut used = 0;
    for node in 0..nodes {
        let share = posteriors.weight(node).to_f64() / total;
        // What is too small to be seen in a sum only costs a factor.
        let weight = if total > 0.0 && share > 1e-8 { share } else { 0.0 };
        posteriors.set_weight(node, R::of(weight))?;
        used += usize::from(weight > 0.0);
    }
    if used == 0 {
        keep(posteriors, gp, 0, free, mode, R::ONE)?;
        used = 1;
    }
    Ok(used)
}

/// The curvature of the log posterior at its mode.
struct Laplace;

impl Laplace {
    /// L of the inverse curvature LLᵀ; no direction is wider than a quarter of its range.
    fn root<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized>(
        gp: &mut Gp<'_, R>,
        covariance: &C,
        backend: &mut B,
        free: &[usize],
        mode: Point,
    ) -> Result<[Point; MAX_FREE], Error> {
        let dims = free.len();
        let step = libm::cbrt(R::EPSILON.to_f64());
        let mut curvature = [[0.0; MAX_FREE]; MAX_FREE];
        let mut floor = [0.0; MAX_FREE];
        for (a, &i) in free.iter().enumerate() {
            let (mut target, [theta, slope, _]) = Integrated::of(gp, covariance, backend)?;
            let (lo, hi) = (target.loss.theta.lo[i].to_f64(), target.loss.theta.hi[i].to_f64());
            floor[a] = 16.0 / ((hi - lo) * (hi - lo));
            let ends = [(mode[a] - step).max(lo), (mode[a] + step).min(hi)];
            for (sign, end) in [(-1.0, ends[0]), (1.0, ends[1])] {
                theta.copy_from_slice(target.loss.theta.lo);
                for (b, &j) in free.iter().enumerate() {
                    theta[j] = R::of(if a == b { end } else { mode[b] });
                }
                // The loss is the negative log posterior.
                if target.loss.at(theta, slope).is_finite() {
                    for (b, &j) in free.iter().enumerate() {
                        curvature[a][b] += sign * slope[j].to_f64() / (ends[1] - ends[0]);
                    }
                }
            }
            if let Some(error) = target.loss.failure {
                return Err(error);
            }
        }
        let mut covariance = [[0.0; MAX_FREE]; MAX_FREE];
        for a in 0..dims {
            for b in 0..dims {
                covariance[a][b] = 0.5 * (curvature[a][b] + curvature[b][a]);
            }
            covariance[a][a] = covariance[a][a].max(floor[a]);
        }
        Ok(inverse_root(&covariance, dims).unwrap_or_else(|| {
            let mut root = [[0.0; MAX_FREE]; MAX_FREE];
            for a in 0..dims {
                root[a][a] = 1.0 / libm::sqrt(covariance[a][a]);
            }
            root
        }))
    }
}

/// L with LLᵀ = P⁻¹ for a positive definite P of `dims` rows.
fn inverse_root(precision: &[Point; MAX_FREE], dims: usize) -> Option<[Point; MAX_FREE]> {
    let mut packed = [0.0; linalg::packed(MAX_FREE)];
    for a in 0..dims {
        for b in 0..=a {
            packed[linalg::packed(a) + b] = precision[a][b];
        }
    }
    linalg::factor(&mut packed, dims).ok()?;
    // Columns of K⁻ᵀ, P = KKᵀ: the rows of its transpose solve Kᵀx = e.
    let mut root = [[0.0; MAX_FREE]; MAX_FREE];
    for a in 0..dims {
        let mut unit = [0.0; MAX_FREE];
        unit[a] = 1.0;
        linalg::solve_upper(&packed, dims, &mut unit[..dims]).ok()?;
        for b in 0..dims {
            root[b][a] = unit[b];
        }
    }
    root.iter().flatten().all(|v| v.is_finite()).then_some(root)
}

/// The product rule at a centre, with a scale.
struct Rule<'h> {
    hermite: &'h Hermite,
    dims: usize,
    center: Point,
    root: [Point; MAX_FREE],
}

impl Rule<'_> {
    fn count(&self) -> usize {
        self.hermite.count.pow(self.dims as u32)
    }

    /// A node, and the log of its weight over the normal density there, up to a constant.
    fn node(&self, index: usize) -> (Point, f64) {
        let mut left = index;
        let mut point = self.center;
        let mut log_ratio = 0.0;
        for a in 0..self.dims {
            let k = left % self.hermite.count;
            left /= self.hermite.count;
            let z = self.hermite.nodes[k];
            log_ratio += libm::log(self.hermite.weights[k]) + 0.5 * z * z;
            for b in 0..self.dims {
                point[b] += self.root[b][a] * z;
            }
        }
        (point, log_ratio)
    }
}

/// Weighted sums over the nodes of a rule.
#[derive(Default)]
struct Moments {
    total: f64,
    first: Point,
    second: [Point; MAX_FREE],
}

impl Moments {
    fn add(&mut self, point: Point, weight: f64, dims: usize) {
        self.total += weight;
        for a in 0..dims {
            self.first[a] += weight * point[a];
            for b in 0..dims {
                self.second[a][b] += weight * point[a] * point[b];
            }
        }
    }

    fn mean(&self) -> Point {
        self.first.map(|v| v / self.total)
    }

    /// L of the covariance LLᵀ, if it is one that a rule can use.
    fn root<R: Real>(&self, gp: &Gp<'_, R>, free: &[usize]) -> Option<[Point; MAX_FREE]> {
        let dims = free.len();
        let mean = self.mean();
        let mut packed = [0.0; linalg::packed(MAX_FREE)];
        for (a, &i) in free.iter().enumerate() {
            for b in 0..=a {
                packed[linalg::packed(a) + b] = self.second[a][b] / self.total - mean[a] * mean[b];
            }
            let range = (gp.theta.hi[i] - gp.theta.lo[i]).to_f64();
            let variance = packed[linalg::packed(a) + a];
            // One node that outweighs all others says nothing of the spread.
            if !(variance > 1e-6 * range * range / 16.0 && variance <= range * range / 4.0) {
                return None;
            }
        }
        linalg::factor(&mut packed, dims).ok()?;
        let mut root = [[0.0; MAX_FREE]; MAX_FREE];
        for a in 0..dims {
            for b in 0..=a {
                root[a][b] = packed[linalg::packed(a) + b];
            }
        }
        Some(root)
    }
}

/// Nodes and weights for the standard normal density.
///
/// ```text
/// Heₙ(zᵢ) = 0,   hᵢ = (n − 1)!/(n Heₙ₋₁(zᵢ)²)
/// ```
struct Hermite {
    count: usize,
    nodes: [f64; MAX_NODES],
    weights: [f64; MAX_NODES],
}

impl Hermite {
    fn new(count: usize) -> Self {
        let mut rule = Self { count, nodes: [0.0; MAX_NODES], weights: [1.0; MAX_NODES] };
        let factorial: f64 = (1..count).map(|i| i as f64).product();
        // All zeros lie within ±√(4n + 2) and further apart than a step.
        let steps = 64 * count;
        let reach = libm::sqrt(4.0 * count as f64 + 2.0);
        let at = |i: usize| reach * (i as f64 / steps as f64 - 1.0);
        let mut found = 0;
        for i in 0..2 * steps {
            let (mut lo, mut hi) = (at(i), at(i + 1));
            let sign = polynomials(count, lo).0 > 0.0;
            if (polynomials(count, hi).0 > 0.0) == sign || found == count {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (lo + hi);
                if (polynomials(count, middle).0 > 0.0) == sign {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            let node = 0.5 * (lo + hi);
            let before = polynomials(count, node).1;
            rule.nodes[found] = node;
            rule.weights[found] = factorial / (count as f64 * before * before);
            found += 1;
        }
        rule
    }
}

/// Heₙ(z) and Heₙ₋₁(z).
fn polynomials(count: usize, z: f64) -> (f64, f64) {
    let (mut present, mut before) = (1.0, 0.0);
    for i in 0..count {
        (present, before) = (z * present - i as f64 * before, present);
    }
    (present, before)
}
