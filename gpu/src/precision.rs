//! What single precision may decide.

use infill::acquisition::{Acquisition, Prediction, generalised};
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
/// Inputs are in the unit cube, u = 2⁻²⁴, and E is the error of a covariance:
///
/// ```text
/// mean       6 (Σ αᵢ²E² + u² Σ (partial sums of kᵀα)²)^½ + (p + 4) u Σ |h_c β_c|
/// variance   E + 12 (Σ tᵢ²ξᵢ²)^½ + 6√n u vᵀv + 2 Σ |q_c| u (6√n |G_c|ᵀ|v| + (p + 2)(|L_A||g|)_c)
/// ξᵢ²        E² + u² Σ (partial sums of kᵢ − Lᵢv)² + 64 u² Σ (L_ik s_k)²,   s = |Lᵢᵢ⁻¹||Lᵢᵢv|
/// ```
///
/// with g = L_A⁻¹(h − Gᵀv), q = L_A⁻ᵀg and t = L⁻ᵀ(v + Gq), the weights of the observations. The device solves L v = k with a
/// residual ξ: the error of k, the roundings of the products with the rows above, and those of the product with the inverse
/// of a diagonal block, whose own residual is as large. That moves the variance by −2tᵀξ: not the condition of K counts but
/// the size of the weights. Roundings are taken as independent, so that their squares add up and six deviations are
/// exceeded once in 10⁸ (Higham and Mary, *A new approach to probabilistic rounding error analysis*, 2019).
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
    /// The error of a covariance.
    #[must_use]
    pub fn of_covariance<R: Real>(tape: Tape<'_>, theta: &[R]) -> f64 {
        covariance_error(tape, theta).1
    }

    /// The errors at a point. Cost: 6n² flops.
    ///
    /// # Errors
    /// [`Error::Shape`] if the posterior is not whole.
    pub fn at<R: Real>(tape: Tape<'_>, posterior: &Posterior<'_, R>, point: &[R]) -> Result<Self, Error> {
        let (n, dims) = (posterior.inputs.rows, tape.dims());
        let p = posterior.trend.columns(dims);
        if posterior.inputs.x.len() != n * dims || point.len() != dims || posterior.alpha.len() != n {
            return Err(Error::Shape { needed: n * dims });
        }
        if posterior.basis.len() != n * p || posterior.beta.len() != p || posterior.normal.len() != packed(p)
        {
            return Err(Error::Shape { needed: n * p });
        }
        let wide = |values: &[R]| -> Vec<f64> { values.iter().map(|value| value.to_f64()).collect() };
        let (factor, normal, basis) = (wide(posterior.factor), wide(posterior.normal), wide(posterior.basis));
        let column = |c: usize| &basis[c * n..(c + 1) * n];
        let covariance = covariance_error(tape, posterior.inputs.theta).1;
        let rows = posterior.inputs.x.chunks_exact(dims);
        let k: Vec<f64> = rows.map(|row| tape.eval(posterior.inputs.theta, row, point).to_f64()).collect();

        let (mut sum, mut spread, mut trend) = (0.0, 0.0, 0.0);
        for (k, alpha) in k.iter().zip(posterior.alpha) {
            let alpha = alpha.to_f64();
            sum += k * alpha;
            spread += (alpha * covariance).powi(2) + (UNIT * sum).powi(2);
        }
        let mut v = k.clone();
        linalg::solve_lower(&factor, n, &mut v)?;
        let mut gap: Vec<f64> = (0..p).map(|c| -dot(column(c), &v)).collect();
        posterior.trend.basis(point, |c, h| {
            trend += (h * posterior.beta[c]).to_f64().abs();
            gap[c] += h.to_f64();
        });
        linalg::solve_lower(&normal, p, &mut gap)?;
        let mut q = gap.clone();
        linalg::solve_upper(&normal, p, &mut q)?;
        let mut t = v.clone();
        for c in 0..p {
            t.iter_mut().zip(column(c)).for_each(|(t, g)| *t += q[c] * g);
        }
        linalg::solve_upper(&factor, n, &mut t)?;

        let moved =
            residuals(&factor, n, &k, &v, covariance).zip(&t).map(|(xi, t)| xi * t * t).sum::<f64>().sqrt();
        let root = RARE * UNIT * (n as f64).sqrt();
        let mut added = 0.0;
        for c in 0..p {
            let row = &normal[packed(c)..packed(c) + c + 1];
            let long = column(c).iter().zip(&v).map(|(g, v)| (g * v).abs()).sum::<f64>();
            let small = row.iter().zip(&gap).map(|(l, g)| (l * g).abs()).sum::<f64>();
            added += 2.0 * q[c].abs() * (root * long + (p + 2) as f64 * UNIT * small);
        }
        Ok(Self {
            covariance,
            mean: RARE * spread.sqrt() + (p + 4) as f64 * UNIT * trend,
            variance: covariance + 2.0 * RARE * moved + root * dot(&v, &v) + added,
        })
    }

    /// How far the device's score may be from the CPU's, where that predicts so.
    ///
    /// ```text
    /// Bound           Δm + βΔs
    /// Improvement     Φ(z⁺)Δm + φ(z⁰)Δs
    /// LogImprovement  (1 + |z|⁺)(Δm + |z|⁺Δs)/s
    /// Probability     φ(z⁰)(Δm + |z|⁺Δs)/s
    /// Generalised     g E_{g−1}⁺Δm + g(g − 1) s⁺E_{g−2}⁺Δs
    /// LogMgf          (t + λ⁺/s)Δm + (λ⁺(t + |z|⁺/s) + t²s⁺)Δs
    /// Deviation       Δs
    /// Noisy           f⁺(Φ(z⁺)Δm + φ(z⁰)Δs) + h(z⁺)(r/w³)⁺Δs
    /// ```
    ///
    /// where Δs = min(√Δs², Δs²/s), z⁺ and z⁰ are the largest z and the one nearest to 0 within the errors, E⁺ and s⁺ are
    /// taken where gain and deviation are largest, λ⁺ is φ/Φ at the lowest z + ts, f⁺ the largest share 1/(w(w + r)) of the
    /// noise, r = σ/s, w² = 1 + r², and (r/w³)⁺ the largest there. The rounding of the formula itself, (16 + 4z²)u, with g
    /// factors 8gu more, and of LogMgf 4u of each of its terms, and the smallest normal number are added.
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
            Acquisition::Deviation => {
                return spread + 4.0 * UNIT * s + f64::from(f32::MIN_POSITIVE).sqrt();
            }
            Acquisition::Generalised { .. } | Acquisition::LogMgf { .. } | Acquisition::Noisy { .. } => {
                let best = best.to_f64();
                (best - mean, 4.0 * UNIT * (best.abs() + mean.abs()))
            }
            _ => return f64::INFINITY,
        };
        let (low, mean) = ((s - spread).max(0.0), self.mean + own);
        let z = gain / s;
        // The farthest z within the errors, and by how much it is farther.
        let far = (gain.abs() + mean) / low;
        let moved = far - z.abs();
        let (top, near) = (z + moved, (z.abs() - moved).max(0.0));
        let rounding = UNIT * (16.0 + 4.0 * far * far);
        // What is smaller may be flushed to zero.
        let least = f64::from(f32::MIN_POSITIVE);
        let high = s + spread;
        match acquisition {
            Acquisition::Generalised { order } if order > 1 => {
                let order = order.min(generalised::MAX_ORDER);
                let corner = |order: u32| generalised::expected(gain + mean, high, order);
                let g = f64::from(order);
                let moved = g * corner(order - 1) * mean + g * (g - 1.0) * high * corner(order - 2) * spread;
                moved + (rounding + 8.0 * g * UNIT) * corner(order) + least
            }
            Acquisition::LogMgf { temperature } => {
                let t = temperature.to_f64();
                let lowest = z - moved + t * low;
                let slope = normal::log_cdf_slope(lowest);
                let by_gain = t + slope / low;
                let by_deviation = slope * (t + far / low) + t * t * high;
                // Below 0 the square of z is a term, above the growth is.
                let square = if lowest < 0.0 { far * far } else { 0.0 };
                let terms =
                    square + t * (gain.abs() + mean + 1.0 + t * high * high) + slope * (far + t * high);
                by_gain * mean + by_deviation * spread + UNIT * (16.0 + 4.0 * terms)
            }
            Acquisition::Noisy { noise } => {
                let noise = noise.to_f64();
                let root = |r: f64| r.hypot(1.0);
                let share = |r: f64| 1.0 / (root(r) * (root(r) + r));
                // r/w³ rises to r = √½ and falls again.
                let steepest = f64::sqrt(0.5).max(noise / high).min(noise / low);
                let steep = steepest / root(steepest).powi(3);
                let share = share(noise / high);
                let moved = share * (normal::cdf(top) * mean + normal::density(near) * spread);
                let size = high * normal::h(top) * share;
                moved + normal::h(top) * steep * spread + 2.0 * rounding * size + least
            }
            Acquisition::Probability { .. } | Acquisition::Generalised { order: 0 } => {
                let moved = normal::density(near) * (mean + far * spread) / low;
                (moved + rounding * normal::cdf(top)).min(1.0) + least
            }
            Acquisition::Improvement { .. } | Acquisition::Generalised { .. } => {
                let size = high * normal::h(top);
                normal::cdf(top) * mean + normal::density(near) * spread + rounding * size + least
            }
            _ => (1.0 + far) * (mean + far * spread) / low + rounding + 4.0 * UNIT * s.ln().abs(),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The squares of ξ, row by row.
fn residuals(factor: &[f64], n: usize, k: &[f64], v: &[f64], covariance: f64) -> impl Iterator<Item = f64> {
    let row = |i: usize| &factor[packed(i)..packed(i) + i + 1];
    let mut squares = Vec::with_capacity(n);
    for from in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - from);
        let inside = |i: usize| &row(from + i)[from..];
        let side: Vec<f64> = (0..size).map(|i| dot(inside(i), &v[from..])).collect();
        // |B⁻¹| times |side|, a column of the inverse at a time.
        let mut s = vec![0.0; size];
        for c in 0..size {
            let mut column = vec![0.0; size];
            for i in c..size {
                let unit = if i == c { 1.0 } else { 0.0 };
                column[i] = (unit - dot(&inside(i)[c..i], &column[c..])) / inside(i)[i];
                s[i] += f64::abs(column[i] * side[c]);
            }
        }
        for i in 0..size {
            let (mut sum, mut roundings) = (k[from + i], 0.0);
            for (l, v) in row(from + i)[..from].iter().zip(v) {
                sum -= l * v;
                roundings += sum * sum;
            }
            let block: f64 = inside(i).iter().zip(&s).map(|(l, s)| (l * s).powi(2)).sum();
            squares.push(covariance * covariance + UNIT * UNIT * (roundings + 64.0 * block));
        }
    }
    squares.into_iter()
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
