//! Look-up tables: a static sequence of configurations as plain text, and read back.
//!
//! ```text
//! # iterations terms          the names, if there are any: the first line alone may be such a line
//! 10000 4                     a configuration in user units, its values in the order of the parameters
//! 100 -                       - stands where a parameter does not matter
//! ```
//!
//! Between values are spaces or tabs; lines without a value are skipped.

use core::fmt;

use crate::error::Error;
use crate::real::Real;
use crate::space::Domain;

/// What is written where a parameter does not matter.
const NOTHING: &str = "-";
/// What a line of names begins with.
const TITLE: char = '#';

/// Configurations in the order in which they are tried, whatever is told: what a static [`Rule`](super::Rule) learnt, without a
/// model and without the data.
///
/// It is written by its [`Display`](fmt::Display), each number with as few digits as give the same `f64` again: reading it restores
/// every bit, in `f32` too. An optimizer works through it when it is [enqueued](crate::Optimizer::enqueue).
///
/// # References
/// Wistuba 2017, Appendix A.
///
/// ```
/// use infill::transfer::LookUp;
/// use infill::{Config, Error, Optimizer, Param, Space, space::Domain};
/// let params = [Param::integer(1, 10_000).log(), Param::integer(2, 30)];
/// let space = Space::new(&params, &[])?;
/// let text = LookUp::new(&[1000.0, 4.0, 100.0, 2.0], 2)?.to_string();
/// assert_eq!(text, "1000 4\n100 2\n");
///
/// let mut words = vec![0; space.words()];
/// space.write(&mut words)?;
/// let domain = Domain::attach::<f64>(&words)?;
/// let mut memory = vec![0.0; LookUp::<f64>::scalars(&text, 2)];
/// let table = LookUp::read(&text, &domain, &mut memory)?;
/// let mut optimizer = Optimizer::<f64, Vec<u64>>::with_limits(&space, &Config::default(), space.limits(9))?;
/// for point in table.points() {
///     optimizer.enqueue(point)?;
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LookUp<'a, R> {
    dims: usize,
    values: &'a [R],
    names: &'a [&'a str],
}

impl<'a, R: Real> LookUp<'a, R> {
    /// The configurations in `values`, one after the other, in user units; NaN stands where a parameter does not matter.
    ///
    /// # Errors
    /// [`Error::NoData`] without parameters or configurations, [`Error::Shape`] if the last one is not full,
    /// [`Error::NotFinite`] for a value that is infinite.
    pub fn new(values: &'a [R], dims: usize) -> Result<Self, Error> {
        Error::NoData.when(dims == 0 || values.is_empty())?;
        let needed = values.len().next_multiple_of(dims);
        Error::Shape { needed }.when(needed != values.len())?;
        Error::NotFinite.when(values.iter().any(|value| !value.is_finite() && !value.is_nan()))?;
        Ok(Self { dims, values, names: &[] })
    }

    /// The same with the names of the parameters: they are written above the configurations.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of names, [`Error::Name`] for one that is empty, has a line break, or a space at one of
    /// its ends.
    pub fn titled(self, names: &'a [&'a str]) -> Result<Self, Error> {
        let needed = self.dims;
        Error::Shape { needed }.when(names.len() != needed)?;
        let wrong = |name: &&str| name.is_empty() || name.trim() != *name || name.contains(['\n', '\r']);
        match names.iter().position(wrong) {
            Some(parameter) => Err(Error::Name { parameter: parameter as u32 }),
            None => Ok(Self { names, ..self }),
        }
    }

    /// Scalars in which a text is read: a configuration for each line that has one, and one to work in; `usize::MAX` for more than
    /// can be counted.
    #[must_use]
    pub fn scalars(text: &str, dims: usize) -> usize {
        rows(text).count().saturating_add(1).saturating_mul(dims)
    }

    /// Reads a text into `memory`, which has at least [`LookUp::scalars`].
    ///
    /// Cost: O(bytes of the text + configurations × (parameters + conditions + terms + listed values)).
    ///
    /// # Errors
    /// [`Error::Shape`] for too little memory, [`Error::NoData`] for a text without configurations, [`Error::Format`] with the byte
    /// where the first thing begins that is wrong: a value that is no finite number or that the space does not have, the line of a
    /// configuration of too few values or that the space forbids, the first value too many, a line of other names than those of the
    /// space. `memory` holds nothing of use then.
    pub fn read(text: &str, domain: &Domain<'_>, memory: &'a mut [R]) -> Result<Self, Error> {
        let dims = domain.dims();
        let needed = Self::scalars(text, dims);
        Error::Shape { needed }.when(memory.len() < needed)?;
        check_title(text, domain)?;
        let (unit, values) = memory.split_at_mut(dims);
        let mut count = 0;
        for ((at, line), row) in rows(text).zip(values.chunks_exact_mut(dims)) {
            read_row(at, line, domain, row, unit)?;
            count += 1;
        }
        Self::new(&values[..count * dims], dims)
    }

    /// How many configurations there are, one at least.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.values.len() / self.dims
    }

    /// The configurations in their order, in user units; NaN where a parameter does not matter.
    pub fn points(&self) -> impl ExactSizeIterator<Item = &'a [R]> + use<'a, R> {
        self.values.chunks_exact(self.dims)
    }
}

/// Writes the text.
impl<R: Real> fmt::Display for LookUp<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.names.is_empty() {
            write!(f, "{TITLE}")?;
            self.names.iter().try_for_each(|name| write!(f, " {name}"))?;
            writeln!(f)?;
        }
        for point in self.points() {
            for (i, &value) in point.iter().enumerate() {
                let space = if i == 0 { "" } else { " " };
                write!(f, "{space}{}", Number(value.to_f64()))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A number with as few digits as tell it from every other, without long rows of zeros.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size.is_nan() {
            f.write_str(NOTHING)
        } else if size == 0.0 || (1e-5..1e16).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// The lines of a text, each with the byte where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split('\n').map(move |line| {
        let at = next;
        next += line.len() + 1;
        (at, line)
    })
}

/// The lines of configurations.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).filter(|&(at, line)| !(at == 0 && line.starts_with(TITLE)) && entries(line).next().is_some())
}

/// What stands between the spaces of a line, each with the byte of the line where it begins.
fn entries(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    let parts = line.split(|c: char| c.is_ascii_whitespace()).map(move |part| {
        let at = next;
        next += part.len() + 1;
        (at, part)
    });
    parts.filter(|(_, part)| !part.is_empty())
}

/// Refuses names that are not those of the space, if all of its parameters have one.
fn check_title(text: &str, domain: &Domain<'_>) -> Result<(), Error> {
    let Some(mut rest) = lines(text).next().and_then(|(_, line)| line.strip_prefix(TITLE)) else {
        return Ok(());
    };
    if (0..domain.dims()).any(|i| domain.name(i).is_none()) {
        return Ok(());
    }
    for name in (0..domain.dims()).filter_map(|i| domain.name(i)) {
        // Names may have spaces in them: they are not split there.
        let behind = rest.trim_ascii_start();
        let named = behind.strip_prefix(name).filter(|_| behind.len() < rest.len());
        rest = named.ok_or(Error::Format { at: 0 })?;
    }
    Error::Format { at: 0 }.when(!rest.trim_ascii().is_empty())
}

/// Reads the configuration of a line that begins at a byte.
fn read_row<R: Real>(
    at: usize,
    line: &str,
    domain: &Domain<'_>,
    row: &mut [R],
    unit: &mut [R],
) -> Result<(), Error> {
    let mut read = 0;
    for (from, entry) in entries(line) {
        let wrong = Error::Format { at: at + from };
        let value = row.get_mut(read).ok_or(wrong)?;
        *value = number(entry).ok_or(wrong)?;
        read += 1;
    }
    Error::Format { at }.when(read < row.len())?;
    domain.check_point(row, unit).map_err(|error| {
        let parameter =
            if let Error::OutOfRange { parameter } = error { parameter as usize } else { usize::MAX };
        Error::Format { at: at + entries(line).nth(parameter).map_or(0, |(from, _)| from) }
    })
}

/// What an entry stands for: NaN for nothing.
fn number<R: Real>(entry: &str) -> Option<R> {
    if entry == NOTHING {
        return Some(R::NAN);
    }
    entry.parse().ok().map(R::of).filter(|number| number.is_finite())
}
