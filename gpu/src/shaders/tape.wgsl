// The kernel tape of core: nodes of four words in postfix order, lists of coordinates, natural hyperparameters.
// A shader that includes this defines at_a(k) and at_b(k), the coordinates of the pair.

var<private> theta_from: u32;

fn natural(index: u32) -> f32 {
    return bitcast<f32>(tape[theta_from + index]);
}

struct Node {
    op: u32,
    ard: bool,
    list: bool,
    bias: bool,
    degree: u32,
    theta: u32,
    first: u32,
    len: u32,
}

fn node_at(index: u32) -> Node {
    let front = tape[4u * index];
    let place = tape[4u * index + 1u];
    let span = tape[4u * index + 2u];
    var node: Node;
    node.op = front & 0xffu;
    node.ard = (front & 0x100u) != 0u;
    node.list = (front & 0x200u) != 0u;
    node.bias = (front & 0x400u) != 0u;
    node.degree = front >> 16u;
    node.theta = place & 0xffffu;
    node.first = span & 0xffffu;
    node.len = span >> 16u;
    return node;
}

fn dim_of(node: Node, i: u32) -> u32 {
    let entry = node.first + i;
    if !node.list {
        return entry;
    }
    return (tape[job.lists + entry / 2u] >> (16u * (entry % 2u))) & 0xffffu;
}

fn slot(node: Node, i: u32) -> f32 {
    return natural(node.theta + select(0u, i, node.ard));
}

// The second parameter: a period or radius per dimension, else a shape or bias.
fn second(node: Node, i: u32) -> f32 {
    let skip = select(1u, node.len, node.ard);
    let within = select(0u, i, node.ard && has_second_per_dimension(node.op));
    return natural(node.theta + skip + within);
}

// The adapter's own sine may be off by 2^-11; these are polynomials on a quarter of a turn, 2e-7.
fn sin_turn(t: f32) -> f32 {
    // sin(2 pi t): fold to a quarter turn.
    var r = t - round(t);
    if r > 0.25 {
        r = 0.5 - r;
    } else if r < -0.25 {
        r = -0.5 - r;
    }
    let x = 6.2831853071795865 * r;
    let q = x * x;
    return x * (1.0 + q * (-0.16666667 + q * (0.0083333333 + q * (-0.00019841269 + q * (2.7557319e-6 - q * 2.5052108e-8)))));
}

// Cephes' asinf: polynomial below one half, its reflection above.
fn arcsine(x: f32) -> f32 {
    let a = min(abs(x), 1.0);
    let high = a > 0.5;
    let z = select(a * a, 0.5 * (1.0 - a), high);
    let s = select(a, sqrt(z), high);
    let p = ((((4.2163199048e-2 * z + 2.4181311049e-2) * z + 4.5470025998e-2) * z + 7.4953002686e-2) * z
        + 1.6666752422e-1) * z * s + s;
    let angle = select(p, 1.5707963267948966 - 2.0 * p, high);
    return select(angle, -angle, x < 0.0);
}

fn squared_distance(node: Node) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < node.len; i++) {
        let k = dim_of(node, i);
        let t = (at_a(k) - at_b(k)) / slot(node, i);
        sum += t * t;
    }
    return min(sum, 1e30);
}

// What no shader knows is not a number: no value could be told from a covariance.
fn unknown() -> f32 {
    // All bits of the largest number there is; a constant would be refused.
    return bitcast<f32>(job.most);
}

fn radial(op: u32, q: f32, shape: f32) -> f32 {
    switch op {
        case OP_SQUARED_EXPONENTIAL: {
            return exp(-0.5 * q);
        }
        case OP_MATERN12: {
            return exp(-sqrt(q));
        }
        case OP_MATERN32: {
            let s = 1.7320508075688772 * sqrt(q);
            return (1.0 + s) * exp(-s);
        }
        case OP_MATERN52: {
            let s = 2.23606797749979 * sqrt(q);
            return (1.0 + s + s * s * 0.33333333333) * exp(-s);
        }
        case OP_RATIONAL_QUADRATIC: {
            let part = q / (2.0 * shape);
            return exp(-shape * log_1p(part));
        }
        case OP_GAMMA_EXPONENTIAL: {
            if q <= 0.0 {
                return 1.0;
            }
            return exp(-exp(0.5 * min(shape, 2.0) * log(q)));
        }
        default: {
            return unknown();
        }
    }
}

// ln(1 + x) for x >= 0 without losing a small x; the quotient corrects the rounding of 1 + x.
fn log_1p(x: f32) -> f32 {
    if x < 1e-4 {
        return x - 0.5 * x * x;
    }
    return log(1.0 + x);
}

// Points on circles; a negative coordinate is in the centre. The degree is the profile.
fn arc(node: Node) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < node.len; i++) {
        let k = dim_of(node, i);
        let a = at_a(k);
        let b = at_b(k);
        var chord = 0.0;
        if a >= 0.0 && b >= 0.0 {
            // Half of the angle, in turns.
            chord = 2.0 * second(node, i) * sin_turn(0.25 * slot(node, i) * (a - b));
        } else if a >= 0.0 || b >= 0.0 {
            chord = second(node, i);
        }
        sum += chord * chord;
    }
    return radial(node.degree, min(sum, 1e30), 1.0);
}

// Numbers, then categories, 256 of the degree for each; what is left of it is the profile.
fn one_hot(node: Node) -> f32 {
    let numbers = node.len - (node.degree >> 8u);
    var sum = 0.0;
    for (var i = 0u; i < node.len; i++) {
        let k = dim_of(node, i);
        let t = (at_a(k) - at_b(k)) / slot(node, i);
        let rate = 1.0 / slot(node, i);
        let apart = select(0.0, 2.0 * (rate * rate), at_a(k) != at_b(k));
        sum += select(apart, t * t, i < numbers);
    }
    return radial(node.degree & 0xffu, min(sum, 1e30), 1.0);
}

fn products(node: Node) -> vec3<f32> {
    // <a, b>, <a, a>, <b, b> with weights
    var sum = vec3<f32>(0.0);
    for (var i = 0u; i < node.len; i++) {
        let k = dim_of(node, i);
        let a = at_a(k);
        let b = at_b(k);
        sum += slot(node, i) * vec3<f32>(a * b, a * a, b * b);
    }
    if node.bias {
        sum += vec3<f32>(second(node, 0u));
    }
    return sum;
}

fn leaf(node: Node) -> f32 {
    switch node.op {
        case OP_CONSTANT: {
            return natural(node.theta);
        }
        case OP_LAPLACE: {
            var sum = 0.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                sum += abs(at_a(k) - at_b(k)) / slot(node, i);
            }
            return exp(-sum);
        }
        case OP_PERIODIC: {
            var sum = 0.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                let s = sin_turn(0.5 * (at_a(k) - at_b(k)) / second(node, i)) / slot(node, i);
                sum += s * s;
            }
            return exp(-2.0 * sum);
        }
        case OP_COSINE: {
            var sum = 0.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                sum += (at_a(k) - at_b(k)) / slot(node, i);
            }
            return sin_turn(sum - round(sum) + 0.25);
        }
        case OP_LINEAR: {
            return products(node).x;
        }
        case OP_POLYNOMIAL: {
            let base = products(node).x;
            var power = 1.0;
            for (var i = 0u; i < node.degree; i++) {
                power *= base;
            }
            return power;
        }
        case OP_ARC_SINE: {
            let s = products(node);
            return 0.6366197723675814 * arcsine(2.0 * s.x / sqrt((1.0 + 2.0 * s.y) * (1.0 + 2.0 * s.z)));
        }
        case OP_HAMMING: {
            var sum = 0.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                if at_a(k) != at_b(k) {
                    sum += slot(node, i);
                }
            }
            return exp(-sum);
        }
        case OP_EXCHANGEABLE: {
            var product = 1.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                if at_a(k) != at_b(k) {
                    product *= slot(node, i);
                }
            }
            return product;
        }
        case OP_BRANCH: {
            var open = 1.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                open = select(0.0, open, at_a(k) == at_b(k));
            }
            return open;
        }
        case OP_ACTIVE: {
            var open = 1.0;
            for (var i = 0u; i < node.len; i++) {
                let k = dim_of(node, i);
                open = select(0.0, open, (at_a(k) < 0.0) == (at_b(k) < 0.0));
            }
            return open;
        }
        case OP_ARC: {
            return arc(node);
        }
        case OP_ONE_HOT: {
            return one_hot(node);
        }
        // A radial kernel, or nothing that is known.
        default: {
            var shape = 1.0;
            if has_shape(node.op) {
                shape = second(node, 0u);
            }
            return radial(node.op, squared_distance(node), shape);
        }
    }
}
