//! Calls with points, values and names of trials that cannot be; points of which a part does not matter.

use infill::{Condition, Config, Error, Limits, Optimizer, Origin, Param, Real, Space, TrialId, When};

use crate::{Heap, make, refused};

fn bad_calls<R: Real>() {
    let params = [Param::real(-1.0, 1.0), Param::integer(1, 9)];
    let mut optimizer = make::<R>(&params, &Config::default(), 12);
    let mut x = [R::ZERO; 2];
    let (half, three) = (R::HALF, R::of(3.0));
    let unknown = TrialId::from_bits(u64::MAX);

    refused(&mut optimizer, Error::NoData, |o| o.recommend().map(|_| ()));
    refused(&mut optimizer, Error::NoData, |o| o.predict(&[half, three]));
    let ask = optimizer.ask(&mut x).unwrap();
    for _ in 0..2 {
        for value in [R::NAN, R::INFINITY, -R::INFINITY] {
            refused(&mut optimizer, Error::NotFinite, |o| o.tell(ask.id, value));
            refused(&mut optimizer, Error::NotFinite, |o| o.observe(&[half, three], value));
            refused(&mut optimizer, Error::NotFinite, |o| o.tell_noisy(ask.id, R::ONE, value));
        }
        refused(&mut optimizer, Error::NotFinite, |o| o.tell_noisy(ask.id, R::ONE, -R::ONE));
        for id in [
            unknown,
            TrialId::from_bits(0),
            TrialId::from_bits(11),
            TrialId::from_bits(ask.id.to_bits() + (1 << 32)),
        ] {
            refused(&mut optimizer, Error::StaleTrial, |o| o.tell(id, R::ONE));
            refused(&mut optimizer, Error::StaleTrial, |o| o.fail(id));
            refused(&mut optimizer, Error::StaleTrial, |o| o.forget(id));
        }
        for short in [&[half][..], &[], &[half; 3]] {
            let shape = Error::Shape { needed: 2 };
            refused(&mut optimizer, shape, |o| o.observe(short, R::ONE));
            refused(&mut optimizer, shape, |o| o.enqueue(short));
            refused(&mut optimizer, shape, |o| o.predict(short));
            let mut point = short.to_vec();
            refused(&mut optimizer, shape, |o| o.ask(&mut point));
        }
        for (point, parameter) in [
            ([R::TWO, three], 0),
            ([R::NAN, three], 0),
            ([-R::INFINITY, three], 0),
            ([half, half], 1),
            ([half, R::ZERO], 1),
            ([half, R::of(10.0)], 1),
            ([half, R::NAN], 1),
        ] {
            let range = Error::OutOfRange { parameter };
            refused(&mut optimizer, range, |o| o.observe(&point, R::ONE));
            refused(&mut optimizer, range, |o| o.enqueue(&point));
            refused(&mut optimizer, range, |o| o.predict(&point));
        }
        // The second time with a model behind it.
        while optimizer.len() < 7 {
            let ask = optimizer.ask(&mut x).unwrap();
            optimizer.tell(ask.id, x[0] * x[0] + x[1]).unwrap();
        }
    }
    optimizer.tell(ask.id, R::ONE).unwrap();
    refused(&mut optimizer, Error::StaleTrial, |o| o.tell(ask.id, R::ONE));
    refused(&mut optimizer, Error::StaleTrial, |o| o.fail(ask.id));
    refused(&mut optimizer, Error::StaleTrial, |o| o.forget(ask.id));
    let queued = optimizer.enqueue(&[half, three]).unwrap();
    refused(&mut optimizer, Error::StaleTrial, |o| o.tell(queued, R::ONE));
    refused(&mut optimizer, Error::StaleTrial, |o| o.fail(queued));
    optimizer.forget(queued).unwrap();
    refused(&mut optimizer, Error::StaleTrial, |o| o.forget(queued));
}

#[test]
fn bad_calls_change_nothing() {
    bad_calls::<f64>();
    bad_calls::<f32>();
}

/// A parameter that does not matter may hold anything; it is remembered with a value of its own.
#[test]
fn what_does_not_matter_may_be_anything() {
    let params = [Param::categorical(2), Param::real(1.0, 3.0), Param::integer(1, 9)];
    let conditions = [Condition::new(1, 0, When::Equals(1.0)), Condition::new(2, 1, When::Between(1.0, 2.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let limits = Limits::new(3, 9).conditions(2, 0);
    let mut optimizer =
        Optimizer::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()]).unwrap();
    for anything in [f64::NAN, f64::INFINITY, -7.0, 1.5] {
        optimizer.observe(&[0.0, anything, anything], 1.0).unwrap();
        optimizer.observe(&[1.0, 2.9, anything], 1.0).unwrap();
        assert!(Heap::<f64>::attach(optimizer.words().to_vec()).is_ok());
    }
    for trial in optimizer.trials() {
        let x = trial.point;
        assert!((1.0..=3.0).contains(&x[1]) && (1.0..=9.0).contains(&x[2]) && x[2].fract() == 0.0, "{x:?}");
        assert!(x[0] == 0.0 || x[1] == 2.9, "{x:?}");
    }
    refused(&mut optimizer, Error::OutOfRange { parameter: 2 }, |o| o.observe(&[1.0, 1.5, f64::NAN], 1.0));
    optimizer.enqueue(&[0.0, f64::NAN, f64::NAN]).unwrap();
    let mut x = [0.0; 3];
    assert_eq!(optimizer.ask(&mut x).unwrap().origin, Origin::Queue);
    assert!(x.iter().all(|v| v.is_finite()));
}

/// As many categories as a number can name: the search goes through some of them.
#[test]
fn billions_of_categories() {
    let params = [Param::categorical(u32::MAX), Param::categorical(5000)];
    let mut optimizer = make::<f64>(&params, &Config::default(), 9);
    let mut x = [0.0; 2];
    for _ in 0..9 {
        let ask = optimizer.ask(&mut x).unwrap();
        optimizer.tell(ask.id, x[0] / 1e9).unwrap();
    }
}
