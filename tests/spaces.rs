//! Whole runs in random spaces: every proposal is in the space and allowed, none comes twice, and what does not matter
//! changes nothing. Proposals are judged as the user gets them, also where the scalar has few values between two bounds.

use infill::lbfgs::Budget;
use infill::search::Method;
use infill::{
    Baseline, Clause, Condition, Config, Design, Error, Impute, Limits, Model, Optimizer, Param, Real, Refit,
    Search, Space, State, Term, Training, TrialId, When, forest,
};
use infill_tests::random::SplitMix64;

/// Which reals a space has.
#[derive(Clone, Copy, PartialEq)]
enum Reals {
    /// Bounds far apart.
    Wide,
    /// Mostly bounds between which the scalar has few values.
    Narrow,
}

/// The description of a parameter, from which the test judges on its own.
#[derive(Clone, Debug)]
enum Axis {
    Real(f64, f64, bool),
    Integer(i64, i64, bool),
    Ordinal(Vec<f64>),
    Categorical(u32),
}

impl Axis {
    /// A real between whose bounds the scalar has 2 to 40 values.
    fn narrow<R: Real>(random: &mut SplitMix64) -> Self {
        let log = random.bits().is_multiple_of(4);
        let size = match random.bits() % 4 {
            // Numbers without leading bits lie evenly around zero.
            0 if !log => 1e3 * R::MIN_POSITIVE.to_f64() * R::EPSILON.to_f64(),
            1 => 2f64.powi(random.below(40) as i32 - 20),
            _ => 10f64.powf(random.between(-6.0, 15.0)),
        };
        let lo = R::of(if log { size } else { size * random.between(-1.0, 1.0) });
        let mut hi = next(lo);
        for _ in 0..random.below(39) {
            hi = next(hi);
        }
        Self::Real(lo.to_f64(), hi.to_f64(), log)
    }

    fn random<R: Real>(random: &mut SplitMix64, reals: Reals) -> Self {
        if reals == Reals::Narrow && !random.bits().is_multiple_of(3) {
            return Self::narrow::<R>(random);
        }
        let log = random.bits().is_multiple_of(2);
        match random.bits() % 5 {
            0 | 1 => {
                let lo =
                    if log { 10f64.powf(random.between(-6.0, 2.0)) } else { random.between(-100.0, 100.0) };
                let hi = if log {
                    lo * 10f64.powf(random.between(0.1, 6.0))
                } else {
                    lo + random.between(0.1, 200.0)
                };
                Self::Real(lo, hi, log)
            }
            2 => {
                let lo = if log { 1 + (random.bits() % 5) as i64 } else { (random.bits() % 20) as i64 - 10 };
                Self::Integer(lo, lo + 1 + (random.bits() % 100) as i64, log)
            }
            3 => {
                let mut level = random.between(-5.0, 5.0);
                let count = 2 + random.bits() % 4;
                Self::Ordinal((0..count).map(|_| (level, level += random.between(0.5, 3.0)).0).collect())
            }
            _ => Self::Categorical(2 + (random.bits() % 5) as u32),
        }
    }

    fn param(&self) -> Param<'_> {
        let with = |param: Param<'static>, log: bool| if log { param.log() } else { param };
        match self {
            Self::Real(lo, hi, log) => with(Param::real(*lo, *hi), *log),
            Self::Integer(lo, hi, log) => with(Param::integer(*lo, *hi), *log),
            Self::Ordinal(levels) => Param::ordinal(levels),
            Self::Categorical(count) => Param::categorical(*count),
        }
    }

    /// Whether a value is one of this parameter's, in the scalar it was computed in.
    fn contains<R: Real>(&self, value: R) -> bool {
        let v = value.to_f64();
        match self {
            Self::Real(lo, hi, _) => value >= R::of(*lo) && value <= R::of(*hi),
            Self::Integer(lo, hi, _) => v.fract() == 0.0 && v >= *lo as f64 && v <= *hi as f64,
            Self::Ordinal(levels) => levels.iter().any(|&level| R::of(level) == value),
            Self::Categorical(count) => v.fract() == 0.0 && v >= 0.0 && v < f64::from(*count),
        }
    }

    /// Whether it is a real of more values than a test goes through.
    fn is_wide<R: Real>(&self) -> bool {
        let Self::Real(lo, hi, _) = self else { return false };
        std::iter::successors(Some(R::of(*lo)), |&v| Some(next(v))).take(50).all(|v| v < R::of(*hi))
    }

    /// Values that a condition or a clause may name.
    fn some_values(&self, random: &mut SplitMix64) -> When<'_> {
        let pick = random.bits();
        let shape = random.bits() % 3;
        match self {
            Self::Real(lo, hi, _) => {
                let (a, b) = (random.uniform(), random.uniform());
                // The sum may be rounded beyond a bound.
                let at = |part: f64| (lo + part * (hi - lo)).min(*hi);
                if pick.is_multiple_of(8) {
                    When::Equals(at(a))
                } else {
                    When::Between(at(a.min(b)), at(a.max(b)))
                }
            }
            Self::Integer(lo, hi, _) => {
                let (a, b) = (pick % (hi - lo + 1) as u64, random.bits() % (hi - lo + 1) as u64);
                When::Between((lo + a.min(b) as i64) as f64, (lo + a.max(b) as i64) as f64)
            }
            Self::Ordinal(levels) => {
                let i = pick as usize % levels.len();
                match shape {
                    0 => When::Equals(levels[i]),
                    1 => When::In(&levels[i..]),
                    _ => When::Between(levels[0] - 1.0, levels[i] + 0.1),
                }
            }
            Self::Categorical(count) => {
                let i = (pick % u64::from(*count)) as usize;
                match shape {
                    0 => When::Equals(i as f64),
                    1 => When::In(&NAMES[i..i + 1 + (*count as usize - i) / 2]),
                    _ => When::Between(0.0, i as f64),
                }
            }
        }
    }

    /// A value of the parameter.
    fn some_value(&self, random: &mut SplitMix64) -> f64 {
        match self {
            Self::Real(lo, hi, _) => (lo + random.uniform() * (hi - lo)).min(*hi),
            Self::Integer(lo, hi, _) => (lo + (random.bits() % (hi - lo + 1) as u64) as i64) as f64,
            Self::Ordinal(levels) => levels[random.bits() as usize % levels.len()],
            Self::Categorical(count) => (random.bits() % u64::from(*count)) as f64,
        }
    }
}

/// The next larger value of the scalar.
fn next<R: Real>(value: R) -> R {
    let value = value.to_f64();
    R::of(if R::BYTES == 4 { f64::from((value as f32).next_up()) } else { value.next_up() })
}

const NAMES: [f64; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

fn among<R: Real>(when: When<'_>, x: R) -> bool {
    match when {
        When::Equals(v) => x == R::of(v),
        When::Between(a, b) => x >= R::of(a) && x <= R::of(b),
        When::In(list) => list.iter().any(|&v| x == R::of(v)),
    }
}

/// A space as the test sees it.
struct Scene<'a> {
    axes: &'a [Axis],
    conditions: Vec<Condition<'a>>,
    clauses: &'a [Clause<'a>],
}

impl Scene<'_> {
    /// Whether a parameter matters, given those before it; none of which does not matter.
    fn matters<R: Real>(&self, i: usize, before: &[Option<R>]) -> bool {
        let mut met = true;
        for c in self.conditions.iter().filter(|c| c.child as usize == i) {
            let holds = before[c.parent as usize].is_some_and(|x| among(c.when, x));
            if c.or {
                met |= holds;
            } else if met {
                met = holds;
            } else {
                return false;
            }
        }
        met
    }

    /// The values of the parameters that matter; none for the others.
    fn canonical<R: Real>(&self, x: &[R]) -> Vec<Option<R>> {
        let mut values: Vec<Option<R>> = Vec::new();
        for (i, &x) in x.iter().enumerate() {
            let on = self.matters(i, &values);
            values.push(on.then_some(x));
        }
        values
    }

    fn allows<R: Real>(&self, values: &[Option<R>]) -> bool {
        let holds = |t: &Term<'_>| values[t.parameter as usize].is_some_and(|x| among(t.when, x));
        !self.clauses.iter().any(|clause| clause.terms.iter().all(holds))
    }

    /// The number of different configurations; none if there are very many.
    fn all_points<R: Real>(&self) -> Option<usize> {
        let mut open = vec![Vec::<Option<R>>::new()];
        let mut count = 0;
        while let Some(values) = open.pop() {
            let i = values.len();
            if i == self.axes.len() {
                if self.allows(&values) {
                    let wide = |(axis, v): (&Axis, &Option<R>)| axis.is_wide::<R>() && v.is_some();
                    if self.axes.iter().zip(&values).any(wide) {
                        return None;
                    }
                    count += 1;
                    assert!(count < 1000, "few are left");
                }
                continue;
            }
            let own = if self.matters(i, &values) {
                self.values(i).into_iter().map(Some).collect()
            } else {
                vec![None]
            };
            open.extend(own.into_iter().map(|v| values.iter().copied().chain([v]).collect::<Vec<_>>()));
        }
        Some(count)
    }

    /// The values of a parameter; of a wide real, one between any two that rules tell apart.
    fn values<R: Real>(&self, i: usize) -> Vec<R> {
        match &self.axes[i] {
            Axis::Integer(lo, hi, _) => (*lo..=*hi).map(|v| R::of(v as f64)).collect(),
            Axis::Ordinal(levels) => levels.iter().map(|&level| R::of(level)).collect(),
            Axis::Categorical(count) => (0..*count).map(|v| R::of(f64::from(v))).collect(),
            axis @ Axis::Real(lo, hi, _) if !axis.is_wide::<R>() => {
                std::iter::successors(Some(R::of(*lo)), |&v| Some(next(v)))
                    .take_while(|&v| v <= R::of(*hi))
                    .collect()
            }
            Axis::Real(lo, hi, _) => {
                let of_conditions = self.conditions.iter().map(|c| (c.parent, c.when));
                let of_terms = self.clauses.iter().flat_map(|c| c.terms).map(|t| (t.parameter, t.when));
                let mut edges = vec![*lo, *hi];
                for (_, when) in of_conditions.chain(of_terms).filter(|rule| rule.0 as usize == i) {
                    if let When::Between(a, b) = when {
                        edges.extend([a, b]);
                    }
                }
                edges.sort_by(f64::total_cmp);
                edges
                    .windows(2)
                    .filter(|e| e[1] - e[0] > 1e-12 * e[1].abs())
                    .map(|e| R::of(0.5 * (e[0] + e[1])))
                    .collect()
            }
        }
    }
}

/// Little of everything: what matters here is where proposals lie.
fn settings(seed: u64, random: &mut SplitMix64) -> Config<'static> {
    let designs = [Design::Uniform, Design::LatinHypercube, Design::Sobol, Design::Halton, Design::Grid];
    let whole = Config::default();
    let budget = Budget { evaluations: 4, ..whole.surrogate.training.budget };
    let frees = [
        Baseline::Random,
        Baseline::Grid { levels: 3 },
        Baseline::Sobol,
        Baseline::ANNEAL,
        Baseline::TPE,
        Baseline::CMA_ES,
        Baseline::Evolution { parents: 2, offspring: 4 },
    ];
    let (model, baseline) = match random.bits() % 8 {
        0 | 1 => (Model::Trees(forest::Settings::RANDOM), None),
        2 | 3 => (Model::Process, Some(frees[random.bits() as usize % frees.len()])),
        _ => (Model::Process, None),
    };
    let method = Method::ALL[random.bits() as usize % Method::ALL.len()];
    whole.with(|c| {
        c.seed = seed;
        c.surrogate.model = model;
        c.proposal.baseline = baseline;
        c.design.trials = 1 + (random.bits() % 4) as u32;
        c.design.kind = designs[random.bits() as usize % 5];
        c.run.repeats = random.bits().is_multiple_of(8);
        c.surrogate.training = Training { restarts: 0, draws: 1, budget, ..whole.surrogate.training };
        c.surrogate.refit = Refit { growth: 0.5, afresh: 5.0, evaluations: 2, plenty: 3 };
        c.search = Search { global: 12, local: 8, starts: 2, polish: budget, rounds: 1, method };
    })
}

/// Runs an optimizer in a random space; how much it was asked.
fn one_space<R: Real>(seed: u64, reals: Reals) -> usize {
    let mut random = SplitMix64::new(seed);
    let (most, asks) = match reals {
        Reals::Wide => (6, 8),
        Reals::Narrow => (3, 40),
    };
    let dims = 1 + (random.bits() % most) as usize;
    let axes: Vec<Axis> = (0..dims).map(|_| Axis::random::<R>(&mut random, reals)).collect();
    let params: Vec<Param> = axes
        .iter()
        .map(|axis| match random.bits() % 3 {
            0 => axis.param().default_value(axis.some_value(&mut random)),
            _ => axis.param(),
        })
        .collect();
    let mut conditions: Vec<Condition> = Vec::new();
    for child in 1..dims {
        for _ in 0..random.bits() % 4 {
            let parent = random.bits() as usize % child;
            let when = axes[parent].some_values(&mut random);
            let condition = Condition::new(child as u32, parent as u32, when);
            let again = conditions.last().is_some_and(|c| c.child == condition.child);
            conditions.push(if again && random.bits().is_multiple_of(2) {
                condition.or()
            } else {
                condition
            });
            match Space::new(&params, &conditions) {
                Ok(_) => {}
                // It contradicts the others.
                Err(Error::Condition { .. }) => drop(conditions.pop()),
                Err(error) => panic!("{seed} {axes:?} {conditions:?}: {error}"),
            }
        }
    }
    let terms: Vec<Vec<Term>> = (0..random.bits() % 4)
        .map(|_| {
            let named = |_: &usize| random.bits().is_multiple_of(3);
            let chosen: Vec<usize> = (0..dims).filter(named).collect();
            let term = |i: usize| Term { parameter: i as u32, when: axes[i].some_values(&mut random) };
            chosen.into_iter().map(term).collect::<Vec<Term>>()
        })
        .filter(|terms| !terms.is_empty())
        .collect();
    let imputes = [Impute::Centre, Impute::Usual, Impute::Outside, Impute::Scatter];
    let space = Space::new(&params, &conditions).unwrap().impute(imputes[random.bits() as usize % 4]);
    let mut clauses: Vec<Clause> = Vec::new();
    for terms in &terms {
        clauses.push(Clause { terms });
        match space.forbid(&clauses) {
            Ok(_) => {}
            Err(Error::Infeasible) => drop(clauses.pop()),
            Err(error) => panic!("{seed} {axes:?} {clauses:?}: {error}"),
        }
    }
    let space = space.forbid(&clauses).unwrap();
    let scene = Scene { axes: &axes, conditions: conditions.clone(), clauses: &clauses };
    let says = || format!("seed {seed}: {axes:?} {conditions:?} {clauses:?}");
    let config = settings(seed, &mut random);
    let limits = Limits::new(dims as u32, asks + 4)
        .conditions(conditions.len() as u32, space.levels() as u32)
        .terms(space.terms() as u32)
        .candidates(8)
        .starts(2)
        .forest(if matches!(config.surrogate.model, Model::Trees(_)) { 5 } else { 0 }, 0)
        .suit(&config);
    let fresh = || Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut optimizer = fresh();
    let mut open: Vec<(TrialId, Vec<R>)> = Vec::new();
    let mut seen: Vec<Vec<Option<R>>> = Vec::new();
    let mut x = vec![R::ZERO; dims];
    let mut asked = 0;
    while asked < asks as usize {
        if open.len() < 3 && !random.bits().is_multiple_of(3) {
            match optimizer.ask(&mut x) {
                Ok(ask) => {
                    for (axis, &value) in axes.iter().zip(&x) {
                        assert!(axis.contains(value), "{value:?} is not in {axis:?}, {}", says());
                    }
                    let point = scene.canonical(&x);
                    assert!(scene.allows(&point), "{x:?} is forbidden, {}", says());
                    assert!(config.run.repeats || !seen.contains(&point), "{x:?} comes twice, {}", says());
                    seen.push(point);
                    open.push((ask.id, x.clone()));
                    asked += 1;
                }
                Err(Error::Exhausted) => {
                    // A mesh ends before a space of numbers does.
                    let mesh = matches!(config.proposal.baseline, Some(Baseline::Grid { .. }));
                    let all = || !config.run.repeats && scene.all_points::<R>() == Some(seen.len());
                    assert!(mesh || all(), "{:?} {}", config.proposal.baseline, says());
                    break;
                }
                // Nothing may be left in this scalar, though numbers between its values are.
                Err(Error::Infeasible) if scene.all_points::<R>() == Some(0) => break,
                Err(error) => panic!("{error}, {}", says()),
            }
        } else if !open.is_empty() {
            let (id, x) = open.swap_remove(random.bits() as usize % open.len());
            match random.bits() % 8 {
                0 => optimizer.fail(id).unwrap(),
                1 => {
                    // A forgotten point may come again.
                    optimizer.forget(id).unwrap();
                    let point = scene.canonical(&x);
                    seen.retain(|p| *p != point);
                }
                _ => optimizer.tell(id, value(&x, &axes)).unwrap(),
            }
        }
    }
    // What was proposed is what a user may observe, whatever stands where it does not matter.
    let points: Vec<Vec<R>> = optimizer.trials().map(|t| t.point.to_vec()).collect();
    let states: Vec<State> = optimizer.trials().map(|t| t.state).collect();
    assert_eq!(states.iter().filter(|&&s| s == State::Open).count(), open.len());
    let (mut clean, mut littered) = (fresh(), fresh());
    let mut litter = |point: &[R]| {
        let rubbish = |random: &mut SplitMix64| match random.bits() % 3 {
            0 => R::NAN,
            1 => R::of(random.between(-1e3, 1e3)),
            _ => R::INFINITY,
        };
        let canonical = scene.canonical(point);
        canonical.into_iter().map(|v| v.unwrap_or_else(|| rubbish(&mut random))).collect::<Vec<R>>()
    };
    let last = points.last().cloned();
    for point in points {
        let y = value(&point, &axes);
        for (optimizer, point) in [(&mut clean, point.clone()), (&mut littered, litter(&point))] {
            optimizer.observe(&point, y).unwrap_or_else(|e| panic!("{point:?} {e}, {}", says()));
        }
    }
    let bits = |x: &[R]| x.iter().map(|v| v.to_f64().to_bits()).collect::<Vec<u64>>();
    if let Some(point) = last {
        let one = clean.predict(&point).map(|p| bits(&[p.mean, p.variance]));
        assert_eq!(one, littered.predict(&litter(&point)).map(|p| bits(&[p.mean, p.variance])), "{}", says());
    }
    let mut other = x.clone();
    let (one, two) = (clean.ask(&mut x), littered.ask(&mut other));
    assert_eq!(one.map(|a| a.origin), two.map(|a| a.origin), "{}", says());
    assert_eq!(bits(&x), bits(&other), "{}", says());
    assert!(clean.words() == littered.words(), "{}", says());
    let attached = Optimizer::<R, _>::attach(optimizer.into_inner()).map(|_| ());
    assert_eq!(attached, Ok(()), "{:?} {limits:?} {}", config.surrogate.model, says());
    asked
}

/// The value of a point, by what it says alone.
fn value<R: Real>(x: &[R], axes: &[Axis]) -> R {
    x.iter().zip(axes).fold(R::ZERO, |sum, (&v, axis)| match axis {
        Axis::Categorical(_) => sum + v,
        Axis::Real(lo, hi, _) => {
            let part = (v.to_f64() - lo) / (hi - lo);
            sum + R::of(part * part)
        }
        Axis::Integer(..) | Axis::Ordinal(_) => sum + v * v,
    })
}

/// Every `smaller`-th space in the smaller scalar.
fn run(seeds: core::ops::Range<u64>, reals: Reals, smaller: u64) -> usize {
    let one = |seed: u64| match seed % smaller {
        last if last + 1 == smaller => one_space::<f32>(seed, reals),
        _ => one_space::<f64>(seed, reals),
    };
    seeds.map(one).sum()
}

#[test]
fn random_spaces_are_kept_to() {
    assert!(run(0..2000, Reals::Wide, 8) > 10_000);
}

#[test]
fn reals_of_few_values_are_kept_to() {
    assert!(run(0..1000, Reals::Narrow, 2) > 10_000);
}

#[test]
#[ignore = "long: ten thousand spaces, some minutes"]
fn many_reals_of_few_values_are_kept_to() {
    assert!(run(2_000_000..2_010_000, Reals::Narrow, 2) > 100_000);
}

#[test]
#[ignore = "long: a hundred thousand spaces, some minutes; INFILL_SPACES says how many"]
fn many_random_spaces_are_kept_to() {
    let count = std::env::var("INFILL_SPACES").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let asked = run(1_000_000..1_000_000 + count, Reals::Wide, 8);
    println!("{count} spaces, {asked} asks");
}
