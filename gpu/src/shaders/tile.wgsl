// Sixteen points of each side in workgroup memory, their coordinates one after the other.
// An odd stride keeps neighbours in different banks.
const SIDE: u32 = 16u;
const MOST_DIMS: u32 = 64u;
var<workgroup> tile_a: array<f32, 1040>;
var<workgroup> tile_b: array<f32, 1040>;
var<private> row_a: u32;
var<private> row_b: u32;

fn at_a(k: u32) -> f32 {
    return tile_a[row_a + k];
}

fn at_b(k: u32) -> f32 {
    return tile_b[row_b + k];
}

fn stride() -> u32 {
    return job.dims | 1u;
}
