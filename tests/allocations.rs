//! Nothing is allocated: not by making an optimizer, not by asking with training and search, not by telling.

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::gp::sampler::{Sampler, Sampling};
use infill::kernel::{Dims, Kernel};
use infill::lbfgs::Budget;
use infill::pending::Lie;
use infill::policy::Minima;
use infill::race::{FRace, Outcome, Plan, Race, Rules, Size, Statistic};
use infill::search::Method;
use infill::space::Domain;
use infill::transfer::{Form, How, Sources, Start, Transfer, Weights};
use infill::{
    Acquisition, Baseline, Branching, Condition, Config, Error, Hyper, Limits, Model, Noise, Optimizer,
    Origin, Param, Pending, Plain, Policy, Real, Refit, Search, Space, Strategy, Training, Transform, Trend,
    Warp, When, forest, sparse,
};
use infill_tests::memory::{CountingAllocator, count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn whole_run<R: Real>(config: &Config<'_>, limits: Limits) {
    let free = config.proposal.baseline.is_some();
    let ordinals = [0.1, 0.2, 0.5];
    let params = [
        Param::real(-5.0, 10.0),
        Param::integer(1, 64).log(),
        Param::categorical(3),
        Param::ordinal(&ordinals),
        Param::real(1e-3, 1.0).log(),
    ];
    let conditions = [Condition::new(4, 2, When::Equals(1.0))];
    let mut words = vec![0; limits.words::<R>()];
    let mut origins = [0; 2];
    let (outcome, allocations) = count(|| {
        let space = Space::new(&params, &conditions)?;
        let mut optimizer = Optimizer::<R, _>::new(&space, config, limits, &mut words[..])?;
        let mut x = [R::ZERO; 5];
        optimizer.observe(&[R::ONE, R::TWO, R::ONE, R::of(0.2), R::HALF], R::ONE)?;
        optimizer.enqueue(&[R::TWO, R::TWO, R::ZERO, R::of(0.5), R::HALF])?;
        let mut open = None;
        for step in 0..30 {
            let ask = optimizer.ask(&mut x)?;
            origins[usize::from(ask.origin == Origin::Model)] += 1;
            // Every tenth question stays open until the next tenth, every seventh fails.
            if step % 10 == 0 {
                if let Some(id) = open.replace(ask.id) {
                    optimizer.forget(id)?;
                }
            } else if step % 7 == 0 {
                optimizer.fail(ask.id)?;
            } else {
                optimizer.tell_noisy(ask.id, (x[0] - R::ONE) * (x[0] - R::ONE) + x[2] + x[3], R::of(1e-4))?;
            }
            optimizer.predict(&x).or_else(|error| {
                let none = infill::Prediction { mean: R::ZERO, variance: R::ZERO };
                let nothing = error == Error::NoData || free && error == Error::Unsupported;
                if nothing { Ok(none) } else { Err(error) }
            })?;
        }
        optimizer.recommend()?;
        assert!(optimizer.best().is_some() && optimizer.trials().count() > 20 && !optimizer.is_empty());
        let again = Optimizer::<R, _>::attach(optimizer.into_inner())?;
        assert_eq!(again.dims(), 5);
        Ok::<(), Error>(())
    });
    outcome.unwrap();
    assert!(free || origins[1] >= 20, "{origins:?}");
    assert_eq!(allocations, 0);
}

#[test]
fn a_run_allocates_nothing() {
    let limits = Limits::new(5, 34).conditions(1, 3).trend(6);
    for (trend, transform) in [
        (Trend::Constant, Transform::Standard),
        (Trend::Zero, Transform::Power),
        (Trend::Linear, Transform::Rank),
    ] {
        // Training at each ask.
        let refit = Refit { growth: 0.0, afresh: 0.2, evaluations: 20, plenty: 300 };
        let config = Config::default().with(|c| {
            c.surrogate.trend = trend;
            c.targets = transform;
            c.surrogate.refit = refit;
        });
        whole_run::<f64>(&config, limits);
        whole_run::<f32>(&config, limits);
    }
}

/// Each kind of model, of treatment, of policy and of batch.
#[test]
fn no_choice_allocates() {
    let whole = Config::default();
    let budget = Budget { evaluations: 5, ..whole.surrogate.training.budget };
    let base = whole.with(|c| {
        c.surrogate.refit = Refit { growth: 0.0, afresh: 0.2, evaluations: 4, plenty: 300 };
        c.surrogate.training = Training { restarts: 1, draws: 2, budget, ..whole.surrogate.training };
        c.search = Search { global: 32, local: 16, starts: 2, polish: budget, rounds: 1, ..whole.search };
    });
    // Lengths of all numbers alike, and little else, so that a quadrature has few hyperparameters.
    let numbers = Kernel::matern52(Dims::list(&[0, 1, 3, 4]));
    let few = numbers.times(Kernel::hamming(Dims::list(&[2]))).unwrap().scaled();
    // Over all coordinates alike, so that there is a spectrum.
    let waves = Kernel::matern52(Dims::All).scaled();
    let sampled = |sampler| {
        let sampling = Sampling { sampler, burn_in: 2, thin: 1, width: 1.0, out: 4, shrink: 6, latent: 2 };
        Hyper::Mcmc { count: 3, sampling }
    };
    let mut all = vec![
        base.with(|c| {
            c.surrogate.model = Model::Student { freedom: 5.0, learnt: true };
            c.surrogate.warp = Warp::Beta;
        }),
        base.with(|c| {
            c.surrogate.hyper = Hyper::Quadrature { count: 8 };
            c.surrogate.kernel = Some(&few);
            c.surrogate.noise = Noise::fixed(1e-4);
        }),
        base.with(|c| {
            c.proposal.policy = Policy::Spectral { features: 8 };
            c.surrogate.kernel = Some(&waves);
        }),
        base.with(|c| {
            c.surrogate.model = Model::Sparse(sparse::Kind::Spectrum);
            c.surrogate.kernel = Some(&waves);
        }),
        base.with(|c| {
            c.surrogate.model = Model::Sparse(sparse::Kind::Fitc);
            c.proposal.pending = Pending::Fantasies { count: 4 };
        }),
        base.with(|c| {
            c.surrogate.model = Model::Sparse(sparse::Kind::Variational);
            c.proposal.policy = Policy::Hedge;
        }),
        base.with(|c| {
            c.surrogate.model = Model::Trees(forest::Settings::RANDOM);
            c.proposal.pending = Pending::Liar(Lie::Mean);
        }),
        base.with(|c| {
            c.surrogate.model = Model::Trees(forest::Settings::EXTRA);
            c.proposal.pending = Pending::JointEi { draws: 4 };
        }),
        base.with(|c| {
            c.surrogate.model = Model::Trees(forest::Settings::BOOSTED);
            c.proposal.policy = Policy::Thompson { candidates: 8 };
        }),
        base.with(|c| {
            c.proposal.pending = Pending::JointEi { draws: 4 };
            c.surrogate.hyper = sampled(Sampler::Slice);
        }),
        base.with(|c| {
            c.proposal.pending = Pending::Penalty;
            c.surrogate.warp = Warp::Kumaraswamy;
        }),
        base.with(|c| {
            c.proposal.pending = Pending::Temperatures;
            c.proposal.acquisition = Acquisition::LogMgf { temperature: 1.0 };
            c.proposal.schedule = Schedule::Cooling(Cooling::exponential(20));
        }),
    ];
    all.extend(Sampler::ALL.map(|sampler| base.with(|c| c.surrogate.hyper = sampled(sampler))));
    let (representers, draws, fantasies) = (6, 4, 2);
    let policies = [
        Policy::EntropySearch { representers, draws, fantasies },
        Policy::PredictiveEntropy { representers, draws },
        Policy::MaxValue { representers, draws, minima: Minima::Joint },
        Policy::MaxValue { representers, draws, minima: Minima::Gumbel },
        Policy::Thompson { candidates: 8 },
        Policy::Knowledge { representers },
        Policy::Hedge,
        Policy::Portfolio { representers, draws, fantasies },
    ];
    all.extend(policies.map(|policy| {
        base.with(|c| {
            c.proposal.policy = policy;
            c.surrogate.hyper = sampled(Sampler::Slice);
        })
    }));
    let search = |method| Config { search: Search { method, ..base.search }, ..base };
    all.extend(Method::ALL.map(search));
    let free = [
        Baseline::Random,
        Baseline::Grid { levels: 5 },
        Baseline::Sobol,
        Baseline::ANNEAL,
        Baseline::TPE,
        Baseline::Covariance { offspring: 5 },
        Baseline::Evolution { parents: 2, offspring: 5 },
    ];
    all.extend(free.map(|free| base.with(|c| c.proposal.baseline = Some(free))));
    for config in all {
        let sparse = matches!(config.surrogate.model, Model::Sparse(_));
        let trees = matches!(config.surrogate.model, Model::Trees(_));
        let limits = Limits::new(5, 34).open(4).conditions(1, 4);
        let limits = limits.features(if sparse { 8 } else { 0 }).forest(if trees { 6 } else { 0 }, 0);
        whole_run::<f64>(&config, limits.suit(&config));
        whole_run::<f32>(&config, limits.suit(&config));
    }
}

fn races<R: Real>() {
    let (size, plan) = (Size { configs: 6, runs: 120 }, Plan::new(2, 300));
    let params = [Param::real(0.0, 1.0), Param::categorical(3)];
    let mut words = [vec![0; size.words::<R>()], vec![0; plan.words::<R>()]];
    let (outcome, allocations) = count(|| {
        let rules = Rules { statistic: Statistic::Median, cap: 50.0, ..Rules::default() };
        let mut race = Race::<R, _>::new(size, &rules, &mut words[0][..])?;
        for config in 0..6 {
            race.challenge(config)?;
        }
        while let Ok(run) = race.ask() {
            race.tell(run.id, Outcome::Cost(R::of(f64::from(run.config) + (run.seed % 7) as f64)))?;
        }
        assert!(race.incumbent() == Some(0) && race.cost(0).is_some() && race.records().count() == 120);
        Race::<R, _>::attach(race.into_inner())?;
        let mut domain = [0; 64];
        Space::new(&params, &[])?.write(&mut domain)?;
        let domain = Domain::attach::<R>(&domain)?;
        let mut race = FRace::<R, _>::new(&plan, domain, &mut words[1][..])?;
        let mut x = [R::ZERO; 2];
        while let Ok(run) = race.ask(domain, &mut x) {
            race.tell(run.id, Outcome::Cost(x[0] + x[1]))?;
        }
        assert!(race.best(domain, &mut x)?.is_some());
        FRace::<R, _>::attach(race.into_inner())?;
        Ok::<(), Error>(())
    });
    assert_eq!((outcome, allocations), (Ok(()), 0));
}

#[test]
fn no_race_allocates() {
    races::<f64>();
    races::<f32>();
}

/// What sources are asked, from the first question to the last look.
fn helped<R: Real>(transfer: Transfer) {
    let params = [Param::real(0.0, 1.0), Param::categorical(3)];
    let search = Search { global: 32, local: 16, ..Config::default().search };
    let config = Config { search, transfer, ..Config::default() };
    let space = Space::new(&params, &[]).unwrap();
    let limits = space.limits(12).sources(1).source_rows(12).suit(&config);
    let plain = Config::default();
    let mut earlier = vec![0; space.limits(12).words::<R>()];
    let mut earlier = Optimizer::<R, _>::new(&space, &plain, space.limits(12), &mut earlier[..]).unwrap();
    let at = |i: usize| [R::of_usize(i % 4) / R::of(4.0), R::of_usize(i % 3)];
    let value = |point: &[R]| (point[0] - R::HALF) * (point[0] - R::HALF) + point[1];
    for i in 0..12 {
        earlier.observe(&at(i), value(&at(i))).unwrap();
    }
    let size = earlier.source_size(Form::Full, 1).unwrap();
    let (mut work, mut words) = (vec![0; size.work::<R>()], vec![0; size.words::<R>()]);
    let mut block = vec![0; limits.words::<R>()];
    let (outcome, allocations) = count(|| {
        earlier.export(Form::Full, &[R::ONE], &mut work, &mut words)?;
        let features = [R::TWO];
        let sources = Sources::attach(&words)?.with_features(&features)?;
        let mut optimizer = Optimizer::<R, _>::new(&space, &config, limits, &mut block[..])?;
        let mut x = [R::ZERO; 2];
        for _ in 0..8 {
            let ask = optimizer.ask_from(&sources, &mut Plain, &mut x)?;
            optimizer.tell(ask.id, value(&x))?;
        }
        optimizer.predict_from(&sources, &mut Plain, &x)?;
        optimizer.recommend_from(&sources, &mut Plain)?;
        Ok::<(), Error>(())
    });
    assert_eq!((outcome, allocations), (Ok(()), 0), "{transfer:?}");
}

#[test]
fn no_help_allocates() {
    let weights = Weights::ALL.map(|weights| [How::Stage(weights), How::Value(weights)]);
    let others = [How::Alone, How::Function { alpha: 0.5, growth: 0 }, How::Prior];
    for (i, how) in weights.into_iter().flatten().chain(others).enumerate() {
        let start = Start::ALL[i % Start::ALL.len()];
        let transfer = Transfer { start, trials: 2, how, keep: [1.0, 0.5][i % 2] };
        helped::<f64>(transfer);
        helped::<f32>(transfer);
    }
}

#[test]
fn no_strategy_allocates() {
    let params = [Param::categorical(3), Param::real(0.0, 1.0), Param::integer(1, 9)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
    let limits = Limits::new(3, 24).conditions(2, 0).branching(3, 0);
    let search = Search { global: 32, local: 16, ..Config::default().search };
    let config = Config { search, ..Config::default() };
    let branching = Branching { start: 3, ..Branching::of(0) };
    for strategy in [
        Strategy::Impute,
        Strategy::Single(branching),
        Strategy::Whole(branching),
        Strategy::Baseline { branching, budget: 24 },
    ] {
        let config = Config { strategy, ..config };
        let mut words = vec![0; limits.words::<f64>()];
        let (outcome, allocations) = count(|| {
            let space = Space::new(&params, &conditions)?;
            let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, &mut words[..])?;
            let mut x = [0.0; 3];
            optimizer.observe(&[0.0, 0.5, 1.0], 2.0)?;
            for step in 0..16 {
                let ask = optimizer.ask(&mut x)?;
                if step % 7 == 6 {
                    optimizer.fail(ask.id)?;
                } else {
                    optimizer.tell_noisy(ask.id, x[0] + x[1] * x[1] + x[2], 1e-4)?;
                }
            }
            optimizer.recommend()?;
            let again = Optimizer::<f64, _>::attach(optimizer.into_inner())?;
            assert_eq!((again.len(), again.trials().count()), (17, 17));
            Ok::<(), Error>(())
        });
        outcome.unwrap();
        assert_eq!(allocations, 0, "{strategy:?}");
    }
}
