//! Trends whose basis functions the data cannot tell apart: those that add nothing are left out, whatever the model.

#[path = "helpers/model.rs"]
mod model;

use infill::gp::student;
use infill::kernel::{Dims, Kernel, Prior, Role};
use infill::{
    Condition, Config, Hyper, Limits, Model, Objective, Optimizer, Origin, Param, Plain, Real, Space, Trend,
    When, sparse,
};
use infill_tests::random::SplitMix64;
use model::{close, with_gp};

const TRENDS: [Trend; 2] = [Trend::Linear, Trend::Quadratic];

/// Parameters of few values, alone and among others, with conditions.
fn spaces() -> Vec<(Vec<Param<'static>>, Vec<Condition<'static>>)> {
    let real = Param::real(-1.0, 2.0);
    vec![
        (vec![Param::real(0.0, 1.0), Param::categorical(2)], vec![]),
        (vec![real, Param::integer(0, 1), Param::ordinal(&[0.1, 3.0])], vec![]),
        (vec![real, Param::categorical(2), Param::integer(5, 7), real], vec![]),
        (
            vec![Param::categorical(2), real, Param::integer(0, 1), real],
            vec![Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))],
        ),
    ]
}

fn value<R: Real>(x: &[R]) -> R {
    x.iter().enumerate().fold(R::ZERO, |sum, (i, &v)| {
        let off = v - R::of(0.3 + 0.2 * i as f64);
        sum + off * off + (R::of(3.0) * v).sin()
    })
}

/// A run that asks the model from the end of the design on, and looks at it at every step.
fn run<R: Real>(params: &[Param<'_>], conditions: &[Condition<'_>], config: &Config<'_>, asked: u32) {
    let space = Space::new(params, conditions).unwrap();
    let dims = params.len();
    let columns = config.surrogate.trend.columns(dims) as u32;
    let limits = Limits::new(dims as u32, asked + 1).conditions(2, 2).trend(columns).suit(config);
    let mut optimizer = Optimizer::<R, _>::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut x = vec![R::ZERO; dims];
    let mut modelled = 0;
    for step in 0..asked {
        let context = format!("{} bytes, step {step}, {params:?}, {config:?}", R::BYTES);
        let ask = optimizer.ask(&mut x).unwrap_or_else(|error| panic!("{error}: {context}"));
        assert_ne!(ask.origin, Origin::Fallback, "{context}");
        modelled += u32::from(ask.origin == Origin::Model);
        optimizer.tell(ask.id, value(&x)).unwrap();
        if step > 0 {
            let seen = optimizer.predict(&x).unwrap_or_else(|error| panic!("{error}: {context}"));
            assert!(seen.mean.is_finite() && seen.variance >= R::ZERO, "{seen:?} {context}");
        }
    }
    assert!(modelled > asked / 2, "{modelled} of {asked}: {config:?}");
}

fn runs<R: Real>(config: &Config<'_>, asked: u32, seeds: u64) {
    for (params, conditions) in spaces() {
        for trend in TRENDS {
            for seed in 1..=seeds {
                run::<R>(
                    &params,
                    &conditions,
                    &config.with(|c| {
                        c.surrogate.trend = trend;
                        c.seed = seed;
                    }),
                    asked,
                );
            }
        }
    }
}

#[test]
fn a_process_is_asked_throughout() {
    runs::<f64>(&Config::default(), 36, 2);
    runs::<f32>(&Config::default(), 36, 2);
}

#[test]
fn so_is_every_other_model_with_a_trend() {
    for model in [
        Model::Student { freedom: 5.0, learnt: true },
        Model::Sparse(sparse::Kind::Fitc),
        Model::Sparse(sparse::Kind::Variational),
    ] {
        runs::<f64>(&Config::default().with(|c| c.surrogate.model = model), 16, 1);
        runs::<f32>(&Config::default().with(|c| c.surrogate.model = model), 16, 1);
    }
}

#[test]
fn so_are_many_hyperparameters() {
    let config = Config::default()
        .with(|c| c.surrogate.hyper = Hyper::Mcmc { count: 4, sampling: Default::default() });
    let (params, _) = &spaces()[0];
    for trend in TRENDS {
        run::<f64>(params, &[], &config.with(|c| c.surrogate.trend = trend), 16);
        run::<f32>(params, &[], &config.with(|c| c.surrogate.trend = trend), 16);
    }
}

/// Fewer trials than basis functions: the first of them serve.
#[test]
fn a_short_design_is_enough() {
    let params = vec![Param::real(0.0, 1.0); 6];
    for trend in TRENDS {
        let config = Config::default().with(|c| {
            c.surrogate.trend = trend;
            c.design.trials = 3;
        });
        run::<f64>(&params, &[], &config, 20);
        run::<f32>(&params, &[], &config, 20);
    }
}

fn numbers<R: Real>(rows: usize, dims: usize, seed: u64) -> (Vec<Vec<R>>, Vec<R>) {
    let mut random = SplitMix64::new(seed);
    let x: Vec<Vec<R>> = (0..rows).map(|_| (0..dims).map(|_| R::of(random.uniform())).collect()).collect();
    let y = x.iter().map(|x| value(x)).collect();
    (x, y)
}

/// What a process says: evidence with gradient, leave-one-out with gradient, Student's, then predictions with gradients.
fn told<R: Real>(kernel: &Kernel, trend: Trend, x: &[Vec<R>], y: &[R], at: &[Vec<R>]) -> Vec<f64> {
    with_gp(kernel, trend, 1e-2, x, y, &[], |gp, tape| {
        let mut out = Vec::new();
        let thetas = gp.theta().len();
        for objective in [Objective::Evidence, Objective::LeaveOneOut] {
            let mut gradient = vec![R::ZERO; thetas];
            out.push(gp.evidence(&tape, &mut Plain, objective, &mut gradient).unwrap());
            out.extend(gradient);
        }
        gp.fit(&tape, &mut Plain).unwrap();
        let split = gp.split().unwrap();
        let tail = student::Tail::of(&split.posterior, split.targets, R::of(5.0)).unwrap();
        out.extend([tail.freedom, tail.covariance]);
        for point in at {
            let (mut mean, mut variance) = (vec![R::ZERO; point.len()], vec![R::ZERO; point.len()]);
            let seen = gp.predict_gradient(&tape, point, &mut mean, &mut variance).unwrap();
            out.extend([seen.mean, seen.variance]);
            out.extend(mean);
            out.extend(variance);
        }
        out.iter().map(|v| v.to_f64()).collect()
    })
}

fn alike(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(close(*a, *b, tolerance, 1.0), "{what} {i}: {a} {b}");
    }
}

/// A trend that the data reduce to a simpler one is that: x² to x where x has two values, x to 1 where it has one.
fn reduced<R: Real>(tolerance: f64) {
    let kernel = Kernel::matern52(Dims::All).with(Role::Length, 0.4, 0.1..1.0, Prior::Flat).scaled();
    let (free, y) = numbers::<R>(30, 1, 3);
    let at = vec![vec![R::of(0.3)], vec![R::of(0.75)]];
    for (a, b) in [(0.0, 1.0), (0.25, 0.75), (1.0 / 6.0, 5.0 / 6.0), (-1.0, 0.4), (0.9, 1.0), (0.01, 1.0)] {
        let two: Vec<Vec<R>> =
            free.iter().map(|x| vec![R::of(if x[0] < R::of(0.4) { a } else { b })]).collect();
        let (whole, simple) =
            (told(&kernel, Trend::Quadratic, &two, &y, &at), told(&kernel, Trend::Linear, &two, &y, &at));
        alike(&whole, &simple, tolerance, &format!("{a} {b}"));
        let one: Vec<Vec<R>> = free.iter().map(|_| vec![R::of(b)]).collect();
        let simple = told(&kernel, Trend::Constant, &one, &y, &at);
        for trend in TRENDS {
            alike(&told(&kernel, trend, &one, &y, &at), &simple, tolerance, &format!("{b} {trend:?}"));
        }
    }
    // As many rows as a simpler trend takes, and one: the rest of the basis has to wait.
    let (x, y) = numbers::<R>(3, 1, 8);
    let (whole, simple) =
        (told(&kernel, Trend::Quadratic, &x, &y, &at), told(&kernel, Trend::Linear, &x, &y, &at));
    alike(&whole, &simple, tolerance, "three rows");
    let simple = told(&kernel, Trend::Constant, &x[..2], &y[..2], &at);
    for trend in TRENDS {
        alike(&told(&kernel, trend, &x[..2], &y[..2], &at), &simple, tolerance, "two rows");
    }
}

#[test]
fn a_trend_is_what_the_data_can_tell_of_it() {
    reduced::<f64>(1e-9);
    reduced::<f32>(2e-2);
}

/// Derivatives of both objectives are the differences of their values where columns are left out.
#[test]
fn gradients_are_differences() {
    let (mut x, y) = numbers::<f64>(24, 3, 5);
    for row in &mut x {
        row[1] = if row[1] < 0.5 { 0.0 } else { 1.0 };
        row[2] = if row[1] < 0.5 { -1.0 } else { row[2] };
    }
    let branch =
        Kernel::matern52(Dims::list(&[0, 2])).scaled().times(Kernel::branch(Dims::list(&[1]))).unwrap();
    for kernel in [Kernel::matern52(Dims::All).ard().scaled(), branch] {
        for trend in TRENDS {
            for objective in [Objective::Evidence, Objective::LeaveOneOut] {
                with_gp(&kernel, trend, 1e-2, &x, &y, &[], |gp, tape| {
                    let thetas = gp.theta().len();
                    let mut gradient = vec![0.0; thetas];
                    gp.evidence(&tape, &mut Plain, objective, &mut gradient).unwrap();
                    let start = gp.theta().to_vec();
                    for t in 0..thetas {
                        let mut ends = [-1e-5, 1e-5].map(|step| {
                            gp.theta_table().value[t] = start[t] + step;
                            gp.evidence(&tape, &mut Plain, objective, &mut []).unwrap()
                        });
                        gp.theta_table().value[t] = start[t];
                        ends.reverse();
                        let slope = (ends[0] - ends[1]) / 2e-5;
                        assert!(
                            (slope - gradient[t]).abs() < 1e-5 * slope.abs().max(1.0),
                            "{trend:?} {objective:?} {t}"
                        );
                    }
                    gp.fit(&tape, &mut Plain).unwrap();
                    let left_out = gp.trend_coefficients().iter().filter(|&&beta| beta == 0.0).count();
                    assert_eq!(left_out, if trend == Trend::Quadratic { 2 } else { 0 });
                });
            }
        }
    }
}
