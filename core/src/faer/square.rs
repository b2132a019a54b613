//! The square: a matrix stored by columns, of which only the lower triangle counts, and faer's routines on it.

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

/// Rows that are copied together: eight doubles fill a cache line of a column.
const STRIP: usize = 8;

/// Distance of two columns: whole cache lines, but not a multiple of a page, which would map all columns to one set.
pub(super) const fn column(n: usize) -> usize {
    let lines = n.next_multiple_of(STRIP);
    if lines.is_multiple_of(512) { lines + STRIP } else { lines }
}

/// Copies packed rows into the lower triangle of the square.
pub(super) fn unpack<R: Real>(packed: &[R], square: &mut [R], n: usize) {
    let stride = column(n);
    let mut i = 0;
    while i + STRIP <= n {
        let rows: [&[R]; STRIP] = core::array::from_fn(|r| linalg::row(packed, i + r));
        for j in 0..=i {
            let column: [R; STRIP] = core::array::from_fn(|r| rows[r][j]);
            square[j * stride + i..][..STRIP].copy_from_slice(&column);
        }
        for r in 1..STRIP {
            for j in i + 1..=i + r {
                square[j * stride + i + r] = rows[r][j];
            }
        }
        i += STRIP;
    }
    for i in i..n {
        for (j, &value) in linalg::row(packed, i).iter().enumerate() {
            square[j * stride + i] = value;
        }
    }
}

/// Copies the lower triangle of the square into packed rows.
pub(super) fn pack<R: Real>(square: &[R], packed: &mut [R], n: usize) {
    let stride = column(n);
    let mut i = 0;
    while i + STRIP <= n {
        let start = linalg::packed(i);
        let at: [usize; STRIP] = core::array::from_fn(|r| linalg::packed(i + r) - start);
        let rows = &mut packed[start..linalg::packed(i + STRIP)];
        for j in 0..=i {
            let column = &square[j * stride + i..][..STRIP];
            for r in 0..STRIP {
                rows[at[r] + j] = column[r];
            }
        }
        for r in 1..STRIP {
            for j in i + 1..=i + r {
                rows[at[r] + j] = square[j * stride + i + r];
            }
        }
        i += STRIP;
    }
    for i in i..n {
        let start = linalg::packed(i);
        for (j, value) in packed[start..=start + i].iter_mut().enumerate() {
            *value = square[j * stride + i];
        }
    }
}

fn view<T>(square: &[T], n: usize) -> MatRef<'_, T> {
    let stride = column(n);
    MatRef::from_column_major_slice_with_stride(&square[..stride * n], n, n, stride)
}

fn view_mut<T>(square: &mut [T], n: usize) -> MatMut<'_, T> {
    let stride = column(n);
    MatMut::from_column_major_slice_with_stride_mut(&mut square[..stride * n], n, n, stride)
}

/// Bytes of scratch for [`factor`].
pub(super) fn scratch<T: RealField>(n: usize, par: Par) -> usize {
    cholesky_in_place_scratch::<T>(n, par, Spec::new(Auto::<T>::auto())).unaligned_bytes_required()
}

/// Factors the lower triangle of the square in place.
pub(super) fn factor<T: RealField + Real>(
    square: &mut [T],
    n: usize,
    stack: &mut [MaybeUninit<u8>],
    par: Par,
) -> Result<(), Error> {
    let matrix = view_mut(square, n);
    let params = Spec::new(Auto::<T>::auto());
    let done = cholesky_in_place(matrix, Default::default(), par, MemStack::new(stack), params);
    let refuse = |row| Err(Error::NotPositiveDefinite { row: u32::try_from(row).unwrap_or(u32::MAX) });
    if let Err(LltError::NonPositivePivot { index }) = done {
        return refuse(index);
    }
    // An infinite or NaN pivot may have slipped through the comparisons.
    let stride = column(n);
    for i in 0..n {
        let pivot = square[i * stride + i];
        if !(pivot > T::ZERO && Real::is_finite(pivot)) {
            return refuse(i);
        }
    }
    Ok(())
}

/// `square` = L becomes the lower triangle of (L·Lᵀ)⁻¹ by way of `other` = L⁻¹.
pub(super) fn invert<T: RealField>(square: &mut [T], other: &mut [T], n: usize, par: Par) {
    invert_lower_triangular(view_mut(other, n), view(square, n), par);
    let inverse = view(other, n);
    matmul(
        view_mut(square, n),
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
pub(super) fn product<T: RealField>(square: &mut [T], s: &[T], n: usize, par: Par) {
    let s = view(s, n);
    matmul(
        view_mut(square, n),
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
    rows: &mut [T],
    m: usize,
    stride: usize,
    transposed: bool,
    par: Par,
) {
    let l = view(square, n);
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

    use super::{column, pack, unpack};
    use crate::linalg;

    #[test]
    fn packing_is_the_inverse_of_unpacking() {
        for n in [0, 1, 7, 8, 9, 33, 64, 129, 512] {
            let a: Vec<f32> = (0..linalg::packed(n)).map(|i| i as f32).collect();
            let mut square = vec![f32::NAN; column(n) * n];
            unpack(&a, &mut square, n);
            for i in 0..n {
                for j in 0..=i {
                    assert_eq!(square[j * column(n) + i], a[linalg::packed(i) + j]);
                }
            }
            let mut back = vec![0.0; a.len()];
            pack(&square, &mut back, n);
            assert_eq!(back, a);
        }
    }
}
