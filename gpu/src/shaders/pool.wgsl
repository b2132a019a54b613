// What becomes of the means of several sources at a candidate: a candidate a thread. `step` sources, of which the first is number
// `first` of those that are asked.
@group(0) @binding(1) var<storage, read> shares: array<u32>; // which source, its weight, its low
@group(0) @binding(2) var<storage, read> sides: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;

const SHARE: u32 = 3u;

fn pooled(low: f32, mean: f32) -> f32 {
    switch job.rule {
        case POOL_MEAN: {
            return low + job.parameter * mean;
        }
        case POOL_GAIN: {
            return max(low - mean, 0.0);
        }
        case POOL_LEAST: {
            return min(low, mean);
        }
        default: {
            // Not a number: all bits of the largest number there is.
            return bitcast<f32>(job.most);
        }
    }
}

@compute @workgroup_size(64)
fn pool(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= job.points {
        return;
    }
    var sum = 0.0;
    for (var s = 0u; s < job.step; s++) {
        let share = SHARE * (job.first + s);
        let mean = sides[s * job.points + id.x];
        sum += bitcast<f32>(shares[share + 1u]) * pooled(bitcast<f32>(shares[share + 2u]), mean);
    }
    if job.first == 0u {
        results[id.x] = sum;
    } else {
        results[id.x] += sum;
    }
}
