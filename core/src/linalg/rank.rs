//! Rank-revealing Cholesky factors of matrices of products whose rows may depend on one another.
//!
//! A row that depends on those before it is left out of the factor: its pivot is infinite, as that of a coefficient
//! known to be zero, and the rest of its row and column is zero. Since 1/∞ = 0, every solve gives it zero.

use crate::error::Error;
use crate::real::Real;

use super::kernels::dot;
use super::{check, factor, packed};

/// Beside the rounding of one product, what the weights of a dependent column make of it: see [`rounding`].
const MARGIN: f64 = 8.0;

/// The part of a squared pivot of GᵀG that may be rounding, as a fraction of the diagonal element above it.
///
/// ```text
/// 8 (columns·ε + rows·2⁻⁵²)
/// ```
///
/// With u = ε/2, products of two columns that are summed in double precision are known to `rows`·2⁻⁵³ and u of their
/// lengths, and the sums of a factor to `columns`·u of the diagonal. The pivot of a column that is Σ wⱼ times the (unit)
/// ones before it has up to (1 + Σ|wⱼ|)² of this: 16 of it are Σ|wⱼ| = 3, as x² = (a + b)x − ab of a parameter with two
/// values a, b has where they are alike, and more where roundings cancel. An independent column is far above: x² beside 1
/// and x has 1/36 of its square to itself on a uniform design.
///
/// # References
/// Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 3.1 and theorems 10.3 and 10.14.
#[must_use]
pub fn rounding<R: Real>(rows: usize, columns: usize) -> R {
    R::of(MARGIN * (columns as f64 * R::EPSILON.to_f64() + rows as f64 * f64::EPSILON))
}

/// Replaces a packed positive semidefinite matrix, of which `start` rows are factored, by a factor that leaves out rows
/// whose squared pivot is no more than `tolerance` of their diagonal element, and all after the first `most`; returns how
/// many it has.
///
/// Cost n³/3 operations.
///
/// # Errors
/// [`Error::Shape`] if the slice is too short, [`Error::NotPositiveDefinite`] with the first row that is not finite.
pub(crate) fn factor_semidefinite<R: Real>(
    a: &mut [R],
    start: usize,
    n: usize,
    tolerance: R,
    most: usize,
) -> Result<usize, Error> {
    check(a, packed(n))?;
    let mut kept = start;
    for i in start..n {
        let (done, rest) = a.split_at_mut(packed(i));
        let row = &mut rest[..=i];
        let own = row[i];
        for j in 0..i {
            let other = &done[packed(j)..=packed(j) + j];
            // Times zero where row j is left out.
            row[j] = (row[j] - dot(&row[..j], &other[..j])) * (R::ONE / other[j]);
        }
        let square = own - dot(&row[..i], &row[..i]);
        Error::NotPositiveDefinite { row: u32::try_from(i).unwrap_or(u32::MAX) }.when(!square.is_finite())?;
        if square > tolerance * own && square > R::ZERO && kept < most {
            row[i] = square.sqrt();
            kept += 1;
        } else {
            row.fill(R::ZERO);
            row[i] = R::INFINITY;
        }
    }
    Ok(kept)
}

/// The factor of a matrix of products that `fill` writes: that of [`factor`], to the bit, if all its pivots are more than
/// `tolerance` of the diagonal, else that of `factor_semidefinite`. Returns how many rows it has.
///
/// # Errors
/// As for `factor_semidefinite`.
pub fn factor_products<R: Real>(
    mut fill: impl FnMut(&mut [R]),
    a: &mut [R],
    n: usize,
    tolerance: R,
) -> Result<usize, Error> {
    check(a, packed(n))?;
    let a = &mut a[..packed(n)];
    fill(a);
    let clear = |a: &[R], i: usize| {
        let row = &a[packed(i)..=packed(i) + i];
        row[i] * row[i] > tolerance * dot(row, row)
    };
    if factor(a, n).is_ok() && (0..n).all(|i| clear(a, i)) {
        return Ok(n);
    }
    fill(a);
    factor_semidefinite(a, 0, n, tolerance, n)
}

/// Rows of a factor that are not left out.
pub(crate) fn rank<R: Real>(l: &[R], n: usize) -> usize {
    (0..n).filter(|&i| l.get(packed(i) + i).is_some_and(|&pivot| pivot != R::INFINITY)).count()
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::super::tests::{definite, noise};
    use super::super::{factor, invert, log_determinant, packed, solve_lower, solve_upper};
    use super::{factor_products, factor_semidefinite, rank, rounding};
    use crate::error::Error;
    use crate::real::Real;

    /// GᵀG of columns.
    fn products<R: Real>(columns: &[Vec<R>], a: &mut [R]) {
        for (i, b) in columns.iter().enumerate() {
            for (j, c) in columns[..=i].iter().enumerate() {
                a[packed(i) + j] = super::dot(b, c);
            }
        }
    }

    #[test]
    fn a_full_matrix_keeps_its_bits() {
        for n in [1, 2, 3, 7, 40] {
            let a = definite::<f64>(n, 5);
            let (mut plain, mut other) = (a.clone(), vec![0.0; packed(n)]);
            factor(&mut plain, n).unwrap();
            assert_eq!(factor_products(|m| m.copy_from_slice(&a), &mut other, n, 1e-12), Ok(n));
            assert_eq!(plain, other);
            let mut other = a.clone();
            assert_eq!(factor_semidefinite(&mut other, 0, n, 1e-12, n), Ok(n));
            assert!(plain.iter().zip(&other).all(|(p, o)| (p - o).abs() < 1e-13));
            assert_eq!(rank(&other, n), n);
        }
    }

    /// Solutions, inverse and determinant are those of the matrix without the rows that are left out.
    fn check_left_out<R: Real>(close: f64) {
        let (rows, tolerance) = (60, rounding::<R>(60, 7));
        let free: Vec<Vec<R>> = (0..4).map(|c| noise::<R>(rows, 20 + c)).collect();
        let mixed = |w: [f64; 2], a: usize, b: usize| -> Vec<R> {
            free[a].iter().zip(&free[b]).map(|(&a, &b)| R::of(w[0]) * a + R::of(w[1]) * b).collect()
        };
        let columns = vec![
            free[0].clone(),
            free[0].clone(),
            free[1].clone(),
            mixed([1.0, -0.1875], 1, 0),
            free[2].clone(),
            vec![R::ZERO; rows],
            free[3].clone(),
        ];
        let stays = [0, 2, 4, 6];
        let mut l = vec![R::ZERO; packed(7)];
        assert_eq!(factor_products(|m| products(&columns, m), &mut l, 7, tolerance), Ok(4));
        assert_eq!(rank(&l, 7), 4);
        let mut small = vec![R::ZERO; packed(4)];
        products(&free, &mut small);
        factor(&mut small, 4).unwrap();
        assert!((log_determinant(&l, 7) - log_determinant(&small, 4)).to_f64().abs() < close);
        let (b, mut inverse, mut expected) =
            (noise::<R>(7, 9), vec![R::ZERO; packed(7)], vec![R::ZERO; packed(4)]);
        let (mut x, mut y) = (b.clone(), stays.map(|i| b[i]).to_vec());
        solve_lower(&l, 7, &mut x).unwrap();
        solve_upper(&l, 7, &mut x).unwrap();
        solve_lower(&small, 4, &mut y).unwrap();
        solve_upper(&small, 4, &mut y).unwrap();
        invert(&l, 7, &mut inverse).unwrap();
        invert(&small, 4, &mut expected).unwrap();
        for i in 0..7 {
            let at = stays.iter().position(|&s| s == i);
            assert!((x[i] - at.map_or(R::ZERO, |a| y[a])).to_f64().abs() < close, "{i}");
            for j in 0..=i {
                let other = stays.iter().position(|&s| s == j);
                let value = at.zip(other).map_or(R::ZERO, |(a, b)| expected[packed(a) + b]);
                assert!((inverse[packed(i) + j] - value).to_f64().abs() < close, "{i} {j}");
                assert!(at.is_some() || inverse[packed(i) + j] == R::ZERO);
            }
            assert!(at.is_some() || x[i] == R::ZERO);
        }
    }

    #[test]
    fn what_depends_on_others_is_left_out() {
        check_left_out::<f64>(1e-13);
        check_left_out::<f32>(1e-4);
    }

    #[test]
    fn no_more_rows_than_allowed_and_odd_ones_are_refused() {
        let mut a = definite::<f64>(6, 3);
        assert_eq!(factor_semidefinite(&mut a, 0, 6, 1e-14, 4), Ok(4));
        assert_eq!((rank(&a, 6), rank(&a, 5), rank::<f64>(&[], 3)), (4, 4, 0));
        let mut zeros = [0.0f64; 6];
        assert_eq!(factor_semidefinite(&mut zeros, 0, 3, 0.0, 3), Ok(0));
        assert_eq!(log_determinant(&zeros, 3), 0.0);
        let mut odd = [1.0, 0.0, f64::NAN];
        assert_eq!(factor_semidefinite(&mut odd, 0, 2, 0.0, 2), Err(Error::NotPositiveDefinite { row: 1 }));
        assert_eq!(factor_semidefinite(&mut odd, 0, 3, 0.0, 3), Err(Error::Shape { needed: 6 }));
        assert_eq!(factor_products(|_| {}, &mut odd, 3, 0.0), Err(Error::Shape { needed: 6 }));
    }
}
