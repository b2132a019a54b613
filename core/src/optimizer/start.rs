//! A new block: everything that may be refused is, before the memory is touched; then its sections are written.

use super::block::{Block, Sections, Shape};
use super::{cash, kernel, save};
use crate::block::Arena;
use crate::config::{CHOICES, Config, Noise};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::limits::Limits;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::{Domain, Kind, Space};

/// Writes an optimizer without trials, but for its checksum.
///
/// # Errors
/// As [`Optimizer::new`](super::Optimizer::new).
pub(super) fn start<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    limits: &Limits,
    words: &mut [u64],
) -> Result<Shape, Error> {
    if limits.words::<R>() == usize::MAX {
        return Err(Error::Limits);
    }
    config.check()?;
    config.combines()?;
    if space.dims() > limits.dims as usize
        || space.conditions() > limits.conditions as usize
        || space.levels() > limits.levels as usize
        || space.terms() > limits.terms as usize
    {
        return Err(Error::Dimensions);
    }
    if CHOICES
        && let strategy = cash::chosen(config, space, limits)
        && let Some(branching) = strategy.branching()
    {
        return cash::start::<R>(space, &Config { strategy, ..*config }, branching, limits, words);
    }
    let shape = match config.surrogate.kernel {
        Some(kernel) => lay_out::<R>(space, config, kernel, limits, words)?,
        None => lay_out_default::<R>(space, config, limits, words)?,
    };
    let mut block = Block::<R>::carve(words, limits, shape)?;
    block.start_extras()?;
    block.set_generator(&Generator::new(config.seed));
    let scale = config.targets.fit(&[], &mut []);
    block.set_scale(&scale);
    block.note_factor();
    Ok(shape)
}

/// As [`lay_out`] with the default kernel, which lies on the stack of this function alone.
#[inline(never)]
fn lay_out_default<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    limits: &Limits,
    words: &mut [u64],
) -> Result<Shape, Error> {
    let mut kernel = Kernel::postfix();
    kernel::default(space, config, &mut kernel)?;
    lay_out::<R>(space, config, &kernel, limits, words)
}

/// Writes header, configuration, space, kernel and hyperparameters.
#[inline(never)]
fn lay_out<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    kernel: &Kernel,
    limits: &Limits,
    words: &mut [u64],
) -> Result<Shape, Error> {
    let dims = space.dims();
    let thetas = kernel.thetas(dims)? + config.surrogate.warp.thetas(dims);
    let fits = kernel.nodes() <= limits.nodes as usize
        && kernel.list_entries() <= limits.lists as usize
        && thetas <= limits.thetas as usize;
    if !fits {
        return Err(Error::Kernel);
    }
    if config.surrogate.trend.columns(dims) > limits.columns as usize {
        return Err(Error::Limits);
    }
    config.needs(limits, dims)?;
    // Below rounding a variance is none.
    let least = 8.0 * R::EPSILON.to_f64();
    let Noise { variance, lo, hi, sd } = config.surrogate.noise;
    let (variance, lo, hi) = (variance.max(least), lo.max(least), hi.max(least));
    let warped = (0..dims).filter(|&i| space.kind(i) != Kind::Categorical).count();
    let free = kernel.free(dims)? + config.surrogate.warp.thetas(warped) + usize::from(lo < hi);
    config.serves(kernel.ops(), free)?;
    space.check_exact::<R>()?;
    let posteriors = config.surrogate.hyper.posteriors() as usize;
    let direct = config.is_direct(limits);
    let shape = Shape { dims, thetas, trend: config.surrogate.trend, posteriors, direct, values: 0 };
    let needed = limits.words::<R>();
    if words.len() < needed {
        return Err(Error::Memory { needed });
    }
    words[..needed].fill(0);
    let mut sections = Sections::<R>::cut(&mut Arena::new(words), &limits.used(shape))?;
    config.write(sections.config);
    space.write(sections.space)?;
    let fingerprint = Domain::attach::<R>(sections.space)?.fingerprint();
    kernel.write(dims, sections.nodes, sections.lists)?;
    save::write_header::<R>(sections.header, limits, shape, fingerprint)?;
    sections.gp.reset(kernel)?;
    sections.gp.set_noise(variance, lo, hi)?;
    sections.gp.set_noise_prior(sd)?;
    Ok(shape)
}
