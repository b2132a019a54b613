//! The sub-space of a category's value: what is left of a space when one category is settled.

use super::{Clause, Condition, Param, Space, Term, When};
use crate::error::Error;
use crate::limits::Limit;

/// The most parameters, conditions, clauses and terms of a sub-space.
const MOST: usize = 128;

/// Whether a category's value is among those of a condition.
fn meets(when: &When<'_>, value: f64) -> bool {
    match *when {
        When::Equals(wanted) => value == wanted,
        When::In(values) => values.contains(&value),
        When::Between(lo, hi) => lo <= value && value <= hi,
    }
}

/// Runs something with the space in which a category has a value and is no parameter any more.
///
/// It keeps the parameters that can matter then, in their order; `run` gets their places in the whole space. Conditions
/// and clauses on the category are resolved, those on parameters that never matter as well:
///
/// ```text
/// category = v ∈ V          holds
/// category = v ∉ V          fails
/// a parent that is gone     fails
/// ```
///
/// Returns `None`, without running it, if a clause forbids the value; the space is `None` if no parameter is left.
/// Cost: O(parameters × conditions).
///
/// # Errors
/// [`Error::Limits`] for more than 128 parameters, conditions or terms, and what `run` returns.
pub(crate) fn with_subspace<T>(
    space: &Space<'_>,
    category: u32,
    value: f64,
    run: impl FnOnce(Option<&Space<'_>>, &[u32]) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let (all, rules, clauses, impute) = space.parts();
    let mut params = heapless::Vec::<Param<'_>, MOST>::new();
    let mut conditions = heapless::Vec::<Condition<'_>, MOST>::new();
    let mut places = heapless::Vec::<u32, MOST>::new();
    let mut gone = heapless::Vec::<u32, MOST>::new();
    loop {
        params.clear();
        conditions.clear();
        places.clear();
        for (i, param) in (0u32..).zip(all) {
            let before = conditions.len();
            if i == category
                || gone.contains(&i)
                || !resolve(rules, i, category, value, &places, &mut conditions)?
            {
                conditions.truncate(before);
                continue;
            }
            params.push(*param).map_err(|_| Limit::Dims.refuse(MOST))?;
            places.push(i).map_err(|_| Limit::Dims.refuse(MOST))?;
        }
        if params.is_empty() {
            break;
        }
        // What is left may contradict itself: then the parameter never matters here either.
        match Space::new(&params, &conditions) {
            Ok(_) => break,
            Err(Error::Condition { index }) => {
                let child = conditions.get(index as usize).ok_or(Error::Condition { index })?.child;
                gone.push(places[child as usize]).map_err(|_| Limit::Dims.refuse(MOST))?;
            }
            Err(error) => return Err(error),
        }
    }
    let mut terms = heapless::Vec::<Term<'_>, MOST>::new();
    let mut ends = heapless::Vec::<usize, MOST>::new();
    for clause in clauses {
        let before = terms.len();
        let mut possible = true;
        for term in clause.terms {
            if term.parameter == category {
                possible &= meets(&term.when, value);
            } else if let Some(place) = places.iter().position(|&p| p == term.parameter) {
                terms
                    .push(Term { parameter: place as u32, when: term.when })
                    .map_err(|_| Limit::Terms.refuse(MOST))?;
            } else {
                possible = false;
            }
        }
        if !possible {
            terms.truncate(before);
        } else if terms.len() == before {
            return Ok(None);
        } else {
            ends.push(terms.len()).map_err(|_| Limit::Terms.refuse(MOST))?;
        }
    }
    if params.is_empty() {
        return run(None, &[]).map(Some);
    }
    let mut forbidden = heapless::Vec::<Clause<'_>, MOST>::new();
    let mut start = 0;
    for &end in &ends {
        forbidden.push(Clause { terms: &terms[start..end] }).map_err(|_| Limit::Terms.refuse(MOST))?;
        start = end;
    }
    let mut branch = Space::new(&params, &conditions)?.impute(impute);
    if !forbidden.is_empty() {
        branch = match branch.forbid(&forbidden) {
            Ok(branch) => branch,
            Err(Error::Infeasible) => return Ok(None),
            Err(error) => return Err(error),
        };
    }
    run(Some(&branch), &places).map(Some)
}

/// Adds the conditions on a parameter that are left; whether it can matter at all.
fn resolve<'a>(
    rules: &[Condition<'a>],
    child: u32,
    category: u32,
    value: f64,
    places: &[u32],
    out: &mut heapless::Vec<Condition<'a>, MOST>,
) -> Result<bool, Error> {
    // A run of alternatives: where it begins, whether one of them holds already, whether it is a run at all.
    let (mut start, mut holds, mut any) = (out.len(), false, false);
    for rule in rules.iter().filter(|rule| rule.child == child) {
        if !rule.or {
            if any && !holds && out.len() == start {
                return Ok(false);
            }
            (start, holds) = (out.len(), false);
        }
        any = true;
        if rule.parent == category {
            holds |= meets(&rule.when, value);
        } else if let Some(place) = places.iter().position(|&p| p == rule.parent)
            && !holds
        {
            let or = out.len() > start;
            let rule = Condition { child: places.len() as u32, parent: place as u32, when: rule.when, or };
            out.push(rule).map_err(|_| Limit::Conditions.refuse(MOST))?;
        }
        if holds {
            out.truncate(start);
        }
    }
    Ok(!any || holds || out.len() > start)
}

#[cfg(test)]
mod tests {
    use super::with_subspace;
    use crate::space::{Clause, Condition, Kind, Param, Space, Term, When};

    extern crate std;
    use std::vec::Vec;

    fn places(space: &Space<'_>, value: f64) -> Option<Vec<u32>> {
        with_subspace(space, 0, value, |_, places| Ok(places.to_vec())).unwrap()
    }

    #[test]
    fn a_branch_has_what_can_matter() {
        let params = [
            Param::categorical(3),
            Param::real(0.0, 1.0), // always
            Param::integer(1, 9),  // of 0
            Param::categorical(2), // of 1 and 2
            Param::real(1.0, 2.0), // of 3 = 1
            Param::real(1.0, 3.0), // of 2 ≥ 4, or of category 2
            Param::real(1.0, 4.0), // of 5, and of category 0 or 1
        ];
        let conditions = [
            Condition::new(2, 0, When::Equals(0.0)),
            Condition::new(3, 0, When::In(&[1.0, 2.0])),
            Condition::new(4, 3, When::Equals(1.0)),
            Condition::new(5, 2, When::Between(4.0, 9.0)),
            Condition::new(5, 0, When::Equals(2.0)).or(),
            Condition::new(6, 5, When::Between(1.0, 2.0)),
            Condition::new(6, 0, When::Between(0.0, 1.0)),
        ];
        let space = Space::new(&params, &conditions).unwrap();
        assert_eq!(places(&space, 0.0).unwrap(), [1, 2, 5, 6]);
        assert_eq!(places(&space, 1.0).unwrap(), [1, 3, 4]);
        assert_eq!(places(&space, 2.0).unwrap(), [1, 3, 4, 5]);
        // In branch 0, parameter 5 hangs on 2 and parameter 6 on 5; in branch 2, 5 is free.
        let left = |value| {
            with_subspace(&space, 0, value, |branch, _| {
                let (_, conditions, _, _) = branch.unwrap().parts();
                Ok(conditions.iter().map(|c| (c.child, c.parent, c.or)).collect::<Vec<_>>())
            })
            .unwrap()
            .unwrap()
        };
        assert_eq!(left(0.0), [(2, 1, false), (3, 2, false)]);
        assert_eq!(left(2.0), [(2, 1, false)]);
        with_subspace(&space, 0, 1.0, |branch, _| {
            assert_eq!(branch.unwrap().kind(1), Kind::Categorical);
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn alternatives_keep_their_runs() {
        let params =
            [Param::categorical(2), Param::integer(0, 9), Param::integer(0, 9), Param::real(0.0, 1.0)];
        // (1 = 3 or category = 1 or 2 = 4) and (2 = 5 or 1 = 6)
        let conditions = [
            Condition::new(3, 1, When::Equals(3.0)),
            Condition::new(3, 0, When::Equals(1.0)).or(),
            Condition::new(3, 2, When::Equals(4.0)).or(),
            Condition::new(3, 2, When::Equals(5.0)),
            Condition::new(3, 1, When::Equals(6.0)).or(),
        ];
        let space = Space::new(&params, &conditions).unwrap();
        let left = |value| {
            with_subspace(&space, 0, value, |branch, _| {
                let (_, conditions, _, _) = branch.unwrap().parts();
                Ok(conditions.iter().map(|c| (c.parent, c.or)).collect::<Vec<_>>())
            })
            .unwrap()
            .unwrap()
        };
        assert_eq!(left(0.0), [(0, false), (1, true), (1, false), (0, true)]);
        assert_eq!(left(1.0), [(1, false), (0, true)]);
    }

    #[test]
    fn clauses_lose_the_category() {
        let params = [Param::categorical(4), Param::integer(0, 9), Param::integer(0, 9)];
        let conditions = [Condition::new(2, 0, When::Equals(1.0))];
        let one = [Term { parameter: 0, when: When::Equals(3.0) }];
        let two =
            [Term { parameter: 0, when: When::Equals(1.0) }, Term { parameter: 1, when: When::Equals(2.0) }];
        let three =
            [Term { parameter: 1, when: When::Equals(7.0) }, Term { parameter: 2, when: When::Equals(8.0) }];
        let clauses = [Clause { terms: &one }, Clause { terms: &two }, Clause { terms: &three }];
        let space = Space::new(&params, &conditions).unwrap().forbid(&clauses).unwrap();
        assert_eq!(places(&space, 3.0), None);
        let left = |value| {
            with_subspace(&space, 0, value, |branch, _| {
                let (_, _, clauses, _) = branch.unwrap().parts();
                Ok(clauses.iter().map(|c| c.terms.len()).collect::<Vec<_>>())
            })
            .unwrap()
            .unwrap()
        };
        assert_eq!(left(0.0), [] as [usize; 0]);
        assert_eq!(left(1.0), [1, 2]);
    }

    #[test]
    fn a_branch_may_have_no_parameter() {
        let params = [Param::categorical(2), Param::real(0.0, 1.0)];
        let conditions = [Condition::new(1, 0, When::Equals(1.0))];
        let space = Space::new(&params, &conditions).unwrap();
        assert!(with_subspace(&space, 0, 0.0, |branch, _| Ok(branch.is_none())).unwrap().unwrap());
        assert!(!with_subspace(&space, 0, 1.0, |branch, _| Ok(branch.is_none())).unwrap().unwrap());
    }
}
