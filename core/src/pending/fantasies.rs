//! Fantasies: open trials as a few joint draws of what they may give.

use super::joint::Joint;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

impl<'a, R: Real> Joint<'a, R> {
    /// Fantasies: the mean of the rule over `count` joint draws of the values of the open trials; `noise` is the variance of
    /// a trial. Cost: q model answers, q³/3 + count·q² flops.
    ///
    /// ```text
    /// (1/F) Σᶠ a(mᶠ(x), s²(x); bᶠ)
    /// mᶠ(x) = m(x) + c(x)ᵀC⁻¹(yᶠ − m),   s²(x) = v(x) − c(x)ᵀC⁻¹c(x),   C = K + σ²I
    /// bᶠ = the least of the best and of what draw f makes one believe of the function at the open trials
    /// ```
    ///
    /// A logarithmic rule is averaged as what it is the logarithm of. The draws are those of one scrambled Sobol sequence
    /// for all candidates, so that scores are smooth and comparable; counts that are powers of two use it best.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Config`] for no draws, [`Error::Unsupported`] for a model
    /// without normal joint predictions.
    ///
    /// # References
    /// Snoek, Larochelle and Adams, *Practical Bayesian Optimization of Machine Learning Algorithms*, 2012, section 3.3.
    pub(crate) fn fantasies(
        model: &mut dyn Surrogate<R>,
        open: &[R],
        count: usize,
        noise: R,
        rule: Acquisition<R>,
        best: R,
        seed: u64,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let mut joint = Self::prepare(model, open, noise, count, rule, best, memory)?;
        joint.draw(seed);
        joint.own_incumbents(best, noise);
        Ok(joint)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use crate::acquisition::Acquisition;
    use crate::linalg::packed;
    use crate::pending::joint::Joint;
    use crate::pending::tests::{RULES, model, process};
    use crate::rng::Generator;
    use crate::surrogate;
    use crate::surrogate::AcquisitionFunction;
    use crate::trend::Trend;

    /// Three open trials, in the order in which they are kept.
    const SORTED: [f64; 6] = [0.05, 0.9, 0.7, 0.15, 0.83, 0.4];
    const POINTS: [[f64; 2]; 5] = [[0.42, 0.61], [0.8, 0.35], [0.05, 0.9], [0.0, 0.0], [1.0, 0.97]];

    fn close(a: f64, b: f64, bound: f64) {
        assert!((a - b).abs() <= bound * (1.0 + b.abs()), "{a} {b}");
    }

    /// A draw says of the rest what the process says with these values as rows.
    #[test]
    fn equals_rows_added_to_the_process() {
        for (trend, noise) in [(Trend::Zero, 1e-6), (Trend::Constant, 1e-2), (Trend::Linear, 1e-4)] {
            process::<f64, _>(trend, noise, |gp, tape| {
                let rows = gp.rows();
                let mut sets = vec![];
                model(gp, tape, |model| {
                    let mut memory = vec![0.0; Joint::<f64>::scalars(3, 2, 8)];
                    let mut fantasies =
                        Joint::fantasies(model, &SORTED, 8, noise, RULES[1], -0.7, 3, &mut memory).unwrap();
                    for set in 0..8 {
                        let mut values = [0.0; 3];
                        fantasies.values(set, &mut values);
                        let incumbent = fantasies.incumbents()[set];
                        let there = POINTS.map(|x| fantasies.predict(model, set, &x));
                        sets.push((values, there, incumbent));
                    }
                });
                for (values, there, incumbent) in sets {
                    for (x, y) in SORTED.chunks_exact(2).zip(values) {
                        gp.extend(&tape, x, y, 0.0).unwrap();
                    }
                    gp.refresh().unwrap();
                    for (x, here) in POINTS.iter().zip(there) {
                        let expected = gp.predict(&tape, x).unwrap();
                        close(here.mean, expected.mean, 1e-9);
                        close(here.variance, expected.variance, 1e-9);
                    }
                    let lowest = (rows..rows + 3).map(|row| gp.mean_at_row(row)).fold(-0.7, f64::min);
                    close(incumbent, lowest, 1e-9);
                    gp.truncate(rows);
                    gp.refresh().unwrap();
                }
            });
        }
    }

    /// The average over draws is that of a long run of independent draws, each with its rows in the process.
    #[test]
    fn agrees_with_a_long_run() {
        let (noise, best, x) = (1e-2, -0.6, [0.8, 0.3]);
        let rule = Acquisition::Improvement { margin: 0.0 };
        process::<f64, _>(Trend::Constant, noise, |gp, tape| {
            let rows = gp.rows();
            let (mut means, mut factor) = ([0.0; 3], [0.0; packed(3)]);
            let (plain, log) = model(gp, tape, |model| {
                let scores = [rule, Acquisition::LogImprovement { margin: 0.0 }].map(|rule| {
                    let mut memory = vec![0.0; Joint::<f64>::scalars(3, 2, 4096)];
                    let mut fantasies =
                        Joint::fantasies(model, &SORTED, 4096, noise, rule, best, 3, &mut memory).unwrap();
                    fantasies.score(model, &x).unwrap()
                });
                model.anchor(&SORTED, &mut means, &mut factor).unwrap();
                (scores[0], scores[1])
            });
            (0..3).for_each(|i| factor[packed(i) + i] += noise);
            surrogate::factor(&mut factor, 3, &mut [0.0; 6]).unwrap();
            let mut generator = Generator::new(11);
            let (mut sum, mut squares, count) = (0.0, 0.0, 100_000);
            for _ in 0..count {
                let mut values = means;
                surrogate::add_draw(&mut values, &factor, &mut generator, &mut [0.0; 3]).unwrap();
                for (x, y) in SORTED.chunks_exact(2).zip(values) {
                    gp.extend(&tape, x, y, 0.0).unwrap();
                }
                gp.refresh().unwrap();
                let incumbent = (rows..rows + 3).map(|row| gp.mean_at_row(row)).fold(best, f64::min);
                let score = rule.score(gp.predict(&tape, &x).unwrap(), incumbent);
                gp.truncate(rows);
                (sum, squares) = (sum + score, squares + score * score);
            }
            let mean = sum / f64::from(count);
            let error = ((squares / f64::from(count) - mean * mean) / f64::from(count)).sqrt();
            assert!((plain - mean).abs() < 4.0 * error, "{plain} {mean} ± {error}");
            assert!(error < 0.02 * mean);
            close(log.exp(), plain, 1e-12);
        });
    }

    #[test]
    fn the_seed_decides() {
        process::<f64, _>(Trend::Constant, 1e-4, |gp, tape| {
            model(gp, tape, |model| {
                let mut score = |seed| {
                    let mut memory = vec![0.0; Joint::<f64>::scalars(3, 2, 16)];
                    let mut fantasies =
                        Joint::fantasies(model, &SORTED, 16, 1e-4, RULES[2], -0.6, seed, &mut memory)
                            .unwrap();
                    fantasies.score(model, &[0.8, 0.3]).unwrap()
                };
                assert_eq!(score(1), score(1));
                assert_ne!(score(1), score(2));
            });
        });
    }
}
