//! What the tests of this package share: a device, kernels, fitted models.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod bounds;
pub(crate) mod watch;

use infill::acquisition::{Acquisition, Prediction};
use infill::backend::{Inputs, Posterior};
use infill::gp::{Gp, Size, View, predict};
use infill::kernel::{Dims, Kernel, Op, Tape};
use infill::linalg::Blocks;
use infill::{Limits, Plain, Real, Surrogate, Trend};
use infill_gpu::{Api, Fault, Gpu, Hybrid, Options};
use infill_tests::random::SplitMix64;

/// Any adapter, and everything is worth the way to it.
pub(crate) fn options(api: Option<Api>) -> Options {
    Options { api, software: true, worth: 0, batch: 256, sets: 4, ..Options::default() }
}

/// A device with [`Plain`] beside it, or nothing, which is said; with `INFILL_REQUIRE_GPU=1` there has to be one.
pub(crate) fn device(limits: &Limits, options: &Options) -> Option<Hybrid<Gpu, Plain>> {
    match Gpu::new(limits, options) {
        Ok(gpu) => Some(Hybrid { gpu, cpu: Plain }),
        Err(Fault::NoAdapter) if std::env::var("INFILL_REQUIRE_GPU").as_deref() != Ok("1") => {
            println!("skipped: no adapter for {:?}", options.api);
            None
        }
        Err(fault) => panic!("{fault}"),
    }
}

/// Points in the unit cube; the coordinates from `categories` on have one of four values.
pub(crate) fn points<R: Real>(count: usize, dims: usize, categories: usize, seed: u64) -> Vec<R> {
    let mut random = SplitMix64::new(seed);
    let mut value = |i: usize| {
        let u = random.uniform();
        R::of(if i % dims < categories { u } else { ((4.0 * u).floor() + 0.5) / 4.0 })
    };
    (0..count * dims).map(&mut value).collect()
}

/// A kernel with a name for messages.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) kernel: Kernel,
}

/// Every node of the library, alone (with one length scale and with one for each dimension) and composed, in `dims`
/// dimensions of which the last is a category.
pub(crate) fn kernels(dims: usize) -> Vec<Named> {
    let (all, some) = (Dims::range(0, dims as u16), [0, dims as u16 - 2]);
    let (real, category) = (Dims::range(0, dims as u16 - 1), Dims::range(dims as u16 - 1, 1));
    let some = Dims::list(&some);
    let alone = [
        ("squared exponential", Kernel::squared_exponential(all)),
        ("matern 1/2", Kernel::matern12(all)),
        ("matern 3/2", Kernel::matern32(all)),
        ("matern 5/2", Kernel::matern52(all)),
        ("matern 1.7", Kernel::matern(all, 1.7)),
        ("rational quadratic", Kernel::rational_quadratic(all)),
        ("gamma exponential", Kernel::gamma_exponential(all)),
        ("laplace", Kernel::laplace(all)),
        ("periodic", Kernel::periodic(all)),
        ("cosine", Kernel::cosine(all)),
        ("linear", Kernel::linear(all)),
        ("polynomial", Kernel::polynomial(all, 3)),
        ("arc sine", Kernel::arc_sine(all)),
        ("hamming", Kernel::hamming(category)),
        ("exchangeable", Kernel::exchangeable(category)),
        ("constant", Kernel::constant()),
    ];
    let mut list = Vec::new();
    for (name, kernel) in alone.into_iter().chain(conditional(dims)) {
        list.push(Named { name, kernel: kernel.clone() });
        if name != "constant" {
            list.push(Named { name, kernel: kernel.ard().scaled() });
        }
    }
    let both = |a: Kernel, b: Kernel| a.times(b).expect("small");
    let mixed = both(Kernel::matern52(real).ard(), Kernel::hamming(category)).scaled();
    list.push(Named { name: "matern 5/2 times hamming", kernel: mixed });
    let sum = both(Kernel::squared_exponential(some).ard(), Kernel::exchangeable(category));
    let sum =
        sum.plus(Kernel::linear(real)).expect("small").plus(Kernel::constant()).expect("small").scaled();
    list.push(Named { name: "a sum of a product over a list", kernel: sum });
    let nested = both(Kernel::periodic(some), Kernel::rational_quadratic(real).ard().scaled());
    list.push(Named { name: "periodic times rational quadratic", kernel: nested });
    list
}

/// The nodes of conditional and mixed spaces, in `dims` dimensions of which the last is a category.
pub(crate) fn conditional(dims: usize) -> [(&'static str, Kernel); 9] {
    let last = dims as u16 - 1;
    let (real, category) = (Dims::range(0, last), Dims::range(last, 1));
    let base = || Kernel::matern52(real).ard().times(Kernel::branch(category)).expect("small");
    [
        ("branch", Kernel::branch(category)),
        ("active", Kernel::active(real)),
        ("arc", Kernel::arc(real, Op::SquaredExponential)),
        ("arc 1/2", Kernel::arc(real, Op::Matern12)),
        ("arc 3/2", Kernel::arc(real, Op::Matern32)),
        ("arc 5/2", Kernel::arc(Dims::list(&[0, last - 1]), Op::Matern52)),
        ("one hot", Kernel::one_hot(Dims::range(0, last + 1), 1, Op::Matern52)),
        ("one hot 3/2", Kernel::one_hot(Dims::list(&[0, last - 1, last]), 1, Op::Matern32)),
        ("conditional", base().scaled().times(Kernel::active(real)).expect("small")),
    ]
}

/// A kernel in words.
pub(crate) struct Program {
    nodes: Vec<u64>,
    lists: Vec<u64>,
    dims: usize,
}

impl Program {
    pub(crate) fn new(kernel: &Kernel, dims: usize) -> Self {
        let (mut nodes, mut lists) =
            (vec![0; 2 * kernel.nodes()], vec![0; kernel.list_entries().div_ceil(4)]);
        kernel.write(dims, &mut nodes, &mut lists).expect("a kernel");
        Self { nodes, lists, dims }
    }

    pub(crate) fn tape(&self) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, self.dims).expect("a tape")
    }
}

/// A fitted process as data, in one scalar.
#[derive(Clone, Debug)]
pub(crate) struct Model<R> {
    pub(crate) rows: usize,
    pub(crate) x: Vec<R>,
    pub(crate) y: Vec<R>,
    pub(crate) theta: Vec<R>,
    factor: Vec<R>,
    alpha: Vec<R>,
    trend: Trend,
    beta: Vec<R>,
    basis: Vec<R>,
    normal: Vec<R>,
}

impl<R: Real> Model<R> {
    /// A smooth function at `rows` points with a noise variance of `noise`, fitted by the plain backend.
    pub(crate) fn new(
        kernel: &Kernel,
        program: &Program,
        rows: usize,
        categories: usize,
        trend: Trend,
        noise: f64,
    ) -> Self {
        let dims = program.dims;
        let x: Vec<R> = points(rows, dims, categories, 11);
        let mut random = SplitMix64::new(12);
        let value = |x: &[R]| {
            let sum: f64 = x.iter().enumerate().map(|(k, x)| (3.0 * x.to_f64() + k as f64).sin()).sum();
            R::of(sum / (dims as f64).sqrt() + noise.sqrt() * random.normal())
        };
        let y: Vec<R> = x.chunks_exact(dims).map(value).collect();
        let thetas = kernel.thetas(dims).expect("a kernel");
        let size = Size { rows, exact: rows, dims, thetas, columns: trend.columns(dims), batch: 1 };
        let mut block = vec![0; size.words::<R>()];
        let mut gp = Gp::<R>::new(kernel, trend, size, &mut block).expect("a process");
        gp.set_noise(noise, noise, noise).expect("a noise");
        for (x, &y) in x.chunks_exact(dims).zip(&y) {
            gp.push(x, y, R::ZERO).expect("a row");
        }
        gp.fit(&program.tape(), &mut Plain).expect("positive definite");
        let theta = gp.theta().to_vec();
        let fit = gp.split().expect("a fit").posterior;
        Self {
            rows,
            theta,
            factor: fit.factor.to_vec(),
            alpha: fit.alpha.to_vec(),
            trend,
            beta: fit.beta.to_vec(),
            basis: fit.basis.to_vec(),
            normal: fit.normal.to_vec(),
            x,
            y,
        }
    }

    /// The same numbers in double precision: what exact arithmetic makes of them is the reference.
    pub(crate) fn wide(&self) -> Model<f64> {
        Model {
            rows: self.rows,
            x: wide(&self.x),
            y: wide(&self.y),
            theta: wide(&self.theta),
            factor: wide(&self.factor),
            alpha: wide(&self.alpha),
            trend: self.trend,
            beta: wide(&self.beta),
            basis: wide(&self.basis),
            normal: wide(&self.normal),
        }
    }

    pub(crate) fn inputs(&self, nugget: f64) -> Inputs<'_, R> {
        let theta = &self.theta[..self.theta.len() - 1];
        Inputs { theta, x: &self.x, rows: self.rows, nugget: R::of(nugget), blocks: Blocks::default() }
    }

    pub(crate) fn posterior(&self) -> Posterior<'_, R> {
        Posterior {
            inputs: self.inputs(0.0),
            factor: &self.factor,
            alpha: &self.alpha,
            trend: self.trend,
            beta: &self.beta,
            basis: &self.basis,
            normal: &self.normal,
        }
    }

    /// Work for any call on up to `count` points.
    pub(crate) fn work(&self, count: usize) -> Vec<R> {
        let (dims, thetas) = (self.x.len() / self.rows.max(1), self.theta.len());
        let p = self.trend.columns(dims);
        let size = predict::score_work(self.rows, dims, p, thetas, count);
        vec![R::ZERO; size.max(infill::gp::evidence::work(self.rows, dims, p, thetas))]
    }
}

impl Model<f64> {
    pub(crate) fn predict(&self, tape: Tape<'_>, point: &[f64]) -> Prediction<f64> {
        let (posterior, work) = (self.posterior(), &mut self.work(1));
        let mut view = View { backend: &mut Plain, tape, posterior, work, anchors: &mut [], anchored: 0 };
        view.predict(point).expect("a prediction")
    }
}

pub(crate) fn wide<R: Real>(values: &[R]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

/// Every rule, and one that is a recursion of several steps.
pub(crate) fn rules<R: Real>() -> [Acquisition<R>; 9] {
    [
        Acquisition::Probability { margin: R::of(0.01) },
        Acquisition::Improvement { margin: R::of(0.01) },
        Acquisition::LogImprovement { margin: R::of(0.01) },
        Acquisition::Bound { beta: R::of(1.5) },
        Acquisition::Generalised { order: 2 },
        Acquisition::Generalised { order: 5 },
        Acquisition::LogMgf { temperature: R::of(1.5) },
        Acquisition::Deviation,
        Acquisition::Noisy { noise: R::of(0.1) },
    ]
}
