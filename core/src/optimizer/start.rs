//! A new block: everything that may be refused is, before the memory is touched; then its sections are written.

use super::block::{Block, Sections, Shape};
use super::{cash, save};
use crate::block::Arena;
use crate::config::{CHOICES, Config, Noise};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::limits::{Limit, Limits};
use crate::real::Real;
use crate::rng::Generator;
use crate::space::{Kind, Space};

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
    limits.check_countable::<R>()?;
    config.check()?;
    config.combines()?;
    limits.check_holds(space)?;
    if CHOICES
        && let strategy = cash::chosen(config, space, limits)
        && let Some(branching) = strategy.branching()
    {
        return cash::start::<R>(space, &Config { strategy, ..*config }, branching, limits, words);
    }
    let mut shape = Shape::default();
    with_kernel(space, config, &mut |kernel| {
        shape = shape_of::<R>(space, config, kernel, limits)?;
        Ok(())
    })?;
    let needed = limits.words::<R>();
    Error::Memory { needed }.when(words.len() < needed)?;
    words[..needed].fill(0);
    write_settings::<R>(space, config, limits, shape, words)?;
    with_kernel(space, config, &mut |kernel| write_kernel::<R>(config, kernel, limits, shape, words))?;
    write_state::<R>(config, limits, shape, words)?;
    Ok(shape)
}

/// Gives `work` the kernel: the caller's, or the default one.
///
/// The latter is built twice, since half of the stack of a small machine would else be a kernel while all is written.
fn with_kernel(
    space: &Space<'_>,
    config: &Config<'_>,
    work: &mut dyn FnMut(&Kernel) -> Result<(), Error>,
) -> Result<(), Error> {
    match config.surrogate.kernel {
        Some(kernel) => work(kernel),
        None => with_default_kernel(space, config, work),
    }
}

// Not inlined: the kernel lies on the stack of this function alone.
#[inline(never)]
fn with_default_kernel(
    space: &Space<'_>,
    config: &Config<'_>,
    work: &mut dyn FnMut(&Kernel) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut kernel = Kernel::postfix();
    config.default_kernel(space, &mut kernel)?;
    work(&kernel)
}

/// The shape of a block with this kernel.
#[inline(never)]
fn shape_of<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    kernel: &Kernel,
    limits: &Limits,
) -> Result<Shape, Error> {
    let dims = space.dims();
    let thetas = kernel.thetas(dims)? + config.surrogate.warp.thetas(dims);
    Limit::Nodes.at_least(limits.nodes as usize, kernel.nodes())?;
    Limit::Lists.at_least(limits.lists as usize, kernel.list_entries())?;
    Limit::Thetas.at_least(limits.thetas as usize, thetas)?;
    Limit::Columns.at_least(limits.columns as usize, config.surrogate.trend.columns(dims))?;
    config.needs(limits, dims)?;
    let (_, lo, hi) = noise::<R>(config);
    let warped = (0..dims).filter(|&i| space.kind(i) != Kind::Categorical).count();
    let free = kernel.free(dims)? + config.surrogate.warp.thetas(warped) + usize::from(lo < hi);
    config.serves(kernel.ops(), free)?;
    space.check_exact::<R>()?;
    let posteriors = config.surrogate.hyper.posteriors() as usize;
    let direct = config.is_direct(limits);
    Ok(Shape { dims, thetas, trend: config.surrogate.trend, posteriors, direct, values: 0 })
}

/// The variance of the noise and its bounds: below rounding a variance is none.
fn noise<R: Real>(config: &Config<'_>) -> (f64, f64, f64) {
    let least = 8.0 * R::EPSILON.to_f64();
    let Noise { variance, lo, hi, sd: _ } = config.surrogate.noise;
    (variance.max(least), lo.max(least), hi.max(least))
}

/// Writes header, configuration and space.
#[inline(never)]
fn write_settings<R: Real>(
    space: &Space<'_>,
    config: &Config<'_>,
    limits: &Limits,
    shape: Shape,
    words: &mut [u64],
) -> Result<(), Error> {
    let sections = Sections::<R>::cut(&mut Arena::new(words), &limits.used(shape))?;
    config.write(sections.config);
    let fingerprints = save::write_space::<R>(space, limits, sections.space)?;
    save::write_header::<R>(sections.header, limits, shape, fingerprints)
}

/// Writes kernel and hyperparameters.
#[inline(never)]
fn write_kernel<R: Real>(
    config: &Config<'_>,
    kernel: &Kernel,
    limits: &Limits,
    shape: Shape,
    words: &mut [u64],
) -> Result<(), Error> {
    let mut sections = Sections::<R>::cut(&mut Arena::new(words), &limits.used(shape))?;
    kernel.write(shape.dims, sections.nodes, sections.lists)?;
    sections.gp.reset(kernel)?;
    let (variance, lo, hi) = noise::<R>(config);
    sections.gp.set_noise(variance, lo, hi)?;
    sections.gp.set_noise_prior(config.surrogate.noise.sd)
}

/// Writes generator, scale of the targets, and what a model or a method remembers.
#[inline(never)]
fn write_state<R: Real>(
    config: &Config<'_>,
    limits: &Limits,
    shape: Shape,
    words: &mut [u64],
) -> Result<(), Error> {
    // Used where it lies: taken out of its result it would be twice on the stack.
    let mut carved = Block::<R>::carve(words, limits, shape);
    let block = carved.as_mut().map_err(|error| *error)?;
    block.start_extras()?;
    block.set_generator(&Generator::new(config.seed));
    let scale = config.targets.fit(&[], &mut []);
    block.set_scale(&scale);
    block.note_factor();
    Ok(())
}
