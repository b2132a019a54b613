//! The Cholesky factor of a packed matrix, with a ladder of jitters for matrices that are barely definite.

use core::ops::ControlFlow;

use crate::error::Error;
use crate::real::Real;

use super::kernels::{BLOCK, dots};
use super::solve::{Sides, forward, forward_rows, groups};
use super::{check, packed, row};

/// Largest jitter of [`factor_with_jitter`], as a fraction of the scale.
pub(crate) const JITTER_LIMIT: f64 = 1e-3;

/// Replaces a packed symmetric matrix by its Cholesky factor.
///
/// ```text
/// A = L·Lᵀ        Lᵢⱼ = (Aᵢⱼ − Σₖ Lᵢₖ·Lⱼₖ) / Lⱼⱼ        Lᵢᵢ = √(Aᵢᵢ − Σₖ Lᵢₖ²)
/// ```
///
/// Cost n³/3 operations. After an error the rows before the one that is named are factored, the others are
/// spoilt.
///
/// # Errors
/// [`Error::Shape`] if the slice is too short, [`Error::NotPositiveDefinite`] with the first row whose pivot is not
/// a positive finite number.
///
/// # References
/// Golub and Van Loan, *Matrix Computations*, 4th edition, algorithm 4.2.2 (by rows).
pub fn factor<R: Real>(a: &mut [R], n: usize) -> Result<(), Error> {
    check(a, packed(n))?;
    let mut first = 0;
    while first < n {
        let count = BLOCK.min(n - first);
        let (done, rows) = a.split_at_mut(packed(first));
        forward_rows(done, None, first, rows, count, Sides::Packed { first });
        let mut result = Ok(());
        groups(count, |s, size| {
            if result.is_ok() {
                result = match size {
                    4 => diagonal::<R, 4>(a, first, first + s),
                    2 => diagonal::<R, 2>(a, first, first + s),
                    _ => diagonal::<R, 1>(a, first, first + s),
                };
            }
        });
        result?;
        first += count;
    }
    Ok(())
}

/// A ladder of jitters, what is added to a diagonal until its matrix is positive definite.
///
/// ```text
/// 0, then first, 10·first, 100·first, …  up to limit
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jitter<R> {
    /// The first that is not zero; there is no other unless it is positive.
    pub first: R,
    /// None is larger.
    pub limit: R,
}

impl<R: Real> Jitter<R> {
    /// From ten roundings of a scale to [`JITTER_LIMIT`] times it; none for a scale that is not positive and finite.
    pub(crate) fn of(scale: R) -> Self {
        let limit = if scale > R::ZERO && scale.is_finite() { scale * R::of(JITTER_LIMIT) } else { R::ZERO };
        Self { first: scale * R::EPSILON * R::of(10.0), limit }
    }

    /// Tries the jitters one after the other, as long as an attempt says that the next may succeed.
    ///
    /// # Errors
    /// What the last attempt reports.
    pub(crate) fn climb<T>(
        self,
        mut attempt: impl FnMut(R) -> ControlFlow<Result<T, Error>, Error>,
    ) -> Result<T, Error> {
        let mut jitter = R::ZERO;
        loop {
            let error = match attempt(jitter) {
                ControlFlow::Break(answer) => return answer,
                ControlFlow::Continue(error) => error,
            };
            let next = if jitter > R::ZERO { jitter * R::of(10.0) } else { self.first };
            // Written so that a NaN or zero `next` also ends the ladder.
            if !(next > jitter && next <= self.limit) {
                return Err(error);
            }
            jitter = next;
        }
    }
}

/// Factors a matrix that `fill` writes, adding to its diagonal the first of a ladder of jitters that succeeds.
///
/// ```text
/// jitter = 0, then scale·ε·10, scale·ε·100, …  up to scale·10⁻³        A + jitter·I = L·Lᵀ
/// ```
///
/// `fill` is called again before each attempt because a failed one spoils the matrix. Returns the jitter that was
/// added. A `scale` that is not positive and finite allows no jitter; a pivot that is not finite ends the ladder at
/// once, since no jitter can mend it.
///
/// # Errors
/// [`Error::Shape`] if the slice is too short, [`Error::NotPositiveDefinite`] from the last attempt.
pub(crate) fn factor_with_jitter<R: Real>(
    fill: impl FnMut(&mut [R]),
    a: &mut [R],
    n: usize,
    scale: R,
) -> Result<R, Error> {
    factor_with_jitter_by(fill, factor, a, n, Jitter::of(scale))
}

/// [`factor_with_jitter`] with another routine than [`factor`], say a backend's, for each attempt, and any ladder.
///
/// `factor(a, n)` must refuse as [`factor`] does; it may leave `a` as it was.
///
/// # Errors
/// As for [`factor_with_jitter`], and whatever else `factor` returns.
pub(crate) fn factor_with_jitter_by<R: Real>(
    mut fill: impl FnMut(&mut [R]),
    mut factor: impl FnMut(&mut [R], usize) -> Result<(), Error>,
    a: &mut [R],
    n: usize,
    ladder: Jitter<R>,
) -> Result<R, Error> {
    check(a, packed(n))?;
    let a = &mut a[..packed(n)];
    ladder.climb(|jitter| {
        fill(a);
        if jitter > R::ZERO {
            for i in 0..n {
                a[packed(i) + i] += jitter;
            }
        }
        match factor(a, n) {
            Ok(()) => ControlFlow::Break(Ok(jitter)),
            // The pivot that was refused, or the element it came from, still stands on the diagonal.
            Err(error @ Error::NotPositiveDefinite { row }) if row_diagonal(a, row as usize).is_finite() => {
                ControlFlow::Continue(error)
            }
            Err(error) => ControlFlow::Break(Err(error)),
        }
    })
}

/// Last element of a row, NaN where there is no such row.
fn row_diagonal<R: Real>(a: &[R], i: usize) -> R {
    *row(a, i).last().unwrap_or(&R::NAN)
}

/// Completes rows `i..i + M` whose elements before column `first` are final.
#[inline]
fn diagonal<R: Real, const M: usize>(a: &mut [R], first: usize, i: usize) -> Result<(), Error> {
    let base = packed(i);
    let at: [usize; M] = core::array::from_fn(|r| packed(i + r) - base);
    let (done, rows) = a.split_at_mut(base);
    forward(done, None, first..i, 0, rows, at);
    for c in 0..M {
        let sum =
            dots::<R, M, 1>(core::array::from_fn(|r| &rows[at[r]..at[r] + i]), [&rows[at[c]..at[c] + i]]);
        let mut inverse = R::ZERO;
        for r in c..M {
            let mut value = rows[at[r] + i + c] - sum[r][0];
            for d in 0..c {
                value -= rows[at[r] + i + d] * rows[at[c] + i + d];
            }
            if r == c {
                let pivot = pivot(value, i + c);
                rows[at[c] + i + c] = *pivot.as_ref().unwrap_or(&value);
                inverse = R::ONE / pivot?;
            } else {
                rows[at[r] + i + c] = value * inverse;
            }
        }
    }
    Ok(())
}

/// Root of a squared pivot if it is positive and finite.
pub(super) fn pivot<R: Real>(square: R, row: usize) -> Result<R, Error> {
    if square > R::ZERO && square.is_finite() {
        Ok(square.sqrt())
    } else {
        Err(Error::NotPositiveDefinite { row: u32::try_from(row).unwrap_or(u32::MAX) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{definite, entry, noise, sizes};
    use super::super::{packed, row};
    use super::{JITTER_LIMIT, Jitter, factor, factor_with_jitter, factor_with_jitter_by};
    use crate::error::Error;
    use crate::real::Real;

    /// ‖L·Lᵀ − A‖ / ‖A‖ in the largest-element norm.
    fn residual<R: Real>(l: &[R], a: &[R], n: usize) -> f64 {
        let (mut worst, mut norm) = (0.0f64, 0.0f64);
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = row(l, i).iter().zip(row(l, j)).map(|(x, y)| x.to_f64() * y.to_f64()).sum();
                let error = (sum - entry(a, i, j)).abs();
                worst = if error <= worst { worst } else { error };
                norm = norm.max(entry(a, i, j).abs());
            }
        }
        if n == 0 { 0.0 } else { worst / norm }
    }

    #[test]
    fn factor_reproduces_the_matrix() {
        for n in sizes() {
            let a = definite::<f64>(n, 1);
            let mut l = a.clone();
            factor(&mut l, n).unwrap();
            assert!(residual(&l, &a, n) < 1e-14, "{n}: {}", residual(&l, &a, n));
            let a = definite::<f32>(n, 1);
            let mut l = a.clone();
            factor(&mut l, n).unwrap();
            assert!(residual(&l, &a, n) < 5e-6, "{n}: {}", residual(&l, &a, n));
        }
    }

    #[test]
    fn a_bad_pivot_is_named() {
        for n in [1, 2, 3, 5, 33, 70] {
            for bad in [0, n / 2, n - 1] {
                for value in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
                    let mut a = definite::<f64>(n, 3);
                    a[packed(bad) + bad] = value;
                    assert_eq!(factor(&mut a, n), Err(Error::NotPositiveDefinite { row: bad as u32 }));
                }
            }
            let mut a = definite::<f32>(n, 3);
            a[packed(n) - n] = f32::NAN;
            assert_eq!(factor(&mut a, n), Err(Error::NotPositiveDefinite { row: n as u32 - 1 }));
        }
        assert_eq!(factor::<f64>(&mut [], 0), Ok(()));
        assert_eq!(factor(&mut [1.0f64; 2], 2), Err(Error::Shape { needed: 3 }));
        assert_eq!(factor(&mut [1.0f64; 2], usize::MAX), Err(Error::Shape { needed: usize::MAX }));
    }

    fn check_ladder<R: Real>() {
        // Pairs of equal points: singular, and by rounding a little indefinite.
        let n = 20;
        let x = noise::<R>(n / 2, 4);
        let fill = |a: &mut [R]| {
            for i in 0..n {
                for j in 0..=i {
                    let d = x[i / 2] - x[j / 2];
                    a[packed(i) + j] = R::of(3.0) * (-d * d).exp();
                }
            }
        };
        let mut l = definite::<R>(n, 5);
        let jitter = factor_with_jitter(fill, &mut l, n, R::of(3.0)).unwrap();
        assert!(jitter > R::ZERO && jitter.to_f64() <= 3.0 * JITTER_LIMIT, "{jitter}");
        let mut a = definite::<R>(n, 5);
        fill(&mut a);
        for i in 0..n {
            a[packed(i) + i] += jitter;
        }
        assert!(residual(&l, &a, n) < 64.0 * R::EPSILON.to_f64());
    }

    #[test]
    fn jitter_mends_a_singular_matrix() {
        check_ladder::<f64>();
        check_ladder::<f32>();
    }

    #[test]
    fn jitter_is_zero_or_refused_where_it_should_be() {
        let good = definite::<f64>(9, 6);
        let mut l = good.clone();
        assert_eq!(factor_with_jitter(|a| a.copy_from_slice(&good), &mut l, 9, 1.0), Ok(0.0));
        let mut calls = 0;
        let nan = |a: &mut [f64]| {
            calls += 1;
            a.fill(f64::NAN);
        };
        assert_eq!(factor_with_jitter(nan, &mut l, 9, 1.0), Err(Error::NotPositiveDefinite { row: 0 }));
        assert_eq!(calls, 1);
        let indefinite = |a: &mut [f64]| a.copy_from_slice(&[1.0, 2.0, 1.0]);
        for scale in [1.0, 0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE] {
            let result = factor_with_jitter(indefinite, &mut l, 2, scale);
            assert_eq!(result, Err(Error::NotPositiveDefinite { row: 1 }), "{scale}");
        }
        assert!(
            factor_with_jitter(indefinite, &mut l, 2, 1e4).is_ok_and(|jitter| jitter > 1.0 && jitter <= 10.0)
        );
        let mut calls = 0;
        let stubborn = |_: &mut [f64], _: usize| {
            calls += 1;
            Err(Error::NotPositiveDefinite { row: 7 })
        };
        let result = factor_with_jitter_by(|a| a.fill(1.0), stubborn, &mut l, 9, Jitter::of(1.0));
        assert_eq!((result, calls), (Err(Error::NotPositiveDefinite { row: 7 }), 13));
        let short = factor_with_jitter(|_| (), &mut l[..2], 2, 1.0);
        assert_eq!(short, Err(Error::Shape { needed: 3 }));
    }
}
