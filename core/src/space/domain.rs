//! The parsed space: fixed-width words without pointers, and a checked view of them.
//!
//! ```text
//! header      dims | conditions << 32,  levels
//! parameter   kind | log << 8 | end of its conditions << 32,  a,  b,  span      (dims times)
//! condition   parent | list << 32,  a,  b                                       (sorted by child)
//! pool        levels of ordinals, words of listed values
//! ```
//! `a`, `b`: bounds of a real (bits) or integer; offset and length in the pool; count of categories.

use crate::error::Error;
use crate::real::Real;

use super::Kind;
use super::axis::{Axis, clamp};
use super::condition::{Condition, When};

const HEADER: usize = 2;
const PARAM: usize = 4;
const CONDITION: usize = 3;

/// The kinds in the lowest byte of a parameter.
const REAL: u8 = 0;
const INTEGER: u8 = 1;
const ORDINAL: u8 = 2;
const CATEGORICAL: u8 = 3;

/// Words of a parsed space with these numbers of parameters, conditions and listed values.
///
/// Saturates instead of overflowing.
#[must_use]
pub const fn words(dims: usize, conditions: usize, levels: usize) -> usize {
    dims.saturating_mul(PARAM)
        .saturating_add(conditions.saturating_mul(CONDITION))
        .saturating_add(levels)
        .saturating_add(HEADER)
}

/// Whether the bit of a parameter is set in a mask from [`Domain::active`].
#[must_use]
pub fn is_active(mask: &[u64], parameter: usize) -> bool {
    mask.get(parameter / 64).is_some_and(|word| word >> (parameter % 64) & 1 == 1)
}

/// A checked view of a parsed space: the noun that the rest of the library works with.
///
/// Methods on slices that are shorter than [`Domain::dims`] leave the missing parameters out.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    params: &'a [u64],
    conditions: &'a [u64],
    pool: &'a [u64],
}

impl<'a> Domain<'a> {
    /// A view of the words that [`Space::write`](super::Space::write) wrote; words behind them are ignored.
    ///
    /// Checks every count, offset, index and bound, so that any bytes may be passed. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Corrupt`] for words that no space has; [`Error::Bounds`] for bounds of a real that are not
    /// finite, distinct and on a log scale positive in `R`; [`Error::Levels`] for values that are not distinct
    /// in `R`: integers beyond ±`R::EXACT`, more than `R::EXACT`/4 values, log integers with
    /// hi · max(1, ln(hi/lo)) beyond `R::EXACT`/4 (f64: beyond 2⁴⁷), levels that are rounded to the same number.
    pub fn attach<R: Real>(words: &'a [u64]) -> Result<Self, Error> {
        let domain = Self::cut(words).ok_or(Error::Corrupt)?;
        let mut end = 0;
        for i in 0..domain.dims() {
            let axis = domain.parse(i).ok_or(Error::Corrupt)?;
            axis.check_exact::<R>(i)?;
            let start = end;
            end = domain.end(i);
            if end < start || end > domain.conditions.len() / CONDITION {
                return Err(Error::Corrupt);
            }
            for index in start..end {
                if !domain.check(index, i) {
                    return Err(Error::Corrupt);
                }
            }
        }
        if end * CONDITION == domain.conditions.len() { Ok(domain) } else { Err(Error::Corrupt) }
    }

    /// Number of parameters.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.params.len() / PARAM
    }

    /// The sort of values of a parameter; [`Kind::Real`] beyond the last one.
    #[must_use]
    pub fn kind(&self, parameter: usize) -> Kind {
        if parameter < self.dims() { self.axis(parameter).kind() } else { Kind::Real }
    }

    /// Whether a parameter is a real.
    #[must_use]
    pub fn continuous(&self, parameter: usize) -> bool {
        self.kind(parameter) == Kind::Real
    }

    /// Number of values of a parameter; nothing for a real.
    #[must_use]
    pub fn count(&self, parameter: usize) -> Option<u64> {
        (!self.continuous(parameter)).then(|| self.axis(parameter).count())
    }

    /// Number of configurations; nothing if a parameter is real or the number overflows.
    ///
    /// With conditions it is an upper bound: configurations that differ only in parameters that do not matter
    /// are one configuration, but are counted as many.
    #[must_use]
    pub fn cardinality(&self) -> Option<u64> {
        (0..self.dims()).try_fold(1u64, |product, i| product.checked_mul(self.count(i)?))
    }

    /// Whether some parameter matters only under a condition.
    #[must_use]
    pub fn conditional(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Number of words of the mask that [`Domain::active`] writes: ⌈dims/64⌉.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        self.dims().div_ceil(64)
    }

    /// Whether a parameter takes the same values as one of another space.
    pub(crate) fn agrees(&self, parameter: usize, other: &Domain<'_>, with: usize) -> bool {
        parameter < self.dims() && with < other.dims() && self.axis(parameter) == other.axis(with)
    }

    /// Sets bit i of the mask for every parameter i that matters at a point, and clears all others.
    ///
    /// Cost: O(parameters + conditions + listed values).
    pub fn active<R: Real>(&self, unit: &[R], mask: &mut [u64]) {
        mask.fill(0);
        let dims = self.dims().min(unit.len()).min(mask.len().saturating_mul(64));
        for i in 0..dims {
            let on = self.rules(i).all(|rule| {
                let parent = rule.parent as usize;
                is_active(mask, parent) && self.holds(rule, self.axis(parent).snap(unit[parent]))
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
    pub(super) fn wakes<R: Real>(&self, parameter: usize, marked: &[R]) -> bool {
        !self.conditional()
            || self.rules(parameter).all(|rule| {
                let u = marked[rule.parent as usize];
                !u.is_nan() && self.holds(rule, u)
            })
    }

    /// Whether a parameter matters at a snapped point. Cost: O(conditions on it and on its ancestors).
    pub(super) fn matters<R: Real>(&self, parameter: usize, unit: &[R]) -> bool {
        self.rules(parameter).all(|rule| {
            let parent = rule.parent as usize;
            self.holds(rule, unit[parent]) && self.matters(parent, unit)
        })
    }

    /// Snaps every coordinate and replaces the inactive ones by NaN.
    pub(crate) fn mark<R: Real>(&self, unit: &mut [R]) {
        for i in 0..self.dims().min(unit.len()) {
            unit[i] = if !self.wakes(i, unit) {
                R::NAN
            } else if self.params[i * PARAM] as u8 == REAL {
                // The common case needs nothing of the record, and search comes here for every candidate.
                clamp(unit[i])
            } else {
                self.axis(i).snap(unit[i])
            };
        }
    }

    /// Replaces the marks by the canonical coordinate.
    pub(super) fn settle<R: Real>(&self, unit: &mut [R]) {
        if self.conditional() {
            for i in 0..self.dims().min(unit.len()) {
                if unit[i].is_nan() {
                    unit[i] = self.axis(i).snap(R::HALF);
                }
            }
        }
    }

    fn rules(&self, parameter: usize) -> impl Iterator<Item = Rule> {
        let start = if parameter == 0 { 0 } else { self.end(parameter - 1) };
        self.conditions[start * CONDITION..self.end(parameter) * CONDITION]
            .chunks_exact(CONDITION)
            .map(|w| Rule { parent: w[0] as u32, list: w[0] >> 32 != 0, a: w[1], b: w[2] })
    }

    fn holds<R: Real>(&self, rule: Rule, u: R) -> bool {
        let axis = self.axis(rule.parent as usize);
        if rule.list {
            self.piece(rule.a, rule.b)
                .is_some_and(|tokens| tokens.iter().any(|&token| axis.between(u, token, token)))
        } else {
            axis.between(u, rule.a, rule.b)
        }
    }

    /// The sections of the words, if they are large enough for the counts in their header.
    fn cut(words: &'a [u64]) -> Option<Self> {
        let (header, rest) = words.split_at_checked(HEADER)?;
        let part = |value: u64, size: usize| usize::try_from(value).ok()?.checked_mul(size);
        let (params, rest) = rest.split_at_checked(part(header[0] & u64::from(u32::MAX), PARAM)?)?;
        let (conditions, rest) = rest.split_at_checked(part(header[0] >> 32, CONDITION)?)?;
        let pool = rest.get(..part(header[1], 1)?)?;
        (!params.is_empty()).then_some(Self { params, conditions, pool })
    }

    /// The parameter as its words say, checked only so far as to be read.
    fn read(&self, parameter: usize) -> Option<Axis<'a>> {
        let w = self.params.get(parameter.checked_mul(PARAM)?..)?.get(..PARAM)?;
        let (log, span) = (w[0] >> 8 & 1 == 1, f64::from_bits(w[3]));
        Some(match w[0] as u8 {
            REAL => Axis::Real { lo: f64::from_bits(w[1]), hi: f64::from_bits(w[2]), log, span },
            INTEGER => Axis::Integer { lo: w[1] as i64, hi: w[2] as i64, log, span },
            ORDINAL => Axis::Ordinal { levels: bytemuck::cast_slice(self.piece(w[1], w[2])?) },
            CATEGORICAL => Axis::Categorical { count: w[2] },
            _ => return None,
        })
    }

    /// The parameter, if it is one that [`Writer`] writes, to the last bit.
    fn parse(&self, parameter: usize) -> Option<Axis<'a>> {
        let axis = self.read(parameter)?;
        let w = &self.params[parameter * PARAM..][..PARAM];
        let offset = if axis.kind() == Kind::Ordinal { w[1] } else { 0 };
        (axis.sound() && encode(axis, offset) == [w[0] & u64::from(u32::MAX), w[1], w[2], w[3]])
            .then_some(axis)
    }

    /// Whether a condition of parameter `child` is one that [`Writer`] writes.
    fn check(&self, index: usize, child: usize) -> bool {
        let w = &self.conditions[index * CONDITION..][..CONDITION];
        let parent = w[0] as u32 as usize;
        if parent >= child {
            return false;
        }
        let axis = self.axis(parent);
        match w[0] >> 32 {
            0 if axis.continuous() => {
                axis.takes(w[1]) && axis.takes(w[2]) && f64::from_bits(w[1]) <= f64::from_bits(w[2])
            }
            0 => w[1] <= w[2] && axis.takes(w[2]),
            1 => self
                .piece(w[1], w[2])
                .is_some_and(|tokens| !tokens.is_empty() && tokens.iter().all(|&token| axis.takes(token))),
            _ => false,
        }
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

/// A condition in the words.
#[derive(Clone, Copy)]
struct Rule {
    parent: u32,
    list: bool,
    a: u64,
    b: u64,
}

/// Writes the words of a space, parameter by parameter.
pub(super) struct Writer<'w> {
    params: core::slice::ChunksExactMut<'w, u64>,
    conditions: core::slice::ChunksExactMut<'w, u64>,
    pool: core::iter::Enumerate<core::slice::IterMut<'w, u64>>,
    written: u64,
}

impl<'w> Writer<'w> {
    /// A writer on exactly [`words`] words; the counts fit into 32 bits.
    pub(super) fn new(out: &'w mut [u64], dims: usize, conditions: usize, levels: usize) -> Self {
        let (header, rest) = out.split_at_mut(HEADER);
        header[0] = dims as u64 | (conditions as u64) << 32;
        header[1] = levels as u64;
        let (params, rest) = rest.split_at_mut(dims * PARAM);
        let (conditions, pool) = rest.split_at_mut(conditions * CONDITION);
        Self {
            params: params.chunks_exact_mut(PARAM),
            conditions: conditions.chunks_exact_mut(CONDITION),
            pool: pool.iter_mut().enumerate(),
            written: 0,
        }
    }

    /// The next parameter and the conditions on it, each with its parent.
    pub(super) fn param<'c>(
        &mut self,
        axis: Axis<'_>,
        rules: impl Iterator<Item = (&'c Condition<'c>, Axis<'c>)>,
    ) {
        let offset = match axis {
            Axis::Ordinal { levels } => self.list(levels.iter().map(|level| level.to_bits())),
            _ => 0,
        };
        for (condition, parent) in rules {
            let (list, a, b) = match condition.when {
                When::In(values) => {
                    let offset = self.list(values.iter().map(|&v| parent.token(v).unwrap_or(0)));
                    (1, offset, values.len() as u64)
                }
                when => {
                    let (a, b) = when.range(parent).unwrap_or((0, 0));
                    (0, a, b)
                }
            };
            if let Some(out) = self.conditions.next() {
                out.copy_from_slice(&[u64::from(condition.parent) | list << 32, a, b]);
                self.written += 1;
            }
        }
        if let Some(out) = self.params.next() {
            out.copy_from_slice(&encode(axis, offset));
            out[0] |= self.written << 32;
        }
    }

    /// Appends to the pool; returns the offset.
    fn list(&mut self, tokens: impl Iterator<Item = u64>) -> u64 {
        let mut first = None;
        for token in tokens {
            if let Some((i, out)) = self.pool.next() {
                first.get_or_insert(i as u64);
                *out = token;
            }
        }
        first.unwrap_or(0)
    }
}

/// The words of a parameter, without the end of its conditions.
fn encode(axis: Axis<'_>, offset: u64) -> [u64; PARAM] {
    let head = |kind: u8, log: bool| u64::from(kind) | u64::from(log) << 8;
    match axis {
        Axis::Real { lo, hi, log, span } => [head(REAL, log), lo.to_bits(), hi.to_bits(), span.to_bits()],
        Axis::Integer { lo, hi, log, span } => [head(INTEGER, log), lo as u64, hi as u64, span.to_bits()],
        Axis::Ordinal { levels } => [head(ORDINAL, false), offset, levels.len() as u64, 0],
        Axis::Categorical { count } => [head(CATEGORICAL, false), 0, count, 0],
    }
}
