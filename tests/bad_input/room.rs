//! No room: full optimizers, too many open trials, spaces that are used up.

use infill::{
    Condition, Config, Error, Limits, Optimizer, Origin, Param, Real, Space, State, When, WhenFull,
};

use crate::{Heap, make, refused};

#[test]
fn a_slot_used_again_has_another_name() {
    let params = [Param::real(0.0, 1.0)];
    let mut optimizer = make::<f64>(&params, &Config::default(), 1);
    let first = optimizer.ask(&mut [0.0]).unwrap().id;
    optimizer.forget(first).unwrap();
    let second = optimizer.ask(&mut [0.0]).unwrap().id;
    assert_ne!(first, second);
    refused(&mut optimizer, Error::StaleTrial, |o| o.tell(first, 1.0));
    optimizer.tell(second, 1.0).unwrap();
}

fn full<R: Real>() {
    let params = [Param::real(0.0, 1.0), Param::categorical(2)];
    let mut optimizer = make::<R>(&params, &Config::default(), 6);
    let mut x = [R::ZERO; 2];
    let mut open = Vec::new();
    for _ in 0..6 {
        open.push(optimizer.ask(&mut x).unwrap().id);
    }
    let error = optimizer.ask(&mut x).unwrap_err();
    assert!(matches!(error, Error::Full | Error::TooManyOpen));
    refused(&mut optimizer, error, |o| o.ask(&mut x));
    refused(&mut optimizer, Error::Full, |o| o.observe(&[R::HALF, R::ONE], R::ONE));
    refused(&mut optimizer, Error::Full, |o| o.enqueue(&[R::HALF, R::ONE]));
    for (i, id) in open.into_iter().enumerate() {
        optimizer.tell(id, R::of_usize(i)).unwrap();
    }
    refused(&mut optimizer, Error::Full, |o| o.ask(&mut x));
    refused(&mut optimizer, Error::Full, |o| o.observe(&[R::HALF, R::ONE], R::ONE));
    refused(&mut optimizer, Error::Full, |o| o.enqueue(&[R::HALF, R::ONE]));
    assert_eq!(optimizer.remaining(), 0);
    optimizer.predict(&x).unwrap();
    optimizer.recommend().unwrap();
}

#[test]
fn a_full_optimizer_says_so() {
    full::<f64>();
    full::<f32>();
}

#[test]
fn too_many_open_trials() {
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(1, 9).open(2);
    let mut optimizer =
        Optimizer::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()]).unwrap();
    let first = optimizer.ask(&mut [0.0]).unwrap().id;
    optimizer.ask(&mut [0.0]).unwrap();
    refused(&mut optimizer, Error::TooManyOpen, |o| o.ask(&mut [0.0]));
    optimizer.enqueue(&[0.5]).unwrap();
    refused(&mut optimizer, Error::TooManyOpen, |o| o.ask(&mut [0.0]));
    // A value that was never asked for is no open trial.
    optimizer.observe(&[0.25], 1.0).unwrap();
    optimizer.tell(first, 1.0).unwrap();
    assert_eq!(optimizer.ask(&mut [0.0]).unwrap().origin, Origin::Queue);
    refused(&mut optimizer, Error::TooManyOpen, |o| o.ask(&mut [0.0]));
}

/// The worst goes, the best stays, and the run goes on for ever.
#[test]
fn dropping_the_worst() {
    let params = [Param::real(-1.0, 1.0), Param::real(-1.0, 1.0)];
    let config = Config::default().with(|c| c.run.when_full = WhenFull::DropWorst);
    let mut optimizer = make::<f64>(&params, &config, 8);
    let (mut x, mut best) = ([0.0; 2], f64::INFINITY);
    for step in 0..40 {
        let worst = optimizer.trials().map(|t| t.value).fold(f64::NEG_INFINITY, f64::max);
        // A failed trial would go first.
        let was_full = optimizer.remaining() == 0 && optimizer.trials().all(|t| t.state == State::Done);
        let ask = optimizer.ask(&mut x).unwrap();
        if was_full {
            assert!(optimizer.trials().all(|t| t.value != worst), "step {step}: the worst is still there");
        }
        if step % 9 == 0 {
            optimizer.fail(ask.id).unwrap();
        } else {
            let y = x[0] * x[0] + (x[1] - 0.3).powi(2);
            optimizer.tell(ask.id, y).unwrap();
            best = best.min(y);
        }
        assert_eq!(optimizer.best().map_or(f64::INFINITY, |t| t.value), best);
        assert!(Heap::<f64>::attach(optimizer.words().to_vec()).is_ok(), "step {step}");
    }
    assert!(best < 1e-2, "{best}");
    // All open: nothing can be dropped.
    let mut optimizer = make::<f64>(&params, &config, 3);
    for _ in 0..3 {
        optimizer.ask(&mut x).unwrap();
    }
    refused(&mut optimizer, Error::Full, |o| o.observe(&[0.0, 0.0], 1.0));
}

fn exhausted<R: Real>(config: &Config<'_>) {
    let params = [Param::categorical(3), Param::integer(1, 2), Param::categorical(2)];
    let conditions = [Condition::new(2, 0, When::Equals(1.0))];
    let space = Space::new(&params, &conditions).unwrap();
    // 2 + 2·2 + 2 configurations, while the product of the counts is 12.
    for trials in [9, 30] {
        let limits = Limits::new(3, trials).conditions(1, 0);
        let mut optimizer = Optimizer::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap();
        let mut x = [R::ZERO; 3];
        for i in 0..8 {
            let ask = optimizer.ask(&mut x).unwrap();
            optimizer.tell(ask.id, x[0] + x[1] + R::of_usize(i)).unwrap();
        }
        let points: Vec<Vec<R>> = optimizer.trials().map(|t| t.point.to_vec()).collect();
        for (i, a) in points.iter().enumerate() {
            assert!(points[..i].iter().all(|b| b != a), "{a:?} twice");
        }
        refused(&mut optimizer, Error::Exhausted, |o| o.ask(&mut x));
    }
}

#[test]
fn a_finite_space_is_used_up_without_repetition() {
    for start in [1, 4, 50] {
        let config = Config::default().with(|c| c.design.trials = start);
        exhausted::<f64>(&config);
        exhausted::<f32>(&config);
    }
    let params = [Param::categorical(2)];
    let mut optimizer = make::<f64>(&params, &Config::default().with(|c| c.run.repeats = true), 20);
    for i in 0..20 {
        let ask = optimizer.ask(&mut [0.0]).unwrap();
        optimizer.tell(ask.id, f64::from(i)).unwrap();
    }
}
