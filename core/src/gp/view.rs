//! A fitted process as a [`Surrogate`].

use super::{block_diagonal, predict};
use crate::acquisition::Prediction;
use crate::backend::{Backend, Posterior, Score, ScreenSobol, Sobol};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg;
use crate::math::axpy;
use crate::real::Real;
use crate::surrogate::{self, ClosedForm, Surrogate};

/// A fitted process that is asked about one point at a time, never about several jointly; closed forms of its predictions
/// are scored by its backend.
///
/// One view, one thread at a time; it lives as long as the process it was made from.
#[derive(Debug)]
pub(crate) struct Pointwise<'a, R, B: ?Sized> {
    /// Predicts and scores batches.
    pub backend: &'a mut B,
    /// The kernel.
    pub tape: Tape<'a>,
    /// The fitted process.
    pub posterior: Posterior<'a, R>,
    /// As [`Split::work`](super::Split::work).
    pub work: &'a mut [R],
}

impl<R: Real, B: Backend<R> + ?Sized> Surrogate<R> for Pointwise<'_, R, B> {
    fn dims(&self) -> usize {
        self.posterior.inputs.x.len() / self.posterior.inputs.rows.max(1)
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let count = means.len();
        Error::Shape { needed: count }
            .when(variances.len() != count || points.len() != count * self.dims())?;
        let Self { backend, tape, posterior, work } = self;
        predict::each_prediction(*backend, *tape, posterior, points, count, work, &mut |i, prediction| {
            (means[i], variances[i]) = (prediction.mean, prediction.variance);
        })
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        predict::at(&self.tape, &self.posterior, point, self.work)
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        predict::gradient(&self.tape, &self.posterior, point, slopes, self.work)
    }

    fn score_many(&mut self, form: ClosedForm<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let Self { backend, tape, posterior, work } = self;
        let request = Score { tape: *tape, posterior, acquisition: form.rule, best: form.best, points };
        backend.score(&request, out, work)
    }

    fn score(&mut self, form: ClosedForm<R>, point: &[R]) -> Result<R, Error> {
        Ok(form.rule.score(self.predict(point)?, form.best))
    }

    fn score_gradient(&mut self, form: ClosedForm<R>, point: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, scratch] = out;
        let (by_mean, by_variance) = scratch.split_at_mut(point.len());
        let prediction = self.gradient(point, [by_mean, by_variance])?;
        Ok(form.rule.chain(prediction, form.best, by_mean, by_variance, gradient))
    }

    fn screens(&self) -> bool {
        self.backend.screens()
    }

    fn screen_sobol(
        &mut self,
        form: ClosedForm<R>,
        sobol: Sobol,
        points: &mut [R],
        out: &mut [R],
    ) -> Result<Option<usize>, Error> {
        let Self { backend, tape, posterior, work } = self;
        let ClosedForm { rule: acquisition, best } = form;
        let request = ScreenSobol { tape: *tape, posterior, acquisition, best, sobol };
        backend.screen_sobol(&request, points, out, work)
    }
}

/// A fitted process, who does its arithmetic, and the memory for that.
///
/// One view, one thread at a time; it lives as long as the process it was made from.
#[derive(Debug)]
pub struct View<'a, R, B: ?Sized> {
    /// Predicts batches.
    pub backend: &'a mut B,
    /// The kernel.
    pub tape: Tape<'a>,
    /// The fitted process.
    pub posterior: Posterior<'a, R>,
    /// As [`Split::work`](super::Split::work).
    pub work: &'a mut [R],
    /// Room for the points that are anchored, rows + dims + columns of the trend for each; may be empty if none are.
    pub anchors: &'a mut [R],
    /// How many points are anchored; 0 at first.
    pub anchored: usize,
}

impl<R: Real, B: ?Sized> View<'_, R, B> {
    /// Scalars that each anchored point takes: its coordinates, L⁻¹k and its gap.
    pub(crate) const fn anchor_scalars(rows: usize, dims: usize, columns: usize) -> usize {
        rows + dims + columns
    }
}

impl<R: Real, B: Backend<R> + ?Sized> View<'_, R, B> {
    /// Scalars of one anchored point of this process.
    fn stride(&self) -> usize {
        let Posterior { inputs, trend, .. } = &self.posterior;
        Self::anchor_scalars(inputs.rows, self.dims(), trend.columns(self.dims()))
    }

    /// The same process without its anchors.
    fn pointwise(&mut self) -> Pointwise<'_, R, B> {
        Pointwise { backend: self.backend, tape: self.tape, posterior: self.posterior, work: self.work }
    }
}

impl<R: Real, B: Backend<R> + ?Sized> Surrogate<R> for View<'_, R, B> {
    fn dims(&self) -> usize {
        self.posterior.inputs.x.len() / self.posterior.inputs.rows.max(1)
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        self.pointwise().predict_many(points, means, variances)
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.pointwise().predict(point)
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        self.pointwise().gradient(point, slopes)
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        let (dims, stride) = (self.dims(), self.stride());
        let needed = means.len() * stride;
        Error::Shape { needed }.when(self.anchors.len() < needed)?;
        let Self { tape, posterior, work, anchors, anchored, .. } = self;
        *anchored = 0;
        surrogate::anchor(dims, points, means, matrix, |point, covariances| {
            let (before, rest) = anchors.split_at_mut(*anchored * stride);
            let (place, own) = rest[..stride].split_at_mut(dims);
            place.copy_from_slice(point);
            *anchored += 1;
            let others = before.chunks_exact(stride).map(|anchor| anchor.split_at(dims));
            predict::against(tape, posterior, point, others, covariances, own, work)
        })
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        let count = self.anchored;
        Error::Shape { needed: count }.when(covariances.len() != count || point.len() != self.dims())?;
        let (dims, stride) = (self.dims(), self.stride());
        let Self { tape, posterior, work, anchors, .. } = self;
        let mut scratch = Scratch::new(work);
        let own = scratch.take(stride - dims)?;
        let others = anchors.chunks_exact(stride).map(|anchor| anchor.split_at(dims));
        predict::against(tape, posterior, point, others, covariances, own, scratch.rest())
    }

    fn against_gradient(&mut self, point: &[R], weights: &[R], gradient: &mut [R]) -> Result<(), Error> {
        let (count, dims) = (self.anchored, self.dims());
        if weights.len() != count || point.len() != dims || gradient.len() != dims {
            return Err(Error::Shape { needed: count.max(dims) });
        }
        let Self { tape, posterior, work, anchors, .. } = self;
        let (n, theta) = (posterior.inputs.rows, posterior.inputs.theta);
        let columns = posterior.trend.columns(dims);
        let mut scratch = Scratch::new(work);
        let (side, gap) = (scratch.take(n)?, scratch.take(columns)?);
        let (slope, rest) = (scratch.take(dims)?, scratch.rest());
        // Σⱼ wⱼ ∂c(x, aⱼ) = Σⱼ wⱼ ∂k(x, aⱼ) − Σᵢ tᵢ ∂k(x, xᵢ) + qᵀ∂h
        // with V = Σⱼ wⱼ vⱼ, q = L_A⁻ᵀ Σⱼ wⱼ gⱼ and t = L⁻ᵀ(V + Gq).
        side.fill(R::ZERO);
        gap.fill(R::ZERO);
        let stride = dims + n + columns;
        for (&weight, anchor) in weights.iter().zip(anchors.chunks_exact(stride)) {
            axpy(weight, &anchor[dims..dims + n], side);
            axpy(weight, &anchor[dims + n..], gap);
        }
        linalg::solve_upper(posterior.normal, columns, gap)?;
        for c in 0..columns {
            axpy(gap[c], &posterior.basis[c * n..(c + 1) * n], side);
        }
        let out = [&mut *gradient, &mut *slope];
        let block = block_diagonal::of(tape, &posterior.inputs, point);
        block.gather_here(side);
        let side = &mut side[..block.len()];
        block.solve_upper(posterior.factor, side)?;
        block_diagonal::slopes(tape, &posterior.inputs, block, point, [side, side], out, rest)?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        for (&weight, anchor) in weights.iter().zip(anchors.chunks_exact(stride)) {
            tape.gradient_x(theta, point, &anchor[..dims], slope);
            axpy(weight, slope, gradient);
        }
        posterior.trend.gradient(point, gap, gradient);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::View;
    use crate::gp::{Gp, Size, Split};
    use crate::kernel::{Dims, Kernel};
    use crate::linalg::packed;
    use crate::plain::Plain;
    use crate::surrogate::Surrogate;
    use crate::trend::Trend;

    #[test]
    fn joint_and_against_agree_with_the_process() {
        let kernel = Kernel::matern52(Dims::All).ard().scaled();
        let size =
            Size { rows: 9, exact: 9, dims: 2, thetas: kernel.thetas(2).unwrap(), columns: 1, batch: 8 };
        let mut block = std::vec![0; size.words::<f64>()];
        let mut gp = Gp::<f64>::new(&kernel, Trend::Constant, size, &mut block).unwrap();
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(2, &mut nodes, &mut lists).unwrap();
        let tape = crate::kernel::Tape::attach(&nodes, &lists, 2).unwrap();
        for i in 0..9 {
            let x = [i as f64 / 9.0, (i * 5 % 9) as f64 / 9.0];
            gp.push(&x, (6.0 * x[0]).sin() + x[1], 0.0).unwrap();
        }
        gp.fit(&tape, &mut Plain).unwrap();
        let points = [0.1, 0.2, 0.6, 0.9, 0.33, 0.5];
        let (mut mean, mut matrix) = ([0.0; 3], [0.0; 6]);
        gp.predict_joint(&tape, &points, &mut mean, &mut matrix).unwrap();
        let Split { posterior, work, .. } = gp.split().unwrap();
        let mut anchors = [0.0; 3 * 12];
        let mut view =
            View { backend: &mut Plain, tape, posterior, work, anchors: &mut anchors, anchored: 0 };
        let (mut means, mut joint, mut against) = ([0.0; 3], [0.0; 6], [0.0; 3]);
        view.anchor(&points, &mut means, &mut joint).unwrap();
        assert_eq!((means, joint), (mean, matrix));
        let same = view.against(&points[2..4], &mut against).unwrap();
        assert_eq!(same.mean, mean[1]);
        for (j, &covariance) in against.iter().enumerate() {
            let (a, b) = (j.max(1), j.min(1));
            assert!((covariance - matrix[packed(a) + b]).abs() < 1e-12);
        }
        // The slope of a weighted sum of covariances, against central differences.
        let (weights, x, step) = ([0.7, -1.3, 0.4], [0.42, 0.61], 1e-5);
        let mut sum = |x: &[f64]| {
            view.against(x, &mut against).unwrap();
            against.iter().zip(weights).map(|(c, w)| c * w).sum::<f64>()
        };
        let slopes = [0, 1].map(|k| {
            let (mut up, mut down) = (x, x);
            (up[k], down[k]) = (x[k] + step, x[k] - step);
            (sum(&up) - sum(&down)) / (2.0 * step)
        });
        let mut gradient = [0.0; 2];
        view.against_gradient(&x, &weights, &mut gradient).unwrap();
        for (slope, exact) in slopes.iter().zip(gradient) {
            assert!((slope - exact).abs() < 1e-8, "{slope} {exact}");
        }
        assert!(view.against_gradient(&x, &weights[1..], &mut gradient).is_err());
    }
}
