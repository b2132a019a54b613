//! Whole runs: the device proposes as well as the CPU does.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use infill::{Backend, Condition, Config, Limits, Optimizer, Param, Plain, Space, When};
use infill_tests::problems::{Problem, hartmann6};
use infill_tests::summary::median;
use support::{device, options};

const EVALUATIONS: usize = 50;

/// Ten, or as many as `INFILL_SEEDS` says.
fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("INFILL_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10)
}

fn optimizer(problem: &Problem, seed: u64) -> Optimizer<f64, Vec<u64>> {
    let sides = problem.lower.iter().zip(&problem.upper);
    let params: Vec<Param> = sides.map(|(&lo, &hi)| Param::real(lo, hi)).collect();
    let space = Space::new(&params, &[]).expect("a box");
    let limits = Limits::new(params.len() as u32, EVALUATIONS as u32);
    let config = Config { seed, ..Config::default() };
    let words = vec![0; limits.words::<f64>()];
    Optimizer::new(&space, &config, limits, words).expect("within its limits")
}

fn regret(problem: &Problem, seed: u64, backend: &mut dyn Backend<f64>) -> f64 {
    let mut optimizer = optimizer(problem, seed);
    let mut x = vec![0.0; problem.lower.len()];
    for _ in 0..EVALUATIONS {
        let ask = optimizer.ask_with(backend, &mut x).expect("a proposal");
        optimizer.tell(ask.id, problem.value(&x)).expect("an open trial");
    }
    (optimizer.best().expect("a best").value - problem.minimum).max(1e-16).log10()
}

#[test]
fn hartmann_is_minimised_as_by_the_cpu() {
    let problem = hartmann6();
    let Some(mut gpu) = device(&Limits::new(6, EVALUATIONS as u32), &options(None)) else { return };
    let device: Vec<f64> = seeds().map(|seed| regret(&problem, seed, &mut gpu)).collect();
    let plain: Vec<f64> = seeds().map(|seed| regret(&problem, seed, &mut Plain)).collect();
    let moved: Vec<f64> = device.iter().zip(&plain).map(|(a, b)| a - b).collect();
    let mean = moved.iter().sum::<f64>() / moved.len() as f64;
    println!(
        "pairs differ by {mean:.2} on average, {} are equal",
        moved.iter().filter(|d| **d == 0.0).count()
    );
    println!("log10 of the regret: {:.2} on the device, {:.2} on the CPU", median(&device), median(&plain));
    println!("{:?}", gpu.gpu.counters());
    assert!(gpu.gpu.counters().answered > 100);
    assert!((median(&device) - median(&plain)).abs() <= 0.5, "{device:?} {plain:?}");
}

/// Categories, integers and conditions go by the scores of candidates that the CPU makes.
#[test]
fn a_conditional_space_is_searched() {
    let params = [Param::real(-1.0, 1.0), Param::categorical(3), Param::integer(1, 9), Param::real(0.0, 1.0)];
    let conditions = [Condition::new(3, 1, When::Equals(1.0))];
    let space = Space::new(&params, &conditions).expect("a space");
    let limits = Limits::new(4, 40).conditions(1, 1).kernel(12, 16, 12);
    let Some(mut gpu) = device(&limits, &options(None)) else { return };
    let words = vec![0; limits.words::<f64>()];
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, &Config::default(), limits, words).expect("an optimizer");
    let mut x = [0.0; 4];
    for _ in 0..40 {
        let ask = optimizer.ask_with(&mut gpu, &mut x).expect("a proposal");
        let inner = if x[1] == 1.0 { (x[3] - 0.6).powi(2) - 0.5 } else { 0.0 };
        let value = (x[0] - 0.2).powi(2) + 0.1 * (x[2] - 4.0).abs() + inner;
        optimizer.tell(ask.id, value).expect("an open trial");
    }
    let best = optimizer.best().expect("a best").value;
    assert!(best < -0.45, "{best}");
    assert!(gpu.gpu.counters().answered > 20, "{:?}", gpu.gpu.counters());
}

/// From the same state the device proposes what the CPU does, to the bit, but where the matrix was the device's.
///
/// Seen: 181 of 200. Without the CPU's scores beside observed points it is 155, with the CPU's matrices in every ask 199.
#[test]
fn asks_choose_as_those_of_the_cpu() {
    let problem = hartmann6();
    let Some(mut gpu) = device(&Limits::new(6, EVALUATIONS as u32), &options(None)) else { return };
    let (mut asks, mut same) = (0, 0);
    for seed in seeds().take(4) {
        let mut plain = optimizer(&problem, seed);
        let (mut x, mut other) = (vec![0.0; 6], vec![0.0; 6]);
        for _ in 0..EVALUATIONS {
            let mut copy = Optimizer::<f64, _>::attach(plain.words().to_vec()).expect("a copy");
            copy.ask_with(&mut gpu, &mut other).expect("a proposal");
            let ask = plain.ask(&mut x).expect("a proposal");
            plain.tell(ask.id, problem.value(&x)).expect("an open trial");
            asks += 1;
            same += usize::from(x == other);
        }
    }
    println!("{same} of {asks} proposals are the same, {:?}", gpu.gpu.counters());
    assert!(20 * same >= 17 * asks, "{same} of {asks}");
}
