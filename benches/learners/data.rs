//! The data sets that ship with the learners, in folds.

use infill_tests::random::SplitMix64;
use smartcore::dataset::{Dataset, boston, breast_cancer, diabetes, digits, iris};
use smartcore::linalg::basic::matrix::DenseMatrix;

const FOLDS: usize = 5;
/// Rows of a data set that are used; more only take longer.
const ROWS: usize = 400;
/// Points to learn from and points to be tested on, standardised by the former.
#[derive(Debug)]
pub struct Fold {
    pub(super) train: Vec<Vec<f64>>,
    pub(super) labels: Vec<u32>,
    pub(super) test: DenseMatrix<f64>,
    pub(super) truth: Vec<u32>,
}

/// The data sets in folds.
#[must_use]
pub fn data() -> Vec<(&'static str, Vec<Fold>)> {
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
    let mut order = SplitMix64::new(super::SEED).permutation(set.num_samples);
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
            test: DenseMatrix::from_2d_vec(&test).expect("rows of equal length"),
            truth: part(true).into_iter().map(label).collect(),
        }
    };
    (0..FOLDS).map(fold).collect()
}
