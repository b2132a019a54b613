//! Random damage and random programs of calls: never a panic, never a hang, never a proposal out of range.
//!
//! `INFILL_FUZZ_CASES` says how many cases of each kind; without it a few thousand, a million for the ignored
//! tests. `INFILL_FUZZ_FIRST` says which case is the first, to look at one again.

mod blocks;
mod choices;
mod layout;
mod lists;
mod programs;

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A case hangs if the other thread does so many meanwhile: of damaged blocks, 4,000 take 1.4 CPU seconds, so that this is
/// some hundred. Cases are counted, not seconds, which a loaded machine stretches.
const HANG: u64 = 300_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// What a thread is at.
#[derive(Default)]
struct Worker {
    /// The case that is running, plus 1; 0 if there is none.
    running: AtomicU64,
    /// How many cases this thread has done.
    done: AtomicU64,
    /// How many the other had done when this case began.
    since: AtomicU64,
}

/// Runs the cases on two threads; names the one that panics or hangs.
fn run(kind: &str, default: u64, case: impl Fn(u64) -> bool + Sync) {
    run_some(kind, number("INFILL_FUZZ_CASES").unwrap_or(default), case);
}

/// The same for so many cases.
fn run_some(kind: &str, count: u64, case: impl Fn(u64) -> bool + Sync) {
    let first = number("INFILL_FUZZ_FIRST").unwrap_or(0);
    let (next, alive) = (AtomicU64::new(0), AtomicU64::new(0));
    let workers = [Worker::default(), Worker::default()];
    let work = |own: &Worker, other: &Worker| {
        loop {
            let place = next.fetch_add(1, SeqCst);
            let waits = other.running.load(SeqCst);
            if place >= count && waits == 0 {
                break;
            }
            if waits > 0 && own.done.load(SeqCst) - other.since.load(SeqCst) > HANG {
                eprintln!("{kind}, case {}: hangs", waits - 1);
                std::process::abort();
            }
            // While the other is at its last case, those that are done are done again: what it takes is counted in them.
            let seed = first + place % count;
            own.since.store(other.done.load(SeqCst), SeqCst);
            if place < count {
                own.running.store(seed + 1, SeqCst);
            }
            let named = Named { kind, seed, worker: own };
            let lives = case(seed);
            drop(named);
            own.done.fetch_add(1, SeqCst);
            alive.fetch_add(u64::from(lives && place < count), SeqCst);
        }
    };
    std::thread::scope(|scope| {
        let [one, two] = &workers;
        scope.spawn(|| work(one, two));
        scope.spawn(|| work(two, one));
    });
    let alive = alive.into_inner();
    println!("{kind}: {count} cases, {alive} came to life");
    assert!(alive >= count / 100, "{kind}: only {alive} of {count} cases came to life");
}

/// Says which case it was, when it panics; otherwise that none is running.
struct Named<'a> {
    kind: &'a str,
    seed: u64,
    worker: &'a Worker,
}

impl Drop for Named<'_> {
    fn drop(&mut self) {
        self.worker.running.store(0, SeqCst);
        if std::thread::panicking() {
            eprintln!("{}, case {}", self.kind, self.seed);
        }
    }
}

#[test]
fn damaged_blocks() {
    let pool = blocks::pool();
    run("damaged blocks", 4000, |seed| blocks::case(&pool, seed));
}

#[test]
fn programs_of_calls() {
    run("programs", 300, programs::case);
}

/// A case makes its sources first: each takes as long as many of the others.
fn lists_of_sources_up_to(most: u64) {
    run_some(
        "lists of sources",
        number("INFILL_FUZZ_CASES").map_or(most, |count| count.min(most)),
        lists::case,
    );
}

#[test]
fn lists_of_sources() {
    lists_of_sources_up_to(400);
}

#[test]
#[ignore = "many minutes: ./ci.sh fuzz"]
fn many_lists_of_sources() {
    lists_of_sources_up_to(100_000);
}

#[test]
#[ignore = "many minutes: ./ci.sh fuzz"]
fn a_million_damaged_blocks() {
    let pool = blocks::pool();
    run("damaged blocks", 1_000_000, |seed| blocks::case(&pool, seed));
}

#[test]
#[ignore = "many minutes: ./ci.sh fuzz"]
fn many_programs_of_calls() {
    run("programs", 20_000, programs::case);
}

#[test]
fn the_layout_is_the_one_written_here() {
    layout::matches_the_library(&blocks::pool());
}
