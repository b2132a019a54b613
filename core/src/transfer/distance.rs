//! Distances: of data sets by Kendall's tau rank correlation (KTRC) of their values, of configurations, and the kernel of a distance.

use crate::error::Error;
use crate::real::Real;
use crate::space::{Domain, Kind};

/// The Kendall tau rank correlation distance of the values of two data sets at the same configurations: the share of ordered
/// pairs that one puts the other way round.
///
/// ```text
/// KTRC = Σᵢ Σⱼ I((aᵢ > aⱼ) xor (bᵢ > bⱼ)) / (t(t − 1)),   0 if t < 2
/// ```
///
/// From 0, the same order, to 1, the reverse; a pair that one of the two ties counts half. With the means of a model in place of
/// values that were never observed it is the plug-in form. Cost: O(t²).
///
/// # Errors
/// [`Error::Shape`] unless both have as many values, [`Error::NotFinite`] for a NaN.
///
/// # References
/// Wistuba 2017, (4.7)–(4.9) and (5.5).
///
/// ```
/// use infill::transfer::ktrc;
/// assert_eq!(ktrc(&[0.1, 0.2, 0.3], &[0.2, 0.1, 0.3])?, 1.0 / 3.0);
/// assert_eq!(ktrc(&[0.1, 0.1], &[0.1, 0.2])?, 0.5);
/// # Ok::<(), infill::Error>(())
/// ```
pub fn ktrc<R: Real>(one: &[R], other: &[R]) -> Result<R, Error> {
    let count = one.len();
    Error::Shape { needed: count }.when(other.len() != count)?;
    Error::NotFinite.when(one.iter().chain(other).any(|value| value.is_nan()))?;
    if count < 2 {
        return Ok(R::ZERO);
    }
    let mut sum = 0u64;
    for i in 1..count {
        for j in 0..i {
            sum += u64::from(discordance([one[i], one[j]], [other[i], other[j]]));
        }
    }
    Ok(R::of(sum as f64 / (count as f64 * (count - 1) as f64)))
}

/// How many of the two orders of a pair differ between two data sets: 0, 1 or 2.
pub(super) fn discordance<R: Real>([a, b]: [R; 2], [c, d]: [R; 2]) -> u32 {
    u32::from((a > b) != (c > d)) + u32::from((b > a) != (d > c))
}

/// The distance of two configurations, as points of the unit cube: infinite across categories and branches.
///
/// ```text
/// d(x, x′) = ∞ if a category differs or a parameter matters to one of them alone, else ‖x − x′‖₂ over what matters
/// ```
///
/// [`Domain::check_point`] leaves such points in its second argument. Cost: O(parameters + conditions + listed values).
///
/// # Errors
/// [`Error::Shape`] unless both have one element per parameter, [`Error::NotFinite`] for a NaN.
///
/// # References
/// Wistuba 2017, (5.6).
///
/// ```
/// use infill::space::Domain;
/// use infill::transfer::distance;
/// # use infill::{Error, Param, Space};
/// let params = [Param::real(0.0, 10.0), Param::categorical(2)];
/// let space = Space::new(&params, &[])?;
/// let mut words = vec![0; space.words()];
/// space.write(&mut words)?;
/// let domain = Domain::attach::<f64>(&words)?;
/// let [mut a, mut b] = [[0.0; 2]; 2];
/// domain.check_point(&[2.0, 1.0], &mut a)?;
/// domain.check_point(&[5.0, 1.0], &mut b)?;
/// assert!((distance(domain, &a, &b)? - 0.3_f64).abs() < 1e-15);
/// domain.check_point(&[5.0, 0.0], &mut b)?;
/// assert_eq!(distance(domain, &a, &b)?, f64::INFINITY);
/// # Ok::<(), Error>(())
/// ```
pub fn distance<R: Real>(space: Domain<'_>, one: &[R], other: &[R]) -> Result<R, Error> {
    let needed = space.dims();
    Error::Shape { needed }.when(one.len() != needed || other.len() != needed)?;
    Error::NotFinite.when(one.iter().chain(other).any(|u| u.is_nan()))?;
    let square = space.with_activity(one, |here| {
        space.with_activity(other, |there| {
            (0..needed).fold(R::ZERO, |sum, k| {
                let gap = match (here(k), there(k)) {
                    (true, true) => gap(space, k, one[k], other[k]),
                    (false, false) => R::ZERO,
                    (true, false) | (false, true) => R::INFINITY,
                };
                sum + gap * gap
            })
        })
    });
    Ok(square.sqrt())
}

/// How far apart two coordinates of a parameter are: infinitely if they are different categories.
pub(crate) fn gap<R: Real>(space: Domain<'_>, parameter: usize, one: R, other: R) -> R {
    if one != other && space.kind(parameter) == Kind::Categorical { R::INFINITY } else { (one - other).abs() }
}

/// The Epanechnikov kernel of a distance in units of its bandwidth.
///
/// ```text
/// δ(r) = ¾(1 − r²) for r ≤ 1, 0 beyond
/// ```
///
/// # References
/// Wistuba 2017, (7.14)–(7.15).
///
/// ```
/// use infill::transfer::epanechnikov;
/// assert_eq!([0.0, 0.5, 1.0, 1.0001].map(epanechnikov::<f64>), [0.75, 0.5625, 0.0, 0.0]);
/// ```
#[must_use]
pub fn epanechnikov<R: Real>(r: R) -> R {
    if r.abs() <= R::ONE { R::of(0.75) * (R::ONE - r * r) } else { R::ZERO }
}
