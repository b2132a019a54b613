//! Indicator kernels (gates) of conditional spaces: leaves that are 1 or 0 and so close a product across branches.
//!
//! ```text
//! branch    k = Π [aₖ = bₖ]                         over the coordinates that decide what is active
//! active    k = Π [(aₖ < 0) = (bₖ < 0)]             over coordinates that are negative when inactive
//! ```
//! Both are indicators of an equivalence relation, hence positive semidefinite; neither has a hyperparameter. Times a
//! kernel they give one that is 0 between points of different branches:
//! ```text
//! k(a, b) = [a and b have the same active parameters under equal conditions] · base(a, b)
//! ```
//! Equality of the coordinates of all conditions' parents is enough even where a parent is itself inactive: in the
//! order of the conditions, two points with equal parents have the same activity, and what is inactive has one
//! imputed value. A numeric parent is not compared by value; [`Kernel::active`] over its children takes its place.
//!
//! # References
//! Bergstra, Bardenet, Bengio and Kégl, NIPS (2011), a process per group of active parameters; Lévesque, Durand, Gagné
//! and Sabourin, IJCNN (2017), the same as one kernel.

use super::build::{Dims, Kernel};
use super::leaf::Pair;
use super::node::Leaf;
use super::op::{Form, Formula, Gate, Op};
use super::tape::Tape;
use crate::real::Real;

impl Kernel {
    /// 1 if all these coordinates are equal in both points, else 0: the branch of a conditional space.
    ///
    /// ```
    /// use infill::kernel::{Dims, Kernel};
    /// // Coordinate 0 says which algorithm; no covariance between two of them.
    /// let kernel = Kernel::matern52(Dims::range(1, 3)).ard().times(Kernel::branch(Dims::list(&[0])))?.scaled();
    /// assert_eq!(kernel.thetas(4)?, 3 + 1);
    /// # Ok::<(), infill::Error>(())
    /// ```
    #[must_use]
    pub fn branch(dims: Dims<'_>) -> Self {
        Self::leaf(Op::Branch, dims)
    }

    /// 1 if each of these coordinates is active in both points or in neither, else 0; a negative one is inactive.
    ///
    /// Among active values it is constant: it takes no derivative away from the rest of the kernel.
    #[must_use]
    pub fn active(dims: Dims<'_>) -> Self {
        Self::leaf(Op::Active, dims)
    }
}

impl Tape<'_> {
    /// Whether k(a, b) is a product with a [`Kernel::branch`] or [`Kernel::active`] among its factors, so that it is
    /// exactly 0 between branches.
    pub(crate) fn branches(self) -> bool {
        self.gates() != 0
    }

    /// Whether all those factors are 1, an equivalence of points: where it does not hold, k(a, b) = 0. False if a slice
    /// is too short.
    pub(crate) fn same_branch<R: Real>(self, a: &[R], b: &[R]) -> bool {
        if a.len() < self.dims() || b.len() < self.dims() {
            return false;
        }
        let gates = self.nodes().enumerate().filter(|(i, _)| self.gates() >> i & 1 == 1);
        gates.into_iter().all(|(_, node)| match node.op().form() {
            Form::Leaf(Formula::Gate(gate)) => is_open(gate, self.leaf(node), a, b),
            Form::Sum | Form::Product | Form::Scale | Form::Leaf(_) => true,
        })
    }

    /// A bit for each gate that is a factor of the whole.
    pub(super) fn find_gates(self) -> u32 {
        let links = self.links();
        let mut factors = 1u32 << (self.len() - 1);
        let mut gates = 0;
        for (i, node) in self.nodes().enumerate().rev().filter(|_| self.len() <= 32) {
            if factors >> i & 1 == 0 {
                continue;
            }
            match node.op().form() {
                Form::Product => factors |= 1 << (i - 1) | 1 << links[i],
                Form::Scale => factors |= 1 << (i - 1),
                Form::Leaf(Formula::Gate(_)) => gates |= 1 << i,
                Form::Sum | Form::Leaf(_) => {}
            }
        }
        gates
    }
}

/// 1 if the gate is open, else 0.
pub(super) fn value<R: Real>(gate: Gate, pair: &Pair<'_, R>) -> R {
    if is_open(gate, pair.leaf, pair.a, pair.b) { R::ONE } else { R::ZERO }
}

/// Whether a gate is 1.
fn is_open<R: Real>(gate: Gate, leaf: Leaf<'_>, a: &[R], b: &[R]) -> bool {
    (0..leaf.len()).map(|i| leaf.dim(i)).all(|k| meets(gate, a[k], b[k]))
}

/// Whether two values of a coordinate open a gate.
#[inline(always)]
pub(super) fn meets<R: Real>(gate: Gate, a: R, b: R) -> bool {
    match gate {
        Gate::Branch => a == b,
        Gate::Active => (a < R::ZERO) == (b < R::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dims, Kernel, MAX_NODES, Tape};

    fn with<T>(kernel: &Kernel, dims: usize, then: impl FnOnce(Tape<'_>, &[f64]) -> T) -> T {
        let (mut nodes, mut lists) = ([0; 2 * MAX_NODES], [0; 8]);
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        let mut theta = std::vec![0.0; kernel.thetas(dims).unwrap()];
        kernel.write_start(dims, &mut theta).unwrap();
        then(Tape::attach(&nodes, &lists, dims).unwrap(), &theta)
    }

    fn base() -> Kernel {
        Kernel::squared_exponential(Dims::range(1, 2))
    }

    #[test]
    fn gates_that_are_factors_are_found() {
        let branch = || Kernel::branch(Dims::list(&[0]));
        let active = || Kernel::active(Dims::list(&[1, 2]));
        let chain = base().times(branch()).unwrap().scaled().times(active()).unwrap().scaled();
        let nested = branch().times(base().times(active()).unwrap()).unwrap();
        let alone = active();
        let summed = base().plus(branch()).unwrap().scaled();
        let inside = base().times(base().plus(branch()).unwrap()).unwrap();
        let both = inside.clone().times(branch()).unwrap();
        for (kernel, gates) in
            [(base(), 0), (chain, 2), (nested, 2), (alone, 1), (summed, 0), (inside, 0), (both, 1)]
        {
            with(&kernel, 3, |tape, _| {
                assert_eq!(tape.branches(), gates > 0);
                assert_eq!(tape.gates().count_ones(), gates);
            });
        }
    }

    #[test]
    fn zero_exactly_between_branches() {
        let kernel = base()
            .scaled()
            .times(Kernel::branch(Dims::list(&[0])))
            .unwrap()
            .times(Kernel::active(Dims::list(&[2])))
            .unwrap();
        let points = [
            [0.0, 0.1, 0.2],
            [0.0, 0.4, 0.9],
            [1.0, 0.1, 0.2],
            [0.0, 0.1, -1.0],
            [0.0, 0.8, -1.0],
            [1.0, 0.8, -1.0],
            [1.0, 0.8, 0.0],
        ];
        let branch = [0, 0, 1, 2, 2, 3, 1];
        with(&kernel, 3, |tape, theta| {
            with(&base().scaled(), 3, |plain, _| {
                for (i, a) in points.iter().enumerate() {
                    for (j, b) in points.iter().enumerate() {
                        let same = branch[i] == branch[j];
                        assert_eq!(tape.same_branch(a, b), same);
                        let want = if same { plain.eval(theta, a, b) } else { 0.0 };
                        assert_eq!(tape.eval(theta, a, b), want);
                    }
                }
            });
            assert!(!tape.same_branch(&points[0][..2], &points[0]));
            // The comparison of the branch has no derivative; the activity is constant on either side.
            assert_eq!([0, 1, 2, 3].map(|k| tape.differentiable(k)), [false, true, true, false]);
        });
    }
}
