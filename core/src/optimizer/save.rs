//! Blocks that outlive a program: how they are sealed, checked and copied.
//!
//! One checksum covers everything before the factor as a sum over pages, another the factor as a sum over rows, so that
//! telling a value reads the pages that it changes and one row, and no other.

use super::block::{Block, Change, HEADER, MAGIC, Shape, place};
use super::room::Kept;
pub(crate) use crate::arena::mix;
use crate::arena::scalar_words;
use crate::config::{self, Config, MEMBERS, Model};
use crate::error::Error;
use crate::kernel::MAX_LOG;
use crate::limits::Limits;
use crate::linalg::packed;
use crate::policy::Hedge;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;
use crate::trend::Trend;
use crate::trial::{State, slot};

impl<R: Real> Block<'_, R> {
    /// The sum of a row of the factor, but for the zeros at its front: a row of a branch has many.
    fn row_sum(&self, row: usize) -> u64 {
        let entries = &self.gp.factor()[packed(row)..packed(row) + row + 1];
        let zeros = entries.iter().take_while(|v| v.to_f64().to_bits() == 0).count();
        entries[zeros..].iter().fold(row as u64 + 1, |sum, &v| mix(sum, v.to_f64().to_bits()))
    }

    /// The sum over all rows of the factor.
    pub(super) fn factor_sum(&self) -> u64 {
        (0..self.gp.factored()).fold(0, |sum: u64, row| sum.wrapping_add(self.row_sum(row)))
    }

    /// Takes note that the factor was built anew or lost a row.
    pub(super) fn note_factor(&mut self) {
        self.header[place::FACTOR_SUM] = self.factor_sum();
    }

    /// Takes note of one more row of the factor.
    pub(super) fn note_row(&mut self) {
        let row = self.gp.factored().saturating_sub(1);
        self.header[place::FACTOR_SUM] = self.header[place::FACTOR_SUM].wrapping_add(self.row_sum(row));
    }
}

/// Where the first checksum ends: at the factor of the process in use.
fn state_end<R: Real>(limits: &Limits, shape: Shape) -> usize {
    limits.before_process::<R>() + limits.size_in_use(shape).data_words::<R>()
}

/// Clears the point in the making, so that a refused call leaves no trace, and writes the checksum of the state.
pub(super) fn seal<R: Real>(words: &mut [u64], limits: &Limits, shape: Shape) {
    clear::<R>(words, limits);
    words[place::STATE_SUM] = state_sum(&words[..state_end::<R>(limits, shape)]);
}

/// As [`seal`] after a change, with what [`changed_sum`] was before it. Cost: O(dims), and a number for each row of the factor.
pub(super) fn reseal<R: Real>(words: &mut [u64], limits: &Limits, shape: Shape, change: Change, before: u64) {
    clear::<R>(words, limits);
    let after = changed_sum::<R>(words, limits, shape, change);
    words[place::STATE_SUM] = words[place::STATE_SUM].wrapping_sub(before).wrapping_add(after);
}

/// The sum over the pages that a change reaches.
pub(super) fn changed_sum<R: Real>(words: &[u64], limits: &Limits, shape: Shape, change: Change) -> u64 {
    let words = &words[..state_end::<R>(limits, shape)];
    let (mut sum, mut next) = (0u64, 0);
    for range in limits.changed::<R>(shape, change).filter(|range| !range.is_empty()) {
        let page = |word: usize| word.saturating_sub(place::FACTOR_SUM) / PAGE;
        // Neighbouring ranges may share a page.
        for page in page(range.start).max(next)..=page(range.end - 1) {
            let words = words[place::FACTOR_SUM..].chunks(PAGE).nth(page).unwrap_or(&[]);
            sum = sum.wrapping_add(page_sum(page, words));
            next = page + 1;
        }
    }
    sum
}

fn clear<R: Real>(words: &mut [u64], limits: &Limits) {
    let unit = limits.before_unit::<R>();
    words[unit..unit + scalar_words::<R>(limits.dims as usize)].fill(0);
}

/// Words that are summed as one.
const PAGE: usize = 128;
/// Sums side by side: each waits for its own last product alone.
const LANES: usize = 8;

fn state_sum(words: &[u64]) -> u64 {
    let pages = words[place::FACTOR_SUM..].chunks(PAGE).enumerate();
    pages.fold(0, |sum: u64, (page, words)| sum.wrapping_add(page_sum(page, words)))
}

fn page_sum(page: usize, words: &[u64]) -> u64 {
    let mut lanes = [MAGIC; LANES];
    let mut chunks = words.chunks_exact(LANES);
    for words in &mut chunks {
        for (lane, &word) in lanes.iter_mut().zip(words) {
            *lane = mix(*lane, word);
        }
    }
    for (lane, &word) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = mix(*lane, word);
    }
    lanes.iter().fold(page as u64 + 1, |sum, &lane| mix(sum, lane))
}

/// Writes the words by which a block is recognised.
pub(super) fn sign<R: Real>(header: &mut [u64], limits: &Limits, shape: Shape) {
    header.fill(0);
    header[place::MAGIC] = MAGIC;
    header[place::SCALAR] = R::BYTES as u64;
    header[place::WORDS] = limits.words::<R>() as u64;
    let limits = limits.to_words();
    header[place::LIMITS..place::LIMITS + limits.len()].copy_from_slice(&limits);
    header[place::DIMS] = shape.dims as u64;
    header[place::THETAS] = shape.thetas as u64;
    header[place::TREND] = shape.trend.code();
    header[place::POSTERIORS] = shape.posteriors as u64;
}

/// What the first words of a block say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Bytes of its scalar: 4 or 8.
    pub scalar: usize,
    /// Words of the whole block.
    pub words: usize,
}

impl Saved {
    /// Words that have to be there to tell.
    pub const HEADER: usize = HEADER;

    /// Reads the first [`Saved::HEADER`] words of a block: which [`Optimizer`](super::Optimizer) it is for.
    ///
    /// # Errors
    /// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version or byte order.
    ///
    /// ```
    /// # use infill::{Config, Error, Limits, Optimizer, Param, Space};
    /// use infill::optimizer::Saved;
    /// # let params = [Param::real(0.0, 1.0)];
    /// # let space = Space::new(&params, &[])?;
    /// # let limits = Limits::new(1, 10);
    /// # let optimizer = Optimizer::<f32, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f32>()])?;
    /// let saved = Saved::read(optimizer.words())?;
    /// assert_eq!(saved, Saved { scalar: 4, words: limits.words::<f32>() });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read(words: &[u64]) -> Result<Self, Error> {
        if words.len() < HEADER {
            return Err(Error::Memory { needed: HEADER });
        }
        let scalar = match words[place::SCALAR] {
            4 => 4,
            8 => 8,
            _ => return Err(Error::Foreign),
        };
        match usize::try_from(words[place::WORDS]) {
            Ok(all) if words[place::MAGIC] == MAGIC => Ok(Self { scalar, words: all }),
            _ => Err(Error::Foreign),
        }
    }
}

/// Limits and shape as the header says, within their ranges.
///
/// # Errors
/// As [`inspect`].
pub(super) fn front<R: Real>(words: &[u64]) -> Result<(Limits, Shape), Error> {
    if Saved::read(words)?.scalar != R::BYTES {
        return Err(Error::Foreign);
    }
    let limits = Limits::from_words(&words[place::LIMITS..]).ok_or(Error::Corrupt)?;
    if !limits.is_valid() {
        return Err(Error::Corrupt);
    }
    let needed = limits.words::<R>();
    if words[place::WORDS] != needed as u64 {
        return Err(Error::Corrupt);
    }
    if words.len() < needed {
        return Err(Error::Memory { needed });
    }
    let small = |i: usize, most: u32| {
        if words[i] <= u64::from(most) { Ok(words[i] as usize) } else { Err(Error::Corrupt) }
    };
    let shape = Shape {
        dims: small(place::DIMS, limits.dims)?,
        thetas: small(place::THETAS, limits.thetas)?,
        trend: Trend::from_code(words[place::TREND]).ok_or(Error::Corrupt)?,
        posteriors: small(place::POSTERIORS, limits.posteriors)?,
    };
    if shape.dims == 0 || shape.trend.columns(shape.dims) > limits.columns as usize {
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

/// The space of a block.
///
/// # Errors
/// As [`Domain::attach`].
pub(super) fn domain<'w, R: Real>(words: &'w [u64], limits: &Limits) -> Result<Domain<'w>, Error> {
    let words = words.get(HEADER + config::WORDS..).ok_or(Error::Corrupt)?;
    Domain::attach::<R>(words.get(..limits.space_words()).ok_or(Error::Corrupt)?)
}

/// Limits and shape of a block that another optimizer left, after every check that later code relies on.
///
/// # Errors
/// [`Error::Memory`] if words are missing, [`Error::Foreign`] for another version, byte order or scalar,
/// [`Error::Corrupt`] for anything else that no optimizer leaves.
pub(super) fn inspect<R: Real>(words: &mut [u64]) -> Result<(Limits, Shape), Error> {
    let (limits, shape) = front::<R>(words)?;
    if state_sum(&words[..state_end::<R>(&limits, shape)]) != words[place::STATE_SUM] {
        return Err(Error::Corrupt);
    }
    let mut block = Block::<R>::carve(words, &limits, shape).map_err(|_| Error::Corrupt)?;
    let ops = block.tape.nodes().map(|node| node.op());
    let works =
        block.config.needs(&limits, shape.dims).and_then(|()| block.config.serves(ops, block.gp.free()));
    if works.is_err() {
        return Err(Error::Corrupt);
    }
    if block.is_sound(&limits) { Ok((limits, shape)) } else { Err(Error::Corrupt) }
}

impl<R: Real> Block<'_, R> {
    /// Whether everything that later code trusts is in range.
    fn is_sound(&mut self, limits: &Limits) -> bool {
        Generator::from_words(self.generator_words()).is_ok()
            && self.header[place::SEQUENCE] < u64::MAX / 2
            && self.header[place::DESIGNED] <= u64::from(u32::MAX / 2)
            && self.header[place::TRAINED] <= u64::from(limits.trials)
            && self.header[place::AFRESH] <= u64::from(limits.trials)
            && self.header[place::TRAINER] <= 2
            && self.scale().is_ok()
            && f64::from_bits(self.header[place::WORST]).is_finite()
            && self.gp.is_sound()
            && self.kept_is_sound()
            && self.factor_sum() == self.header[place::FACTOR_SUM]
            && self.trials_are_sound()
            && self.rows_are_sound(self.gp.rows())
    }

    /// Chain, posteriors, portfolio and degrees of freedom.
    fn kept_is_sound(&mut self) -> bool {
        if !self.method_is_sound() {
            return false;
        }
        let Kept { chain, posteriors, .. } = &mut self.kept;
        let freedom = f64::from_bits(self.header[place::FREEDOM]);
        chain.as_ref().is_none_or(|chain| chain.is_sound())
            && posteriors.is_sound(&self.gp)
            && (self.portfolio.is_empty()
                || Hedge::attach(self.portfolio, MEMBERS as usize, self.unit.len(), R::ONE).is_ok())
            && match self.config.model {
                Model::Student { .. } => {
                    freedom >= Real::ln(Model::LEAST_FREEDOM - 2.0) && freedom <= MAX_LOG
                }
                _ => freedom == 0.0,
            }
    }

    fn trials_are_sound(&self) -> bool {
        let domain = self.domain;
        let trials = self.trials.read();
        (0..trials.slots.len()).all(|s| {
            let word = trials.slots[s];
            slot::is_valid(word)
                && (slot::state(word).is_none()
                    || trials.value[s].is_finite()
                        && trials.variance[s].is_finite()
                        && trials.variance[s] >= R::ZERO
                        && domain.is_snapped(trials.unit(s))
                        && domain.contains(trials.point(s)))
        })
    }

    /// Every row belongs to a closed trial, every closed trial to one row.
    fn rows_are_sound(&self, rows: usize) -> bool {
        let trials = self.trials.read();
        let closed = |s: usize| matches!(trials.state(s), Some(State::Done | State::Failed));
        let named = self.rows[..rows]
            .iter()
            .all(|&s| usize::try_from(s).is_ok_and(|s| s < trials.slots.len() && closed(s)));
        let distinct = (1..rows).all(|i| !self.rows[..i].contains(&self.rows[i]));
        named && distinct && (0..trials.slots.len()).filter(|&s| closed(s)).count() == rows
    }
}

/// Copies the state of a block into one with larger limits; the target holds zeros.
pub(super) fn copy<R: Real>(from: &[u64], limits: &Limits, to: &mut [u64], larger: &Limits, shape: Shape) {
    sign::<R>(&mut to[..HEADER], larger, shape);
    let counters = place::GENERATOR..place::POSTERIORS;
    to[counters.clone()].copy_from_slice(&from[counters]);
    to[place::FACTOR_SUM] = from[place::FACTOR_SUM];
    let (mut old, mut new) = (HEADER, HEADER);
    for ((used, here), (_, there)) in limits.parts::<R>(shape).zip(larger.parts::<R>(shape)) {
        to[new..new + used].copy_from_slice(&from[old..old + used]);
        old += here;
        new += there;
    }
}
