//! A factorised perceptron with an indicator of each data set (FMLP).

use super::Room;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;
use crate::transfer::knowledge::{Knowledge, Told};

#[derive(Debug)]
pub(crate) struct Perceptron<'p, R> {
    memory: &'p mut [R],
}

impl<'p, R: Real> Perceptron<'p, R> {
    pub(super) const fn scalars(_: &Room) -> usize {
        0
    }

    pub(super) fn new<'k: 'p>(
        _: &mut Knowledge<'k, R>,
        _: &Told<'_, R>,
        _: &Room,
        _: &'p mut [R],
        _: u64,
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

impl<R: Real> Surrogate<R> for Perceptron<'_, R> {
    fn dims(&self) -> usize {
        0
    }

    fn predict_many(&mut self, _: &[R], _: &mut [R], _: &mut [R]) -> Result<(), Error> {
        Err(Error::Unsupported)
    }
}
