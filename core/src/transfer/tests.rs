mod forged;
mod golden;
mod helped;
mod looked;
mod lookup;
mod neighbours;
mod perceptron;
mod pooled;
mod ranker;

use std::vec;
use std::vec::Vec;

use super::{Form, Rule, Sequence, Source, Sources, epanechnikov, features, ktrc};
use crate::block::Header;
use crate::error::Error;
use crate::kernel::Tape;
use crate::real::Real;
use crate::rng::{Generator, below, uniform};
use crate::{Config, Limits, Optimizer, Param, Space};

const RULES: [Rule; 4] =
    [Rule::AverageRanking, Rule::Smfo, Rule::NearestSmfo { neighbours: 2 }, Rule::ActiveTesting];

/// G5 of the specification, and the definition with both orders of each pair.
#[test]
fn ktrc_is_the_share_of_discordant_ordered_pairs() {
    assert_eq!(ktrc(&[0.1, 0.2, 0.3], &[0.1, 0.2, 0.3]), Ok(0.0));
    assert_eq!(ktrc(&[0.1, 0.2, 0.3], &[0.3, 0.2, 0.1]), Ok(1.0));
    assert_eq!(ktrc(&[0.1f32], &[0.2]), Ok(0.0));
    assert_eq!(ktrc::<f64>(&[], &[]), Ok(0.0));
    assert_eq!(ktrc(&[0.1, 0.2], &[0.2]), Err(Error::Shape { needed: 2 }));
    assert_eq!(ktrc(&[0.1, f64::NAN], &[0.2, 0.1]), Err(Error::NotFinite));
    let mut generator = Generator::new(1);
    for _ in 0..50 {
        let [a, b]: [Vec<f64>; 2] = [0; 2].map(|_| (0..9).map(|_| below(&mut generator, 5) as f64).collect());
        let pairs = (0..9).flat_map(|i| (0..9).map(move |j| (i, j)));
        let discordant = pairs.filter(|&(i, j)| (a[i] > a[j]) ^ (b[i] > b[j])).count();
        assert_eq!(ktrc(&a, &b), Ok(discordant as f64 / 72.0));
        assert_eq!(ktrc(&a, &b), ktrc(&b, &a));
    }
}

/// G4.
#[test]
fn epanechnikov_ends_at_its_bandwidth() {
    assert_eq!([0.0, 0.5, 1.0, 1.0001, -0.5].map(epanechnikov::<f32>), [0.75, 0.5625, 0.0, 0.0, 0.5625]);
    assert_eq!(epanechnikov(f64::NAN), 0.0);
}

/// G15, with a constant predictor, one of zeros and labels that are not dense.
#[test]
fn meta_features_of_four_instances() {
    let columns = [1.0, 2.0, 3.0, 6.0, 2.0, 4.0, 4.0, 10.0, 7.0, 7.0, 7.0, 7.0, 0.0, 0.0, 0.0, 0.0];
    let labels = [7, 7, 7, u32::MAX];
    let all = features::all(&columns[..8], &labels).unwrap();
    let [ln2, ln4] = [2f64, 4.0].map(f64::ln);
    let (k, s) = ([2.0, 2.185_185_185_2], [0.687_243_193_5, 0.888_888_888_9]);
    let spread = |[a, b]: [f64; 2]| [a, b, 0.5 * (a + b), 0.5 * (b - a)];
    let sizes = [2.0, 4.0, ln4, 2.0, ln2, 2.0, ln2, 0.5, -ln2, 0.562_335_144_6];
    let expected: Vec<f64> =
        sizes.into_iter().chain(spread([0.25, 0.75])).chain(spread(k)).chain(spread(s)).collect();
    for (i, (ours, theirs)) in all.iter().zip(expected).enumerate() {
        assert!((ours - theirs).abs() < 1e-9, "{}: {ours} {theirs}", features::NAMES[i]);
    }
    assert_eq!(features::few(&all), [all[0], all[4], all[6]]);
    let more = features::all(&columns, &labels).unwrap();
    assert_eq!(more[3], 3.0, "zeros are no predictor");
    assert_eq!(more[14..], all[14..], "a constant has no moments");
    let constant = features::all(&columns[8..12], &labels).unwrap();
    assert_eq!(constant[14..], [0.0; 8]);
    assert_eq!(features::all(&columns[12..], &labels), Err(Error::NoData));
    assert_eq!(features::all(&columns, &[]), Err(Error::NoData));
    assert_eq!(features::all(&columns[..7], &labels), Err(Error::Shape { needed: 8 }));
    assert_eq!(features::all(&[1.0, f64::NAN], &[0, 1]), Err(Error::NotFinite));
    for huge in [f64::MAX, f64::from_bits(1)] {
        let two = features::all(&[huge, -huge], &[0, 1]).unwrap();
        assert_eq!((two[16], two[20]), (1.0, 0.0), "moments have no scale");
    }
}

#[test]
fn meta_features_are_scaled_over_a_list() {
    let mut sets = [1.0, 5.0, -f64::MAX, 3.0, 5.0, f64::MAX, 2.0, 5.0, 0.0];
    features::scale(&mut sets, 3).unwrap();
    assert_eq!(sets, [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.5]);
    assert_eq!(features::scale(&mut sets, 0), Err(Error::Shape { needed: 1 }));
    assert_eq!(features::scale(&mut sets, 2), Err(Error::Shape { needed: 10 }));
    assert_eq!(features::scale(&mut [1.0, f32::INFINITY], 1), Err(Error::NotFinite));
    assert_eq!(features::scale::<f64>(&mut [], 3), Ok(()));
}

/// The next configurations by a rule, told what a function says.
fn run(table: &[f64], configurations: usize, rule: Rule, f: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut words = vec![0; Sequence::<f64>::words(table.len() / configurations, configurations)];
    let mut sequence = Sequence::new(table, configurations, &mut words).unwrap();
    let mut out = Vec::new();
    while let Some(x) = sequence.next(rule) {
        sequence.tell(x, f(x)).unwrap();
        out.push(x);
    }
    out
}

fn random_table(seed: u64, sets: usize, configurations: usize) -> Vec<f64> {
    let mut generator = Generator::new(seed);
    (0..sets * configurations).map(|_| (uniform::<f64, _>(&mut generator) * 8.0).floor()).collect()
}

/// G10.
#[test]
fn smfo_covers_before_it_repeats() {
    let table = [1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 1.0, 2.0, 3.0];
    assert_eq!(run(&table, 3, Rule::Smfo, |_| 0.0), [0, 2, 1]);
    assert_eq!(run(&table, 3, Rule::AverageRanking, |_| 0.0), [0, 1, 2]);
}

#[test]
fn every_rule_gives_a_permutation() {
    for seed in 0..20 {
        let (sets, configurations) = (1 + seed as usize % 7, 3 + seed as usize);
        let table = random_table(seed, sets, configurations);
        for rule in RULES {
            let mut order = run(&table, configurations, rule, |x| table[x]);
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..configurations), "{rule:?}");
        }
    }
}

/// The greedy step and the restarts by their definition, with ranks counted anew.
#[test]
fn smfo_is_its_definition() {
    for seed in 0..30 {
        let (sets, configurations) = (1 + seed as usize % 5, 12);
        let table = random_table(seed, sets, configurations);
        let mut pool: Vec<usize> = (0..configurations).collect();
        let mut expected = Vec::new();
        while !pool.is_empty() {
            let rank = |d: usize, x: usize| {
                let row = &table[d * configurations..];
                1 + pool.iter().filter(|&&other| row[other] < row[x]).count()
            };
            let mut pass: Vec<usize> = Vec::new();
            loop {
                let best = |d: usize, x: usize| pass.iter().chain([&x]).map(|&y| rank(d, y)).min().unwrap();
                let left = pool.iter().copied().filter(|x| !pass.contains(x));
                let cost = |x: usize| (0..sets).map(|d| best(d, x)).sum::<usize>();
                let Some(x) =
                    left.min_by_key(|&x| (cost(x), (0..sets).map(|d| rank(d, x)).sum::<usize>(), x))
                else {
                    break;
                };
                let solved = cost(x) == sets;
                pass.push(x);
                if solved {
                    break;
                }
            }
            pool.retain(|x| !pass.contains(x));
            expected.extend(pass);
        }
        assert_eq!(run(&table, configurations, Rule::Smfo, |_| 0.0), expected, "{seed}");
    }
}

/// One twin among reversed data sets: its best configuration is found by the third trial.
#[test]
fn a_twin_is_followed() {
    for seed in 0..20 {
        let configurations = 30;
        let twin: Vec<f64> = random_table(seed, 1, configurations)
            .iter()
            .enumerate()
            .map(|(i, v)| v + i as f64 * 1e-3)
            .collect();
        let mut table: Vec<f64> = Vec::new();
        for set in 0..6 {
            table.extend(twin.iter().map(|v| if set == 3 { *v } else { -v * f64::from(set + 1) }));
        }
        let best = (0..configurations).min_by(|&a, &b| twin[a].total_cmp(&twin[b])).unwrap();
        let order = run(&table, configurations, Rule::NearestSmfo { neighbours: 1 }, |x| twin[x]);
        assert!(order[..3].contains(&best), "{seed}: {order:?} {best}");
        let smfo = run(&table, configurations, Rule::Smfo, |_| 0.0);
        assert_eq!(order[..2], smfo[..2], "before two values are told all are neighbours");
        assert!(run(&table, configurations, Rule::ActiveTesting, |x| twin[x])[..4].contains(&best));
    }
}

/// The pairs that are counted as values arrive are those of KTRC over all of them.
#[test]
fn distances_are_kept_as_values_arrive() {
    let (sets, configurations) = (4, 15);
    let table = random_table(5, sets, configurations);
    let mut words = vec![0; Sequence::<f64>::words(sets, configurations)];
    let mut sequence = Sequence::new(&table, configurations, &mut words).unwrap();
    let mut generator = Generator::new(2);
    let mut told: Vec<Option<f64>> = vec![None; configurations];
    for _ in 0..40 {
        let x = below(&mut generator, configurations as u64) as usize;
        let value = below(&mut generator, 6) as f64;
        sequence.tell(x, value).unwrap();
        told[x] = Some(value);
        for set in 0..sets {
            let at: Vec<usize> = (0..configurations).filter(|&x| told[x].is_some()).collect();
            let ours: Vec<f64> = at.iter().map(|&x| told[x].unwrap()).collect();
            let theirs: Vec<f64> = at.iter().map(|&x| table[set * configurations + x]).collect();
            assert_eq!(Ok(sequence.distance(set)), ktrc(&ours, &theirs));
        }
    }
    assert_eq!(sequence.distance(99), 0.0);
}

#[test]
fn sequences_refuse_what_makes_no_sense() {
    let mut words = [0; 64];
    let mut refuse = |values: &[f64], count, error| {
        assert_eq!(Sequence::new(values, count, &mut words).unwrap_err(), error);
    };
    refuse(&[], 3, Error::NoData);
    refuse(&[1.0], 0, Error::NoData);
    refuse(&[1.0, 2.0, 3.0], 2, Error::Shape { needed: 4 });
    refuse(&[1.0, f64::NAN], 2, Error::NotFinite);
    assert_eq!(Sequence::<f64>::words(usize::MAX, 2), usize::MAX);
    assert_eq!(Sequence::<f32>::words(0, usize::MAX / 4), usize::MAX);
    let needed = Sequence::<f64>::words(1, 2);
    let mut few = vec![0; needed - 1];
    assert_eq!(Sequence::new(&[1.0, 2.0], 2, &mut few).unwrap_err(), Error::Memory { needed });
    let mut sequence = Sequence::new(&[1.0, 2.0], 2, &mut words).unwrap();
    assert_eq!(sequence.tell(2, 0.0), Err(Error::OutOfRange { parameter: 2 }));
    assert_eq!(sequence.tell(1, f64::INFINITY), Err(Error::NotFinite));
    // Without neighbours nothing tells configurations apart but their ranks.
    assert_eq!(sequence.next(Rule::NearestSmfo { neighbours: 0 }), Some(0));
}

/// The source of a function of two reals and a category, seen at random points.
fn written<R: Real>(form: Form, rows: usize, f: impl Fn(f64, f64, f64) -> f64, features: &[R]) -> Vec<u64> {
    let params = [Param::real(-1.0, 3.0), Param::real(0.0, 1.0), Param::categorical(2)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = space.limits(40);
    let mut optimizer = Optimizer::<R, _>::with_limits(&space, &Config::default(), limits).unwrap();
    let mut generator = Generator::new(3);
    for _ in 0..rows {
        let x = 4.0 * uniform::<f64, _>(&mut generator) - 1.0;
        let y = uniform::<f64, _>(&mut generator);
        let z = below(&mut generator, 2) as f64;
        optimizer.observe(&[R::of(x), R::of(y), R::of(z)], R::of(f(x, y, z))).unwrap();
    }
    let before = optimizer.words().to_vec();
    let size = optimizer.source_size(form, features.len()).unwrap();
    let (mut work, mut out) = (vec![0; size.work::<R>()], vec![7; size.words::<R>()]);
    for (few, other) in [(size.work::<R>() - 1, size.words::<R>()), (size.work::<R>(), size.words::<R>() - 1)]
    {
        let refused = optimizer.export(form, features, &mut work[..few], &mut out[..other]);
        let needed = if other < size.words::<R>() { other + 1 } else { few + 1 };
        assert_eq!(refused, Err(Error::Memory { needed }));
        assert!(out.iter().all(|&word| word == 7), "nothing is written");
    }
    assert_eq!(optimizer.export(form, features, &mut work, &mut out), Ok(out.len()));
    assert_eq!(optimizer.words(), before, "the run goes on as it was");
    out
}

fn bowl(x: f64, y: f64, z: f64) -> f64 {
    100.0 + 7.0 * ((x - 1.0).powi(2) + (3.0 * y).sin() + 0.5 * z)
}

/// Means and variances against a dense solve by elimination.
#[test]
fn a_source_predicts_as_its_process() {
    let words = written::<f64>(Form::Full, 12, bowl, &[0.25, -3.0]);
    let source = Source::<f64>::attach(&words).unwrap();
    assert_eq!((source.rows(), source.features()), (12, &[0.25, -3.0][..]));
    assert!(source.values().contains(&0.0) && source.values().contains(&1.0));
    let nodes = &words[8..8 + source.size().kernel[0]];
    let lists = &words[8 + nodes.len()..][..source.size().kernel[1]];
    let tape = Tape::attach(nodes, lists, 3).unwrap();
    let (theta, noise) = (&source.theta()[..tape.thetas()], source.theta()[tape.thetas()].exp());
    let rows: Vec<&[f64]> = source.points().chunks_exact(3).collect();
    let offset = source.values().iter().sum::<f64>() / 12.0;
    let mut generator = Generator::new(9);
    let points: Vec<f64> = (0..300).map(|_| uniform(&mut generator)).collect();
    let mut means = vec![0.0; 100];
    let mut work = vec![0.0; Source::<f64>::mean_work(12, 3, tape.thetas(), 7)];
    source.means(&points, &mut means, &mut work).unwrap();
    for (point, mean) in points.chunks_exact(3).zip(&means) {
        let side: Vec<f64> = rows.iter().map(|row| tape.eval(theta, point, row)).collect();
        // (K + noise) (a b) = (y k), by elimination.
        let mut system: Vec<Vec<f64>> = (0..12)
            .map(|i| {
                let entry = |j: usize| tape.eval(theta, rows[i], rows[j]) + if i == j { noise } else { 0.0 };
                (0..12).map(entry).chain([source.values()[i] - offset, side[i]]).collect()
            })
            .collect();
        for i in 0..12 {
            let pivot = system[i].clone();
            for (_, row) in system.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                let factor = row[i] / pivot[i];
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
            }
        }
        let solved = |column: usize| (0..12).map(|i| side[i] * system[i][column] / system[i][i]).sum::<f64>();
        assert!((offset + solved(12) - mean).abs() < 1e-7, "{} {mean}", offset + solved(12));
        let mut work = vec![0.0; source.size().work::<f64>()];
        let prediction = source.predict(point, &mut work).unwrap();
        assert!((prediction.mean - mean).abs() < 1e-10);
        let variance = tape.eval(theta, point, point) - solved(13);
        assert!((prediction.variance - variance).abs() < 1e-7, "{} {variance}", prediction.variance);
    }
    let means = written::<f64>(Form::Means, 12, bowl, &[]);
    let means = Source::<f64>::attach(&means).unwrap();
    assert_eq!(means.predict(&points[..3], &mut [0.0; 900]).unwrap_err(), Error::Unsupported);
    let shape = |needed| Error::Shape { needed };
    assert_eq!(source.predict(&points[..2], &mut work).unwrap_err(), shape(3));
    assert_eq!(source.means(&points[..3], &mut [0.0; 2], &mut work), Err(shape(6)));
    assert!(matches!(source.means(&points[..3], &mut [0.0], &mut []), Err(Error::Shape { .. })));
}

#[test]
fn values_that_do_not_differ_say_nothing() {
    for words in [written::<f32>(Form::Full, 9, |_, _, _| 4.0, &[]), written::<f32>(Form::Full, 1, bowl, &[])]
    {
        let source = Source::<f32>::attach(&words).unwrap();
        assert!(!source.is_informative() && source.range().0 == source.range().1);
        let mut mean = [1.0];
        source.means(&[0.1, 0.2, 0.75], &mut mean, &mut [0.0; 2000]).unwrap();
        assert_eq!(mean, [0.0]);
        assert!(source.predict(&[0.1, 0.2, 0.75], &mut [0.0; 2000]).unwrap().variance > 0.0);
    }
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let empty = Optimizer::<f64, _>::with_limits(&space, &Config::default(), Limits::new(1, 3)).unwrap();
    let refused = empty.export(Form::Means, &[], &mut [0; 999], &mut [0; 999]);
    assert_eq!(refused, Err(Error::NoData));
    let mut one = empty.clone();
    one.observe(&[0.5], 1.0).unwrap();
    let refused = one.export(Form::Means, &[f64::NAN], &mut [0; 999], &mut [0; 999]);
    assert_eq!(refused, Err(Error::NotFinite));
}

#[test]
fn a_list_is_its_sources_one_after_the_other() {
    let [one, two] =
        [1.0, -1.0].map(|sign| written::<f64>(Form::Means, 8, |x, y, z| sign * bowl(x, y, z), &[]));
    let both = [&one[..], &two].concat();
    let list = Sources::<f64>::attach(&both).unwrap();
    assert!(list.iter().map(|source| source.words()).eq([&one[..], &two]));
    let other = [&two[..], &one].concat();
    assert_ne!(Sources::<f64>::attach(&other).unwrap().fingerprint(), list.fingerprint());
    let none = Sources::<f64>::attach(&[]).unwrap();
    assert!((none.len(), none.is_empty(), none.fingerprint()) == (0, true, 0));
    assert!(none.iter().next().is_none() && Sources::<f64>::default().is_empty());
    assert_eq!(Sources::<f32>::attach(&both).unwrap_err(), Error::Foreign);
    for end in 1..both.len() {
        let cut = Sources::<f64>::attach(&both[..end]);
        assert_eq!(cut.is_ok(), end == one.len(), "{end}");
    }
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let mut run = Optimizer::<f64, _>::with_limits(&space, &Config::default(), Limits::new(1, 3)).unwrap();
    run.observe(&[0.5], 1.0).unwrap();
    let mut foreign = vec![0; run.source_size(Form::Means, 0).unwrap().words::<f64>()];
    run.export(Form::Means, &[], &mut [0; 999], &mut foreign).unwrap();
    assert_eq!(Sources::<f64>::attach(&[&one[..], &foreign].concat()).unwrap_err(), Error::Foreign);
    assert_eq!(Sources::<f64>::attach(run.words()).unwrap_err(), Error::Foreign);
}

/// Each bit of a small source turned, with and without its checksum repaired: refused, or it answers.
#[test]
fn damaged_sources_do_not_panic() {
    for form in [Form::Means, Form::Full] {
        let whole = written::<f32>(form, 5, bowl, &[0.5]);
        let mut taken = 0;
        for bit in 0..64 * whole.len() {
            let mut words = whole.clone();
            words[bit / 64] ^= 1 << (bit % 64);
            assert!(Sources::<f32>::attach(&words).is_err(), "{bit}");
            let end = words.len();
            Header::write_checksum(&mut words, end);
            let Ok(list) = Sources::<f32>::attach(&words) else { continue };
            taken += 1;
            for source in list.iter() {
                let mut mean = [0.0; 2];
                source.means(&[0.1, 0.2, 0.75, 0.9, 0.0, 0.25], &mut mean, &mut [0.0; 2000]).unwrap();
                let _ = source.predict(&[0.1, 0.2, 0.75], &mut [0.0; 2000]);
            }
        }
        assert!(taken > 1000, "{taken}");
    }
}

/// 200 data sets of 100 values of five parameters in 680 KB.
#[test]
fn sources_are_small() {
    let params = [Param::real(0.0, 1.0); 5];
    let space = Space::new(&params, &[]).unwrap();
    let mut run = Optimizer::<f32, _>::with_limits(&space, &Config::default(), space.limits(100)).unwrap();
    run.observe(&[0.5; 5], 1.0).unwrap();
    let size = super::Size { rows: 100, ..run.source_size(Form::Means, 0).unwrap() };
    assert!(200 * 8 * size.words::<f32>() <= 680_000, "{}", 200 * 8 * size.words::<f32>());
    let large = super::Size { rows: 5000, ..size };
    assert_eq!((large.words::<f32>(), large.work::<f32>()), (usize::MAX, usize::MAX));
}
