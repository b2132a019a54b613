//! Cholesky factors of symmetric positive definite matrices in packed rows: factor, extend, shrink, solve, invert.
//!
//! Only the lower triangle is kept, row after row without gaps, so that a new observation is one more row at the
//! end and nothing moves:
//!
//! ```text
//! A = L·Lᵀ      row i starts at i(i+1)/2 and has i+1 entries
//! ```
//!
//! Everything works in place on lent slices. Long loops run over small register tiles: inner products of four rows
//! with two (`solve_lower_many`, [`factor`]) or sums of rows in four rows at once (`solve_upper_many`,
//! `invert`). The order of summation depends on the sizes only, so the same input gives the same bits everywhere.

pub(crate) mod block_diagonal;
mod factor;
mod inverse;
mod kernels;
mod rank;
mod solve;
mod update;

pub(crate) use block_diagonal::Block;
pub use block_diagonal::Blocks;
pub use factor::factor;
pub(crate) use factor::{JITTER_LIMIT, Jitter, factor_with_jitter, factor_with_jitter_by};
pub(crate) use inverse::invert;
pub use rank::{factor_products, rounding};
pub(crate) use rank::{factor_semidefinite, rank};
pub use solve::{solve_lower, solve_upper};
pub(crate) use solve::{solve_lower_many, solve_upper_many};
pub(crate) use update::append;

use crate::error::Error;
use crate::real::Real;

/// Elements of a packed lower triangle of `n` rows; `usize::MAX` if they cannot be counted.
///
/// ```text
/// n(n+1)/2
/// ```
#[must_use]
pub const fn packed(n: usize) -> usize {
    if n.is_multiple_of(2) {
        (n / 2).saturating_mul(n.saturating_add(1))
    } else {
        n.saturating_mul(n / 2 + 1)
    }
}

/// Row `i` of a packed lower triangle, `i + 1` entries; empty if the slice ends before it does.
pub(crate) fn row<R: Real>(a: &[R], i: usize) -> &[R] {
    a.get(packed(i)..packed(i.saturating_add(1))).unwrap_or(&[])
}

/// Logarithm of the determinant of the factored matrix.
///
/// ```text
/// ln |L·Lᵀ| = 2 Σᵢ ln Lᵢᵢ
/// ```
///
/// Of the rows that are not left out (`factor_semidefinite`). NaN if the slice is too short.
#[must_use]
pub fn log_determinant<R: Real>(l: &[R], n: usize) -> R {
    if l.len() < packed(n) {
        return R::NAN;
    }
    let mut sum = R::ZERO;
    for i in 0..n {
        let pivot = l[packed(i) + i];
        if pivot != R::INFINITY {
            sum += pivot.ln();
        }
    }
    R::TWO * sum
}

/// Product of the factor with a vector: turns independent normals `z` into a draw with covariance `L·Lᵀ`.
///
/// ```text
/// out = L·z
/// ```
///
/// Cost n² operations.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub(crate) fn multiply_lower<R: Real>(l: &[R], n: usize, z: &[R], out: &mut [R]) -> Result<(), Error> {
    check(l, packed(n))?;
    check(z, n)?;
    check(out, n)?;
    for (i, out) in out[..n].iter_mut().enumerate() {
        let start = packed(i);
        *out = kernels::dot(&l[start..=start + i], &z[..=i]);
    }
    Ok(())
}

/// Refuses a slice that is shorter than `needed`.
fn check<R>(slice: &[R], needed: usize) -> Result<(), Error> {
    if slice.len() < needed { Err(Error::Shape { needed }) } else { Ok(()) }
}

/// Counts entries of a factor that are read, for tests that ask how many.
#[inline(always)]
fn note(entries: usize) {
    #[cfg(test)]
    tests::READ.set(tests::READ.get() + entries);
    let _ = entries;
}

/// Entries of factors that this thread has read since it was last asked.
#[cfg(test)]
pub(crate) fn entries_read() -> usize {
    tests::READ.replace(0)
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::{factor, log_determinant, multiply_lower, packed, row};
    use crate::error::Error;
    use crate::real::Real;

    std::thread_local! {
        pub(super) static READ: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
    }

    /// Sizes around every tile and block edge.
    pub(super) fn sizes() -> impl Iterator<Item = usize> {
        (0..=40).chain([63, 64, 65, 129, 130, 131, 300])
    }

    /// Pseudo-random numbers in (−1, 1).
    pub(super) fn noise<R: Real>(count: usize, seed: u64) -> Vec<R> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                R::of((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
            })
            .collect()
    }

    /// A well-conditioned packed matrix: B·Bᵀ/n + I/2 with random B.
    pub(super) fn definite<R: Real>(n: usize, seed: u64) -> Vec<R> {
        let b: Vec<f64> = noise(n * n, seed);
        let mut a = Vec::with_capacity(packed(n));
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
                a.push(R::of(sum / n as f64 + if i == j { 0.5 } else { 0.0 }));
            }
        }
        a
    }

    /// Element (i, j) of a symmetric packed matrix in double precision.
    pub(super) fn entry<R: Real>(a: &[R], i: usize, j: usize) -> f64 {
        a[packed(i.max(j)) + i.min(j)].to_f64()
    }

    /// Largest |aᵢ − bᵢ|.
    pub(super) fn distance<R: Real>(a: &[R], b: &[R]) -> f64 {
        assert_eq!(a.len(), b.len());
        a.iter()
            .zip(b)
            .map(|(a, b)| (a.to_f64() - b.to_f64()).abs())
            .fold(0.0, |m, d| if d <= m { m } else { d })
    }

    #[test]
    fn rows_tile_the_triangle() {
        let a: Vec<f64> = (0..packed(5)).map(|i| i as f64).collect();
        let joined: Vec<f64> = (0..5).flat_map(|i| row(&a, i).to_vec()).collect();
        assert_eq!(joined, a);
        assert!(row(&a, 5).is_empty());
        assert!(row(&a, usize::MAX).is_empty());
        assert_eq!(packed(usize::MAX), usize::MAX);
        assert_eq!(packed(usize::MAX - 1), usize::MAX);
        assert_eq!((packed(0), packed(1), packed(4)), (0, 1, 10));
    }

    #[test]
    fn determinant_of_a_known_matrix() {
        // |[4 2 1; 2 5 3; 1 3 6]| = 4(30−9) − 2(12−3) + 1(6−5) = 67.
        let mut a = [4.0f64, 2.0, 5.0, 1.0, 3.0, 6.0];
        factor(&mut a, 3).unwrap();
        assert!((log_determinant(&a, 3) - 67.0f64.ln()).abs() < 1e-14);
        assert_eq!(log_determinant::<f64>(&[], 0), 0.0);
        assert!(log_determinant(&a, 4).is_nan());
    }

    #[test]
    fn product_matches_its_definition() {
        for n in sizes() {
            let l = noise::<f64>(packed(n), 3);
            let z = noise::<f64>(n, 4);
            let mut out = vec![0.0; n];
            multiply_lower(&l, n, &z, &mut out).unwrap();
            for i in 0..n {
                let direct: f64 = (0..=i).map(|k| l[packed(i) + k] * z[k]).sum();
                assert!((out[i] - direct).abs() < 1e-13, "n {n} row {i}");
            }
        }
        assert_eq!(multiply_lower(&[1.0], 1, &[], &mut [0.0]), Err(Error::Shape { needed: 1 }));
        assert_eq!(multiply_lower(&[1.0], 2, &[0.0; 2], &mut [0.0; 2]), Err(Error::Shape { needed: 3 }));
    }
}
