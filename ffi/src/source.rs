//! Sources: what runs on other data sets taught, written, checked and passed on.

use core::ffi::c_void;

use library::block::{Header, Kind};
use library::transfer::features::{COUNT, all};
use library::transfer::{Form, Sources};
use library::{Ask, Backend, Optimizer, Plain, Real};

use crate::ask::{ask, at, infill_proposal, proposal};
use crate::backend::{Choice, Chosen, infill_backend};
use crate::block::infill_opt;
use crate::export::{changing, checked, either, put, scalar};
use crate::infill_status::{self, *};
use crate::minimize::{infill_objective, infill_progress, run};
use crate::pointer::{MOST, Out, Outcome, Scalar, block, open, reference, slice, slice_mut, view};
use crate::query::{record, wide};

/// What a source can be asked, and how large it is.
#[derive(Clone, Copy, Debug)]
pub enum infill_form {}

/// What runs on other data sets taught: the sources that infill_source_export wrote, one behind the other.
///
/// One is added by appending its bytes. All are over the space of the run that they are to help, in its scalar; their order
/// decides where they are equally good. They are only read, and may lie in flash. infill_config.transfer_start, _how and _keep say
/// what is made of them, infill_config.limits.sources how many there may be.
///
/// Threads: plain data, which any number of threads may read. Lifetime: that of the caller's memory; nothing keeps a pointer to
/// it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_sources {
    /// Their bytes, aligned to INFILL_ALIGN; NULL if there are none.
    pub data: *const c_void,
    /// How many bytes, a multiple of 8; 0 says that there are no sources.
    pub size: usize,
    /// The meta-features of the new data set, for INFILL_START_NEAREST and INFILL_WEIGHTS_FEATURES; NULL if there are none.
    pub features: *const f64,
    /// How many, as many as each source has.
    pub count: usize,
}

/// The words of a list and the numbers beside it.
#[derive(Clone, Copy, Default)]
struct Given<'a> {
    words: &'a [u64],
    features: &'a [f64],
}

/// What C data says; nothing for NULL.
///
/// # Safety
/// The pointers are NULL, misaligned, or point to what they say.
unsafe fn given<'a>(sources: *const infill_sources) -> Outcome<Given<'a>> {
    if sources.is_null() {
        return Ok(Given::default());
    }
    // SAFETY: as here.
    let infill_sources { data, size, features, count } = *unsafe { reference(sources) }?;
    if size == 0 {
        return Ok(Given::default());
    }
    // SAFETY: as here; fewer words than would hold all bytes.
    let words = unsafe { slice(data.cast(), size / size_of::<u64>()) }?;
    // SAFETY: as here.
    let features = unsafe { slice(features, count) }?;
    if !size.is_multiple_of(size_of::<u64>()) {
        return Err(INFILL_ERROR_MEMORY);
    }
    // What is converted has its place on the stack.
    if features.len() > MOST { Err(INFILL_ERROR_SHAPE) } else { Ok(Given { words, features }) }
}

impl Given<'_> {
    /// Gives `work` the list, after all of it has been checked.
    fn with<R: Scalar, T>(self, work: impl FnOnce(&Sources<'_, R>) -> Outcome<T>) -> Outcome<T> {
        let sources = Sources::<R>::attach(self.words)?;
        R::read(self.features, |features| work(&sources.with_features(features)?))
    }
}

fn form_of(number: u32) -> Outcome<Form> {
    Form::from_code(number.into()).ok_or(INFILL_ERROR_CONFIG)
}

/// Bytes of the source that infill_source_export would write of the trials that are told now, and of the memory that it works in.
///
/// form is an infill_form, form = INFILL_FORM_MEANS where sources help other runs. features is how many meta-features the data set
/// has, features = 0 if none.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_CONFIG for form; INFILL_ERROR_UNSUPPORTED with a strategy that has a model for each value
/// of a category, for more than a source holds, and in a build without sources; INFILL_ERROR_CORRUPT for a block that was damaged since it was attached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_source_size(
    opt: *const infill_opt,
    form: u32,
    features: usize,
    bytes: *mut usize,
    work_bytes: *mut usize,
) -> infill_status {
    checked!(put!((bytes, work_bytes), {
        let form = form_of(form)?;
        either!(view(opt)?, optimizer => {
            let size = optimizer.source_size(form, features)?;
            let bytes = |words: usize| words.checked_mul(size_of::<u64>()).ok_or(INFILL_ERROR_UNSUPPORTED);
            (bytes(size.words::<R>())?, bytes(size.work::<R>())?)
        })
    }))
}

/// Writes what the told trials taught to the front of out, as a source for runs over the same space; written is how many bytes it
/// takes. The optimizer does not change.
///
/// A process with the kernel of this run is trained on values that are scaled to lie between 0 and 1. A table of known values becomes
/// a source by infill_observe. features are the count meta-features of the data set, NULL and 0 for none. work, of work_size bytes,
/// is scratch; both it and out, of size bytes, are aligned to INFILL_ALIGN and as large as infill_source_size says. Never allocates.
/// Cost: that of a training.
///
/// Errors: as infill_source_size; INFILL_ERROR_NO_DATA without values, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY if there is too
/// little of it, INFILL_ERROR_NOT_FINITE for a meta-feature that is not; INFILL_ERROR_UNSUPPORTED for the full form of a kernel that
/// keeps branches apart; INFILL_ERROR_NOT_POSITIVE_DEFINITE if the values cannot be fitted. out is then as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_source_export(
    opt: *const infill_opt,
    form: u32,
    features: *const f64,
    count: usize,
    work: *mut c_void,
    work_size: usize,
    out: *mut c_void,
    size: usize,
    written: *mut usize,
) -> infill_status {
    checked!(put!(written, {
        let (form, features) = (form_of(form)?, slice(features, count)?);
        let (work, out) = (block(work, work_size)?, block(out, size)?);
        either!(view(opt)?, optimizer => {
            // What is converted has its place on the stack.
            if features.len() > MOST {
                return Err(INFILL_ERROR_UNSUPPORTED);
            }
            R::read(features, |features| optimizer.export(form, features, work, out))? * size_of::<u64>()
        })
    }))
}

/// How many sources there are, after all of them have been checked as infill_ask_from does; sources = NULL are none.
///
/// Cost: reads them once.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_MEMORY if bytes are missing; INFILL_ERROR_FOREIGN for what is no
/// source, one of another version or byte order, or two of different scalars or over different spaces; INFILL_ERROR_CORRUPT for
/// damaged bytes; INFILL_ERROR_SHAPE for more meta-features than any source has, INFILL_ERROR_NOT_FINITE for one that is not;
/// INFILL_ERROR_UNSUPPORTED for a scalar, or sources, that were left out of this build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_sources_check(
    sources: *const infill_sources,
    count: *mut usize,
) -> infill_status {
    checked!(put!(count, {
        let given = given(sources)?;
        if given.words.is_empty() {
            0
        } else if !cfg!(feature = "transfer") {
            return Err(INFILL_ERROR_UNSUPPORTED);
        } else {
            // That of the first; another one among them is foreign.
            let saved = Header::read(given.words, Kind::Source)?;
            scalar!(saved.scalar, R => given.with::<R, _>(|sources| Ok(sources.len()))?)
        }
    }))
}

/// A question, with the help of sources if there are any: a new one, or with `NEXT` first what was open when the block was attached.
///
/// # Safety
/// As [`ask()`] and [`given`].
unsafe fn ask_from<const NEXT: bool>(
    opt: *mut infill_opt,
    sources: *const infill_sources,
    backend: *mut infill_backend,
    x: &mut [f64],
) -> Outcome<infill_proposal> {
    // SAFETY: as here.
    let given = unsafe { given(sources) }?;
    if given.words.is_empty() {
        // SAFETY: as here.
        return unsafe { ask::<NEXT>(opt, backend, x) };
    }
    // SAFETY: as here.
    let (handle, mut chosen) = unsafe { (open(opt)?, Chosen::new(backend)?) };
    // Said here as well, so that a firmware without sources has none of their code.
    if !cfg!(feature = "transfer") {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    either!(handle, optimizer => {
        // A point of another length would be cut by the conversion: the refusal comes first.
        if x.len() != optimizer.dims() {
            return Err(INFILL_ERROR_SHAPE);
        }
        given.with::<R, _>(|sources| {
            R::write(x, |point| put_from::<R, NEXT>(&mut optimizer, sources, R::backend(&mut chosen), point))
        })
        .map(proposal)
    })
}

fn put_from<R: Real, const NEXT: bool>(
    optimizer: &mut Optimizer<R, &mut [u64]>,
    sources: &Sources<'_, R>,
    chosen: Option<&mut dyn Backend<R>>,
    point: &mut [R],
) -> Outcome<Ask<R>> {
    by(chosen, |backend| {
        if NEXT {
            optimizer.next_from(sources, backend, point)?.ok_or(INFILL_DONE)
        } else {
            Ok(optimizer.ask_from(sources, backend, point)?)
        }
    })
}

/// Works by a backend, or by the plain one: compiled once for all of them.
fn by<R: Real, T>(
    chosen: Option<&mut dyn Backend<R>>,
    work: impl FnOnce(&mut dyn Backend<R>) -> Outcome<T>,
) -> Outcome<T> {
    match chosen {
        Some(backend) => work(backend),
        None => work(&mut Plain),
    }
}

/// As infill_ask_with, with the help of sources, as infill_config.transfer_start, _how and _keep say; sources = NULL, and one of no
/// bytes, is infill_ask_with, to the bit.
///
/// The list may differ from call to call; what it says of the told trials is computed anew. Where it starts the run, the origin is
/// INFILL_ORIGIN_SOURCE. Cost: reads the sources once more than the answer does, for all of them are checked.
///
/// Errors: as infill_ask_with and infill_sources_check; INFILL_ERROR_FOREIGN also for sources over another space or in another scalar
/// than the optimizer, INFILL_ERROR_LIMITS for more than limits.sources or a kernel of more hyperparameters than limits.thetas,
/// INFILL_ERROR_SHAPE also for meta-features that are needed and missing; INFILL_ERROR_UNSUPPORTED with a strategy that has a model for
/// each value of a category, and in a build without sources.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_ask_from(
    opt: *mut infill_opt,
    sources: *const infill_sources,
    backend: *mut infill_backend,
    x: *mut f64,
    dims: usize,
    out: *mut infill_proposal,
) -> infill_status {
    changing!(opt, out, ask_from::<false>(opt, sources, backend, slice_mut(x, dims)?)?)
}

/// As infill_next_with, with the help of sources as infill_ask_from; sources = NULL is infill_next_with.
///
/// Nothing to give: INFILL_DONE as infill_next. Errors: those of infill_ask_from.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_next_from(
    opt: *mut infill_opt,
    sources: *const infill_sources,
    backend: *mut infill_backend,
    x: *mut f64,
    dims: usize,
    out: *mut infill_proposal,
) -> infill_status {
    changing!(opt, out, ask_from::<true>(opt, sources, backend, slice_mut(x, dims)?)?)
}

/// As infill_minimize_with, with the help of sources as infill_ask_from; sources = NULL is infill_minimize_with.
///
/// Errors: as infill_minimize_with and infill_ask_from.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_minimize_from(
    opt: *mut infill_opt,
    sources: *const infill_sources,
    backend: *mut infill_backend,
    objective: infill_objective,
    progress: infill_progress,
    user: *mut c_void,
    evaluations: u32,
) -> infill_status {
    changing!(opt, {
        run(opt, objective, progress, user, evaluations, |x| ask_from::<true>(opt, sources, backend, x))?
    })
}

/// What helps a look.
type Help<'h, R> = (&'h Sources<'h, R>, &'h mut dyn Backend<R>);

/// A look with the help of sources if there are any, and by a backend; `work` is given nothing without either.
fn look<R: Scalar, T>(
    given: Given<'_>,
    chosen: Option<&mut dyn Backend<R>>,
    work: impl FnOnce(Option<Help<'_, R>>) -> Outcome<T>,
) -> Outcome<T> {
    if chosen.is_none() && given.words.is_empty() {
        // Compiled with the library, once.
        return work(None);
    }
    // Said here as well, so that a firmware without sources has none of their code.
    if !cfg!(feature = "transfer") && !given.words.is_empty() {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    given.with::<R, _>(|sources| by(chosen, |backend| work(Some((sources, backend)))))
}

/// As infill_predict, by the model that infill_ask_from would use, open trials aside; sources = NULL is infill_predict, to the bit.
///
/// Nothing to give: INFILL_ERROR_NO_DATA as infill_predict. Errors: those of infill_predict and infill_ask_from;
/// INFILL_ERROR_UNSUPPORTED also with INFILL_HOW_RANKER, whose predictions have no unit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_predict_from(
    opt: *mut infill_opt,
    sources: *const infill_sources,
    backend: *mut infill_backend,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    changing!(opt, (mean, variance), {
        let (given, x) = (given(sources)?, slice(x, dims)?);
        let (handle, mut chosen) = (open(opt)?, Chosen::new(backend)?);
        either!(handle, optimizer => {
            wide(look::<R, _>(given, R::backend(&mut chosen), |help| {
                at(&mut optimizer, x, |optimizer, point| match help {
                    Some((sources, backend)) => optimizer.predict_from(sources, backend, point),
                    None => optimizer.predict(point),
                })
            })?)
        })
    })
}

/// As infill_recommend, by the model of infill_predict_from; with INFILL_HOW_RANKER mean and variance are those that were told.
///
/// Nothing to give: INFILL_ERROR_NO_DATA if no value was told. Errors: those of infill_recommend and infill_ask_from.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_recommend_from(
    opt: *mut infill_opt,
    sources: *const infill_sources,
    backend: *mut infill_backend,
    x: *mut f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    changing!(opt, (mean, variance), {
        let (given, x) = (given(sources)?, slice_mut(x, dims)?);
        let (handle, mut chosen) = (open(opt)?, Chosen::new(backend)?);
        either!(handle, optimizer => {
            // The model is not asked for a point that has no place.
            if x.len() != optimizer.dims() {
                return Err(INFILL_ERROR_SHAPE);
            }
            look::<R, _>(given, R::backend(&mut chosen), |help| {
                let (trial, prediction) = match help {
                    Some((sources, backend)) => optimizer.recommend_from(sources, backend)?,
                    None => optimizer.recommend()?,
                };
                record(&trial, x)?;
                Ok(wide(prediction))
            })?
        })
    })
}

/// The meta-features of a data set for classification: counts, class probabilities, moments of the predictors.
///
/// columns are features·instances numbers, one predictor after the other; labels are instances numbers, which need not be dense.
/// out takes INFILL_META_FEATURES numbers. They may be scaled, or left out, as long as it is done alike for all data sets; they are
/// what infill_source_export and infill_sources take. Computed in double precision.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_NO_DATA without instances, or without predictors that are not zero
/// throughout; INFILL_ERROR_SHAPE for more numbers than an address counts, INFILL_ERROR_NOT_FINITE for a predictor that is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_meta_features(
    columns: *const f64,
    features: usize,
    labels: *const u32,
    instances: usize,
    out: *mut f64,
) -> infill_status {
    checked!({
        let numbers = features.checked_mul(instances).ok_or(INFILL_ERROR_SHAPE)?;
        let (columns, labels) = (slice(columns, numbers)?, slice(labels, instances)?);
        Out::new(out.cast::<[f64; COUNT]>())?.write(all(columns, labels)?);
    })
}
