//! Transfer between data sets on published meta-data, which lies beside the repository or not at all: without it a test says that it
//! is skipped.

use infill::compare::Curves;
use infill::configspace::Value;
use infill::space::Domain;
use infill::transfer::{How, LookUp, Near, Rule, Sequence, Start, Transfer, Weights, ktrc};
use infill::{Baseline, Config, Optimizer, Origin, Plain};

use infill_tests::metadata::{Metadata, shared};
use infill_tests::study::{Study, Task};

/// The trials of the document's tables.
const TRIALS: usize = 70;

/// The published expectation of random search, computed by other software.
#[test]
fn random_search_is_that_of_the_oracle() {
    let Some(oracle) = shared("oracles/random_search_adtm.json") else { return };
    let oracle = oracle.parse::<Value>().unwrap();
    for name in ["adaboost", "svm"] {
        let Some(data) = Metadata::read(name) else { return };
        let theirs = oracle.get(name).unwrap();
        let curve = theirs.get("expected_adtm_after_t_draws_without_replacement").unwrap();
        let curve: Vec<f64> = curve.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        let rows: Vec<&[f64]> = data.rows().collect();
        let ours = Curves::of_random_search(curve.len(), &rows).unwrap().adtm();
        for (ours, theirs) in ours.iter().zip(&curve) {
            assert!((ours - theirs).abs() < 1e-12, "{name}: {ours} {theirs}");
        }
        let auc = theirs.get("auc_adtm_70").unwrap().as_f64().unwrap();
        assert!((Curves::of_random_search(TRIALS, &rows).unwrap().auc() - auc).abs() < 1e-12 * 70.0);
    }
}

/// Whatever stands where nothing matters, a point is its configuration; and the library proposes nothing else.
#[test]
fn published_grids_are_spaces() {
    for (name, thinned) in [("adaboost", 12), ("svm", 50)] {
        let Some(data) = Metadata::read(name) else { return };
        let grid = data.grid();
        assert_eq!(grid.thinned().count(), thinned, "{name}");
        for x in 0..grid.configurations() {
            let full: Vec<f64> = grid.point(x).iter().map(|v| if v.is_nan() { 7.0 } else { *v }).collect();
            assert_eq!(grid.configuration(&full), x);
        }
        let config = Config::default().with(|c| c.proposal.baseline = Some(Baseline::Random));
        let limits = grid.space().limits(grid.configurations() as u32).suit(&config);
        let mut optimizer = Optimizer::<f64, _>::with_limits(&grid.space(), &config, limits).unwrap();
        let mut point = vec![0.0; grid.dims()];
        let mut seen = vec![false; grid.configurations()];
        for _ in 0..seen.len() {
            let ask = optimizer.ask(&mut point).unwrap();
            seen[grid.configuration(&point)] = true;
            optimizer.tell(ask.id, 0.0).unwrap();
        }
        assert!(seen.iter().all(|&seen| seen), "{name}");
    }
}

/// Every third value, and what the published encoding turns into zeros: C = 1 and γ = 1; of the degrees those that are not there
/// come first.
#[test]
fn the_thinned_grid_of_svm_is_the_published_one() {
    let Some(data) = Metadata::read("svm") else { return };
    let grid = data.grid();
    let kept = [&[0.0625, 0.5, 1.0, 4.0, 32.0][..], &[1e-3, 0.1, 1.0, 2.0, 20.0, 1000.0], &[2.0, 5.0, 8.0]];
    for x in 0..grid.configurations() {
        let mut sides = grid.point(x)[1..].iter().zip(kept);
        let expected = sides.all(|(value, kept)| value.is_nan() || kept.contains(value));
        assert_eq!(grid.is_thinned(x), expected, "{:?}", grid.point(x));
    }
}

/// A sequence over all data sets but one, told the values of that one.
fn left_out(data: &Metadata, trials: usize, rule: Rule) -> Curves {
    let configurations = data.configurations();
    let (mut values, mut ranges) = (Vec::new(), Vec::new());
    for (target, row) in data.rows().enumerate() {
        let table: Vec<f64> =
            data.rows().enumerate().filter(|(i, _)| *i != target).flat_map(|(_, row)| row.to_vec()).collect();
        let mut words = vec![0; Sequence::<f64>::words(data.sets() - 1, configurations)];
        let mut sequence = Sequence::new(&table, configurations, &mut words).unwrap();
        for _ in 0..trials {
            let x = sequence.next(rule).unwrap();
            sequence.tell(x, row[x]).unwrap();
            values.push(row[x]);
        }
        ranges.push(data.range(target));
    }
    Curves::new(trials, &values, &ranges).unwrap()
}

/// The values of the specification, computed by other software.
#[test]
fn sequences_on_the_svm_data() {
    let Some(data) = Metadata::read("svm") else { return };
    let smfo = left_out(&data, TRIALS, Rule::Smfo);
    println!("A-SMFO {:.4}", smfo.auc());
    assert!((smfo.auc() - 1.798).abs() <= 0.001, "{}", smfo.auc());
    let adtm = smfo.adtm();
    for (t, expected) in [(1, 0.1550), (2, 0.1055), (5, 0.0620), (10, 0.0507), (30, 0.0212), (70, 0.0035)] {
        assert!((adtm[t - 1] - expected).abs() < 5.1e-5, "{t}: {}", adtm[t - 1]);
    }
    let nearest = left_out(&data, TRIALS, Rule::NearestSmfo { neighbours: 5 });
    println!("NN-SMFO, five neighbours {:.4}", nearest.auc());
    assert!(nearest.auc() <= 1.35, "{}", nearest.auc());
    assert_eq!(nearest.adtm()[..2], adtm[..2]);
    for rule in [Rule::AverageRanking, Rule::ActiveTesting] {
        let auc = left_out(&data, TRIALS, rule).auc();
        println!("{rule:?} {auc:.4}");
        assert!(auc < 4.895, "{rule:?} is no better than random search: {auc}");
    }
}

/// The point of an entry of the document's tables: `10000/4` iterations and terms; L, P and R a kernel, behind it log₂ C, behind d
/// the degree, behind g γ.
fn printed(entry: &str) -> Vec<f64> {
    let number = |text: &str| text.parse::<f64>().unwrap();
    if let Some((iterations, terms)) = entry.split_once('/') {
        return vec![number(iterations), number(terms)];
    }
    let (kernel, rest) = entry.split_at(1);
    let (c, behind) = rest.split_once(['d', 'g']).unwrap_or((rest, ""));
    let c = number(c).exp2();
    match kernel {
        "R" => vec![0.0, c, number(behind), f64::NAN],
        "P" => vec![1.0, c, f64::NAN, number(behind)],
        _ => vec![2.0, c, f64::NAN, f64::NAN],
    }
}

/// The document's look-up tables, whose values the specification has computed by other software: written, read again and worked
/// through by an optimizer.
#[test]
fn published_look_up_tables() {
    let Some(text) = shared("spec/transfer-learning.md") else { return };
    let appendix = text.split("## Appendix A.").nth(1).unwrap();
    let mut tables = appendix.split("```").skip(1).step_by(2);
    let expected = [("adaboost", 108, 30, 0.661), ("svm", 288, 70, 1.005)];
    for (name, configurations, trials, auc) in expected {
        let points: Vec<f64> = tables.next().unwrap().split_whitespace().flat_map(printed).collect();
        let Some(data) = Metadata::read(name) else { return };
        let (grid, dims) = (data.grid(), data.grid().dims());
        let text = LookUp::new(&points, dims).unwrap().to_string();
        let space = grid.space();
        let mut words = vec![0; space.words()];
        space.write(&mut words).unwrap();
        let domain = Domain::attach::<f64>(&words).unwrap();
        let mut memory = vec![0.0; LookUp::<f64>::scalars(&text, dims)];
        let table = LookUp::read(&text, &domain, &mut memory).unwrap();
        assert_eq!(table.to_string(), text, "{name}");
        assert_eq!(table.len(), configurations, "{name}");
        let mut order: Vec<usize> = table.points().map(|point| grid.configuration(point)).collect();

        let config = Config::default();
        let limits = space.limits(configurations as u32).open(configurations as u32).suit(&config);
        let mut optimizer = Optimizer::<f64, _>::with_limits(&space, &config, limits).unwrap();
        for point in table.points() {
            optimizer.enqueue(point).unwrap();
        }
        let mut point = vec![0.0; dims];
        for &x in &order {
            let ask = optimizer.ask(&mut point).unwrap();
            assert_eq!((ask.origin, grid.configuration(&point)), (Origin::Queue, x), "{name}");
            optimizer.tell(ask.id, data.row(0)[x]).unwrap();
        }

        let values: Vec<f64> = data.rows().flat_map(|row| order[..trials].iter().map(|&x| row[x])).collect();
        let ranges: Vec<(f64, f64)> = (0..data.sets()).map(|set| data.range(set)).collect();
        let curves = Curves::new(trials, &values, &ranges).unwrap();
        println!("{name}, printed table: {:.4}, ADTM@10 {:.4}", curves.auc(), curves.adtm()[9]);
        assert!((curves.auc() - auc).abs() < 5.1e-4, "{name}: {}", curves.auc());
        if name == "svm" {
            for (t, expected) in
                [(1, 0.1803), (2, 0.1048), (5, 0.0578), (10, 0.0293), (30, 0.0039), (50, 0.0)]
            {
                assert!((curves.adtm()[t - 1] - expected).abs() < 5.1e-5, "{t}: {}", curves.adtm()[t - 1]);
            }
        }
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..configurations), "{name}: every configuration once");
    }
}

/// What a sequence learnt on all data sets but one, as a table that needs none of them.
#[test]
fn a_sequence_becomes_a_table() {
    let Some(data) = Metadata::read("adaboost") else { return };
    let values: Vec<f64> = data.rows().skip(1).flatten().copied().collect();
    let mut words = vec![0; Sequence::<f64>::words(data.sets() - 1, data.configurations())];
    let mut sequence = Sequence::new(&values, data.configurations(), &mut words).unwrap();
    let order: Vec<usize> = std::iter::from_fn(|| sequence.next(Rule::Smfo)).collect();
    let (grid, space) = (data.grid(), data.grid().space());
    let points: Vec<f64> = order.iter().flat_map(|&x| grid.point(x).to_vec()).collect();
    let names = ["iterations", "terms"];
    let text = LookUp::new(&points, 2).unwrap().titled(&names).unwrap().to_string();
    assert!(text.starts_with("# iterations terms\n") && text.lines().count() == 109);
    let mut words = vec![0; space.words()];
    space.write(&mut words).unwrap();
    let domain = Domain::attach::<f64>(&words).unwrap();
    let mut memory = vec![0.0; LookUp::<f64>::scalars(&text, 2)];
    let table = LookUp::read(&text, &domain, &mut memory).unwrap();
    assert!(table.points().map(|point| grid.configuration(point)).eq(order));
}

/// Four configurations suffice to see that one data set is unlike all others.
#[test]
fn coil2000_is_isolated() {
    let Some(data) = Metadata::read("adaboost") else { return };
    let table: Vec<f64> = data.rows().flat_map(|row| row.to_vec()).collect();
    let mut words = vec![0; Sequence::<f64>::words(data.sets(), data.configurations())];
    let mut sequence = Sequence::new(&table, data.configurations(), &mut words).unwrap();
    let first: Vec<usize> = (0..4).map(|_| sequence.next(Rule::Smfo).unwrap()).collect();
    let seen: Vec<Vec<f64>> = data.rows().map(|row| first.iter().map(|&x| row[x]).collect()).collect();
    let sum = |one: &Vec<f64>| seen.iter().map(|other| ktrc(one, other).unwrap()).sum::<f64>();
    let mean: Vec<f64> = seen.iter().map(|one| sum(one) / (data.sets() - 1) as f64).collect();
    let farthest = (0..mean.len()).max_by(|&a, &b| mean[a].total_cmp(&mean[b])).unwrap();
    let mut sorted = mean.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = 0.5 * (sorted[24] + sorted[25]);
    println!("{}: {:.3}, median {median:.3}", data.name(farthest), mean[farthest]);
    assert_eq!(data.name(farthest), "coil2000");
    assert!((mean[farthest] - 0.72).abs() < 5.1e-3 && (median - 0.34).abs() < 5.1e-3);
}

/// The methods that ask with sources, on some data sets of the published tables: each is better than plain search.
#[test]
fn methods_with_sources_on_the_svm_data() {
    let Some(data) = Metadata::read("svm") else { return };
    let (study, targets, trials) = (Study::new(&data), [3, 11, 24, 33, 48], 30);
    let auc = |transfer: Option<Transfer>| {
        let config = Config::default().with(|c| c.transfer = transfer.unwrap_or_default());
        let (mut values, mut ranges) = (Vec::new(), Vec::new());
        for target in targets {
            let task = Task { target, seed: 0, trials };
            let run = study.search(&task, &config, &[], |optimizer, sources, point| match transfer {
                Some(_) => optimizer.ask_from(sources, &mut Plain, point),
                None => optimizer.ask(point),
            });
            values.extend(run.chosen.iter().map(|&x| data.row(target)[x]));
            ranges.push(data.range(target));
        }
        Curves::new(trials, &values, &ranges).unwrap().auc()
    };
    let plain = auc(None);
    println!("plain {plain:.3}");
    let ranks = Weights::Ranks { rho: 0.1 };
    let hows = [
        How::Alone,
        How::Stage(ranks),
        How::Value(ranks),
        How::Function { alpha: 0.5, growth: 0 },
        How::Prior,
        How::Neighbours { alpha: 0.3, count: 3, by: Near::Features },
        How::Neighbours { alpha: 0.3, count: 3, by: Near::Ranks },
    ];
    for how in hows {
        for start in [Start::Cover, Start::Learnt] {
            let own = auc(Some(Transfer { start, trials: 3, how, keep: 1.0 }));
            println!("{how:?} {start:?} {own:.3}");
            assert!(own < 0.8 * plain, "{how:?} {start:?}: {own} {plain}");
        }
    }
}
