//! A process over what ranks the configurations of all data sets (SCoT).

pub(in crate::transfer) mod order;

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
use order::{Order, Rows, WAVES, Waves};

/// C of a pair of a source, as in the document, and of a pair of the run: those are few, and all that is known of it.
const COSTS: [f64; 2] = [1e-2, 1.0];
/// Configurations of a source that are looked at as if they were the run's; of more, as many spread over all of them.
const OTHERS: usize = 64;
/// The variance of an output, in the square of the range of the outputs: of what was told, and of what others were told.
const NOISE: [f64; 2] = [1e-2, 1e-1];

/// A process over the outputs of a ranking support vector machine.
///
/// ```text
/// f(x) = wᵀψ(x, d) − lowest over what was told, in units of its range,   f ~ GP(average, k)
/// ```
///
/// A ranking learns from the values of each data set by their order alone, and so has no scale to agree on. The process is
/// conditioned on its outputs where the run was told a value, and, with doubt, where a source was: at the outputs that it gives
/// those as configurations of the run. Its hyperparameters are the averages of the sources.
///
/// # References
/// Bardenet, Brendel, Kégl and Sebag, *Collaborative Hyperparameter Tuning*, ICML 2013; Wistuba 2017, 2.7.2.
#[derive(Debug)]
pub(crate) struct Ranker<'p, R> {
    process: Process<'p, R>,
    /// The mean of the process.
    average: R,
    best: R,
    dims: usize,
}

const fn extent(room: &Room) -> Extent {
    Extent { rows: room.trials.saturating_add(OTHERS), dims: room.dims, thetas: room.thetas, units: 0 }
}

/// Most rows of a data set.
const fn largest(room: &Room) -> usize {
    if room.rows > room.trials { room.rows } else { room.trials }
}

impl<'p, R: Real> Ranker<'p, R> {
    pub(in crate::transfer) const fn scalars(room: &Room) -> usize {
        let rows = room.sources.saturating_mul(room.rows).saturating_add(room.trials);
        Inputs::<R>::scalars(room.dims)
            .saturating_add(Waves::<R>::scalars(room.dims))
            .saturating_add(Order::<R>::scalars(largest(room)))
            .saturating_add(Process::<R>::scalars(&extent(room)))
            .saturating_add(rows.saturating_mul(WAVES))
            .saturating_add(room.trials.saturating_add(OTHERS).saturating_add(room.trials))
    }

    /// Ranks, and fits the process.
    ///
    /// Cost: O(evaluations · (rows of all sources · WAVES + pairs) + (count + OTHERS)³).
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
        let first = known.largest().ok_or(Error::NoData)?;
        let (dims, mut memory) = (room.dims, Scratch::new(memory));
        let shares = Shares { kernel: R::ONE, units: R::ZERO };
        let mut process = Process::carve(&mut memory, known, &first, &extent(room), shares)?;
        let inputs = Inputs::carve(&mut memory, known, first.tape(), dims)?;
        let waves = Waves::draw(&mut memory, inputs, dims, &mut Generator::new(seed))?;
        let mut order = Order::carve(&mut memory, largest(room))?;
        let (outputs, values) = (memory.take(run.count + OTHERS)?, memory.take(run.count)?);
        let (told, phases) = rank(&mut order, &waves, known, run, values, memory.rest())?;
        let others = first.rows().min(OTHERS);
        let other = |k: usize| first.point(k * first.rows() / others);
        let mut psi = [R::ZERO; WAVES];
        let mut output = |point: &[R]| {
            waves.write(&phases, point, &mut psi);
            order.score(&psi)
        };
        let ends = (R::INFINITY, -R::INFINITY);
        let (mut lo, mut hi) = ends;
        let points = (0..run.count).map(|j| (run.row)(j).0).chain((0..others).map(other));
        for (out, point) in outputs.iter_mut().zip(points) {
            *out = output(point);
            (lo, hi) = (lo.min(*out), hi.max(*out));
        }
        let width = if hi > lo { hi - lo } else { R::ONE };
        let outputs = &mut outputs[..run.count + others];
        let mut average = R::ZERO;
        for out in outputs.iter_mut() {
            *out = (*out - lo) / width;
            average += *out;
        }
        average /= R::of_usize(outputs.len());
        let [sure, doubt] = NOISE.map(R::of);
        for (j, &out) in outputs.iter().enumerate() {
            let (point, noise) =
                if j < run.count { ((run.row)(j).0, sure) } else { (other(j - run.count), doubt) };
            process.push(point, &[], Some(out - average), noise)?;
        }
        process.fit(outputs.len())?;
        let best = outputs[..told].iter().fold(R::INFINITY, |best, &out| best.min(out));
        Ok(Self { process, average, best, dims })
    }

    /// The lowest output where the run was told a value.
    pub(in crate::transfer) fn best(&self) -> R {
        self.best
    }
}

/// Fits the order to the rows of all sources and what was told; returns how much that was, and the phases of the run.
pub(in crate::transfer) fn rank<R: Real>(
    order: &mut Order<'_, R>,
    waves: &Waves<'_, R>,
    known: &Knowledge<'_, R>,
    run: &Told<'_, R>,
    values: &mut [R],
    features: &mut [R],
) -> Result<(usize, [R; WAVES]), Error> {
    let mut rest = &mut *features;
    let mut add = |phases: &[R; WAVES], point: &[R]| {
        let place = rest.split_off_mut(..WAVES).ok_or(Error::Shape { needed: WAVES })?;
        waves.write(phases, point, place);
        Ok(())
    };
    known.each_counted(&mut |_, source| {
        let phases = waves.phases(source.features());
        (0..source.rows()).try_for_each(|row| add(&phases, source.point(row)))
    })?;
    let (phases, mut told) = (waves.phases(known.own_features()), 0);
    for j in 0..run.count {
        if let (point, Some(value)) = (run.row)(j) {
            add(&phases, point)?;
            values[told] = value;
            told += 1;
        }
    }
    Error::NoData.when(told == 0)?;
    let own = &values[..told];
    let [theirs, ours] = COSTS.map(R::of);
    order.fit(features, &mut |each| {
        known.each_counted(&mut |_, source| {
            each(Rows { values: source.values(), cost: theirs });
            Ok(())
        })?;
        each(Rows { values: own, cost: ours });
        Ok(())
    })?;
    Ok((told, phases))
}

impl<R: Real> Surrogate<R> for Ranker<'_, R> {
    fn dims(&self) -> usize {
        self.dims
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let average = self.average;
        self.process.predict_many(points, [means, variances], &mut [], &mut |_, _| average)
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.process.smooth(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        self.process.gradient(point, &[], self.average, slopes, [&mut [], &mut []])
    }
}
