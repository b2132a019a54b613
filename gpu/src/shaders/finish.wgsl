// The acquisition of each candidate from its sums: the trend, the prior variance, the closed form.
@group(0) @binding(1) var<storage, read> tape: array<u32>;
@group(0) @binding(2) var<storage, read> candidates: array<f32>;
@group(0) @binding(3) var<storage, read> model: array<f32>; // alpha, beta, normal, basis
@group(0) @binding(4) var<storage, read_write> results: array<f32>; // mean, variance, score, basis products

const UNSURE: f32 = 3.4028234e38;

var<private> candidate: u32;

fn at_a(k: u32) -> f32 {
    return candidates[candidate * job.dims + k];
}

fn at_b(k: u32) -> f32 {
    return candidates[candidate * job.dims + k];
}

// Basis function number `column` of the trend: 1, x, then products in the order of the upper triangle.
fn basis(column: u32) -> f32 {
    if column == 0u {
        return 1.0;
    }
    if column <= job.dims {
        return at_a(column - 1u);
    }
    var rest = column - 1u - job.dims;
    var k = 0u;
    while k < job.dims && rest >= job.dims - k {
        rest -= job.dims - k;
        k += 1u;
    }
    return at_a(k) * at_a(k + rest);
}

fn score(mean: f32, deviation: f32) -> f32 {
    let highest = 3.4028234e38;
    if job.rule == RULE_BOUND {
        return clamp(job.parameter * deviation - mean, -highest, highest);
    }
    let gain = job.best - job.parameter - mean;
    if job.rule == RULE_LOG_IMPROVEMENT {
        // The floor of core: 2^20 times the root of the smallest normal number.
        let floored = max(deviation, 1.1368684e-13);
        return clamp(log(floored) + log_h(gain / floored), -highest, highest);
    }
    // Without a deviation the gain is certain.
    let certain = deviation <= 0.0 || abs(gain) > 1e18 * deviation;
    if job.rule == RULE_PROBABILITY {
        if certain {
            return select(select(0.0, 0.5, gain == 0.0), 1.0, gain > 0.0);
        }
        return distribution(gain / deviation);
    }
    if certain {
        return max(gain, 0.0);
    }
    return deviation * h(gain / deviation);
}

@compute @workgroup_size(64)
fn finish(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < job.points {
        finish_one(id.x);
    }
}

fn finish_one(c: u32) {
    let m = job.points;
    candidate = c;
    theta_from = job.theta;
    var mean = results[c];
    var variance = covariance() - results[m + c];
    // u = h - G'v, then L_A^-1 u, in the places of the products.
    for (var i = 0u; i < job.columns; i++) {
        let value = basis(i);
        mean += value * model[job.rows + i];
        var u = value - results[(3u + i) * m + c];
        let row = job.rows + job.columns + packed(i);
        for (var k = 0u; k < i; k++) {
            u -= model[row + k] * results[(3u + k) * m + c];
        }
        u /= model[row + i];
        results[(3u + i) * m + c] = u;
        variance += u * u;
    }
    variance = max(variance, 0.0);
    results[c] = mean;
    results[m + c] = variance;
    // What is next to nothing has no digits left: such a candidate is the CPU's.
    results[2u * m + c] = select(score(mean, sqrt(variance)), UNSURE, variance < bitcast<f32>(job.step));
}
