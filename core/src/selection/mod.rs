//! CASH, combined algorithm selection and hyperparameter optimization: one model for each algorithm, or one for all.
//!
//! ```text
//! (v*, θ*) = argmin f_v(θ),   v the value of the category, θ the parameters that matter then
//! ```

mod ask;
mod baseline;
mod block;
mod branch;
mod common;
mod ledger;
mod look;
mod save;
mod selector;
mod single;
mod whole;

use core::marker::PhantomData;

use crate::backend::Backend;
use crate::block::Header;
use crate::config::Config;
use crate::error::Error;
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::plain::Plain;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::{Domain, Space};
use crate::trial::{Ask, State, TrialId};
use block::{Front, Kind, Start};
pub use branch::MOST;
pub use selector::{Selector, Strategy};

/// Selects among the values of a category and tunes the parameters of each, in one block of words.
///
/// It has the verbs of an [`Optimizer`], over the whole space: points have one element per parameter, those that do not
/// matter are canonical. A branch without parameters is one configuration, evaluated once, or
/// [`Selector::start`] times with [`Config::repeats`].
///
/// ```
/// use infill::{Condition, Config, Limits, Param, Selection, Selector, Space, Strategy, When};
///
/// let params = [Param::categorical(2), Param::real(0.0, 1.0), Param::integer(1, 9)];
/// let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
/// let space = Space::new(&params, &conditions)?;
/// let (selector, limits) = (Selector::new(0, Strategy::Single), Limits::new(3, 40).conditions(2, 0));
/// let memory = vec![0; selector.words::<f64>(&limits, 2)];
/// let mut selection = Selection::<f64, _>::new(&space, selector, &Config::default(), limits, memory)?;
/// let mut x = [0.0; 3];
/// for _ in 0..30 {
///     let ask = selection.ask(&mut x)?;
///     let value = if x[0] == 0.0 { 0.1 + (x[1] - 0.3).powi(2) } else { (x[2] - 7.0).powi(2) };
///     selection.tell(ask.id, value)?;
/// }
/// assert_eq!(selection.best().unwrap().point, [1.0, 0.5, 7.0]);
/// assert_eq!(selection.len(), 30);
/// # Ok::<(), infill::Error>(())
/// ```
///
/// One selection is used by one thread at a time. It lives as long as its words.
#[derive(Clone, Copy, Debug)]
pub struct Selection<R, M> {
    mem: M,
    limits: Limits,
    selector: Selector,
    dims: usize,
    /// Optimizers.
    branches: usize,
    scalar: PhantomData<R>,
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Selection<R, M> {
    /// A selection without trials, in a block of at least [`Selector::words`].
    ///
    /// The limits are those of the whole space and of all trials together. The configuration is that of every branch,
    /// each with a seed of its own; [`Config::start`] does not count.
    ///
    /// # Errors
    /// As [`Optimizer::new`]; [`Error::OutOfRange`] for a parameter that is not there; [`Error::Unsupported`] for one
    /// that is no category or has a condition, for [`Transform::Rank`](crate::Transform::Rank), methods without a model and
    /// policies whose values cannot be compared where branches are, for
    /// [`WhenFull::DropWorst`](crate::WhenFull::DropWorst), and without feature `models`;
    /// [`Error::Config`] for a start of one trial with a process, or a budget of less than one trial for each branch;
    /// [`Error::Infeasible`] if every branch is forbidden; [`Error::Limits`] for more than [`MOST`] parameters,
    /// conditions or terms in a branch.
    pub fn new(
        space: &Space<'_>,
        selector: Selector,
        config: &Config<'_>,
        limits: Limits,
        mut mem: M,
    ) -> Result<Self, Error> {
        let each = selector.each(&limits);
        if limits.words::<R>() == usize::MAX || each.words::<R>() == usize::MAX {
            return Err(Error::Limits);
        }
        config.check()?;
        config.combines()?;
        let parameter = selector.parameter;
        if parameter as usize >= space.dims() {
            return Err(Error::OutOfRange { parameter });
        }
        let values = space.categories(parameter as usize).ok_or(Error::Unsupported)?;
        if space.is_child(parameter as usize) {
            return Err(Error::Unsupported);
        }
        selector.check(config, values)?;
        let dims = space.dims();
        if dims > limits.dims as usize
            || space.conditions() > limits.conditions as usize
            || space.levels() > limits.levels as usize
            || space.terms() > limits.terms as usize
        {
            return Err(Error::Dimensions);
        }
        space.check_exact::<R>()?;
        // Everything that may be refused is, before the memory is touched.
        let branches = selector.blocks(values);
        let mut any = false;
        for branch in 0..branches {
            any |= selector
                .with_space(space, branch, |space, _| match space {
                    Some(space) => {
                        let config = selector.config_of(config, branch);
                        match Optimizer::<R, &mut [u64]>::new(space, &config, each, &mut []) {
                            Err(Error::Memory { .. }) => Ok(()),
                            refused => refused.map(|_| ()),
                        }
                    }
                    None => Ok(()),
                })?
                .is_some();
        }
        if !any {
            return Err(Error::Infeasible);
        }
        let needed = selector.words::<R>(&limits, values);
        let words = mem.as_mut();
        if words.len() < needed {
            return Err(Error::Memory { needed });
        }
        words[..needed].fill(0);
        let start = Start::of(words, &limits)?;
        config.write(start.config);
        space.write(start.domain)?;
        Domain::attach::<R>(start.domain)?;
        let mut front = Front::<R>::carve(words, &limits, selector, dims, branches)?;
        save::write_header::<R>(&mut front, values)?;
        front.set_generator(&Generator::new(config.seed));
        front.clear_scale(config.transform);
        for branch in 0..branches {
            selector.with_space(space, branch, |space, places| {
                let config = selector.config_of(config, branch);
                let kind = match space {
                    Some(space) => {
                        Optimizer::<R, _>::new(space, &config, each, front.words_of(branch))?;
                        Kind::Space
                    }
                    None => Kind::Single,
                };
                match selector.strategy {
                    Strategy::Impute => front.record(branch).set(kind, 0..dims as u32),
                    Strategy::Single | Strategy::Whole | Strategy::Baseline { .. } => {
                        front.record(branch).set(kind, places.iter().copied());
                    }
                }
                Ok(())
            })?;
        }
        let mut selection = Self { mem, limits, selector, dims, branches, scalar: PhantomData };
        selection.write_checksum();
        Ok(selection)
    }

    /// The selection whose words were saved.
    ///
    /// Checks every count, offset and index that is later trusted. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version, byte order or scalar,
    /// [`Error::Corrupt`] for damaged words.
    pub fn attach(mut mem: M) -> Result<Self, Error> {
        let (limits, selector, dims, branches) = save::validate::<R>(mem.as_mut())?;
        Ok(Self { mem, limits, selector, dims, branches, scalar: PhantomData })
    }

    /// Proposes a point of the whole space, in user units, and opens a trial for it.
    ///
    /// Queued points come first, then the starting designs of all branches in turn, then what the strategy says.
    ///
    /// # Errors
    /// As [`Optimizer::ask`]; [`Error::Exhausted`] only where every branch is used up, [`Error::Full`] where those that are
    /// not have no place.
    pub fn ask(&mut self, point: &mut [R]) -> Result<Ask<R>, Error> {
        self.ask_with(&mut Plain, point)
    }

    /// As [`Selection::ask`], with the arithmetic done by `backend`.
    ///
    /// # Errors
    /// As [`Selection::ask`], and what the backend reports; the trials are unchanged then.
    pub fn ask_with<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        self.check_point(point)?;
        let answer = self.front().and_then(|mut front| front.ask(backend, point));
        self.write_checksum();
        answer
    }

    /// Tells the value of an open trial.
    ///
    /// # Errors
    /// As [`Optimizer::tell`].
    pub fn tell(&mut self, id: TrialId, value: R) -> Result<(), Error> {
        self.tell_noisy(id, value, R::ZERO)
    }

    /// Tells the value of an open trial together with the known variance of that value.
    ///
    /// # Errors
    /// As [`Optimizer::tell_noisy`].
    pub fn tell_noisy(&mut self, id: TrialId, value: R, variance: R) -> Result<(), Error> {
        if !value.is_finite() || !variance.is_finite() || variance < R::ZERO {
            return Err(Error::NotFinite);
        }
        self.close(id, State::Done, value, variance)
    }

    /// Tells that an open trial failed: the point counts as bad as the worst value seen in any branch.
    ///
    /// # Errors
    /// As [`Optimizer::fail`].
    pub fn fail(&mut self, id: TrialId) -> Result<(), Error> {
        self.close(id, State::Failed, R::ZERO, R::ZERO)
    }

    /// Forgets an open or queued trial.
    ///
    /// # Errors
    /// As [`Optimizer::forget`].
    pub fn forget(&mut self, id: TrialId) -> Result<(), Error> {
        let answer = self.front().and_then(|mut front| front.forget(id));
        self.write_checksum();
        answer
    }

    /// Puts a point of the whole space in the queue: a later ask proposes it before any other. It has its place in its
    /// branch from now on.
    ///
    /// # Errors
    /// As [`Optimizer::enqueue`]; [`Error::Full`] also if its branch has no place ([`Selector::most`]).
    pub fn enqueue(&mut self, point: &[R]) -> Result<TrialId, Error> {
        self.check_point(point)?;
        let answer = self.front().and_then(|mut front| front.add(point, State::Queued));
        self.write_checksum();
        answer
    }

    /// Adds a value that was observed without an ask; it counts as an evaluation.
    ///
    /// # Errors
    /// As [`Optimizer::observe`]; [`Error::Full`] also if its branch has no place ([`Selector::most`]).
    pub fn observe(&mut self, point: &[R], value: R) -> Result<TrialId, Error> {
        self.check_point(point)?;
        if !value.is_finite() {
            return Err(Error::NotFinite);
        }
        let answer = self.front().and_then(|mut front| {
            let id = front.add(point, State::Open)?;
            front.close(id, State::Done, value, R::ZERO)?;
            Ok(id)
        });
        self.write_checksum();
        answer
    }

    fn close(&mut self, id: TrialId, state: State, value: R, variance: R) -> Result<(), Error> {
        let answer = self.front().and_then(|mut front| front.close(id, state, value, variance));
        self.write_checksum();
        answer
    }

    fn check_point(&self, point: &[R]) -> Result<(), Error> {
        if point.len() == self.dims { Ok(()) } else { Err(Error::Shape { needed: self.dims }) }
    }

    fn front(&mut self) -> Result<Front<'_, R>, Error> {
        Front::carve(self.mem.as_mut(), &self.limits, self.selector, self.dims, self.branches)
    }

    fn write_checksum(&mut self) {
        let state = self.selector.state_words::<R>(&self.limits, self.branches);
        Header::write_checksum(self.mem.as_mut(), state);
    }
}

#[cfg(feature = "alloc")]
impl<R: Real> Selection<R, alloc::vec::Vec<u64>> {
    /// A selection in a block of its own on the heap.
    ///
    /// # Errors
    /// As [`Selection::new`].
    pub fn with_limits(
        space: &Space<'_>,
        selector: Selector,
        config: &Config<'_>,
        limits: Limits,
    ) -> Result<Self, Error> {
        let parameter = selector.parameter;
        let values = space.categories(parameter as usize).ok_or(Error::OutOfRange { parameter })?;
        let words = selector.words::<R>(&limits, values);
        if words == usize::MAX {
            return Err(Error::Limits);
        }
        Self::new(space, selector, config, limits, alloc::vec![0; words])
    }
}

#[cfg(test)]
mod tests;
