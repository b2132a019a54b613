//! Feasibility: whether conditions and clauses leave anything, by bounded searches without memory of their own.

use super::Param;
use super::axis::Axis;
use super::clause::Clause;
use super::condition::{Condition, When};
use crate::math::sort;

/// Decisions of a search at a time; what needs more is not decided.
const DEPTH: usize = 64;
/// Conditions, terms and values that all searches of a call look at; after them nothing is decided.
const STEPS: u32 = 1 << 22;

/// Work that is left.
pub(super) struct Budget(u32);

impl Budget {
    pub(super) const fn new() -> Self {
        Self(STEPS)
    }

    /// Nothing when it is used up.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.0 = self.0.checked_sub(u32::try_from(steps).ok()?.saturating_add(1))?;
        Some(())
    }
}

/// Whether a child can be active; nothing if that was not decided.
///
/// A child is active when of each run of alternatives one holds, whose parent is then active too. The search chooses one
/// of each run, of the child and of every parent chosen, until none is left; the values that the choices leave to a
/// parent must have something in common. Without alternatives there is nothing to go back to.
pub(super) fn wakes(
    params: &[Param<'_>],
    conditions: &[Condition<'_>],
    child: u32,
    budget: &mut Budget,
) -> Option<bool> {
    let mut chosen = [0u32; DEPTH];
    let mut count = 0;
    let mut next = open_run(conditions, child, &chosen[..count], budget)?;
    loop {
        match next {
            // Nothing is open.
            None => return Some(true),
            Some(index) => {
                *chosen.get_mut(count)? = index as u32;
                count += 1;
            }
        }
        let mut fits = common(params, conditions, &chosen[..count], budget)?;
        while !fits {
            let Some(last) = count.checked_sub(1) else { return Some(false) };
            match alternative(conditions, chosen[last] as usize, budget)? {
                Some(index) => {
                    chosen[last] = index as u32;
                    fits = common(params, conditions, &chosen[..count], budget)?;
                }
                None => count = last,
            }
        }
        next = open_run(conditions, child, &chosen[..count], budget)?;
    }
}

/// Whether no condition before this one is on the same child; also when the work is used up.
pub(super) fn is_first(conditions: &[Condition<'_>], index: usize, budget: &mut Budget) -> bool {
    let child = conditions[index].child;
    // Conditions on one child mostly stand together.
    if index > 0 && conditions[index - 1].child == child {
        return false;
    }
    budget.spend(index).is_none() || conditions[..index].iter().all(|c| c.child != child)
}

/// The first condition of a run, of the child or of a chosen parent, of which none is chosen.
fn open_run(
    conditions: &[Condition<'_>],
    child: u32,
    chosen: &[u32],
    budget: &mut Budget,
) -> Option<Option<usize>> {
    let parents = |c: u32| conditions[c as usize].parent;
    for (index, condition) in conditions.iter().enumerate() {
        budget.spend(1)?;
        let needed = condition.child == child || chosen.iter().any(|&c| parents(c) == condition.child);
        if condition.or || !needed {
            continue;
        }
        // A chosen one belongs to the run that starts last before it.
        let mut inside = Some(index);
        let mut met = false;
        while let Some(member) = inside {
            met |= chosen.contains(&(member as u32));
            inside = if met { None } else { alternative(conditions, member, budget)? };
        }
        if !met {
            return Some(Some(index));
        }
    }
    Some(None)
}

/// The alternative to a condition that follows it.
fn alternative(conditions: &[Condition<'_>], index: usize, budget: &mut Budget) -> Option<Option<usize>> {
    let child = conditions[index].child;
    let next = (index + 1..conditions.len()).find(|&i| conditions[i].child == child);
    budget.spend(next.unwrap_or(conditions.len()) - index)?;
    Some(next.filter(|&i| conditions[i].or))
}

/// Whether some value of the last parent satisfies every chosen condition on it.
///
/// If there is one, then also a first one of a range or a list.
fn common(
    params: &[Param<'_>],
    conditions: &[Condition<'_>],
    chosen: &[u32],
    budget: &mut Budget,
) -> Option<bool> {
    let Some(&last) = chosen.last() else { return Some(true) };
    let parent = conditions[last as usize].parent;
    let axis = axis(params, parent)?;
    let on = || chosen.iter().map(|&c| conditions[c as usize]).filter(|c| c.parent == parent);
    for when in on().map(|c| c.when) {
        for key in (0..).map_while(|i| first(axis, when, i)) {
            for other in on() {
                budget.spend(1 + other.when.listed().len())?;
            }
            if on().all(|other| holds(axis, other.when, key)) {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Whether a configuration is left that no clause forbids; nothing if that was not decided.
///
/// The values of a parameter fall into cells that no condition and no clause tells apart. The search gives each parameter
/// on which a clause depends one cell after the other, in their order, and turns back where a clause holds.
pub(super) fn leaves(
    params: &[Param<'_>],
    conditions: &[Condition<'_>],
    clauses: &[Clause<'_>],
    budget: &mut Budget,
) -> Option<bool> {
    let mut names = [0u32; DEPTH];
    let count = involved(conditions, clauses, &mut names, budget)?;
    let mut puzzle = Puzzle { params, conditions, clauses, names: &names[..count], cells: [None; DEPTH] };
    let (mut at, mut forward) = (0, true);
    loop {
        let assigned = if forward {
            if at == count {
                return Some(true);
            }
            let name = puzzle.names[at];
            let start = axis(params, name)?.ends().0;
            puzzle.cells[at] = if puzzle.active(at, budget)? { Some(start) } else { None };
            true
        } else {
            let Some(last) = at.checked_sub(1) else { return Some(false) };
            at = last;
            let after = match puzzle.cells[at] {
                Some(key) => puzzle.after(at, key, budget)?,
                None => None,
            };
            puzzle.cells[at] = after;
            after.is_some()
        };
        forward = assigned && !puzzle.forbidden(at, budget)?;
        // Going back starts at the parameter before this place.
        at += usize::from(assigned);
    }
}

/// Writes the parameters on which clauses depend, in order; how many.
fn involved(
    conditions: &[Condition<'_>],
    clauses: &[Clause<'_>],
    names: &mut [u32; DEPTH],
    budget: &mut Budget,
) -> Option<usize> {
    let mut count = 0;
    let mut add = |name: u32, names: &mut [u32; DEPTH]| {
        if !names[..count].contains(&name) {
            *names.get_mut(count)? = name;
            count += 1;
        }
        Some(count)
    };
    let mut all = 0;
    for term in clauses.iter().flat_map(|clause| clause.terms) {
        budget.spend(DEPTH)?;
        all = add(term.parameter, names)?;
    }
    let mut done = 0;
    while done < all {
        let child = names[done];
        for condition in conditions {
            budget.spend(1)?;
            if condition.child == child {
                all = add(condition.parent, names)?;
            }
        }
        done += 1;
    }
    sort(&mut names[..all]);
    Some(all)
}

struct Puzzle<'p> {
    params: &'p [Param<'p>],
    conditions: &'p [Condition<'p>],
    clauses: &'p [Clause<'p>],
    /// Parameters in order.
    names: &'p [u32],
    /// The first key of the cell of each; nothing if it is inactive.
    cells: [Option<u64>; DEPTH],
}

impl Puzzle<'_> {
    /// Whether the parameter at a place is active, given those before it.
    fn active(&self, at: usize, budget: &mut Budget) -> Option<bool> {
        let mut met = true;
        for condition in self.conditions {
            budget.spend(1)?;
            if condition.child != self.names[at] {
                continue;
            }
            if !condition.or && !met {
                return Some(false);
            }
            met = (condition.or && met) || self.holds(condition.parent, condition.when, budget)?;
        }
        Some(met)
    }

    /// Whether a clause holds whose last parameter is at this place.
    fn forbidden(&self, at: usize, budget: &mut Budget) -> Option<bool> {
        for clause in self.clauses {
            budget.spend(clause.terms.len())?;
            let last = clause.terms.iter().map(|term| term.parameter).max();
            if last != Some(self.names[at]) {
                continue;
            }
            let mut held = true;
            for term in clause.terms {
                held = held && self.holds(term.parameter, term.when, budget)?;
            }
            if held {
                return Some(true);
            }
        }
        Some(false)
    }

    fn holds(&self, name: u32, when: When<'_>, budget: &mut Budget) -> Option<bool> {
        budget.spend(when.listed().len())?;
        let place = self.names.binary_search(&name).ok()?;
        let axis = axis(self.params, name)?;
        Some(self.cells[place].is_some_and(|key| holds(axis, when, key)))
    }

    /// The first key of the next cell.
    fn after(&self, at: usize, key: u64, budget: &mut Budget) -> Option<Option<u64>> {
        let name = self.names[at];
        let axis = axis(self.params, name)?;
        let of_conditions = self.conditions.iter().map(|c| (c.parent, c.when));
        let of_terms = self.clauses.iter().flat_map(|c| c.terms).map(|t| (t.parameter, t.when));
        let mut next = None::<u64>;
        for (_, when) in of_conditions.chain(of_terms).filter(|&(parameter, _)| parameter == name) {
            budget.spend(1)?;
            for i in 0.. {
                budget.spend(when.listed().len())?;
                let Some(from) = first(axis, when, i) else { break };
                let behind = last(axis, when, i).and_then(|to| to.checked_add(1));
                for edge in [Some(from), behind].into_iter().flatten().filter(|&edge| edge > key) {
                    next = Some(next.map_or(edge, |least| least.min(edge)));
                }
            }
        }
        Some(next.filter(|&edge| edge <= axis.ends().1))
    }
}

fn axis<'a>(params: &[Param<'a>], name: u32) -> Option<Axis<'a>> {
    params.get(name as usize)?.parse(name).ok()
}

/// The first key of the i-th range of values.
fn first(axis: Axis<'_>, when: When<'_>, i: usize) -> Option<u64> {
    Some(axis.key(span(axis, when, i)?.0))
}

/// The last key of the i-th range of values.
fn last(axis: Axis<'_>, when: When<'_>, i: usize) -> Option<u64> {
    Some(axis.key(span(axis, when, i)?.1))
}

/// The i-th range of values, as words.
fn span(axis: Axis<'_>, when: When<'_>, i: usize) -> Option<(u64, u64)> {
    match when {
        When::In(values) => values.get(i).and_then(|&value| axis.token(value)).map(|token| (token, token)),
        When::Equals(_) | When::Between(..) => when.range(axis).filter(|_| i == 0),
    }
}

fn holds(axis: Axis<'_>, when: When<'_>, key: u64) -> bool {
    (0..).map_while(|i| span(axis, when, i)).any(|(from, to)| axis.key(from) <= key && key <= axis.key(to))
}
