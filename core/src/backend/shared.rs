//! A backend that is lent to several, who ask it one after the other.

use core::cell::RefCell;

use super::{Backend, Cross, Evidence, EvidenceMany, Gram, Means, Pooling, Said, Score, ScreenSobol};
use crate::error::Error;
use crate::real::Real;

/// One of those whom a backend is lent to: a model and what stands beside it, which both compute for one search.
///
/// Nobody asks while another is being answered; who does is told [`Error::Backend`].
#[derive(Debug)]
pub(crate) struct Shared<'s, 'b, B: ?Sized>(pub(crate) &'s RefCell<&'b mut B>);

impl<B: ?Sized> Shared<'_, '_, B> {
    /// Asks the backend.
    fn ask<T>(&mut self, ask: impl FnOnce(&mut B) -> Result<T, Error>) -> Result<T, Error> {
        let mut backend = self.0.try_borrow_mut().map_err(|_| Error::Backend)?;
        ask(&mut **backend)
    }
}

impl<R: Real, B: Backend<R> + ?Sized> Backend<R> for Shared<'_, '_, B> {
    fn gram(&mut self, request: &Gram<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        self.ask(|backend| backend.gram(request, out, work))
    }

    fn cross(&mut self, request: &Cross<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        self.ask(|backend| backend.cross(request, out, work))
    }

    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        self.ask(|backend| backend.factor(matrix, rows))
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        self.ask(|backend| backend.solve(factor, rows, sides))
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.ask(|backend| backend.invert(factor, rows, out))
    }

    fn evidence(
        &mut self,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        self.ask(|backend| backend.evidence(request, gradient, factor, work))
    }

    fn score(&mut self, request: &Score<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        self.ask(|backend| backend.score(request, out, work))
    }

    fn evidence_many(
        &mut self,
        request: &EvidenceMany<'_, R>,
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.ask(|backend| backend.evidence_many(request, out, factor, work))
    }

    fn screens(&self) -> bool {
        self.0.try_borrow().is_ok_and(|backend| backend.screens())
    }

    fn screen_sobol(
        &mut self,
        request: &ScreenSobol<'_, R>,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        self.ask(|backend| backend.screen_sobol(request, points, out, work))
    }

    fn means(
        &mut self,
        request: &Means<'_, R>,
        room: &mut [R],
        work: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        self.ask(|backend| backend.means(request, room, work, each))
    }

    fn pool(
        &mut self,
        request: &Means<'_, R>,
        pooling: Pooling<R>,
        out: &mut [R],
        room: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        self.ask(|backend| backend.pool(request, pooling, out, room, work))
    }
}
