//! Max-value entropy search: how much a trial tells about how low the minimum is.

use super::gumbel;
use super::joint::{Joint, count, worst};
use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::stats::normal;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// How the lowest value is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Minima {
    /// From joint draws at the representers: exact there.
    #[default]
    Joint,
    /// From a Gumbel distribution through the quartiles of the minimum of independent predictions: cheap, needs no joint
    /// prediction, and too low where the representers are correlated.
    Gumbel,
}

/// The expected fall of the entropy of a noiseless trial if the lowest value y* were known.
///
/// ```text
/// α(x) = mean over y* of  γ φ(γ)/(2Φ(γ)) − ln Φ(γ),   γ = (m(x) − y*)/s(x)
///      = mean over y* of  γ/(2 (ln h)′(γ)) + ln √(2π) + ln (ln Φ)′(γ)     for γ ≤ 0, where nothing cancels
/// ```
///
/// It is smooth in x wherever the prediction is. Predictions are taken as normal.
///
/// Cost: `prepare` G³/3 + S·G² for [`Minima::Joint`], O(G) for [`Minima::Gumbel`]; `score` O(S).
///
/// Used by one thread at a time; it lives as long as the memory lent to it.
///
/// # References
/// Wang and Jegelka, *Max-value Entropy Search for Efficient Bayesian Optimization*, 2017, equation 6 and section 3.1.
#[derive(Debug)]
pub(crate) struct MaxValue<'a, R> {
    joint: Joint<'a, R>,
    draw: &'a mut [R],
    minima: &'a mut [R],
    ready: bool,
}

impl<'a, R: Real> MaxValue<'a, R> {
    /// Scalars of memory for as many representers and draws.
    pub(crate) const fn scalars(representers: usize, draws: usize) -> usize {
        Joint::<R>::scalars(representers) + 2 * representers + draws
    }

    /// In memory of [`MaxValue::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] if a count is 0, [`Error::Shape`] if the memory is too small.
    pub(crate) fn new(memory: &'a mut [R], representers: usize, draws: usize) -> Result<Self, Error> {
        Error::Config.when(representers == 0 || draws == 0)?;
        let mut scratch = Scratch::new(memory);
        Ok(Self {
            joint: Joint::carve(&mut scratch, representers)?,
            draw: scratch.take(2 * representers)?,
            minima: scratch.take(draws)?,
            ready: false,
        })
    }

    /// Draws lowest values over the representers; none is above `ceiling`, say the lowest mean at a trial that was made,
    /// or ∞.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are between one and the agreed number of representers, [`Error::NotFinite`] if a
    /// prediction is not a number, [`Error::NotPositiveDefinite`], [`Error::Unsupported`] if draws are to be joint and the
    /// model has none, and what else it reports.
    pub(crate) fn prepare(
        &mut self,
        model: &mut dyn Surrogate<R>,
        representers: &[R],
        how: Minima,
        ceiling: R,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        self.ready = false;
        match how {
            Minima::Joint => {
                let count = self.joint.anchor(model, representers)?;
                for minimum in &mut *self.minima {
                    self.joint.draw(generator, self.draw)?;
                    *minimum = self.joint.lowest(&self.draw[..count]).1;
                }
            }
            Minima::Gumbel => {
                let count = count(representers, model.dims(), self.draw.len() / 2)?;
                let (means, deviations) = self.draw[..2 * count].split_at_mut(count);
                model.predict_many(representers, means, deviations)?;
                for s in deviations.iter_mut() {
                    // A negative variance is rounding; NaN must stay what it is.
                    *s = if *s < R::ZERO { R::ZERO } else { s.sqrt() };
                }
                Error::NotFinite
                    .when(!means.iter().chain(deviations.iter()).all(|value| value.is_finite()))?;
                let (place, scale) = gumbel::fit(means, deviations);
                for minimum in &mut *self.minima {
                    *minimum = place + scale * rng::exponential::<R, _>(generator).ln();
                }
            }
        }
        for minimum in &mut *self.minima {
            *minimum = minimum.min(ceiling);
        }
        self.ready = true;
        Ok(())
    }

    /// α of a prediction; the lowest number if it is not one.
    pub(crate) fn of(&self, prediction: Prediction<R>) -> R {
        self.of_gradient(prediction).0
    }

    /// α of a prediction with its derivatives by the mean and by the standard deviation.
    ///
    /// ```text
    /// dα/dγ = −½ λ (1 + γ(γ + λ)),   λ = φ(γ)/Φ(γ);   ∂α/∂m = dα/dγ/s,   ∂α/∂s = −γ dα/dγ/s
    /// ```
    pub(crate) fn of_gradient(&self, prediction: Prediction<R>) -> (R, R, R) {
        let (mean, deviation) = (prediction.mean, prediction.deviation());
        if !mean.is_finite() || !prediction.variance.is_finite() || !self.ready {
            return (worst(), R::ZERO, R::ZERO);
        }
        let (mut score, mut by_mean, mut by_deviation) = (R::ZERO, R::ZERO, R::ZERO);
        for &minimum in &*self.minima {
            let gamma = (mean - minimum) / deviation;
            // A deviation of (nearly) 0: what is known teaches nothing.
            if gamma.is_finite() {
                let (value, slope) = gain(gamma);
                score += value;
                by_mean += slope / deviation;
                by_deviation -= gamma * slope / deviation;
            }
        }
        let share = R::ONE / R::of_usize(self.minima.len());
        (score * share, finite(by_mean * share), finite(by_deviation * share))
    }
}

impl<R: Real> AcquisitionFunction<R> for MaxValue<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        Error::NoData.when(!self.ready)?;
        model.map_predictions(points, out, &mut |prediction| Ok(self.of(prediction)))
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        model.smooth(parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, scratch] = out;
        Error::NoData.when(!self.ready)?;
        Error::Shape { needed: at.len() }.when(gradient.len() != at.len())?;
        let mut scratch = Scratch::new(scratch);
        let (of_mean, of_variance) = (scratch.take(at.len())?, scratch.take(at.len())?);
        let prediction = model.gradient(at, [&mut *of_mean, &mut *of_variance])?;
        let (score, by_mean, by_deviation) = self.of_gradient(prediction);
        let half = R::HALF / prediction.deviation().max(R::MIN_POSITIVE.sqrt());
        for ((out, &m), &v) in gradient.iter_mut().zip(&*of_mean).zip(&*of_variance) {
            *out = by_mean * m + by_deviation * half * v;
        }
        Ok(score)
    }
}

/// The value without its infinities; 0 for NaN.
fn finite<R: Real>(value: R) -> R {
    if value.is_nan() { R::ZERO } else { value.clamp(-R::MAX, R::MAX) }
}

/// The fall of entropy of a standard normal that is kept above −γ, and its slope.
fn gain<R: Real>(gamma: R) -> (R, R) {
    let rise = normal::log_cdf_slope(gamma);
    if gamma > R::ZERO {
        let value = R::HALF * gamma * rise - normal::log_cdf(gamma);
        return (value, -R::HALF * rise * (R::ONE + gamma * (gamma + rise)));
    }
    let excess = R::ONE / normal::log_h_slope(gamma);
    let value = R::HALF * gamma * excess + R::of(LN_ROOT_TWO_PI) + rise.ln();
    // 1 + γ(γ + λ) is positive; deep below, rounding would make it less.
    (value, -R::HALF * rise * (R::ONE + gamma * excess).max(R::ZERO))
}

const LN_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_8;

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::tests::support::{Table, curve, grid};
    use super::{AcquisitionFunction, MaxValue, Minima, gain};
    use crate::acquisition::Prediction;
    use crate::error::Error;
    use crate::rng::Generator;
    use crate::stats::normal;

    /// ½ ln(2πe) less the entropy of a normal kept above −γ, by the trapezoidal rule on 14 units above the cut.
    fn numerical(gamma: f64) -> f64 {
        let n = 400_000;
        let from = f64::max(-gamma, -12.0);
        let width = if gamma < -4.0 { 40.0 / -gamma } else { 14.0 };
        let step = width / f64::from(n);
        let log_mass = normal::log_cdf(gamma);
        let mut entropy = 0.0;
        for i in 0..=n {
            let x = from + step * f64::from(i);
            let log = normal::log_density(x) - log_mass;
            entropy -= if i == 0 || i == n { 0.5 } else { 1.0 } * log.exp() * log * step;
        }
        0.5 * (2.0 * core::f64::consts::PI * core::f64::consts::E).ln() - entropy
    }

    #[test]
    fn agrees_with_the_entropy_of_the_truncated_normal() {
        for gamma in [-30.0, -12.0, -4.0, -1.0, -0.1, 0.0, 0.2, 1.0, 3.0] {
            let (value, slope) = gain::<f64>(gamma);
            assert!((value - numerical(gamma)).abs() < 1e-8 * (1.0 + value), "{gamma} {value}");
            let step = 1e-5 * (1.0 + gamma.abs());
            let difference = (gain(gamma + step).0 - gain(gamma - step).0) / (2.0 * step);
            assert!((slope - difference).abs() < 1e-8 * (1.0 + slope.abs()), "{gamma}");
            let single = gain(gamma as f32);
            assert!((f64::from(single.0) - value).abs() < 2e-6 * (1.0 + value), "{gamma} {single:?}");
            assert!((f64::from(single.1) - slope).abs() < 2e-4 * (1.0 + slope.abs()), "{gamma} {single:?}");
        }
        // Deep below, the gain is ln(−γ) + ln √(2π) − ½ to the order γ⁻².
        let deep = gain(-1e6f64).0;
        assert!((deep - (1e6f64.ln() + 0.918_938_533_204_672_8 - 0.5)).abs() < 1e-10);
        assert_eq!(gain(40.0f64), (0.0, 0.0));
        let mut before = f64::INFINITY;
        for i in -300..300 {
            let value = gain(f64::from(i) / 10.0).0;
            assert!(value >= 0.0 && value <= before);
            before = value;
        }
    }

    /// The minimum of two: E min = m₁Φ(−a) + m₂Φ(a) − θφ(a), a = (m₁ − m₂)/θ (Clark 1961).
    #[test]
    fn joint_minima_have_the_mean_of_clark() {
        let mut table = Table::new(&[0.2, 0.0], &[1.0, 0.5, 0.5, 0.6]);
        let mut memory = vec![0.0; MaxValue::<f64>::scalars(2, 100_000)];
        let mut search = MaxValue::new(&mut memory, 2, 100_000).unwrap();
        let generator = &mut Generator::new(3);
        search.prepare(&mut table, &[0.0, 1.0], Minima::Joint, f64::INFINITY, generator).unwrap();
        let theta = f64::sqrt(1.0 + 0.6 - 1.0);
        let a = 0.2 / theta;
        let expected = 0.2 * normal::cdf(-a) - theta * normal::density(a);
        let mean = search.minima.iter().sum::<f64>() / 1e5;
        let variance = search.minima.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - expected).abs() < 4.0 * (variance / 1e5).sqrt());
        search.prepare(&mut table, &[0.0, 1.0], Minima::Joint, -0.3, generator).unwrap();
        assert!(search.minima.iter().all(|&y| y <= -0.3));
    }

    /// Which of the two to prefer: on a curve the mean of the lowest value over 25 representers against 10⁴ draws on 201
    /// points. The independence that Gumbel's assumes puts it too low by more than a fifth of the spread.
    #[test]
    fn joint_minima_are_closer_than_gumbel() {
        let means = curve(&[0.05, 0.4, 0.95], &[0.3, -0.4, 0.5], |model, _, _| {
            let mut mean = |points: &[f64], draws: usize, how: Minima| {
                let mut memory = vec![0.0; MaxValue::<f64>::scalars(points.len(), draws)];
                let mut search = MaxValue::new(&mut memory, points.len(), draws).unwrap();
                search.prepare(model, points, how, f64::INFINITY, &mut Generator::new(11)).unwrap();
                search.minima.iter().sum::<f64>() / draws as f64
            };
            let coarse = grid(25);
            [
                mean(&grid(201), 10_000, Minima::Joint),
                mean(&coarse, 10_000, Minima::Joint),
                mean(&coarse, 10_000, Minima::Gumbel),
            ]
        });
        std::println!("mean of y*: 201 points {}, joint {}, Gumbel {}", means[0], means[1], means[2]);
        assert!((means[1] - means[0]).abs() < 0.02);
        assert!(means[2] < means[0] - 0.1);
    }

    #[test]
    fn the_gradient_is_that_of_the_score() {
        curve(&[0.05, 0.4, 0.95], &[0.3, -0.4, 0.5], |model, _, _| {
            let mut memory = vec![0.0; MaxValue::<f64>::scalars(9, 16)];
            let mut search = MaxValue::new(&mut memory, 9, 16).unwrap();
            search.prepare(model, &grid(9), Minima::Joint, -0.4, &mut Generator::new(1)).unwrap();
            for x in [0.1, 0.3, 0.55, 0.8] {
                let (mut gradient, mut scratch) = ([0.0], [0.0; 2]);
                let value = search.gradient(model, &[x], [&mut gradient, &mut scratch]).unwrap();
                assert_eq!(value, search.of(model.predict(&[x]).unwrap()));
                let step = 1e-5;
                let above = search.score(model, &[x + step]).unwrap();
                let below = search.score(model, &[x - step]).unwrap();
                let difference = (above - below) / (2.0 * step);
                assert!((gradient[0] - difference).abs() < 1e-6 * (1.0 + difference.abs()), "{x}");
            }
            assert!(search.gradient(model, &[0.1], [&mut [0.0], &mut [0.0]]).is_err());
            let mut many = [0.0; 20];
            search.scores(model, &grid(20), &mut many).unwrap();
            for (x, many) in grid(20).into_iter().zip(many) {
                // One by one the variance is summed in another order.
                let one = search.of(model.predict(&[x]).unwrap());
                assert!((many - one).abs() < 1e-6 * (1.0 + many));
            }
            assert!(search.scores(model, &grid(20), &mut many[1..]).is_err());
        });
        let mut memory = vec![0.0; MaxValue::<f64>::scalars(1, 3)];
        let mut search = MaxValue::new(&mut memory, 1, 3).unwrap();
        let mut table = Table::new(&[0.0], &[1.0]);
        search.prepare(&mut table, &[0.0], Minima::Gumbel, f64::INFINITY, &mut Generator::new(1)).unwrap();
        for (mean, sd) in [(0.3, 0.7), (-2.0, 0.4), (1.0, 2.0)] {
            let at = |mean: f64, sd: f64| search.of(Prediction { mean, variance: sd * sd });
            let (_, by_mean, by_sd) = search.of_gradient(Prediction { mean, variance: sd * sd });
            let e = 1e-6;
            assert!((by_mean - (at(mean + e, sd) - at(mean - e, sd)) / (2.0 * e)).abs() < 1e-7);
            assert!((by_sd - (at(mean, sd + e) - at(mean, sd - e)) / (2.0 * e)).abs() < 1e-7);
        }
    }

    #[test]
    fn edges() {
        let mut memory = vec![0.0; MaxValue::<f64>::scalars(2, 4)];
        assert_eq!(MaxValue::new(&mut memory, 2, 0).unwrap_err(), Error::Config);
        assert_eq!(MaxValue::new(&mut memory, 0, 4).unwrap_err(), Error::Config);
        assert!(MaxValue::new(&mut memory[1..], 2, 4).is_err());
        let mut search = MaxValue::new(&mut memory, 2, 4).unwrap();
        let mut table = Table::new(&[0.0, f64::NAN, 1.0], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let generator = &mut Generator::new(1);
        assert_eq!(search.score(&mut table, &[0.0]), Err(Error::NoData));
        for how in [Minima::Joint, Minima::Gumbel] {
            assert_eq!(search.prepare(&mut table, &[0.0, 1.0], how, 0.0, generator), Err(Error::NotFinite));
            assert!(!search.ready);
            assert!(search.prepare(&mut table, &[], how, 0.0, generator).is_err());
            search.prepare(&mut table, &[0.0, 0.0], how, f64::NAN, generator).unwrap();
            assert!(search.minima.iter().all(|y| y.is_finite()));
            assert_eq!(search.score(&mut table, &[1.0]), Ok(-f64::MAX));
            assert_eq!(search.score(&mut table, &[2.0]), Ok(0.0));
            for mean in [0.0, 1e300, -1e300] {
                for variance in [5e-324, 1e-300, 1e300] {
                    let (a, b, c) = search.of_gradient(Prediction { mean, variance });
                    assert!(a.is_finite() && b.is_finite() && c.is_finite(), "{mean} {variance}");
                }
            }
            search.prepare(&mut table, &[2.0], how, f64::INFINITY, generator).unwrap();
            assert!(search.minima.iter().all(|y| (y - 1.0).abs() < 1e-9));
        }
    }
}
