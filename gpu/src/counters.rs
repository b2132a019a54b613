//! Work counters of a device: dispatches, bytes, flops, no clock.

/// Dispatches, bytes over the bus, and flops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Dispatches.
    pub dispatches: u64,
    /// Bytes to the device, without the parameters of dispatches.
    pub bytes_up: u64,
    /// Bytes from the device.
    pub bytes_down: u64,
    /// Floating-point operations: an addition or a multiplication is one, a covariance of d coordinates 3d + 20. Zeros
    /// that are multiplied count, threads beyond the last row or candidate do not.
    pub flops: u64,
    /// Calls that the device answered.
    pub answered: u64,
    /// Calls that the CPU answered: too small, too exact, or not for a device.
    pub declined: u64,
}
