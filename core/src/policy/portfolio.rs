//! Entropy-search portfolio: of what several rules nominate, that which leaves the least doubt.

use super::entropy::EntropySearch;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// The rules that nominate, for both portfolios: three closed forms from greedy to bold.
#[must_use]
pub fn members<R: Real>() -> [Acquisition<R>; 3] {
    [
        Acquisition::Probability { margin: R::of(0.01) },
        Acquisition::LogImprovement { margin: R::ZERO },
        Acquisition::Bound { beta: R::TWO },
    ]
}

/// The nominee after whose trial the minimiser is expected to be least uncertain, and its score.
///
/// ```text
/// argmaxₖ −E[H[x* | y(xₖ)]] = argmaxₖ α(xₖ),   α that of entropy search
/// ```
///
/// `search` has been prepared with the same model. The first of equals is taken; `None` if no nominee has a prediction
/// that is a number. Cost: one [`EntropySearch::score`] per nominee.
///
/// # Errors
/// [`Error::Shape`] if there is no nominee or not a whole number of them, and as [`EntropySearch::score`].
///
/// # References
/// Shahriari, Wang, Hoffman, Bouchard-Côté and de Freitas, *An Entropy Search Portfolio for Bayesian Optimization*, 2014,
/// equation 5.
pub fn choose<R: Real>(
    search: &mut EntropySearch<'_, R>,
    model: &mut dyn Surrogate<R>,
    nominees: &[R],
) -> Result<Option<(usize, R)>, Error> {
    let dims = model.dims().max(1);
    if nominees.is_empty() || !nominees.len().is_multiple_of(dims) {
        return Err(Error::Shape { needed: dims });
    }
    let mut best: Option<(usize, R)> = None;
    for (i, nominee) in nominees.chunks_exact(dims).enumerate() {
        let score = search.score(model, nominee)?;
        if score > -R::MAX && best.is_none_or(|(_, most)| score > most) {
            best = Some((i, score));
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::super::support::Table;
    use super::{EntropySearch, choose, members};
    use crate::error::Error;
    use crate::rng::Generator;

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
        assert_eq!(choose(&mut search, &mut table, &[2.0]), Err(Error::NoData));
        search.prepare(&mut table, &[0.0, 1.0], 0.01, &mut Generator::new(3)).unwrap();
        let (chosen, score) = choose(&mut search, &mut table, &[4.0, 3.0, 2.0]).unwrap().unwrap();
        assert_eq!(chosen, 2);
        assert_eq!(score, search.score(&mut table, &[2.0]).unwrap());
        let without = choose(&mut search, &mut table, &[4.0, 3.0]).unwrap().unwrap();
        assert!(without.0 == 1 && without.1 < score);
        assert_eq!(choose(&mut search, &mut table, &[2.0, 2.0]).unwrap().unwrap().0, 0);
        assert!(choose(&mut search, &mut table, &[]).is_err());
        table.means[3] = f64::NAN;
        assert_eq!(choose(&mut search, &mut table, &[3.0]), Ok(None));
        assert_eq!(choose(&mut search, &mut table, &[3.0, 4.0]).unwrap().unwrap().0, 1);
        assert_eq!(members::<f32>().len(), 3);
    }
}
