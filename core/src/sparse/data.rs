//! The observations and features that a sparse process holds.

use super::{CHOSEN, FACTORED, FEATURES, ROWS, Sparse};
use crate::error::Error;
use crate::real::Real;

impl<R: Real> Sparse<'_, R> {
    /// The inputs, row after row.
    #[must_use]
    pub fn inputs(&self) -> &[R] {
        &self.x[..self.rows() * self.size.dims]
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &[R] {
        &self.y[..self.rows()]
    }

    /// The targets, for replacing them; [`Sparse::refresh`] makes the change count.
    pub fn targets_mut(&mut self) -> &mut [R] {
        let rows = self.rows();
        &mut self.y[..rows]
    }

    /// Known variances of the observations, for replacing them; a fit makes the change count.
    pub fn known_variances_mut(&mut self) -> &mut [R] {
        let rows = self.rows();
        self.counts[FACTORED] = 0;
        &mut self.known[..rows]
    }

    /// Inducing inputs, or frequencies at unit length scales, row after row.
    #[must_use]
    pub fn spots(&self) -> &[R] {
        &self.spots[..self.kind.spots(self.features()) * self.size.dims]
    }

    /// Sets the inducing inputs (or frequencies), instead of [`Sparse::choose`].
    ///
    /// # Errors
    /// [`Error::Shape`] if they are none, not whole rows or too many; [`Error::NotFinite`].
    pub fn set_spots(&mut self, spots: &[R]) -> Result<(), Error> {
        let (dims, most) = (self.size.dims, self.kind.spots(self.size.features));
        let count = spots.len() / dims;
        if count == 0 || count > most || spots.len() != count * dims {
            return Err(Error::Shape { needed: most * dims });
        }
        if spots.iter().any(|v| !v.is_finite()) {
            return Err(Error::NotFinite);
        }
        self.spots[..spots.len()].copy_from_slice(spots);
        self.counts[FEATURES] = self.kind.features(count) as u64;
        self.counts[CHOSEN] = self.counts[ROWS];
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Adds an observation without touching the factor.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`], [`Error::NotFinite`].
    pub fn push(&mut self, x: &[R], y: R, known_variance: R) -> Result<(), Error> {
        let (n, dims) = (self.rows(), self.size.dims);
        if n == self.size.rows {
            return Err(Error::Full);
        }
        if x.len() != dims {
            return Err(Error::Shape { needed: dims });
        }
        let known = known_variance >= R::ZERO && known_variance.is_finite();
        if !y.is_finite() || !known || x.iter().any(|v| !v.is_finite()) {
            return Err(Error::NotFinite);
        }
        self.x[n * dims..(n + 1) * dims].copy_from_slice(x);
        self.y[n] = y;
        self.known[n] = known_variance;
        self.counts[ROWS] = n as u64 + 1;
        Ok(())
    }

    /// Removes all observations and features.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Removes observation `row`; the factor waits for the next fit, since to take a row out of it is not stable.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such row.
    pub fn remove(&mut self, row: usize) -> Result<(), Error> {
        let (n, dims) = (self.rows(), self.size.dims);
        if row >= n {
            return Err(Error::Shape { needed: row.saturating_add(1) });
        }
        self.x.copy_within((row + 1) * dims..n * dims, row * dims);
        self.y.copy_within(row + 1..n, row);
        self.known.copy_within(row + 1..n, row);
        self.counts[ROWS] = n as u64 - 1;
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Forgets the observations after the first `rows`; the factor waits for the next fit.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.rows() {
            self.counts[ROWS] = rows as u64;
            self.counts[FACTORED] = 0;
        }
    }
}
