//! The Sobol sequence with Owen's scrambling: every point on its own, from its index.

use crate::real::Real;

use super::hash::hash;
use super::sample::fraction;
use super::sobol_table::{INITIAL, POLYNOMIALS};

/// Dimensions with direction numbers of their own; those beyond are padded, see [`Sequence::coordinate`].
pub const DIMS: usize = POLYNOMIALS.len() + 1;

/// A scrambled Sobol sequence.
///
/// ```text
/// x = scramble(⊕ over the set bits k of the index: v_k) / 2³²
/// ```
///
/// Among any 2ᵏ points that start at a multiple of 2ᵏ, each dimension has one in every interval of width 2⁻ᵏ.
///
/// # References
/// Sobol (1967); Joe and Kuo (2008), Constructing Sobol sequences with better two-dimensional projections;
/// Owen (1998), Scrambling Sobol' and Niederreiter-Xing points; Burley (2020), Practical hash-based Owen
/// scrambling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The choice among scramblings.
    pub seed: u64,
}

impl Sequence {
    /// One coordinate in `[0, 1)` of the point with this index: 32 bits in `f64`, the upper 24 of them in `f32`.
    ///
    /// Dimensions from [`DIMS`] on are padded: dimension 0 with a scrambled order of its points, so that each of
    /// them is even by itself, but pairs are only random. Cost: O(log index).
    #[must_use]
    pub fn coordinate<R: Real>(&self, index: u32, dim: usize) -> R {
        let bits =
            if dim < DIMS { raw(index, dim) } else { raw(scramble(index, self.key(dim) ^ 0x5bd1_e995), 0) };
        fraction(u64::from(scramble(bits, self.key(dim))) << 32)
    }

    /// The key of the scrambling of one dimension.
    #[must_use]
    pub const fn key(&self, dim: usize) -> u32 {
        (hash(self.seed, dim as u64) >> 32) as u32
    }
}

/// The unscrambled coordinate as a fraction of 2³², in the order of the index (not of its Gray code); 0 beyond
/// [`DIMS`].
pub(crate) fn raw(index: u32, dim: usize) -> u32 {
    if dim == 0 {
        return index.reverse_bits();
    }
    let directions = directions(dim, 32 - index.leading_zeros() as usize);
    directions.iter().enumerate().fold(0, |x, (k, &v)| if index >> k & 1 == 1 { x ^ v } else { x })
}

/// The first `count` direction numbers v₁, v₂, … of a dimension; the others, and all beyond [`DIMS`], are 0.
///
/// ```text
/// v_k = m_k 2³²⁻ᵏ                                                              k ≤ s
/// v_k = a₁ v_{k−1} ⊕ … ⊕ a_{s−1} v_{k−s+1} ⊕ v_{k−s} ⊕ ⌊v_{k−s} / 2ˢ⌋          k > s
/// ```
///
/// # References
/// Joe and Kuo (2008), for the polynomial xˢ + a₁xˢ⁻¹ + … + 1.
#[must_use]
pub fn directions(dim: usize, count: usize) -> [u32; 32] {
    let mut v = [0u32; 32];
    let count = count.min(32);
    if dim == 0 {
        (0..count).for_each(|k| v[k] = 1 << (31 - k));
    } else if dim < DIMS {
        let polynomial = POLYNOMIALS[dim - 1];
        let degree = polynomial.ilog2() as usize;
        let initial = &INITIAL[usize::from(OFFSETS[dim - 1])..][..degree];
        for k in 0..count {
            v[k] = if k < degree {
                u32::from(initial[k]) << (31 - k)
            } else {
                let first = v[k - degree] ^ v[k - degree] >> degree;
                (1..degree)
                    .fold(first, |x, j| if polynomial >> (degree - j) & 1 == 1 { x ^ v[k - j] } else { x })
            };
        }
    }
    v
}

/// Owen's nested uniform scrambling: whether a bit is flipped depends on the bits above it, and on the key.
///
/// # References
/// Laine and Karras (2011), Stratified sampling for stochastic transparency; Burley (2020), with the
/// constants of Vegdahl (2021), Building a better LK hash.
pub(crate) const fn scramble(x: u32, key: u32) -> u32 {
    let mut x = x.reverse_bits();
    // Odd factors and even factors with xor let a bit act on higher ones only.
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(key);
    x = x.wrapping_mul((key >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

/// Where the initial numbers of each polynomial start.
const OFFSETS: [u16; POLYNOMIALS.len()] = {
    let mut offsets = [0; POLYNOMIALS.len()];
    let mut i = 1;
    while i < offsets.len() {
        offsets[i] = offsets[i - 1] + POLYNOMIALS[i - 1].ilog2() as u16;
        i += 1;
    }
    offsets
};

#[cfg(test)]
mod tests {
    use super::{DIMS, Sequence, raw, scramble};
    use crate::space::hash::hash;
    use std::vec;

    /// Values of `scipy.stats.qmc.Sobol(128, scramble=False, bits=32)` 1.17.1, which goes by the Gray code.
    #[test]
    fn raw_points_agree_with_scipy() {
        for (i, dim, expected) in [
            (1, 0, 2_147_483_648),
            (3, 1, 3_221_225_472),
            (5, 2, 536_870_912),
            (13, 7, 2_415_919_104),
            (27, 40, 939_524_096),
            (45, 63, 1_677_721_600),
            (50, 100, 2_751_463_424),
            (63, 127, 2_751_463_424),
            (123_456, 0, 113_803_264),
            (123_456, 1, 784_891_904),
            (123_456, 5, 872_972_288),
            (123_456, 31, 325_156_864),
            (123_456, 63, 4_089_413_632),
            (123_456, 90, 3_132_588_032),
            (123_456, 127, 2_489_417_728),
        ] {
            assert_eq!(raw(i ^ i >> 1, dim), expected, "point {i} dimension {dim}");
        }
        assert_eq!(raw(5, DIMS), 0);
    }

    #[test]
    fn every_dimension_is_stratified() {
        let sequence = Sequence { seed: 42 };
        for dim in (0..DIMS + 40).chain([100_000]) {
            for (start, n) in [(0, 256u32), (768, 256), (4096, 64)] {
                let mut seen = vec![false; n as usize];
                for i in start..start + n {
                    let x: f64 = sequence.coordinate(i, dim);
                    let single: f32 = sequence.coordinate(i, dim);
                    assert!((0.0..1.0).contains(&x) && (0.0..1.0).contains(&single));
                    assert_eq!((x * f64::from(n)) as u32, (single * n as f32) as u32);
                    seen[(x * f64::from(n)) as usize] = true;
                }
                assert!(seen.iter().all(|&s| s), "dimension {dim}");
            }
        }
    }

    /// The first two dimensions are a (0, m, 2)-net in base 2: one point in every box of area 2⁻ᵐ.
    #[test]
    fn scrambling_keeps_the_net() {
        for seed in 0..8 {
            let sequence = Sequence { seed };
            for bits in 0..=8 {
                let (rows, columns) = (1u32 << bits, 256u32 >> bits);
                let mut seen = [false; 256];
                for i in 0..256 {
                    let x: f64 = sequence.coordinate(i, 0);
                    let y: f64 = sequence.coordinate(i, 1);
                    let cell = (x * f64::from(rows)) as u32 * columns + (y * f64::from(columns)) as u32;
                    seen[cell as usize] = true;
                }
                assert!(seen.iter().all(|&s| s), "seed {seed}");
            }
        }
    }

    /// A common prefix stays common and nothing else does, and every bit is flipped for half of the keys.
    #[test]
    fn scrambling_is_nested_and_even() {
        let mut flips = [0u32; 32];
        for k in 0..4000u64 {
            let (x, key) = (hash(1, k) as u32, hash(2, k) as u32);
            for bit in [0, 7, 20, 31] {
                let (a, b) = (scramble(x, key), scramble(x ^ 1 << bit, key));
                assert_eq!((a ^ b).leading_zeros(), 31 - bit);
            }
            (0..32).for_each(|bit| flips[bit] += (scramble(0x1234_5678, key) ^ 0x1234_5678) >> bit & 1);
        }
        // Six standard deviations: 2000 ± 6·√1000.
        assert!(flips.iter().all(|&f| (f64::from(f) - 2000.0).abs() < 190.0), "{flips:?}");
    }
}
