//! The warping by the beta distribution agrees with scipy at every stored point.

use infill::Warp;
use infill::gp::warp::LEAST;
use infill::stats::beta::regularized;
use infill_tests::oracle::load;

/// What the error statement of the distribution function allows, relative to the smaller of I and 1 − I.
fn stated(a: f64, b: f64) -> f64 {
    (64.0 + 8.0 * (a + b) * (a + b).ln().abs()) * f64::EPSILON
}

#[test]
fn the_beta_warp_matches_scipy() {
    let oracle = load("scipy_beta_warp");
    let x = oracle.case("x").numbers("x");
    let cases = oracle.with("cdf");
    assert_eq!((x.len(), cases.len()), (21, 5));
    for case in cases {
        let (a, b) = (case.number("a"), case.number("b"));
        let (cdf, pdf) = (case.numbers("cdf"), case.numbers("pdf"));
        assert_eq!((cdf.len(), pdf.len()), (x.len(), x.len()), "{}", case.name());
        for ((&u, &w), &slope) in x.iter().zip(&cdf).zip(&pdf) {
            let it = Warp::Beta.slopes(u, a, b);
            assert_eq!(it.value, Warp::Beta.forward(u, a, b), "{} {u}", case.name());
            let off = (it.value - w).abs();
            assert!(off < 1e-10, "{} {u}: {} {w}", case.name(), it.value);
            // Scipy's own rounding, and that of its 1 − I.
            let allowed = stated(a, b) * w.min(1.0 - w) + 4.0 * f64::EPSILON * w;
            assert!(off <= allowed, "{} {u}: {} {w} {allowed:e}", case.name(), it.value);
            if u > 0.0 && u < 1.0 {
                assert!((it.by_u - slope).abs() < 1e-10, "{} {u}: {} {slope}", case.name(), it.by_u);
            } else {
                // The ends: none of the shapes moves them, and a pole is cut off.
                assert_eq!((it.value, it.by_first, it.by_second), (u, 0.0, 0.0), "{} {u}", case.name());
                let end = regularized(u, a, b).by_x;
                if slope.is_finite() {
                    assert!((end - slope).abs() < 1e-10, "{} {u}: {end} {slope}", case.name());
                    // Ours is one rounding inside, where none of these densities has come to 10⁻⁶.
                    assert!((it.by_u - slope).abs() < 1e-6, "{} {u}: {} {slope}", case.name(), it.by_u);
                } else {
                    assert_eq!(end, f64::MAX, "{} {u}", case.name());
                    assert!(it.by_u.is_finite() && it.by_u > 1e3, "{} {u}: {}", case.name(), it.by_u);
                }
            }
        }
    }
}

/// In the stored points by the shapes: differences of four points of our own values, which the test above checks.
#[test]
fn slopes_by_the_shapes_are_those_of_the_values() {
    let oracle = load("scipy_beta_warp");
    for case in oracle.with("cdf") {
        let (a, b) = (case.number("a"), case.number("b"));
        assert!(a.min(b) > 2.0 * LEAST);
        for u in oracle.case("x").numbers("x") {
            let it = Warp::Beta.slopes(u, a, b);
            let h = 1e-3;
            let along =
                |f: &dyn Fn(f64) -> f64| (8.0 * (f(h) - f(-h)) - f(2.0 * h) + f(-2.0 * h)) / (12.0 * h);
            let first = along(&|step| Warp::Beta.forward(u, a * step.exp(), b));
            let second = along(&|step| Warp::Beta.forward(u, a, b * step.exp()));
            assert!((it.by_first - first).abs() < 1e-10, "{} {u}: {} {first}", case.name(), it.by_first);
            assert!((it.by_second - second).abs() < 1e-10, "{} {u}: {} {second}", case.name(), it.by_second);
        }
    }
}
