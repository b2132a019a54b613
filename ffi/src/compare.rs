//! Comparisons of methods over problems.

use core::ffi::c_char;

use std::string::String;
use std::vec::Vec;

use library::compare::{Table, critical_difference, diagram, wilcoxon};

use crate::export::{checked, counted, put};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, slice, slice_mut, text, utf8, write_text};

/// A table of values as C has it.
unsafe fn table(values: *const f64, problems: usize, methods: usize) -> Outcome<Table> {
    let count = problems.checked_mul(methods).ok_or(INFILL_ERROR_SHAPE)?;
    // SAFETY: the caller's pointer is what it says.
    Ok(Table::new(methods, unsafe { slice(values, count) }?)?)
}

/// Writes numbers to as many places.
unsafe fn filled<T: Copy>(to: *mut T, from: Vec<T>) -> Outcome<()> {
    // SAFETY: the caller's pointer is what it says.
    unsafe { slice_mut(to, from.len()) }?.copy_from_slice(&from);
    Ok(())
}

/// The outcome of Friedman's test.
///
/// Threads: plain data. Lifetime: its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_friedman {
    /// χ² of the average ranks, as if no values were equal.
    pub chi_squared: f64,
    /// Its probability if all methods are the same.
    pub p: f64,
    /// χ² corrected for equal values within a problem.
    pub corrected: f64,
    /// Its probability.
    pub corrected_p: f64,
    /// Iman and Davenport's F of the uncorrected χ²; infinite if all problems have one order.
    pub f: f64,
    /// Its probability.
    pub f_p: f64,
    /// Degrees of freedom of χ², and above in F.
    pub freedom: u64,
    /// Degrees of freedom below in F.
    pub below: u64,
}

/// The outcome of Wilcoxon's signed-rank test, two-sided.
///
/// Threads: plain data. Lifetime: its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_wilcoxon {
    /// The smaller sum of ranks.
    pub statistic: f64,
    /// Its probability: exact for at most 50 pairs without zeros and ties, else by the normal approximation.
    pub p: f64,
    /// The same by the normal approximation.
    pub approximate: f64,
    /// Differences that are not zero.
    pub pairs: u64,
    /// 1 if p is exact.
    pub exact: u32,
    /// Zero.
    pub reserved: u32,
}

/// The average rank of each method, ranks[methods], 1 for the best; equal values share theirs.
///
/// values has a row of methods for each problem; less is better. Hosted builds only, and so are all comparisons.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two methods or no problem; INFILL_ERROR_NOT_FINITE for
/// NaN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_ranks(
    values: *const f64,
    problems: usize,
    methods: usize,
    ranks: *mut f64,
) -> infill_status {
    checked!(filled(ranks, table(values, problems, methods)?.ranks())?)
}

/// The share of comparisons that each method wins, rates[methods], itself and equals as half a win.
///
/// Errors: as infill_compare_ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_win_rates(
    values: *const f64,
    problems: usize,
    methods: usize,
    rates: *mut f64,
) -> infill_status {
    checked!(filled(rates, table(values, problems, methods)?.win_rates())?)
}

/// On how many more problems each method beats each other than the other way round: net[methods·methods].
///
/// Errors: as infill_compare_ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_net_wins(
    values: *const f64,
    problems: usize,
    methods: usize,
    net: *mut i64,
) -> infill_status {
    checked!(filled(net, table(values, problems, methods)?.net_wins())?)
}

/// Friedman's test: do the methods differ at all.
///
/// Errors: as infill_compare_ranks; INFILL_ERROR_NO_DATA for fewer than two problems.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_friedman(
    values: *const f64,
    problems: usize,
    methods: usize,
    out: *mut infill_friedman,
) -> infill_status {
    checked!(put!(out, {
        let test = table(values, problems, methods)?.friedman()?;
        infill_friedman {
            chi_squared: test.chi_squared,
            p: test.p,
            corrected: test.corrected,
            corrected_p: test.corrected_p,
            f: test.f,
            f_p: test.f_p,
            freedom: test.freedom as u64,
            below: test.below as u64,
        }
    }))
}

/// Wilcoxon's two-sided signed-rank test of count pairs; pairs of equal values are dropped.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two pairs; INFILL_ERROR_NOT_FINITE for NaN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_wilcoxon(
    a: *const f64,
    b: *const f64,
    count: usize,
    out: *mut infill_wilcoxon,
) -> infill_status {
    checked!(put!(out, {
        let test = wilcoxon(slice(a, count)?, slice(b, count)?)?;
        infill_wilcoxon {
            statistic: test.statistic,
            p: test.p,
            approximate: test.approximate,
            pairs: test.pairs as u64,
            exact: u32::from(test.exact),
            reserved: 0,
        }
    }))
}

/// Nemenyi's critical difference: how far apart average ranks must be to differ at the level alpha,
/// alpha = 0.05 as a rule.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two methods or problems; INFILL_ERROR_LIMITS for more
/// than 2³² − 1 methods; INFILL_ERROR_CONFIG unless 0 < alpha < 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_critical_difference(
    methods: usize,
    problems: usize,
    alpha: f64,
    difference: *mut f64,
) -> infill_status {
    checked!(put!(difference, critical_difference(methods, problems, alpha)?))
}

/// The diagram of these ranks.
unsafe fn drawn(
    names: *const *const c_char,
    ranks: *const f64,
    methods: usize,
    difference: f64,
    width: usize,
) -> Outcome<String> {
    // SAFETY: the caller's pointers are what they say.
    let (names, ranks) = unsafe { (slice(names, methods)?, slice(ranks, methods)?) };
    // SAFETY: as above.
    let names = names.iter().map(|&name| utf8(unsafe { text(name) }?));
    Ok(diagram(&names.collect::<Outcome<Vec<_>>>()?, ranks, difference, width)?)
}

/// Bytes that infill_compare_diagram takes, with the zero at its end; 0 if it is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_diagram_size(
    names: *const *const c_char,
    ranks: *const f64,
    methods: usize,
    difference: f64,
    width: usize,
) -> usize {
    counted!(drawn(names, ranks, methods, difference, width)?.len() + 1)
}

/// A critical-difference diagram as text in UTF-8: an axis of ranks of so many characters, names on both sides, bars under
/// groups of methods that do not differ. Ended by a zero.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two methods; INFILL_ERROR_NOT_FINITE unless ranks are
/// between 1 and methods and the difference is not negative; INFILL_ERROR_CONFIG unless the width is between 10 and 1000
/// and names are shorter than 256 bytes; INFILL_ERROR_FORMAT for a name that is not UTF-8; INFILL_ERROR_MEMORY if the text
/// has more than size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_compare_diagram(
    names: *const *const c_char,
    ranks: *const f64,
    methods: usize,
    difference: f64,
    width: usize,
    text: *mut c_char,
    size: usize,
) -> infill_status {
    checked!({
        let drawn = drawn(names, ranks, methods, difference, width)?;
        write_text(&drawn, slice_mut(text.cast::<u8>(), size)?)?
    })
}
