//! A configuration as words of a block.

use super::{
    Branches, Categories, Config, Hyper, Incumbent, Interleave, Model, Noise, Refit, Similarity, Strategy,
    Structure, WhenFull,
};
use crate::acquisition::Acquisition;
use crate::acquisition::cooling::Cooling;
use crate::backend::Objective;
use crate::baselines::Baseline;
use crate::error::Error;
use crate::forest::{self, Settings, Spread};
use crate::gp::Training;
use crate::gp::sampler::{Sampler, Sampling};
use crate::gp::warp::Warp;
use crate::lbfgs::Budget;
use crate::pending::Pending;
use crate::policy::Policy;
use crate::search::{Method, Search};
use crate::space::Design;
use crate::sparse;
use crate::targets::Transform;
use crate::trend::Trend;

/// Words of a configuration in a block.
pub(crate) const WORDS: usize = 80;

impl Config<'_> {
    /// Writes all but the kernel, which has a place of its own; [`Config::read`] takes the words in the same order.
    pub(crate) fn write(&self, out: &mut [u64]) {
        out.fill(0);
        let mut pen = Pen { out: out.iter_mut() };
        pen.word(self.seed);
        pen.count(self.start);
        pen.word(self.design.code());
        pen.word(self.trend.code());
        pen.word(self.transform.code());
        for float in [self.noise.variance, self.noise.lo, self.noise.hi, self.noise.sd] {
            pen.float(float);
        }
        let (code, parameter) = self.acquisition.code();
        pen.word(code);
        pen.float(parameter);
        pen.float(self.delta);
        pen.count(self.interleave.every);
        pen.float(self.interleave.beta);
        pen.word(self.incumbent as u64);
        pen.word(self.training.objective as u64);
        pen.count(self.training.restarts);
        pen.count(self.training.draws);
        pen.budget(&self.training.budget);
        pen.float(self.refit.growth);
        pen.float(self.refit.afresh);
        pen.count(self.refit.evaluations);
        pen.count(self.refit.plenty);
        pen.word(self.search.method as u64);
        pen.count(self.search.global);
        pen.count(self.search.local);
        pen.count(self.search.starts);
        pen.count(self.search.rounds);
        pen.budget(&self.search.polish);
        pen.word(u64::from(self.repeats));
        pen.word(self.when_full as u64);
        pen.model(&self.model);
        pen.treatment(&self.treatment);
        pen.word(self.warp.code());
        for word in self.policy.words() {
            pen.word(word);
        }
        let (code, value) = self.batch.code();
        pen.word(code);
        pen.word(value);
        pen.word(u64::from(self.cooling.is_some()));
        for word in self.cooling.map_or([0; Cooling::WORDS], |cooling| cooling.words()) {
            pen.word(word);
        }
        let Similarity { categories, structure, branches } = self.similarity;
        for word in [categories as u64, structure as u64, branches as u64] {
            pen.word(word);
        }
        for word in self.strategy.words() {
            pen.word(word);
        }
    }

    /// Reads what [`Config::write`] wrote.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a word has no meaning.
    pub(crate) fn read(words: &[u64]) -> Result<Config<'static>, Error> {
        let mut eye = Eye { words: words.iter() };
        let config = Config {
            seed: eye.word()?,
            start: eye.count()?,
            design: Design::from_code(eye.word()?).ok_or(Error::Corrupt)?,
            kernel: None,
            trend: Trend::from_code(eye.word()?).ok_or(Error::Corrupt)?,
            transform: Transform::from_code(eye.word()?).ok_or(Error::Corrupt)?,
            noise: Noise { variance: eye.float()?, lo: eye.float()?, hi: eye.float()?, sd: eye.float()? },
            acquisition: Acquisition::from_code(eye.word()?, eye.float()?).map_err(|_| Error::Corrupt)?,
            delta: eye.float()?,
            interleave: Interleave { every: eye.count()?, beta: eye.float()? },
            incumbent: eye.choice([Incumbent::Observed, Incumbent::Mean])?,
            training: Training {
                objective: eye.choice([Objective::Evidence, Objective::LeaveOneOut])?,
                restarts: eye.count()?,
                draws: eye.count()?,
                budget: eye.budget()?,
            },
            refit: Refit {
                growth: eye.float()?,
                afresh: eye.float()?,
                evaluations: eye.count()?,
                plenty: eye.count()?,
            },
            search: Search {
                method: eye.choice(Method::ALL)?,
                global: eye.count()?,
                local: eye.count()?,
                starts: eye.count()?,
                rounds: eye.count()?,
                polish: eye.budget()?,
            },
            repeats: eye.choice([false, true])?,
            when_full: eye.choice([WhenFull::Refuse, WhenFull::DropWorst])?,
            model: eye.model()?,
            treatment: eye.treatment()?,
            warp: Warp::from_code(eye.word()?).ok_or(Error::Corrupt)?,
            policy: Policy::from_words(eye.words()?).map_err(|_| Error::Corrupt)?,
            batch: Pending::from_code(eye.word()?, eye.word()?).map_err(|_| Error::Corrupt)?,
            cooling: eye.cooling()?,
            similarity: Similarity {
                categories: eye.choice(Categories::ALL)?,
                structure: eye.choice(Structure::ALL)?,
                branches: eye.choice(Branches::ALL)?,
            },
            strategy: Strategy::from_words(eye.words()?).ok_or(Error::Corrupt)?,
        };
        config.check().and_then(|()| config.combines()).map_err(|_| Error::Corrupt)?;
        Ok(config)
    }
}

/// Writes one word after the other.
struct Pen<'a> {
    out: core::slice::IterMut<'a, u64>,
}

impl Pen<'_> {
    fn word(&mut self, word: u64) {
        if let Some(out) = self.out.next() {
            *out = word;
        }
    }

    fn count(&mut self, count: u32) {
        self.word(u64::from(count));
    }

    fn float(&mut self, float: f64) {
        self.word(float.to_bits());
    }

    fn budget(&mut self, budget: &Budget) {
        self.count(budget.evaluations);
        self.float(budget.tolerance);
        self.float(budget.reach);
    }

    fn model(&mut self, model: &Model) {
        match *model {
            Model::Process => self.word(0),
            Model::Student { freedom, learnt } => {
                self.word(1);
                self.float(freedom);
                self.word(u64::from(learnt));
            }
            Model::Sparse(kind) => {
                self.word(2);
                self.word(kind.code());
            }
            Model::Trees(settings) => {
                self.word(3);
                self.float(settings.features);
                self.count(settings.leaf);
                self.count(settings.depth);
                self.word(settings.spread as u64);
                self.float(settings.floor);
                match settings.kind {
                    forest::Kind::Random { bootstrap } => self.word(u64::from(bootstrap)),
                    forest::Kind::Extra => self.word(2),
                    forest::Kind::Boosted { rate, share, low, high } => {
                        self.word(3);
                        for float in [rate, share, low, high] {
                            self.float(float);
                        }
                    }
                }
            }
            Model::Baseline(free) => {
                self.word(4);
                for word in free.words() {
                    self.word(word);
                }
            }
        }
    }

    fn treatment(&mut self, treatment: &Hyper) {
        match *treatment {
            Hyper::Map => self.word(0),
            Hyper::Mcmc { count, sampling } => {
                self.word(1);
                self.count(count);
                self.word(sampling.sampler as u64);
                for number in
                    [sampling.burn_in, sampling.thin, sampling.out, sampling.shrink, sampling.latent]
                {
                    self.count(number);
                }
                self.float(sampling.width);
            }
            Hyper::Quadrature { count } => {
                self.word(2);
                self.count(count);
            }
        }
    }
}

/// Reads one word after the other.
struct Eye<'a> {
    words: core::slice::Iter<'a, u64>,
}

impl Eye<'_> {
    fn word(&mut self) -> Result<u64, Error> {
        self.words.next().copied().ok_or(Error::Corrupt)
    }

    fn count(&mut self) -> Result<u32, Error> {
        u32::try_from(self.word()?).map_err(|_| Error::Corrupt)
    }

    fn float(&mut self) -> Result<f64, Error> {
        self.word().map(f64::from_bits)
    }

    fn budget(&mut self) -> Result<Budget, Error> {
        Ok(Budget { evaluations: self.count()?, tolerance: self.float()?, reach: self.float()? })
    }

    fn words<const N: usize>(&mut self) -> Result<[u64; N], Error> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.word()?;
        }
        Ok(words)
    }

    fn model(&mut self) -> Result<Model, Error> {
        Ok(match self.word()? {
            0 => Model::Process,
            1 => Model::Student { freedom: self.float()?, learnt: self.choice([false, true])? },
            2 => Model::Sparse(sparse::Kind::from_code(self.word()?).ok_or(Error::Corrupt)?),
            3 => {
                let mut settings = Settings::RANDOM;
                settings.features = self.float()?;
                settings.leaf = self.count()?;
                settings.depth = self.count()?;
                settings.spread = self.choice([Spread::Total, Spread::Across])?;
                settings.floor = self.float()?;
                settings.kind = match self.word()? {
                    0 => forest::Kind::Random { bootstrap: false },
                    1 => forest::Kind::Random { bootstrap: true },
                    2 => forest::Kind::Extra,
                    3 => forest::Kind::Boosted {
                        rate: self.float()?,
                        share: self.float()?,
                        low: self.float()?,
                        high: self.float()?,
                    },
                    _ => return Err(Error::Corrupt),
                };
                Model::Trees(settings)
            }
            4 => Model::Baseline(Baseline::from_words(self.words()?).ok_or(Error::Corrupt)?),
            _ => return Err(Error::Corrupt),
        })
    }

    fn treatment(&mut self) -> Result<Hyper, Error> {
        Ok(match self.word()? {
            0 => Hyper::Map,
            1 => Hyper::Mcmc {
                count: self.count()?,
                sampling: Sampling {
                    sampler: self.choice(Sampler::ALL)?,
                    burn_in: self.count()?,
                    thin: self.count()?,
                    out: self.count()?,
                    shrink: self.count()?,
                    latent: self.count()?,
                    width: self.float()?,
                },
            },
            2 => Hyper::Quadrature { count: self.count()? },
            _ => return Err(Error::Corrupt),
        })
    }

    fn cooling(&mut self) -> Result<Option<Cooling>, Error> {
        let cools = self.choice([false, true])?;
        let words = self.words()?;
        if cools { Cooling::from_words(words).map(Some) } else { Ok(None) }
    }

    /// One of several by its number.
    fn choice<T: Copy, const N: usize>(&mut self, all: [T; N]) -> Result<T, Error> {
        let number = usize::try_from(self.word()?).map_err(|_| Error::Corrupt)?;
        all.get(number).copied().ok_or(Error::Corrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Branching;

    #[test]
    fn words_are_read_as_they_were_written() {
        let plain = Config { seed: 7, start: 9, delta: 0.1, repeats: true, ..Config::default() };
        let sampled = Hyper::Mcmc { count: 9, sampling: Sampling::default() };
        let boosted = Model::Trees(Settings::BOOSTED);
        let mgf = Acquisition::LogMgf { temperature: 1.5 };
        let branching = Branching { parameter: 3, start: 7, own_minimum: false };
        for config in [
            plain,
            Config { treatment: sampled, policy: Policy::ENTROPY_SEARCH, ..plain },
            Config { model: boosted, acquisition: mgf, cooling: Some(Cooling::exponential(9)), ..plain },
            Config { model: Model::Student { freedom: 5.0, learnt: true }, warp: Warp::Beta, ..plain },
            Config {
                model: Model::Sparse(sparse::Kind::Spectrum),
                batch: Pending::JointEi { draws: 8 },
                ..plain
            },
            Config { treatment: Hyper::Quadrature { count: 9 }, policy: Policy::Hedge, ..plain },
            Config {
                similarity: Similarity {
                    categories: Categories::OneHot,
                    structure: Structure::Both,
                    branches: Branches::Apart,
                },
                ..plain
            },
            Config { strategy: Strategy::Impute, ..plain },
            Config { strategy: Strategy::Whole(Branching { own_minimum: true, ..branching }), ..plain },
            Config { strategy: Strategy::Baseline { branching, budget: 200 }, ..plain },
            Config { model: Model::Baseline(Baseline::TPE), ..plain },
            Config { model: Model::Baseline(Baseline::ANNEAL), ..plain },
            Config { model: Model::Baseline(Baseline::Grid { levels: 5 }), ..plain },
            Config { model: Model::Baseline(Baseline::MI_ES), ..plain },
        ] {
            let mut words = [1; WORDS];
            config.write(&mut words);
            assert_eq!(Config::read(&words), Ok(config));
            // The last word is not in use: nothing was cut off.
            assert_eq!(words[WORDS - 1], 0);
        }
    }
}
