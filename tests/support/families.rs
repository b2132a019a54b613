//! Families of generated data sets: valleys that move with a hidden task, one that is reversed and one that says nothing.

use crate::grid::{Axis, Grid};
use crate::metadata::Metadata;
use crate::random::SplitMix64;

/// Data sets of a family, the last two among them.
const SETS: usize = 20;
/// Standard deviation of the ruggedness, where a valley is 1 deep.
const RUGGED: f64 = 0.02;

/// Valleys over two numbers of fifteen values each.
#[must_use]
pub fn valleys(seed: u64) -> Metadata {
    let axes = [Axis::levels(&POWERS), Axis::levels(&POWERS)];
    family(Grid::product(&axes, &[]), seed, |task, x| valley(task, x[0], x[1]))
}

/// Two methods with a number of their own and one without, beside a number that all have; which of them is best changes with the
/// task.
#[must_use]
pub fn branches(seed: u64) -> Metadata {
    let (_, ten) = POWERS.split_at(5);
    let axes = [Axis::category(&[0.0, 1.0, 2.0]), Axis::levels(ten), Axis::levels(ten), Axis::levels(ten)];
    let grid = Grid::product(&axes, &[(2, 0, 0.0), (3, 0, 1.0)]);
    family(grid, seed, |task, x| {
        if x[0] == 0.0 {
            0.3 * task + 0.7 * valley(task, x[1], x[2])
        } else if x[0] == 1.0 {
            0.3 * (1.0 - task) + 0.7 * valley(1.0 - task, x[3], x[1])
        } else {
            0.4 + 0.6 * (x[1] - task).powi(2)
        }
    })
}

const POWERS: [f64; 15] = {
    let mut levels = [1.0; 15];
    let mut i = 1;
    while i < 15 {
        levels[i] = 2.0 * levels[i - 1];
        i += 1;
    }
    levels
};

/// A valley that drifts with the task, as does its deepest place.
fn valley(task: f64, u: f64, v: f64) -> f64 {
    let across = v - (0.25 + 0.4 * task + 0.25 * (u - 0.5));
    let along = u - (0.8 - 0.5 * task);
    let depth = 1.0 - 0.6 * along * along;
    1.0 - depth * (-across * across / 0.08).exp() - 0.1 * depth
}

/// Data sets whose losses are those of their task, each with an offset, a scale and a ruggedness of its own; the task and something
/// unrelated are their meta-features.
fn family(grid: Grid, seed: u64, loss: impl Fn(f64, &[f64]) -> f64) -> Metadata {
    let mut random = SplitMix64::new(seed);
    let points: Vec<Vec<f64>> = (0..grid.configurations()).map(|x| grid.coordinates(x).collect()).collect();
    let (mut sets, mut losses) = (Vec::new(), Vec::new());
    for set in 0..SETS {
        let (offset, scale) = (random.between(0.0, 0.4), random.between(0.05, 0.5));
        // Tasks are spread evenly, so that each has a neighbour; the reversed one is in the middle of them.
        let task = if set < SETS - 2 { (set as f64 + random.uniform()) / (SETS - 2) as f64 } else { 0.5 };
        let features = vec![task, random.uniform()];
        let (name, sign) = match SETS - set {
            1 => ("constant".to_owned(), 0.0),
            2 => ("reversed".to_owned(), -1.0),
            3.. => (format!("task {task:.2}"), 1.0),
            0 => unreachable!("fewer than all"),
        };
        losses.extend(points.iter().map(|x| {
            let rugged = loss(task, x) + RUGGED * random.normal();
            offset + scale * sign * rugged
        }));
        sets.push((name, features));
    }
    Metadata::new(grid, sets, losses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use infill::transfer::ktrc;

    #[test]
    fn a_family_is_that_of_its_seed() {
        let losses = |seed| valleys(seed).rows().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(losses(1), losses(1));
        assert_ne!(losses(1), losses(2));
        assert_eq!(valleys(1).grid().thinned().count(), 25);
        assert_eq!((branches(1).configurations(), branches(1).grid().thinned().count()), (210, 21));
    }

    /// What the methods are asked to find out: neighbours are alike, those at the ends are not, one is the other way round.
    #[test]
    fn tasks_that_are_near_rank_alike() {
        for data in [valleys(7), branches(7)] {
            let distance = |a, b| ktrc(data.row(a), data.row(b)).unwrap();
            let (reversed, constant) = (SETS - 2, SETS - 1);
            let neighbours = (1..SETS - 2).map(|set| distance(set - 1, set)).fold(0.0, f64::max);
            assert!(neighbours < 0.3, "{neighbours}");
            assert!(distance(0, SETS - 3) > neighbours, "{}", distance(0, SETS - 3));
            assert!((0..reversed).all(|set| distance(set, reversed) > 0.5));
            let (lo, hi) = data.range(constant);
            assert_eq!(lo, hi);
        }
    }

    /// No configuration serves all of them, and each has its own scale.
    #[test]
    fn minima_and_ranges_differ() {
        for data in [valleys(7), branches(7)] {
            let best = |row: &[f64]| (0..row.len()).min_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
            let mut minima: Vec<usize> = data.rows().map(best).collect();
            minima.sort_unstable();
            minima.dedup();
            assert!(minima.len() > SETS / 3, "{minima:?}");
            let spread = |set| data.range(set).1 - data.range(set).0;
            let spreads = (0..SETS - 1).map(spread);
            let (lo, hi) = spreads.fold((f64::INFINITY, 0.0_f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
            assert!(hi > 2.0 * lo, "{lo} {hi}");
        }
    }
}
