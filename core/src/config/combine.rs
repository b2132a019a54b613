//! What goes together: models, treatments, policies, pending trials and kernels.

use super::{CHOICES, Config, Hyper, Model, TRANSFER};
use crate::acquisition::{Acquisition as Rule, Schedule};
use crate::backend::Objective;
use crate::error::Error;
use crate::gp::quadrature;
use crate::gp::warp::Warp;
use crate::kernel::Op;
use crate::pending::Pending;
use crate::policy::{Policy, spectral_density};
use crate::search::Method;
use crate::transfer::How;
use crate::trend::Trend;

impl Config<'_> {
    /// Refuses what does not go together, whatever its numbers, and what was left out of this build.
    ///
    /// - Draws and quadratures of hyperparameters, and warps, are those of an exact Gaussian process (a warp also of a
    ///   Student-t process), a warp with a mean that does not depend on the point.
    /// - Student-t and sparse processes are trained by their evidence. A Student-t process has no closed form for
    ///   generalised, moment-generating and noisy rules and the deviation alone, and no normal fantasies.
    /// - Trees have no slope for a penalty and no spectrum; neither has a warped or sparse process a spectral draw.
    /// - Methods without a model have no policy, no warp and nothing that models open trials.
    /// - Joint improvement is one of expected improvement, temperatures are drawn for the moment-generating function,
    ///   and only closed forms know batches other than believed values.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub(crate) fn combines(&self) -> Result<(), Error> {
        let free = self.proposal.baseline.is_some();
        let process = !free && self.surrogate.model == Model::Process;
        let plain = process
            && self.surrogate.hyper == Hyper::Map
            && self.surrogate.warp == Warp::None
            && self.surrogate.similarity.is_plain()
            && self.proposal.policy == Policy::Closed
            && !self.proposal.pending.is_modelled()
            && matches!(self.search.method, Method::Auto | Method::Ascent);
        Error::Unsupported.when(!CHOICES && !plain)?;
        let student = matches!(self.surrogate.model, Model::Student { .. });
        let sparse = matches!(self.surrogate.model, Model::Sparse(_));
        let closed = self.proposal.policy == Policy::Closed;
        let warped = self.surrogate.warp != Warp::None;
        let senseless = [
            self.surrogate.hyper != Hyper::Map && !process,
            warped && !self.surrogate.model.is_exact(),
            free && (warped || !closed || self.proposal.pending.is_modelled()),
            // Two answers to what proposes: one number has room for one.
            free && self.surrogate.model != Model::Process,
            warped && !matches!(self.surrogate.trend, Trend::Zero | Trend::Constant),
            (student || sparse) && self.surrogate.training.objective != Objective::Evidence,
            student
                && closed
                && matches!(self.proposal.acquisition, Rule::Generalised { .. } | Rule::LogMgf { .. }),
            student && closed && matches!(self.proposal.acquisition, Rule::Noisy { .. } | Rule::Deviation),
            student && matches!(self.proposal.pending, Pending::Fantasies { .. } | Pending::JointEi { .. }),
            student && matches!(self.proposal.policy, Policy::Noisy { .. }),
            !self.surrogate.model.is_smooth() && self.proposal.pending == Pending::Penalty,
            matches!(self.proposal.policy, Policy::Spectral { .. }) && (!process || warped),
            matches!(self.proposal.pending, Pending::JointEi { .. })
                && !matches!(
                    self.proposal.acquisition,
                    Rule::Improvement { .. } | Rule::LogImprovement { .. }
                ),
            self.proposal.pending == Pending::Temperatures
                && !matches!(self.proposal.acquisition, Rule::LogMgf { .. }),
            matches!(self.proposal.schedule, Schedule::Cooling(_))
                && !matches!(self.proposal.acquisition, Rule::LogMgf { .. }),
            !closed
                && (self.proposal.pending.is_modelled() || self.proposal.pending == Pending::Temperatures),
        ];
        if senseless.contains(&true) { Err(Error::Unsupported) } else { self.strategy.combines(self) }
    }

    /// Refuses what does not go together with sources: they help to choose by closed forms of a model, those of improvement where
    /// improvements on sources are added; open trials are believed rows of it. What is left out one by one is a row of an exact
    /// process.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub(crate) fn helps(&self) -> Result<(), Error> {
        let closed = self.proposal.policy == Policy::Closed
            && self.proposal.baseline.is_none()
            && !self.proposal.pending.is_modelled();
        let improves = matches!(
            self.proposal.acquisition,
            Rule::Improvement { .. } | Rule::LogImprovement { .. } | Rule::Noisy { .. }
        );
        let process = self.surrogate.model == Model::Process;
        let served = match self.transfer().how {
            How::Alone => self.transfer().keep == 1.0 || closed,
            How::Stage(weights) => closed && (process || !weights.is_sampled()),
            How::Value(weights) => closed && improves && (process || !weights.is_sampled()),
            How::Function { .. } => closed && improves,
            How::Prior => closed && improves && process,
            How::Neighbours { .. } | How::Ranker | How::Perceptron => closed,
        };
        Error::Unsupported.when(!TRANSFER || !served || self.strategy.branching().is_some())
    }

    /// Refuses a kernel that the choices cannot work with, by its nodes and its free hyperparameters, those of warp
    /// and noise included.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub(crate) fn serves(&self, mut ops: impl Iterator<Item = Op>, free: usize) -> Result<(), Error> {
        // What a build without choices has serves every kernel.
        if !CHOICES {
            return Ok(());
        }
        let served = if let Model::Sparse(kind) = self.surrogate.model {
            kind.serves(ops)
        } else {
            !matches!(self.proposal.policy, Policy::Spectral { .. }) || ops.all(spectral_density::knows)
        };
        let few = !matches!(self.surrogate.hyper, Hyper::Quadrature { .. }) || free <= quadrature::MAX_FREE;
        if served && few { Ok(()) } else { Err(Error::Unsupported) }
    }
}
