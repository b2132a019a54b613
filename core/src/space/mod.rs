//! The search space, what may vary: parameters, the conditions between them, and the unit cube on which models work.
//!
//! ```text
//! Space (the user's words) ── write ──▶ words in the block ── attach ──▶ Domain (what the library works with)
//! user units  ◀── decode ──  unit cube [0,1]ᵈ  ── encode ──▶
//! ```

mod axis;
mod bins;
mod clause;
mod condition;
mod design;
mod difference;
mod domain;
mod encode;
mod enumerate;
mod feasibility;
mod fingerprint;
mod halton;
pub(crate) mod hash;
mod impute;
mod layout;
mod names;
mod narrow;
mod neighbour;
mod ordinal;
mod sample;
pub mod sobol;
mod sobol_table;
pub(crate) mod subspace;

pub use clause::{Clause, Term};
pub use condition::{Condition, When};
pub use design::Design;
pub use domain::Domain;
pub(crate) use domain::is_active;
pub use impute::Impute;
pub(crate) use layout::words;
use names::Named;
pub use names::Names;

use crate::error::{Error, Need};
use crate::limits::{Limit, Limits};
use crate::real::Real;
use axis::Axis;
use layout::{MOST_DEFAULTS, MOST_TERMS};

/// The sort of values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Every number between two bounds.
    Real,
    /// Every whole number between two bounds.
    Integer,
    /// Numbers from an increasing list; their ranks are equally spaced.
    Ordinal,
    /// One of several values without order, named by an index.
    Categorical,
}

/// One thing that may vary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param<'a> {
    values: Values<'a>,
    log: bool,
    default_value: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Values<'a> {
    Real(f64, f64),
    Integer(i64, i64),
    Ordinal(&'a [f64]),
    Categorical(u32),
}

impl<'a> Param<'a> {
    /// Every number from `lo` to `hi`, both included.
    ///
    /// ```text
    /// u = (x − lo) / (hi − lo)
    /// ```
    ///
    /// Where the scalar has few values between the bounds, as `f32` between 1,000,000 and 1,000,008, each of them is
    /// proposed once.
    #[must_use]
    pub const fn real(lo: f64, hi: f64) -> Self {
        Self { values: Values::Real(lo, hi), log: false, default_value: None }
    }

    /// Every whole number from `lo` to `hi`, both included and equally likely.
    ///
    /// ```text
    /// u = (v − lo + ½) / (hi − lo + 1)
    /// ```
    #[must_use]
    pub const fn integer(lo: i64, hi: i64) -> Self {
        Self { values: Values::Integer(lo, hi), log: false, default_value: None }
    }

    /// The numbers of a strictly increasing list.
    ///
    /// ```text
    /// u = (rank + ½) / count
    /// ```
    #[must_use]
    pub const fn ordinal(levels: &'a [f64]) -> Self {
        Self { values: Values::Ordinal(levels), log: false, default_value: None }
    }

    /// One of `count` values without order, named by `0 … count − 1`.
    ///
    /// ```text
    /// u = (index + ½) / count
    /// ```
    #[must_use]
    pub const fn categorical(count: u32) -> Self {
        Self { values: Values::Categorical(count), log: false, default_value: None }
    }

    /// The same parameter, uniform in its exponent; for reals whose `lo` is a positive normal number, integers with
    /// `lo ≥ 1` and ordinals of positive levels, which then lie where their logarithms do.
    ///
    /// ```text
    /// real     u = ln(x / lo) / ln(hi / lo)
    /// integer  u = ln(v / (lo − ½)) / ln((hi + ½) / (lo − ½))
    /// ordinal  u = ln(v / a) / ln(b / a),   a = v₁ √(v₁/v₂),   b = vₙ √(vₙ/vₙ₋₁)
    /// ```
    ///
    /// Levels whose logarithms are evenly spaced are so with and without it.
    #[must_use]
    pub const fn log(self) -> Self {
        Self { log: true, ..self }
    }

    /// The same parameter with a default value, in user units: what [`Impute::Usual`] writes where it does not matter.
    #[must_use]
    pub const fn default_value(self, value: f64) -> Self {
        Self { default_value: Some(value), ..self }
    }

    /// Whether a condition or a term names values that the parameter takes.
    pub(crate) fn suits(&self, parameter: u32, when: When<'_>) -> bool {
        self.parse(parameter).is_ok_and(|axis| when.suits(axis))
    }

    /// The values, whether they are on a log scale, and the default.
    pub(crate) fn parts(&self) -> (Values<'a>, bool, Option<f64>) {
        (self.values, self.log, self.default_value)
    }

    fn levels(&self) -> usize {
        let listed = match self.values {
            Values::Ordinal(levels) => levels.len(),
            Values::Real(..) | Values::Integer(..) | Values::Categorical(_) => 0,
        };
        listed.saturating_add(usize::from(self.default_value.is_some()))
    }

    fn parse(&self, parameter: u32) -> Result<Axis<'a>, Error> {
        match self.values {
            Values::Real(lo, hi) => Axis::real(lo, hi, self.log).ok_or(Error::Bounds { parameter }),
            Values::Integer(lo, hi) if lo == hi => Err(Error::Levels { parameter }),
            Values::Integer(lo, hi) => Axis::integer(lo, hi, self.log).ok_or(Error::Bounds { parameter }),
            Values::Ordinal(levels) => Axis::ordinal(levels, self.log).ok_or(Error::Levels { parameter }),
            // Names have no exponent.
            Values::Categorical(_) if self.log => Err(Error::Bounds { parameter }),
            Values::Categorical(count) => {
                Axis::categorical(u64::from(count)).ok_or(Error::Levels { parameter })
            }
        }
    }
}

/// What may vary: parameters and the conditions between them, checked once.
///
/// A condition's parent stands before its child, so that cycles cannot be written.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    params: &'a [Param<'a>],
    conditions: &'a [Condition<'a>],
    forbidden: &'a [Clause<'a>],
    impute: Impute,
    levels: usize,
    terms: usize,
    names: Named<'a>,
}

/// Names are not compared.
impl PartialEq for Space<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl<'a> Space<'a> {
    /// A space of these parameters under these conditions.
    ///
    /// Conditions may come in any order. Whether the values are exact in a scalar is asked by
    /// [`Space::check_exact`]. A child that can never be active is refused; the search for that is exact, but gives up,
    /// and accepts, where more than 64 conditions decide on a child or after some millions of steps. Cost: O(parameters +
    /// conditions + listed values), and per child O(conditions × those that decide on it).
    ///
    /// # Errors
    /// [`Error::Dimensions`] without parameters; [`Error::Bounds`] for bounds that are not finite, not in
    /// order, or not positive on a log scale (also for a log scale on categories);
    /// [`Error::Levels`] for fewer than two values or an unordered list; [`Error::Condition`] for a child or
    /// parent out of range, a parent that is not before its child, a value that the parent cannot take, an
    /// empty list, a range without an admissible value, an alternative to nothing, or a child that its conditions, or
    /// those on its parents, never let be active (the first of its conditions); [`Error::OutOfRange`] for a default that
    /// is not a value; [`Error::Limits`] for more than 2³² − 1 conditions or listed values or 2²³ − 1 defaults.
    pub fn new(params: &'a [Param<'a>], conditions: &'a [Condition<'a>]) -> Result<Self, Error> {
        Error::Dimensions(Need::new(Limit::Dims, 0)).when(params.is_empty())?;
        Limit::Dims.at_most(params.len(), u32::MAX as usize)?;
        let (mut levels, mut defaults) = (0usize, 0usize);
        for (i, param) in params.iter().enumerate() {
            let axis = param.parse(i as u32)?;
            levels = levels.saturating_add(param.levels());
            if let Some(value) = param.default_value {
                defaults += 1;
                Error::OutOfRange { parameter: i as u32 }.when(axis.token(value).is_none())?;
            }
        }
        for (index, condition) in conditions.iter().enumerate() {
            let error = Error::Condition { index: index as u32 };
            if condition.parent >= condition.child || condition.child as usize >= params.len() {
                return Err(error);
            }
            let parent = params[condition.parent as usize].parse(condition.parent)?;
            if !condition.when.suits(parent) {
                return Err(error);
            }
            levels = levels.saturating_add(condition.when.listed().len());
        }
        Limit::Conditions.at_most(conditions.len(), u32::MAX as usize)?;
        Limit::Levels.at_most(levels, u32::MAX as usize)?;
        Limit::Levels.at_most(defaults, MOST_DEFAULTS)?;
        let mut budget = feasibility::Budget::new();
        for (index, condition) in conditions.iter().enumerate() {
            // The first condition on a child stands for all of them.
            let first = feasibility::is_first(conditions, index, &mut budget);
            let error = Error::Condition { index: index as u32 };
            if first
                && (condition.or
                    || feasibility::wakes(params, conditions, condition.child, &mut budget) == Some(false))
            {
                return Err(error);
            }
        }
        let (impute, names) = (Impute::Centre, Named(None));
        Ok(Self { params, conditions, forbidden: &[], impute, levels, terms: 0, names })
    }

    /// The same space without the configurations that a clause describes.
    ///
    /// # Errors
    /// [`Error::Clause`] for a clause without terms, a parameter out of range or named twice, or a value that it cannot
    /// take; [`Error::Infeasible`] if nothing is left; [`Error::Limits`] for more than 2³⁰ − 1 terms or 2³² − 1 values.
    ///
    /// Whether something is left is decided by a search that is exact, but gives up, and accepts, where clauses depend on
    /// more than 64 parameters or after some millions of steps; sampling then tells.
    pub fn forbid(self, clauses: &'a [Clause<'a>]) -> Result<Self, Error> {
        let own = |clauses: &[Clause<'_>]| clauses.iter().map(Clause::levels).fold(0, usize::saturating_add);
        let mut terms = 0usize;
        for (index, clause) in clauses.iter().enumerate() {
            Error::Clause { index: index as u32 }.when(!clause.suits(self.params))?;
            terms = terms.saturating_add(clause.terms.len());
        }
        let levels = (self.levels - own(self.forbidden)).saturating_add(own(clauses));
        Limit::Terms.at_most(terms, MOST_TERMS)?;
        Limit::Levels.at_most(levels, u32::MAX as usize)?;
        if feasibility::leaves(self.params, self.conditions, clauses, &mut feasibility::Budget::new())
            == Some(false)
        {
            return Err(Error::Infeasible);
        }
        Ok(Self { forbidden: clauses, levels, terms, ..self })
    }

    /// The same space with another coordinate for parameters that do not matter.
    #[must_use]
    pub const fn impute(self, impute: Impute) -> Self {
        Self { impute, ..self }
    }

    /// Whether all values are distinct in the scalar `R`.
    ///
    /// # Errors
    /// [`Error::Bounds`] and [`Error::Levels`] as [`Domain::attach`].
    pub fn check_exact<R: Real>(&self) -> Result<(), Error> {
        self.params.iter().enumerate().try_for_each(|(i, param)| param.parse(i as u32)?.check_exact::<R>(i))
    }

    /// Number of parameters.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.params.len()
    }

    /// What a parameter is; [`Kind::Real`] beyond the last.
    pub(crate) fn kind(&self, parameter: usize) -> Kind {
        match self.params.get(parameter).map(|p| p.values) {
            Some(Values::Integer(..)) => Kind::Integer,
            Some(Values::Ordinal(_)) => Kind::Ordinal,
            Some(Values::Categorical(_)) => Kind::Categorical,
            Some(Values::Real(..)) | None => Kind::Real,
        }
    }

    /// What it was made of.
    pub(crate) fn parts(&self) -> (&'a [Param<'a>], &'a [Condition<'a>], &'a [Clause<'a>], Impute) {
        (self.params, self.conditions, self.forbidden, self.impute)
    }

    /// Number of values of a category; nothing for other parameters.
    ///
    /// ```
    /// # use infill::{Param, Space};
    /// let params = [Param::categorical(3), Param::integer(0, 2)];
    /// let space = Space::new(&params, &[])?;
    /// assert_eq!((space.categories(0), space.categories(1)), (Some(3), None));
    /// # Ok::<(), infill::Error>(())
    /// ```
    #[must_use]
    pub fn categories(&self, parameter: usize) -> Option<u32> {
        match self.params.get(parameter)?.values {
            Values::Categorical(count) => Some(count),
            Values::Real(..) | Values::Integer(..) | Values::Ordinal(_) => None,
        }
    }

    /// Number of conditions.
    #[must_use]
    pub fn conditions(&self) -> usize {
        self.conditions.len()
    }

    /// Parent and child of each condition.
    pub(crate) fn links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.conditions.iter().map(|condition| (condition.parent as usize, condition.child as usize))
    }

    /// Number of values listed by ordinals and by [`When::In`], and of defaults.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Number of terms of forbidden clauses, all together.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Whether this parameter matters only under a condition.
    pub(crate) fn is_child(&self, parameter: usize) -> bool {
        self.conditions.iter().any(|condition| condition.child as usize == parameter)
    }

    /// The limits of an optimizer of this space with so many trials.
    ///
    /// ```
    /// use infill::{Condition, Param, Space, When};
    /// let params = [Param::categorical(3), Param::real(0.0, 1.0)];
    /// let conditions = [Condition::new(1, 0, When::In(&[0.0, 2.0]))];
    /// let limits = Space::new(&params, &conditions)?.limits(40);
    /// assert_eq!((limits.dims, limits.conditions, limits.levels, limits.trials), (2, 1, 2, 40));
    /// # Ok::<(), infill::Error>(())
    /// ```
    #[must_use]
    pub fn limits(&self, trials: u32) -> Limits {
        // `new` and `forbid` have seen that the counts fit.
        Limits::new(self.dims() as u32, trials)
            .conditions(self.conditions.len() as u32, self.levels as u32)
            .terms(self.terms as u32)
            .names(u32::try_from(self.names_bytes()).unwrap_or(u32::MAX))
    }

    /// Size of the parsed form.
    #[must_use]
    pub fn words(&self) -> usize {
        words(self.dims(), self.conditions.len(), self.levels, self.terms, self.names_bytes())
    }

    /// Writes the parsed form, for [`Domain::attach`], to the front of `out`.
    ///
    /// Cost: O(parameters × conditions), to sort the conditions by child without memory.
    ///
    /// # Errors
    /// [`Error::Memory`] if `out` has fewer than [`Space::words`] words.
    pub fn write(&self, out: &mut [u64]) -> Result<(), Error> {
        let needed = self.words();
        let Some(out) = out.get_mut(..needed) else {
            return Err(Error::Memory { needed });
        };
        // Every parameter was parsed by `new`.
        let axis = |i: u32| self.params.get(i as usize).and_then(|param| param.parse(i).ok());
        let (conditions, levels) = (self.conditions.len(), self.levels);
        let mut writer = layout::Writer::new(out, self.dims(), conditions, levels, self.terms, self.impute);
        for (i, param) in self.params.iter().enumerate() {
            let conditions = self.conditions.iter().filter(|c| c.child as usize == i);
            let rules = conditions.filter_map(|c| Some((c.parent, axis(c.parent)?, c.when, c.or)));
            writer.param(param.parse(i as u32)?, param.default_value, rules);
        }
        for clause in self.forbidden {
            for (k, term) in clause.terms.iter().enumerate() {
                if let Some(axis) = axis(term.parameter) {
                    writer.term(term.parameter, axis, term.when, k > 0);
                }
            }
        }
        self.write_names(writer.names());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
