//! CMA-ES, the covariance matrix adaptation evolution strategy.

use super::rates::Rates;
use super::state::{BORN, KEY, PULSE, State, is_count};
use super::{Population, Strategy, reflect};
use crate::error::Error;
use crate::linalg;
use crate::math;
use crate::real::Real;
use crate::rng::{Generator, normal};
use crate::space::Domain;

/// CMA-ES on the unit cube: draws from N(m, σ²C), adapts all three to the better half, and C also away from the worse.
///
/// ```text
/// wᵢ ∝ ln((λ + 1)/2) − ln i,   Σw⁺ = 1,   μ_w = 1/Σ(w⁺)²,   yᵢ = (xᵢ − m)/σ,   y = Σ wᵢ⁺ yᵢ,   C = L Lᵀ
/// m   ← m + σ y
/// p_σ ← (1 − c_σ) p_σ + √(c_σ(2 − c_σ)μ_w) L⁻¹ y
/// σ   ← σ exp(c_σ/d_σ (‖p_σ‖/χ − 1))
/// p_c ← (1 − c_c) p_c + h √(c_c(2 − c_c)μ_w) y
/// C   ← (1 − c₁ − c_μ Σw + (1 − h) c₁c_c(2 − c_c)) C + c₁ p_c p_cᵀ + c_μ Σ wᵢ° yᵢ yᵢᵀ
/// wᵢ° = wᵢ  where wᵢ ≥ 0,   wᵢ d/‖L⁻¹yᵢ‖²  where wᵢ < 0
/// ```
///
/// The triangular factor stands for the symmetric root of C: it needs no eigenvectors, and has the same bits everywhere. A
/// draw outside the cube is folded at its faces, and the folded point is what is learnt from; a generation with such points has
/// no negative weights. Discrete parameters are snapped by the space; where the distribution has become narrower than a fifth of
/// a value's bin, a draw is scattered that wide, so that other values are still tried. Steps that C did not make (late, adopted
/// or scattered ones) are shortened to the length √d + 2d/(d + 2), and have no negative weight.
///
/// # References
/// Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv:1604.00772; Hansen, *Injecting External Solutions Into CMA-ES*,
/// arXiv:1110.4181; Krause, Arbonès and Igel, *CMA-ES with Optimal Covariance Update and Storage Complexity*, NIPS 2016.
#[derive(Debug)]
pub(crate) struct Cma<'a, R> {
    /// Of this generation, whose head also has its number and σ. A row is value; 0 if C made it, 1 if not, 2 if the cube has
    /// folded it; coordinates. Open individuals have the generation they are of, ½ more for those that were folded.
    state: State<'a, R>,
    mean: &'a mut [R],
    /// p_σ and p_c.
    paths: &'a mut [R],
    /// C, packed.
    matrix: &'a mut [R],
    /// L, packed.
    factor: &'a mut [R],
    work: &'a mut [R],
}

const AGE: usize = 2;
const STEP: usize = 3;
const HEAD: usize = 4 + PULSE;
/// The most generations that are counted.
const OLDEST: usize = 1 << 22;
/// The first σ, as a part of the cube.
const FIRST: f64 = 0.3;
/// Draws made in vain before one is taken from the whole space.
const TRIES: u32 = 16;
/// A change of the best value that is none, as a part of all its changes.
const TOLERANCE: f64 = 1e-12;
/// The narrowest distribution of a discrete parameter, as a part of a value's bin.
const BIN: f64 = 0.2;

impl<'a, R: Real> Cma<'a, R> {
    /// Scalars of the state; `usize::MAX` if they cannot be counted.
    ///
    /// ```text
    /// 9 + 5d + d(d + 1) + λ(d + 2) + open(d + 4)
    /// ```
    pub(crate) const fn scalars(group: Population) -> usize {
        let dims = group.dims;
        let rows = group.offspring.saturating_mul(dims.saturating_add(2));
        let slots = group.open.saturating_mul(dims.saturating_add(KEY + 1));
        linalg::packed(dims)
            .saturating_mul(2)
            .saturating_add(dims.saturating_mul(5))
            .saturating_add(rows)
            .saturating_add(slots)
            .saturating_add(HEAD)
    }

    /// The unit matrix and no paths.
    fn spread_out(&mut self) {
        for values in [&mut *self.paths, &mut *self.matrix, &mut *self.factor, &mut *self.work] {
            values.fill(R::ZERO);
        }
        for i in 0..self.state.group.dims {
            let last = linalg::packed(i) + i;
            (self.matrix[last], self.factor[last]) = (R::ONE, R::ONE);
        }
    }

    /// Begins at a point.
    fn begin(&mut self, unit: &[R]) {
        inside(unit, self.mean);
        self.state.head[BORN] = R::ONE;
    }

    /// Counts a value, and closes the generation with the last one, at a cost of O(λd² + d³).
    fn count(&mut self) -> bool {
        if !self.state.count(self.state.group.offspring) {
            return false;
        }
        // Values of individuals that an earlier start left open may come before the first ask of this one.
        if !self.state.is_born() {
            self.mean.copy_from_slice(&self.state.rows[2..2 + self.state.group.dims]);
        }
        self.state.close();
        if self.adapt().is_none() {
            self.restart();
        }
        self.state.rows.fill(R::NAN);
        true
    }

    /// Moves mean, step and matrix; nothing if numbers broke down.
    fn adapt(&mut self) -> Option<()> {
        let dims = self.state.group.dims;
        let d = R::of_usize(dims);
        let rates = Rates::<R>::new(self.state.group);
        let Rates { mass, c_sigma, damping, c_c, c_1, c_mu, chi, .. } = rates;

        let step = self.state.head[STEP];
        let longest = d.sqrt() + R::TWO * d / (d + R::TWO);
        let (y, z) = self.work.split_at_mut(dims);
        y.fill(R::ZERO);
        // At a face all are folded to one side: away from the bad ones is then away from the good ones, too.
        let free = self.state.rows.chunks_exact(dims + 2).all(|row| row[1] != R::TWO);
        let mut total = R::ZERO;
        for (i, row) in self.state.rows.chunks_exact_mut(dims + 2).enumerate() {
            let (notes, x) = row.split_at_mut(2);
            for (x, &m) in x.iter_mut().zip(self.mean.iter()) {
                *x = (*x - m) / step;
            }
            let foreign = notes[1] == R::ONE;
            let w = rates.weight(i).max(if free && !foreign { -R::INFINITY } else { R::ZERO });
            notes[1] = w;
            if foreign || w < R::ZERO {
                z.copy_from_slice(x);
                linalg::solve_lower(self.factor, dims, z).ok()?;
                let square = math::dot(z, z);
                let length = square.sqrt();
                if w < R::ZERO {
                    // Whoever is at the mean says nothing.
                    let far = square > R::EPSILON * R::EPSILON;
                    notes[1] = if far { w * d / square } else { R::ZERO };
                } else if length.is_nan() || length > longest {
                    x.iter_mut().for_each(|x| *x *= longest / length);
                }
            }
            total += w;
            if w > R::ZERO {
                math::axpy(w, x, y);
            }
        }
        z.copy_from_slice(y);
        linalg::solve_lower(self.factor, dims, z).ok()?;
        let (path, long) = self.paths.split_at_mut(dims);
        let pull = (c_sigma * (R::TWO - c_sigma) * mass).sqrt();
        for (p, &z) in path.iter_mut().zip(z.iter()) {
            *p = (R::ONE - c_sigma) * *p + pull * z;
        }
        let length = math::dot(path, path).sqrt();
        let age = self.state.head[AGE] + R::ONE;
        let known = (R::ONE - (R::ONE - c_sigma).pow(R::TWO * age)).sqrt();
        let calm = length / known < (R::of(1.4) + R::TWO / (d + R::ONE)) * chi;
        let pull = if calm { (c_c * (R::TWO - c_c) * mass).sqrt() } else { R::ZERO };
        for (p, &y) in long.iter_mut().zip(y.iter()) {
            *p = (R::ONE - c_c) * *p + pull * y;
        }
        let lost = if calm { R::ZERO } else { c_1 * c_c * (R::TWO - c_c) };
        let keep = R::ONE - c_1 - c_mu * total + lost;
        for r in 0..dims {
            let line = &mut self.matrix[linalg::packed(r)..linalg::packed(r + 1)];
            line.iter_mut().for_each(|c| *c *= keep);
            math::axpy(c_1 * long[r], &long[..=r], line);
            for row in self.state.rows.chunks_exact(dims + 2) {
                let x = &row[2..];
                math::axpy(c_mu * row[1] * x[r], &x[..=r], line);
            }
        }
        for (m, &y) in self.mean.iter_mut().zip(y.iter()) {
            // Inside but for rounding: a mean of points that are.
            *m = (*m + step * y).clamp(R::ZERO, R::ONE);
        }
        let next = step * (c_sigma / damping * (length / chi - R::ONE)).min(R::ONE).exp();
        self.factor.copy_from_slice(self.matrix);
        linalg::factor(self.factor, dims).ok()?;
        // A step beyond the cube only folds.
        self.state.head[STEP] = next.min(R::of(1e3));
        self.state.head[AGE] = if age < R::of_usize(OLDEST) { age } else { R::ONE };
        let sound = next > R::ZERO && self.factor.iter().chain(self.paths.iter()).all(|v| v.is_finite());
        sound.then_some(())
    }
}

impl<'a, R: Real> Strategy<'a, R> for Cma<'a, R> {
    fn cut(state: &'a mut [R], group: Population) -> Result<Self, Error> {
        let group = group.check()?;
        let (needed, dims) = (Self::scalars(group), group.dims);
        let state = state.get_mut(..needed).ok_or(Error::Shape { needed })?;
        let (head, rest) = state.split_at_mut(HEAD);
        let (mean, rest) = rest.split_at_mut(dims);
        let (paths, rest) = rest.split_at_mut(2 * dims);
        let (matrix, rest) = rest.split_at_mut(linalg::packed(dims));
        let (factor, rest) = rest.split_at_mut(linalg::packed(dims));
        let (rows, rest) = rest.split_at_mut(group.offspring * (dims + 2));
        let (slots, work) = rest.split_at_mut(group.open * (KEY + 1 + dims));
        let state = State { group, tolerance: R::of(TOLERANCE), head, rows, slots };
        Ok(Self { state, mean, paths, matrix, factor, work })
    }

    fn is_sound(&self) -> bool {
        let head = &self.state.head;
        let inside = |unit: &[R]| unit.iter().all(|u| (R::ZERO..=R::ONE).contains(u));
        let finite = |values: &[R]| values.iter().all(|v| v.is_finite());
        let mut sound = is_count(head[AGE], OLDEST)
            && head[STEP] > R::ZERO
            && head[STEP].is_finite()
            && inside(self.mean)
            && finite(self.paths)
            && finite(self.matrix)
            && finite(self.factor);
        for i in 0..self.state.group.dims {
            let last = linalg::packed(i) + i;
            sound &= self.factor[last] > R::ZERO && self.matrix[last] > R::ZERO;
        }
        sound &= self.state.is_sound(
            |row| is_count(row[0], 2) && inside(&row[1..]),
            |genes| is_count(genes[0].floor() + R::ONE, OLDEST + 1) && inside(&genes[1..]),
        );
        sound
    }

    fn state(&mut self) -> &mut State<'a, R> {
        &mut self.state
    }

    fn make(&mut self, domain: &Domain<'_>, dice: &mut Generator, unit: &mut [R]) -> Result<(), Error> {
        let dims = unit.len();
        if !self.state.is_born() {
            domain.sample(dice, unit)?;
            self.begin(unit);
        }
        let (step, age) = (self.state.head[STEP], self.state.head[AGE]);
        let (draw, rest) = self.work.split_at_mut(dims);
        let genes = self.state.free()?;
        let mut made = false;
        for _ in 0..TRIES {
            let z = &mut rest[..dims];
            z.iter_mut().for_each(|z| *z = normal(dice));
            linalg::multiply_lower(self.factor, dims, z, draw)?;
            genes[0] = age;
            let mut folded = false;
            for i in 0..dims {
                let free = self.mean[i] + step * draw[i];
                let u = reflect(free);
                genes[1 + i] = u;
                folded |= u != free;
                let Some(count) = domain.count(i) else { continue };
                let least = R::of(BIN / count as f64);
                let width = step * self.matrix[linalg::packed(i) + i].sqrt();
                if width < least {
                    let extra = (least * least - width * width).sqrt() * normal::<R, _>(dice);
                    let scattered = reflect(u + extra);
                    let rank = domain.rank(i, scattered);
                    if rank != domain.rank(i, u) {
                        genes[1 + i] = domain.at_rank(i, rank);
                        genes[0] = -R::ONE;
                    }
                }
            }
            if folded && genes[0] >= R::ZERO {
                genes[0] += R::HALF;
            }
            unit.copy_from_slice(&genes[1..]);
            domain.snap(unit);
            made = domain.allows(unit);
            if made {
                break;
            }
        }
        if !made {
            domain.sample(dice, unit)?;
            inside(unit, &mut genes[1..]);
            genes[0] = -R::ONE;
        }
        Ok(())
    }

    fn tell(&mut self, key: u64, value: R) -> Result<bool, Error> {
        let age = self.state.head[AGE];
        if let Some(row) = self.state.tell(key, value)? {
            row[0] = match row[0] - age {
                late if late == R::ZERO => R::ZERO,
                late if late == R::HALF => R::TWO,
                _ => R::ONE,
            };
        }
        Ok(self.count())
    }

    fn adopt(&mut self, domain: &Domain<'_>, unit: &[R], value: R) -> Result<bool, Error> {
        if let Some(row) = self.state.adopt(domain, unit, value)? {
            row[0] = R::ONE;
            inside(unit, &mut row[1..]);
        }
        if !self.state.is_born() {
            self.begin(unit);
        }
        Ok(self.count())
    }

    /// Begins again at a random mean.
    fn restart(&mut self) {
        self.state.restart();
        self.state.head[STEP] = R::of(FIRST);
        self.mean.fill(R::HALF);
        for place in 0..self.state.group.open {
            self.state.genes(place)[0] = -R::ONE;
        }
        self.spread_out();
    }

    /// Whether the distribution is as narrow as the scalar resolves, or the best value of a generation has stayed the same,
    /// within the tolerance, for 10 + ⌈30d/λ⌉ generations.
    fn stalled(&self) -> bool {
        let widest = (0..self.mean.len()).fold(R::ZERO, |w, i| w.max(self.matrix[linalg::packed(i) + i]));
        self.state.is_still(10) || self.state.head[STEP] * widest.sqrt() < R::of(8.0) * R::EPSILON
    }
}

/// A point as coordinates of the cube, whatever stands for a parameter that does not matter.
fn inside<R: Real>(unit: &[R], out: &mut [R]) {
    for (out, &u) in out.iter_mut().zip(unit) {
        *out = if (R::ZERO..=R::ONE).contains(&u) { u } else { R::HALF };
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::super::Strategy;
    use super::{Cma, Population};
    use crate::rng::Generator;
    use crate::space::{Domain, Param, Space};

    /// C after each of several generations, from the tutorial's formula with the inverse of C (by hand, it is 2 × 2) instead of
    /// a factor, and with the weights and rates that the package `cma` 4.5.0 has for two dimensions.
    #[test]
    fn the_matrix_follows_the_formula() {
        let weights = [
            0.6370425712412168,
            0.28457025743803294,
            0.07838717132075033,
            -0.28638378259655295,
            -0.7649580940851277,
            -1.1559817781589212,
        ];
        let (c_1, c_mu, c_c) = (0.1548153998964136, 0.08559277942666424, 0.6245545390268264);
        let params = [Param::real(0.0, 1.0); 2];
        let space = Space::new(&params, &[]).unwrap();
        let mut words = vec![0; space.words()];
        space.write(&mut words).unwrap();
        let domain = Domain::attach::<f64>(&words).unwrap();
        let group = Population::cma(2, 1);
        let mut state = vec![0.0; Cma::<f64>::scalars(group)];
        let mut cma = Cma::new(&mut state, group).unwrap();
        let g = &mut Generator::new(4);
        let (mut x, mut stalls, mut folds) = ([0.0f64; 2], 0, 0);
        for _ in 0..30 {
            let mut told: Vec<(f64, [f64; 2])> = Vec::new();
            let mut folded = false;
            cma.ask(&domain, g, 0, &mut x).unwrap();
            let (mean, step) = ([cma.mean[0], cma.mean[1]], cma.state.head[super::STEP]);
            let [a, b, c] = [cma.matrix[0], cma.matrix[1], cma.matrix[2]];
            for _ in 0..6 {
                let value = (x[0] - 0.3).powi(2) + 20.0 * (x[1] - 0.8 * x[0]).powi(2);
                told.push((value, x));
                folded |= cma.state.slots[super::KEY].fract() == 0.5;
                if !cma.tell(0, value).unwrap() {
                    cma.ask(&domain, g, 0, &mut x).unwrap();
                }
            }
            told.sort_by(|p, q| p.0.total_cmp(&q.0));
            let p = [cma.paths[2], cma.paths[3]];
            folds += u32::from(folded);
            let weights = weights.map(|w: f64| if folded { w.max(0.0) } else { w });
            // Where p_σ is long, p_c does without the newest step, and C is given back what that takes.
            let matches = |lost: f64| {
                let keep = 1.0 - c_1 - c_mu * weights.iter().sum::<f64>() + lost;
                let mut wanted = [keep * a, keep * b, keep * c];
                let mut add = |w: f64, y: [f64; 2]| {
                    wanted[0] += w * y[0] * y[0];
                    wanted[1] += w * y[0] * y[1];
                    wanted[2] += w * y[1] * y[1];
                };
                add(c_1, p);
                for (w, (_, x)) in weights.into_iter().zip(&told) {
                    let y = [(x[0] - mean[0]) / step, (x[1] - mean[1]) / step];
                    let square =
                        (c * y[0] * y[0] - 2.0 * b * y[0] * y[1] + a * y[1] * y[1]) / (a * c - b * b);
                    add(c_mu * if w < 0.0 { w * 2.0 / square } else { w }, y);
                }
                wanted.iter().zip(cma.matrix.iter()).all(|(w, m)| (w - m).abs() < 1e-12 * a.max(c))
            };
            let stalled = matches(c_1 * c_c * (2.0 - c_c));
            assert!(matches(0.0) || stalled, "{:?}", cma.matrix);
            stalls += u32::from(stalled);
        }
        assert!(stalls < 10 && (1..10).contains(&folds), "{stalls} {folds}");
    }
}
