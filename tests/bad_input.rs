//! Bad input gets the error that names it and changes nothing; hard input gets a correct proposal.

use infill::acquisition::cooling::Cooling;
use infill::backend::{Backend, Evidence, Inputs, Posterior};
use infill::descent::Budget;
use infill::gp::sampler::Sampling;
use infill::kernel::{Dims, Kernel, Prior, Role, Tape};
use infill::{
    Acquisition, Batch, Condition, Config, Error, Interleave, Limits, Model, Noise, Optimizer, Origin, Param,
    Plain, Policy, Real, Refit, Search, Space, State, Training, Transform, Treatment, Trend, TrialId, When,
    WhenFull, forest,
};

type Heap<R> = Optimizer<R, Vec<u64>>;

fn make<R: Real>(params: &[Param<'_>], config: &Config<'_>, trials: u32) -> Heap<R> {
    let space = Space::new(params, &[]).unwrap();
    let levels = space.levels() as u32;
    let limits = Limits::new(params.len() as u32, trials).conditions(0, levels).trend(21);
    Optimizer::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap()
}

/// Calls, and checks that the error is the one expected, that no word has changed, and that the block still loads.
#[track_caller]
fn refused<R: Real, T: core::fmt::Debug>(
    optimizer: &mut Heap<R>,
    expected: Error,
    call: impl FnOnce(&mut Heap<R>) -> Result<T, Error>,
) {
    let before = optimizer.words().to_vec();
    assert_eq!(call(optimizer).unwrap_err(), expected);
    assert!(optimizer.words() == before, "{expected}: words have changed");
    assert!(Heap::<R>::attach(before).is_ok(), "{expected}: the block was not whole before");
}

fn bad_space(params: &[Param<'_>], conditions: &[Condition<'_>]) -> Error {
    Space::new(params, conditions).unwrap_err()
}

#[test]
fn bad_spaces() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let good = Param::real(0.0, 1.0);
    assert_eq!(bad_space(&[], &[]), Error::Dimensions);
    for bad in [
        Param::real(1.0, 1.0),
        Param::real(2.0, 1.0),
        Param::real(nan, 1.0),
        Param::real(0.0, nan),
        Param::real(-inf, 1.0),
        Param::real(0.0, inf),
        Param::real(0.0, 1.0).log(),
        Param::real(-1.0, 1.0).log(),
        Param::integer(3, 2),
        Param::integer(0, 5).log(),
        Param::integer(-5, 5).log(),
        Param::categorical(3).log(),
    ] {
        assert_eq!(bad_space(&[good, bad], &[]), Error::Bounds { parameter: 1 }, "{bad:?}");
    }
    for bad in [
        Param::integer(3, 3),
        Param::categorical(0),
        Param::categorical(1),
        Param::ordinal(&[]),
        Param::ordinal(&[1.0]),
        Param::ordinal(&[1.0, 1.0]),
        Param::ordinal(&[2.0, 1.0]),
        Param::ordinal(&[1.0, nan]),
        Param::ordinal(&[1.0, inf]),
    ] {
        assert_eq!(bad_space(&[bad, good], &[]), Error::Levels { parameter: 0 }, "{bad:?}");
    }
    let params = [Param::categorical(2), good];
    for (child, parent, when) in [
        (1, 1, When::Equals(0.0)),
        (0, 1, When::Equals(0.0)),
        (2, 0, When::Equals(0.0)),
        (1, 9, When::Equals(0.0)),
        (1, 0, When::Equals(2.0)),
        (1, 0, When::Equals(nan)),
        (1, 0, When::In(&[])),
        (1, 0, When::In(&[0.0, 5.0])),
        (1, 0, When::Between(0.2, 0.8)),
    ] {
        let condition = Condition::new(child, parent, when);
        assert_eq!(bad_space(&params, &[condition]), Error::Condition { index: 0 }, "{condition:?}");
    }
}

#[test]
fn spaces_that_a_scalar_cannot_hold() {
    let limits = Limits::new(1, 4);
    for (param, error) in [
        (Param::integer(0, 1 << 25), Error::Levels { parameter: 0 }),
        (Param::real(1.0, 1.0 + 1e-12), Error::Bounds { parameter: 0 }),
        (Param::real(0.0, 1e300), Error::Bounds { parameter: 0 }),
    ] {
        let params = [param];
        let space = Space::new(&params, &[]).unwrap();
        let narrow = Optimizer::<f32, _>::new(&space, &Config::default(), limits, vec![0; 4096]);
        assert_eq!(narrow.unwrap_err(), error);
        assert!(Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; 4096]).is_ok());
    }
}

#[test]
fn what_does_not_fit_the_limits() {
    let params = [Param::categorical(2), Param::ordinal(&[1.0, 2.0, 3.0]), Param::real(0.0, 1.0)];
    let conditions = [Condition::new(2, 0, When::Equals(1.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let fits = Limits::new(3, 4).conditions(1, 3);
    let with = |config: &Config<'_>, limits: Limits| {
        Optimizer::<f64, _>::new(&space, config, limits, vec![0; 1 << 14]).map(|_| ())
    };
    let config = Config::default();
    assert_eq!(with(&config, fits), Ok(()));
    assert_eq!(with(&config, Limits::new(2, 4).conditions(1, 3)), Err(Error::Dimensions));
    assert_eq!(with(&config, fits.conditions(0, 3)), Err(Error::Dimensions));
    assert_eq!(with(&config, fits.conditions(1, 2)), Err(Error::Dimensions));
    assert_eq!(with(&config, fits.kernel(1, 3, 4)), Err(Error::Kernel));
    assert_eq!(with(&config, fits.kernel(8, 2, 4)), Err(Error::Kernel));
    assert_eq!(with(&config, fits.kernel(8, 3, 3)), Err(Error::Kernel));
    assert_eq!(with(&Config { trend: Trend::Linear, ..config }, fits), Err(Error::Limits));
    let bad = Kernel::matern52(Dims::All).with(Role::Length, 1.0, 2.0..3.0, Prior::Flat);
    assert!(matches!(with(&Config { kernel: Some(&bad), ..config }, fits), Err(Error::Theta { .. })));
    let outside = Kernel::matern52(Dims::range(2, 2));
    assert_eq!(with(&Config { kernel: Some(&outside), ..config }, fits), Err(Error::Kernel));
}

#[test]
fn bad_settings() {
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(1, 4);
    let good = Config::default();
    let noise = |variance, lo, hi| Config { noise: Noise { variance, lo, hi, sd: 0.0 }, ..good };
    let rule = |acquisition| Config { acquisition, ..good };
    let search = |change: fn(&mut Search)| {
        let mut config = good;
        change(&mut config.search);
        config
    };
    let trees = |change: fn(&mut forest::Settings)| {
        let mut settings = forest::Settings::RANDOM;
        change(&mut settings);
        Config { model: Model::Trees(settings), ..good }
    };
    let sampled = |change: fn(&mut u32, &mut Sampling)| {
        let (mut count, mut sampling) = (4, Sampling::default());
        change(&mut count, &mut sampling);
        Config { treatment: Treatment::Sampled { count, sampling }, ..good }
    };
    let cooled = |change: fn(&mut Cooling)| {
        let mut cooling = Cooling::exponential(9);
        change(&mut cooling);
        let acquisition = Acquisition::LogMgf { temperature: 1.0 };
        Config { acquisition, cooling: Some(cooling), ..good }
    };
    let budget = Budget { evaluations: u32::MAX, ..good.training.budget };
    let nan = f64::NAN;
    for bad in [
        noise(0.0, 0.0, 0.0),
        noise(1e-3, 1e-2, 1e-1),
        noise(1.0, 1e-2, 1e-1),
        noise(nan, 1e-9, 1.0),
        noise(1e-3, nan, 1.0),
        noise(1e-3, 1e-9, f64::INFINITY),
        noise(-1.0, -2.0, 1.0),
        Config { noise: Noise { sd: 1e-25, ..good.noise }, ..good },
        Config { noise: Noise { sd: nan, ..good.noise }, ..good },
        Config { noise: Noise { sd: -1.0, ..good.noise }, ..good },
        rule(Acquisition::Bound { beta: -1.0 }),
        rule(Acquisition::Bound { beta: nan }),
        rule(Acquisition::Improvement { margin: nan }),
        rule(Acquisition::LogImprovement { margin: f64::INFINITY }),
        rule(Acquisition::Probability { margin: nan }),
        rule(Acquisition::Generalised { order: 21 }),
        rule(Acquisition::Generalised { order: u32::MAX }),
        rule(Acquisition::LogMgf { temperature: -1.0 }),
        rule(Acquisition::LogMgf { temperature: nan }),
        rule(Acquisition::Noisy { noise: -1.0 }),
        rule(Acquisition::Noisy { noise: f64::INFINITY }),
        search(|s| s.global = 0),
        search(|s| s.global = u32::MAX),
        search(|s| s.local = u32::MAX),
        search(|s| s.rounds = u32::MAX),
        search(|s| s.polish.evaluations = u32::MAX),
        search(|s| s.polish.tolerance = f64::NAN),
        search(|s| s.polish.reach = 0.0),
        search(|s| s.polish.reach = 2.0),
        Config { training: Training { draws: u32::MAX, ..good.training }, ..good },
        Config { training: Training { restarts: u32::MAX, ..good.training }, ..good },
        Config { training: Training { budget, ..good.training }, ..good },
        Config { interleave: Interleave { every: 2, beta: nan }, ..good },
        Config { interleave: Interleave { every: 2, beta: -1.0 }, ..good },
        Config { delta: 1.0, ..good },
        Config { delta: nan, ..good },
        Config { model: Model::Student { freedom: 2.0, learnt: true }, ..good },
        Config { model: Model::Student { freedom: nan, learnt: true }, ..good },
        Config { model: Model::Student { freedom: f64::INFINITY, learnt: false }, ..good },
        trees(|s| s.features = f64::NAN),
        trees(|s| s.features = 0.0),
        trees(|s| s.leaf = 0),
        sampled(|count, _| *count = 0),
        sampled(|count, _| *count = Treatment::MOST + 1),
        sampled(|_, s| s.thin = 0),
        sampled(|_, s| s.shrink = 0),
        sampled(|_, s| s.width = 0.0),
        sampled(|_, s| s.width = f64::NAN),
        sampled(|_, s| s.burn_in = u32::MAX),
        sampled(|_, s| s.thin = u32::MAX),
        sampled(|_, s| s.out = u32::MAX),
        sampled(|_, s| s.shrink = u32::MAX),
        sampled(|_, s| s.latent = u32::MAX),
        Config { treatment: Treatment::Quadrature { count: 0 }, ..good },
        Config { treatment: Treatment::Quadrature { count: u32::MAX }, ..good },
        Config { policy: Policy::Thompson { candidates: 0 }, ..good },
        Config { policy: Policy::Knowledge { representers: u32::MAX }, ..good },
        Config { policy: Policy::Spectral { features: 0 }, ..good },
        Config { policy: Policy::EntropySearch { representers: 4, draws: 0, fantasies: 1 }, ..good },
        Config { policy: Policy::Portfolio { representers: 4, draws: 1, fantasies: u32::MAX }, ..good },
        Config { batch: Batch::Fantasies { count: 0 }, ..good },
        Config { batch: Batch::Expected { draws: u32::MAX }, ..good },
        cooled(|c| c.from = f64::NAN),
        cooled(|c| c.to = 0.0),
        cooled(|c| c.to = 2.0 * c.from),
        rule(Acquisition::LogMgf { temperature: nan }),
        rule(Acquisition::Generalised { order: u32::MAX }),
        rule(Acquisition::Noisy { noise: -1.0 }),
        Config { refit: Refit { growth: -1.0, ..good.refit }, ..good },
        Config { refit: Refit { afresh: nan, ..good.refit }, ..good },
        Config { refit: Refit { evaluations: u32::MAX, ..good.refit }, ..good },
    ] {
        let refused = Optimizer::<f64, _>::new(&space, &bad, limits, vec![0; limits.words::<f64>()]);
        assert_eq!(refused.unwrap_err(), Error::Config, "{bad:?}");
    }
}

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
    let config = Config { when_full: WhenFull::DropWorst, ..Config::default() };
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
        let config = Config { start, ..Config::default() };
        exhausted::<f64>(&config);
        exhausted::<f32>(&config);
    }
    let params = [Param::categorical(2)];
    let mut optimizer = make::<f64>(&params, &Config { repeats: true, ..Config::default() }, 20);
    for i in 0..20 {
        let ask = optimizer.ask(&mut [0.0]).unwrap();
        optimizer.tell(ask.id, f64::from(i)).unwrap();
    }
}

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
            let config = Config { transform, trend, search, ..Config::default() };
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
        let config = Config { transform, search, ..Config::default() };
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
    let config = Config { noise, ..Config::default() };
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

/// The plain backend until a given call, which it refuses, and all after it.
struct Failing {
    calls: u32,
    error: Error,
}

impl Failing {
    fn call(&mut self) -> Result<(), Error> {
        self.calls = self.calls.saturating_sub(1);
        if self.calls == 0 { Err(self.error) } else { Ok(()) }
    }
}

impl Backend<f64> for Failing {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, f64>,
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.call()?;
        Plain.gram(tape, inputs, out, work)
    }

    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, f64>,
        points: &[f64],
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.call()?;
        Plain.cross(tape, inputs, points, out, work)
    }

    fn factor(&mut self, matrix: &mut [f64], rows: usize) -> Result<(), Error> {
        self.call()?;
        Backend::<f64>::factor(&mut Plain, matrix, rows)
    }

    fn solve(&mut self, factor: &[f64], rows: usize, sides: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.solve(factor, rows, sides)
    }

    fn invert(&mut self, factor: &[f64], rows: usize, out: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, f64>,
        gradient: &mut [f64],
        factor: &mut [f64],
        work: &mut [f64],
    ) -> Result<f64, Error> {
        self.call()?;
        Plain.evidence(tape, request, gradient, factor, work)
    }

    fn score(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, f64>,
        acquisition: Acquisition<f64>,
        best: f64,
        points: &[f64],
        out: &mut [f64],
        work: &mut [f64],
    ) -> Result<(), Error> {
        self.call()?;
        Plain.score(tape, posterior, acquisition, best, points, out, work)
    }
}

/// Wherever a backend fails, the trials stay as they are, the block loads, and the plain backend goes on.
#[test]
fn a_backend_that_fails() {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let search = Search { global: 64, local: 32, ..Config::default().search };
    let refit = Refit { growth: 0.0, ..Config::default().refit };
    for config in [Config { search, ..Config::default() }, Config { search, refit, ..Config::default() }] {
        let mut optimizer = make::<f64>(&params, &config, 30);
        let mut x = [0.0; 2];
        for _ in 0..9 {
            let ask = optimizer.ask(&mut x).unwrap();
            optimizer.tell(ask.id, x[0] * x[0] + x[1]).unwrap();
        }
        for error in [Error::Backend, Error::NotPositiveDefinite { row: 3 }] {
            for calls in (1..200).step_by(3) {
                let mut copy = Heap::<f64>::attach(optimizer.words().to_vec()).unwrap();
                let before: Vec<u64> = copy.trials().map(|t| t.id.to_bits()).collect();
                match copy.ask_with(&mut Failing { calls, error }, &mut x) {
                    Ok(ask) => assert!(ask.origin == Origin::Model || error != Error::Backend),
                    Err(refusal) => {
                        assert_eq!(refusal, error);
                        assert_eq!(before, copy.trials().map(|t| t.id.to_bits()).collect::<Vec<_>>());
                    }
                }
                let mut copy =
                    Heap::<f64>::attach(copy.into_inner()).unwrap_or_else(|e| panic!("{error} {calls}: {e}"));
                assert_eq!(copy.ask(&mut x).unwrap().origin, Origin::Model);
                copy.recommend().unwrap();
                assert!(Heap::<f64>::attach(copy.into_inner()).is_ok());
            }
        }
    }
}
