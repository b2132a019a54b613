//! The data of a selection, as the header shows it.

use library::{Selector, Strategy};

use crate::border::{Outcome, write_sized};
use crate::export::guard;
use crate::infill_status::{self, *};

/// How a value of the category is chosen: infill_selector.strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_strategy {
    /// One model over the whole space, where parameters that do not matter are imputed.
    INFILL_STRATEGY_IMPUTE = 0,
    /// A model for each value; the one whose best point is worth most is asked.
    INFILL_STRATEGY_SINGLE = 1,
    /// A model for each value; one search over all of them together.
    INFILL_STRATEGY_WHOLE = 2,
    /// The same number of trials for each value, each with a model and an incumbent of its own.
    INFILL_STRATEGY_BASELINE = 3,
}
use infill_strategy::*;

/// What is selected, and how: fill it with infill_selector_default.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct infill_selector {
    /// sizeof(infill_selector).
    pub size: usize,
    /// The category whose values are the branches; it has no condition.
    pub parameter: u32,
    /// An infill_strategy.
    pub strategy: u32,
    /// Evaluations in all, of INFILL_STRATEGY_BASELINE: budget / branches for each, the rest for the best of them.
    pub budget: u32,
    /// Trials of the starting design of each branch; 0 is 10, 3 of a baseline, 5 in all where one model serves all.
    pub start: u32,
    /// The most trials of one branch: what memory is for. 0 is as many as there are in all.
    pub most: u32,
    /// 1 if improvement is measured against the best value of the branch instead of the best of all, else 0.
    pub own_minimum: u32,
    /// Zero.
    pub reserved: [u32; 4],
}

impl infill_selector {
    pub(super) fn selector(&self) -> Outcome<Selector> {
        let strategy = match self.strategy {
            s if s == INFILL_STRATEGY_IMPUTE as u32 => Strategy::Impute,
            s if s == INFILL_STRATEGY_SINGLE as u32 => Strategy::Single,
            s if s == INFILL_STRATEGY_WHOLE as u32 => Strategy::Whole,
            s if s == INFILL_STRATEGY_BASELINE as u32 => Strategy::Baseline { budget: self.budget },
            _ => return Err(INFILL_ERROR_CONFIG),
        };
        if self.own_minimum > 1 || self.reserved != [0; 4] {
            return Err(INFILL_ERROR_CONFIG);
        }
        let own_minimum = self.own_minimum == 1;
        let (start, most) = (self.start, self.most);
        Ok(Selector { start, most, own_minimum, ..Selector::new(self.parameter, strategy) })
    }
}

/// A selection. The handle is the first byte of its block: to save it, copy infill_selection_bytes of them.
///
/// Threads: one selection is used by one thread at a time; functions that take it as `const` may run together.
/// Lifetime: as long as its block is neither freed, moved nor written by others; from infill_selection_new, until
/// infill_selection_free.
#[derive(Debug)]
pub struct infill_selection {
    _words: [u64; 0],
}

pub(super) const fn blank() -> infill_selector {
    infill_selector {
        size: size_of::<infill_selector>(),
        parameter: 0,
        strategy: INFILL_STRATEGY_SINGLE as u32,
        budget: 0,
        start: 0,
        most: 0,
        own_minimum: 0,
        reserved: [0; 4],
    }
}

/// Fills a selector with the starting design of its source and the best value of all as what is to be improved on.
///
/// size is sizeof(infill_selector), by which the library knows the header that the program was built with; strategy is an
/// infill_strategy. A baseline wants its budget besides.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selector_default(
    selector: *mut infill_selector, size: usize, parameter: u32, strategy: u32,
) -> infill_status {
    guard(|| {
        let value = infill_selector { parameter, strategy, ..blank() };
        // SAFETY: the caller's pointer is what it says.
        unsafe { write_sized(selector, size, size_of::<infill_selector>(), &value) }
    })
}
