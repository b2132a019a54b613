//! CASH, combined algorithm selection and hyperparameter optimization, with a model for each algorithm.
//!
//! ```text
//! (v*, θ*) = argmin f_v(θ),   v the value of the category, θ the parameters that matter then
//! ```
//!
//! Every value of the category is a branch, with an optimizer of its own over the sub-space that is left then; the trials of
//! all lie in one list. [`Strategy`] says which branch is asked.

mod ask;
mod baseline;
mod block;
mod joint_search;
mod per_branch;
mod query;
mod save;
mod scale;

use super::Optimizer;
use super::block::Shape;
use crate::config::{Branching, Config, Strategy};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::limits::{Limit, Limits};
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Space;
use crate::space::subspace::with_subspace;
pub(super) use block::{Branched, state_end, words};
use block::{Kind, Sections};
pub(super) use query::remaining;
pub(super) use save::{copy, is_valid};

/// The strategy of a configuration; [`Strategy::Auto`] branches where one model cannot serve the space.
pub(super) fn chosen(config: &Config<'_>, space: &Space<'_>, limits: &Limits) -> Strategy {
    let auto = limits.values > 0 && config.strategy == Strategy::Auto && config.surrogate.kernel.is_none();
    if !auto || config.default_kernel(space, &mut Kernel::postfix()) != Err(Error::Kernel) {
        return config.strategy;
    }
    let (_, conditions, ..) = space.parts();
    let (mut most, mut strategy) = (0, Strategy::Auto);
    for parameter in 0..space.dims() as u32 {
        let values = space.categories(parameter as usize).unwrap_or(0);
        let parent = conditions.iter().any(|condition| condition.parent == parameter);
        if values > most && values <= limits.values && parent && !space.is_child(parameter as usize) {
            most = values;
            strategy = Strategy::Single(Branching::of(parameter));
        }
    }
    if (Config { strategy, ..*config }).combines().is_ok() { strategy } else { Strategy::Auto }
}

/// The configuration of the optimizer of a branch.
fn config_of<'c>(config: &Config<'c>, branch: usize) -> Config<'c> {
    // Far from each other, and none of them that of the whole.
    let seed = config.seed.wrapping_add((branch as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    config.with(|c| {
        c.design.trials = config.strategy.starting_trials();
        c.seed = seed;
        c.strategy = Strategy::Impute;
    })
}

/// Writes an optimizer without trials; its shape.
///
/// # Errors
/// See [`Optimizer::new`].
pub(super) fn start<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    Branching { parameter, .. }: Branching,
    limits: &Limits,
    words: &mut [u64],
) -> Result<Shape, Error> {
    Error::OutOfRange { parameter }.when(parameter as usize >= space.dims())?;
    let values = space.categories(parameter as usize).ok_or(Error::Unsupported)?;
    Error::Unsupported.when(space.is_child(parameter as usize))?;
    if let Strategy::Baseline { budget, .. } = config.strategy
        && budget < values
    {
        return Err(Error::Config);
    }
    Limit::Values.at_least(limits.values as usize, values as usize)?;
    space.check_exact::<R>()?;
    // Everything that may be refused is, before the memory is touched.
    let (each, branches) = (limits.branch(), values as usize);
    let mut any = false;
    for branch in 0..branches {
        let found = with_subspace(space, parameter, branch as f64, |space, _| match space {
            Some(space) => {
                let config = config_of(config, branch);
                match Optimizer::<R, &mut [u64]>::new(space, &config, each, &mut []) {
                    Err(Error::Memory { .. }) => Ok(()),
                    refused => refused.map(|_| ()),
                }
            }
            None => Ok(()),
        })?;
        any |= found.is_some();
    }
    Error::Infeasible.when(!any)?;
    let needed = limits.words::<R>();
    Error::Memory { needed }.when(words.len() < needed)?;
    words[..needed].fill(0);
    let shape = Shape::branched(space.dims(), branches);
    let sections = Sections::<R>::cut(&mut crate::block::Arena::new(words), &limits.used(shape))?;
    config.write(sections.config);
    let fingerprints = super::save::write_space::<R>(space, limits, sections.space)?;
    super::save::write_header::<R>(sections.header, limits, shape, fingerprints)?;
    let mut block = Branched::<R>::carve(words, limits, shape)?;
    block.set_generator(&Generator::new(config.seed));
    block.clear_scale(config.targets);
    for branch in 0..branches {
        with_subspace(space, parameter, branch as f64, |space, places| {
            let kind = match space {
                Some(space) => {
                    let config = config_of(config, branch);
                    Optimizer::<R, _>::new(space, &config, each, block.words_of(branch))?;
                    Kind::Space
                }
                None => Kind::Single,
            };
            block.record(branch).set(kind, places);
            Ok(())
        })?;
    }
    Ok(shape)
}

#[cfg(test)]
mod tests;
