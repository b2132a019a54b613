//! A block of words handed out from its front, piece after piece.

use crate::error::Error;
use crate::real::Real;

/// Words that hold `count` scalars of type `R`.
pub const fn scalar_words<R: Real>(count: usize) -> usize {
    (count * R::BYTES).div_ceil(8)
}

/// Words that hold `count` numbers of rows.
pub(crate) const fn index_words(count: usize) -> usize {
    count.div_ceil(2)
}

/// The rest of a block of words.
///
/// Each `take` cuts a piece off the front; the pieces live as long as the block and never overlap.
#[derive(Debug)]
pub struct Arena<'a> {
    rest: &'a mut [u64],
    /// Words handed out so far.
    pub(crate) used: usize,
}

impl<'a> Arena<'a> {
    /// An arena over the whole block.
    pub fn new(block: &'a mut [u64]) -> Self {
        Self { rest: block, used: 0 }
    }

    /// The next `count` words.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer are left.
    pub fn words(&mut self, count: usize) -> Result<&'a mut [u64], Error> {
        if self.rest.len() < count {
            return Err(Error::Memory { needed: self.used.saturating_add(count) });
        }
        let (piece, rest) = core::mem::take(&mut self.rest).split_at_mut(count);
        self.rest = rest;
        self.used += count;
        Ok(piece)
    }

    /// The next `count` scalars, starting at a word.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer are left.
    pub fn scalars<R: Real>(&mut self, count: usize) -> Result<&'a mut [R], Error> {
        let words = self.words(scalar_words::<R>(count))?;
        Ok(&mut bytemuck::cast_slice_mut(words)[..count])
    }

    /// The next `count` numbers of rows, starting at a word.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer are left.
    pub(crate) fn indices(&mut self, count: usize) -> Result<&'a mut [u32], Error> {
        let words = self.words(index_words(count))?;
        Ok(&mut bytemuck::cast_slice_mut(words)[..count])
    }

    /// The next `count` bytes, starting at a word.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer are left.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a mut [u8], Error> {
        let words = self.words(count.div_ceil(8))?;
        Ok(&mut bytemuck::cast_slice_mut(words)[..count])
    }
}

/// As [`Arena`], over a block that is only read.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u64],
}

impl<'a> Reader<'a> {
    /// A reader of the whole block.
    pub(crate) fn new(block: &'a [u64]) -> Self {
        Self { rest: block }
    }

    /// The next `count` words; fewer if fewer are left.
    pub(crate) fn words(&mut self, count: usize) -> &'a [u64] {
        let (piece, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        piece
    }

    /// The next `count` scalars, starting at a word; fewer if fewer are left.
    pub(crate) fn scalars<R: Real>(&mut self, count: usize) -> &'a [R] {
        let all: &[R] = bytemuck::cast_slice(self.words(scalar_words::<R>(count)));
        &all[..count.min(all.len())]
    }

    /// The next `count` bytes, starting at a word; fewer if fewer are left.
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let all: &[u8] = bytemuck::cast_slice(self.words(count.div_ceil(8)));
        &all[..count.min(all.len())]
    }
}

/// Scratch scalars handed out from the front, for the phases of one call.
#[derive(Debug)]
pub(crate) struct Scratch<'a, R> {
    rest: &'a mut [R],
    used: usize,
}

impl<'a, R> Scratch<'a, R> {
    /// All of the given scratch.
    pub(crate) fn new(scratch: &'a mut [R]) -> Self {
        Self { rest: scratch, used: 0 }
    }

    /// The next `count` scalars, holding whatever was left there.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a mut [R], Error> {
        if self.rest.len() < count {
            return Err(Error::Shape { needed: self.used.saturating_add(count) });
        }
        let (piece, rest) = core::mem::take(&mut self.rest).split_at_mut(count);
        self.rest = rest;
        self.used += count;
        Ok(piece)
    }

    /// All that is left.
    pub(crate) fn rest(self) -> &'a mut [R] {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, scalar_words};
    use crate::error::Error;

    #[test]
    fn pieces_are_disjoint_and_bounded() {
        let mut block = [0u64; 5];
        let mut arena = Arena::new(&mut block);
        let a = arena.scalars::<f32>(3).unwrap();
        let b = arena.scalars::<f64>(2).unwrap();
        a.fill(1.0);
        b.fill(2.0);
        assert_eq!(arena.used, scalar_words::<f32>(3) + scalar_words::<f64>(2));
        assert_eq!(arena.words(2).unwrap_err(), Error::Memory { needed: 6 });
        assert!(arena.words(1).is_ok());
        assert_eq!(block[4], 0);
    }
}
