//! A backend that is watched: which verb ran where.

use std::fmt;

use infill::backend::{
    Backend, Cross, Evidence, EvidenceMany, Gram, Means, Pooling, Said, Score, ScreenSobol,
};
use infill::{Error, Real};
use infill_gpu::WithFallback;

/// The verbs of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Gram,
    Cross,
    Factor,
    Solve,
    Invert,
    Evidence,
    Score,
    EvidenceMany,
    ScreenSobol,
    Means,
    Pool,
}

const VERBS: [(Verb, &str); 11] = [
    (Verb::Gram, "gram"),
    (Verb::Cross, "cross"),
    (Verb::Factor, "factor"),
    (Verb::Solve, "solve"),
    (Verb::Invert, "invert"),
    (Verb::Evidence, "evidence"),
    (Verb::Score, "score"),
    (Verb::EvidenceMany, "evidence_many"),
    (Verb::ScreenSobol, "screen_sobol"),
    (Verb::Means, "means"),
    (Verb::Pool, "pool"),
];

/// Calls of one verb, by whether the device had anything to do with them, and what it dispatched for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    device: u64,
    cpu: u64,
    dispatches: u64,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen([Count; 11]);

impl Seen {
    /// The verbs that ran on the device, in their order.
    pub(crate) fn on_device(&self) -> Vec<Verb> {
        VERBS
            .into_iter()
            .zip(self.0)
            .filter(|(_, count)| count.dispatches > 0)
            .map(|(verb, _)| verb.0)
            .collect()
    }

    pub(crate) fn dispatches(&self) -> u64 {
        self.0.iter().map(|count| count.dispatches).sum()
    }

    /// Calls that the device had to do with.
    pub(crate) fn device(&self) -> u64 {
        self.0.iter().map(|count| count.device).sum()
    }

    /// Calls of any verb, wherever they were answered.
    pub(crate) fn calls(&self) -> u64 {
        self.0.iter().map(|count| count.device + count.cpu).sum()
    }
}

/// `device: gram 3 | cpu: gram 1, evidence 20`, in calls.
impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |calls: &dyn Fn(&Count) -> u64| {
            let named = VERBS.iter().zip(&self.0).filter(|(_, count)| calls(count) > 0);
            let words: Vec<String> =
                named.map(|((_, name), count)| format!("{name} {}", calls(count))).collect();
            if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
        };
        write!(f, "device: {} | cpu: {}", list(&|count| count.device), list(&|count| count.cpu))
    }
}

/// A device with the CPU beside it, watched.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) backend: WithFallback,
    seen: Seen,
}

impl Watch {
    pub(crate) fn new(backend: WithFallback) -> Self {
        Self { backend, seen: Seen::default() }
    }

    /// What was counted since the last time.
    pub(crate) fn take(&mut self) -> Seen {
        std::mem::take(&mut self.seen)
    }

    fn dispatches(&self) -> u64 {
        self.backend.gpu.gpu().map_or(0, |gpu| gpu.counters().dispatches)
    }

    fn call<T>(&mut self, verb: Verb, call: impl FnOnce(&mut WithFallback) -> T) -> T {
        let before = self.dispatches();
        let answer = call(&mut self.backend);
        let more = self.dispatches() - before;
        let count = &mut self.seen.0[verb as usize];
        count.dispatches += more;
        if more > 0 {
            count.device += 1
        } else {
            count.cpu += 1
        }
        answer
    }
}

impl<R: Real> Backend<R> for Watch {
    fn gram(&mut self, r: &Gram<'_, R>, o: &mut [R], w: &mut [R]) -> Result<(), Error> {
        self.call(Verb::Gram, |backend| backend.gram(r, o, w))
    }

    fn cross(&mut self, r: &Cross<'_, R>, o: &mut [R], w: &mut [R]) -> Result<(), Error> {
        self.call(Verb::Cross, |backend| backend.cross(r, o, w))
    }

    fn factor(&mut self, m: &mut [R], n: usize) -> Result<(), Error> {
        self.call(Verb::Factor, |backend| backend.factor(m, n))
    }

    fn solve(&mut self, f: &[R], n: usize, s: &mut [R]) -> Result<(), Error> {
        self.call(Verb::Solve, |backend| backend.solve(f, n, s))
    }

    fn invert(&mut self, f: &[R], n: usize, o: &mut [R]) -> Result<(), Error> {
        self.call(Verb::Invert, |backend| backend.invert(f, n, o))
    }

    fn evidence(&mut self, r: &Evidence<'_, R>, g: &mut [R], f: &mut [R], w: &mut [R]) -> Result<R, Error> {
        self.call(Verb::Evidence, |backend| backend.evidence(r, g, f, w))
    }

    fn score(&mut self, r: &Score<'_, R>, o: &mut [R], w: &mut [R]) -> Result<(), Error> {
        self.call(Verb::Score, |backend| backend.score(r, o, w))
    }

    fn evidence_many(
        &mut self,
        r: &EvidenceMany<'_, R>,
        o: &mut [R],
        f: &mut [R],
        w: &mut [R],
    ) -> Result<(), Error> {
        self.call(Verb::EvidenceMany, |backend| backend.evidence_many(r, o, f, w))
    }

    fn screen_sobol(
        &mut self,
        r: &ScreenSobol<'_, R>,
        x: &mut [R],
        o: &mut [R],
        w: &mut [R],
    ) -> Result<Option<usize>, Error> {
        self.call(Verb::ScreenSobol, |backend| backend.screen_sobol(r, x, o, w))
    }

    fn means(
        &mut self,
        r: &Means<'_, R>,
        o: &mut [R],
        w: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        self.call(Verb::Means, |backend| backend.means(r, o, w, each))
    }

    fn pool(
        &mut self,
        r: &Means<'_, R>,
        pooling: Pooling<R>,
        o: &mut [R],
        f: &mut [R],
        w: &mut [R],
    ) -> Result<(), Error> {
        self.call(Verb::Pool, |backend| backend.pool(r, pooling, o, f, w))
    }

    fn screens(&self) -> bool {
        Backend::<R>::screens(&self.backend)
    }
}
