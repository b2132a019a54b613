//! What the shaders of `infill-gpu` ask of a device, and how long a device should take: a model, not a measurement.
//!
//! Every load and store of a shader outside workgroup memory is charged to device memory, as if there were no cache, and
//! a load that all threads of a group share is charged once. A dispatch takes
//!
//! ```text
//! overhead + max(flops / (peak · share · fill), bytes / (bandwidth · fill), serial · waves)
//! ```
//!
//! where `share` is what the reads of workgroup memory leave of the peak, `fill` = min(1, groups / units), `serial` the
//! time of the steps that wait for each other, and `waves` how many times the units have to be filled.

use infill::linalg::packed;

/// Seconds from one dispatch to the next that depends on it.
pub const DISPATCH: f64 = 10e-6;
/// Seconds that a caller waits for an answer, beside the work.
pub const WAIT: f64 = 100e-6;
/// Seconds of a tile step: load to workgroup memory, barrier, multiply, barrier.
pub const STEP: f64 = 1e-6;
/// Seconds of a round of independent loads.
pub const LOAD: f64 = 0.5e-6;
/// Seconds of a step in workgroup memory alone, with its barrier.
pub const BARRIER: f64 = 0.05e-6;
/// Groups of 256 threads that a unit holds.
const RESIDENT: u64 = 4;

/// Candidates of a batch: the default of `Options`.
pub const BATCH: usize = 4096;
const BLOCK: usize = 32;
const TILE: usize = 16;
/// Words of a block of a matrix.
const SQUARE: usize = BLOCK * BLOCK;

/// A device on paper.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Its name.
    pub name: &'static str,
    /// Flops per second in single precision.
    pub peak: f64,
    /// Bytes per second of its memory.
    pub bandwidth: f64,
    /// Bytes per second of the bus.
    pub bus: f64,
    /// Units that a group runs on.
    pub units: u64,
}

/// The devices of `gpu/README.md`.
pub const DEVICES: [Paper; 2] = [
    // 46 multiprocessors of 128 lanes at 2.48 GHz; 192 bits of GDDR6X; PCIe 4.0 x16, half of its 32 GB/s.
    Paper { name: "NVIDIA RTX 4070", peak: 29e12, bandwidth: 504e9, bus: 16e9, units: 46 },
    // 96 execution units of 8 lanes at 1.3 GHz in 6 subslices; 128 bits of LPDDR4X-4267, which copies share.
    Paper { name: "Intel Iris Xe (96 EU)", peak: 2.0e12, bandwidth: 68e9, bus: 10e9, units: 6 },
];

/// A dispatch on paper.
#[derive(Clone, Copy, Debug)]
struct Dispatch {
    groups: usize,
    flops: usize,
    words: usize,
    share: f64,
    serial: f64,
}

/// What a call asks of a device, of the bus and of the CPU.
#[derive(Clone, Debug, Default)]
pub struct Work {
    dispatches: Vec<Dispatch>,
    /// Bytes to the device.
    pub up: u64,
    /// Bytes from the device.
    pub down: u64,
    waits: u32,
    /// Scalars that the CPU narrows, compares or widens.
    pub scalars: u64,
    /// Flops of the winners, which `Plain` scores again.
    pub again: u64,
}

impl Work {
    /// How many dispatches.
    #[must_use]
    pub fn dispatches(&self) -> u64 {
        self.dispatches.len() as u64
    }

    /// Flops of the device, by the convention of its counters.
    #[must_use]
    pub fn flops(&self) -> u64 {
        self.dispatches.iter().map(|d| d.flops as u64).sum()
    }

    /// Bytes that cross the bus.
    #[must_use]
    pub fn bus(&self) -> u64 {
        self.up + self.down
    }

    /// Flops per byte of device memory.
    #[must_use]
    pub fn intensity(&self) -> f64 {
        self.flops() as f64 / self.dispatches.iter().map(|d| 4.0 * d.words as f64).sum::<f64>()
    }

    /// Seconds on a device beside a CPU that converts `scalars` per second and computes `plain` flops per second.
    #[must_use]
    pub fn seconds(&self, paper: &Paper, scalars: f64, plain: f64) -> f64 {
        let dispatch = |d: &Dispatch| {
            let fill = (d.groups as f64 / paper.units as f64).min(1.0);
            let compute = d.flops as f64 / (paper.peak * d.share * fill);
            let memory = 4.0 * d.words as f64 / (paper.bandwidth * fill);
            let waves = (d.groups as u64).div_ceil(paper.units * RESIDENT);
            DISPATCH + compute.max(memory).max(d.serial * waves as f64)
        };
        self.dispatches.iter().map(dispatch).sum::<f64>()
            + f64::from(self.waits) * WAIT
            + self.bus() as f64 / paper.bus
            + self.scalars as f64 / scalars
            + self.again as f64 / plain
    }

    fn push(&mut self, groups: usize, flops: usize, words: usize, share: f64, serial: f64) {
        self.dispatches.push(Dispatch { groups, flops, words, share, serial });
    }

    /// Tiles of 16 by 16 pairs, which read the coordinates of 32 points. A quarter of the peak: a division and a look at
    /// the tape for each coordinate.
    fn covariances(&mut self, tiles: usize, pairs: usize, dims: usize) {
        let words = tiles * 2 * TILE * dims + pairs;
        self.push(tiles, pairs * (3 * dims + 20), words, 0.25, STEP);
    }

    /// Block columns from the left: four reads of workgroup memory for four products, a quarter of the peak.
    fn factor(&mut self, rows: usize, sets: usize) {
        let blocks = rows.div_ceil(BLOCK);
        for step in 0..blocks {
            let (wide, before) = (BLOCK.min(rows - step * BLOCK), step * BLOCK);
            let (below, left) = (rows - before - wide, 2 * SQUARE * step);
            let steps = (2 * step) as f64 * STEP;
            let flops = 2 * wide * wide * before + 2 * wide.pow(3) / 3;
            // 32 columns with three barriers each, then an inverse of 32 rows, each a sum of up to 31.
            let serial = steps + (3 * BLOCK + BLOCK * BLOCK / 2) as f64 * BARRIER;
            self.push(sets, flops * sets, sets * (left + 3 * SQUARE), 0.25, serial);
            if step + 1 < blocks {
                let groups = (blocks - step - 1) * sets;
                let flops = 2 * below * wide * before + below * wide * (wide + 1);
                self.push(groups, flops * sets, groups * (left + 3 * SQUARE), 0.25, steps + STEP);
            }
        }
    }

    /// A block of rows at a time for 64 sides: a read of four numbers and two of one for eight products, half of the peak.
    fn solve(&mut self, rows: usize, sides: usize, sets: usize) {
        for step in 0..rows.div_ceil(BLOCK) {
            let (wide, before) = (BLOCK.min(rows - step * BLOCK), step * BLOCK);
            let groups = sides.div_ceil(64) * sets;
            let words = groups * (3 * SQUARE * step + 5 * SQUARE);
            // Of the inverse of the diagonal block, its triangle: two rows at a time, up to the second one's diagonal.
            let inverse = (wide + 1).pow(2) / 2;
            let flops = 2 * (wide * before + inverse) * sides * sets;
            self.push(groups, flops, words, 0.5, (2 * step + 2) as f64 * STEP);
        }
    }

    /// Inputs, weights, whitened basis and factor of a model with a constant trend.
    fn model(&mut self, rows: usize, dims: usize) {
        let scalars = rows * dims + 2 * rows + 2 + packed(rows);
        self.up += 4 * scalars as u64 + TAPE;
        self.scalars += scalars as u64;
        let blocks = rows.div_ceil(BLOCK);
        let serial = (BLOCK * BLOCK / 2) as f64 * BARRIER;
        self.push(blocks, blocks * BLOCK.pow(3) / 3, blocks * 2 * SQUARE, 0.25, serial);
    }

    fn scores(&mut self, rows: usize, dims: usize, count: usize) {
        let (tiles, groups) = (rows.div_ceil(TILE) * count.div_ceil(TILE), count.div_ceil(64));
        self.covariances(tiles, rows * count, dims);
        self.push(groups, 2 * rows * count, rows * (count + groups), 1.0, rows.div_ceil(8) as f64 * LOAD);
        self.solve(rows, count, 1);
        // v·v and the product with the one column of the basis.
        let words = rows * (2 * count + groups);
        self.push(2 * groups, 4 * rows * count, words, 1.0, rows.div_ceil(4) as f64 * LOAD);
        self.push(groups, count * (3 * dims + 20 + 4), count * (dims + 8), 0.25, LOAD);
    }

    fn top(&mut self, groups: usize, words: usize, keep: usize) {
        self.push(groups, 0, words + 2 * groups * keep, 1.0, (10 * keep) as f64 * BARRIER);
    }
}

/// Bytes of a kernel of two nodes, about.
const TAPE: u64 = 64;

/// The matrix of covariances, which comes back.
#[must_use]
pub fn gram(rows: usize, dims: usize) -> Work {
    let mut work = Work { waits: 1, ..Work::default() };
    work.up = (4 * rows * dims) as u64 + TAPE;
    work.down = 4 * packed(rows) as u64;
    work.scalars = (rows * dims + packed(rows)) as u64;
    let tiles = rows.div_ceil(TILE);
    work.covariances(packed(tiles), packed(rows), dims);
    work
}

/// A factor in the place of its matrix, there and back.
#[must_use]
pub fn factor(rows: usize) -> Work {
    let bytes = 4 * packed(rows) as u64 + 4;
    let mut work = Work { up: bytes, down: bytes, waits: 2, ..Work::default() };
    work.scalars = 2 * packed(rows) as u64;
    work.factor(rows, 1);
    work
}

/// The scores of candidates that are copied.
#[must_use]
pub fn score(rows: usize, dims: usize, count: usize) -> Work {
    let mut work = Work::default();
    work.model(rows, dims);
    for from in (0..count).step_by(BATCH) {
        work.scores(rows, dims, BATCH.min(count - from));
        work.waits += 1;
    }
    work.up += (4 * count * dims) as u64;
    work.down += 4 * count as u64;
    work.scalars += (count * (dims + 1)) as u64;
    work
}

/// The best `keep` of candidates that the device makes.
#[must_use]
pub fn screen(rows: usize, dims: usize, count: usize, keep: usize) -> Work {
    let mut work = Work { waits: 1, ..Work::default() };
    work.model(rows, dims);
    work.up += 4 * 34 * dims as u64;
    let mut groups = 0;
    for from in (0..count).step_by(BATCH) {
        let size = BATCH.min(count - from);
        work.push(size.div_ceil(64) * dims, 0, size * dims, 1.0, 32.0 * BARRIER);
        work.scores(rows, dims, size);
        groups += size.div_ceil(256);
        work.top(size.div_ceil(256), size, keep);
    }
    let mut pairs = groups * keep;
    while pairs > keep {
        let groups = pairs.div_ceil(256);
        work.top(groups, 2 * pairs, keep);
        pairs = groups * keep;
    }
    work.down = 8 * keep as u64;
    work.again = (keep * (rows * rows + rows * (3 * dims + 20))) as u64;
    work
}

/// A question by the defaults: the best 64 of 1,024 candidates that the device makes, then 512 of the caller's.
#[must_use]
pub fn ask(rows: usize, dims: usize) -> Work {
    let (made, given) = (1024, 512);
    let mut work = screen(rows, dims, made, 64);
    work.scores(rows, dims, given);
    work.waits += 1;
    work.up += (4 * given * dims) as u64;
    work.down += 4 * given as u64;
    // The model is on the device; to know that takes another look at it.
    work.scalars += (packed(rows) + rows * (dims + 2) + given * (dims + 1)) as u64;
    work
}

/// The evidence of `count` sets of hyperparameters, `thetas` in each, `together` of them at a time.
#[must_use]
pub fn evidence(rows: usize, dims: usize, thetas: usize, count: usize, together: usize) -> Work {
    let mut work = Work::default();
    // Sides: the targets and the one column of the basis; their three products and the determinant.
    let (sides, results) = (2, 4);
    let scalars = rows * dims + rows * (1 + sides);
    work.up = (4 * scalars) as u64;
    for from in (0..count).step_by(together) {
        let sets = together.min(count - from);
        work.scalars += scalars as u64;
        work.up += (4 * sets * (thetas + 1)) as u64 + TAPE;
        work.down += (4 * sets * (results + 1)) as u64;
        work.waits += 2;
        work.covariances(packed(rows.div_ceil(TILE)) * sets, packed(rows) * sets, dims);
        work.push(rows.div_ceil(64) * sets, 2 * rows * sets, 3 * rows * sets, 1.0, LOAD);
        work.factor(rows, sets);
        work.push((rows * sides).div_ceil(64) * sets, 0, 2 * rows * sides * sets, 1.0, LOAD);
        work.solve(rows, sides, sets);
        let serial = rows.div_ceil(64) as f64 * LOAD;
        work.push(results * sets, 2 * rows * results * sets, 2 * rows * results * sets, 1.0, serial);
    }
    work
}
