//! Acquisitions agree with other software, with closed forms and with the tables of their sources.

use infill::acquisition::cooling::Cooling;
use infill::acquisition::student;
use infill::{Acquisition, Prediction};
use infill_tests::oracle::{Case, load};

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

/// The exact keys: pyGPGO's own formula is wrong. Its location and scale are ours, and it maximises.
#[test]
fn student_improvements_match_scipy() {
    let oracle = load("pygpgo_acquisition");
    let cases = oracle.with("tei_3");
    assert_eq!(cases.len(), 60);
    for case in cases {
        let (tau, mean, std) = (case.number("tau"), case.number("mean"), case.number("std"));
        let at = Prediction { mean: -mean, variance: std * std };
        for freedom in [3.0, 7.0] {
            let score = |rule| student::score(rule, at, -tau, freedom).unwrap();
            let ours = score(Acquisition::Improvement { margin: 0.0 });
            let expected = case.number(&format!("tei_{freedom}"));
            assert!((ours - expected).abs() < 1e-10, "{} {freedom}: {ours} {expected}", case.name());
            // Far from the best their sum u·T(z) + … cancels: its terms are the larger by |z|² and more.
            let gain = (mean - tau).abs();
            let lost = 1e-14 * gain * score(Acquisition::Probability { margin: 0.0 });
            assert!(
                (ours - expected).abs() <= 1e-10 * expected + lost,
                "{} {freedom}: {ours:e} {expected:e}",
                case.name()
            );
            let log = score(Acquisition::LogImprovement { margin: 0.0 });
            assert!((log - ours.ln()).abs() < 1e-10, "{} {freedom}: {log} {}", case.name(), ours.ln());
        }
    }
}

/// Half a unit of the last digit of a printed number, and a little for our own rounding.
fn half_unit(word: &str) -> f64 {
    let (mantissa, exponent) = word.split_once('e').unwrap_or((word, "0"));
    let places = mantissa.split_once('.').map_or(9, |(_, decimals)| decimals.len() as i32);
    0.51 * 10f64.powi(exponent.parse::<i32>().unwrap() - places)
}

#[test]
fn moments_of_the_improvement_match_their_table() {
    let oracle = load("golden");
    let case = oracle.case("acquisition/moments");
    let (best, mean, std) = (case.numbers("best"), case.numbers("mean"), case.numbers("std"));
    let temperature = case.numbers("t");
    for i in 0..best.len() {
        let at = Prediction { mean: mean[i], variance: std[i] * std[i] };
        let score = |rule: Acquisition<f64>| rule.score(at, best[i]);
        for (key, ours) in [
            ("pi", score(Acquisition::Probability { margin: 0.0 })),
            ("pi", score(Acquisition::Generalised { order: 0 })),
            ("pi", score(Acquisition::LogMgf { temperature: 0.0 }).exp()),
            ("ei", score(Acquisition::Improvement { margin: 0.0 })),
            ("ei", score(Acquisition::LogImprovement { margin: 0.0 }).exp()),
            ("ei", score(Acquisition::Generalised { order: 1 })),
            ("gei_2", score(Acquisition::Generalised { order: 2 })),
            ("mgfi", score(Acquisition::LogMgf { temperature: temperature[i] }).exp()),
        ] {
            let printed = case.words(key)[i];
            let off = (ours - printed.parse::<f64>().unwrap()).abs();
            assert!(off < half_unit(printed), "{key} {i}: {ours} {printed}");
        }
    }
}

#[test]
fn cooling_matches_its_factors() {
    let oracle = load("golden");
    let case = oracle.case("cooling/exponential");
    for (steps, factor) in case.numbers("steps").into_iter().zip(case.words("factor")) {
        let cooling = Cooling {
            from: case.number("from"),
            to: case.number("to"),
            ..Cooling::exponential(steps as u32)
        };
        for i in 0..steps as u64 {
            let ratio = cooling.temperature(i + 1) / cooling.temperature(i);
            assert!(
                (ratio - factor.parse::<f64>().unwrap()).abs() < half_unit(factor),
                "{steps} {i}: {ratio}"
            );
        }
        if steps as u64 % 2 == 0 {
            let middle = case.words("middle")[0];
            let ours = cooling.temperature(steps as u64 / 2);
            assert!((ours - middle.parse::<f64>().unwrap()).abs() < half_unit(middle), "{steps}: {ours}");
        }
    }
}
