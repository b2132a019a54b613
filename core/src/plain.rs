//! The backend that is always there: this library's own loops, in the memory that was lent.

use crate::acquisition::Acquisition;
use crate::backend::{Backend, Evidence, Inputs, Posterior};
use crate::error::Error;
use crate::gp::{evidence, predict};
use crate::kernel::Tape;
use crate::linalg;
use crate::real::Real;

/// Single-threaded, without allocation, the same bits on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plain;

impl<R: Real> Backend<R> for Plain {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        tape.gram(inputs.theta, inputs.x, inputs.rows, out, work)
    }

    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let mut rows = tape.rows(inputs.theta, inputs.x, inputs.rows, work)?;
        for (point, out) in points.chunks_exact(tape.dims()).zip(out.chunks_exact_mut(inputs.rows.max(1))) {
            rows.cross(point, out)?;
        }
        Ok(())
    }

    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        linalg::factor(matrix, rows)
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        linalg::solve_lower_many(factor, rows, sides, sides.len() / rows.max(1), rows)
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        linalg::invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        evidence::evaluate(&tape, self, request, gradient, factor, work)
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
        predict::score(self, tape, posterior, acquisition, best, points, out, work)
    }
}
