//! The defaults find the minimum in few evaluations: five seeds at three times the bar.
//!
//! All twenty seeds at the bar: `./ci.sh measure regret`.

use infill_tests::regret::{CASES, curves};
use infill_tests::summary::median;

#[test]
fn median_regret_is_within_three_times_the_bar() {
    for case in &CASES {
        let runs = curves(case, 5);
        for &(at, bar) in case.bars {
            let values: Vec<f64> = runs.iter().map(|run| run[at - 1]).collect();
            println!("{} at {at}: {:.1e}, bar {bar:.1e}", case.name, median(&values));
            assert!(median(&values) <= 3.0 * bar, "{} at {at}: {values:?}, bar {bar:.1e}", case.name);
        }
    }
}
