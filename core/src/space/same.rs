//! Whether the words of a space are those of another.

use super::axis::Axis;
use super::condition::When;
use super::layout::Rule;
use super::{Domain, Space};

impl Domain<'_> {
    /// Whether this is the parsed form of a space: the same kinds, bounds, scales, values, defaults, conditions, clauses
    /// and imputation, in the same order.
    ///
    /// Cost: O(parameters × conditions).
    #[must_use]
    pub fn is_of(&self, space: &Space<'_>) -> bool {
        let (params, conditions, clauses, impute) = space.parts();
        let axis = |i: u32| params.get(i as usize).and_then(|param| param.parse(i).ok());
        if params.len() != self.dims() || impute != self.impute() {
            return false;
        }
        let same = |(i, param): (u32, &super::Param<'_>)| {
            let mut own = self.rules(i as usize);
            let usual = param.usual.map(f64::to_bits);
            axis(i) == Some(self.axis(i as usize))
                && usual == self.usual(i as usize).map(f64::to_bits)
                && conditions.iter().filter(|c| c.child == i).all(|c| {
                    own.next().is_some_and(|rule| self.says(rule, c.parent, axis(c.parent), c.when, c.or))
                })
                && own.next().is_none()
        };
        let mut others = clauses.iter();
        let differs = self.first_clause(|mut terms| {
            let same = others.next().is_some_and(|clause| {
                clause.terms.iter().enumerate().all(|(k, t)| {
                    let (place, when) = (t.parameter, t.when);
                    terms.next().is_some_and(|rule| self.says(rule, place, axis(place), when, k > 0))
                })
            });
            !same || terms.next().is_some()
        });
        (0..).zip(params).all(same) && differs.is_none() && others.next().is_none()
    }

    /// Whether a condition or a term says the same.
    fn says(&self, rule: Rule, parameter: u32, axis: Option<Axis<'_>>, when: When<'_>, joined: bool) -> bool {
        let Some(axis) = axis else { return false };
        rule.parameter == parameter
            && rule.joined == joined
            && match when {
                When::In(values) => {
                    let tokens = values.iter().map(|&value| axis.token(value).unwrap_or(0));
                    rule.list && self.listed(rule).iter().copied().eq(tokens)
                }
                When::Equals(_) | When::Between(..) => {
                    !rule.list && when.range(axis) == Some((rule.a, rule.b))
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use crate::space::tests::parsed;
    use crate::space::{Clause, Condition, Domain, Impute, Param, Space, Term, When};

    /// Every space is its own and nobody else's.
    #[test]
    fn spaces_that_differ_anywhere_are_told_apart() {
        let levels = [[1.0, 2.0, 5.0], [1.0, 2.0, 6.0]];
        let base = [
            Param::categorical(3),
            Param::real(0.5, 2.0),
            Param::integer(1, 9),
            Param::ordinal(&levels[0]),
            Param::real(0.0, 1.0).usual(0.25),
        ];
        let swap = |i: usize, param: Param<'static>| {
            let mut params = base;
            params[i] = param;
            params
        };
        let ordinal = {
            let mut params = base;
            params[3] = Param::ordinal(&levels[1]);
            params
        };
        let params = [
            base,
            ordinal,
            swap(0, Param::categorical(4)),
            swap(1, Param::real(0.5, 2.5)),
            swap(1, Param::real(0.25, 2.0)),
            swap(1, Param::real(0.5, 2.0).log()),
            swap(2, Param::integer(1, 10)),
            swap(2, Param::integer(1, 9).log()),
            swap(2, Param::real(1.0, 9.0)),
            swap(4, Param::real(0.0, 1.0)),
            swap(4, Param::real(0.0, 1.0).usual(0.5)),
        ];
        let rules: [&[Condition<'_>]; 7] = [
            &[],
            &[Condition::new(4, 0, When::Equals(1.0))],
            &[Condition::new(4, 0, When::Equals(2.0))],
            &[Condition::new(4, 0, When::In(&[1.0, 2.0]))],
            &[Condition::new(4, 0, When::In(&[1.0]))],
            &[Condition::new(4, 0, When::Equals(1.0)), Condition::new(4, 2, When::Between(2.0, 3.0))],
            &[Condition::new(4, 0, When::Equals(1.0)), Condition::new(4, 2, When::Between(2.0, 3.0)).or()],
        ];
        let term = |parameter, when| Term { parameter, when };
        let one = [term(0, When::Equals(1.0))];
        let two = [term(0, When::Equals(1.0)), term(2, When::Between(3.0, 4.0))];
        let forbidden: [&[Clause<'_>]; 4] = [
            &[],
            &[Clause { terms: &one }],
            &[Clause { terms: &two }],
            &[Clause { terms: &one }, Clause { terms: &two[1..] }],
        ];
        let mut spaces = std::vec::Vec::new();
        for (i, params) in params.iter().enumerate() {
            for (j, rules) in rules.iter().enumerate() {
                for (k, clauses) in forbidden.iter().enumerate() {
                    for impute in [Impute::Centre, Impute::Outside] {
                        // One thing at a time differs from the first, and some together.
                        if usize::from(i > 0) + usize::from(j > 0) + usize::from(k > 0) < 3 {
                            let space = Space::new(params, rules).unwrap().impute(impute);
                            spaces.push(space.forbid(clauses).unwrap());
                        }
                    }
                }
            }
        }
        for (i, one) in spaces.iter().enumerate() {
            let words = parsed(one);
            let domain = Domain::attach::<f64>(&words).unwrap();
            for (j, other) in spaces.iter().enumerate() {
                assert_eq!(domain.is_of(other), i == j, "{i} {j}");
            }
        }
    }
}
