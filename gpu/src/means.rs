//! The means of many sources: copied once, known by the fingerprint of their list, weighted on the device.

use infill::Real;
use infill::backend::{Inputs, Means, Member, Pooling};
use infill::kernel::Tape;

use crate::device::{Command, Job};
use crate::error::Fault;
use crate::gpu::{Gpu, kernel_flops};
use crate::stage::{Slot, Stage};
use crate::tape::{self, Words};

/// Candidates of a group.
const GROUP: usize = 64;
/// Rows of a source in one dispatch: the longest sum without a running one.
const ROWS: usize = 64;
/// Rounds of all loops of a thread that every adapter goes, with some to spare.
const ROUNDS: usize = 60_000;
/// Sources that are pooled in one dispatch at most.
const POOLED: usize = 4096;
/// A low that is further away than any mean: what a shader makes of infinity is left open by its language.
const FAR: f32 = 1e30;

/// The list whose sources are on the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    fingerprint: u64,
    /// Whether the device can answer for them.
    known: bool,
    words: Words,
    count: usize,
    dims: usize,
    /// Rows of all sources, and of each.
    rows: usize,
    each: Vec<usize>,
}

/// A source that is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share<R> {
    pub(crate) index: usize,
    pub(crate) weight: R,
    pub(crate) low: R,
    pub(crate) offset: R,
}

/// The means of the sources that are asked, a row of as many numbers as there are candidates for each.
#[derive(Clone, Debug)]
pub(crate) struct Rows<R> {
    pub(crate) shares: Vec<Share<R>>,
    pub(crate) means: Vec<f32>,
}

/// What the device is told of a way to pool: its number, and its scale.
const fn code<R: Copy>(pooling: Pooling<R>) -> (u32, Option<R>) {
    match pooling {
        Pooling::Mean { scale } => (0, Some(scale)),
        Pooling::Gain => (1, None),
        Pooling::Least => (2, None),
    }
}

/// The names of the numbers.
pub(crate) const POOLS: [&str; 3] = ["POOL_MEAN", "POOL_GAIN", "POOL_LEAST"];

impl Gpu {
    /// What becomes of the means at each candidate; `None` if that is for the CPU.
    pub(crate) fn pool<R: Real>(
        &mut self,
        request: &Means<'_, R>,
        pooling: Pooling<R>,
        count: usize,
    ) -> Option<Result<Vec<f32>, Fault>> {
        if request.size(Some(count)).is_err() {
            return None;
        }
        self.takes_means(request).map(|shares| {
            let (rule, scale) = code(pooling);
            let parameter = scale.map_or(0.0, |scale| scale.to_f64() as f32);
            let mut out = vec![0.0f32; count];
            let dims = request.dims;
            let shares = shares?;
            for (points, out) in request.points.chunks(self.batch * dims).zip(out.chunks_mut(self.batch)) {
                let size = out.len();
                self.put_means(points, &shares)?;
                let mut commands = Vec::new();
                for (first, some) in self.parts(&shares, size) {
                    commands.extend(self.mean_commands(some, first, size));
                    let (step, first) = (some.len() as u32, first as u32);
                    let job = Job { first, step, rule, parameter, ..self.job(0, size, dims) };
                    let groups = [size.div_ceil(GROUP) as u32, 1, 1];
                    let flops = (4 * size * some.len()) as u64;
                    commands.push(Command { stage: Stage::Pool, single: None, job, groups, flops });
                }
                self.device.run(&commands, Slot::Results, 0, out)?;
            }
            Ok(out)
        })
    }

    /// The means of each source that is asked at all candidates; `None` if they are for the CPU.
    pub(crate) fn means<R: Real>(&mut self, request: &Means<'_, R>) -> Option<Result<Rows<R>, Fault>> {
        let count = request.size(None).ok().filter(|count| *count > 0)?;
        self.takes_means(request).map(|shares| {
            let shares = shares?;
            let mut means = vec![0.0f32; shares.len() * count];
            for (b, points) in request.points.chunks(self.batch * request.dims).enumerate() {
                let size = points.len() / request.dims;
                self.put_means(points, &shares)?;
                for (first, some) in self.parts(&shares, size) {
                    let commands = self.mean_commands(some, first, size);
                    let mut here = vec![0.0f32; some.len() * size];
                    self.device.run(&commands, Slot::Sides, 0, &mut here)?;
                    for (row, here) in means.chunks_exact_mut(count).skip(first).zip(here.chunks_exact(size))
                    {
                        row[b * self.batch..][..size].copy_from_slice(here);
                    }
                }
            }
            Ok(Rows { shares, means })
        })
    }

    /// The sources that are asked, if they are on the device now; `None` if they are for the CPU. Counts the answer.
    fn takes_means<R: Real>(&mut self, request: &Means<'_, R>) -> Option<Result<Vec<Share<R>>, Fault>> {
        let (mut shares, mut rows) = (Vec::new(), 0);
        let visited = (request.members)(&mut |index, member| {
            let Member { weight, low, offset, .. } = *member;
            if weight != R::ZERO {
                shares.push(Share { index, weight, low, offset });
                rows += member.inputs.rows;
            }
            Ok(())
        });
        let count = request.points.len() / request.dims.max(1);
        let worth = kernel_flops(rows, count, request.dims) >= self.worth;
        let mut takes = visited.is_ok() && !shares.is_empty() && request.dims <= self.dims && worth;
        if takes && (self.sources.fingerprint, self.sources.count) != (request.fingerprint, request.count) {
            match self.put_sources(request) {
                Ok(()) => {}
                Err(fault) => return Some(Err(fault)),
            }
        }
        takes &= self.sources.known;
        let counters = &mut self.device.counters;
        *(if takes { &mut counters.answered } else { &mut counters.declined }) += 1;
        takes.then_some(Ok(shares))
    }

    /// Copies the sources of a list, or notes that they are not for the device: it takes those of one kernel that its shaders know.
    fn put_sources<R: Real>(&mut self, request: &Means<'_, R>) -> Result<(), Fault> {
        let fingerprint = request.fingerprint;
        self.sources = Sources { fingerprint, count: request.count, ..Sources::default() };
        let (mut thetas, mut places, mut points, mut weights) = (vec![], vec![], vec![], vec![]);
        let (mut first, mut known, mut each) = (Words::default(), true, Vec::new());
        let visited = (request.members)(&mut |_, member| {
            let Member { tape, inputs: Inputs { theta, x, rows, .. }, alpha, offset, .. } = *member;
            let fits = x.len() == rows * request.dims && alpha.len() == rows && theta.len() >= tape.thetas();
            known &= fits && tape.dims() == request.dims && tape::is_known(tape);
            if known {
                let own = kernel(tape);
                if each.is_empty() {
                    first = own.clone();
                }
                known = own == first;
                thetas.extend_from_slice(&theta[..tape.thetas()]);
                let before: usize = each.iter().sum();
                places.extend([before as u32, rows as u32, (offset.to_f64() as f32).to_bits()]);
                points.extend(x.iter().map(|value| (value.to_f64() as f32).to_bits()));
                weights.extend(alpha.iter().map(|value| (value.to_f64() as f32).to_bits()));
                each.push(rows);
            }
            Ok(())
        });
        if visited.is_err() || !known || each.len() != request.count {
            return Ok(());
        }
        let mut words = first;
        words.push_thetas(&thetas);
        let copied = std::mem::take(&mut words.words);
        let all = [copied, places, points, weights].concat();
        if !self.device.reserve(Slot::Sources, 4 * all.len() as u64)?
            || !self.device.reserve(Slot::Shares, 12 * request.count as u64)?
        {
            return Ok(());
        }
        self.device.upload(Slot::Sources, &all)?;
        self.spoil(Slot::Shares);
        let (rows, dims, count) = (each.iter().sum(), request.dims, request.count);
        self.sources = Sources { fingerprint, known: true, words, count, dims, rows, each };
        Ok(())
    }

    /// Copies candidates and weights.
    fn put_means<R: Real>(&mut self, points: &[R], shares: &[Share<R>]) -> Result<(), Fault> {
        self.put(Slot::Candidates, &[points])?;
        let words: Vec<u32> = shares
            .iter()
            .flat_map(|share| {
                let [weight, low] = [share.weight, share.low].map(|value| value.to_f64() as f32);
                [share.index as u32, weight.to_bits(), low.clamp(-FAR, FAR).to_bits()]
            })
            .collect();
        self.put_words(Slot::Shares, words)
    }

    /// As many sources at a time as have room for their means at so many candidates, with the place of the first.
    fn parts<'s, R>(
        &self,
        shares: &'s [Share<R>],
        size: usize,
    ) -> impl Iterator<Item = (usize, &'s [Share<R>])> + use<'s, R> {
        let together = (self.sides / size).clamp(1, POOLED);
        shares.chunks(together).enumerate().map(move |(part, some)| (part * together, some))
    }

    /// The means of some of the sources that are asked at the candidates in their buffer, into that of the sides.
    fn mean_commands<R>(&self, some: &[Share<R>], first: usize, size: usize) -> Vec<Command> {
        let Sources { words, rows, count, each, dims, .. } = &self.sources;
        let dims = *dims;
        let longest = some.iter().map(|share| each[share.index]).max().unwrap_or(0);
        let keep = rows_at_once(words.nodes as usize, dims);
        let job = Job {
            rows: *rows as u32,
            nodes: words.nodes,
            lists: words.lists,
            theta: words.theta,
            thetas: words.thetas,
            first: first as u32,
            keep: keep as u32,
            batch: *count as u32,
            ..self.job(0, size, dims)
        };
        let groups = [size.div_ceil(GROUP) as u32, some.len() as u32, 1];
        let command = |step: usize| {
            let here: usize = some.iter().map(|share| each[share.index].saturating_sub(step).min(keep)).sum();
            let flops = kernel_flops(here, size, dims) + (2 * here * size) as u64;
            let job = Job { step: step as u32, ..job };
            Command { stage: Stage::SourceMeans, single: words.single, job, groups, flops }
        };
        (0..longest).step_by(keep).map(command).collect()
    }
}

/// Rows that a thread sums up in one dispatch: as many as its loops, over nodes and coordinates, have rounds for.
pub(crate) fn rows_at_once(nodes: usize, dims: usize) -> usize {
    (ROUNDS / (1 + nodes * (2 + dims))).clamp(1, ROWS)
}

/// The nodes and lists of a kernel in words of the device.
fn kernel(tape: Tape<'_>) -> Words {
    let mut words = Words::default();
    words.write::<f32>(tape, &[]);
    words
}
