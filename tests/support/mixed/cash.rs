//! A choice of an algorithm with its parameters, without the algorithms.

use super::Mixed;
use infill::{Condition, Param, When};

/// The least and the most branches.
pub const BRANCHES: std::ops::RangeInclusive<usize> = 3..=9;

/// What is added in each branch.
const OFFSETS: [f64; 9] = [0.14, 0.0, 0.05, 0.12, 0.08, 0.10, 0.15, 0.06, 0.11];

/// A scale of a parameter.
#[derive(Clone, Copy)]
enum Scale {
    Real(f64, f64),
    Log(f64, f64),
    Whole(i64, i64),
    /// Whole numbers, uniform in their exponent.
    Octaves(i64, i64),
}

/// Scales of the branches: the first seven as of nearest neighbours, radial and linear support vectors, a tree, a forest,
/// boosting and quadratic discriminants.
const SCALES: [&[Scale]; 9] = [
    &[Scale::Whole(1, 30)],
    &[Scale::Log(1e-5, 1e5), Scale::Log(1e-5, 1e5)],
    &[Scale::Log(1e-5, 1e5)],
    &[Scale::Whole(1, 10), Scale::Whole(2, 100), Scale::Whole(2, 100)],
    &[Scale::Whole(1, 30), Scale::Whole(1, 10), Scale::Whole(2, 100), Scale::Whole(2, 100)],
    &[Scale::Whole(1, 30)],
    &[Scale::Log(1e-3, 1e3)],
    &[Scale::Real(0.0, 1.0), Scale::Octaves(1, 1024)],
    &[Scale::Real(-5.0, 5.0), Scale::Log(1e-6, 1.0), Scale::Octaves(4, 400)],
];

/// One of 3 to 9 branches, each with parameters of its own.
///
/// ```text
/// f = cⱼ + Σ (uᵢ − oⱼᵢ)²,   u = the parameters of branch j = 1 … m, scaled to [0, 1]
/// oⱼᵢ = the value of parameter i nearest to frac(0.37 j + 0.21 i)
/// c = (0.14, 0, 0.05, 0.12, 0.08, 0.10, 0.15, 0.06, 0.11)
/// ```
///
/// The first parameter is the category of the branch. Minimum 0, in the second branch, whose two parameters are real and
/// on a log scale.
pub fn cash(branches: usize) -> Mixed {
    assert!(BRANCHES.contains(&branches), "{branches} branches");
    let mut params = vec![Param::categorical(branches as u32)];
    let mut conditions = Vec::new();
    let mut firsts = Vec::new();
    let mut minimiser = vec![1.0];
    for (j, scales) in SCALES[..branches].iter().enumerate() {
        firsts.push(params.len());
        for (i, scale) in scales.iter().enumerate() {
            conditions.push(Condition::new(params.len() as u32, 0, When::Equals(j as f64)));
            params.push(scale.param());
            minimiser.push(scale.value(best(j, i)));
        }
    }
    let function = move |x: &[f64]| {
        let j = x[0] as usize;
        let own = SCALES[j].iter().zip(&x[firsts[j]..]).enumerate();
        OFFSETS[j]
            + own
                .map(|(i, (scale, &v))| (scale.unit(v) - scale.unit(scale.value(best(j, i)))).powi(2))
                .sum::<f64>()
    };
    Mixed {
        name: format!("cash-{branches}"),
        params,
        conditions,
        branches: branches as u32,
        minimum: 0.0,
        minimiser,
        function: Box::new(function),
    }
}

/// Where parameter i of branch j should be, both from 0.
fn best(j: usize, i: usize) -> f64 {
    (0.37 * (j + 1) as f64 + 0.21 * (i + 1) as f64).fract()
}

impl Scale {
    fn param(self) -> Param<'static> {
        match self {
            Self::Real(lo, hi) => Param::real(lo, hi),
            Self::Log(lo, hi) => Param::real(lo, hi).log(),
            Self::Whole(lo, hi) => Param::integer(lo, hi),
            Self::Octaves(lo, hi) => Param::integer(lo, hi).log(),
        }
    }

    /// A value in [0, 1].
    fn unit(self, value: f64) -> f64 {
        match self {
            Self::Real(lo, hi) => (value - lo) / (hi - lo),
            Self::Log(lo, hi) => (value / lo).ln() / (hi / lo).ln(),
            Self::Whole(lo, hi) => (value - lo as f64) / (hi - lo) as f64,
            Self::Octaves(lo, hi) => (value / lo as f64).ln() / (hi as f64 / lo as f64).ln(),
        }
    }

    /// The value nearest to one in [0, 1].
    fn value(self, unit: f64) -> f64 {
        match self {
            Self::Real(lo, hi) => lo + (hi - lo) * unit,
            Self::Log(lo, hi) => lo * (hi / lo).powf(unit),
            Self::Whole(lo, hi) => (lo as f64 + (hi - lo) as f64 * unit).round(),
            Self::Octaves(lo, hi) => (lo as f64 * (hi as f64 / lo as f64).powf(unit)).round(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn minimum_is_in_the_second_branch() {
        let mut random = SplitMix64::new(2);
        for branches in BRANCHES {
            let problem = cash(branches);
            problem.space();
            assert!(problem.value(&problem.minimiser).abs() < 1e-12);
            for j in (0..branches).filter(|&j| j != 1) {
                let mut x = problem.minimiser.clone();
                x[0] = j as f64;
                assert_eq!(problem.value(&x), OFFSETS[j]);
            }
            for _ in 0..1000 {
                let scales = SCALES[..branches].concat();
                let mut x = vec![random.below(branches) as f64];
                x.extend(scales.iter().map(|scale| scale.value(random.uniform())));
                assert!(problem.value(&x) >= OFFSETS[x[0] as usize]);
            }
        }
    }

    #[test]
    fn seven_branches_are_those_of_the_literature() {
        let problem = cash(7);
        assert_eq!(problem.dims(), 14);
        let dims: Vec<usize> = (0..7)
            .map(|j| problem.conditions.iter().filter(|c| c.when == When::Equals(f64::from(j))).count())
            .collect();
        assert_eq!(dims, [1, 2, 1, 3, 4, 1, 1]);
    }

    #[test]
    fn only_the_branch_that_is_chosen_counts() {
        let problem = cash(9);
        let mut x = problem.minimiser.clone();
        (4..x.len()).for_each(|i| x[i] = f64::NAN);
        x[1] = f64::NAN;
        assert!(problem.value(&x).abs() < 1e-12);
    }

    #[test]
    fn a_value_by_hand() {
        // Branch 2, both exponents in the middle: o = (0.95, 0.16), (0.5 − 0.95)² + (0.5 − 0.16)² = 0.3181.
        let mut x = cash(3).minimiser;
        (x[2], x[3]) = (1.0, 1.0);
        assert!((cash(3).value(&x) - 0.3181).abs() < 1e-12);
    }
}
