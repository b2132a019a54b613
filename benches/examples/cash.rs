//! Chooses among seven learners and tunes the chosen one, on data that ship with the learners: every strategy side by side.
//!
//! ```text
//! cargo run --release -p infill-benches --features learners --example cash -- [evaluations] [repetitions] [data set …]
//! ```
//!
//! The learners are those of smartcore, the objective the error of stratified 5-fold cross validation, the folds the same
//! for all. The space is that of the literature as far as there are such learners: logistic regression stands for boosting and
//! Bernoulli's naive Bayes for discriminants. A learner that panics or gives no number has failed.
//!
//! # References
//! Guo, "A new approach towards the combined algorithm selection and hyper-parameter optimization problem", 2019, §6.2.

use infill::compare::{Table, critical_difference, diagram};
use infill::{Condition, Param, Space, When};
use infill_tests::contest::{Way, conditional};
use infill_tests::random::SplitMix64;
use smartcore::dataset::{Dataset, boston, breast_cancer, diabetes, digits, iris};
use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::error::Failed;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
use smartcore::naive_bayes::bernoulli::{BernoulliNB, BernoulliNBParameters};
use smartcore::neighbors::knn_classifier::{KNNClassifier, KNNClassifierParameters};
use smartcore::svm::Kernels;
use smartcore::svm::svc::{SVC, SVCParameters};
use smartcore::tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Those that are compared.
const WAYS: [&str; 8] =
    ["random", "tpe", "smac", "gp-cond-ls", "ego-impute", "ego-ss", "ego-ws", "ego-baseline"];
const FOLDS: usize = 5;
/// Rows of a data set that are used; more only take longer.
const ROWS: usize = 400;
/// The seed of learners that are random.
const SEED: u64 = 1;

type Matrix = DenseMatrix<f64>;

/// The parameters of one learner.
type Scales = &'static [Param<'static>];

/// The learners with their parameters, in the order of [`errors`].
const LEARNERS: [(&str, Scales); 7] = [
    ("nearest neighbours", &[Param::integer(1, 30)]),
    ("support vectors, radial", &[Param::real(1e-5, 1e5).log(), Param::real(1e-5, 1e5).log()]),
    ("support vectors, linear", &[Param::real(1e-5, 1e5).log()]),
    ("tree", &[Param::integer(1, 10), Param::integer(2, 100), Param::integer(2, 100)]),
    (
        "forest",
        &[Param::integer(1, 30), Param::integer(1, 10), Param::integer(2, 100), Param::integer(2, 100)],
    ),
    ("logistic regression", &[Param::real(1e-5, 1e5).log()]),
    ("naive Bayes", &[Param::real(1e-3, 1e3).log(), Param::real(-2.0, 2.0)]),
];

/// Points to learn from and points to be tested on, standardised by the former.
struct Fold {
    train: Vec<Vec<f64>>,
    labels: Vec<u32>,
    test: Matrix,
    truth: Vec<u32>,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |usual: usize| args.next().map_or(usual, |a| a.parse().expect("a number"));
    let (evaluations, repetitions) = (number(40), number(2));
    let asked: Vec<String> = args.collect();
    let sets: Vec<_> =
        data().into_iter().filter(|(name, _)| asked.is_empty() || asked.iter().any(|a| a == name)).collect();
    assert!(!sets.is_empty(), "no data set of this name");
    let (params, conditions) = space();
    let space = Space::new(&params, &conditions).expect("a space");
    let mut ways: Vec<Way> = conditional(evaluations as u32);
    ways.retain(|way| WAYS.contains(&way.name));
    // A learner may panic; that is its failure, not a message.
    std::panic::set_hook(Box::new(|_| {}));

    let mut rows = Vec::new();
    let mut means = vec![Vec::new(); ways.len()];
    let mut seconds = vec![0.0; ways.len()];
    let (mut failures, mut chosen) = (0, vec![0; LEARNERS.len()]);
    for (_, folds) in &sets {
        let first = rows.len();
        for seed in 0..repetitions as u64 {
            let mut row = Vec::new();
            for (way, time) in ways.iter().zip(&mut seconds) {
                let start = Instant::now();
                let mut best = (f64::INFINITY, 0);
                let mut objective = |x: &[f64]| {
                    let learner = x[0] as usize;
                    let error = cross_validated(folds, learner, &x[first_of(learner)..]);
                    failures += usize::from(error.is_none());
                    if error.is_some_and(|error| error < best.0) {
                        best = (error?, learner);
                    }
                    error
                };
                way.run(&space, LEARNERS.len() as u32, seed, evaluations, &mut objective);
                *time += start.elapsed().as_secs_f64();
                chosen[best.1] += 1;
                row.push(best.0);
            }
            rows.push(row);
        }
        for (i, mean) in means.iter_mut().enumerate() {
            let sum: f64 = rows[first..].iter().map(|row: &Vec<f64>| row[i]).sum();
            mean.push(sum / repetitions as f64);
        }
    }
    let _ = std::panic::take_hook();

    println!("{evaluations} evaluations, {repetitions} repetitions; mean error in percent\n");
    print!("| strategy |");
    sets.iter().for_each(|(name, _)| print!(" {name} |"));
    println!(" mean | rank | s a run |\n|---|{}", "---|".repeat(sets.len() + 3));
    let table = Table::from_rows(&rows).expect("a table");
    let ranks = table.ranks();
    let runs = rows.len() as f64;
    for (i, way) in ways.iter().enumerate() {
        print!("| {} |", way.name);
        means[i].iter().for_each(|error| print!(" {:.2} |", 100.0 * error));
        let mean = means[i].iter().sum::<f64>() / means[i].len() as f64;
        println!(" {:.2} | {:.2} | {:.1} |", 100.0 * mean, ranks[i], seconds[i] / runs);
    }
    let names: Vec<&str> = ways.iter().map(|way| way.name).collect();
    if let Ok(difference) = critical_difference(ways.len(), rows.len(), 0.05) {
        println!("\n```text\n{}\n```", diagram(&names, &ranks, difference, 72).expect("ranks"));
    }
    println!("\nlearners that failed: {failures} of {} evaluations", rows.len() * ways.len() * evaluations);
    print!("chosen in the end:");
    LEARNERS.iter().zip(chosen).for_each(|((name, _), count)| print!(" {name} {count};"));
    println!();
}

/// The learner as a category, and the parameters of each.
fn space() -> (Vec<Param<'static>>, Vec<Condition<'static>>) {
    let mut params = vec![Param::categorical(LEARNERS.len() as u32)];
    let mut conditions = Vec::new();
    for (learner, (_, own)) in LEARNERS.iter().enumerate() {
        for &param in *own {
            conditions.push(Condition::new(params.len() as u32, 0, When::Equals(learner as f64)));
            params.push(param);
        }
    }
    (params, conditions)
}

/// The first parameter of a learner.
fn first_of(learner: usize) -> usize {
    1 + LEARNERS[..learner].iter().map(|(_, own)| own.len()).sum::<usize>()
}

/// The share of wrong answers over all folds; `None` if the learner failed on one.
fn cross_validated(folds: &[Fold], learner: usize, p: &[f64]) -> Option<f64> {
    let (mut wrong, mut all) = (0, 0);
    for fold in folds {
        let answers = catch_unwind(AssertUnwindSafe(|| answers(fold, learner, p))).ok()?.ok()?;
        if answers.len() != fold.truth.len() {
            return None;
        }
        wrong += answers.iter().zip(&fold.truth).filter(|(a, b)| a != b).count();
        all += fold.truth.len();
    }
    Some(wrong as f64 / all as f64)
}

/// What a learner says of the test points.
fn answers(fold: &Fold, learner: usize, p: &[f64]) -> Result<Vec<u32>, Failed> {
    let x = Matrix::from_2d_vec(&fold.train)?;
    let (y, test) = (&fold.labels, &fold.test);
    let tree = |p: &[f64]| (Some(p[0] as u16), p[1] as usize, p[2] as usize);
    match learner {
        0 => {
            KNNClassifier::fit(&x, y, KNNClassifierParameters::default().with_k(p[0] as usize))?.predict(test)
        }
        1 => separated(fold, p[0], &Kernels::rbf().with_gamma(p[1])),
        2 => separated(fold, p[0], &Kernels::linear()),
        3 => {
            let (max_depth, min_samples_split, min_samples_leaf) = tree(p);
            let seed = Some(SEED);
            let settings = DecisionTreeClassifierParameters {
                max_depth,
                min_samples_split,
                min_samples_leaf,
                seed,
                ..Default::default()
            };
            DecisionTreeClassifier::fit(&x, y, settings)?.predict(test)
        }
        4 => {
            let (max_depth, min_samples_split, min_samples_leaf) = tree(&p[1..]);
            let settings = RandomForestClassifierParameters {
                n_trees: p[0] as u16,
                max_depth,
                min_samples_split,
                min_samples_leaf,
                seed: SEED,
                ..Default::default()
            };
            RandomForestClassifier::fit(&x, y, settings)?.predict(test)
        }
        5 => LogisticRegression::fit(&x, y, LogisticRegressionParameters::default().with_alpha(p[0]))?
            .predict(test),
        _ => {
            let settings = BernoulliNBParameters::default().with_alpha(p[0]).with_binarize(p[1]);
            BernoulliNB::fit(&x, y, settings)?.predict(test)
        }
    }
}

/// Support vectors for every pair of classes; most votes count, of equal ones the first class.
fn separated(fold: &Fold, c: f64, kernel: &Kernels) -> Result<Vec<u32>, Failed> {
    let classes = 1 + fold.labels.iter().chain(&fold.truth).max().map_or(0, |&class| class as usize);
    let mut votes = vec![vec![0; classes]; fold.truth.len()];
    for high in 1..classes {
        for low in 0..high {
            let pair = |label: u32| label as usize == low || label as usize == high;
            let own = || fold.train.iter().zip(&fold.labels).filter(|(_, label)| pair(**label));
            let x = Matrix::from_2d_vec(&own().map(|(row, _)| row.clone()).collect())?;
            let y: Vec<i32> = own().map(|(_, &label)| if label as usize == high { 1 } else { -1 }).collect();
            let settings =
                SVCParameters::default().with_c(c).with_kernel(kernel.clone()).with_seed(Some(SEED));
            let model = SVC::fit(&x, &y, &settings)?;
            for (votes, answer) in votes.iter_mut().zip(model.predict(&fold.test)?) {
                votes[if answer > 0.0 { high } else { low }] += 1;
            }
        }
    }
    let most = |votes: &Vec<i32>| (0..classes).rev().max_by_key(|&class| votes[class]).unwrap_or(0) as u32;
    Ok(votes.iter().map(most).collect())
}

/// The data sets in folds.
fn data() -> Vec<(&'static str, Vec<Fold>)> {
    let numbers = |set: Dataset<f32, u32>| Dataset {
        data: set.data,
        target: set.target.into_iter().map(|t| t as f32).collect(),
        num_samples: set.num_samples,
        num_features: set.num_features,
        feature_names: set.feature_names,
        target_names: set.target_names,
        description: set.description,
    };
    vec![
        ("iris", folds(&numbers(iris::load_dataset()), false)),
        ("breast cancer", folds(&numbers(breast_cancer::load_dataset()), false)),
        ("digits", folds(&digits::load_dataset(), false)),
        ("diabetes", folds(&numbers(diabetes::load_dataset()), true)),
        ("boston", folds(&boston::load_dataset(), true)),
    ]
}

/// Stratified folds of at most [`ROWS`] rows drawn at random; a target that is a number becomes whether it is above the
/// median.
fn folds(set: &Dataset<f32, f32>, halve: bool) -> Vec<Fold> {
    let mut sorted = set.target.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let middle = sorted[sorted.len() / 2];
    let label = |row: usize| {
        let target = set.target[row];
        if halve { u32::from(target > middle) } else { target as u32 }
    };
    let mut order = SplitMix64::new(SEED).permutation(set.num_samples);
    order.truncate(ROWS);
    order.sort_by_key(|&row| label(row));
    let point = |row: usize| -> Vec<f64> {
        set.data[row * set.num_features..][..set.num_features].iter().map(|&v| f64::from(v)).collect()
    };
    let fold = |k: usize| {
        let part = |test: bool| -> Vec<usize> {
            let own = order.iter().enumerate().filter(|(i, _)| (i % FOLDS == k) == test);
            own.map(|(_, &row)| row).collect()
        };
        let [mut train, mut test] = [false, true].map(|t| part(t).into_iter().map(point).collect::<Vec<_>>());
        for j in 0..set.num_features {
            let n = train.len() as f64;
            let mean = train.iter().map(|x| x[j]).sum::<f64>() / n;
            let deviation = (train.iter().map(|x| (x[j] - mean).powi(2)).sum::<f64>() / n).sqrt();
            let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
            train.iter_mut().chain(&mut test).for_each(|x| x[j] = (x[j] - mean) * scale);
        }
        Fold {
            train,
            labels: part(false).into_iter().map(label).collect(),
            test: Matrix::from_2d_vec(&test).expect("rows of equal length"),
            truth: part(true).into_iter().map(label).collect(),
        }
    };
    (0..FOLDS).map(fold).collect()
}
