//! The kernel of an optimizer that was given none.

use crate::error::Error;
use crate::kernel::{Dims, Kernel, MAX_LISTS, Op, Prior, Role};
use crate::space::{Kind, Space};

/// Matérn-5/2 with a length scale per numeric parameter, times a Hamming kernel over the categorical ones.
///
/// ```text
/// ln ℓ ~ N(½ ln d − ¾, 0.7²),   ln w ~ N(−ln c − 0.8, 0.7²),   d numeric and c categorical parameters
/// ```
///
/// The distance between random points of the cube grows as √d, and the prior with it, so that points stay
/// correlated to the same degree in any number of dimensions; of categories, those that differ grow as c. Without a prior
/// few values say of most categories that they have nothing to do with each other, and all are tried in turn. Location and
/// spread are by measurement (`benches/README.md`).
///
/// # Errors
/// [`Error::Kernel`] if numeric and categorical parameters together are more than a list holds.
///
/// # References
/// Hvarfner, Hellsten, Nardi, "Vanilla Bayesian optimization performs great in high dimensions", 2024, for the √d.
pub(super) fn default(space: &Space<'_>, kernel: &mut Kernel) -> Result<(), Error> {
    let mut numeric = heapless::Vec::<u16, MAX_LISTS>::new();
    let mut labels = heapless::Vec::<u16, MAX_LISTS>::new();
    let mut categorical = 0;
    for i in 0..space.dims() {
        let list = if space.kind(i) == Kind::Categorical { &mut labels } else { &mut numeric };
        categorical += usize::from(space.kind(i) == Kind::Categorical);
        // Beyond the room of a list only a space of one kind is served.
        let _ = list.push(i as u16);
    }
    let numbers = space.dims() - categorical;
    let lengths = Prior::LogNormal { mean: 0.5 * libm::log(numbers.max(1) as f64) - 0.75, sd: 0.7 };
    let mixed = numbers > 0 && categorical > 0;
    if mixed && (categorical != labels.len() || numbers != numeric.len() || space.dims() > MAX_LISTS) {
        return Err(Error::Kernel);
    }
    // One kernel, node by node: each link of a chain would be another copy of it on the stack.
    if numbers > 0 {
        kernel.node(Op::Matern52, if mixed { Dims::list(&numeric) } else { Dims::All });
        kernel.node_ard();
        kernel.node_with(Role::Length, 0.5, 0.005..100.0, lengths);
    }
    if categorical > 0 {
        let weights = Prior::LogNormal { mean: -libm::log(categorical as f64) - 0.8, sd: 0.7 };
        kernel.node(Op::Hamming, if mixed { Dims::list(&labels) } else { Dims::All });
        kernel.node_ard();
        kernel.node_with(Role::Weight, 0.45 / categorical as f64, 1e-6..100.0, weights);
    }
    if mixed {
        kernel.node(Op::Product, Dims::All);
    }
    kernel.node(Op::Scale, Dims::All);
    Ok(())
}
