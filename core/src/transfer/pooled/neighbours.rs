//! A process over the run and the nearest sources (MKL-GP, RC-GP).

use super::Room;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;
use crate::transfer::knowledge::{Knowledge, Told};

#[derive(Debug)]
pub(crate) struct Neighbours<'p, R> {
    memory: &'p mut [R],
}

impl<'p, R: Real> Neighbours<'p, R> {
    pub(super) const fn scalars(_: usize, _: &Room) -> usize {
        0
    }

    pub(super) fn new<'k: 'p>(
        _: f64,
        _: usize,
        _: &mut Knowledge<'k, R>,
        _: &Told<'_, R>,
        _: &Room,
        _: &'p mut [R],
    ) -> Result<Self, Error> {
        Err(Error::Unsupported)
    }

    pub(super) fn best(&self) -> R {
        self.memory[0]
    }

    /// Where its values lie among those of the run: offset and width.
    pub(super) fn units(&self) -> [R; 2] {
        [self.memory[0], self.memory[1]]
    }
}

impl<R: Real> Surrogate<R> for Neighbours<'_, R> {
    fn dims(&self) -> usize {
        0
    }

    fn predict_many(&mut self, _: &[R], _: &mut [R], _: &mut [R]) -> Result<(), Error> {
        Err(Error::Unsupported)
    }
}
