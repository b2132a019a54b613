//! Every choice of a configuration with a device: what runs there, what the CPU does, and that both end as well as the CPU
//! alone.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use std::collections::VecDeque;

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::gp::Size;
use infill::gp::sampler::{Sampler, Sampling};
use infill::kernel::{Dims, Kernel};
use infill::lbfgs::Budget;
use infill::pending::Lie;
use infill::policy::Minima;
use infill::rng::Generator;
use infill::{
    Acquisition, Backend, Config, Covariance, Gp, Hyper, Interleave, Limits, Model, Noise, Objective,
    Optimizer, Origin, Param, Pending, Plain, Policy, Prediction, Real, Refit, Search, Space, Training,
    Trend, Warp, forest, sparse,
};
use infill_gpu::{Api, Fault, WithFallback};
use support::bounds::Errors;
use support::watch::Verb::{self, Cross, EvidenceMany, Factor, Gram, Score, ScreenSobol, Solve};
use support::watch::{Seen, Watch};
use support::{device, options, points, rules};

const TRIALS: usize = 16;
const START: usize = 5;

/// A configuration, how many trials are open at each question, and the verbs that run on the device with it.
struct Choice<'a> {
    name: String,
    config: Config<'a>,
    open: usize,
    double: &'static [Verb],
    single: &'static [Verb],
}

/// The default: all that a closed form of one exact process asks for.
const ALL: &[Verb] = &[Gram, Factor, Score, EvidenceMany, ScreenSobol];
/// An exact process is trained and fitted on the device; what is asked of it is the CPU's.
const FIT: &[Verb] = &[Gram, Factor, EvidenceMany];
/// The same in single precision, where predictions are the device's too.
const FIT_AND_PREDICT: &[Verb] = &[Gram, Cross, Factor, Solve, EvidenceMany];

fn base() -> Config<'static> {
    let whole = Config::default();
    let budget = Budget { evaluations: 20, ..whole.surrogate.training.budget };
    whole.with(|c| {
        c.seed = 5;
        c.design.trials = START as u32;
        // Above the rounding of a matrix in single precision.
        c.surrogate.noise = Noise::fixed(1e-3);
        c.surrogate.training = Training { restarts: 1, draws: 6, budget, ..whole.surrogate.training };
        c.surrogate.refit = Refit { growth: 0.1, afresh: 0.5, evaluations: 10, plenty: 300 };
        c.search = Search { global: 128, local: 64, starts: 2, polish: budget, rounds: 1, ..whole.search };
    })
}

fn sampled(sampler: Sampler) -> Hyper {
    let sampling = Sampling { sampler, burn_in: 3, thin: 1, width: 1.0, out: 5, shrink: 10, latent: 2 };
    Hyper::Mcmc { count: 3, sampling }
}

/// One of each. `kernels` are one with a Matérn node of general order and one of few hyperparameters.
fn choices<'a>([general, few]: [&'a Kernel; 2]) -> Vec<Choice<'a>> {
    let base = base();
    let mut list = Vec::new();
    let mut add = |name: String, config: Config<'a>, open, double, single| {
        list.push(Choice { name, config, open, double, single });
    };
    add("default".into(), base, 0, ALL, ALL);
    // Rounding in single precision outweighs such a noise: the matrix is the CPU's.
    let exact = base.with(|c| c.surrogate.noise = Noise::fixed(1e-11));
    add("hardly any noise".into(), exact, 0, &[Score, ScreenSobol], ALL);
    let loo = Training { objective: Objective::LeaveOneOut, ..base.surrogate.training };
    add(
        "leave-one-out".into(),
        base.with(|c| c.surrogate.training = loo),
        0,
        &[Gram, Factor, Score, ScreenSobol],
        &[Gram, Factor, Score, ScreenSobol],
    );
    for acquisition in rules() {
        let config = base.with(|c| {
            c.proposal.acquisition = acquisition;
            c.proposal.interleave = Interleave::NEVER;
        });
        add(format!("{acquisition:?}"), config, 0, ALL, ALL);
    }
    let mgf = base.with(|c| c.proposal.acquisition = Acquisition::LogMgf { temperature: 1.0 });
    let cooling = Schedule::Cooling(Cooling::exponential(TRIALS as u32));
    add("cooling".into(), mgf.with(|c| c.proposal.schedule = cooling), 0, ALL, ALL);

    for learnt in [false, true] {
        let model = Model::Student { freedom: 5.0, learnt };
        let config = base.with(|c| c.surrogate.model = model);
        add(format!("{model:?}"), config, 0, &[Gram, Factor], &[Gram, Cross, Factor, Solve]);
    }
    for kind in [sparse::Kind::Fitc, sparse::Kind::Variational, sparse::Kind::Spectrum] {
        let model = Model::Sparse(kind);
        add(format!("{model:?}"), base.with(|c| c.surrogate.model = model), 0, &[], &[]);
    }
    for (name, settings) in [
        ("random forest", forest::Settings::RANDOM),
        ("extra trees", forest::Settings::EXTRA),
        ("boosted trees", forest::Settings::BOOSTED),
    ] {
        add(name.into(), base.with(|c| c.surrogate.model = Model::Trees(settings)), 0, &[], &[]);
    }

    for sampler in Sampler::ALL {
        let config = base.with(|c| c.surrogate.hyper = sampled(sampler));
        add(format!("sampled by {sampler:?}"), config, 0, FIT, FIT_AND_PREDICT);
    }
    let quadrature = base.with(|c| {
        c.surrogate.hyper = Hyper::Quadrature { count: 8 };
        c.surrogate.kernel = Some(few);
    });
    add("quadrature".into(), quadrature, 0, FIT, FIT_AND_PREDICT);

    for warp in [Warp::Kumaraswamy, Warp::Beta] {
        add(format!("{warp:?}"), base.with(|c| c.surrogate.warp = warp), 0, &[], &[Cross, Factor, Solve]);
    }

    for (policy, single) in [
        (Policy::EntropySearch { representers: 12, draws: 32, fantasies: 3 }, FIT),
        (Policy::PredictiveEntropy { representers: 12, draws: 32 }, FIT),
        (Policy::MaxValue { representers: 16, draws: 8, minima: Minima::Joint }, FIT_AND_PREDICT),
        (Policy::MaxValue { representers: 16, draws: 8, minima: Minima::Gumbel }, FIT_AND_PREDICT),
        (Policy::Thompson { candidates: 32 }, FIT),
        (Policy::Spectral { features: 64 }, FIT),
        (Policy::Knowledge { representers: 12 }, FIT),
        (Policy::Hedge, FIT_AND_PREDICT),
        (Policy::Portfolio { representers: 12, draws: 32, fantasies: 3 }, FIT_AND_PREDICT),
    ] {
        add(format!("{policy:?}"), base.with(|c| c.proposal.policy = policy), 0, FIT, single);
    }

    for (batch, double, single) in [
        (Pending::Believer, ALL, ALL),
        (Pending::Liar(Lie::Min), ALL, ALL),
        (Pending::Liar(Lie::Mean), ALL, ALL),
        (Pending::Liar(Lie::Max), ALL, ALL),
        (Pending::Temperatures, ALL, ALL),
        (Pending::Fantasies { count: 8 }, FIT, FIT),
        (Pending::Penalty, FIT, FIT_AND_PREDICT),
        // The bounds in turn with it are penalised.
        (Pending::JointEi { draws: 8 }, FIT, FIT_AND_PREDICT),
    ] {
        let config = if batch == Pending::Temperatures { mgf } else { base };
        add(format!("{batch:?}, two open"), config.with(|c| c.proposal.pending = batch), 2, double, single);
    }

    let expected = base.with(|c| {
        c.proposal.pending = Pending::JointEi { draws: 8 };
        c.proposal.interleave = Interleave::NEVER;
    });
    add("joint improvement without bounds, two open".into(), expected, 2, FIT, FIT);

    let general = base.with(|c| c.surrogate.kernel = Some(general));
    add("Matérn of general order".into(), general, 0, &[], &[Factor]);
    let general = general.with(|c| c.surrogate.hyper = sampled(Sampler::Slice));
    add("Matérn of general order, sampled".into(), general, 0, &[], &[Factor, Solve]);
    list
}

fn kernels() -> [Kernel; 2] {
    [Kernel::matern(Dims::All, 1.7).ard().scaled(), Kernel::matern52(Dims::All).scaled()]
}

/// Lowest at (0.3, −0.4), where it is 0.
fn bowl(x: &[f64]) -> f64 {
    let (a, b) = (x[0] - 0.3, x[1] + 0.4);
    a * a + 2.0 * b * b + 0.5 * a * b
}

fn limits(config: &Config<'_>) -> Limits {
    Limits::new(2, TRIALS as u32 + 3).open(3).kernel(8, 8, 8).suit(config)
}

/// Proposals and where they came from, and the lowest value.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    points: Vec<[f64; 2]>,
    origins: Vec<Origin>,
    best: f64,
}

impl Run {
    fn modelled(&self) -> usize {
        self.origins.iter().filter(|origin| **origin == Origin::Model).count()
    }
}

/// A run with so many open trials at each question; `before` is called with the number of each.
fn run<R: Real, B: Backend<R>>(
    choice: &Choice<'_>,
    backend: &mut B,
    mut before: impl FnMut(usize, &mut B),
) -> Run {
    let params = [Param::real(-1.0, 1.0), Param::real(-1.0, 1.0)];
    let space = Space::new(&params, &[]).expect("a box");
    let limits = limits(&choice.config);
    let words = vec![0; limits.words::<R>()];
    let mut optimizer = Optimizer::<R, _>::new(&space, &choice.config, limits, words)
        .unwrap_or_else(|error| panic!("{}: {error}", choice.name));
    let mut run = Run { points: Vec::new(), origins: Vec::new(), best: f64::INFINITY };
    let mut open = VecDeque::new();
    for i in 0..TRIALS {
        before(i, backend);
        let mut x = [R::ZERO; 2];
        let ask = optimizer
            .ask_with(backend, &mut x)
            .unwrap_or_else(|error| panic!("{}, question {i}: {error}", choice.name));
        let x = x.map(|x| x.to_f64());
        assert!(x.iter().all(|x| (-1.0..=1.0).contains(x)), "{}: {x:?}", choice.name);
        run.points.push(x);
        run.origins.push(ask.origin);
        open.push_back((ask.id, bowl(&x)));
        while open.len() > if i + 1 < TRIALS { choice.open } else { 0 } {
            let (id, value) = open.pop_front().expect("an open trial");
            optimizer.tell(id, R::of(value)).expect("an open trial");
        }
    }
    run.best = optimizer.best().expect("a best").value.to_f64();
    let (_, prediction) = optimizer.recommend().expect("a recommendation");
    assert!(prediction.mean.is_finite() && prediction.variance >= R::ZERO, "{}", choice.name);
    run
}

/// What is wrong with a run: it should end as one with the CPU does, and on the device should run what the list says.
fn wrong<R: Real>(watch: &mut Watch, choice: &Choice<'_>, expected: &[Verb]) -> Vec<String> {
    let got = run::<R, _>(choice, watch, |_, _| ());
    let seen = watch.take();
    let plain = run::<R, _>(choice, &mut Plain, |_, _| ());
    let name = format!("{} in {}", choice.name, if R::BYTES == 8 { "f64" } else { "f32" });
    println!("{name}: {seen}; lowest {:.1e}, by the CPU {:.1e}", got.best, plain.best);
    let design = got.points[..START].iter().map(|x| bowl(x)).fold(f64::INFINITY, f64::min);
    let explores = choice.config.proposal.acquisition == Acquisition::Deviation;
    let faults = [
        (watch.backend.gpu.reason().is_some(), "the device failed"),
        (seen.on_device() != expected, "something else ran on the device"),
        ((seen.dispatches() > 0) == expected.is_empty(), "dispatches do not go with the verbs"),
        (got.modelled() != plain.modelled(), "other proposals are the model's"),
        // Nothing but the CPU's arithmetic is the same to the bit.
        (expected.is_empty() && got != plain, "the CPU's run is another"),
        (got.best > 10.0 * plain.best.max(1e-3), "the CPU does better"),
        (got.best >= design && !explores, "the starting design does as well"),
    ];
    faults.into_iter().filter(|fault| fault.0).map(|fault| format!("{name}: {}", fault.1)).collect()
}

/// A device with the limits of all choices, watched.
fn watch(api: Option<Api>) -> Option<Watch> {
    device(&limits(&base()), &options(api))
        .map(|on| Watch::new(WithFallback { gpu: on.gpu.into(), cpu: Plain }))
}

#[test]
fn what_runs_where() {
    let Some(mut watch) = watch(None) else { return };
    let [general, few] = kernels();
    let mut all = Vec::new();
    for choice in &choices([&general, &few]) {
        all.extend(wrong::<f64>(&mut watch, choice, choice.double));
        all.extend(wrong::<f32>(&mut watch, choice, choice.single));
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// The device is lost in the middle of a run: the CPU goes on and ends as well, whatever the choice. Those that have nothing
/// for the device do not even notice.
#[test]
fn a_device_that_is_lost() {
    let [general, few] = kernels();
    let list = choices([&general, &few]);
    for (name, single, api) in [
        ("cooling", false, None),
        ("sampled by Slice", false, None),
        ("sampled by Slice", true, Some(Api::Gl)),
        ("sampled by SurrogateSlice", true, None),
        ("quadrature", false, None),
        ("Student { freedom: 5.0, learnt: true }", true, None),
        ("Kumaraswamy", true, None),
        ("Hedge", false, Some(Api::Gl)),
        ("MaxValue { representers: 16, draws: 8, minima: Joint }", true, None),
        ("Penalty, two open", true, None),
        ("Fantasies { count: 8 }, two open", false, None),
        ("Matérn of general order", true, None),
        ("random forest", false, None),
        ("Sparse(Fitc)", true, None),
    ] {
        let choice = list.iter().find(|choice| choice.name == name).expect(name);
        let Some(mut watch) = watch(api) else { continue };
        if single {
            lose::<f32>(&mut watch, choice, choice.single)
        } else {
            lose::<f64>(&mut watch, choice, choice.double)
        }
    }
}

fn lose<R: Real>(watch: &mut Watch, choice: &Choice<'_>, verbs: &[Verb]) {
    let mut before = Seen::default();
    let got = run::<R, _>(choice, watch, |i, watch| {
        if i == TRIALS / 2 {
            assert_eq!(watch.backend.gpu.reason(), None);
            before = watch.take();
            watch.backend.gpu.gpu_mut().expect("a device").destroy();
        }
    });
    let after = watch.take();
    let plain = run::<R, _>(choice, &mut Plain, |_, _| ());
    let (name, reason) = (&choice.name, watch.backend.gpu.reason());
    println!(
        "{name} until the device is lost: {before}; then: {after} ({reason:?}); lowest {:.1e}, by the CPU {:.1e}",
        got.best, plain.best
    );
    assert_eq!(before.on_device(), verbs, "{name}");
    match reason {
        // The call that meets the fault may have counted what it never did.
        Some(Fault::Lost(_)) if !verbs.is_empty() => assert!(after.device() <= 1, "{name}: {after}"),
        None if verbs.is_empty() => assert_eq!(got, plain, "{name}"),
        reason => panic!("{name}: {reason:?}"),
    }
    assert_eq!(got.modelled(), plain.modelled(), "{name}");
    assert!(got.best <= 10.0 * plain.best.max(1e-3), "{name}: {} and {}", got.best, plain.best);
}

/// A squared exponential written by hand, in one dimension: θ = ln ℓ, ln σ².
struct Own;

impl<R: Real> Covariance<R> for Own {
    fn thetas(&self) -> usize {
        2
    }

    fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R {
        let z = (a[0] - b[0]) / theta[0].exp();
        theta[1].exp() * (-R::HALF * z * z).exp()
    }

    fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
        let z = (a[0] - b[0]) / theta[0].exp();
        out[1] = self.eval(theta, a, b);
        out[0] = out[1] * z * z;
    }

    fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
        out[0] = -self.eval(theta, a, b) * (a[0] - b[0]) / (R::TWO * theta[0]).exp();
        true
    }
}

/// A kernel of the user's is evaluated on the CPU; in single precision its matrix is factored on the device.
#[test]
fn a_users_own_kernel() {
    let Some(mut watch) = watch(None) else { return };
    own::<f64>(&mut watch, &[]);
    own::<f32>(&mut watch, &[Factor]);
}

fn own<R: Real>(watch: &mut Watch, expected: &[Verb]) {
    let kernel = Kernel::squared_exponential(Dims::All).scaled();
    let size = Size { rows: TRIALS, exact: TRIALS, dims: 1, thetas: 2, columns: 1, batch: 1 };
    let train = |backend: &mut dyn Backend<R>| {
        let mut block = vec![0; size.words::<R>()];
        let mut gp = Gp::<R>::new(&kernel, Trend::Constant, size, &mut block).expect("a process");
        gp.set_noise(1e-3, 1e-3, 1e-3).expect("a noise");
        for x in points::<R>(TRIALS, 1, 1, 7) {
            gp.push(&[x], R::of((5.0 * x.to_f64()).sin()), R::ZERO).expect("a row");
        }
        let trained =
            gp.train(&Own, backend, &base().surrogate.training, &mut Generator::new(3)).expect("a fit");
        let prediction = gp.predict(&Own, &[R::of(0.3)]).expect("a prediction");
        [trained.value, prediction.mean, prediction.variance].map(|value| value.to_f64())
    };
    let got = train(watch);
    let seen = watch.take();
    let plain = train(&mut Plain);
    println!("a user's kernel in {} bytes: {seen}; {got:.4?}, by the CPU {plain:.4?}", R::BYTES);
    assert_eq!(seen.on_device(), expected, "{seen}");
    assert!(seen.calls() > 10);
    if expected.is_empty() {
        assert_eq!(got, plain);
    }
    assert!((got[1] - 1.5f64.sin()).abs() < 0.05 && (got[1] - plain[1]).abs() < 1e-2, "{got:?} {plain:?}");
}

/// Every rule of the library is in the list that the tests go through, and none has a bound that cannot be exceeded.
#[test]
fn every_rule_has_a_bound() {
    let listed: Vec<u64> = rules::<f64>().iter().map(|rule| rule.code().0).collect();
    let errors = Errors { covariance: 1e-7, mean: 1e-6, variance: 1e-7 };
    let mut known = 0;
    for code in 0..256 {
        let codes = [0.0, 1.0, 2.0].map(|parameter| Acquisition::from_code(code, parameter));
        for rule in codes.into_iter().flatten() {
            known += 1;
            assert!(listed.contains(&code), "{rule:?} is not in the list");
            for (mean, variance) in [(0.3, 0.04), (-0.2, 1.0), (2.0, 0.01), (-1.0, 0.09)] {
                let bound = errors.score(rule, Prediction { mean, variance }, 0.1);
                assert!(bound > 0.0 && bound < 0.1, "{rule:?} at {mean}, {variance}: {bound}");
            }
        }
    }
    assert_eq!(known, 3 * (rules::<f64>().len() - 2) + 1, "two are of one kind, one has no parameter");
}
