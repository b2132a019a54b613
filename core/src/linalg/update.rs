//! Incremental Cholesky updates and downdates: one observation more or less, without factoring again.

use crate::error::Error;
use crate::math::WIDE;
use crate::real::Real;

use super::block_diagonal::{Block, start_of};
use super::factor::pivot;
use super::kernels::{BLOCK, dot};
use super::solve::together;
use super::{check, packed, solve_lower};

/// Turns row `n`, which holds covariances, into the next row of the factor.
///
/// ```text
/// row n = (k(xₙ, x₀), …, k(xₙ, xₙ₋₁), k(xₙ, xₙ) + noise)  →  (l, √(kₙₙ − l·l))      L·l = k
/// ```
///
/// Cost n² operations. After an error row `n` is spoilt and the rows before are as they were.
///
/// # Errors
/// [`Error::Shape`] if there is no row `n`, [`Error::NotPositiveDefinite`] if its pivot is not positive and finite.
pub(crate) fn append<R: Real>(l: &mut [R], n: usize) -> Result<(), Error> {
    check(l, packed(n.saturating_add(1)))?;
    let (done, row) = l.split_at_mut(packed(n));
    solve_lower(done, n, row)?;
    let square = row[n] - dot(&row[..n], &row[..n]);
    row[n] = pivot(square, n)?;
    Ok(())
}

/// Removes observation `k`: the first `n − 1` rows become the factor of the matrix without row and column `k`.
///
/// ```text
/// rows below k:  S·Sᵀ + c·cᵀ = S′·S′ᵀ        c = the column that is dropped
/// ```
///
/// The update is a sequence of plane rotations, which cannot fail. Cost 3(n−k)² operations.
///
/// # Errors
/// [`Error::Shape`] if the slice is too short or `k` is not below `n`.
///
/// # References
/// Gill, Golub, Murray and Saunders (1974), *Methods for modifying matrix factorizations*, method C1.
pub(crate) fn drop_row<R: Real>(l: &mut [R], n: usize, k: usize) -> Result<(), Error> {
    check(l, packed(n))?;
    Error::Shape { needed: k.saturating_add(1) }.when(k >= n)?;
    rotate_out(l, None, n, k);
    // Close the gaps: row i loses element k and moves into the place of row i − 1.
    for i in k + 1..n {
        let (from, to) = (packed(i), packed(i - 1));
        l.copy_within(from..from + k, to);
        l.copy_within(from + k + 1..=from + i, to + k);
    }
    Ok(())
}

/// Takes column `k` out of the rows below it, those of a block or of a plain triangle.
pub(super) fn rotate_out<R: Real>(l: &mut [R], block: Option<Block<'_>>, n: usize, k: usize) {
    let at = |i: usize| start_of(block, i);
    // Rotations are made for a panel of columns and applied row by row: rows are contiguous, columns are not.
    let mut start = k + 1;
    while start < n {
        let end = n.min(start + BLOCK);
        let mut rotations = [(R::ONE, R::ZERO); BLOCK];
        for i in start..end {
            rotate(l, [at(i)], k, start, &rotations[..i - start]);
            let row = &mut l[at(i)..=at(i) + i];
            let (old, column) = (row[i], row[k]);
            let length = (old * old + column * column).sqrt();
            // A zero length (an underflow) is no rotation.
            if length > R::ZERO {
                rotations[i - start] = (old / length, column / length);
                row[i] = length;
            }
        }
        let rotations = &rotations[..end - start];
        together(n - end, |first, size| match size {
            4 if WIDE => {
                rotate::<R, 4>(l, core::array::from_fn(|r| at(end + first + r)), k, start, rotations)
            }
            2 if WIDE => {
                rotate::<R, 2>(l, core::array::from_fn(|r| at(end + first + r)), k, start, rotations)
            }
            _ => rotate(l, [at(end + first)], k, start, rotations),
        });
        start = end;
    }
}

/// Applies the rotations of columns `start, start + 1, …` to the rows that begin at `at`, against their elements `k`.
///
/// Each rotation waits for the one before it, so several rows go side by side.
#[inline]
fn rotate<R: Real, const M: usize>(
    l: &mut [R],
    at: [usize; M],
    k: usize,
    start: usize,
    rotations: &[(R, R)],
) {
    let mut column: [R; M] = core::array::from_fn(|r| l[at[r] + k]);
    for (j, &(cos, sin)) in rotations.iter().enumerate() {
        for r in 0..M {
            let value = &mut l[at[r] + start + j];
            let old = *value;
            *value = cos * old + sin * column[r];
            column[r] = cos * column[r] - sin * old;
        }
    }
    for r in 0..M {
        l[at[r] + k] = column[r];
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::tests::{definite, distance, entry, sizes};
    use super::super::{factor, packed};
    use super::{append, drop_row};
    use crate::error::Error;
    use crate::real::Real;

    fn check_append<R: Real>(tolerance: f64) {
        for n in sizes() {
            let a = definite::<R>(n, 21);
            let mut whole = a.clone();
            factor(&mut whole, n).unwrap();
            let mut l = a.clone();
            for i in 0..n {
                append(&mut l, i).unwrap();
            }
            assert!(distance(&l, &whole) < tolerance, "{n}: {}", distance(&l, &whole));
        }
    }

    #[test]
    fn appended_rows_equal_the_factor() {
        check_append::<f64>(1e-13);
        check_append::<f32>(2e-5);
    }

    fn check_drop<R: Real>(tolerance: f64) {
        for n in sizes() {
            let a = definite::<R>(n, 22);
            for k in [0, 1, n / 2, n.saturating_sub(2), n.saturating_sub(1)] {
                if k >= n {
                    continue;
                }
                let kept: Vec<usize> = (0..n).filter(|&i| i != k).collect();
                let mut reduced = Vec::new();
                for (i, &p) in kept.iter().enumerate() {
                    reduced.extend(kept[..=i].iter().map(|&q| R::of(entry(&a, p, q))));
                }
                factor(&mut reduced, n - 1).unwrap();
                let mut l = a.clone();
                factor(&mut l, n).unwrap();
                drop_row(&mut l, n, k).unwrap();
                let left = &l[..packed(n - 1)];
                assert!(distance(left, &reduced) < tolerance, "{n} {k}: {}", distance(left, &reduced));
            }
        }
    }

    #[test]
    fn dropped_rows_leave_the_factor_of_the_rest() {
        check_drop::<f64>(1e-13);
        check_drop::<f32>(2e-5);
    }

    #[test]
    fn bad_requests_are_refused() {
        let mut l = [1.0f64, 1.0, 1.0];
        assert_eq!(append(&mut l, 2), Err(Error::Shape { needed: 6 }));
        assert_eq!(append(&mut l, usize::MAX), Err(Error::Shape { needed: usize::MAX }));
        assert_eq!(append(&mut l, 1), Err(Error::NotPositiveDefinite { row: 1 }));
        assert_eq!(append(&mut [f64::NAN], 0), Err(Error::NotPositiveDefinite { row: 0 }));
        assert_eq!(drop_row(&mut l, 2, 2), Err(Error::Shape { needed: 3 }));
        assert_eq!(drop_row(&mut l, 3, 0), Err(Error::Shape { needed: 6 }));
        assert_eq!(drop_row::<f64>(&mut [], 0, 0), Err(Error::Shape { needed: 1 }));
    }
}
