//! Fingerprints of spaces: one word by which a saved block knows the space that it is over.

use super::axis::Axis;
use super::condition::When;
use super::layout::encode;
use super::{Domain, Space};
use crate::block::checksum::mix;

/// A hash of everything that a space says.
struct Print(u64);

impl Print {
    fn words(&mut self, words: impl IntoIterator<Item = u64>) {
        self.0 = words.into_iter().fold(self.0, mix);
    }

    /// A parameter, behind the conditions and terms of those before.
    fn parameter(&mut self, axis: Axis<'_>, default_value: Option<f64>) {
        self.words(encode(axis, 0));
        if let Axis::Ordinal { levels, .. } = axis {
            self.words(levels.iter().map(|level| level.to_bits()));
        }
        self.words([u64::from(default_value.is_some()), default_value.map_or(0, f64::to_bits)]);
    }

    /// A condition or a term: a range of words of the parameter that it names, or a list of them.
    fn rule(
        &mut self,
        (parameter, joined): (u32, bool),
        (a, b): (u64, u64),
        list: Option<impl ExactSizeIterator<Item = u64>>,
    ) {
        let head = u64::from(parameter) | u64::from(list.is_some()) << 32 | u64::from(joined) << 33;
        self.words([head, a, b]);
        if let Some(tokens) = list {
            self.words([tokens.len() as u64]);
            self.words(tokens);
        }
    }

    /// A condition or a term as a program states it.
    fn stated(&mut self, parameter: u32, axis: Option<Axis<'_>>, when: When<'_>, joined: bool) {
        // `Space::new` has parsed every parameter, so the other case is never met.
        let Some(axis) = axis else { return };
        let token = |&value: &f64| axis.token(value).unwrap_or(0);
        let (range, list) = match when {
            When::In(values) => ((0, 0), Some(values.iter().map(token))),
            When::Equals(_) | When::Between(..) => (when.range(axis).unwrap_or((0, 0)), None),
        };
        self.rule((parameter, joined), range, list);
    }

    /// Never 0, which stands for no space.
    const fn finish(self) -> u64 {
        if self.0 == 0 { 1 } else { self.0 }
    }
}

impl Domain<'_> {
    /// A hash of kinds, bounds, scales, values, defaults, conditions, clauses and imputation, in their order; never 0.
    ///
    /// The same as [`Space::fingerprint`] of the space that this is the parsed form of. Cost: O(words).
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut print = Print(self.impute() as u64);
        let rule = |print: &mut Print, rule: super::layout::Rule| {
            let (range, list) = if rule.list {
                ((0, 0), Some(self.listed(rule).iter().copied()))
            } else {
                ((rule.a, rule.b), None)
            };
            print.rule((rule.parameter, rule.joined), range, list);
        };
        for i in 0..self.dims() {
            print.parameter(self.axis(i), self.default_value(i));
            self.rules(i).for_each(|r| rule(&mut print, r));
        }
        print.words([self.dims() as u64]);
        self.first_clause(|terms| {
            terms.for_each(|r| rule(&mut print, r));
            false
        });
        print.finish()
    }
}

impl Space<'_> {
    /// A hash of kinds, bounds, scales, values, defaults, conditions, clauses and imputation, in their order; never 0.
    ///
    /// A block keeps that of its space. Cost: O(parameters × conditions).
    ///
    /// ```
    /// use infill::{Error, Param, Space};
    /// let (params, others) = ([Param::real(0.0, 1.0)], [Param::real(0.0, 2.0)]);
    /// assert_ne!(Space::new(&params, &[])?.fingerprint(), Space::new(&others, &[])?.fingerprint());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let (params, conditions, clauses, impute) = self.parts();
        let axis = |i: u32| params.get(i as usize).and_then(|param| param.parse(i).ok());
        let mut print = Print(impute as u64);
        for (i, param) in (0..).zip(params) {
            if let Some(axis) = axis(i) {
                print.parameter(axis, param.default_value);
            }
            for c in conditions.iter().filter(|c| c.child == i) {
                print.stated(c.parent, axis(c.parent), c.when, c.or);
            }
        }
        print.words([params.len() as u64]);
        for clause in clauses {
            for (k, term) in clause.terms.iter().enumerate() {
                print.stated(term.parameter, axis(term.parameter), term.when, k > 0);
            }
        }
        print.finish()
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
            Param::real(0.0, 1.0).default_value(0.25),
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
            swap(4, Param::real(0.0, 1.0).default_value(0.5)),
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
                assert_eq!(domain.fingerprint() == other.fingerprint(), i == j, "{i} {j}");
            }
        }
    }
}
