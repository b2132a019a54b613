//! The common scale of the targets of all branches, so that what their models say can be compared.

use super::super::Criterion;
use super::block::{Branched, Offer, figure};
use crate::acquisition::{Acquisition, Schedule, cooling};
use crate::backend::Backend;
use crate::config::Incumbent;
use crate::error::Error;
use crate::pending::Pending;
use crate::real::Real;
use crate::targets::Scale;
use crate::targets::Transform;
use crate::trial::State;

/// How far below the lowest value a scale was fitted to another may be, in deviations.
const BELOW: f64 = 0.1;

impl<R: Real> Branched<'_, R> {
    /// A scale that was fitted to nothing.
    pub(super) fn clear_scale(&mut self, transform: Transform) {
        let scale = transform.fit(&[], &mut []);
        self.set_scale(&scale);
        self.figures[figure::BEST] = f64::NAN.to_bits();
    }

    /// Fits the common scale to the values of all branches where it is due, and gives it to them.
    ///
    /// ```text
    /// target = (ψ(y) − mean)/deviation,   ψ, mean and deviation of all told values together
    /// ```
    ///
    /// It is due when the told values have grown by [`Refit::afresh`](crate::Refit), and with a power also when a value is
    /// so far below all it was fitted to that the power has no shape there. Every branch trains then; in between only the
    /// branch that was told something does.
    pub(super) fn settle_scale(&mut self) -> Result<(), Error> {
        let trials = self.trials.read();
        // As the targets of an optimizer: far enough from the ends of the range that differences stay finite.
        let most = R::MAX / R::of(8.0);
        let mut count = 0;
        for (value, slot) in self.values.iter_mut().zip(trials.in_state(Some(State::Done))) {
            *value = trials.value(slot).clamp(-most, most);
            count += 1;
        }
        if count == 0 {
            return Ok(());
        }
        let values = &self.values[..count];
        let low = values.iter().fold(R::INFINITY, |a, &b| a.min(b));
        let worst = values.iter().fold(-R::INFINITY, |a, &b| a.max(b));
        let last = self.figures[figure::SCALED];
        let transform = self.config.targets;
        let grown =
            count as f64 >= last as f64 * (1.0 + self.config.surrogate.refit.afresh) && count as u64 > last;
        let bends = !matches!(transform, Transform::None | Transform::Standard);
        let below = bends && last > 0 && {
            let (scale, before) = (self.scale()?, R::of(f64::from_bits(self.figures[figure::LOW])));
            scale.forward(before) - scale.forward(low) > R::of(BELOW)
        };
        let due = last == 0 || grown || below;
        let other = worst.to_f64().to_bits() != self.figures[figure::WORST];
        if !due && !other {
            return Ok(());
        }
        if due {
            let mut scale = transform.fit(values, &mut self.targets[..count]);
            if Scale::from_scalars(scale.to_scalars()).is_none() {
                scale = Transform::Standard.fit(values, &mut self.targets[..count]);
            }
            self.set_scale(&scale);
            self.figures[figure::SCALED] = count as u64;
            self.figures[figure::LOW] = low.to_f64().to_bits();
        }
        self.figures[figure::WORST] = worst.to_f64().to_bits();
        let scale = self.scale()?;
        for branch in 0..self.branches {
            if self.is_space(branch) {
                self.optimizer(branch)?.share(&scale, worst)?;
            }
        }
        let failed = self.trials.read().in_state(Some(State::Failed)).next().is_some();
        if due || failed {
            self.forget_offers();
        }
        Ok(())
    }

    /// The rule and the value that proposals of all branches are measured by.
    ///
    /// Where either differs from the last time, what branches offered then is worth nothing now.
    pub(super) fn criterion<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
    ) -> Result<Criterion<R>, Error> {
        let rule = self.rule()?;
        if self.branching.own_minimum || self.figures[figure::SCALED] == 0 {
            return Ok(Criterion { rule, best: None });
        }
        let scale = self.scale()?;
        let trials = self.trials.read();
        let observed = |value: Option<R>| value.map_or(f64::NAN, |value| scale.forward(value).to_f64());
        let mut best = match self.config.proposal.incumbent {
            Incumbent::Observed => observed(trials.best().map(|slot| trials.value(slot))),
            Incumbent::Mean => f64::NAN,
        };
        if self.config.proposal.incumbent == Incumbent::Mean {
            for branch in 0..self.branches {
                if self.record(branch).offer() == Some(Offer::Stale) {
                    let value = observed(self.listed().best_of(branch));
                    let lowest = if self.is_space(branch) && self.optimizer(branch)?.has_model()? {
                        match self.optimizer(branch)?.lowest(backend) {
                            Ok(lowest) => lowest.to_f64(),
                            Err(Error::NotPositiveDefinite { .. } | Error::NoData | Error::NotFinite) => {
                                value
                            }
                            Err(error) => return Err(error),
                        }
                    } else {
                        value
                    };
                    self.record(branch).set_lowest(lowest);
                }
                // NaN is less than nothing, and nothing less than NaN.
                let lowest = self.record(branch).lowest();
                best = if best < lowest || lowest.is_nan() { best } else { lowest };
            }
        }
        if best.to_bits() != self.figures[figure::BEST] {
            self.figures[figure::BEST] = best.to_bits();
            self.forget_offers();
        }
        Ok(Criterion { rule, best: (!best.is_nan()).then(|| R::of(best)) })
    }

    /// The rule of the configuration after so many values in all branches.
    fn rule(&mut self) -> Result<Acquisition<R>, Error> {
        let trials = self.trials.read();
        let open = trials.in_state(Some(State::Open)).count();
        let told = trials.in_state(Some(State::Done)).count();
        let rule: Acquisition<R> = self.config.acquisition_at(told, self.dims).cast();
        let moves = self.config.proposal.schedule != Schedule::Constant;
        let rule = match rule {
            Acquisition::LogMgf { temperature }
                if self.config.proposal.pending == Pending::Temperatures && open > 0 =>
            {
                let mut drawn = [temperature];
                if temperature > R::ZERO {
                    let mut generator = self.generator()?;
                    cooling::draw(&mut generator, temperature.ln(), R::ONE, &mut drawn);
                    self.set_generator(&generator);
                }
                self.forget_offers();
                Acquisition::LogMgf { temperature: drawn[0] }
            }
            rule => rule,
        };
        if moves {
            self.forget_offers();
        }
        Ok(rule)
    }

    /// Every branch has to look anew.
    pub(super) fn forget_offers(&mut self) {
        for branch in 0..self.branches {
            self.record(branch).set_offer(Offer::Stale, 0.0);
        }
    }
}
