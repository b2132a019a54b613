//! stub
pub mod entropy;
pub mod hedge;
pub mod hermite;
mod joint;
pub mod knowledge;
pub mod max_value;
pub mod portfolio;
pub mod predictive;
#[cfg(test)]
mod support;
pub mod thompson;
