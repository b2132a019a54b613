//! Statistical comparison of optimizers (Friedman, Nemenyi, Wilcoxon) over a table of results, one row per
//! problem, one column per method, less is better.
//!
//! ```text
//! rankᵢ = 1 + Σⱼ comp(eᵢ, eⱼ),   comp(a, b) = 0, ½, 1  for a < b, a = b, a > b
//! ```
//!
//! [`Table`] has the average ranks, win rates and net wins; [`Table::friedman`] asks whether the methods differ at all,
//! [`wilcoxon`] whether two of them do, and [`critical_difference`] how far apart average ranks must be. [`diagram`]
//! draws that as text. [`Curves`] follow runs on problems whose minimum is known, trial by trial.
//!
//! ```
//! use infill::compare::{Table, critical_difference, diagram};
//!
//! let errors = [[15.5, 15.4, 15.3], [10.7, 10.7, 10.6], [1.3, 1.6, 0.9], [16.9, 16.7, 15.1]];
//! let table = Table::from_rows(&errors)?;
//! let ranks = table.ranks();
//! assert_eq!(ranks, [2.625, 2.375, 1.0]);
//! let cd = critical_difference(table.methods(), table.problems(), 0.05)?;
//! println!("p = {:.3}", table.friedman()?.corrected_p);
//! println!("{}", diagram(&["random", "grid", "model"], &ranks, cd, 40)?);
//! # Ok::<(), infill::Error>(())
//! ```
//!
//! # References
//! Demšar, *Statistical Comparisons of Classifiers over Multiple Data Sets*, JMLR 7, 2006.

mod curves;
mod diagram;
mod friedman;
mod nemenyi;
mod table;
#[cfg(test)]
mod tests;
mod wilcoxon;

pub use curves::Curves;
pub use diagram::diagram;
pub use friedman::Friedman;
pub use nemenyi::{critical_difference, groups};
pub use table::Table;
pub use wilcoxon::{Wilcoxon, wilcoxon};
