//! Points and values of several data sets, one after the other.

use core::ops::Range;

use super::Room;
use crate::block::Scratch;
use crate::error::Error;
use crate::real::Real;
use crate::transfer::How;
use crate::transfer::knowledge::Told;

/// Most data sets: the run and its neighbours.
const SETS: usize = How::MOST_NEIGHBOURS as usize + 1;

/// The rows of the neighbours, data set by data set, then those of the run: what was told, and what waits for its value.
#[derive(Debug)]
pub(in crate::transfer) struct Rows<'p, R> {
    x: &'p mut [R],
    /// Values with mean 0 and variance 1 in each data set.
    y: &'p mut [R],
    /// Where each data set ends.
    ends: [usize; SETS],
    sets: usize,
    /// Rows with a value: all others are behind them.
    told: usize,
    dims: usize,
    trials: usize,
    best: R,
    /// Average and deviation of what the run was told.
    units: [R; 2],
}

impl<'p, R: Real> Rows<'p, R> {
    /// How many there are at the most.
    pub(super) const fn most(count: usize, room: &Room) -> usize {
        let sets = if count < room.sources { count } else { room.sources };
        sets.saturating_mul(room.rows).saturating_add(room.trials)
    }

    pub(super) const fn scalars(count: usize, room: &Room) -> usize {
        Self::most(count, room).saturating_mul(room.dims.saturating_add(1))
    }

    /// Without any.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve(
        memory: &mut Scratch<'p, R>,
        count: usize,
        room: &Room,
        dims: usize,
    ) -> Result<Self, Error> {
        let most = Self::most(count, room);
        let (x, y) = (memory.take(most.saturating_mul(dims))?, memory.take(most)?);
        Ok(Self {
            x,
            y,
            ends: [0; SETS],
            sets: 0,
            told: 0,
            dims,
            trials: room.trials,
            best: R::ZERO,
            units: [R::ZERO; 2],
        })
    }

    /// Adds a data set and returns the deviation of its values, 1 if they do not differ.
    ///
    /// # Errors
    /// [`Error::Shape`] for more than there is room for.
    pub(in crate::transfer) fn add(&mut self, points: &[R], values: &[R]) -> Result<R, Error> {
        let (start, end) = (self.told, self.told.saturating_add(values.len()));
        let needed = end.saturating_add(self.trials);
        Error::Shape { needed }.when(needed > self.y.len() || self.sets + 1 >= SETS)?;
        let x = &mut self.x[start * self.dims..end * self.dims];
        Error::Shape { needed: x.len() }.when(x.len() != points.len())?;
        x.copy_from_slice(points);
        self.y[start..end].copy_from_slice(values);
        self.close(end, end);
        let [_, deviation] = standardise(&mut self.y[start..end]);
        Ok(deviation)
    }

    /// Adds the run.
    ///
    /// # Errors
    /// [`Error::NoData`] without a told value, [`Error::Shape`].
    pub(in crate::transfer) fn finish(&mut self, run: &Told<'_, R>) -> Result<(), Error> {
        let (start, mut told) = (self.told, self.told);
        let needed = start.saturating_add(run.count);
        Error::Shape { needed }.when(needed > self.y.len())?;
        for j in 0..run.count {
            let (point, value) = (run.row)(j);
            Error::Shape { needed: self.dims }.when(point.len() != self.dims)?;
            self.x[(start + j) * self.dims..(start + j + 1) * self.dims].copy_from_slice(point);
            if let Some(value) = value {
                self.y[told] = value;
                told += 1;
            }
        }
        let values = &mut self.y[start..told];
        Error::NoData.when(values.is_empty())?;
        self.units = standardise(values);
        self.best = values.iter().fold(R::INFINITY, |best, &y| best.min(y));
        self.close(start + run.count, told);
        Ok(())
    }

    fn close(&mut self, end: usize, told: usize) {
        self.ends[self.sets] = end;
        self.sets += 1;
        self.told = told;
    }

    /// Where its values lie among those of the run: offset and width.
    pub(super) fn units(&self) -> [R; 2] {
        self.units
    }

    /// How many data sets there are.
    pub(super) fn sets(&self) -> usize {
        self.sets
    }

    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    /// How many rows there are.
    pub(in crate::transfer) fn count(&self) -> usize {
        if self.sets > 0 { self.ends[self.sets - 1] } else { 0 }
    }

    /// Those of the last data set, the run.
    pub(super) fn run(&self) -> Range<usize> {
        let start = if self.sets > 1 { self.ends[self.sets - 2] } else { 0 };
        start..self.count()
    }

    /// The values, of the rows that have one.
    pub(in crate::transfer) fn values(&self) -> &[R] {
        &self.y[..self.told]
    }

    /// The lowest value of the run.
    pub(super) fn best(&self) -> R {
        self.best
    }

    pub(in crate::transfer) fn point(&self, row: usize) -> &[R] {
        &self.x[row * self.dims..(row + 1) * self.dims]
    }

    pub(super) fn points(&self, rows: &Range<usize>) -> &[R] {
        &self.x[rows.start * self.dims..rows.end * self.dims]
    }

    /// The rows of each data set among the first `count`.
    pub(in crate::transfer) fn each(&self, count: usize) -> impl Iterator<Item = Range<usize>> {
        let starts = core::iter::once(0).chain(self.ends);
        let ends = self.ends.into_iter().take(self.sets);
        starts
            .zip(ends)
            .map(move |(start, end)| start.min(count)..end.min(count))
            .filter(|set| !set.is_empty())
    }
}

/// Gives values the mean 0 and the variance 1; returns what their average and their deviation were, 1 if they do not differ.
fn standardise<R: Real>(values: &mut [R]) -> [R; 2] {
    let ends = (R::INFINITY, -R::INFINITY);
    let (lo, hi) = values.iter().fold(ends, |(lo, hi), &y| (lo.min(y), hi.max(y)));
    // Between 0 and 1 first, half of each, so that nothing leaves the range.
    let half = R::HALF * hi - R::HALF * lo;
    if half <= R::ZERO {
        values.fill(R::ZERO);
        return [lo, R::ONE];
    }
    let count = R::of_usize(values.len());
    values.iter_mut().for_each(|y| *y = (R::HALF * *y - R::HALF * lo) / half);
    let average = values.iter().fold(R::ZERO, |sum, &y| sum + y) / count;
    let squares = values.iter().fold(R::ZERO, |sum, &y| sum + (y - average) * (y - average));
    let deviation = (squares / count).sqrt();
    values.iter_mut().for_each(|y| *y = (*y - average) / deviation);
    [lo + R::TWO * half * average, R::TWO * half * deviation]
}
