//! A checked view of the words of a parsed space.

use crate::error::Error;
use crate::real::Real;

use super::axis::Axis;
use super::impute::Impute;
use super::layout::{
    CATEGORICAL, HEADER, INTEGER, MOST_TERMS, NARROW, ORDINAL, PARAM, REAL, RULE, Rule, encode,
};
use super::{Kind, Values};

/// Words of the mask that is held on the stack: more parameters than limits allow.
const MASK: usize = 64;

/// The terms of a clause.
pub(super) type Terms<'a> = core::iter::Map<core::slice::ChunksExact<'a, u64>, fn(&'a [u64]) -> Rule>;

/// Whether the bit of a parameter is set in a mask from [`Domain::active`].
pub(crate) fn is_active(mask: &[u64], parameter: usize) -> bool {
    mask.get(parameter / 64).is_some_and(|word| word >> (parameter % 64) & 1 == 1)
}

/// A checked view of a parsed space: the noun that the rest of the library works with.
///
/// Methods on slices that are shorter than [`Domain::dims`] leave the missing parameters out.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    params: &'a [u64],
    conditions: &'a [u64],
    terms: &'a [u64],
    pool: &'a [u64],
    names: &'a [u64],
    impute: Impute,
}

impl<'a> Domain<'a> {
    /// A view of the words that [`Space::write`](super::Space::write) wrote; words behind them are ignored.
    ///
    /// Checks every count, offset, index and bound, so that any bytes may be passed. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Corrupt`] for words that no space has; [`Error::Bounds`] for bounds of a real that are not
    /// finite, distinct and on a log scale positive normal numbers in `R`; [`Error::Levels`] for values that are not distinct
    /// in `R`: integers beyond ±`R::EXACT`, more than `R::EXACT`/4 values, log integers with
    /// hi · max(1, ln(hi/lo)) beyond `R::EXACT`/4 (f64: beyond 2⁴⁷), levels that are rounded to the same number.
    pub fn attach<R: Real>(words: &'a [u64]) -> Result<Self, Error> {
        let domain = Self::cut(words).ok_or(Error::Corrupt)?;
        let (mut end, mut defaults) = (0, 0);
        for i in 0..domain.dims() {
            let axis = domain.parse(i).ok_or(Error::Corrupt)?;
            axis.check_exact::<R>(i)?;
            let start = end;
            end = domain.end(i);
            Error::Corrupt.when(end < start || end > domain.conditions.len() / RULE)?;
            for index in start..end {
                let rule = domain.check(domain.conditions, index, i).ok_or(Error::Corrupt)?;
                Error::Corrupt.when(rule.joined && index == start)?;
            }
            if domain.default_number(i) > 0 {
                defaults += 1;
                let taken =
                    domain.default_value(i).is_some_and(|value| axis.coordinate(R::of(value)).is_some());
                Error::Corrupt.when(domain.default_number(i) != defaults || !taken)?;
            }
        }
        Error::Corrupt.when(end * RULE != domain.conditions.len())?;
        let mut start = 0;
        for index in 0..domain.terms.len() / RULE {
            let term = domain.check(domain.terms, index, domain.dims()).ok_or(Error::Corrupt)?;
            start = if term.joined { start } else { index };
            let again =
                |earlier: usize| Rule::read(&domain.terms[earlier * RULE..]).parameter == term.parameter;
            Error::Corrupt.when(index == 0 && term.joined || (start..index).any(again))?;
        }
        if domain.names_are_sound() { Ok(domain) } else { Err(Error::Corrupt) }
    }

    /// Number of parameters.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.params.len() / PARAM
    }

    /// The sort of values of a parameter; [`Kind::Real`] beyond the last one.
    pub(crate) fn kind(&self, parameter: usize) -> Kind {
        if parameter < self.dims() { self.axis(parameter).kind() } else { Kind::Real }
    }

    /// Whether a parameter is a real.
    pub(crate) fn continuous(&self, parameter: usize) -> bool {
        self.kind(parameter) == Kind::Real
    }

    /// Number of values of a parameter; nothing for a real.
    pub(crate) fn count(&self, parameter: usize) -> Option<u64> {
        (!self.continuous(parameter)).then(|| self.axis(parameter).count())
    }

    /// Number of values of a category; nothing for other parameters.
    #[must_use]
    pub fn categories(&self, parameter: usize) -> Option<u64> {
        (self.kind(parameter) == Kind::Categorical).then(|| self.axis(parameter).count())
    }

    /// The values of a parameter, and whether they are on a log scale.
    pub(crate) fn values_of(&self, parameter: usize) -> Option<(Values<'a>, bool)> {
        (parameter < self.dims()).then(|| match self.axis(parameter) {
            Axis::Real { lo, hi, log, .. } => (Values::Real(lo, hi), log),
            Axis::Integer { lo, hi, log, .. } => (Values::Integer(lo, hi), log),
            Axis::Ordinal { levels, log, .. } => (Values::Ordinal(levels), log),
            Axis::Categorical { count } => {
                (Values::Categorical(u32::try_from(count).unwrap_or(u32::MAX)), false)
            }
        })
    }

    /// The texts of the names, each with a zero behind it.
    pub(super) fn text_bytes(&self) -> &'a [u8] {
        bytemuck::cast_slice(self.names)
    }

    /// Number of values of a parameter in `R`; nothing for a real that has more of them than coordinates.
    pub(crate) fn values<R: Real>(&self, parameter: usize) -> Option<u64> {
        if self.is_wide(parameter) { None } else { self.axis(parameter).values::<R>() }
    }

    /// Number of configurations; nothing if a parameter is real, unless the scalar has few values between its bounds, or
    /// the number overflows.
    ///
    /// With conditions it is an upper bound: configurations that differ only in parameters that do not matter
    /// are one configuration, but are counted as many.
    pub(crate) fn cardinality<R: Real>(&self) -> Option<u64> {
        (0..self.dims()).try_fold(1u64, |product, i| product.checked_mul(self.values::<R>(i)?))
    }

    /// Whether some parameter matters only under a condition.
    pub(crate) fn conditional(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Whether this parameter matters only under a condition.
    pub(crate) fn is_child(&self, parameter: usize) -> bool {
        parameter < self.dims() && self.rules(parameter).next().is_some()
    }

    /// Whether some clause forbids something.
    #[must_use]
    pub fn forbidding(&self) -> bool {
        !self.terms.is_empty()
    }

    /// What stands for parameters that do not matter.
    pub(crate) fn impute(&self) -> Impute {
        self.impute
    }

    /// The default of a parameter, in user units.
    pub(crate) fn default_value(&self, parameter: usize) -> Option<f64> {
        let number = if parameter < self.dims() { self.default_number(parameter) } else { 0 };
        let place = if number > 0 { self.pool.len().checked_sub(number) } else { None };
        Some(f64::from_bits(*self.pool.get(place?)?))
    }

    /// Number of words of the mask that [`Domain::active`] writes: ⌈dims/64⌉.
    pub(crate) fn mask_words(&self) -> usize {
        self.dims().div_ceil(64)
    }

    /// Whether a parameter takes the same values as one of another space.
    pub(crate) fn agrees(&self, parameter: usize, other: &Domain<'_>, with: usize) -> bool {
        parameter < self.dims() && with < other.dims() && self.axis(parameter) == other.axis(with)
    }

    /// Sets bit i of the mask for every parameter i that matters at a point, and clears all others.
    ///
    /// Cost: O(parameters + conditions + listed values).
    pub(crate) fn active<R: Real>(&self, unit: &[R], mask: &mut [u64]) {
        mask.fill(0);
        let dims = self.dims().min(unit.len()).min(mask.len().saturating_mul(64));
        for i in 0..dims {
            let on = self.meets(i, |rule| {
                let parent = rule.parameter as usize;
                is_active(mask, parent) && self.holds(rule, self.tidy(parent, unit[parent]))
            });
            mask[i / 64] |= u64::from(on) << (i % 64);
        }
    }

    /// The parameter; `parameter` < dims.
    pub(super) fn axis(&self, parameter: usize) -> Axis<'a> {
        // `attach` has read every parameter, so the other case is never met.
        self.read(parameter).unwrap_or(Axis::Categorical { count: 1 })
    }

    /// Whether a parameter matters, where inactive coordinates before it are NaN and all others snapped.
    ///
    /// Marking inactive parameters in the coordinates themselves saves the memory for a mask.
    pub(crate) fn wakes<R: Real>(&self, parameter: usize, marked: &[R]) -> bool {
        !self.conditional() || self.meets(parameter, |rule| self.is_met(rule, marked))
    }

    /// Whether a condition or a term holds, where inactive coordinates are NaN.
    pub(super) fn is_met<R: Real>(&self, rule: Rule, marked: &[R]) -> bool {
        let u = marked[rule.parameter as usize];
        !u.is_nan() && self.holds(rule, u)
    }

    /// Calls with what tells whether a parameter matters at a snapped point.
    pub(crate) fn with_activity<R: Real, T>(
        &self,
        unit: &[R],
        then: impl FnOnce(&dyn Fn(usize) -> bool) -> T,
    ) -> T {
        if !self.conditional() {
            return then(&|_| true);
        }
        let mut mask = [0u64; MASK];
        if let Some(mask) = mask.get_mut(..self.mask_words()) {
            self.active(unit, mask);
            return then(&|i| is_active(mask, i));
        }
        // No optimizer has so many parameters.
        then(&|i| self.matters(i, unit))
    }

    /// Whether a parameter matters at a snapped point, without memory: each of its ancestors is asked again on every way
    /// to it.
    fn matters<R: Real>(&self, parameter: usize, unit: &[R]) -> bool {
        self.meets(parameter, |rule| {
            let parent = rule.parameter as usize;
            self.holds(rule, unit[parent]) && self.matters(parent, unit)
        })
    }

    /// Whether every run of alternatives among the conditions of a parameter has one that holds.
    fn meets(&self, parameter: usize, mut holds: impl FnMut(Rule) -> bool) -> bool {
        let mut met = true;
        for rule in self.rules(parameter) {
            if !rule.joined && !met {
                return false;
            }
            met = (rule.joined && met) || holds(rule);
        }
        met
    }

    /// Snaps every coordinate and replaces the inactive ones by NaN.
    pub(crate) fn mark<R: Real>(&self, unit: &mut [R]) {
        for i in 0..self.dims().min(unit.len()) {
            unit[i] = if self.wakes(i, unit) { self.tidy(i, unit[i]) } else { R::NAN };
        }
    }

    pub(super) fn rules(&self, parameter: usize) -> impl Iterator<Item = Rule> + use<'a> {
        let start = if parameter == 0 { 0 } else { self.end(parameter - 1) };
        self.conditions[start * RULE..self.end(parameter) * RULE].chunks_exact(RULE).map(Rule::read)
    }

    /// The first clause whose terms are what is looked for.
    pub(super) fn first_clause(&self, mut holds: impl FnMut(Terms<'a>) -> bool) -> Option<u32> {
        let mut rest = self.terms;
        let mut clause = 0;
        while !rest.is_empty() {
            let more = rest.chunks_exact(RULE).skip(1).take_while(|w| Rule::read(w).joined).count();
            let (terms, behind) = rest.split_at_checked((1 + more) * RULE)?;
            if holds(terms.chunks_exact(RULE).map(Rule::read)) {
                return Some(clause);
            }
            clause += 1;
            rest = behind;
        }
        None
    }

    /// The conditions and the terms that name a parameter.
    pub(super) fn naming(&self, parameter: usize) -> impl Iterator<Item = Rule> + use<'a> {
        let all = self.conditions.chunks_exact(RULE).chain(self.terms.chunks_exact(RULE));
        all.map(Rule::read).filter(move |rule| rule.parameter as usize == parameter)
    }

    /// The words of the values in the list of a rule.
    pub(super) fn listed(&self, rule: Rule) -> &'a [u64] {
        self.piece(rule.a, rule.b).unwrap_or(&[])
    }

    pub(super) fn holds<R: Real>(&self, rule: Rule, u: R) -> bool {
        let axis = self.axis(rule.parameter as usize);
        if rule.list {
            self.listed(rule).iter().any(|&token| axis.between(u, token, token))
        } else {
            axis.between(u, rule.a, rule.b)
        }
    }

    /// The sections of the words, if they are large enough for the counts in their header.
    fn cut(words: &'a [u64]) -> Option<Self> {
        let (header, rest) = words.split_at_checked(HEADER)?;
        let part = |value: u64, size: usize| usize::try_from(value).ok()?.checked_mul(size);
        let (params, rest) = rest.split_at_checked(part(header[0] & u64::from(u32::MAX), PARAM)?)?;
        let (conditions, rest) = rest.split_at_checked(part(header[0] >> 32, RULE)?)?;
        let (terms, rest) = rest.split_at_checked(part(header[1] >> 32 & MOST_TERMS as u64, RULE)?)?;
        let (pool, rest) = rest.split_at_checked(part(header[1] & u64::from(u32::MAX), 1)?)?;
        let names = rest.get(..part(header[2], 1)?)?;
        let impute = match header[1] >> 62 {
            0 => Impute::Centre,
            1 => Impute::Usual,
            2 => Impute::Outside,
            _ => Impute::Scatter,
        };
        (!params.is_empty()).then_some(Self { params, conditions, terms, pool, names, impute })
    }

    /// The parameter as its words say, checked only so far as to be read.
    fn read(&self, parameter: usize) -> Option<Axis<'a>> {
        let w = self.params.get(parameter.checked_mul(PARAM)?..)?.get(..PARAM)?;
        let (log, span) = (w[0] >> 8 & 1 == 1, f64::from_bits(w[3]));
        Some(match w[0] as u8 {
            REAL | NARROW => Axis::Real { lo: f64::from_bits(w[1]), hi: f64::from_bits(w[2]), log, span },
            INTEGER => Axis::Integer { lo: w[1] as i64, hi: w[2] as i64, log, span },
            ORDINAL => {
                let levels = bytemuck::cast_slice(self.piece(w[1], w[2])?);
                Axis::Ordinal { levels, log, span }
            }
            CATEGORICAL => Axis::Categorical { count: w[2] },
            _ => return None,
        })
    }

    /// The parameter, if it is one that [`Writer`] writes, to the last bit.
    fn parse(&self, parameter: usize) -> Option<Axis<'a>> {
        let axis = self.read(parameter)?;
        let w = &self.params[parameter * PARAM..][..PARAM];
        let offset = if axis.kind() == Kind::Ordinal { w[1] } else { 0 };
        (axis.sound() && encode(axis, offset) == [w[0] & 0x1ff, w[1], w[2], w[3]]).then_some(axis)
    }

    /// A rule of a section, if it is one that [`Writer`](super::layout::Writer) writes and names a parameter below `end`.
    fn check(&self, section: &[u64], index: usize, end: usize) -> Option<Rule> {
        let w = &section[index * RULE..][..RULE];
        let rule = Rule::read(w);
        if rule.parameter as usize >= end || w[0] >> 34 != 0 {
            return None;
        }
        let axis = self.axis(rule.parameter as usize);
        let taken = if rule.list {
            self.piece(w[1], w[2])
                .is_some_and(|tokens| !tokens.is_empty() && tokens.iter().all(|&token| axis.takes(token)))
        } else if axis.continuous() {
            axis.takes(w[1]) && axis.takes(w[2]) && f64::from_bits(w[1]) <= f64::from_bits(w[2])
        } else {
            w[1] <= w[2] && axis.takes(w[2])
        };
        taken.then_some(rule)
    }

    /// The number of the default of a parameter, from 1; 0 without one.
    fn default_number(&self, parameter: usize) -> usize {
        (self.params[parameter * PARAM] as u32 >> 9) as usize
    }

    /// Whether a parameter is a real that is not narrow in any scalar, by its head alone.
    pub(crate) fn is_wide(&self, parameter: usize) -> bool {
        self.params.get(parameter * PARAM).is_none_or(|&head| head as u8 == REAL)
    }

    /// Where the conditions of a parameter end.
    fn end(&self, parameter: usize) -> usize {
        (self.params[parameter * PARAM] >> 32) as usize
    }

    /// A piece of the pool.
    fn piece(&self, offset: u64, length: u64) -> Option<&'a [u64]> {
        self.pool.get(usize::try_from(offset).ok()?..)?.get(..usize::try_from(length).ok()?)
    }
}
