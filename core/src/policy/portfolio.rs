//! Entropy-search portfolio: of what several rules nominate, that which leaves the least doubt.

use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// The rules that nominate, for both portfolios: three closed forms from greedy to bold.
pub(crate) fn members<R: Real>() -> [Acquisition<R>; 3] {
    [
        Acquisition::Probability { margin: R::of(0.01) },
        Acquisition::LogImprovement { margin: R::ZERO },
        Acquisition::Bound { beta: R::TWO },
    ]
}

/// Adds the weighted score of each nominee by a function that was prepared for the model: for a portfolio, how much its trial
/// is expected to tell about the minimiser.
///
/// ```text
/// argmaxₖ −E[H[x* | y(xₖ)]] = argmaxₖ α(xₖ),   α that of entropy search
/// ```
///
/// Cost: one score per nominee.
///
/// # Errors
/// As [`AcquisitionFunction::score`].
///
/// # References
/// Shahriari, Wang, Hoffman, Bouchard-Côté and de Freitas, *An Entropy Search Portfolio for Bayesian Optimization*, 2014,
/// equation 5.
pub(crate) fn add_scores<R: Real>(
    function: &mut dyn AcquisitionFunction<R>,
    model: &mut dyn Surrogate<R>,
    nominees: &[R],
    weight: R,
    sums: &mut [R],
) -> Result<(), Error> {
    for (sum, nominee) in sums.iter_mut().zip(nominees.chunks_exact(model.dims().max(1))) {
        *sum += weight * function.score(model, nominee)?;
    }
    Ok(())
}

/// The nominee of the largest sum, the first of equals.
pub(crate) fn best<R: Real>(sums: &[R]) -> Option<usize> {
    (0..sums.len()).reduce(|a, b| if sums[b] > sums[a] { b } else { a })
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::EntropySearch;
    use super::super::tests::support::Table;
    use super::{add_scores, best, members};
    use crate::error::Error;
    use crate::rng::Generator;
    use crate::surrogate::AcquisitionFunction;

    /// Two representers and three nominees: one that decides between them, one that half does, one that does not.
    #[test]
    fn the_decisive_nominee_is_chosen() {
        let matrix = [
            1.0, 0.0, 0.7, 0.3, 0.0, //
            0.0, 1.0, -0.7, -0.3, 0.0, //
            0.7, -0.7, 1.0, 0.0, 0.0, //
            0.3, -0.3, 0.0, 1.0, 0.0, //
            0.0, 0.0, 0.0, 0.0, 1.0,
        ];
        let mut table = Table::new(&[0.0, 0.0, 9.0, 0.0, -9.0], &matrix);
        let mut memory = vec![0.0; EntropySearch::<f64>::scalars(2, 500, 8)];
        let mut search = EntropySearch::new(&mut memory, 2, 500, 8).unwrap();
        let mut sums = [0.0; 3];
        assert_eq!(add_scores(&mut search, &mut table, &[2.0], 1.0, &mut sums), Err(Error::NoData));
        search.prepare(&mut table, &[0.0, 1.0], 0.01, &mut Generator::new(3)).unwrap();
        add_scores(&mut search, &mut table, &[4.0, 3.0, 2.0], 0.5, &mut sums).unwrap();
        assert_eq!(best(&sums), Some(2));
        assert_eq!(sums[2], 0.5 * search.score(&mut table, &[2.0]).unwrap());
        assert_eq!(best(&sums[..2]), Some(1));
        assert!(sums[1] < sums[2]);
        assert_eq!(best(&[1.0, 1.0]), Some(0));
        assert_eq!(best::<f64>(&[]), None);
        // A prediction that is no number is never chosen.
        table.means[3] = f64::NAN;
        let mut sums = [0.0; 2];
        add_scores(&mut search, &mut table, &[3.0, 4.0], 1.0, &mut sums).unwrap();
        assert_eq!(best(&sums), Some(1));
        assert_eq!(members::<f32>().len(), 3);
    }
}
