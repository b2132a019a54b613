//! The spectral density of a stationary kernel (Bochner's theorem): frequencies whose waves have its covariance on average.

use crate::error::Error;
use crate::kernel::{Form, MAX_DEPTH, Node, Op, Spectrum, Tape};
use crate::real::Real;
use crate::rng::{self, Generator};

/// Scalars of scratch for [`frequency`] in `dims` dimensions.
pub(crate) const fn scratch(dims: usize) -> usize {
    MAX_DEPTH * dims
}

/// Draws a frequency ω from the spectrum of a kernel and returns the variance σ² = k(x, x).
///
/// ```text
/// k(a, b) = σ² E cos ωᵀ(a − b)
///   squared exponential   ω = z/ℓ                      Matérn ν             ω = z/ℓ √(ν/g),  g ~ Γ(ν)
///   rational quadratic    ω = z/ℓ √(g/α),  g ~ Γ(α)    Laplace              ωₖ = zₖ/(z′ₖ ℓₖ)
///   cosine                ω = ±2π/p                    constant             ω = 0
///   k₁ k₂                 ω = ω₁ + ω₂                  k₁ + k₂              one of the two, by their variances
/// ```
///
/// `theta` is on its log scale and may have the noise as a last entry; `scratch` has [`scratch()`] scalars.
///
/// # Errors
/// [`Error::Unsupported`] if the kernel has a node of another kind, [`Error::Shape`] if a slice is too short,
/// [`Error::NotFinite`] if a hyperparameter is out of range.
///
/// # References
/// Rahimi and Recht, *Random Features for Large-Scale Kernel Machines*, 2007. Rasmussen and Williams, *Gaussian Processes
/// for Machine Learning*, 2006, section 4.2.1.
pub(crate) fn frequency<R: Real>(
    tape: Tape<'_>,
    theta: &[R],
    generator: &mut Generator,
    out: &mut [R],
    scratch: &mut [R],
) -> Result<R, Error> {
    let dims = tape.dims();
    if theta.len() < tape.thetas() || out.len() < dims || scratch.len() < self::scratch(dims) {
        return Err(Error::Shape { needed: self::scratch(dims) });
    }
    let mut variances = [R::ONE; MAX_DEPTH];
    let mut height = 0;
    for node in tape.nodes() {
        match node.op().form() {
            Form::Scale => variances[height - 1] *= theta[node.theta()].exp(),
            form @ (Form::Sum | Form::Product) => {
                height -= 1;
                let (under, over) = scratch[(height - 1) * dims..(height + 1) * dims].split_at_mut(dims);
                let (a, b) = (variances[height - 1], variances[height]);
                if form == Form::Product {
                    under.iter_mut().zip(over).for_each(|(under, over)| *under += *over);
                    variances[height - 1] = a * b;
                } else {
                    if rng::uniform::<R, _>(generator) * (a + b) >= a {
                        under.copy_from_slice(over);
                    }
                    variances[height - 1] = a + b;
                }
            }
            Form::Leaf(formula) => {
                let wave = &mut scratch[height * dims..(height + 1) * dims];
                wave.fill(R::ZERO);
                variances[height] = leaf(tape, node, formula.spectrum(), theta, generator, wave)?;
                height += 1;
            }
        }
    }
    out[..dims].copy_from_slice(&scratch[..dims]);
    let finite = variances[0].is_finite() && out[..dims].iter().all(|value| value.is_finite());
    if finite { Ok(variances[0]) } else { Err(Error::NotFinite) }
}

/// Whether [`frequency`] knows this node.
pub(crate) const fn knows(op: Op) -> bool {
    match op.form() {
        Form::Sum | Form::Product | Form::Scale => true,
        Form::Leaf(formula) => !matches!(formula.spectrum(), Spectrum::Unknown),
    }
}

/// Draws the frequency of one leaf into zeros and returns its variance.
fn leaf<R: Real>(
    tape: Tape<'_>,
    node: Node,
    spectrum: Spectrum,
    theta: &[R],
    generator: &mut Generator,
    wave: &mut [R],
) -> Result<R, Error> {
    let natural = |index: usize| theta[node.theta() + index].exp();
    let shape = node.thetas().saturating_sub(1);
    // How much all coordinates are stretched together.
    let stretch = match spectrum {
        Spectrum::Zero => return Ok(natural(0)),
        Spectrum::Normal | Spectrum::Cauchy => R::ONE,
        Spectrum::Line if rng::uniform::<R, _>(generator) < R::HALF => -R::TWO * R::PI,
        Spectrum::Line => R::TWO * R::PI,
        Spectrum::Student(order) => student(R::of(order), generator),
        Spectrum::StudentOfShape => student(natural(shape), generator),
        Spectrum::GammaOfShape => (rng::gamma(generator, natural(shape)) / natural(shape)).sqrt(),
        Spectrum::Unknown => return Err(Error::Unsupported),
    };
    for i in 0..node.len() {
        let length = natural(if node.is_ard() { i } else { 0 });
        let z = if spectrum == Spectrum::Line {
            R::ONE
        } else if spectrum == Spectrum::Cauchy {
            rng::normal::<R, _>(generator) / rng::normal::<R, _>(generator)
        } else {
            rng::normal(generator)
        };
        wave[tape.coordinate(node, i)] = stretch * z / length;
    }
    Ok(R::ONE)
}

/// √(ν/g), g ~ Γ(ν): what makes a normal vector one of Student's with 2ν degrees of freedom.
fn student<R: Real>(order: R, generator: &mut Generator) -> R {
    (order / rng::gamma(generator, order)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{frequency, scratch};
    use crate::error::Error;
    use crate::kernel::{Dims, Kernel, Tape};
    use crate::rng::Generator;

    fn with_tape<T>(kernel: &Kernel, ask: impl FnOnce(Tape<'_>, &mut [f64]) -> T) -> T {
        let (mut nodes, mut lists) = ([0; 64], [0; 64]);
        kernel.write(2, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, 2).unwrap();
        let mut theta = [0.0; 16];
        kernel.write_start(2, &mut theta[..tape.thetas()]).unwrap();
        // Values of their own for each parameter.
        for (i, t) in theta.iter_mut().enumerate() {
            *t += 0.3 * (i as f64).sin();
        }
        ask(tape, &mut theta)
    }

    /// σ² E cos ωᵀΔ is the kernel, within four standard errors at 10⁵ draws.
    #[test]
    fn waves_have_the_covariance_of_the_kernel() {
        let se = || Kernel::squared_exponential(Dims::All).ard();
        let kernels = [
            se().scaled(),
            Kernel::matern12(Dims::All),
            Kernel::matern32(Dims::All).ard(),
            Kernel::matern52(Dims::All).ard().scaled(),
            Kernel::matern(Dims::All, 1.8),
            Kernel::rational_quadratic(Dims::All).ard(),
            Kernel::laplace(Dims::All),
            Kernel::cosine(Dims::range(0, 1)).times(Kernel::cosine(Dims::range(1, 1))).unwrap(),
            se().scaled().plus(Kernel::constant()).unwrap(),
            Kernel::matern52(Dims::list(&[1])).scaled().times(Kernel::matern32(Dims::range(0, 1))).unwrap(),
        ];
        for (k, kernel) in kernels.iter().enumerate() {
            with_tape(kernel, |tape, theta| {
                let mut generator = Generator::new(k as u64 + 1);
                let (mut wave, mut space) = ([0.0; 2], [0.0; scratch(2)]);
                let pairs = [[0.1, 0.0], [0.3, -0.2], [1.0, 0.7]];
                let (n, mut sums) = (100_000, [[0.0; 2]; 3]);
                for _ in 0..n {
                    let variance = frequency(tape, theta, &mut generator, &mut wave, &mut space).unwrap();
                    assert!((variance / tape.diagonal(theta, &[0.0, 0.0]) - 1.0).abs() < 1e-12);
                    for (sum, pair) in sums.iter_mut().zip(pairs) {
                        let value = variance * (wave[0] * pair[0] + wave[1] * pair[1]).cos();
                        sum[0] += value;
                        sum[1] += value * value;
                    }
                }
                for (sum, pair) in sums.iter().zip(pairs) {
                    let mean = sum[0] / f64::from(n);
                    let error = ((sum[1] / f64::from(n) - mean * mean).max(0.0) / f64::from(n)).sqrt();
                    let expected = tape.eval(theta, &pair, &[0.0, 0.0]);
                    // Two cosines have no error but the rounding of the sum.
                    assert!((mean - expected).abs() < 4.0 * error + 1e-10, "{k} {pair:?} {mean} {expected}");
                }
            });
        }
    }

    #[test]
    fn other_kernels_are_refused() {
        let mut generator = Generator::new(1);
        let (mut wave, mut space) = ([0.0; 2], [0.0; scratch(2)]);
        for kernel in [
            Kernel::linear(Dims::All),
            Kernel::polynomial(Dims::All, 2),
            Kernel::arc_sine(Dims::All),
            Kernel::hamming(Dims::All),
            Kernel::exchangeable(Dims::All),
            Kernel::periodic(Dims::All),
            Kernel::gamma_exponential(Dims::All),
            Kernel::matern52(Dims::range(0, 1)).times(Kernel::hamming(Dims::range(1, 1))).unwrap(),
        ] {
            with_tape(&kernel, |tape, theta| {
                let drawn = frequency(tape, theta, &mut generator, &mut wave, &mut space);
                assert_eq!(drawn, Err(Error::Unsupported));
            });
        }
        with_tape(&Kernel::matern52(Dims::All), |tape, theta| {
            assert!(frequency(tape, &theta[..0], &mut generator, &mut wave, &mut space).is_err());
            assert!(frequency(tape, theta, &mut generator, &mut wave[..1], &mut space).is_err());
            assert!(frequency(tape, theta, &mut generator, &mut wave, &mut space[1..]).is_err());
            for nonsense in [f64::NAN, -1e9] {
                theta[0] = nonsense;
                let drawn = frequency(tape, theta, &mut generator, &mut wave, &mut space);
                assert_eq!(drawn, Err(Error::NotFinite));
            }
        });
    }
}
