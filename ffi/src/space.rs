//! What may vary, as C data.

use library::{Condition, Error, Param, Space, When};

use crate::border::{Outcome, guard_or, sized, slice, with_buffer};
use crate::infill_status::*;

/// The sort of values that a parameter takes: infill_param.kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_kind {
    /// Every number from lo to hi.
    INFILL_KIND_REAL = 1,
    /// Every whole number from lo to hi.
    INFILL_KIND_INTEGER = 2,
    /// The numbers in levels, which increase; their ranks are equally spaced.
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
    /// 1 for a real or an integer that is uniform in its exponent, 0 otherwise.
    pub log: u32,
    /// Least value of a real or an integer.
    pub lo: f64,
    /// Largest value of a real or an integer.
    pub hi: f64,
    /// The values of an ordinal, count of them; NULL for others.
    pub levels: *const f64,
    /// Values of an ordinal or categorical; 0 for others.
    pub count: usize,
}

/// The values of a parent that switch a child on: infill_condition.when.
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
/// Several conditions on one child must all hold.
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

/// What may vary: parameters and the conditions between them. INFILL_SPACE writes one without conditions.
///
/// Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
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
}

const NONE: infill_space = infill_space {
    size: size_of::<infill_space>(),
    params: core::ptr::null(),
    dims: 0,
    conditions: core::ptr::null(),
    count: 0,
};

/// Gives `work` the space that C data describe, on the stack.
///
/// # Safety
/// The pointer and those in the data are NULL, misaligned, or point to what they say.
pub(crate) unsafe fn with_space<T>(
    space: *const infill_space,
    work: impl FnOnce(&Space<'_>) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    unsafe { judge(space, |space| work(space?)) }
}

/// As [`with_space`], with the reason why there is none.
unsafe fn judge<T>(
    space: *const infill_space,
    work: impl FnOnce(Result<&Space<'_>, Error>) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    let (params, conditions) = unsafe { parts(space) }?;
    with_buffer(params.len(), Param::real(0.0, 1.0), |list| {
        if list.len() != params.len() {
            return work(Err(Error::Dimensions));
        }
        for (index, (out, param)) in list.iter_mut().zip(params).enumerate() {
            // SAFETY: as here.
            match unsafe { one_param(param) }? {
                Some(param) => *out = param,
                None => return work(Err(Error::Bounds { parameter: index as u32 })),
            }
        }
        let list = &*list;
        let none = Condition::new(0, 0, When::Equals(0.0));
        with_buffer(conditions.len(), none, |rules| {
            if rules.len() != conditions.len() {
                return work(Err(Error::Limits));
            }
            for (out, condition) in rules.iter_mut().zip(conditions) {
                // SAFETY: as here.
                *out = unsafe { one_condition(condition) }?;
            }
            work(Space::new(list, rules).as_ref().map_err(|error| *error))
        })
    })
}

unsafe fn parts<'a>(space: *const infill_space) -> Outcome<(&'a [infill_param], &'a [infill_condition])> {
    // SAFETY: the caller's pointer is what it says.
    let space = unsafe { sized(space, size_of::<infill_space>(), NONE) }?;
    // SAFETY: as above.
    Ok(unsafe { (slice(space.params, space.dims)?, slice(space.conditions, space.count)?) })
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
        INTEGER => match (whole(param.lo), whole(param.hi)) {
            (Some(lo), Some(hi)) => Param::integer(lo, hi),
            _ => return Ok(None),
        },
        // SAFETY: the caller's pointer is what it says.
        ORDINAL => Param::ordinal(unsafe { slice(param.levels, param.count) }?),
        // More than can be counted is as bad as none.
        CATEGORICAL => Param::categorical(u32::try_from(param.count).unwrap_or(0)),
        _ => return Err(INFILL_ERROR_CONFIG),
    };
    match param.log {
        0 => Ok(Some(plain)),
        1 if matches!(param.kind, REAL | INTEGER) => Ok(Some(plain.log())),
        _ => Err(INFILL_ERROR_CONFIG),
    }
}

fn whole(value: f64) -> Option<i64> {
    // Beyond 2⁵³ not every whole number is a double.
    let exact = value.abs() <= 9_007_199_254_740_992.0 && (value as i64) as f64 == value;
    exact.then_some(value as i64)
}

unsafe fn one_condition<'a>(condition: &infill_condition) -> Outcome<Condition<'a>> {
    use infill_when::*;
    const EQUALS: u32 = INFILL_WHEN_EQUALS as u32;
    const IN: u32 = INFILL_WHEN_IN as u32;
    const BETWEEN: u32 = INFILL_WHEN_BETWEEN as u32;
    if condition.reserved != 0 {
        return Err(INFILL_ERROR_CONFIG);
    }
    let when = match condition.when {
        EQUALS => When::Equals(condition.lo),
        // SAFETY: the caller's pointer is what it says.
        IN => When::In(unsafe { slice(condition.values, condition.count) }?),
        BETWEEN => When::Between(condition.lo, condition.hi),
        _ => return Err(INFILL_ERROR_CONFIG),
    };
    Ok(Condition::new(condition.child, condition.parent, when))
}

/// The index of the parameter, or of the condition (INFILL_ERROR_CONDITION), for which a space is refused.
///
/// −1 if the space is accepted, or refused for another reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_space_fault(space: *const infill_space) -> i64 {
    guard_or(-1, || {
        // SAFETY: the caller's pointer is what it says.
        unsafe {
            judge(space, |space| match space {
                Err(Error::Bounds { parameter } | Error::Levels { parameter }) => Ok(i64::from(parameter)),
                Err(Error::Condition { index }) => Ok(i64::from(index)),
                _ => Ok(-1),
            })
        }
    })
}
