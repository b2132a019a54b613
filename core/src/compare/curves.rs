//! Distance to the minimum (ADTM) over the trials of a run, on problems whose whole range of values is known.

use alloc::vec;
use alloc::vec::Vec;

use super::Table;
use crate::error::Error;

/// How far one method was from the minimum of each of several problems, after each of its trials.
///
/// ```text
/// DTMₚ(t) = (min_{s ≤ t} yₚ(s) − minₚ)/(maxₚ − minₚ),   0 if maxₚ = minₚ
/// ADTM(t) = mean over problems of DTMₚ(t),   AUC-ADTM = Σₜ ADTM(t)
/// ```
///
/// # References
/// Wistuba, *Automated Machine Learning*, dissertation, Hildesheim 2017, (3.4) and (4.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    trials: usize,
    /// Trial by trial, problem after problem.
    distances: Vec<f64>,
}

impl Curves {
    /// The curves of runs of as many `trials` each, their values one run after the other, each run on a problem whose lowest
    /// and highest value are its `ranges`.
    ///
    /// Cost: O(problems × trials).
    ///
    /// # Errors
    /// [`Error::NoData`] without trials or problems, [`Error::Shape`] unless there are so many values for each range,
    /// [`Error::NotFinite`] for a value or a range that is not finite, or a range whose end is below its beginning.
    ///
    /// ```
    /// use infill::compare::Curves;
    /// let runs = [0.5, 0.2, 0.7, 0.0, 1.0, 0.5, 0.5, 0.5];
    /// let curves = Curves::new(4, &runs, &[(0.0, 1.0), (0.0, 1.0)])?;
    /// assert_eq!(curves.adtm(), [0.75, 0.35, 0.35, 0.25]);
    /// assert_eq!(curves.unsolved(), [1.0, 1.0, 1.0, 0.5]);
    /// # Ok::<(), infill::Error>(())
    /// ```
    pub fn new(trials: usize, values: &[f64], ranges: &[(f64, f64)]) -> Result<Self, Error> {
        Error::NoData.when(trials == 0 || ranges.is_empty())?;
        let needed = trials.saturating_mul(ranges.len());
        Error::Shape { needed }.when(values.len() != needed)?;
        let ordered = |&(lo, hi): &(f64, f64)| lo.is_finite() && hi.is_finite() && lo <= hi;
        Error::NotFinite.when(!ranges.iter().all(ordered) || values.iter().any(|v| !v.is_finite()))?;
        let mut distances = Vec::with_capacity(needed);
        for (run, &range) in values.chunks_exact(trials).zip(ranges) {
            let mut lowest = f64::INFINITY;
            distances.extend(run.iter().map(|&value| {
                lowest = lowest.min(value);
                distance(lowest, range)
            }));
        }
        Ok(Self { trials, distances })
    }

    /// What random search without repetition is expected to have on finite problems, given all values of each.
    ///
    /// ```text
    /// E min_{s ≤ t} y(s) = y₍₁₎ + Σᵢ (y₍ᵢ₊₁₎ − y₍ᵢ₎) Πⱼ₌₀^{t−1} (n − i − j)/(n − j)
    /// ```
    ///
    /// Cost: O(n · trials) for each problem.
    ///
    /// # Errors
    /// As [`Curves::new`]; [`Error::Shape`] for a problem of fewer values than trials.
    pub fn of_random_search<T: AsRef<[f64]>>(trials: usize, problems: &[T]) -> Result<Self, Error> {
        Error::NoData.when(trials == 0 || problems.is_empty())?;
        let mut distances = Vec::with_capacity(trials.saturating_mul(problems.len()));
        for problem in problems {
            let mut values = problem.as_ref().to_vec();
            Error::Shape { needed: trials }.when(values.len() < trials)?;
            Error::NotFinite.when(values.iter().any(|v| !v.is_finite()))?;
            values.sort_unstable_by(f64::total_cmp);
            let range = (values[0], values[values.len() - 1]);
            let count = values.len() as f64;
            // The chance that the i lowest are not among the first t.
            let mut missed = vec![1.0; values.len() - 1];
            for t in 0..trials {
                let mut expected = range.0;
                for (i, missed) in missed.iter_mut().enumerate() {
                    let left = count - t as f64;
                    *missed *= (left - (i + 1) as f64).max(0.0) / left;
                    expected += *missed * (values[i + 1] - values[i]);
                }
                distances.push(distance(expected, range));
            }
        }
        Ok(Self { trials, distances })
    }

    /// How many trials each run has.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.trials
    }

    /// The distances on each problem, trial by trial.
    pub fn problems(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.distances.chunks_exact(self.trials)
    }

    /// The average distance to the minimum (ADTM) after each trial.
    #[must_use]
    pub fn adtm(&self) -> Vec<f64> {
        self.average(|distance| distance)
    }

    /// The area under the curve of [`Curves::adtm`]: its sum over the trials.
    #[must_use]
    pub fn auc(&self) -> f64 {
        self.adtm().iter().sum()
    }

    /// The share of problems whose minimum was not found, after each trial.
    #[must_use]
    pub fn unsolved(&self) -> Vec<f64> {
        self.average(|distance| f64::from(u8::from(distance > 0.0)))
    }

    /// The average rank of each of several methods after each trial, method by method; equal distances share a rank.
    ///
    /// # Errors
    /// [`Error::NoData`] for fewer than two methods, [`Error::Shape`] if they differ in trials or problems.
    pub fn ranks(methods: &[Self]) -> Result<Vec<Vec<f64>>, Error> {
        let first = methods.first().ok_or(Error::NoData)?;
        let (trials, needed) = (first.trials, first.distances.len());
        let alike = |other: &Self| other.trials == trials && other.distances.len() == needed;
        Error::Shape { needed }.when(!methods.iter().all(alike))?;
        let mut curves = vec![Vec::with_capacity(trials); methods.len()];
        for t in 0..trials {
            let places = (t..needed).step_by(trials);
            let values: Vec<f64> =
                places.flat_map(|at| methods.iter().map(move |method| method.distances[at])).collect();
            for (curve, rank) in curves.iter_mut().zip(Table::new(methods.len(), &values)?.ranks()) {
                curve.push(rank);
            }
        }
        Ok(curves)
    }

    fn average(&self, of: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.trials];
        for curve in self.problems() {
            for (sum, &distance) in sums.iter_mut().zip(curve) {
                *sum += of(distance);
            }
        }
        let problems = self.problems().len() as f64;
        sums.iter().map(|sum| sum / problems).collect()
    }
}

/// A value between the lowest and the highest, from 0 to 1.
fn distance(value: f64, (lowest, highest): (f64, f64)) -> f64 {
    if highest > lowest { (value - lowest) / (highest - lowest) } else { 0.0 }
}
