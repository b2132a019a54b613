//! Register tiles: the two inner loops that all of this module's long work runs through.
//!
//! [`dots`] sums along the contiguous index and fits products of rows with rows; [`combine`] adds multiples of rows
//! to rows. Tiles are sized for sixteen registers of 16 bytes: eight accumulators, the rest for operands.

use crate::real::Real;

use super::packed;

/// Rows that one tile serves together.
pub(super) const TILE: usize = 4;

/// Rows that share one pass over a long operand: 32 rows of a thousand doubles stay in a second-level cache.
pub(super) const BLOCK: usize = 32;

/// Columns that [`combine`] works through before the next tile of rows: 32 × 128 doubles stay in a first-level
/// cache.
const CHUNK: usize = 128;

/// Inner products of `M` rows with `N` rows over their common length, as many partial sums as fill the registers.
#[cfg_attr(feature = "models", inline(always))]
pub(super) fn dots<R: Real, const M: usize, const N: usize>(a: [&[R]; M], b: [&[R]; N]) -> [[R; N]; M] {
    // One 16-byte register per partial sum; tiles with few products take two so that additions overlap.
    match (R::BYTES == 8, M * N >= 8) {
        (true, true) => dots_lanes::<R, M, N, 2>(a, b),
        (true, false) => dots_lanes::<R, M, N, 4>(a, b),
        (false, true) => dots_lanes::<R, M, N, 4>(a, b),
        (false, false) => dots_lanes::<R, M, N, 8>(a, b),
    }
}

/// Inner product of two slices over their common length.
pub(super) fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let n = a.len().min(b.len());
    // Four quarters run as four independent products.
    let quarter = n / 16 * 4;
    let (a, b) = (&a[..n], &b[..n]);
    let mut sum = [R::ZERO; 4];
    if quarter > 0 {
        for (part, sum) in sum.iter_mut().enumerate() {
            let at = part * quarter..(part + 1) * quarter;
            *sum = dots::<R, 1, 1>([&a[at.clone()]], [&b[at]])[0][0];
        }
    }
    let mut rest = R::ZERO;
    for (&a, &b) in a[4 * quarter..].iter().zip(&b[4 * quarter..]) {
        rest += a * b;
    }
    ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest
}

#[inline(always)]
fn dots_lanes<R: Real, const M: usize, const N: usize, const L: usize>(
    a: [&[R]; M],
    b: [&[R]; N],
) -> [[R; N]; M] {
    let length = a.iter().chain(&b).map(|row| row.len()).min().unwrap_or(0);
    let a = a.map(|row| &row[..length]);
    let b = b.map(|row| &row[..length]);
    let mut sum = [[[R::ZERO; L]; N]; M];
    let steps = length / L;
    for step in 0..steps {
        let at = step * L;
        let right: [[R; L]; N] = core::array::from_fn(|c| lanes(b[c], at));
        for r in 0..M {
            let left: [R; L] = lanes(a[r], at);
            for c in 0..N {
                for lane in 0..L {
                    sum[r][c][lane] += left[lane] * right[c][lane];
                }
            }
        }
    }
    let mut out = [[R::ZERO; N]; M];
    for r in 0..M {
        for c in 0..N {
            let mut total = fold(sum[r][c]);
            for k in steps * L..length {
                total += a[r][k] * b[c][k];
            }
            out[r][c] = total;
        }
    }
    out
}

#[inline(always)]
fn lanes<R: Real, const L: usize>(row: &[R], at: usize) -> [R; L] {
    let mut out = [R::ZERO; L];
    out.copy_from_slice(&row[at..at + L]);
    out
}

/// Sum of the lanes, halves first.
#[inline(always)]
fn fold<R: Real, const L: usize>(mut lanes: [R; L]) -> R {
    let mut width = L / 2;
    while width > 0 {
        for lane in 0..width {
            let other = lanes[lane + width];
            lanes[lane] += other;
        }
        width /= 2;
    }
    lanes[0]
}

/// Adds multiples of packed rows to `M` rows, in the columns that all of these packed rows have.
///
/// ```text
/// dst[at[r] + j] += Σₖ weight[k][r] · rowₖ[j]        j < columns ≤ first + 1,  k = first, first + 1, …
/// ```
///
/// `source` begins with row `first` of a packed triangle.
#[inline]
pub(super) fn combine<R: Real, const M: usize>(
    dst: &mut [R],
    at: [usize; M],
    columns: core::ops::Range<usize>,
    weight: &[[R; M]],
    source: &[R],
    first: usize,
) {
    if R::BYTES == 8 {
        combine_wide::<R, M, 4>(dst, at, columns, weight, source, first);
    } else {
        combine_wide::<R, M, 8>(dst, at, columns, weight, source, first);
    }
}

/// The same for all columns of the packed rows, the last of which only some of the rows have.
#[inline]
pub(super) fn combine_triangle<R: Real, const M: usize>(
    dst: &mut [R],
    at: [usize; M],
    weight: &[[R; M]],
    source: &[R],
    first: usize,
) {
    // Steps of four columns: those rows that have all four are a rectangle, the three before them are short.
    let end = first + weight.len();
    let mut j = first;
    while j < end {
        for k in j..end.min(j + TILE - 1) {
            let start = packed(k) - packed(first);
            for c in j..=k {
                let value = source[start + c];
                for r in 0..M {
                    dst[at[r] + c] += weight[k - first][r] * value;
                }
            }
        }
        let full = j + TILE - 1;
        if full < end {
            let source = &source[packed(full) - packed(first)..];
            tile::<R, M, TILE>(dst, at, j, &weight[full - first..], source, full);
        }
        j += TILE;
    }
}

/// Chunks of columns that [`combine`] should be called with so that the packed rows stay in the nearest cache.
pub(super) fn chunks(columns: usize) -> impl Iterator<Item = core::ops::Range<usize>> {
    (0..columns).step_by(CHUNK).map(move |start| start..columns.min(start + CHUNK))
}

#[inline(always)]
fn combine_wide<R: Real, const M: usize, const W: usize>(
    dst: &mut [R],
    at: [usize; M],
    columns: core::ops::Range<usize>,
    weight: &[[R; M]],
    source: &[R],
    first: usize,
) {
    let mut j = columns.start;
    while j + W <= columns.end {
        tile::<R, M, W>(dst, at, j, weight, source, first);
        j += W;
    }
    while j < columns.end {
        tile::<R, M, 1>(dst, at, j, weight, source, first);
        j += 1;
    }
}

/// Columns `j..j + W` of [`combine`], held in registers over all packed rows.
#[inline(always)]
fn tile<R: Real, const M: usize, const W: usize>(
    dst: &mut [R],
    at: [usize; M],
    j: usize,
    weight: &[[R; M]],
    source: &[R],
    first: usize,
) {
    let mut sum: [[R; W]; M] = core::array::from_fn(|r| lanes(dst, at[r] + j));
    let mut start = j;
    let mut length = first;
    for weight in weight {
        let value: [R; W] = lanes(source, start);
        for r in 0..M {
            for c in 0..W {
                sum[r][c] += weight[r] * value[c];
            }
        }
        length += 1;
        start += length;
    }
    for r in 0..M {
        dst[at[r] + j..at[r] + j + W].copy_from_slice(&sum[r]);
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::packed;
    use super::super::tests::noise;
    use super::{combine, combine_triangle, dot, dots};

    #[test]
    fn tiles_of_products_match_plain_sums() {
        for length in 0..40 {
            let rows: Vec<Vec<f64>> = (0..6).map(|i| noise(length, i + 1)).collect();
            let plain = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let s = dots([&rows[0][..], &rows[1], &rows[2], &rows[3]], [&rows[4][..], &rows[5]]);
            for r in 0..4 {
                for c in 0..2 {
                    assert!((s[r][c] - plain(&rows[r], &rows[4 + c])).abs() < 1e-13);
                }
            }
            assert!((dot(&rows[0], &rows[1]) - plain(&rows[0], &rows[1])).abs() < 1e-13);
        }
    }

    #[test]
    fn combinations_match_plain_sums() {
        let n = 23;
        let source = noise::<f32>(packed(n), 1);
        for first in 0..n {
            let weight: Vec<[f32; 3]> = (first..n)
                .map(|k| {
                    let w = noise::<f32>(3, k as u64 + 5);
                    [w[0], w[1], w[2]]
                })
                .collect();
            let mut dst = noise::<f32>(3 * n, 2);
            let mut plain = dst.clone();
            for r in 0..3 {
                for k in first..n {
                    for j in 0..=k {
                        plain[r * n + j] += weight[k - first][r] * source[packed(k) + j];
                    }
                }
            }
            let rows = &source[packed(first)..];
            combine(&mut dst, [0, n, 2 * n], 0..first, &weight, rows, first);
            combine_triangle(&mut dst, [0, n, 2 * n], &weight, rows, first);
            for (a, b) in dst.iter().zip(&plain) {
                assert!((a - b).abs() < 1e-5);
            }
        }
    }
}
