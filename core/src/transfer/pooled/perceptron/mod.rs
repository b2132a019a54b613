//! A factorised perceptron with an indicator of each data set (FMLP).

pub(in crate::transfer) mod network;
pub(in crate::transfer) mod train;

use super::Room;
use super::inputs::Inputs;
use super::process::{Extent, Process, Shares};
use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::surrogate::Surrogate;
use crate::transfer::knowledge::{Knowledge, Told};
use network::{Sums, UNITS};
use train::{Adam, BETWEEN, Network, PASSES, Rows};

/// ρ² of what no unit describes, τ² of the output layer, and the noise, in the square of the range of the values.
const KERNEL: f64 = 0.05;
const LAYER: f64 = 0.02;
const NOISE: f64 = 1e-4;

/// A network over all data sets, with a process over what it leaves of the run.
///
/// ```text
/// y = b₀ + Σₕ (bₕ + cₕ) φₕ(x) + r(x) + ε,   φₕ = logistic(w₀ₕ + Σᵢ wᵢₕxᵢ + Σᵢ﹤ⱼ ⟨vᵢₕ, vⱼₕ⟩ xᵢxⱼ)
/// cₕ ~ N(0, τ²),   r ~ GP(0, ρ²k),   ε ~ N(0, σ²)
/// ```
///
/// The inputs are the configuration, the meta-features, and an indicator of the data set; values lie between 0 and 1 in each. The
/// network is trained on all of them. Given it, the output layer of the run is its prior guess: what the run was told moves the
/// layer, and a process with the average hyperparameters of the sources, by Bayes' rule, which is where the variance comes from.
///
/// # References
/// Schilling, Wistuba, Drumond and Schmidt-Thieme, *Hyperparameter Optimization with Factorized Multilayer Perceptrons*, ECML
/// PKDD 2015; Wistuba 2017, (2.73), which do not say how the variance is formed.
#[derive(Debug)]
pub(crate) struct Perceptron<'p, R> {
    network: Network<'p, R>,
    /// What the points of the run have in common.
    common: Sums<R>,
    process: Process<'p, R>,
    dims: usize,
    /// The lowest told value, and the range of all.
    units: [R; 2],
}

const fn extent(room: &Room) -> Extent {
    Extent { rows: room.trials, dims: room.dims, thetas: room.thetas, units: UNITS }
}

impl<'p, R: Real> Perceptron<'p, R> {
    pub(in crate::transfer) const fn scalars(room: &Room) -> usize {
        let sets = room.sources.saturating_add(1);
        Inputs::<R>::scalars(room.dims)
            .saturating_add(Network::<R>::scalars(room.dims, sets))
            .saturating_add(Adam::<R>::scalars(room.dims, sets))
            .saturating_add(Process::<R>::scalars(&extent(room)))
            .saturating_add(room.trials.saturating_mul(room.dims.saturating_add(1)))
    }

    /// Trains it.
    ///
    /// Cost: O(passes · rows of all sources · dims + count³).
    ///
    /// # Errors
    /// [`Error::NoData`] without an informative source or a told value, [`Error::Shape`] for too little memory,
    /// [`Error::NotPositiveDefinite`].
    pub(in crate::transfer) fn new<'k: 'p>(
        known: &mut Knowledge<'k, R>,
        run: &Told<'_, R>,
        room: &Room,
        memory: &'p mut [R],
        seed: u64,
    ) -> Result<Self, Error> {
        let (dims, sets) = (room.dims, known.counted() + 1);
        let first = known.largest().ok_or(Error::NoData)?;
        let mut memory = Scratch::new(memory);
        let inputs = Inputs::carve(&mut memory, known, first.tape(), dims)?;
        let mut network = Network::draw(&mut memory, inputs, dims, sets, &mut Generator::new(seed))?;
        let shares = Shares { kernel: R::of(KERNEL), units: R::of(LAYER) };
        let mut process = Process::carve(&mut memory, known, &first, &extent(room), shares)?;
        let (points, values) = (memory.take(run.count * dims)?, memory.take(run.count)?);
        let (told, units) = scaled(run, points, values)?;
        let own = Rows {
            set: sets - 1,
            features: known.own_features(),
            points: &points[..told * dims],
            values: &values[..told],
        };
        train(&mut network, known, &own, &mut memory)?;
        let common = network.common(own.set, own.features);
        for j in 0..run.count {
            let point = &points[j * dims..(j + 1) * dims];
            let hidden = network.sums(&common, point).values();
            let left = (j < told).then(|| values[j] - network.output(&hidden));
            process.push(point, &hidden, left, R::of(NOISE))?;
        }
        process.fit(told)?;
        Ok(Self { network, common, process, dims, units })
    }

    /// The lowest told value: all of them lie between 0 and 1.
    pub(in crate::transfer) fn best(&self) -> R {
        R::ZERO
    }

    /// Where its values lie among those of the run: offset and width.
    pub(in crate::transfer) fn units(&self) -> [R; 2] {
        self.units
    }
}

/// Writes the points of a run, and its told values scaled to lie between 0 and 1; all 0 if they are the same. Returns how many,
/// the lowest, and their range, 1 if they are the same.
fn scaled<R: Real>(run: &Told<'_, R>, points: &mut [R], values: &mut [R]) -> Result<(usize, [R; 2]), Error> {
    let dims = points.len() / run.count.max(1);
    let (mut told, mut lo, mut hi) = (0, R::INFINITY, -R::INFINITY);
    for (j, out) in points.chunks_exact_mut(dims).enumerate() {
        let (point, value) = (run.row)(j);
        out.copy_from_slice(point);
        if let Some(value) = value {
            values[told] = value;
            told += 1;
            (lo, hi) = (lo.min(value), hi.max(value));
        }
    }
    Error::NoData.when(told == 0)?;
    // Half of each, so that no difference leaves the range.
    let width = R::HALF * hi - R::HALF * lo;
    for value in &mut values[..told] {
        *value = if width > R::ZERO { (R::HALF * *value - R::HALF * lo) / width } else { R::ZERO };
    }
    Ok((told, [lo, if width > R::ZERO { R::TWO * width } else { R::ONE }]))
}

/// Passes over all data sets; the run is visited in between, and the steps become shorter from pass to pass.
pub(in crate::transfer) fn train<R: Real>(
    network: &mut Network<'_, R>,
    known: &mut Knowledge<'_, R>,
    own: &Rows<'_, R>,
    memory: &mut Scratch<'_, R>,
) -> Result<(), Error> {
    let mut adam = Adam::carve(memory, own.points.len() / own.values.len(), own.set + 1)?;
    let mut visits = 0;
    for pass in 0..PASSES {
        let pace = R::of_usize(PASSES - pass) / R::of_usize(PASSES);
        let mut set = 0;
        known.each_counted(&mut |_, source| {
            let (points, values) = (source.points(), source.values());
            let rows = Rows { set, features: source.features(), points, values };
            adam.step(network, &rows, pass + 1, pace);
            set += 1;
            if set % BETWEEN == 0 {
                visits += 1;
                adam.step(network, own, visits, pace);
            }
            Ok(())
        })?;
        visits += 1;
        adam.step(network, own, visits, pace);
    }
    Ok(())
}

impl<R: Real> Surrogate<R> for Perceptron<'_, R> {
    fn dims(&self) -> usize {
        self.dims
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let Self { network, common, process, .. } = self;
        let mut units = [R::ZERO; UNITS];
        process.predict_many(points, [means, variances], &mut units, &mut |point, out| {
            let units = network.sums(common, point).values();
            out.copy_from_slice(&units);
            network.output(&units)
        })
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.network.inputs.is_number(parameter) && self.process.smooth(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        let Self { network, common, process, .. } = self;
        let sums = network.sums(common, point);
        let units = sums.values();
        let (mut mean_units, mut variance_units) = ([R::ZERO; UNITS], [R::ZERO; UNITS]);
        let [by_mean, by_variance] = slopes;
        let prediction = process.gradient(
            point,
            &units,
            network.output(&units),
            [&mut *by_mean, &mut *by_variance],
            [&mut mean_units, &mut variance_units],
        )?;
        for (k, (by_mean, by_variance)) in by_mean.iter_mut().zip(by_variance).enumerate() {
            if !network.inputs.is_number(k) {
                continue;
            }
            let slope = sums.slope(network.links(Inputs::<R>::place(k)), point[k].max(R::ZERO));
            for (h, &output) in network.weights().iter().enumerate() {
                let bend = slope[h] * units[h] * (R::ONE - units[h]);
                *by_mean += (output + mean_units[h]) * bend;
                *by_variance += variance_units[h] * bend;
            }
        }
        Ok(prediction)
    }
}
