//! Pointers of C programs: references, slices, texts, outputs, handles to blocks, and numbers in the two scalars.

use core::ffi::c_char;

use library::Real;
use library::block::{Header, Kind};

use crate::infill_status::{self, *};

/// The result of everything behind an exported function.
pub(crate) type Outcome<T> = Result<T, infill_status>;

pub(crate) fn check<T>(pointer: *const T) -> Outcome<()> {
    room(pointer.addr(), align_of::<T>(), 1, 1)
}

/// What a pointer points to.
///
/// # Safety
/// If it is neither NULL nor misaligned, it points to a `T` that nobody writes meanwhile.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> Outcome<&'a T> {
    check(pointer)?;
    // SAFETY: by the contract of this function.
    Ok(unsafe { &*pointer })
}

/// Refuses elements that cannot be: a pointer that is NULL or misaligned, or more than an address space holds.
///
/// Not generic: one function for all elements.
#[inline(never)]
fn room(address: usize, align: usize, bytes: usize, len: usize) -> Outcome<()> {
    if address == 0 {
        Err(INFILL_ERROR_NULL)
    } else if !address.is_multiple_of(align) {
        Err(INFILL_ERROR_ALIGNMENT)
    } else if len > isize::MAX as usize / bytes {
        Err(INFILL_ERROR_SHAPE)
    } else {
        Ok(())
    }
}

/// The elements behind a pointer, which may be NULL if there are none.
///
/// # Safety
/// If it is neither NULL nor misaligned, it points to `len` elements that nobody writes meanwhile.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, len: usize) -> Outcome<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    room(pointer.addr(), align_of::<T>(), size_of::<T>(), len)?;
    // SAFETY: by the contract of this function.
    Ok(unsafe { core::slice::from_raw_parts(pointer, len) })
}

/// The elements behind a pointer, for writing.
///
/// # Safety
/// As [`slice`], and nobody else reads them meanwhile.
pub(crate) unsafe fn slice_mut<'a, T>(pointer: *mut T, len: usize) -> Outcome<&'a mut [T]> {
    if len == 0 {
        return Ok(&mut []);
    }
    room(pointer.addr(), align_of::<T>(), size_of::<T>(), len)?;
    // SAFETY: by the contract of this function.
    Ok(unsafe { core::slice::from_raw_parts_mut(pointer, len) })
}

/// The bytes of a text before its zero, at most [`TEXT`] of them.
///
/// # Safety
/// If the pointer is not NULL, it points to a text that ends with a zero and that nobody writes meanwhile.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> Outcome<&'a [u8]> {
    check(pointer)?;
    // SAFETY: no byte behind the zero is looked at.
    let len = (0..TEXT).find(|&i| unsafe { pointer.add(i).read() } == 0).ok_or(INFILL_ERROR_CONFIG)?;
    // SAFETY: so many were just read.
    Ok(unsafe { core::slice::from_raw_parts(pointer.cast(), len) })
}

/// Bytes that are text.
#[cfg(feature = "std")]
pub(crate) fn utf8(bytes: &[u8]) -> Outcome<&str> {
    core::str::from_utf8(bytes).map_err(|_| INFILL_ERROR_FORMAT)
}

/// Writes a text with its zero, if there is room for both.
pub(crate) fn write_text(from: &str, to: &mut [u8]) -> Outcome<()> {
    let (text, rest) = to.split_at_mut_checked(from.len()).ok_or(INFILL_ERROR_MEMORY)?;
    *rest.first_mut().ok_or(INFILL_ERROR_MEMORY)? = 0;
    text.copy_from_slice(from.as_bytes());
    Ok(())
}

/// A name is not longer.
const TEXT: usize = 256;

/// A place for an output, checked before any work and written after it.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// If the pointer is neither NULL nor misaligned, a `T` may be written to it.
    pub(crate) unsafe fn new(pointer: *mut T) -> Outcome<Self> {
        check(pointer)?;
        Ok(Self(pointer))
    }

    pub(crate) fn write(self, value: T) {
        // SAFETY: `new` was promised that it may be written.
        unsafe { self.0.write(value) }
    }
}

/// A structure whose first field is its size, as the caller knows it; none has grown yet, so that there is one size.
///
/// Read where it lies: a copy of a configuration would be a tenth of the stack of a small machine.
///
/// # Safety
/// If the pointer is neither NULL nor misaligned, it points to a `usize` and as many bytes as that says, which nobody writes
/// meanwhile.
pub(crate) unsafe fn given<'a, T>(pointer: *const T) -> Outcome<&'a T> {
    check(pointer)?;
    // SAFETY: the size is the first field.
    if unsafe { pointer.cast::<usize>().read() } != size_of::<T>() {
        return Err(INFILL_ERROR_VERSION);
    }
    // SAFETY: so many bytes are there, by the contract.
    Ok(unsafe { &*pointer })
}

/// Writes a structure whose first field is its size, of which the caller knows `size` bytes.
///
/// # Safety
/// If the pointer is neither NULL nor misaligned, `size` bytes may be written to it.
pub(crate) unsafe fn write_sized<T>(pointer: *mut T, size: usize, value: T) -> Outcome<()> {
    check(pointer)?;
    if size != size_of::<T>() {
        return Err(INFILL_ERROR_VERSION);
    }
    // SAFETY: by the contract of this function.
    unsafe { pointer.write(value) };
    Ok(())
}

/// As [`write_sized`], of the defaults.
///
/// # Safety
/// As [`write_sized`].
pub(crate) unsafe fn write_default<T: Default>(pointer: *mut T, size: usize) -> Outcome<()> {
    // SAFETY: as here.
    unsafe { write_sized(pointer, size, T::default()) }
}

/// A block of `size` bytes as words; the rest of a last, incomplete word is left out.
///
/// # Safety
/// If the pointer is neither NULL nor misaligned, it points to `size` bytes that belong to the caller alone.
pub(crate) unsafe fn block<'a>(mem: *mut core::ffi::c_void, size: usize) -> Outcome<&'a mut [u64]> {
    check(mem.cast::<u64>())?;
    // SAFETY: by the contract of this function.
    unsafe { slice_mut(mem.cast(), size / size_of::<u64>()) }
}

/// A scalar inside; the interface stays `f64`.
pub(crate) trait Scalar: Real {
    /// Gives `work` the values as scalars, from the stack if they have to be converted.
    fn read<T>(values: &[f64], work: impl FnOnce(&[Self]) -> T) -> T;

    /// Lets `work` write as many scalars as there are values; if it succeeds they become the values.
    fn write<T>(values: &mut [f64], work: impl FnOnce(&mut [Self]) -> Outcome<T>) -> Outcome<T>;

    /// Gives `work` scalars as values.
    fn widen<T>(scalars: &[Self], work: impl FnOnce(&[f64]) -> T) -> T;

    /// Lets `work` write as many values as there are scalars; they become the scalars.
    fn narrow<T>(scalars: &mut [Self], work: impl FnOnce(&mut [f64]) -> T) -> T;
}

#[cfg(feature = "f64")]
impl Scalar for f64 {
    fn read<T>(values: &[f64], work: impl FnOnce(&[Self]) -> T) -> T {
        work(values)
    }

    fn write<T>(values: &mut [f64], work: impl FnOnce(&mut [Self]) -> Outcome<T>) -> Outcome<T> {
        work(values)
    }

    fn widen<T>(scalars: &[Self], work: impl FnOnce(&[f64]) -> T) -> T {
        work(scalars)
    }

    fn narrow<T>(scalars: &mut [Self], work: impl FnOnce(&mut [f64]) -> T) -> T {
        work(scalars)
    }
}

#[cfg(feature = "f32")]
impl Scalar for f32 {
    fn read<T>(values: &[f64], work: impl FnOnce(&[Self]) -> T) -> T {
        with_buffer(values.len(), 0.0, |buffer| {
            for (narrow, &wide) in buffer.iter_mut().zip(values) {
                *narrow = wide as f32;
            }
            work(buffer)
        })
    }

    /// The narrow values take the front half of the wide ones' own memory, then move apart from the last on.
    fn write<T>(values: &mut [f64], work: impl FnOnce(&mut [Self]) -> Outcome<T>) -> Outcome<T> {
        let count = values.len();
        let outcome = work(&mut bytemuck::cast_slice_mut(values)[..count])?;
        for i in (0..count).rev() {
            let narrow: f32 = bytemuck::cast_slice(values)[i];
            values[i] = f64::from(narrow);
        }
        Ok(outcome)
    }

    fn widen<T>(scalars: &[Self], work: impl FnOnce(&[f64]) -> T) -> T {
        with_buffer(scalars.len(), 0.0, |buffer| {
            for (wide, &narrow) in buffer.iter_mut().zip(scalars) {
                *wide = f64::from(narrow);
            }
            work(buffer)
        })
    }

    fn narrow<T>(scalars: &mut [Self], work: impl FnOnce(&mut [f64]) -> T) -> T {
        with_buffer(scalars.len(), 0.0, |buffer| {
            let done = work(buffer);
            for (narrow, &wide) in scalars.iter_mut().zip(&*buffer) {
                *narrow = wide as f32;
            }
            done
        })
    }
}

/// As [`Scalar::write`] by way of [`spared`].
pub(crate) fn buffered<R: Scalar, T>(
    values: &mut [f64],
    work: impl FnOnce(&mut [R]) -> Outcome<T>,
) -> Outcome<T> {
    spared(values, |values| R::write(values, work))
}

/// Lets `work` write the values; if it fails they are as they were, as far as the stack holds them: [`MOST`] of them.
pub(crate) fn spared<T>(values: &mut [f64], work: impl FnOnce(&mut [f64]) -> Outcome<T>) -> Outcome<T> {
    if values.len() > MOST {
        return work(values);
    }
    with_buffer(values.len(), 0.0, |buffer| {
        let outcome = work(buffer)?;
        values.copy_from_slice(buffer);
        Ok(outcome)
    })
}

/// Writes a text with its zero, or tells its length only.
///
/// # Safety
/// The pointers are NULL, misaligned, or point to what they say.
pub(crate) unsafe fn tell_text<'a>(
    to: *mut c_char,
    capacity: usize,
    length: *mut usize,
    from: impl FnOnce() -> Outcome<&'a str>,
) -> Outcome<()> {
    // SAFETY: as here.
    let (length, to) = unsafe { (Out::new(length)?, slice_mut(to.cast::<u8>(), capacity)?) };
    let from = from()?;
    if capacity > 0 {
        write_text(from, to)?;
    }
    length.write(from.len());
    Ok(())
}

/// Writes scalars as values, to as many places.
pub(crate) fn spread<R: Real>(scalars: &[R], out: &mut [f64]) -> Outcome<()> {
    if scalars.len() != out.len() {
        return Err(INFILL_ERROR_SHAPE);
    }
    for (wide, narrow) in out.iter_mut().zip(scalars) {
        *wide = narrow.to_f64();
    }
    Ok(())
}

/// Refuses what is not finite.
pub(crate) fn finite(values: &[f64]) -> Outcome<()> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(INFILL_ERROR_NOT_FINITE) }
}

/// The most parameters that limits allow; where there is no operating system, no more than a small stack holds.
pub(crate) const MOST: usize =
    if cfg!(any(feature = "std", target_pointer_width = "64")) { 1 << 12 } else { 1 << 7 };

/// Gives `work` as many values on the stack, [`MOST`] at most; a large space takes its stack only when it comes.
pub(crate) fn with_buffer<V: Copy, T>(count: usize, zero: V, work: impl FnOnce(&mut [V]) -> T) -> T {
    match count {
        0..=8 => with_array::<V, T, 8>(count, zero, work),
        9..=128 => with_array::<V, T, 128>(count, zero, work),
        _ => with_array::<V, T, MOST>(count, zero, work),
    }
}

// Not inlined, so that a call takes the stack of one array and not of all.
#[inline(never)]
fn with_array<V: Copy, T, const N: usize>(count: usize, zero: V, work: impl FnOnce(&mut [V]) -> T) -> T {
    work(&mut [zero; N][..count.min(N)])
}

/// Why a number names no scalar of this build.
pub(crate) fn missing(scalar: impl TryInto<u32>) -> infill_status {
    if matches!(scalar.try_into(), Ok(4 | 8)) { INFILL_ERROR_UNSUPPORTED } else { INFILL_ERROR_CONFIG }
}

/// A type that stands for a block of the library.
pub(crate) trait Handle {
    const KIND: Kind;
}

/// Which scalar and how many words the block of a handle has.
///
/// # Safety
/// If the handle is neither NULL nor misaligned, it came from this library.
pub(crate) unsafe fn header<H: Handle>(handle: *const H) -> Outcome<Header> {
    // SAFETY: a handle points to a block, which has at least a header.
    Ok(Header::read(unsafe { reference(handle.cast::<[u64; Header::WORDS]>()) }?, H::KIND)?)
}

/// The scalar and the words of a handle.
///
/// # Safety
/// As [`header`], and it belongs to the caller alone.
pub(crate) unsafe fn open<'a, H: Handle>(handle: *mut H) -> Outcome<(usize, &'a mut [u64])> {
    // SAFETY: as here; the block has as many words as its header says.
    unsafe { header(handle).and_then(|saved| Ok((saved.scalar, slice_mut(handle.cast(), saved.words)?))) }
}

/// As [`open`], for looking.
///
/// # Safety
/// As [`header`]; nobody writes the block meanwhile.
pub(crate) unsafe fn view<'a, H: Handle>(handle: *const H) -> Outcome<(usize, &'a [u64])> {
    // SAFETY: as in `open`.
    unsafe { header(handle).and_then(|saved| Ok((saved.scalar, slice(handle.cast(), saved.words)?))) }
}
