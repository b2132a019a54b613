//! EGO-ws, one search over all branches together.

use super::super::Criterion;
use super::ask::{Pick, gather};
use super::block::{Branched, Offer};
use crate::backend::Backend;
use crate::block::layout::sections;
use crate::error::Error;
use crate::evolution::{Mies, Population, Strategy};
use crate::real::Real;

/// Individuals of a generation.
const OFFSPRING: usize = 28;

sections! {
    (dims: usize) {
        state: scalars[Mies::<R>::scalars(group(dims))],
        /// A generation, on the unit cube of the whole space.
        units: scalars[OFFSPRING * dims],
        /// Those of one branch, on the unit cube of its space.
        inner: scalars[OFFSPRING * dims],
        scores: scalars[OFFSPRING],
        /// Scores of those of one branch.
        part: scalars[OFFSPRING],
    }
    => object {
        /// What the search works in.
        pub(super) struct Memory {}
    }
}

const fn group(dims: usize) -> Population {
    Population { offspring: OFFSPRING, ..Population::mies(dims, OFFSPRING) }
}

impl<R: Real> Branched<'_, R> {
    /// The point of the whole space that is worth most by the model of its branch, found by one evolution strategy.
    ///
    /// ```text
    /// (v*, θ*) = argmax U_v(θ)
    /// ```
    ///
    /// It spends ⌈√branches⌉ times the candidates of one search. A branch with too little data for a model is asked first; one
    /// whose model could not be fitted, or that has no new point, is left out.
    pub(super) fn pick_jointly<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
    ) -> Result<Option<Pick>, Error> {
        let criterion = self.criterion(backend)?;
        let mut prepared = Ok(0);
        for branch in 0..self.branches {
            if !self.searches(branch) {
                continue;
            }
            let mut optimizer = self.optimizer(branch)?;
            if !optimizer.has_model()? {
                self.release()?;
                self.forget_offers();
                return Ok(Some(Pick::Ask(branch)));
            }
            match optimizer.vacant().and_then(|()| optimizer.prepare(backend)) {
                Ok(()) => {
                    self.record(branch).set_offer(Offer::Point, f64::NEG_INFINITY);
                    prepared = prepared.map(|count| count + 1);
                }
                Err(Error::NotPositiveDefinite { .. } | Error::NoData | Error::NotFinite) => {
                    self.record(branch).set_offer(Offer::Nothing, f64::NEG_INFINITY);
                }
                Err(Error::Exhausted) => self.record(branch).set_spent(true),
                Err(error) => {
                    prepared = Err(error);
                    break;
                }
            }
        }
        let found = match prepared {
            Ok(0) => Ok(None),
            Ok(count) => self.evolve(backend, criterion, count),
            Err(error) => Err(error),
        };
        self.release()?;
        // What was written there says who was prepared, and nothing of proposals.
        self.forget_offers();
        let Some((branch, worth)) = found? else {
            // Where no model has anything to say, the branch with the fewest trials asks for a random point.
            return Ok(self.fewest(|_, _, _| Ok(true))?.map(Pick::Ask));
        };
        self.record(branch).set_offer(Offer::Point, worth.to_f64());
        self.take_or_ask(branch).map(Some)
    }

    /// Writes the best point to the proposal of its branch; the branch, and what it is worth.
    fn evolve<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        count: usize,
    ) -> Result<Option<(usize, R)>, Error> {
        // Lent to the search, and given back.
        let Some(mut memory) = self.search.take() else { return Err(Error::Corrupt) };
        let found = self.evolve_in(backend, criterion, count, &mut memory);
        self.search = Some(memory);
        found
    }

    fn evolve_in<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        count: usize,
        memory: &mut Memory<'_, R>,
    ) -> Result<Option<(usize, R)>, Error> {
        let Memory { state, units, inner, scores, part } = memory;
        let (dims, mut generator) = (self.dims, self.generator()?);
        let candidates = self.config.search.global as usize + self.config.search.local as usize;
        let budget = candidates * (1..count).find(|root| root * root >= count).unwrap_or(1);
        let mut best: Option<(usize, R)> = None;
        let mut strategy = Mies::new(state, group(dims))?;
        for _ in 0..budget.div_ceil(OFFSPRING) {
            for (key, unit) in (0..).zip(units.chunks_exact_mut(dims)) {
                strategy.ask(&self.domain, &mut generator, key, unit)?;
            }
            scores.fill(R::NAN);
            for branch in 0..self.branches {
                self.score_branch(backend, criterion, branch, units, inner, scores, part)?;
            }
            for (key, (unit, &score)) in (0..).zip(units.chunks_exact(dims).zip(scores.iter())) {
                let value = if score.is_nan() { R::INFINITY } else { (-score).max(-R::MAX) };
                strategy.tell(key, value)?;
                if !score.is_nan() && best.is_none_or(|(_, most)| score > most) {
                    let branch = self.branch_of(unit);
                    let record = &self.records[self.place_of(branch)];
                    let proposal = &mut self.proposals[branch * dims..(branch + 1) * dims];
                    gather(record, unit, proposal)?;
                    best = Some((branch, score));
                }
            }
        }
        self.set_generator(&generator);
        Ok(best)
    }

    /// Scores those of a generation that belong to a branch.
    fn score_branch<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        criterion: Criterion<R>,
        branch: usize,
        units: &[R],
        inner: &mut [R],
        scores: &mut [R],
        part: &mut [R],
    ) -> Result<(), Error> {
        let record = self.record(branch);
        if record.spent() || record.offer() != Some(Offer::Point) {
            return Ok(());
        }
        let dims = self.dims;
        let record = &self.records[self.place_of(branch)];
        let (mut found, mut width) = (0, 0);
        for unit in units.chunks_exact(dims).filter(|unit| self.branch_of(unit) == branch) {
            width = gather(record, unit, &mut inner[found * width..])?;
            found += 1;
        }
        if found == 0 {
            return Ok(());
        }
        self.optimizer(branch)?.appraise(
            backend,
            criterion,
            &mut inner[..found * width],
            &mut part[..found],
        )?;
        let own = units.chunks_exact(dims).zip(scores).filter(|(unit, _)| self.branch_of(unit) == branch);
        for ((_, score), &worth) in own.zip(part.iter()) {
            *score = worth;
        }
        Ok(())
    }

    /// The branch of a point of the unit cube of the whole space.
    fn branch_of(&self, unit: &[R]) -> usize {
        let count = R::of_usize(self.branches);
        let rank = (unit[self.branching.parameter as usize] * count).floor().to_f64();
        // `as` turns negative numbers and NaN into 0.
        (rank as usize).min(self.branches.saturating_sub(1))
    }

    /// Takes back what branches believed of open trials.
    fn release(&mut self) -> Result<(), Error> {
        for branch in 0..self.branches {
            if self.is_space(branch) {
                self.optimizer(branch)?.release()?;
            }
        }
        Ok(())
    }
}
