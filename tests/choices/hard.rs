//! Values, variances and spaces that are hard for a model: asks go on, proposals are in range, answers are numbers.

use infill::gp::sampler::Sampler;
use infill::kernel::{Dims, Kernel};
use infill::search::Method;
use infill::{
    Config, Error, Incumbent, Limits, Model, Optimizer, Param, Pending, Policy, Real, Search, Space,
    Transform, Warp,
};

use crate::run::*;

/// Each model, treatment, warp, policy and batch once.
fn one_of_each() -> Vec<Config<'static>> {
    let base = base();
    let mut all: Vec<Config<'static>> = Vec::new();
    all.extend(
        EXACT.into_iter().chain(SPARSE).chain(TREES).map(|model| base.with(|c| c.surrogate.model = model)),
    );
    all.extend(Sampler::ALL.map(|sampler| base.with(|c| c.surrogate.hyper = sampled(sampler))));
    all.push(base.with(|c| c.surrogate.hyper = QUADRATURE));
    all.push(base.with(|c| {
        c.surrogate.warp = Warp::Kumaraswamy;
        c.surrogate.hyper = sampled(Sampler::Slice);
    }));
    all.push(base.with(|c| {
        c.surrogate.warp = Warp::Beta;
        c.surrogate.model = EXACT[2];
    }));
    all.extend(POLICIES.map(|policy| base.with(|c| c.proposal.policy = policy)));
    all.extend(POLICIES.map(|policy| {
        base.with(|c| {
            c.proposal.policy = policy;
            c.surrogate.hyper = sampled(Sampler::Slice);
        })
    }));
    for policy in POLICIES.into_iter().filter(|policy| !matches!(policy, Policy::Spectral { .. })) {
        all.extend([SPARSE[0], TREES[0], EXACT[1]].map(|model| {
            base.with(|c| {
                c.proposal.policy = policy;
                c.surrogate.model = model;
            })
        }));
    }
    for batch in BATCHES {
        let acquisition = if batch == Pending::Temperatures { RULES[5] } else { RULES[0] };
        all.extend([EXACT[0], SPARSE[1], TREES[1]].map(|model| {
            base.with(|c| {
                c.proposal.pending = batch;
                c.proposal.acquisition = acquisition;
                c.surrogate.model = model;
            })
        }));
    }
    for method in Method::ALL {
        let search = Search { method, ..base.search };
        all.extend([EXACT[0], TREES[0]].map(|model| {
            base.with(|c| {
                c.surrogate.model = model;
                c.search = search;
            })
        }));
    }
    all.retain(sensible);
    all
}

fn hard<R: Real>(config: &Config<'_>, values: &dyn Fn(usize) -> f64, variance: f64, what: &str) {
    let domain = reals();
    let config = domain.fit(config);
    let space = Space::new(&domain.params, &[]).unwrap();
    let limits = domain.limits(&config);
    let words = limits.words::<R>();
    let mut optimizer = Optimizer::<R, _>::new(&space, &config, limits, vec![0; words]).unwrap();
    let context = |i: usize, error: Error| -> ! { panic!("{what}, {i}: {error}, {config:?}") };
    let mut x = [R::ZERO; 2];
    let mut open = Vec::new();
    for i in 0..11 {
        let ask = optimizer.ask(&mut x).unwrap_or_else(|error| context(i, error));
        let inside = x[0] >= R::of(-5.0) && x[0] <= R::of(10.0) && x[1] >= R::ZERO && x[1] <= R::of(15.0);
        assert!(inside, "{what}, {x:?}: {config:?}");
        open.push((ask.id, R::of(values(i))));
        if open.len() == 2 {
            let (id, value) = open.remove(i % 2);
            optimizer.tell_noisy(id, value, R::of(variance)).unwrap_or_else(|error| context(i, error));
        }
        let loaded = Optimizer::<R, _>::attach(optimizer.words().to_vec());
        optimizer = loaded.unwrap_or_else(|error| context(i, error));
    }
    let (_, prediction) = optimizer.recommend().unwrap();
    assert!(
        prediction.mean.is_finite() && !prediction.variance.is_nan(),
        "{what}, {prediction:?}: {config:?}"
    );
    match optimizer.predict(&x) {
        Ok(prediction) => {
            let sound = prediction.mean.is_finite() && prediction.variance >= R::ZERO;
            assert!(sound, "{what}, {prediction:?}: {config:?}");
        }
        Err(error) => context(99, error),
    }
}

#[test]
fn hard_values() {
    for config in one_of_each() {
        for transform in [Transform::Power, Transform::None] {
            let config = config.with(|c| {
                c.targets = transform;
                c.proposal.incumbent = Incumbent::Mean;
            });
            let run = |what: &str, variance: f64, values: &dyn Fn(usize) -> f64| {
                hard::<f64>(&config, values, variance, what);
                hard::<f32>(&config, values, variance, what);
            };
            run("constant", 0.0, &|_| 3.0);
            run("huge constant", 1e30, &|_| -1e30);
            run("both signs", 1e-9, &|i| {
                (if i % 2 == 0 { -1.0 } else { 1.0 }) * 10f64.powi(i as i32 * 3 - 15)
            });
            run("tiny spread", 0.0, &|i| 1.0 + 1e-7 * i as f64);
            run("one outlier", 1.0, &|i| if i == 5 { 1e30 } else { i as f64 });
            hard::<f64>(&config, &|i| if i % 2 == 0 { f64::MAX } else { -f64::MAX }, 1e300, "largest");
            hard::<f64>(&config, &|i| f64::from_bits(i as u64), 0.0, "smallest");
        }
    }
}

/// Few points, all of them used; labels alone; one parameter.
#[test]
fn small_spaces() {
    let label = [Param::categorical(3), Param::categorical(2)];
    let integer = [Param::integer(1, 7)];
    let real = [Param::real(0.0, 1.0)];
    let few = [Param::categorical(4), Param::integer(0, 1)];
    for (params, points) in [(&label[..], 6), (&integer[..], 7), (&real[..], 12), (&few[..], 8)] {
        let space = Space::new(params, &[]).unwrap();
        let dims = params.len();
        let numbers = Kernel::matern52(Dims::All).scaled();
        for config in one_of_each() {
            let waves = matches!(config.proposal.policy, Policy::Spectral { .. })
                || config.surrogate.model == SPARSE[2];
            let few = config.surrogate.hyper == QUADRATURE;
            // Distances between labels are as good as any here.
            let config = config.with(|c| c.surrogate.kernel = (waves || few).then_some(&numbers));
            let limits = Limits::new(dims as u32, 12).open(3).candidates(8).starts(2).suit(&config);
            let mut optimizer =
                Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
            let mut x = vec![0.0; dims];
            for i in 0..points {
                let ask = optimizer.ask(&mut x).unwrap_or_else(|error| panic!("{i}: {error}, {config:?}"));
                optimizer.tell(ask.id, value(&x)).unwrap();
            }
            if params.len() == 2 || params == integer {
                assert_eq!(optimizer.ask(&mut x).unwrap_err(), Error::Exhausted, "{config:?}");
            }
            let best = optimizer.best().unwrap().value;
            let seen = optimizer.trials().map(|trial| trial.value).fold(f64::INFINITY, f64::min);
            assert_eq!(best, seen);
            optimizer.recommend().unwrap();
        }
    }
}

/// The same point again and again.
#[test]
fn repeated_points() {
    let domain = reals();
    let space = Space::new(&domain.params, &[]).unwrap();
    for config in one_of_each() {
        let config = domain.fit(&config.with(|c| c.run.repeats = true));
        let limits = domain.limits(&config);
        let mut optimizer =
            Optimizer::<f32, _>::new(&space, &config, limits, vec![0; limits.words::<f32>()]).unwrap();
        for i in 0..7 {
            optimizer.observe(&[1.0, 2.0], (i % 3) as f32).unwrap();
        }
        let mut x = [0.0; 2];
        for i in 0..3 {
            optimizer.ask(&mut x).unwrap_or_else(|error| panic!("{i}: {error}, {config:?}"));
        }
        let trees = matches!(config.surrogate.model, Model::Trees(_));
        let prediction = optimizer.predict(&[1.0, 2.0]).unwrap();
        assert!(trees || (prediction.mean - 0.85).abs() < 0.8, "{prediction:?}, {config:?}");
    }
}
