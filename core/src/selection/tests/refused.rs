//! What cannot be is refused, and damage is seen.

extern crate std;
use std::vec;

use super::{SMALL, cash, lean, limits, make, quick, run, with_small, with_space};
use crate::config::{Config, Model, WhenFull};
use crate::error::Error;
use crate::limits::Limits;
use crate::policy::Policy;
use crate::selection::{Selection, Selector, Strategy};
use crate::space::{Condition, Param, Space, When};
use crate::trial::{Origin, State};
use crate::{Transform, forest};

#[test]
fn what_cannot_be_is_refused() {
    with_space(|space| {
        let single = Selector::new(0, Strategy::Single);
        let refused =
            |selector, config: &Config<'_>| make(space, selector, config, 30).map(|_| ()).unwrap_err();
        assert_eq!(refused(Selector::new(1, Strategy::Single), &quick()), Error::Unsupported);
        assert_eq!(
            refused(Selector::new(14, Strategy::Single), &quick()),
            Error::OutOfRange { parameter: 14 }
        );
        assert_eq!(refused(single, &Config { transform: Transform::Rank, ..quick() }), Error::Unsupported);
        assert_eq!(refused(single, &Config { policy: Policy::Hedge, ..quick() }), Error::Unsupported);
        assert_eq!(
            refused(single, &Config { when_full: WhenFull::DropWorst, ..quick() }),
            Error::Unsupported
        );
        let free = Config { model: Model::Baseline(crate::baselines::Baseline::Random), ..quick() };
        assert_eq!(refused(single, &free), Error::Unsupported);
        let mut without =
            make(space, Selector::new(0, Strategy::Baseline { budget: 21 }), &free, 21).unwrap();
        assert_eq!(run(&mut without, 21, cash), [3; 7]);
        assert_eq!(refused(lean(1, Strategy::Single), &quick()), Error::Config);
        let trees = Config { model: Model::Trees(forest::Settings::RANDOM), ..quick() };
        assert!(make(space, lean(1, Strategy::Single), &trees, 30).is_ok());
        assert_eq!(refused(Selector::new(0, Strategy::Baseline { budget: 6 }), &quick()), Error::Config);
        let few = Limits::new(13, 30).conditions(13, 0);
        let memory = vec![0; single.words::<f64>(&limits(30), 7)];
        let small = Selection::<f64, _>::new(space, single, &quick(), few, memory);
        assert_eq!(small.unwrap_err(), Error::Dimensions);
        let needed = single.words::<f64>(&limits(30), 7);
        let short = Selection::<f64, _>::new(space, single, &quick(), limits(30), vec![0; needed - 1]);
        assert_eq!(short.unwrap_err(), Error::Memory { needed });
        let mut selection = make(space, single, &quick(), 3).unwrap();
        let mut x = [0.0; 14];
        assert_eq!(selection.ask(&mut x[..13]).unwrap_err(), Error::Shape { needed: 14 });
        let ask = selection.ask(&mut x).unwrap();
        assert_eq!(selection.tell(ask.id, f64::NAN).unwrap_err(), Error::NotFinite);
        selection.tell(ask.id, 1.0).unwrap();
        assert_eq!(selection.tell(ask.id, 1.0).unwrap_err(), Error::StaleTrial);
        assert_eq!(selection.observe(&[7.0; 14], 1.0).unwrap_err(), Error::OutOfRange { parameter: 0 });
        // A queued point comes first, and can be forgotten.
        let mut point = [f64::NAN; 14];
        (point[0], point[1]) = (0.0, 0.25);
        let id = selection.enqueue(&point).unwrap();
        selection.forget(id).unwrap();
        let id = selection.enqueue(&point).unwrap();
        let ask = selection.ask(&mut x).unwrap();
        assert_eq!((ask.id, ask.origin, x[1]), (id, Origin::Queue, 0.25));
        assert!(x.iter().all(|v| v.is_finite()));
        assert_eq!((selection.len(), selection.remaining()), (1, 1));
        assert_eq!(selection.trials().filter(|t| t.state == State::Open).count(), 1);
    });
    let params = [Param::categorical(2), Param::categorical(2)];
    let conditions = [Condition::new(1, 0, When::Equals(0.0))];
    let space = Space::new(&params, &conditions).unwrap();
    let selector = Selector::new(1, Strategy::Single);
    let limits = Limits::new(2, 10).conditions(1, 0);
    let memory = vec![0; selector.words::<f64>(&limits, 2)];
    let nested = Selection::<f64, _>::new(&space, selector, &quick(), limits, memory);
    assert_eq!(nested.unwrap_err(), Error::Unsupported);
}

#[test]
fn damage_is_seen() {
    with_small(|space| {
        for strategy in [Strategy::Impute, Strategy::Single, Strategy::Whole] {
            let selector = lean(2, strategy);
            let limits = Limits { trials: 12, exact: 12, ..SMALL };
            let memory = vec![0; selector.words::<f64>(&limits, 4)];
            let mut selection = Selection::<f64, _>::new(space, selector, &quick(), limits, memory).unwrap();
            let mut x = [0.0; 5];
            for step in 0..9 {
                let ask = selection.ask(&mut x).unwrap();
                if step < 8 {
                    selection.tell(ask.id, x[0] + x[1]).unwrap();
                }
            }
            let words = selection.into_inner();
            assert!(Selection::<f64, _>::attach(words.clone()).is_ok());
            assert_eq!(Selection::<f32, _>::attach(words.clone()).unwrap_err(), Error::Foreign);
            let state =
                selector.state_words::<f64>(&limits, if strategy == Strategy::Impute { 1 } else { 4 });
            for at in 0..state {
                let mut broken = words.clone();
                broken[at] ^= 1 << (at % 64);
                assert!(Selection::<f64, _>::attach(broken).is_err(), "word {at}");
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
                if let Ok(mut selection) = Selection::<f64, _>::attach(broken) {
                    let _ = selection.ask(&mut x);
                    let _ = selection.recommend();
                }
            }
            for cut in [0, 1, 53, 54, state, words.len() - 1] {
                assert!(Selection::<f64, _>::attach(words[..cut].to_vec()).is_err());
            }
        }
    });
}
