//! Gram matrices, Cholesky factors and triangular solves on the device.

use infill::Real;
use infill::backend::{Cross, Gram};
use infill::linalg::packed;

use crate::device::{Command, Job};
use crate::error::Fault;
use crate::gpu::{BLOCK, Gpu, kernel_flops, largest_variance};
use crate::precision::trusted;
use crate::stage::{Slot, Stage};

/// Points of a side of a tile of covariances.
const SIDE: usize = 16;
/// Right-hand sides of a group.
const COLUMNS: usize = 64;

impl Gpu {
    /// The covariances of all pairs of rows for `sets` sets of hyperparameters.
    pub(crate) fn gram_command(&self, rows: usize, dims: usize, sets: usize) -> Command {
        let tiles = rows.div_ceil(SIDE) as u32;
        let job = Job { batch: sets as u32, ..self.job(rows, 0, dims) };
        let flops = kernel_flops(packed(rows), sets, dims);
        Command {
            stage: Stage::Gram,
            single: self.words.single,
            job,
            groups: [tiles, tiles, sets as u32],
            flops,
        }
    }

    /// The factors of `sets` matrices: a diagonal block, then the panel below it.
    pub(crate) fn factor_commands(&self, rows: usize, sets: usize) -> Vec<Command> {
        let blocks = rows.div_ceil(BLOCK);
        let mut commands = Vec::with_capacity(2 * blocks);
        for step in 0..blocks {
            let job = Job { step: step as u32, ..self.job(rows, 0, 0) };
            let command = |stage, groups, flops| Command { stage, single: None, job, groups, flops };
            let (wide, before) = (BLOCK.min(rows - step * BLOCK), step * BLOCK);
            let below = rows - before - wide;
            // The products to the left, then the block itself and its inverse, or the product with that.
            let here = (2 * wide * wide * before + 2 * wide.pow(3) / 3) * sets;
            commands.push(command(Stage::FactorDiagonal, [1, 1, sets as u32], here as u64));
            if step + 1 < blocks {
                let here = (2 * below * wide * before + below * wide * (wide + 1)) * sets;
                let groups = [(blocks - step - 1) as u32, 1, sets as u32];
                commands.push(command(Stage::FactorPanel, groups, here as u64));
            }
        }
        commands
    }

    /// The solutions of `points` sides for each of `sets` factors, a block of rows at a time.
    pub(crate) fn solve_commands(&self, rows: usize, points: usize, sets: usize) -> Vec<Command> {
        let groups = [points.div_ceil(COLUMNS) as u32, 1, sets as u32];
        let job = self.job(rows, points, 0);
        let command = |step: usize| {
            let (wide, before) = (BLOCK.min(rows - step * BLOCK), step * BLOCK);
            // Of the inverse its triangle: two rows at a time, up to the second one's diagonal.
            let inverse = (wide + 1).pow(2) / 2;
            let flops = 2 * ((wide * before + inverse) * points * sets) as u64;
            let job = Job { step: step as u32, ..job };
            Command { stage: Stage::Solve, single: None, job, groups, flops }
        };
        (0..rows.div_ceil(BLOCK)).map(command).collect()
    }

    /// Covariances of all rows with the candidates in their buffer.
    pub(crate) fn cross_command(&self, rows: usize, points: usize, dims: usize) -> Command {
        let groups = [points.div_ceil(SIDE) as u32, rows.div_ceil(SIDE) as u32, 1];
        let (job, flops) = (self.job(rows, points, dims), kernel_flops(rows, points, dims));
        Command { stage: Stage::Cross, single: self.words.single, job, groups, flops }
    }

    /// Copies a factor, unless it is there already; the command to invert its diagonal blocks if it was not.
    pub(crate) fn put_factor<R: Real>(
        &mut self,
        factor: &[R],
        rows: usize,
    ) -> Result<Option<Command>, Fault> {
        if !self.put(Slot::Factor, &[factor])? {
            return Ok(None);
        }
        let groups = [rows.div_ceil(BLOCK) as u32, 1, 1];
        let flops = (rows.div_ceil(BLOCK) * BLOCK.pow(3) / 3) as u64;
        let job = self.job(rows, 0, 0);
        Ok(Some(Command { stage: Stage::InvertDiagonal, single: None, job, groups, flops }))
    }

    /// Fills `out` as [`Backend::gram`](infill::Backend::gram) does; `None` if that is for the CPU.
    pub(crate) fn gram<R: Real>(
        &mut self,
        request: &Gram<'_, R>,
        out: &mut [R],
    ) -> Option<Result<(), Fault>> {
        let Gram { tape, inputs } = *request;
        let (n, dims) = (inputs.rows, tape.dims());
        self.built = None;
        let exact = R::BYTES == 8 && !trusted(n, largest_variance(tape, inputs), inputs.nugget);
        let whole = out.len() == packed(n) && inputs.x.len() == n * dims;
        if exact || !whole || !self.takes(Some(tape), n, kernel_flops(n, n, dims) / 2) {
            return None;
        }
        let done = self.gram_here(request, out);
        self.built = done.is_ok().then_some(n);
        Some(done)
    }

    /// As [`Gpu::gram`], for [`Backend::cross`](infill::Backend::cross).
    pub(crate) fn cross<R: Real>(
        &mut self,
        request: &Cross<'_, R>,
        out: &mut [R],
    ) -> Option<Result<(), Fault>> {
        let Cross { tape, inputs, points } = *request;
        let (n, dims) = (inputs.rows, tape.dims());
        let count = points.len() / dims.max(1);
        let whole = out.len() == n * count && points.len() == count * dims && inputs.x.len() == n * dims;
        let takes = R::BYTES == 4 && whole && self.takes(Some(tape), n, kernel_flops(n, count, dims));
        takes.then(|| self.cross_here(request, out))
    }

    /// As [`Gpu::gram`], for [`Backend::factor`](infill::Backend::factor); the row that is not positive, if there is one.
    pub(crate) fn factor<R: Real>(
        &mut self,
        matrix: &mut [R],
        rows: usize,
    ) -> Option<Result<Option<u32>, Fault>> {
        let here = self.built.take() == Some(rows) || R::BYTES == 4;
        let flops = (rows as u64).pow(3) / 3;
        let takes = here && matrix.len() == packed(rows) && self.takes(None, rows, flops);
        takes.then(|| self.factor_here(matrix, rows))
    }

    /// As [`Gpu::gram`], for [`Backend::solve`](infill::Backend::solve).
    pub(crate) fn solve<R: Real>(
        &mut self,
        factor: &[R],
        rows: usize,
        sides: &mut [R],
    ) -> Option<Result<(), Fault>> {
        let count = sides.len() / rows.max(1);
        let flops = (rows as u64).pow(2) * count as u64;
        let takes = R::BYTES == 4 && factor.len() == packed(rows) && self.takes(None, rows, flops);
        takes.then(|| self.solve_here(factor, rows, sides))
    }

    fn gram_here<R: Real>(&mut self, request: &Gram<'_, R>, out: &mut [R]) -> Result<(), Fault> {
        let Gram { tape, inputs } = *request;
        self.put_tape(tape, inputs.theta, &[])?;
        self.put(Slot::Inputs, &[inputs.x])?;
        self.spoil(Slot::Factor);
        let command = self.gram_command(inputs.rows, tape.dims(), 1);
        let mut narrow = vec![0.0f32; out.len()];
        self.device.run(&[command], Slot::Factor, 0, &mut narrow)?;
        widen(&narrow, out);
        Ok(())
    }

    fn cross_here<R: Real>(&mut self, request: &Cross<'_, R>, out: &mut [R]) -> Result<(), Fault> {
        let Cross { tape, inputs, points } = *request;
        let (n, dims) = (inputs.rows, tape.dims());
        self.put_tape(tape, inputs.theta, &[])?;
        self.put(Slot::Inputs, &[inputs.x])?;
        for (points, out) in points.chunks(self.batch * dims).zip(out.chunks_mut(self.batch * n)) {
            let count = points.len() / dims;
            self.put(Slot::Candidates, &[points])?;
            let command = self.cross_command(n, count, dims);
            let mut narrow = vec![0.0f32; n * count];
            self.device.run(&[command], Slot::Sides, 0, &mut narrow)?;
            transpose(&narrow, count, out);
        }
        Ok(())
    }

    /// The factor in the place of the matrix; the row that is not positive, if there is one.
    fn factor_here<R: Real>(&mut self, matrix: &mut [R], rows: usize) -> Result<Option<u32>, Fault> {
        self.put(Slot::Factor, &[&*matrix])?;
        self.spoil(Slot::Factor);
        self.device.upload(Slot::Broken, &[u32::MAX])?;
        let commands = self.factor_commands(rows, 1);
        let mut broken = [0u32];
        self.device.run(&commands, Slot::Broken, 0, &mut broken)?;
        if broken[0] != u32::MAX {
            return Ok(Some(broken[0]));
        }
        let mut narrow = vec![0.0f32; matrix.len()];
        self.device.run(&[], Slot::Factor, 0, &mut narrow)?;
        widen(&narrow, matrix);
        Ok(None)
    }

    /// The sides are replaced only when all of them are solved: who meets a fault finds them as they were.
    fn solve_here<R: Real>(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Fault> {
        let mut commands: Vec<Command> = self.put_factor(factor, rows)?.into_iter().collect();
        let mut solved = vec![0.0f32; sides.len()];
        for (sides, solved) in sides.chunks(self.batch * rows).zip(solved.chunks_mut(self.batch * rows)) {
            let count = sides.len() / rows;
            for (c, side) in sides.chunks_exact(rows).enumerate() {
                side.iter().enumerate().for_each(|(i, value)| solved[i * count + c] = value.to_f64() as f32);
            }
            self.device.upload(Slot::Sides, solved)?;
            commands.extend(self.solve_commands(rows, count, 1));
            self.device.run(&commands, Slot::Sides, 0, solved)?;
            commands.clear();
        }
        for (sides, solved) in sides.chunks_mut(self.batch * rows).zip(solved.chunks(self.batch * rows)) {
            transpose(solved, sides.len() / rows, sides);
        }
        Ok(())
    }
}

/// Single precision as scalars.
pub(crate) fn widen<R: Real>(narrow: &[f32], out: &mut [R]) {
    for (out, &value) in out.iter_mut().zip(narrow) {
        *out = R::of(f64::from(value));
    }
}

/// Rows of `count` numbers as columns.
fn transpose<R: Real>(narrow: &[f32], count: usize, out: &mut [R]) {
    let rows = narrow.len() / count.max(1);
    for (i, row) in narrow.chunks_exact(count.max(1)).enumerate() {
        for (c, &value) in row.iter().enumerate() {
            out[c * rows + i] = R::of(f64::from(value));
        }
    }
}
