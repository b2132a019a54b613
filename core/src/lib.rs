//! Bayesian optimization in one bounded block of memory.
//!
//! `infill` finds the minimum of a function that is expensive to evaluate, in few evaluations. It fits a Gaussian
//! process to the values told so far and proposes the point where the next evaluation is worth most. Its whole state
//! is one slice of words, whose size is known before it starts; the same code runs on a microcontroller and on a
//! workstation.
//!
//! # Quick start
//!
//! ```
//! use infill::{Config, Limits, Optimizer, Param, Space};
//!
//! let params = [Param::real(-5.0, 10.0), Param::real(1e-3, 10.0).log()];
//! let space = Space::new(&params, &[])?;
//! const LIMITS: Limits = Limits::new(2, 25);
//! let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), LIMITS, [0; LIMITS.words::<f64>()])?;
//!
//! let mut x = [0.0; 2];
//! for _ in 0..25 {
//!     let ask = optimizer.ask(&mut x)?; // a question
//!     let value = (x[0] - 3.0).powi(2) + x[1].ln().powi(2); // what takes hours
//!     optimizer.tell(ask.id, value)?; // its answer
//! }
//! let best = optimizer.best().ok_or(infill::Error::NoData)?;
//! assert!(best.value < 0.1);
//! # Ok::<(), infill::Error>(())
//! ```
//!
//! It minimises: maximise by telling −y. Trials may be open together and be told in any order
//! ([`Optimizer::ask`]), fail ([`Optimizer::fail`]), come with a known variance ([`Optimizer::tell_noisy`]) or from
//! elsewhere ([`Optimizer::observe`]). What may vary is a [`Space`], what to do is a [`Config`], how much memory it
//! may take is [`Limits`]. The surrogate can be used alone: [`Gp`].
//!
//! # The layers
//!
//! Each layer uses its own modules and those of lower layers.
//!
//! **0 numbers and memory**: `real`, `math`, [`rng`], [`stats`], `limits`, [`block`], `error`, `codes`. The scalar,
//! `f32` or `f64`, and the block.
//!
//! ```text
//! block = header │ configuration │ space │ kernel │ trials │ draws of θ │ data, θ, factor │ work
//! ```
//!
//! **1 algebra and spaces**: [`linalg`], [`lbfgs`], `trend`, `targets`, [`space`]. Packed Cholesky factors that grow by a
//! row; bounded quasi-Newton steps; transforms of the values; user units to the unit cube and back. With feature `std`, `compare`: ranks and tests of significance for a table of results.
//!
//! ```text
//! K = L Lᵀ,   u = (x − lo)/(hi − lo) ∈ [0, 1]ᵈ
//! ```
//!
//! **2 similarity and seams**: [`kernel`], [`backend`], [`acquisition`], [`surrogate`], `evolution`, [`race`], and
//! `configspace` with the feature `std`. Kernels as data; who does the arithmetic; acquisition functions in closed form; what
//! every model can be asked and what a search maximises; evolution strategies; racing of noisy configurations; spaces as text.
//!
//! ```text
//! k(a, b) = σ² (1 + √5ρ + 5ρ²/3) exp(−√5ρ),   ρ² = Σ (aᵢ − bᵢ)²/ℓᵢ²
//! EI(x)   = s (φ(z) + z Φ(z)),                z  = (best − m)/s
//! ```
//!
//! **3 models**: [`gp`], [`sparse`], [`forest`], [`transfer`]. Predictions with their uncertainty: exact processes, Gaussian or
//! Student-t, warped or not, with hyperparameters from the evidence or drawn from their posterior; processes seen
//! through few features; trees.
//!
//! ```text
//! m(x) = hᵀβ + kᵀK⁻¹(y − Hβ),   s²(x) = k(x, x) − kᵀK⁻¹k + (the uncertainty of β)
//! θ    = argmax ln p(y | X, θ) + ln p(θ)
//! ```
//!
//! **4 backends, value of a trial**: `plain`, and `faer` with that feature: the same requests, answered by one thread
//! in the lent memory or by blocked linear algebra. [`policy`]: lookahead and sampling, acquisition functions without a closed
//! form. [`pending`]: acquisition functions while other trials are open.
//!
//! ```text
//! score: candidates ↦ acquisition(m(x), s(x)),   H[x*] − E H[x* | y(x)],   E max(min(b, f₁ … f_q) − f(x), 0)
//! ```
//!
//! **5 finding the best**: [`search`]. Many candidates, the best few polished. [`baselines`]: methods that need no model, from random
//! search to evolution strategies and Parzen estimators.
//!
//! ```text
//! x* = argmax acquisition(x)
//! ```
//!
//! **6 the user's door**: `optimizer`, `trial`, [`config`], [`explain`]. Ask, tell, recommend, say why a call is refused; the same among algorithms that each
//! have parameters of their own ([`Strategy`]).
//!
//! ```text
//! ask ↦ x*,   tell(x, y),   recommend = argmin m(xᵢ)
//! ```
//!
//! The words of the field and where each is: [`glossary`].
//!
//! # Promises
//!
//! 1. The memory is the optimizer. There are no pointers in the block: saving is copying [`Optimizer::words`],
//!    loading is [`Optimizer::attach`], which checks what it later trusts. A block moves between little-endian
//!    machines of 32 and 64 bits.
//! 2. No allocation. [`Limits::words`] is a `const fn`; one word too few is [`Error::Memory`], a full optimizer
//!    [`Error::Full`].
//! 3. Same seed, same bits, on every machine, with [`Plain`]. There is no clock, entropy, file, thread or
//!    environment, and no mathematics of the platform.
//! 4. No panic from any input, and no `unsafe`. Bad input is a typed [`Error`], and nothing has changed.
//! 5. A feature never changes a result until its backend is passed in.
//!
//! # Features
//!
//! Only `models` is on by default.
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `models` | every [`Model`], [`Hyper`], [`Warp`], [`Policy`] and [`Pending`] of a [`Config`], and [`Kernel::matern`]; without it all but the default ones, believed and lied values is [`Error::Unsupported`], and their code is not linked. The modules themselves are always there |
//! | `alloc` | `Optimizer::with_limits`, which takes its block from the heap |
//! | `std` | `alloc`, and what makes text: the modules `compare`, to say which of several methods is better, and `configspace`, spaces as documents in the form of Python's ConfigSpace |
//! | `faer` | `std`, and the module `faer`: blocked, threaded linear algebra for many trials. It agrees with [`Plain`] to rounding, not to the bit, and works only where it is passed in ([`Optimizer::ask_with`]) |
//!
//! # When not to use it
//!
//! - An evaluation takes less than a millisecond: random or evolutionary search makes more of the time.
//! - The gradient is known: descend along it.
//! - There are thousands of trials: a proposal costs O(n²) for n trials, and a training O(n³), with [`Model::Process`];
//!   sparse processes and trees ([`Model`]) go further, with less to show for each value.
//! - There are hundreds of parameters that all matter: no model learns them from few values.
//! - The problem is linear, quadratic or convex and is written down: a solver proves its answer, this does not.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod block;
mod codes;
mod error;
mod limits;
mod math;
mod real;
pub mod rng;
pub mod stats;

#[cfg(feature = "std")]
pub mod compare;
pub mod lbfgs;
pub mod linalg;
pub mod space;
mod targets;
mod trend;

pub mod acquisition;
pub mod backend;
#[cfg(feature = "std")]
pub mod configspace;
mod evolution;
pub mod kernel;
pub mod race;
pub mod surrogate;

pub mod forest;
pub mod gp;
pub mod sparse;
pub mod transfer;

#[cfg(feature = "faer")]
pub mod faer;
pub mod pending;
mod plain;
pub mod policy;

pub mod baselines;
pub mod search;

pub mod config;
pub mod explain;
#[doc = include_str!("../GLOSSARY.md")]
pub mod glossary {}
mod optimizer;
mod trial;

pub use acquisition::{Acquisition, Prediction};
pub use backend::{Backend, Objective};
pub use baselines::Baseline;
pub use config::{
    Branching, Config, Hyper, Incumbent, Interleave, Model, Noise, PRESETS, Refit, Strategy, WhenFull,
};
pub use error::{Difference, Error, Need, Part};
#[cfg(feature = "faer")]
pub use faer::Faer;
pub use gp::warp::Warp;
pub use gp::{Gp, Training};
pub use kernel::{Covariance, Kernel};
pub use limits::{Limit, Limits};
pub use optimizer::Optimizer;
pub use pending::Pending;
pub use plain::Plain;
pub use policy::Policy;
pub use real::Real;
pub use search::Search;
pub use space::{Clause, Condition, Design, Impute, Param, Space, Term, When};
pub use surrogate::Surrogate;
pub use targets::Transform;
pub use trend::Trend;
pub use trial::{Ask, Origin, State, Trial, TrialId};
