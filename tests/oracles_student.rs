//! Student-t processes agree with pyGPGO, scipy and worked examples.

#[path = "helpers/kernels.rs"]
mod kernels;
#[path = "helpers/model.rs"]
mod model;
#[path = "helpers/pygpgo.rs"]
mod pygpgo;

use infill::backend::{Inputs, Objective, Regression};
use infill::gp::student::{Student, evaluate, square};
use infill::gp::{Split, View, evidence};
use infill::kernel::{Dims, Kernel, Role};
use infill::linalg::{Blocks, packed};
use infill::{Acquisition, Covariance, Gp, Plain, Prediction, Surrogate, Trend};
use infill_tests::oracle::{Case, load};
use kernels::set;
use model::{close, with_gp};
use pygpgo::pygpgo;

/// Least noise that is not none: too small to change any sum it is added to.
const NO_NOISE: f64 = 1e-30;

/// The log density of the data of a process under a Student-t process with the same hyperparameters, where all
/// variances are multiplied by `scale`.
fn density<C: Covariance<f64>>(gp: &mut Gp<'_, f64>, covariance: &C, freedom: f64, scale: &[f64]) -> f64 {
    let theta: Vec<f64> = gp.theta().iter().zip(scale).map(|(theta, scale)| theta + scale.ln()).collect();
    assert_eq!(theta.len(), covariance.thetas() + 1);
    let (rows, dims) = (gp.rows(), gp.dims());
    let request = Regression {
        inputs: Inputs { theta: &theta, x: gp.inputs(), rows, nugget: 0.0, blocks: Blocks::default() },
        targets: gp.targets(),
        noise: &vec![0.0; rows],
        trend: Trend::Zero,
        objective: Objective::Evidence,
    };
    let mut factor = vec![0.0; packed(rows)];
    let mut work = vec![0.0; evidence::work(rows, dims, 0, covariance.thetas())];
    evaluate(covariance, &mut Plain, &request, freedom, &mut [], &mut factor, &mut work).unwrap()
}

/// β₁ of a fitted process.
fn beta(gp: &mut Gp<'_, f64>) -> f64 {
    let Split { posterior, targets, .. } = gp.split().unwrap();
    square(&posterior, targets).unwrap()
}

/// What pyGPGO says of the values at the stored points, against ours of the latent function.
///
/// `noise` is the variance of an observation there, and `lost` what the condition takes from theirs: they invert K, and
/// where the variance is a small part of the prior's their two triangles differ by as much.
fn predictions_match(case: &Case, freedom: f64, noise: f64, lost: f64, mean: &[f64], covariance: &[f64]) {
    let theirs = case.rows(&format!("cov_{freedom}"));
    assert_eq!((theirs.len(), case.numbers("mean").len()), (mean.len(), mean.len()));
    for (i, expected) in case.numbers("mean").into_iter().enumerate() {
        assert!(close(mean[i], expected, 1e-8, 1.0), "{} {i}: {} {expected}", case.name(), mean[i]);
        for j in 0..=i {
            let ours = covariance[packed(i) + j] + if i == j { noise } else { 0.0 };
            for expected in [theirs[i][j], theirs[j][i]] {
                let allowed = 1e-8 * expected.abs().max(1.0) + lost;
                assert!((ours - expected).abs() < allowed, "{} {i} {j}: {ours} {expected}", case.name());
            }
        }
    }
}

#[test]
fn processes_match_pygpgo_and_scipy() {
    let oracle = load("pygpgo_tstudent");
    let mut checked = 0;
    for case in oracle.with("kernel").into_iter().filter(|case| case.text("kernel") != "expSine") {
        let data = oracle.case(&format!("data/{}", case.text("data")));
        let noise = case.number("sigman");
        let (kernel, names) = pygpgo(case);
        let stars = data.numbers("xstar");
        let count = data.rows("xstar").len();
        with_gp(&kernel, Trend::Zero, noise, &data.rows("x"), &data.numbers("y"), &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            assert_eq!(gp.jitter(), 0.0);
            let (ours, theirs) = (beta(gp), case.number("beta"));
            assert!(close(ours, theirs, 1e-8, 0.0), "{}: {ours} {theirs}", case.name());
            let rows = gp.rows() as f64;
            let prior =
                stars.chunks_exact(gp.dims()).map(|x| tape.eval(gp.theta(), x, x)).fold(0.0, f64::max);
            for freedom in [3.0, 7.0] {
                let tail = gp.tail(freedom).unwrap();
                let factor = (freedom + theirs - 2.0) / (freedom + rows - 2.0);
                assert!(close(tail.covariance, factor, 1e-8, 0.0), "{}", case.name());
                let mut anchors = vec![0.0; count * (gp.rows() + gp.dims())];
                let Split { posterior, work, .. } = gp.split().unwrap();
                let mut view =
                    View { backend: &mut Plain, tape, posterior, work, anchors: &mut anchors, anchored: 0 };
                let mut model = Student { model: &mut view, tail };
                assert_eq!(model.freedom(), freedom + rows);
                let (mut mean, mut matrix) = (vec![0.0; count], vec![0.0; packed(count)]);
                model.anchor(&stars, &mut mean, &mut matrix).unwrap();
                // From the scale matrix to the covariance.
                matrix.iter_mut().for_each(|v| *v *= (freedom + rows) / (freedom + rows - 2.0));
                let lost = 1e-16 * case.number("condition") * prior * tail.covariance;
                predictions_match(case, freedom, noise * tail.covariance, lost, &mean, &matrix);
                let (mut means, mut variances) = (vec![0.0; count], vec![0.0; count]);
                model.predict_many(&stars, &mut means, &mut variances).unwrap();
                for i in 0..count {
                    let variance = variances[i] * (freedom + rows) / (freedom + rows - 2.0);
                    assert!(close(means[i], mean[i], 1e-12, 1.0), "{} {i}", case.name());
                    assert!(
                        close(variance, matrix[packed(i) + i], 1e-12, tail.covariance),
                        "{} {i}",
                        case.name()
                    );
                }
                let mut ones = vec![1.0; names.len() + 1];
                let logp = density(gp, &tape, freedom, &ones);
                let expected = case.number(&format!("logp_{freedom}"));
                assert!(close(logp, expected, 1e-8, 1.0), "{}: {logp} {expected}", case.name());
                // K is the shape of a law whose covariance is K·ν/(ν − 2); the last two are variance and noise.
                ones[names.len() - 1..].fill(freedom / (freedom - 2.0));
                let logp = density(gp, &tape, freedom, &ones);
                let expected = case.number(&format!("scale_logp_{freedom}"));
                assert!(close(logp, expected, 1e-8, 1.0), "{}: {logp} {expected}", case.name());
                checked += 1;
            }
        });
    }
    assert_eq!(checked, 60);
}

/// The worst conditioned of these cases, at 40 digits: β₁, the means, and the covariances of the latent function.
#[test]
fn covariances_hold_where_an_inverse_fails() {
    let oracle = load("pygpgo_tstudent");
    let data = oracle.case("data/1d");
    let kernel = set(Kernel::squared_exponential(Dims::All), Role::Length, 1.0);
    with_gp(&kernel, Trend::Zero, 1e-6, &data.rows("x"), &data.numbers("y"), &[], |gp, tape| {
        gp.fit(&tape, &mut Plain).unwrap();
        assert!(close(beta(gp), 6_882_771.276_810_752, 1e-9, 0.0));
        let (mut mean, mut matrix) = ([0.0; 3], [0.0; 6]);
        gp.predict_joint(&tape, &data.numbers("xstar"), &mut mean, &mut matrix).unwrap();
        for (ours, exact) in
            mean.iter().zip([-0.510_481_203_778_064_4, 3.608_300_739_651_162, -1.210_352_841_285_462_2])
        {
            assert!((ours - exact).abs() < 1e-9, "{ours} {exact}");
        }
        for (freedom, exact, logp) in [
            (
                3.0,
                [
                    0.532_591_642_078_493_1,
                    -0.084_494_325_856_094_5,
                    0.827_385_933_332_545_2,
                    0.071_750_778_551_804_82,
                    0.222_002_695_395_612_18,
                    0.872_306_012_879_888_8,
                ],
                -53.998_294_794_680_82,
            ),
            (
                7.0,
                [
                    0.338_922_151_018_230_06,
                    -0.053_769_147_702_401_03,
                    0.526_518_627_203_624_1,
                    0.045_659_612_886_727_22,
                    0.141_274_524_627_701,
                    0.555_104_148_982_901_1,
                ],
                -77.967_260_381_593_54,
            ),
        ] {
            let factor = gp.tail(freedom).unwrap().covariance;
            for (ours, exact) in matrix.iter().zip(exact) {
                // Each is 10⁶ times a difference of numbers near 1.
                assert!(
                    (factor * ours - exact).abs() < 4.0 * f64::EPSILON * factor,
                    "{} {exact}",
                    factor * ours
                );
            }
            let ours = density(gp, &tape, freedom, &[1.0; 2]);
            assert!((ours - logp).abs() < 1e-9, "{ours} {logp}");
        }
    });
}

/// pyGPGO's exp(−4 sin(πr/p)/l) + 10⁻⁴, which is positive definite on some sets of points only; times a factor.
struct ExpSine(f64);

impl Covariance<f64> for ExpSine {
    fn thetas(&self) -> usize {
        2
    }

    fn eval(&self, theta: &[f64], a: &[f64], b: &[f64]) -> f64 {
        let r = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let bent = (std::f64::consts::PI * r / theta[1].exp()).sin();
        self.0 * ((-4.0 * bent / theta[0].exp()).exp() + 1e-4)
    }

    fn gradient(&self, _: &[f64], _: &[f64], _: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn gradient_x(&self, _: &[f64], _: &[f64], _: &[f64], _: &mut [f64]) -> bool {
        false
    }
}

#[test]
fn a_covariance_of_the_user_matches_too() {
    let oracle = load("pygpgo_tstudent");
    let mut checked = 0;
    for case in oracle.with("period") {
        assert_eq!(case.text("kernel"), "expSine");
        let data = oracle.case(&format!("data/{}", case.text("data")));
        // Any kernel with as many hyperparameters makes the room.
        let kernel = set(Kernel::periodic(Dims::All), Role::Length, case.number("l"));
        let kernel = set(kernel, Role::Period, case.number("period"));
        let count = data.rows("xstar").len();
        with_gp(&kernel, Trend::Zero, NO_NOISE, &data.rows("x"), &data.numbers("y"), &[], |gp, _| {
            gp.fit(&ExpSine(1.0), &mut Plain).unwrap();
            assert_eq!(gp.jitter(), 0.0);
            let (ours, theirs) = (beta(gp), case.number("beta"));
            assert!(close(ours, theirs, 1e-8, 0.0), "{}: {ours} {theirs}", case.name());
            let (mut mean, mut matrix) = (vec![0.0; count], vec![0.0; packed(count)]);
            gp.predict_joint(&ExpSine(1.0), &data.numbers("xstar"), &mut mean, &mut matrix).unwrap();
            for freedom in [3.0, 7.0] {
                let factor = gp.tail(freedom).unwrap().covariance;
                let scaled: Vec<f64> = matrix.iter().map(|v| v * factor).collect();
                predictions_match(case, freedom, 0.0, 0.0, &mean, &scaled);
                let logp = density(gp, &ExpSine(1.0), freedom, &[1.0; 3]);
                let expected = case.number(&format!("logp_{freedom}"));
                assert!(close(logp, expected, 1e-8, 1.0), "{}: {logp} {expected}", case.name());
                let logp = density(gp, &ExpSine(freedom / (freedom - 2.0)), freedom, &[1.0; 3]);
                let expected = case.number(&format!("scale_logp_{freedom}"));
                assert!(close(logp, expected, 1e-8, 1.0), "{}: {logp} {expected}", case.name());
                checked += 1;
            }
        });
    }
    assert_eq!(checked, 4);
}

#[test]
fn the_sine_matches_the_worked_example() {
    let oracle = load("golden");
    let (data, case) = (oracle.case("data/sine"), oracle.case("student/sine"));
    let x: Vec<Vec<f64>> = data.numbers("x").into_iter().map(|x| vec![x]).collect();
    let kernel = set(Kernel::squared_exponential(Dims::All), Role::Length, case.number("l"));
    with_gp(&kernel, Trend::Zero, case.number("noise"), &x, &data.numbers("y"), &[], |gp, tape| {
        gp.fit(&tape, &mut Plain).unwrap();
        let ours = beta(gp);
        assert!((ours - case.number("beta")).abs() < 6e-11, "{ours}");
        for (freedom, factor) in case.numbers("nu").into_iter().zip(case.numbers("factor")) {
            let tail = gp.tail(freedom).unwrap();
            assert!((tail.covariance - factor).abs() < 6e-11, "{freedom}: {}", tail.covariance);
        }
        let logp = density(gp, &tape, 3.0, &[1.0; 2]);
        assert!((logp - case.number("logp_nu3")).abs() < 6e-11, "{logp}");
        // Ever more degrees of freedom come to the Gaussian process, by a difference that falls as their inverse.
        let normal = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
        assert!((normal - case.number("logp_normal")).abs() < 6e-8, "{normal}");
        assert_eq!(density(gp, &tape, f64::INFINITY, &[1.0; 2]), normal);
        assert!((density(gp, &tape, 1e10, &[1.0; 2]) - normal).abs() < 1e-8);
    });
    let case = oracle.case("acquisition/student");
    let std = case.number("std");
    let at = Prediction { mean: -case.number("mean"), variance: std * std };
    let rule = Acquisition::Improvement { margin: 0.0 };
    let ours = infill::acquisition::student::score(rule, at, -case.number("tau"), case.number("nu")).unwrap();
    assert!((ours - case.number("ei")).abs() < 6e-11, "{ours}");
}
