//! What there is to choose from, and a run with it.

use infill::baselines::Parzen;
use infill::gp::sampler::{Sampler, Sampling};
use infill::kernel::{Dims, Kernel};
use infill::lbfgs::Budget;
use infill::pending::Lie;
use infill::policy::Minima;
use infill::{
    Acquisition, Baseline, Condition, Config, Error, Hyper, Limits, Model, Noise, Optimizer, Origin, Param,
    Pending, Policy, Real, Refit, Search, Space, State, Training, TrialId, Warp, When, WhenFull, forest,
    sparse,
};
use infill_tests::random::SplitMix64;

pub type Rule = Acquisition<f64>;

pub const GUARD: u64 = 0xdead_beef_dead_beef;
/// Questions of a run, and trials that are remembered: fewer, so that the worst make room.
pub const ASKED: usize = 15;
pub const TRIALS: u32 = 12;

pub const EXACT: [Model; 3] = [
    Model::Process,
    Model::Student { freedom: 5.0, learnt: false },
    Model::Student { freedom: 5.0, learnt: true },
];
pub const SPARSE: [Model; 3] = [
    Model::Sparse(sparse::Kind::Fitc),
    Model::Sparse(sparse::Kind::Variational),
    Model::Sparse(sparse::Kind::Spectrum),
];
pub const TREES: [Model; 3] = [
    Model::Trees(forest::Settings::RANDOM),
    Model::Trees(forest::Settings::EXTRA),
    Model::Trees(forest::Settings::BOOSTED),
];
pub const FREE: [Baseline; 8] = [
    Baseline::Random,
    Baseline::Grid { levels: 5 },
    Baseline::Sobol,
    Baseline::ANNEAL,
    Baseline::TPE,
    Baseline::Parzen(Parzen { candidates: 5, share: 0.4, most: 3, prior: 0.5, liar: false }),
    Baseline::Covariance { offspring: 4 },
    Baseline::Evolution { parents: 2, offspring: 5 },
];
pub const RULES: [Rule; 8] = [
    Acquisition::LogImprovement { margin: 0.0 },
    Acquisition::Improvement { margin: 0.01 },
    Acquisition::Probability { margin: 0.01 },
    Acquisition::Bound { beta: 2.0 },
    Acquisition::Generalised { order: 2 },
    Acquisition::LogMgf { temperature: 0.7 },
    Acquisition::Deviation,
    Acquisition::Noisy { noise: 0.1 },
];
pub const POLICIES: [Policy; 10] = [
    Policy::EntropySearch { representers: 6, draws: 8, fantasies: 3 },
    Policy::PredictiveEntropy { representers: 6, draws: 8 },
    Policy::MaxValue { representers: 8, draws: 4, minima: Minima::Joint },
    Policy::MaxValue { representers: 8, draws: 4, minima: Minima::Gumbel },
    Policy::Thompson { candidates: 8 },
    Policy::Spectral { features: 16 },
    Policy::Knowledge { representers: 6 },
    Policy::Hedge,
    Policy::Portfolio { representers: 6, draws: 8, fantasies: 3 },
    Policy::Noisy { draws: 8 },
];
pub const BATCHES: [Pending; 8] = [
    Pending::Believer,
    Pending::Liar(Lie::Min),
    Pending::Liar(Lie::Mean),
    Pending::Liar(Lie::Max),
    Pending::Fantasies { count: 8 },
    Pending::Penalty,
    Pending::Temperatures,
    Pending::JointEi { draws: 8 },
];
pub const QUADRATURE: Hyper = Hyper::Quadrature { count: 8 };

pub fn sampled(sampler: Sampler) -> Hyper {
    let sampling = Sampling { sampler, burn_in: 3, thin: 1, width: 1.0, out: 5, shrink: 10, latent: 2 };
    Hyper::Mcmc { count: 3, sampling }
}

/// A small budget for everything: what matters here is that every part takes its turn.
pub fn base() -> Config<'static> {
    let whole = Config::default();
    let budget = Budget { evaluations: 5, ..whole.surrogate.training.budget };
    whole.with(|c| {
        c.seed = 11;
        c.surrogate.training = Training { restarts: 1, draws: 2, budget, ..whole.surrogate.training };
        c.surrogate.refit = Refit { growth: 0.2, afresh: 0.5, evaluations: 3, plenty: 300 };
        c.search = Search { global: 24, local: 12, starts: 2, polish: budget, rounds: 1, ..whole.search };
        c.run.when_full = WhenFull::DropWorst;
    })
}

/// What makes sense, said a second time.
pub fn sensible(config: &Config<'_>) -> bool {
    let process = config.surrogate.model == Model::Process && config.proposal.baseline.is_none();
    let student = matches!(config.surrogate.model, Model::Student { .. });
    let trees = matches!(config.surrogate.model, Model::Trees(_));
    let free = config.proposal.baseline.is_some();
    let closed = config.proposal.policy == Policy::Closed;
    let rule = config.proposal.acquisition;
    let improves = matches!(rule, Rule::Improvement { .. } | Rule::LogImprovement { .. });
    let heavy = improves || matches!(rule, Rule::Probability { .. } | Rule::Bound { .. });
    let treated = config.surrogate.hyper == Hyper::Map || process;
    let warped = config.surrogate.warp == Warp::None || process || student;
    let ruled = !(student && closed) || heavy;
    let drawn = !matches!(config.proposal.policy, Policy::Spectral { .. })
        || process && config.surrogate.warp == Warp::None;
    let batched = match config.proposal.pending {
        Pending::Fantasies { .. } => closed && !student && !free,
        Pending::Penalty => closed && !trees && !free,
        Pending::Temperatures => closed && matches!(rule, Rule::LogMgf { .. }),
        Pending::JointEi { .. } => closed && !student && !free && improves,
        _ => true,
    };
    let noisy = !matches!(config.proposal.policy, Policy::Noisy { .. }) || !student;
    treated && warped && ruled && drawn && noisy && batched && (closed || !free)
}

pub struct Domain {
    pub params: Vec<Param<'static>>,
    pub conditions: Vec<Condition<'static>>,
    /// A kernel of few hyperparameters, for quadratures.
    pub kernel: Kernel,
}

pub fn reals() -> Domain {
    Domain {
        params: vec![Param::real(-5.0, 10.0), Param::real(0.0, 15.0)],
        conditions: Vec::new(),
        kernel: Kernel::matern52(Dims::All).scaled(),
    }
}

/// A label that decides whether the last parameter matters.
pub fn mixed() -> Domain {
    let labels = Kernel::hamming(Dims::list(&[0]));
    Domain {
        params: vec![Param::categorical(3), Param::real(-5.0, 10.0), Param::real(1e-3, 1.0).log()],
        conditions: vec![Condition::new(2, 0, When::Equals(1.0))],
        kernel: Kernel::matern52(Dims::list(&[1, 2])).times(labels).unwrap().scaled(),
    }
}

impl Domain {
    pub fn dims(&self) -> usize {
        self.params.len()
    }

    /// The configuration with a kernel that suits its treatment.
    pub fn fit<'a>(&'a self, config: &Config<'a>) -> Config<'a> {
        match config.surrogate.hyper {
            Hyper::Quadrature { .. } => config.with(|c| {
                c.surrogate.kernel = Some(&self.kernel);
                c.surrogate.noise = Noise::fixed(1e-4);
            }),
            _ => *config,
        }
    }

    pub fn limits(&self, config: &Config<'_>) -> Limits {
        let trials = if config.run.when_full == WhenFull::Refuse { ASKED as u32 + 1 } else { TRIALS };
        let plain = Limits::new(self.dims() as u32, trials)
            .trend(3)
            .open(3)
            .conditions(1, 1)
            .features(6)
            .forest(6, 0);
        let plain =
            if matches!(config.surrogate.model, Model::Sparse(_)) { plain } else { plain.features(0) };
        let plain =
            if matches!(config.surrogate.model, Model::Trees(_)) { plain } else { plain.forest(0, 0) };
        plain.candidates(8).starts(2).suit(config)
    }
}

pub fn value<R: Real>(x: &[R]) -> R {
    x.iter().enumerate().fold(R::ZERO, |sum, (i, &v)| {
        let off = v - R::of(1.0 + 0.5 * i as f64);
        sum + off * off + (R::of(0.7) * v).sin()
    })
}

/// Where the run that is interrupted goes on.
#[derive(Clone, Copy, PartialEq)]
pub enum Between {
    /// In its words, attached; or in a copy whose scratch holds zeros.
    Same,
    /// From the middle on in larger limits.
    Larger,
}

pub fn larger(limits: Limits, config: &Config<'_>) -> Limits {
    let plain = Limits::new(limits.dims + 1, limits.trials + 9).open(5).conditions(3, 4).trend(4);
    let plain = plain.kernel(12, 6, limits.dims + 4).candidates(8).starts(2);
    let mut plain = plain.features(limits.features).forest(limits.trees, 0);
    (plain.members, plain.posteriors) = (4, 5);
    let mut suited = plain.suit(config);
    suited.anchors += 3;
    suited.work += 77;
    suited.exact = limits.exact.min(1) * suited.trials;
    suited
}

/// Two runs in step, one of them saved and loaded after everything that happens.
pub fn run<R: Real>(domain: &Domain, config: &Config<'_>, between: Between) {
    let space = Space::new(&domain.params, &domain.conditions).unwrap();
    let dims = domain.dims();
    let limits = domain.limits(config);
    let words = limits.words::<R>();
    let mut block = vec![GUARD; words + 2];
    let short = Optimizer::<R, _>::new(&space, config, limits, &mut block[1..words]).map(|_| ());
    assert_eq!(short, Err(Error::Memory { needed: words }));
    assert!(block.iter().all(|&word| word == GUARD), "a refused block was written to: {config:?}");
    let mut whole = Optimizer::<R, _>::new(&space, config, limits, &mut block[1..=words])
        .unwrap_or_else(|error| panic!("{error}: {config:?}"));
    assert_eq!(whole.words().len(), words);
    let mut parts = Optimizer::<R, _>::attach(whole.words().to_vec()).unwrap();
    let free = config.proposal.baseline.is_some();
    let mut script = SplitMix64::new(77);
    let mut open: Vec<(TrialId, Vec<R>)> = Vec::new();
    let (mut asked, mut steps, mut modelled) = (0, 0, 0);
    let (mut x, mut same) = (vec![R::ZERO; dims], vec![R::ZERO; dims]);
    while asked < ASKED || !open.is_empty() {
        steps += 1;
        let context = || format!("step {steps}: {config:?}");
        let draw = script.bits();
        let ask = asked < ASKED && open.len() < 3 && (open.is_empty() || draw % 8 < 5);
        if ask {
            let one = whole.ask(&mut x).unwrap_or_else(|error| panic!("{error}, {}", context()));
            let two = parts.ask(&mut same).unwrap();
            assert_eq!((one.id, one.origin, bits(&x)), (two.id, two.origin, bits(&same)), "{}", context());
            assert_eq!(bits(&[one.acquisition]), bits(&[two.acquisition]), "{}", context());
            let by_model = one.origin == Origin::Model;
            modelled += usize::from(by_model);
            assert!(by_model || one.acquisition.is_nan(), "{}", context());
            assert!(!by_model || one.acquisition.is_finite(), "{}", context());
            assert!(one.origin != Origin::Method || free, "{}", context());
            asked += 1;
            open.push((one.id, x.clone()));
        } else {
            let (id, x) = open.remove((draw >> 8) as usize % open.len());
            let y = value(&x);
            for each in [&mut whole as &mut dyn Answers<R>, &mut parts] {
                match draw % 13 {
                    5 => each.fail(id),
                    6 => each.forget(id),
                    7..10 => each.tell(id, y, R::of(0.01)),
                    _ => each.tell(id, y, R::ZERO),
                }
            }
        }
        if steps == 16 {
            whole.relearn().unwrap();
            parts.relearn().unwrap();
        }
        if steps % 5 == 0 {
            questions(&mut whole, &mut parts, &context);
        }
        let here = *parts.limits();
        parts = match between {
            Between::Larger if steps == 14 => {
                let larger = larger(limits, config);
                parts
                    .copy_into(larger, vec![0; larger.words::<R>()])
                    .unwrap_or_else(|e| panic!("{e}, {}", context()))
            }
            _ if steps % 3 == 0 => parts.copy_into(here, vec![0; here.words::<R>()]).unwrap(),
            _ => Optimizer::attach(parts.words().to_vec()).unwrap_or_else(|e| panic!("{e}, {}", context())),
        };
        if here == limits && *parts.limits() == limits {
            // All that lasts, with the same mark at what is open; the scratch is whatever was left there.
            let one = whole.copy_into(limits, vec![0; words]).unwrap();
            let two = parts.copy_into(limits, vec![0; words]).unwrap();
            let [one, two] = [one, two].map(|copy| Optimizer::<R, _>::attach(copy.into_inner()).unwrap());
            assert!(one.words() == two.words(), "{}", context());
        }
    }
    assert!(free || modelled + 6 >= asked, "{modelled} of {asked}: {config:?}");
    assert!(whole.best().is_some());
    assert!(whole.trials().filter(|t| t.state == State::Done).count() > 4);
    assert_eq!((block[0], block[words + 1]), (GUARD, GUARD), "a word outside was written to: {config:?}");
}

/// `best`, `recommend` and `predict` answer, and both alike.
pub fn questions<R: Real, M: AsRef<[u64]> + AsMut<[u64]>, N: AsRef<[u64]> + AsMut<[u64]>>(
    whole: &mut Optimizer<R, M>,
    parts: &mut Optimizer<R, N>,
    context: &dyn Fn() -> String,
) {
    let free = whole.config().unwrap().proposal.baseline.is_some();
    let Some(best) = whole.best().map(|trial| trial.point.to_vec()) else { return };
    let one = whole.predict(&best);
    assert_eq!(one, parts.predict(&best), "{}", context());
    match one {
        Ok(prediction) => {
            let sound = prediction.mean.is_finite() && prediction.variance >= R::ZERO;
            assert!(sound && prediction.variance.is_finite(), "{prediction:?}, {}", context());
        }
        Err(Error::Unsupported) if free => {}
        Err(error) => assert_eq!(error, Error::NoData, "{}", context()),
    }
    let one = whole.recommend().map(|(trial, prediction)| (trial.id, prediction));
    let two = parts.recommend().map(|(trial, prediction)| (trial.id, prediction));
    assert_eq!(one, two, "{}", context());
    let (_, prediction) = one.unwrap_or_else(|error| panic!("{error}, {}", context()));
    assert!(prediction.mean.is_finite() && prediction.variance >= R::ZERO, "{prediction:?}, {}", context());
}

/// What is told to both runs.
pub trait Answers<R> {
    fn tell(&mut self, id: TrialId, value: R, variance: R);
    fn fail(&mut self, id: TrialId);
    fn forget(&mut self, id: TrialId);
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Answers<R> for Optimizer<R, M> {
    fn tell(&mut self, id: TrialId, value: R, variance: R) {
        self.tell_noisy(id, value, variance).unwrap();
    }

    fn fail(&mut self, id: TrialId) {
        Optimizer::fail(self, id).unwrap();
    }

    fn forget(&mut self, id: TrialId) {
        Optimizer::forget(self, id).unwrap();
    }
}

pub fn bits<R: Real>(values: &[R]) -> Vec<u64> {
    values.iter().map(|value| value.to_f64().to_bits()).collect()
}

/// Runs what makes sense and sees the rest refused, before a word is written.
pub fn try_out<R: Real>(domain: &Domain, config: &Config<'_>, between: Between) -> bool {
    // In larger limits fewer make room, so that none does here.
    let when_full = if between == Between::Larger { WhenFull::Refuse } else { config.run.when_full };
    let config = domain.fit(config).with(|c| c.run.when_full = when_full);
    if sensible(&config) {
        run::<R>(domain, &config, between);
        return true;
    }
    refused::<R>(domain, &config, domain.limits(&config), UNSUPPORTED);
    false
}

/// The numbers of [`Error::Limits`] and [`Error::Unsupported`].
pub const LIMITS: i32 = -2;
pub const UNSUPPORTED: i32 = -22;

pub fn refused<R: Real>(domain: &Domain, config: &Config<'_>, limits: Limits, code: i32) {
    let space = Space::new(&domain.params, &domain.conditions).unwrap();
    let mut block = vec![GUARD; limits.words::<R>().min(1 << 20)];
    let answer = Optimizer::<R, _>::new(&space, config, limits, &mut block[..]).map(|_| ());
    assert_eq!(answer.map_err(Error::code), Err(code), "{config:?}");
    assert!(block.iter().all(|&word| word == GUARD), "a refused block was written to: {config:?}");
}

/// Every rule and every policy with every batch; how many made sense.
pub fn all_ways<R: Real>(domain: &Domain, base: &Config<'_>) -> usize {
    let mut count = 0;
    for batch in BATCHES {
        let base = base.with(|c| c.proposal.pending = batch);
        let rules = RULES.map(|rule| base.with(|c| c.proposal.acquisition = rule));
        let policies = POLICIES.map(|policy| base.with(|c| c.proposal.policy = policy));
        for config in rules.iter().chain(&policies) {
            count += usize::from(try_out::<R>(domain, config, Between::Same));
        }
    }
    count
}

/// One rule of each kind of score, and every policy, each with a batch of its own.
pub fn some_ways<R: Real>(domain: &Domain, base: &Config<'_>, between: Between) -> usize {
    let mut count = 0;
    for (i, batch) in BATCHES.into_iter().enumerate() {
        for acquisition in [RULES[0], RULES[3], RULES[5], RULES[i]] {
            count += usize::from(try_out::<R>(
                domain,
                &base.with(|c| {
                    c.proposal.acquisition = acquisition;
                    c.proposal.pending = batch;
                }),
                between,
            ));
        }
    }
    for (i, policy) in POLICIES.into_iter().enumerate() {
        let config = base.with(|c| {
            c.proposal.policy = policy;
            c.proposal.pending = BATCHES[i % 4];
        });
        count += usize::from(try_out::<R>(domain, &config, between));
    }
    count
}
