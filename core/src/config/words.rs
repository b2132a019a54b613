//! A configuration as words of a block.

use super::{Config, Incumbent, Interleave, Noise, Refit, WhenFull};
use crate::acquisition::Acquisition;
use crate::backend::Objective;
use crate::descent::Budget;
use crate::error::Error;
use crate::gp::{Training, Transform};
use crate::search::Search;
use crate::space::Design;
use crate::trend::Trend;

/// Words of a configuration in a block.
pub(crate) const WORDS: usize = 40;

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
        pen.count(self.search.global);
        pen.count(self.search.local);
        pen.count(self.search.starts);
        pen.count(self.search.rounds);
        pen.budget(&self.search.polish);
        pen.word(u64::from(self.repeats));
        pen.word(self.when_full as u64);
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
                global: eye.count()?,
                local: eye.count()?,
                starts: eye.count()?,
                rounds: eye.count()?,
                polish: eye.budget()?,
            },
            repeats: eye.choice([false, true])?,
            when_full: eye.choice([WhenFull::Refuse, WhenFull::DropWorst])?,
        };
        config.check().map_err(|_| Error::Corrupt)?;
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

    /// One of several by its number.
    fn choice<T: Copy, const N: usize>(&mut self, all: [T; N]) -> Result<T, Error> {
        let number = usize::try_from(self.word()?).map_err(|_| Error::Corrupt)?;
        all.get(number).copied().ok_or(Error::Corrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, WORDS};

    #[test]
    fn words_are_read_as_they_were_written() {
        let config = Config { seed: 7, start: 9, delta: 0.1, repeats: true, ..Config::default() };
        let mut words = [1; WORDS];
        config.write(&mut words);
        assert_eq!(Config::read(&words), Ok(config));
        // The last word is not in use: nothing was cut off.
        assert_eq!(words[WORDS - 1], 0);
    }
}
