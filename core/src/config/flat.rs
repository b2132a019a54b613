//! The configuration as plain numbers: the one codec of a saved block, of C, C++ and Python.
//!
//! [`Flat`] has a field for every number of a [`Config`]: what is not chosen is there too, ready to be chosen. One function
//! knows which field is which setting, for both directions. A block holds the fields as words:
//!
//! ```text
//! seed │ the reals, a word each │ the counts and choices, two in a word
//! ```

use super::model::Proposer;
use super::{
    Branches, CHOICES, Categories, Config, Hyper, Incumbent, ProposalConfig, Strategy, Structure,
    SurrogateConfig, WhenFull,
};
use crate::acquisition::cooling::{Cooling, Decay};
use crate::acquisition::{Acquisition, Schedule};
use crate::backend::Objective;
use crate::error::Error;
use crate::gp::sampler::Sampling;
use crate::gp::warp::Warp;
use crate::kernel::Kernel;
use crate::pending::Pending;
use crate::policy::{Minima, Policy};
use crate::search::{Method, Search};
use crate::space::Design;
use crate::targets::Transform;
use crate::trend::Trend;

/// Gives `$each!` the name of every setting but the seed: the reals, the counts and numbers of choices, and those that this build
/// leaves out.
#[doc(hidden)]
#[macro_export]
macro_rules! settings {
    ($each:ident) => {
        $crate::with_sources! {
            $each
            reals {
                acquisition_parameter delta noise_variance noise_lo noise_hi noise_sd interleave_beta
                refit_growth refit_afresh training_tolerance training_reach polish_tolerance polish_reach
                model_freedom forest_features forest_floor forest_rate forest_share forest_low forest_high
                sampler_width cooling_from cooling_to
                parzen_share parzen_prior anneal_heat anneal_cooling anneal_reach
            }
            counts {
                start design trend targets acquisition interleave_every incumbent
                refit_evaluations refit_plenty
                training_objective training_restarts training_draws training_evaluations
                search_method search_global search_local search_starts search_rounds polish_evaluations
                repeats when_full
                model model_learn_freedom forest_spread forest_leaf forest_depth forest_bootstrap warp
                hyper hyper_count
                sampler sampler_burn_in sampler_thin sampler_out sampler_shrink sampler_latent
                policy policy_representers policy_draws policy_fantasies policy_features policy_minima
                pending pending_draws cooling cooling_steps
                grid_levels parzen_candidates parzen_most parzen_liar evolve_parents evolve_offspring
                categories structure branches
                strategy strategy_parameter strategy_start strategy_budget strategy_own_minimum
            }
            sources {
                reals { transfer_rho transfer_alpha transfer_keep }
                counts {
                    transfer_start transfer_trials transfer_how transfer_weights transfer_growth
                    transfer_draws transfer_neighbours transfer_near
                }
            }
        }
    };
}

/// Those of sources stand behind the others.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "transfer")]
macro_rules! with_sources {
    (
        $each:ident reals { $($real:ident)* } counts { $($count:ident)* }
        sources { reals { $($its_real:ident)* } counts { $($its_count:ident)* } }
    ) => {
        $each! {
            reals { $($real)* $($its_real)* }
            counts { $($count)* $($its_count)* }
            absent { reals {} counts {} }
        }
    };
}

/// Those of sources are left out, so that a program without them does not carry their numbers to and fro; the words of a block
/// have their places.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "transfer"))]
macro_rules! with_sources {
    ($each:ident reals $reals:tt counts $counts:tt sources $sources:tt) => {
        $each! { reals $reals counts $counts absent $sources }
    };
}

macro_rules! define {
    (
        reals { $($real:ident)* } counts { $($count:ident)* }
        absent { reals { $($no_real:ident)* } counts { $($no_count:ident)* } }
    ) => {
        /// A configuration without its kernel as plain numbers: `infill_config` of the C interface has these fields, and says
        /// what each is.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[expect(missing_docs, reason = "infill.h has the texts")]
        pub struct Flat {
            pub seed: u64,
            $(pub $real: f64,)*
            $(pub $count: u32,)*
        }

        const REALS: usize = [$(stringify!($real)),*].len();
        const COUNTS: usize = [$(stringify!($count)),*].len();
        /// Those of this build and those that it leaves out.
        const EVERY_REAL: usize = REALS + names(&[$(stringify!($no_real)),*]);
        /// Likewise, with what fills the last word.
        const HALVES: usize = (COUNTS + names(&[$(stringify!($no_count)),*])).next_multiple_of(2);

        impl Flat {
            fn write(&self, words: &mut [u64; WORDS]) {
                words[0] = self.seed;
                for (word, real) in words[1..].iter_mut().zip([$(&self.$real),*]) {
                    *word = real.to_bits();
                }
                words[1 + REALS..].fill(0);
                for (i, count) in [$(&self.$count),*].into_iter().enumerate() {
                    words[1 + EVERY_REAL + i / 2] |= u64::from(*count) << (i % 2 * 32);
                }
            }

            // By references: an array of values would lie twice on the stack of a small machine.
            fn read(&mut self, words: &[u64; WORDS]) {
                self.seed = words[0];
                for (real, word) in [$(&mut self.$real),*].into_iter().zip(&words[1..]) {
                    *real = f64::from_bits(*word);
                }
                for (i, count) in [$(&mut self.$count),*].into_iter().enumerate() {
                    *count = (words[1 + EVERY_REAL + i / 2] >> (i % 2 * 32)) as u32;
                }
            }

            /// The names of the settings but the seed: the reals, then the counts and choices.
            pub const NAMES: [&'static str; REALS + COUNTS] = [$(stringify!($real),)* $(stringify!($count),)*];

            /// Whether a setting is a count or a choice, by its place among the names.
            pub(crate) const fn is_count(setting: usize) -> bool {
                setting >= REALS
            }

            /// The number of a setting, by its place among the names; NaN beyond the last.
            pub(crate) fn get(&self, setting: usize) -> f64 {
                let reals = [$(self.$real),*];
                let counts = [$(self.$count),*];
                match setting.checked_sub(REALS) {
                    None => reals[setting],
                    Some(count) => counts.get(count).map_or(f64::NAN, |&count| count.into()),
                }
            }

            /// The same with another number in one place; a count is rounded down.
            #[must_use]
            pub fn with(mut self, setting: usize, value: f64) -> Self {
                let reals = [$(&mut self.$real),*];
                let counts = [$(&mut self.$count),*];
                match setting.checked_sub(REALS) {
                    None => *reals[setting] = value,
                    Some(count) => {
                        if let Some(place) = counts.into_iter().nth(count) {
                            *place = value as u32;
                        }
                    }
                }
                self
            }

            /// Name, and whether two have the same number there.
            #[cfg(test)]
            fn compare(&self, other: &Self) -> std::vec::Vec<(&'static str, bool)> {
                let mut all = std::vec![("seed", self.seed == other.seed)];
                $(all.push((stringify!($real), self.$real == other.$real));)*
                $(all.push((stringify!($count), self.$count == other.$count));)*
                all
            }

            /// The same with another number in one place, by the name of that.
            #[cfg(test)]
            fn others(&self) -> std::vec::Vec<(&'static str, Self)> {
                let mut all = std::vec::Vec::new();
                for (real, count) in [(0.25, 1), (0.75, 2), (3.0, 3)] {
                    $(all.push((stringify!($real), Self { $real: real, ..*self }));)*
                    $(all.push((stringify!($count), Self { $count: count, ..*self }));)*
                }
                all
            }
        }
    };
}

settings!(define);

/// Copies each setting to its field or from there: a number as it is, a choice `of` several by its place among them, or `by` the
/// function that knows its number.
macro_rules! rows {
    ($flat:ident, $put:ident:) => {};
    ($flat:ident, $put:ident: $field:ident = $own:expr; $($rest:tt)*) => {{
        if $put { $flat.$field = $own; } else { $own = $flat.$field; }
        rows! { $flat, $put: $($rest)* }
    }};
    ($flat:ident, $put:ident: $field:ident = $own:expr, of $all:expr; $($rest:tt)*) => {{
        if $put { $flat.$field = $own as u32; } else { $own = pick($flat.$field, &$all)?; }
        rows! { $flat, $put: $($rest)* }
    }};
    ($flat:ident, $put:ident: $field:ident = $own:expr, by $known:expr; $($rest:tt)*) => {{
        if $put { $flat.$field = $own.code() as u32; } else { $own = $known($flat.$field.into()).ok_or(Error::Config)?; }
        rows! { $flat, $put: $($rest)* }
    }};
}

pub(super) use rows;

/// Words of a configuration in a block.
pub(crate) const WORDS: usize = 1 + EVERY_REAL + HALVES / 2;

/// How many there are, also if none.
const fn names(all: &[&str]) -> usize {
    all.len()
}

impl Config<'_> {
    /// Writes all but the kernel, which has a place of its own.
    pub(crate) fn write(&self, out: &mut [u64]) {
        if let Some(words) = out.first_chunk_mut() {
            Flat::of(self).write(words);
        }
    }

    /// Reads what [`Config::write`] wrote.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a word has no meaning.
    pub(crate) fn read(words: &[u64]) -> Result<Config<'static>, Error> {
        let words = words.try_into().map_err(|_| Error::Corrupt)?;
        let (mut flat, mut config) = (Flat::default(), Config::default());
        flat.read(words);
        #[cfg(feature = "transfer")]
        flat.mend_transfer();
        match flat.fill(&mut config).and_then(|()| config.combines()) {
            Ok(()) => Ok(config),
            Err(_) => Err(Error::Corrupt),
        }
    }
}

impl Flat {
    /// The numbers of a configuration.
    #[must_use]
    pub fn of(config: &Config<'_>) -> Self {
        let (sampling, cooling) = (Sampling::default(), Cooling::exponential(100));
        // What is not chosen is ready to be.
        let mut flat = Self {
            model_freedom: 5.0,
            model_learn_freedom: 1,
            forest_bootstrap: 1,
            parzen_liar: 1,
            hyper_count: 10,
            sampler_burn_in: sampling.burn_in,
            sampler_thin: sampling.thin,
            sampler_width: sampling.width,
            sampler_out: sampling.out,
            sampler_shrink: sampling.shrink,
            sampler_latent: sampling.latent,
            pending_draws: 64,
            cooling_from: cooling.from,
            cooling_to: cooling.to,
            cooling_steps: cooling.steps,
            ..Self::default()
        };
        #[cfg(feature = "transfer")]
        flat.ready_transfer();
        // What is only read is not refused.
        let _ = flat.exchange::<true>(&mut { *config });
        flat
    }

    /// The configuration of these numbers, with a kernel.
    ///
    /// # Errors
    /// [`Error::Config`] for a number that names no choice or is out of range, [`Error::Unsupported`] for a choice that is not in
    /// this build.
    pub fn config<'a>(mut self, kernel: Option<&'a Kernel>) -> Result<Config<'a>, Error> {
        let mut config = Config::default();
        self.fill(&mut config)?;
        config.surrogate.kernel = kernel;
        Ok(config)
    }

    // In place, not as a value that is moved from result to result: the stack of a small machine.
    fn fill(&mut self, config: &mut Config<'_>) -> Result<(), Error> {
        self.exchange::<false>(config)?;
        config.check()
    }

    /// These numbers, and for zeros of the chosen model, policy and search what is usual for them.
    ///
    /// # Errors
    /// As [`Flat::config`] for the three choices.
    pub fn or_usual(mut self) -> Result<Self, Error> {
        let mut usual = Self::default();
        if CHOICES {
            usual.exchange_proposer::<true>(&mut chosen(self.model, &Proposer::ALL)?)?;
            usual.exchange_policy::<true>(&mut chosen(self.policy, &Policy::ALL)?)?;
        }
        let method = pick(self.search_method, &Method::ALL)?;
        if !matches!(method, Method::Auto | Method::Ascent) {
            let Search { global, starts, rounds, .. } = Search::of(method);
            (usual.search_global, usual.search_starts, usual.search_rounds) = (global, starts, rounds);
        }
        macro_rules! or {
            ($zero:literal: $($field:ident)*) => {
                $(if self.$field == $zero { self.$field = usual.$field; })*
            };
        }
        or!(0.0: forest_features forest_rate forest_share forest_low forest_high);
        or!(0.0: parzen_share parzen_prior anneal_heat anneal_cooling anneal_reach);
        or!(0: forest_leaf forest_depth policy_representers policy_draws policy_fantasies policy_features);
        or!(0: grid_levels parzen_candidates parzen_most evolve_parents evolve_offspring);
        or!(0: search_global search_starts search_rounds);
        Ok(self)
    }

    /// Puts the settings into these numbers, or takes them from there: a row for each.
    fn exchange<const PUT: bool>(&mut self, config: &mut Config<'_>) -> Result<(), Error> {
        let mut proposer = Proposer::of(config);
        #[cfg(feature = "transfer")]
        self.exchange_transfer::<PUT>(&mut config.transfer)?;
        let Config {
            seed,
            design,
            surrogate,
            targets,
            proposal,
            search,
            strategy,
            #[cfg(feature = "transfer")]
                transfer: _,
            run,
        } = config;
        let SurrogateConfig { model, hyper, warp, kernel: _, similarity, trend, noise, training, refit } =
            surrogate;
        let ProposalConfig { baseline, acquisition, schedule, policy, pending, interleave, incumbent } =
            proposal;
        rows! { self, PUT:
            seed = *seed;
            start = design.trials;
            design = design.kind, by Design::from_code;
            warp = *warp, by Warp::from_code;
            categories = similarity.categories, of Categories::ALL;
            structure = similarity.structure, of Structure::ALL;
            branches = similarity.branches, of Branches::ALL;
            trend = *trend, by Trend::from_code;
            noise_variance = noise.variance;
            noise_lo = noise.lo;
            noise_hi = noise.hi;
            noise_sd = noise.sd;
            training_objective = training.objective, of [Objective::Evidence, Objective::LeaveOneOut];
            training_restarts = training.restarts;
            training_draws = training.draws;
            training_evaluations = training.budget.evaluations;
            training_tolerance = training.budget.tolerance;
            training_reach = training.budget.reach;
            refit_growth = refit.growth;
            refit_afresh = refit.afresh;
            refit_evaluations = refit.evaluations;
            refit_plenty = refit.plenty;
            targets = *targets, by Transform::from_code;
            interleave_every = interleave.every;
            interleave_beta = interleave.beta;
            incumbent = *incumbent, of [Incumbent::Observed, Incumbent::Mean];
            search_method = search.method, of Method::ALL;
            search_global = search.global;
            search_local = search.local;
            search_starts = search.starts;
            search_rounds = search.rounds;
            polish_evaluations = search.polish.evaluations;
            polish_tolerance = search.polish.tolerance;
            polish_reach = search.polish.reach;
            repeats = run.repeats, of [false, true];
            when_full = run.when_full, of [WhenFull::Refuse, WhenFull::DropWorst];
        }
        if PUT {
            let (code, parameter) = acquisition.code();
            (self.acquisition, self.acquisition_parameter) = (code as u32, parameter);
            self.pending = pending.code();
            self.cooling = match schedule {
                Schedule::Constant | Schedule::Confidence { .. } => 0,
                Schedule::Cooling(cooling) => 1 + cooling.decay.code() as u32,
            };
            self.delta = if let Schedule::Confidence { delta } = schedule { *delta } else { 0.0 };
        } else {
            *acquisition = Acquisition::from_code(self.acquisition.into(), self.acquisition_parameter)?;
            *pending = pick(self.pending, &Pending::ALL)?;
            Error::Config.when(!(0.0..1.0).contains(&self.delta))?;
            *schedule = match self.cooling.checked_sub(1).map(|code| Decay::from_code(code.into())) {
                None if self.delta == 0.0 => Schedule::Constant,
                None => Schedule::Confidence { delta: self.delta },
                Some(decay) => {
                    let decay = decay.ok_or(Error::Config)?;
                    Schedule::Cooling(Cooling { decay, ..Cooling::exponential(0) })
                }
            };
            proposer = chosen(self.model, &Proposer::ALL)?;
            *hyper = chosen(self.hyper, &Hyper::all())?;
            *policy = chosen(self.policy, &Policy::ALL)?;
            *strategy = match self.strategy {
                // Without branches there is one model in any build.
                impute if impute == Strategy::Impute.code() => Strategy::Impute,
                strategy => chosen(strategy, &Strategy::ALL)?,
            };
        }
        if let Pending::Fantasies { count: draws } | Pending::JointEi { draws } = pending {
            rows! { self, PUT: pending_draws = *draws; }
        }
        if let Schedule::Cooling(cooling) = schedule {
            rows! { self, PUT:
                cooling_from = cooling.from;
                cooling_to = cooling.to;
                cooling_steps = cooling.steps;
            }
        }
        if CHOICES {
            self.exchange_proposer::<PUT>(&mut proposer)?;
            self.exchange_hyper::<PUT>(hyper)?;
            self.exchange_policy::<PUT>(policy)?;
            self.exchange_strategy::<PUT>(strategy)?;
        } else if PUT {
            self.strategy = strategy.code();
        }
        match proposer {
            Proposer::Model(fitted) => (*model, *baseline) = (fitted, None),
            Proposer::Baseline(method) => *baseline = Some(method),
        }
        Ok(())
    }

    fn exchange_policy<const PUT: bool>(&mut self, policy: &mut Policy) -> Result<(), Error> {
        if PUT {
            self.policy = policy.code();
        }
        let mut counts = policy.counts();
        rows! { self, PUT:
            policy_representers = counts.representers;
            policy_draws = counts.draws;
            policy_fantasies = counts.fantasies;
            policy_features = counts.features;
            policy_minima = counts.minima, of [Minima::Joint, Minima::Gumbel];
        }
        *policy = policy.with_counts(&counts);
        Ok(())
    }

    fn exchange_strategy<const PUT: bool>(&mut self, strategy: &mut Strategy) -> Result<(), Error> {
        if PUT {
            self.strategy = strategy.code();
        }
        pick(self.strategy_own_minimum, &[(); 2])?;
        if let Strategy::Baseline { budget, .. } = strategy {
            rows! { self, PUT: strategy_budget = *budget; }
        }
        match strategy {
            Strategy::Auto | Strategy::Impute => {}
            Strategy::Single(branching)
            | Strategy::Whole(branching)
            | Strategy::Baseline { branching, .. } => rows! { self, PUT:
                strategy_parameter = branching.parameter;
                strategy_start = branching.start;
                strategy_own_minimum = branching.own_minimum, of [false, true];
            },
        }
        Ok(())
    }
}

/// One of several by its number.
pub(super) fn pick<T: Copy>(number: u32, all: &[T]) -> Result<T, Error> {
    all.get(number as usize).copied().ok_or(Error::Config)
}

/// One of several by its number; the first alone in a build that has no other.
fn chosen<T: Copy>(number: u32, all: &[T]) -> Result<T, Error> {
    match all.get(number as usize) {
        Some(_) if !CHOICES && number > 0 => Err(Error::Unsupported),
        choice => choice.copied().ok_or(Error::Config),
    }
}

#[cfg(test)]
mod tests;
