//! An optimizer in a `static`: single precision, no heap, a size that is known to the compiler.
//!
//! Nothing but the printing needs `std`; on a microcontroller its own critical section stands in for the mutex.
//!
//! `cargo run --release -p infill --example static_memory`

use infill::{Config, Error, Limits, Optimizer, Param, Space};
use std::sync::{Mutex, PoisonError};

const LIMITS: Limits = Limits::new(3, 36).open(1);
const WORDS: usize = LIMITS.words::<f32>();
static BLOCK: Mutex<[u64; WORDS]> = Mutex::new([0; WORDS]);

// The build fails if the optimizer outgrows the memory that was set aside for it.
const _: () = assert!(WORDS * 8 <= 16 * 1024);

/// How far a heater misses its aim with these gains of its controller; least, 0, at (2, 0.5, 0.5).
fn miss([p, i, d]: [f32; 3]) -> f32 {
    let (p, i, d) = ((p / 2.0).ln(), (i / 0.5).ln(), d - 0.5);
    p * p + 0.5 * i * i + 0.3 * p * i + 4.0 * d * d
}

fn main() -> Result<(), Error> {
    let params = [Param::real(0.1, 20.0).log(), Param::real(0.01, 10.0).log(), Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[])?;
    let config = Config { seed: 5, ..Config::default() };
    let mut block = BLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let mut optimizer = Optimizer::<f32, _>::new(&space, &config, LIMITS, &mut block[..])?;

    let mut gains = [0.0; 3];
    for _ in 0..LIMITS.trials {
        let ask = optimizer.ask(&mut gains)?;
        optimizer.tell(ask.id, miss(gains))?;
    }
    // There is no room for one more, and it says so.
    assert_eq!(optimizer.ask(&mut gains), Err(Error::Full));

    let best = optimizer.best().ok_or(Error::NoData)?;
    println!("  block     {} bytes for {} trials of 3 reals", WORDS * 8, LIMITS.trials);
    println!("  beside it {} bytes", size_of_val(&optimizer));
    println!(
        "  best      {:.5} at ({:.3}, {:.3}, {:.3})",
        best.value, best.point[0], best.point[1], best.point[2]
    );
    println!("  optimum   0.00000 at (2.000, 0.500, 0.500)");
    assert!(best.value < 0.01, "the optimum was not found");
    Ok(())
}
