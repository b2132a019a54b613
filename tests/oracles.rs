//! Kernels, processes, gradients and acquisitions agree with other software and with worked examples.

#[path = "helpers/model.rs"]
mod model;

use infill::backend::Objective;
use infill::descent::Budget;
use infill::kernel::{Dims, Kernel, Prior, Role, Tape};
use infill::rng::Generator;
use infill::{Acquisition, Gp, Plain, Prediction, Training, Trend};
use infill_tests::oracle::{Case, Oracle, load};
use model::{close, with_gp};

/// Least noise that is not none: too small to change any sum it is added to.
const NO_NOISE: f64 = 1e-30;

fn set(kernel: Kernel, role: Role, value: f64) -> Kernel {
    kernel.with(role, value, value / 1.5..value * 1.5, Prior::Flat)
}

/// The kernel of a case of pyGPGO, and for each of our hyperparameters the name of theirs, if there is one.
fn pygpgo(case: &Case) -> (Kernel, Vec<Option<&'static str>>) {
    let all = Dims::All;
    let (leaf, mut names) = match case.text("kernel") {
        "squaredExponential" => (Kernel::squared_exponential(all), vec![Some("l")]),
        "matern32" => (Kernel::matern32(all), vec![Some("l")]),
        "matern52" => (Kernel::matern52(all), vec![Some("l")]),
        // ν is frozen here and has no slope.
        "matern" => (Kernel::matern(all, case.number("v")), vec![Some("l"), None]),
        "gammaExponential" => {
            let gamma = case.number("gamma");
            let leaf = Kernel::gamma_exponential(all).with(Role::Shape, gamma, 0.5..2.0, Prior::Flat);
            (leaf, vec![Some("l"), Some("gamma")])
        }
        "rationalQuadratic" => (
            set(Kernel::rational_quadratic(all), Role::Shape, case.number("alpha")),
            vec![Some("l"), Some("alpha")],
        ),
        "dotProd" => (Kernel::linear(all).with(Role::Weight, 1.0, 1.0..1.0, Prior::Flat), vec![None]),
        other => panic!("{other}"),
    };
    let leaf = if case.has("l") { set(leaf, Role::Length, case.number("l")) } else { leaf };
    names.push(Some("sigmaf"));
    (set(leaf.scaled(), Role::Variance, case.number("sigmaf")), names)
}

fn written(kernel: &Kernel, dims: usize) -> (Vec<u64>, Vec<f64>) {
    let mut nodes = vec![0; 2 * kernel.nodes()];
    kernel.write(dims, &mut nodes, &mut []).unwrap();
    let size = infill::gp::Size {
        rows: 1,
        exact: 1,
        dims,
        thetas: kernel.thetas(dims).unwrap(),
        columns: 0,
        batch: 1,
    };
    let mut block = vec![0; size.words::<f64>()];
    let gp = Gp::<f64>::new(kernel, Trend::Zero, size, &mut block).unwrap();
    let theta = gp.theta()[..size.thetas].to_vec();
    (nodes, theta)
}

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
    let kernel = set(unit_se(1.0).scaled(), Role::Variance, 1.0);
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

/// pyGPGO maximises, so its means and best value change sign; its 1e-6 in z is put back by hand.
#[test]
fn acquisitions_match_pygpgo() {
    let oracle = load("pygpgo_acquisition");
    let (last, single) = oracle.cases().split_last().unwrap();
    assert_eq!(single.len(), 60);
    for case in single {
        let (tau, mean, std) = (case.number("tau"), case.number("mean"), case.number("std"));
        let e = 1e-6;
        let at = |mean: f64, std: f64| Prediction { mean: -mean, variance: std * std };
        // Φ((m − τ − e)/(s + e)) is our probability with margin e and deviation s + e.
        let pi = Acquisition::Probability { margin: e }.score(at(mean, std + e), -tau);
        assert!((pi - case.number("pi")).abs() < 1e-10, "{}: pi {pi}", case.name());
        // Ours at z = (m − τ)/s; theirs has z moved by at most e(1 + |z|)/s, and ∂EI/∂z ≤ s(φ + |z|Φ).
        let ei = Acquisition::Improvement { margin: 0.0 }.score(at(mean, std), -tau);
        let z = (mean - tau) / std;
        let shifted = (mean - tau - e) / (std + e);
        let exact = (mean - tau) * normal_cdf(shifted) + std * normal_pdf(shifted);
        assert!((exact - case.number("ei")).abs() < 1e-12, "{}: formula {exact}", case.name());
        // Both formulas have the same derivative up to second order in the shift of z.
        let shift = (z - shifted).abs();
        assert!(
            (ei - exact).abs() <= 1e-12 + std * shift * (shift + e) + e * shift,
            "{}: ei {ei} {exact}",
            case.name()
        );
        for beta in [1.5, 2.5] {
            let ucb = Acquisition::Bound { beta }.score(at(mean, std), -tau);
            let expected = case.number(&format!("ucb_{beta}"));
            assert!((ucb - expected).abs() < 1e-12, "{}: ucb {ucb} {expected}", case.name());
        }
    }
    integrated_match(last);
}

/// The mean over several posteriors: what integrating over hyperparameters comes to.
fn integrated_match(case: &Case) {
    assert_eq!(case.name(), "integrated");
    let (mean, std, tau) = (case.numbers("mean"), case.numbers("std"), case.number("tau"));
    let average = |rule: Acquisition<f64>| {
        let scores =
            mean.iter().zip(&std).map(|(&m, &s)| rule.score(Prediction { mean: -m, variance: s * s }, -tau));
        scores.sum::<f64>() / mean.len() as f64
    };
    // Their 1e-6 in z costs as much here.
    assert!((average(Acquisition::Improvement { margin: 0.0 }) - case.number("ei")).abs() < 2e-6);
    assert!((average(Acquisition::Probability { margin: 0.0 }) - case.number("pi")).abs() < 2e-6);
    assert!((average(Acquisition::Bound { beta: 1.5 }) - case.number("ucb_1.5")).abs() < 1e-12);
}

/// MIP-EGO minimises as we do; 72 points, six temperatures each.
#[test]
fn the_moment_generating_function_matches_mip_ego() {
    let oracle = load("mipego_mgfi");
    assert_eq!(oracle.cases().len(), 72);
    let mut coded = 0;
    for case in oracle.cases() {
        let (best, std) = (case.number("best"), case.number("std"));
        let at = Prediction { mean: case.number("mean"), variance: std * std };
        for row in case.rows("row") {
            let [temperature, value, log] = row[..] else { panic!("{}: a row of three", case.name()) };
            let ours = Acquisition::LogMgf { temperature }.score(at, best);
            assert!((ours - log).abs() <= 1e-10 * log.abs().max(1.0), "{}: {ours} {log}", case.name());
            if value > 0.0 {
                assert!((ours - value.ln()).abs() < 1e-10 * log.abs().max(1.0), "{}: {ours}", case.name());
                coded += 1;
            }
        }
    }
    assert!(coded > 300, "{coded}");
}

fn normal_pdf(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// Φ by quadrature, so that it owes nothing to the library.
fn normal_cdf(z: f64) -> f64 {
    if z < -12.0 {
        return 0.0;
    }
    if z > 12.0 {
        return 1.0;
    }
    infill_tests::calculus::integrate(normal_pdf, -14.0, z, 40)
}

#[test]
fn acquisitions_match_closed_forms() {
    let oracle = load("golden");
    let case = oracle.case("acquisition/normal");
    let (mean, std, tau) = (case.numbers("mean"), case.numbers("std"), case.numbers("tau"));
    let score = |rule: Acquisition<f64>, i: usize| {
        rule.score(Prediction { mean: -mean[i], variance: std[i] * std[i] }, -tau[i])
    };
    for i in 0..mean.len() {
        let ei = case.numbers("ei")[i];
        assert!((score(Acquisition::Probability { margin: 0.0 }, i) - case.numbers("pi")[i]).abs() < 1e-11);
        assert!((score(Acquisition::Improvement { margin: 0.0 }, i) - ei).abs() < 1e-11);
        if ei > 0.0 {
            assert!((score(Acquisition::LogImprovement { margin: 0.0 }, i) - ei.ln()).abs() < 1e-9);
        }
        for beta in [0.5, 1.5] {
            // Rows with a deviation of 1e-9 are printed rounded.
            let expected = case.numbers(&format!("ucb_{beta}"))[i];
            assert!((score(Acquisition::Bound { beta }, i) - expected).abs() < 2e-9);
        }
    }
    let case = oracle.case("acquisition/standard");
    for (z, ei) in case.numbers("z").into_iter().zip(case.numbers("ei")) {
        let ours =
            Acquisition::Improvement { margin: 0.0 }.score(Prediction { mean: -z, variance: 1.0 }, 0.0);
        assert!(close(ours, ei, 1e-13, 0.0), "{z}: {ours} {ei}");
    }
}

#[test]
fn kernel_profiles_match_closed_forms() {
    let oracle = load("golden");
    let all = Dims::All;
    let shape = |kernel: Kernel, value: f64| set(kernel, Role::Shape, value);
    for (name, kernel) in [
        ("se", Kernel::squared_exponential(all)),
        ("matern12", Kernel::matern12(all)),
        ("matern1", Kernel::matern(all, 1.0)),
        ("matern32", Kernel::matern32(all)),
        ("matern52", Kernel::matern52(all)),
        ("matern20", Kernel::matern(all, 20.0)),
        ("gamma1.5", Kernel::gamma_exponential(all).with(Role::Shape, 1.5, 1.0..2.0, Prior::Flat)),
        ("gamma2", Kernel::gamma_exponential(all).with(Role::Shape, 2.0, 1.0..2.0, Prior::Flat)),
        ("rq1", shape(Kernel::rational_quadratic(all), 1.0)),
        ("rq2", shape(Kernel::rational_quadratic(all), 2.0)),
    ] {
        let case = oracle.case(&format!("kernel/{name}"));
        let (nodes, theta) = written(&set(kernel, Role::Length, 1.0), 1);
        let tape = Tape::attach(&nodes, &[], 1).unwrap();
        for (r, value) in case.numbers("r").into_iter().zip(case.numbers("value")) {
            // Ten digits are printed.
            assert!((tape.eval(&theta, &[0.0], &[r]) - value).abs() < 6e-11, "{name} {r}");
        }
    }
    for (name, kernel) in [
        ("se", Kernel::squared_exponential(all)),
        ("matern32", Kernel::matern32(all)),
        ("matern52", Kernel::matern52(all)),
        ("gamma1.5", Kernel::gamma_exponential(all).with(Role::Shape, 1.5, 1.0..2.0, Prior::Flat)),
        ("rq2", shape(Kernel::rational_quadratic(all), 2.0)),
    ] {
        let case = oracle.case(&format!("slope/{name}"));
        let (nodes, theta) = written(&set(kernel, Role::Length, case.number("l")), 1);
        let tape = Tape::attach(&nodes, &[], 1).unwrap();
        let mut gradient = vec![0.0; theta.len()];
        tape.gradient(&theta, &[0.0], &[case.number("r")], &mut gradient);
        assert!((gradient[0] / theta[0].exp() - case.number("by_l")).abs() < 2e-10, "{name}");
        if case.has("by_shape") {
            assert!((gradient[1] / theta[1].exp() - case.number("by_shape")).abs() < 2e-10, "{name}");
        }
    }
    let case = oracle.case("kernel/arcsin");
    let plain = Kernel::arc_sine(all).without_bias().with(Role::Weight, 1.0, 1.0..1.0, Prior::Flat);
    let biased = Kernel::arc_sine(all).with(Role::Weight, 1.0, 1.0..1.0, Prior::Flat).with(
        Role::Bias,
        1.0,
        1.0..1.0,
        Prior::Flat,
    );
    let (a, b) = (case.numbers("a"), case.numbers("b"));
    let eval = |kernel: &Kernel, i: usize| {
        let (nodes, theta) = written(kernel, 1);
        Tape::attach(&nodes, &[], 1).unwrap().eval(&theta, &[a[i]], &[b[i]])
    };
    for (i, value) in case.numbers("value").into_iter().enumerate() {
        assert!((eval(&plain, i) - value).abs() < 6e-11);
    }
    assert!((eval(&biased, 0) - case.number("augmented")).abs() < 6e-11);
}

fn sine(oracle: &Oracle) -> (Vec<Vec<f64>>, Vec<f64>) {
    let data = oracle.case("data/sine");
    (data.numbers("x").into_iter().map(|x| vec![x]).collect(), data.numbers("y"))
}

fn unit_se(l: f64) -> Kernel {
    set(Kernel::squared_exponential(Dims::All), Role::Length, l)
}

#[test]
fn evidence_of_the_sine() {
    let oracle = load("golden");
    let (x, y) = sine(&oracle);
    let case = oracle.case("evidence/sine");
    let at = |l: f64, noise: f64| {
        with_gp(&unit_se(l), Trend::Zero, noise, &x, &y, &[], |gp, tape| {
            let mut gradient = [0.0; 2];
            let value = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut gradient).unwrap();
            (value, gradient[0] / l)
        })
    };
    for (l, logp) in case.numbers("l").into_iter().zip(case.numbers("logp")) {
        assert!((at(l, 1e-6).0 - logp).abs() < 6e-7, "{l}");
    }
    for (l, slope) in case.numbers("slope_l").into_iter().zip(case.numbers("slope")) {
        assert!((at(l, 1e-6).1 - slope).abs() < 6e-7, "{l}");
    }
    let exact = oracle.case("evidence/sine_exact");
    assert!((at(1.0, NO_NOISE).0 - exact.number("logp")).abs() < 6e-8);
    for (case, noise, digits) in [(case, 1e-6, 1e-6), (exact, NO_NOISE, 1e-7)] {
        let kernel = Kernel::squared_exponential(Dims::All).with(Role::Length, 1.0, 0.1..10.0, Prior::Flat);
        let (l, logp) = with_gp(&kernel, Trend::Zero, noise, &x, &y, &[], |gp, tape| {
            let trained = gp.train(&tape, &mut Plain, &precise(0), &mut Generator::new(1)).unwrap();
            (gp.theta()[0].exp(), trained.value)
        });
        // The objective is flat at its top: half the digits in l.
        assert!((l - case.number("best_l")).abs() < 2e-6, "{l}");
        assert!((logp - case.number("best_logp")).abs() < digits, "{logp}");
    }
}

fn precise(restarts: u32) -> Training {
    let budget = Budget { evaluations: 500, tolerance: 1e-15, reach: 0.1 };
    Training { restarts, budget, ..Training::default() }
}

#[test]
fn posterior_of_the_sine() {
    let oracle = load("golden");
    let (x, y) = sine(&oracle);
    for (name, noise) in [("sine", 1e-6), ("sine_exact", NO_NOISE)] {
        let case = oracle.case(&format!("posterior/{name}"));
        with_gp(&unit_se(1.0), Trend::Zero, noise, &x, &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            let stars = case.numbers("xstar");
            for ((star, mean), variance) in
                stars.iter().zip(case.numbers("mean")).zip(case.numbers("variance"))
            {
                let p = gp.predict(&tape, &[*star]).unwrap();
                assert!((p.mean - mean).abs() < 6e-10, "{name} {star}: {}", p.mean);
                assert!((p.variance - variance).abs() < 6e-10, "{name} {star}: {}", p.variance);
            }
        });
    }
}

#[test]
fn leave_one_out_of_the_sine() {
    let oracle = load("golden");
    let (x, y) = sine(&oracle);
    let case = oracle.case("loo/sine");
    let noise = case.number("noise");
    with_gp(&unit_se(1.0), Trend::Zero, noise, &x, &y, &[], |gp, tape| {
        let mut gradient = [0.0; 2];
        let logp = gp.evidence(&tape, &mut Plain, Objective::LeaveOneOut, &mut gradient).unwrap();
        assert!((logp - case.number("logp")).abs() < 1e-10, "{logp}");
        assert!((gradient[0] - case.number("slope_l")).abs() < 1e-10, "{}", gradient[0]);
    });
    // The same numbers one by one: leave an observation out and predict it.
    for i in 0..x.len() {
        let (mut x, mut y) = (x.clone(), y.clone());
        let (left, _) = (x.remove(i), y.remove(i));
        with_gp(&unit_se(1.0), Trend::Zero, noise, &x, &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            let p = gp.predict(&tape, &left).unwrap();
            assert!((p.mean - case.numbers("mean")[i]).abs() < 1e-9);
            assert!((p.variance + noise - case.numbers("variance")[i]).abs() < 1e-9);
        });
    }
}

#[test]
fn training_finds_the_known_optimum() {
    let oracle = load("golden");
    let case = oracle.case("evidence/noisy");
    let x: Vec<Vec<f64>> = case.numbers("x").into_iter().map(|x| vec![x]).collect();
    let kernel = Kernel::squared_exponential(Dims::All)
        .scaled()
        .with(Role::Length, 1.0, 0.01..100.0, Prior::Flat)
        .with(Role::Variance, 1.0, 1e-4..100.0, Prior::Flat);
    with_gp(&kernel, Trend::Zero, 1.0, &x, &case.numbers("y"), &[], |gp, tape| {
        let ones = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
        assert!((ones - case.number("logp_at_ones")).abs() < 1e-6, "{ones}");
        gp.set_noise(1.0, 1e-6, 100.0).unwrap();
        let trained = gp.train(&tape, &mut Plain, &precise(4), &mut Generator::new(7)).unwrap();
        assert!((trained.value - case.number("best_logp")).abs() < 1e-6, "{}", trained.value);
        for (value, key) in gp.theta().iter().zip(["best_l", "best_variance", "best_noise"]) {
            assert!((value.exp() - case.number(key)).abs() < 1e-5, "{key}: {}", value.exp());
        }
    });
}

#[test]
fn trends_match_worked_examples() {
    let oracle = load("golden");
    let (x, y) = sine(&oracle);
    let check = |gp: &mut Gp<'_, f64>, tape: Tape<'_>, case: &Case, add: &dyn Fn(f64) -> f64| {
        gp.fit(&tape, &mut Plain).unwrap();
        let stars = case.numbers("xstar");
        for ((&star, mean), variance) in stars.iter().zip(case.numbers("mean")).zip(case.numbers("variance"))
        {
            let p = gp.predict(&tape, &[star]).unwrap();
            assert!((p.mean + add(star) - mean).abs() < 6e-9, "{} {star}: {}", case.name(), p.mean);
            assert!((p.variance - variance).abs() < 6e-9, "{} {star}: {}", case.name(), p.variance);
        }
    };
    let vague = oracle.case("trend/vague");
    with_gp(&unit_se(1.0), Trend::Linear, vague.number("noise"), &x, &y, &[], |gp, tape| {
        check(gp, tape, vague, &|_| 0.0);
        for (ours, beta) in gp.trend_coefficients().iter().zip(vague.numbers("beta")) {
            assert!((ours - beta).abs() < 6e-9);
        }
    });
    // β ~ N(b, I) is a kernel with a constant and a linear part of weight one, around the mean h(x)ᵀb.
    let one = |kernel: Kernel, role| kernel.with(role, 1.0, 1.0..1.0, Prior::Flat);
    let kernel = unit_se(1.0)
        .plus(one(Kernel::constant(), Role::Variance))
        .unwrap()
        .plus(one(Kernel::linear(Dims::All), Role::Weight))
        .unwrap();
    for name in ["trend/unit", "trend/unit_shifted"] {
        let case = oracle.case(name);
        let b = case.numbers("b");
        let line = |x: f64| b[0] + b[1] * x;
        let y: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - line(x[0])).collect();
        with_gp(&kernel, Trend::Zero, case.number("noise"), &x, &y, &[], |gp, tape| {
            check(gp, tape, case, &line);
            let logp = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
            assert!((logp - case.number("logp")).abs() < 1e-9, "{logp}");
        });
    }
}

#[test]
fn kriging_matches_worked_examples() {
    let oracle = load("golden");
    let x = [vec![0.0], vec![0.5], vec![1.0]];
    let y = [1.0, 0.0, 2.0];
    for (name, trend) in
        [("simple", Trend::Zero), ("ordinary", Trend::Constant), ("universal", Trend::Linear)]
    {
        let case = oracle.case(&format!("kriging/{name}"));
        with_gp(&unit_se(case.number("l")), trend, NO_NOISE, &x, &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            let star = case.number("xstar");
            let p = gp.predict(&tape, &[star]).unwrap();
            assert!((p.mean - case.number("mean")).abs() < 1e-12, "{name}: {}", p.mean);
            assert!((p.variance - case.number("variance")).abs() < 1e-12, "{name}: {}", p.variance);
            if case.has("beta") {
                for (ours, beta) in gp.trend_coefficients().iter().zip(case.numbers("beta")) {
                    assert!((ours - beta).abs() < 1e-11, "{name}: {ours} {beta}");
                }
            }
            // The weights are what a unit of each observation adds to the mean.
            for (i, weight) in case.numbers("weights").into_iter().enumerate() {
                for (k, target) in gp.targets_mut().iter_mut().enumerate() {
                    *target = if k == i { 1.0 } else { 0.0 };
                }
                gp.refresh().unwrap();
                let ours = gp.predict(&tape, &[star]).unwrap().mean;
                assert!((ours - weight).abs() < 1e-12, "{name} weight {i}: {ours}");
            }
            gp.targets_mut().copy_from_slice(&y);
            gp.refresh().unwrap();
            for (x, y) in x.iter().zip(y) {
                let p = gp.predict(&tape, x).unwrap();
                assert!((p.mean - y).abs() < 1e-13 && p.variance < 1e-14, "{name} at a site: {p:?}");
            }
        });
    }
    let case = oracle.case("kriging/concentrated");
    for (l, logp) in case.numbers("l").into_iter().zip(case.numbers("logp")) {
        with_gp(&unit_se(l), Trend::Constant, NO_NOISE, &x, &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            let ours = gp.concentrated_likelihood().unwrap();
            assert!((ours - logp).abs() < 6e-10, "{l}: {ours} {logp}");
        });
    }
}

#[test]
fn ard_posteriors_match() {
    let oracle = load("golden");
    let data = oracle.case("data/ard");
    let (m, best, noise) = (data.number("m"), data.number("best"), data.number("noise"));
    let y: Vec<f64> = data.numbers("y").iter().map(|y| y - m).collect();
    for (name, leaf) in [
        ("matern52", Kernel::matern52(Dims::All)),
        ("se", Kernel::squared_exponential(Dims::All)),
        ("laplace", Kernel::laplace(Dims::All)),
    ] {
        let case = oracle.case(&format!("ard/{name}"));
        let kernel = set(leaf.ard().scaled(), Role::Variance, data.number("v"));
        with_gp(&kernel, Trend::Zero, noise, &data.rows("x"), &y, &[], |gp, tape| {
            for (value, length) in gp.theta_table().value.iter_mut().zip(data.numbers("l")) {
                *value = length.ln();
            }
            let logp = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
            assert!((logp - case.number("logp")).abs() < 1e-11, "{name}: {logp}");
            gp.fit(&tape, &mut Plain).unwrap();
            for (i, star) in case.rows("xstar").iter().enumerate() {
                let p = gp.predict(&tape, star).unwrap();
                assert!((p.mean + m - case.numbers("mean")[i]).abs() < 1e-13, "{name} {i}");
                assert!((p.variance - case.numbers("variance")[i]).abs() < 1e-13, "{name} {i}");
                let ei = Acquisition::Improvement { margin: 0.0 }.score(p, best - m);
                assert!(close(ei, case.numbers("ei")[i], 1e-9, 1e-6), "{name} {i}: {ei}");
            }
        });
    }
}
