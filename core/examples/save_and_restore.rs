//! Saving is copying: a run that is written to a file and read back proposes the same bits as one that is not.
//!
//! `cargo run --release -p infill --example save_and_restore`

use infill::{Config, Limits, Optimizer, Param, Space, State};
use std::{env, error::Error, fs, process};

const LIMITS: Limits = Limits::new(2, 24);
const EVALUATIONS: usize = 24;
/// Evaluations before the interruption, which comes with a question still open.
const BEFORE: usize = 13;

fn valley([x, y]: [f64; 2]) -> f64 {
    (1.0 - x).powi(2) + 10.0 * (y - x * x).powi(2)
}

type Heap = Optimizer<f64, Vec<u64>>;

fn start() -> Result<Heap, infill::Error> {
    let params = [Param::real(-2.0, 2.0), Param::real(-1.0, 3.0)];
    let space = Space::new(&params, &[])?;
    let config = Config { seed: 11, ..Config::default() };
    Heap::new(&space, &config, LIMITS, vec![0; LIMITS.words::<f64>()])
}

/// Asks and tells `count` times; returns what was proposed.
fn advance(optimizer: &mut Heap, count: usize) -> Result<Vec<[f64; 2]>, infill::Error> {
    let mut proposals = Vec::new();
    for _ in 0..count {
        let mut x = [0.0; 2];
        let ask = optimizer.ask(&mut x)?;
        optimizer.tell(ask.id, valley(x))?;
        proposals.push(x);
    }
    Ok(proposals)
}

fn main() -> Result<(), Box<dyn Error>> {
    let expected = advance(&mut start()?, EVALUATIONS)?;

    // The same again, up to a question that is not answered yet.
    let mut optimizer = start()?;
    let mut proposals = advance(&mut optimizer, BEFORE)?;
    let mut x = [0.0; 2];
    optimizer.ask(&mut x)?;
    let path = env::temp_dir().join(format!("infill-{}.words", process::id()));
    let bytes: Vec<u8> = optimizer.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(&path, &bytes)?;
    drop(optimizer);

    // Perhaps days later, perhaps on another machine.
    let bytes = fs::read(&path)?;
    fs::remove_file(&path)?;
    let words = bytes.chunks_exact(8).map(|chunk| chunk.try_into().map(u64::from_le_bytes));
    let mut optimizer = Heap::attach(words.collect::<Result<Vec<u64>, _>>()?)?;
    let open: Vec<_> = optimizer
        .trials()
        .filter(|trial| trial.state == State::Open)
        .map(|trial| (trial.id, [trial.point[0], trial.point[1]]))
        .collect();
    for &(id, point) in &open {
        optimizer.tell(id, valley(point))?;
        proposals.push(point);
    }
    proposals.extend(advance(&mut optimizer, EVALUATIONS - BEFORE - open.len())?);

    println!("  saved {} bytes after {BEFORE} evaluations, with {} question open\n", bytes.len(), open.len());
    println!("  evaluation   uninterrupted                        restored");
    for (i, (a, b)) in expected.iter().zip(&proposals).enumerate().skip(BEFORE - 1).take(5) {
        let bits = |x: &[f64; 2]| format!("{:016x} {:016x}", x[0].to_bits(), x[1].to_bits());
        println!("  {:>10}   {}    {}", i + 1, bits(a), bits(b));
    }
    println!("  … and so on to the last, {EVALUATIONS}");
    let bits = |points: &[[f64; 2]]| points.iter().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&expected), bits(&proposals), "the two runs differ");

    // What was damaged on the way is refused.
    let mut damaged = optimizer.words().to_vec();
    damaged[40] ^= 1;
    assert!(Heap::attach(damaged).is_err());
    Ok(())
}
