//! What a search maximises.

use crate::acquisition::Acquisition;
use crate::backend::{Backend, Posterior, Spread};
use crate::error::Error;
use crate::gp::predict;
use crate::kernel::Tape;
use crate::real::Real;

/// The worth of a trial at a point: larger is better, and no score is NaN unless its point is to be left out.
///
/// It is asked through a reference, so that the search is compiled once for all of them.
pub(crate) trait Worth<R: Real> {
    /// The scores of `out.len()` points.
    ///
    /// # Errors
    /// What the model or the backend reports.
    fn scores(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error>;

    /// The score of one point, by the plain code.
    ///
    /// # Errors
    /// As [`Worth::scores`].
    fn exact(&mut self, point: &[R]) -> Result<R, Error> {
        let mut out = [R::ZERO];
        self.scores(point, &mut out)?;
        Ok(out[0])
    }

    /// Whether [`Worth::scores`] is good for choosing only, and what is chosen wants [`Worth::exact`].
    fn screens(&self) -> bool {
        false
    }

    /// Whether the score has a derivative in a coordinate.
    fn smooth(&self, parameter: usize) -> bool {
        let _ = parameter;
        false
    }

    /// The score with its derivatives; `scratch` is of two scalars per coordinate.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it is smooth in no coordinate, or as [`Worth::scores`].
    fn gradient(&mut self, point: &[R], gradient: &mut [R], scratch: &mut [R]) -> Result<R, Error> {
        let _ = (point, gradient, scratch);
        Err(Error::Unsupported)
    }

    /// As [`Backend::spread`].
    ///
    /// # Errors
    /// As [`Worth::scores`].
    fn spread(&mut self, spread: Spread, points: &mut [R], out: &mut [R]) -> Result<Option<usize>, Error> {
        let _ = (spread, points, out);
        Ok(None)
    }
}

/// The worth by trees, with what tells points of one leaf apart.
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
    pub(crate) worth: &'t mut dyn Worth<R>,
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

impl<R: Real> Worth<R> for Spaced<'_, R> {
    fn scores(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        self.worth.scores(points, out)?;
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

/// A closed form of the prediction of one exact process, scored in batches by the backend.
pub(crate) struct Closed<'t, R, B: ?Sized> {
    pub(crate) backend: &'t mut B,
    pub(crate) tape: Tape<'t>,
    pub(crate) posterior: Posterior<'t, R>,
    pub(crate) rule: Acquisition<R>,
    /// The value to improve on.
    pub(crate) best: R,
    pub(crate) work: &'t mut [R],
}

impl<R: Real, B: Backend<R> + ?Sized> Worth<R> for Closed<'_, R, B> {
    fn scores(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.backend.score(self.tape, &self.posterior, self.rule, self.best, points, out, self.work)
    }

    fn exact(&mut self, point: &[R]) -> Result<R, Error> {
        let prediction = predict::at(&self.tape, &self.posterior, point, self.work)?;
        Ok(self.rule.score(prediction, self.best))
    }

    fn screens(&self) -> bool {
        self.backend.screens()
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    fn gradient(&mut self, point: &[R], gradient: &mut [R], scratch: &mut [R]) -> Result<R, Error> {
        let (by_mean, by_variance) = scratch.split_at_mut(point.len());
        let prediction =
            predict::gradient(&self.tape, &self.posterior, point, by_mean, by_variance, self.work)?;
        Ok(self.rule.chain(prediction, self.best, by_mean, by_variance, gradient))
    }

    fn spread(&mut self, spread: Spread, points: &mut [R], out: &mut [R]) -> Result<Option<usize>, Error> {
        let Self { backend, tape, posterior, rule, best, work } = self;
        backend.spread(*tape, posterior, *rule, *best, spread, points, out, work)
    }
}

#[cfg(test)]
mod tests {
    use super::{REACH, Spaced, Worth};
    use crate::error::Error;

    /// One leaf: the same score everywhere.
    struct Leaf(f64);

    impl Worth<f64> for Leaf {
        fn scores(&mut self, _points: &[f64], out: &mut [f64]) -> Result<(), Error> {
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
                worth: &mut Leaf(score),
                points: &trials,
                counts: &|trial| trial < 2,
                best: &trials[..2],
                positive,
            };
            let mut out = [0.0; 6];
            spaced.scores(&points, &mut out).unwrap();
            assert_eq!(out[0], score);
            assert!(out[1] > out[0] && out[2] > out[1] && out[3] < out[2] && out[3] > out[0], "{out:?}");
            assert!(out[4] < out[3] && out[5] > out[4] && out[5] < out[3], "{out:?}");
            let whole = if positive { score * (1.0 - REACH).exp() } else { score + 1.0 - REACH };
            assert!((out[2] - whole).abs() < 1e-12);
        }
        spaced_nothing();
    }

    fn spaced_nothing() {
        let mut spaced =
            Spaced { worth: &mut Leaf(1.0), points: &[], counts: &|_| true, best: &[0.5], positive: false };
        assert_eq!(spaced.scores(&[], &mut []), Ok(()));
    }
}
