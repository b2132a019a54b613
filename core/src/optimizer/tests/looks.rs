//! What looks train, and that asks do not notice.

use std::vec;
use std::vec::Vec;

use crate::config::{Config, Hyper, Model};
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::space::{Param, Space};
use crate::{Optimizer, forest, sparse};

type Owned<R> = Optimizer<R, Vec<u64>>;

fn make<R: Real>(params: &[Param<'_>], config: &Config<'_>, trials: u32) -> Owned<R> {
    let limits = Limits::new(params.len() as u32, trials).suit(config);
    let space = Space::new(params, &[]).unwrap();
    Optimizer::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap()
}

/// Every kind of model, and more than one fit.
fn configs() -> [Config<'static>; 6] {
    let default = Config::default();
    let quick = Config { search: crate::Search { global: 32, local: 16, ..default.search }, ..default };
    [
        quick,
        quick.with(|c| c.surrogate.model = Model::Student { freedom: 5.0, learnt: true }),
        quick.with(|c| c.surrogate.hyper = Hyper::Mcmc { count: 2, sampling: Default::default() }),
        quick.with(|c| c.surrogate.hyper = Hyper::Quadrature { count: 3 }),
        quick.with(|c| c.surrogate.model = Model::Sparse(sparse::Kind::Fitc)),
        quick.with(|c| c.surrogate.model = Model::Trees(forest::Settings::RANDOM)),
    ]
}

fn bits<R: Real>(x: &[R]) -> Vec<u64> {
    x.iter().map(|v| v.to_f64().to_bits()).collect()
}

/// sin 25x at so many points, observed without a question.
fn waves<R: Real>(config: &Config<'_>, count: u32) -> Owned<R> {
    let mut optimizer = make::<R>(&[Param::real(0.0, 1.0)], config, 60);
    for i in 0..count {
        let x = f64::from(i * 7 % count) / f64::from(count);
        optimizer.observe(&[R::of(x)], R::of(Real::sin(25.0 * x))).unwrap();
    }
    optimizer
}

fn predictions<R: Real>(optimizer: &mut Owned<R>) -> Vec<(u64, u64)> {
    let at = |i: u32| [R::of(f64::from(i) / 40.0)];
    let all = (0..=40).map(|i| optimizer.predict(&at(i)).unwrap());
    all.map(|p| (p.mean.to_f64().to_bits(), p.variance.to_f64().to_bits())).collect()
}

fn looks_know_what_asks_know<R: Real>(config: &Config<'_>) {
    let (mut looked, mut asked) = (waves::<R>(config, 25), waves::<R>(config, 25));
    let before = predictions(&mut looked);
    let (_, best) = looked.recommend().unwrap();
    let (mut x, mut y) = ([R::ZERO], [R::ZERO]);
    let ask = asked.ask(&mut x).unwrap();
    assert_eq!(before, predictions(&mut asked), "{config:?}");
    assert_eq!(best, asked.recommend().unwrap().1, "{config:?}");
    // The ask that follows finds it done.
    let again = looked.ask(&mut y).unwrap();
    assert_eq!((bits(&x), bits(&[ask.acquisition])), (bits(&y), bits(&[again.acquisition])), "{config:?}");
    for optimizer in [&mut looked, &mut asked] {
        optimizer.tell(ask.id, R::ZERO).unwrap();
    }
    looked.ask(&mut x).unwrap();
    asked.ask(&mut y).unwrap();
    assert_eq!(bits(&x), bits(&y), "{config:?}");
}

#[test]
fn looks_after_observations_know_what_asks_know() {
    for config in &configs() {
        looks_know_what_asks_know::<f64>(config);
        looks_know_what_asks_know::<f32>(config);
    }
}

/// 25 values of sin 25x leave doubt between them; the first guesses of the kernel leave none.
#[test]
fn observations_alone_are_learnt_from() {
    let mut optimizer = waves::<f64>(&Config::default(), 25);
    let most = predictions(&mut optimizer).iter().fold(0.0, |most, p| f64::max(most, f64::from_bits(p.1)));
    assert!((0.01..0.3).contains(&most), "{most}");
    // And again when there are more of them.
    let few = waves::<f64>(&Config::default(), 4);
    let mut grown = few.copy_into(*few.limits(), vec![0; few.words().len()]).unwrap();
    grown.predict(&[0.5]).unwrap();
    for i in 0..40 {
        let x = f64::from(i) / 40.0;
        grown.observe(&[x], Real::sin(25.0 * x)).unwrap();
    }
    let predicted = grown.predict(&[0.5125]).unwrap();
    assert!((predicted.mean - Real::sin(25.0 * 0.5125)).abs() < 0.05, "{predicted:?}");
}

/// A loop of asks and tells with looks at every step proposes what one without looks does.
#[test]
fn looks_change_no_proposal() {
    let params = [Param::real(-1.0, 2.0), Param::integer(0, 9), Param::categorical(3)];
    for config in &configs() {
        // A quadrature is for few hyperparameters.
        let few = matches!(config.surrogate.hyper, Hyper::Quadrature { .. });
        let params = if few { &params[..1] } else { &params[..] };
        let (mut seen, mut blind) = (make::<f64>(params, config, 20), make::<f64>(params, config, 20));
        let (mut x, mut y) = (vec![0.0; params.len()], vec![0.0; params.len()]);
        for step in 0..18 {
            let (one, two) = (seen.ask(&mut x).unwrap(), blind.ask(&mut y).unwrap());
            assert_eq!((bits(&x), one.origin), (bits(&y), two.origin), "{step} {config:?}");
            if let Err(error) = seen.predict(&[0.5, 3.0, 1.0][..params.len()]) {
                assert_eq!(error, Error::NoData);
            }
            let value = (x[0] - 0.3) * (x[0] - 0.3) + x[1..].iter().sum::<f64>() / 9.0;
            for optimizer in [&mut seen, &mut blind] {
                match step % 7 {
                    5 => optimizer.fail(one.id).unwrap(),
                    _ => optimizer.tell(one.id, value).unwrap(),
                }
            }
            seen.recommend().unwrap();
            if step == 14 {
                seen.relearn().unwrap();
                blind.relearn().unwrap();
            }
        }
    }
}
