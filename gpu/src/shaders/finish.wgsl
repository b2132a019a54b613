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
    // The floor of core: 2^20 times the root of the smallest normal number.
    let floored = max(deviation, 1.1368684e-13);
    switch job.rule {
        case RULE_PROBABILITY: {
            let gain = job.best - job.parameter - mean;
            if is_certain(gain, deviation) {
                return select(select(0.0, 0.5, gain == 0.0), 1.0, gain > 0.0);
            }
            return distribution(gain / deviation);
        }
        case RULE_IMPROVEMENT: {
            return improvement(job.best - job.parameter - mean, deviation, 1.0);
        }
        case RULE_LOG_IMPROVEMENT: {
            let gain = job.best - job.parameter - mean;
            return clamp(log(floored) + log_h(gain / floored), -highest, highest);
        }
        case RULE_BOUND: {
            return clamp(job.parameter * deviation - mean, -highest, highest);
        }
        case RULE_GENERALISED: {
            let gain = job.best - mean;
            let order = u32(clamp(job.parameter, 0.0, MAX_ORDER));
            return min(generalised_gain(gain, deviation, is_certain(gain, deviation), order), highest);
        }
        case RULE_LOG_MGF: {
            return clamp(log_mgf(job.best - mean, floored, job.parameter), -highest, highest);
        }
        case RULE_DEVIATION: {
            return min(deviation, highest);
        }
        case RULE_NOISY: {
            return improvement(job.best - mean, deviation, learnt(deviation));
        }
        default: {
            return unknown();
        }
    }
}

// Without a deviation the gain is certain.
fn is_certain(gain: f32, deviation: f32) -> bool {
    return deviation <= 0.0 || abs(gain) > 1e18 * deviation;
}

fn improvement(gain: f32, deviation: f32, share: f32) -> f32 {
    if is_certain(gain, deviation) {
        return share * max(gain, 0.0);
    }
    return share * deviation * h(gain / deviation);
}

// The moment-generating function of improvement. Where z + t s is below 0 its squares would cancel.
fn log_mgf(gain: f32, deviation: f32, temperature: f32) -> f32 {
    let z = gain / deviation;
    let tilted = z + temperature * deviation;
    if tilted > 0.0 {
        return log(distribution(tilted)) + temperature * (gain - 1.0 + 0.5 * temperature * deviation * deviation);
    }
    return -0.5 * z * z - 0.9189385332046727 + log_mills(tilted) - temperature;
}

fn generalised_gain(gain: f32, deviation: f32, certain: bool, order: u32) -> f32 {
    if !certain {
        return generalised(gain / deviation, deviation, order);
    }
    if order == 0u {
        return select(select(0.0, 0.5, gain == 0.0), 1.0, gain > 0.0);
    }
    var product = 1.0;
    for (var k = 0u; k < order; k++) {
        product *= max(gain, 0.0);
    }
    return product;
}

// The share of the deviation that a trial with this noise would remove: 1 - r/sqrt(1 + r^2), r = noise/deviation.
fn learnt(deviation: f32) -> f32 {
    if job.parameter <= 0.0 {
        return 1.0;
    }
    if job.parameter > 1e9 * deviation {
        let inverse = deviation / job.parameter;
        return 0.5 * inverse * inverse;
    }
    let r = job.parameter / deviation;
    let w = sqrt(1.0 + r * r);
    return 1.0 / (w * (w + r));
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
