//! A small generator for tests, independent of the one under test.

/// Steele, Lea and Flood's splitmix64: every seed is good, the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1), 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform on [a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.uniform()
    }

    /// Uniform on 0 … n − 1, with a bias below n/2⁵³.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// A random order of 0 … n − 1, by Fisher and Yates.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// Standard normal by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A random orthogonal matrix, row-major n × n, uniform over rotations and reflections: Gram–Schmidt (run
/// twice, which is enough for orthogonality to rounding) on normal vectors.
pub fn orthogonal(n: usize, seed: u64) -> Vec<f64> {
    let mut random = SplitMix64::new(seed);
    let mut matrix: Vec<f64> = (0..n * n).map(|_| random.normal()).collect();
    for i in 0..n {
        let (done, rest) = matrix.split_at_mut(i * n);
        let row = &mut rest[..n];
        for _ in 0..2 {
            for other in done.chunks_exact(n) {
                let dot: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= dot * b);
            }
            let norm = row.iter().map(|a| a * a).sum::<f64>().sqrt();
            row.iter_mut().for_each(|a| *a /= norm);
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        let expected = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn normal_has_its_moments() {
        let mut random = SplitMix64::new(5);
        let draws: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|z| z * z).sum::<f64>() / 1e5;
        // Five standard errors: 5/√n and 5·√(2/n).
        assert!(mean.abs() < 0.016 && (variance - 1.0).abs() < 0.023, "{mean} {variance}");
    }

    #[test]
    fn every_order_comes_up_alike() {
        let mut random = SplitMix64::new(7);
        let mut counts = std::collections::HashMap::new();
        (0..6000).for_each(|_| *counts.entry(random.permutation(3)).or_insert(0) += 1);
        // Five standard deviations of a count: √(6000 · 1/6 · 5/6) = 28.9.
        assert!(counts.len() == 6 && counts.values().all(|&n| (n - 1000_i32).abs() < 145), "{counts:?}");
    }

    #[test]
    fn orthogonal_is_orthogonal() {
        for n in [1, 2, 6, 20] {
            let q = orthogonal(n, 3);
            for i in 0..n {
                for j in 0..n {
                    let dot: f64 = (0..n).map(|k| q[i * n + k] * q[j * n + k]).sum();
                    assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-14);
                }
            }
        }
    }
}
