//! The data sets that ship with the learners, and parts of them, in folds.

use std::ops::Range;

use infill::transfer::features;
use infill_tests::random::SplitMix64;
use smartcore::dataset::{Dataset, boston, breast_cancer, diabetes, digits, iris};
use smartcore::linalg::basic::matrix::DenseMatrix;

const FOLDS: usize = 5;
/// Rows of a data set that are used; more only take longer.
const ROWS: usize = 400;

/// A data set for classification.
#[derive(Debug)]
pub struct Data {
    /// What it is called.
    pub name: &'static str,
    /// What it was made from: data sets of one origin know each other.
    pub origin: &'static str,
    /// Its meta-features, as [`features::all`] writes them.
    pub features: Vec<f64>,
    pub(super) folds: Vec<Fold>,
}

/// Points to learn from and points to be tested on, standardised by the former.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) train: Vec<Vec<f64>>,
    pub(super) labels: Vec<u32>,
    pub(super) test: DenseMatrix<f64>,
    pub(super) truth: Vec<u32>,
}

/// The data sets as they ship; a target that is a number becomes whether it is above the median.
#[must_use]
pub fn shipped() -> Vec<Data> {
    tables().iter().map(Table::whole).collect()
}

/// Those, and parts of them: some of the columns, some of the classes, classes put together, another quantile.
#[must_use]
pub fn with_parts() -> Vec<Data> {
    let tables = tables();
    let [iris, cancer, digits, diabetes, boston] = &tables;
    let class = |target: f32| Some(target as u32);
    let from = |first: u32| move |target: f32| (target as u32).checked_sub(first);
    let mut all: Vec<Data> = tables.iter().map(Table::whole).collect();
    all.extend([
        iris.part("iris, two classes", 0..4, from(1)),
        iris.part("iris, sepals", 0..2, class),
        cancer.part("breast cancer, means", 0..10, class),
        cancer.part("breast cancer, worst", 20..30, class),
        digits.part("digits from five on", 0..64, from(5)),
        digits.part("digits, parity", 0..64, |target| Some(target as u32 % 2)),
        diabetes.part("diabetes, upper quarter", 0..10, diabetes.above(0.75)),
        boston.part("boston, upper quarter", 0..13, boston.above(0.75)),
    ]);
    all
}

/// A data set as it ships.
struct Table {
    name: &'static str,
    /// Whether its target is a number.
    halve: bool,
    columns: usize,
    /// Row after row.
    points: Vec<f32>,
    target: Vec<f32>,
}

fn tables() -> [Table; 5] {
    fn table<T>(name: &'static str, halve: bool, set: Dataset<f32, T>, number: fn(T) -> f32) -> Table {
        let target = set.target.into_iter().map(number).collect();
        Table { name, halve, columns: set.num_features, points: set.data, target }
    }
    [
        table("iris", false, iris::load_dataset(), |class| class as f32),
        table("breast cancer", false, breast_cancer::load_dataset(), |class| class as f32),
        table("digits", false, digits::load_dataset(), |class| class),
        table("diabetes", true, diabetes::load_dataset(), |value| value as f32),
        table("boston", true, boston::load_dataset(), |value| value),
    ]
}

impl Table {
    fn whole(&self) -> Data {
        let above = self.above(0.5);
        let class = |target: f32| if self.halve { above(target) } else { Some(target as u32) };
        self.part(self.name, 0..self.columns, class)
    }

    /// Whether a target is above a quantile.
    fn above(&self, share: f64) -> impl Fn(f32) -> Option<u32> + use<> {
        let mut sorted = self.target.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let bound = sorted[(share * sorted.len() as f64) as usize];
        move |target| Some(u32::from(target > bound))
    }

    /// Some columns of the rows that have a label, at most [`ROWS`] of them drawn at random, in stratified folds.
    fn part(&self, name: &'static str, columns: Range<usize>, label: impl Fn(f32) -> Option<u32>) -> Data {
        let labels: Vec<Option<u32>> = self.target.iter().map(|&target| label(target)).collect();
        let mut order = SplitMix64::new(super::SEED).permutation(labels.len());
        order.retain(|&row| labels[row].is_some());
        order.truncate(ROWS);
        order.sort_by_key(|&row| labels[row]);
        let point = |row: usize| -> Vec<f64> {
            let own = &self.points[row * self.columns..][columns.clone()];
            own.iter().map(|&v| f64::from(v)).collect()
        };
        let points: Vec<Vec<f64>> = order.iter().map(|&row| point(row)).collect();
        let labels: Vec<u32> = order.iter().filter_map(|&row| labels[row]).collect();
        let by_column: Vec<f64> =
            (0..columns.len()).flat_map(|j| points.iter().map(move |point| point[j])).collect();
        let features = features::all(&by_column, &labels).expect("a data set").to_vec();
        let folds = (0..FOLDS).map(|k| fold(&points, &labels, k)).collect();
        Data { name, origin: self.name, features, folds }
    }
}

/// Every fifth row is tested on, the others are learnt from.
fn fold(points: &[Vec<f64>], labels: &[u32], k: usize) -> Fold {
    let part = |test: bool| (0..points.len()).filter(move |i| (i % FOLDS == k) == test);
    let of = |test: bool| part(test).map(|i| points[i].clone()).collect::<Vec<_>>();
    let (mut train, mut test) = (of(false), of(true));
    for j in 0..points[0].len() {
        let n = train.len() as f64;
        let mean = train.iter().map(|x| x[j]).sum::<f64>() / n;
        let deviation = (train.iter().map(|x| (x[j] - mean).powi(2)).sum::<f64>() / n).sqrt();
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        train.iter_mut().chain(&mut test).for_each(|x| x[j] = (x[j] - mean) * scale);
    }
    let own = |test: bool| part(test).map(|i| labels[i]).collect();
    let test = DenseMatrix::from_2d_vec(&test).expect("rows of equal length");
    Fold { train, labels: own(false), test, truth: own(true) }
}
