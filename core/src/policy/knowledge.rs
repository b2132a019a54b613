//! Knowledge gradient: how much lower a trial makes the lowest mean.

use super::joint::{count, one_by_one, worst};
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::packed;
use crate::real::Real;
use crate::stats::normal;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// The expected fall of the lowest mean over the representers and the candidate itself, exactly.
///
/// ```text
/// α(x) = minᵢ mᵢ − E minᵢ (mᵢ + bᵢ z),   z ~ N(0, 1),   bᵢ = cov(f(xᵢ), f(x))/√(s²(x) + σ²)
///      = Σₖ (bₖ₊₁ − bₖ) h(−|zₖ|)     over the lines of the envelope by slope, zₖ where neighbours meet
/// ```
///
/// Every term is positive, so that nothing cancels however small the gain is. Cost: `score` O(G log G) beyond
/// [`Surrogate::against`]. Predictions are taken as normal.
///
/// Used by one thread at a time; it lives as long as the memory lent to it, and a preparation holds until the model is
/// anchored elsewhere.
///
/// # References
/// Frazier, Powell and Dayanik, *The Knowledge-Gradient Policy for Correlated Normal Beliefs*, INFORMS Journal on
/// Computing 21(4), 2009, algorithms 1 and 2. Scott, Frazier and Powell, *The Correlated Knowledge Gradient for Simulation
/// Optimization of Continuous Parameters*, 2011 (the candidate as one of the set).
#[derive(Debug)]
pub(crate) struct Knowledge<'a, R> {
    means: &'a mut [R],
    matrix: &'a mut [R],
    covariances: &'a mut [R],
    lines: &'a mut [R],
    count: usize,
    noise: R,
}

impl<'a, R: Real> Knowledge<'a, R> {
    /// Scalars of memory for as many representers.
    pub(crate) const fn scalars(representers: usize) -> usize {
        packed(representers) + 4 * representers + 2
    }

    /// In memory of [`Knowledge::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] without representers, [`Error::Shape`] if the memory is too small.
    pub(crate) fn new(memory: &'a mut [R], representers: usize) -> Result<Self, Error> {
        Error::Config.when(representers == 0)?;
        let mut scratch = Scratch::new(memory);
        Ok(Self {
            means: scratch.take(representers)?,
            matrix: scratch.take(packed(representers))?,
            covariances: scratch.take(representers)?,
            lines: scratch.take(2 * (representers + 1))?,
            count: 0,
            noise: R::ZERO,
        })
    }

    /// Anchors the representers; `noise` is the variance σ² of a trial.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are between one and the agreed number of representers, [`Error::NotFinite`] if the
    /// noise or a mean is not a number, and what the model reports.
    pub(crate) fn prepare(
        &mut self,
        model: &mut dyn Surrogate<R>,
        representers: &[R],
        noise: R,
    ) -> Result<(), Error> {
        self.count = 0;
        Error::NotFinite.when(!(noise >= R::ZERO && noise.is_finite()))?;
        let count = count(representers, model.dims(), self.means.len())?;
        model.anchor(representers, &mut self.means[..count], &mut self.matrix[..packed(count)])?;
        Error::NotFinite.when(!self.means[..count].iter().all(|mean| mean.is_finite()))?;
        (self.count, self.noise) = (count, noise);
        Ok(())
    }
}

impl<R: Real> AcquisitionFunction<R> for Knowledge<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        one_by_one(self, model, points, out)
    }

    /// α at a point; the lowest number if its prediction is not one.
    ///
    /// # Errors
    /// [`Error::NoData`] before a preparation, and what the model reports.
    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        Error::NoData.when(self.count == 0)?;
        let covariances = &mut self.covariances[..self.count];
        let prediction = model.against(point, covariances)?;
        let variance = prediction.variance.max(R::ZERO);
        let deviation = (variance + self.noise).sqrt();
        if variance == R::ZERO && prediction.mean.is_finite() && !prediction.variance.is_nan() {
            return Ok(R::ZERO);
        }
        let lines = &mut self.lines[..2 * (self.count + 1)];
        let pairs = self.means.iter().zip(&*covariances).map(|(&mean, &c)| (mean, c));
        for (line, (mean, c)) in lines.chunks_exact_mut(2).zip(pairs.chain([(prediction.mean, variance)])) {
            // The lowest of the lines is, with the sign changed, the highest.
            (line[0], line[1]) = (c / deviation, -mean);
        }
        if lines.iter().all(|value| value.is_finite()) { Ok(rise(lines)) } else { Ok(worst()) }
    }
}

/// E maxᵢ (aᵢ + bᵢ z) − maxᵢ aᵢ for lines b₀, a₀, b₁, a₁, …, all finite, which are put in another order.
fn rise<R: Real>(lines: &mut [R]) -> R {
    sort(lines);
    // The envelope is a stack at the front: line k is on top of it between the places where it meets its neighbours.
    let (mut kept, count) = (0, lines.len() / 2);
    for i in 0..count {
        let (slope, height) = (lines[2 * i], lines[2 * i + 1]);
        // Of parallel lines the last is the highest.
        if kept > 0 && lines[2 * kept - 2] >= slope {
            kept -= 1;
        }
        while kept > 1 && meet(lines, kept - 1, slope, height) <= meet_before(lines, kept - 1) {
            kept -= 1;
        }
        (lines[2 * kept], lines[2 * kept + 1]) = (slope, height);
        kept += 1;
    }
    let mut sum = R::ZERO;
    for k in 1..kept {
        let z = meet_before(lines, k);
        sum += (lines[2 * k] - lines[2 * k - 2]) * normal::h(-z.abs());
    }
    sum
}

/// Where line `k` meets a steeper one.
fn meet<R: Real>(lines: &[R], k: usize, slope: R, height: R) -> R {
    (lines[2 * k + 1] - height) / (slope - lines[2 * k])
}

/// Where line `k` meets the one before it.
fn meet_before<R: Real>(lines: &[R], k: usize) -> R {
    meet(lines, k - 1, lines[2 * k], lines[2 * k + 1])
}

/// Orders pairs by the first number, then by the second: a heap, in place.
///
/// # References
/// Williams, *Algorithm 232: Heapsort*, CACM 7(6), 1964.
fn sort<R: Real>(pairs: &mut [R]) {
    let count = pairs.len() / 2;
    for start in (0..count / 2).rev() {
        sink(pairs, start, count);
    }
    for end in (1..count).rev() {
        exchange(pairs, 0, end);
        sink(pairs, 0, end);
    }
}

/// Moves an element down the heap of the first `end` until none below it is greater.
fn sink<R: Real>(pairs: &mut [R], start: usize, end: usize) {
    let mut at = start;
    while 2 * at + 1 < end {
        let mut below = 2 * at + 1;
        if below + 1 < end && less(pairs, below, below + 1) {
            below += 1;
        }
        if !less(pairs, at, below) {
            break;
        }
        exchange(pairs, at, below);
        at = below;
    }
}

fn less<R: Real>(pairs: &[R], i: usize, j: usize) -> bool {
    let (a, b) = (pairs[2 * i], pairs[2 * j]);
    a < b || (a == b && pairs[2 * i + 1] < pairs[2 * j + 1])
}

fn exchange<R: Real>(pairs: &mut [R], i: usize, j: usize) {
    pairs.swap(2 * i, 2 * j);
    pairs.swap(2 * i + 1, 2 * j + 1);
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::super::joint::lowest;
    use super::super::tests::support::{Table, curve, grid};
    use super::{AcquisitionFunction, Knowledge, rise, sort};
    use crate::error::Error;
    use crate::rng::{self, Generator};
    use crate::stats::normal;

    fn gain(table: &mut Table, points: &[f64], noise: f64, at: f64) -> f64 {
        let mut memory = vec![0.0; Knowledge::<f64>::scalars(points.len())];
        let mut knowledge = Knowledge::new(&mut memory, points.len()).unwrap();
        knowledge.prepare(table, points, noise).unwrap();
        knowledge.score(table, &[at]).unwrap()
    }

    /// Two lines: |b₁ − b₂| h(−|a₁ − a₂|/|b₁ − b₂|); with one representer that is independent of the candidate this is
    /// expected improvement over its mean.
    #[test]
    fn two_lines_are_expected_improvement() {
        for (mean, variance, noise) in [(0.5, 1.0, 0.0), (-0.3, 0.4, 0.0), (2.0, 0.3, 0.2), (30.0, 1.0, 0.0)]
        {
            let mut table = Table::new(&[0.0, mean], &[1.0, 0.0, 0.0, variance]);
            let b = variance / f64::sqrt(variance + noise);
            let expected = b * normal::h(-f64::abs(mean) / b);
            let value = gain(&mut table, &[0.0], noise, 1.0);
            assert!((value / expected - 1.0).abs() < 1e-14, "{mean} {value:e} {expected:e}");
        }
    }

    #[test]
    fn agrees_with_monte_carlo_and_quadrature() {
        let generator = &mut Generator::new(6);
        for count in [1, 2, 3, 7, 20] {
            let lines: Vec<f64> = (0..2 * count).map(|_| rng::normal(generator)).collect();
            let value = rise(&mut lines.clone());
            let top = |z: f64| lines.chunks(2).map(|l| l[1] + l[0] * z).fold(f64::MIN, f64::max);
            let (mut sum, mut square, n) = (0.0, 0.0, 100_000);
            for _ in 0..n {
                let x = top(rng::normal(generator)) - top(0.0);
                sum += x;
                square += x * x;
            }
            let mean = sum / f64::from(n);
            let error = ((square / f64::from(n) - mean * mean).max(0.0) / f64::from(n)).sqrt();
            assert!((value - mean).abs() <= 4.0 * error + 1e-12, "{count} {value} {mean}");
            let steps = 200_000;
            let width = 20.0 / f64::from(steps);
            let integral: f64 = (0..steps)
                .map(|i| -10.0 + width * (f64::from(i) + 0.5))
                .map(|z| normal::density(z) * (top(z) - top(0.0)) * width)
                .sum();
            assert!((value - integral).abs() < 1e-8, "{count} {value} {integral}");
        }
    }

    /// A whole score against fantasies of which each updates the means.
    #[test]
    fn agrees_with_updated_means() {
        let mut table = Table::smooth(&[0.0, 0.3, -0.1, 0.2, 0.05], 1.5);
        let (noise, at) = (0.3, 3usize);
        let value = gain(&mut table, &[0.0, 1.0, 2.0, 4.0], noise, at as f64);
        let generator = &mut Generator::new(2);
        let (mut sum, mut square, n) = (0.0, 0.0, 100_000);
        for _ in 0..n {
            let v = table.matrix[at * 6] + noise;
            let y = table.means[at] + v.sqrt() * rng::normal::<f64, _>(generator);
            let moved = (0..5).map(|i| table.means[i] + table.matrix[at * 5 + i] / v * (y - table.means[at]));
            let x = -0.1 - moved.fold(f64::INFINITY, f64::min);
            sum += x;
            square += x * x;
        }
        let mean = sum / f64::from(n);
        let error = ((square / f64::from(n) - mean * mean).max(0.0) / f64::from(n)).sqrt();
        assert!((value - mean).abs() < 4.0 * error, "{value} {mean}");
    }

    #[test]
    fn pairs_are_sorted() {
        let generator = &mut Generator::new(1);
        for count in 0..60 {
            let mut pairs: Vec<f64> = (0..2 * count).map(|_| rng::below(generator, 5) as f64).collect();
            let mut expected: Vec<(f64, f64)> = pairs.chunks(2).map(|p| (p[0], p[1])).collect();
            expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
            sort(&mut pairs);
            assert!(pairs.chunks(2).map(|p| (p[0], p[1])).eq(expected));
        }
    }

    #[test]
    fn edges() {
        let mut table = Table::smooth(&[0.0, 0.3, f64::NAN], 1.5);
        assert_eq!(gain(&mut table, &[0.0, 0.0, 0.0], 0.1, 0.0), gain(&mut table, &[0.0], 0.1, 0.0));
        assert_eq!(gain(&mut table, &[0.0], 0.1, 2.0), -f64::MAX);
        let mut known = Table::new(&[0.0, 1.0], &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(gain(&mut known, &[0.0], 0.0, 1.0), 0.0);
        let mut wide = Table::new(&[0.0, 1.0], &[1.0, 0.0, 0.0, f64::INFINITY]);
        assert_eq!(gain(&mut wide, &[0.0], 0.0, 1.0), -f64::MAX);
        assert_eq!(rise::<f64>(&mut []), 0.0);
        assert_eq!(rise(&mut [1.0f64, 2.0]), 0.0);
        // A gain far below the rounding of the means is still there.
        let mut tiny = Table::new(&[0.0, 20.0], &[1.0, 0.0, 0.0, 1.0]);
        assert!(gain(&mut tiny, &[0.0], 0.0, 1.0) > 0.0);
        let mut memory = [0.0; Knowledge::<f64>::scalars(1)];
        assert_eq!(Knowledge::new(&mut memory, 0).unwrap_err(), Error::Config);
        assert!(Knowledge::new(&mut memory[1..], 1).is_err());
        let mut knowledge = Knowledge::new(&mut memory, 1).unwrap();
        assert_eq!(knowledge.score(&mut table, &[0.0]), Err(Error::NoData));
        assert_eq!(knowledge.prepare(&mut table, &[2.0], 0.0), Err(Error::NotFinite));
        assert_eq!(knowledge.prepare(&mut table, &[0.0], f64::NAN), Err(Error::NotFinite));
        assert!(knowledge.prepare(&mut table, &[0.0, 1.0], 0.0).is_err());
        curve(&[0.1, 0.9], &[0.2, -0.1], |model, _, _| {
            let mut memory = vec![0.0; Knowledge::<f64>::scalars(9)];
            let mut knowledge = Knowledge::new(&mut memory, 9).unwrap();
            knowledge.prepare(model, &grid(9), 1e-6).unwrap();
            assert!(knowledge.score(model, &[0.6]).unwrap() > 0.0);
            assert_eq!(lowest(knowledge.means[..knowledge.count].iter().copied()).0, 7);
        });
    }
}
