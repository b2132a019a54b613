//! Random programs of calls with good and bad arguments.

use infill::lbfgs::Budget;
use infill::{
    Acquisition, Clause, Condition, Config, Design, Error, Impute, Incumbent, Limits, Noise, Optimizer,
    Origin, Param, Real, Refit, Search, Space, Term, Training, Transform, Trend, TrialId, When, WhenFull,
};
use infill_tests::random::SplitMix64;

use crate::choices;

/// Runs one program in single or double precision; says whether there was an optimizer to run it on.
pub fn case(seed: u64) -> bool {
    let mut random = SplitMix64::new(seed.wrapping_mul(0x1234_5678_9abc_def1));
    if random.bits().is_multiple_of(2) { run::<f32>(&mut random) } else { run::<f64>(&mut random) }
}

fn any_number(random: &mut SplitMix64) -> f64 {
    match random.bits() % 12 {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => -f64::MAX,
        3 => 0.0,
        4 => 10f64.powf(random.between(-300.0, 300.0)),
        5 => (random.bits() % 7) as f64,
        _ => random.between(-3.0, 3.0),
    }
}

fn any_values<'a>(random: &mut SplitMix64, list: &'a [f64]) -> When<'a> {
    match random.bits() % 4 {
        0 => When::Equals(any_number(random)),
        1 => When::In(&list[..random.bits() as usize % list.len()]),
        _ => When::Between(0.0, any_number(random)),
    }
}

fn run<R: Real>(random: &mut SplitMix64) -> bool {
    let levels: Vec<f64> = (0..2 + random.bits() % 3).map(|i| i as f64).collect();
    let dims = 1 + random.bits() as usize % 3;
    let params: Vec<Param> = (0..dims)
        .map(|_| {
            let param = match random.bits() % 6 {
                0 => Param::integer((random.bits() % 3) as i64, (random.bits() % 30) as i64),
                1 => Param::categorical((random.bits() % 5) as u32),
                2 => Param::ordinal(&levels),
                3 => Param::real(any_number(random), any_number(random)),
                4 => Param::real(1e-3, 1.0).log(),
                _ => Param::real(-1.0, 1.0),
            };
            if random.bits().is_multiple_of(8) { param.default_value(any_number(random)) } else { param }
        })
        .collect();
    let conditions: Vec<Condition> = (0..random.bits() % 3)
        .map(|_| {
            let when = any_values(random, &levels);
            let condition = Condition::new((random.bits() % 4) as u32, (random.bits() % 3) as u32, when);
            if random.bits().is_multiple_of(4) { condition.or() } else { condition }
        })
        .collect();
    let terms: Vec<Term> = (0..random.bits() % 3)
        .map(|_| Term { parameter: (random.bits() % 3) as u32, when: any_values(random, &levels) })
        .collect();
    let clauses = [Clause { terms: &terms }];
    let clauses = if random.bits().is_multiple_of(2) { &clauses[..] } else { &[] };
    let Ok(space) = Space::new(&params, &conditions).and_then(|space| space.forbid(clauses)) else {
        return false;
    };
    let imputes = [Impute::Centre, Impute::Usual, Impute::Outside, Impute::Scatter];
    let space = space.impute(imputes[random.bits() as usize % 4]);
    let base = Config::default();
    let budget = Budget { evaluations: (random.bits() % 8) as u32, ..base.surrogate.training.budget };
    let config = base.with(|c| {
        c.seed = random.bits();
        c.design.trials = (random.bits() % 5) as u32;
        c.design.kind = Design::from_code(random.bits() % 5).unwrap();
        c.surrogate.trend = Trend::from_code(random.bits() % 4).unwrap();
        c.targets = Transform::from_code(random.bits() % 4).unwrap();
        c.surrogate.noise = [base.surrogate.noise, Noise::fixed(1e-12)][random.bits() as usize % 2];
        c.proposal.acquisition = [
            Acquisition::Improvement { margin: 0.0 },
            Acquisition::LogImprovement { margin: 0.1 },
            Acquisition::Bound { beta: 2.0 },
            Acquisition::Probability { margin: 0.0 },
            Acquisition::Generalised { order: 3 },
            Acquisition::LogMgf { temperature: 1.0 },
            Acquisition::Deviation,
            Acquisition::Noisy { noise: 0.1 },
        ][random.bits() as usize % 8];
        c.proposal.incumbent =
            if random.bits().is_multiple_of(2) { Incumbent::Observed } else { Incumbent::Mean };
        c.surrogate.training =
            Training { restarts: (random.bits() % 2) as u32, draws: 2, budget, ..base.surrogate.training };
        c.surrogate.refit =
            Refit { growth: random.uniform(), afresh: random.uniform(), evaluations: 4, plenty: 8 };
        c.search = Search {
            global: 16,
            local: (random.bits() % 9) as u32,
            starts: 2,
            polish: budget,
            rounds: 2,
            ..base.search
        };
        c.run.repeats = random.bits().is_multiple_of(4);
        c.run.when_full =
            if random.bits().is_multiple_of(2) { WhenFull::DropWorst } else { WhenFull::Refuse };
    });
    let trials = 1 + (random.bits() % 10) as u32;
    let limits =
        Limits::new(dims as u32, trials).conditions(2, 16).terms(2).trend(10).candidates(8).starts(2);
    let limits = limits.open(1 + (random.bits() % 4) as u32);
    let config = match random.bits() % 3 {
        0 => config,
        _ => choices::choose(random.bits() as usize % choices::COUNT, &config),
    };
    let limits = choices::suit(limits, &config);
    let Ok(mut optimizer) = Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()])
    else {
        return false;
    };
    let mut x = vec![R::ZERO; dims];
    let mut ids = vec![TrialId::from_bits(random.bits())];
    for _ in 0..24 {
        let id = ids[random.bits() as usize % ids.len()];
        let number = R::of(any_number(random));
        let before = optimizer.words().to_vec();
        let error = match random.bits() % 12 {
            0..4 => match optimizer.ask(&mut x) {
                Ok(ask) => {
                    assert!(ids.contains(&ask.id) == (ask.origin == Origin::Queue));
                    ids.push(ask.id);
                    let mut copy = Optimizer::<R, _>::attach(optimizer.words().to_vec()).unwrap();
                    assert!(!matches!(copy.predict(&x), Err(Error::OutOfRange { .. })), "{x:?}");
                    let seen = copy.forget(ask.id).and_then(|()| copy.enqueue(&x));
                    assert!(!matches!(seen, Err(Error::Forbidden { .. })), "{x:?}");
                    None
                }
                Err(error) => Some(error),
            },
            4..7 => {
                let last = *ids.last().unwrap();
                optimizer.tell(last, R::of(random.between(-1.0, 1.0))).err()
            }
            7 => optimizer.tell_noisy(id, number, R::of(any_number(random))).err(),
            8 => optimizer.fail(id).err(),
            9 => optimizer.forget(id).err(),
            10 => {
                for v in &mut x {
                    *v = R::of(any_number(random));
                }
                let added =
                    if number > R::ZERO { optimizer.enqueue(&x) } else { optimizer.observe(&x, number) };
                added.map(|id| ids.push(id)).err()
            }
            _ => {
                let _ = optimizer.recommend();
                let larger = if random.bits().is_multiple_of(2) {
                    limits
                } else {
                    choices::suit(
                        Limits::new(dims as u32, trials + 1).conditions(2, 16).terms(2).trend(10),
                        &config,
                    )
                };
                // The second time the limits have grown already.
                if let Ok(copy) = optimizer.copy_into(larger, vec![0; larger.words::<R>()]) {
                    optimizer = copy;
                }
                None
            }
        };
        // An exhausted space of reals and a failed prediction may have cost work; nothing else leaves a trace.
        if error.is_some_and(|error| !matches!(error, Error::Exhausted | Error::Infeasible)) {
            assert!(optimizer.words() == before, "{error:?} left a trace");
        }
        let words = optimizer.words().to_vec();
        optimizer = Optimizer::attach(words).unwrap_or_else(|e| panic!("a block that does not load: {e}"));
    }
    true
}
