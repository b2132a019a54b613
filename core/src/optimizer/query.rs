//! Queries of an optimizer: its trials, its model, its memory.

use core::marker::PhantomData;

use super::block::{Block, HEADER, Places, place};
use super::monomorphic::Lent;
use super::trials::TrialsRead;
use super::{Optimizer, cash, monomorphic, save};
use crate::acquisition::Prediction;
use crate::config::{self, Config};
use crate::error::{Difference, Error, Part};
use crate::explain::Given;
use crate::limits::Limits;
use crate::real::Real;
use crate::space::{Domain, Space};
use crate::trial::{State, Trial, TrialId};

impl<R: Real, M: AsRef<[u64]>> Optimizer<R, M> {
    /// The optimizer in words that [`Optimizer::new`] or [`Optimizer::attach`] has seen and that nothing else has
    /// written since.
    ///
    /// Reads the header alone; `M` may be `&[u64]`, for looking only. A program that keeps nothing but the words
    /// takes them up again with this at every call. Words from elsewhere belong to [`Optimizer::attach`]: damage
    /// behind the header is not seen here, and what follows may panic. Cost: O(1).
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`], [`Error::Corrupt`] as [`Optimizer::attach`], for the header.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// let mut words = vec![0; limits.words::<f64>()];
    /// Optimizer::<f64, _>::new(&space, &Config::default(), limits, &mut words[..])?.observe(&[0.5], 1.0)?;
    /// assert_eq!(Optimizer::<f64, _>::resume(&words[..])?.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn resume(mem: M) -> Result<Self, Error> {
        let (limits, shape) = save::front::<R>(mem.as_ref())?;
        Ok(Self { mem, limits, shape, scalar: PhantomData })
    }

    pub(super) fn read(&self) -> TrialsRead<'_, R> {
        let used = self.used();
        TrialsRead::of(&self.mem.as_ref()[Places::of::<R>(0, &used).trials], &used)
    }

    /// The limits by which its sections lie.
    pub(super) fn used(&self) -> Limits {
        self.limits.used(self.shape)
    }

    /// The told trial of lowest value.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// assert!(optimizer.best().is_none());
    /// optimizer.observe(&[0.25], 3.0)?;
    /// optimizer.observe(&[0.5], 2.0)?;
    /// assert_eq!(optimizer.best().unwrap().point, [0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn best(&self) -> Option<Trial<'_, R>> {
        let trials = self.read();
        trials.trial(trials.best()?)
    }

    /// All trials in no particular order: told, failed, open and queued ones.
    ///
    /// A resumed program finds here which questions are still open, with their points.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space, State};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let ask = optimizer.ask(&mut [0.0])?;
    /// optimizer.observe(&[0.5], 2.0)?;
    /// let open: Vec<_> = optimizer.trials().filter(|t| t.state == State::Open).map(|t| t.id).collect();
    /// assert_eq!(open, [ask.id]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn trials(&self) -> impl Iterator<Item = Trial<'_, R>> {
        let trials = self.read();
        (0..trials.slots.len()).filter_map(move |slot| trials.trial(slot))
    }

    /// Closed trials: told and failed ones.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let ask = optimizer.ask(&mut [0.0])?;
    /// assert_eq!(optimizer.len(), 0);
    /// optimizer.fail(ask.id)?;
    /// assert_eq!(optimizer.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.trials().filter(|t| matches!(t.state, State::Done | State::Failed)).count()
    }

    /// Whether no trial is closed.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// assert!(optimizer.is_empty());
    /// optimizer.observe(&[0.5], 1.0)?;
    /// assert!(!optimizer.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Trials that may still be asked for or observed before the optimizer is full.
    ///
    /// Where branches have models of their own, places that are free both here and there.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// optimizer.ask(&mut [0.0])?;
    /// assert_eq!(optimizer.remaining(), 9);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn remaining(&self) -> usize {
        let (words, trials, used) = (self.mem.as_ref(), self.read(), self.used());
        if self.shape.is_branched() {
            return save::config(words)
                .map_or(0, |config| cash::remaining::<R>(words, &used, &config, trials));
        }
        trials.in_state(None).count()
    }

    /// Number of parameters.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let mut point = vec![0.0; optimizer.dims()];
    /// optimizer.ask(&mut point)?;
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn dims(&self) -> usize {
        self.shape.dims
    }

    /// The limits it works within.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// assert_eq!(optimizer.limits().trials, 10);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What it was told to do, but for the kernel: also of a block that was saved.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// let config = Config { seed: 7, ..Config::default() };
    /// let optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
    /// assert_eq!(optimizer.config()?, config);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a block that was damaged since it was attached.
    pub fn config(&self) -> Result<Config<'static>, Error> {
        save::config(self.mem.as_ref())
    }

    /// The space that it is over, with its names if the block has room for them.
    ///
    /// Cost: O(words of the space).
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a block that was damaged since it was attached.
    pub fn space(&self) -> Result<Domain<'_>, Error> {
        let behind = self.mem.as_ref().get(HEADER + config::WORDS..);
        Domain::attach::<R>(behind.ok_or(Error::Corrupt)?).map_err(|_| Error::Corrupt)
    }

    /// Calls with each parameter that matters at a trial: what an objective has to look at.
    ///
    /// Cost: O(parameters + conditions + listed values).
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a trial that is unknown or forgotten, [`Error::Corrupt`] as [`Optimizer::space`].
    ///
    /// ```
    /// # use infill::{Condition, Config, Error, Optimizer, Param, Space, When};
    /// let params = [Param::categorical(2), Param::real(0.0, 1.0)];
    /// let conditions = [Condition::new(1, 0, When::Equals(1.0))];
    /// let space = Space::new(&params, &conditions)?;
    /// # let limits = space.limits(10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let id = optimizer.observe(&[0.0, f64::NAN], 1.0)?;
    /// let mut active = vec![];
    /// optimizer.for_each_active(id, |parameter| active.push(parameter))?;
    /// assert_eq!(active, [0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn for_each_active(&self, id: TrialId, mut run: impl FnMut(usize)) -> Result<(), Error> {
        let trials = self.read();
        let slot = trials.slot_of(id)?;
        let space = self.space()?;
        space.with_activity(trials.unit(slot), |active| {
            (0..space.dims()).filter(|&i| active(i)).for_each(&mut run);
        });
        Ok(())
    }

    /// What an explanation of a refused call has to know of this optimizer, and of a trial.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let id = optimizer.observe(&[0.25], 3.0)?;
    /// let error = optimizer.tell(id, 2.0).unwrap_err();
    /// assert!(optimizer.given(Some(id)).explain(error).to_string().ends_with("is told already"));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn given(&self, trial: Option<TrialId>) -> Given<'_> {
        let trials = self.read();
        let state = |id| trials.slot_of(id).ok().and_then(|slot| trials.state(slot));
        let trial = trial.map(|id| (id, state(id)));
        Given { block: self.space().ok(), limits: Some(self.limits), trial, ..Given::default() }
    }

    /// Whether it is over a space: for a block that was saved, before its points are read as points of that space.
    ///
    /// Names and labels are compared where both have them; [`Optimizer::space`] tells those of the block. Cost: O(parameters ×
    /// conditions + clauses + texts).
    ///
    /// # Errors
    /// [`Error::Space`] with the first part that differs, [`Error::Corrupt`] for a block that was damaged since it was attached.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Part, Space};
    /// let (params, others) = ([Param::real(0.0, 1.0)], [Param::real(0.0, 2.0)]);
    /// let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// optimizer.check_space(&space)?;
    /// let refused = optimizer.check_space(&Space::new(&others, &[])?);
    /// assert!(matches!(refused, Err(Error::Space(what)) if what.part() == Part::Parameter));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check_space(&self, space: &Space<'_>) -> Result<(), Error> {
        self.space()?.check_space(space)?;
        let (own, other) = (self.mem.as_ref()[place::NAMES], space.names_fingerprint());
        Error::Space(Difference::new(Part::Names, 0)).when(own != 0 && other != 0 && own != other)?;
        Ok(())
    }

    /// A copy in another block with limits that are at least as large.
    ///
    /// It proposes what this one would, to the last bit, unless a limit was in the way here:
    /// [`Search::starts`](crate::Search) beyond [`Limits::starts`], or too few trials.
    ///
    /// # Errors
    /// [`Error::Limits`] if a limit is smaller than here or too small for the configuration,
    /// [`Error::Memory`] if the block is too small.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// let small = Limits::new(1, 2);
    /// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), small, vec![0; small.words::<f64>()])?;
    /// optimizer.observe(&[0.2], 1.0)?;
    /// optimizer.observe(&[0.7], 2.0)?;
    /// assert_eq!(optimizer.ask(&mut [0.0]).unwrap_err(), Error::Full);
    ///
    /// let large = Limits::new(1, 50);
    /// let mut grown = optimizer.copy_into(large, vec![0; large.words::<f64>()])?;
    /// assert!(grown.ask(&mut [0.0]).is_ok());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copy_into<N: AsRef<[u64]> + AsMut<[u64]>>(
        &self,
        limits: Limits,
        mut mem: N,
    ) -> Result<Optimizer<R, N>, Error> {
        let needed = limits.check_countable::<R>()?;
        limits.check_covers(&self.limits)?;
        let (from, words, shape) = (self.mem.as_ref(), mem.as_mut(), self.shape);
        let config = save::config(from)?;
        if !shape.is_branched() {
            config.needs(&limits, shape.dims)?;
        }
        Error::Memory { needed }.when(words.len() < needed)?;
        if shape.is_branched() {
            cash::copy::<R>(from, &self.limits, words, &limits, shape, &config)?;
        } else {
            words[..needed].fill(0);
            save::copy::<R>(from, &self.limits, words, &limits, shape)?;
            Block::<R>::carve(words, &limits, shape)?.grow_method(self.limits.most_open());
        }
        let mut copy = Optimizer { mem, limits, shape, scalar: PhantomData };
        copy.write_checksum();
        Ok(copy)
    }

    /// The words that are the optimizer: copy them to save it.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let bytes: Vec<u8> = optimizer.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    /// assert_eq!(bytes.len(), 8 * limits.words::<f64>());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.mem.as_ref()[..self.limits.words::<R>()]
    }

    /// The memory, given back.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let words: Vec<u64> = optimizer.into_inner();
    /// assert!(Optimizer::<f64, _>::attach(words).is_ok());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn into_inner(self) -> M {
        self.mem
    }
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// The told trial of lowest posterior mean, with that mean and variance: do not trust one lucky run.
    ///
    /// Where there is too little data for a model, the trial of lowest value. Cost: O(n²) flops, O(n³) if the factor is
    /// not up to date; that of a training where this trains.
    ///
    /// A look trains the hyperparameters if no ask has, as the next ask would, and again as the values grow
    /// ([`Refit`](crate::Refit)): after values that were only observed it says what it would say after an ask, and an ask
    /// that follows it proposes what it would have proposed without. Once asks train, looks do not; nor while asks
    /// spread the starting design, when the hyperparameters are the first guesses of the kernel.
    ///
    /// # Errors
    /// [`Error::NoData`] if no value was told.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 20);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let mut x = [0.0];
    /// for _ in 0..12 {
    ///     let ask = optimizer.ask(&mut x)?;
    ///     optimizer.tell(ask.id, (x[0] - 0.3) * (x[0] - 0.3))?;
    /// }
    /// let (trial, prediction) = optimizer.recommend()?;
    /// assert!((trial.point[0] - 0.3).abs() < 0.05 && prediction.mean < 0.01);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn recommend(&mut self) -> Result<(Trial<'_, R>, Prediction<R>), Error> {
        self.recommend_by(true)
    }

    /// As [`Optimizer::recommend`], which may train or not.
    pub(super) fn recommend_by(&mut self, train: bool) -> Result<(Trial<'_, R>, Prediction<R>), Error> {
        let answer = monomorphic::recommend::<R>(self.lent(), train);
        self.write_checksum();
        let (slot, prediction) = answer?;
        let trial = self.read().trial(slot).ok_or(Error::NoData)?;
        Ok((trial, prediction))
    }

    /// Mean and variance of the model at a point, in user units.
    ///
    /// With [`Transform::Power`](crate::Transform::Power) or [`Transform::Rank`](crate::Transform::Rank) the mean is
    /// the median and the variance that of the delta method. It trains when [`Optimizer::recommend`] does.
    ///
    /// # Errors
    /// [`Error::NoData`] if there is too little data for a model, [`Error::Shape`], [`Error::OutOfRange`];
    /// [`Error::NotPositiveDefinite`] and [`Error::NotFinite`] if the model cannot be fitted to the values, as an ask then
    /// proposes a random point ([`Origin::Fallback`](crate::Origin::Fallback)).
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// optimizer.observe(&[0.2], 1.0)?;
    /// optimizer.observe(&[0.5], 3.0)?;
    /// optimizer.observe(&[0.8], 2.0)?;
    /// let prediction = optimizer.predict(&[0.5])?;
    /// assert!((prediction.mean - 3.0).abs() < 0.1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.predict_by(true, point)
    }

    pub(super) fn lent(&mut self) -> Lent<'_> {
        Lent { words: self.mem.as_mut(), limits: &self.limits, shape: self.shape }
    }

    /// As [`Optimizer::predict`], which may train or not.
    pub(super) fn predict_by(&mut self, train: bool, point: &[R]) -> Result<Prediction<R>, Error> {
        self.check_point(point)?;
        let answer = monomorphic::predict(self.lent(), train, point);
        self.write_checksum();
        answer
    }
}
