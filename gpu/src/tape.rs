//! The kernel tape in words of the device.

use infill::Real;
use infill::kernel::{Op, Tape};

/// The most dimensions that a tile has room for.
pub(crate) const DIMS: usize = 64;

/// A kernel with sets of hyperparameters, ready to be copied.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Words {
    pub(crate) words: Vec<u32>,
    pub(crate) nodes: u32,
    pub(crate) lists: u32,
    pub(crate) theta: u32,
    pub(crate) thetas: u32,
    /// The operation of a tape that is one stationary node, scaled or not.
    pub(crate) single: Option<Op>,
}

/// Whether the device knows every node of the kernel and has room for its points.
pub(crate) fn is_known(tape: Tape<'_>) -> bool {
    tape.dims() <= DIMS && tape.nodes().all(|node| node.op() != Op::Matern)
}

impl Words {
    /// Nodes and lists, then natural hyperparameters, one set after the other.
    pub(crate) fn write<R: Real>(&mut self, tape: Tape<'_>, sets: &[R]) {
        self.words.clear();
        let mut entries = 0;
        for node in tape.nodes() {
            let [front, back] = node.words();
            self.words.extend([front as u32, (front >> 32) as u32, back as u32, (back >> 32) as u32]);
            if node.is_list() {
                entries = entries.max(node.first() + node.len());
            }
        }
        self.nodes = tape.len() as u32;
        self.lists = self.words.len() as u32;
        self.words.extend((0..entries.div_ceil(2)).map(|i| tape.list_pair(i)));
        self.theta = self.words.len() as u32;
        self.thetas = tape.thetas() as u32;
        self.push_thetas(sets);
        let mut ops = tape.nodes().map(|node| node.op());
        let (first, second, third) = (ops.next(), ops.next(), ops.next());
        let alone = matches!(second, None | Some(Op::Scale)) && third.is_none();
        self.single = first.filter(|op| alone && op.is_radial());
    }

    /// Natural hyperparameters of more sets behind the last.
    pub(crate) fn push_thetas<R: Real>(&mut self, sets: &[R]) {
        // In double precision: the exponential of a rounded logarithm is off by its size.
        self.words.extend(sets.iter().map(|theta| (theta.to_f64().exp() as f32).to_bits()));
    }
}
