//! L-BFGS-B, quasi-Newton descent within bounds, and its multi-start: the one local optimiser of the library.
//!
//! It trains hyperparameters and polishes proposals. All memory is lent; the work is bounded by a count of
//! evaluations.

use crate::math::{axpy, dot};
use crate::real::Real;

/// Pairs of steps and gradient changes that shape the quasi-Newton direction.
pub(crate) const HISTORY: usize = 8;

/// How much work one descent may do, and when it may stop earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Evaluations of the objective with its gradient, at most.
    pub evaluations: u32,
    /// Stop when two steps in a row lower the objective by less than this times its magnitude.
    pub tolerance: f64,
    /// Length of the first step, before any curvature is known, as a fraction of the box.
    pub reach: f64,
}

/// Where a descent ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome<R> {
    /// The objective at the final point.
    pub value: R,
    /// Evaluations spent.
    pub evaluations: u32,
}

/// Scalars of scratch that [`minimize`] needs in `dims` dimensions.
pub(crate) const fn scratch(dims: usize) -> usize {
    dims * (2 * HISTORY + 4) + 2 * HISTORY
}

/// Minimises `f` over a box from `x`, by projected L-BFGS with a backtracking line search.
///
/// ```text
/// xₖ₊₁ = P(xₖ − t·H∇f),   f(xₖ₊₁) ≤ f(xₖ) + 10⁻⁴ ∇f·(xₖ₊₁ − xₖ)
/// ```
///
/// `f` writes its gradient and returns its value; a value that is not finite is a step too far. Coordinates
/// with `lo == hi` do not move. On return `x` is the best point seen. If the value at the start is not finite,
/// `x` is unchanged. Cost: O(`dims`·`HISTORY`) beside each evaluation. Slices shorter than needed give the
/// outcome of no evaluation.
///
/// # References
/// Nocedal & Wright, *Numerical Optimization*, 2nd ed., algorithms 7.4 and 16.5 (projection).
pub(crate) fn minimize<R: Real>(
    x: &mut [R],
    lo: &[R],
    hi: &[R],
    budget: Budget,
    scratch_memory: &mut [R],
    f: &mut dyn FnMut(&[R], &mut [R]) -> R,
) -> Outcome<R> {
    let dims = x.len();
    let mut outcome = Outcome { value: R::INFINITY, evaluations: 0 };
    if lo.len() != dims || hi.len() != dims || scratch_memory.len() < scratch(dims) || budget.evaluations == 0
    {
        return outcome;
    }
    let (gradient, rest) = scratch_memory.split_at_mut(dims);
    let (direction, rest) = rest.split_at_mut(dims);
    let (trial, rest) = rest.split_at_mut(dims);
    let (trial_gradient, rest) = rest.split_at_mut(dims);
    let mut pairs = Pairs::new(dims, rest);

    for i in 0..dims {
        x[i] = x[i].clamp(lo[i], hi[i]);
    }
    let mut value = f(x, gradient);
    outcome.evaluations = 1;
    if !value.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
        outcome.value = if value.is_nan() { R::INFINITY } else { value };
        return outcome;
    }
    let tolerance = R::of(budget.tolerance);
    let mut small_steps = 0;
    while outcome.evaluations < budget.evaluations {
        // Variables pressed against a bound by the gradient stay there for this step.
        let free = |i: usize, x: &[R], g: &[R]| {
            lo[i] < hi[i] && !(x[i] <= lo[i] && g[i] > R::ZERO) && !(x[i] >= hi[i] && g[i] < R::ZERO)
        };
        for i in 0..dims {
            direction[i] = if free(i, x, gradient) { -gradient[i] } else { R::ZERO };
        }
        let steepest = dot(direction, direction);
        if steepest <= R::ZERO {
            break;
        }
        pairs.apply(direction);
        for i in 0..dims {
            if !free(i, x, gradient) {
                direction[i] = R::ZERO;
            }
        }
        let slope = dot(direction, gradient);
        // A direction that does not descend clearly is replaced by the steepest one.
        let descends = slope < -R::of(1e-10) * (steepest * dot(direction, direction)).sqrt();
        let mut step = R::ONE;
        if !descends {
            pairs.clear();
            for i in 0..dims {
                direction[i] = if free(i, x, gradient) { -gradient[i] } else { R::ZERO };
            }
        }
        if pairs.count == 0 {
            let mut relative = R::ZERO;
            for i in 0..dims {
                let width = hi[i] - lo[i];
                if width > R::ZERO && width.is_finite() {
                    relative = relative.max(direction[i].abs() / width);
                }
            }
            if relative > R::ZERO {
                step = R::of(budget.reach) / relative;
            }
        }
        let mut accepted = false;
        while outcome.evaluations < budget.evaluations {
            let mut predicted = R::ZERO;
            let mut moved = false;
            for i in 0..dims {
                trial[i] = (x[i] + step * direction[i]).clamp(lo[i], hi[i]);
                let delta = trial[i] - x[i];
                moved |= delta != R::ZERO;
                predicted += gradient[i] * delta;
            }
            if !moved {
                break;
            }
            let candidate = f(trial, trial_gradient);
            outcome.evaluations += 1;
            let finite = candidate.is_finite() && trial_gradient.iter().all(|g| g.is_finite());
            if finite && candidate <= value + R::of(1e-4) * predicted.min(R::ZERO) {
                let gain = value - candidate;
                pairs.remember(x, trial, gradient, trial_gradient);
                x.copy_from_slice(trial);
                gradient.copy_from_slice(trial_gradient);
                value = candidate;
                accepted = true;
                small_steps = if gain <= tolerance * R::ONE.max(value.abs()) { small_steps + 1 } else { 0 };
                break;
            }
            // Quadratic interpolation where it makes sense, within a factor of ten.
            let ratio = if finite && predicted < R::ZERO {
                let bend = candidate - value - predicted;
                (-predicted / (R::TWO * bend)).clamp(R::of(0.1), R::HALF)
            } else {
                R::of(0.1)
            };
            step *= ratio;
        }
        if !accepted {
            if pairs.count == 0 {
                break;
            }
            // The curvature misled: once more from here along the gradient.
            pairs.clear();
            continue;
        }
        if small_steps >= 2 {
            break;
        }
    }
    outcome.value = value;
    outcome
}

/// Where a multi-start begins, and what it may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Starts {
    /// Starts beside the given one.
    pub restarts: u32,
    /// Draws of which each of these takes the best.
    pub draws: u32,
    /// The budget of each descent.
    pub budget: Budget,
}

/// `f(points, values, gradient)`: writes the values at as many points as there are values, and the gradient of the one point
/// unless that is empty.
pub(crate) type Losses<'a, R> = dyn FnMut(&[R], &mut [R], &mut [R]) + 'a;

/// Scalars of memory that [`multi_start`] needs in `dims` dimensions.
pub(crate) const fn multi_start_scratch(dims: usize) -> usize {
    2 * dims + scratch(dims)
}

/// Minimises `f` over a box by [`minimize`] from `x` and from the best of several draws, several times over; `x` is then the
/// best point found, unchanged if no start has a finite value.
///
/// `draw` writes a point of the box. Draws are evaluated together, one or as many as there is memory for beyond
/// [`multi_start_scratch`]; shorter memory gives the outcome of no evaluation.
pub(crate) fn multi_start<R: Real>(
    x: &mut [R],
    lo: &[R],
    hi: &[R],
    starts: &Starts,
    memory: &mut [R],
    draw: &mut dyn FnMut(&mut [R]),
    f: &mut Losses<'_, R>,
) -> Outcome<R> {
    let dims = x.len();
    let mut best = Outcome { value: R::INFINITY, evaluations: 0 };
    if memory.len() < multi_start_scratch(dims) {
        return best;
    }
    let (trial, rest) = memory.split_at_mut(dims);
    let (descent, rest) = rest.split_at_mut(scratch(dims));
    let together = (rest.len() / (dims + 1)).min(starts.draws as usize);
    let mut single = [R::ZERO];
    let (points, values) = if together == 0 {
        (&mut rest[..dims], &mut single[..])
    } else {
        rest[..together * (dims + 1)].split_at_mut(together * dims)
    };
    trial.copy_from_slice(x);
    for start in 0..=starts.restarts {
        if start > 0 {
            let mut low = R::INFINITY;
            let mut left = starts.draws.max(1) as usize;
            while left > 0 {
                let count = left.min(values.len());
                let (points, values) = (&mut points[..count * dims], &mut values[..count]);
                points.chunks_exact_mut(dims).for_each(&mut *draw);
                f(points, values, &mut []);
                for (point, &value) in points.chunks_exact(dims).zip(&*values) {
                    if value < low {
                        low = value;
                        trial.copy_from_slice(point);
                    }
                }
                best.evaluations += count as u32;
                left -= count;
            }
            if !low.is_finite() {
                continue;
            }
        }
        let found = minimize(trial, lo, hi, starts.budget, descent, &mut |at, gradient| {
            let mut value = [R::INFINITY];
            f(at, &mut value, gradient);
            value[0]
        });
        best.evaluations += found.evaluations;
        if found.value < best.value {
            best.value = found.value;
            x.copy_from_slice(trial);
        }
    }
    best
}

/// The last steps `s` and gradient changes `y`, as a ring.
struct Pairs<'a, R> {
    dims: usize,
    steps: &'a mut [R],
    changes: &'a mut [R],
    curvature: &'a mut [R],
    weights: &'a mut [R],
    count: usize,
    next: usize,
}

impl<'a, R: Real> Pairs<'a, R> {
    fn new(dims: usize, memory: &'a mut [R]) -> Self {
        let (steps, rest) = memory.split_at_mut(dims * HISTORY);
        let (changes, rest) = rest.split_at_mut(dims * HISTORY);
        let (curvature, rest) = rest.split_at_mut(HISTORY);
        let (weights, _) = rest.split_at_mut(HISTORY);
        Self { dims, steps, changes, curvature, weights, count: 0, next: 0 }
    }

    fn clear(&mut self) {
        self.count = 0;
        self.next = 0;
    }

    /// Keeps a pair if its curvature is positive.
    fn remember(&mut self, x: &[R], moved: &[R], gradient: &[R], changed: &[R]) {
        let at = self.next * self.dims;
        let s = &mut self.steps[at..at + self.dims];
        let y = &mut self.changes[at..at + self.dims];
        for i in 0..self.dims {
            s[i] = moved[i] - x[i];
            y[i] = changed[i] - gradient[i];
        }
        let sy = dot(s, y);
        let yy = dot(y, y);
        if sy > R::EPSILON * yy {
            self.curvature[self.next] = sy;
            self.next = (self.next + 1) % HISTORY;
            self.count = (self.count + 1).min(HISTORY);
        }
    }

    /// The two-loop recursion: turns `−∇f` into `−H∇f` in place.
    fn apply(&mut self, direction: &mut [R]) {
        if self.count == 0 {
            return;
        }
        for back in 1..=self.count {
            let k = (self.next + HISTORY - back) % HISTORY;
            let (s, y) = self.pair(k);
            let weight = dot(s, direction) / self.curvature[k];
            axpy(-weight, y, direction);
            self.weights[k] = weight;
        }
        let last = (self.next + HISTORY - 1) % HISTORY;
        let y = self.pair(last).1;
        let scale = self.curvature[last] / dot(y, y);
        for d in direction.iter_mut() {
            *d *= scale;
        }
        for back in (1..=self.count).rev() {
            let k = (self.next + HISTORY - back) % HISTORY;
            let (s, y) = self.pair(k);
            let weight = self.weights[k] - dot(y, direction) / self.curvature[k];
            axpy(weight, s, direction);
        }
    }

    fn pair(&self, k: usize) -> (&[R], &[R]) {
        let at = k * self.dims;
        (&self.steps[at..at + self.dims], &self.changes[at..at + self.dims])
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Starts, minimize, multi_start, multi_start_scratch, scratch};
    use std::vec;

    fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
        g.fill(0.0);
        let mut sum = 0.0;
        for i in 0..x.len() - 1 {
            let a = x[i + 1] - x[i] * x[i];
            let b = 1.0 - x[i];
            sum += 100.0 * a * a + b * b;
            g[i] += -400.0 * a * x[i] - 2.0 * b;
            g[i + 1] += 200.0 * a;
        }
        sum
    }

    #[test]
    fn finds_the_minimum_of_rosenbrock() {
        for dims in [2, 5, 10] {
            let mut x = vec![-1.2; dims];
            let mut memory = vec![0.0; scratch(dims)];
            let budget = Budget { evaluations: 500, tolerance: 1e-14, reach: 0.1 };
            let out =
                minimize(&mut x, &vec![-5.0; dims], &vec![10.0; dims], budget, &mut memory, &mut rosenbrock);
            assert!(out.value < 1e-10 || (dims > 2 && out.value < 4.0), "{dims}: {out:?}");
            assert!(out.evaluations < 400, "{out:?}");
        }
    }

    #[test]
    fn respects_bounds_and_frozen_coordinates() {
        let mut x = [0.2, 0.9, 0.5];
        let mut memory = [0.0; scratch(3)];
        let budget = Budget { evaluations: 100, tolerance: 1e-12, reach: 0.1 };
        let out = minimize(&mut x, &[0.0, 0.25, 0.5], &[0.5, 1.0, 0.5], budget, &mut memory, &mut |x, g| {
            let target = [2.0f64, -1.0, 0.0];
            for i in 0..3 {
                g[i] = 2.0 * (x[i] - target[i]);
            }
            (0..3).map(|i| (x[i] - target[i]).powi(2)).sum()
        });
        assert_eq!(x, [0.5, 0.25, 0.5]);
        assert!(out.evaluations < 100);
    }

    #[test]
    fn a_wall_of_infinities_is_a_step_too_far() {
        let mut x = [0.9f32];
        let mut memory = [0.0; scratch(1)];
        let budget = Budget { evaluations: 60, tolerance: 1e-7, reach: 0.1 };
        let out = minimize(&mut x, &[0.0], &[1.0], budget, &mut memory, &mut |x, g| {
            g[0] = 1.0;
            if x[0] < 0.3 { f32::NAN } else { x[0] }
        });
        assert!(x[0] >= 0.3 && x[0] < 0.35, "{x:?} {out:?}");
    }

    #[test]
    fn an_infinite_start_changes_nothing() {
        let mut x = [0.4];
        let mut memory = [0.0; scratch(1)];
        let budget = Budget { evaluations: 10, tolerance: 0.0, reach: 0.1 };
        let out = minimize(&mut x, &[0.0], &[1.0], budget, &mut memory, &mut |_, _| f64::NAN);
        assert_eq!((x[0], out.evaluations), (0.4, 1));
        assert!(out.value == f64::INFINITY);
    }
    #[test]
    fn a_restart_finds_the_deeper_of_two_wells() {
        // Wells at 0.2 and at 0.8, the second deeper; draws lie on a grid.
        let well = |x: f64, g: &mut [f64]| {
            g.iter_mut().for_each(|g| *g = 4.0 * (x - 0.2) * (x - 0.8) * (2.0 * x - 1.0) - 0.01);
            2.0 * ((x - 0.2) * (x - 0.8)).powi(2) - 0.01 * x
        };
        let budget = Budget { evaluations: 60, tolerance: 1e-12, reach: 0.01 };
        for (draws, room) in [(1, 0), (4, 0), (4, 2), (4, 6), (5, 8)] {
            let starts = Starts { restarts: 2, draws, budget };
            let mut memory = std::vec![0.0; multi_start_scratch(1) + room];
            let (mut x, mut next, mut most) = ([0.15], 0.0, 0);
            let mut draw = |x: &mut [f64]| {
                next = (next + 0.37) % 1.0;
                x[0] = next;
            };
            let out =
                multi_start(&mut x, &[0.0], &[1.0], &starts, &mut memory, &mut draw, &mut |at, out, g| {
                    most = most.max(out.len());
                    at.iter().zip(out).for_each(|(&x, out)| *out = well(x, g));
                });
            assert!((x[0] - 0.8).abs() < 0.01, "{draws} {room} {x:?} {out:?}");
            assert_eq!(most, room.div_ceil(2).clamp(1, draws as usize), "{draws} {room}");
        }
        let starts = Starts { restarts: 2, draws: 4, budget };
        let (mut x, mut memory) = ([0.4], [0.0; multi_start_scratch(1)]);
        let mut nan = |_: &[f64], out: &mut [f64], _: &mut [f64]| out.fill(f64::NAN);
        let out = multi_start(&mut x, &[0.0], &[1.0], &starts, &mut memory, &mut |x| x[0] = 0.5, &mut nan);
        assert_eq!((x[0], out.evaluations), (0.4, 9));
        let out = multi_start(&mut x, &[0.0], &[1.0], &starts, &mut [], &mut |_| (), &mut nan);
        assert_eq!(out.evaluations, 0);
    }
}
