//! Covariance vectors and gram matrices of a tape over many points: inputs scaled once, then whole blocks of pairs at a time.

use super::covariance::{check_rows, check_triangle};
use super::node::Node;
use super::op::Op;
use super::tape::Tape;
use crate::error::Error;
use crate::linalg::Block;
use crate::math::dot;
use crate::real::Real;

/// Scalars of working memory beside the scaled inputs, whatever the number of points.
const WORK: usize = 768;
/// Longest block of pairs: values, distances and columns of a few dimensions stay in the first cache.
const BLOCK: usize = 256;

/// The rows of a data set prepared for one θ.
///
/// Holds the natural parameters, and the inputs column by column, divided by their length scales where one leaf
/// alone looks at a dimension. Making it costs O(n·dims); then each call below runs over contiguous columns.
#[derive(Debug)]
pub struct Rows<'a, R> {
    data: Data<'a, R>,
    work: &'a mut [R],
}

impl<'a, R: Real> Rows<'a, R> {
    /// k(xⱼ, point) for every row j. O(n·dims).
    ///
    /// # Errors
    /// [`Error::Shape`] if `point` has another dimension or `out` another length than there are rows.
    pub(crate) fn cross(&mut self, point: &[R], out: &mut [R]) -> Result<(), Error> {
        let data = self.data;
        check(point.len(), data.tape.dims())?;
        check(out.len(), data.n)?;
        data.row(point, out, self.work);
        Ok(())
    }

    /// k(center, xⱼ) for the rows from `first` on, compiled into the caller for the vectors that it has.
    ///
    /// The caller has checked that `center` is a point and that there are so many rows.
    #[cfg(feature = "faer")]
    #[inline(always)]
    pub(crate) fn values_here(&mut self, center: &[R], first: usize, out: &mut [R]) {
        self.data.row_here(center, first, out, self.work);
    }

    /// The part of [`Rows::weighted_gradient`] between row `i` and the rows from `first` on, compiled into the caller
    /// for the vectors that it has: adds to `out`, and counts every pair but i, i twice.
    ///
    /// The caller has checked that there are so many rows, and a place in `out` for each θ.
    #[cfg(feature = "faer")]
    #[inline(always)]
    pub(crate) fn add_gradient_here(
        &mut self,
        plan: &Plan,
        i: usize,
        first: usize,
        weights: &[R],
        out: &mut [R],
    ) {
        self.data.weigh_here(plan, i, first, weights, out, self.work);
    }

    /// How the working memory is cut while derivatives are taken.
    pub(crate) fn plan(&self) -> Plan {
        Plan::new(self.data.tape)
    }

    /// The lower triangle of the matrix k(xᵢ, xⱼ), row i at i(i+1)/2. O(n²·dims/2).
    ///
    /// # Errors
    /// [`Error::Shape`] if `out` is not a packed triangle of the rows.
    pub fn gram(&mut self, out: &mut [R]) -> Result<(), Error> {
        let data = self.data;
        check_triangle(out.len(), data.n)?;
        let mut rest = out;
        for i in 0..data.n {
            let (row, tail) = rest.split_at_mut(i + 1);
            data.row(data.point(i), row, self.work);
            rest = tail;
        }
        Ok(())
    }

    /// Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θₜ over the full symmetric matrix, from the packed lower triangle of W. O(n²·dims/2).
    ///
    /// # Errors
    /// [`Error::Shape`] if `weights` is not a packed triangle of the rows or `out` has not one place for each θ.
    pub fn weighted_gradient(&mut self, weights: &[R], out: &mut [R]) -> Result<(), Error> {
        out.fill(R::ZERO);
        self.add_weighted_gradient(weights, out)
    }

    /// As [`Rows::weighted_gradient`], added to what is in `out`.
    ///
    /// # Errors
    /// As [`Rows::weighted_gradient`].
    pub(crate) fn add_weighted_gradient(&mut self, weights: &[R], out: &mut [R]) -> Result<(), Error> {
        let data = self.data;
        check_triangle(weights.len(), data.n)?;
        check(out.len(), data.tape.thetas())?;
        let plan = self.plan();
        let mut rest = weights;
        for i in 0..data.n {
            let (row, tail) = rest.split_at(i + 1);
            data.weigh_here(&plan, i, 0, row, out, self.work);
            rest = tail;
        }
        Ok(())
    }

    /// Adds Σⱼ wⱼ ∂k(point, xⱼ)/∂θₜ to `out`. O(n·dims).
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    pub(crate) fn add_cross_gradient(
        &mut self,
        point: &[R],
        weights: &[R],
        out: &mut [R],
    ) -> Result<(), Error> {
        let data = self.data;
        check(point.len(), data.tape.dims())?;
        check(weights.len(), data.n)?;
        check(out.len(), data.tape.thetas())?;
        let plan = self.plan();
        for (part, weights) in weights.chunks(plan.block).enumerate() {
            let (first, len) = (part * plan.block, weights.len());
            data.forward(&plan, point, first, len, true, self.work);
            plan.root(self.work, len).copy_from_slice(weights);
            data.backward_theta(&plan, point, first, len, out, self.work);
        }
        Ok(())
    }

    /// Σⱼ wⱼ ∂k(point, xⱼ)/∂point of each of `weights`, such as those of mean and variance, from one set of distances;
    /// false, and 0 there, if a coordinate has no derivative. O(n·dims).
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    pub fn cross_gradient_x<const N: usize>(
        &mut self,
        point: &[R],
        weights: [&[R]; N],
        mut out: [&mut [R]; N],
    ) -> Result<bool, Error> {
        let data = self.data;
        check(point.len(), data.tape.dims())?;
        weights.iter().try_for_each(|w| check(w.len(), data.n))?;
        out.iter().try_for_each(|o| check(o.len(), data.tape.dims()))?;
        out.iter_mut().for_each(|o| o.fill(R::ZERO));
        let plan = self.plan();
        for first in (0..data.n).step_by(plan.block) {
            let len = plan.block.min(data.n - first);
            data.forward(&plan, point, first, len, false, self.work);
            plan.root(self.work, len).fill(R::ONE);
            data.backward_x(&plan, point, first, len, &weights, &mut out, self.work);
        }
        let mut whole = true;
        for o in out {
            whole &= data.tape.clear_discrete(o);
        }
        Ok(whole)
    }
}

impl<R: Real> Rows<'_, R> {
    /// Σⱼ wⱼ k(point, xⱼ), with its derivatives by the point added to `out`; 0 there in coordinates that have none. From one set of
    /// distances, O(n·dims).
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than this needs.
    pub(crate) fn sum_and_slope(&mut self, point: &[R], weights: &[R], out: &mut [R]) -> Result<R, Error> {
        let data = self.data;
        check(point.len(), data.tape.dims())?;
        check(weights.len(), data.n)?;
        check(out.len(), data.tape.dims())?;
        let (plan, mut sum) = (self.plan(), R::ZERO);
        for first in (0..data.n).step_by(plan.block) {
            let len = plan.block.min(data.n - first);
            data.forward(&plan, point, first, len, false, self.work);
            let root = plan.root(self.work, len);
            sum += dot(root, &weights[first..first + len]);
            root.fill(R::ONE);
            data.backward_x(&plan, point, first, len, &[weights], &mut [&mut *out], self.work);
        }
        data.tape.clear_discrete(out);
        Ok(sum)
    }
}

impl Tape<'_> {
    /// Scalars of scratch for `n` points of `dims` coordinates and `thetas` hyperparameters.
    #[must_use]
    pub const fn scratch(n: usize, dims: usize, thetas: usize) -> usize {
        n.saturating_mul(dims).saturating_add(thetas).saturating_add(WORK)
    }

    /// Prepares `n` rows `x` for θ; `scratch` has at least [`Tape::scratch`] places.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short or `x` is not `n` rows.
    pub fn rows<'s, R: Real>(
        self,
        theta: &[R],
        x: &'s [R],
        n: usize,
        scratch: &'s mut [R],
    ) -> Result<Rows<'s, R>, Error>
    where
        Self: 's,
    {
        check_rows(x, n, self.dims())?;
        self.prepare(theta, x, None, n, scratch)
    }

    /// Prepares the rows of one block of `x` for θ: they are numbered as they are in the block.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn rows_of<'s, R: Real>(
        self,
        theta: &[R],
        x: &'s [R],
        block: Block<'s>,
        scratch: &'s mut [R],
    ) -> Result<Rows<'s, R>, Error>
    where
        Self: 's,
    {
        let needed = block.rows().next_back().map_or(0, |last| (last + 1).saturating_mul(self.dims()));
        Error::Shape { needed }.when(x.len() < needed)?;
        self.prepare(theta, x, Some(block), block.len(), scratch)
    }

    /// Prepares `n` rows, all or those of a block.
    fn prepare<'s, R: Real>(
        self,
        theta: &[R],
        x: &'s [R],
        block: Option<Block<'s>>,
        n: usize,
        scratch: &'s mut [R],
    ) -> Result<Rows<'s, R>, Error>
    where
        Self: 's,
    {
        let thetas = self.thetas();
        Error::Shape { needed: thetas }.when(theta.len() < thetas)?;
        let needed = Self::scratch(n, self.dims(), thetas);
        Error::Shape { needed }.when(scratch.len() < needed)?;
        let (natural, rest) = scratch.split_at_mut(thetas);
        let (columns, rest) = rest.split_at_mut(n * self.dims());
        for (p, t) in natural.iter_mut().zip(theta) {
            *p = t.exp();
        }
        let natural = &*natural;
        let dims = self.dims();
        match block {
            None => {
                for (k, column) in columns.chunks_exact_mut(n.max(1)).enumerate() {
                    for (j, z) in column.iter_mut().enumerate() {
                        *z = x[j * dims + k];
                    }
                }
            }
            // Rows that lie apart: each is read once.
            Some(block) => {
                for (j, row) in block.rows().enumerate() {
                    let row = &x[row * dims..(row + 1) * dims];
                    for (column, &z) in columns.chunks_exact_mut(n.max(1)).zip(row) {
                        column[j] = z;
                    }
                }
            }
        }
        let owned = self.owned();
        for (_, node) in self.nodes().enumerate().filter(|(i, _)| owned >> i & 1 == 1) {
            let leaf = self.leaf(node);
            for m in 0..leaf.len() {
                let rate = R::ONE / natural[leaf.slot(m)];
                columns[leaf.dim(m) * n..][..n].iter_mut().for_each(|z| *z *= rate);
            }
        }
        Ok(Rows { data: Data { tape: self, natural, x, block, columns, n, owned }, work: &mut rest[..WORK] })
    }

    /// The nodes, as bits, whose dimensions no other node looks at and whose lengths can be divided out at once.
    fn owned(self) -> u32 {
        let mut owned = 0;
        for (i, node) in self.nodes().enumerate() {
            let leaf = self.leaf(node);
            let scalable = node.op().is_radial() || node.op() == Op::Laplace;
            let shared = |m: usize| {
                // Division by a length keeps the sign, and the sign is all that is asked about activity.
                let asks = |node: &Node| node.op().has_dims() && node.op() != Op::Active;
                let others = self.nodes().enumerate().filter(|(other, node)| *other != i && asks(node));
                others.map(|(_, node)| self.leaf(node)).any(|other| other.sees(leaf.dim(m)))
            };
            if scalable && !(0..leaf.len()).any(shared) {
                owned |= 1 << i;
            }
        }
        owned
    }
}

/// What the blocks read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data<'a, R> {
    pub(super) tape: Tape<'a>,
    /// e^θ
    pub(super) natural: &'a [R],
    /// The inputs, row by row.
    pub(super) x: &'a [R],
    /// Which of them, unless all.
    pub(super) block: Option<Block<'a>>,
    /// The inputs, column by column, scaled where a node owns the dimension.
    pub(super) columns: &'a [R],
    pub(super) n: usize,
    /// One bit for each node whose columns are scaled.
    pub(super) owned: u32,
}

impl<'a, R: Real> Data<'a, R> {
    #[inline(always)]
    pub(super) fn point(self, i: usize) -> &'a [R] {
        let row = self.block.map_or(i, |block| block.row(i));
        &self.x[row * self.tape.dims()..][..self.tape.dims()]
    }

    /// k(center, xⱼ) for the first `out.len()` rows.
    fn row(self, center: &[R], out: &mut [R], work: &mut [R]) {
        self.row_here(center, 0, out, work);
    }

    /// k(center, xⱼ) for the rows from `first` on.
    #[inline(always)]
    fn row_here(self, center: &[R], first: usize, out: &mut [R], work: &mut [R]) {
        let block = BLOCK.min(WORK / self.tape.depth());
        for (b, part) in out.chunks_mut(block).enumerate() {
            self.values(center, first + b * block, part, work);
        }
    }

    /// Adds Σⱼ wⱼ ∂k(xᵢ, xⱼ)/∂θ over the rows from `first` on, twice but for j = i.
    #[inline(always)]
    fn weigh_here(self, plan: &Plan, i: usize, first: usize, weights: &[R], out: &mut [R], work: &mut [R]) {
        let mut first = first;
        for weights in weights.chunks(plan.block) {
            let len = weights.len();
            self.forward(plan, self.point(i), first, len, true, work);
            let root = plan.root(work, len);
            for (r, &w) in root.iter_mut().zip(weights) {
                *r = w + w;
            }
            if (first..first + len).contains(&i) {
                root[i - first] = weights[i - first];
            }
            self.backward_theta(plan, self.point(i), first, len, out, work);
            first += len;
        }
    }
}

/// Whether a slice has the length that is needed.
fn check(len: usize, needed: usize) -> Result<(), Error> {
    if len == needed { Ok(()) } else { Err(Error::Shape { needed }) }
}

/// How the working memory is cut while derivatives are taken: three slices for each node, one to spare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(super) links: [u8; super::MAX_NODES],
    pub(super) nodes: usize,
    pub(super) block: usize,
}

impl Plan {
    fn new(tape: Tape<'_>) -> Self {
        let nodes = tape.len();
        Self { links: tape.links(), nodes, block: BLOCK.min(WORK / (3 * nodes + 1)) }
    }

    /// The value slice of the last node, where the seeds go.
    #[inline(always)]
    fn root<'w, R>(&self, work: &'w mut [R], len: usize) -> &'w mut [R] {
        &mut work[3 * (self.nodes - 1) * len..][..len]
    }
}
