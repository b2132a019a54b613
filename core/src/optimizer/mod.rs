//! The optimizer, the user's door: ask, tell, recommend.

mod ask;
mod baseline;
mod block;
mod cash;
mod export;
mod functions;
mod memory;
mod model;
mod monomorphic;
mod propose;
mod query;
mod representers;
mod resume;
mod save;
mod shared;
mod start;
mod tell;
mod transfer;
mod trials;

use core::marker::PhantomData;

use crate::backend::Backend;
use crate::config::Config;
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::space::Space;
use crate::transfer::Sources;
use crate::trial::{Ask, State, TrialId};
use block::{Block, Shape};
use cash::Branched;
use shared::Criterion;

/// A Bayesian optimizer whose whole state is one block of words.
///
/// It minimises: maximise by telling −y. `M` owns or borrows the words: `&mut [u64]`, `[u64; N]`, `Vec<u64>`.
/// Saving is copying the words, loading is [`Optimizer::attach`].
///
/// ```
/// use infill::{Config, Limits, Optimizer, Param, Space};
///
/// let params = [Param::real(-5.0, 10.0), Param::real(0.0, 15.0)];
/// let space = Space::new(&params, &[])?;
/// const LIMITS: Limits = Limits::new(2, 30);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), LIMITS, [0; LIMITS.words::<f64>()])?;
/// let mut x = [0.0; 2];
/// for _ in 0..20 {
///     let ask = optimizer.ask(&mut x)?;
///     optimizer.tell(ask.id, (x[0] - 1.0).powi(2) + (x[1] - 2.0).powi(2))?;
/// }
/// assert!(optimizer.best().unwrap().value < 1e-2);
/// # Ok::<(), infill::Error>(())
/// ```
///
/// One optimizer is used by one thread at a time. It lives as long as its words.
#[derive(Clone, Copy, Debug)]
pub struct Optimizer<R, M> {
    mem: M,
    limits: Limits,
    shape: Shape,
    scalar: PhantomData<R>,
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// An optimizer without trials, in a block of at least [`Limits::words`].
    ///
    /// # Errors
    /// [`Error::Limits`] for limits that cannot be counted, [`Error::Memory`] with the words needed,
    /// [`Error::Dimensions`] for a space larger than the limits, [`Error::Levels`] for an integer range that is not
    /// exact in `R`, [`Error::Kernel`] for a kernel larger than the limits, [`Error::Config`] for a setting out of
    /// range, [`Error::Unsupported`] for choices that do not go together.
    ///
    /// With a [`Strategy`](crate::Strategy) that branches, the limits are those of the whole space and of all trials together,
    /// and the configuration is that of every branch, each with a seed of its own. It is refused with [`Error::OutOfRange`] for
    /// a parameter that is not there; [`Error::Unsupported`] for one that is no category or has a condition, for
    /// [`Transform::Rank`](crate::Transform::Rank), methods without a model and policies whose values cannot be compared where
    /// branches are, for [`WhenFull::DropWorst`](crate::WhenFull::DropWorst), and without feature `models`; [`Error::Config`]
    /// for a start of one trial with a process, or a budget of less than one trial for each branch; [`Error::Infeasible`] if
    /// every branch is forbidden; [`Error::Limits`] for more values than there is room for, or more than 128 parameters,
    /// conditions or terms in a branch.
    ///
    /// ```
    /// use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// let params = [Param::integer(1, 64).log(), Param::categorical(3)];
    /// let space = Space::new(&params, &[])?;
    /// let limits = Limits::new(2, 10);
    /// let mut words = vec![0; limits.words::<f32>() - 1];
    /// let refused = Optimizer::<f32, _>::new(&space, &Config::default(), limits, &mut words[..]);
    /// assert_eq!(refused.unwrap_err(), Error::Memory { needed: limits.words::<f32>() });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(space: &Space<'_>, config: &Config<'_>, limits: Limits, mut mem: M) -> Result<Self, Error> {
        let shape = start::start::<R>(space, config, &limits, mem.as_mut())?;
        let mut optimizer = Self { mem, limits, shape, scalar: PhantomData };
        optimizer.write_checksum();
        Ok(optimizer)
    }

    /// The optimizer whose words were saved.
    ///
    /// Checks every count, offset and index that is later trusted. Trials that are open wait for [`Optimizer::next`].
    /// Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version, byte order or scalar,
    /// [`Error::Corrupt`] for damaged words.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let mut x = [0.0];
    /// let open = optimizer.ask(&mut x)?;
    /// let saved: Vec<u64> = optimizer.words().to_vec();
    ///
    /// let mut again = Optimizer::<f64, _>::attach(saved)?;
    /// again.tell(open.id, 0.5)?;
    /// assert_eq!(again.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn attach(mut mem: M) -> Result<Self, Error> {
        let (limits, shape) = save::validate::<R>(mem.as_mut())?;
        let mut optimizer = Self { mem, limits, shape, scalar: PhantomData };
        optimizer.note_open();
        Ok(optimizer)
    }

    /// The optimizer whose words were saved, if it is over this space.
    ///
    /// # Errors
    /// As [`Optimizer::attach`] and [`Optimizer::check_space`]. The words are then as they were.
    pub fn attach_to(space: &Space<'_>, mut mem: M) -> Result<Self, Error> {
        let (limits, shape) = save::validate::<R>(mem.as_mut())?;
        let mut optimizer = Self { mem, limits, shape, scalar: PhantomData };
        optimizer.check_space(space)?;
        optimizer.note_open();
        Ok(optimizer)
    }

    /// Proposes a point, in user units, and opens a trial for it. Many trials may be open.
    ///
    /// Queued points come first, then the starting design, then the points of largest acquisition, with the
    /// open trials believed to give what the model predicts.
    ///
    /// # Errors
    /// [`Error::Shape`] if `point` has not one element per parameter, [`Error::TooManyOpen`], [`Error::Full`],
    /// [`Error::Exhausted`] if every point of a finite space is used.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space};
    /// let params = [Param::categorical(2)];
    /// let space = Space::new(&params, &[])?;
    /// let limits = Limits::new(1, 10);
    /// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let (mut a, mut b) = ([0.0], [0.0]);
    /// assert_eq!(optimizer.ask(&mut a)?.origin, Origin::Design);
    /// optimizer.ask(&mut b)?;
    /// assert_ne!(a, b);
    /// assert_eq!(optimizer.ask(&mut a).unwrap_err(), Error::Exhausted);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ask(&mut self, point: &mut [R]) -> Result<Ask<R>, Error> {
        self.check_point(point)?;
        let answer = monomorphic::ask(self.lent(), point);
        self.write_checksum();
        answer
    }

    /// As [`Optimizer::ask`], with the arithmetic done by `backend`.
    ///
    /// # Errors
    /// As [`Optimizer::ask`], and what the backend reports; the trials are unchanged then.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Plain, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let mut x = [0.0];
    /// let ask = optimizer.ask_with(&mut Plain, &mut x)?;
    /// # assert!(optimizer.tell(ask.id, 1.0).is_ok());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ask_with<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        self.ask_from(&Sources::default(), backend, point)
    }

    /// As [`Optimizer::ask_with`], with the help of what runs on other data sets taught, as
    /// [`Config::transfer`](field@crate::Config::transfer) says.
    ///
    /// The list may differ from ask to ask; what it says of the told trials is computed anew. Without sources it is
    /// [`Optimizer::ask_with`], to the bit.
    ///
    /// # Errors
    /// As [`Optimizer::ask_with`]; [`Error::Foreign`] for sources over another space, [`Error::Limits`] for more than
    /// [`Limits::sources`] or a kernel of more hyperparameters than there is room for, [`Error::Shape`] for meta-features that are
    /// needed and missing, [`Error::Unsupported`] with a [`Strategy`](crate::Strategy) that branches or without feature `transfer`.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Plain, Space};
    /// use infill::transfer::{Form, Sources};
    /// let params = [Param::real(0.0, 1.0)];
    /// let space = Space::new(&params, &[])?;
    /// let (config, limits) = (Config::default(), Limits::new(1, 10));
    /// let mut earlier = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
    /// for x in [0.1, 0.3, 0.5, 0.7, 0.9] {
    ///     earlier.observe(&[x], (x - 0.3) * (x - 0.3))?;
    /// }
    /// let size = earlier.source_size(Form::Means, 0)?;
    /// let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    /// earlier.export(Form::Means, &[], &mut work, &mut words)?;
    ///
    /// let (sources, limits) = (Sources::attach(&words)?, limits.sources(1).suit(&config));
    /// let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
    /// let mut x = [0.0];
    /// assert_eq!(optimizer.ask_from(&sources, &mut Plain, &mut x)?.origin, Origin::Source);
    /// assert!((x[0] - 0.3).abs() < 0.05);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ask_from<B: Backend<R> + ?Sized>(
        &mut self,
        sources: &Sources<'_, R>,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        self.check_point(point)?;
        self.check_sources(sources)?;
        if self.shape.is_branched() {
            return self.branched(|block| block.ask(backend, point));
        }
        let open_limit = self.limits.open as usize;
        let answer = self.block().and_then(|mut block| block.ask(backend, open_limit, *sources, point));
        self.write_checksum();
        answer
    }

    /// Tells the value of an open trial.
    ///
    /// Cost: O(n²), one row of the factor.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] unless the trial is open, [`Error::NotFinite`] for a NaN or infinite value.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let ask = optimizer.ask(&mut [0.0])?;
    /// assert_eq!(optimizer.tell(ask.id, f64::NAN).unwrap_err(), Error::NotFinite);
    /// optimizer.tell(ask.id, 1.0)?;
    /// assert_eq!(optimizer.tell(ask.id, 1.0).unwrap_err(), Error::StaleTrial);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tell(&mut self, id: TrialId, value: R) -> Result<(), Error> {
        self.tell_noisy(id, value, R::ZERO)
    }

    /// Tells the value of an open trial together with the known variance of that value.
    ///
    /// The variance adds to the noise that is learnt from all values.
    ///
    /// # Errors
    /// As [`Optimizer::tell`]; [`Error::NotFinite`] for a variance that is negative or not finite.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let ask = optimizer.ask(&mut [0.0])?;
    /// optimizer.tell_noisy(ask.id, 1.3, 0.04)?;
    /// assert_eq!(optimizer.best().unwrap().variance, 0.04);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tell_noisy(&mut self, id: TrialId, value: R, variance: R) -> Result<(), Error> {
        Error::NotFinite.when(!value.is_finite() || !variance.is_finite() || variance < R::ZERO)?;
        self.close(id, State::Done, value, variance)
    }

    /// Tells that an open trial failed: the point counts as bad as the worst value seen.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] unless the trial is open.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space, State};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let ask = optimizer.ask(&mut [0.0])?;
    /// optimizer.fail(ask.id)?;
    /// assert_eq!(optimizer.trials().next().unwrap().state, State::Failed);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fail(&mut self, id: TrialId) -> Result<(), Error> {
        self.close(id, State::Failed, R::ZERO, R::ZERO)
    }

    /// Forgets an open or queued trial: its worker is lost, its place is free, its point may be proposed again.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] unless the trial is open or queued.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let ask = optimizer.ask(&mut [0.0])?;
    /// optimizer.forget(ask.id)?;
    /// assert_eq!(optimizer.tell(ask.id, 1.0).unwrap_err(), Error::StaleTrial);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn forget(&mut self, id: TrialId) -> Result<(), Error> {
        let trials = self.read();
        let slot = trials.slot_of(id)?;
        Error::StaleTrial.when(!matches!(trials.state(slot), Some(State::Open | State::Queued)))?;
        if self.shape.is_branched() {
            return self.branched(|block| block.forget(slot));
        }
        let mut block = self.block()?;
        block.forget_method(slot);
        block.trials.set_state(slot, None);
        self.write_checksum();
        Ok(())
    }

    /// Puts a point in the queue: a later ask proposes it before any other.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::OutOfRange`], [`Error::Forbidden`], [`Error::Full`].
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// optimizer.enqueue(&[0.25])?;
    /// let mut x = [0.0];
    /// assert_eq!(optimizer.ask(&mut x)?.origin, Origin::Queue);
    /// assert_eq!(x, [0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn enqueue(&mut self, point: &[R]) -> Result<TrialId, Error> {
        self.add(point, State::Queued)
    }

    /// Adds a value that was observed without an ask.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::OutOfRange`], [`Error::Forbidden`], [`Error::NotFinite`], [`Error::Full`].
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// optimizer.observe(&[0.25], 3.0)?;
    /// assert_eq!(optimizer.observe(&[1.25], 3.0).unwrap_err(), Error::OutOfRange { parameter: 0 });
    /// assert_eq!(optimizer.best().unwrap().value, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn observe(&mut self, point: &[R], value: R) -> Result<TrialId, Error> {
        Error::NotFinite.when(!value.is_finite())?;
        let id = self.add(point, State::Open)?;
        self.close(id, State::Done, value, R::ZERO)?;
        Ok(id)
    }

    /// Forgets what was learnt about hyperparameters, degrees of freedom and portfolios, but no trial: for when the
    /// objective has changed, say because another member of an ensemble is tuned.
    ///
    /// The next ask trains afresh; a chain of draws starts anew and burns in.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a block that was damaged since it was attached.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// optimizer.observe(&[0.2], 1.0)?;
    /// optimizer.relearn()?;
    /// assert_eq!(optimizer.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn relearn(&mut self) -> Result<(), Error> {
        if self.shape.is_branched() {
            return self.branched(|block| block.relearn());
        }
        self.block()?.relearn();
        self.write_checksum();
        Ok(())
    }

    fn check_point(&self, point: &[R]) -> Result<(), Error> {
        let needed = self.shape.dims;
        if point.len() == needed { Ok(()) } else { Err(Error::Shape { needed }) }
    }

    fn block(&mut self) -> Result<Block<'_, R>, Error> {
        Block::carve(self.mem.as_mut(), &self.limits, self.shape)
    }

    /// Runs something with the branches.
    fn branched<T>(
        &mut self,
        run: impl FnOnce(&mut Branched<'_, R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let block = Branched::carve(self.mem.as_mut(), &self.limits, self.shape);
        let answer = block.and_then(|mut block| run(&mut block));
        self.write_checksum();
        answer
    }

    fn write_checksum(&mut self) {
        let used = self.used();
        save::write_checksum::<R>(self.mem.as_mut(), &used);
    }
}

#[cfg(any(feature = "alloc", test))]
impl<R: Real> Optimizer<R, alloc::vec::Vec<u64>> {
    /// An optimizer in a block of its own on the heap.
    ///
    /// # Errors
    /// As [`Optimizer::new`].
    ///
    /// ```
    /// use infill::{Config, Limits, Optimizer, Param, Space};
    /// let params = [Param::real(0.0, 1.0)];
    /// let space = Space::new(&params, &[])?;
    /// let optimizer = Optimizer::<f64, _>::with_limits(&space, &Config::default(), Limits::new(1, 10))?;
    /// assert!(optimizer.is_empty());
    /// # Ok::<(), infill::Error>(())
    /// ```
    pub fn with_limits(space: &Space<'_>, config: &Config<'_>, limits: Limits) -> Result<Self, Error> {
        let words = limits.check_countable::<R>()?;
        Self::new(space, config, limits, alloc::vec![0; words])
    }
}

#[cfg(test)]
mod tests;
