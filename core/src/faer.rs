//! Large matrices by faer: wide vector units found at run time, several threads, blocks of its own choice.
//!
//! The packed rows of [`crate::linalg`] are copied into a square, worked on there and copied back. Results agree
//! with the plain code to rounding, not bit for bit. Small matrices stay with the plain code, which needs no copy.

use core::mem::MaybeUninit;
use std::vec::Vec;

use ::faer::Par;

use crate::error::Error;
use crate::linalg;
use crate::real::Real;

mod square;

use square::{column, factor, invert, pack, scratch, solve, unpack};

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

    /// A workspace for `threads` threads of the global pool; 0, or more than the pool has, means all of them.
    #[must_use]
    pub fn with_threads(threads: usize) -> Self {
        let all = Par::rayon(0);
        let par = match threads {
            1 => Par::Seq,
            some if some > 0 && some < all.degree() => Par::rayon(some),
            _ => all,
        };
        Self { par, ..Self::new() }
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

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::Workspace;
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
        check_all::<f64>(usize::MAX);
        check_all::<f32>(0);
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
