//! What a search maximises: an acquisition function of a model.

use crate::backend::Sobol;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// An acquisition function and the model that it is asked about.
pub(crate) struct Goal<'g, R> {
    pub(crate) model: &'g mut dyn Surrogate<R>,
    pub(crate) function: &'g mut dyn AcquisitionFunction<R>,
}

impl<R: Real> Goal<'_, R> {
    /// The scores of `out.len()` points.
    pub(super) fn scores(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        self.function.scores(self.model, points, out)
    }

    /// The score of one point, by the plain code.
    pub(super) fn score(&mut self, point: &[R]) -> Result<R, Error> {
        self.function.score(self.model, point)
    }

    /// The score of a point that was chosen by its screened score: the CPU decides.
    pub(super) fn decide(&mut self, point: &[R], screened: R) -> Result<R, Error> {
        if self.function.screens(self.model) { self.score(point) } else { Ok(screened) }
    }

    /// Whether the score has a derivative in a coordinate.
    pub(super) fn smooth(&self, parameter: usize) -> bool {
        self.function.smooth(self.model, parameter)
    }

    /// As [`AcquisitionFunction::gradient`].
    pub(super) fn gradient(&mut self, point: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        self.function.gradient(self.model, point, out)
    }

    /// As [`Surrogate::screen_sobol`].
    pub(super) fn screen_sobol(
        &mut self,
        sobol: Sobol,
        points: &mut [R],
        out: &mut [R],
    ) -> Result<Option<usize>, Error> {
        self.function.screen_sobol(self.model, sobol, points, out)
    }
}

/// An acquisition function of trees, with what tells points of one leaf apart.
///
/// ```text
/// a(x) + b(x)   or, for scores of a positive rule,   a(x) exp b(x)
/// b = min(δ/r, 1) − δ₀,   δ, δ₀ = distance to the nearest trial and to the best one, over √d
/// ```
///
/// Trees say the same all over a leaf, however far from any value it was. Without b a search takes the first candidate of
/// the best leaf, as often as not one beside a trial that was made; with it, one that is near the best trial and still
/// tells something. Numbers by measurement (`benches/README.md`).
pub(crate) struct Spaced<'t, R> {
    pub(crate) function: &'t mut dyn AcquisitionFunction<R>,
    /// Trials, point after point.
    pub(crate) points: &'t [R],
    /// Which of them were made or are open.
    pub(crate) counts: &'t dyn Fn(usize) -> bool,
    /// The best trial.
    pub(crate) best: &'t [R],
    /// Whether scores are never negative and no logarithms.
    pub(crate) positive: bool,
}

/// The distance r beyond which a trial has nothing to do with a point.
const REACH: f64 = 0.05;

impl<R: Real> AcquisitionFunction<R> for Spaced<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        self.function.scores(model, points, out)?;
        let dims = points.len() / out.len();
        let distance = |a: &[R], b: &[R]| {
            let square = a.iter().zip(b).fold(R::ZERO, |sum, (&a, &b)| sum + (a - b) * (a - b));
            (square / R::of_usize(dims)).sqrt()
        };
        for (point, score) in points.chunks_exact(dims).zip(out) {
            let trials = self.points.chunks_exact(dims).enumerate().filter(|(i, _)| (self.counts)(*i));
            let nearest = trials.fold(R::ONE, |least, (_, trial)| least.min(distance(point, trial)));
            let bonus = (nearest / R::of(REACH)).min(R::ONE) - distance(point, self.best);
            *score = if self.positive { *score * bonus.exp() } else { *score + bonus };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{AcquisitionFunction, REACH, Spaced, Surrogate};
    use crate::error::Error;
    use crate::search::tests::NoModel;

    /// One leaf: the same score everywhere.
    struct Leaf(f64);

    impl AcquisitionFunction<f64> for Leaf {
        fn scores(
            &mut self,
            _model: &mut dyn Surrogate<f64>,
            _points: &[f64],
            out: &mut [f64],
        ) -> Result<(), Error> {
            out.fill(self.0);
            Ok(())
        }
    }

    #[test]
    fn points_of_a_leaf_are_told_apart() {
        let trials = [0.5, 0.5, 0.9, 0.9, 0.1, 0.1];
        // On the best trial, beside it, at the reach, further away, beside another trial, beside one that does not count.
        let points = [0.5, 0.5, 0.5, 0.501, 0.5 - REACH, 0.5 - REACH, 0.3, 0.3, 0.9, 0.89, 0.1, 0.1];
        for (score, positive) in [(-3.0, false), (0.0, false), (2.0, true)] {
            let mut spaced = Spaced {
                function: &mut Leaf(score),
                points: &trials,
                counts: &|trial| trial < 2,
                best: &trials[..2],
                positive,
            };
            let mut out = [0.0; 6];
            spaced.scores(&mut NoModel, &points, &mut out).unwrap();
            assert_eq!(out[0], score);
            assert!(out[1] > out[0] && out[2] > out[1] && out[3] < out[2] && out[3] > out[0], "{out:?}");
            assert!(out[4] < out[3] && out[5] > out[4] && out[5] < out[3], "{out:?}");
            let whole = if positive { score * (1.0 - REACH).exp() } else { score + 1.0 - REACH };
            assert!((out[2] - whole).abs() < 1e-12);
        }
        spaced_nothing();
    }

    fn spaced_nothing() {
        let mut spaced = Spaced {
            function: &mut Leaf(1.0),
            points: &[],
            counts: &|_| true,
            best: &[0.5],
            positive: false,
        };
        assert_eq!(spaced.scores(&mut NoModel, &[], &mut []), Ok(()));
    }
}
