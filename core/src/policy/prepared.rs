//! The acquisition function of a question, prepared for a fitted model: a closed form, a lookahead policy, or a closed form
//! beside open trials.

use super::{EntropySearch, Knowledge, MaxValue, Policy, PredictiveEntropy, Thompson};
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::pending::{Joint, Penalty, Pending};
use crate::real::Real;
use crate::rng::Generator;
use crate::surrogate::{AcquisitionFunction, ClosedForm, Surrogate};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'q, R> {
    pub(crate) policy: Policy,
    pub(crate) batch: Pending,
    pub(crate) rule: Acquisition<R>,
    /// The value to improve on.
    pub(crate) best: R,
    /// Variance of the noise of a trial.
    pub(crate) noise: R,
    /// The choice among sequences of draws: the same seed, the same scores.
    pub(crate) seed: u64,
    /// Points at which the slope of the model's mean is looked at: for [`Pending::Penalty`].
    pub(crate) candidates: &'q [R],
}

impl<R: Real> Question<'_, R> {
    /// Whether the rule itself is scored, and not what another policy makes of the predictions.
    pub(crate) fn is_ruled(&self) -> bool {
        matches!(self.policy, Policy::Closed | Policy::Noisy { .. })
    }

    /// The function for a model, with the points that it is asked about: the open trials, all trials, or representers.
    ///
    /// # Errors
    /// What preparing the policy reports; [`Error::Unsupported`] for one that needs more than a model.
    pub(crate) fn function<'m>(
        self,
        model: &mut dyn Surrogate<R>,
        spots: &[R],
        memory: &'m mut [R],
        generator: &mut Generator,
    ) -> Result<Prepared<'m, R>, Error> {
        let Self { noise, best, rule, seed, .. } = self;
        let size = |count: u32| count as usize;
        Ok(match self.policy {
            Policy::EntropySearch { representers, draws, fantasies } => {
                let mut policy =
                    EntropySearch::new(memory, size(representers), size(draws), size(fantasies))?;
                policy.prepare(model, spots, noise, generator)?;
                Prepared::Entropy(policy)
            }
            Policy::PredictiveEntropy { representers, draws } => {
                let mut policy = PredictiveEntropy::new(memory, size(representers), size(draws))?;
                policy.prepare(model, spots, noise, best, generator)?;
                Prepared::Predictive(policy)
            }
            Policy::MaxValue { representers, draws, minima } => {
                let mut policy = MaxValue::new(memory, size(representers), size(draws))?;
                policy.prepare(model, spots, minima, best, generator)?;
                Prepared::MaxValue(policy)
            }
            Policy::Knowledge { representers } => {
                let mut policy = Knowledge::new(memory, size(representers))?;
                policy.prepare(model, spots, noise)?;
                Prepared::Knowledge(policy)
            }
            Policy::Noisy { draws } => {
                Prepared::Joint(Joint::noisy(model, spots, size(draws), rule, seed, memory)?)
            }
            Policy::Thompson { candidates } => {
                let mut policy = Thompson::new(memory, size(candidates))?;
                policy.prepare(model, spots, generator)?;
                Prepared::Thompson(policy)
            }
            // What a portfolio's members nominate, they nominate by closed forms.
            Policy::Closed | Policy::Hedge | Policy::Portfolio { .. } => {
                self.beside_open(model, spots, memory)?
            }
            Policy::Spectral { .. } => return Err(Error::Unsupported),
        })
    }

    /// The rule beside the open trials at `open`; those that are believed are rows of the model by now.
    fn beside_open<'m>(
        self,
        model: &mut dyn Surrogate<R>,
        open: &[R],
        memory: &'m mut [R],
    ) -> Result<Prepared<'m, R>, Error> {
        let Self { noise, best, rule, seed, .. } = self;
        Ok(match self.batch {
            Pending::Fantasies { count } => {
                let count = count as usize;
                Prepared::Joint(Joint::fantasies(model, open, count, noise, rule, best, seed, memory)?)
            }
            Pending::Penalty => {
                Prepared::Penalty(Penalty::prepare(model, open, self.candidates, rule, best, memory)?)
            }
            Pending::Believer | Pending::Liar(_) | Pending::Temperatures => {
                Prepared::Closed(ClosedForm { rule, best })
            }
            Pending::JointEi { draws } => {
                let draws = draws as usize;
                Prepared::Joint(Joint::improvement(model, open, draws, rule, best, seed, memory)?)
            }
        })
    }
}

/// The functions there are, and the same call on whichever it is.
macro_rules! prepared {
    ($($name:ident($type:ty),)+) => {
        /// An acquisition function that was prepared for one model.
        #[derive(Debug)]
        pub(crate) enum Prepared<'m, R> {
            $($name($type),)+
        }

        impl<'m, R: Real> Prepared<'m, R> {
            fn get(&self) -> &dyn AcquisitionFunction<R> {
                match self {
                    $(Self::$name(function) => function,)+
                }
            }

            fn get_mut(&mut self) -> &mut dyn AcquisitionFunction<R> {
                match self {
                    $(Self::$name(function) => function,)+
                }
            }
        }
    };
}

prepared! {
    Closed(ClosedForm<R>),
    Joint(Joint<'m, R>),
    Penalty(Penalty<'m, R>),
    Entropy(EntropySearch<'m, R>),
    Predictive(PredictiveEntropy<'m, R>),
    MaxValue(MaxValue<'m, R>),
    Knowledge(Knowledge<'m, R>),
    Thompson(Thompson<'m, R>),
}

impl<R: Real> AcquisitionFunction<R> for Prepared<'_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.get_mut().scores(model, points, out)
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        self.get().smooth(model, parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        self.get_mut().gradient(model, at, out)
    }
}
