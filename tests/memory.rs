//! The memory is known beforehand: exactly `Limits::words`, no word more, no word less.

use std::fmt::Write;

use infill::{Config, Error, Limit, Limits, Need, Optimizer, Param, Real, Space};

fn cube(dims: u32) -> Vec<Param<'static>> {
    vec![Param::real(0.0, 1.0); dims as usize]
}

/// Runs in a block of exactly `words()` that lies between two guards.
fn exact<R: Real>(limits: Limits) {
    const GUARD: u64 = 0xdead_beef_dead_beef;
    let params = cube(limits.dims);
    let space = Space::new(&params, &[]).unwrap();
    let config = Config::default();
    let words = limits.words::<R>();
    let mut block = vec![GUARD; words + 2];
    let short = Optimizer::<R, _>::new(&space, &config, limits, &mut block[1..words]);
    assert_eq!(short.unwrap_err(), Error::Memory { needed: words });
    assert!(block.iter().all(|&w| w == GUARD), "a refused block was written to");

    let mut optimizer = Optimizer::<R, _>::new(&space, &config, limits, &mut block[1..=words]).unwrap();
    assert_eq!(optimizer.words().len(), words);
    let mut x = vec![R::ZERO; limits.dims as usize];
    while optimizer.remaining() > 0 {
        let ask = optimizer.ask(&mut x).unwrap();
        optimizer
            .tell(ask.id, x.iter().fold(R::ZERO, |sum, &v| sum + (v - R::HALF) * (v - R::HALF)))
            .unwrap();
    }
    optimizer.recommend().unwrap();
    assert_eq!(optimizer.ask(&mut x).unwrap_err(), Error::Full);
    let saved = optimizer.words().to_vec();
    assert_eq!((block[0], block[words + 1]), (GUARD, GUARD), "a word outside was written to");

    let again = Optimizer::<R, _>::attach(saved.clone()).unwrap();
    assert_eq!(again.len(), limits.trials as usize);
    let mut cut = saved;
    cut.pop();
    assert_eq!(Optimizer::<R, _>::attach(&mut cut[..]).unwrap_err(), Error::Memory { needed: words });
}

#[test]
fn a_block_is_neither_too_small_nor_too_large() {
    for dims in [1, 2, 3, 7] {
        for trials in [1, 2, 5, 13] {
            for limits in [
                Limits::new(dims, trials),
                Limits::new(dims, trials).candidates(1).starts(1),
                Limits::new(dims, trials).trend(3).kernel(5, 9, dims + 6).conditions(2, 3).candidates(7),
            ] {
                exact::<f64>(limits);
                exact::<f32>(limits);
            }
        }
    }
}

/// A larger block is fine, and its rest is left alone.
#[test]
fn a_larger_block_is_used_in_part() {
    let params = cube(2);
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(2, 5);
    let words = limits.words::<f64>();
    let mut block = vec![7; words + 10];
    let optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, &mut block[..]).unwrap();
    assert_eq!(optimizer.words().len(), words);
    assert!(block[words..].iter().all(|&w| w == 7));
    assert!(Optimizer::<f64, _>::attach(&mut block[..]).is_ok());
}

#[test]
fn copying_into_smaller_limits_or_blocks_is_refused() {
    let params = cube(2);
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(2, 8);
    let optimizer =
        Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()]).unwrap();
    let larger = Limits::new(2, 9);
    let needed = larger.words::<f64>();
    assert_eq!(optimizer.copy_into(larger, vec![0; needed - 1]).unwrap_err(), Error::Memory { needed });
    let smaller = Limits::new(2, 7);
    let refused = optimizer.copy_into(smaller, vec![0; needed]).unwrap_err();
    assert_eq!(refused, Error::Limits(Need::new(Limit::Trials, 8)));
    assert!(optimizer.copy_into(larger, vec![0; needed]).is_ok());
}

fn outcomes(mut limits: Limits, outcomes: u32) -> Limits {
    limits.outcomes = outcomes;
    limits
}

#[test]
fn limits_that_cannot_be_counted_are_refused() {
    let params = cube(1);
    let space = Space::new(&params, &[]).unwrap();
    let good = Limits::new(1, 4);
    for limits in [
        Limits::new(0, 4),
        Limits::new(1, 0),
        Limits::new(u32::MAX, 4),
        Limits::new(1, u32::MAX),
        good.open(0),
        good.candidates(0),
        good.candidates(u32::MAX),
        good.starts(0),
        good.starts(u32::MAX),
        good.kernel(0, 0, 2),
        good.kernel(u32::MAX, u32::MAX, u32::MAX),
        good.trend(u32::MAX),
        good.conditions(u32::MAX, u32::MAX),
        outcomes(good, 0),
        outcomes(good, 2),
    ] {
        assert_eq!(limits.words::<f64>(), usize::MAX, "{limits:?}");
        let refused = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; 4096]);
        assert!(matches!(refused, Err(Error::Limits(_))), "{limits:?}");
    }
}

/// A microcontroller of 16 KB: four parameters, 32 trials, single precision.
#[test]
fn four_dimensions_fit_a_small_device() {
    const LIMITS: Limits = Limits::new(4, 32);
    const { assert!(LIMITS.words::<f32>() * 8 <= 16 * 1024) };
    exact::<f32>(LIMITS);
}

#[test]
fn the_readme_says_how_much() {
    let mut table =
        String::from("| parameters | trials | `f32` KB | `f64` KB |\n| ---: | ---: | ---: | ---: |\n");
    for (dims, trials) in [(2, 30), (4, 32), (4, 100), (10, 100), (10, 300), (20, 500), (20, 1000)] {
        let limits = Limits::new(dims, trials);
        let kilobytes = |words: usize| words as f64 * 8.0 / 1024.0;
        writeln!(
            table,
            "| {dims} | {trials} | {:.1} | {:.1} |",
            kilobytes(limits.words::<f32>()),
            kilobytes(limits.words::<f64>())
        )
        .unwrap();
    }
    println!("{table}");
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once("<!-- memory: begin -->").expect("a place for the table");
    let (place, _) = rest.split_once("<!-- memory: end -->").expect("an end of that place");
    assert!(place.contains(table.trim_end()), "README.md has another table than this one:\n\n{table}");
}
