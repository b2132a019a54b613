use super::{Freedom, Student, Tail, evaluate, law, square};
use crate::backend::{Inputs, Objective, Regression};
use crate::error::Error;
use crate::gp::{Gp, Size, Split, Training, View, evidence};
use crate::kernel::{Dims, Kernel, Prior, Role, Tape};
use crate::linalg::{Blocks, packed};
use crate::plain::Plain;
use crate::rng::Generator;
use crate::surrogate::Surrogate;
use crate::trend::Trend;
use std::vec::Vec;

/// Seven points of two coordinates and their values (inputs `2d` of the stored pyGPGO 0.5.1 run).
const X2: [f64; 14] = [
    0.325_814_075_841_957,
    -0.679_500_180_231_310_3,
    -0.648_346_334_620_046_2,
    -0.502_964_566_459_511_7,
    0.343_576_632_068_333_33,
    0.858_970_211_510_066_6,
    0.984_764_949_132_775,
    -0.823_304_197_112_096,
    -0.032_161_291_244_871_44,
    0.614_420_521_756_454_5,
    -0.747_070_814_319_343_4,
    -0.349_006_003_000_011_3,
    0.928_352_088_617_109_9,
    -0.754_988_537_085_978_4,
];
const Y2: [f64; 7] = [
    1.126_347_382_913_532,
    -0.902_126_634_007_140_8,
    1.138_052_809_549_621_2,
    0.768_347_878_160_530_3,
    0.098_350_209_532_671_51,
    -0.800_880_260_315_663_7,
    0.844_302_944_147_569_6,
];

struct Setting {
    nodes: [u64; 64],
    lists: [u64; 64],
    kernel: Kernel,
    dims: usize,
}

impl Setting {
    fn new(kernel: Kernel, dims: usize) -> Self {
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        Self { nodes, lists, kernel, dims }
    }

    fn tape(&self) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, self.dims).unwrap()
    }

    fn size(&self, rows: usize, trend: Trend) -> Size {
        let thetas = self.kernel.thetas(self.dims).unwrap();
        Size { rows, exact: rows, dims: self.dims, thetas, columns: trend.columns(self.dims), batch: 8 }
    }

    /// θ for one length, one variance and the noise.
    fn theta(&self, length: f64, variance: f64, noise: f64) -> Vec<f64> {
        let mut theta: Vec<f64> = (0..self.tape().thetas())
            .map(|i| if self.tape().role(i) == Some(Role::Length) { length } else { variance })
            .collect();
        theta.push(noise);
        theta.iter().map(|t| t.ln()).collect()
    }
}

fn request<'a>(
    theta: &'a [f64],
    x: &'a [f64],
    y: &'a [f64],
    noise: &'a [f64],
    trend: Trend,
) -> Regression<'a, f64> {
    Regression {
        inputs: Inputs { theta, x, rows: y.len(), nugget: 0.0, blocks: Blocks::default() },
        targets: y,
        noise,
        trend,
        objective: Objective::Evidence,
    }
}

fn value(setting: &Setting, request: &Regression<'_, f64>, freedom: f64, gradient: &mut [f64]) -> f64 {
    let (n, dims) = (request.inputs.rows, setting.dims);
    let size = setting.size(n, request.trend);
    let mut factor = std::vec![0.0; packed(n)];
    let mut work = std::vec![0.0; evidence::work(n, dims, size.columns, size.thetas)];
    evaluate(&setting.tape(), &mut Plain, request, freedom, gradient, &mut factor, &mut work).unwrap()
}

/// β₁ and evidences: scipy 1.17.1 `multivariate_t` with the shape K·(ν − 2)/ν (stored keys `logp_scipy_*`), variances:
/// pyGPGO 0.5.1, which adds the noise to them.
#[test]
fn agrees_with_scipy_and_pygpgo() {
    let setting = Setting::new(Kernel::squared_exponential(Dims::All).scaled(), 2);
    let theta = setting.theta(0.4, 1.7, 0.01);
    let asked = request(&theta, &X2, &Y2, &[0.0; 7], Trend::Zero);
    assert!((value(&setting, &asked, 3.0, &mut []) - -6.206_000_251_102_071).abs() < 1e-8);
    assert!((value(&setting, &asked, 7.0, &mut []) - -6.389_462_468_738_075).abs() < 1e-8);

    let size = setting.size(7, Trend::Zero);
    let mut block = std::vec![0; size.words::<f64>()];
    let mut gp = Gp::<f64>::new(&setting.kernel, Trend::Zero, size, &mut block).unwrap();
    for (x, &y) in X2.chunks_exact(2).zip(&Y2) {
        gp.push(x, y, 0.0).unwrap();
    }
    gp.theta_table().value.copy_from_slice(&theta);
    gp.fit(&setting.tape(), &mut Plain).unwrap();
    let tails = [gp.tail(3.0).unwrap(), gp.tail(7.0).unwrap()];
    let Split { posterior, targets, work } = gp.split().unwrap();
    assert!((square(&posterior, targets).unwrap() - 2.391_532_015_419_364_7).abs() < 1e-8);
    let points = [
        -0.364_218_397_764_481_5,
        -0.710_462_481_926_180_7,
        0.373_767_438_973_309_9,
        -0.647_312_763_802_638_1,
        0.208_649_814_549_831_23,
        0.411_357_921_428_069_4,
    ];
    let means = [-0.439_746_101_787_067_74, 1.145_632_485_629_799, 0.265_065_336_348_615_84];
    let variances = [
        [0.242_095_483_504_359_75, 0.018_420_786_654_031_084, 0.325_816_997_850_528_3],
        [0.351_749_889_425_637_34, 0.026_764_273_231_772_228, 0.473_392_114_995_208_4],
    ];
    let mut view =
        View { backend: &mut Plain, tape: setting.tape(), posterior, work, anchors: &mut [], anchored: 0 };
    for (tail, (variances, nu)) in tails.iter().zip(variances.iter().zip([3.0, 7.0])) {
        let mut model = Student { model: &mut view, tail: *tail };
        assert_eq!(model.freedom(), nu + 7.0);
        let (mut mean, mut variance) = ([0.0; 3], [0.0; 3]);
        model.predict_many(&points, &mut mean, &mut variance).unwrap();
        for i in 0..3 {
            assert!((mean[i] - means[i]).abs() < 1e-8);
            // From the square of the scale to the variance, and their noise.
            let whole = variance[i] * (nu + 7.0) / (nu + 5.0) + 0.01 * tail.covariance;
            assert!((whole - variances[i]).abs() < 1e-8, "{nu} {i} {whole} {}", variances[i]);
        }
    }
}

/// The golden numbers of the specification: five points of a sine, length 1, noise 10⁻⁶.
#[test]
fn agrees_with_golden_values() {
    let setting = Setting::new(Kernel::squared_exponential(Dims::All).scaled(), 1);
    let theta = setting.theta(1.0, 1.0, 1e-6);
    let x: Vec<f64> = (0..5).map(|i| f64::from(i) * core::f64::consts::FRAC_PI_2).collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    let asked = request(&theta, &x, &y, &[0.0; 5], Trend::Zero);
    assert!((value(&setting, &asked, 3.0, &mut []) - -5.416_453_438_9).abs() < 1e-9);
    assert!((value(&setting, &asked, f64::INFINITY, &mut []) - -5.507_302_5).abs() < 1e-6);
    for (nu, factor) in [(3.0, 0.533_768_605_6), (5.0, 0.650_326_454_2), (1e6, 0.999_997_202_6)] {
        let tail = Tail::new(nu, 2.202_611_633_5f64, 5).unwrap();
        assert!((tail.covariance - factor).abs() < 1e-10);
        assert!((tail.scale * (nu + 5.0) / (nu + 3.0) / factor - 1.0).abs() < 1e-9);
    }
}

fn wavy(n: usize, dims: usize) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(11);
    let x: Vec<f64> = (0..n * dims).map(|_| crate::rng::uniform(&mut generator)).collect();
    let y = x.chunks_exact(dims).map(|p| 3.0 * (5.0 * p[0]).sin() + p.iter().sum::<f64>()).collect();
    (x, y)
}

#[test]
fn gradients_are_derivatives_with_and_without_a_trend() {
    for trend in [Trend::Zero, Trend::Constant, Trend::Linear] {
        let setting = Setting::new(Kernel::matern52(Dims::All).ard().scaled(), 2);
        let (x, y) = wavy(12, 2);
        let noise = [0.01; 12];
        let mut theta = setting.theta(0.4, 1.3, 0.05);
        theta[1] -= 0.4;
        let nu = 4.3f64;
        let mut gradient = std::vec![0.0; theta.len()];
        value(&setting, &request(&theta, &x, &y, &noise, trend), nu, &mut gradient);
        for i in 0..theta.len() {
            let at = |step: f64| {
                let mut moved = theta.clone();
                moved[i] += step;
                value(&setting, &request(&moved, &x, &y, &noise, trend), nu, &mut [])
            };
            let h = 1e-3;
            let slope = (8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * h);
            assert!(
                (slope - gradient[i]).abs() < 1e-8 * (1.0 + slope.abs()),
                "{trend:?} {i} {slope} {}",
                gradient[i]
            );
        }
    }
}

#[test]
fn many_degrees_of_freedom_are_the_gaussian_process() {
    let setting = Setting::new(Kernel::matern52(Dims::All).ard().scaled(), 2);
    for (n, trend) in [(9, Trend::Constant), (12, Trend::Zero)] {
        let (x, y) = wavy(n, 2);
        let noise = std::vec![0.0; n];
        let theta = setting.theta(0.4, 2.0, 0.05);
        let asked = request(&theta, &x, &y, &noise, trend);
        let size = setting.size(n, trend);
        let mut gradient = std::vec![0.0; theta.len()];
        let mut factor = std::vec![0.0; packed(n)];
        let mut work = std::vec![0.0; evidence::work(n, 2, size.columns, size.thetas)];
        let normal = evidence::evaluate(
            &setting.tape(),
            &mut Plain,
            &asked,
            None,
            &mut gradient,
            &mut factor,
            &mut work,
        )
        .unwrap();
        let mut ours = std::vec![0.0; theta.len()];
        assert_eq!(value(&setting, &asked, f64::INFINITY, &mut ours), normal);
        assert_eq!(ours, gradient);
        // The difference is of the order n²/ν.
        assert!((value(&setting, &asked, 1e10, &mut ours) - normal).abs() < 1e-8);
        for (a, b) in ours.iter().zip(&gradient) {
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        }
    }
    let tail = Tail::new(1e10, 17.0f64, 20).unwrap();
    assert!((tail.scale - 1.0).abs() < 1e-8 && (tail.covariance - 1.0).abs() < 1e-8);
    assert_eq!(Tail::new(f64::INFINITY, 17.0, 20), Ok(Tail::NORMAL));
}

/// An integral over the law of one further value is that of the smaller set: densities of 1, 2, … values belong together.
#[test]
fn the_laws_of_more_and_fewer_values_agree() {
    for excess in [0.05, 1.0, 3.7, 400.0] {
        for count in 1..6 {
            let square = 0.8 * count as f64;
            let fewer = if count == 1 { 0.0 } else { law(excess, square, count - 1).0 };
            let base = if count == 1 { 0.0 } else { square };
            // ∫ p(base + x²) dx by Simpson's rule in x = sinh(w).
            let (steps, reach) = (20_000, 40.0);
            let mut sum = 0.0;
            for i in 0..=steps {
                let w = reach * f64::from(i) / f64::from(steps);
                let weight = if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                let x = w.sinh();
                sum += weight * (law(excess, base + x * x, count).0 - fewer).exp() * w.cosh();
            }
            let area = 2.0 * sum * reach / f64::from(steps) / 3.0;
            assert!((area - 1.0).abs() < 1e-8, "{excess} {count} {area}");
        }
    }
}

#[test]
fn freedom_is_found_where_the_law_is_highest() {
    for (square, count) in [(3.0, 20), (200.0, 20), (20.0, 20), (1e4, 7), (0.01, 9)] {
        let mut freedom = Freedom::fitted(5.0, 2.01, 1000.0, Prior::Flat).unwrap();
        freedom.fit(square, count);
        let log = |value: f64| law(value.exp(), square, count).0;
        for i in 0..=2000 {
            let value = freedom.lo + (freedom.hi - freedom.lo) * f64::from(i) / 2000.0;
            assert!(log(value) <= log(freedom.value) + 1e-9, "{square} {count} {value}");
        }
        let mut held = Freedom::fitted(5.0, 2.01, 1000.0, Prior::LogNormal { mean: 1.0, sd: 1e-3 }).unwrap();
        held.fit(square, count);
        assert!((held.value - 1.0).abs() < 1e-2);
        let mut fixed = Freedom::<f64>::fixed(6.0).unwrap();
        fixed.fit(square, count);
        assert!((fixed.degrees() - 6.0).abs() < 1e-14);
    }
}

/// Training beats a grid over hyperparameters and degrees of freedom, and leaves a process that predicts.
#[test]
fn training_finds_the_summit() {
    let setting = Setting::new(Kernel::squared_exponential(Dims::All).scaled(), 1);
    let (x, y) = wavy(14, 1);
    let size = setting.size(14, Trend::Constant);
    let mut block = std::vec![0; size.words::<f64>()];
    let mut gp = Gp::<f64>::new(&setting.kernel, Trend::Constant, size, &mut block).unwrap();
    gp.set_noise(1e-2, 1e-4, 1.0).unwrap();
    for (x, &y) in x.iter().zip(&y) {
        gp.push(&[*x], y, 0.0).unwrap();
    }
    let mut freedom = Freedom::fitted(5.0, 2.1, 200.0, Prior::Flat).unwrap();
    let trained = gp
        .train_student(
            &setting.tape(),
            &mut Plain,
            &Training::default(),
            &mut freedom,
            &mut Generator::new(5),
        )
        .unwrap();
    let noise = [0.0; 14];
    let theta = gp.theta().to_vec();
    let at = |theta: &[f64], nu: f64| {
        value(&setting, &request(theta, &x, &y, &noise, Trend::Constant), nu, &mut [])
    };
    assert!((at(&theta, freedom.degrees()) - trained.value).abs() < 1e-9);
    for length in [0.05, 0.1, 0.2, 0.3, 0.5, 1.0] {
        for variance in [0.1, 1.0, 10.0, 100.0] {
            for noise in [1e-4, 1e-2, 0.3] {
                for nu in [2.1, 3.0, 8.0, 200.0] {
                    assert!(at(&setting.theta(length, variance, noise), nu) <= trained.value + 1e-6);
                }
            }
        }
    }
    let tail = gp.tail(freedom.degrees()).unwrap();
    assert!((tail.freedom - freedom.degrees() - 13.0).abs() < 1e-12);
    let prediction = gp.predict(&setting.tape(), &[0.5]).unwrap();
    assert!(prediction.variance > 0.0);
}

#[test]
fn nonsense_is_refused() {
    for degrees in [2.0, 1.0, -3.0, f64::NAN] {
        assert_eq!(Freedom::<f64>::fixed(degrees), Err(Error::Config));
        assert_eq!(Tail::new(degrees, 1.0, 3), Err(Error::Config));
    }
    assert_eq!(Freedom::<f32>::fitted(5.0, 6.0, 7.0, Prior::Flat), Err(Error::Config));
    assert_eq!(
        Freedom::<f32>::fitted(5.0, 3.0, 7.0, Prior::LogNormal { mean: 0.0, sd: 0.0 }),
        Err(Error::Config)
    );
    assert_eq!(Freedom::<f32>::fixed(f64::INFINITY).unwrap().degrees(), f32::INFINITY);
    let setting = Setting::new(Kernel::matern52(Dims::All), 1);
    let asked = Regression {
        objective: Objective::LeaveOneOut,
        ..request(&[0.0, 0.0], &[0.1, 0.2], &[1.0, 2.0], &[0.0; 2], Trend::Zero)
    };
    let (mut factor, mut work) = ([0.0; 3], [0.0; 2000]);
    let mut ask = |asked: &Regression<'_, f64>, nu: f64| {
        evaluate(&setting.tape(), &mut Plain, asked, nu, &mut [], &mut factor, &mut work)
    };
    assert_eq!(ask(&asked, 3.0), Err(Error::Unsupported));
    let asked = Regression { objective: Objective::Evidence, ..asked };
    assert_eq!(ask(&asked, 2.0), Err(Error::Config));
    assert!(ask(&asked, 2.5).is_ok());
}
