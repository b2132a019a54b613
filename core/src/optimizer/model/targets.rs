//! Targets of an optimizer's model: the values of the trials on a scale that was fitted to them.

use crate::error::Error;
use crate::optimizer::block::{Block, TrialsRead};
use crate::real::Real;
use crate::targets::{Scale, Transform};
use crate::trial::State;

impl<R: Real> Block<'_, R> {
    /// Fits the scale of the targets to all values, and rescales known variances to it.
    pub(super) fn fit_scale(&mut self, transform: Transform) -> Result<(), Error> {
        let (rows, worst) = (self.gp.rows(), self.given_worst());
        if worst.is_some() {
            // The scale is that of all who share it.
            return self.set_targets(transform);
        }
        let (values, targets) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], worst, values)?;
        let mut scale = transform.fit(values, targets);
        if Scale::from_scalars(scale.to_scalars()).is_none() {
            // Ratios of the values leave the range.
            scale = Transform::Standard.fit(values, targets);
        }
        bound(targets);
        self.set_scale(&scale);
        self.rescale_variances();
        Ok(())
    }

    /// Puts known variances on the scale of the targets; whether there are any.
    pub(crate) fn rescale_variances(&mut self) -> bool {
        let trials = self.trials.read();
        let any = (0..trials.slots.len()).any(|slot| trials.variance(slot) > R::ZERO);
        if any {
            for row in 0..self.gp.rows() {
                let slot = self.rows[row] as usize;
                self.gp.known_variances_mut()[row] = self.known_variance(slot);
            }
        }
        any
    }

    /// Writes the targets of all rows on the scale that was fitted last.
    pub(super) fn set_targets(&mut self, transform: Transform) -> Result<(), Error> {
        let (rows, worst) = (self.gp.rows(), self.given_worst());
        let scale = self.scale()?;
        let (values, targets) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], worst, values)?;
        if transform == Transform::Rank {
            transform.fit(values, targets);
        } else {
            for (target, &value) in targets.iter_mut().zip(values.iter()) {
                *target = scale.forward(value);
            }
        }
        bound(targets);
        Ok(())
    }

    /// The values of all rows, in memory that lasts until the next refresh.
    pub(crate) fn values(&mut self) -> Result<&[R], Error> {
        let (rows, worst) = (self.gp.rows(), self.given_worst());
        let (values, _) = self.gp.values_and_targets();
        raw_values(&self.trials.read(), &self.rows[..rows], worst, values)?;
        Ok(values)
    }
}

/// The values of the rows; a failed trial counts as the worst value seen, here or elsewhere.
///
/// Values at the very ends of the range are moved inwards, so that differences stay finite.
fn raw_values<R: Real>(
    trials: &TrialsRead<'_, R>,
    rows: &[u64],
    elsewhere: Option<R>,
    values: &mut [R],
) -> Result<(), Error> {
    let mut worst = elsewhere.unwrap_or(-R::INFINITY);
    for slot in trials.in_state(Some(State::Done)) {
        worst = worst.max(trials.value(slot));
    }
    Error::NoData.when(!worst.is_finite())?;
    let most = R::MAX / R::of(8.0);
    for (value, &slot) in values.iter_mut().zip(rows) {
        let slot = slot as usize;
        let told = if trials.state(slot) == Some(State::Done) { trials.value(slot) } else { worst };
        *value = told.clamp(-most, most);
    }
    Ok(())
}

/// Keeps targets so far from the ends of the range that their squares and products stay in it.
///
/// A value that comes later may be far outside the scale that was fitted to the earlier ones.
fn bound<R: Real>(targets: &mut [R]) {
    let most = R::MAX.sqrt() * R::EPSILON;
    for target in targets {
        *target = if target.is_nan() { R::ZERO } else { target.clamp(-most, most) };
    }
}
