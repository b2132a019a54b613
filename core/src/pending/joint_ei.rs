//! Joint expected improvement (qEI): what a trial is expected to improve beyond all open ones.

use super::joint::Joint;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

impl<'a, R: Real> Joint<'a, R> {
    /// Joint expected improvement (qEI): the part that the candidate adds to the open trials, by quasi-Monte-Carlo. Cost: q
    /// model answers, q³/3 + draws·q² flops.
    ///
    /// ```text
    /// E[max(b − min(f₁ … f_q, f(x)), 0)] − E[max(b − min(f₁ … f_q), 0)] = E[max(B − f(x), 0)],   B = min(b, f₁ … f_q)
    ///                                                                    ≈ (1/N) Σₙ EI(mₙ(x), s(x); Bₙ)
    /// ```
    ///
    /// Only the values at the open points are drawn; that of the candidate given them is integrated in closed form, so that
    /// the score is smooth, has less variance than with one dimension more, and is EI itself where none is open. The second
    /// expectation does not depend on the candidate. With [`Acquisition::LogImprovement`] the score is the logarithm, whose
    /// ranking survives where improvements underflow.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Config`] for no draws, [`Error::Unsupported`] for a rule that is
    /// no expected improvement or a model without normal joint predictions.
    ///
    /// # References
    /// Ginsbourger, Le Riche and Carraro, *Kriging is well-suited to parallelize optimization*, 2010, section 3. Chevalier
    /// and Ginsbourger, *Fast Computation of the Multi-points Expected Improvement with Applications in Pending Selection*,
    /// 2013. Wilson, Hutter and Deisenroth, *Maximizing acquisition functions for Bayesian optimization*, 2018.
    pub(crate) fn improvement(
        model: &mut dyn Surrogate<R>,
        open: &[R],
        draws: usize,
        rule: Acquisition<R>,
        best: R,
        seed: u64,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        if !matches!(rule, Acquisition::Improvement { .. } | Acquisition::LogImprovement { .. }) {
            return Err(Error::Unsupported);
        }
        Self::fantasies(model, open, draws, R::ZERO, rule, best, seed, memory)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use crate::acquisition::{Acquisition, improvement};
    use crate::linalg::packed;
    use crate::pending::joint::Joint;
    use crate::pending::tests::{OPEN, model, process};
    use crate::rng::Generator;
    use crate::surrogate::{self, AcquisitionFunction, Surrogate};
    use crate::trend::Trend;

    const RULE: Acquisition<f64> = Acquisition::Improvement { margin: 0.0 };
    const LOG: Acquisition<f64> = Acquisition::LogImprovement { margin: 0.0 };

    impl Joint<'_, f64> {
        /// The second expectation: what the open trials are expected to improve together, without a candidate.
        fn promised(&self, best: f64) -> f64 {
            let sum = self.incumbents().iter().fold(0.0, |sum, &b| sum + (best - b).max(0.0));
            sum / self.incumbents().len().max(1) as f64
        }
    }

    /// What the open trials promise and what the point adds, with `draws` draws.
    fn parts(
        model: &mut dyn Surrogate<f64>,
        open: &[f64],
        draws: usize,
        rule: Acquisition<f64>,
        best: f64,
        x: &[f64],
    ) -> (f64, f64) {
        let mut memory = vec![0.0; Joint::<f64>::scalars(open.len() / 2, 2, draws)];
        let mut expected = Joint::improvement(model, open, draws, rule, best, 7, &mut memory).unwrap();
        (expected.promised(best), expected.score(model, x).unwrap())
    }

    fn with(then: impl FnOnce(&mut dyn Surrogate<f64>)) {
        process::<f64, _>(Trend::Constant, 1e-4, |gp, tape| model(gp, tape, then));
    }

    /// Of two the first promises its own EI; and where any value is an improvement, the second adds
    /// E[max(f₁ − f₂, 0)], the expected gain of a difference of normals.
    #[test]
    fn agrees_with_closed_forms() {
        with(|model| {
            for x in [[0.8, 0.3], [0.9, 0.5], [0.7, 0.35], [0.1, 0.5]] {
                let (mut means, mut matrix) = ([0.0; 2], [0.0; 3]);
                let both = [OPEN[0], OPEN[1], x[0], x[1]];
                model.anchor(&both, &mut means, &mut matrix).unwrap();
                let deviation = (matrix[0] + matrix[2] - 2.0 * matrix[1]).sqrt();
                let gain = improvement::expected(means[0] - means[1], deviation);
                let (_, added) = parts(model, &OPEN[..2], 1 << 14, RULE, 100.0, &x);
                assert!((added - gain).abs() < 2e-5 * deviation, "{added} {gain}");
                let single = improvement::expected(-0.6 - means[0], matrix[0].sqrt());
                let (promised, _) = parts(model, &OPEN[..2], 1 << 14, RULE, -0.6, &x);
                assert!((promised - single).abs() < 2e-5 * matrix[0].sqrt(), "{promised} {single}");
            }
        });
    }

    /// Two together, against a sum over a fine grid of their joint density.
    #[test]
    fn agrees_with_quadrature() {
        with(|model| {
            let (x, best) = ([0.72, 0.25], -0.55);
            let (mut means, mut matrix) = ([0.0; 2], [0.0; 3]);
            model.anchor(&[OPEN[0], OPEN[1], x[0], x[1]], &mut means, &mut matrix).unwrap();
            surrogate::factor(&mut matrix, 2, &mut [0.0; 3]).unwrap();
            let (step, mut sum) = (0.01, 0.0);
            for i in -800..=800 {
                for j in -800..=800 {
                    let (a, b) = (f64::from(i) * step, f64::from(j) * step);
                    let first = means[0] + matrix[0] * a;
                    let second = means[1] + matrix[1] * a + matrix[2] * b;
                    let gain = (best - first.min(second)).max(0.0);
                    sum += gain * (-0.5 * (a * a + b * b)).exp();
                }
            }
            let exact = sum * step * step / core::f64::consts::TAU;
            let (promised, added) = parts(model, &OPEN[..2], 1 << 14, RULE, best, &x);
            assert!((promised + added - exact).abs() < 1e-4 * exact, "{} {exact}", promised + added);
            assert!(added > 0.05 * exact);
        });
    }

    #[test]
    fn agrees_with_a_long_run() {
        with(|model| {
            let (x, best) = ([0.72, 0.25], -0.55);
            let mut all = [0.0; 8];
            all[..6].copy_from_slice(&OPEN);
            all[6..].copy_from_slice(&x);
            let (mut means, mut factor) = ([0.0; 4], [0.0; packed(4)]);
            model.anchor(&all, &mut means, &mut factor).unwrap();
            surrogate::factor(&mut factor, 4, &mut [0.0; 10]).unwrap();
            let (mut generator, count) = (Generator::new(2), 100_000);
            let (mut sums, mut squares) = ([0.0; 2], [0.0; 2]);
            for _ in 0..count {
                let mut f = means;
                surrogate::add_draw(&mut f, &factor, &mut generator, &mut [0.0; 4]).unwrap();
                let promised = (best - f[0].min(f[1]).min(f[2])).max(0.0);
                let added = (best - f[3]).max(promised) - promised;
                for (k, value) in [promised, added].into_iter().enumerate() {
                    sums[k] += value;
                    squares[k] += value * value;
                }
            }
            let (promised, added) = parts(model, &OPEN, 4096, RULE, best, &x);
            for (k, ours) in [promised, added].into_iter().enumerate() {
                let mean = sums[k] / f64::from(count);
                let error = ((squares[k] / f64::from(count) - mean * mean) / f64::from(count)).sqrt();
                assert!((ours - mean).abs() < 4.0 * error, "{ours} {mean} ± {error}");
                assert!(error < 0.05 * mean);
            }
        });
    }

    /// The logarithm is that of the expectation, and goes on where that is 0.
    #[test]
    fn logarithms_outlast_underflow() {
        with(|model| {
            let x = [0.72, 0.25];
            let (_, plain) = parts(model, &OPEN, 64, RULE, -0.55, &x);
            let (_, log) = parts(model, &OPEN, 64, LOG, -0.55, &x);
            assert!((log - plain.ln()).abs() < 1e-13);
            let far = [[0.72, 0.25], [0.5, 0.5], [0.2, 0.4]].map(|x| {
                assert_eq!(parts(model, &OPEN, 64, RULE, -100.0, &x).1, 0.0);
                parts(model, &OPEN, 64, LOG, -100.0, &x).1
            });
            assert!(far.iter().all(|s| s.is_finite()));
            assert!(far[0] != far[1] && far[1] != far[2]);
        });
    }
}
