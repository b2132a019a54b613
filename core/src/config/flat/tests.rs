//! Every setting goes to its number and comes back.

use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::acquisition::Rule;
use crate::baselines::{Anneal, Baseline, Parzen};
use crate::config::{Branching, Model, PRESETS, Similarity};
use crate::forest::{Kind, Settings, Spread};
use crate::gp::sampler::Sampler;
use crate::sparse;
use crate::transfer::{How, Near, Start, Transfer, Weights};

/// Forests that are not the usual ones.
fn forests() -> Vec<Model> {
    let mut random = Settings::RANDOM;
    (random.kind, random.features, random.leaf) = (Kind::Random { bootstrap: false }, 0.5, 5);
    let mut extra = Settings::EXTRA;
    (extra.spread, extra.depth, extra.floor) = (Spread::Across, 7, 1e-3);
    let mut boosted = Settings::BOOSTED;
    boosted.kind = Kind::Boosted { rate: 0.3, share: 0.8, low: 0.1, high: 0.7 };
    vec![Model::Trees(random), Model::Trees(extra), Model::Trees(boosted)]
}

fn proposing(config: Config<'static>, proposer: Proposer) -> Config<'static> {
    config.with(|c| match proposer {
        Proposer::Model(model) => c.surrogate.model = model,
        Proposer::Baseline(baseline) => c.proposal.baseline = Some(baseline),
    })
}

/// Configurations that together change every number.
fn all() -> Vec<Config<'static>> {
    let base = Config::default();
    let mut all: Vec<_> = PRESETS.into_iter().filter_map(Config::preset).collect();
    let baselines = [
        Baseline::Grid { levels: 3 },
        Baseline::Anneal(Anneal { heat: 2.0, cooling: 0.5, reach: 0.1 }),
        Baseline::Parzen(Parzen { candidates: 3, share: 0.2, most: 4, prior: 0.5, liar: false }),
        Baseline::Covariance { offspring: 9 },
        Baseline::Evolution { parents: 2, offspring: 5 },
    ];
    let models = [false, true].map(|learnt| Model::Student { freedom: 9.0, learnt }).into_iter();
    let models = models.chain(forests()).map(Proposer::Model).chain(Proposer::ALL);
    all.extend(models.chain(baselines.map(Proposer::Baseline)).map(|proposer| proposing(base, proposer)));
    for sampler in Sampler::ALL {
        let sampling = Sampling { sampler, burn_in: 1, thin: 2, width: 0.5, out: 3, shrink: 4, latent: 5 };
        all.push(base.with(|c| c.surrogate.hyper = Hyper::Mcmc { count: 6, sampling }));
    }
    all.push(base.with(|c| c.surrogate.hyper = Hyper::Quadrature { count: 9 }));
    let policies = [
        Policy::EntropySearch { representers: 1, draws: 2, fantasies: 3 },
        Policy::PredictiveEntropy { representers: 4, draws: 5 },
        Policy::MaxValue { representers: 6, draws: 7, minima: Minima::Gumbel },
        Policy::Thompson { candidates: 8 },
        Policy::Spectral { features: 9 },
        Policy::Knowledge { representers: 10 },
        Policy::Portfolio { representers: 11, draws: 12, fantasies: 13 },
        Policy::Noisy { draws: 14 },
    ];
    all.extend(
        policies.into_iter().chain(Policy::ALL).map(|policy| base.with(|c| c.proposal.policy = policy)),
    );
    let draws = [Pending::Fantasies { count: 3 }, Pending::JointEi { draws: 5 }];
    for pending in Pending::ALL.into_iter().chain(draws) {
        all.push(base.with(|c| c.proposal.pending = pending));
    }
    for decay in [Decay::Exponential, Decay::Linear] {
        let cooling = Cooling { decay, from: 3.0, to: 0.5, steps: 7 };
        all.push(base.with(|c| c.proposal.schedule = Schedule::Cooling(cooling)));
    }
    for (categories, structure, branches) in [
        (Categories::Exchangeable, Structure::Sum, Branches::Apart),
        (Categories::OneHot, Structure::Both, Branches::Shared),
        (Categories::Index, Structure::Product, Branches::Apart),
    ] {
        all.push(base.with(|c| c.surrogate.similarity = Similarity { categories, structure, branches }));
    }
    let branching = Branching { parameter: 2, start: 6, own_minimum: true };
    let strategies = [
        Strategy::Single(branching),
        Strategy::Whole(branching),
        Strategy::Baseline { branching, budget: 200 },
    ];
    all.extend(strategies.into_iter().chain(Strategy::ALL).map(|s| base.with(|c| c.strategy = s)));
    let hows = [
        How::Stage(Weights::Features { rho: 0.7 }),
        How::Value(Weights::Ranks { rho: 0.9 }),
        How::Stage(Weights::Experts),
        How::Value(Weights::Sampled { draws: 7 }),
        How::Neighbours { alpha: 0.75, count: 5, by: Near::Ranks },
        How::Function { alpha: 0.25, growth: 40 },
    ];
    for how in hows.into_iter().chain(How::ALL) {
        all.push(base.with(|c| c.transfer = Transfer { start: Start::Nearest, trials: 9, how, keep: 0.125 }));
    }
    all.extend([Warp::Kumaraswamy, Warp::Beta].map(|warp| base.with(|c| c.surrogate.warp = warp)));
    all.push(base.with(|c| {
        (c.seed, c.design.kind, c.design.trials) = (7, Design::Halton, 9);
        let surrogate = &mut c.surrogate;
        surrogate.trend = Trend::Quadratic;
        (surrogate.noise.variance, surrogate.noise.lo, surrogate.noise.hi) = (0.2, 0.1, 0.3);
        surrogate.noise.sd = 0.4;
        (surrogate.training.restarts, surrogate.training.draws) = (11, 12);
        surrogate.training.objective = Objective::LeaveOneOut;
        surrogate.training.budget.evaluations = 13;
        (surrogate.training.budget.tolerance, surrogate.training.budget.reach) = (0.5, 0.6);
        (surrogate.refit.growth, surrogate.refit.afresh) = (0.7, 0.8);
        (surrogate.refit.evaluations, surrogate.refit.plenty) = (14, 15);
        c.targets = Transform::YeoJohnson;
        let proposal = &mut c.proposal;
        (proposal.acquisition, proposal.schedule) =
            (Acquisition::Bound { beta: 0.9 }, Schedule::Confidence { delta: 0.1 });
        (proposal.interleave.every, proposal.interleave.beta) = (16, 1.1);
        proposal.incumbent = Incumbent::Mean;
        let search = &mut c.search;
        (search.method, search.global, search.local) = (Method::Typed, 17, 18);
        (search.starts, search.rounds, search.polish.evaluations) = (19, 20, 21);
        (search.polish.tolerance, search.polish.reach) = (0.25, 0.35);
        (c.run.repeats, c.run.when_full) = (true, WhenFull::DropWorst);
    }));
    all
}

/// The words of these numbers, over others.
fn words(flat: &Flat) -> [u64; WORDS] {
    let mut words = [1; WORDS];
    flat.write(&mut words);
    words
}

fn read(words: &[u64; WORDS]) -> Flat {
    let mut flat = Flat::of(&Config::default());
    flat.read(words);
    flat
}

/// The step of CONTRIBUTING.md that names a setting that was forgotten.
#[test]
fn every_setting_comes_back_as_it_was() {
    let plain = Flat::of(&Config::default());
    assert_eq!(plain.config(None), Ok(Config::default()));
    let mut changed = BTreeSet::new();
    for config in all() {
        let flat = Flat::of(&config);
        assert_eq!(read(&words(&flat)), flat);
        let back = flat.config(None).unwrap();
        for (name, same) in Flat::of(&back).compare(&flat) {
            assert!(same, "`{name}` does not come back: it needs a row in `exchange` (config/flat.rs)");
        }
        assert_eq!(back, config);
        changed.extend(flat.compare(&plain).into_iter().filter(|(_, same)| !same).map(|(name, _)| name));
        // A setting that any number suits needs no line in `all`.
        let comes_back = |other: &Flat| other.config(None).is_ok_and(|back| Flat::of(&back) == *other);
        changed
            .extend(flat.others().into_iter().filter(|(_, other)| comes_back(other)).map(|(name, _)| name));
        if config.combines().is_ok() {
            let mut words = [1; WORDS];
            config.write(&mut words);
            assert_eq!(Config::read(&words), Ok(config));
        }
    }
    for (name, _) in plain.compare(&plain) {
        assert!(
            changed.contains(name),
            "`{name}` does not come back: it needs a row in `exchange` (config/flat.rs), or a value in `all` here"
        );
    }
}

#[test]
fn numbers_are_places() {
    assert_eq!(Proposer::ALL.map(|proposer| proposer.code()), core::array::from_fn(|i| i as u32));
    assert_eq!(Policy::ALL.map(|policy| policy.code()), core::array::from_fn(|i| i as u32));
    assert_eq!(Hyper::all().map(|hyper| hyper.code()), [0, 1, 2]);
    assert_eq!(Pending::ALL.map(|pending| pending.code()), core::array::from_fn(|i| i as u32));
    assert_eq!(Proposer::ALL[15], Proposer::Model(Model::Sparse(sparse::Kind::Mondrian)));
}

/// What is usual stands for zeros of what is chosen, and what was given stays.
#[test]
fn zeros_are_what_is_usual() {
    let plain = Flat::of(&Config::default());
    for proposer in Proposer::ALL {
        let given = Flat { model: proposer.code(), ..plain };
        assert_eq!(given.or_usual().unwrap().config(None), Ok(proposing(Config::default(), proposer)));
    }
    for policy in Policy::ALL {
        let given = Flat { policy: policy.code(), ..plain };
        assert_eq!(given.or_usual().unwrap().config(None).unwrap().proposal.policy, policy);
    }
    for method in Method::ALL {
        let given = Flat { search_method: method as u32, ..plain };
        let search = Search { method, ..Config::default().search };
        assert_eq!(given.or_usual().unwrap().config(None).unwrap().search, search);
        let zeros = Flat { search_global: 0, search_starts: 0, search_rounds: 0, ..given };
        let usual = Search { local: search.local, ..Search::of(method) };
        let answer = zeros.or_usual().unwrap().config(None).map(|config| config.search);
        let own = matches!(method, Method::Auto | Method::Ascent);
        assert_eq!(answer, if own { Err(Error::Config) } else { Ok(usual) });
    }
    for config in all() {
        assert_eq!(Flat::of(&config).or_usual().unwrap().config(None), Ok(config));
    }
}

#[test]
fn numbers_of_no_choice_are_refused() {
    let plain = Flat::of(&Config::default());
    macro_rules! refused {
        ($($field:ident: $first:expr),* $(,)?) => {
            $(for number in [$first, u32::MAX] {
                let bad = Flat { $field: number, ..plain };
                assert_eq!(bad.config(None), Err(Error::Config), "{} {number}", stringify!($field));
                assert_eq!(read(&words(&bad)), bad);
                assert_eq!(Config::read(&words(&bad)), Err(Error::Corrupt));
            })*
        };
    }
    refused! {
        design: 5, trend: 4, targets: 6, acquisition: 1 + Rule::ALL[Rule::ALL.len() - 1].code() as u32, incumbent: 2, training_objective: 2, search_method: 7,
        repeats: 2, when_full: 2, model: Proposer::ALL.len() as u32, model_learn_freedom: 2, forest_spread: 2, forest_bootstrap: 2, warp: 3,
        hyper: 3, sampler: 6, policy: Policy::ALL.len() as u32, policy_minima: 2, pending: 8, cooling: 3, parzen_liar: 2, categories: 4,
        structure: 3, branches: 2,
    }
    assert_eq!(Config::read(&words(&plain)[1..]), Err(Error::Corrupt));
}

/// A build without sources leaves zeros where their settings are, of which nothing is made.
#[test]
fn a_block_of_a_build_without_sources_is_read() {
    let mut words = [0; WORDS];
    let mut flat = Flat::of(&Config::default());
    (flat.transfer_rho, flat.transfer_alpha, flat.transfer_keep) = (0.0, 0.0, 0.0);
    (flat.transfer_start, flat.transfer_trials, flat.transfer_how, flat.transfer_weights) = (0, 0, 0, 0);
    (flat.transfer_draws, flat.transfer_neighbours) = (0, 0);
    flat.write(&mut words);
    let nothing = Transfer { start: Start::Design, trials: 0, how: How::Alone, keep: 1.0 };
    assert_eq!(Config::read(&words), Ok(Config::default().with(|c| c.transfer = nothing)));
}
