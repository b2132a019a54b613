//! The sixteen bytes of a kernel's node, and what the formulas see of it.

use super::op::{Form, Formula, Gate, Half, Op, Profile};

/// Largest number of nodes of a tape.
pub const MAX_NODES: usize = 24;
/// Largest number of values on the stack while a tape runs.
pub(crate) const MAX_DEPTH: usize = 8;

/// One node: two words without padding.
///
/// ```text
/// word 0   op 0..8 │ flags 8..16 │ degree 16..32 │ first θ 32..48 │ number of θ 48..64
/// word 1   first dimension, or first list entry 0..16 │ number of dimensions 16..32 │ zero 32..64
/// flags    1 one parameter per dimension (ARD) · 2 the dimensions are a list · 4 a bias
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(pub(super) [u64; 2]);

impl Node {
    pub(super) const ARD: u8 = 1;
    pub(super) const LIST: u8 = 2;
    pub(super) const BIAS: u8 = 4;

    pub(super) const fn new(
        op: Op,
        flags: u8,
        degree: u16,
        theta: u16,
        thetas: u16,
        first: u16,
        len: u16,
    ) -> Self {
        Self([
            op as u64
                | (flags as u64) << 8
                | (degree as u64) << 16
                | (theta as u64) << 32
                | (thetas as u64) << 48,
            first as u64 | (len as u64) << 16,
        ])
    }

    /// The operation; a code that `attach` would have refused reads as a constant.
    #[inline]
    #[must_use]
    pub const fn op(self) -> Op {
        match Op::of(self.0[0] as u8) {
            Some(op) => op,
            None => Op::Constant,
        }
    }

    /// The two words, for those who run tapes elsewhere.
    #[inline]
    #[must_use]
    pub const fn words(self) -> [u64; 2] {
        self.0
    }

    pub(super) const fn code(self) -> u8 {
        self.0[0] as u8
    }

    pub(super) const fn flags(self) -> u8 {
        (self.0[0] >> 8) as u8
    }

    /// Whether each dimension has its own parameter.
    #[inline]
    #[must_use]
    pub const fn is_ard(self) -> bool {
        self.flags() & Self::ARD != 0
    }

    /// Whether the dimensions are a list in the block.
    #[inline]
    #[must_use]
    pub const fn is_list(self) -> bool {
        self.flags() & Self::LIST != 0
    }

    /// Whether a dot-product node has a constant input.
    #[inline]
    #[must_use]
    pub const fn has_bias(self) -> bool {
        self.flags() & Self::BIAS != 0
    }

    /// The degree of a polynomial; the code of the profile of an arc or one-hot kernel, to which the latter adds 256 for
    /// each category; else 0.
    #[inline]
    #[must_use]
    pub const fn degree(self) -> u16 {
        (self.0[0] >> 16) as u16
    }

    /// The place of the node's first parameter in θ.
    #[inline]
    #[must_use]
    pub const fn theta(self) -> usize {
        (self.0[0] >> 32) as u16 as usize
    }

    /// How many parameters the node has.
    #[inline]
    pub(crate) const fn thetas(self) -> usize {
        (self.0[0] >> 48) as usize
    }

    /// The first dimension of a range, or the first entry of a list.
    #[inline]
    #[must_use]
    pub const fn first(self) -> usize {
        self.0[1] as u16 as usize
    }

    /// How many dimensions the node looks at.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        (self.0[1] >> 16) as u16 as usize
    }

    /// Whether the node looks at no dimension.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Parameters that a node of this kind has.
    pub(super) fn expected_thetas(self) -> usize {
        count_thetas(self.op(), self.is_ard(), self.has_bias(), self.len())
    }
}

/// Parameters of a node over `len` dimensions.
pub(super) fn count_thetas(op: Op, ard: bool, bias: bool, len: usize) -> usize {
    op.parameters(bias).iter().map(|p| if ard && p.role.per_dimension() { len } else { 1 }).sum()
}

/// Entry `index` of a list of dimensions, four to a word.
#[inline]
pub(super) fn list_entry(lists: &[u64], index: usize) -> usize {
    (lists[index / 4] >> (16 * (index % 4))) as u16 as usize
}

/// A node with its list: what the formulas see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf<'a> {
    pub(super) node: Node,
    pub(super) lists: &'a [u64],
}

impl Leaf<'_> {
    #[inline]
    pub(super) fn len(self) -> usize {
        self.node.len()
    }

    /// The coordinate that the node sees as its number `i`.
    #[inline]
    pub(super) fn dim(self, i: usize) -> usize {
        if self.node.is_list() {
            list_entry(self.lists, self.node.first() + i)
        } else {
            self.node.first() + i
        }
    }

    /// The profile of an arc or one-hot node; a number that `attach` would have refused reads as Matérn 5/2.
    pub(super) fn embedded(self) -> Profile {
        Profile::without_shape(self.node.degree() as u8).unwrap_or(Profile::HalfInteger(Half::Five))
    }

    /// How many coordinates are compared by their difference, before those that are only equal or not.
    #[inline]
    pub(super) fn numbers(self) -> usize {
        let Form::Leaf(formula) = self.node.op().form() else { return 0 };
        match formula {
            Formula::OneHot => self.len().saturating_sub(usize::from(self.node.degree() >> 8)),
            Formula::Discrete(_) | Formula::Gate(Gate::Branch) => 0,
            Formula::Constant | Formula::Radial(_) | Formula::Laplace | Formula::Periodic => self.len(),
            Formula::Cosine | Formula::Linear | Formula::Polynomial | Formula::ArcSine => self.len(),
            Formula::Gate(Gate::Active) | Formula::Arc => self.len(),
        }
    }

    /// Whether the node only asks if coordinate `dim` is equal.
    pub(super) fn splits(self, dim: usize) -> bool {
        self.numbers() < self.len() && (self.numbers()..self.len()).any(|i| self.dim(i) == dim)
    }

    /// Whether the node looks at coordinate `dim`.
    pub(super) fn sees(self, dim: usize) -> bool {
        if self.node.op() == Op::OneHot {
            return (0..self.len()).any(|i| self.dim(i) == dim);
        }
        let (first, len) = (self.node.first(), self.len());
        if !self.node.is_list() {
            return first <= dim && dim - first < len;
        }
        // Lists rise: halve the part that can hold the coordinate.
        let (mut low, mut high) = (0, len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.dim(middle) < dim { low = middle + 1 } else { high = middle }
        }
        low < len && self.dim(low) == dim
    }

    /// The place in θ of the first per-dimension parameter at the node's number `i`.
    #[inline]
    pub(super) fn slot(self, i: usize) -> usize {
        self.node.theta() + if self.node.is_ard() { i } else { 0 }
    }

    /// The place in θ of the second parameter (per dimension: a period or radius; else shape or bias).
    #[inline]
    pub(super) fn second(self, i: usize) -> usize {
        let first = if self.node.is_ard() { self.len() } else { 1 };
        let within = if self.node.is_ard() && self.node.op().has_second_per_dimension() { i } else { 0 };
        self.node.theta() + first + within
    }
}

#[cfg(test)]
mod tests {
    use super::{Leaf, Node, Op};

    #[test]
    fn lists_are_searched() {
        let lists = [0x0007_0005_0002_0001, 0x0009];
        let leaf = Leaf { node: Node::new(Op::Laplace, Node::LIST, 0, 0, 1, 1, 4), lists: &lists };
        let seen: std::vec::Vec<usize> = (0..12).filter(|&dim| leaf.sees(dim)).collect();
        assert_eq!(seen, [2, 5, 7, 9]);
        let leaf = Leaf { node: Node::new(Op::Laplace, 0, 0, 0, 1, 3, 2), lists: &[] };
        assert!((0..12).all(|dim| leaf.sees(dim) == (3..5).contains(&dim)));
    }
}
