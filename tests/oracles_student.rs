//! Student-t processes agree with pyGPGO, scipy and worked examples.

#[path = "helpers/kernels.rs"]
mod kernels;
#[path = "helpers/model.rs"]
mod model;

use infill::backend::{Evidence, Inputs, Objective};
use infill::gp::student::{Student, evaluate, square};
use infill::gp::{Split, View, evidence};
use infill::kernel::{Dims, Kernel, Role};
use infill::linalg::packed;
use infill::{Acquisition, Covariance, Gp, Plain, Prediction, Surrogate, Trend};
use infill_tests::oracle::{Case, load};
use kernels::{pygpgo, set};
use model::{close, with_gp};

/// Least noise that is not none: too small to change any sum it is added to.
const NO_NOISE: f64 = 1e-30;

/// The log density of the data of a process under a Student-t process with the same hyperparameters, where all
/// variances are multiplied by `scale`.
fn density<C: Covariance<f64>>(gp: &mut Gp<'_, f64>, covariance: &C, freedom: f64, scale: &[f64]) -> f64 {
    let theta: Vec<f64> = gp.theta().iter().zip(scale).map(|(theta, scale)| theta + scale.ln()).collect();
    assert_eq!(theta.len(), covariance.thetas() + 1);
    let (rows, dims) = (gp.rows(), gp.dims());
    let request = Evidence {
        inputs: Inputs { theta: &theta, x: gp.inputs(), rows, nugget: 0.0 },
        targets: gp.targets(),
        noise: gp.known_variances(),
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
fn predictions_match(case: &Case, freedom: f64, noise: f64, mean: &[f64], covariance: &[f64]) {
    let theirs = case.rows(&format!("cov_{freedom}"));
    assert_eq!((theirs.len(), case.numbers("mean").len()), (mean.len(), mean.len()));
    for (i, expected) in case.numbers("mean").into_iter().enumerate() {
        assert!(close(mean[i], expected, 1e-8, 1.0), "{} {i}: {} {expected}", case.name(), mean[i]);
        for j in 0..=i {
            let ours = covariance[packed(i) + j] + if i == j { noise } else { 0.0 };
            for expected in [theirs[i][j], theirs[j][i]] {
                // A covariance as good as the two variances it belongs to.
                let size = (theirs[i][i] * theirs[j][j]).sqrt();
                assert!(close(ours, expected, 1e-8, size), "{} {i} {j}: {ours} {expected}", case.name());
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
            for freedom in [3.0, 7.0] {
                let tail = gp.tail(freedom).unwrap();
                let factor = (freedom + theirs - 2.0) / (freedom + rows - 2.0);
                assert!(close(tail.covariance, factor, 1e-8, 0.0), "{}", case.name());
                let mut anchors =
                    vec![0.0; count * View::<f64, Plain>::anchor_scalars(gp.rows(), gp.dims(), 0)];
                let Split { posterior, work, .. } = gp.split().unwrap();
                let mut view =
                    View { backend: &mut Plain, tape, posterior, work, anchors: &mut anchors, anchored: 0 };
                let mut model = Student { model: &mut view, tail };
                assert_eq!(model.freedom(), freedom + rows);
                let (mut mean, mut matrix) = (vec![0.0; count], vec![0.0; packed(count)]);
                model.anchor(&stars, &mut mean, &mut matrix).unwrap();
                // From the scale matrix to the covariance.
                matrix.iter_mut().for_each(|v| *v *= (freedom + rows) / (freedom + rows - 2.0));
                predictions_match(case, freedom, noise * tail.covariance, &mean, &matrix);
                let (mut means, mut variances) = (vec![0.0; count], vec![0.0; count]);
                model.predict_many(&stars, &mut means, &mut variances).unwrap();
                for i in 0..count {
                    let variance = variances[i] * (freedom + rows) / (freedom + rows - 2.0);
                    let size = theirs_variance(case, freedom, i);
                    assert!(close(means[i], mean[i], 1e-12, 1.0), "{} {i}", case.name());
                    assert!(close(variance, matrix[packed(i) + i], 1e-8, size), "{} {i}", case.name());
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

fn theirs_variance(case: &Case, freedom: f64, i: usize) -> f64 {
    case.rows(&format!("cov_{freedom}"))[i][i]
}

/// pyGPGO's exp(−4 sin(πr/p)/l) + 10⁻⁴, which is positive definite on some sets of points only.
struct ExpSine;

impl Covariance<f64> for ExpSine {
    fn thetas(&self) -> usize {
        2
    }

    fn eval(&self, theta: &[f64], a: &[f64], b: &[f64]) -> f64 {
        let r = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        (-4.0 * (std::f64::consts::PI * r / theta[1].exp()).sin() / theta[0].exp()).exp() + 1e-4
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
            gp.fit(&ExpSine, &mut Plain).unwrap();
            assert_eq!(gp.jitter(), 0.0);
            let (ours, theirs) = (beta(gp), case.number("beta"));
            assert!(close(ours, theirs, 1e-8, 0.0), "{}: {ours} {theirs}", case.name());
            let (mut mean, mut matrix) = (vec![0.0; count], vec![0.0; packed(count)]);
            gp.predict_joint(&ExpSine, &data.numbers("xstar"), &mut mean, &mut matrix).unwrap();
            for freedom in [3.0, 7.0] {
                let factor = gp.tail(freedom).unwrap().covariance;
                let scaled: Vec<f64> = matrix.iter().map(|v| v * factor).collect();
                predictions_match(case, freedom, 0.0, &mean, &scaled);
                let logp = density(gp, &ExpSine, freedom, &[1.0; 3]);
                let expected = case.number(&format!("logp_{freedom}"));
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
