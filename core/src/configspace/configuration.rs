//! Points of a space with names and values.

use alloc::vec;
use alloc::vec::Vec;

use super::formula::Part;
use super::{Document, Value};
use crate::error::Error;
use crate::space::{Domain, is_active};

impl Document {
    /// The values of all parameters at a point of the space, in the order of [`Document::parameters`]; none where a
    /// parameter does not matter.
    ///
    /// ```
    /// # use infill::configspace::{Document, Value};
    /// # let text = r#"{"hyperparameters": [{"name": "kind", "type": "categorical", "choices": ["a", "b"]}]}"#;
    /// let document = Document::read(text)?;
    /// assert_eq!(document.configuration(&[1.0])?, [Some(Value::String("b".into()))]);
    /// assert_eq!(document.point(&[("kind", Value::String("b".into()))])?, [1.0]);
    /// # Ok::<(), infill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of values than the space has parameters, [`Error::OutOfRange`] for one that is none of
    /// its parameter's.
    pub fn configuration(&self, point: &[f64]) -> Result<Vec<Option<Value>>, Error> {
        let codes = self.codes(point)?;
        let pairs = codes.iter().zip(&self.parameters);
        Ok(pairs.map(|(code, parameter)| code.map(|code| parameter.value(code))).collect())
    }

    /// The vector by which Python's ConfigSpace stands for a point, in the order of [`Document::parameters`]; none where
    /// it has a NaN, for a parameter that does not matter.
    ///
    /// # Errors
    /// As [`Document::configuration`].
    pub fn vector(&self, point: &[f64]) -> Result<Vec<Option<f64>>, Error> {
        let codes = self.codes(point)?;
        let pairs = codes.iter().zip(&self.parameters);
        Ok(pairs.map(|(code, parameter)| code.map(|code| parameter.coordinate(code))).collect())
    }

    /// The point of the space at which parameters have these values; those that are not named have their defaults.
    ///
    /// # Errors
    /// [`Error::Format`] for an unknown name (its place in the list); [`Error::OutOfRange`] for a value that the
    /// parameter with this place in the document cannot take.
    pub fn point(&self, values: &[(&str, Value)]) -> Result<Vec<f64>, Error> {
        let mut codes = self.defaults();
        for (at, (name, value)) in values.iter().enumerate() {
            let place = super::formula::place(&self.parameters, name).ok_or(Error::Format { at })?;
            let parameter = place as u32;
            codes[place] = self.parameters[place].code(value).ok_or(Error::OutOfRange { parameter })?;
        }
        Ok(self.order.iter().map(|&place| codes[place]).collect())
    }

    /// For each parameter of the document the number that stands for its default.
    fn defaults(&self) -> Vec<f64> {
        let default_value = |parameter: &super::Parameter| {
            let default_value = parameter.default_value.as_ref().and_then(|value| parameter.code(value));
            default_value.unwrap_or(parameter.ends().0)
        };
        self.parameters.iter().map(default_value).collect()
    }

    /// For each parameter of the document the number at a point, if it matters there.
    fn codes(&self, point: &[f64]) -> Result<Vec<Option<f64>>, Error> {
        let mut codes = vec![None; self.parameters.len()];
        self.with_space(|space| {
            let mut words = vec![0; space.words()];
            space.write(&mut words)?;
            let domain = Domain::attach::<f64>(&words)?;
            let (mut unit, mut mask) = (vec![0.0; point.len()], vec![0; domain.mask_words()]);
            domain.encode(point, &mut unit)?;
            domain.active(&unit, &mut mask);
            for (number, &place) in self.order.iter().enumerate() {
                codes[place] = is_active(&mask, number).then_some(point[number]);
            }
            Ok(())
        })?;
        for place in 0..codes.len() {
            if self.parameters[place].only().is_some() {
                let holds = |part: &Part| codes[part.parameter].is_some_and(|code| part.set.holds(code));
                let mut on = true;
                for (_, formula) in self.conditions.iter().filter(|(child, _)| *child == place) {
                    on &= formula.alternatives(self)?.iter().all(|either| either.iter().any(holds));
                }
                codes[place] = on.then_some(self.parameters[place].ends().0);
            }
        }
        Ok(codes)
    }
}
