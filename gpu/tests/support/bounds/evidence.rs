//! Error bound of the evidence.

use infill::backend::Regression;
use infill::kernel::Tape;
use infill::linalg::{self, packed};
use infill::{Error, Real};

use super::covariance::{Rounded, UNIT, covariance};
use super::{BLOCK, Errors, RARE, dot, residuals};

impl Errors {
    /// The error of the evidence of one set of hyperparameters, the log of the noise variance last. Cost: 3n³ flops.
    ///
    /// The device has the evidence of a neighbouring problem: its factor is that of K + Δ, its whitened targets and basis
    /// are those of y + ξ and H + Ξ. With α = Py, β the coefficients of the trend, A = HᵀK⁻¹H and W = K⁻¹HA⁻¹, to first order
    ///
    /// ```text
    /// ½ αᵀΔα − ½ tr(PΔ) − αᵀξ + Σ (α_i β_c − W_ic) Ξ_ic
    /// ```
    ///
    /// whose terms are independent: six roots of the sum of their squares. Δ is the rounding of the covariance, of the
    /// diagonal, and the residual of each row of the factor, which is solved for as a right-hand side is. What is added is
    /// the rounding of the products and of the logarithms:
    ///
    /// ```text
    /// 6u√(n/64 + 8) (½ |v|ᵀ|v| + Σ |β_c||G_c|ᵀ|v| + ½ Σ (|β_c β_e| + |A⁻¹_ce|) |G_c|ᵀ|G_e| + Σ |ln L_ii|) + 6u (Σ max(8, 6 ln L_ii)²)^½
    /// ```
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`]; [`Error::Shape`] if the request is not whole.
    pub(crate) fn of_evidence<R: Real>(
        tape: Tape<'_>,
        request: &Regression<'_, R>,
        theta: &[R],
    ) -> Result<f64, Error> {
        let (n, dims, kernel) = (request.inputs.rows, tape.dims(), tape.thetas());
        let p = request.trend.columns(dims);
        if theta.len() != kernel + 1 || request.inputs.x.len() != n * dims || request.targets.len() < n {
            return Err(Error::Shape { needed: n * dims });
        }
        let (point, noise) =
            (|i: usize| &request.inputs.x[i * dims..(i + 1) * dims], theta[kernel].to_f64().exp());
        let mut entries = Vec::with_capacity(packed(n));
        for i in 0..n {
            entries.extend((0..=i).map(|j| covariance(tape, &theta[..kernel], point(i), point(j))));
            let known = request.noise.get(i).map_or(0.0, |noise| noise.to_f64());
            let last: &mut Rounded = &mut entries[packed(i) + i];
            last.value += noise + known;
            last.square += UNIT * UNIT * (noise * noise + known * known + 2.0 * last.value * last.value);
        }
        let mut factor: Vec<f64> = entries.iter().map(|entry| entry.value).collect();
        linalg::factor(&mut factor, n)?;
        let row = |i: usize| &factor[packed(i)..packed(i) + i + 1];

        // The sides: targets, then the basis, and what they become.
        let mut sides = vec![vec![0.0; n]; 1 + p];
        let (mut basis, mut gram) = (vec![R::ZERO; n * p], vec![R::ZERO; packed(p)]);
        request.trend.matrix(request.inputs.x, n, &mut basis, &mut gram)?;
        for i in 0..n {
            sides[0][i] = request.targets[i].to_f64();
            (0..p).for_each(|c| sides[1 + c][i] = basis[c * n + i].to_f64());
        }
        let mut white = sides.clone();
        for side in &mut white {
            linalg::solve_lower(&factor, n, side)?;
        }
        let mut normal = vec![0.0; packed(p)];
        let products = |normal: &mut [f64]| {
            for c in 0..p {
                (0..=c).for_each(|e| normal[packed(c) + e] = dot(&white[1 + c], &white[1 + e]));
            }
        };
        linalg::factor_products(products, &mut normal, p, f64::from(linalg::rounding::<f32>(n, p)))?;
        let solved = |mut side: Vec<f64>| -> Result<Vec<f64>, Error> {
            linalg::solve_lower(&normal, p, &mut side)?;
            linalg::solve_upper(&normal, p, &mut side)?;
            Ok(side)
        };
        let beta = solved((0..p).map(|c| dot(&white[1 + c], &white[0])).collect())?;
        let unit =
            |at: usize, size: usize| (0..size).map(|i| if i == at { 1.0 } else { 0.0 }).collect::<Vec<_>>();
        let inverse = (0..p).map(|c| solved(unit(c, p))).collect::<Result<Vec<_>, _>>()?;
        // α = L⁻ᵀ(v − Gβ), W = L⁻ᵀGA⁻¹.
        let mixed = |start: &[f64], weights: &[f64]| -> Result<Vec<f64>, Error> {
            let mut out = start.to_vec();
            for (side, &weight) in white[1..].iter().zip(weights) {
                out.iter_mut().zip(side).for_each(|(out, g)| *out += weight * g);
            }
            linalg::solve_upper(&factor, n, &mut out)?;
            Ok(out)
        };
        let minus: Vec<f64> = beta.iter().map(|beta| -beta).collect();
        let alpha = mixed(&white[0], &minus)?;
        let zero = vec![0.0; n];
        let slopes = inverse.iter().map(|column| mixed(&zero, column)).collect::<Result<Vec<_>, _>>()?;
        let back = mixed_basis(&factor, n, &white[1..])?;

        let mut square = 0.0;
        for i in 0..n {
            let mut precision = unit(i, n);
            linalg::solve_lower(&factor, n, &mut precision)?;
            linalg::solve_upper(&factor, n, &mut precision)?;
            for (c, slope) in slopes.iter().enumerate() {
                precision.iter_mut().zip(slope).for_each(|(value, w)| *value -= back[c][i] * w);
            }
            let known = &entries[packed(i)..packed(i) + i + 1];
            for (j, delta) in row_residuals(&factor, i, known).enumerate() {
                let weight = alpha[i] * alpha[j] - precision[j];
                square += delta * (if i == j { 0.5 * weight } else { weight }).powi(2);
            }
        }
        for (s, side) in sides.iter().enumerate() {
            let rounded: Vec<Rounded> = side
                .iter()
                .map(|&value| Rounded { value, most: UNIT * value.abs(), square: (UNIT * value).powi(2) })
                .collect();
            for (i, xi) in residuals(&factor, n, &rounded, &white[s]).enumerate() {
                let weight = if s == 0 { alpha[i] } else { alpha[i] * beta[s - 1] - slopes[s - 1][i] };
                square += xi * weight * weight;
            }
        }

        let long = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum::<f64>();
        let mut products = 0.5 * long(&white[0], &white[0]);
        for c in 0..p {
            products += beta[c].abs() * long(&white[1 + c], &white[0]);
            for e in 0..p {
                let weight = (beta[c] * beta[e]).abs() + inverse[c][e].abs();
                products += 0.5 * weight * long(&white[1 + c], &white[1 + e]);
            }
        }
        let logs: Vec<f64> = (0..n).map(|i| row(i)[i].ln().abs()).collect();
        products += logs.iter().sum::<f64>();
        let terms = logs.iter().map(|log| (6.0 * log).max(8.0).powi(2)).sum::<f64>().sqrt();
        let sums = (n as f64 / 64.0 + 8.0).sqrt() * products;
        Ok(RARE * (square.sqrt() + UNIT * (sums + terms)))
    }
}

/// K⁻¹H, a column for each basis function.
fn mixed_basis(factor: &[f64], n: usize, white: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Error> {
    let column = |side: &Vec<f64>| {
        let mut out = side.clone();
        linalg::solve_upper(factor, n, &mut out)?;
        Ok(out)
    };
    white.iter().map(column).collect()
}

/// The squares of the residuals of row i of a factor, LLᵀ − K.
///
/// Left of its diagonal block the row is solved for as a right-hand side is. In the block it comes column by column: sums
/// of products, then a quotient (5) or a root (9, twice in the square).
fn row_residuals<'a>(
    factor: &'a [f64],
    i: usize,
    known: &'a [Rounded],
) -> impl Iterator<Item = f64> + use<'a> {
    let from = i - i % BLOCK;
    let row = |i: usize| &factor[packed(i)..packed(i) + i + 1];
    let left = residuals(factor, from, known, row(i));
    let inside = (from..=i).map(move |j| {
        let (mut sum, mut roundings) = (known[j].value, 0.0);
        for (a, b) in row(i)[..j].iter().zip(row(j)) {
            sum -= a * b;
            roundings += (a * b).powi(2) + sum * sum;
        }
        let last = if i == j { 18.0 } else { 5.0 };
        known[j].square + UNIT * UNIT * (roundings + (last * sum).powi(2))
    });
    left.chain(inside)
}
