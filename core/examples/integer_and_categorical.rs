//! Whole numbers, levels, categories, and a parameter that matters only sometimes.
//!
//! A made-up training job: the momentum matters only if the method is `sgd`, and the best run needs it.
//!
//! `cargo run --release -p infill --example integer_and_categorical`

use infill::{Condition, Config, Error, Limits, Optimizer, Param, Space, When};

const METHODS: [&str; 3] = ["adam", "rmsprop", "sgd"];
const SGD: usize = 2;
const BATCHES: [f64; 5] = [16.0, 32.0, 64.0, 128.0, 256.0];
/// One condition; five levels of the ordinal.
const LIMITS: Limits = Limits::new(4, 60).conditions(1, BATCHES.len() as u32);

/// The loss of a run. Lowest, 0.1, at sgd with 96 units, batches of 64 and momentum 0.9.
fn loss(method: usize, units: f64, batch: f64, momentum: f64) -> f64 {
    let method = match method {
        SGD => (momentum - 0.9).powi(2),
        0 => 0.04,
        _ => 0.07,
    };
    0.1 + method + 0.05 * (units / 96.0).ln().powi(2) + 0.02 * (batch / 64.0).log2().powi(2)
}

fn main() -> Result<(), Error> {
    let params = [
        Param::categorical(METHODS.len() as u32),
        Param::integer(8, 512).log(),
        Param::ordinal(&BATCHES),
        Param::real(0.0, 0.99),
    ];
    // Parameter 3, the momentum, matters where parameter 0, the method, is sgd.
    let conditions = [Condition::new(3, 0, When::Equals(SGD as f64))];
    let space = Space::new(&params, &conditions)?;
    let config = Config { seed: 3, ..Config::default() };
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, LIMITS, [0; LIMITS.words::<f64>()])?;

    println!("   run  method   units  batch  momentum     loss");
    let mut best = f64::INFINITY;
    let mut x = [0.0; 4];
    for run in 1..=LIMITS.trials {
        let ask = optimizer.ask(&mut x)?;
        let [method, units, batch, momentum] = x;
        // Whole numbers, levels and indices are exact.
        assert!(units.fract() == 0.0 && (8.0..=512.0).contains(&units));
        assert!(BATCHES.contains(&batch) && method.fract() == 0.0);
        let value = loss(method as usize, units, batch, momentum);
        optimizer.tell(ask.id, value)?;
        if value < best {
            best = value;
            print_run(&run.to_string(), x, value);
        }
    }

    println!("  the known optimum");
    print_run("", [SGD as f64, 96.0, 64.0, 0.9], loss(SGD, 96.0, 64.0, 0.9));
    let found = optimizer.best().ok_or(Error::NoData)?;
    assert_eq!(found.point[0], SGD as f64, "the method");
    assert_eq!(found.point[2], 64.0, "the batch size");
    assert!(found.value < 0.105, "the loss");
    Ok(())
}

fn print_run(run: &str, [method, units, batch, momentum]: [f64; 4], value: f64) {
    let method = method as usize;
    // An inactive parameter holds some value in its range that means nothing.
    let momentum = if method == SGD { format!("{momentum:.3}") } else { "–".to_owned() };
    println!("  {run:>4}  {:<7} {units:>6}  {batch:>5}  {momentum:>8}  {value:.5}", METHODS[method]);
}
