// The objective of training for many sets of hyperparameters, z of them: noise on the diagonals, the targets and the
// basis as right-hand sides, and after the solve all their products and the logarithms of the diagonals.
@group(0) @binding(1) var<storage, read> tape: array<u32>;
@group(0) @binding(2) var<storage, read> model: array<f32>; // known variances, then the sides, row after row
@group(0) @binding(3) var<storage, read_write> matrix: array<f32>;
@group(0) @binding(4) var<storage, read_write> sides: array<f32>;

// The noise variance stands behind the hyperparameters of the kernel.
@compute @workgroup_size(64)
fn noise(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < job.rows {
        let variance = bitcast<f32>(tape[job.theta + job.thetas * job.batch + id.z]);
        matrix[id.z * packed(job.rows) + packed(id.x) + id.x] += variance + model[id.x];
    }
}

@compute @workgroup_size(64)
fn spread(@builtin(global_invocation_id) id: vec3<u32>) {
    let all = job.rows * job.points;
    if id.x < all {
        sides[id.z * all + id.x] = model[job.rows + id.x];
    }
}
