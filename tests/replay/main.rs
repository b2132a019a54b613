//! The proposals of some hundred configurations, to the bit, beside those that were recorded.
//!
//! A row is a run: questions, answers in any order, failures, lost workers, known noise, in half of the rows a block that is
//! saved and loaded after every step. `INFILL_WRITE_RECORD=1` records anew; a change of bits is a commit of its own, which
//! says which rows and why. `INFILL_REPLAY_ROWS=30` replays so many rows, spread over the table.

#[path = "../choices/run.rs"]
#[allow(dead_code, reason = "the lists of what there is to choose from, without the runs of tests/choices")]
mod choices;
mod rows;
mod saved;

use choices::{ASKED, Domain};
use infill::{
    Clause, Config, Error, Limits, Model, Optimizer, Origin, Real, Space, Strategy, Term, TrialId, When,
};
use infill_tests::random::SplitMix64;
use rows::{Row, Scalar};

const TABLE: &str = include_str!("table.txt");

/// Fowler, Noll and Vo: a hash that is written in a line.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A value that every space has.
fn value<R: Real>(x: &[R]) -> R {
    choices::value(x)
}

/// The hash of all proposals of a run.
fn hash<R: Real>(mut optimizer: Optimizer<R, Vec<u64>>, dims: usize, saved: bool) -> u64 {
    let mut script = SplitMix64::new(5);
    let mut open: Vec<(TrialId, Vec<R>)> = Vec::new();
    let mut fnv = Fnv(0xcbf2_9ce4_8422_2325);
    let (mut x, mut asked) = (vec![R::ZERO; dims], 0);
    while asked < ASKED || !open.is_empty() {
        let draw = script.bits();
        if asked < ASKED && open.len() < 3 && (open.is_empty() || draw % 8 < 5) {
            asked += 1;
            match optimizer.ask(&mut x) {
                Ok(ask) => {
                    fnv.add(u64::from(ask.origin == Origin::Fallback));
                    x.iter().for_each(|v| fnv.add(v.to_f64().to_bits()));
                    open.push((ask.id, x.clone()));
                }
                Err(error) => fnv.add(refusal(error)),
            }
        } else {
            let (id, x) = open.remove((draw >> 8) as usize % open.len());
            let told = match draw % 13 {
                5 => optimizer.fail(id),
                6 => optimizer.forget(id),
                7..10 => optimizer.tell_noisy(id, value(&x), R::of(0.01)),
                _ => optimizer.tell_noisy(id, value(&x), R::ZERO),
            };
            told.unwrap();
        }
        if saved {
            optimizer = Optimizer::attach(optimizer.words().to_vec()).unwrap();
        }
    }
    fnv.0
}

/// What stands for a run that is refused from the start.
fn refusal(error: Error) -> u64 {
    u64::from(error.code().unsigned_abs())
}

fn run<R: Real>(row: &Row, saved: bool) -> u64 {
    let domain: &Domain = &row.domain;
    let terms = [
        Term { parameter: 0, when: When::Equals(2.0) },
        Term { parameter: 1, when: When::Between(0.0, 6.0) },
    ];
    let clauses = [Clause { terms: &terms }];
    let space = Space::new(&domain.params, &domain.conditions).unwrap();
    let space = if row.forbids { space.forbid(&clauses).unwrap() } else { space };
    let config: Config<'_> = domain.fit(&row.config);
    let limits: Limits = domain.limits(&config).terms(2).conditions(1, 3);
    let branches = config.strategy != Strategy::Auto;
    let limits = if branches { limits.branching(3, 0) } else { limits };
    let limits =
        if branches && config.surrogate.model != Model::Process { limits.suit(&config) } else { limits };
    let block = vec![0; limits.words::<R>()];
    Optimizer::<R, _>::new(&space, &config, limits, block)
        .map_or_else(refusal, |optimizer| hash(optimizer, domain.dims(), saved))
}

/// Every row, or those that `INFILL_REPLAY_ROWS` leaves: as many, spread evenly over the table.
fn chosen(count: usize) -> Vec<usize> {
    let some = std::env::var("INFILL_REPLAY_ROWS").map(|rows| rows.parse().expect("a number of rows"));
    let some = some.unwrap_or(count).clamp(1, count);
    (0..some).map(|i| i * count / some).collect()
}

#[test]
fn proposals_are_those_that_were_recorded() {
    let rows = rows::all();
    assert!(rows.len() >= 300, "{}", rows.len());
    let chosen = chosen(rows.len());
    let made: Vec<String> = chosen
        .iter()
        .map(|&i| {
            let (row, saved) = (&rows[i], i % 2 == 1);
            let hash = match row.scalar {
                Scalar::Single => run::<f32>(row, saved),
                Scalar::Double => run::<f64>(row, saved),
            };
            format!("{hash:016x} {}", row.name)
        })
        .collect();
    if std::env::var_os("INFILL_WRITE_RECORD").is_some() {
        assert_eq!(made.len(), rows.len(), "a table has every row");
        std::fs::write("replay/table.txt", made.join("\n") + "\n").unwrap();
        return;
    }
    let recorded: Vec<&str> = TABLE.lines().collect();
    let changed: Vec<&String> = made.iter().filter(|row| !recorded.contains(&row.as_str())).collect();
    assert!(changed.is_empty(), "{} of {} rows differ: {changed:#?}", changed.len(), made.len());
    assert_eq!(rows.len(), recorded.len(), "rows are missing");
    println!("{} of {} rows", made.len(), rows.len());
}
