//! The main job: the minimum of a function of two reals in 40 evaluations, from a cold start.
//!
//! `cargo run --release -p infill --example branin`

use infill::{Config, Error, Limits, Optimizer, Origin, Param, Space};
use std::f64::consts::PI;
use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};

const EVALUATIONS: u32 = 40;
const LIMITS: Limits = Limits::new(2, EVALUATIONS);
const MINIMUM: f64 = 0.397_887_357_729_738_2;
/// The evaluations that the table shows, beside the last.
const MILESTONES: [u32; 7] = [1, 5, 10, 15, 20, 25, 30];

/// Three equal minima, at (−π, 12.275), (π, 2.275) and (3π, 2.475).
fn branin([x, y]: [f64; 2]) -> f64 {
    let bowl = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    bowl * bowl + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}

/// The best evaluation when the table looked.
struct Row {
    evaluation: u32,
    point: [f64; 2],
    value: f64,
}

fn main() -> Result<(), Error> {
    let params = [Param::real(-5.0, 10.0), Param::real(0.0, 15.0)];
    let space = Space::new(&params, &[])?;
    let config = Config { seed: 1, ..Config::default() };
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, LIMITS, [0; LIMITS.words::<f64>()])?;

    println!("Branin on [−5, 10] × [0, 15], minimum {MINIMUM:.6}\n");
    let mut rows = Vec::new();
    let mut thinking = Duration::ZERO;
    let mut x = [0.0; 2];
    for evaluation in 1..=EVALUATIONS {
        let start = Instant::now();
        let ask = optimizer.ask(&mut x)?;
        thinking += start.elapsed();
        let value = branin(x);
        optimizer.tell(ask.id, value)?;

        if let Some(best) = optimizer.best() {
            progress(evaluation, ask.origin, x, value, best.value);
            if MILESTONES.contains(&evaluation) || evaluation == EVALUATIONS {
                rows.push(Row { evaluation, point: [best.point[0], best.point[1]], value: best.value });
            }
        }
    }
    if stdout().is_terminal() {
        println!();
    }

    println!("\n  evaluation        x₁        x₂   best value      regret");
    for Row { evaluation, point, value } in &rows {
        println!(
            "  {evaluation:>10}  {:>8.4}  {:>8.4}  {value:>11.7}  {:>10.1e}",
            point[0],
            point[1],
            value - MINIMUM
        );
    }
    let bytes = size_of_val(optimizer.words());
    let (trial, prediction) = optimizer.recommend()?;
    let value = trial.value;
    println!(
        "\n  best             {:.7}, {:.1e} above the minimum",
        best_of(&rows),
        best_of(&rows) - MINIMUM
    );
    println!("  recommendation   ({:.5}, {:.5})", trial.point[0], trial.point[1]);
    println!("  the model says   {:.6} ± {:.1e}, told {value:.6}", prediction.mean, prediction.deviation());
    println!("  memory           {bytes} bytes, all of it");
    println!("  time             {:.1} ms for {EVALUATIONS} proposals", thinking.as_secs_f64() * 1e3);

    assert!(best_of(&rows) - MINIMUM < 1e-3, "the minimum was not found");
    assert!(value - MINIMUM < 1e-2, "the recommendation is poor");
    assert!((prediction.mean - value).abs() < 1e-1, "the model does not know its own data");
    Ok(())
}

fn best_of(rows: &[Row]) -> f64 {
    rows.last().map_or(f64::NAN, |row| row.value)
}

/// One line that renews itself on a terminal, a line each time elsewhere.
fn progress(evaluation: u32, origin: Origin, x: [f64; 2], value: f64, best: f64) {
    let origin = match origin {
        Origin::Design => "design",
        Origin::Model => "model",
        Origin::Queue => "queue",
        Origin::Fallback => "random",
        Origin::Method => "method",
        Origin::Resumed => "resumed",
        Origin::Source => "source",
    };
    let line = format!(
        "  {evaluation:>3}/{EVALUATIONS}  {origin:<6}  f({:>8.4}, {:>8.4}) = {value:>9.4}   best {best:>9.5}",
        x[0], x[1]
    );
    if stdout().is_terminal() {
        print!("\r{line}");
        // A progress line that cannot be shown is no reason to stop.
        let _ = stdout().flush();
    } else {
        println!("{line}");
    }
}
