//! Blocks with damaged words and repaired checksums.

use infill::kernel::{Dims, Kernel};
use infill::lbfgs::Budget;
use infill::{
    Clause, Condition, Config, Error, Impute, Limits, Optimizer, Param, Real, Refit, Search, Space, State,
    Term, Training, Transform, Trend, When, WhenFull,
};
use infill_tests::random::SplitMix64;

use crate::choices;
use crate::layout::{self, Layout};

/// A block as it was saved, and the size of its scalar.
pub struct Saved {
    pub words: Vec<u64>,
    pub bytes: usize,
}

/// Blocks in several stages of their life, in both precisions.
pub fn pool() -> Vec<Saved> {
    let mut pool = Vec::new();
    for (stage, &trials) in [0, 2, 5, 8, 10].iter().enumerate() {
        for space in 0..3 {
            pool.push(Saved { words: grow::<f64>(stage, trials, space, 0), bytes: 8 });
            pool.push(Saved { words: grow::<f32>(stage, trials, space, 0), bytes: 4 });
        }
    }
    for choice in 1..choices::COUNT {
        // A quadrature is for few hyperparameters.
        let space = if choice == choices::COUNT - 1 { 0 } else { choice % 3 };
        pool.push(Saved { words: grow::<f64>(2, 8, space, choice), bytes: 8 });
        pool.push(Saved { words: grow::<f32>(3, 7, space, choice), bytes: 4 });
    }
    // Without a layout nothing would be repaired, and no damage would come to anything.
    assert!(pool.iter().all(|saved| Layout::of(&saved.words, saved.bytes).is_some()));
    pool
}

fn grow<R: Real>(stage: usize, trials: usize, which: usize, choice: usize) -> Vec<u64> {
    let levels = [0.5, 1.0, 4.0];
    let real = [Param::real(-1.0, 2.0)];
    let mixed =
        [Param::categorical(3), Param::integer(1, 20).log().default_value(7.0), Param::real(1e-2, 1.0).log()];
    let finite = [Param::ordinal(&levels), Param::categorical(4)];
    let conditions =
        [Condition::new(2, 0, When::In(&[0.0, 2.0])), Condition::new(2, 1, When::Between(5.0, 9.0)).or()];
    let terms = [
        Term { parameter: 0, when: When::Equals(1.0) },
        Term { parameter: 1, when: When::In(&[2.0, 3.0]) },
        Term { parameter: 2, when: When::Between(0.1, 0.2) },
    ];
    let clauses = [Clause { terms: &terms[..2] }, Clause { terms: &terms[2..] }];
    let (params, conditions) = match which {
        0 => (&real[..], &conditions[..0]),
        1 => (&mixed[..], &conditions[..]),
        _ => (&finite[..], &conditions[..0]),
    };
    let imputes = [Impute::Outside, Impute::Usual, Impute::Centre, Impute::Scatter];
    let space = Space::new(params, conditions).unwrap().impute(imputes[stage % 4]);
    let space = if which == 1 { space.forbid(&clauses).unwrap() } else { space };
    let base = Config::default();
    let sum = Kernel::matern52(Dims::All).plus(Kernel::linear(Dims::All)).unwrap();
    let budget = Budget { evaluations: 6, ..base.surrogate.training.budget };
    let config = base.with(|c| {
        c.design.trials = 3;
        c.surrogate.kernel = (choice == 0 && stage % 2 == 1 && which == 0).then_some(&sum);
        c.surrogate.trend = [Trend::Constant, Trend::Zero, Trend::Linear][stage % 3];
        c.targets = [Transform::Standard, Transform::Power, Transform::Rank, Transform::None][stage % 4];
        c.surrogate.training = Training { restarts: 1, draws: 2, budget, ..base.surrogate.training };
        c.surrogate.refit = Refit { evaluations: 4, ..base.surrogate.refit };
        c.search = Search {
            method: infill::search::Method::Auto,
            global: 16,
            local: 8,
            starts: 2,
            polish: budget,
            rounds: 2,
        };
        c.run.when_full = if stage.is_multiple_of(2) { WhenFull::DropWorst } else { WhenFull::Refuse };
    });
    let config = choices::choose(choice, &config);
    let limits =
        Limits::new(3, 10).conditions(2, 5).terms(3).trend(4).kernel(8, 3, 6).candidates(8).starts(2);
    let limits = choices::suit(limits.open(4), &config);
    let mut optimizer =
        Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut x = vec![R::ZERO; params.len()];
    for i in 0..trials {
        let ask = optimizer.ask(&mut x).unwrap();
        match i {
            3 => optimizer.fail(ask.id).unwrap(),
            4 => {}
            _ => optimizer.tell_noisy(ask.id, x[0] + R::of_usize(i), R::of(0.01)).unwrap(),
        }
    }
    if trials < 9 && trials > 0 {
        let point: Vec<R> = optimizer.trials().next().unwrap().point.to_vec();
        optimizer.enqueue(&point).unwrap();
        let _ = optimizer.recommend();
    }
    optimizer.into_inner()
}

/// Damages a block and works with it, if it is accepted. Says whether it was.
pub fn case(pool: &[Saved], seed: u64) -> bool {
    let mut random = SplitMix64::new(seed);
    let Saved { words, bytes } = &pool[random.bits() as usize % pool.len()];
    let mut words = words.clone();
    for _ in 0..1 + random.bits() % 3 {
        damage(&mut words, *bytes, &mut random);
    }
    layout::repair(&mut words, *bytes);
    if *bytes == 4 { work::<f32>(words, &mut random) } else { work::<f64>(words, &mut random) }
}

/// Changes a word in a part that is chosen first, so that small parts get their share.
fn damage(words: &mut [u64], bytes: usize, random: &mut SplitMix64) {
    let Some(layout) = Layout::of(words, bytes) else { return };
    let parts = [
        (1, layout.config),
        (layout.config, layout.space),
        (layout.space, layout.kernel),
        (layout.kernel, layout.trials),
        (layout.trials, layout.rows),
        (layout.rows, layout.kept),
        (layout.kept, layout.process),
        (layout.fit, layout.fit + 2),
        (layout.process, layout.theta),
        (layout.theta, layout.factor),
        (layout.factor, words.len()),
    ];
    let (first, end) = parts[random.bits() as usize % parts.len()];
    let at = first + random.bits() as usize % (end - first).max(1);
    if at >= words.len() {
        return;
    }
    let old = words[at];
    let other = words[random.bits() as usize % words.len()];
    let float = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        0.0,
        -0.0,
        0.5,
        1.0,
        -1.0,
        2.0,
        1e-300,
        1e300,
        700.0,
        -700.0,
    ][random.bits() as usize % 15];
    let float = if bytes == 8 {
        float.to_bits()
    } else {
        let narrow = u64::from((float as f32).to_bits());
        [narrow | narrow << 32, (old & !0xffff_ffff) | narrow, (old & 0xffff_ffff) | narrow << 32]
            [random.bits() as usize % 3]
    };
    words[at] = match random.bits() % 10 {
        0 | 1 => old ^ (1 << (random.bits() % 64)),
        2 => old ^ (0xff << (8 * (random.bits() % 8))),
        3 => random.bits() % 24,
        4 => [0, 1, u64::MAX, u64::MAX >> 1, 1 << 63, 1 << 32, u64::from(u32::MAX), 1 << 16, 1 << 20]
            [random.bits() as usize % 9],
        5 => other,
        6 => old.wrapping_add(1),
        7 => old.wrapping_sub(1),
        _ => float,
    };
}

/// Asks, tells and predicts with whatever was accepted.
fn work<R: Real>(words: Vec<u64>, random: &mut SplitMix64) -> bool {
    let Ok(mut optimizer) = Optimizer::<R, _>::attach(words) else { return false };
    let mut x = vec![R::ZERO; optimizer.dims()];
    for _ in 0..3 {
        match optimizer.ask(&mut x) {
            Ok(ask) => {
                let mut copy = attached::<R>(optimizer.words());
                let predicted = copy.predict(&x);
                assert!(!matches!(predicted, Err(Error::OutOfRange { .. })), "{x:?} is not in the space");
                match random.bits() % 4 {
                    0 => optimizer.fail(ask.id).unwrap(),
                    1 => {}
                    _ => optimizer.tell(ask.id, R::of(random.between(-1.0, 1.0))).unwrap(),
                }
            }
            Err(error) => {
                let expected = matches!(error, Error::Full | Error::TooManyOpen | Error::Exhausted);
                assert!(expected, "{error}");
            }
        }
        let open = optimizer.trials().find(|t| t.state == State::Open).map(|t| t.id);
        if let Some(id) = open {
            optimizer.tell_noisy(id, R::of(random.between(-1e3, 1e3)), R::of(random.uniform())).unwrap();
        }
        let _ = optimizer.recommend();
        let best = optimizer.best().map(|t| t.value);
        assert!(best.is_none_or(|value| value.is_finite()));
        assert!(optimizer.len() + optimizer.remaining() <= optimizer.limits().trials as usize);
    }
    attached::<R>(optimizer.words());
    true
}

/// What an optimizer leaves can be loaded.
fn attached<R: Real>(words: &[u64]) -> Optimizer<R, Vec<u64>> {
    match Optimizer::attach(words.to_vec()) {
        Ok(optimizer) => optimizer,
        Err(error) => panic!("left a block that does not load: {error}"),
    }
}
