//! A device that may fail.

use infill::acquisition::Acquisition;
use infill::backend::{Backend, Evidence, Inputs, Posterior, Spread};
use infill::kernel::Tape;
use infill::{Error, Limits, Plain, Real};

use crate::error::Fault;
use crate::gpu::Gpu;
use crate::options::Options;

/// [`Gpu`] as long as it works, [`Plain`] from the first fault on. The call that meets the fault is answered too.
///
/// ```
/// use infill::{Config, Limits, Optimizer, Param, Space};
/// use infill_gpu::{Options, OrPlain};
///
/// let params = [Param::real(-1.0, 1.0)];
/// let space = Space::new(&params, &[])?;
/// let limits = Limits::new(1, 20);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// let mut backend = OrPlain::new(&limits, &Options::default());
/// let mut x = [0.0];
/// for _ in 0..12 {
///     let ask = optimizer.ask_with(&mut backend, &mut x)?;
///     optimizer.tell(ask.id, (x[0] - 0.3).powi(2))?;
/// }
/// assert!(optimizer.best().unwrap().value < 1e-4);
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Debug)]
pub struct OrPlain {
    gpu: Option<Gpu>,
    reason: Option<Fault>,
}

impl OrPlain {
    /// A device for optimizers within the limits, or the CPU if there is none.
    #[must_use]
    pub fn new(limits: &Limits, options: &Options) -> Self {
        match Gpu::new(limits, options) {
            Ok(gpu) => gpu.into(),
            Err(fault) => Self { gpu: None, reason: Some(fault) },
        }
    }

    /// Why the CPU answers; nothing while the device does.
    #[must_use]
    pub fn reason(&self) -> Option<&Fault> {
        self.reason.as_ref()
    }

    /// The device, working or not; nothing if there never was one.
    #[must_use]
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    /// As [`OrPlain::gpu`], to work with.
    pub fn gpu_mut(&mut self) -> Option<&mut Gpu> {
        self.gpu.as_mut()
    }

    /// The answer of the device; `None` if there is none to be had.
    fn by_gpu<T>(&mut self, ask: impl FnOnce(&mut Gpu) -> Result<T, Error>) -> Option<Result<T, Error>> {
        if self.reason.is_some() {
            return None;
        }
        let gpu = self.gpu.as_mut()?;
        match ask(gpu) {
            Err(Error::Backend) => {
                let unknown = || Fault::Lost("no reason was given".into());
                self.reason = Some(gpu.fault().cloned().unwrap_or_else(unknown));
                None
            }
            answer => Some(answer),
        }
    }
}

impl From<Gpu> for OrPlain {
    fn from(gpu: Gpu) -> Self {
        Self { gpu: Some(gpu), reason: None }
    }
}

impl<R: Real> Backend<R> for OrPlain {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.gram(tape, inputs, out, work))
            .unwrap_or_else(|| Plain.gram(tape, inputs, out, work))
    }

    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.cross(tape, inputs, points, out, work))
            .unwrap_or_else(|| Plain.cross(tape, inputs, points, out, work))
    }

    // What is replaced in place is as it was when the device fails.
    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.factor(matrix, rows)).unwrap_or_else(|| Plain.factor(matrix, rows))
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.solve(factor, rows, sides)).unwrap_or_else(|| Plain.solve(factor, rows, sides))
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.invert(factor, rows, out)).unwrap_or_else(|| Plain.invert(factor, rows, out))
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        self.by_gpu(|gpu| gpu.evidence(tape, request, gradient, factor, work))
            .unwrap_or_else(|| Plain.evidence(tape, request, gradient, factor, work))
    }

    fn score(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.score(tape, posterior, acquisition, best, points, out, work))
            .unwrap_or_else(|| Plain.score(tape, posterior, acquisition, best, points, out, work))
    }

    fn screens(&self) -> bool {
        self.gpu.is_some()
    }

    fn evidence_many(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        sets: &[R],
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.by_gpu(|gpu| gpu.evidence_many(tape, request, sets, out, factor, work))
            .unwrap_or_else(|| Plain.evidence_many(tape, request, sets, out, factor, work))
    }

    fn spread(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        spread: Spread,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        self.by_gpu(|gpu| gpu.spread(tape, posterior, acquisition, best, spread, points, out, work))
            .unwrap_or(Ok(None))
    }
}
