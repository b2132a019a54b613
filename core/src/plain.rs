//! The portable backend: this library's own loops, in the memory that was lent.

use crate::backend::{Backend, Cross, Evidence, Gram, Score};
use crate::error::Error;
use crate::gp::{evidence, predict};
use crate::linalg;
use crate::real::Real;

/// Single-threaded, without allocation, the same bits on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plain;

impl<R: Real> Backend<R> for Plain {
    fn gram(&mut self, request: &Gram<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let inputs = request.inputs;
        request.tape.gram(inputs.theta, inputs.x, inputs.rows, out, work)
    }

    fn cross(&mut self, request: &Cross<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let Cross { tape, inputs, points } = *request;
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
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        evidence::evaluate(&request.tape, self, request.regression, gradient, factor, work)
    }

    fn score(&mut self, request: &Score<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        predict::score(self, request, out, work)
    }
}
