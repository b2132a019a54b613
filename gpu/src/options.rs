//! Options: which adapter, and how much of it.

use std::time::Duration;

/// What an adapter should be chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Power {
    /// Whatever comes first.
    Any,
    /// An integrated adapter before a discrete one.
    Low,
    /// A discrete adapter before an integrated one.
    #[default]
    High,
}

/// The interface that an adapter is reached by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Vulkan.
    Vulkan,
    /// OpenGL, or OpenGL ES.
    Gl,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
}

/// Which adapter is chosen, and how much memory it may take.
///
/// ```
/// use infill_gpu::{Api, Options};
/// let options = Options { api: Some(Api::Vulkan), software: true, ..Options::default() };
/// assert_eq!(options.batch, 4096);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What it is chosen for.
    pub power: Power,
    /// A part of its name, in any case; `None` for any.
    pub name: Option<String>,
    /// The interface; `None` for any.
    pub api: Option<Api>,
    /// Whether a CPU that plays a GPU will do. It is right, and slow.
    pub software: bool,
    /// Candidates that are worked on at a time; fewer if the adapter's buffers are too small.
    pub batch: u32,
    /// Sets of hyperparameters that are worked on at a time; fewer if the adapter's buffers are too small.
    pub sets: u32,
    /// Flops below which the CPU is quicker than the way to the device.
    pub worth: u64,
    /// Seconds that a device may take for an answer, counted from before the question is sent: one that is silent for
    /// longer is lost, and with 0 every one is. Drivers end a dispatch that takes a few seconds themselves.
    pub patience: u32,
}

impl Options {
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(u64::from(self.patience))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            power: Power::High,
            name: None,
            api: None,
            software: false,
            batch: 4096,
            sets: 32,
            worth: 20_000_000,
            patience: 60,
        }
    }
}
