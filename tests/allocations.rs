//! Nothing is allocated: not by making an optimizer, not by asking with training and search, not by telling.

use infill::{
    Condition, Config, Error, Limits, Optimizer, Origin, Param, Real, Refit, Space, Transform, Trend, When,
};
use infill_tests::memory::{CountingAllocator, count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn whole_run<R: Real>(config: &Config<'_>, limits: Limits) {
    let ordinals = [0.1, 0.2, 0.5];
    let params = [
        Param::real(-5.0, 10.0),
        Param::integer(1, 64).log(),
        Param::categorical(3),
        Param::ordinal(&ordinals),
        Param::real(1e-3, 1.0).log(),
    ];
    let conditions = [Condition { child: 4, parent: 2, when: When::Equals(1.0) }];
    let mut words = vec![0; limits.words::<R>()];
    let mut origins = [0; 2];
    let (outcome, allocations) = count(|| {
        let space = Space::new(&params, &conditions)?;
        let mut optimizer = Optimizer::<R, _>::new(&space, config, limits, &mut words[..])?;
        let mut x = [R::ZERO; 5];
        optimizer.observe(&[R::ONE, R::TWO, R::ONE, R::of(0.2), R::HALF], R::ONE)?;
        optimizer.enqueue(&[R::TWO, R::TWO, R::ZERO, R::of(0.5), R::HALF])?;
        let mut open = None;
        for step in 0..30 {
            let ask = optimizer.ask(&mut x)?;
            origins[usize::from(ask.origin == Origin::Model)] += 1;
            // Every tenth question stays open until the next tenth, every seventh fails.
            if step % 10 == 0 {
                if let Some(id) = open.replace(ask.id) {
                    optimizer.forget(id)?;
                }
            } else if step % 7 == 0 {
                optimizer.fail(ask.id)?;
            } else {
                optimizer.tell_noisy(ask.id, (x[0] - R::ONE) * (x[0] - R::ONE) + x[2] + x[3], R::of(1e-4))?;
            }
            optimizer.predict(&x).or_else(|error| {
                let none = infill::Prediction { mean: R::ZERO, variance: R::ZERO };
                if error == Error::NoData { Ok(none) } else { Err(error) }
            })?;
        }
        optimizer.recommend()?;
        assert!(optimizer.best().is_some() && optimizer.trials().count() > 20 && !optimizer.is_empty());
        let again = Optimizer::<R, _>::attach(optimizer.into_inner())?;
        assert_eq!(again.dims(), 5);
        Ok::<(), Error>(())
    });
    outcome.unwrap();
    assert!(origins[1] >= 20, "{origins:?}");
    assert_eq!(allocations, 0);
}

#[test]
fn a_run_allocates_nothing() {
    let limits = Limits::new(5, 34).conditions(1, 3).trend(6);
    for (trend, transform) in [
        (Trend::Constant, Transform::Standard),
        (Trend::Zero, Transform::Power),
        (Trend::Linear, Transform::Rank),
    ] {
        // Training at each ask.
        let refit = Refit { growth: 0.0, afresh: 0.2, evaluations: 20, plenty: 300 };
        let config = Config { trend, transform, refit, ..Config::default() };
        whole_run::<f64>(&config, limits);
        whole_run::<f32>(&config, limits);
    }
}
