//! Every model with every treatment of its hyperparameters, every policy and rule, and every way to reckon with open
//! trials: what makes sense runs and is saved and loaded at every step, what does not is refused.

mod hard;
mod run;

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::gp::sampler::Sampler;
use infill::kernel::{Dims, Kernel};
use infill::search::Method;
use infill::{
    Config, Error, Hyper, Incumbent, Limits, Model, Optimizer, Origin, Param, Pending, Policy, Search, Space,
    Training, Trend, Warp, sparse,
};
use run::*;

#[test]
fn a_process_at_its_best() {
    assert_eq!(all_ways::<f64>(&reals(), &base()), 8 * 4 + 10 * 4 + 8 + 8 + 1 + 2);
}

#[test]
fn a_process_at_drawn_hyperparameters() {
    let config = base().with(|c| c.surrogate.hyper = sampled(Sampler::Slice));
    assert_eq!(all_ways::<f64>(&reals(), &config), 91);
}

#[test]
fn a_process_at_the_nodes_of_a_quadrature() {
    assert_eq!(all_ways::<f64>(&reals(), &base().with(|c| c.surrogate.hyper = QUADRATURE)), 91);
}

#[test]
fn student_processes() {
    for model in &EXACT[1..] {
        // Four rules, and all policies but the spectral and the noisy one; penalties beside.
        assert_eq!(
            all_ways::<f64>(&reals(), &base().with(|c| c.surrogate.model = *model)),
            4 * 4 + 8 * 4 + 4
        );
    }
}

#[test]
fn sparse_processes() {
    for model in SPARSE {
        assert_eq!(all_ways::<f64>(&reals(), &base().with(|c| c.surrogate.model = model)), 91 - 4);
    }
}

#[test]
fn trees() {
    for model in TREES {
        assert_eq!(all_ways::<f64>(&reals(), &base().with(|c| c.surrogate.model = model)), 91 - 4 - 8);
    }
}

/// Every way to search, with every kind of model, where all is real and where a label decides what matters.
#[test]
fn searches() {
    for method in Method::ALL {
        let config = Config { search: Search { method, ..base().search }, ..base() };
        for model in [EXACT[0], EXACT[2], SPARSE[0], TREES[0]] {
            let config = config.with(|c| c.surrogate.model = model);
            assert!(try_out::<f64>(&reals(), &config, Between::Same));
            assert!(try_out::<f32>(&mixed(), &config, Between::Same));
            assert!(try_out::<f64>(&mixed(), &config, Between::Larger));
        }
        for policy in [Policy::Hedge, POLICIES[4], POLICIES[2]] {
            assert!(try_out::<f64>(&mixed(), &config.with(|c| c.proposal.policy = policy), Between::Same));
        }
    }
}

/// Methods without a model, on reals, with conditions, in single precision and in blocks that grow.
#[test]
fn free_methods() {
    for free in FREE {
        // No policy and no batch that needs a model: eight rules with four batches, and one with temperatures.
        assert_eq!(all_ways::<f64>(&reals(), &base().with(|c| c.proposal.baseline = Some(free))), 8 * 4 + 1);
        for start in [0, 2, 5] {
            let config = base().with(|c| {
                c.proposal.baseline = Some(free);
                c.design.trials = start;
            });
            for between in [Between::Same, Between::Larger] {
                assert!(try_out::<f64>(&reals(), &config, between));
                assert!(try_out::<f64>(&mixed(), &config, between));
                assert!(try_out::<f32>(&mixed(), &config, between));
            }
        }
        for warp in [Warp::Kumaraswamy, Warp::Beta] {
            assert!(!try_out::<f64>(
                &reals(),
                &base().with(|c| {
                    c.proposal.baseline = Some(free);
                    c.surrogate.warp = warp;
                }),
                Between::Same
            ));
        }
    }
}

#[test]
fn every_sampler() {
    for sampler in Sampler::ALL {
        let config = base().with(|c| c.surrogate.hyper = sampled(sampler));
        assert!(some_ways::<f64>(&reals(), &config, Between::Same) > 20);
    }
}

#[test]
fn warps() {
    for warp in [Warp::Kumaraswamy, Warp::Beta] {
        for model in EXACT {
            let config = base().with(|c| {
                c.surrogate.model = model;
                c.surrogate.warp = warp;
                c.surrogate.trend = Trend::Zero;
            });
            assert!(some_ways::<f64>(&reals(), &config, Between::Same) > 12);
        }
        let config = base().with(|c| {
            c.surrogate.warp = warp;
            c.surrogate.hyper = sampled(Sampler::Slice);
        });
        assert!(
            some_ways::<f64>(&mixed(), &config.with(|c| c.proposal.policy = Policy::Hedge), Between::Same)
                > 12
        );
        for model in SPARSE.into_iter().chain(TREES) {
            assert!(!try_out::<f64>(
                &reals(),
                &base().with(|c| {
                    c.surrogate.model = model;
                    c.surrogate.warp = warp;
                }),
                Between::Same
            ));
        }
    }
}

/// A label, and a parameter that matters under one of its values.
#[test]
fn mixed_spaces() {
    let domain = mixed();
    for model in EXACT.into_iter().chain(SPARSE).chain(TREES) {
        for policy in POLICIES.into_iter().chain([Policy::Closed]) {
            let config = base().with(|c| {
                c.surrogate.model = model;
                c.proposal.policy = policy;
                c.proposal.incumbent = Incumbent::Mean;
            });
            let waves = matches!(policy, Policy::Spectral { .. }) || model == SPARSE[2];
            let draws = matches!(policy, Policy::Noisy { .. }) && matches!(model, Model::Student { .. });
            if waves || draws {
                // A label has no spectrum, and a Student process no normal draws.
                refused::<f64>(&domain, &config, domain.limits(&config), UNSUPPORTED);
            } else {
                assert!(try_out::<f64>(&domain, &config, Between::Same));
            }
        }
    }
    for treatment in [sampled(Sampler::SurrogateSlice), QUADRATURE] {
        for batch in BATCHES {
            let acquisition = if batch == Pending::Temperatures { RULES[5] } else { RULES[0] };
            try_out::<f64>(
                &domain,
                &base().with(|c| {
                    c.surrogate.hyper = treatment;
                    c.proposal.pending = batch;
                    c.proposal.acquisition = acquisition;
                }),
                Between::Same,
            );
        }
    }
}

#[test]
fn single_precision() {
    for model in EXACT.into_iter().chain(SPARSE).chain(TREES) {
        assert!(some_ways::<f32>(&reals(), &base().with(|c| c.surrogate.model = model), Between::Same) > 12);
    }
    for treatment in [sampled(Sampler::Slice), sampled(Sampler::Whitened), QUADRATURE] {
        assert!(
            some_ways::<f32>(&reals(), &base().with(|c| c.surrogate.hyper = treatment), Between::Same) > 20
        );
    }
    let config = base().with(|c| c.surrogate.warp = Warp::Kumaraswamy);
    assert!(
        some_ways::<f32>(
            &mixed(),
            &config.with(|c| c.surrogate.hyper = sampled(Sampler::Slice)),
            Between::Same
        ) > 12
    );
}

/// A block that grows proposes what it would have proposed.
#[test]
fn larger_limits() {
    for model in EXACT.into_iter().chain(SPARSE).chain(TREES) {
        assert!(
            some_ways::<f64>(&reals(), &base().with(|c| c.surrogate.model = model), Between::Larger) > 12
        );
    }
    for treatment in [sampled(Sampler::Fixed), QUADRATURE] {
        assert!(
            some_ways::<f64>(&reals(), &base().with(|c| c.surrogate.hyper = treatment), Between::Larger) > 20
        );
        assert!(
            some_ways::<f32>(&reals(), &base().with(|c| c.surrogate.hyper = treatment), Between::Larger) > 20
        );
    }
    let config = base().with(|c| {
        c.surrogate.warp = Warp::Beta;
        c.surrogate.hyper = sampled(Sampler::Slice);
    });
    assert!(some_ways::<f32>(&reals(), &config, Between::Larger) > 12);
}

#[test]
fn cooling() {
    let warm = base().with(|c| {
        c.proposal.acquisition = RULES[5];
        c.proposal.schedule = Schedule::Cooling(Cooling::exponential(12));
    });
    for model in [EXACT[0], SPARSE[0], TREES[0]] {
        for batch in BATCHES {
            let sense = match batch {
                Pending::JointEi { .. } => false,
                Pending::Penalty => !matches!(model, Model::Trees(_)),
                _ => true,
            };
            assert_eq!(
                try_out::<f64>(
                    &reals(),
                    &warm.with(|c| {
                        c.surrogate.model = model;
                        c.proposal.pending = batch;
                    }),
                    Between::Same
                ),
                sense
            );
        }
    }
    let domain = reals();
    let cold = warm.with(|c| c.proposal.acquisition = RULES[0]);
    refused::<f64>(&domain, &cold, domain.limits(&cold), UNSUPPORTED);
}

/// What the kernel, the trend and the objective of training do not go with.
#[test]
fn senseless_choices_are_refused() {
    let domain = reals();
    let linear = Kernel::linear(Dims::All);
    let base = base();
    let loo = Training { objective: infill::Objective::LeaveOneOut, ..base.surrogate.training };
    for config in [
        base.with(|c| {
            c.proposal.policy = POLICIES[5];
            c.surrogate.kernel = Some(&linear);
        }),
        base.with(|c| {
            c.surrogate.model = SPARSE[2];
            c.surrogate.kernel = Some(&linear);
        }),
        // Four hyperparameters: two lengths, a variance and the noise.
        base.with(|c| c.surrogate.hyper = QUADRATURE),
        base.with(|c| {
            c.surrogate.hyper = QUADRATURE;
            c.surrogate.kernel = Some(&domain.kernel);
            c.surrogate.warp = Warp::Beta;
        }),
        base.with(|c| {
            c.surrogate.warp = Warp::Beta;
            c.surrogate.trend = Trend::Linear;
        }),
        base.with(|c| {
            c.surrogate.model = EXACT[1];
            c.surrogate.training = loo;
        }),
        base.with(|c| {
            c.surrogate.model = SPARSE[1];
            c.surrogate.training = loo;
        }),
        base.with(|c| {
            c.surrogate.model = TREES[0];
            c.surrogate.hyper = sampled(Sampler::Slice);
        }),
    ] {
        refused::<f64>(&domain, &config, domain.limits(&config), UNSUPPORTED);
    }
    let frozen = base.with(|c| {
        c.surrogate.hyper = QUADRATURE;
        c.surrogate.kernel = Some(&domain.kernel);
    });
    run::<f64>(&domain, &frozen, Between::Same);
}

/// What an optimizer accepts it can ask: a frequency is two features, and trees work from four on.
#[test]
fn as_few_features_as_make_a_process() {
    let domain = reals();
    for (kind, least) in [
        (sparse::Kind::Fitc, 1),
        (sparse::Kind::Variational, 1),
        (sparse::Kind::Spectrum, 2),
        (sparse::Kind::Mondrian, 4),
    ] {
        let config = base().with(|c| c.surrogate.model = Model::Sparse(kind));
        let limits = domain.limits(&config);
        for features in 0..least {
            refused::<f64>(&domain, &config, limits.features(features), LIMITS);
            refused::<f32>(&domain, &config, limits.features(features), LIMITS);
        }
        for features in least..8 {
            let limits = limits.features(features).suit(&config);
            let space = Space::new(&domain.params, &[]).unwrap();
            let mut optimizer =
                Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
            let mut x = [0.0; 2];
            for _ in 0..ASKED {
                let ask =
                    optimizer.ask(&mut x).unwrap_or_else(|error| panic!("{error}: {kind:?} {features}"));
                optimizer.tell(ask.id, value(&x)).unwrap();
            }
        }
    }
}

/// One of anything less than `suit` gives is too little.
#[test]
fn small_limits_are_refused() {
    let domain = reals();
    let base = base();
    let mut tried = 0;
    let mut try_all = |config: &Config<'_>| {
        let config = domain.fit(config);
        let limits = domain.limits(&config);
        assert_eq!(limits, limits.suit(&config), "limits that suit stay as they are");
        let less = |count: u32| count.saturating_sub(1);
        let without = |limit: fn(&mut Limits) -> &mut u32, count: u32| {
            let mut small = limits;
            *limit(&mut small) = count;
            small
        };
        for small in [
            without(|limits| &mut limits.exact, less(limits.exact)),
            without(|limits| &mut limits.posteriors, less(limits.posteriors)),
            without(|limits| &mut limits.anchors, less(limits.anchors)),
            without(|limits| &mut limits.work, less(limits.work)),
            limits.features(0),
            limits.forest(0, limits.tree_nodes),
            limits.forest(limits.trees, less(limits.trees)),
            without(|limits| &mut limits.members, less(limits.members)),
            without(|limits| &mut limits.state, less(limits.state)),
            without(|limits| &mut limits.warped, 0),
            // Only a strategy that lives in the room of the candidates needs that many.
            if config.search.method == Method::Auto {
                limits
            } else {
                limits.candidates(less(limits.candidates))
            },
        ] {
            if small != limits {
                tried += 1;
                refused::<f64>(&domain, &config, small, LIMITS);
            }
        }
        let space = Space::new(&domain.params, &domain.conditions).unwrap();
        let whole =
            Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
        // More open trials than there is room to reckon with.
        let more = limits.open(limits.open + 1);
        let reckons = limits.state > 0
            || matches!(
                config.proposal.pending,
                Pending::Fantasies { .. } | Pending::Penalty | Pending::JointEi { .. }
            );
        let copied = whole.copy_into(more, vec![0; more.words::<f64>()]).map(|_| ());
        let code = copied.map_or_else(Error::code, |()| 0);
        assert_eq!(code, if reckons { LIMITS } else { 0 }, "{config:?}");
    };
    for model in EXACT.into_iter().chain(SPARSE).chain(TREES) {
        try_all(&base.with(|c| c.surrogate.model = model));
    }
    for free in FREE {
        try_all(&base.with(|c| c.proposal.baseline = Some(free)));
    }
    for policy in POLICIES {
        try_all(&base.with(|c| c.proposal.policy = policy));
        try_all(&base.with(|c| {
            c.proposal.policy = policy;
            c.surrogate.hyper = QUADRATURE;
        }));
    }
    for batch in [BATCHES[4], BATCHES[5], BATCHES[7]] {
        try_all(&base.with(|c| c.proposal.pending = batch));
        try_all(&base.with(|c| {
            c.proposal.pending = batch;
            c.surrogate.hyper = sampled(Sampler::Slice);
            c.surrogate.warp = Warp::Beta;
        }));
    }
    for method in [Method::Evolution, Method::Covariance] {
        try_all(&Config { search: Search { method, ..base.search }, ..base });
    }
    assert!(tried > 60, "{tried}");
}

/// Where every other proposal is by a bound, joint improvement is one of penalties: there is room for both.
#[test]
fn one_draw_is_enough() {
    let domain = Domain {
        params: vec![Param::real(0.0, 1.0); 5],
        conditions: Vec::new(),
        kernel: Kernel::matern52(Dims::All).scaled(),
    };
    for draws in [1, 2] {
        let config = base().with(|c| {
            c.proposal.pending = Pending::JointEi { draws };
            c.design.trials = 4;
        });
        let space = Space::new(&domain.params, &[]).unwrap();
        let limits = Limits::new(5, 12).open(2).candidates(8).starts(2).suit(&config);
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
        let mut x = [0.0; 5];
        let mut open = optimizer.ask(&mut x).map(|ask| (ask.id, value(&x))).unwrap();
        for _ in 0..10 {
            let next = optimizer.ask(&mut x).map(|ask| (ask.id, value(&x))).unwrap();
            optimizer.tell(open.0, open.1).unwrap();
            open = next;
        }
    }
}

/// What was learnt is forgotten once; the next proposals are others, and as good as any.
#[test]
fn relearning() {
    let domain = reals();
    let space = Space::new(&domain.params, &[]).unwrap();
    for config in [
        base().with(|c| c.surrogate.hyper = sampled(Sampler::Slice)),
        base().with(|c| c.surrogate.model = EXACT[2]),
        base().with(|c| c.proposal.policy = Policy::Hedge),
    ] {
        let limits = domain.limits(&config);
        let words = limits.words::<f64>();
        let mut one = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; words]).unwrap();
        let mut x = [0.0; 2];
        for _ in 0..9 {
            let ask = one.ask(&mut x).unwrap();
            one.tell(ask.id, value(&x)).unwrap();
        }
        let told = one.words().to_vec();
        one.relearn().unwrap();
        assert!(one.words() != told, "{config:?}");
        let once = one.words().to_vec();
        one.relearn().unwrap();
        assert!(one.words() == once, "{config:?}");
        assert_eq!(one.len(), 9);
        let (mut other, mut y) = (Optimizer::<f64, _>::attach(told).unwrap(), [0.0; 2]);
        let differ = (0..2).any(|_| {
            let (a, b) = (one.ask(&mut x).unwrap(), other.ask(&mut y).unwrap());
            assert_eq!((a.origin, b.origin), (Origin::Model, Origin::Model));
            one.tell(a.id, value(&x)).unwrap();
            other.tell(b.id, value(&y)).unwrap();
            x != y
        });
        // A chain starts elsewhere; what is trained may come to the same.
        assert!(differ || config.surrogate.hyper == Hyper::Map, "{config:?}");
        one.recommend().unwrap();
    }
}

/// With no trial open every batch is the sequential rule, to the bit.
#[test]
fn batches_of_one_are_the_rule() {
    let domain = reals();
    let space = Space::new(&domain.params, &[]).unwrap();
    let proposals = |config: &Config<'_>| {
        let limits = domain.limits(config);
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, config, limits, vec![0; limits.words::<f64>()]).unwrap();
        let mut seen = Vec::new();
        let mut x = [0.0; 2];
        for _ in 0..11 {
            let ask = optimizer.ask(&mut x).unwrap();
            optimizer.tell(ask.id, value(&x)).unwrap();
            seen.extend(bits(&[x[0], x[1], ask.acquisition]));
        }
        seen
    };
    for (model, treatment) in [
        (EXACT[0], Hyper::Map),
        (EXACT[0], sampled(Sampler::Slice)),
        (SPARSE[0], Hyper::Map),
        (TREES[0], Hyper::Map),
    ] {
        for acquisition in [RULES[0], RULES[5]] {
            let alone = base().with(|c| {
                c.surrogate.model = model;
                c.surrogate.hyper = treatment;
                c.proposal.acquisition = acquisition;
            });
            let expected = proposals(&alone);
            for batch in BATCHES {
                let config = alone.with(|c| c.proposal.pending = batch);
                if sensible(&config) {
                    assert_eq!(proposals(&config), expected, "{config:?}");
                }
            }
        }
    }
}
