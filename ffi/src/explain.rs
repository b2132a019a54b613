//! Why a call was refused, as a sentence that names the culprit.

use core::ffi::{c_char, c_void};
use core::fmt::{self, Display, Write};

use library::block::{Header, Kind};
use library::config::Flat;
use library::explain::{Given, culprit};
use library::{Config, Error, Kernel, Limits, Optimizer, Space, TrialId};

use crate::block::infill_opt;
use crate::config::infill_config;
use crate::export::{checked, either, scalar};
use crate::infill_status::{self, *};
use crate::kernel::fault;
use crate::pointer::{Out, Outcome, Scalar, given, slice, slice_mut, view, with_buffer};
use crate::space::{infill_space, judge, oddity};
use crate::status::sentence;
use crate::{infill_trial, pointer};

/// What a refused call was given: what it had not is NULL or 0. INFILL_GIVEN writes one for a space and a configuration.
///
/// Threads: plain data. Lifetime: it is read during a call only, and so is what it points to.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_given {
    /// sizeof(infill_given)
    pub size: usize,
    /// What the call returned: an infill_status.
    pub status: i32,
    /// Zero.
    pub reserved: u32,
    /// The space.
    pub space: *const infill_space,
    /// The configuration.
    pub config: *const infill_config,
    /// The optimizer.
    pub opt: *const infill_opt,
    /// The block that was to be attached, or in which an optimizer was to be made.
    pub mem: *const c_void,
    /// Its bytes.
    pub bytes: usize,
    /// The trial.
    pub trial: infill_trial,
    /// The point, dims numbers.
    pub x: *const f64,
    /// How many numbers.
    pub dims: usize,
    /// The value that was told.
    pub value: f64,
    /// Its variance.
    pub variance: f64,
    /// The document that was read, length bytes.
    pub text: *const c_char,
    /// How many bytes.
    pub length: usize,
}

/// A text of which as much is kept as there is room for, and all of it counted.
struct Text<'a> {
    to: &'a mut [u8],
    kept: usize,
    length: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // The last byte is that of the zero, and behind what was cut comes nothing.
        let room = if self.kept == self.length { self.to.len().saturating_sub(1) } else { self.kept };
        let mut more = text.len().min(room.saturating_sub(self.kept));
        // No half of a character.
        while !text.is_char_boundary(more) {
            more -= 1;
        }
        self.to[self.kept..self.kept + more].copy_from_slice(&text.as_bytes()[..more]);
        self.kept += more;
        self.length += text.len();
        Ok(())
    }
}

/// Writes why a call was refused, as one sentence with the name or index of the culprit, what was given and what may be: length
/// bytes and a zero, or as many of them as capacity holds. Never allocates.
///
/// It looks at what the call was given as the call did, in the order of infill_given, and tells the first thing that is refused
/// with that status; if there is none, and in a build without text, what infill_status_str says. Cost: that of the checks, some hundred times for a setting.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_explain(
    given: *const infill_given,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> infill_status {
    checked!({
        let (length, to) = (Out::new(length)?, slice_mut(text.cast::<u8>(), capacity)?);
        let given = pointer::given(given)?;
        let mut text = Text { to, kept: 0, length: 0 };
        // What is not as the header wants it has no sentence of its own.
        if !cfg!(feature = "text") || !said(given, &mut text).unwrap_or(false) {
            (text.kept, text.length) = (0, 0);
            text.write_str(sentence(given.status).to_str().unwrap_or("")).map_err(|_| INFILL_ERROR_MEMORY)?;
        }
        if let Some(zero) = text.to.get_mut(text.kept) {
            *zero = 0;
        }
        length.write(text.length);
    })
}

/// Writes a sentence; whether there was one.
fn say(text: &mut Text<'_>, sentence: impl Display) -> Outcome<bool> {
    write!(text, "{sentence}").map_err(|_| INFILL_ERROR_MEMORY)?;
    Ok(true)
}

/// Explains an error if it is that of the status.
fn tell(given: &infill_given, known: Given<'_>, error: Error, text: &mut Text<'_>) -> Outcome<bool> {
    if error.code() != given.status {
        return Ok(false);
    }
    say(text, known.explain(error))
}

unsafe fn said(all: &infill_given, text: &mut Text<'_>) -> Outcome<bool> {
    #[cfg(feature = "std")]
    if !all.text.is_null() {
        // SAFETY: as here.
        return unsafe { document(all, text) };
    }
    if !all.opt.is_null() && all.config.is_null() {
        // SAFETY: as here.
        return unsafe { handle(all, text) };
    }
    if !all.space.is_null() {
        // SAFETY: as here.
        if let Some(odd) = unsafe { oddity(all.space) }? {
            return say(text, odd);
        }
        // SAFETY: as here.
        return unsafe {
            judge(all.space, |known, space| {
                let known = known.beside(Given::default());
                match space {
                    Err(error) => tell(all, known, error, text),
                    Ok(space) if !all.config.is_null() => settings(all, known, space, text),
                    Ok(space) => attached(all, known, space, text),
                }
            })
        };
    }
    // SAFETY: as here.
    unsafe { foreign(all, text) }
}

/// A block by itself.
unsafe fn foreign(all: &infill_given, text: &mut Text<'_>) -> Outcome<bool> {
    if all.mem.is_null() {
        return Ok(false);
    }
    // SAFETY: the caller's pointer is what it says.
    let words = unsafe { slice(all.mem.cast::<u64>(), all.bytes / 8) }?;
    let known = Given { words: Some(words), ..Given::default() };
    match Header::read(words, Kind::Optimizer) {
        Err(error) => tell(all, known, error, text),
        Ok(header) if header.words > words.len() => {
            tell(all, known, Error::Memory { needed: header.words }, text)
        }
        Ok(_) => Ok(false),
    }
}

/// A block that was attached to a space.
unsafe fn attached(
    all: &infill_given,
    known: Given<'_>,
    space: &Space<'_>,
    text: &mut Text<'_>,
) -> Outcome<bool> {
    // SAFETY: as here; the caller's pointer is what it says.
    let (told, words) = unsafe { (foreign(all, text)?, slice(all.mem.cast::<u64>(), all.bytes / 8)?) };
    if told {
        return Ok(true);
    }
    let header = Header::read(words, Kind::Optimizer)?;
    scalar!(header.scalar, R => {
        let optimizer = Optimizer::<R, _>::resume(words)?;
        match optimizer.check_space(space) {
            Err(error) => tell(all, Given { block: optimizer.space().ok(), ..known }, error, text),
            Ok(()) => Ok(false),
        }
    })
}

/// A space that is accepted, with a configuration.
unsafe fn settings(
    all: &infill_given,
    known: Given<'_>,
    space: &Space<'_>,
    text: &mut Text<'_>,
) -> Outcome<bool> {
    // SAFETY: the caller's pointer is what it says.
    let whole = unsafe { given(all.config) }?;
    if let Some(odd) = whole.oddity() {
        return if all.status == INFILL_ERROR_CONFIG as i32 { say(text, odd) } else { Ok(false) };
    }
    let kernel = if whole.kernel.is_null() {
        None
    } else {
        // SAFETY: as above.
        if let Some(fault) = unsafe { fault(whole.kernel) }? {
            return say(text, fault);
        }
        // SAFETY: as above.
        Some(unsafe { crate::kernel::build(whole.kernel) }?)
    };
    let kernel = kernel.as_ref();
    let (limits, answer) = refusal(whole, &whole.flat(), space, kernel);
    // SAFETY: as above.
    let words = unsafe { slice(all.mem.cast::<u64>(), all.bytes / 8) }.ok();
    let known = Given { limits, words, ..known };
    match answer {
        Ok(()) => Ok(false),
        Err(Error::Config | Error::Unsupported) => {
            let usual = Flat::of(&Config::default());
            // What is refused for its limits is accepted as a setting.
            let accepts = |flat: &Flat| {
                !matches!(refusal(whole, flat, space, kernel).1, Err(Error::Config | Error::Unsupported))
            };
            culprit(&whole.flat(), &usual, accepts).map_or(Ok(false), |setting| say(text, setting))
        }
        Err(error) => tell(all, known, error, text),
    }
}

/// Why an optimizer of these settings is refused, with its limits; a lack of memory is none unless it is told of.
fn refusal(
    whole: &infill_config,
    flat: &Flat,
    space: &Space<'_>,
    kernel: Option<&Kernel>,
) -> (Option<Limits>, Result<(), Error>) {
    let config = match flat.or_usual().and_then(|flat| flat.config(kernel)) {
        Ok(config) => config,
        Err(error) => return (None, Err(error)),
    };
    let limits = whole.bounds(space, &config);
    let answer = match whole.scalar {
        #[cfg(feature = "f32")]
        4 => Optimizer::<f32, &mut [u64]>::new(space, &config, limits, &mut []).map(|_| ()),
        #[cfg(feature = "f64")]
        8 => Optimizer::<f64, &mut [u64]>::new(space, &config, limits, &mut []).map(|_| ()),
        _ => Err(Error::Config),
    };
    (Some(limits), answer)
}

/// A call on an optimizer: its trials, a point.
unsafe fn handle(all: &infill_given, text: &mut Text<'_>) -> Outcome<bool> {
    // SAFETY: the caller's pointer is what it says.
    let (opt, x) = unsafe { (view(all.opt)?, slice(all.x, all.dims)?) };
    either!(opt, optimizer => called(all, &optimizer, x, text))
}

fn called<R: Scalar>(
    all: &infill_given,
    optimizer: &Optimizer<R, &[u64]>,
    x: &[f64],
    text: &mut Text<'_>,
) -> Outcome<bool> {
    let dims = optimizer.dims();
    let known = Given {
        point: x,
        value: Some((all.value, all.variance)),
        ..optimizer.given(Some(TrialId::from_bits(all.trial)))
    };
    for error in
        [Error::Full, Error::TooManyOpen, Error::StaleTrial, Error::NotFinite, Error::Shape { needed: dims }]
    {
        if error.code() == all.status {
            return say(text, known.explain(error));
        }
    }
    let space = optimizer.space()?;
    let checked = R::read(x, |point| with_buffer(dims, R::ZERO, |unit| space.check_point(point, unit)));
    let Err(error) = checked else { return Ok(false) };
    // What is forbidden has terms where the space is known, too.
    if all.space.is_null() {
        return tell(all, known, error, text);
    }
    // SAFETY: the caller's pointer is what it says.
    unsafe { judge(all.space, |space, _| tell(all, space.beside(known), error, text)) }
}

/// A document.
#[cfg(feature = "std")]
unsafe fn document(all: &infill_given, text: &mut Text<'_>) -> Outcome<bool> {
    // SAFETY: the caller's pointer is what it says.
    let read = pointer::utf8(unsafe { slice(all.text.cast::<u8>(), all.length) }?)?;
    match library::configspace::Document::explain(read) {
        Some((error, sentence)) if error.code() == all.status => say(text, sentence),
        Some(_) | None => Ok(false),
    }
}
