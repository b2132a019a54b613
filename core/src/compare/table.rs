//! Results of several methods on several problems.

use alloc::vec;
use alloc::vec::Vec;

use crate::error::Error;

/// One value per problem and method, less is better; at least two methods and one problem, no NaN.
///
/// A method that failed has +∞, which ranks last.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    methods: usize,
    values: Vec<f64>,
}

impl Table {
    /// A table from its values row by row: all methods on the first problem, then on the second.
    ///
    /// # Errors
    /// [`Error::NoData`] for fewer than two methods or no problem, [`Error::Shape`] if the last row is not full,
    /// [`Error::NotFinite`] for NaN.
    pub fn new(methods: usize, values: &[f64]) -> Result<Self, Error> {
        Error::NoData.when(methods < 2 || values.is_empty())?;
        if !values.len().is_multiple_of(methods) {
            return Err(Error::Shape { needed: values.len().next_multiple_of(methods) });
        }
        Error::NotFinite.when(values.iter().any(|v| v.is_nan()))?;
        Ok(Self { methods, values: values.to_vec() })
    }

    /// A table from one slice per problem.
    ///
    /// # Errors
    /// As [`Table::new`]; [`Error::Shape`] if the rows differ in length.
    pub fn from_rows<T: AsRef<[f64]>>(rows: &[T]) -> Result<Self, Error> {
        let methods = rows.first().map_or(0, |row| row.as_ref().len());
        Error::Shape { needed: methods }.when(rows.iter().any(|row| row.as_ref().len() != methods))?;
        let values: Vec<f64> = rows.iter().flat_map(|row| row.as_ref().iter().copied()).collect();
        Self::new(methods, &values)
    }

    /// How many methods there are.
    #[must_use]
    pub fn methods(&self) -> usize {
        self.methods
    }

    /// How many problems there are.
    #[must_use]
    pub fn problems(&self) -> usize {
        self.values.len() / self.methods
    }

    /// The values of all methods, problem by problem.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.methods)
    }

    /// The average rank of each method over the problems; equal values share the mean of their ranks.
    ///
    /// ```text
    /// rankᵢ = mean over problems of 1 + Σⱼ≠ᵢ comp(eᵢ, eⱼ)
    /// ```
    ///
    /// 1 is best. Cost: O(problems × methods²).
    #[must_use]
    pub fn ranks(&self) -> Vec<f64> {
        // Twice the rank is a whole number, so that the sum is exact.
        let mut sums = vec![0u64; self.methods];
        for row in self.rows() {
            for (sum, &value) in sums.iter_mut().zip(row) {
                let halves: u64 = row.iter().map(|&other| comp(value, other)).sum();
                // The comparison with itself gave one half.
                *sum += halves + 1;
            }
        }
        sums.iter().map(|&sum| sum as f64 / (2.0 * self.problems() as f64)).collect()
    }

    /// The share of comparisons that each method wins, itself and equals counted as half a win.
    ///
    /// ```text
    /// wᵢ = 1 − mean over problems of (1/m) Σⱼ comp(eᵢ, eⱼ),   rankᵢ = ½ + m(1 − wᵢ)
    /// ```
    #[must_use]
    pub fn win_rates(&self) -> Vec<f64> {
        let m = self.methods as f64;
        self.ranks().iter().map(|rank| 1.0 - (rank - 0.5) / m).collect()
    }

    /// Row by row, on how many more problems method i is better than method j than the other way round.
    ///
    /// ```text
    /// Nᵢⱼ = #(eᵢ < eⱼ) − #(eᵢ > eⱼ),   rankᵢ = (m + 1)/2 − Σⱼ Nᵢⱼ/(2·problems)
    /// ```
    #[must_use]
    pub fn net_wins(&self) -> Vec<i64> {
        let m = self.methods;
        let mut net = vec![0; m * m];
        for row in self.rows() {
            for i in 0..m {
                for j in 0..m {
                    net[i * m + j] += 1 - comp(row[i], row[j]) as i64;
                }
            }
        }
        net
    }
}

/// Twice comp(a, b): 0, 1, 2 for a < b, a = b, a > b.
fn comp(a: f64, b: f64) -> u64 {
    if a < b {
        0
    } else if a > b {
        2
    } else {
        1
    }
}
