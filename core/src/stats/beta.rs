//! The distribution function of the beta distribution, with all of its derivatives.

use super::gamma::digamma;
use crate::real::Real;

/// The probability I(x; a, b) of a value below x, and its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Beta<R> {
    /// I(x; a, b)
    pub value: R,
    /// ∂I/∂x, the density; at an end where it is infinite, the largest number.
    pub by_x: R,
    /// ∂I/∂a
    pub by_a: R,
    /// ∂I/∂b
    pub by_b: R,
}

/// The regularised incomplete beta function with its derivatives, for x in [0, 1] and shapes between 2⁻⁷ and 2⁷.
///
/// ```text
/// I(x; a, b) = xᵃ(1 − x)ᵇ/(a·B(a, b))·1/(1 + d₁/(1 + d₂/(1 + …))),   I(x; a, b) = 1 − I(1 − x; b, a)
/// d₂ₘ = m(b − m)x/((a + 2m − 1)(a + 2m)),   d₂ₘ₊₁ = −(a + m)(a + b + m)x/((a + 2m)(a + 2m + 1))
/// ```
///
/// The fraction is taken where x < (a + 1)/(a + b + 2), and its derivatives by the shapes are carried along. NaN outside
/// of the domain. The relative error of the smaller of I and 1 − I is below (64 + 8·(a + b)·|ln (a + b)|)·ε, that of the
/// derivatives by the shapes, against the larger of |∂I| and I, four times that. Cost: at most 300 steps, mostly below 20.
///
/// # References
/// DLMF 8.17.22; Boik and Robison-Cox, *Derivatives of the Incomplete Beta Function*, Journal of Statistical Software
/// 3(1), 1998.
pub(crate) fn regularized<R: Real>(x: R, a: R, b: R) -> Beta<R> {
    let fits = |shape: R| shape >= R::of(1.0 / 128.0) && shape <= R::of(128.0);
    if !(x >= R::ZERO && x <= R::ONE && fits(a) && fits(b)) {
        return Beta { value: R::NAN, by_x: R::NAN, by_a: R::NAN, by_b: R::NAN };
    }
    if x == R::ZERO || x == R::ONE {
        let (near, far) = if x == R::ZERO { (a, b) } else { (b, a) };
        let by_x = if near > R::ONE {
            R::ZERO
        } else if near < R::ONE {
            R::MAX
        } else {
            far
        };
        return Beta { value: x, by_x, by_a: R::ZERO, by_b: R::ZERO };
    }
    let (log_x, y, log_y) = (x.ln(), R::ONE - x, (-x).ln_1p());
    let log_beta = a.ln_gamma() + b.ln_gamma() - (a + b).ln_gamma();
    let whole = digamma(a + b);
    let by_x = ((a - R::ONE) * log_x + (b - R::ONE) * log_y - log_beta).exp().min(R::MAX);
    let front = (a * log_x + b * log_y - log_beta).exp();
    let slopes = [log_x - digamma(a) + whole, log_y - digamma(b) + whole];
    if x * (a + b + R::TWO) < a + R::ONE {
        let [value, by_a, by_b] = lower(x, a, b, front, slopes);
        Beta { value: value.min(R::ONE), by_x, by_a, by_b }
    } else {
        let [value, by_b, by_a] = lower(y, b, a, front, [slopes[1], slopes[0]]);
        Beta { value: (R::ONE - value).max(R::ZERO), by_x, by_a: -by_a, by_b: -by_b }
    }
}

/// I(x; a, b) alone, for shapes between 2⁻⁷ and 2¹⁶, with y = 1 − x given so that neither end loses digits.
///
/// The fraction of [`regularized`]. NaN outside of the domain. The relative error of the smaller of I and 1 − I is below
/// (64 + 8·(a + b)·|ln (a + b)|)·ε. Cost: O(√(a + b)) steps, at most 2000.
#[cfg(feature = "std")]
pub(crate) fn below<R: Real>(x: R, y: R, a: R, b: R) -> R {
    let fits = |shape: R| shape >= R::of(1.0 / 128.0) && shape <= R::of(65_536.0);
    if !(x >= R::ZERO && y >= R::ZERO && x <= R::ONE && y <= R::ONE && fits(a) && fits(b)) {
        return R::NAN;
    }
    if x == R::ZERO || y == R::ZERO {
        return if x == R::ZERO { R::ZERO } else { R::ONE };
    }
    let log = |v: R, rest: R| if v > R::HALF { (-rest).ln_1p() } else { v.ln() };
    let log_beta = a.ln_gamma() + b.ln_gamma() - (a + b).ln_gamma();
    let front = (a * log(x, y) + b * log(y, x) - log_beta).exp();
    if x * (a + b + R::TWO) < a + R::ONE {
        (front / a * fraction(x, a, b, 2000)[0]).clamp(R::ZERO, R::ONE)
    } else {
        (R::ONE - front / b * fraction(y, b, a, 2000)[0]).clamp(R::ZERO, R::ONE)
    }
}

/// I, ∂I/∂a and ∂I/∂b from the fraction; `front` = xᵃyᵇ/B and `slopes` those of its logarithm.
fn lower<R: Real>(x: R, a: R, b: R, front: R, slopes: [R; 2]) -> [R; 3] {
    let [f, fa, fb] = fraction(x, a, b, 300);
    let part = front / a;
    let value = part * f;
    [value, part * fa + value * (slopes[0] - R::ONE / a), part * fb + value * slopes[1]]
}

/// 1/(1 + d₁/(1 + d₂/(1 + …))) with its derivatives by a and b, in at most so many steps.
fn fraction<R: Real>(x: R, a: R, b: R, steps: usize) -> [R; 3] {
    // Numerators and denominators of the last two convergents, each with both derivatives.
    let (mut above, mut below) = ([Jet::ZERO, Jet::ONE], [Jet::ONE, Jet::ONE]);
    let mut value = Jet::ONE;
    for step in 1..=steps {
        let d = term(x, a, b, step);
        let over = above[1].plus(d.times(above[0]));
        let under = below[1].plus(d.times(below[0]));
        let before = value;
        value = over.over(under);
        let close = |i: usize| {
            let size = if i == 0 { value.0[0].abs() } else { value.0[0].abs() + value.0[i].abs() };
            (value.0[i] - before.0[i]).abs() <= R::HALF * R::EPSILON * size
        };
        // Two steps in a row, since every second one may be short.
        if step > 2 && close(0) && close(1) && close(2) {
            break;
        }
        // Only ratios matter; dividing keeps them in range.
        let scale = R::ONE / under.0[0];
        above = [above[1].scaled(scale), over.scaled(scale)];
        below = [below[1].scaled(scale), under.scaled(scale)];
    }
    value.0
}

/// d of that step with its derivatives by a and b.
fn term<R: Real>(x: R, a: R, b: R, step: usize) -> Jet<R> {
    let m = R::of_usize(step / 2);
    let twice = a + m + m;
    if step.is_multiple_of(2) {
        let under = (twice - R::ONE) * twice;
        let over = m * (b - m) * x;
        let value = over / under;
        Jet([value, -value * (R::ONE / (twice - R::ONE) + R::ONE / twice), m * x / under])
    } else {
        let under = twice * (twice + R::ONE);
        let (first, second) = (a + m, a + b + m);
        let value = -first * second * x / under;
        let by_a = -(first + second) * x / under - value * (R::ONE / twice + R::ONE / (twice + R::ONE));
        Jet([value, by_a, -first * x / under])
    }
}

/// A number with two derivatives.
#[derive(Clone, Copy)]
struct Jet<R>([R; 3]);

impl<R: Real> Jet<R> {
    const ZERO: Self = Self([R::ZERO; 3]);
    const ONE: Self = Self([R::ONE, R::ZERO, R::ZERO]);

    fn plus(self, other: Self) -> Self {
        Self([0, 1, 2].map(|i| self.0[i] + other.0[i]))
    }

    fn scaled(self, factor: R) -> Self {
        Self(self.0.map(|v| v * factor))
    }

    fn times(self, other: Self) -> Self {
        let slope = |i: usize| self.0[0] * other.0[i] + self.0[i] * other.0[0];
        Self([self.0[0] * other.0[0], slope(1), slope(2)])
    }

    fn over(self, other: Self) -> Self {
        let value = self.0[0] / other.0[0];
        let slope = |i: usize| (self.0[i] - value * other.0[i]) / other.0[0];
        Self([value, slope(1), slope(2)])
    }
}

#[cfg(test)]
mod tests {
    use super::regularized;
    use crate::real::Real;

    /// x, a, b, I, 1 − I, ∂I/∂x, ∂I/∂a, ∂I/∂b by mpmath 1.3 with 50 digits (`betainc`, differences extrapolated).
    #[rustfmt::skip]
    const TABLE: [[f64; 8]; 14] = [
        [0.001, 0.25, 2.0, 0.222_240_469_269_614_38, 0.777_759_530_730_385_6, 55.515_660_332_152_62, -1.357_532_661_737_757_7, 0.033_238_761_755_755_644],
        [0.3, 0.5, 0.5, 0.369_010_119_565_545_36, 0.630_989_880_434_454_6, 0.694_609_118_042_856_6, -0.642_811_481_157_283_8, 0.468_744_583_915_505_44],
        [0.3, 2.0, 5.0, 0.579_824_999_999_999_9, 0.420_175, 2.160_900_000_000_000_3, -0.252_415_781_268_285_84, 0.099_444_894_569_456_88],
        [0.9, 5.0, 1.5, 0.776_172_134_316_215_7, 0.223_827_865_683_784_32, 2.808_234_117_921_242_7, -0.050_955_749_119_681_11, 0.287_097_487_347_892_6],
        [0.05, 0.3, 2.2, 0.539_715_936_937_411_8, 0.460_284_063_062_588_2, 3.087_612_217_636_920_5, -1.165_391_672_906_543, 0.079_552_173_837_083_59],
        [0.5, 1.0, 3.0, 0.875, 0.125, 0.75, -0.169_003_782_989_952_14, 0.086_643_397_569_993_16],
        [0.999, 0.125, 0.125, 0.784_489_315_975_107_8, 0.215_510_684_024_892_15, 26.959_806_709_561_096, -0.896_724_428_397_689_4, 2.315_883_089_412_237],
        [1e-12, 0.0625, 8.0, 0.208_514_892_992_686_8, 0.791_485_107_007_313_2, 13_032_180_811.957_067, -5.239_612_162_917_959, 0.001_727_897_023_239_574_3],
        [0.4, 40.0, 60.0, 0.505_437_001_115_594_9, 0.494_562_998_884_405_14, 8.121_914_499_610_604, -0.049_098_569_428_052_36, 0.032_686_938_373_989_206],
        [0.62, 100.0, 60.0, 0.442_820_052_532_127_86, 0.557_179_947_467_872_1, 10.264_043_052_637_444, -0.024_370_488_792_344_314, 0.040_232_603_475_477_885],
        [0.75, 0.007_812_5, 0.5, 0.991_515_180_932_306_5, 0.008_484_819_067_693_447, 0.020_564_691_360_220_325, -1.073_680_253_191_737_3, 0.027_367_831_624_266_14],
        [0.2, 10.0, 0.1, 1.616_452_475_865_390_7e-9, 0.999_999_998_383_547_5, 8.244_574_396_122_54e-8, -2.743_463_478_086_16e-9, 2.018_099_173_380_609e-8],
        [0.999_999, 8.0, 0.25, 0.942_015_621_708_794_8, 0.057_984_378_291_205_2, 14_496.013_394_411_793, -0.001_898_575_738_067_204_8, 0.669_120_993_232_27],
        [0.125, 1.0, 1.0, 0.125, 0.875, 1.0, -0.259_930_192_709_979_47, 0.116_839_968_546_457_3],
    ];

    fn table<R: Real>() {
        for [x, a, b, value, rest, by_x, by_a, by_b] in TABLE {
            let same = |v: f64| R::of(v).to_f64() == v;
            if !(same(a) && same(b)) {
                continue;
            }
            // In f32 the x of the table is another number, by ε/2, which the density tells the effect of.
            let moved = (R::of(x).to_f64() - x).abs() * 2.0;
            let e = R::EPSILON.to_f64();
            let bound = (64.0 + 8.0 * (a + b) * (a + b).ln().abs()) * e;
            let it = regularized(R::of(x), R::of(a), R::of(b));
            let wrong = (it.value.to_f64() - value).abs();
            // 1 − I is as exact as its difference from 1 in this scalar.
            assert!(
                wrong <= bound * value.min(rest) + by_x * moved + 0.5 * e * value,
                "{x} {a} {b} {wrong:e}"
            );
            let slack = moved * by_x * (a + b + 1.0 / x + 1.0 / (1.0 - x));
            assert!((it.by_x.to_f64() - by_x).abs() <= bound * by_x + slack, "{x} {a} {b}");
            let log_slack = moved * by_x * (x.ln().abs() + (1.0 - x).ln().abs() + 8.0 + 1.0 / a + 1.0 / b);
            for (ours, theirs) in [(it.by_a, by_a), (it.by_b, by_b)] {
                let size = theirs.abs().max(value);
                let wrong = (ours.to_f64() - theirs).abs();
                assert!(
                    wrong <= 4.0 * bound * size + log_slack,
                    "{x} {a} {b} {wrong:e} {}",
                    4.0 * bound * size
                );
            }
        }
    }

    #[test]
    fn agrees_with_many_digits() {
        table::<f64>();
        table::<f32>();
    }

    #[test]
    fn is_a_distribution_with_its_density() {
        for (a, b) in [(1.0, 1.0), (0.1, 0.1), (10.0, 0.1), (10.0, 10.0), (2.0, 0.5), (0.7, 3.0)] {
            assert_eq!((regularized(0.0, a, b).value, regularized(1.0, a, b).value), (0.0, 1.0));
            let mut before = 0.0;
            for i in 1..4000 {
                let x = f64::from(i) / 4000.0;
                let it = regularized(x, a, b);
                assert!(it.value >= before && it.value <= 1.0, "{a} {b} {x}");
                before = it.value;
                // Mirrored, it is the same distribution.
                let mirrored = regularized(1.0 - x, b, a);
                assert!((it.value + mirrored.value - 1.0).abs() < 1e-13, "{a} {b} {x}");
                assert!((it.by_a + mirrored.by_b).abs() < 1e-12 * (1.0 + it.by_a.abs()), "{a} {b} {x}");
                // Simpson's rule over a step; the density bends least in the middle.
                if i % 400 == 200 {
                    let d = 1.0 / 400.0;
                    let (low, high) = (regularized(x - d, a, b), regularized(x + d, a, b));
                    let area = (low.by_x + 4.0 * it.by_x + high.by_x) * d / 3.0;
                    assert!((high.value - low.value - area).abs() < 1e-6, "{a} {b} {x}");
                }
            }
        }
    }

    #[test]
    fn nonsense_gives_nan_and_nothing_runs_away() {
        for (x, a, b) in [
            (f64::NAN, 1.0, 1.0),
            (-0.1, 1.0, 1.0),
            (1.1, 2.0, 2.0),
            (0.5, 0.0, 1.0),
            (0.5, 1.0, f64::NAN),
            (0.5, 1e9, 1.0),
        ] {
            let it = regularized(x, a, b);
            assert!(it.value.is_nan() && it.by_x.is_nan() && it.by_a.is_nan() && it.by_b.is_nan());
        }
        for x in [f64::MIN_POSITIVE, 1e-300, 1e-16, 0.5, 1.0 - f64::EPSILON] {
            for a in [1.0 / 128.0, 1.0, 128.0] {
                for b in [1.0 / 128.0, 1.0, 128.0] {
                    let it = regularized(x, a, b);
                    let all = [it.value, it.by_x, it.by_a, it.by_b];
                    assert!(
                        all.iter().all(|v| v.is_finite()) && it.by_a <= 0.0 && it.by_b >= 0.0,
                        "{x} {a} {b} {it:?}"
                    );
                }
            }
        }
    }
}
