// Means of many small processes, the sources: a candidate a thread, a source per y. Rows are split over dispatches, with
// running sums in their buffer: software adapters end a thread's loops without a word after 65,535 rounds.
// tape: nodes, lists, hyperparameters of all sources; then first row, number of rows and offset of each; then all points, all weights.
@group(0) @binding(1) var<storage, read> tape: array<u32>;
@group(0) @binding(2) var<storage, read> shares: array<u32>; // of those that are asked: which source, its weight, its low
@group(0) @binding(3) var<storage, read> candidates: array<f32>;
@group(0) @binding(4) var<storage, read_write> sides: array<f32>;

const SHARE: u32 = 3u;
const PLACE: u32 = 3u;

var<private> point_a: u32;
var<private> point_b: u32;

fn at_a(k: u32) -> f32 {
    return bitcast<f32>(tape[point_a + k]);
}

fn at_b(k: u32) -> f32 {
    return candidates[point_b + k];
}

@compute @workgroup_size(64)
fn source_means(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= job.points {
        return;
    }
    let source = shares[SHARE * (job.first + group.y)];
    let places = job.theta + job.thetas * job.batch;
    let place = places + PLACE * source;
    let rows = tape[place + 1u];
    // `step` is the first of the rows of this dispatch, `keep` says how many they are at most.
    if job.step >= rows {
        return;
    }
    theta_from = job.theta + job.thetas * source;
    point_b = id.x * job.dims;
    let points = places + PLACE * job.batch;
    let weights = points + job.rows * job.dims;
    let last = min(job.step + job.keep, rows);
    var sum = 0.0;
    for (var i = job.step; i < last; i++) {
        let row = tape[place] + i;
        point_a = points + row * job.dims;
        sum += covariance() * bitcast<f32>(tape[weights + row]);
    }
    let at = group.y * job.points + id.x;
    if job.step == 0u {
        sides[at] = bitcast<f32>(tape[place + 2u]) + sum;
    } else {
        sides[at] += sum;
    }
}
