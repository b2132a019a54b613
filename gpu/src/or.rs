//! A device that may fail.

use infill::acquisition::Acquisition;
use infill::backend::{Backend, Evidence, Inputs, Posterior, Spread};
use infill::kernel::Tape;
use infill::{Error, Limits, Plain, Real};

use crate::error::Fault;
use crate::gpu::Gpu;
use crate::options::Options;
use crate::split::Split;

/// [`Gpu`] with [`Plain`] beside it: [`Or`] another backend.
pub type OrPlain = Or<Plain>;

/// [`Gpu`] as long as it works, another backend from the first fault on. The call that meets the fault is answered too.
///
/// The other backend also does what is not for the device while that works: with `Or<Faer<f64>>` the CPU's share of an
/// ask is as fast as it gets.
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
pub struct Or<B> {
    gpu: Option<Gpu>,
    reason: Option<Fault>,
    other: B,
}

impl Or<Plain> {
    /// A device for optimizers within the limits, or [`Plain`] if there is none.
    #[must_use]
    pub fn new(limits: &Limits, options: &Options) -> Self {
        Self::with(limits, options, Plain)
    }
}

impl<B> Or<B> {
    /// A device for optimizers within the limits, or the other backend if there is none.
    #[must_use]
    pub fn with(limits: &Limits, options: &Options, other: B) -> Self {
        match Gpu::new(limits, options) {
            Ok(gpu) => Self { gpu: Some(gpu), reason: None, other },
            Err(fault) => Self { gpu: None, reason: Some(fault), other },
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

    /// As [`Or::gpu`], to work with.
    pub fn gpu_mut(&mut self) -> Option<&mut Gpu> {
        self.gpu.as_mut()
    }

    /// The backend beside it.
    #[must_use]
    pub fn other(&self) -> &B {
        &self.other
    }

    /// The answer while the device works; `None` if it does not, or has just failed.
    fn by_gpu<T>(
        &mut self,
        ask: impl FnOnce(&mut Split<'_, B>) -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        if self.reason.is_some() {
            return None;
        }
        let gpu = self.gpu.as_mut()?;
        let answer = ask(&mut gpu.beside(&mut self.other));
        // An error of the other backend is no fault of the device.
        self.reason = gpu.fault().cloned();
        self.reason.is_none().then_some(answer)
    }
}

impl From<Gpu> for OrPlain {
    fn from(gpu: Gpu) -> Self {
        Self { gpu: Some(gpu), reason: None, other: Plain }
    }
}

impl<R: Real, B: Backend<R>> Backend<R> for Or<B> {
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.by_gpu(|split| split.gram(tape, inputs, out, work))
            .unwrap_or_else(|| self.other.gram(tape, inputs, out, work))
    }

    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.by_gpu(|split| split.cross(tape, inputs, points, out, work))
            .unwrap_or_else(|| self.other.cross(tape, inputs, points, out, work))
    }

    // What is replaced in place is as it was when the device fails.
    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        self.by_gpu(|split| split.factor(matrix, rows)).unwrap_or_else(|| self.other.factor(matrix, rows))
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        self.by_gpu(|split| split.solve(factor, rows, sides))
            .unwrap_or_else(|| self.other.solve(factor, rows, sides))
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.by_gpu(|split| split.invert(factor, rows, out))
            .unwrap_or_else(|| self.other.invert(factor, rows, out))
    }

    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        self.by_gpu(|split| split.evidence(tape, request, gradient, factor, work))
            .unwrap_or_else(|| self.other.evidence(tape, request, gradient, factor, work))
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
        self.by_gpu(|split| split.score(tape, posterior, acquisition, best, points, out, work))
            .unwrap_or_else(|| self.other.score(tape, posterior, acquisition, best, points, out, work))
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
        self.by_gpu(|split| split.evidence_many(tape, request, sets, out, factor, work))
            .unwrap_or_else(|| self.other.evidence_many(tape, request, sets, out, factor, work))
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
        self.by_gpu(|split| split.spread(tape, posterior, acquisition, best, spread, points, out, work))
            .unwrap_or_else(|| {
                self.other.spread(tape, posterior, acquisition, best, spread, points, out, work)
            })
    }

    fn screens(&self) -> bool {
        self.gpu.is_some() || Backend::<R>::screens(&self.other)
    }
}
