//! Approximate surrogates, sparse processes and trees, which are fitted anew for each question.
//!
//! Nothing of them lasts but the hyperparameters, which lie with the process: a block that was saved fits the same
//! model again, to the last bit.

use super::block::Block;
use super::models::Models;
use crate::acquisition::Prediction;
use crate::block::Arena;
use crate::config::Model;
use crate::error::Error;
use crate::forest::{self, Data, Forest, Settings};
use crate::gp::Training;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;
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
                sparse.choose(&tape, &mut features())?;
                sparse.train(&tape, training, generator)
            })?;
            if every > 1 {
                sparse.forget();
            }
            table.value.copy_from_slice(sparse.theta());
        }
        // Better hyperparameters see other points as the telling ones.
        sparse.choose(&tape, &mut features())?;
        sparse.fit(&tape)
    }

    /// Fits the trees to the rows.
    #[inline(never)]
    pub(super) fn fit_trees(&mut self, settings: &Settings) -> Result<(), Error> {
        let rows = self.gp.rows();
        let (dims, domain) = (self.shape.dims, self.domain);
        let mut x = self.gp.inputs();
        if domain.conditional() {
            let marked = &mut self.bench.rows[..rows * dims];
            marked.copy_from_slice(x);
            mark_rows(&domain, marked);
            x = marked;
        }
        let levels = &mut self.bench.levels[..dims];
        forest::levels(&domain, levels)?;
        let size = self.limits.forest_size(dims);
        let mut forest = Forest::carve(size, &mut Arena::new(self.bench.trees))?;
        let data = Data { x, y: self.gp.targets(), levels };
        // Another forest for each number of rows, the same one whenever it is asked for.
        let generator =
            &mut Generator::new(self.config.seed ^ (rows as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        forest.fit(&data, settings, self.bench.growth, generator)
    }
}

impl<R: Real> Models<'_, '_, R> {
    /// Asks the sparse process or the trees that were fitted last.
    pub(super) fn with_approximate<T>(
        self,
        run: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { config, limits, shape, tape, domain, gp, bench, .. } = self;
        match config.model {
            Model::Sparse(kind) => {
                let size = limits.sparse_size(shape);
                let mut arena = Arena::new(bench.sparse);
                let mut sparse = Sparse::over(gp.data.lend(), &mut arena, kind, shape.trend, size)?;
                run(&mut sparse.view(&tape, bench.anchors)?)
            }
            Model::Trees(_) => {
                let forest = Forest::carve(limits.forest_size(shape.dims), &mut Arena::new(bench.trees))?;
                let mut view = forest::View { trees: forest.trees(), anchors: bench.anchors, anchored: 0 };
                if domain.conditional() {
                    run(&mut Marked { model: &mut view, domain, memory: bench.points })
                } else {
                    run(&mut view)
                }
            }
            Model::Process | Model::Student { .. } | Model::Baseline(_) => Err(Error::Unsupported),
        }
    }
}

/// Marks coordinates that do not matter as missing.
fn mark_rows<R: Real>(domain: &Domain<'_>, rows: &mut [R]) {
    if domain.conditional() {
        for row in rows.chunks_exact_mut(domain.dims()) {
            domain.mark(row);
        }
    }
}

/// A model that is asked about points whose coordinates that do not matter are missing.
pub(super) struct Marked<'a, R> {
    pub(super) model: &'a mut dyn Surrogate<R>,
    pub(super) domain: Domain<'a>,
    /// Room for as many points as are asked about together.
    pub(super) memory: &'a mut [R],
}

impl<R: Real> Marked<'_, R> {
    /// Marks points at the front of the memory.
    fn mark(&mut self, points: &[R]) -> Result<(), Error> {
        let Some(marked) = self.memory.get_mut(..points.len()) else {
            return Err(Error::Shape { needed: points.len() });
        };
        marked.copy_from_slice(points);
        mark_rows(&self.domain, marked);
        Ok(())
    }
}

impl<R: Real> Surrogate<R> for Marked<'_, R> {
    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let dims = self.dims();
        let together = (self.memory.len() / dims).max(1);
        let parts = means.chunks_mut(together).zip(variances.chunks_mut(together));
        for (points, (means, variances)) in points.chunks(together * dims).zip(parts) {
            self.mark(points)?;
            self.model.predict_many(&self.memory[..points.len()], means, variances)?;
        }
        Ok(())
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        self.mark(points)?;
        self.model.anchor(&self.memory[..points.len()], means, matrix)
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        self.mark(point)?;
        self.model.against(&self.memory[..point.len()], covariances)
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
        let config = Config { model: Model::Sparse(Kind::Mondrian), ..Config::default() };
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
        let budget = config.training.budget.evaluations as usize;
        let most = fitted + trees * (2 * budget + 1) * TRAINED;
        assert!(trained <= most + most / 8, "{trained} of {most}, {fitted} without");
    }
}
