// A single stationary node, scaled or not: no stack, and the operation is known to the compiler.
fn covariance() -> f32 {
    let node = node_at(0u);
    var shape = 1.0;
    if has_shape(SINGLE) {
        shape = second(node, 0u);
    }
    let value = radial(SINGLE, squared_distance(node), shape);
    return select(value, value * natural(node.theta + job.thetas - 1u), job.nodes == 2u);
}
