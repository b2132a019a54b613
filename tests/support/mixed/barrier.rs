//! The barrier function: levels in disorder.

use super::Mixed;
use crate::random::SplitMix64;
use infill::Param;

/// Values that each variable takes.
const LEVELS: usize = 20;
/// Variables of each kind.
const EACH: usize = 5;

/// Five reals, five whole numbers and five categories, each of twenty levels.
///
/// ```text
/// f(r, z, d) = Σ A[⌊rᵢ⌋]² + Σ A[zᵢ]² + Σ Bᵢ[dᵢ]²,   r ∈ [0, 19]⁵, z ∈ {0 … 19}⁵, d of 20 categories each
/// ```
///
/// A is 0 … 19 after so many `swaps` of random neighbours: the more, the higher the barriers. Bᵢ are random
/// permutations. Minimum 0.
///
/// # References
/// Li, Emmerich, Eggermont, Bovenkamp, Bäck, Dijkstra, Reiber, "Mixed-integer optimization of coronary vessel image
/// analysis using evolution strategies", 2006; as used by Guo, "A new approach towards the combined algorithm selection
/// and hyper-parameter optimization problem", 2019.
pub fn barrier(swaps: usize, seed: u64) -> Mixed {
    let (order, labels) = levels(swaps, seed);
    let place = |order: &[usize]| order.iter().position(|&level| level == 0).expect("a permutation") as f64;
    let mut params = vec![Param::real(0.0, LEVELS as f64 - 1.0); EACH];
    params.extend([Param::integer(0, LEVELS as i64 - 1); EACH]);
    params.extend([Param::categorical(LEVELS as u32); EACH]);
    let mut minimiser = vec![place(&order); 2 * EACH];
    minimiser.extend(labels.iter().map(|label| place(label)));
    let function = move |x: &[f64]| {
        let (numbers, categories) = x.split_at(2 * EACH);
        let numbers = numbers.iter().map(|&v| order[v as usize]);
        let categories = categories.iter().zip(&labels).map(|(&v, label)| label[v as usize]);
        numbers.chain(categories).map(|level| (level * level) as f64).sum()
    };
    Mixed {
        name: format!("barrier-{swaps}"),
        params,
        conditions: Vec::new(),
        branches: 0,
        minimum: 0.0,
        minimiser,
        function: Box::new(function),
    }
}

/// A and the five B.
fn levels(swaps: usize, seed: u64) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut random = SplitMix64::new(seed);
    let mut order: Vec<usize> = (0..LEVELS).collect();
    for _ in 0..swaps {
        let j = random.below(LEVELS - 1);
        order.swap(j, j + 1);
    }
    let labels = (0..EACH).map(|_| random.permutation(LEVELS)).collect();
    (order, labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_without_barriers_is_known() {
        // The mean of ⌊r⌋² for r on [0, 19) is 2109/19 = 111, of a level squared 2470/20 = 123.5.
        let problem = barrier(0, 3);
        let mut random = SplitMix64::new(8);
        let mut sum = 0.0;
        for _ in 0..100_000 {
            let mut x: Vec<f64> = (0..5).map(|_| random.between(0.0, 19.0)).collect();
            x.extend((0..10).map(|_| random.below(20) as f64));
            sum += problem.value(&x);
        }
        // 425.4/√10⁵ is the standard error, 1.35.
        assert!((sum / 1e5 - 1790.0).abs() < 5.0, "{}", sum / 1e5);
    }

    #[test]
    fn levels_are_permutations() {
        for swaps in [0, 1, 20, 1000] {
            let (order, labels) = levels(swaps, 5);
            for mut list in labels.into_iter().chain([order]) {
                list.sort_unstable();
                assert!(list.into_iter().eq(0..20));
            }
        }
        let moved = levels(1, 5).0.iter().enumerate().filter(|(i, level)| i != *level).count();
        assert_eq!(moved, 2);
    }

    #[test]
    fn minimum_is_taken_and_the_end_of_a_range_belongs_to_it() {
        let problem = barrier(100, 2);
        assert_eq!(problem.value(&problem.minimiser), 0.0);
        let mut one_off = problem.minimiser.clone();
        one_off[0] = if one_off[0] > 0.0 { one_off[0] - 1e-9 } else { 1.0 };
        assert!(problem.value(&one_off) >= 1.0);
        let plain = barrier(0, 2);
        let mut corner = plain.minimiser.clone();
        corner[0] = 19.0;
        assert_eq!(plain.value(&corner), 361.0);
        corner[0] = 18.999;
        assert_eq!(plain.value(&corner), 324.0);
    }
}
