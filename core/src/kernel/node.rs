//! The sixteen bytes of a kernel: operation codes, parameter roles and the node itself.

/// What a node computes; the numbers are part of the saved format and of the shaders and never change.
///
/// Code 0 ends a tape. Gaps are left between the families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Op {
    /// The sum of the two values on top of the stack.
    Sum = 1,
    /// The product of the two values on top of the stack.
    Product = 2,
    /// σ² times the value on top of the stack.
    Scale = 3,
    /// The constant σ².
    Constant = 4,
    /// exp(−ρ²/2)
    SquaredExponential = 16,
    /// exp(−ρ)
    Matern12 = 17,
    /// (1 + √3ρ) exp(−√3ρ)
    Matern32 = 18,
    /// (1 + √5ρ + 5ρ²/3) exp(−√5ρ)
    Matern52 = 19,
    /// 2¹⁻ᵛ/Γ(ν) zᵛ Kᵥ(z), z = √(2ν) ρ
    Matern = 20,
    /// (1 + ρ²/(2α))⁻ᵅ
    RationalQuadratic = 21,
    /// exp(−ρᵞ)
    GammaExponential = 22,
    /// exp(−Σ|Δₖ|/ℓₖ)
    Laplace = 24,
    /// exp(−2 Σ sin²(πΔₖ/pₖ)/ℓₖ²)
    Periodic = 25,
    /// cos(2π Σ Δₖ/pₖ)
    Cosine = 26,
    /// Σ wₖ aₖ bₖ
    Linear = 32,
    /// (Σ wₖ aₖ bₖ + w₀)ᵈ
    Polynomial = 33,
    /// 2/π arcsin of a normalised dot product.
    ArcSine = 34,
    /// exp(−Σ wₖ \[aₖ ≠ bₖ\])
    Hamming = 48,
    /// Π (aₖ = bₖ ? 1 : cₖ)
    Exchangeable = 49,
    /// Π \[aₖ = bₖ\]
    Branch = 64,
    /// Π \[(aₖ < 0) = (bₖ < 0)\]
    Active = 65,
    /// A radial profile of points on circles, inactive coordinates in their centres.
    Arc = 66,
    /// A radial profile of numbers and of categories as unit vectors.
    OneHot = 67,
}

impl Op {
    /// The operation of a code, if it is one.
    #[must_use]
    pub const fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Sum,
            2 => Self::Product,
            3 => Self::Scale,
            4 => Self::Constant,
            16 => Self::SquaredExponential,
            17 => Self::Matern12,
            18 => Self::Matern32,
            19 => Self::Matern52,
            20 => Self::Matern,
            21 => Self::RationalQuadratic,
            22 => Self::GammaExponential,
            24 => Self::Laplace,
            25 => Self::Periodic,
            26 => Self::Cosine,
            32 => Self::Linear,
            33 => Self::Polynomial,
            34 => Self::ArcSine,
            48 => Self::Hamming,
            49 => Self::Exchangeable,
            64 => Self::Branch,
            65 => Self::Active,
            66 => Self::Arc,
            67 => Self::OneHot,
            _ => return None,
        })
    }

    /// Values that the node takes off the stack; a leaf takes none.
    #[must_use]
    pub const fn arity(self) -> usize {
        match self {
            Self::Sum | Self::Product => 2,
            Self::Scale => 1,
            _ => 0,
        }
    }

    /// Whether the node looks at coordinates of the points.
    #[must_use]
    pub const fn has_dims(self) -> bool {
        self.arity() == 0 && !matches!(self, Self::Constant)
    }

    /// Whether the node is a function of ρ² = Σ (Δₖ/ℓₖ)² alone.
    #[must_use]
    pub const fn is_radial(self) -> bool {
        matches!(
            self,
            Self::SquaredExponential
                | Self::Matern12
                | Self::Matern32
                | Self::Matern52
                | Self::Matern
                | Self::RationalQuadratic
                | Self::GammaExponential
        )
    }

    /// Whether the node only asks if coordinates are equal.
    #[must_use]
    pub const fn is_discrete(self) -> bool {
        matches!(self, Self::Hamming | Self::Exchangeable | Self::Branch)
    }

    /// Whether the node is 1 or 0 without a parameter.
    #[must_use]
    pub const fn is_gate(self) -> bool {
        matches!(self, Self::Branch | Self::Active)
    }

    /// Whether the node depends on a − b alone (or on equality or activity of coordinates).
    #[must_use]
    pub const fn is_stationary(self) -> bool {
        !matches!(self, Self::Linear | Self::Polynomial | Self::ArcSine)
    }

    /// The roles of the node's parameters in their order in θ; the bias only if the node has one.
    #[must_use]
    pub const fn roles(self, bias: bool) -> &'static [Role] {
        match self {
            Self::Sum | Self::Product | Self::Branch | Self::Active => &[],
            Self::Scale | Self::Constant => &[Role::Variance],
            Self::SquaredExponential | Self::Matern12 | Self::Matern32 | Self::Matern52 => &[Role::Length],
            Self::Laplace | Self::OneHot => &[Role::Length],
            Self::Matern | Self::RationalQuadratic | Self::GammaExponential => &[Role::Length, Role::Shape],
            Self::Periodic => &[Role::Length, Role::Period],
            Self::Cosine => &[Role::Period],
            Self::Linear | Self::Hamming => &[Role::Weight],
            Self::Polynomial | Self::ArcSine if bias => &[Role::Weight, Role::Bias],
            Self::Polynomial | Self::ArcSine => &[Role::Weight],
            Self::Exchangeable => &[Role::Correlation],
            Self::Arc => &[Role::Angle, Role::Radius],
        }
    }
}

/// What a parameter does in its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Role {
    /// A length scale ℓ, one per dimension under ARD.
    Length = 1,
    /// A variance σ² that multiplies a kernel, or the value of a constant.
    Variance = 2,
    /// ν, α or γ.
    Shape = 3,
    /// A period p, one per dimension under ARD.
    Period = 4,
    /// A weight w, one per dimension under ARD.
    Weight = 5,
    /// The variance w₀ of the constant input of a dot-product kernel.
    Bias = 6,
    /// The correlation c of two different categories, one per dimension under ARD.
    Correlation = 7,
    /// The part ω of a half circle that the values of an arc kernel's parameter span, one per dimension under ARD.
    Angle = 8,
    /// The radius r of the circle of an arc kernel's parameter, one per dimension under ARD.
    Radius = 9,
}

impl Role {
    /// Whether ARD gives each dimension its own parameter.
    #[must_use]
    pub const fn per_dimension(self) -> bool {
        !matches!(self, Self::Variance | Self::Shape | Self::Bias)
    }
}

/// Largest number of nodes of a tape.
pub const MAX_NODES: usize = 24;
/// Largest number of values on the stack while a tape runs.
pub const MAX_DEPTH: usize = 8;
/// Largest degree of a polynomial kernel.
pub const MAX_DEGREE: u16 = 16;

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
    #[must_use]
    pub const fn thetas(self) -> usize {
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
    op.roles(bias).iter().map(|role| if ard && role.per_dimension() { len } else { 1 }).sum()
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

    /// The radial profile: the operation itself unless the node names another.
    pub(super) fn profile(self) -> Op {
        match self.node.op() {
            Op::Arc | Op::OneHot => Op::of(self.node.degree() as u8).unwrap_or(Op::Matern52),
            op => op,
        }
    }

    /// How many coordinates are compared by their difference, before those that are only equal or not.
    #[inline]
    pub(super) fn numbers(self) -> usize {
        match self.node.op() {
            Op::OneHot => self.len().saturating_sub(usize::from(self.node.degree() >> 8)),
            op if op.is_discrete() => 0,
            _ => self.len(),
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
        let within =
            if self.node.is_ard() && matches!(self.node.op(), Op::Periodic | Op::Arc) { i } else { 0 };
        self.node.theta() + first + within
    }
}

#[cfg(test)]
mod tests {
    use super::{Leaf, Node, Op};

    /// Saved blocks and shaders hold these numbers.
    #[test]
    fn codes_are_pinned() {
        let codes: std::vec::Vec<u8> = (0..=255).filter(|&code| Op::of(code).is_some()).collect();
        assert_eq!(
            codes,
            [1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 32, 33, 34, 48, 49, 64, 65, 66, 67]
        );
        assert!(codes.iter().all(|&code| Op::of(code).unwrap() as u8 == code));
        assert_eq!((Op::Matern52 as u8, Op::Laplace as u8, Op::ArcSine as u8), (19, 24, 34));
    }

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
