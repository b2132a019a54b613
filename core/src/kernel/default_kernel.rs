//! The default kernel and the priors of its hyperparameters, for an optimizer that was given none.

use super::{Branches, Categories, Dims, Kernel, MAX_LISTS, Op, Prior, Role, Similarity, Structure};
use crate::error::Error;
use crate::space::{Impute, Kind, Space};

/// Whether this build has more than the default similarity.
const CHOICES: bool = cfg!(feature = "models");

/// Coordinates of one sort.
type List = heapless::Vec<u16, MAX_LISTS>;

/// The `smooth` kernel (Matérn-5/2 but for trees of cuts) with a length scale per numeric parameter, times a Hamming kernel
/// over the categorical ones, unless another similarity is asked for; written behind the nodes of `kernel`.
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
/// [`Error::Kernel`] if numeric and categorical parameters together are more than a list holds; [`Error::Unsupported`] for
/// branches that the coordinates do not tell.
///
/// # References
/// Hvarfner, Hellsten, Nardi, "Vanilla Bayesian optimization performs great in high dimensions", 2024, for the √d.
// Not inlined: its lists are off the stack when the kernel is written.
#[inline(never)]
pub(crate) fn default_kernel(
    space: &Space<'_>,
    similarity: Similarity,
    smooth: Op,
    kernel: &mut Kernel,
) -> Result<(), Error> {
    let (mut numeric, mut labels) = (List::new(), List::new());
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
    if CHOICES && !similarity.is_plain() {
        return chosen(space, similarity, smooth, &numeric, &labels, kernel);
    }
    // One kernel, node by node: each link of a chain would be another copy of it on the stack.
    if numbers > 0 {
        kernel.node(smooth, if mixed { Dims::list(&numeric) } else { Dims::All });
        kernel.node_ard();
        kernel.node_with(Role::Length, 0.5, 0.005..100.0, lengths);
    }
    if categorical > 0 {
        hamming(kernel, if mixed { Dims::list(&labels) } else { Dims::All }, categorical);
    }
    if mixed {
        kernel.node(Op::Product, Dims::All);
    }
    kernel.node(Op::Scale, Dims::All);
    Ok(())
}

/// A Hamming kernel over so many categories.
fn hamming(kernel: &mut Kernel, dims: Dims<'_>, count: usize) {
    let weights = Prior::LogNormal { mean: -libm::log(count as f64) - 0.8, sd: 0.7 };
    kernel.node(Op::Hamming, dims);
    kernel.node_ard();
    kernel.node_with(Role::Weight, 0.45 / count as f64, 1e-6..100.0, weights);
}

/// The kernel of another similarity than the default.
fn chosen(
    space: &Space<'_>,
    similarity: Similarity,
    smooth: Op,
    numeric: &List,
    labels: &List,
    kernel: &mut Kernel,
) -> Result<(), Error> {
    let Similarity { categories, structure, branches } = similarity;
    let joint = structure == Structure::Product;
    let (all, both) = (Dims::All, !numeric.is_empty() && !labels.is_empty());
    let prior =
        |count: usize| Prior::LogNormal { mean: 0.5 * libm::log(count.max(1) as f64) - 0.75, sd: 0.7 };
    let numbers = |kernel: &mut Kernel, op: Op, dims: Dims<'_>, count: usize| {
        kernel.node(op, dims);
        kernel.node_ard();
        kernel.node_with(Role::Length, 0.5, 0.005..100.0, prior(count));
    };
    let variance = |kernel: &mut Kernel, start: f64| {
        kernel.node(Op::Scale, all);
        kernel.node_with(Role::Variance, start, 1e-4..1e4, Prior::Flat);
    };
    // One more: σ² k + 1.
    let raised = |kernel: &mut Kernel| {
        variance(kernel, 1.0);
        kernel.node(Op::Constant, all);
        kernel.node_with(Role::Variance, 1.0, 1.0..1.0, Prior::Flat);
        kernel.node(Op::Sum, all);
    };
    let after = |kernel: &mut Kernel| match structure {
        Structure::Product => {}
        Structure::Sum if both => variance(kernel, 0.5),
        Structure::Both if both => raised(kernel),
        Structure::Sum | Structure::Both => {}
    };
    let of = |list| if both { Dims::list(list) } else { all };
    let categorical = (0..space.dims()).filter(|&k| space.kind(k) == Kind::Categorical).count();
    let one_hot = (categorical as u16).saturating_mul(256).saturating_add(Op::Matern52 as u16);
    if both && joint && categories == Categories::OneHot {
        let mut list = numeric.clone();
        list.extend_from_slice(labels).map_err(|_| Error::Kernel)?;
        numbers(kernel, Op::OneHot, Dims::list(&list), list.len());
        kernel.node_degree(one_hot);
    } else if joint && categories == Categories::Index {
        numbers(kernel, smooth, all, space.dims());
    } else {
        if !numeric.is_empty() {
            numbers(kernel, smooth, of(numeric), space.dims() - categorical);
            after(kernel);
        }
        if !labels.is_empty() {
            match categories {
                Categories::Hamming => hamming(kernel, of(labels), categorical),
                Categories::Exchangeable => {
                    kernel.node(Op::Exchangeable, of(labels));
                    kernel.node_ard();
                    // Where a Hamming kernel starts, and as likely to be anywhere.
                    let start = libm::exp(-0.45 / categorical as f64).min(0.999);
                    kernel.node_with(Role::Correlation, start, 1e-3..0.9999, Prior::Uniform);
                }
                Categories::OneHot => {
                    numbers(kernel, Op::OneHot, of(labels), categorical);
                    kernel.node_degree(one_hot);
                }
                Categories::Index => numbers(kernel, smooth, of(labels), categorical),
            }
            after(kernel);
        }
        if both {
            kernel.node(if structure == Structure::Sum { Op::Sum } else { Op::Product }, all);
        }
    }
    // The variances of a sum are those of its parts.
    if !(both && structure == Structure::Sum) {
        variance(kernel, if both && structure == Structure::Both { 0.25 } else { 1.0 });
    }
    if branches == Branches::Apart { apart(space, kernel) } else { Ok(()) }
}

/// Closes the kernel between branches.
fn apart(space: &Space<'_>, kernel: &mut Kernel) -> Result<(), Error> {
    let (.., impute) = space.parts();
    let outside = impute == Impute::Outside;
    // By value, or by what it switches.
    let by_children = |parent: usize| match space.kind(parent) {
        Kind::Real => true,
        Kind::Integer => outside,
        Kind::Ordinal | Kind::Categorical => false,
    };
    let nested = |parent: usize| space.links().any(|(_, child)| child == parent);
    let (mut parents, mut children) = (List::new(), List::new());
    for k in 0..space.dims() {
        let is_parent = space.links().any(|(parent, _)| parent == k);
        let list = if is_parent && !by_children(k) { Some(&mut parents) } else { None };
        let untold = impute == Impute::Scatter && nested(k) || by_children(k) && !outside;
        Error::Unsupported.when(is_parent && untold)?;
        let is_switched = space.links().any(|(parent, child)| child == k && by_children(parent));
        let full = list.is_some_and(|list| list.push(k as u16).is_err());
        Error::Kernel.when(full || is_switched && children.push(k as u16).is_err())?;
    }
    for (op, list) in [(Op::Branch, &parents), (Op::Active, &children)] {
        if !list.is_empty() {
            kernel.node(op, Dims::list(list));
            kernel.node(Op::Product, Dims::All);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::kernel::{MAX_NODES, Tape};
    use crate::space::{Condition, Param, When};
    use crate::{Config, Limits, Model, Optimizer, sparse};

    const CATEGORIES: [Categories; 4] =
        [Categories::Hamming, Categories::Exchangeable, Categories::OneHot, Categories::Index];
    const STRUCTURES: [Structure; 3] = [Structure::Product, Structure::Sum, Structure::Both];

    fn build(space: &Space<'_>, similarity: Similarity) -> Result<Kernel, Error> {
        let mut kernel = Kernel::postfix();
        default_kernel(space, similarity, Op::Matern52, &mut kernel)?;
        kernel.thetas(space.dims())?;
        Ok(kernel)
    }

    /// k(a, b) at the start of the hyperparameters.
    fn eval(kernel: &Kernel, a: &[f64], b: &[f64]) -> f64 {
        let (mut nodes, mut lists) = ([0; 2 * MAX_NODES], [0; 24]);
        kernel.write(a.len(), &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, a.len()).unwrap();
        let mut theta = vec![0.0; tape.thetas()];
        kernel.write_start(a.len(), &mut theta).unwrap();
        tape.eval(&theta, a, b)
    }

    #[test]
    fn structures_are_their_formulas() {
        let params =
            [Param::real(0.0, 1.0), Param::categorical(3), Param::real(0.0, 1.0), Param::categorical(2)];
        let space = Space::new(&params, &[]).unwrap();
        let (a, b) = ([0.1, 0.5, 0.7, 0.25], [0.4, 0.5, 0.2, 0.75]);
        let matern = |q: f64| {
            let s = (5.0 * q).sqrt();
            (1.0 + s + s * s / 3.0) * (-s).exp()
        };
        let square = |d: f64| (d / 0.5) * (d / 0.5);
        let numbers = square(0.3) + square(0.5);
        for categories in CATEGORIES {
            // One of two categories differs.
            let (labels, joint) = match categories {
                Categories::Hamming | Categories::Exchangeable => {
                    ((-0.225f64).exp(), matern(numbers) * (-0.225f64).exp())
                }
                Categories::OneHot => (matern(2.0 / 0.25), matern(numbers + 2.0 / 0.25)),
                Categories::Index => (matern(square(0.5)), matern(numbers + square(0.5))),
            };
            for structure in STRUCTURES {
                let want = match structure {
                    Structure::Product => joint,
                    Structure::Sum => 0.5 * matern(numbers) + 0.5 * labels,
                    Structure::Both => 0.25 * (1.0 + matern(numbers)) * (1.0 + labels),
                };
                let kernel =
                    build(&space, Similarity { categories, structure, ..Similarity::PLAIN }).unwrap();
                let got = eval(&kernel, &a, &b);
                assert!((got - want).abs() < 1e-14, "{categories:?} {structure:?}: {got} {want}");
            }
        }
    }

    #[test]
    fn the_default_is_what_it_was() {
        let params = [Param::real(0.0, 1.0), Param::categorical(3), Param::real(0.0, 1.0)];
        let space = Space::new(&params, &[]).unwrap();
        let lengths = Prior::LogNormal { mean: 0.5 * libm::log(2.0) - 0.75, sd: 0.7 };
        let numbers =
            Kernel::matern52(Dims::list(&[0, 2])).ard().with(Role::Length, 0.5, 0.005..100.0, lengths);
        let weights = Prior::LogNormal { mean: -0.8, sd: 0.7 };
        let labels = Kernel::hamming(Dims::list(&[1])).ard().with(Role::Weight, 0.45, 1e-6..100.0, weights);
        let want = numbers.times(labels).unwrap().scaled();
        assert_eq!(build(&space, Similarity::default()).unwrap(), want);
    }

    #[test]
    fn branches_are_told_by_their_parents() {
        // A choice; a whole number under it that switches another; a real that switches a category.
        let params = [
            Param::categorical(3),
            Param::integer(1, 4),
            Param::real(0.0, 1.0),
            Param::real(0.0, 1.0),
            Param::categorical(2),
        ];
        let conditions = [
            Condition::new(1, 0, When::Equals(1.0)),
            Condition::new(2, 1, When::Between(2.0, 4.0)),
            Condition::new(4, 3, When::Between(0.5, 1.0)),
        ];
        let apart = Similarity { branches: Branches::Apart, ..Similarity::PLAIN };
        let space = Space::new(&params, &conditions).unwrap();
        // A real parent needs coordinates that say what is active.
        assert_eq!(build(&space, apart), Err(Error::Unsupported));
        let outside = build(&space.impute(Impute::Outside), apart).unwrap();
        let ops: Vec<Op> = outside.ops().collect();
        assert_eq!(ops[ops.len() - 4..], [Op::Branch, Op::Product, Op::Active, Op::Product]);
        let off = -1.0;
        let points: [([f64; 5], u32); 6] = [
            ([0.5, 0.4, 0.3, 0.2, off], 0),
            ([0.5, 0.6, 0.9, 0.4, off], 0),
            ([0.5, 0.1, off, 0.4, off], 1),
            ([0.5, 0.1, off, 0.6, 0.25], 2),
            ([0.1, off, off, 0.6, 0.25], 3),
            ([0.1, off, off, 0.9, 0.75], 3),
        ];
        for (a, left) in points {
            for (b, right) in points {
                assert_eq!(eval(&outside, &a, &b) > 0.0, left == right, "{a:?} {b:?}");
            }
        }
        // Without the real parent the values of the parents tell.
        let space = Space::new(&params, &conditions[..2]).unwrap();
        let centre = build(&space, apart).unwrap();
        assert_eq!(eval(&centre, &[0.5, 0.1, 0.5, 0.2, 0.25], &[0.5, 0.4, 0.5, 0.2, 0.25]), 0.0);
        assert!(eval(&centre, &[0.5, 0.4, 0.1, 0.2, 0.25], &[0.5, 0.4, 0.5, 0.3, 0.75]) > 0.0);
        assert_eq!(build(&space.impute(Impute::Scatter), apart), Err(Error::Unsupported));
        // One level of conditions has no inactive parent.
        let flat = Space::new(&params, &conditions[..1]).unwrap().impute(Impute::Scatter);
        assert!(build(&flat, apart).is_ok());
        // Without conditions there is one branch.
        let alone = Space::new(&params, &[]).unwrap();
        assert!(build(&alone, apart).unwrap().ops().all(|op| op != Op::Branch));
    }

    #[test]
    fn every_similarity_proposes() {
        let params =
            [Param::categorical(3), Param::real(0.0, 1.0), Param::integer(1, 9), Param::categorical(4)];
        let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
        let space = Space::new(&params, &conditions).unwrap();
        for categories in CATEGORIES {
            for structure in STRUCTURES {
                for branches in [Branches::Shared, Branches::Apart] {
                    let similarity = Similarity { categories, structure, branches };
                    let config = Config::default().with(|c| c.surrogate.similarity = similarity);
                    let limits = Limits::new(4, 14).conditions(2, 0).suit(&config);
                    let words = vec![0; limits.words::<f64>()];
                    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, words).unwrap();
                    for _ in 0..14 {
                        let mut x = [0.0; 4];
                        let ask = optimizer.ask(&mut x).unwrap();
                        let y = x[0] + (x[1] - 0.3).powi(2) + (x[2] - 4.0).powi(2) / 9.0 + x[3] % 3.0;
                        optimizer.tell(ask.id, y).unwrap();
                    }
                }
            }
        }
    }

    /// Trees of cuts in every similarity that is a product; they have no sum and no joint distance.
    #[test]
    fn trees_of_cuts_propose() {
        let params = [Param::categorical(3), Param::real(0.0, 1.0), Param::integer(1, 9)];
        let conditions = [Condition::new(2, 0, When::Equals(1.0))];
        let space = Space::new(&params, &conditions).unwrap();
        for categories in CATEGORIES {
            for branches in [Branches::Shared, Branches::Apart] {
                let similarity = Similarity { categories, branches, ..Similarity::PLAIN };
                let model = Model::Sparse(sparse::Kind::Mondrian);
                let config = Config::default().with(|c| {
                    c.surrogate.similarity = similarity;
                    c.surrogate.model = model;
                });
                let limits = Limits::new(3, 14).conditions(1, 0).suit(&config);
                let words = vec![0; limits.words::<f64>()];
                let made = Optimizer::<f64, _>::new(&space, &config, limits, words);
                if categories == Categories::OneHot {
                    assert_eq!(made.unwrap_err(), Error::Unsupported);
                    continue;
                }
                let mut optimizer = made.unwrap();
                for _ in 0..14 {
                    let mut x = [0.0; 3];
                    let ask = optimizer.ask(&mut x).unwrap();
                    optimizer.tell(ask.id, x[0] + (x[1] - 0.3).powi(2) + (x[2] - 4.0).powi(2)).unwrap();
                }
            }
        }
    }

    #[test]
    fn many_parameters_of_one_kind_are_served() {
        let similarity = Similarity { categories: Categories::OneHot, ..Similarity::PLAIN };
        let reals = vec![Param::real(0.0, 1.0); 300];
        assert!(build(&Space::new(&reals, &[]).unwrap(), similarity).is_ok());
        let labels = vec![Param::categorical(3); 200];
        let kernel = build(&Space::new(&labels, &[]).unwrap(), similarity).unwrap();
        let (a, mut b) = (vec![0.5; 200], vec![0.5; 200]);
        b[199] = 0.1;
        assert!(eval(&kernel, &a, &b) < 0.1);
        let labels = vec![Param::categorical(3); 256];
        assert_eq!(build(&Space::new(&labels, &[]).unwrap(), similarity), Err(Error::Kernel));
    }
}
