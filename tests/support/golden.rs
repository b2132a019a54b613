//! The golden tables of kernels and of acquisitions, `tests/oracle/{kernels,acquisitions}.txt`.

use infill::kernel::{Dims, Kernel, Op};

use crate::oracle::{Case, load};

/// A case of the table of kernels.
#[derive(Clone, Debug)]
pub struct KernelCase {
    /// The name of the operation, or of another use of it behind a slash.
    pub name: String,
    /// The number of the operation, unless it is another use.
    pub code: Option<u64>,
    /// The roles of its hyperparameters.
    pub roles: Vec<String>,
    /// In postfix order.
    pub nodes: Vec<Node>,
    /// Coordinates of a point.
    pub dims: usize,
    /// Natural hyperparameters.
    pub theta: Vec<f64>,
    /// What comes of them.
    pub pairs: Vec<Pair>,
}

/// A node of such a case.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    ard: bool,
    bias: bool,
    degree: u16,
    list: Vec<u16>,
}

/// Two points with their covariance.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The first.
    pub a: Vec<f64>,
    /// The second.
    pub b: Vec<f64>,
    /// k(a, b)
    pub value: f64,
    /// ∂k/∂ln θ
    pub by_theta: Vec<f64>,
    /// ∂k/∂a
    pub by_a: Vec<f64>,
}

impl KernelCase {
    /// The kernel as it is built.
    pub fn kernel(&self) -> Kernel {
        let mut kernel = Kernel::postfix();
        for node in &self.nodes {
            kernel.node(node.op, Dims::list(&node.list));
            if node.ard {
                kernel.node_ard();
            }
            if node.degree != 0 {
                kernel.node_degree(node.degree);
            }
            if !node.bias {
                kernel.node_without_bias();
            }
        }
        kernel
    }

    /// The words of its nodes and lists, and the logarithms of its hyperparameters.
    pub fn written(&self) -> (Vec<u64>, Vec<u64>, Vec<f64>) {
        let kernel = self.kernel();
        let (mut nodes, mut lists) =
            (vec![0; 2 * kernel.nodes()], vec![0; kernel.list_entries().div_ceil(4)]);
        kernel.write(self.dims, &mut nodes, &mut lists).unwrap_or_else(|e| panic!("{}: {e:?}", self.name));
        (nodes, lists, self.theta.iter().map(|t| t.ln()).collect())
    }
}

/// The table of kernels.
pub fn kernels() -> Vec<KernelCase> {
    load("kernels").cases().iter().map(kernel).collect()
}

fn kernel(case: &Case) -> KernelCase {
    let of = |key: &str| if case.has(key) { case.words(key) } else { Vec::new() };
    let rows = |key: &str| if case.has(key) { case.rows(key) } else { Vec::new() };
    let (a, b, value, by_theta, by_a) = (rows("a"), rows("b"), rows("value"), rows("by_theta"), rows("by_a"));
    assert!(!value.is_empty() && a.len() == value.len(), "{}: check_golden.py --write", case.name());
    let pair = |i: usize| Pair {
        a: a[i].clone(),
        b: b[i].clone(),
        value: value[i][0],
        by_theta: by_theta.get(i).cloned().unwrap_or_default(),
        by_a: by_a[i].clone(),
    };
    KernelCase {
        name: case.name().into(),
        code: of("code").first().map(|code| code.parse().expect("a number")),
        roles: of("roles").into_iter().filter(|role| *role != "-").map(String::from).collect(),
        nodes: case.lines("node").map(node).collect(),
        dims: case.number("dims") as usize,
        theta: rows("theta").concat(),
        pairs: (0..value.len()).map(pair).collect(),
    }
}

fn node(line: &str) -> Node {
    let words: Vec<_> = line.split(' ').collect();
    let [name, ard, bias, degree, list @ ..] = words.as_slice() else { panic!("a node: {line}") };
    let op = Op::ALL.iter().copied().find(|op| op.name() == *name);
    Node {
        op: op.unwrap_or_else(|| panic!("no operation {name}: a row in core/src/kernel/op.rs")),
        ard: *ard == "ard",
        bias: *bias == "bias",
        degree: degree.parse().expect("a degree"),
        list: list.iter().map(|dim| dim.parse().expect("a coordinate")).collect(),
    }
}

/// A case of the table of acquisitions.
#[derive(Clone, Debug)]
pub struct AcquisitionCase {
    /// The name of the rule.
    pub name: String,
    /// Its number.
    pub code: u64,
    /// What comes of it.
    pub rows: Vec<Row>,
}

/// A prediction with its score.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The best value so far.
    pub best: f64,
    /// The parameter of the rule.
    pub parameter: f64,
    /// Its score.
    pub score: f64,
    /// Its derivative by the mean.
    pub by_mean: f64,
    /// Its derivative by the deviation.
    pub by_deviation: f64,
}

/// The table of acquisitions.
pub fn acquisitions() -> Vec<AcquisitionCase> {
    let case = |case: &Case| {
        let (at, score) = (case.rows("at"), case.numbers("score"));
        let (by_mean, by_deviation) = (case.numbers("by_mean"), case.numbers("by_deviation"));
        assert_eq!(at.len(), score.len(), "{}: check_golden.py --write", case.name());
        let row = |i: usize| Row {
            mean: at[i][0],
            deviation: at[i][1],
            best: at[i][2],
            parameter: at[i][3],
            score: score[i],
            by_mean: by_mean[i],
            by_deviation: by_deviation[i],
        };
        AcquisitionCase {
            name: case.name().into(),
            code: case.number("code") as u64,
            rows: (0..at.len()).map(row).collect(),
        }
    };
    load("acquisitions").cases().iter().map(case).collect()
}
