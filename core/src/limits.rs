//! How much an optimizer may hold, as plain data.

/// Numbers in [`Limits`].
pub(crate) const COUNT: usize = 25;

/// The order of the limits in a saved block.
macro_rules! saved {
    ($($limit:ident),+ $(,)?) => {
        impl Limits {
            /// The limits as words of a saved block.
            pub(crate) const fn to_words(self) -> [u64; COUNT] {
                [$(self.$limit as u64),+]
            }

            /// The limits from words, if each fits its field.
            pub(crate) fn from_words(words: &[u64]) -> Option<Self> {
                let &[$($limit),+] = words.first_chunk::<COUNT>()?;
                Some(Self { $($limit: u32::try_from($limit).ok()?),+ })
            }
        }
    };
}

saved!(
    dims,
    trials,
    open,
    conditions,
    levels,
    nodes,
    lists,
    thetas,
    columns,
    candidates,
    starts,
    exact,
    posteriors,
    anchors,
    work,
    features,
    trees,
    tree_nodes,
    members,
    warped,
    terms,
    state,
    outcomes,
    values,
    branch_trials,
);

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
}

impl Limits {
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
            candidates: if trials < 64 { 16 } else { 128 },
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
        Self { trials, exact, values: 0, branch_trials: 0, ..*self }
    }

    /// Whether no limit of another is larger.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let counted = |limits: &Self| Self { branch_trials: limits.branch().trials, ..*limits }.to_words();
        counted(self).iter().zip(&counted(other)).all(|(own, other)| own >= other)
    }

    /// Whether the limits make sense and their memory can be counted on any machine.
    pub(crate) const fn is_valid(&self) -> bool {
        // On a machine of 32 bits no product of two of them, in bytes, may leave the range of an address.
        let most = if usize::BITS >= 64 { 1 << 16 } else { 1 << 12 };
        self.dims > 0
            && self.dims <= 1 << 12
            && self.trials > 0
            && self.trials <= most
            && self.open > 0
            && self.conditions <= most
            && self.levels <= most
            && self.terms <= most
            && self.nodes > 0
            && self.nodes <= 1 << 8
            && self.lists <= most
            && self.thetas <= 1 << 13
            && self.columns <= 1 << 12
            && self.candidates > 0
            && self.candidates <= most
            && self.starts > 0
            && self.starts <= 1 << 10
            && self.exact <= self.trials
            && self.posteriors <= 1 << 5
            && self.anchors <= 1 << 10
            && self.work <= 1 << 26
            && self.features <= 1 << 12
            && self.trees <= 1 << 12
            && self.tree_nodes <= 1 << 22
            && self.members <= 1 << 6
            && self.state <= 1 << 26
            && self.outcomes == 1
            // What has no models of their own has no branches.
            && self.values <= most
            && (cfg!(feature = "models") || self.values == 0)
            && self.branch_trials <= most
            && (self.warped == 0 || self.warped == self.dims)
    }
}
