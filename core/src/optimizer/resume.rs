//! Resuming a run: what was open when a block was attached is handed out again before anything new is asked.

use super::Optimizer;
use super::block::place;
use super::save;
use crate::backend::Backend;
use crate::error::Error;
use crate::real::Real;
use crate::transfer::Sources;
use crate::trial::{Ask, Origin, State};

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Optimizer<R, M> {
    /// The next question of a run: an open trial from before [`Optimizer::attach`], the newest first, or an
    /// [`Optimizer::ask`]; `None` when there is nothing left to ask.
    ///
    /// A loop of `next` and `tell` that saves its block after both is right before and after a crash: the trials whose workers
    /// were lost are evaluated again, once, and those told are not.
    ///
    /// # Errors
    /// As [`Optimizer::ask`], but for [`Error::Full`] and [`Error::Exhausted`], which are the end of the run.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// let limits = Limits::new(1, 10);
    /// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
    /// let mut x = [0.0];
    /// let lost = optimizer.next(&mut x)?.unwrap();
    /// let saved: Vec<u64> = optimizer.words().to_vec();
    ///
    /// let mut again = Optimizer::<f64, _>::attach(saved)?;
    /// let mut told = 0;
    /// while let Some(ask) = again.next(&mut x)? {
    ///     assert_eq!(ask.id == lost.id, ask.origin == Origin::Resumed);
    ///     again.tell(ask.id, x[0])?;
    ///     told += 1;
    /// }
    /// assert_eq!(told, 10);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn next(&mut self, point: &mut [R]) -> Result<Option<Ask<R>>, Error> {
        match self.handed_again(point)? {
            Some(ask) => Ok(Some(ask)),
            None => or_end(self.ask(point)),
        }
    }

    /// As [`Optimizer::next`], with the arithmetic done by `backend`.
    ///
    /// # Errors
    /// As [`Optimizer::next`], and what the backend reports.
    pub fn next_with<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Option<Ask<R>>, Error> {
        self.next_from(&Sources::default(), backend, point)
    }

    /// As [`Optimizer::next_with`], with the help of what runs on other data sets taught: an [`Optimizer::ask_from`].
    ///
    /// # Errors
    /// As [`Optimizer::ask_from`], but for [`Error::Full`] and [`Error::Exhausted`], which are the end of the run.
    pub fn next_from<B: Backend<R> + ?Sized>(
        &mut self,
        sources: &Sources<'_, R>,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Option<Ask<R>>, Error> {
        self.check_sources(sources)?;
        match self.handed_again(point)? {
            Some(ask) => Ok(Some(ask)),
            None => or_end(self.ask_from(sources, backend, point)),
        }
    }

    /// Takes note that whoever works on the open trials is gone.
    pub(super) fn note_open(&mut self) {
        let open = self.read().in_state(Some(State::Open)).next().is_some();
        let bound = if open { self.mem.as_ref()[place::SEQUENCE] + 1 } else { 0 };
        save::set_header_word(self.mem.as_mut(), place::RESUMED, bound);
    }

    /// The newest open trial that nobody works on since the block was attached.
    fn handed_again(&mut self, point: &mut [R]) -> Result<Option<Ask<R>>, Error> {
        self.check_point(point)?;
        let (trials, bound) = (self.read(), self.mem.as_ref()[place::RESUMED]);
        let newest = |bound: u64| {
            let open = trials.in_state(Some(State::Open)).filter(|&slot| trials.sequence[slot] < bound);
            open.max_by_key(|&slot| trials.sequence[slot])
        };
        // Nothing is written then: the ask that follows may be refused.
        let Some(slot) = newest(bound) else { return Ok(None) };
        let (id, sequence) = (trials.id(slot), trials.sequence[slot]);
        point.copy_from_slice(trials.point(slot));
        // Nothing left to hand out is 0, so that the block is that of a run without a crash.
        let bound = if newest(sequence).is_some() { sequence } else { 0 };
        save::set_header_word(self.mem.as_mut(), place::RESUMED, bound);
        Ok(Some(Ask { id, origin: Origin::Resumed, acquisition: R::NAN }))
    }
}

/// What is left of an answer when a run that has used its trials or its space is not an error.
fn or_end<R>(asked: Result<Ask<R>, Error>) -> Result<Option<Ask<R>>, Error> {
    match asked {
        Ok(ask) => Ok(Some(ask)),
        Err(Error::Full | Error::Exhausted) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::config::Branching;
    use crate::{Condition, Config, Limits, Param, Space, Strategy, When};

    /// A choice with one parameter for each value, with one model or one for each branch.
    fn with_runs(run: impl Fn(Optimizer<f64, Vec<u64>>)) {
        let params = [Param::categorical(2), Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
        let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
        let space = Space::new(&params, &conditions).unwrap();
        for strategy in [Strategy::Impute, Strategy::Single(Branching::of(0))] {
            let config = Config::default().with(|c| c.strategy = strategy);
            let limits = Limits::new(3, 12).conditions(2, 0).branching(2, 0).suit(&config);
            run(Optimizer::with_limits(&space, &config, limits).unwrap());
        }
    }

    #[test]
    fn what_was_open_is_handed_out_once_after_each_attach() {
        with_runs(|mut optimizer| {
            let mut x = [0.0; 3];
            let mut open = Vec::new();
            for i in 0..5 {
                let ask = optimizer.next(&mut x).unwrap().unwrap();
                if i == 2 {
                    optimizer.tell(ask.id, 1.0).unwrap();
                } else {
                    open.push((ask.id, x));
                }
            }
            for attached in 0..3 {
                optimizer = Optimizer::attach(optimizer.words().to_vec()).unwrap();
                for &(id, point) in open.iter().rev() {
                    let ask = optimizer.next(&mut x).unwrap().unwrap();
                    assert_eq!((ask.id, ask.origin, x), (id, Origin::Resumed, point), "{attached}");
                }
                let new = optimizer.next(&mut x).unwrap().unwrap();
                assert_ne!(new.origin, Origin::Resumed);
                open.push((new.id, x));
                // A lost trial that is told in time is not handed out.
                let (id, _) = open.remove(0);
                optimizer.tell(id, 0.5).unwrap();
            }
            let told = optimizer.len();
            let mut asked = 0;
            while let Some(ask) = optimizer.next(&mut x).unwrap() {
                optimizer.tell(ask.id, x[0]).unwrap();
                asked += 1;
            }
            assert_eq!(told + open.len() + asked, 12);
            assert_eq!(optimizer.ask(&mut x).unwrap_err(), Error::Full);
        });
    }

    #[test]
    fn a_block_without_open_trials_is_attached_as_it_is() {
        with_runs(|mut optimizer| {
            let mut x = [0.0; 3];
            let ask = optimizer.next(&mut x).unwrap().unwrap();
            optimizer.tell(ask.id, 1.0).unwrap();
            let saved = optimizer.words().to_vec();
            let again = Optimizer::<f64, _>::attach(saved.clone()).unwrap();
            assert_eq!(again.words(), saved);
            // No optimizer leaves a number that no trial had.
            let mut damaged = saved;
            save::set_header_word(&mut damaged, place::RESUMED, 3);
            assert_eq!(Optimizer::<f64, _>::attach(damaged).unwrap_err(), Error::Corrupt);
        });
    }

    #[test]
    fn a_point_of_another_length_is_refused() {
        with_runs(|mut optimizer| {
            optimizer.next(&mut [0.0; 3]).unwrap();
            let mut again = Optimizer::<f64, _>::attach(optimizer.words().to_vec()).unwrap();
            let before = again.words().to_vec();
            assert_eq!(again.next(&mut [0.0; 2]).unwrap_err(), Error::Shape { needed: 3 });
            assert_eq!(again.words(), before);
        });
    }
}
