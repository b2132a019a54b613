//! The fit of a process, its Cholesky factor, trend and α: what depends on its hyperparameters.

use super::{Gp, Size, block_diagonal, evidence};
use crate::backend::{Backend, Inputs, Posterior};
use crate::block::layout::sections;
use crate::error::Error;
use crate::kernel::Covariance;
use crate::limits::Limit;
use crate::linalg::{self, Blocks, Jitter, packed};
use crate::real::Real;

/// Words of counters of a fit: rows in the factor, jitter.
const STATE: usize = 2;
pub(super) const FACTORED: usize = 0;
pub(super) const JITTER: usize = 1;

sections! {
    (size: Size) {
        pub(super) state: words[STATE],
        pub(super) alpha: scalars[size.exact],
        pub(super) beta: scalars[size.columns],
        pub(super) basis: scalars[size.columns * size.exact],
        pub(super) normal: scalars[packed(size.columns)],
        /// Which rows of the factor belong together.
        pub(super) index: indices[size.exact],
        // The last, because it has a checksum of its own.
        pub(super) factor: scalars[packed(size.exact)],
    }
    => object {
        /// The fit of a process to its data at one set of hyperparameters.
        ///
        /// The data stay with the [`Gp`]; [`Ensemble`](super::Ensemble) holds more of them. It lives as long as the
        /// words lent to it.
        pub(crate) struct Fit {}
    }
    => places {
        /// Where the sections of a fit lie.
        pub(crate) struct FitPlaces
    }
}

impl<R: Real> Fit<'_, R> {
    /// Rows of the factor.
    pub(crate) fn factored(&self) -> usize {
        self.state[FACTORED] as usize
    }

    /// Which rows of the factor belong together.
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        Blocks::of(self.index, self.factored())
    }

    /// What was added to the diagonal beyond the noise.
    pub(crate) fn jitter(&self) -> R {
        R::of(f64::from_bits(self.state[JITTER]))
    }

    /// Forgets all rows of the factor but the first `rows`.
    pub(super) fn truncate(&mut self, rows: u64) {
        linalg::block_diagonal::truncate(
            self.index,
            self.factored(),
            usize::try_from(rows).unwrap_or(usize::MAX),
        );
        self.state[FACTORED] = self.state[FACTORED].min(rows);
    }

    /// Removes a row from the factor. Cost: O((n − row)²), of its block alone if there are several.
    pub(super) fn drop_row(&mut self, row: usize) -> Result<(), Error> {
        let rows = self.factored();
        linalg::block_diagonal::drop_row(self.factor, self.index, rows, row)?;
        self.state[FACTORED] = rows.saturating_sub(1) as u64;
        Ok(())
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.state.fill(0);
    }

    /// Whether counters and factor are such as a process of at most `rows` rows leaves them.
    pub(super) fn is_sound(&self, rows: usize) -> bool {
        let jitter = f64::from_bits(self.state[JITTER]);
        if self.state[FACTORED] > rows as u64 {
            return false;
        }
        let factored = self.factored();
        jitter.is_finite()
            && jitter >= 0.0
            && self.blocks().is_sound()
            && self.factor[..packed(factored)].iter().all(|v| v.is_finite())
            && (0..factored).all(|i| self.factor[packed(i) + i] > R::ZERO)
    }
}

/// # Errors
/// [`Error::NotFinite`] unless all are finite.
pub(super) fn all_finite<R: Real>(values: &[R]) -> Result<(), Error> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Error::NotFinite) }
}

/// A fitted process as plain slices.
#[derive(Debug)]
pub struct Split<'a, R> {
    /// All that prediction needs.
    pub posterior: Posterior<'a, R>,
    /// The targets of its rows.
    pub targets: &'a [R],
    /// Work memory, which nothing else of this uses.
    pub work: &'a mut [R],
}

impl<R: Real> Gp<'_, R> {
    /// Builds the factor at the present hyperparameters, with the least jitter that works.
    ///
    /// Cost: n³/3 flops; Σm³/3 over the branches of a kernel that keeps them apart.
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::NotPositiveDefinite`] if even the largest jitter does not help, [`Error::NotFinite`] if
    /// α or the trend leaves the range; nothing answers then until the next fit.
    pub fn fit<B: Backend<R> + ?Sized>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
    ) -> Result<(), Error> {
        let n = self.rows();
        self.check(covariance)?;
        self.fit.state[FACTORED] = 0;
        self.group(covariance);
        let theta = &self.theta.value[..self.size.thetas];
        let noise = self.theta.value[self.size.thetas].exp();
        let x = self.data.inputs();
        let factor = &mut self.fit.factor[..packed(n)];
        let mut scale = R::ZERO;
        for row in x.chunks_exact(self.size.dims) {
            scale = scale.max(covariance.eval(theta, row, row));
        }
        let least = self.data.known_variances().iter().copied().fold(R::INFINITY, R::min);
        let groups = Blocks::of(self.fit.index, n);
        let inputs = Inputs { theta, x, rows: n, nugget: noise + least, blocks: groups };
        let known = self.data.known_variances();
        let work = core::cell::RefCell::new(&mut *self.work);
        let mut failure = None;
        // The ladder refills the matrix before each attempt; both closures need the backend, one after the other.
        let backend = core::cell::RefCell::new(backend);
        let added = linalg::factor_with_jitter_by(
            |matrix| {
                let work = &mut **work.borrow_mut();
                let filled =
                    block_diagonal::gram(covariance, &mut **backend.borrow_mut(), &inputs, matrix, work);
                failure = failure.or(filled.err());
                evidence::add_noise(matrix, n, noise, known);
            },
            |matrix, rows| {
                let backend = &mut **backend.borrow_mut();
                groups
                    .factor(matrix, rows, &mut work.borrow_mut(), |matrix, rows| backend.factor(matrix, rows))
            },
            factor,
            n,
            Jitter::of(scale),
        );
        if let Some(error) = failure {
            return Err(error);
        }
        let added = added?;
        self.fit.state[JITTER] = added.to_f64().to_bits();
        self.fit.state[FACTORED] = n as u64;
        self.refresh()
    }

    /// Adds an observation and its row of the factor. Cost: n² flops, n the rows of its branch; α waits for [`Gp::refresh`].
    ///
    /// # Errors
    /// As [`Gp::push`], and [`Error::NotPositiveDefinite`] if the point adds nothing but rounding; the
    /// observation is then not added.
    pub fn extend(
        &mut self,
        covariance: &dyn Covariance<R>,
        x: &[R],
        y: R,
        known_variance: R,
    ) -> Result<(), Error> {
        Error::NoData.when(!self.is_fitted())?;
        let n = self.rows();
        let thetas = self.size.thetas;
        Error::Kernel.when(covariance.thetas() != thetas)?;
        self.push(x, y, known_variance)?;
        let appended = self.append(covariance);
        if appended.is_err() {
            self.data.truncate(n);
        }
        appended
    }

    /// Gives the first observation that the factor does not cover its row. Cost: n² flops.
    pub(super) fn append(&mut self, covariance: &dyn Covariance<R>) -> Result<(), Error> {
        let (n, thetas, dims) = (self.factored(), self.size.thetas, self.size.dims);
        Error::NoData.when(n >= self.rows())?;
        Limit::Exact.at_least(self.size.exact, n + 1)?;
        let theta = &self.theta.value[..thetas];
        let noise = self.theta.value[thetas].exp() + self.fit.jitter();
        let inputs = Inputs {
            theta,
            x: &self.data.x[..(n + 1) * dims],
            rows: n,
            nugget: noise + self.data.known[n],
            blocks: Blocks::default(),
        };
        block_diagonal::append(covariance, &inputs, self.fit.index, self.fit.factor, self.work)?;
        self.fit.state[FACTORED] = n as u64 + 1;
        Ok(())
    }

    /// Removes observation `row` from data and factor. Cost: O((n − row)²).
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such row.
    pub fn remove(&mut self, row: usize) -> Result<(), Error> {
        Error::Shape { needed: row.saturating_add(1) }.when(row >= self.rows())?;
        if self.is_fitted() {
            self.fit.drop_row(row)?;
        } else {
            self.fit.state[FACTORED] = 0;
        }
        self.data.remove(row)
    }

    /// Recomputes the trend and α from the factor and the present targets. Cost: 2n²(1 + p) flops.
    ///
    /// # Errors
    /// [`Error::NoData`] if there is no factor, or one observation alone, which a trend takes up; [`Error::NotFinite`] if α
    /// or the trend leaves the range; the factor stays, but nothing answers until α is there.
    pub fn refresh(&mut self) -> Result<(), Error> {
        let solved = self.solve();
        if solved.is_err() {
            // Without a word of its own, and saved with the rest: what `answers` looks at.
            self.fit.alpha.iter_mut().take(1).for_each(|first| *first = R::NAN);
        }
        solved
    }

    /// Whether there is a fit to predict from: a factor of all observations, more than the trend takes up, and α.
    #[must_use]
    pub fn answers(&self) -> bool {
        self.is_fitted()
            && self.trend.allows(self.rows())
            && self.fit.alpha.first().is_some_and(|first| !first.is_nan())
    }

    /// The trend and α.
    fn solve(&mut self) -> Result<(), Error> {
        let n = self.rows();
        let p = self.trend.columns(self.size.dims);
        Error::NoData.when(!self.is_fitted() || !self.trend.allows(n))?;
        let factor = &self.fit.factor[..packed(n)];
        let alpha = &mut self.fit.alpha[..n];
        let basis = &mut self.fit.basis[..n * p];
        alpha.copy_from_slice(self.data.targets());
        let x = self.data.inputs();
        let groups = Blocks::of(self.fit.index, n);
        groups.solve(factor, n, alpha, false, self.work)?;
        self.trend.matrix(x, n, basis, self.fit.normal)?;
        for column in basis.chunks_exact_mut(n) {
            groups.solve(factor, n, column, false, self.work)?;
        }
        evidence::generalised_least_squares(alpha, basis, n, p, self.fit.normal, self.fit.beta)?;
        groups.solve(factor, n, alpha, true, self.work)?;
        all_finite(alpha).and_then(|()| all_finite(&self.fit.beta[..p]))
    }

    /// The fitted process as plain slices, with the work memory beside it.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit.
    pub fn split(&mut self) -> Result<Split<'_, R>, Error> {
        let n = self.rows();
        let p = self.trend.columns(self.size.dims);
        Error::NoData.when(!self.answers())?;
        let posterior = Posterior {
            inputs: Inputs {
                theta: &self.theta.value[..self.size.thetas],
                x: self.data.inputs(),
                rows: n,
                nugget: R::ZERO,
                blocks: Blocks::of(self.fit.index, n),
            },
            factor: &self.fit.factor[..packed(n)],
            alpha: &self.fit.alpha[..n],
            trend: self.trend,
            beta: &self.fit.beta[..p],
            basis: &self.fit.basis[..n * p],
            normal: &self.fit.normal[..packed(p)],
        };
        Ok(Split { posterior, targets: self.data.targets(), work: &mut *self.work })
    }

    /// This process with other hyperparameters and their fit in the place of its own; the data are the same.
    pub(super) fn at_fit<'b>(&'b mut self, theta: &'b mut [R], fit: Fit<'b, R>) -> Gp<'b, R> {
        Gp {
            size: self.size,
            trend: self.trend,
            data: self.data.lend(),
            theta: self.theta.with_values(theta),
            fit,
            work: &mut *self.work,
        }
    }

    /// Forgets the factor: nothing answers until the next fit.
    pub fn unfit(&mut self) {
        self.fit.state[FACTORED] = 0;
    }

    /// The packed factor.
    pub(crate) fn factor(&self) -> &[R] {
        self.fit.factor
    }

    /// Rows of the factor.
    pub(crate) fn factored(&self) -> usize {
        (self.fit.state[FACTORED] as usize).min(self.size.exact)
    }
}
