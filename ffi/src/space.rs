//! What may vary, as C data.

use core::ffi::c_char;
use core::fmt;

use library::explain::Given;
use library::space::Names;
use library::{Clause, Condition, Error, Impute, Limit, Need, Param, Space, Term, When};

use crate::config::choice;
use crate::export::guard_or;
use crate::infill_status::*;
use crate::pointer::{MOST, Outcome, given, slice, with_buffer};

/// The sort of values that a parameter takes: infill_param.kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_kind {
    /// Every number from lo to hi.
    INFILL_KIND_REAL = 1,
    /// Every whole number from lo to hi.
    INFILL_KIND_INTEGER = 2,
    /// The numbers in levels, which increase; their ranks are equally spaced, with log their logarithms count.
    INFILL_KIND_ORDINAL = 3,
    /// One of count values without order, named 0 to count − 1.
    INFILL_KIND_CATEGORICAL = 4,
}

/// One thing that may vary. INFILL_REAL, INFILL_INTEGER, INFILL_ORDINAL and INFILL_CATEGORICAL write one.
///
/// Threads: plain data. Lifetime: it is read during a call only, and so are its levels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_param {
    /// An infill_kind.
    pub kind: u32,
    /// 1 for a real, an integer or an ordinal that is uniform in its exponent, 0 otherwise.
    pub log: u32,
    /// Least value of a real or an integer.
    pub lo: f64,
    /// Largest value of a real or an integer.
    pub hi: f64,
    /// The values of an ordinal, count of them; NULL for others.
    pub levels: *const f64,
    /// Values of an ordinal or categorical; 0 for others.
    pub count: usize,
    /// Its default, which INFILL_IMPUTE_USUAL writes where it does not matter.
    pub usual: f64,
    /// 1 if it has a default, 0 otherwise.
    pub has_usual: u32,
    /// Zero.
    pub reserved: u32,
}

/// Which values are meant: infill_condition.when, infill_term.when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_when {
    /// The value lo.
    INFILL_WHEN_EQUALS = 1,
    /// One of the count values.
    INFILL_WHEN_IN = 2,
    /// Any value from lo to hi.
    INFILL_WHEN_BETWEEN = 3,
}

/// A parameter matters only where an earlier one takes certain values, in the parent's units.
///
/// Several conditions on one child must all hold, but of a run of alternatives one: a condition with either = 1 and the one
/// before it on the same child. Any formula of "and" and "or" can be written so. INFILL_IF_EQUALS and its like write one,
/// INFILL_OR_EQUALS and its like an alternative.
///
/// Threads: plain data. Lifetime: it is read during a call only, and so are its values.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_condition {
    /// Index of the parameter that is switched.
    pub child: u32,
    /// Index of the parameter that switches it, a smaller one.
    pub parent: u32,
    /// An infill_when.
    pub when: u32,
    /// 1 for an alternative to the condition before it on the same child, 0 otherwise.
    pub either: u32,
    /// The value, or the least one.
    pub lo: f64,
    /// The largest value.
    pub hi: f64,
    /// The values of INFILL_WHEN_IN, count of them; NULL for others.
    pub values: *const f64,
    /// How many values; 0 for others.
    pub count: usize,
}

/// A parameter and some of its values: a part of a combination that is forbidden.
///
/// A term with also = 1 belongs to the combination of the term before it, another one starts the next. What all terms of
/// a combination describe is forbidden; a parameter that does not matter has none of the values. INFILL_FORBID_EQUALS and
/// its like start a combination, INFILL_ALSO_EQUALS and its like go on with it.
///
/// Threads: plain data. Lifetime: it is read during a call only, and so are its values.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_term {
    /// Index of the parameter.
    pub parameter: u32,
    /// An infill_when.
    pub when: u32,
    /// 1 if it belongs to the combination of the term before it, 0 if it starts one.
    pub also: u32,
    /// Zero.
    pub reserved: u32,
    /// The value, or the least one.
    pub lo: f64,
    /// The largest value.
    pub hi: f64,
    /// The values of INFILL_WHEN_IN, count of them; NULL for others.
    pub values: *const f64,
    /// How many values; 0 for others.
    pub count: usize,
}

/// What a model sees of a parameter that does not matter: infill_space.impute.
#[derive(Clone, Copy, Debug)]
pub enum infill_impute {}

/// What may vary: parameters, the conditions between them, and what is forbidden. INFILL_SPACE writes one without
/// conditions, INFILL_SPACE_IF one with them, INFILL_SPACE_FORBID one with both; names and labels are set afterwards.
/// At most 4096 parameters, conditions and terms; on a machine of 32 bits without an operating system 128, there and wherever
/// 4096 is named.
///
/// Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
///
/// Errors: INFILL_ERROR_DIMENSIONS, _BOUNDS, _LEVELS, _CONDITION, _CLAUSE, INFILL_ERROR_OUT_OF_RANGE for a default that
/// its parameter cannot take, INFILL_ERROR_INFEASIBLE if nothing is left, INFILL_ERROR_LIMITS for too many conditions or
/// terms, INFILL_ERROR_NAME for names that are taken, INFILL_ERROR_CONFIG for a number that names no choice.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_space {
    /// sizeof(infill_space)
    pub size: usize,
    /// The parameters.
    pub params: *const infill_param,
    /// How many parameters.
    pub dims: usize,
    /// The conditions; NULL if there are none.
    pub conditions: *const infill_condition,
    /// How many conditions.
    pub count: usize,
    /// The terms of what is forbidden; NULL if nothing is.
    pub forbidden: *const infill_term,
    /// How many terms.
    pub terms: usize,
    /// An infill_impute.
    pub impute: u32,
    /// Zero.
    pub reserved: u32,
    /// The names of the parameters, dims of them, each UTF-8 with a zero behind it or NULL; NULL if none has one. Not in
    /// a build without text.
    pub names: *const *const c_char,
    /// For each parameter the labels of its values, count of them, or NULL; NULL if none has any.
    pub labels: *const *const *const c_char,
}

/// Whether this build has names.
const TEXT: bool = cfg!(feature = "text");

/// The names of C data.
struct Texts<'a> {
    names: &'a [*const c_char],
    labels: &'a [*const *const c_char],
    params: &'a [infill_param],
}

impl Texts<'_> {
    /// What is not UTF-8 is no name.
    fn read(text: *const c_char) -> Option<&'static str> {
        // SAFETY: the caller of the library has put it there, and keeps it during the call.
        unsafe { crate::pointer::text(text) }.ok().and_then(|text| core::str::from_utf8(text).ok())
    }
}

impl Names for Texts<'_> {
    fn name(&self, parameter: usize) -> Option<&str> {
        Self::read(*self.names.get(parameter)?)
    }

    fn label(&self, parameter: usize, value: usize) -> Option<&str> {
        let (list, count) = (*self.labels.get(parameter)?, self.params.get(parameter)?.count);
        // SAFETY: as above; there are as many labels as values.
        let labels = unsafe { slice(list, if list.is_null() { 0 } else { count }) }.ok()?;
        Self::read(*labels.get(value)?)
    }
}

/// Gives `work` the space that C data describe, on the stack.
///
/// # Safety
/// The pointer and those in the data are NULL, misaligned, or point to what they say.
pub(crate) unsafe fn with_space<T>(
    space: *const infill_space,
    work: impl FnOnce(&Space<'_>) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    unsafe { judge(space, |_, space| work(space?)) }
}

/// What of a space could be read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    params: &'a [Param<'a>],
    conditions: &'a [Condition<'a>],
    clauses: &'a [Clause<'a>],
    names: Option<&'a dyn Names>,
}

impl<'a> Known<'a> {
    /// What is known, with more: only who explains has the stack for it.
    pub(crate) fn beside(self, given: Given<'a>) -> Given<'a> {
        let Self { params, conditions, clauses, names } = self;
        Given { params, conditions, clauses, names, ..given }
    }
}

/// As [`with_space`], with what was given, and with the reason if there is no space.
///
/// # Safety
/// As [`with_space`].
pub(crate) unsafe fn judge<T>(
    space: *const infill_space,
    work: impl FnOnce(Known<'_>, Result<&Space<'_>, Error>) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    let Parts { params, conditions, terms, impute, texts } = unsafe { parts(space) }?;
    let names: Option<&dyn Names> = if TEXT && !texts.is_empty() { Some(&texts) } else { None };
    let known = Known { names, ..Known::default() };
    with_buffer(params.len(), Param::real(0.0, 1.0), |list| {
        if list.len() != params.len() {
            return work(known, Err(Error::Dimensions(Need::new(Limit::Dims, params.len()))));
        }
        for (index, (out, param)) in list.iter_mut().zip(params).enumerate() {
            // SAFETY: as here.
            match unsafe { one_param(param) }? {
                Some(param) => *out = param,
                None => return work(known, Err(Error::Bounds { parameter: index as u32 })),
            }
        }
        let list = &*list;
        let known = Known { params: list, ..known };
        let none = Condition::new(0, 0, When::Equals(0.0));
        with_buffer(conditions.len(), none, |rules| {
            if rules.len() != conditions.len() {
                return work(known, Err(Error::Limits(Need::new(Limit::Conditions, MOST))));
            }
            for (out, condition) in rules.iter_mut().zip(conditions) {
                // SAFETY: as here.
                *out = unsafe { one_condition(condition) }?;
            }
            let known = Known { conditions: rules, ..known };
            let space = Space::new(list, rules).map(|space| space.impute(impute));
            match space.and_then(|space| names.map_or(Ok(space), |names| space.named(names))) {
                // SAFETY: as here.
                Ok(space) if !terms.is_empty() => unsafe { forbid(known, space, terms, work) },
                space => work(known, space.as_ref().map_err(|error| *error)),
            }
        })
    })
}

/// Gives `work` the space without what the terms describe, or the reason why there is none.
///
/// Not inlined, so that spaces without terms do without their stack.
#[inline(never)]
unsafe fn forbid<T>(
    known: Known<'_>,
    space: Space<'_>,
    terms: &[infill_term],
    work: impl FnOnce(Known<'_>, Result<&Space<'_>, Error>) -> Outcome<T>,
) -> Outcome<T> {
    let none = Term { parameter: 0, when: When::Equals(0.0) };
    with_buffer(terms.len(), none, |list| {
        if list.len() != terms.len() {
            return work(known, Err(Error::Limits(Need::new(Limit::Terms, MOST))));
        }
        for (out, term) in list.iter_mut().zip(terms) {
            if term.also > 1 || term.reserved != 0 {
                return Err(INFILL_ERROR_CONFIG);
            }
            // SAFETY: as here.
            let when = unsafe { one_when(term.when, term.lo, term.hi, term.values, term.count) }?;
            *out = Term { parameter: term.parameter, when };
        }
        if terms.first().is_some_and(|term| term.also == 1) {
            return work(known, Err(Error::Clause { index: 0 }));
        }
        let count = terms.iter().filter(|term| term.also == 0).count();
        with_buffer(count, Clause { terms: &[] }, |clauses| {
            let mut rest = &*list;
            for clause in clauses.iter_mut() {
                let behind = &terms[terms.len() - rest.len()..];
                let more = behind.iter().skip(1).take_while(|term| term.also == 1).count();
                let (own, left) = rest.split_at(1 + more);
                clause.terms = own;
                rest = left;
            }
            work(Known { clauses, ..known }, space.forbid(clauses).as_ref().map_err(|error| *error))
        })
    })
}

struct Parts<'a> {
    params: &'a [infill_param],
    conditions: &'a [infill_condition],
    terms: &'a [infill_term],
    impute: Impute,
    texts: Texts<'a>,
}

impl Texts<'_> {
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.labels.is_empty()
    }
}

unsafe fn parts<'a>(space: *const infill_space) -> Outcome<Parts<'a>> {
    // SAFETY: the caller's pointer is what it says.
    let space = unsafe { given(space) }?;
    let all = [Impute::Centre, Impute::Usual, Impute::Outside, Impute::Scatter];
    let impute = choice(space.impute, all)?;
    if space.reserved != 0 {
        return Err(INFILL_ERROR_CONFIG);
    }
    let none = [space.names.is_null(), space.labels.is_null()];
    if !TEXT && none != [true; 2] {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    let [names, labels] = none.map(|none| if none || !TEXT { 0 } else { space.dims });
    // SAFETY: as above.
    unsafe {
        let params = slice(space.params, space.dims)?;
        Ok(Parts {
            texts: Texts { names: slice(space.names, names)?, labels: slice(space.labels, labels)?, params },
            params,
            conditions: slice(space.conditions, space.count)?,
            terms: slice(space.forbidden, space.terms)?,
            impute,
        })
    }
}

/// `None` for a bound that is no number of its kind.
unsafe fn one_param<'a>(param: &infill_param) -> Outcome<Option<Param<'a>>> {
    use infill_kind::*;
    const REAL: u32 = INFILL_KIND_REAL as u32;
    const INTEGER: u32 = INFILL_KIND_INTEGER as u32;
    const ORDINAL: u32 = INFILL_KIND_ORDINAL as u32;
    const CATEGORICAL: u32 = INFILL_KIND_CATEGORICAL as u32;
    let plain = match param.kind {
        REAL => Param::real(param.lo, param.hi),
        INTEGER => match (whole_number(param.lo), whole_number(param.hi)) {
            (Some(lo), Some(hi)) => Param::integer(lo, hi),
            _ => return Ok(None),
        },
        // SAFETY: the caller's pointer is what it says.
        ORDINAL => Param::ordinal(unsafe { slice(param.levels, param.count) }?),
        // More than can be counted is as bad as none.
        CATEGORICAL => Param::categorical(u32::try_from(param.count).unwrap_or(0)),
        _ => return Err(INFILL_ERROR_CONFIG),
    };
    let scaled = match param.log {
        0 => plain,
        1 => plain.log(),
        _ => return Err(INFILL_ERROR_CONFIG),
    };
    match (param.has_usual, param.reserved) {
        (0, 0) => Ok(Some(scaled)),
        (1, 0) => Ok(Some(scaled.default_value(param.usual))),
        _ => Err(INFILL_ERROR_CONFIG),
    }
}

fn whole_number(value: f64) -> Option<i64> {
    // Beyond 2⁵³ not every whole number is a double.
    let exact = value.abs() <= 9_007_199_254_740_992.0 && (value as i64) as f64 == value;
    exact.then_some(value as i64)
}

unsafe fn one_condition<'a>(condition: &infill_condition) -> Outcome<Condition<'a>> {
    let infill_condition { child, parent, when, either, lo, hi, values, count } = *condition;
    // SAFETY: as here.
    let plain = Condition::new(child, parent, unsafe { one_when(when, lo, hi, values, count) }?);
    match either {
        0 => Ok(plain),
        1 => Ok(plain.or()),
        _ => Err(INFILL_ERROR_CONFIG),
    }
}

unsafe fn one_when<'a>(when: u32, lo: f64, hi: f64, values: *const f64, count: usize) -> Outcome<When<'a>> {
    use infill_when::*;
    const EQUALS: u32 = INFILL_WHEN_EQUALS as u32;
    const IN: u32 = INFILL_WHEN_IN as u32;
    const BETWEEN: u32 = INFILL_WHEN_BETWEEN as u32;
    match when {
        EQUALS => Ok(When::Equals(lo)),
        // SAFETY: the caller's pointer is what it says.
        IN => Ok(When::In(unsafe { slice(values, count) }?)),
        BETWEEN => Ok(When::Between(lo, hi)),
        _ => Err(INFILL_ERROR_CONFIG),
    }
}

/// What of the data of a space no space can be made of, as a sentence.
///
/// # Safety
/// As [`with_space`].
pub(crate) unsafe fn oddity(space: *const infill_space) -> Outcome<Option<Oddity>> {
    // SAFETY: the caller's pointer is what it says.
    let whole = unsafe { given(space) }?;
    let odd =
        |what, index: usize, field, given: f64, range| Ok(Some(Oddity { what, index, field, given, range }));
    if whole.impute > 3 {
        return odd("space", 0, "impute", whole.impute.into(), "0 to 3");
    }
    if whole.reserved != 0 {
        return odd("space", 0, "reserved", whole.reserved.into(), "0");
    }
    // SAFETY: as above.
    let Parts { params, conditions, terms, .. } = unsafe { parts(space) }?;
    for (i, param) in params.iter().enumerate() {
        let integer = infill_kind::INFILL_KIND_INTEGER as u32;
        let fields = [
            ("kind", !(1..=4).contains(&param.kind), param.kind, "1 to 4"),
            ("log", param.log > 1, param.log, "0 or 1"),
            ("has_usual", param.has_usual > 1, param.has_usual, "0 or 1"),
            ("reserved", param.reserved != 0, param.reserved, "0"),
        ];
        if let Some((field, _, given, range)) = fields.into_iter().find(|field| field.1) {
            return odd("parameter", i, field, given.into(), range);
        }
        for (field, bound) in [("lo", param.lo), ("hi", param.hi)] {
            if param.kind == integer && whole_number(bound).is_none() {
                return odd("parameter", i, field, bound, "a whole number within 2⁵³, for it is an integer");
            }
        }
    }
    for (i, condition) in conditions.iter().enumerate() {
        if !(1..=3).contains(&condition.when) {
            return odd("condition", i, "when", condition.when.into(), "1 to 3");
        }
        if condition.either > 1 {
            return odd("condition", i, "either", condition.either.into(), "0 or 1");
        }
    }
    for (i, term) in terms.iter().enumerate() {
        if !(1..=3).contains(&term.when) {
            return odd("term", i, "when", term.when.into(), "1 to 3");
        }
        if term.also > 1 || term.reserved != 0 {
            return odd("term", i, "also", term.also.into(), "0 or 1, and reserved 0");
        }
        if i == 0 && term.also == 1 {
            return odd("term", i, "also", 1.0, "0, for there is no term before it");
        }
    }
    Ok(None)
}

/// A field whose number has no meaning.
pub(crate) struct Oddity {
    what: &'static str,
    index: usize,
    field: &'static str,
    given: f64,
    range: &'static str,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, index, field, given, range } = self;
        write!(f, "{what} {index} has {field} = {given}: it may be {range}")
    }
}

/// The index of the parameter, of the condition (INFILL_ERROR_CONDITION), or of the forbidden combination
/// (INFILL_ERROR_CLAUSE), for which a space is refused.
///
/// −1 if the space is accepted, or refused for another reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_space_fault(space: *const infill_space) -> i64 {
    guard_or(-1, || {
        let index = |_: Known<'_>, space: Result<&Space<'_>, Error>| match space {
            Err(Error::Bounds { parameter: index } | Error::Levels { parameter: index })
            | Err(
                Error::OutOfRange { parameter: index }
                | Error::Name { parameter: index }
                | Error::Condition { index }
                | Error::Clause { index },
            ) => Ok(i64::from(index)),
            _ => Ok(-1),
        };
        // SAFETY: the caller's pointer is what it says.
        unsafe { judge(space, index) }
    })
}
