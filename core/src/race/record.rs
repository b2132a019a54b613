//! One run of one configuration, and what it cost.

/// A run that someone is to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run<R> {
    /// The name to tell the outcome under.
    pub id: u64,
    /// The configuration, by the number that the caller gave it.
    pub config: u32,
    /// The instance of the problem, counted from zero.
    pub instance: u32,
    /// The seed for whatever is random in the run.
    pub seed: u64,
    /// The cost at which the run may be stopped; infinite if there is none.
    pub cap: R,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome<R> {
    /// It ended and cost so much; a cost above its cap counts as capped.
    Cost(R),
    /// It was stopped at its cap.
    Capped,
    /// It broke down: infinitely costly, or as costly as a capped one where runs have a cap.
    Crashed,
}

/// A run that was made: ⟨θ, instance, seed, cap, cost⟩.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record<R> {
    /// The configuration.
    pub config: u32,
    /// The instance.
    pub instance: u32,
    /// The seed.
    pub seed: u64,
    /// The cap it ran under.
    pub cap: R,
    /// What it cost, with the penalty if it was stopped; infinite if it crashed without a cap.
    pub cost: R,
    /// Whether it was stopped at its cap.
    pub capped: bool,
}

/// What became of a record's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The place is free.
    Void,
    /// Handed out, not yet told.
    Open,
    /// Ended, or stopped at the cap that all runs have, or crashed.
    Done,
    /// As `Done`, and stopped at the cap that all runs have.
    Capped,
    /// Stopped earlier, because it could no longer win; to be made again if the configuration gets another chance.
    Censored,
}

impl Status {
    pub(super) fn from_code(code: u64) -> Option<Self> {
        [Self::Void, Self::Open, Self::Done, Self::Capped, Self::Censored]
            .get(usize::try_from(code).ok()?)
            .copied()
    }

    /// Whether the cost is known.
    pub(super) fn told(self) -> bool {
        matches!(self, Self::Done | Self::Capped | Self::Censored)
    }
}
