//! Observations, the data that a surrogate is fitted to: points of the unit cube, targets and known variances, stored once.

use crate::block::layout::sections;
use crate::error::Error;
use crate::real::Real;

sections! {
    (size: [usize; 2]) {
        count: words[1],
        pub(crate) x: scalars[size[0].saturating_mul(size[1])],
        pub(crate) y: scalars[size[0]],
        pub(crate) known: scalars[size[0]],
    }
    => object {
        /// Observations in a lent block, of so many rows and coordinates at most.
        ///
        /// All models of the same data read these: nothing is copied from one to another. They live as long as the words lent
        /// to them.
        pub(crate) struct Observations {
            size: [usize; 2] = size,
        }
    }
    => places {
        /// Where they lie.
        pub(crate) struct ObservationsPlaces
    }
}

impl<R: Real> Observations<'_, R> {
    /// None, and room for none.
    pub(crate) fn none() -> Self {
        Self { count: &mut [], x: &mut [], y: &mut [], known: &mut [], size: [0; 2] }
    }

    /// The same, lent for a while.
    pub(crate) fn lend(&mut self) -> Observations<'_, R> {
        let Self { count, x, y, known, size } = self;
        Observations { count, x, y, known, size: *size }
    }

    /// How many there are.
    pub(crate) fn rows(&self) -> usize {
        self.count.first().map_or(0, |&count| (count as usize).min(self.size[0]))
    }

    fn set_rows(&mut self, rows: usize) {
        self.count.fill(rows as u64);
    }

    /// The points, row after row.
    pub(crate) fn inputs(&self) -> &[R] {
        &self.x[..self.rows() * self.size[1]]
    }

    /// One point.
    pub(crate) fn point(&self, row: usize) -> &[R] {
        &self.x[row * self.size[1]..(row + 1) * self.size[1]]
    }

    /// The targets.
    pub(crate) fn targets(&self) -> &[R] {
        &self.y[..self.rows()]
    }

    /// The targets, for replacing them.
    pub(crate) fn targets_mut(&mut self) -> &mut [R] {
        let rows = self.rows();
        &mut self.y[..rows]
    }

    /// Known variances of the targets.
    pub(crate) fn known_variances(&self) -> &[R] {
        &self.known[..self.rows()]
    }

    /// Known variances of the targets, for replacing them.
    pub(crate) fn known_variances_mut(&mut self) -> &mut [R] {
        let rows = self.rows();
        &mut self.known[..rows]
    }

    /// Adds one.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`], [`Error::NotFinite`].
    pub(crate) fn push(&mut self, x: &[R], y: R, known_variance: R) -> Result<(), Error> {
        let (n, [most, dims]) = (self.rows(), self.size);
        Error::Full.when(n == most)?;
        Error::Shape { needed: dims }.when(x.len() != dims)?;
        let known = known_variance >= R::ZERO && known_variance.is_finite();
        Error::NotFinite.when(!y.is_finite() || !known || x.iter().any(|v| !v.is_finite()))?;
        self.x[n * dims..(n + 1) * dims].copy_from_slice(x);
        self.y[n] = y;
        self.known[n] = known_variance;
        self.set_rows(n + 1);
        Ok(())
    }

    /// Removes one; those behind it move up.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such row.
    pub(crate) fn remove(&mut self, row: usize) -> Result<(), Error> {
        let (n, dims) = (self.rows(), self.size[1]);
        Error::Shape { needed: row.saturating_add(1) }.when(row >= n)?;
        self.x.copy_within((row + 1) * dims..n * dims, row * dims);
        self.y.copy_within(row + 1..n, row);
        self.known.copy_within(row + 1..n, row);
        self.set_rows(n - 1);
        Ok(())
    }

    /// Forgets those after the first `rows`.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.set_rows(rows.min(self.rows()));
    }

    /// Leaves every k-th row, in their order; how many there were, for [`Observations::restore`].
    pub(crate) fn thin(&mut self, every: usize) -> usize {
        let rows = self.rows();
        // No row that is still to be moved lies where one was moved to: i < i·k.
        let left = rows.div_ceil(every.max(1));
        (0..left).for_each(|row| self.swap(row, row * every));
        self.set_rows(left);
        rows
    }

    /// Undoes [`Observations::thin`].
    pub(crate) fn restore(&mut self, every: usize, rows: usize) {
        self.set_rows(rows);
        (0..rows.div_ceil(every.max(1))).rev().for_each(|row| self.swap(row, row * every));
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a < b {
            let dims = self.size[1];
            let (low, high) = self.x.split_at_mut(b * dims);
            low[a * dims..(a + 1) * dims].swap_with_slice(&mut high[..dims]);
            self.y.swap(a, b);
            self.known.swap(a, b);
        }
    }

    /// Whether there is room for as many as there are said to be.
    pub(crate) fn is_counted(&self) -> bool {
        self.count.iter().all(|&count| count <= self.size[0] as u64)
    }

    /// Whether the count is one that there is room for, and the numbers are such as [`Observations::push`] takes, the
    /// coordinates inside of something.
    pub(crate) fn is_sound(&self, inside: impl Fn(&R) -> bool) -> bool {
        self.is_counted()
            && self.inputs().iter().all(inside)
            && self.targets().iter().all(|v| v.is_finite())
            && self.known_variances().iter().all(|v| v.is_finite() && *v >= R::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::Observations;
    use crate::block::Arena;
    use crate::error::Error;

    fn filled(block: &mut [u64], rows: usize) -> Observations<'_, f64> {
        let mut data = Observations::cut(&mut Arena::new(block), [8, 2]).unwrap();
        for i in 0..rows {
            data.push(&[i as f64, 0.5], 10.0 + i as f64, 0.25 * i as f64).unwrap();
        }
        data
    }

    #[test]
    fn rows_come_go_and_stay_together() {
        let mut block = [0; Observations::<f64>::section_words([8, 2])];
        let mut data = filled(&mut block, 8);
        assert_eq!(data.push(&[0.0; 2], 0.0, 0.0), Err(Error::Full));
        data.remove(2).unwrap();
        assert_eq!(data.remove(7), Err(Error::Shape { needed: 8 }));
        data.truncate(5);
        assert_eq!(data.targets(), [10.0, 11.0, 13.0, 14.0, 15.0]);
        assert_eq!(data.point(2), [3.0, 0.5]);
        assert_eq!(data.known_variances()[4], 1.25);
        assert_eq!(data.push(&[0.0], 0.0, 0.0), Err(Error::Shape { needed: 2 }));
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(data.push(&[0.0, bad], 0.0, 0.0), Err(Error::NotFinite));
            assert_eq!(data.push(&[0.0; 2], bad, 0.0), Err(Error::NotFinite));
            assert_eq!(data.push(&[0.0; 2], 0.0, bad), Err(Error::NotFinite));
        }
        assert_eq!(data.push(&[0.0; 2], 0.0, -1.0), Err(Error::NotFinite));
        assert!(data.is_sound(|x| *x >= 0.0) && !data.is_sound(|x| *x < 4.0));
        assert_eq!(data.rows(), 5);
    }

    #[test]
    fn thinned_rows_are_every_kth_and_come_back() {
        for rows in 0..=8 {
            for every in 1..5 {
                let mut block = [0; Observations::<f64>::section_words([8, 2])];
                let mut data = filled(&mut block, rows);
                let before = std::format!("{data:?}");
                let left: std::vec::Vec<f64> = data.targets().iter().copied().step_by(every).collect();
                let all = data.thin(every);
                assert_eq!((all, data.targets()), (rows, &left[..]));
                assert!(data.targets().iter().zip(data.inputs().chunks(2)).all(|(y, x)| *y == 10.0 + x[0]));
                data.restore(every, all);
                assert_eq!(std::format!("{data:?}"), before);
            }
        }
    }
}
