//! The means of many small processes at many points, one after the other or taken together.

use core::fmt;

use super::Inputs;
use crate::error::Error;
use crate::kernel::Tape;
use crate::math::dot;
use crate::real::Real;

/// Rows whose covariances are taken together: they stay in the first cache.
pub(crate) const TOGETHER: usize = 64;

/// A process that is asked for its means alone: what another data set taught.
///
/// ```text
/// m(x) = o + k(x, X)ᵀα
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Member<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// The points that were observed, and θ.
    pub inputs: Inputs<'a, R>,
    /// α, one for each of them.
    pub alpha: &'a [R],
    /// o
    pub offset: R,
    /// w, how much it counts; one of weight 0 is not asked.
    pub weight: R,
    /// l, what its means are compared with or added to.
    pub low: R,
}

/// Is called with each member of a list and its place in it.
pub type Visit<'v, R> = dyn FnMut(usize, &Member<'_, R>) -> Result<(), Error> + 'v;

/// The request of [`Backend::means`](super::Backend::means) and of [`Backend::pool`](super::Backend::pool).
#[derive(Clone, Copy)]
pub struct Means<'a, R> {
    /// A number that no other list has, whatever the weights: by it a device knows again what it was given.
    pub fingerprint: u64,
    /// How many members the list has.
    pub count: usize,
    /// Calls with each member in order, those of weight 0 among them; ends at the first error.
    pub members: &'a dyn Fn(&mut Visit<'_, R>) -> Result<(), Error>,
    /// The points, row after row.
    pub points: &'a [R],
    /// Coordinates of a point.
    pub dims: usize,
}

impl<R: fmt::Debug> fmt::Debug for Means<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fingerprint, count, dims, points, .. } = self;
        let mut text = f.debug_struct("Means");
        text.field("fingerprint", fingerprint).field("count", count).field("dims", dims);
        text.field("points", points).finish_non_exhaustive()
    }
}

/// What a member says of some points.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a, R> {
    /// Its place in the list.
    pub index: usize,
    /// The first of the points.
    pub first: usize,
    /// w
    pub weight: R,
    /// l
    pub low: R,
    /// o
    pub offset: R,
    /// Its means there.
    pub means: &'a [R],
}

/// What becomes of the means m of all members at a point: one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pooling<R> {
    /// Σ w (l + s m)
    Mean {
        /// s
        scale: R,
    },
    /// Σ w max(l − m, 0)
    Gain,
    /// Σ w min(l, m)
    Least,
}

impl<R: Real> Pooling<R> {
    /// What a mean contributes, before it is weighted.
    #[must_use]
    pub fn of(self, low: R, mean: R) -> R {
        match self {
            Self::Mean { scale } => low + scale * mean,
            Self::Gain => (low - mean).max(R::ZERO),
            Self::Least => low.min(mean),
        }
    }

    /// Adds what a member contributes.
    fn add(self, said: &Said<'_, R>, out: &mut [R]) {
        for (out, &mean) in out[said.first..].iter_mut().zip(said.means) {
            *out += said.weight * self.of(said.low, mean);
        }
    }
}

impl<R: Real> Member<'_, R> {
    /// Scalars of work for a member of so many rows; `usize::MAX` rows are any number of them.
    #[must_use]
    pub const fn work(rows: usize, dims: usize, thetas: usize) -> usize {
        let rows = if rows < TOGETHER { rows } else { TOGETHER };
        Tape::scratch(rows, dims, thetas).saturating_add(rows)
    }

    /// Fills `out` with its means at `out.len()` points.
    ///
    /// Cost: O(rows × dims) for each.
    ///
    /// # Errors
    /// [`Error::Shape`] if the slices do not fit together, or `work` is shorter than [`Member::work`].
    pub fn means(&self, points: &[R], out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let Self { tape, inputs: Inputs { theta, x, rows, .. }, alpha, offset, .. } = *self;
        let dims = tape.dims();
        Error::Shape { needed: out.len() * dims }.when(points.len() != out.len() * dims)?;
        Error::Shape { needed: rows }.when(alpha.len() != rows || x.len() != rows * dims)?;
        let needed = Self::work(rows, dims, tape.thetas());
        Error::Shape { needed }.when(work.len() < needed)?;
        let (side, scratch) = work.split_at_mut(rows.min(TOGETHER));
        out.fill(offset);
        // As many rows at a time as stay in the first cache, each divided by its length scales once for all points.
        for (x, alpha) in x.chunks(TOGETHER * dims).zip(alpha.chunks(TOGETHER)) {
            let side = &mut side[..alpha.len()];
            let mut rows = tape.rows(theta, x, alpha.len(), scratch)?;
            for (point, out) in points.chunks_exact(dims).zip(out.iter_mut()) {
                rows.cross(point, side)?;
                *out += dot(side, alpha);
            }
        }
        Ok(())
    }
}

impl<R: Real> Member<'_, R> {
    /// Its mean at a point, with the derivatives in `slope`: 0 in coordinates where it has none.
    ///
    /// Cost: O(rows × dims).
    ///
    /// # Errors
    /// As [`Member::means`].
    pub(crate) fn slope(&self, point: &[R], slope: &mut [R], work: &mut [R]) -> Result<R, Error> {
        let Self { tape, inputs: Inputs { theta, x, rows, .. }, alpha, mut offset, .. } = *self;
        let dims = tape.dims();
        Error::Shape { needed: rows }.when(alpha.len() != rows || x.len() != rows * dims)?;
        slope.fill(R::ZERO);
        for (x, alpha) in x.chunks(TOGETHER * dims).zip(alpha.chunks(TOGETHER)) {
            offset += tape.rows(theta, x, alpha.len(), work)?.sum_and_slope(point, alpha, slope)?;
        }
        Ok(offset)
    }
}

impl<R: Real> Means<'_, R> {
    /// How many points there are.
    ///
    /// # Errors
    /// [`Error::Shape`] unless they are whole, and as many as are asked for, if any are.
    pub fn size(&self, asked: Option<usize>) -> Result<usize, Error> {
        let count = self.points.len() / self.dims.max(1);
        let needed = asked.unwrap_or(count).saturating_mul(self.dims);
        Error::Shape { needed }.when(self.dims == 0 || self.points.len() != needed)?;
        Ok(count)
    }

    /// As [`Backend::means`](super::Backend::means), by whoever computes the means of a member.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn each(
        &self,
        room: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
        mut means: impl FnMut(&Member<'_, R>, &[R], &mut [R]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.size(None)? == 0 {
            return Ok(());
        }
        Error::Shape { needed: 1 }.when(room.is_empty())?;
        let (dims, batch) = (self.dims, room.len());
        (self.members)(&mut |index, member| {
            if member.weight == R::ZERO {
                return Ok(());
            }
            Error::Shape { needed: dims }.when(member.tape.dims() != dims)?;
            let Member { weight, low, offset, .. } = *member;
            for (b, points) in self.points.chunks(batch * dims).enumerate() {
                let room = &mut room[..points.len() / dims];
                means(member, points, room)?;
                each(&Said { index, first: b * batch, weight, low, offset, means: room });
            }
            Ok(())
        })
    }

    /// As [`Backend::means`](super::Backend::means), by the plain code.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn each_plain(
        &self,
        room: &mut [R],
        work: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        self.each(room, each, |member, points, out| member.means(points, out, work))
    }

    /// As [`Backend::pool`](super::Backend::pool), by whoever has the means.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn pool(
        &self,
        pooling: Pooling<R>,
        out: &mut [R],
        means: impl FnOnce(&mut dyn FnMut(&Said<'_, R>)) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.size(Some(out.len()))?;
        means(&mut |said| pooling.add(said, out))
    }

    /// As [`Backend::pool`](super::Backend::pool), by the plain code.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn pool_plain(
        &self,
        pooling: Pooling<R>,
        out: &mut [R],
        room: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.pool(pooling, out, |each| self.each_plain(room, work, each))
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::{Means, Member, Pooling, Visit};
    use crate::backend::{Backend, Cross, Inputs};
    use crate::error::Error;
    use crate::kernel::{Dims, Kernel, Tape};
    use crate::linalg::Blocks;
    use crate::plain::Plain;
    use crate::rng::{Generator, uniform};

    /// Three members of which one does not count, of more rows than are taken together.
    struct List {
        x: Vec<f64>,
        alpha: Vec<f64>,
        theta: [f64; 3],
        nodes: [u64; 4],
        lists: [u64; 4],
    }

    const ROWS: [usize; 3] = [150, 7, 64];
    const WEIGHTS: [f64; 3] = [0.7, 0.0, -1.3];
    const LOWS: [f64; 3] = [0.2, 5.0, -0.1];

    impl List {
        fn new() -> Self {
            let mut generator = Generator::new(3);
            let mut draw = |count: usize| (0..count).map(|_| uniform(&mut generator)).collect::<Vec<f64>>();
            let (mut nodes, mut lists) = ([0; 4], [0; 4]);
            Kernel::matern52(Dims::All).ard().scaled().write(2, &mut nodes, &mut lists).unwrap();
            Self { x: draw(300), alpha: draw(150), theta: [-1.0, 0.3, 0.5], nodes, lists }
        }

        fn visit(&self, each: &mut Visit<'_, f64>) -> Result<(), Error> {
            let tape = Tape::attach(&self.nodes, &self.lists, 2)?;
            for (i, rows) in ROWS.into_iter().enumerate() {
                let (theta, x) = (&self.theta[..], &self.x[..2 * rows]);
                let inputs = Inputs { theta, x, rows, nugget: 0.0, blocks: Blocks::default() };
                let (weight, low, alpha) = (WEIGHTS[i], LOWS[i], &self.alpha[..rows]);
                each(i, &Member { tape, inputs, alpha, offset: 0.25, weight, low })?;
            }
            Ok(())
        }
    }

    #[test]
    fn means_are_sums_of_covariances_and_are_pooled_as_defined() {
        let some = List::new();
        let mut generator = Generator::new(4);
        let points: Vec<f64> = (0..22).map(|_| uniform(&mut generator)).collect();
        let members = |each: &mut Visit<'_, f64>| some.visit(each);
        let request = Means { fingerprint: 1, count: 3, members: &members, points: &points, dims: 2 };
        // By the matrix of all covariances.
        let (mut expected, mut work) = (vec![vec![]; 3], vec![0.0; 2000]);
        some.visit(&mut |i, member| {
            let n = member.inputs.rows;
            let mut cross = vec![0.0; 11 * n];
            Plain.cross(
                &Cross { tape: member.tape, inputs: &member.inputs, points: &points },
                &mut cross,
                &mut work,
            )?;
            let sum = |row: &[f64]| row.iter().zip(member.alpha).map(|(k, a)| k * a).sum::<f64>() + 0.25;
            expected[i] = cross.chunks_exact(n).map(sum).collect();
            Ok(())
        })
        .unwrap();
        let mut met = vec![];
        for room in [1, 4, 11, 50] {
            met.clear();
            Plain
                .means(&request, &mut vec![0.0; room], &mut work, &mut |said| {
                    met.push(said.index);
                    for (p, &mean) in (said.first..).zip(said.means) {
                        let error = (mean - expected[said.index][p]).abs();
                        assert!(error <= 1e-13 * expected[said.index][p].abs(), "{error:e}");
                    }
                })
                .unwrap();
            assert_eq!(met.iter().filter(|i| **i == 0).count(), 11_usize.div_ceil(room));
            assert!(!met.contains(&1), "the second has no weight");
        }
        let scale = 1.5;
        for pooling in [Pooling::Mean { scale }, Pooling::Gain, Pooling::Least] {
            let mut out = [0.5; 11];
            Plain.pool(&request, pooling, &mut out, &mut [0.0; 4], &mut work).unwrap();
            for (p, out) in out.into_iter().enumerate() {
                let own = |i: usize| {
                    let (low, mean) = (LOWS[i], expected[i][p]);
                    WEIGHTS[i]
                        * match pooling {
                            Pooling::Mean { .. } => low + scale * mean,
                            Pooling::Gain => f64::max(low - mean, 0.0),
                            Pooling::Least => f64::min(low, mean),
                        }
                };
                let sum = 0.5 + own(0) + own(2);
                assert!((out - sum).abs() < 1e-11 * sum.abs().max(1.0), "{pooling:?}: {out} for {sum}");
            }
        }
    }

    /// The mean that comes with the slope is that without it, and the slope that of its differences; none in a category.
    #[test]
    fn slopes_are_differences() {
        let mut generator = Generator::new(6);
        let mut draw = |count: usize| (0..count).map(|_| uniform(&mut generator)).collect::<Vec<f64>>();
        let real = Dims::range(0, 2);
        let mixed = Kernel::matern52(real).ard().times(Kernel::hamming(Dims::range(2, 1))).unwrap().scaled();
        let sum = Kernel::squared_exponential(Dims::range(1, 2)).plus(Kernel::linear(Dims::All)).unwrap();
        for (kernel, smooth) in [(mixed, 2), (sum, 3), (Kernel::periodic(Dims::All).ard(), 3)] {
            let (mut nodes, mut lists) = (vec![0; 2 * kernel.nodes()], vec![0; 4]);
            kernel.write(3, &mut nodes, &mut lists).unwrap();
            let tape = Tape::attach(&nodes, &lists, 3).unwrap();
            let mut theta = vec![0.0; tape.thetas()];
            kernel.write_start(3, &mut theta).unwrap();
            for rows in [1, 64, 150] {
                let (mut x, alpha, mut point) = (draw(3 * rows), draw(rows), draw(3));
                // One of two categories.
                x.iter_mut().skip(2).step_by(3).for_each(|x| *x = (*x).round());
                point[2] = 1.0;
                let inputs = Inputs { theta: &theta, x: &x, rows, nugget: 0.0, blocks: Blocks::default() };
                let member = Member { tape, inputs, alpha: &alpha, offset: 0.25, weight: 1.0, low: 0.0 };
                let mut work = vec![0.0; Member::<f64>::work(rows, 3, theta.len())];
                let mut mean = |point: &[f64]| {
                    let mut out = [0.0];
                    member.means(point, &mut out, &mut work).unwrap();
                    out[0]
                };
                let here = mean(&point);
                let step = 1e-5;
                let differences = [0, 1, 2].map(|k| {
                    let (mut up, mut down) = (point.clone(), point.clone());
                    (up[k], down[k]) = (point[k] + step, point[k] - step);
                    (mean(&up) - mean(&down)) / (2.0 * step)
                });
                let mut slope = [9.0; 3];
                let got = member.slope(&point, &mut slope, &mut work).unwrap();
                assert!((got - here).abs() <= 1e-13 * here.abs().max(1.0), "{got} for {here}");
                for k in 0..3 {
                    let expected = if k < smooth { differences[k] } else { 0.0 };
                    assert!((slope[k] - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{k}: {slope:?}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let some = List::new();
        let members = |each: &mut Visit<'_, f64>| some.visit(each);
        let points = [0.5; 4];
        let request = Means { fingerprint: 1, count: 3, members: &members, points: &points, dims: 2 };
        let shape = |needed| Err(Error::Shape { needed });
        let mut work = [0.0; 2000];
        let pool = |request: &Means<'_, f64>, size: usize, room: &mut [f64], work: &mut [f64]| {
            Plain.pool(request, Pooling::Gain, &mut vec![0.0; size], room, work)
        };
        assert_eq!(pool(&request, 2, &mut [0.0], &mut work), Ok(()));
        assert_eq!(pool(&request, 3, &mut [0.0], &mut work), shape(6));
        assert_eq!(pool(&request, 2, &mut [], &mut work), shape(1));
        let needed = Member::<f64>::work(150, 2, 3);
        assert_eq!(pool(&request, 2, &mut [0.0], &mut work[..needed]), Ok(()));
        assert_eq!(pool(&request, 2, &mut [0.0], &mut work[..needed - 1]), shape(needed));
        for (dims, size) in [(0, 0), (3, 1)] {
            let odd = Means { dims, ..request };
            assert!(matches!(pool(&odd, size, &mut [0.0], &mut work), Err(Error::Shape { .. })));
        }
        let none = Means { points: &[], ..request };
        assert_eq!(pool(&none, 0, &mut [], &mut []), Ok(()));
    }
}
