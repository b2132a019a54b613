//! The dispatches: which shader, which entry point, which buffers.

use infill::acquisition::Rule;
use infill::kernel::Op;

use crate::means::POOLS;

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
    /// The kernel of all sources with their hyperparameters, their points and their weights.
    Sources,
    /// Which sources are asked, and how much each counts.
    Shares,
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
    SourceMeans,
    Pool,
}

/// How a shader uses a buffer.
pub(crate) const READ: bool = true;
pub(crate) const WRITE: bool = false;

impl Stage {
    /// All of them.
    #[cfg(test)]
    const ALL: [Self; 18] = [
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
        Self::SourceMeans,
        Self::Pool,
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
            Self::SourceMeans => "source_means",
            Self::Pool => "pool",
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
            Self::SourceMeans => &[(Sources, READ), (Shares, READ), (Candidates, READ), (Sides, WRITE)],
            Self::Pool => &[(Shares, READ), (Sides, READ), (Results, WRITE)],
        }
    }

    /// Whether the shader has a form for a single stationary node.
    pub(crate) const fn has_kernel(self) -> bool {
        matches!(self, Self::Gram | Self::Cross | Self::Finish | Self::SourceMeans)
    }

    /// The source: what it shares, then its own file, as the Rust of each part is named.
    pub(crate) fn source(self, single: Option<Op>) -> String {
        let mut source = constants(single) + include_str!("shaders/common.wgsl");
        if self.has_kernel() {
            if matches!(self, Self::Gram | Self::Cross) {
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
            Self::SourceMeans => include_str!("shaders/means.wgsl"),
            Self::Pool => include_str!("shaders/pool.wgsl"),
        };
        source.replace("job.", "jobs[jobs[0].most >> 31u].")
    }
}

/// What the library says of its operations and rules: their numbers, and who has which hyperparameters.
fn constants(single: Option<Op>) -> String {
    let number = |kind: &str, name: &str, code: u64| {
        format!("const {kind}_{}: u32 = {code}u;\n", name.to_ascii_uppercase())
    };
    let mut text: String = Op::ALL.iter().map(|op| number("OP", op.name(), *op as u64)).collect();
    text.extend(Rule::ALL.iter().map(|rule| number("RULE", rule.name(), rule.code())));
    text.extend(
        POOLS.iter().zip(0..).map(|(name, code): (_, u32)| format!("const {name}: u32 = {code}u;\n")),
    );
    text += &predicate("has_shape", Op::has_shape);
    text += &predicate("has_second_per_dimension", Op::has_second_per_dimension);
    text += &format!("const MAX_ORDER: f32 = {}.0;\n", infill::acquisition::generalised::MAX_ORDER);
    if let Some(op) = single {
        text += &format!("const SINGLE: u32 = {}u;\n", op as u8);
    }
    text
}

/// A question about an operation as a function of shaders.
fn predicate(name: &str, holds: fn(Op) -> bool) -> String {
    let those = Op::ALL.iter().filter(|op| holds(**op)).map(|op| format!("op == {}u", *op as u8));
    format!("fn {name}(op: u32) -> bool {{\n    return {};\n}}\n", those.collect::<Vec<_>>().join(" || "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every shader in every form is valid WGSL that needs no optional feature.
    #[test]
    fn shaders_are_valid() {
        let stationary = Op::ALL.iter().copied().filter(|op| op.is_radial() && op.on_gpu());
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

    /// The shaders know what the rows of the library say that they know, and nothing else.
    #[test]
    fn every_operation_and_rule_has_its_case() {
        let (tape, finish) = (Stage::Gram.source(None), Stage::Finish.source(None));
        for &op in Op::ALL {
            let name = format!("OP_{}", op.name().to_ascii_uppercase());
            let known =
                tape.contains(&format!("case {name}: {{")) || tape.contains(&format!("node.op == {name} {{"));
            assert_eq!(known, op.on_gpu(), "{name}: a case in shaders/tape.wgsl, or `gpu: false` in its row");
        }
        for rule in Rule::ALL {
            let name = format!("RULE_{}", rule.name().to_ascii_uppercase());
            assert!(
                finish.contains(&format!("case {name}: {{")),
                "{name} has no case in shaders/finish.wgsl"
            );
        }
        let pool = Stage::Pool.source(None);
        assert!(POOLS.iter().all(|name| pool.contains(&format!("case {name}: {{"))));
    }

    #[test]
    fn names_are_those_of_the_shaders() {
        assert!(constants(None).contains("return op == 20u || op == 21u || op == 22u;"));
        assert!(constants(None).contains("return op == 25u || op == 66u;"));
        assert!(constants(None).contains("const OP_MATERN52: u32 = 19u;"));
        assert!(constants(None).contains("const RULE_BOUND: u32 = 4u;"));
        assert!(constants(None).contains("const RULE_NOISY: u32 = 8u;"));
        assert!(constants(None).contains("const MAX_ORDER: f32 = 20.0;"));
    }
}
