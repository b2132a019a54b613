//! The words of a parsed space: fixed width, without pointers.
//!
//! ```text
//! header      dims | conditions << 32,  levels | terms << 32 | impute << 62,  words of names
//! parameter   kind | log << 8 | number of its default << 9 | end of its conditions << 32,  a,  b,  span   (dims times)
//! condition   parent | list << 32 | or << 33,  a,  b                                        (sorted by child)
//! term        parameter | list << 32 | same clause as the one before << 33,  a,  b
//! pool        levels of ordinals, words of listed values, defaults from the last word backwards
//! names       the name of each parameter and behind it its labels, as UTF-8, each with a zero behind it; or nothing
//! ```
//! `a`, `b`: bounds of a real (bits) or integer; offset and length in the pool; count of categories.

use super::axis::Axis;
use super::condition::When;
use super::impute::Impute;

pub(super) const HEADER: usize = 3;
pub(super) const PARAM: usize = 4;
pub(super) const RULE: usize = 3;

/// The kinds in the lowest byte of a parameter.
pub(super) const REAL: u8 = 0;
pub(super) const INTEGER: u8 = 1;
pub(super) const ORDINAL: u8 = 2;
pub(super) const CATEGORICAL: u8 = 3;
/// A real that is narrow in `f32` or in `f64`, so that all others are known by their kind alone.
pub(super) const NARROW: u8 = 4;

/// Terms that can be counted.
pub(super) const MOST_TERMS: usize = (1 << 30) - 1;
/// Defaults that can be counted.
pub(super) const MOST_DEFAULTS: usize = (1 << 23) - 1;

/// Words of a parsed space with these numbers of parameters, conditions, listed values with defaults, terms of forbidden
/// clauses, and bytes of names.
///
/// Saturates instead of overflowing.
pub(crate) const fn words(
    dims: usize,
    conditions: usize,
    levels: usize,
    terms: usize,
    names: usize,
) -> usize {
    dims.saturating_mul(PARAM)
        .saturating_add(conditions.saturating_mul(RULE))
        .saturating_add(terms.saturating_mul(RULE))
        .saturating_add(levels)
        .saturating_add(names.div_ceil(8))
        .saturating_add(HEADER)
}

/// A condition or a term in the words.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// The parent of a condition, the parameter of a term.
    pub(super) parameter: u32,
    /// Whether `a` and `b` name a list.
    pub(super) list: bool,
    /// Whether it belongs to the run, or the clause, of the one before it.
    pub(super) joined: bool,
    pub(super) a: u64,
    pub(super) b: u64,
}

impl Rule {
    pub(super) fn read(w: &[u64]) -> Self {
        Self {
            parameter: w[0] as u32,
            list: w[0] >> 32 & 1 == 1,
            joined: w[0] >> 33 & 1 == 1,
            a: w[1],
            b: w[2],
        }
    }
}

/// Writes the words of a space, parameter by parameter, then its terms.
pub(super) struct Writer<'w> {
    params: core::slice::ChunksExactMut<'w, u64>,
    conditions: core::slice::ChunksExactMut<'w, u64>,
    terms: core::slice::ChunksExactMut<'w, u64>,
    pool: core::iter::Enumerate<core::slice::IterMut<'w, u64>>,
    written: u64,
    defaults: u64,
    names: &'w mut [u64],
}

impl<'w> Writer<'w> {
    /// A writer on exactly [`words`] words; the counts fit into their fields.
    pub(super) fn new(
        out: &'w mut [u64],
        dims: usize,
        conditions: usize,
        levels: usize,
        terms: usize,
        impute: Impute,
    ) -> Self {
        let (header, rest) = out.split_at_mut(HEADER);
        header[0] = dims as u64 | (conditions as u64) << 32;
        header[1] = levels as u64 | (terms as u64) << 32 | (impute as u64) << 62;
        let (params, rest) = rest.split_at_mut(dims * PARAM);
        let (conditions, rest) = rest.split_at_mut(conditions * RULE);
        let (terms, rest) = rest.split_at_mut(terms * RULE);
        let (pool, names) = rest.split_at_mut(levels);
        header[2] = names.len() as u64;
        Self {
            params: params.chunks_exact_mut(PARAM),
            conditions: conditions.chunks_exact_mut(RULE),
            terms: terms.chunks_exact_mut(RULE),
            pool: pool.iter_mut().enumerate(),
            written: 0,
            defaults: 0,
            names,
        }
    }

    /// Room for the names.
    pub(super) fn names(self) -> &'w mut [u64] {
        self.names
    }

    /// The next parameter, its default, and the conditions on it: parent, its axis, values, whether an alternative.
    pub(super) fn param<'c>(
        &mut self,
        axis: Axis<'_>,
        default_value: Option<f64>,
        rules: impl Iterator<Item = (u32, Axis<'c>, When<'c>, bool)>,
    ) {
        let offset = match axis {
            Axis::Ordinal { levels, .. } => self.list(levels.iter().map(|level| level.to_bits())),
            Axis::Real { .. } | Axis::Integer { .. } | Axis::Categorical { .. } => 0,
        };
        for (parent, axis, when, or) in rules {
            let rule = self.rule(parent, axis, when, or);
            if let Some(out) = self.conditions.next() {
                out.copy_from_slice(&rule);
                self.written += 1;
            }
        }
        if let Some((default_value, (_, out))) =
            default_value.and_then(|default_value| Some((default_value, self.pool.next_back()?)))
        {
            *out = default_value.to_bits();
            self.defaults += 1;
        }
        if let Some(out) = self.params.next() {
            out.copy_from_slice(&encode(axis, offset));
            out[0] |= self.written << 32 | if default_value.is_some() { self.defaults << 9 } else { 0 };
        }
    }

    /// The next term of a clause.
    pub(super) fn term(&mut self, parameter: u32, axis: Axis<'_>, when: When<'_>, joined: bool) {
        let rule = self.rule(parameter, axis, when, joined);
        if let Some(out) = self.terms.next() {
            out.copy_from_slice(&rule);
        }
    }

    fn rule(&mut self, parameter: u32, axis: Axis<'_>, when: When<'_>, joined: bool) -> [u64; RULE] {
        let (list, a, b) = match when {
            When::In(values) => {
                let offset = self.list(values.iter().map(|&v| axis.token(v).unwrap_or(0)));
                (1, offset, values.len() as u64)
            }
            when => {
                let (a, b) = when.range(axis).unwrap_or((0, 0));
                (0, a, b)
            }
        };
        [u64::from(parameter) | list << 32 | u64::from(joined) << 33, a, b]
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

/// The words of a parameter, without its default and the end of its conditions.
pub(super) fn encode(axis: Axis<'_>, offset: u64) -> [u64; PARAM] {
    let head = |kind: u8, log: bool| u64::from(kind) | u64::from(log) << 8;
    match axis {
        Axis::Real { lo, hi, log, span } => {
            let kind = if axis.narrow::<f32>() || axis.narrow::<f64>() { NARROW } else { REAL };
            [head(kind, log), lo.to_bits(), hi.to_bits(), span.to_bits()]
        }
        Axis::Integer { lo, hi, log, span } => [head(INTEGER, log), lo as u64, hi as u64, span.to_bits()],
        Axis::Ordinal { levels, log, span } => {
            [head(ORDINAL, log), offset, levels.len() as u64, span.to_bits()]
        }
        Axis::Categorical { count } => [head(CATEGORICAL, false), 0, count, 0],
    }
}
