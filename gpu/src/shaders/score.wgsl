// Sums over a candidate's column of cross-covariances: its mean before the solve, its variance after it.
// results: a row of m numbers each for mean, v.v, score, then one for each basis function.
@group(0) @binding(1) var<storage, read> sides: array<f32>;
@group(0) @binding(2) var<storage, read> model: array<f32>; // alpha, beta, normal, basis
@group(0) @binding(3) var<storage, read_write> results: array<f32>;

// Eight partial sums: the rounding of long sums grows with the length of the longest.
fn mean_sum(c: u32) -> f32 {
    var low = vec4<f32>(0.0);
    var high = vec4<f32>(0.0);
    var k = 0u;
    for (; k + 8u <= job.rows; k += 8u) {
        let at = k * job.points + c;
        let m = job.points;
        low += vec4<f32>(sides[at], sides[at + m], sides[at + 2u * m], sides[at + 3u * m])
            * vec4<f32>(model[k], model[k + 1u], model[k + 2u], model[k + 3u]);
        high += vec4<f32>(sides[at + 4u * m], sides[at + 5u * m], sides[at + 6u * m], sides[at + 7u * m])
            * vec4<f32>(model[k + 4u], model[k + 5u], model[k + 6u], model[k + 7u]);
    }
    var rest = 0.0;
    for (; k < job.rows; k++) {
        rest += sides[k * job.points + c] * model[k];
    }
    let sum = low + high;
    return (sum.x + sum.y) + (sum.z + sum.w) + rest;
}

@compute @workgroup_size(64)
fn mean(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < job.points {
        results[id.x] = mean_sum(id.x);
    }
}

// y = 0: v.v; y = 1 + k: the product of v with column k of the whitened basis.
@compute @workgroup_size(64)
fn reduce(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < job.points {
        reduce_one(id);
    }
}

fn reduce_one(id: vec3<u32>) {
    let c = id.x;
    let basis = job.rows + job.columns + packed(job.columns) + (max(id.y, 1u) - 1u) * job.rows;
    var sums = vec4<f32>(0.0);
    var k = 0u;
    for (; k + 4u <= job.rows; k += 4u) {
        let at = k * job.points + c;
        let m = job.points;
        let v = vec4<f32>(sides[at], sides[at + m], sides[at + 2u * m], sides[at + 3u * m]);
        if id.y == 0u {
            sums += v * v;
        } else {
            sums += v * vec4<f32>(model[basis + k], model[basis + k + 1u], model[basis + k + 2u], model[basis + k + 3u]);
        }
    }
    var rest = 0.0;
    for (; k < job.rows; k++) {
        let v = sides[k * job.points + c];
        if id.y == 0u {
            rest += v * v;
        } else {
            rest += v * model[basis + k];
        }
    }
    let row = select(2u + id.y, 1u, id.y == 0u);
    results[row * job.points + c] = (sums.x + sums.y) + (sums.z + sums.w) + rest;
}
