//! Looks at several branches: what they train, and that asks do not notice.

extern crate std;
use std::vec;
use std::vec::Vec;

use super::{ALL, DIMS, SINGLE, WHOLE, baseline, cash, lean, make, quick, with_space};
use crate::config::Strategy;
use crate::error::Error;

#[test]
fn looks_change_no_proposal() {
    with_space(|space| {
        for strategy in ALL {
            let [mut seen, mut blind] =
                core::array::from_fn(|_| make(space, &lean(3, strategy, &quick()), 40).unwrap());
            let (mut x, mut y) = ([0.0; 14], [0.0; 14]);
            for step in 0..32 {
                let (one, two) = (seen.ask(&mut x).unwrap(), blind.ask(&mut y).unwrap());
                assert_eq!((x, one.origin), (y, two.origin), "{strategy:?} {step}");
                assert_eq!(one.acquisition.is_nan(), one.origin != crate::Origin::Model);
                seen.tell(one.id, cash(&x)).unwrap();
                blind.tell(one.id, cash(&x)).unwrap();
                seen.recommend().unwrap();
                if let Err(error) = seen.predict(&x) {
                    assert_eq!(error, Error::NoData);
                }
            }
        }
    });
}

/// After values that were only observed, a look says what it says after an ask, and the ask is the same.
#[test]
fn looks_after_observations_know_what_asks_know() {
    with_space(|space| {
        for strategy in [SINGLE, WHOLE, baseline(80), Strategy::Impute] {
            let [mut looked, mut asked] =
                core::array::from_fn(|_| make(space, &lean(3, strategy, &quick()), 80).unwrap());
            let mut points: Vec<[f64; 14]> = vec![];
            for (j, &dims) in DIMS.iter().enumerate() {
                let first = 1 + DIMS[..j].iter().sum::<usize>();
                for k in 0..6 {
                    let mut point = [0.5; 14];
                    point[0] = j as f64;
                    (first..first + dims).for_each(|i| point[i] = ((k * (i + 2)) as f64 * 0.37) % 1.0);
                    points.push(point);
                }
            }
            for point in &points {
                looked.observe(point, cash(point)).unwrap();
                asked.observe(point, cash(point)).unwrap();
            }
            let before: Vec<_> = points.iter().map(|point| looked.predict(point).unwrap()).collect();
            let (mut x, mut y) = ([0.0; 14], [0.0; 14]);
            asked.ask(&mut x).unwrap();
            if strategy == SINGLE {
                let after: Vec<_> = points.iter().map(|point| asked.predict(point).unwrap()).collect();
                assert_eq!(before, after);
            }
            looked.ask(&mut y).unwrap();
            assert_eq!(x, y, "{strategy:?}");
        }
    });
}
