//! How a factorised perceptron is trained: one data set at a time, by Adam.

use super::network::{LINKS, Layer, Pull, Sums, UNITS};
use crate::block::Scratch;
use crate::error::Error;
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::transfer::pooled::inputs::{FEATURES, Inputs};

/// Spreads of the first weights of coordinates, of their vectors, of what belongs to data sets, and of the output.
const FIRST: [f64; 4] = [1.0, 0.5, 0.1, 0.25];
/// What squares of links cost, on the scale of an average squared error.
const DECAY: f64 = 1e-4;
/// The longest step of a number.
pub(in crate::transfer) const RATE: f64 = 0.03;
/// How fast Adam forgets gradients, and their squares.
const FORGET: [f64; 2] = [0.9, 0.99];
/// Squares below it do not lengthen a step.
const STILL: f64 = 1e-8;
/// Passes over all data sets.
pub(super) const PASSES: usize = 8;
/// Sources between two visits of the run.
pub(super) const BETWEEN: usize = 12;

/// Rows of a data set.
#[derive(Clone, Copy)]
pub(in crate::transfer) struct Rows<'r, R> {
    /// Which it is; the run is the last.
    pub(in crate::transfer) set: usize,
    pub(in crate::transfer) features: &'r [R],
    pub(in crate::transfer) points: &'r [R],
    pub(in crate::transfer) values: &'r [R],
}

/// The numbers that are learnt, part after part.
///
/// ```text
/// f(x, d) = b₀ + Σₕ bₕ logistic(zₕ(x, d))
/// ```
#[derive(Debug)]
pub(in crate::transfer) struct Network<'p, R> {
    pub(in crate::transfer) inputs: Inputs<'p, R>,
    /// w₀ of the units, b, and b₀ behind it; then the links of coordinates, of meta-features and of data sets.
    numbers: &'p mut [R],
    coordinates: usize,
}

/// Numbers before the links.
pub(in crate::transfer) const HEAD: usize = 2 * UNITS + 1;

impl<'p, R: Real> Network<'p, R> {
    /// Scalars of what is learnt for so many data sets.
    pub(in crate::transfer) const fn scalars(dims: usize, sets: usize) -> usize {
        let links = Inputs::<R>::count(dims).saturating_add(FEATURES).saturating_add(sets);
        links.saturating_mul(LINKS).saturating_add(HEAD)
    }

    /// Scalars of a gradient: only one data set at a time has one.
    pub(in crate::transfer) const fn gradient_scalars(dims: usize) -> usize {
        Self::scalars(dims, 1)
    }

    /// Draws a network.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn draw(
        memory: &mut Scratch<'p, R>,
        inputs: Inputs<'p, R>,
        dims: usize,
        sets: usize,
        generator: &mut Generator,
    ) -> Result<Self, Error> {
        let numbers = memory.take(Self::scalars(dims, sets))?;
        let coordinates = Inputs::<R>::count(dims);
        let [weight, vector, of_set, output] = FIRST.map(R::of);
        let mut draw = |spread: R| spread * rng::normal::<R, _>(generator);
        numbers.fill(R::ZERO);
        let (head, links) = numbers.split_at_mut(HEAD);
        head[..UNITS].fill_with(|| draw(weight));
        head[UNITS..2 * UNITS].fill_with(|| draw(output));
        head[2 * UNITS] = R::HALF;
        for (i, links) in links.chunks_exact_mut(LINKS).enumerate() {
            let (weights, vectors) = links.split_at_mut(UNITS);
            let is_coordinate = i < coordinates;
            weights.fill_with(|| draw(if is_coordinate { weight } else { of_set }));
            vectors.fill_with(|| draw(if is_coordinate { vector } else { of_set }));
        }
        Ok(Self { inputs, numbers, coordinates })
    }

    /// The links of an input.
    #[inline(always)]
    pub(in crate::transfer) fn links(&self, input: usize) -> &[R] {
        &self.numbers[HEAD + input * LINKS..HEAD + (input + 1) * LINKS]
    }

    fn input_of(&self, set: usize) -> usize {
        self.coordinates + FEATURES + set
    }

    /// What all rows of a data set have in common.
    pub(in crate::transfer) fn common(&self, set: usize, features: &[R]) -> Sums<R> {
        let mut sums = Sums::new(&self.numbers[..UNITS]);
        for (f, &value) in features.iter().enumerate().take(self.inputs.features()) {
            sums.add(self.links(self.coordinates + f), self.inputs.scaled(f, value));
        }
        sums.add(self.links(self.input_of(set)), R::ONE);
        sums
    }

    /// The sums of a row.
    #[inline(always)]
    pub(in crate::transfer) fn sums(&self, common: &Sums<R>, point: &[R]) -> Sums<R> {
        let mut sums = *common;
        self.inputs.each(point, |input, x| sums.add(self.links(input), x));
        sums
    }

    /// The output over some units.
    pub(in crate::transfer) fn output(&self, units: &[R]) -> R {
        self.numbers[2 * UNITS] + dot(self.weights(), units)
    }

    /// b.
    pub(in crate::transfer) fn weights(&self) -> &[R] {
        &self.numbers[UNITS..2 * UNITS]
    }

    /// The loss of a data set, and its derivatives: those of its own links are the last of the gradient.
    ///
    /// ```text
    /// L = 1/(2n) Σ (f(xᵢ, d) − yᵢ)² + ½ decay Σ squares of the links that the data set may use
    /// ```
    ///
    /// Cost: O(n · dims · UNITS · K).
    pub(in crate::transfer) fn loss(&self, rows: &Rows<'_, R>, gradient: &mut [R]) -> R {
        let Rows { set, features, points, values } = *rows;
        gradient.fill(R::ZERO);
        let (head, by_links) = gradient.split_at_mut(HEAD);
        let dims = points.len() / values.len().max(1);
        let share = R::ONE / R::of_usize(values.len().max(1));
        let common = self.common(set, features);
        let (mut all, mut loss) = (Pull::default(), R::ZERO);
        let out: &[R] = self.weights();
        for (point, &value) in points.chunks_exact(dims).zip(values) {
            let sums = self.sums(&common, point);
            let units = sums.values();
            let error = self.output(&units) - value;
            loss += R::HALF * share * error * error;
            let error = share * error;
            let mut delta: Layer<R> = [R::ZERO; UNITS];
            for h in 0..UNITS {
                head[UNITS + h] += error * units[h];
                delta[h] = error * out[h] * units[h] * (R::ONE - units[h]);
            }
            head[2 * UNITS] += error;
            let pull = Pull::new(delta, &sums);
            self.inputs.each(point, |input, x| {
                pull.push(self.links(input), x, &mut by_links[input * LINKS..(input + 1) * LINKS]);
            });
            all.add(&pull);
        }
        head[..UNITS].copy_from_slice(all.delta());
        for (f, &value) in features.iter().enumerate().take(self.inputs.features()) {
            let (input, x) = (self.coordinates + f, self.inputs.scaled(f, value));
            all.push(self.links(input), x, &mut by_links[input * LINKS..(input + 1) * LINKS]);
        }
        let last = (self.coordinates + FEATURES) * LINKS;
        all.push(self.links(self.input_of(set)), R::ONE, &mut by_links[last..]);
        let decay = R::of(DECAY);
        self.each_place(set, |at, place| {
            for (out, &number) in gradient[place..place + LINKS].iter_mut().zip(&self.numbers[at..]) {
                loss += R::HALF * decay * number * number;
                *out += decay * number;
            }
        });
        loss
    }

    /// Calls with the place of the links of each input that a data set may use, and with their place in its gradient.
    pub(in crate::transfer) fn each_place(&self, set: usize, mut of: impl FnMut(usize, usize)) {
        self.inputs.each_place(|input| of(HEAD + input * LINKS, HEAD + input * LINKS));
        for f in 0..self.inputs.features() {
            let place = HEAD + (self.coordinates + f) * LINKS;
            of(place, place);
        }
        let last = HEAD + (self.coordinates + FEATURES) * LINKS;
        of(HEAD + self.input_of(set) * LINKS, last);
    }

    /// The number at a place, to be changed.
    #[cfg(test)]
    pub(in crate::transfer) fn number(&mut self, place: usize) -> &mut R {
        &mut self.numbers[place]
    }
}

/// Steps of Adam.
///
/// ```text
/// m ← β₁m + (1 − β₁)g,   v ← β₂v + (1 − β₂)g²,   θ ← θ − rate · m/(1 − β₁ⁿ)/(√(v/(1 − β₂ⁿ)) + ε)
/// ```
///
/// The averages of a data set's own links know the steps of that data set alone.
///
/// # References
/// Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015.
#[derive(Debug)]
pub(in crate::transfer) struct Adam<'p, R> {
    gradient: &'p mut [R],
    /// m and v of each number.
    first: &'p mut [R],
    second: &'p mut [R],
    /// β₁ⁿ and β₂ⁿ.
    left: [R; 2],
}

impl<'p, R: Real> Adam<'p, R> {
    pub(in crate::transfer) const fn scalars(dims: usize, sets: usize) -> usize {
        let numbers = Network::<R>::scalars(dims, sets);
        numbers.saturating_mul(2).saturating_add(Network::<R>::gradient_scalars(dims))
    }

    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve(
        memory: &mut Scratch<'p, R>,
        dims: usize,
        sets: usize,
    ) -> Result<Self, Error> {
        let numbers = Network::<R>::scalars(dims, sets);
        let own = Self {
            gradient: memory.take(Network::<R>::gradient_scalars(dims))?,
            first: memory.take(numbers)?,
            second: memory.take(numbers)?,
            left: [R::ONE; 2],
        };
        own.first.fill(R::ZERO);
        own.second.fill(R::ZERO);
        Ok(own)
    }

    /// A step for a data set; returns its loss before. `visits` are those of this data set so far, this one with them; `pace` is the
    /// share of the rate.
    pub(in crate::transfer) fn step(
        &mut self,
        network: &mut Network<'_, R>,
        rows: &Rows<'_, R>,
        visits: usize,
        pace: R,
    ) -> R {
        let loss = network.loss(rows, self.gradient);
        let (shared, forget) = (&mut self.left, FORGET.map(R::of));
        for (left, &forget) in shared.iter_mut().zip(&forget) {
            *left *= forget;
        }
        let own = FORGET.map(|forget| R::of(Real::pow(forget, visits as f64)));
        let rate = R::of(RATE) * pace;
        let (coordinates, set) = (network.coordinates, rows.set);
        let last = HEAD + (coordinates + FEATURES) * LINKS;
        let mut move_to = |from: usize, place: usize, count: usize, left: [R; 2], numbers: &mut [R]| {
            let [fix, fix_square] = left.map(|left| R::ONE / (R::ONE - left));
            let gradient = &self.gradient[place..place + count];
            let (first, second) = (&mut self.first[from..from + count], &mut self.second[from..from + count]);
            let numbers = &mut numbers[from..from + count];
            for (((number, &g), m), v) in numbers.iter_mut().zip(gradient).zip(first).zip(second) {
                *m = forget[0] * *m + (R::ONE - forget[0]) * g;
                *v = forget[1] * *v + (R::ONE - forget[1]) * g * g;
                *number -= rate * fix * *m / (crate::math::root(fix_square * *v) + R::of(STILL));
            }
        };
        let shared = *shared;
        move_to(0, 0, HEAD, shared, network.numbers);
        network.inputs.each_place(|input| {
            let place = HEAD + input * LINKS;
            move_to(place, place, LINKS, shared, network.numbers);
        });
        for f in 0..network.inputs.features() {
            let place = HEAD + (coordinates + f) * LINKS;
            move_to(place, place, LINKS, shared, network.numbers);
        }
        let from = HEAD + network.input_of(set) * LINKS;
        move_to(from, last, LINKS, own, network.numbers);
        loss
    }
}
