//! Error bound of one covariance, node by node: a running error analysis.
//!
//! What an elementary operation of a shader may be off by is what the specification of WGSL grants, in units of u = 2⁻²⁴, a
//! half of its ULP: 1 for sums and products, 5 for a quotient, 9 for a root, 6 + 4|x| for exp x, 6 |ln x| and at least 8 in all
//! for ln x. Coordinates and hyperparameters arrive rounded, u each. A node passes the errors of its arguments on by its
//! slope.

use infill::Real;
use infill::kernel::{Discrete, Form, Formula, Gate, Half, Node, Op, Profile, Tape};

/// The unit roundoff u of single precision.
pub(crate) const UNIT: f64 = 1.0 / 16_777_216.0;
const QUOTIENT: f64 = 5.0;
const ROOT: f64 = 9.0;
/// A sine or an arc sine by the polynomials of `shaders/tape.wgsl`, together with their own roundings.
const ANGLE: f64 = 6.0;

/// A number with the roundings in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rounded {
    pub(crate) value: f64,
    /// The sum of the bounds of all roundings: the error if all were as large as they may be and of one sign.
    pub(crate) most: f64,
    /// The sum of their squares: of independent roundings the error exceeds six roots of it once in 10⁷.
    pub(crate) square: f64,
}

impl Rounded {
    fn new(value: f64) -> Self {
        Self { value, most: 0.0, square: 0.0 }
    }

    /// With another rounding of so many u.
    fn off(mut self, units: f64) -> Self {
        let bound = (UNIT * units).abs();
        self.most += bound;
        self.square += bound * bound;
        self
    }

    /// With the roundings of an argument, which counts by so much.
    fn from(mut self, argument: Self, slope: f64) -> Self {
        self.most += (slope * argument.most).abs();
        self.square += slope * slope * argument.square;
        self
    }

    /// A sum of terms, one after the other.
    fn sum(terms: impl Iterator<Item = Self>) -> Self {
        terms.fold(Self::new(0.0), |sum, term| {
            let value = sum.value + term.value;
            // Nothing is rounded in adding to zero.
            let units = if sum.value == 0.0 { 0.0 } else { value };
            Self::new(value).from(sum, 1.0).from(term, 1.0).off(units)
        })
    }

    /// The exponential of the negative.
    fn exp_negative(self) -> Self {
        let value = (-self.value).exp();
        // What is smaller than the smallest normal number may be flushed to zero.
        let least = f64::from(f32::MIN_POSITIVE) / UNIT;
        Self::new(value).from(self, value).off((6.0 + 4.0 * self.value.abs()) * value).off(least)
    }
}

/// k(a, b) with its roundings.
pub(crate) fn covariance<R: Real>(tape: Tape<'_>, theta: &[R], a: &[R], b: &[R]) -> Rounded {
    let mut stack: Vec<Rounded> = Vec::new();
    for node in tape.nodes() {
        let leaf = Leaf { tape, node, theta, a, b };
        let mut pop = || stack.pop().unwrap_or_default();
        let value = match node.op().form() {
            Form::Sum => {
                let (b, a) = (pop(), pop());
                Rounded::sum([a, b].into_iter())
            }
            Form::Product => {
                let (b, a) = (pop(), pop());
                let value = a.value * b.value;
                Rounded::new(value).from(a, b.value).from(b, a.value).off(value)
            }
            Form::Scale => {
                let (a, s) = (pop(), leaf.natural(node.theta()));
                Rounded::new(s * a.value).from(a, s).off(s * a.value).off(s * a.value)
            }
            Form::Leaf(formula) => leaf.value(formula),
        };
        stack.push(value);
    }
    stack.pop().unwrap_or_default()
}

/// A node with a pair of points.
struct Leaf<'a, R> {
    tape: Tape<'a>,
    node: Node,
    theta: &'a [R],
    a: &'a [R],
    b: &'a [R],
}

impl<R: Real> Leaf<'_, R> {
    fn natural(&self, index: usize) -> f64 {
        self.theta.get(index).map_or(0.0, |value| value.to_f64().exp())
    }

    /// Parameter of coordinate i: a length scale, a weight, a period.
    fn slot(&self, i: usize) -> f64 {
        self.natural(self.node.theta() + if self.node.is_ard() { i } else { 0 })
    }

    /// The parameter that stands behind those.
    fn second(&self, i: usize) -> f64 {
        let node = &self.node;
        let skip = if node.is_ard() { node.len() } else { 1 };
        let within = if node.is_ard() && node.op().has_second_per_dimension() { i } else { 0 };
        self.natural(node.theta() + skip + within)
    }

    fn pair(&self, i: usize) -> (f64, f64) {
        let entry = self.node.first() + i;
        let dim = if self.node.is_list() {
            (self.tape.list_pair(entry / 2) >> (16 * (entry % 2))) as usize & 0xffff
        } else {
            entry
        };
        let at = |point: &[R]| point.get(dim).map_or(0.0, |value| value.to_f64());
        (at(self.a), at(self.b))
    }

    /// (a − b)/by: both coordinates, their difference, the divisor and the quotient are rounded.
    fn quotient(&self, i: usize, by: f64) -> Rounded {
        let (a, b) = self.pair(i);
        let value = (a - b) / by;
        Rounded::new(value).off(a / by).off(b / by).off(value).off(value).off(QUOTIENT * value)
    }

    fn value(&self, formula: Formula) -> Rounded {
        let all = 0..self.node.len();
        match formula {
            Formula::Constant => {
                let value = self.natural(self.node.theta());
                Rounded::new(value).off(value)
            }
            Formula::Laplace => {
                let part = |i| {
                    let t = self.quotient(i, self.slot(i));
                    Rounded { value: t.value.abs(), ..t }
                };
                Rounded::sum(all.map(part)).exp_negative()
            }
            Formula::Periodic => {
                let part = |i| {
                    let turn = self.quotient(i, 2.0 * self.second(i));
                    let angle = std::f64::consts::TAU * turn.value;
                    let sine = Rounded::new(angle.sin()).from(turn, std::f64::consts::TAU).off(ANGLE);
                    let length = self.slot(i);
                    let s = sine.value / length;
                    let s = Rounded::new(s).from(sine, 1.0 / length).off(s).off(QUOTIENT * s);
                    Rounded::new(s.value * s.value).from(s, 2.0 * s.value).off(s.value * s.value)
                };
                let sum = Rounded::sum(all.map(part));
                Rounded { value: 2.0 * sum.value, most: 2.0 * sum.most, square: 4.0 * sum.square }
                    .exp_negative()
            }
            Formula::Cosine => {
                let sum = Rounded::sum(all.map(|i| self.quotient(i, self.slot(i))));
                // A turn is folded, a quarter is added, and the whole becomes an angle.
                let tau = std::f64::consts::TAU;
                Rounded::new((tau * sum.value).cos()).from(sum, tau).off(tau).off(ANGLE)
            }
            Formula::Linear => self.dot(|i| self.pair(i)),
            Formula::Polynomial => {
                let (base, degree) = (self.dot(|i| self.pair(i)), i32::from(self.node.degree()));
                let value = base.value.powi(degree);
                let slope = f64::from(degree) * base.value.powi(degree - 1);
                (0..degree).fold(Rounded::new(value).from(base, slope), |sum, _| sum.off(value))
            }
            Formula::ArcSine => self.arc_sine(),
            Formula::Discrete(Discrete::Hamming) => {
                let differs = all.filter(|&i| self.pair(i).0 != self.pair(i).1);
                Rounded::sum(differs.map(|i| Rounded::new(self.slot(i)).off(self.slot(i)))).exp_negative()
            }
            Formula::Discrete(Discrete::Exchangeable) => {
                let differs = all.filter(|&i| self.pair(i).0 != self.pair(i).1);
                let count = differs.clone().count();
                let value = differs.map(|i| self.slot(i)).product();
                (0..2 * count).fold(Rounded::new(value), |sum, _| sum.off(value))
            }
            Formula::Gate(Gate::Branch) => self.gate(|a, b| a == b),
            Formula::Gate(Gate::Active) => self.gate(|a, b| (a < 0.0) == (b < 0.0)),
            Formula::Arc => self.arc(),
            Formula::OneHot => self.one_hot(),
            Formula::Radial(profile) => {
                self.radial(profile, &all.map(|i| self.quotient(i, self.slot(i))).collect::<Vec<_>>())
            }
        }
    }

    /// 1 or 0, which is exact.
    fn gate(&self, meets: impl Fn(f64, f64) -> bool) -> Rounded {
        let open = (0..self.node.len()).map(|i| self.pair(i)).all(|(a, b)| meets(a, b));
        Rounded::new(f64::from(u8::from(open)))
    }

    /// A profile of chords: 2 r sin of a rounded part of a turn, or r.
    fn arc(&self) -> Rounded {
        let chord = |i: usize| {
            let ((a, b), radius) = (self.pair(i), self.second(i));
            if a < 0.0 && b < 0.0 {
                return Rounded::new(0.0);
            }
            if a < 0.0 || b < 0.0 {
                return Rounded::new(radius).off(radius);
            }
            let rate = 0.25 * self.slot(i);
            let turn = rate * (a - b);
            // Both coordinates, their difference, the angle and the product.
            let turn = Rounded::new(turn).off(rate * a).off(rate * b).off(turn).off(turn).off(turn);
            let tau = std::f64::consts::TAU;
            let sine = Rounded::new((tau * turn.value).sin()).from(turn, tau).off(ANGLE);
            let value = 2.0 * radius * sine.value;
            Rounded::new(value).from(sine, 2.0 * radius).off(value).off(value)
        };
        let parts: Vec<Rounded> = (0..self.node.len()).map(chord).collect();
        self.radial(profile(self.node), &parts)
    }

    /// A profile of quotients and, where categories differ, of √2/ℓ.
    fn one_hot(&self) -> Rounded {
        let numbers = self.node.len() - usize::from(self.node.degree() >> 8);
        let part = |i: usize| {
            let (a, b) = self.pair(i);
            if i < numbers {
                return self.quotient(i, self.slot(i));
            }
            let value = if a == b { 0.0 } else { std::f64::consts::SQRT_2 / self.slot(i) };
            Rounded::new(value).off(value).off(QUOTIENT * value)
        };
        let parts: Vec<Rounded> = (0..self.node.len()).map(part).collect();
        self.radial(profile(self.node), &parts)
    }

    /// Σ w a b: coordinates, weight and both products are rounded.
    fn dot(&self, of: impl Fn(usize) -> (f64, f64)) -> Rounded {
        let part = |i| {
            let (a, b) = of(i);
            let value = self.slot(i) * a * b;
            (0..5).fold(Rounded::new(value), |sum, _| sum.off(value))
        };
        let bias = self.node.has_bias().then(|| {
            let value = self.second(0);
            Rounded::new(value).off(value)
        });
        Rounded::sum((0..self.node.len()).map(part).chain(bias))
    }

    fn arc_sine(&self) -> Rounded {
        let cross = self.dot(|i| self.pair(i));
        let own =
            [self.dot(|i| (self.pair(i).0, self.pair(i).0)), self.dot(|i| (self.pair(i).1, self.pair(i).1))];
        let [p, q] = own.map(|own| 1.0 + 2.0 * own.value);
        let below = (p * q).sqrt();
        let z = 2.0 * cross.value / below;
        let ratio = Rounded::new(z)
            .from(cross, 2.0 / below)
            .from(own[0], z / p)
            .from(own[1], z / q)
            // Two sums and a product below the root count by half.
            .off(0.5 * z)
            .off(0.5 * z)
            .off(0.5 * z)
            .off(ROOT * z)
            .off(QUOTIENT * z);
        let two = 2.0 / std::f64::consts::PI;
        // At the end of the range the slope is that over the error itself.
        let slope = two / (1.0 - z * z).max(ratio.most).sqrt();
        let value = two * z.clamp(-1.0, 1.0).asin();
        Rounded::new(value).from(ratio, slope).off(two * ANGLE).off(value).off(value)
    }

    /// A function of the distance r = √Σt²: what it makes of the roundings of r, and its own.
    fn radial(&self, profile: Profile, parts: &[Rounded]) -> Rounded {
        let q: f64 = parts.iter().map(|t| t.value * t.value).sum();
        let r = q.sqrt();
        // The slope of r in each t is at most 1; where all are next to nothing it is that.
        let mut distance = parts.iter().fold(Rounded::new(r), |sum, t| {
            let slope = if r > 64.0 * t.most { (t.value / r).abs() } else { 1.0 };
            sum.from(*t, slope)
        });
        // Squares and sums, which count by half.
        let mut so_far = 0.0;
        for t in parts {
            let square = t.value * t.value;
            so_far += square;
            distance = distance.off(0.5 * square / r.max(UNIT)).off(0.5 * so_far / r.max(UNIT));
        }
        // s = c r with a rounded factor; a polynomial times e^−s.
        let order = match profile {
            Profile::SquaredExponential => {
                let half = Rounded { value: 0.5 * q, most: r * distance.most, square: q * distance.square };
                return half.off(0.5 * q).exp_negative();
            }
            Profile::RationalQuadratic => return self.rational(q, r, distance),
            Profile::GammaExponential => return self.gamma(r, distance),
            // No shader computes it: what the CPU rounds is of the size of what a shader does at order 5/2.
            Profile::Matern => Half::Five,
            Profile::HalfInteger(order) => order,
        };
        let distance = distance.off(ROOT * r);
        let c: f64 = match order {
            Half::One => return distance.exp_negative(),
            Half::Three => 3f64.sqrt(),
            Half::Five => 5f64.sqrt(),
        };
        let s = c * r;
        let scaled = Rounded::new(s).from(distance, c).off(s).off(s);
        let exponential = (-s).exp();
        let (value, slope) = match order {
            Half::One | Half::Three => ((1.0 + s) * exponential, s * exponential),
            Half::Five => ((1.0 + s + s * s / 3.0) * exponential, s * (1.0 + s) / 3.0 * exponential),
        };
        // The exponential, the sums and products before it, and the last product.
        Rounded::new(value)
            .from(scaled, slope)
            .off((6.0 + 4.0 * s) * value)
            .off(f64::from(f32::MIN_POSITIVE) / UNIT * (1.0 + s + s * s))
            .off(s * s * exponential)
            .off(value)
            .off(value)
            .off(value)
    }

    /// (1 + q/2α)^−α by exp and ln.
    fn rational(&self, q: f64, r: f64, distance: Rounded) -> Rounded {
        let shape = self.second(0);
        let part = q / (2.0 * shape);
        let log = part.ln_1p();
        let below = 1.0 + part;
        let power = Rounded::new(shape * log)
            .from(distance, r / below)
            .off((QUOTIENT + 2.0) * shape * part / below)
            // The sum below the logarithm, and the logarithm.
            .off(shape)
            .off(shape * (6.0 * log).max(8.0))
            .off(shape * log)
            .off(shape * log);
        power.exp_negative()
    }

    /// exp(−r^γ) by exp(½γ ln q).
    fn gamma(&self, r: f64, distance: Rounded) -> Rounded {
        let gamma = self.second(0).min(2.0);
        let w = if r > 0.0 { r.powf(gamma) } else { 0.0 };
        let log = 2.0 * r.max(UNIT).ln().abs();
        // |x^γ − y^γ| is at most |x − y|^γ for γ ≤ 1, and less by far where x and y are not both small.
        let steep = if gamma < 1.0 { distance.most.powf(gamma) } else { 0.0 };
        let near = gamma < 1.0 && r < 64.0 * distance.most;
        let mut power = Rounded::new(w);
        if near {
            power = power.off(steep / UNIT);
        } else {
            power = power.from(distance, gamma * r.max(distance.most).powf(gamma - 1.0));
        }
        let exponent = 0.5 * gamma * log;
        power
            .off(0.5 * gamma * w * (6.0 * log).max(8.0))
            .off(exponent * w)
            .off(exponent * w)
            .off((6.0 + 4.0 * exponent) * w)
            .exp_negative()
    }
}

/// The profile of an arc or one-hot node.
fn profile(node: Node) -> Profile {
    match Op::of(node.degree() as u8).map(Op::form) {
        Some(Form::Leaf(Formula::Radial(profile))) => profile,
        Some(Form::Sum | Form::Product | Form::Scale | Form::Leaf(_)) | None => {
            Profile::HalfInteger(Half::Five)
        }
    }
}
