//! Names of parameters and labels of categories: what a space says to people.
//!
//! Models never see them. A block keeps a hash of them, and the texts themselves where [`Limits`](crate::Limits) have room.

use core::fmt;

use super::{Domain, Space};
use crate::block::checksum::mix;
use crate::error::Error;

/// Whether there are names: a small machine has no use for them.
const TEXT: bool = cfg!(feature = "text");

/// Where the names of a space are found: in lists, in C data, in a block.
pub trait Names {
    /// The name of a parameter; nothing if it has none.
    fn name(&self, parameter: usize) -> Option<&str>;

    /// The label of a value of a category; nothing if it has none.
    fn label(&self, parameter: usize, value: usize) -> Option<&str>;
}

/// Names alone, by parameter; an empty one is none.
impl Names for &[&str] {
    fn name(&self, parameter: usize) -> Option<&str> {
        self.get(parameter).copied()
    }

    fn label(&self, _: usize, _: usize) -> Option<&str> {
        None
    }
}

/// Names with labels, by parameter; the labels of others than categories are empty.
impl Names for &[(&str, &[&str])] {
    fn name(&self, parameter: usize) -> Option<&str> {
        self.get(parameter).map(|(name, _)| *name)
    }

    fn label(&self, parameter: usize, value: usize) -> Option<&str> {
        self.get(parameter)?.1.get(value).copied()
    }
}

/// The names of a space, if it has any.
#[derive(Clone, Copy, Default)]
pub(crate) struct Named<'a>(pub(crate) Option<&'a dyn Names>);

impl<'a> Named<'a> {
    /// What is empty is none.
    pub(crate) fn name(self, parameter: usize) -> Option<&'a str> {
        self.0?.name(parameter).filter(|name| !name.is_empty())
    }

    pub(crate) fn label(self, parameter: usize, value: usize) -> Option<&'a str> {
        self.0?.label(parameter, value).filter(|label| !label.is_empty())
    }
}

impl fmt::Debug for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "named" } else { "unnamed" })
    }
}

/// A text and the byte that ends it.
fn bytes(text: Option<&str>) -> impl Iterator<Item = u8> {
    text.unwrap_or("").bytes().chain([0])
}

impl<'a> Space<'a> {
    /// The same space with names: errors speak of them, and a block remembers them.
    ///
    /// Cost: O(texts²), to see that each is another one.
    ///
    /// # Errors
    /// [`Error::Name`] for a parameter whose name is that of an earlier one, that has a label twice, or a zero byte in one
    /// of them; [`Error::Unsupported`] without the feature `text`.
    ///
    /// ```
    /// use infill::{Error, Param, Space};
    /// let params = [Param::categorical(2), Param::real(1e-5, 1e-1).log()];
    /// let names: &[(&str, &[&str])] = &[("optimizer", &["adam", "sgd"]), ("rate", &[])];
    /// let space = Space::new(&params, &[])?.named(&names)?;
    /// assert_eq!(space.name(1), Some("rate"));
    /// let same: &[&str] = &["rate", "rate"];
    /// let refused = Space::new(&params, &[])?.named(&same);
    /// assert_eq!(refused.unwrap_err(), Error::Name { parameter: 1 });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn named(self, names: &'a dyn Names) -> Result<Self, Error> {
        if !TEXT {
            return Err(Error::Unsupported);
        }
        let named = Named(Some(names));
        for i in 0..self.dims() {
            let count = self.categories(i).unwrap_or(0) as usize;
            let label = |k: usize| named.label(i, k);
            let sound = |text: Option<&str>| !text.is_some_and(|text| text.contains('\0'));
            let name = named.name(i);
            let taken = name.is_some() && (0..i).any(|k| named.name(k) == name);
            let doubled = |k: usize| label(k).is_some() && (0..k).any(|l| label(l) == label(k));
            let twice = taken || (0..count).any(doubled);
            if twice || !sound(name) || !(0..count).all(|k| sound(label(k))) {
                return Err(Error::Name { parameter: i as u32 });
            }
        }
        Ok(Self { names: named, ..self })
    }

    /// The name of a parameter, if it has one.
    #[must_use]
    pub fn name(&self, parameter: usize) -> Option<&'a str> {
        self.names.name(parameter)
    }

    /// The label of a value of a category, if it has one.
    #[must_use]
    pub fn label(&self, parameter: usize, value: usize) -> Option<&'a str> {
        self.names.label(parameter, value)
    }

    /// The texts in the order of a block: the name of each parameter, and behind it its labels.
    fn texts(&self) -> impl Iterator<Item = Option<&'a str>> + '_ {
        let labels = |i: usize| 0..self.categories(i).unwrap_or(0) as usize;
        (0..self.dims())
            .flat_map(move |i| core::iter::once(self.name(i)).chain(labels(i).map(move |k| self.label(i, k))))
    }

    /// A hash of the names and labels; 0 if there are none.
    #[must_use]
    pub(crate) fn names_fingerprint(&self) -> u64 {
        if !TEXT || self.names.0.is_none() || self.texts().all(|text| text.is_none()) {
            return 0;
        }
        let hash = self.texts().flat_map(bytes).fold(1, |hash, byte| mix(hash, byte.into()));
        if hash == 0 { 1 } else { hash }
    }

    /// Bytes that the names take in a block; 0 without them.
    #[must_use]
    pub(crate) fn names_bytes(&self) -> usize {
        if self.names_fingerprint() == 0 { 0 } else { self.texts().flat_map(bytes).count() }
    }

    /// The same space without names.
    pub(crate) fn unnamed(self) -> Self {
        Self { names: Named(None), ..self }
    }

    /// Writes the names, each with a zero behind it, into as many words as they take.
    pub(super) fn write_names(&self, out: &mut [u64]) {
        let out: &mut [u8] = bytemuck::cast_slice_mut(out);
        out.fill(0);
        if TEXT && !out.is_empty() {
            out.iter_mut().zip(self.texts().flat_map(bytes)).for_each(|(out, byte)| *out = byte);
        }
    }
}

impl<'a> Domain<'a> {
    /// The name of a parameter, if the block has it.
    #[must_use]
    pub fn name(&self, parameter: usize) -> Option<&'a str> {
        self.text(parameter, None)
    }

    /// The label of a value of a category, if the block has it.
    #[must_use]
    pub fn label(&self, parameter: usize, value: usize) -> Option<&'a str> {
        self.text(parameter, Some(value))
    }

    /// Number of values with a label that a parameter may have.
    fn labels(&self, parameter: usize) -> usize {
        // As many as a limit allows fit into a word of any machine.
        self.categories(parameter).unwrap_or(0) as usize
    }

    fn text(&self, parameter: usize, value: Option<usize>) -> Option<&'a str> {
        if parameter >= self.dims() || value.is_some_and(|value| value >= self.labels(parameter)) {
            return None;
        }
        let before = (0..parameter).map(|i| 1 + self.labels(i)).sum::<usize>();
        let mut texts = self.text_bytes().split(|&byte| byte == 0);
        let text = texts.nth(before + value.map_or(0, |value| 1 + value))?;
        core::str::from_utf8(text).ok().filter(|text| !text.is_empty())
    }

    /// Whether the names are some that [`Space::write`] writes.
    pub(super) fn names_are_sound(&self) -> bool {
        // What is never read need not be sound.
        if !TEXT {
            return true;
        }
        let texts = (0..self.dims()).fold(0usize, |sum, i| sum.saturating_add(1 + self.labels(i)));
        let bytes = self.text_bytes();
        let mut left = texts;
        let end = bytes.iter().position(|&byte| {
            left -= usize::from(byte == 0);
            left == 0
        });
        let behind = match end {
            Some(last) => &bytes[last + 1..],
            None => return bytes.is_empty(),
        };
        behind.len() < 8 && behind.iter().all(|&byte| byte == 0) && core::str::from_utf8(bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use crate::error::{Difference, Error, Part};
    use crate::space::tests::parsed;
    use crate::space::{Domain, Param, Space};

    const PARAMS: [Param<'static>; 3] = [Param::categorical(2), Param::real(0.0, 1.0), Param::categorical(3)];
    const NAMES: [(&str, &[&str]); 3] = [("méthode", &["adam", "sgd"]), ("rate", &[]), ("", &["a", "", "c"])];

    type List<'a> = &'a [(&'a str, &'a [&'a str])];
    static LIST: List<'static> = &NAMES;

    fn named<'a>(names: &'a List<'a>) -> Result<Space<'a>, Error> {
        Space::new(&PARAMS, &[]).unwrap().named(names)
    }

    /// They are read again, and nothing else is read as names.
    #[test]
    fn names_come_back_from_the_words() {
        let space = named(&LIST).unwrap();
        let words = parsed(&space);
        assert_eq!(words.len(), space.unnamed().words() + space.names_bytes().div_ceil(8));
        let domain = Domain::attach::<f64>(&words).unwrap();
        assert_eq!(domain.fingerprint(), space.unnamed().fingerprint());
        for i in 0..4 {
            assert_eq!(domain.name(i), space.name(i));
            for k in 0..4 {
                let beyond = k as u32 >= space.categories(i).unwrap_or(0);
                assert_eq!(domain.label(i, k), if beyond { None } else { space.label(i, k) }, "{i} {k}");
            }
        }
        assert_eq!((domain.name(0), domain.name(2)), (Some("méthode"), None));
        let first = words.len() - space.names_bytes().div_ceil(8);
        for place in first..words.len() {
            for bit in 0..64 {
                let mut bad = words.clone();
                bad[place] ^= 1 << bit;
                // Another text, or no block; never a panic.
                if let Ok(domain) = Domain::attach::<f64>(&bad) {
                    assert!(domain.check_space(&space).is_err(), "{place} {bit}");
                }
            }
        }
    }

    #[test]
    fn other_names_are_told_apart() {
        let space = named(&LIST).unwrap();
        let words = parsed(&space);
        let domain = Domain::attach::<f64>(&words).unwrap();
        let differs = |names: List<'_>| domain.check_space(&named(&names).unwrap());
        let part = |part, index| Err(Error::Space(Difference::new(part, index)));
        assert_eq!(differs(&NAMES), Ok(()));
        assert_eq!(domain.check_space(&space.unnamed()), Ok(()));
        assert_eq!(differs(&[("other", &["adam", "sgd"]), NAMES[1], NAMES[2]]), part(Part::Name, 0));
        assert_eq!(differs(&[("méthode", &["sgd", "adam"]), NAMES[1], NAMES[2]]), part(Part::Labels, 0));
        assert_eq!(differs(&[NAMES[0], NAMES[1], ("", &["a", "b", "c"])]), part(Part::Labels, 2));
    }

    #[test]
    fn names_are_refused() {
        let refused = |names: List<'_>| named(&names).map(|_| ()).unwrap_err();
        let name = |parameter| Error::Name { parameter };
        assert_eq!(refused(&[NAMES[0], ("méthode", &[])]), name(1));
        assert_eq!(refused(&[("x", &["a", "a"])]), name(0));
        assert_eq!(refused(&[("x", &[]), ("y\0", &[])]), name(1));
        assert_eq!(refused(&[("x", &[]), ("y", &[]), ("z", &["a\0"])]), name(2));
    }
}
