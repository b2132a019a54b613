//! The means of many sources on the device, one by one and taken together, and the proposals that come of them.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use infill::backend::{Backend, Cross, Evidence, Gram, Inputs, Means, Member, Pooling, Said, Score, Visit};
use infill::kernel::{Dims, Kernel, Tape};
use infill::linalg::{self, Blocks, packed};
use infill::transfer::{Form, How, Sources, Start, Transfer, Weights};
use infill::{Config, Error, Limits, Optimizer, Param, Plain, Real, Space};
use infill_gpu::{Api, Gpu, Hybrid, Options, WithFallback};
use infill_tests::random::SplitMix64;
use support::bounds::means::{Estimate, Pool};
use support::{Program, device, kernels, options, points};

const DIMS: usize = 5;

/// Sources that were fitted to smooth functions, with weights of both signs, some of them 0.
struct List<R> {
    fingerprint: u64,
    program: Program,
    x: Vec<Vec<R>>,
    theta: Vec<Vec<R>>,
    alpha: Vec<Vec<R>>,
    weight: Vec<R>,
    low: Vec<R>,
}

impl<R: Real> List<R> {
    fn new(fingerprint: u64, kernel: &Kernel, dims: usize, rows: &[usize]) -> Self {
        let program = Program::new(kernel, dims);
        let tape = program.tape();
        let mut random = SplitMix64::new(9);
        let (mut x, mut theta, mut alpha, mut weight, mut low) = (vec![], vec![], vec![], vec![], vec![]);
        for (s, &rows) in rows.iter().enumerate() {
            let own: Vec<R> = points(rows, dims, dims, s as u64);
            let mut own_theta = vec![R::ZERO; tape.thetas()];
            kernel.write_start(dims, &mut own_theta).expect("a start");
            own_theta.iter_mut().for_each(|theta| *theta += R::of(random.uniform() - 0.5));
            let center: Vec<f64> = (0..dims).map(|_| random.uniform()).collect();
            let value = |point: &[R]| {
                let gaps = point.iter().zip(&center).map(|(x, c)| (x.to_f64() - c).powi(2));
                R::of(gaps.sum::<f64>() / dims as f64 - 0.25)
            };
            // α = (K + σ²I)⁻¹(y − o)
            let mut side: Vec<R> = own.chunks_exact(dims).map(value).collect();
            let mut matrix = vec![R::ZERO; packed(rows)];
            let inputs =
                Inputs { theta: &own_theta, x: &own, rows, nugget: R::ZERO, blocks: Blocks::default() };
            let mut work = vec![R::ZERO; Tape::scratch(rows, dims, tape.thetas())];
            Plain.gram(&Gram { tape, inputs: &inputs }, &mut matrix, &mut work).expect("a matrix");
            (0..rows).for_each(|i| matrix[packed(i) + i] += R::of(1e-2));
            Plain.factor(&mut matrix, rows).expect("positive definite");
            linalg::solve_lower(&matrix, rows, &mut side).expect("a side");
            linalg::solve_upper(&matrix, rows, &mut side).expect("a side");
            alpha.push(side);
            theta.push(own_theta);
            x.push(own);
            weight.push(R::of(if s % 7 == 3 { 0.0 } else { random.uniform() - 0.25 }));
            low.push(R::of(0.3 * random.uniform()));
        }
        Self { fingerprint, program, x, theta, alpha, weight, low }
    }

    fn visit(&self, each: &mut Visit<'_, R>) -> Result<(), Error> {
        (0..self.x.len()).try_for_each(|s| each(s, &self.member(s)))
    }

    fn member(&self, s: usize) -> Member<'_, R> {
        let (rows, x, theta) = (self.alpha[s].len(), &self.x[s], &self.theta[s]);
        let inputs = Inputs { theta, x, rows, nugget: R::ZERO, blocks: Blocks::default() };
        let (weight, low, offset) = (self.weight[s], self.low[s], R::of(0.5));
        Member { tape: self.program.tape(), inputs, alpha: &self.alpha[s], offset, weight, low }
    }

    fn work(&self) -> Vec<R> {
        let tape: Tape<'_> = self.program.tape();
        vec![R::ZERO; Member::<R>::work(usize::MAX, tape.dims(), tape.thetas())]
    }
}

/// What a space of so many reals has by default.
fn usual(dims: usize) -> Kernel {
    Kernel::matern52(Dims::range(0, dims as u16)).ard().scaled()
}

const POOLINGS: [fn() -> Pooling<f64>; 3] =
    [|| Pooling::Mean { scale: 1.7 }, || Pooling::Gain, || Pooling::Least];

fn cast<R: Real>(pooling: Pooling<f64>) -> Pooling<R> {
    match pooling {
        Pooling::Mean { scale } => Pooling::Mean { scale: R::of(scale) },
        Pooling::Gain => Pooling::Gain,
        Pooling::Least => Pooling::Least,
    }
}

/// Every mean and every way to take them together within its bound; returns the largest error and the largest bound looked at.
fn check<R: Real>(backend: &mut dyn Backend<R>, list: &List<R>, candidates: &[R]) -> [f64; 2] {
    let (dims, sources) = (list.program.tape().dims(), list.x.len());
    let count = candidates.len() / dims;
    let members = |each: &mut Visit<'_, R>| list.visit(each);
    let request =
        Means { fingerprint: list.fingerprint, count: sources, members: &members, points: candidates, dims };
    let (mut work, mut room) = (list.work(), vec![R::ZERO; 100.min(count)]);
    let mut got = vec![R::NAN; sources * count];
    let each = &mut |said: &Said<'_, R>| {
        let from = said.index * count + said.first;
        got[from..from + said.means.len()].copy_from_slice(said.means);
    };
    backend.means(&request, &mut room, &mut work, each).expect("means");
    let mut worst = [0.0f64; 2];
    // What is off by no more than sums and products alone may be need not be looked at more closely.
    let mut within = |off: f64, some: Estimate, whole: &dyn Fn() -> Estimate| {
        let bound = if off <= some.error() { some.error() } else { whole().error() };
        assert!(off <= bound, "off by {off:.1e}, bound {bound:.1e}");
        worst = [worst[0].max(off), worst[1].max(bound)];
    };
    let asked = |s: &usize| list.weight[*s] != R::ZERO;
    let mut estimates = vec![Vec::new(); sources];
    for s in 0..sources {
        let (member, got) = (list.member(s), &got[s * count..(s + 1) * count]);
        if !asked(&s) {
            assert!(got.iter().all(|got| got.is_nan()), "{s} was not asked");
            continue;
        }
        estimates[s] = Estimate::means(&member, candidates);
        for (c, point) in candidates.chunks_exact(dims).enumerate() {
            let off = (got[c].to_f64() - estimates[s][c].value).abs();
            within(off, estimates[s][c], &|| Estimate::mean(&member, point));
        }
    }
    for pooling in POOLINGS.map(|of| cast::<R>(of())) {
        let mut out = vec![R::ONE; count];
        backend.pool(&request, pooling, &mut out, &mut room, &mut work).expect("a pool");
        for (c, point) in candidates.chunks_exact(dims).enumerate() {
            let pooled = |of: &dyn Fn(usize) -> Estimate| {
                let mut pool = Pool::default();
                for s in (0..sources).filter(asked) {
                    pool.add(pooling, &list.member(s), of(s));
                }
                pool.estimate()
            };
            let some = pooled(&|s| estimates[s][c]);
            let off = (out[c].to_f64() - 1.0 - some.value).abs();
            // What the sum with the number before it is rounded by is no fault of the device.
            let off = (off - R::EPSILON.to_f64() * (1.0 + some.value.abs())).max(0.0);
            within(off, some, &|| pooled(&|s| Estimate::mean(&list.member(s), point)));
        }
    }
    worst
}

/// Two hundred sources at 4,096 candidates.
#[test]
fn many_sources() {
    let limits = Limits::new(DIMS as u32, 200).kernel(24, 64, 80);
    let Some(mut gpu) = device(&limits, &Options { batch: 4096, ..options(None) }) else { return };
    let list = List::<f64>::new(1, &usual(DIMS), DIMS, &[100; 200]);
    let candidates: Vec<f64> = points(4096, DIMS, DIMS, 1 << 20);
    let [worst, bound] = check(&mut gpu, &list, &candidates);
    let done = gpu.gpu.counters();
    println!("{worst:.1e}, bound {bound:.1e}, {done:?}");
    assert_eq!(done.answered, 4);
    // The sources cross the bus once, candidates and weights as well; back come the means once and three numbers a candidate.
    let (theta, rows) = (DIMS + 1, 200 * 100);
    let words = 8 + 200 * (theta + 3) + rows * (DIMS + 1) + 4096 * DIMS + 3 * asked(&list);
    assert_eq!(done.bytes_up, 4 * words as u64);
    assert_eq!(done.bytes_down, 4 * 4096 * (asked(&list) + 3) as u64);
}

/// How many have a weight.
fn asked<R: Real>(list: &List<R>) -> usize {
    list.weight.iter().filter(|weight| **weight != R::ZERO).count()
}

/// Every node of the library, sources of different sizes, more of them and more candidates than fit at a time, both scalars; a
/// part of it by OpenGL.
#[test]
fn every_kernel() {
    for (api, share) in [(None, 1), (Some(Api::Gl), 6)] {
        let limits = Limits::new(5, 3).kernel(24, 64, 80);
        let own = Options { batch: 64, sets: 1, ..options(api) };
        let Some(mut gpu) = device(&limits, &own) else { continue };
        let rows = [1, 2, 63, 64, 65, 130, 7];
        let (candidates, narrow) = (points::<f64>(150, 5, 4, 5), points::<f32>(150, 5, 4, 5));
        for (number, named) in kernels(5).iter().enumerate().filter(|(number, _)| number % share == 0) {
            let known = named.name != "matern 1.7";
            let before = gpu.gpu.counters().answered;
            let fingerprint = 2 * number as u64;
            let list = List::<f64>::new(fingerprint + 1, &named.kernel, 5, &rows);
            let [worst, bound] = if known { check(&mut gpu, &list, &candidates) } else { [0.0; 2] };
            println!("{}: {worst:.1e}, bound {bound:.1e}", named.name);
            if number % 4 == 0 && known {
                let list = List::<f32>::new(fingerprint + 2, &named.kernel, 5, &rows);
                check(&mut gpu, &list, &narrow);
            }
            let calls = if number % 4 == 0 { 8 } else { 4 };
            assert_eq!(gpu.gpu.counters().answered - before, if known { calls } else { 0 }, "{}", named.name);
        }
    }
}

/// Sources of two kernels, or of a node that no shader knows, are the CPU's, and so is what is not worth the way; after another
/// list the first is copied again.
#[test]
fn what_is_not_for_the_device() {
    let limits = Limits::new(3, 40).kernel(24, 64, 80);
    let Some(mut gpu) = device(&limits, &options(None)) else { return };
    let candidates: Vec<f64> = points(20, 3, 3, 5);
    let all = Dims::range(0, 3);
    let one = List::<f64>::new(1, &usual(3), 3, &[9, 8]);
    let other = List::<f64>::new(2, &Kernel::matern32(all).ard().scaled(), 3, &[9, 8]);
    let general = List::<f64>::new(3, &Kernel::matern(all, 1.7).ard().scaled(), 3, &[9, 8]);
    let mixed = |each: &mut Visit<'_, f64>| {
        each(0, &one.member(0))?;
        each(1, &other.member(1))
    };
    let (some, general) =
        (|each: &mut Visit<'_, f64>| one.visit(each), |each: &mut Visit<'_, f64>| general.visit(each));
    let other = |each: &mut Visit<'_, f64>| other.visit(each);
    let (points, dims, count) = (&candidates[..], 3, 2);
    let mut ask = |fingerprint, members: &dyn Fn(&mut Visit<'_, f64>) -> Result<(), Error>| {
        let request = Means { fingerprint, count, members, points, dims };
        let (mut got, mut expected) = ([0.0; 20], [0.0; 20]);
        let (mut room, mut work) = ([0.0; 20], one.work());
        let before = gpu.gpu.counters();
        gpu.pool(&request, Pooling::Least, &mut got, &mut room, &mut work).expect("a pool");
        Plain.pool(&request, Pooling::Least, &mut expected, &mut room, &mut work).expect("a pool");
        let after = gpu.gpu.counters();
        let [there, up] = [after.answered - before.answered, after.bytes_up - before.bytes_up];
        // Single precision shows.
        assert_eq!(there == 0, got == expected);
        assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4));
        (there, up)
    };
    assert_eq!(ask(4, &mixed).0, 0);
    assert_eq!(ask(3, &general).0, 0);
    let (there, first) = ask(1, &some);
    let (_, again) = ask(1, &some);
    assert!(there == 1 && first > 4 * 17 * 4 && again == 0, "{first} bytes, then {again}");
    assert!(ask(2, &other).1 > 0 && ask(1, &some).1 > 4 * 17 * 4);
    let low = Options { worth: 1 << 20, ..options(None) };
    let Some(mut gpu) = device(&limits, &low) else { return };
    let request = Means { fingerprint: 1, count, members: &some, points, dims };
    gpu.pool(&request, Pooling::Gain, &mut [0.0; 20], &mut [0.0; 20], &mut one.work()).expect("a pool");
    assert_eq!((gpu.gpu.counters().answered, gpu.gpu.counters().declined), (0, 1));
}

/// A device that is lost in between: the call that meets the fault is answered by the CPU, from the beginning.
#[test]
fn a_lost_device_says_nothing_twice() {
    let limits = Limits::new(3, 40).kernel(24, 64, 80);
    let mut backend = WithFallback::new(&limits, &options(None), Plain);
    if backend.gpu.gpu().is_none() {
        println!("skipped: no adapter");
        return;
    }
    let list = List::<f64>::new(1, &usual(3), 3, &[9, 8, 30]);
    let members = |each: &mut Visit<'_, f64>| list.visit(each);
    let candidates: Vec<f64> = points(20, 3, 3, 5);
    let request = Means { fingerprint: 1, count: 3, members: &members, points: &candidates, dims: 3 };
    let mut work = list.work();
    let mut ask = |backend: &mut dyn Backend<f64>| {
        let (mut sums, mut said) = (vec![1.0; 20], Vec::new());
        backend.pool(&request, Pooling::Gain, &mut sums, &mut [0.0; 6], &mut work).expect("a pool");
        let each = &mut |one: &Said<'_, f64>| said.extend_from_slice(one.means);
        backend.means(&request, &mut [0.0; 6], &mut work, each).expect("means");
        (sums, said)
    };
    let expected = ask(&mut Plain);
    assert_ne!(ask(&mut backend), expected, "single precision shows");
    if let Some(gpu) = backend.gpu.gpu_mut() {
        gpu.destroy();
    }
    assert_eq!(ask(&mut backend), expected);
    assert!(backend.gpu.reason().is_some());
}

/// A device for means, the CPU for everything else: what differs is theirs.
struct ForMeans(Hybrid<Gpu, Plain>);

impl Backend<f64> for ForMeans {
    fn gram(&mut self, r: &Gram<'_, f64>, o: &mut [f64], w: &mut [f64]) -> Result<(), Error> {
        Plain.gram(r, o, w)
    }

    fn cross(&mut self, r: &Cross<'_, f64>, o: &mut [f64], w: &mut [f64]) -> Result<(), Error> {
        Plain.cross(r, o, w)
    }

    fn factor(&mut self, matrix: &mut [f64], rows: usize) -> Result<(), Error> {
        Plain.factor(matrix, rows)
    }

    fn solve(&mut self, factor: &[f64], rows: usize, sides: &mut [f64]) -> Result<(), Error> {
        Plain.solve(factor, rows, sides)
    }

    fn invert(&mut self, factor: &[f64], rows: usize, out: &mut [f64]) -> Result<(), Error> {
        Plain.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        r: &Evidence<'_, f64>,
        g: &mut [f64],
        f: &mut [f64],
        w: &mut [f64],
    ) -> Result<f64, Error> {
        Plain.evidence(r, g, f, w)
    }

    fn score(&mut self, r: &Score<'_, f64>, o: &mut [f64], w: &mut [f64]) -> Result<(), Error> {
        Plain.score(r, o, w)
    }

    fn screens(&self) -> bool {
        Backend::<f64>::screens(&self.0)
    }

    fn means(
        &mut self,
        r: &Means<'_, f64>,
        o: &mut [f64],
        w: &mut [f64],
        each: &mut dyn FnMut(&Said<'_, f64>),
    ) -> Result<(), Error> {
        self.0.means(r, o, w, each)
    }

    fn pool(
        &mut self,
        r: &Means<'_, f64>,
        pooling: Pooling<f64>,
        o: &mut [f64],
        f: &mut [f64],
        w: &mut [f64],
    ) -> Result<(), Error> {
        self.0.pool(r, pooling, o, f, w)
    }
}

/// A device screens, the CPU decides: from the cover to the last trial what is proposed is the CPU's choice. Where there is a finite
/// number of points it is that to the bit; elsewhere two climbs may end on one top from two sides, or on another one as high.
#[test]
fn proposals_are_those_of_the_cpu() {
    let levels = [Param::integer(0, 11), Param::integer(0, 11), Param::categorical(3)];
    let reals = [Param::real(0.0, 11.0), Param::real(0.0, 11.0), Param::categorical(3)];
    let (mut same, mut all) = (0, 0);
    for (params, finite) in [(levels, true), (reals, false)] {
        let space = Space::new(&params, &[]).expect("a space");
        let valley = |point: &[f64], at: f64| {
            let bottom = if point[2] == 1.0 { 0.0 } else { 0.2 };
            (point[0] / 11.0 - at).powi(2) + (point[1] / 11.0 - 0.4).powi(2) + bottom
        };
        let mut random = SplitMix64::new(4);
        let mut words = Vec::new();
        for at in [0.5, 0.6, 0.7, 0.8, 0.3] {
            let limits = space.limits(40);
            let mut run =
                Optimizer::<f64, _>::with_limits(&space, &Config::default(), limits).expect("a run");
            for _ in 0..40 {
                let [a, b] = [0, 1].map(|_| 11.0 * random.uniform());
                let point = [if finite { a.round() } else { a }, if finite { b.round() } else { b }];
                let point = [point[0], point[1], random.below(3) as f64];
                run.observe(&point, valley(&point, at)).expect("a trial");
            }
            let size = run.source_size(Form::Means, 0).expect("a size");
            let (mut work, mut own) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
            run.export(Form::Means, &[], &mut work, &mut own).expect("a source");
            words.extend(own);
        }
        let sources = Sources::attach(&words).expect("sources");
        let weights = Weights::Ranks { rho: 0.5 };
        let mixture = How::Function { alpha: 0.5, growth: 0 };
        let hows = [How::Stage(weights), How::Value(weights), mixture, How::Prior];
        for (how, keep) in hows.into_iter().flat_map(|how| [(how, 1.0), (how, 0.2)]) {
            let transfer = Transfer { start: Start::Cover, trials: 3, how, keep };
            let config = Config { seed: 7, transfer, ..Config::default() };
            let limits = space.limits(14).sources(5).suit(&config);
            let Some(gpu) = device(&limits, &options(None)) else { return };
            let mut backend = ForMeans(gpu);
            let mut run = Optimizer::<f64, _>::with_limits(&space, &config, limits).expect("a run");
            for trial in 0..12 {
                let (mut ours, mut expected) = ([0.0; 3], [0.0; 3]);
                let before = backend.0.gpu.counters().answered;
                let by_cpu = run.clone().ask_from(&sources, &mut Plain, &mut expected).expect("a point");
                let ask = run.ask_from(&sources, &mut backend, &mut ours).expect("a point");
                assert!(backend.0.gpu.counters().answered > before, "{how:?}: the device was not asked");
                assert_eq!(ask.origin, by_cpu.origin);
                let near = (0..2).all(|k| (ours[k] - expected[k]).abs() <= if finite { 0.0 } else { 1e-4 })
                    && ours[2] == expected[2];
                let worse = by_cpu.acquisition - ask.acquisition;
                let fine = near || !finite && worse <= 1e-6 * by_cpu.acquisition.abs();
                assert!(fine, "{how:?} {keep} {trial}: {ours:?} for {expected:?}, worse by {worse:e}");
                same += usize::from(near);
                all += 1;
                run.tell(ask.id, valley(&ours, 0.65)).expect("a trial");
            }
        }
    }
    println!("{same} of {all} proposals are the CPU's");
    assert!(10 * same >= 9 * all, "{same} of {all}");
}
