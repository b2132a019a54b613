//! What stands for a parameter that does not matter.

/// The coordinate of a parameter that does not matter: what a model sees of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Impute {
    /// The middle of its range.
    #[default]
    Centre = 0,
    /// Its default value ([`Param::usual`](super::Param::usual)), or the middle if it has none.
    Usual = 1,
    /// −1, outside of every range, so that kernels see what matters and what does not.
    Outside = 2,
    /// Any number, which differs from one configuration to the next: no imputation, for comparison.
    ///
    /// The number is a hash of what matters, so that equal configurations have equal bits.
    Scatter = 3,
}
