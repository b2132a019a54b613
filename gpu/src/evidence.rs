//! The log marginal likelihood of many sets of hyperparameters, for ranking them.

use infill::backend::{EvidenceMany, Inputs, Regression};
use infill::kernel::Tape;
use infill::linalg::{self, packed};
use infill::{Objective, Real};

use crate::device::{Command, Job};
use crate::error::Fault;
use crate::gpu::{COLUMNS, Gpu, kernel_flops, largest_variance};
use crate::precision::trusted;
use crate::stage::{Slot, Stage};

impl Gpu {
    /// Sets whose matrices single precision can be trusted with are evaluated here, the others are left to the CPU: which.
    pub(crate) fn evidence_many<R: Real>(
        &mut self,
        request: &EvidenceMany<'_, R>,
        out: &mut [R],
    ) -> Option<Result<Vec<usize>, Fault>> {
        let EvidenceMany { tape, regression: request, sets } = *request;
        let (n, dims, thetas) = (request.inputs.rows, tape.dims(), tape.thetas() + 1);
        let p = request.trend.columns(dims);
        let flops = ((n as u64).pow(3) / 3 + kernel_flops(packed(n), 1, dims)) * out.len() as u64;
        let whole = sets.len() == thetas.saturating_mul(out.len())
            && request.inputs.x.len() == n * dims
            && request.targets.len() >= n
            && request.noise.len() >= n
            && n > p;
        let evidence = request.objective == Objective::Evidence && p <= COLUMNS;
        if !whole || !evidence || !self.takes(Some(tape), n, flops) {
            return None;
        }
        let least = request.noise[..n].iter().copied().fold(R::INFINITY, R::min);
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for (i, theta) in sets.chunks_exact(thetas).enumerate() {
            let inputs = Inputs { theta, ..request.inputs };
            let nugget = theta[thetas - 1].exp() + least;
            // What a shader makes of a NaN is left open by its language.
            let finite = theta.iter().all(|value| value.is_finite());
            let fine = finite && (R::BYTES == 4 || trusted(n, largest_variance(tape, &inputs), nugget));
            if fine { here.push(i) } else { there.push(i) }
        }
        for chunk in here.chunks(self.sets) {
            let chosen: Vec<&[R]> = chunk.iter().map(|&i| &sets[i * thetas..(i + 1) * thetas]).collect();
            match self.evidence_here(tape, request, &chosen) {
                Ok(values) => chunk.iter().zip(values).for_each(|(&i, value)| out[i] = R::of(value)),
                Err(fault) => return Some(Err(fault)),
            }
        }
        Some(Ok(there))
    }

    fn evidence_here<R: Real>(
        &mut self,
        tape: Tape<'_>,
        request: &Regression<'_, R>,
        sets: &[&[R]],
    ) -> Result<Vec<f64>, Fault> {
        let (n, dims, count) = (request.inputs.rows, tape.dims(), sets.len());
        let p = request.trend.columns(dims);
        let sides = 1 + p;
        let theta: Vec<R> = sets.iter().flat_map(|set| &set[..tape.thetas()]).copied().collect();
        let noise: Vec<f32> = sets.iter().map(|set| set[tape.thetas()].to_f64().exp() as f32).collect();
        self.put_tape(tape, &theta, &noise)?;
        self.put(Slot::Inputs, &[request.inputs.x])?;
        let (mut basis, mut gram) = (vec![R::ZERO; n * p], vec![R::ZERO; packed(p)]);
        if request.trend.matrix(request.inputs.x, n, &mut basis, &mut gram).is_err() {
            return Ok(vec![f64::NEG_INFINITY; count]);
        }
        let mut rows = Vec::with_capacity(n * sides);
        for (i, &target) in request.targets[..n].iter().enumerate() {
            rows.push(target);
            rows.extend(basis.chunks_exact(n).map(|column| column[i]));
        }
        self.put(Slot::Model, &[&request.noise[..n], &rows])?;
        self.spoil(Slot::Factor);
        self.device.upload(Slot::Broken, &vec![u32::MAX; count])?;

        let job = Job { batch: count as u32, ..self.job(n, sides, dims) };
        let pairs = packed(sides) + 1;
        let command = |stage, groups: [usize; 2], flops: usize| Command {
            stage,
            single: None,
            job,
            groups: [groups[0] as u32, groups[1] as u32, count as u32],
            flops: (flops * count) as u64,
        };
        let mut commands = vec![self.gram_command(n, dims, count)];
        commands.push(command(Stage::Noise, [n.div_ceil(64), 1], 2 * n));
        commands.extend(self.factor_commands(n, count));
        commands.push(command(Stage::Spread, [(n * sides).div_ceil(64), 1], 0));
        commands.extend(self.solve_commands(n, sides, count));
        commands.push(command(Stage::Products, [1, pairs], 2 * n * pairs));
        let mut products = vec![0.0f32; pairs * count];
        self.device.run(&commands, Slot::Results, 0, &mut products)?;
        let mut broken = vec![0u32; count];
        self.device.run(&[], Slot::Broken, 0, &mut broken)?;
        let values = products.chunks_exact(pairs).zip(&broken);
        Ok(values
            .map(|(products, &row)| if row == u32::MAX { finish(products, n, p) } else { f64::NEG_INFINITY })
            .collect())
    }
}

/// The evidence from the products of all pairs of whitened targets and basis functions, and the logarithm of the root of
/// the determinant.
///
/// ```text
/// −½ (vᵀv − wᵀw + 2 Σ ln Lᵢᵢ + ln|A| + (n − p) ln 2π),   A = GᵀG, w = L_A⁻¹ Gᵀv
/// ```
///
/// A column that is zero, or whose pivot is not more than its rounding, is left out.
fn finish(products: &[f32], n: usize, p: usize) -> f64 {
    let at = |row: usize, column: usize| f64::from(products[packed(row) + column]);
    let fill = |normal: &mut [f64]| {
        for row in 1..=p {
            (1..=row).for_each(|column| normal[packed(row - 1) + column - 1] = at(row, column));
        }
    };
    let mut normal = vec![0.0; packed(p)];
    let mut w: Vec<f64> = (1..=p).map(|row| at(row, 0)).collect();
    let tolerance = f64::from(linalg::rounding::<f32>(n, p));
    let Ok(rank) = linalg::factor_products(fill, &mut normal, p, tolerance) else {
        return f64::NEG_INFINITY;
    };
    if linalg::solve_lower(&normal, p, &mut w).is_err() {
        return f64::NEG_INFINITY;
    }
    let rest = at(0, 0) - w.iter().map(|w| w * w).sum::<f64>();
    let log_root = f64::from(products[packed(1 + p)]);
    let log_two_pi = (2.0 * std::f64::consts::PI).ln();
    let value =
        -0.5 * (rest + 2.0 * log_root + linalg::log_determinant(&normal, p) + (n - rank) as f64 * log_two_pi);
    if value.is_nan() { f64::NEG_INFINITY } else { value }
}
