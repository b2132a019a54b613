//! Random partitions of space by cuts that arrive in time: Mondrian trees.
//!
//! In a box with sides Lₖ, the next cut comes after a time ~ Exp(Σ λₖLₖ), in dimension k with probability
//! λₖLₖ/Σ λⱼLⱼ, at a uniform place; both parts go on by themselves until time 1. Two points share a cell with
//! probability
//!
//! ```text
//! P(same cell of a and b) = exp(−Σ λₖ|aₖ − bₖ|)
//! ```
//!
//! the Laplace kernel of length scales 1/λₖ, and so does the mean over trees, with an error that falls as the root of
//! their number. A tree is never built: the cuts on the way to a point are drawn from a hash of the tree and of the way
//! so far, the same for every point that goes there.
//!
//! # References
//! Roy and Teh, "The Mondrian process", 2008; Balog, Lakshminarayanan, Ghahramani, Roy and Teh, "The Mondrian kernel", 2016.

use crate::real::Real;

/// Where every box ends: the unit cube, and −1 for what is inactive.
const ENDS: (f64, f64) = (-1.0, 1.0);
/// Cuts on the way to a point; the cell of so many is small beyond telling.
const CUTS: u32 = 1 << 10;

/// The cell of a point of [−1, 1]ᵈ below a root, with these cuts per unit of length and of time: points in the same cell
/// have the same number, those in others another (but for one pair in 2⁶⁴). Points beyond the box count as on its edge.
///
/// `sides` is working memory of twice the coordinates. Cost: O(d) for each cut on the way, of which there are
/// O(Σ ln(1 + λₖ)).
pub(super) fn descend<R: Real>(root: u64, rates: &[R], point: &[R], sides: &mut [R]) -> u64 {
    #[cfg(test)]
    tests::WAYS.set(tests::WAYS.get() + 1);
    let (low, high) = sides.split_at_mut(point.len());
    low.fill(R::of(ENDS.0));
    high.fill(R::of(ENDS.1));
    let (mut way, mut time) = (root, R::ZERO);
    for _ in 0..CUTS {
        let mut total = R::ZERO;
        for ((&rate, l), h) in rates.iter().zip(&*low).zip(&*high) {
            total += rate * (*h - *l);
        }
        time -= unit::<R>(mix(way, 0)).ln() / total;
        // Without cuts the time is infinite.
        if time >= R::ONE || time.is_nan() {
            break;
        }
        let mut rest = unit::<R>(mix(way, 1)) * total;
        let mut side = 2;
        for k in 0..point.len() {
            let width = rates[k] * (high[k] - low[k]);
            if rest < width {
                let cut = low[k] + rest / rates[k];
                let above = point[k] >= cut;
                if above {
                    low[k] = cut
                } else {
                    high[k] = cut
                }
                side = 2 + u64::from(above);
                break;
            }
            rest -= width;
        }
        way = mix(way, side);
    }
    way
}

/// Ways down a tree that this thread has gone since it was last asked.
#[cfg(test)]
pub(crate) fn ways_gone() -> usize {
    tests::WAYS.replace(0)
}

/// A well-mixed word of two.
///
/// # References
/// Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators: the finalizer of SplitMix64.
pub(super) const fn mix(key: u64, index: u64) -> u64 {
    let z = key.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number between 0 and 1, both excluded (in `f64`), from a word.
pub(super) fn unit<R: Real>(word: u64) -> R {
    R::of(((word >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    std::thread_local! {
        pub(super) static WAYS: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
    }

    /// The cell of a point in a tree of a seed.
    fn cell<R: Real>(seed: u64, tree: u32, rates: &[R], point: &[R], sides: &mut [R]) -> u64 {
        descend(mix(seed, u64::from(tree)), rates, point, sides)
    }

    /// The part of the first `trees` trees of a seed in which two points share a cell.
    fn similarity<R: Real>(seed: u64, trees: u32, rates: &[R], a: &[R], b: &[R]) -> f64 {
        let mut sides = std::vec![R::ZERO; 2 * a.len()];
        let shared =
            |&tree: &u32| cell(seed, tree, rates, a, &mut sides) == cell(seed, tree, rates, b, &mut sides);
        (0..trees).filter(shared).count() as f64 / f64::from(trees)
    }

    /// Two worked pairs; the error of 10⁵ trees is below five deviations of 1.6e-3.
    #[test]
    fn cells_are_shared_as_the_laplace_kernel_says() {
        let pairs: [(f64, &[f64], &[f64], f64); 2] = [
            (4.0 / 3.0, &[0.2, 0.3], &[0.5, 0.35], 0.62709),
            (2.0, &[0.1, 0.9, 0.4, 0.5], &[0.15, 0.4, 0.4, 0.7], 0.22313),
        ];
        for (rate, a, b, expected) in pairs {
            let rates = std::vec![rate; a.len()];
            let got = similarity(5, 100_000, &rates, a, b);
            let exact = (-rate * a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>()).exp();
            assert!((exact - expected).abs() < 5e-6);
            let deviation = (exact * (1.0 - exact) / 1e5).sqrt();
            assert!((got - exact).abs() < 4.0 * deviation, "{got} {exact}");
        }
    }

    /// With a rate for each dimension, one of them 0, and a point that is inactive in one.
    #[test]
    fn rates_may_differ() {
        let (rates, a, b) = ([3.0, 0.0, 0.4], [0.2, 0.9, -1.0], [0.35, 0.1, 0.25]);
        let got = similarity(7, 40_000, &rates, &a, &b);
        let exact = (-(3.0 * 0.15 + 0.4 * 1.25f64)).exp();
        assert!((got - exact).abs() < 4.0 * (exact * (1.0 - exact) / 4e4).sqrt(), "{got} {exact}");
        let single = similarity(7, 40_000, &[3.0f32, 0.0, 0.4], &[0.2, 0.9, -1.0], &[0.35, 0.1, 0.25]);
        assert!((single - got).abs() < 1e-3);
    }

    #[test]
    fn the_error_falls_as_the_root_of_the_trees() {
        let (rates, a, b) = ([1.5, 2.5], [0.1, 0.6], [0.4, 0.5]);
        let exact = (-(0.45 + 0.25f64)).exp();
        let error = |trees: u32| {
            let squares =
                (0..200).map(|seed| (similarity(1000 + seed, trees, &rates, &a, &b) - exact).powi(2));
            (squares.sum::<f64>() / 200.0).sqrt()
        };
        for trees in [10, 40, 160, 640] {
            // The deviation over 200 repetitions is known to 5 %.
            let ratio = error(trees) / (exact * (1.0 - exact) / f64::from(trees)).sqrt();
            assert!((0.8..1.2).contains(&ratio), "{trees}: {ratio}");
        }
    }

    #[test]
    fn cells_are_boxes_and_odd_numbers_have_one() {
        let mut sides = [0.0; 2];
        for tree in 0..50 {
            // On a line the cells follow one another: none comes back.
            let mut seen = std::vec::Vec::new();
            for i in 0..=400 {
                let cell = cell(3, tree, &[4.0], &[f64::from(i) / 200.0 - 1.0], &mut sides);
                if seen.last() != Some(&cell) {
                    assert!(!seen.contains(&cell));
                    seen.push(cell);
                }
            }
        }
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            let _ = cell(3, 0, &[odd], &[0.2], &mut sides);
            let _ = cell(3, 0, &[4.0], &[odd], &mut sides);
        }
    }
}
