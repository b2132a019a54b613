//! Local penalisation: open trials as ground that a trial already covers.

use super::ScoreKind;
use crate::acquisition::Acquisition;
use crate::block::Scratch;
use crate::error::Error;
use crate::math::dot;
use crate::real::Real;
use crate::stats::normal;
use crate::surrogate::{AcquisitionFunction, ClosedForm, Surrogate};

/// Local penalisation: the rule times the chance that each open trial leaves the point a candidate for the minimum.
///
/// If the function changes by at most L per unit and its minimum is M, an open trial at xⱼ rules out the ball of radius
/// (f(xⱼ) − M)/L around it. The chance that x is outside is
///
/// ```text
/// φⱼ(x) = ½ erfc(−z) = Φ(√2 z),   √2 z = (L‖x − xⱼ‖ + M − mⱼ)/sⱼ
///
/// rule ln a          ln a(x) + Σⱼ ln φⱼ(x)
/// rule a ≥ 0         a(x) · Πⱼ φⱼ(x)
/// rule of any sign   ln ln(1 + eᵃ) + Σⱼ ln φⱼ(x)
/// ```
///
/// with mⱼ, sⱼ the prediction at xⱼ. M is guessed by the best value or the lowest mean seen, whichever is lower, and L by
/// the steepest slope of the mean. Without open trials it is a(x) itself. It lives as long as the memory lent to it.
///
/// # References
/// González, Dai, Hennig and Lawrence, *Pending Bayesian Optimization via Local Penalization*, 2016, equations 6 to 9;
/// here for a minimum.
#[derive(Debug)]
pub(crate) struct Penalty<'a, R> {
    points: &'a mut [R],
    /// mⱼ − M
    gaps: &'a mut [R],
    deviations: &'a mut [R],
    pub(super) slope: R,
    closed: ClosedForm<R>,
}

impl<'a, R: Real> Penalty<'a, R> {
    /// Scalars of memory for `open` trials.
    pub(crate) const fn scalars(open: usize, dims: usize) -> usize {
        if open == 0 {
            return 0;
        }
        open.saturating_mul(dims.saturating_add(2)).saturating_add(dims.saturating_mul(2))
    }

    /// Predicts the trials at `open`; L is the steepest slope of the model's mean at these and at `candidates`, M the
    /// least of `best` and of the means there. Cost: one gradient for each of them.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], or what the model reports.
    pub(crate) fn prepare(
        model: &mut dyn Surrogate<R>,
        open: &[R],
        candidates: &[R],
        rule: Acquisition<R>,
        best: R,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let dims = model.dims();
        let count = open.len() / dims.max(1);
        Error::Shape { needed: dims }.when(dims == 0 || open.len() != count * dims)?;
        Error::NotFinite.when(open.iter().any(|v| !v.is_finite()))?;
        let needed = Self::scalars(count, dims);
        Error::Shape { needed }.when(memory.len() < needed)?;
        let mut memory = Scratch::new(memory);
        let (points, gaps) = (memory.take(open.len())?, memory.take(count)?);
        let (deviations, scratch) = (memory.take(count)?, memory.rest());
        points.copy_from_slice(open);
        let mut slope = R::ZERO;
        if count > 0 {
            let mut widest = R::ZERO;
            for (j, point) in open.chunks_exact(dims).enumerate() {
                let prediction = model.predict(point)?;
                (gaps[j], deviations[j]) = (prediction.mean, prediction.deviation());
                widest = widest.max(deviations[j]);
            }
            let (near, far) = (survey(model, open, scratch)?, survey(model, candidates, scratch)?);
            slope = near.0.max(far.0);
            let least = best.min(near.1).min(far.1);
            gaps.iter_mut().for_each(|gap| *gap -= least);
            // A flat mean says nothing of the slope: as if a deviation were gained on a tenth of the cube.
            if slope <= R::of(1e-7) * widest {
                slope = R::of(10.0) * widest;
            }
            let least = (R::EPSILON.sqrt() * slope).max(R::MIN_POSITIVE);
            deviations.iter_mut().for_each(|s| *s = s.max(least));
        }
        Ok(Self { points, gaps, deviations, slope, closed: ClosedForm { rule, best } })
    }

    /// Σⱼ ln φⱼ at a point: 0 or less. Cost: O(q·dims).
    #[must_use]
    fn log_factor(&self, point: &[R]) -> R {
        let mut sum = R::ZERO;
        for (j, other) in self.points.chunks_exact(point.len().max(1)).enumerate() {
            sum += normal::log_cdf(self.standard(j, distance(point, other)));
        }
        sum.clamp(-R::MAX, R::ZERO)
    }

    /// √2 z of open trial `j` at this distance.
    fn standard(&self, j: usize, away: R) -> R {
        (self.slope * away - self.gaps[j]) / self.deviations[j]
    }

    fn penalised(&self, score: R, point: &[R]) -> R {
        if self.points.is_empty() {
            return score;
        }
        let log_factor = self.log_factor(point);
        let score = match ScoreKind::of(&self.closed.rule) {
            ScoreKind::Log => score + log_factor,
            ScoreKind::Positive => score * log_factor.exp(),
            ScoreKind::Signed => log_softplus(score).0 + log_factor,
        };
        score.clamp(-R::MAX, R::MAX)
    }
}

impl<R: Real> AcquisitionFunction<R> for Penalty<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.closed.scores(model, points, out)?;
        for (point, out) in points.chunks_exact(model.dims().max(1)).zip(out) {
            *out = self.penalised(*out, point);
        }
        Ok(())
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        model.smooth(parameter)
    }

    /// ```text
    /// ∂ ln φⱼ = φ(u)/Φ(u) · L/sⱼ · (x − xⱼ)/‖x − xⱼ‖,   u = √2 z;   0 at xⱼ itself
    /// ```
    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, scratch] = out;
        let score = self.closed.gradient(model, at, [gradient, scratch])?;
        let dims = at.len();
        if self.points.is_empty() {
            return Ok(score);
        }
        let log_factor = self.log_factor(at);
        // The score is multiplied, or its logarithm taken, before ∂ Σⱼ ln φⱼ comes with this weight.
        let (by_score, weight) = match ScoreKind::of(&self.closed.rule) {
            ScoreKind::Log => (R::ONE, R::ONE),
            ScoreKind::Positive => (log_factor.exp(), log_factor.exp() * score),
            ScoreKind::Signed => (log_softplus(score).1, R::ONE),
        };
        gradient.iter_mut().for_each(|g| *g *= by_score);
        for (j, other) in self.points.chunks_exact(dims).enumerate() {
            let away = distance(at, other);
            if away > R::ZERO {
                let slope = normal::log_cdf_slope(self.standard(j, away)) * self.slope / self.deviations[j];
                for k in (0..dims).filter(|&k| model.smooth(k)) {
                    gradient[k] += weight * slope * ((at[k] - other[k]) / away);
                }
            }
        }
        for g in gradient.iter_mut() {
            *g = if g.is_nan() { R::ZERO } else { g.clamp(-R::MAX, R::MAX) };
        }
        Ok(self.penalised(score, at))
    }
}

/// The steepest slope of a model's mean, and its lowest value, at some points; `scratch` has two scalars per coordinate.
///
/// ```text
/// max ‖∂m(x)‖,   min m(x)
/// ```
///
/// For a model without derivatives the slope is the steepest secant between a point and the next. 0 and ∞ without points.
///
/// # Errors
/// [`Error::Shape`], or what the model reports.
fn survey<R: Real>(model: &mut dyn Surrogate<R>, points: &[R], scratch: &mut [R]) -> Result<(R, R), Error> {
    let dims = model.dims();
    if dims == 0 || !points.len().is_multiple_of(dims) || scratch.len() < 2 * dims {
        return Err(Error::Shape { needed: 2 * dims });
    }
    let (by_mean, rest) = scratch.split_at_mut(dims);
    let by_variance = &mut rest[..dims];
    let (mut most, mut least, mut last) = (R::ZERO, R::INFINITY, None);
    for point in points.chunks_exact(dims) {
        let (mean, slope) = match model.gradient(point, [&mut *by_mean, &mut *by_variance]) {
            Ok(prediction) => (prediction.mean, dot(by_mean, by_mean).sqrt()),
            Err(Error::Unsupported) => {
                let mean = model.predict(point)?.mean;
                let secant = match last.replace((point, mean)) {
                    Some((other, before)) => (mean - before).abs() / distance(point, other),
                    None => R::ZERO,
                };
                (mean, if secant.is_finite() { secant } else { R::ZERO })
            }
            Err(error) => return Err(error),
        };
        (most, least) = (most.max(slope), least.min(mean));
    }
    Ok((most.min(R::MAX), least))
}

/// ‖a − b‖
fn distance<R: Real>(a: &[R], b: &[R]) -> R {
    a.iter().zip(b).fold(R::ZERO, |sum, (&a, &b)| sum + (a - b) * (a - b)).sqrt()
}

/// ln ln(1 + eᵃ) with its slope.
fn log_softplus<R: Real>(a: R) -> (R, R) {
    if a < R::EPSILON.ln() {
        // ln(1 + eᵃ) is eᵃ to rounding.
        return (a, R::ONE);
    }
    let plus = a.max(R::ZERO) + (-a.abs()).exp().ln_1p();
    (plus.ln(), R::ONE / ((R::ONE + (-a).exp()) * plus))
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::{AcquisitionFunction, Penalty, log_softplus, survey};
    use crate::pending::ScoreKind;
    use crate::pending::tests::{OPEN, RULES, model, process};
    use crate::trend::Trend;

    /// The score is the rule times ½ erfc(−z) of each open trial, written out.
    #[test]
    fn agrees_with_the_formula() {
        let candidates = [0.2, 0.1, 0.5, 0.9, 0.9, 0.3, 0.31, 0.77];
        process::<f64, _>(Trend::Constant, 1e-4, |gp, tape| {
            let lowest = gp.targets().iter().copied().fold(f64::INFINITY, f64::min);
            model(gp, tape, |model| {
                let (mut by_mean, mut unused) = ([0.0; 2], [0.0; 2]);
                let (mut slope, mut least) = (0.0f64, f64::INFINITY);
                for x in candidates.chunks_exact(2).chain(OPEN.chunks_exact(2)) {
                    least = least.min(model.gradient(x, [&mut by_mean, &mut unused]).unwrap().mean);
                    slope = slope.max(by_mean[0].hypot(by_mean[1]));
                }
                for (rule, best) in RULES.into_iter().flat_map(|rule| [(rule, lowest), (rule, least - 0.3)]) {
                    let mut memory = vec![0.0; Penalty::<f64>::scalars(3, 2)];
                    let mut penalty =
                        Penalty::prepare(model, &OPEN, &candidates, rule, best, &mut memory).unwrap();
                    assert!((penalty.slope - slope).abs() < 1e-12 * slope);
                    for x in [[0.8, 0.3], [0.83, 0.4], [0.1, 0.5], [0.69, 0.16]] {
                        let mut product = 1.0;
                        for other in OPEN.chunks_exact(2) {
                            let there = model.predict(other).unwrap();
                            let away = (x[0] - other[0]).hypot(x[1] - other[1]);
                            let z =
                                (slope * away + best.min(least) - there.mean) / (2.0 * there.variance).sqrt();
                            product *= 0.5 * libm::erfc(-z);
                        }
                        let plain = rule.score(model.predict(&x).unwrap(), best);
                        let expected = match ScoreKind::of(&rule) {
                            ScoreKind::Log => plain + product.ln(),
                            ScoreKind::Positive => plain * product,
                            ScoreKind::Signed => (1.0 + plain.exp()).ln().ln() + product.ln(),
                        };
                        let ours = penalty.score(model, &x).unwrap();
                        assert!(
                            (ours - expected).abs() < 1e-11 * (1e-300 + expected.abs()),
                            "{ours} {expected}"
                        );
                    }
                }
                let mut scratch = [0.0; 4];
                assert!(survey(model, &candidates, &mut scratch).unwrap().0 <= slope);
                assert_eq!(survey(model, &[], &mut scratch), Ok((0.0, f64::INFINITY)));
                assert!(survey(model, &candidates[1..], &mut scratch).is_err());
                assert!(survey(model, &candidates, &mut scratch[1..]).is_err());
            });
        });
    }

    #[test]
    fn the_softplus_keeps_its_tails() {
        for a in [-800.0, -40.0, -36.1, -36.0, -5.0, -0.1, 0.0, 0.3, 20.0, 800.0f64] {
            let (value, slope) = log_softplus(a);
            // Its series below, a itself above.
            let expected = if a < -30.0 {
                a - 0.5 * a.exp()
            } else if a > 30.0 {
                a.ln()
            } else {
                a.exp().ln_1p().ln()
            };
            assert!((value - expected).abs() < 1e-15 * expected.abs().max(1.0), "{a} {value} {expected}");
            let step = 1e-6;
            let rough = (log_softplus(a + step).0 - log_softplus(a - step).0) / (2.0 * step);
            assert!((slope - rough).abs() < 1e-7, "{a} {slope} {rough}");
        }
    }
}
