//! The layout of a block and its two checksums, written a second time: a change of the format fails here first.

use infill::config::Flat;
use infill::space::Domain;
use infill::{Limits, Optimizer, Trend, kernel};

use crate::blocks::Saved;

/// Places in the header.
const WORDS: usize = 1;
const STATE_SUM: usize = 2;
const FINGERPRINT: usize = 3;
pub const FACTOR_SUM: usize = 4;
const LIMITS: usize = 5;
const POSTERIORS: usize = 32;
const DIMS: usize = 33;
const THETAS: usize = 34;
const TREND: usize = 35;
const HEADER: usize = 39;
const CONFIG: usize = size_of::<Flat>() / 8;

/// Where the parts of a block begin, as far as its header can be believed.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub config: usize,
    pub space: usize,
    pub kernel: usize,
    pub trials: usize,
    pub rows: usize,
    /// Chain, fits at several hyperparameters, portfolio, the state of a method without a model.
    pub kept: usize,
    pub process: usize,
    pub theta: usize,
    pub fit: usize,
    /// The end of the first checksum.
    pub factor: usize,
    factored: usize,
}

impl Layout {
    /// The layout that the header announces; none if it cannot be followed.
    pub fn of(words: &[u64], bytes: usize) -> Option<Self> {
        let at = |i: usize| usize::try_from(*words.get(i)?).ok().filter(|&v| v <= 1 << 16);
        let (dims, thetas) = (at(DIMS)?, at(THETAS)?);
        let columns = Trend::from_code(*words.get(TREND)?)?.columns(dims);
        // What is in use decides where things lie; the rest of the block is behind everything.
        let limits = used(limits(words)?, [dims, thetas, columns, at(POSTERIORS)?]);
        let trials = limits.trials as usize;
        let scalars = |count: usize| (count * bytes).div_ceil(8);
        let config = HEADER;
        let space = config + CONFIG;
        let kernel = space + space_words(&limits);
        let trials_at = kernel + kernel::words(limits.nodes as usize, limits.lists as usize);
        let rows = trials_at + 2 * trials + 2 * scalars(trials) + 2 * scalars(trials * dims);
        let kept = rows + trials + scalars(6) + scalars(dims);
        let process = kept + kept_words(&limits, scalars);
        let exact = limits.exact as usize;
        let theta = process + 1 + scalars(trials * dims) + 2 * scalars(trials);
        let fit = theta + 5 * scalars(thetas + 1) + (thetas + 1).div_ceil(8);
        let factor = fit
            + 2
            + scalars(exact)
            + scalars(columns)
            + scalars(columns * exact)
            + scalars(columns * (columns + 1) / 2)
            + exact.div_ceil(2);
        let factored = at(fit)?.min(trials);
        let end = factor + scalars(factored * (factored + 1) / 2);
        (end <= words.len()).then_some(Self {
            config,
            space,
            kernel,
            trials: trials_at,
            rows,
            kept,
            process,
            theta,
            fit,
            factor,
            factored,
        })
    }
}

/// The limits with what is in use of them: parameters, hyperparameters, columns of the trend, fits.
fn used(mut limits: Limits, [dims, thetas, columns, posteriors]: [usize; 4]) -> Limits {
    limits.dims = dims as u32;
    limits.thetas = thetas as u32;
    limits.columns = columns as u32;
    limits.posteriors = posteriors as u32;
    limits
}

/// Words of the parsed space.
fn space_words(limits: &Limits) -> usize {
    let [dims, conditions, levels, terms] =
        [limits.dims, limits.conditions, limits.levels, limits.terms].map(|n| n as usize);
    3 + 4 * dims + 3 * conditions + 3 * terms + levels + (limits.names as usize).div_ceil(8)
}

/// Words of what is kept beyond one process.
fn kept_words(limits: &Limits, scalars: impl Fn(usize) -> usize) -> usize {
    let (trials, exact) = (limits.trials as usize, limits.exact as usize);
    let (thetas, columns) = (limits.thetas as usize, limits.columns as usize);
    let triangle = |n: usize| n * (n + 1) / 2;
    let chain = 6 + 2 * scalars(thetas + 1) + scalars(trials);
    let fit = [exact, columns, columns * exact, triangle(columns), triangle(exact)];
    let member = 3 + scalars(thetas + 1) + exact.div_ceil(2) + fit.into_iter().map(&scalars).sum::<usize>();
    let portfolio = 3 * (limits.dims as usize + 2) + 1;
    let posteriors = limits.posteriors as usize;
    let several = if posteriors > 0 { chain + posteriors * member } else { 0 };
    let state = scalars(limits.state as usize);
    several + if limits.members > 0 { scalars(portfolio) } else { 0 } + state
}

/// The limits in a header, if their memory can be counted.
fn limits(words: &[u64]) -> Option<Limits> {
    let at = |i: usize| {
        let word = *words.get(LIMITS + i / 2)?;
        Some((word >> (i % 2 * 32)) as u32).filter(|&v| v <= 1 << 16)
    };
    let mut limits = Limits::new(at(0)?, at(1)?).open(at(2)?).conditions(at(3)?, at(4)?);
    limits = limits.kernel(at(5)?, at(6)?, at(7)?).trend(at(8)?).candidates(at(9)?).starts(at(10)?);
    limits = limits
        .features(at(15)?)
        .forest(at(16)?, at(17)?)
        .terms(at(20)?)
        .branching(at(23)?, at(24)?)
        .names(at(25)?)
        .sources(at(26)?);
    (limits.exact, limits.posteriors, limits.anchors, limits.work) = (at(11)?, at(12)?, at(13)?, at(14)?);
    (limits.members, limits.warped, limits.state, limits.outcomes) = (at(18)?, at(19)?, at(21)?, at(22)?);
    Some(limits)
}

/// What a word adds to the first checksum.
fn term(at: usize, word: u64) -> u64 {
    let x = (word ^ (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 29)
}

fn mix(sum: u64, word: u64) -> u64 {
    let x = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

/// Writes the number of words and both checksums, as if the library had written the rest.
pub fn repair(words: &mut [u64], bytes: usize) {
    if let Some(limits) = limits(words) {
        let needed = if bytes == 4 { limits.words::<f32>() } else { limits.words::<f64>() };
        words[WORDS] = needed as u64 | (bytes as u64) << 56;
    }
    let Some(layout) = Layout::of(words, bytes) else { return };
    let space = &words[layout.space..layout.kernel];
    let domain = if bytes == 4 { Domain::attach::<f32>(space) } else { Domain::attach::<f64>(space) };
    if let Ok(domain) = domain {
        words[FINGERPRINT] = domain.fingerprint();
    }
    let scalar = |i: usize| {
        if bytes == 8 {
            words[layout.factor + i]
        } else {
            let half = (words[layout.factor + i / 2] >> (32 * (i % 2))) as u32;
            f64::from(f32::from_bits(half)).to_bits()
        }
    };
    let mut total = 0_u64;
    for row in 0..layout.factored {
        let first = row * (row + 1) / 2;
        let entries = (first..=first + row).map(scalar).skip_while(|&bits| bits == 0);
        let sum = entries.fold(row as u64 + 1, mix);
        total = total.wrapping_add(sum);
    }
    words[FACTOR_SUM] = total;
    let others = words[..layout.factor].iter().enumerate().filter(|&(at, _)| at != STATE_SUM);
    words[STATE_SUM] = others.fold(0, |sum: u64, (at, &word)| sum.wrapping_add(term(at, word)));
}

/// Repairing what is whole changes nothing; damage anywhere before the work memory is noticed without repair.
pub fn matches_the_library(pool: &[Saved]) {
    for Saved { words, bytes } in pool {
        let mut copy = words.clone();
        repair(&mut copy, *bytes);
        assert!(copy == *words);
        let layout = Layout::of(words, *bytes).expect("a layout");
        for i in 0..layout.factor {
            let mut copy = words.clone();
            copy[i] ^= 1 << (i % 64);
            let refused = if *bytes == 4 {
                Optimizer::<f32, _>::attach(copy).is_err()
            } else {
                Optimizer::<f64, _>::attach(copy).is_err()
            };
            assert!(refused, "word {i} of {}", layout.factor);
        }
    }
}
