//! The acquisition functions of a question, one for each member of a model.

use crate::config::Hyper;
use crate::error::Error;
use crate::limits::Limit;
use crate::policy::{Policy, Prepared, Question};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate::Surrogate;

/// The functions of a question, one for each member of a model; `None` for those that are not asked.
pub(super) type Functions<'m, R> = heapless::Vec<Option<Prepared<'m, R>>, { Hyper::MOST as usize }>;

/// Prepares the function of each member; `memory` is shared among them.
pub(super) fn prepare<'m, R: Real>(
    question: Question<'_, R>,
    model: &mut dyn Surrogate<R>,
    spots: &[R],
    memory: &'m mut [R],
    generator: &mut Generator,
) -> Result<Functions<'m, R>, Error> {
    let count = model.members();
    let share = memory.len() / count.max(1);
    let mut rest = memory;
    let mut functions = Functions::new();
    // Hyperparameters are drawn with the function.
    let drawn = matches!(question.policy, Policy::Thompson { .. }).then(|| draw_member(model, generator));
    for member in 0..count {
        let (memory, left) = core::mem::take(&mut rest).split_at_mut(share);
        rest = left;
        let mut function = None;
        if model.weight(member) > R::ZERO && drawn.is_none_or(|drawn| drawn == member) {
            let mut memory = Some(memory);
            with_member(model, member, &mut |model| {
                let memory = memory.take().unwrap_or_default();
                function = Some(question.function(model, spots, memory, generator)?);
                Ok(())
            })?;
        }
        functions.push(function).map_err(|_| Limit::Posteriors.refuse(member))?;
    }
    Ok(functions)
}

/// Asks a member of an ensemble, or the model itself if it is none.
pub(super) fn with_member<R: Real>(
    model: &mut dyn Surrogate<R>,
    member: usize,
    ask: &mut dyn FnMut(&mut dyn Surrogate<R>) -> Result<(), Error>,
) -> Result<(), Error> {
    if model.members() == 1 { ask(model) } else { model.with_member(member, ask) }
}

/// A member by its weight.
fn draw_member<R: Real>(model: &dyn Surrogate<R>, generator: &mut Generator) -> usize {
    let weights = || (0..model.members()).map(|member| model.weight(member));
    let mut left = weights().fold(R::ZERO, |a, b| a + b) * rng::uniform::<R, _>(generator);
    let mut drawn = 0;
    for (member, weight) in weights().enumerate().filter(|&(_, weight)| weight > R::ZERO) {
        drawn = member;
        if left < weight {
            break;
        }
        left -= weight;
    }
    drawn
}
