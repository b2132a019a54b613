//! Methods without a model, as whole runs: what they visit, how evenly, how well, and what becomes of lost answers.

use std::collections::BTreeSet;

use infill::baselines::{Anneal, Parzen};
use infill::{Baseline, Condition, Config, Error, Limits, Optimizer, Origin, Param, Space, State, When};

const ALL: [Baseline; 7] = [
    Baseline::Random,
    Baseline::Grid { levels: 6 },
    Baseline::Sobol,
    Baseline::ANNEAL,
    Baseline::TPE,
    Baseline::CMA_ES,
    Baseline::MI_ES,
];

type Run = Optimizer<f64, Vec<u64>>;

fn optimizer(space: &Space<'_>, free: Baseline, seed: u64, trials: u32) -> Run {
    let config = Config::default().with(|c| {
        c.seed = seed;
        c.proposal.baseline = Some(free);
    });
    let limits = Limits::new(space.dims() as u32, trials);
    let limits = limits.conditions(space.conditions() as u32, space.levels() as u32).suit(&config);
    Optimizer::new(space, &config, limits, vec![0; limits.words::<f64>()]).unwrap()
}

/// The best value of a run.
fn best(space: &Space<'_>, free: Baseline, seed: u64, trials: u32, f: &dyn Fn(&[f64]) -> f64) -> f64 {
    let mut run = optimizer(space, free, seed, trials);
    let mut x = vec![0.0; space.dims()];
    for _ in 0..trials {
        let ask = run.ask(&mut x).unwrap();
        run.tell(ask.id, f(&x)).unwrap();
    }
    run.best().unwrap().value
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 0.7) * (v - 0.7)).sum()
}

/// Reals, integers and categories that depend on each other; minimum 0.
fn every_kind(x: &[f64]) -> f64 {
    let p = [3.0, 7.0, 0.0, 5.0, 2.0, 6.0, 1.0, 4.0][x[4] as usize];
    let e = x[5];
    4.0 * (x[0] - (p + 1.0) / 9.0).powi(2)
        + 4.0 * (x[1] - (e + 1.0) / 6.0).powi(2)
        + (x[2] - p).powi(2) / 20.0
        + (x[3] - 2.0 * e).abs() / 10.0
        + 0.2 * p
        + 0.3 * ((2.0 * e + 1.0) % 5.0)
}

fn kinds() -> [Param<'static>; 6] {
    let (real, integer) = (Param::real(0.0, 1.0), Param::integer(0, 9));
    [real, real, integer, integer, Param::categorical(8), Param::categorical(5)]
}

/// The point as something that can be compared.
fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

/// Two branches: a real of five levels with three ordinals below some of them, and an integer of nine.
const BRANCHES: [Condition<'static>; 3] = [
    Condition::new(1, 0, When::Equals(0.0)),
    Condition::new(2, 1, When::Between(0.0, 0.3)),
    Condition::new(3, 0, When::Equals(1.0)),
];

fn branches() -> [Param<'static>; 4] {
    [
        Param::categorical(2),
        Param::real(0.0, 1.0),
        Param::ordinal(&[1.0, 5.0, 9.0]),
        Param::integer(1, 9).log(),
    ]
}

#[test]
fn a_grid_has_every_point_once() {
    let params = branches();
    let space = Space::new(&params, &BRANCHES).unwrap();
    for seed in 0..5 {
        // Two of the five levels have three children each: 3 + 2·3 points; of five levels two are the integer 1.
        let mut run = optimizer(&space, Baseline::Grid { levels: 5 }, seed, 40);
        let mut seen = BTreeSet::new();
        let mut x = [0.0; 4];
        let forgotten = loop {
            let ask = run.ask(&mut x).unwrap();
            assert_eq!(ask.origin, Origin::Design);
            assert!(seen.insert(bits(&x)), "{x:?} twice");
            if seen.len() == 9 {
                run.forget(ask.id).unwrap();
                break bits(&x);
            }
            run.tell(ask.id, x[1]).unwrap();
        };
        seen.remove(&forgotten);
        while let Ok(ask) = run.ask(&mut x) {
            assert!(seen.insert(bits(&x)), "{x:?} twice");
            run.fail(ask.id).unwrap();
        }
        assert_eq!(seen.len(), 3 + 2 * 3 + 4);
        assert!(seen.contains(&forgotten), "what was forgotten comes again");
        assert_eq!(run.ask(&mut x).unwrap_err(), Error::Exhausted);
        for level in [0.0f64, 0.25, 0.5, 0.75, 1.0] {
            assert!(seen.iter().any(|x| x[0] == 0 && x[1] == level.to_bits()), "{level}");
        }
        // Evenly on a log scale, from end to end.
        let integers: BTreeSet<u64> =
            seen.iter().filter(|x| x[0] != 0).map(|x| f64::from_bits(x[3]) as u64).collect();
        assert!(integers.iter().eq(&[1, 2, 5, 9]), "{integers:?}");
    }
}

/// The first points of a large grid are not those of one corner.
#[test]
fn a_grid_begins_everywhere() {
    let params = [Param::real(0.0, 1.0); 4];
    let space = Space::new(&params, &[]).unwrap();
    let mut run = optimizer(&space, Baseline::Grid { levels: 8 }, 1, 64);
    let mut counts = [[0u32; 8]; 4];
    let mut x = [0.0; 4];
    for _ in 0..64 {
        run.ask(&mut x).map(|ask| run.tell(ask.id, 1.0).unwrap()).unwrap();
        x.iter().zip(&mut counts).for_each(|(v, count)| count[(v * 7.0).round() as usize] += 1);
    }
    // 64 points of a net have eight in each eighth.
    assert!(counts.iter().flatten().all(|&count| count == 8), "{counts:?}");
}

/// Random and Sobol points are uniform in the exponent (Kolmogorov and Smirnov), and Sobol far more evenly.
#[test]
fn designs_are_uniform_in_the_exponent() {
    let params = [Param::real(1e-4, 1e2).log(), Param::integer(1, 1000)];
    let space = Space::new(&params, &[]).unwrap();
    let n = 500;
    let distance = |free: Baseline, seed: u64, coordinate: usize| {
        let mut run = optimizer(&space, free, seed, n);
        let mut x = [0.0; 2];
        let mut all: Vec<f64> = (0..n)
            .map(|_| {
                let ask = run.ask(&mut x).unwrap();
                run.tell(ask.id, 0.0).unwrap();
                if coordinate == 0 { (x[0] / 1e-4).ln() / 1e6f64.ln() } else { (x[1] - 0.5) / 1000.0 }
            })
            .collect();
        all.sort_by(f64::total_cmp);
        let steps = all.iter().enumerate();
        steps.map(|(i, u)| (u - (i as f64 + 0.5) / f64::from(n)).abs()).fold(0.0, f64::max)
    };
    for coordinate in 0..2 {
        for seed in 0..4 {
            // The level that one in ten thousand samples exceeds.
            let random = distance(Baseline::Random, seed, coordinate);
            assert!(random < 2.23 / f64::from(n).sqrt(), "{random}");
            let sobol = distance(Baseline::Sobol, seed, coordinate);
            assert!(sobol < 5.0 / f64::from(n), "{sobol}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_points() {
    let params = kinds();
    let space = Space::new(&params, &[]).unwrap();
    for free in ALL {
        let points = |seed: u64| -> Vec<Vec<u64>> {
            let mut run = optimizer(&space, free, seed, 40);
            let mut x = [0.0; 6];
            (0..40)
                .map(|_| {
                    let ask = run.ask(&mut x).unwrap();
                    run.tell(ask.id, every_kind(&x)).unwrap();
                    bits(&x)
                })
                .collect()
        };
        let first = points(1);
        assert_eq!(first, points(1), "{free:?}");
        assert_ne!(first, points(2), "{free:?}");
        let distinct: BTreeSet<_> = first.iter().collect();
        assert_eq!(distinct.len(), 40, "{free:?}");
    }
}

/// The number of seeds of which one method is better than another; of 20 fair ones, 17 or more come once in 800 times.
fn wins(space: &Space<'_>, one: Baseline, other: Baseline, trials: u32, f: &dyn Fn(&[f64]) -> f64) -> usize {
    (0..20).filter(|&seed| best(space, one, seed, trials, f) < best(space, other, seed, trials, f)).count()
}

#[test]
fn methods_that_learn_beat_chance() {
    let five = [Param::real(0.0, 1.0); 5];
    let reals = Space::new(&five, &[]).unwrap();
    let params = kinds();
    let mixed = Space::new(&params, &[]).unwrap();
    for (free, space, trials, f) in [
        (Baseline::CMA_ES, &reals, 200, &sphere as &dyn Fn(&[f64]) -> f64),
        (Baseline::MI_ES, &reals, 200, &sphere),
        (Baseline::ANNEAL, &reals, 100, &sphere),
        (Baseline::TPE, &reals, 100, &sphere),
        (Baseline::ANNEAL, &mixed, 100, &every_kind),
        (Baseline::TPE, &mixed, 60, &every_kind),
        (Baseline::MI_ES, &mixed, 300, &every_kind),
        (Baseline::CMA_ES, &mixed, 200, &every_kind),
    ] {
        let count = wins(space, free, Baseline::Random, trials, f);
        assert!(count >= 17, "{free:?} {count}");
    }
}

/// Steps of CMA-ES shrink: 300 evaluations of a sphere of five dimensions come to within 10⁻⁴ of its value.
#[test]
fn cma_es_converges() {
    let five = [Param::real(0.0, 1.0); 5];
    let space = Space::new(&five, &[]).unwrap();
    let mut values: Vec<f64> =
        (0..9).map(|seed| best(&space, Baseline::CMA_ES, seed, 300, &sphere)).collect();
    values.sort_by(f64::total_cmp);
    assert!(values[4] < 1e-4, "{values:?}");
}

/// In a space of branches TPE learns which branch is good, and what is good there.
#[test]
fn tpe_knows_its_branches() {
    let mut params = vec![Param::categorical(4)];
    let mut conditions = Vec::new();
    for branch in 0..4u8 {
        for _ in 0..2 {
            conditions.push(Condition::new(params.len() as u32, 0, When::Equals(f64::from(branch))));
            params.push(Param::real(0.0, 1.0));
        }
    }
    let space = Space::new(&params, &conditions).unwrap();
    // Each branch has a minimum of its own, that of branch 2 is lowest.
    let f = |x: &[f64]| {
        let branch = x[0] as usize;
        let (a, b) = (x[1 + 2 * branch], x[2 + 2 * branch]);
        let centre = 0.2 + 0.2 * branch as f64;
        (a - centre).powi(2) + (b - centre).powi(2) + if branch == 2 { 0.0 } else { 0.3 }
    };
    let mut late = 0;
    for seed in 0..10 {
        let mut run = optimizer(&space, Baseline::TPE, seed, 60);
        let mut x = [0.0; 9];
        for i in 0..60 {
            let ask = run.ask(&mut x).unwrap();
            run.tell(ask.id, f(&x)).unwrap();
            late += u32::from(i >= 40 && x[0] == 2.0);
            // What does not matter is canonical.
            for k in (1..9).filter(|&k| (k - 1) / 2 != x[0] as usize) {
                assert_eq!(x[k], 0.5);
            }
        }
    }
    // A quarter by chance.
    assert!(late >= 120, "{late} of 200");
    assert!(wins(&space, Baseline::TPE, Baseline::Random, 60, &f) >= 17);
}

/// Half of the space fails; TPE learns to stay away.
#[test]
fn failures_are_bad() {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let mut failed = 0;
    for seed in 0..8 {
        let mut run = optimizer(&space, Baseline::TPE, seed, 60);
        let mut x = [0.0; 2];
        for i in 0..60 {
            let ask = run.ask(&mut x).unwrap();
            if x[0] < 0.5 {
                run.fail(ask.id).unwrap();
                failed += u32::from(i >= 20);
            } else {
                run.tell(ask.id, x[1]).unwrap();
            }
        }
    }
    assert!(failed < 8 * 40 / 5, "{failed} of {}", 8 * 40);
}

/// Four workers, of which some are slow, some fail and some are lost; points from the user beside.
#[test]
fn answers_come_in_any_order() {
    let params = kinds();
    let space = Space::new(&params, &[]).unwrap();
    for free in ALL {
        let mut run = optimizer(&space, free, 3, 90);
        let mut open = Vec::new();
        let mut x = [0.0; 6];
        run.enqueue(&[0.5, 0.5, 3.0, 4.0, 1.0, 2.0]).unwrap();
        run.observe(&[0.1, 0.2, 3.0, 4.0, 0.0, 1.0], 9.0).unwrap();
        for i in 0..80u32 {
            let ask = run.ask(&mut x).unwrap();
            assert_eq!(ask.origin == Origin::Queue, i == 0);
            open.push((ask.id, every_kind(&x)));
            if open.len() == 4 {
                let (id, value) = open.remove((i * 7 % 4) as usize);
                match i % 9 {
                    3 => run.fail(id).unwrap(),
                    6 => run.forget(id).unwrap(),
                    _ => run.tell(id, value).unwrap(),
                }
            }
            if i == 40 {
                run = Optimizer::attach(run.into_inner()).unwrap();
                run.relearn().unwrap();
            }
        }
        let best = run.best().unwrap();
        let (id, value) = (best.id, best.value);
        assert!(value < 2.5, "{free:?} {value}");
        assert_eq!(run.predict(&x).unwrap_err(), Error::Unsupported);
        let (trial, prediction) = run.recommend().unwrap();
        assert_eq!((trial.id, prediction.mean, prediction.variance), (id, value, 0.0));
        assert!(run.trials().filter(|trial| trial.state == State::Open).count() == 3);
    }
}

/// Where a chain is hot it goes anywhere, where it is cold it never goes up.
#[test]
fn cold_chains_only_fall() {
    let params = [Param::real(0.0, 1.0); 3];
    let space = Space::new(&params, &[]).unwrap();
    let spread = |heat: f64| {
        let free = Baseline::Anneal(Anneal { heat, cooling: 1.0, reach: 0.05 });
        let mut run = optimizer(&space, free, 2, 150);
        let mut x = [0.0; 3];
        let mut worst = 0.0f64;
        for i in 0..150 {
            let ask = run.ask(&mut x).unwrap();
            run.tell(ask.id, sphere(&x)).unwrap();
            worst = if i < 75 { worst } else { worst.max(sphere(&x)) };
        }
        worst
    };
    let (cold, hot) = (spread(0.0), spread(1e6));
    assert!(cold < 0.1 && hot > 2.0 * cold, "{cold} {hot}");
}

/// A single worker that is never answered does not make TPE propose one place again and again.
#[test]
fn open_trials_spread() {
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let nearest = |liar: bool| {
        let Baseline::Parzen(usual) = Baseline::TPE else { unreachable!("a Parzen estimator") };
        let free = Baseline::Parzen(Parzen { liar, ..usual });
        let mut sum = 0.0;
        for seed in 0..20 {
            let mut run = optimizer(&space, free, seed, 40);
            let mut x = [0.0];
            for _ in 0..20 {
                let ask = run.ask(&mut x).unwrap();
                run.tell(ask.id, (x[0] - 0.3).powi(2)).unwrap();
            }
            let points: Vec<f64> = (0..8).map(|_| run.ask(&mut x).map(|_| x[0]).unwrap()).collect();
            let low = points.iter().fold(1.0, |a: f64, &b| a.min(b));
            sum += points.iter().fold(0.0, |a: f64, &b| a.max(b)) - low;
        }
        sum
    };
    assert!(nearest(true) > 1.1 * nearest(false), "{} {}", nearest(true), nearest(false));
}
