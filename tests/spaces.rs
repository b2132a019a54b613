//! Whole runs in random spaces: every proposal is in the space, none comes twice.

use infill::{
    Condition, Config, Design, Error, Limits, Optimizer, Param, Real, Search, Space, State, TrialId, When,
};
use infill_tests::random::SplitMix64;

/// The description of a parameter, from which the test judges on its own.
#[derive(Clone, Debug)]
enum Axis {
    Real(f64, f64, bool),
    Integer(i64, i64, bool),
    Ordinal(Vec<f64>),
    Categorical(u32),
}

impl Axis {
    fn random(random: &mut SplitMix64) -> Self {
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

    /// A value that a condition may ask for.
    fn some_value(&self, random: &mut SplitMix64) -> When<'static> {
        match self {
            Self::Real(lo, hi, _) => When::Between(*lo, lo + 0.7 * (hi - lo)),
            Self::Integer(lo, hi, _) => When::Between(*lo as f64, (lo + (hi - lo) / 2) as f64),
            Self::Ordinal(levels) => When::Equals(levels[random.bits() as usize % levels.len()]),
            Self::Categorical(count) => When::Equals((random.bits() % u64::from(*count)) as f64),
        }
    }
}

/// The values of the parameters that matter; none for the others.
fn canonical<R: Real>(axes: &[Axis], conditions: &[Condition<'_>], x: &[R]) -> Vec<Option<u64>> {
    let mut values: Vec<Option<u64>> = Vec::new();
    for i in 0..axes.len() {
        let on = conditions.iter().filter(|c| c.child as usize == i).all(|c| {
            let parent = c.parent as usize;
            values[parent].is_some()
                && match c.when {
                    When::Equals(v) => x[parent] == R::of(v),
                    When::Between(a, b) => x[parent] >= R::of(a) && x[parent] <= R::of(b),
                    When::In(list) => list.iter().any(|&v| x[parent] == R::of(v)),
                }
        });
        values.push(on.then(|| x[i].to_f64().to_bits()));
    }
    values
}

fn one_space<R: Real>(seed: u64) {
    let mut random = SplitMix64::new(seed);
    let dims = 1 + (random.bits() % 5) as usize;
    let axes: Vec<Axis> = (0..dims).map(|_| Axis::random(&mut random)).collect();
    let params: Vec<Param> = axes.iter().map(Axis::param).collect();
    let mut conditions = Vec::new();
    for child in 1..dims {
        if random.bits().is_multiple_of(2) {
            let parent = random.bits() as usize % child;
            let when = axes[parent].some_value(&mut random);
            conditions.push(Condition::new(child as u32, parent as u32, when));
        }
    }
    let space =
        Space::new(&params, &conditions).unwrap_or_else(|e| panic!("{seed} {axes:?} {conditions:?}: {e}"));
    let designs = [Design::Uniform, Design::LatinHypercube, Design::Sobol, Design::Halton, Design::Grid];
    let config = Config {
        seed,
        start: (random.bits() % 6) as u32,
        design: designs[random.bits() as usize % 5],
        search: Search { global: 64, local: 48, ..Config::default().search },
        ..Config::default()
    };
    let limits = Limits::new(dims as u32, 20).conditions(conditions.len() as u32, space.levels() as u32);
    let mut optimizer =
        Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).unwrap();
    let mut open: Vec<(TrialId, Vec<R>)> = Vec::new();
    let mut seen: Vec<Vec<Option<u64>>> = Vec::new();
    let mut x = vec![R::ZERO; dims];
    let mut asked = 0;
    while asked < 15 {
        if open.len() < 5 && !random.bits().is_multiple_of(3) {
            match optimizer.ask(&mut x) {
                Ok(ask) => {
                    for (axis, &value) in axes.iter().zip(&x) {
                        assert!(axis.contains(value), "seed {seed}: {value:?} is not in {axis:?}");
                    }
                    let point = canonical(&axes, &conditions, &x);
                    assert!(
                        !seen.contains(&point),
                        "seed {seed}: {x:?} comes twice, {axes:?} {conditions:?}"
                    );
                    seen.push(point);
                    open.push((ask.id, x.clone()));
                    asked += 1;
                }
                Err(Error::Exhausted) => {
                    // At most five values each in a few parameters: the test counts what there is.
                    assert!(
                        all_points(&axes, &conditions) == Some(seen.len()),
                        "seed {seed}: {axes:?} {conditions:?}"
                    );
                    break;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        } else if !open.is_empty() {
            let (id, x) = open.swap_remove(random.bits() as usize % open.len());
            match random.bits() % 8 {
                0 => optimizer.fail(id).unwrap(),
                1 => {
                    // A forgotten point may come again.
                    optimizer.forget(id).unwrap();
                    let point = canonical(&axes, &conditions, &x);
                    seen.retain(|p| *p != point);
                }
                _ => {
                    let y = x.iter().zip(&axes).fold(R::ZERO, |sum, (&v, axis)| match axis {
                        Axis::Categorical(_) => sum + v,
                        _ => sum + v * v,
                    });
                    optimizer.tell(id, y).unwrap();
                }
            }
        }
    }
    // What was proposed is what a user may observe.
    let points: Vec<Vec<R>> = optimizer.trials().map(|t| t.point.to_vec()).collect();
    let states: Vec<State> = optimizer.trials().map(|t| t.state).collect();
    assert_eq!(states.iter().filter(|&&s| s == State::Open).count(), open.len());
    let mut fresh = Optimizer::<R, _>::new(&space, &config, limits, vec![0; limits.words::<R>()]).unwrap();
    for point in points {
        fresh.observe(&point, R::ZERO).unwrap_or_else(|e| panic!("seed {seed}: {point:?} {e}"));
    }
    assert!(Optimizer::<R, _>::attach(optimizer.into_inner()).is_ok(), "seed {seed}");
}

/// The number of different configurations; none if there are infinitely many.
fn all_points(axes: &[Axis], conditions: &[Condition<'_>]) -> Option<usize> {
    let values: Vec<Vec<f64>> = axes
        .iter()
        .map(|axis| match axis {
            Axis::Real(..) => None,
            Axis::Integer(lo, hi, _) => Some((*lo..=*hi).map(|v| v as f64).collect()),
            Axis::Ordinal(levels) => Some(levels.clone()),
            Axis::Categorical(count) => Some((0..*count).map(f64::from).collect()),
        })
        .collect::<Option<_>>()?;
    let mut all = std::collections::BTreeSet::new();
    let total: usize = values.iter().map(Vec::len).product();
    for mut number in 0..total {
        let x: Vec<f64> = values.iter().map(|v| (v[number % v.len()], number /= v.len()).0).collect();
        all.insert(canonical(axes, conditions, &x));
    }
    Some(all.len())
}

#[test]
fn random_spaces_are_kept_to() {
    for seed in 0..250 {
        one_space::<f64>(seed);
        one_space::<f32>(1000 + seed);
    }
}
