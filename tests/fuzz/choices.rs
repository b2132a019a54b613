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
    let flat = Config { trend: Trend::Zero, acquisition: improvement, ..base };
    match number % COUNT {
        0 => base,
        1 => Config { treatment: slice, ..base },
        2 => Config { treatment: sampling(Sampler::Whitened), warp: Warp::Kumaraswamy, ..flat },
        3 => Config { model: student, ..flat },
        4 => Config { model: student, warp: Warp::Beta, batch: Pending::Liar(Lie::Max), ..flat },
        5 => Config { policy: Policy::Hedge, treatment: slice, ..base },
        6 => Config {
            model: Model::Sparse(sparse::Kind::Fitc),
            batch: Pending::Fantasies { count: 3 },
            ..base
        },
        7 => Config { model: Model::Sparse(sparse::Kind::Variational), policy: Policy::Hedge, ..base },
        8 => Config { model: Model::Trees(forest::Settings::RANDOM), batch: Pending::Liar(Lie::Min), ..base },
        9 => Config { model: Model::Trees(forest::Settings::BOOSTED), policy: Policy::Hedge, ..base },
        10 => Config { policy: Policy::Portfolio { representers, draws, fantasies: 2 }, ..base },
        11 => Config { policy: Policy::EntropySearch { representers, draws, fantasies: 2 }, ..base },
        12 => Config { policy: Policy::PredictiveEntropy { representers, draws }, treatment: slice, ..base },
        13 => Config { policy: Policy::MaxValue { representers, draws, minima: Minima::Gumbel }, ..base },
        14 => Config { policy: Policy::Thompson { candidates: 4 }, treatment: slice, ..base },
        15 => Config { policy: Policy::Knowledge { representers }, ..base },
        16 => Config { batch: Pending::JointEi { draws: 3 }, treatment: slice, ..flat },
        17 => Config { batch: Pending::Temperatures, acquisition: temperature, ..base },
        18 => Config { batch: Pending::Penalty, warp: Warp::Beta, ..flat },
        20 => Config { model: Model::Baseline(Baseline::Random), ..base },
        21 => Config { model: Model::Baseline(Baseline::Grid { levels: 12 }), ..base },
        22 => Config { model: Model::Baseline(Baseline::Sobol), ..base },
        23 => Config { model: Model::Baseline(Baseline::ANNEAL), ..base },
        24 => Config { model: Model::Baseline(Baseline::TPE), start: 3, ..base },
        25 => Config { model: Model::Baseline(Baseline::Parzen(hasty)), start: 2, ..base },
        26 => Config { model: Model::Baseline(Baseline::Covariance { offspring: 4 }), ..base },
        27 => Config { model: Model::Baseline(Baseline::Evolution { parents: 2, offspring: 4 }), ..base },
        19 => Config { policy: Policy::Noisy { draws }, treatment: slice, ..base },
        28..=32 => {
            let trees = Model::Trees(forest::Settings::RANDOM);
            let method = Method::ALL[number % COUNT - 26];
            let model = if method == Method::Smac { trees } else { base.model };
            Config { model, search: Search { method, ..base.search }, ..base }
        }
        // One hyperparameter of each kind is few enough where there is one parameter.
        _ => Config { treatment: Hyper::Quadrature { count: 4 }, noise: Noise::fixed(1e-4), ..base },
    }
}

/// Limits for any of them.
pub fn suit(limits: Limits, config: &Config<'_>) -> Limits {
    let sparse = matches!(config.model, Model::Sparse(_));
    let trees = matches!(config.model, Model::Trees(_));
    let limits = limits.features(if sparse { 4 } else { 0 }).forest(if trees { 6 } else { 0 }, 0);
    limits.suit(config)
}
