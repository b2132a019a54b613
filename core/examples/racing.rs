//! Noisy tuning: an optimizer proposes, a race decides which proposal is best.
//!
//! One value of a noisy function says little. Each proposal challenges the best one so far on the same seeds, and is dropped as
//! soon as it is worse: many runs for the few that matter, one or two for the others.
//!
//! `cargo run --release -p infill --example racing`

use infill::race::{Outcome, Race, Rules, Size};
use infill::rng::{Generator, normal};
use infill::{Config, Error, Limits, Optimizer, Param, Space};

/// Least at 0.6, where it is 0; every run adds noise of deviation 0.1, the same for the same seed.
fn run(x: f64, seed: u64) -> f64 {
    3.0 * (x - 0.6).powi(2) + 0.1 * normal::<f64, _>(&mut Generator::new(seed))
}

fn main() -> Result<(), Error> {
    const LIMITS: Limits = Limits::new(1, 30);
    const SIZE: Size = Size { configs: 30, runs: 300 };
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[])?;
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, &Config::default(), LIMITS, vec![0; LIMITS.words::<f64>()])?;
    let rules = Rules { again: false, ..Rules::default() };
    let mut race = Race::<f64, _>::new(SIZE, &rules, vec![0; SIZE.words::<f64>()])?;

    let mut points: Vec<f64> = Vec::new();
    for round in 0..15 {
        // Two proposals at a time challenge the best of all before.
        let mut fresh = Vec::new();
        for _ in 0..2 {
            let mut x = [0.0];
            let ask = optimizer.ask(&mut x)?;
            let number = points.len() as u32;
            race.challenge(number)?;
            fresh.push((ask.id, number));
            points.push(x[0]);
        }
        while let Ok(job) = race.ask() {
            race.tell(job.id, Outcome::Cost(run(points[job.config as usize], job.seed)))?;
        }
        // What the race found is what the optimizer learns, with the variance of a mean.
        for (id, config) in fresh {
            match race.cost(config) {
                Some(mean) => optimizer.tell_noisy(id, mean, 0.01 / f64::from(race.runs_of(config)))?,
                None => optimizer.forget(id)?,
            }
        }
        if let Some(best) = race.incumbent() {
            println!("round {round:2}: x = {:.3} after {} runs", points[best as usize], race.runs_of(best));
        }
    }
    let best = race.incumbent().ok_or(Error::NoData)?;
    let x = points[best as usize];
    println!("{} runs in all; {} of them for x = {x:.3}", race.runs(), race.runs_of(best));
    assert!((x - 0.6).abs() < 0.1, "{x}");
    Ok(())
}
