//! A backend that fails.

use infill::backend::{Backend, Cross, Evidence, Gram, Score};
use infill::{Config, Error, Origin, Param, Plain, Refit, Search};

use crate::{Heap, make};

/// The plain backend until a given call, which it refuses, and all after it.
struct Failing {
    calls: u32,
    error: Error,
}

impl Failing {
    fn call(&mut self) -> Result<(), Error> {
        self.calls = self.calls.saturating_sub(1);
        if self.calls == 0 { Err(self.error) } else { Ok(()) }
    }
}

impl Backend<f64> for Failing {
    fn gram(&mut self, request: &Gram<'_, f64>, out: &mut [f64], work: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.gram(request, out, work)
    }

    fn cross(&mut self, request: &Cross<'_, f64>, out: &mut [f64], work: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.cross(request, out, work)
    }

    fn factor(&mut self, matrix: &mut [f64], rows: usize) -> Result<(), Error> {
        self.call()?;
        Backend::<f64>::factor(&mut Plain, matrix, rows)
    }

    fn solve(&mut self, factor: &[f64], rows: usize, sides: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.solve(factor, rows, sides)
    }

    fn invert(&mut self, factor: &[f64], rows: usize, out: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        request: &Evidence<'_, f64>,
        gradient: &mut [f64],
        factor: &mut [f64],
        work: &mut [f64],
    ) -> Result<f64, Error> {
        self.call()?;
        Plain.evidence(request, gradient, factor, work)
    }

    fn score(&mut self, request: &Score<'_, f64>, out: &mut [f64], work: &mut [f64]) -> Result<(), Error> {
        self.call()?;
        Plain.score(request, out, work)
    }
}

/// Wherever a backend fails, the trials stay as they are, the block loads, and the plain backend goes on.
#[test]
fn a_backend_that_fails() {
    let params = [Param::real(0.0, 1.0), Param::real(0.0, 1.0)];
    let search = Search { global: 64, local: 32, ..Config::default().search };
    let refit = Refit { growth: 0.0, ..Config::default().surrogate.refit };
    for config in [
        Config { search, ..Config::default() },
        Config::default().with(|c| {
            c.search = search;
            c.surrogate.refit = refit;
        }),
    ] {
        let mut optimizer = make::<f64>(&params, &config, 30);
        let mut x = [0.0; 2];
        for _ in 0..9 {
            let ask = optimizer.ask(&mut x).unwrap();
            optimizer.tell(ask.id, x[0] * x[0] + x[1]).unwrap();
        }
        for error in [Error::Backend, Error::NotPositiveDefinite { row: 3 }] {
            for calls in (1..200).step_by(3) {
                let mut copy = Heap::<f64>::attach(optimizer.words().to_vec()).unwrap();
                let before: Vec<u64> = copy.trials().map(|t| t.id.to_bits()).collect();
                match copy.ask_with(&mut Failing { calls, error }, &mut x) {
                    Ok(ask) => assert!(ask.origin == Origin::Model || error != Error::Backend),
                    Err(refusal) => {
                        assert_eq!(refusal, error);
                        assert_eq!(before, copy.trials().map(|t| t.id.to_bits()).collect::<Vec<_>>());
                    }
                }
                let mut copy =
                    Heap::<f64>::attach(copy.into_inner()).unwrap_or_else(|e| panic!("{error} {calls}: {e}"));
                assert_eq!(copy.ask(&mut x).unwrap().origin, Origin::Model);
                copy.recommend().unwrap();
                assert!(Heap::<f64>::attach(copy.into_inner()).is_ok());
            }
        }
    }
}
