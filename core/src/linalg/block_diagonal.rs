//! The Cholesky factor of a block-diagonal matrix, zero between groups of rows: each row keeps its own group alone.
//!
//! ```text
//! A = P·diag(A₁, A₂, …)·Pᵀ        row i, the t-th of its block, has t + 1 entries
//! ```
//!
//! Rows stay in the order in which they came and keep their places in the packed triangle. The entries of a row lie at
//! the end of its place, its pivot last, zeros before them: with one block this is the plain triangle, and the
//! determinant is found where it always is. What a block needs is then contiguous, and no row of another is read.

use crate::error::Error;
use crate::math::{self, axpy, sort};
use crate::real::Real;

use super::factor::pivot;
use super::kernels::{BLOCK, dot};
use super::solve::{Sides, forward, forward_rows};
use super::update::{drop_row as drop_plain_row, rotate_out};
use super::{check, note, packed, solve_lower, solve_lower_many, solve_upper};

/// Marks the first row of a block.
const HEAD: u32 = 1 << 31;

/// Which rows of a factor belong together; by default all of them, as a plain triangle.
///
/// One number for each row, block after block, rising within each; the highest bit marks where a block begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks<'a>(&'a [u32]);

impl<'a> Blocks<'a> {
    /// The first `rows` of an index that `group` and `insert` keep; all rows together if it marks nothing.
    pub(crate) fn of(index: &'a [u32], rows: usize) -> Self {
        let marked = index.first().is_some_and(|first| first & HEAD != 0);
        Self(if marked { index.get(..rows).unwrap_or(&[]) } else { &[] })
    }

    /// Whether all rows belong together, so that the factor is a plain triangle.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.0.is_empty()
    }

    /// The blocks; none of a plain triangle.
    pub(crate) fn iter(self) -> impl Iterator<Item = Block<'a>> {
        self.0.chunk_by(|_, next| next & HEAD == 0).map(Block::of)
    }

    /// The blocks; of a plain triangle all of its rows as one.
    pub(crate) fn parts(self, rows: usize) -> impl Iterator<Item = Block<'a>> {
        self.is_whole().then_some(Block::all(rows)).into_iter().chain(self.iter())
    }

    /// The rows that a point meets, where `same` says whether it belongs to a block: all of a plain triangle, those of its
    /// block, or none.
    pub(crate) fn meeting(self, rows: usize, mut same: impl FnMut(Block<'a>) -> bool) -> Block<'a> {
        self.parts(rows).find(|&block| block.is_all() || same(block)).unwrap_or_default()
    }

    /// Whether every row is there, and those of a block rise.
    pub(crate) fn is_sound(self) -> bool {
        let rows = self.0.len();
        let sum: usize = self.iter().flat_map(Block::rows).sum();
        self.is_whole()
            || sum == rows * (rows - 1) / 2
                && self.iter().all(|block| {
                    block.rows().all(|row| row < rows) && block.index.windows(2).all(|w| w[0] & !HEAD < w[1])
                })
    }

    /// Factors each block of a matrix by a routine for plain triangles; `scratch` has room for that of the longest block.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short, and what the routine reports, with the row among all.
    pub(crate) fn factor<R: Real>(
        self,
        matrix: &mut [R],
        rows: usize,
        scratch: &mut [R],
        mut by: impl FnMut(&mut [R], usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.is_whole() {
            return by(matrix, rows);
        }
        for block in self.iter() {
            check(scratch, packed(block.len()))?;
            let triangle = &mut scratch[..packed(block.len())];
            block.load(matrix, triangle)?;
            by(triangle, block.len()).map_err(|error| block.named(error))?;
            block.store(triangle, matrix)?;
        }
        Ok(())
    }

    /// Solves L·x = b, or Lᵀ·x = b, in place; `scratch` has a place for each row of the longest block.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn solve<R: Real>(
        self,
        l: &[R],
        rows: usize,
        b: &mut [R],
        upper: bool,
        scratch: &mut [R],
    ) -> Result<(), Error> {
        if self.is_whole() {
            return Block::all(rows).solve(l, b, upper);
        }
        for block in self.iter() {
            check(scratch, block.len())?;
            check(b, block.end())?;
            let part = &mut scratch[..block.len()];
            block.copy(b, part);
            block.solve(l, part, upper)?;
            for (row, &value) in block.rows().zip(&*part) {
                b[row] = value;
            }
        }
        Ok(())
    }

    /// Fills `out` with Lᵀ·x. Cost: n² operations.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn multiply_upper<R: Real>(
        self,
        l: &[R],
        rows: usize,
        x: &[R],
        out: &mut [R],
    ) -> Result<(), Error> {
        check(l, packed(rows))?;
        check(x, rows)?;
        check(out, rows)?;
        out.fill(R::ZERO);
        for block in self.parts(rows) {
            for (t, k) in block.rows().enumerate() {
                for (row, &entry) in block.rows().zip(&l[block.start(t)..][..=t]) {
                    out[row] += entry * x[k];
                }
            }
        }
        Ok(())
    }
}

/// The rows of one block, or all of a plain triangle; by default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// Empty of a plain triangle.
    index: &'a [u32],
    len: usize,
}

impl<'a> Block<'a> {
    /// All rows of a plain triangle.
    pub(crate) fn all(rows: usize) -> Self {
        Self { index: &[], len: rows }
    }

    fn of(index: &'a [u32]) -> Self {
        Self { index, len: index.len() }
    }

    /// Whether these are all rows of a plain triangle, each in its own place.
    pub(crate) fn is_all(self) -> bool {
        self.index.is_empty() && self.len > 0
    }

    /// How many rows.
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// Whether there is none, which is so of no block of [`Blocks`].
    pub(crate) fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The rows, rising.
    pub(crate) fn rows(self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + 'a {
        (0..self.len).map(move |t| self.row(t))
    }

    /// Row number `t` of the block.
    pub(crate) fn row(self, t: usize) -> usize {
        self.index.get(t).map_or(t, |row| (row & !HEAD) as usize)
    }

    /// One past the last row.
    fn end(self) -> usize {
        self.len.checked_sub(1).map_or(0, |last| self.row(last) + 1)
    }

    /// Where the entries of row number `t` begin.
    fn start(self, t: usize) -> usize {
        start(self.row(t), t)
    }

    /// The row of an error in the order of all rows.
    pub(crate) fn named(self, error: Error) -> Error {
        match error {
            Error::NotPositiveDefinite { row } => {
                Error::NotPositiveDefinite { row: u32::try_from(self.row(row as usize)).unwrap_or(u32::MAX) }
            }
            other => other,
        }
    }

    fn copy<R: Real>(self, all: &[R], out: &mut [R]) {
        for (out, row) in out.iter_mut().zip(self.rows()) {
            *out = all[row];
        }
    }

    /// The elements of a vector over all rows that belong to this block, in the order of its rows; `out` has room for them.
    pub(crate) fn gather<'v, R: Real>(self, all: &'v [R], out: &'v mut [R]) -> &'v [R] {
        if self.is_all() {
            return all;
        }
        self.copy(all, out);
        &out[..self.len]
    }

    /// Brings the elements of this block to the front of a vector over all rows.
    pub(crate) fn gather_here<R: Real>(self, vector: &mut [R]) {
        for (t, row) in self.rows().enumerate() {
            vector[t] = vector[row];
        }
    }

    /// Adds to an element for each row of the block a multiple of that of a vector over all rows.
    pub(crate) fn add<R: Real>(self, factor: R, all: &[R], part: &mut [R]) {
        if self.is_all() {
            return axpy(factor, all, part);
        }
        for (value, row) in part.iter_mut().zip(self.rows()) {
            *value += factor * all[row];
        }
    }

    /// Σ over the rows of the block of an element for each of them times one of a vector over all rows.
    pub(crate) fn dot<R: Real>(self, part: &[R], all: &[R]) -> R {
        if self.is_all() {
            return math::dot(part, all);
        }
        part.iter().zip(self.rows()).fold(R::ZERO, |sum, (&value, row)| sum + value * all[row])
    }

    /// Turns an element for each row of the block, at the front, into a vector over all rows with zeros between.
    pub(crate) fn spread<R: Real>(self, vector: &mut [R]) {
        if self.is_all() {
            return;
        }
        let mut end = vector.len();
        // From the end: no row lies before its number in the block.
        for (t, row) in self.rows().enumerate().rev() {
            let value = vector[t];
            vector[row + 1..end].fill(R::ZERO);
            vector[row] = value;
            end = row;
        }
        vector[..end].fill(R::ZERO);
    }

    /// Solves L·x = b for `count` right-hand sides over the rows of the block, each contiguous, in place.
    ///
    /// Cost m² operations for each.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn solve_lower<R: Real>(self, l: &[R], sides: &mut [R], count: usize) -> Result<(), Error> {
        let m = self.len();
        if self.is_all() {
            return if count == 1 {
                solve_lower(l, m, sides)
            } else {
                solve_lower_many(l, m, sides, count, m)
            };
        }
        check(l, packed(self.end()))?;
        check(sides, m.saturating_mul(count))?;
        note(count * packed(m));
        for first in (0..count).step_by(BLOCK) {
            let together = BLOCK.min(count - first);
            forward_rows(l, Some(self), m, sides, together, Sides::Every { first, stride: m });
        }
        Ok(())
    }

    /// Solves Lᵀ·x = b over the rows of the block, in place. Cost m² operations.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn solve_upper<R: Real>(self, l: &[R], b: &mut [R]) -> Result<(), Error> {
        let m = self.len();
        if self.is_all() {
            return solve_upper(l, m, b);
        }
        check(l, packed(self.end()))?;
        check(b, m)?;
        note(packed(m));
        for t in (0..m).rev() {
            let row = &l[self.start(t)..][..=t];
            let solved = b[t] / row[t];
            b[t] = solved;
            axpy(-solved, &row[..t], &mut b[..t]);
        }
        Ok(())
    }

    fn solve<R: Real>(self, l: &[R], b: &mut [R], upper: bool) -> Result<(), Error> {
        if upper { self.solve_upper(l, b) } else { self.solve_lower(l, b, 1) }
    }

    /// Copies the rows of the block out as a packed triangle of their own.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn load<R: Real>(self, l: &[R], triangle: &mut [R]) -> Result<(), Error> {
        check(l, packed(self.end()))?;
        check(triangle, packed(self.len()))?;
        for t in 0..self.len() {
            triangle[packed(t)..=packed(t) + t].copy_from_slice(&l[self.start(t)..][..=t]);
        }
        Ok(())
    }

    /// Copies a packed triangle to the rows of the block, with zeros before their entries.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short.
    pub(crate) fn store<R: Real>(self, triangle: &[R], l: &mut [R]) -> Result<(), Error> {
        check(l, packed(self.end()))?;
        check(triangle, packed(self.len()))?;
        for (t, row) in self.rows().enumerate() {
            let place = &mut l[packed(row)..=packed(row) + row];
            let (zeros, entries) = place.split_at_mut(row - t);
            zeros.fill(R::ZERO);
            entries.copy_from_slice(&triangle[packed(t)..=packed(t) + t]);
        }
        Ok(())
    }
}

/// Orders the first `rows` of an index by blocks, where `same` says whether two rows belong together.
///
/// Cost: as many comparisons as rows times blocks. An index that is too short marks nothing.
pub(crate) fn group(index: &mut [u32], rows: usize, mut same: impl FnMut(usize, usize) -> bool) {
    let Some(index) = index.get_mut(..rows).filter(|_| rows < HEAD as usize) else {
        return clear(index);
    };
    for (row, entry) in index.iter_mut().enumerate() {
        *entry = row as u32;
    }
    let mut first = 0;
    while first < rows {
        let mut end = first + 1;
        for other in first + 1..rows {
            if same(index[first] as usize, index[other] as usize) {
                index.swap(end, other);
                end += 1;
            }
        }
        sort(&mut index[first..end]);
        index[first] |= HEAD;
        first = end;
    }
}

/// Makes an index mark nothing: all rows belong together.
pub(crate) fn clear(index: &mut [u32]) {
    index.iter_mut().take(1).for_each(|first| *first = 0);
}

/// Adds row `rows` to an index of the rows before it, where `same` says whether it belongs to the block of a row;
/// its block.
///
/// # Errors
/// [`Error::Shape`] if the index has no room for it.
pub(crate) fn insert(
    index: &mut [u32],
    rows: usize,
    mut same: impl FnMut(usize) -> bool,
) -> Result<Block<'_>, Error> {
    Error::Shape { needed: rows.saturating_add(1) }.when(rows >= index.len().min(HEAD as usize))?;
    let mut end = 0;
    let found = Blocks::of(index, rows).iter().find(|block| {
        end += block.len();
        same(block.row(0))
    });
    if let Some(block) = found {
        let place = end - block.len();
        index.copy_within(end..rows, end + 1);
        index[end] = rows as u32;
        return Ok(Block::of(&index[place..=end]));
    }
    index[rows] = rows as u32 | HEAD;
    Ok(Block::of(&index[rows..=rows]))
}

/// Leaves out of an index all rows from `kept` on. Cost: O(rows).
pub(crate) fn truncate(index: &mut [u32], rows: usize, kept: usize) {
    if Blocks::of(index, rows).is_whole() {
        return;
    }
    let mut count = 0;
    for place in 0..rows {
        let entry = index[place];
        if ((entry & !HEAD) as usize) < kept {
            index[count] = entry;
            count += 1;
        }
    }
}

/// Turns row `n`, whose last entries are its covariances with the rows before it in its block and its own variance,
/// into the next row of the factor, as [`append`](super::append) does. Cost m² operations.
///
/// `block` is that of the row, the row itself included.
///
/// # Errors
/// [`Error::Shape`] if there is no such row, [`Error::NotPositiveDefinite`] if its pivot is not positive and finite.
pub(crate) fn append<R: Real>(l: &mut [R], block: Block<'_>) -> Result<(), Error> {
    let (n, m) = (block.end().saturating_sub(1), block.len().saturating_sub(1));
    check(l, packed(n + 1))?;
    note(packed(m));
    let (done, row) = l.split_at_mut(packed(n));
    let row = &mut row[n - m..=n];
    forward(done, Some(block), 0..m, 0, row, [0]);
    let square = row[m] - dot(&row[..m], &row[..m]);
    row[m] = pivot(square, n)?;
    Ok(())
}

/// Removes row `k` of `n` from a factor and its index, as [`drop_row`](super::drop_row) does from a plain triangle.
///
/// Cost 3m² operations for the rows of its block behind it, and the rows behind it move by one place.
///
/// # Errors
/// [`Error::Shape`] if the slice is too short or the index has no row `k`.
pub(crate) fn drop_row<R: Real>(l: &mut [R], index: &mut [u32], n: usize, k: usize) -> Result<(), Error> {
    if Blocks::of(index, n).is_whole() {
        return drop_plain_row(l, n, k);
    }
    check(l, packed(n))?;
    let mut place = 0;
    let found = Blocks::of(index, n).iter().find_map(|block| {
        let t = block.rows().position(|row| row == k);
        place += if t.is_none() { block.len() } else { 0 };
        t.map(|t| (block, t))
    });
    let Some((block, t)) = found else {
        return Err(Error::Shape { needed: k.saturating_add(1) });
    };
    let m = block.len();
    note(packed(m) - packed(t));
    rotate_out(l, Some(block), m, t);
    for later in t + 1..m {
        let at = block.start(later);
        l.copy_within(at..at + t, at + 1);
        l[at] = R::ZERO;
    }
    // No row behind it fills its place now: each loses a zero at the front.
    for row in k + 1..n {
        l.copy_within(packed(row) + 1..=packed(row) + row, packed(row - 1));
    }
    if t == 0 && m > 1 {
        index[place + 1] |= HEAD;
    }
    index.copy_within(place + t + 1..n, place + t);
    for entry in &mut index[..n - 1] {
        if (*entry & !HEAD) as usize > k {
            *entry -= 1;
        }
    }
    if n == 1 {
        clear(index);
    }
    Ok(())
}

/// Where the entries of row number `t` begin, of a block or of a plain triangle.
#[inline(always)]
pub(super) fn start_of(block: Option<Block<'_>>, t: usize) -> usize {
    match block {
        None => packed(t),
        Some(block) => block.start(t),
    }
}

/// Where the entries of a row begin that is the t-th of its block.
fn start(row: usize, t: usize) -> usize {
    packed(row) + row.saturating_sub(t)
}

#[cfg(test)]
mod tests;
