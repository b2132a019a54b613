//! Hyperparameters: logarithms of natural parameters, with bounds and a prior.

use super::op::{Parameter, Role};
use super::prior::{Entry, MIN_SD, Prior, PriorKind};
use crate::block::layout::sections;
use crate::error::Error;
use crate::real::Real;

/// Largest magnitude of a logarithm: beyond e⁸⁰ a parameter, scaled and summed, leaves the range of `f32`.
pub(crate) const MAX_LOG: f64 = 80.0;

sections! {
    (count: usize) {
        /// The values.
        pub value: scalars[count],
        /// Lower bounds.
        pub lo: scalars[count],
        /// Upper bounds.
        pub hi: scalars[count],
        /// First parameters of the priors: mean, shape or scale.
        pub prior_first: scalars[count],
        /// Second parameters of the priors: precision (1/sd²), rate or power.
        pub prior_second: scalars[count],
        /// Kinds of the priors: 0 log-normal, flat if its precision is 0; 1 uniform; 2 gamma; 3 horseshoe.
        pub prior_kind: bytes[count],
    }
    => object {
        /// The hyperparameters of a kernel in six parallel slices, values and bounds on the log scale.
        ///
        /// `lo == hi` marks a frozen parameter. What the two parameters of a prior mean, its kind says; zeros are a flat one.
        pub struct Theta {}
    }
    => view {
        /// The same, for reading.
        pub(crate) struct ThetaRead of Theta {}
    }
}

impl<'a, R: Real> Theta<'a, R> {
    /// This table with other values in the place of its own.
    pub(crate) fn with_values<'b>(&'b mut self, value: &'b mut [R]) -> Theta<'b, R> {
        Theta {
            value,
            lo: &mut *self.lo,
            hi: &mut *self.hi,
            prior_first: &mut *self.prior_first,
            prior_second: &mut *self.prior_second,
            prior_kind: &mut *self.prior_kind,
        }
    }

    /// Takes as many entries of another table as both have.
    pub(crate) fn copy_from(&mut self, other: &Theta<'_, R>) {
        let count = self.capacity().min(other.capacity());
        self.value[..count].copy_from_slice(&other.value[..count]);
        self.lo[..count].copy_from_slice(&other.lo[..count]);
        self.hi[..count].copy_from_slice(&other.hi[..count]);
        self.prior_first[..count].copy_from_slice(&other.prior_first[..count]);
        self.prior_second[..count].copy_from_slice(&other.prior_second[..count]);
        self.prior_kind[..count].copy_from_slice(&other.prior_kind[..count]);
    }

    /// Takes an entry of another table; both have it.
    pub(crate) fn take(&mut self, to: usize, other: &ThetaRead<'_, R>, from: usize) {
        self.value[to] = other.value[from];
        (self.lo[to], self.hi[to]) = (other.lo[from], other.hi[from]);
        (self.prior_first[to], self.prior_second[to]) = (other.prior_first[from], other.prior_second[from]);
        self.prior_kind[to] = other.prior_kind[from];
    }

    /// Parameters that fit in every one of the slices.
    pub(crate) fn capacity(&self) -> usize {
        let bounds = self.lo.len().min(self.hi.len());
        let priors = self.prior_first.len().min(self.prior_second.len()).min(self.prior_kind.len());
        self.value.len().min(bounds).min(priors)
    }

    /// The reason why the first `count` entries cannot be used, if there is one.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is shorter than `count`; [`Error::Theta`] with the first entry whose value,
    /// bounds or prior is not finite or out of order.
    pub(crate) fn check(&self, count: usize) -> Result<(), Error> {
        Error::Shape { needed: count }.when(self.capacity() < count)?;
        for i in 0..count {
            let (value, lo, hi) = (self.value[i], self.lo[i], self.hi[i]);
            let ordered = lo <= value && value <= hi && lo.is_finite() && hi.is_finite();
            if !(ordered && self.prior(i).is_some_and(|prior| prior.is_sound())) {
                return Err(Error::Theta { index: i as u32 });
            }
        }
        Ok(())
    }

    pub(super) fn put(&mut self, index: usize, spec: Spec) {
        self.value[index] = R::of(spec.value);
        self.lo[index] = R::of(spec.lo);
        self.hi[index] = R::of(spec.hi);
        self.put_prior(index, spec.prior);
    }

    fn put_prior(&mut self, index: usize, prior: Prior) {
        let (kind, first, second) = prior.entry();
        self.prior_kind[index] = kind;
        self.prior_first[index] = R::of(first);
        self.prior_second[index] = R::of(second);
    }

    fn prior(&self, index: usize) -> Option<Entry<R>> {
        let kind = PriorKind::of(*self.prior_kind.get(index)?)?;
        Some(Entry { kind, first: *self.prior_first.get(index)?, second: *self.prior_second.get(index)? })
    }

    /// Gives a parameter another prior.
    ///
    /// # Errors
    /// [`Error::Theta`] if there is no such parameter, or a number of the prior is out of its range.
    pub fn set_prior(&mut self, index: usize, prior: Prior) -> Result<(), Error> {
        Error::Theta { index: index as u32 }.when(index >= self.capacity() || !prior.is_valid())?;
        self.put_prior(index, prior);
        Ok(())
    }

    /// Sets a parameter and the range in which training may move it, in natural units, with a flat prior; equal ends
    /// freeze it.
    ///
    /// # Errors
    /// [`Error::Theta`] if there is no such parameter, or the three are not positive, finite and in order.
    pub fn set_range(&mut self, index: usize, value: f64, lo: f64, hi: f64) -> Result<(), Error> {
        let (value, lo, hi) = (R::of(value), R::of(lo), R::of(hi));
        let ordered = lo > R::ZERO && lo <= value && value <= hi && hi.is_finite();
        Error::Theta { index: index as u32 }.when(index >= self.capacity() || !ordered)?;
        self.value[index] = value.ln();
        self.lo[index] = lo.ln();
        self.hi[index] = hi.ln();
        (self.prior_kind[index], self.prior_first[index], self.prior_second[index]) =
            (0, value.ln(), R::ZERO);
        Ok(())
    }

    /// Gives a parameter a log-normal prior with this spread around its present value; 0 is a flat one.
    ///
    /// # Errors
    /// [`Error::Theta`] if there is no such parameter, or `sd` is neither 0 nor a finite number from [`MIN_SD`] on.
    pub(crate) fn set_spread(&mut self, index: usize, sd: f64) -> Result<(), Error> {
        if index >= self.capacity() || sd != 0.0 && !(sd >= MIN_SD && sd.is_finite()) {
            return Err(Error::Theta { index: index as u32 });
        }
        let precision = if sd > 0.0 { R::of(1.0 / (sd * sd)) } else { R::ZERO };
        (self.prior_kind[index], self.prior_first[index], self.prior_second[index]) =
            (0, self.value[index], precision);
        Ok(())
    }

    /// The logarithm of the prior density of θ = ln q up to a constant, its gradient added to `gradient`.
    ///
    /// ```text
    /// ln p(θ) = Σ ln p(qₜ) + θₜ,   qₜ = exp θₜ
    /// ```
    /// The second term is the Jacobian of the logarithm. Slices shorter than θ end the sum; `gradient` may be
    /// empty. Bounds are not looked at.
    pub(crate) fn log_prior(&self, theta: &[R], gradient: &mut [R]) -> R {
        let mut sum = R::ZERO;
        for (i, &at) in theta.iter().enumerate() {
            let Some(prior) = self.prior(i) else { break };
            let (value, slope) = prior.log_density(at);
            sum += value;
            if let Some(g) = gradient.get_mut(i) {
                *g += slope;
            }
        }
        sum
    }

    /// Fills `out` with a draw from the prior, inside the bounds; uniform between them where the prior is flat.
    pub(crate) fn draw<G: rand_core::Rng + ?Sized>(&self, generator: &mut G, out: &mut [R]) {
        for (i, out) in out.iter_mut().enumerate().take(self.capacity()) {
            if let Some(prior) = self.prior(i) {
                *out = prior.draw(self.lo[i], self.hi[i], generator);
            }
        }
    }
}

/// How one role of one node starts: value and bounds as logarithms, and the prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spec {
    pub(super) role: Role,
    pub(super) value: f64,
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) prior: Prior,
}

impl Spec {
    /// Natural units, turned into logarithms.
    pub(super) fn new(role: Role, value: f64, lo: f64, hi: f64, prior: Prior) -> Self {
        Self { role, value: libm::log(value), lo: libm::log(lo), hi: libm::log(hi), prior }
    }

    /// The start for inputs in the unit cube and outputs of unit variance.
    pub(super) fn standard(of: &Parameter) -> Self {
        Self::new(of.role, of.value, of.lo, of.hi, Prior::Flat)
    }

    /// Whether the kernel is defined over the whole of these bounds.
    pub(super) fn is_valid(&self, of: &Parameter) -> bool {
        let top = libm::log(of.most).min(MAX_LOG);
        -MAX_LOG <= self.lo
            && self.lo <= self.value
            && self.value <= self.hi
            && self.hi <= top
            && self.prior.is_valid()
    }
}

#[cfg(test)]
mod tests {
    use super::{Prior, Theta};
    use crate::block::Arena;
    use crate::error::Error;

    #[test]
    fn prior_is_a_parabola_with_its_gradient() {
        let mut words = [0; Theta::<f64>::section_words(3)];
        let mut table = Theta::<f64>::cut(&mut Arena::new(&mut words), 3).unwrap();
        table.set_prior(0, Prior::LogNormal { mean: 0.5, sd: 0.5 }).unwrap();
        table.set_prior(2, Prior::LogNormal { mean: 3.0, sd: 2.0 }).unwrap();
        assert_eq!(table.set_prior(3, Prior::Flat), Err(Error::Theta { index: 3 }));
        let narrow = Prior::LogNormal { mean: 0.0, sd: 0.0 };
        assert_eq!(table.set_prior(1, narrow), Err(Error::Theta { index: 1 }));
        let theta = [0.7, 9.0, 1.0];
        let mut gradient = [1.0, 1.0, 1.0];
        let value = table.log_prior(&theta, &mut gradient);
        assert!((value - (-0.5 * 4.0 * 0.04 - 0.5 * 0.25 * 4.0f64)).abs() < 1e-15);
        for i in 0..3 {
            let mut up = theta;
            let mut down = theta;
            up[i] += 1e-4;
            down[i] -= 1e-4;
            let difference = (table.log_prior(&up, &mut []) - table.log_prior(&down, &mut [])) / 2e-4;
            assert!((gradient[i] - 1.0 - difference).abs() < 1e-9);
        }
    }

    #[test]
    fn check_names_the_bad_entry() {
        let mut v = [[0.0f32, 0.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]];
        let check = |v: &mut [[f32; 2]; 5], count| {
            let [value, lo, hi, prior_first, prior_second] = v;
            Theta { value, lo, hi, prior_first, prior_second, prior_kind: &mut [0; 2] }.check(count)
        };
        assert_eq!(check(&mut v, 2), Ok(()));
        assert_eq!(check(&mut v, 3), Err(Error::Shape { needed: 3 }));
        v[0][1] = 2.0;
        assert_eq!(check(&mut v, 2), Err(Error::Theta { index: 1 }));
        v[0][1] = f32::NAN;
        assert_eq!(check(&mut v, 2), Err(Error::Theta { index: 1 }));
        v[0][1] = 0.0;
        v[4][0] = -1.0;
        assert_eq!(check(&mut v, 2), Err(Error::Theta { index: 0 }));
    }
}
