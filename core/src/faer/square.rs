//! The square: a matrix of which only the lower triangle counts, and faer's routines on it.

use core::mem::MaybeUninit;

use ::faer::dyn_stack::MemStack;
use ::faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use ::faer::linalg::matmul::triangular::{BlockStructure, matmul};
use ::faer::linalg::triangular_inverse::invert_lower_triangular;
use ::faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use ::faer::traits::RealField;
use ::faer::{Accum, Auto, MatMut, MatRef, Par, Spec};

use crate::error::Error;
use crate::linalg;
use crate::real::Real;

/// Elements of a cache line of doubles.
const LINE: usize = 8;

/// Distance of two rows or columns: whole cache lines, but not a multiple of a page, which would map all to one set.
pub(super) const fn stride(n: usize) -> usize {
    let lines = n.next_multiple_of(LINE);
    if lines.is_multiple_of(512) { lines + LINE } else { lines }
}

/// How a square is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Column after column: what faer likes best.
    Columns,
    /// Row after row: what packed rows are copied into and out of in one piece.
    Rows,
}

/// Copies packed rows into the lower triangle of a square.
pub(super) fn unpack<R: Real>(packed: &[R], square: &mut [R], n: usize, order: Order) {
    let stride = stride(n);
    let mut i = 0;
    while order == Order::Columns && i + LINE <= n {
        let rows: [&[R]; LINE] = core::array::from_fn(|r| linalg::row(packed, i + r));
        for j in 0..=i {
            let column: [R; LINE] = core::array::from_fn(|r| rows[r][j]);
            square[j * stride + i..][..LINE].copy_from_slice(&column);
        }
        for r in 1..LINE {
            for j in i + 1..=i + r {
                square[j * stride + i + r] = rows[r][j];
            }
        }
        i += LINE;
    }
    for i in i..n {
        let row = linalg::row(packed, i);
        if order == Order::Rows {
            square[i * stride..][..=i].copy_from_slice(row);
        } else {
            row.iter().enumerate().for_each(|(j, &value)| square[j * stride + i] = value);
        }
    }
}

/// Copies the lower triangle of a square into packed rows.
pub(super) fn pack<R: Real>(square: &[R], packed: &mut [R], n: usize, order: Order) {
    let stride = stride(n);
    let mut i = 0;
    while order == Order::Columns && i + LINE <= n {
        let start = linalg::packed(i);
        let at: [usize; LINE] = core::array::from_fn(|r| linalg::packed(i + r) - start);
        let rows = &mut packed[start..linalg::packed(i + LINE)];
        for j in 0..=i {
            let column = &square[j * stride + i..][..LINE];
            for r in 0..LINE {
                rows[at[r] + j] = column[r];
            }
        }
        for r in 1..LINE {
            for j in i + 1..=i + r {
                rows[at[r] + j] = square[j * stride + i + r];
            }
        }
        i += LINE;
    }
    for i in i..n {
        let row = &mut packed[linalg::packed(i)..][..=i];
        if order == Order::Rows {
            row.copy_from_slice(&square[i * stride..][..=i]);
        } else {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = square[j * stride + i]);
        }
    }
}

fn view<T>(square: &[T], n: usize, order: Order) -> MatRef<'_, T> {
    let stride = stride(n);
    let columns = MatRef::from_column_major_slice_with_stride(&square[..stride * n], n, n, stride);
    if order == Order::Columns { columns } else { columns.transpose() }
}

fn view_mut<T>(square: &mut [T], n: usize, order: Order) -> MatMut<'_, T> {
    let stride = stride(n);
    let columns = MatMut::from_column_major_slice_with_stride_mut(&mut square[..stride * n], n, n, stride);
    if order == Order::Columns { columns } else { columns.transpose_mut() }
}

/// Bytes of scratch for [`factor`].
pub(super) fn scratch<T: RealField>(n: usize, par: Par) -> usize {
    cholesky_in_place_scratch::<T>(n, par, Spec::new(Auto::<T>::auto())).unaligned_bytes_required()
}

/// Factors the lower triangle of the square in place.
pub(super) fn factor<T: RealField + Real>(
    square: &mut [T],
    n: usize,
    order: Order,
    stack: &mut [MaybeUninit<u8>],
    par: Par,
) -> Result<(), Error> {
    let matrix = view_mut(square, n, order);
    let params = Spec::new(Auto::<T>::auto());
    let done = cholesky_in_place(matrix, Default::default(), par, MemStack::new(stack), params);
    let refuse = |row| Err(Error::NotPositiveDefinite { row: u32::try_from(row).unwrap_or(u32::MAX) });
    if let Err(LltError::NonPositivePivot { index }) = done {
        return refuse(index);
    }
    // An infinite or NaN pivot may have slipped through the comparisons.
    for i in 0..n {
        let pivot = square[i * stride(n) + i];
        if !(pivot > T::ZERO && Real::is_finite(pivot)) {
            return refuse(i);
        }
    }
    Ok(())
}

/// `square` = L becomes the lower triangle of (L·Lᵀ)⁻¹ by way of `other` = L⁻¹.
pub(super) fn invert<T: RealField>(square: &mut [T], other: &mut [T], n: usize, order: Order, par: Par) {
    invert_lower_triangular(view_mut(other, n, order), view(square, n, order), par);
    let inverse = view(other, n, order);
    matmul(
        view_mut(square, n, order),
        BlockStructure::TriangularLower,
        Accum::Replace,
        inverse.transpose(),
        BlockStructure::TriangularUpper,
        inverse,
        BlockStructure::TriangularLower,
        T::one_impl(),
        par,
    );
}

/// The lower triangle of `square` becomes that of S·Sᵀ.
pub(super) fn product<T: RealField>(square: &mut [T], s: &[T], n: usize, order: Order, par: Par) {
    let s = view(s, n, order);
    matmul(
        view_mut(square, n, order),
        BlockStructure::TriangularLower,
        Accum::Replace,
        s,
        BlockStructure::Rectangular,
        s.transpose(),
        BlockStructure::Rectangular,
        T::one_impl(),
        par,
    );
}

/// Solves with the factor in the square, or its transpose, for `m` right-hand sides.
pub(super) fn solve<T: RealField>(
    square: &[T],
    n: usize,
    order: Order,
    rows: &mut [T],
    m: usize,
    stride: usize,
    transposed: bool,
    par: Par,
) {
    let l = view(square, n, order);
    let sides = MatMut::from_column_major_slice_with_stride_mut(rows, n, m, stride);
    if transposed {
        solve_upper_triangular_in_place(l.transpose(), sides, par);
    } else {
        solve_lower_triangular_in_place(l, sides, par);
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::{Order, pack, stride, unpack};
    use crate::linalg;

    #[test]
    fn packing_is_the_inverse_of_unpacking() {
        for n in [0, 1, 7, 8, 9, 33, 64, 129, 512] {
            let a: Vec<f32> = (0..linalg::packed(n)).map(|i| i as f32).collect();
            for order in [Order::Columns, Order::Rows] {
                let mut square = vec![f32::NAN; stride(n) * n];
                unpack(&a, &mut square, n, order);
                for i in 0..n {
                    for j in 0..=i {
                        let at = if order == Order::Rows { i * stride(n) + j } else { j * stride(n) + i };
                        assert_eq!(square[at], a[linalg::packed(i) + j]);
                    }
                }
                let mut back = vec![0.0; a.len()];
                pack(&square, &mut back, n, order);
                assert_eq!(back, a);
            }
        }
    }
}
