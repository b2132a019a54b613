//! The observations and features that a sparse process holds.

use super::{CHOSEN, FACTORED, FEATURES, Sparse};
use crate::error::Error;
use crate::real::Real;

impl<R: Real> Sparse<'_, R> {
    /// The inputs, row after row.
    #[must_use]
    pub fn inputs(&self) -> &[R] {
        self.data.inputs()
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &[R] {
        self.data.targets()
    }

    /// The targets, for replacing them; [`Sparse::refresh`] makes the change count.
    pub fn targets_mut(&mut self) -> &mut [R] {
        self.data.targets_mut()
    }

    /// Known variances of the observations, for replacing them; a fit makes the change count.
    pub fn known_variances_mut(&mut self) -> &mut [R] {
        self.counts[FACTORED] = 0;
        self.data.known_variances_mut()
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
        self.counts[CHOSEN] = self.rows() as u64;
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Adds an observation without touching the factor.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`], [`Error::NotFinite`].
    pub fn push(&mut self, x: &[R], y: R, known_variance: R) -> Result<(), Error> {
        self.data.push(x, y, known_variance)
    }

    /// Removes all observations and features.
    pub fn clear(&mut self) {
        self.data.truncate(0);
        self.forget();
    }

    /// Runs something with every k-th observation alone; the factor waits for the next fit if that is not all.
    pub(crate) fn with_every<T>(&mut self, every: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let rows = self.data.thin(every);
        let answer = run(self);
        self.data.restore(every, rows);
        answer
    }

    /// Forgets features and factor.
    pub(crate) fn forget(&mut self) {
        self.counts.fill(0);
    }

    /// Removes observation `row`; the factor waits for the next fit, since to take a row out of it is not stable.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such row.
    pub fn remove(&mut self, row: usize) -> Result<(), Error> {
        self.data.remove(row)?;
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Forgets the observations after the first `rows`; the factor waits for the next fit.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.rows() {
            self.data.truncate(rows);
            self.counts[FACTORED] = 0;
        }
    }
}
