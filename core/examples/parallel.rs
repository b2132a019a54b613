//! Four evaluations at a time: trials stay open while others are told, in any order.
//!
//! `cargo run --release -p infill --example parallel`

use infill::{Config, Error, Limits, Optimizer, Param, Space, State, TrialId};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

const WORKERS: usize = 4;
const EVALUATIONS: u32 = 48;
const LIMITS: Limits = Limits::new(2, EVALUATIONS).open(WORKERS as u32);
const MINIMUM: f64 = -1.031_628_453_489_877;

/// The six-hump camel, which takes its time: 4 to 19 ms, depending on where.
fn camel([x, y]: [f64; 2]) -> f64 {
    thread::sleep(Duration::from_millis(4 + (x * 7919.0).abs() as u64 % 16));
    (4.0 - 2.1 * x * x + x.powi(4) / 3.0) * x * x + x * y + (4.0 * y * y - 4.0) * y * y
}

fn main() -> Result<(), Error> {
    let params = [Param::real(-2.0, 2.0), Param::real(-1.0, 1.0)];
    let space = Space::new(&params, &[])?;
    let config = Config { seed: 2, ..Config::default() };
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, LIMITS, [0; LIMITS.words::<f64>()])?;

    let start = Instant::now();
    let (questions, inbox) = mpsc::channel::<(TrialId, [f64; 2])>();
    let (outbox, answers) = mpsc::channel::<(TrialId, f64)>();
    let inbox = Mutex::new(inbox);
    let mut order = Vec::new();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            let (inbox, outbox) = (&inbox, outbox.clone());
            scope.spawn(move || {
                // A worker ends when no more questions can come.
                while let Some((id, x)) = next(inbox) {
                    if outbox.send((id, camel(x))).is_err() {
                        break;
                    }
                }
            });
        }

        let mut asked = 0;
        let mut ask = |optimizer: &mut Optimizer<f64, _>| {
            let mut x = [0.0; 2];
            let ask = optimizer.ask(&mut x)?;
            asked += 1;
            // The workers outlive this closure, so that the question is always heard.
            let _ = questions.send((ask.id, x));
            Ok::<u32, Error>(asked)
        };
        for _ in 0..WORKERS {
            ask(&mut optimizer)?;
        }
        assert_eq!(optimizer.ask(&mut [0.0; 2]), Err(Error::TooManyOpen));
        // A new question for every answer: all workers stay busy.
        for (told, (id, value)) in answers.iter().enumerate() {
            order.push(optimizer.trials().find(|t| t.id == id).map_or(0, |t| t.sequence));
            optimizer.tell(id, value)?;
            if told + WORKERS < EVALUATIONS as usize {
                ask(&mut optimizer)?;
            } else if told + 1 == EVALUATIONS as usize {
                break;
            }
        }
        drop(questions);
        Ok::<(), Error>(())
    })?;

    let overtaken = order.windows(2).filter(|pair| pair[1] < pair[0]).count();
    let best = optimizer.best().ok_or(Error::NoData)?;
    println!("  evaluations   {EVALUATIONS}, {WORKERS} at a time, {overtaken} told before an earlier one");
    println!("  best          {:.7} at ({:.5}, {:.5})", best.value, best.point[0], best.point[1]);
    println!("  minimum       {MINIMUM:.7} at ±(0.08984, −0.71266)");
    println!("  time          {:.0} ms", start.elapsed().as_secs_f64() * 1e3);

    assert!(optimizer.trials().all(|trial| trial.state == State::Done));
    assert!(best.value - MINIMUM < 1e-2, "the minimum was not found");
    Ok(())
}

/// The next question; nothing when the last was asked.
fn next(inbox: &Mutex<mpsc::Receiver<(TrialId, [f64; 2])>>) -> Option<(TrialId, [f64; 2])> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
