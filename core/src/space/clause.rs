//! What may not be: combinations of values that no configuration has.

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

/// A parameter and some of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term<'a> {
    /// The parameter.
    pub parameter: u32,
    /// Its values.
    pub when: When<'a>,
}
