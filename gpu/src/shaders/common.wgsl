// What every dispatch is told.
struct Params {
    rows: u32,      // n, observations
    points: u32,    // m, candidates in the matrix
    dims: u32,      // d
    columns: u32,   // p, basis functions
    nodes: u32,     // of the kernel
    lists: u32,     // where the lists begin in the tape
    theta: u32,     // where the hyperparameters begin in the tape
    thetas: u32,    // how many there are
    step: u32,      // the block that is worked on, or the bits of the least variance of a score
    keep: u32,      // winners of a group
    rule: u32,      // of the acquisition, or the trend
    first: u32,     // the first candidate
    parameter: f32, // of the acquisition: margin, beta, order, temperature, noise
    best: f32,
    most: u32,      // the largest number there is
    batch: u32,     // hyperparameter sets
}
// Told twice. "job" stands for jobs[jobs[0].most >> 31], the second: a driver that knew where the numbers are would
// compile each shader anew for each of their values, which the software adapters do and never forget.
@group(0) @binding(0) var<uniform> jobs: array<Params, 2>;

// Rows of a block of a matrix.
const BLOCK: u32 = 32u;

fn packed(row: u32) -> u32 {
    return row * (row + 1u) / 2u;
}
