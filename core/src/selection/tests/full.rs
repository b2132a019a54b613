//! Branches that are full: what is queued never stands in the way of the others.

extern crate std;
use std::vec;

use super::{ALL, quick};
use crate::config::Config;
use crate::error::Error;
use crate::limits::Limits;
use crate::rng::{self, Generator};
use crate::selection::{Selection, Selector, Strategy};
use crate::space::{Condition, Param, Space, When};
use crate::trial::{Origin, State, TrialId};

/// Two branches with a parameter each, and one that is a single configuration.
fn with_three<T>(run: impl FnOnce(&Space<'_>) -> T) -> T {
    let params = [Param::categorical(3), Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
    run(&Space::new(&params, &conditions).unwrap())
}

fn make(strategy: Strategy, most: u32, trials: u32) -> Selection<f64, vec::Vec<u64>> {
    let selector = Selector { most, start: 2, ..Selector::new(0, strategy) };
    let limits = Limits::new(3, trials).conditions(2, 0);
    let memory = vec![0; selector.words::<f64>(&limits, 3)];
    with_three(|space| Selection::new(space, selector, &quick(), limits, memory).unwrap())
}

/// The words under the checksum: all but what is worked in.
fn state(selection: &Selection<f64, vec::Vec<u64>>) -> vec::Vec<u64> {
    let count = selection.selector.state_words::<f64>(&selection.limits, selection.branches);
    selection.words()[..count].to_vec()
}

#[test]
fn a_full_branch_takes_no_queued_point() {
    for strategy in [Strategy::Single, Strategy::Whole, Strategy::Baseline { budget: 30 }] {
        let mut selection = make(strategy, 2, 30);
        assert_eq!(selection.remaining(), 2 + 2 + 1, "{strategy:?}");
        selection.observe(&[0.0, 0.1, 0.5], 1.0).unwrap();
        let id = selection.enqueue(&[0.0, 0.2, 0.5]).unwrap();
        assert_eq!(selection.remaining(), 2 + 1);
        // The queued point has its place: neither a second one nor a value takes it away.
        let before = state(&selection);
        assert_eq!(selection.enqueue(&[0.0, 0.3, 0.5]).unwrap_err(), Error::Full);
        assert_eq!(selection.observe(&[0.0, 0.3, 0.5], 1.0).unwrap_err(), Error::Full);
        assert!(state(&selection) == before);
        let mut x = [7.0; 3];
        let ask = selection.ask(&mut x).unwrap();
        assert_eq!((ask.id, ask.origin, x), (id, Origin::Queue, [0.0, 0.2, 0.5]));
        // The others go on, and then there is nothing left: the point is not touched.
        for left in (0..3).rev() {
            let ask = selection.ask(&mut x).unwrap();
            assert!(x[0] != 0.0 && selection.remaining() == left, "{strategy:?} {x:?}");
            selection.tell(ask.id, x[1] + x[2]).unwrap();
        }
        let (before, mut x) = (state(&selection), [7.0; 3]);
        assert_eq!(selection.ask(&mut x).unwrap_err(), Error::Full);
        assert!(x == [7.0; 3] && state(&selection) == before, "{strategy:?} {x:?}");
    }
}

#[test]
fn a_queue_that_was_saved_too_long_blocks_no_branch() {
    let mut selection = make(Strategy::Single, 2, 30);
    selection.observe(&[0.0, 0.1, 0.5], 1.0).unwrap();
    let id = selection.enqueue(&[0.0, 0.2, 0.5]).unwrap();
    // As earlier versions left it: a value took the place of the queued point.
    selection.front().unwrap().optimizer(0).unwrap().observe(&[0.3], 1.0).unwrap();
    let slot = selection.front().unwrap().ledger.read().in_state(None).next().unwrap();
    let entry =
        super::super::ledger::Entry { state: State::Open, sequence: 9, branch: 0, inner: 1 << 32 | 1 };
    let told = selection.front().unwrap().ledger.write(slot, entry, &[0.0, 0.3, 0.5]);
    selection.front().unwrap().ledger.set(told.slot(), Some(State::Done), 1.0, 0.0);
    selection.write_checksum();
    let mut x = [7.0; 3];
    while selection.remaining() > 0 {
        let ask = selection.ask(&mut x).unwrap();
        assert!(ask.origin != Origin::Queue && x[0] != 0.0);
    }
    assert_eq!(selection.ask(&mut x).unwrap_err(), Error::Full);
    selection.forget(id).unwrap();
}

/// Any order of verbs: what was queued is asked for, in its order; `remaining` is what an ask can still have.
#[test]
fn whatever_is_queued_can_be_asked_for() {
    let mut generator = Generator::new(5);
    for round in 0..24u32 {
        let strategy = ALL[round as usize % ALL.len()];
        let most = [0, 2, 3][round as usize / ALL.len() % 3];
        let mut selection = make(strategy, most, 9);
        let mut queue = vec::Vec::<TrialId>::new();
        let mut open = vec::Vec::<TrialId>::new();
        for _ in 0..40 {
            let branch = rng::below(&mut generator, 3) as f64;
            let u = rng::uniform::<f64, _>(&mut generator);
            let point = [branch, u, u];
            let mut x = [7.0; 3];
            match rng::below(&mut generator, 6) {
                0 => match selection.enqueue(&point) {
                    Ok(id) => queue.push(id),
                    Err(error) => assert_eq!(error, Error::Full),
                },
                1 => {
                    if let Err(error) = selection.observe(&point, u) {
                        assert_eq!(error, Error::Full);
                    }
                }
                2 if !open.is_empty() => {
                    let id = open.swap_remove(0);
                    if u < 0.3 { selection.forget(id) } else { selection.tell(id, u) }.unwrap();
                }
                3 if !queue.is_empty() && u < 0.3 => selection.forget(queue.remove(0)).unwrap(),
                _ => {
                    let remaining = selection.remaining();
                    match selection.ask(&mut x) {
                        Ok(ask) if queue.is_empty() => {
                            assert!(ask.origin != Origin::Queue && remaining > 0, "{strategy:?} {most}");
                            open.push(ask.id);
                        }
                        Ok(ask) => {
                            assert_eq!((ask.id, ask.origin), (queue.remove(0), Origin::Queue));
                            open.push(ask.id);
                        }
                        Err(error) => {
                            assert!(queue.is_empty() && remaining == 0, "{strategy:?} {most} {error:?}");
                            assert!(matches!(error, Error::Full | Error::Exhausted));
                            assert_eq!(x, [7.0; 3]);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn one_configuration_counts_as_often_as_it_is_evaluated() {
    let config = Config { repeats: true, ..quick() };
    let limits = Limits::new(3, 30).conditions(2, 0);
    for (strategy, one) in [(Strategy::Single, 2), (Strategy::Baseline { budget: 30 }, usize::MAX)] {
        let selector = Selector { most: 4, start: 2, ..Selector::new(0, strategy) };
        let memory = vec![0; selector.words::<f64>(&limits, 3)];
        let mut selection =
            with_three(|space| Selection::<f64, _>::new(space, selector, &config, limits, memory).unwrap());
        let most = 4usize.saturating_add(4).saturating_add(one).min(30);
        assert_eq!(selection.remaining(), most, "{strategy:?}");
        let mut x = [0.0; 3];
        let mut asked = 0;
        while let Ok(ask) = selection.ask(&mut x) {
            selection.tell(ask.id, x[1] + x[2]).unwrap();
            asked += 1;
        }
        assert_eq!((asked, selection.remaining()), (most, 0), "{strategy:?}");
    }
}
