//! The hybrid backend: a GPU screens, a CPU decides.

use std::borrow::BorrowMut;

use infill::backend::{
    Backend, Cross, Evidence, EvidenceMany, Gram, Means, Pooling, Said, Score, ScreenSobol,
};
use infill::{Error, Real};

use crate::error::Fault;
use crate::gpu::{Gpu, KEEP};
use crate::matrix::widen;
use crate::means::{Rows, Share};
use crate::screen::{Candidates, Screen, Winner};

/// A device and a backend of the CPU as one: each request goes to the device if it is for it, and else to the CPU.
///
/// A fault of a [`Gpu`], or of a `&mut Gpu`, is an error; with a [`Fallback`](crate::Fallback) the CPU goes on.
///
/// ```
/// use infill::{Limits, Plain};
/// use infill_gpu::{Fault, Gpu, Hybrid, Options};
///
/// match Gpu::new(&Limits::new(2, 100), &Options::default()) {
///     Ok(gpu) => println!("{:?}", Hybrid { gpu, cpu: Plain }),
///     Err(Fault::NoAdapter) => println!("no GPU"),
///     Err(fault) => println!("{fault}"),
/// }
/// ```
#[derive(Debug)]
pub struct Hybrid<G, B> {
    /// The device.
    pub gpu: G,
    /// Who does what is not for the device.
    pub cpu: B,
}

/// A device, and what becomes of its faults.
pub trait OnFault {
    /// The answer of the device; `None` if the CPU is to answer.
    fn ask<T>(
        &mut self,
        request: impl FnOnce(&mut Gpu) -> Option<Result<T, Fault>>,
    ) -> Option<Result<T, Error>>;

    /// Why the device is of no use any more, or there is none.
    fn fault(&self) -> Option<&Fault>;

    /// Whether there is, or was, a device.
    fn is_there(&self) -> bool;
}

impl<G: BorrowMut<Gpu>> OnFault for G {
    fn ask<T>(
        &mut self,
        request: impl FnOnce(&mut Gpu) -> Option<Result<T, Fault>>,
    ) -> Option<Result<T, Error>> {
        let gpu = self.borrow_mut();
        request(gpu).map(|answer| gpu.note(answer))
    }

    fn fault(&self) -> Option<&Fault> {
        Gpu::fault(self.borrow())
    }

    fn is_there(&self) -> bool {
        true
    }
}

impl<R: Real, G: OnFault, B: Backend<R>> Backend<R> for Hybrid<G, B> {
    fn gram(&mut self, request: &Gram<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let done = self.gpu.ask(|gpu| gpu.gram(request, out));
        done.unwrap_or_else(|| self.cpu.gram(request, out, work))
    }

    fn cross(&mut self, request: &Cross<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let done = self.gpu.ask(|gpu| gpu.cross(request, out));
        done.unwrap_or_else(|| self.cpu.cross(request, out, work))
    }

    // What is replaced in place is as it was when the device fails.
    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        match self.gpu.ask(|gpu| gpu.factor(matrix, rows)) {
            None => self.cpu.factor(matrix, rows),
            Some(done) => done?.map_or(Ok(()), |row| Err(Error::NotPositiveDefinite { row })),
        }
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        let done = self.gpu.ask(|gpu| gpu.solve(factor, rows, sides));
        done.unwrap_or_else(|| self.cpu.solve(factor, rows, sides))
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.cpu.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        self.cpu.evidence(request, gradient, factor, work)
    }

    fn score(&mut self, request: &Score<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let Some(unsure) = self.gpu.ask(|gpu| gpu.score(request, out)) else {
            return self.cpu.score(request, out, work);
        };
        for winner in self.decide(request, Candidates::Given(request.points), &unsure?, work)? {
            out[winner.index] = winner.score;
        }
        Ok(())
    }

    fn evidence_many(
        &mut self,
        request: &EvidenceMany<'_, R>,
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let Some(left) = self.gpu.ask(|gpu| gpu.evidence_many(request, out)) else {
            return self.cpu.evidence_many(request, out, factor, work);
        };
        let thetas = request.tape.thetas() + 1;
        for i in left? {
            let set = EvidenceMany { sets: &request.sets[i * thetas..(i + 1) * thetas], ..*request };
            self.cpu.evidence_many(&set, &mut out[i..=i], factor, work)?;
        }
        Ok(())
    }

    fn screens(&self) -> bool {
        self.gpu.is_there() || self.cpu.screens()
    }

    fn screen_sobol(
        &mut self,
        request: &ScreenSobol<'_, R>,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        let ScreenSobol { tape, posterior, acquisition, best, sobol } = *request;
        let candidates = Candidates::Sobol { sequence: sobol.sequence, first: 0, count: sobol.count };
        let screen = Screen { tape, posterior, acquisition, best, candidates, keep: out.len().min(KEEP) };
        let chosen = self.gpu.ask(|gpu| {
            let takes = gpu.takes_scores(tape, posterior, sobol.count as usize);
            if takes { gpu.screen(&screen) } else { None }
        });
        let Some(chosen) = chosen else {
            return self.cpu.screen_sobol(request, points, out, work);
        };
        let winners = self.winners(&screen, &chosen?, work)?;
        for (i, winner) in winners.iter().enumerate() {
            points[i * tape.dims()..(i + 1) * tape.dims()].copy_from_slice(&winner.point);
            out[i] = winner.score;
        }
        Ok(Some(winners.len()))
    }

    // Nothing is said before the device has answered for all sources: who meets a fault begins anew.
    fn means(
        &mut self,
        request: &Means<'_, R>,
        room: &mut [R],
        work: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        let batch = room.len();
        let Some(rows) = self.gpu.ask(|gpu| if batch > 0 { gpu.means(request) } else { None }) else {
            return self.cpu.means(request, room, work, each);
        };
        let Rows { shares, means } = rows?;
        for (share, row) in shares.iter().zip(means.chunks_exact(means.len() / shares.len().max(1))) {
            let Share { index, weight, low, offset } = *share;
            for (b, row) in row.chunks(batch).enumerate() {
                let room = &mut room[..row.len()];
                widen(row, room);
                each(&Said { index, first: b * batch, weight, low, offset, means: room });
            }
        }
        Ok(())
    }

    fn pool(
        &mut self,
        request: &Means<'_, R>,
        pooling: Pooling<R>,
        out: &mut [R],
        room: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let Some(sums) = self.gpu.ask(|gpu| gpu.pool(request, pooling, out.len())) else {
            return self.cpu.pool(request, pooling, out, room, work);
        };
        for (out, sum) in out.iter_mut().zip(sums?) {
            *out += R::of(f64::from(sum));
        }
        Ok(())
    }
}

impl<G: OnFault, B> Hybrid<G, B> {
    /// The best candidates by the device's scores, scored again on the CPU and sorted, the best first.
    ///
    /// The first of them is the CPU's own choice among all candidates, or no worse by more than the errors of the two
    /// scores. Those that score no number are left out. Nothing crosses the bus but the model, candidates that are
    /// given, and the winners.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the model is beyond the limits of the device, or has a node that it does not know;
    /// [`Error::Shape`] if `work` has no room for one point; [`Error::Backend`], with the reason in [`OnFault::fault`].
    pub fn screen<R: Real>(
        &mut self,
        request: &Screen<'_, R>,
        work: &mut [R],
    ) -> Result<Vec<Winner<R>>, Error>
    where
        B: Backend<R>,
    {
        match self.gpu.ask(|gpu| gpu.screen(request)) {
            Some(chosen) => self.winners(request, &chosen?, work),
            None if self.gpu.fault().is_some() => Err(Error::Backend),
            None => Err(Error::Unsupported),
        }
    }

    /// The chosen, the best first.
    fn winners<R: Real>(
        &mut self,
        request: &Screen<'_, R>,
        chosen: &[usize],
        work: &mut [R],
    ) -> Result<Vec<Winner<R>>, Error>
    where
        B: Backend<R>,
    {
        let mut winners = self.decide(&request.score(), request.candidates, chosen, work)?;
        winners.retain(|winner| !winner.score.is_nan());
        winners.sort_by(|a, b| b.score.to_f64().total_cmp(&a.score.to_f64()).then(a.index.cmp(&b.index)));
        Ok(winners)
    }

    /// The CPU decides: its own scores of those candidates that the device chose, or was not sure of.
    fn decide<R: Real>(
        &mut self,
        request: &Score<'_, R>,
        candidates: Candidates<'_, R>,
        chosen: &[usize],
        work: &mut [R],
    ) -> Result<Vec<Winner<R>>, Error>
    where
        B: Backend<R>,
    {
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let dims = request.tape.dims();
        let points: Vec<R> = chosen.iter().flat_map(|&index| candidates.point(index, dims)).collect();
        let mut scores = vec![R::ZERO; chosen.len()];
        self.cpu.score(&Score { points: &points, ..*request }, &mut scores, work)?;
        let winners = chosen.iter().zip(points.chunks_exact(dims)).zip(scores);
        Ok(winners.map(|((&index, point), score)| Winner { index, point: point.to_vec(), score }).collect())
    }
}
