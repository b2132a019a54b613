//! What takes the place of the model, from outside: mixed and conditional spaces, both scalars, and sources that say little.

use std::vec;
use std::vec::Vec;

use super::helped::{knowledge, params, source, source_in, valley, valleys};
use crate::block::Header;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Dims, Kernel};
use crate::real::Real;
use crate::transfer::pooled::process::{Extent, Process, Shares};
use crate::transfer::{Form, How, Sources, Start, Transfer};
use crate::{Condition, Config, Optimizer, Origin, Param, Plain, Space, When};

const HOWS: [How; 2] = [How::Ranker, How::Perceptron];

fn config(how: How, start: Start) -> Config<'static> {
    Config { seed: 3, transfer: Transfer { start, trials: 1, how, keep: 1.0 }, ..Config::default() }
}

/// A source of some points and their values.
fn observed<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    rows: &[(Vec<f64>, f64)],
    features: &[R],
) -> Vec<u64> {
    let limits = space.limits(rows.len() as u32).suit(config);
    let mut run = Optimizer::<R, _>::with_limits(space, config, limits).unwrap();
    for (point, value) in rows {
        let point: Vec<R> = point.iter().map(|&x| R::of(x)).collect();
        run.observe(&point, R::of(*value)).unwrap();
    }
    let size = run.source_size(Form::Means, features.len()).unwrap();
    let (mut work, mut words) = (vec![0; size.work::<R>()], vec![0; size.words::<R>()]);
    run.export(Form::Means, features, &mut work, &mut words).unwrap();
    words
}

/// A tree of parameters: the second matters with the first category only, the third with the others; then a whole number.
fn in_a_tree<R: Real>(how: How, features: &[R]) {
    let params =
        [Param::categorical(3), Param::real(-2.0, 2.0), Param::real(1e-3, 1e3).log(), Param::integer(0, 9)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::In(&[1.0, 2.0]))];
    let space = Space::new(&params, &conditions).unwrap();
    let loss = |x: &[f64], at: f64| {
        let own = if x[0] == 0.0 { (x[1] - at).powi(2) } else { 0.2 * x[0] + (x[2].ln() - at).abs() };
        own + 0.05 * (x[3] - 4.0).abs()
    };
    let row = |i: u32, at: f64| {
        let share = f64::from(i * 7 % 20) / 19.0;
        let category = f64::from(i % 3);
        let own = if i.is_multiple_of(3) {
            [4.0 * share - 2.0, f64::NAN]
        } else {
            [f64::NAN, 1e-3 * 1e6f64.powf(share)]
        };
        let point = vec![category, own[0], own[1], f64::from(i % 10)];
        let value = loss(&point, at);
        (point, value)
    };
    let words: Vec<u64> = [0.1, 0.3, 0.5]
        .into_iter()
        .flat_map(|at| {
            let rows: Vec<_> = (0..20).map(|i| row(i, at)).collect();
            let features: Vec<R> = features.iter().map(|&f| f + R::of(at)).collect();
            observed::<R>(&space, &Config::default(), &rows, &features)
        })
        .collect();
    let config = config(how, Start::Cover);
    let limits = space.limits(14).sources(3).source_rows(20).suit(&config);
    let sources = Sources::<R>::attach(&words).unwrap().with_features(features).unwrap();
    let asked = || {
        let mut run = Optimizer::<R, _>::with_limits(&space, &config, limits).unwrap();
        let mut all: Vec<Vec<f64>> = Vec::new();
        for i in 0..14 {
            let mut point = [R::ZERO; 4];
            let ask = run.ask_from(&sources, &mut Plain, &mut point).unwrap();
            let point: Vec<f64> = point.iter().map(|x| x.to_f64()).collect();
            assert_eq!(ask.origin, if i < 2 { Origin::Source } else { Origin::Model }, "{i}");
            assert!([0.0, 1.0, 2.0].contains(&point[0]), "{point:?}");
            assert!((-2.0..=2.0).contains(&point[1]), "{point:?}");
            assert!((0.999e-3..=1.001e3).contains(&point[2]), "{point:?}");
            assert!(point[3].fract() == 0.0 && (0.0..=9.0).contains(&point[3]), "{point:?}");
            // One in four waits for its value.
            if i % 4 != 2 {
                run.tell(ask.id, R::of(loss(&point, 0.35))).unwrap();
            }
            all.push(point);
        }
        all
    };
    let one = asked();
    let best = one.iter().map(|point| loss(point, 0.35)).fold(f64::INFINITY, f64::min);
    // What it learns on the way leads below where the cover began.
    let first = loss(&one[0], 0.35);
    assert!(best < 0.9 * first, "{how:?} {best} {first}");
    let bits = |all: &[Vec<f64>]| all.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&one), bits(&asked()));
}

#[test]
fn points_of_a_tree_are_proposed_in_either_scalar() {
    for how in HOWS {
        in_a_tree::<f64>(how, &[]);
        in_a_tree::<f64>(how, &[0.3, -1e300]);
        in_a_tree::<f32>(how, &[]);
        in_a_tree::<f32>(how, &[0.3, 1e30]);
    }
}

/// One row, rows of one value, another kernel, and values at the ends of the range, after one told value and several.
#[test]
fn sources_that_say_little_are_no_harm() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let kernel = Kernel::matern32(Dims::All);
    let plain = Config::default();
    let other = Config::default().with(|c| c.surrogate.kernel = Some(&kernel));
    let row = |x: f64, category: f64, value: f64| (vec![x, category], value);
    let one = observed::<f64>(&space, &plain, &[row(0.3, 1.0, 0.5)], &[]);
    let flat = observed::<f64>(&space, &plain, &[row(0.3, 1.0, 0.5), row(0.6, 0.0, 0.5)], &[]);
    let two = observed::<f64>(&space, &plain, &[row(0.3, 1.0, 0.5), row(0.6, 0.0, 0.7)], &[]);
    let wide = observed::<f64>(&space, &plain, &[row(0.2, 1.0, -1e300), row(0.6, 2.0, 1e300)], &[]);
    let rows: Vec<_> = (0..9).map(|i| row(f64::from(i) / 8.0, f64::from(i % 3), f64::from(i * i))).collect();
    let strange = observed::<f64>(&space, &other, &rows, &[]);
    let lists = [
        [&one[..], &flat, &two].concat(),
        [&two[..], &wide].concat(),
        [&strange[..], &source(|x| valley(x, 0.6), &[]), &one].concat(),
        [&flat[..], &wide, &strange].concat(),
    ];
    for how in HOWS {
        for (words, scale) in lists.iter().zip([1.0, 1e300, 1e-300, 0.0]) {
            let config = config(how, Start::Design).with(|c| c.design.trials = 1);
            let limits = space.limits(9).sources(3).source_rows(21).suit(&config);
            let mut run = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
            let sources = Sources::attach(words).unwrap();
            for _ in 0..9 {
                let mut point = [f64::NAN; 2];
                let ask = run.ask_from(&sources, &mut Plain, &mut point).unwrap();
                assert!((0.0..=1.0).contains(&point[0]) && [0.0, 1.0, 2.0].contains(&point[1]), "{point:?}");
                run.tell(ask.id, scale * valley(&point, 0.4)).unwrap();
            }
        }
    }
}

/// Sources of which one bit was turned: refused, or every proposal is one of the space.
#[test]
fn damaged_sources_propose_points_of_the_space() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let whole = source_in(Form::Means, |x| valley(x, 0.6), &[0.5]);
    let other = source_in(Form::Means, |x| valley(x, 0.8), &[0.7]);
    let mut asked = 0;
    for bit in (0..64 * whole.len()).step_by(5) {
        let mut words = whole.clone();
        words[bit / 64] ^= 1 << (bit % 64);
        let end = words.len();
        Header::write_checksum(&mut words, end);
        words.extend(&other);
        let Ok(sources) = Sources::<f64>::attach(&words).and_then(|list| list.with_features(&[0.6])) else {
            continue;
        };
        let mut config = config(HOWS[bit % 2], Start::Cover);
        (config.search.global, config.search.local) = (8, 4);
        let limits = space.limits(3).sources(2).source_rows(21).suit(&config);
        let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        for _ in 0..3 {
            let mut point = [0.0; 2];
            let Ok(ask) = optimizer.ask_from(&sources, &mut Plain, &mut point) else { break };
            assert!(
                (0.0..=1.0).contains(&point[0]) && [0.0, 1.0, 2.0].contains(&point[1]),
                "{bit}: {point:?}"
            );
            optimizer.tell(ask.id, valley(&point, 0.7)).unwrap();
            asked += 1;
        }
    }
    assert!(asked > 200, "{asked}");
}

/// Without sources, or with those that say nothing, it is the plain search, bit for bit.
#[test]
fn without_sources_it_is_plain_search() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let flat = [source(|_| 0.5, &[1.0, 2.0]), source(|_| 0.0, &[0.5, 2.0])].concat();
    let asked = |transfer: Transfer, words: &[u64]| {
        let config = Config { seed: 5, transfer, ..Config::default() };
        let limits = space.limits(10).sources(2).source_rows(21).suit(&config);
        let mut run = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        let sources = Sources::attach(words).unwrap();
        let mut all = Vec::new();
        for _ in 0..10 {
            let mut point = [0.0; 2];
            let ask = run.ask_from(&sources, &mut Plain, &mut point).unwrap();
            run.tell(ask.id, valley(&point, 0.3)).unwrap();
            all.push((point, ask.origin));
        }
        all
    };
    let plain = asked(Transfer::default(), &[]);
    for how in HOWS {
        for words in [&[][..], &flat] {
            assert_eq!(asked(config(how, Start::Cover).transfer, words), plain, "{how:?}");
        }
    }
}

/// Three valleys in a row say where a fourth is.
#[test]
fn valleys_lead_to_the_next() {
    let params = params();
    let space = Space::new(&params, &[]).unwrap();
    let words = valleys();
    let sources = Sources::attach(&words).unwrap();
    for how in HOWS {
        let config = config(how, Start::Cover);
        let limits = space.limits(8).sources(3).source_rows(21).suit(&config);
        let mut run = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        let mut best = f64::INFINITY;
        for _ in 0..8 {
            let mut point = [0.0; 2];
            let ask = run.ask_from(&sources, &mut Plain, &mut point).unwrap();
            let loss = valley(&point, 0.72);
            run.tell(ask.id, loss).unwrap();
            best = best.min(loss);
        }
        assert!(best < 4e-3, "{how:?} {best}");
        // More rows than the limits say are refused where they have to be kept.
        let few = space.limits(8).sources(3).source_rows(20).suit(&config);
        let mut run = Optimizer::<f64, _>::with_limits(&space, &config, few).unwrap();
        let answer = run.ask_from(&sources, &mut Plain, &mut [0.0; 2]);
        assert_eq!(matches!(answer, Err(Error::Limits(_))), how == How::Ranker);
    }
}

/// Solves a dense system by elimination, the largest pivot first.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let share = a[i][k] / a[k][k];
                for j in k..n {
                    a[i][j] -= share * a[k][j];
                }
                b[i] -= share * b[k];
            }
        }
    }
    (0..n).map(|i| b[i] / a[i][i]).collect()
}

/// A process with a kernel, units and noise of its own in each row, the last of which has no value, is the dense formula.
#[test]
fn a_process_is_its_formula() {
    let words = valleys();
    let mut memory = Vec::new();
    let known = knowledge(&words, &[], &mut memory);
    let source = known.largest().unwrap();
    let extent = Extent { rows: 6, dims: 2, thetas: source.size().thetas, units: 3 };
    let mut work = vec![0.0; Process::<f64>::scalars(&extent)];
    let shares = Shares { kernel: 0.3, units: 0.2 };
    let mut process = Process::carve(&mut Scratch::new(&mut work), &known, &source, &extent, shares).unwrap();
    let rows: Vec<([f64; 2], [f64; 3], f64)> = (0..6)
        .map(|i| {
            let t = f64::from(i);
            ([0.15 * t, [0.5, 0.9][i as usize % 2]], [0.1 * t, 0.3, (t + 1.0).sin()], 1e-3 * (t + 1.0))
        })
        .collect();
    let left = [0.4, -0.3, 0.2, 0.1, -0.5];
    for (i, (point, units, noise)) in rows.iter().enumerate() {
        process.push(point, units, left.get(i).copied(), *noise).unwrap();
    }
    process.fit(5).unwrap();
    assert_eq!(process.push(&[0.0; 2], &[0.0; 3], None, 1.0), Err(Error::Shape { needed: 7 }));
    let mut theta = vec![0.0; extent.thetas + 1];
    known.average_theta(&mut theta);
    let covariance = |a: ([f64; 2], [f64; 3]), b: ([f64; 2], [f64; 3])| {
        let products: f64 = a.1.iter().zip(&b.1).map(|(a, b)| a * b).sum();
        0.3 * source.tape().eval(&theta, &a.0, &b.0) + 0.2 * products
    };
    let gram = |count: usize| -> Vec<Vec<f64>> {
        let row = |i: usize| {
            let of = |j: usize| {
                let noise = if i == j { rows[i].2 } else { 0.0 };
                covariance((rows[i].0, rows[i].1), (rows[j].0, rows[j].1)) + noise
            };
            (0..count).map(of).collect()
        };
        (0..count).map(row).collect()
    };
    let here = ([0.37, 0.5], [0.2, -0.4, 0.6]);
    let cross: Vec<f64> = rows.iter().map(|row| covariance((row.0, row.1), here)).collect();
    let alpha = solve(gram(5), left.to_vec());
    let mean = 0.7 + alpha.iter().zip(&cross).map(|(a, c)| a * c).sum::<f64>();
    let u = solve(gram(6), cross.clone());
    let variance = covariance(here, here) - u.iter().zip(&cross).map(|(u, c)| u * c).sum::<f64>();
    let (mut means, mut variances) = ([0.0], [0.0]);
    process
        .predict_many(&here.0, [&mut means, &mut variances], &mut [0.0; 3], &mut |_, units| {
            units.copy_from_slice(&here.1);
            0.7
        })
        .unwrap();
    // Condition numbers are below 10⁴.
    assert!((means[0] - mean).abs() < 1e-11, "{} {mean}", means[0]);
    assert!((variances[0] - variance).abs() < 1e-11, "{} {variance}", variances[0]);
    let (mut slopes, mut by_units) = ([[0.0; 2]; 2], [[0.0; 3]; 2]);
    let [by_mean, by_variance] = &mut slopes;
    let [mean_units, variance_units] = &mut by_units;
    let at = process
        .gradient(&here.0, &here.1, 0.7, [by_mean, by_variance], [mean_units, variance_units])
        .unwrap();
    assert!((at.mean - mean).abs() < 1e-11 && (at.variance - variance).abs() < 1e-11);
}
