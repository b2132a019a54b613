//! Six steps of Bayesian optimization that can be followed by hand: the maximum of sin x on [0, 2π].
//!
//! ```text
//! k = exp(−Δ²/2),   noise 10⁻⁶,   next x = argmax EI(x)
//! ```
//!
//! Everything is fixed (hyperparameters, three first points), so that the steps have one right answer each.
//!
//! `cargo run --release -p infill --example sine`

use infill::kernel::{Dims, Prior, Role};
use infill::{
    Acquisition, Config, Error, Interleave, Kernel, Limits, Noise, Optimizer, Origin, Param, Space,
    Transform, Trend,
};
use std::f64::consts::{FRAC_PI_2, TAU};

const START: [f64; 3] = [5.566_575_087_426_171_5, 0.489_537_787_532_857_8, 6.155_298_341_859_642];
/// Where the expected improvement is largest, and how large it is there: positions as published, both with the
/// deviation of the function itself.
const PUBLISHED: [(f64, f64); 6] = [
    (1.78237, 0.241392),
    (2.69431, 0.138821),
    (1.36987, 0.0598606),
    (1.57168, 0.0248342),
    (4.09498, 0.00148615),
    (1.56989, 0.000412816),
];
const LIMITS: Limits = Limits::new(1, 9);

fn main() -> Result<(), Error> {
    // Models see the unit interval, on which a length of 1 is 1/2π.
    let length = 1.0 / TAU;
    let kernel =
        Kernel::squared_exponential(Dims::All).with(Role::Length, length, length..length, Prior::Flat);
    let config = Config::default().with(|c| {
        c.design.trials = 3;
        c.surrogate.kernel = Some(&kernel);
        c.surrogate.trend = Trend::Zero;
        c.targets = Transform::None;
        c.surrogate.noise = Noise::fixed(1e-6);
        c.proposal.acquisition = Acquisition::Improvement { margin: 0.0 };
        c.proposal.interleave = Interleave::NEVER;
    });
    let params = [Param::real(0.0, TAU)];
    let space = Space::new(&params, &[])?;
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, LIMITS, [0; LIMITS.words::<f64>()])?;
    for x in START {
        // It minimises, so the maximum of sin is looked for as the minimum of −sin.
        optimizer.observe(&[x], -x.sin())?;
    }

    println!("  step   proposal  published            EI   published     best sin x");
    let mut x = [0.0];
    for (step, (position, improvement)) in PUBLISHED.into_iter().enumerate() {
        let ask = optimizer.ask(&mut x)?;
        optimizer.tell(ask.id, -x[0].sin())?;
        let best = optimizer.best().ok_or(Error::NoData)?;
        println!(
            "  {:>4}   {:>8.5}  {position:>9.5}   {:>11.9}  {improvement:>10.8}   {:>12.9}",
            step + 1,
            x[0],
            ask.acquisition,
            -best.value
        );
        assert_eq!(ask.origin, Origin::Model);
        // The published digits; the last maximum is flat, so that its position has fewer.
        assert!((x[0] - position).abs() < if step == 5 { 1e-4 } else { 2e-5 }, "position {}", x[0]);
        assert!((ask.acquisition / improvement - 1.0).abs() < 1e-3, "improvement {}", ask.acquisition);
    }
    let best = optimizer.best().ok_or(Error::NoData)?;
    println!("\n  maximum at {:.5}, π/2 = {FRAC_PI_2:.5}", best.point[0]);
    assert!((best.point[0] - FRAC_PI_2).abs() < 2e-3);
    Ok(())
}
