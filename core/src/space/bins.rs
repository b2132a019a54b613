//! The part of an axis that a discrete value takes up.

use crate::real::Real;

use super::Domain;
use super::axis::Axis;

impl Domain<'_> {
    /// Both ends of the bin that holds a coordinate; twice the coordinate for a real and beyond the last parameter.
    ///
    /// The bins of all values make up [0, 1].
    pub(crate) fn bin(&self, parameter: usize, u: f64) -> (f64, f64) {
        if parameter >= self.dims() || self.continuous(parameter) {
            return (u, u);
        }
        let axis = self.axis(parameter);
        let (rank, count) = (axis.rank(u), axis.count());
        match axis {
            Axis::Integer { lo, log: true, span, .. } => {
                let first = lo as f64 - 0.5;
                let edge = |steps: u64| {
                    if steps == count { 1.0 } else { Real::ln((first + steps as f64) / first) / span }
                };
                (edge(rank), edge(rank + 1))
            }
            Axis::Ordinal { log: true, .. } => (axis.edge(rank as f64), axis.edge((rank + 1) as f64)),
            Axis::Real { .. } | Axis::Integer { .. } | Axis::Ordinal { .. } | Axis::Categorical { .. } => {
                (rank as f64 / count as f64, (rank + 1) as f64 / count as f64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::space::tests::parsed;
    use crate::space::{Domain, Param, Space};

    /// Bins follow on each other, and each holds what snaps to its value.
    #[test]
    fn bins_are_a_partition() {
        let params = [
            Param::integer(1, 9).log(),
            Param::integer(-4, 3),
            Param::categorical(5),
            Param::ordinal(&[1e-3, 0.5, 0.75, 20.0]).log(),
            Param::real(0.0, 1.0),
        ];
        let words = parsed(&Space::new(&params, &[]).unwrap());
        let domain = Domain::attach::<f64>(&words).unwrap();
        for i in 0..4 {
            let mut end = 0.0;
            for rank in 0..domain.count(i).unwrap() {
                let centre: f64 = domain.at_rank(i, rank);
                let (a, b) = domain.bin(i, centre);
                assert!((a - end).abs() < 1e-15 && a < centre && centre < b, "{i} {rank}");
                for inside in [a + 1e-9, b - 1e-9] {
                    assert_eq!(domain.rank(i, inside), rank);
                }
                end = b;
            }
            assert_eq!(end, 1.0);
        }
        assert_eq!(domain.bin(4, 0.3), (0.3, 0.3));
        assert_eq!(domain.bin(9, 0.3), (0.3, 0.3));
    }
}
