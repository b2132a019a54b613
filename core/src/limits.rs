//! How much an optimizer may hold, as plain data.

use crate::error::{Error, Need};

/// On a machine of 32 bits no product of two of them, in bytes, may leave the range of an address.
const MOST: u32 = if usize::BITS >= 64 { 1 << 16 } else { 1 << 12 };
/// What has no models of their own has no branches.
const MOST_VALUES: u32 = if cfg!(feature = "models") { MOST } else { 0 };

/// The limits in the order of a saved block, each with the name of its error, its least and its largest value.
macro_rules! table {
    (
        limits { $($limit:ident $name:ident $least:expr, $most:expr;)+ }
        absent { $($absent:ident $absent_name:ident $absent_least:expr, $absent_most:expr;)* }
        others { $($(#[$doc:meta])* $other:ident $its_name:literal;)+ }
    ) => {
        /// One of the [`Limits`], or of the sizes of a model, a race or a population.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "those of Limits")]
        pub enum Limit {
            $($name,)+
            $($absent_name,)*
            $($(#[$doc])* $other,)+
        }

        /// Numbers in [`Limits`] that this build works with.
        const COUNT: usize = [$(stringify!($limit)),+].len();
        /// Those that it leaves at 0, whose words a block has all the same.
        const ABSENT: [Limit; EVERY - COUNT - OTHERS] = [$(Limit::$absent_name),*];
        const OTHERS: usize = [$($its_name),+].len();
        const EVERY: usize = [$(stringify!($limit),)+ $(stringify!($absent),)* $($its_name),+].len();

        impl Limit {
            /// All of them, in the order of their numbers.
            pub(crate) const EVERY: [Self; EVERY] = [$(Self::$name,)+ $(Self::$absent_name,)* $(Self::$other,)+];
            /// Those of [`Limits`], in the order of a saved block.
            pub(crate) const ALL: [Self; COUNT] = [$(Self::$name),+];
            const LEAST: [u32; COUNT] = [$($least),+];
            const MOST: [u32; COUNT] = [$($most),+];

            /// The name of the field.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($limit),)+
                    $(Self::$absent_name => stringify!($absent),)*
                    $(Self::$other => $its_name,)+
                }
            }
        }

        impl Limits {
            /// The limits in that order.
            const fn numbers(&self) -> [u32; COUNT] {
                [$(self.$limit),+]
            }

            /// The limits from numbers in that order.
            const fn of([$($limit),+]: [u32; COUNT]) -> Self {
                Self { $($limit,)+ $($absent: 0,)* }
            }
        }
    };
}

/// Where there are sources, their limits are like the others.
#[cfg(feature = "transfer")]
macro_rules! and_those_of_sources {
    (limits { $($limits:tt)* } sources { $($sources:tt)* } others $others:tt) => {
        table! { limits { $($limits)* $($sources)* } absent {} others $others }
    };
}

/// A build without them does not carry their limits to and fro.
#[cfg(not(feature = "transfer"))]
macro_rules! and_those_of_sources {
    (limits $limits:tt sources $sources:tt others $others:tt) => {
        table! { limits $limits absent $sources others $others }
    };
}

and_those_of_sources! {
    limits {
        dims Dims 1, 1 << 12;
        trials Trials 1, MOST;
        open Open 1, u32::MAX;
        conditions Conditions 0, MOST;
        levels Levels 0, MOST;
        nodes Nodes 1, 1 << 8;
        lists Lists 0, MOST;
        thetas Thetas 0, 1 << 13;
        columns Columns 0, 1 << 12;
        candidates Candidates 1, MOST;
        starts Starts 1, 1 << 10;
        exact Exact 0, MOST;
        posteriors Posteriors 0, 1 << 5;
        anchors Anchors 0, 1 << 10;
        work Work 0, Need::MOST;
        features Features 0, 1 << 12;
        trees Trees 0, 1 << 12;
        tree_nodes TreeNodes 0, 1 << 22;
        members Members 0, 1 << 6;
        warped Warped 0, 1 << 12;
        terms Terms 0, MOST;
        state State 0, Need::MOST;
        outcomes Outcomes 1, 1;
        values Values 0, MOST_VALUES;
        branch_trials BranchTrials 0, MOST;
        names Names 0, 1 << 20;
    }
    sources {
        sources Sources 0, 1 << 16;
        source_rows SourceRows 0, 1 << 12;
    }
    others {
        /// Observations of a process.
        Rows "rows";
        /// Configurations of a race.
        Configs "configs";
        /// Runs of a race.
        Runs "runs";
        /// Evaluations of a race.
        Budget "budget";
        /// Parents of a population.
        Parents "parents";
        /// Offspring of a population.
        Offspring "offspring";
        /// Methods that are compared.
        Methods "methods";
    }
}

/// Words that they take in a saved block, two in each.
pub(crate) const WORDS: usize = (COUNT + ABSENT.len()).div_ceil(2);

impl Limit {
    /// Why a number is refused where another one is needed.
    #[must_use]
    pub(crate) const fn refuse(self, needed: usize) -> Error {
        Error::Limits(Need::new(self, needed))
    }

    /// Refuses a number that is too small.
    pub(crate) const fn at_least(self, given: usize, needed: usize) -> Result<(), Error> {
        if given >= needed { Ok(()) } else { Err(self.refuse(needed)) }
    }

    /// Refuses a number out of a range.
    pub(crate) const fn within(self, given: usize, least: usize, most: usize) -> Result<(), Error> {
        if given < least { Err(self.refuse(least)) } else { self.at_most(given, most) }
    }

    /// Refuses any other number.
    pub(crate) const fn exactly(self, given: usize, needed: usize) -> Result<(), Error> {
        if given == needed { Ok(()) } else { Err(self.refuse(needed)) }
    }

    /// Refuses a number that is too large.
    pub(crate) const fn at_most(self, given: usize, most: usize) -> Result<(), Error> {
        if given <= most { Ok(()) } else { Err(self.refuse(most)) }
    }
}

/// The bounds within which an optimizer works; they decide how much memory it takes.
///
/// Start from [`Limits::new`] and raise what the problem needs. What follows from a configuration (`exact`, `posteriors`,
/// `anchors`, `work`, `branches`, `members`, `warped`, `state`) is set by [`Limits::suit`]. All of it is `const`, so that a block can be a
/// `static`:
///
/// ```
/// use infill::Limits;
/// const LIMITS: Limits = Limits::new(4, 32);
/// static BLOCK: [u64; LIMITS.words::<f32>()] = [0; LIMITS.words::<f32>()];
/// assert!(core::mem::size_of_val(&BLOCK) <= 16 * 1024);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Parameters of the space.
    pub dims: u32,
    /// Trials that are remembered: told, failed, open and queued ones together.
    pub trials: u32,
    /// Trials that may be open at a time.
    pub open: u32,
    /// Conditions of the space.
    pub conditions: u32,
    /// Values of ordinals, of conditions and of forbidden clauses, and defaults, all together.
    pub levels: u32,
    /// Nodes of the kernel.
    pub nodes: u32,
    /// Dimensions listed by kernel nodes, all together.
    pub lists: u32,
    /// Hyperparameters of the kernel.
    pub thetas: u32,
    /// Basis functions of the trend.
    pub columns: u32,
    /// Candidates that are scored at a time.
    pub candidates: u32,
    /// Candidates that are polished.
    pub starts: u32,
    /// Observations that an exact process may hold: its factor grows with the square of it. 0 for models that have no
    /// such factor, trees and sparse processes.
    pub exact: u32,
    /// Fitted processes that are held together, one for each draw of the hyperparameters; 0 for their best values alone.
    pub posteriors: u32,
    /// Points whose joint prediction is held: open trials of a batch, representers of a policy.
    pub anchors: u32,
    /// Scalars that a batch or a policy works in, for all fitted processes together.
    pub work: u32,
    /// Inducing points, spectral features (at least 2) or Mondrian trees (at least 4) of a sparse process.
    pub features: u32,
    /// Trees of a forest.
    pub trees: u32,
    /// Nodes of all its trees together.
    pub tree_nodes: u32,
    /// Members of a portfolio.
    pub members: u32,
    /// Parameters that may be warped: all of them or none.
    pub warped: u32,
    /// Terms of the forbidden clauses of the space, all together.
    pub terms: u32,
    /// Scalars that a method without a model keeps from question to question.
    pub state: u32,
    /// Outcomes of a trial, the objective first; 1, others are refused so far.
    pub outcomes: u32,
    /// Values of the category that is branched on, each with a model of its own ([`Strategy`](crate::Strategy)); 0 for one
    /// model alone.
    pub values: u32,
    /// Trials of the model of each of them; 0 for as many as there are in all.
    pub branch_trials: u32,
    /// Bytes of the names of parameters and labels of categories, each with a zero behind it; 0 for a block that knows a hash
    /// of them alone.
    pub names: u32,
    /// Sources that may be passed to a call ([`Transfer`](crate::transfer::Transfer)); 0 for none.
    pub sources: u32,
    /// Rows of a source where more is asked of it than means: variances, draws, a process or a ranking over its rows.
    pub source_rows: u32,
}

/// Candidates that are scored at a time where nobody says how many: as many as have room where the hyperparameters are trained.
///
/// How many decides no bit of a proposal.
const fn batch(trials: u32) -> u32 {
    match trials / 2 {
        0..16 => 16,
        half @ 16..128 => half,
        128.. => 128,
    }
}

impl Limits {
    /// The limits as words of a saved block.
    pub(crate) fn to_words(self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        for (i, limit) in self.numbers().into_iter().enumerate() {
            words[i / 2] |= u64::from(limit) << (i % 2 * 32);
        }
        words
    }

    /// The limits from the words of a saved block, if there are as many.
    pub(crate) fn from_words(words: &[u64]) -> Option<Self> {
        let words = words.first_chunk::<WORDS>()?;
        Some(Self::of(core::array::from_fn(|i| (words[i / 2] >> (i % 2 * 32)) as u32)))
    }

    /// Room for `trials` trials of `dims` parameters with the default kernel and trend.
    #[must_use]
    pub const fn new(dims: u32, trials: u32) -> Self {
        Self {
            dims,
            trials,
            open: if trials < 64 { trials } else { 64 },
            conditions: 0,
            levels: 0,
            nodes: 8,
            lists: dims,
            thetas: dims.saturating_add(1),
            columns: 1,
            candidates: batch(trials),
            starts: 8,
            exact: trials,
            posteriors: 0,
            anchors: 0,
            work: 0,
            features: 0,
            trees: 0,
            tree_nodes: 0,
            members: 0,
            warped: 0,
            terms: 0,
            state: 0,
            outcomes: 1,
            values: 0,
            branch_trials: 0,
            names: 0,
            sources: 0,
            source_rows: 0,
        }
    }

    /// At most `open` open trials.
    #[must_use]
    pub const fn open(self, open: u32) -> Self {
        Self { open, ..self }
    }

    /// Room for conditions, and for the values of ordinals, of conditions and of forbidden clauses, and defaults.
    #[must_use]
    pub const fn conditions(self, conditions: u32, levels: u32) -> Self {
        Self { conditions, levels, ..self }
    }

    /// Room for the terms of forbidden clauses.
    #[must_use]
    pub const fn terms(self, terms: u32) -> Self {
        Self { terms, ..self }
    }

    /// Room for names of parameters and labels of categories ([`Space::limits`](crate::Space::limits) counts their bytes).
    #[must_use]
    pub const fn names(self, names: u32) -> Self {
        Self { names, ..self }
    }

    /// So many sources at most; [`Limits::suit`] knows what their use takes.
    #[must_use]
    pub const fn sources(self, sources: u32) -> Self {
        Self { sources, ..self }
    }

    /// Rows of a source where more is asked of it than means.
    #[must_use]
    pub const fn source_rows(self, source_rows: u32) -> Self {
        Self { source_rows, ..self }
    }

    /// Room for a kernel of one's own.
    #[must_use]
    pub const fn kernel(self, nodes: u32, lists: u32, thetas: u32) -> Self {
        Self { nodes, lists, thetas, ..self }
    }

    /// Room for a trend with that many basis functions.
    #[must_use]
    pub const fn trend(self, columns: u32) -> Self {
        Self { columns, ..self }
    }

    /// Candidates scored at a time: more is faster with a batching backend, fewer takes less memory.
    #[must_use]
    pub const fn candidates(self, candidates: u32) -> Self {
        Self { candidates, ..self }
    }

    /// Candidates that are polished.
    #[must_use]
    pub const fn starts(self, starts: u32) -> Self {
        Self { starts, ..self }
    }

    /// Inducing points, spectral features (at least 2) or Mondrian trees (at least 4) of a sparse process.
    #[must_use]
    pub const fn features(self, features: u32) -> Self {
        Self { features, ..self }
    }

    /// Trees, and nodes of all of them together.
    #[must_use]
    pub const fn forest(self, trees: u32, tree_nodes: u32) -> Self {
        Self { trees, tree_nodes, ..self }
    }

    /// Room for a model of `trials` trials for each of so many values of a category ([`Strategy`](crate::Strategy)); 0
    /// trials are as many as there are in all.
    ///
    /// ```
    /// use infill::Limits;
    /// const LIMITS: Limits = Limits::new(3, 30).conditions(2, 0);
    /// assert!(LIMITS.branching(2, 0).words::<f64>() > 2 * LIMITS.words::<f64>());
    /// ```
    #[must_use]
    pub const fn branching(self, values: u32, trials: u32) -> Self {
        Self { values, branch_trials: trials, ..self }
    }

    /// The limits of the model of one value.
    pub(crate) const fn branch(&self) -> Self {
        let fewer = self.branch_trials > 0 && self.branch_trials < self.trials;
        let trials = if fewer { self.branch_trials } else { self.trials };
        let exact = if self.exact < trials { self.exact } else { trials };
        Self { trials, exact, values: 0, branch_trials: 0, names: 0, sources: 0, ..*self }
    }

    /// Refuses limits of which one is smaller than that of another.
    pub(crate) fn check_covers(&self, other: &Self) -> Result<(), Error> {
        let counted = |limits: &Self| Self { branch_trials: limits.branch().trials, ..*limits }.numbers();
        let pairs = counted(self).into_iter().zip(counted(other));
        Limit::ALL
            .into_iter()
            .zip(pairs)
            .try_for_each(|(limit, (own, other))| limit.at_least(own as usize, other as usize))
    }

    /// Whether the limits make sense and their memory can be counted on any machine.
    pub(crate) const fn is_valid(&self) -> bool {
        self.check().is_ok()
    }

    /// One of them, if it is.
    pub(crate) fn get(&self, limit: Limit) -> Option<u32> {
        self.numbers().get(limit as usize).copied()
    }

    /// Refuses limits that make no sense or whose memory cannot be counted.
    ///
    /// # Errors
    /// [`Error::Limits`] with the limit and the number that it may have at most or at least.
    pub const fn check(&self) -> Result<(), Error> {
        let numbers = self.numbers();
        let mut i = 0;
        while i < COUNT {
            let (given, least, most) = (numbers[i], Limit::LEAST[i], Limit::MOST[i]);
            if let Err(error) = Limit::ALL[i].within(given as usize, least as usize, most as usize) {
                return Err(error);
            }
            i += 1;
        }
        if self.exact > self.trials {
            return Err(Limit::Exact.refuse(self.trials as usize));
        }
        if self.warped != 0 && self.warped != self.dims {
            return Err(Limit::Warped.refuse(self.dims as usize));
        }
        Ok(())
    }
}
