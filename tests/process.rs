//! A Gaussian process keeps its identities: gradients, joint predictions, growth, removal, a user's own kernel.

#[path = "helpers/model.rs"]
mod model;

use infill::Limit;
use infill::backend::Objective;
use infill::gp::Size;
use infill::kernel::{Dims, Kernel, Prior, Role, Tape};
use infill::lbfgs::Budget;
use infill::linalg::packed;
use infill::rng::Generator;
use infill::{Covariance, Error, Gp, Plain, Real, Training, Trend};
use infill_tests::calculus;
use infill_tests::random::SplitMix64;
use model::{close, with_gp};

const TRENDS: [Trend; 4] = [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic];
const ROWS: usize = 14;

fn data(seed: u64) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let mut random = SplitMix64::new(seed);
    let x: Vec<Vec<f64>> = (0..ROWS).map(|_| vec![random.uniform(), random.uniform()]).collect();
    let y = x.iter().map(|x| (4.0 * x[0]).sin() + x[1] * x[1] + 0.1 * random.normal()).collect();
    let known = (0..ROWS).map(|i| 0.01 * (i % 3) as f64).collect();
    (x, y, known)
}

/// Kernels of every family, alone and composed, over two coordinates.
fn kernels() -> Vec<(&'static str, Kernel)> {
    let all = Dims::All;
    let (first, second) = (Dims::range(0, 1), Dims::range(1, 1));
    vec![
        ("se", Kernel::squared_exponential(all).ard().scaled()),
        ("matern32", Kernel::matern32(all).scaled()),
        ("matern52", Kernel::matern52(all).ard().scaled()),
        ("matern 1.7", Kernel::matern(all, 1.7).ard().scaled()),
        ("rational", Kernel::rational_quadratic(all).scaled()),
        ("periodic", Kernel::periodic(all).ard().scaled()),
        ("polynomial", Kernel::polynomial(all, 2).plus(Kernel::matern52(all)).unwrap()),
        ("arc sine", Kernel::arc_sine(all).ard().scaled()),
        (
            "composed",
            Kernel::squared_exponential(first)
                .times(Kernel::matern52(second))
                .unwrap()
                .scaled()
                .plus(Kernel::linear(all).ard())
                .unwrap()
                .plus(Kernel::constant())
                .unwrap(),
        ),
    ]
}

/// ∂/∂θ of both objectives, the noise included, against five-point differences.
#[test]
fn objectives_have_their_gradients() {
    let (x, y, known) = data(1);
    for (name, kernel) in kernels() {
        for trend in TRENDS {
            for known in [&[][..], &known] {
                with_gp(&kernel, trend, 0.05, &x, &y, known, |gp, tape| {
                    let n = gp.theta().len();
                    // Away from the symmetric start.
                    let theta: Vec<f64> =
                        gp.theta().iter().enumerate().map(|(i, t)| t + 0.1 * (i as f64 - 1.0)).collect();
                    for objective in [Objective::Evidence, Objective::LeaveOneOut] {
                        let mut at = |theta: &[f64], gradient: &mut [f64]| {
                            gp.theta_table().value.copy_from_slice(theta);
                            gp.evidence(&tape, &mut Plain, objective, gradient).unwrap()
                        };
                        let mut gradient = vec![0.0; n];
                        let value = at(&theta, &mut gradient);
                        assert_eq!(value, at(&theta, &mut []), "{name} {trend:?} {objective:?}");
                        let expected = calculus::gradient(|t| at(t, &mut []), &theta);
                        for t in 0..n {
                            // ν is frozen and has no derivative.
                            if name == "matern 1.7" && t == 2 {
                                continue;
                            }
                            assert!(
                                close(gradient[t], expected[t], 1e-8, 1.0),
                                "{name} {trend:?} {objective:?} θ{t}: {} {}",
                                gradient[t],
                                expected[t]
                            );
                        }
                    }
                });
            }
        }
    }
}

/// ∂/∂x of mean and variance against five-point differences.
#[test]
fn predictions_have_their_gradients() {
    let (x, y, known) = data(2);
    for (name, kernel) in kernels() {
        for trend in TRENDS {
            with_gp(&kernel, trend, 0.01, &x, &y, &known, |gp, tape| {
                gp.fit(&tape, &mut Plain).unwrap();
                for point in [[0.31, 0.77], [0.9, 0.12], [1.3, -0.2]] {
                    let (mut by_mean, mut by_variance) = ([0.0; 2], [0.0; 2]);
                    let p = gp.predict_gradient(&tape, &point, &mut by_mean, &mut by_variance).unwrap();
                    assert_eq!(p, gp.predict(&tape, &point).unwrap());
                    for k in 0..2 {
                        let mut along = |t: f64| {
                            let mut x = point;
                            x[k] = t;
                            gp.predict(&tape, &x).unwrap()
                        };
                        // The periodic kernel changes within a tenth of its period.
                        let mean = calculus::derivative_scaled(|t| along(t).mean, point[k], 0.1);
                        let variance = calculus::derivative_scaled(|t| along(t).variance, point[k], 0.1);
                        assert!(
                            close(by_mean[k], mean, 1e-8, 1.0),
                            "{name} {trend:?} mean {k}: {} {mean}",
                            by_mean[k]
                        );
                        assert!(
                            close(by_variance[k], variance, 1e-8, 1.0),
                            "{name} {trend:?} variance {k}: {} {variance}",
                            by_variance[k]
                        );
                    }
                }
            });
        }
    }
}

#[test]
fn joint_predictions_and_samples_agree() {
    const DRAWS: usize = 20_000;
    let (x, y, _) = data(3);
    let points = [0.2, 0.3, 0.5, 0.9, 0.55, 0.8, 1.5, 1.5];
    for trend in TRENDS {
        let kernel = Kernel::matern52(Dims::All).ard().scaled();
        with_gp(&kernel, trend, 0.02, &x, &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            let (mut mean, mut matrix) = ([0.0; 4], [0.0; 10]);
            gp.predict_joint(&tape, &points, &mut mean, &mut matrix).unwrap();
            for i in 0..4 {
                let p = gp.predict(&tape, &points[2 * i..2 * i + 2]).unwrap();
                assert_eq!((p.mean, p.variance), (mean[i], matrix[packed(i) + i]), "{trend:?}");
            }
            let mut generator = Generator::new(5);
            let (mut sums, mut products) = ([0.0; 4], [0.0; 10]);
            for _ in 0..DRAWS {
                let (mut draw, mut scratch) = ([0.0; 4], [0.0; 10]);
                gp.sample(&tape, &points, &mut generator, &mut draw, &mut scratch).unwrap();
                for i in 0..4 {
                    sums[i] += draw[i] - mean[i];
                    for j in 0..=i {
                        products[packed(i) + j] += (draw[i] - mean[i]) * (draw[j] - mean[j]);
                    }
                }
            }
            let n = DRAWS as f64;
            for i in 0..4 {
                let vi = matrix[packed(i) + i];
                // Five standard errors: √(v/n), and √((vᵢvⱼ + cᵢⱼ²)/n) for a product.
                assert!((sums[i] / n).abs() < 5.0 * (vi / n).sqrt(), "{trend:?} mean {i}");
                for j in 0..=i {
                    let (c, vj) = (matrix[packed(i) + j], matrix[packed(j) + j]);
                    let error = ((vi * vj + c * c) / n).sqrt();
                    let seen = products[packed(i) + j] / n;
                    assert!((seen - c).abs() < 5.0 * error, "{trend:?} {i} {j}: {seen} {c}");
                }
            }
        });
    }
}

/// Mean and variance at a few points, and the evidence, which spoils the factor and so comes last.
fn fingerprint(gp: &mut Gp<'_, f64>, covariance: &dyn Covariance<f64>) -> Vec<f64> {
    let mut all = gp.trend_coefficients().to_vec();
    for point in [[0.1, 0.9], [0.5, 0.4], [0.97, 0.03]] {
        let p = gp.predict(covariance, &point).unwrap();
        all.extend([p.mean, p.variance]);
    }
    all
}

fn assert_same(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!(close(*a, *b, tolerance, 1.0), "{what}: {a} {b}");
    }
}

/// Growing row by row gives what a fit of all gives; taking a row away what a fit without it gives.
#[test]
fn rows_come_and_go() {
    let (x, y, known) = data(4);
    for (name, kernel) in kernels() {
        for trend in TRENDS {
            let what = format!("{name} {trend:?}");
            let whole = with_gp(&kernel, trend, 0.02, &x, &y, &known, |gp, tape| {
                gp.fit(&tape, &mut Plain).unwrap();
                fingerprint(gp, &tape)
            });
            let first = trend.columns(2) + 1;
            with_gp(&kernel, trend, 0.02, &x[..first], &y, &known, |gp, tape| {
                gp.fit(&tape, &mut Plain).unwrap();
                for i in first..ROWS.min(first + 4) {
                    gp.extend(&tape, &x[i], y[i], known[i]).unwrap();
                }
                gp.refresh().unwrap();
                let short = ROWS.min(first + 4);
                let expected = with_gp(&kernel, trend, 0.02, &x[..short], &y, &known, |gp, tape| {
                    gp.fit(&tape, &mut Plain).unwrap();
                    fingerprint(gp, &tape)
                });
                assert_same(&fingerprint(gp, &tape), &expected, 1e-9, &format!("{what} extend"));
            });
            for k in [0, 5, ROWS - 1] {
                let (mut fewer_x, mut fewer_y, mut fewer_known) = (x.clone(), y.clone(), known.clone());
                let gone = (fewer_x.remove(k), fewer_y.remove(k), fewer_known.remove(k));
                let expected = with_gp(&kernel, trend, 0.02, &fewer_x, &fewer_y, &fewer_known, |gp, tape| {
                    gp.fit(&tape, &mut Plain).unwrap();
                    fingerprint(gp, &tape)
                });
                with_gp(&kernel, trend, 0.02, &x, &y, &known, |gp, tape| {
                    gp.fit(&tape, &mut Plain).unwrap();
                    gp.remove(k).unwrap();
                    gp.refresh().unwrap();
                    assert_eq!(gp.rows(), ROWS - 1);
                    assert_same(&fingerprint(gp, &tape), &expected, 1e-9, &format!("{what} without {k}"));
                    gp.extend(&tape, &gone.0, gone.1, gone.2).unwrap();
                    gp.refresh().unwrap();
                    assert_same(&fingerprint(gp, &tape), &whole, 1e-9, &format!("{what} with {k} again"));
                    assert_eq!(gp.remove(ROWS).unwrap_err(), Error::Shape { needed: ROWS + 1 });
                });
            }
        }
    }
}

/// Without noise the mean goes through the data and the variance is nothing there.
#[test]
fn interpolates_its_data() {
    let (x, y, _) = data(6);
    for trend in TRENDS {
        let kernel = Kernel::matern52(Dims::All).with(Role::Length, 0.3, 0.1..1.0, Prior::Flat);
        with_gp(&kernel, trend, 1e-14, &x, &y, &[], |gp, tape| {
            gp.fit(&tape, &mut Plain).unwrap();
            for (x, y) in x.iter().zip(&y) {
                let p = gp.predict(&tape, x).unwrap();
                assert!((p.mean - y).abs() < 1e-9 && p.variance < 1e-9, "{trend:?} {y}: {p:?}");
            }
        });
    }
}

/// Every question to a process without a fit is refused, or answered by what is none.
fn is_silent<R: Real>(gp: &mut Gp<'_, R>, tape: &Tape<'_>, why: &str) {
    let (mut a, mut b, mut c) = ([R::ZERO; 2], [R::ZERO; 2], [R::ZERO; 3]);
    let point = [R::HALF, R::HALF];
    let four = [R::HALF; 4];
    assert!(!gp.answers(), "{why}");
    assert_eq!(gp.predict(tape, &point), Err(Error::NoData), "{why}");
    assert_eq!(gp.predict_gradient(tape, &point, &mut a, &mut b), Err(Error::NoData), "{why}");
    assert_eq!(gp.predict_joint(tape, &four, &mut a, &mut c), Err(Error::NoData), "{why}");
    assert_eq!(gp.sample(tape, &four, &mut Generator::new(1), &mut a, &mut c), Err(Error::NoData), "{why}");
    assert_eq!(gp.concentrated_likelihood(), Err(Error::NoData), "{why}");
    assert!(gp.split().is_err() && gp.jitter() == R::ZERO, "{why}");
}

/// What ends a fit, and its name.
type End<'e, R> = (&'e str, &'e dyn Fn(&mut Gp<'_, R>));

fn without_a_fit<R: Real>() {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let rows = |count: usize| {
        let x = |i: usize| vec![R::of((i * 5 % 7) as f64 / 7.0), R::of((i * 3 % 5) as f64 / 5.0)];
        ((0..count).map(x).collect::<Vec<_>>(), (0..count).map(R::of_usize).collect::<Vec<R>>())
    };
    let run = |trend: Trend, x: &[Vec<R>], y: &[R], then: &dyn Fn(&mut Gp<'_, R>, &Tape<'_>)| {
        with_gp(&kernel, trend, 0.01, x, y, &[], |gp, tape| {
            is_silent(gp, &tape, "before a fit");
            then(gp, &tape);
        });
    };
    let (few, of_few) = rows(1);
    run(Trend::Linear, &few, &of_few, &|gp, tape| {
        assert_eq!(gp.fit(tape, &mut Plain), Err(Error::NoData));
        is_silent(gp, tape, "a trend takes up the only row");
        // The factor is there: one row more, and it answers.
        gp.extend(tape, &[R::of(0.9), R::of(0.9)], R::ONE, R::ZERO).unwrap();
        gp.refresh().unwrap();
        assert!(gp.predict(tape, &few[0]).is_ok());
        gp.remove(0).unwrap();
        assert_eq!(gp.refresh(), Err(Error::NoData));
        is_silent(gp, tape, "a row was removed");
    });
    let (x, y) = rows(6);
    for trend in TRENDS.into_iter().filter(|&trend| trend != Trend::Quadratic) {
        let far: Vec<R> = (0..6).map(|i| if i % 2 == 0 { R::MAX } else { -R::MAX }).collect();
        run(trend, &x, &far, &|gp, tape| {
            assert_eq!(gp.fit(tape, &mut Plain), Err(Error::NotFinite));
            is_silent(gp, tape, "α out of the range");
        });
        run(trend, &x, &y, &|gp, tape| {
            gp.fit(tape, &mut Plain).unwrap();
            let before = gp.predict(tape, &x[1]).unwrap();
            // An answer out of the range is none, and changes nothing.
            let away = [R::MAX, R::MAX];
            assert_eq!(gp.predict(tape, &away).is_err(), trend == Trend::Linear);
            assert_eq!(gp.predict(tape, &[R::NAN, R::ONE]), Err(Error::NotFinite));
            assert_eq!(gp.predict(tape, &x[1]), Ok(before));
            gp.targets_mut().copy_from_slice(&far);
            assert_eq!(gp.refresh(), Err(Error::NotFinite));
            is_silent(gp, tape, "targets out of the range");
            gp.targets_mut().copy_from_slice(&y);
            gp.refresh().unwrap();
            assert_eq!(gp.predict(tape, &x[1]), Ok(before));
            let ends: [End<'_, R>; 5] = [
                ("push", &|gp| gp.push(&[R::ZERO, R::ONE], R::ONE, R::ZERO).unwrap()),
                ("noise", &|gp| gp.set_noise(0.1, 0.1, 0.1).unwrap()),
                ("evidence", &|gp| {
                    gp.evidence(tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
                }),
                ("unfit", &|gp| gp.unfit()),
                ("clear", &|gp| gp.clear()),
            ];
            for (name, end) in ends {
                gp.fit(tape, &mut Plain).unwrap();
                end(gp);
                is_silent(gp, tape, name);
            }
        });
    }
}

/// A fit that failed is no fit: no mean of 0 with a variance of 0, no NaN.
#[test]
fn without_a_fit_nothing_answers() {
    without_a_fit::<f64>();
    without_a_fit::<f32>();
}

/// Single precision does the same as double to single precision.
#[test]
fn single_precision_follows() {
    let (x, y, known) = data(7);
    let narrow = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
    let x32: Vec<Vec<f32>> = x.iter().map(|x| narrow(x)).collect();
    for (name, kernel) in kernels() {
        for trend in [Trend::Zero, Trend::Constant, Trend::Linear] {
            let wide = with_gp(&kernel, trend, 0.05, &x, &y, &known, |gp, tape| {
                gp.fit(&tape, &mut Plain).unwrap();
                gp.predict(&tape, &[0.4, 0.6]).unwrap()
            });
            with_gp(&kernel, trend, 0.05, &x32, &narrow(&y), &narrow(&known), |gp, tape| {
                gp.fit(&tape, &mut Plain).unwrap();
                let p = gp.predict(&tape, &[0.4, 0.6]).unwrap();
                // ε₃₂ = 6e-8, conditions up to a few thousand.
                assert!(close(f64::from(p.mean), wide.mean, 2e-3, 1.0), "{name} {trend:?}: {p:?} {wide:?}");
                assert!((f64::from(p.variance) - wide.variance).abs() < 2e-3, "{name} {trend:?}");
            });
        }
    }
}

/// A squared exponential written by hand: θ = ln ℓ₁, ln ℓ₂, ln σ².
struct Own;

impl Covariance<f64> for Own {
    fn thetas(&self) -> usize {
        3
    }

    fn eval(&self, theta: &[f64], a: &[f64], b: &[f64]) -> f64 {
        let square: f64 = (0..2).map(|k| ((a[k] - b[k]) / theta[k].exp()).powi(2)).sum();
        theta[2].exp() * (-0.5 * square).exp()
    }

    fn gradient(&self, theta: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) {
        let value = self.eval(theta, a, b);
        for k in 0..2 {
            out[k] = value * ((a[k] - b[k]) / theta[k].exp()).powi(2);
        }
        out[2] = value;
    }

    fn gradient_x(&self, theta: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) -> bool {
        let value = self.eval(theta, a, b);
        for k in 0..2 {
            out[k] = -value * (a[k] - b[k]) / (2.0 * theta[k]).exp();
        }
        true
    }
}

#[test]
fn a_users_own_kernel_does_the_same() {
    let (x, y, known) = data(8);
    let kernel = Kernel::squared_exponential(Dims::All).ard().scaled();
    let budget = Budget { evaluations: 500, tolerance: 1e-14, reach: 0.1 };
    let training = Training { restarts: 2, budget, ..Training::default() };
    for trend in TRENDS {
        let run = |own: bool| {
            with_gp(&kernel, trend, 0.02, &x, &y, &known, |gp, tape| {
                let covariance: &dyn Covariance<f64> = if own { &Own } else { &tape };
                gp.fit(covariance, &mut Plain).unwrap();
                let mut all = fingerprint(gp, covariance);
                let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
                gp.predict_gradient(covariance, &[0.3, 0.8], &mut a, &mut b).unwrap();
                all.extend(a.into_iter().chain(b));
                let mut gradient = [0.0; 4];
                for objective in [Objective::Evidence, Objective::LeaveOneOut] {
                    all.push(gp.evidence(covariance, &mut Plain, objective, &mut gradient).unwrap());
                    all.extend(gradient);
                }
                gp.set_noise(0.02, 1e-6, 1.0).unwrap();
                let trained = gp.train(covariance, &mut Plain, &training, &mut Generator::new(3)).unwrap();
                (all, trained.value, fingerprint(gp, covariance))
            })
        };
        let ((tape, best, after), (own, own_best, own_after)) = (run(false), run(true));
        assert_same(&own, &tape, 1e-9, "own kernel");
        assert!((best - own_best).abs() < 1e-6, "{trend:?}: {best} {own_best}");
        assert_same(&own_after, &after, 1e-3, "own kernel, trained");
    }
}

/// Each misuse is refused with the error that names it.
#[test]
fn misuse_is_refused() {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let size = Size { rows: 2, exact: 2, dims: 2, thetas: 3, columns: 1, batch: 4 };
    let words = size.words::<f64>();
    let mut short = vec![0; words - 1];
    assert!(matches!(
        Gp::<f64>::new(&kernel, Trend::Constant, size, &mut short).unwrap_err(),
        Error::Memory { needed } if needed == words
    ));
    let mut block = vec![0; words];
    let refused = Gp::<f64>::new(&kernel, Trend::Linear, size, &mut block);
    assert!(matches!(refused, Err(Error::Limits(need)) if need.limit() == Limit::Columns));
    let mut gp = Gp::<f64>::new(&kernel, Trend::Constant, size, &mut block).unwrap();
    assert_eq!(gp.fit(&Own, &mut Plain).unwrap_err(), Error::NoData);
    assert_eq!(gp.predict(&Own, &[0.0, 0.0]).unwrap_err(), Error::NoData);
    assert_eq!(gp.push(&[0.1], 1.0, 0.0).unwrap_err(), Error::Shape { needed: 2 });
    for (x, y, known) in [
        ([f64::NAN, 0.0], 0.0, 0.0),
        ([f64::INFINITY, 0.0], 0.0, 0.0),
        ([0.0, 0.0], f64::NAN, 0.0),
        ([0.0, 0.0], f64::INFINITY, 0.0),
        ([0.0, 0.0], 0.0, -1.0),
        ([0.0, 0.0], 0.0, f64::NAN),
        ([0.0, 0.0], 0.0, f64::INFINITY),
    ] {
        assert_eq!(gp.push(&x, y, known).unwrap_err(), Error::NotFinite);
    }
    gp.push(&[0.1, 0.2], 1.0, 0.0).unwrap();
    assert_eq!(gp.fit(&Own, &mut Plain).unwrap_err(), Error::NoData);
    gp.push(&[0.3, 0.2], 1.0, 0.0).unwrap();
    assert_eq!(gp.push(&[0.3, 0.4], 1.0, 0.0).unwrap_err(), Error::Full);
    gp.fit(&Own, &mut Plain).unwrap();
    assert_eq!(gp.predict(&Own, &[0.0]).unwrap_err(), Error::Shape { needed: 2 });
    assert!(matches!(
        gp.predict_gradient(&Own, &[0.0; 2], &mut [0.0], &mut [0.0; 2]),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        gp.predict_joint(&Own, &[0.0; 4], &mut [0.0; 2], &mut [0.0; 2]),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        gp.evidence(&Own, &mut Plain, Objective::Evidence, &mut [0.0]),
        Err(Error::Shape { .. })
    ));
    for noise in [(0.0, 0.0, 0.0), (1.0, 2.0, 3.0), (1.0, 0.1, f64::INFINITY), (f64::NAN, 0.1, 1.0)] {
        assert_eq!(gp.set_noise(noise.0, noise.1, noise.2).unwrap_err(), Error::Theta { index: 3 });
    }
}
