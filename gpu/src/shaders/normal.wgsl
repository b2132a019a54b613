// The normal distribution in single precision, its tails included.

// exp(x^2) erfc(x) for x >= 0, relative error 1.2e-7: Press et al., Numerical Recipes, section 6.2 (erfcc).
fn erfcx(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.5 * x);
    let p = -1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * (0.27886807
        + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
    return t * exp(p);
}

fn density(z: f32) -> f32 {
    return 0.3989422804014327 * exp(-0.5 * z * z);
}

fn distribution(z: f32) -> f32 {
    let tail = 0.5 * erfcx(abs(z) * 0.7071067811865476) * exp(-0.5 * z * z);
    return select(tail, 1.0 - tail, z > 0.0);
}

// h(z) / phi(z) for z < 0, h = phi + z Phi. Far out the difference would cancel: with Mills' ratio 1/(x + c),
// c = 1/(x + 2/(x + 3/(x + ...))), it is c/(x + c).
fn h_ratio(z: f32) -> f32 {
    let x = -z;
    if x < 2.0 {
        return 1.0 - x * 1.2533141373155001 * erfcx(x * 0.7071067811865476);
    }
    var c = 0.0;
    for (var k = 40.0; k >= 1.0; k -= 1.0) {
        c = k / (x + c);
    }
    return c / (x + c);
}

fn h(z: f32) -> f32 {
    if z < 0.0 {
        return density(z) * h_ratio(z);
    }
    return density(z) + z * distribution(z);
}

fn log_h(z: f32) -> f32 {
    if z < 0.0 {
        return -0.5 * z * z - 0.9189385332046727 + log(h_ratio(z));
    }
    return log(density(z) + z * distribution(z));
}

// log(Phi(z) / phi(z)) for z <= 0.
fn log_mills(z: f32) -> f32 {
    return 0.22579135264472744 + log(erfcx(-z * 0.7071067811865476));
}

// s^g E[max(z + x, 0)^g], x standard normal: Phi times the ratios of neighbouring moments, each times s. Above 0 they
// are taken upwards, below downwards from the asymptotic ratio number 32, so that nothing cancels.
fn generalised(z: f32, deviation: f32, order: u32) -> f32 {
    var product = distribution(z);
    if z > 0.0 {
        var ratio = h(z) / product;
        for (var k = 1u; k <= order; k++) {
            product *= deviation * ratio;
            ratio = z + f32(k) / ratio;
        }
        return product;
    }
    let a = -z;
    let q = sqrt(0.25 * a * a + 31.5);
    let b = a / q;
    let e = 1.0 / (q * q);
    var ratio = 31.5 / (q + 0.5 * a)
        + (0.125 * b + 0.0625 * e - e * (0.0390625 * b * b + 0.0703125 * b * e + 0.037109375 * e * e)) / q;
    for (var k = 31u; k >= 1u; k--) {
        ratio = f32(k) / (a + ratio);
        if k <= order {
            product *= deviation * ratio;
        }
    }
    return product;
}
