//! Monomorphic entry points: the plain path, compiled once per scalar with this crate instead of in every program.
//!
//! A generic function is compiled where it is used; answering a question is most of the library. These are not
//! generic: a program that asks with [`Plain`] links them as they are.

use super::block::{Block, Shape};
use super::cash::Branched;
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::limits::Limits;
use crate::plain::Plain;
use crate::real::Real;
use crate::trial::Ask;

/// Names one set of functions for a scalar.
macro_rules! monomorphic {
    ($scalar:ty, $ask:ident, $recommend:ident, $predict:ident) => {
        fn $ask(
            words: &mut [u64],
            limits: &Limits,
            shape: Shape,
            point: &mut [$scalar],
        ) -> Result<Ask<$scalar>, Error> {
            if shape.is_branched() {
                return Branched::<$scalar>::carve(words, limits, shape)?.ask(&mut Plain, point);
            }
            Block::<$scalar>::carve(words, limits, shape)?.ask(&mut Plain, limits.open as usize, point)
        }

        fn $recommend(
            words: &mut [u64],
            limits: &Limits,
            shape: Shape,
            train: bool,
        ) -> Result<(usize, Prediction<$scalar>), Error> {
            if shape.is_branched() {
                return Branched::<$scalar>::carve(words, limits, shape)?.recommend();
            }
            Block::<$scalar>::carve(words, limits, shape)?.recommend(train)
        }

        fn $predict(
            words: &mut [u64],
            limits: &Limits,
            shape: Shape,
            train: bool,
            point: &[$scalar],
        ) -> Result<Prediction<$scalar>, Error> {
            if shape.is_branched() {
                return Branched::<$scalar>::carve(words, limits, shape)?.predict(point);
            }
            Block::<$scalar>::carve(words, limits, shape)?.predict(train, point)
        }
    };
}

monomorphic!(f32, ask_single, recommend_single, predict_single);
monomorphic!(f64, ask_double, recommend_double, predict_double);

/// See [`Optimizer::ask`](super::Optimizer::ask).
pub(super) fn ask<R: Real>(
    words: &mut [u64],
    limits: &Limits,
    shape: Shape,
    point: &mut [R],
) -> Result<Ask<R>, Error> {
    if R::BYTES == 4 {
        ask_single(words, limits, shape, bytemuck::cast_slice_mut(point)).map(answer)
    } else {
        ask_double(words, limits, shape, bytemuck::cast_slice_mut(point)).map(answer)
    }
}

/// See [`Optimizer::recommend`](super::Optimizer::recommend).
pub(super) fn recommend<R: Real>(
    words: &mut [u64],
    limits: &Limits,
    shape: Shape,
    train: bool,
) -> Result<(usize, Prediction<R>), Error> {
    if R::BYTES == 4 {
        recommend_single(words, limits, shape, train).map(|(slot, p)| (slot, prediction(p)))
    } else {
        recommend_double(words, limits, shape, train).map(|(slot, p)| (slot, prediction(p)))
    }
}

/// See [`Optimizer::predict`](super::Optimizer::predict).
pub(super) fn predict<R: Real>(
    words: &mut [u64],
    limits: &Limits,
    shape: Shape,
    train: bool,
    point: &[R],
) -> Result<Prediction<R>, Error> {
    if R::BYTES == 4 {
        predict_single(words, limits, shape, train, bytemuck::cast_slice(point)).map(prediction)
    } else {
        predict_double(words, limits, shape, train, bytemuck::cast_slice(point)).map(prediction)
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
