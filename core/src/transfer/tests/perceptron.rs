//! The factorised perceptron: its neuron, its gradients, and what training does.

use std::vec;
use std::vec::Vec;

use super::helped::{knowledge, source, valley, valleys, with_past};
use crate::block::Scratch;
use crate::error::Error;
use crate::rng::{Generator, below, normal};
use crate::surrogate::Surrogate;
use crate::transfer::Sources;
use crate::transfer::knowledge::{Count, Knowledge, Told};
use crate::transfer::pooled::Room;
use crate::transfer::pooled::inputs::Inputs;
use crate::transfer::pooled::perceptron::network::{LINKS, RANK, Sums, UNITS};
use crate::transfer::pooled::perceptron::train::{Adam, HEAD, Network, RATE, Rows};
use crate::transfer::pooled::perceptron::{Perceptron, train};

const ROOM: Room = Room { sources: 4, rows: 21, trials: 8, dims: 2, thetas: 8 };

/// Links of an input that are the same in every unit.
fn links(weight: f64, vector: &[f64]) -> Vec<f64> {
    let mut links = vec![0.0; LINKS];
    links[..UNITS].fill(weight);
    for (out, &v) in links[UNITS..].chunks_exact_mut(UNITS).zip(vector) {
        out.fill(v);
    }
    links
}

/// G14 of the specification.
#[test]
fn a_neuron_of_two_inputs() {
    let mut sums = Sums::new(&[0.1; UNITS]);
    sums.add(&links(0.2, &[1.0, 0.5]), 1.0);
    sums.add(&links(-0.1, &[0.5, -1.0]), 2.0);
    for (z, value) in sums.totals().into_iter().zip(sums.values()) {
        assert!((z - 0.1).abs() < 1e-9 && (value - 0.524_979_187_5).abs() < 1e-9, "{z} {value}");
    }
}

#[test]
fn the_pair_term_is_the_double_sum() {
    let g = &mut Generator::new(3);
    for _ in 0..50 {
        let count = 1 + below(g, 20) as usize;
        let mut draw = || normal::<f64, _>(g);
        let inputs: Vec<(f64, Vec<f64>)> =
            (0..count).map(|_| (draw(), (0..LINKS).map(|_| draw()).collect())).collect();
        let bias: Vec<f64> = (0..UNITS).map(|_| draw()).collect();
        let mut sums = Sums::new(&bias);
        for (x, links) in &inputs {
            sums.add(links, *x);
        }
        let totals = sums.totals();
        for h in 0..UNITS {
            let mut direct = bias[h];
            for (j, (x, links)) in inputs.iter().enumerate() {
                direct += links[h] * x;
                for (other, theirs) in &inputs[..j] {
                    let meet: f64 = (1..=RANK).map(|k| links[k * UNITS + h] * theirs[k * UNITS + h]).sum();
                    direct += meet * x * other;
                }
            }
            assert!((totals[h] - direct).abs() < 1e-11 * (1.0 + direct.abs()), "{} {direct}", totals[h]);
        }
    }
}

/// A network that was drawn for some sources and a run.
fn drawn<T>(
    words: &[u64],
    features: &[f64],
    then: impl FnOnce(&mut Network<'_, f64>, &mut Knowledge<'_, f64>, &mut Scratch<'_, f64>) -> T,
) -> T {
    let mut memory = Vec::new();
    let mut known = knowledge(words, features, &mut memory);
    with_past(&[], |past| known.read(Count::All, past)).unwrap();
    let (sets, tape) = (known.len() + 1, known.largest().unwrap().tape());
    let mut work = vec![0.0; Perceptron::<f64>::scalars(&ROOM)];
    let mut work = Scratch::new(&mut work);
    let inputs = Inputs::carve(&mut work, &known, tape, 2).unwrap();
    let mut network = Network::draw(&mut work, inputs, 2, sets, &mut Generator::new(4)).unwrap();
    then(&mut network, &mut known, &mut work)
}

/// Of every number that a data set may move, with meta-features and without.
#[test]
fn the_gradient_of_the_training_loss_is_its_slope() {
    let words = valleys();
    let second = with_past(&[0.0], |past| past.points[1]);
    for features in [&[][..], &[0.75, 1.0]] {
        drawn(&words, features, |network, _, _| {
            let points = [0.2, second, 0.7, 0.1, 0.0, second];
            let rows = Rows { set: 2, features, points: &points, values: &[0.4, 0.9, 0.1] };
            let mut gradient = vec![0.0; Network::<f64>::gradient_scalars(2)];
            let mut scratch = gradient.clone();
            network.loss(&rows, &mut gradient);
            let mut places: Vec<(usize, usize)> = (0..HEAD).map(|i| (i, i)).collect();
            network.each_place(2, |at, place| places.extend((0..LINKS).map(|i| (at + i, place + i))));
            // One of numbers, one of categories, meta-features, and the data set.
            assert_eq!(places.len(), HEAD + (9 + features.len() + 1) * LINKS);
            for (at, place) in places {
                let mut shifted = |shift: f64| {
                    *network.number(at) += shift;
                    let loss = network.loss(&rows, &mut scratch);
                    *network.number(at) -= shift;
                    loss
                };
                let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                assert!((gradient[place] - slope).abs() < 1e-8, "{at}: {} {slope}", gradient[place]);
            }
        });
    }
}

/// The loss on each source and on the run becomes less than half of what it was.
#[test]
fn training_lowers_the_loss() {
    let words = valleys();
    let second = with_past(&[0.0], |past| past.points[1]);
    drawn(&words, &[], |network, known, work| {
        let points = [0.1, second, 0.5, second, 0.9, second];
        let run = Rows { set: 3, features: &[], points: &points, values: &[1.0, 0.1, 0.0] };
        let losses = |network: &Network<'_, f64>| {
            let mut gradient = vec![0.0; Network::<f64>::gradient_scalars(2)];
            let mut all = vec![network.loss(&run, &mut gradient)];
            for (set, source) in Sources::attach(&words).unwrap().iter().enumerate() {
                let (points, values) = (source.points(), source.values());
                all.push(network.loss(&Rows { set, features: &[], points, values }, &mut gradient));
            }
            all
        };
        let before = losses(network);
        train(network, known, &run, work).unwrap();
        for (before, after) in before.into_iter().zip(losses(network)) {
            assert!(after < 0.5 * before, "{before} {after}");
        }
    });
}

/// One step of Adam from nothing goes against the sign of the gradient, each number by the rate.
#[test]
fn the_first_step_has_the_length_of_the_rate() {
    drawn(&valleys(), &[], |network, _, work| {
        let second = with_past(&[0.0], |past| past.points[1]);
        let rows = Rows { set: 1, features: &[], points: &[0.3, second], values: &[0.8] };
        let mut gradient = vec![0.0; Network::<f64>::gradient_scalars(2)];
        network.loss(&rows, &mut gradient);
        let before: Vec<f64> = (0..HEAD).map(|i| *network.number(i)).collect();
        let mut adam = Adam::carve(work, 2, 4).unwrap();
        adam.step(network, &rows, 1, 0.5);
        for (i, before) in before.into_iter().enumerate() {
            let moved = *network.number(i) - before;
            let expected = -0.5 * RATE * gradient[i].signum();
            assert!((moved - expected).abs() < 1e-3 * RATE, "{i}: {moved} {expected}");
        }
    });
}

/// A perceptron that was told some values on the line of the second category, the last of which wait.
fn told<T>(
    words: &[u64],
    values: &[f64],
    open: usize,
    seed: u64,
    then: impl FnOnce(&mut Perceptron<'_, f64>, f64) -> T,
) -> T {
    let (mut memory, mut work) = (Vec::new(), vec![0.0; Perceptron::<f64>::scalars(&ROOM)]);
    let mut known = knowledge(words, &[], &mut memory);
    with_past(values, |past| {
        known.read(Count::All, past).unwrap();
        let row = |j: usize| {
            let value = values.get(j).copied().filter(|_| j < values.len() - open);
            (&past.points[2 * j..2 * j + 2], value)
        };
        let run = Told { row: &row, count: values.len() };
        let mut perceptron = Perceptron::new(&mut known, &run, &ROOM, &mut work, seed).unwrap();
        then(&mut perceptron, past.points[1])
    })
}

#[test]
fn the_gradient_of_its_predictions_is_their_slope() {
    let words = valleys();
    for open in [0, 2] {
        told(&words, &[0.5, 0.3, 0.17, 0.02], open, 7, |perceptron, second| {
            assert!(perceptron.smooth(0) && !perceptron.smooth(1));
            for x in [0.04, 0.31, 0.77, 0.95] {
                let (mut by_mean, mut by_variance) = ([0.0; 2], [0.0; 2]);
                let at = perceptron.gradient(&[x, second], [&mut by_mean, &mut by_variance]).unwrap();
                let mut shifted = |shift: f64| perceptron.predict(&[x + shift, second]).unwrap();
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

/// It puts what it was told in order, has more doubt in another category, and is the same for the same seed.
#[test]
fn it_knows_what_it_was_told() {
    let words = valleys();
    // Another valley: how far it follows is what the sources say of their own.
    let values: [f64; 6] = core::array::from_fn(|i| (i as f64 / 6.0 - 0.55).powi(2));
    let of = |seed| {
        told(&words, &values, 0, seed, |perceptron, second| {
            assert_eq!(perceptron.best(), 0.0);
            let at: Vec<_> =
                (0..values.len()).map(|i| perceptron.predict(&[i as f64 / 6.0, second]).unwrap()).collect();
            let other = if second < 0.5 { 0.9 } else { 0.1 };
            for (i, (value, here)) in values.iter().zip(&at).enumerate() {
                for (other, there) in values.iter().zip(&at) {
                    assert_eq!(value < other, here.mean < there.mean, "{i}: {at:?}");
                }
                let elsewhere = perceptron.predict(&[i as f64 / 6.0, other]).unwrap();
                assert!(here.variance < 0.1 * elsewhere.variance, "{i}: {here:?} {elsewhere:?}");
            }
            at
        })
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

/// After a single value it says what the sources do: their valleys are lower than what lies beside them.
#[test]
fn one_value_is_enough() {
    told(&valleys(), &[0.3], 0, 1, |perceptron, second| {
        let [valley, beside] = [0.7, 0.1].map(|x| perceptron.predict(&[x, second]).unwrap());
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
    let needed = Perceptron::<f64>::scalars(&room);
    for (scalars, enough) in [(needed, true), (needed - 1, false)] {
        let (mut memory, mut work) = (Vec::new(), vec![0.0; scalars]);
        let mut known = knowledge(&words, &[], &mut memory);
        with_past(&values, |past| {
            known.read(Count::All, past).unwrap();
            let row = |j: usize| (&past.points[2 * j..2 * j + 2], Some(values[j]));
            let run = Told { row: &row, count: 8 };
            let fitted = Perceptron::new(&mut known, &run, &room, &mut work, 1);
            assert_eq!(matches!(fitted, Err(Error::Shape { .. })), !enough);
        });
    }
}
