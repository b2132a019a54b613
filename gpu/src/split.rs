//! Which calls are the device's, and which the CPU's.

use infill::acquisition::Acquisition;
use infill::backend::{Evidence, Inputs, Posterior, Spread};
use infill::kernel::Tape;
use infill::linalg::packed;
use infill::{Backend, Error, Plain, Real};

use crate::gpu::{Gpu, KEEP, kernel_flops, largest_variance};
use crate::precision::trusted;
use crate::score::UNSURE;
use crate::screen::{Candidates, Screen};

/// A device, and who does what is not for it: [`Gpu::beside`].
#[derive(Debug)]
pub struct Split<'a, B: ?Sized> {
    pub(crate) gpu: &'a mut Gpu,
    pub(crate) cpu: &'a mut B,
}

impl Gpu {
    /// The device with another backend than [`Plain`] for what is not for it. A fault of the device is an error; [`Or`]
    /// goes on.
    ///
    /// [`Or`]: crate::Or
    pub fn beside<'a, B: ?Sized>(&'a mut self, cpu: &'a mut B) -> Split<'a, B> {
        Split { gpu: self, cpu }
    }
}

impl<R: Real, B: Backend<R> + ?Sized> Backend<R> for Split<'_, B> {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let Self { gpu, cpu } = self;
        gpu.built = None;
        let (n, dims) = (inputs.rows, tape.dims());
        let exact = R::BYTES == 8 && !trusted(n, largest_variance(tape, inputs), inputs.nugget);
        if exact || !gpu.takes(Some(tape), n, kernel_flops(n, n, dims) / 2) {
            return cpu.gram(tape, inputs, out, work);
        }
        if out.len() != packed(n) || inputs.x.len() != n * dims {
            return Err(Error::Shape { needed: packed(n) });
        }
        let done = gpu.gram_here(tape, inputs, out);
        gpu.note(done)?;
        gpu.built = Some(n);
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
        let Self { gpu, cpu } = self;
        let (n, dims) = (inputs.rows, tape.dims());
        let count = points.len() / dims.max(1);
        if R::BYTES == 8 || !gpu.takes(Some(tape), n, kernel_flops(n, count, dims)) {
            return cpu.cross(tape, inputs, points, out, work);
        }
        if out.len() != n * count || points.len() != count * dims || inputs.x.len() != n * dims {
            return Err(Error::Shape { needed: n * count });
        }
        let done = gpu.cross_here(tape, inputs, points, out);
        gpu.note(done)
    }

    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        let Self { gpu, cpu } = self;
        let here = gpu.built.take() == Some(rows) || R::BYTES == 4;
        let flops = (rows as u64).pow(3) / 3;
        if !here || matrix.len() != packed(rows) || !gpu.takes(None, rows, flops) {
            return cpu.factor(matrix, rows);
        }
        let done = gpu.factor_here(matrix, rows);
        match gpu.note(done)? {
            None => Ok(()),
            Some(row) => Err(Error::NotPositiveDefinite { row }),
        }
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        let Self { gpu, cpu } = self;
        let count = sides.len() / rows.max(1);
        let flops = (rows as u64).pow(2) * count as u64;
        if R::BYTES == 8 || factor.len() != packed(rows) || !gpu.takes(None, rows, flops) {
            return cpu.solve(factor, rows, sides);
        }
        let done = gpu.solve_here(factor, rows, sides);
        gpu.note(done)
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.cpu.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        self.cpu.evidence(tape, request, gradient, factor, work)
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
        let Self { gpu, cpu } = self;
        let count = out.len();
        let fits = points.len() == count.saturating_mul(tape.dims());
        if !fits || !gpu.takes_scores(tape, posterior, count) {
            return cpu.score(tape, posterior, acquisition, best, points, out, work);
        }
        let done = gpu.score_here(tape, posterior, acquisition, best, points, out);
        gpu.note(done)?;
        // What the device was not sure of.
        let unsure: Vec<usize> = (0..count).filter(|&i| out[i].to_f64() >= UNSURE).collect();
        if unsure.is_empty() {
            return Ok(());
        }
        let dims = tape.dims();
        let points: Vec<R> =
            unsure.iter().flat_map(|&i| &points[i * dims..(i + 1) * dims]).copied().collect();
        let mut scores = vec![R::ZERO; unsure.len()];
        cpu.score(tape, posterior, acquisition, best, &points, &mut scores, work)?;
        for (i, score) in unsure.into_iter().zip(scores) {
            out[i] = score;
        }
        Ok(())
    }

    fn screens(&self) -> bool {
        true
    }

    fn evidence_many(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        sets: &[R],
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let Self { gpu, cpu } = self;
        gpu.evidence_of_sets(*cpu, tape, request, sets, out, factor, work)
    }

    fn spread(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        spread: Spread,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        let Self { gpu, cpu } = self;
        let count = spread.count as usize;
        if !gpu.takes_scores(tape, posterior, count) {
            return Ok(None);
        }
        let candidates = Candidates::Sobol { sequence: spread.sequence, first: 0, count: spread.count };
        let screen = Screen { candidates, keep: out.len().min(KEEP) };
        let winners = gpu.screen_with(*cpu, tape, posterior, acquisition, best, &screen, work)?;
        for (i, winner) in winners.iter().enumerate() {
            points[i * tape.dims()..(i + 1) * tape.dims()].copy_from_slice(&winner.point);
            out[i] = winner.score;
        }
        Ok(Some(winners.len()))
    }
}

/// What is not for the device is done by [`Plain`].
impl<R: Real> Backend<R> for Gpu {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.beside(&mut Plain).gram(tape, inputs, out, work)
    }

    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.beside(&mut Plain).cross(tape, inputs, points, out, work)
    }

    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        self.beside(&mut Plain).factor(matrix, rows)
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        self.beside(&mut Plain).solve(factor, rows, sides)
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.beside(&mut Plain).invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        self.beside(&mut Plain).evidence(tape, request, gradient, factor, work)
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
        self.beside(&mut Plain).score(tape, posterior, acquisition, best, points, out, work)
    }

    fn evidence_many(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        sets: &[R],
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.beside(&mut Plain).evidence_many(tape, request, sets, out, factor, work)
    }

    fn spread(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        spread: Spread,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        self.beside(&mut Plain).spread(tape, posterior, acquisition, best, spread, points, out, work)
    }

    fn screens(&self) -> bool {
        true
    }
}
