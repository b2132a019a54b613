//! Error bounds of the device's arithmetic: what single precision, rounded as WGSL grants, may be off by.

mod covariance;
mod evidence;
pub(crate) mod means;

pub(crate) use covariance::covariance;

use covariance::{Rounded, UNIT};
use infill::acquisition::{Acquisition, Prediction, generalised};
use infill::backend::Posterior;
use infill::kernel::Tape;
use infill::linalg::{self, packed};
use infill::stats::normal;
use infill::{Error, Real};

/// Rows of a block of the device's factor.
const BLOCK: usize = 32;

/// Deviations by which a sum of independent roundings exceeds its own: once in 10⁷ sums.
const RARE: f64 = 6.0;

/// How far the device's numbers may be from those of exact arithmetic, at one point.
///
/// With u = 2⁻²⁴ and eᵢ² the sum of the squares of all roundings in k(xᵢ, x), as WGSL grants them:
///
/// ```text
/// mean       6 (Σ αᵢ²(eᵢ² + u²kᵢ²) + u² Σ (partial sums of kᵀα)²)^½ + (p + 4) u Σ |h_c β_c|
/// variance   e₀ + 12 (Σ tᵢ²ξᵢ²)^½ + 6 u (2 Σ vᵢ⁴ + Σ (partial sums of vᵀv)²)^½
///            + 2 Σ |q_c| u (6√n |G_c|ᵀ|v| + (p + 2)(|L_A||g|)_c) + 4 u (k(x, x) + s²)
/// ξᵢ²        eᵢ² + u² Σ (L_ik v_k)² + u² Σ (partial sums of kᵢ − Lᵢv)² + u² Σ_k L_ik² (partial sums of (Lᵢᵢ⁻¹Lᵢᵢv)_k)² + ρᵢ²
/// ```
///
/// with g = L_A⁻¹(h − Gᵀv), q = L_A⁻ᵀg and t = L⁻ᵀ(v + Gq), the weights of the observations. The device solves L v = k with a
/// residual ξ: the error of k, the rounding of L, the roundings of the products with the rows above, those of the product
/// with the inverse of a diagonal block, and ρ, what the residual of that inverse makes of the right-hand side. That moves
/// the variance by −2tᵀξ: not the condition of K counts but the size of the weights.
///
/// Roundings are taken as independent and without bias, so that their squares add up and six roots of the sum are exceeded
/// once in 10⁷ (Hoeffding; Higham and Mary, *A new approach to probabilistic rounding error analysis*, 2019). Adapters are
/// better than they have to be: llvmpipe, whose quotients, roots and exponentials are off by about one u, not by 5, 9 and
/// 6 + 4|x|, stays below these bounds by another order of magnitude.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Errors {
    /// Of a covariance with an observation, the largest.
    pub(crate) covariance: f64,
    /// Of the mean.
    pub(crate) mean: f64,
    /// Of the variance.
    pub(crate) variance: f64,
}

impl Errors {
    /// The error of k(a, b): the sum of all roundings, or six roots of the sum of their squares if that is less.
    pub(crate) fn of_covariance<R: Real>(tape: Tape<'_>, theta: &[R], a: &[R], b: &[R]) -> f64 {
        bound(covariance(tape, theta, a, b))
    }

    /// The errors at a point. Cost: 6n² flops.
    ///
    /// # Errors
    /// [`Error::Shape`] if the posterior is not whole, [`Error::Unsupported`] if its factor has branches.
    pub(crate) fn at<R: Real>(
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        point: &[R],
    ) -> Result<Self, Error> {
        let (n, dims) = (posterior.inputs.rows, tape.dims());
        let p = posterior.trend.columns(dims);
        if !posterior.inputs.blocks.is_whole() {
            return Err(Error::Unsupported);
        }
        if posterior.inputs.x.len() != n * dims || point.len() != dims || posterior.alpha.len() != n {
            return Err(Error::Shape { needed: n * dims });
        }
        if posterior.basis.len() != n * p || posterior.beta.len() != p || posterior.normal.len() != packed(p)
        {
            return Err(Error::Shape { needed: n * p });
        }
        let (factor, normal, basis) = (wide(posterior.factor), wide(posterior.normal), wide(posterior.basis));
        let column = |c: usize| &basis[c * n..(c + 1) * n];
        let rows = posterior.inputs.x.chunks_exact(dims);
        let rounded: Vec<Rounded> =
            rows.map(|row| covariance(tape, posterior.inputs.theta, row, point)).collect();
        let k: Vec<f64> = rounded.iter().map(|k| k.value).collect();

        let (mut sum, mut spread, mut trend) = (0.0, 0.0, 0.0);
        for (k, alpha) in rounded.iter().zip(posterior.alpha) {
            let alpha = alpha.to_f64();
            sum += k.value * alpha;
            // The weight and the product are rounded as well.
            spread += alpha.powi(2) * (k.square + 2.0 * (UNIT * k.value).powi(2)) + (UNIT * sum).powi(2);
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

        let moved = residuals(&factor, n, &rounded, &v).zip(&t).map(|(xi, t)| xi * t * t).sum::<f64>().sqrt();
        let root = RARE * UNIT * (n as f64).sqrt();
        let mut added = 0.0;
        for c in (0..p).filter(|&c| normal[packed(c) + c].is_finite()) {
            let row = &normal[packed(c)..packed(c) + c + 1];
            let long = column(c).iter().zip(&v).map(|(g, v)| (g * v).abs()).sum::<f64>();
            let small = row.iter().zip(&gap).map(|(l, g)| (l * g).abs()).sum::<f64>();
            added += 2.0 * q[c].abs() * (root * long + (p + 2) as f64 * UNIT * small);
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for v in &v {
            sum += v * v;
            squares += v.powi(4) + sum * sum;
        }
        let own = covariance(tape, posterior.inputs.theta, point, point);
        // The differences and squares at the end.
        let last = 4.0 * UNIT * (own.value + dot(&gap, &gap));
        Ok(Self {
            covariance: rounded.iter().map(|&k| bound(k)).fold(0.0, f64::max),
            mean: RARE * spread.sqrt() + (p + 4) as f64 * UNIT * trend,
            variance: bound(own) + 2.0 * RARE * moved + RARE * UNIT * squares.sqrt() + added + last,
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
    pub(crate) fn score<R: Real>(
        &self,
        acquisition: Acquisition<R>,
        prediction: Prediction<R>,
        best: R,
    ) -> f64 {
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
            Acquisition::LogImprovement { .. } | Acquisition::Bound { .. } | Acquisition::Deviation => {
                (1.0 + far) * (mean + far * spread) / low + rounding + 4.0 * UNIT * s.ln().abs()
            }
        }
    }
}

fn wide<R: Real>(values: &[R]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The error of a number.
fn bound(rounded: Rounded) -> f64 {
    rounded.most.min(RARE * rounded.square.sqrt())
}

/// The squares of ξ, row by row.
fn residuals(factor: &[f64], n: usize, k: &[Rounded], v: &[f64]) -> impl Iterator<Item = f64> {
    let row = |i: usize| &factor[packed(i)..packed(i) + i + 1];
    let mut squares = Vec::with_capacity(n);
    for from in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - from);
        let inside = |i: usize| &row(from + i)[from..];
        let side: Vec<f64> = (0..size).map(|i| dot(inside(i), &v[from..])).collect();
        let (products, inverse) = block_roundings(size, &inside, &side);
        for i in 0..size {
            let (mut sum, mut roundings) = (k[from + i].value, 0.0);
            for (l, v) in row(from + i).iter().zip(v) {
                // A rounded entry of L, and its product; beyond the diagonal block the sum as well.
                roundings += 2.0 * (l * v).powi(2);
            }
            for (l, v) in row(from + i)[..from].iter().zip(v) {
                sum -= l * v;
                roundings += sum * sum;
            }
            let block: f64 = inside(i).iter().zip(&products).map(|(l, s)| l * l * s).sum();
            squares.push(k[from + i].square + UNIT * UNIT * (roundings + block + inverse[i]));
        }
    }
    squares.into_iter()
}

/// In units of u²: the roundings of each row of the product of an inverse with the side, and what the residual of the
/// inverse, column by column, makes of that product.
fn block_roundings<'a>(
    size: usize,
    inside: &dyn Fn(usize) -> &'a [f64],
    side: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (mut sums, mut products, mut inverse) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    let mut column = vec![0.0; size];
    for c in 0..size {
        for i in c..size {
            let (mut sum, mut roundings) = (if i == c { 1.0 } else { 0.0 }, 0.0);
            for (l, x) in inside(i)[c..i].iter().zip(&column[c..]) {
                sum -= l * x;
                roundings += (l * x).powi(2) + sum * sum;
            }
            column[i] = sum / inside(i)[i];
            // The quotient, multiplied back, is off by 5.
            inverse[i] += (roundings + 25.0 * sum * sum) * side[c].powi(2);
            let product: f64 = column[i] * side[c];
            sums[i] += product;
            products[i] += product.powi(2) + f64::powi(sums[i], 2);
        }
    }
    (products, inverse)
}
