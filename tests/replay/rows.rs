//! The configurations whose proposals are recorded.

use super::choices::{
    BATCHES, Domain, EXACT, FREE, POLICIES, QUADRATURE, RULES, SPARSE, TREES, base, mixed, reals, sampled,
    sensible,
};
use infill::config::{Branches, Categories, Similarity, Structure};
use infill::gp::sampler::Sampler;
use infill::search::Method;
use infill::{
    Branching, Config, Design, Incumbent, Interleave, Model, Policy, Search, Strategy, Transform, Trend,
    Warp, WhenFull,
};

/// What a row runs in.
#[derive(Clone, Copy)]
pub enum Scalar {
    Single,
    Double,
}

/// One run.
pub struct Row {
    pub name: String,
    pub scalar: Scalar,
    pub domain: Domain,
    pub forbids: bool,
    pub config: Config<'static>,
}

/// Rows that are gathered.
struct Rows(Vec<Row>);

impl Rows {
    /// A row for what makes sense; every third one in the smaller scalar.
    fn add(&mut self, what: String, config: Config<'static>, (space, domain): (&str, Domain)) {
        if !sensible(&config) {
            return;
        }
        let (scalar, name) = match self.0.len() % 3 {
            0 => (Scalar::Single, "f32"),
            _ => (Scalar::Double, "f64"),
        };
        let forbids = space == "forbidden";
        let name = format!("{name} {space} {what}");
        self.0.push(Row { name, scalar, domain, forbids, config });
    }

    fn on_reals(&mut self, what: String, config: Config<'static>) {
        self.add(what, config, ("reals", reals()));
    }

    fn on_mixed(&mut self, what: String, config: Config<'static>) {
        self.add(what, config, ("mixed", mixed()));
    }
}

/// Every model with every treatment, policy, rule, batch, search and strategy, each at least once with each of the others
/// that it is most likely to meet.
pub fn all() -> Vec<Row> {
    let mut rows = Rows(Vec::new());
    for (b, batch) in BATCHES.into_iter().enumerate() {
        for (a, acquisition) in RULES.into_iter().enumerate() {
            rows.on_reals(
                format!("rule {a} batch {b}"),
                base().with(|c| {
                    c.proposal.acquisition = acquisition;
                    c.proposal.pending = batch;
                }),
            );
        }
        for (p, policy) in POLICIES.into_iter().enumerate() {
            rows.on_mixed(
                format!("policy {p} batch {b}"),
                base().with(|c| {
                    c.proposal.policy = policy;
                    c.proposal.pending = batch;
                }),
            );
        }
    }
    for (p, policy) in POLICIES.into_iter().enumerate() {
        rows.on_reals(format!("policy {p}"), base().with(|c| c.proposal.policy = policy));
    }
    let models = EXACT.into_iter().chain(SPARSE).chain(TREES);
    for (m, model) in models.clone().enumerate() {
        for (p, policy) in [Policy::Closed].into_iter().chain(POLICIES).enumerate() {
            let config = base().with(|c| {
                c.surrogate.model = model;
                c.proposal.policy = policy;
                c.proposal.pending = BATCHES[p % 4];
            });
            rows.on_mixed(format!("model {m} policy {p}"), config);
        }
        for (a, acquisition) in RULES.into_iter().enumerate() {
            let config = base().with(|c| {
                c.surrogate.model = model;
                c.proposal.acquisition = acquisition;
                c.proposal.pending = BATCHES[(a + 4) % 8];
            });
            rows.on_reals(format!("model {m} rule {a}"), config);
        }
        for method in Method::ALL {
            let search = Search { method, ..base().search };
            let config = base().with(|c| {
                c.surrogate.model = model;
                c.search = search;
            });
            rows.add(format!("model {m} {method:?}"), config, ("forbidden", mixed()));
        }
    }
    for (m, free) in FREE.into_iter().enumerate() {
        for space in ["mixed", "forbidden"] {
            rows.add(
                format!("free {m}"),
                base().with(|c| c.proposal.baseline = Some(free)),
                (space, mixed()),
            );
        }
        for start in [0, 2, 5] {
            rows.on_reals(
                format!("free {m} start {start}"),
                base().with(|c| {
                    c.proposal.baseline = Some(free);
                    c.design.trials = start;
                }),
            );
        }
    }
    for treatment in Sampler::ALL.map(sampled).into_iter().chain([QUADRATURE]).enumerate() {
        let (t, treatment) = treatment;
        for (p, policy) in [Policy::Closed, POLICIES[2], POLICIES[7]].into_iter().enumerate() {
            rows.on_reals(
                format!("treatment {t} policy {p}"),
                base().with(|c| {
                    c.surrogate.hyper = treatment;
                    c.proposal.policy = policy;
                    c.proposal.pending = BATCHES[t % 4];
                }),
            );
        }
    }
    settings(&mut rows);
    let branching = Branching { start: 3, ..Branching::of(0) };
    for (what, strategy) in [
        ("Impute", Strategy::Impute),
        ("Single", Strategy::Single(branching)),
        ("Whole", Strategy::Whole(branching)),
        ("Baseline { budget: 15 }", Strategy::Baseline { branching, budget: 15 }),
    ] {
        for (m, model) in [EXACT[0], SPARSE[0], TREES[0]].into_iter().enumerate() {
            for forbids in [false, true] {
                let (transform, when_full) = (Transform::Standard, WhenFull::Refuse);
                let config = base().with(|c| {
                    c.surrogate.model = model;
                    c.targets = transform;
                    c.run.when_full = when_full;
                    c.strategy = strategy;
                    c.design.trials = 3;
                });
                let name = format!("f64 selection {what} model {m} forbids {forbids}");
                rows.0.push(Row { name, scalar: Scalar::Double, domain: mixed(), forbids, config });
            }
        }
    }
    rows.0
}

/// What is set beside them.
fn settings(rows: &mut Rows) {
    for warp in [Warp::Kumaraswamy, Warp::Beta] {
        for (m, model) in EXACT.into_iter().enumerate() {
            rows.on_mixed(
                format!("{warp:?} model {m}"),
                base().with(|c| {
                    c.surrogate.warp = warp;
                    c.surrogate.model = model;
                }),
            );
        }
    }
    for trend in [Trend::Zero, Trend::Constant, Trend::Linear] {
        rows.on_reals(format!("trend {trend:?}"), base().with(|c| c.surrogate.trend = trend));
    }
    let transforms = [
        Transform::None,
        Transform::Standard,
        Transform::Power,
        Transform::Rank,
        Transform::BoxCox,
        Transform::YeoJohnson,
    ];
    for transform in transforms {
        rows.on_mixed(format!("transform {transform:?}"), Config { targets: transform, ..base() });
    }
    for design in [Design::Uniform, Design::LatinHypercube, Design::Sobol, Design::Halton, Design::Grid] {
        rows.on_mixed(format!("design {design:?}"), base().with(|c| c.design.kind = design));
    }
    for categories in [Categories::Hamming, Categories::Exchangeable, Categories::OneHot, Categories::Index] {
        for structure in [Structure::Product, Structure::Sum, Structure::Both] {
            for branches in [Branches::Shared, Branches::Apart] {
                let similarity = Similarity { categories, structure, branches };
                let what = format!("{categories:?} {structure:?} {branches:?}");
                rows.on_mixed(what, base().with(|c| c.surrogate.similarity = similarity));
            }
        }
    }
    for (incumbent, repeats) in
        [(Incumbent::Mean, true), (Incumbent::Mean, false), (Incumbent::Observed, true)]
    {
        let config = base().with(|c| {
            c.proposal.incumbent = incumbent;
            c.run.repeats = repeats;
        });
        rows.on_reals(format!("{incumbent:?} repeats {repeats}"), config);
    }
    rows.on_mixed("never interleaved".into(), base().with(|c| c.proposal.interleave = Interleave::NEVER));
    for (name, seed) in [("whole budget", 1), ("whole budget", 2)] {
        let config = Config::default().with(|c| {
            c.seed = seed;
            c.surrogate.model = Model::Process;
        });
        rows.on_reals(format!("{name} {seed}"), config);
        rows.on_mixed(format!("{name} {seed}"), config);
    }
}
