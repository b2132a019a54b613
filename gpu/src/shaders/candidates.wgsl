// Scrambled Sobol points on the device, the sequence of core to the bit (24 of them).
// table: per dimension whether it is padded, its key, and 32 direction numbers.
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> candidates: array<f32>;

const ENTRY: u32 = 34u;

fn scramble(bits: u32, key: u32) -> u32 {
    var x = reverseBits(bits);
    x ^= x * 0x3d20adeau;
    x += key;
    x *= (key >> 16u) | 1u;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return reverseBits(x);
}

@compute @workgroup_size(64)
fn sobol(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = id.x;
    let k = id.y;
    if c >= job.points {
        return;
    }
    let start = k * ENTRY;
    let key = table[start + 1u];
    var index = job.first + c;
    if table[start] != 0u {
        index = scramble(index, key ^ 0x5bd1e995u);
    }
    var bits = 0u;
    for (var i = 0u; i < 32u; i++) {
        if ((index >> i) & 1u) != 0u {
            bits ^= table[start + 2u + i];
        }
    }
    candidates[c * job.dims + k] = f32(scramble(bits, key) >> 8u) * 5.9604644775390625e-8;
}
