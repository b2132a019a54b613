//! Meta-features: a data set for classification as a few numbers, by which others like it are found.
//!
//! ```text
//! x̃ⱼ = (xⱼ − meanⱼ)/sdⱼ,   skewnessⱼ = mean of x̃ⱼ³,   kurtosisⱼ = mean of x̃ⱼ⁴,   pᵢ = share of class i
//! ```
//!
//! They lie on scales of their own: [`scale`] puts those of several data sets between 0 and 1 before distances are taken.
//!
//! # References
//! Wistuba 2017, Table 3.4; Yogatama and Mann, *Efficient Transfer Learning Method for Automatic Hyperparameter Tuning*,
//! AISTATS 2014, for the three of [`few`].

use crate::error::Error;
use crate::real::Real;

/// How many there are.
pub const COUNT: usize = 22;

/// What each is, in the order in which [`all`] writes them.
pub const NAMES: [&str; COUNT] = [
    "classes",
    "instances",
    "log instances",
    "features",
    "log features",
    "instances per feature",
    "log instances per feature",
    "features per instance",
    "log features per instance",
    "class entropy",
    "least class probability",
    "largest class probability",
    "mean class probability",
    "deviation of class probabilities",
    "least kurtosis",
    "largest kurtosis",
    "mean kurtosis",
    "deviation of kurtosis",
    "least skewness",
    "largest skewness",
    "mean skewness",
    "deviation of skewness",
];

/// The 22 meta-features of a data set: its predictors column after column, one label for each instance.
///
/// Logarithms are natural, deviations those of a population, kurtosis is 3 for normal predictors. A predictor that is zero
/// throughout is none; one that is constant has no moments, which are 0 without any other. Labels need not be dense. Some
/// follow from others: distances are meant to see them twice.
/// Cost: O(features × instances + classes × instances).
///
/// # Errors
/// [`Error::NoData`] without instances or predictors; [`Error::Shape`] if the last column is not full;
/// [`Error::NotFinite`] for a predictor that is not.
///
/// ```
/// use infill::transfer::features;
/// let columns = [1.0, 2.0, 3.0, 6.0, 2.0, 4.0, 4.0, 10.0];
/// let all = features::all(&columns, &[0, 0, 0, 1])?;
/// assert!((all[9] - 0.5623351446_f64).abs() < 1e-10, "the entropy of its classes");
/// # Ok::<(), infill::Error>(())
/// ```
pub fn all<R: Real>(columns: &[R], labels: &[u32]) -> Result<[R; COUNT], Error> {
    let instances = labels.len();
    Error::NoData.when(instances == 0 || columns.is_empty())?;
    let needed = columns.len().next_multiple_of(instances);
    Error::Shape { needed }.when(needed != columns.len())?;
    Error::NotFinite.when(columns.iter().any(|x| !x.is_finite()))?;
    let (mut features, mut kurtosis, mut skewness) = (0.0, Spread::default(), Spread::default());
    for column in columns.chunks_exact(instances) {
        features += f64::from(u8::from(column.iter().any(|&x| x != R::ZERO)));
        if let Some([third, fourth]) = moments(column) {
            skewness.add(third);
            kurtosis.add(fourth);
        }
    }
    Error::NoData.when(features == 0.0)?;
    let (mut shares, mut entropy) = (Spread::default(), 0.0);
    let mut class = labels.iter().min();
    while let Some(label) = class {
        let share = labels.iter().filter(|other| *other == label).count() as f64 / instances as f64;
        shares.add(share);
        entropy -= share * Real::ln(share);
        class = labels.iter().filter(|other| *other > label).min();
    }
    let (n, m) = (instances as f64, features);
    let (log_n, log_m) = (Real::ln(n), Real::ln(m));
    let sizes = [shares.count, n, log_n, m, log_m, n / m, log_n - log_m, m / n, log_m - log_n, entropy];
    let spreads = [shares, kurtosis, skewness].map(|spread| spread.summary());
    let mut out = [R::ZERO; COUNT];
    for (out, value) in out.iter_mut().zip(sizes.into_iter().chain(spreads.into_iter().flatten())) {
        *out = R::of(value);
    }
    Ok(out)
}

/// The three of Yogatama and Mann among all: classes, log features, log instances per feature.
#[must_use]
pub fn few<R: Real>(all: &[R; COUNT]) -> [R; 3] {
    [all[0], all[4], all[6]]
}

/// Puts each of the meta-features of several data sets, `each` numbers for one after the other, between 0 and 1; one that is the
/// same for all becomes 0.
///
/// # Errors
/// [`Error::Shape`] if the last data set is not full or `each` is 0, [`Error::NotFinite`].
pub fn scale<R: Real>(sets: &mut [R], each: usize) -> Result<(), Error> {
    Error::Shape { needed: 1 }.when(each == 0)?;
    let needed = sets.len().next_multiple_of(each);
    Error::Shape { needed }.when(needed != sets.len())?;
    Error::NotFinite.when(sets.iter().any(|value| !value.is_finite()))?;
    for feature in 0..each.min(sets.len()) {
        let of_all = || (feature..sets.len()).step_by(each);
        let (mut lo, mut hi) = (sets[feature], sets[feature]);
        for i in of_all() {
            (lo, hi) = (lo.min(sets[i]), hi.max(sets[i]));
        }
        // Half of each, so that no difference leaves the range.
        let width = R::HALF * hi - R::HALF * lo;
        for i in of_all() {
            sets[i] = if width > R::ZERO { (R::HALF * sets[i] - R::HALF * lo) / width } else { R::ZERO };
        }
    }
    Ok(())
}

/// The third and fourth standardised moments of a predictor; none if it is constant.
fn moments<R: Real>(column: &[R]) -> Option<[f64; 2]> {
    let count = column.len() as f64;
    // They do not depend on the scale: none is so large that a power leaves the range.
    let largest = column.iter().fold(0.0, |largest, x| Real::max(largest, x.to_f64().abs()));
    let scaled = || column.iter().map(|x| x.to_f64() / largest);
    let mean = scaled().sum::<f64>() / count;
    let moment = |of: &dyn Fn(f64) -> f64| scaled().map(|x| of(x - mean)).sum::<f64>() / count;
    // What is constant may differ from its mean by rounding.
    let varies = column.iter().any(|&x| x != column[0]);
    let deviation = Real::sqrt(moment(&|d| d * d));
    (varies && deviation > 0.0).then(|| {
        let standard = |d: f64| d / deviation;
        let square = |d: f64| standard(d) * standard(d);
        [moment(&|d| square(d) * standard(d)), moment(&|d| square(d) * square(d))]
    })
}

/// Least, largest, mean and deviation of some numbers, one after the other (Welford).
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    count: f64,
    least: f64,
    largest: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        let first = self.count == 0.0;
        self.least = if first { value } else { Real::min(self.least, value) };
        self.largest = if first { value } else { Real::max(self.largest, value) };
        self.count += 1.0;
        let from = value - self.mean;
        self.mean += from / self.count;
        self.squares += from * (value - self.mean);
    }

    /// Zeros of none.
    fn summary(&self) -> [f64; 4] {
        let deviation = if self.count > 0.0 { Real::sqrt(self.squares / self.count) } else { 0.0 };
        [self.least, self.largest, self.mean, deviation]
    }
}
