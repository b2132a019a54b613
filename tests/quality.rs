//! Every kind of choice finds what chance does not.

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::gp::sampler::{Sampler, Sampling};
use infill::kernel::{Dims, Kernel};
use infill::pending::Lie;
use infill::policy::Minima;
use infill::{
    Acquisition, Config, Hyper, Limits, Model, Noise, Optimizer, Param, Pending, Policy, Search, Space, Warp,
    forest, sparse,
};
use infill_tests::problems::{Problem, branin};
use infill_tests::random::SplitMix64;
use infill_tests::summary::median;

const EVALUATIONS: usize = 30;
const SEEDS: u64 = 5;

/// The lowest value after all evaluations, with `open` trials open at a time.
fn lowest(problem: &Problem, config: &Config<'_>, open: usize) -> f64 {
    let params = [Param::real(0.0, 1.0); 2];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(2, EVALUATIONS as u32).open(open as u32).suit(config);
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, config, limits, vec![0; limits.words::<f64>()]).unwrap();
    let (mut x, mut waiting) = ([0.0; 2], std::collections::VecDeque::new());
    for _ in 0..EVALUATIONS {
        let ask = optimizer.ask(&mut x).unwrap();
        waiting.push_back((ask.id, problem.unit_value(&x)));
        if waiting.len() == open {
            let (id, value) = waiting.pop_front().unwrap();
            optimizer.tell(id, value).unwrap();
        }
    }
    for (id, value) in waiting {
        optimizer.tell(id, value).unwrap();
    }
    optimizer.best().unwrap().value
}

/// The median over many runs of the lowest of so many values at random points.
fn chance(problem: &Problem) -> f64 {
    let mut random = SplitMix64::new(1);
    let runs: Vec<f64> = (0..501)
        .map(|_| {
            let value = |_| problem.unit_value(&[random.uniform(), random.uniform()]);
            (0..EVALUATIONS).map(value).fold(f64::INFINITY, f64::min)
        })
        .collect();
    median(&runs)
}

fn beats_chance(cases: &[(&str, Config<'_>)], open: usize) {
    let problem = branin();
    let chance = chance(&problem);
    let mut failed = Vec::new();
    for (name, config) in cases {
        let values: Vec<f64> =
            (0..SEEDS).map(|seed| lowest(&problem, &Config { seed, ..*config }, open)).collect();
        let found = median(&values);
        println!("{name}: median {found:.4} (chance {chance:.4})");
        if found >= chance {
            failed.push(*name);
        }
    }
    assert!(failed.is_empty(), "no better than chance: {failed:?}");
}

fn base() -> Config<'static> {
    let whole = Config::default();
    Config { search: Search { global: 256, local: 128, starts: 2, ..whole.search }, ..whole }
}

#[test]
fn models() {
    let base = base();
    let iso = Kernel::matern52(Dims::All).scaled();
    let sampled = |sampler| {
        let sampling = Sampling { sampler, burn_in: 20, ..Sampling::default() };
        Hyper::Mcmc { count: 6, sampling }
    };
    let quadrature = Hyper::Quadrature { count: 9 };
    beats_chance(
        &[
            ("process", base),
            ("drawn by slices", base.with(|c| c.surrogate.hyper = sampled(Sampler::Slice))),
            ("drawn by Metropolis", base.with(|c| c.surrogate.hyper = sampled(Sampler::Metropolis))),
            ("drawn with latent values", base.with(|c| c.surrogate.hyper = sampled(Sampler::SurrogateSlice))),
            (
                "quadrature",
                base.with(|c| {
                    c.surrogate.hyper = quadrature;
                    c.surrogate.kernel = Some(&iso);
                    c.surrogate.noise = Noise::fixed(1e-5);
                }),
            ),
            (
                "Student, fixed",
                base.with(|c| c.surrogate.model = Model::Student { freedom: 5.0, learnt: false }),
            ),
            (
                "Student, learnt",
                base.with(|c| c.surrogate.model = Model::Student { freedom: 5.0, learnt: true }),
            ),
            ("Kumaraswamy", base.with(|c| c.surrogate.warp = Warp::Kumaraswamy)),
            ("beta", base.with(|c| c.surrogate.warp = Warp::Beta)),
            ("FITC", base.with(|c| c.surrogate.model = Model::Sparse(sparse::Kind::Fitc))),
            ("variational", base.with(|c| c.surrogate.model = Model::Sparse(sparse::Kind::Variational))),
            ("spectrum", base.with(|c| c.surrogate.model = Model::Sparse(sparse::Kind::Spectrum))),
            ("random forest", base.with(|c| c.surrogate.model = Model::Trees(forest::Settings::RANDOM))),
            ("extra trees", base.with(|c| c.surrogate.model = Model::Trees(forest::Settings::EXTRA))),
            ("boosted trees", base.with(|c| c.surrogate.model = Model::Trees(forest::Settings::BOOSTED))),
        ],
        1,
    );
}

#[test]
fn rules() {
    let base = base().with(|c| c.proposal.interleave = infill::Interleave::NEVER);
    let rule = |acquisition| base.with(|c| c.proposal.acquisition = acquisition);
    let mgf = Acquisition::LogMgf { temperature: 1.0 };
    beats_chance(
        &[
            ("log improvement", base),
            ("improvement", rule(Acquisition::Improvement { margin: 0.0 })),
            ("probability", rule(Acquisition::Probability { margin: 0.01 })),
            ("bound", rule(Acquisition::Bound { beta: 2.0 })),
            ("generalised", rule(Acquisition::Generalised { order: 2 })),
            ("moments", rule(mgf)),
            ("noisy", rule(Acquisition::Noisy { noise: 0.1 })),
            ("cooled", rule(mgf).with(|c| c.proposal.schedule = Schedule::Cooling(Cooling::exponential(26)))),
            // The deviation alone only spreads; every other proposal refines.
            (
                "deviation",
                rule(Acquisition::Deviation)
                    .with(|c| c.proposal.interleave = Config::default().proposal.interleave),
            ),
        ],
        1,
    );
}

#[test]
fn policies() {
    let policy = |policy| base().with(|c| c.proposal.policy = policy);
    let (representers, draws) = (32, 64);
    beats_chance(
        &[
            ("entropy search", policy(Policy::EntropySearch { representers, draws, fantasies: 3 })),
            ("predictive entropy", policy(Policy::PredictiveEntropy { representers, draws })),
            ("lowest value, joint", policy(Policy::MAX_VALUE)),
            (
                "lowest value, Gumbel",
                policy(Policy::MaxValue { representers: 64, draws: 16, minima: Minima::Gumbel }),
            ),
            ("Thompson", policy(Policy::Thompson { candidates: 64 })),
            ("spectral", policy(Policy::Spectral { features: 64 })),
            ("knowledge", policy(Policy::Knowledge { representers })),
            ("hedge", policy(Policy::Hedge)),
            ("portfolio", policy(Policy::Portfolio { representers, draws, fantasies: 3 })),
        ],
        1,
    );
}

#[test]
fn batches() {
    let batch = |batch| base().with(|c| c.proposal.pending = batch);
    let mgf = Acquisition::LogMgf { temperature: 1.0 };
    beats_chance(
        &[
            ("believer", batch(Pending::Believer)),
            ("liar, lowest", batch(Pending::Liar(Lie::Min))),
            ("liar, mean", batch(Pending::Liar(Lie::Mean))),
            ("liar, highest", batch(Pending::Liar(Lie::Max))),
            ("fantasies", batch(Pending::Fantasies { count: 16 })),
            ("penalty", batch(Pending::Penalty)),
            ("temperatures", batch(Pending::Temperatures).with(|c| c.proposal.acquisition = mgf)),
            ("expected", batch(Pending::JointEi { draws: 32 })),
        ],
        3,
    );
}
