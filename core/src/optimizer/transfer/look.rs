//! Looks at the model that asks with sources would use.

use super::help::{Help, Helped, divide, widened};
use super::points;
use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::config::TRANSFER;
use crate::error::Error;
use crate::optimizer::Optimizer;
use crate::optimizer::block::Block;
use crate::real::Real;
use crate::surrogate::Surrogate;
use crate::transfer::{How, Knowledge, Source, Sources, Stage};
use crate::trial::{State, Trial};

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// As [`Optimizer::recommend`], by the model that [`Optimizer::ask_from`] would use with these sources, with the arithmetic done
    /// by `backend`.
    ///
    /// Without sources, with those that say nothing, and with a [`How`] that leaves the model as it is ([`How::Alone`],
    /// [`How::Value`], [`How::Function`]) it is [`Optimizer::recommend`], to the bit; so it is where there is too little data for a
    /// model. [`How::Ranker`] has an order and no values: mean and variance are then those that were told. It trains when
    /// [`Optimizer::recommend`] does, and takes no note of the list. Cost: that of [`Optimizer::recommend`], of reading the sources,
    /// and of a prediction at each trial.
    ///
    /// # Errors
    /// [`Error::NoData`] if no value was told; as [`Optimizer::ask_from`] for sources that it cannot work with, and what the backend
    /// reports; the trials are unchanged then.
    pub fn recommend_from<B: Backend<R> + ?Sized>(
        &mut self,
        sources: &Sources<'_, R>,
        backend: &mut B,
    ) -> Result<(Trial<'_, R>, Prediction<R>), Error> {
        self.check_sources(sources)?;
        if self.shape.is_branched() {
            return self.recommend();
        }
        let answer = self.block().and_then(|mut block| block.recommend(backend, true, *sources));
        self.write_checksum();
        let (slot, prediction) = answer?;
        let trial = self.read().trial(slot).ok_or(Error::NoData)?;
        Ok((trial, prediction))
    }

    /// As [`Optimizer::predict`], by the model that [`Optimizer::ask_from`] would use with these sources at a new trial beside none
    /// that are open, with the arithmetic done by `backend`.
    ///
    /// With [`How::Stage`] it is the mixture, with [`How::Prior`] the process whose prior they are, with [`How::Neighbours`] and
    /// [`How::Perceptron`] what takes the place of the model, all in user units. Without sources, with those that say nothing, and
    /// with a [`How`] that leaves the model as it is ([`How::Alone`], [`How::Value`], [`How::Function`]) it is
    /// [`Optimizer::predict`], to the bit. It trains when [`Optimizer::recommend`] does, and takes no note of the list.
    ///
    /// # Errors
    /// As [`Optimizer::predict`]; as [`Optimizer::ask_from`] for sources that it cannot work with, and what the backend reports;
    /// [`Error::Unsupported`] with [`How::Ranker`], whose predictions have no unit.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Plain, Space};
    /// use infill::transfer::{Form, Sources};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let (config, limits) = (Config::default(), Limits::new(1, 10));
    /// # let mut earlier = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
    /// let f = |x: f64| (x - 0.3) * (x - 0.3);
    /// for x in [0.1, 0.3, 0.5, 0.7, 0.9] {
    ///     earlier.observe(&[x], f(x))?;
    /// }
    /// # let size = earlier.source_size(Form::Means, 0)?;
    /// # let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    /// # earlier.export(Form::Means, &[], &mut work, &mut words)?;
    /// # let (sources, limits) = (Sources::attach(&words)?, limits.sources(1).suit(&config));
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
    /// // Another data set, of which two values are known.
    /// optimizer.observe(&[0.2], 5.0 + f(0.2))?;
    /// optimizer.observe(&[0.8], 5.0 + f(0.8))?;
    /// let with = optimizer.predict_from(&sources, &mut Plain, &[0.5])?;
    /// let without = optimizer.predict(&[0.5])?;
    /// let truth = 5.0 + f(0.5);
    /// assert!((with.mean - truth).abs() < (without.mean - truth).abs());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn predict_from<B: Backend<R> + ?Sized>(
        &mut self,
        sources: &Sources<'_, R>,
        backend: &mut B,
        point: &[R],
    ) -> Result<Prediction<R>, Error> {
        self.check_point(point)?;
        self.check_sources(sources)?;
        if self.shape.is_branched() {
            return self.predict(point);
        }
        if moves_model(self.config()?.transfer().how, sources) {
            Error::Unsupported.when(self.config()?.transfer().how.only_ranks())?;
        }
        let answer = self.block().and_then(|mut block| block.predict(backend, true, *sources, point));
        self.write_checksum();
        answer
    }
}

/// Whether the model says something else with these sources than without.
fn moves_model<R: Real>(how: How, sources: &Sources<'_, R>) -> bool {
    TRANSFER && how.moves_model() && sources.iter().any(|source| Source::is_informative(&source))
}

/// Where a question about the model is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// At `self.unit`.
    Unit,
    /// At all told trials: the lowest counts.
    Told,
}

/// What predicts at a point of the unit cube.
type Predict<'p, R> = dyn FnMut(&[R]) -> Result<Prediction<R>, Error> + 'p;

/// What a prediction is in.
#[derive(Clone, Copy, Debug)]
enum Unit<R> {
    /// Targets of the model.
    Targets,
    /// A value of the run is at `offset + width · value`.
    Own([R; 2]),
    /// There is an order alone.
    Rank,
}

impl<R: Real> Block<'_, R> {
    /// Whether the model says something else with these sources than without.
    pub(crate) fn is_moved_by(&self, sources: &Sources<'_, R>) -> bool {
        moves_model(self.config.transfer().how, sources)
    }

    /// The slot of a spot and the prediction there in user units, by the model with the help of sources that move it.
    ///
    /// # Errors
    /// What fitting the model and reading the sources report.
    #[inline(never)]
    pub(crate) fn look_from<B: Backend<R> + ?Sized>(
        &mut self,
        spot: Spot,
        train: bool,
        sources: Sources<'_, R>,
        backend: &mut B,
    ) -> Result<(usize, Prediction<R>), Error> {
        self.look(backend, train)?;
        let (how, limits, dims, rows) =
            (self.config.transfer().how, self.limits, self.shape.dims, self.gp.rows());
        let (tail, span, seed) = (self.tail()?, self.span(rows), self.seed());
        let held = self.hold_out(rows)?;
        let (models, trials, _, unit, desk, _, slots) = self.split();
        let [first, memory, _] = divide(desk.plans, how, &limits)?;
        let mut known = Knowledge::new(sources, points(&limits), limits.thetas as usize, first)?;
        let first = known.first().ok_or(Error::NoData)?;
        let helped = Helped { how, limits, dims, trials, waiting: false, held, seed };
        let told = || {
            slots[..rows]
                .iter()
                .map(|&slot| slot as usize)
                .filter(|&slot| trials.state(slot) == Some(State::Done))
        };
        let lowest = |predict: &mut Predict<'_, R>| match spot {
            Spot::Unit => Ok((0, predict(unit)?)),
            Spot::Told => {
                let mut lowest: Option<(usize, Prediction<R>)> = None;
                for slot in told() {
                    let prediction = predict(trials.unit(slot))?;
                    if lowest.is_none_or(|(_, low)| prediction.mean < low.mean) {
                        lowest = Some((slot, prediction));
                    }
                }
                lowest.ok_or(Error::NoData)
            }
        };
        let (found, units) = match helped.help(&mut known, memory)? {
            Help::Prior(mut prior) => {
                (lowest(&mut |point| prior.prediction(point))?, Unit::Own(prior.units()))
            }
            Help::Pooled(mut pooled) => {
                let units = pooled.units().map_or(Unit::Rank, Unit::Own);
                (lowest(&mut |point| pooled.surrogate().predict(point))?, units)
            }
            Help::Stage(known, weights) => {
                let found = models.with(tail, backend, |model| {
                    let span = widened(span, model, first.points())?;
                    let mut stage = Stage { model, known, span, weights };
                    let freedom = stage.freedom();
                    // What is predicted is the square of the scale then.
                    let spread = if freedom.is_finite() { freedom / (freedom - R::TWO) } else { R::ONE };
                    lowest(&mut |point| {
                        let prediction = stage.predict(point)?;
                        Ok(Prediction { variance: prediction.variance * spread, ..prediction })
                    })
                })?;
                (found, Unit::Targets)
            }
            Help::Nothing | Help::Value(..) | Help::Function(..) => (
                models.with(tail, backend, |model| lowest(&mut |point| model.predict(point)))?,
                Unit::Targets,
            ),
        };
        let (slot, prediction) = found;
        Error::NoData.when(!prediction.mean.is_finite())?;
        let prediction = match units {
            Unit::Targets => self.in_user_units(prediction)?,
            Unit::Own([offset, width]) => Prediction {
                mean: (offset + width * prediction.mean).clamp(-R::MAX, R::MAX),
                // One factor after the other: the square of the width may leave the range.
                variance: (width * (width * prediction.variance)).min(R::MAX),
            },
            Unit::Rank => {
                Error::Unsupported.when(matches!(spot, Spot::Unit))?;
                let trials = self.trials.read();
                Prediction { mean: trials.value(slot), variance: trials.variance(slot) }
            }
        };
        Ok((slot, prediction))
    }
}
