//! The generator that lives in the block, and the distributions that any generator can be asked for.
//!
//! A distribution takes any `rand_core` generator. What it draws depends on the generator's words only, and each
//! rejection is bounded: even a broken generator cannot hold up a call.

use core::convert::Infallible;

use rand_core::{Rng, SeedableRng, TryRng};

use crate::error::Error;
use crate::real::Real;
use crate::stats::normal;

/// The generator xoshiro256++: four words of state, period 2²⁵⁶ − 1; not for secrets.
///
/// # References
/// Blackman and Vigna, *Scrambled Linear Pseudorandom Number Generators*, ACM TOMS 47(4), 2021.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    state: [u64; 4],
}

impl Generator {
    /// The generator of a seed: its state is the first four words of SplitMix64.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut counter = seed;
        let mut state = [0; 4];
        for word in &mut state {
            *word = split_mix(&mut counter);
        }
        // SplitMix64 visits each word once in its period, so that four zeros in a row cannot come.
        Self { state }
    }

    /// The generator that had this state.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if all four words are 0, a state that is never reached and never left.
    pub(crate) fn from_words(words: [u64; 4]) -> Result<Self, Error> {
        if words == [0; 4] { Err(Error::Corrupt) } else { Ok(Self { state: words }) }
    }

    /// The state, to be kept and given to `from_words` later.
    pub(crate) fn words(&self) -> [u64; 4] {
        self.state
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }
}

impl TryRng for Generator {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        for chunk in dst.chunks_mut(8) {
            for (byte, value) in chunk.iter_mut().zip(self.next().to_le_bytes()) {
                *byte = value;
            }
        }
        Ok(())
    }
}

impl SeedableRng for Generator {
    type Seed = [u8; 32];

    /// The state itself, little-endian; a seed of zeros is that of [`Generator::new`] with 0.
    fn from_seed(seed: [u8; 32]) -> Self {
        let mut state = [0u64; 4];
        for (word, bytes) in state.iter_mut().zip(seed.chunks_exact(8)) {
            *word = bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u64::from(byte));
        }
        Self::from_words(state).unwrap_or_else(|_| Self::new(0))
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::new(seed)
    }
}

/// Draws after which a rejection sampler settles for its last proposal; a good generator gets there with a
/// probability below 2⁻⁶⁴.
const TRIES: u32 = 64;

/// Uniform on [0, 1): a multiple of 2⁻⁵³ in `f64`, of 2⁻²⁴ in `f32`.
#[inline]
pub fn uniform<R: Real, G: Rng + ?Sized>(generator: &mut G) -> R {
    let word = generator.next_u64();
    if R::BYTES == 8 { R::of((word >> 11) as f64 * F64_STEP) } else { R::of((word >> 40) as f64 * F32_STEP) }
}

/// Uniform on (0, 1), symmetric about ½: an odd multiple of 2⁻⁵³ in `f64`, of 2⁻²⁴ in `f32`.
#[inline]
pub(crate) fn uniform_open<R: Real, G: Rng + ?Sized>(generator: &mut G) -> R {
    let word = generator.next_u64();
    if R::BYTES == 8 {
        R::of((word >> 11 | 1) as f64 * F64_STEP)
    } else {
        R::of((word >> 40 | 1) as f64 * F32_STEP)
    }
}

/// A whole number below `n`, each with the same probability; 0 if `n` is 0.
///
/// # References
/// Lemire, *Fast Random Integer Generation in an Interval*, ACM TOMACS 29(1), 2019, algorithm 5.
#[inline]
pub fn below<G: Rng + ?Sized>(generator: &mut G, n: u64) -> u64 {
    let mut product = u128::from(generator.next_u64()) * u128::from(n);
    if (product as u64) < n {
        // 2⁶⁴ mod n: the products below it are those that some results have too many of.
        let surplus = n.wrapping_neg() % n;
        for _ in 0..TRIES {
            if product as u64 >= surplus {
                break;
            }
            product = u128::from(generator.next_u64()) * u128::from(n);
        }
    }
    (product >> 64) as u64
}

/// Standard normal, by inversion: one word of the generator per draw.
///
/// ```text
/// Φ⁻¹(u),  u uniform on (0, 1)
/// ```
#[inline]
pub fn normal<R: Real, G: Rng + ?Sized>(generator: &mut G) -> R {
    normal::quantile(uniform_open(generator))
}

/// Exponential with mean 1: −ln u.
#[inline]
pub(crate) fn exponential<R: Real, G: Rng + ?Sized>(generator: &mut G) -> R {
    -uniform_open::<R, G>(generator).ln()
}

/// Gamma with the given shape and scale 1; NaN unless the shape is positive and finite.
///
/// ```text
/// d·v,  d = a − 1/3,  v = (1 + x/√(9d))³,  accepted if ln u < x²/2 + d − d·v + d·ln v
/// ```
///
/// For a shape a < 1 it is a draw of shape a + 1 times u^(1/a).
///
/// # References
/// Marsaglia and Tsang, *A Simple Method for Generating Gamma Variables*, ACM TOMS 26(3), 2000.
pub(crate) fn gamma<R: Real, G: Rng + ?Sized>(generator: &mut G, shape: R) -> R {
    if !(shape > R::ZERO && shape.is_finite()) {
        return R::NAN;
    }
    let (whole, factor) = if shape < R::ONE {
        (shape + R::ONE, (uniform_open::<R, G>(generator).ln() / shape).exp())
    } else {
        (shape, R::ONE)
    };
    let d = whole - R::of(1.0 / 3.0);
    let slope = R::ONE / (R::of(9.0) * d).sqrt();
    let mut v = R::ONE;
    for _ in 0..TRIES {
        let x: R = normal(generator);
        let u: R = uniform_open(generator);
        let root = R::ONE + slope * x;
        if root > R::ZERO {
            v = root * root * root;
            if u.ln() < R::HALF * x * x + d * (R::ONE - v + v.ln()) {
                break;
            }
        }
    }
    d * v * factor
}

/// Puts the items in a random order, each order with the same probability.
///
/// # References
/// Durstenfeld, *Algorithm 235: Random Permutation*, CACM 7(7), 1964.
pub(crate) fn shuffle<T, G: Rng + ?Sized>(generator: &mut G, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        let j = below(generator, i as u64 + 1) as usize;
        items.swap(i, j);
    }
}

/// 2⁻⁵³
const F64_STEP: f64 = 1.0 / 9_007_199_254_740_992.0;
/// 2⁻²⁴
const F32_STEP: f64 = 1.0 / 16_777_216.0;

/// The next word of SplitMix64, which spreads neighbouring seeds over all states.
///
/// # References
/// Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014.
fn split_mix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = *counter;
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use rand_core::{Rng, SeedableRng, TryRng};

    use super::{
        Generator, Infallible, below, exponential, gamma, normal, shuffle, split_mix, uniform, uniform_open,
    };
    use crate::error::Error;
    use crate::real::Real;

    /// The first ten outputs of the authors' C program for the state 1, 2, 3, 4.
    #[test]
    fn known_answers() {
        let mut generator = Generator::from_words([1, 2, 3, 4]).unwrap();
        let expected = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
            14_011_001_112_246_962_877,
            12_406_186_145_184_390_807,
            15_849_039_046_786_891_736,
            10_450_023_813_501_588_000,
        ];
        for word in expected {
            assert_eq!(generator.next_u64(), word);
        }
        let mut counter = 1_234_567;
        for word in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            assert_eq!(split_mix(&mut counter), word);
        }
    }

    #[test]
    fn the_state_can_be_kept() {
        let mut a = Generator::new(7);
        let _ = a.next_u64();
        let mut b = Generator::from_words(a.words()).unwrap();
        assert_eq!(a.next_u64(), b.next_u64());
        assert_eq!(Generator::from_words([0; 4]), Err(Error::Corrupt));
        assert_eq!(Generator::from_seed([0; 32]), Generator::new(0));
        assert_eq!(Generator::seed_from_u64(9), Generator::new(9));
        let mut seed = [0; 32];
        seed[0] = 1;
        seed[8] = 2;
        seed[31] = 3;
        assert_eq!(Generator::from_seed(seed).words(), [1, 2, 0, 3 << 56]);
        let mut bytes = [0; 11];
        let mut word = a.clone();
        a.fill_bytes(&mut bytes);
        assert_eq!(bytes[..8], word.next_u64().to_le_bytes());
        assert_eq!(bytes[8..], word.next_u64().to_le_bytes()[..3]);
    }

    /// A generator that says one word only.
    struct Constant(u64);

    impl TryRng for Constant {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.0 as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
            dst.fill(self.0 as u8);
            Ok(())
        }
    }

    #[test]
    fn a_broken_generator_neither_hangs_nor_leaves_the_range() {
        for word in [0, u64::MAX] {
            let g = &mut Constant(word);
            assert!((0.0..1.0).contains(&uniform::<f64, _>(g)) && (0.0..1.0).contains(&uniform::<f32, _>(g)));
            for open in [uniform_open::<f64, _>(g), f64::from(uniform_open::<f32, _>(g))] {
                assert!(open > 0.0 && open < 1.0);
            }
            assert!(normal::<f64, _>(g).is_finite() && normal::<f32, _>(g).is_finite());
            assert!(exponential::<f32, _>(g) > 0.0);
            assert!(gamma(g, 0.3f64) >= 0.0 && gamma(g, 4.0f32) > 0.0);
            assert!(below(g, 3) < 3 && below(g, u64::MAX) < u64::MAX && below(g, 0) == 0 && below(g, 1) == 0);
            let dynamic: &mut dyn Rng = g;
            assert!(below(dynamic, 10) < 10);
        }
    }

    #[test]
    fn nonsense_shapes_give_nan() {
        let g = &mut Generator::new(1);
        for shape in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(gamma(g, shape).is_nan());
        }
    }

    /// Every count is within five standard deviations of n/k; the seed is fixed, so this cannot fail by chance.
    #[test]
    fn whole_numbers_are_even() {
        let g = &mut Generator::new(2);
        for k in [2u64, 3, 7, 10] {
            let mut counts = [0u32; 10];
            let n = 70_000;
            for _ in 0..n {
                counts[below(g, k) as usize] += 1;
            }
            let mean = f64::from(n) / k as f64;
            for &count in &counts[..k as usize] {
                assert!((f64::from(count) - mean).abs() < 5.0 * mean.sqrt());
            }
        }
        // A quarter of all words must be rejected here; without that every third result comes twice as often.
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[(below(g, 3 << 62) % 3) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (f64::from(count) - 10_000.0).abs() < 500.0));
    }

    #[test]
    fn every_order_is_equally_likely() {
        let g = &mut Generator::new(3);
        let mut counts = [0u32; 27];
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            shuffle(g, &mut items);
            counts[items[0] * 9 + items[1] * 3 + items[2]] += 1;
        }
        let seen: Vec<u32> = counts.into_iter().filter(|&c| c > 0).collect();
        assert_eq!(seen.len(), 6);
        assert!(seen.iter().all(|&c| (f64::from(c) - 10_000.0).abs() < 500.0));
        shuffle(g, &mut [0u8; 0]);
        shuffle(g, &mut [0u8; 1]);
    }

    /// Largest distance between the empirical and the true distribution, times √n; above 1.95 one time in 1000.
    fn distance(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        draws.sort_by(f64::total_cmp);
        let n = draws.len() as f64;
        let mut worst: f64 = 0.0;
        for (i, &x) in draws.iter().enumerate() {
            let p = cdf(x);
            worst = worst.max(p - i as f64 / n).max((i as f64 + 1.0) / n - p);
        }
        worst * n.sqrt()
    }

    fn distributions<R: Real>(seed: u64) {
        let g = &mut Generator::new(seed);
        let n = 20_000;
        let mut draw =
            |f: &dyn Fn(&mut Generator) -> R| -> Vec<f64> { (0..n).map(|_| f(g).to_f64()).collect() };
        assert!(distance(draw(&|g| uniform(g)), |x| x) < 1.95);
        assert!(distance(draw(&|g| uniform_open(g)), |x| x) < 1.95);
        assert!(distance(draw(&|g| normal(g)), normal::cdf) < 1.95);
        assert!(distance(draw(&|g| exponential(g)), |x| 1.0 - (-x).exp()) < 1.95);
        // Gamma of shape 2 and ½ have closed forms: 1 − (1 + x)e⁻ˣ and erf √x = 2Φ(√(2x)) − 1.
        assert!(distance(draw(&|g| gamma(g, R::TWO)), |x| 1.0 - (1.0 + x) * (-x).exp()) < 1.95);
        let half = |x: f64| 2.0 * normal::cdf((2.0 * x).sqrt()) - 1.0;
        assert!(distance(draw(&|g| gamma(g, R::HALF)), half) < 1.95);
        let normals = draw(&|g| normal(g));
        let moment = |k: i32| normals.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
        // Standard errors √(1/n), √(2/n), √(15/n), √(96/n), five times.
        for (k, value, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            assert!((moment(k) - value).abs() < 5.0 * (variance / f64::from(n)).sqrt());
        }
    }

    #[test]
    fn distributions_pass_kolmogorov_and_moments() {
        distributions::<f64>(4);
        distributions::<f32>(5);
    }
}
