//! Spaces that cannot be, and those that a scalar cannot hold.

use infill::{Condition, Config, Error, Limits, Optimizer, Param, Space, When};

fn bad_space(params: &[Param<'_>], conditions: &[Condition<'_>]) -> Error {
    Space::new(params, conditions).unwrap_err()
}

#[test]
fn bad_spaces() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let good = Param::real(0.0, 1.0);
    assert!(matches!(bad_space(&[], &[]), Error::Dimensions(need) if need.number() == 0));
    for bad in [
        Param::real(1.0, 1.0),
        Param::real(2.0, 1.0),
        Param::real(nan, 1.0),
        Param::real(0.0, nan),
        Param::real(-inf, 1.0),
        Param::real(0.0, inf),
        Param::real(0.0, 1.0).log(),
        Param::real(-1.0, 1.0).log(),
        Param::integer(3, 2),
        Param::integer(0, 5).log(),
        Param::integer(-5, 5).log(),
        Param::categorical(3).log(),
    ] {
        assert_eq!(bad_space(&[good, bad], &[]), Error::Bounds { parameter: 1 }, "{bad:?}");
    }
    for bad in [
        Param::integer(3, 3),
        Param::categorical(0),
        Param::categorical(1),
        Param::ordinal(&[]),
        Param::ordinal(&[1.0]),
        Param::ordinal(&[1.0, 1.0]),
        Param::ordinal(&[2.0, 1.0]),
        Param::ordinal(&[1.0, nan]),
        Param::ordinal(&[1.0, inf]),
    ] {
        assert_eq!(bad_space(&[bad, good], &[]), Error::Levels { parameter: 0 }, "{bad:?}");
    }
    let params = [Param::categorical(2), good];
    for (child, parent, when) in [
        (1, 1, When::Equals(0.0)),
        (0, 1, When::Equals(0.0)),
        (2, 0, When::Equals(0.0)),
        (1, 9, When::Equals(0.0)),
        (1, 0, When::Equals(2.0)),
        (1, 0, When::Equals(nan)),
        (1, 0, When::In(&[])),
        (1, 0, When::In(&[0.0, 5.0])),
        (1, 0, When::Between(0.2, 0.8)),
    ] {
        let condition = Condition::new(child, parent, when);
        assert_eq!(bad_space(&params, &[condition]), Error::Condition { index: 0 }, "{condition:?}");
    }
}

#[test]
fn spaces_that_a_scalar_cannot_hold() {
    let limits = Limits::new(1, 4);
    for (param, error) in [
        (Param::integer(0, 1 << 25), Error::Levels { parameter: 0 }),
        (Param::real(1.0, 1.0 + 1e-12), Error::Bounds { parameter: 0 }),
        (Param::real(0.0, 1e300), Error::Bounds { parameter: 0 }),
    ] {
        let params = [param];
        let space = Space::new(&params, &[]).unwrap();
        let narrow = Optimizer::<f32, _>::new(&space, &Config::default(), limits, vec![0; 4096]);
        assert_eq!(narrow.unwrap_err(), error);
        assert!(Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; 4096]).is_ok());
    }
}
