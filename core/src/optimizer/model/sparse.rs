//! Sparse processes as the model of an optimizer, fitted anew for each question.
//!
//! Nothing of them lasts but the hyperparameters, which lie with the process: a block that was saved fits the same
//! model again, to the last bit.

use super::Models;
use crate::block::Arena;
use crate::error::Error;
use crate::gp::Training;
use crate::optimizer::block::Block;
use crate::real::Real;
use crate::rng::Generator;
use crate::sparse::{Kind, Sparse};
use crate::surrogate::Surrogate;

/// Rows that Mondrian trees are trained with, at most: each evaluation sends each of them down every tree.
const TRAINED: usize = 1 << 11;

impl<R: Real> Block<'_, R> {
    /// Fits the sparse process to the rows; trains it first if there is something to train with.
    ///
    /// Trees are trained with every k-th row, k the least that leaves no more than [`TRAINED`]. Their cost: as many ways
    /// down a tree as evaluations times features times those rows, and features times rows for the fit.
    #[inline(never)]
    pub(super) fn fit_sparse(
        &mut self,
        kind: Kind,
        training: Option<(&Training, &mut Generator)>,
    ) -> Result<(), Error> {
        let (tape, trend, size) = (self.tape, self.shape.trend, self.limits.sparse_size(self.shape));
        let seed = self.config.seed;
        let rows = self.gp.rows();
        let few = kind == Kind::Mondrian && training.is_some();
        let every = if few { rows.div_ceil(TRAINED).max(1) } else { 1 };
        // The data lie with the process, and so do the hyperparameters.
        let (data, table) = self.gp.data_and_table();
        let mut sparse = Sparse::over(data, &mut Arena::new(self.bench.sparse), kind, trend, size)?;
        sparse.forget();
        sparse.theta_table().copy_from(table);
        // The same waves and the same first point throughout a run.
        let features = || Generator::new(seed);
        if let Some((training, generator)) = training {
            sparse.with_every(every, |sparse| {
                sparse.choose(tape, &mut features())?;
                sparse.train(tape, training, generator)
            })?;
            if every > 1 {
                sparse.forget();
            }
            table.value.copy_from_slice(sparse.theta());
        }
        // Better hyperparameters see other points as the telling ones.
        sparse.choose(tape, &mut features())?;
        sparse.fit(tape)
    }
}

impl<R: Real> Models<'_, '_, R> {
    /// Asks the sparse process that was fitted last.
    pub(super) fn with_sparse<T>(
        self,
        kind: Kind,
        ask: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { limits, shape, tape, gp, bench, .. } = self;
        let (size, arena) = (limits.sparse_size(shape), &mut Arena::new(bench.sparse));
        let mut sparse = Sparse::over(gp.data.lend(), arena, kind, shape.trend, size)?;
        ask(&mut sparse.view(tape, bench.anchors)?)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::TRAINED;
    use crate::config::{Config, Model};
    use crate::limits::Limits;
    use crate::optimizer::Optimizer;
    use crate::rng::{self, Generator};
    use crate::space::{Param, Space};
    use crate::sparse::{Kind, ways_gone};

    /// The first ask after many observations: a budget of evaluations, each of which looks at [`TRAINED`] rows twice, a
    /// fit of all rows, and a search that does not depend on them.
    #[test]
    fn trees_do_not_train_with_more_rows_than_they_may() {
        let (rows, trees) = (8 * TRAINED, 8);
        let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
        let space = Space::new(&params, &[]).unwrap();
        let config = Config::default().with(|c| c.surrogate.model = Model::Sparse(Kind::Mondrian));
        let limits = Limits::new(2, rows as u32 + 2).features(trees as u32).suit(&config);
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
        let mut generator = Generator::new(1);
        for _ in 0..rows {
            let x: [f64; 2] = [rng::uniform(&mut generator), rng::uniform(&mut generator)];
            optimizer.observe(&x, (x[0] - 0.3) * (x[0] - 0.3) + (5.0 * x[1]).sin()).unwrap();
        }
        let mut x = [0.0; 2];
        ways_gone();
        let first = optimizer.ask(&mut x).unwrap();
        let trained = ways_gone();
        optimizer.tell(first.id, 1.0).unwrap();
        optimizer.ask(&mut x).unwrap();
        // Without training: the fit and the search.
        let fitted = ways_gone();
        assert!(fitted >= trees * rows);
        let budget = config.surrogate.training.budget.evaluations as usize;
        let most = fitted + trees * (2 * budget + 1) * TRAINED;
        assert!(trained <= most + most / 8, "{trained} of {most}, {fitted} without");
    }
}
