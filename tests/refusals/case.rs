//! A case in Rust: the library's own types and errors.

use infill::config::Flat;
use infill::explain::{Given, culprit};
use infill::space::Names;
use infill::{
    Clause, Condition, Config, Error, Impute, Limits, Optimizer, Param, Space, Term, TrialId, When,
};

/// Names and labels.
type Texts = Vec<(String, Vec<String>)>;

struct Texted(Texts);

impl Names for Texted {
    fn name(&self, parameter: usize) -> Option<&str> {
        self.0.get(parameter).map(|(name, _)| name.as_str())
    }

    fn label(&self, parameter: usize, value: usize) -> Option<&str> {
        self.0.get(parameter)?.1.get(value).map(String::as_str)
    }
}

/// What a line says, with lists that live as long as the test.
struct Case {
    params: Vec<Param<'static>>,
    names: Texted,
    conditions: Vec<Condition<'static>>,
    terms: Vec<(Term<'static>, bool)>,
    impute: Impute,
    settings: Vec<(String, f64)>,
    limits: Vec<(String, f64)>,
    action: Vec<String>,
    other: Option<Box<Self>>,
}

fn number(word: &str) -> f64 {
    word.parse().unwrap_or_else(|_| panic!("{word} is no number"))
}

fn list(word: &str) -> &'static [f64] {
    word.split(',').map(number).collect::<Vec<_>>().leak()
}

fn when(words: &[&str]) -> When<'static> {
    match words {
        ["=", value] => When::Equals(number(value)),
        ["in", values] => When::In(list(values)),
        ["from", lo, "to", hi] => When::Between(number(lo), number(hi)),
        _ => panic!("{words:?}"),
    }
}

impl Case {
    fn read(parts: &mut dyn Iterator<Item = &str>) -> Self {
        let (names, impute) = (Texted(vec![]), Impute::Centre);
        let mut case = Self {
            params: vec![],
            names,
            conditions: vec![],
            terms: vec![],
            impute,
            settings: vec![],
            limits: vec![],
            action: vec![],
            other: None,
        };
        while let Some(part) = parts.next() {
            let words: Vec<_> = part.split_whitespace().collect();
            let place = |i: usize| number(words[i]) as u32;
            match words[0] {
                "if" => case.conditions.push(Condition::new(place(1), place(2), when(&words[3..]))),
                "or" => case.conditions.push(Condition::new(place(1), place(2), when(&words[3..])).or()),
                "forbid" | "also" => {
                    let term = Term { parameter: place(1), when: when(&words[2..]) };
                    case.terms.push((term, words[0] == "also"));
                }
                "set" => case.settings.push((words[1].to_string(), number(words[2]))),
                "limit" => case.limits.push((words[1].to_string(), number(words[2]))),
                "impute" => case.impute = Impute::Outside,
                "attach" => case.other = Some(Box::new(Self::read(parts))),
                "observe" | "enqueue" | "tell" | "again" | "asked" | "forget" | "fill" | "open"
                | "truncate" | "flip" => {
                    case.action = words.iter().map(|word| (*word).to_string()).collect();
                }
                _ => case.parameter(&words),
            }
        }
        case
    }

    fn parameter(&mut self, words: &[&str]) {
        let (mut param, mut rest) = match words[1] {
            "real" => (Param::real(number(words[2]), number(words[3])), &words[4..]),
            "integer" => (Param::integer(number(words[2]) as i64, number(words[3]) as i64), &words[4..]),
            "ordinal" => (Param::ordinal(list(words[2])), &words[3..]),
            _ => (Param::categorical(number(words[2]) as u32), &words[3..]),
        };
        let mut labels = vec![];
        while let Some((&word, behind)) = rest.split_first() {
            rest = behind;
            match word {
                "log" => param = param.log(),
                "default" => {
                    param = param.default_value(number(rest[0]));
                    rest = &rest[1..];
                }
                _ => labels = word.split(',').map(str::to_string).collect(),
            }
        }
        self.params.push(param);
        self.names.0.push((words[0].to_string(), labels));
    }

    /// Runs something with the space, or the reason why there is none.
    fn with_space<T>(&self, run: impl FnOnce(Given<'_>, Result<Space<'_>, Error>) -> T) -> T {
        let mut starts: Vec<_> = (0..self.terms.len()).filter(|&i| !self.terms[i].1).collect();
        starts.push(self.terms.len());
        let terms: Vec<_> = self.terms.iter().map(|(term, _)| *term).collect();
        let clauses: Vec<_> =
            starts.windows(2).map(|pair| Clause { terms: &terms[pair[0]..pair[1]] }).collect();
        let given = Given {
            params: &self.params,
            conditions: &self.conditions,
            clauses: &clauses,
            names: Some(&self.names),
            ..Given::default()
        };
        let space = Space::new(&self.params, &self.conditions).and_then(|space| space.named(&self.names));
        run(given, space.and_then(|space| space.forbid(&clauses)).map(|space| space.impute(self.impute)))
    }

    fn flat(&self) -> Flat {
        let usual = Flat::of(&Config::default());
        self.settings.iter().fold(usual, |flat, (name, value)| {
            let place = Flat::NAMES.iter().position(|known| known == name);
            flat.with(place.unwrap_or_else(|| panic!("no setting {name}")), *value)
        })
    }

    fn limits(&self, space: &Space<'_>, config: &Config<'_>) -> Limits {
        let mut limits = space.limits(20);
        let set = |limits: &mut Limits, last: bool| {
            for (name, value) in &self.limits {
                let field = match name.as_str() {
                    "trials" => {
                        limits.exact = *value as u32;
                        &mut limits.trials
                    }
                    "dims" => &mut limits.dims,
                    "conditions" => &mut limits.conditions,
                    "levels" => &mut limits.levels,
                    "nodes" => &mut limits.nodes,
                    "lists" => &mut limits.lists,
                    "thetas" => &mut limits.thetas,
                    "candidates" => &mut limits.candidates,
                    "starts" => &mut limits.starts,
                    "columns" => &mut limits.columns,
                    "names" => &mut limits.names,
                    "exact" if last => &mut limits.exact,
                    "posteriors" if last => &mut limits.posteriors,
                    "members" if last => &mut limits.members,
                    "exact" | "posteriors" | "members" => continue,
                    _ => panic!("{name}"),
                };
                *field = *value as u32;
            }
        };
        set(&mut limits, false);
        if limits.check().is_err() {
            return limits;
        }
        limits =
            limits.trend(limits.columns.max(config.surrogate.trend.columns(limits.dims as usize) as u32));
        limits = limits.suit(config);
        set(&mut limits, true);
        limits
    }

    /// The optimizer, or why it is refused, with its limits.
    fn make(&self, flat: &Flat, space: &Space<'_>) -> (Option<Limits>, Result<Made, Error>) {
        let config = match flat.or_usual().and_then(|flat| flat.config(None)) {
            Ok(config) => config,
            Err(error) => return (None, Err(error)),
        };
        let values = space.categories(flat.strategy_parameter as usize).unwrap_or(0);
        let limits = self.limits(space, &config);
        let limits = if flat.strategy > 1 { limits.branching(values, 0) } else { limits };
        (Some(limits), Optimizer::with_limits(space, &config, limits))
    }
}

type Made = Optimizer<f64, Vec<u64>>;

/// The sentence for a line.
pub fn explain(line: &str) -> String {
    let case = Case::read(&mut line.split(" ; "));
    case.with_space(|given, space| match space {
        Err(error) => given.explain(error).to_string(),
        Ok(space) => match case.make(&case.flat(), &space) {
            (_, Err(Error::Config | Error::Unsupported)) => {
                let accepts = |flat: &Flat| {
                    !matches!(case.make(flat, &space).1, Err(Error::Config | Error::Unsupported))
                };
                let usual = Flat::of(&Config::default());
                culprit(&case.flat(), &usual, accepts).map_or("NO CULPRIT".to_string(), |s| s.to_string())
            }
            (limits, Err(error)) => Given { limits, ..given }.explain(error).to_string(),
            (_, Ok(optimizer)) => match &case.other {
                Some(other) => attach(&optimizer, other),
                None => act(&case.action, given, optimizer),
            },
        },
    })
}

fn attach(optimizer: &Optimizer<f64, Vec<u64>>, other: &Case) -> String {
    other.with_space(|given, space| {
        let error = optimizer.check_space(&space.expect("a space")).expect_err("another space");
        Given { block: optimizer.space().ok(), ..given }.explain(error).to_string()
    })
}

/// What is done with the optimizer, and what is said of it.
fn act(action: &[String], given: Given<'_>, mut optimizer: Optimizer<f64, Vec<u64>>) -> String {
    let words: Vec<_> = action.iter().map(String::as_str).collect();
    let mut x = vec![0.0; optimizer.dims()];
    let Given { params, conditions, clauses, names, .. } = given;
    let (mut id, mut point, mut told) = (None, &[][..], 0.0);
    let error = match words[..] {
        ["observe", at, value] => {
            (point, told) = (list(at), number(value));
            optimizer.observe(point, told).unwrap_err()
        }
        ["enqueue", at] => {
            point = list(at);
            optimizer.enqueue(point).unwrap_err()
        }
        ["asked", value] => {
            told = number(value);
            let ask = optimizer.ask(&mut x).unwrap().id;
            optimizer.tell(ask, told).unwrap_err()
        }
        ["tell", trial, value] => {
            let trial = TrialId::from_bits(number(trial) as u64);
            id = Some(trial);
            optimizer.tell(trial, number(value)).unwrap_err()
        }
        ["again", value] => {
            let ask = optimizer.ask(&mut x).unwrap().id;
            id = Some(ask);
            optimizer.tell(ask, number(value)).unwrap();
            optimizer.tell(ask, number(value)).unwrap_err()
        }
        ["forget"] => {
            let ask = optimizer.ask(&mut x).unwrap().id;
            id = Some(ask);
            optimizer.forget(ask).unwrap();
            optimizer.forget(ask).unwrap_err()
        }
        ["fill"] => loop {
            match optimizer.ask(&mut x) {
                Ok(ask) => optimizer.fail(ask.id).unwrap(),
                Err(error) => break error,
            }
        },
        ["open"] => loop {
            if let Err(error) = optimizer.ask(&mut x) {
                break error;
            }
        },
        ["truncate", bytes] => {
            let words = &optimizer.words()[..number(bytes) as usize / 8];
            let error = Optimizer::<f64, _>::attach(words.to_vec()).unwrap_err();
            return Given { words: Some(words), ..Given::default() }.explain(error).to_string();
        }
        ["flip", byte] => {
            let mut words = optimizer.words().to_vec();
            let byte = number(byte) as usize;
            words[byte / 8] ^= 0x55 << (byte % 8 * 8);
            let error = Optimizer::<f64, _>::attach(words.clone()).unwrap_err();
            return Given { words: Some(&words), ..Given::default() }.explain(error).to_string();
        }
        _ => return "ACCEPTED".to_string(),
    };
    let known = Given { point, value: Some((told, 0.0)), ..optimizer.given(id) };
    Given { params, conditions, clauses, names, ..known }.explain(error).to_string()
}
