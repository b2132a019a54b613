//! Multidimensional scaling: points of the plane whose distances are as given, as well as can be.

use crate::random::SplitMix64;

/// Places in the plane, from a full matrix of distances; the best of twenty starts, by majorisation of the stress.
///
/// ```text
/// stress(X) = Σᵢ<ⱼ (dᵢⱼ(X) − δᵢⱼ)²,   X ← B(X)X/n,   bᵢⱼ = −δᵢⱼ/dᵢⱼ(X), bᵢᵢ = −Σⱼ bᵢⱼ
/// ```
///
/// # References
/// Borg and Groenen, *Modern Multidimensional Scaling*, 2005, (8.29).
#[must_use]
pub fn places(count: usize, distances: &[f64]) -> Vec<(f64, f64)> {
    assert_eq!(distances.len(), count * count);
    let mut random = SplitMix64::new(1);
    let mut best = (f64::INFINITY, Vec::new());
    for _ in 0..20 {
        let mut places: Vec<(f64, f64)> = (0..count).map(|_| (random.normal(), random.normal())).collect();
        for _ in 0..300 {
            let place = |i: usize| {
                let mut sum = (0.0, 0.0);
                for j in 0..count {
                    let step = (places[i].0 - places[j].0, places[i].1 - places[j].1);
                    let length = step.0.hypot(step.1);
                    // What lies in one place has no direction.
                    let weight = if length > 0.0 { distances[i * count + j] / length } else { 0.0 };
                    sum = (sum.0 + weight * step.0, sum.1 + weight * step.1);
                }
                (sum.0 / count as f64, sum.1 / count as f64)
            };
            places = (0..count).map(place).collect();
        }
        let reached = stress(&places, distances);
        if reached < best.0 {
            best = (reached, places);
        }
    }
    best.1
}

/// The sum of the squared errors of the distances, each pair once.
fn stress(places: &[(f64, f64)], distances: &[f64]) -> f64 {
    let count = places.len();
    let error = |i: usize, j: usize| {
        let length = (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
        (length - distances[i * count + j]).powi(2)
    };
    (0..count).map(|i| (0..i).map(|j| error(i, j)).sum::<f64>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_the_plane_are_met() {
        let known = [(0.0_f64, 0.0_f64), (1.0, 0.0), (0.0, 2.0), (1.5, 1.5), (-1.0, 0.5), (-1.0, 0.5)];
        let distances: Vec<f64> =
            known.iter().flat_map(|a| known.map(|b| (a.0 - b.0).hypot(a.1 - b.1))).collect();
        let found = places(known.len(), &distances);
        // Majorisation is linear in its convergence: this is what three hundred steps leave.
        assert!(stress(&found, &distances) < 1e-6, "{}", stress(&found, &distances));
    }
}
