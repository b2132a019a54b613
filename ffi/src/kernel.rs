//! Covariance functions as C data: nodes in postfix order.

use core::fmt;

use library::kernel::{Dims, MAX_LISTS, MAX_NODES, Op, Prior, Role, Tape};
use library::{Error, Kernel};

use crate::export::{checked, put};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, finite, reference, slice, slice_mut, spared};

/// What a node of a kernel computes: infill_node.op.
///
/// ρ² = Σ (Δ/ℓ)² over the node's coordinates, Δ = a − b. The numbers never change.
#[derive(Clone, Copy, Debug)]
pub enum infill_op {}

/// What a hyperparameter does in its node: infill_hyper.role.
#[derive(Clone, Copy, Debug)]
pub enum infill_role {}

/// What is believed about a hyperparameter before any data, within its bounds: infill_hyper.prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_prior {
    /// Log-normal: prior_mean and prior_sd of the logarithm; prior_sd = 0 is flat in the logarithm.
    INFILL_PRIOR_LOG_NORMAL = 0,
    /// Flat in the hyperparameter itself; prior_mean and prior_sd are 0.
    INFILL_PRIOR_UNIFORM = 1,
    /// Gamma: the shape in prior_mean, the rate in prior_sd.
    INFILL_PRIOR_GAMMA = 2,
    /// Close to a horseshoe, of a power of the hyperparameter: the scale in prior_mean, the power in prior_sd.
    INFILL_PRIOR_HORSESHOE = 3,
}

/// Start, bounds and prior of the hyperparameters of one role in a node, in natural units.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_hyper {
    /// An infill_role.
    pub role: u32,
    /// An infill_prior.
    pub prior: u32,
    /// Where training starts.
    pub value: f64,
    /// Least value.
    pub lo: f64,
    /// Largest value; equal to the least one it freezes the hyperparameter.
    pub hi: f64,
    /// Mean of the logarithm, of a log-normal prior; the first number of another one.
    pub prior_mean: f64,
    /// Deviation of the logarithm; 0 is a flat prior. The second number of another prior.
    pub prior_sd: f64,
}

/// What a node of a kernel has: bits of infill_node.flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_node_flag {
    /// Each coordinate has its own length, period, weight, correlation, angle or radius.
    INFILL_NODE_ARD = 1,
    /// A polynomial or arc sine without constant input.
    INFILL_NODE_NO_BIAS = 2,
}

/// A node of a kernel.
///
/// With count = 0 and list = NULL it looks at all coordinates, or at none if it is no leaf.
///
/// Threads: plain data. Lifetime: it is read during a call only, and so is what it points to.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_node {
    /// An infill_op.
    pub op: u32,
    /// A sum of infill_node_flag.
    pub flags: u32,
    /// Degree of a polynomial, 1 to 16; the profile of INFILL_OP_ARC and INFILL_OP_ONE_HOT, one of
    /// INFILL_OP_SQUARED_EXPONENTIAL to INFILL_OP_MATERN52; 0 otherwise.
    pub degree: u32,
    /// The first coordinate, if there is no list.
    pub first: u32,
    /// How many coordinates.
    pub count: usize,
    /// The coordinates, count of them, strictly increasing; NULL for those from first on.
    pub list: *const u16,
    /// Settings of its hyperparameters; NULL for the standard ones.
    pub hypers: *const infill_hyper,
    /// How many settings.
    pub hyper_count: usize,
}

/// A covariance function: nodes in postfix order, operands before what joins them.
///
/// The product of a Matérn kernel over three numbers and a Hamming kernel over a label, with a variance:
/// MATERN52 (first 0, count 3) · HAMMING (first 3, count 1) · PRODUCT · SCALE.
///
/// Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_kernel {
    /// The nodes.
    pub nodes: *const infill_node,
    /// How many nodes.
    pub count: usize,
}

/// The kernel that C data describe.
///
/// # Safety
/// The pointer and those in the data are NULL, misaligned, or point to what they say.
#[inline(never)]
pub(crate) unsafe fn build(kernel: *const infill_kernel) -> Outcome<Kernel> {
    // SAFETY: as here.
    let nodes = unsafe { reference(kernel).and_then(|kernel| slice(kernel.nodes, kernel.count)) }?;
    if nodes.len() > MAX_NODES {
        return Err(INFILL_ERROR_KERNEL);
    }
    let mut built = Kernel::postfix();
    for node in nodes {
        // SAFETY: as here.
        unsafe { append(&mut built, node) }?;
    }
    built.check()?;
    Ok(built)
}

/// Which node of a kernel is refused, as a sentence.
///
/// # Safety
/// As [`build`].
pub(crate) unsafe fn fault(kernel: *const infill_kernel) -> Outcome<Option<Fault>> {
    // SAFETY: as here.
    let nodes = unsafe { reference(kernel).and_then(|kernel| slice(kernel.nodes, kernel.count)) }?;
    let mut built = Kernel::postfix();
    for (index, node) in nodes.iter().enumerate().take(MAX_NODES + 1) {
        // SAFETY: as here.
        let refused = unsafe { append(&mut built, node) }.is_err() || index == MAX_NODES;
        if refused || built.failure().is_some() {
            return Ok(Some(Fault { node: index, op: node.op, error: built.failure() }));
        }
    }
    Ok(built.check().err().map(|error| Fault { node: nodes.len(), op: 0, error: Some(error) }))
}

/// A node that is refused.
pub(crate) struct Fault {
    node: usize,
    op: u32,
    error: Option<Error>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, op, error } = self;
        match (u8::try_from(*op).ok().and_then(Op::of), error) {
            (None, Some(error)) if *op == 0 => {
                write!(f, "the kernel of {node} nodes in postfix order: {error}, one value has to be left")
            }
            (None, _) => write!(f, "node {node} of the kernel has op = {op}, which is no infill_op"),
            (Some(known), Some(error)) => write!(f, "node {node} of the kernel ({}): {error}", known.name()),
            (Some(known), None) if *node >= MAX_NODES => {
                write!(f, "node {node} of the kernel ({}): {MAX_NODES} nodes are the most", known.name())
            }
            (Some(known), None) => {
                write!(
                    f,
                    "node {node} of the kernel ({}): its flags, degree, role or prior has no meaning",
                    known.name()
                )
            }
        }
    }
}

unsafe fn append(kernel: &mut Kernel, node: &infill_node) -> Outcome<()> {
    let op = u8::try_from(node.op).ok().and_then(Op::of).ok_or(INFILL_ERROR_KERNEL)?;
    let small = |value: usize| u16::try_from(value).map_err(|_| INFILL_ERROR_KERNEL);
    let dims = match (node.count, node.list.is_null()) {
        (0, true) => Dims::All,
        (count, true) => Dims::range(small(node.first as usize)?, small(count)?),
        // SAFETY: the caller's pointer is what it says.
        (count, false) => Dims::list(unsafe { slice(node.list, count) }?),
    };
    kernel.node(op, dims);
    let (ard, no_bias) =
        (infill_node_flag::INFILL_NODE_ARD as u32, infill_node_flag::INFILL_NODE_NO_BIAS as u32);
    if node.flags & !(ard | no_bias) != 0 {
        return Err(INFILL_ERROR_KERNEL);
    }
    if node.flags & ard != 0 {
        kernel.node_ard();
    }
    if node.flags & no_bias != 0 {
        kernel.node_without_bias();
    }
    if node.degree != 0 {
        kernel.node_degree(small(node.degree as usize)?);
    }
    // SAFETY: the caller's pointer is what it says.
    for hyper in unsafe { slice(node.hypers, node.hyper_count) }? {
        let role = role(hyper.role).ok_or(INFILL_ERROR_KERNEL)?;
        let prior = prior(hyper).ok_or(INFILL_ERROR_KERNEL)?;
        kernel.node_with(role, hyper.value, hyper.lo..hyper.hi, prior);
    }
    Ok(())
}

fn prior(hyper: &infill_hyper) -> Option<Prior> {
    let (first, second) = (hyper.prior_mean, hyper.prior_sd);
    // In the order of infill_prior.
    let all = [
        Some(if second == 0.0 { Prior::Flat } else { Prior::LogNormal { mean: first, sd: second } }),
        (first == 0.0 && second == 0.0).then_some(Prior::Uniform),
        Some(Prior::Gamma { shape: first, rate: second }),
        Some(Prior::Horseshoe { scale: first, power: second }),
    ];
    *all.get(hyper.prior as usize)?
}

fn role(number: u32) -> Option<Role> {
    use Role::*;
    let all = [Length, Variance, Shape, Period, Weight, Bias, Correlation, Angle, Radius];
    all.into_iter().find(|&role| role as u32 == number)
}

/// Words of the nodes and of the lists of the largest kernel.
const NODE_WORDS: usize = 2 * MAX_NODES;
const LIST_WORDS: usize = MAX_LISTS.div_ceil(4);

/// Gives `work` the tape of a kernel.
unsafe fn with_tape<T>(
    kernel: *const infill_kernel,
    dims: usize,
    thetas: usize,
    work: impl FnOnce(Tape<'_>) -> Outcome<T>,
) -> Outcome<T> {
    let (mut nodes, mut lists) = ([0; NODE_WORDS], [0; LIST_WORDS]);
    // SAFETY: as here.
    unsafe { build(kernel) }?.write(dims, &mut nodes, &mut lists)?;
    let tape = Tape::attach(&nodes, &lists, dims)?;
    if tape.thetas() != thetas {
        return Err(INFILL_ERROR_SHAPE);
    }
    work(tape)
}

/// The number of hyperparameters of a kernel over points of dims coordinates.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_KERNEL, INFILL_ERROR_THETA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_kernel_thetas(
    kernel: *const infill_kernel,
    dims: usize,
    thetas: *mut usize,
) -> infill_status {
    checked!(put!(thetas, build(kernel)?.thetas(dims)?))
}

/// The hyperparameters at which training starts, as logarithms.
///
/// Errors: as infill_kernel_thetas, and INFILL_ERROR_SHAPE if thetas is not their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_kernel_start(
    kernel: *const infill_kernel,
    dims: usize,
    theta: *mut f64,
    thetas: usize,
) -> infill_status {
    checked!({
        let out = slice_mut(theta, thetas)?;
        build(kernel)?.write_start(dims, out)?
    })
}

/// k(a, b), in double precision.
///
/// Errors: as infill_kernel_thetas; INFILL_ERROR_SHAPE if thetas is not their number; INFILL_ERROR_NOT_FINITE for a number that
/// is not finite, given or found: hyperparameters and coordinates may be finite and the kernel leave the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_kernel_eval(
    kernel: *const infill_kernel,
    theta: *const f64,
    thetas: usize,
    a: *const f64,
    b: *const f64,
    dims: usize,
    value: *mut f64,
) -> infill_status {
    checked!(put!(value, {
        let (theta, a, b) = (slice(theta, thetas)?, slice(a, dims)?, slice(b, dims)?);
        [theta, a, b].into_iter().try_for_each(finite)?;
        let value = with_tape(kernel, dims, thetas, |tape| Ok(tape.eval(theta, a, b)))?;
        finite(&[value])?;
        value
    }))
}

/// k(a, b) with its derivatives by the hyperparameters, by_theta[thetas], and by a, by_a[dims].
///
/// A coordinate in which the kernel has no derivative gets 0.
///
/// Errors: as infill_kernel_eval. With INFILL_ERROR_NOT_FINITE, outputs of more than 4096 numbers are scratch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_kernel_gradient(
    kernel: *const infill_kernel,
    theta: *const f64,
    thetas: usize,
    a: *const f64,
    b: *const f64,
    dims: usize,
    value: *mut f64,
    by_theta: *mut f64,
    by_a: *mut f64,
) -> infill_status {
    checked!(put!(value, {
        let (theta, a, b) = (slice(theta, thetas)?, slice(a, dims)?, slice(b, dims)?);
        [theta, a, b].into_iter().try_for_each(finite)?;
        let (by_theta, by_a) = (slice_mut(by_theta, thetas)?, slice_mut(by_a, dims)?);
        with_tape(kernel, dims, thetas, |tape| {
            spared(by_a, |by_a| {
                spared(by_theta, |by_theta| {
                    tape.gradient_x(theta, a, b, by_a);
                    let value = tape.gradient(theta, a, b, by_theta);
                    [&[value], &*by_a, &*by_theta].into_iter().try_for_each(finite)?;
                    Ok(value)
                })
            })
        })?
    }))
}

/// The matrix k(xᵢ, xⱼ) of rows points, row after row in x: its lower triangle, matrix[rows·(rows + 1)/2], row i from
/// i·(i + 1)/2 on.
///
/// Errors: as infill_kernel_eval. With INFILL_ERROR_NOT_FINITE, a matrix of more than 4096 numbers is scratch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_kernel_gram(
    kernel: *const infill_kernel,
    theta: *const f64,
    thetas: usize,
    x: *const f64,
    rows: usize,
    dims: usize,
    matrix: *mut f64,
) -> infill_status {
    checked!({
        let all = rows.checked_mul(dims).ok_or(INFILL_ERROR_SHAPE)?;
        let triangle = rows.checked_add(1).and_then(|n| n.checked_mul(rows)).ok_or(INFILL_ERROR_SHAPE)? / 2;
        let (theta, x, out) = (slice(theta, thetas)?, slice(x, all)?, slice_mut(matrix, triangle)?);
        [theta, x].into_iter().try_for_each(finite)?;
        with_tape(kernel, dims, thetas, |tape| {
            spared(out, |out| {
                library::kernel::gram(&tape, theta, x, rows, dims, out)?;
                finite(out)
            })
        })?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_their_numbers() {
        assert!((1..=9).all(|number| role(number).is_some()) && role(0).is_none() && role(10).is_none());
    }

    #[test]
    fn a_mistake_of_the_builder_is_reported() {
        let node = infill_node {
            op: Op::Linear as u32,
            flags: 0,
            degree: 3,
            first: 0,
            count: 0,
            list: core::ptr::null(),
            hypers: core::ptr::null(),
            hyper_count: 0,
        };
        let kernel = infill_kernel { nodes: &raw const node, count: 1 };
        // SAFETY: all pointers are good.
        assert_eq!(unsafe { build(&raw const kernel) }.unwrap_err(), INFILL_ERROR_KERNEL);
    }
}
