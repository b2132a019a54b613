extern crate std;
use std::vec;
use std::vec::Vec;

use super::{Selection, Selector, Strategy};
use crate::config::{Config, Incumbent, Interleave, Model};
use crate::error::Error;
use crate::limits::Limits;
use crate::space::{Condition, Param, Space, When};
use crate::trial::{Origin, State};
use crate::{Transform, forest};

/// Parameters of each of seven algorithms.
const DIMS: [usize; 7] = [1, 2, 1, 3, 4, 1, 1];
const OFFSETS: [f64; 7] = [0.14, 0.00, 0.05, 0.12, 0.08, 0.10, 0.15];

/// The space of seven algorithms with 13 parameters between them.
fn with_space<T>(run: impl FnOnce(&Space<'_>) -> T) -> T {
    let mut params = vec![Param::categorical(7)];
    let mut conditions = Vec::new();
    for (j, &dims) in DIMS.iter().enumerate() {
        for _ in 0..dims {
            conditions.push(Condition::new(params.len() as u32, 0, When::Equals(j as f64)));
            params.push(Param::real(0.0, 1.0));
        }
    }
    run(&Space::new(&params, &conditions).unwrap())
}

/// fⱼ(u) = cⱼ + Σ (uᵢ − frac(0.37 j + 0.21 i))², j and i from 1: its minimum is 0, in the second branch.
fn cash(x: &[f64]) -> f64 {
    let j = x[0] as usize;
    let first = 1 + DIMS[..j].iter().sum::<usize>();
    let part = |i: usize| {
        let at = 0.37 * (j + 1) as f64 + 0.21 * (i + 1) as f64;
        (x[first + i] - (at - at.floor())).powi(2)
    };
    OFFSETS[j] + (0..DIMS[j]).map(part).sum::<f64>()
}

fn limits(trials: u32) -> Limits {
    Limits::new(14, trials).conditions(13, 0)
}

type Owned = Selection<f64, Vec<u64>>;

fn make(space: &Space<'_>, selector: Selector, config: &Config<'_>, trials: u32) -> Result<Owned, Error> {
    let limits = limits(trials).suit(config);
    Selection::new(space, selector, config, limits, vec![0; selector.words::<f64>(&limits, 7)])
}

/// Runs so many evaluations; how many objective calls there were in each branch.
fn run(selection: &mut Owned, count: usize, mut f: impl FnMut(&[f64]) -> f64) -> [usize; 7] {
    let mut calls = [0; 7];
    let mut x = [0.0; 14];
    for _ in 0..count {
        let ask = selection.ask(&mut x).unwrap();
        calls[x[0] as usize] += 1;
        selection.tell(ask.id, f(&x)).unwrap();
    }
    calls
}

const ALL: [Strategy; 4] =
    [Strategy::Impute, Strategy::Single, Strategy::Whole, Strategy::Baseline { budget: 200 }];

fn quick() -> Config<'static> {
    let default = Config::default();
    let search = crate::Search { global: 64, local: 32, starts: 1, rounds: 1, ..default.search };
    Config { search, transform: Transform::Standard, interleave: Interleave::NEVER, ..default }
}

#[test]
fn evaluations_are_counted_honestly() {
    with_space(|space| {
        for strategy in ALL {
            let mut selection = make(space, Selector::new(0, strategy), &quick(), 200).unwrap();
            let mut started = [0; 7];
            let mut calls = 0;
            let mut x = [0.0; 14];
            loop {
                let ask = match selection.ask(&mut x) {
                    Ok(ask) => ask,
                    Err(error) => {
                        assert_eq!(error, Error::Full);
                        break;
                    }
                };
                started[x[0] as usize] += usize::from(ask.origin == Origin::Design);
                calls += 1;
                selection.tell(ask.id, cash(&x)).unwrap();
                assert_eq!(selection.len(), calls);
            }
            // Not 260: the starting design is among them.
            assert_eq!((calls, selection.len(), selection.trials().count()), (200, 200, 200), "{strategy:?}");
            match strategy {
                Strategy::Impute => assert_eq!(started.iter().sum::<usize>(), 5),
                Strategy::Single | Strategy::Whole => assert_eq!(started, [10; 7]),
                Strategy::Baseline { .. } => assert_eq!(started, [3; 7]),
            }
            assert!(
                selection.best().unwrap().value < 0.06,
                "{strategy:?}: {}",
                selection.best().unwrap().value
            );
        }
    });
}

#[test]
fn shares_of_the_baseline_are_equal() {
    with_space(|space| {
        let selector = Selector::new(0, Strategy::Baseline { budget: 200 });
        let mut selection = make(space, selector, &quick(), 200).unwrap();
        assert_eq!(run(&mut selection, 196, cash), [28; 7]);
        // What is left over goes to the branch of the best value.
        assert_eq!(run(&mut selection, 4, cash), [0, 4, 0, 0, 0, 0, 0]);
    });
}
