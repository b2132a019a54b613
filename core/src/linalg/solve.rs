//! Triangular solves with a Cholesky factor, for one or many right-hand sides.

use core::ops::Range;

use crate::error::Error;
use crate::math::WIDE;
use crate::real::Real;

use super::block_diagonal::{Block, start_of};
use super::kernels::{BLOCK, TILE, chunks, combine, dots};
use super::{check, note, packed};

/// Solves with the factor, in place.
///
/// ```text
/// L·x = b
/// ```
///
/// Cost n² operations. Zero or NaN on the diagonal of `l` gives values that are not finite.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub fn solve_lower<R: Real>(l: &[R], n: usize, b: &mut [R]) -> Result<(), Error> {
    check(l, packed(n))?;
    check(b, n)?;
    note(packed(n));
    forward(l, None, 0..n, 0, b, [0]);
    Ok(())
}

/// Solves with the transposed factor, in place.
///
/// ```text
/// Lᵀ·x = b
/// ```
///
/// Cost n² operations.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub fn solve_upper<R: Real>(l: &[R], n: usize, b: &mut [R]) -> Result<(), Error> {
    solve_upper_many(l, n, b, 1, n)
}

/// Solves with the factor for `m` right-hand sides, in place; side `s` is `rows[s·stride..][..n]`.
///
/// ```text
/// L·xₛ = bₛ        s = 0 … m−1
/// ```
///
/// Cost m·n² operations. A group of 32 sides shares one pass over the factor.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short or `stride` is smaller than `n`.
pub(crate) fn solve_lower_many<R: Real>(
    l: &[R],
    n: usize,
    rows: &mut [R],
    m: usize,
    stride: usize,
) -> Result<(), Error> {
    check(l, packed(n))?;
    check_sides(rows, n, m, stride)?;
    note(packed(n).saturating_mul(m));
    let mut side = 0;
    while side < m {
        let count = BLOCK.min(m - side);
        forward_rows(l, None, n, rows, count, Sides::Every { first: side, stride });
        side += count;
    }
    Ok(())
}

/// Solves with the transposed factor for `m` right-hand sides, in place; side `s` is `rows[s·stride..][..n]`.
///
/// ```text
/// Lᵀ·xₛ = bₛ       s = 0 … m−1
/// ```
///
/// Cost m·n² operations; one pass over the factor.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short or `stride` is smaller than `n`.
pub(crate) fn solve_upper_many<R: Real>(
    l: &[R],
    n: usize,
    rows: &mut [R],
    m: usize,
    stride: usize,
) -> Result<(), Error> {
    check(l, packed(n))?;
    check_sides(rows, n, m, stride)?;
    note(packed(n).saturating_mul(m));
    let mut end = n;
    while end > 0 {
        let start = (end - 1) / BLOCK * BLOCK;
        together(m, |side, size| match size {
            4 if WIDE => backward(l, start..end, rows, sides::<4>(side, stride)),
            2 if WIDE => backward(l, start..end, rows, sides::<2>(side, stride)),
            _ => backward(l, start..end, rows, sides::<1>(side, stride)),
        });
        for columns in chunks(start) {
            together(m, |side, size| match size {
                4 if WIDE => reduce(l, start..end, columns.clone(), rows, sides::<4>(side, stride)),
                2 if WIDE => reduce(l, start..end, columns.clone(), rows, sides::<2>(side, stride)),
                _ => reduce(l, start..end, columns.clone(), rows, sides::<1>(side, stride)),
            });
        }
        end = start;
    }
    Ok(())
}

/// Where right-hand sides begin that are solved together.
#[derive(Clone, Copy)]
pub(super) enum Sides {
    /// Side `s` at (`first` + s)·`stride`.
    Every { first: usize, stride: usize },
    /// Side `s` is row `first` + s of a triangle that begins with row `first`.
    Packed { first: usize },
}

impl Sides {
    #[inline(always)]
    fn at(self, s: usize) -> usize {
        match self {
            Self::Every { first, stride } => (first + s) * stride,
            Self::Packed { first } => packed(first + s) - packed(first),
        }
    }
}

/// Solves L·x = b for `count` rows that share one pass over the first `n` rows of `l`, those of a block or of a plain
/// triangle.
pub(super) fn forward_rows<R: Real>(
    l: &[R],
    block: Option<Block<'_>>,
    n: usize,
    rows: &mut [R],
    count: usize,
    sides: Sides,
) {
    // A lone row takes four rows of the factor at once: it is bound by the latency of additions.
    if count == 1 {
        return forward(l, block, 0..n, 0, rows, [sides.at(0)]);
    }
    for j in (0..n).step_by(2) {
        // Found once for all rows.
        let starts = [start_of(block, j), start_of(block, j + 1)];
        groups(count, |s, size| match size {
            4 => forward_pair::<R, 4>(l, starts, j, n, rows, core::array::from_fn(|r| sides.at(s + r))),
            2 => forward_pair::<R, 2>(l, starts, j, n, rows, core::array::from_fn(|r| sides.at(s + r))),
            _ => forward_pair::<R, 1>(l, starts, j, n, rows, [sides.at(s)]),
        });
    }
}

/// Elements `j` and `j + 1`, or the last alone.
#[inline(always)]
fn forward_pair<R: Real, const M: usize>(
    l: &[R],
    starts: [usize; 2],
    j: usize,
    n: usize,
    rows: &mut [R],
    at: [usize; M],
) {
    if j + 1 < n {
        forward_tile::<R, M, 2>(l, starts, j, 0, rows, at);
    } else {
        forward_tile::<R, M, 1>(l, [starts[0]], j, 0, rows, at);
    }
}

/// Elements `columns` of x in L·x = b for `M` rows.
///
/// The earlier elements from `first` on are solved; those before `first` are zero and not read.
#[inline]
pub(super) fn forward<R: Real, const M: usize>(
    l: &[R],
    block: Option<Block<'_>>,
    columns: Range<usize>,
    first: usize,
    rows: &mut [R],
    at: [usize; M],
) {
    let mut j = columns.start;
    if M == 1 {
        while j + TILE <= columns.end {
            forward_tile::<R, M, TILE>(l, starts(block, j), j, first, rows, at);
            j += TILE;
        }
    }
    while j + 2 <= columns.end {
        forward_tile::<R, M, 2>(l, starts(block, j), j, first, rows, at);
        j += 2;
    }
    if j < columns.end {
        forward_tile::<R, M, 1>(l, starts(block, j), j, first, rows, at);
    }
}

/// Where the rows `j..j + N` of a factor begin.
#[inline(always)]
fn starts<const N: usize>(block: Option<Block<'_>>, j: usize) -> [usize; N] {
    core::array::from_fn(|c| start_of(block, j + c))
}

/// Elements `j..j + N`, from rows of the factor that begin at `starts`.
#[cfg_attr(feature = "models", inline(always))]
fn forward_tile<R: Real, const M: usize, const N: usize>(
    l: &[R],
    starts: [usize; N],
    j: usize,
    first: usize,
    rows: &mut [R],
    at: [usize; M],
) {
    if M == 2 && !WIDE {
        // Two rows have the sums of each alone.
        return at.into_iter().for_each(|at| forward_tile(l, starts, j, first, rows, [at]));
    }
    let factor: [&[R]; N] = core::array::from_fn(|c| &l[starts[c]..=starts[c] + j + c]);
    let sum = dots::<R, M, N>(
        core::array::from_fn(|r| &rows[at[r] + first..at[r] + j]),
        core::array::from_fn(|c| &factor[c][first..j]),
    );
    let inverse: [R; N] = core::array::from_fn(|c| R::ONE / factor[c][j + c]);
    for r in 0..M {
        let x = &mut rows[at[r] + j..at[r] + j + N];
        for c in 0..N {
            let mut value = x[c] - sum[r][c];
            for d in 0..c {
                value -= x[d] * factor[c][j + d];
            }
            x[c] = value * inverse[c];
        }
    }
}

/// Elements `block` of x in Lᵀ·x = b for `M` rows from which the later elements have been taken out.
#[inline]
fn backward<R: Real, const M: usize>(l: &[R], block: Range<usize>, rows: &mut [R], at: [usize; M]) {
    let mut end = block.end;
    while end > block.start {
        let start = block.start + (end - block.start - 1) / TILE * TILE;
        for i in (start..end).rev() {
            let row = &l[packed(i)..=packed(i) + i];
            let inverse = R::ONE / row[i];
            for r in 0..M {
                let x = &mut rows[at[r]..=at[r] + i];
                x[i] *= inverse;
                let solved = x[i];
                for j in start..i {
                    x[j] -= solved * row[j];
                }
            }
        }
        reduce(l, start..end, block.start..start, rows, at);
        end = start;
    }
}

/// Takes the solved elements `solved` out of the elements `columns`: b −= Σₖ xₖ·rowₖ(L).
#[inline]
fn reduce<R: Real, const M: usize>(
    l: &[R],
    solved: Range<usize>,
    columns: Range<usize>,
    rows: &mut [R],
    at: [usize; M],
) {
    let mut weight = [[R::ZERO; M]; BLOCK];
    let weight = &mut weight[..solved.len()];
    for r in 0..M {
        for (weight, &x) in weight.iter_mut().zip(&rows[at[r] + solved.start..]) {
            weight[r] = -x;
        }
    }
    combine(rows, at, columns, weight, &l[packed(solved.start)..], solved.start);
}

/// Calls `work(first, size)` for groups of four, then two, then one, that cover `0..count`.
#[inline(always)]
pub(super) fn groups(count: usize, mut work: impl FnMut(usize, usize)) {
    let mut first = 0;
    for size in [4, 2, 1] {
        while count - first >= size {
            work(first, size);
            first += size;
        }
    }
}

/// [`groups`] where the result does not depend on the sizes: one at a time unless tiles are [`WIDE`].
#[inline(always)]
pub(super) fn together(count: usize, mut work: impl FnMut(usize, usize)) {
    if WIDE {
        groups(count, work);
    } else {
        (0..count).for_each(|first| work(first, 1));
    }
}

fn sides<const M: usize>(side: usize, stride: usize) -> [usize; M] {
    core::array::from_fn(|r| (side + r) * stride)
}

fn check_sides<R: Real>(rows: &[R], n: usize, m: usize, stride: usize) -> Result<(), Error> {
    if m == 0 {
        return Ok(());
    }
    Error::Shape { needed: n }.when(stride < n)?;
    check(rows, (m - 1).saturating_mul(stride).saturating_add(n))
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::super::tests::{definite, distance, noise, sizes};
    use super::super::{factor, packed};
    use super::{forward, solve_lower, solve_lower_many, solve_upper, solve_upper_many};
    use crate::error::Error;
    use crate::real::Real;

    fn product<R: Real>(l: &[R], n: usize, x: &[R], transposed: bool) -> Vec<R> {
        let mut out = vec![0.0f64; n];
        for i in 0..n {
            for j in 0..=i {
                let value = l[packed(i) + j].to_f64();
                if transposed {
                    out[j] += value * x[i].to_f64();
                } else {
                    out[i] += value * x[j].to_f64();
                }
            }
        }
        out.into_iter().map(R::of).collect()
    }

    fn check_solves<R: Real>() {
        // Backward error of a triangular solution: n·ε·‖L‖·‖x‖, with ‖L‖ and ‖x‖ below 4 here.
        for n in sizes() {
            let tolerance = 16.0 * (n as f64 + 1.0) * R::EPSILON.to_f64();
            let mut l = definite::<R>(n, 11);
            factor(&mut l, n).unwrap();
            let b = noise::<R>(n, 12);
            let mut x = b.clone();
            solve_lower(&l, n, &mut x).unwrap();
            assert!(distance(&product(&l, n, &x, false), &b) < tolerance, "lower {n}");
            let mut x = b.clone();
            solve_upper(&l, n, &mut x).unwrap();
            assert!(distance(&product(&l, n, &x, true), &b) < tolerance, "upper {n}");
            for m in [0, 1, 2, 3, 4, 7, 33, 71] {
                let stride = n + 3;
                let b = noise::<R>(m * stride, 13);
                for transposed in [false, true] {
                    let mut x = b.clone();
                    let solve = if transposed { solve_upper_many } else { solve_lower_many };
                    solve(&l, n, &mut x, m, stride).unwrap();
                    for s in 0..m {
                        let at = s * stride..s * stride + n;
                        let back = product(&l, n, &x[at.clone()], transposed);
                        assert!(distance(&back, &b[at]) < tolerance, "{transposed} {n} {m} {s}");
                        assert_eq!(x[s * stride + n..][..3], b[s * stride + n..][..3], "padding stays");
                    }
                }
            }
        }
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        check_solves::<f64>();
        check_solves::<f32>();
    }

    /// Builds of different sizes take different numbers of rows together.
    fn check_bits<R: Real>() {
        for n in sizes() {
            let mut l = definite::<R>(n, 11);
            factor(&mut l, n).unwrap();
            let b = noise::<R>(7 * n, 14);
            let (mut together, mut alone) = (b.clone(), b.clone());
            solve_upper_many(&l, n, &mut together, 7, n).unwrap();
            for side in 0..7 {
                solve_upper(&l, n, &mut alone[side * n..][..n]).unwrap();
            }
            assert_eq!(together, alone, "{n}");
            let (mut together, mut alone) = (b.clone(), b);
            forward(&l, None, 0..n, 0, &mut together, [0, n]);
            for j in (0..n).step_by(2) {
                for at in [0, n] {
                    forward(&l, None, j..n.min(j + 2), 0, &mut alone, [at]);
                }
            }
            assert_eq!(together, alone, "{n}");
        }
    }

    #[test]
    fn rows_together_have_the_bits_of_each_alone() {
        check_bits::<f64>();
        check_bits::<f32>();
    }

    #[test]
    fn short_slices_are_refused() {
        let l = [1.0f64; 6];
        assert_eq!(solve_lower(&l, 3, &mut [1.0; 2]), Err(Error::Shape { needed: 3 }));
        assert_eq!(solve_upper(&l, 4, &mut [1.0; 4]), Err(Error::Shape { needed: 10 }));
        assert_eq!(solve_lower_many(&l, 3, &mut [1.0; 6], 2, 2), Err(Error::Shape { needed: 3 }));
        assert_eq!(solve_upper_many(&l, 3, &mut [1.0; 6], 2, 4), Err(Error::Shape { needed: 7 }));
        let huge = usize::MAX;
        assert_eq!(solve_lower_many(&l, 3, &mut [1.0; 6], huge, huge), Err(Error::Shape { needed: huge }));
        assert_eq!(solve_lower(&l, huge, &mut [1.0; 2]), Err(Error::Shape { needed: huge }));
        assert_eq!(solve_lower_many(&l, 3, &mut [], 0, 0), Ok(()));
    }
}
