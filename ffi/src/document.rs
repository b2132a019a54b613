//! Spaces with names, as JSON documents in the form of Python's ConfigSpace; hosted builds only.

use core::ffi::c_char;
use std::boxed::Box;
use std::ffi::CString;
use std::string::{String, ToString};
use std::vec::Vec;

use library::configspace::{Document, Parameter, Sort, Value};
use library::{Clause, Condition, When};

use crate::export::{checked, put};
use crate::infill_kind::*;
use crate::infill_status::{self, *};
use crate::infill_when::*;
use crate::pointer::{Outcome, reference, slice, slice_mut, spread, tell_text, text, utf8};
use crate::space::with_space;
use crate::{infill_condition, infill_param, infill_space, infill_term};

/// A space with names.
///
/// Parameters with but one value are constants: they belong to configurations, but not to the space. Categories and the
/// values of ordinals go by their place in the document, from 0.
///
/// Threads: it never changes, so that any number of threads may use it. Lifetime: from infill_document_read or
/// infill_document_of until infill_document_free.
#[derive(Debug)]
pub struct infill_document {
    document: Document,
    space: infill_space,
    // What `space` points to; the listed values are those of `document`.
    _parts: (Vec<infill_param>, Vec<infill_condition>, Vec<infill_term>),
    _texts: Texts,
}

/// The texts of a space: themselves, the names, the labels by parameter, and where these begin.
type Texts = (Vec<Vec<CString>>, Vec<*const c_char>, Vec<Vec<*const c_char>>, Vec<*const *const c_char>);

/// The name of a parameter, and behind it its categories.
fn texts(parameter: &Parameter) -> Vec<CString> {
    let categories = match &parameter.sort {
        Sort::Categorical(values) => values.as_slice(),
        Sort::Float { .. } | Sort::Integer { .. } | Sort::Ordinal(_) | Sort::Constant(_) => &[],
    };
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToString::to_string);
    // A name with a zero byte is none.
    let text = |text: String| CString::new(text).unwrap_or_default();
    core::iter::once(parameter.name.clone()).chain(categories.iter().map(shown)).map(text).collect()
}

impl infill_document {
    fn new(document: Document) -> Box<Self> {
        let params = document.order().iter().map(|&place| &document.parameters()[place]);
        let params = params.map(|parameter| {
            let (kind, lo, hi, log, count) = match &parameter.sort {
                Sort::Float { lo, hi, log } => (INFILL_KIND_REAL, *lo, *hi, *log, 0),
                Sort::Integer { lo, hi, log } => (INFILL_KIND_INTEGER, *lo as f64, *hi as f64, *log, 0),
                Sort::Ordinal(values) => (INFILL_KIND_INTEGER, 0.0, values.len() as f64 - 1.0, false, 0),
                Sort::Categorical(values) => (INFILL_KIND_CATEGORICAL, 0.0, 0.0, false, values.len()),
                Sort::Constant(_) => (INFILL_KIND_CATEGORICAL, 0.0, 0.0, false, 1),
            };
            let usual = parameter.default_value.as_ref().and_then(|value| parameter.code(value));
            infill_param {
                kind: kind as u32,
                log: u32::from(log),
                lo,
                hi,
                levels: core::ptr::null(),
                count,
                usual: usual.unwrap_or(0.0),
                has_usual: u32::from(usual.is_some()),
                reserved: 0,
            }
        });
        let params: Vec<_> = params.collect();
        let (conditions, terms) = document.with_parts(|_, conditions, clauses| {
            let terms = clauses.iter().flat_map(one_clause).collect::<Vec<_>>();
            (conditions.iter().map(one_condition).collect::<Vec<_>>(), terms)
        });
        let placed = document.order().iter().map(|&place| &document.parameters()[place]);
        let texts: Vec<_> = placed.map(texts).collect();
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let names: Vec<_> = texts.iter().map(|texts| texts[0].as_ptr()).collect();
        let labels: Vec<_> = texts.iter().map(|texts| pointers(&texts[1..])).collect();
        let list =
            |list: &Vec<*const c_char>| if list.is_empty() { core::ptr::null() } else { list.as_ptr() };
        let lists: Vec<_> = labels.iter().map(list).collect();
        let space = infill_space {
            size: size_of::<infill_space>(),
            params: params.as_ptr(),
            dims: params.len(),
            conditions: if conditions.is_empty() { core::ptr::null() } else { conditions.as_ptr() },
            count: conditions.len(),
            forbidden: if terms.is_empty() { core::ptr::null() } else { terms.as_ptr() },
            terms: terms.len(),
            impute: 0,
            reserved: 0,
            names: names.as_ptr(),
            labels: lists.as_ptr(),
        };
        let (_parts, _texts) = ((params, conditions, terms), (texts, names, labels, lists));
        Box::new(Self { document, space, _parts, _texts })
    }
}

/// The document of a JSON text of so many bytes, which need not end with a zero.
///
/// Hosted builds only. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FORMAT for what is no such document,
/// INFILL_ERROR_BOUNDS, _CONDITION, _CLAUSE for parameters, conditions and clauses that make no sense or close a circle,
/// INFILL_ERROR_INFEASIBLE if nothing is left, INFILL_ERROR_UNSUPPORTED for distributions without bounds and relations
/// between reals, INFILL_ERROR_DIMENSIONS for constants only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_read(
    text: *const c_char,
    length: usize,
    out: *mut *mut infill_document,
) -> infill_status {
    checked!(put!(out, {
        let document = Document::read(utf8(slice(text.cast::<u8>(), length)?)?)?;
        Box::into_raw(infill_document::new(document))
    }))
}

/// The document of a space; names are those of its parameters, or NULL for x0, x1 and so on.
///
/// Hosted builds only. Errors: those of infill_space; INFILL_ERROR_BOUNDS for a name that is there twice,
/// INFILL_ERROR_FORMAT for one that is not UTF-8, INFILL_ERROR_UNSUPPORTED for forbidden ranges that the format has no
/// word for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_of(
    space: *const infill_space,
    names: *const *const c_char,
    out: *mut *mut infill_document,
) -> infill_status {
    checked!(put!(out, {
        let document = with_space(space, |space| {
            let count = if names.is_null() { 0 } else { space.dims() };
            let names = slice(names, count)?.iter().map(|&name| utf8(text(name)?));
            Ok(Document::of(space, &names.collect::<Outcome<Vec<_>>>()?)?)
        })?;
        Box::into_raw(infill_document::new(document))
    }))
}

/// Gives back a document; NULL is allowed. Hosted builds only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_free(document: *mut infill_document) {
    if !document.is_null() {
        // SAFETY: the caller has it from one of the functions above.
        drop(unsafe { Box::from_raw(document) });
    }
}

/// The space of a document, which lives as long as the document. Hosted builds only.
///
/// Errors: INFILL_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_space(
    document: *const infill_document,
    out: *mut *const infill_space,
) -> infill_status {
    checked!(put!(out, &raw const reference(document)?.space))
}

/// The document as JSON: length bytes and a zero. With text = NULL and capacity = 0 it tells the length only.
///
/// Hosted builds only. Errors: INFILL_ERROR_NULL; INFILL_ERROR_MEMORY if capacity is not larger than the length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_write(
    document: *const infill_document,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> infill_status {
    checked!({
        let written = reference(document)?.document.write();
        tell_text(text, capacity, length, || Ok(&written))?
    })
}

/// The name of a parameter of the space. Length bytes and a zero, as infill_document_write.
///
/// Hosted builds only. Errors: as infill_document_write; INFILL_ERROR_SHAPE for a parameter that is not there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_name(
    document: *const infill_document,
    parameter: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> infill_status {
    checked!({
        let names = reference(document)?.document.names();
        tell_text(text, capacity, length, || names.get(parameter).copied().ok_or(INFILL_ERROR_SHAPE))?
    })
}

/// The configuration at a point of the space as a JSON object of names and values, constants among them; what does not
/// matter is left out. Length bytes and a zero, as infill_document_write.
///
/// Hosted builds only. Errors: as infill_document_write; INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_values(
    document: *const infill_document,
    x: *const f64,
    dims: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> infill_status {
    checked!({
        let document = &reference(document)?.document;
        let pairs = document.parameters().iter().zip(document.configuration(slice(x, dims)?)?);
        let fields = pairs.filter_map(|(parameter, value)| Some((parameter.name.clone(), value?)));
        let written = Value::Object(fields.collect()).to_string();
        tell_text(text, capacity, length, || Ok(&written))?
    })
}

/// The point of the space at which parameters have the values of a JSON object; those that it does not name have their
/// defaults.
///
/// Hosted builds only. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_FORMAT for what is no object or an
/// unknown name, INFILL_ERROR_OUT_OF_RANGE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_point(
    document: *const infill_document,
    text: *const c_char,
    length: usize,
    x: *mut f64,
    dims: usize,
) -> infill_status {
    checked!({
        let (document, x) = (&reference(document)?.document, slice_mut(x, dims)?);
        let Ok(Value::Object(fields)) = utf8(slice(text.cast::<u8>(), length)?)?.parse() else {
            return Err(INFILL_ERROR_FORMAT);
        };
        let values: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        spread(&document.point(&values)?, x)?
    })
}

/// The vector by which Python's ConfigSpace stands for a point: one number for each parameter of the document, constants
/// among them, in its order; NaN for what does not matter.
///
/// Hosted builds only. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_document_vector(
    document: *const infill_document,
    x: *const f64,
    dims: usize,
    vector: *mut f64,
    count: usize,
) -> infill_status {
    checked!({
        let (document, out) = (&reference(document)?.document, slice_mut(vector, count)?);
        let vector = document.vector(slice(x, dims)?)?.into_iter().map(|value| value.unwrap_or(f64::NAN));
        spread(&vector.collect::<Vec<_>>(), out)?
    })
}

fn one_condition(condition: &Condition<'_>) -> infill_condition {
    let (when, lo, hi, values, count) = one_when(condition.when);
    let Condition { child, parent, or, .. } = *condition;
    infill_condition { child, parent, when, either: u32::from(or), lo, hi, values, count }
}

fn one_clause(clause: &Clause<'_>) -> impl Iterator<Item = infill_term> {
    clause.terms.iter().enumerate().map(|(i, term)| {
        let (when, lo, hi, values, count) = one_when(term.when);
        let also = u32::from(i > 0);
        infill_term { parameter: term.parameter, when, also, reserved: 0, lo, hi, values, count }
    })
}

fn one_when(when: When<'_>) -> (u32, f64, f64, *const f64, usize) {
    match when {
        When::Equals(value) => (INFILL_WHEN_EQUALS as u32, value, value, core::ptr::null(), 0),
        When::Between(lo, hi) => (INFILL_WHEN_BETWEEN as u32, lo, hi, core::ptr::null(), 0),
        When::In(values) => (INFILL_WHEN_IN as u32, 0.0, 0.0, values.as_ptr(), values.len()),
    }
}
