//! Functions of mixed and conditional parameters with known minima, to minimise.

mod barrier;
mod cash;
mod kinds;
mod landscape;

pub use barrier::barrier;
pub use cash::{BRANCHES, cash};
pub use kinds::kinds;
pub use landscape::landscape;

use infill::{Condition, Param, Space};
use std::fmt;

type Function = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// A function on a space, with its minimum.
pub struct Mixed {
    /// Short and unique, with what varies: `barrier-20`.
    pub name: String,
    /// The parameters of the space.
    pub params: Vec<Param<'static>>,
    /// The conditions between them.
    pub conditions: Vec<Condition<'static>>,
    /// Values of the first parameter, if it is the category that conditions depend on; else 0.
    pub branches: u32,
    /// The smallest value.
    pub minimum: f64,
    /// One point that takes it.
    pub minimiser: Vec<f64>,
    function: Function,
}

impl Mixed {
    /// The space, in the middle of which parameters are put that do not matter.
    pub fn space(&self) -> Space<'_> {
        Space::new(&self.params, &self.conditions).expect("a space")
    }

    /// The value at `x`, in user units; what does not matter may be anything.
    pub fn value(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dims(), "{}", self.name);
        (self.function)(x)
    }

    /// The number of parameters.
    pub fn dims(&self) -> usize {
        self.params.len()
    }

    /// How far a value is above the minimum.
    pub fn regret(&self, value: f64) -> f64 {
        value - self.minimum
    }
}

impl fmt::Debug for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} parameters)", self.name, self.dims())
    }
}
