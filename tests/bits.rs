//! What crossing the border changes: no bit of a proposal, and hardly an instruction.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use infill::acquisition::Schedule;
use infill::acquisition::cooling::Cooling;
use infill::forest::Settings;
use infill::gp::sampler::{Sampler, Sampling};
use infill::policy::Minima;
use infill::{
    Acquisition, Condition, Config, Hyper, Limits, Model, Optimizer, Param, Pending, Plain, Policy, Real,
    Space, Transform, Warp, When,
};
use infill_tests::native::{Build, Library, has, root, run, text};

const LEVELS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// The function of `ffi/asks.c`, in the same order of operations.
fn objective(x: &[f64; 5]) -> f64 {
    let (a, b, c, d) = (x[0] - 0.3, x[1] / 64.0 - 0.5, x[2] - 2.0, x[4] - 0.1);
    a * a + b * b + c * c + if x[3] == 1.0 { 0.5 + d * d } else { 1.0 }
}

/// The settings of `ffi/asks.c` by their names.
fn named(name: &str) -> Config<'static> {
    let plain = Config::default();
    match name {
        "drawn" => {
            let sampling =
                Sampling { sampler: Sampler::SurrogateSlice, burn_in: 5, out: 20, ..Sampling::default() };
            plain.with(|c| {
                c.surrogate.hyper = Hyper::Mcmc { count: 3, sampling };
                c.surrogate.warp = Warp::Kumaraswamy;
                c.proposal.policy = Policy::MaxValue { representers: 12, draws: 16, minima: Minima::Joint };
                c.targets = Transform::YeoJohnson;
            })
        }
        "trees" => {
            let mut settings = Settings::RANDOM;
            settings.leaf = 3;
            plain.with(|c| {
                c.surrogate.model = Model::Trees(settings);
                c.proposal.acquisition = Acquisition::LogMgf { temperature: 1.0 };
                c.proposal.pending = Pending::Temperatures;
                c.proposal.schedule = Schedule::Cooling(Cooling::exponential(30));
            })
        }
        _ => plain,
    }
}

/// The run of `ffi/asks.c`: what it prints.
fn asks<R: Real>(name: &str, seed: u64, told: u32, asks: u32) -> String {
    let params = [
        Param::real(-1.0, 2.0),
        Param::integer(1, 64).log(),
        Param::ordinal(&LEVELS),
        Param::categorical(3),
        Param::real(1e-3, 10.0).log(),
    ];
    let conditions = [Condition::new(4, 3, When::Equals(1.0))];
    let space = Space::new(&params, &conditions).expect("a space");
    let config = Config { seed, ..named(name) };
    let limits = Limits::new(5, 120).conditions(1, 4);
    let limits = if name == "trees" { limits.forest(20, 0) } else { limits }.suit(&config);
    let block = vec![0; limits.words::<R>()];
    let mut optimizer = Optimizer::<R, _>::new(&space, &config, limits, block).expect("an optimizer");
    let mut state = 0.5;
    let narrow = |x: &[f64; 5]| x.map(R::of);
    for _ in 0..told {
        let mut x = [0.0_f64; 5];
        for value in &mut x {
            state = 3.9375 * state * (1.0 - state);
            *value = state;
        }
        x = [
            3.0 * x[0] - 1.0,
            1.0 + (63.0 * x[1]).trunc(),
            LEVELS[(4.0 * x[2]) as usize],
            (3.0 * x[3]).trunc(),
            0.001 + 9.0 * x[4],
        ];
        optimizer.observe(&narrow(&x), R::of(objective(&x))).expect("a point of the space");
    }
    let mut out = String::new();
    for _ in 0..asks {
        let mut point = [R::ZERO; 5];
        let ask = optimizer.ask_with(&mut Plain, &mut point).expect("room for a question");
        let x = point.map(Real::to_f64);
        write!(out, "{:x}", ask.acquisition.to_f64().to_bits()).expect("a string grows");
        x.iter().for_each(|value| write!(out, " {:x}", value.to_bits()).expect("a string grows"));
        out.push('\n');
        optimizer.tell(ask.id, R::of(objective(&x))).expect("an open trial");
    }
    out
}

fn program() -> PathBuf {
    let source = root().join("tests/ffi/asks.c");
    Library::build(Build::Plain).program("cc", &["-std=c99", "-O1"], &[source], "asks")
}

#[test]
fn c_proposes_what_rust_proposes_to_the_last_bit() {
    let program = program();
    for (seed, told) in [(1, 0), (2, 20)] {
        let (seed_text, told_text) = (seed.to_string(), told.to_string());
        let c = |scalar: &str| text(Command::new(&program).args([scalar, &seed_text, &told_text, "40"]));
        // The sign of a NaN, the acquisition of a design, is no one's promise.
        let clean = |text: String| text.replace("fff8000000000000", "7ff8000000000000");
        assert_eq!(clean(c("f64")), clean(asks::<f64>("", seed, told, 40)), "f64, seed {seed}");
        assert_eq!(clean(c("f32")), clean(asks::<f32>("", seed, told, 40)), "f32, seed {seed}");
    }
}

/// The same of settings that are far from the default: what goes through C data is what Rust has.
#[test]
fn c_chooses_what_rust_chooses_to_the_last_bit() {
    let program = program();
    for name in ["drawn", "trees"] {
        let c = |scalar: &str| text(Command::new(&program).args([scalar, "5", "12", "8", name]));
        assert_eq!(c("f64"), asks::<f64>(name, 5, 12, 8), "f64, {name}");
        assert_eq!(c("f32"), asks::<f32>(name, 5, 12, 8), "f32, {name}");
        assert_ne!(asks::<f64>(name, 5, 12, 8), asks::<f64>("", 5, 12, 8), "{name}");
    }
}

/// The backend of blocked linear algebra, in the library that users get, gives the same bits again.
#[test]
#[ignore = "builds faer, which takes minutes: ./ci.sh long"]
fn c_with_faer_repeats_itself() {
    let source = root().join("tests/ffi/asks.c");
    let program = Library::build(Build::Full).program("cc", &["-std=c99", "-O1"], &[source], "asks_faer");
    for scalar in ["f32", "f64"] {
        let first = text(Command::new(&program).args([scalar, "3", "60", "20", "faer"]));
        let again = text(Command::new(&program).args([scalar, "3", "60", "20", "faer"]));
        assert_eq!(first.lines().count(), 20);
        assert_eq!(first, again, "the same backend gives the same bits");
    }
}

/// Instructions of a command under callgrind.
fn instructions(command: &mut Command) -> u64 {
    let (program, arguments) = (command.get_program().to_owned(), command.get_args().map(ToOwned::to_owned));
    let arguments: Vec<_> = arguments.collect();
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args(arguments);
    command.get_envs().for_each(|(name, value)| {
        valgrind.env(name, value.unwrap_or_default());
    });
    let told = String::from_utf8_lossy(&run(&mut valgrind).stderr).into_owned();
    let line = told.lines().find_map(|line| line.split("Collected : ").nth(1)).expect("callgrind counts");
    line.trim().parse().expect("a number")
}

/// What [`the_border_costs_at_most_one_percent`] counts on this side.
#[test]
#[ignore = "run by the_border_costs_at_most_one_percent"]
fn asks_in_rust() {
    let count = std::env::var("INFILL_ASKS").map_or(1, |count| count.parse().expect("a number"));
    assert_eq!(asks::<f64>("", 1, 100, count).lines().count(), count as usize);
}

/// By callgrind, which is slow: `./ci.sh sweep`.
mod sweep {
    use super::*;

    /// Instructions per ask at 100 trials, as the difference of runs that differ in the number of asks alone.
    #[test]
    #[ignore = "minutes: ./ci.sh sweep"]
    fn the_border_costs_at_most_one_percent() {
        if !has("valgrind") {
            return;
        }
        let (few, many) = ("1", "3");
        let c = program();
        let in_c = |asks: &str| instructions(Command::new(&c).args(["f64", "1", "100", asks]));
        let this = std::env::current_exe().expect("this program");
        let harness = ["asks_in_rust", "--exact", "--ignored", "--test-threads=1"];
        let in_rust = |asks: &str| instructions(Command::new(&this).args(harness).env("INFILL_ASKS", asks));
        let (c, rust) = (in_c(many) - in_c(few), in_rust(many) - in_rust(few));
        let ratio = c as f64 / rust as f64;
        println!(
            "instructions of an ask and a tell at n = 100: C {}, Rust {}, ratio {ratio:.4}",
            c / 2,
            rust / 2
        );
        assert!(ratio <= 1.01, "{ratio}");
    }
}
