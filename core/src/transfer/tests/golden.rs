//! Golden values of the specification of the mixtures: what a model and sources say together.

use std::vec;

use super::helped::{knowledge, source, valley, with_past};
use crate::acquisition::Prediction;
use crate::backend::Pooling;
use crate::error::Error;
use crate::surrogate::Surrogate;
use crate::transfer::Weights;
use crate::transfer::knowledge::Count;
use crate::transfer::learnt::soft_least;
use crate::transfer::stage::{Span, Stage};

/// A model that says the same everywhere.
struct Everywhere(Prediction<f64>);

impl Surrogate<f64> for Everywhere {
    fn dims(&self) -> usize {
        2
    }

    fn predict_many(&mut self, _: &[f64], means: &mut [f64], variances: &mut [f64]) -> Result<(), Error> {
        means.fill(self.0.mean);
        variances.fill(self.0.variance);
        Ok(())
    }
}

/// What a model and one source of a weight say together, where the source has the mean and, if it is asked for, the variance.
fn together(
    weights: Weights,
    model: Prediction<f64>,
    mean: f64,
    variance: Option<f64>,
    weight: f64,
) -> Prediction<f64> {
    let words = source(|x| valley(x, 0.7), &[]);
    let mut memory = vec![];
    let mut known = knowledge(&words, &[], &mut memory);
    with_past(&[0.1], |past| {
        known.read(Count::All, past).unwrap();
        known.weights[0] = weight;
        let point = [0.4, past.points[1]];
        let mut said = Prediction { mean: 0.0, variance: 0.0 };
        known.each_sure(&point, 1, &mut |source| said = source.prediction).unwrap();
        let width = variance.map_or(0.5, |variance| (variance / said.variance).sqrt());
        let span = Span { low: mean - width * said.mean, width };
        let mut model = Everywhere(model);
        Stage { model: &mut model, known: &mut known, span, weights }.predict(&point).unwrap()
    })
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

/// G6.
#[test]
fn experts_are_weighed_by_their_precisions() {
    let model = Prediction { mean: 0.0, variance: 1.0 };
    let both = together(Weights::Experts, model, 1.0, Some(0.25), 1.0);
    near(both.mean, 0.8);
    near(both.variance, 0.4);
}

/// G7.
#[test]
fn two_stages_average_means_alone() {
    let model = Prediction { mean: 0.6, variance: 0.09 };
    let both = together(Weights::Ranks { rho: 0.1 }, model, 0.2, None, 0.5625);
    near(both.mean, 0.428_571_428_6);
    assert_eq!(both.variance, 0.09);
}

/// G11: the average of the least of two sources at three points, before and after the second was asked for.
#[test]
fn a_cover_is_what_is_left_to_lose() {
    let means = [[0.1, 0.5, 0.9], [0.8, 0.2, 0.6]];
    let cover = |lowest: [f64; 2], point: usize| -> f64 {
        let parts = lowest.iter().zip(means).map(|(&low, means)| Pooling::Least.of(low, means[point]) / 2.0);
        parts.sum()
    };
    for (point, (first, then)) in [(0.45, 0.15), (0.35, 0.35), (0.75, 0.35)].into_iter().enumerate() {
        near(cover([f64::INFINITY; 2], point), first);
        near(cover([0.5, 0.2], point), then);
    }
}

/// G12.
#[test]
fn the_soft_minimum_has_an_exact_slope() {
    let mut slopes = [0.0; 2];
    near(soft_least(f64::INFINITY, &[0.10, 0.12], &mut slopes), 0.102_384_058_440);
    near(slopes[0], 1.090_784_248_8);
    near(slopes[1], -0.090_784_248_8);
}
