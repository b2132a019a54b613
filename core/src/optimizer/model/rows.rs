//! The rows of the process: how a closed trial gets one, and loses it.

use crate::error::Error;
use crate::gp::Gp;
use crate::kernel::Tape;
use crate::optimizer::block::{Block, Sections, Shape, place};
use crate::optimizer::save;
use crate::real::Real;
use crate::targets::Scale;

impl<R: Real> Sections<'_, R> {
    /// As [`Block::add_row`], where the covariance is that of the kernel alone and nothing else keeps what is told.
    pub(crate) fn add_row(&mut self, shape: Shape, slot: usize) -> Result<(), Error> {
        let row = self.gp.rows();
        let mut scale = [R::ZERO; 6];
        scale.copy_from_slice(self.scale);
        let (value, variance) = (self.trials.read().value(slot), self.trials.read().variance(slot));
        let known = known_variance(Scale::from_scalars(scale), value, variance);
        let tape = Tape::attach(self.nodes, self.lists, shape.dims)?;
        let unit = self.trials.read().unit(slot);
        let extended = self.gp.extend(&tape, unit, R::ZERO, known);
        put_row(extended, &mut self.gp, self.header, unit, known)?;
        self.rows[row] = slot as u64;
        Ok(())
    }
}

/// Takes note of a row by which the factor was extended, or adds it to the data alone.
fn put_row<R: Real>(
    extended: Result<(), Error>,
    gp: &mut Gp<'_, R>,
    header: &mut [u64],
    unit: &[R],
    known: R,
) -> Result<(), Error> {
    match extended {
        Ok(()) => save::add_to_factor_checksum(header, gp),
        // Without a factor, or with a point that spoils it: the next ask builds it anew.
        Err(Error::NoData | Error::NotPositiveDefinite { .. }) => {
            gp.unfit();
            gp.push(unit, R::ZERO, known)?;
            save::write_factor_checksum(header, gp);
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The variance that was told with a value, on the scale of the targets.
///
/// Rooted before it is scaled, and bounded, so that it is finite whatever the spread of the values.
fn known_variance<R: Real>(scale: Option<Scale<R>>, value: R, variance: R) -> R {
    let Some(scale) = scale else { return variance };
    if variance > R::ZERO {
        let deviation = variance.sqrt() * scale.slope(value);
        (deviation * deviation).min(R::MAX.sqrt())
    } else {
        R::ZERO
    }
}

impl<R: Real> Block<'_, R> {
    /// Gives a closed trial its row; the factor grows with it if there is one.
    pub(crate) fn add_row(&mut self, slot: usize) -> Result<(), Error> {
        let row = self.gp.rows();
        let known = self.known_variance(slot);
        let extended = self.append(slot, known);
        if matches!(extended, Err(Error::NoData | Error::NotPositiveDefinite { .. })) {
            self.kept.posteriors.unfit();
        }
        let unit = self.trials.read().unit(slot);
        put_row(extended, &mut self.gp, self.header, unit, known)?;
        self.rows[row] = slot as u64;
        Ok(())
    }

    /// See [`known_variance`].
    pub(crate) fn known_variance(&self, slot: usize) -> R {
        let trials = self.trials.read();
        known_variance(self.scale().ok(), trials.value(slot), trials.variance(slot))
    }

    /// Takes the row of a trial away again.
    pub(crate) fn remove_row(&mut self, slot: usize) -> Result<(), Error> {
        let rows = self.gp.rows();
        let Some(row) = self.rows[..rows].iter().position(|&s| s == slot as u64) else {
            return Ok(());
        };
        self.gp.remove(row)?;
        self.kept.posteriors.remove(row)?;
        self.rows.copy_within(row + 1..rows, row);
        for mark in [place::TRAINED, place::AFRESH] {
            self.header[mark] = self.header[mark].min(rows as u64 - 1);
        }
        self.note_factor();
        Ok(())
    }
}
