//! Weights and rates of covariance matrix adaptation.

use super::Population;
use crate::real::Real;

/// What a generation changes, and by how much, as functions of d, μ and λ.
///
/// ```text
/// w'ᵢ = ln((λ + 1)/2) − ln i
/// wᵢ⁺ = w'ᵢ/Σw'⁺    of the parents
/// wᵢ⁻ = w'ᵢ/Σ|w'⁻| min(1 + c₁/c_μ, 1 + 2μ⁻/(μ_w + 2), (1 − c₁ − c_μ)/(d c_μ))
/// μ_w = (Σw'⁺)²/Σ(w'⁺)²,   μ⁻ = (Σw'⁻)²/Σ(w'⁻)²
/// ```
///
/// The first bound keeps C from growing by itself, the last one keeps it positive.
///
/// # References
/// Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv:1604.00772, table 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates<R> {
    offspring: usize,
    /// Individuals of positive weight.
    used: usize,
    above: R,
    below: R,
    /// μ_w.
    pub(super) mass: R,
    pub(super) c_sigma: R,
    pub(super) damping: R,
    pub(super) c_c: R,
    pub(super) c_1: R,
    pub(super) c_mu: R,
    /// The mean length of a vector of d standard normal numbers.
    pub(super) chi: R,
}

impl<R: Real> Rates<R> {
    pub(super) fn new(group: Population) -> Self {
        let Population { dims, parents, offspring, .. } = group;
        let d = R::of_usize(dims);
        // All parents have a positive weight if they are at most half.
        let positive = (0..parents).map(|i| raw::<R>(offspring, i)).take_while(|&w| w > R::ZERO);
        let (mut used, mut above, mut mass) = (0, R::ONE, R::ONE);
        let (sum, squares) = sums(positive.inspect(|_| used += 1));
        if used > 1 {
            (above, mass) = (sum, sum * sum / squares);
        } else {
            used = 1;
        }
        let c_sigma = (mass + R::TWO) / (d + mass + R::of(5.0));
        let excess = (((mass - R::ONE) / (d + R::ONE)).max(R::ZERO).sqrt() - R::ONE).max(R::ZERO);
        let damping = R::ONE + R::TWO * excess + c_sigma;
        let four = R::of(4.0);
        let c_c = (four + mass / d) / (d + four + R::TWO * mass / d);
        let c_1 = R::TWO / ((d + R::of(1.3)) * (d + R::of(1.3)) + mass);
        let gain = R::of(0.25) + mass + R::ONE / mass - R::TWO;
        let c_mu = (R::TWO * gain / ((d + R::TWO) * (d + R::TWO) + mass)).min(R::ONE - c_1);
        let chi = d.sqrt() * (R::ONE - R::ONE / (four * d) + R::ONE / (R::of(21.0) * d * d));

        let (sum, squares) = sums((used..offspring).map(|i| raw::<R>(offspring, i)).filter(|&w| w < R::ZERO));
        let mut below = R::ZERO;
        if sum < R::ZERO {
            let bound = (R::ONE + c_1 / c_mu)
                .min(R::ONE + R::TWO * (sum * sum / squares) / (mass + R::TWO))
                .min((R::ONE - c_1 - c_mu) / (d * c_mu));
            below = bound.max(R::ZERO) / -sum;
        }
        Self { offspring, used, above, below, mass, c_sigma, damping, c_c, c_1, c_mu, chi }
    }

    /// The weight of the individual of that rank, counted from zero.
    pub(super) fn weight(&self, rank: usize) -> R {
        if self.used == 1 && rank == 0 {
            return R::ONE;
        }
        let raw = raw::<R>(self.offspring, rank);
        if rank < self.used { raw / self.above } else { raw.min(R::ZERO) * self.below }
    }
}

/// The weight of a rank before it is scaled.
fn raw<R: Real>(offspring: usize, rank: usize) -> R {
    R::of((offspring as f64 + 1.0) / 2.0).ln() - R::of_usize(rank + 1).ln()
}

/// The sum of numbers and of their squares.
fn sums<R: Real>(numbers: impl Iterator<Item = R>) -> (R, R) {
    numbers.fold((R::ZERO, R::ZERO), |(sum, squares), w| (sum + w, squares + w * w))
}

#[cfg(test)]
mod tests {
    use super::{Population, Rates};

    /// The weights and rates that the package `cma` 4.5.0 of the tutorial's author has in 2, 10 and 40 dimensions.
    #[test]
    fn weights_are_those_of_the_tutorials_author() {
        let known: [(usize, &[f64], [f64; 4]); 3] = [
            (
                2,
                &[
                    0.6370425712412168,
                    0.28457025743803294,
                    0.07838717132075033,
                    -0.28638378259655295,
                    -0.7649580940851277,
                    -1.1559817781589212,
                ],
                [2.0286114646100617, 0.1548153998964136, 0.08559277942666424, 0.6245545390268264],
            ),
            (
                10,
                &[
                    0.45627264690340597,
                    0.2707530970017852,
                    0.16223111715866978,
                    0.08523354710016448,
                    0.025509591835974777,
                    -0.08001260758087224,
                    -0.22176416099914653,
                    -0.34455494178482093,
                    -0.45286408637842196,
                    -0.5497499176973853,
                ],
                [3.1672992814107017, 0.015283824524751714, 0.02355177665041747, 0.29499038303562225],
            ),
            (
                40,
                &[
                    0.34479619859202054,
                    0.22986413239468034,
                    0.16263318353883477,
                    0.11493206619734017,
                    0.07793220508496224,
                    0.04770111734149459,
                    0.02214109685066719,
                    0.0,
                    -0.057779082988114405,
                    -0.10946423394333288,
                    -0.1562191401812051,
                    -0.198903025377209,
                    -0.2381683934626,
                    -0.2745224460584475,
                    -0.3083672593205417,
                ],
                [4.5409152090759575, 0.0011694327252618397, 0.003405219643706347, 0.09300921663424917],
            ),
        ];
        for (dims, weights, [mass, c_1, c_mu, c_c]) in known {
            let group = Population::cma(dims, 1);
            assert_eq!(group.offspring, weights.len());
            let (double, single) = (Rates::<f64>::new(group), Rates::<f32>::new(group));
            for (i, &w) in weights.iter().enumerate() {
                assert!((double.weight(i) - w).abs() < 1e-14, "{dims} {i}: {}", double.weight(i));
                assert!((f64::from(single.weight(i)) - w).abs() < 1e-6, "{dims} {i}: {}", single.weight(i));
            }
            for (ours, theirs) in
                [(double.mass, mass), (double.c_1, c_1), (double.c_mu, c_mu), (double.c_c, c_c)]
            {
                assert!((ours - theirs).abs() < 1e-14 * theirs.max(1.0), "{dims}: {ours} {theirs}");
            }
        }
    }

    /// Whatever the sizes are, C stays positive, does not grow by itself, and the parents' weights sum to one.
    #[test]
    fn any_sizes() {
        for dims in [1, 2, 3, 7, 30, 500] {
            for offspring in [1usize, 2, 3, 4, 9, 40, 300] {
                for parents in [1, offspring.div_ceil(2), offspring] {
                    let rates = Rates::<f64>::new(Population { dims, parents, offspring, open: 1 });
                    let weights = (0..offspring).map(|i| rates.weight(i));
                    let above: f64 = weights.clone().filter(|&w| w > 0.0).sum();
                    let below: f64 = -weights.filter(|&w| w < 0.0).sum::<f64>();
                    assert!((above - 1.0).abs() < 1e-12, "{dims} {parents} {offspring}: {above}");
                    // The least that the kept part of C, less d times the negative weights in one direction, can be.
                    let keep = 1.0 - rates.c_1 - rates.c_mu * (above - below);
                    assert!(keep <= 1.0 + 1e-12 && keep - rates.c_mu * below * dims as f64 >= -1e-12);
                }
            }
        }
    }
}
