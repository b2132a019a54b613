//! The surrogate model that is fitted, and the treatment of its hyperparameters (maximum a posteriori, MCMC, quadrature).

use crate::baselines::Baseline;
use crate::error::Error;
use crate::forest::{Kind, Settings};
use crate::gp::sampler::Sampling;
use crate::sparse;

/// The model of the function.
///
/// ```
/// use infill::{Config, Limits, Model, forest};
/// let config = Config::default().with(|c| c.surrogate.model = Model::Trees(forest::Settings::EXTRA));
/// let limits = Limits::new(6, 200).suit(&config);
/// assert_eq!(limits.exact, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Model {
    /// An exact Gaussian process: the best for hundreds of trials.
    #[default]
    Process,
    /// A Student-t process: values that are further out than a Gaussian process believes widen all its predictions.
    Student {
        /// Degrees of freedom, at least `Model::LEAST_FREEDOM`.
        freedom: f64,
        /// Whether training may move them.
        learnt: bool,
    },
    /// A process seen through [`Limits::features`](crate::Limits) features, for thousands of trials.
    Sparse(sparse::Kind),
    /// An ensemble of [`Limits::trees`](crate::Limits) trees.
    Trees(Settings),
    /// None: a method that works without.
    Baseline(Baseline),
}

impl Model {
    /// The least degrees of freedom of a Student-t process: the variance of its values grows beyond all bounds as they
    /// approach 2.
    pub(crate) const LEAST_FREEDOM: f64 = 2.0009765625;

    /// All of them as they usually are, each at the place of its number, which is fixed for ever.
    pub(super) const ALL: [Self; 16] = [
        Self::Process,
        Self::Student { freedom: 5.0, learnt: true },
        Self::Sparse(sparse::Kind::Fitc),
        Self::Sparse(sparse::Kind::Variational),
        Self::Sparse(sparse::Kind::Spectrum),
        Self::Trees(Settings::RANDOM),
        Self::Trees(Settings::EXTRA),
        Self::Trees(Settings::BOOSTED),
        Self::Baseline(Baseline::Random),
        Self::Baseline(Baseline::Grid { levels: 10 }),
        Self::Baseline(Baseline::Sobol),
        Self::Baseline(Baseline::ANNEAL),
        Self::Baseline(Baseline::TPE),
        Self::Baseline(Baseline::CMA_ES),
        Self::Baseline(Baseline::MI_ES),
        Self::Sparse(sparse::Kind::Mondrian),
    ];

    /// The number of the model among all.
    pub(super) const fn code(&self) -> u32 {
        match *self {
            Self::Process => 0,
            Self::Student { .. } => 1,
            Self::Sparse(sparse::Kind::Fitc) => 2,
            Self::Sparse(sparse::Kind::Variational) => 3,
            Self::Sparse(sparse::Kind::Spectrum) => 4,
            Self::Trees(Settings { kind: Kind::Random { .. }, .. }) => 5,
            Self::Trees(Settings { kind: Kind::Extra, .. }) => 6,
            Self::Trees(Settings { kind: Kind::Boosted { .. }, .. }) => 7,
            Self::Baseline(Baseline::Random) => 8,
            Self::Baseline(Baseline::Grid { .. }) => 9,
            Self::Baseline(Baseline::Sobol) => 10,
            Self::Baseline(Baseline::Anneal(_)) => 11,
            Self::Baseline(Baseline::Parzen(_)) => 12,
            Self::Baseline(Baseline::Covariance { .. }) => 13,
            Self::Baseline(Baseline::Evolution { .. }) => 14,
            Self::Sparse(sparse::Kind::Mondrian) => 15,
        }
    }

    /// Whether it is a process with an exact factor.
    #[must_use]
    pub(crate) const fn is_exact(&self) -> bool {
        matches!(self, Self::Process | Self::Student { .. })
    }

    /// Whether it has hyperparameters of a kernel.
    #[must_use]
    pub const fn has_kernel(&self) -> bool {
        !matches!(self, Self::Trees(_) | Self::Baseline(_))
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Process | Self::Sparse(_) => Ok(()),
            Self::Student { freedom, .. } => {
                if (Self::LEAST_FREEDOM..=1e6).contains(&freedom) {
                    Ok(())
                } else {
                    Err(Error::Config)
                }
            }
            // The number of trees is a limit; whether it suffices is seen there.
            Self::Trees(settings) => settings.check(3),
            Self::Baseline(free) => free.check(),
        }
    }
}

/// What becomes of the hyperparameters of an exact process.
///
/// ```
/// use infill::{Config, Limits, Hyper};
/// let sampled = Hyper::Mcmc { count: 10, sampling: Default::default() };
/// let config = Config::default().with(|c| c.surrogate.hyper = sampled);
/// assert_eq!(Limits::new(2, 30).suit(&config).posteriors, 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Hyper {
    /// The best are taken.
    #[default]
    Map,
    /// Acquisitions are averaged over draws from their posterior.
    Mcmc {
        /// Draws, each with a fit of its own, at most [`Limits::posteriors`](crate::Limits).
        count: u32,
        /// How they are drawn.
        sampling: Sampling,
    },
    /// Acquisitions are averaged over the nodes of a quadrature, for at most three free hyperparameters.
    Quadrature {
        /// Nodes, at most [`Limits::posteriors`](crate::Limits).
        count: u32,
    },
}

impl Hyper {
    /// The most fits that are held together.
    pub const MOST: u32 = 32;

    /// All of them, each at the place of its number, which is fixed for ever.
    pub(super) fn all() -> [Self; 3] {
        [Self::Map, Self::Mcmc { count: 0, sampling: Sampling::default() }, Self::Quadrature { count: 0 }]
    }

    /// The number of the treatment among all.
    pub(super) const fn code(&self) -> u32 {
        match self {
            Self::Map => 0,
            Self::Mcmc { .. } => 1,
            Self::Quadrature { .. } => 2,
        }
    }

    /// Fits beside that at the best hyperparameters.
    #[must_use]
    pub const fn posteriors(&self) -> u32 {
        match *self {
            Self::Map => 0,
            Self::Mcmc { count, .. } | Self::Quadrature { count } => count,
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let counted = |count: u32| if count > 0 && count <= Self::MOST { Ok(()) } else { Err(Error::Config) };
        match self {
            Self::Map => Ok(()),
            Self::Mcmc { count, sampling } => {
                // Bounded, so that no block makes a question last for ever.
                let bounded = sampling.burn_in <= 1 << 12
                    && sampling.thin <= 1 << 8
                    && sampling.out <= 1 << 12
                    && sampling.shrink <= 1 << 10
                    && sampling.latent <= 1 << 8;
                counted(*count).and(sampling.check()).and(if bounded { Ok(()) } else { Err(Error::Config) })
            }
            Self::Quadrature { count } => counted(*count),
        }
    }
}
