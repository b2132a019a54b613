//! The limits that a configuration needs.

use super::model::Proposer;
use super::{CHOICES, Config, Similarity, TRANSFER};
use crate::error::Error;
use crate::gp::warp::Warp;
use crate::limits::{Limit, Limits};
use crate::pending::Pending;
use crate::policy::Policy;
use crate::search::Method;

/// Rules of [`portfolio::members`](crate::policy::portfolio::members).
pub(crate) const MEMBERS: u32 = 3;

impl Limits {
    /// These limits, with what the configuration needs beyond an exact process and a closed form.
    ///
    /// A number of features or trees that was set before is kept. A kernel or trend of one's own still has to be
    /// told ([`Limits::kernel`], [`Limits::trend`]).
    ///
    /// ```
    /// use infill::{Pending, Config, Limits};
    /// let config = Config::default().with(|c| c.proposal.pending = Pending::Fantasies { count: 64 });
    /// const PLAIN: Limits = Limits::new(3, 50).open(4);
    /// assert!(PLAIN.suit(&config).words::<f64>() > PLAIN.words::<f64>());
    /// assert_eq!(PLAIN.suit(&Config::default()), PLAIN);
    /// ```
    #[must_use]
    pub const fn suit(self, config: &Config<'_>) -> Self {
        if !CHOICES {
            if !TRANSFER {
                return self;
            }
            return Self { work: most(self.work, small(config.transfer().scalars(&self))), ..self };
        }
        let (dims, columns) = (self.dims as usize, self.columns as usize);
        let posteriors = config.surrogate.hyper.posteriors();
        let mut limits = Proposer::of(config).suit(self);
        limits.posteriors = most(self.posteriors, posteriors);
        if !config.surrogate.similarity.is_plain() && config.surrogate.kernel.is_none() {
            let [nodes, lists, thetas] = Similarity::room(self.dims);
            limits.nodes = most(self.nodes, nodes);
            limits.lists = most(self.lists, lists);
            limits.thetas = most(self.thetas, thetas);
        }
        if !matches!(config.surrogate.warp, Warp::None) {
            limits.warped = limits.dims;
            // Once: limits that suit already stay as they are.
            let thetas = if self.warped > 0 { 0 } else { Warp::Kumaraswamy.thetas(dims) };
            limits.thetas = limits.thetas.saturating_add(small(thetas));
        }
        let open = if config.proposal.pending.is_modelled() { self.open as usize } else { 0 };
        let anchors = match config.proposal.policy {
            // Its points are not anchored, but they have to lie somewhere.
            Policy::MaxValue { representers, .. } => representers as usize,
            policy => policy.anchors(self.trials as usize),
        };
        limits.anchors = most(self.anchors, small(if anchors > open { anchors } else { open }));
        let policy = config.proposal.policy.scalars::<f64>(self.trials as usize, dims, columns);
        let batch = match config.proposal.pending {
            _ if open == 0 => 0,
            // Where a bound decides, open trials are penalised.
            Pending::JointEi { .. } => {
                let (own, other) =
                    (config.proposal.pending.scalars(open, dims), Pending::Penalty.scalars(open, dims));
                if own > other { own } else { other }
            }
            batch => batch.scalars(open, dims),
        };
        let free =
            if let Some(free) = config.proposal.baseline { free.work(self.trials as usize, dims) } else { 0 };
        let each = if policy > batch { policy } else { batch };
        let each = if each > free { each } else { free };
        let copies = if posteriors > 1 { posteriors as usize } else { 1 };
        limits.work = most(self.work, small(each.saturating_mul(copies)));
        let method = config.search.method;
        limits.candidates = most(self.candidates, small(method.candidates(dims)));
        if matches!(method, Method::Smac | Method::Typed) {
            limits.starts = most(self.starts, config.search.starts);
        }
        if matches!(config.proposal.policy, Policy::Hedge | Policy::Portfolio { .. }) {
            limits.members = most(self.members, MEMBERS);
        }
        // Candidates and hyperparameters that were raised above count.
        limits.work = most(limits.work, small(config.transfer().scalars(&limits)));
        limits
    }

    /// Trials that can be open together.
    pub(crate) const fn most_open(&self) -> usize {
        if self.open < self.trials { self.open as usize } else { self.trials as usize }
    }
}

impl Config<'_> {
    /// Whether an optimizer of so many parameters finds room within the limits for what it is to do.
    ///
    /// # Errors
    /// [`Error::Limits`].
    pub(crate) fn needs(&self, limits: &Limits, dims: usize) -> Result<(), Error> {
        Proposer::of(self).fits(limits)?;
        if limits.sources > 0 {
            self.helps()?;
        }
        // By these limits: what they would be raised to again takes more.
        Limit::Work.at_least(limits.work as usize, self.transfer().scalars(limits))?;
        // The default needs nothing else.
        if !CHOICES {
            return Ok(());
        }
        // What it takes is what it would be given, in its own number of parameters.
        let given = Limits { dims: dims as u32, warped: 0, sources: 0, ..*limits };
        let least = Limits { posteriors: 0, anchors: 0, work: 0, members: 0, state: 0, ..given }.suit(self);
        let needs = [
            (Limit::Posteriors, limits.posteriors, least.posteriors),
            (Limit::Anchors, limits.anchors, least.anchors),
            (Limit::Work, limits.work, least.work),
            (Limit::Members, limits.members, least.members),
            (Limit::Candidates, limits.candidates, least.candidates),
            (Limit::State, limits.state, least.state),
            (Limit::Warped, limits.warped, if self.surrogate.warp == Warp::None { 0 } else { limits.dims }),
        ];
        needs.iter().try_for_each(|&(limit, given, least)| limit.at_least(given as usize, least as usize))
    }
}

impl Pending {
    /// Whether open trials are reckoned with by joint predictions or penalties instead of rows of the model.
    pub(crate) const fn is_modelled(&self) -> bool {
        matches!(self, Self::Fantasies { .. } | Self::Penalty | Self::JointEi { .. })
    }
}

pub(super) const fn most(a: u32, b: u32) -> u32 {
    if a > b { a } else { b }
}

/// A count as a limit; one that is too large becomes a limit that is refused.
pub(super) const fn small(count: usize) -> u32 {
    if count > u32::MAX as usize { u32::MAX } else { count as u32 }
}
