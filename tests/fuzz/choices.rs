//! Models, treatments, policies and batches with small budgets, by number.

use infill::baselines::Parzen;
use infill::gp::sampler::{Sampler, Sampling};
use infill::pending::Lie;
use infill::policy::Minima;
use infill::search::Method;
use infill::{
    Acquisition, Baseline, Config, Hyper, Limits, Model, Noise, Pending, Policy, Search, Trend, Warp, forest,
    sparse,
};

/// How many there are.
pub const COUNT: usize = 34;

/// The configuration with one of them; those after the first need a mean that does not depend on the point, or take
/// one.
pub fn choose<'a>(number: usize, base: &Config<'a>) -> Config<'a> {
    let base = *base;
    let sampling = |sampler| {
        let sampling = Sampling { sampler, burn_in: 2, thin: 1, width: 1.0, out: 4, shrink: 6, latent: 2 };
        Hyper::Mcmc { count: 3, sampling }
    };
    let (slice, student) = (sampling(Sampler::Slice), Model::Student { freedom: 4.0, learnt: true });
    let temperature = Acquisition::LogMgf { temperature: 1.0 };
    let improvement = Acquisition::LogImprovement { margin: 0.0 };
    let hasty = Parzen { candidates: 3, share: 0.5, most: 2, prior: 2.0, liar: false };
    let (representers, draws) = (4, 4);
    let flat = base.with(|c| {
        c.surrogate.trend = Trend::Zero;
        c.proposal.acquisition = improvement;
    });
    match number % COUNT {
        0 => base,
        1 => base.with(|c| c.surrogate.hyper = slice),
        2 => flat.with(|c| {
            c.surrogate.hyper = sampling(Sampler::Whitened);
            c.surrogate.warp = Warp::Kumaraswamy;
        }),
        3 => flat.with(|c| c.surrogate.model = student),
        4 => flat.with(|c| {
            c.surrogate.model = student;
            c.surrogate.warp = Warp::Beta;
            c.proposal.pending = Pending::Liar(Lie::Max);
        }),
        5 => base.with(|c| {
            c.proposal.policy = Policy::Hedge;
            c.surrogate.hyper = slice;
        }),
        6 => base.with(|c| {
            c.surrogate.model = Model::Sparse(sparse::Kind::Fitc);
            c.proposal.pending = Pending::Fantasies { count: 3 };
        }),
        7 => base.with(|c| {
            c.surrogate.model = Model::Sparse(sparse::Kind::Variational);
            c.proposal.policy = Policy::Hedge;
        }),
        8 => base.with(|c| {
            c.surrogate.model = Model::Trees(forest::Settings::RANDOM);
            c.proposal.pending = Pending::Liar(Lie::Min);
        }),
        9 => base.with(|c| {
            c.surrogate.model = Model::Trees(forest::Settings::BOOSTED);
            c.proposal.policy = Policy::Hedge;
        }),
        10 => base.with(|c| c.proposal.policy = Policy::Portfolio { representers, draws, fantasies: 2 }),
        11 => base.with(|c| c.proposal.policy = Policy::EntropySearch { representers, draws, fantasies: 2 }),
        12 => base.with(|c| {
            c.proposal.policy = Policy::PredictiveEntropy { representers, draws };
            c.surrogate.hyper = slice;
        }),
        13 => base
            .with(|c| c.proposal.policy = Policy::MaxValue { representers, draws, minima: Minima::Gumbel }),
        14 => base.with(|c| {
            c.proposal.policy = Policy::Thompson { candidates: 4 };
            c.surrogate.hyper = slice;
        }),
        15 => base.with(|c| c.proposal.policy = Policy::Knowledge { representers }),
        16 => flat.with(|c| {
            c.proposal.pending = Pending::JointEi { draws: 3 };
            c.surrogate.hyper = slice;
        }),
        17 => base.with(|c| {
            c.proposal.pending = Pending::Temperatures;
            c.proposal.acquisition = temperature;
        }),
        18 => flat.with(|c| {
            c.proposal.pending = Pending::Penalty;
            c.surrogate.warp = Warp::Beta;
        }),
        20 => base.with(|c| c.proposal.baseline = Some(Baseline::Random)),
        21 => base.with(|c| c.proposal.baseline = Some(Baseline::Grid { levels: 12 })),
        22 => base.with(|c| c.proposal.baseline = Some(Baseline::Sobol)),
        23 => base.with(|c| c.proposal.baseline = Some(Baseline::ANNEAL)),
        24 => base.with(|c| {
            c.proposal.baseline = Some(Baseline::TPE);
            c.design.trials = 3;
        }),
        25 => base.with(|c| {
            c.proposal.baseline = Some(Baseline::Parzen(hasty));
            c.design.trials = 2;
        }),
        26 => base.with(|c| c.proposal.baseline = Some(Baseline::Covariance { offspring: 4 })),
        27 => base.with(|c| c.proposal.baseline = Some(Baseline::Evolution { parents: 2, offspring: 4 })),
        19 => base.with(|c| {
            c.proposal.policy = Policy::Noisy { draws };
            c.surrogate.hyper = slice;
        }),
        28..=32 => {
            let trees = Model::Trees(forest::Settings::RANDOM);
            let method = Method::ALL[number % COUNT - 26];
            let model = if method == Method::Smac { trees } else { base.surrogate.model };
            base.with(|c| {
                c.surrogate.model = model;
                c.search = Search { method, ..base.search };
            })
        }
        // One hyperparameter of each kind is few enough where there is one parameter.
        _ => base.with(|c| {
            c.surrogate.hyper = Hyper::Quadrature { count: 4 };
            c.surrogate.noise = Noise::fixed(1e-4);
        }),
    }
}

/// Limits for any of them.
pub fn suit(limits: Limits, config: &Config<'_>) -> Limits {
    let sparse = matches!(config.surrogate.model, Model::Sparse(_));
    let trees = matches!(config.surrogate.model, Model::Trees(_));
    let limits = limits.features(if sparse { 4 } else { 0 }).forest(if trees { 6 } else { 0 }, 0);
    limits.suit(config)
}
