//! Ways to minimise on mixed and conditional spaces, side by side.

use crate::mixed::Mixed;
use crate::summary::running_minimum;
use infill::config::{Branches, Similarity};
use infill::search::Method;
use infill::{Baseline, Branching, Config, Impute, Interleave, Optimizer, Search, Space, Strategy};

/// A way to minimise.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Short and unique.
    pub name: &'static str,
    /// What models see of parameters that do not matter.
    impute: Impute,
    config: Config<'static>,
}

impl Way {
    /// One optimizer over the whole space.
    pub const fn new(name: &'static str, impute: Impute, config: Config<'static>) -> Self {
        Self { name, impute, config }
    }

    /// A preset; panics if there is none of this name.
    pub fn preset(name: &'static str) -> Self {
        Self::new(name, Impute::Centre, Config::preset(name).expect("its name"))
    }

    /// A method without a model.
    pub fn free(name: &'static str, free: Baseline) -> Self {
        Self::new(name, Impute::Centre, Config::default().with(|c| c.proposal.baseline = Some(free)))
    }

    /// A strategy that selects among the values of the first parameter.
    pub const fn selecting(name: &'static str, config: Config<'static>, strategy: Strategy) -> Self {
        Self { name, impute: Impute::Centre, config: Config { strategy, ..config } }
    }

    /// The values of one run, infinity for one that failed.
    ///
    /// `branches` is the number of values of the first parameter; only a strategy that selects asks for it.
    pub fn run(
        &self,
        space: &Space<'_>,
        branches: u32,
        seed: u64,
        evaluations: usize,
        objective: &mut dyn FnMut(&[f64]) -> Option<f64>,
    ) -> Vec<f64> {
        let space = space.impute(self.impute);
        let config = Config { seed, ..self.config };
        let limits = space.limits(evaluations as u32).suit(&config).branching(branches, 0);
        let mut x = vec![0.0; space.dims()];
        let mut values = Vec::with_capacity(evaluations);
        let words = vec![0; limits.words::<f64>()];
        let mut optimizer =
            Optimizer::<f64, _>::new(&space, &config, limits, words).expect("within its limits");
        for _ in 0..evaluations {
            // A space of few configurations may have no other.
            let Ok(ask) = optimizer.ask(&mut x) else { break };
            let value = objective(&x).filter(|value| value.is_finite());
            match value {
                Some(value) => optimizer.tell(ask.id, value),
                None => optimizer.fail(ask.id),
            }
            .expect("an open trial");
            values.push(value.unwrap_or(f64::INFINITY));
        }
        values
    }

    /// The lowest regret after each evaluation of one run.
    pub fn curve(&self, problem: &Mixed, seed: u64, evaluations: usize) -> Vec<f64> {
        let mut objective = |x: &[f64]| Some(problem.regret(problem.value(x)));
        let mut values = self.run(&problem.space(), problem.branches, seed, evaluations, &mut objective);
        // What was not asked for does not improve.
        values.resize(evaluations, f64::INFINITY);
        running_minimum(&values)
    }
}

/// Ways to choose a branch and its parameters, with `evaluations` in all; the first parameter is the branch.
///
/// Gaussian processes without imputation, imputed and with the conditional kernel, each with the search of the literature:
/// the best of random points, or (`-ls`) steps of single parameters.
pub fn conditional(evaluations: u32) -> Vec<Way> {
    let (default, branching) = (Config::default(), Branching::of(0));
    let random = Config { search: Search::of(Method::Random), ..default };
    let local = Config { search: Search::of(Method::Typed), ..default };
    let apart = Similarity { branches: Branches::Apart, ..default.surrogate.similarity };
    let forest = Config::preset("gpgo-forest").expect("its name");
    vec![
        Way::free("random", Baseline::Random),
        Way::free("tpe", Baseline::TPE),
        Way::free("cma-es", Baseline::CMA_ES),
        Way::free("mi-es", Baseline::MI_ES),
        // A forest in the manner of SMAC.
        Way::new(
            "smac",
            Impute::Centre,
            forest.with(|c| {
                // A tenth of the random points of the source, which cost most of the time.
                c.search = Search { global: 1000, ..Search::of(Method::Smac) };
                c.proposal.interleave = Interleave { every: 2, beta: f64::INFINITY };
            }),
        ),
        Way::new("gp-noimpute", Impute::Scatter, random),
        Way::new("gp-impute", Impute::Centre, random),
        Way::new("gp-impute-ls", Impute::Centre, local),
        Way::new("gp-cond", Impute::Centre, random.with(|c| c.surrogate.similarity = apart)),
        Way::new("gp-cond-ls", Impute::Centre, local.with(|c| c.surrogate.similarity = apart)),
        Way::preset("default"),
        // With the starting design of the source.
        Way::selecting("ego-impute", default.with(|c| c.design.trials = 5), Strategy::Impute),
        Way::selecting("ego-ss", default, Strategy::Single(branching)),
        Way::selecting("ego-ws", default, Strategy::Whole(branching)),
        Way::selecting("ego-baseline", default, Strategy::Baseline { branching, budget: evaluations }),
    ]
}
