//! The inverse from a Cholesky factor.

use core::ops::Range;

use crate::error::Error;
use crate::math::WIDE;
use crate::real::Real;

use super::kernels::{BLOCK, chunks, combine, combine_triangle};
use super::solve::together;
use super::{check, packed};

/// The inverse of the factored matrix, packed.
///
/// ```text
/// out = (L·Lᵀ)⁻¹ = Wᵀ·W        W = L⁻¹
/// ```
///
/// `out` first receives W row by row, then the product in place. Cost 2n³/3 operations.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
///
/// # References
/// LAPACK `dtrtri` and `dlauum`, here by rows.
pub(crate) fn invert<R: Real>(l: &[R], n: usize, out: &mut [R]) -> Result<(), Error> {
    check(l, packed(n))?;
    check(out, packed(n))?;
    invert_factor(l, n, out);
    square(n, out);
    Ok(())
}

/// Writes W = L⁻¹: rowᵢ(W) = (eᵢ − Σₖ Lᵢₖ·rowₖ(W)) / Lᵢᵢ.
fn invert_factor<R: Real>(l: &[R], n: usize, out: &mut [R]) {
    let mut start = 0;
    while start < n {
        let end = n.min(start + BLOCK);
        out[packed(start)..packed(end)].fill(R::ZERO);
        for k in (0..start).step_by(BLOCK) {
            // `start` is a multiple of the block, hence so is every block before it.
            let (done, rows) = out.split_at_mut(packed(start));
            let source = &done[packed(k)..];
            for columns in chunks(k) {
                each(start..end, |i, size| match size {
                    4 if WIDE => rectangle::<R, 4>(l, i, k..k + BLOCK, columns.clone(), rows, start, source),
                    2 if WIDE => rectangle::<R, 2>(l, i, k..k + BLOCK, columns.clone(), rows, start, source),
                    _ => rectangle::<R, 1>(l, i, k..k + BLOCK, columns.clone(), rows, start, source),
                });
            }
            each(start..end, |i, size| match size {
                4 if WIDE => triangle::<R, 4>(l, i, k..k + BLOCK, rows, start, source),
                2 if WIDE => triangle::<R, 2>(l, i, k..k + BLOCK, rows, start, source),
                _ => triangle::<R, 1>(l, i, k..k + BLOCK, rows, start, source),
            });
        }
        each(start..end, |i, size| match size {
            4 if WIDE => finish::<R, 4>(l, start, i, out),
            2 if WIDE => finish::<R, 2>(l, start, i, out),
            _ => finish::<R, 1>(l, start, i, out),
        });
        start = end;
    }
}

/// Replaces W by the lower triangle of Wᵀ·W: rowᵢ = Σₖ≥ᵢ Wₖᵢ·rowₖ(W).
///
/// Rows ascend, so that only rows that no later one needs are overwritten.
fn square<R: Real>(n: usize, out: &mut [R]) {
    let mut start = 0;
    while start < n {
        let end = n.min(start + BLOCK);
        each(start..end, |i, size| match size {
            4 if WIDE => square_rows::<R, 4>(i, end, out),
            2 if WIDE => square_rows::<R, 2>(i, end, out),
            _ => square_rows::<R, 1>(i, end, out),
        });
        let (rows, rest) = out.split_at_mut(packed(end));
        for k in (end..n).step_by(BLOCK) {
            let below = k..n.min(k + BLOCK);
            let source = &rest[packed(k) - packed(end)..];
            for columns in chunks(end) {
                each(start..end, |i, size| match size {
                    4 if WIDE => square_add::<R, 4>(i, below.clone(), columns.clone(), rows, 0, source),
                    2 if WIDE => square_add::<R, 2>(i, below.clone(), columns.clone(), rows, 0, source),
                    _ => square_add::<R, 1>(i, below.clone(), columns.clone(), rows, 0, source),
                });
            }
        }
        start = end;
    }
}

/// [`together`] over a range of rows.
#[inline(always)]
fn each(rows: Range<usize>, mut work: impl FnMut(usize, usize)) {
    together(rows.len(), |first, size| work(rows.start + first, size));
}

/// Places of rows `i..i + M` in a slice that begins with row `base`.
#[inline(always)]
fn places<const M: usize>(i: usize, base: usize) -> [usize; M] {
    core::array::from_fn(|r| packed(i + r) - packed(base))
}

/// −L(i..i + M, k) as weights.
#[inline(always)]
fn weights<R: Real, const M: usize>(l: &[R], i: usize, k: Range<usize>) -> [[R; M]; BLOCK] {
    let mut weight = [[R::ZERO; M]; BLOCK];
    for r in 0..M {
        let start = packed(i + r);
        for (weight, &value) in weight.iter_mut().zip(&l[start + k.start..start + k.end]) {
            weight[r] = -value;
        }
    }
    weight
}

fn rectangle<R: Real, const M: usize>(
    l: &[R],
    i: usize,
    k: Range<usize>,
    columns: Range<usize>,
    rows: &mut [R],
    base: usize,
    source: &[R],
) {
    let weight = weights::<R, M>(l, i, k.clone());
    combine(rows, places(i, base), columns, &weight[..k.len()], source, k.start);
}

fn triangle<R: Real, const M: usize>(
    l: &[R],
    i: usize,
    k: Range<usize>,
    rows: &mut [R],
    base: usize,
    source: &[R],
) {
    let weight = weights::<R, M>(l, i, k.clone());
    combine_triangle(rows, places(i, base), &weight[..k.len()], source, k.start);
}

/// Takes the rows `start..i` of its own block out of rows `i..i + M` of W, then solves among the `M` rows.
fn finish<R: Real, const M: usize>(l: &[R], start: usize, i: usize, out: &mut [R]) {
    let (done, rows) = out.split_at_mut(packed(i));
    let source = &done[packed(start)..];
    rectangle::<R, M>(l, i, start..i, 0..start, rows, i, source);
    triangle::<R, M>(l, i, start..i, rows, i, source);
    for r in 0..M {
        let (before, row) = rows.split_at_mut(packed(i + r) - packed(i));
        let factor = &l[packed(i + r)..=packed(i + r) + i + r];
        for s in 0..r {
            let other = &before[packed(i + s) - packed(i)..][..=i + s];
            let weight = factor[i + s];
            for (value, &other) in row.iter_mut().zip(other) {
                *value -= weight * other;
            }
        }
        let inverse = R::ONE / factor[i + r];
        row[i + r] = R::ONE;
        for value in &mut row[..=i + r] {
            *value *= inverse;
        }
    }
}

/// Rows `i..i + M` of Wᵀ·W as far as rows `i..end` of W contribute.
fn square_rows<R: Real, const M: usize>(i: usize, end: usize, out: &mut [R]) {
    let (rows, rest) = out[packed(i)..].split_at_mut(packed(i + M) - packed(i));
    for r in 0..M {
        let (row, below) = rows[packed(i + r) - packed(i)..].split_at_mut(i + r + 1);
        let weight = row[i + r];
        for value in row.iter_mut() {
            *value *= weight;
        }
        for s in r + 1..M {
            let other = &below[packed(i + s) - packed(i + r + 1)..];
            let weight = other[i + r];
            for (value, &other) in row.iter_mut().zip(other) {
                *value += weight * other;
            }
        }
    }
    square_add::<R, M>(i, i + M..end, 0..i + M, rows, i, rest);
}

/// Adds what rows `below` of W contribute to rows `i..i + M` of Wᵀ·W in `columns`.
fn square_add<R: Real, const M: usize>(
    i: usize,
    below: Range<usize>,
    columns: Range<usize>,
    rows: &mut [R],
    base: usize,
    source: &[R],
) {
    if below.is_empty() || columns.start >= i + M {
        return;
    }
    let at = places::<M>(i, base);
    let mut weight = [[R::ZERO; M]; BLOCK];
    for (k, weight) in below.clone().zip(&mut weight) {
        let start = packed(k) - packed(below.start) + i;
        weight.copy_from_slice(&source[start..start + M]);
    }
    let weight = &weight[..below.len()];
    combine(rows, at, columns.start..columns.end.min(i), weight, source, below.start);
    if columns.contains(&i) {
        // The small triangle on the diagonal: its weights are its values.
        for weight in weight {
            for r in 0..M {
                for c in 0..=r {
                    rows[at[r] + i + c] += weight[r] * weight[c];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::tests::{definite, distance, entry, sizes};
    use super::super::{factor, packed, solve_lower, solve_upper};
    use super::invert;
    use super::{BLOCK, finish, rectangle, square_add, square_rows, triangle};
    use crate::error::Error;
    use crate::real::Real;

    fn check_inverse<R: Real>() {
        for n in sizes() {
            // ‖A‖ and ‖A⁻¹‖ are below 4 here; the inverse and the solutions each err by n·ε times their product.
            let tolerance = 16.0 * (n as f64 + 1.0) * R::EPSILON.to_f64();
            let a = definite::<R>(n, 31);
            let mut l = a.clone();
            factor(&mut l, n).unwrap();
            let mut inverse = vec![R::NAN; packed(n)];
            invert(&l, n, &mut inverse).unwrap();
            for i in 0..n {
                let mut column = vec![R::ZERO; n];
                column[i] = R::ONE;
                solve_lower(&l, n, &mut column).unwrap();
                solve_upper(&l, n, &mut column).unwrap();
                for j in 0..n {
                    let error = (entry(&inverse, i, j) - column[j].to_f64()).abs();
                    assert!(error < tolerance, "{n} {i} {j}: {error}");
                }
                let product: f64 = (0..n).map(|k| entry(&inverse, i, k) * entry(&a, k, i)).sum();
                assert!((product - 1.0).abs() < tolerance, "{n} {i}: {product}");
            }
        }
    }

    #[test]
    fn inverse_agrees_with_solutions() {
        check_inverse::<f64>();
        check_inverse::<f32>();
    }

    /// Builds of different sizes take different numbers of rows together.
    fn check_bits<R: Real>() {
        for n in 1..=BLOCK {
            let mut l = definite::<R>(n, 31);
            factor(&mut l, n).unwrap();
            let mut together = vec![R::NAN; packed(n)];
            invert(&l, n, &mut together).unwrap();
            let mut alone = vec![R::ZERO; packed(n)];
            (0..n).for_each(|i| finish::<R, 1>(&l, 0, i, &mut alone));
            (0..n).for_each(|i| square_rows::<R, 1>(i, n, &mut alone));
            assert_eq!(together, alone, "{n}");
        }
        // Rows behind the first block, and what they give to those of the first.
        let (n, start) = (BLOCK + 4, BLOCK);
        let l = definite::<R>(n, 32);
        let (source, rows) = l.split_at(packed(start));
        let (mut together, mut alone) = (rows.to_vec(), rows.to_vec());
        rectangle::<R, 4>(&l, start, 0..start, 0..1, &mut together, start, source);
        triangle::<R, 4>(&l, start, 0..start, &mut together, start, source);
        for i in start..n {
            rectangle::<R, 1>(&l, i, 0..start, 0..1, &mut alone, start, source);
            triangle::<R, 1>(&l, i, 0..start, &mut alone, start, source);
        }
        assert_eq!(together, alone);
        let (mut together, mut alone) = (source.to_vec(), source.to_vec());
        square_add::<R, 4>(8, start..n, 0..start, &mut together, 0, rows);
        (8..12).for_each(|i| square_add::<R, 1>(i, start..n, 0..start, &mut alone, 0, rows));
        assert_eq!(together, alone);
    }

    #[test]
    fn rows_together_have_the_bits_of_each_alone() {
        check_bits::<f64>();
        check_bits::<f32>();
    }

    #[test]
    fn inverse_of_a_known_matrix() {
        // |A| = 67, as in the determinant's test; its cofactors are 21, −9, 23, 1, −10, 16.
        let mut l = [4.0f64, 2.0, 5.0, 1.0, 3.0, 6.0];
        factor(&mut l, 3).unwrap();
        let mut inverse = [0.0; 6];
        invert(&l, 3, &mut inverse).unwrap();
        assert!(distance(&inverse, &[21.0, -9.0, 23.0, 1.0, -10.0, 16.0].map(|c| c / 67.0)) < 1e-15);
    }

    #[test]
    fn short_slices_are_refused() {
        let l = [1.0f64; 6];
        assert_eq!(invert(&l, 3, &mut [0.0; 5]), Err(Error::Shape { needed: 6 }));
        assert_eq!(invert(&l, 4, &mut [0.0; 10]), Err(Error::Shape { needed: 10 }));
        assert_eq!(invert::<f64>(&[], 0, &mut []), Ok(()));
    }
}
