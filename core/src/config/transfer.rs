//! What is done with sources as plain numbers.

use super::Flat;
use super::flat::{pick, rows};
use crate::error::Error;
use crate::transfer::{How, Near, Start, Transfer, Weights};

impl Flat {
    /// What is not chosen is ready to be.
    pub(super) fn ready_transfer(&mut self) {
        self.transfer_weights = 1;
        self.transfer_rho = 0.1;
        self.transfer_alpha = 0.5;
        self.transfer_draws = 64;
        self.transfer_neighbours = 3;
    }

    /// A build without sources writes zeros, of which one is no setting: nothing is made of sources then.
    pub(super) fn mend_transfer(&mut self) {
        if self.transfer_keep == 0.0 {
            self.transfer_keep = 1.0;
        }
    }

    pub(super) fn exchange_transfer<const PUT: bool>(
        &mut self,
        transfer: &mut Transfer,
    ) -> Result<(), Error> {
        let Transfer { start, trials, how, keep } = transfer;
        rows! { self, PUT:
            transfer_start = *start, by Start::from_code;
            transfer_trials = *trials;
            transfer_keep = *keep;
        }
        if PUT {
            self.transfer_how = how.code() as u32;
        } else {
            *how = pick(self.transfer_how, &How::ALL)?;
        }
        match how {
            How::Stage(weights) | How::Value(weights) => {
                if PUT {
                    self.transfer_weights = weights.code() as u32;
                } else {
                    *weights = pick(self.transfer_weights, &Weights::ALL)?;
                }
                match weights {
                    Weights::Features { rho } | Weights::Ranks { rho } => {
                        rows! { self, PUT: transfer_rho = *rho; }
                    }
                    Weights::Sampled { draws } => rows! { self, PUT: transfer_draws = *draws; },
                    Weights::Experts => {}
                }
            }
            How::Function { alpha, growth } => rows! { self, PUT:
                transfer_alpha = *alpha;
                transfer_growth = *growth;
            },
            How::Neighbours { alpha, count, by } => rows! { self, PUT:
                transfer_alpha = *alpha;
                transfer_neighbours = *count;
                transfer_near = *by, by Near::from_code;
            },
            How::Alone | How::Prior | How::Ranker | How::Perceptron => {}
        }
        Ok(())
    }
}
