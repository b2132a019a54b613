//! Models, treatments, policies and batches from C data to the library and back.

use library::acquisition::cooling::{Cooling, Schedule};
use library::baselines::{Anneal, Parzen};
use library::config::Similarity;
use library::forest::{Kind, Settings, Spread};
use library::gp::sampler::{Sampler, Sampling};
use library::pending::Lie;
use library::policy::{Counts, Minima};
use library::{Baseline, Branching, Hyper, Model, Pending, Policy, Strategy, sparse};

use crate::choices::*;
use crate::config::{choice, infill_config, or};
use crate::infill_status::{INFILL_ERROR_CONFIG, INFILL_ERROR_UNSUPPORTED};
use crate::pointer::Outcome;

/// Values of a real on a mesh unless it is said how many.
const LEVELS: u32 = 10;
/// Whether this build has more than the first of each choice.
const MODELS: bool = cfg!(feature = "models");

/// The first of `count` choices, for a build that has no other.
fn first<T>(number: u32, count: u32, only: T) -> Outcome<T> {
    match number {
        0 => Ok(only),
        _ if number < count => Err(INFILL_ERROR_UNSUPPORTED),
        _ => Err(INFILL_ERROR_CONFIG),
    }
}

impl infill_config {
    pub(crate) fn model(&self) -> Outcome<Model> {
        if !MODELS {
            return first(self.model, infill_model::INFILL_MODEL_MONDRIAN as u32 + 1, Model::Process);
        }
        let learnt = choice(self.model_learn_freedom, [false, true])?;
        let all = [
            Model::Process,
            Model::Student { freedom: self.model_freedom, learnt },
            Model::Sparse(sparse::Kind::Fitc),
            Model::Sparse(sparse::Kind::Variational),
            Model::Sparse(sparse::Kind::Spectrum),
            Model::Trees(self.trees(Settings::RANDOM)?),
            Model::Trees(self.trees(Settings::EXTRA)?),
            Model::Trees(self.trees(Settings::BOOSTED)?),
            Model::Baseline(Baseline::Random),
            Model::Baseline(Baseline::Grid { levels: or(self.grid_levels, LEVELS) }),
            Model::Baseline(Baseline::Sobol),
            Model::Baseline(Baseline::Anneal(self.anneal())),
            Model::Baseline(Baseline::Parzen(self.parzen()?)),
            Model::Baseline(Baseline::Covariance { offspring: self.evolve_offspring }),
            Model::Baseline(Baseline::Evolution {
                parents: or(self.evolve_parents, 4),
                offspring: or(self.evolve_offspring, 28),
            }),
            Model::Sparse(sparse::Kind::Mondrian),
        ];
        let model = choice(self.model, all)?;
        if let Model::Baseline(free) = model {
            // Before limits are derived from its counts.
            free.check()?;
        }
        Ok(model)
    }

    fn anneal(&self) -> Anneal {
        let Anneal { heat, cooling, reach } = Anneal::USUAL;
        Anneal {
            heat: or(self.anneal_heat, heat),
            cooling: or(self.anneal_cooling, cooling),
            reach: or(self.anneal_reach, reach),
        }
    }

    fn parzen(&self) -> Outcome<Parzen> {
        let usual = Parzen::USUAL;
        Ok(Parzen {
            candidates: or(self.parzen_candidates, usual.candidates),
            share: or(self.parzen_share, usual.share),
            most: or(self.parzen_most, usual.most),
            prior: or(self.parzen_prior, usual.prior),
            liar: choice(self.parzen_liar, [false, true])?,
        })
    }

    /// The settings of an ensemble: what is given, and for zeros what is usual.
    fn trees(&self, usual: Settings) -> Outcome<Settings> {
        let mut settings = usual;
        settings.features = or(self.forest_features, usual.features);
        settings.leaf = or(self.forest_leaf, usual.leaf);
        settings.depth = or(self.forest_depth, usual.depth);
        settings.spread = choice(self.forest_spread, [Spread::Total, Spread::Across])?;
        settings.floor = self.forest_floor;
        settings.kind = match usual.kind {
            Kind::Random { .. } => Kind::Random { bootstrap: choice(self.forest_bootstrap, [false, true])? },
            Kind::Extra => Kind::Extra,
            Kind::Boosted { rate, share, low, high } => Kind::Boosted {
                rate: or(self.forest_rate, rate),
                share: or(self.forest_share, share),
                low: or(self.forest_low, low),
                high: or(self.forest_high, high),
            },
        };
        Ok(settings)
    }

    pub(crate) fn treatment(&self) -> Outcome<Hyper> {
        if !MODELS {
            return first(self.treatment, 3, Hyper::Map);
        }
        let count = self.treatment_count;
        let sampling = Sampling {
            sampler: choice(self.sampler, Sampler::ALL)?,
            burn_in: self.sampler_burn_in,
            thin: self.sampler_thin,
            width: self.sampler_width,
            out: self.sampler_out,
            shrink: self.sampler_shrink,
            latent: self.sampler_latent,
        };
        let all = [Hyper::Map, Hyper::Mcmc { count, sampling }, Hyper::Quadrature { count }];
        let treatment = choice(self.treatment, all)?;
        // Before limits are derived from its count.
        if treatment.posteriors() > Hyper::MOST { Err(INFILL_ERROR_CONFIG) } else { Ok(treatment) }
    }

    pub(crate) fn policy(&self) -> Outcome<Policy> {
        if !MODELS {
            return first(self.policy, Policy::ALL.len() as u32, Policy::Closed);
        }
        let minima = choice(self.policy_minima, [Minima::Joint, Minima::Gumbel])?;
        let usual = choice(self.policy, Policy::ALL)?;
        let counts = usual.counts();
        let policy = usual.with_counts(&Counts {
            representers: or(self.policy_representers, counts.representers),
            draws: or(self.policy_draws, counts.draws),
            fantasies: or(self.policy_fantasies, counts.fantasies),
            features: or(self.policy_features, counts.features),
            minima,
        });
        // Before limits are derived from its counts.
        policy.check()?;
        Ok(policy)
    }

    pub(crate) fn batch(&self) -> Outcome<Pending> {
        let draws = self.batch_draws;
        let all = [
            Pending::Believer,
            Pending::Liar(Lie::Min),
            Pending::Liar(Lie::Mean),
            Pending::Liar(Lie::Max),
            Pending::Fantasies { count: draws },
            Pending::Penalty,
            Pending::Temperatures,
            Pending::JointEi { draws },
        ];
        let batch = choice(self.batch, all)?;
        // Before limits are derived from its counts.
        batch.check()?;
        Ok(batch)
    }

    pub(crate) fn similarity(&self) -> Outcome<Similarity> {
        if self.similarity_reserved != 0 {
            return Err(INFILL_ERROR_CONFIG);
        }
        use library::config::{Branches, Categories, Structure};
        let categories =
            [Categories::Hamming, Categories::Exchangeable, Categories::OneHot, Categories::Index];
        Ok(Similarity {
            categories: choice(self.categories, categories)?,
            structure: choice(self.structure, [Structure::Product, Structure::Sum, Structure::Both])?,
            branches: choice(self.branches, [Branches::Shared, Branches::Apart])?,
        })
    }

    pub(crate) fn strategy(&self) -> Outcome<Strategy> {
        if self.strategy_reserved != 0 {
            return Err(INFILL_ERROR_CONFIG);
        }
        let branching = Branching {
            parameter: self.strategy_parameter,
            start: self.strategy_start,
            own_minimum: choice(self.strategy_own_minimum, [false, true])?,
        };
        let all = [
            Strategy::Auto,
            Strategy::Impute,
            Strategy::Single(branching),
            Strategy::Whole(branching),
            Strategy::Baseline { branching, budget: self.strategy_budget },
        ];
        choice(self.strategy, all)
    }

    pub(crate) fn put_strategy(&mut self, strategy: &Strategy) {
        use infill_strategy::*;
        let (number, branching) = match *strategy {
            Strategy::Auto => (INFILL_STRATEGY_AUTO, Branching::of(0)),
            Strategy::Impute => (INFILL_STRATEGY_IMPUTE, Branching::of(0)),
            Strategy::Single(branching) => (INFILL_STRATEGY_SINGLE, branching),
            Strategy::Whole(branching) => (INFILL_STRATEGY_WHOLE, branching),
            Strategy::Baseline { branching, budget } => {
                self.strategy_budget = budget;
                (INFILL_STRATEGY_BASELINE, branching)
            }
        };
        self.strategy = number as u32;
        (self.strategy_parameter, self.strategy_start) = (branching.parameter, branching.start);
        self.strategy_own_minimum = u32::from(branching.own_minimum);
    }

    pub(crate) fn cooling(&self) -> Outcome<Option<Cooling>> {
        let (from, to, steps) = (self.cooling_from, self.cooling_to, self.cooling_steps);
        let by = |schedule| Some(Cooling { schedule, from, to, steps });
        choice(self.cooling, [None, by(Schedule::Exponential), by(Schedule::Linear)])
    }

    pub(crate) fn put_model(&mut self, model: &Model) {
        use infill_model::*;
        let number = match *model {
            Model::Process => INFILL_MODEL_PROCESS,
            Model::Student { freedom, learnt } => {
                self.model_freedom = freedom;
                self.model_learn_freedom = u32::from(learnt);
                INFILL_MODEL_STUDENT
            }
            Model::Sparse(sparse::Kind::Fitc) => INFILL_MODEL_FITC,
            Model::Sparse(sparse::Kind::Variational) => INFILL_MODEL_VARIATIONAL,
            Model::Sparse(sparse::Kind::Spectrum) => INFILL_MODEL_SPECTRUM,
            Model::Sparse(sparse::Kind::Mondrian) => INFILL_MODEL_MONDRIAN,
            Model::Trees(settings) => {
                self.forest_features = settings.features;
                self.forest_leaf = settings.leaf;
                self.forest_depth = settings.depth;
                self.forest_spread = settings.spread as u32;
                self.forest_floor = settings.floor;
                match settings.kind {
                    Kind::Random { bootstrap } => {
                        self.forest_bootstrap = u32::from(bootstrap);
                        INFILL_MODEL_RANDOM_FOREST
                    }
                    Kind::Extra => INFILL_MODEL_EXTRA_TREES,
                    Kind::Boosted { rate, share, low, high } => {
                        (self.forest_rate, self.forest_share) = (rate, share);
                        (self.forest_low, self.forest_high) = (low, high);
                        INFILL_MODEL_BOOSTED_TREES
                    }
                }
            }
            Model::Baseline(free) => match free {
                Baseline::Random => INFILL_MODEL_RANDOM,
                Baseline::Grid { levels } => {
                    self.grid_levels = levels;
                    INFILL_MODEL_GRID
                }
                Baseline::Sobol => INFILL_MODEL_SOBOL,
                Baseline::Anneal(Anneal { heat, cooling, reach }) => {
                    (self.anneal_heat, self.anneal_cooling, self.anneal_reach) = (heat, cooling, reach);
                    INFILL_MODEL_ANNEAL
                }
                Baseline::Parzen(Parzen { candidates, share, most, prior, liar }) => {
                    (self.parzen_candidates, self.parzen_most) = (candidates, most);
                    (self.parzen_share, self.parzen_prior) = (share, prior);
                    self.parzen_liar = u32::from(liar);
                    INFILL_MODEL_PARZEN
                }
                Baseline::Covariance { offspring } => {
                    self.evolve_offspring = offspring;
                    INFILL_MODEL_CMA_ES
                }
                Baseline::Evolution { parents, offspring } => {
                    (self.evolve_parents, self.evolve_offspring) = (parents, offspring);
                    INFILL_MODEL_MI_ES
                }
            },
        };
        self.model = number as u32;
    }

    pub(crate) fn put_treatment(&mut self, treatment: &Hyper) {
        use infill_treatment::*;
        let number = match *treatment {
            Hyper::Map => INFILL_TREATMENT_BEST,
            Hyper::Mcmc { count, sampling } => {
                self.treatment_count = count;
                self.sampler = sampling.sampler as u32;
                self.sampler_burn_in = sampling.burn_in;
                self.sampler_thin = sampling.thin;
                self.sampler_width = sampling.width;
                self.sampler_out = sampling.out;
                self.sampler_shrink = sampling.shrink;
                self.sampler_latent = sampling.latent;
                INFILL_TREATMENT_SAMPLED
            }
            Hyper::Quadrature { count } => {
                self.treatment_count = count;
                INFILL_TREATMENT_QUADRATURE
            }
        };
        self.treatment = number as u32;
    }

    pub(crate) fn put_policy(&mut self, policy: &Policy) {
        self.policy = policy.words()[0] as u32;
        let Counts { representers, draws, fantasies, features, minima } = policy.counts();
        (self.policy_representers, self.policy_draws) = (representers, draws);
        (self.policy_fantasies, self.policy_features) = (fantasies, features);
        self.policy_minima = minima as u32;
    }

    pub(crate) fn put_batch(&mut self, batch: &Pending) {
        use infill_batch::*;
        let number = match *batch {
            Pending::Liar(Lie::Min) => INFILL_BATCH_LIAR_MIN,
            Pending::Liar(Lie::Mean) => INFILL_BATCH_LIAR_MEAN,
            Pending::Liar(Lie::Max) => INFILL_BATCH_LIAR_MAX,
            Pending::Fantasies { count } => {
                self.batch_draws = count;
                INFILL_BATCH_FANTASIES
            }
            Pending::Penalty => INFILL_BATCH_PENALTY,
            Pending::Temperatures => INFILL_BATCH_TEMPERATURES,
            Pending::JointEi { draws } => {
                self.batch_draws = draws;
                INFILL_BATCH_EXPECTED
            }
            Pending::Believer => INFILL_BATCH_BELIEVER,
        };
        self.batch = number as u32;
    }

    pub(crate) fn put_cooling(&mut self, cooling: Option<Cooling>) {
        let Some(Cooling { schedule, from, to, steps }) = cooling else { return };
        let number = match schedule {
            Schedule::Linear => infill_cooling::INFILL_COOLING_LINEAR,
            Schedule::Exponential => infill_cooling::INFILL_COOLING_EXPONENTIAL,
        };
        self.cooling = number as u32;
        (self.cooling_from, self.cooling_to, self.cooling_steps) = (from, to, steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use library::{Config, Warp};
    use std::vec::Vec;

    /// Settings that are not the usual ones.
    fn forests() -> Vec<Model> {
        let mut random = Settings::RANDOM;
        (random.kind, random.features, random.leaf) = (Kind::Random { bootstrap: false }, 0.5, 5);
        let mut extra = Settings::EXTRA;
        (extra.spread, extra.depth, extra.floor) = (Spread::Across, 7, 1e-3);
        let mut boosted = Settings::BOOSTED;
        boosted.kind = Kind::Boosted { rate: 0.3, share: 0.8, low: 0.1, high: 0.7 };
        [random, extra, boosted, Settings::RANDOM, Settings::EXTRA, Settings::BOOSTED]
            .map(Model::Trees)
            .to_vec()
    }

    /// Every choice goes to C data and comes back as it was, under the number that the header has for it.
    #[test]
    fn choices_come_back_as_they_were() {
        let base = Config::default();
        let mut all: Vec<Config<'_>> = forests().into_iter().map(|model| Config { model, ..base }).collect();
        let kinds =
            [sparse::Kind::Fitc, sparse::Kind::Variational, sparse::Kind::Spectrum, sparse::Kind::Mondrian];
        all.extend(kinds.map(|kind| Config { model: Model::Sparse(kind), ..base }));
        let free = [
            Baseline::Random,
            Baseline::Grid { levels: 3 },
            Baseline::Sobol,
            Baseline::Anneal(Anneal { heat: 2.0, cooling: 0.5, reach: 0.1 }),
            Baseline::Parzen(Parzen { candidates: 3, share: 0.2, most: 4, prior: 0.5, liar: false }),
            Baseline::Covariance { offspring: 9 },
            Baseline::Evolution { parents: 2, offspring: 5 },
            Baseline::ANNEAL,
            Baseline::TPE,
            Baseline::CMA_ES,
            Baseline::MI_ES,
        ];
        all.extend(free.map(|free| Config { model: Model::Baseline(free), ..base }));
        all.extend(
            [false, true].map(|learnt| Config { model: Model::Student { freedom: 9.0, learnt }, ..base }),
        );
        for sampler in Sampler::ALL {
            let sampling =
                Sampling { sampler, burn_in: 1, thin: 2, width: 0.5, out: 3, shrink: 4, latent: 5 };
            all.push(Config { treatment: Hyper::Mcmc { count: 6, sampling }, ..base });
        }
        all.push(Config { treatment: Hyper::Quadrature { count: 9 }, ..base });
        all.extend([Warp::Kumaraswamy, Warp::Beta].map(|warp| Config { warp, ..base }));
        let policies = [
            Policy::EntropySearch { representers: 1, draws: 2, fantasies: 3 },
            Policy::PredictiveEntropy { representers: 4, draws: 5 },
            Policy::MaxValue { representers: 6, draws: 7, minima: Minima::Gumbel },
            Policy::Thompson { candidates: 8 },
            Policy::Spectral { features: 9 },
            Policy::Knowledge { representers: 10 },
            Policy::Portfolio { representers: 11, draws: 12, fantasies: 13 },
            Policy::Noisy { draws: 14 },
        ];
        all.extend(policies.into_iter().chain(Policy::ALL).map(|policy| Config { policy, ..base }));
        let batches = [
            Pending::Liar(Lie::Min),
            Pending::Liar(Lie::Mean),
            Pending::Liar(Lie::Max),
            Pending::Fantasies { count: 3 },
            Pending::Penalty,
            Pending::Temperatures,
            Pending::JointEi { draws: 5 },
        ];
        all.extend(batches.map(|batch| Config { batch, ..base }));
        for schedule in [Schedule::Exponential, Schedule::Linear] {
            all.push(Config { cooling: Some(Cooling { schedule, from: 3.0, to: 0.5, steps: 7 }), ..base });
        }
        use library::config::{Branches, Categories, Structure};
        for (categories, structure, branches) in [
            (Categories::Exchangeable, Structure::Sum, Branches::Apart),
            (Categories::OneHot, Structure::Both, Branches::Shared),
            (Categories::Index, Structure::Product, Branches::Apart),
        ] {
            all.push(Config { similarity: Similarity { categories, structure, branches }, ..base });
        }
        for config in all {
            assert_eq!(infill_config::of(&config).settings(None).unwrap(), config);
        }
        for (number, usual) in Policy::ALL.iter().enumerate() {
            let config = infill_config { policy: number as u32, ..infill_config::default() };
            assert_eq!((config.policy().unwrap(), usual.words()[0]), (*usual, number as u64));
        }
        for (model, usual) in
            [(11, Baseline::ANNEAL), (12, Baseline::TPE), (13, Baseline::CMA_ES), (14, Baseline::MI_ES)]
        {
            let config = infill_config { model, ..infill_config::default() };
            assert_eq!(config.model().unwrap(), Model::Baseline(usual));
        }
        for (model, usual) in [(5, Settings::RANDOM), (6, Settings::EXTRA), (7, Settings::BOOSTED)] {
            let config = infill_config { model, ..infill_config::default() };
            assert_eq!(config.model().unwrap(), Model::Trees(usual));
        }
    }

    #[test]
    fn numbers_are_those_of_the_library() {
        use infill_sampler::*;
        let samplers = [
            INFILL_SAMPLER_SLICE,
            INFILL_SAMPLER_METROPOLIS,
            INFILL_SAMPLER_FIXED,
            INFILL_SAMPLER_WHITENED,
            INFILL_SAMPLER_SURROGATE_METROPOLIS,
            INFILL_SAMPLER_SURROGATE_SLICE,
        ];
        assert_eq!(samplers.map(|sampler| sampler as u32), Sampler::ALL.map(|sampler| sampler as u32));
        use infill_warp::*;
        let warps = [INFILL_WARP_NONE, INFILL_WARP_KUMARASWAMY, INFILL_WARP_BETA];
        for (ours, theirs) in warps.into_iter().zip([Warp::None, Warp::Kumaraswamy, Warp::Beta]) {
            assert_eq!(u64::from(ours as u32), theirs.code());
        }
        use infill_policy::*;
        let policies = [
            INFILL_POLICY_CLOSED,
            INFILL_POLICY_ENTROPY_SEARCH,
            INFILL_POLICY_PREDICTIVE_ENTROPY,
            INFILL_POLICY_MAX_VALUE,
            INFILL_POLICY_THOMPSON,
            INFILL_POLICY_SPECTRAL,
            INFILL_POLICY_KNOWLEDGE,
            INFILL_POLICY_HEDGE,
            INFILL_POLICY_PORTFOLIO,
            INFILL_POLICY_NOISY,
        ];
        for (ours, theirs) in policies.into_iter().zip(Policy::ALL) {
            assert_eq!(u64::from(ours as u32), theirs.words()[0]);
        }
        assert_eq!(infill_spread::INFILL_SPREAD_ACROSS as u32, Spread::Across as u32);
        assert_eq!(infill_minima::INFILL_MINIMA_GUMBEL as u32, Minima::Gumbel as u32);
    }
}
