//! What all kinds promise.

use std::vec;
use std::vec::Vec;

use super::{Data, Forest, Kind, Settings, Size, Spread, View};
use crate::block::Arena;
use crate::error::Error;
use crate::limits::Limit;
use crate::linalg::packed;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::space::{Param, Space};
use crate::surrogate::Surrogate;

const TREE: Settings =
    Settings { kind: Kind::Random { bootstrap: false }, features: 1.0, leaf: 1, ..Settings::RANDOM };
const KINDS: [Settings; 3] = [Settings::RANDOM, Settings::EXTRA, Settings::BOOSTED];

struct Case<R> {
    x: Vec<R>,
    y: Vec<R>,
    levels: Vec<u64>,
}

impl<R: Real> Case<R> {
    /// Two numbers, then a coordinate for each entry of `levels`; the last one is missing in a third of the rows.
    fn new(rows: usize, levels: &[u64], seed: u64) -> Self {
        let mut generator = Generator::new(seed);
        let levels: Vec<u64> = [0, 0].iter().chain(levels).copied().collect();
        let (mut x, mut y) = (vec![], vec![]);
        for row in 0..rows {
            let start = x.len();
            for (j, &count) in levels.iter().enumerate() {
                let draw: f64 = rng::uniform(&mut generator);
                let gap = j > 1 && j + 1 == levels.len() && row % 3 == 1;
                let level = (draw * count as f64).floor();
                let snapped = if count > 0 { (level + 0.5) / count as f64 } else { draw };
                x.push(if gap { R::NAN } else { R::of(snapped) });
            }
            let point = &x[start..];
            let wave = point.iter().enumerate().map(|(j, u)| {
                let u = u.to_f64();
                if u.is_nan() { 0.7 } else { (3.0 * u * (j + 1) as f64).sin() * (1.0 + 5.0 * u).cos() }
            });
            y.push(R::of(wave.sum::<f64>() + 0.1 * rng::normal::<f64, _>(&mut generator)));
        }
        Self { x, y, levels }
    }

    fn dims(&self) -> usize {
        self.levels.len()
    }

    fn data(&self) -> Data<'_, R> {
        Data { x: &self.x, y: &self.y, levels: &self.levels }
    }

    /// The block of a fit.
    fn fit(&self, size: Size, settings: &Settings, seed: u64) -> Vec<u64> {
        let (mut block, mut work) = (vec![0; size.words::<R>()], vec![0; size.work::<R>()]);
        let mut forest = Forest::new(size, &mut block).unwrap();
        forest.fit(&self.data(), settings, &mut work, &mut Generator::new(seed)).unwrap();
        block
    }

    fn size(&self, trees: usize) -> Size {
        Size::full(self.y.len(), self.dims(), trees)
    }

    /// Predictions of a fit at some points.
    fn predict(&self, trees: usize, settings: &Settings, points: &[R]) -> (Vec<R>, Vec<R>) {
        let mut block = self.fit(self.size(trees), settings, 5);
        ask(self.size(trees), &mut block, points)
    }
}

fn taken(size: Size, block: &mut [u64]) -> Forest<'_> {
    Forest::carve(size, &mut Arena::new(block)).unwrap()
}

fn ask<R: Real>(size: Size, block: &mut [u64], points: &[R]) -> (Vec<R>, Vec<R>) {
    let forest = taken(size, block);
    let count = points.len() / size.dims;
    let (mut means, mut variances) = (vec![R::ZERO; count], vec![R::ZERO; count]);
    forest.trees().predict_many(points, &mut means, &mut variances).unwrap();
    (means, variances)
}

fn one_tree_reproduces<R: Real>() {
    for levels in [&[][..], &[3, 7], &[2, 64], &[200, 5], &[1 << 40, 1000]] {
        let case = Case::<R>::new(80, levels, 1);
        for settings in [TREE, Settings { leaf: 1, ..Settings::EXTRA }] {
            let (means, variances) = case.predict(1, &settings, &case.x);
            assert_eq!(means, case.y);
            assert!(variances.iter().all(|&v| v == R::ZERO));
        }
    }
}

#[test]
fn a_single_unbagged_tree_reproduces_its_values() {
    one_tree_reproduces::<f64>();
    one_tree_reproduces::<f32>();
}

/// No cut of the root gains anything, and the values differ in size by twenty orders.
#[test]
fn a_tree_splits_where_nothing_is_gained_and_where_values_are_tiny() {
    let x = [0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75];
    for levels in [[0, 0], [2, 2], [0, 2]] {
        let case = Case { x: x.to_vec(), y: vec![1.0, 0.0, 0.0, 1.0], levels: levels.to_vec() };
        assert_eq!(case.predict(1, &TREE, &case.x).0, case.y);
    }
    let y = vec![1e20, 1e-3, 2e-3, 3e-3 + 1e-18, 3e-3, -7.0];
    let case = Case { x: (0..6).map(|i| f64::from(i) / 6.0).collect(), y, levels: vec![0] };
    assert_eq!(case.predict(1, &TREE, &case.x).0, case.y);
}

#[test]
fn relabelling_categories_changes_no_bit() {
    let case = Case::<f64>::new(150, &[5, 64, 9], 2);
    let swap = |x: &[f64]| -> Vec<f64> {
        let move_one = |(i, &u): (usize, &f64)| {
            let count = case.levels[i % case.dims()];
            let level = (u * count as f64).floor() as u64;
            // 7 shares no factor with the counts, so that this is a permutation.
            if count == 0 || u.is_nan() {
                u
            } else {
                ((level * 7 + 3) % count) as f64 / count as f64 + 0.5 / count as f64
            }
        };
        x.iter().enumerate().map(move_one).collect()
    };
    let other = Case { x: swap(&case.x), y: case.y.clone(), levels: case.levels.clone() };
    let points = Case::<f64>::new(100, &[5, 64, 9], 3).x;
    for settings in KINDS {
        assert_eq!(case.predict(12, &settings, &points), other.predict(12, &settings, &swap(&points)));
    }
}

/// All ways to cut once, by hand: thresholds, subsets, and missing values on either side.
#[test]
fn the_first_cut_is_the_best_of_all() {
    for seed in 0..20 {
        for levels in [&[][..], &[6], &[2, 5]] {
            let case = Case::<f64>::new(24, levels, seed);
            let (means, _) = case.predict(1, &Settings { depth: 1, leaf: 2, ..TREE }, &case.x);
            let error = |mean: &dyn Fn(usize) -> f64| -> f64 {
                case.y.iter().enumerate().map(|(i, y)| (y - mean(i)).powi(2)).sum()
            };
            let found = error(&|i| means[i]);
            let mut least = f64::INFINITY;
            let mut judge = |left: &dyn Fn(usize) -> bool| {
                let side = |on: bool| {
                    let some: Vec<f64> = (0..24).filter(|&i| left(i) == on).map(|i| case.y[i]).collect();
                    (some.iter().sum::<f64>() / some.len() as f64, some.len())
                };
                let ((a, m), (b, n)) = (side(true), side(false));
                if m >= 2 && n >= 2 {
                    least = least.min(error(&|i| if left(i) { a } else { b }));
                }
            };
            for (j, &count) in case.levels.iter().enumerate() {
                let at = |i: usize| case.x[i * case.dims() + j];
                for lost in [false, true] {
                    if count == 0 {
                        for k in 0..24 {
                            judge(&|i| if at(i).is_nan() { lost } else { at(i) <= at(k) });
                        }
                    } else {
                        for mask in 0..1u64 << count {
                            let bit = |u: f64| mask >> (u * count as f64) as u64 & 1 == 1;
                            judge(&|i| if at(i).is_nan() { lost } else { bit(at(i)) });
                        }
                    }
                }
            }
            assert!((found - least).abs() <= 1e-12 * least, "{seed} {levels:?}: {found} {least}");
        }
    }
}

/// Values of scikit-learn 1.9.1: `DecisionTreeRegressor(max_depth=3, min_samples_leaf=2)`, then
/// `GradientBoostingRegressor(n_estimators=10, max_depth=2)`, then the same with `max_depth=1` and the quantiles 0.16 and
/// 0.84, started from the values at ranks ⌈q n⌉.
#[test]
fn trees_and_boosting_agree_with_another_library() {
    let x: Vec<f64> = (0..24).map(|i| f64::from(i * 29 % 64) / 64.0).collect();
    let y = (0..24).map(|i| f64::from((i * i * 7 + 3 * i) % 31) / 8.0 + 2.0 * x[i as usize]).collect();
    let case = Case { x, y, levels: vec![0] };
    let points = [0.046875, 0.296875, 0.546875, 0.796875, 0.96875];
    let (means, _) = case.predict(1, &Settings { depth: 3, leaf: 2, ..TREE }, &points);
    let tree = [0.6354166666666666, 1.984375, 3.28125, 2.8072916666666665, 2.8072916666666665];
    let boosted =
        [1.5774849780131346, 2.4520404011506463, 2.8523488374565984, 2.8952346366879276, 2.8952346366879276];
    let low = [0.76370454105, 1.6368035504249998, 1.6368035504249998, 1.6368035504249998, 1.6368035504249998];
    let high = [3.5014386037593748, 3.5014386037593748, 3.5014386037593748, 3.9695759749375, 3.9695759749375];
    let (boost, _) = case.predict(30, &Settings { depth: 2, ..Settings::BOOSTED }, &points);
    let (_, variances) = case.predict(30, &Settings { depth: 1, ..Settings::BOOSTED }, &points);
    for i in 0..5 {
        assert!((means[i] - tree[i]).abs() < 1e-14);
        assert!((boost[i] - boosted[i]).abs() < 1e-12, "{} {}", boost[i], boosted[i]);
        // Φ⁻¹(0.84) − Φ⁻¹(0.16)
        let deviation = (high[i] - low[i]) / 1.988_915_766_325_94;
        assert!((variances[i].sqrt() - deviation).abs() < 1e-9, "{} {deviation}", variances[i].sqrt());
    }
}

/// The same with two features, one of them missing in every fifth row; `DecisionTreeRegressor` as above.
#[test]
fn missing_values_agree_with_another_library() {
    let (mut x, mut y) = (vec![], vec![]);
    for i in 0..24 {
        let lost = i % 5 == 0;
        x.extend([
            f64::from(i * 29 % 64) / 64.0,
            if lost { f64::NAN } else { f64::from(i * 11 % 32) / 32.0 },
        ]);
        y.push(
            f64::from((i * i * 7 + 3 * i) % 31) / 8.0
                + 2.0 * x[2 * i as usize]
                + if lost { 3.0 } else { 0.0 },
        );
    }
    let case = Case { x, y, levels: vec![0, 0] };
    let (means, _) = case.predict(1, &Settings { depth: 3, leaf: 2, ..TREE }, &case.x);
    let (a, b, c, d, e) = (3.5625, 2.4722222222222223, 2.9427083333333335, 3.75, 5.5625);
    let f = 3.515625;
    let theirs = [a, b, b, c, b, d, c, b, b, c, e, f, c, b, b, e, b, e, c, b, a, c, f, d];
    for (ours, theirs) in means.iter().zip(theirs) {
        assert!((ours - theirs).abs() < 1e-14, "{ours} {theirs}");
    }
}

#[test]
fn what_is_missing_can_be_all_that_matters() {
    let x: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { f64::NAN } else { 0.5 }).collect();
    let y: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
    for levels in [0, 4] {
        let case = Case { x: x.clone(), y: y.clone(), levels: vec![levels] };
        for settings in [TREE, Settings::EXTRA] {
            assert_eq!(case.predict(1, &settings, &[f64::NAN, 0.5]).0, [0.0, 1.0]);
        }
        let all = Case { x: vec![f64::NAN; 20], y: y.clone(), levels: vec![levels] };
        assert_eq!(all.predict(1, &TREE, &[f64::NAN, 0.3]).0, [0.5, 0.5]);
    }
    // A category, or a gap, that a node has not seen goes where most rows went.
    let case = Case { x: vec![0.125, 0.125, 0.125, 0.375], y: vec![1.0, 1.0, 1.0, 9.0], levels: vec![4] };
    assert_eq!(case.predict(1, &TREE, &[0.625, f64::NAN, 0.375]).0, [1.0, 1.0, 9.0]);
}

#[test]
fn variances_are_those_of_their_formulas() {
    let case = Case::<f64>::new(120, &[4], 4);
    let points = Case::<f64>::new(50, &[4], 9).x;
    let size = case.size(15);
    for settings in [Settings::RANDOM, Settings { leaf: 4, ..Settings::EXTRA }] {
        let across = Settings { spread: Spread::Across, ..settings };
        let mut block = case.fit(size, &settings, 5);
        let (means, total) = ask(size, &mut block, &points);
        let (same, plain) = ask(size, &mut case.fit(size, &across, 5), &points);
        assert_eq!(means, same);
        let forest = taken(size, &mut block);
        let trees = forest.trees::<f64>();
        let mut all = vec![vec![0.0; 50]; 15];
        for (i, point) in points.chunks_exact(case.dims()).enumerate() {
            trees.predict_each(point, |tree, _, mean| all[tree][i] = mean).unwrap();
        }
        for i in 0..50 {
            let mean = all.iter().map(|m| m[i]).sum::<f64>() / 15.0;
            let squares: f64 = all.iter().map(|m| (m[i] - mean).powi(2)).sum();
            assert!((means[i] - mean).abs() < 1e-14);
            assert!((plain[i] - squares / 14.0).abs() < 1e-14);
            // What the leaves add is not negative.
            assert!(total[i] > squares / 15.0 - 1e-14);
        }
        assert!(total.iter().zip(&plain).any(|(t, p)| t > p));
    }
    // One leaf of all rows: the population variance.
    let (mean, variance) = case.predict(3, &Settings { depth: 0, ..TREE }, &points);
    let expected = case.y.iter().sum::<f64>() / 120.0;
    let spread = case.y.iter().map(|y| (y - expected).powi(2)).sum::<f64>() / 120.0;
    assert!((mean[0] - expected).abs() < 1e-14 && (variance[0] - spread).abs() < 1e-13);
    let floor = Settings { floor: 0.25, ..TREE };
    assert!(case.predict(1, &floor, &case.x).1.iter().all(|&v| v == 0.25));
}

#[test]
fn variance_is_never_negative_and_seeds_repeat() {
    fn run<R: Real>() {
        let case = Case::<R>::new(200, &[3, 100], 6);
        let points = Case::<R>::new(101, &[3, 100], 7).x;
        for settings in KINDS {
            let size = case.size(21);
            let mut first = case.fit(size, &settings, 1);
            let (means, variances) = ask(size, &mut first, &points);
            assert!(variances.iter().all(|&v| v >= R::ZERO && v.is_finite()));
            assert!(means.iter().all(|v| v.is_finite()));
            assert_eq!(first, case.fit(size, &settings, 1));
            if !matches!(settings.kind, Kind::Boosted { .. }) {
                assert_ne!(first, case.fit(size, &settings, 2));
            }
        }
    }
    run::<f64>();
    run::<f32>();
}

#[test]
fn constant_values_and_one_row_are_one_leaf() {
    for settings in KINDS {
        let case = Case { x: vec![0.1, 0.5, 0.9], y: vec![7.1; 3], levels: vec![0] };
        assert_eq!(case.predict(3, &settings, &[0.2, 0.8]), (vec![7.1; 2], vec![0.0; 2]));
        let case = Case { x: vec![0.1], y: vec![-3.3], levels: vec![0] };
        assert_eq!(case.predict(3, &settings, &[0.2]), (vec![-3.3], vec![0.0]));
    }
    // Points told twice: their mean, and their variance in the leaf.
    let case = Case { x: vec![0.1, 0.1, 0.9, 0.9], y: vec![1.0, 3.0, 5.0, 5.0], levels: vec![0] };
    assert_eq!(case.predict(1, &TREE, &[0.0, 1.0]), (vec![2.0, 5.0], vec![1.0, 0.0]));
}

#[test]
fn a_full_node_array_makes_leaves() {
    let case = Case::<f64>::new(100, &[5], 8);
    for settings in KINDS {
        let mut last = f64::INFINITY;
        for nodes in [6, 7, 20, 42, 200, 2000] {
            let size = Size { nodes, ..case.size(6) };
            let mut block = case.fit(size, &settings, 3);
            let (means, _) = ask(size, &mut block, &case.x);
            assert!(taken(size, &mut block).trees::<f64>().nodes() <= nodes);
            let error: f64 = means.iter().zip(&case.y).map(|(m, y)| (m - y).powi(2)).sum();
            assert!(error <= last * 1.05, "{settings:?} {nodes}");
            last = error;
        }
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let case = Case::<f64>::new(20, &[3], 9);
    let size = case.size(4);
    let mut block = case.fit(size, &Settings::RANDOM, 1);
    let kept = block.clone();
    let mut work = vec![0; size.work::<f64>()];
    let mut forest = taken(size, &mut block);
    let mut fit = |data: &Data<'_, f64>, settings: &Settings, work: &mut [u64]| {
        forest.fit(data, settings, work, &mut Generator::new(1))
    };
    let data = case.data();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut y = case.y.clone();
        y[3] = bad;
        assert_eq!(fit(&Data { y: &y, ..data }, &Settings::RANDOM, &mut work), Err(Error::NotFinite));
    }
    let mut x = case.x.clone();
    x[0] = f64::NEG_INFINITY;
    assert_eq!(fit(&Data { x: &x, ..data }, &Settings::RANDOM, &mut work), Err(Error::NotFinite));
    assert_eq!(fit(&Data { x: &[], y: &[], ..data }, &Settings::RANDOM, &mut work), Err(Error::NoData));
    assert!(matches!(fit(&Data { x: &x[1..], ..data }, &TREE, &mut work), Err(Error::Shape { .. })));
    assert!(matches!(fit(&Data { levels: &[0], ..data }, &TREE, &mut work), Err(Error::Shape { .. })));
    let short = work.len() - 1;
    assert_eq!(fit(&data, &TREE, &mut work[..short]), Err(Error::Memory { needed: short + 1 }));
    for settings in [
        Settings { features: 0.0, ..TREE },
        Settings { features: f64::NAN, ..TREE },
        Settings { leaf: 0, ..TREE },
        Settings { depth: u32::MAX, ..TREE },
        Settings { floor: -1.0, ..TREE },
        Settings { kind: Kind::Boosted { rate: 0.1, share: 1.0, low: 0.9, high: 0.1 }, ..TREE },
        Settings { kind: Kind::Boosted { rate: 0.0, share: 1.0, low: 0.1, high: 0.9 }, ..TREE },
    ] {
        assert_eq!(fit(&data, &settings, &mut work), Err(Error::Config));
    }
    let trees = forest.trees::<f64>();
    assert!(matches!(trees.predict_many(&[0.0], &mut [0.0], &mut [0.0]), Err(Error::Shape { .. })));
    assert_eq!(block, kept);

    let refused = Forest::new(Size { nodes: 3, ..size }, &mut block);
    assert!(matches!(refused, Err(Error::Limits(need)) if need.limit() == Limit::TreeNodes));
    let mut few = vec![0; size.words::<f64>() - 1];
    assert_eq!(Forest::new(size, &mut few).unwrap_err(), Error::Memory { needed: few.len() + 1 });
    let empty = Forest::new(size, &mut block).unwrap();
    assert_eq!(empty.trees::<f64>().predict_many(&[0.0; 3], &mut [0.0], &mut [0.0]), Err(Error::NoData));
}

#[test]
fn huge_values_stay_finite() {
    for settings in KINDS {
        let y = vec![f64::MAX, -f64::MAX, f64::MAX, 1.0, f64::MIN_POSITIVE, 0.0];
        let case = Case { x: vec![f64::MAX, -f64::MAX, 0.0, 1.0, 2.0, 3.0], y, levels: vec![0] };
        let (means, variances) = case.predict(6, &settings, &case.x);
        assert!(variances.iter().all(|v| *v >= 0.0), "{variances:?}");
        assert_eq!(means.len(), 6);
    }
}

/// Each word damaged: some answer, without a panic.
#[test]
fn damaged_blocks_are_harmless() {
    let case = Case::<f64>::new(12, &[3, 80], 10);
    for settings in KINDS {
        let size = Size { nodes: 40, ..case.size(3) };
        let block = case.fit(size, &settings, 1);
        for i in 0..block.len() {
            for damage in [1, 2, 4, 1 << 20, 1 << 33, 1 << 63, u64::MAX, block[i], 0x7FF << 52] {
                let mut copy = block.clone();
                copy[i] ^= damage;
                let forest = taken(size, &mut copy);
                let _ = forest.trees().predict_many(&case.x, &mut [0.0; 12], &mut [0.0; 12]);
            }
        }
    }
}

#[test]
fn joint_predictions_agree_with_the_trees() {
    let case = Case::<f64>::new(60, &[4], 11);
    let points = Case::<f64>::new(7, &[4], 12).x;
    for settings in KINDS {
        let size = case.size(30);
        let mut block = case.fit(size, &settings, 2);
        let (means, variances) = ask(size, &mut block, &points);
        let forest = taken(size, &mut block);
        let mut anchors = vec![0.0; View::<f64>::anchor_scalars(30, 7)];
        let mut view = View { trees: forest.trees(), anchors: &mut anchors, anchored: 0 };
        assert!(!view.smooth(0));
        let (mut joint, mut matrix) = ([0.0; 7], [0.0; packed(7)]);
        view.anchor(&points, &mut joint, &mut matrix).unwrap();
        let mut covariances = [0.0; 7];
        for i in 0..7 {
            let own = view.against(&points[i * 3..][..3], &mut covariances).unwrap();
            assert_eq!((own.mean, own.variance), (means[i], variances[i]));
            assert_eq!((joint[i], matrix[packed(i) + i]), (means[i], variances[i]));
            assert_eq!(covariances[..i], matrix[packed(i)..packed(i) + i]);
            assert!(covariances[i] <= variances[i] * (1.0 + 1e-12));
        }
        view.anchors = &mut [];
        assert!(matches!(view.anchor(&points, &mut joint, &mut matrix), Err(Error::Shape { .. })));
    }
    // Against the definition: the covariance of the means of the trees.
    let size = case.size(30);
    let mut block = case.fit(size, &Settings { spread: Spread::Across, ..Settings::RANDOM }, 2);
    let forest = taken(size, &mut block);
    let trees = forest.trees::<f64>();
    let mut anchors = vec![0.0; View::<f64>::anchor_scalars(30, 2)];
    let (mut joint, mut matrix) = ([0.0; 2], [0.0; 3]);
    View { trees, anchors: &mut anchors, anchored: 0 }.anchor(&points[..6], &mut joint, &mut matrix).unwrap();
    let mut all = [[0.0; 2]; 30];
    for (i, point) in points[..6].chunks_exact(3).enumerate() {
        trees.predict_each(point, |tree, _, mean| all[tree][i] = mean - joint[i]).unwrap();
    }
    let sum: f64 = all.iter().map(|[a, b]| a * b).sum();
    assert!((matrix[1] - sum / 29.0).abs() < 1e-14);
}

#[test]
fn levels_come_from_the_space() {
    let params = [Param::real(0.0, 1.0), Param::categorical(5), Param::integer(1, 9)];
    let space = Space::new(&params, &[]).unwrap();
    let mut words = [0; 64];
    space.write(&mut words).unwrap();
    let domain = crate::space::Domain::attach::<f64>(&words).unwrap();
    let mut out = [9; 3];
    super::levels(&domain, &mut out).unwrap();
    assert_eq!(out, [0, 5, 0]);
    assert_eq!(super::levels(&domain, &mut out[..2]), Err(Error::Shape { needed: 3 }));
}

/// The state is as large for every scalar, and what is carved is what is counted.
#[test]
fn sizes_are_exact() {
    const SIZE: Size = Size { rows: 30, dims: 3, trees: 5, nodes: 100 };
    const WORDS: usize = SIZE.words::<f32>();
    assert_eq!(WORDS, SIZE.words::<f64>());
    let mut block = [0; WORDS];
    let mut arena = Arena::new(&mut block);
    Forest::carve(SIZE, &mut arena).unwrap();
    assert_eq!(arena.used, WORDS);
    assert_eq!(Size { nodes: usize::MAX, ..SIZE }.words::<f64>(), usize::MAX);
    assert_eq!(Size::full(usize::MAX, usize::MAX, 2).work::<f64>(), usize::MAX);
    assert_eq!(Size::full(usize::MAX, 1, 1).work::<f32>(), usize::MAX);
}
