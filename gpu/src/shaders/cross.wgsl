// k(x_i, point_c) into row i, column c of the matrix of n by m: neighbours write neighbours.
@group(0) @binding(1) var<storage, read> tape: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<f32>;
@group(0) @binding(3) var<storage, read> candidates: array<f32>;
@group(0) @binding(4) var<storage, read_write> sides: array<f32>;

@compute @workgroup_size(16, 16)
fn cross_covariance(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let rows = job.rows * job.dims;
    let points = job.points * job.dims;
    for (var t = index; t < SIDE * job.dims; t += 256u) {
        let place = (t / job.dims) * stride() + t % job.dims;
        let a = group.y * SIDE * job.dims + t;
        let b = group.x * SIDE * job.dims + t;
        tile_a[place] = select(0.0, inputs[min(a, rows - 1u)], a < rows);
        tile_b[place] = select(0.0, candidates[min(b, points - 1u)], b < points);
    }
    workgroupBarrier();
    let i = group.y * SIDE + local.y;
    let c = group.x * SIDE + local.x;
    if i < job.rows && c < job.points {
        row_a = local.y * stride();
        row_b = local.x * stride();
        theta_from = job.theta;
        sides[i * job.points + c] = covariance();
    }
}
