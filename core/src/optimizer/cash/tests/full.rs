//! Branches that are full: what is queued never stands in the way of the others.

extern crate std;
use std::vec;

use super::{ALL, SINGLE, WHOLE, baseline, lean, parts, quick, state_words};
use crate::config::Strategy;
use crate::error::Error;
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::rng::{self, Generator};
use crate::space::{Condition, Param, Space, When};
use crate::trial::{Origin, State, TrialId};

/// Two branches with a parameter each, and one that is a single configuration.
fn with_three<T>(run: impl FnOnce(&Space<'_>) -> T) -> T {
    let params = [Param::categorical(3), Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
    run(&Space::new(&params, &conditions).unwrap())
}

fn make(strategy: Strategy, most: u32, trials: u32) -> Optimizer<f64, vec::Vec<u64>> {
    let limits = Limits::new(3, trials).conditions(2, 0).branching(3, most);
    with_three(|space| Optimizer::with_limits(space, &lean(2, strategy, &quick()), limits).unwrap())
}

fn state(optimizer: &Optimizer<f64, vec::Vec<u64>>) -> vec::Vec<u64> {
    optimizer.words()[..state_words(optimizer)].to_vec()
}

#[test]
fn a_full_branch_takes_no_queued_point() {
    for strategy in [SINGLE, WHOLE, baseline(30)] {
        let mut optimizer = make(strategy, 2, 30);
        assert_eq!(optimizer.remaining(), 2 + 2 + 1, "{strategy:?}");
        optimizer.observe(&[0.0, 0.1, 0.5], 1.0).unwrap();
        let id = optimizer.enqueue(&[0.0, 0.2, 0.5]).unwrap();
        assert_eq!(optimizer.remaining(), 2 + 1);
        // The queued point has its place: neither a second one nor a value takes it away.
        let before = state(&optimizer);
        assert_eq!(optimizer.enqueue(&[0.0, 0.3, 0.5]).unwrap_err(), Error::Full);
        assert_eq!(optimizer.observe(&[0.0, 0.3, 0.5], 1.0).unwrap_err(), Error::Full);
        assert!(state(&optimizer) == before);
        let mut x = [7.0; 3];
        let ask = optimizer.ask(&mut x).unwrap();
        assert_eq!((ask.id, ask.origin, x), (id, Origin::Queue, [0.0, 0.2, 0.5]));
        // The others go on, and then there is nothing left: the point is not touched.
        for left in (0..3).rev() {
            let ask = optimizer.ask(&mut x).unwrap();
            assert!(x[0] != 0.0 && optimizer.remaining() == left, "{strategy:?} {x:?}");
            optimizer.tell(ask.id, x[1] + x[2]).unwrap();
        }
        let (before, mut x) = (state(&optimizer), [7.0; 3]);
        assert_eq!(optimizer.ask(&mut x).unwrap_err(), Error::Full);
        assert!(x == [7.0; 3] && state(&optimizer) == before, "{strategy:?} {x:?}");
    }
}

#[test]
fn a_queue_that_was_saved_too_long_blocks_no_branch() {
    let mut optimizer = make(SINGLE, 2, 30);
    optimizer.observe(&[0.0, 0.1, 0.5], 1.0).unwrap();
    let id = optimizer.enqueue(&[0.0, 0.2, 0.5]).unwrap();
    // As earlier versions left it: a value took the place of the queued point.
    let mut block = parts(&mut optimizer);
    block.optimizer(0).unwrap().observe(&[0.3], 1.0).unwrap();
    let slot = block.trials.read().in_state(None).next().unwrap();
    block.trials.write(slot, State::Open, 9, &[0.0, 0.3, 0.5], &[0.0, 0.3, 0.5]);
    block.names[slot] = 1 << 32 | 1;
    block.trials.close(slot, State::Done, 1.0, 0.0);
    optimizer.write_checksum();
    let mut x = [7.0; 3];
    while optimizer.remaining() > 0 {
        let ask = optimizer.ask(&mut x).unwrap();
        assert!(ask.origin != Origin::Queue && x[0] != 0.0);
    }
    assert_eq!(optimizer.ask(&mut x).unwrap_err(), Error::Full);
    optimizer.forget(id).unwrap();
}

/// Any order of verbs: what was queued is asked for, in its order; `remaining` is what an ask can still have.
#[test]
fn whatever_is_queued_can_be_asked_for() {
    let mut generator = Generator::new(5);
    for round in 0..24u32 {
        let strategy = ALL[round as usize % ALL.len()];
        let most = [0, 2, 3][round as usize / ALL.len() % 3];
        let mut optimizer = make(strategy, most, 9);
        let mut queue = vec::Vec::<TrialId>::new();
        let mut open = vec::Vec::<TrialId>::new();
        for _ in 0..40 {
            let branch = rng::below(&mut generator, 3) as f64;
            let u = rng::uniform::<f64, _>(&mut generator);
            let point = [branch, u, u];
            let mut x = [7.0; 3];
            match rng::below(&mut generator, 6) {
                0 => match optimizer.enqueue(&point) {
                    Ok(id) => queue.push(id),
                    Err(error) => assert_eq!(error, Error::Full),
                },
                1 => {
                    if let Err(error) = optimizer.observe(&point, u) {
                        assert_eq!(error, Error::Full);
                    }
                }
                2 if !open.is_empty() => {
                    let id = open.swap_remove(0);
                    if u < 0.3 { optimizer.forget(id) } else { optimizer.tell(id, u) }.unwrap();
                }
                3 if !queue.is_empty() && u < 0.3 => optimizer.forget(queue.remove(0)).unwrap(),
                _ => {
                    let remaining = optimizer.remaining();
                    match optimizer.ask(&mut x) {
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
    let limits = Limits::new(3, 30).conditions(2, 0).branching(3, 4);
    for (strategy, one) in [(SINGLE, 2), (baseline(30), usize::MAX)] {
        let config = lean(2, strategy, &quick().with(|c| c.run.repeats = true));
        let mut optimizer =
            with_three(|space| Optimizer::<f64, _>::with_limits(space, &config, limits).unwrap());
        let most = 4usize.saturating_add(4).saturating_add(one).min(30);
        assert_eq!(optimizer.remaining(), most, "{strategy:?}");
        let mut x = [0.0; 3];
        let mut asked = 0;
        while let Ok(ask) = optimizer.ask(&mut x) {
            optimizer.tell(ask.id, x[1] + x[2]).unwrap();
            asked += 1;
        }
        assert_eq!((asked, optimizer.remaining()), (most, 0), "{strategy:?}");
    }
}
