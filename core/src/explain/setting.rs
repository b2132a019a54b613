//! Which setting is at fault: the one without which the rest would be accepted.

use core::fmt;

use super::Range;
use super::range::Number;
use crate::config::Flat;

/// The setting for which a configuration is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Its name, as in [`Flat`].
    pub name: &'static str,
    /// What it is.
    pub given: f64,
    /// What it may be while all others stay as they are.
    pub range: Range,
    /// Another one without which this one would be accepted: the two do not go together.
    pub against: Option<&'static str>,
}

/// The setting for which a configuration is refused; nothing if it is accepted, or no setting explains it.
///
/// `usual` is a configuration that is accepted. Each setting of its own is put in the place of the given one; where that helps,
/// the setting is at fault. If none helps, several are: the first one is that which cannot be added to the usual ones. Cost: some
/// hundred questions.
pub fn culprit(given: &Flat, usual: &Flat, mut accepts: impl FnMut(&Flat) -> bool) -> Option<Setting> {
    if accepts(given) || !accepts(usual) {
        return None;
    }
    let differs = |i: &usize| given.get(*i).to_bits() != usual.get(*i).to_bits();
    let settings = || (0..Flat::NAMES.len()).filter(differs);
    let alone = settings().find(|&i| accepts(&given.with(i, usual.get(i))));
    if let Some(at) = alone {
        let other = settings().skip_while(|&i| i <= at).find(|&i| accepts(&given.with(i, usual.get(i))));
        return Some(found(given, usual, at, other, accepts));
    }
    let mut mixed = *usual;
    for i in settings() {
        let more = mixed.with(i, given.get(i));
        if !accepts(&more) {
            return Some(found(&more, usual, i, None, accepts));
        }
        mixed = more;
    }
    None
}

fn found(
    given: &Flat,
    usual: &Flat,
    at: usize,
    other: Option<usize>,
    mut accepts: impl FnMut(&Flat) -> bool,
) -> Setting {
    let known = usual.get(at);
    let range = if Flat::is_count(at) {
        Range::of_counts(known as u32, |count| accepts(&given.with(at, count.into())))
    } else {
        Range::of_reals(known, |value| accepts(&given.with(at, value)))
    };
    let against = other.map(|other| Flat::NAMES[other]);
    Setting { name: Flat::NAMES[at], given: given.get(at), range, against }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, given, range, against } = self;
        write!(f, "the setting {name} is {}: it may be {range}", Number(*given))?;
        against.map_or(Ok(()), |other| write!(f, " unless {other} changes"))
    }
}
