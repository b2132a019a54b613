//! What holds for every member, and the models that the members' own tests use.

use std::vec;
use std::vec::Vec;

use super::{Joint, Lie, Penalty, Pending};
use crate::acquisition::{Acquisition, Prediction};
use crate::error::Error;
use crate::gp::{Gp, Size, Split, View};
use crate::kernel::{Dims, Kernel, Tape};
use crate::plain::Plain;
use crate::policy::{Policy, Prepared, Question};
use crate::real::Real;
use crate::rng::Generator;
use crate::surrogate::{AcquisitionFunction, Surrogate};
use crate::trend::Trend;

/// Rows of the processes below, and room for more.
const ROWS: usize = 9;
const ROOM: usize = 40;

pub(super) const RULES: [Acquisition<f64>; 4] = [
    Acquisition::Probability { margin: 0.01 },
    Acquisition::Improvement { margin: 0.01 },
    Acquisition::LogImprovement { margin: 0.01 },
    Acquisition::Bound { beta: 1.5 },
];

pub(super) const MEMBERS: [Pending; 8] = [
    Pending::Believer,
    Pending::Liar(Lie::Min),
    Pending::Liar(Lie::Mean),
    Pending::Liar(Lie::Max),
    Pending::Fantasies { count: 64 },
    Pending::Penalty,
    Pending::Temperatures,
    Pending::JointEi { draws: 64 },
];

/// The members that are more than rows of the model.
const MODELLED: [Pending; 4] = [
    Pending::Fantasies { count: 64 },
    Pending::Penalty,
    Pending::Temperatures,
    Pending::JointEi { draws: 64 },
];

/// A process with this trend and noise over nine values of a function of two coordinates.
pub(super) fn process<R: Real, T>(
    trend: Trend,
    noise: f64,
    then: impl FnOnce(&mut Gp<'_, R>, Tape<'_>) -> T,
) -> T {
    let kernel = Kernel::matern52(Dims::All).ard().scaled();
    let thetas = kernel.thetas(2).unwrap();
    let size = Size { rows: ROOM, exact: ROOM, dims: 2, thetas, columns: trend.columns(2), batch: 8 };
    let mut block = vec![0; size.words::<R>()];
    let mut gp = Gp::<R>::new(&kernel, trend, size, &mut block).unwrap();
    gp.set_noise(noise, noise, noise).unwrap();
    let (mut nodes, mut lists) = ([0; 64], [0; 64]);
    kernel.write(2, &mut nodes, &mut lists).unwrap();
    let tape = Tape::attach(&nodes, &lists, 2).unwrap();
    for i in 0..ROWS {
        let x = [(i as f64 + 0.5) / 9.0, ((i * 5 % 9) as f64 + 0.5) / 9.0];
        let y = R::of((6.0 * x[0]).sin() + x[1] * x[1]);
        gp.push(&x.map(R::of), y, R::ZERO).unwrap();
    }
    gp.fit(&tape, &mut Plain).unwrap();
    then(&mut gp, tape)
}

/// The process as a model.
pub(super) fn model<R: Real, T>(
    gp: &mut Gp<'_, R>,
    tape: Tape<'_>,
    then: impl FnOnce(&mut dyn Surrogate<R>) -> T,
) -> T {
    let Split { posterior, work, .. } = gp.split().unwrap();
    let mut anchors = vec![R::ZERO; ROOM * (ROOM + 2 + 6)];
    then(&mut View { backend: &mut Plain, tape, posterior, work, anchors: &mut anchors, anchored: 0 })
}

/// The model with a constant trend, and the best of its targets.
fn usual<T>(noise: f64, then: impl FnOnce(&mut dyn Surrogate<f64>, f64) -> T) -> T {
    process(Trend::Constant, noise, |gp, tape| {
        let best = gp.targets().iter().copied().fold(f64::INFINITY, f64::min);
        model(gp, tape, |model| then(model, best))
    })
}

pub(super) const OPEN: [f64; 6] = [0.83, 0.4, 0.7, 0.15, 0.05, 0.9];

/// A member, prepared for the trials at `open`.
fn prepare<'m, R: Real>(
    batch: Pending,
    model: &mut dyn Surrogate<R>,
    open: &[R],
    question: &Question<'_, R>,
    memory: &'m mut [R],
) -> Result<Prepared<'m, R>, Error> {
    Question { batch, ..*question }.function(model, open, memory, &mut Generator::new(0))
}

fn setting<'s>(rule: Acquisition<f64>, best: f64, candidates: &'s [f64]) -> Question<'s, f64> {
    let (policy, batch) = (Policy::Closed, Pending::Believer);
    Question { policy, batch, rule, best, noise: 1e-4, candidates, seed: 5 }
}

/// Points of a grid over the unit square.
fn grid(side: usize) -> Vec<f64> {
    let at = |i: usize| (i as f64 + 0.5) / side as f64;
    (0..side * side).flat_map(|i| [at(i % side), at(i / side)]).collect()
}

#[test]
fn codes_are_pinned() {
    for (code, member) in MEMBERS.iter().enumerate() {
        assert_eq!(member.code(), code as u32);
        assert_eq!(Pending::ALL[code], *member);
    }
    for draws in [0, Pending::MOST + 1, u32::MAX] {
        for member in [Pending::Fantasies { count: draws }, Pending::JointEi { draws }] {
            assert_eq!(member.check(), Err(Error::Config), "{member:?}");
        }
    }
    assert_eq!(Pending::default(), Pending::Believer);
    assert_eq!(Pending::JointEi { draws: Pending::MOST + 1 }.check(), Err(Error::Config));
}

#[test]
fn lies_are_the_targets() {
    let targets = [3.0, -1.0, 4.0, 2.0];
    assert_eq!([Lie::Min, Lie::Mean, Lie::Max].map(|lie| lie.value(&targets).unwrap()), [-1.0, 2.0, 4.0]);
    assert_eq!(Lie::Mean.value(&[f64::MAX; 4]), Ok(f64::MAX));
    assert_eq!(Lie::Min.value::<f64>(&[]), Err(Error::NoData));
    assert_eq!(Lie::Max.value(&[1.0, f64::NAN]), Err(Error::NotFinite));
}

/// Without open trials a member needs no memory and is the rule, to the bit.
fn none_open_is_the_rule<R: Real>() {
    process::<R, _>(Trend::Constant, 1e-4, |gp, tape| {
        let points: Vec<R> = grid(12).iter().map(|&x| R::of(x)).collect();
        let (mut means, mut variances) = (vec![R::ZERO; 144], vec![R::ZERO; 144]);
        model(gp, tape, |model| {
            // As many together as a function asks for: in other pieces sums are made in another order.
            for (points, both) in points.chunks(128).zip(means.chunks_mut(64).zip(variances.chunks_mut(64))) {
                model.predict_many(points, both.0, both.1).unwrap();
            }
            for rule in RULES.map(|rule| rule.cast::<R>()) {
                let best = R::of(-0.7);
                let predictions = means.iter().zip(&variances);
                let expected: Vec<R> = predictions
                    .map(|(&mean, &variance)| rule.score(Prediction { mean, variance }, best))
                    .collect();
                for member in MODELLED {
                    assert_eq!(member.scalars(0, 2), 0);
                    let setting = Question {
                        policy: Policy::Closed,
                        batch: member,
                        rule,
                        best,
                        noise: R::ZERO,
                        candidates: &[],
                        seed: 1,
                    };
                    let plan = prepare(member, model, &[], &setting, &mut []);
                    if matches!(member, Pending::JointEi { .. }) && !is_improvement(&rule) {
                        assert_eq!(plan.unwrap_err(), Error::Unsupported);
                        continue;
                    }
                    let mut plan = plan.unwrap();
                    let mut scores = vec![R::ZERO; 144];
                    plan.scores(model, &points, &mut scores).unwrap();
                    assert_eq!(scores, expected);
                    let (mut gradient, mut scratch) = ([R::ZERO; 2], [R::ZERO; 4]);
                    let (mut by_mean, mut by_variance, mut slope) =
                        ([R::ZERO; 2], [R::ZERO; 2], [R::ZERO; 2]);
                    for point in points.chunks_exact(2).step_by(7) {
                        let (mut mean, mut variance) = ([R::ZERO], [R::ZERO]);
                        model.predict_many(point, &mut mean, &mut variance).unwrap();
                        let here = Prediction { mean: mean[0], variance: variance[0] };
                        let sequential = rule.score(here, best);
                        assert_eq!(plan.score(model, point).unwrap(), sequential);
                        let here = plan.gradient(model, point, [&mut gradient, &mut scratch]).unwrap();
                        let prediction = model.gradient(point, [&mut by_mean, &mut by_variance]).unwrap();
                        let value = rule.chain(prediction, best, &by_mean, &by_variance, &mut slope);
                        assert_eq!((here, gradient), (value, slope));
                    }
                }
            }
        });
    });
}

fn is_improvement<R>(rule: &Acquisition<R>) -> bool {
    matches!(rule, Acquisition::Improvement { .. } | Acquisition::LogImprovement { .. })
}

#[test]
fn none_open_is_the_sequential_rule() {
    none_open_is_the_rule::<f64>();
    none_open_is_the_rule::<f32>();
}

#[test]
fn gradients_match_differences() {
    let step = 1e-5;
    for trend in [Trend::Zero, Trend::Linear] {
        process::<f64, _>(trend, 1e-3, |gp, tape| {
            model(gp, tape, |model| {
                for rule in RULES {
                    let setting = setting(rule, -0.6, &OPEN);
                    for member in MODELLED {
                        let mut memory = vec![0.0; member.scalars(3, 2)];
                        let Ok(mut plan) = prepare(member, model, &OPEN, &setting, &mut memory) else {
                            assert!(matches!(member, Pending::JointEi { .. }) && !is_improvement(&rule));
                            continue;
                        };
                        let mut check = |x: [f64; 2]| {
                            let (mut gradient, mut scratch) = ([0.0; 2], [0.0; 4]);
                            let value = plan.gradient(model, &x, [&mut gradient, &mut scratch]).unwrap();
                            assert_eq!(value, plan.score(model, &x).unwrap());
                            for k in 0..2 {
                                let mut at = |d: f64| {
                                    let mut moved = x;
                                    moved[k] += d;
                                    plan.score(model, &moved).unwrap()
                                };
                                let rough = (at(step) - at(-step)) / (2.0 * step);
                                let wide = (at(2.0 * step) - at(-2.0 * step)) / (4.0 * step);
                                let slope = rough + (rough - wide) / 3.0;
                                let bound = 1e-7 * (1.0 + slope.abs());
                                assert!(
                                    (slope - gradient[k]).abs() < bound,
                                    "{member:?} {rule:?} {slope} {}",
                                    gradient[k]
                                );
                            }
                        };
                        check([0.42, 0.61]);
                        check([0.8, 0.35]);
                    }
                }
            });
        });
    }
}

#[test]
fn the_order_of_open_trials_does_not_matter() {
    usual(1e-4, |model, best| {
        let turned = [OPEN[4], OPEN[5], OPEN[0], OPEN[1], OPEN[2], OPEN[3]];
        let points = grid(5);
        for member in MODELLED {
            let setting = setting(RULES[2], best, &points);
            let scores = [&OPEN, &turned].map(|open| {
                let mut memory = vec![0.0; member.scalars(3, 2)];
                let mut plan = prepare(member, model, open, &setting, &mut memory).unwrap();
                let mut scores = [0.0; 25];
                plan.scores(model, &points, &mut scores).unwrap();
                scores
            });
            for (a, b) in scores[0].iter().zip(&scores[1]) {
                assert!((a - b).abs() <= 1e-13 * a.abs(), "{member:?} {a} {b}");
            }
        }
    });
}

/// Scores and slopes with three open trials, in one scalar.
fn answers<R: Real>(member: Pending, rule: Acquisition<f64>) -> Vec<f64> {
    process::<R, _>(Trend::Constant, 1e-2, |gp, tape| {
        model(gp, tape, |model| {
            let open = OPEN.map(R::of);
            let setting = Question {
                policy: Policy::Closed,
                batch: member,
                rule: rule.cast(),
                best: R::of(-0.6),
                noise: R::of(1e-2),
                candidates: &open,
                seed: 3,
            };
            let mut memory = vec![R::ZERO; member.scalars(3, 2)];
            let mut plan = prepare(member, model, &open, &setting, &mut memory).unwrap();
            let (mut gradient, mut scratch) = ([R::ZERO; 2], [R::ZERO; 4]);
            let mut answers = Vec::new();
            for x in [[0.42, 0.61], [0.8, 0.35], [0.9, 0.05]] {
                let score = plan.gradient(model, &x.map(R::of), [&mut gradient, &mut scratch]).unwrap();
                answers.extend([score, gradient[0], gradient[1]].map(Real::to_f64));
            }
            answers
        })
    })
}

#[test]
fn single_precision_follows() {
    for member in MODELLED {
        let (double, single) = (answers::<f64>(member, RULES[2]), answers::<f32>(member, RULES[2]));
        let largest = double.iter().fold(1.0f64, |most, a| most.max(a.abs()));
        for (a, b) in double.iter().zip(single) {
            assert!((a - b).abs() < 1e-3 * largest, "{member:?} {a} {b}");
        }
    }
}

/// As many as thirty, close together.
#[test]
fn many_may_be_open() {
    process::<f64, _>(Trend::Constant, 1e-4, |gp, tape| {
        let open: Vec<f64> = grid(6)[..60].iter().map(|x| 0.3 + 0.4 * x).collect();
        let (points, mut scores) = (grid(7), [0.0; 49]);
        model(gp, tape, |model| {
            for member in MODELLED {
                let mut memory = vec![0.0; member.scalars(30, 2)];
                let setting = setting(RULES[3], -0.6, &points);
                let setting =
                    if member == MODELLED[3] { Question { rule: RULES[2], ..setting } } else { setting };
                let mut plan = prepare(member, model, &open, &setting, &mut memory).unwrap();
                plan.scores(model, &points, &mut scores).unwrap();
                assert!(scores.iter().all(|s| s.is_finite()), "{member:?} {scores:?}");
            }
        });
    });
}

#[test]
fn memory_is_counted_exactly() {
    usual(1e-4, |model, best| {
        let setting = setting(RULES[2], best, &[]);
        for member in MODELLED {
            for open in 1..=3 {
                let needed = member.scalars(open, 2);
                assert!(needed >= member.scalars(open - 1, 2));
                let mut memory = vec![f64::NAN; needed];
                let open = &OPEN[..2 * open];
                assert!(prepare(member, model, open, &setting, &mut memory).is_ok());
                if needed > 0 {
                    let short = prepare(member, model, open, &setting, &mut memory[1..]);
                    assert_eq!(short.unwrap_err(), Error::Shape { needed });
                }
            }
        }
        assert_eq!(Pending::Fantasies { count: u32::MAX }.scalars(usize::MAX, 2), usize::MAX);
        assert_eq!(Joint::<f64>::scalars(3, 2, 64), 6 + 3 * (2 + 3 + 64) + 64);
        assert_eq!(Joint::<f64>::scalars(3, 2, 1), 6 + 3 * 6 + 1);
        assert_eq!(Joint::<f64>::scalars(0, 2, 64), 0);
        assert_eq!(Penalty::<f64>::scalars(3, 2), 16);
    });
}

#[test]
fn bad_input_is_refused_or_harmless() {
    usual(1e-4, |model, best| {
        let mut memory = vec![0.0; 4000];
        for member in MODELLED {
            let fine = setting(RULES[2], best, &OPEN);
            let refused = |model: &mut dyn Surrogate<f64>, open: &[f64], setting: &Question<'_, f64>| {
                let mut memory = vec![0.0; 4000];
                prepare(member, model, open, setting, &mut memory).err()
            };
            if member == Pending::Temperatures {
                continue;
            }
            assert!(matches!(refused(model, &OPEN[..5], &fine), Some(Error::Shape { .. })));
            assert_eq!(refused(model, &[0.1, f64::NAN], &fine), Some(Error::NotFinite));
            if member != Pending::Penalty && !matches!(member, Pending::JointEi { .. }) {
                for noise in [-1.0, f64::NAN, f64::INFINITY] {
                    let setting = Question { noise, ..fine };
                    assert_eq!(refused(model, &OPEN, &setting), Some(Error::NotFinite));
                }
            }
            // The same point twice, an observed one, and no value to improve on.
            let twice = [0.3, 0.3, 0.3, 0.3, 0.5 / 9.0, 0.5 / 9.0];
            for rule in RULES {
                for best in [best, f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX] {
                    let setting = Question { rule, best, noise: 0.0, ..fine };
                    let Ok(mut plan) = prepare(member, model, &twice, &setting, &mut memory) else {
                        assert!(!is_improvement(&rule));
                        continue;
                    };
                    let (mut out, mut gradient, mut scratch) = ([0.0; 4], [0.0; 2], [0.0; 4]);
                    let points = [0.3, 0.3, 0.31, 0.3, 0.5 / 9.0, 0.5 / 9.0, 0.9, 0.8];
                    plan.scores(model, &points, &mut out).unwrap();
                    assert!(out.iter().all(|s| !s.is_nan()), "{member:?} {rule:?} {best} {out:?}");
                    for point in points.chunks_exact(2) {
                        plan.gradient(model, point, [&mut gradient, &mut scratch]).unwrap();
                        assert!(gradient.iter().all(|g| !g.is_nan()), "{member:?} {rule:?} {best}");
                    }
                }
            }
            let mut plan = prepare(member, model, &OPEN, &fine, &mut memory).unwrap();
            assert!(plan.scores(model, &OPEN[..5], &mut [0.0; 3]).is_err());
            assert!(plan.score(model, &OPEN[..1]).is_err());
            assert!(plan.gradient(model, &OPEN[..2], [&mut [0.0; 2], &mut [0.0; 3]]).is_err());
        }
        assert_eq!(Joint::noisy(model, &[], 8, RULES[1], 1, &mut memory).unwrap_err(), Error::NoData);
        assert_eq!(Joint::noisy(model, &OPEN, 0, RULES[1], 1, &mut memory).unwrap_err(), Error::Config);
    });
}

/// A model that says but a mean and a variance.
struct Bare {
    freedom: f64,
}

impl Surrogate<f64> for Bare {
    fn dims(&self) -> usize {
        2
    }

    fn predict_many(
        &mut self,
        points: &[f64],
        means: &mut [f64],
        variances: &mut [f64],
    ) -> Result<(), Error> {
        for ((x, mean), variance) in points.chunks_exact(2).zip(means).zip(variances) {
            (*mean, *variance) = (3.0 * x[0], 0.25);
        }
        Ok(())
    }

    fn freedom(&self) -> f64 {
        self.freedom
    }
}

#[test]
fn models_that_cannot_are_told_apart() {
    for freedom in [f64::INFINITY, 5.0] {
        let mut model = Bare { freedom };
        for member in MODELLED {
            let mut memory = vec![0.0; member.scalars(3, 2)];
            let setting = setting(RULES[2], 0.0, &[0.2, 0.5, 0.4, 0.5]);
            let plan = prepare(member, &mut model, &OPEN, &setting, &mut memory);
            if !matches!(member, Pending::Penalty | Pending::Temperatures) {
                assert_eq!(plan.unwrap_err(), Error::Unsupported);
            } else {
                let mut plan = plan.unwrap();
                let none = plan.gradient(&mut model, &[0.5; 2], [&mut [0.0; 2], &mut [0.0; 4]]);
                assert_eq!(none, Err(Error::Unsupported));
                // Without derivatives the slope of the mean is that of its secants.
                if let Prepared::Penalty(penalty) = &plan {
                    assert!((penalty.slope - 3.0).abs() < 1e-12);
                }
            }
        }
    }
}

/// A loop with four trials open all the time, told in an order of its own: how near to an open trial proposals come.
fn nearest(member: Pending, rule: Acquisition<f64>, side: usize) -> f64 {
    let function = |x: &[f64]| (6.0 * x[0]).sin() + (x[1] - 0.3) * (x[1] - 0.3) * 2.0;
    let candidates = grid(side);
    process::<f64, _>(Trend::Constant, 1e-6, |gp, tape| {
        gp.clear();
        for x in [[0.1, 0.2], [0.5, 0.8], [0.9, 0.5], [0.3, 0.6], [0.7, 0.1]] {
            gp.push(&x, function(&x), 0.0).unwrap();
        }
        let (mut open, mut nearest) = (Vec::<f64>::new(), f64::INFINITY);
        for round in 0..16 {
            if open.len() == 8 {
                let told = round % 4;
                let x = [open[2 * told], open[2 * told + 1]];
                open.drain(2 * told..2 * told + 2);
                gp.push(&x, function(&x), 0.0).unwrap();
            }
            gp.fit(&tape, &mut Plain).unwrap();
            let best = gp.targets().iter().copied().fold(f64::INFINITY, f64::min);
            let setting = Question {
                policy: Policy::Closed,
                batch: member,
                rule,
                best,
                noise: 1e-6,
                candidates: &candidates,
                seed: round as u64,
            };
            let x = model(gp, tape, |model| {
                let mut memory = vec![0.0; member.scalars(open.len() / 2, 2)];
                let mut plan = prepare(member, model, &open, &setting, &mut memory).unwrap();
                let mut scores = vec![0.0; side * side];
                plan.scores(model, &candidates, &mut scores).unwrap();
                let top = (0..scores.len()).fold(0, |top, i| if scores[i] > scores[top] { i } else { top });
                [candidates[2 * top], candidates[2 * top + 1]]
            });
            for other in open.chunks_exact(2) {
                nearest = nearest.min((x[0] - other[0]).hypot(x[1] - other[1]));
            }
            open.extend(x);
        }
        nearest
    })
}

#[test]
fn proposals_keep_apart() {
    for member in MODELLED {
        let near = nearest(member, RULES[2], 64);
        if member == Pending::Temperatures {
            // The rule alone does not know of open trials and repeats them.
            assert_eq!(near, 0.0);
        } else {
            assert!(near > 0.02, "{member:?} {near}");
        }
    }
}
