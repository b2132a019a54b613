//! Sums of outer products in packed triangles.

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

#[cfg(test)]
mod tests {
    use super::add_outer;
    use crate::linalg::packed;
    use crate::rng::{self, Generator};
    use std::vec;

    #[test]
    fn groups_and_single_rows_add_up() {
        let (size, stride, count) = (23, 25, 19);
        let mut generator = Generator::new(5);
        let rows: vec::Vec<f64> = (0..stride * count).map(|_| rng::normal(&mut generator)).collect();
        let weights: vec::Vec<f64> = (0..count).map(|i| 0.5 + i as f64 / 7.0).collect();
        let mut matrix = vec![0.0; packed(size)];
        for i in 0..size {
            matrix[packed(i) + i] = 1.0;
        }
        add_outer(&rows, stride, size, &weights, &mut matrix);
        for i in 0..size {
            for j in 0..=i {
                let direct: f64 =
                    (0..count).map(|s| weights[s] * rows[s * stride + i] * rows[s * stride + j]).sum();
                let own = if i == j { 1.0 } else { 0.0 };
                assert!((matrix[packed(i) + j] - own - direct).abs() < 1e-12 * (1.0 + direct.abs()));
            }
        }
    }
}
