//! Sums of outer products in packed triangles, and one more of them in a factor.

use crate::linalg::packed;
use crate::real::Real;

/// Rows that are added in one pass over the triangle.
const GROUP: usize = 8;

/// Adds Σₛ weightₛ rₛrₛᵀ to a packed triangle of `size` rows; row s begins at s·stride. Cost: size² flops a row.
pub(super) fn add_outer<R: Real>(rows: &[R], stride: usize, size: usize, weights: &[R], out: &mut [R]) {
    let mut parts = weights.chunks_exact(GROUP);
    let mut first = 0;
    for weights in &mut parts {
        add_group::<R, GROUP>(&rows[first * stride..], stride, size, weights, out);
        first += GROUP;
    }
    for weight in parts.remainder().chunks_exact(1) {
        add_group::<R, 1>(&rows[first * stride..], stride, size, weight, out);
        first += 1;
    }
}

#[inline]
fn add_group<R: Real, const N: usize>(rows: &[R], stride: usize, size: usize, weights: &[R], out: &mut [R]) {
    let all: [&[R]; N] = core::array::from_fn(|s| &rows[s * stride..][..size]);
    for j in 0..size {
        let scale: [R; N] = core::array::from_fn(|s| weights[s] * all[s][j]);
        let target = &mut out[packed(j)..=packed(j) + j];
        // Cut to one length where the compiler sees it, so that no test stays in the loop.
        let cut: [&[R]; N] = core::array::from_fn(|s| &all[s][..target.len()]);
        for (k, t) in target.iter_mut().enumerate() {
            let mut sum = scale[0] * cut[0][k];
            for s in 1..N {
                sum += scale[s] * cut[s][k];
            }
            *t += sum;
        }
    }
}

/// Turns the factor L of a matrix into that of the matrix plus z·zᵀ, by plane rotations, which cannot fail; rows that are
/// left out ([`linalg::factor_semidefinite`](crate::linalg::factor_semidefinite)) stay so.
///
/// `z` is spoilt and `turns` takes two scalars a row. Cost: 3·size² flops.
///
/// # References
/// Gill, Golub, Murray and Saunders (1974), *Methods for modifying matrix factorizations*, method C3.
pub(super) fn add_to_factor<R: Real>(factor: &mut [R], size: usize, z: &mut [R], turns: &mut [R]) {
    let (cosines, sines) = turns[..2 * size].split_at_mut(size);
    for i in 0..size {
        let row = &mut factor[packed(i)..=packed(i) + i];
        if row[i] == R::INFINITY {
            (cosines[i], sines[i]) = (R::ONE, R::ZERO);
            continue;
        }
        let mut rest = z[i];
        for ((l, &c), &s) in row.iter_mut().zip(&*cosines).zip(&*sines).take(i) {
            (*l, rest) = (c * *l + s * rest, c * rest - s * *l);
        }
        // The larger of the two is taken out, so that no square leaves the range.
        let (old, most) = (row[i], row[i].abs().max(rest.abs()));
        let (a, b) = (old / most, rest / most);
        let length = most * (a * a + b * b).sqrt();
        (cosines[i], sines[i]) =
            if length > R::ZERO { (old / length, rest / length) } else { (R::ONE, R::ZERO) };
        row[i] = if length > R::ZERO { length } else { old };
    }
}

#[cfg(test)]
mod tests {
    use super::{add_outer, add_to_factor};
    use crate::linalg::{self, packed};
    use crate::rng::{self, Generator};
    use std::vec;

    #[test]
    fn a_factor_grows_as_its_matrix_does() {
        let (size, stride, count) = (23, 25, 19);
        let mut generator = Generator::new(5);
        let rows: vec::Vec<f64> = (0..stride * count).map(|_| rng::normal(&mut generator)).collect();
        let weights: vec::Vec<f64> = (0..count).map(|i| 0.5 + i as f64 / 7.0).collect();
        let mut matrix = vec![0.0; packed(size)];
        for i in 0..size {
            matrix[packed(i) + i] = 1.0;
        }
        let mut factor = matrix.clone();
        add_outer(&rows, stride, size, &weights, &mut matrix);
        for i in 0..size {
            for j in 0..=i {
                let direct: f64 =
                    (0..count).map(|s| weights[s] * rows[s * stride + i] * rows[s * stride + j]).sum();
                let own = if i == j { 1.0 } else { 0.0 };
                assert!((matrix[packed(i) + j] - own - direct).abs() < 1e-12 * (1.0 + direct.abs()));
            }
        }
        let mut turns = vec![0.0; 2 * size];
        for s in 0..count {
            let mut z: vec::Vec<f64> =
                rows[s * stride..][..size].iter().map(|v| v * weights[s].sqrt()).collect();
            add_to_factor(&mut factor, size, &mut z, &mut turns);
        }
        linalg::factor(&mut matrix, size).unwrap();
        for (a, b) in factor.iter().zip(&matrix) {
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
    }
}
