//! Fallback: a device that may fail, and a CPU that goes on.

use infill::{Error, Limits, Plain};

use crate::error::Fault;
use crate::gpu::Gpu;
use crate::hybrid::{Hybrid, OnFault};
use crate::options::Options;

/// The device as long as it works, the CPU from the first fault on. The call that meets the fault is answered too.
///
/// The backend of the CPU also does what is not for the device while that works: with `WithFallback<Faer<f64>>` the CPU's
/// share of an ask is as fast as it gets.
///
/// ```
/// use infill::{Config, Limits, Optimizer, Param, Plain, Space};
/// use infill_gpu::{Options, WithFallback};
///
/// let params = [Param::real(-1.0, 1.0)];
/// let space = Space::new(&params, &[])?;
/// let limits = Limits::new(1, 20);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// let mut backend = WithFallback::new(&limits, &Options::default(), Plain);
/// let mut x = [0.0];
/// for _ in 0..12 {
///     let ask = optimizer.ask_with(&mut backend, &mut x)?;
///     optimizer.tell(ask.id, (x[0] - 0.3).powi(2))?;
/// }
/// assert!(optimizer.best().unwrap().value < 1e-4);
/// # Ok::<(), infill::Error>(())
/// ```
pub type WithFallback<B = Plain> = Hybrid<Fallback, B>;

impl<B> WithFallback<B> {
    /// A device for optimizers within the limits, if there is one, and the backend of the CPU.
    #[must_use]
    pub fn new(limits: &Limits, options: &Options, cpu: B) -> Self {
        let gpu = match Gpu::new(limits, options) {
            Ok(gpu) => gpu.into(),
            Err(fault) => Fallback { gpu: None, reason: Some(fault) },
        };
        Self { gpu, cpu }
    }
}

/// A device that is not asked any more from its first fault on; or none.
#[derive(Debug)]
pub struct Fallback {
    gpu: Option<Gpu>,
    reason: Option<Fault>,
}

impl Fallback {
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

    /// As [`Fallback::gpu`], to work with.
    pub fn gpu_mut(&mut self) -> Option<&mut Gpu> {
        self.gpu.as_mut()
    }
}

impl From<Gpu> for Fallback {
    fn from(gpu: Gpu) -> Self {
        Self { gpu: Some(gpu), reason: None }
    }
}

impl OnFault for Fallback {
    fn ask<T>(
        &mut self,
        request: impl FnOnce(&mut Gpu) -> Option<Result<T, Fault>>,
    ) -> Option<Result<T, Error>> {
        let gpu = self.gpu.as_mut().filter(|_| self.reason.is_none())?;
        let answer = gpu.ask(request);
        self.reason = gpu.fault().cloned();
        answer.filter(|_| self.reason.is_none())
    }

    fn fault(&self) -> Option<&Fault> {
        self.reason()
    }

    fn is_there(&self) -> bool {
        self.gpu.is_some()
    }
}
