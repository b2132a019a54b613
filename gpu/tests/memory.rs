//! Many calls take no more memory than few; alone in its process, for other tests would be counted too.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use infill::acquisition::Acquisition;
use infill::backend::{Backend, Score};
use infill::kernel::{Dims, Kernel};
use infill::{Limits, Trend};
use support::{Model, Program, device, options, points};

/// Kilobytes that are resident.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    text.lines().find(|line| line.starts_with("VmRSS"))?.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn memory_does_not_grow() {
    let Some(mut gpu) = device(&Limits::new(3, 16), &options(None)) else { return };
    let kernel = Kernel::matern52(Dims::range(0, 3)).ard().scaled();
    let program = Program::new(&kernel, 3);
    let model = Model::<f64>::new(&kernel, &program, 16, 3, Trend::Zero, 1e-2);
    let (tape, posterior) = (program.tape(), model.posterior());
    let acquisition = Acquisition::Improvement { margin: 0.0 };
    let candidates: Vec<Vec<f64>> = (0..7).map(|seed| points(64, 3, 3, seed)).collect();
    let (mut out, mut work) = (vec![0.0; 64], model.work(64));
    let mut before = None;
    for i in 0..10_000 {
        if i == 1000 {
            before = resident();
        }
        let candidates = &candidates[i % 7];
        let request = Score { tape, posterior: &posterior, acquisition, best: 0.0, points: candidates };
        gpu.score(&request, &mut out, &mut work).expect("scores");
    }
    match (before, resident()) {
        (Some(before), Some(after)) => {
            println!("resident: {before} kB after 1,000 calls, {after} kB after 10,000");
            assert!(after < before + 1024, "{before} kB, then {after} kB");
        }
        _ => println!("skipped: no /proc to read the resident memory from"),
    }
}
