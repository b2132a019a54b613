//! Kernels, processes and gradients agree with other software.

#[path = "helpers/kernels.rs"]
mod kernels;
#[path = "helpers/model.rs"]
mod model;

use infill::backend::Objective;
use infill::kernel::{Dims, Kernel, Role, Tape};
use infill::{Plain, Trend};
use infill_tests::oracle::{Case, load};
use kernels::{pygpgo, set, written};
use model::{close, with_gp};

#[test]
fn kernels_match_pygpgo() {
    let oracle = load("pygpgo_covfunc");
    let mut slopes = 0;
    for case in oracle.with("kernel") {
        let data = oracle.case(&format!("data/{}", case.text("data")));
        let (x, star) = (data.rows("x"), data.rows("xstar"));
        let (kernel, names) = pygpgo(case);
        let (nodes, theta) = written(&kernel, 2);
        let tape = Tape::attach(&nodes, &[], 2).unwrap();
        let (gram, cross) = (case.rows("gram"), case.rows("cross"));
        let noise = case.number("sigman");
        for i in 0..x.len() {
            for j in 0..x.len() {
                let ours = tape.eval(&theta, &x[i], &x[j]) + if i == j { noise } else { 0.0 };
                assert!(
                    close(ours, gram[i][j], 1e-12, 1e-3),
                    "{} {i} {j}: {ours} {}",
                    case.name(),
                    gram[i][j]
                );
                let mut gradient = vec![0.0; theta.len()];
                tape.gradient(&theta, &x[i], &x[j], &mut gradient);
                for (t, name) in names.iter().enumerate().filter_map(|(t, n)| Some((t, (*n)?))) {
                    let key = format!("slope_{name}");
                    if !case.has(&key) {
                        continue;
                    }
                    // Ours is by the logarithm; theirs is a central difference, good to 1e-8.
                    let natural = gradient[t] / theta[t].exp();
                    let expected = case.rows(&key)[i][j];
                    assert!(
                        (natural - expected).abs() < 1e-7,
                        "{} {key} {i} {j}: {natural} {expected}",
                        case.name()
                    );
                    slopes += 1;
                }
            }
            for j in 0..star.len() {
                let ours = tape.eval(&theta, &x[i], &star[j]);
                assert!(close(ours, cross[i][j], 1e-12, 1e-3), "{} cross {i} {j}", case.name());
            }
        }
    }
    assert_eq!(slopes, 17 * 49);
}

#[test]
fn processes_match_pygpgo() {
    let oracle = load("pygpgo_gp");
    for case in oracle.with("kernel") {
        let data = oracle.case(&format!("data/{}", case.text("data")));
        let (prior, noise, condition) =
            (case.number("prior"), case.number("sigman"), case.number("condition"));
        let y: Vec<f64> = data.numbers("y").iter().map(|y| y - prior).collect();
        let (kernel, names) = pygpgo(case);
        // Errors of a solve grow with the condition; pyGPGO inverts, which costs it another few digits.
        let tolerance = 1e-12 + 1e-14 * condition;
        with_gp(&kernel, Trend::Zero, noise, &data.rows("x"), &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            assert_eq!(gp.jitter(), 0.0);
            let (mean, variance) = (case.numbers("mean"), case.numbers("noisy_variance"));
            for (i, star) in data.rows("xstar").iter().enumerate() {
                let p = gp.predict(&tape, star).unwrap();
                assert!(
                    close(p.mean + prior, mean[i], tolerance, 1.0),
                    "{}: {} {}",
                    case.name(),
                    p.mean + prior,
                    mean[i]
                );
                let noisy = p.variance + noise;
                assert!((noisy - variance[i]).abs() < tolerance, "{}: {noisy} {}", case.name(), variance[i]);
            }
            let mut gradient = vec![0.0; gp.theta().len()];
            let logp = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut gradient).unwrap();
            assert!(close(logp, case.number("logp"), tolerance, 1.0), "{}: {logp}", case.name());
            if case.has("slopes") {
                let theirs = case.numbers("slope_logp");
                for (name, expected) in case.words("slopes").iter().zip(theirs) {
                    let t = if *name == "sigman" {
                        Some(names.len())
                    } else {
                        names.iter().position(|n| n == &Some(*name))
                    };
                    let Some(t) = t else {
                        assert_eq!(*name, "v");
                        continue;
                    };
                    let natural = gradient[t] / gp.theta()[t].exp();
                    // Theirs are differences of a logp that is itself off by 1e-16·condition: a step of 1e-6 p
                    // loses 1e-10·condition·|logp|/p, and one of 1e-8 in a logp that goes as 1/p the part
                    // (1e-8/p)². The next test shows that the loss is theirs.
                    let p = gp.theta()[t].exp();
                    let rounding = 1e-10 * condition * logp.abs() / p;
                    let truncation = (1.2e-16 / (p * p) + 1e-6) * expected.abs().max(1.0);
                    let off = (natural - expected).abs();
                    assert!(off < rounding + truncation, "{} {name}: {natural} {expected}", case.name());
                }
            }
        });
    }
}

/// The worst conditioned of these cases, differentiated at 40 digits.
#[test]
fn slopes_hold_where_differences_fail() {
    let oracle = load("pygpgo_gp");
    let data = oracle.case("data/1d");
    let kernel =
        set(set(Kernel::squared_exponential(Dims::All), Role::Length, 1.0).scaled(), Role::Variance, 1.0);
    with_gp(&kernel, Trend::Zero, 1e-6, &data.rows("x"), &data.numbers("y"), &[], |gp, tape| {
        let mut gradient = [0.0; 3];
        let logp = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut gradient).unwrap();
        assert!(close(logp, -3_441_373.440_266_178_6, 1e-10, 1.0), "{logp}");
        let exact = [-18_590_741.799_630_89, 2_455_257.811_422_736, 986_124.826_982_639_7];
        for (ours, exact) in gradient.iter().zip(exact) {
            assert!(close(*ours, exact, 1e-9, 1.0), "{ours} {exact}");
        }
    });
}

/// The kernel of a case of GPy and the matrix that turns our ∂/∂ln θ into theirs by the natural parameters.
fn gpy(case: &Case, dims: usize) -> (Kernel, Vec<(&'static str, Vec<f64>)>) {
    let all = Dims::All;
    let unit = |n: usize, at: usize, natural: f64| {
        let mut row = vec![0.0; n];
        row[at] = 1.0 / natural;
        row
    };
    let noise = case.number("noise");
    if case.text("kernel") == "Linear" {
        let w = case.number("variances");
        let kernel = set(Kernel::linear(all), Role::Weight, w);
        return (kernel, vec![("variances", unit(2, 0, w)), ("noise", unit(2, 1, noise))]);
    }
    let (variance, lengths) = (case.number("variance"), case.numbers("lengthscale"));
    let scaled = |leaf: Kernel| set(leaf.scaled(), Role::Variance, variance);
    match case.text("kernel") {
        "RatQuad" => {
            // (1 + r²/2)^−p = (1 + ρ²/2p)^−p with ρ² = p r²: our length is theirs over √p.
            let power = case.number("power");
            let leaf = set(Kernel::rational_quadratic(all), Role::Length, lengths[0] / power.sqrt());
            let kernel = scaled(set(leaf, Role::Shape, power));
            let map = vec![
                ("variance", unit(4, 2, variance)),
                ("lengthscale", unit(4, 0, lengths[0])),
                ("power", vec![-0.5 / power, 1.0 / power, 0.0, 0.0]),
                ("noise", unit(4, 3, noise)),
            ];
            (kernel, map)
        }
        "StdPeriodic" => {
            // ½/l² against 2/ℓ²: our length is twice theirs.
            let period = case.number("period");
            let leaf = set(Kernel::periodic(all), Role::Length, 2.0 * lengths[0]);
            let kernel = scaled(set(leaf, Role::Period, period));
            let map = vec![
                ("variance", unit(4, 2, variance)),
                ("period", unit(4, 1, period)),
                ("lengthscale", unit(4, 0, lengths[0])),
                ("noise", unit(4, 3, noise)),
            ];
            (kernel, map)
        }
        name => {
            let leaf = match name {
                "RBF" => Kernel::squared_exponential(all),
                "Matern32" => Kernel::matern32(all),
                "Matern52" => Kernel::matern52(all),
                "Exponential" => Kernel::matern12(all),
                other => panic!("{other}"),
            };
            let n = lengths.len() + 2;
            let mut map = vec![("variance", unit(n, n - 2, variance)), ("noise", unit(n, n - 1, noise))];
            if lengths.len() == 1 {
                map.push(("lengthscale", unit(n, 0, lengths[0])));
                return (scaled(set(leaf, Role::Length, lengths[0])), map);
            }
            assert_eq!((lengths.len(), dims), (2, 2));
            map.push(("lengthscale_0", unit(n, 0, lengths[0])));
            map.push(("lengthscale_1", unit(n, 1, lengths[1])));
            (scaled(leaf.ard()), map)
        }
    }
}

#[test]
fn processes_match_gpy() {
    let oracle = load("gpy_gp");
    for case in oracle.with("kernel") {
        let data = oracle.case(&format!("data/{}", case.text("data")));
        let x = data.rows("x");
        let (kernel, map) = gpy(case, x[0].len());
        // GPy adds 1e-8 to the diagonal.
        let noise = case.number("noise") + 1e-8;
        with_gp(&kernel, Trend::Zero, noise, &x, &data.numbers("y"), &[], |gp, tape| {
            if case.has("lengthscale") && case.numbers("lengthscale").len() == 2 {
                for (value, length) in gp.theta_table().value.iter_mut().zip(case.numbers("lengthscale")) {
                    *value = length.ln();
                }
            }
            gp.fit(&tape, &mut Plain).unwrap();
            let (mean, variance) = (case.numbers("mean"), case.numbers("latent_variance"));
            for (i, star) in data.rows("xstar").iter().enumerate() {
                let p = gp.predict(&tape, star).unwrap();
                assert!(close(p.mean, mean[i], 1e-10, 1.0), "{}: {} {}", case.name(), p.mean, mean[i]);
                assert!(
                    (p.variance - variance[i]).abs() < 1e-10,
                    "{}: {} {}",
                    case.name(),
                    p.variance,
                    variance[i]
                );
            }
            let mut gradient = vec![0.0; gp.theta().len()];
            let logp = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut gradient).unwrap();
            assert!(close(logp, case.number("logp"), 1e-10, 1.0), "{}: {logp}", case.name());
            // Ours by ln noise is noise times theirs, with the same 1e-8 in the noise.
            gradient[gp.theta().len() - 1] *= case.number("noise") / noise;
            for (name, expected) in case.words("slopes").iter().zip(case.numbers("slope_logp")) {
                let row = &map.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name}")).1;
                let ours: f64 = row.iter().zip(&gradient).map(|(a, b)| a * b).sum();
                assert!(close(ours, expected, 1e-9, 1.0), "{} {name}: {ours} {expected}", case.name());
            }
        });
    }
}
