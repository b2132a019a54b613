//! `Plain`, `Faer` and a GPU side by side, in one run, and what a real GPU should do with the same calls.
//!
//! ```text
//! ./ci.sh measure compare                   all sizes
//! INFILL_QUICK=1 ./ci.sh measure compare    the two smallest
//! ```
//!
//! A cell above 10¹¹ flops is not run, nor one that should take a backend longer than `INFILL_LONGEST` seconds (25): `~`
//! marks what follows from the flops per second of the largest cell of the same call that was. Counters that differ from the model of `model.rs` end the program.

use std::time::Instant;

use infill::backend::{Backend, EvidenceMany, Gram, Inputs, Score};
use infill::linalg::packed;
use infill::space::sobol;
use infill::{Config, Faer, Limits, Optimizer, Plain};
use infill_benches::model::{self, DEVICES, Work};
use infill_benches::{Case, Timed, backends, optimizer};
use infill_gpu::{Candidates, Counters, Gpu, Hybrid, Options, Screen};

const DIMS: usize = 6;
/// Winners of a screen.
const KEEP: usize = 8;
/// Sets of hyperparameters whose evidence is asked for together.
const SETS: usize = 32;
/// Flops above which a cell is left to the model.
const MOST: f64 = 1e11;
/// On the diagonal, enough for single precision at every size here.
const NOISE: f64 = 1e-2;

#[derive(Clone, Copy, PartialEq)]
enum Call {
    Gram,
    Factor,
    Score(usize),
    Evidences,
    OneByOne,
    Ask,
}

impl Call {
    fn name(self) -> String {
        match self {
            Self::Gram => "gram".into(),
            Self::Factor => "factor".into(),
            Self::Score(count) => format!("score 10{}", ["³", "⁴", "⁵", "⁶"][count.ilog10() as usize - 3]),
            Self::Evidences => format!("evidence of {SETS} sets"),
            Self::OneByOne => format!("… {SETS} calls of one"),
            Self::Ask => "ask".into(),
        }
    }

    fn same(self, other: Self) -> bool {
        core::mem::discriminant(&self) == core::mem::discriminant(&other)
    }

    /// What the device is asked for.
    fn work(self, rows: usize, thetas: usize, together: usize) -> Work {
        match self {
            Self::Gram => model::gram(rows, DIMS),
            Self::Factor => model::factor(rows),
            Self::Score(count) => model::screen(rows, DIMS, count, KEEP),
            Self::Evidences => model::evidence(rows, DIMS, thetas, SETS, together),
            Self::OneByOne => model::evidence(rows, DIMS, thetas, SETS, 1),
            // One more was told.
            Self::Ask => model::ask(rows + 1, DIMS),
        }
    }

    /// What the call needs, however it is computed: the unit of the rates by which cells are filled that are not run.
    fn flops(self, n: f64) -> f64 {
        let pair = (3 * DIMS + 20) as f64;
        match self {
            Self::Gram => 0.5 * n * n * pair,
            Self::Factor => n.powi(3) / 3.0,
            Self::Score(count) => count as f64 * (n * n + n * pair),
            Self::Evidences | Self::OneByOne => SETS as f64 * (n.powi(3) / 3.0 + 0.5 * n * n * pair),
            // Candidates, and some hundred steps of polishing with a gradient.
            Self::Ask => 1536.0 * (n * n + n * pair) + 160.0 * 2.0 * n * n,
        }
    }
}

struct Row {
    rows: usize,
    call: Call,
    /// Seconds of plain, faer, gpu; none if not run.
    times: [Option<f64>; 3],
    /// Seconds of an ask by plain, without its scores; 0 of other calls.
    rest: f64,
    counters: Counters,
    work: Work,
}

fn main() {
    let quick = std::env::var_os("INFILL_QUICK").is_some();
    let sizes: &[usize] = if quick { &[128, 256] } else { &[128, 256, 512, 1024, 2048, 4096] };
    let counts: &[usize] = if quick { &[1_000, 10_000] } else { &[1_000, 10_000, 100_000, 1_000_000] };
    let longest = std::env::var("INFILL_LONGEST").ok().and_then(|text| text.parse().ok()).unwrap_or(25.0);
    let mut table = Vec::new();
    let mut named = false;
    for &rows in sizes {
        let mut lab = Lab::new(rows, *counts.last().unwrap());
        if !core::mem::replace(&mut named, true) {
            lab.introduce();
        }
        let scores = counts.iter().map(|&count| Call::Score(count));
        let calls = [Call::Gram, Call::Factor].into_iter().chain(scores);
        for call in calls.chain([Call::Evidences, Call::OneByOne, Call::Ask]) {
            let row = lab.row(call, &table, longest);
            eprintln!("   {} at n = {rows}: {:?}", call.name(), row.times);
            table.push(row);
        }
    }
    print_measured(&table);
    print_model(&table);
}

/// The three backends, and one problem for them.
struct Lab {
    case: Case,
    small: Case,
    sets: Vec<f64>,
    cpus: [(&'static str, Box<dyn Backend<f64>>); 2],
    gpu: Gpu,
}

impl Lab {
    fn new(rows: usize, count: usize) -> Self {
        // Candidates only as many as are scored at this size.
        let fits = |count: usize| Call::Score(count).flops(rows as f64) <= MOST;
        let count = (3..=count.ilog10()).map(|e| 10usize.pow(e)).filter(|&c| fits(c)).max().unwrap_or(1000);
        let case = Case::new(rows, DIMS, count);
        let thetas = case.theta.len();
        let mut sets = case.theta.repeat(SETS);
        for (i, set) in sets.chunks_exact_mut(thetas).enumerate() {
            set[..DIMS].iter_mut().for_each(|theta| *theta += 0.02 * i as f64);
            set[thetas - 1] = f64::ln(NOISE);
        }
        // Whatever is asked for is done by the device: how long it takes is the question.
        let options = Options { software: true, worth: 0, ..Options::default() };
        // One more, which an ask tells.
        let limits = Limits::new(DIMS as u32, rows as u32 + 2);
        let gpu = Gpu::new(&limits, &options).unwrap_or_else(|fault| {
            eprintln!("nothing to compare: {fault}");
            std::process::exit(1);
        });
        Self { case, small: Case::new(64, DIMS, 64), sets, cpus: backends(), gpu }
    }

    fn introduce(&self) {
        let adapter = self.gpu.adapter();
        let kind = if adapter.software { "a SOFTWARE adapter, no GPU" } else { "a GPU" };
        println!("GPU: {} by {:?}, {kind}.", adapter.name, adapter.api);
        println!("CPU: {}; plain and faer in f64 on one thread, a software adapter on all.\n", processor());
    }

    fn row(&mut self, call: Call, before: &[Row], longest: f64) -> Row {
        let rows = self.case.rows;
        let flops = call.flops(rows as f64);
        let thetas = self.case.theta.len() - 1;
        let mut row = Row {
            rows,
            call,
            times: [None; 3],
            rest: 0.0,
            counters: Counters::default(),
            work: call.work(rows, thetas, SETS),
        };
        let mut run = [0, 1, 2].map(|backend| {
            let expected = row.seconds(before, backend).0;
            flops <= MOST && (expected.is_nan() || expected <= longest)
        });
        // The CPU computes sets one by one in either way.
        if call == Call::OneByOne {
            (run[0], run[1]) = (false, false);
        }
        let repeats = ((4e9 / flops) as usize).clamp(1, 5);
        if call == Call::Ask && run.contains(&true) {
            self.asks(&mut row, run, repeats);
            if run[2] {
                row.check(thetas);
            }
            return row;
        }
        for _ in 0..repeats {
            for (backend, (_, cpus)) in self.cpus.iter_mut().enumerate() {
                if run[backend] {
                    row.note(backend, cpu(&mut **cpus, call, &self.case, &self.sets));
                }
            }
            if run[2] {
                // Another problem in between: pipelines are made, and nothing of this one is on the device.
                device(&mut self.gpu, call, &self.small, &self.sets);
                let (seconds, counters) = device(&mut self.gpu, call, &self.case, &self.sets);
                row.note(2, seconds);
                row.counters = counters;
            }
        }
        if run[2] {
            row.check(thetas);
        }
        row
    }

    /// A question with hyperparameters that were trained just before.
    fn asks(&mut self, row: &mut Row, run: [bool; 3], repeats: usize) {
        let mut config = Config::default();
        (config.surrogate.training.restarts, config.surrogate.training.budget.evaluations) = (0, 2);
        let (mut trained, problem) = optimizer(row.rows, DIMS, 2, &config);
        let mut x = [0.0; DIMS];
        let first = trained.ask_with(&mut *self.cpus[1].1, &mut x).unwrap();
        trained.tell(first.id, problem.value(&x)).unwrap();
        row.rest = f64::INFINITY;
        for _ in 0..repeats {
            let mut timed = Timed::new(Box::new(Plain));
            row.rest = row.rest.min(ask(&trained, &mut timed) - timed.scoring.as_secs_f64());
            for (backend, (_, cpus)) in self.cpus.iter_mut().enumerate() {
                if run[backend] {
                    row.note(backend, ask(&trained, &mut **cpus));
                }
            }
            if run[2] {
                // Every ask has another model than the one before.
                device(&mut self.gpu, Call::Score(1000), &self.small, &self.sets);
                let before = self.gpu.counters();
                row.note(2, ask(&trained, &mut Hybrid { gpu: &mut self.gpu, cpu: Faer::new() }));
                row.counters = less(self.gpu.counters(), before);
            }
        }
    }
}

fn ask(trained: &Optimizer<f64, Vec<u64>>, backend: &mut dyn Backend<f64>) -> f64 {
    let (mut copy, mut x) = (trained.clone(), [0.0; DIMS]);
    let start = Instant::now();
    copy.ask_with(backend, &mut x).unwrap();
    start.elapsed().as_secs_f64()
}

/// Seconds of one call.
fn cpu(backend: &mut dyn Backend<f64>, call: Call, case: &Case, sets: &[f64]) -> f64 {
    let mut work = case.work();
    match call {
        Call::Gram => gram(backend, case).1,
        Call::Factor => {
            let (mut matrix, _) = gram(backend, case);
            factor(backend, &mut matrix, case.rows)
        }
        Call::Score(count) => {
            let mut scores = vec![0.0; count];
            let points = &case.points[..count * DIMS];
            let posterior = case.posterior();
            let start = Instant::now();
            backend.score(&case.score(&posterior, points), &mut scores, &mut work).unwrap();
            start.elapsed().as_secs_f64()
        }
        Call::Evidences | Call::OneByOne => evidences(backend, case, sets, SETS),
        Call::Ask => f64::NAN,
    }
}

/// Seconds and counts of one call.
fn device(gpu: &mut Gpu, call: Call, case: &Case, sets: &[f64]) -> (f64, Counters) {
    // Only a matrix that the device has built may be factored there.
    let mut backend = Hybrid { gpu, cpu: Plain };
    let built = (call == Call::Factor).then(|| gram(&mut backend, case).0);
    let before = backend.gpu.counters();
    let seconds = match call {
        Call::Gram => gram(&mut backend, case).1,
        Call::Factor => factor(&mut backend, &mut built.unwrap_or_default(), case.rows),
        Call::Score(count) => {
            let candidates = Candidates::Sobol {
                sequence: sobol::Sequence { seed: 1 },
                first: 0,
                count: count.min(if case.rows == 64 { 64 } else { usize::MAX }) as u32,
            };
            let (posterior, mut work) = (case.posterior(), case.work());
            let Score { tape, posterior, acquisition, best, .. } = case.score(&posterior, &[]);
            let screen = Screen { tape, posterior, acquisition, best, candidates, keep: KEEP };
            let start = Instant::now();
            backend.screen(&screen, &mut work).unwrap();
            start.elapsed().as_secs_f64()
        }
        Call::Evidences => evidences(&mut backend, case, sets, SETS),
        Call::OneByOne => evidences(&mut backend, case, sets, 1),
        Call::Ask => f64::NAN,
    };
    (seconds, less(backend.gpu.counters(), before))
}

/// A gram matrix, noise on its diagonal, and the seconds of the first.
fn gram(backend: &mut dyn Backend<f64>, case: &Case) -> (Vec<f64>, f64) {
    let (mut out, mut work) = (case.triangle(), case.work());
    let inputs = Inputs { nugget: NOISE, ..case.inputs() };
    let start = Instant::now();
    backend.gram(&Gram { tape: case.tape(), inputs: &inputs }, &mut out, &mut work).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    (0..case.rows).for_each(|i| out[packed(i) + i] += NOISE);
    (out, seconds)
}

fn factor(backend: &mut dyn Backend<f64>, matrix: &mut [f64], rows: usize) -> f64 {
    let start = Instant::now();
    backend.factor(matrix, rows).unwrap();
    start.elapsed().as_secs_f64()
}

/// Seconds of the evidence of all sets, `together` in a call.
fn evidences(backend: &mut dyn Backend<f64>, case: &Case, sets: &[f64], together: usize) -> f64 {
    let (mut values, mut factor, mut work) = (vec![0.0; SETS], case.triangle(), case.work());
    let (tape, regression) = (case.tape(), &case.regression());
    let start = Instant::now();
    for (sets, values) in sets.chunks(together * case.theta.len()).zip(values.chunks_mut(together)) {
        let request = EvidenceMany { tape, regression, sets };
        backend.evidence_many(&request, values, &mut factor, &mut work).unwrap();
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
    seconds
}

fn less(a: Counters, b: Counters) -> Counters {
    Counters {
        dispatches: a.dispatches - b.dispatches,
        bytes_up: a.bytes_up - b.bytes_up,
        bytes_down: a.bytes_down - b.bytes_down,
        flops: a.flops - b.flops,
        answered: a.answered - b.answered,
        declined: a.declined - b.declined,
    }
}

impl Row {
    /// The shortest time counts.
    fn note(&mut self, backend: usize, seconds: f64) {
        let time = &mut self.times[backend];
        *time = Some(time.map_or(seconds, |t| t.min(seconds)));
    }

    /// The model counts as the device does, or it is worth nothing.
    fn check(&mut self, thetas: usize) {
        let what = format!("{} at n = {}", self.call.name(), self.rows);
        // Of an ask some is the CPU's.
        assert!(self.call == Call::Ask || self.counters.declined == 0, "{what}: the device declined");
        // An adapter with small buffers works on fewer sets at a time.
        let halves = (0..=SETS.ilog2()).map(|k| self.call.work(self.rows, thetas, SETS >> k));
        let fitting = halves.into_iter().find(|work| work.dispatches() == self.counters.dispatches);
        let Some(work) = fitting else {
            panic!(
                "{what}: {} dispatches, the model has {}",
                self.counters.dispatches,
                self.work.dispatches()
            );
        };
        assert_eq!(work.flops(), self.counters.flops, "{what}: flops");
        let bytes = self.counters.bytes_up + self.counters.bytes_down;
        assert!(work.bus().abs_diff(bytes) <= 4096, "{what}: {bytes} bytes, the model has {}", work.bus());
        self.work = work;
    }

    /// Seconds by a backend, and whether they were measured; else by the rate of the largest cell that was.
    fn seconds(&self, table: &[Self], backend: usize) -> (f64, bool) {
        if let Some(time) = self.times[backend] {
            return (time, true);
        }
        // The CPU's time for one call each is that for all.
        let like = if self.call == Call::OneByOne && backend < 2 { Call::Evidences } else { self.call };
        let rate = |row: &Self| Some(row.call.flops(row.rows as f64) / row.times[backend]?);
        let same = |row: &&Self| row.call.same(like) && row.times[backend].is_some() && row.rows <= self.rows;
        if let Some(row) = table.iter().filter(same).find(|row| row.rows == self.rows && row.call == like) {
            return (row.times[backend].unwrap_or(f64::NAN), true);
        }
        let largest = table.iter().filter(same).max_by_key(|row| (row.rows, row.call.flops(1.0) as u64));
        let flops = self.call.flops(self.rows as f64);
        (largest.and_then(rate).map_or(f64::NAN, |rate| flops / rate), false)
    }
}

fn print_measured(table: &[Row]) {
    println!("## Measured\n");
    println!(
        "Milliseconds, d = {DIMS}. `~`: not run, but from the flops per second of the largest cell of the same call.\n"
    );
    println!(
        "| call | n | plain | faer | GPU | GPU/plain | GPU/faer | dispatches | bus KB | Mflop | flop/byte |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for row in table {
        let times = [0, 1, 2].map(|backend| row.seconds(table, backend));
        let cells = times.map(|(seconds, run)| format!("{}{}", if run { "" } else { "~" }, ms(seconds)));
        let [plain, faer, gpu] = times.map(|(seconds, _)| seconds);
        let mark = if times[2].1 { "" } else { "~" };
        let (dispatches, bus, flops) = if row.times[2].is_some() {
            let c = row.counters;
            (c.dispatches, c.bytes_up + c.bytes_down, c.flops)
        } else {
            (row.work.dispatches(), row.work.bus(), row.work.flops())
        };
        println!(
            "| {} | {} | {} | {mark}{:.1} | {mark}{:.1} | {dispatches} | {} | {} | {:.1} |",
            row.call.name(),
            row.rows,
            cells.join(" | "),
            gpu / plain,
            gpu / faer,
            bus.div_ceil(1000),
            flops.div_ceil(1_000_000),
            row.work.intensity(),
        );
    }
    println!();
}

fn print_model(table: &[Row]) {
    let scalars = conversions();
    println!("## MODEL: not measured on any GPU\n");
    println!(
        "Faer: this run, one thread. The CPU narrows and compares {:.2}·10⁹ scalars a second.\n",
        scalars / 1e9
    );
    let names: Vec<String> = DEVICES.iter().map(|d| format!("{} | faer/it", d.name)).collect();
    println!(
        "| call | n | faer | {} |\n|---|--:|--:|{}",
        names.join(" | "),
        "--:|--:|".repeat(DEVICES.len())
    );
    for row in table.iter().filter(|row| row.call != Call::OneByOne) {
        let (faer, run) = row.seconds(table, 1);
        let cells = DEVICES.map(|device| {
            let seconds = expected(row, table, &device, scalars);
            format!("{} | {:.1}", ms(seconds), faer / seconds)
        });
        let mark = if run { "" } else { "~" };
        println!("| {} | {} | {mark}{} | {} |", row.call.name(), row.rows, ms(faer), cells.join(" | "));
    }
    println!("\n| call | device | wins from n on | twice as fast from n on |\n|---|---|--:|--:|");
    let mut calls: Vec<Call> = Vec::new();
    for row in table.iter().filter(|row| row.call != Call::OneByOne) {
        if !calls.contains(&row.call) {
            calls.push(row.call);
        }
    }
    for call in calls {
        for device in &DEVICES {
            // From there on at every larger size as well.
            let from = |factor: f64| {
                let rows = table.iter().rev().filter(|row| row.call == call);
                let wins = rows.take_while(|row| {
                    row.seconds(table, 1).0 >= factor * expected(row, table, device, scalars)
                });
                wins.last().map_or("–".to_string(), |row| row.rows.to_string())
            };
            println!("| {} | {} | {} | {} |", call.name(), device.name, from(1.0), from(2.0));
        }
    }
    print_candidates(table, scalars);
}

/// From how many candidates on a device should be quicker than faer, to a power of two.
fn print_candidates(table: &[Row], scalars: f64) {
    let names = DEVICES.map(|device| format!("m, {}", device.name));
    println!("\n| score: n | {} |\n|--:|{}", names.join(" | "), "--:|".repeat(DEVICES.len()));
    for row in table.iter().filter(|row| row.call == Call::Score(1000)) {
        let [plain, faer] = [0, 1].map(|backend| row.seconds(table, backend).0);
        let rate = row.call.flops(row.rows as f64) / plain;
        let cells = DEVICES.map(|device| {
            let wins = |&count: &usize| {
                let seconds = model::screen(row.rows, DIMS, count, KEEP).seconds(&device, scalars, rate);
                seconds < faer * count as f64 / 1000.0
            };
            (4..20).map(|power| 1 << power).find(wins).map_or("–".to_string(), |count| count.to_string())
        });
        println!("| {} | {} |", row.rows, cells.join(" | "));
    }
}

/// Seconds that a device should take.
fn expected(row: &Row, table: &[Row], device: &model::Paper, scalars: f64) -> f64 {
    let rows = row.rows;
    let thousand = table.iter().find(|other| other.rows == rows && other.call == Call::Score(1000));
    let rate = |backend: usize| {
        Call::Score(1000).flops(rows as f64) / thousand.map_or(f64::NAN, |row| row.seconds(table, backend).0)
    };
    let plain = rate(0);
    match row.call {
        // What the CPU does beside the candidates stays with it; faer scores the winners again.
        Call::Ask => row.work.seconds(device, scalars, rate(1)) + row.rest,
        // A GPU has room for all sets.
        Call::Evidences => {
            let thetas = DIMS + 1;
            model::evidence(rows, DIMS, thetas, SETS, SETS).seconds(device, scalars, plain)
        }
        _ => row.work.seconds(device, scalars, plain),
    }
}

/// Scalars per second that are narrowed and compared with what a device holds.
fn conversions() -> f64 {
    let wide: Vec<f64> = (0..packed(2048)).map(|i| i as f64).collect();
    let (held, mut narrow): (Vec<f32>, Vec<f32>) = (wide.iter().map(|&v| v as f32).collect(), Vec::new());
    let seconds = infill_benches::shortest(5, || {
        narrow.clear();
        narrow.extend(wide.iter().map(|&value| value as f32));
        assert!(held.iter().zip(&narrow).all(|(a, b)| a.to_bits() == b.to_bits()));
    });
    wide.len() as f64 / seconds
}

/// Milliseconds with three digits.
fn ms(seconds: f64) -> String {
    let value = 1e3 * seconds;
    let digits = if value < 1.0 {
        3
    } else if value < 10.0 {
        2
    } else {
        usize::from(value < 100.0)
    };
    format!("{value:.digits$}")
}

/// The CPU's name where the system tells it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(':').nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", name.unwrap_or("unnamed").trim())
}
