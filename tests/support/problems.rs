//! Functions with known minima, to minimise.
//!
//! Formulas and minima as in Surjanovic and Bingham's Virtual Library of Simulation Experiments unless a
//! function says otherwise. All use the platform's mathematics: for runs that must agree bit for bit between
//! machines take a polynomial ([`sphere`], [`rosenbrock`], [`camel`], [`goldstein_price`]).

use std::f64::consts::{E, PI};
use std::fmt;

use crate::random::{SplitMix64, orthogonal};

type Function = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// A function on a box, with its minimum.
pub struct Problem {
    /// Short and unique, with the dimension where it varies: `levy-4`.
    pub name: String,
    /// Lower corner of the box.
    pub lower: Vec<f64>,
    /// Upper corner of the box.
    pub upper: Vec<f64>,
    /// The smallest value in the box.
    pub minimum: f64,
    /// Where it is taken, to the published digits; not always every such point.
    pub minimisers: Vec<Vec<f64>>,
    /// Whether `minimum` is smallest also outside the box, so that the function may be moved.
    everywhere: bool,
    function: Function,
}

impl Problem {
    /// The value at `x`.
    pub fn value(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dims(), "{}", self.name);
        (self.function)(x)
    }

    /// The number of variables.
    pub fn dims(&self) -> usize {
        self.lower.len()
    }

    /// The value at a point of the unit cube, which is stretched to the box.
    pub fn unit_value(&self, u: &[f64]) -> f64 {
        self.value(&self.from_unit(u))
    }

    /// The point of the box that belongs to a point of the unit cube.
    pub fn from_unit(&self, u: &[f64]) -> Vec<f64> {
        u.iter().zip(&self.lower).zip(&self.upper).map(|((u, a), b)| a + (b - a) * u).collect()
    }

    /// How far a value is above the minimum.
    pub fn regret(&self, value: f64) -> f64 {
        value - self.minimum
    }

    /// The same function with its optimum elsewhere in the box.
    ///
    /// ```text
    /// f(x) = g(x − s),   sᵢ uniform on ±35 % of range i, drawn in order from splitmix64(seed)
    /// ```
    ///
    /// Takes away the gift of an optimum in the centre. Panics if `g` may be smaller outside its box, or if
    /// the first minimiser would leave the box.
    pub fn shifted(self, seed: u64) -> Self {
        assert!(self.everywhere, "{} may be smaller outside its box", self.name);
        let mut random = SplitMix64::new(seed);
        let shift: Vec<f64> =
            self.lower.iter().zip(&self.upper).map(|(a, b)| (b - a) * random.between(-0.35, 0.35)).collect();
        let minimiser: Vec<f64> = self.minimisers[0].iter().zip(&shift).map(|(x, s)| x + s).collect();
        assert!(self.contains(&minimiser), "{}: the shift takes the minimiser out of the box", self.name);
        let function = self.function;
        Self {
            name: format!("{}-shifted", self.name),
            minimisers: vec![minimiser],
            function: Box::new(move |x| {
                function(&x.iter().zip(&shift).map(|(x, s)| x - s).collect::<Vec<_>>())
            }),
            ..self
        }
    }

    /// The same function turned about its first minimiser by the orthogonal matrix of `seed`, in coordinates
    /// in which the box is a cube.
    ///
    /// ```text
    /// f(x) = g(x* + R Q R⁻¹(x − x*)),   R = diag(range)
    /// ```
    ///
    /// Takes away the gift of separability. Panics if `g` may be smaller outside its box.
    pub fn rotated(self, seed: u64) -> Self {
        assert!(self.everywhere, "{} may be smaller outside its box", self.name);
        let n = self.dims();
        let turn = orthogonal(n, seed);
        let range: Vec<f64> = self.lower.iter().zip(&self.upper).map(|(a, b)| b - a).collect();
        let centre = self.minimisers[0].clone();
        let function = self.function;
        Self {
            name: format!("{}-rotated", self.name),
            minimisers: vec![centre.clone()],
            function: Box::new(move |x| {
                let from: Vec<f64> = (0..n).map(|j| (x[j] - centre[j]) / range[j]).collect();
                let row = |i: usize| (0..n).map(|j| turn[i * n + j] * from[j]).sum::<f64>();
                function(&(0..n).map(|i| centre[i] + range[i] * row(i)).collect::<Vec<_>>())
            }),
            ..self
        }
    }

    fn contains(&self, x: &[f64]) -> bool {
        x.iter().zip(&self.lower).zip(&self.upper).all(|((x, a), b)| a <= x && x <= b)
    }

    fn new(
        name: impl Into<String>,
        bounds: &[(f64, f64)],
        minimum: f64,
        minimisers: Vec<Vec<f64>>,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let (lower, upper) = bounds.iter().copied().unzip();
        let function = Box::new(function);
        Self { name: name.into(), lower, upper, minimum, minimisers, everywhere: true, function }
    }

    fn inside_only(self) -> Self {
        Self { everywhere: false, ..self }
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("name", &self.name)
            .field("minimum", &self.minimum)
            .finish_non_exhaustive()
    }
}

/// Every problem once, the ones of free dimension at `dims`, unmoved.
pub fn all(dims: usize) -> Vec<Problem> {
    vec![
        branin(),
        hartmann3(),
        hartmann6(),
        rosenbrock(dims.max(2)),
        levy(dims),
        ackley(dims),
        forrester(),
        franke(),
        rastrigin(dims),
        camel(),
        styblinski_tang(dims),
        sphere(dims),
        goldstein_price(),
    ]
}

/// Σ xᵢ² on [−5.12, 5.12]ⁿ.
pub fn sphere(dims: usize) -> Problem {
    Problem::new(format!("sphere-{dims}"), &vec![(-5.12, 5.12); dims], 0.0, vec![vec![0.0; dims]], |x| {
        x.iter().map(|x| x * x).sum()
    })
}

/// Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)² on [−5, 10]ⁿ, n ≥ 2: a curved valley.
pub fn rosenbrock(dims: usize) -> Problem {
    assert!(dims >= 2, "Rosenbrock's function needs two variables");
    Problem::new(format!("rosenbrock-{dims}"), &vec![(-5.0, 10.0); dims], 0.0, vec![vec![1.0; dims]], |x| {
        x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
    })
}

/// 10n + Σ xᵢ² − 10 cos 2πxᵢ on [−5.12, 5.12]ⁿ: a regular field of local minima.
pub fn rastrigin(dims: usize) -> Problem {
    Problem::new(format!("rastrigin-{dims}"), &vec![(-5.12, 5.12); dims], 0.0, vec![vec![0.0; dims]], |x| {
        x.iter().map(|x| 10.0 + x * x - 10.0 * (2.0 * PI * x).cos()).sum()
    })
}

/// Levy's function on [−10, 10]ⁿ, with w = 1 + (x − 1)/4.
///
/// ```text
/// sin²πw₁ + Σᵢ₌₁ⁿ⁻¹ (wᵢ−1)²[1 + 10 sin²(πwᵢ+1)] + (wₙ−1)²[1 + sin²2πwₙ]
/// ```
pub fn levy(dims: usize) -> Problem {
    assert!(dims >= 1, "Levy's function needs a variable");
    Problem::new(format!("levy-{dims}"), &vec![(-10.0, 10.0); dims], 0.0, vec![vec![1.0; dims]], |x| {
        let w: Vec<f64> = x.iter().map(|x| 1.0 + (x - 1.0) / 4.0).collect();
        let last = w[w.len() - 1];
        let middle: f64 = w[..w.len() - 1]
            .iter()
            .map(|w| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2)))
            .sum();
        (PI * w[0]).sin().powi(2) + middle + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
    })
}

/// Ackley's function on [−32.768, 32.768]ⁿ.
///
/// ```text
/// 20 + e − 20 exp(−0.2 √(Σxᵢ²/n)) − exp(Σ cos 2πxᵢ / n)
/// ```
pub fn ackley(dims: usize) -> Problem {
    Problem::new(format!("ackley-{dims}"), &vec![(-32.768, 32.768); dims], 0.0, vec![vec![0.0; dims]], |x| {
        let n = x.len() as f64;
        let square = x.iter().map(|x| x * x).sum::<f64>() / n;
        let wave = x.iter().map(|x| (2.0 * PI * x).cos()).sum::<f64>() / n;
        20.0 + E - 20.0 * (-0.2 * square.sqrt()).exp() - wave.exp()
    })
}

/// [`levy`] with its optimum moved by the seed.
pub fn levy_shifted(dims: usize, seed: u64) -> Problem {
    levy(dims).shifted(seed)
}

/// [`ackley`] with its optimum moved by the seed.
pub fn ackley_shifted(dims: usize, seed: u64) -> Problem {
    ackley(dims).shifted(seed)
}

/// ½ Σ xᵢ⁴ − 16xᵢ² + 5xᵢ on [−5, 5]ⁿ.
pub fn styblinski_tang(dims: usize) -> Problem {
    let least = -39.166_165_703_771_42 * dims as f64;
    let at = vec![-2.903_534_027_771_178; dims];
    Problem::new(format!("styblinski-tang-{dims}"), &vec![(-5.0, 5.0); dims], least, vec![at], |x| {
        x.iter().map(|x| (x.powi(4) - 16.0 * x * x + 5.0 * x) / 2.0).sum()
    })
}

/// Branin's function on [−5, 10] × [0, 15]: three equal minima, 10/8π.
pub fn branin() -> Problem {
    let at = vec![vec![-PI, 12.275], vec![PI, 2.275], vec![3.0 * PI, 2.475]];
    Problem::new("branin", &[(-5.0, 10.0), (0.0, 15.0)], 0.397_887_357_729_738_16, at, |x| {
        let bend = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
        bend * bend + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
    })
}

/// The six-hump camel on [−3, 3] × [−2, 2].
pub fn camel() -> Problem {
    let at = vec![vec![0.089_842_01, -0.712_656_40], vec![-0.089_842_01, 0.712_656_40]];
    Problem::new("camel", &[(-3.0, 3.0), (-2.0, 2.0)], -1.031_628_453_489_877, at, |x| {
        let (a, b) = (x[0] * x[0], x[1] * x[1]);
        (4.0 - 2.1 * a + a * a / 3.0) * a + x[0] * x[1] + (4.0 * b - 4.0) * b
    })
}

/// Goldstein and Price's function on [−2, 2]²: values from 3 to about 10⁶.
pub fn goldstein_price() -> Problem {
    Problem::new("goldstein-price", &[(-2.0, 2.0); 2], 3.0, vec![vec![0.0, -1.0]], |p| {
        let (x, y) = (p[0], p[1]);
        let first =
            (x + y + 1.0).powi(2) * (19.0 - 14.0 * x + 3.0 * x * x - 14.0 * y + 6.0 * x * y + 3.0 * y * y);
        let second = (2.0 * x - 3.0 * y).powi(2)
            * (18.0 - 32.0 * x + 12.0 * x * x + 48.0 * y - 36.0 * x * y + 27.0 * y * y);
        (1.0 + first) * (30.0 + second)
    })
    .inside_only()
}

/// Forrester's function (6x − 2)² sin(12x − 4) on [0, 1].
pub fn forrester() -> Problem {
    let at = vec![vec![0.757_248_757_841_856]];
    Problem::new("forrester", &[(0.0, 1.0)], -6.020_740_055_766_075, at, |x| {
        (6.0 * x[0] - 2.0).powi(2) * (12.0 * x[0] - 4.0).sin()
    })
    .inside_only()
}

/// Franke's function on [0, 1]², negated: two pits, a dip and a slope.
pub fn franke() -> Problem {
    let at = vec![vec![0.205_991_57, 0.208_050_13]];
    Problem::new("franke", &[(0.0, 1.0); 2], -1.220_032_571_234_52, at, |p| {
        let (x, y) = (9.0 * p[0], 9.0 * p[1]);
        let bump = |a: f64, b: f64| (-(x - a).powi(2) - (y - b).powi(2)) / 4.0;
        -0.75 * bump(2.0, 2.0).exp()
            - 0.75 * (-(x + 1.0).powi(2) / 49.0 - (y + 1.0) / 10.0).exp()
            - 0.5 * bump(7.0, 3.0).exp()
            + 0.2 * (4.0 * bump(4.0, 7.0)).exp()
    })
    .inside_only()
}

/// Hartmann's function in three variables on [0, 1]³.
///
/// Outside the box it is larger: all four centres lie inside, and each term grows away from its centre
/// coordinate by coordinate. P₄₁ = 0.03815 as in Dixon and Szegö, to which the published minimum belongs;
/// copies with 0.0381 end at −3.862 779 787.
pub fn hartmann3() -> Problem {
    const A: [[f64; 3]; 4] = [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];
    const P: [[f64; 3]; 4] = [
        [0.3689, 0.1170, 0.2673],
        [0.4699, 0.4387, 0.7470],
        [0.1091, 0.8732, 0.5547],
        [0.03815, 0.5743, 0.8828],
    ];
    let at = vec![vec![0.114_614, 0.555_649, 0.852_547]];
    Problem::new("hartmann-3", &[(0.0, 1.0); 3], -3.862_782_147_820_76, at, |x| hartmann(&A, &P, x))
}

/// Hartmann's function in six variables on [0, 1]⁶; larger outside, as in [`hartmann3`].
pub fn hartmann6() -> Problem {
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let at = vec![vec![0.201_69, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.657_3]];
    Problem::new("hartmann-6", &[(0.0, 1.0); 6], -3.322_368_011_415_51, at, |x| hartmann(&A, &P, x))
}

/// −Σᵢ cᵢ exp(−Σⱼ Aᵢⱼ(xⱼ − Pᵢⱼ)²).
fn hartmann<const N: usize>(a: &[[f64; N]; 4], p: &[[f64; N]; 4], x: &[f64]) -> f64 {
    const C: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    let term = |i: usize| {
        let inner: f64 = (0..N).map(|j| a[i][j] * (x[j] - p[i][j]).powi(2)).sum();
        C[i] * (-inner).exp()
    };
    -(0..4).map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calculus::gradient;

    /// A minimiser printed to `digits` digits is off by at most 10^-digits/2 per coordinate, which costs
    /// curvature·n·10^-2·digits/8: below 1e-8 for six digits and every curvature here.
    const PUBLISHED: f64 = 1e-8;

    #[test]
    fn published_minima_are_taken_at_published_minimisers() {
        for problem in [all(1), all(4)].concat_problems() {
            for at in &problem.minimisers {
                assert!(problem.contains(at), "{problem:?}");
                let regret = problem.regret(problem.value(at));
                assert!(regret.abs() < PUBLISHED, "{problem:?} at {at:?}: {regret:e}");
            }
        }
    }

    #[test]
    fn minimisers_are_stationary() {
        // Ackley's function has a kink there.
        for problem in all(3).into_iter().filter(|p| !p.name.starts_with("ackley")) {
            for at in &problem.minimisers {
                let slope = gradient(|x| problem.value(x), at);
                // Six printed digits times a curvature of up to about 1000.
                assert!(slope.iter().all(|g| g.abs() < 2e-3), "{problem:?} at {at:?}: {slope:?}");
            }
        }
    }

    #[test]
    fn no_point_is_below_the_minimum() {
        let moved = (0..5).flat_map(|seed| {
            [
                levy_shifted(2, seed),
                ackley_shifted(2, seed),
                hartmann6().rotated(seed),
                hartmann3().rotated(seed),
                rosenbrock(3).rotated(seed),
                branin().rotated(seed),
                ackley_shifted(3, seed).rotated(seed),
            ]
        });
        for problem in all(2).into_iter().chain(moved) {
            let mut random = SplitMix64::new(11);
            for draw in 0..20_000 {
                let mut u: Vec<f64> = (0..problem.dims()).map(|_| random.uniform()).collect();
                let mut x = problem.from_unit(&u);
                if draw % 2 == 0 {
                    // Half of the points close to the minimiser, where a wrong minimum would show.
                    u.iter_mut().for_each(|u| *u = 0.02 * (*u - 0.5));
                    let range = problem.upper.iter().zip(&problem.lower).map(|(b, a)| b - a);
                    x = problem.minimisers[0]
                        .iter()
                        .zip(range)
                        .zip(&u)
                        .map(|((x, r), u)| x + r * u)
                        .collect();
                }
                let regret = problem.regret(problem.value(&x));
                assert!(!problem.contains(&x) || regret > -PUBLISHED, "{problem:?} at {x:?}: {regret:e}");
            }
        }
    }

    #[test]
    fn moving_keeps_the_minimum_and_changes_the_rest() {
        for seed in 0..50 {
            for problem in [levy_shifted(4, seed), ackley_shifted(4, seed), styblinski_tang(3).rotated(seed)]
            {
                let at = problem.minimisers[0].clone();
                assert!(problem.contains(&at), "{problem:?}");
                assert!(problem.regret(problem.value(&at)).abs() < PUBLISHED, "{problem:?}");
            }
        }
        let (a, b) = (levy_shifted(2, 1), levy_shifted(2, 2));
        assert_ne!(a.minimisers, b.minimisers);
        assert_eq!(a.value(&[0.5, 0.5]), levy_shifted(2, 1).value(&[0.5, 0.5]));
        let x = [1.0, 2.0, 3.0];
        assert_ne!(sphere(3).shifted(1).value(&x), sphere(3).value(&x));
        assert!((sphere(3).rotated(1).value(&x) - 14.0).abs() < 1e-13, "a sphere has no direction");
        assert!((rastrigin(3).rotated(1).value(&x) - rastrigin(3).value(&x)).abs() > 1e-3);
    }

    #[test]
    #[should_panic(expected = "may be smaller outside its box")]
    fn a_function_that_falls_outside_is_not_moved() {
        let _ = forrester().shifted(1);
    }

    trait Concat {
        fn concat_problems(self) -> Vec<Problem>;
    }

    impl<const N: usize> Concat for [Vec<Problem>; N] {
        fn concat_problems(self) -> Vec<Problem> {
            self.into_iter().flatten().collect()
        }
    }
}
