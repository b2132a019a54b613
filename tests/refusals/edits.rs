//! Every single edit of a space is seen when a block is attached, with the right culprit.

use infill::space::Names;
use infill::{Clause, Condition, Config, Error, Impute, Optimizer, Param, Part, Space, Term, When};
use infill_tests::random::SplitMix64 as Dice;

#[derive(Clone, Debug, PartialEq)]
enum Values {
    Real(f64, f64),
    Integer(i64, i64),
    Ordinal(Vec<f64>),
    Categorical(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
struct Parameter {
    name: String,
    values: Values,
    log: bool,
    default: Option<f64>,
}

/// Values of a parameter, by two of its own.
#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Equals(f64),
    In(Vec<f64>),
    Between(f64, f64),
}

#[derive(Clone, Debug)]
struct Draft {
    parameters: Vec<Parameter>,
    /// Child, parent, values, whether an alternative.
    conditions: Vec<(u32, u32, Rule, bool)>,
    clauses: Vec<Vec<(u32, Rule)>>,
    impute: Impute,
}

impl Names for Draft {
    fn name(&self, parameter: usize) -> Option<&str> {
        self.parameters.get(parameter).map(|one| one.name.as_str())
    }

    fn label(&self, parameter: usize, value: usize) -> Option<&str> {
        match &self.parameters.get(parameter)?.values {
            Values::Categorical(labels) => labels.get(value).map(String::as_str),
            Values::Real(..) | Values::Integer(..) | Values::Ordinal(_) => None,
        }
    }
}

impl Rule {
    fn when(&self) -> When<'_> {
        match self {
            Self::Equals(value) => When::Equals(*value),
            Self::In(values) => When::In(values),
            Self::Between(lo, hi) => When::Between(*lo, *hi),
        }
    }
}

impl Parameter {
    fn param(&self) -> Param<'_> {
        let plain = match &self.values {
            Values::Real(lo, hi) => Param::real(*lo, *hi),
            Values::Integer(lo, hi) => Param::integer(*lo, *hi),
            Values::Ordinal(levels) => Param::ordinal(levels),
            Values::Categorical(labels) => Param::categorical(labels.len() as u32),
        };
        let scaled = if self.log { plain.log() } else { plain };
        self.default.map_or(scaled, |value| scaled.default_value(value))
    }

    /// Some value of it.
    fn value(&self, dice: &mut Dice) -> f64 {
        match &self.values {
            Values::Real(lo, hi) => lo + (hi - lo) * (1 + dice.below(8)) as f64 / 10.0,
            Values::Integer(lo, hi) => (lo + dice.below((hi - lo + 1) as usize) as i64) as f64,
            Values::Ordinal(levels) => levels[dice.below(levels.len())],
            Values::Categorical(labels) => dice.below(labels.len()) as f64,
        }
    }

    fn rule(&self, dice: &mut Dice) -> Rule {
        let (a, b) = (self.value(dice), self.value(dice));
        match dice.below(3) {
            1 => Rule::In(if a == b { vec![a] } else { vec![a, b] }),
            2 if a != b => Rule::Between(a.min(b), a.max(b)),
            // From a value to itself is that value.
            _ => Rule::Equals(a),
        }
    }

    fn random(i: usize, dice: &mut Dice) -> Self {
        let values = match dice.below(4) {
            0 => Values::Real(1.0 + dice.below(3) as f64, 5.0 + dice.below(3) as f64),
            1 => Values::Integer(1 + dice.below(3) as i64, 5 + dice.below(9) as i64),
            2 => Values::Ordinal((0..2 + dice.below(3)).map(|k| (k * k + 1) as f64).collect()),
            _ => Values::Categorical((0..2 + dice.below(3)).map(|k| format!("label {k}")).collect()),
        };
        let log = matches!(values, Values::Real(..) | Values::Integer(..)) && dice.below(2) == 0;
        let mut one = Self { name: format!("name {i}"), values, log, default: None };
        if dice.below(3) == 0 {
            one.default = Some(one.value(dice));
        }
        one
    }
}

impl Draft {
    fn random(dice: &mut Dice) -> Self {
        let dims = 1 + dice.below(5);
        let parameters: Vec<_> = (0..dims).map(|i| Parameter::random(i, dice)).collect();
        let mut conditions = Vec::new();
        for child in 1..dims {
            for _ in 0..dice.below(3) {
                let parent = dice.below(child);
                let first = !conditions.iter().any(|(own, ..): &(u32, u32, Rule, bool)| *own == child as u32);
                let either = !first && dice.below(2) == 0;
                conditions.push((child as u32, parent as u32, parameters[parent].rule(dice), either));
            }
        }
        let mut clauses = Vec::new();
        for _ in 0..dice.below(3) {
            let first = dice.below(dims);
            let mut terms = vec![(first as u32, parameters[first].rule(dice))];
            let second = dice.below(dims);
            if second != first {
                terms.push((second as u32, parameters[second].rule(dice)));
            }
            clauses.push(terms);
        }
        let impute = [Impute::Centre, Impute::Usual, Impute::Outside, Impute::Scatter][dice.below(4)];
        Self { parameters, conditions, clauses, impute }
    }

    /// Runs something with the space, if there is one.
    fn with_space<T>(&self, run: impl FnOnce(&Space<'_>) -> T) -> Option<T> {
        let params: Vec<_> = self.parameters.iter().map(Parameter::param).collect();
        let conditions: Vec<_> = self
            .conditions
            .iter()
            .map(|(child, parent, rule, either)| {
                let plain = Condition::new(*child, *parent, rule.when());
                if *either { plain.or() } else { plain }
            })
            .collect();
        let terms: Vec<Vec<_>> = self
            .clauses
            .iter()
            .map(|terms| {
                terms
                    .iter()
                    .map(|(parameter, rule)| Term { parameter: *parameter, when: rule.when() })
                    .collect()
            })
            .collect();
        let clauses: Vec<_> = terms.iter().map(|terms| Clause { terms }).collect();
        let space = Space::new(&params, &conditions).ok()?.impute(self.impute).named(self).ok()?;
        let space = space.forbid(&clauses).ok()?;
        Some(run(&space))
    }

    /// Every edit of one thing, with the part that differs first.
    fn edits(&self, dice: &mut Dice) -> Vec<(Self, Part, usize)> {
        let mut all = Vec::new();
        let mut add = |part, index, edit: &dyn Fn(&mut Self)| {
            let mut other = self.clone();
            edit(&mut other);
            all.push((other, part, index));
        };
        for (i, one) in self.parameters.iter().enumerate() {
            add(Part::Name, i, &|other| other.parameters[i].name = "another".to_string());
            add(Part::Parameter, i, &|other| {
                let own = &mut other.parameters[i];
                own.values = match own.values {
                    Values::Real(lo, hi) => Values::Integer(lo as i64, hi as i64),
                    Values::Integer(lo, hi) => Values::Real(lo as f64, hi as f64),
                    Values::Ordinal(_) => Values::Categorical(vec!["a".to_string(), "b".to_string()]),
                    Values::Categorical(_) => Values::Ordinal(vec![0.0, 1.0, 2.0, 3.0]),
                };
            });
            match &one.values {
                Values::Real(lo, hi) => {
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Real(lo - 0.5, *hi)
                    });
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Real(*lo, hi + 0.5)
                    });
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Real(*lo, hi.next_up())
                    });
                    add(Part::Parameter, i, &|other| other.parameters[i].log = !one.log);
                }
                Values::Integer(lo, hi) => {
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Integer(*lo, hi + 1)
                    });
                    add(Part::Parameter, i, &|other| other.parameters[i].log = !one.log);
                }
                Values::Ordinal(levels) => {
                    let mut more = levels.clone();
                    more.push(100.0);
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Ordinal(more.clone())
                    });
                    let mut moved = levels.clone();
                    *moved.last_mut().unwrap() += 0.25;
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Ordinal(moved.clone())
                    });
                }
                Values::Categorical(labels) => {
                    let mut more = labels.clone();
                    more.push("one more".to_string());
                    add(Part::Parameter, i, &|other| {
                        other.parameters[i].values = Values::Categorical(more.clone())
                    });
                    let mut swapped = labels.clone();
                    swapped.swap(0, 1);
                    add(Part::Labels, i, &|other| {
                        other.parameters[i].values = Values::Categorical(swapped.clone())
                    });
                }
            }
            add(Part::Parameter, i, &|other| {
                let own = &mut other.parameters[i];
                own.default = if own.default.is_some() { None } else { Some(one.value(&mut Dice::new(1))) };
            });
        }
        let last = self.parameters.len();
        add(Part::Parameter, last, &|other| {
            let values = Values::Real(0.0, 1.0);
            other.parameters.push(Parameter {
                name: "one more".to_string(),
                values,
                log: false,
                default: None,
            });
        });
        for (k, (child, parent, rule, either)) in self.conditions.iter().enumerate() {
            let other_rule = self.parameters[*parent as usize].rule(dice);
            if other_rule != *rule {
                add(Part::Condition, k, &|other| other.conditions[k].2 = other_rule.clone());
            }
            // The next one on the child takes its place, or the block has one more.
            let behind = self.conditions[k + 1..].iter().position(|(own, ..)| own == child);
            let same = behind.is_some_and(|at| {
                let (_, own, next, joined) = &self.conditions[k + 1 + at];
                (own, next, joined) == (parent, rule, either)
            });
            let (part, index) = match behind {
                Some(at) => (Part::Condition, k + at),
                None => (Part::Conditions, *child as usize),
            };
            if !same {
                add(part, index, &|other| {
                    other.conditions.remove(k);
                });
            }
        }
        for (k, terms) in self.clauses.iter().enumerate() {
            let (parameter, rule) = &terms[0];
            let other_rule = self.parameters[*parameter as usize].rule(dice);
            if other_rule != *rule {
                add(Part::Clause, k, &|other| other.clauses[k][0].1 = other_rule.clone());
            }
            if self.clauses.get(k + 1) != Some(terms) {
                add(Part::Clause, k, &|other| {
                    other.clauses.remove(k);
                });
            }
        }
        let impute = if self.impute == Impute::Centre { Impute::Outside } else { Impute::Centre };
        add(Part::Impute, 0, &|other| other.impute = impute);
        all
    }
}

#[test]
fn every_edit_of_a_space_is_refused_with_its_culprit() {
    let mut dice = Dice::new(15);
    let (mut spaces, mut edits) = (0, 0);
    while spaces < 1000 {
        let draft = Draft::random(&mut dice);
        let made = draft.with_space(|space| {
            let limits = space.limits(4);
            Optimizer::<f64, _>::with_limits(space, &Config::default(), limits)
                .expect("an optimizer")
                .words()
                .to_vec()
        });
        let Some(words) = made else { continue };
        spaces += 1;
        let same = draft.with_space(|space| Optimizer::<f64, _>::attach_to(space, words.clone()).map(|_| ()));
        assert_eq!(same, Some(Ok(())));
        for (other, part, index) in draft.edits(&mut dice) {
            let refused =
                other.with_space(|space| Optimizer::<f64, _>::attach_to(space, words.clone()).map(|_| ()));
            // What makes no space is refused before.
            let Some(refused) = refused else { continue };
            edits += 1;
            let Err(Error::Space(what)) = refused else { panic!("{refused:?}: {draft:?}\n{other:?}") };
            assert_eq!((what.part(), what.index() as usize), (part, index), "{draft:?}\n{other:?}");
        }
    }
    println!("{edits} edits of {spaces} spaces");
    assert!(edits > 5000, "{edits}");
}
