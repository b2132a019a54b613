//! The surrogate alone: a Gaussian process learns its hyperparameters from twenty noisy values of a sine.
//!
//! ```text
//! y = 0.5 sin(3x) + N(0, 0.5²),   k = σ² exp(−Δ²/(2ℓ²)),   θ = argmax ln p(y | X, θ)
//! ```
//!
//! The published optimum of these data is ℓ = 0.365446, σ² = 0.409279, noise 0.294024, ln p = −21.805091.
//!
//! `cargo run --release -p infill --example gp_regression`

use infill::gp::Size;
use infill::kernel::{Dims, Prior, Role, Tape};
use infill::rng::Generator;
use infill::{Error, Gp, Kernel, Objective, Plain, Training, Trend};

const X: [f64; 20] = [
    2.74406752, 3.57594683, 3.01381688, 2.72441591, 2.118274, 3.22947057, 2.18793606, 4.458865, 4.8183138,
    1.91720759, 3.95862519, 2.6444746, 2.84022281, 4.62798319, 0.35518029, 0.4356465, 0.10109199, 4.16309923,
    3.89078375, 4.35006074,
];
const Y: [f64; 20] = [
    1.21170107,
    -0.58476558,
    0.34353804,
    0.04768514,
    -1.24070719,
    0.19651407,
    0.5706952,
    -0.00886157,
    1.60984388,
    -0.98062328,
    -0.29558019,
    0.40483114,
    1.15932702,
    1.21873509,
    0.51499914,
    0.6717769,
    -0.29456874,
    -1.02889656,
    -0.56375372,
    0.31075283,
];
const SIZE: Size = Size { rows: 20, exact: 20, dims: 1, thetas: 2, columns: 0, batch: 1 };

fn main() -> Result<(), Error> {
    let kernel = Kernel::squared_exponential(Dims::All)
        .scaled()
        .with(Role::Length, 1.0, 1e-2..10.0, Prior::Flat)
        .with(Role::Variance, 1.0, 1e-3..10.0, Prior::Flat);
    let (mut nodes, mut lists) = ([0; 4], [0; 0]);
    kernel.write(1, &mut nodes, &mut lists)?;
    let tape = Tape::attach(&nodes, &lists, 1)?;

    let mut block = [0; SIZE.words::<f64>()];
    let mut gp = Gp::<f64>::new(&kernel, Trend::Zero, SIZE, &mut block)?;
    gp.set_noise(1.0, 1e-4, 10.0)?;
    for (&x, &y) in X.iter().zip(&Y) {
        gp.push(&[x], y, 0.0)?;
    }
    let training = Training { restarts: 5, ..Training::default() };
    let trained = gp.train(&tape, &mut Plain, &training, &mut Generator::new(0))?;
    let evidence = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut [])?;
    gp.fit(&tape, &mut Plain)?;

    let found = [gp.theta()[0].exp(), gp.theta()[1].exp(), gp.theta()[2].exp(), evidence];
    let published = [0.365446, 0.409279, 0.294024, -21.805091];
    println!("                      trained   published");
    for (i, name) in ["length ℓ", "variance σ²", "noise", "log evidence"].iter().enumerate() {
        println!("  {name:<14}  {:>11.6} {:>11.6}", found[i], published[i]);
    }
    println!("  {} evaluations of the evidence\n", trained.evaluations);
    plot(&mut gp, tape)?;

    // The evidence is flat at its top, so that it is known better than where it is.
    for i in 0..3 {
        assert!((found[i] / published[i] - 1.0).abs() < 1e-2, "hyperparameter {i}: {}", found[i]);
    }
    assert!((evidence - published[3]).abs() < 1e-4, "log evidence {evidence}");
    Ok(())
}

/// x downwards, the function to the right: the mean as ●, ± 1.64 deviations as a bar, the data as ×.
fn plot(gp: &mut Gp<'_, f64>, tape: Tape<'_>) -> Result<(), Error> {
    const STEP: f64 = 0.25;
    let column = |value: f64| ((value + 2.0) * 15.0).round().clamp(0.0, 60.0) as usize;
    println!("     x   −2             −1              0              1              2");
    for line in 0..=20 {
        let x = f64::from(line) * STEP;
        let prediction = gp.predict(&tape, &[x])?;
        let reach = 1.64 * prediction.deviation();
        let mut text = [' '; 61];
        text[column(0.0)] = '·';
        text[column(prediction.mean - reach)..=column(prediction.mean + reach)].fill('─');
        text[column(prediction.mean)] = '●';
        for (_, &y) in X.iter().zip(&Y).filter(|(at, _)| (**at - x).abs() <= STEP / 2.0) {
            text[column(y)] = '×';
        }
        println!("  {x:>4.2}   {}", text.iter().collect::<String>().trim_end());
    }
    Ok(())
}
