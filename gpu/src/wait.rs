//! Waiting for a future, not forever: those of this crate are ready as soon as the driver has answered.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The value of a future; `None` if it is not there in time.
pub(crate) fn wait<F: Future>(future: F, patience: Duration) -> Option<F::Output> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let begun = Instant::now();
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
        // Whatever wakes the thread, the future is asked once more.
        let left = patience.checked_sub(begun.elapsed())?;
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_forever() {
        assert_eq!(wait(std::future::ready(3), Duration::ZERO), Some(3));
        let begun = Instant::now();
        assert_eq!(wait(std::future::pending::<u8>(), Duration::from_millis(20)), None);
        assert!(begun.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn a_late_answer_is_heard() {
        let (state, mut asked) = (Arc::new(std::sync::Mutex::new(None::<Waker>)), false);
        let other = Arc::clone(&state);
        let sleeper = thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(1));
                if let Some(waker) = other.lock().unwrap().take() {
                    return waker.wake();
                }
            }
        });
        let late = std::future::poll_fn(move |context| {
            if std::mem::replace(&mut asked, true) {
                return Poll::Ready(7);
            }
            *state.lock().unwrap() = Some(context.waker().clone());
            Poll::Pending
        });
        assert_eq!(wait(late, Duration::from_secs(600)), Some(7));
        sleeper.join().unwrap();
    }
}
