//! One small problem with every kind of parameter.

use super::Mixed;
use infill::Param;

/// π of the first category.
const PLACES: [f64; 8] = [3.0, 7.0, 0.0, 5.0, 2.0, 6.0, 1.0, 4.0];

/// Two reals, two whole numbers and two categories that move where the numbers should be.
///
/// ```text
/// f = 4(x − (π_c + 1)/9)² + 4(y − (e + 1)/6)² + (i − π_c)²/20 + |j − 2e|/10 + 0.2π_c + 0.3((2e + 1) mod 5)
/// x, y ∈ [0, 1], i, j ∈ {0 … 9}, c of 8 and e of 5 categories, π = (3, 7, 0, 5, 2, 6, 1, 4)
/// ```
///
/// In the order x, y, i, j, c, e. Minimum 0.
pub fn kinds() -> Mixed {
    let unit = Param::real(0.0, 1.0);
    let digit = Param::integer(0, 9);
    let function = |p: &[f64]| {
        let (x, y, i, j, e) = (p[0], p[1], p[2], p[3], p[5]);
        let place = PLACES[p[4] as usize];
        4.0 * (x - (place + 1.0) / 9.0).powi(2)
            + 4.0 * (y - (e + 1.0) / 6.0).powi(2)
            + (i - place).powi(2) / 20.0
            + (j - 2.0 * e).abs() / 10.0
            + 0.2 * place
            + 0.3 * ((2.0 * e + 1.0) % 5.0)
    };
    Mixed {
        name: "kinds".into(),
        params: vec![unit, unit, digit, digit, Param::categorical(8), Param::categorical(5)],
        conditions: Vec::new(),
        branches: 0,
        minimum: 0.0,
        minimiser: vec![1.0 / 9.0, 0.5, 0.0, 4.0, 2.0, 2.0],
        function: Box::new(function),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_is_zero_and_the_only_one() {
        let problem = kinds();
        assert_eq!(problem.value(&problem.minimiser), 0.0);
        // The best of each pair of categories, with the numbers where they should be.
        let mut lowest = Vec::new();
        for (c, place) in PLACES.into_iter().enumerate() {
            for e in 0..5 {
                let x =
                    [(place + 1.0) / 9.0, (e as f64 + 1.0) / 6.0, place, 2.0 * e as f64, c as f64, e as f64];
                lowest.push(problem.value(&x));
            }
        }
        lowest.sort_unstable_by(f64::total_cmp);
        assert!(lowest[0] == 0.0 && (lowest[1] - 0.2).abs() < 1e-12, "{lowest:?}");
    }

    #[test]
    fn a_value_by_hand() {
        // π = 7, e = 1: 4(0 − 8/9)² + 4(1 − 1/3)² + (9 − 7)²/20 + |0 − 2|/10 + 1.4 + 0.3·3
        let by_hand = 4.0 * 64.0 / 81.0 + 16.0 / 9.0 + 0.2 + 0.2 + 1.4 + 0.9;
        assert!((kinds().value(&[0.0, 1.0, 9.0, 0.0, 1.0, 1.0]) - by_hand).abs() < 1e-12);
    }
}
