//! Configurations by name, in the manner of well-known programs.

use super::{Config, Hyper, Interleave, Model};
use crate::acquisition::Acquisition;
use crate::acquisition::Schedule;
use crate::acquisition::cooling::Cooling;
use crate::forest::{Kind, Settings};
use crate::gp::sampler::Sampling;
use crate::pending::Pending;
use crate::targets::Transform;

/// The names that [`Config::preset`] knows.
pub const PRESETS: [&str; 9] = [
    "default",
    "spearmint",
    "mip-ego",
    "gpgo",
    "gpgo-student",
    "gpgo-mcmc",
    "gpgo-forest",
    "gpgo-extra",
    "gpgo-boosted",
];

/// Draws of the hyperparameters in presets that draw them.
const DRAWS: u32 = 10;

impl Config<'_> {
    /// The configuration of a name; `None` if there is none.
    ///
    /// | name | model | hyperparameters | proposals | open trials |
    /// | --- | --- | --- | --- | --- |
    /// | `default` | process | best, trained when they are stale | log expected improvement and a bound in turn | believed |
    /// | `spearmint` | process | ten slice-sampled | integrated expected improvement | fantasies |
    /// | `mip-ego` | random forest | none | moment-generating function of improvement, cooling | temperatures |
    /// | `gpgo` | process | best, trained at each ask | expected improvement | believed |
    /// | `gpgo-student` | Student-t process | best, with its degrees of freedom | expected improvement | believed |
    /// | `gpgo-mcmc` | process | ten slice-sampled | integrated expected improvement | believed |
    /// | `gpgo-forest`, `-extra` | trees | none | expected improvement | believed |
    /// | `gpgo-boosted` | boosted trees | none | confidence bound, every third point random | believed |
    ///
    /// The kernel is ours in all of them; the sources have no length per parameter, or priors of their own. Expected
    /// improvement is maximised by its logarithm, which has the same maximum. `mip-ego` cools in 40 steps:
    /// [`ProposalConfig::schedule`](super::ProposalConfig::schedule) says how many there are to be.
    ///
    /// ```
    /// use infill::{Config, Limits};
    /// let config = Config { seed: 3, ..Config::preset("spearmint").unwrap() };
    /// let limits = Limits::new(2, 30).suit(&config);
    /// assert!(Config::preset("no such thing").is_none());
    /// # assert!(limits.posteriors > 0);
    /// ```
    #[must_use]
    pub fn preset(name: &str) -> Option<Config<'static>> {
        let default = Config::default();
        let gpgo = default.with(|c| {
            c.design.trials = 3;
            c.surrogate.refit.growth = 0.0;
            c.targets = Transform::Standard;
            c.proposal.acquisition = Acquisition::LogImprovement { margin: 0.0 };
            c.proposal.interleave = Interleave::NEVER;
        });
        let sampled = Hyper::Mcmc { count: DRAWS, sampling: Sampling::default() };
        let trees = |settings: Settings| {
            gpgo.with(|c| {
                c.design.trials = 0;
                c.surrogate.model = Model::Trees(settings);
            })
        };
        Some(match name {
            "default" => default,
            "spearmint" => gpgo.with(|c| {
                c.design.trials = 0;
                c.surrogate.hyper = sampled;
                c.proposal.pending = Pending::Fantasies { count: 64 };
            }),
            "mip-ego" => trees(Settings::RANDOM).with(|c| {
                c.proposal.acquisition = Acquisition::LogMgf { temperature: 2.0 };
                c.proposal.schedule = Schedule::Cooling(Cooling::exponential(40));
                c.proposal.pending = Pending::Temperatures;
            }),
            "gpgo" => gpgo,
            "gpgo-student" => {
                gpgo.with(|c| c.surrogate.model = Model::Student { freedom: 5.0, learnt: true })
            }
            "gpgo-mcmc" => gpgo.with(|c| c.surrogate.hyper = sampled),
            "gpgo-forest" => trees(Settings::RANDOM),
            "gpgo-extra" => trees(Settings::EXTRA),
            // Quantiles of few values say little of what is not known: a floor under the deviation (the source adds a tenth),
            // small trees of a part of the rows, and every third point by chance (`benches/README.md`).
            "gpgo-boosted" => {
                let kind = Kind::Boosted { rate: 0.2, share: 0.7, low: 0.16, high: 0.84 };
                trees(Settings { kind, leaf: 2, depth: 2, floor: 0.1, ..Settings::BOOSTED }).with(|c| {
                    c.targets = default.targets;
                    c.proposal.acquisition = Acquisition::Bound { beta: 1.0 };
                    c.proposal.interleave = Interleave { every: 3, beta: f64::INFINITY };
                })
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, PRESETS};
    use crate::limits::Limits;

    #[test]
    fn every_name_is_a_configuration_that_fits_its_limits() {
        for name in PRESETS {
            let config = Config::preset(name).expect(name);
            assert_eq!(config.check(), Ok(()), "{name}");
            assert_eq!(config.combines(), Ok(()), "{name}");
            assert_eq!(config.needs(&Limits::new(3, 40).suit(&config), 3), Ok(()), "{name}");
        }
        assert_eq!(Config::preset("default"), Some(Config::default()));
        assert_eq!(Config::preset("Default"), None);
    }
}
