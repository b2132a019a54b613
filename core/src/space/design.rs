//! Initial designs (Sobol, Halton, Latin hypercube, grid, uniform): points spread over the space before anything is known.

use crate::codes::codes;
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

use super::Domain;
use super::halton::{next_prime, radical_inverse};
use super::hash::{hash, permute};
use super::sample::fraction;
use super::sobol::Sequence;

/// How the first points are spread over the space.
///
/// Each point is computed from the seed and its index alone, so that no design is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Design {
    /// Independent random points.
    Uniform,
    /// One point in each of `total` intervals of every dimension.
    ///
    /// ```text
    /// x = (π(index) + jitter) / total,  π a random permutation per dimension
    /// ```
    ///
    /// McKay, Beckman and Conover (1979).
    LatinHypercube,
    /// The scrambled [`Sequence`] of Sobol: even in many projections, best for powers of two.
    #[default]
    Sobol,
    /// The Halton sequence with random digits: a prime base per dimension; for few dimensions.
    Halton,
    /// The centres of a full factorial, each once, in random order.
    ///
    /// The numbers of levels per dimension differ by at most one, are at most the number of values of a discrete
    /// parameter, and their product is at least `total` if the space has so many points; otherwise the order
    /// starts again.
    Grid,
}

codes!(Design { Uniform = 0, LatinHypercube = 1, Sobol = 2, Halton = 3, Grid = 4 });

impl Design {
    /// As [`Design::allowed`], but for points that a clause forbids, which stay.
    pub(crate) fn point<R: Real>(
        self,
        seed: u64,
        index: u32,
        total: u32,
        domain: Domain<'_>,
        unit: &mut [R],
    ) {
        let dims = domain.dims().min(unit.len());
        let unit = &mut unit[..dims];
        match self {
            Self::Uniform => {
                let row = hash(seed, u64::from(index));
                (0..dims).for_each(|i| unit[i] = fraction(hash(row, i as u64)));
            }
            Self::LatinHypercube => {
                (0..dims).for_each(|i| unit[i] = latin(hash(seed, i as u64), index, total.max(1)));
            }
            Self::Sobol => {
                let sequence = Sequence { seed };
                (0..dims).for_each(|i| unit[i] = sequence.coordinate(index, i));
            }
            Self::Halton => {
                let mut prime = 0;
                for i in 0..dims {
                    prime = next_prime(prime);
                    unit[i] = R::of(radical_inverse(index, prime, hash(seed, i as u64)));
                }
            }
            Self::Grid => grid(seed, index, total.max(1), domain, unit),
        }
        domain.snap(unit);
    }

    /// Writes point `index` of `total` as an admissible point of the unit cube; where a clause forbids it, a random one that
    /// none does stands for it.
    ///
    /// Parameters that do not matter are canonical, so that several points of a design may become one. A `total` of 0 counts as
    /// 1, an index beyond the last one starts again (Latin hypercube, grid) or goes on. What stands for a forbidden point is
    /// drawn by the seed and the index alone: the others stay where they are. A Latin hypercube or a grid has gaps then. Cost:
    /// O(dims) numbers; Halton O(dims √p) with p the largest prime; and a sample where one is needed.
    ///
    /// # Errors
    /// [`Error::Infeasible`] if no point was found that is not forbidden.
    pub fn allowed<R: Real>(
        self,
        seed: u64,
        index: u32,
        total: u32,
        domain: Domain<'_>,
        unit: &mut [R],
    ) -> Result<(), Error> {
        self.point(seed, index, total, domain, unit);
        if domain.allows(unit) {
            return Ok(());
        }
        // Another key than that of the coordinates, so that neither is the other's shadow.
        domain.sample(&mut Generator::new(hash(!seed, u64::from(index))), unit)
    }
}

/// One coordinate of a Latin hypercube.
fn latin<R: Real>(key: u64, index: u32, total: u32) -> R {
    let bin = permute(index, total, (key >> 32) as u32);
    let count = f64::from(total);
    // Far enough from the edges that rounding to R cannot leave the bin.
    let edge = (count * R::EPSILON.to_f64()).min(0.5);
    let jitter = edge + (1.0 - 2.0 * edge) * fraction::<f64>(hash(key, u64::from(bin)));
    R::of((f64::from(bin) + jitter) / count)
}

/// The centre of a cell of a full factorial.
fn grid<R: Real>(seed: u64, index: u32, total: u32, domain: Domain<'_>, unit: &mut [R]) {
    let dims = unit.len();
    let target = u64::from(total);
    // Levels of a dimension where the first `wide` ones have `levels` and the others one less.
    let levels_of = |i: usize, levels: u64, wide: usize| {
        let levels = if i < wide { levels } else { levels - 1 };
        levels.max(1).min(domain.values::<R>(i).unwrap_or(u64::MAX))
    };
    let cells = |levels: u64, wide: usize| {
        (0..dims).fold(1u64, |product, i| product.saturating_mul(levels_of(i, levels, wide)))
    };
    let levels = first(1, target, |levels| cells(levels, dims) >= target);
    let wide = first(0, dims as u64, |wide| cells(levels, wide as usize) >= target) as usize;
    let size = cells(levels, wide);
    // Of more than 2³² − 1 cells, the first ones are taken in their order.
    let mut rest = match u32::try_from(size) {
        Ok(size) => u64::from(permute(index % size, size, (hash(seed, 0) >> 32) as u32)),
        Err(_) => u64::from(index) % size,
    };
    for (i, u) in unit.iter_mut().enumerate() {
        let radix = levels_of(i, levels, wide);
        *u = R::of(((rest % radix) as f64 + 0.5) / radix as f64);
        rest /= radix;
    }
}

/// The first number of `lo … hi` that is enough, where larger ones are too; `hi` if none is.
fn first(mut lo: u64, mut hi: u64, enough: impl Fn(u64) -> bool) -> u64 {
    while lo < hi {
        let middle = lo + (hi - lo) / 2;
        if enough(middle) {
            hi = middle;
        } else {
            lo = middle + 1;
        }
    }
    lo
}

#[cfg(test)]
mod tests {
    use super::Design;
    use crate::real::Real;
    use crate::space::tests::{Dice, parsed, random_space};
    use crate::space::{Clause, Domain, Param, Space, Term, When};
    use std::vec;
    use std::vec::Vec;

    const ALL: [Design; 5] =
        [Design::Uniform, Design::LatinHypercube, Design::Sobol, Design::Halton, Design::Grid];

    fn cube(dims: usize) -> Vec<u64> {
        parsed(&Space::new(&vec![Param::real(0.0, 1.0); dims], &[]).unwrap())
    }

    fn rows<R: Real>(design: Design, seed: u64, total: u32, words: &[u64]) -> Vec<Vec<R>> {
        let domain = Domain::attach::<R>(words).unwrap();
        let point = |index| {
            let mut unit = vec![R::NAN; domain.dims()];
            design.allowed(seed, index, total, domain, &mut unit).unwrap();
            unit
        };
        (0..total).map(point).collect()
    }

    #[test]
    fn one_point_per_interval() {
        fn check<R: Real>(design: Design, total: u32) {
            for seed in 0..5 {
                let points = rows::<R>(design, seed, total, &cube(6));
                for i in 0..6 {
                    let mut seen = vec![0; total as usize];
                    points.iter().for_each(|p| seen[(p[i].to_f64() * f64::from(total)) as usize] += 1);
                    assert!(seen.iter().all(|&s| s == 1), "{design:?} {total} {i}");
                }
            }
        }
        for total in [1, 2, 7, 64, 1000] {
            check::<f64>(Design::LatinHypercube, total);
            check::<f32>(Design::LatinHypercube, total);
        }
        for total in [1, 2, 64, 1024] {
            check::<f64>(Design::Sobol, total);
            check::<f32>(Design::Sobol, total);
        }
    }

    /// The square of the centred L² discrepancy.
    ///
    /// Hickernell (1998), A generalized discrepancy and quadrature error bound.
    fn discrepancy(points: &[Vec<f64>]) -> f64 {
        let n = points.len() as f64;
        let one = |x: f64| 1.0 + 0.5 * (x - 0.5).abs() - 0.5 * (x - 0.5).powi(2);
        let two = |x: f64, y: f64| 1.0 + 0.5 * ((x - 0.5).abs() + (y - 0.5).abs() - (x - y).abs());
        let single: f64 = points.iter().map(|p| p.iter().map(|&x| one(x)).product::<f64>()).sum();
        let pairs: f64 = points
            .iter()
            .flat_map(|p| {
                points.iter().map(move |q| p.iter().zip(q).map(|(&x, &y)| two(x, y)).product::<f64>())
            })
            .sum();
        (13.0f64 / 12.0).powi(points[0].len() as i32) - 2.0 / n * single + pairs / (n * n)
    }

    #[test]
    fn designs_are_more_even_than_chance() {
        let words = cube(4);
        let mean = |design| {
            (0..8).map(|seed| discrepancy(&rows::<f64>(design, seed, 128, &words))).sum::<f64>() / 8.0
        };
        // E[D²] of independent points is ((5/4)ᵈ − (13/12)ᵈ)/n, from E[1 + |x − ½|] = 5/4.
        let expected = (1.25f64.powi(4) - (13.0f64 / 12.0).powi(4)) / 128.0;
        let uniform = mean(Design::Uniform);
        assert!((uniform / expected - 1.0).abs() < 0.25, "{uniform} {expected}");
        assert!(mean(Design::LatinHypercube) < 0.6 * uniform, "{}", mean(Design::LatinHypercube));
        assert!(mean(Design::Halton) < 0.25 * uniform, "{}", mean(Design::Halton));
        assert!(mean(Design::Sobol) < 0.1 * uniform, "{}", mean(Design::Sobol));
    }

    #[test]
    fn grids_visit_each_cell_once() {
        for (dims, total, cells) in [(1, 10, 10), (2, 10, 12), (3, 64, 64), (3, 30, 36), (20, 9, 16)] {
            let mut points = rows::<f64>(Design::Grid, 3, total, &cube(dims));
            points.sort_by(|a, b| a.partial_cmp(b).unwrap());
            points.dedup();
            assert_eq!(points.len(), total as usize);
            let levels: usize = (0..dims)
                .map(|i| {
                    let mut column: Vec<f64> = points.iter().map(|p| p[i]).collect();
                    column.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    column.dedup();
                    column.len()
                })
                .product();
            assert_eq!(levels, cells, "{dims} {total}");
        }
        // Two values and five: ten cells, then again from the start.
        let words = parsed(&Space::new(&[Param::categorical(2), Param::integer(1, 5)], &[]).unwrap());
        let points = rows::<f32>(Design::Grid, 3, 20, &words);
        assert_eq!(points[..10], points[10..]);
        let mut distinct = points[..10].to_vec();
        distinct.sort_by(|a, b| a.partial_cmp(b).unwrap());
        distinct.dedup();
        assert_eq!(distinct.len(), 10);
    }

    #[test]
    fn every_design_is_admissible_everywhere() {
        let mut dice = Dice(4);
        for round in 0..100 {
            let words = random_space(&mut dice);
            let domain = Domain::attach::<f32>(&words).unwrap();
            for design in ALL {
                for (index, total) in [(0, 0), (5, 9), (9, 5), (u32::MAX, u32::MAX), (0, u32::MAX)] {
                    let mut unit = vec![f32::NAN; domain.dims()];
                    design.point(round, index, total, domain, &mut unit);
                    let mut snapped = unit.clone();
                    domain.snap(&mut snapped);
                    assert_eq!(unit, snapped);
                    design.point(round, index, total, domain, &mut unit[..1]);
                    design.point::<f32>(round, index, total, domain, &mut []);
                }
            }
        }
    }

    /// Forbidden points are replaced, each by its own, and the others stay.
    #[test]
    fn no_design_has_a_forbidden_point() {
        fn check<R: Real>(words: &[u64], design: Design, seed: u64) -> usize {
            let domain = Domain::attach::<R>(words).unwrap();
            let (mut replaced, mut plain) = (0, vec![R::NAN; domain.dims()]);
            for (index, unit) in (0..).zip(rows::<R>(design, seed, 40, words)) {
                assert!(domain.allows(&unit), "{design:?} {unit:?}");
                design.point(seed, index, 40, domain, &mut plain);
                assert!(plain == unit || !domain.allows(&plain), "{design:?} {index}");
                replaced += usize::from(plain != unit);
                let mut alone = vec![R::NAN; domain.dims()];
                design.allowed(seed, index, 40, domain, &mut alone).unwrap();
                assert_eq!(alone, unit, "{design:?} {index}");
            }
            replaced
        }
        // All but a corner of one part in 10⁴, and a category that is never alone.
        let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0), Param::categorical(3)];
        let wide = |parameter| [Term { parameter, when: When::Between(0.01, 1.0) }];
        let both = [
            Term { parameter: 0, when: When::Between(0.0, 0.005) },
            Term { parameter: 2, when: When::In(&[0.0, 2.0]) },
        ];
        let (first, second) = (wide(0), wide(1));
        let clauses = [Clause { terms: &first }, Clause { terms: &second }, Clause { terms: &both }];
        for from in [0, 2] {
            let words = parsed(&Space::new(&params, &[]).unwrap().forbid(&clauses[from..]).unwrap());
            for (design, seed) in ALL.into_iter().flat_map(|design| (0..5).map(move |seed| (design, seed))) {
                let replaced = [check::<f64>(&words, design, seed), check::<f32>(&words, design, seed)];
                assert!(from == 2 || replaced.iter().all(|&r| r > 30), "{design:?} {replaced:?}");
            }
        }
    }

    /// Category and integer margins of an even design are even.
    #[test]
    fn discrete_margins_are_even() {
        let words = parsed(&Space::new(&[Param::categorical(4), Param::integer(0, 7)], &[]).unwrap());
        for design in [Design::LatinHypercube, Design::Sobol, Design::Grid] {
            let points = rows::<f64>(design, 8, 32, &words);
            for (i, n) in [(0, 4), (1, 8)] {
                let mut counts = vec![0; n];
                points.iter().for_each(|p| counts[(p[i] * n as f64) as usize] += 1);
                assert!(counts.iter().all(|&c| c == 32 / n), "{design:?} {counts:?}");
            }
        }
    }

    /// The same bits on every machine, for ever.
    #[test]
    fn bits_are_pinned() {
        let words = cube(140);
        let domain = Domain::attach::<f64>(&words).unwrap();
        for (design, expected) in ALL.into_iter().zip(PINNED) {
            let mut unit = vec![0.0; 140];
            design.point(2026, 77, 100, domain, &mut unit);
            assert_eq!([unit[0], unit[1], unit[139]].map(f64::to_bits), expected, "{design:?}");
            let mut other = vec![0.0; 140];
            design.point(2027, 77, 100, domain, &mut other);
            assert_ne!(unit, other, "the seed matters");
        }
    }

    const PINNED: [[u64; 3]; 5] = [
        [0x3fdc_79d8_908b_231c, 0x3fc7_aab9_75e3_3cc0, 0x3fe0_6167_6e4b_50b9],
        [0x3fe1_325a_8cd0_f2da, 0x3fe4_63d6_ae42_9b3d, 0x3fa5_e321_3194_071c],
        [0x3fe7_eaa9_8ae0_0000, 0x3fe5_8017_ace0_0000, 0x3fe9_5d11_d1e0_0000],
        [0x3fd1_74b8_9d7d_ac99, 0x3fec_7d46_383a_6a70, 0x3fed_4d90_1987_42c1],
        [0x3fe8_0000_0000_0000, 0x3fd0_0000_0000_0000, 0x3fe0_0000_0000_0000],
    ];
}
