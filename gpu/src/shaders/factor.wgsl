// Blocked Cholesky of packed matrices, one per z: block columns from left to right, two dispatches each.
// 256 threads hold a block of 32 by 32, each a square of 2 by 2.
@group(0) @binding(1) var<storage, read_write> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> inverses: array<f32>; // of the diagonal blocks
@group(0) @binding(3) var<storage, read_write> broken: array<atomic<u32>>; // first row that is not positive, per z

const WIDE: u32 = 33u; // a row of a block in workgroup memory, odd
const DEEP: u32 = 16u; // columns that are multiplied at a time
var<workgroup> block: array<f32, 1056>;
var<workgroup> other: array<f32, 1056>;
var<workgroup> left: array<f32, 528>;
var<workgroup> right: array<f32, 528>;

fn entry(start: u32, row: u32, column: u32) -> f32 {
    if row >= job.rows || column > row {
        return 0.0;
    }
    return matrix[start + packed(row) + column];
}

// Block (i, j) less the products of the blocks to the left of it, into the thread's square.
fn remainder(start: u32, i: u32, j: u32, x: u32, y: u32, index: u32) -> vec4<f32> {
    let r = i * BLOCK + 2u * y;
    let c = j * BLOCK + 2u * x;
    var sum = vec4<f32>(entry(start, r, c), entry(start, r, c + 1u), entry(start, r + 1u, c), entry(start, r + 1u, c + 1u));
    let depth = j * BLOCK;
    for (var k = 0u; k < depth; k += DEEP) {
        workgroupBarrier();
        for (var t = index; t < BLOCK * DEEP; t += 256u) {
            let row = t / DEEP;
            let column = t % DEEP;
            left[column * WIDE + row] = entry(start, i * BLOCK + row, k + column);
            right[column * WIDE + row] = entry(start, j * BLOCK + row, k + column);
        }
        workgroupBarrier();
        for (var t = 0u; t < DEEP; t++) {
            let a = vec2<f32>(left[t * WIDE + 2u * y], left[t * WIDE + 2u * y + 1u]);
            let b = vec2<f32>(right[t * WIDE + 2u * x], right[t * WIDE + 2u * x + 1u]);
            sum -= vec4<f32>(a.x * b.x, a.x * b.y, a.y * b.x, a.y * b.y);
        }
    }
    return sum;
}

// L^-1 of the block in `block`, into `other`: a column per thread, forward substitution.
fn invert(index: u32) {
    if index < BLOCK {
        let c = index;
        for (var r = 0u; r < BLOCK; r++) {
            var sum = select(0.0, 1.0, r == c);
            for (var k = c; k < r; k++) {
                sum -= block[r * WIDE + k] * other[k * WIDE + c];
            }
            other[r * WIDE + c] = select(0.0, sum / block[r * WIDE + r], r >= c);
        }
    }
}

fn write_inverse(z: u32, i: u32, index: u32) {
    let blocks = (job.rows + BLOCK - 1u) / BLOCK;
    for (var t = index; t < BLOCK * BLOCK; t += 256u) {
        inverses[(z * blocks + i) * BLOCK * BLOCK + t] = other[(t / BLOCK) * WIDE + t % BLOCK];
    }
}

@compute @workgroup_size(16, 16)
fn factor_diagonal(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let start = group.z * packed(job.rows);
    let j = job.step;
    let sum = remainder(start, j, j, local.x, local.y, index);
    let x = 2u * local.x;
    let y = 2u * local.y;
    block[y * WIDE + x] = sum.x;
    block[y * WIDE + x + 1u] = sum.y;
    block[(y + 1u) * WIDE + x] = sum.z;
    block[(y + 1u) * WIDE + x + 1u] = sum.w;
    workgroupBarrier();
    // Rows behind the last are those of the identity.
    if index < BLOCK && j * BLOCK + index >= job.rows {
        block[index * WIDE + index] = 1.0;
    }
    workgroupBarrier();
    for (var c = 0u; c < BLOCK; c++) {
        let pivot = block[c * WIDE + c];
        workgroupBarrier();
        // Not "pivot <= 0": a NaN is no pivot either.
        let good = pivot > 0.0 && pivot < 3.4e38;
        if index == 0u && !good {
            atomicMin(&broken[group.z], j * BLOCK + c);
        }
        let root = sqrt(select(1.0, pivot, good));
        if index < BLOCK && index >= c {
            let value = block[index * WIDE + c];
            block[index * WIDE + c] = select(value / root, root, index == c);
        }
        workgroupBarrier();
        for (var t = index; t < BLOCK * BLOCK; t += 256u) {
            let row = t / BLOCK;
            let column = t % BLOCK;
            if column > c && row >= column {
                block[row * WIDE + column] -= block[row * WIDE + c] * block[column * WIDE + c];
            }
        }
        workgroupBarrier();
    }
    invert(index);
    workgroupBarrier();
    write_inverse(group.z, j, index);
    for (var t = index; t < BLOCK * BLOCK; t += 256u) {
        let row = t / BLOCK;
        let column = t % BLOCK;
        let r = j * BLOCK + row;
        if row >= column && r < job.rows {
            matrix[start + packed(r) + j * BLOCK + column] = block[row * WIDE + column];
        }
    }
}

@compute @workgroup_size(16, 16)
fn factor_panel(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let start = group.z * packed(job.rows);
    let j = job.step;
    let i = j + 1u + group.x;
    let sum = remainder(start, i, j, local.x, local.y, index);
    let x = 2u * local.x;
    let y = 2u * local.y;
    block[y * WIDE + x] = sum.x;
    block[y * WIDE + x + 1u] = sum.y;
    block[(y + 1u) * WIDE + x] = sum.z;
    block[(y + 1u) * WIDE + x + 1u] = sum.w;
    let blocks = (job.rows + BLOCK - 1u) / BLOCK;
    for (var t = index; t < BLOCK * BLOCK; t += 256u) {
        other[(t / BLOCK) * WIDE + t % BLOCK] = inverses[(group.z * blocks + j) * BLOCK * BLOCK + t];
    }
    workgroupBarrier();
    for (var t = index; t < BLOCK * BLOCK; t += 256u) {
        let row = t / BLOCK;
        let column = t % BLOCK;
        let r = i * BLOCK + row;
        var product = 0.0;
        for (var k = 0u; k <= column; k++) {
            product += block[row * WIDE + k] * other[column * WIDE + k];
        }
        if r < job.rows {
            matrix[start + packed(r) + j * BLOCK + column] = product;
        }
    }
}

// The inverses of the diagonal blocks of a factor that came from elsewhere: a block per group.
@compute @workgroup_size(16, 16)
fn invert_diagonal(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let j = group.x;
    for (var t = index; t < BLOCK * BLOCK; t += 256u) {
        let row = j * BLOCK + t / BLOCK;
        let column = j * BLOCK + t % BLOCK;
        let outside = row >= job.rows || column >= job.rows;
        let value = select(entry(0u, row, column), select(0.0, 1.0, row == column), outside);
        block[(t / BLOCK) * WIDE + t % BLOCK] = value;
    }
    workgroupBarrier();
    invert(index);
    workgroupBarrier();
    write_inverse(0u, j, index);
}
