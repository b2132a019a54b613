// After the solve: products of all pairs of sides, a pair per y, and half the log determinant, per set z.
@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read> sides: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<f32>;

var<workgroup> parts: array<f32, 64>;

@compute @workgroup_size(64)
fn products(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let pairs = packed(job.points);
    let start = group.z * job.rows * job.points;
    // Pair number y of the lower triangle, the log determinant last.
    var row = 0u;
    while row < job.points && packed(row + 1u) <= group.y {
        row += 1u;
    }
    let column = group.y - packed(row);
    var sum = 0.0;
    for (var k = index; k < job.rows; k += 64u) {
        if group.y == pairs {
            sum += log(matrix[group.z * packed(job.rows) + packed(k) + k]);
        } else {
            sum += sides[start + k * job.points + row] * sides[start + k * job.points + column];
        }
    }
    parts[index] = sum;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if index < half {
            parts[index] += parts[index + half];
        }
        workgroupBarrier();
    }
    if index == 0u {
        results[group.z * (pairs + 1u) + group.y] = parts[0];
    }
}
