//! Ensembles of trees as the model of an optimizer, grown anew for each question.

use super::Models;
use crate::acquisition::Prediction;
use crate::block::Arena;
use crate::error::Error;
use crate::forest::{self, Data, Forest, Settings};
use crate::optimizer::block::Block;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;
use crate::surrogate::Surrogate;

impl<R: Real> Block<'_, R> {
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
    /// Asks the trees that were grown last.
    pub(super) fn with_trees<T>(
        self,
        ask: impl FnOnce(&mut dyn Surrogate<R>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { limits, shape, domain, bench, .. } = self;
        let forest = Forest::carve(limits.forest_size(shape.dims), &mut Arena::new(bench.trees))?;
        let mut view = forest::View { trees: forest.trees(), anchors: bench.anchors, anchored: 0 };
        if domain.conditional() {
            ask(&mut Marked { model: &mut view, domain, memory: bench.points })
        } else {
            ask(&mut view)
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
struct Marked<'a, R> {
    model: &'a mut dyn Surrogate<R>,
    domain: Domain<'a>,
    /// Room for as many points as are asked about together.
    memory: &'a mut [R],
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
