//! Learners of smartcore with their parameters, and the error of one on a data set.
//!
//! The objective is the error of stratified 5-fold cross validation, the folds the same for all. A learner that panics or gives no
//! number has failed.

pub mod data;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use data::{Data, Fold};
use infill::{Condition, Param, When};
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

/// The seed of learners that are random.
const SEED: u64 = 1;

type Matrix = DenseMatrix<f64>;

/// The parameters of one learner.
pub type Scales = &'static [Param<'static>];

/// The learners with their parameters, each at the place of its number.
pub const LEARNERS: [(&str, Scales); 7] = [
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

/// The learner as a category, and the parameters of each.
#[must_use]
pub fn space() -> (Vec<Param<'static>>, Vec<Condition<'static>>) {
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
#[must_use]
pub fn first_of(learner: usize) -> usize {
    1 + LEARNERS[..learner].iter().map(|(_, own)| own.len()).sum::<usize>()
}

thread_local! {
    /// Whether a learner is at work.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Lets the panic of a learner be its failure, and no message.
pub fn quieten() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !AT_WORK.get() {
            usual(panic);
        }
    }));
}

/// The share of wrong answers over all folds; `None` if the learner failed on one.
#[must_use]
pub fn cross_validated(data: &Data, learner: usize, p: &[f64]) -> Option<f64> {
    let (mut wrong, mut all) = (0, 0);
    for fold in &data.folds {
        AT_WORK.set(true);
        let answers = catch_unwind(AssertUnwindSafe(|| answers(fold, learner, p)));
        AT_WORK.set(false);
        let answers = answers.ok()?.ok()?;
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
