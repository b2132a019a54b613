//! Settings out of their range, and limits that something does not fit.

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::gp::sampler::Sampling;
use infill::kernel::{Dims, Kernel, Prior, Role};
use infill::lbfgs::Budget;
use infill::{
    Acquisition, Condition, Config, Error, Hyper, Interleave, Limit, Limits, Model, Need, Noise, Optimizer,
    Param, Pending, Policy, Refit, Search, Space, Training, Trend, When, forest,
};

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
    let missing = |limit, needed| Err(Error::Dimensions(Need::new(limit, needed)));
    assert_eq!(with(&config, Limits::new(2, 4).conditions(1, 3)), missing(Limit::Dims, 3));
    assert_eq!(with(&config, fits.conditions(0, 3)), missing(Limit::Conditions, 1));
    assert_eq!(with(&config, fits.conditions(1, 2)), missing(Limit::Levels, 3));
    let few = |limit, needed| Err(Error::Limits(Need::new(limit, needed)));
    assert!(
        matches!(with(&config, fits.kernel(1, 3, 4)), Err(Error::Limits(need)) if need.limit() == Limit::Nodes)
    );
    assert_eq!(with(&config, fits.kernel(8, 2, 4)), few(Limit::Lists, 3));
    assert_eq!(with(&config, fits.kernel(8, 3, 3)), few(Limit::Thetas, 4));
    assert_eq!(with(&config.with(|c| c.surrogate.trend = Trend::Linear), fits), few(Limit::Columns, 4));
    let bad = Kernel::matern52(Dims::All).with(Role::Length, 1.0, 2.0..3.0, Prior::Flat);
    assert!(matches!(
        with(&config.with(|c| c.surrogate.kernel = Some(&bad)), fits),
        Err(Error::Theta { .. })
    ));
    let outside = Kernel::matern52(Dims::range(2, 2));
    assert_eq!(with(&config.with(|c| c.surrogate.kernel = Some(&outside)), fits), Err(Error::Kernel));
}

#[test]
fn bad_settings() {
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(1, 4);
    let good = Config::default();
    let noise = |variance, lo, hi| good.with(|c| c.surrogate.noise = Noise { variance, lo, hi, sd: 0.0 });
    let rule = |acquisition| good.with(|c| c.proposal.acquisition = acquisition);
    let search = |change: fn(&mut Search)| {
        let mut config = good;
        change(&mut config.search);
        config
    };
    let trees = |change: fn(&mut forest::Settings)| {
        let mut settings = forest::Settings::RANDOM;
        change(&mut settings);
        good.with(|c| c.surrogate.model = Model::Trees(settings))
    };
    let sampled = |change: fn(&mut u32, &mut Sampling)| {
        let (mut count, mut sampling) = (4, Sampling::default());
        change(&mut count, &mut sampling);
        good.with(|c| c.surrogate.hyper = Hyper::Mcmc { count, sampling })
    };
    let cooled = |change: fn(&mut Cooling)| {
        let mut cooling = Cooling::exponential(9);
        change(&mut cooling);
        let acquisition = Acquisition::LogMgf { temperature: 1.0 };
        good.with(|c| {
            c.proposal.acquisition = acquisition;
            c.proposal.schedule = Schedule::Cooling(cooling);
        })
    };
    let budget = Budget { evaluations: u32::MAX, ..good.surrogate.training.budget };
    let nan = f64::NAN;
    for bad in [
        noise(0.0, 0.0, 0.0),
        noise(1e-3, 1e-2, 1e-1),
        noise(1.0, 1e-2, 1e-1),
        noise(nan, 1e-9, 1.0),
        noise(1e-3, nan, 1.0),
        noise(1e-3, 1e-9, f64::INFINITY),
        noise(-1.0, -2.0, 1.0),
        good.with(|c| c.surrogate.noise = Noise { sd: 1e-25, ..good.surrogate.noise }),
        good.with(|c| c.surrogate.noise = Noise { sd: nan, ..good.surrogate.noise }),
        good.with(|c| c.surrogate.noise = Noise { sd: -1.0, ..good.surrogate.noise }),
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
        good.with(|c| c.surrogate.training = Training { draws: u32::MAX, ..good.surrogate.training }),
        good.with(|c| c.surrogate.training = Training { restarts: u32::MAX, ..good.surrogate.training }),
        good.with(|c| c.surrogate.training = Training { budget, ..good.surrogate.training }),
        good.with(|c| c.proposal.interleave = Interleave { every: 2, beta: nan }),
        good.with(|c| c.proposal.interleave = Interleave { every: 2, beta: -1.0 }),
        good.with(|c| c.proposal.schedule = Schedule::Confidence { delta: 1.0 }),
        good.with(|c| c.proposal.schedule = Schedule::Confidence { delta: nan }),
        good.with(|c| c.surrogate.model = Model::Student { freedom: 2.0, learnt: true }),
        good.with(|c| c.surrogate.model = Model::Student { freedom: nan, learnt: true }),
        good.with(|c| c.surrogate.model = Model::Student { freedom: f64::INFINITY, learnt: false }),
        trees(|s| s.features = f64::NAN),
        trees(|s| s.features = 0.0),
        trees(|s| s.leaf = 0),
        sampled(|count, _| *count = 0),
        sampled(|count, _| *count = Hyper::MOST + 1),
        sampled(|_, s| s.thin = 0),
        sampled(|_, s| s.shrink = 0),
        sampled(|_, s| s.width = 0.0),
        sampled(|_, s| s.width = f64::NAN),
        sampled(|_, s| s.burn_in = u32::MAX),
        sampled(|_, s| s.thin = u32::MAX),
        sampled(|_, s| s.out = u32::MAX),
        sampled(|_, s| s.shrink = u32::MAX),
        sampled(|_, s| s.latent = u32::MAX),
        good.with(|c| c.surrogate.hyper = Hyper::Quadrature { count: 0 }),
        good.with(|c| c.surrogate.hyper = Hyper::Quadrature { count: u32::MAX }),
        good.with(|c| c.proposal.policy = Policy::Thompson { candidates: 0 }),
        good.with(|c| c.proposal.policy = Policy::Knowledge { representers: u32::MAX }),
        good.with(|c| c.proposal.policy = Policy::Spectral { features: 0 }),
        good.with(|c| c.proposal.policy = Policy::EntropySearch { representers: 4, draws: 0, fantasies: 1 }),
        good.with(|c| {
            c.proposal.policy = Policy::Portfolio { representers: 4, draws: 1, fantasies: u32::MAX }
        }),
        good.with(|c| c.proposal.pending = Pending::Fantasies { count: 0 }),
        good.with(|c| c.proposal.pending = Pending::JointEi { draws: u32::MAX }),
        cooled(|c| c.from = f64::NAN),
        cooled(|c| c.to = 0.0),
        cooled(|c| c.to = 2.0 * c.from),
        rule(Acquisition::LogMgf { temperature: nan }),
        rule(Acquisition::Generalised { order: u32::MAX }),
        rule(Acquisition::Noisy { noise: -1.0 }),
        good.with(|c| c.surrogate.refit = Refit { growth: -1.0, ..good.surrogate.refit }),
        good.with(|c| c.surrogate.refit = Refit { afresh: nan, ..good.surrogate.refit }),
        good.with(|c| c.surrogate.refit = Refit { evaluations: u32::MAX, ..good.surrogate.refit }),
    ] {
        let refused = Optimizer::<f64, _>::new(&space, &bad, limits, vec![0; limits.words::<f64>()]);
        assert_eq!(refused.unwrap_err(), Error::Config, "{bad:?}");
    }
}
