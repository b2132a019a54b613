//! A ranking support vector machine over configurations of all data sets.

use crate::block::Scratch;
use crate::error::Error;
use crate::lbfgs::{self, Budget};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::transfer::pooled::inputs::{FEATURES, Inputs, SLOTS};

/// Random features.
pub(in crate::transfer) const WAVES: usize = 64;
/// Length scales of numbers, of categories and of data sets.
pub(in crate::transfer) const NUMBER: f64 = 0.5;
const CATEGORY: f64 = 1.0;
const SET: f64 = 0.3;
/// What the solver may do.
const BUDGET: Budget = Budget { evaluations: 60, tolerance: 1e-5, reach: 0.01 };

/// Rows of a data set: how many, and in which order; the features of all are one after the other.
#[derive(Clone, Copy)]
pub(in crate::transfer) struct Rows<'r, R> {
    pub(in crate::transfer) values: &'r [R],
    /// C of its pairs.
    pub(in crate::transfer) cost: R,
}

/// Features whose products are the Gaussian kernel, on average over what is drawn.
///
/// ```text
/// ψⱼ(x, d) = √(2/D) cos(ωⱼᵀ(x, d) + bⱼ),   ωⱼ ~ N(0, ℓ⁻²),   bⱼ ~ U(0, 2π)
/// E ψ(x, d)ᵀψ(x′, d′) = exp(−½ |(x, d) − (x′, d′)|²/ℓ²)
/// ```
///
/// # References
/// Rahimi and Recht, *Random Features for Large-Scale Kernel Machines*, NIPS 2007.
#[derive(Debug)]
pub(in crate::transfer) struct Waves<'p, R> {
    inputs: Inputs<'p, R>,
    /// ω of each input, then of each meta-feature, then b; [`WAVES`] of each.
    numbers: &'p mut [R],
    coordinates: usize,
}

impl<'p, R: Real> Waves<'p, R> {
    pub(in crate::transfer) const fn scalars(dims: usize) -> usize {
        Inputs::<R>::count(dims).saturating_add(FEATURES + 1).saturating_mul(WAVES)
    }

    /// Draws them.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn draw(
        memory: &mut Scratch<'p, R>,
        inputs: Inputs<'p, R>,
        dims: usize,
        generator: &mut Generator,
    ) -> Result<Self, Error> {
        let (numbers, coordinates) = (memory.take(Self::scalars(dims))?, Inputs::<R>::count(dims));
        for (input, out) in numbers.chunks_exact_mut(WAVES).enumerate() {
            let length = if input >= coordinates {
                SET
            } else if inputs.is_number(input / SLOTS) {
                NUMBER
            } else {
                CATEGORY
            };
            let normal = |generator: &mut Generator| rng::normal::<R, _>(generator) / R::of(length);
            if input == coordinates + FEATURES {
                out.fill_with(|| R::TWO * R::PI * rng::uniform(generator));
            } else {
                out.fill_with(|| normal(generator));
            }
        }
        Ok(Self { inputs, numbers, coordinates })
    }

    fn of(&self, input: usize) -> &[R] {
        &self.numbers[input * WAVES..(input + 1) * WAVES]
    }

    /// ω of a data set with b.
    pub(in crate::transfer) fn phases(&self, features: &[R]) -> [R; WAVES] {
        let mut out = [R::ZERO; WAVES];
        out.copy_from_slice(self.of(self.coordinates + FEATURES));
        for (f, &value) in features.iter().enumerate().take(self.inputs.features()) {
            axpy(self.inputs.scaled(f, value), self.of(self.coordinates + f), &mut out);
        }
        out
    }

    /// ψ of a configuration.
    pub(in crate::transfer) fn write(&self, phases: &[R; WAVES], point: &[R], out: &mut [R]) {
        out.copy_from_slice(phases);
        self.inputs.each(point, |input, x| axpy(x, self.of(input), out));
        let scale = R::of(2.0 / WAVES as f64).sqrt();
        for out in out {
            *out = scale * out.cos();
        }
    }
}

/// A linear order of features, by pairs inside each data set.
///
/// ```text
/// min ½|w|² + Σ C max(0, 1 − wᵀ(ψᵢ − ψⱼ))² over pairs yᵢ > yⱼ of one data set
/// ```
///
/// Values count by their order alone. Cost: O(rows · WAVES + pairs) for each evaluation.
///
/// # References
/// Joachims, *Optimizing Search Engines using Clickthrough Data*, KDD 2002; Chapelle and Keerthi, *Efficient Algorithms for Ranking
/// with SVMs*, 2010, for the squared hinge in the primal; Bardenet, Brendel, Kégl and Sebag, *Collaborative Hyperparameter Tuning*,
/// ICML 2013.
#[derive(Debug)]
pub(in crate::transfer) struct Order<'p, R> {
    weights: &'p mut [R],
    scratch: &'p mut [R],
    bounds: &'p mut [R],
    scores: &'p mut [R],
    pulls: &'p mut [R],
}

/// Calls with each data set.
pub(in crate::transfer) type Each<'e, R> = dyn FnMut(&mut dyn FnMut(Rows<'_, R>)) -> Result<(), Error> + 'e;

impl<'p, R: Real> Order<'p, R> {
    /// Scalars for as many rows in one data set.
    pub(in crate::transfer) const fn scalars(rows: usize) -> usize {
        rows.saturating_mul(2).saturating_add(3 * WAVES + lbfgs::scratch(WAVES))
    }

    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve(memory: &mut Scratch<'p, R>, rows: usize) -> Result<Self, Error> {
        Ok(Self {
            weights: memory.take(WAVES)?,
            scratch: memory.take(lbfgs::scratch(WAVES))?,
            bounds: memory.take(2 * WAVES)?,
            scores: memory.take(rows)?,
            pulls: memory.take(rows)?,
        })
    }

    /// Finds the weights, given the features of all rows.
    ///
    /// # Errors
    /// What `each` reports.
    pub(in crate::transfer) fn fit(&mut self, features: &[R], each: &mut Each<'_, R>) -> Result<(), Error> {
        let Self { weights, scratch, bounds, scores, pulls } = self;
        let (lo, hi) = bounds.split_at_mut(WAVES);
        lo.fill(-R::INFINITY);
        hi.fill(R::INFINITY);
        weights.fill(R::ZERO);
        let mut failed = Ok(());
        lbfgs::minimize(weights, lo, hi, BUDGET, scratch, &mut |weights, gradient| {
            let loss = loss(weights, features, each, [&mut **scores, &mut **pulls], gradient);
            loss.unwrap_or_else(|error| {
                failed = Err(error);
                R::INFINITY
            })
        });
        failed
    }

    /// What orders configurations: higher is worse.
    pub(in crate::transfer) fn score(&self, features: &[R]) -> R {
        dot(self.weights, features)
    }
}

/// The objective at some weights, and its gradient.
///
/// # Errors
/// What `each` reports.
pub(in crate::transfer) fn loss<R: Real>(
    weights: &[R],
    features: &[R],
    each: &mut Each<'_, R>,
    work: [&mut [R]; 2],
    gradient: &mut [R],
) -> Result<R, Error> {
    let [scores, pulls] = work;
    gradient.copy_from_slice(weights);
    let mut loss = R::HALF * dot(weights, weights);
    let mut rest = features;
    each(&mut |rows| {
        let Rows { values, cost } = rows;
        let (own, behind) = rest.split_at(values.len() * WAVES);
        rest = behind;
        let (scores, pulls) = (&mut scores[..values.len()], &mut pulls[..values.len()]);
        for (score, psi) in scores.iter_mut().zip(own.chunks_exact(WAVES)) {
            *score = dot(weights, psi);
        }
        pulls.fill(R::ZERO);
        for i in 0..values.len() {
            for j in 0..i {
                let sign = if values[i] > values[j] {
                    R::ONE
                } else if values[i] < values[j] {
                    -R::ONE
                } else {
                    continue;
                };
                let lack = R::ONE - sign * (scores[i] - scores[j]);
                if lack > R::ZERO {
                    loss += cost * lack * lack;
                    let pull = R::TWO * cost * sign * lack;
                    pulls[i] += pull;
                    pulls[j] -= pull;
                }
            }
        }
        for (&pull, psi) in pulls.iter().zip(own.chunks_exact(WAVES)) {
            axpy(-pull, psi, gradient);
        }
    })?;
    Ok(loss)
}
