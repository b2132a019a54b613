//! Bad input gets the error that names it and changes nothing; hard input gets a correct proposal.

mod backend;
mod calls;
mod hard;
mod room;
mod settings;
mod spaces;

use infill::{Config, Error, Limits, Optimizer, Param, Real, Space};

type Heap<R> = Optimizer<R, Vec<u64>>;

fn make<R: Real>(params: &[Param<'_>], config: &Config<'_>, trials: u32) -> Heap<R> {
    let space = Space::new(params, &[]).unwrap();
    let levels = space.levels() as u32;
    let limits = Limits::new(params.len() as u32, trials).conditions(0, levels).trend(21);
    Optimizer::new(&space, config, limits, vec![0; limits.words::<R>()]).unwrap()
}

/// Calls, and checks that the error is the one expected, that no word has changed, and that the block still loads.
#[track_caller]
fn refused<R: Real, T: core::fmt::Debug>(
    optimizer: &mut Heap<R>,
    expected: Error,
    call: impl FnOnce(&mut Heap<R>) -> Result<T, Error>,
) {
    let before = optimizer.words().to_vec();
    assert_eq!(call(optimizer).unwrap_err(), expected);
    assert!(optimizer.words() == before, "{expected}: words have changed");
    assert!(Heap::<R>::attach(before).is_ok(), "{expected}: the block was not whole before");
}
