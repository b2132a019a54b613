use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

use super::state::Field;
use super::{Outcome, Race, Rules, Run, Size, Statistic};
use crate::block::Header;
use crate::error::Error;
use crate::limits::Limit;
use crate::real::Real;
use crate::rng::{Generator, below, normal, uniform};

fn race<R: Real>(size: Size, rules: &Rules) -> Race<R, Vec<u64>> {
    Race::new(size, rules, vec![0; size.words::<R>()]).unwrap()
}

/// The pairs that a configuration has run on.
fn pairs<R: Real>(race: &Race<R, Vec<u64>>, config: u32) -> BTreeSet<(u32, u64)> {
    race.records().filter(|r| r.config == config).map(|r| (r.instance, r.seed)).collect()
}

/// Twenty configurations with means 0, 0.1, … 1.9 and deviations from [0.05, 0.3]; who wins after 1000 runs.
fn tournament<R: Real>(seed: u64) -> u32 {
    let g = &mut Generator::new(seed ^ 0xabcd);
    let sd: Vec<f64> = (0..20).map(|_| 0.05 + 0.25 * uniform::<f64, _>(g)).collect();
    let size = Size { configs: 20, runs: 1000 };
    let mut race = race::<R>(size, &Rules { seed, ..Rules::default() });
    // In random order, so that the best is not the first.
    let mut order: Vec<u32> = (0..20).collect();
    crate::rng::shuffle(g, &mut order);
    for &config in &order {
        race.challenge(config).unwrap();
    }
    let mut runs = 0;
    loop {
        let run = match race.ask() {
            Ok(run) => run,
            Err(Error::Full) => break,
            Err(other) => panic!("{other}"),
        };
        runs += 1;
        let c = run.config as usize;
        let cost = 0.1 * c as f64 + sd[c] * normal::<f64, _>(g);
        let before = race.incumbent();
        race.tell(run.id, Outcome::Cost(R::of(cost))).unwrap();
        // The incumbent changes only when both have run on the same pairs.
        if let (Some(old), Some(new)) = (before, race.incumbent())
            && old != new
        {
            assert_eq!(race.runs_of(old), race.runs_of(new));
            assert_eq!(pairs(&race, old), pairs(&race, new));
            assert!(race.cost(new).unwrap() < race.cost(old).unwrap());
        }
    }
    assert_eq!((runs, race.runs()), (1000, 1000));
    race.incumbent().unwrap()
}

#[test]
fn the_best_of_twenty_wins() {
    let wins = (0..200).filter(|&seed| tournament::<f64>(seed) == 0).count();
    std::println!("{wins} of 200");
    assert!(wins >= 190, "{wins} of 200");
}

#[test]
fn also_in_single_precision() {
    let wins = (0..20).filter(|&seed| tournament::<f32>(1000 + seed) == 0).count();
    assert!(wins >= 18, "{wins} of 20");
}

/// Without noise, everything that procedure 2 of the source does can be followed by hand.
#[test]
fn followed_by_hand() {
    let size = Size { configs: 3, runs: 40 };
    let mut race = race::<f64>(size, &Rules { again: false, ..Rules::default() });
    assert_eq!(race.ask(), Err(Error::Exhausted));
    for config in [7, 8, 9] {
        race.challenge(config).unwrap();
        race.challenge(config).unwrap();
    }
    assert_eq!((race.state.number(Field::Waiting), race.incumbent()), (3, None));
    assert_eq!(race.challenge(10), Err(Error::Full));
    let mut who = Vec::new();
    // 8 is worse than 7, 9 is better.
    while let Ok(run) = race.ask() {
        who.push(run.config);
        race.tell(run.id, Outcome::Cost(f64::from([2, 3, 1][run.config as usize - 7]))).unwrap();
    }
    // 7 first; one more of 7 against one of 8; a third of 7 against 1, then 2 of 9, which has then no pair missing.
    assert_eq!(who, [7, 7, 8, 7, 9, 9, 9]);
    assert_eq!(
        (race.incumbent(), race.state.number(Field::Changes), race.runs_of(9), race.runs_of(8)),
        (Some(9), 2, 3, 1)
    );
    assert_eq!((race.cost(7), race.cost(9), race.cost(1)), (Some(2.0), Some(1.0), None));
    // A loser may be sent again, and has its first run still.
    race.challenge(8).unwrap();
    let runs: Vec<u32> = core::iter::from_fn(|| {
        let run = race.ask().ok()?;
        race.tell(run.id, Outcome::Cost(f64::from([2, 3, 1][run.config as usize - 7]))).unwrap();
        Some(run.config)
    })
    .collect();
    assert_eq!(runs, [9, 8]);
    assert_eq!(race.runs_of(8), 2);
}

/// Every instance once before any comes twice, the same ones for all; without seeds, once per instance.
#[test]
fn instances_and_seeds() {
    for seeds in [true, false] {
        let rules = Rules { instances: 5, seeds, seed: 3, ..Rules::default() };
        let mut race = race::<f64>(Size { configs: 4, runs: 200 }, &rules);
        for config in 0..4 {
            race.challenge(config).unwrap();
        }
        let g = &mut Generator::new(4);
        let mut end = Error::Corrupt;
        for _ in 0..300 {
            match race.ask() {
                Ok(run) => {
                    race.tell(run.id, Outcome::Cost(f64::from(run.config) + normal::<f64, _>(g))).unwrap()
                }
                Err(error) => end = error,
            }
        }
        assert_eq!(end, if seeds { Error::Full } else { Error::Exhausted });
        let best = race.incumbent().unwrap();
        let all = pairs(&race, best);
        for config in 0..4 {
            assert!(pairs(&race, config).is_subset(&all));
        }
        let mut counts = [0u32; 5];
        for (instance, seed) in &all {
            counts[*instance as usize] += 1;
            assert!(seeds || *seed == 0);
        }
        assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        assert!(seeds || counts == [1; 5]);
    }
}

/// A challenger is stopped when it has spent what the incumbent has, and that costs ten times the cap.
#[test]
fn capping() {
    let rules = Rules { cap: 100.0, slack: 1.5, again: false, ..Rules::default() };
    let mut race = race::<f64>(Size { configs: 3, runs: 50 }, &rules);
    let time = |run: &Run<f64>| [4.0, 50.0, 3.0][run.config as usize];
    for config in 0..3 {
        race.challenge(config).unwrap();
    }
    while let Ok(run) = race.ask() {
        let outcome = if time(&run) > run.cap { Outcome::Capped } else { Outcome::Cost(time(&run)) };
        if run.config == 1 {
            assert_eq!(run.cap, 6.0);
        }
        race.tell(run.id, outcome).unwrap();
    }
    assert_eq!(race.incumbent(), Some(2));
    assert_eq!(race.cost(1), Some(60.0));
    let stopped: Vec<_> = race.records().filter(|r| r.capped).collect();
    assert!(stopped.len() == 1 && stopped[0].config == 1 && stopped[0].cap == 6.0);
    // Another chance: the same pair may be run again, in the place of the run that was stopped.
    race.challenge(1).unwrap();
    while let Ok(run) = race.ask() {
        race.tell(run.id, if run.config == 1 { Outcome::Cost(0.5) } else { Outcome::Cost(3.0) }).unwrap();
    }
    assert_eq!((race.incumbent(), race.cost(1), race.runs_of(1)), (Some(1), Some(0.5), race.runs_of(2)));

    // Without slack the cap is the same for all, and a run above it is capped.
    let rules = Rules { cap: 10.0, penalty: 3.0, ..Rules::default() };
    let mut plain = self::race::<f32>(Size { configs: 2, runs: 5 }, &rules);
    plain.challenge(5).unwrap();
    let run = plain.ask().unwrap();
    assert_eq!(run.cap, 10.0);
    assert_eq!(plain.tell(run.id, Outcome::Cost(-1.0)), Err(Error::NotFinite));
    plain.tell(run.id, Outcome::Cost(11.0)).unwrap();
    assert_eq!(plain.cost(5), Some(30.0));
}

/// A crash costs more than anything, and the incumbent that crashed goes at once.
#[test]
fn crashes() {
    let mut race = race::<f64>(Size { configs: 3, runs: 30 }, &Rules { again: false, ..Rules::default() });
    race.challenge(0).unwrap();
    race.challenge(1).unwrap();
    race.challenge(2).unwrap();
    while let Ok(run) = race.ask() {
        race.tell(run.id, if run.config == 1 { Outcome::Cost(5.0) } else { Outcome::Crashed }).unwrap();
    }
    assert_eq!((race.incumbent(), race.cost(0), race.runs_of(2)), (Some(1), Some(f64::INFINITY), 1));
}

/// Medians and quantiles decide otherwise than means.
#[test]
fn other_statistics() {
    for (statistic, best) in [(Statistic::Mean, 0), (Statistic::Median, 1), (Statistic::Quantile(0.9), 0)] {
        let rules = Rules { statistic, instances: 4, seeds: false, ..Rules::default() };
        let mut race = race::<f64>(Size { configs: 2, runs: 20 }, &rules);
        race.challenge(0).unwrap();
        race.challenge(1).unwrap();
        while let Ok(run) = race.ask() {
            // 0 costs 2 always; 1 costs 1 but on one instance 100.
            let cost = if run.config == 0 {
                2.0
            } else if run.instance == 3 {
                100.0
            } else {
                1.0
            };
            race.tell(run.id, Outcome::Cost(cost)).unwrap();
        }
        assert_eq!(race.incumbent(), Some(best), "{statistic:?}");
    }
}

/// Runs of one batch are open together, told backwards, forgotten and asked again; nothing is lost.
#[test]
fn many_open() {
    let mut race = race::<f64>(Size { configs: 5, runs: 300 }, &Rules::default());
    for config in 1..5 {
        race.challenge(config).unwrap();
    }
    let g = &mut Generator::new(9);
    let (mut open, mut most): (Vec<Run<f64>>, usize) = (Vec::new(), 0);
    for _ in 0..2000 {
        // The best comes late, when the incumbent has many runs to catch up with.
        if race.runs() == 150 {
            race.challenge(0).unwrap();
        }
        match race.ask() {
            Ok(run) => open.push(run),
            Err(Error::TooManyOpen | Error::Full) => {
                let Some(run) = open.pop() else { break };
                if below(g, 4) == 0 {
                    race.forget(run.id).unwrap();
                    assert_eq!(race.forget(run.id), Err(Error::StaleTrial));
                } else {
                    race.tell(run.id, Outcome::Cost(f64::from(run.config) + normal::<f64, _>(g))).unwrap();
                    assert_eq!(race.tell(run.id, Outcome::Crashed), Err(Error::StaleTrial));
                }
            }
            Err(other) => panic!("{other}"),
        }
        assert_eq!(race.open() as usize, open.len());
        most = most.max(open.len());
    }
    assert!(most >= 8, "{most}");
    assert!(race.runs() > 250 && race.incumbent() == Some(0));
    let all: Vec<_> = race.records().map(|r| (r.config, r.instance, r.seed)).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

/// A round ends when its runs are spent and two challengers were tried.
#[test]
fn rounds() {
    let mut race = race::<f64>(Size { configs: 5, runs: 300 }, &Rules::default());
    for config in 0..5 {
        race.challenge(config).unwrap();
    }
    for _ in 0..4 {
        race.begin(1);
        let mut runs = 0;
        while !race.over() {
            let run = race.ask().unwrap();
            race.tell(run.id, Outcome::Cost(f64::from(run.config))).unwrap();
            runs += 1;
        }
        assert!(runs >= 3, "{runs}");
    }
}

/// Saved after every step, the race goes on as if nothing had been.
#[test]
fn saved_and_restored() {
    let run = |save: bool| {
        let rules = Rules { cap: 50.0, slack: 1.2, instances: 3, ..Rules::default() };
        let size = Size { configs: 6, runs: 120 };
        let mut race = race::<f64>(size, &rules);
        let g = &mut Generator::new(5);
        for config in 0..6 {
            race.challenge(config).unwrap();
        }
        while let Ok(run) = race.ask() {
            if save {
                race = Race::attach(race.words().to_vec()).unwrap();
            }
            race.tell(run.id, Outcome::Cost(5.0 + f64::from(run.config) + 3.0 * uniform::<f64, _>(g)))
                .unwrap();
            if save {
                race = Race::attach(race.words().to_vec()).unwrap();
            }
        }
        race.words()[..size.places().mask.start].to_vec()
    };
    assert_eq!(run(false), run(true));
}

/// Words with any damage are refused; with the sum made right again, they may be accepted but break nothing.
#[test]
fn damage() {
    let size = Size { configs: 4, runs: 24 };
    let rules = Rules { cap: 50.0, slack: 1.1, instances: 2, ..Rules::default() };
    let g = &mut Generator::new(6);
    let mut fresh = race::<f64>(size, &rules);
    for config in 0..4 {
        fresh.challenge(config).unwrap();
    }
    for _ in 0..9 {
        let run = fresh.ask().unwrap();
        fresh.tell(run.id, Outcome::Cost(f64::from(run.config) + 1.0)).unwrap();
    }
    let _ = fresh.ask().unwrap();
    let words = fresh.words().to_vec();
    assert!(Race::<f64, _>::attach(words.clone()).is_ok());
    assert_eq!(Race::<f32, _>::attach(words.clone()).unwrap_err(), Error::Foreign);
    assert_eq!(Race::<f64, _>::attach(words[..10].to_vec()).unwrap_err(), Error::Memory { needed: 28 });
    let mut accepted = 0;
    for round in 0..30_000 {
        let mut broken = words.clone();
        for _ in 0..=below(g, 3) {
            let at = below(g, size.places().mask.start as u64) as usize;
            broken[at] = match below(g, 4) {
                0 => broken[at] ^ 1 << below(g, 64),
                1 => below(g, 30) | below(g, 30) << 32,
                2 => u64::MAX,
                _ => below(g, u64::MAX),
            };
        }
        if round % 2 == 0 {
            assert!(broken == words || Race::<f64, _>::attach(broken).is_err());
            continue;
        }
        let mut whole = broken.clone();
        Header::write_checksum(&mut whole, size.places().mask.start);
        let Ok(mut race) = Race::<f64, _>::attach(whole) else { continue };
        accepted += 1;
        for step in 0..60 {
            let _ = race.challenge(step % 6);
            if let Ok(run) = race.ask() {
                let _ =
                    if step % 5 == 0 { race.forget(run.id) } else { race.tell(run.id, Outcome::Cost(1.0)) };
            }
            let _ = (race.cost(step), race.over(), race.records().count(), race.incumbent());
        }
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn bad_input() {
    let size = Size { configs: 2, runs: 3 };
    let rules = Rules::default();
    let needed = size.words::<f64>();
    assert_eq!(Race::<f64, _>::new(size, &rules, vec![0; needed - 1]).unwrap_err(), Error::Memory { needed });
    assert!(Race::<f64, _>::new(size, &rules, vec![0; needed]).is_ok());
    for size in
        [Size { configs: 0, runs: 3 }, Size { configs: 2, runs: 0 }, Size { configs: u32::MAX, runs: 3 }]
    {
        let refused = Race::<f64, _>::new(size, &rules, vec![0; 10_000]);
        assert!(
            matches!(refused, Err(Error::Limits(need)) if matches!(need.limit(), Limit::Configs | Limit::Runs))
        );
    }
    for bad in [
        Rules { penalty: 0.5, ..rules },
        Rules { penalty: f64::NAN, ..rules },
        Rules { cap: 0.0, ..rules },
        Rules { cap: f64::NAN, ..rules },
        Rules { slack: 0.9, ..rules },
        Rules { most: 0, ..rules },
        Rules { challengers: 0, ..rules },
        Rules { instances: 0, ..rules },
        Rules { statistic: Statistic::Quantile(2.0), ..rules },
    ] {
        assert_eq!(Race::<f64, _>::new(size, &bad, vec![0; 10_000]).unwrap_err(), Error::Config);
    }
    let mut race = race::<f64>(size, &rules);
    race.challenge(0).unwrap();
    let run = race.ask().unwrap();
    assert_eq!(race.ask(), Err(Error::TooManyOpen));
    for cost in [f64::NAN, f64::INFINITY] {
        assert_eq!(race.tell(run.id, Outcome::Cost(cost)), Err(Error::NotFinite));
    }
    assert_eq!(race.tell(run.id, Outcome::Capped), Err(Error::NotFinite));
    for id in [run.id + 1, run.id + (1 << 32), u64::MAX] {
        assert_eq!(race.tell(id, Outcome::Crashed), Err(Error::StaleTrial));
    }
    race.tell(run.id, Outcome::Crashed).unwrap();
    assert_eq!(race.ask(), Err(Error::Exhausted));
}
