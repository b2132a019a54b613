//! Checksums that follow a change of few words without reading the others.
//!
//! ```text
//! sum = Σᵢ term(i, wordᵢ)   (mod 2⁶⁴)
//! ```

use core::ops::Range;

/// What a word at a place adds to a checksum.
///
/// One to one in the word, so that a change of a single word always changes the sum.
pub(crate) const fn term(at: usize, word: u64) -> u64 {
    let x = (word ^ (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 29)
}

/// The sum over a range of a block; what lies beyond its end counts as nothing.
pub(crate) fn sum(words: &[u64], range: Range<usize>) -> u64 {
    let words = words.get(range.start..range.end.min(words.len())).unwrap_or(&[]);
    (range.start..).zip(words).fold(0, |sum: u64, (at, &word)| sum.wrapping_add(term(at, word)))
}

/// A word mixed into a chain of words; their order counts.
///
/// One to one in each of its arguments.
pub(crate) const fn mix(sum: u64, word: u64) -> u64 {
    let x = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

#[cfg(test)]
mod tests {
    use super::{sum, term};

    #[test]
    fn any_change_and_any_exchange_of_words_is_noticed() {
        let words: [u64; 70] = core::array::from_fn(|i| [0, 1, 2, u64::MAX, 1 << 63][i % 5]);
        let whole = sum(&words, 0..70);
        for i in 0..70 {
            for bit in 0..64 {
                let mut other = words;
                other[i] ^= 1 << bit;
                assert_ne!(sum(&other, 0..70), whole, "{i} {bit}");
            }
            for j in (0..i).filter(|&j| words[i] != words[j]) {
                let mut other = words;
                other.swap(i, j);
                assert_ne!(sum(&other, 0..70), whole, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_sum_is_that_of_its_parts() {
        let words: [u64; 9] = core::array::from_fn(|i| i as u64 * 77);
        assert_eq!(sum(&words, 0..9), sum(&words, 0..4).wrapping_add(sum(&words, 4..99)));
        assert_eq!(sum(&words, 3..4), term(3, words[3]));
        assert_eq!(sum(&words, 10..12), 0);
    }
}
