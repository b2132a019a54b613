// The best `keep` of 256 scores per group, the largest first; of equals the earlier one.
// A pair is a score and the number of its candidate; what is missing has the number NONE.
const NONE: u32 = 0xffffffffu;
@group(0) @binding(1) var<storage, read> scores: array<u32>;
@group(0) @binding(2) var<storage, read_write> winners: array<vec2<u32>>;

var<workgroup> value: array<f32, 256>;
var<workgroup> number: array<u32, 256>;
var<workgroup> best_value: array<f32, 256>;
var<workgroup> best_place: array<u32, 256>;

fn rank(group: u32, index: u32) {
    for (var k = 0u; k < job.keep; k++) {
        best_value[index] = value[index];
        best_place[index] = index;
        workgroupBarrier();
        for (var half = 128u; half > 0u; half /= 2u) {
            if index < half {
                let a = best_value[index];
                let b = best_value[index + half];
                let first = number[best_place[index]];
                let second = number[best_place[index + half]];
                if b > a || (b == a && second < first) {
                    best_value[index] = b;
                    best_place[index] = best_place[index + half];
                }
            }
            workgroupBarrier();
        }
        if index == 0u {
            let place = best_place[0];
            winners[group * job.keep + k] = vec2<u32>(bitcast<u32>(best_value[0]), number[place]);
            value[place] = -3.4028235e38;
            number[place] = NONE;
        }
        workgroupBarrier();
    }
}

// From the scores of the candidates from `first` on; `step` is where they begin.
@compute @workgroup_size(256)
fn top_of_scores(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let c = group.x * 256u + index;
    let inside = c < job.points;
    value[index] = select(-3.4028235e38, bitcast<f32>(scores[job.step + min(c, job.points - 1u)]), inside);
    number[index] = select(NONE, job.first + c, inside);
    workgroupBarrier();
    rank(job.rule + group.x, index);
}

// From pairs, `points` of them.
@compute @workgroup_size(256)
fn top_of_winners(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let c = group.x * 256u + index;
    let inside = c < job.points;
    let place = 2u * min(c, job.points - 1u);
    value[index] = select(-3.4028235e38, bitcast<f32>(scores[place]), inside);
    number[index] = select(NONE, scores[place + 1u], inside);
    workgroupBarrier();
    rank(group.x, index);
}
