// L V = K for many right-hand sides, a block of 32 rows per dispatch, from the first on:
//     V_i = L_ii^-1 (K_i - sum_{j<i} L_ij V_j)
// A group has 64 columns; each of its 256 threads holds 2 rows by 4 columns. Sides are rows of `points` numbers.
@group(0) @binding(1) var<storage, read> factor: array<f32>;
@group(0) @binding(2) var<storage, read> inverses: array<f32>;
@group(0) @binding(3) var<storage, read_write> sides: array<f32>;

const DEEP: u32 = 16u;
const COLUMNS: u32 = 64u;
var<workgroup> left: array<f32, 528>;   // DEEP columns of 32 rows of L, odd stride
var<workgroup> right: array<vec4<f32>, 256>; // DEEP rows of 64 columns of V
var<workgroup> block: array<vec4<f32>, 512>; // 32 rows of 64 columns

fn side(start: u32, row: u32, column: u32) -> f32 {
    if row >= job.rows || column >= job.points {
        return 0.0;
    }
    return sides[start + row * job.points + column];
}

fn side4(start: u32, row: u32, column: u32) -> vec4<f32> {
    return vec4<f32>(
        side(start, row, column),
        side(start, row, column + 1u),
        side(start, row, column + 2u),
        side(start, row, column + 3u),
    );
}

@compute @workgroup_size(16, 16)
fn solve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let triangle = group.z * packed(job.rows);
    let start = group.z * job.rows * job.points;
    let i = job.step;
    let r = i * BLOCK + 2u * local.y;
    let c = group.x * COLUMNS + 4u * local.x;
    var above = side4(start, r, c);
    var below = side4(start, r + 1u, c);
    let depth = i * BLOCK;
    for (var k = 0u; k < depth; k += DEEP) {
        workgroupBarrier();
        for (var t = index; t < BLOCK * DEEP; t += 256u) {
            let row = i * BLOCK + t / DEEP;
            var value = 0.0;
            if row < job.rows {
                value = factor[triangle + packed(row) + k + t % DEEP];
            }
            left[(t % DEEP) * 33u + t / DEEP] = value;
        }
        right[index] = side4(start, k + index / 16u, group.x * COLUMNS + 4u * (index % 16u));
        workgroupBarrier();
        for (var t = 0u; t < DEEP; t++) {
            let v = right[t * 16u + local.x];
            above -= left[t * 33u + 2u * local.y] * v;
            below -= left[t * 33u + 2u * local.y + 1u] * v;
        }
    }
    block[2u * local.y * 16u + local.x] = above;
    block[(2u * local.y + 1u) * 16u + local.x] = below;
    let blocks = (job.rows + BLOCK - 1u) / BLOCK;
    let inverse = (group.z * blocks + i) * BLOCK * BLOCK;
    var first = vec4<f32>(0.0);
    var next = vec4<f32>(0.0);
    for (var k = 0u; k < BLOCK; k += DEEP) {
        workgroupBarrier();
        for (var t = index; t < BLOCK * DEEP; t += 256u) {
            left[(t % DEEP) * 33u + t / DEEP] = inverses[inverse + (t / DEEP) * BLOCK + k + t % DEEP];
        }
        workgroupBarrier();
        // The inverse is a lower triangle: nothing is right of the diagonal. Threads of a row of the group stay together.
        if k <= 2u * local.y {
            let last = min(DEEP, 2u * local.y + 2u - k);
            for (var t = 0u; t < last; t++) {
                let v = block[(k + t) * 16u + local.x];
                first += left[t * 33u + 2u * local.y] * v;
                next += left[t * 33u + 2u * local.y + 1u] * v;
            }
        }
    }
    for (var t = 0u; t < 4u; t++) {
        if c + t < job.points {
            if r < job.rows {
                sides[start + r * job.points + c + t] = first[t];
            }
            if r + 1u < job.rows {
                sides[start + (r + 1u) * job.points + c + t] = next[t];
            }
        }
    }
}
