//! Friedman's test: do the methods differ at all.

use alloc::vec::Vec;

use super::Table;
use crate::error::Error;
use crate::stats::{chi_squared, fisher};

/// The outcome of Friedman's test, three ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friedman {
    /// χ² of the average ranks, as if no values were equal.
    pub chi_squared: f64,
    /// Its probability under equal methods.
    pub p: f64,
    /// χ² corrected for equal values within a problem.
    pub corrected: f64,
    /// Its probability.
    pub corrected_p: f64,
    /// Iman and Davenport's F of the uncorrected χ²; infinite if the ranks are the same on every problem.
    pub f: f64,
    /// Its probability.
    pub f_p: f64,
    /// Degrees of freedom: of χ² and above in F.
    pub freedom: usize,
    /// Degrees of freedom below in F.
    pub below: usize,
}

impl Table {
    /// Friedman's test on k methods and N problems, with and without the correction for ties, and as F.
    ///
    /// ```text
    /// χ² = 12N/(k(k + 1))·(Σ Rᵢ² − k(k + 1)²/4),   corrected = χ²/(1 − Σ(t³ − t)/(N(k³ − k)))
    /// F  = (N − 1)χ²/(N(k − 1) − χ²)  with k − 1 and (k − 1)(N − 1) degrees of freedom
    /// ```
    ///
    /// The sum over t is over groups of equal values within a problem. Where all values are equal, χ² is 0 and p is 1.
    ///
    /// # Errors
    /// [`Error::NoData`] for fewer than two problems.
    ///
    /// # References
    /// Friedman, JASA 32, 1937; Iman and Davenport, *Approximations of the critical region of the Friedman statistic*,
    /// Communications in Statistics A 9, 1980.
    pub fn friedman(&self) -> Result<Friedman, Error> {
        Error::NoData.when(self.problems() < 2)?;
        let (k, n) = (self.methods() as f64, self.problems() as f64);
        // About the centre, where nothing cancels: Σ(R − (k + 1)/2)² is what the bracket says.
        let spread: f64 = self.ranks().iter().map(|rank| (rank - 0.5 * (k + 1.0)).powi(2)).sum();
        let chi_squared = 12.0 * n / (k * (k + 1.0)) * spread;
        let ties: f64 = self.rows().map(ties).sum();
        let share = 1.0 - ties / (n * (k * k * k - k));
        let corrected = if share > 0.0 { chi_squared / share } else { 0.0 };
        let left = n * (k - 1.0) - chi_squared;
        // Rounding may leave a hair where every problem has the same order.
        let f = if left > 1e-12 * n * k { (n - 1.0) * chi_squared / left } else { f64::INFINITY };
        let (freedom, below) = (self.methods() - 1, (self.methods() - 1) * (self.problems() - 1));
        Ok(Friedman {
            chi_squared,
            p: chi_squared::survival(chi_squared, freedom as f64),
            corrected,
            corrected_p: chi_squared::survival(corrected, freedom as f64),
            f,
            f_p: fisher::survival(f, freedom as f64, below as f64),
            freedom,
            below,
        })
    }
}

/// Σ t³ − t over the groups of equal values.
pub(super) fn ties(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(|group| (group.len() as f64).powi(3) - group.len() as f64).sum()
}
