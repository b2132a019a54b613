//! Tunes a learner on one data set with what it taught on others, every method beside plain search.
//!
//! ```text
//! cargo run --release -p infill-benches --features learners --example transfer-learners -- [learner] [trials] [seeds] [data set …]
//! ```
//!
//! The learners are `tree`, `forest`, `vectors` (radial support vectors), `choice` (the seven of `cash` in one space with
//! conditions) or `all`; those with support vectors take an hour or more. The data sets are those of `cash` and parts of them. A source is a run of plain search on one of them, with the 22
//! meta-features of its data. Each data set is left out once, and with it all that were made from the same: the sources are about
//! other data. A method has reached what plain search has when its lowest error is no higher than the median of those that plain
//! search ends with.

use std::time::Instant;

use infill::compare::Table;
use infill::transfer::{Form, How, Sources, Start, Transfer, Weights};
use infill::{Baseline, Condition, Config, Param, Plain, Space};
use infill_benches::learners::data::{Data, with_parts};
use infill_benches::learners::{LEARNERS, cross_validated, first_of, quieten, space};
use infill_tests::regret::each_seed;
use infill_tests::study::Owned;
use infill_tests::summary::running_minimum;

/// The seed of the runs that become sources; others count from 0.
const GATHERED: u64 = 1 << 32;
/// The trials after which errors are ranked.
const RANKED: [usize; 4] = [5, 10, 20, 40];

/// What is tuned.
struct Problem {
    name: &'static str,
    params: Vec<Param<'static>>,
    conditions: Vec<Condition<'static>>,
    /// The number of the learner, if there is only one.
    learner: Option<usize>,
}

impl Problem {
    fn one(name: &'static str, learner: usize) -> Self {
        Self { name, params: LEARNERS[learner].1.to_vec(), conditions: vec![], learner: Some(learner) }
    }

    fn choice() -> Self {
        let (params, conditions) = space();
        Self { name: "choice", params, conditions, learner: None }
    }

    fn error(&self, data: &Data, point: &[f64]) -> Option<f64> {
        let learner = self.learner.unwrap_or(point[0] as usize);
        let own = if self.learner.is_some() { point } else { &point[first_of(learner)..] };
        cross_validated(data, learner, own)
    }
}

/// How the next point is chosen.
struct Method {
    name: &'static str,
    config: Config<'static>,
    /// Whether the sources are passed.
    helped: bool,
}

fn methods() -> Vec<Method> {
    const RANKS: Weights = Weights::Ranks { rho: 0.1 };
    let alone = |name, baseline| {
        let config = Config::default().with(|c| c.proposal.baseline = baseline);
        Method { name, config, helped: false }
    };
    let helped = |name, transfer| {
        let config = Config::default().with(|c| c.transfer = transfer);
        Method { name, config, helped: true }
    };
    let started = |start, trials, how| Transfer { start, trials, how, ..Transfer::default() };
    vec![
        alone(PLAIN, None),
        alone("random", Some(Baseline::Random)),
        helped("plain, nearest 5", started(Start::Nearest, 5, How::Alone)),
        helped("plain, cover 5", started(Start::Cover, 5, How::Alone)),
        helped("TST-R", started(Start::Cover, 1, How::Stage(RANKS))),
        helped("TAF-R", started(Start::Cover, 1, How::Value(RANKS))),
        helped("AHT", started(Start::Cover, 1, How::Function { alpha: 0.5, growth: 0 })),
        helped("transfer", Transfer::default()),
    ]
}

/// The method that others are measured by.
const PLAIN: &str = "plain";

/// What a run did.
#[derive(Clone, Default)]
struct Run {
    /// The lowest error after each trial; infinite before there is one.
    lowest: Vec<f64>,
    /// Seconds of an ask and its tell.
    seconds: f64,
}

/// Meta-data of a learner, and how long a run is.
struct Study<'a> {
    problem: &'a Problem,
    sets: &'a [Data],
    /// The source of each data set.
    sources: Vec<Vec<u64>>,
    trials: usize,
}

impl<'a> Study<'a> {
    /// Gathers a source of each data set.
    fn new(problem: &'a Problem, sets: &'a [Data], trials: usize) -> Self {
        let mut study = Self { problem, sets, sources: Vec::new(), trials };
        study.sources = each_seed(sets.len() as u64, |set| {
            let data = &sets[set as usize];
            let (_, optimizer) = study.run(&Config::default(), data, GATHERED + set, None);
            if optimizer.best().is_none() {
                // Every trial failed: there is nothing to tell others.
                return vec![];
            }
            let size = optimizer.source_size(Form::Means, data.features.len()).expect("one model");
            let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
            optimizer.export(Form::Means, &data.features, &mut work, &mut words).expect("a source");
            words
        });
        study
    }

    /// The sources that know nothing of a data set.
    fn without(&self, target: &Data) -> Vec<u64> {
        let sets = self.sets.iter().zip(&self.sources);
        sets.filter(|(data, _)| data.origin != target.origin).flat_map(|(_, words)| words.clone()).collect()
    }

    fn run(&self, config: &Config<'_>, data: &Data, seed: u64, sources: Option<&[u64]>) -> (Run, Owned) {
        let problem = self.problem;
        let space = Space::new(&problem.params, &problem.conditions).expect("a space");
        let config = Config { seed, ..*config };
        let sources = sources.map(|words| {
            let list = Sources::<f64>::attach(words).expect("sources");
            list.with_features(&data.features).expect("numbers")
        });
        let count = sources.map_or(0, |list| list.len() as u32);
        let trials = self.trials as u32;
        let limits = space.limits(trials).sources(count).source_rows(trials).suit(&config);
        let mut optimizer = Owned::with_limits(&space, &config, limits).expect("within its limits");
        let mut point = vec![0.0; problem.params.len()];
        let (mut errors, mut seconds) = (Vec::new(), 0.0);
        for _ in 0..self.trials {
            let start = Instant::now();
            let ask = match &sources {
                Some(list) => optimizer.ask_from(list, &mut Plain, &mut point),
                None => optimizer.ask(&mut point),
            };
            let id = ask.expect("a proposal").id;
            seconds += start.elapsed().as_secs_f64();
            let error = problem.error(data, &point);
            let start = Instant::now();
            match error {
                Some(error) => optimizer.tell(id, error).expect("an open trial"),
                None => optimizer.fail(id).expect("an open trial"),
            }
            seconds += start.elapsed().as_secs_f64();
            errors.push(error.unwrap_or(f64::INFINITY));
        }
        (Run { lowest: running_minimum(&errors), seconds: seconds / self.trials as f64 }, optimizer)
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let which = args.next().unwrap_or_else(|| "forest".into());
    let mut number = |usual: usize| args.next().map_or(usual, |a| a.parse().expect("a number"));
    let (trials, seeds) = (number(40), number(5));
    let asked: Vec<String> = args.collect();
    let mut problems = vec![
        Problem::one("tree", 3),
        Problem::one("forest", 4),
        Problem::one("vectors", 1),
        Problem::choice(),
    ];
    problems.retain(|problem| which == "all" || which == problem.name);
    assert!(!problems.is_empty() && trials > 0 && seeds > 0, "nothing to do");
    let sets = with_parts();
    let is_asked = |data: &Data| asked.is_empty() || asked.iter().any(|a| a == data.name);
    let targets: Vec<usize> = (0..sets.len()).filter(|&set| is_asked(&sets[set])).collect();
    assert!(!targets.is_empty(), "no data set of this name");
    let methods = methods();
    quieten();
    let measured: Vec<Vec<Vec<Vec<Run>>>> =
        problems.iter().map(|problem| measure(problem, &sets, &targets, &methods, trials, seeds)).collect();
    for (problem, runs) in problems.iter().zip(&measured) {
        println!("\n{}: {trials} trials, {seeds} seeds, {} data sets\n", problem.name, targets.len());
        let names: Vec<&str> = targets.iter().map(|&set| sets[set].name).collect();
        print(&names, &methods, runs, trials);
    }
}

/// The runs of each data set, method and seed.
fn measure(
    problem: &Problem,
    sets: &[Data],
    targets: &[usize],
    methods: &[Method],
    trials: usize,
    seeds: usize,
) -> Vec<Vec<Vec<Run>>> {
    let study = Study::new(problem, sets, trials);
    let each = methods.len() * seeds;
    let runs = each_seed((targets.len() * each) as u64, |k| {
        let k = k as usize;
        let (data, method) = (&sets[targets[k / each]], &methods[k % each / seeds]);
        let words = method.helped.then(|| study.without(data));
        study.run(&method.config, data, (k % seeds) as u64, words.as_deref()).0
    });
    runs.chunks_exact(each).map(|runs| runs.chunks_exact(seeds).map(<[Run]>::to_vec).collect()).collect()
}

/// The middle of some numbers, the lower of two.
fn middle<T: Copy + PartialOrd>(numbers: impl Iterator<Item = T>) -> T {
    let mut sorted: Vec<T> = numbers.collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    sorted[(sorted.len() - 1) / 2]
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

/// Prints when each method has what plain search ends with, and the ranks of their errors.
fn print(names: &[&str], methods: &[Method], runs: &[Vec<Vec<Run>>], trials: usize) {
    let plain = methods.iter().position(|method| method.name == PLAIN).expect("plain search");
    let last = |run: &Run| run.lowest[trials - 1];
    let goal = |of: &Vec<Vec<Run>>| middle(of[plain].iter().map(last));
    let (names, runs): (Vec<&str>, Vec<&Vec<Vec<Run>>>) = names
        .iter()
        .copied()
        .zip(runs)
        .filter(|(name, of)| {
            let found = goal(of) < f64::INFINITY;
            if !found {
                println!("left out: the learner fails on {name}\n");
            }
            found
        })
        .unzip();
    if runs.is_empty() {
        return;
    }
    let goals: Vec<f64> = runs.iter().map(|of| goal(of)).collect();
    // Later than the last trial is the one behind it.
    let reached = |run: &Run, goal: f64| run.lowest.iter().filter(|&&error| error > goal).count() + 1;
    let medians: Vec<Vec<usize>> = runs
        .iter()
        .zip(&goals)
        .map(|(of, &goal)| of.iter().map(|runs| middle(runs.iter().map(|run| reached(run, goal)))).collect())
        .collect();
    println!("trials until the error is what plain search has after {trials}, median over the seeds\n");
    let heads: String = methods.iter().map(|method| format!(" {} |", method.name)).collect();
    println!("| data set | error, % |{heads}\n|---|---|{}", "---|".repeat(methods.len()));
    let shown = |at: usize| if at > trials { format!("> {trials}") } else { at.to_string() };
    for ((name, goal), medians) in names.iter().zip(&goals).zip(&medians) {
        let cells: String = medians.iter().map(|&at| format!(" {} |", shown(at))).collect();
        println!("| {name} | {:.2} |{cells}", 100.0 * goal);
    }
    let at: Vec<usize> = RANKED.into_iter().filter(|&t| t <= trials).collect();
    let heads: String = at.iter().map(|t| format!(" rank @{t} |")).collect();
    println!("\n| method | median of these | sooner : later | not reached |{heads} error, % | ms an ask |");
    println!("|---|---|---|---|{}---|---|", "---|".repeat(at.len()));
    let ranks: Vec<Vec<f64>> = at.iter().map(|&t| ranks(&runs, t)).collect();
    for (m, method) in methods.iter().enumerate() {
        let side =
            |sign: std::cmp::Ordering| medians.iter().filter(|of| of[m].cmp(&of[plain]) == sign).count();
        let (sooner, later) = (side(std::cmp::Ordering::Less), side(std::cmp::Ordering::Greater));
        let all = || runs.iter().zip(&goals).flat_map(|(of, &goal)| of[m].iter().map(move |run| (run, goal)));
        let missed = all().filter(|&(run, goal)| last(run) > goal).count();
        let typical = shown(middle(medians.iter().map(|of| of[m])));
        let cells: String = ranks.iter().map(|ranks| format!(" {:.2} |", ranks[m])).collect();
        let error = mean(all().map(|(run, _)| last(run).min(1.0)).collect::<Vec<_>>().into_iter());
        let seconds = mean(all().map(|(run, _)| run.seconds).collect::<Vec<_>>().into_iter());
        println!(
            "| {} | {typical} | {sooner} : {later} | {missed} of {} |{cells} {:.2} | {:.1} |",
            method.name,
            all().count(),
            100.0 * error,
            1e3 * seconds
        );
    }
}

/// The average ranks of the methods after some trials, over data sets and seeds.
fn ranks(runs: &[&Vec<Vec<Run>>], trials: usize) -> Vec<f64> {
    let row = |of: &Vec<Vec<Run>>, seed: usize| -> Vec<f64> {
        // Ranks want numbers: without any, an error is as large as it can be.
        of.iter().map(|runs| runs[seed].lowest[trials - 1].min(1.0)).collect()
    };
    let rows: Vec<Vec<f64>> =
        runs.iter().flat_map(|of| (0..of[0].len()).map(move |seed| row(of, seed))).collect();
    Table::from_rows(&rows).expect("a table").ranks()
}
