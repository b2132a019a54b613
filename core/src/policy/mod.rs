//! stub
pub mod entropy;
pub mod hermite;
mod joint;
pub mod max_value;
pub mod predictive;
#[cfg(test)]
mod support;
