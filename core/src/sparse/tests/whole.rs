//! Waves, training, single precision, thin data.

use std::vec;
use std::vec::Vec;

use super::super::{Kind, Size, Sparse};
use super::{Words, data, empty, evidence, exact, filled, set_spots, size, spots};
use crate::backend::Objective;
use crate::block::Arena;
use crate::error::Error;
use crate::gp::Training;
use crate::kernel::{Dims, Kernel};
use crate::plain::Plain;
use crate::rng::Generator;
use crate::surrogate::Observations;
use crate::surrogate::Surrogate;
use crate::trend::Trend;

#[test]
fn waves_approach_the_kernel_as_one_over_the_root_of_their_number() {
    use super::super::spectrum::{Waves, draw};
    let kernels = [
        Kernel::squared_exponential(Dims::All).ard().scaled(),
        Kernel::matern12(Dims::All).ard().scaled(),
        Kernel::matern32(Dims::All).ard().scaled(),
        Kernel::matern52(Dims::list(&[0, 2])).scaled(),
    ];
    let sizes = [16, 64, 256, 1024, 4096];
    let (x, _) = data(20, 3, 8);
    for kernel in &kernels {
        let words = Words::new(kernel, 3);
        let tape = words.tape();
        let mut theta: Vec<f64> = (0..tape.thetas()).map(|t| -0.9 + 0.3 * t as f64).collect();
        *theta.last_mut().unwrap() = 0.4;
        let mut points = Vec::new();
        for &m in &sizes {
            let (mut sum, mut count) = (0.0f64, 0.0f64);
            for seed in 0..24 {
                let mut spots = vec![0.0; m / 2 * 3];
                draw(tape, &mut Generator::new(100 + seed), &mut spots).unwrap();
                let mut scratch = vec![0.0; spots.len()];
                let waves = Waves::new(tape, &theta, &spots, &mut scratch).unwrap();
                let phi: Vec<Vec<f64>> = x
                    .chunks_exact(3)
                    .map(|point| {
                        let mut out = vec![0.0; m];
                        waves.features(point, &mut out);
                        out
                    })
                    .collect();
                for i in 0..20 {
                    for j in 0..i {
                        let close: f64 = phi[i].iter().zip(&phi[j]).map(|(a, b)| a * b).sum();
                        let truth = tape.eval(&theta, &x[i * 3..i * 3 + 3], &x[j * 3..j * 3 + 3]);
                        sum += (close - truth).powi(2);
                        count += 1.0;
                    }
                    let own: f64 = phi[i].iter().map(|v| v * v).sum();
                    assert!((own - 0.4f64.exp()).abs() < 1e-9);
                }
            }
            points.push(((m as f64).ln(), f64::ln(sum / count) / 2.0));
        }
        let (mx, my) =
            (points.iter().map(|p| p.0).sum::<f64>() / 5.0, points.iter().map(|p| p.1).sum::<f64>() / 5.0);
        let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
            / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
        std::println!("slope {slope:.3}, error at {}: {:.4}", sizes[4], points[4].1.exp());
        assert!((-0.6..=-0.4).contains(&slope), "{slope} {points:?}");
    }
}

#[test]
fn many_waves_predict_as_the_exact_process() {
    let (x, y) = data(60, 2, 9);
    let kernel = Kernel::squared_exponential(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 2);
    let tape = words.tape();
    let mut exact_block = Vec::new();
    let mut gp = exact(&kernel, Trend::Constant, &x, &y, 2, &mut exact_block);
    gp.set_noise(0.01, 1e-8, 1.0).unwrap();
    gp.fit(&tape, &mut Plain).unwrap();
    let size = size(60, 2, 600, &kernel, Trend::Constant);
    let mut block = vec![0; size.words::<f64>()];
    let mut sparse: Sparse<'_, f64> =
        filled(Kind::Spectrum, &kernel, Trend::Constant, size, &x, &y, &mut block);
    sparse.theta.set_range(size.thetas, 0.01, 1e-8, 1.0).unwrap();
    sparse.choose(tape, &mut Generator::new(4)).unwrap();
    sparse.fit(tape).unwrap();
    let mut view = sparse.view(tape, &mut []).unwrap();
    for point in [[0.2, 0.3], [0.5, 0.5], [0.9, 0.6]] {
        let (a, b) = (view.predict(&point).unwrap(), gp.predict(&tape, &point).unwrap());
        assert!((a.mean - b.mean).abs() < 0.05 && (a.variance.sqrt() - b.variance.sqrt()).abs() < 0.03);
    }
}

#[test]
fn training_finds_what_the_exact_process_finds() {
    let (x, y) = data(150, 2, 10);
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 2);
    let tape = words.tape();
    let mut exact_block = Vec::new();
    let mut gp = exact(&kernel, Trend::Constant, &x, &y, 2, &mut exact_block);
    let training = Training::default();
    let truth = gp.train(&tape, &mut Plain, &training, &mut Generator::new(1)).unwrap();
    for kind in [Kind::Fitc, Kind::Variational, Kind::Spectrum] {
        let size = size(150, 2, 50, &kernel, Trend::Constant);
        let mut block = vec![0; size.words::<f64>()];
        let mut sparse: Sparse<'_, f64> = filled(kind, &kernel, Trend::Constant, size, &x, &y, &mut block);
        let mut generator = Generator::new(1);
        let before = {
            sparse.choose(tape, &mut generator).unwrap();
            evidence(&mut sparse, tape, &mut []).unwrap()
        };
        let trained = sparse.train(tape, &training, &mut generator).unwrap();
        std::println!(
            "{kind:?}: {before:.2} to {:.2} in {}; exact {:.2}",
            trained.value,
            trained.evaluations,
            truth.value
        );
        assert!(trained.value > before);
        // Fifty inducing inputs explain this function as well as all; waves are a family of their own.
        if kind != Kind::Spectrum {
            assert!((trained.value - truth.value).abs() < 2.0, "{kind:?} {trained:?} {truth:?}");
        }
        if kind == Kind::Variational {
            assert!(trained.value <= truth.value + 1e-3);
        }
        let noise = sparse.theta()[3].exp();
        assert!((0.001..0.006).contains(&noise), "{kind:?} {noise}");
        let bad = Training { objective: Objective::LeaveOneOut, ..training };
        assert_eq!(sparse.train(tape, &bad, &mut generator), Err(Error::Unsupported));
        // The same seed, the same bits.
        let first = sparse.theta().to_vec();
        let mut again_block = vec![0; size.words::<f64>()];
        let mut again: Sparse<'_, f64> =
            filled(kind, &kernel, Trend::Constant, size, &x, &y, &mut again_block);
        let mut generator = Generator::new(1);
        again.choose(tape, &mut generator).unwrap();
        again.train(tape, &training, &mut generator).unwrap();
        assert_eq!(again.theta(), first);
        assert_eq!(spots(&again), spots(&sparse));
    }
}

#[test]
fn single_precision_is_close_to_double() {
    let (x, y) = data(200, 2, 11);
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 2);
    let tape = words.tape();
    for kind in [Kind::Fitc, Kind::Variational, Kind::Spectrum] {
        let size = size(200, 2, 32, &kernel, Trend::Constant);
        let mut block = vec![0; size.words::<f64>()];
        let mut double: Sparse<'_, f64> = filled(kind, &kernel, Trend::Constant, size, &x, &y, &mut block);
        double.choose(tape, &mut Generator::new(3)).unwrap();
        let mut block = vec![0; size.words::<f32>()];
        let mut single: Sparse<'_, f32> = filled(kind, &kernel, Trend::Constant, size, &x, &y, &mut block);
        let spots: Vec<f32> = spots(&double).iter().map(|&v| v as f32).collect();
        set_spots(&mut single, &spots);
        single.theta.set_range(size.thetas, 0.01, 1e-6, 1.0).unwrap();
        double.theta.set_range(size.thetas, 0.01, 1e-6, 1.0).unwrap();
        double.fit(tape).unwrap();
        single.fit(tape).unwrap();
        for point in [[0.25, 0.75], [0.5, 0.125]] {
            let a = double.view(tape, &mut []).unwrap().predict(&point).unwrap();
            let b = single.view(tape, &mut []).unwrap().predict(&[point[0] as f32, point[1] as f32]).unwrap();
            assert!((a.mean - f64::from(b.mean)).abs() < 2e-3, "{kind:?} {a:?} {b:?}");
            assert!((a.variance - f64::from(b.variance)).abs() < 2e-3, "{kind:?} {a:?} {b:?}");
        }
        let trained = single.train(tape, &Training::default(), &mut Generator::new(5)).unwrap();
        assert!(trained.value.is_finite());
    }
}

#[test]
fn thin_and_odd_data_are_served_or_refused() {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let words = Words::new(&kernel, 2);
    let tape = words.tape();
    for kind in [Kind::Fitc, Kind::Variational, Kind::Spectrum] {
        let limits = size(12, 2, 30, &kernel, Trend::Constant);
        let mut block = vec![0; limits.words::<f64>()];
        let mut sparse: Sparse<'_, f64> = empty(kind, &kernel, Trend::Constant, limits, &mut block);
        let mut generator = Generator::new(1);
        // None, then one, which a constant takes up.
        assert_eq!(sparse.fit(tape), Err(Error::NoData));
        assert_eq!(sparse.train(tape, &Training::default(), &mut generator), Err(Error::NoData));
        assert_eq!(sparse.view(tape, &mut []).unwrap_err(), Error::NoData);
        sparse.data.push(&[0.5, 0.5], 3.0, 0.0).unwrap();
        sparse.choose(tape, &mut generator).unwrap();
        assert_eq!(sparse.fit(tape), Err(Error::NoData));
        assert_eq!(sparse.data.push(&[0.5], 3.0, 0.0), Err(Error::Shape { needed: 2 }));
        assert_eq!(sparse.data.push(&[0.5, f64::NAN], 3.0, 0.0), Err(Error::NotFinite));
        assert_eq!(sparse.data.push(&[0.5, 0.5], 3.0, -1.0), Err(Error::NotFinite));
        // The same observation again and again.
        for _ in 0..11 {
            sparse.data.push(&[0.5, 0.5], 3.0, 0.0).unwrap();
        }
        assert_eq!(sparse.data.push(&[0.5, 0.5], 3.0, 0.0), Err(Error::Full));
        sparse.choose(tape, &mut generator).unwrap();
        assert_eq!(sparse.features(), if kind == Kind::Spectrum { 30 } else { 1 });
        sparse.train(tape, &Training::default(), &mut generator).unwrap();
        let at = sparse.view(tape, &mut []).unwrap().predict(&[0.5, 0.5]).unwrap();
        assert!((at.mean - 3.0).abs() < 1e-6 && at.variance >= 0.0 && at.variance < 1e-3, "{at:?}");
        // Fewer observations than features, all of one value.
        sparse.data.truncate(0);
        sparse.forget();
        for i in 0..6 {
            sparse.data.push(&[i as f64 / 6.0, 0.3], 7.0, 0.0).unwrap();
        }
        sparse.train(tape, &Training::default(), &mut generator).unwrap();
        let at = sparse.view(tape, &mut []).unwrap().predict(&[0.55, 0.9]).unwrap();
        assert!((at.mean - 7.0).abs() < 1e-6 && at.variance.is_finite(), "{kind:?} {at:?}");
        let other = Words::new(&Kernel::matern52(Dims::All), 2);
        assert_eq!(sparse.fit(other.tape()), Err(Error::Kernel));
    }
    let mut none = vec![0; 400];
    for broken in [
        Size { rows: 0, ..size(9, 2, 3, &kernel, Trend::Zero) },
        Size { features: 0, ..size(9, 2, 3, &kernel, Trend::Zero) },
        Size { rows: usize::MAX, ..size(9, 2, 3, &kernel, Trend::Zero) },
        Size { features: usize::MAX / 2, ..size(9, 2, 3, &kernel, Trend::Zero) },
    ] {
        let made = Sparse::<f64>::over(
            Observations::none(),
            &mut Arena::new(&mut none),
            Kind::Fitc,
            Trend::Zero,
            broken,
        );
        assert!(matches!(made, Err(Error::Limits(_))));
    }
}

#[test]
fn inducing_inputs_are_distinct_data_and_the_same_for_a_seed() {
    let (x, y) = data(300, 2, 13);
    let kernel = Kernel::squared_exponential(Dims::All).ard();
    let words = Words::new(&kernel, 2);
    let tape = words.tape();
    let size = size(300, 2, 20, &kernel, Trend::Zero);
    let mut block = vec![0; size.words::<f64>()];
    let mut sparse: Sparse<'_, f64> = filled(Kind::Fitc, &kernel, Trend::Zero, size, &x, &y, &mut block);
    // Length scales so long that few inputs explain all: distance fills the rest.
    sparse.theta_table().value[..2].fill(3.0);
    sparse.choose(tape, &mut Generator::new(6)).unwrap();
    let first = spots(&sparse).to_vec();
    assert_eq!(first.len(), 40);
    for (i, a) in first.chunks_exact(2).enumerate() {
        assert!(x.chunks_exact(2).any(|b| a == b));
        assert!(first.chunks_exact(2).take(i).all(|b| a != b));
    }
    sparse.choose(tape, &mut Generator::new(6)).unwrap();
    assert_eq!(spots(&sparse), first);
    sparse.choose(tape, &mut Generator::new(7)).unwrap();
    assert_ne!(spots(&sparse), first);
    sparse.fit(tape).unwrap();
}
