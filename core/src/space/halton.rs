//! The Halton sequence with random digits: every point on its own, from its index.

use super::hash::{hash, permute};
use super::sample::fraction;

/// The scrambled radical inverse of an index in a prime base, in `[0, 1]`.
///
/// ```text
/// x = Σₖ πₖ(digit k of the index) b⁻ᵏ⁻¹,  πₖ a random permutation of 0 … b − 1
/// ```
///
/// Digits that no 32-bit index reaches are zeros, whose images together are one random number. Cost: O(32 / log b).
///
/// # References
/// Halton (1960); Owen (2017), A randomized Halton algorithm in R.
pub(super) fn radical_inverse(index: u32, base: u32, key: u64) -> f64 {
    let (mut rest, mut scale, mut x, mut digit) = (index, 1.0, 0.0, 0u64);
    while scale > LAST {
        scale /= f64::from(base);
        x += scale * f64::from(permute(rest % base, base, (hash(key, digit) >> 32) as u32));
        rest /= base;
        digit += 1;
    }
    x + scale * fraction::<f64>(hash(key, digit))
}

/// The weight after which every 32-bit index is used up: 2⁻³².
const LAST: f64 = 1.0 / 4_294_967_296.0;

/// The smallest prime beyond a number. Cost: O(√p) per candidate.
pub(super) fn next_prime(after: u32) -> u32 {
    let composite = |n: u32| (2..n).take_while(|&f| f <= n / f).any(|f| n.is_multiple_of(f));
    (after.max(1).saturating_add(1)..=u32::MAX).find(|&n| !composite(n)).unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use super::{next_prime, radical_inverse};
    use std::vec;

    #[test]
    fn primes() {
        let mut p = 0;
        for expected in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47] {
            p = next_prime(p);
            assert_eq!(p, expected);
        }
        assert_eq!(next_prime(7907), 7919);
        assert_eq!(next_prime(u32::MAX - 4), 2);
    }

    /// Any bᵏ consecutive points from a multiple of bᵏ fall one into each interval of width b⁻ᵏ.
    #[test]
    fn each_base_is_stratified() {
        for (base, n) in [(2, 256), (3, 243), (5, 125), (7, 343), (53, 53), (541, 541)] {
            for start in [0, 6 * n] {
                let mut seen = vec![false; n as usize];
                for i in start..start + n {
                    let x = radical_inverse(i, base, 99);
                    assert!((0.0..1.0).contains(&x));
                    seen[(x * f64::from(n)) as usize] = true;
                }
                assert!(seen.iter().all(|&s| s), "base {base}");
            }
        }
    }
}
