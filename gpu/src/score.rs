//! The acquisition of many candidates.

use infill::Real;
use infill::acquisition::Acquisition;
use infill::backend::Posterior;
use infill::kernel::Tape;
use infill::linalg::packed;

use crate::device::{Command, Job};
use crate::error::Fault;
use crate::gpu::{Gpu, kernel_flops};
use crate::matrix::widen;
use crate::stage::{Slot, Stage};

/// Candidates of a group.
const GROUP: usize = 64;

/// What a model asks of its candidates, in the numbers of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    rows: usize,
    dims: usize,
    columns: usize,
    rule: u32,
    parameter: f32,
    best: f32,
}

impl Question {
    pub(crate) fn new<R: Real>(
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
    ) -> Self {
        let (rule, parameter) = acquisition.code();
        Self {
            rows: posterior.inputs.rows,
            dims: tape.dims(),
            columns: posterior.trend.columns(tape.dims()),
            rule: rule as u32,
            parameter: parameter.to_f64() as f32,
            best: best.to_f64() as f32,
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
        self.put(Slot::Model, &[posterior.alpha, posterior.beta, posterior.normal, posterior.basis])?;
        self.put_factor(posterior.factor, posterior.inputs.rows)
    }

    /// From the candidates in their buffer to their scores, which are the third row of the results.
    pub(crate) fn score_commands(&self, question: Question, points: usize) -> Vec<Command> {
        let Question { rows, dims, columns, rule, parameter, best } = question;
        let job = Job { columns: columns as u32, rule, parameter, best, ..self.job(rows, points, dims) };
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

    /// The scores of candidates that are copied, a batch at a time. Only scores come back.
    pub(crate) fn score_here<R: Real>(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        points: &[R],
        out: &mut [R],
    ) -> Result<(), Fault> {
        let question = Question::new(tape, posterior, acquisition, best);
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

    /// Mean and variance of candidates, as the device sees them: what the bounds of [`Errors`](crate::Errors) are about.
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
        let question = Question::new(tape, posterior, Acquisition::Bound { beta: R::ZERO }, R::ZERO);
        let mut commands: Vec<Command> = self.put_model(tape, posterior)?.into_iter().collect();
        self.put(Slot::Candidates, &[points])?;
        commands.extend(self.score_commands(question, rows.len() / 2));
        self.device.run(&commands, Slot::Results, 0, rows)
    }
}
