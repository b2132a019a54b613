use std::vec;
use std::vec::Vec;

use super::{FRace, Plan};
use crate::error::Error;
use crate::race::{Outcome, Run};
use crate::real::Real;
use crate::rng::{Generator, below, normal, uniform};
use crate::space::{Clause, Condition, Domain, Impute, Param, Space, Term, When};

fn parsed(space: &Space<'_>) -> Vec<u64> {
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    words
}

fn frace<R: Real>(plan: &Plan) -> FRace<R, Vec<u64>> {
    FRace::new(plan, vec![0; plan.words::<R>()]).unwrap()
}

/// A noisy bowl with a category: least at 0.3, 0.7, 0.5, 0.2 and the second category.
fn cost(x: &[f64], noise: f64) -> f64 {
    let bowl: f64 = x.iter().zip([0.3, 0.7, 0.5, 0.2]).map(|(x, centre)| (x - centre) * (x - centre)).sum();
    bowl + if x[4] == 1.0 { 0.0 } else { 0.3 } + 0.05 * noise
}

/// What the race recommends, without its noise.
fn outcome<R: Real>(seed: u64) -> f64 {
    let real = Param::real(0.0, 1.0);
    let params = [real, real, real, real, Param::categorical(4)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<R>(&words).unwrap();
    let plan = Plan { seed, ..Plan::new(5, 1500) };
    let mut race = frace::<R>(&plan);
    let g = &mut Generator::new(seed ^ 77);
    let mut x = [R::ZERO; 5];
    let mut runs = 0;
    loop {
        match race.ask(domain, &mut x) {
            Ok(run) => {
                let seen = x.map(R::to_f64);
                race.tell(run.id, Outcome::Cost(R::of(cost(&seen, normal::<f64, _>(g))))).unwrap();
                runs += 1;
            }
            Err(Error::Exhausted) => break,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(runs <= 1500 && runs == race.runs() && race.races() >= 4, "{runs} {}", race.races());
    race.best(domain, &mut x).unwrap().unwrap();
    cost(&x.map(R::to_f64), 0.0)
}

/// Far better than the best of as many random configurations as it could have run five times each.
#[test]
fn finds_the_bottom_of_a_noisy_bowl() {
    let ours: Vec<f64> = (0..20).map(outcome::<f64>).collect();
    let g = &mut Generator::new(3);
    let mut random = Vec::new();
    for _ in 0..20 {
        // 300 random configurations, five noisy runs each, the lowest mean: the same budget of 1500.
        let mut best = (f64::INFINITY, 0.0);
        for _ in 0..300 {
            let x = [uniform(g), uniform(g), uniform(g), uniform(g), below(g, 4) as f64];
            let mean = (0..5).map(|_| cost(&x, normal::<f64, _>(g))).sum::<f64>() / 5.0;
            if mean < best.0 {
                best = (mean, cost(&x, 0.0));
            }
        }
        random.push(best.1);
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    std::println!("iterated F-race {:.5}, random {:.5}", mean(&ours), mean(&random));
    assert!(mean(&ours) < 0.5 * mean(&random), "{ours:?} {random:?}");
    assert!((0..5).map(|seed| outcome::<f32>(100 + seed)).all(|cost| cost < 0.1));
}

/// The numbers of configurations and races are those of the source's formulas.
#[test]
fn budgets() {
    let plan = Plan::new(4, 1000);
    assert_eq!((plan.races(), plan.configs()), (4, 1000 / 4 / 6));
    assert_eq!(Plan::new(22, 500).races(), 6);
    assert_eq!(Plan::new(1, 100).races(), 2);
    for bad in [
        Plan { first: 1, ..plan },
        Plan { each: 0, ..plan },
        Plan { level: 1.0, ..plan },
        Plan { instances: 0, ..plan },
    ] {
        assert_eq!(bad.check(), Err(Error::Config));
    }
    for bad in [Plan::new(0, 1000), Plan::new(4, 100), Plan::new(4, u32::MAX), Plan::new(1 << 20, 1 << 20)] {
        assert_eq!(bad.check(), Err(Error::Limits));
    }
    let needed = plan.words::<f32>();
    assert_eq!(FRace::<f32, _>::new(&plan, vec![0; needed - 1]).unwrap_err(), Error::Memory { needed });
}

/// Without noise the first race drops the worst and keeps the best, whatever the order of tells.
#[test]
fn the_worst_go_first() {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let plan = Plan { instances: 3, ..Plan::new(2, 300) };
    let mut race = frace::<f64>(&plan);
    let mut x = [0.0; 2];
    let (mut seen, mut step): (Vec<(u32, f64)>, u32) = (Vec::new(), 0);
    while race.races() < 2 {
        let mut open: Vec<(Run<f64>, f64)> = Vec::new();
        loop {
            match race.ask(domain, &mut x) {
                Ok(run) => {
                    if race.races() == 2 {
                        break;
                    }
                    open.push((run, x[0]));
                }
                Err(Error::TooManyOpen) => break,
                Err(other) => panic!("{other}"),
            }
        }
        if race.races() == 2 {
            break;
        }
        // All on the same instance and seed.
        assert!(open.windows(2).all(|w| w[0].0.instance == w[1].0.instance && w[0].0.seed == w[1].0.seed));
        if step == 0 {
            seen = open.iter().map(|(run, x)| (run.config, *x)).collect();
            assert_eq!(seen.len() as u32, plan.configs());
            let (run, _) = open[0];
            race.forget(run.id).unwrap();
            assert_eq!(race.tell(run.id, Outcome::Cost(1.0)), Err(Error::StaleTrial));
            open[0].0 = race.ask(domain, &mut x).unwrap();
            assert_eq!(race.tell(open[0].0.id, Outcome::Capped), Err(Error::NotFinite));
        }
        for (run, x) in open.into_iter().rev() {
            race.tell(run.id, Outcome::Cost(x)).unwrap();
        }
        step += 1;
    }
    assert_eq!(step, 5);
    seen.sort_by(|a, b| a.1.total_cmp(&b.1));
    let best = race.best(domain, &mut x).unwrap();
    assert_eq!((best, x[0]), (Some(seen[0].0), seen[0].1));
    assert_eq!(race.best(domain, &mut x[..1]), Err(Error::Shape { needed: 2 }));
}

/// Conditions and clauses: proposals are always configurations that are allowed, and a saved race goes on as if nothing had been.
#[test]
fn conditions_and_saving() {
    let params = [
        Param::categorical(3),
        Param::real(1e-3, 1.0).log(),
        Param::integer(1, 9),
        Param::ordinal(&[1.0, 2.0, 7.0]),
    ];
    let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
    let terms =
        [Term { parameter: 0, when: When::Equals(2.0) }, Term { parameter: 3, when: When::Equals(1.0) }];
    let clauses = [Clause { terms: &terms }];
    let space = Space::new(&params, &conditions).unwrap();
    let words = parsed(&space.impute(Impute::Outside).forbid(&clauses).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let plan = Plan { instances: 4, seed: 5, ..Plan::new(4, 400) };
    let run = |save: bool| {
        let mut race = frace::<f64>(&plan);
        let g = &mut Generator::new(8);
        let mut x = [0.0; 4];
        while let Ok(run) = race.ask(domain, &mut x) {
            assert!(domain.contains(&x) && run.instance < 4 && !(x[0] == 2.0 && x[3] == 1.0));
            if save {
                race = FRace::attach(race.words().to_vec()).unwrap();
            }
            let outcome =
                if below(g, 10) == 0 { Outcome::Crashed } else { Outcome::Cost(x[3] + normal::<f64, _>(g)) };
            race.tell(run.id, outcome).unwrap();
            if save {
                race = FRace::attach(race.words().to_vec()).unwrap();
            }
        }
        race.words().to_vec()
    };
    let (a, b) = (run(false), run(true));
    assert_eq!(a, b);
}

/// Damaged words are refused; with the sum made right again, they may be accepted but break nothing.
#[test]
fn damage() {
    let params = [Param::real(0.0, 1.0), Param::categorical(3)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let plan = Plan::new(2, 120);
    let mut race = frace::<f64>(&plan);
    let mut x = [0.0; 2];
    let g = &mut Generator::new(1);
    for _ in 0..70 {
        let run = race.ask(domain, &mut x).unwrap();
        race.tell(run.id, Outcome::Cost(uniform(g))).unwrap();
    }
    let saved = race.words().to_vec();
    assert_eq!(FRace::<f32, _>::attach(saved.clone()).unwrap_err(), Error::Foreign);
    assert_eq!(
        FRace::<f64, _>::attach(saved[..40].to_vec()).unwrap_err(),
        Error::Memory { needed: plan.words::<f64>() }
    );
    let end = plan.work::<f64>();
    let mut accepted = 0;
    for round in 0..10_000 {
        let mut broken = saved.clone();
        for _ in 0..=below(g, 2) {
            let at = below(g, end as u64) as usize;
            broken[at] = match below(g, 4) {
                0 => broken[at] ^ 1 << below(g, 64),
                1 => below(g, 30),
                2 => u64::MAX,
                _ => below(g, u64::MAX),
            };
        }
        if round % 2 == 0 {
            assert!(broken == saved || FRace::<f64, _>::attach(broken).is_err());
            continue;
        }
        let mut sum = u64::from_le_bytes(*b"infFRac1");
        for &word in broken.get(3..end).unwrap() {
            let x = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            sum = x ^ (x >> 29);
        }
        broken[2] = sum;
        let Ok(mut race) = FRace::<f64, _>::attach(broken) else { continue };
        accepted += 1;
        for _ in 0..100 {
            match race.ask(domain, &mut x) {
                Ok(run) => race.tell(run.id, Outcome::Cost(uniform(g))).unwrap(),
                Err(_) => break,
            }
        }
        let _ = (race.best(domain, &mut x), race.survivors());
    }
    assert!(accepted > 100, "{accepted}");
}
