use super::{LEAST, MOST, Maps, USUAL_REACH, USUAL_SD, Warp, Warped, Warping};
use crate::backend::{Inputs, Objective, Regression};
use crate::error::Error;
use crate::gp::{Gp, Size, Split, Training, View, evidence};
use crate::kernel::covariance::tests::Pairs;
use crate::kernel::{Covariance, Dims, Kernel, Op, Tape};
use crate::linalg::{Blocks, packed};
use crate::plain::Plain;
use crate::real::Real;
use crate::rng::{Generator, uniform};
use crate::stats::beta::regularized;
use crate::surrogate::Surrogate;
use crate::trend::Trend;
use std::vec::Vec;

const KINDS: [Warp; 2] = [Warp::Kumaraswamy, Warp::Beta];
const SHAPES: [(f64, f64); 7] =
    [(1.0, 1.0), (0.5, 0.5), (2.0, 5.0), (5.0, 1.5), (0.3, 2.2), (0.1, 10.0), (1.0, 3.0)];

/// The points x of `tests/oracle/scipy_beta_warp.txt`, and of each case a, b, the distribution function and the density.
fn scipy() -> (Vec<f64>, Vec<[Vec<f64>; 4]>) {
    let text = include_str!("../../../../tests/oracle/scipy_beta_warp.txt");
    let of = |key: &str| -> Vec<Vec<f64>> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        lines.map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
    };
    let cases = of("a").into_iter().zip(of("b")).zip(of("cdf").into_iter().zip(of("pdf")));
    (of("x").remove(0), cases.map(|((a, b), (cdf, pdf))| [a, b, cdf, pdf]).collect())
}

/// What the error statement of the distribution function allows, relative to the smaller of I and 1 − I.
fn stated(a: f64, b: f64) -> f64 {
    (64.0 + 8.0 * (a + b) * Real::ln(a + b).abs()) * f64::EPSILON
}

#[test]
fn the_beta_warp_matches_scipy() {
    let (points, cases) = scipy();
    assert_eq!((points.len(), cases.len()), (21, 5));
    for [a, b, cdf, pdf] in cases {
        let (a, b) = (a[0], b[0]);
        assert_eq!((cdf.len(), pdf.len()), (points.len(), points.len()), "{a} {b}");
        for ((&u, &w), &slope) in points.iter().zip(&cdf).zip(&pdf) {
            let it = Warp::Beta.slopes(u, a, b);
            assert_eq!(it.value, Warp::Beta.forward(u, a, b), "{a} {b} {u}");
            let off = (it.value - w).abs();
            assert!(off < 1e-10, "{a} {b} {u}: {} {w}", it.value);
            // Scipy's own rounding, and that of its 1 − I.
            let allowed = stated(a, b) * w.min(1.0 - w) + 4.0 * f64::EPSILON * w;
            assert!(off <= allowed, "{a} {b} {u}: {} {w} {allowed:e}", it.value);
            if u > 0.0 && u < 1.0 {
                assert!((it.by_u - slope).abs() < 1e-10, "{a} {b} {u}: {} {slope}", it.by_u);
            } else {
                // The ends: none of the shapes moves them, and a pole is cut off.
                assert_eq!((it.value, it.by_first, it.by_second), (u, 0.0, 0.0), "{a} {b} {u}");
                let end = regularized(u, a, b).by_x;
                if slope.is_finite() {
                    assert!((end - slope).abs() < 1e-10, "{a} {b} {u}: {end} {slope}");
                    // Ours is one rounding inside, where none of these densities has come to 10⁻⁶.
                    assert!((it.by_u - slope).abs() < 1e-6, "{a} {b} {u}: {} {slope}", it.by_u);
                } else {
                    assert_eq!(end, f64::MAX, "{a} {b} {u}");
                    assert!(it.by_u.is_finite() && it.by_u > 1e3, "{a} {b} {u}: {}", it.by_u);
                }
            }
        }
    }
}

/// In the stored points by the shapes: differences of four points of our own values, which the test above checks.
#[test]
fn slopes_by_the_shapes_are_those_of_the_values() {
    let (points, cases) = scipy();
    for [a, b, ..] in cases {
        let (a, b) = (a[0], b[0]);
        assert!(a.min(b) > 2.0 * LEAST);
        for &u in &points {
            let it = Warp::Beta.slopes(u, a, b);
            let h = 1e-3;
            let along =
                |f: &dyn Fn(f64) -> f64| (8.0 * (f(h) - f(-h)) - f(2.0 * h) + f(-2.0 * h)) / (12.0 * h);
            let first = along(&|step| Warp::Beta.forward(u, a * Real::exp(step), b));
            let second = along(&|step| Warp::Beta.forward(u, a, b * Real::exp(step)));
            assert!((it.by_first - first).abs() < 1e-10, "{a} {b} {u}: {} {first}", it.by_first);
            assert!((it.by_second - second).abs() < 1e-10, "{a} {b} {u}: {} {second}", it.by_second);
        }
    }
}

/// u, a, b, w, 1 − w and the derivatives by u, ln a, ln b from the definition by mpmath 1.3 with 200 digits.
#[test]
fn kumaraswamy_agrees_with_many_digits() {
    #[rustfmt::skip]
    let table: [[f64; 8]; 8] = [
        [1.0e-12, 0.5, 3.0, 2.999_997_000_001e-6, 0.999_997_000_003, 1499997.000_001_500_1, -4.144_644_878_087_092e-5, 2.999_992_500_005_499_8e-6],
        [0.125, 0.25, 8.0, 0.999_270_476_197_716_7, 0.000_729_523_802_283_270_8, 0.017_120_128_452_869_005, -0.004_450_038_287_973_843_5, 0.005_269_436_917_925_198],
        [0.5, 2.0, 5.0, 0.762_695_312_5, 0.237_304_687_5, 1.582_031_25, -0.548_290_250_247_613, 0.341_341_521_512_611_16],
        [0.9375, 10.0, 0.125, 0.088_727_367_942_563_25, 0.911_272_632_057_436_7, 1.340_025_949_281_414_8, -0.081_078_087_236_805_43, 0.084_669_219_584_082_38],
        [0.999, 0.5, 0.5, 0.977_636_523_916_459_5, 0.022_363_476_083_540_553, 11.184_535_574_605_269, -0.011_178_941_441_796_11, 0.084_988_503_700_265_8],
        [0.3, 128.0, 2.0, 2.358_036_915_547_705_4e-67, 1.0, 1.006_095_750_633_687_7e-64, -3.633_935_766_932_546e-65, 2.358_036_915_547_705_4e-67],
        [0.75, 0.007_812_5, 16.0, 1.0, 4.163_303_354_398_745_6e-43, 3.083_868_448_249_796e-41, -6.653_802_497_708_692e-42, 4.062_753_340_263_025_6e-41],
        [0.0625, 1.0, 3.0, 0.176_025_390_625, 0.823_974_609_375, 2.636_718_75, -0.456_908_541_873_010_83, 0.159_534_308_231_911_17],
    ];
    for [u, a, b, value, rest, by_u, by_first, by_second] in table {
        let it = Warp::Kumaraswamy.slopes(u, a, b);
        let bound = (16.0 + 4.0 * (rest.ln().abs() + value.ln().abs() + by_u.ln().abs())) * f64::EPSILON;
        let wrong = (it.value - value).abs();
        assert!(wrong <= bound * value.min(rest) + 0.5 * f64::EPSILON * value, "{u} {a} {b} {wrong:e}");
        for (ours, theirs) in [(it.by_u, by_u), (it.by_first, by_first), (it.by_second, by_second)] {
            assert!((ours / theirs - 1.0).abs() <= bound, "{u} {a} {b} {ours:e} {theirs:e} {bound:e}");
        }
    }
}

fn plain<R: Real>() {
    for kind in KINDS {
        for (a, b) in SHAPES {
            let (a, b) = (R::of(a), R::of(b));
            assert_eq!((kind.forward(R::ZERO, a, b), kind.forward(R::ONE, a, b)), (R::ZERO, R::ONE));
            let mut before = R::ZERO;
            for i in 1..2000 {
                let u = R::of(f64::from(i) / 2000.0);
                let w = kind.forward(u, a, b);
                assert!(w >= before && w <= R::ONE, "{kind:?} {a} {b} {u}");
                before = w;
                if a == R::ONE && b == R::ONE {
                    assert_eq!((w, kind.slopes(u, a, b).value, kind.slopes(u, a, b).by_u), (u, u, R::ONE));
                }
                let it = kind.slopes(u, a, b);
                assert_eq!(it.value, w);
            }
            for u in [R::ZERO, R::ONE, R::MIN_POSITIVE, R::ONE - R::EPSILON] {
                let it = kind.slopes(u, a, b);
                let all = [it.value, it.by_u, it.by_first, it.by_second];
                assert!(
                    all.iter().all(|v| v.is_finite()) && it.by_u >= R::ZERO,
                    "{kind:?} {a} {b} {u} {it:?}"
                );
            }
        }
    }
}

#[test]
fn maps_are_monotone_and_onto() {
    plain::<f64>();
    plain::<f32>();
}

#[test]
fn slopes_are_derivatives() {
    for kind in KINDS {
        for (a, b) in SHAPES {
            for u in [0.01, 0.2, 0.5, 0.77, 0.98] {
                let it = kind.slopes(u, a, b);
                // Five points: the error is of the order h⁴.
                let central = |h: f64, f: &dyn Fn(f64) -> f64| {
                    (8.0 * (f(h) - f(-h)) - f(2.0 * h) + f(-2.0 * h)) / (12.0 * h)
                };
                let by_u = central(1e-4 * u * (1.0 - u), &|h| kind.forward(u + h, a, b));
                let by_first = central(1e-3, &|h| kind.forward(u, a * h.exp(), b));
                let by_second = central(1e-3, &|h| kind.forward(u, a, b * h.exp()));
                for (ours, theirs) in [(it.by_u, by_u), (it.by_first, by_first), (it.by_second, by_second)] {
                    assert!(
                        (ours - theirs).abs() < 1e-8 * (1.0 + theirs.abs()),
                        "{kind:?} {a} {b} {u} {ours} {theirs}"
                    );
                }
            }
        }
    }
}

#[test]
fn nonsense_stays_as_it_is() {
    for kind in [Warp::None, Warp::Kumaraswamy, Warp::Beta] {
        assert_eq!(Warp::from_code(kind.code()), Some(kind));
        for u in [-0.5, 1.5, f64::INFINITY] {
            assert_eq!(kind.forward(u, 2.0, 3.0), u);
            assert_eq!(kind.slopes(u, 2.0, 3.0).by_u, 1.0);
        }
        assert!(kind.forward(f64::NAN, 2.0, 3.0).is_nan());
        for shape in [f64::NAN, 0.0, -1.0, f64::INFINITY, 1e-300] {
            let w = kind.forward(0.3, shape, 2.0);
            assert!((0.0..=1.0).contains(&w));
        }
    }
    assert_eq!(Warp::from_code(3), None);
    assert_eq!(Warp::Beta.forward(0.3, 1e9, 2.0), Warp::Beta.forward(0.3, MOST, 2.0));
    assert_eq!(Warp::Beta.forward(0.3, 0.0, 2.0), Warp::Beta.forward(0.3, LEAST, 2.0));
    let mut out = [0.0; 4];
    assert_eq!(
        Maps { kind: Warp::Beta, shapes: &[0.0; 4], numeric: &[3] }.warp(&[0.5; 3], &mut out[..3]),
        Err(Error::Shape { needed: 2 })
    );
    assert_eq!(
        Maps { kind: Warp::Beta, shapes: &[0.0; 4], numeric: &[3] }.warp(&[0.5; 4], &mut out[..2]),
        Err(Error::Shape { needed: 4 })
    );
    assert_eq!(
        Maps::<f64> { kind: Warp::Beta, shapes: &[], numeric: &[3] }.warp(&[], &mut []),
        Err(Error::Shape { needed: 0 })
    );
    // Category and number in turn.
    Maps { kind: Warp::Kumaraswamy, shapes: &[0.5, 0.5, 0.7, -0.3], numeric: &[0b10] }
        .warp(&[0.25, 0.5, 0.75, 0.5], &mut out)
        .unwrap();
    assert_eq!((out[0], out[2], out[1] == out[3], out[1] == 0.5), (0.25, 0.75, true, false));
}

/// A number, a category, a number.
struct Setting {
    nodes: [u64; 64],
    lists: [u64; 64],
    kernel: Kernel,
}

const NUMERIC: [u64; 1] = [0b101];

impl Setting {
    fn new() -> Self {
        let mut kernel = Kernel::postfix();
        kernel.node(Op::Matern52, Dims::list(&[0, 2]));
        kernel.node_ard();
        kernel.node(Op::Hamming, Dims::list(&[1]));
        kernel.node(Op::Product, Dims::All);
        kernel.node(Op::Scale, Dims::All);
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(3, &mut nodes, &mut lists).unwrap();
        Self { nodes, lists, kernel }
    }

    fn tape(&self) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, 3).unwrap()
    }
}

fn data(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(4);
    let mut x = Vec::new();
    for i in 0..n {
        x.extend([uniform::<f64, _>(&mut generator), [0.25, 0.75][i % 2], uniform::<f64, _>(&mut generator)]);
    }
    // The ends are as good as any other value.
    (x[0], x[5]) = (0.0, 1.0);
    let y = x.chunks_exact(3).map(|p| (9.0 * p[0] * p[0]).sin() + p[1] * p[2]).collect();
    (x, y)
}

#[test]
fn the_evidence_has_its_derivatives_by_the_shapes() {
    let setting = Setting::new();
    let tape = setting.tape();
    let (x, y) = data(11);
    for kind in KINDS {
        let mut memory = std::vec![0.0; Warped::<f64>::scalars(11, 3)];
        let warped = Warped::new(tape, kind, &NUMERIC, &mut memory).unwrap();
        let thetas = warped.thetas();
        assert_eq!(thetas, tape.thetas() + 6);
        let mut theta = std::vec![-0.4; tape.thetas()];
        theta.extend([0.3, -0.5, 0.4, 0.2, -0.2, 0.6, -3.0]);
        let mut factor = std::vec![0.0; packed(11)];
        let mut work = std::vec![0.0; evidence::work(11, 3, 1, thetas)];
        let mut at = |theta: &[f64], gradient: &mut [f64]| {
            let request = Regression {
                inputs: Inputs { theta, x: &x, rows: 11, nugget: 0.0, blocks: Blocks::default() },
                targets: &y,
                noise: &[0.0; 11],
                trend: Trend::Constant,
                objective: Objective::Evidence,
            };
            evidence::evaluate(&warped, &mut Plain, &request, None, gradient, &mut factor, &mut work).unwrap()
        };
        let mut gradient = std::vec![0.0; thetas + 1];
        at(&theta, &mut gradient);
        for i in 0..=thetas {
            let mut moved = |h: f64| {
                let mut theta = theta.clone();
                theta[i] += h;
                at(&theta, &mut [])
            };
            let h = 1e-3;
            let slope = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h);
            assert!(
                (slope - gradient[i]).abs() < 1e-7 * (1.0 + slope.abs()),
                "{kind:?} {i} {slope} {}",
                gradient[i]
            );
        }
        // Those of the category do nothing.
        assert_eq!(&gradient[tape.thetas() + 2..tape.thetas() + 4], [0.0; 2]);
        // The common loops over single gradients say the same.
        let weights: Vec<f64> = (0..packed(11)).map(|i| (i as f64).sin()).collect();
        let (mut one, mut other) = (std::vec![0.0; thetas], std::vec![0.0; thetas]);
        let kernel = &theta[..thetas];
        let mut scratch = std::vec![0.0; Tape::scratch(11, 3, thetas)];
        warped.weighted_gradient(kernel, &x, 11, &weights, &mut one, &mut scratch).unwrap();
        Pairs(&warped).weighted_gradient(kernel, &x, 11, &weights, &mut other, &mut scratch).unwrap();
        for (a, b) in one.iter().zip(&other) {
            assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

/// A process of the warped kernel in a block of zeros.
fn process<'a>(setting: &Setting, kind: Warp, block: &'a mut Vec<u64>, rows: usize) -> Gp<'a, f64> {
    let kernel = setting.tape().thetas();
    let size = Size { rows, exact: rows, dims: 3, thetas: kernel + kind.thetas(3), columns: 1, batch: 8 };
    *block = std::vec![0; size.words::<f64>()];
    let mut gp = Gp::resume(Trend::Constant, size, block).unwrap();
    setting.kernel.write_theta(3, gp.theta_table()).unwrap();
    kind.write_theta(3, &NUMERIC, USUAL_SD, USUAL_REACH, gp.theta_table(), kernel).unwrap();
    gp.set_noise(1e-3, 1e-6, 1.0).unwrap();
    gp
}

#[test]
fn the_plain_kernel_of_warped_rows_predicts_the_same() {
    let setting = Setting::new();
    let (x, y) = data(10);
    let kernel = setting.tape().thetas();
    for kind in KINDS {
        let mut block = Vec::new();
        let mut gp = process(&setting, kind, &mut block, 10);
        for (x, &y) in x.chunks_exact(3).zip(&y) {
            gp.push(x, y, 0.0).unwrap();
        }
        let shapes = [0.4, -0.6, 0.0, 0.0, -0.3, 0.2];
        gp.theta_table().value[kernel..kernel + 6].copy_from_slice(&shapes);
        let mut memory = std::vec![0.0; Warped::<f64>::scalars(10, 3)];
        let warped = Warped::new(setting.tape(), kind, &NUMERIC, &mut memory).unwrap();
        gp.fit(&warped, &mut Plain).unwrap();
        let points = [0.2, 0.75, 0.9, 0.0, 0.25, 0.41];
        let direct: Vec<_> = points.chunks_exact(3).map(|p| gp.predict(&warped, p).unwrap()).collect();
        let mut rows = std::vec![0.0; 30];
        let Split { posterior, work, .. } = gp.split().unwrap();
        let posterior = warped.posterior(posterior, &mut rows).unwrap();
        let mut anchors = [0.0; 2 * 14];
        let mut view = View {
            backend: &mut Plain,
            tape: setting.tape(),
            posterior,
            work,
            anchors: &mut anchors,
            anchored: 0,
        };
        let mut room = [0.0; 6];
        let mut model = Warping {
            model: &mut view,
            maps: Maps { kind, shapes: &shapes, numeric: &NUMERIC },
            memory: &mut room,
        };
        let (mut means, mut variances) = ([0.0; 2], [0.0; 2]);
        model.predict_many(&points, &mut means, &mut variances).unwrap();
        for i in 0..2 {
            assert!(
                (means[i] - direct[i].mean).abs() < 1e-11
                    && (variances[i] - direct[i].variance).abs() < 1e-11
            );
        }
        let mut matrix = [0.0; 3];
        model.anchor(&points, &mut means, &mut matrix).unwrap();
        assert!((matrix[2] - direct[1].variance).abs() < 1e-11);
        let mut covariances = [0.0; 2];
        let again = model.against(&points[..3], &mut covariances).unwrap();
        assert!(
            (covariances[0] - again.variance).abs() < 1e-11 && (covariances[1] - matrix[1]).abs() < 1e-11
        );
        // Derivatives in the coordinates themselves.
        let point = [0.2, 0.75, 0.9];
        let (weights, mut slope) = ([0.7, -1.3], [0.0; 3]);
        model.against_gradient(&point, &weights, &mut slope).unwrap();
        for k in [0, 2] {
            let mut at = |h: f64| {
                let (mut moved, mut covariances) = (point, [0.0; 2]);
                moved[k] += h;
                model.against(&moved, &mut covariances).unwrap();
                weights[0] * covariances[0] + weights[1] * covariances[1]
            };
            let h = 1e-4;
            let difference = (8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * h);
            assert!(
                (slope[k] - difference).abs() < 1e-7 * (1.0 + difference.abs()),
                "{} {difference}",
                slope[k]
            );
        }
        let (mut by_mean, mut by_variance) = ([0.0; 3], [0.0; 3]);
        model.gradient(&point, [&mut by_mean, &mut by_variance]).unwrap();
        for k in [0, 2] {
            let mut at = |h: f64| {
                let mut moved = point;
                moved[k] += h;
                let it = model.predict(&moved).unwrap();
                [it.mean, it.variance]
            };
            let h = 1e-4;
            let (up, down, far, low) = (at(h), at(-h), at(2.0 * h), at(-2.0 * h));
            for (i, ours) in [by_mean[k], by_variance[k]].into_iter().enumerate() {
                let slope = (8.0 * (up[i] - down[i]) - far[i] + low[i]) / (12.0 * h);
                assert!((slope - ours).abs() < 1e-8 * (1.0 + slope.abs()), "{kind:?} {k} {i} {slope} {ours}");
            }
        }
        assert_eq!(by_mean[1], 0.0);
        // Too little room, or shapes of another space, are refused.
        model.memory = &mut [];
        assert!(
            model.predict(&point).is_err() && model.predict_many(&point, &mut [0.0], &mut [0.0]).is_err()
        );
        model.maps.shapes = &shapes[..2];
        assert_eq!(model.predict(&point), Err(Error::Shape { needed: 6 }));
    }
}

#[test]
fn without_a_change_it_is_the_plain_kernel_to_the_bit() {
    let setting = Setting::new();
    let tape = setting.tape();
    let (x, _) = data(8);
    let mut theta = std::vec![-0.3; tape.thetas()];
    let (mut plain, mut scratch) = (std::vec![0.0; packed(8)], std::vec![0.0; 2000]);
    tape.gram(&theta, &x, 8, &mut plain, &mut scratch).unwrap();
    theta.extend([0.0; 6]);
    for kind in [Warp::None, Warp::Kumaraswamy, Warp::Beta] {
        let mut memory = std::vec![0.0; Warped::<f64>::scalars(8, 3)];
        let warped = Warped::new(tape, kind, &NUMERIC, &mut memory).unwrap();
        let mut ours = std::vec![0.0; packed(8)];
        warped.gram(&theta, &x, 8, &mut ours, &mut scratch).unwrap();
        assert_eq!(ours, plain);
        assert_eq!(warped.eval(&theta, &x[..3], &x[3..6]), tape.eval(&theta, &x[..3], &x[3..6]));
    }
}

/// sin(12·w(u)) with known shapes looks stationary only when it is unbent.
#[test]
fn training_finds_the_bend() {
    let setting = Setting::new();
    let kernel = setting.tape().thetas();
    for (kind, a, b) in [(Warp::Kumaraswamy, 2.5, 1.0), (Warp::Beta, 0.5, 1.0)] {
        let mut block = Vec::new();
        let mut gp = process(&setting, kind, &mut block, 40);
        gp.set_noise(1e-4, 1e-6, 1e-2).unwrap();
        let mut generator = Generator::new(8);
        for i in 0..40 {
            let u: f64 = uniform(&mut generator);
            let x = [u, [0.25, 0.75][i % 2], uniform(&mut generator)];
            gp.push(&x, (14.0 * kind.forward(u, a, b)).sin(), 0.0).unwrap();
        }
        let mut memory = std::vec![0.0; Warped::<f64>::scalars(40, 3)];
        let warped = Warped::new(setting.tape(), kind, &NUMERIC, &mut memory).unwrap();
        let training = Training { restarts: 1, ..Training::default() };
        let trained = gp.train(&warped, &mut Plain, &training, &mut generator).unwrap();
        let found: Vec<f64> = gp.theta()[kernel..kernel + 6].iter().map(|t| t.exp()).collect();
        assert!((found[0] / a).ln().abs() < 0.3 && (found[1] / b).ln().abs() < 0.3, "{kind:?} {found:?}");
        // Frozen for the category.
        assert_eq!((found[2], found[3]), (1.0, 1.0));
        // Without shapes the same data are explained far worse.
        let (lo, hi) = (kernel, kernel + 6);
        gp.theta_table().value[lo..hi].fill(0.0);
        gp.theta_table().lo[lo..hi].fill(0.0);
        gp.theta_table().hi[lo..hi].fill(0.0);
        let straight = gp.train(&warped, &mut Plain, &training, &mut generator).unwrap();
        assert!(trained.value > straight.value + 5.0, "{kind:?} {} {}", trained.value, straight.value);
    }
}
