//! The first words of every block: whose it is, how large it is, and over which space.

use core::fmt;

use super::checksum;
use crate::error::Error;

/// "infill", in the six lowest bytes of the first word.
const MAGIC: u64 = u64::from_le_bytes(*b"infill\0\0");
/// The version of all layouts: a block of another one is refused.
const VERSION: u64 = 8;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An optimizer.
    Optimizer = 1,
    // 2 was a selection among algorithms.
    /// A race of configurations.
    Race = 3,
    /// An iterated F-race.
    FRace = 4,
    /// A Gaussian process by itself.
    Process = 5,
    /// An iterated F-race together with its space.
    FRaceOverSpace = 6,
    /// What a run on another data set taught.
    Source = 7,
}

/// What the first words of a block say of it.
///
/// ```text
/// 0  "infill" | kind << 48 | version << 56
/// 1  words | bytes of a scalar << 56
/// 2  checksum
/// 3  fingerprint of the space; 0 if there is none
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the block holds.
    pub kind: Kind,
    /// Bytes of its scalar: 4 or 8.
    pub scalar: usize,
    /// Words of the whole block.
    pub words: usize,
    /// The fingerprint of its space; 0 if there is none.
    pub fingerprint: u64,
}

/// The first word of a block that is foreign.
struct Description(u64);

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, version, kind) = (self.0 << 16 >> 16, self.0 >> 56, self.0 >> 48 & 0xff);
        let swapped = self.0.swap_bytes() << 16 >> 16;
        if swapped == MAGIC {
            return f.write_str("the block was written by a machine of another byte order");
        }
        if name != MAGIC {
            return f.write_str("the memory holds no block of this library");
        }
        if version != VERSION {
            return write!(f, "the block is of version {version}, this library reads version {VERSION}");
        }
        let all =
            [Kind::Optimizer, Kind::Race, Kind::FRace, Kind::Process, Kind::FRaceOverSpace, Kind::Source];
        match all.into_iter().find(|known| *known as u64 == kind) {
            Some(Kind::Optimizer) => f.write_str("the block is an optimizer in another scalar"),
            Some(Kind::Race) => f.write_str("the block is a race"),
            Some(Kind::FRace | Kind::FRaceOverSpace) => f.write_str("the block is an iterated F-race"),
            Some(Kind::Source) => f.write_str("the block is a source"),
            Some(Kind::Process) => f.write_str("the block is a Gaussian process"),
            None => write!(f, "the block is of kind {kind}, which this library does not know"),
        }
    }
}

impl Header {
    /// Words that have to be there to tell.
    pub const WORDS: usize = 4;
    /// Where the checksum stands; it is of all other words of the state.
    pub(crate) const SUM: usize = 2;
    /// Where the fingerprint of the space stands.
    pub(crate) const FINGERPRINT: usize = 3;

    /// Reads the header of a block of a kind.
    ///
    /// # Errors
    /// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another kind, version or byte order.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// use infill::block::{Header, Kind};
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let optimizer = Optimizer::<f32, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f32>()])?;
    /// let header = Header::read(optimizer.words(), Kind::Optimizer)?;
    /// assert_eq!((header.scalar, header.words), (4, limits.words::<f32>()));
    /// assert_eq!(Header::read(optimizer.words(), Kind::Race), Err(Error::Foreign));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read(words: &[u64], kind: Kind) -> Result<Self, Error> {
        let &[first, size, _, fingerprint, ..] = words else {
            return Err(Error::Memory { needed: Self::WORDS });
        };
        let scalar = (size >> 56) as usize;
        let words = usize::try_from(size & (u64::MAX >> 8)).map_err(|_| Error::Foreign)?;
        Error::Foreign.when(first != Self::first(kind) || !matches!(scalar, 4 | 8))?;
        Ok(Self { kind, scalar, words, fingerprint })
    }

    /// Writes the header, with no checksum yet.
    ///
    /// # Errors
    /// [`Error::Memory`] if words are missing.
    pub fn write(&self, words: &mut [u64]) -> Result<(), Error> {
        let header = words.get_mut(..Self::WORDS).ok_or(Error::Memory { needed: Self::WORDS })?;
        let size = self.words as u64 | (self.scalar as u64) << 56;
        header.copy_from_slice(&[Self::first(self.kind), size, 0, self.fingerprint]);
        Ok(())
    }

    /// What a block that is foreign is, as a sentence.
    pub(crate) fn describe(words: &[u64]) -> impl fmt::Display {
        Description(words.first().copied().unwrap_or(0))
    }

    const fn first(kind: Kind) -> u64 {
        MAGIC | (kind as u64) << 48 | VERSION << 56
    }

    /// Writes the checksum of the words up to `end`.
    pub fn write_checksum(words: &mut [u64], end: usize) {
        let sum = Self::checksum(words, end);
        if let Some(word) = words.get_mut(Self::SUM) {
            *word = sum;
        }
    }

    /// The checksum of the words up to `end`, without itself.
    pub(crate) fn checksum(words: &[u64], end: usize) -> u64 {
        checksum::sum(words, 0..Self::SUM).wrapping_add(checksum::sum(words, Self::SUM + 1..end))
    }

    /// Whether the checksum is that of the words up to `end`.
    #[must_use]
    pub fn is_whole(words: &[u64], end: usize) -> bool {
        words.get(Self::SUM) == Some(&Self::checksum(words, end))
    }
}
