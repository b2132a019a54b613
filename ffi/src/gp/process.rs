//! The block of a process and what is behind its handle.

use core::ffi::c_void;

use library::block::{Arena, Header, Kind, scalar_words};
use library::gp::Size;
use library::kernel::{Covariance, MAX_LISTS, MAX_NODES, Tape};
use library::{Backend, Gp, Plain, Trend};

use super::data::infill_gp;
use crate::backend::{Choice, Chosen};
use crate::infill_status::*;
use crate::pointer::{MOST, Outcome, Scalar, slice, slice_mut};

/// Places in its head, behind those of every block. Its checksum is over head and kernel, which never change.
pub(super) mod place {
    pub(in super::super) const ROWS: usize = 4;
    pub(in super::super) const DIMS: usize = 5;
    pub(in super::super) const THETAS: usize = 6;
    pub(in super::super) const TREND: usize = 7;
    pub(in super::super) const BATCH: usize = 8;
    /// Addresses of a covariance of the program's own: four words, zero without one.
    pub(in super::super) const CUSTOM: usize = 9;
}
pub(super) const HEAD: usize = 13;
pub(super) const NODES: usize = 2 * MAX_NODES;
pub(super) const LISTS: usize = MAX_LISTS.div_ceil(4);
/// Words before the process itself.
pub(super) const FRONT: usize = HEAD + NODES + LISTS;

/// Sizes of a process, and what it needs of memory.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) size: Size,
    pub(super) trend: Trend,
}

impl Plan {
    pub(super) fn new(rows: usize, dims: usize, thetas: usize, batch: usize, trend: Trend) -> Outcome<Self> {
        // No product of two of them, in bytes, may leave the range of an address.
        let most = if usize::BITS >= 64 { 1 << 16 } else { 1 << 12 };
        let fine = (1..=most).contains(&rows) && (1..=MOST).contains(&dims) && (1..=most).contains(&batch);
        let columns = trend.columns(dims);
        // The noise is one more.
        if !fine || thetas >= MOST || columns > MOST {
            return Err(INFILL_ERROR_LIMITS);
        }
        Ok(Self { size: Size { rows, exact: rows, dims, thetas, columns, batch }, trend })
    }

    /// The scratch of a joint draw lies in the work memory, beside that of a prediction.
    fn process_words<R: Scalar>(&self) -> usize {
        self.size.words::<R>()
    }

    pub(super) fn words<R: Scalar>(&self) -> usize {
        FRONT + self.process_words::<R>() + scalar_words::<R>(self.size.batch * self.size.dims)
    }
}

/// A covariance of the program's own, as the block remembers it.
#[derive(Clone, Copy)]
pub(super) struct Custom {
    thetas: usize,
    eval: unsafe extern "C" fn(*mut c_void, *const f64, *const f64, *const f64) -> f64,
    pub(super) gradient: Option<Slope>,
    pub(super) gradient_x: Option<Slope>,
    user: *mut c_void,
}

type Slope = unsafe extern "C" fn(*mut c_void, *const f64, *const f64, *const f64, *mut f64);

impl<R: Scalar> Covariance<R> for Custom {
    fn thetas(&self) -> usize {
        self.thetas
    }

    fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R {
        let value = R::widen(theta, |theta| {
            R::widen(a, |a| {
                // SAFETY: the program promised that its function takes these.
                R::widen(b, |b| unsafe { (self.eval)(self.user, theta.as_ptr(), a.as_ptr(), b.as_ptr()) })
            })
        });
        R::of(value)
    }

    fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
        slope(self.gradient, self.user, theta, a, b, out);
    }

    fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
        slope(self.gradient_x, self.user, theta, a, b, out);
        self.gradient_x.is_some()
    }
}

fn slope<R: Scalar>(f: Option<Slope>, user: *mut c_void, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
    let Some(f) = f else {
        out.fill(R::ZERO);
        return;
    };
    R::widen(theta, |theta| {
        R::widen(a, |a| {
            R::widen(b, |b| {
                // SAFETY: the program promised that its function takes these.
                R::narrow(out, |out| unsafe {
                    f(user, theta.as_ptr(), a.as_ptr(), b.as_ptr(), out.as_mut_ptr())
                });
            });
        });
    });
}

/// A process behind a handle, with its covariance and room for points.
pub(super) struct Process<'a, R> {
    pub(super) gp: Gp<'a, R>,
    pub(super) tape: Option<Tape<'a>>,
    pub(super) custom: Option<Custom>,
    pub(super) points: &'a mut [R],
}

/// The process, its covariance, and points in its scalar.
pub(super) type Parts<'b, 'a, R> = (&'b mut Gp<'a, R>, &'b dyn Covariance<R>, &'b [R]);

impl<'a, R: Scalar> Process<'a, R> {
    pub(super) fn carve(words: &'a mut [u64]) -> Outcome<Self> {
        let at = |i: usize| usize::try_from(words[i]).map_err(|_| INFILL_ERROR_CORRUPT);
        let trend = Trend::from_code(words[place::TREND]).ok_or(INFILL_ERROR_CORRUPT)?;
        let plan =
            Plan::new(at(place::ROWS)?, at(place::DIMS)?, at(place::THETAS)?, at(place::BATCH)?, trend)
                .map_err(|_| INFILL_ERROR_CORRUPT)?;
        let custom = words[place::CUSTOM..place::CUSTOM + 4].iter().map(|&word| word as usize);
        let custom = custom_of(plan.size.thetas, custom);
        let mut arena = Arena::new(words);
        arena.words(HEAD)?;
        let (nodes, lists) = (arena.words(NODES)?, arena.words(LISTS)?);
        let tape = if custom.is_some() { None } else { Some(Tape::attach(nodes, lists, plan.size.dims)?) };
        let gp = Gp::resume(plan.trend, plan.size, arena.words(plan.process_words::<R>())?)?;
        let points = arena.scalars(plan.size.batch * plan.size.dims)?;
        Ok(Self { gp, tape, custom, points })
    }

    /// The process, its covariance, and the points in its scalar.
    pub(super) fn parts(&mut self, values: &[f64]) -> Outcome<Parts<'_, 'a, R>> {
        let covariance: &dyn Covariance<R> = match (&self.tape, &self.custom) {
            (Some(tape), _) => tape,
            (None, Some(custom)) => custom,
            (None, None) => return Err(INFILL_ERROR_CORRUPT),
        };
        let points = self.points.get_mut(..values.len()).ok_or(INFILL_ERROR_SHAPE)?;
        if values.iter().any(|&value| !R::of(value).is_finite()) {
            return Err(INFILL_ERROR_NOT_FINITE);
        }
        for (narrow, &wide) in points.iter_mut().zip(values) {
            *narrow = R::of(wide);
        }
        Ok((&mut self.gp, covariance, points))
    }
}

/// Addresses become functions again.
fn custom_of(thetas: usize, mut words: impl Iterator<Item = usize>) -> Option<Custom> {
    let mut next = || words.next().unwrap_or(0);
    let (eval, gradient, gradient_x, user) = (next(), next(), next(), next());
    if eval == 0 {
        return None;
    }
    // SAFETY: the addresses are those of functions of these types, from infill_gp_init; 0 is the missing one.
    unsafe {
        Some(Custom {
            thetas,
            eval: core::mem::transmute::<
                usize,
                unsafe extern "C" fn(*mut c_void, *const f64, *const f64, *const f64) -> f64,
            >(eval),
            gradient: core::mem::transmute::<usize, Option<Slope>>(gradient),
            gradient_x: core::mem::transmute::<usize, Option<Slope>>(gradient_x),
            user: user as *mut c_void,
        })
    }
}

/// The scalar and the words behind a handle.
///
/// # Safety
/// If the handle is neither NULL nor misaligned, it came from this library and belongs to the caller alone.
pub(super) unsafe fn open<'a>(gp: *mut infill_gp) -> Outcome<(usize, &'a mut [u64])> {
    // SAFETY: a handle points to a block, which has a head.
    let header = Header::read(unsafe { slice(gp.cast::<u64>().cast_const(), HEAD) }?, Kind::Process)?;
    // SAFETY: the kernel stands behind the head in every block.
    let front = unsafe { slice(gp.cast::<u64>().cast_const(), FRONT) }?;
    // Sizes and addresses that everything else relies on.
    if !Header::is_whole(front, FRONT) {
        return Err(INFILL_ERROR_CORRUPT);
    }
    // SAFETY: the block has as many words as its head says.
    Ok((header.scalar, unsafe { slice_mut(gp.cast::<u64>(), header.words) }?))
}

/// The process behind a handle, for either scalar.
macro_rules! each {
    ($opened:expr, $process:ident => $body:expr) => {{
        let (scalar, words) = $opened;
        $crate::export::scalar!(scalar, R => {
            #[allow(unused_mut, reason = "some bodies only look")]
            let mut $process = $crate::gp::process::Process::<R>::carve(words)?;
            $body
        })
    }};
}
pub(super) use each;

/// The chosen backend, or the plain one.
pub(super) fn pick<'a, R: Choice>(
    chosen: &'a mut Chosen<'_>,
    plain: &'a mut Plain,
) -> &'a mut dyn Backend<R> {
    R::backend(chosen).unwrap_or(plain)
}
