//! What an ask costs with each model, treatment, policy, rule, batch, warp and preset, in six dimensions by `Plain`.
//!
//! ```text
//! cargo bench -p infill-benches --bench choices                    by criterion: one ask after the first
//! cargo bench -p infill-benches --bench choices -- table 30 100    means of ten asks, as ratios to the default's
//! ```
//!
//! The first ask after the observations trains afresh and is not counted. What follows trains when the configuration
//! says so. A policy or a batch decides each ask: no bound takes turns with it.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group};
use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::gp::sampler::{Sampler, Sampling};
use infill::kernel::{Dims, Kernel};
use infill::pending::Lie;
use infill::policy::Minima;
use infill::{
    Acquisition, Config, Hyper, Interleave, Model, Objective, Optimizer, PRESETS, Pending, Policy, Training,
    TrialId, Warp, forest, sparse,
};
use infill_benches::optimizer;
use infill_tests::problems::Problem;

const DIMS: usize = 6;
/// Numbers of observations.
const ROWS: [usize; 3] = [30, 100, 300];
/// Asks that a mean of the table is over: at 300 observations one of them trains again.
const ASKS: usize = 10;
/// The most open trials.
const OPEN: usize = 3;

/// A configuration by name, and how many trials are open when it is asked.
struct Way<'k> {
    kind: &'static str,
    name: &'static str,
    config: Config<'k>,
    open: usize,
}

/// What there is to choose from, the default first.
fn ways(alike: &Kernel) -> Vec<Way<'_>> {
    let base = Config::default();
    let pure = base.with(|c| c.proposal.interleave = Interleave::NEVER);
    let mut ways = vec![Way { kind: "default", name: "", config: base, open: 0 }];
    let mut add = |kind, name, config, open| ways.push(Way { kind, name, config, open });
    for (name, model) in MODELS {
        add("model", name, base.with(|c| c.surrogate.model = model), 0);
    }
    // Every treatment holds as many fits as the presets do.
    for (name, sampler) in SAMPLERS {
        let sampling = Sampling { sampler, ..Sampling::default() };
        add("sampled", name, base.with(|c| c.surrogate.hyper = Hyper::Mcmc { count: 10, sampling }), 0);
    }
    // A quadrature is for three hyperparameters: one length for all dimensions.
    let alike = base.with(|c| c.surrogate.kernel = Some(alike));
    add("treatment", "one length, best", alike, 0);
    let quadrature = Hyper::Quadrature { count: 10 };
    add("treatment", "one length, quadrature", alike.with(|c| c.surrogate.hyper = quadrature), 0);
    let left_out = Training { objective: Objective::LeaveOneOut, ..base.surrogate.training };
    add("treatment", "leave-one-out", base.with(|c| c.surrogate.training = left_out), 0);
    for (name, acquisition) in RULES {
        add("rule", name, pure.with(|c| c.proposal.acquisition = acquisition), 0);
    }
    for (name, policy) in POLICIES {
        add("policy", name, pure.with(|c| c.proposal.policy = policy), 0);
    }
    for (name, batch) in BATCHES {
        let config = match batch {
            Pending::Temperatures => pure.with(|c| {
                c.proposal.acquisition = Acquisition::LogMgf { temperature: 2.0 };
                c.proposal.schedule = Schedule::Cooling(Cooling::exponential(100));
            }),
            _ => pure,
        };
        add("pending", name, config.with(|c| c.proposal.pending = batch), OPEN);
    }
    add("warp", "kumaraswamy", base.with(|c| c.surrogate.warp = Warp::Kumaraswamy), 0);
    add("warp", "beta", base.with(|c| c.surrogate.warp = Warp::Beta), 0);
    for name in PRESETS.into_iter().filter(|name| *name != "default") {
        add("preset", name, Config::preset(name).unwrap(), 0);
    }
    ways
}

const MODELS: [(&str, Model); 8] = [
    ("student, ν fixed", Model::Student { freedom: 5.0, learnt: false }),
    ("student, ν learnt", Model::Student { freedom: 5.0, learnt: true }),
    ("sparse, fitc", Model::Sparse(sparse::Kind::Fitc)),
    ("sparse, variational", Model::Sparse(sparse::Kind::Variational)),
    ("sparse, spectrum", Model::Sparse(sparse::Kind::Spectrum)),
    ("trees, random", Model::Trees(forest::Settings::RANDOM)),
    ("trees, extra", Model::Trees(forest::Settings::EXTRA)),
    ("trees, boosted", Model::Trees(forest::Settings::BOOSTED)),
];

const SAMPLERS: [(&str, Sampler); 6] = [
    ("slice", Sampler::Slice),
    ("metropolis", Sampler::Metropolis),
    ("fixed", Sampler::Fixed),
    ("whitened", Sampler::Whitened),
    ("surrogate metropolis", Sampler::SurrogateMetropolis),
    ("surrogate slice", Sampler::SurrogateSlice),
];

const RULES: [(&str, Acquisition<f64>); 8] = [
    ("log improvement", Acquisition::LogImprovement { margin: 0.0 }),
    ("improvement", Acquisition::Improvement { margin: 0.0 }),
    ("probability", Acquisition::Probability { margin: 0.01 }),
    ("bound", Acquisition::Bound { beta: 2.0 }),
    ("generalised, order 2", Acquisition::Generalised { order: 2 }),
    ("moment-generating", Acquisition::LogMgf { temperature: 1.0 }),
    ("deviation", Acquisition::Deviation),
    ("noisy", Acquisition::Noisy { noise: 0.1 }),
];

const POLICIES: [(&str, Policy); 9] = [
    ("entropy search", Policy::ENTROPY_SEARCH),
    ("predictive entropy", Policy::PREDICTIVE_ENTROPY),
    ("max-value, joint", Policy::MAX_VALUE),
    ("max-value, gumbel", Policy::MaxValue { representers: 64, draws: 16, minima: Minima::Gumbel }),
    ("thompson", Policy::THOMPSON),
    ("spectral", Policy::SPECTRAL),
    ("knowledge", Policy::KNOWLEDGE),
    ("hedge", Policy::Hedge),
    ("portfolio", Policy::PORTFOLIO),
];

const BATCHES: [(&str, Pending); 8] = [
    ("believer", Pending::Believer),
    ("liar, min", Pending::Liar(Lie::Min)),
    ("liar, mean", Pending::Liar(Lie::Mean)),
    ("liar, max", Pending::Liar(Lie::Max)),
    ("fantasies, 64", Pending::Fantasies { count: 64 }),
    ("penalty", Pending::Penalty),
    ("temperatures", Pending::Temperatures),
    ("expected, 64", Pending::JointEi { draws: 64 }),
];

/// An optimizer that was asked once, with trials open, and room for more.
#[derive(Clone)]
struct Run {
    optimizer: Optimizer<f64, Vec<u64>>,
    problem: Rc<Problem>,
    open: VecDeque<(TrialId, [f64; DIMS])>,
}

impl Run {
    fn new(way: &Way<'_>, rows: usize) -> Self {
        let (optimizer, problem) = optimizer(rows, DIMS, OPEN + ASKS + 2, &way.config);
        let mut run = Self { optimizer, problem: Rc::new(problem), open: VecDeque::new() };
        run.ask();
        run.tell();
        (0..way.open).for_each(|_| run.ask());
        run
    }

    fn ask(&mut self) {
        let mut x = [0.0; DIMS];
        let ask = self.optimizer.ask(&mut x).unwrap();
        self.open.push_back((ask.id, x));
    }

    /// The value of the oldest open trial.
    fn tell(&mut self) {
        let (id, x) = self.open.pop_front().unwrap();
        self.optimizer.tell(id, self.problem.value(&x)).unwrap();
    }
}

fn one_length() -> Kernel {
    Kernel::matern52(Dims::range(0, DIMS as u16)).scaled()
}

fn choices(c: &mut Criterion) {
    let rows = if std::env::args().any(|argument| argument == "--test") { &ROWS[..1] } else { &ROWS };
    let alike = one_length();
    for &rows in rows {
        for way in ways(&alike) {
            // Made when it is measured: a filter leaves out the others.
            let mut trained = None;
            let id = BenchmarkId::new(format!("{} {}", way.kind, way.name).trim(), format!("n{rows}"));
            c.benchmark_group("choices").bench_function(id, |b| {
                let trained = trained.get_or_insert_with(|| Run::new(&way, rows));
                b.iter_batched(|| trained.clone(), |mut run| run.ask(), BatchSize::LargeInput);
            });
        }
    }
}

/// Means of [`ASKS`] asks, each with its tell, as ratios to that of the default, which is measured again beside each.
fn table(sizes: &[usize]) {
    let alike = one_length();
    let ways = ways(&alike);
    let mut cells = vec![String::new(); ways.len()];
    for &rows in sizes {
        let default = Run::new(&ways[0], rows);
        let mut all = Vec::new();
        for (way, cells) in ways.iter().zip(&mut cells).skip(1) {
            let trained = Run::new(way, rows);
            let before = mean(&default);
            let own = mean(&trained);
            let beside = 0.5 * (before + mean(&default));
            *cells += &format!(" {:.2} |", own / beside);
            eprintln!("n = {rows}: {} {}: {:.2} ms of {:.2}", way.kind, way.name, 1e3 * own, 1e3 * beside);
            all.push(beside);
        }
        all.sort_by(f64::total_cmp);
        cells[0] += &format!(" {:.1} ms |", 1e3 * all[all.len() / 2]);
    }
    let head: Vec<String> = sizes.iter().map(|n| format!("n = {n}")).collect();
    println!("| | | {} |\n|---|---|{}", head.join(" | "), "--:|".repeat(sizes.len()));
    for (way, cells) in ways.iter().zip(cells) {
        println!("| {} | {} |{cells}", way.kind, way.name);
    }
}

/// Seconds of an ask and its tell: all of a run again and again, for a third of a second at least.
fn mean(trained: &Run) -> f64 {
    let (mut seconds, mut asks) = (0.0, 0);
    while seconds < 0.3 {
        let start = worked();
        for _ in 0..if asks == 0 { 1 } else { 4 } {
            let mut run = trained.clone();
            for _ in 0..ASKS {
                run.ask();
                run.tell();
                asks += 1;
            }
        }
        seconds += worked() - start;
    }
    seconds / f64::from(asks)
}

/// Seconds that this thread has worked, without those in which others did; where the system does not tell, of the clock.
fn worked() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split(' ').next().and_then(|word| word.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |t| 1e-9 * t)
}

/// Few samples: some asks take a second.
fn quick() -> Criterion {
    let (warm, measure) = (Duration::from_millis(20), Duration::from_millis(200));
    Criterion::default().sample_size(10).warm_up_time(warm).measurement_time(measure).without_plots()
}

criterion_group! { name = benches; config = quick(); targets = choices }

fn main() {
    let mut words = std::env::args().skip(1);
    if words.by_ref().any(|word| word == "table") {
        let sizes: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
        table(if sizes.is_empty() { &ROWS } else { &sizes });
    } else {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
