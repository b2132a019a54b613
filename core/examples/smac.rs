//! Algorithm configuration in the manner of SMAC: a forest proposes a list, a race over instances decides.
//!
//! The algorithm is a local search for the largest cut of a graph, with four parameters of which two matter only to annealing;
//! its instances are ten random graphs. Each round, repeated asks give a list of challengers: every second one is the most
//! promising that the search of SMAC finds under the forest, the others are random. They challenge the incumbent on the same
//! graphs and seeds, and the forest learns what the race found.
//!
//! `cargo run --release -p infill --example smac`

use infill::forest::Settings;
use infill::race::{Outcome, Race, Rules, Size};
use infill::rng::{Generator, below, uniform};
use infill::search::{Method, Search};
use infill::{Condition, Config, Error, Interleave, Limits, Model, Optimizer, Origin, Param, Space, When};

const NODES: usize = 48;
const ROUNDS: u32 = 12;
/// Challengers of a round.
const LIST: u32 = 8;

/// The share of edges that are not cut after 2000 moves: accept (greedy, annealing), restart, temperature, cooling.
fn cut([accept, restart, temperature, cooling]: [f64; 4], instance: u32, seed: u64) -> f64 {
    let (graph, dice) = (&mut Generator::new(u64::from(instance)), &mut Generator::new(seed));
    let edges: Vec<[usize; 2]> =
        (0..3 * NODES).map(|_| [0; 2].map(|_| below(graph, NODES as u64) as usize)).collect();
    let mut side = [false; NODES];
    let (mut heat, mut missing, mut least) = (temperature, edges.len() as f64, edges.len() as f64);
    for step in 0..2000 {
        if step % restart as usize == 0 {
            side = side.map(|_| below(dice, 2) == 0);
            missing = edges.iter().filter(|[a, b]| side[*a] == side[*b]).count() as f64;
            heat = temperature;
        }
        let node = below(dice, NODES as u64) as usize;
        let gain: f64 = edges
            .iter()
            .filter(|[a, b]| a != b && (*a == node || *b == node))
            .map(|[a, b]| if side[*a] == side[*b] { 1.0 } else { -1.0 })
            .sum();
        heat *= cooling;
        if gain >= 0.0 || (accept == 1.0 && uniform::<f64, _>(dice) < (gain / heat).exp()) {
            side[node] = !side[node];
            missing -= gain;
            least = least.min(missing);
        }
    }
    least / edges.len() as f64
}

fn main() -> Result<(), Error> {
    let params = [
        Param::categorical(2),
        Param::integer(20, 2000).log(),
        Param::real(0.01, 100.0).log(),
        Param::real(0.9, 1.0),
    ];
    let conditions = [Condition::new(2, 0, When::Equals(1.0)), Condition::new(3, 0, When::Equals(1.0))];
    let space = Space::new(&params, &conditions)?;
    let config = Config::default().with(|c| {
        c.surrogate.model = Model::Trees(Settings::RANDOM);
        c.search = Search::of(Method::Smac);
        c.proposal.interleave = Interleave { every: 2, beta: f64::INFINITY };
    });
    let limits = Limits::new(4, ROUNDS * LIST).conditions(2, 0).open(LIST).suit(&config);
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
    let size = Size { configs: ROUNDS * LIST, runs: 1200 };
    let rules = Rules { instances: 10, seed: 1, ..Rules::default() };
    let mut race = Race::<f64, _>::new(size, &rules, vec![0; size.words::<f64>()])?;

    let mut points: Vec<[f64; 4]> = Vec::new();
    let (mut promising, mut random) = (0u32, 0u32);
    for _ in 0..ROUNDS {
        let mut list = Vec::new();
        for _ in 0..LIST {
            let mut x = [0.0; 4];
            let ask = optimizer.ask(&mut x)?;
            match ask.origin {
                Origin::Model => promising += 1,
                Origin::Fallback => random += 1,
                _ => {}
            }
            list.push((ask.id, points.len() as u32));
            race.challenge(points.len() as u32)?;
            points.push(x);
        }
        // A round takes its share of the runs and tries two challengers at least; whom it does not come to is forgotten.
        race.begin(size.runs / ROUNDS);
        while !race.over() {
            let Ok(run) = race.ask() else { break };
            let cost = cut(points[run.config as usize], run.instance, run.seed);
            race.tell(run.id, Outcome::Cost(cost))?;
        }
        for (id, config) in list {
            match race.cost(config) {
                Some(mean) => optimizer.tell(id, mean)?,
                None => optimizer.forget(id)?,
            }
        }
    }

    let best = race.incumbent().ok_or(Error::NoData)?;
    let found = points[best as usize];
    // On graphs that no race has seen, against the mean of all that were proposed by the starting design.
    let test = |x: [f64; 4]| (100..150).map(|graph| cut(x, graph, 7)).sum::<f64>() / 50.0;
    let others = points[..LIST as usize].iter().map(|&x| test(x)).sum::<f64>() / f64::from(LIST);
    println!("{promising} promising challengers, {random} random ones in between");
    println!("{} runs, {} of them for the best: {found:?}", race.runs(), race.runs_of(best));
    println!("uncut edges of new graphs: {:.4}, the first list on average: {others:.4}", test(found));
    assert!(test(found) < 0.97 * others && race.runs_of(best) >= 10 && promising.abs_diff(random) <= LIST);
    Ok(())
}
