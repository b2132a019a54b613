//! How many instructions an ask and a tell take, counted by callgrind.
//!
//! ```text
//! cargo run --release -p infill-tests --example instructions
//! ```
//!
//! Without arguments it runs itself under valgrind for each row of the table; with `VERB DIMS TRIALS` it does what is counted:
//! the last ask, or tell, of so many trials of the default configuration. A tell at n = 8, d = 2 above its limit is an error.

use std::hint::black_box;
use std::process::{Command, ExitCode};

use infill::{Ask, Config, Limits, Optimizer, Param, Space};

/// The most that a tell may take at n = 8, d = 2.
const LIMIT: u64 = 10_000;
/// Verb, parameters and trials told before.
const ROWS: [(&str, usize, usize); 8] = [
    ("tell", 2, 8),
    ("ask", 2, 8),
    ("tell", 2, 30),
    ("ask", 2, 30),
    ("tell", 2, 100),
    ("ask", 2, 100),
    ("tell", 2, 300),
    ("ask", 2, 300),
];

type Block = Optimizer<f64, Vec<u64>>;

#[inline(never)]
fn counted_ask(optimizer: &mut Block, x: &mut [f64]) -> Ask<f64> {
    optimizer.ask(black_box(x)).expect("a proposal")
}

#[inline(never)]
fn counted_tell(optimizer: &mut Block, ask: &Ask<f64>, value: f64) {
    optimizer.tell(black_box(ask.id), black_box(value)).expect("an open trial");
}

/// A bowl, tilted so that no two coordinates are alike.
fn value(x: &[f64]) -> f64 {
    (1..).zip(x).map(|(i, v)| f64::from(i) * (v - 0.3 / f64::from(i)) * (v - 0.3)).sum()
}

fn run(verb: &str, dims: usize, trials: usize) {
    let params = vec![Param::real(0.0, 1.0); dims];
    let space = Space::new(&params, &[]).expect("a space");
    let limits = Limits::new(dims as u32, trials as u32 + 2);
    let mut x = vec![0.0; dims];
    let mut optimizer = Optimizer::with_limits(&space, &Config::default(), limits).expect("an optimizer");
    for i in 0..trials {
        for (k, v) in x.iter_mut().enumerate() {
            *v = ((i + 1) as f64 * [0.754_877_666_246_692_7, 0.569_840_290_998_053_3][k % 2]).fract();
        }
        optimizer.observe(&x, value(&x)).expect("room");
    }
    if verb == "ask" {
        black_box(counted_ask(&mut optimizer, &mut x));
    } else {
        let ask = optimizer.ask(&mut x).expect("a proposal");
        counted_tell(&mut optimizer, &ask, value(&x));
    }
}

/// What callgrind counts in a run of this program.
fn count(verb: &str, dims: usize, trials: usize) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg(format!("--toggle-collect=*counted_{verb}*"))
        .arg(std::env::current_exe().expect("a path"))
        .args([verb, &dims.to_string(), &trials.to_string()])
        .output()
        .expect("valgrind");
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("Collected :")).unwrap_or_else(|| panic!("{text}"));
    line.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [verb, dims, trials] = &arguments[..] {
        run(verb, dims.parse().expect("a number"), trials.parse().expect("a number"));
        return ExitCode::SUCCESS;
    }
    println!("| verb | parameters | trials | instructions |\n| --- | ---: | ---: | ---: |");
    let mut within = true;
    for (verb, dims, trials) in ROWS {
        let instructions = count(verb, dims, trials);
        println!("| {verb} | {dims} | {trials} | {instructions} |");
        within &= (verb, dims, trials) != ("tell", 2, 8) || instructions <= LIMIT;
    }
    if within {
        ExitCode::SUCCESS
    } else {
        eprintln!("a tell at n = 8, d = 2 takes more than {LIMIT} instructions");
        ExitCode::FAILURE
    }
}
