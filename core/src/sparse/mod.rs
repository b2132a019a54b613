//! Sparse Gaussian processes (FITC, variational inducing points, sparse spectrum, Mondrian): many observations, few features.
//!
//! A [`Sparse`] process sees the function through m features φ(x), far fewer than there are observations:
//!
//! ```text
//! y = h(x)ᵀβ + φ(x)ᵀw + ε,   w ~ N(0, I),   ε ~ N(0, λ(x)),   C = diag(I, 0) + Σᵢ ψᵢψᵢᵀ/λᵢ,   ψ = (φ, h)
//! ```
//!
//! The [`Kind`] says what φ and λ are. The basis h of the trend has a flat prior and is estimated with w, so with as
//! many features as observations the model is the exact [`Gp`](crate::gp::Gp) of the same trend. Memory O(n·d + m²),
//! time O(n·m²): the features of the data are computed block by block and never kept.

mod choose;
mod data;
mod evidence;
mod fitc;
mod inducing;
mod map;
mod mondrian;
mod mondrian_features;
mod normal;
mod predict;
mod size;
mod spectrum;
#[cfg(test)]
mod tests;
mod train;
mod variational;
mod view;

pub use crate::gp::{Trained, Training};
pub use mondrian::Mondrian;
#[cfg(test)]
pub(crate) use mondrian::ways_gone;
pub use size::{Kind, Size};
pub use view::View;

use crate::block::Arena;
use crate::block::layout::sections;
use crate::error::Error;
use crate::kernel::{self, Covariance, Kernel, Theta};
use crate::linalg::packed;
use crate::real::Real;
use crate::surrogate::Observations;
use crate::trend::Trend;
use predict::Fitted;

/// Words of counters.
const COUNTS: usize = 5;
/// Rows in the factor.
const FACTORED: usize = 0;
/// Features in use.
const FEATURES: usize = 1;
/// Rows when the features were chosen.
const CHOSEN: usize = 2;
/// What the diagonal of the inducing inputs' covariance was multiplied by, less 1.
const LIFT: usize = 3;
/// What was added to the noise to keep the normal matrix positive definite.
const JITTER: usize = 4;

sections! {
    (size: Size) {
        counts: words[COUNTS],
        /// λ of each row in the factor.
        noise: scalars[size.rows],
        theta: Theta[size.thetas + 1],
        /// Inducing inputs, frequencies at unit length scales, or roots of trees.
        spots: scalars[size.features * size.dims],
        /// Factor of the inducing inputs' covariance.
        root: scalars[packed(size.features)],
        /// Factor of C.
        normal: scalars[packed(size.features + size.columns)],
        /// Σ ψᵢyᵢ/λᵢ
        moment: scalars[size.features + size.columns],
        /// (w, β), the mean of their posterior.
        weights: scalars[size.features + size.columns],
        /// Weights of the covariances with the inducing inputs.
        alpha: scalars[size.features],
        work: scalars[size.work()],
    }
    => object {
        /// A sparse Gaussian process in a lent block.
        ///
        /// Data come by [`Sparse::push`], features by [`Sparse::choose`], hyperparameters by [`Sparse::train`], the factor by
        /// [`Sparse::fit`]; then [`Sparse::extend`] adds observations in O(m²). One process, one thread at a time; it lives as
        /// long as the words lent to it.
        pub struct Sparse {
            data: Observations<'a, R> = Observations::none(),
            size: Size = size,
            kind: Kind = Kind::Fitc,
            trend: Trend = Trend::Zero,
        }
    }
}

impl<'a, R: Real> Sparse<'a, R> {
    /// A process without data in a block of at least [`Size::words`].
    ///
    /// The hyperparameters are those of `kernel`; the noise is learnt between 10⁻⁸ and 1 until
    /// [`Sparse::set_noise`] says otherwise.
    ///
    /// # Errors
    /// [`Error::Memory`] if the block is too small; [`Error::Limits`] if the size is zero or beyond counting, or the
    /// kernel or trend does not fit it.
    pub fn new(
        kind: Kind,
        kernel: &Kernel,
        trend: Trend,
        size: Size,
        block: &'a mut [u64],
    ) -> Result<Self, Error> {
        if kernel.thetas(size.dims)? != size.thetas {
            return Err(Error::Limits);
        }
        let mut sparse = Self::carve(&mut Arena::new(block), kind, trend, size)?;
        sparse.reset(kernel)?;
        sparse.set_noise(1e-4, 1e-8, 1.0)?;
        Ok(sparse)
    }

    /// The process that [`Sparse::new`] left in these words, for a program that keeps nothing else.
    ///
    /// Zeros are a process without data whose hyperparameters and noise wait to be set.
    ///
    /// # Errors
    /// As [`Sparse::new`], and [`Error::Corrupt`] if a count is not one that this process leaves.
    pub fn resume(kind: Kind, trend: Trend, size: Size, block: &'a mut [u64]) -> Result<Self, Error> {
        let sparse = Self::carve(&mut Arena::new(block), kind, trend, size)?;
        if sparse.has_sound_counts() { Ok(sparse) } else { Err(Error::Corrupt) }
    }

    /// Removes all data and features and sets the hyperparameters of the kernel to their first values.
    ///
    /// # Errors
    /// As `Kernel::write_theta`.
    pub fn reset(&mut self, kernel: &Kernel) -> Result<(), Error> {
        self.clear();
        kernel.write_theta(self.size.dims, &mut self.theta)
    }

    /// The process of a size that lies at the front of the arena, as it was left, unchecked.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Limits`]. Damaged counts are found by [`Sparse::is_sound`].
    pub fn carve(arena: &mut Arena<'a>, kind: Kind, trend: Trend, size: Size) -> Result<Self, Error> {
        if !size.is_countable() {
            return Err(Error::Limits);
        }
        let data = Observations::cut(arena, [size.rows, size.dims])?;
        Self::over(data, arena, kind, trend, size)
    }

    /// As [`Sparse::carve`], of [`Size::words_over`], with observations that lie elsewhere.
    ///
    /// # Errors
    /// As [`Sparse::carve`].
    pub(crate) fn over(
        data: Observations<'a, R>,
        arena: &mut Arena<'a>,
        kind: Kind,
        trend: Trend,
        size: Size,
    ) -> Result<Self, Error> {
        if !size.is_countable() || trend.columns(size.dims) > size.columns {
            return Err(Error::Limits);
        }
        Ok(Self { kind, trend, data, ..Self::cut(arena, size)? })
    }

    /// How many observations it holds.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.data.rows()
    }

    /// Coordinates of an input.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.size.dims
    }

    /// What φ and λ are.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Features in use: inducing inputs, twice the frequencies, or trees; 0 before [`Sparse::choose`].
    #[must_use]
    pub fn features(&self) -> usize {
        self.counts[FEATURES].min(self.size.features as u64) as usize
    }

    /// How many observations there were when the features were chosen, for deciding when to choose again.
    #[must_use]
    pub fn chosen_at(&self) -> usize {
        self.counts[CHOSEN].min(self.size.rows as u64) as usize
    }

    /// Whether the factor covers all observations.
    #[must_use]
    pub(crate) fn is_fitted(&self) -> bool {
        self.rows() > 0 && self.rows() as u64 == self.counts[FACTORED]
    }

    /// What was added to the noise to keep the factor positive definite.
    #[must_use]
    pub fn jitter(&self) -> R {
        R::of(f64::from_bits(self.counts[JITTER]))
    }

    /// The hyperparameters, on their log scale, the noise variance last.
    #[must_use]
    pub fn theta(&self) -> &[R] {
        &self.theta.value[..self.size.thetas + 1]
    }

    /// The hyperparameters with bounds and priors, for reading and setting; a fit makes a change count.
    pub fn theta_table(&mut self) -> &mut Theta<'a, R> {
        self.counts[FACTORED] = 0;
        &mut self.theta
    }

    /// Sets the common noise variance and the range in which training may move it; equal ends freeze it.
    ///
    /// # Errors
    /// [`Error::Theta`] if the three are not positive, finite and in order.
    pub fn set_noise(&mut self, variance: f64, lo: f64, hi: f64) -> Result<(), Error> {
        self.theta.set_range(self.size.thetas, variance, lo, hi)?;
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Gives the noise a log-normal prior with this spread around its present value; 0 is a flat one.
    ///
    /// # Errors
    /// [`Error::Theta`] if `sd` is neither 0 nor a finite number from [`kernel::MIN_SD`] on.
    pub fn set_noise_prior(&mut self, sd: f64) -> Result<(), Error> {
        self.theta.set_spread(self.size.thetas, sd)
    }

    /// The model as it was fitted last, with memory for anchored points: [`View::anchor_scalars`] for each.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit, [`Error::Kernel`] for a covariance of other hyperparameters.
    pub fn view<'v, C: Covariance<R> + ?Sized>(
        &'v mut self,
        covariance: &'v C,
        anchors: &'v mut [R],
    ) -> Result<View<'v, R, C>, Error> {
        self.check(covariance)?;
        if self.counts[FACTORED] == 0 {
            return Err(Error::NoData);
        }
        let (m, dims) = (self.features(), self.size.dims);
        let all = m + self.trend.columns(dims);
        let fitted = Fitted {
            kind: self.kind,
            trend: self.trend,
            dims,
            features: m,
            theta: &self.theta.value[..self.size.thetas],
            spots: &self.spots[..self.kind.spots(m) * dims],
            root: &self.root[..packed(m)],
            normal: &self.normal[..packed(all)],
            weights: &self.weights[..all],
            alpha: &self.alpha[..m],
        };
        Ok(View { covariance, fitted, work: &mut *self.work, anchors, anchored: 0 })
    }

    /// Whether counts, data, hyperparameters and factors are such as this process leaves them. O(n·d + m²).
    #[must_use]
    pub fn is_sound(&self) -> bool {
        if !self.has_sound_counts() || self.theta.check(self.size.thetas + 1).is_err() {
            return false;
        }
        let (n, m, dims) = (self.rows(), self.features(), self.size.dims);
        let finite = |values: &[R]| values.iter().all(|v| v.is_finite());
        let bounded = |values: &[R]| values.iter().all(|b| b.abs() <= R::of(kernel::MAX_LOG));
        let data = self.data.is_sound(|v| v.is_finite())
            && finite(self.spots())
            && bounded(self.theta.lo)
            && bounded(self.theta.hi);
        if !data || self.counts[FACTORED] == 0 {
            return data;
        }
        let all = m + self.trend.columns(dims);
        let inducing = self.kind.is_inducing();
        // A basis function that is left out has an infinite pivot.
        let factor = |l: &[R], rows: usize| {
            (0..rows).all(|i| {
                let (pivot, row) = (l[packed(i) + i], &l[packed(i)..packed(i) + i]);
                pivot > R::ZERO && (pivot.is_finite() || i >= m) && finite(row)
            })
        };
        factor(self.normal, all)
            && (!inducing || factor(self.root, m))
            && finite(&self.moment[..all])
            && finite(&self.weights[..all])
            && finite(&self.alpha[..m])
            && self.noise[..n].iter().all(|v| v.is_finite() && *v > R::ZERO)
    }

    fn has_sound_counts(&self) -> bool {
        let counts = &self.counts;
        let small = |bits: u64| f64::from_bits(bits).is_finite() && f64::from_bits(bits) >= 0.0;
        self.data.is_counted()
            && (counts[FACTORED] == 0 || counts[FACTORED] == self.rows() as u64 && counts[FEATURES] > 0)
            && counts[FEATURES] <= self.size.features as u64
            && (self.kind != Kind::Spectrum || counts[FEATURES].is_multiple_of(2))
            && counts[CHOSEN] <= self.size.rows as u64
            && small(counts[LIFT])
            && small(counts[JITTER])
    }

    fn check<C: Covariance<R> + ?Sized>(&self, covariance: &C) -> Result<(), Error> {
        let fits = covariance.thetas() == self.size.thetas
            && covariance.tape().is_none_or(|tape| tape.dims() == self.size.dims);
        if fits { Ok(()) } else { Err(Error::Kernel) }
    }
}
