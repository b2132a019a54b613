//! Mixed-integer NK landscapes.

use super::Mixed;
use crate::random::SplitMix64;
use infill::Param;

/// Variables.
const N: usize = 15;
/// The first category: reals and whole numbers stand before.
const BINARY: usize = 10;

/// A mixed-integer NK landscape: fifteen terms, each of one variable and `k` others.
///
/// ```text
/// f(x) = 1/N Σ Fᵢ(uᵢ; k others),   N = 15, u = x scaled to [0, 1]
/// r ∈ [−10, 10]⁵, z ∈ {0 … 19}⁵, d of 2 categories each
/// ```
///
/// Fᵢ is linear in each variable between 2ᵏ⁺¹ corners, whose values are uniform on [0, 1); the others are drawn without
/// repetition. f is linear in each variable too, so that its minimum is at one of 2¹⁵ corners and found by trying them.
///
/// # References
/// Li, Emmerich, Eggermont, Bovenkamp, Bäck, Dijkstra, Reiber, "Mixed-integer NK landscapes", 2006.
pub fn landscape(k: usize, seed: u64) -> Mixed {
    assert!(k < N, "{k} others of {N}");
    let terms = terms(k, seed);
    let corner = |bits: usize| -> f64 {
        // A corner of a term is the bits of its variables, the first the lowest.
        let index =
            |term: &Term| term.of.iter().enumerate().map(|(b, &v)| (bits >> v & 1) << b).sum::<usize>();
        terms.iter().map(|term| term.corners[index(term)]).sum::<f64>() / N as f64
    };
    let least = (0..1 << N).min_by(|&a, &b| corner(a).total_cmp(&corner(b))).expect("some corner");
    let mut params = vec![Param::real(-10.0, 10.0); 5];
    params.extend([Param::integer(0, 19); 5]);
    params.extend([Param::categorical(2); 5]);
    let bit = |v: usize| (least >> v & 1) as f64;
    let minimiser = (0..N).map(|v| {
        if v < 5 {
            20.0 * bit(v) - 10.0
        } else if v < BINARY {
            19.0 * bit(v)
        } else {
            bit(v)
        }
    });
    Mixed {
        name: format!("landscape-{k}"),
        params,
        conditions: Vec::new(),
        branches: 0,
        minimum: corner(least),
        minimiser: minimiser.collect(),
        function: Box::new(move |x| value(&terms, x)),
    }
}

/// One term: its variables in order, and the values at its corners.
struct Term {
    of: Vec<usize>,
    corners: Vec<f64>,
}

fn terms(k: usize, seed: u64) -> Vec<Term> {
    let mut random = SplitMix64::new(seed);
    let term = |i| {
        let mut of: Vec<usize> = random.permutation(N).into_iter().filter(|&v| v != i).take(k).collect();
        of.push(i);
        // Categories last, so that they are folded first and at no cost.
        of.sort_unstable();
        Term { of, corners: (0..1 << (k + 1)).map(|_| random.uniform()).collect() }
    };
    (0..N).map(term).collect()
}

fn value(terms: &[Term], x: &[f64]) -> f64 {
    let unit = |v: usize| {
        if v < 5 {
            (x[v] + 10.0) / 20.0
        } else if v < BINARY {
            x[v] / 19.0
        } else {
            x[v]
        }
    };
    let mut fold = Vec::new();
    let mut sum = 0.0;
    for term in terms {
        fold.clear();
        fold.extend_from_slice(&term.corners);
        // The last variable is the highest bit: its two halves become one.
        for &v in term.of.iter().rev() {
            let half = fold.len() / 2;
            let u = unit(v);
            if u == 1.0 {
                fold.copy_within(half.., 0);
            } else if u != 0.0 {
                let (low, high) = fold.split_at_mut(half);
                low.iter_mut().zip(high).for_each(|(a, b)| *a = (1.0 - u) * *a + u * *b);
            }
            fold.truncate(half);
        }
        sum += fold[0];
    }
    sum / terms.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(random: &mut SplitMix64) -> Vec<f64> {
        let mut x: Vec<f64> = (0..5).map(|_| random.between(-10.0, 10.0)).collect();
        x.extend((0..5).map(|_| random.below(20) as f64));
        x.extend((0..5).map(|_| random.below(2) as f64));
        x
    }

    #[test]
    fn minimum_is_taken_and_nothing_is_lower() {
        let mut random = SplitMix64::new(4);
        for k in [0, 1, 5, 14] {
            let problem = landscape(k, 9);
            assert!((problem.value(&problem.minimiser) - problem.minimum).abs() < 1e-12);
            for _ in 0..1000 {
                assert!(problem.value(&point(&mut random)) >= problem.minimum);
            }
        }
    }

    #[test]
    fn a_term_alone_is_the_expectation_over_random_corners() {
        // Linear between corners = mean over independent coins with odds u: a second formulation, by all corners.
        let mut random = SplitMix64::new(6);
        let terms = terms(3, 1);
        let x = point(&mut random);
        let u: Vec<f64> = (0..N)
            .map(|v| {
                if v < 5 {
                    (x[v] + 10.0) / 20.0
                } else if v < 10 {
                    x[v] / 19.0
                } else {
                    x[v]
                }
            })
            .collect();
        let mut expected = 0.0;
        for term in &terms {
            for (bits, corner) in term.corners.iter().enumerate() {
                let odds = term
                    .of
                    .iter()
                    .enumerate()
                    .map(|(b, &v)| if bits >> b & 1 == 1 { u[v] } else { 1.0 - u[v] });
                expected += corner * odds.product::<f64>() / 15.0;
            }
        }
        assert!((value(&terms, &x) - expected).abs() < 1e-14);
    }

    #[test]
    fn each_variable_is_in_its_term_with_distinct_others() {
        for k in [0, 1, 10, 14] {
            for (i, term) in terms(k, 3).iter().enumerate() {
                assert!(term.of.contains(&i) && term.of.len() == k + 1);
                assert!(term.of.windows(2).all(|pair| pair[0] < pair[1]));
                assert_eq!(term.corners.len(), 2 << k);
            }
        }
    }
}
