//! Faults of a device.

use std::fmt;

/// Why a device did not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// No adapter is there that the options allow.
    NoAdapter,
    /// The limits need a buffer, or a workgroup, that the adapter does not offer.
    TooLarge {
        /// Bytes, or whatever `what` counts.
        needed: u64,
        /// What the adapter offers.
        most: u64,
    },
    /// The device is gone: unplugged, reset, destroyed.
    Lost(String),
    /// A command was refused: a defect of this library or of the driver.
    Validation(String),
    /// The device has no memory left.
    OutOfMemory,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter => f.write_str("no adapter is allowed by the options"),
            Self::TooLarge { needed, most } => write!(f, "{needed} are needed, the adapter offers {most}"),
            Self::Lost(reason) => write!(f, "the device is lost: {reason}"),
            Self::Validation(reason) => write!(f, "a command was refused: {reason}"),
            Self::OutOfMemory => f.write_str("the device has no memory left"),
        }
    }
}

impl std::error::Error for Fault {}

/// The library knows only that the backend failed; the reason stays here.
impl From<Fault> for infill::Error {
    fn from(_: Fault) -> Self {
        Self::Backend
    }
}
