//! A trial: one question, one answer.

use crate::real::Real;

/// Names a trial. A name stays valid until its trial is forgotten or makes room for another.
///
/// ```
/// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
/// # let params = [Param::real(0.0, 1.0)];
/// # let space = Space::new(&params, &[])?;
/// # let limits = Limits::new(1, 10);
/// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// let (a, b) = (optimizer.ask(&mut [0.0])?.id, optimizer.ask(&mut [0.0])?.id);
/// assert_ne!(a, b);
/// optimizer.tell(b, 1.0)?;
/// optimizer.tell(a, 2.0)?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrialId(u64);

impl TrialId {
    pub(crate) const fn new(slot: usize, generation: u32) -> Self {
        Self(((generation as u64) << 32) | (slot as u64 & 0xffff_ffff))
    }

    pub(crate) const fn slot(self) -> usize {
        (self.0 & 0xffff_ffff) as usize
    }

    pub(crate) const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The name as a number, for storing it elsewhere.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let id = optimizer.ask(&mut [0.0])?.id;
    /// let number: u64 = id.to_bits();
    /// optimizer.tell(TrialId::from_bits(number), 1.0)?;
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The name from its number; a made-up one is refused when it is used.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// assert_eq!(optimizer.tell(TrialId::from_bits(3), 1.0).unwrap_err(), Error::StaleTrial);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

/// Where a proposal comes from.
///
/// ```
/// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
/// # let params = [Param::real(0.0, 1.0)];
/// # let space = Space::new(&params, &[])?;
/// # let limits = Limits::new(1, 10);
/// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// optimizer.enqueue(&[0.5])?;
/// assert_eq!(optimizer.ask(&mut [0.0])?.origin, Origin::Queue);
/// assert_eq!(optimizer.ask(&mut [0.0])?.origin, Origin::Design);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The starting design.
    Design = 1,
    /// The surrogate: the point of largest acquisition that was found. Also Parzen estimators, whose score is ln(l/g).
    Model = 2,
    /// A point that was enqueued.
    Queue = 3,
    /// A random point, because the surrogate could not be fitted or had nothing new to offer.
    Fallback = 4,
    /// A method that has neither a surrogate nor an acquisition: annealing, CMA-ES, MI-ES.
    Method = 5,
    /// A trial that was open when the block was attached, handed out again.
    Resumed = 6,
    /// Sources alone: the start of a run.
    Source = 7,
}

/// The answer to an ask.
///
/// ```
/// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
/// # let params = [Param::real(0.0, 1.0)];
/// # let space = Space::new(&params, &[])?;
/// # let limits = Limits::new(1, 10);
/// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// let ask = optimizer.ask(&mut [0.0])?;
/// assert!(ask.origin == Origin::Design && ask.acquisition.is_nan());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ask<R> {
    /// The name to tell the value under.
    pub id: TrialId,
    /// The acquisition at the proposal, or what the policy maximises instead; NaN if and only if the origin is not
    /// [`Origin::Model`]. With [`Policy::Hedge`](crate::Policy::Hedge) it is that of the rule that nominated the point.
    /// Beyond the range of the scalar it is the end of the range.
    pub acquisition: R,
    /// Where the proposal comes from.
    pub origin: Origin,
}

impl<R: Real> Ask<R> {
    /// The same, with an acquisition that is not infinite, as those of settings at the ends of the range are.
    pub(crate) fn in_range(self) -> Self {
        let number = !self.acquisition.is_nan();
        let acquisition = if number { self.acquisition.clamp(-R::MAX, R::MAX) } else { self.acquisition };
        Self { acquisition, ..self }
    }
}

/// What has become of a trial.
///
/// ```
/// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
/// # let params = [Param::real(0.0, 1.0)];
/// # let space = Space::new(&params, &[])?;
/// # let limits = Limits::new(1, 10);
/// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// let ask = optimizer.ask(&mut [0.0])?;
/// assert_eq!(optimizer.trials().next().unwrap().state, State::Open);
/// optimizer.tell(ask.id, 1.0)?;
/// assert_eq!(optimizer.trials().next().unwrap().state, State::Done);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Enqueued, not asked for yet.
    Queued = 1,
    /// Asked for, not told yet.
    Open = 2,
    /// Told.
    Done = 3,
    /// Told to have failed.
    Failed = 4,
}

/// A trial as the optimizer remembers it.
///
/// ```
/// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space, State, TrialId};
/// # let params = [Param::real(0.0, 1.0)];
/// # let space = Space::new(&params, &[])?;
/// # let limits = Limits::new(1, 10);
/// # let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// optimizer.observe(&[0.25], 4.0)?;
/// let trial = optimizer.trials().next().unwrap();
/// assert_eq!((trial.point, trial.value, trial.variance), (&[0.25][..], 4.0, 0.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial<'a, R> {
    /// Its name.
    pub id: TrialId,
    /// What has become of it.
    pub state: State,
    /// The point, in user units.
    pub point: &'a [R],
    /// The value; NaN unless done.
    pub value: R,
    /// The variance of the value that was told with it, 0 if none.
    pub variance: R,
    /// Position in the order in which trials were asked for or observed.
    pub sequence: u64,
}

/// Generation and state of a slot, in one word.
pub(crate) mod slot {
    use super::State;

    pub(crate) const fn word(generation: u32, state: Option<State>) -> u64 {
        let code = match state {
            None => 0,
            Some(state) => state as u64,
        };
        ((generation as u64) << 8) | code
    }

    pub(crate) const fn generation(word: u64) -> u32 {
        (word >> 8) as u32
    }

    pub(crate) const fn state(word: u64) -> Option<State> {
        match word & 0xff {
            1 => Some(State::Queued),
            2 => Some(State::Open),
            3 => Some(State::Done),
            4 => Some(State::Failed),
            _ => None,
        }
    }

    /// Whether the word is one that [`word`] makes.
    pub(crate) const fn is_valid(word: u64) -> bool {
        word >> 40 == 0 && word & 0xff <= 4
    }
}

#[cfg(test)]
mod tests {
    use super::{State, TrialId, slot};

    #[test]
    fn names_and_slots_keep_their_parts() {
        let id = TrialId::new(7, u32::MAX);
        assert_eq!((id.slot(), id.generation()), (7, u32::MAX));
        assert_eq!(TrialId::from_bits(id.to_bits()), id);
        for state in [None, Some(State::Queued), Some(State::Open), Some(State::Done), Some(State::Failed)] {
            let word = slot::word(u32::MAX, state);
            assert!(slot::is_valid(word));
            assert_eq!((slot::generation(word), slot::state(word)), (u32::MAX, state));
        }
        assert!(!slot::is_valid(5) && !slot::is_valid(1 << 40));
    }
}
