//! Entropy search: how much a trial tells about where the minimum is.

use super::hermite;
use super::joint::{Joint, lowest, one_by_one, worst};
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::{solve_lower, solve_upper};
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// The expected fall of the entropy of the minimiser over a finite set of representers.
///
/// ```text
/// α(x) = H[x*] − Σ_g w_g H[x* | y(x) = m + t_g √v],   v = s²(x) + σ²,   pⱼ = share of S draws that are lowest at j
/// f′ = f + (c/√v)(t_g − u),   u = (y − m)/√v of the same draw,   c = cov(f, f(x))
/// ```
///
/// The S draws at the representers are made once and conditioned on each fantasy by Matheron's rule, so that every
/// candidate and every fantasy sees the same random numbers; t and w are those of Gauss and Hermite. The entropy is that
/// of the observed shares with the correction (places hit − 1)/(2S). It may come out below 0 by chance.
///
/// Cost: `prepare` G³/3 + S·G², `score` G² + S·G·(1 + fantasies) beyond [`Surrogate::against`]. If the model has finite
/// degrees of freedom the draws have them, while a fantasy moves them as it would normal ones.
///
/// Used by one thread at a time; it lives as long as the memory lent to it, and a preparation holds until the model is
/// anchored elsewhere.
///
/// # References
/// Hennig and Schuler, *Entropy Search for Information-Efficient Global Optimization*, JMLR 13, 2012, equation 3. Journel
/// and Huijbregts, *Mining Geostatistics*, 1978 (conditioning a draw). Miller, *Note on the Bias of Information
/// Estimates*, 1955.
#[derive(Debug)]
pub(crate) struct EntropySearch<'a, R> {
    joint: Joint<'a, R>,
    /// Draw after draw, less the means.
    draws: &'a mut [R],
    /// What a draw has at a candidate that the representers do not explain, standardised.
    own: &'a mut [R],
    /// u of each draw.
    moves: &'a mut [R],
    nodes: &'a mut [R],
    weights: &'a mut [R],
    covariances: &'a mut [R],
    solution: &'a mut [R],
    tally: &'a mut [R],
    noise: R,
    entropy: R,
}

impl<'a, R: Real> EntropySearch<'a, R> {
    /// Scalars of memory for as many representers, draws and fantasies.
    pub(crate) const fn scalars(representers: usize, draws: usize, fantasies: usize) -> usize {
        Joint::<R>::scalars(representers) + draws * (representers + 2) + 2 * fantasies + 3 * representers
    }

    /// In memory of [`EntropySearch::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] if a count is 0 or there are more than `hermite::MAX_NODES` fantasies, [`Error::Shape`] if the
    /// memory is too small.
    pub(crate) fn new(
        memory: &'a mut [R],
        representers: usize,
        draws: usize,
        fantasies: usize,
    ) -> Result<Self, Error> {
        if representers == 0 || draws == 0 || fantasies == 0 || fantasies > hermite::MAX_NODES {
            return Err(Error::Config);
        }
        let mut scratch = Scratch::new(memory);
        Ok(Self {
            joint: Joint::carve(&mut scratch, representers)?,
            draws: scratch.take(draws.saturating_mul(representers))?,
            own: scratch.take(draws)?,
            moves: scratch.take(draws)?,
            nodes: scratch.take(fantasies)?,
            weights: scratch.take(fantasies)?,
            covariances: scratch.take(representers)?,
            solution: scratch.take(representers)?,
            tally: scratch.take(representers)?,
            noise: R::ZERO,
            entropy: R::ZERO,
        })
    }

    /// Anchors the representers and makes the draws; `noise` is the variance σ² of a trial.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are between one and the agreed number of representers, [`Error::NotFinite`] if the
    /// noise or a prediction is not a number, [`Error::NotPositiveDefinite`], and what the model reports.
    pub(crate) fn prepare(
        &mut self,
        model: &mut dyn Surrogate<R>,
        representers: &[R],
        noise: R,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        Error::NotFinite.when(!(noise >= R::ZERO && noise.is_finite()))?;
        let count = self.joint.anchor(model, representers)?;
        hermite::rule(self.nodes, self.weights);
        self.noise = noise;
        self.tally.fill(R::ZERO);
        for (draw, own) in self.draws.chunks_exact_mut(count).zip(&mut *self.own) {
            self.joint.draw(generator, draw)?;
            *own = rng::normal(generator);
            self.tally[self.joint.lowest(draw).0] += R::ONE;
        }
        self.entropy = entropy(&self.tally[..count], self.own.len());
        Ok(())
    }
}

impl<R: Real> AcquisitionFunction<R> for EntropySearch<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        one_by_one(self, model, points, out)
    }

    /// α at a point; the lowest number if its prediction is not one.
    ///
    /// # Errors
    /// [`Error::NoData`] before a preparation, and what the model reports.
    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let count = self.joint.count();
        let (prediction, covariances) = self.joint.against(model, point, self.covariances)?;
        let total = prediction.variance.max(R::ZERO) + self.noise;
        if !(prediction.mean.is_finite() && total.is_finite() && covariances.iter().all(|c| c.is_finite())) {
            return Ok(worst());
        }
        if total == R::ZERO || self.joint.flat() {
            return Ok(R::ZERO);
        }
        // u = (cᵀK⁻¹(f − m) + what is left)/√v
        let deviation = total.sqrt();
        let solution = &mut self.solution[..count];
        solution.copy_from_slice(covariances);
        solve_lower(self.joint.factor(), count, solution)?;
        let left = (total - dot(solution, solution)).max(R::ZERO).sqrt() / deviation;
        solve_upper(self.joint.factor(), count, solution)?;
        for value in covariances.iter_mut().chain(solution.iter_mut()) {
            *value /= deviation;
        }
        for ((u, draw), &own) in self.moves.iter_mut().zip(self.draws.chunks_exact(count)).zip(&*self.own) {
            *u = dot(solution, draw) + left * own;
        }
        let mut expected = R::ZERO;
        for (&node, &weight) in self.nodes.iter().zip(&*self.weights) {
            let tally = &mut self.tally[..count];
            tally.fill(R::ZERO);
            for (draw, &u) in self.draws.chunks_exact(count).zip(&*self.moves) {
                let step = node - u;
                let moved = self.joint.means().iter().zip(draw).zip(&*covariances);
                tally[lowest(moved.map(|((&mean, &rest), &c)| mean + rest + c * step)).0] += R::ONE;
            }
            expected += weight * entropy(tally, self.own.len());
        }
        Ok(self.entropy - expected)
    }
}

/// The entropy of the shares of a tally, corrected for the number of draws.
fn entropy<R: Real>(tally: &[R], draws: usize) -> R {
    let total = R::of_usize(draws);
    let (mut sum, mut hit) = (R::ZERO, R::ZERO);
    for &count in tally.iter().filter(|&&count| count > R::ZERO) {
        let share = count / total;
        sum -= share * share.ln();
        hit += R::ONE;
    }
    sum + (hit - R::ONE).max(R::ZERO) / (R::TWO * total)
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::tests::support::{Table, curve, grid};
    use super::{AcquisitionFunction, EntropySearch, entropy};
    use crate::error::Error;
    use crate::rng::{self, Generator};
    use crate::stats::normal;

    fn search(table: &mut Table, points: &[f64], draws: usize, noise: f64, at: f64, seed: u64) -> (f64, f64) {
        let mut memory = vec![0.0; EntropySearch::<f64>::scalars(points.len(), draws, 24)];
        let mut search = EntropySearch::new(&mut memory, points.len(), draws, 24).unwrap();
        search.prepare(table, points, noise, &mut Generator::new(seed)).unwrap();
        (search.entropy, search.score(table, &[at]).unwrap())
    }

    fn binary(p: f64) -> f64 {
        if p <= 0.0 || p >= 1.0 { 0.0 } else { -p * p.ln() - (1.0 - p) * (1.0 - p).ln() }
    }

    /// With two representers the probability is Φ of a difference, before and after a fantasy: a closed form with one
    /// integral, here by a fine sum.
    #[test]
    fn two_representers_agree_with_quadrature() {
        let matrix = [1.0f64, 0.3, 0.5, 0.3, 0.8, -0.1, 0.5, -0.1, 1.2];
        let means = [0.1, -0.2, 0.4];
        let noise = 0.2;
        for at in 0..3 {
            let (c0, c1) = (matrix[at * 3], matrix[at * 3 + 1]);
            let v = matrix[at * 4] + noise;
            let difference = 1.0 + 0.8 - 0.6;
            let before = binary(normal::cdf((means[1] - means[0]) / f64::sqrt(difference)));
            let after = (difference - (c0 - c1).powi(2) / v).max(1e-300).sqrt();
            let (mut sum, n) = (0.0, 4000);
            for i in 0..n {
                let t = -8.0 + 16.0 * (f64::from(i) + 0.5) / f64::from(n);
                let p = normal::cdf((means[1] - means[0] + (c1 - c0) * t / v.sqrt()) / after);
                sum += normal::density(t) * binary(p) * 16.0 / f64::from(n);
            }
            let mut table = Table::new(&means, &matrix);
            let (entropy, gain) = search(&mut table, &[0.0, 1.0], 100_000, noise, at as f64, 5);
            // A share of 10⁵ draws has an error of at most ½/√10⁵, its entropy |ln(p/(1 − p))| times that.
            let error = 0.5 / f64::sqrt(1e5);
            assert!((entropy - before).abs() < 4.0 * error * 0.5, "{at} {entropy} {before}");
            // The shares after a fantasy are steeper: |ln(p/(1−p))|√(p(1−p)) stays below 0.66.
            let bound = 4.0 * 0.66 / f64::sqrt(1e5);
            assert!((gain - (before - sum)).abs() < bound, "{at} {gain} {}", before - sum);
        }
    }

    /// A small problem, and the expected entropy after a trial from nested draws: for each of many y the posterior is
    /// computed anew and drawn from by its own factor.
    #[test]
    fn agrees_with_nested_monte_carlo() {
        let mut table = Table::smooth(&[0.0, 0.3, -0.1, 0.2], 1.3);
        let (noise, at, n) = (0.1, 2usize, 4usize);
        let mut generator = Generator::new(17);
        let v = table.matrix[at * 5] + noise;
        let c: vec::Vec<f64> = (0..n).map(|i| table.matrix[at * n + i]).collect();
        let factored = |shrink: f64| {
            let mut l = vec![0.0; 10];
            let mut k = 0;
            for i in 0..n {
                for j in 0..=i {
                    l[k] =
                        table.matrix[i * n + j] - shrink * c[i] * c[j] / v + if i == j { 1e-9 } else { 0.0 };
                    k += 1;
                }
            }
            crate::linalg::factor(&mut l, n).unwrap();
            l
        };
        let mut draw_entropy = |means: &[f64], l: &[f64], draws: usize| {
            let mut tally = vec![0.0; n];
            let (mut z, mut f) = (vec![0.0; n], vec![0.0; n]);
            for _ in 0..draws {
                z.iter_mut().for_each(|z| *z = rng::normal(&mut generator));
                crate::linalg::multiply_lower(l, n, &z, &mut f).unwrap();
                let best = (0..n).min_by(|&a, &b| (means[a] + f[a]).total_cmp(&(means[b] + f[b]))).unwrap();
                tally[best] += 1.0;
            }
            entropy(&tally, draws)
        };
        let before = draw_entropy(&table.means, &factored(0.0), 100_000);
        let l = factored(1.0);
        let outer = 500;
        let (mut sum, mut square) = (0.0, 0.0);
        let mut second = Generator::new(4);
        for _ in 0..outer {
            let t: f64 = rng::normal(&mut second);
            let means: vec::Vec<f64> = (0..n).map(|i| table.means[i] + c[i] / v.sqrt() * t).collect();
            let h = draw_entropy(&means, &l, 1000);
            sum += h;
            square += h * h;
        }
        let mean = sum / f64::from(outer);
        let error = ((square / f64::from(outer) - mean * mean) / f64::from(outer)).sqrt();
        let (entropy, gain) = search(&mut table, &[0.0, 1.0, 2.0, 3.0], 100_000, noise, at as f64, 9);
        assert!((entropy - before).abs() < 4.0 * (2.0 / 1e5f64).sqrt());
        // H of 10⁵ draws has a standard error below 1/√10⁵ (the deviation of −ln p is below 1), on either side.
        assert!(
            (gain - (before - mean)).abs() < 4.0 * (error + 2.0 / 1e5f64.sqrt()),
            "{gain} {} {error}",
            before - mean
        );
        assert!(error < 0.01 && gain > 0.1);
    }

    #[test]
    fn what_is_known_teaches_nothing() {
        let means = [0.0, 0.0, 5.0];
        // The candidate is independent of both representers.
        let mut table = Table::new(&means, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let (_, gain) = search(&mut table, &[0.0, 1.0], 4000, 0.1, 2.0, 1);
        assert!(gain.abs() < 1e-12);
        // One representer, or nothing uncertain: the entropy is 0 and stays so.
        assert_eq!(search(&mut table, &[1.0], 100, 0.1, 1.0, 1), (0.0, 0.0));
        let mut flat = Table::new(&means, &[0.0; 9]);
        assert_eq!(search(&mut flat, &[0.0, 1.0], 100, 0.0, 1.0, 1), (0.0, 0.0));
        // Identical representers: a number.
        let (entropy, gain) = search(&mut table, &[1.0, 1.0, 1.0], 500, 0.1, 1.0, 1);
        assert!(entropy.is_finite() && gain.is_finite());
    }

    #[test]
    fn bad_input_is_refused_and_the_seed_decides() {
        let mut memory = vec![0.0; EntropySearch::<f64>::scalars(3, 50, 5)];
        for (g, s, n) in [(0, 50, 5), (3, 0, 5), (3, 50, 0), (3, 50, 33)] {
            assert_eq!(EntropySearch::new(&mut memory, g, s, n).unwrap_err(), Error::Config);
        }
        let short = memory.len() - 1;
        assert!(matches!(EntropySearch::new(&mut memory[..short], 3, 50, 5), Err(Error::Shape { .. })));
        let mut search = EntropySearch::new(&mut memory, 3, 50, 5).unwrap();
        let mut table = Table::smooth(&[0.0, 0.3, -0.1, f64::NAN], 1.3);
        let generator = &mut Generator::new(1);
        assert_eq!(search.score(&mut table, &[0.0]), Err(Error::NoData));
        assert_eq!(search.prepare(&mut table, &[0.0], f64::NAN, generator), Err(Error::NotFinite));
        assert_eq!(search.prepare(&mut table, &[0.0, 3.0], 0.1, generator), Err(Error::NotFinite));
        assert!(search.prepare(&mut table, &[], 0.1, generator).is_err());
        assert!(search.prepare(&mut table, &[0.0; 4], 0.1, generator).is_err());
        search.prepare(&mut table, &[0.0, 1.0], 0.1, generator).unwrap();
        assert_eq!(search.score(&mut table, &[3.0]), Ok(-f64::MAX));
        let score = |seed| {
            curve(&[0.1, 0.9], &[0.2, -0.1], |model, _, _| {
                let mut memory = vec![0.0; EntropySearch::<f64>::scalars(9, 64, 5)];
                let mut search = EntropySearch::new(&mut memory, 9, 64, 5).unwrap();
                search.prepare(model, &grid(9), 1e-6, &mut Generator::new(seed)).unwrap();
                search.score(model, &[0.4]).unwrap()
            })
        };
        assert_eq!(score(3), score(3));
        assert_ne!(score(3), score(4));
    }
}
