//! Forbidden clauses: combinations of values that no configuration has.

use super::Param;
use super::condition::When;

/// A combination of values that is forbidden.
///
/// ```text
/// forbidden = ⋀ over its terms: active(parameter) ∧ value(parameter) ∈ V
/// ```
///
/// A term on a parameter that does not matter does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clause<'a> {
    /// What holds together in what is forbidden.
    pub terms: &'a [Term<'a>],
}

impl Clause<'_> {
    /// Whether it has terms, each on another parameter and with values that this one takes.
    pub(super) fn suits(&self, params: &[Param<'_>]) -> bool {
        let sound = |(k, term): (usize, &Term<'_>)| {
            let axis = params.get(term.parameter as usize).and_then(|p| p.parse(term.parameter).ok());
            axis.is_some_and(|axis| term.when.suits(axis))
                && self.terms[..k].iter().all(|earlier| earlier.parameter != term.parameter)
        };
        !self.terms.is_empty() && self.terms.iter().enumerate().all(sound)
    }

    /// Number of values that its terms list.
    pub(super) fn levels(&self) -> usize {
        self.terms.iter().map(|term| term.when.listed().len()).fold(0, usize::saturating_add)
    }
}

/// A parameter and some of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term<'a> {
    /// The parameter.
    pub parameter: u32,
    /// Its values.
    pub when: When<'a>,
}
