//! Building a kernel as a value, without a heap, and writing it into words.

use core::ops::Range;

use super::bessel;
use super::node::{MAX_DEPTH, MAX_NODES, Node, count_thetas};
use super::op::{Op, Role};
use super::prior::Prior;
use super::tape::is_sound_list;
use super::theta::{Spec, Theta};
use crate::error::Error;
use crate::real::Real;

/// Largest number of list entries of a kernel under construction.
pub const MAX_LISTS: usize = 96;

/// The coordinates that a node looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims<'a> {
    /// Every coordinate of the space for which the kernel is written.
    All,
    /// `len` coordinates from `first` on.
    Range {
        /// The first coordinate.
        first: u16,
        /// How many.
        len: u16,
    },
    /// These coordinates, strictly increasing.
    List(&'a [u16]),
}

impl<'a> Dims<'a> {
    /// `len` coordinates from `first` on.
    #[must_use]
    pub const fn range(first: u16, len: u16) -> Self {
        Self::Range { first, len }
    }

    /// These coordinates, strictly increasing.
    #[must_use]
    pub const fn list(dims: &'a [u16]) -> Self {
        Self::List(dims)
    }
}

/// A covariance function under construction: leaves, sums, products and scales in postfix order.
///
/// A mistake (too many nodes, a bad bound) is remembered and reported by [`Kernel::check`] and by everything
/// that reads the kernel, so that construction reads as one chain.
///
/// ```
/// use infill::kernel::{Dims, Kernel, Prior, Role};
/// let numbers = Kernel::matern52(Dims::range(0, 3)).ard();
/// let labels = Kernel::hamming(Dims::list(&[3]));
/// let kernel = numbers.times(labels)?.scaled().with(Role::Length, 0.3, 0.01..10.0, Prior::Flat);
/// assert_eq!(kernel.thetas(4)?, 3 + 1 + 1);
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    items: heapless::Vec<Item, MAX_NODES>,
    lists: heapless::Vec<u16, MAX_LISTS>,
    // A leaf has two hyperparameters at most, a scale one, a sum or product of two none.
    specs: heapless::Vec<Spec, { MAX_NODES + 1 }>,
    fault: Option<Error>,
}

/// Kernels of coordinates that have nothing more to say than which they are.
macro_rules! leaves {
    ($($(#[$doc:meta])* $name:ident => $op:ident;)+) => {
        impl Kernel {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(dims: Dims<'_>) -> Self {
                    Self::leaf(Op::$op, dims)
                }
            )+
        }
    };
}

leaves! {
    /// The squared exponential.
    ///
    /// ```text
    /// k = exp(−ρ²/2),   ρ² = Σ (Δₖ/ℓₖ)²
    /// ```
    squared_exponential => SquaredExponential;
    /// Matérn of order ½: k = exp(−ρ). Not differentiable at ρ = 0, where its x-gradient is given as 0.
    matern12 => Matern12;
    /// Matérn of order 3/2: k = (1 + √3ρ) exp(−√3ρ).
    matern32 => Matern32;
    /// Matérn of order 5/2: k = (1 + √5ρ + 5ρ²/3) exp(−√5ρ).
    matern52 => Matern52;
    /// The rational quadratic: k = (1 + ρ²/(2α))⁻ᵅ.
    rational_quadratic => RationalQuadratic;
    /// The γ-exponential: k = exp(−ρᵞ), 0 < γ ≤ 2. Its x-gradient at ρ = 0 is given as 0.
    gamma_exponential => GammaExponential;
    /// The periodic kernel: k = exp(−2 Σ sin²(πΔₖ/pₖ)/ℓₖ²).
    periodic => Periodic;
    /// A plane wave: k = cos(2π Σ Δₖ/pₖ), of rank two.
    cosine => Cosine;
    /// The dot product: k = Σ wₖ aₖ bₖ; add a [`Kernel::constant`] for an offset.
    linear => Linear;
    /// The arc sine kernel of a one-layer network on the input (1, x) with variances w₀ and wₖ.
    ///
    /// ```text
    /// k = 2/π arcsin(2⟨a, b⟩ / √((1 + 2⟨a, a⟩)(1 + 2⟨b, b⟩))),   ⟨a, b⟩ = w₀ + Σ wₖ aₖ bₖ
    /// ```
    /// [`Kernel::node_without_bias`] gives the form on x alone.
    arc_sine => ArcSine;
    /// The Laplace kernel: k = exp(−Σ|Δₖ|/ℓₖ). Not differentiable at Δₖ = 0, where its x-gradient is given as 0.
    laplace => Laplace;
    /// The weighted Hamming kernel of categories: k = exp(−Σ wₖ \[aₖ ≠ bₖ\]).
    hamming => Hamming;
    /// The exchangeable kernel of categories: k = Π (aₖ = bₖ ? 1 : cₖ), 0 < c ≤ 1.
    exchangeable => Exchangeable;
}

impl Kernel {
    /// Matérn of any order 0 < ν ≤ 64, which is stored as a frozen hyperparameter. Without feature `models` it is
    /// remembered as [`Error::Unsupported`].
    ///
    /// ```text
    /// k = 2¹⁻ᵛ/Γ(ν) zᵛ Kᵥ(z),   z = √(2ν) ρ
    /// ```
    #[must_use]
    pub fn matern(dims: Dims<'_>, nu: f64) -> Self {
        Self::leaf(Op::Matern, dims).with(Role::Shape, nu, nu..nu, Prior::Flat)
    }

    /// The constant σ².
    #[must_use]
    pub fn constant() -> Self {
        Self::leaf(Op::Constant, Dims::Range { first: 0, len: 0 })
    }

    /// The polynomial: k = (w₀ + Σ wₖ aₖ bₖ)ᵈ, 1 ≤ d ≤ 16.
    #[must_use]
    pub fn polynomial(dims: Dims<'_>, degree: u16) -> Self {
        let mut kernel = Self::leaf(Op::Polynomial, dims);
        kernel.node_degree(degree);
        kernel
    }

    /// A kernel without nodes, for [`Kernel::node`].
    ///
    /// ```
    /// use infill::kernel::{Dims, Kernel, Op};
    /// let mut kernel = Kernel::postfix();
    /// kernel.node(Op::Matern52, Dims::All);
    /// kernel.node(Op::Scale, Dims::All);
    /// assert_eq!(kernel, Kernel::matern52(Dims::All).scaled());
    /// ```
    #[must_use]
    pub const fn postfix() -> Self {
        Self {
            items: heapless::Vec::new(),
            lists: heapless::Vec::new(),
            specs: heapless::Vec::new(),
            fault: None,
        }
    }

    /// Appends a node in postfix order: for kernels that come as data. Nodes without coordinates ignore `dims`.
    ///
    /// A polynomial has the degree 1, an arc or one-hot kernel the profile of a Matérn 5/2 and no category, until [`Kernel::node_degree`] says
    /// otherwise.
    pub fn node(&mut self, op: Op, dims: Dims<'_>) {
        let span = match dims {
            _ if !op.has_dims() => Span::None,
            Dims::All => Span::All,
            Dims::Range { first, len } => Span::Range { first, len },
            Dims::List(list) => {
                let offset = self.lists.len();
                // Where its categories begin, a one-hot node does not know yet.
                let rising = op == Op::OneHot || list.windows(2).all(|pair| pair[0] < pair[1]);
                if !rising || self.lists.extend_from_slice(list).is_err() {
                    self.fail(Error::Kernel);
                }
                Span::List { offset, len: list.len() }
            }
        };
        self.push(op, span);
    }

    /// Gives the last node a parameter per dimension, if it has dimensions.
    pub fn node_ard(&mut self) {
        if let Some(item) = self.items.last_mut().filter(|item| item.op.has_dims()) {
            item.ard = true;
        }
    }

    /// Sets the degree of the last node: a polynomial's 1 to 16, or the code of the profile of an arc or one-hot kernel,
    /// the latter with 256 more for each category; another is remembered as [`Error::Kernel`].
    pub fn node_degree(&mut self, degree: u16) {
        match self.items.last_mut() {
            // An operation without a degree has none to be set.
            Some(item) if item.op.first_degree() != 0 && item.op.may_have_degree(degree) => {
                item.degree = degree;
            }
            Some(_) | None => self.fail(Error::Kernel),
        }
    }

    /// Takes the constant input away from the last node, if it has one.
    pub fn node_without_bias(&mut self) {
        if let Some(item) = self.items.last_mut().filter(|item| item.bias) {
            item.bias = false;
            // The bias is the last parameter of its node.
            self.specs.pop();
        }
    }

    /// As [`Kernel::with`], for the parameters of the last node alone.
    pub fn node_with(&mut self, role: Role, value: f64, bounds: Range<f64>, prior: Prior) {
        let last = self.items.len().saturating_sub(1);
        self.set(last, role, value, bounds, prior);
    }

    /// Gives each dimension of every leaf its own lengths, periods, weights, correlations, angles and radii.
    #[must_use]
    pub fn ard(mut self) -> Self {
        self.items.iter_mut().filter(|item| item.op.has_dims()).for_each(|item| item.ard = true);
        self
    }

    /// σ² times this kernel.
    #[must_use]
    pub fn scaled(mut self) -> Self {
        self.push(Op::Scale, Span::None);
        self
    }

    /// The sum of two kernels.
    ///
    /// # Errors
    /// [`Error::Kernel`] if the two have too many nodes or list entries together; the remembered mistake of either.
    pub fn plus(self, other: Self) -> Result<Self, Error> {
        self.join(&other, Op::Sum)
    }

    /// The product of two kernels.
    ///
    /// # Errors
    /// [`Error::Kernel`] if the two have too many nodes or list entries together; the remembered mistake of either.
    pub fn times(self, other: Self) -> Result<Self, Error> {
        self.join(&other, Op::Product)
    }

    /// Sets start, bounds and prior of every parameter of this role, in natural units (not logarithms).
    ///
    /// Bounds that touch freeze the parameter. A value outside its bounds, a bound that is not positive and
    /// finite, γ above 2, ν above 64 or a correlation above 1 is remembered as [`Error::Theta`]; a role that the
    /// kernel does not have as [`Error::Kernel`].
    #[must_use]
    pub fn with(mut self, role: Role, value: f64, bounds: Range<f64>, prior: Prior) -> Self {
        self.set(0, role, value, bounds, prior);
        self
    }

    /// Sets the parameters of this role of all nodes from the `first` on.
    fn set(&mut self, first: usize, role: Role, value: f64, bounds: Range<f64>, prior: Prior) {
        let mut found = false;
        for item in self.items.iter().skip(first) {
            let parameters = item.op.parameters(item.bias);
            let specs = self.specs.iter_mut().enumerate().skip(item.specs);
            for (parameter, (index, spec)) in parameters.iter().zip(specs) {
                if parameter.role == role {
                    found = true;
                    *spec = Spec::new(role, value, bounds.start, bounds.end, prior);
                    if !spec.is_valid(parameter) {
                        self.fault = self.fault.or(Some(Error::Theta { index: index as u32 }));
                    }
                }
            }
        }
        if !found {
            self.fail(Error::Kernel);
        }
    }

    /// Freezes every parameter of this role at its present start; a role that the kernel does not have is
    /// remembered as [`Error::Kernel`].
    #[must_use]
    pub fn frozen(mut self, role: Role) -> Self {
        if !self.specs.iter().any(|spec| spec.role == role) {
            self.fail(Error::Kernel);
        }
        for spec in self.specs.iter_mut().filter(|spec| spec.role == role) {
            (spec.lo, spec.hi, spec.prior) = (spec.value, spec.value, Prior::Flat);
        }
        self
    }

    /// The first mistake made while the kernel was built.
    ///
    /// # Errors
    /// [`Error::Kernel`], [`Error::Theta`] or [`Error::Unsupported`].
    pub fn check(&self) -> Result<(), Error> {
        self.fault.map_or(Ok(()), Err)
    }

    /// Hyperparameters of the kernel over points of `dims` coordinates.
    ///
    /// # Errors
    /// The remembered mistake; [`Error::Kernel`] if a leaf looks outside of the coordinates, there are more
    /// than 65535 parameters, or the nodes do not leave one value.
    pub fn thetas(&self, dims: usize) -> Result<usize, Error> {
        self.check()?;
        let (mut total, mut height, mut depth) = (0, 0, 0);
        for item in &self.items {
            Error::Kernel.when(height < item.op.arity())?;
            height = height + 1 - item.op.arity();
            depth = height.max(depth);
            let (_, len) = self.resolve(item, dims)?;
            total += count_thetas(item.op, item.ard, item.bias, len);
        }
        let one_value = height == 1 && depth <= MAX_DEPTH;
        if total > usize::from(u16::MAX) || !one_value { Err(Error::Kernel) } else { Ok(total) }
    }

    /// What its nodes are, in postfix order.
    pub(crate) fn ops(&self) -> impl Iterator<Item = Op> + '_ {
        self.items.iter().map(|item| item.op)
    }

    /// Hyperparameters over points of `dims` coordinates that training may move.
    ///
    /// # Errors
    /// As [`Kernel::thetas`].
    pub(crate) fn free(&self, dims: usize) -> Result<usize, Error> {
        self.thetas(dims)?;
        let mut free = 0;
        self.each_spec(dims, |_, spec| free += usize::from(spec.lo < spec.hi))?;
        Ok(free)
    }

    /// Nodes of the kernel; each takes two words.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.items.len()
    }

    /// List entries of the kernel; four take a word.
    #[must_use]
    pub fn list_entries(&self) -> usize {
        self.lists.len()
    }

    /// Writes the tape for points of `dims` coordinates; the rest of both slices becomes zero.
    ///
    /// # Errors
    /// As [`Kernel::thetas`], and [`Error::Kernel`] if a slice is too short.
    pub fn write(&self, dims: usize, nodes: &mut [u64], lists: &mut [u64]) -> Result<(), Error> {
        self.thetas(dims)?;
        Error::Kernel
            .when(nodes.len() < 2 * self.items.len() || lists.len() < self.lists.len().div_ceil(4))?;
        nodes.fill(0);
        lists.fill(0);
        for (i, &dim) in self.lists.iter().enumerate() {
            lists[i / 4] |= u64::from(dim) << (16 * (i % 4));
        }
        let mut theta = 0;
        for (item, words) in self.items.iter().zip(nodes.chunks_exact_mut(2)) {
            let (first, len) = self.resolve(item, dims)?;
            let count = count_thetas(item.op, item.ard, item.bias, len) as u16;
            let list = matches!(item.span, Span::List { .. });
            let flags = if item.ard { Node::ARD } else { 0 }
                | if list { Node::LIST } else { 0 }
                | if item.bias { Node::BIAS } else { 0 };
            let node = Node::new(item.op, flags, item.degree, theta, count, first as u16, len as u16);
            words.copy_from_slice(&node.0);
            theta += count;
        }
        Ok(())
    }

    /// Writes the start, bounds and priors of the hyperparameters; entries behind the last are untouched.
    ///
    /// # Errors
    /// As [`Kernel::thetas`], and [`Error::Shape`] if a slice is too short.
    pub(crate) fn write_theta<R: Real>(&self, dims: usize, theta: &mut Theta<'_, R>) -> Result<(), Error> {
        let total = self.thetas(dims)?;
        Error::Shape { needed: total }.when(theta.capacity() < total)?;
        self.each_spec(dims, |index, spec| theta.put(index, spec))
    }

    /// Writes the start of the hyperparameters alone, as logarithms.
    ///
    /// # Errors
    /// As [`Kernel::thetas`], and [`Error::Shape`] if the slice has not that length.
    pub fn write_start<R: Real>(&self, dims: usize, theta: &mut [R]) -> Result<(), Error> {
        let total = self.thetas(dims)?;
        Error::Shape { needed: total }.when(theta.len() != total)?;
        self.each_spec(dims, |index, spec| theta[index] = R::of(spec.value))
    }

    fn each_spec(&self, dims: usize, mut each: impl FnMut(usize, Spec)) -> Result<(), Error> {
        let mut index = 0;
        for item in &self.items {
            let (_, len) = self.resolve(item, dims)?;
            let end = item.specs + item.op.parameters(item.bias).len();
            for spec in self.specs.get(item.specs..end).unwrap_or(&[]) {
                let count = if item.ard && spec.role.per_dimension() { len } else { 1 };
                for _ in 0..count {
                    each(index, *spec);
                    index += 1;
                }
            }
        }
        Ok(())
    }

    pub(super) fn leaf(op: Op, dims: Dims<'_>) -> Self {
        let mut kernel = Self::postfix();
        kernel.node(op, dims);
        kernel
    }

    fn push(&mut self, op: Op, span: Span) {
        if op == Op::Matern && !bessel::ANY_ORDER {
            self.fail(Error::Unsupported);
        }
        let (bias, degree) = (op.may_have_bias(), op.first_degree());
        let item = Item { op, ard: false, bias, degree, span, specs: self.specs.len() };
        for parameter in op.parameters(bias) {
            if self.specs.push(Spec::standard(parameter)).is_err() {
                self.fail(Error::Kernel);
            }
        }
        if self.items.push(item).is_err() {
            self.fail(Error::Kernel);
        }
    }

    fn join(mut self, other: &Self, op: Op) -> Result<Self, Error> {
        self.check()?;
        other.check()?;
        let (entries, specs) = (self.lists.len(), self.specs.len());
        self.lists.extend_from_slice(&other.lists).map_err(|_| Error::Kernel)?;
        self.specs.extend_from_slice(&other.specs).map_err(|_| Error::Kernel)?;
        for item in &other.items {
            let mut item = *item;
            item.specs += specs;
            if let Span::List { offset, .. } = &mut item.span {
                *offset += entries;
            }
            self.items.push(item).map_err(|_| Error::Kernel)?;
        }
        self.push(op, Span::None);
        self.check()?;
        Ok(self)
    }

    /// First and number of the coordinates, or of the list entries, of an item.
    fn resolve(&self, item: &Item, dims: usize) -> Result<(usize, usize), Error> {
        let (first, len, end) = match item.span {
            Span::None => return Ok((0, 0)),
            Span::All => (0, dims, dims),
            Span::Range { first, len } => {
                (usize::from(first), usize::from(len), usize::from(first) + usize::from(len))
            }
            Span::List { offset, len } => {
                let last = self.lists.get(offset..offset + len).and_then(<[u16]>::last);
                (offset, len, last.map_or(0, |&dim| usize::from(dim) + 1))
            }
        };
        let fits = len > 0 && end <= dims && dims <= usize::from(u16::MAX);
        let fits = fits && (item.op != Op::OneHot || self.is_sound_one_hot(item, len, dims));
        if fits { Ok((first, len)) } else { Err(Error::Kernel) }
    }

    /// Whether a one-hot item has its coordinates in order.
    fn is_sound_one_hot(&self, item: &Item, len: usize, dims: usize) -> bool {
        let categories = usize::from(item.degree >> 8);
        let Some(numbers) = len.checked_sub(categories) else { return false };
        let Span::List { offset, .. } = item.span else { return true };
        let list = self.lists.get(offset..offset + len).unwrap_or(&[]);
        is_sound_list(|i| list.get(i).map_or(usize::MAX, |&dim| usize::from(dim)), numbers, len, dims)
    }

    /// Why the nodes so far are refused, whatever follows.
    #[must_use]
    pub fn failure(&self) -> Option<Error> {
        self.fault
    }

    fn fail(&mut self, error: Error) {
        self.fault = self.fault.or(Some(error));
    }
}

/// One node before its place in θ and its coordinates are known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Item {
    op: Op,
    ard: bool,
    bias: bool,
    degree: u16,
    span: Span,
    specs: usize,
}

/// The coordinates of an item, not yet resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Span {
    None,
    All,
    Range { first: u16, len: u16 },
    List { offset: usize, len: usize },
}

#[cfg(test)]
mod tests;
