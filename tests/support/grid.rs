//! The configurations of a finite grid: a space in which every proposal is one of them.

use infill::{Condition, Param, Space, When};

/// The values of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    levels: &'static [f64],
    category: bool,
}

impl Axis {
    /// Names without order, numbered from 0.
    #[must_use]
    pub const fn category(numbers: &'static [f64]) -> Self {
        Self { levels: numbers, category: true }
    }

    /// Positive numbers that lie where their logarithms are.
    #[must_use]
    pub const fn levels(levels: &'static [f64]) -> Self {
        Self { levels, category: false }
    }

    fn param(&self) -> Param<'static> {
        if self.category {
            Param::categorical(self.levels.len() as u32)
        } else {
            Param::ordinal(self.levels).log()
        }
    }

    /// The place of one of its values.
    ///
    /// # Panics
    /// If it is none of them.
    fn place(&self, value: f64) -> usize {
        let place = self.levels.iter().position(|&level| level == value);
        place.unwrap_or_else(|| panic!("{value} is none of {:?}", self.levels))
    }
}

/// The configurations of a grid, and those of them that are in its thinned part.
#[derive(Clone, Debug)]
pub struct Grid {
    axes: Vec<Axis>,
    params: Vec<Param<'static>>,
    children: Vec<(u32, u32, f64)>,
    conditions: Vec<Condition<'static>>,
    /// Row after row in user units, NaN where a parameter does not matter.
    points: Vec<f64>,
    thinned: Vec<bool>,
}

impl Grid {
    /// A grid of these configurations, row after row; each of `children` is a parameter, its parent, and the value of that with which
    /// it matters. A parameter that does not matter is NaN in a row.
    ///
    /// # Panics
    /// Unless they are different configurations of one space.
    #[must_use]
    pub fn new(axes: &[Axis], children: &[(u32, u32, f64)], points: Vec<f64>) -> Self {
        let params = axes.iter().map(Axis::param).collect();
        let condition =
            |&(child, parent, value): &(u32, u32, f64)| Condition::new(child, parent, When::Equals(value));
        let conditions = children.iter().map(condition).collect();
        let (axes, children) = (axes.to_vec(), children.to_vec());
        let mut grid = Self { axes, params, children, conditions, points, thinned: Vec::new() };
        assert_eq!(grid.points.len(), grid.configurations() * grid.dims(), "the last row is not full");
        grid.thinned = (0..grid.configurations()).map(|x| grid.is_every_third(x)).collect();
        for x in 0..grid.configurations() {
            assert_eq!(grid.configuration(grid.point(x)), x, "one configuration twice");
        }
        grid
    }

    /// All configurations, the last parameter the fastest.
    #[must_use]
    pub fn product(axes: &[Axis], children: &[(u32, u32, f64)]) -> Self {
        let mut rows = vec![Vec::new()];
        for (i, axis) in axes.iter().enumerate() {
            let wakes = |row: &[f64]| {
                let own = children.iter().filter(|child| child.0 as usize == i);
                own.clone().all(|&(_, parent, value)| row[parent as usize] == value)
            };
            let extend = |row: Vec<f64>| {
                let values = if wakes(&row) { axis.levels } else { &[f64::NAN] };
                values.iter().map(move |&value| [&row[..], &[value]].concat()).collect::<Vec<_>>()
            };
            rows = rows.into_iter().flat_map(extend).collect();
        }
        Self::new(axes, children, rows.concat())
    }

    /// The same grid with another thinned part.
    ///
    /// # Panics
    /// Unless there is a flag for each configuration.
    #[must_use]
    pub fn thin(self, thinned: Vec<bool>) -> Self {
        assert_eq!(thinned.len(), self.configurations());
        Self { thinned, ..self }
    }

    /// The grid of the thinned part alone.
    ///
    /// # Panics
    /// Unless the thinned part has every combination of its levels.
    #[must_use]
    pub fn of_thinned(&self) -> Self {
        let kept = |i: usize| {
            let used = |value: &&f64| self.thinned().any(|x| self.point(x)[i] == **value);
            self.axes[i].levels.iter().filter(used).copied().collect::<Vec<f64>>()
        };
        // As long as the program: parameters borrow their levels.
        let levels = (0..self.dims()).map(|i| &*kept(i).leak());
        let axes: Vec<Axis> =
            self.axes.iter().zip(levels).map(|(axis, levels)| Axis { levels, ..*axis }).collect();
        let grid = Self::product(&axes, &self.children);
        assert_eq!(grid.configurations(), self.thinned().count(), "a combination of levels is missing");
        grid
    }

    /// The space of its configurations.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    pub fn space(&self) -> Space<'_> {
        Space::new(&self.params, &self.conditions).expect("a space")
    }

    /// How many parameters there are.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.axes.len()
    }

    /// How many configurations there are.
    #[must_use]
    pub fn configurations(&self) -> usize {
        self.points.len() / self.dims()
    }

    /// A configuration in user units, NaN where a parameter does not matter.
    #[must_use]
    pub fn point(&self, configuration: usize) -> &[f64] {
        &self.points[configuration * self.dims()..][..self.dims()]
    }

    /// The configuration at a point in user units; what does not matter may hold anything, as the library writes it.
    ///
    /// # Panics
    /// If it is none of the grid.
    #[must_use]
    pub fn configuration(&self, point: &[f64]) -> usize {
        let same = |row: &[f64]| row.iter().zip(point).all(|(own, value)| own.is_nan() || own == value);
        let found = self.points.chunks_exact(self.dims()).position(same);
        found.unwrap_or_else(|| panic!("{point:?} is no configuration of the grid"))
    }

    /// Whether a configuration is in the thinned part: by default every third value of each number, from the second, and every
    /// category.
    #[must_use]
    pub fn is_thinned(&self, configuration: usize) -> bool {
        self.thinned[configuration]
    }

    /// The configurations of the thinned part.
    pub fn thinned(&self) -> impl Iterator<Item = usize> {
        (0..self.configurations()).filter(|&x| self.is_thinned(x))
    }

    /// Where a configuration lies from 0 to 1 in each number, by rank; the number of a category, NaN where it does not matter.
    pub fn coordinates(&self, configuration: usize) -> impl Iterator<Item = f64> {
        self.axes.iter().zip(self.point(configuration)).map(|(axis, &value)| {
            if axis.category || value.is_nan() {
                value
            } else {
                axis.place(value) as f64 / (axis.levels.len() - 1) as f64
            }
        })
    }

    fn is_every_third(&self, configuration: usize) -> bool {
        let mut sides = self.axes.iter().zip(self.point(configuration));
        sides.all(|(axis, &value)| axis.category || value.is_nan() || axis.place(value) % 3 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use infill::{Baseline, Config, Optimizer};

    const AXES: [Axis; 3] = [
        Axis::category(&[0.0, 1.0]),
        Axis::levels(&[1.0, 10.0, 20.0, 50.0]),
        Axis::levels(&[0.5, 1.0, 7.0, 8.0, 9.0]),
    ];

    #[test]
    fn a_product_has_every_configuration_once() {
        let grid = Grid::product(&AXES, &[(2, 0, 1.0)]);
        assert_eq!(grid.configurations(), 4 + 4 * 5);
        assert_eq!(grid.thinned().count(), 1 + 2);
        assert!(grid.point(1)[..2] == [0.0, 10.0] && grid.point(1)[2].is_nan());
        assert_eq!(grid.point(4), [1.0, 1.0, 0.5]);
        assert_eq!(grid.coordinates(10).collect::<Vec<_>>(), [1.0, 1.0 / 3.0, 0.25]);
    }

    /// As many proposals as there are configurations are all of them, whatever the library writes where nothing matters.
    #[test]
    fn every_proposal_is_a_configuration() {
        let grid = Grid::product(&AXES, &[(2, 0, 1.0)]);
        let config = Config::default().with(|c| c.proposal.baseline = Some(Baseline::Random));
        let count = grid.configurations();
        let limits = grid.space().limits(count as u32).suit(&config);
        let mut optimizer = Optimizer::<f64, Vec<u64>>::with_limits(&grid.space(), &config, limits).unwrap();
        let mut point = [0.0_f64; 3];
        let mut seen = vec![false; count];
        for _ in 0..count {
            let ask = optimizer.ask(&mut point).unwrap();
            assert!(point.iter().all(|value| value.is_finite()));
            seen[grid.configuration(&point)] = true;
            optimizer.tell(ask.id, 0.0).unwrap();
        }
        assert!(seen.iter().all(|&seen| seen));
    }

    #[test]
    #[should_panic(expected = "no configuration of the grid")]
    fn a_point_between_is_refused() {
        let _ = Grid::product(&AXES, &[(2, 0, 1.0)]).configuration(&[1.0, 1.0, 0.6]);
    }
}
