//! One sweep over all hyperparameters that are not frozen.

use super::{Moves, Sampling, Target, metropolis, slice};
use crate::real::Real;
use crate::rng::{self, Generator};

/// Where the chain is, and the memory of a sweep.
pub(super) struct Sweep<'s, R> {
    pub(super) theta: &'s mut [R],
    pub(super) width: &'s mut [R],
    pub(super) trial: &'s mut [R],
    pub(super) direction: &'s mut [R],
    pub(super) order: &'s mut [R],
    /// Sweeps done before.
    pub(super) sweeps: u64,
    /// Whether the steps still adapt.
    pub(super) adapting: bool,
}

impl<R: Real> Sweep<'_, R> {
    /// A slice along a random direction in the parameters that are no lengths, then one along each length, in
    /// random order.
    pub(super) fn slices<T: Target<R>>(
        &mut self,
        is_length: impl Fn(usize) -> bool,
        sampling: &Sampling,
        out: u32,
        target: &mut T,
        generator: &mut Generator,
        moves: &mut Moves,
    ) {
        let mut square = R::ZERO;
        for (i, way) in self.direction.iter_mut().enumerate() {
            *way = R::ZERO;
            if target.span(i) > R::ZERO && !is_length(i) {
                *way = rng::normal(generator);
                square += *way * *way;
            }
        }
        if square > R::ZERO {
            let scale = R::ONE / square.sqrt();
            self.direction.iter_mut().for_each(|way| *way *= scale);
            slice::along(self.theta, self.direction, sampling, out, target, generator, self.trial, moves);
        }
        shuffle(self.order, generator);
        for k in 0..self.order.len() {
            let i = self.order[k].to_f64() as usize;
            if target.span(i) > R::ZERO && is_length(i) {
                self.direction.fill(R::ZERO);
                self.direction[i] = R::ONE;
                slice::along(self.theta, self.direction, sampling, out, target, generator, self.trial, moves);
            }
        }
    }

    /// A step of Metropolis–Hastings in each parameter, in random order.
    pub(super) fn steps<T: Target<R>>(
        &mut self,
        target: &mut T,
        generator: &mut Generator,
        moves: &mut Moves,
    ) {
        shuffle(self.order, generator);
        for k in 0..self.order.len() {
            let i = self.order[k].to_f64() as usize;
            let span = target.span(i);
            if span > R::ZERO {
                let width = self.width[i];
                let taken = metropolis::step(self.theta, i, width, target, generator, self.trial, moves);
                if self.adapting {
                    self.width[i] = metropolis::adapt(width, taken, self.sweeps, span);
                }
            }
        }
    }
}

/// Fills `order` with the numbers below its length, in random order.
fn shuffle<R: Real>(order: &mut [R], generator: &mut Generator) {
    for (i, place) in order.iter_mut().enumerate() {
        *place = R::of_usize(i);
    }
    rng::shuffle(generator, order);
}
