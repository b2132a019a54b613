//! Encoding: between user units and the unit cube.

use crate::error::Error;
use crate::real::Real;

use super::Domain;
use super::layout::Rule;

impl Domain<'_> {
    /// User units → unit cube.
    ///
    /// Parameters that do not matter may hold anything, also NaN, and become canonical. Cost: O(parameters +
    /// conditions + listed values).
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice has another length than [`Domain::dims`]; [`Error::OutOfRange`] for a value
    /// that is NaN, outside its bounds (rounded to `R`), not whole, or not a level. `unit` then holds nothing
    /// of use.
    pub(crate) fn encode<R: Real>(&self, point: &[R], unit: &mut [R]) -> Result<(), Error> {
        let needed = self.dims();
        Error::Shape { needed }.when(point.len() != needed || unit.len() != needed)?;
        for i in 0..needed {
            unit[i] = if self.wakes(i, unit) {
                self.axis(i).coordinate(point[i]).ok_or(Error::OutOfRange { parameter: i as u32 })?
            } else {
                R::NAN
            };
        }
        self.settle(unit);
        Ok(())
    }

    /// Whether a point in user units is one of the space; parameters that do not matter may hold anything. `unit` is worked in.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::OutOfRange`], [`Error::Forbidden`].
    pub fn check_point<R: Real>(&self, point: &[R], unit: &mut [R]) -> Result<(), Error> {
        self.encode(point, unit)?;
        self.forbids(unit).map_or(Ok(()), |clause| Err(Error::Forbidden { clause }))
    }

    /// Unit cube → user units, after `Domain::snap`.
    ///
    /// Always in range; integers, levels and category indices exact; the coordinates 0 and 1 of a real give
    /// its bounds. Cost: O(parameters + conditions + listed values).
    pub fn decode<R: Real>(&self, unit: &[R], point: &mut [R]) {
        let dims = self.dims().min(unit.len()).min(point.len());
        let point = &mut point[..dims];
        point.copy_from_slice(&unit[..dims]);
        self.snap(point);
        for i in 0..dims {
            // A coordinate outside of every range stands for no value.
            let u = if point[i] < R::ZERO { self.rest(i) } else { point[i] };
            point[i] = self.axis(i).value(u);
        }
    }

    /// Moves every coordinate to the nearest admissible one.
    ///
    /// ```text
    /// real         clamp(u, 0, 1); the coordinate of its value where the scalar has fewer values than coordinates
    /// discrete     the centre of the bin that holds u
    /// NaN          the same of ½
    /// inactive     what Impute says
    /// ```
    ///
    /// Where inactive coordinates are −1, a coordinate of −1 that begins to matter becomes that of its default.
    ///
    /// Doing it twice changes no bit. Equal configurations have equal bits, so that a model sees them as equal.
    pub(crate) fn snap<R: Real>(&self, unit: &mut [R]) {
        self.mark(unit);
        self.settle(unit);
    }

    /// Whether a point of the unit cube is one that [`Domain::snap`] leaves as it is.
    pub(crate) fn is_snapped<R: Real>(&self, unit: &[R]) -> bool {
        unit.len() == self.dims()
            && self.with_activity(unit, |active| {
                let key = self.key(unit, active);
                let canonical = |i: usize| {
                    if active(i) { self.axis(i).snap(unit[i]) } else { self.stand(i, key) }
                };
                (0..unit.len()).all(|i| canonical(i) == unit[i])
            })
    }

    /// Whether no clause forbids a snapped point.
    pub(crate) fn allows<R: Real>(&self, unit: &[R]) -> bool {
        self.forbids(unit).is_none()
    }

    /// The first clause that forbids a snapped point.
    ///
    /// Cost: nothing without clauses, otherwise O(parameters + conditions + terms + listed values).
    pub(crate) fn forbids<R: Real>(&self, unit: &[R]) -> Option<u32> {
        if !self.forbidding() || unit.len() < self.dims() {
            return None;
        }
        let met = |term: Rule, active: &dyn Fn(usize) -> bool| {
            let parameter = term.parameter as usize;
            active(parameter) && self.holds(term, unit[parameter])
        };
        self.with_activity(unit, |active| self.first_clause(|mut terms| terms.all(|term| met(term, active))))
    }

    /// Whether every parameter of a point in user units is in range, also those that do not matter.
    pub(crate) fn contains<R: Real>(&self, point: &[R]) -> bool {
        point.len() == self.dims() && (0..point.len()).all(|i| self.axis(i).coordinate(point[i]).is_some())
    }
}
