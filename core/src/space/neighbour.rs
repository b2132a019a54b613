//! Neighbourhoods: points that differ from a given one in one parameter or a few.

use rand_core::Rng;

use crate::real::Real;
use crate::rng::{below, normal, uniform};

use super::axis::Axis;
use super::{Domain, Kind};

/// Other categories that an exchange looks at, at most: going through billions would never end.
const CATEGORIES: u64 = 1024;

impl Domain<'_> {
    /// Moves a random, not empty, set of the parameters that matter.
    ///
    /// ```text
    /// real                 u + sd·z, reflected into [0, 1],  z ~ N(0, 1)
    /// integer, ordinal     the value whose bin holds that number, at least one step away; also a real of few values
    /// categorical          any other category
    /// ```
    ///
    /// One of them, chosen at random, moves for certain, every other one with the given probability. Parameters
    /// that begin to matter are drawn anew, those that cease to matter become canonical.
    pub(crate) fn perturb<R: Real, G: Rng + ?Sized>(
        &self,
        rng: &mut G,
        sd: R,
        probability: R,
        unit: &mut [R],
    ) {
        let dims = self.dims().min(unit.len());
        self.mark(unit);
        let active = unit[..dims].iter().filter(|u| !u.is_nan()).count();
        // The first parameter has no parent, so that at least one matters.
        let mut countdown = below(rng, active as u64);
        for i in 0..dims {
            if unit[i].is_nan() {
                continue;
            }
            let chosen = countdown == 0;
            countdown = countdown.wrapping_sub(1);
            if uniform::<R, _>(rng) < probability || chosen {
                unit[i] = step(self.axis(i), rng, sd, unit[i]);
            }
        }
        self.wake(rng, unit);
        self.settle(unit);
    }

    /// Writes the k-th point that differs in one discrete parameter: the value before and the one after, or the
    /// k-th other category.
    ///
    /// Parameters that begin or cease to matter become canonical. Returns false, and writes the snapped point
    /// itself, when there is none: the parameter is a real, does not matter, or has fewer alternatives. Going
    /// through all parameters and all k visits the one-exchange neighbourhood, each point once; of very many
    /// categories the next 1024 in their order, as in a ring.
    pub(crate) fn exchange<R: Real>(&self, unit: &[R], parameter: usize, k: usize, out: &mut [R]) -> bool {
        let dims = self.dims().min(unit.len()).min(out.len());
        let out = &mut out[..dims];
        out.copy_from_slice(&unit[..dims]);
        self.mark(out);
        let found = match out.get(parameter) {
            Some(u) if !u.is_nan() => neighbour(self.axis(parameter), u.to_f64(), k as u64),
            _ => None,
        };
        if let Some(rank) = found {
            out[parameter] = self.axis(parameter).centre(rank);
        }
        // What begins to matter has its default, or the middle.
        for (i, u) in out.iter_mut().enumerate() {
            *u = if u.is_nan() { self.rest(i) } else { *u };
        }
        self.snap(out);
        found.is_some()
    }

    /// Draws parameters that begin to matter, and marks those that ceased to.
    fn wake<R: Real, G: Rng + ?Sized>(&self, rng: &mut G, unit: &mut [R]) {
        if !self.conditional() {
            return;
        }
        for i in 0..self.dims().min(unit.len()) {
            if !self.wakes(i, unit) {
                unit[i] = R::NAN;
            } else if unit[i].is_nan() {
                unit[i] = self.draw(rng, i);
            }
        }
    }
}

/// A nearby coordinate on one axis.
fn step<R: Real, G: Rng + ?Sized>(axis: Axis<'_>, rng: &mut G, sd: R, u: R) -> R {
    if axis.kind() == Kind::Categorical {
        let k = below(rng, axis.count().saturating_sub(1));
        return alternative(axis, u.to_f64(), k).map_or(u, |rank| axis.centre(rank));
    }
    let shift = sd.to_f64() * normal::<f64, _>(rng);
    let moved = u.to_f64() + shift;
    let moved = if moved.is_finite() { reflect(moved) } else { uniform(rng) };
    let Some(count) = axis.values::<R>() else { return axis.snap(R::of(moved)) };
    let (old, new) = (axis.place::<R>(u.to_f64()), axis.place::<R>(moved));
    if new != old {
        return axis.at_place(new);
    }
    let up = old == 0 || (shift > 0.0 && old < count - 1);
    axis.at_place(if up { old + 1 } else { old - 1 })
}

/// The rank of the k-th alternative that an exchange looks at.
fn neighbour(axis: Axis<'_>, u: f64, k: u64) -> Option<u64> {
    let others = axis.count().saturating_sub(1);
    if axis.kind() != Kind::Categorical || others <= CATEGORIES {
        return alternative(axis, u, k);
    }
    if k < CATEGORIES { alternative(axis, u, (axis.rank(u) + k) % others) } else { None }
}

/// The rank of the k-th alternative to the value at `u`: for categories all others in order, otherwise the one
/// before and the one after.
fn alternative(axis: Axis<'_>, u: f64, k: u64) -> Option<u64> {
    if axis.continuous() {
        return None;
    }
    let rank = axis.rank(u);
    let other = if axis.kind() == Kind::Categorical {
        if k < rank { k } else { k.checked_add(1)? }
    } else {
        match k {
            0 if rank > 0 => rank - 1,
            0 => 1,
            1 if rank > 0 => rank + 1,
            _ => return None,
        }
    };
    (other < axis.count()).then_some(other)
}

/// A number folded into `[0, 1]` at its ends, as often as needed.
fn reflect(x: f64) -> f64 {
    let period = x - 2.0 * Real::floor(x * 0.5);
    if period > 1.0 { 2.0 - period } else { period }
}

#[cfg(test)]
mod tests {
    use super::{CATEGORIES, Rng, reflect, step};
    use crate::real::Real;
    use crate::space::tests::{Dice, parsed, random_space};
    use crate::space::{Condition, Domain, Kind, Param, Space, When, is_active};
    use std::vec;
    use std::vec::Vec;

    impl Domain<'_> {
        /// Moves one parameter, which matters; whether it did.
        pub(in crate::space) fn neighbour_of<R: Real, G: Rng + ?Sized>(
            &self,
            rng: &mut G,
            parameter: usize,
            sd: R,
            unit: &mut [R],
        ) -> bool {
            self.mark(unit);
            let here = parameter < self.dims() && unit.get(parameter).is_some_and(|u| !u.is_nan());
            if here {
                unit[parameter] = step(self.axis(parameter), rng, sd, unit[parameter]);
                self.wake(rng, unit);
            }
            self.settle(unit);
            here
        }

        /// The most alternatives of [`Domain::exchange`].
        fn neighbours(&self, parameter: usize) -> usize {
            let others = self.count(parameter).map_or(0, |count| count.saturating_sub(1));
            let most = others.min(if self.kind(parameter) == Kind::Categorical { CATEGORIES } else { 2 });
            usize::try_from(most).unwrap_or(usize::MAX)
        }
    }

    fn snapped<R: Real>(domain: Domain, unit: &[R]) -> bool {
        let mut copy = unit.to_vec();
        domain.snap(&mut copy);
        copy == unit
    }

    fn steps<R: Real>() {
        let mut dice = Dice(21);
        for _ in 0..300 {
            let words = random_space(&mut dice);
            let domain = Domain::attach::<R>(&words).unwrap();
            let d = domain.dims();
            let mut unit = vec![R::ZERO; d];
            let (mut mask, mut after) = ([0], [0]);
            for sd in [0.0, 1e-9, 0.2, 5.0, f64::NAN, f64::INFINITY] {
                domain.sample(&mut dice, &mut unit).unwrap();
                domain.active(&unit, &mut mask);
                for i in 0..d + 1 {
                    let mut moved = unit.clone();
                    let did = domain.neighbour_of(&mut dice, i, R::of(sd), &mut moved);
                    assert_eq!(did, i < d && is_active(&mask, i));
                    assert!(snapped(domain, &moved));
                    if !did {
                        assert_eq!(moved, unit);
                        continue;
                    }
                    assert!(domain.continuous(i) || moved[i] != unit[i], "a discrete parameter moves");
                    assert!((0..i).all(|j| !is_active(&mask, j) || moved[j] == unit[j]));
                    domain.active(&moved, &mut after);
                    for j in i + 1..d {
                        let kept = is_active(&mask, j) && is_active(&after, j);
                        assert!(!kept || moved[j] == unit[j], "others stay");
                    }
                }
                let mut moved = unit.clone();
                domain.perturb(&mut dice, R::of(sd), R::of(0.3), &mut moved);
                assert!(snapped(domain, &moved));
                let still = (0..d).all(|i| moved[i] == unit[i]);
                let real = (0..d).any(|i| domain.continuous(i));
                assert!(!still || (real && sd < 1e-3), "something moves");
                domain.perturb(&mut dice, R::of(sd), R::NAN, &mut moved);
                domain.perturb(&mut dice, R::of(sd), R::ONE, &mut moved[..d / 2]);
                domain.perturb(&mut dice, R::of(sd), R::ONE, &mut []);
                assert!(!domain.neighbour_of(&mut dice, 0, R::of(sd), &mut []));
            }
        }
    }

    #[test]
    fn steps_stay_admissible() {
        steps::<f64>();
        steps::<f32>();
    }

    #[test]
    fn exchanges_enumerate_the_neighbourhood() {
        let mut dice = Dice(5);
        for _ in 0..300 {
            let words = random_space(&mut dice);
            let domain = Domain::attach::<f32>(&words).unwrap();
            let d = domain.dims();
            let (mut unit, mut out, mut mask) = (vec![0f32; d], vec![0f32; d], [0]);
            domain.sample(&mut dice, &mut unit).unwrap();
            domain.active(&unit, &mut mask);
            let mut found: Vec<Vec<f32>> = Vec::new();
            for i in 0..d {
                let mut ranks = Vec::new();
                for k in 0..domain.neighbours(i) {
                    if domain.exchange(&unit, i, k, &mut out) {
                        assert!(snapped(domain, &out) && !found.contains(&out) && out != unit);
                        ranks.push(domain.axis(i).rank(f64::from(out[i])));
                        found.push(out.clone());
                    } else {
                        assert_eq!(out, unit);
                    }
                }
                assert!(!domain.exchange(&unit, i, domain.neighbours(i), &mut out));
                assert!(!domain.exchange(&unit, i, usize::MAX, &mut out));
                let here = domain.axis(i).rank(f64::from(unit[i]));
                let expected: Vec<u64> = match (is_active(&mask, i), domain.kind(i), domain.count(i)) {
                    (true, Kind::Categorical, Some(n)) => (0..n).filter(|&r| r != here).collect(),
                    (true, _, Some(n)) => (0..n).filter(|&r| r + 1 == here || r == here + 1).collect(),
                    _ => Vec::new(),
                };
                assert_eq!(ranks, expected);
            }
            assert!(!domain.exchange(&unit, d, 0, &mut out));
            assert!(!domain.exchange(&unit, 0, 0, &mut []));
        }
    }

    #[test]
    fn switched_children_are_drawn_or_canonical() {
        let params = [Param::categorical(2), Param::real(0.0, 1.0), Param::integer(0, 99)];
        let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
        let words = parsed(&Space::new(&params, &conditions).unwrap());
        let domain = Domain::attach::<f64>(&words).unwrap();
        let mut dice = Dice(2);
        let mut drawn = Vec::new();
        for _ in 0..50 {
            let mut unit = [0.25, 0.125, 0.505];
            assert!(domain.neighbour_of(&mut dice, 0, 0.1, &mut unit));
            assert_eq!(unit[..2], [0.75, 0.5]);
            drawn.push(unit[2]);
        }
        drawn.dedup();
        assert!(drawn.len() > 30, "a child that begins to matter is drawn");
        let mut out = [0.0; 3];
        assert!(domain.exchange(&[0.25, 0.125, 0.505], 0, 0, &mut out));
        assert_eq!(out, [0.75, 0.5, 0.505]);
    }

    #[test]
    fn real_steps_have_the_asked_size() {
        let params = [Param::real(-5.0, 5.0), Param::integer(0, 1000)];
        let words = parsed(&Space::new(&params, &[]).unwrap());
        let domain = Domain::attach::<f64>(&words).unwrap();
        let mut dice = Dice(8);
        let n = 20_000;
        for i in 0..2 {
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                let mut unit = [0.5, 0.5];
                domain.snap(&mut unit);
                domain.neighbour_of(&mut dice, i, 0.05, &mut unit);
                sum += unit[i] - 0.5;
                squares += (unit[i] - 0.5) * (unit[i] - 0.5);
            }
            let (mean, variance) = (sum / f64::from(n), squares / f64::from(n));
            // Five standard errors: sd/√n of the mean, √(2/n) relative of the variance; a step of the grid is
            // 1/50 of the sd and adds less than a percent.
            assert!(mean.abs() < 5.0 * 0.05 / 141.0, "{mean}");
            assert!((variance / 0.0025 - 1.0).abs() < 0.06, "{variance}");
        }
    }

    #[test]
    fn folding_stays_in_the_cube() {
        for (x, y) in [(0.25, 0.25), (-0.25, 0.25), (1.25, 0.75), (2.25, 0.25), (-1.25, 0.75), (1.0, 1.0)] {
            assert_eq!(reflect(x), y);
        }
        assert!((0.0..=1.0).contains(&reflect(1e300)) && (0.0..=1.0).contains(&reflect(-1e-320)));
    }
}
