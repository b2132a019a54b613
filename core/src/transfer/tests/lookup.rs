use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use crate::error::Error;
use crate::real::Real;
use crate::rng::{Generator, below};
use crate::space::Domain;
use crate::transfer::LookUp;
use crate::{Clause, Condition, Config, Optimizer, Origin, Param, Space, Term, When};
use rand_core::Rng;

/// A category, a real that matters with its second value, an integer; one combination is forbidden.
fn with_space<T>(then: impl FnOnce(&Space<'_>) -> T) -> T {
    let params = [Param::categorical(2), Param::real(0.0, 1.0), Param::integer(1, 9)];
    let conditions = [Condition::new(1, 0, When::Equals(1.0))];
    let terms =
        [Term { parameter: 0, when: When::Equals(0.0) }, Term { parameter: 2, when: When::Equals(9.0) }];
    let clauses = [Clause { terms: &terms }];
    let names: &[&str] = &["kind", "learning rate", "depth"];
    then(&Space::new(&params, &conditions).unwrap().forbid(&clauses).unwrap().named(&names).unwrap())
}

/// The bits of what is read, all that are no numbers alike.
fn read<R: Real>(text: &str, space: &Space<'_>) -> Result<Vec<u64>, Error> {
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    let domain = Domain::attach::<R>(&words).unwrap();
    let needed = LookUp::<R>::scalars(text, domain.dims());
    let mut few = vec![R::ZERO; needed - 1];
    assert_eq!(LookUp::read(text, &domain, &mut few).unwrap_err(), Error::Shape { needed });
    let mut memory = vec![R::ZERO; needed];
    let table = LookUp::read(text, &domain, &mut memory)?;
    assert_eq!(table.points().len(), table.len());
    Ok(table.points().flatten().map(|value| bits(*value)).collect())
}

fn bits<R: Real>(value: R) -> u64 {
    if value.is_nan() { u64::MAX } else { value.to_f64().to_bits() }
}

/// What is written is read again to the last bit: numbers of every size, in both precisions.
#[test]
fn a_table_comes_back_as_it_was() {
    fn check<R: Real>() {
        let mut generator = Generator::new(4);
        let most = R::MAX.to_f64();
        let params = [Param::real(-most, most); 3];
        let space = Space::new(&params, &[]).unwrap();
        let mut values = vec![R::ZERO, -R::ZERO, R::MIN_POSITIVE, R::MAX, -R::MAX, R::of(0.1)];
        while values.len() < 600 {
            let bits = generator.next_u64();
            let small = R::of(f64::from(f32::from_bits(bits as u32)));
            let value = if R::BYTES == 8 { R::of(f64::from_bits(bits)) } else { small };
            values.extend(Some(value).filter(|value| value.is_finite()));
        }
        let text = LookUp::new(&values, 3).unwrap().to_string();
        assert_eq!(text.lines().count(), 200);
        let expected: Vec<u64> = values.iter().map(|&value| bits(value)).collect();
        assert_eq!(read::<R>(&text, &space), Ok(expected));
    }
    check::<f64>();
    check::<f32>();
}

#[test]
fn the_format_is_the_documented_one() {
    with_space(|space| {
        let values = [1.0, 0.25, 3.0, 0.0, f64::NAN, 8.0, 1.0, 1e-7, 9.0];
        let table = LookUp::new(&values, 3).unwrap();
        assert_eq!(table.to_string(), "1 0.25 3\n0 - 8\n1 1e-7 9\n");
        let text = table.titled(&["kind", "learning rate", "depth"]).unwrap().to_string();
        assert_eq!(text, "# kind learning rate depth\n1 0.25 3\n0 - 8\n1 1e-7 9\n");
        let expected: Vec<u64> = values.iter().map(|&value| bits(value)).collect();
        assert_eq!(read::<f64>(&text, space), Ok(expected.clone()));
        let spaced = text.replace(' ', " \t ").replace('\n', " \r\n\n").replace("learning \t ", "learning ");
        assert_eq!(read::<f64>(&spaced, space), Ok(expected.clone()));
        assert_eq!(read::<f64>(text.trim_end(), space), Ok(expected));
        // Where nothing matters, any number may stand.
        assert_eq!(read::<f64>("0 77 8", space), Ok([0.0, 77.0, 8.0].map(bits).to_vec()));
    });
    assert_eq!(LookUp::new(&[1e16f64, -12_345.5, 9_999_999_999_999_998.0], 1).unwrap().len(), 3);
    let text = LookUp::new(&[1e16f64, -12_345.5, 9_999_999_999_999_998.0, 5e-324, -1e300], 1).unwrap();
    assert_eq!(text.to_string(), "1e16\n-12345.5\n9999999999999998\n5e-324\n-1e300\n");
}

#[test]
fn what_is_wrong_is_named_by_its_byte() {
    with_space(|space| {
        let refuse = |text: &str, at| {
            assert_eq!(read::<f64>(text, space), Err(Error::Format { at }), "{text}");
            assert_eq!(read::<f32>(text, space), Err(Error::Format { at }), "{text}");
        };
        refuse("1 0.5 3\n1 0.5", 8);
        refuse("1 0.5 3\n 1 0.5 4 7\n", 17);
        refuse("1 0.5 3\n1 half 4", 10);
        for number in ["nan", "inf", "-inf", "1e999", "0x1", "1,5", "--", "-.", "1_0", "٣", "1\u{a0}2"] {
            refuse(&std::format!("1 {number} 4"), 2);
        }
        // Outside of the space: no category, out of its bounds, not whole, nothing where something matters.
        refuse("2 0.5 3", 0);
        refuse("1 1.5 3", 2);
        refuse("1 0.5 2.5", 6);
        refuse("1 - 3", 2);
        refuse("0 - 3\n0 - 9", 6);
        refuse("# kind rate depth\n1 0.5 3", 0);
        refuse("#kind learning rate depth\n1 0.5 3", 0);
        refuse("# kind learning rate depth more\n1 0.5 3", 0);
        refuse("# depth learning rate kind\n1 0.5 3", 0);
        refuse("1 0.5 3\n# kind learning rate depth", 8);
        for empty in ["", "\n \r\n", "# kind learning rate depth"] {
            assert_eq!(read::<f64>(empty, space), Err(Error::NoData));
        }
        assert_eq!(read::<f32>("0 1e39 8", space), Err(Error::Format { at: 2 }), "no number of the scalar");
        let huge = "1 0.5 3\n".repeat(100_000);
        assert_eq!(read::<f32>(&huge, space).unwrap().len(), 300_000);
        let wide = "1 ".repeat(100_000);
        refuse(&wide, 6);
        refuse(&"9".repeat(100_000), 0);
    });
    assert_eq!(LookUp::<f64>::scalars("1\n2", usize::MAX), usize::MAX);
    assert_eq!(LookUp::<f64>::new(&[], 2).unwrap_err(), Error::NoData);
    assert_eq!(LookUp::new(&[1.0], 0).unwrap_err(), Error::NoData);
    assert_eq!(LookUp::new(&[1.0, 2.0, 3.0], 2).unwrap_err(), Error::Shape { needed: 4 });
    assert_eq!(LookUp::new(&[1.0, f64::INFINITY], 2).unwrap_err(), Error::NotFinite);
    let table = LookUp::new(&[1.0, 2.0], 2).unwrap();
    assert_eq!(table.titled(&["a"]).unwrap_err(), Error::Shape { needed: 2 });
    for name in ["", " b", "b\t", "b\nc"] {
        assert_eq!(table.titled(&["a", name]).unwrap_err(), Error::Name { parameter: 1 });
    }
}

/// Random texts, some of them almost right: a typed error, or configurations that an optimizer takes and asks for in their order.
#[test]
fn random_texts_do_no_harm() {
    with_space(|space| {
        let config = Config::default();
        let mut generator = Generator::new(8);
        let pieces = [
            "0", "1", "-", " ", " ", " ", "\n", "0.5", "9", "3", "1e-3", "#", "kind", "\r", "é", "nan", "-2",
            ".",
        ];
        let mut taken = 0;
        for case in 0..20_000 {
            let mut bytes: Vec<u8> = Vec::new();
            match case % 4 {
                0 => {
                    let length = below(&mut generator, 60);
                    bytes.extend((0..length).map(|_| generator.next_u64() as u8));
                }
                1 => {
                    for _ in 0..below(&mut generator, 40) {
                        bytes.extend(pieces[below(&mut generator, pieces.len() as u64) as usize].bytes());
                    }
                }
                _ => {
                    bytes.extend(b"# kind learning rate depth\n1 0.25 3\n0 - 8\n1 1e-7 9\n");
                    for _ in 0..below(&mut generator, 3) {
                        let at = below(&mut generator, bytes.len() as u64) as usize;
                        bytes[at] = b"01589.-e# \n\tx"[below(&mut generator, 13) as usize];
                    }
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match read::<f64>(&text, space) {
                Ok(values) => {
                    taken += 1;
                    let limits = space.limits(values.len() as u32).open(values.len() as u32);
                    let mut optimizer =
                        Optimizer::<f64, Vec<u64>>::with_limits(space, &config, limits).unwrap();
                    let points: Vec<f64> = values.iter().map(|&value| f64::from_bits(value)).collect();
                    for point in points.chunks_exact(3) {
                        optimizer.enqueue(point).unwrap();
                    }
                    let mut asked = [0.0; 3];
                    for point in points.chunks_exact(3) {
                        assert_eq!(optimizer.ask(&mut asked).unwrap().origin, Origin::Queue);
                        let same = |i: usize| asked[i] == point[i] || i == 1 && point[0] == 0.0;
                        assert!((0..3).all(same), "{asked:?} {point:?}");
                    }
                }
                Err(Error::Format { at }) => assert!(at < text.len() && text.is_char_boundary(at), "{text}"),
                Err(error) => assert_eq!(error, Error::NoData, "{text}"),
            }
        }
        assert!(taken > 1000, "{taken}");
    });
}
