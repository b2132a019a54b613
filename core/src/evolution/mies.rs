//! MI-ES, the mixed-integer evolution strategy.

use rand_core::Rng;

use super::state::{KEY, PULSE, State};
use super::{Population, Strategy, reflect};
use crate::error::Error;
use crate::real::Real;
use crate::rng::{Generator, below, normal, uniform};
use crate::space::{Domain, Kind};

/// The (μ, λ) evolution strategy for reals, integers and categories, with conditions, that adapts its own steps.
///
/// ```text
/// gene        of one of two random parents, each with probability ½; σ, η, p their mean
/// real        σᵢ ← σᵢ exp(τN + τ'Nᵢ),          uᵢ ← T(uᵢ + σᵢ Nᵢ')
/// integer     ηᵢ ← max(1, ηᵢ exp(τN + τ'Nᵢ)),  zᵢ ← T(zᵢ + G₁ − G₂),  E|G₁ − G₂| = ηᵢ/n_z
/// category    p ← 1/(1 + (1 − p)/p · exp(−τN)) in [1/(3n_d), ½],  another level with probability p
/// ```
///
/// τ = 1/√(2n), τ' = 1/√(2√n), where n counts the parameters of one sort that matter; T folds at the bounds. Reals and
/// integers on a log scale move in unit coordinates, other integers and ordinals by their ranks. A parameter that begins to
/// matter is drawn anew. A forbidden child is made again up to 16 times, then drawn from the whole space.
///
/// # References
/// Li, Emmerich, Eggermont, Bäck, Schütz, Dijkstra and Reiber, *Mixed integer evolution strategies for parameter optimization*,
/// Evolutionary Computation 21(1), 2013.
#[derive(Debug)]
pub(crate) struct Mies<'a, R> {
    /// Of this generation; a row is value, p, coordinates, steps.
    state: State<'a, R>,
    /// The parents, in rows.
    parents: &'a mut [R],
}

const HEAD: usize = 2 + PULSE;
/// First steps, as a part of the range.
const FIRST: f64 = 0.05;
/// Children made in vain before one is drawn from the whole space.
const TRIES: u32 = 16;
/// A change of the best value that is none, as a part of all its changes.
const TOLERANCE: f64 = 1e-5;
/// The smallest step of a real.
const NARROWEST: f64 = 1e-12;

impl<'a, R: Real> Mies<'a, R> {
    /// Scalars of the state; `usize::MAX` if they cannot be counted.
    ///
    /// ```text
    /// 7 + 2μ(2d + 2) + open(2d + 4)
    /// ```
    pub(crate) const fn scalars(group: Population) -> usize {
        let row = group.dims.saturating_mul(2).saturating_add(2);
        let rows = group.parents.saturating_mul(2).saturating_mul(row);
        let slots = group.open.saturating_mul(row.saturating_add(KEY - 1));
        rows.saturating_add(slots).saturating_add(HEAD)
    }

    /// Counts a value, and closes the generation with the last one.
    fn count(&mut self) -> bool {
        let Population { parents, offspring, .. } = self.state.group;
        let last = self.state.count(if self.state.is_born() { offspring } else { parents });
        if last {
            self.state.close();
            self.parents.copy_from_slice(self.state.rows);
            self.state.rows.fill(R::NAN);
        }
        last
    }
}

impl<'a, R: Real> Strategy<'a, R> for Mies<'a, R> {
    fn cut(state: &'a mut [R], group: Population) -> Result<Self, Error> {
        let group = group.check()?;
        let needed = Self::scalars(group);
        let state = state.get_mut(..needed).ok_or(Error::Shape { needed })?;
        let half = group.parents * (2 + 2 * group.dims);
        let (head, rest) = state.split_at_mut(HEAD);
        let (parents, rest) = rest.split_at_mut(half);
        let (rows, slots) = rest.split_at_mut(half);
        Ok(Self { state: State { group, tolerance: R::of(TOLERANCE), head, rows, slots }, parents })
    }

    fn is_sound(&self) -> bool {
        let soul = |soul: &[R]| {
            let (p, rest) = soul.split_at(1);
            let (unit, steps) = rest.split_at(self.state.group.dims);
            p[0] > R::ZERO
                && p[0] <= R::HALF
                && unit.iter().all(|&u| u.is_nan() || (R::ZERO..=R::ONE).contains(&u))
                && steps.iter().all(|&s| s > R::ZERO && s.is_finite())
        };
        let born = self.state.is_born();
        let parents = self.parents.chunks_exact(self.state.row()).all(|parent| {
            let there = !parent[0].is_nan();
            there == born && (!there || soul(&parent[1..]))
        });
        parents && self.state.is_sound(soul, soul)
    }

    fn state(&mut self) -> &mut State<'a, R> {
        &mut self.state
    }

    fn make(&mut self, domain: &Domain<'_>, dice: &mut Generator, unit: &mut [R]) -> Result<(), Error> {
        let born = self.state.is_born();
        let soul = self.state.free()?;
        if born {
            return breed(domain, dice, self.parents, soul, unit);
        }
        domain.sample(dice, unit)?;
        settle_in(domain, unit, soul);
        Ok(())
    }

    fn tell(&mut self, key: u64, value: R) -> Result<bool, Error> {
        self.state.tell(key, value)?;
        Ok(self.count())
    }

    /// As it is told, with first steps.
    fn adopt(&mut self, domain: &Domain<'_>, unit: &[R], value: R) -> Result<bool, Error> {
        if let Some(row) = self.state.adopt(domain, unit, value)? {
            settle_in(domain, unit, row);
        }
        Ok(self.count())
    }

    fn restart(&mut self) {
        self.state.restart();
        self.parents.fill(R::NAN);
    }

    /// Whether the best value of a generation has stayed the same, within the tolerance, for 3 + ⌈30d/λ⌉ generations.
    fn stalled(&self) -> bool {
        self.state.is_still(3)
    }
}

/// Writes the individual at a point, with first steps.
fn settle_in<R: Real>(domain: &Domain<'_>, unit: &[R], soul: &mut [R]) {
    let dims = unit.len();
    let (p, rest) = soul.split_at_mut(1);
    let (genes, steps) = rest.split_at_mut(dims);
    genes.copy_from_slice(unit);
    domain.mark(genes);
    let mut nominal = 0;
    for (i, step) in steps.iter_mut().enumerate() {
        *step = R::of(FIRST);
        if domain.kind(i) == Kind::Categorical {
            nominal += usize::from(!genes[i].is_nan());
        } else if by_rank(domain, i) {
            let range = domain.count(i).unwrap_or(1).saturating_sub(1);
            *step = R::of(FIRST * range as f64).max(R::ONE);
        }
    }
    p[0] = (R::ONE / R::of_usize(nominal.max(1))).min(R::HALF);
}

/// Whether a parameter moves by its ranks.
fn by_rank(domain: &Domain<'_>, parameter: usize) -> bool {
    match domain.kind(parameter) {
        Kind::Integer => !domain.logarithmic(parameter),
        Kind::Ordinal => true,
        Kind::Real | Kind::Categorical => false,
    }
}

/// Writes a child of two random parents.
fn breed<R: Real>(
    domain: &Domain<'_>,
    generator: &mut Generator,
    parents: &[R],
    soul: &mut [R],
    unit: &mut [R],
) -> Result<(), Error> {
    let (dims, row) = (unit.len(), soul.len() + 1);
    let count = (parents.len() / row) as u64;
    for _ in 0..TRIES {
        let mut pick = || {
            let which = below(generator, count) as usize;
            &parents[which * row + 1..(which + 1) * row]
        };
        let (a, b) = (pick(), pick());
        for k in (0..1).chain(1 + dims..1 + 2 * dims) {
            soul[k] = (a[k] + b[k]) * R::HALF;
        }
        let genes = &mut soul[1..=dims];
        domain.compose(generator, genes, |g, i, _| {
            let (one, other) = if g.next_u64() >> 63 == 0 { (a, b) } else { (b, a) };
            // What does not matter in one parent may matter in the other.
            if one[1 + i].is_nan() { other[1 + i] } else { one[1 + i] }
        });
        mutate(domain, generator, soul);
        unit.copy_from_slice(&soul[1..=dims]);
        domain.snap(unit);
        if domain.allows(unit) {
            return Ok(());
        }
    }
    domain.sample(generator, unit)?;
    settle_in(domain, unit, soul);
    Ok(())
}

/// How the steps of one sort of parameters change together.
struct Pace<R> {
    shared: R,
    own: R,
    count: R,
}

impl<R: Real> Pace<R> {
    fn draw(generator: &mut Generator, count: usize) -> Self {
        let n = R::of_usize(count.max(1));
        let shared = normal::<R, _>(generator) / (R::TWO * n).sqrt();
        Self { shared, own: R::ONE / (R::TWO * n.sqrt()).sqrt(), count: n }
    }

    fn factor(&self, generator: &mut Generator) -> R {
        (self.shared + self.own * normal::<R, _>(generator)).exp()
    }
}

/// Mutates steps and genes of an individual whose genes are marked.
fn mutate<R: Real>(domain: &Domain<'_>, generator: &mut Generator, soul: &mut [R]) {
    let (p, rest) = soul.split_at_mut(1);
    let (genes, steps) = rest.split_at_mut((rest.len()) / 2);
    let (mut real, mut whole, mut nominal) = (0, 0, 0);
    for (i, gene) in genes.iter().enumerate() {
        if !gene.is_nan() {
            match domain.kind(i) {
                Kind::Real => real += 1,
                Kind::Integer | Kind::Ordinal => whole += 1,
                Kind::Categorical => nominal += 1,
            }
        }
    }
    let reals = Pace::draw(generator, real);
    let wholes = Pace::draw(generator, whole);
    let n = R::of_usize(nominal.max(1));
    let pace = normal::<R, _>(generator) / (R::TWO * n).sqrt();
    let least = R::ONE / (R::of(3.0) * n);
    p[0] = (R::ONE / (R::ONE + (R::ONE - p[0]) / p[0] * (-pace).exp())).clamp(least, R::HALF);
    let flip = p[0];
    domain.compose(generator, genes, |g, i, u| {
        // What begins to matter is drawn anew, and has moved enough.
        if u.is_nan() {
            return u;
        }
        match domain.kind(i) {
            Kind::Real => {
                steps[i] = (steps[i] * reals.factor(g)).clamp(R::of(NARROWEST), R::ONE);
                reflect(u + steps[i] * normal::<R, _>(g))
            }
            Kind::Categorical => {
                let count = domain.count(i).unwrap_or(1);
                if uniform::<R, _>(g) >= flip {
                    return u;
                }
                let (here, other) = (domain.rank(i, u), below(g, count.saturating_sub(1)));
                domain.at_rank(i, if other < here { other } else { other + 1 })
            }
            Kind::Integer | Kind::Ordinal if by_rank(domain, i) => {
                let last = domain.count(i).unwrap_or(1).saturating_sub(1) as f64;
                steps[i] = (steps[i] * wholes.factor(g)).clamp(R::ONE, R::of(last).max(R::ONE));
                let moved = domain.rank(i, u) as f64 + jump(g, (steps[i] / wholes.count).to_f64());
                domain.at_rank(i, fold(moved, last))
            }
            // Integers on a log scale: as a real, at least half a value wide.
            Kind::Integer | Kind::Ordinal => {
                let rank = domain.rank(i, u);
                let next = domain.at_rank::<R>(i, rank + 1);
                let gap = (next - u).max(u - domain.at_rank::<R>(i, rank.saturating_sub(1)));
                steps[i] = (steps[i] * wholes.factor(g)).clamp(gap * R::HALF, R::ONE);
                reflect(u + steps[i] * normal::<R, _>(g))
            }
        }
    });
}

/// A rank folded into 0 … last, exactly.
fn fold(moved: f64, last: f64) -> u64 {
    let period = 2.0 * last.max(1.0);
    let inside = moved - period * Real::floor(moved / period);
    (if inside > last { period - inside } else { inside }) as u64
}

/// The difference of two geometric variables, whose absolute value is `q` on average.
///
/// ```text
/// 1 − ψ = q/(1 + √(1 + q²)),   G = ⌊ln(1 − u)/ln(1 − ψ)⌋
/// ```
pub(super) fn jump(generator: &mut Generator, q: f64) -> f64 {
    let rest = q / (1.0 + Real::sqrt(1.0 + q * q));
    let slope = Real::ln(rest);
    let mut one = || {
        let u: f64 = uniform(generator);
        Real::floor(Real::ln_1p(-u) / slope)
    };
    let difference = one() - one();
    if difference.is_finite() { difference } else { 0.0 }
}
