//! Lists of sources, damaged or foreign, given to a run ask by ask.

use infill::block::Header;
use infill::kernel::{Dims, Kernel};
use infill::lbfgs::Budget;
use infill::transfer::{Form, How, Near, Source, Sources, Start, Transfer, Weights};
use infill::{
    Acquisition, Clause, Condition, Config, Design, Error, Impute, Model, Optimizer, Origin, Param, Plain,
    Real, Refit, Search, Space, State, Term, Training, Transform, Trend, When, WhenFull, forest,
};
use infill_tests::random::SplitMix64;

type Owned<R> = Optimizer<R, Vec<u64>>;

/// Runs one program in single or double precision; says whether an ask was given sources that were accepted.
pub fn case(seed: u64) -> bool {
    let mut random = SplitMix64::new(seed.wrapping_mul(0x9876_5432_1fed_cba9));
    if one_in(2, &mut random) { run::<f32>(&mut random) } else { run::<f64>(&mut random) }
}

fn one_in(count: u64, random: &mut SplitMix64) -> bool {
    random.bits().is_multiple_of(count)
}

fn pick<T: Copy>(list: &[T], random: &mut SplitMix64) -> T {
    list[random.bits() as usize % list.len()]
}

const LEVELS: &[f64] = &[0.5, 1.0, 4.0, 50.0];

/// A space of every kind of parameter, often with conditions and clauses; `then` is not called if there is none.
fn with_space(random: &mut SplitMix64, then: impl FnOnce(&Space<'_>, &mut SplitMix64) -> bool) -> bool {
    let dims = 1 + random.bits() as usize % 4;
    let params: Vec<Param> = (0..dims)
        .map(|_| {
            let kinds = [
                Param::real(-1.0, 2.0),
                Param::real(1e-3, 1.0).log(),
                Param::integer(-2, 3),
                Param::integer(1, 300).log(),
                Param::ordinal(LEVELS),
                Param::ordinal(LEVELS).log(),
                Param::categorical(3),
                Param::categorical(2),
            ];
            pick(&kinds, random)
        })
        .collect();
    let any = |random: &mut SplitMix64| match random.bits() % 4 {
        0 => When::In(&LEVELS[1..3]),
        1 => When::Between(0.0, 1.5),
        _ => When::Equals(1.0),
    };
    let place = |random: &mut SplitMix64| (random.bits() % dims as u64) as u32;
    let few = |random: &mut SplitMix64| if one_in(2, random) { 0 } else { random.bits() % 3 };
    let conditions: Vec<Condition> =
        (0..few(random)).map(|_| Condition::new(place(random), place(random), any(random))).collect();
    let terms: Vec<Term> =
        (0..few(random)).map(|_| Term { parameter: place(random), when: any(random) }).collect();
    let clauses = [Clause { terms: &terms }];
    // Conditions and clauses that are none of this space are left out.
    let space = Space::new(&params, &conditions).or_else(|_| Space::new(&params, &[]));
    let Ok(space) = space else { return false };
    let space = space.forbid(&clauses).unwrap_or(space);
    let imputes = [Impute::Centre, Impute::Usual, Impute::Outside, Impute::Scatter];
    then(&space.impute(pick(&imputes, random)), random)
}

/// What takes little time.
fn hasty(random: &mut SplitMix64) -> Config<'static> {
    let base = Config::default();
    let budget = Budget { evaluations: (random.bits() % 6) as u32, ..base.surrogate.training.budget };
    base.with(|c| {
        c.seed = random.bits();
        c.design.kind = Design::from_code(random.bits() % 5).unwrap();
        c.surrogate.training = Training { restarts: 0, draws: 2, budget, ..base.surrogate.training };
        c.surrogate.refit = Refit { evaluations: 3, ..base.surrogate.refit };
        c.search = Search { global: 16, local: 4, starts: 2, polish: budget, rounds: 1, ..base.search };
    })
}

/// The sources of some runs over a space.
fn sources<R: Real>(space: &Space<'_>, random: &mut SplitMix64) -> Vec<Vec<u64>> {
    let features = pick(&[0, 0, 2, 22], random);
    let linear = Kernel::matern52(Dims::All).plus(Kernel::linear(Dims::All)).unwrap();
    let config = hasty(random);
    let own = one_in(8, random);
    let count = 1 + random.bits() as usize % 8;
    let mut out = Vec::new();
    for _ in 0..count {
        let rows = 1 + random.bits() as u32 % 8;
        let config = config.with(|c| {
            c.design.trials = rows;
            c.surrogate.kernel = own.then_some(&linear);
        });
        let limits = space.limits(rows).open(rows).kernel(16, 8, 12).suit(&config);
        let Ok(mut optimizer) = Owned::<R>::with_limits(space, &config, limits) else { continue };
        let (flat, size) = (one_in(8, random), pick(&[1.0, 1.0, 1.0, 1e-300, 1e30, 1e300], random));
        let centre = random.uniform();
        let mut point = vec![R::ZERO; space.dims()];
        for _ in 0..rows {
            let Ok(ask) = optimizer.ask(&mut point) else { break };
            let sum: f64 = point.iter().map(|v| (v.to_f64() - centre).powi(2)).sum();
            let value = if flat { 3.0 } else { size * sum };
            // What single precision cannot hold is not told.
            let _ = optimizer.tell(ask.id, R::of(value));
        }
        let form = pick(&[Form::Means, Form::Full], random);
        let features = if one_in(16, random) { features + 1 } else { features };
        let features: Vec<R> = (0..features).map(|_| R::of(random.between(-5.0, 5.0))).collect();
        let Ok(size) = optimizer.source_size(form, features.len()) else { continue };
        let (mut work, mut words) = (vec![0; size.work::<R>()], vec![0; size.words::<R>()]);
        if optimizer.export(form, &features, &mut work, &mut words).is_ok() {
            out.push(words);
        }
    }
    out
}

/// A list of some of the sources, as they are or damaged.
fn list<R: Real>(sources: &[Vec<u64>], foreign: &[u64], random: &mut SplitMix64) -> Vec<u64> {
    let mut out = Vec::new();
    let gentle = one_in(3, random);
    for _ in 0..random.bits() % 7 {
        let Some(whole) = sources.get(random.bits() as usize % sources.len().max(1)) else { break };
        let mut words = whole.clone();
        if !gentle {
            for _ in 0..random.bits() % 3 {
                damage(&mut words, sources, random);
            }
            if !one_in(8, random) {
                let end = words.len();
                Header::write_checksum(&mut words, end);
            }
            // One that is refused leaves nothing of the others: most go without.
            if !one_in(8, random) && Source::<R>::attach(&words).is_err() {
                words = whole.clone();
            }
        }
        out.extend(words);
    }
    if one_in(16, random) {
        out.truncate(random.bits() as usize % (out.len() + 1));
    }
    if one_in(24, random) {
        out.extend(foreign);
    }
    out
}

/// Changes a word, or takes some from another source.
fn damage(words: &mut [u64], sources: &[Vec<u64>], random: &mut SplitMix64) {
    // The first words are few, and say what the others are.
    let end = if one_in(4, random) { words.len().min(12) } else { words.len() };
    let at = random.bits() as usize % end;
    let old = words[at];
    let wide = [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 0.0, -0.0, 0.5, 1.0, -1.0, 1e30, 80.0];
    let wide = pick(&wide, random);
    let narrow = u64::from((wide as f32).to_bits());
    words[at] = match random.bits() % 9 {
        0 => old ^ 1 << (random.bits() % 64),
        1 => old ^ (1 + random.bits() % 255) << (8 * (random.bits() % 8)),
        2 => wide.to_bits(),
        3 => narrow | narrow << 32,
        4 => (old & !0xffff_ffff) | narrow,
        5 => old.wrapping_add(1),
        6 => pick(&[0, 1, 2, 3, u64::MAX, 1 << 63, 1 << 12, 1 << 32], random),
        7 => words[random.bits() as usize % words.len()],
        _ => {
            // The same place of another source, or another one.
            let other = &sources[random.bits() as usize % sources.len()];
            let from = if one_in(2, random) { at } else { random.bits() as usize % other.len() };
            let count = 1 + random.bits() as usize % 6;
            let (into, from) = (&mut words[at..], other.get(from..).unwrap_or(&[]));
            let count = count.min(into.len()).min(from.len());
            into[..count].copy_from_slice(&from[..count]);
            return;
        }
    };
}

/// A number that may be one of a setting.
fn setting(random: &mut SplitMix64) -> f64 {
    let any = [0.0, 1.0, 0.1, 0.5, 3.25, 1e-300, 1e300, -1.0, f64::NAN, f64::INFINITY];
    if one_in(8, random) { pick(&any, random) } else { pick(&any[2..5], random).min(1.0) }
}

fn transfer(random: &mut SplitMix64) -> Transfer {
    let weights = match random.bits() % 4 {
        0 => Weights::Features { rho: setting(random) },
        1 => Weights::Ranks { rho: setting(random) },
        2 => Weights::Experts,
        _ => Weights::Sampled { draws: pick(&[1, 3, 5, 9, 0, 5000], random) },
    };
    let by = pick(&[Near::Features, Near::Ranks], random);
    let how = match random.bits() % 10 {
        0 => How::Alone,
        1 | 2 => How::Stage(weights),
        3 | 4 => How::Value(weights),
        5 => How::Function { alpha: setting(random), growth: (random.bits() % 12) as u32 },
        6 => How::Neighbours { alpha: setting(random), count: (random.bits() % 18) as u32, by },
        7 => pick(&[How::Ranker, How::Perceptron], random),
        _ => How::Prior,
    };
    let start = Start::from_code(random.bits() % 6).unwrap();
    let trials = if one_in(16, random) { 300 } else { random.bits() as u32 % 5 };
    Transfer { start, trials, how, keep: if one_in(2, random) { 1.0 } else { setting(random) } }
}

fn run<R: Real>(random: &mut SplitMix64) -> bool {
    with_space(random, |space, random| {
        let sources = sources::<R>(space, random);
        let foreign = foreign::<R>(space, random);
        let lists: Vec<Vec<u64>> = (0..3).map(|_| list::<R>(&sources, &foreign, random)).collect();
        let config = hasty(random).with(|c| {
            c.transfer = transfer(random);
            c.design.trials = random.bits() as u32 % 4;
            c.surrogate.trend = Trend::from_code(random.bits() % 4).unwrap();
            c.targets = Transform::from_code(random.bits() % 4).unwrap();
            if one_in(8, random) {
                c.surrogate.model = Model::Trees(forest::Settings::RANDOM);
            }
            if one_in(3, random) {
                c.proposal.acquisition = pick(
                    &[
                        Acquisition::Improvement { margin: 0.0 },
                        Acquisition::Noisy { noise: 0.1 },
                        Acquisition::Bound { beta: 2.0 },
                        Acquisition::Probability { margin: 0.0 },
                    ],
                    random,
                );
            }
            c.run.repeats = one_in(4, random);
            c.run.when_full = pick(&[WhenFull::DropWorst, WhenFull::Refuse], random);
        });
        let trials = 1 + random.bits() as u32 % 12;
        let few = one_in(8, random);
        let (most, rows) = if few { (2, 3) } else { (8, 8) };
        let limits = space.limits(trials).open(1 + random.bits() as u32 % 3).kernel(16, 8, 12).trend(15);
        let limits =
            limits.candidates(8).starts(2).forest(6, 0).sources(most).source_rows(rows).suit(&config);
        let Ok(optimizer) = Owned::<R>::with_limits(space, &config, limits) else { return false };
        work(optimizer, &lists, &config.transfer, random)
    })
}

/// Words that are no source of this space: of another scalar, of another space, of another kind, of nothing.
fn foreign<R: Real>(space: &Space<'_>, random: &mut SplitMix64) -> Vec<u64> {
    let params = [Param::real(0.0, 1.0); 5];
    let other = Space::new(&params, &[]).unwrap();
    match random.bits() % 4 {
        0 if R::BYTES == 8 => sources::<f32>(space, random).concat(),
        0 => sources::<f64>(space, random).concat(),
        1 => sources::<R>(&other, random).concat(),
        2 => Owned::<R>::with_limits(&other, &Config::default(), other.limits(2)).unwrap().into_inner(),
        _ => (0..random.bits() % 40).map(|_| random.bits()).collect(),
    }
}

/// Asks with one list after the other, and tells.
fn work<R: Real>(
    mut optimizer: Owned<R>,
    lists: &[Vec<u64>],
    transfer: &Transfer,
    random: &mut SplitMix64,
) -> bool {
    let mut helped = false;
    let mut x = vec![R::ZERO; optimizer.dims()];
    let features: Vec<R> = (0..22).map(|_| R::of(random.between(-5.0, 5.0))).collect();
    for _ in 0..10 {
        let before = optimizer.words().to_vec();
        let open = optimizer.trials().find(|trial| trial.state == State::Open).map(|trial| trial.id);
        let value = R::of(pick(&[1.0, 1.0, 1.0, 1e30], random) * random.between(-1.0, 1.0));
        let error = match (random.bits() % 12, open) {
            (0..3, Some(id)) => optimizer.tell(id, value).err(),
            (3, Some(id)) => optimizer.fail(id).err(),
            (4, _) => optimizer.observe(&x, value).err(),
            (5, _) => optimizer.enqueue(&x).err(),
            (6, _) => {
                let _ = optimizer.recommend();
                let _ = optimizer.predict(&x);
                continue;
            }
            _ => {
                let words = &lists[random.bits() as usize % lists.len()];
                let list = Sources::<R>::attach(words).unwrap_or_default();
                let own = list.iter().next().map_or(0, |source| source.features().len());
                let own = if one_in(8, random) { random.bits() as usize % 22 } else { own.min(22) };
                let list = list.with_features(&features[..own]).unwrap();
                let answer = if one_in(6, random) {
                    optimizer.ask(&mut x)
                } else {
                    optimizer.ask_from(&list, &mut Plain, &mut x)
                };
                if let Ok(ask) = &answer {
                    assert!(ask.acquisition.is_finite() || ask.acquisition.is_nan());
                    helped |= !list.is_empty() && matches!(ask.origin, Origin::Source | Origin::Model);
                    let mut copy = Owned::<R>::attach(optimizer.words().to_vec()).unwrap();
                    assert!(!matches!(copy.predict(&x), Err(Error::OutOfRange { .. })), "{x:?}");
                    let seen = copy.forget(ask.id).and_then(|()| copy.enqueue(&x));
                    assert!(!matches!(seen, Err(Error::Forbidden { .. })), "{x:?}");
                }
                answer.err()
            }
        };
        // An exhausted space and a space of which nothing was found may have cost work; nothing else leaves a trace.
        let may = |error: &Error| matches!(error, Error::Exhausted | Error::Infeasible);
        if let Some(error) = error.filter(|error| !may(error)) {
            assert!(optimizer.words() == before, "{error:?} left a trace: {transfer:?}");
        }
        let words = optimizer.words().to_vec();
        optimizer = Owned::attach(words).unwrap_or_else(|e| panic!("a block that does not load: {e}"));
    }
    helped
}
