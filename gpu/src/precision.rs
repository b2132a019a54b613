//! What single precision may decide.

use infill::acquisition::{Acquisition, Prediction};
use infill::backend::Posterior;
use infill::kernel::{Op, Tape};
use infill::linalg::{self, packed};
use infill::stats::normal;
use infill::{Error, Real};

use crate::gpu::BLOCK;

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

/// The unit roundoff u of single precision.
const UNIT: f64 = 1.0 / 16_777_216.0;
/// Deviations by which a sum of independent roundings exceeds its own: once in 10⁸ sums.
const RARE: f64 = 6.0;

/// How far the device's numbers may be from those of exact arithmetic, at one point.
///
/// Inputs are in the unit cube. With u = 2⁻²⁴, E the error of a covariance, M its largest value, ν the least diagonal of
/// the factor's matrix beyond M, w = K⁻¹k and κ the largest ‖|Lᵢᵢ⁻¹||Lᵢᵢ|‖ of the diagonal blocks:
///
/// ```text
/// mean       ‖α‖₁ (E + 6√n u M) + (p + 4) u ‖h∘β‖₁
/// variance   E + 6√n u M + 2‖w‖₁ E + 12 ‖w‖₂ (√n + 8κ) u √(M(M + ν)),   times 1 + (what the trend adds)
/// ```
///
/// L v = k is solved with a residual ξ, which changes vᵀv by 2vᵀL⁻¹ξ = 2wᵀξ: not the condition of K counts but the size of
/// the weights. The residual of row i is E from k and, from the products with the rows before it and with the inverse of its
/// diagonal block, (√n + 8κ)u times |Lᵢ||v|, at most √((M + ν)M). Roundings in long sums are taken as independent
/// (Higham and Mary, *A new approach to probabilistic rounding error analysis*, 2019): √n in the place of n, times 6.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Of a covariance.
    pub covariance: f64,
    /// Of the mean.
    pub mean: f64,
    /// Of the variance.
    pub variance: f64,
}

impl Errors {
    /// The errors at a point. Cost: 2n² flops.
    ///
    /// # Errors
    /// [`Error::Shape`] if the posterior is not whole.
    pub fn at<R: Real>(tape: Tape<'_>, posterior: &Posterior<'_, R>, point: &[R]) -> Result<Self, Error> {
        let (n, dims) = (posterior.inputs.rows, tape.dims());
        if posterior.inputs.x.len() != n * dims || point.len() != dims || posterior.alpha.len() != n {
            return Err(Error::Shape { needed: n * dims });
        }
        let (largest, covariance) = covariance_error(tape, posterior.inputs.theta);
        let rows = posterior.inputs.x.chunks_exact(dims);
        let mut w: Vec<R> = rows.map(|row| tape.eval(posterior.inputs.theta, row, point)).collect();
        linalg::solve_lower(posterior.factor, n, &mut w)?;
        let mut gaps: Vec<f64> = posterior.basis.chunks_exact(n.max(1)).map(|g| products(g, &w)).collect();
        linalg::solve_upper(posterior.factor, n, &mut w)?;
        let root = (n as f64).sqrt();
        let sum = RARE * root * UNIT * largest;
        let diagonal = (0..n).map(|i| sum_of(&posterior.factor[packed(i)..packed(i) + i + 1], |l| l * l));
        let bulk = diagonal.fold(largest, f64::max);
        let residual = UNIT * (root + 8.0 * condition(posterior.factor, n)) * (largest * bulk).sqrt();
        let (absolute, square) = (sum_of(&w, f64::abs), sum_of(&w, |w| w * w).sqrt());
        let mut trend = 0.0;
        posterior.trend.basis(point, |c, h| {
            trend += (h * posterior.beta[c]).to_f64().abs();
            gaps[c] = h.to_f64() - gaps[c];
        });
        // u changes by Gᵀδv, its square by the condition of A: both as large as what the trend adds, relatively.
        let normal: Vec<f64> = posterior.normal.iter().map(|value| value.to_f64()).collect();
        linalg::solve_lower(&normal, gaps.len(), &mut gaps)?;
        let added = 1.0
            + 2.0 * sum_of(&gaps, |gap| gap * gap).sqrt() * condition(&normal, gaps.len())
            + gaps.len() as f64;
        Ok(Self {
            covariance,
            mean: sum_of(posterior.alpha, f64::abs) * (covariance + sum)
                + (gaps.len() as f64 + 4.0) * UNIT * trend,
            variance: added
                * (covariance + sum + 2.0 * absolute * covariance + 2.0 * RARE * square * residual),
        })
    }

    /// How far the device's score may be from the CPU's, where that predicts so.
    ///
    /// ```text
    /// Bound           Δm + βΔs
    /// Improvement     Φ(z⁺)Δm + φ(z⁰)Δs
    /// LogImprovement  (1 + |z|⁺)(Δm + |z|⁺Δs)/s
    /// Probability     φ(z⁰)(Δm + |z|⁺Δs)/s
    /// ```
    ///
    /// where Δs = min(√Δs², Δs²/s), z⁺ and z⁰ are the largest z and the one nearest to 0 within the errors, and the rounding
    /// of the formula itself, (16 + 2z²)u, is added.
    #[must_use]
    pub fn score<R: Real>(&self, acquisition: Acquisition<R>, prediction: Prediction<R>, best: R) -> f64 {
        let (mean, s) = (prediction.mean.to_f64(), prediction.deviation().to_f64());
        let spread = self.variance.sqrt().min(self.variance / s);
        let (gain, own) = match acquisition {
            Acquisition::Bound { beta } => {
                let beta = beta.to_f64();
                return self.mean + beta * spread + 4.0 * UNIT * (mean.abs() + beta * s);
            }
            Acquisition::Probability { margin }
            | Acquisition::Improvement { margin }
            | Acquisition::LogImprovement { margin } => {
                let (best, margin) = (best.to_f64(), margin.to_f64());
                (best - margin - mean, 4.0 * UNIT * (best.abs() + margin.abs() + mean.abs()))
            }
            _ => return f64::INFINITY,
        };
        let (low, mean) = ((s - spread).max(0.0), self.mean + own);
        let z = gain / s;
        // The farthest z within the errors, and by how much it is farther.
        let far = (gain.abs() + mean) / low;
        let moved = far - z.abs();
        let (top, near) = (z + moved, (z.abs() - moved).max(0.0));
        let rounding = UNIT * (16.0 + 2.0 * far * far);
        match acquisition {
            Acquisition::Probability { .. } => {
                (normal::density(near) * (mean + far * spread) / low + rounding * normal::cdf(top)).min(1.0)
            }
            Acquisition::Improvement { .. } => {
                let size = (s + spread) * normal::h(top);
                normal::cdf(top) * mean + normal::density(near) * spread + rounding * size
            }
            _ => (1.0 + far) * (mean + far * spread) / low + rounding + 4.0 * UNIT * s.ln().abs(),
        }
    }
}

fn sum_of<R: Real>(values: &[R], of: impl Fn(f64) -> f64) -> f64 {
    values.iter().map(|value| of(value.to_f64())).sum()
}

fn products<R: Real>(a: &[R], b: &[R]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
}

/// The largest ‖|B⁻¹||B|‖∞ of the diagonal blocks B of a factor.
fn condition<R: Real>(factor: &[R], rows: usize) -> f64 {
    let mut largest: f64 = 1.0;
    for from in (0..rows).step_by(BLOCK) {
        let size = BLOCK.min(rows - from);
        let at = |i: usize, j: usize| factor[packed(from + i) + from + j].to_f64();
        // Row sums of |B|, then |B⁻¹| times them, a column of the inverse at a time.
        let sums: Vec<f64> = (0..size).map(|i| (0..=i).map(|j| at(i, j).abs()).sum()).collect();
        let mut totals = vec![0.0; size];
        for c in 0..size {
            let mut column = vec![0.0; size];
            for i in c..size {
                let rest: f64 = (c..i).map(|k| at(i, k) * column[k]).sum();
                column[i] = (if i == c { 1.0 } else { 0.0 } - rest) / at(i, i);
                totals[i] += f64::abs(column[i]) * sums[c];
            }
        }
        largest = totals.into_iter().fold(largest, f64::max);
    }
    largest
}

/// The largest covariance in the unit cube, and the error of one, from the leaves up.
///
/// A leaf is a function of a scaled distance, whose slope is at most 1 and whose slope times the distance is at most 1, so
/// that the error is that of the distance: 3u/ℓ from rounded coordinates, (d + 8)u from the arithmetic; 8u are the
/// exponential's. Dot products have a relative error of (d + 8)u, a power as often as its degree.
fn covariance_error<R: Real>(tape: Tape<'_>, theta: &[R]) -> (f64, f64) {
    let natural = |i: usize| theta.get(i).map_or(0.0, |value| value.to_f64().exp());
    let mut stack: Vec<(f64, f64)> = Vec::new();
    for node in tape.nodes() {
        let (from, d) = (node.theta(), node.len());
        let first = |i: usize| natural(from + if node.is_ard() { i } else { 0 });
        let behind = from + if node.is_ard() { d } else { 1 };
        let inverse = (0..d).map(|i| 1.0 / first(i));
        let common = UNIT * (16.0 + d as f64);
        let pair = match node.op() {
            Op::Sum | Op::Product => {
                let (b, a) = (stack.pop().unwrap_or_default(), stack.pop().unwrap_or_default());
                if node.op() == Op::Sum {
                    (a.0 + b.0, a.1 + b.1 + UNIT * (a.0 + b.0))
                } else {
                    (a.0 * b.0, a.1 * b.0 + a.0 * b.1 + UNIT * a.0 * b.0)
                }
            }
            Op::Scale => {
                let (a, s) = (stack.pop().unwrap_or_default(), natural(from));
                (s * a.0, s * (a.1 + 2.0 * UNIT * a.0))
            }
            Op::Constant => (natural(from), 2.0 * UNIT * natural(from)),
            Op::Laplace => (1.0, common + 3.0 * UNIT * inverse.sum::<f64>()),
            Op::Periodic => {
                let period = |i: usize| natural(behind + if node.is_ard() { i } else { 0 });
                let parts = (0..d).map(|i| ((20.0 / period(i) + 4.0) / first(i)).powi(2));
                (1.0, common + 1.2 * UNIT * parts.sum::<f64>().sqrt())
            }
            Op::Cosine => (1.0, common + 60.0 * UNIT * inverse.sum::<f64>()),
            Op::Linear | Op::Polynomial | Op::ArcSine => {
                let bias = if node.has_bias() { natural(behind) } else { 0.0 };
                let weights = (0..d).map(first).sum::<f64>() + bias;
                match node.op() {
                    Op::Linear => (weights, common * weights),
                    Op::Polynomial => {
                        let value = weights.powi(i32::from(node.degree()));
                        (value, f64::from(node.degree()) * common * value)
                    }
                    _ => (1.0, 0.64 * common * (1.0 + 2.0 * weights).sqrt() + 8.0 * UNIT),
                }
            }
            Op::Hamming | Op::Exchangeable => (1.0, common),
            op => {
                let rounded = 3.0 * UNIT * inverse.map(|l| l * l).sum::<f64>().sqrt();
                let more = match op {
                    Op::RationalQuadratic => 10.0 * UNIT * natural(behind),
                    Op::GammaExponential => 30.0 * UNIT + rounded.powf(natural(behind).min(1.0)),
                    _ => 0.0,
                };
                (1.0, common + rounded + more)
            }
        };
        stack.push(pair);
    }
    stack.pop().unwrap_or_default()
}
