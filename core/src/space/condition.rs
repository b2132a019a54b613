//! Conditions, when a parameter is active: its parents take certain values.

use super::axis::Axis;

/// A child matters only when its parent matters and takes certain values.
///
/// ```text
/// active(child) = ⋀ over runs: ⋁ over the conditions of a run: active(parent) ∧ value(parent) ∈ V
/// ```
///
/// A condition starts a run, unless it is an alternative to the one before it on the same child ([`Condition::or`]): of
/// each run one has to hold. Every formula of *and* and *or* can be written so. Conditions on different children may come
/// in any order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition<'a> {
    /// The parameter that is switched.
    pub child: u32,
    /// The parameter that switches it, with a smaller index.
    pub parent: u32,
    /// The values of the parent that switch the child on.
    pub when: When<'a>,
    /// Whether it is an alternative to the condition before it on the same child: one of such a run has to hold.
    pub or: bool,
}

impl<'a> Condition<'a> {
    /// A condition that has to hold.
    #[must_use]
    pub const fn new(child: u32, parent: u32, when: When<'a>) -> Self {
        Self { child, parent, when, or: false }
    }

    /// The same condition as an alternative to the one before it on the same child.
    #[must_use]
    pub const fn or(self) -> Self {
        Self { or: true, ..self }
    }
}

/// The values of a parent that switch a child on, in the parent's user units: index, whole number, level or real.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When<'a> {
    /// This value.
    Equals(f64),
    /// Any of these values.
    In(&'a [f64]),
    /// Any value between two, both included; the bounds need not be values of the parent.
    Between(f64, f64),
}

impl<'a> When<'a> {
    /// The values in a list of its own.
    pub(super) fn listed(&self) -> &'a [f64] {
        match *self {
            Self::In(values) => values,
            Self::Equals(_) | Self::Between(..) => &[],
        }
    }

    /// The first and last word of the values that are not in a list.
    pub(super) fn range(&self, parent: Axis<'_>) -> Option<(u64, u64)> {
        match *self {
            Self::Equals(value) => parent.token(value).map(|token| (token, token)),
            Self::Between(lo, hi) => parent.range(lo, hi),
            Self::In(_) => None,
        }
    }

    /// Whether the parent can take every named value, or at least one of a range.
    pub(super) fn suits(&self, parent: Axis<'_>) -> bool {
        match *self {
            Self::In(values) => !values.is_empty() && values.iter().all(|&v| parent.token(v).is_some()),
            Self::Equals(_) | Self::Between(..) => self.range(parent).is_some(),
        }
    }
}
