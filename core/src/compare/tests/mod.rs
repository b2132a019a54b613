mod tables;

use std::vec;
use std::vec::Vec;

use super::{Curves, Table, critical_difference, diagram, groups, wilcoxon};
use crate::error::Error;
use crate::rng::{Generator, below};

/// The printed tables have a row per method.
fn table<const N: usize>(by_method: &[[f64; N]]) -> Table {
    let values: Vec<f64> = (0..N).flat_map(|p| by_method.iter().map(move |row| row[p])).collect();
    Table::new(by_method.len(), &values).unwrap()
}

fn near(ours: &[f64], theirs: &[f64], bound: f64) {
    assert_eq!(ours.len(), theirs.len());
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() <= bound, "{ours:?} {theirs:?}");
    }
}

/// The values of one method on all problems.
fn column(table: &Table, method: usize) -> Vec<f64> {
    table.rows().map(|row| row[method]).collect()
}

/// The approximate p of two methods. The specification saw ties among the decimals, so they are made whole numbers.
fn pairs(table: &Table, expected: &[(usize, usize, f64)]) {
    for &(a, b, p) in expected {
        let whole = |method| column(table, method).iter().map(|v| (v * 100.0).round()).collect::<Vec<f64>>();
        near(&[wilcoxon(&whole(a), &whole(b)).unwrap().approximate], &[p], 5.1e-5);
    }
}

/// What scipy and the author's files say of the table of algorithm selection.
#[test]
fn algorithm_selection() {
    let t = table(&tables::SELECTION);
    near(&t.ranks(), &tables::SELECTION_RANKS, 1e-9);
    let friedman = t.friedman().unwrap();
    near(
        &[friedman.corrected, friedman.corrected_p * 1e5],
        &[48.893_926_613_243_38, 1.822_856_198_324_781_6],
        1e-9,
    );
    near(&[friedman.chi_squared, friedman.f, friedman.f_p * 1e6], &[48.709, 3.9259, 3.675], 5.1e-4);
    assert_eq!((friedman.freedom, friedman.below), (15, 195));
    near(&[critical_difference(16, 14, 0.05).unwrap()], &[6.165], 5.1e-4);
    for (a, b, statistic, p) in tables::SELECTION_PAIRS {
        let ours = wilcoxon(&column(&t, a), &column(&t, b)).unwrap();
        near(&[ours.statistic, ours.p], &[statistic, p], 1e-9);
    }
}

/// What the specification recomputed from the four printed tables; its signed-rank p are normal approximations.
#[test]
fn printed_tables() {
    let t = table(&tables::SVM);
    near(&t.ranks(), &[3.389, 2.833, 1.917, 1.861], 5.1e-4);
    let f = t.friedman().unwrap();
    near(
        &[f.chi_squared, f.p * 1e4, f.corrected, f.corrected_p * 1e4],
        &[17.817, 4.80, 18.326, 3.77],
        5.1e-3,
    );
    let p = [(0, 1, 0.3131), (0, 2, 0.0009), (0, 3, 0.0016), (1, 2, 0.0025), (1, 3, 0.0130), (2, 3, 0.2003)];
    pairs(&t, &p);

    let t = table(&tables::EARLY);
    near(&t.ranks(), &[3.361, 3.111, 1.667, 1.861], 5.1e-4);
    let f = t.friedman().unwrap();
    near(
        &[f.chi_squared, f.p * 1e5, f.corrected, f.corrected_p * 1e5],
        &[23.950, 2.56, 25.064, 1.50],
        5.1e-3,
    );
    let p = [(0, 1, 0.0426), (0, 2, 0.0018), (0, 3, 0.0009), (1, 2, 0.0025), (1, 3, 0.0014), (2, 3, 0.0298)];
    pairs(&t, &p);

    let t = table(&tables::LOSSES);
    near(&t.ranks(), &[6.639, 6.694, 5.889, 4.722, 3.861, 2.917, 2.806, 2.472], 5.1e-4);
    let f = t.friedman().unwrap();
    near(&[f.chi_squared, f.corrected], &[63.801, 65.136], 5.1e-4);
    pairs(&t, &[(4, 5, 0.0583), (4, 6, 0.0312), (4, 7, 0.0129)]);

    let t = table(&tables::CONDITIONAL);
    let ranks = [7.083, 9.146, 5.562, 6.958, 7.729, 4.833, 5.479, 7.146, 4.104, 2.500, 5.458];
    near(&t.ranks(), &ranks, 5.1e-4);
    let f = t.friedman().unwrap();
    near(&[f.chi_squared, f.corrected], &[74.733, 75.361], 5.1e-4);
    pairs(&t, &[(9, 8, 0.1098), (9, 2, 0.0019), (9, 0, 0.0001), (9, 10, 0.0021), (5, 4, 0.0093)]);
    // Nemenyi: only the conditional kernel with local search differs from random search.
    let cd = critical_difference(11, 24, 0.05).unwrap();
    let better: Vec<usize> = (0..11).filter(|&i| t.ranks()[0] - t.ranks()[i] > cd).collect();
    assert_eq!(better, [9]);
}

#[test]
fn critical_differences() {
    let cd = |k, n| critical_difference(k, n, 0.05).unwrap();
    near(&[cd(4, 18), cd(8, 18), cd(11, 24)], &[1.106, 2.475, 3.082], 5.1e-4);
}

/// The two identities between ranks, win rates and net wins, on tables with many ties.
#[test]
fn identities() {
    let g = &mut Generator::new(1);
    for _ in 0..50 {
        let (m, n) = (2 + below(g, 7) as usize, 1 + below(g, 20) as usize);
        let values: Vec<f64> = (0..m * n).map(|_| below(g, 4) as f64).collect();
        let t = Table::new(m, &values).unwrap();
        let (ranks, rates, net) = (t.ranks(), t.win_rates(), t.net_wins());
        let mut sum = 0.0;
        for i in 0..m {
            // The rate from its definition: half a win over itself and over equals.
            let won: f64 = t
                .rows()
                .map(|row| {
                    row.iter()
                        .map(|&v| {
                            if row[i] < v {
                                1.0
                            } else if row[i] == v {
                                0.5
                            } else {
                                0.0
                            }
                        })
                        .sum::<f64>()
                })
                .sum();
            near(&[rates[i]], &[won / (m * n) as f64], 1e-12);
            near(&[ranks[i]], &[0.5 + m as f64 * (1.0 - rates[i])], 1e-12);
            let wins: i64 = net[i * m..][..m].iter().sum();
            near(&[ranks[i]], &[(m as f64 + 1.0) / 2.0 - wins as f64 / (2.0 * n as f64)], 1e-12);
            for j in 0..m {
                assert_eq!(net[i * m + j], -net[j * m + i]);
            }
            sum += ranks[i];
        }
        near(&[sum], &[(m * (m + 1)) as f64 / 2.0], 1e-9);
    }
}

/// All 2ⁿ signs, counted one by one.
#[test]
fn exact_probabilities() {
    let g = &mut Generator::new(2);
    for n in 2..12usize {
        let a: Vec<f64> = (1..=n).map(|i| i as f64 * if below(g, 2) == 0 { 1.0 } else { -1.0 }).collect();
        let ours = wilcoxon(&a, &vec![0.0; n]).unwrap();
        assert!(ours.exact);
        let mut least = 0u32;
        for signs in 0..1u32 << n {
            let sum: usize = (1..=n).filter(|i| signs >> (i - 1) & 1 == 1).sum();
            least += u32::from(sum as f64 <= ours.statistic);
        }
        near(&[ours.p], &[(2.0 * f64::from(least) / f64::from(1u32 << n)).min(1.0)], 1e-14);
    }
    // Fifty pairs are still exact, and close to the normal approximation.
    let a = |n: usize| (1..=n).map(|i| i as f64 * if i % 3 == 0 { -1.0 } else { 1.0 }).collect::<Vec<f64>>();
    let (fifty, more) = (wilcoxon(&a(50), &[0.0; 50]).unwrap(), wilcoxon(&a(51), &[0.0; 51]).unwrap());
    assert!(fifty.exact && !more.exact && more.p == more.approximate);
    assert!((fifty.p / fifty.approximate - 1.0).abs() < 0.05, "{} {}", fifty.p, fifty.approximate);
}

#[test]
fn bad_input() {
    assert_eq!(Table::new(1, &[1.0, 2.0]), Err(Error::NoData));
    assert_eq!(Table::new(2, &[]), Err(Error::NoData));
    assert_eq!(Table::new(0, &[1.0]), Err(Error::NoData));
    assert_eq!(Table::new(2, &[1.0, 2.0, 3.0]), Err(Error::Shape { needed: 4 }));
    assert_eq!(Table::new(2, &[1.0, f64::NAN]), Err(Error::NotFinite));
    assert_eq!(Table::from_rows(&[vec![1.0, 2.0], vec![1.0]]), Err(Error::Shape { needed: 2 }));
    assert_eq!(Table::new(2, &[1.0, 2.0]).unwrap().friedman(), Err(Error::NoData));
    assert_eq!(wilcoxon(&[1.0, 2.0], &[1.0]), Err(Error::Shape { needed: 2 }));
    assert_eq!(wilcoxon(&[1.0], &[1.0]), Err(Error::NoData));
    assert_eq!(wilcoxon(&[1.0, f64::NAN], &[1.0, 2.0]), Err(Error::NotFinite));
    assert_eq!(critical_difference(1, 5, 0.05), Err(Error::NoData));
    assert_eq!(critical_difference(3, 1, 0.05), Err(Error::NoData));
    for alpha in [0.0, 1.0, f64::NAN] {
        assert_eq!(critical_difference(3, 5, alpha), Err(Error::Config));
    }
    assert_eq!(diagram(&["a"], &[1.0], 1.0, 40), Err(Error::NoData));
    assert_eq!(diagram(&["a"], &[1.0, 2.0], 1.0, 40), Err(Error::Shape { needed: 2 }));
    assert_eq!(diagram(&["a", "b"], &[1.0, 2.0], 1.0, 9), Err(Error::Config));
    assert_eq!(diagram(&["a", "b"], &[1.0, 2.0], f64::NAN, 40), Err(Error::NotFinite));
    assert_eq!(diagram(&["a", "b"], &[0.5, 2.5], 1.0, 40), Err(Error::NotFinite));
}

/// Infinite values, no differences, and one order on every problem are answers, not accidents.
#[test]
fn edges() {
    let same = Table::new(3, &[1.0; 9]).unwrap();
    let f = same.friedman().unwrap();
    assert_eq!((f.chi_squared, f.p, f.corrected, f.corrected_p, f.f_p), (0.0, 1.0, 0.0, 1.0, 1.0));
    assert_eq!(wilcoxon(&[1.0; 4], &[1.0; 4]).unwrap().p, 1.0);
    let clear = Table::new(3, &[1.0, 2.0, f64::INFINITY].repeat(6)).unwrap();
    let f = clear.friedman().unwrap();
    assert_eq!((f.f, f.f_p), (f64::INFINITY, 0.0));
    assert_eq!(clear.ranks(), [1.0, 2.0, 3.0]);
    let infinite = wilcoxon(&[f64::INFINITY; 3], &[f64::INFINITY, 1.0, 2.0]).unwrap();
    assert_eq!((infinite.pairs, infinite.statistic), (2, 0.0));
    assert_eq!(groups(&[1.0, 3.0, 2.0, 6.0, f64::NAN], 1.0), [(0, 1), (1, 2)]);
    assert_eq!(groups(&[], 1.0), []);
}

#[test]
fn drawn() {
    let t = table(&tables::SVM);
    let cd = critical_difference(4, 18, 0.05).unwrap();
    let text = diagram(&["BO-best", "BO-post", "EO-post", "EO"], &t.ranks(), cd, 40).unwrap();
    let expected = "               CD = 1.106
               ├─────────────┤
               1            2            3            4
               ├────────────┼────────────┼────────────┤
                          ││           │      │
                          ━━━━━━━━━━━━━━      │
                          ││           ━━━━━━━━
     EO 1.861 ────────────┘│           │      └───────── 3.389 BO-best
EO-post 1.917 ─────────────┘           └──────────────── 2.833 BO-post
";
    assert_eq!(text, expected, "\n{text}");
    // Many methods, few problems: longer than the axis, and names that would break the lines.
    let wide = diagram(&["a\nb"; 16], &[8.5; 16], 40.0, 10).unwrap();
    assert_eq!(wide.lines().count(), 5 + 1 + 8);
}

/// G8 and G9 of the specification.
#[test]
fn curves_of_two_runs() {
    let runs = [0.5, 0.2, 0.4, 0.0, 1.0, 0.5, 0.5, 0.5];
    let curves = Curves::new(4, &runs, &[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    near(&[curves.auc(), curves.adtm()[3], curves.unsolved()[3]], &[1.7, 0.25, 0.5], 1e-15);
    let other = |value: f64| Curves::new(1, &[value], &[(0.0, 1.0)]).unwrap();
    let ranks = Curves::ranks(&[0.13, 0.15, 0.15, 0.16].map(other)).unwrap();
    assert_eq!(ranks, [[1.0], [2.5], [2.5], [4.0]]);
    // A problem without a difference is solved from the start.
    let flat = Curves::new(2, &[3.0, 3.0], &[(3.0, 3.0)]).unwrap();
    assert_eq!((flat.adtm(), flat.unsolved()), (vec![0.0; 2], vec![0.0; 2]));
}

/// All orders of five values, two of them equal.
#[test]
fn random_search_is_the_mean_over_all_orders() {
    const VALUES: [f64; 5] = [0.3, 0.1, 0.9, 0.1, 0.5];
    let mut sums = [0.0; 5];
    let mut orders = 0.0;
    for code in 0..3125 {
        let order: [usize; 5] = core::array::from_fn(|i| code / 5usize.pow(i as u32) % 5);
        if (0..5).all(|value| order.contains(&value)) {
            let run = order.map(|i| VALUES[i]);
            let curve = Curves::new(5, &run, &[(0.1, 0.9)]).unwrap().adtm();
            sums.iter_mut().zip(curve).for_each(|(sum, distance)| *sum += distance);
            orders += 1.0;
        }
    }
    assert_eq!(orders, 120.0);
    let expected = Curves::of_random_search(5, &[VALUES]).unwrap();
    near(&expected.adtm(), &sums.map(|sum| sum / orders), 1e-14);
}

#[test]
fn curves_refuse_what_makes_no_sense() {
    let unit = [(0.0, 1.0)];
    assert_eq!(Curves::new(0, &[], &unit), Err(Error::NoData));
    assert_eq!(Curves::new(1, &[], &[]), Err(Error::NoData));
    assert_eq!(Curves::new(2, &[0.5], &unit), Err(Error::Shape { needed: 2 }));
    assert_eq!(Curves::new(1, &[f64::NAN], &unit), Err(Error::NotFinite));
    for range in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert_eq!(Curves::new(1, &[0.5], &[range]), Err(Error::NotFinite));
    }
    assert_eq!(Curves::of_random_search(3, &[[0.5, 1.0]]), Err(Error::Shape { needed: 3 }));
    assert_eq!(Curves::of_random_search(1, &[[f64::NAN]]), Err(Error::NotFinite));
    assert_eq!(Curves::of_random_search::<[f64; 1]>(1, &[]), Err(Error::NoData));
    let [one, two] = [1, 2].map(|n| Curves::new(n, &[0.5, 0.5][..n], &unit).unwrap());
    assert_eq!(Curves::ranks(&[one.clone(), two]), Err(Error::Shape { needed: 1 }));
    assert_eq!(Curves::ranks(&[one]), Err(Error::NoData));
    assert_eq!(Curves::ranks(&[]), Err(Error::NoData));
}
