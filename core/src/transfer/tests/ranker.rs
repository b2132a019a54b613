//! The ranking support vector machine, and the process over its outputs.

use std::vec;
use std::vec::Vec;

use super::helped::{knowledge, source, valley, valleys, with_past};
use crate::block::Scratch;
use crate::error::Error;
use crate::rng::{Generator, normal};
use crate::surrogate::Surrogate;
use crate::transfer::knowledge::{Count, Told};
use crate::transfer::pooled::Room;
use crate::transfer::pooled::inputs::Inputs;
use crate::transfer::pooled::ranker::order::{NUMBER, Order, Rows, WAVES, Waves, loss};
use crate::transfer::pooled::ranker::{Ranker, rank};

const ROOM: Room = Room { sources: 4, rows: 21, trials: 8, dims: 2, thetas: 8 };

/// Random numbers in place of features.
fn features(rows: usize) -> Vec<f64> {
    let g = &mut Generator::new(9);
    (0..rows * WAVES).map(|_| 0.2 * normal::<f64, _>(g)).collect()
}

/// C of the pairs of two data sets.
const COSTS: [f64; 2] = [0.01, 0.3];

/// Of two data sets, with equal values in one; pairs are of one data set.
#[test]
fn the_gradient_of_the_primal_is_its_slope() {
    let features = features(9);
    let sets = [&[0.3, 0.1, 0.3, 0.8, 0.2][..], &[1.0, -1.0, 5.0, 4.0]];
    let mut weights: Vec<f64> = features.iter().take(WAVES).map(|w| 3.0 * w).collect();
    let of = |weights: &[f64], gradient: &mut [f64]| {
        let mut each = |rows: &mut dyn FnMut(Rows<'_, f64>)| {
            sets.into_iter().zip(COSTS).for_each(|(values, cost)| rows(Rows { values, cost }));
            Ok(())
        };
        loss(weights, &features, &mut each, [&mut [0.0; 5], &mut [0.0; 5]], gradient).unwrap()
    };
    let mut gradient = vec![0.0; WAVES];
    let value = of(&weights, &mut gradient);
    // The definition, pair by pair.
    let mut direct = weights.iter().map(|w| 0.5 * w * w).sum::<f64>();
    let mut first = 0;
    for (values, cost) in sets.into_iter().zip(COSTS) {
        let score = |i: usize| -> f64 {
            let psi = &features[(first + i) * WAVES..(first + i + 1) * WAVES];
            psi.iter().zip(&weights).map(|(p, w)| p * w).sum()
        };
        for i in 0..values.len() {
            for j in (0..values.len()).filter(|&j| values[i] > values[j]) {
                direct += cost * (1.0 - (score(i) - score(j))).max(0.0).powi(2);
            }
        }
        first += values.len();
    }
    assert!((value - direct).abs() < 1e-12 * direct, "{value} {direct}");
    for i in 0..WAVES {
        let mut shifted = |shift: f64| {
            weights[i] += shift;
            let value = of(&weights, &mut vec![0.0; WAVES]);
            weights[i] -= shift;
            value
        };
        let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
        assert!((gradient[i] - slope).abs() < 1e-8, "{i}: {} {slope}", gradient[i]);
    }
}

/// The scores of a mesh by the ranking of some sources and of what was told.
fn scores(words: &[u64], told: &[f64]) -> Vec<f64> {
    let mut memory = Vec::new();
    let mut known = knowledge(words, &[], &mut memory);
    with_past(told, |past| {
        known.read(Count::All, past).unwrap();
        let row = |j: usize| (&past.points[2 * j..2 * j + 2], Some(told[j]));
        let run = Told { row: &row, count: told.len() };
        let mut work = vec![0.0; Ranker::<f64>::scalars(&ROOM)];
        let mut work = Scratch::new(&mut work);
        let inputs = Inputs::carve(&mut work, &known, known.largest().unwrap().tape(), 2).unwrap();
        let waves = Waves::draw(&mut work, inputs, 2, &mut Generator::new(2)).unwrap();
        let mut order = Order::carve(&mut work, 21).unwrap();
        let values = work.take(told.len()).unwrap();
        let (count, phases) = rank(&mut order, &waves, &known, &run, values, work.rest()).unwrap();
        assert_eq!(count, told.len());
        let mut psi = [0.0; WAVES];
        let point = |i: usize| [f64::from(i as u32 / 3) / 6.0, (f64::from(i as u32 % 3) + 0.5) / 3.0];
        (0..21)
            .map(|i| {
                waves.write(&phases, &point(i), &mut psi);
                order.score(&psi)
            })
            .collect()
    })
}

#[test]
fn any_monotone_scale_of_a_source_ranks_the_same() {
    let told = [0.3, 0.17, 0.1, 0.02];
    let with = |first: &dyn Fn(f64) -> f64| {
        let first = source(|x| first(valley(x, 0.57)), &[]);
        scores(&[first, source(|x| valley(x, 0.7), &[])].concat(), &told)
    };
    let plain = with(&|y| y);
    assert!(plain.iter().any(|&score| score != plain[0]));
    assert_eq!(with(&|y| 1e3 * y - 7.0), plain);
    assert_eq!(with(&|y| (5.0 * y).exp()), plain);
    assert_eq!(with(&|y| (y + 0.01).ln()), plain);
    assert_ne!(with(&|y| -y), plain);
}

/// Rising in the first coordinate, and from category to category: of all pairs of the mesh that one or the other tells apart by
/// more than it takes to be equal, none is the wrong way round.
#[test]
fn a_noiseless_order_is_found() {
    let rising = |x: &[f64]| 3.0 * x[0] + x[1];
    let scores = scores(&source(rising, &[]), &[0.1]);
    let value = |i: usize| rising(&[f64::from(i as u32 / 3) / 6.0, f64::from(i as u32 % 3)]);
    let mut pairs = 0;
    for i in 0..21 {
        for j in (0..21).filter(|&j| value(i) > value(j) + 1e-9) {
            assert!(scores[i] > scores[j], "{i} {j}");
            pairs += 1;
        }
    }
    assert!(pairs > 190, "{pairs}");
}

/// What was told turns an order that the sources agree on.
#[test]
fn the_run_counts_more_than_a_source() {
    let values = [0.02, 0.1, 0.17, 0.3, 0.5];
    // Those of the second category.
    let own = |told: &[f64]| -> Vec<f64> {
        scores(&valleys(), told).into_iter().skip(1).step_by(3).take(values.len()).collect()
    };
    assert!(own(&values[..1]).is_sorted_by(|one, next| one > next));
    let turned = own(&values);
    assert!(turned.is_sorted(), "{turned:?}");
}

/// On average over what is drawn, products of features are a Gaussian kernel.
#[test]
fn waves_are_a_gaussian_kernel() {
    let words = valleys();
    let mut memory = Vec::new();
    let known = knowledge(&words, &[], &mut memory);
    let (a, b) = ([0.2, 0.5], [0.5, 0.5]);
    let mut sum = 0.0;
    for seed in 0..200 {
        let mut work = vec![0.0; Inputs::<f64>::scalars(2) + Waves::<f64>::scalars(2)];
        let mut work = Scratch::new(&mut work);
        let inputs = Inputs::carve(&mut work, &known, known.largest().unwrap().tape(), 2).unwrap();
        let waves = Waves::draw(&mut work, inputs, 2, &mut Generator::new(seed)).unwrap();
        let phases = waves.phases(&[]);
        let (mut one, mut other) = ([0.0; WAVES], [0.0; WAVES]);
        waves.write(&phases, &a, &mut one);
        waves.write(&phases, &b, &mut other);
        sum += one.iter().zip(&other).map(|(a, b)| a * b).sum::<f64>() / 200.0;
    }
    let kernel = (-0.5 * (0.3 / NUMBER).powi(2)).exp();
    // A product of two cosines times two has a variance below 2.
    let error = (2.0 / (200.0 * WAVES as f64)).sqrt();
    assert!((sum - kernel).abs() < 4.0 * error, "{sum} {kernel}");
}

/// A ranker that was told some values on the line of the second category, the last of which wait.
fn told<T>(
    words: &[u64],
    values: &[f64],
    open: usize,
    seed: u64,
    then: impl FnOnce(&mut Ranker<'_, f64>, f64) -> T,
) -> T {
    let (mut memory, mut work) = (Vec::new(), vec![0.0; Ranker::<f64>::scalars(&ROOM)]);
    let mut known = knowledge(words, &[], &mut memory);
    with_past(values, |past| {
        known.read(Count::All, past).unwrap();
        let row = |j: usize| {
            let value = values.get(j).copied().filter(|_| j < values.len() - open);
            (&past.points[2 * j..2 * j + 2], value)
        };
        let run = Told { row: &row, count: values.len() };
        let mut ranker = Ranker::new(&mut known, &run, &ROOM, &mut work, seed).unwrap();
        then(&mut ranker, past.points[1])
    })
}

#[test]
fn the_gradient_of_its_predictions_is_their_slope() {
    let words = valleys();
    for open in [0, 2] {
        told(&words, &[0.5, 0.3, 0.17, 0.02], open, 7, |ranker, second| {
            assert!(ranker.smooth(0) && !ranker.smooth(1));
            for x in [0.04, 0.31, 0.77, 0.95] {
                let (mut by_mean, mut by_variance) = ([0.0; 2], [0.0; 2]);
                let at = ranker.gradient(&[x, second], [&mut by_mean, &mut by_variance]).unwrap();
                let mut shifted = |shift: f64| ranker.predict(&[x + shift, second]).unwrap();
                assert!((shifted(0.0).mean - at.mean).abs() < 1e-12);
                assert!((shifted(0.0).variance - at.variance).abs() < 1e-12);
                let (more, less) = (shifted(1e-5), shifted(-1e-5));
                let slopes = [(more.mean - less.mean) / 2e-5, (more.variance - less.variance) / 2e-5];
                for (gradient, slope) in [by_mean[0], by_variance[0]].into_iter().zip(slopes) {
                    assert!((gradient - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{gradient} {slope}");
                }
                assert_eq!([by_mean[1], by_variance[1]], [0.0; 2]);
            }
        });
    }
}

/// The process is as near to the lowest output as its noise lets it be, a deviation of 0.1 there, and higher where more was told; the
/// same seed has the same bits.
#[test]
fn it_knows_what_it_was_told() {
    let words = valleys();
    let values = [0.5, 0.3, 0.17, 0.02, 0.1];
    let of = |seed| {
        told(&words, &values, 0, seed, |ranker, second| {
            let at: Vec<_> = (0..7).map(|i| ranker.predict(&[f64::from(i) / 6.0, second]).unwrap()).collect();
            let gap = at[3].mean - ranker.best();
            assert!(gap * gap < 9.0 * (at[3].variance + 0.01), "{:?} {}", at[3], ranker.best());
            assert!(at[..4].is_sorted_by(|one, next| one.mean > next.mean), "{at:?}");
            (at, ranker.best())
        })
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

/// After a single value it says what the sources do: their valleys are lower than what lies beside them.
#[test]
fn one_value_is_enough() {
    told(&valleys(), &[0.3], 0, 1, |ranker, second| {
        let [valley, beside] = [0.7, 0.1].map(|x| ranker.predict(&[x, second]).unwrap());
        assert!(valley.mean < beside.mean && valley.variance > 0.0, "{valley:?} {beside:?}");
    });
}

/// Its memory is enough and no more than that.
#[test]
fn its_memory_is_what_it_says() {
    let words = [valleys(), source(|x| valley(x, 0.2), &[])].concat();
    let values = [0.3; 8];
    let mut memory = Vec::new();
    let thetas = knowledge(&words, &[], &mut memory).largest().unwrap().size().thetas;
    let room = Room { thetas, ..ROOM };
    let needed = Ranker::<f64>::scalars(&room);
    for (scalars, enough) in [(needed, true), (needed - 1, false)] {
        let (mut memory, mut work) = (Vec::new(), vec![0.0; scalars]);
        let mut known = knowledge(&words, &[], &mut memory);
        with_past(&values, |past| {
            known.read(Count::All, past).unwrap();
            let row = |j: usize| (&past.points[2 * j..2 * j + 2], Some(values[j]));
            let run = Told { row: &row, count: 8 };
            let fitted = Ranker::new(&mut known, &run, &room, &mut work, 1);
            assert_eq!(matches!(fitted, Err(Error::Shape { .. })), !enough);
        });
    }
}
