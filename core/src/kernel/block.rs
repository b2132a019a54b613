//! Covariances and their gradients (reverse mode) over a block of pairs, one center and consecutive rows.
//!
//! Callers take these functions in: what is fixed there need not be asked again, and Faer's kernels compile them for the
//! vectors of the machine. Only a firmware leaves them on their own: its flash would hold the leaves three times.

use core::ops::Range;

use super::discrete;
use super::gate;
use super::leaf::{self, Pair, Parameters};
use super::node::{Leaf, Node};
use super::one_hot;
use super::op::{Discrete, Form, Formula, Gate, Op, Profile};
use super::rows::{Data, Plan};
use super::stationary::{profile, profile_slopes};
use super::vector::{magnitude, sum_of};
use crate::math::{WIDE, dot_here as dot, exp_here};
use crate::real::Real;

impl<'a, R: Real> Data<'a, R> {
    /// k(center, xⱼ) for the rows from `first` on; the stack is `out` and slices of `work`.
    #[inline(always)]
    pub(super) fn values(self, center: &[R], first: usize, out: &mut [R], work: &mut [R]) {
        let len = out.len();
        let (spare, stack) = work.split_at_mut(len);
        let mut height = 0;
        for (i, node) in self.tape.nodes().enumerate() {
            let form = node.op().form();
            match form {
                Form::Sum | Form::Product => {
                    let (low, high) = if height == 2 {
                        (&mut *out, &stack[..len])
                    } else {
                        let (below, top) = stack.split_at_mut((height - 2) * len);
                        (&mut below[(height - 3) * len..], &top[..len])
                    };
                    combine(form, low, high);
                    height -= 1;
                }
                Form::Scale => {
                    let top = if height == 1 { &mut *out } else { &mut stack[(height - 2) * len..][..len] };
                    let scale = self.natural[node.theta()];
                    top.iter_mut().for_each(|v| *v *= scale);
                }
                Form::Leaf(formula) => {
                    let top = if height == 0 { &mut *out } else { &mut stack[(height - 1) * len..][..len] };
                    self.strip(i, node, center, first).values(formula, top, spare);
                    height += 1;
                }
            }
        }
    }

    /// The value of every node and the slope of every leaf, three slices of `work` for each.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    pub(super) fn forward(
        self,
        plan: &Plan,
        center: &[R],
        first: usize,
        len: usize,
        for_theta: bool,
        work: &mut [R],
    ) {
        let (slices, spare) = work.split_at_mut(3 * plan.nodes * len);
        for (i, node) in self.tape.nodes().enumerate() {
            let (before, own) = slices.split_at_mut(3 * i * len);
            let (value, own) = own.split_at_mut(len);
            let slice = |node: usize| &before[3 * node * len..][..len];
            let form = node.op().form();
            match form {
                Form::Sum | Form::Product => {
                    value.copy_from_slice(slice(usize::from(plan.links[i])));
                    combine(form, value, slice(i - 1));
                }
                Form::Scale => {
                    let scale = self.natural[node.theta()];
                    value.iter_mut().zip(slice(i - 1)).for_each(|(v, below)| *v = scale * *below);
                }
                Form::Leaf(formula) => {
                    let (slope, shape) = own.split_at_mut(len);
                    let side = Side { slope, shape: &mut shape[..len], spare: &mut spare[..len], for_theta };
                    self.strip(i, node, center, first).slopes(formula, value, side);
                }
            }
        }
    }

    /// Adds Σⱼ seedⱼ ∂k(center, xⱼ)/∂θ to `out`; the seeds are in the value slice of the last node.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    pub(super) fn backward_theta(
        self,
        plan: &Plan,
        center: &[R],
        first: usize,
        len: usize,
        out: &mut [R],
        work: &mut [R],
    ) {
        let p = Parameters::naturals(self.natural);
        for (i, node) in self.tape.nodes().enumerate().rev() {
            let Some(own) = self.adjoints(plan, i, node, len, work) else { continue };
            let (seed, side) = own.split_at_mut(len);
            let (slope, shape) = side.split_at_mut(len);
            let strip = self.strip(i, node, center, first);
            let leaf = strip.leaf;
            let formula = match node.op().form() {
                Form::Sum | Form::Product => continue,
                Form::Scale => {
                    // The slice behind a scale's own seed holds its operand.
                    out[node.theta()] += p.at(node.theta()) * dot(seed, slope);
                    continue;
                }
                Form::Leaf(formula) => formula,
            };
            match Run::of(formula, leaf) {
                Run::Fill => out[node.theta()] += p.at(node.theta()) * sum_of(seed, seed, |s, _| s),
                Run::Columns(metric) => {
                    if node.op().has_shape() {
                        out[leaf.second(0)] += dot(seed, &shape[..len]);
                    }
                    if is_whole(node) {
                        out[node.theta()] += dot(seed, slope);
                        continue;
                    }
                    seed.iter_mut().zip(&*slope).for_each(|(g, s)| *g *= *s);
                    for m in 0..leaf.len() {
                        out[leaf.slot(m)] += strip.metric_sum(metric, m, seed);
                    }
                }
                Run::Gate(_) => {}
                Run::Pairs => {
                    for (j, &s) in seed.iter().enumerate() {
                        leaf::gradient(&strip.pair(j), s, out);
                    }
                }
            }
        }
    }

    /// Adds Σⱼ weightⱼ ∂k(center, xⱼ)/∂center to each of `out`; the last node's value slice holds ones.
    #[inline(always)]
    pub(super) fn backward_x<const N: usize>(
        self,
        plan: &Plan,
        center: &[R],
        first: usize,
        len: usize,
        weights: &[&[R]; N],
        out: &mut [&mut [R]; N],
        work: &mut [R],
    ) {
        for (i, node) in self.tape.nodes().enumerate().rev() {
            let Some(own) = self.adjoints(plan, i, node, len, work) else { continue };
            let Form::Leaf(formula) = node.op().form() else { continue };
            let strip = self.strip(i, node, center, first);
            let leaf = strip.leaf;
            let metric = match Run::of(formula, leaf) {
                Run::Fill | Run::Gate(_) | Run::Columns(Metric::Mismatch(_)) => continue,
                Run::Columns(metric) => Some(metric),
                Run::Pairs => None,
            };
            let (seed, side) = own.split_at_mut(len);
            for (w, o) in weights.iter().zip(&mut *out) {
                let w = &w[first..first + len];
                if let Some(metric) = metric {
                    let (slope, product) = side.split_at_mut(len);
                    let product = &mut product[..len];
                    for j in 0..len {
                        product[j] = seed[j] * slope[j] * w[j];
                    }
                    for m in 0..leaf.numbers() {
                        o[leaf.dim(m)] -= strip.metric_sum_x(metric, m, product);
                    }
                } else {
                    for j in 0..len {
                        leaf::gradient_x(&strip.pair(j), seed[j] * w[j], o);
                    }
                }
            }
        }
    }

    /// Turns the values of the operands of node `i` into their adjoints; a leaf's or a scale's own slices else.
    #[inline(always)]
    fn adjoints<'w>(
        self,
        plan: &Plan,
        i: usize,
        node: Node,
        len: usize,
        work: &'w mut [R],
    ) -> Option<&'w mut [R]> {
        let (before, own) = work[..3 * (i + 1) * len].split_at_mut(3 * i * len);
        let left = usize::from(plan.links[i]);
        match node.op().form() {
            Form::Sum => {
                before[3 * left * len..][..len].copy_from_slice(&own[..len]);
                before[3 * (i - 1) * len..][..len].copy_from_slice(&own[..len]);
                None
            }
            Form::Product => {
                let (low, high) = before.split_at_mut(3 * (i - 1) * len);
                let low = low[3 * left * len..][..len].iter_mut();
                for ((l, r), seed) in low.zip(&mut high[..len]).zip(&own[..len]) {
                    (*l, *r) = (*seed * *r, *seed * *l);
                }
                None
            }
            Form::Scale => {
                let scale = self.natural[node.theta()];
                let below = before[3 * (i - 1) * len..][..len].iter_mut();
                let (seed, operand) = own.split_at_mut(len);
                for ((b, o), s) in below.zip(operand).zip(seed) {
                    *o = *b;
                    *b = scale * *s;
                }
                Some(own)
            }
            Form::Leaf(_) => Some(own),
        }
    }

    /// Node `i` between the center and the rows from `first` on.
    #[inline(always)]
    fn strip<'b>(self, i: usize, node: Node, center: &'b [R], first: usize) -> Strip<'b, R>
    where
        'a: 'b,
    {
        Strip { data: self, leaf: self.tape.leaf(node), i, center, first }
    }
}

/// A leaf, the node `i`, between the center and the rows from `first` on.
#[derive(Clone, Copy)]
struct Strip<'a, R> {
    data: Data<'a, R>,
    leaf: Leaf<'a>,
    i: usize,
    center: &'a [R],
    first: usize,
}

impl<'a, R: Real> Strip<'a, R> {
    #[inline(always)]
    fn parameters(self) -> Parameters<'a, R> {
        Parameters::naturals(self.data.natural)
    }

    /// Whether its columns are divided by its lengths.
    #[inline(always)]
    fn is_owned(self) -> bool {
        self.data.owned >> self.i & 1 == 1
    }

    /// `len` values of coordinate `k`.
    #[inline(always)]
    fn column(self, k: usize, len: usize) -> &'a [R] {
        &self.data.columns[k * self.data.n + self.first..][..len]
    }

    /// The leaf between the center and the row number `j`.
    #[inline(always)]
    fn pair(self, j: usize) -> Pair<'a, R> {
        let b = self.data.point(self.first + j);
        Pair { leaf: self.leaf, parameters: self.parameters(), a: self.center, b }
    }

    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn values(self, formula: Formula, out: &mut [R], spare: &mut [R]) {
        let (leaf, p) = (self.leaf, self.parameters());
        match Run::of(formula, leaf) {
            Run::Fill => out.fill(p.at(leaf.node.theta())),
            Run::Gate(gate) => self.gate_values(gate, out),
            Run::Pairs => {
                for (j, o) in out.iter_mut().enumerate() {
                    *o = leaf::value(&self.pair(j));
                }
            }
            Run::Columns(metric) => {
                self.distances(metric, out);
                match metric {
                    Metric::Squared(of) => profile(of, leaf::shape(leaf, p), out, &mut spare[..]),
                    Metric::Absolute | Metric::Mismatch(_) => {
                        out.iter_mut().for_each(|v| *v = -*v);
                        exp_here(out);
                    }
                }
            }
        }
    }

    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn slopes(self, formula: Formula, value: &mut [R], side: Side<'_, R>) {
        let leaf = self.leaf;
        let Run::Columns(metric) = Run::of(formula, leaf) else {
            return self.values(formula, value, side.spare);
        };
        let whole = side.for_theta && is_whole(leaf.node);
        self.distances(metric, value);
        // ∂k/∂θ of a shared parameter: k Σ|Δ|/ℓ, or −k Σ w[≠].
        let factor = match metric {
            Metric::Squared(of) => {
                let shape = leaf::shape(leaf, self.parameters());
                profile_slopes(of, shape, whole, value, side.slope, side.shape, side.spare);
                return;
            }
            Metric::Absolute | Metric::Mismatch(Discrete::Exchangeable) => R::ONE,
            Metric::Mismatch(Discrete::Hamming) => -R::ONE,
        };
        side.spare.copy_from_slice(value);
        value.iter_mut().for_each(|v| *v = -*v);
        exp_here(value);
        side.slope.copy_from_slice(value);
        if whole {
            side.slope.iter_mut().zip(side.spare).for_each(|(s, d)| *s *= factor * *d);
        }
    }

    /// 1 where every coordinate meets the center's, else 0.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn gate_values(self, gate: Gate, out: &mut [R]) {
        out.fill(R::ONE);
        for k in (0..self.leaf.len()).map(|m| self.leaf.dim(m)) {
            let z = self.column(k, out.len());
            for (o, z) in out.iter_mut().zip(z) {
                *o = if gate::meets(gate, *z, self.center[k]) { *o } else { R::ZERO };
            }
        }
    }

    /// ρ², Σ|Δ|/ℓ, or the weighted number of mismatches.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn distances(self, metric: Metric, out: &mut [R]) {
        out.fill(R::ZERO);
        let numbers = 0..self.leaf.numbers();
        let categories = numbers.end..self.leaf.len();
        match metric {
            Metric::Absolute => {
                self.accumulate(numbers, out, |z, c, s| magnitude(z - c) * s);
            }
            // The rate is 1 then, and a product with it no other number: less flash or less work.
            Metric::Squared(_) if self.is_owned() && WIDE => self.accumulate(numbers, out, |z, c, _| {
                let d = z - c;
                d * d
            }),
            Metric::Squared(_) => self.accumulate(numbers, out, |z, c, s| {
                let d = (z - c) * s;
                d * d
            }),
            Metric::Mismatch(_) => {}
        }
        self.accumulate(categories, out, |z, c, s| if z == c { R::ZERO } else { s });
    }

    /// Adds f(column, center, rate) over some of the leaf's dimensions, four in one pass over the block.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn accumulate(self, some: Range<usize>, out: &mut [R], f: impl Fn(R, R, R) -> R) {
        let len = out.len();
        let axis = |m: usize| self.axis(m, len);
        let mut m = some.start;
        while m + 4 <= some.end {
            let (a, b, c, d) = (axis(m), axis(m + 1), axis(m + 2), axis(m + 3));
            // Cut to the same length where the compiler sees it, so that no test stays in the loop.
            let (za, zb, zc, zd) = (&a.z[..len], &b.z[..len], &c.z[..len], &d.z[..len]);
            for j in 0..len {
                let low = f(za[j], a.center, a.rate) + f(zb[j], b.center, b.rate);
                let high = f(zc[j], c.center, c.rate) + f(zd[j], d.center, d.rate);
                out[j] += low + high;
            }
            m += 4;
        }
        while m + 2 <= some.end {
            let (a, b) = (axis(m), axis(m + 1));
            let (za, zb) = (&a.z[..len], &b.z[..len]);
            for j in 0..len {
                out[j] += f(za[j], a.center, a.rate) + f(zb[j], b.center, b.rate);
            }
            m += 2;
        }
        if m < some.end {
            let a = axis(m);
            for (o, &z) in out.iter_mut().zip(a.z) {
                *o += f(z, a.center, a.rate);
            }
        }
    }

    /// The column of the leaf's dimension number `m`, its center on the same scale, and what is left to multiply.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn axis(self, m: usize, len: usize) -> Axis<'a, R> {
        let (leaf, p, center) = (self.leaf, self.parameters(), self.center);
        let k = leaf.dim(m);
        let z = self.column(k, len);
        if let Form::Leaf(Formula::Discrete(kind)) = leaf.node.op().form() {
            return Axis { z, center: center[k], rate: discrete::penalty(kind, leaf, p, m) };
        }
        if m >= leaf.numbers() {
            return Axis { z, center: center[k], rate: one_hot::apart(p.at(leaf.slot(m))) };
        }
        let rate = R::ONE / p.at(leaf.slot(m));
        if self.is_owned() {
            Axis { z, center: center[k] * rate, rate: R::ONE }
        } else {
            Axis { z, center: center[k], rate }
        }
    }

    /// Σⱼ gⱼ ∂ of the distance by ln of the parameter of dimension number `m`, up to the leaf's slope.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn metric_sum(self, metric: Metric, m: usize, g: &[R]) -> R {
        let Axis { z, center, rate } = self.axis(m, g.len());
        let apart = |g: R, z: R| if z == center { R::ZERO } else { g };
        match metric {
            Metric::Absolute => rate * sum_of(g, z, |g, z| g * magnitude(z - center)),
            Metric::Mismatch(kind) => {
                discrete::pull(kind, self.leaf, self.parameters(), m) * sum_of(g, z, apart)
            }
            Metric::Squared(_) if m >= self.leaf.numbers() => rate * sum_of(g, z, apart),
            Metric::Squared(_) => {
                let sum = sum_of(g, z, |g, z| {
                    let d = z - center;
                    g * (d * d)
                });
                rate * rate * sum
            }
        }
    }

    /// Σⱼ gⱼ Δⱼ/ℓ² for a radial leaf, Σⱼ gⱼ sign(Δⱼ)/ℓ for Laplace.
    #[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
    fn metric_sum_x(self, metric: Metric, m: usize, g: &[R]) -> R {
        let inverse = R::ONE / self.parameters().at(self.leaf.slot(m));
        let Axis { z, center, rate } = self.axis(m, g.len());
        let signed = |g: R, z: R| {
            if center > z {
                g
            } else if center < z {
                -g
            } else {
                R::ZERO
            }
        };
        match metric {
            Metric::Absolute => inverse * sum_of(g, z, signed),
            Metric::Squared(_) => inverse * rate * sum_of(g, z, |g, z| g * (center - z)),
            Metric::Mismatch(_) => R::ZERO,
        }
    }
}

/// Where a leaf puts what its derivatives need.
struct Side<'w, R> {
    slope: &'w mut [R],
    shape: &'w mut [R],
    spare: &'w mut [R],
    for_theta: bool,
}

/// One dimension of a leaf over a block.
#[derive(Clone, Copy)]
struct Axis<'a, R> {
    z: &'a [R],
    center: R,
    rate: R,
}

/// How a leaf runs over a block.
#[derive(Clone, Copy)]
enum Run {
    /// One value for all.
    Fill,
    /// A profile of a sum over its dimensions, column by column.
    Columns(Metric),
    /// Column by column until a gate closes.
    Gate(Gate),
    /// Pair by pair.
    Pairs,
}

/// The sum over dimensions.
#[derive(Clone, Copy)]
enum Metric {
    /// ρ², whose profile it is.
    Squared(Profile),
    /// Σ|Δ|/ℓ
    Absolute,
    /// The weighted number of mismatches.
    Mismatch(Discrete),
}

impl Run {
    #[inline(always)]
    fn of(formula: Formula, leaf: Leaf<'_>) -> Self {
        match formula {
            Formula::Constant => Self::Fill,
            Formula::Radial(profile) => Self::Columns(Metric::Squared(profile)),
            Formula::OneHot => Self::Columns(Metric::Squared(leaf.embedded())),
            Formula::Laplace => Self::Columns(Metric::Absolute),
            Formula::Discrete(kind) => Self::Columns(Metric::Mismatch(kind)),
            Formula::Gate(gate) => Self::Gate(gate),
            Formula::Periodic | Formula::Cosine | Formula::Linear | Formula::Polynomial => Self::Pairs,
            Formula::ArcSine | Formula::Arc => Self::Pairs,
        }
    }
}

/// Whether one parameter is shared by all dimensions and its derivative is a multiple of the distance.
fn is_whole(node: Node) -> bool {
    // The distance of an exchangeable leaf is 0 at c = 1, where its derivative is not.
    !node.is_ard() && node.op() != Op::Exchangeable
}

#[inline(always)]
fn combine<R: Real>(form: Form, low: &mut [R], high: &[R]) {
    if form == Form::Sum {
        low.iter_mut().zip(high).for_each(|(l, h)| *l += *h);
    } else {
        low.iter_mut().zip(high).for_each(|(l, h)| *l *= *h);
    }
}
