use std::collections::{BTreeMap, BTreeSet};
use std::vec;
use std::vec::Vec;

use super::{FRace, Plan};
use crate::block::Header;
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

fn frace<R: Real>(plan: &Plan, domain: Domain<'_>) -> FRace<R, Vec<u64>> {
    FRace::new(plan, domain, vec![0; plan.words::<R>()]).unwrap()
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
    let mut race = frace::<R>(&plan, domain);
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
        Plan { cap: 0.0, ..plan },
        Plan { cap: f64::NAN, ..plan },
        Plan { penalty: 0.5, ..plan },
        Plan { penalty: f64::INFINITY, ..plan },
        Plan { slack: 0.9, ..plan },
        Plan { slack: f64::NAN, ..plan },
    ] {
        assert_eq!(bad.check(), Err(Error::Config));
    }
    for bad in [Plan::new(0, 1000), Plan::new(4, 100), Plan::new(4, u32::MAX), Plan::new(1 << 20, 1 << 20)] {
        assert!(matches!(bad.check(), Err(Error::Limits(_))));
    }
    let needed = plan.words::<f32>();
    let params = [Param::real(0.0, 1.0); 5];
    let words = parsed(&Space::new(&params[..plan.dims as usize], &[]).unwrap());
    let domain = Domain::attach::<f32>(&words).unwrap();
    let short = FRace::<f32, _>::new(&plan, domain, vec![0; needed - 1]);
    assert_eq!(short.unwrap_err(), Error::Memory { needed });
    // Over another space it is refused, be it only by a bound.
    let words = parsed(&Space::new(&params[1..plan.dims as usize], &[]).unwrap());
    let fewer = FRace::<f32, _>::new(&plan, Domain::attach::<f32>(&words).unwrap(), vec![0; needed]);
    assert_eq!(fewer.unwrap_err(), Error::Shape { needed: plan.dims as usize });
    let mut others = params;
    others[0] = Param::real(0.0, 2.0);
    let words = parsed(&Space::new(&others[..plan.dims as usize], &[]).unwrap());
    let other = Domain::attach::<f32>(&words).unwrap();
    let mut race = frace::<f32>(&plan, domain);
    let mut x = vec![0.0; plan.dims as usize];
    assert_eq!(race.ask(other, &mut x).unwrap_err(), Error::Foreign);
    assert_eq!(race.best(other, &mut x).unwrap_err(), Error::Foreign);
    assert!(race.ask(domain, &mut x).is_ok() && race.is_over(domain) && !race.is_over(other));
}

/// Without noise the first race drops the worst and keeps the best, whatever the order of tells.
#[test]
fn the_worst_go_first() {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let plan = Plan { instances: 3, ..Plan::new(2, 300) };
    let mut race = frace::<f64>(&plan, domain);
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
        let mut race = frace::<f64>(&plan, domain);
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

/// Problems with instances that differ: costs of both kinds of race at the same budget, without noise.
fn duel(seed: u64, budget: u32, noise: f64, spread: f64) -> [f64; 2] {
    let real = Param::real(0.0, 1.0);
    let params = [real, real, real, real, Param::categorical(4)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    [true, false].map(|elitist| {
        let plan = Plan { seed, elitist, instances: 20, ..Plan::new(5, budget) };
        let mut race = frace::<f64>(&plan, domain);
        let mut x = [0.0; 5];
        while let Ok(run) = race.ask(domain, &mut x) {
            let g = &mut Generator::new(run.seed ^ u64::from(run.config) << 32);
            let hard = f64::from(run.instance % 7);
            let shift = spread * (f64::from(run.instance) / 20.0 - 0.5);
            let moved = [x[0] + shift, x[1] - shift, x[2], x[3], x[4]];
            let value = hard + (1.0 + hard) * cost(&moved, noise * normal::<f64, _>(g));
            race.tell(run.id, Outcome::Cost(value)).unwrap();
        }
        assert!(race.runs() <= budget);
        race.best(domain, &mut x).unwrap().unwrap();
        cost(&x, 0.0)
    })
}

/// Wins, and the mean of both costs, over so many seeds.
fn duels(seeds: u64, budget: u32, noise: f64, spread: f64) -> (usize, [f64; 2]) {
    let all: Vec<[f64; 2]> = (0..seeds).map(|seed| duel(seed, budget, noise, spread)).collect();
    let wins = all.iter().filter(|[a, b]| a < b).count();
    let means = [0, 1].map(|i| all.iter().map(|d| d[i]).sum::<f64>() / all.len() as f64);
    std::println!(
        "{budget} runs, noise {noise}, spread {spread}: {wins} of {seeds}, {:.5} against {:.5}",
        means[0],
        means[1]
    );
    (wins, means)
}

/// Whether elitist races win in at least half of all cases and cost no more in the mean of the ratios.
fn no_worse<const N: usize>(cases: [(u64, u32, f64, f64); N]) {
    let results = cases.map(|(seeds, budget, noise, spread)| duels(seeds, budget, noise, spread));
    let wins: usize = results.iter().map(|result| result.0).sum();
    let all: u64 = cases.iter().map(|case| case.0).sum();
    let ratio = results.iter().map(|(_, [a, b])| a / b).sum::<f64>() / N as f64;
    std::println!("{wins} of {all}, ratio {ratio:.3}");
    assert!(2 * wins as u64 >= all && ratio <= 1.0, "{wins} of {all}, {ratio}");
}

#[test]
fn elitist_races_make_more_of_few_runs() {
    no_worse([(100, 500, 1.0, 0.2), (100, 500, 4.0, 0.2), (100, 500, 1.0, 1.0)]);
}

/// Measured: 155, 175, 155, 155, 154 and 163 of 300, 61 and 55 of 100, and a lower mean in each.
#[test]
#[ignore = "long: two minutes"]
fn elitist_races_are_no_worse_at_any_budget() {
    no_worse([
        (300, 500, 1.0, 0.2),
        (300, 500, 4.0, 0.2),
        (300, 500, 1.0, 1.0),
        (300, 1500, 1.0, 0.2),
        (300, 1500, 4.0, 0.2),
        (300, 1500, 1.0, 1.0),
        (100, 4000, 4.0, 0.2),
        (100, 4000, 1.0, 1.0),
    ]);
}

/// Every run of every configuration, by the seed that names the instance, in a race that is watched: nobody is dropped on fewer
/// runs than others have, nobody runs twice on one instance, and the best has run most often.
#[test]
fn elites_go_only_on_equal_runs() {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let (mut dropped, mut spared, mut reruns) = (0, 0, 0);
    for seed in 0..30 {
        let plan = Plan { seed, instances: 7, ..Plan::new(2, 800) };
        let mut race = frace::<f64>(&plan, domain);
        let mut log: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
        let mut seen: BTreeSet<u64> = BTreeSet::new();
        let (mut x, mut best_runs, mut last) = ([0.0; 2], 0, 0);
        while let Ok(run) = race.ask(domain, &mut x) {
            let g = &mut Generator::new(run.seed ^ u64::from(run.config) << 32);
            let cost = x[0] + 0.2 * normal::<f64, _>(g);
            if race.races() != last {
                // The first instance of a race is new, also to the elites.
                assert!(!seen.contains(&run.seed));
                last = race.races();
            }
            let names = |race: &FRace<f64, Vec<u64>>| -> Vec<u32> {
                (0..race.survivors() as usize).map(|c| race.state.name(race.state.alive(c))).collect()
            };
            let (before, old) = (names(&race), race.state.count(super::Field::Old));
            let elites: Vec<u32> = (0..old).map(|slot| race.state.name(slot)).collect();
            race.tell(run.id, Outcome::Cost(cost)).unwrap();
            seen.insert(run.seed);
            assert!(log.entry(run.config).or_default().insert(run.seed), "twice on one instance");
            let after = names(&race);
            for gone in before.iter().filter(|name| !after.contains(name)) {
                for left in &after {
                    assert!(log[gone].is_subset(&log[left]), "{gone} was dropped on fewer runs than it had");
                }
                dropped += u32::from(elites.contains(gone));
            }
            for elite in &elites {
                let ran = log[elite].len();
                spared += u32::from(after.iter().any(|other| log.get(other).map_or(0, BTreeSet::len) < ran));
                reruns += u32::from(run.config == *elite);
            }
            if race.state.number(super::Field::Racing) == 0 {
                let best = race.best(domain, &mut x).unwrap().unwrap();
                let runs = log[&best].len();
                assert!(runs >= best_runs && log.values().all(|other| other.len() <= runs));
                assert_eq!(log[&best], seen);
                best_runs = runs;
            }
        }
        assert!(race.runs() <= 800 && log.values().map(BTreeSet::len).sum::<usize>() == race.runs() as usize);
        assert!(race.races() >= 3 && best_runs >= 7, "{} {best_runs}", race.races());
    }
    // All of this did happen.
    assert!(dropped >= 3 && spared > 100 && reruns > 100, "{dropped} {spared} {reruns}");
}

/// Plans of all sorts: never more runs than the budget, and few are left when it ends.
#[test]
fn budgets_hold() {
    let real = Param::real(0.0, 1.0);
    let params = [real, real, Param::integer(0, 5), Param::categorical(3)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f32>(&words).unwrap();
    let g = &mut Generator::new(11);
    for round in 0..120 {
        let pick = |g: &mut Generator, from: &[f64]| from[below(g, from.len() as u64) as usize];
        let plan = Plan {
            seed: round,
            first: 2 + below(g, 5) as u32,
            each: 1 + below(g, 3) as u32,
            instances: 1 + below(g, 9) as u32,
            elitist: round % 2 == 0,
            cap: pick(g, &[f64::INFINITY, 1.2]),
            slack: pick(g, &[f64::INFINITY, 1.0, 1.5]),
            ..Plan::new(4, 220 + below(g, 600) as u32)
        };
        if plan.check().is_err() {
            continue;
        }
        let mut race = frace::<f32>(&plan, domain);
        let (mut x, mut runs) = ([0.0f32; 4], 0);
        let mut open: Vec<Run<f32>> = Vec::new();
        loop {
            match race.ask(domain, &mut x) {
                Ok(run) => open.push(run),
                Err(Error::TooManyOpen) => assert!(!open.is_empty(), "{plan:?}"),
                Err(Error::Exhausted) => break,
                Err(other) => panic!("{other}"),
            }
            if below(g, 2) == 0 || open.len() > 4 {
                let run = open.swap_remove(below(g, open.len() as u64) as usize);
                assert!(run.cap > 0.0 && f64::from(run.cap) <= f64::from(plan.cap as f32));
                let cost = uniform::<f32, _>(g) + (run.config % 5) as f32 / 5.0;
                race.tell(run.id, Outcome::Cost(cost)).unwrap();
                runs += 1;
            }
            assert!(runs <= plan.budget && runs == race.runs());
        }
        assert!(open.is_empty() && race.races() >= 2, "{plan:?} {runs}");
        FRace::<f32, _>::attach(race.words().to_vec()).unwrap();
        race.best(domain, &mut x).unwrap().unwrap();
    }
}

/// Times between 1 and 100 with a cap of 50: what is spent after the first race, which has caps only after five instances, for
/// each run; and what the best that is found takes.
fn timed(seed: u64, slack: f64, elitist: bool) -> (f64, f64) {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let plan = Plan { seed, elitist, cap: 50.0, slack, instances: 10, ..Plan::new(2, 600) };
    let mut race = frace::<f64>(&plan, domain);
    let time = |x: &[f64; 2], hard: f64| 100f64.powf((x[0] - 0.4).abs() + (x[1] - 0.7).abs()) * hard;
    let (mut x, mut spent, mut runs) = ([0.0; 2], 0.0, 0.0);
    while let Ok(run) = race.ask(domain, &mut x) {
        let hard = 1.0 + f64::from(run.instance) / 10.0;
        let g = &mut Generator::new(run.seed ^ u64::from(run.config) << 32);
        let time = time(&x, hard) * (0.3 * normal::<f64, _>(g)).exp();
        assert!(run.cap > 0.0 && run.cap <= 50.0 && (slack.is_finite() || run.cap == 50.0));
        if race.races() > 1 {
            spent += time.min(run.cap);
            runs += 1.0;
        }
        let outcome = match time > run.cap {
            true if run.id % 2 == 0 => Outcome::Capped,
            _ => Outcome::Cost(time),
        };
        race.tell(run.id, outcome).unwrap();
    }
    race.best(domain, &mut x).unwrap().unwrap();
    (spent / runs, time(&x, 1.45))
}

/// Caps that adapt spare time, and what is found is as good.
#[test]
fn caps() {
    for elitist in [true, false] {
        let mean = |slack: f64| {
            let all: Vec<(f64, f64)> = (0..20).map(|seed| timed(seed, slack, elitist)).collect();
            let sum = all.iter().fold((0.0, 0.0), |s, t| (s.0 + t.0 / 20.0, s.1 + t.1 / 20.0));
            std::println!(
                "elitist {elitist}, slack {slack}: a run takes {:.3}, the best {:.3}",
                sum.0,
                sum.1
            );
            sum
        };
        let ((all, full), (less, capped)) = (mean(f64::INFINITY), mean(1.0));
        // 1.45 is the least.
        assert!(less < 0.8 * all && capped < 2.0 && full < 2.0, "{all} {full} {less} {capped}");
    }
    let params = [Param::real(0.0, 1.0)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let plan = Plan { cap: 10.0, penalty: 3.0, ..Plan::new(1, 100) };
    let mut race = frace::<f64>(&plan, domain);
    let run = race.ask(domain, &mut [0.0]).unwrap();
    assert_eq!(race.tell(run.id, Outcome::Cost(-1.0)), Err(Error::NotFinite));
    race.tell(run.id, Outcome::Cost(11.0)).unwrap();
    let run = race.ask(domain, &mut [0.0]).unwrap();
    race.tell(run.id, Outcome::Crashed).unwrap();
    let run = race.ask(domain, &mut [0.0]).unwrap();
    race.tell(run.id, Outcome::Capped).unwrap();
    assert_eq!(&race.state.costs::<f64>()[..3], [30.0; 3]);
}

/// A space of few values, where soon all new configurations are alike: the race widens its spread and goes on.
#[test]
fn restarts_softly() {
    let params = [Param::integer(0, 40), Param::categorical(3)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    let widest = |elitist: bool| {
        let mut race = frace::<f64>(&Plan { elitist, ..Plan::new(2, 4000) }, domain);
        let (mut x, mut sd, mut widened) = ([0.0; 2], 1.0, 0);
        while let Ok(run) = race.ask(domain, &mut x) {
            let now = race.state.spread().0;
            widened += u32::from(now > sd);
            sd = now;
            race.tell(run.id, Outcome::Cost((x[0] - 7.0).abs() + x[1])).unwrap();
        }
        race.best(domain, &mut x).unwrap();
        assert_eq!(x, [7.0, 0.0]);
        widened
    };
    assert!(widest(false) == 0 && widest(true) > 0);
}

/// Damaged words are refused; with the sum made right again, they may be accepted but break nothing.
#[test]
fn damage() {
    let params = [Param::real(0.0, 1.0), Param::categorical(3)];
    let words = parsed(&Space::new(&params, &[]).unwrap());
    let domain = Domain::attach::<f64>(&words).unwrap();
    for plan in [
        Plan::new(2, 120),
        Plan { elitist: false, ..Plan::new(2, 120) },
        Plan { cap: 0.9, slack: 1.1, ..Plan::new(2, 120) },
    ] {
        broken(domain, plan);
    }
}

fn broken(domain: Domain<'_>, plan: Plan) {
    let mut race = frace::<f64>(&plan, domain);
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
    let end = plan.places::<f64>().sums.start;
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
        Header::write_checksum(&mut broken, end);
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
