//! A choice that decides which other parameters there are, and a combination that is forbidden.
//!
//! A made-up solver of equations: the preconditioner matters to two of three methods, its fill to one preconditioner, the
//! restart to one method or that preconditioner; the fastest setting would need more memory than there is.
//!
//! `cargo run --release -p infill --example conditional`

use infill::{Clause, Condition, Config, Error, Limits, Optimizer, Param, Space, Term, When};

const METHODS: [&str; 3] = ["direct", "iterative", "multigrid"];
const PRECONDITIONERS: [&str; 3] = ["none", "jacobi", "ilu"];
/// Four conditions, two listed values, three terms of what is forbidden.
const LIMITS: Limits = Limits::new(4, 60).conditions(4, 2).terms(3);

/// Seconds of a solution, 1.6 at best: multigrid, ilu with a fill of 2 and a restart of 20.
fn seconds([method, preconditioner, fill, restart]: [f64; 4]) -> f64 {
    let restart = (restart / 20.0).ln().powi(2);
    let preconditioned = match preconditioner as usize {
        0 => 1.5,
        1 => 0.8,
        _ => 0.3 * (4.0 - fill) + 0.2 * restart,
    };
    match method as usize {
        0 => 4.0,
        1 => 2.0 + preconditioned + restart,
        _ => 1.0 + preconditioned,
    }
}

fn main() -> Result<(), Error> {
    let params = [
        Param::categorical(METHODS.len() as u32),
        Param::categorical(PRECONDITIONERS.len() as u32),
        Param::integer(0, 4),
        Param::integer(5, 100).log(),
    ];
    let conditions = [
        Condition::new(1, 0, When::In(&[1.0, 2.0])),
        Condition::new(2, 1, When::Equals(2.0)),
        // The restart matters to the iterative method, or to ilu.
        Condition::new(3, 0, When::Equals(1.0)),
        Condition::new(3, 1, When::Equals(2.0)).or(),
    ];
    // Multigrid with ilu and a fill of 3 or more does not fit into memory.
    let large = [
        Term { parameter: 0, when: When::Equals(2.0) },
        Term { parameter: 1, when: When::Equals(2.0) },
        Term { parameter: 2, when: When::Between(3.0, 4.0) },
    ];
    let clauses = [Clause { terms: &large }];
    let space = Space::new(&params, &conditions)?.forbid(&clauses)?;
    let config = Config { seed: 5, ..Config::default() };
    let mut optimizer = Optimizer::<f64, _>::new(&space, &config, LIMITS, [0; LIMITS.words::<f64>()])?;
    assert_eq!(optimizer.observe(&[2.0, 2.0, 4.0, 20.0], 1.0), Err(Error::Forbidden { clause: 0 }));

    let mut x = [0.0; 4];
    for _ in 0..LIMITS.trials {
        let ask = optimizer.ask(&mut x)?;
        assert!(!(x[0] == 2.0 && x[1] == 2.0 && x[2] >= 3.0), "it is forbidden");
        optimizer.tell(ask.id, seconds(x))?;
    }

    let best = optimizer.best().ok_or(Error::NoData)?;
    let [method, preconditioner] = [best.point[0] as usize, best.point[1] as usize];
    let (fill, restart) = (best.point[2], best.point[3]);
    println!(
        "{} with {}, fill {fill}, restart {restart}: {:.3} s",
        METHODS[method], PRECONDITIONERS[preconditioner], best.value
    );
    assert_eq!((METHODS[method], PRECONDITIONERS[preconditioner], fill), ("multigrid", "ilu", 2.0));
    assert!(best.value < 1.65, "the restart");
    Ok(())
}
