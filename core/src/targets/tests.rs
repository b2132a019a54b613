use super::{Scale, Transform, box_cox, yeo_johnson};
use crate::real::Real;
use crate::stats::normal;
use std::vec::Vec;

fn values() -> Vec<f64> {
    (0..40).map(|i| ((i * 17 % 40) as f64 / 7.0).exp()).collect()
}

#[test]
fn targets_have_zero_mean_and_unit_variance() {
    let all =
        [Transform::Standard, Transform::Power, Transform::Rank, Transform::BoxCox, Transform::YeoJohnson];
    for kind in all {
        let values = values();
        let mut targets = values.clone();
        kind.fit(&values, &mut targets);
        let mean = targets.iter().sum::<f64>() / 40.0;
        let variance = targets.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / 40.0;
        assert!(mean.abs() < 1e-12, "{kind:?} {mean}");
        assert!(
            (variance - 1.0).abs() < if kind == Transform::Rank { 0.1 } else { 1e-9 },
            "{kind:?} {variance}"
        );
    }
}

#[test]
fn inverse_undoes_forward_and_slope_is_its_derivative() {
    let values = values();
    let all =
        [Transform::None, Transform::Standard, Transform::Power, Transform::BoxCox, Transform::YeoJohnson];
    for kind in all {
        let mut targets = values.clone();
        let scale = kind.fit(&values, &mut targets);
        for (&y, &t) in values.iter().zip(&targets) {
            assert!((scale.inverse(t, &values) - y).abs() < 1e-9 * y.max(1.0), "{kind:?}");
            let h = 1e-5 * y;
            let slope = (scale.forward(y + h) - scale.forward(y - h)) / (2.0 * h);
            if y > 1.1 {
                assert!((scale.slope(y) / slope - 1.0).abs() < 1e-6, "{kind:?} {y}");
            }
        }
        assert_eq!(Scale::from_scalars(scale.to_scalars()), Some(scale));
    }
}

#[test]
fn the_power_undoes_the_power_that_made_the_values() {
    // A uniform sample in ψ has no better power than the one it was made with; look for it by brute force.
    let values: Vec<f64> = (1..200).map(|i| (0.05 * f64::from(i)).exp()).collect();
    let mut targets = values.clone();
    let scale = Transform::Power.fit(&values, &mut targets);
    let likelihood = |power: f64| {
        let bent: Vec<f64> = values.iter().map(|&y| Scale { power, ..scale }.bend(y)).collect();
        let mean = bent.iter().sum::<f64>() / 199.0;
        let variance = bent.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / 199.0;
        let z = values.iter().map(|&y| (1.0 + (y - scale.shift) / scale.spread).ln()).sum::<f64>();
        (power - 1.0) * z - 99.5 * variance.ln()
    };
    let best =
        (-100..=200).map(|i| f64::from(i) / 100.0).max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b)));
    assert!((scale.power - best.unwrap()).abs() < 0.011, "{} {best:?}", scale.power);
    assert!(scale.power < 0.5);
}

#[test]
fn extreme_values_stay_finite() {
    for values in [[1e-30f64, 1.0, 1e30, 2.0], [5.0; 4], [-1e300, 1e300, 0.0, 1e299], [0.0; 4]] {
        let all = [
            Transform::Standard,
            Transform::Power,
            Transform::Rank,
            Transform::BoxCox,
            Transform::YeoJohnson,
        ];
        for kind in all {
            let mut targets = values;
            kind.fit(&values, &mut targets);
            assert!(targets.iter().all(|t| t.is_finite()), "{kind:?} {values:?} {targets:?}");
        }
    }
}

/// λ and likelihood: `boxcox_llf` and `yeojohnson_llf` of scipy 1.17.1, maximised to 10⁻¹² by `minimize_scalar`; the
/// values are standardised first for the second.
#[test]
fn powers_agree_with_scipy() {
    let skewed = [0.031, 0.12, 0.27, 0.44, 0.9, 1.3, 1.7, 2.6, 4.9, 7.7, 13.0, 41.5];
    let signed = [-7.5, -3.1, -2.2, -1.4, -0.8, -0.35, -0.1, 0.2, 0.25, 0.4, 0.55, 0.6];
    let wide = [-2.0, -1.9, -1.1, -0.3, 0.2, 1.5, 3.0, 8.0, 21.0, 60.0, 75.0, 200.0];
    let inverse: Vec<f64> = (0..12).map(f64::from).map(|i| 1.0 / (0.2 + 0.11 * i + 0.01 * i * i)).collect();
    let cases: [(&[f64], Transform, f64); 6] = [
        (&skewed, Transform::BoxCox, 0.042_273_279_818_598_28),
        (&inverse, Transform::BoxCox, -0.411_956_663_682_064_24),
        (&skewed, Transform::YeoJohnson, -1.574_662_682_208_313),
        (&inverse, Transform::YeoJohnson, -0.541_357_156_819_202),
        (&signed, Transform::YeoJohnson, 2.622_354_590_031_638),
        (&wide, Transform::YeoJohnson, -1.476_908_303_446_343_5),
    ];
    for (values, kind, power) in cases {
        let mut targets = [0.0; 12];
        let scale = kind.fit(values, &mut targets);
        // The summit is flat: √ε of its width is what a search by values can tell.
        assert!((scale.power - power).abs() < 1e-6, "{kind:?} {} {power}", scale.power);
        assert_eq!(scale.kind, kind);
    }
    // ψ itself: `yeojohnson` of the first three standardised values at that λ.
    let mut targets = [0.0; 12];
    let scale = Transform::YeoJohnson.fit(&signed, &mut targets);
    for (y, bent) in
        signed.iter().zip([-0.914_662_888_327_121_1, -0.525_764_921_815_120_4, -0.350_797_710_190_166_15])
    {
        assert!((scale.bend_log(scale.log_of(*y)) - bent).abs() < 1e-6);
    }
    // Values of both signs have no power of their own.
    assert_eq!(Transform::BoxCox.fit(&signed, &mut targets), scale);
}

#[test]
fn powers_that_made_the_values_are_recovered() {
    // Quantiles instead of draws: the only error left is that of the finite sample's tails.
    let normals: Vec<f64> = (0..2000).map(|i| normal::quantile((f64::from(i) + 0.5) / 2000.0)).collect();
    for power in [-1.5, -0.5, 0.0, 0.5, 2.0] {
        // ψ stays within its range: |λψ| < 4·0.2.
        let spread = if power == 0.0 { 0.8 } else { 0.2 / f64::abs(power) };
        let values: Vec<f64> =
            normals.iter().map(|z| 7.0 * box_cox::unbend(spread * z, power).exp()).collect();
        let mut targets = values.clone();
        let scale = Transform::BoxCox.fit(&values, &mut targets);
        assert!((scale.power - power).abs() < 0.01, "{power} {}", scale.power);
        for (target, z) in targets.iter().zip(&normals) {
            assert!((target - z).abs() < 0.02, "{power} {target} {z}");
        }
    }
    for power in [0.0, 0.6, 1.0, 1.7] {
        let values: Vec<f64> = normals
            .iter()
            .map(|z| {
                let log: f64 = yeo_johnson::unbend(*z, power);
                if log < 0.0 { -(-log).exp_m1() } else { log.exp_m1() }
            })
            .collect();
        let mut targets = values.clone();
        let scale = Transform::YeoJohnson.fit(&values, &mut targets);
        let skew = |v: &[f64]| v.iter().map(|t| t.powi(3)).sum::<f64>() / v.len() as f64;
        // Standardised first, the values are of the family only nearly; what is left is little.
        let mut straight = values.clone();
        Transform::Standard.fit(&values, &mut straight);
        assert!(skew(&targets).abs() < 0.35, "{power} {} {}", scale.power, skew(&targets));
        assert!(power == 1.0 || skew(&targets).abs() < skew(&straight).abs(), "{power}");
    }
}

fn monotone<R: Real>() {
    let values: Vec<R> = (0..40).map(|i| R::of(((i * 17 % 40) as f64 / 7.0).exp())).collect();
    for kind in [Transform::BoxCox, Transform::YeoJohnson] {
        let mut targets = values.clone();
        let scale = kind.fit(&values, &mut targets);
        let mut before = -R::INFINITY;
        for i in -400..4000 {
            let y = R::of(f64::from(i) / 4.0);
            let target = scale.forward(y);
            assert!(target >= before && target.is_finite(), "{kind:?} {y}");
            before = target;
        }
        // Beyond the data, and beyond the range of ψ, all is finite and in order.
        let mut before = -R::INFINITY;
        for t in [-1e30, -1e6, -1e3, -10.0, -3.0, 0.0, 3.0, 10.0, 1e3, 1e6, 1e30] {
            let y = scale.inverse(R::of(t), &values);
            assert!(y.is_finite() && y >= before, "{kind:?} {t} {y}");
            before = y;
            let slope = scale.slope(y);
            assert!(slope.is_finite() && slope > R::ZERO, "{kind:?} {t} {slope}");
        }
        for y in [R::MAX, -R::MAX, R::ZERO, R::MIN_POSITIVE] {
            assert!(scale.forward(y).is_finite() && scale.slope(y) > R::ZERO && scale.slope(y).is_finite());
        }
    }
}

#[test]
fn learnt_powers_are_monotone_and_safe_at_the_ends() {
    monotone::<f64>();
    monotone::<f32>();
    for code in 0..6 {
        assert_eq!(Transform::from_code(code).unwrap().code(), code);
    }
    assert_eq!(Transform::from_code(6), None);
}
