//! Every method on scores whose maximum is known.

use std::vec;
use std::vec::Vec;

use super::{Goal, Memory, Method, Search, Task, propose, words};
use crate::block::Arena;
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::{Condition, Domain, Param, Space, When};
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// For functions that ask none.
pub(super) struct NoModel;

impl<R: Real> Surrogate<R> for NoModel {
    fn dims(&self) -> usize {
        0
    }

    fn predict_many(&mut self, _points: &[R], _means: &mut [R], _variances: &mut [R]) -> Result<(), Error> {
        Err(Error::NoData)
    }
}

struct Score<F>(F);

impl<R: Real, F: FnMut(&[R]) -> R> AcquisitionFunction<R> for Score<F> {
    fn scores(&mut self, _model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let dims = points.len() / out.len().max(1);
        for (point, score) in points.chunks_exact(dims.max(1)).zip(out) {
            *score = (self.0)(point);
        }
        Ok(())
    }
}

fn parsed(params: &[Param<'_>], conditions: &[Condition<'_>]) -> Vec<u64> {
    let space = Space::new(params, conditions).unwrap();
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    words
}

/// A search by a method, from one trial, that may not propose what is taken.
fn search<R: Real>(
    method: Method,
    words_of_space: &[u64],
    batch: usize,
    seed: u64,
    taken: &dyn Fn(&[R]) -> bool,
    score: impl FnMut(&[R]) -> R,
) -> Option<(R, Vec<R>)> {
    let domain = Domain::attach::<R>(words_of_space).unwrap();
    let dims = domain.dims();
    let batch = batch.max(method.candidates(dims));
    let settings = Search::of(method);
    let settings = Search { global: settings.global.min(1000), ..settings };
    let mut generator = Generator::new(seed);
    let mut trial = vec![R::ZERO; dims];
    domain.sample(&mut generator, &mut trial).unwrap();
    let mut block = vec![0; words::<R>(dims, batch, 10)];
    let mut memory = Memory::carve(&mut Arena::new(&mut block), dims, batch, 10).unwrap();
    let task = Task { domain, inputs: &trial, anchors: &[0], known: &|_| true, taken };
    let mut out = vec![R::NAN; dims];
    let goal = Goal { model: &mut NoModel, function: &mut Score(score) };
    let found = propose(&task, goal, &settings, &mut generator, &mut memory, &mut out).unwrap();
    found.map(|score| (score, out))
}

fn conditional() -> Vec<u64> {
    let levels = [1.0, 2.0, 5.0];
    let params = [
        Param::categorical(4),
        Param::real(0.0, 1.0),
        Param::integer(0, 30),
        Param::ordinal(&levels),
        Param::real(1e-3, 1.0).log(),
        Param::categorical(3),
    ];
    let conditions = [
        Condition::new(1, 0, When::Equals(1.0)),
        Condition::new(2, 0, When::In(&[0.0, 1.0])),
        Condition::new(4, 2, When::Between(10.0, 30.0)),
    ];
    parsed(&params, &conditions)
}

/// The peak is in the second category, where most matters.
fn hill<R: Real>(x: &[R]) -> R {
    let peak = [0.375, 0.3, 0.8, 0.5, 0.7, 0.5];
    x.iter().zip(peak).fold(R::ZERO, |sum, (&u, p)| sum - (u - R::of(p)) * (u - R::of(p)))
}

fn climbs<R: Real>() {
    let space = conditional();
    let domain = Domain::attach::<R>(&space).unwrap();
    // What is not reached by a method is how far its steps go; without a gradient an ascent only exchanges.
    for (method, least) in [
        (Method::Auto, -0.02),
        (Method::Ascent, -0.1),
        (Method::Smac, -0.02),
        (Method::Typed, -2e-4),
        (Method::Evolution, -0.01),
        (Method::Covariance, -1e-3),
        (Method::Random, -0.1),
    ] {
        let mut worst = R::ZERO;
        for seed in 0..5 {
            let (score, point) = search::<R>(method, &space, 16, seed, &|_| false, hill).unwrap();
            let mut snapped = point.clone();
            domain.snap(&mut snapped);
            assert_eq!(snapped, point, "{method:?}");
            assert_eq!(score, hill(&point), "{method:?}");
            worst = worst.min(score);
            // The same point, whatever room there is for a batch.
            let again = search::<R>(method, &space, 100, seed, &|_| false, hill).unwrap();
            assert_eq!(again, (score, point), "{method:?}");
            // What is best is taken: the next best.
            let other = search::<R>(method, &space, 16, seed, &|unit| unit[0] == R::of(0.375), hill).unwrap();
            assert!(other.1[0] != R::of(0.375) && other.0 < score, "{method:?}");
        }
        assert!(worst > R::of(least), "{method:?}: {worst}");
    }
}

#[test]
fn every_method_climbs_and_leaves_out_what_is_taken() {
    climbs::<f64>();
    climbs::<f32>();
}

#[test]
fn nothing_is_proposed_where_everything_is_taken() {
    let space = conditional();
    for method in Method::ALL {
        assert_eq!(search::<f64>(method, &space, 16, 3, &|_| true, hill), None);
        assert_eq!(search::<f64>(method, &space, 16, 3, &|_| false, |_| f64::NAN), None, "{method:?}");
        // No score is better than the lowest, and none worse than the highest.
        for score in [f64::NEG_INFINITY, f64::INFINITY] {
            let found = search::<f64>(method, &space, 16, 3, &|_| false, |_| score);
            assert!(method == Method::Ascent || method == Method::Auto || found.is_some(), "{method:?}");
        }
    }
}

/// Where all is alike, each branch is proposed about as often as another.
#[test]
fn ties_are_broken_at_random() {
    let space = parsed(&[Param::categorical(5), Param::real(0.0, 1.0)], &[]);
    for method in Method::ALL {
        let mut counts = [0; 5];
        for seed in 0..100 {
            let (_, point) = search::<f64>(method, &space, 16, seed, &|_| false, |_| 1.0).unwrap();
            counts[(point[0] * 5.0) as usize] += 1;
        }
        // 20 expected, and a standard deviation of 4.
        assert!(counts.iter().all(|&count| (4..=40).contains(&count)), "{method:?} {counts:?}");
    }
}
