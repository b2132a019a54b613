//! Noisy expected improvement: improvement over a best value that is itself uncertain.

use super::joint::Joint;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

impl<'a, R: Real> Joint<'a, R> {
    /// Noisy expected improvement: the rule against the best of the function itself at the observed points, averaged over
    /// `count` draws of what that may be. Cost for n points: n model answers, n³/3 + count·n² flops.
    ///
    /// ```text
    /// (1/F) Σᶠ a(mᶠ(x), s²(x); minⱼ fⱼᶠ),   fᶠ ~ N(m, K) at the observed points, without noise
    /// mᶠ(x) = m(x) + c(x)ᵀK⁻¹(fᶠ − m),   s²(x) = v(x) − c(x)ᵀK⁻¹c(x)
    /// ```
    ///
    /// K is the joint covariance that is left after the observations: it vanishes without noise, and the rule is then that
    /// against the best observed value. Open trials join the observed points. A logarithmic rule is averaged as what it is
    /// the logarithm of.
    ///
    /// # Errors
    /// [`Error::NoData`] without points, [`Error::Shape`], [`Error::NotFinite`], [`Error::Config`] for no draws,
    /// [`Error::Unsupported`] for a model without normal joint predictions.
    ///
    /// # References
    /// Letham, Karrer, Ottoni and Bakshy, *Constrained Bayesian Optimization with Noisy Experiments*, 2019, section 3.2.
    pub(crate) fn noisy(
        model: &mut dyn Surrogate<R>,
        points: &[R],
        count: usize,
        rule: Acquisition<R>,
        seed: u64,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let joint = Self::fantasies(model, points, count, R::ZERO, rule, R::INFINITY, seed, memory)?;
        if points.is_empty() { Err(Error::NoData) } else { Ok(joint) }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use crate::acquisition::Acquisition;
    use crate::linalg::packed;
    use crate::pending::joint::Joint;
    use crate::pending::tests::{OPEN, model, process};
    use crate::rng::Generator;
    use crate::surrogate::{self, AcquisitionFunction};
    use crate::trend::Trend;

    const RULE: Acquisition<f64> = Acquisition::Improvement { margin: 0.0 };

    #[test]
    fn is_expected_improvement_without_noise() {
        process::<f64, _>(Trend::Constant, 1e-13, |gp, tape| {
            let (inputs, rows) = (gp.inputs().to_vec(), gp.rows());
            let best = gp.targets().iter().copied().fold(f64::INFINITY, f64::min);
            model(gp, tape, |model| {
                let mut memory = vec![0.0; Joint::<f64>::scalars(rows, 2, 64)];
                let mut noisy = Joint::noisy(model, &inputs, 64, RULE, 1, &mut memory).unwrap();
                for x in [[0.8, 0.3], [0.7, 0.2], [0.1, 0.5], [0.95, 0.95]] {
                    let exact = RULE.score(model.predict(&x).unwrap(), best);
                    // The best value is uncertain by the root of the noise, 3·10⁻⁷.
                    let ours = noisy.score(model, &x).unwrap();
                    assert!((ours - exact).abs() < 1e-6, "{ours} {exact}");
                }
            });
        });
    }

    /// E[max(minⱼ fⱼ − f(x), 0)] over joint draws, with open trials among the points and without.
    #[test]
    fn agrees_with_a_long_run() {
        for open in [&OPEN[..0], &OPEN[..4]] {
            process::<f64, _>(Trend::Constant, 0.04, |gp, tape| {
                let (inputs, rows) = (gp.inputs().to_vec(), gp.rows());
                let (x, count) = ([0.72, 0.25], rows + open.len() / 2 + 1);
                model(gp, tape, |model| {
                    let mut memory = vec![0.0; Joint::<f64>::scalars(count - 1, 2, 4096)];
                    let points = [&inputs[..], open].concat();
                    let mut noisy = Joint::noisy(model, &points, 4096, RULE, 1, &mut memory).unwrap();
                    let ours = noisy.score(model, &x).unwrap();
                    let all = [&inputs[..], open, &x].concat();
                    let (mut means, mut factor) = (vec![0.0; count], vec![0.0; packed(count)]);
                    let mut scratch = vec![0.0; packed(count)];
                    model.anchor(&all, &mut means, &mut factor).unwrap();
                    surrogate::factor(&mut factor, count, &mut scratch).unwrap();
                    let (mut sum, mut squares, draws) = (0.0, 0.0, 100_000);
                    let mut generator = Generator::new(9);
                    let mut f = means.clone();
                    for _ in 0..draws {
                        f.copy_from_slice(&means);
                        surrogate::add_draw(&mut f, &factor, &mut generator, &mut scratch).unwrap();
                        let best = f[..count - 1].iter().copied().fold(f64::INFINITY, f64::min);
                        let gain = (best - f[count - 1]).max(0.0);
                        (sum, squares) = (sum + gain, squares + gain * gain);
                    }
                    let mean = sum / f64::from(draws);
                    let error = ((squares / f64::from(draws) - mean * mean) / f64::from(draws)).sqrt();
                    assert!((ours - mean).abs() < 4.0 * error, "{ours} {mean} ± {error}");
                    assert!(error < 0.05 * mean, "{error} {mean}");
                });
            });
        }
    }

    #[test]
    fn gradient_matches_differences() {
        process::<f64, _>(Trend::Linear, 0.01, |gp, tape| {
            let (inputs, rows) = (gp.inputs().to_vec(), gp.rows());
            model(gp, tape, |model| {
                for rule in [RULE, Acquisition::LogImprovement { margin: 0.0 }] {
                    let mut memory = vec![0.0; Joint::<f64>::scalars(rows + 1, 2, 32)];
                    let mut noisy =
                        Joint::noisy(model, &[&inputs[..], &OPEN[..2]].concat(), 32, rule, 1, &mut memory)
                            .unwrap();
                    let (x, step) = ([0.72, 0.25], 1e-5);
                    let (mut gradient, mut scratch) = ([0.0; 2], [0.0; 4]);
                    noisy.gradient(model, &x, [&mut gradient, &mut scratch]).unwrap();
                    for k in 0..2 {
                        let mut at = |d: f64| {
                            let mut moved = x;
                            moved[k] += d;
                            noisy.score(model, &moved).unwrap()
                        };
                        let slope = (at(step) - at(-step)) / (2.0 * step);
                        let bound = 1e-6 * (1.0 + slope.abs());
                        assert!((slope - gradient[k]).abs() < bound, "{slope} {}", gradient[k]);
                    }
                }
            });
        });
    }
}
