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
        request.tape.rows(inputs.theta, inputs.x, inputs.rows, work)?.gram(out)
    }

    fn cross(&mut self, request: &Cross<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let Cross { tape, inputs, points } = *request;
        let needed = (points.len() / tape.dims().max(1)).saturating_mul(inputs.rows);
        Error::Shape { needed }.when(out.len() != needed)?;
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
        evidence::evaluate(&request.tape, self, request.regression, None, gradient, factor, work)
    }

    fn score(&mut self, request: &Score<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        predict::score(self, request, out, work)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::Plain;
    use crate::backend::{Backend, Cross, Inputs};
    use crate::error::Error;
    use crate::kernel::{Dims, Kernel, Tape};
    use crate::linalg::Blocks;

    #[test]
    fn an_output_of_another_size_is_refused() {
        let (mut nodes, mut lists) = ([0; 4], [0; 4]);
        Kernel::matern52(Dims::All).write(1, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, 1).unwrap();
        let inputs =
            Inputs { theta: &[0.0], x: &[0.1, 0.9], rows: 2, nugget: 0.0, blocks: Blocks::default() };
        let request = Cross { tape, inputs: &inputs, points: &[0.2, 0.3, 0.4] };
        let mut work = vec![0.0; Tape::scratch(2, 1, 1)];
        for size in [0, 5, 7] {
            let answer = Plain.cross(&request, &mut vec![0.0; size], &mut work);
            assert_eq!(answer, Err(Error::Shape { needed: 6 }));
        }
        assert_eq!(Plain.cross(&request, &mut [0.0; 6], &mut work), Ok(()));
    }
}
