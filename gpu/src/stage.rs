//! The dispatches: which shader, which entry point, which buffers.

use infill::kernel::Op;

/// A buffer, made once for the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// Nodes, lists and natural hyperparameters of a kernel.
    Tape,
    /// Observed points.
    Inputs,
    /// Candidates.
    Candidates,
    /// A row of n numbers per observation: cross-covariances, then their solutions.
    Sides,
    /// Packed matrices or factors.
    Factor,
    /// Inverses of the diagonal blocks of factors.
    Inverses,
    /// Weights, trend, basis; or known variances and right-hand sides.
    Model,
    /// What came of each candidate.
    Results,
    /// The best candidates, and room to compare them.
    Winners,
    /// As [`Slot::Winners`], for every second round.
    OtherWinners,
    /// Direction numbers.
    Table,
    /// The first row of each matrix that is not positive definite.
    Broken,
}

/// A dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    Gram,
    Cross,
    FactorDiagonal,
    FactorPanel,
    InvertDiagonal,
    Solve,
    Mean,
    Reduce,
    Finish,
    TopOfScores,
    TopOfWinners,
    TopOfOtherWinners,
    Sobol,
    Noise,
    Spread,
    Products,
}

/// How a shader uses a buffer.
pub(crate) const READ: bool = true;
pub(crate) const WRITE: bool = false;

impl Stage {
    /// All of them.
    #[cfg(test)]
    const ALL: [Self; 16] = [
        Self::Gram,
        Self::Cross,
        Self::FactorDiagonal,
        Self::FactorPanel,
        Self::InvertDiagonal,
        Self::Solve,
        Self::Mean,
        Self::Reduce,
        Self::Finish,
        Self::TopOfScores,
        Self::TopOfWinners,
        Self::TopOfOtherWinners,
        Self::Sobol,
        Self::Noise,
        Self::Spread,
        Self::Products,
    ];

    /// The entry point.
    pub(crate) const fn entry(self) -> &'static str {
        match self {
            Self::Gram => "gram",
            Self::Cross => "cross_covariance",
            Self::FactorDiagonal => "factor_diagonal",
            Self::FactorPanel => "factor_panel",
            Self::InvertDiagonal => "invert_diagonal",
            Self::Solve => "solve",
            Self::Mean => "mean",
            Self::Reduce => "reduce",
            Self::Finish => "finish",
            Self::TopOfScores => "top_of_scores",
            Self::TopOfWinners | Self::TopOfOtherWinners => "top_of_winners",
            Self::Sobol => "sobol",
            Self::Noise => "noise",
            Self::Spread => "spread",
            Self::Products => "products",
        }
    }

    /// The buffers at the bindings from 1 on: at most four, which every adapter offers.
    pub(crate) const fn buffers(self) -> &'static [(Slot, bool)] {
        use Slot::*;
        match self {
            Self::Gram => &[(Tape, READ), (Inputs, READ), (Factor, WRITE)],
            Self::Cross => &[(Tape, READ), (Inputs, READ), (Candidates, READ), (Sides, WRITE)],
            Self::FactorDiagonal | Self::FactorPanel | Self::InvertDiagonal => {
                &[(Factor, WRITE), (Inverses, WRITE), (Broken, WRITE)]
            }
            Self::Solve => &[(Factor, READ), (Inverses, READ), (Sides, WRITE)],
            Self::Mean | Self::Reduce => &[(Sides, READ), (Model, READ), (Results, WRITE)],
            Self::Finish => &[(Tape, READ), (Candidates, READ), (Model, READ), (Results, WRITE)],
            Self::TopOfScores => &[(Results, READ), (Winners, WRITE)],
            Self::TopOfWinners => &[(Winners, READ), (OtherWinners, WRITE)],
            Self::TopOfOtherWinners => &[(OtherWinners, READ), (Winners, WRITE)],
            Self::Sobol => &[(Table, READ), (Candidates, WRITE)],
            Self::Noise | Self::Spread => &[(Tape, READ), (Model, READ), (Factor, WRITE), (Sides, WRITE)],
            Self::Products => &[(Factor, READ), (Sides, READ), (Results, WRITE)],
        }
    }

    /// Whether the shader has a form for a single stationary node.
    pub(crate) const fn has_kernel(self) -> bool {
        matches!(self, Self::Gram | Self::Cross | Self::Finish)
    }

    /// The source: what it shares, then its own file, as the Rust of each part is named.
    pub(crate) fn source(self, single: Option<Op>) -> String {
        let mut source = constants(single) + include_str!("shaders/common.wgsl");
        if self.has_kernel() {
            if self != Self::Finish {
                source += include_str!("shaders/tile.wgsl");
            }
            source += include_str!("shaders/tape.wgsl");
            source += if single.is_some() {
                include_str!("shaders/single.wgsl")
            } else {
                include_str!("shaders/interpreter.wgsl")
            };
        }
        source += match self {
            Self::Gram => include_str!("shaders/gram.wgsl"),
            Self::Cross => include_str!("shaders/cross.wgsl"),
            Self::FactorDiagonal | Self::FactorPanel | Self::InvertDiagonal => {
                include_str!("shaders/factor.wgsl")
            }
            Self::Solve => include_str!("shaders/solve.wgsl"),
            Self::Mean | Self::Reduce => include_str!("shaders/score.wgsl"),
            Self::Finish => concat!(include_str!("shaders/normal.wgsl"), include_str!("shaders/finish.wgsl")),
            Self::TopOfScores | Self::TopOfWinners | Self::TopOfOtherWinners => {
                include_str!("shaders/top.wgsl")
            }
            Self::Sobol => include_str!("shaders/candidates.wgsl"),
            Self::Noise | Self::Spread => include_str!("shaders/evidence.wgsl"),
            Self::Products => include_str!("shaders/products.wgsl"),
        };
        source.replace("job.", "jobs[jobs[0].most >> 31u].")
    }
}

/// The numbers of the operations and of the rules, from the enumerations of the library.
fn constants(single: Option<Op>) -> String {
    let ops = (0..=u8::MAX).filter_map(Op::of);
    let mut text: String =
        ops.map(|op| format!("const OP_{}: u32 = {}u;\n", shout(&format!("{op:?}")), op as u8)).collect();
    let rules = [
        ("PROBABILITY", infill::Acquisition::Probability { margin: 0.0_f32 }),
        ("IMPROVEMENT", infill::Acquisition::Improvement { margin: 0.0 }),
        ("LOG_IMPROVEMENT", infill::Acquisition::LogImprovement { margin: 0.0 }),
        ("BOUND", infill::Acquisition::Bound { beta: 0.0 }),
        ("GENERALISED", infill::Acquisition::Generalised { order: 0 }),
        ("LOG_MGF", infill::Acquisition::LogMgf { temperature: 0.0 }),
        ("DEVIATION", infill::Acquisition::Deviation),
        ("NOISY", infill::Acquisition::Noisy { noise: 0.0 }),
    ];
    for (name, rule) in rules {
        text += &format!("const RULE_{name}: u32 = {}u;\n", rule.code().0);
    }
    text += &format!("const MAX_ORDER: f32 = {}.0;\n", infill::acquisition::generalised::MAX_ORDER);
    if let Some(op) = single {
        text += &format!("const SINGLE: u32 = {}u;\n", op as u8);
    }
    text
}

/// `SquaredExponential` → `SQUARED_EXPONENTIAL`.
fn shout(name: &str) -> String {
    let mut out = String::new();
    for (i, letter) in name.chars().enumerate() {
        if i > 0 && letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every shader in every form is valid WGSL that needs no optional feature.
    #[test]
    fn shaders_are_valid() {
        let stationary = (0..=u8::MAX).filter_map(Op::of).filter(|op| op.is_radial() && *op != Op::Matern);
        let forms: Vec<Option<Op>> = stationary.map(Some).chain([None]).collect();
        for stage in Stage::ALL {
            for &form in forms.iter().filter(|form| form.is_none() || stage.has_kernel()) {
                let source = stage.source(form);
                let module = naga::front::wgsl::parse_str(&source)
                    .unwrap_or_else(|error| panic!("{stage:?} {form:?}: {}", error.emit_to_string(&source)));
                assert!(module.entry_points.iter().any(|entry| entry.name == stage.entry()), "{stage:?}");
                let flags = naga::valid::ValidationFlags::all();
                let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty());
                validator.validate(&module).unwrap_or_else(|error| panic!("{stage:?} {form:?}: {error:?}"));
            }
        }
    }

    #[test]
    fn no_shader_wants_more_than_four_buffers() {
        assert!(Stage::ALL.iter().all(|stage| stage.buffers().len() <= 4));
    }

    #[test]
    fn names_are_those_of_the_shaders() {
        assert_eq!(shout("SquaredExponential"), "SQUARED_EXPONENTIAL");
        assert!(constants(None).contains("const OP_MATERN52: u32 = 19u;"));
        assert!(constants(None).contains("const RULE_BOUND: u32 = 4u;"));
        assert!(constants(None).contains("const RULE_NOISY: u32 = 8u;"));
        assert!(constants(None).contains("const MAX_ORDER: f32 = 20.0;"));
    }
}
