//! The GPU: its buffers, and what fits into them.

use infill::backend::{Inputs, Posterior};
use infill::kernel::Tape;
use infill::linalg::packed;
use infill::{Error, Limits, Real};

use crate::adapter::AdapterName;
use crate::counters::Counters;
use crate::device::{Device, Job};
use crate::error::Fault;
use crate::means::Sources;
use crate::options::Options;
use crate::screen::GROUPS;
use crate::stage::Slot;
use crate::tape::{self, Words};

/// The largest trend that the device works with.
pub(crate) const COLUMNS: usize = 64;
/// Winners that come back from a screen at most.
pub(crate) const KEEP: usize = 64;
/// Rows of a block.
pub(crate) const BLOCK: usize = 32;

/// A GPU with buffers that are made once: with a backend of the CPU it becomes a [`Hybrid`](crate::Hybrid) one.
///
/// Threads: one at a time. Lifetime: its own; it may serve many optimizers within its limits, one after the other.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) rows: usize,
    pub(crate) dims: usize,
    pub(crate) batch: usize,
    pub(crate) sets: usize,
    thetas: usize,
    pub(crate) worth: u64,
    pub(crate) words: Words,
    /// What each buffer holds, so that nothing crosses the bus twice.
    held: std::collections::HashMap<Slot, Vec<f32>>,
    scratch: Vec<f32>,
    /// The direction numbers that are on the device.
    pub(crate) table: Vec<u32>,
    /// Numbers that the buffer of the sides holds.
    pub(crate) sides: usize,
    /// The sources that are on the device.
    pub(crate) sources: Sources,
    /// Words that a buffer holds and that are no scalars.
    held_words: std::collections::HashMap<Slot, Vec<u32>>,
    /// Rows of the last matrix that was built here and may be factored here.
    pub(crate) built: Option<usize>,
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
        let mut room = 0;
        let device = Device::new(options, |allowed| {
            let most = allowed.max_buffer_size.min(allowed.max_storage_buffer_binding_size) / 4;
            // What is too much at a time is done in parts.
            while batch > 64 && (rows * batch) as u64 > most {
                batch /= 2;
            }
            while sets > 1 && (packed(rows) * sets) as u64 > most {
                sets /= 2;
            }
            let blocks = rows.div_ceil(BLOCK);
            let winners = 2 * KEEP * GROUPS;
            let model = rows * (2 + COLUMNS) + COLUMNS + packed(COLUMNS);
            let sides = (rows * batch).max(rows * (1 + COLUMNS) * sets);
            room = sides;
            let results = ((3 + COLUMNS) * batch).max((packed(1 + COLUMNS) + 1) * sets);
            let lists = usize::from(u16::MAX) / 2;
            let words = [
                (
                    Slot::Tape,
                    4 * infill::kernel::MAX_NODES + lists + (limits.thetas as usize + 1) * sets.max(1),
                ),
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
                // They grow with the first list of sources.
                (Slot::Sources, 0),
                (Slot::Shares, 0),
            ];
            words.map(|(slot, count)| (slot, 4 * count as u64)).to_vec()
        })?;
        Ok(Self {
            device,
            rows,
            dims,
            batch,
            sets,
            thetas: limits.thetas as usize,
            worth: options.worth,
            words: Words::default(),
            held: std::collections::HashMap::new(),
            scratch: Vec::new(),
            table: Vec::new(),
            sides: room,
            sources: Sources::default(),
            held_words: std::collections::HashMap::new(),
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

    /// Whether the buffers have room for the kernel and so many rows, and the shaders know its nodes.
    pub(crate) fn fits(&self, tape: Option<Tape<'_>>, rows: usize) -> bool {
        let fits = |tape: Tape<'_>| tape.dims() <= self.dims && tape.thetas() <= self.thetas;
        rows > 0 && rows <= self.rows && tape.is_none_or(|tape| tape::is_known(tape) && fits(tape))
    }

    /// Whether a call is one for the device; counts the answer.
    pub(crate) fn takes(&mut self, tape: Option<Tape<'_>>, rows: usize, flops: u64) -> bool {
        let takes = self.fits(tape, rows) && flops >= self.worth;
        let counters = &mut self.device.counters;
        if takes {
            counters.answered += 1;
        } else {
            counters.declined += 1;
        }
        takes
    }

    /// Whether `count` scores are for the device; counts the answer.
    pub(crate) fn takes_scores<R: Real>(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        count: usize,
    ) -> bool {
        let (n, dims) = (posterior.inputs.rows, tape.dims());
        let p = posterior.trend.columns(dims);
        // The shaders know a factor as one triangle: that of several branches is for the CPU.
        let whole = posterior.inputs.blocks.is_whole()
            && posterior.factor.len() == packed(n)
            && posterior.inputs.x.len() == n * dims
            && posterior.inputs.theta.len() == tape.thetas()
            && (posterior.alpha.len(), posterior.beta.len()) == (n, p)
            && (posterior.basis.len(), posterior.normal.len()) == (n * p, packed(p));
        let flops = (n as u64).pow(2) * count as u64 + kernel_flops(n, count, dims);
        count > 0 && whole && p <= COLUMNS && self.takes(Some(tape), n, flops)
    }

    /// Remembers a fault and makes it the library's.
    pub(crate) fn note<T>(&mut self, result: Result<T, Fault>) -> Result<T, Error> {
        result.map_err(|fault| {
            self.built = None;
            self.held.clear();
            self.held_words.clear();
            self.table.clear();
            self.sources = Sources::default();
            self.fault.get_or_insert(fault.clone());
            fault.into()
        })
    }

    /// Copies scalars to a buffer unless it holds them already; whether it was needed.
    pub(crate) fn put<R: Real>(&mut self, slot: Slot, parts: &[&[R]]) -> Result<bool, Fault> {
        self.scratch.clear();
        for part in parts {
            self.scratch.extend(part.iter().map(|value| value.to_f64() as f32));
        }
        let held = self.held.entry(slot).or_default();
        // Bits, so that a NaN equals itself.
        let same = held.len() == self.scratch.len()
            && held.iter().zip(&self.scratch).all(|(a, b)| a.to_bits() == b.to_bits());
        if same {
            return Ok(false);
        }
        core::mem::swap(held, &mut self.scratch);
        self.device.upload(slot, held)?;
        Ok(true)
    }

    /// As [`Gpu::put`], for words.
    pub(crate) fn put_words(&mut self, slot: Slot, words: Vec<u32>) -> Result<(), Fault> {
        if self.held_words.get(&slot).is_none_or(|held| *held != words) {
            self.device.upload(slot, &words)?;
            self.held_words.insert(slot, words);
        }
        Ok(())
    }

    /// What a buffer holds is no longer what was copied to it.
    pub(crate) fn spoil(&mut self, slot: Slot) {
        self.held.remove(&slot);
        self.held_words.remove(&slot);
    }

    /// Copies the kernel with sets of hyperparameters, and what stands behind them.
    pub(crate) fn put_tape<R: Real>(
        &mut self,
        tape: Tape<'_>,
        sets: &[R],
        behind: &[f32],
    ) -> Result<(), Fault> {
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
            most: u32::MAX,
            batch: 1,
            ..Job::default()
        }
    }
}

/// The largest of k(xᵢ, xᵢ).
pub(crate) fn largest_variance<R: Real>(tape: Tape<'_>, inputs: &Inputs<'_, R>) -> R {
    let theta = inputs.theta.get(..tape.thetas()).unwrap_or_default();
    let rows = if tape.is_stationary() { 1 } else { inputs.rows };
    let points = inputs.x.chunks_exact(tape.dims().max(1)).take(rows);
    points.map(|point| tape.diagonal(theta, point)).fold(R::ZERO, R::max)
}

/// Flops of n·m covariances of d coordinates, by convention.
pub(crate) fn kernel_flops(rows: usize, points: usize, dims: usize) -> u64 {
    (rows as u64) * (points as u64) * (3 * dims as u64 + 20)
}
