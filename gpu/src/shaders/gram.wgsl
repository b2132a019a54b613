// The packed lower triangle of k(x_i, x_j): a tile of 16 by 16 pairs per workgroup, one set of hyperparameters per z.
@group(0) @binding(1) var<storage, read> tape: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<f32>;
@group(0) @binding(3) var<storage, read_write> matrix: array<f32>;

@compute @workgroup_size(16, 16)
fn gram(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    // Tiles above the diagonal have nothing to do; the whole group leaves together.
    if group.x > group.y {
        return;
    }
    let last = job.rows * job.dims;
    for (var t = index; t < SIDE * job.dims; t += 256u) {
        let place = (t / job.dims) * stride() + t % job.dims;
        let a = group.y * SIDE * job.dims + t;
        let b = group.x * SIDE * job.dims + t;
        tile_a[place] = select(0.0, inputs[min(a, last - 1u)], a < last);
        tile_b[place] = select(0.0, inputs[min(b, last - 1u)], b < last);
    }
    workgroupBarrier();
    let i = group.y * SIDE + local.y;
    let j = group.x * SIDE + local.x;
    if i < job.rows && j <= i {
        row_a = local.y * stride();
        row_b = local.x * stride();
        theta_from = job.theta + group.z * job.thetas;
        matrix[group.z * packed(job.rows) + packed(i) + j] = covariance();
    }
}
