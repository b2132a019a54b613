//! What the blocks of both races have in common: the settings behind the header, the generator, and the pairs to run on.
//!
//! ```text
//! header │ 4 settings │ 12 generator │ 16 the race's own
//! ```

use core::ops::Range;

use crate::block::{Header, Kind};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::hash::{hash, permute};

/// Where the settings stand.
pub(super) const SETTINGS: Range<usize> = Header::WORDS..12;
/// Where the generator stands.
pub(super) const GENERATOR: Range<usize> = 12..16;

/// Writes an empty block of `needed` words, with no checksum yet.
///
/// # Errors
/// [`Error::Memory`] for too few words.
pub(super) fn begin<R: Real>(
    words: &mut [u64],
    header: (Kind, u64),
    needed: usize,
    settings: [u64; 8],
    seed: u64,
) -> Result<(), Error> {
    let (kind, fingerprint) = header;
    let words = words.get_mut(..needed).ok_or(Error::Memory { needed })?;
    words.fill(0);
    Header { kind, scalar: R::BYTES, words: needed, fingerprint }.write(words)?;
    words[SETTINGS].copy_from_slice(&settings);
    words[GENERATOR].copy_from_slice(&Generator::new(seed).words());
    Ok(())
}

/// The shape of a block whose header is looked at alone: `shape` reads it, and says how many words it needs.
///
/// # Errors
/// [`Error::Memory`], [`Error::Foreign`], or [`Error::Corrupt`] for a shape that is none.
pub(super) fn resume<R: Real, S>(
    words: &[u64],
    kind: Kind,
    least: usize,
    shape: impl FnOnce(&[u64]) -> Option<(S, usize)>,
) -> Result<S, Error> {
    let header = Header::read(words, kind)?;
    Error::Foreign.when(header.scalar != R::BYTES)?;
    Error::Memory { needed: least }.when(words.len() < least)?;
    let (shape, needed) = shape(words).filter(|(_, needed)| header.words == *needed).ok_or(Error::Corrupt)?;
    if words.len() < needed { Err(Error::Memory { needed }) } else { Ok(shape) }
}

/// The generator of a block.
///
/// # Errors
/// [`Error::Corrupt`] for words that are all zero, which `attach` refuses.
pub(super) fn generator(words: &[u64]) -> Result<Generator, Error> {
    let &[a, b, c, d] = &words[GENERATOR] else { return Err(Error::Corrupt) };
    Generator::from_words([a, b, c, d])
}

/// The instance and the seed of a step: every instance once, in random order, before any comes again.
pub(super) fn pair(step: u64, instances: u32, seed: u64) -> (u32, u64) {
    let (round, place) = (step / u64::from(instances), (step % u64::from(instances)) as u32);
    (permute(place, instances, hash(seed, round << 1) as u32), hash(seed, step << 1 | 1))
}
