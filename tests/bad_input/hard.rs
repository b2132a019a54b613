//! Values that are hard for a model.

use infill::{Config, Error, Noise, Param, Real, Search, State, Transform, Trend};

use crate::{Heap, make, refused};

/// Values that are hard for a model: asks go on, proposals are in range, the model answers with finite numbers.
fn hard_values<R: Real>(config: &Config<'_>, values: impl Fn(usize) -> f64, what: &str) {
    let params = [Param::real(-5.0, 10.0), Param::real(1e-3, 1e3).log()];
    let mut optimizer = make::<R>(&params, config, 20);
    let mut x = [R::ZERO; 2];
    for i in 0..16 {
        let ask = optimizer.ask(&mut x).unwrap_or_else(|error| panic!("{what}, ask {i}: {error}"));
        assert!(x[0] >= R::of(-5.0) && x[0] <= R::of(10.0) && x[1] >= R::of(1e-3) && x[1] <= R::of(1e3));
        let value = R::of(values(i));
        optimizer.tell(ask.id, value).unwrap_or_else(|error| panic!("{what}, tell {i}: {error}"));
        assert!(Heap::<R>::attach(optimizer.words().to_vec()).is_ok(), "{what}, step {i}");
    }
    let lowest = (0..16).map(|i| R::of(values(i))).fold(R::INFINITY, |a, b| if b < a { b } else { a });
    assert_eq!(optimizer.best().unwrap().value, lowest, "{what}");
    let (trial, prediction) = optimizer.recommend().unwrap();
    assert_eq!(trial.state, State::Done);
    assert!(prediction.mean.is_finite() && !prediction.variance.is_nan(), "{what}: {prediction:?}");
    let prediction = optimizer.predict(&x).unwrap();
    assert!(prediction.mean.is_finite() && prediction.variance >= R::ZERO, "{what}: {prediction:?}");
}

#[test]
fn hard_values_are_worked_with() {
    for transform in (0..6).filter_map(Transform::from_code) {
        for trend in [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic] {
            let search = Search { global: 64, local: 32, ..Config::default().search };
            let config = Config::default().with(|c| {
                c.targets = transform;
                c.surrogate.trend = trend;
                c.search = search;
            });
            let run = |what: &str, values: &dyn Fn(usize) -> f64| {
                let what = format!("{what} {transform:?} {trend:?}");
                hard_values::<f64>(&config, values, &what);
                hard_values::<f32>(&config, values, &what);
            };
            run("constant", &|_| 3.0);
            run("zero", &|_| 0.0);
            run("huge constant", &|_| -1e30);
            run("thirty orders", &|i| 10f64.powi(i as i32 * 2 - 15));
            run("both signs", &|i| (if i % 2 == 0 { -1.0 } else { 1.0 }) * 10f64.powi(i as i32 * 2 - 15));
            run("tiny spread", &|i| 1.0 + 1e-7 * i as f64);
            run("tiny values", &|i| 1e-30 * i as f64);
            run("one outlier", &|i| if i == 7 { 1e30 } else { i as f64 });
        }
    }
}

/// The whole range of double precision.
#[test]
fn values_at_the_ends_of_the_range() {
    for transform in (0..6).filter_map(Transform::from_code) {
        let search = Search { global: 64, local: 32, ..Config::default().search };
        let config = Config { targets: transform, search, ..Config::default() };
        for (what, values) in [
            (
                "largest",
                &(|i: usize| if i.is_multiple_of(2) { f64::MAX } else { -f64::MAX }) as &dyn Fn(usize) -> f64,
            ),
            ("smallest", &|i| f64::from_bits(i as u64)),
            ("far outside the scale", &|i| if i < 6 { 1e-300 * i as f64 } else { 1e300 }),
            ("both", &|i| if i % 2 == 0 { f64::MAX } else { f64::MIN_POSITIVE }),
        ] {
            let params = [Param::real(0.0, 1.0)];
            let mut optimizer = make::<f64>(&params, &config, 20);
            let mut x = [0.0];
            for i in 0..12 {
                let ask = optimizer.ask(&mut x).unwrap_or_else(|e| panic!("{what} {transform:?} {i}: {e}"));
                assert!((0.0..=1.0).contains(&x[0]));
                optimizer.tell(ask.id, values(i)).unwrap_or_else(|e| panic!("{what} {transform:?} {i}: {e}"));
            }
            assert!(Heap::<f64>::attach(optimizer.words().to_vec()).is_ok(), "{what} {transform:?}");
        }
    }
}

/// A known variance of any size is taken.
#[test]
fn variances_of_any_size() {
    let params = [Param::real(0.0, 1.0)];
    for variance in [0.0, f64::MIN_POSITIVE, 1e-300, 1e-10, 1.0, 1e100, f64::MAX] {
        for spread in [1e-200, 1.0, 1e200] {
            let mut optimizer = make::<f64>(&params, &Config::default(), 20);
            let mut x = [0.0];
            for i in 0..12 {
                let ask = optimizer.ask(&mut x).unwrap();
                optimizer
                    .tell_noisy(ask.id, spread * f64::from(i), variance)
                    .unwrap_or_else(|e| panic!("{variance:e} {spread:e} {i}: {e}"));
                assert!(
                    Heap::<f64>::attach(optimizer.words().to_vec()).is_ok(),
                    "{variance:e} {spread:e} {i}"
                );
            }
        }
    }
}

fn duplicates<R: Real>() {
    let params = [Param::real(0.0, 1.0), Param::categorical(2)];
    // As near to no noise as the settings allow.
    let noise = Noise::fixed(1e-30);
    let config = Config::default().with(|c| c.surrogate.noise = noise);
    let mut optimizer = make::<R>(&params, &config, 24);
    for i in 0..10 {
        optimizer.observe(&[R::HALF, R::ZERO], R::of_usize(i)).unwrap();
    }
    for i in 0..4 {
        optimizer.observe(&[R::of_usize(i) / R::of(7.0), R::ONE], R::of_usize(i)).unwrap();
    }
    let mut x = [R::ZERO; 2];
    for _ in 0..6 {
        let ask = optimizer.ask(&mut x).unwrap();
        assert!(x[0] >= R::ZERO && x[0] <= R::ONE && (x[1] == R::ZERO || x[1] == R::ONE));
        optimizer.tell(ask.id, x[0]).unwrap();
        assert!(Heap::<R>::attach(optimizer.words().to_vec()).is_ok());
    }
    let p = optimizer.predict(&[R::HALF, R::ZERO]).unwrap();
    assert!(p.mean.is_finite() && p.variance >= R::ZERO);
}

#[test]
fn the_same_point_many_times_without_noise() {
    duplicates::<f64>();
    duplicates::<f32>();
}

/// Nothing but failures: there is nothing to learn from, but questions go on.
#[test]
fn nothing_but_failures() {
    let params = [Param::real(0.0, 1.0)];
    let mut optimizer = make::<f64>(&params, &Config::default(), 30);
    for _ in 0..20 {
        let mut x = [0.0];
        let ask = optimizer.ask(&mut x).unwrap();
        optimizer.fail(ask.id).unwrap();
        assert!(optimizer.best().is_none());
    }
    refused(&mut optimizer, Error::NoData, |o| o.recommend().map(|_| ()));
    refused(&mut optimizer, Error::NoData, |o| o.predict(&[0.5]));
    assert!(Heap::<f64>::attach(optimizer.words().to_vec()).is_ok());
}
