//! Processes, trends and training agree with closed forms and worked examples.

#[path = "helpers/kernels.rs"]
mod kernels;
#[path = "helpers/model.rs"]
mod model;

use infill::backend::Objective;
use infill::kernel::{Dims, Kernel, Prior, Role, Tape};
use infill::lbfgs::Budget;
use infill::rng::Generator;
use infill::{Acquisition, Gp, Plain, Training, Trend};
use infill_tests::calculus::gauss_legendre;
use infill_tests::oracle::{Case, Oracle, load};
use kernels::set;
use model::{close, with_gp};

/// Least noise that is not none: too small to change any sum it is added to.
const NO_NOISE: f64 = 1e-30;

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

/// The hyperparameters of seven points of a sine, integrated out by Gauss and Legendre's rule.
#[test]
fn averages_over_hyperparameters_match() {
    let oracle = load("golden");
    let case = oracle.case("hyper/sine");
    let x: Vec<Vec<f64>> = (0..7).map(|i| vec![f64::from(i)]).collect();
    // We minimise.
    let y: Vec<f64> = x.iter().map(|x| -x[0].sin()).collect();
    let best = y.iter().copied().fold(f64::INFINITY, f64::min);
    let stars = case.numbers("xstar");
    let on = |lower: f64, upper: f64, points: usize| -> Vec<(f64, f64)> {
        let half = 0.5 * (upper - lower);
        let rule = gauss_legendre(points);
        rule.into_iter().map(|(place, weight)| (lower + half * (1.0 + place), half * weight)).collect()
    };
    // Uniform in l = 10u²: places are closer where the kernel changes fast.
    let lengths: Vec<_> = on(0.0, 1.0, 48).into_iter().map(|(u, w)| (10.0 * u * u, 20.0 * u * w)).collect();
    let logs = on(-7.0, 5.0, 40);
    let kernel = Kernel::squared_exponential(Dims::All).scaled();
    with_gp(&kernel, Trend::Zero, 0.1, &x, &y, &[], |gp, tape| {
        let (mut total, mut first, mut second) = (0.0, [0.0; 3], [0.0; 3]);
        let (mut means, mut gains) = (vec![0.0; stars.len()], vec![0.0; stars.len()]);
        for &(length, by_length) in &lengths {
            for &(variance, by_variance) in &logs {
                for &(noise, by_noise) in &logs {
                    gp.theta_table().value.copy_from_slice(&[length.ln(), variance, noise]);
                    let log = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
                    let weight = log.exp() * by_length * by_variance * by_noise;
                    total += weight;
                    for (i, v) in [length, variance, noise].into_iter().enumerate() {
                        first[i] += weight * v;
                        second[i] += weight * v * v;
                    }
                    gp.fit(&tape, &mut Plain).unwrap();
                    assert_eq!(gp.jitter(), 0.0);
                    for (i, &star) in stars.iter().enumerate() {
                        let p = gp.predict(&tape, &[star]).unwrap();
                        means[i] -= weight * p.mean;
                        gains[i] += weight * Acquisition::Improvement { margin: 0.0 }.score(p, best);
                    }
                }
            }
        }
        let sd: Vec<f64> =
            first.iter().zip(second).map(|(v, w)| (w / total - (v / total) * (v / total)).sqrt()).collect();
        let averages = |sums: &[f64]| sums.iter().map(|v| v / total).collect::<Vec<_>>();
        for (key, ours) in [
            ("posterior_mean", averages(&first)),
            ("posterior_sd", sd),
            ("mean", averages(&means)),
            ("ei", averages(&gains)),
        ] {
            let printed = case.words(key);
            assert_eq!(printed.len(), ours.len());
            for (ours, word) in ours.into_iter().zip(printed) {
                let places = word.split_once('.').unwrap().1.len();
                let off = (ours - word.parse::<f64>().unwrap()).abs();
                // Half a unit of the last digit, and a little for the rule.
                assert!(off < 0.6 * 0.1f64.powi(places as i32), "{key}: {ours} {word}");
            }
        }
    });
}
