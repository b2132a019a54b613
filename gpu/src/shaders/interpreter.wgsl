// Any tape, by a stack; the tape was checked on the CPU: at most 24 nodes, eight values deep.
fn covariance() -> f32 {
    var stack: array<f32, 8>;
    var height = 0u;
    for (var i = 0u; i < job.nodes; i++) {
        let node = node_at(i);
        if node.op == OP_SUM {
            height -= 1u;
            stack[height - 1u] += stack[height];
        } else if node.op == OP_PRODUCT {
            height -= 1u;
            stack[height - 1u] *= stack[height];
        } else if node.op == OP_SCALE {
            stack[height - 1u] *= natural(node.theta);
        } else {
            stack[height] = leaf(node);
            height += 1u;
        }
    }
    return stack[0];
}
