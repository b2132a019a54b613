//! Random damage and random programs of calls: never a panic, never a hang, never a proposal out of range.
//!
//! `INFILL_FUZZ_CASES` says how many cases of each kind; without it a few thousand, a million for the ignored
//! tests. `INFILL_FUZZ_FIRST` says which case is the first, to look at one again.

mod blocks;
mod choices;
mod layout;
mod programs;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any case may take, even on a slow machine and with the largest budgets that are accepted.
const HANG: Duration = Duration::from_secs(120);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs the cases on two threads; names the one that panics or hangs.
fn run(kind: &str, default: u64, case: impl Fn(u64) -> bool + Sync) {
    let first = number("INFILL_FUZZ_FIRST").unwrap_or(0);
    let count = number("INFILL_FUZZ_CASES").unwrap_or(default);
    let (next, alive) = (AtomicU64::new(first), AtomicU64::new(0));
    let running = [const { Mutex::new(None) }; 2];
    let slowest = Mutex::new((Duration::ZERO, 0));
    let work = |current: &Mutex<Option<(u64, Instant)>>| {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                break;
            }
            let start = Instant::now();
            *lock(current) = Some((seed, start));
            let named = Named { kind, seed, current };
            alive.fetch_add(u64::from(case(seed)), Ordering::Relaxed);
            drop(named);
            let mut slowest = lock(&slowest);
            *slowest = slowest.max((start.elapsed(), seed));
        }
    };
    std::thread::scope(|scope| {
        let workers = running.each_ref().map(|current| scope.spawn(|| work(current)));
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            for current in &running {
                if let Some((seed, _)) = lock(current).filter(|(_, start)| start.elapsed() > HANG) {
                    eprintln!("{kind}, case {seed}: hangs");
                    std::process::abort();
                }
            }
        }
    });
    let (alive, slowest) = (alive.into_inner(), *lock(&slowest));
    println!("{kind}: {count} cases, {alive} came to life, the slowest {slowest:?}");
    assert!(alive >= count / 100, "{kind}: only {alive} of {count} cases came to life");
}

/// What a thread that panicked left behind is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says which case it was, when it panics; otherwise that none is running.
struct Named<'a> {
    kind: &'a str,
    seed: u64,
    current: &'a Mutex<Option<(u64, Instant)>>,
}

impl Drop for Named<'_> {
    fn drop(&mut self) {
        *lock(self.current) = None;
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
