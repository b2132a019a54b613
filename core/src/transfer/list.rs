//! A list of sources: their blocks one after the other.

use core::marker::PhantomData;

use super::Source;
use crate::block::{Header, Kind, checksum};
use crate::error::Error;
use crate::real::Real;

/// Sources over one space, one block behind the other: adding one is appending its words.
///
/// It is only read, by any number of threads, and lives as long as its words.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a, R> {
    words: &'a [u64],
    count: usize,
    /// Meta-features of the data set of the run itself.
    features: &'a [R],
    scalar: PhantomData<R>,
}

/// No sources.
impl<R> Default for Sources<'_, R> {
    fn default() -> Self {
        Self { words: &[], count: 0, features: &[], scalar: PhantomData }
    }
}

impl<'a, R: Real> Sources<'a, R> {
    /// The list in some words, to their end; none of them is no source.
    ///
    /// Cost: O(words).
    ///
    /// # Errors
    /// As [`Source::attach`] of each; [`Error::Foreign`] if two are over different spaces.
    pub fn attach(words: &'a [u64]) -> Result<Self, Error> {
        let (mut rest, mut count, mut space) = (words, 0, None);
        while !rest.is_empty() {
            let source = Source::<R>::attach(rest)?;
            let own = (source.fingerprint(), source.size().dims);
            Error::Foreign.when(space.is_some_and(|space| space != own))?;
            (space, count, rest) = (Some(own), count + 1, &rest[source.words().len()..]);
        }
        Ok(Self { words, count, features: &[], scalar: PhantomData })
    }

    /// The same with the meta-features of the new data set, for what compares data sets by them.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for one that is not.
    pub fn with_features(self, features: &'a [R]) -> Result<Self, Error> {
        Error::NotFinite.when(features.iter().any(|feature| !feature.is_finite()))?;
        Ok(Self { features, ..self })
    }

    /// The meta-features of the new data set.
    pub(crate) fn own_features(&self) -> &'a [R] {
        self.features
    }

    /// Refuses data sets of other meta-features than the new one.
    ///
    /// # Errors
    /// [`Error::Shape`] with the number of the first source, if the new data set or another one has a different number, or none.
    pub(crate) fn check_features(&self) -> Result<(), Error> {
        let needed = self.iter().next().map_or(0, |source| source.features().len());
        let same = self.iter().all(|source| source.features().len() == needed);
        Error::Shape { needed }.when(needed == 0 || !same || self.features.len() != needed)
    }

    /// The fingerprint of their space and the number of its parameters; zeros without any.
    pub(crate) fn space(&self) -> (u64, usize) {
        self.iter().next().map_or((0, 0), |source| (source.fingerprint(), source.size().dims))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The sources in their order.
    pub fn iter(&self) -> impl Iterator<Item = Source<'a, R>> + use<'a, R> {
        let mut rest = self.words;
        core::iter::from_fn(move || {
            // They were attached: each header says how many words are its own.
            let header = Header::read(rest, Kind::Source).ok()?;
            let (own, behind) = rest.split_at_checked(header.words)?;
            rest = behind;
            Source::of(own).ok()
        })
    }

    /// A number that other sources, or the same in another order, do not have; 0 without any.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.iter().fold(0, |sum, source| checksum::mix(sum, source.words()[Header::SUM] | 1))
    }
}
