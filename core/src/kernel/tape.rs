//! A kernel as words: checked once, then run for pairs of points.

use super::bessel;
use super::leaf::{self, Pair, Parameters};
use super::node::{Leaf, MAX_DEPTH, MAX_NODES, Node, list_entry};
use super::op::{Form, Op, Role};
use crate::error::Error;
use crate::real::Real;

/// A checked view of a kernel's nodes and lists.
///
/// Points have `dims` coordinates; θ has [`Tape::thetas`] entries on the log scale.
#[derive(Clone, Copy, Debug)]
pub struct Tape<'a> {
    nodes: &'a [u64],
    lists: &'a [u64],
    dims: usize,
    thetas: usize,
    depth: usize,
    gates: u32,
}

impl<'a> Tape<'a> {
    /// A view of words that [`super::Kernel::write`] wrote, for points of `dims` coordinates.
    ///
    /// Trailing zero words are the unused rest. Everything that is later trusted is checked, whatever the words.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the words are not a tape, [`Error::Unsupported`] if a kernel is not in this build.
    pub fn attach(nodes: &'a [u64], lists: &'a [u64], dims: usize) -> Result<Self, Error> {
        let used = nodes.chunks_exact(2).take_while(|words| words[0] as u8 != 0).count();
        let rest_is_zero = nodes[2 * used..].iter().all(|&word| word == 0);
        Error::Corrupt.when(used == 0 || used > MAX_NODES || !rest_is_zero)?;
        let mut tape = Self { nodes: &nodes[..2 * used], lists, dims, thetas: 0, depth: 0, gates: 0 };
        let mut height = 0;
        for node in tape.nodes() {
            let op = tape.check(node)?;
            tape.thetas += node.thetas();
            Error::Corrupt.when(height < op.arity())?;
            height = height + 1 - op.arity();
            tape.depth = tape.depth.max(height);
        }
        Error::Corrupt.when(height != 1 || tape.depth > MAX_DEPTH)?;
        tape.gates = tape.find_gates();
        Ok(tape)
    }

    /// Number of hyperparameters.
    #[must_use]
    pub fn thetas(self) -> usize {
        self.thetas
    }

    /// Number of coordinates of a point.
    #[must_use]
    pub fn dims(self) -> usize {
        self.dims
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(self) -> usize {
        self.nodes.len() / 2
    }

    /// Whether the tape has no node, which [`Tape::attach`] does not allow.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// What the hyperparameter at `index` does, if there is one.
    pub(crate) fn role(self, index: usize) -> Option<Role> {
        let node = self.nodes().find(|node| (node.theta()..node.theta() + node.thetas()).contains(&index))?;
        let mut place = node.theta();
        for parameter in node.op().parameters(node.has_bias()) {
            place += if node.is_ard() && parameter.role.per_dimension() { node.len() } else { 1 };
            if index < place {
                return Some(parameter.role);
            }
        }
        None
    }

    /// Largest number of values on the stack.
    pub(crate) fn depth(self) -> usize {
        self.depth
    }

    /// A bit for each gate that is a factor of the whole.
    pub(super) fn gates(self) -> u32 {
        self.gates
    }

    /// The nodes in postfix order.
    pub fn nodes(self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + 'a {
        self.nodes.chunks_exact(2).map(|words| Node([words[0], words[1]]))
    }

    /// Entries 2i (low) and 2i + 1 (high) of the lists, as one word of 32 bits; 0 beyond the last.
    #[must_use]
    pub fn list_pair(self, i: usize) -> u32 {
        self.lists.get(i / 2).map_or(0, |word| (word >> (32 * (i % 2))) as u32)
    }

    /// Whether ∂k(a, b)/∂aₖ exists (with the conventions of each leaf at its kinks) for coordinate `dim`.
    pub(crate) fn differentiable(self, dim: usize) -> bool {
        dim < self.dims && !self.leaves().any(|leaf| leaf.splits(dim))
    }

    /// Whether k(a, b) depends on a − b and on equality or activity of coordinates alone, so that k(a, a) is constant.
    #[must_use]
    pub fn is_stationary(self) -> bool {
        self.nodes().all(|node| node.op().is_stationary())
    }

    /// k(a, b); NaN if a slice is too short.
    #[must_use]
    pub fn eval<R: Real>(self, theta: &[R], a: &[R], b: &[R]) -> R {
        if !self.fits(theta, a, b) {
            return R::NAN;
        }
        let mut values = [R::ZERO; MAX_NODES];
        self.forward(theta, a, b, &mut values);
        values[self.len() - 1]
    }

    /// k(a, a); NaN if a slice is too short.
    #[must_use]
    pub fn diagonal<R: Real>(self, theta: &[R], a: &[R]) -> R {
        self.eval(theta, a, a)
    }

    /// k(a, b) with ∂k(a, b)/∂θ in `out`, by the log parameters; 0 for the order ν of a Matérn leaf.
    ///
    /// NaN, and zeros, if a slice is too short.
    pub fn gradient<R: Real>(self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> R {
        out.fill(R::ZERO);
        if !self.fits(theta, a, b) || out.len() < self.thetas {
            return R::NAN;
        }
        let mut values = [R::ZERO; MAX_NODES];
        let links = self.forward(theta, a, b, &mut values);
        let value = values[self.len() - 1];
        self.backward(&links, theta, &mut values, |leaf, seed| {
            leaf::gradient(&Pair { leaf, parameters: Parameters::logarithms(theta), a, b }, seed, out);
        });
        value
    }

    /// ∂k(a, b)/∂a into `out`, 0 in coordinates without one; false if there is such a coordinate or a slice is
    /// too short.
    ///
    /// At the kinks of Matérn leaves of order ≤ ½, γ-exponential leaves with γ ≤ 1 and Laplace leaves it is the
    /// mean of the one-sided derivatives, 0. The derivative of k(a, a) is twice this at b = a.
    pub fn gradient_x<R: Real>(self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
        out.fill(R::ZERO);
        if !self.fits(theta, a, b) || out.len() < self.dims {
            return false;
        }
        let mut values = [R::ZERO; MAX_NODES];
        let links = self.forward(theta, a, b, &mut values);
        self.backward(&links, theta, &mut values, |leaf, seed| {
            leaf::gradient_x(&Pair { leaf, parameters: Parameters::logarithms(theta), a, b }, seed, out);
        });
        self.clear_discrete(out)
    }

    /// Sets the coordinates without a derivative to 0; whether there was none.
    pub(super) fn clear_discrete<R: Real>(self, out: &mut [R]) -> bool {
        let mut whole = true;
        for leaf in self.leaves() {
            for i in leaf.numbers()..leaf.len() {
                whole = false;
                out[leaf.dim(i)] = R::ZERO;
            }
        }
        whole
    }

    /// The nodes that look at coordinates.
    pub(super) fn leaves(self) -> impl Iterator<Item = Leaf<'a>> {
        self.nodes().filter(|node| node.op().has_dims()).map(move |node| self.leaf(node))
    }

    /// The coordinate that a node sees as its number `m`.
    pub(crate) fn coordinate(self, node: Node, m: usize) -> usize {
        self.leaf(node).dim(m)
    }

    pub(super) fn leaf(self, node: Node) -> Leaf<'a> {
        Leaf { node, lists: self.lists }
    }

    /// For each node with two operands, where the left one is; the right one always is the node before.
    pub(super) fn links(self) -> [u8; MAX_NODES] {
        let mut links = [0; MAX_NODES];
        let mut stack = [0u8; MAX_DEPTH + 1];
        let mut height = 0;
        for (i, node) in self.nodes().enumerate() {
            height -= node.op().arity();
            if node.op().arity() == 2 {
                links[i] = stack[height];
            }
            stack[height] = i as u8;
            height += 1;
        }
        links
    }

    fn fits<R>(self, theta: &[R], a: &[R], b: &[R]) -> bool {
        theta.len() >= self.thetas && a.len() >= self.dims && b.len() >= self.dims
    }

    /// The value of every node.
    fn forward<R: Real>(self, theta: &[R], a: &[R], b: &[R], values: &mut [R; MAX_NODES]) -> [u8; MAX_NODES] {
        let (links, parameters) = (self.links(), Parameters::logarithms(theta));
        for (i, node) in self.nodes().enumerate() {
            values[i] = match node.op().form() {
                Form::Sum => values[usize::from(links[i])] + values[i - 1],
                Form::Product => values[usize::from(links[i])] * values[i - 1],
                Form::Scale => values[i - 1] * theta[node.theta()].exp(),
                Form::Leaf(_) => leaf::value(&Pair { leaf: self.leaf(node), parameters, a, b }),
            };
        }
        links
    }

    /// Replaces values by adjoints from the root down and hands each leaf its own.
    ///
    /// A scale node is handed over as if it were a leaf whose seed is its adjoint times its operand.
    fn backward<R: Real>(
        self,
        links: &[u8; MAX_NODES],
        theta: &[R],
        values: &mut [R; MAX_NODES],
        mut visit: impl FnMut(Leaf<'a>, R),
    ) {
        values[self.len() - 1] = R::ONE;
        for (i, node) in self.nodes().enumerate().rev() {
            let adjoint = values[i];
            let left = usize::from(links[i]);
            match node.op().form() {
                Form::Sum => {
                    values[left] = adjoint;
                    values[i - 1] = adjoint;
                }
                Form::Product => {
                    let (l, r) = (values[left], values[i - 1]);
                    values[left] = adjoint * r;
                    values[i - 1] = adjoint * l;
                }
                Form::Scale => {
                    visit(self.leaf(node), adjoint * values[i - 1]);
                    values[i - 1] = adjoint * theta[node.theta()].exp();
                }
                Form::Leaf(_) => visit(self.leaf(node), adjoint),
            }
        }
    }

    /// Whether a node is one that the builder could have written behind the nodes already counted.
    fn check(self, node: Node) -> Result<Op, Error> {
        let op = Op::of(node.code()).ok_or(Error::Corrupt)?;
        Error::Unsupported.when(op == Op::Matern && !bessel::ANY_ORDER)?;
        let allowed = if op.has_dims() { Node::ARD | Node::LIST } else { 0 }
            | if op.may_have_bias() { Node::BIAS } else { 0 };
        let categories = if op == Op::OneHot { usize::from(node.degree() >> 8) } else { 0 };
        let sound = node.flags() & !allowed == 0
            && op.may_have_degree(node.degree())
            && categories <= node.len()
            && node.0[1] >> 32 == 0
            && node.theta() == self.thetas
            && self.thetas + node.thetas() <= usize::from(u16::MAX)
            && self.has_sound_dims(node, op)
            && node.thetas() == node.expected_thetas();
        if sound { Ok(op) } else { Err(Error::Corrupt) }
    }

    fn has_sound_dims(self, node: Node, op: Op) -> bool {
        let (first, len) = (node.first(), node.len());
        if !op.has_dims() {
            return first == 0 && len == 0;
        }
        if len == 0 {
            return false;
        }
        if !node.is_list() {
            return first + len <= self.dims;
        }
        if first + len > self.lists.len().saturating_mul(4) {
            return false;
        }
        let numbers = if op == Op::OneHot { self.leaf(node).numbers() } else { len };
        is_sound_list(|i| list_entry(self.lists, first + i), numbers, len, self.dims)
    }
}

/// Whether `len` coordinates, of which the first `numbers` are numbers, are below `dims`, rising in both parts, and none
/// is in both.
pub(super) fn is_sound_list(entry: impl Fn(usize) -> usize, numbers: usize, len: usize, dims: usize) -> bool {
    let rises = |i: usize| i == numbers || entry(i - 1) < entry(i);
    let below = (0..len).all(|i| entry(i) < dims);
    let twice = |i: usize| (0..numbers).any(|j| entry(j) == entry(i));
    len > 0 && below && (1..len).all(rises) && !(numbers..len).any(twice)
}
