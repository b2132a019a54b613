//! The sections of an object, listed once: what they are called, what they hold, and how much of it.
//!
//! From the list follow the size in words, the object itself as mutable slices, a view for reading, where each section lies, and
//! the lengths by which one object is copied into a larger one.

use core::ops::Range;

use crate::real::Real;

/// Declares the sections of an object.
///
/// A section is `name: element[count]`; the counts are expressions of one argument. An element is `words`,
/// `scalars` of `R`, `indices` (`u32`), `bytes`, or an object that has sections of its own and takes the count as its argument.
///
/// ```text
/// sections! {
///     (size: Size) { count: words[1], x: scalars[size.rows], theta: Theta[size.thetas] }
///     => object { struct Name { size: Size = size } }   section_words, cut, pair_sections; fields behind the sections
///     => view   { struct NameRead }                     of: the same for reading, without objects
///     => places { struct NamePlaces }                   of: the range of words of each
/// }
/// ```
macro_rules! sections {
    ($argument:tt $body:tt $(=> $output:ident $what:tt)+) => {
        $($crate::block::layout::sections!(@$output $argument $body $what);)+
    };
    (@object ($size:ident: $Size:ty) {
        $($(#[$about:meta])* $seen:vis $field:ident: $element:ident[$count:expr]),+ $(,)?
    } {
        $(#[$meta:meta])* $vis:vis struct $Object:ident {
            $($(#[$more_about:meta])* $more_seen:vis $more:ident: $More:ty = $value:expr),* $(,)?
        }
    }) => {
        $(#[$meta])*
        $vis struct $Object<'a, R> {
            $($(#[$about])* $seen $field: $crate::block::layout::element!(mutable $element 'a R),)+
            $($(#[$more_about])* $more_seen $more: $More,)*
        }

        // Types that a macro names cannot be derived from.
        impl<R: core::fmt::Debug> core::fmt::Debug for $Object<'_, R> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($Object))$(.field(stringify!($field), &self.$field))+.finish_non_exhaustive()
            }
        }

        impl<'a, R: $crate::real::Real> $Object<'a, R> {
            /// Words of all sections.
            pub(crate) const fn section_words($size: $Size) -> usize {
                0 $(+ $crate::block::layout::element!(words $element $count))+
            }

            /// The object at the front of an arena, as it was left.
            pub(crate) fn cut(
                arena: &mut $crate::block::Arena<'a>,
                $size: $Size,
            ) -> Result<Self, $crate::error::Error> {
                Ok(Self {
                    $($field: $crate::block::layout::element!(cut $element arena $count),)+
                    $($more: $value,)*
                })
            }

            /// Says the words of each section of one object and of another, in the order in which they lie.
            #[allow(dead_code, unused_variables, reason = "not all are copied, and some counts are constant")]
            pub(crate) fn pair_sections(pair: [$Size; 2], say: &mut dyn FnMut(usize, usize)) {
                let [one, other] = pair;
                $({
                    let one = { let $size = one; $crate::block::layout::element!(extent $element $count) };
                    let other = { let $size = other; $crate::block::layout::element!(extent $element $count) };
                    $crate::block::layout::element!(pair $element say one other);
                })+
            }
        }
    };
    (@view ($size:ident: $Size:ty) {
        $($(#[$about:meta])* $seen:vis $field:ident: $element:ident[$count:expr]),+ $(,)?
    } {
        $(#[$meta:meta])* $vis:vis struct $View:ident of $Object:ident {
            $($more_seen:vis $more:ident: $More:ty = $value:expr),* $(,)?
        }
    }) => {
        $(#[$meta])*
        $vis struct $View<'a, R> {
            $($(#[$about])* $seen $field: $crate::block::layout::element!(shared $element 'a R),)+
            $($more_seen $more: $More,)*
        }

        impl<R> Clone for $View<'_, R> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<R> Copy for $View<'_, R> {}

        impl<'a, R: $crate::real::Real> $View<'a, R> {
            /// The view of words that were attached, which begin with the object.
            pub(crate) fn of(words: &'a [u64], $size: $Size) -> Self {
                let mut reader = $crate::block::Reader::new(words);
                Self {
                    $($field: reader.$element($count),)+
                    $($more: $value,)*
                }
            }
        }

        impl<R: $crate::real::Real> $Object<'_, R> {
            /// The same, for reading.
            #[allow(dead_code, reason = "some are read from words that were saved alone")]
            $vis fn read(&self) -> $View<'_, R> {
                $View { $($field: &*self.$field,)+ $($more: self.$more,)* }
            }
        }
    };
    (@places ($size:ident: $Size:ty) {
        $($(#[$about:meta])* $seen:vis $field:ident: $element:ident[$count:expr]),+ $(,)?
    } {
        $(#[$meta:meta])* $vis:vis struct $Places:ident
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[allow(dead_code, reason = "few are asked for all their places")]
        $vis struct $Places {
            $($vis $field: core::ops::Range<usize>,)+
        }

        impl $Places {
            /// Where the sections of the object lie that begins at word `at`.
            pub(crate) const fn of<R: $crate::real::Real>(at: usize, $size: $Size) -> Self {
                let end = at;
                $(
                    let start = end;
                    let end = start + $crate::block::layout::element!(words $element $count);
                    let $field = start..end;
                )+
                let _ = end;
                Self { $($field,)+ }
            }
        }
    };
}

/// What a section of an element is, takes and becomes.
macro_rules! element {
    (mutable words $a:lifetime $R:ident) => { &$a mut [u64] };
    (mutable scalars $a:lifetime $R:ident) => { &$a mut [$R] };
    (mutable indices $a:lifetime $R:ident) => { &$a mut [u32] };
    (mutable bytes $a:lifetime $R:ident) => { &$a mut [u8] };
    (mutable $Object:ident $a:lifetime $R:ident) => { $Object<$a, $R> };
    (shared words $a:lifetime $R:ident) => { &$a [u64] };
    (shared scalars $a:lifetime $R:ident) => { &$a [$R] };
    (shared bytes $a:lifetime $R:ident) => { &$a [u8] };
    (words words $count:expr) => { $count };
    (words scalars $count:expr) => { $crate::block::scalar_words::<R>($count) };
    (words indices $count:expr) => { $crate::block::index_words($count) };
    (words bytes $count:expr) => { ($count).div_ceil(8) };
    (words $Object:ident $count:expr) => { $Object::<R>::section_words($count) };
    (cut words $arena:ident $count:expr) => { $arena.words($count)? };
    (cut scalars $arena:ident $count:expr) => { $arena.scalars($count)? };
    (cut indices $arena:ident $count:expr) => { $arena.indices($count)? };
    (cut bytes $arena:ident $count:expr) => { $arena.bytes($count)? };
    (cut $Object:ident $arena:ident $count:expr) => { $Object::cut($arena, $count)? };
    (extent words $count:expr) => { $count };
    (extent scalars $count:expr) => { $crate::block::scalar_words::<R>($count) };
    (extent indices $count:expr) => { $crate::block::index_words($count) };
    (extent bytes $count:expr) => { ($count).div_ceil(8) };
    (extent $Object:ident $count:expr) => { $count };
    (pair words $say:ident $one:ident $other:ident) => { $say($one, $other) };
    (pair scalars $say:ident $one:ident $other:ident) => { $say($one, $other) };
    (pair indices $say:ident $one:ident $other:ident) => { $say($one, $other) };
    (pair bytes $say:ident $one:ident $other:ident) => { $say($one, $other) };
    (pair $Object:ident $say:ident $one:ident $other:ident) => {
        $Object::<R>::pair_sections([$one, $other], $say)
    };
}

pub(crate) use {element, sections};

/// The words that hold some of the scalars of a section.
pub(crate) fn scalar_range<R: Real>(section: &Range<usize>, first: usize, count: usize) -> Range<usize> {
    let at = section.start;
    at + first * R::BYTES / 8..at + ((first + count) * R::BYTES).div_ceil(8)
}
