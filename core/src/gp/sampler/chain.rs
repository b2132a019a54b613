//! A Markov chain of hyperparameters that survives between calls.

use super::fixed::Fixed;
use super::integrated::Integrated;
use super::latent::{Gaussian, Latent};
use super::surrogate::Surrogate;
use super::sweep::Sweep;
use super::whitened::Whitened;
use super::{Moves, Sampler, Sampling, Target};
use crate::backend::Backend;
use crate::block::layout::sections;
use crate::block::{Arena, Scratch};
use crate::error::Error;
use crate::gp::{Ensemble, Gp, Size};
use crate::kernel::{Covariance, Role};
use crate::limits::Limit;
use crate::linalg::packed;
use crate::real::Real;
use crate::rng::Generator;

/// Words of counters: sweeps since the start, rows of the latent values, the generator.
const STATE: usize = 6;
pub(super) const SWEEPS: usize = 0;
const ROWS: usize = 1;
const GENERATOR: usize = 2;

/// Draws from the prior for a chain whose start has no density, at most.
const STARTS: u32 = 16;

sections! {
    (size: (usize, usize)) {
        pub(super) state: words[STATE],
        pub(super) theta: scalars[size.0],
        width: scalars[size.0],
        latent: scalars[size.1],
    }
    => object {
        /// Where a chain is, its steps and its generator, as plain slices.
        ///
        /// Zeros are a chain that has not started, of seed 0. One chain, one thread at a time. It lives as long as the
        /// words lent to it.
        pub(crate) struct Chain {}
    }
}

impl<'a, R: Real> Chain<'a, R> {
    /// Words of a chain for a process of this size; `latent` if it may keep latent values.
    pub(crate) const fn words(size: &Size, latent: bool) -> usize {
        Self::section_words(Self::extent(size, latent))
    }

    /// Hyperparameters and latent values.
    pub(crate) const fn extent(size: &Size, latent: bool) -> (usize, usize) {
        (size.thetas + 1, if latent { size.rows } else { 0 })
    }

    /// The chain that lies at the front of the arena, as it was left.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer than [`Chain::words`] are left.
    pub(crate) fn carve(arena: &mut Arena<'a>, size: Size, latent: bool) -> Result<Self, Error> {
        Self::cut(arena, Self::extent(&size, latent))
    }

    /// Forgets where the chain is: the next use starts afresh, with burning in. For when the objective changes.
    pub(crate) fn reset(&mut self, seed: u64) {
        self.state.fill(0);
        self.theta.fill(R::ZERO);
        self.width.fill(R::ZERO);
        self.latent.fill(R::ZERO);
        self.state[GENERATOR..].copy_from_slice(&Generator::new(seed).words());
    }

    /// Whether the words are such as this library leaves them.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = |slice: &[R]| slice.iter().all(|v| v.is_finite());
        self.state[ROWS] <= self.latent.len() as u64
            && finite(self.theta)
            && finite(self.latent)
            && self.width.iter().all(|w| *w >= R::ZERO && w.is_finite())
    }

    /// Draws hyperparameters for all members of `posteriors`, each with the same weight; they wait to be fitted.
    ///
    /// A chain that has not started does so at the hyperparameters of the process and burns in. The process
    /// itself stays as it is, but for its work memory. Cost: n³/3 flops an evaluation, of which slice sampling
    /// takes about 4 to 8 for each move.
    ///
    /// # Errors
    /// [`Error::Shape`] without members, [`Error::Config`] for settings out of range, [`Error::Unsupported`] for a
    /// sampler of latent values in a chain without, [`Error::NoData`], or what the backend reports; the chain is
    /// then where its last whole sweep led, and members may have lost their fits.
    pub(crate) fn fill<B: Backend<R> + ?Sized>(
        &mut self,
        gp: &mut Gp<'_, R>,
        posteriors: &mut Ensemble<'_, R>,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        sampling: &Sampling,
    ) -> Result<(), Error> {
        let members = posteriors.count();
        Error::Shape { needed: 1 }.when(members == 0)?;
        let weight = R::ONE / R::of_usize(members);
        self.begin_at(gp)?;
        for member in 0..members {
            let burn_in = u64::from(sampling.burn_in).saturating_sub(self.state[SWEEPS]);
            // The memory of the member serves as scratch, so that the fit of the process survives.
            let mut view = posteriors.view(gp, member)?;
            let sweeps = burn_in + u64::from(sampling.thin);
            self.advance(&mut view, covariance, backend, sampling, sweeps)?;
            posteriors.set(member, self.theta, weight)?;
        }
        Ok(())
    }

    /// A fresh chain begins where the process is.
    pub(super) fn begin_at(&mut self, gp: &Gp<'_, R>) -> Result<(), Error> {
        Limit::Thetas.exactly(self.theta.len(), gp.theta.value.len())?;
        if self.state[SWEEPS] == 0 {
            self.theta.copy_from_slice(gp.theta.value);
        }
        Ok(())
    }

    /// Runs the chain for some sweeps in the memory of a process, whose fit is lost; what its moves did.
    ///
    /// Steps of Metropolis–Hastings adapt until [`Sampling::burn_in`] sweeps are done, and then stay.
    ///
    /// # Errors
    /// As [`Chain::fill`].
    pub(super) fn advance<B: Backend<R> + ?Sized>(
        &mut self,
        gp: &mut Gp<'_, R>,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        sampling: &Sampling,
        sweeps: u64,
    ) -> Result<Moves, Error> {
        sampling.check()?;
        gp.check(covariance)?;
        Error::NoData.when(!gp.trend.allows(gp.rows()))?;
        let latent = sampling.sampler.is_latent();
        Error::Unsupported.when(latent && self.latent.len() < gp.rows())?;
        let mut words = [0; 4];
        words.copy_from_slice(&self.state[GENERATOR..]);
        let mut generator = Generator::from_words(words).unwrap_or_else(|_| Generator::new(0));
        self.start(gp, covariance, backend, sampling, &mut generator)?;
        if latent && self.state[ROWS] != gp.rows() as u64 {
            self.start_latent(gp, covariance, backend)?;
        }
        let mut moves = Moves::default();
        for _ in 0..sweeps {
            self.sweep(gp, covariance, backend, sampling, &mut generator, &mut moves)?;
            self.state[SWEEPS] = self.state[SWEEPS].saturating_add(1);
            self.state[GENERATOR..].copy_from_slice(&generator.words());
        }
        Ok(moves)
    }

    /// Puts a fresh chain to a place that has a density, if one is found, and any chain inside the bounds.
    fn start<B: Backend<R> + ?Sized>(
        &mut self,
        gp: &mut Gp<'_, R>,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        sampling: &Sampling,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        for (i, theta) in self.theta.iter_mut().enumerate() {
            *theta = theta.clamp(gp.theta.lo[i], gp.theta.hi[i]);
        }
        if self.state[SWEEPS] > 0 {
            return Ok(());
        }
        self.width.fill(R::of(sampling.width));
        self.state[ROWS] = 0;
        let (mut target, [trial, ..]) = Integrated::of(gp, covariance, backend)?;
        trial.copy_from_slice(self.theta);
        for _ in 0..=STARTS {
            if target.at(trial).is_finite() {
                self.theta.copy_from_slice(trial);
                break;
            }
            target.theta.draw(generator, trial);
        }
        target.failure.map_or(Ok(()), Err)
    }

    /// Starts the latent values at their mean for the present hyperparameters.
    fn start_latent<B: Backend<R> + ?Sized>(
        &mut self,
        gp: &mut Gp<'_, R>,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
    ) -> Result<(), Error> {
        let n = gp.rows();
        // The process has the hyperparameters of the chain for a moment only.
        gp.theta.value.swap_with_slice(self.theta);
        if let Err(error) = gp.fit(covariance, backend) {
            gp.theta.value.swap_with_slice(self.theta);
            return Err(error);
        }
        for row in 0..n {
            let mut value = gp.mean_at_row(row);
            let (point, beta) = (gp.data.point(row), &gp.fit.beta);
            gp.trend.basis(point, |column, basis| value -= basis * beta[column]);
            self.latent[row] = value;
        }
        gp.theta.value.swap_with_slice(self.theta);
        self.latent[n..].fill(R::ZERO);
        self.state[ROWS] = n as u64;
        Ok(())
    }

    /// One sweep over all hyperparameters and, if they are kept, the latent values.
    fn sweep<B: Backend<R> + ?Sized>(
        &mut self,
        gp: &mut Gp<'_, R>,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        sampling: &Sampling,
        generator: &mut Generator,
        moves: &mut Moves,
    ) -> Result<(), Error> {
        let sweeps = self.state[SWEEPS];
        let adapting = sweeps < u64::from(sampling.burn_in);
        let (theta, width) = (&mut *self.theta, &mut *self.width);
        let is_length = |i: usize| covariance.tape().is_some_and(|tape| tape.role(i) == Some(Role::Length));
        if !sampling.sampler.is_latent() {
            let (mut target, [trial, direction, order]) = Integrated::of(gp, covariance, backend)?;
            let mut sweep = Sweep { theta, width, trial, direction, order, sweeps, adapting };
            if sampling.sampler == Sampler::Slice {
                sweep.slices(is_length, sampling, sampling.out, &mut target, generator, moves);
            } else {
                sweep.steps(&mut target, generator, moves);
            }
            return target.failure.map_or(Ok(()), Err);
        }
        let (n, thetas) = (gp.rows(), theta.len());
        gp.unfit();
        let Gp { trend, data, theta: table, fit, work, .. } = gp;
        let mut scratch = Scratch::new(work);
        let (trial, direction) = (scratch.take(thetas)?, scratch.take(thetas)?);
        let order = scratch.take(thetas)?;
        let (x, y, known) = (data.inputs(), data.targets(), data.known_variances());
        let gaussian = Gaussian {
            y,
            known,
            x,
            trend: *trend,
            residual: &mut fit.alpha[..n],
            basis: &mut *fit.basis,
            normal: &mut *fit.normal,
            beta: &mut *fit.beta,
        };
        let mut mean = R::ZERO;
        for &variance in known {
            mean += variance / R::of_usize(n);
        }
        let mut latent = Latent {
            covariance,
            backend,
            table: table.with_values(&mut []),
            x,
            likelihood: gaussian,
            known: mean,
            f: &mut self.latent[..n],
            proposal: scratch.take(n)?,
            white: scratch.take(n)?,
            data: scratch.take(n)?,
            second: scratch.take(packed(n))?,
            factor: &mut fit.factor[..packed(n)],
            scratch: scratch.rest(),
            failure: None,
        };
        let mut sweep = Sweep { theta, width, trial, direction, order, sweeps, adapting };
        match sampling.sampler {
            Sampler::Fixed => sweep.steps(&mut Fixed(&mut latent), generator, moves),
            Sampler::Whitened => sweep.steps(&mut Whitened(&mut latent), generator, moves),
            Sampler::SurrogateMetropolis => sweep.steps(&mut Surrogate(&mut latent), generator, moves),
            // The first two have no latent values and were served above.
            Sampler::SurrogateSlice | Sampler::Slice | Sampler::Metropolis => {
                sweep.slices(is_length, sampling, 0, &mut Surrogate(&mut latent), generator, moves);
            }
        }
        latent.move_values(sweep.theta, sampling, generator, moves);
        latent.failure.map_or(Ok(()), Err)
    }
}
