use std::vec;
use std::vec::Vec;

use crate::block::Header;
use crate::transfer::{Form, Sources, Start, Transfer};
use crate::{Config, Optimizer, Param, Plain, Space};

/// A source whose points lie between the values of a parameter: what is proposed beside them is one of the space all the same, and
/// the block can be loaded.
#[test]
fn points_between_values_are_moved_to_one() {
    let params = [Param::integer(0, 3), Param::categorical(2), Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = space.limits(8);
    let mut earlier = Optimizer::<f64, Vec<u64>>::with_limits(&space, &Config::default(), limits).unwrap();
    for i in 0..8 {
        let x = [f64::from(i % 4), f64::from(i / 4), 0.1 * f64::from(i)];
        earlier.observe(&x, x[0] + x[2]).unwrap();
    }
    let size = earlier.source_size(Form::Means, 0).unwrap();
    let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    earlier.export(Form::Means, &[], &mut work, &mut words).unwrap();
    let first = Sources::<f64>::attach(&words).unwrap().iter().next().unwrap().points()[0];
    for word in words.iter_mut().filter(|word| **word == first.to_bits()) {
        *word = (first + 0.01).to_bits();
    }
    let end = words.len();
    Header::write_checksum(&mut words, end);
    let sources = Sources::<f64>::attach(&words).unwrap();
    assert!(sources.iter().next().unwrap().points().contains(&(first + 0.01)));
    for start in [Start::Cover, Start::Learnt, Start::Random] {
        for seed in 0..8 {
            let config = Config { seed, ..Config::default() }
                .with(|c| c.transfer = Transfer { start, trials: 8, ..Transfer::default() });
            let limits = space.limits(8).sources(1).source_rows(8).suit(&config);
            let mut optimizer = Optimizer::<f64, Vec<u64>>::with_limits(&space, &config, limits).unwrap();
            let mut x = [0.0; 3];
            for _ in 0..8 {
                let ask = optimizer.ask_from(&sources, &mut Plain, &mut x).unwrap();
                let again = Optimizer::<f64, Vec<u64>>::attach(optimizer.words().to_vec());
                assert!(again.is_ok(), "{start:?}, {seed}: {x:?}");
                optimizer.tell(ask.id, x[0] + x[2]).unwrap();
            }
        }
    }
}
