//! A process with branches says what the same process says whose kernel hides that it has any.

use std::vec;
use std::vec::Vec;

use crate::acquisition::Acquisition;
use crate::backend::{Backend, Objective, Score};
use crate::block::Arena;
use crate::error::Error;
use crate::gp::{Ensemble, Gp, Size, Split, Training, View};
use crate::kernel::covariance::tests::Pairs;
use crate::kernel::{Covariance, Dims, Kernel, Tape};
use crate::linalg::{append, entries_read, packed};
use crate::plain::Plain;
use crate::real::Real;
use crate::rng::Generator;
use crate::surrogate::Surrogate;
use crate::trend::Trend;

const DIMS: usize = 4;

/// Coordinate 0 names the branch, coordinate 1 is of all of them, 2 and 3 are active (not negative) in some.
fn kernel() -> Kernel {
    Kernel::matern52(Dims::range(1, 3))
        .ard()
        .times(Kernel::branch(Dims::list(&[0])))
        .unwrap()
        .times(Kernel::active(Dims::list(&[2, 3])))
        .unwrap()
        .scaled()
}

struct Words {
    nodes: [u64; 64],
    lists: [u64; 8],
}

impl Words {
    fn of(kernel: &Kernel, dims: usize) -> Self {
        let mut words = Self { nodes: [0; 64], lists: [0; 8] };
        kernel.write(dims, &mut words.nodes, &mut words.lists).unwrap();
        words
    }

    fn tape(&self, dims: usize) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, dims).unwrap()
    }
}

fn size(kernel: &Kernel, rows: usize, columns: usize) -> Size {
    Size { rows, exact: rows, dims: DIMS, thetas: kernel.thetas(DIMS).unwrap(), columns, batch: 16 }
}

/// A point of one of so many branches, few points in the later ones; the last but one has no parameters of its own.
fn point<R: Real>(branches: usize, generator: &mut Generator) -> [R; DIMS] {
    let mut draw = || crate::rng::uniform::<f64, _>(generator);
    let branch = ((draw() * draw() * branches as f64) as usize).min(branches - 1);
    let alone = branches > 2 && branch == branches - 2;
    let x: [f64; 3] = match (alone, branch % 3) {
        (true, _) => [0.5, -1.0, -1.0],
        (_, 0) => [draw(), draw(), draw()],
        (_, 1) => [draw(), draw(), -1.0],
        _ => [draw(), -1.0, draw()],
    };
    [branch as f64 / 9.0, x[0], x[1], x[2]].map(|v: f64| R::of(v))
}

fn value<R: Real>(x: &[R]) -> R {
    (R::of(5.0) * x[1]).sin() + x[0] * x[2].max(R::ZERO) - R::HALF * x[3]
}

fn close<R: Real>(a: R, b: R, tolerance: f64, what: &str) {
    let (a, b) = (a.to_f64(), b.to_f64());
    assert!((a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs())), "{what}: {a} {b}");
}

/// Everything that two fitted processes say is the same.
fn agree<R: Real>(block: &mut Gp<'_, R>, dense: &mut Gp<'_, R>, tape: Tape<'_>, seed: u64, tolerance: f64) {
    assert_eq!(block.rows(), dense.rows());
    let mut generator = Generator::new(seed);
    // The last asks for a branch that no observation has.
    let points: Vec<[R; DIMS]> =
        (0..12).map(|i| point(if i < 11 { 9 } else { 10 }, &mut generator)).collect();
    let mut unseen = points[0];
    unseen[0] = R::of(0.95);
    let points: Vec<[R; DIMS]> = points.into_iter().chain([unseen]).collect();
    let zero = [R::ZERO; DIMS];
    for point in &points {
        let (mut slopes, mut others) = ([zero, zero], [zero, zero]);
        let [first, second] = &mut slopes;
        let own = block.predict_gradient(&tape, point, first, second).unwrap();
        let [first, second] = &mut others;
        let other = dense.predict_gradient(&Pairs(&tape), point, first, second).unwrap();
        close(own.mean, other.mean, tolerance, "mean");
        close(own.variance, other.variance, tolerance, "variance");
        for (a, b) in slopes.as_flattened().iter().zip(others.as_flattened()) {
            close(*a, *b, 10.0 * tolerance, "slope");
        }
        assert_eq!(block.predict(&tape, point).unwrap(), own);
    }
    for row in 0..block.rows() {
        close(block.mean_at_row(row), dense.mean_at_row(row), tolerance, "mean at a row");
    }
    let flat = points.as_flattened();
    let count = points.len();
    let (mut means, mut matrix) = (vec![R::ZERO; count], vec![R::ZERO; packed(count)]);
    let (mut other_means, mut other) = (means.clone(), matrix.clone());
    block.predict_joint(&tape, flat, &mut means, &mut matrix).unwrap();
    dense.predict_joint(&Pairs(&tape), flat, &mut other_means, &mut other).unwrap();
    for (a, b) in means.iter().chain(&matrix).zip(other_means.iter().chain(&other)) {
        close(*a, *b, tolerance, "joint");
    }
    close(
        block.concentrated_likelihood().unwrap(),
        dense.concentrated_likelihood().unwrap(),
        10.0 * tolerance,
        "concentrated",
    );
    // Scores, anchors and their slopes.
    let acquisition = Acquisition::Improvement { margin: R::ZERO };
    let mut scores = vec![R::ZERO; count];
    let Split { posterior, work, .. } = block.split().unwrap();
    let request = Score { tape, posterior: &posterior, acquisition, best: R::ZERO, points: flat };
    Plain.score(&request, &mut scores, work).unwrap();
    let best = scores.clone();
    let columns = posterior.trend.columns(DIMS);
    let mut anchors =
        vec![R::ZERO; count * View::<R, Plain>::anchor_scalars(posterior.inputs.rows, DIMS, columns)];
    let mut view = View { backend: &mut Plain, tape, posterior, work, anchors: &mut anchors, anchored: 0 };
    view.predict_many(flat, &mut means, &mut scores).unwrap();
    for (i, point) in points.iter().enumerate() {
        let single = view.predict(point).unwrap();
        close(single.mean, means[i], tolerance, "many");
        close(single.variance, scores[i], tolerance, "many");
        close(acquisition.score(single, R::ZERO), best[i], tolerance, "score");
    }
    view.anchor(flat, &mut means, &mut matrix).unwrap();
    for (a, b) in means.iter().chain(&matrix).zip(other_means.iter().chain(&other)) {
        close(*a, *b, tolerance, "anchors");
    }
    let weights: Vec<R> = (0..count).map(|i| R::of(i as f64 / 7.0 - 1.0)).collect();
    let mut slope = zero;
    view.against_gradient(&points[3], &weights, &mut slope).unwrap();
    let step = R::of(R::EPSILON.to_f64().cbrt());
    for k in 1..DIMS {
        if points[3][k] <= step {
            continue;
        }
        let mut sum = |step: R| {
            let (mut at, mut against) = (points[3], vec![R::ZERO; count]);
            at[k] += step;
            view.against(&at, &mut against).unwrap();
            against.iter().zip(&weights).fold(0.0, |sum, (c, w)| sum + (*c * *w).to_f64())
        };
        let difference = (sum(step) - sum(-step)) / (2.0 * step.to_f64());
        let error = (difference - slope[k].to_f64()).abs();
        assert!(error < 200.0 * step.to_f64().powi(2), "{k}: {difference} {}", slope[k]);
    }
}

/// Random data, then rows more, less, and a fit anew.
fn sequences<R: Real>(trend: Trend, noise: f64, tolerance: f64) {
    let kernel = kernel();
    let words = Words::of(&kernel, DIMS);
    let tape = words.tape(DIMS);
    assert!(tape.branches());
    for branches in 1..=9 {
        let size = size(&kernel, 40, trend.columns(DIMS));
        let mut blocks = [vec![0; size.words::<R>()], vec![0; size.words::<R>()]];
        let [first, second] = &mut blocks;
        let mut block = Gp::<R>::new(&kernel, trend, size, first).unwrap();
        let mut dense = Gp::<R>::new(&kernel, trend, size, second).unwrap();
        for gp in [&mut block, &mut dense] {
            gp.set_noise(noise, noise, noise).unwrap();
        }
        let mut generator = Generator::new(branches as u64);
        for i in 0..25 {
            let x = point::<R>(branches, &mut generator);
            let known = R::of(if i % 5 == 0 { 0.01 } else { 0.0 });
            block.push(&x, value(&x), known).unwrap();
            dense.push(&x, value(&x), known).unwrap();
        }
        let mut slopes = vec![R::ZERO; size.thetas + 1];
        let mut others = slopes.clone();
        for objective in [Objective::Evidence, Objective::LeaveOneOut] {
            let own = block.evidence(&tape, &mut Plain, objective, &mut slopes).unwrap();
            let other = dense.evidence(&Pairs(&tape), &mut Plain, objective, &mut others).unwrap();
            close(own, other, tolerance, "evidence");
            for (a, b) in slopes.iter().zip(&others) {
                close(*a, *b, 100.0 * tolerance, "slope of the evidence");
            }
            let alone = block.evidence(&tape, &mut Plain, objective, &mut []).unwrap();
            close(own, alone, tolerance, "value alone");
        }
        block.fit(&tape, &mut Plain).unwrap();
        dense.fit(&Pairs(&tape), &mut Plain).unwrap();
        assert!(!block.fit.blocks().is_whole() && dense.fit.blocks().is_whole());
        assert_eq!(block.jitter(), dense.jitter());
        agree(&mut block, &mut dense, tape, 5, tolerance);
        for step in 0..14 {
            let x = point::<R>(branches.min(9), &mut generator);
            block.extend(&tape, &x, value(&x), R::ZERO).unwrap();
            dense.extend(&Pairs(&tape), &x, value(&x), R::ZERO).unwrap();
            if step % 3 == 2 {
                let row = [0, block.rows() - 1, block.rows() / 2][step / 3 % 3];
                block.remove(row).unwrap();
                dense.remove(row).unwrap();
            }
            assert!(block.fit.blocks().is_sound());
        }
        block.refresh().unwrap();
        dense.refresh().unwrap();
        agree(&mut block, &mut dense, tape, 6, tolerance);
        block.truncate(20);
        dense.truncate(20);
        block.refresh().unwrap();
        dense.refresh().unwrap();
        agree(&mut block, &mut dense, tape, 7, tolerance);
        block.fit(&tape, &mut Plain).unwrap();
        agree(&mut block, &mut dense, tape, 8, tolerance);
    }
}

#[test]
fn branches_change_no_answer() {
    sequences::<f64>(Trend::Constant, 1e-3, 1e-10);
    sequences::<f64>(Trend::Zero, 1e-3, 1e-10);
    sequences::<f32>(Trend::Constant, 1e-1, 2e-4);
}

#[test]
fn all_rows_can_be_removed_and_come_back() {
    let kernel = kernel();
    let words = Words::of(&kernel, DIMS);
    let tape = words.tape(DIMS);
    let size = size(&kernel, 12, 0);
    let mut block = vec![0; size.words::<f64>()];
    let mut gp = Gp::<f64>::new(&kernel, Trend::Zero, size, &mut block).unwrap();
    let mut generator = Generator::new(3);
    for round in 0..4 {
        for _ in 0..12 {
            let x = point(6, &mut generator);
            gp.extend(&tape, &x, value(&x), 0.0).unwrap();
        }
        gp.refresh().unwrap();
        assert!(gp.is_fitted() && !gp.fit.blocks().is_whole());
        let x = point(6, &mut generator);
        let told = gp.predict(&tape, &x).unwrap();
        gp.fit(&tape, &mut Plain).unwrap();
        let fitted = gp.predict(&tape, &x).unwrap();
        close(told.mean, fitted.mean, 1e-10, "mean");
        close(told.variance, fitted.variance, 1e-10, "variance");
        // A covariance that is no tape has no place in a factor of branches.
        assert_eq!(gp.predict(&Pairs(&tape), &x).unwrap_err(), Error::Kernel);
        if round == 2 {
            gp.clear();
        }
        while gp.rows() > 0 {
            gp.remove(if round % 2 == 0 { 0 } else { gp.rows() - 1 }).unwrap();
        }
    }
    // The same memory serves a kernel without branches.
    for i in 0..3 {
        gp.extend(&Pairs(&tape), &point(6, &mut Generator::new(i)), 1.0, 0.0).unwrap();
    }
    assert!(gp.fit.blocks().is_whole());
    assert!(gp.extend(&tape, &point(6, &mut Generator::new(9)), 1.0, 0.0).is_ok());
}

/// Golden values: closed forms by numpy for Matérn-5/2 with branches 0, 0, 1, 1, 1, amplitude 0.04, noise 10⁻³.
#[test]
fn golden_posterior() {
    let kernel =
        Kernel::matern52(Dims::range(0, 2)).ard().times(Kernel::branch(Dims::list(&[2]))).unwrap().scaled();
    let words = Words::of(&kernel, 3);
    let tape = words.tape(3);
    let size = Size { rows: 5, exact: 5, dims: 3, thetas: 3, columns: 0, batch: 4 };
    let mut block = vec![0; size.words::<f64>()];
    let mut gp = Gp::<f64>::new(&kernel, Trend::Zero, size, &mut block).unwrap();
    gp.set_noise(1e-3, 1e-3, 1e-3).unwrap();
    gp.theta_table().value.copy_from_slice(&[0.5, 0.8, 0.04, 1e-3].map(f64::ln));
    gp.unfit();
    let x = [[0.1, 0.2, 0.0], [0.4, 0.9, 0.0], [0.7, 0.3, 0.5], [0.9, 0.8, 0.5], [0.5, 0.5, 0.5]];
    for (x, y) in x.iter().zip([0.30, 0.25, 0.18, 0.40, 0.12]) {
        gp.push(x, y - 0.25, 0.0).unwrap();
    }
    let evidence = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
    assert!((evidence - 3.175_488_518_399_86).abs() < 1e-12, "{evidence}");
    gp.fit(&tape, &mut Plain).unwrap();
    for (point, mean, variance) in [
        ([0.6, 0.4, 0.0], 0.261_461_832_415_506, 0.020_258_584_811_071_5),
        ([0.1, 0.2, 0.0], 0.298_420_255_516_024, 0.000_968_405_110_320_487),
        ([0.6, 0.4, 0.5], 0.149_510_381_831_927, 0.000_886_999_268_066_09),
        ([0.0, 1.0, 0.5], 0.184_280_697_851_797, 0.031_123_351_575_867_3),
    ] {
        let own = gp.predict(&tape, &point).unwrap();
        assert!((own.mean + 0.25 - mean).abs() < 1e-14, "{} {mean}", own.mean);
        assert!((own.variance - variance).abs() < 1e-14, "{} {variance}", own.variance);
    }
    // An unseen branch: the prior, exactly.
    let unseen = gp.predict(&tape, &[0.6, 0.4, 1.0]).unwrap();
    assert_eq!((unseen.mean, unseen.variance), (0.0, 0.04f64.ln().exp()));
}

#[test]
fn evidence_is_the_sum_over_branches() {
    let kernel = kernel();
    let words = Words::of(&kernel, DIMS);
    let tape = words.tape(DIMS);
    let size = size(&kernel, 60, 0);
    let mut memory = vec![0; size.words::<f64>()];
    let mut gp = Gp::<f64>::new(&kernel, Trend::Zero, size, &mut memory).unwrap();
    let mut generator = Generator::new(8);
    let points: Vec<[f64; DIMS]> = (0..60).map(|_| point(5, &mut generator)).collect();
    let mut sum = 0.0;
    let mut heads: Vec<[f64; DIMS]> = Vec::new();
    for head in &points {
        if heads.iter().any(|known| tape.same_branch(known, head)) {
            continue;
        }
        heads.push(*head);
        gp.clear();
        for x in points.iter().filter(|x| tape.same_branch(*x, head)) {
            gp.push(x, value(x), 0.0).unwrap();
        }
        sum += gp.evidence(&Pairs(&tape), &mut Plain, Objective::Evidence, &mut []).unwrap();
    }
    gp.clear();
    for x in &points {
        gp.push(x, value(x), 0.0).unwrap();
    }
    let whole = gp.evidence(&tape, &mut Plain, Objective::Evidence, &mut []).unwrap();
    assert!(heads.len() > 3);
    close(whole, sum, 1e-12, "evidence");
}

#[test]
fn a_new_row_touches_its_branch_alone() {
    let kernel = Kernel::matern52(Dims::range(1, 1)).times(Kernel::branch(Dims::list(&[0]))).unwrap();
    let words = Words::of(&kernel, 2);
    let tape = words.tape(2);
    let (branches, rows) = (9, 2_000);
    let size = Size { rows: rows + 1, exact: rows + 1, dims: 2, thetas: 1, columns: 0, batch: 4 };
    let mut memory = vec![0; size.words::<f64>()];
    let mut gp = Gp::<f64>::new(&kernel, Trend::Zero, size, &mut memory).unwrap();
    let at = |i: usize| [(i % branches) as f64 / 9.0, (i * 37 % 1999) as f64 / 1999.0];
    for i in 0..rows {
        gp.push(&at(i), 0.1, 0.0).unwrap();
    }
    gp.fit(&tape, &mut Plain).unwrap();
    let before = gp.fit.factor[..packed(rows)].to_vec();
    // The last of nine takes 222 rows.
    let (branch, m) = (8, rows / branches);
    entries_read();
    gp.extend(&tape, &at(branch), 0.1, 0.0).unwrap();
    let read = entries_read();
    assert_eq!(read, packed(m));
    assert_eq!(gp.fit.factor[..packed(rows)], before);
    // Without branches the same row reads all there is: 81 times as much.
    let mut plain = vec![0.0; packed(rows + 1)];
    (0..=rows).for_each(|i| plain[packed(i) + i] = 1.0);
    append(&mut plain, rows).unwrap();
    let dense = entries_read();
    assert_eq!(dense, packed(rows));
    assert!(dense >= 20 * read, "{dense} {read}");
    // A prediction reads as little, a batch of them no more, and α of all branches a ninth of a whole factor.
    gp.truncate(rows);
    gp.refresh().unwrap();
    assert_eq!(entries_read(), 2 * (packed(m) * 7 + packed(m + 1) * 2));
    gp.predict(&tape, &at(branch)).unwrap();
    assert_eq!(entries_read(), packed(m));
    let mut scores = [0.0; 18];
    let points: Vec<f64> = (0..18).flat_map(at).collect();
    let Split { posterior, work, .. } = gp.split().unwrap();
    let acquisition = Acquisition::Improvement { margin: 0.0 };
    let request = Score { tape, posterior: &posterior, acquisition, best: 0.0, points: &points };
    Plain.score(&request, &mut scores, work).unwrap();
    assert_eq!(entries_read(), 2 * (packed(m) * 7 + packed(m + 1) * 2));
}

#[test]
fn training_and_members_agree() {
    let kernel = kernel();
    let words = Words::of(&kernel, DIMS);
    let tape = words.tape(DIMS);
    let size = size(&kernel, 30, 1);
    let mut answers = Vec::new();
    for hidden in [false, true] {
        let mut memory = vec![0; size.words::<f64>() + Ensemble::<f64>::words(&size, 2)];
        let (first, second) = memory.split_at_mut(size.words::<f64>());
        let mut gp = Gp::<f64>::new(&kernel, Trend::Constant, size, first).unwrap();
        let mut members = Ensemble::<f64>::carve(&mut Arena::new(second), size, 2).unwrap();
        let covariance: &dyn Covariance<f64> = if hidden { &Pairs(&tape) } else { &tape };
        let mut generator = Generator::new(4);
        for _ in 0..20 {
            let x = point(4, &mut generator);
            gp.push(&x, value(&x), 0.0).unwrap();
        }
        let training = Training { restarts: 0, ..Training::default() };
        let trained = gp.train(covariance, &mut Plain, &training, &mut Generator::new(1)).unwrap();
        answers.push(trained.value);
        let mut theta = [-0.5, -0.7, -0.2, 0.1, -6.0];
        for member in 0..2 {
            theta[0] += 0.2;
            members.set(member, &theta, 0.5).unwrap();
        }
        members.fit(&mut gp, covariance, &mut Plain).unwrap();
        for _ in 0..6 {
            let x = point(5, &mut generator);
            gp.extend(covariance, &x, value(&x), 0.0).unwrap();
            members.extend(&mut gp, covariance).unwrap();
        }
        for row in [7, 0, 20] {
            gp.remove(row).unwrap();
            members.remove(row).unwrap();
        }
        members.truncate(21);
        gp.truncate(21);
        members.fit(&mut gp, covariance, &mut Plain).unwrap();
        let x = point(4, &mut generator);
        for member in 0..2 {
            let said = members.view(&mut gp, member).unwrap().predict(covariance, &x).unwrap();
            answers.extend([said.mean, said.variance]);
        }
    }
    let (own, other) = answers.split_at(answers.len() / 2);
    close(own[0], other[0], 1e-6, "trained");
    for (a, b) in own[1..].iter().zip(&other[1..]) {
        close(*a, *b, 1e-10, "members");
    }
}
