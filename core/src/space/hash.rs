//! Random numbers without state: a word from a few indices, and a permutation that needs no array.

/// A well-mixed word, the same for the same key and index.
///
/// # References
/// Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators: the finalizer of SplitMix64.
pub(crate) const fn hash(key: u64, index: u64) -> u64 {
    let z = key.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Where a random permutation of `0 … count − 1` sends an index; 0 if `count` is 0.
///
/// Every step is a bijection on the next power of two; indices that land beyond `count` walk on, less than once
/// on average.
///
/// # References
/// Kensler (2013), Correlated multi-jittered sampling.
pub(crate) fn permute(index: u32, count: u32, key: u32) -> u32 {
    if count < 2 {
        return 0;
    }
    let mask = u32::MAX >> (count - 1).leading_zeros();
    let mut i = index % count;
    loop {
        i ^= key;
        i = i.wrapping_mul(0xe170_893d);
        i ^= key >> 16;
        i ^= (i & mask) >> 4;
        i ^= key >> 8;
        i = i.wrapping_mul(0x0929_eb3f);
        i ^= key >> 23;
        i ^= (i & mask) >> 1;
        i = i.wrapping_mul(1 | key >> 27);
        i = i.wrapping_mul(0x6935_fa69);
        i ^= (i & mask) >> 11;
        i = i.wrapping_mul(0x74dc_b303);
        i ^= (i & mask) >> 2;
        i = i.wrapping_mul(0x9e50_1cc3);
        i ^= (i & mask) >> 2;
        i = i.wrapping_mul(0xc860_a3df);
        i &= mask;
        i ^= i >> 5;
        if i < count {
            break;
        }
    }
    ((u64::from(i) + u64::from(key)) % u64::from(count)) as u32
}

#[cfg(test)]
mod tests {
    use super::{hash, permute};
    use std::vec;

    #[test]
    fn permutations_hit_everything_once() {
        for count in (1..70).chain([127, 128, 129, 1000]) {
            for key in [0, 1, u32::MAX, 0xdead_beef, hash(7, u64::from(count)) as u32] {
                let mut seen = vec![false; count as usize];
                (0..count).for_each(|i| seen[permute(i, count, key) as usize] = true);
                assert!(seen.iter().all(|&s| s), "{count} {key}");
            }
        }
        assert_eq!(permute(3, 0, 9), 0);
        assert!(permute(u32::MAX, u32::MAX, 5) < u32::MAX);
    }

    /// Over keys, an index goes everywhere about equally often.
    #[test]
    fn permutations_are_even() {
        let (count, keys) = (7u32, 14_000u64);
        for index in 0..count {
            let mut counts = [0u32; 7];
            for key in 0..keys {
                counts[permute(index, count, hash(1, key) as u32) as usize] += 1;
            }
            // Six standard deviations of a binomial count with p = 1/7.
            assert!(counts.iter().all(|&c| (f64::from(c) - 2000.0).abs() < 6.0 * 41.4), "{counts:?}");
        }
    }
}
