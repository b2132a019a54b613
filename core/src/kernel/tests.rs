//! Every operation against its formula, differences, and the plain loops.

use std::string::String;
use std::vec;
use std::vec::Vec;

use super::covariance::tests::Pairs;
use super::*;
use crate::error::Error;
use crate::real::Real;

/// A kernel as written words with its starting θ.
struct Written {
    name: String,
    nodes: Vec<u64>,
    lists: Vec<u64>,
    dims: usize,
    theta: Vec<f64>,
    frozen: Vec<bool>,
}

impl Written {
    fn new(name: &str, kernel: &Kernel, dims: usize) -> Self {
        let count = kernel.thetas(dims).unwrap();
        let mut nodes = vec![0; 2 * MAX_NODES];
        let mut lists = vec![0; kernel.list_entries().div_ceil(4)];
        kernel.write(dims, &mut nodes, &mut lists).unwrap();
        let [mut value, mut lo, mut hi, mut mean, mut precision] = [0; 5].map(|_| vec![0.0; count]);
        let mut table = Theta {
            value: &mut value,
            lo: &mut lo,
            hi: &mut hi,
            prior_first: &mut mean,
            prior_second: &mut precision,
            prior_kind: &mut vec![0; count],
        };
        kernel.write_theta(dims, &mut table).unwrap();
        table.check(count).unwrap();
        let frozen = lo.iter().zip(&hi).map(|(l, h)| l == h).collect();
        Self { name: name.into(), nodes, lists, dims, theta: value, frozen }
    }

    fn tape(&self) -> Tape<'_> {
        Tape::attach(&self.nodes, &self.lists, self.dims).unwrap()
    }
}

/// A fixed sequence in [0, 1).
fn sequence(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

/// `n` points: coordinate 2 is a category, the others lie in [−1, 1].
fn points(n: usize, dims: usize, seed: u64) -> Vec<f64> {
    let mut next = sequence(seed);
    (0..n * dims).map(|i| if i % dims == 2 { (3.0 * next()).floor() } else { 2.0 * next() - 1.0 }).collect()
}

/// Every leaf over two numbers of three coordinates (or the category), isotropic and ARD, and compositions.
fn every() -> Vec<Written> {
    let numbers = Dims::range(0, 2);
    let leaves: [(&str, Kernel); 24] = [
        ("se", Kernel::squared_exponential(numbers)),
        ("matern12", Kernel::matern12(numbers)),
        ("matern32", Kernel::matern32(Dims::list(&[0, 1]))),
        ("matern52", Kernel::matern52(numbers)),
        ("matern 1.3", Kernel::matern(numbers, 1.3)),
        ("matern 0.4", Kernel::matern(numbers, 0.4)),
        ("rq", Kernel::rational_quadratic(numbers)),
        ("gamma", Kernel::gamma_exponential(numbers)),
        ("laplace", Kernel::laplace(numbers)),
        ("periodic", Kernel::periodic(numbers)),
        ("cosine", Kernel::cosine(numbers)),
        ("linear", Kernel::linear(numbers)),
        ("polynomial", Kernel::polynomial(numbers, 3)),
        ("arc sine", Kernel::arc_sine(numbers)),
        ("hamming", Kernel::hamming(Dims::range(1, 2))),
        ("exchangeable", Kernel::exchangeable(Dims::list(&[0, 2]))),
        ("branch", Kernel::branch(Dims::list(&[2]))),
        ("active", Kernel::active(Dims::range(0, 2))),
        ("one hot", Kernel::one_hot(Dims::list(&[0, 1, 2]), 1, Op::Matern52)),
        ("one hot se", Kernel::one_hot(Dims::list(&[1, 0, 2]), 2, Op::SquaredExponential)),
        ("one hot 12", Kernel::one_hot(Dims::range(0, 3), 1, Op::Matern12)),
        ("arc", Kernel::arc(numbers, Op::SquaredExponential)),
        ("arc 12", Kernel::arc(Dims::list(&[1]), Op::Matern12)),
        ("arc 52", Kernel::arc(Dims::list(&[0, 1]), Op::Matern52)),
    ];
    // What the list does not name is there by its row.
    let more = Op::ALL.iter().copied().filter(|op| {
        op.has_dims() && !leaves.iter().any(|(_, kernel)| kernel.ops().any(|other| other == *op))
    });
    let more = more.map(|op| (op.name(), Kernel::leaf(op, numbers)));
    let mut all = Vec::new();
    for (name, kernel) in &leaves.clone().into_iter().chain(more).collect::<Vec<_>>() {
        all.push(Written::new(&std::format!("{name} iso"), kernel, 3));
        all.push(Written::new(&std::format!("{name} ard"), &kernel.clone().ard(), 3));
        all.push(Written::new(&std::format!("{name} scaled"), &kernel.clone().ard().scaled(), 3));
    }
    let labels = Kernel::hamming(Dims::list(&[2])).scaled();
    let mixed = Kernel::matern52(numbers).ard().times(Kernel::hamming(Dims::range(2, 1))).unwrap().scaled();
    let shared = Kernel::squared_exponential(Dims::range(0, 1))
        .plus(Kernel::matern32(numbers).ard().scaled())
        .unwrap()
        .times(Kernel::constant().plus(Kernel::linear(numbers)).unwrap())
        .unwrap()
        .plus(labels.clone())
        .unwrap();
    let deep = Kernel::laplace(numbers)
        .plus(
            Kernel::rational_quadratic(numbers)
                .times(Kernel::periodic(Dims::range(1, 1)).plus(labels).unwrap().scaled())
                .unwrap(),
        )
        .unwrap();
    let branched = mixed.clone().times(Kernel::active(Dims::list(&[0]))).unwrap();
    let branched = branched.scaled().times(Kernel::branch(Dims::range(2, 1))).unwrap();
    all.push(Written::new("mixed", &mixed, 3));
    all.push(Written::new("branched", &branched, 3));
    all.push(Written::new("shared", &shared, 3));
    all.push(Written::new("deep", &deep, 3));
    all.push(Written::new("constant", &Kernel::constant(), 3));
    let mut unbiased = Kernel::arc_sine(numbers).ard();
    unbiased.node_without_bias();
    all.push(Written::new("no bias", &unbiased, 3));
    all.push(Written::new("all", &Kernel::squared_exponential(Dims::All).ard().scaled(), 3));
    // Different values, so that no two parameters can be confused.
    let mut next = sequence(5);
    for written in &mut all {
        for (t, frozen) in written.theta.iter_mut().zip(&written.frozen) {
            *t += if *frozen { 0.0 } else { 0.4 * next() - 0.3 };
        }
    }
    all
}

/// Five-point central difference: h⁴f⁽⁵⁾/30 + ε/h, both below 1e-10 for fifth derivatives up to 10⁶.
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let h = 2e-4;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

fn near(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{what}: {got} {want}");
}

fn shifted(v: &[f64], i: usize, h: f64) -> Vec<f64> {
    let mut v = v.to_vec();
    v[i] += h;
    v
}

#[test]
fn gradients_agree_with_differences() {
    for written in every() {
        let (tape, theta) = (written.tape(), &written.theta);
        let x = points(6, 3, 11);
        for (i, j) in [(0, 1), (2, 3), (4, 5), (1, 4)] {
            let (a, b) = (&x[3 * i..3 * i + 3], &x[3 * j..3 * j + 3]);
            let mut out = vec![9.0; theta.len()];
            let value = tape.gradient(theta, a, b, &mut out);
            assert_eq!(value, tape.eval(theta, a, b));
            for t in (0..theta.len()).filter(|&t| !written.frozen[t]) {
                let want = difference(|h| tape.eval(&shifted(theta, t, h), a, b));
                near(out[t], want, 1e-9, &written.name);
            }
            let mut out = vec![9.0; 3];
            let whole = tape.gradient_x(theta, a, b, &mut out);
            assert_eq!(whole, (0..3).all(|k| tape.differentiable(k)), "{}", written.name);
            for k in 0..3 {
                let want = difference(|h| tape.eval(theta, &shifted(a, k, h), b));
                near(out[k], if tape.differentiable(k) { want } else { 0.0 }, 1e-9, &written.name);
            }
        }
    }
}

#[test]
fn gradients_vanish_at_equal_points_of_stationary_kernels() {
    let x = [0.3, -0.2, 1.0];
    for written in every().iter().filter(|w| w.tape().is_stationary()) {
        let mut out = [9.0; 3];
        written.tape().gradient_x(&written.theta, &x, &x, &mut out);
        assert_eq!(out, [0.0; 3], "{}", written.name);
        let mut out = vec![9.0; written.theta.len()];
        written.tape().gradient(&written.theta, &x, &x, &mut out);
        assert!(out.iter().all(|g| g.is_finite()), "{}", written.name);
    }
}

#[test]
fn positive_definite_and_symmetric() {
    let n = 10;
    let x = points(n, 3, 3);
    for written in every() {
        let tape = written.tape();
        let mut k = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                let (a, b) = (&x[3 * i..3 * i + 3], &x[3 * j..3 * j + 3]);
                k[i][j] = tape.eval(&written.theta, a, b);
                near(k[i][j], tape.eval(&written.theta, b, a), 1e-15, &written.name);
            }
            k[i][i] += 1e-10;
        }
        for j in 0..n {
            for i in j..n {
                let sum: f64 = (0..j).map(|l| k[i][l] * k[j][l]).sum();
                let rest = k[i][j] - sum;
                assert!(i != j || rest > 0.0, "{} row {i}: {rest}", written.name);
                k[i][j] = if i == j { rest.sqrt() } else { rest / k[j][j] };
            }
        }
    }
}

/// The blocks against the loop over pairs; more points than one block holds.
#[test]
fn blocks_equal_pairs() {
    for written in every() {
        let n = if written.name.contains("matern 0") { 70 } else { 300 };
        let x = points(n, 3, 7);
        let (tape, theta) = (written.tape(), &written.theta);
        let mut scratch = vec![f64::NAN; Tape::scratch(n, 3, theta.len())];
        let mut rows = tape.rows(theta, &x, n, &mut scratch).unwrap();
        let triangle = n * (n + 1) / 2;
        let (mut fast, mut slow) = (vec![0.0; triangle], vec![0.0; triangle]);
        rows.gram(&mut fast).unwrap();
        gram(&tape, theta, &x, n, 3, &mut slow).unwrap();
        for (f, s) in fast.iter().zip(&slow) {
            // Few ulp, but distances of order 1 are known to ε and the profiles have slopes of order 10.
            near(*f, *s, 2e-14, &written.name);
        }
        let point = [0.21, -0.4, 1.0];
        let (mut fast, mut slow) = (vec![0.0; n], vec![0.0; n]);
        rows.cross(&point, &mut fast).unwrap();
        Pairs(&tape).cross(theta, &x, &point, &mut slow, &mut []).unwrap();
        for (f, s) in fast.iter().zip(&slow) {
            near(*f, *s, 2e-14, &written.name);
        }
        let mut next = sequence(13);
        let weights: Vec<f64> = (0..triangle).map(|_| next() - 0.5).collect();
        let size: f64 = weights.iter().map(|w| w.abs()).sum();
        let (mut fast, mut slow) = (vec![9.0; theta.len()], vec![9.0; theta.len()]);
        rows.weighted_gradient(&weights, &mut fast).unwrap();
        let mut gradient = vec![0.0; theta.len().max(3)];
        Pairs(&tape).weighted_gradient(theta, &x, n, &weights, &mut slow, &mut gradient).unwrap();
        for (f, s) in fast.iter().zip(&slow) {
            assert!((f - s).abs() < 1e-14 * size, "{} {f} {s}", written.name);
        }
        let (one, two) = (&weights[..n], &weights[n..2 * n]);
        let mut fast = [[9.0; 3], [9.0; 3]];
        let [first, second] = &mut fast;
        let whole = rows.cross_gradient_x(&point, [one, two], [first, second]).unwrap();
        for (weights, fast) in [one, two].into_iter().zip(fast) {
            let (mut single, mut slow) = ([9.0; 3], [9.0; 3]);
            assert_eq!(whole, rows.cross_gradient_x(&point, [weights], [&mut single]).unwrap());
            assert_eq!(single, fast);
            let (both, out) = ([weights, weights], [&mut slow[..], &mut [9.0; 3]]);
            let same = Pairs(&tape).slopes(theta, &x, &point, both, out, &mut gradient).unwrap();
            assert_eq!(whole, same);
            for k in 0..3 {
                assert!(
                    (fast[k] - slow[k]).abs() < 1e-12 * n as f64,
                    "{} {} {}",
                    written.name,
                    fast[k],
                    slow[k]
                );
            }
        }
    }
}

#[test]
fn single_precision_follows() {
    let n = 40;
    let x = points(n, 3, 19);
    let x32: Vec<f32> = x.iter().map(|v| *v as f32).collect();
    let x: Vec<f64> = x32.iter().map(|v| f64::from(*v)).collect();
    for written in every() {
        let theta: Vec<f32> = written.theta.iter().map(|v| *v as f32).collect();
        let tape = written.tape();
        let mut scratch = vec![0.0f32; Tape::scratch(n, 3, theta.len())];
        let mut fast = vec![0.0f32; n * (n + 1) / 2];
        tape.gram(&theta, &x32, n, &mut fast, &mut scratch).unwrap();
        let mut slow = vec![0.0; fast.len()];
        gram(&tape, &written.theta, &x, n, 3, &mut slow).unwrap();
        for (f, s) in fast.iter().zip(&slow) {
            near(f.to_f64(), *s, 2e-5, &written.name);
        }
        // The weights are the entries themselves: ∂/∂θ of half the squared norm of K.
        let weights: Vec<f64> = fast.iter().map(|w| f64::from(*w)).collect();
        let size: f64 = weights.iter().map(|w| 2.0 * w.abs()).sum();
        let mut narrow = vec![0.0f32; theta.len()];
        tape.weighted_gradient(&theta, &x32, n, &fast, &mut narrow, &mut scratch).unwrap();
        let (mut wide, mut gradient) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        Pairs(&tape).weighted_gradient(&written.theta, &x, n, &weights, &mut wide, &mut gradient).unwrap();
        for (f, s) in narrow.iter().zip(wide) {
            assert!((f.to_f64() - s).abs() < 1e-5 * size, "{} {f} {s}", written.name);
        }
    }
}

#[test]
fn extreme_inputs_stay_defined() {
    for written in every() {
        let tape = written.tape();
        for size in [0.0, 1e-300, 1e-160, 1e-20, 1e20, 1e150, f64::MAX] {
            let (a, b) = ([size, 0.0, 1.0], [0.0, -size, 2.0]);
            let value = tape.eval(&written.theta, &a, &b);
            let stationary = tape.is_stationary();
            // The phase of a wave is lost at such distances, but it has one up to the overflow.
            let bounded = size < 1e100
                || !written.name.contains("cosine")
                    && !written.name.contains("periodic")
                    && !written.name.starts_with("arc")
                    && written.name != "deep";
            assert!(!stationary || !bounded || value.is_finite(), "{} {size} {value}", written.name);
        }
        let nan = [f64::NAN; 3];
        let mut out = vec![0.0; written.theta.len().max(3)];
        let value = tape.gradient(&written.theta, &nan, &[1.0; 3], &mut out);
        assert!(
            value.is_nan() || written.nodes[0] as u8 >= 48 || written.name == "constant",
            "{}",
            written.name
        );
        tape.gradient_x(&written.theta, &nan, &[1.0; 3], &mut out);
        assert!(tape.eval(&written.theta, &[0.0; 2], &[0.0; 3]).is_nan());
        assert!(!tape.gradient_x(&written.theta, &[0.0; 3], &[0.0; 3], &mut []));
    }
}

#[test]
fn damaged_words_never_panic() {
    let mut next = sequence(23);
    let x = points(20, 3, 29);
    let mut accepted = 0;
    for written in every() {
        for _ in 0..400 {
            let (mut nodes, mut lists) = (written.nodes.clone(), written.lists.clone());
            for _ in 0..1 + (3.0 * next()) as usize {
                let used = 2 * written.tape().len() + 2;
                let word = ((used + lists.len()) as f64 * next()) as usize;
                let bit = 1u64 << (64.0 * next()) as u32;
                match word.checked_sub(used) {
                    Some(i) => lists[i] ^= bit,
                    None => nodes[word] ^= bit,
                }
            }
            let dims = 1 + (4.0 * next()) as usize;
            let Ok(tape) = Tape::attach(&nodes, &lists, dims) else { continue };
            accepted += 1;
            let n = 60 / dims / 4;
            let x = &x[..n * dims];
            let theta = vec![0.1; tape.thetas()];
            let mut scratch = vec![0.0; Tape::scratch(n, dims, theta.len())];
            let mut rows = tape.rows(&theta, x, n, &mut scratch).unwrap();
            let mut out = vec![0.0; n * (n + 1) / 2];
            rows.gram(&mut out).unwrap();
            rows.weighted_gradient(&out, &mut vec![0.0; theta.len()]).unwrap();
            rows.cross_gradient_x(&x[..dims], [&out[..n]], [&mut vec![0.0; dims]]).unwrap();
            let _ = tape.eval(&theta, &x[..dims], &x[..dims]);
        }
    }
    assert!(accepted > 100);
    for _ in 0..20_000 {
        let nodes: Vec<u64> =
            (0..4).map(|_| (next() * 2f64.powi(64)) as u64 & 0x0001_0001_0000_07ff).collect();
        let _ = Tape::attach(&nodes, &[], 2);
    }
    assert_eq!(Tape::attach(&[], &[], 1).unwrap_err(), Error::Corrupt);
    assert_eq!(Tape::attach(&[4], &[], 1).unwrap_err(), Error::Corrupt);
}

#[test]
fn shapes_are_checked() {
    let written = Written::new("", &Kernel::matern52(Dims::All).ard().scaled(), 2);
    let (tape, theta, x) = (written.tape(), &written.theta, [0.0; 6]);
    let mut scratch = vec![0.0; Tape::scratch(3, 2, 3)];
    let short = scratch.len() - 1;
    assert_eq!(
        tape.rows(theta, &x, 3, &mut scratch[..short]).unwrap_err(),
        Error::Shape { needed: short + 1 }
    );
    assert!(tape.rows(&theta[..2], &x, 3, &mut scratch).is_err());
    assert!(tape.rows(theta, &x, usize::MAX, &mut scratch).is_err());
    let mut rows = tape.rows(theta, &x, 3, &mut scratch).unwrap();
    assert_eq!(rows.gram(&mut [0.0; 5]), Err(Error::Shape { needed: 6 }));
    assert_eq!(rows.cross(&[0.0; 3], &mut [0.0; 3]), Err(Error::Shape { needed: 2 }));
    assert_eq!(rows.cross(&[0.0; 2], &mut [0.0; 2]), Err(Error::Shape { needed: 3 }));
    assert_eq!(rows.weighted_gradient(&[0.0; 6], &mut [0.0; 2]), Err(Error::Shape { needed: 3 }));
    assert!(rows.cross_gradient_x(&[0.0; 2], [&[0.0; 2]], [&mut [0.0; 2]]).is_err());
    assert!(rows.cross_gradient_x(&[0.0; 2], [&[0.0; 3]], [&mut [0.0; 1]]).is_err());
    let mut empty = tape.rows(theta, &[], 0, &mut scratch).unwrap();
    assert_eq!(empty.gram(&mut []), Ok(()));
    assert_eq!(gram(&tape, theta, &x, usize::MAX, 2, &mut []), Err(Error::Shape { needed: usize::MAX }));
}

#[test]
fn postfix_is_the_chain() {
    let mut kernel = Kernel::postfix();
    kernel.node(Op::Matern52, Dims::range(0, 2));
    kernel.node_ard();
    kernel.node_with(Role::Length, 0.3, 0.01..10.0, Prior::Flat);
    kernel.node(Op::Polynomial, Dims::list(&[2]));
    kernel.node_degree(2);
    kernel.node_without_bias();
    kernel.node(Op::Sum, Dims::All);
    kernel.node(Op::Hamming, Dims::list(&[0, 3]));
    kernel.node(Op::Product, Dims::All);
    kernel.node(Op::Scale, Dims::All);
    let numbers = Kernel::matern52(Dims::range(0, 2)).ard().with(Role::Length, 0.3, 0.01..10.0, Prior::Flat);
    let mut squares = Kernel::polynomial(Dims::list(&[2]), 2);
    squares.node_without_bias();
    let labels = Kernel::hamming(Dims::list(&[0, 3]));
    let chain = numbers.plus(squares).unwrap().times(labels).unwrap().scaled();
    assert_eq!(kernel.thetas(4).unwrap(), chain.thetas(4).unwrap());
    let (mut nodes, mut again) = (([0; 16], [0; 2]), ([0; 16], [0; 2]));
    kernel.write(4, &mut nodes.0, &mut nodes.1).unwrap();
    chain.write(4, &mut again.0, &mut again.1).unwrap();
    assert_eq!(nodes, again);
}

#[test]
fn postfix_that_leaves_no_single_value_is_refused() {
    let of = |ops: &[Op]| {
        let mut kernel = Kernel::postfix();
        ops.iter().for_each(|&op| kernel.node(op, Dims::All));
        kernel.thetas(2)
    };
    assert_eq!(of(&[]), Err(Error::Kernel));
    assert_eq!(of(&[Op::Scale]), Err(Error::Kernel));
    assert_eq!(of(&[Op::Linear, Op::Sum]), Err(Error::Kernel));
    assert_eq!(of(&[Op::Linear, Op::Linear]), Err(Error::Kernel));
    assert_eq!(of(&[Op::Constant; MAX_DEPTH + 1]), Err(Error::Kernel));
    assert!(of(&[Op::Linear, Op::Constant, Op::Sum]).is_ok());
    let mut kernel = Kernel::matern52(Dims::All);
    kernel.node_degree(2);
    assert_eq!(kernel.thetas(2), Err(Error::Kernel));
}
