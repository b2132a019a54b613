//! What goes wrong is a typed error or an answer of the CPU.
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod support;

use infill::acquisition::Acquisition;
use infill::backend::{Backend, Cross, Evidence, Gram, Posterior, Score};
use infill::kernel::{Dims, Kernel, Tape};
use infill::{Config, Error, Limits, Optimizer, Param, Plain, Space, Trend};
use infill_gpu::{Api, Candidates, Fallback, Fault, Gpu, Hybrid, Options, Screen, WithFallback};
use support::{Model, Program, device, options, points};

const RULE: Acquisition<f64> = Acquisition::Improvement { margin: 0.0 };

/// The request for scores by [`RULE`] of what is below 0.
fn scores<'a>(tape: Tape<'a>, posterior: &'a Posterior<'a, f64>, points: &'a [f64]) -> Score<'a, f64> {
    Score { tape, posterior, acquisition: RULE, best: 0.0, points }
}

/// The request for the best points by [`RULE`].
fn screen<'a>(
    tape: Tape<'a>,
    posterior: &'a Posterior<'a, f64>,
    points: &'a [f64],
    keep: usize,
) -> Screen<'a, f64> {
    let candidates = Candidates::Given(points);
    Screen { tape, posterior, acquisition: RULE, best: 0.0, candidates, keep }
}

fn model(dims: usize, n: usize) -> (Program, Model<f64>) {
    let kernel = Kernel::matern52(Dims::range(0, dims as u16)).ard().scaled();
    let program = Program::new(&kernel, dims);
    let model = Model::new(&kernel, &program, n, dims, Trend::Zero, 1e-2);
    (program, model)
}

#[test]
fn no_adapter() {
    let unknown = Options { name: Some("an adapter that nobody has".into()), ..options(None) };
    assert_eq!(Gpu::new(&Limits::new(2, 20), &unknown).err(), Some(Fault::NoAdapter));
    let mut backend = WithFallback::new(&Limits::new(2, 20), &unknown, Plain);
    assert_eq!(backend.gpu.reason(), Some(&Fault::NoAdapter));
    let (program, model) = model(2, 20);
    let candidates: Vec<f64> = points(8, 2, 2, 1);
    let (mut got, mut expected, mut work) = (vec![0.0; 8], vec![1.0; 8], model.work(8));
    backend
        .score(&scores(program.tape(), &model.posterior(), &candidates), &mut got, &mut work)
        .expect("scores");
    Plain
        .score(&scores(program.tape(), &model.posterior(), &candidates), &mut expected, &mut work)
        .expect("scores");
    assert_eq!(got, expected);
}

#[test]
fn more_than_the_adapter_holds() {
    let limits = Limits::new(64, 65_536);
    match Gpu::new(&limits, &options(None)) {
        Err(Fault::TooLarge { needed, most }) => assert!(needed > most),
        Err(Fault::NoAdapter) => assert!(device(&limits, &options(None)).is_none()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn beyond_the_limits_of_the_device_the_cpu_answers() {
    let Some(mut gpu) = device(&Limits::new(2, 20), &options(None)) else { return };
    let (program, model) = model(2, 30);
    let candidates: Vec<f64> = points(8, 2, 2, 1);
    let (mut got, mut expected, mut work) = (vec![0.0; 8], vec![1.0; 8], model.work(8));
    gpu.score(&scores(program.tape(), &model.posterior(), &candidates), &mut got, &mut work).expect("scores");
    Plain
        .score(&scores(program.tape(), &model.posterior(), &candidates), &mut expected, &mut work)
        .expect("scores");
    assert_eq!(got, expected);
    assert_eq!((gpu.gpu.counters().answered, gpu.gpu.counters().declined), (0, 1));
    let winners = gpu.screen(&screen(program.tape(), &model.posterior(), &candidates, 2), &mut work);
    assert_eq!(winners, Err(Error::Unsupported));
    assert!(gpu.gpu.fault().is_none());
}

#[test]
fn nothing_and_next_to_nothing() {
    for api in [None, Some(Api::Gl)] {
        let Some(mut gpu) = device(&Limits::new(2, 20), &options(api)) else { continue };
        let (program, one) = model(2, 1);
        let (tape, posterior) = (program.tape(), one.posterior());
        let mut work = one.work(4);
        gpu.score(&scores(tape, &posterior, &[]), &mut [], &mut work).expect("no candidates");
        assert_eq!(gpu.screen(&screen(tape, &posterior, &[], 4), &mut work), Ok(Vec::new()));
        let mut out = [f64::NAN];
        gpu.score(&scores(tape, &posterior, &[0.3, 0.4]), &mut out, &mut work).expect("n = 1, m = 1");
        let mut expected = [0.0];
        Plain.score(&scores(tape, &posterior, &[0.3, 0.4]), &mut expected, &mut work).expect("n = 1, m = 1");
        assert!((out[0] - expected[0]).abs() < 1e-5, "{out:?} {expected:?}");
        // No rows: the prior, or the CPU's own word on it.
        let mut empty = posterior;
        empty.inputs.rows = 0;
        empty.inputs.x = &[];
        (empty.factor, empty.alpha) = (&[], &[]);
        let got = gpu.score(&scores(tape, &empty, &[0.3, 0.4]), &mut out, &mut work);
        assert_eq!(got, Plain.score(&scores(tape, &empty, &[0.3, 0.4]), &mut expected, &mut work));
        assert_eq!(out, expected);
        let short = screen(tape, &posterior, &[0.1, 0.2], 4);
        assert_eq!(gpu.screen(&short, &mut work).map(|w| w.len()), Ok(1));
        gpu.gram(&Gram { tape, inputs: &empty.inputs }, &mut [], &mut work).expect("no matrix");
        gpu.factor(&mut [0.0f32; 0], 0).expect("no factor");
        gpu.solve(&[], 0, &mut [0.0f32; 0]).expect("no sides");
        assert_eq!(gpu.factor(&mut [-1.0f32], 1), Err(Error::NotPositiveDefinite { row: 0 }));
        let mut indefinite = [1.0f32, 2.0, 1.0];
        assert_eq!(gpu.factor(&mut indefinite, 2), Err(Error::NotPositiveDefinite { row: 1 }));
        assert!(gpu.gpu.fault().is_none());
    }
}

/// The device is destroyed in the middle of a run: the run goes on and ends as well.
#[test]
fn a_lost_device() {
    let params = [Param::real(-5.0, 10.0), Param::real(0.0, 15.0)];
    let space = Space::new(&params, &[]).expect("a box");
    let limits = Limits::new(2, 50);
    let branin = infill_tests::problems::branin();
    for api in [None, Some(Api::Gl)] {
        let Some(gpu) = device(&limits, &options(api)) else { continue };
        let mut backend = Hybrid { gpu: Fallback::from(gpu.gpu), cpu: Plain };
        let words = vec![0; limits.words::<f64>()];
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, &Config::default(), limits, words).expect("an optimizer");
        let mut x = [0.0; 2];
        for i in 0..50 {
            if i == 25 {
                assert_eq!(backend.gpu.reason(), None);
                let gpu = backend.gpu.gpu_mut().expect("a device");
                assert!(gpu.counters().answered > 10);
                gpu.destroy();
            }
            let ask = optimizer.ask_with(&mut backend, &mut x).expect("a proposal");
            optimizer.tell(ask.id, branin.value(&x)).expect("an open trial");
        }
        assert!(matches!(backend.gpu.reason(), Some(Fault::Lost(_))), "{:?}", backend.gpu.reason());
        let regret = branin.regret(optimizer.best().expect("a best").value);
        assert!(regret < 1e-3, "{regret}");
        // Without the wrapper it is an error, and stays one.
        let gpu = backend.gpu.gpu_mut().expect("a device");
        let (program, model) = model(2, 20);
        for _ in 0..2 {
            let mut backend = Hybrid { gpu: &mut *gpu, cpu: Plain };
            let posterior = model.posterior();
            let request = scores(program.tape(), &posterior, &[0.1, 0.2]);
            let got = backend.score(&request, &mut [0.0], &mut model.work(1));
            assert_eq!(got, Err(Error::Backend));
        }
    }
}

/// A device that does not answer in time is a lost one; who waited has the CPU's answer, and giving it back does not wait.
#[test]
fn a_silent_device() {
    let (program, model) = model(3, 400);
    let candidates: Vec<f64> = points(512, 3, 3, 1);
    let limits = Limits::new(3, 400);
    let impatient = Options { patience: 0, batch: 512, api: Some(Api::Vulkan), ..options(None) };
    let Some(gpu) = device(&limits, &impatient) else { return };
    let mut backend = Hybrid { gpu: Fallback::from(gpu.gpu), cpu: Plain };
    let (mut got, mut expected, mut work) = (vec![0.0; 512], vec![1.0; 512], model.work(512));
    Plain
        .score(&scores(program.tape(), &model.posterior(), &candidates), &mut expected, &mut work)
        .expect("scores");
    // The second is not asked of the device any more.
    for _ in 0..2 {
        backend
            .score(&scores(program.tape(), &model.posterior(), &candidates), &mut got, &mut work)
            .expect("scores");
        assert_eq!(got, expected);
        got.fill(f64::NAN);
    }
    let Some(Fault::Lost(reason)) = backend.gpu.reason() else { panic!("{:?}", backend.gpu.reason()) };
    assert!(reason.contains("no answer for 0 s"), "{reason}");
    let posterior = model.posterior();
    let request = screen(program.tape(), &posterior, &candidates, 2);
    assert_eq!(backend.screen(&request, &mut work), Err(Error::Backend));
    let gpu = backend.gpu.gpu_mut().expect("a device");
    assert_eq!(Hybrid { gpu, cpu: Plain }.screen(&request, &mut work), Err(Error::Backend));
    drop(backend);
}

/// What is not for the device is done by the backend beside it, and so is everything when the device is lost.
#[test]
fn any_backend_beside_the_device() {
    /// [`Plain`], counted.
    #[derive(Debug, Default)]
    struct Counting {
        scores: usize,
        evidence: usize,
    }
    impl Backend<f64> for Counting {
        fn gram(&mut self, r: &Gram<'_, f64>, o: &mut [f64], w: &mut [f64]) -> Result<(), Error> {
            Plain.gram(r, o, w)
        }
        fn cross(&mut self, r: &Cross<'_, f64>, o: &mut [f64], w: &mut [f64]) -> Result<(), Error> {
            Plain.cross(r, o, w)
        }
        fn factor(&mut self, m: &mut [f64], n: usize) -> Result<(), Error> {
            Plain.factor(m, n)
        }
        fn solve(&mut self, f: &[f64], n: usize, s: &mut [f64]) -> Result<(), Error> {
            Plain.solve(f, n, s)
        }
        fn invert(&mut self, f: &[f64], n: usize, o: &mut [f64]) -> Result<(), Error> {
            Plain.invert(f, n, o)
        }
        fn evidence(
            &mut self,
            r: &Evidence<'_, f64>,
            g: &mut [f64],
            f: &mut [f64],
            w: &mut [f64],
        ) -> Result<f64, Error> {
            self.evidence += 1;
            Plain.evidence(r, g, f, w)
        }
        fn score(&mut self, r: &Score<'_, f64>, o: &mut [f64], w: &mut [f64]) -> Result<(), Error> {
            self.scores += o.len();
            Plain.score(r, o, w)
        }
    }

    let limits = Limits::new(2, 40);
    if device(&limits, &options(None)).is_none() {
        return;
    }
    let mut backend = WithFallback::new(&limits, &options(None), Counting::default());
    let params = [Param::real(-5.0, 10.0), Param::real(0.0, 15.0)];
    let space = Space::new(&params, &[]).expect("a box");
    let branin = infill_tests::problems::branin();
    let words = vec![0; limits.words::<f64>()];
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, &Config::default(), limits, words).expect("an optimizer");
    let mut x = [0.0; 2];
    let mut run = |backend: &mut WithFallback<Counting>, count: usize| {
        for _ in 0..count {
            let ask = optimizer.ask_with(backend, &mut x).expect("a proposal");
            optimizer.tell(ask.id, branin.value(&x)).expect("an open trial");
        }
        optimizer.best().expect("a best").value
    };
    run(&mut backend, 20);
    assert_eq!(backend.gpu.reason(), None);
    let (with, answered) = (backend.cpu.scores, backend.gpu.gpu().expect("a device").counters().answered);
    // Training follows slopes on the CPU, and winners are scored again there.
    assert!(backend.cpu.evidence > 10 && with > 0 && answered > 10, "{:?} {answered}", backend.cpu);
    backend.gpu.gpu_mut().expect("a device").destroy();
    let best = run(&mut backend, 20);
    assert!(matches!(backend.gpu.reason(), Some(Fault::Lost(_))), "{:?}", backend.gpu.reason());
    assert!(backend.cpu.scores > 2 * with, "{:?}, {with} before", backend.cpu);
    assert!(branin.regret(best) < 1e-3, "{best}");
}
