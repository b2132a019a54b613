//! States and words.

use std::vec;
use std::vec::Vec;

use super::{Anneal, Baseline, Parzen};
use crate::rng::Generator;
use crate::space::{Domain, Param, Space};

const ALL: [Baseline; 7] = [
    Baseline::Random,
    Baseline::Grid { levels: 4 },
    Baseline::Sobol,
    Baseline::ANNEAL,
    Baseline::TPE,
    Baseline::Covariance { offspring: 6 },
    Baseline::Evolution { parents: 2, offspring: 7 },
];

#[test]
fn sensible_settings_are_taken() {
    for free in ALL {
        assert_eq!(free.check(), Ok(()));
    }
}

#[test]
fn senseless_settings_are_refused() {
    let nan = f64::NAN;
    for free in [
        Baseline::Grid { levels: 0 },
        Baseline::Covariance { offspring: 1 },
        Baseline::Evolution { parents: 0, offspring: 3 },
        Baseline::Evolution { parents: 4, offspring: 3 },
        Baseline::Anneal(Anneal { heat: nan, ..Anneal::USUAL }),
        Baseline::Anneal(Anneal { heat: -1.0, ..Anneal::USUAL }),
        Baseline::Anneal(Anneal { cooling: 1.5, ..Anneal::USUAL }),
        Baseline::Anneal(Anneal { reach: 0.0, ..Anneal::USUAL }),
        Baseline::Parzen(Parzen { candidates: 0, ..Parzen::USUAL }),
        Baseline::Parzen(Parzen { share: nan, ..Parzen::USUAL }),
        Baseline::Parzen(Parzen { most: 0, ..Parzen::USUAL }),
        Baseline::Parzen(Parzen { prior: 0.0, ..Parzen::USUAL }),
    ] {
        assert!(free.check().is_err(), "{free:?}");
    }
}

/// A state with room for more open trials knows what it knew, and has the room.
#[test]
fn states_grow() {
    let params = [Param::real(0.0, 1.0), Param::integer(0, 9), Param::categorical(3)];
    let space = Space::new(&params, &[]).unwrap();
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    let domain = Domain::attach::<f32>(&words).unwrap();
    let mut generator = Generator::new(4);
    for free in &ALL[5..] {
        let (old, new) = (2, 5);
        let mut state = vec![0f32; free.state(3, new)];
        free.start(3, old, &mut state).unwrap();
        let mut unit = [0f32; 3];
        for key in 0..9u16 {
            domain.sample(&mut generator, &mut unit).unwrap();
            free.tell(&domain, old, u64::from(key), (&unit, f32::from(key)), &mut state);
        }
        let before: Vec<f32> = state[..20].to_vec();
        free.grow(3, (old, new), &mut state);
        assert!(free.is_state(3, new, &mut state), "{free:?}");
        let same = |(a, b): (&f32, &f32)| a == b || a.is_nan() && b.is_nan();
        assert!(before.iter().zip(&state).all(same), "{free:?}");
    }
}
