//! Large matrices by faer: wide vector units found at run time, several threads, blocks of its own choice.
//!
//! The packed rows of [`crate::linalg`] are copied into a square, worked on there and copied back. Results agree
//! with the plain code to rounding, not bit for bit. Small matrices stay with the plain code, which needs no copy.

use core::mem::MaybeUninit;
use std::vec::Vec;

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

/// Square buffers that grow to the largest matrix seen, and the number of threads.
///
/// The factor that was computed or loaded last stays unpacked for [`solve_lower_loaded`](Self::solve_lower_loaded)
/// and [`solve_upper_loaded`](Self::solve_upper_loaded).
#[derive(Debug)]
pub struct Workspace<R> {
    square: Vec<R>,
    other: Vec<R>,
    stack: Vec<MaybeUninit<u8>>,
    loaded: Option<usize>,
    par: Par,
}

impl<R: Real> Workspace<R> {
    /// A workspace for one thread; allocates nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self { square: Vec::new(), other: Vec::new(), stack: Vec::new(), loaded: None, par: Par::Seq }
    }

    /// A workspace for `threads` threads of the global pool; 0 means as many as the pool has.
    #[must_use]
    pub fn with_threads(threads: usize) -> Self {
        Self { par: if threads == 1 { Par::Seq } else { Par::rayon(threads) }, ..Self::new() }
    }

    /// Replaces a packed symmetric matrix by its Cholesky factor and keeps the factor loaded.
    ///
    /// ```text
    /// A = L·Lᵀ
    /// ```
    ///
    /// Cost n³/3 operations and two copies. After an error `a` may be spoilt, as in [`linalg::factor`].
    ///
    /// # Errors
    /// [`Error::Shape`] if the slice is too short, [`Error::NotPositiveDefinite`] with a row whose pivot is not a
    /// positive finite number, [`Error::Backend`] if there is no memory.
    pub fn factor(&mut self, a: &mut [R], n: usize) -> Result<(), Error> {
        check(a, linalg::packed(n))?;
        self.loaded = None;
        if n < FACTOR {
            linalg::factor(a, n)?;
            return self.load(a, n);
        }
        self.unpack(a, n)?;
        self.factor_square(n)?;
        pack(&self.square, a, n);
        self.loaded = Some(n);
        Ok(())
    }

    /// The packed inverse of a factored matrix.
    ///
    /// ```text
    /// out = (L·Lᵀ)⁻¹
    /// ```
    ///
    /// Cost 2n³/3 operations and two copies; what was loaded is gone.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short, [`Error::Backend`] if there is no memory.
    pub fn invert(&mut self, l: &[R], n: usize, out: &mut [R]) -> Result<(), Error> {
        check(l, linalg::packed(n))?;
        check(out, linalg::packed(n))?;
        self.loaded = None;
        if n < INVERT {
            return linalg::invert(l, n, out);
        }
        self.unpack(l, n)?;
        self.invert_square(n)?;
        pack(&self.square, out, n);
        Ok(())
    }

    /// Factor and inverse of a packed symmetric matrix with one unpacking: `a` becomes L, `out` the inverse.
    ///
    /// ```text
    /// A = L·Lᵀ        out = A⁻¹
    /// ```
    ///
    /// Cost n³ operations and three copies; what was loaded is gone.
    ///
    /// # Errors
    /// As for [`factor`](Self::factor).
    pub fn factor_invert(&mut self, a: &mut [R], n: usize, out: &mut [R]) -> Result<(), Error> {
        check(out, linalg::packed(n))?;
        self.factor(a, n)?;
        if n < INVERT {
            self.loaded = None;
            return linalg::invert(a, n, out);
        }
        self.invert_square(n)?;
        pack(&self.square, out, n);
        Ok(())
    }

    /// Unpacks a factor for the solutions that follow.
    ///
    /// # Errors
    /// [`Error::Shape`] if the slice is too short, [`Error::Backend`] if there is no memory.
    pub fn load(&mut self, l: &[R], n: usize) -> Result<(), Error> {
        check(l, linalg::packed(n))?;
        self.loaded = None;
        self.unpack(l, n)?;
        self.loaded = Some(n);
        Ok(())
    }

    /// Order of the factor that is loaded.
    #[must_use]
    pub fn loaded(&self) -> Option<usize> {
        self.loaded
    }

    /// Solves with the loaded factor for `m` right-hand sides, in place; side `s` is `rows[s·stride..][..n]`.
    ///
    /// ```text
    /// L·xₛ = bₛ
    /// ```
    ///
    /// Cost m·n² operations.
    ///
    /// # Errors
    /// [`Error::NoData`] if no factor is loaded, [`Error::Shape`] if the slice is too short or `stride` is smaller
    /// than the order of the factor.
    pub fn solve_lower_loaded(&self, rows: &mut [R], m: usize, stride: usize) -> Result<(), Error> {
        self.solve_loaded(rows, m, stride, false)
    }

    /// Solves with the transposed loaded factor for `m` right-hand sides, in place.
    ///
    /// ```text
    /// Lᵀ·xₛ = bₛ
    /// ```
    ///
    /// Cost m·n² operations.
    ///
    /// # Errors
    /// As for [`solve_lower_loaded`](Self::solve_lower_loaded).
    pub fn solve_upper_loaded(&self, rows: &mut [R], m: usize, stride: usize) -> Result<(), Error> {
        self.solve_loaded(rows, m, stride, true)
    }

    /// Loads a packed factor and solves for `m` right-hand sides, in place; side `s` is `rows[s·stride..][..n]`.
    ///
    /// ```text
    /// L·xₛ = bₛ
    /// ```
    ///
    /// Cost m·n² operations and one copy.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is too short or `stride` is smaller than `n`, [`Error::Backend`] if there is no
    /// memory.
    pub fn solve_lower_many(
        &mut self,
        l: &[R],
        n: usize,
        rows: &mut [R],
        m: usize,
        stride: usize,
    ) -> Result<(), Error> {
        if n < SOLVE || m < SIDES {
            return linalg::solve_lower_many(l, n, rows, m, stride);
        }
        self.load(l, n)?;
        self.solve_lower_loaded(rows, m, stride)
    }

    /// Loads a packed factor and solves with its transpose for `m` right-hand sides, in place.
    ///
    /// ```text
    /// Lᵀ·xₛ = bₛ
    /// ```
    ///
    /// Cost m·n² operations and one copy.
    ///
    /// # Errors
    /// As for [`solve_lower_many`](Self::solve_lower_many).
    pub fn solve_upper_many(
        &mut self,
        l: &[R],
        n: usize,
        rows: &mut [R],
        m: usize,
        stride: usize,
    ) -> Result<(), Error> {
        if n < SOLVE || m < SIDES {
            return linalg::solve_upper_many(l, n, rows, m, stride);
        }
        self.load(l, n)?;
        self.solve_upper_loaded(rows, m, stride)
    }

    fn solve_loaded(&self, rows: &mut [R], m: usize, stride: usize, transposed: bool) -> Result<(), Error> {
        let n = self.loaded.ok_or(Error::NoData)?;
        if m == 0 || n == 0 {
            return Ok(());
        }
        if stride < n {
            return Err(Error::Shape { needed: n });
        }
        let length = (m - 1).saturating_mul(stride).saturating_add(n);
        check(rows, length)?;
        let rows = &mut rows[..length];
        if R::BYTES == 8 {
            let square: &[f64] = bytemuck::cast_slice(&self.square);
            solve(square, n, bytemuck::cast_slice_mut(rows), m, stride, transposed, self.par);
        } else {
            let square: &[f32] = bytemuck::cast_slice(&self.square);
            solve(square, n, bytemuck::cast_slice_mut(rows), m, stride, transposed, self.par);
        }
        Ok(())
    }

    /// Copies packed rows into the lower triangle of the square, which is stored by columns.
    fn unpack(&mut self, packed: &[R], n: usize) -> Result<(), Error> {
        reserve(&mut self.square, area(n)?)?;
        unpack(packed, &mut self.square, n);
        Ok(())
    }

    fn factor_square(&mut self, n: usize) -> Result<(), Error> {
        let bytes = if R::BYTES == 8 { scratch::<f64>(n, self.par) } else { scratch::<f32>(n, self.par) };
        if self.stack.len() < bytes {
            self.stack.try_reserve_exact(bytes - self.stack.len()).map_err(|_| Error::Backend)?;
            self.stack.resize(bytes, MaybeUninit::uninit());
        }
        if R::BYTES == 8 {
            factor::<f64>(bytemuck::cast_slice_mut(&mut self.square), n, &mut self.stack, self.par)
        } else {
            factor::<f32>(bytemuck::cast_slice_mut(&mut self.square), n, &mut self.stack, self.par)
        }
    }

    /// Replaces the factor in the square by the inverse of what was factored.
    fn invert_square(&mut self, n: usize) -> Result<(), Error> {
        self.loaded = None;
        reserve(&mut self.other, area(n)?)?;
        let (square, other) = (&mut self.square[..], &mut self.other[..]);
        if R::BYTES == 8 {
            let square: &mut [f64] = bytemuck::cast_slice_mut(square);
            invert(square, bytemuck::cast_slice_mut(other), n, self.par);
        } else {
            let square: &mut [f32] = bytemuck::cast_slice_mut(square);
            invert(square, bytemuck::cast_slice_mut(other), n, self.par);
        }
        Ok(())
    }
}

impl<R: Real> Default for Workspace<R> {
    fn default() -> Self {
        Self::new()
    }
}

// Where faer and its copies overtake the plain code, measured with 512-bit and 128-bit vectors against each other.

/// Rows from which faer factors.
const FACTOR: usize = 56;

/// Rows from which faer inverts.
const INVERT: usize = 96;

/// Rows from which faer solves.
const SOLVE: usize = 16;

/// Right-hand sides from which a copy of the factor pays.
const SIDES: usize = 8;

/// Rows that are copied together: eight doubles fill a cache line of a column.
const STRIP: usize = 8;

/// Distance of two columns: whole cache lines, but not a multiple of a page, which would map all columns to one set.
const fn column(n: usize) -> usize {
    let lines = n.next_multiple_of(STRIP);
    if lines.is_multiple_of(512) { lines + STRIP } else { lines }
}

fn area(n: usize) -> Result<usize, Error> {
    column(n).checked_mul(n).ok_or(Error::Backend)
}

fn check<R>(slice: &[R], needed: usize) -> Result<(), Error> {
    if slice.len() < needed { Err(Error::Shape { needed }) } else { Ok(()) }
}

fn reserve<R: Real>(buffer: &mut Vec<R>, length: usize) -> Result<(), Error> {
    if buffer.len() < length {
        buffer.try_reserve_exact(length - buffer.len()).map_err(|_| Error::Backend)?;
        buffer.resize(length, R::ZERO);
    }
    Ok(())
}

fn unpack<R: Real>(packed: &[R], square: &mut [R], n: usize) {
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

fn pack<R: Real>(square: &[R], packed: &mut [R], n: usize) {
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

fn scratch<T: RealField>(n: usize, par: Par) -> usize {
    cholesky_in_place_scratch::<T>(n, par, Spec::new(Auto::<T>::auto())).unaligned_bytes_required()
}

fn factor<T: RealField + Real>(
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
fn invert<T: RealField>(square: &mut [T], other: &mut [T], n: usize, par: Par) {
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

fn solve<T: RealField>(
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

    use super::{Workspace, column, pack, unpack};
    use crate::error::Error;
    use crate::linalg;
    use crate::real::Real;

    const SIZES: [usize; 13] = [0, 1, 5, 15, 16, 33, 56, 64, 95, 96, 129, 300, 512];

    /// A well-conditioned packed matrix: smooth decay plus a diagonal, eigenvalues within [½, 8].
    fn definite<R: Real>(n: usize) -> Vec<R> {
        let mut a = Vec::new();
        for i in 0..n {
            for j in 0..=i {
                let d = (i - j) as f64 * 0.7;
                a.push(R::of((-d).exp() * (d * 2.0).cos() + if i == j { 0.5 } else { 0.0 }));
            }
        }
        a
    }

    fn distance<R: Real>(a: &[R], b: &[R]) -> f64 {
        assert_eq!(a.len(), b.len());
        a.iter()
            .zip(b)
            .map(|(a, b)| (a.to_f64() - b.to_f64()).abs())
            .fold(0.0, |m, d| if d <= m { m } else { d })
    }

    fn check_all<R: Real>(threads: usize) {
        let mut work = Workspace::<R>::with_threads(threads);
        for n in SIZES {
            // Both codes err by at most about n·ε times the condition number, which is below 16.
            let tolerance = 16.0 * (n as f64 + 1.0) * R::EPSILON.to_f64();
            let a = definite::<R>(n);
            let mut plain = a.clone();
            linalg::factor(&mut plain, n).unwrap();
            let mut inverse = vec![R::ZERO; linalg::packed(n)];
            linalg::invert(&plain, n, &mut inverse).unwrap();

            let mut l = a.clone();
            work.factor(&mut l, n).unwrap();
            assert_eq!(work.loaded(), Some(n));
            assert!(distance(&l, &plain) < tolerance, "factor {n}: {}", distance(&l, &plain));
            let mut out = vec![R::NAN; linalg::packed(n)];
            work.invert(&plain, n, &mut out).unwrap();
            assert!(distance(&out, &inverse) < tolerance, "invert {n}");
            let mut l = a.clone();
            out.fill(R::NAN);
            work.factor_invert(&mut l, n, &mut out).unwrap();
            assert!(distance(&l, &plain) < tolerance, "factor_invert {n}");
            assert!(distance(&out, &inverse) < tolerance, "factor_invert {n}");

            for m in [0, 1, 7, 8, 50] {
                let stride = n + 2;
                let b: Vec<R> = (0..m * stride).map(|i| R::of((i as f64 * 0.37).sin())).collect();
                for transposed in [false, true] {
                    let mut expected = b.clone();
                    let (mut many, mut loaded) = (b.clone(), b.clone());
                    work.load(&plain, n).unwrap();
                    if transposed {
                        linalg::solve_upper_many(&plain, n, &mut expected, m, stride).unwrap();
                        work.solve_upper_loaded(&mut loaded, m, stride).unwrap();
                        work.solve_upper_many(&plain, n, &mut many, m, stride).unwrap();
                    } else {
                        linalg::solve_lower_many(&plain, n, &mut expected, m, stride).unwrap();
                        work.solve_lower_loaded(&mut loaded, m, stride).unwrap();
                        work.solve_lower_many(&plain, n, &mut many, m, stride).unwrap();
                    }
                    assert!(distance(&loaded, &expected) < tolerance, "loaded {n} {m} {transposed}");
                    assert!(distance(&many, &expected) < tolerance, "many {n} {m} {transposed}");
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_plain_code() {
        check_all::<f64>(1);
        check_all::<f32>(1);
        check_all::<f64>(2);
        check_all::<f32>(0);
    }

    #[test]
    fn packing_is_the_inverse_of_unpacking() {
        for n in SIZES {
            let a = definite::<f32>(n);
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

    #[test]
    fn a_bad_pivot_is_named() {
        let mut work = Workspace::<f64>::new();
        for n in [40, 100, 300] {
            for bad in [0, 1, n / 2, n - 1] {
                for value in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
                    let mut a = definite::<f64>(n);
                    a[linalg::packed(bad) + bad] = value;
                    let result = work.factor(&mut a, n);
                    assert_eq!(result, Err(Error::NotPositiveDefinite { row: bad as u32 }), "{n} {value}");
                    assert_eq!(work.loaded(), None);
                }
            }
        }
    }

    #[test]
    fn short_slices_are_refused() {
        let mut work = Workspace::<f64>::new();
        let mut a = [1.0; 6];
        assert_eq!(work.factor(&mut a, 4), Err(Error::Shape { needed: 10 }));
        assert_eq!(work.factor(&mut a, usize::MAX), Err(Error::Shape { needed: usize::MAX }));
        assert_eq!(work.invert(&[1.0; 6], 3, &mut a[..5]), Err(Error::Shape { needed: 6 }));
        assert_eq!(work.factor_invert(&mut a, 3, &mut []), Err(Error::Shape { needed: 6 }));
        assert_eq!(work.solve_lower_loaded(&mut a, 1, 3), Err(Error::NoData));
        let l = definite::<f64>(40);
        work.load(&l, 40).unwrap();
        assert_eq!(work.solve_lower_loaded(&mut a, 1, 40), Err(Error::Shape { needed: 40 }));
        assert_eq!(work.solve_upper_loaded(&mut a, 2, 39), Err(Error::Shape { needed: 40 }));
        let huge = usize::MAX;
        assert_eq!(work.solve_upper_loaded(&mut a, huge, huge), Err(Error::Shape { needed: huge }));
    }
}
