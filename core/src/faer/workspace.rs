//! Square buffers that grow to the largest matrix seen, and the conversions between them and packed rows.

use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use std::vec::Vec;

use ::faer::Par;
use bytemuck::{cast_slice, cast_slice_mut};

use super::square::{self, Order, stride};
use crate::error::Error;
use crate::linalg;
use crate::real::Real;

/// Runs an expression with `$T` as that of the two scalars which `$R` is.
macro_rules! typed {
    ($R:ident, $T:ident => $run:expr) => {
        if $R::BYTES == 8 {
            type $T = f64;
            $run
        } else {
            type $T = f32;
            $run
        }
    };
}

// Where faer and its copies overtake the plain code, measured with 512-bit and 128-bit vectors against each other.

/// Rows from which faer factors.
const FACTOR: usize = 56;

/// Rows from which faer inverts.
const INVERT: usize = 96;

/// Rows from which faer solves.
const SOLVE: usize = 16;

/// Rows from which the faster copy of a square stored by rows outweighs faer's preference for columns.
const ROWS: usize = 800;

/// Right-hand sides from which a copy of the factor pays.
const SIDES: usize = 8;

/// Two squares, and how many threads work on them.
#[derive(Debug)]
pub(super) struct Workspace<R> {
    /// The lower triangle of a matrix, its rows or columns [`stride`] apart.
    pub(super) square: Buffer<R>,
    order: Order,
    other: Buffer<R>,
    stack: Vec<MaybeUninit<u8>>,
    par: Par,
}

impl<R: Real> Workspace<R> {
    /// A workspace for `threads` threads of the global pool; 0, or more than the pool has, means all of them.
    pub(super) fn new(threads: usize) -> Self {
        let par = if threads == 1 {
            Par::Seq
        } else {
            let all = Par::rayon(0);
            if threads > 0 && threads < all.degree() { Par::rayon(threads) } else { all }
        };
        Self { square: Buffer::new(), order: Order::Columns, other: Buffer::new(), stack: Vec::new(), par }
    }

    /// As [`linalg::factor`]. Cost n³/3 operations and two copies.
    pub(super) fn factor(&mut self, a: &mut [R], n: usize) -> Result<(), Error> {
        if n < FACTOR {
            return linalg::factor(a, n);
        }
        self.load(a, n)?;
        self.factor_square(n)?;
        square::pack(&self.square, a, n, self.order);
        Ok(())
    }

    /// As [`linalg::invert`]. Cost 2n³/3 operations and two copies.
    pub(super) fn invert(&mut self, l: &[R], n: usize, out: &mut [R]) -> Result<(), Error> {
        check(out, linalg::packed(n))?;
        if n < INVERT {
            return linalg::invert(l, n, out);
        }
        self.load(l, n)?;
        self.invert_square(n)?;
        square::pack(&self.square, out, n, self.order);
        Ok(())
    }

    /// As [`linalg::solve_lower_many`]. Cost m·n² operations and one copy.
    pub(super) fn solve(&mut self, l: &[R], n: usize, sides: &mut [R], m: usize) -> Result<(), Error> {
        if n < SOLVE || m < SIDES {
            return linalg::solve_lower_many(l, n, sides, m, n);
        }
        self.load(l, n)?;
        self.solve_square(n, sides, m, n, false)
    }

    /// Room for a square of `n` rows that is to be filled by columns.
    pub(super) fn reserve(&mut self, n: usize) -> Result<(), Error> {
        self.order = Order::Columns;
        self.square.reserve(area(n)?)
    }

    /// Copies packed rows into the square.
    pub(super) fn load(&mut self, packed: &[R], n: usize) -> Result<(), Error> {
        check(packed, linalg::packed(n))?;
        self.reserve(n)?;
        self.order = if n < ROWS { Order::Columns } else { Order::Rows };
        square::unpack(packed, &mut self.square, n, self.order);
        Ok(())
    }

    /// Replaces the symmetric matrix in the square by its factor.
    pub(super) fn factor_square(&mut self, n: usize) -> Result<(), Error> {
        check(&self.square, area(n)?)?;
        let order = self.order;
        let bytes = typed!(R, T => square::scratch::<T>(n, self.par));
        if self.stack.len() < bytes {
            self.stack.try_reserve_exact(bytes - self.stack.len()).map_err(|_| Error::Backend)?;
            self.stack.resize(bytes, MaybeUninit::uninit());
        }
        let (square, stack) = (&mut self.square[..], &mut self.stack[..]);
        typed!(R, T => square::factor::<T>(cast_slice_mut(square), n, order, stack, self.par))
    }

    /// Replaces the factor in the square by the inverse of what was factored.
    pub(super) fn invert_square(&mut self, n: usize) -> Result<(), Error> {
        check(&self.square, area(n)?)?;
        self.other.reserve(area(n)?)?;
        let (square, other, order) = (&mut self.square[..], &mut self.other[..], self.order);
        typed!(R, T => square::invert::<T>(cast_slice_mut(square), cast_slice_mut(other), n, order, self.par));
        Ok(())
    }

    /// Replaces the symmetric matrix P in the square, stored by columns, by P·diag(scale)²·P.
    pub(super) fn sandwich(&mut self, n: usize, scale: &[R]) -> Result<(), Error> {
        check(&self.square, area(n)?)?;
        check(scale, n)?;
        self.other.reserve(area(n)?)?;
        let stride = stride(n);
        for j in 0..n {
            for i in j..n {
                let value = self.square[j * stride + i];
                self.other[j * stride + i] = value * scale[j];
                self.other[i * stride + j] = value * scale[i];
            }
        }
        let (square, other, order) = (&mut self.square[..], &self.other[..], self.order);
        typed!(R, T => square::product::<T>(cast_slice_mut(square), cast_slice(other), n, order, self.par));
        Ok(())
    }

    /// Solves with the factor in the square, or its transpose, in place; side `s` is `sides[s·stride..][..n]`.
    pub(super) fn solve_square(
        &self,
        n: usize,
        sides: &mut [R],
        m: usize,
        stride: usize,
        transposed: bool,
    ) -> Result<(), Error> {
        if m == 0 || n == 0 {
            return Ok(());
        }
        Error::Shape { needed: n }.when(stride < n)?;
        check(&self.square, area(n)?)?;
        let length = (m - 1).saturating_mul(stride).saturating_add(n);
        check(sides, length)?;
        let (l, sides, order) = (&self.square[..], &mut sides[..length], self.order);
        typed!(R, T => {
            square::solve::<T>(cast_slice(l), n, order, cast_slice_mut(sides), m, stride, transposed, self.par);
        });
        Ok(())
    }
}

/// Elements of a square of `n` rows.
fn area(n: usize) -> Result<usize, Error> {
    // So many rows have no square that could be addressed, and `stride` could not round them up.
    Error::Backend.when(n >> (usize::BITS / 2) > 0)?;
    stride(n).checked_mul(n).ok_or(Error::Backend)
}

pub(super) fn check<R>(slice: &[R], needed: usize) -> Result<(), Error> {
    if slice.len() < needed { Err(Error::Shape { needed }) } else { Ok(()) }
}

/// Scalars that start on a cache line, so that no vector of a column lies across two.
#[derive(Debug)]
pub(super) struct Buffer<R> {
    memory: Vec<R>,
    start: usize,
}

impl<R: Real> Buffer<R> {
    pub(super) const fn new() -> Self {
        Self { memory: Vec::new(), start: 0 }
    }

    /// Lengthens the buffer if it is too short; what was in it is then gone.
    pub(super) fn reserve(&mut self, length: usize) -> Result<(), Error> {
        if self.len() < length {
            let lost = LINE / R::BYTES;
            let whole = length.checked_add(lost).ok_or(Error::Backend)?;
            self.memory.clear();
            self.memory.try_reserve_exact(whole).map_err(|_| Error::Backend)?;
            self.memory.resize(whole, R::ZERO);
            self.start = self.memory.as_ptr().align_offset(LINE).min(lost);
        }
        Ok(())
    }
}

impl<R> Deref for Buffer<R> {
    type Target = [R];

    fn deref(&self) -> &[R] {
        &self.memory[self.start..]
    }
}

impl<R> DerefMut for Buffer<R> {
    fn deref_mut(&mut self) -> &mut [R] {
        &mut self.memory[self.start..]
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::Workspace;
    use crate::error::Error;
    use crate::linalg;
    use crate::real::Real;

    const SIZES: [usize; 14] = [0, 1, 5, 15, 16, 33, 56, 64, 95, 96, 129, 300, 512, 805];

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
        let mut work = Workspace::<R>::new(threads);
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
            assert!(distance(&l, &plain) < tolerance, "factor {n}: {}", distance(&l, &plain));
            let mut out = vec![R::NAN; linalg::packed(n)];
            work.invert(&plain, n, &mut out).unwrap();
            assert!(distance(&out, &inverse) < tolerance, "invert {n}");

            for m in [0, 1, 7, 8, 50] {
                let b: Vec<R> = (0..m * n).map(|i| R::of((i as f64 * 0.37).sin())).collect();
                let (mut expected, mut many) = (b.clone(), b.clone());
                linalg::solve_lower_many(&plain, n, &mut expected, m, n).unwrap();
                work.solve(&plain, n, &mut many, m).unwrap();
                assert!(distance(&many, &expected) < tolerance, "solve {n} {m}");
                let (mut expected, mut many) = (b.clone(), b.clone());
                linalg::solve_upper_many(&plain, n, &mut expected, m, n).unwrap();
                work.load(&plain, n).unwrap();
                work.solve_square(n, &mut many, m, n, true).unwrap();
                assert!(distance(&many, &expected) < tolerance, "transposed {n} {m}");
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
        let mut work = Workspace::<f64>::new(1);
        for n in [40, 100, 300] {
            for bad in [0, 1, n / 2, n - 1] {
                for value in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
                    let mut a = definite::<f64>(n);
                    a[linalg::packed(bad) + bad] = value;
                    let result = work.factor(&mut a, n);
                    assert_eq!(result, Err(Error::NotPositiveDefinite { row: bad as u32 }), "{n} {value}");
                }
            }
        }
    }

    #[test]
    fn short_slices_are_refused() {
        let mut work = Workspace::<f64>::new(1);
        let mut a = [1.0; 6];
        assert_eq!(work.factor(&mut a, 4), Err(Error::Shape { needed: 10 }));
        assert_eq!(work.factor(&mut a, usize::MAX), Err(Error::Shape { needed: usize::MAX }));
        assert_eq!(work.invert(&[1.0; 6], 3, &mut a[..5]), Err(Error::Shape { needed: 6 }));
        let l = definite::<f64>(40);
        work.load(&l, 40).unwrap();
        assert_eq!(work.solve_square(40, &mut a, 1, 40, false), Err(Error::Shape { needed: 40 }));
        assert_eq!(work.solve_square(40, &mut a, 2, 39, true), Err(Error::Shape { needed: 40 }));
        let huge = usize::MAX;
        assert_eq!(work.solve_square(40, &mut a, huge, huge, true), Err(Error::Shape { needed: huge }));
        assert!(work.solve_square(huge, &mut a, 1, huge, true).is_err());
    }
}
