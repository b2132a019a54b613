//! What cannot be is refused, and damage is seen.

extern crate std;
use std::vec;

use super::{
    SINGLE, SMALL, WHOLE, baseline, cash, lean, limits, make, quick, run, state_words, with_small, with_space,
};
use crate::config::{Branching, Config, Model, Strategy, WhenFull};
use crate::error::{Error, Need};
use crate::limits::Limit;
use crate::limits::Limits;
use crate::optimizer::Optimizer;
use crate::policy::Policy;
use crate::space::{Condition, Param, Space, When};
use crate::trial::{Origin, State};
use crate::{Transform, forest};

#[test]
fn what_cannot_be_is_refused() {
    with_space(|space| {
        let single = Config { strategy: SINGLE, ..quick() };
        let on = |parameter| Config { strategy: Strategy::Single(Branching::of(parameter)), ..quick() };
        let refused = |config: &Config<'_>| make(space, config, 30).map(|_| ()).unwrap_err();
        assert_eq!(refused(&on(1)), Error::Unsupported);
        assert_eq!(refused(&on(14)), Error::OutOfRange { parameter: 14 });
        assert_eq!(refused(&Config { targets: Transform::Rank, ..single }), Error::Unsupported);
        assert_eq!(refused(&single.with(|c| c.proposal.policy = Policy::Hedge)), Error::Unsupported);
        assert_eq!(refused(&single.with(|c| c.run.when_full = WhenFull::DropWorst)), Error::Unsupported);
        let free = single.with(|c| c.proposal.baseline = Some(crate::baselines::Baseline::Random));
        assert_eq!(refused(&free), Error::Unsupported);
        let mut without = make(space, &Config { strategy: baseline(21), ..free }, 21).unwrap();
        assert_eq!(run(&mut without, 21, cash), [3; 7]);
        assert_eq!(refused(&lean(1, SINGLE, &quick())), Error::Config);
        let trees = quick().with(|c| c.surrogate.model = Model::Trees(forest::Settings::RANDOM));
        assert!(make(space, &lean(1, SINGLE, &trees), 30).is_ok());
        assert_eq!(refused(&Config { strategy: baseline(6), ..quick() }), Error::Config);
        let few = Limits::new(13, 30).conditions(13, 0).branching(7, 0);
        let small = Optimizer::<f64, _>::with_limits(space, &single, few);
        assert_eq!(small.unwrap_err(), Error::Dimensions(Need::new(Limit::Dims, 14)));
        for values in [0, 6] {
            let narrow = Optimizer::<f64, _>::with_limits(space, &single, limits(30).branching(values, 0));
            assert_eq!(narrow.unwrap_err(), Error::Limits(Need::new(Limit::Values, 7)));
        }
        let needed = limits(30).words::<f64>();
        let short = Optimizer::<f64, _>::new(space, &single, limits(30), vec![0; needed - 1]);
        assert_eq!(short.unwrap_err(), Error::Memory { needed });
        let mut optimizer = make(space, &single, 3).unwrap();
        let mut x = [0.0; 14];
        assert_eq!(optimizer.ask(&mut x[..13]).unwrap_err(), Error::Shape { needed: 14 });
        let ask = optimizer.ask(&mut x).unwrap();
        assert_eq!(optimizer.tell(ask.id, f64::NAN).unwrap_err(), Error::NotFinite);
        optimizer.tell(ask.id, 1.0).unwrap();
        assert_eq!(optimizer.tell(ask.id, 1.0).unwrap_err(), Error::StaleTrial);
        assert_eq!(optimizer.observe(&[7.0; 14], 1.0).unwrap_err(), Error::OutOfRange { parameter: 0 });
        // A queued point comes first, and can be forgotten.
        let mut point = [f64::NAN; 14];
        (point[0], point[1]) = (0.0, 0.25);
        let id = optimizer.enqueue(&point).unwrap();
        optimizer.forget(id).unwrap();
        let id = optimizer.enqueue(&point).unwrap();
        let ask = optimizer.ask(&mut x).unwrap();
        assert_eq!((ask.id, ask.origin, x[1]), (id, Origin::Queue, 0.25));
        assert!(x.iter().all(|v| v.is_finite()));
        assert_eq!((optimizer.len(), optimizer.remaining()), (1, 1));
        assert_eq!(optimizer.trials().filter(|t| t.state == State::Open).count(), 1);
    });
    let params = [Param::categorical(2), Param::categorical(2)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let config = Config { strategy: Strategy::Single(Branching::of(1)), ..quick() };
    let limits = Limits::new(2, 10).conditions(1, 0).branching(2, 0);
    let nested = Optimizer::<f64, _>::with_limits(&space, &config, limits);
    assert_eq!(nested.unwrap_err(), Error::Unsupported);
}

#[test]
fn damage_is_seen() {
    with_small(|space| {
        for strategy in [Strategy::Impute, SINGLE, WHOLE] {
            let limits = Limits { trials: 12, exact: 12, ..SMALL };
            let config = lean(2, strategy, &quick());
            let mut optimizer = Optimizer::<f64, _>::with_limits(space, &config, limits).unwrap();
            let mut x = [0.0; 5];
            for step in 0..9 {
                let ask = optimizer.ask(&mut x).unwrap();
                if step < 8 {
                    optimizer.tell(ask.id, x[0] + x[1]).unwrap();
                }
            }
            let state = state_words(&optimizer);
            let words = optimizer.into_inner();
            assert!(Optimizer::<f64, _>::attach(words.clone()).is_ok());
            assert_eq!(Optimizer::<f32, _>::attach(words.clone()).unwrap_err(), Error::Foreign);
            for at in 0..state {
                let mut broken = words.clone();
                broken[at] ^= 1 << (at % 64);
                assert!(Optimizer::<f64, _>::attach(broken).is_err(), "word {at}");
            }
            // With a checksum that fits, it is refused or still works.
            let mut g = crate::rng::Generator::new(7);
            for round in 0..1000 {
                let mut broken = words.clone();
                let at = crate::rng::below(&mut g, state as u64) as usize;
                broken[at] = match round % 3 {
                    0 => broken[at] ^ 1 << (round % 64),
                    1 => rand_core::Rng::next_u64(&mut g),
                    _ => u64::from(round as u32 % 9),
                };
                crate::block::Header::write_checksum(&mut broken, state);
                if let Ok(mut optimizer) = Optimizer::<f64, _>::attach(broken) {
                    let _ = optimizer.ask(&mut x);
                    let _ = optimizer.recommend();
                }
            }
            for cut in [0, 1, 47, 48, state, words.len() - 1] {
                assert!(Optimizer::<f64, _>::attach(words[..cut].to_vec()).is_err());
            }
        }
    });
}

/// More room changes no proposal, and too little is refused.
#[test]
fn branches_grow() {
    with_small(|space| {
        for strategy in [SINGLE, WHOLE, baseline(24)] {
            let tight = Limits { trials: 14, exact: 14, open: 48, ..SMALL }.branching(4, 9);
            let config = lean(2, strategy, &quick());
            let mut small = Optimizer::<f64, _>::with_limits(space, &config, tight).unwrap();
            let (mut x, mut y) = ([0.0; 5], [0.0; 5]);
            for _ in 0..8 {
                let ask = small.ask(&mut x).unwrap();
                small.tell(ask.id, x[0] + x[1] * x[1]).unwrap();
            }
            small.enqueue(&[0.0, 0.25, 1.0, 1.0, 0.0]).unwrap();
            let wide = Limits { dims: 7, lists: 7, thetas: 8, ..SMALL }.branching(5, 0);
            let mut large = small.copy_into(wide, vec![0; wide.words::<f64>()]).unwrap();
            large = Optimizer::attach(large.into_inner()).unwrap();
            let points = |optimizer: &Optimizer<f64, vec::Vec<u64>>| {
                optimizer.trials().map(|trial| (trial.id, trial.point.to_vec())).collect::<vec::Vec<_>>()
            };
            assert_eq!(points(&large), points(&small));
            assert!(large.remaining() > small.remaining());
            for _ in 0..4 {
                let ask = small.ask(&mut x).unwrap();
                let again = large.ask(&mut y).unwrap();
                assert_eq!((ask.id, ask.origin, x), (again.id, again.origin, y), "{strategy:?}");
                for optimizer in [&mut small, &mut large] {
                    optimizer.tell(ask.id, x[0] + x[1] * x[1]).unwrap();
                }
            }
            assert!(large.ask(&mut y).is_ok());
            for limits in [tight, Limits { branch_trials: 8, ..wide }, Limits { values: 3, ..wide }] {
                let refused = large.copy_into(limits, vec![0; wide.words::<f64>()]).map(|_| ()).unwrap_err();
                assert!(matches!(refused, Error::Limits(_)), "{refused}");
            }
        }
    });
}

/// One model unless its kernel cannot list so many mixed parameters and there is room for several.
#[test]
fn auto_branches_where_one_model_cannot_serve() {
    let count = crate::kernel::MAX_LISTS as u32;
    let mut params = vec![Param::categorical(2), Param::categorical(3)];
    let mut conditions = vec![];
    for i in 2..count + 2 {
        params.push(Param::real(0.0, 1.0));
        conditions.push(Condition::new(i, 1, When::Equals(f64::from(i % 3))));
    }
    let space = Space::new(&params, &conditions).unwrap();
    let limits = space.limits(12);
    let config = Config { search: quick().search, ..Config::default() };
    let one = Optimizer::<f64, _>::with_limits(&space, &config, limits);
    assert_eq!(one.map(|_| ()).unwrap_err(), Error::Kernel);
    let optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits.branching(3, 0)).unwrap();
    assert_eq!(optimizer.config().unwrap().strategy, Strategy::Single(Branching::of(1)));
    let few = Optimizer::<f64, _>::with_limits(&space, &config, limits.branching(2, 0));
    assert_eq!(few.map(|_| ()).unwrap_err(), Error::Kernel);
    with_space(|space| {
        let optimizer = make(space, &quick(), 12).unwrap();
        assert_eq!(optimizer.config().unwrap(), quick());
        assert!(!optimizer.shape.is_branched());
    });
}
