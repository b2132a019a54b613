//! Simple regret of the default optimizer on known functions.
//!
//! `cargo run --release -p infill-tests --example regret -- [seeds] [name part]`

use infill::{Config, Limits, Optimizer, Param, Space};
use infill_tests::problems::{self, Problem};
use infill_tests::summary::quantile;
use std::sync::Mutex;

fn run(problem: &Problem, config: &Config<'_>, evaluations: usize) -> Vec<f64> {
    let params: Vec<Param> =
        problem.lower.iter().zip(&problem.upper).map(|(&l, &u)| Param::real(l, u)).collect();
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(params.len() as u32, evaluations as u32);
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, config, limits, vec![0; limits.words::<f64>()]).unwrap();
    let mut x = vec![0.0; params.len()];
    let mut best = f64::INFINITY;
    let mut curve = Vec::new();
    for _ in 0..evaluations {
        let ask = optimizer.ask(&mut x).unwrap();
        let y = problem.value(&x);
        optimizer.tell(ask.id, y).unwrap();
        best = best.min(y - problem.minimum);
        curve.push(best);
    }
    curve
}

fn main() {
    let mut args = std::env::args().skip(1);
    let seeds: u64 = args.next().map_or(20, |a| a.parse().unwrap());
    let part = args.next().unwrap_or_default();
    let cases: Vec<(&str, fn(u64) -> Problem, usize, Vec<(usize, f64)>)> = vec![
        ("branin", |_| problems::branin(), 50, vec![(50, 1e-5)]),
        ("hartmann6", |_| problems::hartmann6(), 100, vec![(50, 0.02), (100, 3e-5)]),
        ("rosenbrock4", |_| problems::rosenbrock(4), 100, vec![(100, 2.0)]),
        ("levy8", |s| problems::levy_shifted(8, s), 100, vec![(100, 2.0)]),
        ("ackley5", |s| problems::ackley_shifted(5, s), 100, vec![(100, 5.6)]),
    ];
    for (name, make, evaluations, bars) in cases {
        if !name.contains(&part) {
            continue;
        }
        let start = std::time::Instant::now();
        let next = Mutex::new(0);
        let curves = Mutex::new(vec![Vec::new(); seeds as usize]);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    loop {
                        let seed = {
                            let mut next = next.lock().unwrap();
                            *next += 1;
                            *next - 1
                        };
                        if seed >= seeds {
                            break;
                        }
                        let config = Config { seed, ..Config::default() };
                        let curve = run(&make(seed), &config, evaluations);
                        curves.lock().unwrap()[seed as usize] = curve;
                    }
                });
            }
        });
        let curves = curves.into_inner().unwrap();
        print!("{name:12}");
        for (at, bar) in &bars {
            let values: Vec<f64> = curves.iter().map(|c| c[at - 1]).collect();
            print!(
                "  @{at}: {:.2e} [{:.1e} {:.1e}] bar {bar:.0e} {}",
                quantile(&values, 0.5),
                quantile(&values, 0.25),
                quantile(&values, 0.75),
                if quantile(&values, 0.5) <= *bar { "ok" } else { "MISS" }
            );
        }
        println!("   {:.1}s", start.elapsed().as_secs_f64());
    }
}
