//! A process over a run and its nearest sources (MKL-GP, RC-GP).

use std::vec;
use std::vec::Vec;

use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{self, Dims, Tape};
use crate::linalg::{self, packed};
use crate::real::Real;
use crate::rng::{Generator, below, uniform};
use crate::space::{Condition, Impute, When};
use crate::surrogate::Surrogate;
use crate::transfer::knowledge::{Count, Knowledge, Past, Seen, Told};
use crate::transfer::pooled::neighbours::{Fit, Kernel, Neighbours, Rows};
use crate::transfer::{Form, How, Near, Room, Source, Sources, Start, Transfer};
use crate::{Config, Optimizer, Param, Plain, Space};

const CONDITIONS: [Condition<'static>; 2] =
    [Condition::new(2, 1, When::Equals(1.0)), Condition::new(3, 1, When::Equals(2.0))];

fn params() -> [Param<'static>; 4] {
    [Param::real(0.0, 1.0), Param::categorical(3), Param::real(-1.0, 3.0), Param::integer(1, 9)]
}

/// A number, a category, and a number in each of two categories, marked where it does not matter.
fn space<'s>(params: &'s [Param<'s>]) -> Space<'s> {
    Space::new(params, &CONDITIONS).unwrap().impute(Impute::Outside)
}

fn valley(point: &[f64], at: f64) -> f64 {
    let branch = [0.3, (point[2] - 1.0).powi(2), 0.02 * point[3]][point[1] as usize];
    5.0 + (point[0] - at).powi(2) + branch
}

fn drawn(generator: &mut Generator) -> [f64; 4] {
    let mut unit = || uniform::<f64, _>(generator);
    let (x, y, z) = (unit(), 4.0 * unit() - 1.0, 1.0 + (9.0 * unit()).floor());
    [x, below(generator, 3) as f64, y, z]
}

/// The words of a source of so many random points.
fn source<R: Real>(rows: usize, seed: u64, features: &[f64], f: impl Fn(&[f64]) -> f64) -> Vec<u64> {
    let params = params();
    let space = space(&params);
    let limits = space.limits(rows as u32);
    let mut run = Optimizer::<R, _>::with_limits(&space, &Config::default(), limits).unwrap();
    let mut generator = Generator::new(seed);
    for _ in 0..rows {
        let point = drawn(&mut generator);
        run.observe(&point.map(R::of), R::of(f(&point))).unwrap();
    }
    let features: Vec<R> = features.iter().map(|&v| R::of(v)).collect();
    let size = run.source_size(Form::Means, features.len()).unwrap();
    let (mut work, mut words) = (vec![0; size.work::<R>()], vec![0; size.words::<R>()]);
    run.export(Form::Means, &features, &mut work, &mut words).unwrap();
    words
}

/// Three valleys in a row, and one data set that says nothing before them.
fn sources() -> Vec<u64> {
    let flat = source::<f64>(9, 1, &[0.5], |_| 3.0);
    let valleys = [0.5, 0.6, 0.9].into_iter().zip([5, 12, 9]);
    flat.into_iter()
        .chain(valleys.flat_map(|(at, rows)| source::<f64>(rows, rows as u64, &[at], |x| valley(x, at))))
        .collect()
}

const ROOM: Room = Room { sources: 4, rows: 12, trials: 9, dims: 4, thetas: 8 };

/// What is fitted, and to what.
#[derive(Clone, Copy)]
struct Task<'w> {
    words: &'w [u64],
    alpha: f64,
    count: usize,
    by: Near,
    /// Told values, and trials that wait for theirs behind them.
    told: usize,
    open: usize,
}

/// Points of a run in the unit cube, with their values.
fn trials() -> (Vec<f64>, Vec<f64>) {
    let run = source::<f64>(9, 77, &[], |x| valley(x, 0.55));
    let run = Source::<f64>::attach(&run).unwrap();
    (run.points().to_vec(), run.values().iter().map(|y| 40.0 + 3.0 * y).collect())
}

fn with<T>(task: Task<'_>, then: impl FnOnce(&mut Neighbours<'_, f64>, &[f64], &[f64]) -> T) -> T {
    let (points, values) = trials();
    let Task { words, alpha, count, by, told, open } = task;
    let mut memory = vec![0.0; Knowledge::<f64>::scalars(4, 16, 4, 8, 0)];
    let features = [0.5];
    let sources = Sources::attach(words).unwrap().with_features(&features).unwrap();
    let mut known = Knowledge::new(sources, 16, 8, &mut memory).unwrap();
    let past = Past { points: &points[..4 * told], seen: &|i| Seen::Told(values[i]) };
    known.read(if by == Near::Ranks { Count::Alike } else { Count::All }, &past).unwrap();
    let row = |j: usize| (&points[4 * j..4 * j + 4], (j < told).then(|| values[j]));
    let run = Told { row: &row, count: told + open };
    let needed = Neighbours::<f64>::scalars(count, &ROOM);
    let mut work = vec![f64::NAN; needed];
    let few = Neighbours::new(alpha, count, by, &mut known, &run, &ROOM, &mut work[..needed / 2]);
    assert!(matches!(few, Err(Error::Shape { .. })));
    known.read(if by == Near::Ranks { Count::Alike } else { Count::All }, &past).unwrap();
    let mut process = Neighbours::new(alpha, count, by, &mut known, &run, &ROOM, &mut work).unwrap();
    then(&mut process, &points[..4 * (told + open)], &values[..told])
}

/// The vector x of Ax = b, by elimination.
fn eliminated(matrix: &[Vec<f64>], side: &[f64]) -> Vec<f64> {
    let mut system: Vec<Vec<f64>> =
        matrix.iter().zip(side).map(|(row, &b)| row.iter().copied().chain([b]).collect()).collect();
    let n = side.len();
    for i in 0..n {
        let pivot = system[i].clone();
        for (_, row) in system.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = row[i] / pivot[i];
            row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
        }
    }
    (0..n).map(|i| system[i][n] / system[i][i]).collect()
}

/// The shared kernel by its definition: numbers are the first, the third and the fourth coordinate.
fn shared(a: &[f64], b: &[f64]) -> f64 {
    let place = |u: f64| if u < 0.0 { [0.5, 0.5] } else { [u, 0.0] };
    let square = |k: usize| {
        let (a, b) = (place(a[k]), place(b[k]));
        (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
    };
    let differ = f64::from(u8::from(a[1] != b[1]));
    1.0 - ((square(0) + square(2) + square(3)).sqrt() + differ) / 4.0
}

fn standardised(values: &[f64]) -> (Vec<f64>, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
    let unit = if deviation > 0.0 { deviation } else { 1.0 };
    (values.iter().map(|y| (y - mean) / unit).collect(), deviation)
}

/// G13: the same data set among neighbours, the same alone, neighbours alone.
#[test]
fn the_kernel_has_three_cases() {
    let (mut nodes, mut lists) = ([0; 8], [0; 2]);
    kernel::Kernel::squared_exponential(Dims::All).ard().write(2, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, 2).unwrap();
    let room = Room { sources: 1, rows: 1, trials: 2, dims: 2, thetas: 2 };
    let mut memory = [0.0f64; 64];
    let mut memory = Scratch::new(&mut memory);
    let kernel = Kernel::carve(&mut memory, tape, 0.3).unwrap();
    let mut rows = Rows::carve(&mut memory, 1, &room, 2).unwrap();
    let points = [[0.2, 0.4], [0.5, 0.8]];
    rows.add(&points[0], &[0.0]).unwrap();
    rows.finish(&Told { row: &|j| (&points[j], Some(1.0)), count: 2 }).unwrap();
    let (mut gram, mut block) = ([0.0; 6], [0.0; 6]);
    kernel.gram(&rows, 3, &mut gram, &mut block, &mut [0.0; 900]).unwrap();
    let entry = |i: usize, j: usize| gram[packed(i) + j];
    assert!((entry(2, 1) - 0.789_749_070_8).abs() < 1e-9);
    assert!((entry(2, 0) - 0.525).abs() < 1e-9);
    assert!((kernel.own() * tape.eval(&[0.0; 2], &points[0], &points[1]) - 0.264_749_070_8).abs() < 1e-9);
    assert!((entry(2, 1) - entry(2, 0) - 0.264_749_070_8).abs() < 1e-9);
    assert!((entry(0, 0) - 1.0).abs() < 1e-15 && (entry(1, 0) - 0.7).abs() < 1e-15);
}

/// Means and variances by elimination, from the nearest sources, in any share; a share of 1 is the run alone.
#[test]
fn predictions_are_those_of_the_dense_formula() {
    let words = sources();
    let all = Sources::<f64>::attach(&words).unwrap();
    // The flat one is the nearest by its features, and is no neighbour.
    let nearest: Vec<Source<'_, f64>> = [1, 2, 3].map(|i| all.iter().nth(i).unwrap()).to_vec();
    let mut generator = Generator::new(4);
    for (alpha, count, told, open) in
        [(0.3, 2, 6, 2), (0.3, 3, 9, 0), (0.0, 3, 5, 1), (1.0, 3, 6, 2), (0.3, 1, 1, 0), (1.0, 1, 1, 3)]
    {
        let task = Task { words: &words, alpha, count, by: Near::Features, told, open };
        with(task, |process, points, values| {
            let neighbours = &nearest[..count];
            let spreads = neighbours.iter().map(|source| standardised(source.values()).1.ln());
            let amplitude = (-2.0 * spreads.sum::<f64>() / count as f64).exp();
            let theta = process.kernel.theta.to_vec();
            let (tape, noise) = (nearest[0].tape(), amplitude * theta.last().unwrap().exp());
            let mut rows: Vec<(usize, &[f64])> = Vec::new();
            let mut y = Vec::new();
            // With a share of 1 sources have no covariance with the run: they are left out.
            for (i, source) in neighbours.iter().enumerate().filter(|_| alpha < 1.0) {
                rows.extend(source.points().chunks_exact(4).map(|point| (i, point)));
                y.extend(standardised(source.values()).0);
            }
            rows.extend(points.chunks_exact(4).map(|point| (99, point)));
            y.extend(standardised(values).0);
            let of = |a: (usize, &[f64]), b: (usize, &[f64])| {
                let own = if a.0 == b.0 { amplitude * tape.eval(&theta, a.1, b.1) } else { 0.0 };
                alpha * own + (1.0 - alpha) * shared(a.1, b.1)
            };
            let matrix: Vec<Vec<f64>> = (0..rows.len())
                .map(|i| {
                    let noise = |j| if i == j { noise } else { 0.0 };
                    (0..rows.len()).map(|j| of(rows[i], rows[j]) + noise(j)).collect()
                })
                .collect();
            let heard: Vec<Vec<f64>> = matrix[..y.len()].iter().map(|row| row[..y.len()].to_vec()).collect();
            let weights = eliminated(&heard, &y);
            let tested: Vec<f64> = (0..20)
                .flat_map(|i| {
                    let mut unit = || uniform::<f64, _>(&mut generator);
                    let near = [unit(), 0.5, if i % 3 == 0 { -1.0 } else { unit() }, -1.0];
                    if i == 7 { [points[0], points[1], points[2], points[3]] } else { near }
                })
                .collect();
            let (mut means, mut variances) = (vec![0.0; 20], vec![0.0; 20]);
            process.predict_many(&tested, &mut means, &mut variances).unwrap();
            for (i, point) in tested.chunks_exact(4).enumerate() {
                let side: Vec<f64> = rows.iter().map(|row| of(*row, (99, point))).collect();
                let mean: f64 = side.iter().zip(&weights).map(|(a, b)| a * b).sum();
                let solved = eliminated(&matrix, &side);
                let gone: f64 = side.iter().zip(&solved).map(|(a, b)| a * b).sum();
                let variance = of((99, point), (99, point)) - gone;
                assert!((means[i] - mean).abs() < 1e-8, "{alpha} {i}: {} {mean}", means[i]);
                assert!((variances[i] - variance).abs() < 1e-8, "{alpha} {i}: {} {variance}", variances[i]);
            }
            let short = process.predict_many(&tested[..7], &mut means[..2], &mut variances[..2]);
            assert_eq!(short, Err(Error::Shape { needed: 8 }));
        });
    }
}

/// By differences, where categories stay as they are and numbers are not marked.
#[test]
fn slopes_are_those_of_the_predictions() {
    let words = sources();
    for (alpha, open) in [(0.0, 0), (0.3, 2), (1.0, 1)] {
        let task = Task { words: &words, alpha, count: 3, by: Near::Ranks, told: 6, open };
        with(task, |process, points, _| {
            assert!((0..5).map(|k| process.smooth(k)).eq([true, false, true, true, false]));
            for point in [[0.31, 0.5, 0.42, -1.0], [0.83, points[1], 0.77, 0.21]] {
                let (mut mean, mut variance) = ([1.0; 4], [1.0; 4]);
                let own = process.gradient(&point, [&mut mean, &mut variance]).unwrap();
                assert_eq!(own, process.predict(&point).unwrap());
                for k in 0..4 {
                    if k == 1 {
                        assert_eq!((mean[k], variance[k]), (0.0, 0.0));
                    }
                    // What does not matter is not moved.
                    if k == 1 || point[k] < 0.0 {
                        continue;
                    }
                    let mut at = |shift: f64| {
                        let mut moved = point;
                        moved[k] += shift;
                        process.predict(&moved).unwrap()
                    };
                    let (up, down) = (at(1e-6), at(-1e-6));
                    let by_mean = (up.mean - down.mean) / 2e-6;
                    let by_variance = (up.variance - down.variance) / 2e-6;
                    assert!((mean[k] - by_mean).abs() < 1e-6 * (1.0 + by_mean.abs()), "{alpha} {k}");
                    assert!(
                        (variance[k] - by_variance).abs() < 1e-6 * (1.0 + by_variance.abs()),
                        "{alpha} {k}: {} {by_variance}",
                        variance[k]
                    );
                }
            }
            // Where a point was observed the kernel has a kink: the slopes are finite.
            let (mut mean, mut variance) = ([0.0; 4], [0.0; 4]);
            process.gradient(&points[..4], [&mut mean, &mut variance]).unwrap();
            assert!(mean.iter().chain(&variance).all(|slope| slope.is_finite()));
        });
    }
}

/// The slope of the marginal likelihood by differences; training has raised it.
#[test]
fn training_follows_the_marginal_likelihood() {
    let words = sources();
    for alpha in [0.3, 1.0] {
        let task = Task { words: &words, alpha, count: 3, by: Near::Features, told: 6, open: 2 };
        with(task, |process, _, _| {
            let Neighbours { kernel, rows, fit, .. } = process;
            let trained = kernel.theta.to_vec();
            let mut gradient = vec![0.0; trained.len()];
            let least = fit.loss(kernel, rows, &mut gradient).unwrap();
            let (sources, mut average) = (Sources::<f64>::attach(&words).unwrap(), vec![0.0; trained.len()]);
            for source in sources.iter().filter(Source::is_informative) {
                average.iter_mut().zip(source.theta()).for_each(|(sum, theta)| *sum += theta / 3.0);
            }
            kernel.theta.copy_from_slice(&average);
            let start = fit.loss(kernel, rows, &mut gradient).unwrap();
            assert!(least < start - 0.1, "{least} {start}");
            for t in 0..average.len() {
                let mut at = |shift: f64| {
                    kernel.theta.copy_from_slice(&average);
                    kernel.theta[t] += shift;
                    fit.loss(kernel, rows, &mut vec![0.0; average.len()]).unwrap()
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!(
                    (gradient[t] - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                    "{t}: {} {slope}",
                    gradient[t]
                );
            }
        });
    }
}

/// Where both orders agree the two are one; where they do not, they have other neighbours.
#[test]
fn by_ranks_it_is_the_same_with_other_neighbours() {
    let words = sources();
    let ask = |by: Near, count: usize, told: usize| {
        let task = Task { words: &words, alpha: 0.3, count, by, told, open: 0 };
        with(task, |process, _, _| {
            let sizes: Vec<usize> = process.rows.each(99).map(|set| set.len()).collect();
            (process.predict(&[0.4, 0.5, 0.3, -1.0]).unwrap(), sizes)
        })
    };
    // Before two values are told the first ones are taken, which by their features are the nearest.
    assert_eq!(ask(Near::Ranks, 2, 1), ask(Near::Features, 2, 1));
    assert_eq!(ask(Near::Features, 2, 1).1, [5, 12, 1]);
    // All there are, the flat one left out, in another order of the rows.
    assert_eq!(ask(Near::Features, 4, 9).1, [5, 12, 9, 9]);
    let reversed =
        [source::<f64>(6, 5, &[0.5], |x| -valley(x, 0.55)), source::<f64>(9, 6, &[0.9], |x| valley(x, 0.55))]
            .concat();
    let nearest = |by| {
        let task = Task { words: &reversed, alpha: 0.3, count: 1, by, told: 9, open: 0 };
        with(task, |process, _, _| process.rows.each(99).next().unwrap().len())
    };
    assert_eq!((nearest(Near::Features), nearest(Near::Ranks)), (6, 9));
}

/// Any points of spaces with numbers, categories and what does not matter, corners among them, in several data sets: no entry of
/// what they share is negative, and no eigenvalue.
#[test]
fn what_is_shared_is_positive_definite() {
    let mut generator = Generator::new(8);
    for (numbers, categories) in [(1usize, 0usize), (2, 0), (3, 1), (8, 0), (16, 2), (1, 4), (5, 5)] {
        let dims = numbers + categories;
        let split: Vec<u16> = (0..dims as u16).collect();
        let (head, tail) = split.split_at(numbers);
        let mut kernel = kernel::Kernel::matern52(Dims::list(head));
        if categories > 0 {
            kernel = kernel.times(kernel::Kernel::hamming(Dims::list(tail))).unwrap();
        }
        let (mut nodes, mut lists) = ([0; 16], [0; 16]);
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, dims).unwrap();
        let room = Room { sources: 2, rows: 70, trials: 60, dims, thetas: tape.thetas() };
        for alpha in [0.0, 0.3] {
            let mut memory = vec![0.0f64; 200 * (dims + 1) + tape.thetas() + 1 + dims];
            let mut memory = Scratch::new(&mut memory);
            let kernel = Kernel::carve(&mut memory, tape, alpha).unwrap();
            let mut rows = Rows::carve(&mut memory, 2, &room, dims).unwrap();
            let mut cube = |count: usize| -> Vec<f64> {
                (0..count * dims)
                    .map(|i| match (below(&mut generator, 5), i % dims < numbers) {
                        (0, _) => -1.0,
                        (1 | 2, true) => below(&mut generator, 2) as f64,
                        (_, true) => uniform(&mut generator),
                        (_, false) => (below(&mut generator, 4) as f64 + 0.5) / 4.0,
                    })
                    .collect()
            };
            let (one, other, run) = (cube(70), cube(70), cube(60));
            rows.add(&one, &[0.0; 70]).unwrap();
            rows.add(&other, &[0.0; 70]).unwrap();
            let row = |j: usize| (&run[j * dims..(j + 1) * dims], Some(0.0));
            rows.finish(&Told { row: &row, count: 60 }).unwrap();
            let (mut gram, mut block) = (vec![0.0; packed(200)], vec![0.0; packed(200)]);
            let mut scratch = vec![0.0; Tape::scratch(70, dims, tape.thetas())];
            kernel.gram(&rows, 200, &mut gram, &mut block, &mut scratch).unwrap();
            assert!(gram.iter().all(|&entry| entry >= 0.0));
            // Points that are the same make it singular: to rounding.
            (0..200).for_each(|i| gram[packed(i) + i] += 1e-10);
            assert_eq!(linalg::factor(&mut gram, 200), Ok(()), "{numbers} {categories} {alpha}");
        }
    }
}

/// What no search asks for is refused.
#[test]
fn rows_beyond_their_room_are_refused() {
    let room = Room { sources: 1, rows: 2, trials: 1, dims: 1, thetas: 1 };
    let mut memory = [0.0; 9];
    let mut rows = Rows::carve(&mut Scratch::new(&mut memory), 4, &room, 1).unwrap();
    assert_eq!(rows.finish(&Told { row: &|_| (&[0.5], None), count: 1 }), Err(Error::NoData));
    assert_eq!(rows.add(&[0.1; 3], &[0.2, 0.3, 0.4]), Err(Error::Shape { needed: 4 }));
    assert_eq!(rows.add(&[0.1; 3], &[0.2, 0.3]), Err(Error::Shape { needed: 2 }));
    assert_eq!(rows.add(&[0.1, 0.2], &[0.0, 1.0]), Ok(0.5));
    let told = |count| Told { row: &|_| (&[0.5], Some(1.0)), count };
    assert_eq!(rows.finish(&told(2)), Err(Error::Shape { needed: 4 }));
    assert_eq!(rows.finish(&told(1)), Ok(()));
    let huge = Room { rows: usize::MAX, ..room };
    assert_eq!(Neighbours::<f64>::scalars(3, &huge), usize::MAX);
    assert!(Fit::<f32>::carve(Scratch::new(&mut []), 3, &room, 1).is_err());
}

/// Whole runs, from the first trial on, among sources of one value and of none: every proposal is new, and the valley is found.
fn runs<R: Real>() {
    let params = params();
    let space = space(&params);
    let words = [
        source::<R>(1, 2, &[0.4], |_| 7.0),
        source::<R>(2, 3, &[0.6], |x| valley(x, 0.7)),
        source::<R>(12, 4, &[0.8], |x| 1e3 * valley(x, 0.5)),
        source::<R>(12, 5, &[0.8], |x| valley(x, 0.6)),
    ]
    .concat();
    let features = [R::of(0.7)];
    let sources = Sources::<R>::attach(&words).unwrap().with_features(&features).unwrap();
    for (alpha, count, by) in
        [(0.3, 3, Near::Features), (0.3, 3, Near::Ranks), (0.0, 16, Near::Ranks), (1.0, 1, Near::Features)]
    {
        let how = How::Neighbours { alpha, count, by };
        let config = Config {
            transfer: Transfer { start: Start::Cover, trials: 1, how, keep: 1.0 },
            ..Config::default()
        };
        let limits = space.limits(16).sources(4).source_rows(12).suit(&config);
        let mut optimizer = Optimizer::<R, _>::with_limits(&space, &config, limits).unwrap();
        let (mut best, mut asked): (f64, Vec<Vec<u64>>) = (f64::INFINITY, Vec::new());
        for i in 0..16 {
            let mut point = [R::ZERO; 4];
            let ask = optimizer.ask_from(&sources, &mut Plain, &mut point).unwrap();
            // What does not matter is no number.
            let whole = point.map(|v| if v.is_finite() { v.to_f64() } else { 0.0 });
            let bits = whole.map(f64::to_bits).to_vec();
            assert!(!asked.contains(&bits), "{how:?} {i}");
            asked.push(bits);
            // Some wait for ever.
            if i % 5 != 3 {
                best = best.min(valley(&whole, 0.55));
                optimizer.tell(ask.id, R::of(valley(&whole, 0.55))).unwrap();
            }
        }
        assert!(best < 5.06, "{how:?}: {best}");
    }
    let config =
        Config { transfer: Transfer { how: How::ALL[5], ..Transfer::default() }, ..Config::default() };
    let few = space.limits(16).sources(4).source_rows(11).suit(&config);
    let mut optimizer = Optimizer::<R, _>::with_limits(&space, &config, few).unwrap();
    let refused = optimizer.ask_from(&sources, &mut Plain, &mut [R::ZERO; 4]);
    assert!(matches!(refused, Err(Error::Limits(_))));
}

#[test]
fn runs_in_any_space_and_precision() {
    runs::<f64>();
    runs::<f32>();
}
