//! Screening: the best of many candidates, which never leave the device.

use infill::Real;
use infill::acquisition::Acquisition;
use infill::backend::{Posterior, Score};
use infill::kernel::Tape;
use infill::space::sobol;

use crate::device::{Command, Job};
use crate::error::Fault;
use crate::gpu::{COLUMNS, Gpu, KEEP};
use crate::score::Question;
use crate::stage::{Slot, Stage};

/// Candidates, or winners, that a group compares.
const GROUP: usize = 256;
/// Words of a dimension of the sequence: whether it is padded, its key, its direction numbers.
const ENTRY: usize = 34;

/// Where candidates come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Candidates<'a, R> {
    /// Points of the caller, row after row.
    Given(&'a [R]),
    /// Points `first..first + count` of a sequence, which the device makes itself.
    Sobol {
        /// The sequence.
        sequence: sobol::Sequence,
        /// The first of its points.
        first: u32,
        /// How many of them.
        count: u32,
    },
}

/// The request of [`Hybrid::screen`](crate::Hybrid::screen).
#[derive(Clone, Copy, Debug)]
pub struct Screen<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// What is known of the function.
    pub posterior: &'a Posterior<'a, R>,
    /// The acquisition.
    pub acquisition: Acquisition<R>,
    /// The value to improve on.
    pub best: R,
    /// Among which candidates.
    pub candidates: Candidates<'a, R>,
    /// How many winners, at most 64.
    pub keep: usize,
}

/// A candidate that came through.
#[derive(Clone, Debug, PartialEq)]
pub struct Winner<R> {
    /// Its number among the candidates.
    pub index: usize,
    /// Its coordinates in the model's scalar.
    pub point: Vec<R>,
    /// Its score by the CPU, in the model's scalar.
    pub score: R,
}

impl<R: Real> Candidates<'_, R> {
    fn count(&self, dims: usize) -> usize {
        match *self {
            Self::Given(points) => points.len() / dims.max(1),
            Self::Sobol { count, .. } => count as usize,
        }
    }

    pub(crate) fn point(&self, index: usize, dims: usize) -> Vec<R> {
        match *self {
            Self::Given(points) => points[index * dims..(index + 1) * dims].to_vec(),
            Self::Sobol { sequence, first, .. } => {
                (0..dims).map(|k| sequence.coordinate(first.wrapping_add(index as u32), k)).collect()
            }
        }
    }
}

impl<'a, R: Real> Screen<'a, R> {
    /// The same for points that are not known yet.
    pub(crate) fn score(&self) -> Score<'a, R> {
        let Self { tape, posterior, acquisition, best, .. } = *self;
        Score { tape, posterior, acquisition, best, points: &[] }
    }
}

impl Gpu {
    /// The numbers of the best candidates by the device's scores; `None` if the model is not for the device.
    pub(crate) fn screen<R: Real>(&mut self, request: &Screen<'_, R>) -> Option<Result<Vec<usize>, Fault>> {
        let (dims, keep) = (request.tape.dims(), request.keep.min(KEEP));
        if keep == 0 || request.candidates.count(dims) == 0 {
            return Some(Ok(Vec::new()));
        }
        let Posterior { inputs, trend, .. } = request.posterior;
        let fits = self.fits(Some(request.tape), inputs.rows) && trend.columns(dims) <= COLUMNS;
        fits.then(|| self.best_of(request, keep))
    }

    fn best_of<R: Real>(&mut self, screen: &Screen<'_, R>, keep: usize) -> Result<Vec<usize>, Fault> {
        let Screen { tape, posterior, .. } = *screen;
        let question = Question::new(&screen.score());
        let dims = tape.dims();
        let count = screen.candidates.count(dims);
        let mut commands: Vec<Command> = self.put_model(tape, posterior)?.into_iter().collect();
        if let Candidates::Sobol { sequence, .. } = screen.candidates {
            self.put_table(sequence, dims)?;
        }
        let mut groups = 0;
        for from in (0..count).step_by(self.batch) {
            let size = self.batch.min(count - from);
            match screen.candidates {
                Candidates::Given(points) => {
                    self.put(Slot::Candidates, &[&points[from * dims..(from + size) * dims]])?;
                }
                Candidates::Sobol { first, .. } => {
                    let job = Job { first: first.wrapping_add(from as u32), ..self.job(0, size, dims) };
                    self.spoil(Slot::Candidates);
                    let groups = [size.div_ceil(64) as u32, dims as u32, 1];
                    commands.push(Command { stage: Stage::Sobol, single: None, job, groups, flops: 0 });
                }
            }
            commands.extend(self.score_commands(question, size));
            // When the winners so far have filled their buffer, they become one group.
            if groups + size.div_ceil(GROUP) > GROUPS {
                let (rounds, slot) = self.rounds(groups * keep, keep, Slot::Winners);
                commands.extend(rounds);
                commands.extend(self.home(keep, slot));
                groups = 1;
            }
            let job = Job {
                step: (2 * size) as u32,
                keep: keep as u32,
                rule: groups as u32,
                first: from as u32,
                ..self.job(0, size, 0)
            };
            let wide = size.div_ceil(GROUP);
            commands.push(Command {
                stage: Stage::TopOfScores,
                single: None,
                job,
                groups: [wide as u32, 1, 1],
                flops: 0,
            });
            groups += wide;
            self.device.submit(&commands)?;
            commands.clear();
        }
        let (rounds, slot) = self.rounds(groups * keep, keep, Slot::Winners);
        let mut pairs = vec![[0u32; 2]; keep];
        self.device.run(&rounds, slot, 0, &mut pairs)?;
        Ok(pairs.iter().map(|pair| pair[1] as usize).filter(|&index| index < count).collect())
    }

    /// Compares winners until one group is left, and says where that is.
    fn rounds(&self, mut pairs: usize, keep: usize, mut slot: Slot) -> (Vec<Command>, Slot) {
        let mut commands = Vec::new();
        while pairs > keep {
            let groups = pairs.div_ceil(GROUP);
            commands.push(self.round(pairs, keep, slot));
            slot = if slot == Slot::Winners { Slot::OtherWinners } else { Slot::Winners };
            pairs = groups * keep;
        }
        (commands, slot)
    }

    fn round(&self, pairs: usize, keep: usize, slot: Slot) -> Command {
        let stage = if slot == Slot::Winners { Stage::TopOfWinners } else { Stage::TopOfOtherWinners };
        let job = Job { keep: keep as u32, ..self.job(0, pairs, 0) };
        Command { stage, single: None, job, groups: [pairs.div_ceil(GROUP) as u32, 1, 1], flops: 0 }
    }

    /// Winners that ended up in the other buffer are brought back.
    fn home(&self, keep: usize, slot: Slot) -> Option<Command> {
        (slot == Slot::OtherWinners).then(|| self.round(keep, keep, slot))
    }

    /// Copies the direction numbers of a sequence.
    fn put_table(&mut self, sequence: sobol::Sequence, dims: usize) -> Result<(), Fault> {
        let mut table = Vec::with_capacity(ENTRY * dims);
        for k in 0..dims {
            let padded = k >= sobol::DIMS;
            table.extend([u32::from(padded), sequence.key(k)]);
            table.extend(sobol::directions(if padded { 0 } else { k }, 32));
        }
        if self.table != table {
            self.device.upload(Slot::Table, &table)?;
            self.table = table;
        }
        Ok(())
    }
}

/// Groups of winners that the buffers hold: those of two million candidates.
pub(crate) const GROUPS: usize = 1 << 13;
