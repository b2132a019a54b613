//! Transfer learning between data sets: what earlier runs of the same search on other data teach the next one.
//!
//! ```text
//! source                         mᵢ(x) = o + k(x, X)ᵀα,  fitted to values between 0 and 1              [`Source`], [`Sources`]
//! distance of two data sets      KTRC = discordant ordered pairs / (t(t − 1))                          [`ktrc`]
//! distance of configurations     ∞ across categories and branches, else ‖x − x′‖₂                      [`distance`]
//! kernel of a distance           δ(r) = ¾(1 − r²) for r ≤ 1, 0 beyond                                  [`epanechnikov`]
//! search without a model         c(x) = Σ_D min over X ∪ {x} of rank_D                                 [`Sequence`], [`LookUp`]
//! description of a data set      22 numbers: counts, class probabilities, moments of the predictors    [`features`]
//! ```
//!
//! An optimizer is given sources by [`Optimizer::ask_from`](crate::Optimizer::ask_from), and likewise
//! [`Optimizer::predict_from`](crate::Optimizer::predict_from) and [`Optimizer::recommend_from`](crate::Optimizer::recommend_from),
//! and does what [`Transfer`] says: with
//! lowᵢ the least mᵢ over the points that were asked for, wᵢ the weight of a source ([`Weights`]), w₀ = ¾,
//!
//! ```text
//! start  RBI    argmin of the values of a source that is drawn                              [`Start::Random`]
//!        NBI    the same of the sources of nearest meta-features                            [`Start::Nearest`]
//!        cover  argmin Σ wᵢ min(mᵢ(x), lowᵢ),  wᵢ ∝ max(1 − (KTRC/0.5)², 0) + 0.02          [`Start::Cover`]
//!        LI     argmin 1/M Σᵢ Σⱼ σᵢⱼ mᵢ(xⱼ),  σᵢⱼ ∝ exp(−100 mᵢ(xⱼ)), over all xⱼ           [`Start::Learnt`], [`Start::Adaptive`]
//! model  TST    m = (w₀ m₀ + Σ wᵢ mᵢ)/(w₀ + Σ wᵢ),  s² = s₀²                                [`How::Stage`]
//!        TAF    (w₀ EI + width Σ wᵢ max(lowᵢ − mᵢ, 0))/(w₀ + Σ wᵢ)                          [`How::Value`]
//!        AHT    α EI/width − (1 − α) 1/M Σ min(lowᵢ, mᵢ)                                    [`How::Function`]
//!        MKL    α I(D = D′) k(x, x′) + (1 − α)(1 − |x − x′|/P) over the nearest sources     [`How::Neighbours`]
//!        prior  y/s₀ = c + s (μ + aμ + Σ bᵢ φᵢ + r),  μ = Σ wᵢ qᵢ,  φᵢ = √wᵢ (qᵢ − μ)      [`How::Prior`]
//!        SCoT   f = wᵀψ(x, d) by pairs of one data set,  f ~ GP given f at told points and those of a source  [`How::Ranker`]
//!        FMLP   b₀ + Σₕ (bₕ + cₕ) logistic(zₕ(x, d)) + r(x),  zₕ with pairs of inputs       [`How::Perceptron`]
//! prune         kept: the largest Σ (lowᵢ − mᵢ) over the two nearest sources                [`Transfer::keep`]
//! ```
//!
//! The prior has qᵢ = mᵢ less its average, wᵢ as the cover with 0.4, bᵢ ~ N(0, τ²), a ~ N(0, κ²), and r a process that is known where
//! a source was observed; c, s, τ, κ and what r spreads are learnt. Its improvement is averaged with that of the plain model, and
//! what a point gains on the sources is added.
//!
//! # References
//! Wistuba, *Automated Machine Learning: Bayesian Optimization, Meta-Learning & Applications*, dissertation, Hildesheim 2017.

mod distance;
pub mod features;
mod gain;
mod knowledge;
mod learnt;
mod list;
mod lookup;
mod mixture;
mod pooled;
mod prior;
mod prune;
mod sampled;
mod sequence;
mod settings;
mod source;
mod stage;
#[cfg(test)]
mod tests;

pub(crate) use distance::gap;
pub use distance::{distance, epanechnikov, ktrc};
pub(crate) use gain::Gain;
pub(crate) use knowledge::{Count, Knowledge, Past, Seen, Told};
pub(crate) use learnt::{learn, scalars as learnt_scalars};
pub use list::Sources;
pub use lookup::LookUp;
pub(crate) use mixture::Mixture;
pub(crate) use pooled::{Pooled, Room};
pub(crate) use prior::{Informed, Prior, scalars as prior_scalars};
pub(crate) use prune::{Prune, REACH, utilities};
pub(crate) use sampled::{Held, scalars as sampled_scalars, weigh};
pub use sequence::{Rule, Sequence};
pub use settings::{How, Near, Start, Transfer, Weights};
pub(crate) use source::Observed;
pub use source::{Form, Size, Source};
pub(crate) use stage::{Span, Stage};
