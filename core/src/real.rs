//! The scalar: `f32` or `f64`, with every elementary function taken from `libm`.

use core::fmt::{Debug, Display};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::Pod;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A floating-point scalar, sealed to `f32` and `f64`.
///
/// All functions come from `libm`, never from the platform, so that the same input gives the same bits
/// on every machine.
pub trait Real:
    sealed::Sealed
    + Pod
    + Debug
    + Display
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// ½
    const HALF: Self;
    /// 2
    const TWO: Self;
    /// π
    const PI: Self;
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;
    /// Largest finite value.
    const MAX: Self;
    /// Smallest positive normal value.
    const MIN_POSITIVE: Self;
    /// +∞
    const INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// Bytes of one value: 4 or 8.
    const BYTES: usize;
    /// Every integer of at most this size is exact: 2²⁴ or 2⁵³.
    const EXACT: f64;

    /// The nearest value of this type.
    fn of(value: f64) -> Self;
    /// The value as `f64`, exact.
    fn to_f64(self) -> f64;
    /// The nearest value to a count.
    #[inline]
    fn of_usize(value: usize) -> Self {
        Self::of(value as f64)
    }
    /// Whether the value is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Whether the value is NaN.
    fn is_nan(self) -> bool;
    /// |x|
    fn abs(self) -> Self;
    /// The smaller of two values; the other one if one is NaN.
    #[inline]
    fn min(self, other: Self) -> Self {
        if self < other || other.is_nan() { self } else { other }
    }
    /// The larger of two values; the other one if one is NaN.
    #[inline]
    fn max(self, other: Self) -> Self {
        if self > other || other.is_nan() { self } else { other }
    }
    /// The value moved into `[lo, hi]`; `lo` if it is NaN.
    #[inline]
    fn clamp(self, lo: Self, hi: Self) -> Self {
        if self > hi {
            hi
        } else if self >= lo {
            self
        } else {
            lo
        }
    }
    /// √x
    fn sqrt(self) -> Self;
    /// eˣ
    fn exp(self) -> Self;
    /// eˣ − 1 without cancellation.
    fn exp_m1(self) -> Self;
    /// ln x
    fn ln(self) -> Self;
    /// ln(1 + x) without cancellation.
    fn ln_1p(self) -> Self;
    /// xʸ
    fn pow(self, exponent: Self) -> Self;
    /// sin x
    fn sin(self) -> Self;
    /// cos x
    fn cos(self) -> Self;
    /// arcsin x
    fn asin(self) -> Self;
    /// ⌊x⌋
    fn floor(self) -> Self;
    /// The nearest integer, halves away from zero.
    fn round(self) -> Self;
    /// ln |Γ(x)|
    fn ln_gamma(self) -> Self;
    /// erfc x
    fn erfc(self) -> Self;
}

macro_rules! real {
    ($t:ident, $exact:expr, $pow:ident, $($name:ident = $function:ident),+ $(,)?) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const HALF: Self = 0.5;
            const TWO: Self = 2.0;
            const PI: Self = core::f64::consts::PI as Self;
            const EPSILON: Self = $t::EPSILON;
            const MAX: Self = $t::MAX;
            const MIN_POSITIVE: Self = $t::MIN_POSITIVE;
            const INFINITY: Self = $t::INFINITY;
            const NAN: Self = $t::NAN;
            const BYTES: usize = size_of::<$t>();
            const EXACT: f64 = $exact;

            #[inline]
            fn of(value: f64) -> Self {
                value as Self
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            #[inline]
            fn pow(self, exponent: Self) -> Self {
                libm::$pow(self, exponent)
            }
            $(
                #[inline]
                fn $name(self) -> Self {
                    libm::$function(self)
                }
            )+
        }
    };
}

real!(
    f32,
    16_777_216.0,
    powf,
    abs = fabsf,
    sqrt = sqrtf,
    exp = expf,
    exp_m1 = expm1f,
    ln = logf,
    ln_1p = log1pf,
    sin = sinf,
    cos = cosf,
    asin = asinf,
    floor = floorf,
    round = roundf,
    ln_gamma = lgammaf,
    erfc = erfcf,
);
real!(
    f64,
    9_007_199_254_740_992.0,
    pow,
    abs = fabs,
    sqrt = sqrt,
    exp = exp,
    exp_m1 = expm1,
    ln = log,
    ln_1p = log1p,
    sin = sin,
    cos = cos,
    asin = asin,
    floor = floor,
    round = round,
    ln_gamma = lgamma,
    erfc = erfc,
);
