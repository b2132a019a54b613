//! Enumeration of the feasible configurations in order: values that no condition and no clause tells apart are one cell.
//!
//! A point is its own place in the order, so that this needs no memory: inactive coordinates are NaN, each other one lies
//! in its cell. The order is that of the parameters, so that a prefix that a clause forbids is left at once.

use rand_core::Rng;

use crate::error::Error;
use crate::real::Real;
use crate::rng::uniform;

use super::Domain;
use super::domain::Terms;

/// Steps of one way through the cells: parameters that are given another cell.
const STEPS: u32 = 1 << 18;

/// How fine a way through the space is; the cells of reals that are not narrow are always whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    /// Cell by cell.
    Cells,
    /// Value by value.
    Values,
}

impl Domain<'_> {
    /// A random point that no clause forbids, by going through all cells.
    ///
    /// ```text
    /// P(cells) = ∏ over active parameters: measure of the cell,  uniform within
    /// ```
    ///
    /// The first way adds up the measures, the second stops where the sum passes a random part of it. Cost: O(cells ×
    /// (parameters + conditions + terms)).
    pub(super) fn sample_cells<R: Real, G: Rng + ?Sized>(
        &self,
        rng: &mut G,
        unit: &mut [R],
    ) -> Result<(), Error> {
        let mut total = None;
        let mut steps = STEPS;
        let mut found = self.walk(unit, true, Grain::Cells, &mut steps);
        while found {
            total = Some(total.unwrap_or(0.0) + self.measure(unit));
            found = self.walk(unit, false, Grain::Cells, &mut steps);
        }
        let total = total.filter(|_| steps > 0).ok_or(Error::Infeasible)?;
        let aim = total * uniform::<f64, _>(rng);
        let (mut sum, mut steps) = (0.0, STEPS);
        let mut found = self.walk(unit, true, Grain::Cells, &mut steps);
        while found {
            sum += self.measure(unit);
            // Both ways add the same numbers in the same order, so that the last cell meets the total.
            if sum > aim || sum >= total {
                self.draw_within(rng, Grain::Cells, unit);
                self.settle(unit);
                return Ok(());
            }
            found = self.walk(unit, false, Grain::Cells, &mut steps);
        }
        Err(Error::Infeasible)
    }

    /// Writes the configuration after a snapped point, or the very first one, that no clause forbids, with its reals drawn
    /// from what the clauses leave; false behind the last one or when the steps are used up.
    ///
    /// Every configuration of the discrete parameters that matter comes once, with every part of the reals that
    /// conditions and clauses tell apart.
    pub(crate) fn successor<R: Real, G: Rng + ?Sized>(
        &self,
        rng: &mut G,
        first: bool,
        steps: &mut u32,
        unit: &mut [R],
    ) -> bool {
        if unit.len() < self.dims() {
            return false;
        }
        self.mark(unit);
        let found = self.walk(unit, first, Grain::Values, steps);
        if found {
            self.draw_within(rng, Grain::Values, unit);
        }
        self.settle(unit);
        found
    }

    /// Goes to the first place, or to the next one.
    fn walk<R: Real>(&self, unit: &mut [R], first: bool, grain: Grain, steps: &mut u32) -> bool {
        let dims = self.dims();
        let (mut at, mut forward) = if first { (0, true) } else { (dims, false) };
        let mut closed = false;
        while *steps > 0 {
            *steps -= 1;
            let placed = if forward {
                if at == dims {
                    return true;
                }
                let wakes = self.wakes(at, unit);
                let start = if wakes { self.cell_from(at, 0.0) } else { None };
                unit[at] = start.unwrap_or(R::NAN);
                // A real may have no cell that the scalar resolves.
                start.is_some() || !wakes
            } else {
                let Some(before) = at.checked_sub(1) else { return false };
                at = before;
                // What a clause holds against one value it holds against its whole cell.
                let grain = if closed { Grain::Cells } else { grain };
                let next = if unit[at].is_nan() { None } else { self.after(at, unit[at], grain) };
                unit[at] = next.unwrap_or(R::NAN);
                next.is_some()
            };
            closed = placed && self.closes(at, unit);
            forward = placed && !closed;
            at += usize::from(placed);
        }
        false
    }

    /// Whether a clause holds whose last parameter is this one.
    fn closes<R: Real>(&self, parameter: usize, marked: &[R]) -> bool {
        let holds = |clause: Terms<'_>| {
            let (mut held, mut last) = (true, 0);
            for term in clause {
                last = last.max(term.parameter as usize);
                held = held && last <= parameter && self.is_met(term, marked);
            }
            held && last == parameter
        };
        self.first_clause(holds).is_some()
    }

    /// The representative of the next cell, or the next value.
    fn after<R: Real>(&self, parameter: usize, u: R, grain: Grain) -> Option<R> {
        let end = match (grain, self.values::<R>(parameter)) {
            (Grain::Values, Some(_)) => self.axis(parameter).place::<R>(u.to_f64()) as f64 + 1.0,
            (Grain::Values, None) | (Grain::Cells, _) => self.cell(parameter, u).1,
        };
        self.cell_from(parameter, end)
    }

    /// The representative of the cell that starts here, or of the next one: the middle of reals, the first value.
    fn cell_from<R: Real>(&self, parameter: usize, start: f64) -> Option<R> {
        let (axis, values) = (self.axis(parameter), self.values::<R>(parameter));
        let mut lo = start;
        while lo < extent(values) {
            if values.is_some() {
                return Some(axis.at_place(lo as u64));
            }
            let hi = self.bounds::<R>(parameter, lo).1;
            let middle = R::of(lo + 0.5 * (hi - lo));
            if lo < middle.to_f64() && middle.to_f64() < hi {
                return Some(middle);
            }
            lo = hi;
        }
        None
    }

    /// Where the cell that holds a coordinate starts and ends: coordinates of a real, the places of values that are counted.
    fn cell<R: Real>(&self, parameter: usize, u: R) -> (f64, f64) {
        let place = match self.values::<R>(parameter) {
            Some(_) => self.axis(parameter).place::<R>(u.to_f64()) as f64,
            None => u.to_f64(),
        };
        self.bounds::<R>(parameter, place)
    }

    /// The last edge that is not behind a place and the first one behind it.
    fn bounds<R: Real>(&self, parameter: usize, place: f64) -> (f64, f64) {
        let (axis, values) = (self.axis(parameter), self.values::<R>(parameter));
        let (mut lo, mut hi) = (0.0, extent(values));
        let mut cut = |from: u64, to: u64| {
            let edges = if values.is_none() {
                // As `Axis::between` takes them.
                let edge = |token: u64| axis.coordinate(R::of(f64::from_bits(token))).map(R::to_f64);
                [edge(from).unwrap_or(0.0), edge(to).unwrap_or(1.0)]
            } else {
                [axis.place_of::<R>(from) as f64, axis.place_of::<R>(to) as f64 + 1.0]
            };
            for edge in edges {
                if edge <= place {
                    lo = Real::max(lo, edge);
                } else {
                    hi = Real::min(hi, edge);
                }
            }
        };
        for rule in self.naming(parameter) {
            if rule.list {
                self.listed(rule).iter().for_each(|&token| cut(token, token));
            } else {
                cut(rule.a, rule.b);
            }
        }
        (lo, hi)
    }

    /// The probability of the cells at a place.
    fn measure<R: Real>(&self, marked: &[R]) -> f64 {
        (0..self.dims()).filter(|&i| !marked[i].is_nan()).fold(1.0, |product, i| {
            let (lo, hi) = self.cell(i, marked[i]);
            product * (self.share::<R>(i, hi) - self.share::<R>(i, lo))
        })
    }

    /// The probability of all before an edge.
    fn share<R: Real>(&self, parameter: usize, edge: f64) -> f64 {
        if self.values::<R>(parameter).is_some() { self.axis(parameter).start::<R>(edge) } else { edge }
    }

    /// Replaces coordinates by random ones of the same cell; single values stay.
    fn draw_within<R: Real, G: Rng + ?Sized>(&self, rng: &mut G, grain: Grain, marked: &mut [R]) {
        for i in 0..self.dims() {
            let (axis, counted) = (self.axis(i), self.values::<R>(i).is_some());
            if marked[i].is_nan() || (grain == Grain::Values && counted) {
                continue;
            }
            let (lo, hi) = self.cell(i, marked[i]);
            let (from, to) = (self.share::<R>(i, lo), self.share::<R>(i, hi));
            let drawn = from + (to - from) * uniform::<f64, _>(rng);
            if counted {
                let place = axis.place::<R>(drawn) as f64;
                marked[i] = axis.at_place(Real::max(lo, Real::min(place, hi - 1.0)) as u64);
                continue;
            }
            let (drawn, middle) = (R::of(drawn), marked[i]);
            // A value close to an edge may round to it.
            let same = |rule| self.holds(rule, drawn) == self.holds(rule, middle);
            if lo < drawn.to_f64() && drawn.to_f64() < hi && self.naming(i).all(same) {
                marked[i] = drawn;
            }
        }
    }
}

/// Where the last cell of a parameter with so many values ends.
fn extent(values: Option<u64>) -> f64 {
    values.map_or(1.0, |count| count as f64)
}
