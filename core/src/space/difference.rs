//! What differs between the space of a block and one that is given.

use super::axis::Axis;
use super::condition::When;
use super::layout::{Rule, encode};
use super::{Clause, Domain, Space};
use crate::block::checksum::mix;
use crate::error::{Difference, Error, Part};

impl Domain<'_> {
    /// Whether a space is the one that this is the parsed form of, names and labels included where both have them.
    ///
    /// Parameters are compared first, then conditions, clauses, imputation, names. Cost: O(parameters × conditions + clauses +
    /// texts).
    ///
    /// # Errors
    /// [`Error::Space`] with the first part that differs.
    pub(crate) fn check_space(&self, space: &Space<'_>) -> Result<(), Error> {
        match self.difference(space) {
            Some((part, index)) => Err(Error::Space(Difference::new(part, index))),
            None => Ok(()),
        }
    }

    fn difference(&self, space: &Space<'_>) -> Option<(Part, usize)> {
        let (params, conditions, clauses, impute) = space.parts();
        let both = self.dims().min(params.len());
        let same = |i: &usize| {
            let (own, other) = (self.axis(*i), params[*i].parse(*i as u32));
            other.is_ok_and(|other| is_same(own, other))
                && self.default_value(*i).map(f64::to_bits) == params[*i].default_value.map(f64::to_bits)
        };
        if let Some(i) = (0..both).find(|i| !same(i)) {
            return Some((Part::Parameter, i));
        }
        if self.dims() != params.len() {
            return Some((Part::Parameter, both));
        }
        let axis = |i: u32| params.get(i as usize).and_then(|param| param.parse(i).ok());
        let states = |rule: Rule, parameter: u32, when: When<'_>, joined: bool| {
            rule.parameter == parameter
                && rule.joined == joined
                && axis(parameter).is_some_and(|axis| self.is_stated(rule, axis, when))
        };
        for i in 0..both {
            let mut own = self.rules(i);
            for (index, c) in conditions.iter().enumerate().filter(|(_, c)| c.child as usize == i) {
                if !own.next().is_some_and(|rule| states(rule, c.parent, c.when, c.or)) {
                    return Some((Part::Condition, index));
                }
            }
            if own.next().is_some() {
                return Some((Part::Conditions, i));
            }
        }
        let mut index = 0;
        self.first_clause(|mut terms| {
            let stated = |clause: &Clause<'_>| {
                clause.terms.iter().enumerate().all(|(k, term)| {
                    terms.next().is_some_and(|rule| states(rule, term.parameter, term.when, k > 0))
                }) && terms.next().is_none()
            };
            let differs = !clauses.get(index).is_some_and(stated);
            index += usize::from(!differs);
            differs
        });
        let own = self.clauses();
        if index < own.max(clauses.len()) {
            return Some((Part::Clause, index));
        }
        if self.impute() != impute {
            return Some((Part::Impute, 0));
        }
        self.other_name(space)
    }

    /// Whether a rule is what a program states.
    fn is_stated(&self, rule: Rule, axis: Axis<'_>, when: When<'_>) -> bool {
        match when {
            When::In(values) => {
                let own = self.listed(rule);
                rule.list
                    && own.len() == values.len()
                    && own.iter().zip(values).all(|(token, &value)| axis.token(value) == Some(*token))
            }
            When::Equals(_) | When::Between(..) => !rule.list && when.range(axis) == Some((rule.a, rule.b)),
        }
    }

    fn clauses(&self) -> usize {
        let mut count = 0;
        self.first_clause(|_| {
            count += 1;
            false
        });
        count
    }

    /// The first name or label that both have and that differs.
    fn other_name(&self, space: &Space<'_>) -> Option<(Part, usize)> {
        if self.text_bytes().is_empty() || space.names_fingerprint() == 0 {
            return None;
        }
        (0..self.dims()).find_map(|i| {
            if self.name(i) != space.name(i) {
                return Some((Part::Name, i));
            }
            let labels = 0..space.categories(i).unwrap_or(0) as usize;
            labels.clone().any(|k| self.label(i, k) != space.label(i, k)).then_some((Part::Labels, i))
        })
    }
}

fn is_same(own: Axis<'_>, other: Axis<'_>) -> bool {
    // A word tells zeros of two signs apart, as the fingerprint does.
    let levels = |axis: Axis<'_>| match axis {
        Axis::Ordinal { levels, .. } => levels.iter().fold(0, |hash, level| mix(hash, level.to_bits())),
        Axis::Real { .. } | Axis::Integer { .. } | Axis::Categorical { .. } => 0,
    };
    encode(own, 0) == encode(other, 0) && levels(own) == levels(other)
}
