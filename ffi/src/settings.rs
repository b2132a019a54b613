//! Settings from C data to the library and back.

use library::acquisition::cooling::Cooling;
use library::baselines::Parzen;
use library::gp::sampler::Sampling;
use library::lbfgs::Budget;
use library::search::Method;
use library::{
    Acquisition, Config, Design, Incumbent, Interleave, Kernel, Noise, Objective, Refit, Search, Training,
    Transform, Trend, Warp, WhenFull,
};

use crate::choices::*;
use crate::config::{TRIALS, choice, infill_config, infill_limits, or};
use crate::infill_status::*;
use crate::pointer::Outcome;

impl Default for infill_config {
    fn default() -> Self {
        Self::of(&Config::default())
    }
}

impl infill_config {
    /// The settings as C data, but for a kernel; with the default limits.
    pub(crate) fn of(c: &Config<'_>) -> Self {
        let (acquisition, acquisition_parameter) = c.acquisition.code();
        let (sampling, cooling) = (Sampling::default(), Cooling::exponential(TRIALS));
        let scalar =
            if cfg!(feature = "f64") { infill_scalar::INFILL_F64 } else { infill_scalar::INFILL_F32 };
        let mut all = Self {
            size: size_of::<Self>(),
            kernel: core::ptr::null(),
            seed: c.seed,
            limits: infill_limits { trials: TRIALS, ..infill_limits::default() },
            scalar: scalar as u32,
            start: c.start,
            design: c.design.code() as u32,
            trend: c.trend.code() as u32,
            transform: c.transform.code() as u32,
            acquisition: acquisition as u32,
            acquisition_parameter,
            delta: c.delta,
            noise_variance: c.noise.variance,
            noise_lo: c.noise.lo,
            noise_hi: c.noise.hi,
            noise_sd: c.noise.sd,
            interleave_every: c.interleave.every,
            incumbent: c.incumbent as u32,
            interleave_beta: c.interleave.beta,
            refit_growth: c.refit.growth,
            refit_afresh: c.refit.afresh,
            refit_evaluations: c.refit.evaluations,
            refit_plenty: c.refit.plenty,
            training_objective: c.training.objective as u32,
            training_restarts: c.training.restarts,
            training_draws: c.training.draws,
            training_evaluations: c.training.budget.evaluations,
            training_tolerance: c.training.budget.tolerance,
            training_reach: c.training.budget.reach,
            search_global: c.search.global,
            search_local: c.search.local,
            search_starts: c.search.starts,
            search_rounds: c.search.rounds,
            polish_tolerance: c.search.polish.tolerance,
            polish_reach: c.search.polish.reach,
            polish_evaluations: c.search.polish.evaluations,
            repeats: u32::from(c.repeats),
            when_full: c.when_full as u32,
            model: infill_model::INFILL_MODEL_PROCESS as u32,
            // What is not chosen is ready to be.
            model_freedom: 5.0,
            model_learn_freedom: 1,
            forest_spread: infill_spread::INFILL_SPREAD_TOTAL as u32,
            forest_leaf: 0,
            forest_depth: 0,
            forest_features: 0.0,
            forest_floor: 0.0,
            forest_rate: 0.0,
            forest_share: 0.0,
            forest_low: 0.0,
            forest_high: 0.0,
            forest_bootstrap: 1,
            warp: c.warp.code() as u32,
            treatment: infill_treatment::INFILL_TREATMENT_BEST as u32,
            treatment_count: 10,
            sampler: sampling.sampler as u32,
            sampler_burn_in: sampling.burn_in,
            sampler_thin: sampling.thin,
            sampler_out: sampling.out,
            sampler_shrink: sampling.shrink,
            sampler_latent: sampling.latent,
            sampler_width: sampling.width,
            policy: c.policy.words()[0] as u32,
            policy_representers: 0,
            policy_draws: 0,
            policy_fantasies: 0,
            policy_features: 0,
            policy_minima: infill_minima::INFILL_MINIMA_JOINT as u32,
            batch: infill_batch::INFILL_BATCH_BELIEVER as u32,
            batch_draws: 64,
            cooling: infill_cooling::INFILL_COOLING_NONE as u32,
            cooling_steps: TRIALS,
            cooling_from: cooling.from,
            cooling_to: cooling.to,
            search_method: c.search.method as u32,
            search_reserved: 0,
            grid_levels: 0,
            parzen_candidates: 0,
            parzen_most: 0,
            parzen_liar: u32::from(Parzen::USUAL.liar),
            parzen_share: 0.0,
            parzen_prior: 0.0,
            anneal_heat: 0.0,
            anneal_cooling: 0.0,
            anneal_reach: 0.0,
            evolve_parents: 0,
            evolve_offspring: 0,
            categories: c.similarity.categories as u32,
            structure: c.similarity.structure as u32,
            branches: c.similarity.branches as u32,
            similarity_reserved: 0,
            strategy: infill_strategy::INFILL_STRATEGY_AUTO as u32,
            strategy_parameter: 0,
            strategy_start: 0,
            strategy_budget: 0,
            strategy_own_minimum: 0,
            strategy_reserved: 0,
        };
        all.put_model(&c.model);
        all.put_treatment(&c.treatment);
        all.put_policy(&c.policy);
        all.put_batch(&c.batch);
        all.put_cooling(c.cooling);
        all.put_strategy(&c.strategy);
        all
    }

    /// The settings, with a kernel that was built from [`infill_config::kernel`].
    pub(crate) fn settings<'a>(&self, kernel: Option<&'a Kernel>) -> Outcome<Config<'a>> {
        Ok(Config {
            seed: self.seed,
            start: self.start,
            design: design(self.design)?,
            kernel,
            trend: trend(self.trend)?,
            transform: Transform::from_code(self.transform.into()).ok_or(INFILL_ERROR_CONFIG)?,
            noise: Noise {
                variance: self.noise_variance,
                lo: self.noise_lo,
                hi: self.noise_hi,
                sd: self.noise_sd,
            },
            acquisition: Acquisition::from_code(self.acquisition.into(), self.acquisition_parameter)?,
            delta: self.delta,
            interleave: Interleave { every: self.interleave_every, beta: self.interleave_beta },
            incumbent: choice(self.incumbent, [Incumbent::Observed, Incumbent::Mean])?,
            training: Training {
                objective: objective(self.training_objective)?,
                restarts: self.training_restarts,
                draws: self.training_draws,
                budget: Budget {
                    evaluations: self.training_evaluations,
                    tolerance: self.training_tolerance,
                    reach: self.training_reach,
                },
            },
            refit: Refit {
                growth: self.refit_growth,
                afresh: self.refit_afresh,
                evaluations: self.refit_evaluations,
                plenty: self.refit_plenty,
            },
            search: self.search()?,
            repeats: choice(self.repeats, [false, true])?,
            when_full: choice(self.when_full, [WhenFull::Refuse, WhenFull::DropWorst])?,
            model: self.model()?,
            treatment: self.treatment()?,
            warp: Warp::from_code(self.warp.into()).ok_or(INFILL_ERROR_CONFIG)?,
            policy: self.policy()?,
            batch: self.batch()?,
            cooling: self.cooling()?,
            similarity: self.similarity()?,
            strategy: self.strategy()?,
        })
    }

    fn search(&self) -> Outcome<Search> {
        let method = choice(self.search_method, Method::ALL)?;
        if self.search_reserved != 0 {
            return Err(INFILL_ERROR_CONFIG);
        }
        let mut search = Search {
            method,
            global: self.search_global,
            local: self.search_local,
            starts: self.search_starts,
            polish: Budget {
                evaluations: self.polish_evaluations,
                tolerance: self.polish_tolerance,
                reach: self.polish_reach,
            },
            rounds: self.search_rounds,
        };
        if !matches!(method, Method::Auto | Method::Ascent) {
            let usual = Search::of(method);
            search.global = or(search.global, usual.global);
            search.starts = or(search.starts, usual.starts);
            search.rounds = or(search.rounds, usual.rounds);
        }
        Ok(search)
    }
}

pub(crate) fn design(number: u32) -> Outcome<Design> {
    Design::from_code(number.into()).ok_or(INFILL_ERROR_CONFIG)
}

pub(crate) fn trend(number: u32) -> Outcome<Trend> {
    Trend::from_code(number.into()).ok_or(INFILL_ERROR_CONFIG)
}

pub(crate) fn objective(number: u32) -> Outcome<Objective> {
    choice(number, [Objective::Evidence, Objective::LeaveOneOut])
}

#[cfg(test)]
mod tests {
    use super::*;
    use library::PRESETS;

    #[test]
    fn defaults_are_those_of_the_library() {
        assert_eq!(infill_config::default().settings(None).unwrap(), Config::default());
        for name in PRESETS {
            let preset = Config::preset(name).unwrap();
            assert_eq!(infill_config::of(&preset).settings(None).unwrap(), preset, "{name}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_library() {
        use infill_design_kind::*;
        use infill_transform::*;
        use infill_trend::*;
        let designs = [
            INFILL_DESIGN_UNIFORM,
            INFILL_DESIGN_LATIN_HYPERCUBE,
            INFILL_DESIGN_SOBOL,
            INFILL_DESIGN_HALTON,
            INFILL_DESIGN_GRID,
        ];
        let theirs = [Design::Uniform, Design::LatinHypercube, Design::Sobol, Design::Halton, Design::Grid];
        for (ours, theirs) in designs.into_iter().zip(theirs) {
            assert_eq!(design(ours as u32).unwrap(), theirs);
        }
        let trends = [INFILL_TREND_ZERO, INFILL_TREND_CONSTANT, INFILL_TREND_LINEAR, INFILL_TREND_QUADRATIC];
        let theirs = [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic];
        for (ours, theirs) in trends.into_iter().zip(theirs) {
            assert_eq!(trend(ours as u32).unwrap(), theirs);
        }
        use infill_search_method::*;
        let methods = [
            INFILL_SEARCH_AUTO,
            INFILL_SEARCH_ASCENT,
            INFILL_SEARCH_SMAC,
            INFILL_SEARCH_TYPED,
            INFILL_SEARCH_EVOLUTION,
            INFILL_SEARCH_COVARIANCE,
            INFILL_SEARCH_RANDOM,
        ];
        for (ours, theirs) in methods.into_iter().zip(Method::ALL) {
            assert_eq!(ours as u32, theirs as u32);
            let given = infill_config { search_method: ours as u32, ..infill_config::default() };
            assert_eq!(
                given.settings(None).unwrap().search,
                Search { method: theirs, ..Config::default().search }
            );
        }
        let transforms = [
            (INFILL_TRANSFORM_NONE, Transform::None),
            (INFILL_TRANSFORM_STANDARD, Transform::Standard),
            (INFILL_TRANSFORM_POWER, Transform::Power),
            (INFILL_TRANSFORM_RANK, Transform::Rank),
            (INFILL_TRANSFORM_BOX_COX, Transform::BoxCox),
            (INFILL_TRANSFORM_YEO_JOHNSON, Transform::YeoJohnson),
        ];
        for (ours, theirs) in transforms {
            assert_eq!(u64::from(ours as u32), theirs.code());
        }
    }
}
