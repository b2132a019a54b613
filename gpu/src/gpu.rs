//! The backend.

use infill::acquisition::Acquisition;
use infill::backend::{Evidence, Inputs, Posterior};
use infill::kernel::Tape;
use infill::linalg::packed;
use infill::{Backend, Error, Limits, Plain, Real};

use crate::adapter::AdapterName;
use crate::counters::Counters;
use crate::device::{Device, Job};
use crate::error::Fault;
use crate::options::Options;
use crate::precision::trusted;
use crate::stage::Slot;
use crate::tape::{self, Words};

/// The largest trend that the device works with.
pub(crate) const COLUMNS: usize = 64;
/// Winners that come back from a screen at most.
pub(crate) const KEEP: usize = 64;
/// Rows of a block.
pub(crate) const BLOCK: usize = 32;

/// A backend whose arithmetic runs on a GPU, in buffers that are made once.
///
/// Threads: one at a time. Lifetime: its own; it may serve many optimizers within its limits, one after the other.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) rows: usize,
    pub(crate) dims: usize,
    pub(crate) batch: usize,
    pub(crate) sets: usize,
    worth: u64,
    pub(crate) words: Words,
    /// What each buffer holds, so that nothing crosses the bus twice.
    held: std::collections::HashMap<Slot, Vec<f32>>,
    scratch: Vec<f32>,
    /// Rows of the last matrix that was built here and may be factored here.
    built: Option<usize>,
    fault: Option<Fault>,
}

impl Gpu {
    /// A device for optimizers within the limits.
    ///
    /// # Errors
    /// [`Fault::NoAdapter`], [`Fault::TooLarge`] if a buffer is larger than the adapter allows, [`Fault::Lost`],
    /// [`Fault::OutOfMemory`].
    pub fn new(limits: &Limits, options: &Options) -> Result<Self, Fault> {
        let (rows, dims) = (limits.trials as usize, (limits.dims as usize).min(tape::DIMS));
        let (mut batch, mut sets) = (options.batch.max(64) as usize, options.sets.max(1) as usize);
        let device = Device::new(options, |allowed| {
            let most = allowed.max_buffer_size.min(allowed.max_storage_buffer_binding_size.into()) / 4;
            // What is too much at a time is done in parts.
            while batch > 64 && (rows * batch) as u64 > most {
                batch /= 2;
            }
            while sets > 1 && (packed(rows) * sets) as u64 > most {
                sets /= 2;
            }
            let blocks = rows.div_ceil(BLOCK);
            let winners = 2 * KEEP * (1 << 13);
            let model = rows * (2 + COLUMNS) + COLUMNS + packed(COLUMNS);
            let sides = (rows * batch).max(rows * (1 + COLUMNS) * sets);
            let results = ((3 + COLUMNS) * batch).max((packed(1 + COLUMNS) + 1) * sets);
            let lists = usize::from(u16::MAX) / 2;
            let words = [
                (Slot::Tape, 4 * infill::kernel::MAX_NODES + lists + (limits.thetas as usize + 1) * sets.max(1)),
                (Slot::Inputs, rows * dims),
                (Slot::Candidates, batch * dims),
                (Slot::Sides, sides),
                (Slot::Factor, packed(rows) * sets),
                (Slot::Inverses, blocks * BLOCK * BLOCK * sets),
                (Slot::Model, model),
                (Slot::Results, results),
                (Slot::Winners, winners),
                (Slot::OtherWinners, winners),
                (Slot::Table, 34 * dims),
                (Slot::Broken, sets),
            ];
            words.map(|(slot, count)| (slot, 4 * count as u64)).to_vec()
        })?;
        Ok(Self {
            device,
            rows,
            dims,
            batch,
            sets,
            worth: options.worth,
            words: Words::default(),
            held: std::collections::HashMap::new(),
            scratch: Vec::new(),
            built: None,
            fault: None,
        })
    }

    /// The adapter that was chosen.
    #[must_use]
    pub fn adapter(&self) -> &AdapterName {
        self.device.name()
    }

    /// What has been done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.device.counters
    }

    /// The first fault of the device, which is then of no use any more.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Gives the device back to the driver, as if it had been unplugged: for tests of what comes after.
    pub fn destroy(&mut self) {
        self.device.destroy();
    }

    /// Whether a call is one for the device; counts the answer.
    pub(crate) fn takes(&mut self, tape: Option<Tape<'_>>, rows: usize, flops: u64) -> bool {
        let known = tape.is_none_or(|tape| tape::is_known(tape) && tape.dims() <= self.dims);
        let takes = known && rows > 0 && rows <= self.rows && flops >= self.worth;
        let counters = &mut self.device.counters;
        if takes {
            counters.answered += 1;
            counters.flops += flops;
        } else {
            counters.declined += 1;
        }
        takes
    }

    /// Remembers a fault and makes it the library's.
    pub(crate) fn note<T>(&mut self, result: Result<T, Fault>) -> Result<T, Error> {
        result.map_err(|fault| {
            self.built = None;
            self.held.clear();
            self.fault.get_or_insert(fault.clone());
            fault.into()
        })
    }

    /// Copies scalars to a buffer unless it holds them already.
    pub(crate) fn put<R: Real>(&mut self, slot: Slot, parts: &[&[R]]) -> Result<(), Fault> {
        self.scratch.clear();
        for part in parts {
            self.scratch.extend(part.iter().map(|value| value.to_f64() as f32));
        }
        let held = self.held.entry(slot).or_default();
        // Bits, so that a NaN equals itself.
        let same = held.len() == self.scratch.len()
            && held.iter().zip(&self.scratch).all(|(a, b)| a.to_bits() == b.to_bits());
        if same {
            return Ok(());
        }
        core::mem::swap(held, &mut self.scratch);
        self.device.upload(slot, held)
    }

    /// What a buffer holds is no longer what was copied to it.
    pub(crate) fn spoil(&mut self, slot: Slot) {
        self.held.remove(&slot);
    }

    /// Copies the kernel with sets of hyperparameters, and what stands behind them.
    pub(crate) fn put_tape<R: Real>(&mut self, tape: Tape<'_>, sets: &[R], behind: &[f32]) -> Result<(), Fault> {
        let before = self.words.clone();
        self.words.write(tape, sets);
        self.words.words.extend(behind.iter().map(|value| value.to_bits()));
        if self.words != before || !self.held.contains_key(&Slot::Tape) {
            self.held.insert(Slot::Tape, Vec::new());
            self.device.upload(Slot::Tape, &self.words.words)?;
        }
        Ok(())
    }

    /// What every dispatch over the kernel is told.
    pub(crate) fn job(&self, rows: usize, points: usize, dims: usize) -> Job {
        Job {
            rows: rows as u32,
            points: points as u32,
            dims: dims as u32,
            nodes: self.words.nodes,
            lists: self.words.lists,
            theta: self.words.theta,
            thetas: self.words.thetas,
            batch: 1,
            ..Job::default()
        }
    }
}

/// Flops of n·m covariances of d coordinates, by convention.
pub(crate) fn kernel_flops(rows: usize, points: usize, dims: usize) -> u64 {
    (rows as u64) * (points as u64) * (3 * dims as u64 + 20)
}

impl<R: Real> Backend<R> for Gpu {
    fn gram(&mut self, tape: Tape<'_>, inputs: &Inputs<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        self.built = None;
        let (n, dims) = (inputs.rows, tape.dims());
        let point = inputs.x.get(..dims).ok_or(Error::Shape { needed: dims })?;
        let variance = tape.diagonal(inputs.theta, point);
        let trusted = R::BYTES == 4 || trusted(n, variance, inputs.nugget);
        if !trusted || !self.takes(Some(tape), n, kernel_flops(n, n, dims) / 2) {
            return Plain.gram(tape, inputs, out, work);
        }
        if out.len() != packed(n) || inputs.x.len() != n * dims {
            return Err(Error::Shape { needed: packed(n) });
        }
        let done = self.gram_here(tape, inputs, out);
        self.note(done)?;
        self.built = Some(n);
        Ok(())
    }

    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let (n, dims) = (inputs.rows, tape.dims());
        let count = points.len() / dims.max(1);
        if R::BYTES == 8 || !self.takes(Some(tape), n, kernel_flops(n, count, dims)) {
            return Plain.cross(tape, inputs, points, out, work);
        }
        if out.len() != n * count || points.len() != count * dims || inputs.x.len() != n * dims {
            return Err(Error::Shape { needed: n * count });
        }
        let done = self.cross_here(tape, inputs, points, out);
        self.note(done)
    }

    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        let here = self.built.take() == Some(rows) || R::BYTES == 4;
        let flops = (rows as u64).pow(3) / 3;
        if !here || matrix.len() != packed(rows) || !self.takes(None, rows, flops) {
            return Plain.factor(matrix, rows);
        }
        let done = self.factor_here(matrix, rows);
        match self.note(done)? {
            None => Ok(()),
            Some(row) => Err(Error::NotPositiveDefinite { row }),
        }
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        let count = sides.len() / rows.max(1);
        let flops = (rows as u64).pow(2) * count as u64;
        if R::BYTES == 8 || factor.len() != packed(rows) || !self.takes(None, rows, flops) {
            return Plain.solve(factor, rows, sides);
        }
        let done = self.solve_here(factor, rows, sides);
        self.note(done)
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        Plain.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        Plain.evidence(tape, request, gradient, factor, work)
    }

    fn score(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let (n, dims, count) = (posterior.inputs.rows, tape.dims(), out.len());
        let flops = (n * n * count) as u64 + kernel_flops(n, count, dims);
        let fits = posterior.trend.columns(dims) <= COLUMNS && points.len() == count * dims;
        if count == 0 || !fits || !self.takes(Some(tape), n, flops) {
            return Plain.score(tape, posterior, acquisition, best, points, out, work);
        }
        let done = self.score_here(tape, posterior, acquisition, best, points, out);
        self.note(done)
    }
}
