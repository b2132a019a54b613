//! Monomorphic entry points: the plain path, compiled once per scalar with this crate instead of in every program.
//!
//! A generic function is compiled where it is used; answering a question is most of the library. These are not
//! generic: a program that asks with [`Plain`] links them as they are.
//!
//! Above the first level of optimisation the compiler shares no generic code between crates: a library that uses more of it than
//! this compiles most of it a second time. With `--cfg infill_once`, as libinfill is installed, all is left to that library.

use super::block::{Block, Shape};
use super::cash::Branched;
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::limits::Limits;
use crate::plain::Plain;
use crate::real::Real;
use crate::transfer::Sources;
use crate::trial::Ask;

/// The words of an optimizer, and how they are divided.
pub(super) struct Lent<'w> {
    pub(super) words: &'w mut [u64],
    pub(super) limits: &'w Limits,
    pub(super) shape: Shape,
}

impl<'w> Lent<'w> {
    fn block<R: Real>(self) -> Result<Block<'w, R>, Error> {
        Block::carve(self.words, self.limits, self.shape)
    }

    fn branched<R: Real>(self) -> Result<Branched<'w, R>, Error> {
        Branched::carve(self.words, self.limits, self.shape)
    }
}

/// Names one set of functions for a scalar.
macro_rules! monomorphic {
    ($scalar:ty, $ask:ident, $recommend:ident, $predict:ident) => {
        #[cfg_attr(infill_once, inline)]
        fn $ask(lent: Lent<'_>, point: &mut [$scalar]) -> Result<Ask<$scalar>, Error> {
            if lent.shape.is_branched() {
                return lent.branched()?.ask(&mut Plain, point);
            }
            let most = lent.limits.open as usize;
            lent.block()?.ask(&mut Plain, most, Sources::default(), point)
        }

        #[cfg_attr(infill_once, inline)]
        fn $recommend(lent: Lent<'_>, train: bool) -> Result<(usize, Prediction<$scalar>), Error> {
            if lent.shape.is_branched() {
                lent.branched()?.recommend()
            } else {
                lent.block()?.recommend(&mut Plain, train, Sources::default())
            }
        }

        #[cfg_attr(infill_once, inline)]
        fn $predict(lent: Lent<'_>, train: bool, point: &[$scalar]) -> Result<Prediction<$scalar>, Error> {
            if lent.shape.is_branched() {
                return lent.branched()?.predict(point);
            }
            lent.block()?.predict(&mut Plain, train, Sources::default(), point)
        }
    };
}

monomorphic!(f32, ask_single, recommend_single, predict_single);
monomorphic!(f64, ask_double, recommend_double, predict_double);

/// See [`Optimizer::ask`](super::Optimizer::ask).
pub(super) fn ask<R: Real>(lent: Lent<'_>, point: &mut [R]) -> Result<Ask<R>, Error> {
    if R::BYTES == 4 {
        ask_single(lent, bytemuck::cast_slice_mut(point)).map(answer)
    } else {
        ask_double(lent, bytemuck::cast_slice_mut(point)).map(answer)
    }
}

/// See [`Optimizer::recommend`](super::Optimizer::recommend).
pub(super) fn recommend<R: Real>(lent: Lent<'_>, train: bool) -> Result<(usize, Prediction<R>), Error> {
    if R::BYTES == 4 {
        recommend_single(lent, train).map(|(slot, p)| (slot, prediction(p)))
    } else {
        recommend_double(lent, train).map(|(slot, p)| (slot, prediction(p)))
    }
}

/// See [`Optimizer::predict`](super::Optimizer::predict).
pub(super) fn predict<R: Real>(lent: Lent<'_>, train: bool, point: &[R]) -> Result<Prediction<R>, Error> {
    if R::BYTES == 4 {
        predict_single(lent, train, bytemuck::cast_slice(point)).map(prediction)
    } else {
        predict_double(lent, train, bytemuck::cast_slice(point)).map(prediction)
    }
}

/// The same answer in the same scalar, which the compiler cannot know to be the same.
fn answer<S: Real, R: Real>(ask: Ask<S>) -> Ask<R> {
    Ask { id: ask.id, acquisition: same(ask.acquisition), origin: ask.origin }
}

fn prediction<S: Real, R: Real>(p: Prediction<S>) -> Prediction<R> {
    Prediction { mean: same(p.mean), variance: same(p.variance) }
}

/// By way of `f64`, which holds both exactly.
fn same<S: Real, R: Real>(value: S) -> R {
    R::of(value.to_f64())
}
