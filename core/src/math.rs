//! Elementary functions and inner products over slices: vectorised, and the same bits on every machine.
//!
//! Only IEEE additions, multiplications, square roots and integer operations are used, each in a fixed order,
//! never a fused multiply-add; so the width of the machine's registers does not show in the result.

use crate::real::Real;

/// Whether loops are there that only save time: several rows that share a pass, a product with 1 that is left out. No bit
/// depends on it. Without feature `models`, in firmware, each of them would be flash.
pub(crate) const WIDE: bool = cfg!(feature = "models");

/// Replaces each value by its exponential.
///
/// ```text
/// eˣ = 2ᵏ·eʳ,  k = ⌊x/ln 2⌉,  r = x − k·ln 2 (in two parts),  eʳ ≈ 1 + r + r²·P(r)
/// ```
///
/// The error is below 1.13 ulp in `f64` and in `f32`. Infinities, overflow and gradual underflow are those of IEEE
/// arithmetic; NaN stays NaN. About 35 operations per vector of the machine and no branch.
/// Compiled into its caller, with whatever vectors the caller is compiled for.
///
/// # References
/// Cody and Waite, *Software Manual for the Elementary Functions*, 1980, chapter 6.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(crate) fn exp_here<R: Real>(values: &mut [R]) {
    if R::BYTES == 8 {
        if let Ok(values) = bytemuck::try_cast_slice_mut(values) {
            exp_all_f64(values);
        }
    } else if let Ok(values) = bytemuck::try_cast_slice_mut(values) {
        exp_all_f32(values);
    }
}

/// √x, correctly rounded, that a loop of any vector width can take in with feature `std`.
///
/// `std` asks the compiler for a root, which it knows to vectorise; `libm` asks the processor for one at a time.
#[inline(always)]
pub(crate) fn root<R: Real>(x: R) -> R {
    #[cfg(feature = "std")]
    return if R::BYTES == 8 {
        R::of(x.to_f64().sqrt())
    } else {
        R::of(f64::from((x.to_f64() as f32).sqrt()))
    };
    #[cfg(not(feature = "std"))]
    x.sqrt()
}

/// The inner product over the shorter of the two lengths.
///
/// ```text
/// Σᵢ aᵢ·bᵢ
/// ```
///
/// Element i is added to lane i mod L, in order of i, with L = 8 in `f64` and 16 in `f32`; then the upper half of
/// the lanes is added to the lower half until one is left.
#[inline]
pub(crate) fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    // A function of its own for each scalar: inner products are everywhere.
    #[inline(never)]
    fn once<R: Real>(a: &[R], b: &[R]) -> R {
        dot_here(a, b)
    }
    once(a, b)
}

/// [`dot`] compiled into its caller, with whatever vectors the caller is compiled for.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(crate) fn dot_here<R: Real>(a: &[R], b: &[R]) -> R {
    if R::BYTES == 8 { dot_lanes::<R, 8>(a, b) } else { dot_lanes::<R, 16>(a, b) }
}

/// Adds a multiple of one vector to another, over the shorter of the two lengths.
///
/// ```text
/// yᵢ ← yᵢ + α·xᵢ
/// ```
#[inline]
pub(crate) fn axpy<R: Real>(alpha: R, x: &[R], y: &mut [R]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}

/// Puts numbers into rising order, in few instructions: the sort of `core` is 2 KB of a firmware.
///
/// # References
/// Shell, CACM 2 (1959); gaps of Knuth, *The Art of Computer Programming* 3, 5.2.1.
pub(crate) fn sort(numbers: &mut [u32]) {
    let mut gap = 1;
    while gap < numbers.len() / 3 {
        gap = 3 * gap + 1;
    }
    while gap > 0 {
        for i in gap..numbers.len() {
            let mut at = i;
            while at >= gap && numbers[at - gap] > numbers[at] {
                numbers.swap(at - gap, at);
                at -= gap;
            }
        }
        gap /= 3;
    }
}

#[inline(always)]
fn dot_lanes<R: Real, const L: usize>(a: &[R], b: &[R]) -> R {
    let n = a.len().min(b.len());
    let (a, b) = (a[..n].chunks_exact(L), b[..n].chunks_exact(L));
    let mut lanes = [R::ZERO; L];
    let (a_rest, b_rest) = (a.remainder(), b.remainder());
    for (a, b) in a.zip(b) {
        for j in 0..L {
            lanes[j] += a[j] * b[j];
        }
    }
    for ((lane, &a), &b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
        *lane += a * b;
    }
    reduce(lanes)
}

#[inline(always)]
fn reduce<R: Real, const L: usize>(mut lanes: [R; L]) -> R {
    let mut width = L;
    while width > 1 {
        width /= 2;
        for j in 0..width {
            let upper = lanes[j + width];
            lanes[j] += upper;
        }
    }
    lanes[0]
}

macro_rules! exp_all {
    ($name:ident, $t:ident, $lowest:expr, $highest:expr, $round:expr, $mask:expr, $mantissa:expr,
     $ln2_high:expr, $ln2_low:expr, |$r:ident, $r2:ident| $polynomial:expr) => {
        #[inline(always)]
        fn $name(values: &mut [$t]) {
            for value in values {
                // Written as selections, which keep NaN and become one instruction each.
                let x = *value;
                let x = if $lowest > x { $lowest } else { x };
                let x = if $highest < x { $highest } else { x };
                // The sum is so large that its last place is 1: it rounds, and its low bits are k plus twice the
                // exponent's bias. Half of that is one factor's biased exponent, the rest the other's; two
                // factors reach every power that overflow and gradual underflow need.
                let shifted = x * core::$t::consts::LOG2_E + $round;
                let k = shifted - $round;
                let biased = shifted.to_bits() & $mask;
                let half = biased >> 1;
                let $r = (x - k * $ln2_high) - k * $ln2_low;
                let $r2 = $r * $r;
                let exp = 1.0 + ($r + $r2 * $polynomial);
                *value = exp * $t::from_bits(half << $mantissa) * $t::from_bits((biased - half) << $mantissa);
            }
        }
    };
}

// P is the weighted minimax approximation of (eʳ − 1 − r)/r² on |r| ≤ ln 2/2: r²·P(r) is off by 3.5·10⁻¹⁸ at most
// in f64 and by 3.1·10⁻⁹ in f32. The upper part of ln 2 has so few bits that its product with k is exact.
exp_all!(
    exp_all_f64,
    f64,
    -746.0,
    710.0,
    6_755_399_441_055_744.0 + 2046.0,
    0xfff,
    52,
    0.693_147_180_559_208_2,
    7.371_002_565_167_799e-13,
    |r, r2| {
        let r4 = r2 * r2;
        let p01 = 0.500_000_000_000_001_3 + 0.166_666_666_666_666_93 * r;
        let p23 = 0.041_666_666_666_514_56 + 0.008_333_333_333_310_445 * r;
        let p45 = 0.001_388_888_894_721_668_7 + 0.000_198_412_699_110_154_12 * r;
        let p67 = 2.480_148_975_904_531_6e-5 + 2.755_722_153_908_932_8e-6 * r;
        let p89 = 2.763_133_781_072_71e-7 + 2.511_631_543_656_402_3e-8 * r;
        (p01 + p23 * r2) + r4 * ((p45 + p67 * r2) + r4 * p89)
    }
);
exp_all!(
    exp_all_f32,
    f32,
    -104.0,
    89.0,
    12_582_912.0 + 254.0,
    0x3ff,
    23,
    0.693_145_75,
    1.428_606_8e-6,
    |r, r2| (0.5 + 0.166_665_2 * r) + r2 * ((0.041_666_206 + 0.008_368_87 * r) + 0.001_395_016_9 * r2)
);

/// The maximum of a function of one number by golden section: the last interval, and the better of the two places inside it
/// with its value.
///
/// # References
/// Kiefer, *Sequential minimax search for a maximum*, Proceedings of the AMS 4, 1953.
pub(crate) fn golden_section<R: Real>(
    mut lo: R,
    mut hi: R,
    steps: u32,
    mut at: impl FnMut(R) -> R,
) -> ([R; 2], (R, R)) {
    let ratio = R::of(0.618_033_988_749_894_9);
    let (mut a, mut b) = (hi - ratio * (hi - lo), lo + ratio * (hi - lo));
    let (mut fa, mut fb) = (at(a), at(b));
    for _ in 0..steps {
        if fa > fb {
            (hi, b, fb) = (b, a, fa);
            a = hi - ratio * (hi - lo);
            fa = at(a);
        } else {
            (lo, a, fa) = (a, b, fb);
            b = lo + ratio * (hi - lo);
            fb = at(b);
        }
    }
    ([lo, hi], if fa > fb { (a, fa) } else { (b, fb) })
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{axpy, dot, exp_here, root, sort};
    use crate::real::Real;

    /// Equidistributed numbers in [0, 1), without a generator.
    fn sequence(i: u64) -> f64 {
        let x = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Size of the last place of a normal or subnormal result.
    fn ulp_f64(x: f64) -> f64 {
        f64::from_bits(x.to_bits() + 1) - x
    }

    fn ulp_f32(x: f32) -> f64 {
        f64::from(f32::from_bits(x.to_bits() + 1)) - f64::from(x)
    }

    #[test]
    fn exp_f64_against_libm() {
        let n = 1_200_000;
        let x: Vec<f64> = (0..n).map(|i| -745.0 + 1454.7 * sequence(i)).collect();
        let near: Vec<f64> = (0..n).map(|i| -2.0 + 4.0 * sequence(i)).collect();
        for x in [x, near] {
            let mut y = x.clone();
            exp_here(&mut y);
            let mut worst: f64 = 0.0;
            for (x, y) in x.iter().zip(&y) {
                let reference = libm::exp(*x);
                worst = worst.max((y - reference).abs() / ulp_f64(reference));
            }
            // That function is within 1 ulp itself; the two never differ by more than one place.
            assert!(worst <= 1.0, "{worst}");
        }
    }

    #[test]
    fn numbers_are_sorted() {
        for length in 0..200 {
            // Few values, so that some are equal.
            let mut numbers: Vec<u32> = (0..length).map(|i| (sequence(i) * 90.0) as u32).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            sort(&mut numbers);
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn exp_f32_against_f64() {
        let mut worst: f64 = 0.0;
        for range in 0..2 {
            let x: Vec<f32> = (0..1_200_000)
                .map(|i| if range == 0 { -103.0 + 191.7 * sequence(i) } else { -2.0 + 4.0 * sequence(i) } as f32)
                .collect();
            let mut y = x.clone();
            exp_here(&mut y);
            for (x, y) in x.iter().zip(&y) {
                let reference = libm::exp(f64::from(*x));
                worst = worst.max((f64::from(*y) - reference).abs() / ulp_f32(reference as f32));
            }
        }
        // ½ for the last rounding; r and r + r²·P are each off by a quarter of an ulp of a result below 1, r²·P by
        // an eighth.
        assert!(worst < 1.13, "{worst}");
    }

    #[test]
    fn exp_at_the_edges() {
        let mut y = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            709.782_712_893_384,
            709.782_712_893_384_1,
            -745.133_219_101_941_1,
            -745.133_219_101_941_2,
            -708.5,
            1e300,
            -1e300,
            5e-324,
            f64::NAN,
        ];
        exp_here(&mut y);
        let expected = [
            1.0,
            1.0,
            f64::INFINITY,
            0.0,
            libm::exp(709.782_712_893_384),
            f64::INFINITY,
            5e-324,
            0.0,
            libm::exp(-708.5),
            f64::INFINITY,
            0.0,
            1.0,
        ];
        for (y, e) in y.iter().zip(expected) {
            assert!(*y == e || (y - e).abs() <= ulp_f64(e), "{y:e} {e:e}");
        }
        assert!(y[12].is_nan());

        let mut y =
            [0.0, 88.722_83, 88.722_84, -103.972_07, -103.972_09, 1e30, -1e30, f32::NEG_INFINITY, f32::NAN];
        exp_here(&mut y);
        assert_eq!(y[..1], [1.0]);
        assert!(y[1].is_finite() && y[1] > 3.402e38);
        assert_eq!(y[2..8], [f32::INFINITY, 1e-45, 0.0, f32::INFINITY, 0.0, 0.0]);
        assert!(y[8].is_nan());
    }

    #[test]
    fn square_roots_are_correctly_rounded() {
        for n in [0, 1, 2, 3, 7, 1000] {
            let x: Vec<f64> =
                (0..n).map(|i| sequence(i) * libm::pow(10.0, i as f64 % 600.0 - 300.0)).collect();
            let mut y = x.clone();
            y.iter_mut().for_each(|y| *y = root(*y));
            let mut single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            let before = single.clone();
            single.iter_mut().for_each(|y| *y = root(*y));
            for i in 0..x.len() {
                assert_eq!(y[i].to_bits(), libm::sqrt(x[i]).to_bits());
                // A double root rounded to single is the correctly rounded single root (53 ≥ 2·24 + 2).
                assert_eq!(single[i], libm::sqrt(f64::from(before[i])) as f32);
            }
        }
        let mut y = [-1.0, -0.0, f64::INFINITY];
        y.iter_mut().for_each(|y| *y = root(*y));
        assert!(y[0].is_nan() && y[1] == 0.0 && y[2] == f64::INFINITY);
    }

    fn products<R: Real>() {
        for n in [0usize, 1, 7, 8, 9, 15, 16, 17, 31, 500, 512, 513, 1100] {
            let row = |k: u64| -> Vec<R> {
                (0..n as u64).map(|i| R::of(sequence(i * 7 + k) - 0.4)).collect::<Vec<R>>()
            };
            let (a, b) = (row(0), [row(1), row(2), row(3), row(4)]);
            for k in 0..4 {
                let plain: f64 = a.iter().zip(&b[k]).map(|(a, b)| a.to_f64() * b.to_f64()).sum();
                let sizes: f64 = a.iter().zip(&b[k]).map(|(a, b)| (a.to_f64() * b.to_f64()).abs()).sum();
                // γ of a tree of at most ⌈n/L⌉ + 5 roundings, plus that of the reference.
                let bound = (n as f64 / 8.0 + 6.0) * R::EPSILON.to_f64() * sizes;
                assert!((dot(&a, &b[k]).to_f64() - plain).abs() <= bound);
            }
            let mut y = b[0].clone();
            axpy(R::of(0.3), &a, &mut y);
            for i in 0..n {
                assert_eq!(y[i], b[0][i] + R::of(0.3) * a[i]);
            }
        }
    }

    #[test]
    fn products_have_one_order() {
        products::<f64>();
        products::<f32>();
    }

    /// The order is part of the interface: lane i mod 8, then halves.
    #[test]
    fn the_order_is_pinned() {
        let a: Vec<f64> = (0..21).map(|i| sequence(i) * libm::pow(10.0, (i % 5) as f64)).collect();
        let mut lanes = [0.0; 8];
        for (i, a) in a.iter().enumerate() {
            lanes[i % 8] += a * a;
        }
        let four = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
        assert_eq!(dot(&a, &a), (four[0] + four[2]) + (four[1] + four[3]));
    }

    #[test]
    fn unequal_lengths_use_the_shortest() {
        let a = [1.0, 2.0, 3.0];
        assert_eq!(dot(&a, &[4.0, 5.0]), 14.0);
        let mut y = [1.0];
        axpy(2.0, &a, &mut y);
        assert_eq!(y, [3.0]);
    }
}
