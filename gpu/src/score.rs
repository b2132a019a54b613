//! Batched acquisition: the scores of many candidates.

use infill::Real;
use infill::acquisition::Acquisition;
use infill::backend::{Posterior, Score};
use infill::kernel::Tape;
use infill::linalg::packed;

use crate::device::{Command, Job};
use crate::error::Fault;
use crate::gpu::{Gpu, kernel_flops, largest_variance};
use crate::matrix::widen;
use crate::stage::{Slot, Stage};

/// Candidates of a group.
const GROUP: usize = 64;
/// The pivot of a basis function that is left out: the square of its inverse is 0 on the device.
const FAR: f64 = 1e30;
/// The score of a candidate that the device is not sure of.
const UNSURE: f64 = f32::MAX as f64;

/// What a model asks of its candidates, in the numbers of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    rows: usize,
    dims: usize,
    columns: usize,
    rule: u32,
    parameter: f32,
    best: f32,
    /// The variance below which a score is the CPU's.
    least: f32,
}

impl Question {
    pub(crate) fn new<R: Real>(request: &Score<'_, R>) -> Self {
        let Score { tape, posterior, acquisition, best, .. } = *request;
        let (rule, parameter) = acquisition.code();
        Self {
            rows: posterior.inputs.rows,
            dims: tape.dims(),
            columns: posterior.trend.columns(tape.dims()),
            rule: rule as u32,
            parameter: parameter.to_f64() as f32,
            best: best.to_f64() as f32,
            least: 0.0,
        }
    }
}

impl Gpu {
    /// Copies a model; the command that completes it, if anything was copied.
    pub(crate) fn put_model<R: Real>(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
    ) -> Result<Option<Command>, Fault> {
        self.put_tape(tape, posterior.inputs.theta, &[])?;
        self.put(Slot::Inputs, &[posterior.inputs.x])?;
        // What a shader makes of infinity is left open by its language: so far away, a coefficient is 0 as well.
        let near = |&pivot: &R| if pivot == R::INFINITY { R::of(FAR) } else { pivot };
        let normal: Vec<R> = posterior.normal.iter().map(near).collect();
        self.put(Slot::Model, &[posterior.alpha, posterior.beta, &normal, posterior.basis])?;
        self.put_factor(posterior.factor, posterior.inputs.rows)
    }

    /// From the candidates in their buffer to their scores, which are the third row of the results.
    pub(crate) fn score_commands(&self, question: Question, points: usize) -> Vec<Command> {
        let Question { rows, dims, columns, rule, parameter, best, least } = question;
        let step = least.to_bits();
        let job =
            Job { columns: columns as u32, rule, parameter, best, step, ..self.job(rows, points, dims) };
        let groups = points.div_ceil(GROUP) as u32;
        let (sum, products) = ((2 * rows * points) as u64, 1 + columns);
        let mut commands = vec![self.cross_command(rows, points, dims)];
        commands.push(Command { stage: Stage::Mean, single: None, job, groups: [groups, 1, 1], flops: sum });
        commands.extend(self.solve_commands(rows, points, 1));
        commands.push(Command {
            stage: Stage::Reduce,
            single: None,
            job,
            groups: [groups, products as u32, 1],
            flops: sum * products as u64,
        });
        commands.push(Command {
            stage: Stage::Finish,
            single: self.words.single,
            job,
            groups: [groups, 1, 1],
            flops: kernel_flops(1, points, dims) + (points * 2 * (columns + packed(columns))) as u64,
        });
        commands
    }

    /// The scores of candidates, and which of them the CPU has to look at itself; `None` if all are for the CPU.
    pub(crate) fn score<R: Real>(
        &mut self,
        request: &Score<'_, R>,
        out: &mut [R],
    ) -> Option<Result<Vec<usize>, Fault>> {
        let fits = request.points.len() == out.len().saturating_mul(request.tape.dims());
        let takes = fits && self.takes_scores(request.tape, request.posterior, out.len());
        takes.then(|| {
            self.score_here(request, out)?;
            Ok((0..out.len()).filter(|&i| out[i].to_f64() >= UNSURE).collect())
        })
    }

    /// The scores of candidates that are copied, a batch at a time. Only scores come back; [`UNSURE`] where the CPU has to
    /// look itself.
    fn score_here<R: Real>(&mut self, request: &Score<'_, R>, out: &mut [R]) -> Result<(), Fault> {
        let Score { tape, posterior, points, .. } = *request;
        let least = least_variance(tape, posterior);
        let question = Question { least, ..Question::new(request) };
        let mut commands: Vec<Command> = self.put_model(tape, posterior)?.into_iter().collect();
        for (points, out) in points.chunks(self.batch * tape.dims()).zip(out.chunks_mut(self.batch)) {
            self.put(Slot::Candidates, &[points])?;
            commands.extend(self.score_commands(question, out.len()));
            let mut narrow = vec![0.0f32; out.len()];
            self.device.run(&commands, Slot::Results, 2 * out.len(), &mut narrow)?;
            widen(&narrow, out);
            commands.clear();
        }
        Ok(())
    }

    /// Mean and variance of candidates, as the device sees them.
    ///
    /// # Errors
    /// What the device reports; [`Fault::TooLarge`] if the model or the candidates are beyond the limits.
    pub fn predict<R: Real>(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        points: &[R],
    ) -> Result<Vec<[f32; 2]>, Fault> {
        let count = points.len() / tape.dims().max(1);
        if count == 0 {
            return Ok(Vec::new());
        }
        if count > self.batch || !self.takes_scores(tape, posterior, count) {
            return Err(Fault::TooLarge { needed: count as u64, most: self.batch as u64 });
        }
        let mut rows = vec![0.0f32; 2 * count];
        if let Err(fault) = self.predict_here(tape, posterior, points, &mut rows) {
            // The error is the library's word for it; who calls this gets the fault itself.
            let _ = self.note::<()>(Err(fault.clone()));
            return Err(fault);
        }
        let (means, variances) = rows.split_at(count);
        Ok(means.iter().zip(variances).map(|(&mean, &variance)| [mean, variance]).collect())
    }

    fn predict_here<R: Real>(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        points: &[R],
        rows: &mut [f32],
    ) -> Result<(), Fault> {
        let acquisition = Acquisition::Bound { beta: R::ZERO };
        let question = Question::new(&Score { tape, posterior, acquisition, best: R::ZERO, points });
        let mut commands: Vec<Command> = self.put_model(tape, posterior)?.into_iter().collect();
        self.put(Slot::Candidates, &[points])?;
        commands.extend(self.score_commands(question, rows.len() / 2));
        self.device.run(&commands, Slot::Results, 0, rows)
    }
}

/// The variance on the device below which the score of a candidate is the CPU's; 0 for a model in single precision.
///
/// ```text
/// n ε σ²,   ε = 2⁻²³
/// ```
///
/// The rule of [`trusted`](crate::trusted), for one point: the variance is a difference of numbers as large as σ² and of
/// sums of n products, so that what is smaller may be rounding altogether. Such candidates lie beside observed points, the
/// best of them above all, where a run ends.
fn least_variance<R: Real>(tape: Tape<'_>, posterior: &Posterior<'_, R>) -> f32 {
    if R::BYTES == 4 {
        return 0.0;
    }
    let variance = largest_variance(tape, &posterior.inputs).to_f64();
    (posterior.inputs.rows as f64 * f64::from(f32::EPSILON) * variance) as f32
}
