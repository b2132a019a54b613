//! What is counted is what is cut.

mod looks;

use std::vec;
use std::vec::Vec;

use super::Optimizer;
use crate::baselines::Baseline;
use crate::block::Arena;
use crate::config::{Branches, Config, Hyper, Interleave, Model, Similarity};
use crate::gp::sampler::Sampling;
use crate::gp::{Gp, Size};
use crate::real::Real;
use crate::search::{self, Search};
use crate::space::{Condition, Param, Space, When};
use crate::trend::Trend;

fn counted_is_cut<R: Real>(dims: usize, rows: usize, trend: Trend, batch: usize, starts: usize) {
    let size = Size { rows, exact: rows, dims, thetas: dims + 2, columns: trend.columns(dims), batch };
    let mut words = vec![0; size.words::<R>()];
    let mut arena = Arena::new(&mut words);
    Gp::<R>::carve(&mut arena, trend, size).unwrap();
    assert_eq!(arena.used, size.words::<R>());
    let mut words = vec![0; search::words::<R>(dims, batch, starts)];
    let mut arena = Arena::new(&mut words);
    search::Memory::<R>::carve(&mut arena, dims, batch, starts).unwrap();
    assert_eq!(arena.used, search::words::<R>(dims, batch, starts));
}

#[test]
fn words_are_those_of_the_parts() {
    for dims in [1, 2, 5] {
        for rows in [1, 2, 7, 16] {
            for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
                counted_is_cut::<f64>(dims, rows, trend, 3, 2);
                counted_is_cut::<f32>(dims, rows, trend, 3, 2);
            }
        }
    }
}

/// A told value brings the checksum up to date with the words it changed: the block is whole after each, whatever the model, and has
/// the same sum as one that was summed in full.
fn told_is_in_the_checksum<R: Real>(config: &Config<'_>) {
    let params = [Param::categorical(3), Param::real(0.0, 1.0), Param::integer(0, 30), Param::real(1.0, 2.0)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::In(&[1.0, 2.0]))];
    let space = Space::new(&params, &conditions).unwrap();
    let limits = space.limits(60).trend(5).suit(config);
    let mut optimizer = Optimizer::<R, _>::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut x = [R::ZERO; 4];
    for i in 0..40u32 {
        let id = if i % 3 == 0 {
            optimizer.enqueue(&[R::ONE, R::ZERO, R::of(f64::from(i % 30)), R::of(1.5)]).unwrap();
            optimizer.ask(&mut x).unwrap().id
        } else if i < 20 {
            optimizer.ask(&mut x).unwrap().id
        } else {
            optimizer.observe(&[R::ZERO, R::of(f64::from(i) / 40.0), R::ZERO, R::ONE], R::ONE).unwrap();
            continue;
        };
        match i % 5 {
            4 => optimizer.fail(id).unwrap(),
            3 => optimizer.tell_noisy(id, R::of(f64::from(i % 7)), R::of(0.01)).unwrap(),
            _ => optimizer.tell(id, x[1] * x[3] + x[2]).unwrap(),
        }
        let mut words = optimizer.words().to_vec();
        super::save::write_checksum::<R>(&mut words, &limits.used(optimizer.shape));
        assert!(words == optimizer.words(), "trial {i}");
        Optimizer::<R, _>::attach(words).unwrap();
    }
}

/// A search may begin at a point of the model: one that is none of the space would be proposed.
#[test]
fn a_row_of_the_model_is_the_point_of_its_trial() {
    let params = [Param::ordinal(&[1.0, 2.0, 4.0]), Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = space.limits(8);
    let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &Config::default(), limits).unwrap();
    optimizer.observe(&[2.0, 0.25], 1.0).unwrap();
    let (words, shape) = (optimizer.words().to_vec(), optimizer.shape);
    let mut found = 0;
    // The coordinate ½ of the second level, in the trial and in the model.
    for place in (0..words.len()).filter(|&place| words[place] == 0.5f64.to_bits()) {
        let mut other = words.clone();
        other[place] = 0.4f64.to_bits();
        super::save::write_checksum::<f64>(&mut other, &limits.used(shape));
        found += usize::from(Optimizer::<f64, _>::attach(other).is_err());
    }
    assert!(found >= 2, "{found}");
}

#[test]
fn a_told_value_is_in_the_checksum() {
    let sampled = Hyper::Mcmc { count: 3, sampling: Sampling { burn_in: 2, thin: 1, ..Sampling::default() } };
    let apart = Similarity { branches: Branches::Apart, ..Similarity::default() };
    let search = Search { global: 16, local: 8, starts: 1, ..Config::default().search };
    let quick = Config::default().with(|c| {
        c.design.trials = 3;
        c.search = search;
    });
    for config in [
        quick,
        quick.with(|c| c.surrogate.similarity = apart),
        quick.with(|c| c.surrogate.trend = Trend::Linear),
        quick.with(|c| c.surrogate.hyper = sampled),
        quick.with(|c| c.surrogate.model = Model::Student { freedom: 5.0, learnt: true }),
        quick.with(|c| c.proposal.baseline = Some(Baseline::Evolution { parents: 2, offspring: 4 })),
        quick.with(|c| c.run.repeats = true),
    ] {
        told_is_in_the_checksum::<f64>(&config);
        told_is_in_the_checksum::<f32>(&config);
    }
}

/// The points of twelve trials.
fn points(params: &[Param<'_>], interleave: Interleave) -> Vec<Vec<f64>> {
    let space = Space::new(params, &[]).unwrap();
    let config = Config::default().with(|c| c.proposal.interleave = interleave);
    let limits = space.limits(12);
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
    let mut x = vec![0.0; params.len()];
    let mut run = || {
        let ask = optimizer.ask(&mut x).unwrap();
        optimizer.tell(ask.id, (3.0 * x[0]).sin() + x[1]).unwrap();
        x.clone()
    };
    (0..12).map(|_| run()).collect()
}

#[test]
fn the_bound_is_that_of_the_kind_of_space() {
    let (real, category) = (Param::real(0.0, 2.0), Param::categorical(3));
    let (often, seldom) = (Interleave { every: 2, beta: 2.0 }, Interleave { every: 4, beta: 3.0 });
    for (params, same, other) in [([real, real], often, seldom), ([real, category], seldom, often)] {
        let auto = points(&params, Interleave::AUTO);
        assert_eq!(auto, points(&params, same));
        assert_ne!(auto, points(&params, other));
    }
}
