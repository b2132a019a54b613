//! Chains against quadrature, and what they do with densities that are none.

use std::vec;
use std::vec::Vec;

use super::chain::SWEEPS;
use super::{Chain, Moves, Sampler, Sampling, Target, metropolis, slice};
use crate::backend::{Backend, Objective};
use crate::block::Arena;
use crate::error::Error;
use crate::gp::{Ensemble, Gp, Size};
use crate::kernel::{Covariance, Dims, Kernel, Prior, Role, Tape};
use crate::plain::Plain;
use crate::real::Real;
use crate::rng::Generator;
use crate::stats::normal;
use crate::trend::Trend;

/// A process over the integers, whose targets are the sine.
fn with_sine<R: Real, T>(
    kernel: &Kernel,
    trend: Trend,
    rows: usize,
    run: impl FnOnce(&mut Gp<'_, R>, Tape<'_>, Size) -> T,
) -> T {
    let size = Size {
        rows: rows + 2,
        exact: rows + 2,
        dims: 1,
        thetas: kernel.thetas(1).unwrap(),
        columns: trend.columns(1),
        batch: 4,
    };
    let mut block = vec![0; size.words::<R>()];
    let mut gp = Gp::<R>::new(kernel, trend, size, &mut block).unwrap();
    let (mut nodes, mut lists) = ([0; 8], [0; 8]);
    kernel.write(1, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, 1).unwrap();
    for i in 0..rows {
        gp.push(&[R::of(i as f64)], R::of((i as f64).sin()), R::ZERO).unwrap();
    }
    run(&mut gp, tape, size)
}

/// l ~ U(0, 10), ln σ² ~ U(−7, 5); the noise is to be set.
fn golden() -> Kernel {
    Kernel::squared_exponential(Dims::All).with(Role::Length, 1.0, 1e-6..10.0, Prior::Uniform).scaled().with(
        Role::Variance,
        1.0,
        (-7f64).exp()..5f64.exp(),
        Prior::Flat,
    )
}

fn set_golden_noise<R: Real>(gp: &mut Gp<'_, R>) {
    gp.set_noise((-4f64).exp(), (-7f64).exp(), 5f64.exp()).unwrap();
}

/// A mean and its standard error from the means of 40 batches: no assumption on the correlation of the chain.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let batches = 40;
    let length = values.len() / batches;
    let means: Vec<f64> =
        values.chunks_exact(length).take(batches).map(|b| b.iter().sum::<f64>() / length as f64).collect();
    let mean = means.iter().sum::<f64>() / batches as f64;
    let square: f64 = means.iter().map(|m| (m - mean) * (m - mean)).sum();
    (mean, (square / (batches * (batches - 1)) as f64).sqrt())
}

/// Within four standard errors, which are small enough to mean something.
fn agrees(name: &str, values: &[f64], expected: f64, most: f64) {
    let (mean, error) = mean_and_error(values);
    std::println!("{name}: {mean:.5} ± {error:.5}, expected {expected:.5}");
    assert!(error < most, "{name}: error {error}");
    assert!((mean - expected).abs() < 4.0 * error, "{name}: {mean} ± {error} instead of {expected}");
}

/// Some sweeps of a chain, which begins where the process is.
fn run<R: Real, B: Backend<R>>(
    chain: &mut Chain<'_, R>,
    gp: &mut Gp<'_, R>,
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    sampling: &Sampling,
    sweeps: u64,
) -> Result<Moves, Error> {
    chain.begin_at(gp)?;
    chain.advance(gp, covariance, backend, sampling, sweeps)
}

/// Draws of the chain, one θ after the other.
fn draws(
    gp: &mut Gp<'_, f64>,
    tape: Tape<'_>,
    size: Size,
    sampling: &Sampling,
    count: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let mut words = vec![0; Chain::<f64>::words(&size, true)];
    let mut arena = Arena::new(&mut words);
    let mut chain = Chain::<f64>::carve(&mut arena, size, true).unwrap();
    assert_eq!(arena.used, Chain::<f64>::words(&size, true));
    chain.reset(seed);
    run(&mut chain, gp, &tape, &mut Plain, sampling, u64::from(sampling.burn_in)).unwrap();
    (0..count)
        .map(|_| {
            run(&mut chain, gp, &tape, &mut Plain, sampling, u64::from(sampling.thin)).unwrap();
            chain.theta.to_vec()
        })
        .collect()
}

/// The posterior of ln l on a grid: places and their probabilities.
fn grid(gp: &mut Gp<'_, f64>, tape: Tape<'_>) -> (Vec<f64>, Vec<f64>) {
    let (lo, hi, steps) = (gp.theta_table().lo[0], gp.theta_table().hi[0], 4000);
    let places: Vec<f64> =
        (0..steps).map(|i| lo + (hi - lo) * (f64::from(i) + 0.5) / f64::from(steps)).collect();
    let mut mass: Vec<f64> = places
        .iter()
        .map(|&place| {
            gp.theta_table().value[0] = place;
            let theta = gp.theta().to_vec();
            let evidence = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
            (evidence + gp.theta_table().log_prior(&theta, &mut [])).exp()
        })
        .collect();
    let total: f64 = mass.iter().sum();
    mass.iter_mut().for_each(|m| *m /= total);
    (places, mass)
}

#[test]
fn one_hyperparameter_has_its_posterior() {
    for (trend, noise) in [(Trend::Zero, 0.05), (Trend::Constant, 0.2)] {
        let prior = Prior::LogNormal { mean: 0.0, sd: 0.7 };
        let kernel = Kernel::squared_exponential(Dims::All).with(Role::Length, 1.0, 0.05..20.0, prior);
        with_sine::<f64, _>(&kernel, trend, 6, |gp, tape, size| {
            gp.set_noise(noise, noise, noise).unwrap();
            let (places, mass) = grid(gp, tape);
            let mean: f64 = places.iter().zip(&mass).map(|(p, m)| p * m).sum();
            let variance: f64 = places.iter().zip(&mass).map(|(p, m)| (p - mean) * (p - mean) * m).sum();
            for (seed, sampler) in Sampler::ALL.into_iter().enumerate() {
                let thin = match sampler {
                    Sampler::Whitened => 8,
                    Sampler::Fixed => 4,
                    _ => 2,
                };
                let sampling = Sampling { sampler, thin, ..Sampling::default() };
                gp.theta_table().value[0] = 0.0;
                let draws = draws(gp, tape, size, &sampling, 4000, seed as u64);
                let values: Vec<f64> = draws.iter().map(|theta| theta[0]).collect();
                assert!(draws.iter().all(|theta| theta[1] == noise.ln()));
                let squares: Vec<f64> = values.iter().map(|v| (v - mean) * (v - mean)).collect();
                let sd = variance.sqrt();
                agrees(&std::format!("{sampler:?} mean"), &values, mean, 0.1 * sd);
                agrees(&std::format!("{sampler:?} variance"), &squares, variance, 0.2 * variance);
                // Kolmogorov–Smirnov with the effective number of draws, at one in a thousand.
                let (_, error) = mean_and_error(&values);
                let effective = (variance / (error * error)).min(values.len() as f64);
                let mut sorted = values;
                sorted.sort_by(f64::total_cmp);
                let half = 0.5 * (places[1] - places[0]);
                let (mut below, mut worst) = (0.0, 0.0f64);
                for (place, m) in places.iter().zip(&mass) {
                    below += m;
                    let share = sorted.partition_point(|v| *v <= place + half) as f64 / sorted.len() as f64;
                    worst = worst.max((share - below).abs());
                }
                std::println!("{sampler:?}: effective {effective:.0}, distance {worst:.4}");
                assert!(worst < 1.95 / effective.sqrt(), "{sampler:?}: {worst} of {effective}");
            }
        });
    }
}

#[test]
#[ignore = "long: a grid of 160 × 60 × 60 evaluations, some seconds"]
fn the_golden_moments_are_those_of_a_grid() {
    with_sine::<f64, _>(&golden(), Trend::Zero, 7, |gp, tape, _| {
        set_golden_noise(gp);
        let (mut total, mut sums, mut squares) = (0.0, [0.0; 3], [0.0; 3]);
        let middle = |i: i32, count: i32| (f64::from(i) + 0.5) / f64::from(count);
        for i in 0..160 {
            let length = 10.0 * middle(i, 160);
            for j in 0..60 {
                for k in 0..60 {
                    let [variance, noise] = [j, k].map(|i| -7.0 + 12.0 * middle(i, 60));
                    gp.theta_table().value.copy_from_slice(&[length.ln(), variance, noise]);
                    // Uniform in the length: its logarithm has no Jacobian here.
                    let Ok(value) = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []) else {
                        continue;
                    };
                    let weight = value.exp();
                    total += weight;
                    for (i, v) in [length, variance, noise].into_iter().enumerate() {
                        sums[i] += weight * v;
                        squares[i] += weight * v * v;
                    }
                }
            }
        }
        let mean = sums.map(|sum| sum / total);
        for (i, (expected, sd)) in
            [(2.3880, 1.7165), (-0.2801, 2.0125), (-4.602, 2.155)].into_iter().enumerate()
        {
            let found = (squares[i] / total - mean[i] * mean[i]).sqrt();
            std::println!("{} {expected} {found} {sd}", mean[i]);
            assert!((mean[i] - expected).abs() < 0.005 * sd && (found / sd - 1.0).abs() < 0.005);
        }
    });
}

/// The moments of three hyperparameters, from a quadrature on a grid of 400 × 120 × 120 by other software.
fn has_golden_moments(draws: &[Vec<f64>], name: &str, most: f64) {
    let pick = |f: &dyn Fn(&Vec<f64>) -> f64| draws.iter().map(f).collect::<Vec<_>>();
    for (what, values, mean, sd) in [
        ("length", pick(&|theta| theta[0].exp()), 2.3880, 1.7165),
        ("log variance", pick(&|theta| theta[1]), -0.2801, 2.0125),
        ("log noise", pick(&|theta| theta[2]), -4.602, 2.155),
    ] {
        agrees(&std::format!("{name} {what}"), &values, mean, most * sd);
        let squares: Vec<f64> = values.iter().map(|v| (v - mean) * (v - mean)).collect();
        agrees(&std::format!("{name} {what}, squared"), &squares, sd * sd, 2.0 * most * sd * sd);
    }
}

fn golden_moments(sampler: Sampler, count: usize, thin: u32, most: f64) {
    with_sine::<f64, _>(&golden(), Trend::Zero, 7, |gp, tape, size| {
        set_golden_noise(gp);
        let sampling = Sampling { sampler, thin, burn_in: 1000, width: 2.0, ..Sampling::default() };
        let draws = draws(gp, tape, size, &sampling, count, 11);
        has_golden_moments(&draws, &std::format!("{sampler:?}"), most);
    });
}

#[test]
fn three_hyperparameters_have_the_golden_moments() {
    golden_moments(Sampler::Slice, 40_000, 1, 0.05);
    golden_moments(Sampler::Metropolis, 20_000, 2, 0.1);
}

#[test]
#[ignore = "long: four samplers until their errors are small, three minutes"]
fn long_chains_have_the_golden_moments() {
    golden_moments(Sampler::Slice, 200_000, 2, 0.02);
    golden_moments(Sampler::Metropolis, 200_000, 3, 0.02);
    golden_moments(Sampler::SurrogateSlice, 100_000, 5, 0.05);
    golden_moments(Sampler::SurrogateMetropolis, 100_000, 5, 0.05);
}

#[test]
#[ignore = "long: the samplers that mix slowly where the data are strong, five minutes"]
fn slow_chains_have_the_golden_moments() {
    golden_moments(Sampler::Whitened, 100_000, 10, 0.2);
    golden_moments(Sampler::Fixed, 100_000, 10, 0.2);
}

#[test]
fn three_hyperparameters_have_their_posterior() {
    let near = |mean: f64, sd| Prior::LogNormal { mean, sd };
    let kernel = Kernel::squared_exponential(Dims::All)
        .with(Role::Length, 1.0, 0.05..20.0, near(0.3, 0.4))
        .scaled()
        .with(Role::Variance, 1.0, 0.02..50.0, Prior::Gamma { shape: 3.0, rate: 4.0 });
    with_sine::<f64, _>(&kernel, Trend::Zero, 5, |gp, tape, size| {
        gp.set_noise(0.3, 0.01, 10.0).unwrap();
        gp.theta_table().set_prior(2, Prior::Horseshoe { scale: 0.5, power: 0.5 }).unwrap();
        // Moments by a grid over the bounds.
        let start = gp.theta().to_vec();
        let steps = 36;
        let (mut total, mut sums, mut squares) = (0.0, [0.0; 3], [0.0; 3]);
        for cell in 0..steps * steps * steps {
            let cells = [cell % steps, cell / steps % steps, cell / (steps * steps)];
            let table = gp.theta_table();
            for (i, cell) in cells.into_iter().enumerate() {
                let fraction = (f64::from(cell) + 0.5) / f64::from(steps);
                table.value[i] = table.lo[i] + (table.hi[i] - table.lo[i]) * fraction;
            }
            let theta = gp.theta().to_vec();
            let value = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
            let weight = (value + gp.theta_table().log_prior(&theta, &mut [])).exp();
            total += weight;
            for i in 0..3 {
                sums[i] += weight * theta[i];
                squares[i] += weight * theta[i] * theta[i];
            }
        }
        for (seed, sampler) in Sampler::ALL.into_iter().enumerate() {
            let sampling = Sampling { sampler, thin: 2, burn_in: 200, ..Sampling::default() };
            gp.theta_table().value.copy_from_slice(&start);
            let draws = draws(gp, tape, size, &sampling, 5000, 20 + seed as u64);
            for i in 0..3 {
                let mean: f64 = sums[i] / total;
                let variance = squares[i] / total - mean * mean;
                let values: Vec<f64> = draws.iter().map(|theta| theta[i]).collect();
                agrees(&std::format!("{sampler:?} θ{i}"), &values, mean, 0.15 * variance.sqrt());
                let spread: Vec<f64> = values.iter().map(|v| (v - mean) * (v - mean)).collect();
                agrees(&std::format!("{sampler:?} θ{i}, squared"), &spread, variance, 0.25 * variance);
            }
        }
    });
}

#[test]
fn members_average_to_the_golden_predictions() {
    with_sine::<f64, _>(&golden(), Trend::Zero, 7, |gp, tape, size| {
        set_golden_noise(gp);
        gp.fit(&tape, &mut Plain).unwrap();
        let before = gp.predict(&tape, &[0.5]).unwrap();
        let members = 100;
        let mut words = vec![0; Ensemble::<f64>::words(&size, members)];
        let mut posteriors = Ensemble::carve(&mut Arena::new(&mut words), size, members).unwrap();
        let mut words = vec![0; Chain::<f64>::words(&size, false)];
        let mut chain = Chain::carve(&mut Arena::new(&mut words), size, false).unwrap();
        chain.reset(5);
        let sampling = Sampling { width: 2.0, ..Sampling::default() };
        let points = [0.5, 1.5, 2.5, 4.5];
        let mut means = points.map(|_| Vec::new());
        let mut gains = points.map(|_| Vec::new());
        for fill in 0..400 {
            chain.fill(gp, &mut posteriors, &tape, &mut Plain, &sampling).unwrap();
            assert_eq!(chain.state[SWEEPS], 100 + (fill + 1) * members as u64);
            posteriors.fit(gp, &tape, &mut Plain).unwrap();
            for member in 0..members {
                assert_eq!(posteriors.weight(member), 0.01);
                let mut view = posteriors.view(gp, member).unwrap();
                for (i, point) in points.into_iter().enumerate() {
                    let prediction = view.predict(&tape, &[point]).unwrap();
                    means[i].push(prediction.mean);
                    // The improvement of a maximum over the largest target, sin 2.
                    let sd = prediction.variance.sqrt();
                    gains[i].push(sd * normal::h((prediction.mean - 2f64.sin()) / sd));
                }
            }
        }
        // Averaged by quadrature on a grid by other software.
        for (i, expected) in [0.398_81, 0.816_94, 0.487_76, -0.800_43].into_iter().enumerate() {
            agrees("mean", &means[i], expected, 0.02);
        }
        for (i, expected) in [0.001_236_5, 0.069_840_8, 0.001_138_5, 0.000_234_66].into_iter().enumerate() {
            agrees("improvement", &gains[i], expected, [0.15, 0.05, 0.15, 0.3][i] * expected);
        }
        // The process kept its fit.
        assert_eq!(gp.predict(&tape, &[0.5]).unwrap(), before);
    });
}

#[test]
fn a_saved_chain_goes_on_bit_for_bit() {
    with_sine::<f64, _>(&golden(), Trend::Constant, 6, |gp, tape, size| {
        set_golden_noise(gp);
        let words = Chain::<f64>::words(&size, true);
        for sampler in Sampler::ALL {
            let sampling = Sampling { sampler, burn_in: 3, ..Sampling::default() };
            let mut run = |block: &mut [u64], sweeps: u64| {
                let mut chain = Chain::<f64>::carve(&mut Arena::new(block), size, true).unwrap();
                run(&mut chain, gp, &tape, &mut Plain, &sampling, sweeps).unwrap();
                assert!(chain.is_sound());
            };
            let mut once = vec![0; words];
            run(&mut once, 9);
            let mut first = vec![0; words];
            run(&mut first, 4);
            let mut second = first.clone();
            run(&mut second, 5);
            assert_eq!(once, second, "{sampler:?}");
            // A reset is a fresh start, and the seed decides.
            let mut chain = Chain::<f64>::carve(&mut Arena::new(&mut second), size, true).unwrap();
            chain.reset(0);
            assert_eq!(chain.state[SWEEPS], 0);
            run(&mut second, 9);
            assert_eq!(once, second, "{sampler:?}");
            let mut chain = Chain::<f64>::carve(&mut Arena::new(&mut second), size, true).unwrap();
            chain.reset(1);
            run(&mut second, 9);
            assert_ne!(once, second, "{sampler:?}");
        }
    });
}

#[test]
fn more_rows_restart_the_latent_values_alone() {
    with_sine::<f32, _>(&golden(), Trend::Constant, 6, |gp, tape, size| {
        gp.set_noise(0.1, 0.01, 1.0).unwrap();
        let mut words = vec![0; Chain::<f32>::words(&size, true)];
        let mut chain = Chain::<f32>::carve(&mut Arena::new(&mut words), size, true).unwrap();
        for sampler in Sampler::ALL {
            let sampling = Sampling { sampler, burn_in: 20, ..Sampling::default() };
            chain.reset(3);
            let sampled = run(&mut chain, gp, &tape, &mut Plain, &sampling, 200).unwrap();
            assert!(sampled.moved > 20, "{sampler:?} {sampled:?}");
            gp.push(&[6.5], 0.2, 0.01).unwrap();
            run(&mut chain, gp, &tape, &mut Plain, &sampling, 200).unwrap();
            assert!(chain.is_sound() && chain.state[SWEEPS] == 400);
            gp.truncate(6);
        }
    });
}

/// A target without a density, that counts.
struct Nowhere {
    value: f64,
    start: f64,
    asked: u64,
}

impl Target<f64> for Nowhere {
    fn span(&self, _: usize) -> f64 {
        1.0
    }

    fn begin(&mut self, _: &[f64], _: &mut Generator) -> f64 {
        self.asked += 1;
        self.start
    }

    fn at(&mut self, _: &[f64]) -> f64 {
        self.asked += 1;
        self.value
    }
}

#[test]
fn work_is_bounded_for_any_density() {
    let sampling = Sampling { out: 7, shrink: 9, ..Sampling::default() };
    let infinity = f64::INFINITY;
    for start in [f64::NAN, -infinity, infinity, 0.0] {
        for value in [f64::NAN, -infinity, 0.0] {
            let mut target = Nowhere { value, start, asked: 0 };
            let (mut theta, mut trial) = ([0.25, -3.0], [0.0; 2]);
            let (mut generator, mut moves) = (Generator::new(1), Moves::default());
            let moved = slice::along(
                &mut theta,
                &[1.0, 0.5],
                &sampling,
                sampling.out,
                &mut target,
                &mut generator,
                &mut trial,
                &mut moves,
            );
            // Where it is, the two ends before each step out, and the points tried.
            assert!(target.asked <= 1 + 2 * (7 + 1) + 9);
            assert_eq!(moves.evaluations, target.asked);
            let possible = start == 0.0 && value == 0.0;
            assert_eq!((moved, theta == [0.25, -3.0]), (possible, !possible));
            if start == 0.0 && value != 0.0 {
                // The start, both ends, and all the points that may be tried.
                assert_eq!(target.asked, 1 + 2 + 9);
            }
            let mut theta = [0.25, -3.0];
            target.asked = 0;
            let taken =
                metropolis::step(&mut theta, 1, 0.5, &mut target, &mut generator, &mut trial, &mut moves);
            assert_eq!((taken, target.asked), (possible, 2));
            assert_eq!(theta == [0.25, -3.0], !possible);
        }
    }
    // Everything is on the slice for ever: the steps outwards end.
    let mut target = Nowhere { value: infinity, start: 0.0, asked: 0 };
    let (mut generator, mut moves) = (Generator::new(1), Moves::default());
    let (mut theta, mut trial) = ([0.0], [0.0]);
    slice::along(&mut theta, &[1.0], &sampling, 7, &mut target, &mut generator, &mut trial, &mut moves);
    assert_eq!(target.asked, 1 + 2 * 7 + 1);
}

/// A covariance that is none.
struct Broken(f64);

impl Covariance<f64> for Broken {
    fn thetas(&self) -> usize {
        2
    }

    fn eval(&self, _: &[f64], _: &[f64], _: &[f64]) -> f64 {
        self.0
    }

    fn gradient(&self, _: &[f64], _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn gradient_x(&self, _: &[f64], _: &[f64], _: &[f64], _: &mut [f64]) -> bool {
        true
    }
}

#[test]
fn a_likelihood_that_is_never_a_number_leaves_the_place() {
    with_sine::<f64, _>(&golden(), Trend::Zero, 5, |gp, tape, size| {
        set_golden_noise(gp);
        let start = gp.theta().to_vec();
        for value in [f64::NAN, -1e9, f64::INFINITY] {
            for sampler in [Sampler::Slice, Sampler::Metropolis] {
                let mut words = vec![0; Chain::<f64>::words(&size, true)];
                let mut chain = Chain::<f64>::carve(&mut Arena::new(&mut words), size, true).unwrap();
                let sampling = Sampling { sampler, ..Sampling::default() };
                let sampled = run(&mut chain, gp, &Broken(value), &mut Plain, &sampling, 50).unwrap();
                assert_eq!((&*chain.theta, sampled.moved, chain.state[SWEEPS]), (&start[..], 0, 50));
                // One direction at most for slices, three coordinates for steps.
                assert!(sampled.evaluations <= 50 * 6, "{sampled:?}");
            }
        }
        // Latent values have nowhere to start.
        for sampler in Sampler::ALL.into_iter().filter(|sampler| sampler.is_latent()) {
            let mut words = vec![0; Chain::<f64>::words(&size, true)];
            let mut chain = Chain::<f64>::carve(&mut Arena::new(&mut words), size, true).unwrap();
            let sampling = Sampling { sampler, ..Sampling::default() };
            let refused = run(&mut chain, gp, &Broken(f64::NAN), &mut Plain, &sampling, 50);
            assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })), "{refused:?}");
            assert_eq!((&*chain.theta, chain.state[SWEEPS], gp.theta()), (&start[..], 0, &start[..]));
        }
        // What cannot be is refused.
        let mut words = vec![0; Chain::<f64>::words(&size, false)];
        let mut chain = Chain::<f64>::carve(&mut Arena::new(&mut words), size, false).unwrap();
        let latent = Sampling { sampler: Sampler::Whitened, ..Sampling::default() };
        assert_eq!(run(&mut chain, gp, &tape, &mut Plain, &latent, 1), Err(Error::Unsupported));
        for bad in [
            Sampling { width: f64::NAN, ..Sampling::default() },
            Sampling { width: 0.0, ..Sampling::default() },
            Sampling { thin: 0, ..Sampling::default() },
            Sampling { shrink: 0, ..Sampling::default() },
        ] {
            assert_eq!(run(&mut chain, gp, &tape, &mut Plain, &bad, 1), Err(Error::Config));
        }
        let mut posteriors = Ensemble::carve(&mut Arena::new(&mut []), size, 0).unwrap();
        let none = chain.fill(gp, &mut posteriors, &tape, &mut Plain, &Sampling::default());
        assert_eq!(none, Err(Error::Shape { needed: 1 }));
        gp.clear();
        assert_eq!(run(&mut chain, gp, &tape, &mut Plain, &Sampling::default(), 1), Err(Error::NoData));
    });
}
