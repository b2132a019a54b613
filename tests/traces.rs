//! Whole runs with fixed hyperparameters propose what was computed elsewhere, step by step.

use infill::kernel::{Dims, Kernel, Prior, Role};
use infill::lbfgs::Budget;
use infill::{
    Acquisition, Config, Interleave, Limits, Noise, Optimizer, Origin, Param, Search, Space, Transform, Trend,
};
use infill_tests::oracle::load;
use infill_tests::problems;

/// The run of a case: maximises `f` by telling −f, and checks every proposal and its expected improvement.
fn trace(name: &str, f: impl Fn(&[f64]) -> f64, tolerance: f64) {
    let oracle = load("golden");
    let case = oracle.case(name);
    let (lower, upper) = (case.numbers("lower"), case.numbers("upper"));
    let dims = lower.len();
    let all = Dims::All;
    let leaf = match case.text("kernel") {
        "se" => Kernel::squared_exponential(all),
        "matern32" => Kernel::matern32(all),
        other => panic!("{other}"),
    };
    // One in user units; the model works on the unit cube.
    let length = 1.0 / (upper[0] - lower[0]);
    let kernel = leaf.with(Role::Length, length, length..length, Prior::Flat);
    let config = Config::default().with(|c| {
        c.design.trials = 1;
        c.surrogate.kernel = Some(&kernel);
        c.surrogate.trend = Trend::Zero;
        c.targets = Transform::None;
        c.surrogate.noise = Noise::fixed(1e-6);
        c.proposal.acquisition = Acquisition::Improvement { margin: 0.0 };
        c.proposal.interleave = Interleave::NEVER;
        c.search = Search {
            global: 4096,
            local: 512,
            starts: 8,
            polish: Budget { evaluations: 100, tolerance: 1e-12, reach: 0.01 },
            rounds: 4,
            ..Config::default().search
        };
    });
    let params: Vec<Param> = lower.iter().zip(&upper).map(|(&a, &b)| Param::real(a, b)).collect();
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(dims as u32, 32);
    let mut optimizer =
        Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
    let starts = case.rows("start");
    for (i, start) in starts.iter().enumerate() {
        let y = f(start);
        if case.has("y") {
            let printed = case.numbers("y")[i];
            assert!((y - printed).abs() < 1e-5, "{name}: {y} {printed}");
        }
        optimizer.observe(start, -y).unwrap();
    }
    for (step, (proposal, ei)) in case.rows("proposal").iter().zip(case.numbers("ei")).enumerate() {
        let mut x = vec![0.0; dims];
        let ask = optimizer.ask(&mut x).unwrap();
        assert_eq!(ask.origin, Origin::Model);
        for (ours, theirs) in x.iter().zip(proposal) {
            assert!((ours - theirs).abs() < tolerance, "{name} step {step}: {x:?} {proposal:?}");
        }
        assert!(
            (ask.acquisition - ei).abs() < 2e-3 * ei.abs(),
            "{name} step {step}: {} {ei}",
            ask.acquisition
        );
        optimizer.tell(ask.id, -f(&x)).unwrap();
    }
    if case.has("best") {
        let best = -optimizer.best().unwrap().value;
        assert!((best - case.number("best")).abs() < 2e-3, "{name}: {best}");
    }
}

#[test]
fn sine() {
    trace("run/sine", |x| x[0].sin(), 1e-3);
}

#[test]
fn franke() {
    let f = |p: &[f64]| {
        let (x, y) = (9.0 * p[0], 9.0 * p[1]);
        0.75 * (-((x - 2.0).powi(2) + (y - 2.0).powi(2)) / 4.0).exp()
            + 0.75 * (-(x + 1.0).powi(2) / 49.0 - (y + 1.0) / 10.0).exp()
            + 0.5 * (-((x - 7.0).powi(2) + (y - 3.0).powi(2)) / 4.0).exp()
            - 0.25 * (-(x - 4.0).powi(2) / 2.0 - (y - 7.0).powi(2)).exp()
    };
    trace("run/franke", f, 2e-3);
}

#[test]
fn rastrigin() {
    let problem = problems::rastrigin(2);
    trace("run/rastrigin", |x| problem.value(x), 1e-3);
}

/// With the defaults, from the three stored points: 6.0 or more within 13 evaluations in all.
#[test]
fn forrester_with_defaults() {
    let oracle = load("golden");
    let case = oracle.case("run/forrester");
    let problem = problems::forrester();
    let params = [Param::real(0.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(1, 13);
    let mut reached = 0;
    for seed in 0..10 {
        let config = Config { seed, ..Config::default() };
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
        for (x, y) in case.rows("start").iter().zip(case.numbers("y")) {
            assert!((-problem.value(x) - y).abs() < 1e-5);
            optimizer.observe(x, problem.value(x)).unwrap();
        }
        let mut x = [0.0];
        for _ in 3..13 {
            let ask = optimizer.ask(&mut x).unwrap();
            optimizer.tell(ask.id, problem.value(&x)).unwrap();
        }
        let best = optimizer.best().unwrap();
        let good = -best.value >= 6.0 && (best.point[0] - case.number("x")).abs() < 0.01;
        assert!(good || seed > 0, "the default seed ends at {best:?}");
        reached += u32::from(good);
    }
    println!("{reached} of 10 seeds");
    // Two of the three points are almost one, so that some seeds follow the other valley to the end.
    assert!(reached >= 8, "{reached} of 10");
}

/// Proposals of the bound report the expected improvement too, not the bound they were chosen by.
#[test]
fn every_proposal_reports_the_rule() {
    let params = [Param::real(-1.0, 1.0), Param::real(-1.0, 1.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(2, 24);
    let config =
        Config::default().with(|c| c.proposal.acquisition = Acquisition::Improvement { margin: 0.0 });
    let words = vec![0; limits.words::<f64>()];
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, words).unwrap();
    let mut x = [0.0; 2];
    let mut proposals = 0;
    for _ in 0..24 {
        let ask = optimizer.ask(&mut x).unwrap();
        optimizer.tell(ask.id, 5.0 + x[0] * x[0] + (3.0 * x[1]).cos()).unwrap();
        if ask.origin == Origin::Model {
            proposals += 1;
            assert!(ask.acquisition >= 0.0, "{ask:?}");
        }
    }
    assert!(proposals > 15);
}
