//! Blocks that outlive a program: how they are checked and copied.
//!
//! One checksum covers everything before the factor as a sum over words, another the factor as a sum over rows, so that telling
//! a value reads the words that it changes and one row, and no other.

use core::ops::Range;

use super::block::{self, Block, Change, HEADER, Places, Sections, Shape, place};
use super::cash;
use super::memory::Persistent;
use crate::block::checksum::{self, mix};
use crate::block::{Header, Kind};
use crate::config::{self, CHOICES, Config, MEMBERS, Model};
use crate::error::Error;
use crate::gp::Gp;
use crate::gp::warp::Warp;
use crate::kernel::MAX_LOG;
use crate::limits::Limits;
use crate::linalg::packed;
use crate::policy::Hedge;
use crate::real::Real;
use crate::space::{Domain, Space};
use crate::trend::Trend;
use crate::trial::State;

/// The sum of a row of the factor, but for the zeros at its front: a row of a branch has many.
fn row_sum<R: Real>(gp: &Gp<'_, R>, row: usize) -> u64 {
    let entries = &gp.factor()[packed(row)..packed(row) + row + 1];
    let zeros = entries.iter().take_while(|v| v.to_f64().to_bits() == 0).count();
    entries[zeros..].iter().fold(row as u64 + 1, |sum, &v| mix(sum, v.to_f64().to_bits()))
}

/// The sum over all rows of the factor.
fn factor_sum<R: Real>(gp: &Gp<'_, R>) -> u64 {
    (0..gp.factored()).fold(0, |sum: u64, row| sum.wrapping_add(row_sum(gp, row)))
}

/// Writes the checksum of a factor that was built anew or lost a row.
pub(super) fn write_factor_checksum<R: Real>(header: &mut [u64], gp: &Gp<'_, R>) {
    header[place::FACTOR_SUM] = factor_sum(gp);
}

/// Adds the newest row of the factor to its checksum.
pub(super) fn add_to_factor_checksum<R: Real>(header: &mut [u64], gp: &Gp<'_, R>) {
    let sum = row_sum(gp, gp.factored().saturating_sub(1));
    header[place::FACTOR_SUM] = header[place::FACTOR_SUM].wrapping_add(sum);
}

impl<R: Real> Block<'_, R> {
    /// Takes note that the factor was built anew or lost a row.
    pub(super) fn note_factor(&mut self) {
        write_factor_checksum(self.header, &self.gp);
    }
}

/// Where the first checksum ends: at the factor, or where branches are at the scratch.
pub(super) fn state_end<R: Real>(used: &Limits) -> usize {
    if CHOICES && used.values > 0 {
        return cash::state_end::<R>(used);
    }
    used.places::<R>().2.factor.start
}

/// Clears the point in the making, so that a refused call leaves no trace, and writes the checksum of the state.
pub(super) fn write_checksum<R: Real>(words: &mut [u64], used: &Limits) {
    clear::<R>(words, used);
    Header::write_checksum(words, state_end::<R>(used));
}

/// The words that a change reaches, and their sum before it.
#[derive(Debug)]
pub(super) struct Changed {
    ranges: [Range<usize>; 11],
    before: u64,
}

impl Changed {
    /// Before the change. Cost: O(dims), and a number for each row of the factor.
    pub(super) fn new<R: Real>(words: &[u64], used: &Limits, places: &Places, change: Change) -> Self {
        let ranges = used.changed::<R>(places, change);
        Self { before: Self::sum(words, &ranges), ranges }
    }

    /// Brings the checksum up to date after the change.
    pub(super) fn update_checksum(&self, words: &mut [u64]) {
        let after = Self::sum(words, &self.ranges);
        words[Header::SUM] = words[Header::SUM].wrapping_sub(self.before).wrapping_add(after);
    }

    fn sum(words: &[u64], ranges: &[Range<usize>]) -> u64 {
        ranges.iter().fold(0, |sum: u64, range| sum.wrapping_add(checksum::sum(words, range.clone())))
    }
}

/// Changes a word of the header and the checksum with it.
pub(super) fn set_header_word(words: &mut [u64], place: usize, value: u64) {
    let before = checksum::sum(words, place..place + 1);
    words[place] = value;
    let after = checksum::sum(words, place..place + 1);
    words[Header::SUM] = words[Header::SUM].wrapping_sub(before).wrapping_add(after);
}

/// Clears the point in the making; that of branches lies in the scratch.
pub(super) fn clear<R: Real>(words: &mut [u64], used: &Limits) {
    if CHOICES && used.values > 0 {
        return;
    }
    words[Places::of::<R>(0, used).unit].fill(0);
}

/// Writes the words by which a block is recognised.
pub(super) fn write_header<R: Real>(
    header: &mut [u64],
    limits: &Limits,
    shape: Shape,
    [fingerprint, names]: [u64; 2],
) -> Result<(), Error> {
    header.fill(0);
    let words = limits.words::<R>();
    Header { kind: Kind::Optimizer, scalar: R::BYTES, words, fingerprint }.write(header)?;
    let limits = limits.to_words();
    header[place::LIMITS..place::LIMITS + limits.len()].copy_from_slice(&limits);
    header[place::VALUES] = shape.values as u64;
    header[place::DIMS] = shape.dims as u64;
    header[place::THETAS] = shape.thetas as u64;
    header[place::TREND] = shape.trend.code();
    header[place::POSTERIORS] = shape.posteriors as u64;
    header[place::DIRECT] = u64::from(shape.direct);
    header[place::NAMES] = names;
    Ok(())
}

/// Writes the space, with its names if there is room; what the header says of both.
pub(super) fn write_space<R: Real>(
    space: &Space<'_>,
    limits: &Limits,
    words: &mut [u64],
) -> Result<[u64; 2], Error> {
    let stored = if limits.names == 0 { space.unnamed() } else { *space };
    stored.write(words)?;
    Ok([Domain::attach::<R>(words)?.fingerprint(), space.names_fingerprint()])
}

/// What a header says of the space and its names.
pub(super) fn fingerprints(header: &[u64]) -> [u64; 2] {
    [header[Header::FINGERPRINT], header[place::NAMES]]
}

/// Limits and shape as the header says, within their ranges.
///
/// # Errors
/// As [`validate`].
pub(super) fn front<R: Real>(words: &[u64]) -> Result<(Limits, Shape), Error> {
    let header = Header::read(words, Kind::Optimizer)?;
    Error::Foreign.when(header.scalar != R::BYTES)?;
    Error::Memory { needed: header.words.max(HEADER) }.when(words.len() < HEADER)?;
    let limits = Limits::from_words(&words[place::LIMITS..]).ok_or(Error::Corrupt)?;
    let needed = limits.words::<R>();
    Error::Corrupt.when(needed == usize::MAX || header.words != needed)?;
    Error::Memory { needed }.when(words.len() < needed)?;
    let small = |i: usize, most: u32| {
        if words[i] <= u64::from(most) { Ok(words[i] as usize) } else { Err(Error::Corrupt) }
    };
    let shape = Shape {
        dims: small(place::DIMS, limits.dims)?,
        thetas: small(place::THETAS, limits.thetas)?,
        trend: Trend::from_code(words[place::TREND]).ok_or(Error::Corrupt)?,
        posteriors: small(place::POSTERIORS, limits.posteriors)?,
        direct: small(place::DIRECT, 1)? == 1,
        values: small(place::VALUES, limits.values)?,
    };
    let branched = shape.is_branched() && shape != Shape::branched(shape.dims, shape.values);
    if shape.dims == 0 || branched || shape.trend.columns(shape.dims) > limits.columns as usize {
        return Err(Error::Corrupt);
    }
    Ok((limits, shape))
}

/// The configuration of a block, without its kernel.
///
/// # Errors
/// [`Error::Corrupt`] if a word has no meaning.
pub(super) fn config(words: &[u64]) -> Result<Config<'static>, Error> {
    Config::read(words.get(HEADER..HEADER + config::WORDS).ok_or(Error::Corrupt)?)
}

/// Limits and shape of a block that another optimizer left, after every check that later code relies on.
///
/// # Errors
/// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version, byte order or scalar,
/// [`Error::Corrupt`] for anything else that no optimizer leaves.
pub(super) fn validate<R: Real>(words: &mut [u64]) -> Result<(Limits, Shape), Error> {
    let (limits, shape) = front::<R>(words)?;
    Error::Corrupt.when(!Header::is_whole(words, state_end::<R>(&limits.used(shape))))?;
    if shape.is_branched() {
        let valid = cash::is_valid::<R>(words, &limits, shape);
        return if valid { Ok((limits, shape)) } else { Err(Error::Corrupt) };
    }
    let mut block = Block::<R>::carve(words, &limits, shape).map_err(|_| Error::Corrupt)?;
    let ops = block.tape.nodes().map(|node| node.op());
    let works =
        block.config.needs(&limits, shape.dims).and_then(|()| block.config.serves(ops, block.gp.free()));
    if works.is_err()
        || shape.direct != block.config.is_direct(&limits)
        || block.config.strategy.branching().is_some()
        || block.domain.fingerprint() != block.header[Header::FINGERPRINT]
    {
        return Err(Error::Corrupt);
    }
    if block.is_valid(&limits) { Ok((limits, shape)) } else { Err(Error::Corrupt) }
}

impl Config<'_> {
    /// See [`Shape::direct`].
    pub(super) fn is_direct(&self, limits: &Limits) -> bool {
        let exact = !CHOICES
            || self.proposal.baseline.is_none()
                && self.surrogate.model.is_exact()
                && self.surrogate.warp == Warp::None;
        exact && self.surrogate.hyper.posteriors() == 0 && limits.state == 0
    }
}

impl<R: Real> Block<'_, R> {
    /// Whether everything that later code trusts is in range.
    fn is_valid(&mut self, limits: &Limits) -> bool {
        header_is_valid(self.header)
            && self.header[place::DESIGNED] <= u64::from(u32::MAX / 2)
            && self.header[place::TRAINED] <= u64::from(limits.trials)
            && self.header[place::AFRESH] <= u64::from(limits.trials)
            && self.header[place::TRAINER] <= 2
            && self.scale().is_ok()
            && f64::from_bits(self.header[place::WORST]).is_finite()
            && self.gp.is_sound()
            && self.kept_is_valid()
            && factor_sum(&self.gp) == self.header[place::FACTOR_SUM]
            && self.trials.read().are_valid(self.domain)
            && self.rows_are_valid(self.gp.rows())
    }

    /// Chain, posteriors, portfolio and degrees of freedom.
    fn kept_is_valid(&mut self) -> bool {
        if !self.method_is_sound() {
            return false;
        }
        let Persistent { chain, posteriors, .. } = &mut self.kept;
        let freedom = f64::from_bits(self.header[place::FREEDOM]);
        chain.as_ref().is_none_or(|chain| chain.is_sound())
            && posteriors.is_sound(&self.gp)
            && (self.portfolio.is_empty()
                || Hedge::attach(self.portfolio, MEMBERS as usize, self.unit.len(), R::ONE).is_ok())
            && if let Model::Student { .. } = self.config.surrogate.model {
                freedom >= Real::ln(Model::LEAST_FREEDOM - 2.0) && freedom <= MAX_LOG
            } else {
                freedom == 0.0
            }
    }

    /// Every row belongs to a closed trial and is its point, every closed trial belongs to one row.
    fn rows_are_valid(&self, rows: usize) -> bool {
        let trials = self.trials.read();
        let closed = |s: usize| matches!(trials.state(s), Some(State::Done | State::Failed));
        let named = self.rows[..rows]
            .iter()
            .all(|&s| usize::try_from(s).is_ok_and(|s| s < trials.slots.len() && closed(s)));
        let distinct = (1..rows).all(|i| !self.rows[..i].contains(&self.rows[i]));
        named
            && distinct
            && (0..rows).all(|i| self.gp.data.point(i) == trials.unit(self.rows[i] as usize))
            && (0..trials.slots.len()).filter(|&s| closed(s)).count() == rows
    }
}

/// Whether generator and count of trials are such as an optimizer leaves.
pub(super) fn header_is_valid(header: &[u64]) -> bool {
    let numbers =
        header[place::SEQUENCE] < u64::MAX / 2 && header[place::RESUMED] <= header[place::SEQUENCE] + 1;
    block::generator(header).is_ok() && numbers
}

/// Copies generator and counters of a header.
pub(super) fn copy_counters(from: &[u64], to: &mut [u64]) {
    let counters = place::RESUMED..place::POSTERIORS;
    to[counters.clone()].copy_from_slice(&from[counters]);
}

/// Copies the state of a block into one with larger limits; the target holds zeros.
pub(super) fn copy<R: Real>(
    from: &[u64],
    limits: &Limits,
    to: &mut [u64],
    larger: &Limits,
    shape: Shape,
) -> Result<(), Error> {
    write_header::<R>(&mut to[..HEADER], larger, shape, fingerprints(from))?;
    copy_counters(from, to);
    to[place::FACTOR_SUM] = from[place::FACTOR_SUM];
    to[place::SOURCES] = from[place::SOURCES];
    let (used, larger) = (limits.used(shape), larger.used(shape));
    let end = used.places::<R>().1.work.start;
    let (mut old, mut new) = (0, 0);
    Sections::<R>::pair_sections([&used, &larger], &mut |here, there| {
        if (HEADER..end).contains(&old) {
            to[new..new + here].copy_from_slice(&from[old..old + here]);
        }
        old += here;
        new += there;
    });
    Ok(())
}
