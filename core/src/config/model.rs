//! The surrogate model that is fitted, and the treatment of its hyperparameters (maximum a posteriori, MCMC, quadrature).

use super::Config;
use super::flat::{Flat, pick, rows};
use super::suit::{most, small};
use crate::baselines::{Anneal, Baseline, Parzen};
use crate::error::Error;
use crate::forest::{self, Kind, Settings, Spread};
use crate::gp::sampler::{Sampler, Sampling};
use crate::limits::{Limit, Limits};
use crate::sparse;

/// Features of a sparse process unless the limits say otherwise.
const FEATURES: u32 = 64;
/// Trees of an ensemble unless the limits say otherwise.
const TREES: u32 = 100;

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
}

impl Model {
    /// The least degrees of freedom of a Student-t process: the variance of its values grows beyond all bounds as they
    /// approach 2.
    pub(crate) const LEAST_FREEDOM: f64 = 2.0009765625;

    /// Whether it is a process with an exact factor.
    pub(crate) const fn is_exact(&self) -> bool {
        match self {
            Self::Process | Self::Student { .. } => true,
            Self::Sparse(_) | Self::Trees(_) => false,
        }
    }

    /// Whether it has hyperparameters of a kernel.
    pub(crate) const fn has_kernel(&self) -> bool {
        match self {
            Self::Process | Self::Student { .. } | Self::Sparse(_) => true,
            Self::Trees(_) => false,
        }
    }

    /// Whether its predictions have a slope.
    pub(crate) const fn is_smooth(&self) -> bool {
        match self {
            Self::Process | Self::Student { .. } | Self::Sparse(_) => true,
            Self::Trees(_) => false,
        }
    }

    /// These limits with what the model needs beyond those of an exact process.
    const fn suit(&self, limits: Limits) -> Limits {
        match self {
            Self::Process | Self::Student { .. } => limits,
            Self::Sparse(_) => {
                let features = if limits.features > 0 { limits.features } else { FEATURES };
                Limits { exact: 0, features, ..limits }
            }
            Self::Trees(_) => {
                let trees = if limits.trees > 0 { limits.trees } else { TREES };
                let full = forest::Size::full(limits.trials as usize, limits.dims as usize, trees as usize);
                let tree_nodes = if limits.tree_nodes > 0 { limits.tree_nodes } else { small(full.nodes) };
                Limits { exact: 0, trees, tree_nodes, ..limits }
            }
        }
    }

    /// Whether the model finds room within the limits.
    ///
    /// # Errors
    /// [`Error::Limits`].
    fn fits(&self, limits: &Limits) -> Result<(), Error> {
        match self {
            Self::Process | Self::Student { .. } => {
                Limit::Exact.at_least(limits.exact as usize, limits.trials as usize)
            }
            Self::Sparse(kind) => Limit::Features.at_least(limits.features as usize, kind.least()),
            Self::Trees(settings) => {
                let trees = limits.trees as usize;
                Limit::Trees.at_least(trees, 1)?;
                Limit::TreeNodes.at_least(limits.tree_nodes as usize, trees)?;
                settings.check(trees)
            }
        }
    }

    fn check(&self) -> Result<(), Error> {
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
        }
    }
}

/// What proposes: a model with what is maximised over it, or a method without a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Proposer {
    Model(Model),
    Baseline(Baseline),
}

/// One row a model or method: what it is; its number, fixed for ever; its name in C; how it usually is.
macro_rules! numbered {
    ($($(#[$doc:meta])* $number:literal: $name:ident, $proposer:pat => $usual:expr;)+) => {
        impl Proposer {
            /// All of them as they usually are, each at the place of its number.
            pub(super) const ALL: [Self; [$($number),+].len()] = [$($usual),+];

            /// The number among all.
            pub(super) const fn code(&self) -> u32 {
                match *self {
                    $($proposer => $number,)+
                }
            }
        }
    };
}

numbered! {
    /// An exact Gaussian process: the best for hundreds of trials.
    0: Process, Self::Model(Model::Process) => Self::Model(Model::Process);
    /// A Student-t process: values that are further out than expected widen all its predictions.
    1: Student, Self::Model(Model::Student { .. }) => Self::Model(Model::Student { freedom: 5.0, learnt: true });
    /// A process through inducing points; what they do not explain is independent noise. For thousands of trials.
    2: Fitc, Self::Model(Model::Sparse(sparse::Kind::Fitc)) => Self::Model(Model::Sparse(sparse::Kind::Fitc));
    /// A process through inducing points by a lower bound of its evidence.
    3: Variational, Self::Model(Model::Sparse(sparse::Kind::Variational)) => Self::Model(Model::Sparse(sparse::Kind::Variational));
    /// A process of random waves from the spectral density of the kernel.
    4: Spectrum, Self::Model(Model::Sparse(sparse::Kind::Spectrum)) => Self::Model(Model::Sparse(sparse::Kind::Spectrum));
    /// Averaged trees, each with the best cuts of rows drawn with replacement.
    5: RandomForest, Self::Model(Model::Trees(Settings { kind: Kind::Random { .. }, .. })) => Self::Model(Model::Trees(Settings::RANDOM));
    /// Averaged trees of all rows with random cuts.
    6: ExtraTrees, Self::Model(Model::Trees(Settings { kind: Kind::Extra, .. })) => Self::Model(Model::Trees(Settings::EXTRA));
    /// Gradient boosting, a third of the trees each for the mean and for two quantiles.
    7: BoostedTrees, Self::Model(Model::Trees(Settings { kind: Kind::Boosted { .. }, .. })) => Self::Model(Model::Trees(Settings::BOOSTED));
    /// None: random points.
    8: Random, Self::Baseline(Baseline::Random) => Self::Baseline(Baseline::Random);
    /// None: the points of a mesh, each once: grid_levels.
    9: Grid, Self::Baseline(Baseline::Grid { .. }) => Self::Baseline(Baseline::Grid { levels: 10 });
    /// None: a scrambled Sobol sequence.
    10: Sobol, Self::Baseline(Baseline::Sobol) => Self::Baseline(Baseline::Sobol);
    /// None: simulated annealing: anneal_heat, anneal_cooling, anneal_reach.
    11: Anneal, Self::Baseline(Baseline::Anneal(_)) => Self::Baseline(Baseline::ANNEAL);
    /// None: densities of the good and of the bad trials, multivariate and conditional TPE: parzen_*.
    12: Parzen, Self::Baseline(Baseline::Parzen(_)) => Self::Baseline(Baseline::TPE);
    /// None: the evolution strategy CMA-ES: evolve_offspring.
    13: CmaEs, Self::Baseline(Baseline::Covariance { .. }) => Self::Baseline(Baseline::CMA_ES);
    /// None: MI-ES, the evolution strategy for mixed and conditional spaces: evolve_parents, evolve_offspring.
    14: MiEs, Self::Baseline(Baseline::Evolution { .. }) => Self::Baseline(Baseline::MI_ES);
    /// A process of random signs of the cells of Mondrian trees: for a Laplace kernel, which is then the default.
    15: Mondrian, Self::Model(Model::Sparse(sparse::Kind::Mondrian)) => Self::Model(Model::Sparse(sparse::Kind::Mondrian));
}

impl Proposer {
    pub(super) const fn of(config: &Config<'_>) -> Self {
        match config.proposal.baseline {
            Some(baseline) => Self::Baseline(baseline),
            None => Self::Model(config.surrogate.model),
        }
    }

    /// These limits with what is needed beyond an exact process.
    pub(super) const fn suit(&self, limits: Limits) -> Limits {
        match self {
            Self::Model(model) => model.suit(limits),
            Self::Baseline(baseline) => {
                let state = baseline.state(limits.dims as usize, limits.most_open());
                Limits { exact: 0, state: most(limits.state, small(state)), ..limits }
            }
        }
    }

    /// Whether it finds room within the limits.
    ///
    /// # Errors
    /// [`Error::Limits`].
    pub(super) fn fits(&self, limits: &Limits) -> Result<(), Error> {
        match self {
            Self::Model(model) => model.fits(limits),
            Self::Baseline(_) => Ok(()),
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Model(model) => model.check(),
            Self::Baseline(baseline) => baseline.check(),
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
    pub(crate) const fn posteriors(&self) -> u32 {
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

/// The rows of what is chosen: see `exchange` of [`Flat`].
impl Flat {
    pub(super) fn exchange_proposer<const PUT: bool>(
        &mut self,
        proposer: &mut Proposer,
    ) -> Result<(), Error> {
        if PUT {
            self.model = proposer.code();
        }
        // Also where they are not chosen.
        pick(self.model_learn_freedom, &[(); 2])?;
        pick(self.forest_spread, &[(); 2])?;
        pick(self.forest_bootstrap, &[(); 2])?;
        pick(self.parzen_liar, &[(); 2])?;
        match proposer {
            Proposer::Model(Model::Process | Model::Sparse(_)) => {}
            Proposer::Model(Model::Student { freedom, learnt }) => rows! { self, PUT:
                model_freedom = *freedom;
                model_learn_freedom = *learnt, of [false, true];
            },
            Proposer::Model(Model::Trees(Settings { kind, features, leaf, depth, spread, floor })) => {
                rows! { self, PUT:
                    forest_features = *features;
                    forest_leaf = *leaf;
                    forest_depth = *depth;
                    forest_spread = *spread, of [Spread::Total, Spread::Across];
                    forest_floor = *floor;
                }
                match kind {
                    Kind::Random { bootstrap } => rows! { self, PUT:
                        forest_bootstrap = *bootstrap, of [false, true];
                    },
                    Kind::Extra => {}
                    Kind::Boosted { rate, share, low, high } => rows! { self, PUT:
                        forest_rate = *rate;
                        forest_share = *share;
                        forest_low = *low;
                        forest_high = *high;
                    },
                }
            }
            Proposer::Baseline(Baseline::Random | Baseline::Sobol) => {}
            Proposer::Baseline(Baseline::Grid { levels }) => rows! { self, PUT: grid_levels = *levels; },
            Proposer::Baseline(Baseline::Anneal(Anneal { heat, cooling, reach })) => rows! { self, PUT:
                anneal_heat = *heat;
                anneal_cooling = *cooling;
                anneal_reach = *reach;
            },
            Proposer::Baseline(Baseline::Parzen(Parzen { candidates, share, most, prior, liar })) => {
                rows! { self, PUT:
                    parzen_candidates = *candidates;
                    parzen_share = *share;
                    parzen_most = *most;
                    parzen_prior = *prior;
                    parzen_liar = *liar, of [false, true];
                }
            }
            Proposer::Baseline(Baseline::Covariance { offspring }) => rows! { self, PUT:
                evolve_offspring = *offspring;
            },
            Proposer::Baseline(Baseline::Evolution { parents, offspring }) => rows! { self, PUT:
                evolve_parents = *parents;
                evolve_offspring = *offspring;
            },
        }
        Ok(())
    }

    pub(super) fn exchange_hyper<const PUT: bool>(&mut self, hyper: &mut Hyper) -> Result<(), Error> {
        if PUT {
            self.hyper = hyper.code();
        }
        pick(self.sampler, &Sampler::ALL)?;
        match hyper {
            Hyper::Map => {}
            Hyper::Mcmc { count, sampling } => rows! { self, PUT:
                hyper_count = *count;
                sampler = sampling.sampler, of Sampler::ALL;
                sampler_burn_in = sampling.burn_in;
                sampler_thin = sampling.thin;
                sampler_width = sampling.width;
                sampler_out = sampling.out;
                sampler_shrink = sampling.shrink;
                sampler_latent = sampling.latent;
            },
            Hyper::Quadrature { count } => rows! { self, PUT: hyper_count = *count; },
        }
        Ok(())
    }
}
