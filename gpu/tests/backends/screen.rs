//! Candidates that the device scores, and of which only the best come back.

use crate::support::bounds::Errors;
use crate::support::{Model, Program, device, options, rules};
use crate::{NOISE, ard, limits};
use infill::acquisition::Acquisition;
use infill::backend::{Backend, Score, ScreenSobol, Sobol};
use infill::linalg::packed;
use infill::space::sobol::Sequence;
use infill::{Plain, Trend};
use infill_gpu::{Candidates, Screen};

/// The winners are the CPU's choice, or no worse by more than the errors of the two scores; nothing but they comes back.
#[test]
fn a_screen_chooses_as_the_cpu_does() {
    let Some(mut gpu) = device(&limits(400), &options(None)) else { return };
    let (dims, n, count) = (4, 400, 5000);
    let kernel = ard(dims);
    let program = Program::new(&kernel, dims);
    let tape = program.tape();
    let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Constant, NOISE);
    let posterior = model.posterior();
    let best = model.y.iter().copied().fold(f64::INFINITY, f64::min);
    let sequence = Sequence { seed: 7 };
    let first = 3;
    let all: Vec<f64> =
        (0..count).flat_map(|i| (0..dims).map(move |k| sequence.coordinate(first + i, k))).collect();
    let mut work = model.work(256);
    for rule in rules::<f64>() {
        let mut scores = vec![0.0; count as usize];
        let request = Score { tape, posterior: &posterior, acquisition: rule, best, points: &all };
        Plain.score(&request, &mut scores, &mut work).expect("scores");
        let top = (0..count as usize).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).expect("candidates");
        for (candidates, keeps) in [
            (Candidates::Sobol { sequence, first, count }, &[1, 64][..]),
            (Candidates::Given(&all), &[5][..]),
        ] {
            for &keep in keeps {
                let before = gpu.gpu.counters();
                let (posterior, acquisition) = (&posterior, rule);
                let screen = Screen { tape, posterior, acquisition, best, candidates, keep };
                let winners = gpu.screen(&screen, &mut work).expect("winners");
                let after = gpu.gpu.counters();
                assert_eq!(winners.len(), keep);
                assert!(winners.is_sorted_by(|a, b| a.score >= b.score));
                for winner in &winners {
                    assert_eq!(winner.point, all[winner.index * dims..(winner.index + 1) * dims]);
                    // In batches of another size the plain solve rounds otherwise.
                    let expected = scores[winner.index];
                    assert!(
                        (winner.score - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                        "{winner:?} {expected}"
                    );
                }
                let bound = |index: usize| {
                    let point = &all[index * dims..(index + 1) * dims];
                    let errors = Errors::at(tape, posterior, point).expect("bounds");
                    errors.score(rule, model.predict(tape, point), best)
                };
                // The device ranks each of those it kept before the best, or the best is among them: any of them will do.
                let last = winners.last().expect("winners").index;
                let allowed = bound(top) + bound(last);
                let lost = scores[top] - winners[0].score;
                assert!(lost <= allowed, "{rule:?}: {lost:.1e} below the best, allowed {allowed:.1e}");
                println!("{rule:?} keep {keep}: {lost:.1e} below the best, allowed {allowed:.1e}");
                assert_eq!(after.bytes_down - before.bytes_down, 8 * keep as u64);
                if !matches!(candidates, Candidates::Given(_)) {
                    let model = 4 * (packed(n) + n * dims + 2 * n + 2 + 40 + 34 * dims) as u64;
                    assert!(after.bytes_up - before.bytes_up <= model, "{before:?} {after:?}");
                }
            }
        }
    }
}

/// Winners of more candidates than there is room for, 2²¹, are merged on the way.
#[test]
fn many_candidates_are_screened_in_parts() {
    let options = infill_gpu::Options { batch: 4096, ..options(None) };
    let Some(mut gpu) = device(&limits(4), &options) else { return };
    let (dims, count) = (1, 2_200_000u32);
    let kernel = ard(dims);
    let program = Program::new(&kernel, dims);
    let tape = program.tape();
    let model = Model::<f64>::new(&kernel, &program, 4, dims, Trend::Zero, NOISE);
    let sequence = Sequence { seed: 7 };
    let candidates = Candidates::Sobol { sequence, first: 0, count };
    let (posterior, best) = (&model.posterior(), 0.0);
    let acquisition = Acquisition::Bound { beta: 2.0 };
    let screen = Screen { tape, posterior, acquisition, best, candidates, keep: 8 };
    let winners = gpu.screen(&screen, &mut model.work(64)).expect("winners");
    let all: Vec<f64> = (0..count).flat_map(|i| (0..dims).map(move |k| sequence.coordinate(i, k))).collect();
    let mut scores = vec![0.0; count as usize];
    for (points, scores) in all.chunks(256 * dims).zip(scores.chunks_mut(256)) {
        let request = Score { tape, posterior, acquisition, best, points };
        Plain.score(&request, scores, &mut model.work(256)).expect("scores");
    }
    assert_eq!(winners.len(), 8);
    for winner in &winners {
        assert!((winner.score - scores[winner.index]).abs() < 1e-9);
    }
    // Nineteen of twenty candidates come before the merging, and of equals the first are kept.
    assert!(winners.iter().any(|winner| winner.index < 1 << 21), "{winners:?}");
    scores.sort_by(|a, b| b.total_cmp(a));
    for (winner, score) in winners.iter().zip(scores) {
        assert!((winner.score - score).abs() < 1e-4, "{} for {score}", winner.score);
    }
}

/// What an ask of an optimizer calls.
#[test]
fn a_sobol_screen_needs_no_candidates_from_the_cpu() {
    let Some(mut gpu) = device(&limits(64), &options(None)) else { return };
    let (dims, n) = (3, 64);
    let kernel = ard(dims);
    let program = Program::new(&kernel, dims);
    let model = Model::<f64>::new(&kernel, &program, n, dims, Trend::Zero, NOISE);
    let sobol = Sobol { sequence: Sequence { seed: 1 }, count: 4096 };
    let (mut points, mut scores, mut work) = (vec![0.0; 16 * dims], vec![0.0; 16], model.work(16));
    let acquisition = Acquisition::LogImprovement { margin: 0.0 };
    let (posterior, tape) = (&model.posterior(), program.tape());
    let request = ScreenSobol { tape, posterior, acquisition, best: 0.0, sobol };
    let found = gpu.screen_sobol(&request, &mut points, &mut scores, &mut work).expect("a screen");
    assert_eq!(found, Some(16));
    let none = Plain.screen_sobol(&request, &mut points, &mut scores, &mut work);
    assert_eq!(none, Ok(None));
    assert!(scores[0] >= scores[15]);
    assert_eq!(gpu.gpu.counters().bytes_down, 16 * 8);
}
