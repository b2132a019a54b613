//! Where trials fail, the optimizer learns to stay away and still finds the minimum.

use infill::{Config, Limits, Optimizer, Param, Space};
use infill_tests::{problems, summary};

/// 30 % of the area of Branin's domain, with one of its three minima in it.
fn fails(x: &[f64]) -> bool {
    x[0] > 5.5
}

#[test]
fn branin_with_a_third_of_its_domain_failing() {
    let problem = problems::branin();
    let params = [Param::real(-5.0, 10.0), Param::real(0.0, 15.0)];
    let space = Space::new(&params, &[]).unwrap();
    let limits = Limits::new(2, 60);
    let mut regrets = Vec::new();
    let mut failures = Vec::new();
    for seed in 0..7 {
        let config = Config { seed, ..Config::default() };
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()]).unwrap();
        let mut x = [0.0; 2];
        let mut failed = 0;
        for _ in 0..60 {
            let ask = optimizer.ask(&mut x).unwrap();
            if fails(&x) {
                failed += 1;
                optimizer.fail(ask.id).unwrap();
            } else {
                optimizer.tell(ask.id, problem.value(&x)).unwrap();
            }
        }
        let best = optimizer.best().unwrap();
        assert!(!fails(best.point));
        regrets.push(problem.regret(best.value));
        failures.push(f64::from(failed));
    }
    println!("regret {regrets:?}, failures {failures:?}");
    assert!(summary::quantile(&regrets, 0.5) < 1e-2, "{regrets:?}");
    // Staying in the region would be 18 of 60 by chance.
    assert!(summary::quantile(&failures, 0.5) < 18.0, "{failures:?}");
}
